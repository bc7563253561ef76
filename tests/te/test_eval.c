/* The reference evaluation: integers on values worked out by hand, floating point as C computes it. */
#include "support/check.h"
#include "te_test.h"

TEST_CASE(integers) {
    static const struct {
        const char *body;
        int32_t expected[4]; /* for x = 7, -7, 100, -128 */
    } rows[] = {
        {"int32(x[...])", {7, -7, 100, -128}},
        {"int32(x[...] + x[...])", {14, -14, -56, 0}},
        {"int32(x[...]) // 4", {1, -2, 25, -32}},
        {"int32(x[...]) % 4", {3, 1, 0, 0}},
        {"truncdiv(int32(x[...]), 4)", {1, -1, 25, -32}},
        {"truncmod(int32(x[...]), 4)", {3, -3, 0, 0}},
        {"int32(x[...]) >> 1", {3, -4, 50, -64}},
        {"int32(x[...] << int8(1))", {14, -14, -56, 0}},
        {"int32(uint8(x[...]) >> uint8(1))", {3, 124, 50, 64}},
        {"int32(uint8(x[...]))", {7, 249, 100, 128}},
        {"x[...] & 15", {7, 9, 4, 0}},
        {"int32(~x[...])", {-8, 6, -101, 127}},
        {"int32(-x[...])", {-7, 7, -100, -128}},
        {"max(min(int32(x[...]), 50), -50)", {7, -7, 50, -50}},
        {"select(x[...] < 0, 1, 0)", {0, 1, 0, 1}},
        {"int32(x[...] < 0 || x[...] == 100)", {0, 1, 1, 1}},
        {"if_then_else(i0 > 0, int32(x[i0 - 1]), 9)", {9, 7, -7, 100}},
        {"int32(float32(x[...]) / 2.0)", {3, -3, 50, -64}},
        {"int32(floor(float32(x[...]) / 2.0))", {3, -4, 50, -64}},
        {"sum[k: 4](int32(x[k]) * (i0 + 1))", {-28, -56, -84, -112}},
        {"max[k: 4](int32(x[k]))", {100, 100, 100, 100}},
        {"min[k: 4](int32(x[k]))", {-128, -128, -128, -128}},
        {"sum[k: 4](int32(x[k]), 1000 - int32(x[...]))", {965, 979, 872, 1100}},
        {"max[k: 2](int32(x[k]), int32(x[...]))", {7, 7, 100, 7}},
        {"int32(int64(x[...]) * 1000000000 // 1000000000)", {7, -7, 100, -128}},
        {"abs(int32(x[...]))", {7, 7, 100, 128}},
        {"int32(int4(x[...]))", {7, -7, 4, 0}},
    };
    int8_t x[] = {7, -7, 100, -128};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        te_context *c = context_with(NULL);
        te_tensor *in = te_placeholder(c, "x", "int8", 1, (int64_t[]){4});
        te_tensor *out = te_compute(c, "y", 1, (int64_t[]){4}, NULL, rows[i].body);
        assert_fine(c);
        int32_t y[4];
        assert_int_equal(te_evaluate(c, out, 1, &in, (const void *[]){x}, y), VTA_OK);
        for (int k = 0; k < 4; k++)
            if (y[k] != rows[i].expected[k])
                fail_msg("%s of %d is %d, not %d", rows[i].body, x[k], y[k], rows[i].expected[k]);
        te_context_destroy(c);
    }
}

TEST_CASE(chain) {
    te_context *c = context_with(NULL);
    int64_t shape[] = {3, 3};
    te_tensor *a = te_placeholder(c, "a", "int32", 2, shape);
    te_pad(c, a, "p", (int64_t[]){1, 1}, NULL, 0);
    te_tensor *out = te_define(c, "s[i: 3, j: 3] = sum[y: 3, x: 3](p[i + y, j + x])");
    assert_fine(c);
    int32_t in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, got[9], expected[9] = {12, 21, 16, 27, 45, 33, 24, 39, 28};
    size_t bytes = te_context_bytes(c);
    assert_int_equal(te_evaluate(c, out, 1, &a, (const void *[]){in}, got), VTA_OK);
    assert_memory_equal(got, expected, sizeof got);
    assert_int_equal(te_context_bytes(c), bytes); /* nothing stays behind */
    te_context_destroy(c);
}

/* Each operation rounds to its type, as C does it; sums of products are left out, which C may compute at once. */
#define OF_BOTH(name, e)                                                                                               \
    static float name##_32(float x, float y) { return e; }                                                             \
    static double name##_64(double x, double y) { return e; }
OF_BOTH(sum_back, (x + y) - y)
OF_BOTH(difference_back, (x - y) + y)
OF_BOTH(product_back, (x * y) / y)
OF_BOTH(quotient_back, x / y * y)
OF_BOTH(products, ((x * y) * x) * y)
OF_BOTH(larger, x > y ? x : y)
OF_BOTH(smaller, x < y ? x : y)

