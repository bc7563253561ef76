/* What keeps loops from being an intrinsic, word for word, and what they are where nothing does. */
#include "te_test.h"

/* y of `definition`, which reads a and maybe b, and an intrinsic `in` of `what`, which reads p and q. */
typedef struct fixture {
    te_context *c;
    te_tensor *a, *b, *y;
    te_schedule *s;
    te_stage *st;
    te_intrin *in;
} fixture;

static fixture make(const char *definition, const char *what) {
    fixture f = {.c = context_with(NULL)};
    te_context *c = f.c;
    f.a = te_placeholder(c, "a", "int32", 2, (int64_t[]){8, 8});
    f.b = te_placeholder(c, "b", "int32", 1, (int64_t[]){8});
    te_placeholder(c, "p", "int32", 1, (int64_t[]){4});
    te_placeholder(c, "q", "int32", 2, (int64_t[]){2, 4});
    te_tensor *computed = te_define(c, what);
    f.in = te_intrin_create(c, "in", computed);
    te_expr *access = te_intrin_access(f.in, computed, "w");
    for (int part = TE_INTRIN_BODY; part <= TE_INTRIN_UPDATE; part++)
        te_intrin_emit(f.in, (te_intrin_part)part, te_call(c, "int32", "run", 1, &access));
    f.y = te_define(c, definition);
    f.s = te_schedule_create(c, 1, &f.y);
    f.st = te_schedule_stage(f.s, f.y);
    assert_fine(c);
    return f;
}

static void destroy(fixture *f) { te_context_destroy(f->c); }

/* Loop `at` is the intrinsic, and then lowering says this and nothing else. */
static void assert_says(fixture *f, size_t at, const char *message) {
    vta_diag_entry e;
    assert_int_equal(te_tensorize(f->st, te_stage_leaf(f->st, at), f->in), VTA_OK);
    assert_null(lower(f->s, 3, (te_tensor *[]){f->a, f->b, f->y}));
    assert_int_equal(vta_diag_get(te_context_diag(f->c), 0, &e), VTA_OK);
    assert_string_equal(e.message, message);
    assert_int_equal(te_context_status(f->c), VTA_ILLEGAL);
}

