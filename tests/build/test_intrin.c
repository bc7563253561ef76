/* User-defined intrinsics, from the declaration to the results: a GEMM that makes the calls of the built-in one, and a
 * function of the C library in place of a loop on the host. */
#include "build/build_test.h"
#include "vta/build.h"

/* acc[b, o] += sum_k inp[b, k] * wgt[o, k], as a user declares it. */
static te_intrin *own_gemm(te_context *c) {
    const vta_config *config = te_context_config(c);
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    te_tensor *w = te_placeholder(c, "my_wgt", "wgt_t", 2, (int64_t[]){out, in});
    te_tensor *x = te_placeholder(c, "my_inp", "inp_t", 2, (int64_t[]){batch, in});
    te_tensor *y =
        te_define(c, "my_out[p: BATCH, q: BLOCK_OUT] = sum[r: BLOCK_IN](acc_t(my_inp[p, r]) * acc_t(my_wgt[q, r]))");
    te_intrin *gemm = te_intrin_create(c, "MY_GEMM", y);
    te_intrin_buffer(gemm, w, "wgt", out * in);
    te_intrin_buffer(gemm, x, "inp", batch * in);
    te_intrin_buffer(gemm, y, "acc", batch * out);
    te_axis *vta = te_thread_axis(c, "vta");
    te_expr *zero = te_int(c, "int32", 0);
    for (te_intrin_part part = TE_INTRIN_BODY; part <= TE_INTRIN_UPDATE; part++) {
        bool reset = part == TE_INTRIN_RESET;
        te_expr *args[8] = {zero,
                            te_int(c, "int32", reset),
                            te_intrin_access(gemm, y, "rw"),
                            reset ? zero : te_intrin_access(gemm, x, "r"),
                            reset ? zero : te_intrin_access(gemm, w, "r"),
                            zero,
                            zero,
                            zero};
        te_intrin_attr(gemm, part, vta, "coproc_scope", te_int(c, "int32", 2));
        te_intrin_attr(gemm, part, vta, "coproc_uop_scope", te_string(c, "VTAPushGEMMOp"));
        te_intrin_emit(gemm, part, te_call(c, "int32", "vta.uop_push", 8, args));
    }
    return gemm;
}

static void in_scope(te_schedule *s, te_tensor *t, const char *scope) { te_set_scope(te_schedule_stage(s, t), scope); }

static void copied(te_schedule *s, te_tensor *t) {
    te_stage *st = te_schedule_stage(s, t);
    te_pragma(st, te_stage_axis(st, 0), "dma_copy", NULL);
}

/* Lowers, builds, runs against the reference evaluation; the calls it made. */
static void run(te_context *c, te_schedule *s, size_t n, te_tensor *const tensors[], bool vta, vt_strbuf *calls) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_arg args[3] = {{0}};
    for (size_t i = 0; i < n; i++) args[i].tensor = tensors[i];
    vtac_build_func f = {0};
    const vtac_lower_options lower = {.config = vta ? te_context_config(c) : NULL, .verify = 1};
    const vtac_build_options build = {.target = vta ? "vta" : "llvm", .trace = 1};
    const vta_runtime_options runtime = {.device = &(vta_device_options){.check = true}};
    vtac_module *module = NULL;
    vta_packed_function call = NULL;
    vtac_check_result result = {.size = sizeof result};
    if (te_context_status(c) != VTA_OK || vtac_lower(s, n, args, "own", &lower, &f.func) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(c)));
    if (vta_runtime_reconfigure(te_context_config(c), "sim", &runtime, diag) != VTA_OK ||
        vtac_build(1, &f, &build, diag, &module) != VTA_OK ||
        vtac_module_function(module, "own", diag, &call) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vtac_trace_begin(trace_to, calls), VTA_OK);
    vta_status status =
        vtac_check(c, n, (const te_tensor *const *)tensors, call, vta ? kDLExtDev : kDLCPU, NULL, diag, &result);
    vtac_trace_end();
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vtac_module_destroy(module);
    vta_diag_destroy(diag);
}

