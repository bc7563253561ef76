/* The two outermost loops of a GEMM kernel become the hardware's loops, when every micro-op moves by the same strides
 * in them. Kernels of the ALU have theirs from inject_alu. Where more micro-ops are left than their buffer holds, the
 * outermost loop goes outside of the kernel, which then has as many variants, and a sequence becomes several kernels;
 * so it does, and conditions too, where a kernel would have no micro-op at all. */
#include <string.h>

#include "arith/linear.h"
#include "lower/vta/same_scopes.h"
#include "lower/vta/uop_nest.h"

typedef struct fold {
    vt_mutator m;
    const vt_var *var;         /* of the loop that is folded */
    const vt_expr *strides[3]; /* dst, src, wgt */
    bool failed;
} fold;

typedef struct folder {
    vt_mutator m;
    vt_lowering *l;
    vt_around around;
    vt_scopes *known;
} folder;

/* Takes the loop's share out of a micro-op's indices. */
static const vt_expr *take_strides(vt_mutator *m, const vt_expr *e) {
    fold *st = (fold *)m;
    if (st->failed || !vt_is_call(e, VT_OP_VTA_UOP_PUSH)) return st->failed ? e : vt_mutate_expr_children(m, e);
    const vt_expr *a[VT_OPERANDS(VTAUopPush) - 1];
    enum { INDICES = VT_UOP(dst_index) }; /* dst, src and wgt */
    memcpy(a, e->a, sizeof a);
    for (int i = 0; i < 3; i++) {
        const vt_expr *linear[2];
        if (!vt_detect_linear(m->ctx, e->a[INDICES + i], 1, &st->var, linear) ||
            (st->strides[i] && !vt_expr_equal(st->strides[i], linear[0]))) {
            st->failed = true;
            return e;
        }
        st->strides[i] = linear[0];
        a[INDICES + i] = linear[1];
    }
    return vt_e_with(m->ctx, e, a);
}

/* The hardware's loops only count upwards. */
static bool goes_back(const fold *st) {
    int64_t step;
    for (int i = 0; i < 3; i++)
        if (vt_as_const(st->strides[i], &step) && step < 0) return true;
    return false;
}

/* A loop of the body whose variable is in a stride. */
static bool find_change(void *user, const vt_stmt *s) {
    fold *st = user;
    for (int i = 0; s->kind == VT_S_FOR && i < 3; i++) st->failed |= vt_expr_uses(st->strides[i], s->u.loop.var);
    return !st->failed;
}

/* What follows `begins` for the loop `s`, and its body; NULL when it cannot be folded. */
static const vt_stmt *fold_loop(vt_ctx *ctx, const vt_stmt *s, vt_stmt_list *begins) {
    if (s->kind != VT_S_FOR || !vt_is_const(s->u.loop.min, 0)) return NULL;
    fold st = {.m = {.ctx = ctx, .expr = take_strides}, .var = s->u.loop.var};
    vt_arena_mark mark = vt_arena_here(&ctx->arena);
    const vt_stmt *body = vt_mutate_stmt(&st.m, s->u.loop.body);
    if (!st.failed && st.strides[0]) vt_stmt_walk(body, NULL, find_change, &st);
    if (st.failed || !st.strides[0] || goes_back(&st) || vt_stmt_uses(body, s->u.loop.var)) {
        vt_arena_rewind(&ctx->arena, mark);
        return NULL;
    }
    const vt_expr *args[] = {s->u.loop.extent, st.strides[0], st.strides[1], st.strides[2]};
    vt_stmt_list_add(ctx, begins, vt__extern(ctx, "VTAUopLoopBegin", 4, args));
    return body;
}

/* How many micro-ops a kernel lists; 0 when that cannot be told. */
static uint64_t micro_ops(const vt_stmt *s) {
    uint64_t n = 0;
    if (s->kind == VT_S_FOR) {
        const vt_expr *extent = s->u.loop.extent;
        if (__builtin_mul_overflow(micro_ops(s->u.loop.body), vt_const_elements(1, &extent), &n)) return UINT64_MAX;
    } else if (s->kind == VT_S_SEQ) {
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) n += micro_ops(s->u.seq.items[i]);
    } else if (s->kind == VT_S_IF) {
        uint64_t other = s->u.branch.else_case ? micro_ops(s->u.branch.else_case) : 0;
        n = micro_ops(s->u.branch.then_case);
        if (other > n) n = other;
    } else if (s->kind == VT_S_EVAL) {
        n = vt_is_call(s->u.eval.value, VT_OP_VTA_UOP_PUSH);
    }
    return n;
}

