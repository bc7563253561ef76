/* Gradients that test_gradient.c does not come by: values of two widths, reducers written the other way round,
 * refusals. */
#include "te_test.h"

/* The largest, the least and the sum of 3 v[k], of operands in this order or the other. */
TEST_CASE(written_both_ways) {
    static const te_op ops[] = {TE_ADD, TE_MAX, TE_MIN};
    for (int n = 0; n < 6; n++) {
        te_context *c = context_with(NULL);
        te_tensor *v = te_placeholder(c, "v", "float32", 1, (int64_t[]){4}), *y, *by;
        te_expr *x = te_operand(c, "x", "float32"), *p = te_operand(c, "p", "float32"),
                *both[2] = {n % 2 ? p : x, n % 2 ? x : p};
        te_expr *result = te_apply(c, ops[n / 2], 2, both), *start = te_float(c, "float32",
                                                                              n / 2 == 0   ? 0
                                                                              : n / 2 == 1 ? -100
                                                                                           : 100);
        te_reducer *how = te_reducer_create(c, 1, &x, &p, &result, &start);
        te_axis *i = te_axis_create(c, "i", 1), *k = te_reduce_axis(c, "k", 0, 4);
        te_expr *at = te_axis_value(c, k), *value = te_mul(c, te_load(c, v, 1, &at), te_float(c, "float32", 3)), *body;
        assert_int_equal(te_reduce_with(c, how, &value, NULL, NULL, 1, &k, &body), VTA_OK);
        assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &body, &y), VTA_OK);
        assert_int_equal(te_gradient(c, y, 1, &v, NULL, &by), VTA_OK);
        static const float values[4] = {1, 5, 2, -4}, want[3][4] = {{3, 3, 3, 3}, {0, 3, 0, 0}, {0, 0, 0, 3}};
        float got[4];
        assert_int_equal(te_evaluate(c, by, 1, &v, (const void *[]){values}, got), VTA_OK);
        for (int e = 0; e < 4; e++) assert_true(got[e] == want[n / 2][e]);
        te_context_destroy(c);
    }
}

/* A sum in doubles of squares of floats: its gradient is of floats. */
TEST_CASE(two_widths) {
    te_context *c = context_with(NULL);
    te_tensor *v = te_placeholder(c, "v", "float32", 1, (int64_t[]){4}), *by;
    te_tensor *y = te_define(c, "y[i: 1] = sum[k: 4](float64(v[k]) * float64(v[k]))");
    assert_int_equal(te_gradient(c, y, 1, &v, NULL, &by), VTA_OK);
    assert_string_equal(te_tensor_dtype(c, by), "float32");
    static const float values[4] = {1, 5, 2, -4};
    float got[4];
    assert_int_equal(te_evaluate(c, by, 1, &v, (const void *[]){values}, got), VTA_OK);
    for (int e = 0; e < 4; e++) assert_true(got[e] == 2 * values[e]);
    te_context_destroy(c);
}

/* Sixty steps that each read the one before in two ways: each is looked at once, whether or not it is differentiated.
 * Every step gives what the one before gave, so y is v w. */
TEST_CASE(graphs_that_share) {
    te_context *c = context_with(NULL);
    te_tensor *both[] = {te_placeholder(c, "v", "float32", 1, (int64_t[]){4}),
                         te_placeholder(c, "w", "float32", 1, (int64_t[]){4})},
              *by[2];
    te_define(c, "t[i: 4] = w[i]");
    for (int n = 0; n < 60; n++) {
        te_define(c, "u[i: 4] = t[i] * 2.0");
        te_define(c, "t[i: 4] = u[i] - t[i]");
    }
    te_tensor *y = te_define(c, "y[i: 1] = sum[k: 4](v[k] * t[k])");
    assert_fine(c);
    assert_int_equal(te_gradient(c, y, 2, both, NULL, by), VTA_OK);
    static const float v[4] = {1, 5, 2, -4}, w[4] = {3, 0, -2, 7};
    for (int k = 0; k < 2; k++) {
        float got[4];
        assert_int_equal(te_evaluate(c, by[k], 2, both, (const void *[]){v, w}, got), VTA_OK);
        assert_memory_equal(got, k ? v : w, sizeof got);
    }
    te_tensor *alone = by[0]; /* by v only: no step leads there */
    assert_int_equal(te_gradient(c, y, 1, both, NULL, &alone), VTA_OK);
    float got[4];
    assert_int_equal(te_evaluate(c, alone, 2, both, (const void *[]){v, w}, got), VTA_OK);
    assert_memory_equal(got, w, sizeof got);
    te_context_destroy(c);
}

/* A reducer that uses an axis. */
TEST_CASE(refused) {
    te_context *c = context_with(NULL);
    te_tensor *v = te_placeholder(c, "v", "float32", 1, (int64_t[]){4}), *y, *by = v;
    te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 0, 4);
    te_expr *x = te_operand(c, "x", "float32"), *p = te_operand(c, "p", "float32"), *start = te_float(c, "float32", 0);
    te_expr *result = te_mul(c, te_add(c, x, p), te_cast(c, "float32", te_axis_value(c, i)));
    te_reducer *how = te_reducer_create(c, 1, &x, &p, &result, &start);
    te_expr *at = te_axis_value(c, k), *value = te_load(c, v, 1, &at), *body;
    assert_int_equal(te_reduce_with(c, how, &value, NULL, NULL, 1, &k, &body), VTA_OK);
    assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &body, &y), VTA_OK);
    assert_int_equal(te_gradient(c, y, 1, &v, NULL, &by), VTA_UNSUPPORTED);
    assert_null(by);
    assert_refused(c, VTA_UNSUPPORTED,
                   "y cannot be differentiated: its reducer uses i, which is not one of its operands");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
