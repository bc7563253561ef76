#include "base/json.h"

/* jansson calls a string that it has no memory for a syntax error. When nothing can be allocated now either, memory is
 * what was missing. */
static bool out_of_memory(const json_error_t *error, size_t size) {
    if (!*error->text || json_error_code(error) == json_error_out_of_memory) return true;
    void *probe = vt_alloc(NULL, size);
    vt_free(NULL, probe, size);
    return !probe;
}

vta_status vt_json_parse(const char *json, size_t size, const char *name, vta_diag *diag, json_t **out_root) {
    json_error_t error = {0};
    *out_root = json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
    if (*out_root) return VTA_OK;
    if (out_of_memory(&error, size)) return vt_no_memory(diag);
    vt_pos pos = {name, error.line > 0 ? (uint32_t)error.line : 0, error.column > 0 ? (uint32_t)error.column : 0};
    return vt_fail_at(diag, VTA_PARSE, pos, "%s", error.text);
}
