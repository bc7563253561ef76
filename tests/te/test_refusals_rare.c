/* Refusals that few programs come by: options of another library, reductions in casts, scans, threads of unknown
 * number, and what has no value by definition. */
#include "te_test.h"
#include "vta/te_stmt.h"

TEST_CASE(options) {
    te_context *c = context_with(NULL);
    te_expr *four = te_int(c, "int32", 4);
    struct {
        te_buffer_options known;
        char more[8];
    } newer = {{.size = sizeof newer}, ""};
    te_buffer_options small = {.size = 1};
    assert_null(te_buffer_create(c, "b", "int8", 1, &four, &small));
    assert_refused(c, VTA_INVALID_ARGUMENT,
                   "te_buffer_options.size is 1: set it to sizeof(te_buffer_options), or to 0");
    assert_non_null(te_buffer_create(c, "b", "int8", 1, &four, &newer.known)); /* nothing is set that is not known */
    newer.more[3] = 1;
    assert_null(te_buffer_create(c, "b", "int8", 1, &four, &newer.known));
    assert_refused(c, VTA_UNSUPPORTED, "the caller was built for a newer one");
    assert_non_null(te_buffer_create(c, "b", "int8", 1, &four, NULL)); /* and the context goes on */
    assert_fine(c);
    te_context_destroy(c);
}

TEST_CASE(casts) {
    te_context *c = context_with(NULL);
    te_placeholder(c, "a", "int8", 1, (int64_t[]){4});
    assert_null(te_define(c, "y[i: 4] = int32(sum[k: 4](a[k]))"));
    assert_refused(c, VTA_INVALID_ARGUMENT,
                   "1:11: error: a reduction cannot be cast: cast inside it, or make it a tensor");
    assert_non_null(te_define(c, "y[i: 4] = sum[k: 4](int32(a[k]))"));
    assert_fine(c);
    te_context_destroy(c);
}

/* A number that depends on a state has no rows in which it could be computed. */
TEST_CASE(scans) {
    te_context *c = context_with(NULL);
    te_tensor *rows = te_placeholder(c, "rows", "int32", 2, (int64_t[]){6, 3}), *number, *out;
    te_expr *zero = te_int(c, "int32", 0), *corner = te_load(c, rows, 2, (te_expr *[]){zero, zero});
    assert_int_equal(te_compute_axes(c, "corner", NULL, 0, NULL, 1, &corner, &number), VTA_OK);
    te_tensor *first = te_define(c, "first[t: 1, i: 3] = 0"), *next;
    te_axis *axes[] = {te_axis_create(c, "t", 6), te_axis_create(c, "i", 3)};
    te_expr *at[] = {te_sub(c, te_axis_value(c, axes[0]), te_int(c, "int32", 1)), te_axis_value(c, axes[1])};
    te_expr *body = te_add(c, te_load(c, rows, 2, at), te_load(c, number, 0, NULL));
    assert_int_equal(te_compute_axes(c, "next", NULL, 2, axes, 1, &body, &next), VTA_OK);
    assert_fine(c);
    assert_int_equal(te_scan(c, "s", NULL, 1, &first, &next, &rows, &out), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "corner, inside of the scan s, has no rows");
    te_context_destroy(c);
}

/* Virtual threads are written out one by one: how many is known when it is lowered. A loop need not know. */
TEST_CASE(threads) {
    for (int bound = 0; bound < 2; bound++) {
        te_context *c = context_with(NULL);
        te_expr *n = te_scalar(c, "n", "int32");
        te_tensor *x = te_placeholder_expr(c, "x", "int32", 1, &n), *y;
        te_axis *i = te_axis_create_expr(c, "i", n);
        te_expr *at = te_axis_value(c, i), *body = te_add(c, te_load(c, x, 1, &at), at);
        assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &body, &y), VTA_OK);
        te_schedule *s = te_schedule_create(c, 1, &y);
        te_stage *st = te_schedule_stage(s, y);
        if (bound) assert_int_equal(te_bind(st, te_stage_axis(st, 0), te_thread_axis(c, "vthread")), VTA_OK);
        const vt_func *f = lower(s, 2, (te_tensor *[]){x, y});
        assert_int_equal(f == NULL, bound);
        char *text = take_messages(c);
        assert_string_equal(text, bound ? "error: y.i is bound to vthread, but its extent n is not a constant" : "");
        free(text);
        te_context_destroy(c);
    }
}

