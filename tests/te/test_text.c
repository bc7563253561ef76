/* How long texts are: the last place that is written out, and the first that is not; and computations of each kind as
 * text. */
#include "te_test.h"

/* ((x ^ y) ^ y) ^ ...: its innermost operand lies `depth` deep. */
static te_expr *nested(te_context *c, te_expr *x, te_expr *y, int depth) {
    for (int k = 0; k < depth; k++) x = te_apply(c, TE_BITXOR, 2, (te_expr *[]){x, y});
    return x;
}

TEST_CASE(deepest) {
    te_context *c = context_with(NULL);
    te_expr *x = te_scalar(c, "x", "int32"), *y = te_scalar(c, "y", "int32");
    const char *all = te_expr_text(c, nested(c, x, y, 2999)), *cut = te_expr_text(c, nested(c, x, y, 3000));
    assert_int_equal(count_of(all, "(x, y)"), 1);
    assert_int_equal(count_of(all, ", y)"), 2999);
    assert_int_equal(count_of(all, "..."), 0);
    assert_int_equal(count_of(cut, "(..., ...)"), 1); /* both operands of the innermost operation */
    assert_int_equal(count_of(cut, "..."), 2);
    assert_int_equal(count_of(cut, ", y)"), 2999);
    te_context_destroy(c);
}

/* A word, and a number behind it: the number stands there while less than 2^18 bytes come before it. */
TEST_CASE(longest) {
    static const char before[] = "tir.call_pure_extern(\"\", ";
    te_context *c = context_with(NULL);
    for (int more = -1; more < 2; more++) {
        size_t size = (size_t)((1 << 18) + more) - (sizeof before - 1);
        char *word = malloc(size + 1);
        memset(word, 'w', size);
        word[size] = '\0';
        te_expr *args[] = {te_string(c, word), te_int(c, "int32", 7)};
        const char *text = te_expr_text(c, te_call(c, "int32", "call_pure_extern", 2, args));
        assert_fine(c);
        assert_string_equal(text + (1 << 18) + more - 3, more < 0 ? "\", 7)" : "\", ...)");
        free(word);
    }
    te_context_destroy(c);
}

TEST_CASE(computations) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){4, 6}), *y[2], *scan;
    te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 1, 3);
    te_expr *at[] = {te_axis_value(c, i), te_axis_value(c, k)}, *load = te_load(c, a, 2, at);
    te_expr *bodies[] = {te_add(c, at[0], te_int(c, "int32", 1)), at[0]}, *sum = te_reduce(c, TE_SUM, load, 1, &k);
    assert_int_equal(te_compute_axes(c, "two", "some_tag", 1, &i, 2, bodies, y), VTA_OK);
    assert_string_equal(te_op_of_tensor_text(c, y[1]),
                        "compute(two, body=[(i + 1), i], axis=[iter_var(i, range(min=0, ext=4))], reduce_axis=[], "
                        "tag=some_tag, attrs={})");
    te_schedule *s = te_schedule_create(c, 1, y);
    assert_string_equal(te_stage_text(c, te_schedule_stage(s, y[0])),
                        "stage(two, compute(two, body=[(i + 1), i], axis=[iter_var(i, range(min=0, ext=4))], "
                        "reduce_axis=[], tag=some_tag, attrs={}))");
    assert_int_equal(te_compute_axes(c, "sum", NULL, 1, &i, 1, &sum, y), VTA_OK);
    const char *text = te_op_of_tensor_text(c, y[0]);
    assert_non_null(strstr(text, "source=[a[i, k]], init=[], axis=[iter_var(k, range(min=1, ext=3))], where=(bool)1, "
                                 "value_index=0)], axis=[iter_var(i, range(min=0, ext=4))], "
                                 "reduce_axis=[iter_var(k, range(min=1, ext=3))], tag=, attrs={})"));
    te_tensor *rows = te_placeholder(c, "rows", "int32", 2, (int64_t[]){6, 3});
    te_tensor *first = te_define(c, "first[t: 1, j: 3] = 0"),
              *next = te_define(c, "next[t: 6, j: 3] = rows[t - 1, j] + 1");
    assert_int_equal(te_scan(c, "steps", "scan_tag", 1, &first, &next, &rows, &scan), VTA_OK);
    text = te_op_of_tensor_text(c, scan);
    assert_int_equal(strncmp(text, "scan(steps, body=[", 18), 0);
    assert_non_null(strstr(text, "tag=scan_tag, attrs={})"));
    assert_fine(c);
    te_context_destroy(c);
}

/* What is nothing, or something else, has no text. */
TEST_CASE(others) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){4});
    assert_null(te_expr_text(c, (te_expr *)a));
    assert_refused(c, VTA_INVALID_ARGUMENT, "something else to print");
    assert_null(te_axis_text(c, (te_axis *)a));
    assert_refused(c, VTA_INVALID_ARGUMENT, "something else to print");
    assert_null(te_tensor_text(c, NULL));
    assert_refused(c, VTA_INVALID_ARGUMENT, "something else to print");
    assert_null(te_op_of_tensor_text(c, NULL));
    assert_refused(c, VTA_INVALID_ARGUMENT, "something else to print");
    assert_null(te_stage_text(c, (te_stage *)a));
    assert_refused(c, VTA_INVALID_ARGUMENT, "something else to print");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
