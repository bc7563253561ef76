/* What calls with wrong arguments say, word for word, and that they give nothing: those that no other test comes by. */
#include "te_test.h"
#include "vta/te_stmt.h"

/* The last call was refused with one message, which is this one. */
static void assert_says(te_context *c, vta_status status, const char *message) {
    vta_diag_entry e;
    assert_int_equal(te_context_status(c), status);
    assert_int_equal(vta_diag_count(te_context_diag(c)), 1);
    assert_int_equal(vta_diag_get(te_context_diag(c), 0, &e), VTA_OK);
    assert_int_equal(e.status, status);
    assert_string_equal(e.message, message);
    vta_diag_clear(te_context_diag(c));
}

/* A call that gives an object, and one that gives a status. */
#define NOTHING(error, call, message)                                                                                  \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        assert_says(c, error, message);                                                                                \
    } while (0)
#define FAILS(error, call, message)                                                                                    \
    do {                                                                                                               \
        assert_int_equal(call, error);                                                                                 \
        assert_says(c, error, message);                                                                                \
    } while (0)

static te_expr *list2[2];
static te_expr **two(te_expr *a, te_expr *b) {
    list2[0] = a;
    list2[1] = b;
    return list2;
}

TEST_CASE(values) {
    te_context *c = context_with(NULL);
    te_expr *one = te_int(c, "int32", 1), *text = te_string(c, "t"), *half = te_float(c, "float32", 0.5);
    te_expr *yes = te_apply(c, TE_LT, 2, two(one, te_int(c, "int32", 2))), *x = te_scalar(c, "x", "int32");
    te_axis *k = te_reduce_axis(c, "k", 0, 4), *i = te_axis_create(c, "i", 4), *out[2];
    te_expr *pair = te_broadcast(c, x, 2);
    int64_t number = 5;
    char unknown[60];
    assert_fine(c);
    NOTHING(VTA_OUT_OF_RANGE, te_int(c, "int8", 128), "128 does not fit int8, which has -128 to 127");
    NOTHING(VTA_OUT_OF_RANGE, te_int(c, "int8", -129), "-129 does not fit int8, which has -128 to 127");
    NOTHING(VTA_OUT_OF_RANGE, te_int(c, "uint8", -1), "-1 does not fit uint8, which has 0 to 255");
    assert_string_equal(te_expr_text(c, te_int(c, "int8", -128)), "(int8)-128");
    assert_string_equal(te_expr_text(c, te_int(c, "int8", 127)), "(int8)127");
    assert_string_equal(te_expr_text(c, te_int(c, "uint8", 255)), "(uint8)255");
    NOTHING(VTA_INVALID_ARGUMENT, te_int(c, "handle", 1), "a number is no handle");
    NOTHING(VTA_OUT_OF_RANGE, te_float(c, "int32", 1.5), "1.5 does not fit int32");
    NOTHING(VTA_OUT_OF_RANGE, te_float(c, "int64", 1e19), "1e+19 does not fit int64");
    NOTHING(VTA_OUT_OF_RANGE, te_float(c, "int64", -1e19), "-1e+19 does not fit int64");
    assert_string_equal(te_expr_text(c, te_float(c, "int32", -3)), "-3");
    assert_int_equal(te_expr_int(c, te_float(c, "int64", 0x1p62), &number), VTA_OK);
    assert_int_equal(number, INT64_C(1) << 62);
    assert_int_equal(te_expr_int(c, te_float(c, "int64", -0x1p62), &number), VTA_OK);
    assert_int_equal(number, -(INT64_C(1) << 62));
    FAILS(VTA_INVALID_ARGUMENT, te_expr_int(c, x, &number), "the expression is not an integer constant");
    assert_int_equal(number, 0);
    NOTHING(VTA_INVALID_ARGUMENT, te_scalar(c, "v", "int32x4"), "a scalar cannot be of type int32x4: it is one number");
    snprintf(unknown, sizeof unknown, "there is no operator %d", TE_OP_COUNT);
    NOTHING(VTA_INVALID_ARGUMENT, te_apply(c, TE_OP_COUNT, 2, two(one, one)), unknown);
    NOTHING(VTA_INVALID_ARGUMENT, te_apply(c, TE_FLOORDIV, 1, &one), "// takes 2 operands, not 1");
    NOTHING(VTA_INVALID_ARGUMENT, te_add(c, text, one), "the operand of + is not a number");
    NOTHING(VTA_INVALID_ARGUMENT, te_cast(c, "int8", text), "only a number can be cast to int8, and no reduction");
    NOTHING(VTA_INVALID_ARGUMENT, te_cast(c, "int8", te_reduce(c, TE_SUM, x, 1, &k)),
            "only a number can be cast to int8, and no reduction");
    NOTHING(VTA_INVALID_ARGUMENT, te_cast(c, "handle", one), "a value of type int32 cannot be cast to handle");
    NOTHING(VTA_INVALID_ARGUMENT, te_cast(c, "int32x4", pair), "a value of type int32x2 cannot be cast to int32x4");
    assert_string_equal(te_expr_dtype(c, te_cast(c, "int32x4", one)), "int32x4");
    assert_string_equal(te_expr_dtype(c, te_cast(c, "int8x2", pair)), "int8x2");
    NOTHING(VTA_INVALID_ARGUMENT, te_call(c, "int32", "shift_left", 1, &one), "shift_left takes 2 arguments, not 1");
    NOTHING(VTA_OUT_OF_RANGE, te_broadcast(c, one, 1), "a vector has 2 to 65535 lanes, not 1");
    NOTHING(VTA_OUT_OF_RANGE, te_broadcast(c, one, 65536), "a vector has 2 to 65535 lanes, not 65536");
    assert_string_equal(te_expr_dtype(c, te_broadcast(c, half, 65535)), "float32x65535");
    NOTHING(VTA_INVALID_ARGUMENT, te_broadcast(c, pair, 2), "what is repeated to a vector must be one number");
    NOTHING(VTA_INVALID_ARGUMENT, te_broadcast(c, te_variable(c, "p", "handle"), 2),
            "what is repeated to a vector must be one number");
    NOTHING(VTA_INVALID_ARGUMENT, te_ramp(c, half, one, 4),
            "a vector of steps is made of two integers of type int32 or int64");
    NOTHING(VTA_INVALID_ARGUMENT, te_ramp(c, one, half, 4),
            "a vector of steps is made of two integers of type int32 or int64");
    NOTHING(VTA_INVALID_ARGUMENT, te_axis_create_expr(c, "j", half),
            "the range of axis j must be of type int32 or int64");
    NOTHING(VTA_INVALID_ARGUMENT, te_reduce_axis_expr(c, "j", half, one),
            "the range of axis j must be of type int32 or int64");
    NOTHING(VTA_INVALID_ARGUMENT, te_reduce(c, TE_SUM, yes, 1, &k),
            "a condition cannot be reduced: cast it to a number");
    NOTHING(VTA_INVALID_ARGUMENT, te_reduce(c, TE_SUM, x, 1, &i), "i is not a reduce axis");
    out[0] = out[1] = k;
    NOTHING(VTA_INVALID_ARGUMENT, te_reduce(c, TE_SUM, x, 2, out), "reduce axis k is given twice");
    NOTHING(VTA_INVALID_ARGUMENT, te_reduce(c, TE_SUM, x, 0, NULL), "a reduction needs at least one axis");
    NOTHING(VTA_INVALID_ARGUMENT, te_reduce(c, (te_reduction)3, x, 1, &k), "there is no reduction 3");
    te_context_destroy(c);
}

