/* What a compile has made of each layer, as data and as text. */
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/versioned.h"
#include "network/report.h"

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
    layer.run = UINT32_MAX;
    r->layers[r->count++] = layer;
    return VTA_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

static bool take_rows(vtac_compile_report *r, const vt_planner *planner) {
    r->row_count = vt_planner_row_count(planner);
    r->rows = vt_arena_alloc(&r->arena, (r->row_count + (size_t)1) * sizeof *r->rows);
    for (uint32_t i = 0; r->rows && i < r->row_count; i++) {
        const vt_planner_row *row = &r->rows[i];
        r->rows[i] = vt_planner_row_at(planner, i);
        if (row->run == UINT32_MAX) continue;
        if (row->owner < r->count) r->layers[row->owner].run = row->run;
        if (row->run >= r->runs) r->runs = row->run + 1;
    }
    /* what was computed with the layer before it is in that one's run */
    for (size_t i = 1; i < r->count; i++)
        if (r->layers[i].place == VTAC_ON_ACCELERATOR && r->layers[i].run == UINT32_MAX)
            r->layers[i].run = r->layers[i - 1].run;
    return r->rows;
}

static char *reason(vtac_compile_report *r, const vtac_compile_cut *cut) {
    vt_strbuf text;
    vt_strbuf_init(&text, r->allocator);
    const vtac_compiled_layer *l = cut->layer_count ? &r->layers[cut->layers[0]] : NULL;
    if (l)
        vt_strbuf_addf(&text, "%s (%s): %s", l->name, l->kind, l->why ? l->why : "its input is made on the host");
    else
        vt_strbuf_add(&text, "a run has no room for more instructions");
    char *copy = text.failed ? NULL : vt_arena_strndup(&r->arena, vt_strbuf_text(&text), text.size);
    vt_strbuf_free(&text);
    return copy;
}

/* The layers of a cut, each once: several steps of one stand together. */
static bool add_cut(vtac_compile_report *r, uint32_t run) {
    vtac_compile_cut *cut = &r->cuts[r->cut_count++];
    uint32_t *layers = vt_arena_alloc(&r->arena, (r->row_count + (size_t)1) * sizeof *layers);
    *cut = (vtac_compile_cut){.size = sizeof *cut, .run = run, .layers = layers};
    for (uint32_t i = 0; layers && i < r->row_count; i++) {
        const vt_planner_row *row = &r->rows[i];
        bool known = cut->layer_count && layers[cut->layer_count - 1] == row->owner;
        if (row->cut == run && row->owner < r->count && !known) layers[cut->layer_count++] = row->owner;
    }
    cut->why = layers ? reason(r, cut) : NULL;
    return cut->why;
}

static bool find_cuts(vtac_compile_report *r) {
    r->cuts = vt_arena_alloc(&r->arena, (r->runs + (size_t)1) * sizeof *r->cuts);
    for (uint32_t run = 0; r->cuts && run + 1 < r->runs; run++)
        if (!add_cut(r, run)) return false;
    return r->cuts;
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

vta_status vt__report_finish(vtac_compile_report *r, const vt_planner *planner, vta_diag *diag) {
    static const char *const places[] = {[VTAC_ON_ACCELERATOR] = "accelerator", [VTAC_ON_HOST] = "host"};
    vt_strbuf sb;
    if (!take_rows(r, planner) || !find_cuts(r)) return vt_no_memory(diag);
    vt_strbuf_init(&sb, r->allocator);
    for (size_t i = 0; i < r->count; i++) {
        const vtac_compiled_layer *l = &r->layers[i];
        vt_strbuf_addf(&sb, "%s (%s): %s%s%s\n", l->name, l->kind, places[l->place], l->why ? ", " : "",
                       l->why ? l->why : "");
    }
    r->text = vt_strbuf_take(&sb);
    return r->text ? VTA_OK : vt_no_memory(diag);
}

/* ---- What it says ----------------------------------------------------------------------------------------------- */

size_t vtac_compile_report_layer_count(const vtac_compile_report *r) { return r ? r->count : 0; }

const vtac_compiled_layer *vtac_compile_report_layer(const vtac_compile_report *r, size_t index) {
    return r && index < r->count ? &r->layers[index] : NULL;
}

size_t vtac_compile_report_count(const vtac_compile_report *r, vtac_layer_place place) {
    size_t n = 0;
    for (size_t i = 0; r && i < r->count; i++) n += r->layers[i].place == place;
    return n;
}

const vtac_compile_cut *vtac_compile_report_cut(const vtac_compile_report *r, size_t index) {
    return r && index < r->cut_count ? &r->cuts[index] : NULL;
}

vta_status vtac_compile_report_sum(const vtac_compile_report *r, vtac_compile_summary *out_summary) {
    if (!r || !out_summary) return VTA_INVALID_ARGUMENT;
    vtac_compile_summary s = {.size = sizeof s, .layers = (uint32_t)r->count, .runs = r->runs};
    s.cuts = (uint32_t)r->cut_count;
    s.is_measured = r->is_measured;
    for (size_t i = 0; i < r->count; i++) {
        const vtac_compiled_layer *l = &r->layers[i];
        bool host = l->place == VTAC_ON_HOST;
        s.host_layers += host;
        s.products += l->products;
        s.accelerator_products += host ? 0 : l->products;
        s.cycles += l->cycles;
    }
    s.seconds = r->seconds;
    s.host_seconds = r->host_seconds;
    vt_result_write(out_summary, &s, sizeof s);
    return VTA_OK;
}

const char *vtac_compile_report_text(const vtac_compile_report *r) { return r ? r->text : NULL; }