static void matmul(bool own, vt_strbuf *calls) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *a = te_placeholder(c, "A", "inp_t", 4, (int64_t[]){1, 4, 1, 16});
    te_tensor *b = te_placeholder(c, "B", "wgt_t", 4, (int64_t[]){4, 4, 16, 16});
    te_tensor *a_buf = te_define(c, "A_buf like A = A[...]"), *b_buf = te_define(c, "B_buf like B = B[...]");
    te_axis *ko = te_reduce_axis(c, "ko", 0, 4), *ki = te_reduce_axis(c, "ki", 0, 16);
    te_tensor *sum = te_define(c, "C_buf[bo: 1, co: 4, bi: BATCH, ci: BLOCK_OUT] = "
                                  "sum[ko, ki](acc_t(A_buf[bo, ko, bi, ki]) * acc_t(B_buf[co, ko, ci, ki]))");
    te_tensor *res = te_define(c, "C like C_buf = out_t(C_buf[...])");
    te_schedule *s = te_schedule_create(c, 1, &res);
    te_stage *st = te_schedule_stage(s, sum);
    in_scope(s, a_buf, "inp");
    in_scope(s, b_buf, "wgt");
    in_scope(s, sum, "acc");
    te_compute_at(te_schedule_stage(s, a_buf), st, ko);
    te_compute_at(te_schedule_stage(s, b_buf), st, ko);
    copied(s, a_buf);
    copied(s, b_buf);
    copied(s, res);
    te_axis *order[] = {ko, te_stage_axis(st, 0), te_stage_axis(st, 1), te_stage_axis(st, 2), te_stage_axis(st, 3), ki};
    te_reorder(st, 6, order);
    te_tensorize(st, te_stage_axis(st, 2), own ? own_gemm(c) : NULL);
    run(c, s, 3, (te_tensor *[]){a, b, res}, true, calls);
    te_context_destroy(c);
}

TEST_CASE(on_the_accelerator) {
    vt_strbuf own, built_in;
    vt_strbuf_init(&own, NULL);
    vt_strbuf_init(&built_in, NULL);
    matmul(true, &own);
    matmul(false, &built_in);
    assert_non_null(strstr(vt_strbuf_text(&own), "gemm site"));
    assert_string_equal(vt_strbuf_text(&own), vt_strbuf_text(&built_in));
    vt_strbuf_free(&own);
    vt_strbuf_free(&built_in);
}

/* Rows of 16 bytes, copied by memcpy. */
TEST_CASE(on_the_processor) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *from = te_placeholder(c, "from", "int8", 1, (int64_t[]){16});
    te_tensor *to = te_define(c, "to[i: 16] = from[i]");
    te_intrin *row = te_intrin_create(c, "copy_row", to);
    te_expr *args[] = {te_intrin_access(row, to, "w"), te_intrin_access(row, from, "r"), te_int(c, "uint64", 16)};
    te_intrin_emit(row, TE_INTRIN_BODY, te_call(c, "int64", "memcpy", 3, args));
    te_tensor *x = te_placeholder(c, "x", "int8", 2, (int64_t[]){7, 32}), *y = te_define(c, "y like x = x[...]");
    te_schedule *s = te_schedule_create(c, 1, &y);
    te_stage *st = te_schedule_stage(s, y);
    te_axis *inner = NULL;
    te_split(st, te_stage_axis(st, 1), 16, NULL, &inner);
    te_tensorize(st, inner, row);
    vt_strbuf calls;
    vt_strbuf_init(&calls, NULL);
    run(c, s, 2, (te_tensor *[]){x, y}, false, &calls);
    vt_strbuf_free(&calls);
    te_context_destroy(c);
}

/* ---- Operands that must begin at whole tiles --------------------------------------------------------------------- */

/* y[i, j] = x[i, j + shift] by calls that copy 16 elements, whose source begins at a multiple of so many. */
static const struct {
    int64_t width, shift, multiple;
    const char *refused; /* NULL: it is lowered */
    const char *fails;   /* at run time; NULL: it runs */
} aligned[] = {
    {32, 16, 16, NULL, NULL},
    {32, 3, 1, NULL, NULL},
    {32, 3, 16, "intrinsic operand from: the part of x that it gets begins at element ", NULL},
    {24, 4, 8, "which is not a multiple of 8; split the axes of x", NULL},
    {32, 3, 2, "which is not a multiple of 2; split the axes of x", NULL},
    {24, 8, 8, NULL, NULL},
    {24, 0, 16, NULL, "from: misaligned element offset"}, /* row 0 is, row 1 is not */
};

