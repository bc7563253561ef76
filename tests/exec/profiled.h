/* A model whose profile is asked for: its stream has every kind of transfer and of work, in three layers. Its results
 * mean nothing. */
#ifndef TESTS_EXEC_PROFILED_H
#define TESTS_EXEC_PROFILED_H

#include "small.h"

static vta_diag *diag;
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != VTA_OK) fail_msg("%s: %s", #call, vta_diag_text(diag));                                          \
    } while (0)

enum { LAYERS = 3, RUN = 1 }; /* the run is step 1, its layers are entries 2, 3 and 4 */

static inline void work(small *s, const vta_config *config, vta_opcode opcode, uint16_t iter_out, uint16_t iter_in,
                        bool reset) {
    vta_insn insn;
    small_insn(&insn, opcode);
    insn.u.exec.uop_end = 1;
    insn.u.exec.iter_out = iter_out;
    insn.u.exec.iter_in = iter_in;
    insn.u.exec.reset_reg = reset;
    small_push(s, config, &insn);
}

/* The instructions of one layer, without FINISH. */
static inline void layer(small *s, const vta_config *config, int k) {
    switch (k) {
    case 0:
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_UOP, UOPS_AT, 1, "");
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_INP, X_AT, 3, "");
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_WGT, X_AT, 2, "");
        work(s, config, VTA_OP_GEMM, 7, 5, true);
        break;
    case 1:
        work(s, config, VTA_OP_GEMM, 30, 20, false);
        work(s, config, VTA_OP_ALU, 4, 3, false);
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_INP, X_AT, 0, "");
        small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, Y_AT, 6, "");
        break;
    default:
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_ACC, X_AT, 5, "");
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_ACC_8BIT, X_AT, 3, "");
        small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, Y_AT, 0, "");
        small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, Z_AT, 1, "");
    }
}

/* A model whose run has the layers from `first` to `end`; with their names, or as one. */
static inline vta_model *model_of(int first, int end, bool named) {
    static vt_plan_layer layers[LAYERS] = {{"first", 0}, {"second", 0}, {"third", 0}};
    small s;
    vta_insn finish;
    vta_model *model;
    size_t size;
    vta_config *config = vta_config_default();
    small_make(&s);
    s.insn_count = 0;
    for (int k = first; k < end; k++) {
        layers[k].first = s.insn_count;
        layer(&s, config, k);
    }
    small_push(&s, config, small_insn(&finish, VTA_OP_FINISH));
    s.steps[RUN].count = s.insn_count;
    s.steps[RUN].layers = layers;
    s.steps[RUN].layer_count = named ? LAYERS : 0;
    uint8_t *bytes = small_write(&s, NULL, &size);
    MUST(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    small_free(&s);
    vta_config_release(config);
    return model;
}

static inline vta_instance *instance_of(vta_model *model, const vta_instance_options *options) {
    vta_instance *in;
    MUST(vta_instance_create(model, options, diag, &in));
    vta_model_release(model);
    MUST(vta_instance_run(in, diag));
    return in;
}

static inline vta_instance *all_layers(const char *driver) {
    return instance_of(model_of(0, LAYERS, true), &(vta_instance_options){.driver = driver});
}

static inline vta_step_profile profile_of(vta_instance *in, size_t index) {
    vta_step_profile p = {0};
    MUST(vta_instance_profile(in, index, diag, &p));
    return p;
}

#endif
