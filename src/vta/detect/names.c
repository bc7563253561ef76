/* Names of decoders and classes, from their tables. */
#include <string.h>

#include "base/nearest.h"
#include "detect/priors.h"

static const struct {
    const char *name, *preset, *text;
} decoders[] = {
    {NULL, NULL, NULL},
#define VTA_DECODER(NAME, name, preset, score, iou, text) {name, preset, text},
#include "vta/decoder.def"
#undef VTA_DECODER
};

enum { DECODERS = sizeof decoders / sizeof *decoders };

static size_t row(vta_decoder decoder) { return (size_t)decoder < DECODERS ? (size_t)decoder : 0; }

const char *vta_decoder_name(vta_decoder decoder) { return decoders[row(decoder)].name; }
const char *vta_decoder_text(vta_decoder decoder) { return decoders[row(decoder)].text; }
const char *vta_decoder_preset(vta_decoder decoder) { return decoders[row(decoder)].preset; }

vta_status vta_decoder_find(const char *name, vta_diag *diag, vta_decoder *out_decoder) {
    const char *names[DECODERS - 1];
    char near[VT_SUGGESTION_BYTES];
    if (!name || !out_decoder) return vt_fail(diag, VTA_INVALID_ARGUMENT, "name or out_decoder is NULL");
    *out_decoder = VTA_DECODER_GUESS;
    for (size_t i = 1; i < DECODERS; i++) {
        names[i - 1] = decoders[i].name;
        if (strcmp(name, names[i - 1]) != 0) continue;
        *out_decoder = (vta_decoder)i;
        return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND,
                   "there is no decoder %s%s: yolox, yolov5, yolov8, nanodet, fastestdet, ssd and boxes are known",
                   name, vt_suggest(near, name, names, DECODERS - 1));
}

static const struct {
    int64_t category;
    const char *name;
} coco[] = {
#define VT_COCO(category, name) {category, name},
#include "detect/coco.def"
#undef VT_COCO
};

enum { CLASSES_OF_COCO = sizeof coco / sizeof *coco };

const char *vta_coco_name(size_t index) { return index < CLASSES_OF_COCO ? coco[index].name : NULL; }
int64_t vta_coco_category(size_t index) { return index < CLASSES_OF_COCO ? coco[index].category : 0; }

const char *vta_detector_class_name(const vta_detector *detector, int32_t class_id) {
    if (!detector || class_id < 0) return NULL;
    if (detector->form.priors && detector->form.priors->of_faces && detector->form.classes == 1)
        return class_id == 0 ? "face" : NULL;
    return detector->form.classes == CLASSES_OF_COCO ? vta_coco_name((size_t)class_id) : NULL;
}
