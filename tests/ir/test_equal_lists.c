/* Equality of what few statements have: reductions, of all that they consist of, and annotations. */
#include "ir/support.h"
#include "ir/visit.h"

/* A combiner of two values, of which each is a sum. */
static const vt_combiner *two_sums(vt_ctx *ctx) {
    const vt_var *lhs[2], *rhs[2];
    const vt_expr *sums[2], *from[2];
    for (int k = 0; k < 2; k++) {
        lhs[k] = vt_var_new(ctx, "x", VT_I32);
        rhs[k] = vt_var_new(ctx, "y", VT_I32);
        sums[k] = vt_add(ctx, lhs[k], rhs[k]);
        from[k] = vt_i32(ctx, 0);
    }
    return vt_combiner_new(ctx, 2, vt_exprs_copy(ctx, 2, lhs), vt_exprs_copy(ctx, 2, rhs), vt_exprs_copy(ctx, 2, sums),
                           vt_exprs_copy(ctx, 2, from));
}

/* One reduction, one that differs in its variables only, and those with one other part. An initial value in the place
 * of the second source leaves all operands as they were. */
enum { SAME, RENAMED, COMBINER, INDEX, AXES, EXTENT, INITIAL, CONDITION, CHANGES };

static vta_status reductions(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *zero = vt_i32(ctx, 0), *four = vt_i32(ctx, 4), *five = vt_i32(ctx, 5);
    const vt_combiner *how = two_sums(ctx);
    const vt_var *k = vt_var_new(ctx, "k", VT_I32), *l = vt_var_new(ctx, "l", VT_I32);
    const vt_iter *first = vt_iter_new(ctx, k, zero, four, VT_ITER_COMM_REDUCE, ""),
                  *second = vt_iter_new(ctx, l, zero, four, VT_ITER_COMM_REDUCE, "");
    const vt_expr *all[CHANGES];
    for (int change = SAME; change < CHANGES; change++) {
        const vt_var *own = change == RENAMED ? vt_var_copy(ctx, k, "") : k;
        const vt_iter *axes[] = {first, second};
        if (change == RENAMED) axes[0] = vt_iter_new(ctx, own, zero, four, VT_ITER_COMM_REDUCE, "");
        if (change == EXTENT) axes[1] = vt_iter_new(ctx, l, zero, five, VT_ITER_COMM_REDUCE, "");
        const vt_expr *sources[] = {own, vt_mul(ctx, own, five)};
        const vt_expr *condition = change == CONDITION ? vt_lt(ctx, own, five) : NULL;
        all[change] = vt_e_reduce(ctx, change == COMBINER ? two_sums(ctx) : how, change == INITIAL ? 1 : 2, sources,
                                  change == AXES ? 1 : 2, axes, condition, change == INITIAL ? sources + 1 : NULL,
                                  change == INDEX);
    }
    const vt_expr *sources[] = {k, vt_mul(ctx, k, five)};
    const vt_iter *axes[] = {first, second};
    const vt_expr *again = vt_e_reduce(ctx, how, 2, sources, 2, axes, NULL, NULL, 0);
    assert_true(vt_expr_equal(all[SAME], again));
    assert_true(vt_expr_alpha_equal(ctx, all[SAME], again, false));
    for (int change = RENAMED; change < CHANGES; change++) {
        if (vt_expr_equal(again, all[change])) fail_msg("change %d", change);
        bool alike = vt_expr_alpha_equal(ctx, again, all[change], false);
        if (alike != (change == RENAMED)) fail_msg("change %d, up to names", change);
    }
    return VTA_OK;
}

/* Loops and allocations with annotations. */
static const vt_stmt *noted(vt_ctx *ctx, const vt_var *v, bool alloc, uint32_t n, const char *key, int64_t value) {
    const vt_note last = {key, vt_i32(ctx, value)};
    vt_note *notes = VT_NEW_ARRAY(ctx, vt_note, 2);
    notes[0] = (vt_note){"first", vt_i32(ctx, 1)};
    notes[1] = last;
    const vt_expr *four = vt_i32(ctx, 4);
    const vt_stmt *nothing = vt_s_nop(ctx);
    vt_stmt s = vt_stmt_copy(alloc ? vt_s_alloc(ctx, v, VT_I32, 1, &four, NULL, nothing) : loop(ctx, v, 4, nothing));
    if (alloc) {
        s.u.alloc.n_notes = n;
        s.u.alloc.notes = notes;
    } else {
        s.u.loop.n_notes = n;
        s.u.loop.notes = notes;
    }
    return vt_s_new(ctx, &s);
}

static vta_status annotations(vt_ctx *ctx, void *arg) {
    (void)arg;
    for (int alloc = 0; alloc < 2; alloc++) {
        const vt_var *v = alloc ? vt_var_new_pointer(ctx, "v", VT_I32, "") : vt_var_new(ctx, "v", VT_I32);
        const vt_stmt *all[] = {noted(ctx, v, alloc, 2, "last", 2), noted(ctx, v, alloc, 2, "last", 2),
                                noted(ctx, v, alloc, 2, "last", 3), noted(ctx, v, alloc, 2, "lost", 2),
                                noted(ctx, v, alloc, 1, "last", 2), noted(ctx, v, alloc, 0, "last", 2)};
        for (int k = 1; k < 6; k++) {
            assert_int_equal(vt_stmt_equal(all[0], all[k]), k == 1);
            assert_int_equal(vt_stmt_alpha_equal(ctx, all[0], all[k], true), k == 1);
        }
    }
    return VTA_OK;
}

TEST_CASE(test_reductions) { run_in_context(reductions, NULL, VTA_OK, NULL); }
TEST_CASE(test_annotations) { run_in_context(annotations, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