TEST_CASE(tensors) {
    te_context *c = context_with(NULL);
    int64_t shape[] = {4, 3}, zero[] = {0}, large[] = {INT64_C(1) << 31};
    te_tensor *a = te_placeholder(c, "a", "int32", 2, shape), *out = a;
    te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 0, 3), *twice[] = {i, i};
    te_expr *one = te_int(c, "int32", 1);
    FAILS(VTA_INVALID_ARGUMENT, te_compute_axes(c, "y", NULL, 1, &k, 1, &one, &out), "axis k of y is not a data axis");
    assert_null(out);
    out = a;
    FAILS(VTA_INVALID_ARGUMENT, te_compute_axes(c, "y", NULL, 2, twice, 1, &one, &out), "axis i is given twice to y");
    assert_null(out);
    FAILS(VTA_INVALID_ARGUMENT, te_compute_axes(c, "y", NULL, 1, &i, 0, &one, &out), "y has no body");
    te_expr *sum = te_reduce(c, TE_SUM, one, 1, &k), *inside = te_call(c, "int32", "f", 1, &sum);
    FAILS(VTA_INVALID_ARGUMENT, te_compute_axes(c, "y", NULL, 1, &i, 1, &inside, &out),
          "y has a reduction inside its body; it may only stand at the top: make it a tensor of its own");
    NOTHING(VTA_OUT_OF_RANGE, te_compute(c, "y", 1, zero, "i", "1"), "dimension 0 of y is 0");
    NOTHING(VTA_OUT_OF_RANGE, te_compute(c, "y", 1, large, "i", "1"), "dimension 0 of y is 2147483648");
    NOTHING(VTA_INVALID_ARGUMENT, te_compute(c, "y", 2, shape, "i, j, k", "1"),
            "more names of axes than the 2 dimensions");
    int64_t pads[] = {1, -1}, none[] = {0, 0}, wide[] = {0, INT64_C(1) << 31};
    const char *said = "the padding of dimension 1 of a is negative or too large";
    NOTHING(VTA_OUT_OF_RANGE, te_pad(c, a, "p", pads, none, 0), said);
    NOTHING(VTA_OUT_OF_RANGE, te_pad(c, a, "p", none, pads, 0), said);
    NOTHING(VTA_OUT_OF_RANGE, te_pad(c, a, "p", wide, none, 0), said);
    NOTHING(VTA_OUT_OF_RANGE, te_pad(c, a, "p", none, wide, 0), said);
    te_tensor *y = te_define(c, "named[i: 4] = sum[inner: 3](a[i, inner])");
    assert_ptr_equal(te_find_tensor(c, "named"), y);
    assert_ptr_equal(te_find_tensor(c, "a"), a);
    assert_null(te_find_tensor(c, "k"));
    assert_null(te_find_tensor(c, NULL));
    assert_null(te_find_tensor(NULL, "a"));
    assert_ptr_equal(te_find_reduce_axis(c, "k"), k);
    assert_null(te_find_reduce_axis(c, "a"));
    assert_null(te_find_reduce_axis(c, NULL));
    assert_null(te_find_reduce_axis(NULL, "k"));
    assert_string_equal(te_op_of_tensor_text(c, a), "placeholder(a, [4, 3])");
    te_tensor *r = te_relu(c, a, "r");
    assert_string_equal(te_expr_text(c, te_tensor_body(r)), "max(a[i0, i1], 0)");
    assert_string_equal(te_tensor_tag(r), "elemwise");
    assert_int_equal(te_tensor_dim(r, 0), 4);
    assert_int_equal(te_tensor_dim(r, 1), 3);
    assert_fine(c);
    te_context_destroy(c);
}

