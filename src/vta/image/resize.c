/* Bilinear resizing with weights in fixed point: along rows first, then along columns, 8 bits between the two. */
#include <math.h>
#include <string.h>

#include "image/image.h"

enum { FRACTION = 22 }; /* bits of a weight: 8 bits of a value and 2 of a sum that overshoots are left of 32 */

/* Output i is the sum of `count` inputs from `first` on, with weights from i * most on. */
typedef struct weights {
    uint32_t *first, *count;
    int32_t *weight;
    uint32_t most, out;
} weights;

static void free_weights(const vta_allocator *a, weights *w) {
    vt_free(a, w->first, w->out * sizeof *w->first);
    vt_free(a, w->count, w->out * sizeof *w->count);
    vt_free(a, w->weight, (size_t)w->out * w->most * sizeof *w->weight);
}

/* x from -1 to 1 */
static double triangle(double x) { return 1 - fabs(x); }

/* Weights of one output: a triangle around its middle, as wide as what it covers, their sum 1. */
static void weigh(weights *w, uint32_t i, uint32_t in, double scale) {
    double wide = scale < 1 ? 1 : scale, narrow = 1 / wide, centre = (i + 0.5) * scale, sum = 0;
    double low = centre - wide + 0.5, high = centre + wide + 0.5;
    uint32_t first = low < 0 ? 0 : (uint32_t)low, end = high > in ? in : (uint32_t)high;
    int32_t *to = w->weight + (size_t)i * w->most;
    for (uint32_t k = first; k < end; k++) sum += triangle((k - centre + 0.5) * narrow);
    for (uint32_t k = first; k < end; k++)
        to[k - first] = (int32_t)(triangle((k - centre + 0.5) * narrow) * (1 / sum) * (1 << FRACTION) + 0.5);
    w->first[i] = first;
    w->count[i] = end - first;
}

static bool make_weights(const vta_allocator *a, uint32_t in, uint32_t out, weights *w) {
    double scale = (double)in / out;
    *w = (weights){.out = out, .most = (uint32_t)ceil(scale < 1 ? 1 : scale) * 2 + 1};
    w->first = vt_alloc_array(a, out, sizeof *w->first);
    w->count = vt_alloc_array(a, out, sizeof *w->count);
    w->weight = vt_alloc_array(a, (size_t)out * w->most, sizeof *w->weight);
    if (!w->first || !w->count || !w->weight) return false;
    for (uint32_t i = 0; i < out; i++) weigh(w, i, in, scale);
    return true;
}

static uint8_t rounded(int32_t sum) {
    int32_t x = sum >> FRACTION;
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

/* One line; neighbours in it lie `by` bytes apart, in input and output. */
static void resize_line(const weights *w, const uint8_t *from, uint8_t *to, size_t by) {
    for (uint32_t i = 0; i < w->out; i++) {
        const int32_t *weight = w->weight + (size_t)i * w->most;
        int32_t sum = 1 << (FRACTION - 1);
        for (uint32_t k = 0; k < w->count[i]; k++) sum += from[(w->first[i] + k) * by] * weight[k];
        to[i * by] = rounded(sum);
    }
}

static void resize_rows(const weights *w, const vta_image *from, vta_image *to) {
    for (uint32_t y = 0; y < from->height; y++)
        for (uint32_t c = 0; c < VT_IMAGE_CHANNELS; c++)
            resize_line(w, from->pixels + (size_t)y * from->width * VT_IMAGE_CHANNELS + c,
                        to->pixels + (size_t)y * to->width * VT_IMAGE_CHANNELS + c, VT_IMAGE_CHANNELS);
}

static void resize_columns(const weights *w, const vta_image *from, vta_image *to) {
    size_t row = (size_t)from->width * VT_IMAGE_CHANNELS;
    for (size_t x = 0; x < row; x++) resize_line(w, from->pixels + x, to->pixels + x, row);
}

vta_status vta_image_resize(const vta_image *image, uint32_t width, uint32_t height, vta_diag *diag,
                            vta_image **out_image) {
    if (!image || !out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "image or out_image is NULL");
    const vta_allocator *a = image->allocator;
    weights across = {0}, down = {0};
    vta_image *narrow = NULL;
    *out_image = NULL;
    VT_TRY(vta_image_create(width, height, NULL, a, diag, out_image));
    vta_status status = vta_image_create(width, image->height, NULL, a, diag, &narrow);
    if (status == VTA_OK &&
        (!make_weights(a, image->width, width, &across) || !make_weights(a, image->height, height, &down)))
        status = vt_no_memory(diag);
    if (status == VTA_OK) {
        resize_rows(&across, image, narrow);
        resize_columns(&down, narrow, *out_image);
    } else {
        vta_image_destroy(*out_image);
        *out_image = NULL;
    }
    free_weights(a, &across);
    free_weights(a, &down);
    vta_image_destroy(narrow);
    return status;
}
