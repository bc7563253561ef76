/* Nodes on floats as functions for the host (operators/host/host.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network/float.h"

enum { CONCAT_MAX = 64 };

static vt_host_shape shape_of(const vt_gtype *t) {
    vt_host_shape s = {.type = vt_element_text(t->element), .ndim = (int32_t)t->rank};
    for (uint32_t i = 0; i < t->rank; i++) s.dim[i] = t->dim[i];
    if (t->rank == 0) s.ndim = 1, s.dim[0] = 1;
    return s;
}

/* ---- Operands -------------------------------------------------------------------------------------------------- */

_Noreturn void vt__float_refuse(const vt__float_node *o, const char *why) {
    vt_raise(o->n->ctx, VTA_UNSUPPORTED, "node %s (%s): %s", o->is->name, vt_gop_text(o->is->op), why);
}

static bool give_operands(vt__float_node *o) {
    uint32_t next = 0;
    uint32_t most = o->is->op == VT_G_CONCAT ? CONCAT_MAX : VT_HOST_OPERANDS;
    if (o->is->input_count > most) return false;
    for (uint32_t i = 0; i < o->is->input_count; i++) {
        const vt_gvalue *v = o->is->inputs[i];
        vt_planner_arg place = {.offset = 0};
        if (!v) continue;
        if (v->data)
            vt__must(o->n, vt_planner_constant(o->n->planner, VT_PLACE_DATA, v->name, v->data, vt_gtype_bytes(&v->type),
                                               o->n->ctx->diag, &place.buffer));
        else
            place = vt__place_of(o->n, o->l->inputs[next++]);
        o->shapes[o->args.count] = shape_of(&v->type);
        vt__give_place(&o->args, place);
    }
    o->result = shape_of(&o->l->output->type);
    return true;
}

/* ---- Others ---------------------------------------------------------------------------------------------------- */

static vta_status make_softmax(vt__float_node *o, bool logarithm, vtac_kernel **out) {
    const vt_gtype *t = &o->l->output->type;
    uint32_t axis = (uint32_t)vt_gattr_int(o->is, VT_A_AXIS);
    if (vt_gtype_span(t, axis + 1, t->rank) != 1) vt__float_refuse(o, "only along the last axis it is compiled");
    return vt_host_softmax_kernel(&o->host, vt_gtype_span(t, 0, axis), t->dim[axis], logarithm, out);
}

static vta_status make_reduction(vt__float_node *o, vt_host_reduction kind, vtac_kernel **out) {
    const vt_gattr *axes = vt_gattr_of(o->is, VT_A_AXES);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < axes->count; i++) bits |= 1u << axes->ints[i];
    if (!bits) return vt_host_map_kernel(&o->host, "$0", o->shapes, 1, &o->result, out);
    return vt_host_reduce_kernel(&o->host, kind, &o->shapes[0], bits, out);
}

static vta_status make_transpose(vt__float_node *o, vtac_kernel **out) {
    const vt_gattr *perm = vt_gattr_of(o->is, VT_A_PERM);
    int32_t order[VT_HOST_DIMS] = {0};
    for (uint32_t i = 0; i < perm->count; i++) order[i] = (int32_t)perm->ints[i];
    return vt_host_transpose_kernel(&o->host, &o->shapes[0], order, out);
}

static vta_status make_pad(vt__float_node *o, vtac_kernel **out) {
    const int64_t *pads = vt_gattr_ints(o->is, VT_A_PADS), how = vt_gattr_int(o->is, VT_A_PADDING);
    const vt_gtype *x = &o->is->inputs[0]->type;
    const char *index = "", *inside = "", *fill = vt__float_attribute(o, VT_A_VALUE);
    for (uint32_t i = 0; i < x->rank; i++) {
        const char *at = vt_new_format(o->n->ctx, "i%u - %" PRId64, i, pads[i]);
        inside = vt_new_format(o->n->ctx, "%s%s%s >= 0 && %s < %" PRId64, inside, i ? " && " : "", at, at, x->dim[i]);
        if (how != VT_PADDING_CONSTANT) at = vt__float_border(o->n->ctx, at, x->dim[i], how == VT_PADDING_REFLECT);
        index = vt_new_format(o->n->ctx, "%s%s%s", index, i ? ", " : "", at);
    }
    if (how != VT_PADDING_CONSTANT) inside = fill = NULL;
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, inside, fill, &o->result, out);
}

static vta_status make_blocks(vt__float_node *o, vtac_kernel **out) {
    const char *index = vt__float_blocks(o->n->ctx, o->is);
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, NULL, NULL, &o->result, out);
}

