/* A reduction in two stages: the loops of both, with what was said of them; what is refused. */
#include "te_test.h"

/* y[i] = sum[k, l](a[i, k, l]) */
typedef struct fixture {
    te_context *c;
    te_tensor *a, *y;
    te_schedule *s;
    te_stage *st;
    te_axis *i, *k, *l;
} fixture;

static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    f.a = te_placeholder(f.c, "a", "int32", 3, (int64_t[]){8, 12, 6});
    f.y = te_define(f.c, "y[i: 8] = sum[k: 12, l: 6](a[i, k, l])");
    f.s = te_schedule_create(f.c, 1, &f.y);
    f.st = te_schedule_stage(f.s, f.y);
    f.i = te_stage_axis(f.st, 0);
    f.k = te_stage_axis(f.st, 1);
    f.l = te_stage_axis(f.st, 2);
    assert_fine(f.c);
    return f;
}

static void assert_leaves(te_stage *st, const char *expected) {
    char text[256] = "";
    for (size_t i = 0; i < te_stage_leaves(st); i++) {
        if (i) strcat(text, " ");
        strcat(text, te_axis_name(te_stage_leaf(st, i)));
    }
    assert_string_equal(text, expected);
}

/* The reduction of one part of k for each value of k.inner; l stays as it was split and marked. */
TEST_CASE(two_stages) {
    for (int at = -2; at < 2; at++) {
        fixture f = make();
        te_axis *inner, *lo, *li, *io, *ii;
        te_axis_marks marks = {.size = sizeof marks};
        te_split(f.st, f.k, 3, NULL, &inner);
        te_split(f.st, f.l, 4, &lo, &li);
        te_split(f.st, f.i, 2, &io, &ii);
        te_unroll(f.st, li);
        te_parallel(f.st, io);
        te_tensor *first = te_rfactor(f.s, f.y, inner, at);
        assert_fine(f.c);
        assert_string_equal(te_tensor_name(first), "y.rf");
        bool behind = at == -1 || at == 1; /* the new axis after i, else before it */
        assert_int_equal(te_tensor_dim(first, 0), behind ? 8 : 3);
        assert_int_equal(te_tensor_dim(first, 1), behind ? 3 : 8);
        assert_int_equal(te_tensor_ndim(first), 2);
        te_stage *one = te_schedule_stage(f.s, first);
        assert_leaves(one, behind ? "i k.inner k.outer l.outer l.inner" : "k.inner i k.outer l.outer l.inner");
        assert_leaves(f.st, "i.outer i.inner k.inner.v");
        assert_int_equal(te_stage_marks(one, li, &marks), VTA_OK);
        assert_string_equal(marks.type, "Unrolled");
        assert_int_equal(te_stage_marks(one, io, &marks), VTA_NOT_FOUND);
        assert_int_equal(te_stage_marks(f.st, io, &marks), VTA_OK);
        assert_string_equal(marks.type, "Parallelized");
        assert_int_equal(te_stage_relations(one), 1);
        assert_int_equal(te_stage_relations(f.st), 1);
        assert_int_equal(te_stage_all(one), 6);  /* k.inner, i, k.outer, and l with its parts */
        assert_int_equal(te_stage_all(f.st), 4); /* i with its parts, and k.inner.v */
        assert_string_equal(te_axis_name(te_stage_all_axis(f.st, 1)), "k.inner.v");
        assert_ptr_equal(te_schedule_stage_at(f.s, 1), one);
        assert_ptr_equal(te_schedule_stage_at(f.s, 2), f.st);
        char *text = nest_text(f.c, lower(f.s, 2, (te_tensor *[]){f.a, f.y}));
        assert_fine(f.c);
        assert_int_equal(
            count_of(text, behind ? "y.rf[i, k.inner] = (y.rf[i, k.inner] + a[i, (k.inner + (k.outer*3)), (l.inner + "
                                    "(l.outer*4))])"
                                  : "y.rf[k.inner, i] = (y.rf[k.inner, i] + a[i, (k.inner + (k.outer*3)), (l.inner + "
                                    "(l.outer*4))])"),
            1);
        assert_int_equal(count_of(text, "if @tir.likely(((l.inner + (l.outer*4)) < 6), dtype=bool)"), 1);
        assert_int_equal(count_of(text, "\"unrolled\""), 1);
        assert_int_equal(count_of(text, "\"parallel\""), 1);
        assert_int_equal(
            count_of(text, behind ? "(y[(i.inner + (i.outer*2))] + y.rf[(i.inner + (i.outer*2)), k.inner.v])"
                                  : "(y[(i.inner + (i.outer*2))] + y.rf[k.inner.v, (i.inner + (i.outer*2))])"),
            1);
        free(text);
        te_context_destroy(f.c);
    }
}

