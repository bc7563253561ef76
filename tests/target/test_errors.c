/* Programs that lowering must refuse, each with its code and what the message must say. */
#include "target/refused.h"

/* x (rows, columns, 1, 16) -> x_buf -> y_buf by `body` -> y; all steps of the schedule but the marks of y_buf. */
typedef struct chain {
    te_tensor *x, *x_buf, *y_buf, *y;
} chain;

static chain build_chain(program *p, int64_t rows, int64_t columns, const char *body) {
    chain k;
    int64_t shape[4] = {rows, columns, 1, 16};
    k.x = te_placeholder(p->c, "x", "int32", 4, shape);
    k.x_buf = te_compute(p->c, "x_buf", 4, shape, NULL, "x[...]");
    k.y_buf = te_compute(p->c, "y_buf", 4, shape, NULL, body);
    k.y = te_compute(p->c, "y", 4, shape, NULL, "int8(y_buf[...])");
    p->s = te_schedule_create(p->c, 1, &k.y);
    in_scope(p, k.x_buf, "acc");
    in_scope(p, k.y_buf, "acc");
    mark(p, k.x_buf, 0, "dma_copy");
    mark(p, k.y, 0, "dma_copy");
    p->args[0] = k.x;
    p->args[1] = k.y;
    p->n_args = 2;
    return k;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

TEST_CASE(tile_does_not_fit) {
    program p = start();
    int64_t a_shape[4] = {10, 1, 1, 16}, b_shape[4] = {1024, 1, 16, 16}, c_shape[4] = {10, 1024, 1, 16};
    te_tensor *a = te_placeholder(p.c, "A", "int8", 4, a_shape), *b = te_placeholder(p.c, "B", "int8", 4, b_shape);
    te_reduce_axis(p.c, "ko", 0, 1);
    te_reduce_axis(p.c, "ki", 0, 16);
    te_tensor *c_buf = te_compute(p.c, "C_buf", 4, c_shape, "bo, co, bi, ci",
                                  "sum[ko, ki](int32(A[bo, ko, bi, ki]) * int32(B[co, ko, ci, ki]))");
    te_tensor *c = te_compute(p.c, "C", 4, c_shape, NULL, "int8(C_buf[...])");
    p.s = te_schedule_create(p.c, 1, &c);
    in_scope(&p, c_buf, "acc");
    p.args[p.n_args++] = a;
    p.args[p.n_args++] = b;
    p.args[p.n_args++] = c;
    REFUSED(&p, "C_buf needs 10240 elements of the acc buffer, which holds 2048: split axis i1 of C, so that at most "
                "204 of 1024 steps of C_buf are held");
}

/* The longest axis lies inside of an element, where no split helps. */
TEST_CASE(tile_of_long_elements_does_not_fit) {
    vta_config *base = vta_config_default(), *config;
    assert_int_equal(vta_config_with(base, "LOG_ACC_BUFF_SIZE=12", NULL, &config), VTA_OK);
    program p = {.c = te_context_create(config, NULL)};
    int64_t shape[4] = {9, 10, 1, 16};
    te_tensor *x = te_placeholder(p.c, "x", "int32", 4, shape);
    te_tensor *x_buf = te_compute(p.c, "x_buf", 4, shape, "bo, co, bi, ci", "x[bo, co, bi, ci]");
    result_of(&p, x, x_buf);
    REFUSED(&p, "x_buf needs 90 elements of the acc buffer, which holds 64: split axis i1 of y, so that at most 7 of ");
    vta_config_release(config);
    vta_config_release(base);
}

/* Read at its first row too, so that each tile holds more than the one before. */
TEST_CASE(tile_changes_its_size) {
    program p = start();
    chain k = build_chain(&p, 8, 2, "x_buf[...] + x_buf[0, i1, i2, i3]");
    te_axis *outer, *inner;
    te_split(stage(&p, k.y), axis(&p, k.y, 0), 2, &outer, &inner);
    te_compute_at(stage(&p, k.x_buf), stage(&p, k.y), outer);
    te_compute_at(stage(&p, k.y_buf), stage(&p, k.y), outer);
    REFUSED(&p, "x_buf is put into the acc buffer, so its size must be a constant, but it changes with i0.outer",
            "compute x_buf outside of that loop");
}

TEST_CASE(threads_do_not_fit_together) {
    program p = start();
    int64_t shape[4] = {2, 1500, 1, 16};
    te_tensor *x = te_placeholder(p.c, "x", "int32", 4, shape);
    te_tensor *x_buf = te_compute(p.c, "x_buf", 4, shape, NULL, "x[...]");
    te_tensor *y = te_compute(p.c, "y", 4, shape, NULL, "int8(x_buf[...])");
    p.s = te_schedule_create(p.c, 1, &y);
    te_axis *outer, *inner;
    te_split_nparts(stage(&p, y), axis(&p, y, 0), 2, &outer, &inner);
    te_bind(stage(&p, y), outer, te_thread_axis(p.c, "cthread"));
    te_compute_at(stage(&p, x_buf), stage(&p, y), outer);
    in_scope(&p, x_buf, "acc");
    mark(&p, x_buf, 0, "dma_copy");
    te_pragma(stage(&p, y), inner, "dma_copy", NULL);
    p.args[p.n_args++] = x;
    p.args[p.n_args++] = y;
    REFUSED(&p, "the acc buffer holds 2048 elements", "needs 3000 (x_buf 3000)", "fewer virtual threads");
}

/* x_buf -> s (stored) -> t (by the host) -> y = t_buf + x_buf. */
TEST_CASE(chip_across_the_processor) {
    program p = start();
    int64_t shape[4] = {4, 4, 1, 16};
    te_tensor *x = te_placeholder(p.c, "x", "int32", 4, shape);
    te_tensor *x_buf = te_compute(p.c, "x_buf", 4, shape, NULL, "x[...]");
    te_tensor *s = te_compute(p.c, "s", 4, shape, NULL, "int8(x_buf[...])");
    te_tensor *t = te_compute(p.c, "t", 4, shape, NULL, "int32(s[...]) * 3");
    te_tensor *t_buf = te_compute(p.c, "t_buf", 4, shape, NULL, "t[...]");
    te_tensor *sum = te_compute(p.c, "sum", 4, shape, NULL, "t_buf[...] + x_buf[...]");
    te_tensor *y = te_compute(p.c, "y", 4, shape, NULL, "int8(sum[...])");
    (void)t;
    p.s = te_schedule_create(p.c, 1, &y);
    in_scope(&p, x_buf, "acc");
    in_scope(&p, t_buf, "acc");
    in_scope(&p, sum, "acc");
    mark(&p, x_buf, 0, "dma_copy");
    mark(&p, s, 0, "dma_copy");
    mark(&p, t_buf, 0, "dma_copy");
    mark(&p, sum, 0, "alu");
    mark(&p, y, 0, "dma_copy");
    p.args[p.n_args++] = x;
    p.args[p.n_args++] = y;
    REFUSED(&p, "x_buf is in the acc buffer before and after the host works on s", "in a stage of its own");
}

/* ---- Transfers -------------------------------------------------------------------------------------------------- */

TEST_CASE(copy_of_three_dimensions) {
    program p = start();
    int64_t shape[4] = {8, 8, 8, 16}, part[4] = {4, 4, 4, 16};
    te_tensor *x = te_placeholder(p.c, "x", "int32", 4, shape);
    te_tensor *x_buf = te_compute(p.c, "x_buf", 4, part, "a, b, c, d", "x[a, b, c, d]");
    copied(&p, x, x_buf);
    vtac_lower_options options = {.config = te_context_config(p.c), .verify = 1};
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    if (lower_program(&p, &options, "main", WANT_PRIMFN, &text) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(p.c)));
    assert_non_null(strstr(vt_strbuf_text(&text), "for (a: int32, 0, 4)")); /* a loop of transfers */
    vt_strbuf_free(&text);
    program_destroy(&p);
}

