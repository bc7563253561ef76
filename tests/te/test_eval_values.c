/* Evaluation with floats, and with values that stand for all inputs: each operator against what C computes, and terms
 * that are equal for all inputs against each other. */
#include <math.h>

#include "te_test.h"

#include "vta/field.h"

enum { N = 5 };
static const float a32[N] = {1.25f, -3.5f, 0.1f, 16777216.0f, 2.0f}, b32[N] = {0.5f, -3.5f, 3.0f, 1.0f, -0.7f};

/* `text` of a and b of that type, widened to double where it is a float, else an integer. */
static void evaluate(const char *dtype, const char *text, double out[N]) {
    te_context *c = context_with(NULL);
    bool wide = strcmp(dtype, "float64") == 0;
    te_tensor *in[2] = {te_placeholder(c, "a", dtype, 1, (int64_t[]){N}),
                        te_placeholder(c, "b", dtype, 1, (int64_t[]){N})};
    te_tensor *y = te_compute(c, "y", 1, (int64_t[]){N}, "i", text);
    assert_fine(c);
    double a[N], b[N];
    float narrow[N];
    int32_t whole[N];
    bool is_int = strcmp(te_tensor_dtype(c, y), "int32") == 0;
    for (int i = 0; i < N; i++) {
        a[i] = a32[i];
        b[i] = b32[i];
    }
    const void *const data[] = {wide ? (const void *)a : a32, wide ? (const void *)b : b32};
    assert_int_equal(te_evaluate(c, y, 2, in, data, is_int ? whole : wide ? (void *)out : narrow), VTA_OK);
    for (int i = 0; i < N && (is_int || !wide); i++) out[i] = is_int ? whole[i] : (double)narrow[i];
    te_context_destroy(c);
}

static double as_float(double x, bool wide) { return wide ? x : (double)(float)x; }

TEST_CASE(floats) {
    for (int wide = 0; wide < 2; wide++) {
        static const char *const texts[] = {"a[i] + b[i]",         "a[i] - b[i]",         "a[i] * b[i]",
                                            "a[i] / b[i]",         "min(a[i], b[i])",     "max(a[i], b[i])",
                                            "int32(a[i] == b[i])", "int32(a[i] != b[i])", "int32(a[i] < b[i])",
                                            "int32(a[i] <= b[i])", "int32(a[i] > b[i])",  "int32(a[i] >= b[i])",
                                            "int32(a[i])",         "sqrt(a[i] * a[i])"};
        enum { TEXTS = sizeof texts / sizeof *texts };
        for (int t = 0; t < TEXTS; t++) {
            double got[N];
            evaluate(wide ? "float64" : "float32", texts[t], got);
            for (int i = 0; i < N; i++) {
                double a = a32[i], b = b32[i];
                const double want[TEXTS] = {as_float(a + b, wide),
                                            as_float(a - b, wide),
                                            as_float(a * b, wide),
                                            as_float(a / b, wide),
                                            a < b ? a : b,
                                            a < b ? b : a,
                                            a == b,
                                            a != b,
                                            (a < b),
                                            (a <= b),
                                            (a > b),
                                            (a >= b),
                                            trunc(a),
                                            sqrt(as_float(a * a, wide))};
                double expected = t + 1 == TEXTS ? as_float(want[t], wide) : want[t];
                if (got[i] != expected)
                    fail_msg("%s of %g and %g is %.17g, not %.17g", texts[t], a, b, got[i], expected);
            }
        }
    }
}

/* What an integer cannot hold is 0; one that 64 bits hold is cut to the type. */
TEST_CASE(floats_to_integers) {
    te_context *c = context_with(NULL);
    enum { M = 6 };
    const double x[M] = {0x1p63, -0x1p63, NAN, 0x1p62, 4294967297.0, -0x1p62};
    const int64_t want64[M] = {0, 0, 0, INT64_C(1) << 62, 4294967297, -(INT64_C(1) << 62)};
    const int32_t want32[M] = {0, 0, 0, 0, 1, 0};
    int64_t got64[M];
    int32_t got32[M];
    te_tensor *a = te_placeholder(c, "a", "float64", 1, (int64_t[]){M});
    assert_int_equal(te_evaluate(c, te_define(c, "y[i: 6] = int64(a[i])"), 1, &a, (const void *[]){x}, got64), VTA_OK);
    assert_memory_equal(got64, want64, sizeof got64);
    assert_int_equal(te_evaluate(c, te_define(c, "z[i: 6] = int32(a[i])"), 1, &a, (const void *[]){x}, got32), VTA_OK);
    assert_memory_equal(got32, want32, sizeof got32);
    te_context_destroy(c);
}

