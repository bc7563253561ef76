/* Looking into expressions, comparing and rewriting them; the bounds of schedules. */
#include "te_test.h"

static te_context *context(void) {
    te_context *c = te_context_create(NULL, NULL);
    assert_non_null(c);
    return c;
}

TEST_CASE(parts) {
    te_context *c = context();
    te_tensor *a = te_placeholder(c, "a", "float32", 2, (int64_t[]){4, 8});
    te_axis *k = te_reduce_axis(c, "k", 0, 8);
    te_expr *x = te_scalar(c, "x", "int32");
    te_expr *load = te_load(c, a, 2, (te_expr *[]){x, te_axis_value(c, k)});
    assert_string_equal(te_expr_kind(load), "pload");
    assert_ptr_equal(te_expr_tensor(load), a);
    assert_int_equal(te_expr_operands(load), 2);
    assert_ptr_equal(te_expr_operand(load, 0), x);
    assert_null(te_expr_operand(load, 2));
    assert_string_equal(te_expr_name(x), "x");
    assert_null(te_expr_name(load));
    te_expr *sum = te_reduce(c, TE_SUM, load, 1, &k);
    assert_int_equal(te_expr_axes(sum), 1);
    assert_ptr_equal(te_expr_axis(sum, 0), k);
    assert_null(te_expr_axis(sum, 1));
    assert_true(te_expr_float(te_float(c, "float32", 2.5)) == 2.5);
    assert_string_equal(te_expr_name(te_call(c, "int32", "f", 1, &x)), "tir.call_extern");
    assert_int_equal(te_expr_operands((te_expr *)a), 0); /* another kind of object */
    assert_null(te_expr_tensor(x));
    te_context_destroy(c);
}

TEST_CASE(equality) {
    te_context *c = context();
    te_expr *x = te_scalar(c, "x", "int32"), *y = te_scalar(c, "y", "int32"), *one = te_int(c, NULL, 1);
    bool same;
    assert_int_equal(te_expr_equal(c, te_add(c, x, one), te_add(c, x, one), false, &same), VTA_OK);
    assert_true(same);
    assert_int_equal(te_expr_equal(c, te_add(c, x, one), te_add(c, y, one), false, &same), VTA_OK);
    assert_false(same);
    assert_int_equal(te_expr_equal(c, te_add(c, x, one), te_add(c, y, one), true, &same), VTA_OK);
    assert_true(same);
    assert_int_equal(te_expr_equal(c, te_add(c, x, y), te_add(c, y, y), true, &same), VTA_OK);
    assert_false(same); /* one to one */
    assert_int_equal(te_expr_equal(c, x, NULL, true, &same), VTA_INVALID_ARGUMENT);
    te_expr *zero = te_simplify(c, te_sub(c, te_mul(c, x, te_int(c, NULL, 2)), te_add(c, x, x)));
    int64_t value = 1;
    assert_int_equal(te_expr_int(c, zero, &value), VTA_OK);
    assert_int_equal(value, 0);
    te_expr *put = te_substitute(c, te_add(c, x, te_mul(c, y, y)), 2, (te_expr *[]){x, y},
                                 (te_expr *[]){te_int(c, NULL, 5), te_int(c, "int8", 3)});
    assert_int_equal(te_expr_int(c, put, &value), VTA_OK);
    assert_int_equal(value, 14);
    assert_null(te_substitute(c, x, 1, (te_expr *[]){one}, &y));
    assert_refused(c, VTA_INVALID_ARGUMENT, "1 is no variable");
    te_context_destroy(c);
}