/* x[i, j] = a[i, j] + 1; y[i, j] = x[i, j] * 2, with what its stages refuse. */
TEST_CASE(steps) {
    te_context *c = context_with(NULL);
    te_placeholder(c, "a", "int32", 2, (int64_t[]){8, 6});
    te_tensor *x = te_define(c, "x like a = a[...] + 1"), *y = te_define(c, "y like a = x[...] * 2");
    te_schedule *s = te_schedule_create(c, 1, &y), *other = te_schedule_create(c, 1, &y);
    te_stage *sx = te_schedule_stage(s, x), *sy = te_schedule_stage(s, y);
    te_axis *i = te_stage_axis(sy, 0), *j = te_stage_axis(sy, 1), *tile[4] = {i, i, i, i}, *three[3];
    FAILS(VTA_ILLEGAL, te_compute_at(te_schedule_stage(other, x), sy, i), "x and y are of different schedules");
    FAILS(VTA_ILLEGAL, te_tile(sy, i, i, 2, 2, tile), "cannot tile y: two axes and factors of at least 1 are needed");
    for (int k = 0; k < 4; k++) assert_null(tile[k]);
    FAILS(VTA_ILLEGAL, te_tile(sy, i, j, 2, 0, tile), "cannot tile y: two axes and factors of at least 1 are needed");
    for (int k = 0; k < 4; k++) tile[k] = i;
    FAILS(VTA_OUT_OF_RANGE, te_tile(sy, i, j, 2, INT64_C(1) << 31, tile),
          "cannot split y.i1 by 2147483648: the number must be at most 2147483647");
    for (int k = 0; k < 4; k++) assert_null(tile[k]);
    assert_int_equal(te_stage_leaves(sy), 2); /* the split that could be made is not either */
    three[0] = i;
    FAILS(VTA_OUT_OF_RANGE, te_split(sy, i, INT64_C(1) << 31, &three[0], NULL),
          "cannot split y.i0 by 2147483648: the number must be at most 2147483647");
    assert_null(three[0]);
    FAILS(VTA_OUT_OF_RANGE, te_split_nparts(sy, i, 0, NULL, NULL),
          "cannot split y.i0 into 0: the number must be at least 1");
    FAILS(VTA_OUT_OF_RANGE, te_split_sizes(sy, i, 1, (int64_t[]){9}, NULL, NULL),
          "cannot split y.i0 by a list with 9: its extent is 8");
    FAILS(VTA_OUT_OF_RANGE, te_split_sizes(sy, i, 2, (int64_t[]){4, 3}, NULL, NULL),
          "cannot split y.i0 by sizes that make 7: its extent is 8");
    FAILS(VTA_ILLEGAL, te_bind(sy, i, te_thread_axis(c, "vta")),
          "cannot bind y.i0 to vta: only virtual threads (cthread, vthread) share out loops");
    FAILS(VTA_OUT_OF_RANGE, te_storage_align(sx, te_stage_axis(sx, 0), 0, 0),
          "storage_align of x: factor at least 1, offset at least 0");
    FAILS(VTA_OUT_OF_RANGE, te_storage_align(sx, te_stage_axis(sx, 0), 1, -1),
          "storage_align of x: factor at least 1, offset at least 0");
    FAILS(VTA_ILLEGAL, te_storage_align(sx, i, 1, 0), "storage_align of x needs one of its own data axes");
    assert_int_equal(te_storage_align(sx, te_stage_axis(sx, 1), 1, 0), VTA_OK);
    assert_int_equal(te_vectorize(sx, te_stage_axis(sx, 1)), VTA_OK);
    FAILS(VTA_ILLEGAL, te_bind(sx, te_stage_axis(sx, 1), te_thread_axis(c, "cthread")),
          "cannot bind x.i1: it is already marked as Vectorized");
    assert_int_equal(te_split(sy, j, 2, &three[1], &three[2]), VTA_OK);
    three[0] = i;
    te_axis *apart[] = {i, three[2]}, *order[] = {three[1], i, three[2]}, *fused = i;
    FAILS(VTA_ILLEGAL, te_fuse(sy, 2, apart, &fused),
          "cannot fuse y.i0 and i1.inner: they are not neighbours in this order; reorder first (the loops are i0, "
          "i1.outer, i1.inner)");
    assert_null(fused);
    FAILS(VTA_ILLEGAL, te_fuse(sy, 3, order, NULL),
          "cannot fuse y.i1.outer and i0: they are not neighbours in this order; reorder first (the loops are i0, "
          "i1.outer, "
          "i1.inner)");
    FAILS(VTA_INVALID_ARGUMENT, te_reorder(sy, 2, NULL), "NULL where a list of axes is expected");
    FAILS(VTA_INVALID_ARGUMENT, te_fuse(sy, 2, NULL, NULL), "NULL where a list of axes is expected");
    assert_int_equal(te_reorder(sy, 0, NULL), VTA_OK);
    te_axis *back[] = {three[1], i}; /* of two, either order will do: the loop outside stays outside */
    assert_int_equal(te_fuse(sy, 2, back, &fused), VTA_OK);
    assert_string_equal(te_axis_name(fused), "i0.i1.outer.fused");
    assert_string_equal(te_axis_name(te_stage_leaf(sy, 0)), "i0.i1.outer.fused");
    assert_string_equal(te_axis_name(te_stage_leaf(sy, 1)), "i1.inner");
    assert_int_equal(te_stage_leaves(sy), 2);
    assert_int_equal(te_tensorize(sy, fused, NULL), VTA_OK);
    FAILS(VTA_ILLEGAL, te_split(sy, fused, 2, &three[0], &three[1]),
          "cannot split y.i0.i1.outer.fused: it is tensorized");
    assert_null(three[0]);
    assert_null(three[1]);
    assert_int_equal(te_compute_at(sx, sy, three[2]), VTA_OK);
    assert_int_equal(te_stage_attachment(sx), TE_COMPUTED_AT_LOOP);
    assert_int_equal(te_compute_root(sx), VTA_OK);
    assert_int_equal(te_stage_attachment(sx), TE_COMPUTED_AT_ROOT);
    assert_null(te_stage_attached_to(sx));
    assert_null(te_stage_attached_at(sx));
    assert_int_equal(te_compute_root(NULL), VTA_INVALID_ARGUMENT);
    te_context_destroy(c);
}

