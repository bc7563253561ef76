/* The unscheduled computation as a function of blocks: one block for each stage, under loops over its axes. */
#include "arith/intset.h"
#include "ir/print.h"
#include "te/nest.h"

typedef struct maker {
    te_context *c;
    vt_ctx *ctx;
    vt_ptrmap *buffers; /* tensor -> buffer */
} maker;

static const vt_buffer *buffer_of(const maker *m, const vt_tensor *t) {
    return vt_ptrmap_get(m->buffers, te__tensor_key(t));
}

static const vt_expr *to_buffer(void *user, const vt_expr *e) {
    const maker *m = user;
    return e->kind == VT_E_PLOAD ? vt_e_load(m->ctx, buffer_of(m, e->u.tensor), e->n, e->a) : e;
}

/* An expression of the body in terms of the block's variables. */
static const vt_expr *settle(maker *m, const vt_expr *e, const vt_varmap *vars) {
    e = vt_substitute(m->ctx, vt_expr_rewrite(m->ctx, e, to_buffer, m), vars);
    return vt_simplify_free(m->ctx, e);
}

/* ---- What a block reads ---- */

typedef struct region_list {
    vt_ctx *ctx;
    vt_region *items;
    uint32_t n, cap;
} region_list;

static vt_region point(vt_ctx *ctx, const vt_buffer *b, uint32_t n, const vt_expr *const *index) {
    vt_range *ranges = VT_NEW_ARRAY(ctx, vt_range, n);
    for (uint32_t i = 0; i < n; i++) ranges[i] = (vt_range){index[i], vt_int(ctx, index[i]->dtype, 1)};
    return (vt_region){b, n, ranges};
}

static void widen(vt_ctx *ctx, vt_region *region, const vt_expr *const *index) {
    vt_range *ranges = VT_NEW_ARRAY(ctx, vt_range, region->n_ranges);
    for (uint32_t i = 0; i < region->n_ranges; i++) {
        vt_intset sets[2] = {vt_intset_range(ctx, region->ranges[i].min, region->ranges[i].extent),
                             vt_intset_point(index[i])};
        vt_intset both = vt_intset_union(vt_analyzer_new(ctx), 2, sets);
        vt_range whole = {vt_i32(ctx, 0), region->buffer->shape[i]};
        ranges[i] = vt_intset_cover(vt_analyzer_new(ctx), both, whole);
    }
    region->ranges = ranges;
}

static void note_read(void *user, const vt_expr *e) {
    region_list *list = user;
    if (e->kind != VT_E_LOAD) return;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i].buffer == e->u.buffer) {
            widen(list->ctx, &list->items[i], e->a);
            return;
        }
    vt_grow(list->ctx, &list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = point(list->ctx, e->u.buffer, e->n, e->a);
}

/* ---- Blocks ---- */

typedef struct block_parts {
    const vt_iter **iters; /* the block's own variables */
    const vt_expr **loops; /* the loops' */
    vt_varmap *vars;       /* the computation's axes -> the block's variables */
    const vt_expr **index; /* of what is stored */
} block_parts;

static block_parts make_parts(maker *m, const vt_operation *op) {
    vt_ctx *ctx = m->ctx;
    uint32_t n = op->n_axes + op->n_reduce;
    block_parts p = {VT_NEW_ARRAY(ctx, const vt_iter *, n), VT_NEW_ARRAY(ctx, const vt_expr *, n), vt_varmap_new(ctx),
                     VT_NEW_ARRAY(ctx, const vt_expr *, op->n_axes)};
    for (uint32_t i = 0; i < n; i++) {
        const vt_iter *axis = op->iters[i];
        const vt_var *v = vt_var_copy(ctx, axis->var, "");
        p.loops[i] = vt_var_new(ctx, vt_new_format(ctx, "i%u", i), axis->var->dtype);
        p.iters[i] = vt_iter_new(ctx, v, axis->min, axis->extent, axis->type, "");
        vt_varmap_set(p.vars, axis->var, v);
        if (i < op->n_axes) p.index[i] = v;
    }
    return p;
}

static const vt_stmt *store(maker *m, const vt_operation *op, uint32_t k, const block_parts *p, const vt_expr *value) {
    return vt_s_store(m->ctx, buffer_of(m, op->outputs[k]), value, op->n_axes, p->index);
}

