/* Expressions: text in, IR out; types; what is refused. */
#include "te_test.h"

static void assert_parsed(te_context *c, const char *text, const char *expected) {
    te_expr *e = te_parse(c, text);
    assert_fine(c);
    assert_string_equal(te_expr_text(c, e), expected);
}

TEST_CASE(operators) {
    te_context *c = context_with(NULL);
    te_scalar(c, "x", "int32");
    te_scalar(c, "y", "int32");
    te_scalar(c, "f", "float32");
    te_scalar(c, "p", "bool");
    assert_parsed(c, "x + y * 2", "(x + (y*2))");
    assert_parsed(c, "(x + y) * 2", "((x + y)*2)");
    assert_parsed(c, "x - y - 1", "((x - y) - 1)");
    assert_parsed(c, "x // 4 % 3", "floormod(floordiv(x, 4), 3)");
    assert_parsed(c, "truncdiv(x, 4)", "(x/4)");
    assert_parsed(c, "x << 2 >> 1", "tir.shift_right(tir.shift_left(x, 2), 1)");
    assert_parsed(c, "x & 3 | y ^ 1", "tir.bitwise_or(tir.bitwise_and(x, 3), tir.bitwise_xor(y, 1))");
    assert_parsed(c, "x & 3 == 3", "(tir.bitwise_and(x, 3) == 3)");
    assert_parsed(c, "~x", "tir.bitwise_not(x)");
    assert_parsed(c, "-x", "(0 - x)");
    assert_parsed(c, "x < y && !p || x == 0", "(((x < y) && !p) || (x == 0))");
    assert_parsed(c, "not x < y and p", "(!(x < y) && p)");
    assert_parsed(c, "max(min(x, 127), 0)", "max(min(x, 127), 0)");
    assert_parsed(c, "select(p, x, 0)", "select(p, x, 0)");
    assert_parsed(c, "int8(x)", "int8(x)");
    assert_parsed(c, "acc_t(inp_t(x))", "int32(int8(x))");
    assert_parsed(c, "exp(f) + 1", "(tir.exp(f) + 1f)");
    assert_parsed(c, "x + f", "(float32(x) + f)");
    assert_parsed(c, "0x10 + BATCH", "17");
    assert_parsed(c, "(1 << (INP_WIDTH - 1)) - 1", "127");
    te_context_destroy(c);
}

TEST_CASE(types) {
    te_context *c = context_with("LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17");
    te_scalar(c, "a", "int8");
    te_scalar(c, "b", "int32");
    te_scalar(c, "u", "uint8");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "a + b")), "int32");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "a + int8(1)")), "int8");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "u * uint8(2)")), "uint8");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "a < 5")), "bool");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "3000000000")), "int64");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "1.5")), "float32");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "wgt_t(a)")), "int4");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "acc_t(a)")), "int32");
    assert_fine(c);
    te_context_destroy(c);
}

/* A number written without a type has its own, whatever stands beside it; in text and by calls alike. */
TEST_CASE(numbers) {
    te_context *c = context_with(NULL);
    te_expr *a = te_scalar(c, "a", "int8"), *d = te_scalar(c, "d", "float64"), *h = te_scalar(c, "h", "float16");
    assert_string_equal(te_expr_dtype(c, te_int(c, NULL, 2)), "int32");
    assert_string_equal(te_expr_dtype(c, te_int(c, NULL, INT64_C(1) << 31)), "int64");
    assert_string_equal(te_expr_dtype(c, te_int(c, NULL, INT32_MIN)), "int32");
    assert_string_equal(te_expr_dtype(c, te_float(c, NULL, 0.5)), "float32");
    assert_string_equal(te_expr_dtype(c, te_float(c, NULL, -1e300)), "float64");
    assert_string_equal(te_expr_text(c, te_mul(c, a, te_int(c, NULL, 2))), "(int32(a)*2)");
    assert_parsed(c, "a * 2", "(int32(a)*2)");
    assert_string_equal(te_expr_dtype(c, te_add(c, h, te_float(c, NULL, 0.5))), "float32");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "h + 0.5")), "float32");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "1e300")), "float64");
    /* 0.1 beside a double is 0.1, not what float32 makes of it. */
    const vt_expr *exact[] = {vt_te_expr(te_mul(c, d, te_float(c, NULL, 0.1)))->a[1],
                              vt_te_expr(te_parse(c, "d * 0.1"))->a[1], vt_te_expr(te_parse(c, "float64(0.1)")),
                              vt_te_expr(te_cast(c, "float64", te_float(c, NULL, 0.1)))};
    for (int i = 0; i < 4; i++) assert_true(exact[i]->kind == VT_E_FLOAT && exact[i]->u.f == 0.1);
    assert_fine(c);
    te_context_destroy(c);
}

