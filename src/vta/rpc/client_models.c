/* The client's requests about compiled networks (vta/rpc.def). */
#include "rpc/client_session.h"

vta_status vta_rpc_load_model(vta_rpc *rpc, const char *name, vta_diag *diag, uint64_t *out_model,
                              char **out_description) {
    VT_CLIENT_NEED(rpc && name && out_model);
    vt__rpc_put_text(vt__client_begin(rpc), name);
    return vt__client_number_and_text(rpc, VT_RPC_LOAD_MODEL, diag, out_model, out_description);
}

vta_status vta_rpc_run_model(vta_rpc *rpc, uint64_t model, const uint64_t *arrays, size_t count, vta_diag *diag,
                             double *out_seconds, char **out_counters) {
    VT_CLIENT_NEED(rpc && (arrays || !count));
    if (out_counters) *out_counters = NULL;
    if (count > VT_RPC_MAX_ARGS)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%zu arrays; 0 to %d can be sent", count, VT_RPC_MAX_ARGS);
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_u64(out, model);
    vt__rpc_put_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) vt__rpc_put_u64(out, arrays[i]);
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_RUN_MODEL, diag));
    double seconds = vt__rpc_f64(&rpc->link.answer);
    if (out_seconds) *out_seconds = seconds;
    return vt__client_take_text(rpc, diag, out_counters);
}

vta_status vta_rpc_profile_model(vta_rpc *rpc, uint64_t model, vta_diag *diag, char **out_json) {
    VT_CLIENT_NEED(rpc && out_json);
    *out_json = NULL;
    vt__rpc_put_u64(vt__client_begin(rpc), model);
    return vt__client_text(rpc, VT_RPC_PROFILE_MODEL, diag, out_json);
}
