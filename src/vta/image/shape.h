/* Pictures of the width and height of a network's input, and where they are in it. */
#ifndef VT_IMAGE_SHAPE_H
#define VT_IMAGE_SHAPE_H

#include "image/image.h"

/* A picture of height x width: *own, which the caller frees, or `image` itself where nothing has to be done. */
vta_status vt__image_shape(const vta_preprocess *p, const vta_image *image, uint32_t height, uint32_t width,
                           vta_diag *diag, const vta_image **now, vta_image **own);
/* Where the points of a picture of that width and height are in it. */
vta_status vt__image_place(const vta_preprocess *p, uint32_t width, uint32_t height, uint32_t input_height,
                           uint32_t input_width, vta_diag *diag, vta_placement *out);

#endif
