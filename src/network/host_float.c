/* Nodes on floats as functions for the processor (ops/host/host.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network/float.h"

typedef struct node {
    vt__net *n;
    const vt_qlayer *l;
    const vt_gnode *is;
    vt_host host;
    vt__args args;
    vt_host_shape shapes[VT_HOST_OPERANDS], result;
} node;

static vt_host_shape shape_of(const vt_gtype *t) {
    vt_host_shape s = {.type = "float32", .ndim = (int32_t)t->rank};
    for (uint32_t i = 0; i < t->rank; i++) s.dim[i] = t->dim[i];
    if (t->rank == 0) s.ndim = 1, s.dim[0] = 1;
    return s;
}

/* ---- Operands -------------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(const node *o, const char *why) {
    vt_raise(o->n->ctx, VTA_UNSUPPORTED, "node %s (%s): %s", o->is->name, vt_gop_text(o->is->op), why);
}

static bool give_operands(node *o) {
    uint32_t next = 0;
    if (o->is->input_count > VT_HOST_OPERANDS) return false;
    for (uint32_t i = 0; i < o->is->input_count; i++) {
        const vt_gvalue *v = o->is->inputs[i];
        uint32_t buffer;
        if (!v) continue;
        if (v->type.element != VT_ELEMENT_F32) return false;
        if (v->data)
            vt__must(o->n, vt_planner_constant(o->n->planner, VT_PLACE_DATA, v->name, v->data, vt_gtype_bytes(&v->type),
                                               o->n->ctx->diag, &buffer));
        else
            buffer = vt__buffer_of(o->n, o->l->inputs[next++]);
        o->shapes[o->args.count] = shape_of(&v->type);
        vt__give(&o->args, buffer);
    }
    o->result = shape_of(&o->l->output->type);
    return o->l->output->type.element == VT_ELEMENT_F32;
}

/* ---- One element of each operand ------------------------------------------------------------------------------- */

static const char *attribute(const node *o, vt_gattr_name name) {
    char text[32];
    return vt_new_format(o->n->ctx, "%s", vt__number(text, (double)(float)vt_gattr_float(o->is, name)));
}

/* y of $0 and $1, as text; NULL: the operator is of another kind. */
static const char *expression_of(const node *o) {
    vt_ctx *ctx = o->n->ctx;
    switch ((int)o->is->op) {
    case VT_G_RELU: return "max($0, 0.0)";
    case VT_G_LEAKY_RELU: return vt_new_format(ctx, "select($0 < 0.0, %s * $0, $0)", attribute(o, VT_A_ALPHA));
    case VT_G_CLIP: return vt_new_format(ctx, "min(max($0, %s), %s)", attribute(o, VT_A_MIN), attribute(o, VT_A_MAX));
    case VT_G_SIGMOID: return "1.0 / (1.0 + exp(0.0 - $0))";
    case VT_G_HARD_SIGMOID:
        return vt_new_format(ctx, "max(0.0, min(1.0, %s * $0 + %s))", attribute(o, VT_A_ALPHA),
                             attribute(o, VT_A_BETA));
    case VT_G_HARD_SWISH: return "$0 * max(0.0, min(1.0, $0 / 6.0 + 0.5))";
    case VT_G_ELU: return vt_new_format(ctx, "select($0 < 0.0, %s * (exp($0) - 1.0), $0)", attribute(o, VT_A_ALPHA));
    case VT_G_SOFTPLUS: return "max($0, 0.0) + log1p(exp(0.0 - fabs($0)))";
    case VT_G_TANH: return "tanh($0)";
    case VT_G_ERF: return "erf($0)";
    case VT_G_EXP: return "exp($0)";
    case VT_G_LOG: return "log($0)";
    case VT_G_SQRT: return "sqrt($0)";
    case VT_G_RECIPROCAL: return "1.0 / $0";
    case VT_G_FLOOR: return "floor($0)";
    case VT_G_CEIL: return "ceil($0)";
    case VT_G_ROUND: return "nearbyint($0)";
    case VT_G_ABS: return "fabs($0)";
    case VT_G_NEG: return "0.0 - $0";
    case VT_G_IDENTITY: return "$0";
    case VT_G_ADD: return "$0 + $1";
    case VT_G_SUB: return "$0 - $1";
    case VT_G_MUL: return "$0 * $1";
    case VT_G_DIV: return "$0 / $1";
    case VT_G_MIN: return "min($0, $1)";
    case VT_G_MAX: return "max($0, $1)";
    case VT_G_POW: return "pow($0, $1)";
    case VT_G_P_RELU: return "select($0 < 0.0, $0 * $1, $0)";
    default: return NULL;
    }
}

