/* Operators of each kind, proven: what they run on the accelerator is what their definition says, for all inputs and in
 * any order that the tokens allow. */
#include <stdint.h>
#include <string.h>

#include "support/check.h"

#include "vta/ops.h"

static const struct {
    const char *name, *attributes, *config;
} proven[] = {
    {"conv2d",
     "height=6 width=6 in_channels=32 out_channels=32 kernel=3 pad=1 epilogue=bias_int8,shift,residual_int8,relu,clip",
     ""},
    {"conv2d",
     "height=9 width=5 in_channels=16 out_channels=16 kernel=3 stride=2 pad=1 epilogue=bias:9000,requantize:77:12,clip",
     ""},
    {"conv2d", "height=4 width=4 in_channels=24 out_channels=24 kernel=1 epilogue=bias,multiply_channel,round_shift:9",
     "LOG_BATCH=1"},
    {"conv2d", "height=4 width=4 in_channels=24 out_channels=24 kernel=1 epilogue=leaky:3,shift,residual,clip", ""},
    {"conv2d", "height=8 width=8 in_channels=32 out_channels=32 groups=32 kernel=3 pad=1 epilogue=shift,relu,clip", ""},
    {"conv2d", "height=8 width=8 in_channels=64 out_channels=32 groups=2 kernel=3 stride=2 pad=1 epilogue=shift", ""},
    {"conv2d", "height=9 width=19 in_channels=48 out_channels=96 groups=3 kernel=1 stride=3 epilogue=shift", ""},
    {"conv2d",
     "height=16 width=16 in_channels=3 out_channels=16 fold=-1 kernel=7 stride=2 pad=3 epilogue=shift,relu,clip", ""},
    {"conv2d", "height=16 width=16 in_channels=3 out_channels=16 kernel=3 pad=1 fold=1 epilogue=shift", ""},
    {"conv2d_transpose", "height=4 width=4 in_channels=32 out_channels=32 kernel=4 stride=2 pad=1 epilogue=shift,clip",
     ""},
    {"conv2d_transpose", "height=3 width=2 in_channels=16 out_channels=16 kernel=3 stride=2 output_pad_h=1",
     "LOG_BLOCK=5"},
    {"conv2d_transpose", "height=2 width=2 in_channels=16 out_channels=16 kernel=5 stride=2 pad=2", ""},
    {"conv2d_transpose",
     "height=2 width=2 in_channels=17 out_channels=19 kernel=3 stride_h=2 stride_w=1 output_pad_h=1 "
     "pad_top=2 pad_bottom=2 pad_left=2",
     ""}, /* two accumulators are left where a row of the kernel falls between the inputs */
    {"dense", "batch=4 in_features=48 out_features=40 epilogue=bias_int8:2,round_shift:7,residual_int8:3,clip",
     "LOG_BATCH=1"},
    {"batch_matmul", "batch=3 rows=5 in_features=40 out_features=24 epilogue=shift,clip", ""},
    {"batch_matmul", "batch=3 rows=37 in_features=32 out_features=24 in_beside=1 epilogue=bias,shift", ""},
    {"batch_matmul", "batch=3 rows=9 in_features=40 out_features=37 weight_columns=1 epilogue=shift,clip", ""},
    {"batch_matmul", "batch=3 rows=9 in_features=40 out_features=48 out_beside=1 epilogue=shift,clip", ""},
    {"batch_matmul", "batch=2 rows=9 in_features=40 out_features=48 out_beside=1 shares=1 epilogue=shift:13", ""},
    {"batch_matmul", "batch=2 rows=6 in_features=64 out_features=21 in_beside=1 shares=1 epilogue=bias,shift",
     "LOG_BATCH=1"},
    {"batch_matmul", "batch=2 rows=9 in_features=40 out_features=48 shares=1 epilogue=shift:13",
     "LOG_BATCH=1"}, /* a row of padding, whose total is shifted by numbers */
    {"batch_matmul", "batch=2 rows=7 in_features=24 out_features=40 in_beside=1 out_beside=1 epilogue=shift",
     "LOG_BATCH=2 LOG_BLOCK=3"},
    {"row_moments", "batch=9 features=48", ""},
    {"row_moments", "batch=5 features=40 mean=0", ""},
    {"row_moments", "batch=5 features=32 mean=0", "LOG_BATCH=1"},
    {"row_moments", "batch=3 features=64", "LOG_BLOCK=5"},
    {"layer_norm", "batch=9 features=48 epilogue=multiply_channel,bias,shift:15", ""},
    {"layer_norm", "batch=6 features=32 epsilon=77 epilogue=shift:4", "LOG_BATCH=1"},
    {"layer_norm", "batch=3 features=40 mean=0 epilogue=shift:4", "LOG_BLOCK=5"},
    {"layer_norm", "batch=8 features=24 epilogue=multiply_channel,shift:9",
     "LOG_BATCH=2 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15"},
    {"add", "channels=20 height=5 width=4 epilogue=relu", ""},
    {"multiply", "channels=20 height=3 width=4 wide=1", ""},
    {"max", "channels=20 height=3 width=4", "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13"},
    {"leaky_relu", "channels=20 height=3 width=4", "LOG_BATCH=1"},
    {"clip", "channels=20 height=3 width=4 low=-3 high=90 epilogue=residual", ""},
    {"max_pool2d", "channels=40 height=9 width=8 kernel=3 stride=2 pad=1", ""},
    {"max_pool2d", "channels=20 height=6 width=7 kernel=2 pad=1", "LOG_BLOCK=5"},
    {"avg_pool2d", "channels=20 height=7 width=7 kernel=3 pad=1 count_include_pad=1", ""},
    {"avg_pool2d", "channels=20 height=7 width=6 kernel=3 stride=2", "LOG_BATCH=2 LOG_BLOCK=3"},
    {"global_avg_pool2d", "channels=70 height=7 width=7", ""},
    {"global_avg_pool2d", "channels=70 height=15 width=15", ""},
    {"global_avg_pool2d", "channels=20 height=4 width=8 epilogue=add:3", "LOG_INP_WIDTH=4"},
    {"global_avg_pool2d", "channels=20 height=7 width=5 epilogue=relu", "LOG_INP_WIDTH=4"},
    {"avg_pool2d", "channels=20 height=7 width=6 kernel=3 pad=1", "LOG_INP_WIDTH=4"},
    {"avg_pool2d", "channels=20 height=7 width=6 kernel=3 pad=1 epilogue=shift:2,bias", ""},
    {"relu", "channels=20 height=3 width=4 epilogue=leaky:2,clip", ""},
    {"bias_add", "channels=20 height=3 epilogue=bias:900,round_shift:3", "LOG_BATCH=1"},
    {"identity", "channels=20 height=3 epilogue=clip:-300:300,requantize:300:9,min:500", ""},
    {"conv2d", "height=7 width=8 in_channels=20 out_channels=20 kernel=3 pool=2 epilogue=shift", ""},
    {"upsample2d", "channels=20 height=3 width=4 scale=2", ""},
    {"dense", "batch=2 in_features=40 out_features=24", ""},
    {"dense", "batch=2 in_features=40 out_features=24 narrow=wrap", ""},
    {"dense", "in_features=40 out_features=24 epilogue=shift:12", ""},       /* from -160 to 160 */
    {"dense", "in_features=40 out_features=24 epilogue=round_shift:13", ""}, /* from -80 to 80: nothing is added */
    {"dense", "in_features=255 out_features=24 epilogue=relu,round_shift:15", ""}, /* to 128, which is one too large */
    {"dense", "in_features=254 out_features=24 epilogue=relu,round_shift:15", ""}, /* to 127 */
    {"conv2d", "height=4 width=4 in_channels=20 out_channels=20 epilogue=bias:4000,requantize:100:16,leaky:2", ""},
    {"add", "channels=20 height=5 width=4 narrow=wrap", ""},
    {"add", "channels=20 height=5 width=4 epilogue=round_shift:2", ""},
    {"leaky_relu", "channels=20 height=5 by=2 epilogue=shift_channel,relu", ""},
    {"identity", "channels=20 height=3 epilogue=add:-200,leaky:3", ""},
    {"avg_pool2d", "channels=20 height=7 width=6 kernel=3 epilogue=multiply:2", ""},
    {"clip", "channels=20 height=3 width=4 low=-300 high=-200 wide=1", ""},
    {"shift", "channels=20 height=3 width=4 by=25 wide=1", ""},
    {"bias_add", "channels=20 height=3 narrow=wrap", "LOG_BATCH=1"},
};

