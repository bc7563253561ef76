/* Scans: a tensor whose rows follow from the rows before. A state stands for the scan's own result where the next row
 * is computed; what leads from states to the next row is the scan's body. */
#include "te/scan.h"
#include "arith/analyzer.h"
#include "te/bound.h"
#include "te/expr.h"

static const vt_expr *one_of(vt_ctx *ctx, const vt_expr *e) { return vt_int(ctx, e->dtype, 1); }

/* ---- The body ---- */

static bool has_state(const te__scan *scan, const vt_tensor *t) {
    for (uint32_t k = 0; k < scan->n; k++)
        if (te__tensor_key(scan->states[k]) == te__tensor_key(t)) return true;
    return false;
}

static bool has_update(const te__scan *scan, const vt_operation *op) {
    for (uint32_t k = 0; k < scan->n; k++)
        if (scan->updates[k] == op) return true;
    return false;
}

typedef struct body_finder {
    te_context *c;
    vt_ptrmap *seen, *inside; /* inside: operations that depend on a state, or are updates */
    te__scan *scan;
    const vt_operation **body;
    uint32_t n, cap;
} body_finder;

typedef struct visit {
    const vt_operation *op;
    uint32_t next;
} visit;

static void leave_op(body_finder *f, const vt_operation *op) {
    bool inside = has_update(f->scan, op);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        inside = inside || has_state(f->scan, op->inputs[i]) || vt_ptrmap_has(f->inside, te__op(op->inputs[i]));
    if (!inside) return;
    vt_ptrmap_set(f->inside, op, op);
    vt_grow(&f->c->ctx, &f->body, &f->cap, f->n + 1, sizeof *f->body);
    f->body[f->n++] = op;
}

/* Producers first. */
static void find_body(body_finder *f, const vt_operation *root) {
    vt_ctx *ctx = &f->c->ctx;
    visit *stack = NULL;
    uint32_t n = 0, cap = 0;
    if (vt_ptrmap_has(f->seen, root)) return;
    vt_ptrmap_set(f->seen, root, root);
    vt_grow(ctx, &stack, &cap, 1, sizeof *stack);
    stack[n++] = (visit){root, 0};
    while (n) {
        visit *top = &stack[n - 1];
        if (top->next == top->op->n_inputs) {
            leave_op(f, top->op);
            n--;
            continue;
        }
        const vt_operation *input = te__op(top->op->inputs[top->next++]);
        if (vt_ptrmap_has(f->seen, input)) continue;
        vt_ptrmap_set(f->seen, input, input);
        vt_grow(ctx, &stack, &cap, n + 1, sizeof *stack);
        stack[n++] = (visit){input, 0};
    }
}

/* ---- What is legal ---- */

static void check_state(te_context *c, const char *name, const vt_tensor *init, const vt_tensor *update,
                        const vt_tensor *state, int64_t *first) {
    int64_t rows;
    if (!te__op(state)->placeholder)
        te__raise(c, VTA_INVALID_ARGUMENT, "the state %s of the scan %s is not a placeholder", state->name, name);
    if (te__op(init)->placeholder || te__op(update)->placeholder)
        te__raise(c, VTA_INVALID_ARGUMENT,
                  "what the scan %s starts with and goes on with must be computed: %s is an input", name,
                  te__op(init)->placeholder ? init->name : update->name);
    bool same = state->ndim && init->ndim == state->ndim && update->ndim == state->ndim &&
                vt_dtype_eq(init->dtype, state->dtype) && vt_dtype_eq(update->dtype, state->dtype);
    vt_analyzer *a = vt_analyzer_new(&c->ctx);
    for (uint32_t d = 0; same && d < state->ndim; d++)
        same = vt_prove_equal(a, update->shape[d], state->shape[d]) &&
               (!d || vt_prove_equal(a, init->shape[d], state->shape[d]));
    if (!same)
        te__raise(c, VTA_INVALID_ARGUMENT,
                  "%s, %s and %s of the scan %s must be alike: of one type, and of one shape but for the first rows, "
                  "which %s "
                  "has fewer of",
                  init->name, update->name, state->name, name, init->name);
    if (!vt_as_const(init->shape[0], &rows) || (*first && rows != *first))
        te__raise(c, VTA_INVALID_ARGUMENT,
                  "the scan %s starts with %s rows of %s: it must be a constant number, the same for all of its states",
                  name, te__repr(c, init->shape[0]), init->name);
    *first = rows;
}

