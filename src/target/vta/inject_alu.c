/* Turns loop nests marked alu into one micro-op and the loops around it.
 *
 * The innermost loops run over the scalars of an element and disappear; the others merge where their strides allow it.
 * The two outermost of what is left are the hardware's loops, further ones repeat the micro-op in the kernel. */
#include <string.h>

#include "arith/linear.h"
#include "ir/print.h"
#include "target/vta/vta.h"

/* What one statement of the nest does. */
typedef struct alu_op {
    vta_alu_opcode opcode;
    const vt_expr *lhs, *rhs;
} alu_op;

/* A level of the nest in elements. */
typedef struct level {
    const vt_expr *extent, *dst, *src;
} level;

typedef struct alu {
    vt_mutator m;
    vt_lowering *l;
    vt_analyzer *a;
} alu;

static _Noreturn void refuse(alu *st, const vt_stmt *nest, const char *why) {
    vt_raise(st->m.ctx, VTA_ILLEGAL, "the loops marked alu are no operation of the ALU: %s:\n%s", why,
             vt_stmt_text(st->m.ctx, nest));
}

static alu_op match_op(alu *st, const vt_stmt *nest, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *x = value->n > 0 ? value->a[0] : NULL, *y = value->n > 1 ? value->a[1] : NULL;
    switch (value->kind) {
    case VT_E_ADD: return (alu_op){VTA_ALU_ADD, x, y};
    case VT_E_MUL: return (alu_op){VTA_ALU_MUL, x, y};
    case VT_E_MIN: return (alu_op){VTA_ALU_MIN, x, y};
    case VT_E_MAX: return (alu_op){VTA_ALU_MAX, x, y};
    case VT_E_LOAD: return (alu_op){VTA_ALU_SHR, value, vt_i32(ctx, 0)};
    case VT_E_SUB:
        if (y->kind == VT_E_INT) return (alu_op){VTA_ALU_ADD, x, vt_neg(ctx, y)};
        refuse(st, nest,
               "it has no subtraction of tensors; add the negated tensor (multiply by -1 in a stage of its own)");
    case VT_E_CALL:
        if (value->u.op == VT_OP_SHIFT_RIGHT) return (alu_op){VTA_ALU_SHR, x, y};
        if (value->u.op == VT_OP_SHIFT_LEFT) return (alu_op){VTA_ALU_SHR, x, vt_simplify(st->a, vt_neg(ctx, y))};
        break;
    default: break;
    }
    refuse(st, nest,
           vt_new_format(ctx,
                         "it can add, multiply, shift, and take the minimum and maximum of a tensor and a tensor or "
                         "a constant, one at a time, but not %s; give each operation a stage of its own, without "
                         "casts",
                         vt_expr_plain(ctx, value)));
}

/* The coefficients of an operand's index in the loop variables, in `out_coeffs`; the last is the offset. */
static void linear_index(alu *st, const vt_stmt *nest, const vt_expr *index, uint32_t n, const vt_var **vars,
                         const vt_expr **out_coeffs) {
    if (!vt_detect_linear(st->m.ctx, index, n, vars, out_coeffs))
        refuse(st, nest,
               vt_new_format(st->m.ctx, "the index %s is not a sum of axes times constants",
                             vt_expr_plain(st->m.ctx, index)));
}

static const vt_expr *operand_index(alu *st, const vt_stmt *nest, const vt_expr *e, const vt_var *dst) {
    if (e->kind != VT_E_LOAD)
        refuse(st, nest,
               vt_new_format(st->m.ctx,
                             "the operand %s is neither a tensor's element nor a constant; give it "
                             "a stage of its own",
                             vt_expr_plain(st->m.ctx, e)));
    if (e->u.buffer->data != dst)
        refuse(st, nest,
               vt_new_format(st->m.ctx,
                             "operand %s and the result are not both in the accumulator; set the "
                             "scope of their stages to acc",
                             e->u.buffer->name));
    return e->a[0];
}

static bool same_coeffs(uint32_t n, const vt_expr *const *x, const vt_expr *const *y) {
    for (uint32_t i = 0; i < n; i++)
        if (!vt_expr_equal(x[i], y[i])) return false;
    return true;
}