TEST_CASE(quotients_of_floats) {
    te_context *c = context_with(NULL);
    te_scalar(c, "x", "int32");
    te_scalar(c, "f", "float32");
    te_scalar(c, "d", "float64");
    assert_parsed(c, "f // 2.0", "tir.floor((f/2f))");
    assert_parsed(c, "f % d", "(float64(f) - (tir.floor((float64(f)/d))*d))");
    assert_parsed(c, "x // f", "tir.floor((float32(x)/f))");
    assert_parsed(c, "x // 2", "floordiv(x, 2)");
    assert_string_equal(te_expr_dtype(c, te_parse(c, "x % 0.5")), "float32");
    assert_fine(c);
    te_context_destroy(c);
}

TEST_CASE(refused) {
    te_context *c = context_with(NULL);
    te_scalar(c, "x", "int32");
    te_scalar(c, "f", "float32");
    te_scalar(c, "p", "bool");
    te_placeholder(c, "A", "int32", 1, (int64_t[]){4});
    static const struct {
        const char *text;
        vta_status status;
        const char *message;
    } rows[] = {
        {"", VTA_PARSE, "expected an expression, found the end of the text"},
        {"x +", VTA_PARSE, "expected an expression"},
        {"(x", VTA_PARSE, "to close the parenthesis"},
        {"x x", VTA_PARSE, "expected an operator or the end"},
        {"y", VTA_NOT_FOUND, "no axis, scalar or constant \"y\""},
        {"A", VTA_PARSE, "A is a tensor"},
        {"B[0]", VTA_NOT_FOUND, "there is no tensor \"B\""},
        {"A[0, 1]", VTA_INVALID_ARGUMENT, "A has 1 dimensions, but 2 indices"},
        {"A[f]", VTA_INVALID_ARGUMENT, "index 0 of A is not an integer but float32"},
        {"foo(x)", VTA_PARSE, "there is no function or type \"foo\""},
        {"max(x)", VTA_PARSE, "max takes 2 arguments, not 1"},
        {"x / 2", VTA_INVALID_ARGUMENT, "write // (rounds down)"},
        {"x % 0", VTA_INVALID_ARGUMENT, "divided by zero"},
        {"x // 0", VTA_INVALID_ARGUMENT, "divided by zero"},
        {"truncdiv(f, 2)", VTA_INVALID_ARGUMENT, "is not an integer"},
        {"truncmod(x, f)", VTA_INVALID_ARGUMENT, "needs an integer on its right"},
        {"f & 1", VTA_INVALID_ARGUMENT, "is not an integer"},
        {"x && p", VTA_INVALID_ARGUMENT, "is not a condition"},
        {"exp(x)", VTA_INVALID_ARGUMENT, "is not a float: cast it first"},
        {"sum[k](x)", VTA_NOT_FOUND, "there is no reduce axis \"k\""},
        {"sum[k: 4](x, sum[l: 4](x))", VTA_INVALID_ARGUMENT, "cannot start at a reduction"},
        {"sum[k: 4](x, k)", VTA_INVALID_ARGUMENT, "may not use its reduce axis k"},
        {"sum[k: 4](x, 1.5)", VTA_INVALID_ARGUMENT, "a reduction of int32 cannot start at a value of float32"},
        {"sum[k: 4](sum[l: 4](x))", VTA_INVALID_ARGUMENT, "cannot be reduced again"},
        {"sum[k: 0](x)", VTA_OUT_OF_RANGE, "it must be at least 1"},
        {"1 < 2 < 3", VTA_PARSE, "between two comparisons"},
        {"99999999999999999999", VTA_PARSE, "is not a number that 64 bits can hold"},
        {"x + 65536 * 32768", VTA_OUT_OF_RANGE,
         "65536 * 32768 is a number that int32 cannot hold: write one of them as int64"},
        {"1 << 31", VTA_OUT_OF_RANGE, "1 << 31 is a number that int32 cannot hold"},
        {"2147483647 + 1", VTA_OUT_OF_RANGE, "2147483647 + 1 is a number that int32 cannot hold"},
        {"-2147483647 - 2", VTA_OUT_OF_RANGE, "-2147483647 - 2 is a number that int32 cannot hold"},
        {"int64(4611686018427387904) * 2", VTA_OUT_OF_RANGE, "* 2 is a number that int64 cannot hold"},
        {"x @ 1", VTA_PARSE, "expected an operator or the end, found \"@\""},
        {"1.2.3", VTA_PARSE, "is not a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(te_parse(c, rows[i].text));
        assert_refused(c, rows[i].status, rows[i].message);
    }
    char deep[2000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = 0;
    assert_null(te_parse(c, deep));
    assert_refused(c, VTA_PARSE, "nested more than");
    te_context_destroy(c);
}

/* As many operators and as deep as an expression may be; and one more. */
TEST_CASE(limits) {
    te_context *c = context_with(NULL);
    te_placeholder(c, "x", "int32", 0, NULL);
    char text[8001] = "x[]";
    enum { OPERATORS = 2000, DEPTH = 200 };
    for (int i = 0; i < OPERATORS; i++) memcpy(text + 3 + 2 * i, "+1", 3);
    assert_non_null(te_parse(c, text));
    assert_fine(c);
    strcat(text, "+1");
    assert_null(te_parse(c, text));
    assert_refused(c, VTA_PARSE, "the expression has more than 2000 operators");
    for (int more = 0; more < 2; more++) {
        int depth = DEPTH - 1 + more; /* the expression in the middle counts, too */
        memset(text, '(', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ')', (size_t)depth);
        text[2 * depth + 1] = '\0';
        assert_int_equal(te_parse(c, text) != NULL, !more);
        if (more) assert_refused(c, VTA_PARSE, "the expression is nested more than 200 deep");
    }
    te_context_destroy(c);
}

TEST_CASE(positions) {
    te_context *c = context_with(NULL);
    vta_diag_entry e;
    assert_null(te_parse(c, "1 +\n  2 + * 3"));
    assert_int_equal(vta_diag_get(te_context_diag(c), 0, &e), VTA_OK);
    assert_int_equal(e.line, 2);
    assert_int_equal(e.column, 7);
    te_context_at(c, "notebook", 12, 3);
    assert_null(te_scalar(c, "1x", "int32"));
    assert_int_equal(vta_diag_get(te_context_diag(c), 1, &e), VTA_OK);
    assert_string_equal(e.file, "notebook");
    assert_int_equal(e.line, 12);
    assert_int_equal(e.column, 3);
    te_context_destroy(c);
}

/* NULLs travel: the list holds only the first cause. */
TEST_CASE(causes) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "A", "int33x", 1, (int64_t[]){4});
    te_expr *i = te_int(c, "int32", 0);
    te_expr *sum = te_add(c, te_load(c, a, 1, &i), i);
    assert_null(a);
    assert_null(sum);
    assert_int_equal(vta_diag_count(te_context_diag(c)), 1);
    assert_refused(c, VTA_INVALID_ARGUMENT, "\"int33x\" is not a type");
    assert_null(te_load(c, NULL, 1, &i));
    assert_refused(c, VTA_INVALID_ARGUMENT, "NULL where a tensor is expected");
    assert_null(te_parse(NULL, "1"));
    assert_null(te_context_diag(NULL));
    te_context_destroy(c);
}

