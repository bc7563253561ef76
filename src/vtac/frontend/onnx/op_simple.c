/* Operators that are the graph's own, or nearly. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/make.h"

static vt_gvalue **inputs_of(const vt_onnx_node *n) {
    vt_gvalue **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, n->p->n_input);
    for (size_t i = 0; i < n->p->n_input; i++) in[i] = vt__onnx_in(n, i);
    return in;
}

/* The same name, the same inputs, attributes of the same name that are one number; any number of outputs. */
void vt__onnx_simple(const vt_onnx_node *n) {
    vt_gattr own[VT_MAX_ATTRIBUTES], set[VT_MAX_ATTRIBUTES];
    vt_gop op = vt_gop_find(n->p->op_type);
    uint32_t count = vt_gop_attributes(op, own), given = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = vt_gattr_text(own[i].name);
        if (!vt__onnx_has(n, name)) continue;
        own[i].f = vt__onnx_float(n, name, 0);
        set[given++] = own[i];
    }
    vt_gvalue **in = inputs_of(n), *v = vt__onnx_make(n, op, (uint32_t)n->p->n_input, in, given, set);
    if (op == VT_G_IDENTITY && vt__onnx_has_four_bits(n->r, in[0])) vt__onnx_note_four_bits(n->r, v);
    if (!v->by) {
        vt__onnx_out(n, 0, v);
        return;
    }
    for (uint32_t i = 0; i < v->by->output_count; i++) vt__onnx_out(n, i, v->by->outputs[i]);
}

/* Of two and more: one after the other. */
void vt__onnx_variadic(const vt_onnx_node *n) {
    vt_gop op = strcmp(n->p->op_type, "Sum") ? vt_gop_find(n->p->op_type) : VT_G_ADD;
    vt_gvalue *v = vt__onnx_need(n, 0);
    for (size_t i = 1; i < n->p->n_input; i++)
        v = vt__onnx_make(n, op, VT_ONNX_INPUTS(v, vt__onnx_need(n, i)), 0, NULL);
    vt__onnx_out(n, 0, v);
}

static vt_gvalue *clip(const vt_onnx_node *n, vt_gvalue *x, double least, double most) {
    return vt__onnx_make(n, VT_G_CLIP, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(MIN, least), VT_GSET_FLOAT(MAX, most)));
}

/* Eight bytes have more digits than a float32, as a bound of the graph's Clip is one when it is compiled. */
static bool is_long(const vt_gvalue *x) { return vt_element_bytes(x->type.element) == 8; }

/* Of integers it is a bound. */
void vt__onnx_relu(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    bool is_float = x->type.element == VT_ELEMENT_F32;
    if (is_long(x))
        vt__onnx_out(n, 0, vt__mk_with(n, VT_G_MAX, x, 0));
    else
        vt__onnx_out(n, 0, is_float ? vt__onnx_make(n, VT_G_RELU, 1, &x, 0, NULL) : clip(n, x, 0, INFINITY));
}

static bool is_computed(const vt_onnx_node *n, size_t i) { return vt__onnx_in(n, i) && !vt__onnx_in(n, i)->data; }

/* Bounds that are computed, and those of eight bytes, are those of Max and Min. */
static vt_gvalue *clip_by_values(const vt_onnx_node *n, vt_gvalue *x) {
    vt_gvalue *least = vt__onnx_in(n, 1), *most = vt__onnx_in(n, 2);
    if (least) x = vt__onnx_make(n, VT_G_MAX, VT_ONNX_INPUTS(x, least), 0, NULL);
    return most ? vt__onnx_make(n, VT_G_MIN, VT_ONNX_INPUTS(x, most), 0, NULL) : x;
}

void vt__onnx_clip(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    double least = vt__onnx_float(n, "min", -INFINITY), most = vt__onnx_float(n, "max", INFINITY);
    if (n->r->opset >= 11) {
        if (is_computed(n, 1) || is_computed(n, 2) || is_long(x)) {
            vt__onnx_out(n, 0, clip_by_values(n, x));
            return;
        }
        if (vt__onnx_in(n, 1)) least = vt__onnx_constant_number(n, 1, "min");
        if (vt__onnx_in(n, 2)) most = vt__onnx_constant_number(n, 2, "max");
    }
    vt__onnx_out(n, 0, clip(n, x, least, most));
}

void vt__onnx_dropout(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    if (vt__onnx_in(n, 2) && vt__onnx_constant_number(n, 2, "training_mode") != 0)
        vt__onnx_unsupported(n, "training_mode is on");
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_IDENTITY, 1, &x, 0, NULL));
    if (!vt__onnx_is_read(n, 1)) return; /* the mask: exporters name it, and nothing is dropped */
    vt_gvalue *kept = vt__mk_number(n, n->r->opset < 10 ? x->type.element : VT_ELEMENT_BOOL, 1);
    vt__onnx_out(n, 1, vt__mk_expand(n, kept, x->type.rank, x->type.dim));
}

static vt_gvalue *cast(const vt_onnx_node *n, vt_gvalue *x, vt_element to) {
    return vt__onnx_make(n, VT_G_CAST, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INT(TO, to)));
}

void vt__onnx_cast(const vt_onnx_node *n) {
    vt_element to;
    int64_t type = vt__onnx_int(n, "to", 0);
    if (!vt__onnx_element(type, &to)) vt__onnx_unsupported(n, "to element type %lld of ONNX", (long long)type);
    vt__onnx_out(n, 0, cast(n, vt__onnx_need(n, 0), to));
}