typedef struct row_check {
    te_context *c;
    const te__scan *scan;
    const vt_ptrmap *inside;
    const vt_operation *op;
    const char *name;
} row_check;

/* How many rows before its own an operation reads; false where that is no constant. */
static bool rows_before(const row_check *k, const vt_expr *load, int64_t *out) {
    vt_ctx *ctx = &k->c->ctx;
    const vt_var *row = k->op->iters[0]->var;
    if (!load->n || !vt_dtype_eq(load->a[0]->dtype, row->dtype)) return false;
    const vt_expr *distance = vt_simplify_free(ctx, vt_sub(ctx, row, load->a[0]));
    return vt_as_const(distance, out);
}

static void check_load(void *user, const vt_expr *e) {
    const row_check *k = user;
    int64_t before;
    if (e->kind != VT_E_PLOAD) return;
    bool state = has_state(k->scan, e->u.tensor), body = vt_ptrmap_has(k->inside, te__op(e->u.tensor));
    if (!state && !body) return;
    bool known = rows_before(k, e, &before);
    if (state && (!known || before < 1 || before > k->scan->first))
        te__raise(
            k->c, VTA_INVALID_ARGUMENT,
            "%s reads %s at row %s: inside of the scan %s a state is read 1 to %lld rows before the one being computed "
            "(%s[%s - 1, ...])",
            k->op->name, e->u.tensor->name, e->n ? te__repr(k->c, e->a[0]) : "", k->name, (long long)k->scan->first,
            e->u.tensor->name, vt_var_name(k->op->iters[0]->var));
    if (body && !state && (!known || before != 0))
        te__raise(
            k->c, VTA_INVALID_ARGUMENT,
            "%s reads %s at row %s: inside of the scan %s what is computed from its states is read at the row being "
            "computed",
            k->op->name, e->u.tensor->name, e->n ? te__repr(k->c, e->a[0]) : "", k->name);
}

static void check_body(body_finder *f, const char *name) {
    for (uint32_t i = 0; i < f->n; i++) {
        const vt_operation *op = f->body[i];
        if (op->scan)
            te__raise(f->c, VTA_UNSUPPORTED, "%s is a scan inside of the scan %s, which is not offered", op->name,
                      name);
        if (!op->n_axes || !vt_is_const(op->iters[0]->min, 0))
            te__raise(f->c, VTA_INVALID_ARGUMENT, "%s, inside of the scan %s, has no rows", op->name, name);
        row_check k = {f->c, f->scan, f->inside, op, name};
        for (uint32_t o = 0; o < op->n_outputs; o++) vt_expr_walk_post(op->bodies[o], check_load, &k);
    }
}

/* What the body reads from outside of it, and what the scan starts with. */
static void find_needed(body_finder *f, const vt_tensor *const *inits) {
    const vt_tensor **list = NULL;
    uint32_t n = 0, cap = 0;
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t j = 0; j < f->body[i]->n_inputs; j++) {
            const vt_tensor *t = f->body[i]->inputs[j];
            if (has_state(f->scan, t) || vt_ptrmap_has(f->inside, te__op(t))) continue;
            vt_grow(&f->c->ctx, &list, &cap, n + 1, sizeof *list);
            list[n++] = t;
        }
    vt_grow(&f->c->ctx, &list, &cap, n + f->scan->n, sizeof *list);
    for (uint32_t k = 0; k < f->scan->n; k++) list[n++] = inits[k];
    f->scan->needed = list;
    f->scan->n_needed = n;
}

