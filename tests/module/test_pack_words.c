/* What is said of tensors that cannot be packed. */
#include "support/diag.h"
#include "vta/module.h"
#include "vta/pack.h"

static void packing(void **state) {
    (void)state;
    const vta_pack_shape good = {.n = 2, .c = 3, .h = 4, .w = 5, .rows = 6, .lanes = 7, .element_bytes = 1};
    uint8_t byte = 0;
    size_t bytes = 99;
    for (int i = 0; i < 6; i++) {
        vta_pack_shape s = good;
        int64_t *const extents[] = {&s.n, &s.c, &s.h, &s.w, &s.rows, &s.lanes};
        char words[200];
        *extents[i] = 0;
        snprintf(words, sizeof words,
                 "a tensor of %d x %d x %d x %d in tiles of %d x %d: every extent must be at least 1", (int)s.n,
                 (int)s.c, (int)s.h, (int)s.w, (int)s.rows, (int)s.lanes);
        says_error(vta_pack_bytes(&s, diag, &bytes), VTA_INVALID_ARGUMENT, words);
    }
    vta_pack_shape s = good;
    s.element_bytes = 8;
    says_error(vta_pack_bytes(&s, diag, &bytes), VTA_INVALID_ARGUMENT, "elements of 8 bytes: there are 1, 2 and 4");
    s = good;
    s.layout = (vta_layout)2;
    says_error(vta_pack_bytes(&s, diag, &bytes), VTA_INVALID_ARGUMENT, "layout 2: there are VTA_NCHW and VTA_NHWC");
    s = good;
    s.h = INT64_C(1) << 62;
    says_error(vta_pack_bytes(&s, diag, &bytes), VTA_OUT_OF_RANGE,
               "a tensor of 2 x 3 x 4611686018427387904 x 5 is more than memory can hold");
    says_error(vta_pack_bytes(NULL, diag, &bytes), VTA_INVALID_ARGUMENT, "shape is NULL");
    says_error(vta_pack_bytes(&good, diag, NULL), VTA_INVALID_ARGUMENT, "out_bytes is NULL");
    says_error(vta_pack(NULL, &byte, diag, &byte), VTA_INVALID_ARGUMENT, "shape is NULL");
    says_error(vta_pack(&good, NULL, diag, &byte), VTA_INVALID_ARGUMENT, "the tensor is NULL");
    says_error(vta_pack(&good, &byte, diag, NULL), VTA_INVALID_ARGUMENT, "tiles is NULL");
    says_error(vta_unpack(&good, NULL, diag, &byte), VTA_INVALID_ARGUMENT, "tiles is NULL");
    says_error(vta_unpack(&good, &byte, diag, NULL), VTA_INVALID_ARGUMENT, "the tensor is NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(packing, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
