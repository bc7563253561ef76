/* Schedules: what steps do to loops, what the loop nest becomes, what is refused. */
#include "te_test.h"

typedef struct fixture {
    te_context *c;
    te_tensor *a, *b, *d, *args[2];
    te_schedule *s;
} fixture;

/* a (input) -> b -> d (output), all 8 x 12. */
static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    int64_t shape[] = {8, 12};
    f.a = te_placeholder(f.c, "a", "int32", 2, shape);
    f.b = te_compute(f.c, "b", 2, shape, "i, j", "a[...] + 1");
    f.d = te_compute(f.c, "d", 2, shape, "i, j", "b[...] * 2");
    f.s = te_schedule_create(f.c, 1, &f.d);
    f.args[0] = f.a;
    f.args[1] = f.d;
    assert_fine(f.c);
    return f;
}

static void assert_leaves(te_stage *st, const char *expected) {
    char text[512] = "";
    for (size_t i = 0; i < te_stage_leaves(st); i++) {
        if (i) strcat(text, " ");
        strcat(text, te_axis_name(te_stage_leaf(st, i)));
    }
    assert_string_equal(text, expected);
}

TEST_CASE(loops) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_axis *i = te_stage_axis(st, 0), *j = te_stage_axis(st, 1), *o, *n, *fused, *tile[4];
    assert_leaves(st, "i j");
    assert_int_equal(te_split(st, j, 4, &o, &n), VTA_OK);
    assert_leaves(st, "i j.outer j.inner");
    assert_int_equal(te_reorder(st, 2, (te_axis *[]){n, i}), VTA_OK);
    assert_leaves(st, "j.inner j.outer i");
    assert_int_equal(te_fuse(st, 2, (te_axis *[]){o, i}, &fused), VTA_OK);
    assert_leaves(st, "j.inner j.outer.i.fused");
    assert_int_equal(te_tile(st, n, fused, 2, 3, tile), VTA_OK);
    assert_leaves(st, "j.inner.outer j.outer.i.fused.outer j.inner.inner j.outer.i.fused.inner");
    assert_ptr_equal(te_stage_axis_named(st, "j.inner.inner"), tile[2]);
    assert_ptr_equal(te_stage_axis_named(st, "j"), j);
    assert_int_equal(te_fuse(st, 0, NULL, &fused), VTA_OK);
    assert_string_equal(te_axis_name(te_stage_leaf(st, 0)), "singleton");
    assert_fine(f.c);
    te_context_destroy(f.c);
}

/* A refused step changes nothing. */
TEST_CASE(refused_steps) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d), *b = te_schedule_stage(f.s, f.b);
    te_axis *i = te_stage_axis(st, 0), *j = te_stage_axis(st, 1), *o, *n;
    assert_int_equal(te_split(st, te_stage_axis(b, 0), 2, &o, &n), VTA_ILLEGAL);
    assert_null(o);
    assert_refused(f.c, VTA_ILLEGAL, "cannot split d.i: the axis does not belong to d, whose loops are i, j");
    assert_int_equal(te_reorder(st, 3, (te_axis *[]){j, i, j}), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "axis j is given twice");
    assert_int_equal(te_split(st, i, 2, &o, &n), VTA_OK);
    assert_int_equal(te_fuse(st, 3, (te_axis *[]){o, n, i}, NULL), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "the axis has already been split");
    assert_int_equal(te_bind(st, o, te_thread_axis(f.c, "cthread")), VTA_OK);
    assert_int_equal(te_split(st, o, 2, NULL, NULL), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "cannot split d.i.outer: it is bound to thread cthread");
    assert_int_equal(te_bind(st, o, te_thread_axis(f.c, "vthread")), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "already bound to cthread");
    assert_int_equal(te_bind(st, n, j), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "it is not a thread axis");
    assert_int_equal(te_compute_at(b, b, te_stage_axis(b, 0)), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "at its own loop");
    assert_int_equal(te_compute_inline(te_schedule_stage(f.s, f.a)), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "it is an input and is not computed; use cache_read");
    assert_int_equal(te_tensorize(st, j, NULL), VTA_OK);
    assert_int_equal(te_tensorize(st, n, NULL), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "d is already tensorized at j");
    assert_int_equal(te_pragma(st, j, "no pragma", NULL), VTA_INVALID_ARGUMENT);
    assert_refused(f.c, VTA_INVALID_ARGUMENT, "is not a name for a pragma");
    assert_leaves(st, "i.outer i.inner j");
    assert_null(te_schedule_stage(f.s, te_placeholder(f.c, "other", "int8", 1, (int64_t[]){1})));
    assert_refused(f.c, VTA_NOT_FOUND, "the schedule has no stage for other");
    assert_int_equal(te_split(NULL, j, 2, NULL, NULL), VTA_INVALID_ARGUMENT);
    te_context_destroy(f.c);
}

