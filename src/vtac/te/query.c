/* What tensors, axes and expressions are, and what was done to a stage. */
#include "te/expr.h"
#include "te/extern.h"
#include "te/operation.h"
#include "te/schedule.h"

static bool is_axis(const te_axis *axis) { return vt_is(axis, VT_TAG_AXIS); }
static bool is_tensor(const te_tensor *t) { return vt_is(t, VT_TAG_TENSOR); }

const char *te_axis_name(const te_axis *axis) { return is_axis(axis) ? vt_var_name(vt_te_iter(axis)->var) : NULL; }
int64_t te_axis_extent(const te_axis *axis) { return is_axis(axis) ? te__extent(vt_te_iter(axis)) : -1; }

te_axis_kind te_axis_kind_of(const te_axis *axis) {
    switch (is_axis(axis) ? vt_te_iter(axis)->type : VT_ITER_DATA_PAR) {
    case VT_ITER_THREAD_INDEX: return TE_AXIS_THREAD;
    case VT_ITER_COMM_REDUCE: return TE_AXIS_REDUCE;
    case VT_ITER_DATA_PAR:
    case VT_ITER_ORDERED:
    case VT_ITER_OPAQUE:
    case VT_ITER_UNROLLED:
    case VT_ITER_VECTORIZED:
    case VT_ITER_PARALLELIZED:
    case VT_ITER_TENSORIZED: break;
    }
    return TE_AXIS_DATA;
}

static const vt_operation *op_of(const te_tensor *t) { return te__op(vt_te_tensor(t)); }

const char *te_tensor_name(const te_tensor *t) { return is_tensor(t) ? vt_te_tensor(t)->name : NULL; }
size_t te_tensor_ndim(const te_tensor *t) { return is_tensor(t) ? vt_te_tensor(t)->ndim : 0; }
bool te_tensor_is_placeholder(const te_tensor *t) { return is_tensor(t) && op_of(t)->placeholder; }
size_t te_tensor_index(const te_tensor *t) { return is_tensor(t) ? vt_te_tensor(t)->value_index : 0; }
size_t te_tensor_outputs(const te_tensor *t) { return is_tensor(t) ? op_of(t)->n_outputs : 0; }
const char *te_tensor_tag(const te_tensor *t) { return is_tensor(t) ? op_of(t)->tag : NULL; }
static uint32_t inner_count(const vt_operation *op) { return op->external ? op->external->n_inner : 0; }
size_t te_tensor_axes(const te_tensor *t) { return is_tensor(t) ? op_of(t)->n_axes + inner_count(op_of(t)) : 0; }
size_t te_tensor_reduce_axes(const te_tensor *t) { return is_tensor(t) ? op_of(t)->n_reduce : 0; }

te_expr *te_tensor_dim_expr(const te_tensor *t, size_t dim) {
    return dim < te_tensor_ndim(t) ? te__out(vt_te_tensor(t)->shape[dim]) : NULL;
}

int64_t te_tensor_dim(const te_tensor *t, size_t dim) {
    int64_t value;
    return dim < te_tensor_ndim(t) && vt_as_const(vt_te_tensor(t)->shape[dim], &value) ? value : -1;
}

te_tensor *te_tensor_output(const te_tensor *t, size_t index) {
    return index < te_tensor_outputs(t) ? te__out(op_of(t)->outputs[index]) : NULL;
}

te_axis *te_tensor_axis(const te_tensor *t, size_t index) {
    if (index >= te_tensor_axes(t)) return NULL;
    const vt_operation *op = op_of(t);
    return te__out(index < op->n_axes ? op->iters[index] : op->external->inner[index - op->n_axes]);
}

te_axis *te_tensor_reduce_axis(const te_tensor *t, size_t index) {
    return index < te_tensor_reduce_axes(t) ? te__out(op_of(t)->iters[op_of(t)->n_axes + index]) : NULL;
}

size_t te_tensor_inputs(te_context *c, const te_tensor *t) {
    return vt_is(c, VT_TAG_CONTEXT) && is_tensor(t) ? op_of(t)->n_inputs : 0;
}

te_tensor *te_tensor_input(te_context *c, const te_tensor *t, size_t index) {
    return index < te_tensor_inputs(c, t) ? te__out(op_of(t)->inputs[index]) : NULL;
}

te_expr *te_tensor_body(const te_tensor *t) {
    return is_tensor(t) && !op_of(t)->placeholder ? te__out(op_of(t)->bodies[vt_te_tensor(t)->value_index]) : NULL;
}