/* What only the host has a meaning for has no value by definition. */
TEST_CASE(values) {
    te_context *c = context_with(NULL);
    te_expr *one = te_int(c, "int32", 1), *text = te_string(c, "f"), *both[] = {text, one};
    te_axis *i = te_axis_create(c, "i", 4);
    const struct {
        te_expr *e;
        const char *why;
    } rows[] = {{te_call(c, "int32", "call_pure_extern", 2, both), "tir.call_pure_extern cannot be evaluated"},
                {te_call(c, "int32", "reinterpret", 1, &one), "tir.reinterpret cannot be evaluated"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        te_tensor *y;
        te_expr *body = rows[r].e;
        int32_t out[4] = {7, 7, 7, 7};
        assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &body, &y), VTA_OK);
        assert_int_equal(te_evaluate(c, y, 0, NULL, NULL, out), VTA_UNSUPPORTED);
        assert_refused(c, VTA_UNSUPPORTED, rows[r].why);
    }
    for (int k = 0; k < 2; k++) { /* and elements are single numbers */
        te_expr *body = k ? te_ramp(c, one, one, 4) : te_broadcast(c, one, 4);
        te_tensor *y = NULL;
        assert_int_equal(te_compute_axes(c, "y", NULL, 1, &i, 1, &body, &y), VTA_INVALID_ARGUMENT);
        assert_refused(c, VTA_INVALID_ARGUMENT,
                       "an element of y would be of type int32x4: elements are single numbers");
        assert_null(y);
    }
    te_context_destroy(c);
}

/* A cache is read by somebody who reads what it holds. */
TEST_CASE(caches) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){4});
    te_tensor *x = te_define(c, "x[i: 4] = a[i] + 1"), *y = te_define(c, "y[i: 4] = x[i] * 2");
    te_schedule *s = te_schedule_create(c, 1, &y);
    assert_null(te_cache_read(s, y, "acc", 0, NULL));
    assert_refused(c, VTA_ILLEGAL, "cannot cache_read y: nothing reads it");
    assert_null(te_cache_read(s, a, "acc", 2, (te_tensor *[]){x, y}));
    assert_refused(c, VTA_ILLEGAL, "cannot cache_read a for y: y does not read it");
    assert_int_equal(te_schedule_stages(s), 3); /* nothing was changed */
    assert_non_null(te_cache_read(s, x, "acc", 0, NULL));
    assert_int_equal(te_schedule_stages(s), 4);
    assert_fine(c);
    te_context_destroy(c);
}

static vta_status lower_others(vt_ctx *ctx, void *arg) {
    const vt_te_arg *args = arg;
    (void)ctx;
    vt_te_lower((te_schedule *)args[2].tensor, 2, args, "main");
    return VTA_OK;
}

/* An argument that is neither a tensor nor a scalar; and places for the parts of an intrinsic's inputs that are none.
 */
TEST_CASE(others) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){4}), *y = te_define(c, "y[i: 4] = a[i] + 1");
    te_schedule *s = te_schedule_create(c, 1, &y);
    te_expr *one = te_int(c, "int32", 1), *access;
    vt_te_arg no_tensor[] = {{.tensor = a}, {.tensor = (te_tensor *)one}, {.tensor = (te_tensor *)s}};
    vt_te_arg no_scalar[] = {{.scalar = (te_expr *)a}, {.tensor = y}, {.tensor = (te_tensor *)s}};
    assert_int_equal(vt_protect(vt_te_ctx(c), lower_others, no_tensor), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "an expression is given where a tensor is expected");
    assert_int_equal(vt_protect(vt_te_ctx(c), lower_others, no_scalar), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "a tensor is given where a scalar is expected");
    te_placeholder(c, "p", "int32", 1, (int64_t[]){4});
    te_tensor *what = te_define(c, "q[k: 4] = p[k]"), *out = NULL;
    te_intrin *in = te_intrin_create(c, "copy", what);
    access = te_intrin_access(in, what, "w");
    te_intrin_emit(in, TE_INTRIN_BODY, te_call(c, "int32", "run", 1, &access));
    te_expr *four = te_int(c, "int32", 4);
    te_intrin_call call = {.intrin = in, .inner_count = 1, .inner = &four, .region_count = 1};
    assert_int_equal(te_compute_intrin(c, "z", &call, &out), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "NULL where a list is expected");
    assert_null(out);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
