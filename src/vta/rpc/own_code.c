/* Answers about modules and functions. */
#include <string.h>

#include "rpc/own.h"

vta_status vt__answer_LOAD_MODULE(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES];
    uint64_t number;
    vt_rpc_object *object;
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(vt__own_end(q, "LOAD_MODULE"));
    VT_TRY(vt__session_load(q->s, name, &number));
    VT_TRY(vt__objects_get(&q->s->objects, number, VT_RPC_MODULE, q->s->diag, &object));
    vt__rpc_put_u64(q->out, number);
    vt__rpc_put_text(q->out, vta_module_function_names(object->u.module));
    return VTA_OK;
}

vta_status vt__answer_FUNCTION(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES];
    const char *signature = "";
    uint64_t number, module = vt__rpc_u64(&q->in);
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(vt__own_end(q, "FUNCTION"));
    VT_TRY(vt__session_function(q->s, module, name, &number, &signature));
    vt__rpc_put_u64(q->out, number);
    vt__rpc_put_text(q->out, signature);
    return VTA_OK;
}

typedef struct arguments {
    int count, codes[VT_RPC_MAX_ARGS];
    TVMValue values[VT_RPC_MAX_ARGS];
    char texts[4096]; /* of strings, with their ends */
    size_t text_size;
} arguments;

static vta_status string_argument(vt_rpc_request *q, arguments *a, TVMValue *out) {
    size_t size;
    const char *text = vt__rpc_textn(&q->in, &size);
    if (!text) return VTA_OK; /* `end` says so */
    if (size >= sizeof a->texts - a->text_size)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "the strings of a call have more than %zu characters",
                       sizeof a->texts);
    char *to = a->texts + a->text_size;
    memcpy(to, text, size);
    to[size] = '\0';
    a->text_size += size + 1;
    out->v_str = to;
    return VTA_OK;
}

static vta_status argument(vt_rpc_request *q, arguments *a, int i) {
    TVMValue *value = &a->values[i];
    vt_rpc_object *array;
    a->codes[i] = vt__rpc_u8(&q->in);
    switch (a->codes[i]) {
    case VTA_ARG_INT: value->v_int64 = (int64_t)vt__rpc_u64(&q->in); return VTA_OK;
    case VTA_ARG_FLOAT: value->v_float64 = vt__rpc_f64(&q->in); return VTA_OK;
    case VTA_ARG_NULL: value->v_handle = NULL; return VTA_OK;
    case VTA_ARG_STRING: return string_argument(q, a, value);
    case VTA_ARG_TENSOR:
        VT_TRY(vt__objects_get(&q->s->objects, vt__rpc_u64(&q->in), VT_RPC_ARRAY_OF_BYTES, q->s->diag, &array));
        value->v_handle = vta_array_tensor(array->u.array);
        return VTA_OK;
    default:
        return vt_fail(q->s->diag, VTA_UNSUPPORTED,
                       "argument %d has type code %d; integers (0), floats (2), null (4), tensors (7) and strings (11) "
                       "can be sent",
                       i, a->codes[i]);
    }
}

static vta_status read_arguments(vt_rpc_request *q, arguments *a, const char *name) {
    uint32_t count = vt__rpc_u32(&q->in);
    a->text_size = 0;
    if (count > VT_RPC_MAX_ARGS)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "%s: %u arguments; at most %d", name, count, VT_RPC_MAX_ARGS);
    a->count = (int)count;
    for (int i = 0; i < a->count && !q->in.failed; i++) VT_TRY(argument(q, a, i));
    return vt__own_end(q, name);
}

static vta_status code_of(vt_rpc_request *q, uint64_t number, vta_packed_function *out) {
    vt_rpc_object *object;
    *out = NULL;
    VT_TRY(vt__objects_get(&q->s->objects, number, VT_RPC_CODE, q->s->diag, &object));
    *out = object->u.code;
    return VTA_OK;
}

vta_status vt__answer_CALL(vt_rpc_request *q) {
    arguments a;
    vta_packed_function code;
    TVMValue value;
    int type;
    VT_TRY(code_of(q, vt__rpc_u64(&q->in), &code));
    VT_TRY(read_arguments(q, &a, "CALL"));
    VT_TRY(vt__session_call(q->s, code, a.values, a.codes, a.count, &value, &type));
    if (type != VTA_ARG_INT && type != VTA_ARG_FLOAT) type = VTA_ARG_NULL;
    vt__rpc_put_u8(q->out, (uint8_t)type);
    if (type != VTA_ARG_NULL) vt__rpc_put_u64(q->out, (uint64_t)value.v_int64);
    return VTA_OK;
}

vta_status vt__answer_TIME(vt_rpc_request *q) {
    arguments a;
    vt_rpc_timer timer = {0};
    VT_TRY(code_of(q, vt__rpc_u64(&q->in), &timer.function));
    timer.number = vt__rpc_u32(&q->in);
    timer.repeat = vt__rpc_u32(&q->in);
    timer.min_repeat_ms = vt__rpc_u32(&q->in);
    VT_TRY(read_arguments(q, &a, "TIME"));
    size_t bytes = (timer.repeat < VT_RPC_MAX_ROUNDS ? timer.repeat : VT_RPC_MAX_ROUNDS) * sizeof(double);
    double *seconds = vt_alloc(q->out->allocator, bytes);
    if (!seconds) return vt_no_memory(q->s->diag);
    vta_status status = vt__session_time(q->s, &timer, a.values, a.codes, a.count, seconds);
    for (uint32_t i = 0; status == VTA_OK && i < timer.repeat; i++) vt__rpc_put_f64(q->out, seconds[i]);
    vt_free(q->out->allocator, seconds, bytes);
    return status;
}
