/* The columns of scans: their axes, and which of them can be computed apart from each other. */
#include "te/expr.h"
#include "te/scan.h"

static const vt_operation *scan_of(const te_tensor *t) {
    const vt_operation *op = vt_is(t, VT_TAG_TENSOR) ? te__op(vt_te_tensor(t)) : NULL;
    return op && op->scan ? op : NULL;
}

/* ---- Looking up ---- */

size_t te_scan_body(const te_tensor *t) { return scan_of(t) ? scan_of(t)->scan->n_body : 0; }
te_tensor *te_scan_body_tensor(const te_tensor *t, size_t index) {
    return index < te_scan_body(t) ? te__out(scan_of(t)->scan->body[index]->outputs[0]) : NULL;
}

size_t te_scan_columns(const te_tensor *t) {
    const vt_operation *op = scan_of(t);
    size_t n = 0;
    for (uint32_t k = 0; op && k < op->n_outputs; k++) n += op->outputs[k]->ndim - 1;
    return n;
}

/* The result, and its dimension, of a column axis. */
static void place_of(const vt_operation *op, size_t index, uint32_t *result, uint32_t *dim) {
    for (*result = 0; index >= op->outputs[*result]->ndim - 1; (*result)++) index -= op->outputs[*result]->ndim - 1;
    *dim = (uint32_t)index + 1;
}

te_axis *te_scan_column(const te_tensor *t, size_t index) {
    uint32_t k, d;
    if (index >= te_scan_columns(t)) return NULL;
    place_of(scan_of(t), index, &k, &d);
    return te__out(scan_of(t)->scan->columns[k][d - 1]);
}

/* ---- Columns apart ---- */

/* Where in an operation's results the place of the column is: in no dimension, in exactly one, which is that place, or
 * in ways that are not looked into. */
enum { NOWHERE = 0, MIXED = UINT32_MAX }; /* else the dimension + 1 */

typedef struct follow {
    const te__scan *scan;
    uint32_t result, dim; /* the column: of which state, which dimension */
    vt_ptrmap *where;     /* operation of the body -> where the place is in it, as a pointer */
    const vt_operation *op;
    bool apart;
} follow;

static uint32_t where(const follow *f, const vt_operation *op) { return (uint32_t)(uintptr_t)vt_ptrmap_get(f->where, op); }

/* Where the place is among the indices of a load in f->op. */
static uint32_t among(const follow *f, const vt_expr *load) {
    uint32_t found = NOWHERE, at = where(f, f->op);
    if (at == NOWHERE || at == MIXED) return at;
    const vt_var *place = f->op->iters[at - 1]->var;
    for (uint32_t i = 0; i < load->n; i++)
        if (vt_expr_uses(load->a[i], place)) found = found == NOWHERE && load->a[i] == place ? i + 1 : MIXED;
    return found;
}

static void see_load(void *user, const vt_expr *e) {
    follow *f = user;
    if (e->kind != VT_E_PLOAD) return;
    uint32_t at = among(f, e);
    const vt_operation *from = te__op(e->u.tensor);
    if (te__scan_has_state(f->scan, e->u.tensor)) {
        bool own = te__tensor_key(e->u.tensor) == te__tensor_key(f->scan->states[f->result]);
        f->apart = f->apart && own && at == f->dim + 1;
        return;
    }
    for (uint32_t i = 0; i < f->scan->n_body; i++)
        if (f->scan->body[i] == from) {
            bool first = !vt_ptrmap_has(f->where, from);
            uint32_t now = first || where(f, from) == at ? at : MIXED;
            vt_ptrmap_set(f->where, from, (void *)(uintptr_t)now);
        }
}

/* From the next row back to the states, consumers first. */
static bool is_apart(te_context *c, const vt_operation *op, size_t column) {
    follow f = {.scan = op->scan, .where = vt_ptrmap_new(&c->ctx), .apart = true};
    place_of(op, column, &f.result, &f.dim);
    vt_ptrmap_set(f.where, op->scan->updates[f.result], (void *)(uintptr_t)(f.dim + 1));
    for (uint32_t i = op->scan->n_body; i > 0 && f.apart; i--) {
        f.op = op->scan->body[i - 1];
        if (!vt_ptrmap_has(f.where, f.op)) continue; /* of another result */
        if (f.op->external) return false;
        for (uint32_t k = 0; k < f.op->n_outputs; k++) vt_expr_walk_post(f.op->bodies[k], see_load, &f);
    }
    return f.apart;
}

static void column_apart(te_context *c, const te_tensor *t, size_t index, bool *out) {
    const vt_operation *op = scan_of(t);
    if (!op) te__raise(c, VTA_INVALID_ARGUMENT, "%s is not a scan", te__tensor_in(c, t, "a tensor")->name);
    if (index >= te_scan_columns(t))
        te__raise(c, VTA_NOT_FOUND, "the scan %s has %zu column axes, not %zu", op->name, te_scan_columns(t), index + 1);
    *out = is_apart(c, op, index);
}

vta_status te_scan_column_apart(te_context *c, const te_tensor *t, size_t index, bool *out_apart) {
    if (!out_apart) return VTA_INVALID_ARGUMENT;
    TE_RETURN_STATUS(c, column_apart(c, t, index, out_apart));
}
