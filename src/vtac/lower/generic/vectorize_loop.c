/* Turns vectorized loops into vector operations: the loop variable becomes a ramp 0, 1, ..., and what it touches
 * becomes as wide. A statement that has no vector form (a condition that differs by lane, a call without one) keeps a
 * serial loop of its own. */
#include "ir/print.h"
#include "lower/generic/pass.h"
#include "lower/generic/unsafe.h"
#include "lower/generic/util.h"

typedef struct vectorize {
    vt_mutator m;
    vt_analyzer *a;
    vt_analyzer *ranges; /* of loop variables, those around the vector too */
    const vt_var *var;
    uint16_t lanes;
    const vt_expr *ramp;
    vt_varmap *lets; /* scalar binding -> its vector */
    bool scalarize;  /* what was just visited has no vector form */
} vectorize;

static const vt_expr *vec(vectorize *st, const vt_expr *e) { return vt_mutate_expr(&st->m, e); }

static const vt_expr *widen(vectorize *st, const vt_expr *e, uint16_t lanes) {
    if (e->dtype.lanes == lanes) return e;
    if (e->kind == VT_E_BROADCAST && lanes % e->dtype.lanes == 0) e = e->a[0];
    if (e->dtype.lanes != 1) {
        st->scalarize = true;
        return e;
    }
    return vt_e_broadcast(st->m.ctx, e, lanes);
}

static uint16_t widest(uint32_t n, const vt_expr *const *items) {
    uint16_t lanes = 1;
    for (uint32_t i = 0; i < n; i++)
        if (items[i]->dtype.lanes > lanes) lanes = items[i]->dtype.lanes;
    return lanes;
}

/* A vector of conditions guards nothing: what they choose from is computed in all lanes. */
static void keep_guard(vectorize *st, uint16_t lanes, const vt_expr *condition, const vt_expr *value) {
    st->scalarize |= lanes > 1 && vt_is_unsafe(st->ranges, condition, value);
}

/* Sums and products of ramps stay ramps. NULL when this is not one. */
static const vt_expr *ramp_arith(vectorize *st, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    vt_ctx *ctx = st->m.ctx;
    bool x_ramp = x->kind == VT_E_RAMP && y->dtype.lanes == 1, y_ramp = y->kind == VT_E_RAMP && x->dtype.lanes == 1;
    if (kind == VT_E_MUL) {
        const vt_expr *ramp = x_ramp ? x : y_ramp ? y : NULL, *factor = x_ramp ? y : x;
        if (!ramp || !vt_prove(st->a, vt_gt(ctx, factor, vt_int(ctx, factor->dtype, 0)))) return NULL;
        return vt_e_ramp(ctx, vt_mul(ctx, ramp->a[0], factor), vt_mul(ctx, ramp->a[1], factor), ramp->dtype.lanes);
    }
    if (kind != VT_E_ADD && kind != VT_E_SUB) return NULL;
    if (x_ramp) return vt_e_ramp(ctx, vt_bin(ctx, kind, x->a[0], y), x->a[1], x->dtype.lanes);
    if (!y_ramp) return NULL;
    const vt_expr *zero = vt_int(ctx, y->a[1]->dtype, 0);
    return vt_e_ramp(ctx, vt_bin(ctx, kind, x, y->a[0]), vt_bin(ctx, kind, zero, y->a[1]), y->dtype.lanes);
}

static const vt_expr *vec_binary(vectorize *st, const vt_expr *e) {
    const vt_expr *a[2] = {vec(st, e->a[0]), vec(st, e->a[1])};
    if (a[0] == e->a[0] && a[1] == e->a[1]) return e;
    const vt_expr *ramp = ramp_arith(st, e->kind, a[0], a[1]);
    if (ramp) return ramp;
    uint16_t lanes = widest(2, a);
    a[0] = widen(st, a[0], lanes);
    a[1] = widen(st, a[1], lanes);
    if (e->kind == VT_E_AND || e->kind == VT_E_OR) keep_guard(st, lanes, e->a[0], e->a[1]);
    if (st->scalarize) return e;
    return e->kind == VT_E_ADD || e->kind == VT_E_SUB ? vt_bin(st->m.ctx, e->kind, a[0], a[1])
                                                      : vt_e_bin(st->m.ctx, e->kind, a[0], a[1]);
}

