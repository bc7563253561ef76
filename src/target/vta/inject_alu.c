/* Turns loop nests marked alu into kernels of one micro-op each and the loops around it.
 *
 * The ALU works in place, acc[dst] = op(acc[dst], operand), and storage planning puts the result where an operand dies
 * if it can. Where it could not, since the operands live on or are read at other places, the first operand is copied to
 * the result before: a GEMM that resets, then an addition.
 *
 * The innermost loops run over the scalars of an element and disappear; the others merge where their strides allow it.
 * The two outermost of what is left are the hardware's loops, further ones repeat the micro-op in the kernel.
 *
 * select(condition, x op y, x) leaves x as it is where the condition does not hold: loops that the condition depends on
 * repeat the micro-op, under the condition, or are loops around kernels where a kernel would have no micro-op at all.
 */
#include <string.h>

#include "arith/linear.h"
#include "config/field_bits.h"
#include "ir/print.h"
#include "target/vta/copy.h"
#include "target/vta/uop_nest.h"

/* What one statement computes; without a second operand it is a copy. */
typedef struct alu_op {
    vta_alu_opcode opcode;
    bool commutes;
    const vt_expr *lhs, *rhs;
    const vt_expr *condition; /* NULL: always; else the result stays lhs where it does not hold */
} alu_op;

/* The loops around one store. */
typedef struct nest {
    const vt_stmt *stmt;
    const vt_stmt *store;
    uint32_t n;
    const vt_var **vars; /* outermost first */
    const vt_expr **extents;
    const vt_expr **dst; /* coefficients of the loops in the result's index, and the offset */
} nest;

/* A constant, or scalars of the accumulator. */
typedef struct operand {
    const vt_expr *imm; /* NULL: no constant */
    const vt_expr **at; /* like nest.dst */
} operand;

/* The micro-op of one kernel. */
typedef struct uop {
    bool reset;
    vta_alu_opcode opcode;
    const vt_expr *imm;        /* NULL: the source is the other operand */
    const vt_expr *const *src; /* like nest.dst */
    const vt_expr *condition;  /* NULL: always */
} uop;

/* A level of the nest in elements. */
typedef struct level {
    const vt_expr *extent, *dst, *src;
    const vt_var *var; /* of the loop that it was, if a condition depends on it */
} level;

typedef struct alu {
    vt_mutator m;
    vt_lowering *l;
    vt_analyzer *a;
    const vt_iter *axis;
    vt_around around;
} alu;

static _Noreturn void refuse(alu *st, const vt_stmt *stmt, const char *why) {
    vt_raise_detailed(st->m.ctx, VTA_ILLEGAL, vt_stmt_text(st->m.ctx, stmt),
                      "the loops marked alu are not an operation of the ALU: %s", why);
}

/* ---- Matching --------------------------------------------------------------------------------------------------- */

/* Expressions of two operands that are one operation of the ALU; `call` is the operator of a VT_E_CALL. */
typedef struct matcher {
    uint8_t kind; /* vt_expr_kind */
    uint8_t call; /* vt_op */
    bool commutes;
    vta_alu_opcode opcode;
} matcher;
static const matcher matchers[] = {
    {VT_E_ADD, 0, true, VTA_ALU_ADD},
    {VT_E_MUL, 0, true, VTA_ALU_MUL},
    {VT_E_MIN, 0, true, VTA_ALU_MIN},
    {VT_E_MAX, 0, true, VTA_ALU_MAX},
    {VT_E_CALL, VT_OP_SHIFT_RIGHT, false, VTA_ALU_SHR},
};

static const matcher *find_matcher(const vt_expr *value) {
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers; i++)
        if (matchers[i].kind == value->kind && (value->kind != VT_E_CALL || matchers[i].call == value->u.op))
            return &matchers[i];
    return NULL;
}

