/* A computation written as the text of a kernel file and read again computes the same; what has no spelling gives no
 * text. */
#include "support/check.h"
#include "te_test.h"
#include "vta/kernel.h"

enum { MAX = 64 };

static check_random numbers = {88172645463325252u};

/* The text of y from a and b, or NULL; the caller has the context. */
static const char *text_of(te_context *c, te_tensor *a, te_tensor *b, te_tensor *y) {
    return vt_te_kernel_text(c, 3, (const vt_tensor *[]){vt_te_tensor(a), vt_te_tensor(b), vt_te_tensor(y)});
}

/* Definitions of y from a[4, 6] and b[6] of type int8, separated by ";". */
static void check_round_trip(const char *definitions) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int8", 2, (int64_t[]){4, 6}),
              *b = te_placeholder(c, "b", "int8", 1, (int64_t[]){6}), *y = NULL;
    char copy[1000];
    snprintf(copy, sizeof copy, "%s", definitions);
    for (char *one = strtok(copy, ";"); one; one = strtok(NULL, ";")) y = te_define(c, one);
    assert_fine(c);
    const char *text = text_of(c, a, b, y);
    if (!text) fail_msg("%s has no text", definitions);
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    if (vtac_kernel_parse(text, strlen(text), NULL, NULL, NULL, NULL, diag, &k) != VTA_OK)
        fail_msg("%s: %s", text, vta_diag_text(diag));
    assert_int_equal(vtac_kernel_arg_count(k), 3);
    te_tensor *again = vtac_kernel_arg(k, 2), *in[] = {a, b},
              *others[] = {vtac_kernel_arg(k, 0), vtac_kernel_arg(k, 1)};
    assert_string_equal(te_tensor_dtype(vtac_kernel_context(k), again), te_tensor_dtype(c, y));
    assert_string_equal(te_tensor_name(others[1]), "arg1");
    for (int round = 0; round < 3; round++) {
        int8_t x[24], z[6];
        uint8_t want[8 * MAX] = {0}, got[8 * MAX] = {0};
        for (int i = 0; i < 24; i++) x[i] = (int8_t)check_next(&numbers);
        for (int i = 0; i < 6; i++) z[i] = (int8_t)check_next(&numbers);
        assert_int_equal(te_evaluate(c, y, 2, in, (const void *[]){x, z}, want), VTA_OK);
        assert_int_equal(te_evaluate(vtac_kernel_context(k), again, 2, others, (const void *[]){x, z}, got), VTA_OK);
        if (memcmp(got, want, sizeof got) != 0) fail_msg("%s is not\n%s", definitions, text);
    }
    vtac_kernel_destroy(k);
    vta_diag_destroy(diag);
    te_context_destroy(c);
}

TEST_CASE(computes_the_same) {
    static const char *const rows[] = {
        "y[i: 4, j: 6] = a[i, j] + b[j]",
        "y[i: 4, j: 6] = int32(a[i, j]) * 3 - int32(b[j]) + -7",
        "y[i: 6, j: 4] = a[j, i] * int8(2)",
        "y[i: 4] = sum[j: 6](int32(a[i, j]) * int32(b[j]))",
        "y[i: 4] = sum[j: 6](int32(a[i, j]), int32(b[i]))",
        "y[i: 4] = max[j: 3, k: 2](a[i, j * 2 + k])",
        "y[i: 4] = min[j: 6](int16(a[i, j]))",
        "y[i: 4] = sum[j: 6](float32(a[i, j]))",
        "y[i: 4] = max[j: 6](float32(a[i, j]))",
        "t[i: 4, j: 6] = int32(a[i, j]) // 3;y[i: 4] = sum[k: 6](t[i, k] % 4)",
        "t[i: 6] = int32(b[i]) - 1;u[i: 6] = t[i] * t[5 - i];y[i: 6] = u[i] - t[i]",
        "y[i: 6] = truncdiv(int32(b[i]), 3) + truncmod(int32(b[i]), 5)",
        "y[i: 6] = (int32(b[i]) << 2) ^ (int32(b[5 - i]) >> 1)",
        "y[i: 6] = (int32(b[i]) & 15) | ~int32(b[i])",
        "y[i: 6] = min(max(int32(b[i]), -5), 5)",
        "y[i: 6] = select(b[i] < int8(0) || b[i] == int8(5), i, -i)",
        "y[i: 6] = select(b[i] <= int8(0) && b[i] != int8(-3), i, 2 - i)",
        "y[i: 6] = if_then_else(i >= 1 && !(i > 4), int32(b[i - 1]), 99)",
        "y[i: 6] = int64(b[i]) * 4294967296 - 2147483648",
        "y[i: 6] = uint8(b[i]) + uint8(200)",
        "y[i: 6] = int32(b[i] > int8(3))",
        "y[i: 6] = likely(i < 3) && b[i] >= int8(1)",
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) check_round_trip(rows[r]);
}

