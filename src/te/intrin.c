/* Intrinsics: what they compute, what they are made of; the configuration's matrix multiplication. */
#include <string.h>

#include "te/priv.h"

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

static void do_create(te_context *c, vt__call *k) {
    vt_ctx *ctx = &c->ctx;
    vt__need_a(c, VT_TAG_TENSOR, k->a, "a tensor");
    const vt_operation *op = vt__op(k->a);
    if (op->placeholder)
        vt__raise(c, VTA_INVALID_ARGUMENT, "an intrinsic is described by a computation; %s is an input", op->name);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (!vt__op(op->inputs[i])->placeholder)
            vt__raise(c, VTA_INVALID_ARGUMENT, "an intrinsic's computation may only read inputs, not %s",
                      op->inputs[i]->name);
    te_intrin *in = VT_NEW(ctx, te_intrin);
    *in = (te_intrin){.tag = VT_TAG_INTRIN,
                      .c = c,
                      .name = vt__name(c, k->s, "an intrinsic"),
                      .op = op,
                      .n_buffers = op->n_inputs + op->n_outputs};
    in->buffers = VT_NEW_ARRAY(ctx, const vt_buffer *, in->n_buffers);
    for (uint32_t i = 0; i < in->n_buffers; i++) {
        const vt_tensor *t = i < op->n_inputs ? op->inputs[i] : op->outputs[i - op->n_inputs];
        const vt_buffer *whole = vt_buffer_new(ctx, t->name, NULL, t->dtype, t->ndim, t->shape);
        in->buffers[i] = operand(ctx, whole, t->name, "", 1);
    }
    k->out = in;
}

te_intrin *te_intrin_create(te_context *c, const char *name, te_tensor *what) {
    return vt__make(c, do_create, (vt__call){.s = name, .a = what});
}

/* Which buffer stands for the operand. */
static uint32_t operand_at(te_context *c, const te_intrin *in, const vt_tensor *t) {
    vt__need_a(c, VT_TAG_TENSOR, t, "an operand");
    for (uint32_t i = 0; i < in->n_buffers; i++)
        if (vt_tensor_same(t, i < in->op->n_inputs ? in->op->inputs[i] : in->op->outputs[i - in->op->n_inputs]))
            return i;
    vt__raise(c, VTA_INVALID_ARGUMENT, "%s is no operand of %s", t->name, in->name);
}

static te_context *context_of(const te_intrin *in) { return vt_is(in, VT_TAG_INTRIN) ? in->c : NULL; }

static void do_buffer(te_context *c, vt__call *k) {
    te_intrin *in = vt__out(k->a);
    uint32_t i = operand_at(c, in, k->b);
    const char *scope = vt__scope(c, k->s);
    if (k->i < 1 || k->i > INT32_MAX) vt__raise(c, VTA_OUT_OF_RANGE, "an offset factor is at least 1");
    const vt_buffer *b = in->buffers[i];
    in->buffers[i] = operand(&c->ctx, b, *scope ? scope : b->name, scope, (int32_t)k->i);
}

vta_status te_intrin_buffer(te_intrin *in, te_tensor *operand, const char *scope, int64_t offset_factor) {
    return vt__do(context_of(in), do_buffer, &(vt__call){.a = in, .b = operand, .s = scope, .i = offset_factor});
}

static te_intrin_part part_of(te_context *c, int64_t part) {
    if (part < TE_INTRIN_BODY || part > TE_INTRIN_UPDATE)
        vt__raise(c, VTA_INVALID_ARGUMENT, "there is no part %lld of an intrinsic", (long long)part);
    return (te_intrin_part)part;
}

static void do_attr(te_context *c, vt__call *k) {
    te_intrin *in = vt__out(k->a);
    vt__need_a(c, VT_TAG_AXIS, k->b, "an axis");
    vt__need_a(c, VT_TAG_EXPR, k->d, "a value");
    const vt_stmt *s =
        vt_s_attr(&c->ctx, vt_ref_iter(k->b), vt__name(c, k->s, "an attribute"), k->d, vt_s_nop(&c->ctx));
    vt__nest_add(&c->ctx, &in->attrs[part_of(c, k->i)], s);
}