/* "ADD, MUL, ...": the operations that expressions are matched with. */
static const char *matched_names(vt_ctx *ctx) {
    static const char *const names[] = {
#define VTA_OPCODE(name, number, format, meaning)
#define VTA_ALU_OPCODE(name, number, formula, field, lane) [VTA_ALU_##name] = #name,
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    };
    const char *text = "";
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers; i++)
        text = vt_new_format(ctx, "%s%s%s", text, i ? ", " : "", names[matchers[i].opcode]);
    return text;
}

static alu_op match_op(alu *st, const vt_stmt *stmt, const vt_expr *value);

/* Either side may be the operand that stays; the other one is the operation, with that operand first. */
static alu_op match_select(alu *st, const vt_stmt *stmt, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    bool negated = value->a[1]->kind == VT_E_LOAD;
    const vt_expr *stays = value->a[negated ? 1 : 2], *works = value->a[negated ? 2 : 1];
    if (stays->kind != VT_E_LOAD || works->kind == VT_E_LOAD || works->kind == VT_E_SELECT)
        refuse(st, stmt, "of a selection one side must be an element of a tensor, and the other an operation on it");
    alu_op op = match_op(st, stmt, works);
    if (op.commutes && op.rhs && vt_expr_equal(op.rhs, stays)) op.rhs = op.lhs, op.lhs = stays;
    if (!op.rhs || !vt_expr_equal(op.lhs, stays))
        refuse(st, stmt,
               vt_new_format(ctx, "%s stays where a condition does not hold, but is not what %s works on",
                             vt_expr_plain(ctx, stays), vt_expr_plain(ctx, works)));
    op.commutes = false;
    op.condition = negated ? vt_not(ctx, value->a[0]) : value->a[0];
    return op;
}

static alu_op match_op(alu *st, const vt_stmt *stmt, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *x = value->n > 0 ? value->a[0] : NULL, *y = value->n > 1 ? value->a[1] : NULL;
    const matcher *found = find_matcher(value);
    if (found) return (alu_op){found->opcode, found->commutes, x, y, NULL};
    if (value->kind == VT_E_INT || value->kind == VT_E_LOAD) return (alu_op){.lhs = value};
    if (value->kind == VT_E_SELECT) return match_select(st, stmt, value);
    if (value->kind == VT_E_SUB) {
        if (y->kind == VT_E_INT) return (alu_op){VTA_ALU_ADD, true, x, vt_neg(ctx, y), NULL};
        refuse(st, stmt,
               "it has no subtraction of tensors; add the negated tensor (multiply by -1 in a stage of its own)");
    }
    if (vt_is_call(value, VT_OP_SHIFT_LEFT)) {
        if (y->kind == VT_E_INT) return (alu_op){VTA_ALU_SHR, false, x, vt_neg(ctx, y), NULL};
        refuse(st, stmt, "it shifts to the left by constants only; by tensors it shifts to the right");
    }
    refuse(st, stmt,
           vt_new_format(ctx,
                         "it can do %s of a tensor and a tensor or a constant, one at a time, but not %s; give each "
                         "operation a stage of its own, without casts",
                         matched_names(ctx), vt_expr_plain(ctx, value)));
}

static void linear_index(alu *st, const nest *k, const vt_expr *index, const vt_expr **out_coeffs) {
    if (!vt_detect_linear(st->m.ctx, index, k->n, k->vars, out_coeffs))
        refuse(st, k->stmt,
               vt_new_format(st->m.ctx, "the index %s is not a sum of axes times constants",
                             vt_expr_plain(st->m.ctx, index)));
}

static operand constant(alu *st, const nest *k, const vt_expr *e) {
    if (e->u.i < VT_SIGNED_FIELD_LEAST(ALU_imm) || e->u.i > VT_SIGNED_FIELD_MOST(ALU_imm))
        refuse(st, k->stmt,
               vt_new_format(st->m.ctx, "the constant %lld does not fit the instruction's %d bits", (long long)e->u.i,
                             VT_BITS_ALU_imm));
    return (operand){.imm = e};
}

