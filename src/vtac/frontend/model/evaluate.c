/* The evaluator behind the public handle. */
#include "base/versioned.h"
#include "frontend/eval/eval.h"
#include "frontend/model/model.h"

struct vtac_evaluator {
    const vta_allocator *allocator;
    const vt_graph *graph;
    vt_eval *eval;
    bool ran;
};

vta_status vtac_evaluator_create(const vtac_graph *graph, const vtac_evaluator_options *options,
                                 const vta_allocator *allocator, vta_diag *diag, vtac_evaluator **out_evaluator) {
    vtac_evaluator_options own;
    if (!graph || !out_evaluator) return vt_fail(diag, VTA_INVALID_ARGUMENT, "graph or out_evaluator is NULL");
    *out_evaluator = NULL;
    VT_TRY(vt_options_read(&own, sizeof own, options, "vtac_evaluator_options", diag));
    vtac_evaluator *e = vt_alloc_zero(allocator, sizeof *e);
    if (!e) return vt_no_memory(diag);
    e->allocator = allocator;
    e->graph = graph->graph;
    vta_status status = vt_eval_open(e->graph, &(vt_eval_options){.keep = own.keep}, allocator, diag, &e->eval);
    if (status != VTA_OK) {
        vtac_evaluator_destroy(e);
        return status;
    }
    *out_evaluator = e;
    return VTA_OK;
}

void vtac_evaluator_destroy(vtac_evaluator *evaluator) {
    if (!evaluator) return;
    vt_eval_close(evaluator->eval);
    vt_free(evaluator->allocator, evaluator, sizeof *evaluator);
}

vta_status vtac_evaluator_run(vtac_evaluator *evaluator, const void *const *inputs, vta_diag *diag) {
    if (!evaluator || !inputs) return vt_fail(diag, VTA_INVALID_ARGUMENT, "evaluator or inputs is NULL");
    evaluator->ran = false;
    for (uint32_t i = 0; i < evaluator->graph->inputs.count; i++) vt_eval_input(evaluator->eval, i, inputs[i]);
    VT_TRY(vt_eval_run(evaluator->eval, diag));
    evaluator->ran = true;
    return VTA_OK;
}

const void *vtac_evaluator_output(const vtac_evaluator *evaluator, size_t index) {
    const vt_gvalues *outputs = &evaluator->graph->outputs;
    return evaluator->ran && index < outputs->count ? vt_eval_value(evaluator->eval, outputs->item[index]) : NULL;
}

const void *vtac_evaluator_node(const vtac_evaluator *evaluator, size_t index) {
    if (!evaluator->ran || index >= evaluator->graph->node_count) return NULL;
    return vt_eval_value(evaluator->eval, evaluator->graph->nodes[index]->outputs[0]);
}

size_t vtac_evaluator_peak(const vtac_evaluator *evaluator) { return vt_eval_peak(evaluator->eval); }
