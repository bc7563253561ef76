#include "rpc_serve.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* A pipe whose reader stalls, or a terminal that was stopped, does not stop the server. */
static bool can_write(void) {
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&p, 1, 0) > 0 && (p.revents & POLLOUT);
}

void cli_write_log(void *ctx, const char *text, size_t size) {
    static unsigned long dropped; /* lines; servers and trackers log one at a time */
    char when[32];
    time_t now = time(NULL);
    struct tm parts;
    (void)ctx;
    if (!can_write()) {
        dropped++;
        return;
    }
    localtime_r(&now, &parts);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    if (dropped) fprintf(stderr, "%s %lu lines were dropped: nobody read the log\n", when, dropped);
    dropped = 0;
    fprintf(stderr, "%s %.*s", when, (int)size, text);
}

void cli_tell_port(void *ctx, uint32_t port) {
    (void)ctx;
    printf("port %u\n", port);
    fflush(stdout);
}
