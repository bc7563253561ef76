/* Gradients: from the output back to the inputs, what each tensor's elements count for (its adjoint), computed from the
 * adjoints of what reads it. A tensor of derivatives of every output element by every input element is never made. */
#include "te/gradient.h"

typedef struct adjoint {
    uint32_t n, cap;
    const vt_tensor **parts; /* to be added; of the shape of the adjoint */
    const vt_tensor *sum;
} adjoint;

typedef struct gradient {
    te_context *c;
    vt_ctx *ctx;
    const vt_tensor *output, *head; /* head NULL: every element of the output by itself */
    uint32_t n_prefix;              /* dimensions that all adjoints have in front */
    const vt_expr *const *prefix;
    vt_ptrmap *inputs; /* tensor key -> itself */
    vt_ptrmap
        *leads; /* operation -> itself where an input is below it, or one of its outputs is one; else the gradient */
    vt_ptrmap *adjoints; /* tensor key -> adjoint */
    const vt_operation **order;
    uint32_t n_order, cap_order;
} gradient;

/* ---- What leads to an input ---- */

static bool is_input(const gradient *g, const vt_tensor *t) { return vt_ptrmap_has(g->inputs, te__tensor_key(t)); }
static bool op_leads(const gradient *g, const vt_operation *op) { return vt_ptrmap_get(g->leads, op) == op; }

/* One operation behind all outputs: tensors of an operation may be seen through copies of it. */
static const vt_operation *op_of(const vt_tensor *t) {
    const vt_tensor *key = te__tensor_key(t);
    return key->op;
}

static bool tensor_leads(const gradient *g, const vt_tensor *t) { return is_input(g, t) || op_leads(g, op_of(t)); }

static bool inputs_lead(const gradient *g, const vt_operation *op) {
    bool any = false;
    for (uint32_t i = 0; i < op->n_inputs; i++) any = any || tensor_leads(g, op->inputs[i]);
    return any;
}

/* Orders operations, producers first. */
static void visit(gradient *g, const vt_operation *op) {
    if (vt_ptrmap_has(g->leads, op)) return;
    vt_ptrmap_set(g->leads, op, g);
    for (uint32_t i = 0; i < op->n_inputs; i++) visit(g, op_of(op->inputs[i]));
    if (!inputs_lead(g, op)) return;
    if (op->scan || op->external)
        te__raise(g->c, VTA_UNSUPPORTED, "%s cannot be differentiated: it is %s; write the gradient as a computation",
                  op->name, op->scan ? "a scan" : "made of statements (te.extern, hybrid)");
    vt_ptrmap_set(g->leads, op, op);
    vt_grow(g->ctx, &g->order, &g->cap_order, g->n_order + 1, sizeof *g->order);
    g->order[g->n_order++] = op;
}

/* ---- Adjoints ---- */

static adjoint *adjoint_of(gradient *g, const vt_tensor *t) {
    adjoint *a = vt_ptrmap_get(g->adjoints, te__tensor_key(t));
    if (a) return a;
    a = VT_NEW(g->ctx, adjoint);
    *a = (adjoint){.n = 0};
    vt_ptrmap_set(g->adjoints, te__tensor_key(t), a);
    return a;
}

static const vt_iter **axes_like(gradient *g, const vt_tensor *t) {
    const vt_iter **axes = VT_NEW_ARRAY(g->ctx, const vt_iter *, g->n_prefix + t->ndim);
    for (uint32_t i = 0; i < g->n_prefix + t->ndim; i++)
        axes[i] = te__fresh_axis(g->c, vt_new_format(g->ctx, "i%u", i),
                                 i < g->n_prefix ? g->prefix[i] : t->shape[i - g->n_prefix]);
    return axes;
}

static const vt_expr *load_at(vt_ctx *ctx, const vt_tensor *t, const vt_iter *const *axes) {
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++) at[i] = axes[i]->var;
    return vt_e_pload(ctx, t, t->ndim, at);
}

static const vt_tensor *define(gradient *g, const vt_tensor *t, const char *name, const vt_iter *const *axes,
                               const vt_expr *body) {
    return te__compute(g->c, name, "", g->n_prefix + t->ndim, axes, 1, &body)->outputs[0];
}

/* The adjoint of a tensor from its parts, all of which are known. */
static const vt_tensor *total(gradient *g, const vt_tensor *t) {
    adjoint *a = adjoint_of(g, t);
    if (a->sum) return a->sum;
    if (a->n == 1) return a->sum = a->parts[0];
    const vt_iter **axes = axes_like(g, t);
    const vt_expr *body = te__zero(g->c, t->dtype);
    for (uint32_t i = 0; i < a->n; i++) body = vt_add(g->ctx, body, load_at(g->ctx, a->parts[i], axes));
    return a->sum = define(g, t, vt_new_format(g->ctx, "%s.grad", t->name), axes, body);
}

