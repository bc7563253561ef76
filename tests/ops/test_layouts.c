/* The arguments of operators' kernels: their names and order, their types, and their extents in tiles, as
 * docs/operators.md says under "Layouts". */
#include "support/diag.h"
#include "vta/kernel.h"
#include "vta/ops.h"

#define STEPS "epilogue=bias,shift,residual_int8,bias,residual,shift_channel,multiply_channel,bias_int8:3,residual"
#define B1 "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18"
#define WIDE_IN "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=14"
#define WIDE_OUT "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16"

static const struct {
    const char *name, *attributes, *config, *arguments;
} cases[] = {
    {"conv2d",
     "batch=3 height=9 width=7 in_channels=20 out_channels=40 kernel_h=3 kernel_w=2 stride=2 pad_top=1 " STEPS, B1,
     "data int8 2 2 9 7 2 16, weight int8 3 2 3 2 16 16, bias0 int32 3 2 16, bias1 int32 3 2 16, "
     "residual0 int32 2 3 4 3 2 16, residual1 int32 2 3 4 3 2 16, factor0 int32 3 2 16, amount0 int32 3 2 16, "
     "digits0 int8 3 3 16 16, addend0 int8 2 3 4 3 2 16, res int8 2 3 4 3 2 16, "},
    {"conv2d", "height=5 width=4 in_channels=20 out_channels=20 kernel=1 epilogue=bias_int8,residual_int8", WIDE_IN,
     "data int8 1 1 5 4 1 32, weight int8 3 1 1 1 8 32, digits0 int8 3 1 8 32, addend0 int8 1 1 5 4 1 32, "
     "res int8 1 3 5 4 1 8, "},
    {"conv2d", "height=5 width=4 in_channels=20 out_channels=20 kernel=1 epilogue=bias_int8,residual_int8", WIDE_OUT,
     "data int8 1 3 5 4 1 8, weight int8 2 3 1 1 16 8, digits0 int8 2 1 16 8, addend0 int8 1 4 5 4 1 8, "
     "res int8 1 2 5 4 1 16, "},
    {"conv2d_transpose", "height=3 width=4 in_channels=20 out_channels=40 kernel=3 stride=2 epilogue=bias,residual", "",
     "data int8 1 2 3 4 1 16, weight int8 3 2 3 3 16 16, bias0 int32 3 1 16, residual0 int32 1 3 7 9 1 16, "
     "res int8 1 3 7 9 1 16, "},
    {"dense", "batch=5 in_features=40 out_features=20 " STEPS, B1,
     "data int8 3 3 2 16, weight int8 2 3 16 16, bias0 int32 2 2 16, bias1 int32 2 2 16, residual0 int32 3 2 2 16, "
     "residual1 int32 3 2 2 16, factor0 int32 2 2 16, amount0 int32 2 2 16, digits0 int8 2 3 16 16, "
     "addend0 int8 3 2 2 16, res int8 3 2 2 16, "},
    {"dense", "batch=5 in_features=40 out_features=90 epilogue=residual_int8", WIDE_IN,
     "data int8 5 2 1 32, weight int8 12 2 8 32, addend0 int8 5 3 1 32, res int8 5 12 1 8, "},
    {"batch_matmul", "batch=7 rows=5 in_features=40 out_features=20 " STEPS, B1,
     "data int8 7 3 3 2 16, weight int8 7 2 3 16 16, bias0 int32 2 2 16, bias1 int32 2 2 16, "
     "residual0 int32 7 3 2 2 16, residual1 int32 7 3 2 2 16, factor0 int32 2 2 16, amount0 int32 2 2 16, "
     "digits0 int8 2 3 16 16, addend0 int8 7 3 2 2 16, res int8 7 3 2 2 16, "},
    {"batch_matmul", "batch=7 rows=5 in_features=40 out_features=200 epilogue=residual_int8", WIDE_OUT,
     "data int8 7 5 5 1 8, weight int8 7 13 5 16 8, addend0 int8 7 5 26 1 8, res int8 7 5 13 1 16, "},
    {"add", "batch=2 channels=40 height=3 width=4 epilogue=bias,residual", B1,
     "a int8 1 3 3 4 2 16, b int8 1 3 3 4 2 16, bias0 int32 3 2 16, residual0 int32 1 3 3 4 2 16, "
     "res int8 1 3 3 4 2 16, "},
    {"multiply", "channels=40 height=3 width=4 wide=1", "",
     "a int32 1 3 3 4 1 16, b int32 1 3 3 4 1 16, res int8 1 3 3 4 1 16, "},
    {"bias_add", "channels=40 height=3 width=4 epilogue=bias,shift_channel", "",
     "data int8 1 3 3 4 1 16, bias0 int32 3 1 16, bias1 int32 3 1 16, amount0 int32 3 1 16, res int8 1 3 3 4 1 16, "},
    {"relu", "channels=40 height=3 width=4", WIDE_IN, "data int8 1 2 3 4 1 32, res int8 1 2 4 3 4 1 8, "},
    {"relu", "channels=40 height=3 width=4", WIDE_OUT, "data int8 1 3 2 3 4 1 8, res int8 1 3 3 4 1 16, "},
    {"max_pool2d", "channels=40 height=9 width=8 kernel=3 stride=2 pad=1", "",
     "data int8 1 3 9 8 1 16, res int8 1 3 5 4 1 16, "},
    {"upsample2d", "channels=40 height=3 width=4 scale_h=3 scale_w=2", "",
     "data int8 1 3 3 4 1 16, res int8 1 3 9 8 1 16, "},
    {"concat", "channels0=20 channels1=5 channels2=16 height=3 width=4", "",
     "x0 int8 1 2 3 4 1 16, x1 int8 1 1 3 4 1 16, x2 int8 1 1 3 4 1 16, res int8 1 3 3 4 1 16, "},
};

