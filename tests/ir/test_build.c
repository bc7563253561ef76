/* Constructors: what folds at once, how types meet, what is refused; types as text. */
#include <string.h>

#include "ir/support.h"
#include "ir/visit.h"

static vta_status folding(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *x = vt_var_new(ctx, "x", VT_I32);
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1), *seven = vt_i32(ctx, 7), *m2 = vt_i32(ctx, -2);
    assert_ptr_equal(vt_add(ctx, x, zero), x);
    assert_ptr_equal(vt_add(ctx, zero, x), x);
    assert_ptr_equal(vt_sub(ctx, x, zero), x);
    assert_ptr_equal(vt_mul(ctx, one, x), x);
    assert_true(vt_is_const(vt_mul(ctx, x, zero), 0));
    assert_ptr_equal(vt_floordiv(ctx, x, one), x);
    assert_true(vt_is_const(vt_floormod(ctx, x, one), 0));
    assert_ptr_equal(vt_max(ctx, x, x), x);
    assert_true(vt_is_const(vt_floordiv(ctx, seven, m2), -4));
    assert_true(vt_is_const(vt_floormod(ctx, seven, m2), -1));
    assert_true(vt_is_const(vt_div(ctx, seven, m2), -3));
    assert_true(vt_is_const(vt_mod(ctx, seven, m2), 1));
    assert_true(vt_is_const(vt_floordiv(ctx, seven, zero), 0)); /* by zero: 0, and the remainder all of it */
    assert_true(vt_is_const(vt_div(ctx, m2, zero), 0));
    assert_true(vt_is_const(vt_floormod(ctx, m2, zero), -2));
    assert_true(vt_is_const(vt_mod(ctx, seven, zero), 7));
    assert_true(vt_is_const(vt_floordiv(ctx, vt_i32(ctx, INT32_MIN), vt_i32(ctx, -1)), INT32_MIN));
    assert_true(vt_is_const(vt_div(ctx, vt_i64(ctx, INT64_MIN), vt_i64(ctx, -1)), INT64_MIN));
    assert_true(vt_is_const(vt_floormod(ctx, vt_i64(ctx, INT64_MIN), vt_i64(ctx, -1)), 0));
    assert_int_equal(vt_sub(ctx, x, x)->kind, VT_E_SUB); /* no algebra here */
    assert_true(vt_is_const(vt_add(ctx, vt_i32(ctx, INT32_MAX), one), INT32_MIN));
    assert_true(vt_is_const(vt_int(ctx, VT_I8, 200), -56));
    assert_true(vt_is_const(vt_lt(ctx, one, seven), 1));
    assert_true(vt_dtype_is_bool(vt_lt(ctx, x, seven)->dtype));
    const vt_expr *c = vt_lt(ctx, x, seven);
    assert_ptr_equal(vt_and(ctx, vt_bool(ctx, true), c), c);
    assert_true(vt_is_const(vt_and(ctx, c, vt_bool(ctx, false)), 0));
    assert_true(vt_is_const(vt_or(ctx, vt_bool(ctx, true), c), 1));
    assert_ptr_equal(vt_if_then_else(ctx, vt_bool(ctx, false), x, one), one);
    assert_true(vt_is_const(vt_likely(ctx, vt_bool(ctx, true)), 1));
    assert_true(vt_is_const(vt_shift_left(ctx, one, seven), 128));
    assert_true(vt_is_const(vt_ceildiv(ctx, seven, vt_i32(ctx, 4)), 2));
    return VTA_OK;
}