/* ---- Others ---------------------------------------------------------------------------------------------------- */

static vta_status make_softmax(node *o, bool logarithm, vtac_kernel **out) {
    const vt_gtype *t = &o->l->output->type;
    uint32_t axis = (uint32_t)vt_gattr_int(o->is, VT_A_AXIS);
    if (vt_gtype_span(t, axis + 1, t->rank) != 1) refuse(o, "only along the last axis it is compiled");
    return vt_host_softmax_kernel(&o->host, vt_gtype_span(t, 0, axis), t->dim[axis], logarithm, out);
}

static vta_status make_reduction(node *o, vt_host_reduction kind, vtac_kernel **out) {
    const vt_gattr *axes = vt_gattr_of(o->is, VT_A_AXES);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < axes->count; i++) bits |= 1u << axes->ints[i];
    return vt_host_reduce_kernel(&o->host, kind, &o->shapes[0], bits, out);
}

static vta_status make_transpose(node *o, vtac_kernel **out) {
    const vt_gattr *perm = vt_gattr_of(o->is, VT_A_PERM);
    int32_t order[VT_HOST_DIMS] = {0};
    for (uint32_t i = 0; i < perm->count; i++) order[i] = (int32_t)perm->ints[i];
    return vt_host_transpose_kernel(&o->host, &o->shapes[0], order, out);
}

static vta_status make_pad(node *o, vtac_kernel **out) {
    const int64_t *pads = vt_gattr_ints(o->is, VT_A_PADS), how = vt_gattr_int(o->is, VT_A_PADDING);
    const vt_gtype *x = &o->is->inputs[0]->type;
    const char *index = "", *inside = "", *fill = attribute(o, VT_A_VALUE);
    for (uint32_t i = 0; i < x->rank; i++) {
        const char *at = vt_new_format(o->n->ctx, "i%u - %" PRId64, i, pads[i]);
        inside = vt_new_format(o->n->ctx, "%s%s%s >= 0 && %s < %" PRId64, inside, i ? " && " : "", at, at, x->dim[i]);
        if (how != VT_PADDING_CONSTANT) at = vt__float_border(o->n->ctx, at, x->dim[i], how == VT_PADDING_REFLECT);
        index = vt_new_format(o->n->ctx, "%s%s%s", index, i ? ", " : "", at);
    }
    if (how != VT_PADDING_CONSTANT) inside = fill = NULL;
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, inside, fill, &o->result, out);
}

static vta_status make_average(node *o, vtac_kernel **out) {
    vta_status status;
    if (!vt__float_average(&o->host, o->is, out, &status)) refuse(o, "only averages of images are compiled");
    return status;
}

static vta_status make_blocks(node *o, vtac_kernel **out) {
    const char *index = vt__float_blocks(o->n->ctx, o->is);
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, NULL, NULL, &o->result, out);
}

static vta_status make_slice(node *o, vtac_kernel **out) {
    const int64_t *starts = vt_gattr_ints(o->is, VT_A_STARTS), *steps = vt_gattr_ints(o->is, VT_A_STEPS);
    const char *index = "";
    for (uint32_t i = 0; i < o->is->inputs[0]->type.rank; i++)
        index =
            vt_new_format(o->n->ctx, "%s%s%" PRId64 " + i%u * %" PRId64, index, i ? ", " : "", starts[i], i, steps[i]);
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, NULL, NULL, &o->result, out);
}

