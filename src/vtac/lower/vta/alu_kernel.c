/* The kernel of one micro-op over a nest: which levels are the hardware's loops, which repeat the micro-op. */
#include <string.h>

#include "config/field_bits.h"
#include "lower/vta/alu.h"

/* A level of the nest in elements. */
typedef struct level {
    const vt_expr *extent, *dst, *src;
    const vt_var *var; /* of the loop that it was, if a condition depends on it */
} level;

/* ---- Elements and loops ----------------------------------------------------------------------------------------- */

static const vt_expr *element_scalars(const alu *st) {
    return vt_i32(st->m.ctx, vt__elem_scalars(vt__config(st->l), VTA_MEM_ACC));
}

/* The innermost loops must run over the scalars of one element; gives the number of loops that do. */
static uint32_t match_element(alu *st, const nest *k, const vt_expr *const *src) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *scalars = element_scalars(st), *size = vt_i32(ctx, 1);
    uint32_t loops = 0;
    bool ok =
        vt__is(ctx, vt_floormod(ctx, src[k->n], scalars), 0) && vt__is(ctx, vt_floormod(ctx, k->dst[k->n], scalars), 0);
    while (ok && loops < k->n && !vt_expr_equal(size, scalars)) {
        uint32_t i = k->n - ++loops;
        ok = vt_expr_equal(src[i], size) && vt_expr_equal(k->dst[i], size);
        size = vt_simplify(st->a, vt_mul(ctx, size, k->extents[i]));
    }
    if (!ok || !vt_expr_equal(size, scalars))
        vt__alu_refuse(
            st, k->stmt,
            vt_new_format(ctx,
                          "the innermost axes must be whole elements of %lld x %lld scalars, in the order in "
                          "which they lie in memory, and begin at one",
                          (long long)vta_config_batch(vt__config(st->l)),
                          (long long)vta_config_block_out(vt__config(st->l))));
    return loops;
}

/* The instruction's fields hold no steps backwards, and extents up to a bound; its loops have no conditions. */
static bool hardware_can(alu *st, const level *x) {
    enum { EXTENT_MAX = VT_FIELD_MAX(ALU_iter_in) };
    _Static_assert(VT_BITS_ALU_iter_out == VT_BITS_ALU_iter_in, "either loop may be the outer one");
    return !x->var && vt_const_bound(st->a, x->extent).max <= EXTENT_MAX && vt_const_bound(st->a, x->dst).min >= 0 &&
           vt_const_bound(st->a, x->src).min >= 0;
}

/* Merges a level with the one outside of it where their strides fit. `levels` are innermost first. */
static uint32_t merge_levels(alu *st, uint32_t n, level *levels) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t kept = 0;
    for (uint32_t i = 1; i < n; i++) {
        level *in = &levels[kept], both = *in;
        both.extent = vt_simplify(st->a, vt_mul(ctx, in->extent, levels[i].extent));
        if (!levels[i].var && vt_prove_equal(st->a, levels[i].src, vt_mul(ctx, in->src, in->extent)) &&
            vt_prove_equal(st->a, levels[i].dst, vt_mul(ctx, in->dst, in->extent)) && hardware_can(st, &both))
            *in = both;
        else
            levels[++kept] = levels[i];
    }
    return n ? kept + 1 : 0;
}

/* Levels that the hardware's loops cannot run become the innermost, which repeat the micro-op. */
static uint32_t order_levels(alu *st, uint32_t n, level *levels) {
    uint32_t able = 0, unable = 0;
    level *kept = VT_NEW_ARRAY(st->m.ctx, level, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (hardware_can(st, &levels[i]))
            kept[able++] = levels[i];
        else
            levels[unable++] = levels[i];
    memcpy(levels + unable, kept, able * sizeof *kept);
    return able;
}

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

static const vt_stmt *push(alu *st, const uop *u, const vt_expr *dst, const vt_expr *src) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *zero = vt_i32(ctx, 0);
    const vt_expr *args[] = {vt_i32(ctx, !u->reset),
                             vt_i32(ctx, u->reset),
                             dst,
                             u->reset ? zero : src,
                             zero,
                             vt_i32(ctx, u->reset ? 0 : u->opcode),
                             vt_i32(ctx, u->imm != NULL),
                             u->imm ? u->imm : zero};
    return vt__call(ctx, VT_OP_VTA_UOP_PUSH, VT_OPERANDS(VTAUopPush) - 1, args);
}

/* How a kernel runs its levels: the innermost repeat the micro-op, `hardware` of them are the instruction's loops, and
 * those outside are loops around kernels, each with micro-ops of its own. */
typedef struct plan {
    uint32_t n, inner, hardware;
    const level *levels;
    const vt_var **vars; /* of all but the hardware's */
    const vt_expr *dst, *src, *condition;
    bool apart; /* the condition stands around kernels */
} plan;

/* `able` of the levels, the outermost, can be the hardware's loops. More go outside when the others repeat the micro-op
 * more often than its buffer has room for. */
static void place_levels(alu *st, plan *p, uint32_t able) {
    uint64_t most = vta_config_depth(vt__config(st->l), VTA_MEM_UOP), repeats = 1;
    uint32_t n = p->n;
    for (; p->inner < n; p->inner++) {
        uint64_t extent = vt_const_elements(1, &p->levels[p->inner].extent);
        if (p->inner + 2 >= n && p->inner + able >= n) break;
        if (extent > most || repeats * extent > most) break;
        repeats *= extent;
    }
    while (p->hardware < 2 && p->inner + p->hardware < n && p->inner + p->hardware + able >= n) p->hardware++;
}

