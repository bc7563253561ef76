/* The two outermost loops of a GEMM kernel become the hardware's loops, when every micro-op moves by the same strides
 * in them. Kernels of the ALU have theirs from inject_alu. */
#include <string.h>

#include "arith/linear.h"
#include "target/vta/vta.h"

typedef struct fold {
    vt_mutator m;
    const vt_var *var;         /* of the loop that is folded */
    const vt_expr *strides[3]; /* dst, src, wgt */
    bool failed;
} fold;

/* uop_push(mode, reset, dst, src, wgt, opcode, use_imm, imm): takes the loop's share out of dst, src and wgt. */
static const vt_expr *take_strides(vt_mutator *m, const vt_expr *e) {
    fold *st = (fold *)m;
    if (st->failed || !vt_is_call(e, VT_OP_VTA_UOP_PUSH)) return st->failed ? e : vt_mutate_expr_children(m, e);
    const vt_expr *a[8];
    memcpy(a, e->a, sizeof a);
    for (int i = 0; i < 3; i++) {
        const vt_expr *linear[2];
        if (!vt_detect_linear(m->ctx, e->a[i + 2], 1, &st->var, linear) ||
            (st->strides[i] && !vt_expr_equal(st->strides[i], linear[0]))) {
            st->failed = true;
            return e;
        }
        st->strides[i] = linear[0];
        a[i + 2] = linear[1];
    }
    return vt_e_with(m->ctx, e, a);
}

/* What follows `begins` for the loop `s`, and its body; NULL when it cannot be folded. */
static const vt_stmt *fold_loop(vt_ctx *ctx, const vt_stmt *s, vt_stmt_list *begins) {
    if (s->kind != VT_S_FOR || !vt_is_const(s->u.loop.min, 0)) return NULL;
    fold st = {.m = {.ctx = ctx, .expr = take_strides}, .var = s->u.loop.var};
    const vt_stmt *body = vt_mutate_stmt(&st.m, s->u.loop.body);
    if (st.failed || !st.strides[0] || vt_stmt_uses(body, s->u.loop.var)) return NULL;
    const vt_expr *args[] = {s->u.loop.extent, st.strides[0], st.strides[1], st.strides[2]};
    vt_stmt_list_add(ctx, begins, vt__extern(ctx, "VTAUopLoopBegin", 4, args));
    return body;
}

static const vt_stmt *fold_stmt(vt_mutator *m, const vt_stmt *s) {
    vt_ctx *ctx = m->ctx;
    if (!vt_attr_is(s, VT_ATTR_UOPS) || s->u.attr.value->kind != VT_E_STRING ||
        strcmp(s->u.attr.value->u.s, VT_PUSH_GEMM) != 0)
        return vt_mutate_stmt_children(m, s);
    const vt_stmt *body = s->u.attr.body, *inner;
    vt_stmt_list out = {0};
    for (int i = 0; i < 2 && (inner = fold_loop(ctx, body, &out)); i++) body = inner;
    uint32_t folded = out.n;
    if (folded == 0) return s;
    vt_stmt_list_add(ctx, &out, body);
    while (folded-- > 0) vt_stmt_list_add(ctx, &out, vt__extern(ctx, "VTAUopLoopEnd", 0, NULL));
    return vt_stmt_with_body(ctx, s, vt_s_seq(ctx, out.n, out.items));
}

static const vt_expr *no_expr(vt_mutator *m, const vt_expr *e) {
    (void)m;
    return e;
}

const vt_func *vt_pass_fold_uop_loop(vt_lowering *l, const vt_func *f) {
    vt_mutator m = {.ctx = l->ctx, .expr = no_expr, .stmt = fold_stmt};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&m, f->body));
}