static vta_status make_slice(vt__float_node *o, vtac_kernel **out) {
    const int64_t *starts = vt_gattr_ints(o->is, VT_A_STARTS), *steps = vt_gattr_ints(o->is, VT_A_STEPS);
    const char *index = "";
    for (uint32_t i = 0; i < o->is->inputs[0]->type.rank; i++)
        index =
            vt_new_format(o->n->ctx, "%s%s%" PRId64 " + i%u * %" PRId64, index, i ? ", " : "", starts[i], i, steps[i]);
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, NULL, NULL, &o->result, out);
}

static const char *extents(const vt__float_node *o, const vt_host_shape *s) {
    const char *text = "";
    for (int32_t i = 0; i < s->ndim; i++)
        text = vt_new_format(o->n->ctx, "%s%s%" PRId64, text, i ? ", " : "", s->dim[i]);
    return text;
}

static const char *indices(const vt__float_node *o, int32_t axis, int64_t less) {
    const char *text = "";
    for (int32_t i = 0; i < o->result.ndim; i++)
        text = vt_new_format(o->n->ctx, i == axis ? "%s%si%d - %" PRId64 : "%s%si%d", text, i ? ", " : "", i, less);
    return text;
}

/* Indices that are known have to be inside; of computed ones the code takes the nearest that is. */
static void check_table(const vt__float_node *o) {
    const vt_gvalue *table = o->is->inputs[1];
    int64_t extent = o->is->inputs[0]->type.dim[vt_gattr_int(o->is, VT_A_AXIS)];
    if (!table->data) return;
    for (int64_t i = 0; i < vt_gtype_count(&table->type); i++) {
        double at = vt_gelement_at(table, (size_t)i);
        if (at < (double)-extent || at >= (double)extent) vt__float_refuse(o, "an index is outside of the axis");
    }
}

static vta_status make_gather(vt__float_node *o, vtac_kernel **out) {
    vt_host_shape table = o->shapes[1];
    check_table(o);
    return vt_host_take_kernel(&o->host, &o->shapes[0], (int32_t)vt_gattr_int(o->is, VT_A_AXIS), &table, out);
}

/* One select for each operand but the last. */
static vta_status join_kernel(const vt__float_node *o, const vt_host_shape *shapes, uint32_t count,
                              const vt_host_shape *result, vtac_kernel **out) {
    int32_t axis = (int32_t)vt_gattr_int(o->is, VT_A_AXIS);
    const char *inputs = "", *value = NULL;
    int64_t begin = result->dim[axis];
    vt_ctx *ctx = o->n->ctx;
    for (uint32_t k = count; k-- > 0;) {
        begin -= shapes[k].dim[axis];
        const char *x = vt_new_format(ctx, "x%u[%s]", k, indices(o, axis, begin));
        value =
            value ? vt_new_format(ctx, "select(i%d < %" PRId64 ", %s, %s)", axis, begin + shapes[k].dim[axis], x, value)
                  : x;
        inputs = vt_new_format(ctx, "input x%u: %s[%s]\n%s", k, shapes[k].type, extents(o, &shapes[k]), inputs);
    }
    const char *text =
        vt_new_format(ctx, "kernel concat\ntarget llvm\n%soutput y[%s] = %s\n", inputs, extents(o, result), value);
    return vt_host_kernel(&o->host, o->l->name, text, out);
}

static uint64_t bytes_of(const vt_host_shape *s, size_t element) {
    uint64_t bytes = element;
    for (int32_t i = 0; i < s->ndim; i++) bytes *= (uint64_t)s->dim[i];
    return bytes;
}

/* Up to `count` operands from `first` on as one, in a buffer between: every element would pass a select for each. */
static vt_planner_arg join(vt__float_node *o, uint32_t first, uint32_t count, vt_host_shape *out_shape) {
    int32_t axis = (int32_t)vt_gattr_int(o->is, VT_A_AXIS);
    vt__args args = {.count = 0};
    vtac_kernel *kernel;
    uint32_t buffer;
    *out_shape = o->shapes[first];
    out_shape->dim[axis] = 0;
    for (uint32_t i = 0; i < count; i++) {
        out_shape->dim[axis] += o->shapes[first + i].dim[axis];
        args.item[args.count++] = o->args.item[first + i];
    }
    uint64_t bytes = bytes_of(out_shape, vt_element_bytes(o->l->output->type.element));
    vt__must(o->n, vt_planner_buffer(o->n->planner, VT_PLACE_HOST, o->l->name, bytes, o->n->ctx->diag, &buffer));
    vt__must(o->n, join_kernel(o, &o->shapes[first], count, out_shape, &kernel));
    vt__give(&args, buffer);
    vt__call_kernel(o->n, o->l, kernel, &args);
    return (vt_planner_arg){.buffer = buffer};
}

