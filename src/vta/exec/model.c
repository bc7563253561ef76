/* Artifacts as models: read, checked, asked about. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/versioned.h"
#include "exec/exec_priv.h"

/* ---- Life ------------------------------------------------------------------------------------------------------ */

/* A shape lives as long as the artifact that it is in, and its references are that one's. */
vta_model *vt__model_retain(vta_model *model) {
    vta_model *counted = model->whole ? model->whole : model;
    atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
    return model;
}

static void clear_model(vta_model *model) {
    vta_module_destroy(model->module);
    vta_config_release(model->config);
    vt_arena_clear(&model->arena);
    pthread_mutex_destroy(&model->lock);
    vt_strfree(&model->allocator, model->name);
}

void vta_model_release(vta_model *model) {
    if (model && model->whole) model = model->whole;
    if (!model || atomic_fetch_sub_explicit(&model->references, 1, memory_order_acq_rel) != 1) return;
    vta_allocator allocator = model->allocator;
    for (uint32_t i = 0; i < model->shape_count; i++) {
        clear_model(model->shapes[i]);
        vt_free(&allocator, model->shapes[i], sizeof *model);
    }
    vt_free(&allocator, model->shapes, VT_SECTIONS_MAX * sizeof *model->shapes);
    clear_model(model);
    if (model->is_mapped)
        munmap(model->map, model->map_size);
    else
        vt_free_lines(&allocator, model->map, model->map_size);
    vt_free(&allocator, model, sizeof *model);
}

vta_status vt__model_begin(vta_model *model, const vta_allocator *allocator, const char *name, vta_diag *diag) {
    model->allocator = allocator ? *allocator : vt_allocator_libc;
    atomic_init(&model->references, 1);
    vt_arena_init(&model->arena, &model->allocator);
    pthread_mutex_init(&model->lock, NULL);
    model->name = vt_strdup(&model->allocator, name ? name : "model");
    return model->name ? VTA_OK : vt_no_memory(diag);
}

static vta_status new_model(const vta_allocator *allocator, const char *name, vta_diag *diag, vta_model **out_model) {
    vta_model *model = vt_alloc_zero(allocator, sizeof *model);
    *out_model = model;
    return model ? vt__model_begin(model, allocator, name, diag) : vt_no_memory(diag);
}

vt_section vt__model_section(const vta_model *model, const char *name) {
    const vt_section *s = vt_container_find(&model->container, name);
    return s ? *s : (vt_section){.size = 0};
}

static vta_status need_section(const vta_model *model, const char *name, vta_diag *diag, vt_section *out) {
    *out = vt__model_section(model, name);
    if (out->size) return VTA_OK;
    return vt_fail_at(diag, VTA_PARSE, (vt_pos){.file = model->name}, "it has no section '%s'", name);
}

vta_status vt__model_check(vta_model *model, vta_diag *diag) {
    vt_section config, plan;
    VT_TRY(need_section(model, VT_SECTION_CONFIG, diag, &config));
    VT_TRY(need_section(model, VT_SECTION_PLAN, diag, &plan));
    VT_TRY(vta_config_parse((const char *)config.bytes, config.size, model->name, diag, &model->config));
    VT_TRY(vt_plan_read((const char *)plan.bytes, plan.size, model->name, &model->arena, diag, &model->plan));
    return vt_plan_check(&model->plan, &model->container, model->config, model->name, diag);
}

static vta_status read_model(vta_model *model, vta_diag *diag) {
    VT_TRY(vt_container_parse(model->map, model->map_size, model->name, diag, &model->container));
    VT_TRY(vt__model_check(model, diag));
    return vt__model_read_shapes(model, diag);
}

vta_status vta_model_parse(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                           vta_diag *diag, vta_model **out_model) {
    if (!out_model) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_parse: out_model is NULL");
    *out_model = NULL;
    if (!bytes && size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_parse: bytes is NULL");
    vta_model *model;
    vta_status status = new_model(allocator, name, diag, &model);
    if (status == VTA_OK) {
        model->map = vt_alloc_lines(&model->allocator, size);
        if (model->map) model->map_size = size;
        if (model->map && size) memcpy(model->map, bytes, size);
        status = model->map ? read_model(model, diag) : vt_no_memory(diag);
    }
    if (status == VTA_OK)
        *out_model = model;
    else
        vta_model_release(model);
    return status;
}

/* Pages of the file that nobody reads need no memory, and processes share them. */
static vta_status map_file(vta_model *model, const char *path, vta_diag *diag) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        vta_status status = errno == ENOENT ? VTA_NOT_FOUND : VTA_IO;
        vt_fail(diag, status, "%s: cannot open: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return status;
    }
    bool fits = S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= VT_ARTIFACT_MAX_BYTES;
    void *map = fits ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (!fits)
        return vt_fail_at(diag, VTA_PARSE, (vt_pos){.file = path},
                          "not a compiled network: not a file of 1 to %zu bytes", VT_ARTIFACT_MAX_BYTES);
    if (map == MAP_FAILED) return vt_no_memory(diag);
    model->map = map;
    model->map_size = (size_t)st.st_size;
    model->is_mapped = true;
    return VTA_OK;
}

