/* Calls about operators at the ends of what they take: as many steps, tries and products as there may be, and one more;
 * NULL; past the last; and what a call that fails leaves behind. */
#include "support/check.h"
#include "vta/ops.h"

#define SHAPE "height=8 width=8 in_channels=16 out_channels=16 "

/* `n` times a step. */
static const char *repeated(const char *front, const char *step, int n) {
    static char text[1024];
    size_t size = (size_t)snprintf(text, sizeof text, "%s epilogue=", front);
    for (int i = 0; i < n; i++) size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i ? "," : "", step);
    return text;
}

static vta_status create(const char *name, const char *text, const char *set, vta_diag *diag) {
    vta_config *plain = vta_config_default(), *config;
    vtac_op *op = (vtac_op *)&plain;
    vta_diag_clear(diag);
    assert_int_equal(vta_config_with(plain, set, diag, &config), VTA_OK);
    vta_status status = vtac_op_create(name, text, config, NULL, diag, &op);
    if (status != VTA_OK) assert_null(op);
    vtac_op_destroy(op);
    vta_config_release(config);
    vta_config_release(plain);
    return status;
}

/* The first of a pair is fine, the second is not. */
TEST_CASE(test_limits) {
    static const struct {
        const char *name, *front, *step, *config;
        int fine;
        const char *says;
    } steps[] = {
        {"conv2d", SHAPE, "relu", "", 32, "epilogue: more than 32 steps"},
        {"conv2d", SHAPE, "clip", "", 16, "epilogue: more than 32 steps"},
        {"conv2d", SHAPE, "bias,round_shift:20", "", 8, "epilogue: more than 32 operations"}, /* 4 for each */
        {"relu", "channels=4", "add:1", "", 31, "epilogue: more than 32 steps"},
        {"avg_pool2d", "channels=4 height=3 width=3 kernel=3", "add:1", "", 29, "epilogue: more than 32 steps"},
        {"avg_pool2d", "channels=4 height=4 width=4 kernel=4", "add:1", "", 30, "epilogue: more than 32 steps"},
    };
    static const struct {
        const char *name, *fine, *bad, *config;
        vta_status status;
        const char *says;
    } pairs[] = {
        {"conv2d", SHAPE "epilogue=residual_int8:-128", SHAPE "epilogue=residual_int8:-129", "", VTA_OUT_OF_RANGE,
         "epilogue: residual_int8:-129: a weight is from -128 to 127"},
        {"conv2d", SHAPE "epilogue=residual_int8:127", SHAPE "epilogue=residual_int8:128", "", VTA_OUT_OF_RANGE,
         "epilogue: residual_int8:128: a weight is from -128 to 127"},
        {"conv2d", SHAPE "epilogue=requantize:2:31", SHAPE "epilogue=requantize:2:32", "", VTA_OUT_OF_RANGE,
         "epilogue: requantize:2:32: shifts by 1 to 31"},
        {"conv2d", SHAPE "epilogue=clip:5:5", SHAPE "epilogue=clip:6:5", "", VTA_INVALID_ARGUMENT,
         "epilogue: clip: 6 is above 5"},
        {"conv2d", SHAPE "epilogue=bias_int8:64", SHAPE "epilogue=bias_int8:65", "", VTA_OUT_OF_RANGE,
         "epilogue: bias_int8:TILES: 65 is not from 1 to 64, what there may be"},
        {"conv2d", SHAPE "epilogue=shift:31", SHAPE "epilogue=shift:", "", VTA_INVALID_ARGUMENT,
         "epilogue: shift:N: \"\" is not an integer"},
        {"conv2d", SHAPE "epilogue=add:-32768", SHAPE "epilogue=add:-32769", "", VTA_OUT_OF_RANGE,
         "epilogue: add:N: -32769 is not from -32768 to 32767, what there may be"},
        {"conv2d", SHAPE "epilogue=requantize:3:4", SHAPE "epilogue=requantize:3:4:5", "", VTA_INVALID_ARGUMENT,
         "epilogue: \"requantize:3:4:5\" is not of the form requantize:M:N"},
        {"dense", "batch=65536 in_features=131072 out_features=131072",
         "batch=65536 in_features=131072 out_features=131073", "", VTA_OUT_OF_RANGE,
         "dense: more than 2^50 multiplications"},
        {"conv2d", SHAPE "kernel=3 epilogue=requantize:910:8", SHAPE "kernel=3 epilogue=requantize:911:8", "",
         VTA_OUT_OF_RANGE,
         "epilogue: requantize:911:8: values up to 2359296 may stand before it, and times 911 they do not fit an "
         "accumulator: put round_shift or clip before it, say how large bias is (bias:MOST), or take a smaller factor "
         "and shift"},
        /* the same of what stands before: lower, shifted, wider by a known bias, by a factor */
        {"conv2d", SHAPE "epilogue=max:-5,min:100,requantize:32767:8", SHAPE "epilogue=min:100,requantize:32767:8", "",
         VTA_OUT_OF_RANGE, "values up to 262144 may"},
        {"conv2d", SHAPE "epilogue=shift:3,requantize:32767:8", SHAPE "epilogue=shift:2,requantize:32769:8", "",
         VTA_OUT_OF_RANGE, "32769 is not from 1 to 32767"},
        {"conv2d", SHAPE "epilogue=shift:2,requantize:32767:8", SHAPE "epilogue=shift:1,requantize:32767:8", "",
         VTA_OUT_OF_RANGE, "values up to 131072 may"},
        {"conv2d", SHAPE "epilogue=bias:10,requantize:8191:8", SHAPE "epilogue=bias:10,requantize:8192:8", "",
         VTA_OUT_OF_RANGE, "values up to 262154 may"},
        {"conv2d", SHAPE "epilogue=multiply_channel:3,requantize:2730:8",
         SHAPE "epilogue=multiply_channel:3,requantize:2731:8", "", VTA_OUT_OF_RANGE, "values up to 786432 may"},
        {"conv2d", SHAPE "epilogue=multiply:-3,requantize:2730:8", SHAPE "epilogue=multiply:-3,requantize:2731:8", "",
         VTA_OUT_OF_RANGE, "values up to 786432 may"},
        {"conv2d", SHAPE "epilogue=leaky:3,add:-7,shift,requantize:32767:9",
         SHAPE "epilogue=leaky:3,add:7,requantize:8192:9", "", VTA_OUT_OF_RANGE, "values up to 262151 may"},
        {"conv2d", SHAPE "epilogue=residual_int8:-3,requantize:8180:8",
         SHAPE "epilogue=residual_int8:-3,requantize:8181:8", "", VTA_OUT_OF_RANGE, "values up to 262528 may"},
        {"conv2d", SHAPE "epilogue=bias_int8:2,requantize:2863:8", SHAPE "epilogue=bias_int8:2,requantize:2864:8", "",
         VTA_OUT_OF_RANGE, "values up to 750080 may"}, /* 262144 + 2 * 128 * (127 * 15 + 1) */
        {"conv2d", SHAPE "epilogue=residual,clip,requantize:32767:8", SHAPE "epilogue=residual,requantize:2:8", "",
         VTA_OUT_OF_RANGE, "values up to 2147483648 may"},
        {"conv2d", SHAPE "epilogue=bias,clip,requantize:32767:8", SHAPE "epilogue=clip:0:0,bias,requantize:2:8", "",
         VTA_OUT_OF_RANGE, "values up to 2147483648 may"},
        {"conv2d", SHAPE "epilogue=shift_channel,clip,requantize:32767:8",
         SHAPE "epilogue=shift_channel,requantize:2:8", "", VTA_OUT_OF_RANGE, "values up to 2147483648 may"},
    };
    vta_diag *diag = vta_diag_create(NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (create(steps[i].name, repeated(steps[i].front, steps[i].step, steps[i].fine), "", diag) != VTA_OK)
            fail_msg("%s %s: %s", steps[i].name, steps[i].front, vta_diag_text(diag));
        const char *more = repeated(steps[i].front, steps[i].step, steps[i].fine + 1);
        assert_int_equal(create(steps[i].name, more, "", diag), VTA_OUT_OF_RANGE);
        assert_contains(vta_diag_text(diag), steps[i].says);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (create(pairs[i].name, pairs[i].fine, pairs[i].config, diag) != VTA_OK)
            fail_msg("%s: %s", pairs[i].fine, vta_diag_text(diag));
        vta_status status = create(pairs[i].name, pairs[i].bad, pairs[i].config, diag);
        if (status != pairs[i].status || !strstr(vta_diag_text(diag), pairs[i].says))
            fail_msg("%s: %d, %s", pairs[i].bad, (int)status, vta_diag_text(diag));
    }
    vta_diag_destroy(diag);
}

