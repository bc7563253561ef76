/* Any text as a kernel file, matched with the operators, and lowered for the target that it names, well formed after
 * every pass: a result or an error, never anything else. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/build.h"
#include "vta/ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096 };

static void lower(vtac_kernel *k) {
    te_context *c = vtac_kernel_context(k);
    bool vta = strcmp(vtac_kernel_target(k), "vta") == 0;
    const vtac_lower_options options = {.config = vta ? te_context_config(c) : NULL, .verify = 1};
    const vtac_func *f;
    vta_status status = vtac_kernel_lower(k, &options, &f);
    if (status == VTA_INTERNAL) abort();
    if (status != VTA_OK && te_context_status(c) == VTA_OK) abort(); /* an error without a message */
}

static void match(const vtac_kernel *k, vta_diag *diag) {
    vtac_op *op;
    vta_status status = vtac_op_match_kernel(k, NULL, diag, &op);
    if (status == VTA_INTERNAL || (status == VTA_OK) != (op != NULL)) abort();
    if (status != VTA_OK && vta_diag_status(diag) == VTA_OK) abort();
    vtac_op_destroy(op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LONGEST) return 0;
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    vta_status status = vtac_kernel_parse((const char *)data, size, "fuzz", NULL, NULL, NULL, diag, &k);
    if (status != VTA_OK && vta_diag_status(diag) == VTA_OK) abort();
    if (status == VTA_INTERNAL) abort();
    if (k) match(k, diag);
    if (k) lower(k);
    vtac_kernel_destroy(k);
    vta_diag_destroy(diag);
    return 0;
}
