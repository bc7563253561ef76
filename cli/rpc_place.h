/* What the commands of remote execution share: where the server is, and how to reach it. */
#ifndef CLI_RPC_PLACE_H
#define CLI_RPC_PLACE_H

#include "cli.h"
#include "vta/rpc.h"

typedef struct cli_place {
    const char *key_file, *tracker, *key;
    uint64_t timeout, priority, lease, wait;
} cli_place;

#define CLI_PLACE_OPTIONS(p)                                                                                           \
    {"key-file", 'k', CLI_TEXT, "FILE", "the key of the server or tracker (vta rpc new-key)", &(p)->key_file},         \
        {"tracker", 't', CLI_TEXT, "HOST:PORT", "ask this tracker for a server; no HOST:PORT then", &(p)->tracker},    \
        {"key", 0, CLI_TEXT, "NAME", "which kind of server to ask the tracker for", &(p)->key},                        \
        {"priority", 0, CLI_NUMBER, "N", "larger ones are served first (0)", &(p)->priority},                          \
        {"lease", 0, CLI_NUMBER, "SECONDS", "how long the server is needed (the tracker's limit)", &(p)->lease},       \
        {"wait", 0, CLI_NUMBER, "SECONDS", "how long to wait for a free server (0)", &(p)->wait}, {                    \
        "timeout", 0, CLI_NUMBER, "SECONDS", "when nothing moves (30)", &(p)->timeout                                  \
    }

/* Connects to `place` ("HOST:PORT", ":PORT", "HOST"), or with a tracker to what it gives (place NULL). */
vta_status cli_place_connect(const cli_place *p, const char *place, vta_rpc **out_rpc);
/* The same with a list of errors of its own: any thread. */
vta_status cli_place_open(const cli_place *p, const char *place, vta_diag *diag, vta_rpc **out_rpc);
#endif
