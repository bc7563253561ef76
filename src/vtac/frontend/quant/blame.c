#include "frontend/quant/blame.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/eval/eval.h"
#include "frontend/quant/priv.h"

typedef struct blaming {
    const vt_qnet *net;
    const vt_graph *g;
    const vta_allocator *allocator;
    vta_diag *diag;
    const atomic_bool *interrupt;
    vt_eval *clean;   /* the sample in floats, with all values */
    uint32_t depth;   /* products that errors pass; 0: all */
    void **changed;   /* by the value's index: its data where they are others; NULL: as they are */
    uint32_t *passed; /* by the value's index, of those that changed: products that the error has passed */
    bool *is_output;  /* by the value's index */
} blaming;

/* ---- The rest of the network ------------------------------------------------------------------------------------ */

static void *make_value(blaming *b, const vt_gvalue *v) {
    return b->changed[v->index] = vt_alloc(b->allocator, vt_gtype_bytes(&v->type) + 1);
}

static void forget(blaming *b) {
    for (uint32_t i = 0; b->changed && i < b->g->values.count; i++) {
        if (!b->changed[i]) continue;
        vt_free(b->allocator, b->changed[i], vt_gtype_bytes(&b->g->values.item[i]->type) + 1);
        b->changed[i] = NULL;
    }
}

static const void *data_of(const blaming *b, const vt_gvalue *v) {
    return b->changed[v->index] ? b->changed[v->index] : vt_eval_value(b->clean, v);
}

/* Is it a product with weights? */
static bool is_product(const vt_gnode *n) { return vt__product_kind(n) != VT_Q_FLOAT; }

/* Does an error come in that is to go on? `out_passed`: products that it has passed behind the node. */
static bool is_reached(const blaming *b, const vt_gnode *n, uint32_t *out_passed) {
    bool reached = false;
    *out_passed = 0;
    for (uint32_t i = 0; i < n->output_count; i++)
        if (b->changed[n->outputs[i]->index]) return false; /* it is what was changed */
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        if (!v || !b->changed[v->index] || (b->depth && b->passed[v->index] >= b->depth)) continue;
        reached = true;
        if (b->passed[v->index] > *out_passed) *out_passed = b->passed[v->index];
    }
    *out_passed += is_product(n);
    return reached;
}

enum { MAX_INPUTS = 64, MAX_OUTPUTS = 8 };

static vta_status compute(blaming *b, const vt_gnode *n, uint32_t passed) {
    const void *in[MAX_INPUTS];
    void *out[MAX_OUTPUTS];
    if (n->input_count > MAX_INPUTS || n->output_count > MAX_OUTPUTS)
        return vt_fail(b->diag, VTA_UNSUPPORTED, "%s: more than %d inputs", n->name, MAX_INPUTS);
    for (uint32_t i = 0; i < n->input_count; i++) in[i] = n->inputs[i] ? data_of(b, n->inputs[i]) : NULL;
    for (uint32_t i = 0; i < n->output_count; i++) {
        if (!(out[i] = make_value(b, n->outputs[i]))) return vt_no_memory(b->diag);
        b->passed[n->outputs[i]->index] = passed;
    }
    return vt_eval_node(n, in, out, b->allocator, b->diag);
}

/* The power of the value's error over that of its signal. */
static double ratio_of(const blaming *b, const vt_gvalue *v) {
    const float *want = vt_eval_value(b->clean, v), *got = b->changed[v->index];
    double signal = 0, noise = 0;
    for (int64_t i = 0; i < vt_gtype_count(&v->type); i++) {
        double off = (double)got[i] - (double)want[i];
        if (!isfinite(off)) continue;
        noise += off * off;
        signal += (double)want[i] * (double)want[i];
    }
    return signal > 0 ? noise / signal : 0;
}

/* Where errors end: at outputs, and behind the last product that they are to pass. */
static bool is_end(const blaming *b, const vt_gvalue *v) {
    if (!b->changed[v->index] || v->type.element != VT_ELEMENT_F32) return false;
    return b->is_output[v->index] || (b->depth && b->passed[v->index] >= b->depth);
}