/* What became of an axis is told even where others went another way. */
TEST_CASE(replaced_axes_are_told) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_axis *i = te_stage_axis(st, 0), *j = te_stage_axis(st, 1), *outer, *inner;
    te_split(st, i, 2, &outer, &inner);
    te_fuse(st, 2, (te_axis *[]){inner, j}, NULL);
    assert_fine(f.c);
    te_split(st, i, 2, NULL, NULL);
    assert_refused(f.c, VTA_ILLEGAL, "cannot split d.i: the axis has already been split");
    te_split(st, j, 2, NULL, NULL);
    assert_refused(f.c, VTA_ILLEGAL, "cannot split d.j: the axis has already been fused");
    te_split(st, inner, 2, NULL, NULL);
    assert_refused(f.c, VTA_ILLEGAL, "cannot split d.i.inner: the axis has already been fused");
    te_context_destroy(f.c);
}

TEST_CASE(copies) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_compute_at(te_schedule_stage(f.s, f.b), st, te_stage_axis(st, 0));
    te_schedule *copy = te_schedule_copy(f.s);
    te_stage *other = te_schedule_stage(copy, f.d);
    assert_ptr_not_equal(other, st);
    te_split(other, te_stage_axis(other, 1), 4, NULL, NULL);
    assert_leaves(st, "i j");
    assert_leaves(other, "i j.outer j.inner");
    assert_non_null(lower(copy, 2, f.args));
    assert_non_null(lower(f.s, 2, f.args));
    assert_fine(f.c);
    te_context_destroy(f.c);
}

static void assert_nest(fixture *f, const char *expected) {
    const vt_func *func = lower(f->s, 2, f->args);
    assert_fine(f->c);
    char *text = nest_text(f->c, func);
    char *flat = calloc(1, strlen(text) + 1), *to = flat;
    for (const char *p = text; *p; p++) { /* one line, one blank, no types of tensors */
        static const char type[] = ": DataProducer(";
        if (strncmp(p, type, sizeof type - 1) == 0) p = strchr(p, ')') + 1;
        char ch = *p == '\n' ? ' ' : *p;
        if (ch != ' ' || (to > flat && to[-1] != ' ')) *to++ = ch;
    }
    while (to > flat && to[-1] == ' ') *--to = 0;
    if (!strstr(flat, expected)) fail_msg("expected\n%s\nin\n%s", expected, flat);
    free(text);
    free(flat);
}

TEST_CASE(split_that_divides) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_split(st, te_stage_axis(st, 1), 4, NULL, NULL);
    assert_nest(&f, "for (i: int32, 0, 8) { for (j.outer: int32, 0, 3) { for (j.inner: int32, 0, 4) { "
                    "d[i, (j.inner + (j.outer*4))] = ((a[i, (j.inner + (j.outer*4))] + 1)*2) } } }");
    te_context_destroy(f.c);
}

TEST_CASE(split_that_does_not) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_split_nparts(st, te_stage_axis(st, 1), 5, NULL, NULL);
    assert_nest(&f,
                "for (j.outer: int32, 0, 5) { for (j.inner: int32, 0, 3) { if @tir.likely(((j.inner + (j.outer*3)) < "
                "12), dtype=bool) { d[i, (j.inner + (j.outer*3))] =");
    te_context_destroy(f.c);
}

