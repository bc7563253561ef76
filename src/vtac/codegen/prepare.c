#include "codegen/prepare.h"

#include "ir/build.h"
#include "ir/print.h"
#include "ir/runtime_call.h"
#include "ir/visit.h"

/* What surrounds a statement: loops and lets, innermost first. */
typedef struct scope scope;
struct scope {
    const scope *outer;
    const vt_var *var;
    const vt_expr *let_value;    /* of a let */
    const vt_expr *min, *extent; /* of a loop */
};

typedef struct preparer {
    vt_mutator m;
    const vt_func *func;
    int32_t device_type; /* where its arguments live */
    const scope *scopes;
    const vt_var *handle; /* the command handle's variable; NULL until it is needed */
    bool in_uops;
    vt_ptrmap *kernels; /* micro-op scope -> what it became, where nothing around it matters: equal ones are one */
} preparer;

/* ---- The accelerator's intrinsics as runtime calls ---------------------------------------------------------- */

/* VTASynchronize waits this many cycles at most, as TVM's VTA does. */
#define WAIT_CYCLES ((int64_t)1 << 31)

static const vt_expr *command_handle(preparer *p) {
    if (!p->handle) p->handle = vt_var_new(p->m.ctx, "vta_cmd", VT_HANDLE_T);
    return p->handle;
}

static const vt_expr *with_handle(preparer *p, const char *name, uint32_t n, const vt_expr *const *args) {
    const vt_expr *all[8] = {command_handle(p)};
    for (uint32_t i = 0; i < n && i < 7; i++) all[i + 1] = args[i];
    return vt_e_call_extern(p->m.ctx, VT_I32, name, n + 1, all);
}

/* Lowering does not know where arguments live: in the host's memory there is nothing to do. */
static const vt_expr *barrier(preparer *p, const char *name, const vt_expr *e) {
    return p->device_type == VT_DEVICE_CPU ? vt_i32(p->m.ctx, 0) : with_handle(p, name, e->n, e->a);
}

/* ---- Intrinsics that are made of others ---------------------------------------------------------------------- */

static const vt_expr *call1(vt_ctx *ctx, vt_op op, const vt_expr *x) { return vt_e_call(ctx, x->dtype, op, 1, &x); }

static const vt_expr *one_over(vt_ctx *ctx, const vt_expr *x) {
    const vt_expr *one = vt_float(ctx, vt_dtype_elem(x->dtype), 1);
    if (x->dtype.lanes > 1) one = vt_e_broadcast(ctx, one, x->dtype.lanes);
    return vt_e_bin(ctx, VT_E_DIV, one, x);
}

/* 1 / (1 + exp(-x)) */
static const vt_expr *sigmoid(vt_ctx *ctx, const vt_expr *x) {
    const vt_expr *zero = vt_float(ctx, vt_dtype_elem(x->dtype), 0), *one = vt_float(ctx, vt_dtype_elem(x->dtype), 1);
    if (x->dtype.lanes > 1) {
        zero = vt_e_broadcast(ctx, zero, x->dtype.lanes);
        one = vt_e_broadcast(ctx, one, x->dtype.lanes);
    }
    const vt_expr *e = call1(ctx, VT_OP_EXP, vt_e_bin(ctx, VT_E_SUB, zero, x));
    return one_over(ctx, vt_e_bin(ctx, VT_E_ADD, one, e));
}

/* q_multiply_shift(x, y, q, s): x * y * 2^(s - q) in 64 bits, rounded half up; s positive shifts left first. */
static const vt_expr *multiply_shift(vt_ctx *ctx, const vt_expr *e) {
    vt_dtype wide = VT_DTYPE(VT_INT, 64, e->dtype.lanes);
    const vt_expr *x = vt_cast(ctx, wide, e->a[0]), *y = vt_cast(ctx, wide, e->a[1]);
    const vt_expr *q = vt_cast(ctx, wide, e->a[2]), *s = vt_cast(ctx, wide, e->a[3]), *zero = vt_int(ctx, wide, 0);
    x = vt_shift_left(ctx, x, vt_max(ctx, s, zero));
    const vt_expr *right = vt_add(ctx, q, vt_max(ctx, vt_sub(ctx, zero, s), zero));
    const vt_expr *one = vt_int(ctx, wide, 1), *half = vt_shift_left(ctx, one, vt_sub(ctx, right, one));
    return vt_cast(ctx, e->dtype, vt_shift_right(ctx, vt_add(ctx, vt_mul(ctx, x, y), half), right));
}

/* ---- Shifts ------------------------------------------------------------------------------------------------- */