/* What is computed of a float that is no number, of zeros with a sign and of conditions is what generated code gives.
 */
TEST_CASE(corners) {
    enum { M = 4 };
    static const float a[M] = {NAN, 1, 0.0f, -0.0f}, b[M] = {1, NAN, -0.0f, 0.0f};
    static const struct {
        const char *text;
        int32_t expected[M];
    } rows[] = {
        {"int32(min(a[i], b[i]) == 1)", {1, 0, 0, 0}}, /* x < y ? x : y, which is y beside what is no number */
        {"int32(max(a[i], b[i]) == 1)", {1, 0, 0, 0}},
        {"int32(1 / min(a[i], b[i]) < 0)", {0, 0, 1, 0}},
        {"int32(1 / max(a[i], b[i]) < 0)", {0, 0, 1, 0}},
        {"int32(a[i] != b[i])", {1, 1, 0, 0}},
        {"int32(~(a[i] == 1))", {1, 0, 1, 1}}, /* conditions have one bit */
        {"int32((a[i] == 0) + (b[i] == 0))", {0, 0, 0, 0}},
        {"int32((a[i] == 0) - (b[i] == 1))", {1, 0, 1, 1}},
        {"int32(bool(int32(a[i] == 0) * 2))", {0, 0, 1, 1}}, /* whatever is not zero is true */
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_context *c = context_with(NULL);
        te_tensor *in[2] = {te_placeholder(c, "a", "float32", 1, (int64_t[]){M}),
                            te_placeholder(c, "b", "float32", 1, (int64_t[]){M})};
        te_tensor *y = te_compute(c, "y", 1, (int64_t[]){M}, "i", rows[r].text);
        assert_fine(c);
        int32_t got[M];
        assert_int_equal(te_evaluate(c, y, 2, in, (const void *[]){a, b}, got), VTA_OK);
        for (int i = 0; i < M; i++)
            if (got[i] != rows[r].expected[i])
                fail_msg("%s of %g and %g is %d, expected %d", rows[r].text, (double)a[i], (double)b[i], got[i],
                         rows[r].expected[i]);
        te_context_destroy(c);
    }
}

