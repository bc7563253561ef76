/* Any bytes as a picture: read, or refused with a reason. What is read is resized, and made the input of a network. */
#include <stdint.h>
#include <stdlib.h>

#include "vta/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIDE = 7, CHANNELS = 3, MAX_PIXELS = 1 << 18 };

static void check(int ok) {
    if (!ok) abort();
}

/* Every byte of the pixels is read: a sanitizer sees where they are fewer than width and height say. */
static void look_at(const vta_image *image) {
    uint64_t bytes = (uint64_t)vta_image_width(image) * vta_image_height(image) * CHANNELS, sum = 0;
    for (uint64_t i = 0; i < bytes; i++) sum += vta_image_pixels(image)[i];
    check(bytes > 0 && sum <= bytes * UINT8_MAX);
}

static void preprocess(const vta_image *image) {
    static const vta_preprocess how = {.resize = SIDE + 2, .crop = SIDE, .scale = 1.0 / 255};
    float input[CHANNELS * SIDE * SIDE];
    if (vta_preprocess_run(&how, image, CHANNELS, SIDE, SIDE, VTA_NHWC, NULL, input) != VTA_OK) return;
    for (size_t i = 0; i < sizeof input / sizeof *input; i++) check(input[i] >= 0 && input[i] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_image *image;
    check(diag != NULL);
    if (vta_image_decode(data, size, "fuzz", NULL, diag, &image) == VTA_OK) {
        look_at(image);
        if ((uint64_t)vta_image_width(image) * vta_image_height(image) <= MAX_PIXELS) preprocess(image);
    } else {
        check(vta_diag_count(diag) > 0 && image == NULL);
    }
    vta_image_destroy(image);
    vta_diag_destroy(diag);
    return 0;
}
