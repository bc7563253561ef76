/* Any text as a kernel file, read and lowered to its loop nest: a result or an error, never anything else. */
#include <stdint.h>
#include <stdlib.h>

#include "te/te.h"
#include "vta/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096, MOST_ARGS = 64 };

static vta_status lower(vt_ctx *ctx, void *arg) {
    vtac_kernel *k = arg;
    vt_te_arg args[MOST_ARGS] = {{0}};
    size_t n = vtac_kernel_args(k);
    if (n > MOST_ARGS) return VTA_OK;
    for (size_t i = 0; i < n; i++) args[i].tensor = vtac_kernel_arg(k, i);
    vt_te_lower(vtac_kernel_schedule(k), (uint32_t)n, args, vtac_kernel_name(k));
    (void)ctx;
    return VTA_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LONGEST) return 0;
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    vta_status status = vtac_kernel_parse((const char *)data, size, "fuzz", NULL, NULL, NULL, diag, &k);
    if (status != VTA_OK && vta_diag_status(diag) == VTA_OK) abort(); /* an error without a message */
    if (status == VTA_INTERNAL) abort();
    if (k) {
        status = vt_protect(vt_te_ctx(vtac_kernel_context(k)), lower, k);
        if (status == VTA_INTERNAL || (status != VTA_OK && te_context_status(vtac_kernel_context(k)) == VTA_OK))
            abort();
    }
    vtac_kernel_destroy(k);
    vta_diag_destroy(diag);
    return 0;
}