/* x shifted by `by`, which is not negative, where a processor's shift takes amounts below the width only. */
static const vt_expr *shift_some(vt_ctx *ctx, vt_op op, const vt_expr *x, const vt_expr *by) {
    vt_dtype t = x->dtype;
    const vt_expr *last = vt_int(ctx, t, t.bits - 1), *none = vt_int(ctx, t, 0);
    bool sign = op == VT_OP_SHIFT_RIGHT && t.code == VT_INT;
    const vt_expr *all = sign ? vt_e_call(ctx, t, op, 2, (const vt_expr *[]){x, last}) : none;
    const vt_expr *amount = vt_e_call(ctx, t, VT_OP_BITWISE_AND, 2, (const vt_expr *[]){by, last});
    const vt_expr *some = vt_e_call(ctx, t, op, 2, (const vt_expr *[]){x, amount});
    return vt_e_select(ctx, vt_e_bin(ctx, VT_E_LE, by, last), some, all);
}

/* vt_shift_value of ir/fold.h: a negative amount shifts the other way. Its smallest value has no negation. */
static const vt_expr *shift(vt_ctx *ctx, const vt_expr *e) {
    const vt_expr *x = e->a[0], *y = e->a[1], *zero = vt_int(ctx, y->dtype, 0);
    const vt_expr *amount = y->kind == VT_E_BROADCAST ? y->a[0] : y;
    if (amount->kind == VT_E_INT && amount->u.i >= 0 && amount->u.i < e->dtype.bits) return e;
    const vt_expr *forth = shift_some(ctx, e->u.op, x, y);
    if (e->dtype.code == VT_UINT) return forth;
    const vt_expr *least = vt_int(ctx, y->dtype, -(int64_t)e->dtype.bits);
    const vt_expr *back = vt_e_bin(ctx, VT_E_SUB, zero, vt_e_bin(ctx, VT_E_MAX, y, least));
    back = shift_some(ctx, e->u.op == VT_OP_SHIFT_LEFT ? VT_OP_SHIFT_RIGHT : VT_OP_SHIFT_LEFT, x, back);
    return vt_e_select(ctx, vt_e_bin(ctx, VT_E_LT, y, zero), back, forth);
}

static const vt_expr *prepare_expr(vt_mutator *m, const vt_expr *e) {
    preparer *p = (preparer *)m;
    if (e->kind != VT_E_CALL) return vt_mutate_expr_children(m, e);
    if (e->u.op == VT_OP_THREAD_CONTEXT && vt_is_call(e->a[0], VT_OP_VTA_COMMAND_HANDLE)) return command_handle(p);
    e = vt_mutate_expr_children(m, e);
    switch ((int)e->u.op) {
    case VT_OP_LIKELY: return e->a[0];
    case VT_OP_STACK_MAKE_ARRAY:
        if (p->device_type == VT_DEVICE_CPU) return e;
        vt_raise(m->ctx, VTA_UNSUPPORTED,
                 "%s: a function that is called by name gets arrays in the host's memory, and those of this kernel are "
                 "the accelerator's: build what calls it for the host (llvm)",
                 p->func->name);
    case VT_OP_SHIFT_LEFT:
    case VT_OP_SHIFT_RIGHT: return shift(m->ctx, e);
    case VT_OP_RSQRT: return one_over(m->ctx, call1(m->ctx, VT_OP_SQRT, e->a[0]));
    case VT_OP_SIGMOID: return sigmoid(m->ctx, e->a[0]);
    case VT_OP_Q_MULTIPLY_SHIFT: return multiply_shift(m->ctx, e);
    case VT_OP_VTA_COMMAND_HANDLE: return command_handle(p);
    case VT_OP_VTA_UOP_PUSH: return vt_e_call_extern(m->ctx, VT_I32, "VTAUopPush", e->n, e->a);
    case VT_OP_VTA_COPROC_DEP_PUSH: return with_handle(p, "VTADepPush", e->n, e->a);
    case VT_OP_VTA_COPROC_DEP_POP: return with_handle(p, "VTADepPop", e->n, e->a);
    case VT_OP_VTA_COPROC_READ_BARRIER: return barrier(p, "VTAReadBarrier", e);
    case VT_OP_VTA_COPROC_WRITE_BARRIER: return barrier(p, "VTAWriteBarrier", e);
    case VT_OP_VTA_COPROC_SYNC: {
        const vt_expr *wait = vt_int(m->ctx, VT_U32, WAIT_CYCLES);
        return with_handle(p, "VTASynchronize", 1, &wait);
    }
    default: return e;
    }
}

/* ---- Micro-op scopes: one signature -------------------------------------------------------------------------- */

static const scope *scope_of(const preparer *p, const vt_var *v) {
    const scope *s = p->scopes;
    while (s && s->var != v) s = s->outer;
    return s;
}

