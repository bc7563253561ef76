/* Reads and effects that a condition may be there to prevent. */
#include "lower/generic/unsafe.h"

#include "ir/build.h"
#include "ir/visit.h"

static bool is_choice(const vt_expr *e) {
    return e->kind == VT_E_SELECT || e->kind == VT_E_AND || e->kind == VT_E_OR || vt_is_call(e, VT_OP_IF_THEN_ELSE);
}

/* Does evaluating e read this element, whatever the conditions in it give? */
static bool reads_anyway(const vt_expr *e, const vt_expr *load) {
    if (vt_expr_equal(e, load)) return true;
    if (vt_is_call(e, VT_OP_ADDRESS_OF)) return false;
    for (uint32_t i = 0; i < (is_choice(e) ? 1 : e->n); i++)
        if (reads_anyway(e->a[i], load)) return true;
    return false;
}

static bool stays_inside(vt_analyzer *ranges, const vt_expr *load) {
    const vt_buffer *b = load->u.buffer;
    vt_ctx *ctx = vt_analyzer_ctx(ranges);
    if (load->n != b->ndim) return false;
    for (uint32_t i = 0; i < load->n; i++) {
        const vt_expr *index = load->a[i];
        if (!vt_prove(ranges, vt_ge(ctx, index, vt_int(ctx, index->dtype, 0)))) return false;
        if (!vt_prove(ranges, vt_lt(ctx, index, vt_cast(ctx, index->dtype, b->shape[i])))) return false;
    }
    return true;
}

bool vt_is_unsafe(vt_analyzer *ranges, const vt_expr *condition, const vt_expr *e) {
    switch ((int)e->kind) {
    case VT_E_LOAD:
        if (!ranges || (!stays_inside(ranges, e) && !(condition && reads_anyway(condition, e)))) return true;
        break;
    case VT_E_PLOAD:
    case VT_E_REDUCE: return true;
    case VT_E_CALL:
        if (e->u.op == VT_OP_ADDRESS_OF)
            e = e->a[0];
        else if (vt_op_infos[e->u.op].effect > VT_EFFECT_ANNOTATE)
            return true;
        break;
    default: break;
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (vt_is_unsafe(ranges, condition, e->a[i])) return true;
    return false;
}