static void write_arguments(const vtac_op *op, char *to, size_t size) {
    vtac_kernel *kernel = vtac_op_kernel(op);
    size_t at = 0;
    for (size_t i = 0; i < vtac_kernel_arg_count(kernel); i++) {
        const te_tensor *t = vtac_kernel_arg(kernel, i);
        at += (size_t)snprintf(to + at, size - at, "%s %s", te_tensor_name(t),
                               te_tensor_dtype(vtac_kernel_context(kernel), t));
        for (size_t d = 0; d < te_tensor_ndim(t); d++)
            at += (size_t)snprintf(to + at, size - at, " %d", (int)te_tensor_dim(t, d));
        at += (size_t)snprintf(to + at, size - at, ", ");
        assert_true(at < size);
    }
}

static void arguments(void **state) {
    (void)state;
    vta_config *plain = vta_config_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vta_config *config;
        vtac_op *op;
        char text[1024];
        must(vta_config_with(plain, cases[i].config, diag, &config));
        must(vtac_op_create(cases[i].name, cases[i].attributes, config, NULL, diag, &op));
        must(vtac_op_schedule(op, &(vtac_op_options){.tries = 1, .without_code = true}, diag, NULL));
        write_arguments(op, text, sizeof text);
        if (strcmp(text, cases[i].arguments) != 0) fail_msg("%s %s: %s", cases[i].name, cases[i].attributes, text);
        vtac_op_destroy(op);
        vta_config_release(config);
    }
    vta_config_release(plain);
}

/* Channels are moved by whole blocks where all inputs but the last fill theirs, else lane by lane. */
static void blocks_of_concat(void **state) {
    (void)state;
    static const struct {
        const char *channels;
        bool whole;
    } rows[] = {{"channels0=16 channels1=32 channels2=5", true},
                {"channels0=5", true},
                {"channels0=16 channels1=5 channels2=16", false},
                {"channels0=20 channels1=16", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vtac_op *op;
        char text[100];
        snprintf(text, sizeof text, "height=3 width=4 %s", rows[i].channels);
        must(vtac_op_create("concat", text, NULL, NULL, diag, &op));
        must(vtac_op_schedule(op, &(vtac_op_options){.without_code = true}, diag, NULL));
        bool by_lanes = strstr(vtac_op_text(op), "ci)") || strstr(vtac_op_text(op), "ci <");
        if (by_lanes == rows[i].whole) fail_msg("%s: %s", text, vtac_op_text(op));
        vtac_op_destroy(op);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(arguments, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(blocks_of_concat, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
