/* Inputs and outputs of a compiled network on a server, as the server describes them, and arrays there. */
#ifndef CLI_RPC_TENSORS_H
#define CLI_RPC_TENSORS_H

#include "tensors.h"
#include "vta/module.h"
#include "vta/rpc.h"

typedef struct cli_rpc_tensors {
    size_t count;
    cli_tensor at[CLI_LIST_MAX]; /* names are the description's */
    int64_t shapes[CLI_LIST_MAX][VTA_ARRAY_MAX_DIMS];
    uint64_t arrays[CLI_LIST_MAX];
} cli_rpc_tensors;

/* Reads the "inputs" or "outputs" (`key`) of a description that vta_rpc_load_model gave for `path`. VTA_UNSUPPORTED:
 * it is not understood. `out` must stay where it is. */
vta_status cli_rpc_tensors_read(const json_t *description, const char *key, const char *path, vta_diag *diag,
                                cli_rpc_tensors *out);
/* Makes the arrays, on the server's host. */
vta_status cli_rpc_tensors_make(vta_rpc *rpc, cli_rpc_tensors *t, vta_diag *diag);

#endif
