/* What the files of this folder share. */
#ifndef VT_IMAGE_IMAGE_H
#define VT_IMAGE_IMAGE_H

#include "base/diag.h"
#include "vta/image.h"

enum { VT_IMAGE_CHANNELS = 3 };
#define VT_IMAGE_MAX ((uint64_t)1 << 26) /* pixels */

struct vta_image {
    const vta_allocator *allocator;
    uint32_t width, height;
    uint8_t pixels[];
};

#endif