vta_status vta_model_load(const char *path, const vta_allocator *allocator, vta_diag *diag, vta_model **out_model) {
    if (!out_model) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_load: out_model is NULL");
    *out_model = NULL;
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_load: path is NULL");
    vta_model *model;
    vta_status status = new_model(allocator, path, diag, &model);
    if (status == VTA_OK) status = map_file(model, path, diag);
    if (status == VTA_OK) status = read_model(model, diag);
    if (status == VTA_OK)
        *out_model = model;
    else
        vta_model_release(model);
    return status;
}

/* ---- Questions ------------------------------------------------------------------------------------------------- */

const char *vta_model_name(const vta_model *model) { return model ? model->plan.name : ""; }
const vta_config *vta_model_config(const vta_model *model) { return model ? model->config : NULL; }
const char *vta_model_triple(const vta_model *model) { return model ? model->plan.triple : ""; }
size_t vta_model_input_count(const vta_model *model) { return model ? model->plan.input_count : 0; }
size_t vta_model_output_count(const vta_model *model) { return model ? model->plan.output_count : 0; }

static vta_status get_port(const vt_plan_port *ports, size_t count, size_t index, vta_model_tensor *out) {
    if (!out || index >= count) return VTA_OUT_OF_RANGE;
    const vt_plan_view *v = &ports[index].view;
    const vta_model_tensor t = {0, ports[index].name, v->type, v->ndim, v->shape, (size_t)v->bytes};
    vt_result_write(out, &t, sizeof t);
    return VTA_OK;
}

vta_status vta_model_input(const vta_model *model, size_t index, vta_model_tensor *out_tensor) {
    return model ? get_port(model->plan.inputs, model->plan.input_count, index, out_tensor) : VTA_INVALID_ARGUMENT;
}

vta_status vta_model_output(const vta_model *model, size_t index, vta_model_tensor *out_tensor) {
    return model ? get_port(model->plan.outputs, model->plan.output_count, index, out_tensor) : VTA_INVALID_ARGUMENT;
}

static size_t find_port(const vt_plan_port *ports, size_t count, const char *name) {
    for (size_t i = 0; name && i < count; i++)
        if (!strcmp(ports[i].name, name)) return i;
    return SIZE_MAX;
}

size_t vta_model_find_input(const vta_model *model, const char *name) {
    return model ? find_port(model->plan.inputs, model->plan.input_count, name) : SIZE_MAX;
}

size_t vta_model_find_output(const vta_model *model, const char *name) {
    return model ? find_port(model->plan.outputs, model->plan.output_count, name) : SIZE_MAX;
}

vta_status vta_model_get_memory(const vta_model *model, vta_model_memory *out_memory) {
    if (!model || !out_memory) return VTA_INVALID_ARGUMENT;
    const vt_plan *p = &model->plan;
    const vta_model_memory m = {.device_bytes = p->device_bytes,
                                .params_bytes = vt__model_section(model, VT_SECTION_PARAMS).size,
                                .stream_bytes = vt__model_section(model, VT_SECTION_INSNS).size +
                                                vt__model_section(model, VT_SECTION_UOPS).size,
                                .work_bytes = p->device_bytes - p->work_at,
                                .host_bytes = p->host_bytes,
                                .file_bytes = model->map_size};
    vt_result_write(out_memory, &m, sizeof m);
    return VTA_OK;
}

size_t vta_model_step_count(const vta_model *model) {
    size_t n = 0;
    for (uint32_t i = 0; model && i < model->plan.step_count; i++) n += 1 + model->plan.steps[i].layer_count;
    return n;
}

static vta_model_step describe(const vt_plan_step *s, uint32_t index, uint32_t layer) {
    vta_model_step d = {0, s->name, vt_step_rows[s->kind].name, index, UINT32_MAX, s->count};
    if (layer == UINT32_MAX) return d;
    uint32_t end = layer + 1 < s->layer_count ? s->layers[layer + 1].first : s->count;
    d.name = s->layers[layer].name;
    d.kind = "layer";
    d.layer = layer;
    d.insn_count = end - s->layers[layer].first;
    return d;
}

vta_status vta_model_get_step(const vta_model *model, size_t index, vta_model_step *out_step) {
    if (!model || !out_step) return VTA_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < model->plan.step_count; i++) {
        const vt_plan_step *s = &model->plan.steps[i];
        if (index <= s->layer_count) {
            vta_model_step d = describe(s, i, index ? (uint32_t)index - 1 : UINT32_MAX);
            vt_result_write(out_step, &d, sizeof d);
            return VTA_OK;
        }
        index -= (size_t)s->layer_count + 1;
    }
    return VTA_OUT_OF_RANGE;
}

const void *vta_model_section(const vta_model *model, const char *name, size_t *out_size) {
    const vt_section *s = model && name ? vt_container_find(&model->container, name) : NULL;
    if (out_size) *out_size = s ? s->size : 0;
    return s ? s->bytes : NULL;
}
