/* Any text as a kernel file, all the way to code: an object and C, or an error that says why. Kernels that are large by
 * their extents are left out: what is tested is the code makers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 2048, UNROLLED_MAX = 1 << 16 };

/* A full unroll of large loops takes as long as it takes; that is no news. */
static int is_small(const vtac_func *f) {
    char *text;
    if (vtac_func_print(f, VTAC_STYLE_PRIMFN, NULL, &text) != VTA_OK) return 0;
    size_t n = strlen(text);
    vta_string_free(text);
    return n < UNROLLED_MAX;
}

static void compile(const vtac_func *f, const char *target, vtac_emit_kind kind, vta_diag *diag) {
    const vtac_build_func bf = {.func = f};
    const vtac_build_options options = {.target = target, .opt_level = -1};
    char *text;
    size_t size;
    vta_diag_clear(diag);
    vta_status status = vtac_emit(1, &bf, &options, kind, diag, &text, &size);
    if (status == VTA_INTERNAL || (status != VTA_OK && vta_diag_status(diag) == VTA_OK)) abort();
    vta_string_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LONGEST) return 0;
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    if (vtac_kernel_parse((const char *)data, size, "fuzz", NULL, NULL, NULL, diag, &k) == VTA_OK) {
        const vtac_func *f;
        const char *target = vtac_kernel_target(k);
        vta_status status = vtac_kernel_lower(k, NULL, &f);
        if (status == VTA_INTERNAL) abort();
        if (status == VTA_OK && is_small(f)) {
            compile(f, target, VTAC_EMIT_OBJECT, diag);
            compile(f, target, VTAC_EMIT_C, diag);
        }
    }
    vtac_kernel_destroy(k);
    vta_diag_destroy(diag);
    return 0;
}
