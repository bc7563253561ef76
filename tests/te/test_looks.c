/* Looking at what was made: each function on its object, at the last of a list and behind it, and on what is no such
 * object. */
#include "te_test.h"
#include "vta/te_stmt.h"

typedef struct fixture {
    te_context *c;
    te_tensor *a, *x, *y[2];
    te_axis *k;
    te_schedule *s;
} fixture;

/* x = a + 1; the least and the largest element of each row of x */
static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    te_context *c = f.c;
    f.a = te_placeholder(c, "a", "int32", 2, (int64_t[]){4, 6});
    f.x = te_define(c, "x[i: 4, j: 6] = a[i, j] + 1");
    te_expr *lhs[2], *rhs[2], *results[2], *identities[2], *values[2], *bodies[2];
    f.k = te_reduce_axis(c, "k", 0, 6);
    te_axis *i = te_axis_create(c, "i", 4);
    for (int n = 0; n < 2; n++) {
        lhs[n] = te_operand(c, n ? "q" : "p", "int32");
        rhs[n] = te_operand(c, n ? "y" : "x", "int32");
        results[n] = te_apply(c, n ? TE_MAX : TE_MIN, 2, (te_expr *[]){lhs[n], rhs[n]});
        identities[n] = te_int(c, "int32", n ? INT32_MIN : INT32_MAX);
        values[n] = te_load(c, f.x, 2, (te_expr *[]){te_axis_value(c, i), te_axis_value(c, f.k)});
    }
    te_reducer *r = te_reducer_create(c, 2, lhs, rhs, results, identities);
    assert_int_equal(te_reduce_with(c, r, values, NULL, NULL, 1, &f.k, bodies), VTA_OK);
    assert_int_equal(te_compute_axes(c, "y", "both", 1, &i, 2, bodies, f.y), VTA_OK);
    f.s = te_schedule_create(c, 1, &f.y[1]);
    assert_fine(c);
    return f;
}

TEST_CASE(tensors) {
    fixture f = make();
    te_context *c = f.c;
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(te_tensor_index(f.y[n]), n);
        assert_int_equal(te_tensor_outputs(f.y[n]), 2);
        assert_ptr_equal(te_tensor_output(f.y[0], n), f.y[n]);
    }
    assert_null(te_tensor_output(f.y[0], 2));
    assert_string_equal(te_tensor_tag(f.y[1]), "both");
    assert_string_equal(te_tensor_tag(f.x), "");
    assert_int_equal(te_tensor_axes(f.x), 2);
    assert_string_equal(te_axis_name(te_tensor_axis(f.x, 1)), "j");
    assert_null(te_tensor_axis(f.x, 2));
    assert_int_equal(te_tensor_reduce_axes(f.y[0]), 1);
    assert_ptr_equal(te_tensor_reduce_axis(f.y[0], 0), f.k);
    assert_null(te_tensor_reduce_axis(f.y[0], 1));
    assert_int_equal(te_tensor_inputs(c, f.x), 1);
    assert_ptr_equal(te_tensor_input(c, f.x, 0), f.a);
    assert_null(te_tensor_input(c, f.x, 1));
    assert_int_equal(te_tensor_inputs(NULL, f.x), 0);
    assert_true(te_tensor_is_placeholder(f.a));
    assert_false(te_tensor_is_placeholder(f.x));
    assert_null(te_tensor_body(f.a));
    assert_int_equal(te_tensor_dim(f.x, 1), 6);
    assert_int_equal(te_tensor_dim(f.x, 2), -1);
    assert_null(te_tensor_dim_expr(f.x, 2));
    assert_string_equal(te_expr_text(c, te_tensor_dim_expr(f.x, 1)), "6");
    te_expr *n = te_scalar(c, "n", "int32");
    assert_int_equal(te_tensor_dim(te_placeholder_expr(c, "b", "int8", 1, &n), 0), -1);
    assert_int_equal(te_axis_extent(f.k), 6);
    assert_int_equal(te_axis_extent(te_axis_create_expr(c, "i", n)), -1);
    assert_int_equal(te_axis_kind_of(f.k), TE_AXIS_REDUCE);
    assert_int_equal(te_axis_kind_of(te_thread_axis(c, "cthread")), TE_AXIS_THREAD);
    assert_int_equal(te_axis_kind_of(te_tensor_axis(f.x, 0)), TE_AXIS_DATA);
    assert_string_equal(te_tensor_text(c, f.x), "Tensor(shape=[4, 6], op.name=x)");
    assert_string_equal(te_op_of_tensor_text(c, f.a), "placeholder(a, [4, 6])");
    assert_fine(c);
    te_context_destroy(c);
}