static void add_part(gradient *g, const vt_tensor *t, const vt_tensor *part) {
    adjoint *a = adjoint_of(g, t);
    vt_grow(g->ctx, &a->parts, &a->cap, a->n + 1, sizeof *a->parts);
    a->parts[a->n++] = part;
}

/* ---- From the adjoint of a result to those of what it reads ---- */

/* A result of a computation and its body, seen from the points at which it is computed. */
typedef struct result {
    const vt_operation *op;
    const vt_tensor *tensor;
    const vt_iter **prefix; /* axes that stand for the prefix in `seed` */
    uint32_t n_axes;        /* of the points: with the reduce axes, or without */
    const vt_expr *seed;
    bool by_itself; /* the prefix is the output's shape, and the output its own adjoint */
} result;

static const vt_expr *tidy_node(void *user, const vt_expr *e) {
    vt_analyzer *a = user;
    if (vt_dtype_is_bool(e->dtype) && e->kind != VT_E_VAR && e->kind != VT_E_PLOAD) return vt_simplify(a, e);
    if (e->kind != VT_E_PLOAD || !e->n) return e;
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, e->n);
    for (uint32_t i = 0; i < e->n; i++) at[i] = vt_simplify(a, e->a[i]);
    return vt_e_with(ctx, e, at);
}

/* The sum over all points that read the element, as a tensor of the shape of the adjoint of what is read. */
static const vt_tensor *part_of(gradient *g, const result *r, const te__partial *partial) {
    vt_ctx *ctx = g->ctx;
    const vt_tensor *t = partial->leaf->u.tensor;
    const vt_iter **axes = axes_like(g, t);
    uint32_t n = t->ndim, n_own = r->by_itself ? g->n_prefix : 0;
    te__equation *equations = VT_NEW_ARRAY(ctx, te__equation, n + n_own);
    for (uint32_t i = 0; i < n; i++) equations[i] = (te__equation){partial->leaf->a[i], axes[g->n_prefix + i]->var};
    for (uint32_t i = 0; i < n_own; i++) equations[n + i] = (te__equation){r->op->iters[i]->var, axes[i]->var};
    te__preimage p = te__solve(g->c, r->n_axes, r->op->iters, g->n_prefix + n, axes, n + n_own, equations);
    for (uint32_t i = 0; i < g->n_prefix; i++) vt_varmap_set(p.values, r->prefix[i]->var, axes[i]->var);
    const vt_expr *body = vt_expr_rewrite(ctx, vt_substitute(ctx, partial->factor, p.values), tidy_node, p.analyzer);
    if (p.condition) body = vt_if_then_else(ctx, p.condition, body, te__zero(g->c, body->dtype));
    if (p.n_rest) body = te__reduce(g->c, TE_SUM, body, NULL, p.n_rest, p.rest);
    return define(g, t, vt_new_format(ctx, "%s.%s.grad", r->tensor->name, t->name), axes, body);
}

static void parts_of(gradient *g, const result *r, const vt_expr *value, const vt_expr *seed) {
    vt_ptrmap *wanted = vt_ptrmap_new(g->ctx);
    for (uint32_t i = 0; i < r->op->n_inputs; i++)
        if (tensor_leads(g, r->op->inputs[i])) vt_ptrmap_set(wanted, te__tensor_key(r->op->inputs[i]), r);
    te__partials partials = {.n = 0};
    te__differentiate(g->c, r->tensor->name, value, seed, wanted, &partials);
    for (uint32_t i = 0; i < partials.n; i++)
        add_part(g, partials.items[i].leaf->u.tensor, part_of(g, r, &partials.items[i]));
}

/* A reduction: at each point its value, by what that point counts for; what a sum starts at is there once. */
static void reduction(gradient *g, result *r, const vt_expr *e) {
    const vt_reduce *how = e->u.reduce;
    const vt_expr *weight = te__reduction_weight(g->c, r->op), *seed = r->seed;
    if (how->has_init) parts_of(g, r, e->a[how->n_sources], seed);
    if (weight) seed = vt_mul(g->ctx, seed, weight);
    const vt_expr *condition = e->a[e->n - 1];
    if (!vt_is_const(condition, 1)) seed = vt_if_then_else(g->ctx, condition, seed, te__zero(g->c, seed->dtype));
    r->n_axes += r->op->n_reduce;
    parts_of(g, r, e->a[0], seed);
}

/* The adjoint at a point of the computation; NULL: the output's own. */
static const vt_expr *seed_at(gradient *g, const result *r, const vt_tensor *sum) {
    const vt_expr **at = VT_NEW_ARRAY(g->ctx, const vt_expr *, sum->ndim);
    for (uint32_t i = 0; i < sum->ndim; i++)
        at[i] = i < g->n_prefix ? r->prefix[i]->var : r->op->iters[i - g->n_prefix]->var;
    return vt_e_pload(g->ctx, sum, sum->ndim, at);
}

