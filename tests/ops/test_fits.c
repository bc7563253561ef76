/* How many schedules fit the buffers, of operators and configurations where it is close. The numbers are those of an
 * operator's own account of what a tile takes (turns.c, blocks.c, pooled.c, tiles.c and each `use`): one element more
 * or less of any sort changes them. */
#include <stddef.h>
#include <stdint.h>

#include "support/check.h"

#include "operators/knobs.h"

enum { CANDIDATES = 40 };

static const struct {
    const char *name, *text, *config;
    uint64_t count;
} counts[] = {
    {"dense", "batch=65536 in_features=16 out_features=1048576", "", 408},
    {"dense", "batch=7 in_features=4096 out_features=100 epilogue=bias_int8:3,residual_int8,multiply_channel",
     "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=14", 237},
    {"conv2d",
     "height=20 width=20 in_channels=64 out_channels=96 kernel=3 pad=1 epilogue=bias,leaky,residual,shift_channel",
     "LOG_ACC_BUFF_SIZE=15", 282},
    {"conv2d",
     "height=20 width=20 in_channels=64 out_channels=96 kernel=3 pad=1 epilogue=bias_int8:4,leaky,residual_int8",
     "LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16", 232},
    {"conv2d", "height=20 width=20 in_channels=64 out_channels=96 kernel=5 stride=2 pad=2 dilation=2",
     "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16", 231},
    {"conv2d", "height=21 width=20 in_channels=64 out_channels=512 kernel=1 stride=3", "LOG_UOP_BUFF_SIZE=8", 1542},
    {"conv2d", "height=20 width=20 in_channels=64 out_channels=96 groups=2 kernel=3 pad=15", "LOG_BATCH=1", 60},
    {"conv2d",
     "height=20 width=20 in_channels=96 out_channels=96 kernel=3 pad=1 pool=2 epilogue=bias,leaky,shift_channel", "",
     12},
    {"conv2d", "height=20 width=20 in_channels=48 out_channels=48 kernel=3 pool=3 pool_stride=2 pool_pad=1",
     "LOG_INP_BUFF_SIZE=14 LOG_ACC_BUFF_SIZE=16", 6},
    {"conv2d", "height=20 width=20 in_channels=48 out_channels=48 kernel=3 pad=1 pool=3 pool_stride=2",
     "LOG_INP_BUFF_SIZE=15 LOG_ACC_BUFF_SIZE=13", 3},
    {"conv2d", "height=20 width=20 in_channels=48 out_channels=48 kernel=3 pad=1 pool=3 pool_stride=2 pool_pad=1",
     "LOG_INP_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=14", 3},
    {"conv2d", "height=2000 width=3 in_channels=16 out_channels=16 kernel=1", "", 81},
    {"conv2d", "height=1024 width=3 in_channels=16 out_channels=16 kernel=1", "", 126},
    /* as many parts as there may be, along each axis, and one more */
    {"conv2d", "height=128 width=3 in_channels=16 out_channels=16 kernel=1", "", 128},
    {"conv2d", "height=129 width=3 in_channels=16 out_channels=16 kernel=1", "", 102},
    {"conv2d", "height=4 width=3 in_channels=16 out_channels=1024 kernel=1", "", 647},
    {"conv2d", "height=4 width=3 in_channels=1024 out_channels=16 kernel=1", "", 178},
    {"conv2d", "height=9 width=2 in_channels=64 out_channels=64 kernel=1", "", 72},
    {"conv2d_transpose",
     "height=20 width=12 in_channels=64 out_channels=64 kernel=5 stride=3 pad=1 epilogue=residual,bias", "LOG_BATCH=1",
     39},
    {"add", "channels=640 height=40 width=30 epilogue=residual,bias,leaky",
     "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=14", 1},
    {"leaky_relu", "channels=640 height=40 width=30 wide=1", "LOG_ACC_BUFF_SIZE=13", 5},
    {"max_pool2d", "channels=640 height=40 width=30 kernel=3",
     "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16 LOG_UOP_BUFF_SIZE=8", 12},
    {"max_pool2d", "channels=640 height=3 width=3 kernel=3 pad=2 stride=2", "LOG_ACC_BUFF_SIZE=13", 9},
    {"avg_pool2d", "channels=640 height=40 width=30 kernel=3 pad=1", "LOG_ACC_BUFF_SIZE=14 LOG_UOP_BUFF_SIZE=9", 9},
    {"upsample2d", "channels=640 height=40 width=30 scale_h=3 scale_w=2",
     "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=11 LOG_WGT_BUFF_SIZE=16 LOG_UOP_BUFF_SIZE=8", 36},
    {"add", "channels=1048576 height=65536", "", 152},
};

TEST_CASE(fits) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        vta_config *plain = vta_config_default(), *config;
        vta_diag *diag = vta_diag_create(NULL);
        vta_timing_profile profile;
        vtac_op *op = NULL;
        char text[512]; /* with the steps that it says, and none that saturates */
        snprintf(text, sizeof text, "%s narrow=wrap", counts[i].text);
        if (vta_config_with(plain, counts[i].config, diag, &config) != VTA_OK ||
            vta_timing_profile_for(config, diag, &profile) != VTA_OK ||
            vtac_op_create(counts[i].name, text, config, NULL, diag, &op) != VTA_OK)
            fail_msg("%s %s: %s", counts[i].name, counts[i].text, vta_diag_text(diag));
        vt_op_blocks found[CANDIDATES];
        uint64_t considered;
        vt_op_candidates(op, &profile, CANDIDATES, found, &considered);
        if (considered != counts[i].count)
            fail_msg("%s %s: %d fit, not %d", counts[i].name, counts[i].text, (int)considered, (int)counts[i].count);
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
        vta_config_release(config);
        vta_config_release(plain);
    }
}

int main(void) { return run_cases(); }