/* x padded by `columns` on the left -> y. */
static program pad_columns(int64_t columns) {
    program p = start();
    int64_t shape[4] = {4, 4, 1, 16}, before[4] = {0, columns, 0, 0}, none[4] = {0};
    te_tensor *x = te_placeholder(p.c, "x", "int32", 4, shape), *x_buf = te_pad(p.c, x, "x_buf", before, none, 0);
    copied(&p, x, x_buf);
    return p;
}

TEST_CASE(padding_that_is_too_wide) {
    program p = pad_columns(16), fits = pad_columns(15);
    REFUSED(&p, "copy of x to x_buf: up to 16 columns on the left of padding", "holds 0 to 15");
    vtac_lower_options options = {.config = te_context_config(fits.c), .verify = 1};
    assert_int_equal(lower_program(&fits, &options, "main", WANT_CALLS, NULL), VTA_OK);
    program_destroy(&fits);
}

/* x -> x_buf in the accumulators -> y; x of a type, and x_buf as `body` says. */
static program accumulators(const char *dtype, const char *body) {
    program p = start();
    int64_t shape[4] = {4, 4, 1, 16};
    te_tensor *x = te_placeholder(p.c, "x", dtype, 4, shape);
    te_tensor *x_buf = te_compute(p.c, "x_buf", 4, shape, NULL, body);
    copied(&p, x, x_buf);
    return p;
}