/* The last argument is the result. */
static vta_status make_concat(vt__float_node *o, vtac_kernel **out) {
    uint32_t count = o->args.count - 1, groups = 0;
    vt_planner_arg result = o->args.item[count];
    while (count > VT_HOST_OPERANDS) {
        groups = 0;
        for (uint32_t at = 0; at < count; at += VT_HOST_OPERANDS, groups++) {
            uint32_t some = count - at < VT_HOST_OPERANDS ? count - at : VT_HOST_OPERANDS;
            vt_host_shape shape = o->shapes[at];
            o->args.item[groups] = some > 1 ? join(o, at, some, &shape) : o->args.item[at];
            o->shapes[groups] = shape;
        }
        count = groups;
    }
    o->args.item[count] = result;
    o->args.count = count + 1;
    return join_kernel(o, o->shapes, count, &o->result, out);
}

/* Does it move elements, of whatever type they are, or reduce numbers of any type? */
static bool is_of_any_type(vt_gop op) {
    return op == VT_G_TRANSPOSE || op == VT_G_SLICE || op == VT_G_CONCAT || op == VT_G_GATHER ||
           op == VT_G_DEPTH_TO_SPACE || op == VT_G_SPACE_TO_DEPTH || op == VT_G_REDUCE_SUM || op == VT_G_REDUCE_MAX ||
           op == VT_G_REDUCE_MIN || op == VT_G_CUM_SUM || op == VT_G_TOP_K || op == VT_G_SCATTER ||
           op == VT_G_MAT_MUL_INTEGER || op == VT_G_MAT_MUL || op == VT_G_PAD || op == VT_G_REDUCE_MEAN ||
           op == VT_G_CONV_INTEGER || op == VT_G_MAX_POOL;
}

/* The kernel of an operator that is more than one expression; NULL where there is none. */
static vta_status make_other(vt__float_node *o, vtac_kernel **out) {
    if (o->is->inputs[0]->type.element != VT_ELEMENT_F32 && !is_of_any_type(o->is->op))
        vt__float_refuse(o, "it is compiled for float32 alone");
    switch ((int)o->is->op) {
    case VT_G_SOFTMAX: return make_softmax(o, false, out);
    case VT_G_LOG_SOFTMAX: return make_softmax(o, true, out);
    case VT_G_REDUCE_MEAN: return make_reduction(o, VT_HOST_MEAN, out);
    case VT_G_REDUCE_SUM: return make_reduction(o, VT_HOST_SUM, out);
    case VT_G_REDUCE_MAX: return make_reduction(o, VT_HOST_MAX, out);
    case VT_G_REDUCE_MIN: return make_reduction(o, VT_HOST_MIN, out);
    case VT_G_TRANSPOSE: return make_transpose(o, out);
    case VT_G_PAD: return make_pad(o, out);
    case VT_G_MAX_POOL:
    case VT_G_AVERAGE_POOL: return vt__float_pool(o, out);
    case VT_G_DEPTH_TO_SPACE:
    case VT_G_SPACE_TO_DEPTH: return make_blocks(o, out);
    case VT_G_SLICE: return make_slice(o, out);
    case VT_G_RESIZE: return vt__float_resize(o, out);
    case VT_G_CONCAT: return make_concat(o, out);
    case VT_G_GATHER: return make_gather(o, out);
    case VT_G_CONV:
    case VT_G_CONV_INTEGER:
    case VT_G_CONV_TRANSPOSE: return vt__float_conv(o, out);
    case VT_G_GEMM:
    case VT_G_MAT_MUL_INTEGER:
    case VT_G_MAT_MUL: return vt__float_matrix(o, out);
    case VT_G_SCATTER: return vt__float_scatter(o, out);
    case VT_G_TOP_K: return vt__float_top_k(o, out);
    case VT_G_NON_MAX_SUPPRESSION: return vt__float_suppression(o, out);
    case VT_G_CUM_SUM: return vt__float_cum_sum(o, out);
    default: vt__float_refuse(o, "no code is generated for it yet");
    }
}

static void copy(vt__float_node *o, uint32_t operand, uint64_t to, uint64_t bytes) {
    vt_planner_arg from = o->args.item[operand], into = vt__place_of(o->n, o->l->output);
    into.offset += to;
    vt__must(o->n, vt_planner_copy(o->n->planner, o->l->name, from, into, bytes, o->n->ctx->diag));
}

/* What only moves bytes: a reshape, and a concatenation along the first axis that is not 1. */
static bool is_copied(vt__float_node *o) {
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
    vt__float_node o = {.n = n, .l = l, .is = l->node, .host = vt__host_of(n)};
    vtac_kernel *kernel = NULL;
    if (!give_operands(&o))
        vt__float_refuse(&o, "only operators with at most 8 operands are compiled, and Concat with at most 64");
    if (is_copied(&o)) return;
    const char *expression = vt__float_expression(&o);
    vt__give_place(&o.args, vt__place_of(n, l->output));
    vt__must(n, expression ? vt_host_map_kernel(&o.host, expression, o.shapes, o.args.count - 1, &o.result, &kernel)
                           : make_other(&o, &kernel));
    vt__call_kernel(n, l, kernel, &o.args);
}
