/* Has a pass moved a buffer out of a loop whose steps each need their own?
 *
 * A function is a list of such loops, each with its stores and what its calls are given, in order (what is only read
 * is nobody's own). Passes rename buffers and let them share places,
 * so what is compared is how many accesses go to buffers allocated inside of the loop: where a pass leaves as many
 * accesses as there were, none of these may have become fewer. Where it has changed their number, no buffer that was
 * inside may be outside under the same name. */
#include "lower/own_buffers.h"

#include <string.h>

#include "ir/attr.h"

typedef struct access {
    const void *what; /* data variable or tensor */
    const char *name;
    uint32_t depth; /* loops around its allocation; 0 for parameters */
} access;

typedef struct loop {
    const vt_var *var;
    const char *kind;
    uint32_t depth;      /* loops around it */
    uint32_t begin, end; /* its stores */
} loop;

typedef struct record {
    loop *loops;
    access *accesses;
    uint32_t n_loops, cap_loops, n, cap;
} record;

struct vt_own_buffers {
    vt_visitor v;
    vt_ctx *ctx;
    const vt_func *f;
    record of[2]; /* of the function that was looked at last, and of the one before */
    int last;
    access *open; /* allocations around, outermost first */
    uint32_t n_open, cap_open, depth;
};

/* ---- Looking at a function -------------------------------------------------------------------------------------- */

/* NULL: the steps of what the statement repeats come one after the other. Threads of a thread_extent are not here: the
 * buffers of all of them belong to the outermost. */
static const vt_var *concurrent(const vt_stmt *s, const char **out_kind) {
    if (s->kind == VT_S_FOR && s->u.loop.kind == VT_FOR_VECTORIZED) {
        *out_kind = "vectorized loop";
        return s->u.loop.var;
    }
    if (s->kind == VT_S_FOR && s->u.loop.kind == VT_FOR_PARALLEL) {
        *out_kind = "parallel loop";
        return s->u.loop.var;
    }
    *out_kind = "virtual thread";
    return vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD) ? s->u.attr.node.u.iter->var : NULL;
}

static uint32_t depth_of(const vt_own_buffers *own, const void *what) {
    uint32_t at = own->n_open;
    while (at > 0 && own->open[at - 1].what != what) at--;
    return at ? own->open[at - 1].depth : 0;
}

static void add_access(vt_own_buffers *own, const void *what, const char *name) {
    record *r = &own->of[own->last];
    vt_grow(own->ctx, &r->accesses, &r->cap, r->n + 1, sizeof *r->accesses);
    r->accesses[r->n++] = (access){what, name, depth_of(own, what)};
}

/* Of a call: the buffers that it is given. */
static void look_call(vt_own_buffers *own, const vt_expr *e) {
    if (e->kind == VT_E_VAR && e->u.var->pointer) add_access(own, e, vt_var_name(e));
    for (uint32_t i = 0; i < e->n; i++) look_call(own, e->a[i]);
}

static void look_loop(vt_own_buffers *own, const vt_stmt *s, const vt_var *var, const char *kind) {
    record *r = &own->of[own->last];
    uint32_t at = r->n_loops++;
    vt_grow(own->ctx, &r->loops, &r->cap_loops, at + 1, sizeof *r->loops);
    r->loops[at] = (loop){.var = var, .kind = kind, .depth = own->depth++, .begin = r->n};
    vt_visit_stmt_children(&own->v, s);
    r->loops[at].end = r->n;
    own->depth--;
}

/* Realizing a parameter says nothing new. */
static bool is_parameter(const vt_own_buffers *own, const vt_tensor *t) {
    for (uint32_t i = 0; i < own->f->n_bindings; i++)
        if (own->f->bindings[i].tensor == t) return true;
    return false;
}

static void look_alloc(vt_own_buffers *own, const vt_stmt *s, const void *what, uint32_t depth) {
    vt_grow(own->ctx, &own->open, &own->cap_open, own->n_open + 1, sizeof *own->open);
    own->open[own->n_open++] = (access){.what = what, .depth = depth};
    vt_visit_stmt_children(&own->v, s);
    own->n_open--;
}

/* The same buffer under another name, as VTABufferCPUPtr gives it: where that is allocated. */
static uint32_t depth_in(const vt_own_buffers *own, const vt_expr *e) {
    uint32_t depth = e->kind == VT_E_VAR && e->u.var->pointer ? depth_of(own, e) : 0;
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t inner = depth_in(own, e->a[i]);
        if (inner > depth) depth = inner;
    }
    return depth;
}