/* What walks expressions ends also for those that are too deep or, shared parts counted each time, too large. */
TEST_CASE(too_large) {
    te_context *c = context();
    te_expr *x = te_scalar(c, "x", "int32"), *one = te_int(c, NULL, 1), *large[2] = {x, x};
    for (int k = 0; k < 5000; k++) large[0] = te_apply(c, TE_BITXOR, 2, (te_expr *[]){large[0], one});
    for (int k = 0; k < 60; k++) large[1] = te_apply(c, TE_BITXOR, 2, (te_expr *[]){large[1], large[1]});
    assert_fine(c);
    te_tensor *t = te_placeholder(c, "t", "int32", 1, (int64_t[]){64});
    te_tensor *u = te_compute(c, "u", 1, (int64_t[]){64}, "i", "t[i] + 1");
    te_stage *st = te_schedule_stage(te_schedule_create(c, 1, &u), u);
    assert_true(t && st);
    for (int n = 0; n < 2; n++)
        for (int call = 0; call < 6; call++) {
            bool same = true;
            switch (call) {
            case 0: assert_null(te_simplify(c, large[n])); break;
            case 1: assert_null(te_substitute(c, large[n], 1, &x, &one)); break;
            case 4:
                assert_int_equal(te_split_expr(st, te_stage_axis(st, 0), large[n], NULL, NULL), VTA_OUT_OF_RANGE);
                break;
            case 5:
                assert_int_equal(te_split_nparts_expr(st, te_stage_axis(st, 0), large[n], NULL, NULL),
                                 VTA_OUT_OF_RANGE);
                break;
            default:
                assert_int_equal(te_expr_equal(c, call == 2 ? large[n] : x, call == 2 ? x : large[n], false, &same),
                                 VTA_OUT_OF_RANGE);
                assert_false(same);
            }
            assert_refused(c, VTA_OUT_OF_RANGE, "the expression is too large: nested 3000 deep, or 1000000 operations");
        }
    te_context_destroy(c);
}

static int64_t number(te_context *c, te_expr *e) {
    int64_t value = -1;
    assert_int_equal(te_expr_int(c, e, &value), VTA_OK);
    return value;
}

TEST_CASE(bounds) {
    te_context *c = context();
    te_placeholder(c, "a", "int32", 1, (int64_t[]){66});
    te_tensor *b = te_compute(c, "b", 1, (int64_t[]){66}, "i", "a[i] + 1");
    te_tensor *d = te_compute(c, "d", 1, (int64_t[]){64}, "i", "b[i] + b[i + 2]");
    te_schedule *s = te_schedule_create(c, 1, &d);
    te_axis *outer, *inner;
    te_stage *st = te_schedule_stage(s, d);
    assert_int_equal(te_split(st, te_tensor_axis(d, 0), 8, &outer, &inner), VTA_OK);
    assert_int_equal(te_compute_at(te_schedule_stage(s, b), st, outer), VTA_OK);
    te_bounds *found = te_infer_bounds(s);
    te_expr *min, *extent;
    assert_int_equal(te_bounds_range(found, te_tensor_axis(b, 0), &min, &extent), VTA_OK);
    assert_int_equal(number(c, extent), 10);
    assert_string_equal(te_expr_text(c, min), "(i.outer*8)");
    assert_int_equal(te_axis_range(outer, &min, &extent), VTA_NOT_FOUND);
    assert_null(min);
    assert_int_equal(te_axis_range(te_tensor_axis(d, 0), &min, &extent), VTA_OK);
    assert_int_equal(number(c, extent), 64);
    assert_int_equal(te_axis_range(te_reduce_axis(c, "k", 3, 5), &min, &extent), VTA_OK);
    assert_int_equal(number(c, min), 3);
    assert_int_equal(te_axis_range((te_axis *)d, &min, &extent), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_bounds_range(found, inner, &min, &extent), VTA_OK);
    assert_int_equal(number(c, extent), 8);
    assert_int_equal(te_bounds_range(found, te_axis_create(c, "other", 3), &min, &extent), VTA_NOT_FOUND);
    assert_null(extent);
    bool has = false;
    for (size_t i = 0; i < te_bounds_count(found); i++) has |= te_bounds_axis(found, i) == outer;
    assert_true(has);
    assert_null(te_bounds_axis(found, te_bounds_count(found)));
    assert_null(te_infer_bounds((te_schedule *)d));
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