/* Each type in memory: the least and the largest value, read, stored, and read again as int64. */
TEST_CASE(types) {
    static const struct {
        const char *name;
        int64_t low, high;
        size_t bytes;
    } rows[] = {{"int8", INT8_MIN, INT8_MAX, 1},
                {"int16", INT16_MIN, INT16_MAX, 2},
                {"int32", INT32_MIN, INT32_MAX, 4},
                {"uint8", 0, UINT8_MAX, 1},
                {"uint16", 0, UINT16_MAX, 2},
                {"uint32", 0, UINT32_MAX, 4},
                {"int64", INT64_MIN, INT64_MAX, 8},
                {"int4", -8, 7, 1},
                {"bool", 0, 1, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", rows[r].name, 1, (int64_t[]){2}), *y, *rotated;
        y = te_define(c, "y[i: 2] = a[1 - i]");
        rotated = te_define(c, "z[i: 2] = int64(y[(i + 2) % 3 % 2])"); /* not linear: y[0], y[0] */
        uint8_t in[16] = {0};
        int64_t wide[2];
        memcpy(in, &rows[r].low, rows[r].bytes);
        memcpy(in + rows[r].bytes, &rows[r].high, rows[r].bytes);
        assert_int_equal(te_evaluate(c, rotated, 1, &a, (const void *[]){in}, wide), VTA_OK);
        assert_int_equal(wide[0], rows[r].high);
        assert_int_equal(te_evaluate(c, te_define(c, "w[i: 2] = int64(y[1])"), 1, &a, (const void *[]){in}, wide),
                         VTA_OK);
        assert_int_equal(wide[0], rows[r].low);
        assert_int_equal(wide[1], rows[r].low);
        assert_ptr_equal(te_tensor_input(c, rotated, 0), y);
        te_context_destroy(c);
    }
}

/* The values of `text` at a[0] and b[0], which stand for all elements of their types. */
static vta_status value_in(vta_field *field, const char *dtype, const char *text, vta_value out[2], char *said) {
    te_context *c = context_with(NULL);
    te_tensor *in[2] = {te_placeholder(c, "a", dtype, 1, (int64_t[]){2}),
                        te_placeholder(c, "b", dtype, 1, (int64_t[]){2})};
    te_tensor *y = te_compute(c, "y", 1, (int64_t[]){2}, "i", text);
    assert_fine(c);
    vta_value a[2], b[2];
    for (uint64_t i = 0; i < 2; i++) {
        a[i] = vta_field_variable(field, 0, i);
        b[i] = vta_field_variable(field, 1, i);
    }
    const vta_value *const arrays[] = {a, b};
    vta_status status = te_evaluate_field(c, field, y, 2, in, arrays, out);
    if (said && status != VTA_OK) {
        vta_diag_entry e;
        assert_int_equal(vta_diag_get(te_context_diag(c), 0, &e), VTA_OK);
        snprintf(said, 200, "%s", e.message);
    }
    te_context_destroy(c);
    return status;
}

TEST_CASE(values) {
    static const struct {
        const char *dtype, *x, *y;
        bool equal;
    } rows[] = {
        {"int32", "~a[i]", "-1 - a[i]", true},
        {"int32", "~a[i]", "0 - a[i]", false},
        {"int8", "~a[i]", "int8(-1 - int32(a[i]))", true},
        {"uint8", "min(a[i], b[i])", "uint8(min(int32(a[i]), int32(b[i])))", true},
        {"uint8", "min(a[i], b[i])", "uint8(max(int32(a[i]), int32(b[i])))", false},
        {"int8", "max(a[i], b[i])", "max(a[i], b[i])", true},
        {"int8", "max(a[i], b[i])", "min(a[i], b[i])", false},
        {"int32", "min(a[i], b[i])", "max(a[i], b[i])", false},
        {"uint32", "min(a[i], b[i])", "min(a[i], b[i])", true}, /* a function of which nothing is known */
        {"uint32", "min(a[i], b[i])", "min(b[i], a[i])", false},
        {"uint32", "min(a[i], b[i])", "max(a[i], b[i])", false},
        {"uint32", "a[i] >> b[i]", "a[i] >> b[i]", true},
        {"uint32", "a[i] >> b[i]", "a[i] << b[i]", false},
        {"int32", "a[i] & b[i]", "a[i] & b[i]", true},
        {"int32", "a[i] & b[i]", "a[i] | b[i]", false},
        {"int32", "a[i] & b[i]", "a[i] ^ b[i]", false},
        {"int32", "int32(a[i] < b[i])", "int32(a[i] < b[i])", true},
        {"int32", "int32(a[i] < b[i])", "int32(a[i] <= b[i])", false},
        {"int32", "int32(!(a[i] < b[i]))", "int32(!(a[i] < b[i]))", true},
        {"int32", "int32(!(a[i] < b[i]))", "int32(a[i] < b[i])", false},
        {"int32", "int32(bool(a[i]))", "a[i]", false},
        {"int32", "int64(a[i])", "int64(a[i])", true},
        {"int8", "int32(a[i]) << 2", "int32(a[i]) * 4", true},
        {"int8", "int32(a[i]) >> 1", "int32(a[i])", false},
        {"int32", "a[i] // 2", "a[i] >> 1", false}, /* true, but not known */
        {"int32", "a[i] - i", "a[i] + (0 - i)", true},
        {"int32", "a[~(i - 2)]", "a[1 - i]",
         true}, /* what is computed of numbers alone stays a number, and can be an index */
        {"int32", "a[int32(int64(i))]", "a[i]", true},
        {"int32", "a[(i + 2) >> 1]", "a[1]", true},
        {"int32", "a[i & 1]", "a[i]", true},
        {"int32", "a[i ^ 1]", "a[1 - i]", true},
        {"int32", "a[int32(!(i < 1))]", "a[i]", true},
        {"int32", "a[select(i < 1, 1, 0)]", "a[1 - i]", true},
        {"int32", "a[min(i, 0)]", "a[0]", true},
        {"int32", "a[min(i, 0)]", "a[1]", false},
        {"int32", "7 - i", "int32(7 - i)", true}, /* numbers, of which the result is values all the same */
    };
    vta_field *field;
    assert_int_equal(vta_field_create(11, NULL, NULL, &field), VTA_OK);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        vta_value x[2], y[2];
        assert_int_equal(value_in(field, rows[r].dtype, rows[r].x, x, NULL), VTA_OK);
        assert_int_equal(value_in(field, rows[r].dtype, rows[r].y, y, NULL), VTA_OK);
        for (int i = 0; i < 2; i++)
            if (vta_field_same(x[i], y[i]) != rows[r].equal)
                fail_msg("%s and %s of %s are %sequal", rows[r].x, rows[r].y, rows[r].dtype,
                         rows[r].equal ? "not " : "");
        int64_t number;
        if (r + 1 == sizeof rows / sizeof *rows)
            for (int i = 0; i < 2; i++) {
                assert_true(vta_field_is_int(field, x[i], &number));
                assert_int_equal(number, 7 - i);
            }
    }
    vta_field_destroy(field);
}