static vta_status make_matrix(node *o, vtac_kernel **out) {
    const vt_gtype *a = &o->is->inputs[0]->type, *b = &o->is->inputs[1]->type;
    bool gemm = o->is->op == VT_G_GEMM;
    vt_host_matmul m = {.batches = 1, .w_batches = 1};
    if (gemm && (vt_gattr_int(o->is, VT_A_TRANS_A) || vt_gattr_float(o->is, VT_A_ALPHA) != 1 ||
                 vt_gattr_float(o->is, VT_A_BETA) != 1))
        refuse(o, "alpha, beta and a transposed first matrix are not compiled on floats");
    if (a->rank < 2 || b->rank < 2 || (b->rank > 2 && b->rank != a->rank))
        refuse(o, "matrices of these ranks are not compiled");
    m.transposed = gemm && vt_gattr_int(o->is, VT_A_TRANS_B);
    m.batches = vt_gtype_span(a, 0, a->rank - 2);
    m.w_batches = vt_gtype_span(b, 0, b->rank - 2);
    m.m = a->dim[a->rank - 2];
    m.k = a->dim[a->rank - 1];
    m.n = b->dim[b->rank - (m.transposed ? 2 : 1)];
    m.bias = gemm && o->is->input_count > 2 && o->is->inputs[2];
    if (m.w_batches != 1 && m.w_batches != m.batches) refuse(o, "matrices that broadcast are not compiled");
    if (m.bias && vt_gtype_count(&o->is->inputs[2]->type) != m.n) refuse(o, "a bias that is not one number a column");
    return vt_host_matmul_kernel(&o->host, &m, out);
}

static vta_status make_resize(node *o, vtac_kernel **out) {
    const vt_gtype *in = &o->is->inputs[0]->type, *to = &o->is->outputs[0]->type;
    const char *index = "";
    if (vt_gresize_repeats(o->is)) {
        for (uint32_t i = 0; i < in->rank; i++)
            index = vt_new_format(o->n->ctx, "%s%si%u // %" PRId64, index, i ? ", " : "", i, to->dim[i] / in->dim[i]);
        return vt_host_gather_kernel(&o->host, &o->shapes[0], index, NULL, NULL, &o->result, out);
    }
    if (in->rank != 4 || vt_gattr_int(o->is, VT_A_SAMPLING) != VT_SAMPLING_LINEAR || in->dim[0] != to->dim[0] ||
        in->dim[1] != to->dim[1] || vt_gattr_int(o->is, VT_A_COORDINATES) == VT_COORDINATES_PYTORCH_HALF_PIXEL)
        refuse(o, "only images, linear or repeating the nearest, are compiled");
    vt_host_resize r = {in->dim[0], in->dim[1], in->dim[2], in->dim[3],
                        to->dim[2], to->dim[3], true,       VT_HOST_HALF_PIXEL};
    if (vt_gattr_int(o->is, VT_A_COORDINATES) == VT_COORDINATES_ASYMMETRIC) r.coordinates = VT_HOST_ASYMMETRIC;
    if (vt_gattr_int(o->is, VT_A_COORDINATES) == VT_COORDINATES_ALIGN_CORNERS) r.coordinates = VT_HOST_ALIGN_CORNERS;
    return vt_host_resize_kernel(&o->host, &r, out);
}

static const char *extents(const node *o, const vt_host_shape *s) {
    const char *text = "";
    for (int32_t i = 0; i < s->ndim; i++)
        text = vt_new_format(o->n->ctx, "%s%s%" PRId64, text, i ? ", " : "", s->dim[i]);
    return text;
}

static const char *indices(const node *o, int32_t axis, int64_t less) {
    const char *text = "";
    for (int32_t i = 0; i < o->result.ndim; i++)
        text = vt_new_format(o->n->ctx, i == axis ? "%s%si%d - %" PRId64 : "%s%si%d", text, i ? ", " : "", i, less);
    return text;
}

