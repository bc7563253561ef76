/* Statements of the interpreter, and its entrances. */
#include "ir/interp.h"

#include <string.h>

#include "ir/attr.h"
#include "ir/interp_priv.h"

static void run(vt__interp *in, const vt_stmt *s);

static int64_t checked_product(vt__interp *in, const char *name, int64_t x, int64_t y) {
    int64_t r;
    if (y < 0 || __builtin_mul_overflow(x, y, &r)) vt_raise(in->ctx, VTA_OUT_OF_RANGE, "%s is too large", name);
    return r;
}

/* The memory of a statement, cleared; made when it runs for the first time or needs more. */
static vt__memory *memory_of(vt__interp *in, const void *owner, const char *name, int64_t elements, vt_dtype t) {
    size_t bytes = (size_t)checked_product(in, name, elements, (int64_t)vt_dtype_bytes(t));
    vt__memory *m = vt_ptrmap_get(in->blocks, owner);
    if (!m || m->bytes < bytes) {
        m = VT_NEW(in->ctx, vt__memory);
        m->data = vt_new_bytes(in->ctx, bytes);
        vt_ptrmap_set(in->blocks, owner, m);
    }
    m->name = name;
    m->bytes = bytes;
    memset(m->data, 0, bytes);
    return m;
}

typedef struct given {
    vt__interp *in;
    const vt_stmt *s;
} given;

static vta_status run_given(vt_ctx *ctx, void *user) {
    const given *g = user;
    (void)ctx;
    run(g->in, g->s->u.alloc.body);
    return VTA_OK;
}

/* In memory of the hooks, which goes back to them whatever happens. */
static void run_in_given(vt__interp *in, const vt_stmt *s, const char *name, int64_t elements) {
    given g = {in, s};
    vt__memory *m = VT_NEW(in->ctx, vt__memory);
    m->name = name;
    m->bytes = (size_t)checked_product(in, name, elements, (int64_t)vt_dtype_bytes(s->u.alloc.dtype));
    m->data = in->hooks->alloc(in->hooks->user, s, m->bytes);
    if (!m->data) vt_raise(in->ctx, VTA_NO_MEMORY, "there is no memory for %s", name);
    vt_ptrmap_set(in->memory, s->u.alloc.var, m);
    vta_status status = vt_protect(in->ctx, run_given, &g);
    in->hooks->free(in->hooks->user, s, m->data);
    if (status != VTA_OK) vt_leave(in->ctx, status);
}

static void run_alloc(vt__interp *in, const vt_stmt *s) {
    int64_t elements = 1;
    const char *name = vt_var_name(s->u.alloc.var);
    for (uint32_t i = 0; i < s->u.alloc.n_extents; i++)
        elements = checked_product(in, name, elements, vt__eval_int(in, s->u.alloc.extents[i], 0));
    if (in->hooks && in->hooks->alloc) {
        run_in_given(in, s, name, elements);
        return;
    }
    vt_ptrmap_set(in->memory, s->u.alloc.var, memory_of(in, s, name, elements, s->u.alloc.dtype));
    run(in, s->u.alloc.body);
}

static void give_box(vt__interp *in, vt__memory *m, uint32_t n) {
    m->ndim = n;
    m->min = VT_NEW_ARRAY(in->ctx, int64_t, n);
    m->extent = VT_NEW_ARRAY(in->ctx, int64_t, n);
}

static void run_realize(vt__interp *in, const vt_stmt *s) {
    const vt_tensor *t = s->u.realize.tensor;
    const vt__memory *known = vt_ptrmap_get(in->memory, t);
    if (known && known->bound) {
        run(in, s->u.realize.body);
        return;
    }
    int64_t elements = 1;
    uint32_t n = s->u.realize.n_bounds;
    for (uint32_t i = 0; i < n; i++)
        elements = checked_product(in, t->name, elements, vt__eval_int(in, s->u.realize.bounds[i].extent, 0));
    vt__memory *m = memory_of(in, s, t->name, elements, t->dtype);
    if (!m->min) give_box(in, m, n);
    for (uint32_t i = 0; i < n; i++) {
        m->min[i] = vt__eval_int(in, s->u.realize.bounds[i].min, 0);
        m->extent[i] = vt__eval_int(in, s->u.realize.bounds[i].extent, 0);
    }
    vt_ptrmap_set(in->memory, t, m);
    run(in, s->u.realize.body);
}

