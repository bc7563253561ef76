#include "rpc_place.h"

static uint32_t limited(uint64_t value, uint64_t factor) {
    return value > UINT32_MAX / factor ? UINT32_MAX : (uint32_t)(value * factor);
}

vta_status cli_place_open(const cli_place *p, const char *place, vta_diag *diag, vta_rpc **out_rpc) {
    char host[256] = "127.0.0.1";
    uint32_t port = VTA_RPC_PORT;
    *out_rpc = NULL;
    vta_status status = place ? vta_rpc_place(place, sizeof host, host, &port, diag) : VTA_OK;
    if (status != VTA_OK) return status;
    const vta_rpc_options options = {.key_file = p->key_file,
                                     .tracker = p->tracker,
                                     .key = p->key,
                                     .priority = limited(p->priority, 1),
                                     .lease_seconds = limited(p->lease, 1),
                                     .wait_ms = limited(p->wait, 1000),
                                     .timeout_ms = limited(p->timeout, 1000)};
    return vta_rpc_connect(host, port, &options, NULL, diag, out_rpc);
}

vta_status cli_place_connect(const cli_place *p, const char *place, vta_rpc **out_rpc) {
    return cli_place_open(p, place, cli_diag(), out_rpc);
}