/* The source's coefficients; one operand must be the place of the result, unless the other is a constant. */
static void match_source(alu *st, const vt_stmt *nest, const alu_op *op, const vt_var *dst, uint32_t n,
                         const vt_var **vars, const vt_expr **dst_coeffs, const vt_expr **src,
                         const vt_expr **out_imm) {
    const vt_expr *imm = op->rhs->kind == VT_E_INT ? op->rhs : op->lhs->kind == VT_E_INT ? op->lhs : NULL;
    *out_imm = imm;
    if (imm) {
        if (op->opcode == VTA_ALU_SHR && imm == op->lhs) refuse(st, nest, "a constant cannot be shifted by a tensor");
        if (imm->u.i < INT16_MIN || imm->u.i > INT16_MAX)
            refuse(st, nest,
                   vt_new_format(st->m.ctx, "the constant %lld does not fit the instruction's 16 bits",
                                 (long long)imm->u.i));
        linear_index(st, nest, operand_index(st, nest, imm == op->rhs ? op->lhs : op->rhs, dst), n, vars, src);
        return;
    }
    const vt_expr **other = VT_NEW_ARRAY(st->m.ctx, const vt_expr *, n + 1);
    linear_index(st, nest, operand_index(st, nest, op->lhs, dst), n, vars, src);
    linear_index(st, nest, operand_index(st, nest, op->rhs, dst), n, vars, other);
    bool left = same_coeffs(n + 1, dst_coeffs, src), right = same_coeffs(n + 1, dst_coeffs, other);
    if (left)
        memcpy(src, other, (n + 1) * sizeof *src);
    else if (!right)
        refuse(st, nest,
               "the result takes the place of neither operand, and the ALU works in place: both operands are "
               "used again later. Copy the one that is kept into a tensor of its own first");
    else if (op->opcode == VTA_ALU_SHR)
        refuse(st, nest, "a shift works in place of what is shifted, which is used again later; copy it first");
}

/* The innermost loops must run over the scalars of one element; gives the number of loops that do. */
static uint32_t match_element(alu *st, const vt_stmt *nest, uint32_t n, const vt_expr *const *extents,
                              const vt_expr *const *dst, const vt_expr *const *src) {
    vt_ctx *ctx = st->m.ctx;
    const vta_config *config = st->l->options->config;
    int64_t batch = vta_config_batch(config), block = vta_config_block_out(config);
    uint32_t loops = batch > 1 ? 2 : 1;
    const vt_expr *scalars = vt_i32(ctx, batch * block);
    bool ok = n >= loops && vt__is(ctx, vt_floormod(ctx, src[n], scalars), 0) &&
              vt__is(ctx, vt_floormod(ctx, dst[n], scalars), 0) && vt__is(ctx, src[n - 1], 1) &&
              vt__is(ctx, dst[n - 1], 1) && vt__is(ctx, extents[n - 1], block);
    if (ok && batch > 1)
        ok = vt__is(ctx, src[n - 2], block) && vt__is(ctx, dst[n - 2], block) && vt__is(ctx, extents[n - 2], batch);
    if (!ok)
        refuse(st, nest,
               vt_new_format(ctx,
                             "the innermost axes must be whole elements of %lld x %lld scalars, in the order in "
                             "which they lie in memory, and begin at one",
                             (long long)batch, (long long)block));
    return loops;
}

/* Merges a level with the one outside of it where their strides fit. `levels` are innermost first. */
static uint32_t merge_levels(alu *st, uint32_t n, level *levels) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t kept = 0;
    for (uint32_t i = 1; i < n; i++) {
        level *in = &levels[kept];
        if (vt_prove_equal(st->a, levels[i].src, vt_mul(ctx, in->src, in->extent)) &&
            vt_prove_equal(st->a, levels[i].dst, vt_mul(ctx, in->dst, in->extent)))
            in->extent = vt_simplify(st->a, vt_mul(ctx, in->extent, levels[i].extent));
        else
            levels[++kept] = levels[i];
    }
    return n ? kept + 1 : 0;
}

