#include "rpc/lease.h"

#include <poll.h>

#include "base/versioned.h"

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
    lease->until = options->lease_seconds ? vt__rpc_now() + options->lease_seconds * UINT64_C(1000) : 0;
    return vt__link_done(&lease->link, diag);
}

vta_status vta_rpc_tracker_summary(const char *host, uint32_t port, const vta_rpc_options *options, vta_diag *diag,
                                   char **out_json) {
    vta_rpc_options own;
    vt_rpc_link link;
    if (!out_json) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_rpc_tracker_summary: out_json is NULL");
    *out_json = NULL;
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_rpc_options", diag));
    VT_TRY(vt__link_open(&link, host ? host : "127.0.0.1", port ? port : VTA_RPC_TRACKER_PORT, &own, NULL, diag));
    vt__link_begin(&link);
    vta_status status = vt__link_ask(&link, VT_RPC_SUMMARY, diag);
    if (status == VTA_OK) *out_json = vt__link_text(&link);
    if (status == VTA_OK && !*out_json) status = vt_no_memory(diag);
    vt__link_close(&link);
    return status;
}

/* A tracker says nothing more to who has a lease, and closes the connection at its end. */
vta_status vt__lease_check(const vt_rpc_lease *lease, const vta_rpc_options *options, vta_diag *diag) {
    struct pollfd p = {.fd = lease->link.stream.fd, .events = POLLIN | POLLRDHUP};
    if (!lease->taken || poll(&p, 1, 0) == 0) return VTA_OK;
    if (lease->until && vt__rpc_now() >= lease->until)
        return vt_fail(diag, VTA_TIMEOUT,
                       "the lease of %u s was over before the server had begun a session: ask for a longer one",
                       options->lease_seconds);
    return vt_fail(diag, VTA_IO, "the tracker at %s was ended while it gave a server: ask again", options->tracker);
}

void vt__lease_give_back(vt_rpc_lease *lease) {
    if (lease->taken) vt__link_close(&lease->link);
    lease->taken = false;
}
