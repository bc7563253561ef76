/* From a picture to the input of a network. */
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "base/versioned.h"
#include "image/image.h"

#define VT_TRIPLE(a, b, c) {a, b, c}
static const struct {
    const char *name, *text;
    vta_preprocess how;
} presets[] = {
#define VT_PRESET(name, resize, crop, scale, mean, std, text) {name, text, {0, resize, crop, scale, mean, std, false}},
#include "image/presets.def"
#undef VT_PRESET
};

enum { PRESETS = sizeof presets / sizeof *presets };

const char *vta_preprocess_preset_name(size_t index) { return index < PRESETS ? presets[index].name : NULL; }
const char *vta_preprocess_preset_text(size_t index) { return index < PRESETS ? presets[index].text : NULL; }

vta_status vta_preprocess_preset(const char *name, vta_diag *diag, vta_preprocess *out_preprocess) {
    const char *names[PRESETS];
    char near[VT_SUGGESTION_BYTES];
    if (!name || !out_preprocess) return vt_fail(diag, VTA_INVALID_ARGUMENT, "name or out_preprocess is NULL");
    for (size_t i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
        if (strcmp(name, names[i]) != 0) continue;
        vt_result_write(out_preprocess, &presets[i].how, sizeof presets[i].how);
        return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND, "there is no preset %s%s", name, vt_suggest(near, name, names, PRESETS));
}

static vta_status check(const vta_preprocess *p, uint32_t channels, uint32_t height, uint32_t width, vta_diag *diag) {
    if (channels != 1 && channels != VT_IMAGE_CHANNELS)
        return vt_fail(diag, VTA_UNSUPPORTED, "a picture has 1 or 3 channels, the network's input %u",
                       (unsigned)channels);
    if (!height || !width)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "an input of %u x %u", (unsigned)height, (unsigned)width);
    for (uint32_t c = 0; c < VT_IMAGE_CHANNELS; c++)
        if (!isfinite(p->mean[c]) || !isfinite(p->std[c]) || !isfinite(p->scale))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "mean, std and scale must be finite numbers");
    return VTA_OK;
}

/* The shorter side gets the length, the other one what keeps the proportions. */
static vta_status shorten(const vta_image *image, uint32_t side, vta_diag *diag, vta_image **out_image) {
    uint32_t w = image->width, h = image->height;
    uint64_t longer = (uint64_t)side * (w < h ? h : w) / (w < h ? w : h);
    if (longer > VT_IMAGE_MAX) return vt_fail(diag, VTA_UNSUPPORTED, "a picture of %u x %u resized to %u", w, h, side);
    return vta_image_resize(image, w < h ? side : (uint32_t)longer, w < h ? (uint32_t)longer : side, diag, out_image);
}

/* Half of the difference, rounded to the even number. */
static uint32_t margin(uint32_t whole, uint32_t part) { return (uint32_t)rint((double)(whole - part) / 2); }

static vta_status crop(const vta_image *image, uint32_t side, vta_diag *diag, vta_image **out_image) {
    if (image->width < side || image->height < side)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "a picture of %u x %u has no square of %u: resize it first",
                       (unsigned)image->width, (unsigned)image->height, (unsigned)side);
    uint32_t left = margin(image->width, side), top = margin(image->height, side);
    VT_TRY(vta_image_create(side, side, NULL, image->allocator, diag, out_image));
    for (uint32_t y = 0; y < side; y++)
        memcpy((*out_image)->pixels + (size_t)y * side * VT_IMAGE_CHANNELS,
               image->pixels + ((size_t)(top + y) * image->width + left) * VT_IMAGE_CHANNELS, side * VT_IMAGE_CHANNELS);
    return VTA_OK;
}

/* What a step makes takes the place of what it was given. */
static void take(const vta_image *given, const vta_image **now, vta_image **own, vta_image *made) {
    (void)given;
    vta_image_destroy(*own);
    *now = *own = made;
}

static vta_status shape(const vta_preprocess *p, const vta_image *image, uint32_t height, uint32_t width,
                        vta_diag *diag, const vta_image **now, vta_image **own) {
    vta_image *made;
    *now = image;
    if (p->resize) {
        VT_TRY(shorten(*now, p->resize, diag, &made));
        take(image, now, own, made);
    }
    if (p->crop) {
        VT_TRY(crop(*now, p->crop, diag, &made));
        take(image, now, own, made);
    }
    if ((*now)->width != width || (*now)->height != height) {
        VT_TRY(vta_image_resize(*now, width, height, diag, &made));
        take(image, now, own, made);
    }
    return VTA_OK;
}

/* Luminance with the weights of ITU-R 601, in 16 bits of fixed point. */
static uint32_t grey(const uint8_t *rgb) {
    return (rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16;
}

static void write(const vta_preprocess *p, const vta_image *image, uint32_t channels, vta_layout layout, float *out) {
    size_t pixels = (size_t)image->width * image->height;
    double scale = p->scale == 0 ? 1 : p->scale;
    for (uint32_t c = 0; c < channels; c++) {
        uint32_t from = p->bgr ? 2 - c : c;
        double mean = p->mean[c], std = p->std[c] == 0 ? 1 : p->std[c];
        for (size_t i = 0; i < pixels; i++) {
            const uint8_t *rgb = image->pixels + i * VT_IMAGE_CHANNELS;
            double x = channels == 1 ? grey(rgb) : rgb[from];
            out[layout == VTA_NHWC ? i * channels + c : c * pixels + i] = (float)((x * scale - mean) / std);
        }
    }
}

vta_status vta_preprocess_run(const vta_preprocess *preprocess, const vta_image *image, uint32_t channels,
                              uint32_t height, uint32_t width, vta_layout layout, vta_diag *diag, float *out) {
    vta_preprocess p;
    const vta_image *now;
    vta_image *own = NULL;
    if (!image || !out) return vt_fail(diag, VTA_INVALID_ARGUMENT, "image or out is NULL");
    VT_TRY(vt_options_read(&p, sizeof p, preprocess, "vta_preprocess", diag));
    VT_TRY(check(&p, channels, height, width, diag));
    vta_status status = shape(&p, image, height, width, diag, &now, &own);
    if (status == VTA_OK) write(&p, now, channels, layout, out);
    vta_image_destroy(own);
    return status;
}