static void propagate(gradient *g, const vt_operation *op, uint32_t index) {
    const vt_tensor *t = op->outputs[index];
    adjoint *a = vt_ptrmap_get(g->adjoints, t);
    bool own = t == te__tensor_key(g->output);
    if (!a && !own) return;
    result r = {.op = op, .tensor = t, .n_axes = op->n_axes, .by_itself = own && !g->head};
    r.prefix = axes_like(g, t);
    r.seed = r.by_itself ? te__one(g->c, t->dtype) : seed_at(g, &r, total(g, t));
    const vt_expr *e = op->bodies[index];
    if (e->kind == VT_E_REDUCE)
        reduction(g, &r, e);
    else
        parts_of(g, &r, e, r.seed);
}

/* ---- The whole ---- */

static void check_head(gradient *g) {
    const vt_tensor *y = g->output, *h = g->head;
    uint32_t more = h->ndim >= y->ndim ? h->ndim - y->ndim : 0;
    bool fits = h->ndim >= y->ndim;
    for (uint32_t i = 0; fits && i < y->ndim; i++)
        fits = vt_is_const(vt_simplify_free(g->ctx, vt_sub(g->ctx, h->shape[more + i], y->shape[i])), 0);
    if (!fits)
        te__raise(
            g->c, VTA_INVALID_ARGUMENT,
            "the head %s of the gradient of %s has %u dimensions; its last ones must be those of %s, which has %u",
            h->name, y->name, h->ndim, y->name, y->ndim);
    if (!vt_dtype_eq(h->dtype, y->dtype))
        te__raise(g->c, VTA_INVALID_ARGUMENT, "the head %s of the gradient of %s is %s, not %s", h->name, y->name,
                  te__dtype_text(g->c, h->dtype), te__dtype_text(g->c, y->dtype));
    g->n_prefix = more;
    g->prefix = h->shape;
}

static void need_float(gradient *g, const vt_tensor *t, const char *what) {
    if (!vt_dtype_is_float(t->dtype))
        te__raise(g->c, VTA_INVALID_ARGUMENT, "%s %s is %s: only floats have derivatives", what, t->name,
                  te__dtype_text(g->c, t->dtype));
    te__need_context(g->c, te__op(t));
}

/* The output by itself: 1 where the two halves of the indices agree. */
static const vt_tensor *identity(gradient *g) {
    const vt_iter **axes = axes_like(g, g->output);
    const vt_expr *same = vt_bool(g->ctx, true);
    for (uint32_t i = 0; i < g->n_prefix; i++)
        same = vt_and(g->ctx, same, vt_eq(g->ctx, axes[i]->var, axes[g->n_prefix + i]->var));
    vt_dtype t = g->output->dtype;
    const vt_expr *body = vt_select(g->ctx, same, te__one(g->c, t), te__zero(g->c, t));
    return define(g, g->output, vt_new_format(g->ctx, "%s.grad", g->output->name), axes, body);
}

static void gradients(te_context *c, const te_tensor *output, size_t n, te_tensor *const *inputs, const te_tensor *head,
                      te_tensor **out_gradients) {
    gradient g = {.c = c, .ctx = &c->ctx, .output = te__tensor_in(c, output, "an output")};
    g.head = head ? te__tensor_in(c, head, "a head") : NULL;
    g.n_prefix = g.output->ndim;
    g.prefix = g.output->shape;
    g.inputs = vt_ptrmap_new(g.ctx);
    g.leads = vt_ptrmap_new(g.ctx);
    g.adjoints = vt_ptrmap_new(g.ctx);
    need_float(&g, g.output, "the output");
    if (g.head) check_head(&g);
    if (n) te__need(c, inputs, "a list of inputs");
    for (size_t i = 0; i < n; i++) {
        const vt_tensor *t = te__tensor_in(c, inputs[i], "an input");
        need_float(&g, t, "the input");
        vt_ptrmap_set(g.inputs, te__tensor_key(t), te__tensor_key(t));
    }
    visit(&g, op_of(g.output));
    if (g.head)
        add_part(&g, g.output, g.head);
    else if (is_input(&g, g.output))
        add_part(&g, g.output, identity(&g));
    for (uint32_t i = g.n_order; i > 0; i--)
        for (uint32_t k = 0; k < g.order[i - 1]->n_outputs; k++) propagate(&g, g.order[i - 1], k);
    for (size_t i = 0; i < n; i++) out_gradients[i] = te__out(total(&g, vt_te_tensor(inputs[i])));
}

vta_status te_gradient(te_context *c, te_tensor *output, size_t n, te_tensor *const inputs[], te_tensor *head,
                       te_tensor *out_gradients[]) {
    if (n && !out_gradients) return VTA_INVALID_ARGUMENT;
    for (size_t i = 0; i < n; i++) out_gradients[i] = NULL;
    TE_RETURN_STATUS(c, gradients(c, output, n, inputs, head, out_gradients));
}
