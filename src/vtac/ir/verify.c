#include "ir/verify.h"

#include <string.h>

#include "ir/attr.h"
#include "ir/visit.h"

enum { MAX_MESSAGES = 20, VERIFY_MAX_VARS = 32 };

typedef struct verifier {
    vt_visitor v;
    vt_ctx *ctx;
    const vt_func *f;
    vta_diag *diag;
    vt_ptrmap *defined; /* variable or realized tensor -> non-NULL while in scope */
    uint32_t wrong;
} verifier;

static void complain(verifier *ver, const char *text) {
    if (ver->wrong++ < MAX_MESSAGES) vt_fail(ver->diag, VTA_ILLEGAL, "%s: %s", ver->f->name, text);
    if (ver->wrong >= MAX_MESSAGES) ver->v.stop = true;
}

static void need(verifier *ver, bool fine, const char *fmt, const char *name) {
    if (!fine) complain(ver, vt_new_format(ver->ctx, fmt, name));
}

static void use_var(verifier *ver, const vt_var *v) {
    need(ver, vt_ptrmap_get(ver->defined, v) != NULL, "variable %s is used where it is not defined", vt_var_name(v));
}

static void use_buffer(verifier *ver, const vt_buffer *b, uint32_t n) {
    need(ver, vt_ptrmap_get(ver->defined, b->data) != NULL, "buffer %s is reached where nothing allocates it", b->name);
    need(ver, n == b->ndim || n == 1, "buffer %s has another number of dimensions than the access has indices",
         b->name);
}

static void use_tensor(verifier *ver, const vt_tensor *t, uint32_t n) {
    need(ver, vt_ptrmap_get(ver->defined, t) != NULL, "tensor %s is neither realized nor bound", t->name);
    need(ver, n == t->ndim, "tensor %s has another number of dimensions than the access has indices", t->name);
}

static bool is_bool(const vt_expr *e) { return vt_dtype_is_bool(vt_dtype_elem(e->dtype)); }

static void define(verifier *ver, const void *key, const char *name) {
    need(ver, !vt_ptrmap_get(ver->defined, key), "%s is defined inside of its own scope", name);
    vt_ptrmap_set(ver->defined, key, ver);
}

static void undefine(verifier *ver, const void *key) { vt_ptrmap_set(ver->defined, key, NULL); }

static void check_let(verifier *ver, const vt_expr *e) {
    vt_visit_expr(&ver->v, e->a[0]);
    define(ver, e->u.let_var, vt_var_name(e->u.let_var));
    vt_visit_expr(&ver->v, e->a[1]);
    undefine(ver, e->u.let_var);
}

static void check_reduce(verifier *ver, const vt_expr *e) {
    const vt_reduce *r = e->u.reduce;
    for (uint32_t i = 0; i < r->n_axes; i++) define(ver, r->axes[i]->var, vt_var_name(r->axes[i]->var));
    vt_visit_expr_children(&ver->v, e);
    for (uint32_t i = 0; i < r->n_axes; i++) undefine(ver, r->axes[i]->var);
}

/* As many operands as the kind's row in expr.def says: who reads them relies on it. */
static bool has_operands(verifier *ver, const vt_expr *e) {
    int expected = vt_expr_infos[e->kind].operands;
    bool fine = expected < 0 || e->n == (uint32_t)expected;
    need(ver, fine, "an expression of kind %s has a wrong number of operands", vt_expr_infos[e->kind].text);
    return fine;
}

static void check_expr(vt_visitor *v, const vt_expr *e) {
    verifier *ver = (verifier *)v;
    if (!has_operands(ver, e)) return;
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: use_var(ver, e); return;
    case VT_E_LET: check_let(ver, e); return;
    case VT_E_REDUCE: check_reduce(ver, e); return;
    case VT_E_LOAD: use_buffer(ver, e->u.buffer, e->n); break;
    case VT_E_PLOAD: use_tensor(ver, e->u.tensor, e->n); break;
    case VT_E_SELECT: need(ver, is_bool(e->a[0]), "the condition of a %s is not a bool", "select"); break;
    case VT_E_CALL:
        need(ver, vt_op_infos[e->u.op].arity < 0 || (uint32_t)vt_op_infos[e->u.op].arity == e->n,
             "%s has a wrong number of arguments", vt_op_infos[e->u.op].name);
        if (e->u.op == VT_OP_IF_THEN_ELSE)
            need(ver, is_bool(e->a[0]), "the condition of %s is not a bool", "if_then_else");
        break;
    case VT_E_INT:
    case VT_E_FLOAT:
    case VT_E_STRING:
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_E_CAST:
    case VT_E_RAMP:
    case VT_E_BROADCAST:
    case VT_E_COUNT: break;
    }
    vt_visit_expr_children(v, e);
}

