/* Signatures: what an object says about its functions, read back. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/element_type.h"
#include "base/json.h"
#include "module/module.h"
#include "module/module_priv.h"

typedef struct argument {
    vta_signature_arg public;
    char *name;
    int64_t shape[VTA_ARRAY_MAX_DIMS];
} argument;

struct vta_signature {
    vta_allocator allocator;
    char *name, *computes;
    size_t count;
    argument *args;
    vta_config *config;
};

void vta_signature_destroy(vta_signature *s) {
    if (!s) return;
    vta_allocator allocator = s->allocator;
    for (size_t i = 0; s->args && i < s->count; i++) vt_strfree(&allocator, s->args[i].name);
    vt_free(&allocator, s->args, s->count * sizeof *s->args);
    vt_strfree(&allocator, s->name);
    vt_strfree(&allocator, s->computes);
    vta_config_release(s->config);
    vt_free(&allocator, s, sizeof *s);
}

const char *vta_signature_name(const vta_signature *s) { return s ? s->name : ""; }
size_t vta_signature_arg_count(const vta_signature *s) { return s ? s->count : 0; }
const vta_config *vta_signature_config(const vta_signature *s) { return s ? s->config : NULL; }
const char *vta_signature_computes(const vta_signature *s) { return s ? s->computes : NULL; }
const vta_signature_arg *vta_signature_get_arg(const vta_signature *s, size_t index) {
    return s && index < s->count ? &s->args[index].public : NULL;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *from;
    vta_diag *diag;
    vta_signature *s;
} reader;

static vta_status damaged(const reader *r, const char *what) {
    return vt_fail(r->diag, VTA_PARSE, "%s: the signature is damaged: %s", r->from, what);
}

static vta_status read_shape(const reader *r, const json_t *shape, argument *a) {
    if (json_array_size(shape) > VTA_ARRAY_MAX_DIMS) return damaged(r, "a tensor has too many dimensions");
    a->public.ndim = (int32_t)json_array_size(shape);
    a->public.shape = a->shape;
    for (int32_t i = 0; i < a->public.ndim; i++) {
        const json_t *extent = json_array_get(shape, (size_t)i);
        a->shape[i] = json_is_string(extent) ? -1 : json_integer_value(extent);
        if (!json_is_string(extent) && (!json_is_integer(extent) || a->shape[i] < 0))
            return damaged(r, "an extent is neither a number nor a name");
    }
    return VTA_OK;
}

static bool read_device(const json_t *device, int32_t *out) {
    const char *text = json_string_value(device);
    *out = !text                          ? (int32_t)json_integer_value(device)
           : strcmp(text, "ext_dev") == 0 ? kDLExtDev
           : strcmp(text, "cpu") == 0     ? kDLCPU
                                          : 0;
    return *out > 0;
}

static vta_status read_arg(const reader *r, const json_t *json, argument *a) {
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *dtype = json_string_value(json_object_get(json, "dtype"));
    const json_t *shape = json_object_get(json, "shape");
    if (!name || !dtype) return damaged(r, "an argument has no name or type");
    if (!vt_element_type_parse(dtype, &a->public.dtype))
        return damaged(r, "an argument has a type that does not exist");
    if (!(a->name = vt_strdup(&r->s->allocator, name))) return vt_no_memory(r->diag);
    a->public.name = a->name;
    if (!shape) return VTA_OK;
    a->public.is_tensor = 1;
    a->public.is_output = json_is_true(json_object_get(json, "output"));
    if (!read_device(json_object_get(json, "device"), &a->public.device_type))
        return damaged(r, "a tensor is on no device");
    return read_shape(r, shape, a);
}

static vta_status read_config(const reader *r, const json_t *json) {
    if (!json || json_is_null(json)) return VTA_OK;
    char *text = json_dumps(json, 0);
    if (!text) return vt_no_memory(r->diag);
    vta_status status = vta_config_parse(text, strlen(text), r->from, r->diag, &r->s->config);
    free(text);
    return status;
}

static vta_status read_all(const reader *r, const json_t *root) {
    vta_signature *s = r->s;
    json_int_t version = json_integer_value(json_object_get(root, "version"));
    if (version > VTA_SIGNATURE_VERSION)
        return vt_fail(r->diag, VTA_UNSUPPORTED,
                       "%s: its signature has version %" JSON_INTEGER_FORMAT
                       ", this library reads %d: update the library",
                       r->from, version, VTA_SIGNATURE_VERSION);
    const char *name = json_string_value(json_object_get(root, "name"));
    const json_t *args = json_object_get(root, "args");
    if (version < 1 || !name || !json_is_array(args)) return damaged(r, "version, name or args are missing");
    if (!(s->name = vt_strdup(&s->allocator, name))) return vt_no_memory(r->diag);
    const json_t *computes = json_object_get(root, "computes");
    if (computes && !json_is_string(computes)) return damaged(r, "what it computes is not a text");
    if (computes && !(s->computes = vt_strdup(&s->allocator, json_string_value(computes))))
        return vt_no_memory(r->diag);
    size_t count = json_array_size(args);
    s->args = count ? vt_alloc_zero(&s->allocator, count * sizeof *s->args) : NULL;
    if (count && !s->args) return vt_no_memory(r->diag);
    s->count = count;
    for (size_t i = 0; i < count; i++) VT_TRY(read_arg(r, json_array_get(args, i), &s->args[i]));
    return read_config(r, json_object_get(root, "config"));
}

vta_status vta_signature_parse(const char *text, const char *from, const vta_allocator *allocator, vta_diag *diag,
                               vta_signature **out_signature) {
    if (!out_signature) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_signature_parse: out_signature is NULL");
    *out_signature = NULL;
    if (!text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_signature_parse: text is NULL");
    reader r = {.from = from ? from : "signature", .diag = diag, .s = vt_alloc_zero(allocator, sizeof *r.s)};
    if (!r.s) return vt_no_memory(diag);
    r.s->allocator = allocator ? *allocator : vt_allocator_libc;
    char name[1024];
    snprintf(name, sizeof name, "%.900s: the signature is damaged", r.from);
    json_t *root;
    vta_status status = vt_json_parse(text, strlen(text), name, diag, &root);
    if (status == VTA_OK) status = read_all(&r, root);
    json_decref(root);
    if (status == VTA_OK)
        *out_signature = r.s;
    else
        vta_signature_destroy(r.s);
    return status;
}

vta_status vta_module_signature(vta_module *module, const char *name, const vta_allocator *allocator, vta_diag *diag,
                                vta_signature **out_signature) {
    if (!out_signature) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_module_signature: out_signature is NULL");
    *out_signature = NULL;
    vta_packed_function function;
    VT_TRY(vta_module_function(module, name, diag, &function)); /* names what there is */
    char from[1024];
    const char *text = vt_module_signature_text(module, name);
    snprintf(from, sizeof from, "%.700s: %.300s", vt__module_name(module), name);
    if (*text) return vta_signature_parse(text, from, allocator, diag, out_signature);
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "%s: the object does not say which tensors the function takes (no symbol " VTA_SIGNATURE_PREFIX
                   "%.300s): objects of "
                   "`vta build` do. Build it anew, or record the process that calls it (vta capture)",
                   from, name);
}