/* Floats: by each operator, on numbers that tell one from another. */
static vta_status folding_floats(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const struct {
        vt_expr_kind kind;
        double value;
    } rows[] = {{VT_E_ADD, -5.5}, {VT_E_SUB, -9.5},     {VT_E_MUL, -15},  {VT_E_DIV, -3.75}, {VT_E_FLOORDIV, -4},
                {VT_E_MOD, -1.5}, {VT_E_FLOORMOD, 0.5}, {VT_E_MIN, -7.5}, {VT_E_MAX, 2}};
    static const struct {
        vt_expr_kind kind;
        int64_t less, same;
    } comparisons[] = {{VT_E_EQ, 0, 1}, {VT_E_NE, 1, 0}, {VT_E_LT, 1, 0},
                       {VT_E_LE, 1, 1}, {VT_E_GT, 0, 0}, {VT_E_GE, 0, 1}};
    const vt_expr *x = vt_float(ctx, VT_F64, -7.5), *y = vt_float(ctx, VT_F64, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const vt_expr *e = vt_try_fold(ctx, rows[i].kind, x, y);
        if (!e || e->kind != VT_E_FLOAT || e->u.f != rows[i].value) fail_msg("%s", vt_expr_infos[rows[i].kind].text);
    }
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        const vt_expr *less = vt_try_fold(ctx, comparisons[i].kind, x, y);
        const vt_expr *same = vt_try_fold(ctx, comparisons[i].kind, x, x);
        if (!less || !same || !vt_is_const(less, comparisons[i].less) || !vt_is_const(same, comparisons[i].same))
            fail_msg("%s", vt_expr_infos[comparisons[i].kind].text);
    }
    const vt_expr *zero = vt_float(ctx, VT_F64, 0);
    assert_null(vt_try_fold(ctx, VT_E_DIV, x, zero));
    assert_null(vt_try_fold(ctx, VT_E_MOD, x, zero));
    return VTA_OK;
}

