/* Answers about compiled networks. */
#include "rpc/own.h"

vta_status vt__answer_LOAD_MODEL(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES];
    vt_strbuf description;
    uint64_t number;
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(vt__own_end(q, "LOAD_MODEL"));
    VT_TRY(vt__session_load_model(q->s, name, &number));
    vt_strbuf_init(&description, q->out->allocator);
    vta_status status = vt__session_describe_model(q->s, number, &description);
    vt__rpc_put_u64(q->out, number);
    vt__rpc_put_text(q->out, vt_strbuf_text(&description));
    if (status == VTA_OK && description.failed) status = vt_no_memory(q->s->diag);
    vt_strbuf_free(&description);
    if (status != VTA_OK) vt__objects_free(&q->s->objects, number, NULL);
    return status;
}

vta_status vt__answer_RUN_MODEL(vt_rpc_request *q) {
    uint64_t arrays[VT_RPC_MAX_ARGS], model = vt__rpc_u64(&q->in);
    uint32_t count = vt__rpc_u32(&q->in);
    double seconds;
    vta_counters counters;
    if (count > VT_RPC_MAX_ARGS)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "RUN_MODEL: %u arrays; at most %d", count, VT_RPC_MAX_ARGS);
    for (uint32_t i = 0; i < count; i++) arrays[i] = vt__rpc_u64(&q->in);
    VT_TRY(vt__own_end(q, "RUN_MODEL"));
    VT_TRY(vt__session_run_model(q->s, model, arrays, count, &seconds, &counters));
    char *text = vta_counters_to_json(&counters);
    if (!text) return vt_no_memory(q->s->diag);
    vt__rpc_put_f64(q->out, seconds);
    vt__rpc_put_text(q->out, text);
    vta_string_free(text);
    return VTA_OK;
}

vta_status vt__answer_PROFILE_MODEL(vt_rpc_request *q) {
    char *text;
    uint64_t model = vt__rpc_u64(&q->in);
    VT_TRY(vt__own_end(q, "PROFILE_MODEL"));
    VT_TRY(vt__session_profile_model(q->s, model, &text));
    vt__rpc_put_text(q->out, text);
    vta_string_free(text);
    return VTA_OK;
}
