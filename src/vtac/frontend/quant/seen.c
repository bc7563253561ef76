#include "frontend/quant/seen.h"

#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/quant/eval.h"

enum { MAX_BYTES = 256 << 20 };

/* A convolution or a matrix product of integers of 8 bits, each one number. */
static bool is_kept(const vt_qlayer *l) {
    return (l->kind == VT_Q_CONV || l->kind == VT_Q_DENSE) && !l->inputs[0]->parts &&
           l->inputs[0]->type.element == VT_ELEMENT_I8;
}

typedef struct recording {
    vt_qseen *seen;
    const vt_qnet *net;
    size_t sample;
} recording;

/* The tensor that was computed, for all products that read it. */
static void keep(void *user, const vt_qlayer *computed, const void *out) {
    recording *r = user;
    for (uint32_t i = 0; i < r->net->layer_count; i++) {
        const vt_qlayer *l = r->net->layers[i];
        if (!r->seen->inputs[i] || l->inputs[0] != computed->output) continue;
        size_t bytes = r->seen->input_bytes[i];
        memcpy(r->seen->inputs[i] + r->sample * bytes, out, bytes);
    }
}

/* Memory for as many samples as fit, at least one. */
static vta_status make(vt_qseen *s, const vt_qnet *net, size_t count) {
    size_t all = 1;
    s->layer_count = net->layer_count;
    s->inputs = vt_alloc_zero(s->allocator, net->layer_count * sizeof *s->inputs + 1);
    s->input_bytes = vt_alloc_zero(s->allocator, net->layer_count * sizeof *s->input_bytes + 1);
    if (!s->inputs || !s->input_bytes) return VTA_NO_MEMORY;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        if (is_kept(net->layers[i])) s->input_bytes[i] = vt_gtype_bytes(&net->layers[i]->inputs[0]->type);
        all += s->input_bytes[i];
    }
    s->sample_count = MAX_BYTES / all < count ? MAX_BYTES / all : count;
    if (!s->sample_count) s->sample_count = 1;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        if (!s->input_bytes[i]) continue;
        s->inputs[i] = vt_alloc_zero(s->allocator, s->input_bytes[i] * s->sample_count);
        if (!s->inputs[i]) return VTA_NO_MEMORY;
    }
    return VTA_OK;
}

static size_t bytes_of_outputs(const vt_graph *g) {
    size_t bytes = 1;
    for (uint32_t i = 0; i < g->outputs.count; i++) bytes += (vt_gtype_bytes(&g->outputs.item[i]->type) + 15) & ~15u;
    return bytes;
}

static vta_status run(recording *r, const void *const *const *samples, void *const *outputs, vta_diag *diag) {
    vt_qeval_options options = {.after = keep, .user = r};
    vta_status status = VTA_OK;
    for (r->sample = 0; r->sample < r->seen->sample_count && status == VTA_OK; r->sample++) {
        status = vt_qeval_run(r->net, samples[r->sample], outputs, &options, r->seen->allocator, diag);
    }
    return status;
}

vta_status vt_qseen_record(const vt_qnet *net, const void *const *const *samples, size_t count,
                           const vta_allocator *allocator, vta_diag *diag, vt_qseen *out) {
    *out = (vt_qseen){.allocator = allocator};
    const vt_graph *g = net->graph;
    size_t bytes = bytes_of_outputs(g), heads = (g->outputs.count + 1) * sizeof(void *);
    char *memory = vt_alloc(allocator, bytes);
    void **outputs = vt_alloc(allocator, heads);
    vta_status status = memory && outputs ? make(out, net, count) : VTA_NO_MEMORY;
    for (size_t i = 0, at = 0; status == VTA_OK && i < g->outputs.count; i++) {
        outputs[i] = memory + at;
        at += (vt_gtype_bytes(&g->outputs.item[i]->type) + 15) & ~15u;
    }
    recording r = {.seen = out, .net = net};
    status = status == VTA_OK ? run(&r, samples, outputs, diag) : vt_no_memory(diag);
    vt_free(allocator, memory, bytes);
    vt_free(allocator, outputs, heads);
    return status;
}

void vt_qseen_free(vt_qseen *s) {
    for (uint32_t i = 0; s->inputs && s->input_bytes && i < s->layer_count; i++)
        vt_free(s->allocator, s->inputs[i], s->input_bytes[i] * s->sample_count);
    vt_free(s->allocator, s->inputs, s->layer_count * sizeof *s->inputs + 1);
    vt_free(s->allocator, s->input_bytes, s->layer_count * sizeof *s->input_bytes + 1);
    *s = (vt_qseen){0};
}