/* Moves definitions of captured lets into the body until only loop variables are left. */
static const vt_stmt *pull_lets(preparer *p, const vt_stmt *body) {
    vt_ctx *ctx = p->m.ctx;
    for (const scope *s = p->scopes; s; s = s->outer)
        if (s->let_value && vt_stmt_uses(body, s->var) && vt_expr_effect(s->let_value) == VT_EFFECT_PURE) {
            const vt_var *copy = vt_var_copy(ctx, s->var, "");
            body = vt_s_let(ctx, copy, s->let_value, vt_substitute1_stmt(ctx, body, s->var, copy));
        }
    return body;
}

static const scope *loop_of(const preparer *p, const vt_var *v) {
    const scope *s = scope_of(p, v);
    int64_t extent;
    if (s && s->extent && vt_as_const(s->extent, &extent) && extent > 0) return s;
    vt_raise(p->m.ctx, VTA_UNSUPPORTED,
             "%s: a micro-op scope uses %s and other variables from outside it; the runtime keeps micro-kernels under "
             "one 32-bit number, so the others must be loops of constant extent",
             p->func->name, vt_var_name(v));
}

/* signature = (v0 - min0) + n0 * ((v1 - min1) + n1 * …), and back inside the body. */
static const vt_stmt *pack_signature(preparer *p, const vt_stmt *scope_stmt, const vt_stmt *body, uint32_t n,
                                     const vt_var *const *vars) {
    vt_ctx *ctx = p->m.ctx;
    const vt_var *signature = vt_var_new(ctx, "signature", VT_I32);
    const vt_expr *packed = vt_i32(ctx, 0), *rest = signature;
    int64_t total = 1;
    for (uint32_t i = 0; i < n; i++) {
        const scope *loop = loop_of(p, vars[i]);
        int64_t extent = 0;
        vt_as_const(loop->extent, &extent);
        const vt_expr *place = vt_cast(ctx, VT_I32, vt_sub(ctx, vars[i], loop->min));
        packed = vt_add(ctx, packed, vt_mul(ctx, place, vt_i32(ctx, total)));
        if (__builtin_mul_overflow(total, extent, &total) || total > INT32_MAX)
            vt_raise(ctx, VTA_UNSUPPORTED, "%s: a micro-op scope has more than 2^31 variants", p->func->name);
        const vt_expr *value = vt_floormod(ctx, rest, vt_i32(ctx, extent));
        rest = vt_floordiv(ctx, rest, vt_i32(ctx, extent));
        const vt_var *copy = vt_var_copy(ctx, vars[i], "");
        value = vt_add(ctx, vt_cast(ctx, vars[i]->dtype, value), loop->min);
        body = vt_s_let(ctx, copy, value, vt_substitute1_stmt(ctx, body, vars[i], copy));
    }
    /* The lets above stand inside out; each uses only the signature, so their order does not matter. */
    const vt_stmt *inner =
        vt_s_attr(ctx, scope_stmt->u.attr.node, scope_stmt->u.attr.key, scope_stmt->u.attr.value, body);
    return vt_s_let(ctx, signature, packed, inner);
}

static const vt_stmt *prepare_uop_scope(preparer *p, const vt_stmt *s) {
    vt_ctx *ctx = p->m.ctx;
    if (p->in_uops) vt_raise(ctx, VTA_ILLEGAL, "%s: a micro-op scope inside a micro-op scope", p->func->name);
    const vt_stmt *known = vt_ptrmap_get(p->kernels, s);
    if (known) return known;
    const vt_var *outer_handle = p->handle;
    p->in_uops = true;
    p->handle = NULL;
    const vt_stmt *body = vt_mutate_stmt(&p->m, s->u.attr.body);
    if (p->handle)
        body = vt_s_let(ctx, p->handle, vt_e_call_extern(ctx, VT_HANDLE_T, "VTATLSCommandHandle", 0, NULL), body);
    p->in_uops = false;
    p->handle = outer_handle;

    uint32_t n;
    const vt_var *const *vars = vt_stmt_free_vars(ctx, body, &n);
    bool fits = n == 0 || (n == 1 && vt_dtype_eq(vars[0]->dtype, VT_I32));
    if (!fits) {
        body = pull_lets(p, body);
        vars = vt_stmt_free_vars(ctx, body, &n);
        fits = n == 0 || (n == 1 && vt_dtype_eq(vars[0]->dtype, VT_I32));
    }
    if (!fits) return pack_signature(p, s, body, n, vars);
    const vt_stmt *made =
        body == s->u.attr.body ? s : vt_s_attr(ctx, s->u.attr.node, s->u.attr.key, s->u.attr.value, body);
    if (n == 0) vt_ptrmap_set(p->kernels, s, made);
    return made;
}

