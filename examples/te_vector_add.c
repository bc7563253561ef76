/* Adds two vectors of 1024 elements on the accelerator. Builds the schedule, lowers it and prints the lowered
 * function. */
#include <stdio.h>

#include "vta/build.h"

static te_schedule *vector_add(te_context *c, te_tensor *args[3]) {
    const vta_config *config = te_context_config(c);
    int64_t shape[] = {1, 64, vta_config_batch(config), vta_config_block_out(config)};
    args[0] = te_placeholder(c, "A", "acc_t", 4, shape);
    args[1] = te_placeholder(c, "B", "acc_t", 4, shape);
    te_tensor *bufs[] = {te_compute(c, "A_buf", 4, shape, NULL, "A[...]"),
                         te_compute(c, "B_buf", 4, shape, NULL, "B[...]"),
                         te_compute(c, "C_buf", 4, shape, NULL, "A_buf[...] + B_buf[...]")};
    args[2] = te_compute(c, "C", 4, shape, NULL, "inp_t(C_buf[...])");

    te_schedule *s = te_schedule_create(c, 1, &args[2]);
    for (int i = 0; i < 3; i++) {
        te_stage *st = te_schedule_stage(s, bufs[i]);
        te_set_scope(st, "acc");
        te_pragma(st, te_stage_axis(st, 0), i < 2 ? "dma_copy" : "alu", NULL);
    }
    te_stage *out = te_schedule_stage(s, args[2]);
    te_pragma(out, te_stage_axis(out, 0), "dma_copy", NULL);
    return s;
}

int main(void) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *args[3];
    const vtac_func *f = NULL;
    char *text = NULL;
    te_schedule *s = vector_add(c, args);
    vtac_lower_options options = {.config = te_context_config(c), .simple = 1};
    vtac_arg list[] = {{.tensor = args[0]}, {.tensor = args[1]}, {.tensor = args[2]}};
    if (s && te_context_status(c) == VTA_OK && vtac_lower(s, 3, list, "vector_add", &options, &f) == VTA_OK)
        vtac_func_print(f, VTAC_STYLE_PRIMFN, te_context_diag(c), &text);
    puts(text ? text : vta_diag_text(te_context_diag(c)));
    vta_string_free(text);
    te_context_destroy(c);
    return text ? 0 : 1;
}