TEST_CASE(expressions) {
    fixture f = make();
    te_context *c = f.c;
    te_expr *x = te_scalar(c, "x", "int32"), *one = te_int(c, "int32", 1), *four = te_int(c, "int32", 4);
    te_buffer *b = te_buffer_create(c, "buf", "int8", 1, &four, NULL);
    const struct {
        te_expr *e;
        const char *text, *name;
    } rows[] = {
        {te_string(c, "words"), "\"words\"", "words"},
        {te_float(c, "float64", 0.25), "(float64)0.25", NULL},
        {te_float(c, "float32", 0.25), "0.25f", NULL},
        {te_int(c, "int8", -3), "(int8)-3", NULL},
        {te_int(c, "int32", -3), "-3", NULL},
        {te_ramp(c, x, one, 4), "ramp(x, 1)", NULL},
        {te_broadcast(c, x, 4), "x(x)", NULL},
        {te_buffer_load(c, b, 1, &x), "buf[x]", "buf"},
        {te_load(c, f.a, 2, (te_expr *[]){x, one}), "a[x, 1]", NULL},
        {te_parse(c, "x * 2 + x // 3 - x % 4"), "(((x*2) + floordiv(x, 3)) - floormod(x, 4))", NULL},
        {te_parse(c, "min(x, 1) < max(x, 2)"), "(min(x, 1) < max(x, 2))", NULL},
        {te_parse(c, "truncdiv(x, 2)"), "(x/2)", NULL},
        {te_parse(c, "!(x == 1) && x != 2"), "(!(x == 1) && (x != 2))", NULL},
        {te_parse(c, "select(x >= 1 || x <= 2, x, 0)"), "select(((x >= 1) || (x <= 2)), x, 0)", NULL},
        {te_parse(c, "int8(x) "), "int8(x)", NULL},
        {te_parse(c, "x << 2"), "tir.shift_left(x, 2)", "tir.shift_left"},
        {te_parse(c, "sqrt(0.5)"), "tir.sqrt(0.5f)", "tir.sqrt"},
    };
    assert_fine(c);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        assert_string_equal(te_expr_text(c, rows[r].e), rows[r].text);
        if (rows[r].name)
            assert_string_equal(te_expr_name(rows[r].e), rows[r].name);
        else
            assert_null(te_expr_name(rows[r].e));
    }
    const char *largest = te_expr_text(c, te_tensor_body(f.y[1]));
    assert_string_equal(largest, "reduce(combiner=comm_reducer(result=[min(p, x), max(q, y)], lhs=[p, q], rhs=[x, y], "
                                 "identity_element=[2147483647, -2147483648]), source=[x[i, k], x[i, k]], init=[], "
                                 "axis=[iter_var(k, range(min=0, ext=6))], where=(bool)1, value_index=1)");
    te_expr *min, *extent;
    assert_int_equal(te_axis_range(f.k, &min, &extent), VTA_OK);
    assert_string_equal(te_expr_text(c, min), "0");
    assert_string_equal(te_expr_text(c, extent), "6");
    assert_int_equal(te_axis_range(te_thread_axis(c, "cthread"), &min, &extent), VTA_NOT_FOUND);
    assert_null(min);
    assert_null(extent);
    assert_int_equal(te_axis_range(f.k, NULL, &extent), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_axis_range(f.k, &min, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_axis_range(NULL, &min, &extent), VTA_INVALID_ARGUMENT);
    te_context_destroy(c);
}

static void assert_relation(te_stage *st, size_t index, te_relation want) {
    te_relation got = {0};
    assert_int_equal(te_stage_relation(st, index, &got), VTA_OK);
    assert_int_equal(got.size, sizeof got);
    assert_int_equal(got.kind, want.kind);
    assert_ptr_equal(got.parent, want.parent);
    assert_ptr_equal(got.outer, want.outer);
    assert_ptr_equal(got.inner, want.inner);
    assert_int_equal(got.factor != NULL, want.factor != NULL);
    assert_int_equal(got.nparts != NULL, want.nparts != NULL);
}