TEST_CASE(texts) {
    te_context *c = context_with(NULL);
    int64_t shape[] = {1, 64, 1, 16};
    te_tensor *a = te_placeholder(c, "A_buf", "int32", 4, shape);
    te_placeholder(c, "B_buf", "int32", 4, shape);
    te_tensor *sum = te_compute(c, "C_buf", 4, shape, NULL, "A_buf[...] + B_buf[...]");
    assert_string_equal(te_tensor_text(c, a), "Tensor(shape=[1, 64, 1, 16], op.name=A_buf)");
    te_schedule *s = te_schedule_create(c, 1, &sum);
    assert_string_equal(te_stage_text(c, te_schedule_stage(s, sum)),
                        "stage(C_buf, compute(C_buf, body=[(A_buf[i0, i1, i2, i3] + B_buf[i0, i1, i2, i3])], "
                        "axis=[iter_var(i0, range(min=0, ext=1)), iter_var(i1, range(min=0, ext=64)), iter_var(i2, "
                        "range(min=0, ext=1)), iter_var(i3, range(min=0, ext=16))], reduce_axis=[], tag=, attrs={}))");
    te_tensor *r = te_define(c, "R[i: 4] = sum[k: 16](int32(int8(A_buf[0, i, 0, k])))");
    assert_string_equal(te_expr_text(c, te_tensor_body(r)),
                        "reduce(combiner=comm_reducer(result=[(x + y)], lhs=[x], rhs=[y], identity_element=[0]), "
                        "source=[int32(int8(A_buf[0, i, 0, k]))], init=[], axis=[iter_var(k, range(min=0, ext=16))], "
                        "where=(bool)1, value_index=0)");
    te_tensor *p = te_pad(c, a, "P", (int64_t[]){0, 1, 0, 0}, (int64_t[]){0, 2, 0, 0}, 0);
    assert_string_equal(te_tensor_text(c, p), "Tensor(shape=[1, 67, 1, 16], op.name=P)");
    assert_string_equal(te_expr_text(c, te_tensor_body(p)),
                        "tir.if_then_else(((i1 >= 1) && (i1 < 65)), A_buf[i0, (i1 - 1), i2, i3], 0)");
    assert_string_equal(te_expr_text(c, te_tensor_body(te_clip(c, a, "Q", 0, 127))),
                        "max(min(A_buf[i0, i1, i2, i3], 127), 0)");
    assert_string_equal(te_axis_text(c, te_thread_axis(c, "cthread")), "iter_var(cthread, , cthread)");
    assert_fine(c);
    te_context_destroy(c);
}

