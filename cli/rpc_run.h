/* vta rpc run: an object on a server. */
#ifndef CLI_RPC_RUN_H
#define CLI_RPC_RUN_H

#include "cli.h"
#include "vta/rpc.h"

typedef struct cli_rpc_run {
    const char *path, *function;
    uint64_t seed, number, repeat, min_repeat_ms; /* number 0: no timing */
    bool reconfigure;                             /* the server takes the object's configuration first */
    bool json;
} cli_rpc_run;

/* Uploads the object, calls it on random inputs (those of `vta run FILE.o` for the same seed), and reports. */
vta_status cli_rpc_run_object(vta_rpc *rpc, const cli_rpc_run *run);

#endif
