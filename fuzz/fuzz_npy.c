/* Any bytes as an .npy file: read, or refused with a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_array *array;
    check(diag != NULL);
    vta_status status = vta_array_parse_npy(data, size, "fuzz.npy", NULL, diag, &array);
    if (status == VTA_OK)
        check(vta_array_bytes(array) <= size);
    else
        check(vta_diag_count(diag) > 0 && array == NULL);
    vta_array_free(array);
    vta_diag_destroy(diag);
    return 0;
}