/* What is built by functions is what the string says. */
TEST_CASE(built) {
    te_context *c = context_with(NULL);
    int64_t shape[] = {4, 8};
    te_tensor *a = te_placeholder(c, "A", "int8", 2, shape), *out[1];
    te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 0, 8);
    te_expr *at[] = {te_axis_value(c, i), te_axis_value(c, k)};
    te_expr *e = te_mul(c, te_cast(c, "int32", te_load(c, a, 2, at)), te_int(c, "int32", 3));
    e = te_reduce(c, TE_SUM, e, 1, &k);
    assert_int_equal(te_compute_axes(c, "B", "tag", 1, &i, 1, &e, out), VTA_OK);
    te_tensor *same = te_define(c, "B[i: 4] = sum[k](int32(A[i, k]) * 3)");
    assert_fine(c);
    assert_string_equal(te_expr_text(c, te_tensor_body(out[0])), te_expr_text(c, te_tensor_body(same)));
    assert_string_equal(te_tensor_tag(out[0]), "tag");
    assert_int_equal(te_tensor_dim(out[0], 0), 4);
    assert_int_equal(te_tensor_dim(out[0], 1), -1);
    assert_int_equal(te_tensor_inputs(c, out[0]), 1);
    assert_ptr_equal(te_tensor_input(c, out[0], 0), a);
    assert_ptr_equal(te_tensor_axis(out[0], 0), i);
    assert_ptr_equal(te_tensor_reduce_axis(out[0], 0), k);
    assert_int_equal(te_axis_kind_of(k), TE_AXIS_REDUCE);
    assert_string_equal(te_tensor_dtype(c, out[0]), "int32");
    int64_t value;
    assert_int_equal(te_expr_int(c, te_parse(c, "3 * 5 - 1"), &value), VTA_OK);
    assert_int_equal(value, 14);
    assert_int_equal(te_expr_int(c, at[0], &value), VTA_INVALID_ARGUMENT);
    te_context_destroy(c);
}

/* Two results of one reduction: sum and maximum together are refused, they are different reductions. */
TEST_CASE(several_outputs) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "A", "int32", 1, (int64_t[]){8}), *out[2];
    te_axis *i = te_axis_create(c, "i", 8);
    te_expr *v = te_axis_value(c, i), *x = te_load(c, a, 1, &v);
    te_expr *bodies[] = {te_add(c, x, te_int(c, "int32", 1)), te_mul(c, x, x)};
    assert_int_equal(te_compute_axes(c, "B", NULL, 1, &i, 2, bodies, out), VTA_OK);
    assert_int_equal(te_tensor_outputs(out[0]), 2);
    assert_ptr_equal(te_tensor_output(out[0], 1), out[1]);
    te_axis *j = te_axis_create(c, "j", 1), *k = te_reduce_axis(c, "k", 0, 8);
    te_expr *at = te_axis_value(c, k), *y = te_load(c, a, 1, &at);
    te_expr *mixed[] = {te_reduce(c, TE_SUM, y, 1, &k), te_reduce(c, TE_MAX_OF, y, 1, &k)};
    assert_int_equal(te_compute_axes(c, "C", NULL, 1, &j, 2, mixed, out), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "C has 2 bodies, but its reduction has 1 results");
    te_context_destroy(c);
}