static const vt_stmt *emit(alu *st, const alu_op *op, const vt_expr *imm, uint32_t n, const level *levels,
                           const vt_expr *dst, const vt_expr *src) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t hardware = n < 2 ? n : 2, rest = n - hardware;
    const vt_var **vars = VT_NEW_ARRAY(ctx, const vt_var *, rest + 1);
    for (uint32_t i = rest; i-- > 0;) {
        vars[i] = vt_var_new(ctx, "u", VT_I32);
        dst = vt_add(ctx, dst, vt_mul(ctx, vars[i], levels[i].dst));
        src = vt_add(ctx, src, vt_mul(ctx, vars[i], levels[i].src));
    }
    const vt_expr *push[] = {vt_i32(ctx, 1),
                             vt_i32(ctx, 0),
                             dst,
                             src,
                             vt_i32(ctx, 0),
                             vt_i32(ctx, op->opcode),
                             vt_i32(ctx, imm != NULL),
                             imm ? imm : vt_i32(ctx, 0)};
    const vt_stmt *body = vt__call(ctx, VT_OP_VTA_UOP_PUSH, 8, push);
    for (uint32_t i = 0; i < rest; i++)
        body = vt_s_for(ctx, vars[i], vt_i32(ctx, 0), levels[i].extent, VT_FOR_SERIAL, body);
    vt_stmt_list out = {0};
    for (uint32_t i = n; i-- > rest;) {
        const vt_expr *loop[] = {levels[i].extent, levels[i].dst, levels[i].src, vt_i32(ctx, 0)};
        vt_stmt_list_add(ctx, &out, vt__extern(ctx, "VTAUopLoopBegin", 4, loop));
    }
    vt_stmt_list_add(ctx, &out, body);
    for (uint32_t i = 0; i < hardware; i++) vt_stmt_list_add(ctx, &out, vt__extern(ctx, "VTAUopLoopEnd", 0, NULL));
    return vt_s_seq(ctx, out.n, out.items);
}

static const vt_stmt *inject_nest(alu *st, const vt_stmt *nest) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t n = 0;
    const vt_stmt *s = nest;
    for (; s->kind == VT_S_FOR; s = s->u.loop.body) n++;
    if (s->kind != VT_S_STORE)
        refuse(st, nest,
               s->kind == VT_S_IF ? "it has a condition; make the split factors divide the axes"
                                  : "there is not one store inside of the loops");
    const vt_var **vars = VT_NEW_ARRAY(ctx, const vt_var *, n + 1);
    const vt_expr **extents = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    const vt_expr **dst = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1), **src = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    uint32_t k = 0;
    for (const vt_stmt *loop = nest; loop->kind == VT_S_FOR; loop = loop->u.loop.body, k++) {
        vars[k] = loop->u.loop.var;
        extents[k] = loop->u.loop.extent;
    }
    const vt_expr *imm;
    alu_op op = match_op(st, nest, s->u.store.value);
    linear_index(st, nest, s->u.store.indices[0], n, vars, dst);
    match_source(st, nest, &op, s->u.store.buffer->data, n, vars, dst, src, &imm);
    uint32_t outer = n - match_element(st, nest, n, extents, dst, src);
    const vta_config *config = st->l->options->config;
    const vt_expr *scalars = vt_i32(ctx, (int64_t)vta_config_batch(config) * vta_config_block_out(config));
    level *levels = VT_NEW_ARRAY(ctx, level, outer + 1);
    for (uint32_t i = 0; i < outer; i++)
        levels[outer - 1 - i] = (level){extents[i], vt_simplify(st->a, vt_floordiv(ctx, dst[i], scalars)),
                                        vt_simplify(st->a, vt_floordiv(ctx, src[i], scalars))};
    const vt_expr *dst_at = vt_simplify(st->a, vt_floordiv(ctx, dst[n], scalars));
    const vt_expr *src_at = vt_simplify(st->a, vt_floordiv(ctx, src[n], scalars));
    return emit(st, &op, imm, merge_levels(st, outer, levels), levels, dst_at, src_at);
}

static const vt_stmt *inject_stmt(vt_mutator *m, const vt_stmt *s) {
    alu *st = (alu *)m;
    if (vt_pragma_is(s, "alu")) return inject_nest(st, s->u.attr.body);
    return vt_mutate_stmt_children(m, s);
}

static const vt_expr *no_expr(vt_mutator *m, const vt_expr *e) {
    (void)m;
    return e;
}

const vt_func *vt_pass_inject_alu(vt_lowering *l, const vt_func *f) {
    alu st = {.m = {.ctx = l->ctx, .expr = no_expr, .stmt = inject_stmt}, .l = l, .a = vt_analyzer_new(l->ctx)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
