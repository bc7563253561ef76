/* TVM's RPC protocol: the packets that clients send, and their answers. */
#include "rpc/tvm_graph.h"

#include <string.h>

/* One packet: what follows its code, and where the answer goes. */
typedef struct packet {
    vt_rpc_session *s;
    vt_rpc_reader in;
    vt_strbuf *out;
    vt_tvm_args args;
    bool over;
} packet;

static vta_status done(packet *p) {
    vt__tvm_return(p->out, false, VTA_ARG_NULL, 0, NULL, 0);
    return VTA_OK;
}

static vta_status give_number(packet *p, int code, uint64_t number) {
    vt__tvm_return(p->out, false, code, number, NULL, 0);
    return VTA_OK;
}

static vta_status bad(packet *p, const char *what) {
    return vt_fail(p->s->diag, VTA_INVALID_ARGUMENT, "%s: its arguments are of other types", what);
}

static bool args_are(const packet *p, int count, int first, int second) {
    return p->args.count >= count && p->args.at[0].code == first && (count < 2 || p->args.at[1].code == second);
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static vta_status on_INIT(packet *p) {
    uint64_t size = vt__rpc_u64(&p->in);
    if (size > p->in.left || !vt__rpc_bytes(&p->in, (size_t)size))
        return vt_fail(p->s->diag, VTA_PARSE, "the first packet is cut short");
    VT_TRY(vt__tvm_read_args(&p->in, p->s->diag, &p->args));
    if (p->args.count) return vt_fail(p->s->diag, VTA_UNSUPPORTED, "this server makes no sessions to other servers");
    return done(p);
}

/* A function that does not exist is the number 0: the client asks for some only to see whether they do. */
static vta_status on_GET_FUNCTION(packet *p) {
    if (!args_are(p, 1, VTA_ARG_STRING, 0)) return bad(p, "get global function");
    vt_rpc_object object = {.kind = VT_RPC_BUILTIN};
    uint64_t number = 0;
    object.u.builtin = vt__tvm_find(p->args.at[0].text, p->args.at[0].size);
    if (object.u.builtin >= 0) VT_TRY(vt__objects_add(&p->s->objects, object, p->s->diag, &number));
    return give_number(p, VTA_ARG_HANDLE, number);
}

/* What a kernel is called with; strings need an end, which they do not have in the packet. */
typedef struct kernel_args {
    TVMValue values[VT_TVM_MAX_ARGS];
    int codes[VT_TVM_MAX_ARGS];
    DLTensor tensors[VT_TVM_MAX_ARGS];
} kernel_args;

static vta_status kernel_arg(packet *p, kernel_args *k, int i) {
    const vt_tvm_value *v = &p->args.at[i];
    k->codes[i] = v->code;
    switch (v->code) {
    case VTA_ARG_TENSOR:
    case VTA_ARG_NDARRAY:
        VT_TRY(vt__tvm_tensor(p->s, v, &k->tensors[i]));
        k->codes[i] = VTA_ARG_TENSOR;
        k->values[i].v_handle = &k->tensors[i];
        return VTA_OK;
    case VTA_ARG_INT:
    case VTA_ARG_FLOAT: k->values[i].v_int64 = (int64_t)v->bits; return VTA_OK;
    case VTA_ARG_NULL: k->values[i].v_handle = NULL; return VTA_OK;
    default:
        return vt_fail(p->s->diag, VTA_UNSUPPORTED,
                       "argument %d of a kernel has type code %d; tensors, integers and "
                       "floats can be given",
                       i, v->code);
    }
}

static vta_status call_code(packet *p, const vt_rpc_object *f, kernel_args *k) {
    TVMValue value;
    int code;
    VT_TRY(vt__session_call(p->s, f->u.code, k->values, k->codes, p->args.count, &value, &code));
    if (code != VTA_ARG_INT && code != VTA_ARG_FLOAT) code = VTA_ARG_NULL;
    vt__tvm_return(p->out, true, code, (uint64_t)value.v_int64, NULL, 0);
    return VTA_OK;
}

static vta_status call_timer(packet *p, const vt_rpc_object *f, kernel_args *k) {
    vt_rpc_timer timer = f->u.timer;
    size_t bytes = (timer.repeat < VT_RPC_MAX_ROUNDS ? timer.repeat : VT_RPC_MAX_ROUNDS) * sizeof(double);
    double *seconds = vt_alloc(NULL, bytes);
    if (!seconds) return vt_no_memory(p->s->diag);
    int count = timer.graph ? 1 : p->args.count;
    if (timer.graph) k->values[0].v_handle = timer.graph, k->codes[0] = VTA_ARG_HANDLE;
    vta_status status = vt__session_time(p->s, &timer, k->values, k->codes, count, seconds);
    if (status == VTA_OK) vt__tvm_return(p->out, true, VTA_ARG_BYTES, 0, (const char *)seconds, bytes);
    vt_free(NULL, seconds, bytes);
    return status;
}

static vta_status call_function(packet *p, const vt_rpc_object *f) {
    kernel_args k;
    if (f->kind == VT_RPC_BUILTIN) return vt__tvm_call(p->s, f->u.builtin, &p->args, p->out);
    if (f->kind == VT_RPC_METHOD) return vt__tvm_graph_call(p->s, f, &p->args, p->out);
    for (int i = 0; i < p->args.count; i++) VT_TRY(kernel_arg(p, &k, i));
    return f->kind == VT_RPC_CODE ? call_code(p, f, &k) : call_timer(p, f, &k);
}

static bool is_function(vt_rpc_kind kind) {
    return kind == VT_RPC_BUILTIN || kind == VT_RPC_METHOD || kind == VT_RPC_CODE || kind == VT_RPC_TIMER;
}

static vta_status on_CALL(packet *p) {
    uint64_t number = vt__rpc_u64(&p->in);
    VT_TRY(vt__tvm_read_args(&p->in, p->s->diag, &p->args));
    const vt_rpc_object *f = vt__objects_find(&p->s->objects, number);
    if (!f || !is_function(f->kind))
        return vt_fail(p->s->diag, VTA_NOT_FOUND, "0x%llx is not a function of this session",
                       (unsigned long long)number);
    /* A file or text that the function cannot read is no fault of the packet: the connection goes on. */
    vta_status status = call_function(p, f);
    return status == VTA_PARSE ? VTA_INVALID_ARGUMENT : status;
}

static vta_status on_FREE_HANDLE(packet *p) {
    if (p->args.count < 1 || p->args.at[0].code != VTA_ARG_HANDLE) return bad(p, "free handle");
    VT_TRY(vt__objects_drop(&p->s->objects, p->args.at[0].bits, p->s->diag));
    return done(p);
}

/* ---- Devices and their data -------------------------------------------------------------------------------------- */

static vta_status on_SET_DEVICE(packet *p) { return done(p); }
static vta_status on_SYNC(packet *p) { return done(p); } /* calls are over when they return */

static vta_status on_GET_ATTRIBUTE(packet *p) {
    if (!args_are(p, 2, VTA_ARG_DEVICE, VTA_ARG_INT)) return bad(p, "get attribute");
    int type = (int)p->args.at[0].device.device_type;
    bool exists = (type == kDLCPU || type == kDLExtDev) && p->args.at[0].device.device_id == 0;
    if (p->args.at[1].bits != 0) return done(p); /* only whether the device exists is known */
    return give_number(p, VTA_ARG_INT, exists);
}

static vta_status on_ALLOC_SCOPE(packet *p) {
    uint64_t number;
    if (p->args.count < 1 || p->args.at[0].code != VTA_ARG_TENSOR) return bad(p, "alloc data with scope");
    const vt_tvm_value *v = &p->args.at[0];
    VT_TRY(vt__session_array(p->s, (int32_t)v->device.device_type, v->ndim, v->shape, v->type, &number));
    return give_number(p, VTA_ARG_HANDLE, number);
}

static vta_status on_ALLOC(packet *p) {
    uint64_t number;
    if (!args_are(p, 2, VTA_ARG_DEVICE, VTA_ARG_INT)) return bad(p, "alloc data");
    int64_t bytes = (int64_t)p->args.at[1].bits;
    VT_TRY(vt__session_array(p->s, (int32_t)p->args.at[0].device.device_type, 1, &bytes, (DLDataType){kDLUInt, 8, 1},
                             &number));
    return give_number(p, VTA_ARG_HANDLE, number);
}

static vta_status on_FREE_DATA(packet *p) {
    if (!args_are(p, 2, VTA_ARG_DEVICE, VTA_ARG_HANDLE)) return bad(p, "free data");
    vt_rpc_object *array;
    VT_TRY(vt__objects_get(&p->s->objects, p->args.at[1].bits, VT_RPC_ARRAY_OF_BYTES, p->s->diag, &array));
    VT_TRY(vt__objects_free(&p->s->objects, p->args.at[1].bits, p->s->diag));
    return done(p);
}

/* A tensor and a count of bytes. */
static vta_status read_part(packet *p, vt_tvm_value *v, uint64_t *out_bytes) {
    VT_TRY(vt__tvm_read_tensor(&p->in, p->s->diag, v));
    *out_bytes = vt__rpc_u64(&p->in);
    return p->in.failed ? vt_fail(p->s->diag, VTA_PARSE, "a copy is cut short") : VTA_OK;
}

static vta_status on_COPY_TO(packet *p) {
    vt_tvm_value v;
    uint64_t bytes;
    VT_TRY(read_part(p, &v, &bytes));
    if (bytes != p->in.left)
        return vt_fail(p->s->diag, VTA_PARSE, "a copy of %llu bytes has %zu", (unsigned long long)bytes, p->in.left);
    VT_TRY(vt__session_write(p->s, v.bits, v.offset, p->in.at, p->in.left));
    return done(p);
}

static vta_status on_COPY_FROM(packet *p) {
    vt_tvm_value v;
    uint64_t bytes;
    VT_TRY(read_part(p, &v, &bytes));
    if (p->in.left || bytes > VT_TVM_PACKET_BYTES)
        return vt_fail(p->s->diag, VTA_OUT_OF_RANGE, "a copy of %llu bytes; at most %d", (unsigned long long)bytes,
                       VT_TVM_PACKET_BYTES);
    size_t begin = vt__tvm_begin(p->out, VT_TVM_COPY_ACK);
    VT_TRY(vt__session_read(p->s, v.bits, v.offset, (size_t)bytes, p->out));
    vt__tvm_end(p->out, begin);
    return VTA_OK;
}

static vta_status on_COPY_BETWEEN(packet *p) {
    DLTensor from, to;
    if (!args_are(p, 2, VTA_ARG_TENSOR, VTA_ARG_TENSOR)) return bad(p, "copy amongst remotes");
    VT_TRY(vt__tvm_tensor(p->s, &p->args.at[0], &from));
    VT_TRY(vt__tvm_tensor(p->s, &p->args.at[1], &to));
    VT_TRY(vta_tensor_copy(&from, &to, p->s->diag));
    return done(p);
}

static vta_status on_SHUTDOWN(packet *p) {
    p->over = true;
    return VTA_OK;
}

/* What servers send. */
static vta_status not_asked(packet *p) { return vt_fail(p->s->diag, VTA_PARSE, "a packet that only servers send"); }
#define on_RETURN not_asked
#define on_EXCEPTION not_asked
#define on_COPY_ACK not_asked

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t code;
    vta_status (*answer)(packet *p);
} codes[] = {
#define VT_TVM_CODE(name, number) {number, on_##name},
#include "rpc/tvm.def"
#undef VT_TVM_CODE
};

