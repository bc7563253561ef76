/* The layers of a network, for the page. */
#include <string.h>

#include "base/versioned.h"
#include "profile/profile_priv.h"

static void free_layer(const vta_allocator *a, vta_profile_layer *l) {
    vt_strfree(a, (char *)l->name);
    vt_strfree(a, (char *)l->kind);
    vt_free(a, (void *)l->inputs, l->input_count * sizeof *l->inputs);
}

void vt_profile_layers_free(vta_profile *p) {
    for (size_t i = 0; i < p->layer_count; i++) free_layer(&p->allocator, &p->layers[i]);
    vt_free(&p->allocator, p->layers, p->layer_cap * sizeof *p->layers);
}

static vta_status copy_layer(vta_profile *p, const vta_profile_layer *from, vta_diag *diag) {
    const vta_allocator *a = &p->allocator;
    vta_profile_layer l = *from;
    uint32_t *inputs = vt_alloc_array(a, l.input_count, sizeof *inputs);
    l.name = vt_strdup(a, from->name);
    l.kind = vt_strdup(a, from->kind ? from->kind : "layer");
    l.inputs = inputs;
    if (inputs && l.name && l.kind && vt_reserve(a, &p->layers, &p->layer_cap, p->layer_count + 1, sizeof *p->layers)) {
        if (l.input_count) memcpy(inputs, from->inputs, l.input_count * sizeof *inputs);
        p->layers[p->layer_count++] = l;
        return VTA_OK;
    }
    free_layer(a, &l);
    return vt_no_memory(diag);
}

vta_status vta_profile_add_layer(vta_profile *profile, const vta_profile_layer *layer, vta_diag *diag) {
    vta_profile_layer l;
    if (!profile || !layer)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_add_layer: %s is NULL", profile ? "layer" : "profile");
    VT_TRY(vt_options_read(&l, sizeof l, layer, "vta_profile_layer", diag));
    if (!l.name || (l.input_count && !l.inputs))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_add_layer: %s is NULL", l.name ? "inputs" : "name");
    for (size_t i = 0; i < l.input_count; i++)
        if (l.inputs[i] >= profile->layer_count)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "layer %s: input %zu is layer %u, and %zu were added before it",
                           l.name, i, (unsigned)l.inputs[i], profile->layer_count);
    return copy_layer(profile, &l, diag);
}

static void write_layer(const vta_profile_layer *l, vt_json *w) {
    vt_json_line(w);
    vt_json_object(w, NULL);
    vt_json_text(w, "name", l->name);
    vt_json_text(w, "kind", l->kind);
    vt_json_uint(w, "begin", l->begin);
    vt_json_uint(w, "end", l->end);
    vt_json_uint(w, "compute", l->compute_cycles);
    vt_json_uint(w, "memory", l->memory_cycles);
    vt_json_uint(w, "bytes", l->bytes);
    vt_json_real(w, "seconds", l->seconds);
    vt_json_array(w, "from");
    for (size_t i = 0; i < l->input_count; i++) vt_json_uint(w, NULL, l->inputs[i]);
    vt_json_end(w);
    vt_json_end(w);
}

void vt_profile_layers_write(const vta_profile *p, vt_json *w) {
    if (!p->layer_count) return;
    vt_json_line(w);
    vt_json_array(w, "network");
    for (size_t i = 0; i < p->layer_count; i++) write_layer(&p->layers[i], w);
    vt_json_end(w);
}
