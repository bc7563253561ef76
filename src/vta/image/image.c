/* Pictures in memory. */
#include "image/image.h"

#include <string.h>

static size_t bytes_of(uint32_t width, uint32_t height) { return (size_t)width * height * VT_IMAGE_CHANNELS; }

vta_status vta_image_create(uint32_t width, uint32_t height, const uint8_t *pixels, const vta_allocator *allocator,
                            vta_diag *diag, vta_image **out_image) {
    if (!out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_image is NULL");
    *out_image = NULL;
    if (!width || !height)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "an image of %u x %u", (unsigned)width, (unsigned)height);
    if ((uint64_t)width * height > VT_IMAGE_MAX)
        return vt_fail(diag, VTA_UNSUPPORTED, "an image of %u x %u; at most %llu pixels are supported", (unsigned)width,
                       (unsigned)height, (unsigned long long)VT_IMAGE_MAX);
    size_t bytes = bytes_of(width, height);
    vta_image *image = vt_alloc(allocator, sizeof *image + bytes);
    if (!image) return vt_no_memory(diag);
    *image = (vta_image){allocator, width, height};
    if (pixels)
        memcpy(image->pixels, pixels, bytes);
    else
        memset(image->pixels, 0, bytes);
    *out_image = image;
    return VTA_OK;
}

void vta_image_destroy(vta_image *image) {
    if (image) vt_free(image->allocator, image, sizeof *image + bytes_of(image->width, image->height));
}

uint32_t vta_image_width(const vta_image *image) { return image ? image->width : 0; }
uint32_t vta_image_height(const vta_image *image) { return image ? image->height : 0; }
const uint8_t *vta_image_pixels(const vta_image *image) { return image ? image->pixels : NULL; }