/* From the changed value on: the mean over where its errors end. */
static vta_status spread(blaming *b, double *noise) {
    double sum = 0;
    uint32_t ends = 0, passed;
    for (uint32_t i = 0; i < b->g->node_count; i++) {
        if (b->interrupt && atomic_load_explicit(b->interrupt, memory_order_relaxed))
            return vt_fail(b->diag, VTA_INTERRUPTED, "interrupted");
        if (is_reached(b, b->g->nodes[i], &passed)) VT_TRY(compute(b, b->g->nodes[i], passed));
    }
    for (uint32_t i = 0; i < b->g->values.count; i++)
        if (is_end(b, b->g->values.item[i])) sum += ratio_of(b, b->g->values.item[i]), ends++;
    if (ends) *noise += sum / ends;
    return VTA_OK;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* As its integers have it, where that is the cause; counts elements beyond them. */
static float taken(const vt_qtensor *t, double step, float x, vt_qcause cause, uint64_t *cut) {
    double most = t->type.element == VT_ELEMENT_I8 ? INT8_MAX : INT16_MAX, at = (double)x / step;
    bool beyond = at > most + 0.5 || at < -most - 1.5;
    *cut += beyond;
    if (beyond) return cause == VT_QCAUSE_RANGE ? (float)(fmin(fmax(at, -most - 1), most) * step) : x;
    return cause == VT_QCAUSE_ROUNDING ? (float)(nearbyint(at) * step) : x;
}

/* False: nothing changed. */
static bool change_value(const vt_qtensor *t, const float *from, float *to, vt_qcause cause, uint64_t *cut) {
    const vt_gtype *type = &t->value->type;
    int64_t count = vt_gtype_count(type), channels = type->rank > 1 ? type->dim[1] : 1;
    int64_t plane = type->rank > 2 ? vt_gtype_span(type, 2, type->rank) : 1;
    double fine = t->parts & VT_QPART_FINE ? 1 << VT_QFINE_BITS : 1;
    bool any = false;
    for (int64_t i = 0; i < count; i++) {
        double scale = vt_qtensor_scale(t, i / plane % channels);
        to[i] = taken(t, cause == VT_QCAUSE_ROUNDING ? scale / fine : scale, from[i], cause, cut);
        any |= to[i] != from[i] && isfinite(from[i]);
    }
    return any;
}

static vta_status blame_value(blaming *b, const vt_qtensor *t, vt_qcause cause, vt_qblame *out) {
    const vt_gvalue *v = t->value;
    const void *from = vt_eval_value(b->clean, v);
    uint64_t cut = 0;
    float *to = make_value(b, v);
    if (!to) return vt_no_memory(b->diag);
    bool any = change_value(t, from, to, cause, &cut);
    if (cause == VT_QCAUSE_RANGE) {
        out->cut += cut;
        out->count += (uint64_t)vt_gtype_count(&v->type);
    }
    b->passed[v->index] = 0;
    vta_status status = any ? spread(b, &out->noise[cause]) : VTA_OK;
    forget(b);
    return status;
}

/* ---- Weights ------------------------------------------------------------------------------------------------------
 */

/* Weight `i` of output `o` as the layer's integers have it, all parts together, but for the scales of its input. */
static double integer_weight(const vt_qlayer *l, int64_t o, int64_t i, int64_t taps, int64_t window) {
    uint32_t parts = l->inputs[0]->parts;
    int64_t count = vt_qparts_count(parts);
    const int8_t *at = l->weight + o * taps * count + i / window * count * window + i % window;
    return *at + (parts & VT_QPART_COARSE ? ldexp(at[window * (count - 1)], -VT_QCOARSE_BITS) : 0);
}

/* Where weight `i` of output `o` is among the node's. */
static int64_t place_of(const vt_gnode *n, int64_t o, int64_t i, int64_t taps, int64_t window, int64_t channels) {
    bool rows = n->op == VT_G_CONV || (n->op == VT_G_GEMM && vt_gattr_int(n, VT_A_TRANS_B));
    return rows ? o * taps + i : (i / window * channels + o) * window + i % window;
}

/* The node's weights as the integers have them; those of no factor stay. */
static void change_weights(const vt_qlayer *l, const vt_gnode *n, float *to) {
    const vt_qtensor *x = l->inputs[0];
    int64_t channels = l->output->value->type.dim[1], taps = vt_gtype_count(&n->inputs[1]->type) / channels;
    int64_t window = l->kind == VT_Q_DENSE ? 1 : l->window.kernel[0] * l->window.kernel[1];
    int64_t ins = taps / window, group = l->kind == VT_Q_CONV ? l->group : 1;
    for (int64_t o = 0; o < channels; o++)
        for (int64_t i = 0; i < taps; i++) {
            int64_t at = place_of(n, o, i, taps, window, channels), in = o / (channels / group) * ins + i / window;
            double scale = (x->channel ? x->channel[in] : 1) * l->node_factors[o];
            double is = integer_weight(l, o, i, taps, window) * l->weight_scales[o];
            to[at] = (float)(scale != 0 ? is / scale : vt_gelement_at(n->inputs[1], (size_t)at));
        }
}

/* The product's node: its input and its weights are the layer's. NULL: it has other weights. */
static const vt_gnode *node_of(const vt_qnet *net, const vt_qlayer *l) {
    for (uint32_t i = 0; i < net->graph->node_count; i++) {
        const vt_gnode *n = net->graph->nodes[i];
        if (!strcmp(n->name, l->name) && n->input_count > 1 && n->inputs[1]->data &&
            n->inputs[1]->type.element == VT_ELEMENT_F32)
            return n;
    }
    return NULL;
}

static vta_status blame_weights(blaming *b, const vt_qlayer *l, vt_qblame *out) {
    const vt_gnode *n = node_of(b->net, l);
    if (!n) return VTA_OK;
    size_t bytes = vt_gtype_bytes(&n->inputs[1]->type);
    float *weights = vt_alloc(b->allocator, bytes + 1);
    void *to = make_value(b, n->outputs[0]);
    vta_status status = weights && to ? VTA_OK : vt_no_memory(b->diag);
    if (status == VTA_OK) {
        change_weights(l, n, weights);
        const void *bias = n->input_count > 2 && n->inputs[2] ? vt_eval_value(b->clean, n->inputs[2]) : NULL;
        const void *in[3] = {vt_eval_value(b->clean, n->inputs[0]), weights, bias};
        status = vt_eval_node(n, in, &to, b->allocator, b->diag);
    }
    b->passed[n->outputs[0]->index] = 1;
    if (status == VTA_OK) status = spread(b, &out->noise[VT_QCAUSE_WEIGHTS]);
    vt_free(b->allocator, weights, bytes + 1);
    forget(b);
    return status;
}

/* ---- All of them --------------------------------------------------------------------------------------------------
 */

/* Does the layer round? Those that move integers of the same scale do not. */
static bool rounds(const vt_qlayer *l) {
    if (l->output->inner || l->output->scale == 0 || l->output->value->type.element != VT_ELEMENT_F32) return false;
    bool moves =
        l->kind == VT_Q_MAX_POOL || l->kind == VT_Q_CONCAT || l->kind == VT_Q_UPSAMPLE || l->kind == VT_Q_RESHAPE;
    for (uint32_t i = 0; moves && i < l->input_count; i++) moves = l->inputs[i]->scale == l->output->scale;
    return !moves;
}

static vta_status blame_layer(blaming *b, const vt_qlayer *l, vt_qblame *out) {
    if (!rounds(l)) return VTA_OK;
    VT_TRY(blame_value(b, l->output, VT_QCAUSE_ROUNDING, &out[l->output->index]));
    VT_TRY(blame_value(b, l->output, VT_QCAUSE_RANGE, &out[l->output->index]));
    return l->weight ? blame_weights(b, l, &out[l->output->index]) : VTA_OK;
}

static vta_status blame_sample(blaming *b, const void *const *inputs, vt_qblame *out) {
    for (uint32_t i = 0; i < b->g->inputs.count; i++) vt_eval_input(b->clean, i, inputs[i]);
    VT_TRY(vt_eval_run(b->clean, b->diag));
    for (uint32_t i = 0; i < b->net->layer_count; i++) VT_TRY(blame_layer(b, b->net->layers[i], out));
    return VTA_OK;
}

static vta_status blame_all(blaming *b, const void *const *const *samples, size_t count, vt_qblame *out) {
    vt_eval_options keep = {.keep = true, .interrupt = b->interrupt};
    VT_TRY(vt_eval_open(b->g, &keep, b->allocator, b->diag, &b->clean));
    vta_status status = VTA_OK;
    for (uint32_t i = 0; i < b->g->outputs.count; i++) b->is_output[b->g->outputs.item[i]->index] = true;
    for (size_t i = 0; i < count && status == VTA_OK; i++) status = blame_sample(b, samples[i], out);
    for (uint32_t i = 0; i < b->net->tensor_count; i++)
        for (int cause = 0; cause < VT_QCAUSE_COUNT; cause++) out[i].noise[cause] /= (double)count;
    vt_eval_close(b->clean);
    return status;
}

vta_status vt_qblame_measure(const vt_qnet *net, const void *const *const *samples, size_t count, uint32_t depth,
                             const atomic_bool *interrupt, const vta_allocator *allocator, vta_diag *diag,
                             vt_qblame *out) {
    size_t values = net->graph->values.count + 1;
    blaming b = {
        .net = net, .g = net->graph, .allocator = allocator, .diag = diag, .interrupt = interrupt, .depth = depth};
    memset(out, 0, net->tensor_count * sizeof *out);
    b.changed = vt_alloc_zero(allocator, values * sizeof *b.changed);
    b.passed = vt_alloc_zero(allocator, values * sizeof *b.passed);
    b.is_output = vt_alloc_zero(allocator, values * sizeof *b.is_output);
    bool made = b.changed && b.passed && b.is_output;
    vta_status status = made ? blame_all(&b, samples, count, out) : vt_no_memory(diag);
    vt_free(allocator, b.changed, values * sizeof *b.changed);
    vt_free(allocator, b.passed, values * sizeof *b.passed);
    vt_free(allocator, b.is_output, values * sizeof *b.is_output);
    return status;
}