static bool has_vector_form(vt_op op) {
    return vt_op_infos[op].effect == VT_EFFECT_PURE && op != VT_OP_CALL_PURE_EXTERN && op != VT_OP_ADDRESS_OF &&
           op != VT_OP_ISNULLPTR && op != VT_OP_TUPLE && op != VT_OP_TYPE_ANNOTATION;
}

static const vt_expr *vec_call(vectorize *st, const vt_expr *e) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr **a = VT_NEW_ARRAY(ctx, const vt_expr *, e->n + 1);
    bool changed = false;
    for (uint32_t i = 0; i < e->n; i++) {
        a[i] = vec(st, e->a[i]);
        changed |= a[i] != e->a[i];
    }
    if (!changed) return e;
    uint16_t lanes = widest(e->n, a);
    bool branch = e->u.op == VT_OP_IF_THEN_ELSE;
    if (lanes > 1 && ((branch && a[0]->dtype.lanes > 1) || !has_vector_form(e->u.op))) {
        st->scalarize = true;
        return e;
    }
    for (uint32_t i = branch ? 1 : 0; i < e->n; i++) a[i] = widen(st, a[i], lanes);
    return vt_e_call(ctx, vt_dtype_lanes(e->dtype, lanes), e->u.op, e->n, a);
}

static const vt_expr *vec_select(vectorize *st, const vt_expr *e) {
    const vt_expr *a[3] = {vec(st, e->a[0]), vec(st, e->a[1]), vec(st, e->a[2])};
    if (a[0] == e->a[0] && a[1] == e->a[1] && a[2] == e->a[2]) return e;
    uint16_t lanes = widest(3, a);
    for (int i = 1; i < 3; i++) keep_guard(st, a[0]->dtype.lanes, e->a[0], e->a[i]);
    /* One condition for all lanes still guards: it stays one, so that the selection can become a branch. */
    bool guards = a[0]->dtype.lanes == 1 &&
                  (vt_is_unsafe(st->ranges, e->a[0], e->a[1]) || vt_is_unsafe(st->ranges, e->a[0], e->a[2]));
    for (int i = guards ? 1 : 0; i < 3; i++) a[i] = widen(st, a[i], lanes);
    return st->scalarize ? e : vt_e_select(st->m.ctx, a[0], a[1], a[2]);
}

/* ---- Inner buffers: each lane has its own part, element by element next to each other --------------------------- */

typedef struct own_parts {
    vt_mutator m;
    const vectorize *st;
    const vt_var *data;
    vt_ptrmap *buffers;
} own_parts;

static const vt_buffer *part_buffer(vt_mutator *m, const vt_buffer *b) {
    own_parts *p = (own_parts *)m;
    if (b->data != p->data) return b;
    const vt_buffer *have = vt_ptrmap_get(p->buffers, b);
    if (have) return have;
    vt_buffer copy = *b;
    const vt_expr *size = vt_mul(m->ctx, b->shape[0], vt_int(m->ctx, b->shape[0]->dtype, p->st->lanes));
    copy.shape = vt_exprs_copy(m->ctx, 1, &size);
    have = vt_buffer_with(m->ctx, &copy);
    vt_ptrmap_set(p->buffers, b, have);
    return have;
}

static const vt_expr *part_index(own_parts *p, const vt_expr *index) {
    vt_ctx *ctx = p->m.ctx;
    const vt_expr *own = vt_mul(ctx, index, vt_int(ctx, index->dtype, p->st->lanes));
    return vt_simplify(p->st->a, vt_add(ctx, own, p->st->var));
}

static const vt_expr *part_expr(vt_mutator *m, const vt_expr *e) {
    const vt_expr *out = vt_mutate_expr_children(m, e);
    if (e->kind != VT_E_LOAD || out->u.buffer == e->u.buffer) return out;
    const vt_expr *index = part_index((own_parts *)m, out->a[0]);
    return vt_e_load(m->ctx, out->u.buffer, 1, &index);
}

static const vt_stmt *part_stmt(vt_mutator *m, const vt_stmt *s) {
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    if (s->kind != VT_S_STORE || out->u.store.buffer == s->u.store.buffer) return out;
    const vt_expr *index = part_index((own_parts *)m, out->u.store.indices[0]);
    return vt_s_store(m->ctx, out->u.store.buffer, out->u.store.value, 1, &index);
}

