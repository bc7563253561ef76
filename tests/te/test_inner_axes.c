/* A result of an intrinsic has axes of its own behind those of the computation: each can be asked for, by number and by
 * what it runs over. */
#include "te_test.h"
#include "vta/te_stmt.h"

enum { AXES = 4 }; /* one of the computation, three of the intrinsic */

TEST_CASE(inner_axes) {
    static const int64_t extents[AXES] = {5, 2, 3, 4};
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 4, extents), *y;
    te_placeholder(c, "p", "int32", 3, extents + 1);
    te_tensor *what = te_define(c, "q[r: 2, s: 3, t: 4] = p[r, s, t] + 1");
    te_intrin *in = te_intrin_create(c, "next", what);
    te_expr *access = te_intrin_access(in, what, "w");
    te_intrin_emit(in, TE_INTRIN_BODY, te_call(c, "int32", "run", 1, &access));
    te_axis *i = te_axis_create(c, "i", extents[0]);
    te_expr *begin[AXES], *size[AXES];
    for (int k = 0; k < AXES; k++) {
        begin[k] = k ? te_int(c, "int32", 0) : te_axis_value(c, i);
        size[k] = te_int(c, "int32", k ? extents[k] : 1);
    }
    te_region region = {a, begin, size};
    te_intrin_call call = {.size = sizeof call,
                           .intrin = in,
                           .axis_count = 1,
                           .axes = &i,
                           .inner_count = AXES - 1,
                           .inner = size + 1,
                           .region_count = 1,
                           .regions = &region};
    assert_int_equal(te_compute_intrin(c, "y", &call, &y), VTA_OK);
    assert_fine(c);
    assert_int_equal(te_tensor_axes(y), AXES);
    assert_int_equal(te_tensor_ndim(y), AXES);
    assert_ptr_equal(te_tensor_axis(y, 0), i);
    assert_null(te_tensor_axis(y, AXES));
    assert_int_equal(te_tensor_reduce_axes(y), 0);
    te_bounds *bounds = te_infer_bounds(te_schedule_create(c, 1, &y));
    for (size_t k = 0; k < AXES; k++) {
        te_axis *axis = te_tensor_axis(y, k);
        te_expr *min, *extent;
        int64_t from = -1, count = -1;
        size_t at = 0;
        assert_int_equal(te_axis_extent(axis), extents[k]);
        assert_int_equal(te_bounds_range(bounds, axis, &min, &extent), VTA_OK);
        assert_int_equal(te_expr_int(c, min, &from), VTA_OK);
        assert_int_equal(te_expr_int(c, extent, &count), VTA_OK);
        assert_true(from == 0 && count == extents[k]);
        while (at < te_bounds_count(bounds) && te_bounds_axis(bounds, at) != axis) at++;
        assert_true(at < te_bounds_count(bounds)); /* it is in the list */
    }
    assert_null(te_bounds_axis(bounds, te_bounds_count(bounds)));
    const vt_func *f = lower(te_schedule_create(c, 1, &y), 2, (te_tensor *[]){a, y});
    assert_fine(c);
    char *text = nest_text(c, f);
    assert_int_equal(count_of(text, "@tir.tvm_tuple(i, 1, 0, 2, 0, 3, 0, 4, dtype=handle)"), 2); /* read, and written */
    free(text);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