static void loop(vt__interp *in, const vt_var *v, int64_t min, int64_t extent, const vt_stmt *body) {
    for (int64_t i = 0; i < extent; i++) {
        vt__interp_set(in, v, vt__value_int(v->dtype, min + i));
        run(in, body);
    }
}

static void run_attr(vt__interp *in, const vt_stmt *s) {
    if (in->hooks && in->hooks->attr && in->hooks->attr(in->hooks->user, in, s)) return;
    if (!vt_attr_binds_thread(s)) {
        run(in, s->u.attr.body);
        return;
    }
    loop(in, s->u.attr.node.u.iter->var, 0, vt__eval_int(in, s->u.attr.value, 0), s->u.attr.body);
}

static void run_store(vt__interp *in, const vt_stmt *s) {
    const vt_buffer *b = s->u.store.buffer;
    uint16_t lanes = s->u.store.value->dtype.lanes;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        vt_value v = vt__eval(in, s->u.store.value, lane);
        vt__put(in, vt__buffer_at(in, b, s->u.store.n_indices, s->u.store.indices, lane), b->dtype, v);
    }
}

static void run_pstore(vt__interp *in, const vt_stmt *s) {
    const vt_tensor *t = s->u.pstore.tensor;
    uint16_t lanes = s->u.pstore.value->dtype.lanes;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        vt_value v = vt__eval(in, s->u.pstore.value, lane);
        vt__put(in, vt__tensor_at(in, t, s->u.pstore.n_indices, s->u.pstore.indices, lane), t->dtype, v);
    }
}

static void run_block(vt__interp *in, const vt_stmt *s) {
    bool first = true;
    for (uint32_t i = 0; i < s->u.block.n_iters; i++) {
        const vt_iter *it = s->u.block.iters[i];
        vt_value v = vt__eval(in, s->u.block.bindings[i], 0);
        vt__interp_set(in, it->var, v);
        if (it->type == VT_ITER_COMM_REDUCE) first &= v.u.i == vt__eval_int(in, it->min, 0);
    }
    for (uint32_t i = 0; i < s->u.block.n_allocs; i++) {
        const vt_buffer *b = s->u.block.allocs[i];
        int64_t elements = 1;
        for (uint32_t d = 0; d < b->ndim; d++)
            elements = checked_product(in, b->name, elements, vt__eval_int(in, b->shape[d], 0));
        vt_ptrmap_set(in->memory, b->data, memory_of(in, b, b->name, elements, b->dtype));
    }
    if (s->u.block.init && first) run(in, s->u.block.init);
    run(in, s->u.block.body);
}

static void run_assert(vt__interp *in, const vt_stmt *s) {
    if (!vt__eval_int(in, s->u.assertion.condition, 0))
        vt_raise(in->ctx, VTA_ILLEGAL, "assert failed: %s",
                 s->u.assertion.message->kind == VT_E_STRING ? s->u.assertion.message->u.s : "");
    if (s->u.assertion.body) run(in, s->u.assertion.body);
}

static void run(vt__interp *in, const vt_stmt *s) {
    vt_poll(in->ctx);
    if (in->hooks && in->hooks->step_limit && ++in->steps > in->hooks->step_limit)
        vt_raise(in->ctx, VTA_TIMEOUT, "more than %llu statements", (unsigned long long)in->hooks->step_limit);
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_LET:
        vt__interp_let(in, s->u.let.var, s->u.let.value, 0);
        run(in, s->u.let.body);
        break;
    case VT_S_ATTR: run_attr(in, s); break;
    case VT_S_ASSERT: run_assert(in, s); break;
    case VT_S_FOR:
        loop(in, s->u.loop.var, vt__eval_int(in, s->u.loop.min, 0), vt__eval_int(in, s->u.loop.extent, 0),
             s->u.loop.body);
        break;
    case VT_S_ALLOC: run_alloc(in, s); break;
    case VT_S_STORE: run_store(in, s); break;
    case VT_S_PSTORE: run_pstore(in, s); break;
    case VT_S_REALIZE: run_realize(in, s); break;
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) run(in, s->u.seq.items[i]);
        break;
    case VT_S_IF:
        if (vt__eval_int(in, s->u.branch.condition, 0))
            run(in, s->u.branch.then_case);
        else if (s->u.branch.else_case)
            run(in, s->u.branch.else_case);
        break;
    case VT_S_EVAL: vt__eval(in, s->u.eval.value, 0); break;
    case VT_S_BLOCK: run_block(in, s); break;
    case VT_S_COUNT: break;
    }
}

