/* Remote execution on the loopback: the round trip of an empty call and the throughput of a 64 MiB copy, through a
 * server and beside it, in the same run, through a plain socket between two processes. Prints a table and writes
 * rpc.json into the folder named by the first argument (default build/bench). */
#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "timing.h"
#include "vta/rpc.h"

enum { BYTES = 64 << 20, COPIES = 5, CALLS = 2000 };

static char *data;

/* ---- A plain socket ---------------------------------------------------------------------------------------------- */

static void all(ssize_t (*move)(int, void *, size_t, int), int fd, char *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = move(fd, bytes + done, size - done, 0);
        if (n <= 0) exit(1);
        done += (size_t)n;
    }
}

static ssize_t put(int fd, void *bytes, size_t size, int flags) { return send(fd, bytes, size, flags | MSG_NOSIGNAL); }

static void no_delay(int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* The other end: answers bytes with bytes, then swallows and says so. */
static void answer(int listener) {
    char byte;
    int fd = accept(listener, NULL, NULL);
    no_delay(fd);
    for (int i = 0; i < CALLS; i++) {
        all(recv, fd, &byte, 1);
        all(put, fd, &byte, 1);
    }
    for (int i = 0; i < COPIES; i++) {
        all(recv, fd, data, BYTES);
        all(put, fd, &byte, 1);
    }
    _exit(0);
}

static void plain(double *out_call, double *out_copy) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    char byte = 0;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 1) != 0) exit(1);
    getsockname(listener, (struct sockaddr *)&at, &size);
    pid_t pid = fork();
    if (pid == 0) answer(listener);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0) exit(1);
    no_delay(fd);
    double begin = now_seconds();
    for (int i = 0; i < CALLS; i++) {
        all(put, fd, &byte, 1);
        all(recv, fd, &byte, 1);
    }
    *out_call = (now_seconds() - begin) / CALLS;
    *out_copy = 1e9;
    for (int i = 0; i < COPIES; i++) {
        begin = now_seconds();
        all(put, fd, data, BYTES);
        all(recv, fd, &byte, 1);
        double took = now_seconds() - begin;
        if (took < *out_copy) *out_copy = took;
    }
    close(fd);
    close(listener);
    waitpid(pid, NULL, 0);
}

/* ---- A server ---------------------------------------------------------------------------------------------------- */

static void tell(void *ctx, uint32_t port) {
    if (write(*(int *)ctx, &port, sizeof port) != (ssize_t)sizeof port) _exit(1);
}

static pid_t serve(const char *program, const char *key_file, uint32_t *out_port) {
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        const vta_rpc_server_options options = {
            .session_program = program, .key_file = key_file, .ready = tell, .ready_ctx = &ends[1]};
        vta_diag *diag = vta_diag_create(NULL);
        if (vta_rpc_serve(&options, diag) != VTA_OK) fprintf(stderr, "%s\n", vta_diag_text(diag));
        _exit(0);
    }
    close(ends[1]);
    if (read(ends[0], out_port, sizeof *out_port) != (ssize_t)sizeof *out_port) exit(1);
    close(ends[0]);
    return pid;
}

static void must(vta_status status, vta_diag *diag) {
    if (status == VTA_OK) return;
    fprintf(stderr, "%s\n", vta_diag_text(diag));
    exit(1);
}

typedef struct result {
    double call, write, read;
} result;

static double best_copy(vta_rpc *rpc, uint64_t array, bool writes, vta_diag *diag) {
    double best = 1e9;
    for (int i = 0; i < COPIES; i++) {
        double begin = now_seconds();
        must(writes ? vta_rpc_write(rpc, array, 0, data, BYTES, diag) : vta_rpc_read(rpc, array, 0, data, BYTES, diag),
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
    pid_t pid = serve(program, key_file, &port);
    must(vta_rpc_connect(NULL, port, &(vta_rpc_options){.key_file = key_file}, NULL, diag, &rpc), diag);
    must(vta_rpc_array(rpc, kDLCPU, 1, &shape, (DLDataType){kDLUInt, 8, 1}, diag, &array), diag);
    double begin = now_seconds();
    for (int i = 0; i < CALLS; i++) must(vta_rpc_ping(rpc, diag), diag);
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
    must(vta_rpc_new_key(key, NULL), NULL);
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
