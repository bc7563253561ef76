/* vta prove MODEL.onnx. */
#ifndef CLI_C_PROVE_NETWORK_H
#define CLI_C_PROVE_NETWORK_H

#include "c_network.h"

typedef struct cli_network_proof {
    const char *path;
    cli_network network;
    cli_pictures pictures;
    cli_list layers; /* those that are proven; none: all */
    uint64_t seed, draws;
    bool json;
} cli_network_proof;

/* Proves each operator that a network runs on the accelerator, once for layers that are alike, and tells the verdicts.
 * The exit code. */
int cli_prove_network(cli_network_proof *proof);

#endif
