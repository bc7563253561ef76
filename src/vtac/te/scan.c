/* Scans: a tensor whose rows follow from the rows before. A state stands for the scan's own result where the next row
 * is computed; what leads from states to the next row is the scan's body. */
#include "te/scan.h"
#include "arith/analyzer.h"
#include "te/expr.h"

static const vt_expr *one_of(vt_ctx *ctx, const vt_expr *e) { return vt_int(ctx, e->dtype, 1); }

/* ---- The body ---- */

bool te__scan_has_state(const te__scan *scan, const vt_tensor *t) {
    for (uint32_t k = 0; k < scan->n; k++)
        if (te__tensor_key(scan->states[k]) == te__tensor_key(t)) return true;
    return false;
}

bool te__scan_has_update(const te__scan *scan, const vt_operation *op) {
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
    bool inside = te__scan_has_update(f->scan, op);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        inside =
            inside || te__scan_has_state(f->scan, op->inputs[i]) || vt_ptrmap_has(f->inside, te__op(op->inputs[i]));
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
    bool state = te__scan_has_state(k->scan, e->u.tensor), body = vt_ptrmap_has(k->inside, te__op(e->u.tensor));
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
            if (te__scan_has_state(f->scan, t) || vt_ptrmap_has(f->inside, te__op(t))) continue;
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
        if (s->stages[i]->op->scan && te__scan_has_state(s->stages[i]->op->scan, op->outputs[0])) return true;
    return false;
}