TEST_CASE(refused_values) {
    static const struct {
        const char *dtype, *text;
        vta_status status;
        const char *message;
    } rows[] = {
        {"int32", "a[b[i]]", VTA_UNSUPPORTED,
         "a is read at a place that depends on the inputs, and may be outside of its 2 elements; clip it"},
        {"int32", "a[i + 1]", VTA_OUT_OF_RANGE, "a is read at 2 in dimension 0, which has 2 elements"},
        {"int32", "a[i - 1]", VTA_OUT_OF_RANGE, "a is read at -1 in dimension 0, which has 2 elements"},
        {"float32", "a[i] + b[i]", VTA_UNSUPPORTED, "the computation uses floating point, which no field has"},
        {"int32", "float32(a[i])", VTA_UNSUPPORTED, "the computation uses floating point, which no field has"},
        {"float32", "sqrt(a[i])", VTA_UNSUPPORTED, "the computation uses floating point, which no field has"},
        {"float32", "int32(a[i])", VTA_UNSUPPORTED, "the computation uses floating point, which no field has"},
        {"int32", "select(a[i] < 0, 1, 2)", VTA_UNSUPPORTED, "which of two expressions counts depends on the inputs"},
    };
    vta_field *field;
    assert_int_equal(vta_field_create(11, NULL, NULL, &field), VTA_OK);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        vta_value x[2];
        char said[200];
        assert_int_equal(value_in(field, rows[r].dtype, rows[r].text, x, said), rows[r].status);
        assert_string_equal(said, rows[r].message);
    }
    te_context *c = context_with(NULL);
    assert_int_equal(te_evaluate_field(c, NULL, te_define(c, "y[i: 2] = 1"), 0, NULL, NULL, NULL),
                     VTA_INVALID_ARGUMENT);
    te_context_destroy(c);
    vta_field_destroy(field);
}

/* What cannot be evaluated. */
TEST_CASE(refused) {
    te_context *c = context_with(NULL);
    te_expr *n = te_scalar(c, "n", "int32");
    te_tensor *a = te_placeholder_expr(c, "a", "int32", 1, &n);
    int32_t out[4], in[4] = {0};
    const void *data[] = {in};
    assert_int_equal(te_evaluate(c, te_define(c, "x[i: 4] = a[i]"), 1, &a, data, out), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "a has a dimension that is not a constant; it cannot be evaluated");
    te_tensor *large = te_compute(c, "large", 2, (int64_t[]){1 << 20, (1 << 20) + 1}, NULL, "0");
    assert_int_equal(te_evaluate(c, large, 0, NULL, NULL, out), VTA_OUT_OF_RANGE);
    assert_refused(c, VTA_OUT_OF_RANGE, "large is too large to be evaluated");
    assert_int_equal(te_evaluate(c, te_define(c, "y[i: 4] = n + i"), 0, NULL, NULL, out), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "the scalar n has no value to evaluate with");
    te_axis *k = te_reduce_axis_expr(c, "k", te_int(c, "int32", 0), n), *i = te_axis_create(c, "i", 4);
    te_expr *sum = te_reduce(c, TE_SUM, te_int(c, "int32", 1), 1, &k), *call = te_call(c, "int32", "f", 0, NULL);
    te_tensor *y;
    assert_int_equal(te_compute_axes(c, "z", NULL, 1, &i, 1, &sum, &y), VTA_OK);
    assert_int_equal(te_evaluate(c, y, 0, NULL, NULL, out), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "axis k has no constant range");
    assert_int_equal(te_compute_axes(c, "w", NULL, 1, &i, 1, &call, &y), VTA_OK);
    assert_int_equal(te_evaluate(c, y, 0, NULL, NULL, out), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "cannot be evaluated");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
