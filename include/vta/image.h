/* Pictures, and how they become the inputs of a network.
 *
 *     vta_image *image;
 *     vta_preprocess how = {.size = sizeof how};
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

/* The same as OpenCV's resize with INTER_LINEAR, to the bit: every pixel is made of the four pixels around its middle,
 * however many it covers; at half the width and height it is their mean. */
VTA_API vta_status vta_image_resize_linear(const vta_image *image, uint32_t width, uint32_t height, vta_diag *diag,
                                           vta_image **out_image);

/* Writes a picture: as PNG, or as JPEG of quality 95, by the ending of the path (.png, .jpg, .jpeg). VTA_UNSUPPORTED
 * for another ending, or where the library was built without libpng or libjpeg; VTA_IO where it cannot be written. */
VTA_API vta_status vta_image_save(const vta_image *image, const char *path, vta_diag *diag);

/* ---- Preprocessing ---------------------------------------------------------------------------------------------- */

/* How a picture gets the network's width and height: each side by itself; or both by the same factor, so that the
 * picture fits, with the rest of the input filled. VTA_FIT_CORNER puts the picture at the top left and cuts its sides
 * to whole pixels, as YOLOX does; VTA_FIT_CENTER puts it in the middle and rounds its sides, as YOLOv5 does. */
typedef enum vta_fit { VTA_FIT_STRETCH = 0, VTA_FIT_CORNER = 1, VTA_FIT_CENTER = 2 } vta_fit;

/* How pictures are resized: vta_image_resize, or vta_image_resize_linear. */
typedef enum vta_sampling { VTA_SAMPLING_TRIANGLE = 0, VTA_SAMPLING_LINEAR = 1 } vta_sampling;

/* What is done with a picture, in this order: resize, crop the centre, fit to the network's width and height what still
 * has other ones, then of each channel (value * scale - mean) / std. With a `size` of 0 the last three fields are not
 * looked at. */
typedef struct vta_preprocess {
    size_t size;            /* of this struct, or 0 */
    uint32_t resize;        /* the shorter side, in pixels; 0: no */
    uint32_t crop;          /* sides of the square in the centre; 0: no */
    double scale;           /* of values 0 to 255; 0: 1 */
    double mean[3], std[3]; /* of red, green and blue; an std of 0: 1. One channel uses the first */
    bool bgr;               /* channels in the order blue, green, red; mean and std too */
    double fill;            /* value, 0 to 255, of what a fitted picture leaves free */
    vta_fit fit;
    vta_sampling sampling;
} vta_preprocess;

/* Settings by name: "imagenet" (shorter side to 256, crop 224, / 255, the usual mean and std), "raw" (values 0 to 255),
 * "unit" (0 to 1), "signed" (-1 to 1), and those of detectors: "yolox", "yolo", "nanodet", "fastestdet", "ssd".
 * VTA_NOT_FOUND for another name; VTA_UNSUPPORTED for one of a detector where out_preprocess->size is 0. */
VTA_API vta_status vta_preprocess_preset(const char *name, vta_diag *diag, vta_preprocess *out_preprocess);
/* Name and one line of preset `index`; NULL past the last. */
VTA_API const char *vta_preprocess_preset_name(size_t index);
VTA_API const char *vta_preprocess_preset_text(size_t index);

/* Writes channels * height * width floats to `out`. channels: 3, or 1 for the luminance. */
VTA_API vta_status vta_preprocess_run(const vta_preprocess *preprocess, const vta_image *image, uint32_t channels,
                                      uint32_t height, uint32_t width, vta_layout layout, vta_diag *diag, float *out);

/* Where a picture is in a network's input: the point (x, y) of the picture is at (x * scale_x + left, y * scale_y +
 * top) of the input, both in pixels. left and top may be negative: what was cropped. */
typedef struct vta_placement {
    size_t size;            /* of this struct, or 0 */
    uint32_t width, height; /* of the picture */
    double scale_x, scale_y, left, top;
} vta_placement;

/* Where vta_preprocess_run puts a picture of width x height pixels in an input of input_height x input_width. Errors as
 * of vta_preprocess_run. */
VTA_API vta_status vta_preprocess_place(const vta_preprocess *preprocess, uint32_t width, uint32_t height,
                                        uint32_t input_height, uint32_t input_width, vta_diag *diag,
                                        vta_placement *out_placement);

/* ---- Classes ---------------------------------------------------------------------------------------------------- */

/* The name of class `index` of ImageNet's 1000, in the order in which networks number them; NULL for others. */
VTA_API const char *vta_imagenet_name(size_t index);

VTA_END

#endif
