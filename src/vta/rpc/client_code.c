/* The client's requests about modules and functions (vta/rpc.def). */
#include "rpc/client_session.h"

vta_status vta_rpc_load_module(vta_rpc *rpc, const char *name, vta_diag *diag, uint64_t *out_module, char **out_names) {
    VT_CLIENT_NEED(rpc && name && out_module);
    vt__rpc_put_text(vt__client_begin(rpc), name);
    return vt__client_number_and_text(rpc, VT_RPC_LOAD_MODULE, diag, out_module, out_names);
}

vta_status vta_rpc_function(vta_rpc *rpc, uint64_t module, const char *name, vta_diag *diag, uint64_t *out_function,
                            char **out_signature) {
    VT_CLIENT_NEED(rpc && name && out_function);
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_u64(out, module);
    vt__rpc_put_text(out, name);
    return vt__client_number_and_text(rpc, VT_RPC_FUNCTION, diag, out_function, out_signature);
}

static vta_status put_argument(vt_strbuf *out, const TVMValue *value, int code, int index, vta_diag *diag) {
    vt__rpc_put_u8(out, (uint8_t)code);
    switch (code) {
    case VTA_ARG_INT:
    case VTA_ARG_FLOAT: vt__rpc_put_u64(out, (uint64_t)value->v_int64); return VTA_OK;
    case VTA_ARG_TENSOR: vt__rpc_put_u64(out, (uint64_t)value->v_int64); return VTA_OK;
    case VTA_ARG_NULL: return VTA_OK;
    case VTA_ARG_STRING: vt__rpc_put_text(out, value->v_str ? value->v_str : ""); return VTA_OK;
    default:
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "argument %d has type code %d; integers (0), floats (2), null (4), tensors (7) and strings (11) "
                       "can be sent",
                       index, code);
    }
}

static vta_status put_arguments(vt_strbuf *out, const TVMValue *args, const int *codes, int count, vta_diag *diag) {
    if (count < 0 || count > VT_RPC_MAX_ARGS || (count && (!args || !codes)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%d arguments; 0 to %d can be sent", count, VT_RPC_MAX_ARGS);
    vt__rpc_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++) VT_TRY(put_argument(out, &args[i], codes[i], i, diag));
    return VTA_OK;
}

vta_status vta_rpc_call(vta_rpc *rpc, uint64_t function, const TVMValue *args, const int *type_codes, int count,
                        vta_diag *diag, TVMValue *out_value, int *out_code) {
    VT_CLIENT_NEED(rpc);
    TVMValue value = {0};
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_u64(out, function);
    VT_TRY(put_arguments(out, args, type_codes, count, diag));
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_CALL, diag));
    int code = vt__rpc_u8(&rpc->link.answer);
    if (code != VTA_ARG_NULL) value.v_int64 = (int64_t)vt__rpc_u64(&rpc->link.answer);
    if (out_value) *out_value = value;
    if (out_code) *out_code = code;
    return vt__link_done(&rpc->link, diag);
}

vta_status vta_rpc_time(vta_rpc *rpc, uint64_t function, const TVMValue *args, const int *type_codes, int count,
                        uint32_t number, uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag, double *out_seconds) {
    VT_CLIENT_NEED(rpc && (out_seconds || !repeat));
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_u64(out, function);
    vt__rpc_put_u32(out, number);
    vt__rpc_put_u32(out, repeat);
    vt__rpc_put_u32(out, min_repeat_ms);
    VT_TRY(put_arguments(out, args, type_codes, count, diag));
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_TIME, diag));
    for (uint32_t i = 0; i < repeat; i++) out_seconds[i] = vt__rpc_f64(&rpc->link.answer);
    return vt__link_done(&rpc->link, diag);
}
