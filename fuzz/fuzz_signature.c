/* Any text as a signature: refused with a message, or arguments that can all be read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

static void check_arg(const vta_signature_arg *a) {
    check(a && a->name && a->dtype.bits >= 1 && a->dtype.bits <= 64 && a->dtype.lanes >= 1);
    if (!a->is_tensor) return;
    check(a->device_type > 0 && a->ndim >= 0 && a->ndim <= VTA_ARRAY_MAX_DIMS);
    for (int32_t i = 0; i < a->ndim; i++) check(a->shape[i] >= -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_signature *s;
    char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = 0;
        if (vta_signature_parse(text, "fuzz", NULL, diag, &s) != VTA_OK) check(vta_diag_count(diag) > 0);
        for (size_t i = 0; i < vta_signature_arg_count(s); i++) check_arg(vta_signature_get_arg(s, i));
        vta_signature_destroy(s);
    }
    free(text);
    vta_diag_destroy(diag);
    return 0;
}
