/* Runs the layers in their order; a tensor is dropped after its last use. */
#include "frontend/quant/eval.h"

#include <string.h>

#include "base/diag.h"
#include "frontend/eval/eval.h"
#include "frontend/quant/eval_priv.h"

typedef struct run {
    const vt_qnet *net;
    const vta_allocator *allocator;
    vta_diag *diag;
    vt_lives lives; /* by the tensor's index */
} run;

static void count_readers(run *r) {
    for (uint32_t i = 0; i < r->net->layer_count; i++) {
        const vt_qlayer *l = r->net->layers[i];
        for (uint32_t k = 0; k < l->input_count; k++) r->lives.of[l->inputs[k]->index].readers++;
        for (uint32_t k = 0; k < l->step_count; k++)
            if (l->steps[k].tensor) r->lives.of[l->steps[k].tensor->index].readers++;
    }
    for (uint32_t i = 0; i < r->net->graph->outputs.count; i++) r->lives.of[r->net->outputs[i]->index].readers++;
}

static vta_status run_float(run *r, const vt_qlayer *l, void *to) {
    const vt_gnode *n = l->node;
    const void *in[64];
    void *out[1] = {to};
    uint32_t next = 0;
    if (n->input_count > 64) return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: more than 64 inputs", n->name);
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        in[i] = !v ? NULL : v->data ? v->data : r->lives.of[l->inputs[next++]->index].data;
    }
    return vt_eval_node(n, in, out, r->allocator, r->diag);
}

static vta_status run_layer(run *r, const vt_qlayer *l, void *out) {
    const void *in = l->input_count ? r->lives.of[l->inputs[0]->index].data : NULL;
    vt__qcall call = {.layer = l, .in = in, .values = r->lives.of, .out = out, .allocator = r->allocator};
    switch (l->kind) {
    case VT_Q_QUANTIZE: vt__run_quantize(&call); return VTA_OK;
    case VT_Q_DEQUANTIZE: vt__run_dequantize(&call); return VTA_OK;
    case VT_Q_CONV: return vt__run_conv(&call, r->diag);
    case VT_Q_CONV_TRANSPOSE: return vt__run_conv_transpose(&call, r->diag);
    case VT_Q_DENSE: vt__run_dense(&call); return VTA_OK;
    case VT_Q_MATMUL: return vt__run_matmul(&call, r->diag);
    case VT_Q_ROW_MAX: vt__run_row_max(&call); return VTA_OK;
    case VT_Q_NORM: vt__run_norm(&call); return VTA_OK;
    case VT_Q_MAX_POOL: vt__run_max_pool(&call); return VTA_OK;
    case VT_Q_SUM_POOL: vt__run_sum_pool(&call); return VTA_OK;
    case VT_Q_MAP: vt__run_map(&call); return VTA_OK;
    case VT_Q_MUL: vt__run_mul(&call); return VTA_OK;
    case VT_Q_MOVE: vt__run_move(&call); return VTA_OK;
    case VT_Q_TABLE: vt__run_table(&call); return VTA_OK;
    case VT_Q_CONCAT: vt__run_concat(&call); return VTA_OK;
    case VT_Q_UPSAMPLE: vt__run_upsample(&call); return VTA_OK;
    case VT_Q_RESHAPE: memcpy(call.out, in, vt_gtype_bytes(&l->output->type)); return VTA_OK;
    case VT_Q_FLOAT: return run_float(r, l, out);
    case VT_QKIND_COUNT: break;
    }
    return vt_fail(r->diag, VTA_INTERNAL, "%s: a layer of no kind", l->name);
}

static vta_status step(run *r, const vt_qlayer *l, const vt_qeval_options *o) {
    if (o && o->interrupt && atomic_load(o->interrupt)) return vt_fail(r->diag, VTA_INTERRUPTED, "interrupted");
    void *out = vt_lives_new(&r->lives, l->output->index, vt_gtype_bytes(&l->output->type));
    if (!out) return vt_no_memory(r->diag);
    VT_TRY(run_layer(r, l, out));
    if (o && o->after) o->after(o->user, l, out);
    for (uint32_t k = 0; k < l->input_count; k++) vt_lives_read(&r->lives, l->inputs[k]->index);
    for (uint32_t k = 0; k < l->step_count; k++)
        if (l->steps[k].tensor) vt_lives_read(&r->lives, l->steps[k].tensor->index);
    vt_lives_computed(&r->lives, l->output->index);
    return VTA_OK;
}

static vta_status run_all(run *r, const void *const *inputs, void *const *outputs, const vt_qeval_options *o) {
    const vt_qnet *net = r->net;
    vt_lives_begin(&r->lives);
    for (uint32_t i = 0; i < net->graph->inputs.count; i++) r->lives.of[net->inputs[i]->index].data = inputs[i];
    for (uint32_t i = 0; i < net->layer_count; i++) VT_TRY(step(r, net->layers[i], o));
    for (uint32_t i = 0; i < net->graph->outputs.count; i++)
        memcpy(outputs[i], r->lives.of[net->outputs[i]->index].data, vt_gtype_bytes(&net->outputs[i]->type));
    return VTA_OK;
}

vta_status vt_qeval_run(const vt_qnet *net, const void *const *inputs, void *const *outputs,
                        const vt_qeval_options *options, const vta_allocator *allocator, vta_diag *diag) {
    run r = {.net = net, .allocator = allocator, .diag = diag};
    if (!vt_lives_make(&r.lives, net->tensor_count, allocator)) return vt_no_memory(diag);
    count_readers(&r);
    vta_status status = run_all(&r, inputs, outputs, options);
    vt_lives_free(&r.lives);
    return status;
}
