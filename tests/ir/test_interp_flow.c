/* What the interpreter runs and what it leaves out: branches, vectors of two, and where an interrupt ends a run. */
#include <stdatomic.h>

#include "ir/interp.h"
#include "ir/support.h"

/* B[i] = 1 where i < 2, else 2, in a loop of four; and C[i] = 3 where i is 3, with nothing else. */
static vta_status branches(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"B", "C"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){4, 4});
    const vt_var *i = vt_var_new(ctx, "i", VT_I32);
    const vt_expr *one = vt_i32(ctx, 1), *two = vt_i32(ctx, 2), *three = vt_i32(ctx, 3);
    const vt_stmt *items[] = {
        vt_s_if(ctx, vt_lt(ctx, i, two), store1(ctx, f.buffers[0], one, i), store1(ctx, f.buffers[0], two, i)),
        vt_s_if(ctx, vt_eq(ctx, i, three), store1(ctx, f.buffers[1], three, i), NULL)};
    f.func.body = loop(ctx, i, 4, vt_s_seq(ctx, 2, items));
    int32_t b[4] = {7, 7, 7, 7}, c[4] = {7, 7, 7, 7};
    static const int32_t want_b[] = {1, 1, 2, 2}, want_c[] = {7, 7, 7, 3};
    vt_interp_arg args[] = {{.data = b, .elements = 4}, {.data = c, .elements = 4}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 2, args, NULL), VTA_OK);
    assert_memory_equal(b, want_b, sizeof b);
    assert_memory_equal(c, want_c, sizeof c);
    return VTA_OK;
}

/* B[0..1] = let v = A[0..1] in v * v: each lane has its own value. */
static vta_status pairs(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){2, 2});
    const vt_expr *both = vt_e_ramp(ctx, vt_i32(ctx, 0), vt_i32(ctx, 1), 2);
    const vt_var *v = vt_var_new(ctx, "v", vt_dtype_lanes(VT_I32, 2)), *w = vt_var_copy(ctx, v, "");
    const vt_expr *square = vt_e_let(ctx, v, load1(ctx, f.buffers[0], both), vt_e_bin(ctx, VT_E_MUL, v, v));
    /* as an expression, and as a statement */
    f.func.body = vt_s_let(ctx, w, square, store1(ctx, f.buffers[1], vt_e_bin(ctx, VT_E_ADD, w, square), both));
    int32_t a[2] = {3, 5}, b[2] = {0};
    vt_interp_arg args[] = {{.data = a, .elements = 2}, {.data = b, .elements = 2}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 2, args, NULL), VTA_OK);
    assert_true(b[0] == 18 && b[1] == 50);
    return VTA_OK;
}

/* ---- Interrupts ------------------------------------------------------------------------------------------------ */

typedef struct raising {
    atomic_bool raised;
    int calls, at; /* at which call it is raised */
} raising;

static bool raise_at(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    raising *r = user;
    (void)name, (void)n, (void)args;
    out->u.i = 1;
    if (++r->calls == r->at) atomic_store(&r->raised, true);
    return true;
}

/* Ten calls, in a loop or as a sum, of which none follows the one that raises it. */
static vta_status ten_calls(vt_ctx *ctx, raising *r, bool reduction) {
    static const char *const names[] = {"B"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){1});
    const vt_expr *zero = vt_i32(ctx, 0), *call = vt_e_call_extern(ctx, VT_I32, "f", 0, NULL);
    const vt_var *k = vt_var_new(ctx, "k", VT_I32), *x = vt_var_new(ctx, "x", VT_I32),
                 *y = vt_var_new(ctx, "y", VT_I32);
    const vt_expr *sum = vt_add(ctx, x, y);
    const vt_combiner *how = vt_combiner_new(ctx, 1, vt_exprs_copy(ctx, 1, &x), vt_exprs_copy(ctx, 1, &y),
                                             vt_exprs_copy(ctx, 1, &sum), vt_exprs_copy(ctx, 1, &zero));
    const vt_iter *axis = vt_iter_new(ctx, k, zero, vt_i32(ctx, 10), VT_ITER_COMM_REDUCE, "");
    const vt_expr *total = vt_e_reduce(ctx, how, 1, &call, 1, &axis, NULL, NULL, 0);
    f.func.body = reduction ? store1(ctx, f.buffers[0], total, zero) : loop(ctx, k, 10, vt_s_eval(ctx, call));
    int32_t out = 0;
    vt_interp_arg args[] = {{.data = &out, .elements = 1}};
    ctx->interrupt = &r->raised;
    vta_status status = vt_interp_run(ctx, &f.func, 1, args, &(vt_interp_hooks){.user = r, .call = raise_at});
    ctx->interrupt = NULL;
    assert_int_equal(out, reduction && status == VTA_OK ? 10 : 0);
    return status;
}

static vta_status interrupts(vt_ctx *ctx, void *arg) {
    (void)arg;
    for (int reduction = 0; reduction < 2; reduction++)
        for (int at = 1; at <= 11; at++) {
            raising r = {.at = at};
            vta_status status = ten_calls(ctx, &r, reduction);
            assert_int_equal(status, at < 10 ? VTA_INTERRUPTED : VTA_OK); /* behind the last one nothing is left */
            assert_int_equal(r.calls, at < 10 ? at : 10);
        }
    return VTA_OK;
}

TEST_CASE(test_branches) { run_in_context(branches, NULL, VTA_OK, NULL); }
TEST_CASE(test_pairs) { run_in_context(pairs, NULL, VTA_OK, NULL); }
TEST_CASE(test_interrupts) { run_in_context(interrupts, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
