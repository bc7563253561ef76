/* What a network is made of: buffers, constants, inputs and outputs. */
#include "network/planner/planner.h"

#include <string.h>

#include "base/element_type.h"
#include "network/planner/planner_priv.h"

/* ---- Life ------------------------------------------------------------------------------------------------------ */

vta_status vt_planner_create(const char *name, const vta_config *config, const vt_planner_options *options,
                             vta_diag *diag, vt_planner **out_planner) {
    const vta_allocator *a = options ? options->allocator : NULL;
    vt_planner *p = vt_alloc_zero(a, sizeof *p);
    *out_planner = p;
    if (!p) return vt_no_memory(diag);
    p->allocator = a;
    if (options) p->options = *options;
    vt_arena_init(&p->arena, a);
    p->config = config ? vta_config_retain(config) : vta_config_default();
    p->name = vt_arena_strndup(&p->arena, name, strlen(name));
    if (p->config && p->name) return VTA_OK;
    vt_planner_destroy(p);
    *out_planner = NULL;
    return vt_no_memory(diag);
}

void vt_planner_destroy(vt_planner *p) {
    if (!p) return;
    const vta_allocator *a = p->allocator;
    for (size_t i = 0; i < p->stream_count; i++) vt__stream_free(a, p->streams[i]);
    for (uint32_t i = 0; i < p->buffer_count; i++) vt__contents_free(p, &p->buffers[i]);
    vt_free(a, p->streams, p->stream_cap * sizeof *p->streams);
    vt_free(a, p->sections, p->section_cap * sizeof *p->sections);
    vt_free(a, p->buffers, p->buffer_cap * sizeof *p->buffers);
    vt_free(a, p->steps, p->step_cap * sizeof *p->steps);
    vt_free(a, p->inputs, p->input_cap * sizeof *p->inputs);
    vt_free(a, p->outputs, p->output_cap * sizeof *p->outputs);
    vt_strfree(a, p->report);
    vt_arena_clear(&p->arena);
    if (p->config) vta_config_release(p->config);
    vt_free(a, p, sizeof *p);
}

/* ---- Buffers --------------------------------------------------------------------------------------------------- */

static vta_status add_buffer(vt_planner *p, vt__buffer b, const char *name, vta_diag *diag, uint32_t *out_buffer) {
    *out_buffer = UINT32_MAX;
    if (!b.plan.bytes || b.plan.bytes > UINT32_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "buffer %s: %llu bytes", name, (unsigned long long)b.plan.bytes);
    if (!vt_reserve(p->allocator, &p->buffers, &p->buffer_cap, p->buffer_count + (size_t)1, sizeof *p->buffers))
        return vt_no_memory(diag);
    b.plan.name = vt_arena_strndup(&p->arena, name, strnlen(name, VT_PLAN_MAX_NAME));
    if (!b.plan.name) return vt_no_memory(diag);
    b.first = UINT32_MAX;
    p->buffers[p->buffer_count] = b;
    *out_buffer = p->buffer_count++;
    return VTA_OK;
}

vta_status vt_planner_buffer(vt_planner *p, vt_place place, const char *name, uint64_t bytes, vta_diag *diag,
                             uint32_t *out_buffer) {
    if (place == VT_PLACE_DATA)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "buffer %s: steps cannot write where constants are", name);
    return add_buffer(p, (vt__buffer){.plan = {.place = place, .bytes = bytes}}, name, diag, out_buffer);
}

void vt__contents_free(vt_planner *p, vt__buffer *b) {
    if (b->contents) vt_free(p->allocator, b->contents, (size_t)b->plan.bytes);
    b->contents = NULL;
}

/* Among the buffers before `end`. */
static bool find_constant(const vt_planner *p, vt_place place, const void *contents, uint64_t bytes, uint32_t end,
                          uint32_t *out) {
    for (*out = 0; *out < end; (*out)++) {
        const vt__buffer *b = &p->buffers[*out];
        if (b->constant && b->plan.place == place && b->plan.bytes == bytes && !memcmp(b->contents, contents, bytes))
            return true;
    }
    return false;
}

vta_status vt_planner_constant(vt_planner *p, vt_place place, const char *name, const void *contents, uint64_t bytes,
                               vta_diag *diag, uint32_t *out_buffer) {
    if (place == VT_PLACE_HOST) place = VT_PLACE_DATA;
    if (find_constant(p, place, contents, bytes, p->buffer_count, out_buffer)) return VTA_OK;
    vt__buffer b = {.plan = {.place = place, .bytes = bytes}, .constant = true};
    b.contents = vt_alloc(p->allocator, (size_t)bytes);
    if (!b.contents) return vt_no_memory(diag);
    memcpy(b.contents, contents, (size_t)bytes);
    vta_status status = add_buffer(p, b, name, diag, out_buffer);
    if (status != VTA_OK) vt__contents_free(p, &b);
    return status;
}

