/* Refuses micro-op kernels that the runtime would refuse when they run, where the error can still name the loops.
 *
 * All micro-ops of a kernel are of one sort, since one instruction runs them: resetting and multiplying do not mix. And
 * none writes what one of the two before it writes (uop_nest.h). */
#include "ir/print.h"
#include "lower/vta/uop_nest.h"

typedef struct kernel {
    vt_ctx *ctx;
    const vt_stmt *scope;
} kernel;

static _Noreturn void refuse(const kernel *k, const char *what) {
    vt_raise_detailed(
        k->ctx, VTA_ILLEGAL, vt_stmt_text(k->ctx, k->scope),
        "%s: the compute pipeline has not finished writing it when the next one reads it. Reorder the axes so that "
        "one that moves over the result (an output channel, a row or a column) is right outside of the intrinsic, "
        "with at least three steps",
        what);
}

static void check_nest(const kernel *k, const vt_uop_nest *nest) {
    uint32_t loop;
    int apart = vt__uop_hazard(nest, &loop);
    if (apart)
        refuse(k, vt_new_format(k->ctx, "%s write the same accumulator when axis %s advances",
                                apart == 1 ? "adjacent micro-ops" : "micro-ops two apart",
                                vt_var_name(nest->loops[loop]->u.loop.var)));
}

/* Pushes written one after another. */
static void check_run(const kernel *k, const vt_stmt *seq) {
    const vt_expr *before[2] = {NULL, NULL};
    for (uint32_t i = 0; i < seq->u.seq.n_items; i++) {
        const vt_stmt *s = seq->u.seq.items[i];
        if (!vt__is_uop_push(s)) {
            before[0] = before[1] = NULL;
            continue;
        }
        const vt_expr *dst = s->u.eval.value->a[VT_UOP(dst_index)];
        for (int b = 0; b < 2; b++)
            if (before[b] && vt_expr_equal(before[b], dst))
                refuse(k, "micro-ops next to each other write the same accumulator");
        before[1] = before[0];
        before[0] = dst;
    }
}

/* Nests of another form are left to the runtime's check. */
static void check_part(const kernel *k, const vt_stmt *s) {
    vt_uop_nest nest;
    if (vt__match_uop_nest(k->ctx, s, &nest)) {
        check_nest(k, &nest);
    } else if (s->kind == VT_S_SEQ) {
        check_run(k, s);
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) check_part(k, s->u.seq.items[i]);
    } else if (s->kind == VT_S_FOR) {
        check_part(k, s->u.loop.body);
    }
}

typedef struct sorts {
    const vt_expr *first;
    bool mixed;
} sorts;

static bool compare_sort(void *user, const vt_expr *e) {
    sorts *st = user;
    if (!vt_is_call(e, VT_OP_VTA_UOP_PUSH)) return true;
    if (!st->first) st->first = e;
    st->mixed |= !vt__same_sort(st->first, e);
    return false;
}

typedef struct checker {
    vt_ctx *ctx;
    vt_ptrmap *checked; /* scopes: equal ones are one statement */
} checker;

static bool check_scope(void *user, const vt_stmt *s) {
    const checker *c = user;
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return true;
    if (vt_ptrmap_has(c->checked, s)) return false;
    vt_ptrmap_set(c->checked, s, s);
    kernel k = {.ctx = c->ctx, .scope = s};
    sorts all = {0};
    vt_stmt_walk(s->u.attr.body, compare_sort, NULL, &all);
    if (all.mixed)
        vt_raise_detailed(
            c->ctx, VTA_ILLEGAL, vt_stmt_text(c->ctx, s),
            "one kernel of micro-ops both resets the accumulator and multiplies: the initialization of the "
            "reduction stands inside of the loops that follow it. Reorder the axes so that an outer part of the "
            "reduction is outermost");
    check_part(&k, s->u.attr.body);
    return false;
}

const vt_func *vt_pass_check_uop_hazard(vt_lowering *l, const vt_func *f) {
    checker c = {l->ctx, vt_ptrmap_new(l->ctx)};
    vt_stmt_walk(f->body, NULL, check_scope, &c);
    return f;
}