/* The value that a step of a reduction stores. */
static const vt_expr *combined(maker *m, const vt_operation *op, uint32_t k, const block_parts *p, region_list *reads) {
    const vt_expr *body = op->bodies[k];
    const vt_combiner *how = body->u.reduce->combiner;
    vt_varmap *sides = vt_varmap_new(m->ctx);
    for (uint32_t i = 0; i < how->n; i++) {
        const vt_expr *source = settle(m, body->a[i], p->vars);
        vt_expr_walk_post(source, note_read, reads);
        vt_varmap_set(sides, how->lhs[i], vt_e_load(m->ctx, buffer_of(m, op->outputs[i]), op->n_axes, p->index));
        vt_varmap_set(sides, how->rhs[i], source);
    }
    for (uint32_t i = 0; i < how->n_outer; i++) vt_varmap_set(sides, how->outer[i], settle(m, how->outer[i], p->vars));
    return vt_substitute(m->ctx, how->result[k], sides);
}

/* The stores of a step; those of a reduction of several results come after all values, which may need what they
 * replace. */
static const vt_stmt *stores(maker *m, const vt_operation *op, const block_parts *p, const vt_expr **values) {
    vt_ctx *ctx = m->ctx;
    const vt_stmt **list = VT_NEW_ARRAY(ctx, const vt_stmt *, op->n_outputs);
    te__nest lets = {0};
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        const vt_var *v = vt_var_new(ctx, vt_new_format(ctx, "v_%s_v%u", op->name, k), values[k]->dtype);
        if (op->n_reduce && op->n_outputs > 1) te__nest_add(ctx, &lets, vt_s_let(ctx, v, values[k], vt_s_nop(ctx)));
        list[k] = store(m, op, k, p, lets.n ? v : values[k]);
    }
    const vt_stmt *s = te__nest_merge(ctx, &lets, vt_s_seq(ctx, op->n_outputs, list));
    const vt_expr *first = op->bodies[0];
    if (!op->n_reduce || vt_is_const(first->a[first->n - 1], 1)) return s;
    return vt_s_if(ctx, settle(m, first->a[first->n - 1], p->vars), s, NULL);
}

static const vt_stmt *make_block(maker *m, const vt_operation *op) {
    vt_ctx *ctx = m->ctx;
    uint32_t n = op->n_axes + op->n_reduce;
    block_parts p = make_parts(m, op);
    region_list reads = {.ctx = ctx};
    vt_region *writes = VT_NEW_ARRAY(ctx, vt_region, op->n_outputs);
    const vt_stmt **init = VT_NEW_ARRAY(ctx, const vt_stmt *, op->n_outputs);
    const vt_expr **values = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_outputs);
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        if (op->n_reduce) {
            const vt_reduce *r = op->bodies[k]->u.reduce;
            const vt_expr *start = r->has_init ? op->bodies[k]->a[r->n_sources + k] : r->combiner->identity[k];
            init[k] = store(m, op, k, &p, settle(m, start, p.vars));
            values[k] = combined(m, op, k, &p, &reads);
        } else {
            values[k] = settle(m, op->bodies[k], p.vars);
            vt_expr_walk_post(values[k], note_read, &reads);
        }
        writes[k] = point(ctx, buffer_of(m, op->outputs[k]), op->n_axes, p.index);
    }
    vt_stmt fields = {.kind = VT_S_BLOCK};
    fields.u.block.name = op->name;
    fields.u.block.n_iters = fields.u.block.n_bindings = n;
    fields.u.block.iters = p.iters;
    fields.u.block.bindings = p.loops;
    fields.u.block.n_reads = reads.n;
    fields.u.block.reads = reads.items;
    fields.u.block.n_writes = op->n_outputs;
    fields.u.block.writes = writes;
    fields.u.block.init = op->n_reduce ? vt_s_seq(ctx, op->n_outputs, init) : NULL;
    fields.u.block.body = stores(m, op, &p, values);
    const vt_stmt *s = vt_s_new(ctx, &fields);
    for (uint32_t i = n; i > 0; i--)
        s = vt_s_for(ctx, p.loops[i - 1], op->iters[i - 1]->min, op->iters[i - 1]->extent, VT_FOR_SERIAL, s);
    return s;
}

/* ---- The function ---- */

typedef struct function_call {
    size_t n;
    te_tensor *const *args;
    const char *name;
} function_call;

static bool is_argument(const function_call *call, const vt_tensor *t) {
    for (size_t i = 0; i < call->n; i++)
        if (vt_te_tensor(call->args[i]) == t) return true;
    return false;
}

