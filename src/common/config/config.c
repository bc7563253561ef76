#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/json.h"
#include "config/files.h"
#include "config/settings.h"

enum { FILE_LIMIT = 1 << 20 };

/* ---- Making ---------------------------------------------------------------------------------------------- */

static vta_status make(const vt__config_settings *s, const char *source, vta_diag *diag, vta_config **out_config) {
    vta_config *c = vt_alloc_zero(NULL, sizeof *c);
    if (!c) return vt_no_memory(diag);
    vta_status status = vt__config_derive(s, diag, c);
    if (status != VTA_OK) {
        vt_free(NULL, c, sizeof *c);
        return status;
    }
    snprintf(c->source, sizeof c->source, "%s", source);
    atomic_init(&c->references, 1);
    *out_config = c;
    return VTA_OK;
}

vta_config *vta_config_default(void) {
    vt__config_settings s;
    vt__config_settings_init(&s, "built-in default");
    vta_config *c = NULL;
    return make(&s, s.name, NULL, &c) == VTA_OK ? c : NULL;
}

vta_status vta_config_parse(const char *json, size_t size, const char *name, vta_diag *diag, vta_config **out_config) {
    if (!out_config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_parse: out_config is NULL");
    *out_config = NULL;
    if (!json && size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_parse: json is NULL");
    vt__config_settings s;
    vt__config_settings_init(&s, name ? name : "configuration");
    VT_TRY(vt__config_read_json(&s, json ? json : "", size, diag));
    return make(&s, s.name, diag, out_config);
}

/* Could it be a name of one of configs/: no path, and no file. */
static bool is_name(const char *path) { return !strpbrk(path, "/.") && access(path, F_OK) != 0; }

static vta_status load_named(const char *name, vta_diag *diag, vta_config **out_config) {
    char names[256] = "";
    for (size_t i = 0; i < vt__config_file_count; i++) {
        const vt__config_file *f = &vt__config_files[i];
        int n = (int)strcspn(f->name, ".");
        if (!strncmp(f->name, name, (size_t)n) && !name[n])
            return vta_config_parse(f->text, strlen(f->text), name, diag, out_config);
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "", n, f->name);
    }
    return vt_fail(diag, VTA_NOT_FOUND, "%s: no such file, and no configuration of that name: there are %s", name,
                   names);
}

vta_status vta_config_load(const char *path, vta_diag *diag, vta_config **out_config) {
    if (!out_config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_load: out_config is NULL");
    *out_config = NULL;
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_load: path is NULL");
    if (is_name(path)) return load_named(path, diag, out_config);
    char *text;
    size_t size;
    VT_TRY(vt_file_read(NULL, path, FILE_LIMIT, diag, &text, &size));
    vta_status status = vta_config_parse(text, size, path, diag, out_config);
    vt_free(NULL, text, size + 1);
    return status;
}

vta_status vta_config_find(const char *path, vta_diag *diag, vta_config **out_config, const char **out_source) {
    static const char local[] = "vta_config.json";
    if (out_source) *out_source = NULL;
    if (!out_config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_find: out_config is NULL");
    *out_config = NULL;
    const char *from = path ? path : vt_environment(VT_ENV_VTA_CONFIG);
    if (!from && access(local, F_OK) == 0) from = local;
    if (from) {
        VT_TRY(vta_config_load(from, diag, out_config));
    } else {
        *out_config = vta_config_default();
        if (!*out_config) return vt_no_memory(diag);
    }
    if (out_source) *out_source = (*out_config)->source;
    return VTA_OK;
}

static void settings_of(const vta_config *config, const char *name, vt__config_settings *out) {
    vt__config_settings_init(out, name);
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) out->field[i] = config->field[i];
    memcpy(out->target, config->target, sizeof out->target);
    memcpy(out->hw_version, config->hw_version, sizeof out->hw_version);
    memcpy(out->timing, config->timing, sizeof out->timing);
}

vta_status vta_config_with(const vta_config *config, const char *changes, vta_diag *diag, vta_config **out_config) {
    if (!out_config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_with: out_config is NULL");
    *out_config = NULL;
    if (!config || !changes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_with: an argument is NULL");
    vt__config_settings s;
    settings_of(config, "changed configuration", &s);
    VT_TRY(vt__config_read_changes(&s, changes, diag));
    return make(&s, config->source, diag, out_config);
}

vta_status vta_config_with_timing(const vta_config *config, const char *json, vta_diag *diag, vta_config **out_config) {
    if (!out_config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_with_timing: out_config is NULL");
    *out_config = NULL;
    if (!config || !json) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_config_with_timing: an argument is NULL");
    vt__config_settings s;
    json_t *settings;
    settings_of(config, "timing settings", &s);
    VT_TRY(vt_json_parse(json, strlen(json), s.name, diag, &settings));
    vta_status status = vt__config_read_timing(&s, settings, diag);
    json_decref(settings);
    return status == VTA_OK ? make(&s, config->source, diag, out_config) : status;
}

vta_config *vta_config_retain(const vta_config *config) {
    vta_config *c = (vta_config *)config;
    if (c) atomic_fetch_add_explicit(&c->references, 1, memory_order_relaxed);
    return c;
}

void vta_config_release(vta_config *config) {
    if (config && atomic_fetch_sub_explicit(&config->references, 1, memory_order_acq_rel) == 1)
        vt_free(NULL, config, sizeof *config);
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

int32_t vta_config_get(const vta_config *config, vta_config_field field) {
    return (unsigned)field < VTA_CONFIG_FIELD_COUNT ? config->field[field] : -1;
}

const char *vta_config_target(const vta_config *config) { return config->target; }
const char *vta_config_hw_version(const vta_config *config) { return config->hw_version; }
const char *vta_config_bitstream(const vta_config *config) { return config->bitstream; }
const char *vta_config_model(const vta_config *config) { return config->model; }
const char *vta_config_source(const vta_config *config) { return config->source; }
uint32_t vta_config_isa_version(const vta_config *config) { return config->isa_version; }
uint32_t vta_config_batch(const vta_config *config) { return config->batch; }
uint32_t vta_config_block_in(const vta_config *config) { return config->block_in; }
uint32_t vta_config_block_out(const vta_config *config) { return config->block_out; }

static bool is_memory(vta_memory memory) { return (unsigned)memory < VTA_MEM_COUNT; }

uint32_t vta_config_width(const vta_config *config, vta_memory memory) {
    return is_memory(memory) ? config->width[memory] : 0;
}

uint32_t vta_config_elem_bytes(const vta_config *config, vta_memory memory) {
    return is_memory(memory) ? config->elem_bytes[memory] : 0;
}

uint32_t vta_config_buffer_bytes(const vta_config *config, vta_memory memory) {
    return is_memory(memory) ? config->buffer_bytes[memory] : 0;
}

uint32_t vta_config_depth(const vta_config *config, vta_memory memory) {
    return is_memory(memory) ? config->depth[memory] : 0;
}

const char *vta_memory_name(vta_memory memory) {
    static const char *const names[] = {
#define VTA_MEMORY(name, number, text, element) [number] = text,
#include "vta/memory.def"
#undef VTA_MEMORY
    };
    return is_memory(memory) ? names[memory] : NULL;
}
