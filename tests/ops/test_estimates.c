/* What schedules are estimated to take. The numbers are the model's (turns_time.c, cost.c, tiles.c, each operator's
 * `use`): who changes the model changes them. That they mean something is checked beside: they are near the cycles that
 * the timing simulator counts for the code. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "support/check.h"

#include "operators/knobs.h"

#define CONFIG_IN "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=14"
#define CONFIG_OUT "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16"
#define ROWS 1
#define TURNS(...) .blocks = {.turns = true, __VA_ARGS__}

static const struct {
    const char *name, *text, *config;
    vt_op_blocks blocks;
    double estimate;
    int bound;   /* cycles that no schedule can beat */
    int percent; /* by which the estimate is off, at most */
} cases[] = {
    /* One tile: load, reset, product, epilogue, store one after the other. */
    {"dense", "in_features=16 out_features=16", "", {.oc = 1, .y = 1, .x = 1, .ic = 1, .threads = 1}, 175.9, 32, 10},
    {"dense",
     "batch=6 in_features=96 out_features=80 epilogue=bias,shift",
     "",
     {.oc = 5, .y = 3, .x = 1, .ic = 2, .threads = 2, .share_rows = ROWS},
     3294.0,
     960,
     20},
    {"dense",
     "batch=6 in_features=640 out_features=96 epilogue=residual",
     "",
     {.oc = 2, .y = 2, .x = 1, .ic = 1, .threads = 3},
     47071.6,
     7968,
     15},
    {"batch_matmul",
     "batch=20 rows=3 in_features=48 out_features=64",
     "",
     {.oc = 4, .y = 3, .x = 1, .ic = 3, .threads = 1},
     12164.0,
     960,
     10},
    {"conv2d",
     "height=9 width=7 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=shift,relu",
     "",
     {.oc = 2, .y = 3, .x = 7, .ic = 1, .threads = 2},
     16717.2,
     6456,
     15},
    {"conv2d",
     "height=9 width=7 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=multiply_channel,shift_channel",
     "",
     {.oc = 3, .y = 2, .x = 4, .ic = 3, .threads = 1},
     40983.3,
     6960,
     20},
    {"conv2d",
     "height=12 width=12 in_channels=64 out_channels=32 kernel_h=3 kernel_w=2 stride_h=2 dilation_w=3 "
     "epilogue=bias,residual",
     "",
     {.oc = 2, .y = 1, .x = 9, .ic = 2, .threads = 5, .share_rows = ROWS},
     12789.2,
     2610,
     10},
    {"conv2d",
     "height=8 width=8 in_channels=32 out_channels=32 kernel=1 stride=2 epilogue=bias_int8:2,leaky,residual_int8",
     "",
     {.oc = 1, .y = 4, .x = 4, .ic = 1, .threads = 2},
     1737.4,
     384,
     5},
    {"conv2d",
     "height=6 width=6 in_channels=64 out_channels=64 groups=64 kernel=3 pad=1",
     "",
     {.oc = 2, .y = 2, .x = 6, .ic = 1, .threads = 2},
     6488.4,
     1168,
     20},
    {"conv2d",
     "height=6 width=6 in_channels=64 out_channels=128 groups=2 kernel=3",
     "",
     {.oc = 2, .y = 2, .x = 4, .ic = 1, .threads = 2},
     13074.0,
     4608,
     15},
    {"conv2d_transpose",
     "height=4 width=5 in_channels=32 out_channels=32 kernel=4 stride=2 pad=1",
     "",
     {.oc = 1, .y = 4, .x = 10, .ic = 1, .threads = 2, .share_rows = ROWS},
     7452.0,
     2048,
     35},
    {"conv2d_transpose",
     "height=4 width=5 in_channels=32 out_channels=32 kernel_h=3 kernel_w=2 stride_h=2 pad_top=1 pad_left=0",
     "",
     {.oc = 2, .y = 8, .x = 6, .ic = 2, .threads = 1},
     2130.4,
     768,
     15},
    /* Tiles that take turns. */
    {"conv2d", "height=9 width=7 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=shift,relu", "",
     TURNS(.oc_parts = {2, {3, 1}}, .y_parts = {2, {5, 4}}, .ic_parts = {3, {1, 1, 1}}), 9825.2, 6456, 5},
    {"conv2d", "height=9 width=7 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=bias,residual,leaky", "",
     TURNS(.oc_parts = {2, {2, 2}}, .y_parts = {3, {3, 3, 3}}, .ic_parts = {2, {1, 2}}, .rows_inside = true), 14153.8,
     8472, 30},
    {"conv2d", "height=9 width=7 in_channels=48 out_channels=64 kernel=3 pad=1 epilogue=bias_int8,residual_int8", "",
     TURNS(.oc_parts = {2, {2, 2}}, .y_parts = {3, {3, 3, 3}}, .ic_parts = {2, {1, 2}}, .rows_inside = true,
           .keep_weight = true),
     10625.8, 6456, 5},
    {"conv2d", "height=9 width=9 in_channels=48 out_channels=64 kernel=1 stride=2", "",
     TURNS(.oc_parts = {4, {1, 1, 1, 1}}, .y_parts = {2, {2, 3}}, .ic_parts = {1, {3}}, .keep_data = true), 1825.0, 400,
     30},
    {"conv2d", "height=9 width=9 in_channels=48 out_channels=64 kernel_h=1 kernel_w=5 pad_left=2 pad_right=2", "",
     TURNS(.oc_parts = {1, {4}}, .y_parts = {2, {4, 5}}, .ic_parts = {3, {1, 1, 1}}, .keep_data = true,
           .keep_weight = true),
     6502.0, 4536, 5},
    {"conv2d", "height=9 width=9 in_channels=96 out_channels=32 kernel=3", "LOG_BLOCK=5",
     TURNS(.oc_parts = {1, {1}}, .y_parts = {7, {1, 1, 1, 1, 1, 1, 1}}, .ic_parts = {3, {1, 1, 1}}, .third_place = true,
           .late_uops = true),
     27596.8, 3456, 5},
    {"conv2d", "height=9 width=9 in_channels=48 out_channels=64 kernel=3 stride=2 pad=2 dilation=2", "",
     TURNS(.oc_parts = {2, {2, 2}}, .y_parts = {2, {3, 2}}, .ic_parts = {2, {2, 1}}, .rows_inside = true,
           .keep_data = true),
     8248.0, 3456, 5},
    {"conv2d", "height=9 width=9 in_channels=48 out_channels=64 kernel_h=3 kernel_w=1 pad_top=1 pad_bottom=1", "",
     TURNS(.oc_parts = {3, {1, 2, 1}}, .y_parts = {3, {3, 3, 3}}, .ic_parts = {2, {2, 1}}, .keep_weight = true), 5251.8,
     3024, 5},
    /* Operators that are no sums of products. */
    {"add", "channels=64 height=4 width=6 epilogue=relu", "", {.oc = 2, .y = 2, .x = 6, .threads = 2}, 1496.8, 672, 5},
    {"multiply", "channels=64 height=4 width=6", "", {.oc = 2, .y = 2, .x = 6, .threads = 2}, 1328.8, 576, 30},
    {"max", "channels=64 height=3 width=6", "", {.oc = 2, .y = 3, .x = 6, .threads = 2}, 1099.6, 432, 30},
    {"min", "channels=64 height=2 width=6", "", {.oc = 2, .y = 2, .x = 6, .threads = 2}, 864.4, 288, 30},
    {"clip", "channels=64 height=4 width=5", "", {.oc = 2, .y = 2, .x = 5, .threads = 2}, 875.5, 320, 30},
    {"shift", "channels=64 height=4 width=4", "", {.oc = 2, .y = 2, .x = 4, .threads = 2}, 644.2, 192, 30},
    {"bias_add", "channels=64 height=4 width=3", "", {.oc = 2, .y = 2, .x = 3, .threads = 2}, 744.9, 192, 30},
    {"add",
     "batch=3 channels=64 height=4 width=6 wide=1 epilogue=bias,residual",
     "",
     {.oc = 4, .y = 1, .x = 3, .threads = 1},
     17738.3,
     7008,
     35},
    {"identity", "channels=48 height=4 width=6 wide=1", "", {.oc = 3, .y = 4, .x = 6, .threads = 1}, 991.7, 576, 5},
    {"leaky_relu",
     "channels=64 height=4 width=6",
     CONFIG_IN,
     {.oc = 2, .y = 1, .x = 6, .threads = 4, .share_rows = ROWS},
     2096.6,
     1344,
     25},
    {"leaky_relu", "channels=64 height=4 width=6 wide=1", "", {.oc = 1, .y = 2, .x = 6, .threads = 4}, 1777.9, 768, 25},
    {"relu", "channels=64 height=4 width=6", CONFIG_OUT, {.oc = 2, .y = 4, .x = 2, .threads = 1}, 3508.6, 384, 195},
    {"max_pool2d",
     "channels=32 height=8 width=8 kernel=3 stride=2 pad=1",
     "",
     {.oc = 1, .y = 2, .x = 4, .threads = 2},
     2229.1,
     688,
     5},
    {"max_pool2d",
     "channels=32 height=8 width=8 kernel_h=3 kernel_w=2 stride=1 pad_top=2 pad_left=1",
     CONFIG_OUT,
     {.oc = 2, .y = 4, .x = 8, .threads = 1},
     4898.8,
     1994,
     55},
    {"max_pool2d",
     "channels=64 height=2 width=8 kernel_h=5 kernel_w=3 pad_top=2 pad_bottom=2 stride_w=3",
     CONFIG_IN,
     {.oc = 1, .y = 2, .x = 2, .threads = 1},
     2320.9,
     896,
     15},
    {"avg_pool2d",
     "channels=32 height=8 width=8 kernel=2 stride=2",
     "",
     {.oc = 2, .y = 2, .x = 4, .threads = 2, .share_rows = ROWS},
     737.6,
     256,
     15},
    {"avg_pool2d",
     "channels=32 height=8 width=9 kernel=3 pad=1",
     "",
     {.oc = 1, .y = 3, .x = 9, .threads = 1},
     7265.9,
     2160,
     25},
    {"avg_pool2d",
     "channels=32 height=8 width=9 kernel=4 stride=4",
     CONFIG_OUT,
     {.oc = 2, .y = 2, .x = 1, .ic = 2, .threads = 1},
     3992.8,
     280,
     200},
    {"global_avg_pool2d",
     "channels=128 height=7 width=7",
     "",
     {.oc = 4, .y = 1, .x = 1, .threads = 2},
     1638.0,
     784,
     15},
    {"upsample2d",
     "channels=32 height=3 width=4 scale_h=2 scale_w=3",
     "",
     {.oc = 1, .y = 2, .x = 12, .threads = 2},
     810.2,
     432,
     5},
    {"upsample2d",
     "batch=2 channels=64 height=3 width=4 scale_h=2 scale_w=3",
     CONFIG_IN,
     {.oc = 2, .y = 6, .x = 3, .threads = 1},
     5322.4,
     2304,
     10},
    {"upsample2d",
     "channels=64 height=3 width=4 scale=2",
     CONFIG_OUT,
     {.oc = 2, .y = 4, .x = 4, .threads = 1},
     2783.2,
     576,
     60},
};

