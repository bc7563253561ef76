/* Remote execution on the loopback: the round trip of an empty call and the throughput of a 64 MiB copy, through a
 * server and beside it, in the same run, through a plain socket between two processes. Prints a table and writes
 * rpc.json into the folder named by the first argument (default build/bench). */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loopback.h"
#include "timing.h"

enum { BYTES = 64 << 20, COPIES = 5, CALLS = 2000 };

static char *data;

/* ---- A plain socket ---------------------------------------------------------------------------------------------- */

/* The other end: answers bytes with bytes, then swallows and says so. */
static void answer(int fd) {
    char byte;
    for (int i = 0; i < CALLS; i++) {
        loopback_receive(fd, &byte, 1);
        loopback_send(fd, &byte, 1);
    }
    for (int i = 0; i < COPIES; i++) {
        loopback_receive(fd, data, BYTES);
        loopback_send(fd, &byte, 1);
    }
    _exit(0);
}

static void plain(double *out_call, double *out_copy) {
    uint32_t port;
    char byte = 0;
    int listener = loopback_listen(1, &port);
    pid_t pid = fork();
    if (pid == 0) answer(loopback_accept(listener));
    int fd = loopback_connect(port);
    double begin = now_seconds();
    for (int i = 0; i < CALLS; i++) {
        loopback_send(fd, &byte, 1);
        loopback_receive(fd, &byte, 1);
    }
    *out_call = (now_seconds() - begin) / CALLS;
    *out_copy = 1e9;
    for (int i = 0; i < COPIES; i++) {
        begin = now_seconds();
        loopback_send(fd, data, BYTES);
        loopback_receive(fd, &byte, 1);
        double took = now_seconds() - begin;
        if (took < *out_copy) *out_copy = took;
    }
    close(fd);
    close(listener);
    waitpid(pid, NULL, 0);
}

/* ---- A server ---------------------------------------------------------------------------------------------------- */

typedef struct result {
    double call, write, read;
} result;

static double best_copy(vta_rpc *rpc, uint64_t array, bool writes, vta_diag *diag) {
    double best = 1e9;
    for (int i = 0; i < COPIES; i++) {
        double begin = now_seconds();
        loopback_must(writes ? vta_rpc_write(rpc, array, 0, data, BYTES, diag)
                             : vta_rpc_read(rpc, array, 0, data, BYTES, diag),
                      diag);
        double took = now_seconds() - begin;
        if (took < best) best = took;
    }
    return best;
}

static result remote(const char *program, const char *key_file) {
    result r;
    uint32_t port;
    uint64_t array;
    int64_t shape = BYTES;
    vta_rpc *rpc;
    vta_diag *diag = vta_diag_create(NULL);
    const vta_rpc_server_options options = {.session_program = program, .key_file = key_file};
    pid_t pid = loopback_serve(&options, &port);
    loopback_must(vta_rpc_connect(NULL, port, &(vta_rpc_options){.key_file = key_file}, NULL, diag, &rpc), diag);
    loopback_must(vta_rpc_array(rpc, kDLCPU, 1, &shape, (DLDataType){kDLUInt, 8, 1}, diag, &array), diag);
    double begin = now_seconds();
    for (int i = 0; i < CALLS; i++) loopback_must(vta_rpc_ping(rpc, diag), diag);
    r.call = (now_seconds() - begin) / CALLS;
    r.write = best_copy(rpc, array, true, diag);
    r.read = best_copy(rpc, array, false, diag);
    vta_rpc_close(rpc);
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    vta_diag_destroy(diag);
    return r;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static double gigabytes(double seconds) { return BYTES / seconds / 1e9; }

static void row(json_t *rows, const char *name, double call, double write_s, double read_s) {
    printf("%-28s %12.1f %12.2f %12.2f\n", name, call * 1e6, gigabytes(write_s), gigabytes(read_s));
    json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f}", "what", name, "round_trip_us", call * 1e6,
                                          "write_gb_per_s", gigabytes(write_s), "read_gb_per_s", gigabytes(read_s)));
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    char program[1024], key[1024], path[1024];
    double call, copy;
    data = malloc(BYTES);
    if (!data) return 1;
    memset(data, 7, BYTES);
    snprintf(program, sizeof program, "%s/../vta-session", folder);
    snprintf(key, sizeof key, "%s/rpc.key", folder);
    unlink(key);
    loopback_must(vta_rpc_new_key(key, NULL), NULL);
    json_t *rows = json_array();
    printf("%-28s %12s %12s %12s\n", "64 MiB on the loopback", "call, us", "write, GB/s", "read, GB/s");
    plain(&call, &copy);
    row(rows, "a plain socket", call, copy, copy);
    result r = remote(program, NULL);
    row(rows, "a session", r.call, r.write, r.read);
    r = remote(program, key);
    row(rows, "a session, with a key", r.call, r.write, r.read);
    unlink(key);
    free(data);
    snprintf(path, sizeof path, "%s/rpc.json", folder);
    int failed = json_dump_file(rows, path, JSON_INDENT(1));
    if (failed) fprintf(stderr, "%s: cannot be written\n", path);
    json_decref(rows);
    return failed != 0;
}
