/* Plans read back from JSON. */
#include <string.h>

#include "artifact/plan.h"
#include "base/element_type.h"
#include "base/json.h"

typedef struct reader {
    const char *name;
    vt_arena *arena;
    vta_diag *diag;
    const char *list; /* the entry at hand: "steps", 3 */
    size_t index;
} reader;

static vta_status wrong(const reader *r, const char *key, const char *what) {
    vt_pos pos = {.file = r->name};
    if (!r->list) return vt_fail_at(r->diag, VTA_PARSE, pos, "the plan: \"%s\" %s", key, what);
    return vt_fail_at(r->diag, VTA_PARSE, pos, "the plan: %s[%zu]: \"%s\" %s", r->list, r->index, key, what);
}

static vta_status read_number(const reader *r, const json_t *from, const char *key, uint64_t most, uint64_t *out) {
    const json_t *value = json_object_get(from, key);
    if (!json_is_integer(value)) return wrong(r, key, "is not a number");
    if (json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
        return wrong(r, key, "is out of range");
    *out = (uint64_t)json_integer_value(value);
    return VTA_OK;
}

static vta_status read_number32(const reader *r, const json_t *from, const char *key, uint32_t *out) {
    uint64_t value = 0;
    VT_TRY(read_number(r, from, key, UINT32_MAX, &value));
    *out = (uint32_t)value;
    return VTA_OK;
}

static vta_status read_text(const reader *r, const json_t *from, const char *key, const char **out) {
    const json_t *value = json_object_get(from, key);
    size_t size = json_string_length(value);
    if (!json_is_string(value)) return wrong(r, key, "is not a text");
    if (size > VT_PLAN_MAX_NAME) return wrong(r, key, "is too long a text");
    *out = vt_arena_strndup(r->arena, json_string_value(value), size);
    return *out ? VTA_OK : vt_no_memory(r->diag);
}

/* Room for the entries of a list, zeroed. */
static vta_status read_list(const reader *r, const json_t *from, const char *key, size_t item, const json_t **out_list,
                            void *out_items, uint32_t *out_count) {
    size_t bytes;
    *out_list = json_object_get(from, key);
    if (!json_is_array(*out_list)) return wrong(r, key, "is not a list");
    if (json_array_size(*out_list) > UINT32_MAX || !vt_mul_size(json_array_size(*out_list), item, &bytes))
        return wrong(r, key, "is too long");
    void *items = vt_arena_alloc_zero(r->arena, bytes ? bytes : 1);
    if (!items) return vt_no_memory(r->diag);
    memcpy(out_items, &items, sizeof items);
    *out_count = (uint32_t)json_array_size(*out_list);
    return VTA_OK;
}

/* ---- Views ----------------------------------------------------------------------------------------------------- */

static vta_status read_shape(const reader *r, const json_t *from, vt_plan_view *v) {
    const json_t *shape = json_object_get(from, "shape");
    if (!json_is_array(shape) || json_array_size(shape) > VT_PLAN_MAX_DIMS)
        return wrong(r, "shape", "is not a list of at most 8 extents");
    v->ndim = (int32_t)json_array_size(shape);
    int64_t *extents = vt_arena_alloc(r->arena, sizeof *extents * (size_t)(v->ndim + 1));
    if (!extents) return vt_no_memory(r->diag);
    for (int32_t i = 0; i < v->ndim; i++) {
        const json_t *extent = json_array_get(shape, (size_t)i);
        if (!json_is_integer(extent)) return wrong(r, "shape", "has an extent that is not a number");
        extents[i] = json_integer_value(extent);
    }
    v->shape = extents;
    return VTA_OK;
}

static vta_status read_view(const reader *r, const json_t *from, vt_plan_view *v) {
    const char *type = json_string_value(json_object_get(from, "type"));
    VT_TRY(read_number32(r, from, "buffer", &v->buffer));
    if (json_object_get(from, "offset")) VT_TRY(read_number(r, from, "offset", UINT64_MAX, &v->offset));
    if (!type || !vt_element_type_parse(type, &v->type)) return wrong(r, "type", "is not a type");
    v->output = json_is_true(json_object_get(from, "output"));
    VT_TRY(read_shape(r, from, v));
    if (!vt_plan_tensor_bytes(v->type, v->ndim, v->shape, &v->bytes))
        return wrong(r, "shape", "and type are not those of a tensor");
    return VTA_OK;
}

static vta_status read_ports(reader *r, const json_t *root, const char *key, vt_plan_port **out, uint32_t *count) {
    const json_t *list;
    r->list = NULL;
    VT_TRY(read_list(r, root, key, sizeof **out, &list, out, count));
    r->list = key;
    for (r->index = 0; r->index < *count; r->index++) {
        vt_plan_port *port = &(*out)[r->index];
        VT_TRY(read_text(r, json_array_get(list, r->index), "name", &port->name));
        VT_TRY(read_view(r, json_array_get(list, r->index), &port->view));
    }
    return VTA_OK;
}

/* ---- Buffers and steps ----------------------------------------------------------------------------------------- */

static vta_status read_buffer(const reader *r, const json_t *from, vt_plan_buffer *b) {
    const char *place = json_string_value(json_object_get(from, "place"));
    VT_TRY(read_text(r, from, "name", &b->name));
    VT_TRY(read_number(r, from, "offset", UINT64_MAX, &b->offset));
    VT_TRY(read_number(r, from, "bytes", UINT64_MAX, &b->bytes));
    for (b->place = 0; b->place < VT_PLACES; b->place++)
        if (place && !strcmp(place, vt_place_names[b->place])) return VTA_OK;
    return wrong(r, "place", "is not device, host or data");
}

static vta_status read_buffers(reader *r, const json_t *root, vt_plan *p) {
    const json_t *list;
    r->list = NULL;
    VT_TRY(read_list(r, root, "buffers", sizeof *p->buffers, &list, &p->buffers, &p->buffer_count));
    r->list = "buffers";
    for (r->index = 0; r->index < p->buffer_count; r->index++)
        VT_TRY(read_buffer(r, json_array_get(list, r->index), &p->buffers[r->index]));
    return VTA_OK;
}

static vta_status read_run(const reader *r, const json_t *from, vt_plan_step *s) {
    const json_t *list;
    VT_TRY(read_number32(r, from, "first", &s->first));
    VT_TRY(read_number32(r, from, "count", &s->count));
    VT_TRY(read_list(r, from, "layers", sizeof *s->layers, &list, &s->layers, &s->layer_count));
    for (uint32_t i = 0; i < s->layer_count; i++) {
        VT_TRY(read_text(r, json_array_get(list, i), "name", &s->layers[i].name));
        VT_TRY(read_number32(r, json_array_get(list, i), "first", &s->layers[i].first));
    }
    return VTA_OK;
}

static vta_status read_views(const reader *r, const json_t *from, vt_plan_step *s) {
    const json_t *list;
    VT_TRY(read_list(r, from, "views", sizeof *s->views, &list, &s->views, &s->view_count));
    for (uint32_t i = 0; i < s->view_count; i++) VT_TRY(read_view(r, json_array_get(list, i), &s->views[i]));
    return VTA_OK;
}

static vta_status read_step(const reader *r, const json_t *from, vt_plan_step *s) {
    const char *kind = json_string_value(json_object_get(from, "kind"));
    VT_TRY(read_text(r, from, "name", &s->name));
    for (s->kind = 0; s->kind < VT_STEP_KINDS; s->kind++)
        if (kind && !strcmp(kind, vt_step_rows[s->kind].name)) break;
    if (s->kind == VT_STEP_KINDS) return wrong(r, "kind", "is not a kind of step");
    if (s->kind == VT_STEP_RUN) return read_run(r, from, s);
    if (s->kind == VT_STEP_CALL) VT_TRY(read_text(r, from, "function", &s->function));
    return read_views(r, from, s);
}

static vta_status read_steps(reader *r, const json_t *root, vt_plan *p) {
    const json_t *list;
    r->list = NULL;
    VT_TRY(read_list(r, root, "steps", sizeof *p->steps, &list, &p->steps, &p->step_count));
    r->list = "steps";
    for (r->index = 0; r->index < p->step_count; r->index++)
        VT_TRY(read_step(r, json_array_get(list, r->index), &p->steps[r->index]));
    return VTA_OK;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static vta_status read_memory(const reader *r, const json_t *root, vt_plan *p) {
    const json_t *device = json_object_get(root, "device");
    VT_TRY(read_number(r, device, "bytes", UINT64_MAX, &p->device_bytes));
    VT_TRY(read_number(r, device, "uops", UINT64_MAX, &p->uops_at));
    VT_TRY(read_number(r, device, "insns", UINT64_MAX, &p->insns_at));
    VT_TRY(read_number(r, device, "work", UINT64_MAX, &p->work_at));
    return read_number(r, root, "host_bytes", UINT64_MAX, &p->host_bytes);
}

static vta_status read_all(reader *r, const json_t *root, vt_plan *p) {
    uint64_t version = 0;
    VT_TRY(read_number(r, root, "version", UINT64_MAX, &version));
    if (version != VT_PLAN_VERSION)
        return vt_fail_at(r->diag, VTA_UNSUPPORTED, (vt_pos){.file = r->name},
                          "the plan has version %llu: this library reads version %d; compile the network anew",
                          (unsigned long long)version, VT_PLAN_VERSION);
    VT_TRY(read_text(r, root, "name", &p->name));
    VT_TRY(read_text(r, root, "triple", &p->triple));
    VT_TRY(read_memory(r, root, p));
    VT_TRY(read_buffers(r, root, p));
    VT_TRY(read_ports(r, root, "inputs", &p->inputs, &p->input_count));
    VT_TRY(read_ports(r, root, "outputs", &p->outputs, &p->output_count));
    return read_steps(r, root, p);
}

vta_status vt_plan_read(const char *json, size_t size, const char *name, vt_arena *arena, vta_diag *diag,
                        vt_plan *out_plan) {
    reader r = {.name = name, .arena = arena, .diag = diag};
    json_t *root;
    *out_plan = (vt_plan){0};
    VT_TRY(vt_json_parse(json, size, name, diag, &root));
    vta_status status = read_all(&r, root, out_plan);
    json_decref(root);
    return status;
}
