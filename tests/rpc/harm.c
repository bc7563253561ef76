/* Code that means harm, in the packed calling convention: what the tests send to servers to see what it can do. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rpc/share.h"

typedef union value {
    int64_t i;
    double f;
    void *p;
    const char *s;
} value;

#define KERNEL(name) int name(value *args, int *codes, int count, value *ret, int *ret_code, void *resource)
#define GIVE(result)                                                                                                   \
    do {                                                                                                               \
        (void)args, (void)codes, (void)count, (void)resource;                                                          \
        ret->i = (int64_t)(result);                                                                                    \
        *ret_code = 0;                                                                                                 \
        return 0;                                                                                                      \
    } while (0)

/* 0, or the error. */
KERNEL(try_read) {
    char byte;
    int fd = open(args[0].s, O_RDONLY | O_NONBLOCK);
    if (fd < 0) GIVE(errno);
    ssize_t n = read(fd, &byte, 1);
    close(fd);
    GIVE(n == 1 ? 0 : n == 0 ? ENODATA : errno);
}

KERNEL(try_write) {
    int fd = open(args[0].s, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) GIVE(errno);
    close(fd);
    GIVE(0);
}

/* How many entries a folder shows; -1: it cannot be read. */
KERNEL(list) {
    int64_t n = 0;
    DIR *dir = opendir(args[0].s);
    if (!dir) GIVE(-1);
    for (struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.';
    closedir(dir);
    GIVE(n);
}

KERNEL(try_signal) { GIVE(kill((pid_t)args[0].i, 0) == 0 ? 0 : errno); }

KERNEL(try_trace) {
    if (ptrace(PTRACE_ATTACH, (pid_t)args[0].i, 0, 0) != 0) GIVE(errno);
    waitpid((pid_t)args[0].i, 0, 0);
    ptrace(PTRACE_DETACH, (pid_t)args[0].i, 0, 0);
    GIVE(0);
}

KERNEL(try_connect) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)args[0].i)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), error = connect(fd, (struct sockaddr *)&to, sizeof to) ? errno : 0;
    close(fd);
    GIVE(error);
}

/* A field of this process's status, a number in this base; -1: there is none. */
KERNEL(status_field) {
    char line[256];
    int64_t value = -1;
    size_t n = strlen(args[0].s);
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, args[0].s, n)) value = (int64_t)strtoull(line + n, NULL, (int)args[1].i);
    if (f) fclose(f);
    GIVE(value);
}

KERNEL(try_user) { GIVE(setuid(0) == 0 && getuid() != (uid_t)args[0].i ? 0 : EPERM); }

/* Tries to make its log another's, and empty. */
KERNEL(forge) {
    static const char text[] = "2026-01-01 00:00:00 127.0.0.1:1: session 1 ends\n\033[31mred\n";
    int error = ftruncate(STDERR_FILENO, 0) ? errno : 0;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) GIVE(-1);
    GIVE(error);
}

KERNEL(chatter) {
    for (int64_t i = 0; i < args[0].i; i++) dprintf(STDERR_FILENO, "line %lld\n", (long long)i);
    GIVE(0);
}

/* How many processes it can make. */
KERNEL(bomb) {
    int64_t n = 0;
    for (; n < args[0].i; n++) {
        pid_t pid = fork();
        if (pid == 0) {
            sleep(60);
            _exit(0);
        }
        if (pid < 0) break;
    }
    GIVE(n);
}

/* So many children with so many MiB each. */
KERNEL(gorge) {
    size_t size = (size_t)args[1].i << 20;
    for (int64_t i = 0; i < args[0].i; i++) {
        if (fork() != 0) continue;
        char *p = malloc(size);
        for (size_t at = 0; p && at < size; at += 4096) p[at] = 1;
        sleep(60);
        _exit(0);
    }
    sleep(60);
    GIVE(0);
}

/* A process of this name, in a session of its own, which nobody's end ends. */
KERNEL(escape) {
    int ends[2];
    char byte;
    prctl(PR_SET_PDEATHSIG, 0);
    if (pipe(ends) != 0) GIVE(errno);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork()) _exit(0);
        prctl(PR_SET_NAME, args[0].s);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        if (write(ends[1], "x", 1) == 1) sleep(60);
        _exit(0);
    }
    waitpid(pid, 0, 0);
    GIVE(read(ends[0], &byte, 1) == 1 ? 0 : EIO);
}

static vt_rpc_page *page;

static void *say_that_no_call_goes_on(void *unused) {
    for (;;) {
        atomic_store(&page->call_started, 0);
        usleep(1000);
    }
    return unused;
}

/* A call without end that its page knows nothing of. */
KERNEL(evade) {
    char line[512];
    unsigned long at = 0;
    pthread_t thread;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && !page && fgets(line, sizeof line, f))
        if (strstr(line, "memfd:vta-session ") && strstr(line, "rw-s") && sscanf(line, "%lx-", &at) == 1)
            page = (vt_rpc_page *)at;
    if (f) fclose(f);
    if (!page || page->mark != VT_RPC_PAGE_MARK) GIVE(ENOENT);
    pthread_create(&thread, NULL, say_that_no_call_goes_on, NULL);
    for (;;) usleep(1000);
}

KERNEL(leave) { _exit((int)args[0].i); }

KERNEL(close_all) {
    for (int fd = 0; fd < 64; fd++) close(fd);
    GIVE(0);
}

KERNEL(make_files) {
    char name[32];
    for (int64_t i = 0; i < args[0].i; i++) {
        snprintf(name, sizeof name, "f%lld", (long long)i);
        int fd = open(name, O_WRONLY | O_CREAT, 0);
        if (fd < 0) GIVE(errno);
        close(fd);
    }
    GIVE(0);
}

/* Folders in folders, each closed to its owner. */
KERNEL(dig) {
    int64_t i = 0;
    for (; i < args[0].i; i++) {
        int up = open(".", O_RDONLY | O_DIRECTORY);
        if (mkdir("d", 0700) || chdir("d")) GIVE(i);
        if (i % 7 == 3) fchmod(up, 0);
        close(up);
    }
    GIVE(i);
}

KERNEL(make_pipe) { GIVE(mkfifo("pipe", 0600) == 0 ? 0 : errno); }