/* A whole text, and reduce axes that begin after 0. */
TEST_CASE(texts) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int8", 2, (int64_t[]){4, 6}),
              *b = te_placeholder(c, "b", "int8", 1, (int64_t[]){6}), *y;
    te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 2, 3);
    te_expr *at[] = {te_axis_value(c, i), te_axis_value(c, k)};
    te_expr *sum = te_reduce(c, TE_SUM, te_mul(c, te_load(c, a, 2, at), te_load(c, b, 1, at + 1)), 1, &k);
    assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &sum, &y), VTA_OK);
    assert_string_equal(text_of(c, a, b, y),
                        "kernel k\ninput arg0: int8[4, 6]\ninput arg1: int8[6]\nreduce r1 = 3\noutput "
                        "arg2[a0: 4] = sum[r1]((arg0[a0, (r1 + (2))] * arg1[(r1 + (2))]))\n");
    te_context_destroy(c);
}

/* What several computations read stands there once, before all of them; what no argument needs stands nowhere. */
TEST_CASE(shared_parts) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int8", 2, (int64_t[]){4, 6}),
              *b = te_placeholder(c, "b", "int8", 1, (int64_t[]){6});
    te_define(c, "t[i: 6] = int32(b[i])");
    te_define(c, "u[i: 6] = t[i] * t[5 - i]");
    te_define(c, "unused[i: 6] = t[i] + u[i]");
    te_define(c, "v[i: 6] = u[i] - t[i]");
    te_tensor *y = te_define(c, "y[i: 6] = t[i] + v[i] + u[i]");
    assert_fine(c);
    assert_string_equal(text_of(c, a, b, y), "kernel k\ninput arg0: int8[4, 6]\ninput arg1: int8[6]\n"
                                             "tensor t2[a0: 6] = int32(arg1[a0])\n"
                                             "tensor t3[a1: 6] = (t2[a1] * t2[(5 - a1)])\n"
                                             "tensor t4[a2: 6] = (t3[a2] - t2[a2])\n"
                                             "output arg2[a3: 6] = ((t2[a3] + t4[a3]) + t3[a3])\n");
    te_context_destroy(c);
}

/* A reducer that is written out has a text only where it starts as the kernel file's own does, or at a given value. */
TEST_CASE(starts) {
    static const struct {
        te_op op;
        const char *dtype;
        int64_t identity;
        bool from, is_told;
    } rows[] = {
        {TE_ADD, "int32", 0, false, true},         {TE_ADD, "int32", 1, false, false},
        {TE_ADD, "int32", 1, true, true},          {TE_MAX, "int8", INT8_MIN, false, true},
        {TE_MAX, "int8", 0, false, false},         {TE_MAX, "uint8", 0, false, true},
        {TE_MIN, "int32", INT32_MAX, false, true}, {TE_MIN, "int32", 0, false, false},
        {TE_MIN, "uint64", -1, false, true},       {TE_MIN, "int64", -1, false, false},
        {TE_MUL, "int32", 1, false, false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", "int8", 2, (int64_t[]){4, 6}),
                  *b = te_placeholder(c, "b", "int8", 1, (int64_t[]){6}), *y;
        te_expr *x = te_operand(c, "x", rows[r].dtype), *z = te_operand(c, "z", rows[r].dtype), *both[] = {x, z};
        te_expr *identity = te_int(c, rows[r].dtype, rows[r].identity), *result = te_apply(c, rows[r].op, 2, both),
                *sum;
        te_reducer *how = te_reducer_create(c, 1, &x, &z, &result, &identity);
        te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 0, 6);
        te_expr *at[] = {te_axis_value(c, i), te_axis_value(c, k)},
                *value = te_cast(c, rows[r].dtype, te_load(c, a, 2, at));
        assert_int_equal(te_reduce_with(c, how, &value, rows[r].from ? &identity : NULL, NULL, 1, &k, &sum), VTA_OK);
        assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &sum, &y), VTA_OK);
        if ((text_of(c, a, b, y) != NULL) != rows[r].is_told) fail_msg("row %zu", r);
        assert_fine(c);
        te_context_destroy(c);
    }
}

TEST_CASE(no_texts) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int8", 2, (int64_t[]){4, 6}),
              *b = te_placeholder(c, "b", "int8", 1, (int64_t[]){6});
    te_scalar(c, "n", "int32");
    assert_null(text_of(c, a, b, te_define(c, "y[i: 4] = n + i")));
    te_axis *i = te_axis_create(c, "i", 4);
    te_expr *call = te_call(c, "int32", "f", 0, NULL), *least = te_int(c, "int64", INT64_MIN);
    te_tensor *y;
    assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &call, &y), VTA_OK);
    assert_null(text_of(c, a, b, y));
    assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &least, &y), VTA_OK);
    assert_null(text_of(c, a, b, y));
    assert_fine(c); /* no error */
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
