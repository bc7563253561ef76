/* Sums of products, on values that stand for all inputs and on numbers: with choices between a product and zero, which
 * are made once for many products, against the same sum over a tensor of the products, which is evaluated element by
 * element. */
#include "te_test.h"

#include "vta/field.h"

enum { I = 5, J = 3, DY = 3, K = 4, A = (I + DY) * K, B = J * DY * K, OUT = I * J };

/* The sum of `term` over dy and k; `separate`: of a tensor of its terms. */
static te_tensor *sum_of(te_context *c, const char *term, bool separate) {
    char text[600];
    if (separate) {
        snprintf(text, sizeof text, "p[i: 5, j: 3, dy: 3, k: 4] = %s", term);
        te_define(c, text);
        term = "p[i, j, dy, k]";
    }
    snprintf(text, sizeof text, "y[i: 5, j: 3] = sum[dy: 3, k: 4](%s)", term);
    te_tensor *y = te_define(c, text);
    assert_fine(c);
    return y;
}

/* Two inputs, each element of which is a variable of its own. */
static void set_inputs(te_context *c, vta_field *field, te_tensor *in[2], vta_value a[A], vta_value b[B]) {
    in[0] = te_placeholder(c, "a", "int8", 2, (int64_t[]){I + DY, K});
    in[1] = te_placeholder(c, "b", "int8", 3, (int64_t[]){J, DY, K});
    for (uint32_t i = 0; i < A; i++) a[i] = vta_field_variable(field, 0, i);
    for (uint32_t i = 0; i < B; i++) b[i] = vta_field_variable(field, 1, i);
}

/* `term` of i, j, dy, k. */
static void values_of(vta_field *field, const char *term, bool separate, vta_value *out) {
    te_context *c = context_with(NULL);
    te_tensor *in[2];
    vta_value a[A], b[B];
    set_inputs(c, field, in, a, b);
    te_tensor *y = sum_of(c, term, separate);
    const vta_value *const arrays[] = {a, b};
    assert_int_equal(te_evaluate_field(c, field, y, 2, in, arrays, out), VTA_OK);
    te_context_destroy(c);
}

#define PRODUCT "int32(a[i + dy, k]) * int32(b[j, dy, k])"

static const char *const terms[] = {
    PRODUCT,
    "select(i + dy >= 1 && i + dy < 6, " PRODUCT ", 0)",
    "select(i + dy >= 1 && (j < 2 || dy == 1), " PRODUCT ", 0)",
    "select((i + j + dy) % 2 == 0, " PRODUCT ", 0)",
    "if_then_else(i > dy, int32(a[i + dy, 1]) * int32(b[j, dy, k]), 0)",
    "select(i + dy >= 1, int32(a[i + dy, k]) * int32(b[j, dy, 3 - k]), 0)",
    "select(i < 0, " PRODUCT ", 0)",
    "select(k < 2 && i + dy > 1, " PRODUCT ", 0)", /* of the innermost axis */
    "select(i + dy >= 1, " PRODUCT ", 1)",         /* no zero */
    "select(i + dy >= 1, 0, " PRODUCT ")",         /* the other way round */
    "select(dy < 1, " PRODUCT ", " PRODUCT ")",
};
enum { TERMS = sizeof terms / sizeof *terms };

TEST_CASE(choices) {
    vta_value whole[TERMS][OUT], apart[OUT];
    vta_field *field;
    assert_int_equal(vta_field_create(7, NULL, NULL, &field), VTA_OK);
    for (size_t t = 0; t < TERMS; t++) {
        values_of(field, terms[t], false, whole[t]);
        values_of(field, terms[t], true, apart);
        for (int i = 0; i < OUT; i++)
            if (whole[t][i] != apart[i]) fail_msg("%s: element %d is another value", terms[t], i);
    }
    assert_memory_equal(whole[0], whole[TERMS - 1], sizeof whole[0]);
    for (size_t t = 1; t + 1 < TERMS; t++) assert_memory_not_equal(whole[0], whole[t], sizeof whole[0]);
    for (int i = 0; i < OUT; i++) assert_int_equal(whole[6][i], 0);
    vta_field_destroy(field);
}

