/* Artifacts of one network for several shapes, as one. */
#include <string.h>

#include "artifact/shapes.h"
#include "vta/compile.h"

#define FAIL(status, ...) vt_fail(diag, status, __VA_ARGS__)

typedef struct joined {
    vta_model **model; /* for what they are */
    vt_container *container;
} joined;

static bool is_same_input(const vta_model *a, const vta_model *b, size_t i) {
    vta_model_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    if (vta_model_input(a, i, &x) != VTA_OK || vta_model_input(b, i, &y) != VTA_OK || x.ndim != y.ndim) return false;
    return !x.ndim || !memcmp(x.shape, y.shape, (size_t)x.ndim * sizeof *x.shape);
}

static bool is_named_alike(const vta_model *a, const vta_model *b) {
    vta_model_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    if (vta_model_input_count(a) != vta_model_input_count(b) || vta_model_output_count(a) != vta_model_output_count(b))
        return false;
    for (size_t i = 0; i < vta_model_input_count(a); i++) {
        if (vta_model_input(a, i, &x) != VTA_OK || vta_model_input(b, i, &y) != VTA_OK) return false;
        if (strcmp(x.name, y.name) != 0) return false;
    }
    return true;
}

static vta_status check(const joined *j, size_t count, vta_diag *diag) {
    for (size_t i = 0; i < count; i++) {
        const vta_model *m = j->model[i];
        if (vta_model_shape_count(m) != 1)
            return FAIL(VTA_INVALID_ARGUMENT, "artifact %zu has several shapes already", i);
        if (!is_named_alike(j->model[0], m))
            return FAIL(VTA_MISMATCH, "artifact %zu has other inputs or outputs than the first one", i);
        for (size_t k = 0; k < i; k++) {
            bool same = true;
            for (size_t in = 0; in < vta_model_input_count(m); in++) same = same && is_same_input(m, j->model[k], in);
            if (same) return FAIL(VTA_INVALID_ARGUMENT, "artifacts %zu and %zu are for the same shapes", k, i);
        }
    }
    return VTA_OK;
}

static vta_status join(joined *j, const vtac_artifact *artifacts, size_t count, vta_diag *diag, uint8_t **out_bytes,
                       size_t *out_size) {
    for (size_t i = 0; i < count; i++) {
        const vtac_artifact *a = &artifacts[i];
        vta_status status = vta_model_parse(a->bytes, a->size, "artifact", NULL, diag, &j->model[i]);
        if (status == VTA_OK) status = vt_container_parse(a->bytes, a->size, "artifact", diag, &j->container[i]);
        if (status != VTA_OK) return status;
    }
    vta_status status = check(j, count, diag);
    return status == VTA_OK ? vt_shapes_join(j->container, (uint32_t)count, diag, out_bytes, out_size) : status;
}

vta_status vtac_artifact_join(const vtac_artifact *artifacts, size_t count, vta_diag *diag, uint8_t **out_bytes,
                              size_t *out_size) {
    if (!artifacts || !count || !out_bytes || !out_size)
        return FAIL(VTA_INVALID_ARGUMENT, "vtac_artifact_join: an argument is NULL, or there are no artifacts");
    *out_bytes = NULL;
    *out_size = 0;
    if (count > VT_SECTIONS_MAX)
        return FAIL(VTA_OUT_OF_RANGE, "%zu artifacts: one holds at most %d", count, VT_SECTIONS_MAX);
    joined j = {vt_alloc_zero(NULL, count * sizeof *j.model), vt_alloc_zero(NULL, count * sizeof *j.container)};
    vta_status status =
        j.model && j.container ? join(&j, artifacts, count, diag, out_bytes, out_size) : vt_no_memory(diag);
    for (size_t i = 0; j.model && i < count; i++) vta_model_release(j.model[i]);
    vt_free(NULL, j.model, count * sizeof *j.model);
    vt_free(NULL, j.container, count * sizeof *j.container);
    return status;
}