TEST_CASE(loads_of_other_types) {
    static const char *const types[] = {"int16", "int64", "float32", "float64", "uint8", "uint32", "int4"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[128];
        program buffer = accumulators(types[i], "x[...]"), source = accumulators(types[i], "int32(x[...])");
        snprintf(text, sizeof text, "x_buf is in the acc buffer, which holds int32, but has elements of type %s",
                 types[i]);
        REFUSED(&buffer, text, "cast to int32");
        snprintf(text, sizeof text, "copy of x to x_buf: the acc buffer holds int32, but the source has %s", types[i]);
        REFUSED(&source, text);
    }
    program narrow = accumulators("int8", "x[...]");
    REFUSED(&narrow, "x_buf is in the acc buffer, which holds int32, but has elements of type int8", "cast to int32");
    program right[] = {accumulators("int32", "x[...]"), accumulators("int8", "int32(x[...])")};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        vtac_lower_options options = {.config = te_context_config(right[i].c), .verify = 1};
        assert_int_equal(lower_program(&right[i], &options, "main", WANT_CALLS, NULL), VTA_OK);
        program_destroy(&right[i]);
    }
}

/* ---- ALU -------------------------------------------------------------------------------------------------------- */

TEST_CASE(alu_without_the_operation) {
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"x_buf[...] // 3", "it can do ADD, MUL, MIN, MAX, SHR of a tensor and a tensor or a constant"},
        {"max(x_buf[...] + 1, 0)", "neither a tensor's element nor a constant"},
        {"x_buf[...] - x_buf[i0, 3 - i1, i2, i3]", "no subtraction of tensors"},
        {"x_buf[...] + 40000", "does not fit the instruction's 16 bits"},
        {"int32(int8(x_buf[...]))", "without casts"},
        {"1 << x_buf[...]", "shifts to the left by constants only"},
        {"select(i0 < 2, x_buf[...] + 1, x_buf[...] * 3)", "of a selection one side must be an element"},
        {"select(i0 < 2, x_buf[...], x_buf[i0, 3 - i1, i2, i3])", "of a selection one side must be an element"},
        {"select(i0 < 2, x_buf[...] + 1, x_buf[i0, 3 - i1, i2, i3])", "but is not what"},
        {"select(i3 < 2, x_buf[...] + 1, x_buf[...])", "for all scalars of an element or for none"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program p = start();
        chain k = build_chain(&p, 4, 4, cases[i].body);
        mark(&p, k.y_buf, 0, "alu");
        REFUSED(&p, "the loops marked alu are not an operation of the ALU", cases[i].text);
    }
}