/* The same sums over three axes in place of two, of which the last but one runs over halves of k; and from 1 on. */
TEST_CASE(three_axes) {
    static const char *const sums[] = {
        "y[i: 5, j: 3] = sum[dy: 3, k: 4](" PRODUCT ")",
        "y[i: 5, j: 3] = sum[dy: 3, h: 2, l: 2](int32(a[i + dy, h * 2 + l]) * int32(b[j, dy, h * 2 + l]))",
        "y[i: 5, j: 3] = sum[h: 2, dy: 3, l: 2](int32(a[i + dy, h * 2 + l]) * int32(b[j, dy, h * 2 + l]))"};
    vta_value got[4][OUT];
    vta_field *field;
    assert_int_equal(vta_field_create(7, NULL, NULL, &field), VTA_OK);
    for (int n = 0; n < 4; n++) {
        te_context *c = context_with(NULL);
        te_tensor *in[2];
        vta_value a[A], b[B];
        set_inputs(c, field, in, a, b);
        if (n == 3) {
            te_reduce_axis(c, "p", 2, 3);
            te_reduce_axis(c, "q", 1, 4);
        }
        te_tensor *y = te_define(
            c, n < 3 ? sums[n] : "y[i: 5, j: 3] = sum[p, q](int32(a[i + p - 2, q - 1]) * int32(b[j, p - 2, q - 1]))");
        assert_fine(c);
        assert_int_equal(te_evaluate_field(c, field, y, 2, in, (const vta_value *const[]){a, b}, got[n]), VTA_OK);
        for (int i = 0; i < OUT; i++) assert_true(vta_field_same(got[n][i], got[0][i]));
        te_context_destroy(c);
    }
    vta_field_destroy(field);
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* The sums of a term on numbers of two types, large ones, so that they wrap; inputs at odd places in memory. */
static void numbers_of(const char *type_a, const char *type_b, const char *term, bool separate, int32_t *out) {
    te_context *c = context_with(NULL);
    te_tensor *in[2] = {te_placeholder(c, "a", type_a, 2, (int64_t[]){I + DY, K}),
                        te_placeholder(c, "b", type_b, 3, (int64_t[]){J, DY, K})};
    uint8_t a[8 * A + 1], b[8 * B + 1];
    check_random random = {77};
    for (size_t i = 0; i < sizeof a; i++) a[i] = (uint8_t)check_next(&random);
    for (size_t i = 0; i < sizeof b; i++) b[i] = (uint8_t)check_next(&random);
    te_tensor *y = sum_of(c, term, separate);
    assert_int_equal(te_evaluate(c, y, 2, in, (const void *const[]){a + 1, b + 1}, out), VTA_OK);
    te_context_destroy(c);
}

TEST_CASE(numbers) {
    static const char *const types[][2] = {
        {"int8", "int8"},  {"uint8", "int8"},  {"int8", "uint8"},   {"int32", "int32"}, {"int16", "int8"},
        {"int8", "int32"}, {"uint8", "uint8"}, {"int4", "int8"},    {"uint1", "int8"},  {"int4", "int4"},
        {"int8", "int4"},  {"uint4", "int2"},  {"uint32", "int32"}, {"int64", "int32"}};
    int32_t whole[TERMS][OUT], apart[OUT];
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        for (size_t t = 0; t < TERMS; t++) {
            numbers_of(types[n][0], types[n][1], terms[t], false, whole[t]);
            numbers_of(types[n][0], types[n][1], terms[t], true, apart);
            for (int i = 0; i < OUT; i++)
                if (whole[t][i] != apart[i])
                    fail_msg("%s of %s and %s: element %d is %d, not %d", terms[t], types[n][0], types[n][1], i,
                             whole[t][i], apart[i]);
        }
        assert_memory_equal(whole[0], whole[TERMS - 1], sizeof whole[0]);
        for (size_t t = 1; t + 1 < TERMS; t++) assert_memory_not_equal(whole[0], whole[t], sizeof whole[0]);
    }
}

int main(void) { return run_cases(); }