/* The exponent may be of another type. */
void vt__onnx_pow(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *y = vt__onnx_need(n, 1);
    if (y->type.element != x->type.element) y = cast(n, y, x->type.element);
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_POW, VT_ONNX_INPUTS(x, y), 0, NULL));
}

/* Deeploy's networks have a Gemm of more axes: all rows go through one matrix, which may have axes of 1 in front. */
static void gemm_of_rows(const vt_onnx_node *n, const vt_gattr *set) {
    vt_gvalue *x = vt__onnx_need(n, 0), *w = vt__onnx_need(n, 1), *in[] = {x, w, vt__onnx_in(n, 2)};
    uint32_t last = x->type.rank - 1, before = w->type.rank > 2 ? w->type.rank - 2 : 0;
    if (before && vt_gtype_span(&w->type, 0, before) == 1) in[1] = vt__onnx_reshape_to(n, w, 2, w->type.dim + before);
    int64_t dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < last; i++) dims[i] = x->type.dim[i];
    in[0] = vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_span(&x->type, 0, last), x->type.dim[last]});
    vt_gvalue *y = vt__onnx_make(n, VT_G_GEMM, in[2] ? 3 : 2, in, 4, set);
    dims[last] = y->type.dim[1];
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, y, last + 1, dims));
}

static vt_gvalue *turned(const vt_onnx_node *n, vt_gvalue *x) {
    return vt__mk_transpose(n, x, (const int64_t[]){1, 0});
}

/* alpha * a * b + beta * c in float64. */
static void gemm_of_doubles(const vt_onnx_node *n) {
    vt_gvalue *a = vt__onnx_need(n, 0), *b = vt__onnx_need(n, 1), *c = vt__onnx_in(n, 2);
    double alpha = vt__onnx_float(n, "alpha", 1), beta = vt__onnx_float(n, "beta", 1);
    if (a->type.rank != 2 || b->type.rank != 2) vt__onnx_wrong(n, "its operands are no matrices");
    if (vt__onnx_int(n, "transA", 0)) a = turned(n, a);
    if (vt__onnx_int(n, "transB", 0)) b = turned(n, b);
    vt_gvalue *y = vt__mk_two(n, VT_G_MAT_MUL, a, b);
    if (alpha != 1) y = vt__mk_with(n, VT_G_MUL, y, alpha);
    if (c && beta != 1) c = vt__mk_with(n, VT_G_MUL, c, beta);
    vt__onnx_out(n, 0, c ? vt__mk_two(n, VT_G_ADD, y, c) : y);
}

void vt__onnx_gemm(const vt_onnx_node *n) {
    if (vt__onnx_need(n, 0)->type.element == VT_ELEMENT_F64) {
        gemm_of_doubles(n);
        return;
    }
    const vt_gattr set[] = {
        VT_GSET_FLOAT(ALPHA, vt__onnx_float(n, "alpha", 1)), VT_GSET_FLOAT(BETA, vt__onnx_float(n, "beta", 1)),
        VT_GSET_INT(TRANS_A, vt__onnx_int(n, "transA", 0)), VT_GSET_INT(TRANS_B, vt__onnx_int(n, "transB", 0))};
    if (vt__onnx_need(n, 0)->type.rank > 2 && !vt__onnx_int(n, "transA", 0)) {
        gemm_of_rows(n, set);
        return;
    }
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_GEMM, (uint32_t)n->p->n_input, inputs_of(n), 4, set));
}

void vt__onnx_batch_normalization(const vt_onnx_node *n) {
    for (size_t i = 1; i < n->p->n_output; i++)
        if (vt__onnx_wants(n, i)) vt__onnx_unsupported(n, "output %zu, which is for training, is used", i);
    vt_gvalue *v =
        vt__onnx_make(n, VT_G_BATCH_NORMALIZATION, (uint32_t)n->p->n_input, inputs_of(n),
                      VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(EPSILON, vt__onnx_float(n, "epsilon", (double)1e-5f))));
    vt__onnx_out(n, 0, v);
}

/* By its parts, in float64. */
static vt_gvalue *softmax_of_doubles(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, bool logarithm) {
    const int64_t along[] = {axis};
    x = vt__mk_two(n, VT_G_SUB, x, vt__mk_reduce(n, VT_G_REDUCE_MAX, x, 1, along, true));
    vt_gvalue *parts = vt__mk_one(n, VT_G_EXP, x), *sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, parts, 1, along, true);
    if (logarithm) return vt__mk_two(n, VT_G_SUB, x, vt__mk_one(n, VT_G_LOG, sum));
    return vt__mk_two(n, VT_G_DIV, parts, sum);
}

/* Up to opset 12 all axes from `axis` on count as one; QuantLab means the last axis. */
void vt__onnx_softmax(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gtype t = x->type;
    vt_gop op = vt_gop_find(n->p->op_type);
    bool old = n->r->opset < 13 && (!n->r->quantlab || vt__onnx_has(n, "axis"));
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", old ? 1 : -1), t.rank);
    bool flat = old && axis + 1 != t.rank;
    if (flat)
        x = vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_span(&t, 0, axis), vt_gtype_span(&t, axis, t.rank)});
    if (t.element == VT_ELEMENT_F64)
        x = softmax_of_doubles(n, x, flat ? 1 : axis, op == VT_G_LOG_SOFTMAX);
    else
        x = vt__onnx_make(n, op, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, flat ? 1 : axis)));
    vt__onnx_out(n, 0, flat ? vt__onnx_reshape_to(n, x, t.rank, t.dim) : x);
}
