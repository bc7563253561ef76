/* Replaces loops by copies of their body: loops marked unrolled, and short loops when the options or a pragma allow
 * it. */
#include "ir/print.h"
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

typedef struct unroll {
    vt_mutator m;
    vt_analyzer *a;
    int64_t max_step; /* a loop whose copies have at most so many statements is unrolled by itself */
    bool explicit;    /* false: mark the loop for the code generator instead of copying */
    int64_t steps;    /* statements seen since the enclosing sequence began */
    int loops;        /* loops among them that stay loops */
    int depth;        /* loops among them that were unrolled */
} unroll;

enum { MAX_DEPTH = 8 };

/* More copies than this is surely a mistake in the schedule. */
enum { MAX_COPIES = 1 << 16 };

static const vt_stmt *copies(vt_ctx *ctx, const vt_stmt *s, int64_t n) {
    if (n > MAX_COPIES)
        vt_raise(ctx, VTA_ILLEGAL,
                 "axis %s cannot be unrolled: %lld copies of its body; split it and unroll the inner part",
                 vt_var_name(s->u.loop.var), (long long)n);
    if (n == 0) return vt_s_nop(ctx);
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        const vt_expr *value = vt_add(ctx, s->u.loop.min, vt_int(ctx, s->u.loop.var->dtype, i));
        items[i] = vt_substitute1_stmt(ctx, s->u.loop.body, s->u.loop.var, value);
    }
    return vt_s_seq(ctx, (uint32_t)n, items);
}

static const vt_stmt *unroll_for(unroll *st, const vt_stmt *s) {
    s = vt_mutate_stmt_children(&st->m, s);
    const vt_expr *extent = vt_simplify(st->a, s->u.loop.extent);
    int64_t n = extent->kind == VT_E_INT && extent->u.i >= 0 ? extent->u.i : -1;
    bool asked = s->u.loop.kind == VT_FOR_UNROLLED;
    if (asked && n < 0)
        vt_raise(st->m.ctx, VTA_ILLEGAL, "axis %s cannot be unrolled: its extent %s is not a constant",
                 vt_var_name(s->u.loop.var), vt_expr_plain(st->m.ctx, extent));
    bool fits = s->u.loop.kind == VT_FOR_SERIAL && n >= 0 && st->loops == 0 && st->depth <= MAX_DEPTH &&
                (n == 0 || st->steps <= st->max_step / n);
    if (!asked && !fits) {
        st->loops++;
        return s;
    }
    st->steps *= n;
    st->depth++;
    if (st->explicit) return copies(st->m.ctx, s, n);
    if (asked) return s;
    vt_stmt marked = vt_stmt_copy(s);
    marked.u.loop.kind = VT_FOR_UNROLLED;
    return vt_s_new(st->m.ctx, &marked);
}

static const vt_stmt *unroll_seq(unroll *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, s->u.seq.n_items);
    bool changed = false;
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        int64_t steps = st->steps;
        int loops = st->loops, depth = st->depth;
        st->steps = st->loops = st->depth = 0;
        items[i] = vt_mutate_stmt(&st->m, s->u.seq.items[i]);
        changed |= items[i] != s->u.seq.items[i];
        st->steps += steps;
        st->loops = loops > st->loops ? loops : st->loops;
        st->depth = depth > st->depth ? depth : st->depth;
    }
    return changed ? vt_s_seq(ctx, s->u.seq.n_items, items) : s;
}

static const vt_stmt *unroll_stmt(vt_mutator *m, const vt_stmt *s) {
    unroll *st = (unroll *)m;
    switch (s->kind) {
    case VT_S_FOR: return unroll_for(st, s);
    case VT_S_SEQ: return unroll_seq(st, s);
    case VT_S_STORE:
    case VT_S_EVAL: st->steps++; break;
    case VT_S_ATTR: {
        bool step = vt_pragma_is(s, "auto_unroll_max_step"), how = vt_pragma_is(s, "unroll_explicit");
        if ((!step && !how) || s->u.attr.value->kind != VT_E_INT) break;
        unroll outer = *st;
        if (step) st->max_step = s->u.attr.value->u.i;
        if (how) st->explicit = s->u.attr.value->u.i != 0;
        const vt_stmt *body = vt_mutate_stmt(m, s->u.attr.body);
        st->max_step = outer.max_step;
        st->explicit = outer.explicit;
        return body;
    }
    default: break;
    }
    return vt_mutate_stmt_children(m, s);
}

const vt_func *vt_pass_unroll_loop(vt_lowering *l, const vt_func *f) {
    unroll st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = unroll_stmt},
                 .a = vt_analyzer_new(l->ctx),
                 .max_step = l->unroll_max_step,
                 .explicit = true};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    return body == f->body ? f : vt_func_with_body(l->ctx, f, vt_convert_ssa(l->ctx, body));
}