/* An input is not computed, an output lies in the caller's memory: neither is moved, nor computed anywhere else. */
TEST_CASE(fixed) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){8});
    te_tensor *x = te_define(c, "x like a = a[...] + 1"), *y[] = {te_define(c, "y like a = x[...] * 2"), x};
    te_schedule *s = te_schedule_create(c, 2, y); /* x is read by y, too */
    te_stage *sa = te_schedule_stage(s, a), *sx = te_schedule_stage(s, x), *sy = te_schedule_stage(s, y[0]);
    te_axis *i = te_stage_axis(sy, 0);
    FAILS(VTA_ILLEGAL, te_set_scope(sa, "acc"),
          "cannot set_scope of a: it is an input and is not computed; use cache_read for a copy of it");
    FAILS(VTA_ILLEGAL, te_set_scope(sx, "acc"), "cannot set_scope of x: it is an output of the schedule");
    FAILS(VTA_ILLEGAL, te_set_scope(sy, "local"), "cannot set_scope of y: it is an output of the schedule");
    FAILS(VTA_ILLEGAL, te_compute_inline(sa),
          "cannot compute_inline a: it is an input and is not computed; use cache_read for a copy of it");
    FAILS(VTA_ILLEGAL, te_compute_inline(sx), "cannot compute_inline x: it is an output of the schedule");
    FAILS(VTA_ILLEGAL, te_compute_at(sa, sy, i),
          "cannot compute_at a: it is an input and is not computed; use cache_read for a copy of it");
    FAILS(VTA_ILLEGAL, te_compute_at(sx, sy, i), "cannot compute_at x: it is an output of the schedule");
    te_stage *all[] = {sa, sx, sy};
    for (int n = 0; n < 3; n++) {
        assert_string_equal(te_stage_scope(all[n]), "");
        assert_int_equal(te_stage_attachment(all[n]), TE_COMPUTED_AT_ROOT);
    }
    assert_int_equal(te_set_scope(sy, ""), VTA_OK); /* where it is anyway */
    assert_int_equal(te_set_scope(sy, "global"), VTA_OK);
    te_context_destroy(c);
}

