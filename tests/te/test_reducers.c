/* Reducers: what they compute by definition, and what is refused. How schedules treat them is in test_random.c. */
#include "reducers.h"

enum { ROWS = 3, COLUMNS = 7 };

/* A row's product, sum and exclusive or, its complex product with the columns' numbers, and the place of its largest.
 */
static void expected(uint32_t which, const int32_t *row, int32_t out[RESULTS_MAX]) {
    uint32_t one = which == 0 || which == 3, other = 0;
    int32_t place = INT32_MAX, most = INT32_MIN;
    for (int k = 0; k < COLUMNS; k++) {
        uint32_t v = (uint32_t)row[k], re = one * v - other * (uint32_t)k, im = one * (uint32_t)k + other * v;
        if (row[k] > most) place = k;
        if (row[k] > most) most = row[k];
        if (which == 3) one = re, other = im;
        if (which < 3) one = which == 0 ? one * v : which == 1 ? one + v : one ^ v;
    }
    out[0] = which == 4 ? most : (int32_t)one;
    out[1] = which == 4 ? place : (int32_t)other;
}

TEST_CASE(definitions) {
    int32_t data[ROWS][COLUMNS], got[ROWS], want[RESULTS_MAX];
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) data[i][k] = (i * 31 + k * k * 17 + 3) % 23 - 11;
    for (uint32_t which = 0; which < REDUCERS; which++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){ROWS, COLUMNS}), *out[RESULTS_MAX];
        te_axis *i = te_axis_create(c, "i", ROWS), *k = te_reduce_axis(c, "k", 0, COLUMNS);
        te_expr *at[] = {te_axis_value(c, i), te_axis_value(c, k)}, *results[RESULTS_MAX];
        te_expr *values[] = {te_load(c, a, 2, at), at[1]};
        size_t n;
        te_reducer *r = reducer_of(c, which, &n);
        assert_int_equal(te_reduce_with(c, r, values, NULL, NULL, 1, &k, results), VTA_OK);
        assert_int_equal(te_compute_axes(c, "b", NULL, 1, &i, n, results, out), VTA_OK);
        for (size_t o = 0; o < n; o++) {
            assert_int_equal(te_evaluate(c, out[o], 1, &a, (const void *[]){data}, got), VTA_OK);
            for (int row = 0; row < ROWS; row++) {
                expected(which, data[row], want);
                assert_int_equal(got[row], want[o]);
            }
        }
        te_context_destroy(c);
    }
}

typedef struct parts {
    te_context *c;
    te_expr *x, *y, *narrow, *element, *one;
    te_axis *i, *k;
} parts;

static parts new_parts(void) {
    parts p = {.c = context_with(NULL)};
    te_tensor *a = te_placeholder(p.c, "a", "int32", 1, (int64_t[]){COLUMNS});
    p.x = te_operand(p.c, "x", "int32");
    p.y = te_operand(p.c, "y", "int32");
    p.narrow = te_operand(p.c, "z", "int8");
    p.one = te_int(p.c, "int32", 1);
    p.i = te_axis_create(p.c, "i", ROWS);
    p.k = te_reduce_axis(p.c, "k", 0, COLUMNS);
    te_expr *at = te_axis_value(p.c, p.k);
    p.element = te_load(p.c, a, 1, &at);
    assert_fine(p.c);
    return p;
}

static void refused_reducer(const parts *p, te_expr *x, te_expr *y, te_expr *result, te_expr *identity,
                            const char *why) {
    assert_null(te_reducer_create(p->c, 1, &x, &y, &result, &identity));
    assert_refused(p->c, VTA_INVALID_ARGUMENT, why);
}

