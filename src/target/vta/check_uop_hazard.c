/* Refuses micro-op kernels that the runtime would refuse when they run, where the error can still name the loops.
 *
 * All micro-ops of a kernel are of one sort, since one instruction runs them: resetting and multiplying do not mix. The
 * compute pipeline writes an accumulator some cycles after it read it, so a micro-op must not write what one of
 * the two micro-ops before it in its kernel writes. Looks at differences of affine addresses, not at extents: each step
 * from one micro-op to the next advances one loop and starts those inside of it again. */
#include "arith/linear.h"
#include "ir/print.h"
#include "target/vta/vta.h"

enum { MOST_LOOPS = 16 };

typedef struct kernel {
    vt_ctx *ctx;
    const vt_stmt *scope;
    uint32_t n;
    const vt_var *vars[MOST_LOOPS]; /* outermost first */
    int64_t extents[MOST_LOOPS];
    int64_t strides[MOST_LOOPS]; /* of dst */
    const vt_expr *base;
} kernel;

static bool is_push(const vt_stmt *s) {
    return s->kind == VT_S_EVAL && vt_is_call(s->u.eval.value, VT_OP_VTA_UOP_PUSH);
}

static _Noreturn void refuse(const kernel *k, const char *what) {
    vt_raise(
        k->ctx, VTA_ILLEGAL,
        "%s: the compute pipeline has not finished writing it when the next one reads it. Reorder the axes so that "
        "one that moves over the result (an output channel, a row or a column) is right outside of the intrinsic, "
        "with at least three steps:\n%s",
        what, vt_stmt_text(k->ctx, k->scope));
}

/* How far dst moves when loop `at` advances and the loops inside of it start again. */
static int64_t carry(const kernel *k, uint32_t at) {
    int64_t move = k->strides[at];
    for (uint32_t i = at + 1; i < k->n; i++) move -= k->strides[i] * (k->extents[i] - 1);
    return move;
}

static void check_loops(const kernel *k) {
    for (uint32_t i = 0; i < k->n; i++)
        if (carry(k, i) == 0)
            refuse(k, vt_new_format(k->ctx, "adjacent micro-ops write the same accumulator when axis %s advances",
                                    vt_var_name(k->vars[i])));
    if (k->n == 0) return;
    uint32_t in = k->n - 1;
    for (uint32_t i = 0; i < in; i++)
        if (carry(k, in) + carry(k, i) == 0)
            refuse(k, vt_new_format(k->ctx, "micro-ops two apart write the same accumulator when axis %s advances",
                                    vt_var_name(k->vars[i])));
}

/* A perfect nest around one push, constant in its extents; others are left to the runtime's check. */
static bool match_nest(kernel *k, const vt_stmt *s) {
    for (; s->kind == VT_S_FOR; s = s->u.loop.body) {
        int64_t extent;
        if (k->n == MOST_LOOPS || !vt_as_const(s->u.loop.extent, &extent)) return false;
        if (extent <= 1) continue;
        k->vars[k->n] = s->u.loop.var;
        k->extents[k->n++] = extent;
    }
    if (!is_push(s)) return false;
    const vt_expr *linear[MOST_LOOPS + 1];
    if (!vt_detect_linear(k->ctx, s->u.eval.value->a[2], k->n, k->vars, linear)) return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (!vt_as_const(linear[i], &k->strides[i])) return false;
    return true;
}

/* Pushes written one after another. */
static void check_run(const kernel *k, const vt_stmt *seq) {
    const vt_expr *before[2] = {NULL, NULL};
    for (uint32_t i = 0; i < seq->u.seq.n_items; i++) {
        const vt_stmt *s = seq->u.seq.items[i];
        if (!is_push(s)) {
            before[0] = before[1] = NULL;
            continue;
        }
        const vt_expr *dst = s->u.eval.value->a[2];
        for (int b = 0; b < 2; b++)
            if (before[b] && vt_expr_equal(before[b], dst))
                refuse(k, "micro-ops next to each other write the same accumulator");
        before[1] = before[0];
        before[0] = dst;
    }
}

static void check_part(kernel *k, const vt_stmt *s) {
    k->n = 0;
    if (match_nest(k, s)) {
        check_loops(k);
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
    static const int fields[] = {0, 1, 5, 6, 7}; /* mode, reset, opcode, use_imm, imm */
    sorts *st = user;
    if (!vt_is_call(e, VT_OP_VTA_UOP_PUSH)) return true;
    if (!st->first) st->first = e;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        st->mixed |= !vt_expr_equal(st->first->a[fields[i]], e->a[fields[i]]);
    return false;
}

static bool check_scope(void *user, const vt_stmt *s) {
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return true;
    kernel k = {.ctx = user, .scope = s};
    sorts all = {0};
    vt_stmt_walk(s->u.attr.body, compare_sort, NULL, &all);
    if (all.mixed)
        vt_raise(user, VTA_ILLEGAL,
                 "one kernel of micro-ops both resets the accumulator and multiplies: the initialization of the "
                 "reduction stands inside of the loops that follow it. Reorder the axes so that an outer part of the "
                 "reduction is outermost:\n%s",
                 vt_stmt_text(user, s));
    check_part(&k, s->u.attr.body);
    return false;
}

const vt_func *vt_pass_check_uop_hazard(vt_lowering *l, const vt_func *f) {
    vt_stmt_walk(f->body, NULL, check_scope, l->ctx);
    return f;
}