TEST_CASE(refused) {
    static const struct {
        const char *definition, *what;
        size_t at;
        const char *message;
    } rows[] = {
        {"y[i: 8, j: 4] = a[i, j] + b[j]", "r[j: 4] = p[j] + q[0, j] + q[1, j]", 1,
         "cannot tensorize y at j with in: the intrinsic reads 2 x 4 of q, but the loops from j inwards read 4 of b; "
         "split "
         "or reorder until the inner loops are those of the intrinsic"},
        {"y[i: 8, j: 4] = a[j * 2, i]", "r[j: 4] = q[0, j] + q[1, j]", 1,
         "cannot tensorize y at j with in: the intrinsic reads 2 x 4 of q, but the loops from j inwards read 7 x 1 of "
         "a; split "
         "or reorder until the inner loops are those of the intrinsic"},
        /* one dimension that does not fit: the first, the last, and one before those of the intrinsic */
        {"y[j: 4] = b[j * 2]", "r[j: 4] = p[j]", 0,
         "cannot tensorize y at j with in: the intrinsic reads 4 of p, but the loops from j inwards read 7 of b; "
         "split or reorder until the inner loops are those of the intrinsic"},
        {"y[j: 4] = a[0, j * 2] + a[1, j * 2]", "r[j: 4] = q[0, j] + q[1, j]", 0,
         "cannot tensorize y at j with in: the intrinsic reads 2 x 4 of q, but the loops from j inwards read 2 x 7 of "
         "a; "
         "split or reorder until the inner loops are those of the intrinsic"},
        {"y[j: 4] = a[0, j] + a[2, j]", "r[j: 4] = q[0, j] + q[1, j]", 0,
         "cannot tensorize y at j with in: the intrinsic reads 2 x 4 of q, but the loops from j inwards read 3 x 4 of "
         "a; "
         "split or reorder until the inner loops are those of the intrinsic"},
        {"y[j: 4] = a[j, j]", "r[j: 4] = p[j]", 0,
         "cannot tensorize y at j with in: the intrinsic reads 4 of p, but the loops from j inwards read 4 x 4 of a; "
         "split or reorder until the inner loops are those of the intrinsic"},
        {"y[i: 8, j: 4] = a[i, j] + b[j]", "r[j: 4] = p[j]", 1,
         "cannot tensorize y at j with in: the intrinsic has 1 inputs and 1 outputs, y has 2 and 1"},
        {"y[j: 4] = b[j]", "r[i: 4, j: 4] = p[j]", 0,
         "cannot tensorize y at j with in: the intrinsic has 2 data axes, y only 1"},
        {"y[j: 4] = b[j]", "r[j: 4] = sum[k: 4](p[k])", 0,
         "cannot tensorize y at j with in: the intrinsic has 1 reduce axes, y only 0"},
        {"y[i: 8, j: 4] = b[j]", "r[j: 4] = p[j]", 0,
         "cannot tensorize y at i with in: inside it the data axis i of y runs over 8, but the intrinsic takes one "
         "step of it; "
         "move its loop outside of i"},
        {"y[j: 8] = b[j]", "r[j: 4] = p[j]", 0,
         "cannot tensorize y at j with in: inside it the data axis j of y runs over 8, but the intrinsic needs 4; "
         "split it by "
         "4, and keep the inner part inside of j"},
        {"y[j: 4] = int8(b[j])", "r[j: 4] = p[j]", 0,
         "cannot tensorize y at j with in: y has elements of type int8, the intrinsic gives int32"},
        {"y[i: 8] = max[k: 4](b[k])", "r[i: 1] = sum[k: 4](p[k])", 1,
         "cannot tensorize y at k with in: y is not a reduction of the kind that the intrinsic computes"},
        {"y[i: 8] = sum[k: 4](b[k])", "r[i: 1] = p[0] + p[1] + p[2] + p[3]", 1,
         "cannot tensorize y at k with in: inside it the reduce axis k of y runs over 4, but the intrinsic takes one "
         "step of "
         "it; move its loop outside of k"},
        {"y[i: 8] = sum[k: 4](b[k], 5)", "r[i: 1] = sum[k: 4](p[k], 6)", 1,
         "cannot tensorize y at k with in: its body computes 5 where the intrinsic computes 6"},
        {"y[j: 4] = b[j + 2] * 3", "r[j: 4] = p[j] * 5", 0,
         "cannot tensorize y at j with in: its body computes (p[j]*3) where the intrinsic computes (p[j]*5)"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        fixture f = make(rows[r].definition, rows[r].what);
        assert_says(&f, rows[r].at, rows[r].message);
        destroy(&f);
    }
}

/* Loops that an intrinsic cannot stand for because of what was done to them. */
TEST_CASE(refused_loops) {
    te_axis *outer, *inner;
    fixture f = make("y[i: 2, j: 4] = b[j]", "r[i: 2, j: 4] = p[j]");
    te_bind(f.st, te_stage_leaf(f.st, 1), te_thread_axis(f.c, "cthread"));
    assert_says(&f, 0, "cannot tensorize y at i with in: the loop j inside it is bound to thread cthread");
    destroy(&f);

    f = make("y[j: 7] = b[j]", "r[j: 4] = p[j]"); /* parts of 4 and 3: the second would have a condition inside */
    te_split_sizes(f.st, te_stage_leaf(f.st, 0), 2, (int64_t[]){4, 3}, &outer, &inner);
    assert_says(
        &f, 1,
        "cannot tensorize y at j.inner with in: the loops inside it need the condition tir.likely((j.inner < "
        "tir.if_then_else((j.outer <= 0), 4, 3))), since a split does not divide its axis; choose a factor that does");
    destroy(&f);

    f = make("y[j: 7] = b[j]", "r[j: 4] = p[j]");
    te_split(f.st, te_stage_leaf(f.st, 0), 4, &outer, &inner);
    assert_says(
        &f, 1,
        "axis j of y is split by 4, which does not divide its 7 steps, and the loop j.inner that in replaces can have "
        "no tail: choose a factor that divides 7");
    destroy(&f);
}

/* What is computed depends on the loops outside as they are in the code: threads, and numbers where a loop has one
 * step.
 */
TEST_CASE(refused_for_outer_loops) {
    fixture f = make("y[g: 1, h: 2, i: 8, j: 4] = b[j] * (g * 50 + h * 10 + i)", "r[j: 4] = p[j] * 5");
    assert_says(&f, 3,
                "cannot tensorize y at j with in: its body computes (p[j]*((h*10) + i)) where the intrinsic computes "
                "(p[j]*5)");
    destroy(&f);

    f = make("y[h: 2, i: 8, j: 4] = b[j] * (h * 10 + i)", "r[j: 4] = p[j] * 5");
    te_bind(f.st, te_stage_leaf(f.st, 0), te_thread_axis(f.c, "cthread"));
    te_bind(f.st, te_stage_leaf(f.st, 1), te_thread_axis(f.c, "threadIdx.x"));
    assert_says(&f, 2,
                "cannot tensorize y at j with in: its body computes (p[j]*((cthread*10) + threadIdx.x)) where the "
                "intrinsic computes (p[j]*5)");
    destroy(&f);
}

/* Begin and extent that were given. */
typedef struct range {
    vta_status status;
    te_expr *min, *extent;
} range;

static range of_axis(const te_matching *m, size_t axis) {
    range r;
    r.status = te_tensorized_axis(m, axis, &r.min, &r.extent);
    return r;
}

static range of_input(const te_matching *m, size_t input, size_t dim) {
    range r;
    r.status = te_tensorized_input(m, input, dim, &r.min, &r.extent);
    return r;
}

static void assert_range(te_context *c, range r, const char *text) {
    char got[100];
    assert_int_equal(r.status, VTA_OK);
    snprintf(got, sizeof got, "%s, %s", te_expr_text(c, r.min), te_expr_text(c, r.extent));
    assert_string_equal(got, text);
}

/* Axes and inputs that the intrinsic takes some of, body by body; nothing is told of others, and of no matching. */
TEST_CASE(looked_at) {
    fixture f = make("y[h: 2, i: 6, j: 8] = a[i, j] - b[j]", "r[i: 2, j: 4] = q[i, j] - p[j]");
    te_axis *parts[2], *rest[2];
    for (size_t n = 0; n < 2; n++) te_split(f.st, te_stage_axis(f.st, n + 1), n ? 4 : 2, &parts[n], &rest[n]);
    te_reorder(f.st, 4, (te_axis *[]){parts[0], parts[1], rest[0], rest[1]});
    te_tensorize(f.st, rest[0], f.in);
    te_matching *m = te_tensorized(f.st);
    te_expr *min, *extent;
    assert_fine(f.c);
    static const char *const axes[] = {"h, 1", "(i.outer*2), 2", "(j.outer*4), 4"};
    for (size_t n = 0; n < 3; n++) assert_range(f.c, of_axis(m, n), axes[n]);
    for (size_t d = 0; d < 2; d++) assert_range(f.c, of_input(m, 0, d), axes[1 + d]);
    assert_range(f.c, of_input(m, 1, 0), axes[2]);
    assert_string_equal(te_expr_text(f.c, te_tensorized_body(m, 0)), "(q[i, j] - p[j])");
    assert_null(te_tensorized_body(m, 1));
    assert_null(te_tensorized_body(NULL, 0));
    assert_int_equal(of_axis(m, 3).status, VTA_OUT_OF_RANGE);
    assert_int_equal(of_input(m, 2, 0).status, VTA_OUT_OF_RANGE);
    assert_int_equal(of_input(m, 1, 1).status, VTA_OUT_OF_RANGE);
    for (int missing = 0; missing < 3; missing++) {
        te_matching *of = missing == 0 ? NULL : m;
        te_expr **begin = missing == 1 ? NULL : &min, **size = missing == 2 ? NULL : &extent;
        assert_int_equal(te_tensorized_axis(of, 0, begin, size), VTA_INVALID_ARGUMENT);
        assert_int_equal(te_tensorized_input(of, 0, 0, begin, size), VTA_INVALID_ARGUMENT);
    }
    assert_fine(f.c);
    destroy(&f);
}

/* A reduction whose outer loop stays: what is left of it in the intrinsic's terms, with the start of the sum. */
TEST_CASE(rest_of_a_reduction) {
    fixture f = make("y[i: 8] = sum[k: 8](a[i, k] * 2)", "r[i: 1] = sum[k: 4](p[k] * 2)");
    te_axis *inner;
    te_split(f.st, te_stage_leaf(f.st, 1), 4, NULL, &inner);
    assert_int_equal(te_tensorize(f.st, inner, f.in), VTA_OK);
    te_matching *m = te_tensorized(f.st);
    assert_fine(f.c);
    assert_non_null(m);
    const char *text = te_expr_text(f.c, te_tensorized_body(m, 0));
    assert_string_equal(text, "reduce(combiner=comm_reducer(result=[(x + y)], lhs=[x], rhs=[y], identity_element=[0]), "
                              "source=[(p[k]*2)], init=[], axis=[iter_var(k, range(min=0, ext=4))], where=(bool)1, "
                              "value_index=0)");
    assert_non_null(lower(f.s, 2, (te_tensor *[]){f.a, f.y}));
    assert_fine(f.c);
    destroy(&f);
}

int main(void) { return run_cases(); }