static const char *dtype_text(te_context *c, vt_dtype t) { TE_RETURN(c, te__dtype_text(c, t)); }

const char *te_expr_dtype(te_context *c, te_expr *e) {
    return vt_is(e, VT_TAG_EXPR) ? dtype_text(c, vt_te_expr(e)->dtype) : NULL;
}
const char *te_expr_kind(const te_expr *e) {
    return vt_is(e, VT_TAG_EXPR) ? vt_expr_infos[vt_te_expr(e)->kind].text : NULL;
}
const char *te_tensor_dtype(te_context *c, const te_tensor *t) {
    return is_tensor(t) ? dtype_text(c, vt_te_tensor(t)->dtype) : NULL;
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

static bool is_stage(const te_stage *st) { return vt_is(st, VT_TAG_STAGE); }
static te_axis *axis_or_null(const vt_iter *axis) { return axis ? te__out(axis) : NULL; }
static te_expr *expr_or_null(const vt_expr *e) { return e ? te__out(e) : NULL; }

size_t te_stage_all(const te_stage *st) { return is_stage(st) ? st->all.n : 0; }
te_axis *te_stage_all_axis(const te_stage *st, size_t i) {
    return i < te_stage_all(st) ? te__out(st->all.items[i]) : NULL;
}

size_t te_stage_relations(const te_stage *st) { return is_stage(st) ? st->n_relations : 0; }

static te_relation_kind kind_of(const te__relation *r) {
    switch (r->kind) {
    case TE__SPLIT: return TE_RELATION_SPLIT;
    case TE__LIST: return TE_RELATION_SIZES;
    case TE__FUSE: return TE_RELATION_FUSE;
    case TE__REBASE: /* only schedules that are being lowered have it */
    case TE__SINGLETON: break;
    }
    return TE_RELATION_SINGLETON;
}

vta_status te_stage_relation(const te_stage *st, size_t index, te_relation *out_relation) {
    if (!is_stage(st) || !out_relation) return VTA_INVALID_ARGUMENT;
    if (index >= st->n_relations) return VTA_NOT_FOUND;
    const te__relation *r = &st->relations[index];
    *out_relation = (te_relation){.size = sizeof *out_relation,
                                  .kind = kind_of(r),
                                  .parent = axis_or_null(r->parent),
                                  .outer = axis_or_null(r->outer),
                                  .inner = axis_or_null(r->inner),
                                  .factor = r->kind == TE__SPLIT ? expr_or_null(r->factor) : NULL,
                                  .nparts = expr_or_null(r->nparts)};
    return VTA_OK;
}

static const te__axis_attr *attr_of(const te_stage *st, const te_axis *axis) {
    return is_stage(st) && vt_is(axis, VT_TAG_AXIS) ? te__attr(st, vt_te_iter(axis)) : NULL;
}

vta_status te_stage_marks(const te_stage *st, const te_axis *axis, te_axis_marks *out_marks) {
    if (!is_stage(st) || !vt_is(axis, VT_TAG_AXIS) || !out_marks) return VTA_INVALID_ARGUMENT;
    const te__axis_attr *attr = attr_of(st, axis);
    if (!attr) return VTA_NOT_FOUND;
    *out_marks = (te_axis_marks){.size = sizeof *out_marks,
                                 .type = vt_iter_type_text(attr->type),
                                 .thread = axis_or_null(attr->thread),
                                 .intrin = attr->intrin,
                                 .pragma_count = attr->n_pragmas};
    return VTA_OK;
}

const char *te_stage_pragma(const te_stage *st, const te_axis *axis, size_t index, te_expr **out_value) {
    const te__axis_attr *attr = attr_of(st, axis);
    if (out_value) *out_value = NULL;
    if (!attr || index >= attr->n_pragmas) return NULL;
    if (out_value) *out_value = te__out(attr->pragmas[index].value);
    return attr->pragmas[index].name;
}

te_attachment te_stage_attachment(const te_stage *st) {
    switch (is_stage(st) ? st->attach : TE__ROOT) {
    case TE__AT: return TE_COMPUTED_AT_LOOP;
    case TE__INLINE:
    case TE__INLINED: return TE_COMPUTED_INLINE;
    case TE__ROOT: break;
    }
    return TE_COMPUTED_AT_ROOT;
}

te_stage *te_stage_attached_to(const te_stage *st) { return is_stage(st) ? st->at_stage : NULL; }
te_axis *te_stage_attached_at(const te_stage *st) { return is_stage(st) ? axis_or_null(st->at_axis) : NULL; }