static int64_t largest(const vt_op_parts *p) {
    int64_t most = 0;
    for (uint32_t i = 0; i < p->n; i++) most = p->of[i] > most ? p->of[i] : most;
    return most;
}

/* With the steps of its text, and none that saturates. */
static vta_status create(const char *name, const char *text, const vta_config *config, vta_diag *diag, vtac_op **op) {
    char all[512];
    snprintf(all, sizeof all, "%s narrow=wrap", text);
    return vtac_op_create(name, all, config, NULL, diag, op);
}

static void check_one(size_t i) {
    vta_config *plain = vta_config_default(), *config;
    vta_diag *diag = vta_diag_create(NULL);
    vta_timing_profile profile;
    vtac_op *op = NULL;
    uint64_t cycles;
    if (vta_config_with(plain, cases[i].config, diag, &config) != VTA_OK ||
        vta_timing_profile_for(config, diag, &profile) != VTA_OK ||
        create(cases[i].name, cases[i].text, config, diag, &op) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    vt_op_blocks b = cases[i].blocks;
    const char *why = vt_op_admit(op, &profile, &b);
    if (why) fail_msg("%s %s: %s", cases[i].name, cases[i].text, why);
    if (fabs(b.estimate - cases[i].estimate) > 0.1 || vt_op_bound(op, &profile) != (uint64_t)cases[i].bound)
        fail_msg("%s %s: %.1f, bound %d", cases[i].name, cases[i].text, b.estimate, (int)vt_op_bound(op, &profile));
    assert_int_equal(vt_op_time(op, &b, &profile, diag, &cycles), VTA_OK);
    if (100 * fabs(b.estimate - (double)cycles) > cases[i].percent * (double)cycles ||
        cycles < (uint64_t)cases[i].bound)
        fail_msg("%s %s: %d cycles", cases[i].name, cases[i].text, (int)cycles);
    if (b.turns) /* the largest of each, which the report tells */
        assert_true(b.oc == largest(&b.oc_parts) && b.y == largest(&b.y_parts) && b.ic == largest(&b.ic_parts));
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
    vta_config_release(config);
    vta_config_release(plain);
}

TEST_CASE(test_estimates) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_one(i);
}