TEST_CASE(refused) {
    parts p = new_parts();
    te_expr *sum = te_add(p.c, p.x, p.y), *narrow = te_int(p.c, "int8", 1);
    refused_reducer(&p, p.x, sum, sum, p.one, "is made by te_operand");
    refused_reducer(&p, p.x, p.narrow, sum, p.one, "differ in type");
    refused_reducer(&p, p.x, p.x, p.x, p.one, "operand x of a reducer is given twice");
    refused_reducer(&p, p.x, p.y, narrow, p.one, "result 0 of a reducer is int8, but its operands are int32");
    refused_reducer(&p, p.x, p.y, sum, narrow, "identity 0 of a reducer is int8");
    refused_reducer(&p, p.x, p.y, sum, p.x, "identity 0 of a reducer uses x, which is one of its operands");
    refused_reducer(&p, p.x, p.y, p.element, p.one, "result 0 of a reducer reads a tensor");
    assert_null(te_reducer_create(p.c, 0, NULL, NULL, NULL, NULL));
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "has at least one result");
    te_reducer *r = te_reducer_create(p.c, 1, &p.x, &p.y, &sum, &p.one);
    te_expr *out, *byte = te_cast(p.c, "int8", p.element), *at = te_axis_value(p.c, p.k);
    assert_non_null(r);
    const struct {
        te_expr *value, *start, *where;
        size_t axes;
        const char *why;
    } calls[] = {{byte, NULL, NULL, 1, "value 0 of a reduction is int8, but its reducer combines int32"},
                 {p.element, at, NULL, 1, "may not use its reduce axis k"},
                 {p.element, NULL, at, 1, "the condition of a reduction is of type int32, not bool"},
                 {p.element, NULL, NULL, 0, "needs at least one axis"}};
    for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
        te_expr *start = calls[n].start;
        assert_int_equal(te_reduce_with(p.c, r, &(te_expr *){calls[n].value}, start ? &start : NULL, calls[n].where,
                                        calls[n].axes, &p.k, &out),
                         VTA_INVALID_ARGUMENT);
        assert_refused(p.c, VTA_INVALID_ARGUMENT, calls[n].why);
    }
    assert_int_equal(te_reduce_with(p.c, (te_reducer *)(void *)p.x, &p.element, NULL, NULL, 1, &p.k, &out),
                     VTA_INVALID_ARGUMENT);
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "where a reducer is expected");
    te_context_destroy(p.c);
}

/* An operand stands for one side of one value: none of three may be given twice, on whichever sides. */
TEST_CASE(operands_given_twice) {
    enum { VALUES = 3, SIDES = 2 * VALUES }; /* left and right of one value after the other */
    for (int one = 0; one < SIDES; one++)
        for (int other = one; other < SIDES; other++) { /* one == other: all of them differ */
            te_context *c = context_with(NULL);
            te_expr *given[SIDES], *left[VALUES], *right[VALUES], *results[VALUES], *identities[VALUES];
            for (int i = 0; i < SIDES; i++) given[i] = te_operand(c, (char[]){(char)('p' + i), 0}, "int32");
            given[other] = given[one];
            for (int k = 0; k < VALUES; k++) {
                left[k] = given[2 * k];
                right[k] = given[2 * k + 1];
                results[k] = te_add(c, left[k], right[k]);
                identities[k] = te_int(c, "int32", 0);
            }
            te_reducer *r = te_reducer_create(c, VALUES, left, right, results, identities);
            if (!r != (one != other)) fail_msg("%d as %d", other, one);
            char text[] = "operand ? of a reducer is given twice";
            text[8] = (char)('p' + one);
            if (!r) assert_refused(c, VTA_INVALID_ARGUMENT, text);
            te_context_destroy(c);
        }
}

/* An operand has no meaning outside of its reducer; a part of a reduction's results is no computation. */
TEST_CASE(misplaced) {
    parts p = new_parts();
    te_tensor *out[RESULTS_MAX];
    assert_int_equal(te_compute_axes(p.c, "b", NULL, 1, &p.i, 1, &p.x, out), VTA_INVALID_ARGUMENT);
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "the body of b uses x, which is neither one of its axes nor a scalar");
    size_t n;
    te_reducer *r = reducer_of(p.c, 4, &n);
    te_expr *values[] = {p.element, p.element}, *results[RESULTS_MAX];
    assert_int_equal(te_reduce_with(p.c, r, values, NULL, NULL, 1, &p.k, results), VTA_OK);
    te_expr *swapped[] = {results[1], results[0]};
    assert_int_equal(te_compute_axes(p.c, "b", NULL, 1, &p.i, 1, results, out), VTA_INVALID_ARGUMENT);
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "b has 1 bodies, but its reduction has 2 results");
    assert_int_equal(te_compute_axes(p.c, "b", NULL, 1, &p.i, 2, swapped, out), VTA_INVALID_ARGUMENT);
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "the results of one reduction in their order");
    te_context_destroy(p.c);
}