TEST_CASE(test_long_attribute) {
    char text[600];
    vta_diag *diag = vta_diag_create(NULL);
    memset(text, 'x', sizeof text);
    text[100] = '=';
    text[511] = 0;
    assert_int_equal(create("dense", text, "", diag), VTA_NOT_FOUND);
    text[511] = 'x', text[512] = 0;
    assert_int_equal(create("dense", text, "", diag), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "dense: an attribute of more than 511 characters");
    assert_int_equal(create("dense", "=3", "", diag), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "dense: an attribute is KEY=VALUE, not \"=3\"");
    assert_int_equal(create("dense", "in_features=4 out_features=4 epilogue=relu epilogue=relu", "", diag),
                     VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "dense: epilogue is given twice");
    assert_int_equal(create("dense", " \t\nin_features=4\n\tout_features=4\n ", "", diag), VTA_OK);
    assert_int_equal(create("dense", "in_features=4", "", diag), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "dense: out_features is not given: rows of the weights (out_features=NUMBER)");
    vta_diag_destroy(diag);
}

TEST_CASE(test_null) {
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    vta_conv conv = {.size = 0};
    size_t n = 0;
    while (vtac_operator_name(n)) assert_non_null(vtac_operator_text(n++));
    assert_null(vtac_operator_text(n));
    assert_null(vtac_operator_attribute(n, 0));
    assert_non_null(vtac_operator_attribute(n - 1, 0));
    for (n = 0; vtac_epilogue_name(n); n++) assert_true(vtac_epilogue_form(n) && vtac_epilogue_text(n));
    assert_true(n == 17 && !vtac_epilogue_form(n) && !vtac_epilogue_text(n));
    for (n = 0; vtac_narrow_name(n); n++) assert_non_null(vtac_narrow_text(n));
    assert_true(n == 2 && !vtac_narrow_text(n) && !vtac_op_may_wrap(NULL));
    assert_true(!vtac_op_name(NULL) && !vtac_op_attributes(NULL) && !vtac_op_text(NULL) && !vtac_op_report(NULL));
    assert_true(!vtac_op_kernel(NULL) && !vtac_op_module(NULL));
    op = (vtac_op *)&op;
    assert_int_equal(vtac_op_create(NULL, "", NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_null(op);
    assert_contains(vta_diag_text(diag), "name is NULL");
    assert_int_equal(vtac_op_create("dense", NULL, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "attributes is NULL");
    assert_int_equal(vtac_op_create("dense", "", NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "out_op is NULL");
    assert_int_equal(vtac_op_schedule(NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "op is NULL");
    assert_int_equal(vtac_op_create("dense", "in_features=4 out_features=4", NULL, NULL, diag, &op), VTA_OK);
    vta_diag_clear(diag);
    assert_int_equal(vtac_op_conv(NULL, diag, &conv), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "op is NULL");
    assert_int_equal(vtac_op_conv(op, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "out_conv is NULL");
    assert_int_equal(vtac_op_conv(op, diag, &conv), VTA_UNSUPPORTED);
    assert_contains(vta_diag_text(diag), "dense is not a convolution: its operands are plain tiles");
    vtac_op_options options = {.tries = 33};
    assert_int_equal(vtac_op_schedule(op, &options, diag, NULL), VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag), "tries is 33: at most 32");
    options.tries = 32;
    assert_int_equal(vtac_op_schedule(op, &options, diag, NULL), VTA_OK);
    assert_true(vtac_op_kernel(op) && vtac_op_module(op) && !vtac_operator_attribute(0, 1000));
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