static void check_loop(verifier *ver, const vt_stmt *s) {
    const vt_var *var = s->u.loop.var;
    need(ver, vt_dtype_is_integral(var->dtype), "loop variable %s is not an integer", vt_var_name(var));
    need(ver, vt_dtype_eq(var->dtype, s->u.loop.min->dtype) && vt_dtype_eq(var->dtype, s->u.loop.extent->dtype),
         "loop %s and its bounds differ in type", vt_var_name(var));
    vt_visit_expr(&ver->v, s->u.loop.min);
    vt_visit_expr(&ver->v, s->u.loop.extent);
    define(ver, var, vt_var_name(var));
    vt_visit_stmt(&ver->v, s->u.loop.body);
    undefine(ver, var);
}

/* What an attribute brings into scope: a thread axis its variable, a bound buffer the variables it is made of. */
static uint32_t attr_defines(const vt_stmt *s, const vt_expr *out_vars[VERIFY_MAX_VARS]) {
    uint32_t n = 0;
    const vt_ref *node = &s->u.attr.node;
    if (vt_attr_binds_thread(s)) out_vars[n++] = node->u.iter->var;
    if (node->kind != VT_REF_PAIR) return n;
    const vt_buffer *b = node->u.buffer;
    out_vars[n++] = b->data;
    if (b->elem_offset && b->elem_offset->kind == VT_E_VAR) out_vars[n++] = b->elem_offset;
    for (uint32_t i = 0; i < b->n_strides && n < VERIFY_MAX_VARS; i++)
        if (b->strides[i]->kind == VT_E_VAR) out_vars[n++] = b->strides[i];
    for (uint32_t i = 0; i < b->ndim && n < VERIFY_MAX_VARS; i++)
        if (b->shape[i]->kind == VT_E_VAR) out_vars[n++] = b->shape[i];
    return n;
}

static void check_attr(verifier *ver, const vt_stmt *s) {
    const vt_expr *vars[VERIFY_MAX_VARS];
    uint32_t n = attr_defines(s, vars), fresh = 0;
    vt_visit_expr(&ver->v, s->u.attr.value);
    for (uint32_t i = 0; i < n; i++) { /* an inner axis of the same thread means the same variable */
        if (vt_ptrmap_get(ver->defined, vars[i])) continue;
        vt_ptrmap_set(ver->defined, vars[i], ver);
        vars[fresh++] = vars[i];
    }
    vt_visit_stmt(&ver->v, s->u.attr.body);
    for (uint32_t i = 0; i < fresh; i++) undefine(ver, vars[i]);
}

static void check_alloc(verifier *ver, const vt_stmt *s) {
    const char *name = vt_var_name(s->u.alloc.var);
    need(ver, s->u.alloc.var->u.var->pointer, "%s is allocated but no pointer", name);
    need(ver, is_bool(s->u.alloc.condition), "the condition of the allocation of %s is not a bool", name);
    for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) vt_visit_expr(&ver->v, s->u.alloc.extents[i]);
    define(ver, s->u.alloc.var, name);
    vt_visit_stmt(&ver->v, s->u.alloc.body);
    undefine(ver, s->u.alloc.var);
}

static void check_realize(verifier *ver, const vt_stmt *s) {
    const vt_tensor *t = s->u.realize.tensor;
    need(ver, s->u.realize.n_bounds == t->ndim, "%s is realized with a wrong number of bounds", t->name);
    for (uint32_t i = 0; i < s->u.realize.n_bounds; i++) {
        vt_visit_expr(&ver->v, s->u.realize.bounds[i].min);
        vt_visit_expr(&ver->v, s->u.realize.bounds[i].extent);
    }
    bool parameter = false; /* realizing one says nothing new */
    for (uint32_t i = 0; i < ver->f->n_bindings; i++) parameter |= ver->f->bindings[i].tensor == t;
    if (!parameter) define(ver, t, t->name);
    vt_visit_stmt(&ver->v, s->u.realize.body);
    if (!parameter) undefine(ver, t);
}

