/* Orders the loops of a GEMM kernel whose micro-ops would write the same accumulator too soon one after the other.
 *
 * The order in which products are added is free. Where the schedule's order puts too few accumulators between two
 * writes of one (a tail of one column does), another is chosen: two loops that become the hardware's, then those of the
 * reduction, and those that move over the result inside of all. The choice takes the fewest micro-ops. Where the result
 * has one or two accumulators, no order helps, and each step of the reduction is an instruction of its own. Kernels
 * without the problem keep the order of the schedule.
 *
 * Boards made from HLS have the same gap between steps of the hardware's loops. An order chosen here keeps it, and that
 * of a function with tails, whose schedule was made for the full tile; that of one without is TVM's. */
#include "arith/linear.h"
#include "lower/vta/uop_nest.h"

/* Loops as indices into those of a nest. */
typedef struct order {
    uint32_t n, at[VT_UOP_LOOPS];
    uint32_t outside; /* so many are outside of the kernel */
} order;

enum { HARDWARE_LOOPS = 2 };

/* The loops of the order from `from` on. */
static vt_uop_nest nest_from(const vt_uop_nest *k, const order *o, uint32_t from) {
    vt_uop_nest in = {.n = 0};
    for (uint32_t i = from; i < o->n; i++) {
        in.loops[in.n] = k->loops[o->at[i]];
        in.extents[in.n] = k->extents[o->at[i]];
        in.strides[in.n++] = k->strides[o->at[i]];
    }
    return in;
}

static bool is_safe(const vt_uop_nest *k, const order *o, uint32_t from) {
    uint32_t loop;
    vt_uop_nest nest = nest_from(k, o, from);
    return vt__uop_hazard(&nest, &loop) == 0;
}

static uint64_t micro_ops(const vt_uop_nest *k, const order *o) {
    uint64_t n = 1;
    for (uint32_t i = o->outside + HARDWARE_LOOPS; i < o->n; i++) n *= (uint64_t)k->extents[o->at[i]];
    return n;
}

static void add_others(const vt_uop_nest *k, order *o, uint32_t x, uint32_t y, bool of_result) {
    for (uint32_t i = 0; i < k->n; i++)
        if (i != x && i != y && (k->strides[i] != 0) == of_result) o->at[o->n++] = i;
}

/* `x` and `y` in hardware. */
static order order_with(const vt_uop_nest *k, uint32_t x, uint32_t y) {
    order o = {.n = 2, .at = {x, y}};
    add_others(k, &o, x, y, false);
    add_others(k, &o, x, y, true);
    return o;
}

/* The reduction outside. */
static order order_apart(const vt_uop_nest *k) {
    order o = {.n = 0};
    add_others(k, &o, k->n, k->n, false);
    o.outside = o.n;
    add_others(k, &o, k->n, k->n, true);
    return o;
}

/* Which loops can be the hardware's: every operand of the push moves by constants in every loop, upwards in this one.
 */
typedef struct fitness {
    bool linear, upwards[VT_UOP_LOOPS];
} fitness;

static order choose(const vt_uop_nest *k, const fitness *fit) {
    order best = {.n = 0};
    for (uint32_t x = 0; fit->linear && x < k->n; x++) {
        for (uint32_t y = x + 1; y < k->n; y++) {
            if (!fit->upwards[x] || !fit->upwards[y]) continue;
            order o = order_with(k, x, y);
            if (is_safe(k, &o, 0) && (best.n == 0 || micro_ops(k, &o) < micro_ops(k, &best))) best = o;
        }
    }
    return best.n ? best : order_apart(k);
}