TEST_CASE(computed_at) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d), *b = te_schedule_stage(f.s, f.b);
    te_compute_at(b, st, te_stage_axis(st, 0));
    te_set_scope(b, "local");
    assert_nest(&f,
                "for (i: int32, 0, 8) { producer_realize(b, [i:(i + 1), 0:12], True, "
                "local { for (j: int32, 0, 12) { b[i, j] = (a[i, j] + 1) } for (j_1: int32, 0, 12) { d[i, j_1] = (b[i, "
                "j_1]*2) } }) }");
    te_context_destroy(f.c);
}

TEST_CASE(annotated) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_axis *o, *n;
    te_split(st, te_stage_axis(st, 1), 4, &o, &n);
    te_parallel(st, te_stage_axis(st, 0));
    te_unroll(st, o);
    te_vectorize(st, n);
    te_pragma(st, o, "note", te_int(f.c, "int32", 7));
    assert_nest(&f,
                "for (i: int32, 0, 8) \"parallel\" { attr [IterVar(j.outer: int32, (nullptr), \"DataPar\", \"\")] "
                "\"pragma_note\" = 7; for (j.outer, 0, 3) \"unrolled\" { for (j.inner: int32, 0, 4) \"vectorized\" {");
    te_context_destroy(f.c);
}

TEST_CASE(reductions) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){8, 12});
    te_tensor *m = te_define(c, "m[i: 8] = max[k: 12](a[i, k])");
    fixture f = {.c = c, .args = {a, m}, .s = te_schedule_create(c, 1, &m)};
    te_stage *st = te_schedule_stage(f.s, m);
    te_axis *i = te_stage_axis(st, 0), *k = te_stage_axis(st, 1), *ko, *ki;
    te_split(st, k, 4, &ko, &ki);
    te_reorder(st, 3, (te_axis *[]){ko, i, ki});
    assert_nest(
        &f, "for (i.init: int32, 0, 8) { m[i.init] = -2147483648 } for (k.outer: int32, 0, 3) { for (i: int32, 0, 8) "
            "{ for (k.inner: int32, 0, 4) { m[i] = max(m[i], a[i, (k.inner + (k.outer*4))]) } } }");
    te_context_destroy(c);
}

TEST_CASE(fused_and_thread) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_axis *fused, *o, *n;
    te_fuse(st, 2, (te_axis *[]){te_stage_axis(st, 0), te_stage_axis(st, 1)}, &fused);
    te_split_nparts(st, fused, 2, &o, &n);
    te_bind(st, o, te_thread_axis(f.c, "cthread"));
    assert_nest(&f,
                "attr [IterVar(cthread: int32, (nullptr), \"ThreadIndex\", \"cthread\")] \"virtual_thread\" = 2; for "
                "(i.j.fused.inner: int32, 0, 48) { d[floordiv((i.j.fused.inner + (cthread*48)), 12), "
                "floormod((i.j.fused.inner + (cthread*48)), 12)] =");
    te_context_destroy(f.c);
}

TEST_CASE(cache_reads) {
    fixture f = make();
    te_tensor *copy = te_cache_read(f.s, f.a, "acc", 0, NULL);
    assert_string_equal(te_tensor_name(copy), "a.local.acc_buffer");
    assert_int_equal(te_schedule_stages(f.s), 4);
    assert_ptr_equal(te_schedule_stage_at(f.s, 1), te_schedule_stage(f.s, copy));
    te_stage *st = te_schedule_stage(f.s, f.b);
    te_compute_at(te_schedule_stage(f.s, copy), st, te_stage_axis(st, 0));
    assert_nest(
        &f,
        "a.local.acc_buffer[i, ax1] = a[i, ax1] } for (j: int32, 0, 12) { b[i, j] = (a.local.acc_buffer[i, j] + 1)");
    te_context_destroy(f.c);
}