static te_intrin *row_of(te_context *c, int64_t multiple) {
    te_tensor *from = te_placeholder(c, "from", "int8", 1, (int64_t[]){16});
    te_tensor *to = te_define(c, "to[i: 16] = from[i]");
    te_intrin *row = te_intrin_create(c, "copy_row", to);
    te_intrin_buffer(row, from, "", multiple);
    te_expr *args[] = {te_intrin_access(row, to, "w"), te_intrin_access(row, from, "r"), te_int(c, "uint64", 16)};
    te_intrin_emit(row, TE_INTRIN_BODY, te_call(c, "int64", "memcpy", 3, args));
    return row;
}

/* The function called on memory of the host: rows of x are 24 or 32 long, those of y 16. */
static int32_t copy_rows(vtac_module *module, int8_t *x, int64_t width, int8_t *y) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_packed_function call = NULL;
    int64_t shapes[2][2] = {{3, width}, {3, 16}};
    DLTensor tensors[2];
    TVMValue values[2], result;
    int codes[2] = {VTA_ARG_TENSOR, VTA_ARG_TENSOR}, result_code;
    for (int i = 0; i < 2; i++) {
        tensors[i] = (DLTensor){.data = i ? y : x, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLInt, 8, 1}};
        tensors[i].shape = shapes[i];
        values[i].v_handle = &tensors[i];
    }
    if (vtac_module_function(module, "rows", diag, &call)) fail_msg("%s", vta_diag_text(diag));
    int status = call(values, codes, 2, &result, &result_code, NULL);
    vta_diag_destroy(diag);
    return status;
}

static void run_rows(const vtac_func *func, int64_t width, int64_t shift, const char *fails) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_module *module = NULL;
    int8_t x[3 * 32], y[3 * 16];
    for (int i = 0; i < 3 * 32; i++) x[i] = (int8_t)i;
    if (vtac_build(1, &(vtac_build_func){.func = func}, &(vtac_build_options){.target = "llvm"}, diag, &module))
        fail_msg("%s", vta_diag_text(diag));
    int status = copy_rows(module, x, width, y);
    assert_int_equal(status != 0, fails != NULL);
    if (fails) assert_string_equal(TVMGetLastError(), fails);
    for (int64_t i = 0; i < (fails ? 1 : 3); i++) assert_memory_equal(y + 16 * i, x + width * i + shift, 16);
    vtac_module_destroy(module);
    vta_diag_destroy(diag);
}

TEST_CASE(whole_tiles) {
    for (size_t i = 0; i < sizeof aligned / sizeof *aligned; i++) {
        te_context *c = te_context_create(NULL, NULL);
        char text[64];
        snprintf(text, sizeof text, "y[i: 3, j: 16] = x[i, j + %d]", (int)aligned[i].shift);
        te_tensor *x = te_placeholder(c, "x", "int8", 2, (int64_t[]){3, aligned[i].width}), *y = te_define(c, text);
        te_schedule *s = te_schedule_create(c, 1, &y);
        te_stage *st = te_schedule_stage(s, y);
        te_tensorize(st, te_stage_axis(st, 1), row_of(c, aligned[i].multiple));
        const vtac_func *func = NULL;
        vta_status status = vtac_lower(s, 2, (vtac_arg[]){{x}, {y}}, "rows", NULL, &func);
        if ((status != VTA_OK) != (aligned[i].refused != NULL))
            fail_msg("row %zu: %s", i, vta_diag_text(te_context_diag(c)));
        if (aligned[i].refused)
            assert_contains(vta_diag_text(te_context_diag(c)), aligned[i].refused);
        else
            run_rows(func, aligned[i].width, aligned[i].shift, aligned[i].fails);
        te_context_destroy(c);
    }
}

int main(void) { return run_cases(); }
