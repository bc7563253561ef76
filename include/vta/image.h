/* Pictures, and how they become the inputs of a network.
 *
 *     vta_image *image;
 *     vta_preprocess how;
 *     vta_preprocess_preset("imagenet", diag, &how);
 *     vta_image_load("cat.jpg", NULL, diag, &image);
 *     vta_preprocess_run(&how, image, 3, 224, 224, VTA_NCHW, diag, input);   // float input[3 * 224 * 224]
 *
 * Different images may be used from different threads at once. */
#ifndef VTA_IMAGE_H
#define VTA_IMAGE_H

#include <stdbool.h>

#include "vta/pack.h"

VTA_BEGIN

/* ---- Pictures ------------------------------------------------------------------------------------------------- */

/* Rows of pixels from the top, each pixel red, green and blue in 8 bits. */
typedef struct vta_image vta_image;

/* Reads a JPEG or PNG file. A JPEG is turned as its Exif data say that the camera was held. VTA_NOT_FOUND, VTA_IO;
 * VTA_PARSE for what is not a picture; VTA_UNSUPPORTED for one of another format, or of more than 2^26 pixels.
 * Transparency is left out. Free with vta_image_destroy. */
VTA_API vta_status vta_image_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                  vta_image **out_image);
/* The same from memory; `name` stands for the file in messages. */
VTA_API vta_status vta_image_decode(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                                    vta_diag *diag, vta_image **out_image);
/* An image of those pixels (width * height * 3 bytes, copied), or black ones for NULL. */
VTA_API vta_status vta_image_create(uint32_t width, uint32_t height, const uint8_t *pixels,
                                    const vta_allocator *allocator, vta_diag *diag, vta_image **out_image);
VTA_API void vta_image_destroy(vta_image *image);
VTA_API uint32_t vta_image_width(const vta_image *image);
VTA_API uint32_t vta_image_height(const vta_image *image);
/* Belongs to the image. */
VTA_API const uint8_t *vta_image_pixels(const vta_image *image);

/* A picture of another size, bilinear: every pixel is the mean of what it covers, weighted with a triangle (as Pillow's
 * Image.resize with BILINEAR, to the bit). */
VTA_API vta_status vta_image_resize(const vta_image *image, uint32_t width, uint32_t height, vta_diag *diag,
                                    vta_image **out_image);

/* ---- Preprocessing ---------------------------------------------------------------------------------------------- */

/* What is done with a picture, in this order: resize, crop the centre, resize to the network's size what still is of
 * another one, then of each channel (value * scale - mean) / std. */
typedef struct vta_preprocess {
    size_t size;            /* of this struct, or 0 */
    uint32_t resize;        /* the shorter side, in pixels; 0: no */
    uint32_t crop;          /* sides of the square in the centre; 0: no */
    double scale;           /* of values 0 to 255; 0: 1 */
    double mean[3], std[3]; /* of red, green and blue; an std of 0: 1. One channel uses the first */
    bool bgr;               /* channels in the order blue, green, red; mean and std too */
} vta_preprocess;

/* Settings by name: "imagenet" (shorter side to 256, crop 224, / 255, the usual mean and std), "raw" (values 0 to 255),
 * "unit" (0 to 1), "signed" (-1 to 1). VTA_NOT_FOUND for another name. */
VTA_API vta_status vta_preprocess_preset(const char *name, vta_diag *diag, vta_preprocess *out_preprocess);
/* Name and one line of preset `index`; NULL past the last. */
VTA_API const char *vta_preprocess_preset_name(size_t index);
VTA_API const char *vta_preprocess_preset_text(size_t index);

/* Writes channels * height * width floats to `out`. channels: 3, or 1 for the luminance. */
VTA_API vta_status vta_preprocess_run(const vta_preprocess *preprocess, const vta_image *image, uint32_t channels,
                                      uint32_t height, uint32_t width, vta_layout layout, vta_diag *diag, float *out);

VTA_END

#endif
