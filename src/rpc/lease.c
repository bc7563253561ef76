#include "rpc/lease.h"

vta_status vt__lease_take(vt_rpc_lease *lease, const vta_rpc_options *options, const vta_allocator *allocator,
                          vta_diag *diag, size_t room, char *out_host, uint32_t *out_port) {
    char place[256] = "127.0.0.1";
    uint32_t port = VTA_RPC_TRACKER_PORT;
    VT_TRY(vta_rpc_place(options->tracker, sizeof place, place, &port, diag));
    VT_TRY(vt__link_open(&lease->link, place, port, options, allocator, diag));
    lease->taken = true;
    vt_strbuf *out = &lease->link.out;
    vt__link_begin(&lease->link);
    vt__rpc_put_text(out, options->key ? options->key : "");
    vt__rpc_put_u32(out, options->priority);
    vt__rpc_put_u32(out, options->lease_seconds);
    vt__rpc_put_u32(out, options->wait_ms);
    lease->link.answer_ms = options->wait_ms + lease->link.patience_ms;
    VT_TRY(vt__link_ask(&lease->link, VT_RPC_REQUEST, diag));
    vt__rpc_text(&lease->link.answer, out_host, room);
    *out_port = vt__rpc_u32(&lease->link.answer);
    return vt__link_done(&lease->link, diag);
}

void vt__lease_give_back(vt_rpc_lease *lease) {
    if (lease->taken) vt__link_close(&lease->link);
    lease->taken = false;
}