/* A definition in a micro-kernel that nothing uses. */
static bool is_idle(const vt_stmt *s) {
    return s->kind == VT_S_LET && vt_expr_effect(s->u.let.value) == VT_EFFECT_PURE &&
           !vt_stmt_uses(s->u.let.body, s->u.let.var);
}

static const vt_stmt *prepare_stmt(vt_mutator *m, const vt_stmt *s) {
    preparer *p = (preparer *)m;
    if (vt_attr_is(s, VT_ATTR_UOPS)) return prepare_uop_scope(p, s);
    if (vt_attr_is(s, VT_ATTR_THREAD_EXTENT))
        vt_raise(m->ctx, VTA_UNSUPPORTED,
                 "%s: a loop is bound to %s, a thread of a graphics processor, and there is no such target: leave the "
                 "loop as it is, or make it parallel or vectorized",
                 p->func->name, s->u.attr.node.u.iter->thread_tag);
    if (s->kind == VT_S_ATTR) { /* all other marks have done their work */
        return vt_mutate_stmt(m, s->u.attr.body);
    }
    scope here = {.outer = p->scopes};
    if (s->kind == VT_S_LET)
        here.var = s->u.let.var, here.let_value = s->u.let.value;
    else if (s->kind == VT_S_FOR)
        here.var = s->u.loop.var, here.min = s->u.loop.min, here.extent = s->u.loop.extent;
    if (here.var) p->scopes = &here;
    const vt_stmt *result = vt_mutate_stmt_children(m, s);
    p->scopes = here.outer;
    return p->in_uops && is_idle(result) ? result->u.let.body : result;
}

/* ---- Definitions that nothing uses --------------------------------------------------------------------------- */

/* Those that micro-kernels use have moved into them. A body is seen before the value of its definition, so that one
 * pass is enough for any number of them. */
typedef struct sweeper {
    vt_mutator m;
    vt_ptrmap *used, *kernels; /* variables; micro-op scopes that were seen: each is one statement in many places */
} sweeper;

static void use(sweeper *w, const vt_var *v) { vt_ptrmap_set(w->used, v, v); }

static const vt_expr *use_expr(vt_mutator *m, const vt_expr *e) {
    if (e->kind == VT_E_VAR) use((sweeper *)m, e);
    if (e->kind == VT_E_LOAD) use((sweeper *)m, e->u.buffer->data);
    return vt_mutate_expr_children(m, e);
}

static const vt_stmt *sweep_let(sweeper *w, const vt_stmt *s) {
    const vt_stmt *body = vt_mutate_stmt(&w->m, s->u.let.body);
    if (!vt_ptrmap_has(w->used, s->u.let.var) && vt_expr_effect(s->u.let.value) == VT_EFFECT_PURE) return body;
    vt_mutate_expr(&w->m, s->u.let.value);
    return body == s->u.let.body ? s : vt_s_let(w->m.ctx, s->u.let.var, s->u.let.value, body);
}

static const vt_stmt *sweep_stmt(vt_mutator *m, const vt_stmt *s) {
    sweeper *w = (sweeper *)m;
    if (s->kind == VT_S_LET) return sweep_let(w, s);
    if (s->kind == VT_S_STORE) use(w, s->u.store.buffer->data);
    if (s->kind == VT_S_ATTR && s->u.attr.node.kind == VT_REF_VAR) use(w, s->u.attr.node.u.var);
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return vt_mutate_stmt_children(m, s);
    if (vt_ptrmap_has(w->kernels, s)) return s;
    vt_ptrmap_set(w->kernels, s, s);
    vt_mutate_stmt_children(m, s);
    return s; /* as it is: it may stand in other places too */
}

static const vt_stmt *sweep(vt_ctx *ctx, const vt_stmt *body) {
    sweeper w = {.m = {.ctx = ctx, .expr = use_expr, .stmt = sweep_stmt},
                 .used = vt_ptrmap_new(ctx),
                 .kernels = vt_ptrmap_new(ctx)};
    return vt_mutate_stmt(&w.m, body);
}

const vt_func *vt_prepare(vt_ctx *ctx, const vt_codegen_func *cf) {
    const vt_func *f = cf->func;
    preparer p = {.m = {.ctx = ctx, .expr = prepare_expr, .stmt = prepare_stmt},
                  .func = f,
                  .device_type = cf->device_type,
                  .kernels = vt_ptrmap_new(ctx)};
    const vt_stmt *body = sweep(ctx, vt_mutate_stmt(&p.m, f->body));
    if (p.handle)
        body = vt_s_let(ctx, p.handle, vt_e_call_extern(ctx, VT_HANDLE_T, "VTATLSCommandHandle", 0, NULL), body);
    return body == f->body ? f : vt_func_with_body(ctx, f, body);
}
