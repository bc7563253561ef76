/* Intrinsics: what they compute, what they are made of; the configuration's matrix multiplication. */
#include "te/intrin.h"
#include "ir/attr.h"
#include "ir/runtime_call.h"
#include "te/stmt.h"

/* A part of a tensor in `scope`, beginning at any multiple of `factor` elements. */
static const vt_buffer *operand(vt_ctx *ctx, const vt_buffer *like, const char *name, const char *scope,
                                int32_t factor) {
    vt_buffer fields = *like;
    fields.name = name;
    fields.data = vt_var_new_pointer(ctx, name, fields.dtype, scope);
    fields.elem_offset = vt_var_new(ctx, vt_new_format(ctx, "%s_elem_offset", name), VT_I32);
    fields.offset_factor = fields.data_alignment = factor;
    return vt_buffer_with(ctx, &fields);
}

static te_intrin *create(te_context *c, const char *name, const te_tensor *what) {
    vt_ctx *ctx = &c->ctx;
    const vt_operation *op = te__op(te__tensor_in(c, what, "a tensor"));
    if (op->placeholder)
        te__raise(c, VTA_INVALID_ARGUMENT, "an intrinsic is described by a computation; %s is an input", op->name);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (!te__op(op->inputs[i])->placeholder)
            te__raise(c, VTA_INVALID_ARGUMENT, "an intrinsic's computation may only read inputs, not %s",
                      op->inputs[i]->name);
    te_intrin *in = VT_NEW(ctx, te_intrin);
    *in = (te_intrin){.tag = VT_TAG_INTRIN,
                      .c = c,
                      .name = te__name(c, name, "an intrinsic"),
                      .op = op,
                      .n_buffers = op->n_inputs + op->n_outputs};
    in->buffers = VT_NEW_ARRAY(ctx, const vt_buffer *, in->n_buffers);
    for (uint32_t i = 0; i < in->n_buffers; i++) {
        const vt_tensor *t = i < op->n_inputs ? op->inputs[i] : op->outputs[i - op->n_inputs];
        const vt_buffer *whole = vt_buffer_new(ctx, t->name, NULL, t->dtype, t->ndim, t->shape);
        in->buffers[i] = operand(ctx, whole, t->name, "", 1);
    }
    return in;
}

te_intrin *te_intrin_create(te_context *c, const char *name, te_tensor *what) { TE_RETURN(c, create(c, name, what)); }

/* Which buffer stands for the operand. */
static uint32_t operand_at(te_context *c, const te_intrin *in, const te_tensor *tensor) {
    const vt_tensor *t = te__tensor_in(c, tensor, "an operand");
    for (uint32_t i = 0; i < in->n_buffers; i++)
        if (t == (i < in->op->n_inputs ? in->op->inputs[i] : in->op->outputs[i - in->op->n_inputs])) return i;
    te__raise(c, VTA_INVALID_ARGUMENT, "%s is not an operand of %s", t->name, in->name);
}

static te_context *context_of(const te_intrin *in) { return vt_is(in, VT_TAG_INTRIN) ? in->c : NULL; }

static void place_buffer(te_context *c, te_intrin *in, const te_tensor *tensor, const char *text, int64_t factor) {
    uint32_t i = operand_at(c, in, tensor);
    const char *scope = te__scope(c, text);
    if (factor < 1 || factor > INT32_MAX) te__raise(c, VTA_OUT_OF_RANGE, "an offset factor is at least 1");
    const vt_buffer *b = in->buffers[i];
    in->buffers[i] = operand(&c->ctx, b, *scope ? scope : b->name, scope, (int32_t)factor);
}

vta_status te_intrin_buffer(te_intrin *in, te_tensor *operand, const char *scope, int64_t offset_factor) {
    TE_RETURN_STATUS(context_of(in), place_buffer(in->c, in, operand, scope, offset_factor));
}

static void set_strides(te_context *c, te_intrin *in, const te_tensor *tensor, size_t n, te_expr *const *strides) {
    uint32_t i = operand_at(c, in, tensor);
    vt_buffer fields = *in->buffers[i];
    if (n != fields.ndim)
        te__raise(c, VTA_INVALID_ARGUMENT, "operand %s has %u dimensions, but %zu strides are given", fields.name,
                  fields.ndim, n);
    fields.n_strides = (uint32_t)n;
    fields.strides = vt_exprs_copy(&c->ctx, (uint32_t)n, te__exprs_in(c, n, strides, "a stride"));
    in->buffers[i] = vt_buffer_with(&c->ctx, &fields);
}

vta_status te_intrin_strides(te_intrin *in, te_tensor *operand, size_t n, te_expr *const strides[]) {
    TE_RETURN_STATUS(context_of(in), set_strides(in->c, in, operand, n, strides));
}

static te_intrin_part part_of(te_context *c, te_intrin_part part) {
    if ((int)part < TE_INTRIN_BODY || (int)part > TE_INTRIN_UPDATE)
        te__raise(c, VTA_INVALID_ARGUMENT, "there is no part %lld of an intrinsic", (long long)part);
    return part;
}

static void add_attr(te_context *c, te_intrin *in, te_intrin_part part, const te_axis *axis, const char *key,
                     const te_expr *value) {
    const vt_iter *node = te__axis_in(c, axis, "an axis");
    const vt_expr *e = te__expr_in(c, value, "a value");
    const vt_stmt *s = vt_s_attr(&c->ctx, vt_ref_iter(node), te__name(c, key, "an attribute"), e, vt_s_nop(&c->ctx));
    te__nest_add(&c->ctx, &in->attrs[part_of(c, part)], s);
}