TEST_CASE(floats) {
    enum { COUNT = 64 };
    static const struct {
        const char *text;
        float (*of_float)(float x, float y);
        double (*of_double)(double x, double y);
        bool rounds;
    } rows[] = {
        {"r[i: 64] = x[i] + y[i] - y[i]", sum_back_32, sum_back_64, true},
        {"r[i: 64] = x[i] - y[i] + y[i]", difference_back_32, difference_back_64, true},
        {"r[i: 64] = x[i] * y[i] / y[i]", product_back_32, product_back_64, true},
        {"r[i: 64] = x[i] / y[i] * y[i]", quotient_back_32, quotient_back_64, true},
        {"r[i: 64] = x[i] * y[i] * x[i] * y[i]", products_32, products_64, true},
        {"r[i: 64] = max(x[i], y[i])", larger_32, larger_64, false},
        {"r[i: 64] = min(x[i], y[i])", smaller_32, smaller_64, false},
    };
    check_random random = {1811};
    float x[2 * COUNT], got[COUNT];
    double wide[2 * COUNT], wide_got[COUNT];
    for (int i = 0; i < 2 * COUNT; i++) /* of several magnitudes; never 0 */
        wide[i] = x[i] =
            (float)((double)check_between(&random, 1, 1 << 24) / (1 << check_between(&random, 0, 30)) - 3.14);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int is_wide = 0; is_wide < 2; is_wide++) {
            const char *type = is_wide ? "float64" : "float32";
            te_context *c = context_with(NULL);
            te_tensor *in[] = {te_placeholder(c, "x", type, 1, (int64_t[]){COUNT}),
                               te_placeholder(c, "y", type, 1, (int64_t[]){COUNT})};
            te_tensor *out = te_define(c, rows[r].text);
            const void *data[2][2] = {{x, x + COUNT}, {wide, wide + COUNT}};
            assert_fine(c);
            assert_int_equal(te_evaluate(c, out, 2, in, data[is_wide], is_wide ? (void *)wide_got : got), VTA_OK);
            int apart = 0;
            for (int i = 0; i < COUNT; i++) {
                float narrow = rows[r].of_float(x[i], x[COUNT + i]);
                double exact = rows[r].of_double(wide[i], wide[COUNT + i]);
                if (is_wide ? wide_got[i] != exact : got[i] != narrow)
                    fail_msg("%s, %s, of %a and %a", type, rows[r].text, wide[i], wide[COUNT + i]);
                apart += narrow != (float)exact;
            }
            assert_int_equal(apart > 0, rows[r].rounds); /* the numbers tell */
            te_context_destroy(c);
        }
}

/* By zero the quotient is 0 and the remainder x; the least integer by -1 wraps. */
TEST_CASE(divisions) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){6});
    te_tensor *b = te_placeholder(c, "b", "int32", 1, (int64_t[]){6}), *both[] = {a, b};
    const int32_t x[6] = {7, -7, 0, INT32_MIN, INT32_MIN, 7}, y[6] = {0, 0, 0, -1, 0, -2};
    static const struct {
        const char *text;
        int32_t is[6];
    } rows[] = {{"q[i: 6] = a[i] // b[i]", {0, 0, 0, INT32_MIN, 0, -4}},
                {"r[i: 6] = a[i] % b[i]", {7, -7, 0, 0, INT32_MIN, -1}},
                {"s[i: 6] = truncdiv(a[i], b[i])", {0, 0, 0, INT32_MIN, 0, -3}},
                {"t[i: 6] = truncmod(a[i], b[i])", {7, -7, 0, 0, INT32_MIN, 1}}};
    for (size_t i = 0; i < 4; i++) {
        int32_t got[6];
        assert_int_equal(te_evaluate(c, te_define(c, rows[i].text), 2, both, (const void *[]){x, y}, got), VTA_OK);
        assert_memory_equal(got, rows[i].is, sizeof got);
    }
    assert_fine(c);
    te_context_destroy(c);
}

TEST_CASE(refused) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){4});
    te_tensor *out = te_define(c, "b[i: 4] = a[i + 1]");
    int32_t in[4] = {0}, got[4];
    assert_int_equal(te_evaluate(c, out, 0, NULL, NULL, got), VTA_NOT_FOUND);
    assert_refused(c, VTA_NOT_FOUND, "no data is given for the input a");
    assert_int_equal(te_evaluate(c, out, 1, &a, (const void *[]){in}, got), VTA_OUT_OF_RANGE);
    assert_refused(c, VTA_OUT_OF_RANGE, "a is read at 4 in dimension 0, which has 4 elements");
    assert_int_equal(te_evaluate(c, a, 1, &a, (const void *[]){in}, got), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "there is nothing to evaluate");
    te_context_interrupt(c, true);
    assert_int_equal(te_evaluate(c, out, 1, &a, (const void *[]){in}, got), VTA_INTERRUPTED);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
