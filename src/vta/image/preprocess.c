/* From a picture to the input of a network. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "base/versioned.h"
#include "image/image.h"
#include "image/shape.h"

#define VT_TRIPLE(a, b, c) {a, b, c}
static const struct {
    const char *name, *text;
    vta_preprocess how;
} presets[] = {
#define VT_PRESET(name, resize, crop, scale, mean, std, text)                                                          \
    {name, text, {0, resize, crop, scale, mean, std, false, 0, VTA_FIT_STRETCH, VTA_SAMPLING_TRIANGLE}},
#define VT_FITTED(name, fit, fill, scale, mean, std, bgr, text)                                                        \
    {name, text, {0, 0, 0, scale, mean, std, bgr, fill, VTA_FIT_##fit, VTA_SAMPLING_LINEAR}},
#include "image/presets.def"
#undef VT_PRESET
#undef VT_FITTED
};

enum { PRESETS = sizeof presets / sizeof *presets, FIRST_SIZE = offsetof(vta_preprocess, fill) };

/* What a caller gave; one that names no size has the fields of version 1.0. */
static vta_status read(const vta_preprocess *given, vta_diag *diag, vta_preprocess *out) {
    vta_preprocess first;
    if (given && !given->size) {
        memcpy(&first, given, FIRST_SIZE);
        first.size = FIRST_SIZE;
        given = &first;
    }
    return vt_options_read(out, sizeof *out, given, "vta_preprocess", diag);
}

const char *vta_preprocess_preset_name(size_t index) { return index < PRESETS ? presets[index].name : NULL; }
const char *vta_preprocess_preset_text(size_t index) { return index < PRESETS ? presets[index].text : NULL; }

vta_status vta_preprocess_preset(const char *name, vta_diag *diag, vta_preprocess *out_preprocess) {
    const char *names[PRESETS];
    char near[VT_SUGGESTION_BYTES];
    if (!name || !out_preprocess) return vt_fail(diag, VTA_INVALID_ARGUMENT, "name or out_preprocess is NULL");
    for (size_t i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
        if (strcmp(name, names[i]) != 0) continue;
        const vta_preprocess *how = &presets[i].how;
        if (!out_preprocess->size && how->sampling != VTA_SAMPLING_TRIANGLE)
            return vt_fail(diag, VTA_UNSUPPORTED, "the preset %s: set vta_preprocess.size to sizeof(vta_preprocess)",
                           name);
        vt_result_write(out_preprocess, how, out_preprocess->size ? sizeof *how : FIRST_SIZE);
        return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND, "there is no preset %s%s", name, vt_suggest(near, name, names, PRESETS));
}

static vta_status check_size(const vta_preprocess *p, uint32_t height, uint32_t width, vta_diag *diag) {
    if (!height || !width)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "an input of %u x %u", (unsigned)height, (unsigned)width);
    if ((uint32_t)p->fit > VTA_FIT_CENTER || (uint32_t)p->sampling > VTA_SAMPLING_LINEAR)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "fit %d, sampling %d: expected values of vta_fit, vta_sampling",
                       (int)p->fit, (int)p->sampling);
    if (!(p->fill >= 0 && p->fill <= UINT8_MAX))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "fill is %g: expected 0 to 255", p->fill);
    return VTA_OK;
}

static vta_status check(const vta_preprocess *p, uint32_t channels, vta_diag *diag) {
    if (channels != 1 && channels != VT_IMAGE_CHANNELS)
        return vt_fail(diag, VTA_UNSUPPORTED, "a picture has 1 or 3 channels, the network's input %u",
                       (unsigned)channels);
    for (uint32_t c = 0; c < VT_IMAGE_CHANNELS; c++)
        if (!isfinite(p->mean[c]) || !isfinite(p->std[c]) || !isfinite(p->scale))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "mean, std and scale must be finite numbers");
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
    VT_TRY(read(preprocess, diag, &p));
    VT_TRY(check_size(&p, height, width, diag));
    VT_TRY(check(&p, channels, diag));
    vta_status status = vt__image_shape(&p, image, height, width, diag, &now, &own);
    if (status == VTA_OK) write(&p, now, channels, layout, out);
    vta_image_destroy(own);
    return status;
}

vta_status vta_preprocess_place(const vta_preprocess *preprocess, uint32_t width, uint32_t height,
                                uint32_t input_height, uint32_t input_width, vta_diag *diag,
                                vta_placement *out_placement) {
    vta_preprocess p;
    vta_placement placed;
    if (!out_placement) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_placement is NULL");
    VT_TRY(read(preprocess, diag, &p));
    VT_TRY(check_size(&p, input_height, input_width, diag));
    VT_TRY(vt__image_place(&p, width, height, input_height, input_width, diag, &placed));
    vt_result_write(out_placement, &placed, sizeof placed);
    return VTA_OK;
}