vta_status te_intrin_attr(te_intrin *in, te_intrin_part part, te_axis *axis, const char *key, te_expr *value) {
    TE_RETURN_STATUS(context_of(in), add_attr(in->c, in, part, axis, key, value));
}

static te_expr *access_to(te_context *c, const te_intrin *in, const te_tensor *operand, const char *access) {
    return te__out(te__access(c, VT_I32, in->buffers[operand_at(c, in, operand)], access, NULL));
}

te_expr *te_intrin_access(te_intrin *in, te_tensor *operand, const char *access) {
    TE_RETURN(context_of(in), access_to(in->c, in, operand, access));
}

static void emit(te_context *c, te_intrin *in, te_intrin_part part, const te_expr *call) {
    const vt_expr *e = te__expr_in(c, call, "a call");
    te__nest_add(&c->ctx, &in->emits[part_of(c, part)], vt_s_eval(&c->ctx, e));
}

vta_status te_intrin_emit(te_intrin *in, te_intrin_part part, te_expr *call) {
    TE_RETURN_STATUS(context_of(in), emit(in->c, in, part, call));
}

static void emit_stmt(te_context *c, te_intrin *in, te_intrin_part part, const vtac_stmt *given) {
    const vt_stmt *s = te__stmt_in(c, given, "a statement");
    te__check_statement(c, in->name, s, in->n_buffers, in->buffers);
    te__nest_add(&c->ctx, &in->emits[part_of(c, part)], s);
}

vta_status te_intrin_emit_stmt(te_intrin *in, te_intrin_part part, const vtac_stmt *stmt) {
    TE_RETURN_STATUS(context_of(in), emit_stmt(in->c, in, part, stmt));
}

static void bind(te_context *c, te_intrin *in, const te_tensor *tensor, const te_buffer *given) {
    const vt_buffer *b = te__buffer_in(c, given, "a buffer");
    uint32_t i = operand_at(c, in, tensor);
    te__check_pair(c, in->name, b, vt_te_tensor(tensor));
    in->buffers[i] = b;
}

vta_status te_intrin_bind(te_intrin *in, te_tensor *operand, te_buffer *buffer) {
    TE_RETURN_STATUS(context_of(in), bind(in->c, in, operand, buffer));
}

te_buffer *te_intrin_operand(te_intrin *in, te_tensor *operand) {
    TE_RETURN(context_of(in), te__buffer_out(in->buffers[operand_at(in->c, in, operand)]));
}

const vt_stmt *te__intrin_part(vt_ctx *ctx, const te_intrin *in, te_intrin_part part) {
    const te__nest *emits = &in->emits[part];
    if (!emits->n) return NULL;
    return te__nest_merge(ctx, &in->attrs[part], vt_s_seq(ctx, emits->n, emits->items));
}

/* ---- The matrix multiplication of the configuration ---- */

enum { COMPUTE_QUEUE = 2 };

static void gemm_part(te_context *c, te_intrin *in, te_intrin_part part, bool reset, te_tensor *acc, te_tensor *inp,
                      te_tensor *wgt) {
    te_axis *vta = te__out(vt_te_vta_axis(c));
    te_expr *push = te__out(vt_string(&c->ctx, VT_PUSH_GEMM)), *zero = te_int(c, "int32", 0);
    te_expr *args[8] = {zero,
                        te_int(c, "int32", reset),
                        te_intrin_access(in, acc, "rw"),
                        reset ? zero : te_intrin_access(in, inp, "r"),
                        reset ? zero : te_intrin_access(in, wgt, "r"),
                        zero,
                        zero,
                        zero};
    te_intrin_attr(in, part, vta, VT_ATTR_TASK, te_int(c, "int32", COMPUTE_QUEUE));
    te_intrin_attr(in, part, vta, VT_ATTR_UOPS, push);
    te_intrin_emit(in, part, te_call(c, "int32", "vta.uop_push", 8, args));
}

te_intrin *te__gemm(te_context *c) {
    if (c->gemm) return c->gemm;
    const vta_config *config = c->config;
    uint32_t symbols = c->n_symbols;
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    te_tensor *wgt = te_placeholder(c, "wgt", "wgt_t", 2, (const int64_t[]){out, in});
    te_tensor *inp = te_placeholder(c, "inp", "inp_t", 2, (const int64_t[]){batch, in});
    te_reduce_axis(c, "k", 0, in);
    te_tensor *acc =
        te_compute(c, "out", 2, (const int64_t[]){batch, out}, "i, j", "sum[k](acc_t(inp[i, k]) * acc_t(wgt[j, k]))");
    te_intrin *gemm = te_intrin_create(c, "GEMM", acc);
    te_intrin_buffer(gemm, wgt, "wgt", out * in);
    te_intrin_buffer(gemm, inp, "inp", batch * in);
    te_intrin_buffer(gemm, acc, "acc", batch * out);
    gemm_part(c, gemm, TE_INTRIN_BODY, false, acc, inp, wgt);
    gemm_part(c, gemm, TE_INTRIN_RESET, true, acc, inp, wgt);
    gemm_part(c, gemm, TE_INTRIN_UPDATE, false, acc, inp, wgt);
    c->n_symbols = symbols; /* its names are its own */
    if (!gemm || !gemm->emits[TE_INTRIN_BODY].n || !gemm->emits[TE_INTRIN_RESET].n || !gemm->emits[TE_INTRIN_UPDATE].n)
        vt_leave(&c->ctx, te_context_status(c)); /* what failed has said why */
    return c->gemm = gemm;
}

te_intrin *te_gemm(te_context *c) { TE_RETURN(c, te__gemm(c)); }