vta_status vt_planner_constant_begin(vt_planner *p, vt_place place, const char *name, uint64_t bytes, vta_diag *diag,
                                     void **out_contents) {
    vt__buffer b = {.plan = {.place = place, .bytes = bytes}, .constant = true};
    uint32_t buffer;
    *out_contents = b.contents = vt_alloc_zero(p->allocator, (size_t)bytes);
    if (!b.contents) return vt_no_memory(diag);
    vta_status status = add_buffer(p, b, name, diag, &buffer);
    if (status != VTA_OK) vt__contents_free(p, &b);
    return status;
}

uint32_t vt_planner_constant_end(vt_planner *p) {
    uint32_t at = p->buffer_count - 1, same;
    vt__buffer *b = &p->buffers[at];
    if (!find_constant(p, b->plan.place, b->contents, b->plan.bytes, at, &same)) return at;
    vt__contents_free(p, b);
    p->buffer_count--;
    return same;
}

/* ---- Inputs and outputs ---------------------------------------------------------------------------------------- */

/* A view with a copy of the shape. */
vta_status vt__make_view(vt_planner *p, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                         vta_diag *diag, vt_plan_view *out_view) {
    int64_t *extents = vt_arena_alloc(&p->arena, sizeof *extents * (size_t)(ndim + 1));
    if (!extents) return vt_no_memory(diag);
    memcpy(extents, shape, sizeof *extents * (size_t)ndim);
    *out_view = (vt_plan_view){.ndim = ndim, .shape = extents};
    if (ndim <= VT_PLAN_MAX_DIMS && vt_element_type_parse(type, &out_view->type) &&
        vt_plan_tensor_bytes(out_view->type, ndim, shape, &out_view->bytes))
        return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: no tensor of %d dimensions of %s, or of this shape", name, (int)ndim,
                   type);
}

static vta_status add_port(vt_planner *p, vt_plan_port **ports, uint32_t *count, size_t *cap, const char *name,
                           vt_plan_view view, vta_diag *diag) {
    if (!vt_reserve(p->allocator, ports, cap, *count + (size_t)1, sizeof **ports)) return vt_no_memory(diag);
    const char *copy = vt_arena_strndup(&p->arena, name, strnlen(name, VT_PLAN_MAX_NAME));
    if (!copy) return vt_no_memory(diag);
    (*ports)[(*count)++] = (vt_plan_port){copy, view};
    return VTA_OK;
}

vta_status vt_planner_input(vt_planner *p, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                            vta_diag *diag, uint32_t *out_buffer) {
    vt_plan_view view;
    VT_TRY(vt__make_view(p, name, type, ndim, shape, diag, &view));
    const vt__buffer b = {.plan = {.place = VT_PLACE_HOST, .bytes = view.bytes}, .keep = true};
    VT_TRY(add_buffer(p, b, name, diag, out_buffer));
    view.buffer = *out_buffer;
    return add_port(p, &p->inputs, &p->input_count, &p->input_cap, name, view, diag);
}

vta_status vt_planner_output(vt_planner *p, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                             vt_planner_arg from, vta_diag *diag) {
    vt_plan_view view;
    VT_TRY(vt__make_view(p, name, type, ndim, shape, diag, &view));
    if (from.buffer >= p->buffer_count || p->buffers[from.buffer].plan.place == VT_PLACE_DEVICE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "output %s: it is not in a buffer on the host", name);
    view.buffer = from.buffer;
    view.offset = from.offset;
    return add_port(p, &p->outputs, &p->output_count, &p->output_cap, name, view, diag);
}

vta_status vt_planner_section(vt_planner *p, const char *name, const void *bytes, size_t size, vta_diag *diag) {
    vt__section s = {.size = size};
    if (!*name || strlen(name) >= sizeof s.name)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "section '%s': its name has 1 to %zu characters", name,
                       sizeof s.name - 1);
    memcpy(s.name, name, strlen(name));
    s.bytes = vt_arena_alloc(&p->arena, size ? size : 1);
    if (!s.bytes || !vt_reserve(p->allocator, &p->sections, &p->section_cap, p->section_count + 1, sizeof s))
        return vt_no_memory(diag);
    if (size) memcpy(s.bytes, bytes, size);
    p->sections[p->section_count++] = s;
    return VTA_OK;
}