vta_status te_intrin_attr(te_intrin *in, te_intrin_part part, te_axis *axis, const char *key, te_expr *value) {
    return vt__do(context_of(in), do_attr, &(vt__call){.a = in, .i = part, .b = axis, .s = key, .d = value});
}

static void do_access(te_context *c, vt__call *k) {
    vt_ctx *ctx = &c->ctx;
    te_intrin *in = vt__out(k->a);
    vt__need(c, k->s, "an access");
    const vt_buffer *b = in->buffers[operand_at(c, in, k->b)];
    int mask = (strchr(k->s, 'r') ? 1 : 0) | (strchr(k->s, 'w') ? 2 : 0);
    if (!mask) vt__raise(c, VTA_INVALID_ARGUMENT, "an access is \"r\", \"w\" or \"rw\", not \"%s\"", k->s);
    const vt_expr *extent = vt_i32(ctx, 1);
    for (uint32_t i = 0; i < b->ndim; i++) extent = vt_mul(ctx, extent, b->shape[i]);
    const vt_expr *type = vt_e_call(ctx, b->dtype, VT_OP_TYPE_ANNOTATION, 0, NULL);
    const vt_expr *args[] = {type, b->data, b->elem_offset, extent, vt_i32(ctx, mask)};
    k->out = vt__out(vt_e_call(ctx, VT_I32, VT_OP_ACCESS_PTR, 5, args));
}

te_expr *te_intrin_access(te_intrin *in, te_tensor *operand, const char *access) {
    return vt__make(context_of(in), do_access, (vt__call){.a = in, .b = operand, .s = access});
}

static void do_emit(te_context *c, vt__call *k) {
    te_intrin *in = vt__out(k->a);
    vt__need_a(c, VT_TAG_EXPR, k->b, "a call");
    vt__nest_add(&c->ctx, &in->emits[part_of(c, k->i)], vt_s_eval(&c->ctx, k->b));
}

vta_status te_intrin_emit(te_intrin *in, te_intrin_part part, te_expr *call) {
    return vt__do(context_of(in), do_emit, &(vt__call){.a = in, .i = part, .b = call});
}

const vt_stmt *vt__intrin_part(te_intrin *in, te_intrin_part part) {
    const vt__nest *emits = &in->emits[part];
    if (!emits->n) return NULL;
    return vt__nest_merge(&in->c->ctx, &in->attrs[part], vt_s_seq(&in->c->ctx, emits->n, emits->items));
}

/* ---- The matrix multiplication of the configuration ---- */

enum { COMPUTE_QUEUE = 2 };

static void gemm_part(te_context *c, te_intrin *in, te_intrin_part part, bool reset, te_tensor *acc, te_tensor *inp,
                      te_tensor *wgt) {
    te_axis *vta = vt__out(vt_te_vta_axis(c));
    te_expr *push = vt__out(vt_string(&c->ctx, "VTAPushGEMMOp")), *zero = te_int(c, "int32", 0);
    te_expr *args[8] = {zero,
                        te_int(c, "int32", reset),
                        te_intrin_access(in, acc, "rw"),
                        reset ? zero : te_intrin_access(in, inp, "r"),
                        reset ? zero : te_intrin_access(in, wgt, "r"),
                        zero,
                        zero,
                        zero};
    te_intrin_attr(in, part, vta, "coproc_scope", te_int(c, "int32", COMPUTE_QUEUE));
    te_intrin_attr(in, part, vta, "coproc_uop_scope", push);
    te_intrin_emit(in, part, te_call(c, "int32", "vta.uop_push", 8, args));
}

te_intrin *vt__gemm(te_context *c) {
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

static void do_gemm(te_context *c, vt__call *k) { k->out = vt__gemm(c); }
te_intrin *te_gemm(te_context *c) { return vt__make(c, do_gemm, (vt__call){0}); }