static const vt_stmt *root_block(maker *m, te_schedule *s, const function_call *call) {
    vt_ctx *ctx = m->ctx;
    const vt_buffer **allocs = NULL;
    const vt_stmt **blocks = NULL;
    uint32_t n_allocs = 0, cap_allocs = 0, n = 0, cap = 0;
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const vt_operation *op = s->stages[i]->op;
        if (op->placeholder) continue;
        for (uint32_t k = 0; k < op->n_outputs; k++) {
            const vt_tensor *t = op->outputs[k];
            if (is_argument(call, t)) continue;
            const vt_buffer *b = vt_buffer_new(ctx, t->name, NULL, t->dtype, t->ndim, t->shape);
            vt_ptrmap_set(m->buffers, t, b);
            vt_grow(ctx, &allocs, &cap_allocs, n_allocs + 1, sizeof *allocs);
            allocs[n_allocs++] = b;
        }
        vt_grow(ctx, &blocks, &cap, n + 1, sizeof *blocks);
        blocks[n++] = make_block(m, op);
    }
    vt_stmt fields = {.kind = VT_S_BLOCK};
    fields.u.block.name = "root";
    fields.u.block.n_allocs = n_allocs;
    fields.u.block.allocs = allocs;
    fields.u.block.body = vt_s_seq(ctx, n, blocks);
    return vt_s_new(ctx, &fields);
}

static const vt_func *make_function(maker *m, const function_call *call) {
    te_context *c = m->c;
    vt_ctx *ctx = m->ctx;
    const vt_var **params = VT_NEW_ARRAY(ctx, const vt_var *, call->n);
    vt_binding *bindings = VT_NEW_ARRAY(ctx, vt_binding, call->n);
    te_tensor **outputs = VT_NEW_ARRAY(ctx, te_tensor *, call->n);
    size_t n_outputs = 0;
    for (size_t i = 0; i < call->n; i++) {
        te__need_a(c, VT_TAG_TENSOR, call->args[i], "a tensor");
        const vt_tensor *t = vt_te_tensor(call->args[i]);
        params[i] = vt_var_new(ctx, t->name, VT_HANDLE_T);
        bindings[i].param = params[i];
        bindings[i].buffer = vt_buffer_new(ctx, t->name, NULL, t->dtype, t->ndim, t->shape);
        vt_ptrmap_set(m->buffers, te__tensor_key(t), bindings[i].buffer);
        if (!te__op(t)->placeholder) outputs[n_outputs++] = call->args[i];
    }
    if (!n_outputs)
        te__raise(c, VTA_INVALID_ARGUMENT, "the arguments of a function are inputs only: nothing is computed");
    te_schedule *s = te_schedule_create(c, n_outputs, outputs);
    te__need(c, s, "an output among the arguments");
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->op->external)
            te__raise(c, VTA_UNSUPPORTED,
                      "%s consists of statements, which a function of blocks cannot say: lower its schedule",
                      s->stages[i]->op->name);
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->op->scan)
            te__raise(c, VTA_UNSUPPORTED, "%s is a scan, which a function of blocks cannot say: lower its schedule",
                      s->stages[i]->op->name);
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->op->placeholder && !is_argument(call, s->stages[i]->op->outputs[0]))
            te__raise(c, VTA_INVALID_ARGUMENT, "the input %s is not among the arguments", s->stages[i]->op->name);
    vt_func *f = VT_NEW(ctx, vt_func);
    *f = (vt_func){.name = call->name,
                   .n_params = (uint32_t)call->n,
                   .params = params,
                   .n_bindings = (uint32_t)call->n,
                   .bindings = bindings,
                   .result = VT_VOID_T};
    f->body = root_block(m, s, call);
    const vt_func *result = vt_func_with_attr(ctx, f, "global_symbol", vt_string(ctx, call->name));
    return vt_func_with_attr(ctx, result, "tir.noalias", vt_bool(ctx, true));
}

typedef struct printing {
    const vt_func *f;
    vt_strbuf sb;
} printing;

static vta_status print(vt_ctx *ctx, void *arg) {
    printing *p = arg;
    vt_print_tvmscript(ctx, p->f, &p->sb);
    return VTA_OK;
}

static const char *function_text(te_context *c, size_t n, te_tensor *const *args, const char *name) {
    maker m = {c, &c->ctx, vt_ptrmap_new(&c->ctx)};
    te__need(c, args, "a list of arguments");
    function_call call = {n, args, te__name(c, name ? name : "main", "a function")};
    printing p = {.f = make_function(&m, &call)};
    vt_strbuf_init(&p.sb, c->allocator);
    vta_status status = vt_protect(&c->ctx, print, &p);
    bool failed = status != VTA_OK || p.sb.failed;
    char *copy = failed ? NULL : vt_arena_strndup(&c->ctx.arena, vt_strbuf_text(&p.sb), p.sb.size);
    vt_strbuf_free(&p.sb);
    if (!copy) vt_leave(&c->ctx, status != VTA_OK ? status : vt_no_memory(c->ctx.diag));
    return copy;
}

const char *te_prim_func_text(te_context *c, size_t n, te_tensor *const args[], const char *name) {
    TE_RETURN(c, function_text(c, n, args, name));
}