static const vt_stmt *fold_scope(folder *st, const vt_stmt *scope, const vt_stmt *whole);

static bool has_inside(const vt_stmt *s) { return s->kind == VT_S_FOR || s->kind == VT_S_IF || s->kind == VT_S_SEQ; }

static const vt_stmt *fold_each(folder *st, const vt_stmt *scope, const vt_stmt *s) {
    const vt_stmt **items = VT_NEW_ARRAY(st->m.ctx, const vt_stmt *, s->u.seq.n_items);
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) items[i] = fold_scope(st, scope, s->u.seq.items[i]);
    return vt_s_seq(st->m.ctx, s->u.seq.n_items, items);
}

/* Kernels inside of the outermost loop or condition, or one for each part of a sequence. */
static const vt_stmt *fold_inside(folder *st, const vt_stmt *scope, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    if (s->kind == VT_S_SEQ) return fold_each(st, scope, s);
    if (s->kind == VT_S_IF) {
        const vt_stmt *other = s->u.branch.else_case;
        return vt_s_if(ctx, s->u.branch.condition, fold_scope(st, scope, s->u.branch.then_case),
                       other ? fold_scope(st, scope, other) : NULL);
    }
    uint32_t depth = st->around.n;
    vt__around_enter(ctx, &st->around, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    const vt_stmt *body = fold_scope(st, scope, s->u.loop.body);
    st->around.n = depth;
    return vt_stmt_with_body(ctx, s, body);
}

static const vt_stmt *fold_scope(folder *st, const vt_stmt *scope, const vt_stmt *whole) {
    vt_ctx *ctx = st->m.ctx;
    const vt_stmt *body = whole, *inner;
    vt_stmt_list out = {0};
    for (int i = 0; i < 2 && (inner = fold_loop(ctx, body, &out)); i++) body = inner;
    bool fits = micro_ops(body) <= vta_config_depth(vt__config(st->l), VTA_MEM_UOP);
    if (has_inside(whole) && (!fits || vt__uops_may_be_none(ctx, &st->around, whole)))
        return fold_inside(st, scope, whole);
    uint32_t folded = out.n;
    if (folded == 0) return vt_stmt_with_body(ctx, scope, whole);
    vt_stmt_list_add(ctx, &out, body);
    while (folded-- > 0) vt_stmt_list_add(ctx, &out, vt__extern(ctx, "VTAUopLoopEnd", 0, NULL));
    return vt_stmt_with_body(ctx, scope, vt_s_seq(ctx, out.n, out.items));
}

static bool holds_loop(const vt_stmt *s) {
    if (s->kind != VT_S_SEQ) return s->kind != VT_S_EVAL;
    bool found = false;
    for (uint32_t i = 0; i < s->u.seq.n_items && !found; i++) found = holds_loop(s->u.seq.items[i]);
    return found;
}

/* Equal kernels become one statement, where no loop is left in them: variables have one definition. */
static const vt_stmt *fold_gemm(folder *st, const vt_stmt *s) {
    const vt_stmt *made = vt__scopes_find(st->known, s);
    if (made) return made;
    made = fold_scope(st, s, s->u.attr.body);
    if (vt_attr_is(made, VT_ATTR_UOPS) && !holds_loop(made->u.attr.body)) vt__scopes_add(st->known, s, made);
    return made;
}

static const vt_stmt *fold_stmt(vt_mutator *m, const vt_stmt *s) {
    folder *st = (folder *)m;
    if (vt_attr_is(s, VT_ATTR_UOPS)) return vt_is_text(s->u.attr.value, VT_PUSH_GEMM) ? fold_gemm(st, s) : s;
    uint32_t depth = st->around.n;
    if (s->kind == VT_S_FOR) vt__around_enter(m->ctx, &st->around, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    s = vt_mutate_stmt_children(m, s);
    st->around.n = depth;
    return s;
}

const vt_func *vt_pass_fold_uop_loop(vt_lowering *l, const vt_func *f) {
    folder st = {
        .m = {.ctx = l->ctx, .statements_only = true, .stmt = fold_stmt}, .l = l, .known = vt__scopes_new(l->ctx)};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    /* where steps are written out, equal kernels came here as one statement */
    return vt_func_with_body(l->ctx, f, vt__vta(l)->slots ? vt_convert_ssa(l->ctx, body) : body);
}
