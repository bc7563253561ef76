/* Computations that call an intrinsic at each point: their loops and parts as text, and what is refused. */
#include "te_test.h"
#include "vta/te_stmt.h"

/* An intrinsic that adds the products of p[4] and w[4], by a scalar; y[i, 1] calls it for rows of a[8, 12] and b[12].
 */
typedef struct fixture {
    te_context *c;
    te_tensor *p, *w, *a, *b;
    te_intrin *in;
    te_expr *scalar, *begin[3], *extent[3], *one, *value;
    te_axis *i, *k;
    te_region regions[2];
    te_intrin_call call;
} fixture;

static void make(fixture *f, bool reset, bool body) {
    *f = (fixture){.c = context_with(NULL)};
    te_context *c = f->c;
    f->p = te_placeholder(c, "p", "int32", 1, (int64_t[]){4});
    f->w = te_placeholder(c, "w", "int32", 1, (int64_t[]){4});
    f->a = te_placeholder(c, "a", "int32", 2, (int64_t[]){8, 12});
    f->b = te_placeholder(c, "b", "int32", 1, (int64_t[]){12});
    te_tensor *sum = te_define(c, "q[one: 1] = sum[k: 4](p[k] * w[k])");
    f->in = te_intrin_create(c, "dot", sum);
    f->scalar = te_scalar(c, "by", "int32");
    te_expr *args[] = {te_intrin_access(f->in, sum, "w"), f->scalar, te_intrin_access(f->in, f->p, "r")};
    if (body) te_intrin_emit(f->in, TE_INTRIN_BODY, te_call(c, "int32", "begin", 3, args));
    if (reset) te_intrin_emit(f->in, TE_INTRIN_RESET, te_call(c, "int32", "zero", 1, args));
    te_intrin_emit(f->in, TE_INTRIN_UPDATE, te_call(c, "int32", "more", 3, args));
    f->i = te_axis_create(c, "i", 8);
    f->k = te_reduce_axis(c, "ko", 0, 3);
    te_expr *four = te_int(c, "int32", 4);
    f->one = te_int(c, "int32", 1);
    f->value = te_int(c, "int32", 77);
    f->begin[0] = te_axis_value(c, f->i);
    f->begin[1] = te_mul(c, te_axis_value(c, f->k), four);
    f->extent[0] = f->one;
    f->extent[1] = four;
    f->regions[0] = (te_region){f->a, f->begin, f->extent};
    f->regions[1] = (te_region){f->b, f->begin + 1, f->extent + 1};
    f->call = (te_intrin_call){.size = sizeof f->call,
                               .intrin = f->in,
                               .axis_count = 1,
                               .axes = &f->i,
                               .inner_count = 1,
                               .inner = &f->one,
                               .reduce_axis_count = 1,
                               .reduce_axes = &f->k,
                               .region_count = 2,
                               .regions = f->regions,
                               .scalar_count = 1,
                               .scalars = &f->scalar,
                               .values = &f->value};
    assert_fine(c);
}

static char *text_of(fixture *f, te_schedule *s, te_tensor *y) {
    const vt_func *func = lower(s, 3, (te_tensor *[]){f->a, f->b, y});
    assert_fine(f->c);
    return nest_text(f->c, func);
}

TEST_CASE(loops) {
    for (int reset = 0; reset < 2; reset++) {
        fixture f;
        te_tensor *y;
        make(&f, reset, true);
        assert_int_equal(te_compute_intrin(f.c, "y", &f.call, &y), VTA_OK);
        assert_int_equal(te_tensor_ndim(y), 2);
        assert_int_equal(te_tensor_dim(y, 0), 8);
        assert_int_equal(te_tensor_dim(y, 1), 1);
        assert_int_equal(te_tensor_axes(y), 2);
        assert_string_equal(te_axis_name(te_tensor_axis(y, 1)), "ax0");
        assert_int_equal(te_tensor_reduce_axes(y), 1);
        assert_string_equal(te_tensor_tag(y), "");
        assert_true(te_tensor_is_extern(y));
        te_schedule *s = te_schedule_create(f.c, 1, &y);
        te_expr *min, *extent;
        assert_int_equal(te_bounds_range(te_infer_bounds(s), te_tensor_axis(y, 1), &min, &extent), VTA_OK);
        assert_string_equal(te_expr_text(f.c, extent), "1");
        char *text = text_of(&f, s, y);
        assert_int_equal(count_of(text, "for (i: int32, 0, 8)"), 1);
        assert_int_equal(count_of(text, "for (ko: int32, 0, 3)"), 1);
        assert_int_equal(count_of(text, "@tir.tvm_tuple(i, 1, (ko*4), 4, dtype=handle)"), reset ? 1 : 2);
        assert_int_equal(count_of(text, "\"zero\""), reset);
        assert_int_equal(count_of(text, "\"begin\""), !reset);
        assert_int_equal(count_of(text, "\"more\""), 1);
        assert_int_equal(count_of(text, ", 77, "), reset ? 1 : 2); /* the scalar's value, in the body and the update */
        assert_int_equal(count_of(text, "if (ko > 0)"), !reset);
        assert_int_equal(count_of(text, "extern_scope"), 0); /* only te_extern has one */
        free(text);
        te_context_destroy(f.c);
    }
}