static vta_status answer(packet *p, uint32_t code) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code != code) continue;
        if (code >= VT_TVM_GET_FUNCTION) VT_TRY(vt__tvm_read_args(&p->in, p->s->diag, &p->args));
        return codes[i].answer(p);
    }
    return vt_fail(p->s->diag, VTA_UNSUPPORTED, "packets of code %u are not known here", code);
}

void vt__tvm_raise(const vt_rpc_session *s, vta_status status, vt_strbuf *out) {
    vt_strbuf words;
    vt_strbuf_init(&words, NULL);
    vt__session_words(s, status, &words);
    vt__tvm_exception(out, vt_strbuf_text(&words));
    vt_strbuf_free(&words);
}

vta_status vt__tvm_answer(vt_rpc_session *s, const void *bytes, size_t size, vt_strbuf *out, bool *out_over) {
    packet p = {.s = s, .in = {bytes, size, false}, .out = out};
    uint32_t code = vt__rpc_u32(&p.in);
    size_t begin = out->size;
    *out_over = false;
    vta_status status = p.in.failed ? vt_fail(s->diag, VTA_PARSE, "an empty packet") : answer(&p, code);
    if (status == VTA_OK && out->failed) status = vt_no_memory(s->diag);
    *out_over = p.over;
    if (status == VTA_OK) return VTA_OK;
    if (out->failed) vt_strbuf_clear(out), begin = 0;
    out->size = begin;
    vt__tvm_raise(s, status, out);
    return status == VTA_PARSE ? VTA_PARSE : VTA_OK; /* the others are the client's to handle */
}