/* Convolutions with pool have one candidate, the best. */
static const struct {
    const char *text;
    double estimate;
    int bound, oc, ic;
} pooled[] = {
    {"height=12 width=12 in_channels=32 out_channels=64 kernel=3 pad=1 pool=2", 12797.0, 10688, 4, 1},
    {"height=12 width=17 in_channels=48 out_channels=80 kernel_h=2 kernel_w=1 pool=3 epilogue=bias,shift,leaky",
     11347.0, 10845, 5, 1},
    {"height=15 width=11 in_channels=16 out_channels=16 kernel=1 pool=4 pool_stride=3 pool_pad=1 epilogue=shift",
     1710.0, 800, 1, 1},
    {"height=20 width=9 in_channels=64 out_channels=32 kernel=3 stride_w=2 dilation_h=2 pool=3 pool_stride=2 "
     "pool_pad=1",
     20315.0, 5120, 2, 1},
};

TEST_CASE(test_pooled) {
    vta_timing_profile profile;
    for (size_t i = 0; i < sizeof pooled / sizeof *pooled; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        vtac_op *op;
        vt_op_blocks b;
        uint64_t considered;
        if (create("conv2d", pooled[i].text, NULL, diag, &op) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(vta_timing_profile_for(op->config, NULL, &profile), VTA_OK);
        assert_int_equal(vt_op_candidates(op, &profile, 1, &b, &considered), 1);
        int bound = (int)vt_op_bound(op, &profile);
        if (fabs(b.estimate - pooled[i].estimate) > 0.1 || bound != pooled[i].bound || b.oc != pooled[i].oc ||
            b.ic != pooled[i].ic)
            fail_msg("%s: %.1f, %d, %d, %d", pooled[i].text, b.estimate, bound, (int)b.oc, (int)b.ic);
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
    }
}

int main(void) { return run_cases(); }