/* A stage within a fused loop: one element is needed at a time, of both axes. */
TEST_CASE(compute_at_a_fused_axis) {
    fixture f = make();
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_axis *fused;
    te_fuse(st, 2, (te_axis *[]){te_stage_axis(st, 0), te_stage_axis(st, 1)}, &fused);
    te_compute_at(te_schedule_stage(f.s, f.b), st, fused);
    assert_nest(&f, "realize(b, [floordiv(i.j.fused, 12):(floordiv(i.j.fused, 12) + 1), "
                    "floormod(i.j.fused, 12):(floormod(i.j.fused, 12) + 1)]");
    te_context_destroy(f.c);
}

/* A stage within parts of 5 and 7: as much as the larger one, from where the part begins; within its loop an element.
 */
#define BEGIN "@tir.if_then_else((j.outer <= 0), 0, 5, dtype=int32)"
TEST_CASE(compute_at_parts) {
    for (int within = 0; within < 2; within++) {
        fixture f = make();
        te_stage *st = te_schedule_stage(f.s, f.d);
        te_axis *parts[2];
        te_split_sizes(st, te_stage_axis(st, 1), 2, (int64_t[]){5, 7}, &parts[0], &parts[1]);
        te_compute_at(te_schedule_stage(f.s, f.b), st, parts[within]);
        assert_nest(&f, within ? "realize(b, [i:(i + 1), (" BEGIN " + j.inner):((" BEGIN " + j.inner) + 1)], True, {"
                               : "realize(b, [i:(i + 1), " BEGIN ":(" BEGIN " + 7)], True, { for (j: int32, 0, 7) {");
        assert_nest(&f,
                    "if @tir.likely((j.inner < @tir.if_then_else((j.outer <= 0), 5, 7, dtype=int32)), dtype=bool) { "
                    "d[i, (j.inner + " BEGIN ")] = (b[i, (j.inner + " BEGIN ")]*2)");
        te_context_destroy(f.c);
    }
}

/* A stage within stretches of two fused loops: of 4, which lie in one row of 12, and of 5, which may lie in two. */
TEST_CASE(compute_at_stretches) {
    for (int size = 4; size < 6; size++) {
        fixture f = make();
        te_stage *st = te_schedule_stage(f.s, f.d);
        te_axis *fused, *outer;
        te_fuse(st, 2, (te_axis *[]){te_stage_axis(st, 0), te_stage_axis(st, 1)}, &fused);
        te_split(st, fused, size, &outer, NULL);
        te_compute_at(te_schedule_stage(f.s, f.b), st, outer);
        assert_nest(&f, size == 4
                            ? "realize(b, [floordiv(i.j.fused.outer, 3):(floordiv(i.j.fused.outer, 3) + 1), "
                              "(floormod(i.j.fused.outer, 3)*4):((floormod(i.j.fused.outer, 3)*4) + 4)], True, {"
                            : "realize(b, [floordiv((i.j.fused.outer*5), 12):(floordiv((i.j.fused.outer*5), 12) + "
                              "(floordiv((floormod((i.j.fused.outer*5), 12) + 4), 12) + 1)), 0:12], True, {");
        te_context_destroy(f.c);
    }
}

TEST_CASE(cache_writes) {
    fixture f = make();
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_split(st, te_stage_axis(st, 1), 4, NULL, NULL); /* the cache's layout follows the loops */
    te_tensor *cache = te_cache_write(f.s, f.d, "acc");
    assert_fine(f.c);
    assert_int_equal(te_tensor_ndim(cache), 3);
    assert_leaves(st, "i j");
    assert_nest(&f, "d.local.acc_buffer[i.c, j.outer.c, j.inner.c] = ((a[i.c, (j.inner.c + (j.outer.c*4))] + 1)*2)");
    assert_nest(&f, "d[i, j] = d.local.acc_buffer[i, floordiv(j, 4), floormod(j, 4)]");
    te_context_destroy(f.c);
}

