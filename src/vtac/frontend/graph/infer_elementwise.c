/* Types of what is computed element by element. */
#include "frontend/graph/priv.h"

void vt__infer_same(vt_ctx *ctx, const vt_gnode *n) {
    (void)ctx;
    vt__gives(n, 0, n->inputs[0]->type);
}

void vt__infer_cast(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    vt__want_range(ctx, n, VT_A_TO, vt_gattr_int(n, VT_A_TO), 0, VT_ELEMENT_COUNT - 1);
    t.element = (vt_element)vt_gattr_int(n, VT_A_TO);
    vt__gives(n, 0, t);
}

void vt__infer_broadcast(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype a = n->inputs[0]->type;
    vt__want_element(ctx, n, 1, a.element);
    vt__gives(n, 0, vt__infer_broadcast_of(ctx, n, a.element, a, n->inputs[1]->type));
}

void vt__infer_compare(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype a = n->inputs[0]->type;
    vt__want_element(ctx, n, 1, a.element);
    vt__gives(n, 0, vt__infer_broadcast_of(ctx, n, VT_ELEMENT_BOOL, a, n->inputs[1]->type));
}

void vt__infer_where(vt_ctx *ctx, const vt_gnode *n) {
    vt_element e = n->inputs[1]->type.element;
    vt__want_element(ctx, n, 2, e);
    vt_gtype t = vt__infer_broadcast_of(ctx, n, e, n->inputs[1]->type, n->inputs[2]->type);
    vt__gives(n, 0, vt__infer_broadcast_of(ctx, n, e, n->inputs[0]->type, t));
}

/* ---- Quantization ---- */

/* A scale or zero point of x: one number, or one for each element along `axis`. */
static void check_along(vt_ctx *ctx, const vt_gnode *n, uint32_t input) {
    const vt_gtype *x = &n->inputs[0]->type, *t = &n->inputs[input]->type;
    if (t->rank == 0 || (t->rank == 1 && t->dim[0] == 1)) return;
    vt__want_parameter(ctx, n, input, t->element, x->dim[vt__want_axis(ctx, n)]);
}

static void check_parameters(vt_ctx *ctx, const vt_gnode *n, bool divides) {
    vt__want_element(ctx, n, 1, VT_ELEMENT_F32);
    check_along(ctx, n, 1);
    vt__want_scales(ctx, n, 1, divides);
    if (!vt_ginput_given(n, 2)) return;
    check_along(ctx, n, 2);
    if (vt_gtype_count(&n->inputs[1]->type) != vt_gtype_count(&n->inputs[2]->type))
        vt_gnode_refuse(ctx, n, "%lld scales and %lld zero points", (long long)vt_gtype_count(&n->inputs[1]->type),
                        (long long)vt_gtype_count(&n->inputs[2]->type));
}

void vt__infer_quantize_linear(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    if (t.element != VT_ELEMENT_I32) vt__want_element(ctx, n, 0, VT_ELEMENT_F32);
    check_parameters(ctx, n, true);
    if (vt_ginput_given(n, 2)) vt__want_bytes(ctx, n, 2);
    t.element = vt_ginput_given(n, 2) ? n->inputs[2]->type.element : VT_ELEMENT_U8;
    vt__gives(n, 0, t);
}

void vt__infer_dequantize_linear(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    if (t.element != VT_ELEMENT_I32) vt__want_bytes(ctx, n, 0);
    check_parameters(ctx, n, false);
    if (vt_ginput_given(n, 2)) vt__want_element(ctx, n, 2, t.element);
    t.element = VT_ELEMENT_F32;
    vt__gives(n, 0, t);
}

void vt__infer_dynamic_quantize_linear(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    (void)ctx;
    t.element = VT_ELEMENT_U8;
    vt__gives(n, 0, t);
    vt__gives(n, 1, (vt_gtype){.element = VT_ELEMENT_F32});
    vt__gives(n, 2, (vt_gtype){.element = VT_ELEMENT_U8});
}
