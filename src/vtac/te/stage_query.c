/* What was done to a stage: its axes, how they came about, what is said of them, and where it is computed. */
#include "te/schedule.h"

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