TEST_CASE(buffers) {
    te_context *c = context_with(NULL);
    te_expr *four = te_int(c, "int32", 4), *half = te_float(c, "float32", 0.5), *x = te_variable(c, "x", "int32");
    te_expr *strides[] = {four, te_int(c, "int32", 1)}, *pair = te_broadcast(c, x, 2);
    te_buffer_options o = {.size = sizeof o, .elem_offset = half};
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_create(c, "b", "int32", 1, &four, &o),
            "the element offset of b must be of type int32 or int64");
    o = (te_buffer_options){.offset_factor = -1};
    NOTHING(VTA_OUT_OF_RANGE, te_buffer_create(c, "b", "int32", 1, &four, &o), "an offset factor is at least 1");
    o.offset_factor = INT64_C(1) << 31;
    NOTHING(VTA_OUT_OF_RANGE, te_buffer_create(c, "b", "int32", 1, &four, &o), "an offset factor is at least 1");
    o = (te_buffer_options){.stride_count = 2, .strides = strides};
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_create(c, "b", "int32", 1, &four, &o),
            "b has 1 dimensions, but 2 strides are given");
    o = (te_buffer_options){.data = x};
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_create(c, "b", "int32", 1, &four, &o),
            "the address of b must be a variable of type handle");
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_create(c, "b", "int32", 2, two(four, half), NULL),
            "dimension 1 of b must be of type int32 or int64");
    o = (te_buffer_options){.stride_count = 2, .strides = strides, .elem_offset = x, .offset_factor = 8};
    te_buffer *b = te_buffer_create(c, "b", "int32", 2, two(four, four), &o);
    te_buffer *row = te_buffer_create(c, "row", "int8", 1, &four, NULL);
    assert_fine(c);
    assert_ptr_equal(te_buffer_offset(b), x);
    assert_ptr_equal(te_buffer_stride(b, 1), strides[1]);
    assert_null(te_buffer_stride(b, 2));
    assert_null(te_buffer_dim(b, 2));
    assert_null(te_buffer_offset(NULL));
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_flat(c, b), "b has strides, so that its elements are not one dimension");
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_load(c, b, 1, &x), "b has 2 dimensions, but 1 indices are given");
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_load(c, row, 1, &half), "index 0 of row is not an integer but float32");
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_load(c, b, 2, two(pair, x)),
            "index 0 of b is a vector: only the last one can be");
    assert_string_equal(te_expr_dtype(c, te_buffer_load(c, b, 2, two(x, pair))), "int32x2");
    const vtac_stmt *store = te_stmt_store(c, row, half, 1, &x), *empty = te_stmt_seq(c, 0, NULL);
    assert_fine(c);
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_store(c, row, te_broadcast(c, x, 4), 1, &pair),
            "a vector of 4 is stored to 2 elements of row");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_store(c, row, te_string(c, "t"), 1, &x),
            "what is stored to row is not a number");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_store(c, row, te_variable(c, "p", "handle"), 1, &x),
            "what is stored to row is not a number");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_for(c, x, four, four, (te_loop)4, store), "there is no kind 4 of loops");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_for(c, te_variable(c, "v", "int8"), four, four, TE_LOOP_SERIAL, store),
            "the variable v of a loop must be of type int32 or int64");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_for(c, x, half, four, TE_LOOP_SERIAL, store),
            "begin and extent of the loop over x must be integers");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_for(c, x, four, half, TE_LOOP_SERIAL, store),
            "begin and extent of the loop over x must be integers");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_for(c, four, four, four, TE_LOOP_SERIAL, store),
            "the variable of a loop is made by te_variable; 4 is none");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_let(c, x, half, store), "x is of type int32, its value 0.5f of type float32");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_if(c, x, store, NULL), "x is no condition but of type int32");
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_assert(c, te_int(c, "bool", 1), x, store),
            "the message of an assertion is not a text");
    const char *dense = "b is not dense memory of its own, which is all that can be allocated";
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_allocate(c, b, store), dense);
    o = (te_buffer_options){.elem_offset = x};
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_allocate(c, te_buffer_create(c, "b", "int8", 1, &four, &o), store), dense);
    o = (te_buffer_options){.stride_count = 1, .strides = &four};
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_allocate(c, te_buffer_create(c, "b", "int8", 1, &four, &o), store), dense);
    NOTHING(VTA_INVALID_ARGUMENT, te_stmt_attr(c, four, "key", four, store),
            "what an attribute is about is made by te_variable; 4 is none");
    assert_non_null(te_stmt_allocate(c, row, te_stmt_attr(c, row, "key", four, empty)));
    assert_non_null(te_stmt_attr(c, x, "key", four, empty));
    assert_fine(c);
    NOTHING(VTA_INVALID_ARGUMENT, te_call_packed(c, "int32", "", 0, NULL),
            "the name of a function that is called is empty");
    NOTHING(VTA_INVALID_ARGUMENT, te_call_packed(c, "int32", "f", 2, two(x, pair)), "argument 1 of f is a vector");
    NOTHING(VTA_INVALID_ARGUMENT, te_call_packed(c, "int32x2", "f", 1, &x), "f cannot return a vector");
    NOTHING(VTA_INVALID_ARGUMENT, te_buffer_access(c, row, "x", NULL),
            "an access is \"r\", \"w\" or \"rw\", not \"x\"");
    te_context_destroy(c);
}