static operand match_operand(alu *st, const nest *k, const vt_expr *e) {
    vt_ctx *ctx = st->m.ctx;
    if (e->kind == VT_E_INT) return constant(st, k, e);
    if (e->kind != VT_E_LOAD)
        refuse(st, k->stmt,
               vt_new_format(ctx,
                             "the operand %s is neither a tensor's element nor a constant; give it a stage of its own",
                             vt_expr_plain(ctx, e)));
    if (e->u.buffer->data != k->store->u.store.buffer->data)
        refuse(st, k->stmt,
               vt_new_format(ctx,
                             "operand %s and the result are not both in the accumulator; set the scope of their "
                             "stages to acc",
                             e->u.buffer->name));
    operand o = {.at = VT_NEW_ARRAY(ctx, const vt_expr *, k->n + 1)};
    linear_index(st, k, e->a[0], o.at);
    return o;
}

static nest match_nest(alu *st, const vt_stmt *stmt) {
    vt_ctx *ctx = st->m.ctx;
    nest k = {.stmt = stmt, .store = stmt};
    for (; k.store->kind == VT_S_FOR; k.store = k.store->u.loop.body) k.n++;
    if (k.store->kind != VT_S_STORE)
        refuse(st, stmt,
               k.store->kind == VT_S_IF ? "it has a condition; make the split factors divide the axes"
                                        : "there is not one store inside of the loops");
    k.vars = VT_NEW_ARRAY(ctx, const vt_var *, k.n + 1);
    k.extents = VT_NEW_ARRAY(ctx, const vt_expr *, k.n + 1);
    k.dst = VT_NEW_ARRAY(ctx, const vt_expr *, k.n + 1);
    uint32_t i = 0;
    for (const vt_stmt *loop = stmt; loop->kind == VT_S_FOR; loop = loop->u.loop.body, i++) {
        if (!vt_is_const(loop->u.loop.min, 0)) refuse(st, stmt, "a loop does not begin at 0");
        k.vars[i] = loop->u.loop.var;
        k.extents[i] = loop->u.loop.extent;
    }
    if (strcmp(vt_buffer_scope(k.store->u.store.buffer), VT_SCOPE_ACC) == 0)
        vt__check_chip_type(st->l, k.store->u.store.buffer, VTA_MEM_ACC);
    linear_index(st, &k, k.store->u.store.indices[0], k.dst);
    return k;
}

/* Is the operand where the result is? */
static bool in_place(const nest *k, const operand *x) {
    for (uint32_t i = 0; x->at && i <= k->n; i++)
        if (!vt_expr_equal(x->at[i], k->dst[i])) return false;
    return x->at != NULL;
}

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
        refuse(st, k->stmt,
               vt_new_format(ctx,
                             "the innermost axes must be whole elements of %lld x %lld scalars, in the order in "
                             "which they lie in memory, and begin at one",
                             (long long)vta_config_batch(vt__config(st->l)),
                             (long long)vta_config_block_out(vt__config(st->l))));
    return loops;
}