/* Casts of numbers: integers wrap into the type, floats lose what is behind the point, a bool is what is not zero. */
static vta_status folding_casts(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const struct {
        vt_dtype to;
        int64_t from, value;
    } integers[] = {{VT_I8, 300, 44}, {VT_I8, 200, -56},      {VT_U8, -1, 255}, {VT_U32, -1, UINT32_MAX},
                    {VT_I16, -1, -1}, {VT_I32, 1LL << 32, 0}, {VT_BOOL, 0, 0},  {VT_BOOL, 1, 1},
                    {VT_BOOL, 2, 1},  {VT_BOOL, -1, 1},       {VT_BOOL, 256, 1}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        const vt_expr *e = vt_cast(ctx, integers[i].to, vt_i64(ctx, integers[i].from));
        const vt_expr *lanes = vt_cast(ctx, vt_dtype_lanes(integers[i].to, 4), vt_i64(ctx, integers[i].from));
        if (!vt_is_const(e, integers[i].value) || !vt_dtype_eq(e->dtype, integers[i].to))
            fail_msg("%lld, row %zu", (long long)e->u.i, i);
        assert_int_equal(lanes->kind, VT_E_BROADCAST);
        assert_true(vt_expr_equal(lanes->a[0], e));
    }
    static const struct {
        double from;
        int64_t value;
    } floats[] = {{2.9, 2}, {-2.9, -2}, {-0.5, 0}, {1e9, 1000000000}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        assert_true(vt_is_const(vt_cast(ctx, VT_I32, vt_float(ctx, VT_F64, floats[i].from)), floats[i].value));
    assert_int_equal(vt_cast(ctx, VT_I64, vt_float(ctx, VT_F64, 1e19))->kind, VT_E_CAST); /* no integer has it */
    const vt_expr *third = vt_cast(ctx, VT_F32, vt_float(ctx, VT_F64, 0.1)),
                  *three = vt_cast(ctx, VT_F64, vt_i32(ctx, 3));
    assert_true(third->kind == VT_E_FLOAT && third->u.f == (double)0.1f);
    assert_true(three->kind == VT_E_FLOAT && three->u.f == 3);
    return VTA_OK;
}

/* Reductions by `how` of two operands from an identity: only one sum from 0 without a condition is a sum. */
static const vt_expr *reduction(vt_ctx *ctx, vt_expr_kind how, bool swapped, int64_t identity,
                                const vt_expr *condition) {
    const vt_var *x = vt_var_new(ctx, "x", VT_I32), *y = vt_var_new(ctx, "y", VT_I32);
    const vt_expr *result = swapped ? vt_e_bin(ctx, how, y, x) : vt_e_bin(ctx, how, x, y),
                  *from = vt_i32(ctx, identity);
    const vt_combiner *c = vt_combiner_new(ctx, 1, vt_exprs_copy(ctx, 1, &x), vt_exprs_copy(ctx, 1, &y),
                                           vt_exprs_copy(ctx, 1, &result), vt_exprs_copy(ctx, 1, &from));
    const vt_var *k = vt_var_new(ctx, "k", VT_I32), *source = k;
    const vt_iter *axis = vt_iter_new(ctx, k, vt_i32(ctx, 0), vt_i32(ctx, 4), VT_ITER_COMM_REDUCE, "");
    return vt_e_reduce(ctx, c, 1, &source, 1, &axis, condition, NULL, 0);
}

static vta_status sums(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *some = vt_lt(ctx, vt_var_new(ctx, "n", VT_I32), vt_i32(ctx, 3));
    assert_true(vt_is_sum(reduction(ctx, VT_E_ADD, false, 0, NULL)));
    assert_true(vt_is_sum(reduction(ctx, VT_E_ADD, true, 0, NULL)));
    assert_true(vt_is_sum(reduction(ctx, VT_E_ADD, false, 0, vt_bool(ctx, true))));
    assert_false(vt_is_sum(reduction(ctx, VT_E_ADD, false, 1, NULL)));
    assert_false(vt_is_sum(reduction(ctx, VT_E_ADD, false, 0, some)));
    assert_false(vt_is_sum(reduction(ctx, VT_E_MAX, false, 0, NULL)));
    assert_false(vt_is_sum(reduction(ctx, VT_E_SUB, false, 0, NULL)));
    assert_false(vt_is_sum(some));
    return VTA_OK;
}

static vta_status types(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *b = vt_var_new(ctx, "b", VT_I8), *w = vt_var_new(ctx, "w", VT_I32), *f = vt_var_new(ctx, "f", VT_F32);
    assert_true(vt_dtype_eq(vt_add(ctx, b, w)->dtype, VT_I32));
    assert_true(vt_dtype_eq(vt_add(ctx, b, f)->dtype, VT_F32));
    assert_true(vt_dtype_eq(vt_add(ctx, vt_var_new(ctx, "u", VT_U32), w)->dtype, VT_U32));
    assert_int_equal(vt_add(ctx, b, w)->a[0]->kind, VT_E_CAST);
    assert_true(vt_is_const(vt_cast(ctx, VT_I8, vt_i32(ctx, 5)), 5));
    assert_ptr_equal(vt_cast(ctx, VT_I32, w), w);
    const vt_expr *ramp = vt_e_ramp(ctx, w, vt_i32(ctx, 1), 4), *sum = vt_add(ctx, ramp, w);
    assert_int_equal(sum->dtype.lanes, 4);
    assert_int_equal(sum->a[1]->kind, VT_E_BROADCAST);
    return VTA_OK;
}

static vta_status equality(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *x = vt_var_new(ctx, "x", VT_I32), *y = vt_var_new(ctx, "x", VT_I32);
    const vt_expr *one = vt_i32(ctx, 1), *a = vt_add(ctx, x, one), *b = vt_add(ctx, x, vt_i32(ctx, 1));
    assert_ptr_not_equal(a, b);
    assert_int_equal(a->hash, b->hash);
    assert_true(vt_expr_equal(a, b));
    assert_false(vt_expr_equal(a, vt_add(ctx, y, one))); /* another variable of that name */
    assert_false(vt_expr_equal(vt_i32(ctx, 1), vt_i64(ctx, 1)));
    assert_true(vt_expr_alpha_equal(ctx, a, vt_add(ctx, y, one), true));
    assert_false(vt_expr_alpha_equal(ctx, a, vt_add(ctx, y, one), false));
    const vt_stmt *s = loop(ctx, x, 4, vt_s_eval(ctx, a)), *t = loop(ctx, y, 4, vt_s_eval(ctx, vt_add(ctx, y, one)));
    assert_false(vt_stmt_equal(s, t));
    assert_true(vt_stmt_alpha_equal(ctx, s, t, false));
    assert_false(vt_stmt_alpha_equal(ctx, s, loop(ctx, y, 5, vt_s_eval(ctx, vt_add(ctx, y, one))), false));
    const vt_tensor tensor = {.name = "t", .dtype = VT_I32, .ndim = 3};
    vt_range bounds[3] = {{vt_i32(ctx, 0), one}, {one, vt_i32(ctx, 3)}, {one, one}}, other[3];
    const vt_stmt *part =
        vt_s_realize(ctx, &tensor, 3, memcpy(VT_NEW_ARRAY(ctx, vt_range, 3), bounds, sizeof bounds), NULL, "", s);
    for (int i = 0; i < 6; i++) { /* one number of the six is another one */
        memcpy(other, bounds, sizeof other);
        *(i % 2 ? &other[i / 2].extent : &other[i / 2].min) = vt_i32(ctx, 7);
        assert_false(vt_stmt_equal(part, vt_s_realize(ctx, &tensor, 3, other, NULL, "", s)));
    }
    assert_true(vt_stmt_equal(part, vt_s_realize(ctx, &tensor, 3, bounds, NULL, "", s)));
    return VTA_OK;
}

static vta_status mismatched(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_e_bin(ctx, VT_E_ADD, vt_i32(ctx, 1), vt_i64(ctx, 1));
    return VTA_OK;
}

static vta_status wrong_arity(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_e_call(ctx, VT_I32, VT_OP_VTA_COPROC_DEP_PUSH, 0, NULL);
    return VTA_OK;
}

TEST_CASE(test_folding) { run_in_context(folding, NULL, VTA_OK, NULL); }
TEST_CASE(test_folding_floats) { run_in_context(folding_floats, NULL, VTA_OK, NULL); }
TEST_CASE(test_folding_casts) { run_in_context(folding_casts, NULL, VTA_OK, NULL); }
TEST_CASE(test_sums) { run_in_context(sums, NULL, VTA_OK, NULL); }
TEST_CASE(test_types) { run_in_context(types, NULL, VTA_OK, NULL); }
TEST_CASE(test_equality) { run_in_context(equality, NULL, VTA_OK, NULL); }

TEST_CASE(test_refused) {
    run_in_context(mismatched, NULL, VTA_MISMATCH,
                   "error: operands of add differ in type: int32 and int64; cast one of them");
    run_in_context(wrong_arity, NULL, VTA_INVALID_ARGUMENT, "error: tir.vta.coproc_dep_push takes 2 arguments, not 0");
}

TEST_CASE(test_dtype_text) {
    static const char *const texts[] = {"int8",    "int32",      "int64",  "uint8", "bool", "boolx4",
                                        "float32", "float32x16", "handle", "void",  "int4", "float16"};
    static const char *const bad[] = {"", "int", "int0", "float7", "int8x", "int8x0", "bool1", "int8 ", "Int8", "x4"};
    char out[VT_DTYPE_TEXT];
    vt_dtype t;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(vt_dtype_parse(texts[i], &t));
        assert_string_equal(vt_dtype_text(t, out), texts[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(vt_dtype_parse(bad[i], &t));
}

TEST_CASE(test_tables) {
    for (unsigned i = 0; i < VT_OP_COUNT; i++) {
        assert_int_equal(vt_op_find(vt_op_infos[i].name), i);
        assert_int_equal(vt_op_find(vt_op_infos[i].script), i);
    }
    assert_int_equal(vt_op_find("tir.nothing"), VT_OP_COUNT);
    for (unsigned i = 0; i < VT_E_COUNT; i++) assert_non_null(vt_expr_infos[i].text);
    for (unsigned i = 0; i < VT_S_COUNT; i++) assert_true(strlen(vt_stmt_kind_text((vt_stmt_kind)i)) > 0);
}

int main(void) { return run_cases(); }
