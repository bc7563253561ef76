/* A client's session: its life, its server's machine, and what the requests of client_*.c share. */
#include "rpc/client_session.h"

#include <stdio.h>
#include <unistd.h>

#include "base/versioned.h"

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

static vta_status open_session(vta_rpc *rpc, const char *host, uint32_t port, const vta_rpc_options *options,
                               vta_diag *diag) {
    char chosen[256] = "";
    snprintf(chosen, sizeof chosen, "%s", host ? host : "127.0.0.1");
    if (options->tracker)
        VT_TRY(vt__lease_take(&rpc->lease, options, &rpc->allocator, diag, sizeof chosen, chosen, &port));
    VT_TRY(vt__link_open(&rpc->link, chosen, port ? port : VTA_RPC_PORT, options, &rpc->allocator, diag));
    vt__rpc_text(&rpc->link.answer, rpc->library, sizeof rpc->library);
    vt__rpc_text(&rpc->link.answer, rpc->machine, sizeof rpc->machine);
    vt__rpc_text(&rpc->link.answer, rpc->driver, sizeof rpc->driver);
    VT_TRY(vt__link_done(&rpc->link, diag));
    return vt__lease_check(&rpc->lease, options, diag);
}

vta_status vta_rpc_connect(const char *host, uint32_t port, const vta_rpc_options *options,
                           const vta_allocator *allocator, vta_diag *diag, vta_rpc **out_rpc) {
    vta_rpc_options own;
    VT_CLIENT_NEED(out_rpc);
    *out_rpc = NULL;
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_rpc_options", diag));
    vta_rpc *rpc = vt_alloc_zero(allocator, sizeof *rpc);
    if (!rpc) return vt_no_memory(diag);
    rpc->allocator = allocator ? *allocator : vt_allocator_libc;
    rpc->link.stream.fd = -1;
    rpc->link.over = true;
    vta_status status = open_session(rpc, host, port, &own, diag);
    if (status == VTA_OK)
        *out_rpc = rpc;
    else
        vta_rpc_close(rpc);
    return status;
}

void vta_rpc_close(vta_rpc *rpc) {
    if (!rpc) return;
    vt__link_begin(&rpc->link);
    if (!rpc->link.over && rpc->link.owner == getpid()) vt__link_ask(&rpc->link, VT_RPC_BYE, NULL);
    vt__link_close(&rpc->link);
    vt__lease_give_back(&rpc->lease);
    vta_allocator allocator = rpc->allocator;
    vt_free(&allocator, rpc, sizeof *rpc);
}

const char *vta_rpc_server(const vta_rpc *rpc) { return rpc ? rpc->link.place : ""; }
const char *vta_rpc_machine(const vta_rpc *rpc) { return rpc ? rpc->machine : ""; }
const char *vta_rpc_library(const vta_rpc *rpc) { return rpc ? rpc->library : ""; }
const char *vta_rpc_driver(const vta_rpc *rpc) { return rpc ? rpc->driver : ""; }

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

vta_status vt__client_invalid(vta_diag *diag, const char *function) {
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: a pointer is NULL", function);
}

vta_status vt__client_plain(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag) {
    VT_TRY(vt__link_ask(&rpc->link, message, diag));
    return vt__link_done(&rpc->link, diag);
}

vta_status vt__client_take_text(vta_rpc *rpc, vta_diag *diag, char **out_text) {
    char *text = vt__link_text(&rpc->link);
    vta_status status = vt__link_done(&rpc->link, diag);
    if (status == VTA_OK && !text) status = vt_no_memory(diag);
    if (status == VTA_OK && out_text)
        *out_text = text;
    else
        vta_string_free(text);
    return status;
}

vta_status vt__client_text(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag, char **out_text) {
    VT_TRY(vt__link_ask(&rpc->link, message, diag));
    return vt__client_take_text(rpc, diag, out_text);
}

vt_strbuf *vt__client_begin(vta_rpc *rpc) {
    vt__link_begin(&rpc->link);
    return &rpc->link.out;
}

vta_status vt__client_number_and_text(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag, uint64_t *out_number,
                                      char **out_text) {
    *out_number = 0;
    if (out_text) *out_text = NULL;
    VT_TRY(vt__link_ask(&rpc->link, message, diag));
    uint64_t number = vt__rpc_u64(&rpc->link.answer);
    VT_TRY(vt__client_take_text(rpc, diag, out_text));
    *out_number = number;
    return VTA_OK;
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

vta_status vta_rpc_ping(vta_rpc *rpc, vta_diag *diag) {
    VT_CLIENT_NEED(rpc);
    vt__client_begin(rpc);
    return vt__client_plain(rpc, VT_RPC_PING, diag);
}

vta_status vta_rpc_statistics(vta_rpc *rpc, vta_diag *diag, char **out_json) {
    VT_CLIENT_NEED(rpc && out_json);
    *out_json = NULL;
    vt__client_begin(rpc);
    return vt__client_text(rpc, VT_RPC_STATISTICS, diag, out_json);
}

vta_status vta_rpc_clear_statistics(vta_rpc *rpc, vta_diag *diag) {
    VT_CLIENT_NEED(rpc);
    vt__client_begin(rpc);
    return vt__client_plain(rpc, VT_RPC_CLEAR, diag);
}

vta_status vta_rpc_configure(vta_rpc *rpc, const char *config, vta_diag *diag) {
    VT_CLIENT_NEED(rpc && config);
    vt__rpc_put_text(vt__client_begin(rpc), config);
    return vt__client_text(rpc, VT_RPC_CONFIGURE, diag, NULL);
}

vta_status vta_rpc_program(vta_rpc *rpc, const char *name, vta_diag *diag) {
    VT_CLIENT_NEED(rpc);
    vt__rpc_put_text(vt__client_begin(rpc), name ? name : "");
    return vt__client_text(rpc, VT_RPC_PROGRAM, diag, NULL);
}

vta_status vta_rpc_sessions(vta_rpc *rpc, vta_diag *diag, char **out_json) {
    VT_CLIENT_NEED(rpc && out_json);
    *out_json = NULL;
    vt__client_begin(rpc);
    return vt__client_text(rpc, VT_RPC_SESSIONS, diag, out_json);
}

vta_status vta_rpc_shutdown(vta_rpc *rpc, vta_diag *diag) {
    VT_CLIENT_NEED(rpc);
    vt__client_begin(rpc);
    vta_status status = vt__client_plain(rpc, VT_RPC_SHUTDOWN, diag);
    if (status == VTA_OK) rpc->link.over = true;
    return status;
}