/* Where nothing is left to reduce, the first stage has the values, and 0 past the last of them. */
TEST_CASE(all_of_it) {
    te_context *c = context_with(NULL);
    te_placeholder(c, "a", "int32", 1, (int64_t[]){7});
    te_tensor *y = te_define(c, "y[i: 2] = sum[k: 7](a[k] + i)");
    te_schedule *s = te_schedule_create(c, 1, &y);
    te_stage *st = te_schedule_stage(s, y);
    te_axis *outer, *inner, *fused;
    te_split(st, te_stage_axis(st, 1), 4, &outer, &inner);
    te_fuse(st, 2, (te_axis *[]){outer, inner}, &fused);
    te_tensor *first = te_rfactor(s, y, fused, 0);
    assert_fine(c);
    assert_int_equal(te_tensor_dim(first, 0), 8);
#define K "(floormod(k.outer.k.inner.fused, 4) + (floordiv(k.outer.k.inner.fused, 4)*4))"
    assert_string_equal(te_expr_text(c, te_tensor_body(first)), "tir.if_then_else((" K " < 7), (a[" K "] + i), 0)");
    te_context_destroy(c);
}

/* One part of k is the new axis, the other is fused with l: what is fused goes along, as a loop of the first stage. */
TEST_CASE(fused_with_another) {
    fixture f = make();
    te_axis *outer, *inner, *fused, *lo, *li;
    te_split(f.st, f.k, 3, &outer, &inner);
    te_fuse(f.st, 2, (te_axis *[]){inner, f.l}, &fused);
    te_split(f.st, fused, 5, &lo, &li);
    te_tensor *first = te_rfactor(f.s, f.y, outer, 0);
    assert_fine(f.c);
    assert_int_equal(te_tensor_dim(first, 0), 4);
    assert_leaves(te_schedule_stage(f.s, first), "k.outer i k.inner.l.fused.outer k.inner.l.fused.inner");
    assert_leaves(f.st, "i k.outer.v");
    char *text = nest_text(f.c, lower(f.s, 2, (te_tensor *[]){f.a, f.y}));
    assert_fine(f.c);
#define L "(k.inner.l.fused.inner + (k.inner.l.fused.outer*5))"
    assert_int_equal(count_of(text, "a[i, (floordiv(" L ", 6) + (k.outer*3)), floormod(" L ", 6)]"), 1);
#undef L
    free(text);
    te_context_destroy(f.c);
}

TEST_CASE(refused) {
    fixture f = make();
    te_context *c = f.c;
    assert_null(te_rfactor(f.s, f.a, f.k, 0));
    assert_refused(c, VTA_ILLEGAL, "cannot rfactor a: it is not a reduction");
    assert_null(te_rfactor(f.s, f.y, f.i, 0));
    assert_refused(c, VTA_ILLEGAL, "cannot rfactor y at i: it is not made of reduce axes only; its loops are i, k, l");
    assert_null(te_rfactor(f.s, f.y, f.k, 2));
    assert_refused(c, VTA_OUT_OF_RANGE, "cannot rfactor y: the new axis goes to a place from -2 to 1, not to 2");
    assert_null(te_rfactor(f.s, f.y, f.k, -3));
    assert_refused(c, VTA_OUT_OF_RANGE, "cannot rfactor y: the new axis goes to a place from -2 to 1, not to -3");
    assert_null(te_rfactor(NULL, f.y, f.k, 0));
    te_axis *fused, *other = te_reduce_axis(c, "other", 0, 4);
    assert_null(te_rfactor(f.s, f.y, other, 0));
    assert_refused(c, VTA_ILLEGAL, "cannot rfactor y at other: it is no loop of the stage; its loops are i, k, l");
    te_tensorize(f.st, f.l, NULL);
    assert_null(te_rfactor(f.s, f.y, f.k, 0));
    assert_refused(c, VTA_ILLEGAL, "cannot rfactor y at k: the stage is tensorized; its loops are i, k, l");
    te_context_destroy(c);
    f = make();
    te_fuse(f.st, 2, (te_axis *[]){f.i, f.k}, &fused);
    assert_null(te_rfactor(f.s, f.y, f.l, 0));
    assert_refused(
        f.c, VTA_ILLEGAL,
        "cannot rfactor y at l: a data axis and a reduce axis of the stage are fused; its loops are i.k.fused, l");
    te_context_destroy(f.c);
}

int main(void) { return run_cases(); }
