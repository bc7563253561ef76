/* Many clients of one server at once, on the loopback: calls a second, latencies at the tail, memory of a session; and
 * the same calls through plain sockets, with a process for each connection, in the same run. Prints a table and writes
 * rpc_clients.json into the folder named by the first argument (default build/bench). */
#include <dirent.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loopback.h"
#include "timing.h"

enum { CALLS = 20000, MAX_CLIENTS = 100, FRAME_BYTES = 12 };

/* ---- Plain sockets ----------------------------------------------------------------------------------------------- */

static void answer(int fd) {
    char frame[FRAME_BYTES];
    while (loopback_receive(fd, frame, sizeof frame) && loopback_send(fd, frame, sizeof frame)) continue;
    _exit(0);
}

/* A process for each connection, which ends with it. */
static pid_t serve_plain(uint32_t *out_port) {
    int listener = loopback_listen(MAX_CLIENTS, out_port);
    pid_t pid = fork();
    while (pid == 0) {
        int fd = loopback_accept(listener);
        if (fork() == 0) answer(fd);
        close(fd);
    }
    close(listener);
    return pid;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The number behind the words in a file of /proc; 0: none. */
static long number_in(const char *pid, const char *file, const char *words) {
    char path[300], line[256];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, words, strlen(words))) number = strtol(line + strlen(words), NULL, 10);
    if (f) fclose(f);
    return number;
}

/* The share of memory of all processes below this one, in KiB: what several share is counted in parts. */
static long memory_below(pid_t parent) {
    long sum = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (atoi(e->d_name) > 0 && number_in(e->d_name, "status", "PPid:") == parent)
            sum += number_in(e->d_name, "smaps_rollup", "Pss:") + memory_below(atoi(e->d_name));
    if (folder) closedir(folder);
    return sum;
}

/* ---- Clients ----------------------------------------------------------------------------------------------------- */

typedef struct client {
    pthread_t thread;
    vta_rpc *rpc; /* NULL: a plain socket */
    int fd;
    vta_diag *diag;
    double *latencies;
    int calls;
} client;

static pthread_barrier_t start;

static void *work(void *arg) {
    client *c = arg;
    char frame[FRAME_BYTES] = {0};
    pthread_barrier_wait(&start);
    for (int i = 0; i < c->calls; i++) {
        double begin = now_seconds();
        if (c->rpc)
            loopback_must(vta_rpc_ping(c->rpc, c->diag), c->diag);
        else if (!loopback_send(c->fd, frame, sizeof frame) || !loopback_receive(c->fd, frame, sizeof frame))
            exit(1);
        c->latencies[i] = now_seconds() - begin;
    }
    return NULL;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct result {
    double calls_per_second, p50, p99, p999; /* seconds */
    long kib;                                /* of a session */
} result;

static void connect_client(client *c, uint32_t port, bool plain, const char *key_file) {
    c->diag = vta_diag_create(NULL);
    if (plain)
        c->fd = loopback_connect(port);
    else
        loopback_must(vta_rpc_connect(NULL, port, &(vta_rpc_options){.key_file = key_file}, NULL, c->diag, &c->rpc),
                      c->diag);
}

static void close_client(client *c) {
    if (c->rpc)
        vta_rpc_close(c->rpc);
    else
        close(c->fd);
    vta_diag_destroy(c->diag);
}

static result measure(int clients, pid_t server, uint32_t port, bool plain, const char *key_file) {
    client each[MAX_CLIENTS] = {0};
    int calls = CALLS / clients;
    double *latencies = calloc(CALLS, sizeof *latencies), begin;
    if (!latencies) exit(1);
    pthread_barrier_init(&start, NULL, (unsigned)clients + 1);
    for (int i = 0; i < clients; i++) {
        connect_client(&each[i], port, plain, key_file);
        each[i].latencies = latencies + (size_t)i * (size_t)calls;
        each[i].calls = calls;
        if (pthread_create(&each[i].thread, NULL, work, &each[i])) exit(1);
    }
    pthread_barrier_wait(&start);
    begin = now_seconds();
    for (int i = 0; i < clients; i++) pthread_join(each[i].thread, NULL);
    int total = calls * clients;
    result r = {.calls_per_second = total / (now_seconds() - begin), .kib = memory_below(server) / clients};
    for (int i = 0; i < clients; i++) close_client(&each[i]);
    pthread_barrier_destroy(&start);
    qsort(latencies, (size_t)total, sizeof *latencies, by_size);
    r.p50 = latencies[total / 2];
    r.p99 = latencies[total * 99 / 100];
    r.p999 = latencies[total * 999 / 1000];
    free(latencies);
    return r;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static void row(json_t *rows, const char *name, int clients, const result *r) {
    printf("%-24s %8d %10.0f %10.0f %10.0f %10.0f %12ld\n", name, clients, r->calls_per_second, r->p50 * 1e6,
           r->p99 * 1e6, r->p999 * 1e6, r->kib);
    json_array_append_new(rows, json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:I}", "what", name, "clients", clients,
                                          "calls_per_second", r->calls_per_second, "p50_us", r->p50 * 1e6, "p99_us",
                                          r->p99 * 1e6, "p999_us", r->p999 * 1e6, "session_kib", (json_int_t)r->kib));
}

int main(int argc, char **argv) {
    static const int counts[] = {1, 10, 100};
    static const char *const names[] = {"plain sockets", "sessions", "sessions, with a key"};
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    char program[1024], key[1024], path[1024];
    snprintf(program, sizeof program, "%s/../vta-session", folder);
    snprintf(key, sizeof key, "%s/rpc_clients.key", folder);
    unlink(key);
    loopback_must(vta_rpc_new_key(key, NULL), NULL);
    json_t *rows = json_array();
    printf("%-24s %8s %10s %10s %10s %10s %12s\n", "empty calls", "clients", "calls/s", "p50, us", "p99, us",
           "p99.9, us", "session, KiB");
    for (int way = 0; way < 3; way++) {
        uint32_t port;
        const char *key_file = way == 2 ? key : NULL;
        const vta_rpc_server_options options = {
            .session_program = program, .key_file = key_file, .max_sessions = MAX_CLIENTS};
        pid_t pid = way ? loopback_serve(&options, &port) : serve_plain(&port);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            result r = measure(counts[i], pid, port, way == 0, key_file);
            row(rows, names[way], counts[i], &r);
        }
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    unlink(key);
    snprintf(path, sizeof path, "%s/rpc_clients.json", folder);
    int failed = json_dump_file(rows, path, JSON_INDENT(1));
    if (failed) fprintf(stderr, "%s: cannot be written\n", path);
    json_decref(rows);
    return failed != 0;
}
