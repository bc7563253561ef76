/* vta rpc run: an object or a compiled network on a server. */
#ifndef CLI_RPC_RUN_H
#define CLI_RPC_RUN_H

#include "cli.h"
#include "vta/rpc.h"

typedef struct cli_rpc_run {
    const char *path, *function;
    uint64_t seed, number, repeat, min_repeat_ms; /* number 0: no timing */
    bool reconfigure;                             /* the server takes the object's configuration first */
    cli_list inputs, outputs;                     /* of a network: [NAME=]FILE.npy */
    cli_list carry;                               /* of a network: a stream (stream.h) */
    bool json;
} cli_rpc_run;

/* Uploads the object, calls it on random inputs (those of `vta run FILE.o` for the same seed), and reports. */
vta_status cli_rpc_run_object(vta_rpc *rpc, const cli_rpc_run *run);
/* Uploads the network, runs it on the inputs `repeat` times, or over all their chunks, writes the outputs, and
 * reports. */
vta_status cli_rpc_run_model(vta_rpc *rpc, const cli_rpc_run *run);

/* Sends a file under its name without folders. */
vta_status cli_rpc_upload(vta_rpc *rpc, const char *path);

#endif