TEST_CASE(cache_writes_after_every_axis_was_split) {
    fixture f = make();
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_stage *st = te_schedule_stage(f.s, f.d);
    for (size_t i = 0; i < 2; i++) te_split(st, te_stage_axis(st, i), 4, NULL, NULL);
    assert_int_equal(te_tensor_ndim(te_cache_write(f.s, f.d, "acc")), 4);
    assert_nest(&f, "= ((a[(i.inner.c + (i.outer.c*4)), (j.inner.c + (j.outer.c*4))] + 1)*2)");
    assert_nest(&f, "d[i, j] = d.local.acc_buffer[floordiv(i, 4), floormod(i, 4), floordiv(j, 4), floormod(j, 4)]");
    te_context_destroy(f.c);
}

/* Where a split does not divide, the cache is longer than the result: every axis has its condition. */
TEST_CASE(cache_writes_after_uneven_splits) {
    fixture f = make();
    te_compute_inline(te_schedule_stage(f.s, f.b));
    te_stage *st = te_schedule_stage(f.s, f.d);
    te_split(st, te_stage_axis(st, 0), 3, NULL, NULL);
    te_split(st, te_stage_axis(st, 1), 5, NULL, NULL);
    assert_int_equal(te_tensor_ndim(te_cache_write(f.s, f.d, "acc")), 4);
    assert_nest(&f, "= select((((i.inner.c + (i.outer.c*3)) < 8) && ((j.inner.c + (j.outer.c*5)) < 12)), "
                    "((a[(i.inner.c + (i.outer.c*3)), (j.inner.c + (j.outer.c*5))] + 1)*2), 0)");
    assert_nest(&f, "d[i, j] = d.local.acc_buffer[floordiv(i, 3), floormod(i, 3), floordiv(j, 5), floormod(j, 5)]");
    te_context_destroy(f.c);
}

/* The same for a sum: the condition is the reduction's, beside the one that it has. */
TEST_CASE(cache_writes_of_sums_after_uneven_splits) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){8, 12});
    te_tensor *y = te_define(c, "y[i: 8] = sum[k: 12](a[i, k])");
    fixture f = {.c = c, .args = {a, y}, .s = te_schedule_create(c, 1, &y)};
    te_stage *st = te_schedule_stage(f.s, y);
    te_split(st, te_stage_axis(st, 0), 3, NULL, NULL);
    assert_non_null(te_cache_write(f.s, y, "acc"));
    assert_nest(&f, "{ if ((i.inner.c + (i.outer.c*3)) < 8) { y.local.acc_buffer[i.outer.c, i.inner.c] = "
                    "(y.local.acc_buffer[i.outer.c, i.inner.c] + a[(i.inner.c + (i.outer.c*3)), k]) } }");
    te_context_destroy(c);
}

/* Two stages that read one input, one of them through the other: the copy is read by both. */
TEST_CASE(cache_read_of_shared_input) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){8});
    te_tensor *x = te_define(c, "x like a = a[...] + 1");
    te_tensor *y = te_define(c, "y like a = x[...] * a[...]");
    te_tensor *z = te_define(c, "z like a = y[...] - x[...]");
    fixture f = {.c = c, .args = {a, z}, .s = te_schedule_create(c, 1, &z)};
    te_cache_read(f.s, a, "acc", 2, (te_tensor *[]){x, y});
    te_cache_read(f.s, x, "acc", 1, (te_tensor *[]){z});
    assert_nest(&f, "= (x[i0_1]*a.local.acc_buffer[i0_1])");
    assert_nest(&f, "= (y[i0_2] - x.local.acc_buffer[i0_2])");
    te_context_destroy(c);
}

TEST_CASE(arguments) {
    fixture f = make();
    assert_null(lower(f.s, 1, &f.d));
    assert_refused(f.c, VTA_INVALID_ARGUMENT, "a, an input of the schedule, is not among the arguments");
    assert_null(lower(f.s, 1, &f.a));
    assert_refused(f.c, VTA_INVALID_ARGUMENT, "d, an output of the schedule, is not among the arguments");
    assert_null(lower(f.s, 3, (te_tensor *[]){f.a, f.d, f.a}));
    assert_refused(f.c, VTA_INVALID_ARGUMENT, "argument a is given twice");
    te_context_interrupt(f.c, true);
    assert_null(lower(f.s, 2, f.args));
    assert_int_equal(te_context_status(f.c), VTA_INTERRUPTED);
    te_context_destroy(f.c);
}

