#include "rpc_serve.h"

#include <stdio.h>
#include <time.h>

void cli_write_log(void *ctx, const char *text, size_t size) {
    char when[32];
    time_t now = time(NULL);
    struct tm parts;
    (void)ctx;
    localtime_r(&now, &parts);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    fprintf(stderr, "%s %.*s", when, (int)size, text);
}

void cli_tell_port(void *ctx, uint32_t port) {
    (void)ctx;
    printf("port %u\n", port);
    fflush(stdout);
}