/* The others, and with them the condition, around kernels of the `able` ones alone. */
static void place_apart(alu *st, plan *p, uint32_t able) {
    uint64_t most = vta_config_depth(vt__config(st->l), VTA_MEM_UOP), repeats = 1;
    level *levels = VT_NEW_ARRAY(st->m.ctx, level, p->n + 1);
    memcpy(levels, p->levels + (p->n - able), able * sizeof *levels);
    memcpy(levels + able, p->levels, (p->n - able) * sizeof *levels);
    p->levels = levels;
    p->apart = true;
    for (uint32_t i = 0; i + 2 < able && repeats <= most; i++, p->inner++)
        repeats *= vt_const_elements(1, &levels[i].extent);
    if (repeats > most) p->inner = 0;
    p->hardware = able < 2 ? able : 2;
}

/* Variables of the loops that are left, in the indices and in the condition. */
static void name_levels(alu *st, plan *p) {
    vt_ctx *ctx = st->m.ctx;
    for (uint32_t i = p->n; i-- > 0;) {
        if (i >= p->inner && i < p->inner + p->hardware) continue;
        p->vars[i] = vt_var_new(ctx, "u", VT_I32);
        p->dst = vt_add(ctx, p->dst, vt_mul(ctx, p->vars[i], p->levels[i].dst));
        p->src = vt_add(ctx, p->src, vt_mul(ctx, p->vars[i], p->levels[i].src));
        if (p->levels[i].var) p->condition = vt_substitute1(ctx, p->condition, p->levels[i].var, p->vars[i]);
    }
}

static const vt_stmt *around(alu *st, const plan *p, uint32_t from, uint32_t to, const vt_stmt *body) {
    for (uint32_t i = from; i < to; i++)
        body = vt_s_for(st->m.ctx, p->vars[i], vt_i32(st->m.ctx, 0), p->levels[i].extent, VT_FOR_SERIAL, body);
    return body;
}

/* The micro-ops of a kernel. */
static const vt_stmt *listed(alu *st, const uop *u, const plan *p) {
    const vt_stmt *body = push(st, u, p->dst, p->src);
    if (p->condition && !p->apart) body = vt_s_if(st->m.ctx, p->condition, body, NULL);
    return around(st, p, 0, p->inner, body);
}

static const vt_stmt *emit(alu *st, const uop *u, const plan *p) {
    vt_ctx *ctx = st->m.ctx;
    vt_stmt_list out = {0};
    for (uint32_t i = p->inner + p->hardware; i-- > p->inner;) {
        const level *x = &p->levels[i];
        const vt_expr *loop[] = {x->extent, x->dst, u->reset ? vt_i32(ctx, 0) : x->src, vt_i32(ctx, 0)};
        vt_stmt_list_add(ctx, &out, vt__extern(ctx, "VTAUopLoopBegin", 4, loop));
    }
    vt_stmt_list_add(ctx, &out, listed(st, u, p));
    for (uint32_t i = 0; i < p->hardware; i++) vt_stmt_list_add(ctx, &out, vt__extern(ctx, "VTAUopLoopEnd", 0, NULL));
    const char *call = u->reset ? VT_PUSH_GEMM : VT_PUSH_ALU;
    const vt_stmt *kernel = vt__uops(st->l, st->axis, call, vt_s_seq(ctx, out.n, out.items));
    if (p->condition && p->apart) kernel = vt_s_if(ctx, p->condition, kernel, NULL);
    return around(st, p, p->inner + p->hardware, p->n, kernel);
}

/* May one of the plan's kernels be left without a micro-op? */
static bool may_be_none(alu *st, const uop *u, const plan *p) {
    vt_around around = st->around;
    for (uint32_t i = p->inner + p->hardware; i < p->n; i++)
        vt__around_enter(st->m.ctx, &around, p->vars[i], vt_i32(st->m.ctx, 0), p->levels[i].extent);
    return vt__uops_may_be_none(st->m.ctx, &around, listed(st, u, p));
}

const vt_stmt *vt__alu_make_kernel(alu *st, const nest *k, const uop *u) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t outer = k->n - match_element(st, k, u->src);
    for (uint32_t i = outer; u->condition && i < k->n; i++)
        if (vt_expr_uses(u->condition, k->vars[i]))
            vt__alu_refuse(st, k->stmt, "a condition must hold for all scalars of an element or for none");
    const vt_expr *scalars = element_scalars(st);
    level *levels = VT_NEW_ARRAY(ctx, level, outer + 1);
    for (uint32_t i = 0; i < outer; i++)
        levels[outer - 1 - i] = (level){k->extents[i], vt_simplify(st->a, vt_floordiv(ctx, k->dst[i], scalars)),
                                        vt_simplify(st->a, vt_floordiv(ctx, u->src[i], scalars)),
                                        u->condition && vt_expr_uses(u->condition, k->vars[i]) ? k->vars[i] : NULL};
    const vt_expr *dst_at = vt_simplify(st->a, vt_floordiv(ctx, k->dst[k->n], scalars));
    const vt_expr *src_at = vt_simplify(st->a, vt_floordiv(ctx, u->src[k->n], scalars));
    uint32_t n = merge_levels(st, outer, levels), able = order_levels(st, n, levels);
    plan p = {.n = n,
              .levels = levels,
              .vars = VT_NEW_ARRAY(ctx, const vt_var *, n + 1),
              .dst = dst_at,
              .src = src_at,
              .condition = u->condition};
    plan apart = p;
    place_levels(st, &p, able);
    name_levels(st, &p);
    if (!u->condition || !may_be_none(st, u, &p)) return emit(st, u, &p);
    place_apart(st, &apart, able);
    name_levels(st, &apart);
    return emit(st, u, &apart);
}
