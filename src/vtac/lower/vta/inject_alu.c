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
#include "ir/print.h"
#include "lower/vta/alu.h"

/* ---- Operations ------------------------------------------------------------------------------------------------- */

static void add_kernel(alu *st, vt_stmt_list *out, const nest *k, uop u) {
    if (!u.src) u.src = k->dst;
    vt_stmt_list_add(st->m.ctx, out, vt__alu_make_kernel(st, k, &u));
}

static void apply(alu *st, vt_stmt_list *out, const nest *k, const alu_op *op, const operand *y) {
    add_kernel(st, out, k, (uop){.opcode = op->opcode, .imm = y->imm, .src = y->at, .condition = op->condition});
}

/* The result becomes x. */
static void copy(alu *st, vt_stmt_list *out, const nest *k, const operand *x) {
    for (uint32_t i = 0; i < k->n; i++)
        if (vt__is(st->m.ctx, k->dst[i], 0) && !vt__is(st->m.ctx, k->extents[i], 1))
            vt__alu_refuse(
                st, k->stmt,
                vt_new_format(st->m.ctx, "axis %s writes the same elements in every step", vt_var_name(k->vars[i])));
    add_kernel(st, out, k, (uop){.reset = true});
    apply(st, out, k, &(alu_op){.opcode = VTA_ALU_ADD}, x);
}

/* A shift by nothing: what is there already is still read and written, as TVM has it. */
static void stay(alu *st, vt_stmt_list *out, const nest *k) {
    add_kernel(st, out, k, (uop){.opcode = VTA_ALU_SHR, .imm = vt_i32(st->m.ctx, 0)});
}

static const vt_stmt *inject_nest(alu *st, const vt_stmt *stmt) {
    nest k = vt__alu_match_nest(st, stmt);
    alu_op op = vt__alu_match_op(st, stmt, k.store->u.store.value);
    operand x = vt__alu_match_operand(st, &k, op.lhs), y = {0};
    vt_stmt_list out = {0};
    if (op.rhs) y = vt__alu_match_operand(st, &k, op.rhs);
    if (op.rhs && op.commutes && !vt__alu_in_place(&k, &x) && (x.imm || vt__alu_in_place(&k, &y))) {
        operand swap = x;
        x = y;
        y = swap;
    }
    if (!vt__alu_in_place(&k, &x)) {
        if (vt__alu_in_place(&k, &y))
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
