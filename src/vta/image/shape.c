/* Pictures of the width and height of a network's input: the sizes on the way are found first, since where a picture is
 * in the input follows from them too. */
#include "image/shape.h"

#include <math.h>
#include <string.h>

/* Width and height after each step, and where the next one takes from or puts to. */
typedef struct plan {
    uint32_t width, height;               /* resized by the shorter side */
    uint32_t crop_width, crop_height;     /* cropped */
    uint32_t crop_left, crop_top;         /* in what was resized */
    uint32_t fitted_width, fitted_height; /* resized to the input */
    uint32_t left, top;                   /* in the input */
} plan;

/* The shorter side gets the length, the other one what keeps the proportions. */
static vta_status shorten(plan *n, uint32_t side, vta_diag *diag) {
    uint32_t w = n->width, h = n->height;
    uint64_t longer = (uint64_t)side * (w < h ? h : w) / (w < h ? w : h);
    if (longer > VT_IMAGE_MAX)
        return vt_fail(diag, VTA_UNSUPPORTED, "a picture of %u x %u resized to %u", (unsigned)w, (unsigned)h,
                       (unsigned)side);
    n->width = w < h ? side : (uint32_t)longer;
    n->height = w < h ? (uint32_t)longer : side;
    return VTA_OK;
}

/* Half of the difference, rounded to the even number. */
static uint32_t margin(uint32_t whole, uint32_t part) { return (uint32_t)rint((double)(whole - part) / 2); }

static vta_status crop(plan *n, uint32_t side, vta_diag *diag) {
    if (n->width < side || n->height < side)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "a picture of %u x %u has no square of %u: resize it first",
                       (unsigned)n->width, (unsigned)n->height, (unsigned)side);
    n->crop_left = margin(n->width, side);
    n->crop_top = margin(n->height, side);
    n->crop_width = n->crop_height = side;
    return VTA_OK;
}

/* A side of a fitted picture, at least one pixel and at most all. */
static uint32_t fitted(double length, uint32_t most) {
    return length < 1 ? 1 : length > most ? most : (uint32_t)length;
}

/* As the repositories of YOLOX (corner) and YOLOv5 (centre) compute it. */
static void fit(plan *n, vta_fit how, uint32_t height, uint32_t width) {
    double across = (double)width / n->crop_width, down = (double)height / n->crop_height;
    double factor = across < down ? across : down, w = n->crop_width * factor, h = n->crop_height * factor;
    n->fitted_width = width;
    n->fitted_height = height;
    if (how == VTA_FIT_STRETCH) return;
    n->fitted_width = fitted(how == VTA_FIT_CENTER ? rint(w) : w, width);
    n->fitted_height = fitted(how == VTA_FIT_CENTER ? rint(h) : h, height);
    if (how == VTA_FIT_CORNER) return;
    n->left = (width - n->fitted_width) / 2; /* the odd pixel is at the right and at the bottom */
    n->top = (height - n->fitted_height) / 2;
}

static vta_status make_plan(const vta_preprocess *p, uint32_t width, uint32_t height, uint32_t input_height,
                            uint32_t input_width, vta_diag *diag, plan *out) {
    if (!width || !height)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "an image of %u x %u", (unsigned)width, (unsigned)height);
    *out = (plan){.width = width, .height = height};
    if (p->resize) VT_TRY(shorten(out, p->resize, diag));
    out->crop_width = out->width;
    out->crop_height = out->height;
    if (p->crop) VT_TRY(crop(out, p->crop, diag));
    fit(out, p->fit, input_height, input_width);
    return VTA_OK;
}

vta_status vt__image_place(const vta_preprocess *p, uint32_t width, uint32_t height, uint32_t input_height,
                           uint32_t input_width, vta_diag *diag, vta_placement *out) {
    plan n;
    VT_TRY(make_plan(p, width, height, input_height, input_width, diag, &n));
    double across = (double)n.fitted_width / n.crop_width, down = (double)n.fitted_height / n.crop_height;
    *out = (vta_placement){.size = sizeof *out, .width = width, .height = height};
    out->scale_x = (double)n.width / width * across;
    out->scale_y = (double)n.height / height * down;
    out->left = n.left - n.crop_left * across;
    out->top = n.top - n.crop_top * down;
    return VTA_OK;
}

/* ---- Pixels ---- */

/* What a step makes takes the place of what it was given. */
static void take(const vta_image **now, vta_image **own, vta_image *made) {
    vta_image_destroy(*own);
    *now = *own = made;
}

static vta_status resize(const vta_preprocess *p, uint32_t width, uint32_t height, vta_diag *diag,
                         const vta_image **now, vta_image **own) {
    vta_image *made;
    if ((*now)->width == width && (*now)->height == height) return VTA_OK;
    VT_TRY(p->sampling == VTA_SAMPLING_LINEAR ? vta_image_resize_linear(*now, width, height, diag, &made)
                                              : vta_image_resize(*now, width, height, diag, &made));
    take(now, own, made);
    return VTA_OK;
}

static size_t row_bytes(const vta_image *image) { return (size_t)image->width * VT_IMAGE_CHANNELS; }

static vta_status cut(const plan *n, vta_diag *diag, const vta_image **now, vta_image **own) {
    vta_image *made;
    if (n->crop_width == n->width && n->crop_height == n->height) return VTA_OK;
    VT_TRY(vta_image_create(n->crop_width, n->crop_height, NULL, (*now)->allocator, diag, &made));
    const uint8_t *from = (*now)->pixels + n->crop_top * row_bytes(*now) + (size_t)n->crop_left * VT_IMAGE_CHANNELS;
    for (uint32_t y = 0; y < made->height; y++)
        memcpy(made->pixels + y * row_bytes(made), from + y * row_bytes(*now), row_bytes(made));
    take(now, own, made);
    return VTA_OK;
}

/* The picture in an input that is filled around it. */
static vta_status put(const vta_preprocess *p, const plan *n, uint32_t height, uint32_t width, vta_diag *diag,
                      const vta_image **now, vta_image **own) {
    vta_image *made;
    if (n->fitted_width == width && n->fitted_height == height) return VTA_OK;
    VT_TRY(vta_image_create(width, height, NULL, (*now)->allocator, diag, &made));
    memset(made->pixels, (int)rint(p->fill), height * row_bytes(made));
    uint8_t *to = made->pixels + n->top * row_bytes(made) + (size_t)n->left * VT_IMAGE_CHANNELS;
    for (uint32_t y = 0; y < n->fitted_height; y++)
        memcpy(to + y * row_bytes(made), (*now)->pixels + y * row_bytes(*now), row_bytes(*now));
    take(now, own, made);
    return VTA_OK;
}

vta_status vt__image_shape(const vta_preprocess *p, const vta_image *image, uint32_t height, uint32_t width,
                           vta_diag *diag, const vta_image **now, vta_image **own) {
    plan n;
    *now = image;
    VT_TRY(make_plan(p, image->width, image->height, height, width, diag, &n));
    VT_TRY(resize(p, n.width, n.height, diag, now, own));
    VT_TRY(cut(&n, diag, now, own));
    VT_TRY(resize(p, n.fitted_width, n.fitted_height, diag, now, own));
    return put(p, &n, height, width, diag, now, own);
}