/* One select for each operand but the last. */
static vta_status make_concat(node *o, vtac_kernel **out) {
    int32_t axis = (int32_t)vt_gattr_int(o->is, VT_A_AXIS);
    const char *inputs = "", *value = NULL;
    int64_t begin = o->result.dim[axis];
    vt_ctx *ctx = o->n->ctx;
    for (uint32_t k = o->is->input_count; k-- > 0;) {
        begin -= o->shapes[k].dim[axis];
        const char *x = vt_new_format(ctx, "x%u[%s]", k, indices(o, axis, begin));
        value = value ? vt_new_format(ctx, "select(i%d < %" PRId64 ", %s, %s)", axis, begin + o->shapes[k].dim[axis], x,
                                      value)
                      : x;
        inputs = vt_new_format(ctx, "input x%u: float32[%s]\n%s", k, extents(o, &o->shapes[k]), inputs);
    }
    const char *text = vt_new_format(ctx, "kernel layer_%u\ntarget llvm\n%soutput y[%s] = %s\n", o->l->index, inputs,
                                     extents(o, &o->result), value);
    return vtac_kernel_parse(text, strlen(text), o->l->name, NULL, o->n->config, o->n->allocator, o->n->ctx->diag, out);
}

/* The kernel of an operator that is more than one expression; NULL where there is none. */
static vta_status make_other(node *o, vtac_kernel **out) {
    switch ((int)o->is->op) {
    case VT_G_SOFTMAX: return make_softmax(o, false, out);
    case VT_G_LOG_SOFTMAX: return make_softmax(o, true, out);
    case VT_G_REDUCE_MEAN: return make_reduction(o, VT_HOST_MEAN, out);
    case VT_G_REDUCE_SUM: return make_reduction(o, VT_HOST_SUM, out);
    case VT_G_REDUCE_MAX: return make_reduction(o, VT_HOST_MAX, out);
    case VT_G_REDUCE_MIN: return make_reduction(o, VT_HOST_MIN, out);
    case VT_G_TRANSPOSE: return make_transpose(o, out);
    case VT_G_PAD: return make_pad(o, out);
    case VT_G_AVERAGE_POOL: return make_average(o, out);
    case VT_G_DEPTH_TO_SPACE:
    case VT_G_SPACE_TO_DEPTH: return make_blocks(o, out);
    case VT_G_SLICE: return make_slice(o, out);
    case VT_G_RESIZE: return make_resize(o, out);
    case VT_G_CONCAT: return make_concat(o, out);
    case VT_G_GEMM:
    case VT_G_MAT_MUL: return make_matrix(o, out);
    default: refuse(o, "no code is generated for it yet");
    }
}

static void copy(node *o, uint32_t operand, uint64_t to, uint64_t bytes) {
    vt_planner_arg from = o->args.item[operand], into = {vt__buffer_of(o->n, o->l->output), to};
    vt__must(o->n, vt_planner_copy(o->n->planner, o->l->name, from, into, bytes, o->n->ctx->diag));
}

/* What only moves bytes: a reshape, and a concatenation along the first axis that is not 1. */
static bool is_copied(node *o) {
    const vt_gtype *t = &o->l->output->type;
    if (o->is->op == VT_G_RESHAPE) {
        copy(o, 0, 0, vt_gtype_bytes(t));
        return true;
    }
    if (o->is->op != VT_G_CONCAT || vt_gtype_span(t, 0, (uint32_t)vt_gattr_int(o->is, VT_A_AXIS)) != 1) return false;
    uint64_t at = 0;
    for (uint32_t i = 0; i < o->args.count; i++) {
        uint64_t bytes = vt_gtype_bytes(&o->is->inputs[i]->type);
        copy(o, i, at, bytes);
        at += bytes;
    }
    return true;
}

void vt__float_on_processor(vt__net *n, const vt_qlayer *l) {
    node o = {.n = n, .l = l, .is = l->node, .host = {n->config, n->allocator, n->ctx->diag}};
    vtac_kernel *kernel = NULL;
    if (!give_operands(&o)) refuse(&o, "only operators of float32 with at most 8 operands are compiled");
    if (is_copied(&o)) return;
    const char *expression = expression_of(&o);
    vt__give(&o.args, vt__buffer_of(n, l->output));
    vt__must(n, expression ? vt_host_map_kernel(&o.host, expression, o.shapes, o.args.count - 1, &o.result, &kernel)
                           : make_other(&o, &kernel));
    vt__call_kernel(n, l, kernel, &o.args);
}