static void check_block(verifier *ver, const vt_stmt *s) {
    need(ver, s->u.block.n_iters == s->u.block.n_bindings, "block %s has variables without values", s->u.block.name);
    for (uint32_t i = 0; i < s->u.block.n_bindings; i++) vt_visit_expr(&ver->v, s->u.block.bindings[i]);
    for (uint32_t i = 0; i < s->u.block.n_iters; i++)
        define(ver, s->u.block.iters[i]->var, vt_var_name(s->u.block.iters[i]->var));
    for (uint32_t i = 0; i < s->u.block.n_allocs; i++)
        define(ver, s->u.block.allocs[i]->data, s->u.block.allocs[i]->name);
    if (s->u.block.init) vt_visit_stmt(&ver->v, s->u.block.init);
    vt_visit_stmt(&ver->v, s->u.block.body);
    for (uint32_t i = 0; i < s->u.block.n_iters; i++) undefine(ver, s->u.block.iters[i]->var);
    for (uint32_t i = 0; i < s->u.block.n_allocs; i++) undefine(ver, s->u.block.allocs[i]->data);
}

static void check_stmt(vt_visitor *v, const vt_stmt *s) {
    verifier *ver = (verifier *)v;
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_LET:
        need(ver, vt_dtype_eq(s->u.let.var->dtype, s->u.let.value->dtype), "%s and its value differ in type",
             vt_var_name(s->u.let.var));
        vt_visit_expr(v, s->u.let.value);
        define(ver, s->u.let.var, vt_var_name(s->u.let.var));
        vt_visit_stmt(v, s->u.let.body);
        undefine(ver, s->u.let.var);
        return;
    case VT_S_FOR: check_loop(ver, s); return;
    case VT_S_ATTR: check_attr(ver, s); return;
    case VT_S_ALLOC: check_alloc(ver, s); return;
    case VT_S_REALIZE: check_realize(ver, s); return;
    case VT_S_BLOCK: check_block(ver, s); return;
    case VT_S_IF: need(ver, is_bool(s->u.branch.condition), "the condition of an %s is not a bool", "if"); break;
    case VT_S_ASSERT:
        need(ver, is_bool(s->u.assertion.condition), "the condition of an %s is not a bool", "assert");
        break;
    case VT_S_STORE:
        use_buffer(ver, s->u.store.buffer, s->u.store.n_indices);
        need(ver, vt_dtype_eq(vt_dtype_elem(s->u.store.buffer->dtype), vt_dtype_elem(s->u.store.value->dtype)),
             "the store to %s has a value of another type", s->u.store.buffer->name);
        break;
    case VT_S_PSTORE:
        use_tensor(ver, s->u.pstore.tensor, s->u.pstore.n_indices);
        need(ver, vt_dtype_eq(vt_dtype_elem(s->u.pstore.tensor->dtype), vt_dtype_elem(s->u.pstore.value->dtype)),
             "the store to %s has a value of another type", s->u.pstore.tensor->name);
        break;
    case VT_S_SEQ:
    case VT_S_EVAL:
    case VT_S_COUNT: break;
    }
    vt_visit_stmt_children(v, s);
}

static void define_shape(verifier *ver, uint32_t n, const vt_expr *const *shape) {
    for (uint32_t i = 0; i < n; i++)
        if (shape[i]->kind == VT_E_VAR) vt_ptrmap_set(ver->defined, shape[i], ver);
}

typedef struct job {
    const vt_func *f;
    vta_diag *diag;
} job;

static vta_status verify(vt_ctx *ctx, void *arg) {
    const job *j = arg;
    verifier ver = {{.expr = check_expr, .stmt = check_stmt}, ctx, j->f, j->diag, vt_ptrmap_new(ctx), 0};
    for (uint32_t i = 0; i < j->f->n_params; i++) define(&ver, j->f->params[i], vt_var_name(j->f->params[i]));
    for (uint32_t i = 0; i < j->f->n_bindings; i++) {
        const vt_binding *b = &j->f->bindings[i];
        if (b->buffer) {
            vt_ptrmap_set(ver.defined, b->buffer->data, &ver);
            define_shape(&ver, b->buffer->ndim, b->buffer->shape);
            define_shape(&ver, b->buffer->n_strides, b->buffer->strides);
            define_shape(&ver, 1, &b->buffer->elem_offset);
        }
        if (b->tensor) {
            vt_ptrmap_set(ver.defined, b->tensor, &ver);
            define_shape(&ver, b->tensor->ndim, b->tensor->shape);
        }
    }
    vt_visit_stmt(&ver.v, j->f->body);
    return ver.wrong ? VTA_ILLEGAL : VTA_OK;
}

vta_status vt_verify(vt_ctx *ctx, const vt_func *f, vta_diag *diag) {
    job j = {f, diag};
    return vt_protect(ctx, verify, &j);
}