/* It is computed in the cache, and copied element by element. */
TEST_CASE(cached) {
    fixture f;
    te_tensor *y;
    make(&f, true, false);
    f.call.tag = "tagged";
    assert_int_equal(te_compute_intrin(f.c, "y", &f.call, &y), VTA_OK);
    assert_string_equal(te_tensor_tag(y), "tagged");
    te_schedule *s = te_schedule_create(f.c, 1, &y);
    te_tensor *cache = te_cache_write(s, y, "acc");
    assert_fine(f.c);
    assert_string_equal(te_tensor_name(cache), "y.local.acc_buffer");
    assert_true(te_tensor_is_extern(cache));
    char *text = text_of(&f, s, y);
    assert_int_equal(count_of(text, "for (i.c: int32, 0, 8)"), 1);
    assert_int_equal(count_of(text, "@tir.tvm_tuple(i.c, 1, (ko*4), 4, dtype=handle)"), 1);
    assert_int_equal(count_of(text, "[i, 0] = y.local.acc_buffer[i, 0]"), 1);
    assert_int_equal(count_of(text, "\"zero\""), 1);
    free(text);
    te_schedule *split = te_schedule_create(f.c, 1, &y);
    te_stage *st = te_schedule_stage(split, y);
    te_split(st, te_stage_axis(st, 0), 2, NULL, NULL);
    assert_null(te_cache_write(split, y, "acc"));
    assert_refused(f.c, VTA_ILLEGAL,
                   "cannot cache_write y, which an intrinsic computes, after its loops were split or fused");
    assert_int_equal(te_tensorize(st, te_stage_leaf(st, 0), NULL), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "cannot tensorize y: it consists of statements");
    assert_int_equal(te_compute_inline(te_schedule_stage(s, cache)), VTA_ILLEGAL);
    assert_refused(f.c, VTA_ILLEGAL, "cannot compute_inline y.local.acc_buffer: it is a reduction");
    te_context_destroy(f.c);
}

static void assert_no(fixture *f, const char *message) {
    te_tensor *y = f->a;
    vta_diag_entry e;
    te_compute_intrin(f->c, "y", &f->call, &y);
    assert_int_equal(vta_diag_get(te_context_diag(f->c), 0, &e), VTA_OK);
    assert_string_equal(e.message, message);
    vta_diag_clear(te_context_diag(f->c));
}

TEST_CASE(refused) {
    fixture f;
    make(&f, true, true);
    te_expr *half = te_float(f.c, "float32", 0.5), *three = te_int(f.c, "int32", 3);
    static const char shape[] =
        "y: %s is given to dot for its operand %s, which has another type or other extents: its last "
        "dimensions must be those of the operand, and those before of extent 1";
    char said[300];
    f.begin[1] = half;
    assert_no(&f, "y: a part of a begins, and ends, at integers of type int32 or int64");
    f.begin[1] = three;
    f.extent[1] = half;
    assert_no(&f, "y: a part of a begins, and ends, at integers of type int32 or int64");
    f.extent[1] = three;
    snprintf(said, sizeof said, shape, "a", "p");
    assert_no(&f, said);
    f.extent[1] = te_int(f.c, "int32", 4);
    f.extent[0] = three;
    assert_no(&f, said);
    f.extent[0] = f.one;
    f.regions[1].extents = f.extent;
    snprintf(said, sizeof said, shape, "b", "w");
    assert_no(&f, said);
    f.regions[1].extents = f.extent + 1;
    f.call.inner = &three;
    snprintf(said, sizeof said, shape, "its result", "q");
    assert_no(&f, said);
    f.call.inner = &f.one;
    f.call.region_count = 1;
    assert_no(&f, "y: dot has 2 operands that it reads, but 1 are given");
    f.call.region_count = 2;
    f.call.axes = &f.k;
    assert_no(&f, "axis ko of y is not a data axis");
    f.call.axes = &f.i;
    f.call.reduce_axes = &f.i;
    assert_no(&f, "axis i of y is not a reduce axis");
    f.call.reduce_axes = &f.k;
    f.call.scalars = &f.one;
    assert_no(&f, "y: a scalar of dot is made by te_scalar");
    f.call.scalars = &f.scalar;
    f.call.intrin = (te_intrin *)(void *)f.a;
    assert_no(&f, "a tensor is given where an intrinsic is expected");
    te_context_destroy(f.c);
    make(&f, false, false);
    assert_no(&f, "y: the intrinsic dot lacks a body or a reset part");
    f.call.reduce_axis_count = 0;
    assert_no(&f, "y: the intrinsic dot lacks a body part");
    assert_int_equal(te_compute_intrin(f.c, "y", NULL, &f.a), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_compute_intrin(f.c, "y", &f.call, NULL), VTA_INVALID_ARGUMENT);
    te_context_destroy(f.c);
}

int main(void) { return run_cases(); }