static fitness fitness_of(vt_ctx *ctx, const vt_uop_nest *k) {
    const vt_var *vars[VT_UOP_LOOPS];
    const vt_expr *linear[VT_UOP_LOOPS + 1];
    fitness fit = {.linear = true};
    int64_t step;
    for (uint32_t i = 0; i < k->n; i++) {
        vars[i] = k->loops[i]->u.loop.var;
        fit.upwards[i] = true;
    }
    for (int x = VT_UOP(dst_index); x <= VT_UOP(wgt_index); x++) {
        if (!vt_detect_linear(ctx, k->push->u.eval.value->a[x], k->n, vars, linear)) return (fitness){.linear = false};
        for (uint32_t i = 0; i < k->n; i++) fit.upwards[i] &= !vt_as_const(linear[i], &step) || step >= 0;
    }
    return fit;
}

typedef struct orderer {
    vt_mutator m;
    uint32_t from; /* the first loop of the schedule's order that must be safe */
} orderer;

static const vt_stmt *ordered(orderer *st, const vt_stmt *scope, const vt_uop_nest *k, const fitness *fit) {
    vt_ctx *ctx = st->m.ctx;
    order o = choose(k, fit);
    const vt_stmt *s = k->push;
    for (uint32_t i = o.n; i > o.outside; i--) s = vt_stmt_with_body(ctx, k->loops[o.at[i - 1]], s);
    s = vt_stmt_with_body(ctx, scope, s);
    for (uint32_t i = o.outside; i > 0; i--) s = vt_stmt_with_body(ctx, k->loops[o.at[i - 1]], s);
    return s;
}

/* In the order of the schedule, looked at from loop `from` on. */
static bool is_safe_as_is(const vt_uop_nest *k, uint32_t from) {
    order o = {.n = k->n};
    for (uint32_t i = 0; i < k->n; i++) o.at[i] = i;
    return is_safe(k, &o, from);
}

/* Several nests in a kernel stay together when each is safe as it is. */
static bool are_safe(vt_ctx *ctx, const vt_stmt *s) {
    vt_uop_nest k;
    if (vt__match_uop_nest(ctx, s, &k)) return is_safe_as_is(&k, 0);
    if (s->kind == VT_S_FOR) return are_safe(ctx, s->u.loop.body);
    bool safe = true;
    for (uint32_t i = 0; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i++) safe &= are_safe(ctx, s->u.seq.items[i]);
    return safe;
}

static const vt_stmt *order_scope(orderer *st, const vt_stmt *scope, const vt_stmt *body) {
    vt_ctx *ctx = st->m.ctx;
    vt_uop_nest k;
    const vt_stmt *whole = vt_stmt_with_body(ctx, scope, body);
    if (vt__match_uop_nest(ctx, body, &k)) {
        fitness fit = fitness_of(ctx, &k);
        uint32_t from = 0; /* loops before it will be the hardware's */
        while (from < st->from && from < k.n && fit.linear && fit.upwards[from]) from++;
        return is_safe_as_is(&k, from) ? whole : ordered(st, scope, &k, &fit);
    }
    const vt_stmt *apart = vt__order_conditional(ctx, scope, body);
    if (apart) return apart;
    if (are_safe(ctx, body)) return whole;
    if (body->kind == VT_S_FOR) return vt_stmt_with_body(ctx, body, order_scope(st, scope, body->u.loop.body));
    if (body->kind != VT_S_SEQ) return whole;
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, body->u.seq.n_items);
    for (uint32_t i = 0; i < body->u.seq.n_items; i++) items[i] = order_scope(st, scope, body->u.seq.items[i]);
    return vt_s_seq(ctx, body->u.seq.n_items, items);
}

static const vt_stmt *order_stmt(vt_mutator *m, const vt_stmt *s) {
    if (!vt_attr_is(s, VT_ATTR_UOPS) || !vt_is_text(s->u.attr.value, VT_PUSH_GEMM))
        return vt_mutate_stmt_children(m, s);
    return order_scope((orderer *)m, s, s->u.attr.body);
}

const vt_func *vt_pass_order_uop_loops(vt_lowering *l, const vt_func *f) {
    orderer st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = order_stmt},
                  .from = vt__vta(l)->tails ? 0 : HARDWARE_LOOPS};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