static void look_stmt(vt_visitor *v, const vt_stmt *s) {
    vt_own_buffers *own = (vt_own_buffers *)v;
    const char *kind;
    const vt_var *var = concurrent(s, &kind);
    if (var) {
        look_loop(own, s, var, kind);
        return;
    }
    if (s->kind == VT_S_ALLOC) {
        look_alloc(own, s, s->u.alloc.var, own->depth);
        return;
    }
    if (s->kind == VT_S_REALIZE && !is_parameter(own, s->u.realize.tensor)) {
        look_alloc(own, s, s->u.realize.tensor, own->depth);
        return;
    }
    if (own->depth && s->kind == VT_S_LET && s->u.let.var->u.var->pointer) {
        look_alloc(own, s, s->u.let.var, depth_in(own, s->u.let.value));
        return;
    }
    if (own->depth && s->kind == VT_S_STORE)
        add_access(own, s->u.store.buffer->data, vt_var_name(s->u.store.buffer->data));
    else if (own->depth && s->kind == VT_S_PSTORE)
        add_access(own, s->u.pstore.tensor, s->u.pstore.tensor->name);
    else if (own->depth && s->kind == VT_S_EVAL)
        look_call(own, s->u.eval.value);
    else
        vt_visit_stmt_children(v, s);
}

static void look(vt_own_buffers *own, const vt_func *f) {
    record *r = &own->of[own->last];
    r->n_loops = r->n = 0;
    own->f = f;
    vt_visit_stmt(&own->v, f->body);
}

vt_own_buffers *vt_own_buffers_new(vt_ctx *ctx, const vt_func *f) {
    vt_own_buffers *own = VT_NEW(ctx, vt_own_buffers);
    *own = (vt_own_buffers){.v = {.stmt = look_stmt, .statements_only = true}, .ctx = ctx};
    look(own, f);
    return own;
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

static _Noreturn void fail(vt_own_buffers *own, const loop *l, const access *a, const char *pass) {
    vt_raise(own->ctx, VTA_INTERNAL,
             "the compiler moved a buffer out of a loop whose steps each need their own: a bug of the compiler, not of "
             "the kernel. Rule own-buffer (what is allocated inside of a vectorized, parallel or virtual thread loop "
             "stays inside): %s was inside of the %s %s before pass %s, and is outside after it. Suspected: %s. Please "
             "report this with the kernel file",
             a->name, l->kind, vt_var_name(l->var), pass, pass);
}

static bool is_own(const access *a, const loop *l) { return a->depth > l->depth; }

static uint32_t own_count(const record *r, const loop *l) {
    uint32_t n = 0;
    for (uint32_t i = l->begin; i < l->end; i++) n += is_own(&r->accesses[i], l);
    return n;
}

/* As many accesses: if fewer are to buffers of its own, there is one that was and is not. */
static void compare_counts(vt_own_buffers *own, const record *from, const loop *x, const record *to, const loop *y,
                           const char *pass) {
    if (own_count(to, y) >= own_count(from, x)) return;
    for (uint32_t i = 0; i < x->end - x->begin; i++) {
        const access *was = &from->accesses[x->begin + i], *is = &to->accesses[y->begin + i];
        if (is_own(was, x) && !is_own(is, y)) fail(own, x, was, pass);
    }
}

static void compare_names(vt_own_buffers *own, const record *from, const loop *x, const record *to, const loop *y,
                          const char *pass) {
    vt_ptrmap *mine = vt_ptrmap_new(own->ctx);
    for (uint32_t i = x->begin; i < x->end; i++) {
        const access *a = &from->accesses[i];
        if (is_own(a, x)) vt_ptrmap_set(mine, a->what, a);
    }
    for (uint32_t i = y->begin; i < y->end; i++) {
        const access *a = &to->accesses[i];
        if (!is_own(a, y) && vt_ptrmap_has(mine, a->what)) fail(own, x, a, pass);
    }
}

/* The loop as it was; NULL: it is new. */
static const loop *find_loop(const record *r, const vt_var *var, uint32_t likely) {
    if (likely < r->n_loops && r->loops[likely].var == var) return &r->loops[likely];
    for (uint32_t i = 0; i < r->n_loops; i++)
        if (r->loops[i].var == var) return &r->loops[i];
    return NULL;
}

void vt_own_buffers_check(vt_own_buffers *own, const vt_func *made, const char *pass) {
    const record *from = &own->of[own->last];
    if (!from->n_loops) return; /* no pass makes such loops of others */
    own->last = !own->last;
    look(own, made);
    const record *to = &own->of[own->last];
    for (uint32_t i = 0; i < to->n_loops; i++) {
        const loop *y = &to->loops[i], *x = find_loop(from, y->var, i);
        if (!x) continue;
        if (x->end - x->begin == y->end - y->begin)
            compare_counts(own, from, x, to, y, pass);
        else
            compare_names(own, from, x, to, y, pass);
    }
}
