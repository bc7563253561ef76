/* Scans in a schedule: which stages run inside of the loop over the rows, and where. */
#include "te/bound.h"
#include "te/scan.h"

/* The loops over the rows, outermost first, as splits and fusions made them; they must stand in this order, which is
 * the order of the rows. The innermost. */
static const vt_iter *check_order(te_context *c, const te_stage *st) {
    vt_ctx *ctx = &c->ctx;
    te__iters rows = {0};
    te__iters_insert(ctx, &rows, 0, st->op->iters[0]);
    for (uint32_t i = 0; i < st->n_relations; i++) {
        const te__relation *r = &st->relations[i];
        const vt_iter *from = r->kind == TE__FUSE ? r->outer : r->parent;
        uint32_t at = from ? te__iters_find(&rows, from) : rows.n;
        if (at == rows.n) continue;
        if (r->kind == TE__FUSE) {
            if (at + 1 == rows.n || rows.items[at + 1] != r->inner) goto wrong;
            rows.items[at] = r->parent;
            for (uint32_t j = at + 1; j + 1 < rows.n; j++) rows.items[j] = rows.items[j + 1];
            rows.n--;
        } else {
            rows.items[at] = r->outer;
            te__iters_insert(ctx, &rows, at + 1, r->inner);
        }
    }
    for (uint32_t i = 0, next = 0; i < st->leaf.n; i++) {
        uint32_t at = te__iters_find(&rows, st->leaf.items[i]);
        if (at < rows.n && at != next++) goto wrong;
    }
    return rows.items[rows.n - 1];
wrong:
    te__raise(c, VTA_ILLEGAL, "the rows of the scan %s follow from each other: its loops %s do not run in their order",
              st->origin->name, te__leaf_names(ctx, st));
}

static bool reads_state(const te_stage *st, const te__scan *scan) {
    for (uint32_t i = 0; i < st->op->n_inputs; i++)
        if (te__scan_has_state(scan, st->op->inputs[i])) return true;
    return false;
}

/* Stages that depend on a state of the scan, or are what it goes on with. */
static void find_inside(const te_schedule *s, const te_stage *of, bool *inside) {
    const te__scan *scan = of->op->scan;
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const te_stage *st = s->stages[i];
        inside[i] = st != of && (te__scan_has_update(scan, st->origin) || reads_state(st, scan));
        for (uint32_t j = 0; st != of && j < st->op->n_inputs && !inside[i]; j++) {
            const te_stage *input = te__stage_of(s, te__op(st->op->inputs[j]));
            inside[i] = input && input != of && inside[te__stage_index(s, input)];
        }
    }
}

void te__place_scans(te_schedule *s) {
    bool *inside = VT_NEW_ARRAY(&s->c->ctx, bool, s->n_stages);
    for (uint32_t i = 0; i < s->n_stages; i++) {
        te_stage *of = s->stages[i];
        if (!of->op->scan || of->attach == TE__INLINED) continue;
        const vt_iter *row = check_order(s->c, of);
        find_inside(s, of, inside);
        for (uint32_t j = 0; j < s->n_stages; j++) {
            te_stage *st = s->stages[j];
            if (!inside[j] || st->attach == TE__INLINED || st->op->placeholder) continue;
            st->scan = of;
            if (st->is_output || te__stage_index(s, of) < j)
                te__raise(
                    s->c, VTA_ILLEGAL,
                    "%s depends on a state of the scan %s, but is used outside of it: only the scan's result is known "
                    "there",
                    st->origin->name, of->origin->name);
            if (st->attach != TE__ROOT) continue;
            st->attach = TE__AT;
            st->at_stage = of;
            st->at_axis = row;
            st->at_pos = st->origin->pos;
        }
    }
}

/* The loops over the columns of one result, around its store. */
static const vt_stmt *columns_around(vt_ctx *ctx, const vt_operation *op, uint32_t k) {
    const vt_tensor *t = op->outputs[k];
    const vt_expr **index = VT_NEW_ARRAY(ctx, const vt_expr *, t->ndim);
    const vt_iter *const *columns = op->scan->columns[k];
    index[0] = op->iters[0]->var;
    for (uint32_t d = 1; d < t->ndim; d++) index[d] = columns[d - 1]->var;
    const vt_stmt *s = vt_s_pstore(ctx, t, op->bodies[k], t->ndim, index);
    for (uint32_t d = t->ndim - 1; d > 0; d--)
        s = vt_s_for(ctx, columns[d - 1]->var, columns[d - 1]->min, columns[d - 1]->extent, VT_FOR_SERIAL, s);
    return s;
}

const vt_stmt *te__scan_stores(vt_ctx *ctx, const vt_operation *op) {
    const vt_stmt **stores = VT_NEW_ARRAY(ctx, const vt_stmt *, op->n_outputs);
    for (uint32_t k = 0; k < op->n_outputs; k++) stores[k] = columns_around(ctx, op, k);
    return vt_s_seq(ctx, op->n_outputs, stores);
}

/* A stage inside of a scan is computed for the rows that follow from others. */
const vt_stmt *te__scan_guard(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt *s) {
    const te_stage *of = st->scan;
    if (!of || st->at_stage->scan == of) return s; /* or around what it is computed in */
    vt_ptrmap *values = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < of->leaf.n; i++) vt_ptrmap_set(values, of->leaf.items[i], of->leaf.items[i]->var);
    te__pass_up_index(ctx, of, ranges, values);
    const vt_expr *row = vt_ptrmap_get(values, of->op->iters[0]);
    return vt_s_if(ctx, vt_ge(ctx, row, vt_int(ctx, row->dtype, of->op->scan->first)), s, NULL);
}