static const vt_stmt *vec_alloc(vectorize *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    own_parts p = {.m = {.ctx = ctx, .expr = part_expr, .stmt = part_stmt, .buffer = part_buffer},
                   .st = st,
                   .data = s->u.alloc.var,
                   .buffers = vt_ptrmap_new(ctx)};
    vt_stmt copy = vt_stmt_copy(s);
    const vt_expr *extent = s->u.alloc.extents[0];
    extent = vt_mul(ctx, extent, vt_int(ctx, extent->dtype, st->lanes));
    copy.u.alloc.extents = vt_exprs_copy(ctx, 1, &extent);
    copy.u.alloc.body = vt_mutate_stmt(&st->m, vt_mutate_stmt(&p.m, s->u.alloc.body));
    return vt_s_new(ctx, &copy);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static const vt_expr *vec_expr(vt_mutator *m, const vt_expr *e) {
    vectorize *st = (vectorize *)m;
    vt_ctx *ctx = m->ctx;
    if (st->scalarize) return e;
    switch (e->kind) {
    case VT_E_VAR: {
        const vt_expr *value = e == st->var ? st->ramp : vt_varmap_get(st->lets, e);
        return value ? value : e;
    }
    case VT_E_SELECT: return vec_select(st, e);
    case VT_E_CALL: return vec_call(st, e);
    case VT_E_CAST: {
        const vt_expr *value = vec(st, e->a[0]);
        return value == e->a[0] ? e : vt_e_cast(ctx, vt_dtype_lanes(e->dtype, value->dtype.lanes), value);
    }
    case VT_E_NOT: {
        const vt_expr *value = vec(st, e->a[0]);
        return value == e->a[0] ? e : vt_not(ctx, value);
    }
    case VT_E_LOAD: {
        const vt_expr *index = vec(st, e->a[0]);
        return index == e->a[0] ? e : vt_e_load(ctx, e->u.buffer, 1, &index);
    }
    case VT_E_LET: {
        const vt_expr *value = vec(st, e->a[0]);
        if (value->dtype.lanes == e->a[0]->dtype.lanes) {
            const vt_expr *body = vec(st, e->a[1]);
            return value == e->a[0] && body == e->a[1] ? e : vt_e_let(ctx, e->u.let_var, value, body);
        }
        const vt_var *v = vt_var_new(ctx, vt_var_name(e->u.let_var), value->dtype);
        vt_varmap_set(st->lets, e->u.let_var, v);
        return vt_e_let(ctx, v, value, vec(st, e->a[1]));
    }
    case VT_E_RAMP:
    case VT_E_BROADCAST: {
        for (uint32_t i = 0; i < e->n; i++)
            if (vec(st, e->a[i])->dtype.lanes > 1) st->scalarize = true;
        return e;
    }
    default: break;
    }
    if (e->n == 2 && vt_expr_infos[e->kind].cls >= VT_CLASS_ARITH && vt_expr_infos[e->kind].cls <= VT_CLASS_LOGIC)
        return vec_binary(st, e);
    return vt_mutate_expr_children(m, e);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static const vt_stmt *serial(vectorize *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    st->scalarize = false;
    const vt_var *index = vt_var_copy(ctx, st->var, ".s");
    return vt_s_for(ctx, index, vt_int(ctx, index->dtype, 0), vt_int(ctx, index->dtype, st->lanes), VT_FOR_SERIAL,
                    vt_substitute1_stmt(ctx, s, st->var, index));
}

static const vt_stmt *vec_store(vectorize *st, const vt_stmt *s) {
    const vt_expr *index = vec(st, s->u.store.indices[0]), *value = vec(st, s->u.store.value);
    if (index == s->u.store.indices[0] && value == s->u.store.value) return s;
    uint16_t lanes = index->dtype.lanes > value->dtype.lanes ? index->dtype.lanes : value->dtype.lanes;
    index = widen(st, index, lanes);
    value = widen(st, value, lanes);
    if (st->scalarize) return s;
    return vt_s_store(st->m.ctx, s->u.store.buffer, value, 1, &index);
}

/* NULL: no vector form. */
static const vt_stmt *vec_let(vectorize *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *value = vec(st, s->u.let.value);
    if (st->scalarize) return NULL;
    if (value->dtype.lanes == s->u.let.value->dtype.lanes)
        return vt_s_let(ctx, s->u.let.var, value, vt_mutate_stmt(&st->m, s->u.let.body));
    const vt_var *v = vt_var_new(ctx, vt_var_name(s->u.let.var), value->dtype);
    vt_varmap_set(st->lets, s->u.let.var, v);
    return vt_s_let(ctx, v, value, vt_mutate_stmt(&st->m, s->u.let.body));
}

static bool uniform(vectorize *st, const vt_expr *e) {
    bool scalar = vec(st, e)->dtype.lanes == e->dtype.lanes && !st->scalarize;
    st->scalarize = false;
    return scalar;
}

static const vt_stmt *vec_stmt(vt_mutator *m, const vt_stmt *s) {
    vectorize *st = (vectorize *)m;
    vt_ctx *ctx = m->ctx;
    const vt_stmt *out = s;
    switch (s->kind) {
    case VT_S_STORE: out = vec_store(st, s); break;
    case VT_S_LET: out = vec_let(st, s); break;
    case VT_S_FOR:
        if (!uniform(st, s->u.loop.min) || !uniform(st, s->u.loop.extent)) return serial(st, s);
        vt_analyzer_bind_range(st->ranges, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
        return vt_stmt_with_body(ctx, s, vt_mutate_stmt(m, s->u.loop.body));
    case VT_S_IF: {
        if (!uniform(st, s->u.branch.condition)) return serial(st, s);
        const vt_stmt *then_case = vt_mutate_stmt(m, s->u.branch.then_case);
        const vt_stmt *else_case = vt_mutate_stmt(m, s->u.branch.else_case);
        if (then_case == s->u.branch.then_case && else_case == s->u.branch.else_case) return s;
        return vt_s_if(ctx, s->u.branch.condition, then_case, else_case);
    }
    case VT_S_ALLOC: return uniform(st, s->u.alloc.extents[0]) ? vec_alloc(st, s) : serial(st, s);
    case VT_S_ATTR:
        if (!uniform(st, s->u.attr.value)) return serial(st, s);
        return vt_stmt_with_body(ctx, s, vt_mutate_stmt(m, s->u.attr.body));
    default: out = vt_mutate_stmt_children(m, s); break;
    }
    return st->scalarize || !out ? serial(st, s) : out;
}

/* ---- The pass --------------------------------------------------------------------------------------------------- */

typedef struct outside {
    vt_mutator m;
    vt_analyzer *ranges;
} outside;

static const vt_stmt *each_loop(vt_mutator *m, const vt_stmt *s) {
    vt_ctx *ctx = m->ctx;
    vt_analyzer *ranges = ((outside *)m)->ranges;
    if (s->kind != VT_S_FOR) return vt_mutate_stmt_children(m, s);
    vt_analyzer_bind_range(ranges, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    if (s->u.loop.kind != VT_FOR_VECTORIZED) return vt_mutate_stmt_children(m, s);
    int64_t lanes;
    if (!vt_is_const(s->u.loop.min, 0) || !vt_as_const(s->u.loop.extent, &lanes) || lanes < 1 || lanes > 1024)
        vt_raise(ctx, VTA_ILLEGAL,
                 "axis %s cannot be vectorized: its extent is %s, but must be a constant of at most 1024; split it and "
                 "vectorize the inner part",
                 vt_var_name(s->u.loop.var), vt_expr_plain(ctx, s->u.loop.extent));
    if (lanes == 1)
        return vt_substitute1_stmt(ctx, s->u.loop.body, s->u.loop.var, vt_int(ctx, s->u.loop.var->dtype, 0));
    vectorize st = {.m = {.ctx = ctx, .expr = vec_expr, .stmt = vec_stmt},
                    .a = vt_analyzer_new(ctx),
                    .ranges = ranges,
                    .var = s->u.loop.var,
                    .lanes = (uint16_t)lanes,
                    .lets = vt_varmap_new(ctx)};
    vt_dtype t = s->u.loop.var->dtype;
    st.ramp = vt_e_ramp(ctx, vt_int(ctx, t, 0), vt_int(ctx, t, 1), st.lanes);
    return vt_mutate_stmt(&st.m, s->u.loop.body);
}

const vt_func *vt_pass_vectorize_loop(vt_lowering *l, const vt_func *f) {
    outside o = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = each_loop}, .ranges = vt_analyzer_new(l->ctx)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&o.m, f->body));
}
