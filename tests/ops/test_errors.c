/* What an operator refuses, with code and words. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"

#define SHAPE "height=8 width=8 in_channels=16 out_channels=16 "

static const struct {
    const char *name, *text;
    vta_status status;
    const char *words;
} refused[] = {
    {"conv", "", VTA_NOT_FOUND, "there is no operator \"conv\"; did you mean conv2d?"},
    {"conv2d", "height=8 width=8 in_channels=16", VTA_INVALID_ARGUMENT, "out_channels is not given"},
    {"conv2d", SHAPE "pool=9", VTA_INVALID_ARGUMENT, "windows of pool=9 do not fit its 8 x 8 outputs"},
    {"conv2d", SHAPE "pool=2 pool_pad=2", VTA_INVALID_ARGUMENT, "with pool_pad=2"},
    {"conv2d", SHAPE "pool=3 pool_stride=1", VTA_UNSUPPORTED, "use max_pool2d"},
    {"conv2d", SHAPE "pool=2 batch=2", VTA_UNSUPPORTED, "one block of images"},
    {"conv2d", SHAPE "pool=2 epilogue=residual", VTA_UNSUPPORTED, "no residuals"},
    {"conv2d", SHAPE "kernel=5 dilation=8 pad=16", VTA_UNSUPPORTED, "a load pads by 15 rows at most, not by 16"},
    {"conv2d", SHAPE "kernel_w=5 dilation=8 pad_left=10 pad_right=22", VTA_UNSUPPORTED,
     "15 columns at most, not by 22"},
    {"conv2d", SHAPE "strides=2", VTA_NOT_FOUND, "no attribute \"strides\"; did you mean stride?"},
    {"conv2d", SHAPE "kernel", VTA_INVALID_ARGUMENT, "an attribute is KEY=VALUE, not \"kernel\""},
    {"conv2d", SHAPE "kernel=three", VTA_INVALID_ARGUMENT, "kernel=three: not an integer"},
    {"conv2d", SHAPE "kernel=", VTA_INVALID_ARGUMENT, "not an integer"},
    {"conv2d", SHAPE "stride=0", VTA_OUT_OF_RANGE, "stride=0: must be from 1 to 255"},
    {"conv2d", SHAPE "pad=99999999999999999999", VTA_OUT_OF_RANGE, "must be from 0 to 255"},
    {"conv2d", SHAPE "pad=1 pad=2", VTA_INVALID_ARGUMENT, "pad is given twice"},
    {"conv2d", SHAPE "kernel=9", VTA_INVALID_ARGUMENT, "does not fit the padded image of 8 x 8"},
    {"conv2d", SHAPE "kernel=5 dilation=2", VTA_INVALID_ARGUMENT, "a kernel that covers 9 x 9"},
    {"conv2d", SHAPE "narow=wrap", VTA_NOT_FOUND, "no attribute \"narow\"; did you mean narrow?"},
    {"conv2d", SHAPE "narrow=clamp", VTA_INVALID_ARGUMENT, "narrow=clamp: expected saturate or wrap"},
    {"conv2d", SHAPE "narrow=", VTA_INVALID_ARGUMENT, "narrow=: expected saturate or wrap"},
    {"concat", "channels0=16 narrow=wrap narrow=wrap", VTA_INVALID_ARGUMENT, "narrow is given twice"},
    {"conv2d", SHAPE "epilogue=rellu", VTA_NOT_FOUND, "no step \"rellu\"; did you mean relu?"},
    {"conv2d", SHAPE "epilogue=shift:32", VTA_OUT_OF_RANGE, "32 is not from 0 to 31"},
    {"conv2d", SHAPE "epilogue=shift:x", VTA_INVALID_ARGUMENT, "\"x\" is not an integer"},
    {"conv2d", SHAPE "epilogue=relu:1", VTA_INVALID_ARGUMENT, "\"relu:1\" is not of the form relu"},
    {"conv2d", SHAPE "epilogue=clip:5", VTA_INVALID_ARGUMENT, "not of the form clip:LOW:HIGH"},
    {"conv2d", SHAPE "epilogue=clip:5:4", VTA_INVALID_ARGUMENT, "5 is above 4"},
    {"conv2d", SHAPE "epilogue=add", VTA_INVALID_ARGUMENT, "not of the form add:N"},
    {"conv2d", SHAPE "epilogue=add:40000", VTA_OUT_OF_RANGE, "not from -32768 to 32767"},
    {"conv2d", SHAPE "epilogue=multiply:0", VTA_INVALID_ARGUMENT, "makes zeros of any input"},
    {"conv2d", SHAPE "epilogue=shift,,relu", VTA_NOT_FOUND, "no step \"\""},
    {"conv2d", SHAPE "epilogue=round_shift", VTA_INVALID_ARGUMENT, "not of the form round_shift:N"},
    {"conv2d", SHAPE "epilogue=round_shift:0", VTA_OUT_OF_RANGE, "0 is not from 1 to 31"},
    {"conv2d", SHAPE "epilogue=requantize:3", VTA_INVALID_ARGUMENT, "not of the form requantize:M:N"},
    {"conv2d", SHAPE "epilogue=requantize:3:32", VTA_OUT_OF_RANGE, "shifts by 1 to 31"},
    {"conv2d", SHAPE "kernel=3 epilogue=requantize:911:8", VTA_OUT_OF_RANGE,
     "values up to 2359296 may stand before it"},
    {"conv2d", SHAPE "epilogue=bias,requantize:2:8", VTA_OUT_OF_RANGE, "say how large bias is (bias:MOST)"},
    {"conv2d", SHAPE "epilogue=bias:0", VTA_OUT_OF_RANGE, "0 is not from 1 to 2147483647"},
    {"conv2d", SHAPE "epilogue=residual_int8:128", VTA_OUT_OF_RANGE, "a weight is from -128 to 127"},
    {"relu", "channels=16 epilogue=bias_int8", VTA_UNSUPPORTED, "adds by GEMM to a sum of products"},
    {"conv2d", SHAPE "groups=5", VTA_INVALID_ARGUMENT, "5 groups do not divide 16 input and 16 output channels"},
    {"conv2d", SHAPE "groups=2 fold=1", VTA_INVALID_ARGUMENT, "cannot be folded"},
    {"conv2d_transpose", SHAPE "pad=9", VTA_INVALID_ARGUMENT, "takes all of the result: -10 x -10 outputs are left"},
    {"conv2d_transpose", SHAPE "stride=2 output_pad_w=2", VTA_INVALID_ARGUMENT, "not below the stride of 2 x 2"},
    {"batch_matmul", "rows=4 in_features=4", VTA_INVALID_ARGUMENT, "out_features is not given"},
    {"batch_matmul", "rows=4 in_features=40 out_features=16 in_beside=1", VTA_UNSUPPORTED,
     "in_beside: matrices of 40 features do not fill blocks of 16"},
    {"batch_matmul", "rows=4 in_features=40 out_features=24 out_beside=1", VTA_UNSUPPORTED,
     "out_beside: matrices of 24 features do not fill blocks of 16"},
    {"batch_matmul", "rows=4 in_features=40 out_features=32 out_beside=1 epilogue=residual", VTA_UNSUPPORTED,
     "there is no residual beside it"},
    {"batch_matmul", "rows=4 in_features=4097 out_features=32 shares=1", VTA_OUT_OF_RANGE,
     "in_features is 4096 at most"},
    {"batch_matmul", "rows=4 in_features=40 out_features=32 shares=1 epilogue=bias_int8", VTA_UNSUPPORTED, "use bias"},
    {"row_moments", "batch=4 features=32 epilogue=shift", VTA_UNSUPPORTED, "bytes of sums have no epilogue"},
    {"row_moments", "batch=4 features=40", VTA_UNSUPPORTED, "40 features do not fill blocks of 16"},
    {"layer_norm", "batch=4 features=40", VTA_UNSUPPORTED, "40 features do not fill blocks of 16"},
    {"layer_norm", "batch=4 features=4097", VTA_OUT_OF_RANGE, "features=4097: must be from 2 to 4096"},
    {"dense", "batch=1 in_features=4", VTA_INVALID_ARGUMENT, "out_features is not given"},
    {"add", "height=4", VTA_INVALID_ARGUMENT, "channels is not given"},
    {"add", "channels=4 wide=2", VTA_OUT_OF_RANGE, "wide=2: must be from 0 to 1"},
    {"leaky_relu", "channels=4 by=32", VTA_OUT_OF_RANGE, "by=32: must be from 0 to 31"},
    {"clip", "channels=4 low=5 high=4", VTA_INVALID_ARGUMENT, "5 is above 4"},
    {"clip", "channels=4 high=40000", VTA_OUT_OF_RANGE, "high=40000: must be from -32768 to 32767"},
    {"max_pool2d", "channels=4 height=4 width=4 kernel=5", VTA_INVALID_ARGUMENT,
     "does not fit the padded image of 4 x 4"},
    {"max_pool2d", "channels=4 height=4 width=4 kernel=2 pad=2", VTA_INVALID_ARGUMENT,
     "nothing but padding in its rows"},
    {"avg_pool2d", "channels=4 height=4 width=4 kernel=3 stride=3 pad_right=5", VTA_INVALID_ARGUMENT,
     "nothing but padding in its columns"},
    {"avg_pool2d", "channels=4 height=40 width=40 kernel=20 pad=16", VTA_UNSUPPORTED, "a load pads by 15 rows at most"},
    {"avg_pool2d", "channels=4 count_include_pad=2", VTA_OUT_OF_RANGE, "must be from 0 to 1"},
    {"max_pool2d", "channels=4 height=40 width=40 kernel=9 stride=9", VTA_UNSUPPORTED, "into more than 64 tensors"},
    {"global_avg_pool2d", "channels=4 height=28 width=241", VTA_UNSUPPORTED,
     "divide the sum of 6748 elements of 8 bits exactly: the average would be off by up to 1, and 0 is the bound"},
    {"global_avg_pool2d", "channels=4 height=200 width=200", VTA_UNSUPPORTED,
     "divide the sum of 40000 elements of 8 bits exactly: they do not fit an instruction"},
    {"conv2d", SHAPE "epilogue=residual_int8:0", VTA_INVALID_ARGUMENT, "residual_int8:0 adds nothing: leave it out"},
    {"relu", "channels=4 wide=1 epilogue=round_shift:1", VTA_OUT_OF_RANGE,
     "round_shift:1: values up to 2147483647 may stand before it, and with 1 added the largest does not fit"},
    {"concat", "channels0=4 channels2=4", VTA_INVALID_ARGUMENT, "channels2 is given, but not channels1"},
    {"concat", "channels0=4 epilogue=relu", VTA_UNSUPPORTED, "put its steps behind the operators that make the inputs"},
    {"upsample2d", "channels=4 scale=0", VTA_OUT_OF_RANGE, "must be from 1 to 64"},
    {"conv2d", "batch=65536 height=60000 width=60000 in_channels=65536 out_channels=65536", VTA_OUT_OF_RANGE,
     "more bytes than can be counted"},
    {"conv2d", "batch=65536 height=600 width=600 in_channels=64 out_channels=65536 kernel=9", VTA_OUT_OF_RANGE,
     "more than 2^50 multiplications"},
    /* 2^64 of them, in which 64 bits would see none */
    {"conv2d", "batch=65536 height=31 width=31 in_channels=65536 out_channels=65536 kernel=16", VTA_OUT_OF_RANGE,
     "more than 2^50 multiplications"},
    {"conv2d_transpose", "batch=65536 height=16 width=16 in_channels=65536 out_channels=65536 kernel=16",
     VTA_OUT_OF_RANGE, "more than 2^50 multiplications"},
    {"batch_matmul", "batch=65536 rows=65536 in_features=65536 out_features=65536", VTA_OUT_OF_RANGE,
     "more than 2^50 multiplications"},
};