TEST_CASE(alu_on_parts_of_elements) {
    program p = start();
    chain k = build_chain(&p, 4, 4, "x_buf[...] + 1");
    te_axis *inner = axis(&p, k.y_buf, 3), *outer = axis(&p, k.y_buf, 1);
    te_reorder(stage(&p, k.y_buf), 2, (te_axis *[]){inner, outer});
    te_pragma(stage(&p, k.y_buf), axis(&p, k.y_buf, 0), "alu", NULL);
    REFUSED(&p, "the innermost axes must be whole elements of 1 x 16 scalars");
}

/* ---- Micro-ops -------------------------------------------------------------------------------------------------- */

/* C = A * B^T with the reduction as `order` puts it: 'k' and 'K' its inner and outer part, 'c' and 'C' of the output.
 */
static program matmul_in_order(const char *order) {
    program p = start();
    int64_t a_shape[4] = {1, 16, 1, 16}, b_shape[4] = {16, 16, 16, 16}, c_shape[4] = {1, 16, 1, 16};
    te_tensor *a = te_placeholder(p.c, "A", "int8", 4, a_shape), *b = te_placeholder(p.c, "B", "int8", 4, b_shape);
    te_tensor *a_buf = like(&p, a, "A_buf", "A[...]"), *b_buf = like(&p, b, "B_buf", "B[...]");
    te_axis *ko = te_reduce_axis(p.c, "ko", 0, 16), *ki = te_reduce_axis(p.c, "ki", 0, 16);
    te_tensor *c_buf = te_compute(p.c, "C_buf", 4, c_shape, "bo, co, bi, ci",
                                  "sum[ko, ki](int32(A_buf[bo, ko, bi, ki]) * int32(B_buf[co, ko, ci, ki]))");
    te_tensor *c = like(&p, c_buf, "C", "int8(C_buf[...])");
    p.s = te_schedule_create(p.c, 1, &c);
    in_scope(&p, a_buf, "inp");
    in_scope(&p, b_buf, "wgt");
    in_scope(&p, c_buf, "acc");
    mark(&p, a_buf, 0, "dma_copy");
    mark(&p, b_buf, 0, "dma_copy");
    mark(&p, c, 0, "dma_copy");
    te_axis *co_out, *co_in, *k_out, *k_in;
    te_split(stage(&p, c_buf), axis(&p, c_buf, 1), 4, &co_out, &co_in);
    te_split(stage(&p, c_buf), ko, 4, &k_out, &k_in);
    te_axis *axes[7] = {[4] = axis(&p, c_buf, 2), axis(&p, c_buf, 3), ki};
    for (int i = 0; i < 4; i++)
        axes[i] = order[i] == 'k' ? k_in : order[i] == 'K' ? k_out : order[i] == 'c' ? co_in : co_out;
    te_reorder(stage(&p, c_buf), 7, axes);
    te_tensorize(stage(&p, c_buf), axis(&p, c_buf, 2), NULL);
    p.args[p.n_args++] = a;
    p.args[p.n_args++] = b;
    p.args[p.n_args++] = c;
    return p;
}

TEST_CASE(micro_ops_in_each_others_way) {
    static const char *const disabled[] = {"vta.OrderUopLoops"};
    program p = matmul_in_order("KCck");
    vtac_lower_options options = {.config = te_context_config(p.c), .disabled = disabled, .disabled_count = 1};
    assert_int_equal(lower_program(&p, &options, "main", WANT_CALLS, NULL), VTA_ILLEGAL);
    const char *text = vta_diag_text(te_context_diag(p.c));
    assert_non_null(strstr(text, "adjacent micro-ops write the same accumulator when axis ko.inner advances"));
    assert_non_null(strstr(text, "Reorder the axes"));
    program_destroy(&p);
}

TEST_CASE(orders_that_work) {
    static const char *const orders[] = {"KkCc", "KCkc", "CKkc", "CcKk", "KCck"}; /* "CcKk": kernels of one sort each */
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        program p = matmul_in_order(orders[i]);
        vtac_lower_options options = {.config = te_context_config(p.c), .verify = 1};
        vta_status status = lower_program(&p, &options, "main", WANT_CALLS, NULL);
        if (status != VTA_OK) fail_msg("%s: %s", orders[i], vta_diag_text(te_context_diag(p.c)));
        program_destroy(&p);
    }
}

