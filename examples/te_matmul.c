/* Multiplies a vector by a matrix, 1 x 256 by 256 x 256, tile by tile on the GEMM core. Builds the schedule, lowers it
 * and prints the lowered function. */
#include <stdio.h>

#include "vta/build.h"

static te_schedule *matmul(te_context *c, te_tensor *args[3]) {
    enum { O = 1, N = 16, M = 16 };
    const vta_config *config = te_context_config(c);
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    int64_t a[] = {O, N, batch, in}, b[] = {M, N, out, in}, shape[] = {O, M, batch, out};
    args[0] = te_placeholder(c, "A", "inp_t", 4, a);
    args[1] = te_placeholder(c, "B", "wgt_t", 4, b);
    te_tensor *bufs[] = {te_compute(c, "A_buf", 4, a, NULL, "A[...]"), te_compute(c, "B_buf", 4, b, NULL, "B[...]")};
    te_axis *ko = te_reduce_axis(c, "ko", 0, N), *ki = te_reduce_axis(c, "ki", 0, in);
    te_tensor *sum = te_compute(c, "C_buf", 4, shape, "bo, co, bi, ci",
                                "sum[ko, ki](acc_t(A_buf[bo, ko, bi, ki]) * acc_t(B_buf[co, ko, ci, ki]))");
    args[2] = te_compute(c, "C", 4, shape, NULL, "inp_t(C_buf[...])");

    te_schedule *s = te_schedule_create(c, 1, &args[2]);
    te_stage *gemm = te_schedule_stage(s, sum), *store = te_schedule_stage(s, args[2]);
    te_set_scope(gemm, "acc");
    for (int i = 0; i < 2; i++) { /* the tiles that one step of the reduction needs */
        te_stage *copy = te_schedule_stage(s, bufs[i]);
        te_set_scope(copy, i == 0 ? "inp" : "wgt");
        te_compute_at(copy, gemm, ko);
        te_pragma(copy, te_stage_axis(copy, 0), "dma_copy", NULL);
    }
    te_pragma(store, te_stage_axis(store, 0), "dma_copy", NULL);
    te_axis *axes[6] = {ko, [5] = ki};
    for (int i = 0; i < 4; i++) axes[i + 1] = te_stage_axis(gemm, i);
    te_reorder(gemm, 6, axes);
    te_tensorize(gemm, axes[3], NULL);
    return s;
}

int main(void) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *args[3];
    const vtac_func *f = NULL;
    char *text = NULL;
    te_schedule *s = matmul(c, args);
    vtac_lower_options options = {.config = te_context_config(c), .simple = 1};
    vtac_arg list[] = {{.tensor = args[0]}, {.tensor = args[1]}, {.tensor = args[2]}};
    if (s && te_context_status(c) == VTA_OK && vtac_lower(s, 3, list, "matmul", &options, &f) == VTA_OK)
        vtac_func_print(f, VTAC_STYLE_PRIMFN, te_context_diag(c), &text);
    puts(text ? text : vta_diag_text(te_context_diag(c)));
    vta_string_free(text);
    te_context_destroy(c);
    return text ? 0 : 1;
}
