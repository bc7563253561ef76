/* Bilinear resizing from the four pixels around a point, in OpenCV's fixed point (INTER_LINEAR of 8-bit pictures). */
#include <math.h>
#include <string.h>

#include "image/image.h"

enum { ONE = 1 << 11 }; /* a weight of 1 */

/* Output i of a side is made of inputs `first` and `second`. */
typedef struct tap {
    uint32_t first, second;
    int32_t weight[2];
} tap;

static vta_status make_taps(const vta_image *image, uint32_t in, uint32_t out, vta_diag *diag, tap **out_taps) {
    tap *taps = *out_taps = vt_alloc_array(image->allocator, out, sizeof *taps);
    double scale = (double)in / out;
    if (!taps) return vt_no_memory(diag);
    for (uint32_t i = 0; i < out; i++) {
        float at = (float)((i + 0.5) * scale - 0.5), whole = floorf(at), part = at - whole;
        bool before = whole < 0, behind = whole >= (float)(in - 1);
        if (before || behind) part = 0;
        taps[i].first = before ? 0 : behind ? in - 1 : (uint32_t)whole;
        taps[i].second = taps[i].first + (taps[i].first + 1 < in);
        taps[i].weight[0] = (int32_t)rintf((1 - part) * ONE);
        taps[i].weight[1] = (int32_t)rintf(part * ONE);
    }
    return VTA_OK;
}

/* A row of the input at the output's width, times ONE. */
static void across(const tap *taps, const uint8_t *row, uint32_t width, int32_t *to) {
    for (uint32_t x = 0; x < width; x++)
        for (uint32_t c = 0; c < VT_IMAGE_CHANNELS; c++)
            *to++ = row[(size_t)taps[x].first * VT_IMAGE_CHANNELS + c] * taps[x].weight[0] +
                    row[(size_t)taps[x].second * VT_IMAGE_CHANNELS + c] * taps[x].weight[1];
}

/* Both products are cut to 6 bits behind the point before they are added. */
static void down(const tap *t, const int32_t *upper, const int32_t *lower, size_t count, uint8_t *to) {
    for (size_t i = 0; i < count; i++) {
        int32_t sum = ((t->weight[0] * (upper[i] >> 4)) >> 16) + ((t->weight[1] * (lower[i] >> 4)) >> 16);
        to[i] = (uint8_t)((sum + 2) >> 2);
    }
}

static void resize(const vta_image *from, const tap *columns, const tap *rows, int32_t *lines, vta_image *to) {
    size_t row = (size_t)from->width * VT_IMAGE_CHANNELS, count = (size_t)to->width * VT_IMAGE_CHANNELS;
    for (uint32_t y = 0; y < to->height; y++) {
        across(columns, from->pixels + rows[y].first * row, to->width, lines);
        across(columns, from->pixels + rows[y].second * row, to->width, lines + count);
        down(&rows[y], lines, lines + count, count, to->pixels + y * count);
    }
}

/* Half of each side: the mean of four pixels, as OpenCV does there. */
static void halve(const vta_image *from, vta_image *to) {
    size_t row = (size_t)from->width * VT_IMAGE_CHANNELS;
    uint8_t *out = to->pixels;
    for (uint32_t y = 0; y < to->height; y++)
        for (uint32_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < VT_IMAGE_CHANNELS; c++) {
                const uint8_t *at = from->pixels + 2 * y * row + (size_t)2 * x * VT_IMAGE_CHANNELS + c;
                *out++ = (uint8_t)((at[0] + at[VT_IMAGE_CHANNELS] + at[row] + at[row + VT_IMAGE_CHANNELS] + 2) >> 2);
            }
}

vta_status vta_image_resize_linear(const vta_image *image, uint32_t width, uint32_t height, vta_diag *diag,
                                   vta_image **out_image) {
    if (!image || !out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "image or out_image is NULL");
    const vta_allocator *a = image->allocator;
    VT_TRY(vta_image_create(width, height, NULL, a, diag, out_image));
    if (image->width == 2 * (uint64_t)width && image->height == 2 * (uint64_t)height) {
        halve(image, *out_image);
        return VTA_OK;
    }
    tap *columns = NULL, *rows = NULL;
    size_t count = (size_t)width * VT_IMAGE_CHANNELS;
    int32_t *lines = vt_alloc_array(a, 2 * count, sizeof *lines);
    vta_status status = lines ? make_taps(image, image->width, width, diag, &columns) : vt_no_memory(diag);
    if (status == VTA_OK) status = make_taps(image, image->height, height, diag, &rows);
    if (status == VTA_OK) {
        resize(image, columns, rows, lines, *out_image);
    } else {
        vta_image_destroy(*out_image);
        *out_image = NULL;
    }
    vt_free(a, lines, 2 * count * sizeof *lines);
    vt_free(a, columns, width * sizeof *columns);
    vt_free(a, rows, height * sizeof *rows);
    return status;
}