static void check_starts(body_finder *f, const char *name, const vt_tensor *const *inits) {
    vt_ptrmap *updates = f->inside;
    uint32_t n = f->n;
    for (uint32_t k = 0; k < f->scan->n; k++) {
        find_body(f, te__op(inits[k]));
        if (f->n != n || vt_ptrmap_has(updates, te__op(inits[k])))
            te__raise(f->c, VTA_INVALID_ARGUMENT, "%s, which the scan %s starts with, depends on a state of it",
                      inits[k]->name, name);
    }
}

/* ---- Making ---- */

/* Result `k` at row `t`: what it starts with, or the next row. */
static const vt_expr *body_of(te_context *c, te__scan *scan, uint32_t k, const vt_iter *t, const vt_tensor *init,
                              const vt_tensor *update) {
    vt_ctx *ctx = &c->ctx;
    const vt_expr **index = VT_NEW_ARRAY(ctx, const vt_expr *, update->ndim);
    const vt_iter **columns = VT_NEW_ARRAY(ctx, const vt_iter *, update->ndim);
    const vt_expr *zero = vt_int(ctx, t->var->dtype, 0), *first = vt_int(ctx, t->var->dtype, scan->first);
    for (uint32_t d = 1; d < update->ndim; d++) {
        const vt_expr *extent = update->shape[d];
        columns[d - 1] = te__axis(c, vt_new_format(ctx, "i%u", d), vt_int(ctx, extent->dtype, 0), extent, false);
        index[d] = columns[d - 1]->var;
    }
    scan->columns[k] = columns;
    index[0] = t->var;
    const vt_expr *next = vt_e_pload(ctx, update, update->ndim, index);
    index[0] = scan->first == 1 ? zero : vt_min(ctx, t->var, vt_sub(ctx, first, one_of(ctx, first)));
    const vt_expr *start = vt_e_pload(ctx, init, init->ndim, index);
    return vt_if_then_else(ctx, vt_lt(ctx, t->var, first), start, next);
}

static void scan(te_context *c, const char *given_name, const char *tag, size_t count, te_tensor *const *inits,
                 te_tensor *const *updates, te_tensor *const *states, te_tensor **out_tensors) {
    vt_ctx *ctx = &c->ctx;
    const char *name = te__name(c, given_name, "a scan");
    if (!count || count > UINT16_MAX) te__raise(c, VTA_INVALID_ARGUMENT, "the scan %s has no states", name);
    te__scan *s = VT_NEW(ctx, te__scan);
    uint32_t n = s->n = (uint32_t)count;
    const vt_tensor **list = VT_NEW_ARRAY(ctx, const vt_tensor *, 3 * (size_t)n), **from = list + n,
                    **to = list + 2 * n;
    s->states = list;
    s->inits = from;
    s->nexts = to;
    s->updates = VT_NEW_ARRAY(ctx, const vt_operation *, n);
    s->columns = VT_NEW_ARRAY(ctx, const vt_iter *const *, n);
    s->first = 0;
    for (uint32_t k = 0; k < n; k++) {
        from[k] = te__tensor_in(c, inits[k], "what a scan starts with");
        to[k] = te__tensor_in(c, updates[k], "what a scan goes on with");
        const vt_tensor *state = te__tensor_in(c, states[k], "a state");
        te__need_context(c, te__op(from[k]));
        te__need_context(c, te__op(to[k]));
        check_state(c, name, from[k], to[k], state, &s->first);
        for (uint32_t j = 0; j < k; j++)
            if (te__tensor_key(list[j]) == te__tensor_key(state))
                te__raise(c, VTA_INVALID_ARGUMENT, "the state %s is given twice to the scan %s", state->name, name);
        list[k] = state;
        s->updates[k] = te__op(to[k]);
        if (k && !vt_prove_equal(vt_analyzer_new(ctx), to[k]->shape[0], to[0]->shape[0]))
            te__raise(c, VTA_INVALID_ARGUMENT, "%s and %s of the scan %s have different numbers of rows", to[0]->name,
                      to[k]->name, name);
    }
    body_finder f = {.c = c, .seen = vt_ptrmap_new(ctx), .inside = vt_ptrmap_new(ctx), .scan = s};
    for (uint32_t k = 0; k < n; k++) find_body(&f, te__op(to[k]));
    check_body(&f, name);
    s->body = f.body;
    s->n_body = f.n;
    find_needed(&f, from);
    check_starts(&f, name, from);
    const vt_expr *rows = to[0]->shape[0], **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    const vt_var *v = vt_var_new(ctx, vt_new_format(ctx, "%s.idx", name), rows->dtype);
    const vt_iter *t = vt_iter_new(ctx, v, vt_int(ctx, rows->dtype, 0), rows, VT_ITER_ORDERED, "");
    for (uint32_t k = 0; k < n; k++) bodies[k] = body_of(c, s, k, t, from[k], to[k]);
    const vt_iter **axes = VT_NEW_ARRAY(ctx, const vt_iter *, 1);
    axes[0] = t;
    const vt_operation fields = {.name = name,
                                 .tag = vt_new_string(ctx, tag),
                                 .n_axes = 1,
                                 .iters = axes,
                                 .n_outputs = n,
                                 .bodies = bodies,
                                 .scan = s};
    const vt_operation *op = te__operation_like(c, &fields, to);
    for (uint32_t k = 0; k < n; k++) out_tensors[k] = te__out(op->outputs[k]);
}