TEST_CASE(intrinsics) {
    te_context *c = context_with(NULL);
    te_tensor *p = te_placeholder(c, "p", "int32", 1, (int64_t[]){4}), *q = te_define(c, "q[i: 4] = p[i] + 1");
    te_tensor *r = te_define(c, "r[i: 4] = q[i] + 1");
    te_expr *one = te_int(c, "int32", 1);
    NOTHING(VTA_INVALID_ARGUMENT, te_intrin_create(c, "in", p),
            "an intrinsic is described by a computation; p is an input");
    NOTHING(VTA_INVALID_ARGUMENT, te_intrin_create(c, "in", r),
            "an intrinsic's computation may only read inputs, not q");
    te_intrin *in = te_intrin_create(c, "in", q);
    assert_fine(c);
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_strides(in, p, 2, two(one, one)),
          "operand p has 1 dimensions, but 2 strides are given");
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_strides(in, r, 1, &one), "r is not an operand of in");
    assert_int_equal(te_intrin_strides(in, p, 1, &one), VTA_OK);
    assert_int_equal(te_intrin_strides(NULL, p, 1, &one), VTA_INVALID_ARGUMENT);
    FAILS(VTA_OUT_OF_RANGE, te_intrin_buffer(in, p, "inp", 0), "an offset factor is at least 1");
    FAILS(VTA_OUT_OF_RANGE, te_intrin_buffer(in, p, "inp", INT64_C(1) << 31), "an offset factor is at least 1");
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_emit(in, (te_intrin_part)3, one), "there is no part 3 of an intrinsic");
    te_expr *four = te_int(c, "int32", 4), *i = te_variable(c, "i", "int32"), *zero = te_int(c, "int32", 0);
    te_buffer *from = te_buffer_create(c, "from", "int32", 1, &four, NULL),
              *to = te_buffer_create(c, "to", "int32", 1, &four, NULL),
              *short_one = te_buffer_create(c, "short", "int32", 1, &one, NULL);
    const vtac_stmt *copy = te_stmt_store(c, to, te_buffer_load(c, from, 1, &i), 1, &i),
                    *loop = te_stmt_for(c, i, zero, four, TE_LOOP_SERIAL, copy);
    assert_fine(c);
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_bind(in, p, short_one),
          "in: buffer short has not the shape and type of p, which it stands for");
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_bind(in, r, from), "r is not an operand of in");
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_emit_stmt(in, TE_INTRIN_BODY, loop),
          "the statement of in uses to, which no loop, allocation or value in it defines, and which is neither of its "
          "buffers nor a scalar");
    assert_int_equal(te_intrin_bind(in, q, to), VTA_OK);
    FAILS(
        VTA_INVALID_ARGUMENT, te_intrin_emit_stmt(in, TE_INTRIN_BODY, loop),
        "the statement of in uses from, which no loop, allocation or value in it defines, and which is neither of its "
        "buffers nor a scalar");
    assert_int_equal(te_intrin_bind(in, p, from), VTA_OK);
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_emit_stmt(in, TE_INTRIN_BODY, copy),
          "the statement of in uses i, which no loop, allocation or value in it defines, and which is neither of its "
          "buffers nor a scalar");
    FAILS(VTA_INVALID_ARGUMENT, te_intrin_emit_stmt(in, (te_intrin_part)3, loop), "there is no part 3 of an intrinsic");
    assert_int_equal(te_intrin_emit_stmt(in, TE_INTRIN_BODY, loop), VTA_OK);
    assert_int_equal(te_intrin_emit_stmt(NULL, TE_INTRIN_BODY, loop), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_intrin_bind(NULL, p, from), VTA_INVALID_ARGUMENT);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
