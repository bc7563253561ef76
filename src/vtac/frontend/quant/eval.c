/* Runs the layers in their order; a tensor is dropped after its last use. */
#include "frontend/quant/eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/eval/eval.h"
#include "frontend/quant/eval_priv.h"

typedef struct run {
    const vt_qnet *net;
    const vta_allocator *allocator;
    vta_diag *diag;
    void **data;    /* by the tensor's index */
    uint32_t *last; /* the layer that reads it last */
} run;

static void drop(run *r, uint32_t tensor) {
    vt_free(r->allocator, r->data[tensor], vt_gtype_bytes(&r->net->tensors[tensor]->type));
    r->data[tensor] = NULL;
}

static void set_lives(run *r) {
    for (uint32_t i = 0; i < r->net->layer_count; i++) {
        const vt_qlayer *l = r->net->layers[i];
        r->last[l->output->index] = i;
        for (uint32_t k = 0; k < l->input_count; k++) r->last[l->inputs[k]->index] = i;
        for (uint32_t k = 0; k < l->step_count; k++)
            if (l->steps[k].tensor) r->last[l->steps[k].tensor->index] = i;
    }
    for (uint32_t i = 0; i < r->net->graph->outputs.count; i++) r->last[r->net->outputs[i]->index] = UINT32_MAX;
}

static vta_status run_float(run *r, const vt_qlayer *l) {
    const vt_gnode *n = l->node;
    const void *in[64];
    void *out[1] = {r->data[l->output->index]};
    uint32_t next = 0;
    if (n->input_count > 64) return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: more than 64 inputs", n->name);
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        in[i] = !v ? NULL : v->data ? v->data : r->data[l->inputs[next++]->index];
    }
    return vt_eval_node(n, in, out, r->allocator, r->diag);
}

static vta_status run_layer(run *r, const vt_qlayer *l) {
    const void *in = l->input_count ? r->data[l->inputs[0]->index] : NULL;
    vt__qcall call = {
        .layer = l, .in = in, .data = r->data, .out = r->data[l->output->index], .allocator = r->allocator};
    switch (l->kind) {
    case VT_Q_QUANTIZE: vt__run_quantize(&call); return VTA_OK;
    case VT_Q_DEQUANTIZE: vt__run_dequantize(&call); return VTA_OK;
    case VT_Q_CONV: return vt__run_conv(&call, r->diag);
    case VT_Q_CONV_TRANSPOSE: return vt__run_conv_transpose(&call, r->diag);
    case VT_Q_DENSE: vt__run_dense(&call); return VTA_OK;
    case VT_Q_MAX_POOL: vt__run_max_pool(&call); return VTA_OK;
    case VT_Q_SUM_POOL: vt__run_sum_pool(&call); return VTA_OK;
    case VT_Q_MAP: vt__run_map(&call); return VTA_OK;
    case VT_Q_CONCAT: vt__run_concat(&call); return VTA_OK;
    case VT_Q_UPSAMPLE: vt__run_upsample(&call); return VTA_OK;
    case VT_Q_RESHAPE: memcpy(call.out, in, vt_gtype_bytes(&l->output->type)); return VTA_OK;
    case VT_Q_FLOAT: return run_float(r, l);
    case VT_QKIND_COUNT: break;
    }
    return vt_fail(r->diag, VTA_INTERNAL, "%s: a layer of no kind", l->name);
}

static vta_status step(run *r, const vt_qlayer *l, const vt_qeval_options *o) {
    size_t bytes = vt_gtype_bytes(&l->output->type);
    if (o && o->interrupt && atomic_load(o->interrupt)) return vt_fail(r->diag, VTA_INTERRUPTED, "interrupted");
    r->data[l->output->index] = vt_alloc_zero(r->allocator, bytes ? bytes : 1);
    if (!r->data[l->output->index]) return vt_no_memory(r->diag);
    VT_TRY(run_layer(r, l));
    if (o && o->after) o->after(o->user, l, r->data[l->output->index]);
    for (uint32_t i = 0; i < r->net->tensor_count; i++)
        if (r->last[i] == l->index && r->net->tensors[i]->by && r->data[i]) drop(r, i);
    return VTA_OK;
}

static vta_status run_all(run *r, const void *const *inputs, void *const *outputs, const vt_qeval_options *o) {
    const vt_qnet *net = r->net;
    for (uint32_t i = 0; i < net->graph->inputs.count; i++) r->data[net->inputs[i]->index] = (void *)inputs[i];
    for (uint32_t i = 0; i < net->layer_count; i++) VT_TRY(step(r, net->layers[i], o));
    for (uint32_t i = 0; i < net->graph->outputs.count; i++)
        memcpy(outputs[i], r->data[net->outputs[i]->index], vt_gtype_bytes(&net->outputs[i]->type));
    return VTA_OK;
}

vta_status vt_qeval_run(const vt_qnet *net, const void *const *inputs, void *const *outputs,
                        const vt_qeval_options *options, const vta_allocator *allocator, vta_diag *diag) {
    size_t data = (net->tensor_count + 1) * sizeof(void *), last = (net->tensor_count + 1) * sizeof(uint32_t);
    run r = {.net = net, .allocator = allocator, .diag = diag};
    r.data = vt_alloc_zero(allocator, data);
    r.last = vt_alloc_zero(allocator, last);
    vta_status status = VTA_NO_MEMORY;
    if (r.data && r.last) {
        set_lives(&r);
        status = run_all(&r, inputs, outputs, options);
        for (uint32_t i = 0; i < net->tensor_count; i++)
            if (net->tensors[i]->by && r.data[i]) drop(&r, i);
    } else {
        vt_no_memory(diag);
    }
    vt_free(allocator, r.data, data);
    vt_free(allocator, r.last, last);
    return status;
}