/* What combines may depend on the axes of the computation: not on other axes, not on what is reduced over. */
TEST_CASE(with_an_axis) {
    parts p = new_parts();
    te_expr *i = te_axis_value(p.c, p.i), *k = te_axis_value(p.c, p.k), *reduced;
    te_expr *result = te_add(p.c, te_add(p.c, p.x, p.y), i), *wrong = te_add(p.c, te_add(p.c, p.x, p.y), k);
    te_tensor *out;
    te_reducer *r = te_reducer_create(p.c, 1, &p.x, &p.y, &wrong, &p.one);
    assert_int_equal(te_reduce_with(p.c, r, &p.element, NULL, NULL, 1, &p.k, &reduced), VTA_INVALID_ARGUMENT);
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "may not depend on its reduce axis k");
    r = te_reducer_create(p.c, 1, &p.x, &p.y, &result, &i);
    assert_int_equal(te_reduce_with(p.c, r, &p.element, NULL, NULL, 1, &p.k, &reduced), VTA_OK);
    te_axis *other = te_axis_create(p.c, "j", ROWS);
    assert_int_equal(te_compute_axes(p.c, "b", NULL, 1, &other, 1, &reduced, &out), VTA_INVALID_ARGUMENT);
    assert_refused(p.c, VTA_INVALID_ARGUMENT, "the body of b uses i, which is neither one of its axes nor a scalar");
    assert_int_equal(te_compute_axes(p.c, "b", NULL, 1, &p.i, 1, &reduced, &out), VTA_OK);
    te_schedule *s = te_schedule_create(p.c, 1, &out);
    assert_null(te_rfactor(s, out, p.k, 0));
    assert_refused(p.c, VTA_UNSUPPORTED, "cannot rfactor b: its reducer uses the axis i");
    te_expr *left[] = {p.x, te_operand(p.c, "u", "int32")}, *right[] = {p.y, te_operand(p.c, "v", "int32")};
    te_expr *results[] = {result, te_add(p.c, left[1], right[1])}, *identities[] = {p.one, p.one};
    assert_null(te_reducer_create(p.c, 2, left, right, results, identities));
    assert_refused(p.c, VTA_UNSUPPORTED, "a reducer of several results cannot use an axis, as this one does with i");
    te_context_destroy(p.c);
}

TEST_CASE(factoring_refused) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){ROWS, COLUMNS});
    te_axis *k = te_reduce_axis(c, "k", 0, COLUMNS);
    te_tensor *b = te_define(c, "b[i: 3] = sum[k](a[i, k])");
    te_schedule *s = te_schedule_create(c, 1, &b);
    te_stage *st = te_schedule_stage(s, b);
    assert_null(te_rfactor(s, a, k, 0));
    assert_refused(c, VTA_ILLEGAL, "cannot rfactor a: it is not a reduction");
    assert_null(te_rfactor(s, b, te_stage_axis(st, 0), 0));
    assert_refused(c, VTA_ILLEGAL, "it is not made of reduce axes only");
    assert_null(te_rfactor(s, b, k, 2));
    assert_refused(c, VTA_OUT_OF_RANGE, "to a place from -2 to 1, not to 2");
    te_axis *outer;
    assert_int_equal(te_split(st, k, 2, &outer, NULL), VTA_OK);
    assert_null(te_rfactor(s, b, k, 0));
    assert_refused(c, VTA_ILLEGAL, "it is no loop of the stage; its loops are i, k.outer, k.inner");
    assert_int_equal(te_schedule_stages(s), 2);
    assert_non_null(te_rfactor(s, b, outer, -1));
    assert_int_equal(te_schedule_stages(s), 3);
    assert_fine(c);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