/* Expressions that no walk would come to the end of. */
TEST_CASE(too_large) {
    te_context *c = context_with(NULL);
    te_axis *i = te_axis_create(c, "i", 4);
    te_expr *shared = te_axis_value(c, i), *deep = shared, *one = te_int(c, "int32", 1);
    for (int k = 0; k < 60; k++) shared = te_mul(c, shared, shared);
    for (int k = 0; k < 5000; k++) deep = te_apply(c, TE_BITXOR, 2, (te_expr *[]){deep, one});
    assert_fine(c);
    te_tensor *out;
    assert_int_equal(te_compute_axes(c, "a", NULL, 1, &i, 1, &shared, &out), VTA_OUT_OF_RANGE);
    assert_refused(c, VTA_OUT_OF_RANGE, "the expression is too large");
    assert_int_equal(te_compute_axes(c, "a", NULL, 1, &i, 1, &deep, &out), VTA_OUT_OF_RANGE);
    assert_refused(c, VTA_OUT_OF_RANGE, "nested 3000 deep");
    /* Their texts end: the outer part, and "..." for the rest. */
    const char *texts[] = {te_expr_text(c, shared), te_expr_text(c, deep)};
    for (int k = 0; k < 2; k++) {
        assert_non_null(texts[k]);
        assert_true(strlen(texts[k]) > 3000 && strlen(texts[k]) < 1 << 19);
        assert_non_null(strstr(texts[k], "..."));
    }
    assert_fine(c);
    te_context_destroy(c);
}

/* An expression of exactly that many operations, leaves counted: halves are shared. */
static te_expr *of_size(te_context *c, te_expr *leaf, int size) {
    if (size == 1) return leaf;
    te_expr *part = of_size(c, leaf, size % 2 ? (size - 1) / 2 : size - 1), *two[] = {part, part};
    return te_apply(c, size % 2 ? TE_BITXOR : TE_BITNOT, size % 2 ? 2 : 1, two);
}

/* 3000 deep or 1000000 large is what is taken, and not one more. */
TEST_CASE(as_large_as_can_be) {
    te_context *c = context_with(NULL);
    te_axis *i = te_axis_create(c, "i", 4);
    te_expr *leaf = te_axis_value(c, i), *deep = leaf, *one = te_scalar(c, "n", "int32");
    te_tensor *out;
    for (int k = 0; k < 2999; k++) deep = te_apply(c, TE_BITXOR, 2, (te_expr *[]){deep, one});
    te_expr *deeper = te_apply(c, TE_BITXOR, 2, (te_expr *[]){one, deep});
    te_expr *large = of_size(c, leaf, 1000000), *larger = of_size(c, leaf, 1000001);
    assert_int_equal(te_compute_axes(c, "a", NULL, 1, &i, 1, &deep, &out), VTA_OK);
    assert_int_equal(te_compute_axes(c, "a", NULL, 1, &i, 1, &deeper, &out), VTA_OUT_OF_RANGE);
    assert_int_equal(te_compute_axes(c, "a", NULL, 1, &i, 1, &large, &out), VTA_OK);
    assert_int_equal(te_compute_axes(c, "a", NULL, 1, &i, 1, &larger, &out), VTA_OUT_OF_RANGE);
    te_context_destroy(c);
}

TEST_CASE(operator_table) {
    for (int op = 0; op < TE_OP_COUNT; op++) {
        assert_non_null(te_op_name((te_op)op));
        assert_true(te_op_operands((te_op)op) >= 1 && te_op_operands((te_op)op) <= 3);
    }
    assert_null(te_op_name(TE_OP_COUNT));
    assert_string_equal(te_op_text(TE_SHR), ">>");
}

int main(void) { return run_cases(); }