void vt_interp_body(vt_interp *in, const vt_stmt *attr) { run(in, attr->u.attr.body); }
vt_value vt_interp_value(vt_interp *in, const vt_expr *e) { return vt__eval(in, e, 0); }

typedef struct job {
    const vt_func *f;
    uint32_t n_args;
    const vt_interp_arg *args;
    const vt_interp_hooks *hooks;
    const vt_expr *e;
    const vt_var *const *vars;
    const vt_value *values;
    vt_value result;
} job;

static vt__interp start(vt_ctx *ctx, const vt_interp_hooks *hooks) {
    return (vt__interp){.ctx = ctx,
                        .hooks = hooks,
                        .both_sides = hooks && hooks->both_sides,
                        .vars = vt_ptrmap_new(ctx),
                        .memory = vt_ptrmap_new(ctx),
                        .blocks = vt_ptrmap_new(ctx)};
}

/* The elements that a binding's shape asks for; shapes may name scalar parameters. */
static int64_t elements_of(vt__interp *in, const char *name, uint32_t n, const vt_expr *const *shape) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < n; i++) elements = checked_product(in, name, elements, vt__eval_int(in, shape[i], 0));
    return elements;
}

static void bind_array(vt__interp *in, const vt_binding *b, const vt_interp_arg *arg) {
    const char *name = b->buffer ? b->buffer->name : b->tensor->name;
    vt_dtype t = b->buffer ? b->buffer->dtype : b->tensor->dtype;
    int64_t want = b->buffer ? elements_of(in, name, b->buffer->ndim, b->buffer->shape)
                             : elements_of(in, name, b->tensor->ndim, b->tensor->shape);
    bool strided = b->buffer && b->buffer->n_strides;
    if (!arg->data || (!strided && arg->elements < (size_t)want))
        vt_raise(in->ctx, VTA_MISMATCH, "argument %s needs %lld elements, got %zu", name, (long long)want,
                 arg->elements);
    vt__memory *m = VT_NEW(in->ctx, vt__memory);
    *m = (vt__memory){.name = name, .data = arg->data, .bytes = arg->elements * vt_dtype_bytes(t), .bound = true};
    if (b->buffer) vt_ptrmap_set(in->memory, b->buffer->data, m);
    if (!b->tensor) return;
    give_box(in, m, b->tensor->ndim);
    for (uint32_t i = 0; i < m->ndim; i++) m->extent[i] = vt__eval_int(in, b->tensor->shape[i], 0);
    vt_ptrmap_set(in->memory, b->tensor, m);
}

static vta_status run_job(vt_ctx *ctx, void *arg) {
    job *j = arg;
    vt__interp in = start(ctx, j->hooks);
    if (j->n_args != j->f->n_params)
        vt_raise(ctx, VTA_MISMATCH, "%s takes %u arguments, not %u", j->f->name, j->f->n_params, j->n_args);
    for (uint32_t i = 0; i < j->n_args; i++)
        if (!j->args[i].data) vt__interp_set(&in, j->f->params[i], j->args[i].scalar);
    for (uint32_t i = 0; i < j->f->n_bindings; i++)
        for (uint32_t k = 0; k < j->n_args; k++)
            if (j->f->params[k] == j->f->bindings[i].param) bind_array(&in, &j->f->bindings[i], &j->args[k]);
    run(&in, j->f->body);
    return VTA_OK;
}

vta_status vt_interp_run(vt_ctx *ctx, const vt_func *f, uint32_t n_args, const vt_interp_arg *args,
                         const vt_interp_hooks *hooks) {
    job j = {.f = f, .n_args = n_args, .args = args, .hooks = hooks};
    return vt_protect(ctx, run_job, &j);
}

static vta_status expr_job(vt_ctx *ctx, void *arg) {
    job *j = arg;
    vt__interp in = start(ctx, NULL);
    for (uint32_t i = 0; i < j->n_args; i++) vt__interp_set(&in, j->vars[i], j->values[i]);
    j->result = vt__eval(&in, j->e, 0);
    return VTA_OK;
}

vta_status vt_interp_expr(vt_ctx *ctx, const vt_expr *e, uint32_t n, const vt_var *const *vars, const vt_value *values,
                          vt_value *out_value) {
    job j = {.n_args = n, .e = e, .vars = vars, .values = values};
    vta_status status = vt_protect(ctx, expr_job, &j);
    *out_value = j.result;
    return status;
}
