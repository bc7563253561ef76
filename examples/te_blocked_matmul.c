/* A matrix multiplication too large for the on-chip memories: 1024 input and output channels in blocks of 256, then
 * shift and clipping. Builds the schedule, lowers it and prints the lowered function. */
#include <stdio.h>

#include "vta/build.h"

static te_schedule *blocked_matmul(te_context *c, te_tensor *args[3]) {
    enum { CHANNELS = 1024, BLOCK = 256 };
    const vta_config *config = te_context_config(c);
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    int64_t n = CHANNELS / in, m = CHANNELS / out;
    args[0] = te_placeholder(c, "data", "inp_t", 4, (int64_t[]){1, n, batch, in});
    args[1] = te_placeholder(c, "weight", "wgt_t", 4, (int64_t[]){m, n, out, in});
    te_tensor *copies[] = {te_define(c, "data_buf like data = data[...]"),
                           te_define(c, "weight_buf like weight = weight[...]")};
    te_axis *ic = te_reduce_axis(c, "ic", 0, n), *ic_tns = te_reduce_axis(c, "ic_tns", 0, in), *ic_out, *ic_inn;
    te_tensor *sum = te_compute(c, "res_gem", 4, (int64_t[]){1, m, batch, out}, "bo, co, bi, ci",
                                "sum[ic, ic_tns](acc_t(data_buf[bo, ic, bi, ic_tns]) * "
                                "acc_t(weight_buf[co, ic, ci, ic_tns]))");
    te_tensor *alu[] = {te_define(c, "res_shr like res_gem = res_gem[...] >> INP_WIDTH"),
                        te_define(c, "res_max like res_gem = max(res_shr[...], 0)"),
                        te_define(c, "res_min like res_gem = min(res_max[...], (1 << (INP_WIDTH - 1)) - 1)")};
    args[2] = te_define(c, "res like res_gem = inp_t(res_min[...])");

    /* Blocks of output channels, stored one after the other. */
    te_schedule *s = te_schedule_create(c, 1, &args[2]);
    te_stage *res = te_schedule_stage(s, args[2]), *gemm = te_schedule_stage(s, sum);
    te_axis *b_out, *b_inn, *oc_out, *oc_inn;
    te_split(res, te_stage_axis(res, 0), 1, &b_out, &b_inn);
    te_split(res, te_stage_axis(res, 1), BLOCK / out, &oc_out, &oc_inn);
    te_reorder(res, 4, (te_axis *[]){b_out, oc_out, b_inn, oc_inn});
    te_pragma(res, te_stage_axis(res, 2), "dma_copy", NULL);
    for (int i = 0; i < 3; i++) {
        te_stage *st = te_schedule_stage(s, alu[i]);
        te_set_scope(st, "acc");
        te_compute_at(st, res, oc_out);
        te_pragma(st, te_stage_axis(st, 0), "alu", NULL);
    }

    /* Each from blocks of input channels, which are copied as they are needed. */
    te_axis *a[] = {te_stage_axis(gemm, 0), te_stage_axis(gemm, 1), te_stage_axis(gemm, 2), te_stage_axis(gemm, 3)};
    te_set_scope(gemm, "acc");
    te_compute_at(gemm, res, oc_out);
    te_split(gemm, ic, BLOCK / in, &ic_out, &ic_inn);
    te_reorder(gemm, 7, (te_axis *[]){ic_out, a[0], a[1], ic_inn, a[2], a[3], ic_tns});
    te_tensorize(gemm, a[2], NULL);
    for (int i = 0; i < 2; i++) {
        te_stage *st = te_schedule_stage(s, copies[i]);
        te_set_scope(st, i == 0 ? "inp" : "wgt");
        te_compute_at(st, gemm, ic_out);
        te_pragma(st, te_stage_axis(st, 0), "dma_copy", NULL);
    }
    return s;
}

int main(void) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *args[3];
    const vtac_func *f = NULL;
    char *text = NULL;
    te_schedule *s = blocked_matmul(c, args);
    vtac_lower_options options = {.config = te_context_config(c), .simple = 1};
    vtac_arg list[] = {{.tensor = args[0]}, {.tensor = args[1]}, {.tensor = args[2]}};
    if (s && te_context_status(c) == VTA_OK && vtac_lower(s, 3, list, "blocked_matmul", &options, &f) == VTA_OK)
        vtac_func_print(f, VTAC_STYLE_PRIMFN, te_context_diag(c), &text);
    puts(text ? text : vta_diag_text(te_context_diag(c)));
    vta_string_free(text);
    te_context_destroy(c);
    return text ? 0 : 1;
}