vta_status te_scan(te_context *c, const char *name, const char *tag, size_t n, te_tensor *const inits[],
                   te_tensor *const updates[], te_tensor *const states[], te_tensor *out_tensors[]) {
    if (!out_tensors || (n && (!inits || !updates || !states))) return VTA_INVALID_ARGUMENT;
    for (size_t k = 0; k < n; k++) out_tensors[k] = NULL;
    TE_RETURN_STATUS(c, scan(c, name, tag ? tag : "", n, inits, updates, states, out_tensors));
}

bool te_tensor_is_scan(const te_tensor *t) { return vt_is(t, VT_TAG_TENSOR) && te__op(vt_te_tensor(t))->scan != NULL; }

bool te__scan_begins(const te_schedule *s, const vt_operation *op, int64_t *out_first) {
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const te__scan *scan = s->stages[i]->op->scan;
        for (uint32_t j = 0; scan && j < scan->n_body; j++)
            if (scan->body[j] == op) {
                *out_first = scan->first;
                return true;
            }
    }
    return false;
}

bool te__is_state(const te_schedule *s, const vt_operation *op) {
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->op->scan && has_state(s->stages[i]->op->scan, op->outputs[0])) return true;
    return false;
}

/* ---- Columns: their axes, and which can be computed apart from each other ---------------------------------------- */

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

static uint32_t where(const follow *f, const vt_operation *op) {
    return (uint32_t)(uintptr_t)vt_ptrmap_get(f->where, op);
}

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
    if (has_state(f->scan, e->u.tensor)) {
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
        te__raise(c, VTA_NOT_FOUND, "the scan %s has %zu column axes, not %zu", op->name, te_scan_columns(t),
                  index + 1);
    *out = is_apart(c, op, index);
}

vta_status te_scan_column_apart(te_context *c, const te_tensor *t, size_t index, bool *out_apart) {
    if (!out_apart) return VTA_INVALID_ARGUMENT;
    TE_RETURN_STATUS(c, column_apart(c, t, index, out_apart));
}

/* ---- In a schedule: which stages run inside of the loop over the rows, and where --------------------------------- */

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
        if (has_state(scan, st->op->inputs[i])) return true;
    return false;
}

/* Stages that depend on a state of the scan, or are what it goes on with. */
static void find_inside(const te_schedule *s, const te_stage *of, bool *inside) {
    const te__scan *scan = of->op->scan;
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const te_stage *st = s->stages[i];
        inside[i] = st != of && (has_update(scan, st->origin) || reads_state(st, scan));
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
