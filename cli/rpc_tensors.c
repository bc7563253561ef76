#include "rpc_tensors.h"

#include <stdlib.h>
#include <string.h>

static bool read_type(const char *text, DLDataType *out) {
    static const struct {
        const char *name;
        uint8_t code;
    } kinds[] = {{"int", kDLInt}, {"uint", kDLUInt}, {"float", kDLFloat}};
    *out = (DLDataType){kDLUInt, 1, 1};
    if (!strcmp(text, "bool")) return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].name);
        unsigned long bits = strncmp(text, kinds[i].name, n) == 0 ? strtoul(text + n, NULL, 10) : 0;
        *out = (DLDataType){kinds[i].code, (uint8_t)bits, 1};
        if (bits && bits <= 64) return true;
    }
    return false;
}

static bool read_tensor(const json_t *from, cli_rpc_tensors *t, size_t i) {
    const char *name = json_string_value(json_object_get(from, "name"));
    const char *type = json_string_value(json_object_get(from, "type"));
    const json_t *shape = json_object_get(from, "shape"), *extent;
    size_t d;
    t->at[i] = (cli_tensor){.name = name,
                            .ndim = (int32_t)json_array_size(shape),
                            .shape = t->shapes[i],
                            .bytes = (size_t)json_integer_value(json_object_get(from, "bytes"))};
    if (!name || !type || t->at[i].ndim > VTA_ARRAY_MAX_DIMS) return false;
    json_array_foreach(shape, d, extent) t->shapes[i][d] = json_integer_value(extent);
    return read_type(type, &t->at[i].type);
}

vta_status cli_rpc_tensors_read(const json_t *description, const char *key, const char *path, vta_diag *diag,
                                cli_rpc_tensors *out) {
    char message[512];
    const json_t *list = json_object_get(description, key);
    out->count = json_array_size(list);
    bool good = json_is_array(list) && out->count <= CLI_LIST_MAX;
    for (size_t i = 0; good && i < out->count; i++) good = read_tensor(json_array_get(list, i), out, i);
    if (good) return VTA_OK;
    snprintf(message, sizeof message, "%.300s: the server's description of its %s is not understood", path, key);
    vta_diag_add(diag, VTA_ERROR, VTA_UNSUPPORTED, message);
    return VTA_UNSUPPORTED;
}

vta_status cli_rpc_tensors_make(vta_rpc *rpc, cli_rpc_tensors *t, vta_diag *diag) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < t->count && status == VTA_OK; i++)
        status = vta_rpc_array(rpc, kDLCPU, t->at[i].ndim, t->at[i].shape, t->at[i].type, diag, &t->arrays[i]);
    return status;
}