TEST_CASE(stages) {
    fixture f = make();
    te_context *c = f.c;
    te_stage *st = te_schedule_stage(f.s, f.x), *y = te_schedule_stage(f.s, f.y[1]);
    te_axis *i = te_stage_axis(st, 0), *j = te_stage_axis(st, 1), *made[8], *thread = te_thread_axis(c, "cthread");
    te_expr *some = te_int(c, "int32", 1), *value = some;
    te_axis_marks marks = {0};
    assert_int_equal(te_split(st, i, 2, &made[0], &made[1]), VTA_OK);
    assert_int_equal(te_split_sizes(st, j, 3, (int64_t[]){1, 2, 3}, &made[2], &made[3]), VTA_OK);
    assert_int_equal(te_split_nparts(st, made[0], 1, &made[4], &made[5]), VTA_OK);
    assert_int_equal(te_fuse(st, 2, (te_axis *[]){made[5], made[1]}, &made[6]), VTA_OK);
    assert_int_equal(te_fuse(st, 0, NULL, &made[7]), VTA_OK);
    assert_int_equal(te_stage_relations(st), 5);
    assert_relation(st, 0, (te_relation){0, TE_RELATION_SPLIT, i, made[0], made[1], some, NULL});
    assert_relation(st, 1, (te_relation){0, TE_RELATION_SIZES, j, made[2], made[3], NULL, NULL});
    assert_relation(st, 2, (te_relation){0, TE_RELATION_SPLIT, made[0], made[4], made[5], NULL, some});
    assert_relation(st, 3, (te_relation){0, TE_RELATION_FUSE, made[6], made[5], made[1], NULL, NULL});
    assert_relation(st, 4, (te_relation){0, TE_RELATION_SINGLETON, NULL, NULL, made[7], NULL, NULL});
    te_relation none;
    assert_int_equal(te_stage_relation(st, 5, &none), VTA_NOT_FOUND);
    assert_int_equal(te_stage_relation(st, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_stage_all(st), 10); /* i and j, and eight that were made */
    assert_ptr_equal(te_stage_all_axis(st, 9), made[7]);
    assert_null(te_stage_all_axis(st, 10));
    assert_int_equal(te_stage_leaves(st), 5);
    assert_ptr_equal(te_stage_leaf(st, 4), made[3]);
    assert_null(te_stage_leaf(st, 5));

    assert_int_equal(te_stage_marks(st, made[4], &marks), VTA_NOT_FOUND);
    assert_int_equal(te_pragma(st, made[4], "first", NULL), VTA_OK);
    assert_int_equal(te_pragma(st, made[4], "second", te_int(c, "int32", 7)), VTA_OK);
    assert_int_equal(te_bind(st, made[4], thread), VTA_OK);
    assert_int_equal(te_stage_marks(st, made[4], &marks), VTA_OK);
    assert_int_equal(marks.size, sizeof marks);
    assert_string_equal(marks.type, "DataPar");
    assert_ptr_equal(marks.thread, thread);
    assert_null(marks.intrin);
    assert_int_equal(marks.pragma_count, 2);
    assert_string_equal(te_stage_pragma(st, made[4], 0, &value), "first");
    assert_string_equal(te_expr_text(c, value), "1"); /* where none is given */
    assert_string_equal(te_stage_pragma(st, made[4], 1, &value), "second");
    assert_string_equal(te_expr_text(c, value), "7");
    assert_string_equal(te_stage_pragma(st, made[4], 1, NULL), "second");
    assert_null(te_stage_pragma(st, made[4], 2, &value));
    assert_null(value);
    value = some;
    assert_null(te_stage_pragma(st, made[3], 0, &value));
    assert_null(value);
    assert_int_equal(te_stage_marks(st, made[4], NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_stage_marks(st, NULL, &marks), VTA_INVALID_ARGUMENT);

    te_axis *loop = te_stage_leaf(y, 0);
    assert_int_equal(te_stage_attachment(st), TE_COMPUTED_AT_ROOT);
    assert_null(te_stage_attached_to(st));
    assert_null(te_stage_attached_at(st));
    assert_int_equal(te_compute_at(st, y, loop), VTA_OK);
    assert_int_equal(te_stage_attachment(st), TE_COMPUTED_AT_LOOP);
    assert_ptr_equal(te_stage_attached_to(st), y);
    assert_ptr_equal(te_stage_attached_at(st), loop);
    assert_int_equal(te_compute_inline(st), VTA_OK);
    assert_int_equal(te_stage_attachment(st), TE_COMPUTED_INLINE);
    assert_null(te_stage_attached_to(st));
    assert_null(te_stage_attached_at(st));
    assert_string_equal(te_stage_scope(st), "");
    assert_int_equal(te_set_scope(st, "acc"), VTA_OK);
    assert_string_equal(te_stage_scope(st), "local.acc_buffer");
    assert_true(te_stage_is_output(y) && !te_stage_is_output(st));
    assert_ptr_equal(te_schedule_stage_at(f.s, 2), y);
    assert_null(te_schedule_stage_at(f.s, 3));
    assert_ptr_equal(te_stage_axis(y, 1), f.k);
    assert_null(te_stage_axis(y, 2));
    assert_int_equal(te_stage_axes(y), 2);
    assert_fine(c);
    te_context_destroy(c);
}

/* Of three rows of a stage that another needs. */
TEST_CASE(bounds) {
    te_context *c = context_with(NULL);
    te_placeholder(c, "a", "int32", 1, (int64_t[]){10});
    te_tensor *x = te_define(c, "x[i: 10] = a[i] + 1"), *y = te_define(c, "y[i: 3] = x[i + 4]");
    te_schedule *s = te_schedule_create(c, 1, &y);
    te_bounds *b = te_infer_bounds(s);
    te_expr *min, *extent;
    te_axis *i = te_stage_axis(te_schedule_stage(s, x), 0);
    assert_int_equal(te_bounds_range(b, i, &min, &extent), VTA_OK);
    assert_string_equal(te_expr_text(c, min), "4");
    assert_string_equal(te_expr_text(c, extent), "3");
    size_t n = te_bounds_count(b), found = 0;
    for (size_t k = 0; k < n; k++) found += te_bounds_axis(b, k) == i;
    assert_int_equal(found, 1);
    assert_non_null(te_bounds_axis(b, n - 1));
    assert_null(te_bounds_axis(b, n));
    assert_int_equal(te_bounds_range(b, te_axis_create(c, "other", 4), &min, &extent), VTA_NOT_FOUND);
    assert_null(min);
    assert_null(extent);
    assert_int_equal(te_bounds_range(b, i, NULL, &extent), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_bounds_range(b, i, &min, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_bounds_range(NULL, i, &min, &extent), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_bounds_range(b, NULL, &min, &extent), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_bounds_count(NULL), 0);
    assert_null(te_infer_bounds(NULL));
    te_context_destroy(c);
}

/* NULL, and an object of another kind. */
TEST_CASE(no_objects) {
    te_context *c = context_with(NULL);
    for (int k = 0; k < 2; k++) {
        void *none = k ? (void *)c : NULL;
        te_expr *min, *extent;
        te_axis_marks marks;
        te_relation relation;
        assert_null(te_axis_name(none));
        assert_int_equal(te_axis_extent(none), -1);
        assert_int_equal(te_axis_kind_of(none), TE_AXIS_DATA);
        assert_int_equal(te_axis_range(none, &min, &extent), VTA_INVALID_ARGUMENT);
        assert_null(te_tensor_name(none));
        assert_null(te_tensor_tag(none));
        assert_null(te_tensor_body(none));
        assert_null(te_tensor_dtype(c, none));
        assert_null(te_tensor_stmt(none));
        assert_int_equal(te_tensor_dim(none, 0), -1);
        assert_int_equal(te_tensor_ndim(none) + te_tensor_index(none) + te_tensor_outputs(none) + te_tensor_axes(none),
                         0);
        assert_int_equal(
            te_tensor_reduce_axes(none) + te_tensor_inputs(c, none) + te_scan_body(none) + te_scan_columns(none), 0);
        assert_false(te_tensor_is_placeholder(none) || te_tensor_is_scan(none) || te_tensor_is_extern(none));
        assert_null(te_expr_dtype(c, none));
        assert_null(te_expr_kind(none));
        assert_null(te_expr_name(none));
        assert_null(te_expr_tensor(none));
        assert_int_equal(te_expr_operands(none) + te_expr_axes(none), 0);
        assert_true(te_expr_float(none) == 0);
        assert_null(te_stage_name(none));
        assert_null(te_stage_scope(none));
        assert_null(te_stage_tensor(none));
        assert_null(te_stage_attached_to(none));
        assert_null(te_stage_attached_at(none));
        assert_false(te_stage_is_output(none));
        assert_int_equal(te_stage_attachment(none), TE_COMPUTED_AT_ROOT);
        assert_int_equal(te_stage_axes(none) + te_stage_leaves(none) + te_stage_all(none) + te_stage_relations(none),
                         0);
        assert_int_equal(te_stage_relation(none, 0, &relation), VTA_INVALID_ARGUMENT);
        assert_int_equal(te_stage_marks(none, none, &marks), VTA_INVALID_ARGUMENT);
        assert_int_equal(te_schedule_stages(none) + te_schedule_groups(none), 0);
        assert_null(te_schedule_stage_at(none, 0));
        assert_null(te_schedule_context(none));
        assert_null(te_buffer_name(none));
        assert_int_equal(te_buffer_ndim(none), 0);
        assert_null(te_buffer_data(none));
        assert_null(te_buffer_offset(none));
        assert_null(te_buffer_stride(none, 0));
    }
    vta_config *config = vta_config_default();
    te_context *other = (te_context *)(void *)config;
    assert_null(te_context_config(other));
    assert_null(te_context_diag(other));
    assert_int_equal(te_context_status(other), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_context_bytes(other), 0);
    te_context_interrupt(other, true);
    te_context_destroy(other);
    vta_config_release(config);
    assert_fine(c);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