/* Tensors of one context in computations of another. */
TEST_CASE(several_contexts) {
    vta_config *config = vta_config_default();
    te_context *first = te_context_create(config, NULL), *second = te_context_create(config, NULL);
    te_context *other = context_with("LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18");
    int64_t shape[] = {8};
    te_tensor *a = te_placeholder(first, "a", "float64", 1, shape);
    te_expr *third = te_float(first, NULL, 0.1); /* float32, with all its digits for where it meets a double */
    assert_null(te_schedule_create(second, 1, &a));
    assert_refused(second, VTA_INVALID_ARGUMENT, "a belongs to another context: te_context_use makes its objects");
    assert_int_equal(te_context_use(second, other), VTA_INVALID_ARGUMENT);
    assert_refused(second, VTA_INVALID_ARGUMENT, "a context uses those of its own configuration, not of another one");
    assert_int_equal(te_context_use(second, (te_context *)(void *)a), VTA_INVALID_ARGUMENT);
    assert_refused(second, VTA_INVALID_ARGUMENT, "what is to be used is not a context");
    assert_int_equal(te_context_use(NULL, first), VTA_INVALID_ARGUMENT);
    for (int i = 0; i < 2; i++) assert_int_equal(te_context_use(second, first), VTA_OK);

    te_axis *i = te_axis_create(second, "i", 8);
    te_expr *index = te_axis_value(second, i), *element = te_load(second, a, 1, &index);
    te_expr *body = te_apply(second, TE_MUL, 2, (te_expr *[]){element, third});
    te_tensor *d;
    assert_int_equal(te_compute_axes(second, "d", "", 1, &i, 1, &body, &d), VTA_OK);
    te_schedule *s = te_schedule_create(second, 1, &d);
    fixture f = {.c = second, .s = s, .args = {a, d}};
    assert_nest(&f, "= (a[i]*0.1f64)");
    te_context_destroy(second);
    te_context_destroy(first);
    te_context_destroy(other);
    vta_config_release(config);
}

static void assert_range(te_context *c, te_expr *min, te_expr *extent, const char *want_min, int64_t want_extent) {
    int64_t value;
    assert_string_equal(te_expr_text(c, min), want_min);
    assert_int_equal(te_expr_int(c, extent, &value), VTA_OK);
    assert_int_equal(value, want_extent);
}

/* Stage d of rows of 8 in parts of 4, each of which `sum` computes. */
static void check_matching(te_context *c, te_stage *st, te_tensor *sum) {
    te_matching *m = te_tensorized(st);
    te_expr *min, *extent;
    bool equal;
    assert_non_null(m);
    assert_int_equal(te_tensorized_axis(m, 0, &min, &extent), VTA_OK);
    assert_range(c, min, extent, "i0", 1);
    assert_int_equal(te_tensorized_axis(m, 1, &min, &extent), VTA_OK);
    assert_range(c, min, extent, "(i1.outer*4)", 4);
    assert_int_equal(te_tensorized_axis(m, 2, &min, &extent), VTA_OUT_OF_RANGE);
    assert_int_equal(te_tensorized_input(m, 1, 1, &min, &extent), VTA_OK);
    assert_range(c, min, extent, "(i1.outer*4)", 4);
    assert_int_equal(te_tensorized_input(m, 2, 0, &min, &extent), VTA_OUT_OF_RANGE);
    assert_int_equal(te_tensorized_input(m, 0, 2, &min, &extent), VTA_OUT_OF_RANGE);
    assert_int_equal(te_expr_equal(c, te_tensorized_body(m, 0), te_tensor_body(sum), false, &equal), VTA_OK);
    assert_true(equal);
    assert_null(te_tensorized_body(m, 1));
    assert_null(te_tensorized(NULL));
}