/* C = A + A * B^T, in the place of A; `twice`: A is read again. */
static program matmul_from(bool twice, bool apart) {
    program p = start();
    int64_t a_shape[4] = {1, 4, 1, 16}, b_shape[4] = {4, 4, 16, 16};
    te_tensor *a = te_placeholder(p.c, "A", "int8", 4, a_shape), *b = te_placeholder(p.c, "B", "int8", 4, b_shape);
    te_tensor *from = te_placeholder(p.c, "F", "int32", 4, a_shape);
    te_tensor *a_buf = like(&p, a, "A_buf", "A[...]"), *b_buf = like(&p, b, "B_buf", "B[...]");
    te_tensor *f_buf = like(&p, from, "F_buf", "F[...]");
    te_axis *ko = te_reduce_axis(p.c, "ko", 0, 4), *ki = te_reduce_axis(p.c, "ki", 0, 16);
    te_tensor *c_buf =
        te_compute(p.c, "C_buf", 4, a_shape, "bo, co, bi, ci",
                   "sum[ko, ki](int32(A_buf[bo, ko, bi, ki]) * int32(B_buf[co, ko, ci, ki]), F_buf[bo, co, bi, ci])");
    te_tensor *d_buf = like(&p, c_buf, "D_buf", twice ? "C_buf[...] + F_buf[...]" : "C_buf[...] + 1");
    te_tensor *c = like(&p, d_buf, "C", "int8(D_buf[...])");
    p.s = te_schedule_create(p.c, 1, &c);
    in_scope(&p, a_buf, "inp");
    in_scope(&p, b_buf, "wgt");
    in_scope(&p, f_buf, "acc");
    in_scope(&p, c_buf, "acc");
    in_scope(&p, d_buf, "acc");
    mark(&p, a_buf, 0, "dma_copy");
    mark(&p, b_buf, 0, "dma_copy");
    mark(&p, f_buf, 0, "dma_copy");
    mark(&p, c, 0, "dma_copy");
    mark(&p, d_buf, 0, "alu");
    if (apart) {
        te_axis *outer, *inner;
        te_split(stage(&p, d_buf), axis(&p, d_buf, 1), 2, &outer, &inner);
        te_compute_at(stage(&p, c_buf), stage(&p, d_buf), outer);
    }
    te_axis *axes[] = {ko, axis(&p, c_buf, 1), axis(&p, c_buf, 2), axis(&p, c_buf, 3), ki};
    te_reorder(stage(&p, c_buf), 5, axes);
    mark(&p, c_buf, 2, "conv2d_transpose_gemm");
    p.args[p.n_args++] = a;
    p.args[p.n_args++] = b;
    p.args[p.n_args++] = from;
    p.args[p.n_args++] = c;
    return p;
}

TEST_CASE(sums_that_cannot_take_over) {
    program p = matmul_from(false, false), twice = matmul_from(true, false), apart = matmul_from(false, true);
    vtac_lower_options options = {.config = te_context_config(p.c), .verify = 1};
    vta_status status = lower_program(&p, &options, "main", WANT_CALLS, NULL);
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(te_context_diag(p.c)));
    program_destroy(&p);
    REFUSED(&twice, "C_buf starts at F_buf and goes on in its place, but F_buf is read by something else too");
    REFUSED(&apart, "C_buf starts at F_buf", "not computed for the same part", "compute both at the same loop");
}

/* ---- Options ---------------------------------------------------------------------------------------------------- */

TEST_CASE(unknown_pass_name) {
    program p;
    assert_true(program_create(&p, "vadd"));
    static const char *const off[] = {"tir.CommonSubexprElim"};
    vtac_lower_options options = {.config = te_context_config(p.c), .disabled = off, .disabled_count = 1};
    assert_int_equal(lower_program(&p, &options, "main", WANT_CALLS, NULL), VTA_NOT_FOUND);
    assert_non_null(strstr(vta_diag_text(te_context_diag(p.c)), "there is no pass \"tir.CommonSubexprElim\""));
    program_destroy(&p);
}

int main(void) { return run_cases(); }