TEST_CASE(test_refused) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        vtac_op *op = NULL;
        vta_diag *diag = vta_diag_create(NULL);
        vta_status status = vtac_op_create(refused[i].name, refused[i].text, NULL, NULL, diag, &op);
        if (status != refused[i].status || !strstr(vta_diag_text(diag), refused[i].words) || op)
            fail_msg("%s %s: %d, %s", refused[i].name, refused[i].text, (int)status, vta_diag_text(diag));
        vta_diag_destroy(diag);
    }
}

/* As much padding as a load can make, before and after. */
TEST_CASE(test_padding_fits) {
    static const char *const fine[][2] = {{"avg_pool2d", "channels=4 height=40 width=40 kernel=16 pad=15"},
                                          {"conv2d", SHAPE "kernel=16 pad=15"}};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        vtac_op *op;
        vta_diag *diag = vta_diag_create(NULL);
        if (vtac_op_create(fine[i][0], fine[i][1], NULL, NULL, diag, &op) != VTA_OK)
            fail_msg("%s", vta_diag_text(diag));
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
    }
}

/* The largest factor that surely fits: sums of 9 * 16 products of at most 2^14. */
TEST_CASE(test_requantize_fits) {
    static const char *const fine[] = {"kernel=3 epilogue=requantize:910:8", "epilogue=bias:1000000,requantize:1701:8",
                                       "kernel=3 epilogue=bias,clip:-32768:32767,requantize:32767:31"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char text[256];
        vtac_op *op;
        vta_diag *diag = vta_diag_create(NULL);
        snprintf(text, sizeof text, SHAPE "%s", fine[i]);
        if (vtac_op_create("conv2d", text, NULL, NULL, diag, &op) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
    }
}

/* Widths that nothing computes with are refused when the operator is made. */
TEST_CASE(test_widths) {
    static const char *const cases[][2] = {
        {"LOG_ACC_WIDTH=4 LOG_ACC_BUFF_SIZE=14 LOG_INP_BUFF_SIZE=13",
         "operators are not computed with accumulators of 16 bits; use a configuration with 32 bits (LOG_ACC_WIDTH=5)"},
        {"LOG_INP_WIDTH=1 LOG_INP_BUFF_SIZE=12", "with inputs of 2 bits; use a configuration with 4 bits or more"},
        {"LOG_WGT_WIDTH=0 LOG_WGT_BUFF_SIZE=14", "with weights of 1 bits; use a configuration with 4 bits or more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name;
        vta_config *plain = vta_config_default(), *config;
        assert_int_equal(vta_config_with(plain, cases[i][0], NULL, &config), VTA_OK);
        for (size_t k = 0; (name = vtac_operator_name(k)); k++) {
            vtac_op *op;
            vta_diag *diag = vta_diag_create(NULL);
            assert_int_equal(vtac_op_create(name, "", config, NULL, diag, &op), VTA_UNSUPPORTED);
            assert_null(op);
            if (!strstr(vta_diag_text(diag), cases[i][1])) fail_msg("%s: %s", name, vta_diag_text(diag));
            vta_diag_destroy(diag);
        }
        vta_config_release(config);
        vta_config_release(plain);
    }
}

/* Constants that the host cannot write are refused with the step that needs them. */
TEST_CASE(test_narrow_constants) {
    static const char *const cases[][3] = {
        {"LOG_INP_WIDTH=2 LOG_INP_BUFF_SIZE=14", "bias_int8", "cannot write inputs of 4 bits: use bias"},
        {"LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=16", "residual_int8", "cannot write weights of 4 bits: use residual"},
    };
    for (size_t i = 0; i < 4; i++) {
        vta_config *plain = vta_config_default(), *config;
        vta_diag *diag = vta_diag_create(NULL);
        vtac_op *op;
        char text[128];
        bool bad = i < 2; /* the other step does not mind */
        snprintf(text, sizeof text, "in_features=8 out_features=8 epilogue=%s", cases[bad ? i : 3 - i][1]);
        assert_int_equal(vta_config_with(plain, cases[i % 2][0], NULL, &config), VTA_OK);
        vta_status status = vtac_op_create("dense", text, config, NULL, diag, &op);
        assert_int_equal(status, bad ? VTA_UNSUPPORTED : VTA_OK);
        if (bad && !strstr(vta_diag_text(diag), cases[i][2])) fail_msg("%s", vta_diag_text(diag));
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
        vta_config_release(config);
        vta_config_release(plain);
    }
}

/* What does not fit with a tile of one output is told with what is needed and what there is. */
static const struct {
    const char *name, *text, *config, *words;
} large[] = {
    {"conv2d", "height=64 width=64 in_channels=1 out_channels=1 kernel=40", "",
     "conv2d: not even one output fits the chip: its kernel takes 1600 inp and 1600 wgt elements of 2048 and 1024, and "
     "its accumulators 1 of 2048; compute this layer on the host, or configure larger buffers"},
    {"conv2d",
     "height=99 width=99 in_channels=1 out_channels=1 kernel_h=33 kernel_w=32 dilation_h=2 dilation_w=3 "
     "epilogue=bias,residual,bias",
     "", "takes 6110 inp and 1056 wgt elements of 2048 and 1024, and its accumulators 4 of 2048"}, /* 65 x 94 */
    {"conv2d", "height=12 width=12 in_channels=512 out_channels=512 kernel=3 pad=1 pool=2", "",
     "conv2d: with pool=2 a row of the result does not fit the chip: it takes 252 inp elements of 2048, 9216 wgt of "
     "1024 and 36 acc of 2048, in 18624 steps of 2048; use conv2d and max_pool2d"}, /* 3 tensors: 2 x 3 rows of 14 each;
                                                                                       6 rows of 32 x (1 + 3 x 32) steps
                                                                                     */
    {"upsample2d", "channels=4 height=2 width=3 scale=64", "",
     "upsample2d: cannot run on the accelerator, because not even one output fits the chip: it takes 1 inp elements of "
     "2048, 1 wgt of 1024, 4096 acc of 2048 and 4104 micro-ops of 8192; compute it on the host, or configure "
     "larger buffers"},
    {"global_avg_pool2d", "channels=4 height=2 width=300", "LOG_INP_BUFF_SIZE=12",
     "takes 300 inp elements of 256, 1 wgt of 1024, 3 acc of 2048 and 9 micro-ops of 8192"},
};

TEST_CASE(test_nothing_fits) {
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        vta_config *plain = vta_config_default(), *config;
        vta_diag *diag = vta_diag_create(NULL);
        vtac_op *op;
        assert_int_equal(vta_config_with(plain, large[i].config, diag, &config), VTA_OK);
        assert_int_equal(vtac_op_create(large[i].name, large[i].text, config, NULL, diag, &op), VTA_OK);
        assert_int_equal(vtac_op_schedule(op, NULL, diag, NULL), VTA_UNSUPPORTED);
        if (!strstr(vta_diag_text(diag), large[i].words)) fail_msg("%s", vta_diag_text(diag));
        assert_null(vtac_op_text(op));
        assert_null(vtac_op_kernel(op));
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
        vta_config_release(config);
        vta_config_release(plain);
    }
}

/* The unit matrix has no place in weights that share bytes. */
TEST_CASE(test_narrow_weights) {
    static const char *const names[] = {"add", "relu", "leaky_relu"};
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *config;
    vtac_op *op;
    assert_int_equal(vta_config_with(plain, "LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17", diag, &config), VTA_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        vta_diag *said = vta_diag_create(NULL);
        assert_int_equal(vtac_op_create(names[i], "channels=16", config, NULL, said, &op), VTA_UNSUPPORTED);
        assert_null(op);
        assert_non_null(strstr(vta_diag_text(said), "cannot write weights of 4 bits; weights of 8 bits"));
        vta_diag_destroy(said);
        assert_int_equal(vtac_op_create(names[i], "channels=16 wide=1", config, NULL, diag, &op), VTA_OK);
        vtac_op_destroy(op);
    }
    vta_config_release(config);
    vta_config_release(plain);
    vta_diag_destroy(diag);
}

TEST_CASE(test_bad_calls) {
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vtac_op_create(NULL, "", NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_create("dense", NULL, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_create("dense", "", NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_schedule(NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_op_create("dense", "in_features=4 out_features=4", NULL, NULL, diag, &op), VTA_OK);
    assert_int_equal(vtac_op_schedule(op, &(vtac_op_options){.tries = 1000}, diag, NULL), VTA_OUT_OF_RANGE);
    vtac_op_destroy(op);
    vtac_op_destroy(NULL);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