/* A user-defined intrinsic: adds two vectors of 4. */
TEST_CASE(own_intrinsic) {
    te_context *c = context_with(NULL);
    int64_t four[] = {4}, shape[] = {3, 8};
    te_tensor *p = te_placeholder(c, "p", "int32", 1, four), *q = te_placeholder(c, "q", "int32", 1, four);
    te_tensor *sum = te_define(c, "r[i: 4] = p[i] + q[i]");
    te_intrin *in = te_intrin_create(c, "add4", sum);
    te_expr *args[] = {te_intrin_access(in, sum, "w"), te_intrin_access(in, p, "r"), te_intrin_access(in, q, "r")};
    te_intrin_emit(in, TE_INTRIN_BODY, te_call(c, "int32", "add_four", 3, args));
    te_tensor *a = te_placeholder(c, "a", "int32", 2, shape), *b = te_placeholder(c, "b", "int32", 2, shape);
    te_tensor *d = te_define(c, "d like a = a[...] + b[...]");
    te_schedule *s = te_schedule_create(c, 1, &d);
    te_stage *st = te_schedule_stage(s, d);
    te_axis *inner;
    te_split(st, te_stage_axis(st, 1), 4, NULL, &inner);
    te_tensorize(st, inner, in);
    assert_fine(c);
    const vt_func *f = lower(s, 3, (te_tensor *[]){a, b, d});
    assert_fine(c);
    char *text = nest_text(c, f);
    assert_int_equal(count_of(text, "buffer_bind_scope"), 3);
    assert_non_null(strstr(text, "@tir.tvm_tuple(i0: int32, 1, (i1.outer: int32*4), 4, dtype=handle)")
                        ? text
                        : strstr(text, "@tir.tvm_tuple(i0, 1, (i1.outer*4), 4, dtype=handle)"));
    assert_int_equal(count_of(text, "@tir.call_extern(\"add_four\""), 1);
    free(text);
    check_matching(c, st, sum);
    te_schedule *other = te_schedule_create(c, 1, &d);
    st = te_schedule_stage(other, d);
    assert_null(te_tensorized(st));
    assert_refused(c, VTA_INVALID_ARGUMENT, "te_tensorized: no loop of d is tensorized");
    te_tensorize(st, te_stage_axis(st, 1), in);
    assert_null(te_tensorized(st));
    assert_refused(c, VTA_ILLEGAL, "runs over 8, but the intrinsic needs 4");
    assert_null(lower(other, 3, (te_tensor *[]){a, b, d}));
    assert_refused(c, VTA_ILLEGAL, "runs over 8, but the intrinsic needs 4");
    te_context_destroy(c);
}

/* The GEMM intrinsic follows the configuration; the context may hold several kernels. */
TEST_CASE(gemm_of_configurations) {
    static const char *const changes[] = {NULL, "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", "LOG_BLOCK=5",
                                          "LOG_BATCH=2 LOG_BLOCK=3", "LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        te_context *c = context_with(changes[i]);
        const vta_config *config = te_context_config(c);
        int64_t b = vta_config_batch(config), n = vta_config_block_in(config), m = vta_config_block_out(config);
        te_tensor *x = te_placeholder(c, "x", "inp_t", 2, (int64_t[]){b, n});
        te_tensor *w = te_placeholder(c, "w", "wgt_t", 2, (int64_t[]){m, n});
        te_tensor *y = te_define(c, "y[p: BATCH, q: BLOCK_OUT] = sum[k: BLOCK_IN](acc_t(x[p, k]) * acc_t(w[q, k]))");
        te_schedule *s = te_schedule_create(c, 1, &y);
        te_stage *st = te_schedule_stage(s, y);
        te_tensorize(st, te_stage_axis(st, 0), NULL);
        te_tensor *args[] = {x, w, y};
        const vt_func *f = lower(s, 3, args);
        assert_fine(c);
        char *text = nest_text(c, f);
        assert_int_equal(count_of(text, "@tir.vta.uop_push"), 2); /* the reset, and what adds to it */
        free(text);
        te_context_destroy(c);
    }
}

int main(void) { return run_cases(); }
