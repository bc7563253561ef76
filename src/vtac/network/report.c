/* What a compile has made of each layer, as data and as text. */
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "network/priv.h"

struct vtac_compile_report {
    const vta_allocator *allocator;
    vt_arena arena; /* names */
    vtac_compiled_layer *layers;
    size_t count, cap;
    char *text;
};

vta_status vt__report_create(const vta_allocator *allocator, vta_diag *diag, vtac_compile_report **out_report) {
    vtac_compile_report *r = *out_report = vt_alloc_zero(allocator, sizeof *r);
    if (!r) return vt_no_memory(diag);
    r->allocator = allocator;
    vt_arena_init(&r->arena, allocator);
    return VTA_OK;
}

void vtac_compile_report_destroy(vtac_compile_report *r) {
    if (!r) return;
    vt_arena_clear(&r->arena);
    vt_free(r->allocator, r->layers, r->cap * sizeof *r->layers);
    vt_strfree(r->allocator, r->text);
    vt_free(r->allocator, r, sizeof *r);
}

vta_status vt__report_add(vtac_compile_report *r, vtac_compiled_layer layer, vta_diag *diag) {
    layer.name = vt_arena_strndup(&r->arena, layer.name, strlen(layer.name));
    layer.kind = vt_arena_strndup(&r->arena, layer.kind, strlen(layer.kind));
    bool said = layer.why != NULL;
    if (said) layer.why = vt_arena_strndup(&r->arena, layer.why, strlen(layer.why));
    if (!layer.name || !layer.kind || (said && !layer.why) ||
        !vt_reserve(r->allocator, &r->layers, &r->cap, r->count + 1, sizeof *r->layers))
        return vt_no_memory(diag);
    layer.size = sizeof layer;
    r->layers[r->count++] = layer;
    return VTA_OK;
}

vta_status vt__report_finish(vtac_compile_report *r, vta_diag *diag) {
    static const char *const places[] = {[VTAC_ON_ACCELERATOR] = "accelerator", [VTAC_ON_HOST] = "host"};
    vt_strbuf sb;
    vt_strbuf_init(&sb, r->allocator);
    for (size_t i = 0; i < r->count; i++) {
        const vtac_compiled_layer *l = &r->layers[i];
        vt_strbuf_addf(&sb, "%s (%s): %s%s%s\n", l->name, l->kind, places[l->place], l->why ? ", " : "",
                       l->why ? l->why : "");
    }
    r->text = vt_strbuf_take(&sb);
    return r->text ? VTA_OK : vt_no_memory(diag);
}

size_t vtac_compile_report_layer_count(const vtac_compile_report *r) { return r ? r->count : 0; }

const vtac_compiled_layer *vtac_compile_report_layer(const vtac_compile_report *r, size_t index) {
    return r && index < r->count ? &r->layers[index] : NULL;
}

size_t vtac_compile_report_count(const vtac_compile_report *r, vtac_layer_place place) {
    size_t n = 0;
    for (size_t i = 0; r && i < r->count; i++) n += r->layers[i].place == place;
    return n;
}

const char *vtac_compile_report_text(const vtac_compile_report *r) { return r ? r->text : NULL; }
