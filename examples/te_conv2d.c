/* A convolution layer of ResNet-18 on the accelerator: 256 channels of 14 x 14 pixels, 3 x 3 kernel, padding 1; output
 * channels are shared between two virtual threads. Builds the schedule, lowers it and prints the lowered function. */
#include <stdio.h>

#include "vta/build.h"

static te_schedule *conv2d(te_context *c, te_tensor **data, te_tensor **kernel, te_tensor **res) {
    /* The computation; tensors are tiled: (N, C, H, W, BATCH, BLOCK_IN), (O, C, KH, KW, BLOCK_OUT, BLOCK_IN). */
    const vta_config *config = te_context_config(c);
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    *data = te_placeholder(c, "data", "inp_t", 6, (int64_t[]){1, 256 / in, 14, 14, batch, in});
    *kernel = te_placeholder(c, "kernel", "wgt_t", 6, (int64_t[]){256 / out, 256 / in, 3, 3, out, in});
    te_tensor *data_buf = te_pad(c, *data, "data_buf", (int64_t[]){0, 0, 1, 1, 0, 0}, NULL, 0);
    te_tensor *kernel_buf = te_define(c, "kernel_buf like kernel = kernel[...]");
    te_reduce_axis(c, "dy", 0, 3);
    te_reduce_axis(c, "dx", 0, 3);
    te_axis *ic = te_reduce_axis(c, "ic", 0, 256 / in), *ic_tns = te_reduce_axis(c, "ic_tns", 0, in);
    te_tensor *conv = te_define(c, "res_conv[bo: 1, co: 256 // BLOCK_OUT, i: 14, j: 14, bi: BATCH, ci: BLOCK_OUT] = "
                                   "sum[ic, dy, dx, ic_tns](acc_t(data_buf[bo, ic, i + dy, j + dx, bi, ic_tns]) * "
                                   "acc_t(kernel_buf[co, ic, dy, dx, ci, ic_tns]))");
    te_tensor *alu[] = {te_define(c, "res_shr like res_conv = res_conv[...] >> 8"),
                        te_define(c, "res_max like res_conv = max(res_shr[...], 0)"),
                        te_define(c, "res_min like res_conv = min(res_max[...], (1 << (INP_WIDTH - 1)) - 1)")};
    *res = te_define(c, "res like res_conv = inp_t(res_min[...])");

    /* The result in blocks of 128 channels, 7 rows, 14 columns; one block for each virtual thread. */
    te_schedule *s = te_schedule_create(c, 1, res);
    te_stage *st = te_schedule_stage(s, *res);
    te_axis *outer[4], *inner[4], *tx;
    const int64_t block[] = {1, 128 / out, 7, 14};
    for (int i = 0; i < 4; i++) te_split(st, te_stage_axis(st, i), block[i], &outer[i], &inner[i]);
    te_reorder(st, 10,
               (te_axis *[]){outer[0], outer[1], outer[2], outer[3], inner[0], inner[1], inner[2], inner[3],
                             te_stage_axis(st, 4), te_stage_axis(st, 5)});
    te_split(st, outer[1], 2, NULL, &tx);
    te_reorder(st, 2, (te_axis *[]){tx, outer[0]});
    te_bind(st, tx, te_thread_axis(c, "cthread"));
    te_pragma(st, te_stage_axis(st, 4), "dma_copy", NULL);

    /* Convolution, shift and clipping within such a block, in the accumulator memory. */
    for (int i = 0; i < 3; i++) {
        te_stage *step = te_schedule_stage(s, alu[i]);
        te_set_scope(step, "acc");
        te_compute_at(step, st, outer[3]);
        te_pragma(step, te_stage_axis(step, 0), "alu", NULL);
    }
    te_stage *gemm = te_schedule_stage(s, conv);
    te_axis *ic_out, *ic_inn, *a[6];
    for (int i = 0; i < 6; i++) a[i] = te_stage_axis(gemm, i);
    te_set_scope(gemm, "acc");
    te_compute_at(gemm, st, outer[3]);
    te_split(gemm, ic, 1, &ic_out, &ic_inn);
    te_reorder(gemm, 11,
               (te_axis *[]){ic_out, a[0], a[1], a[2], ic_inn, te_find_reduce_axis(c, "dy"),
                             te_find_reduce_axis(c, "dx"), a[3], a[4], a[5], ic_tns});
    te_tensorize(gemm, a[4], NULL);

    /* Inputs are copied for each block of input channels. */
    te_stage *copies[] = {te_schedule_stage(s, data_buf), te_schedule_stage(s, kernel_buf)};
    for (int i = 0; i < 2; i++) {
        te_set_scope(copies[i], i == 0 ? "inp" : "wgt");
        te_compute_at(copies[i], gemm, ic_out);
        te_pragma(copies[i], te_stage_axis(copies[i], 0), "dma_copy", NULL);
    }
    return s;
}

int main(void) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *args[3];
    const vtac_func *f = NULL;
    char *text = NULL;
    te_schedule *s = conv2d(c, &args[0], &args[1], &args[2]);
    vtac_lower_options options = {.config = te_context_config(c), .simple = 1};
    vtac_arg list[] = {{.tensor = args[0]}, {.tensor = args[1]}, {.tensor = args[2]}};
    if (s && te_context_status(c) == VTA_OK && vtac_lower(s, 3, list, "conv2d", &options, &f) == VTA_OK)
        vtac_func_print(f, VTAC_STYLE_PRIMFN, te_context_diag(c), &text);
    puts(text ? text : vta_diag_text(te_context_diag(c)));
    vta_string_free(text);
    te_context_destroy(c);
    return text ? 0 : 1;
}
