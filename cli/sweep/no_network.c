/* A tool without the compiler sweeps programs alone: no subject is a network. */
#ifndef VT_COMPILER
#include "network.h"

vta_status sweep_network_program(const sweep_network *network, const vta_config *config,
                                 const vta_timing_profile *timing, double limit, bool keep, vta_diag *diag,
                                 vta_program **out_program, result *out) {
    (void)network, (void)config, (void)timing, (void)limit, (void)keep, (void)diag, (void)out;
    *out_program = NULL;
    return VTA_UNSUPPORTED;
}

vta_status sweep_network_artifact(const sweep_network *network, const vta_config *config,
                                  const vta_timing_profile *timing, double limit, vta_diag *diag, uint8_t **out_bytes,
                                  size_t *out_size, result *out) {
    (void)network, (void)config, (void)timing, (void)limit, (void)diag, (void)out;
    *out_bytes = NULL;
    *out_size = 0;
    return VTA_UNSUPPORTED;
}

void sweep_network_destroy(sweep_network *network) { (void)network; }

void sweep_network_hash(const sweep_network *network, sweep_hash *h) { (void)network, (void)h; }
#endif
