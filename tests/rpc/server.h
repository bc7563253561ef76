/* A server in a process of its own, for the tests of remote execution: vta rpc-server on a port that is free. */
#ifndef TESTS_RPC_SERVER_H
#define TESTS_RPC_SERVER_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

#include "vta/rpc.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SERVER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SERVER_SANITIZED 1
#endif
#endif
#ifndef SERVER_SANITIZED
#define SERVER_SANITIZED 0
#endif

typedef struct server {
    pid_t pid;
    uint32_t port;
    char folder[64]; /* its temporary files are here */
    char log[96];
} server;

enum { SERVER_MAX_ARGS = 32 };
static int server_log_to; /* a pipe for the next server's log; 0: a file */
static uid_t server_user; /* whom the next server runs as, where the test is root; 0: as the test */

static inline void server_exec(const server *s, int out, const char *command, const char *port, va_list args) {
    char *argv[SERVER_MAX_ARGS] = {VT_BINARY_DIR "/vta", (char *)command, "--port", (char *)port};
    int n = 4, log = server_log_to > 0 ? server_log_to : open(s->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (server_user && (setgid(server_user) != 0 || setuid(server_user) != 0)) _exit(126);
    for (char *a; n < SERVER_MAX_ARGS - 3 && (a = va_arg(args, char *));) argv[n++] = a;
    /* Sanitizers reserve more addresses than any limit allows. */
    if (SERVER_SANITIZED && !strcmp(command, "rpc-server")) argv[n++] = "--memory", argv[n++] = "0";
    setenv("TMPDIR", s->folder, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a test that fails leaves none behind */
    dup2(out, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(argv[0], argv);
    _exit(127);
}

/* Starts `vta COMMAND --port PORT ...` in the folder that it has, and waits for its port. */
static inline void server_launch(server *s, const char *command, const char *port, va_list args) {
    int ends[2];
    char line[64] = "";
    if (pipe(ends) != 0) fail_msg("no pipe");
    s->pid = fork();
    if (s->pid == 0) {
        close(ends[0]);
        server_exec(s, ends[1], command, port, args);
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    if (!fgets(line, sizeof line, f) || sscanf(line, "port %u", &s->port) != 1) fail_msg("%s says '%s'", command, line);
    fclose(f);
}

static inline void server_start_as(server *s, const char *command, const char *port, va_list args) {
    strcpy(s->folder, "/tmp/vta-rpc-test-XXXXXX");
    if (!mkdtemp(s->folder) || chmod(s->folder, 0755) != 0) fail_msg("no folder");
    if (server_user && chown(s->folder, server_user, server_user) != 0) fail_msg("no folder for %u", server_user);
    snprintf(s->log, sizeof s->log, "%s.log", s->folder);
    server_launch(s, command, port, args);
}

/* Another server in the same folder, after the first has ended. NULL ends the arguments. */
static inline void server_start_again(server *s, ...) {
    va_list args;
    va_start(args, s);
    server_launch(s, "rpc-server", "0", args);
    va_end(args);
}

/* NULL ends the arguments. */
static inline void server_start(server *s, ...) {
    va_list args;
    va_start(args, s);
    server_start_as(s, "rpc-server", "0", args);
    va_end(args);
}

static inline void server_start_on(server *s, const char *command, const char *port, ...) {
    va_list args;
    va_start(args, port);
    server_start_as(s, command, port, args);
    va_end(args);
}

/* What the log has; the caller's until the next call. */
static inline const char *server_log(const server *s) {
    static char text[1 << 20];
    FILE *f = fopen(s->log, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    return text;
}

/* Entries of a folder, without . and .. */
static inline int server_count(const char *path) {
    int n = 0;
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) n += e->d_name[0] != '.';
    if (dir) closedir(dir);
    return n;
}

/* The folder that it keeps those of its sessions in. */
static inline const char *server_sessions_folder(const server *s) {
    static char path[512];
    DIR *dir = opendir(s->folder);
    *path = '\0';
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(path, sizeof path, "%s/%.200s", s->folder, e->d_name);
    if (dir) closedir(dir);
    return path;
}

/* Processes that it started and that are there still. */
static inline int server_children(const server *s) {
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)s->pid, (int)s->pid);
    FILE *f = fopen(path, "r");
    size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    int n = 0;
    for (size_t i = 0; i < size; i++) n += text[i] == ' ';
    return n;
}

/* Waits until the server has no sessions, at most a minute. */
static inline void server_settles(const server *s) {
    for (int i = 0; i < 6000 && (server_children(s) || server_count(server_sessions_folder(s))); i++) usleep(10000);
    assert_int_equal(server_children(s), 0);
    assert_int_equal(server_count(s->folder), 1);
    assert_int_equal(server_count(server_sessions_folder(s)), 0);
}

static inline void server_end(server *s) {
    int state = 0;
    kill(s->pid, SIGTERM);
    assert_int_equal(waitpid(s->pid, &state, 0), s->pid);
    if (!WIFEXITED(state) || WEXITSTATUS(state)) fail_msg("the server ended with %d: %s", state, server_log(s));
}

/* Ends it in order; nothing of it may be left. */
static inline void server_stop(server *s) {
    server_end(s);
    assert_int_equal(server_count(s->folder), 0);
    rmdir(s->folder);
    unlink(s->log);
}

/* tests/rpc/kernels.c as an object; the caller's until the next call. */
static inline const char *kernels_object(size_t *out_size) {
    static char bytes[1 << 18];
    static size_t size;
    char path[64], command[512];
    if (!size) {
        snprintf(path, sizeof path, "/tmp/vta-rpc-kernels-%d.o", (int)getpid());
        snprintf(command, sizeof command, "cc -O1 -fPIC -c %s/tests/rpc/kernels.c -o %s", VT_SOURCE_DIR, path);
        assert_int_equal(system(command), 0);
        FILE *f = fopen(path, "rb");
        size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        unlink(path);
    }
    *out_size = size;
    return bytes;
}

#endif