/* The instruction's fields hold no steps backwards, and extents up to a bound; its loops have no conditions. */
static bool hardware_can(alu *st, const level *x) {
    enum { EXTENT_MOST = VT_FIELD_MOST(ALU_iter_in) };
    _Static_assert(VT_BITS_ALU_iter_out == VT_BITS_ALU_iter_in, "either loop may be the outer one");
    return !x->var && vt_const_bound(st->a, x->extent).max <= EXTENT_MOST && vt_const_bound(st->a, x->dst).min >= 0 &&
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

static const vt_stmt *make_kernel(alu *st, const nest *k, const uop *u) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t outer = k->n - match_element(st, k, u->src);
    for (uint32_t i = outer; u->condition && i < k->n; i++)
        if (vt_expr_uses(u->condition, k->vars[i]))
            refuse(st, k->stmt, "a condition must hold for all scalars of an element or for none");
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

/* ---- Operations ------------------------------------------------------------------------------------------------- */

static void add_kernel(alu *st, vt_stmt_list *out, const nest *k, uop u) {
    if (!u.src) u.src = k->dst;
    vt_stmt_list_add(st->m.ctx, out, make_kernel(st, k, &u));
}

static void apply(alu *st, vt_stmt_list *out, const nest *k, const alu_op *op, const operand *y) {
    add_kernel(st, out, k, (uop){.opcode = op->opcode, .imm = y->imm, .src = y->at, .condition = op->condition});
}

/* The result becomes x. */
static void copy(alu *st, vt_stmt_list *out, const nest *k, const operand *x) {
    for (uint32_t i = 0; i < k->n; i++)
        if (vt__is(st->m.ctx, k->dst[i], 0) && !vt__is(st->m.ctx, k->extents[i], 1))
            refuse(st, k->stmt,
                   vt_new_format(st->m.ctx, "axis %s writes the same elements in every step", vt_var_name(k->vars[i])));
    add_kernel(st, out, k, (uop){.reset = true});
    apply(st, out, k, &(alu_op){.opcode = VTA_ALU_ADD}, x);
}

/* A shift by nothing: what is there already is still read and written, as TVM has it. */
static void stay(alu *st, vt_stmt_list *out, const nest *k) {
    add_kernel(st, out, k, (uop){.opcode = VTA_ALU_SHR, .imm = vt_i32(st->m.ctx, 0)});
}

static const vt_stmt *inject_nest(alu *st, const vt_stmt *stmt) {
    nest k = match_nest(st, stmt);
    alu_op op = match_op(st, stmt, k.store->u.store.value);
    operand x = match_operand(st, &k, op.lhs), y = {0};
    vt_stmt_list out = {0};
    if (op.rhs) y = match_operand(st, &k, op.rhs);
    if (op.rhs && op.commutes && !in_place(&k, &x) && (x.imm || in_place(&k, &y))) {
        operand swap = x;
        x = y;
        y = swap;
    }
    if (!in_place(&k, &x)) {
        if (in_place(&k, &y))
            vt_raise(st->m.ctx, VTA_INTERNAL, "storage was planned so that a shift overwrites its amount:\n%s",
                     vt_stmt_text(st->m.ctx, stmt));
        copy(st, &out, &k, &x);
    } else if (!op.rhs) {
        stay(st, &out, &k);
    }
    if (op.rhs) apply(st, &out, &k, &op, &y);
    return vt_s_seq(st->m.ctx, out.n, out.items);
}

/* ---- The pass --------------------------------------------------------------------------------------------------- */

/* The nest marked alu, when it and loops around it are all there is: these are then part of it. NULL otherwise. */
static const vt_stmt *whole_nest(vt_ctx *ctx, const vt_stmt *s) {
    if (vt_pragma_is(s, "alu")) return s->u.attr.body;
    const vt_stmt *body = s->kind == VT_S_FOR ? whole_nest(ctx, s->u.loop.body) : NULL;
    return body ? vt_stmt_with_body(ctx, s, body) : NULL;
}

static bool find_mark(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt_pragma_is(s, "alu");
    return !*found;
}

/* Each nest brings the micro-op scopes of its kernels; the scope around it goes. */
static const vt_stmt *inject_stmt(vt_mutator *m, const vt_stmt *s) {
    bool marked = false;
    if (vt_attr_is(s, VT_ATTR_UOPS)) vt_stmt_walk(s->u.attr.body, NULL, find_mark, &marked);
    if (marked) s = s->u.attr.body;
    const vt_stmt *stmt = whole_nest(m->ctx, s);
    if (stmt) return inject_nest((alu *)m, stmt);
    vt_around *around = &((alu *)m)->around;
    uint32_t depth = around->n;
    if (s->kind == VT_S_FOR) vt__around_enter(m->ctx, around, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    s = vt_mutate_stmt_children(m, s);
    around->n = depth;
    return s;
}

const vt_func *vt_pass_inject_alu(vt_lowering *l, const vt_func *f) {
    alu st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = inject_stmt},
              .l = l,
              .a = vt_analyzer_new(l->ctx),
              .axis = vt__task_axis(l, f)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