static void prove(const char *name, const char *attributes, const char *set) {
    vta_config *plain = vta_config_default(), *config;
    vta_diag *diag = vta_diag_create(NULL);
    vtac_prove_result result = {0};
    vtac_op *op = NULL;
    if (vta_config_with(plain, set, diag, &config) != VTA_OK ||
        vtac_op_create(name, attributes, config, NULL, diag, &op) != VTA_OK ||
        vtac_op_schedule(op, NULL, diag, NULL) != VTA_OK)
        fail_msg("%s %s: %s", name, attributes, vta_diag_text(diag));
    if (vtac_op_prove(op, NULL, diag, &result) != VTA_OK || result.verdict != VTAC_PROVEN)
        fail_msg("%s %s with \"%s\" is not proven: verdict %d, %s%s", name, attributes, set, (int)result.verdict,
                 result.reason, vta_diag_text(diag));
    if (result.log2_error > -15)
        fail_msg("%s %s with \"%s\" is proven with a chance of 2^%g", name, attributes, set, result.log2_error);
    vtac_op_destroy(op);
    vta_config_release(config);
    vta_config_release(plain);
    vta_diag_destroy(diag);
}

TEST_CASE(test_proven) {
    for (size_t i = 0; i < sizeof proven / sizeof *proven; i++)
        prove(proven[i].name, proven[i].attributes, proven[i].config);
}

int main(void) { return run_cases(); }
