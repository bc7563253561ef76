/* Detectors: which decoder takes the outputs of a network, and the boxes that it makes of their data. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/versioned.h"
#include "detect/detect.h"

enum { MAX_BOXES = 300, MAX_SIDE = 1 << 16 };

static const struct {
    vt_decoder decoder;
    const char *name, *text;
    double score, iou;
} rows[] = {
    {.name = NULL},
#define VTA_DECODER(NAME, name, preset, score, iou, text)                                                              \
    {{vt__fits_##NAME, vt__decode_##NAME}, name, text, score, iou},
#include "vta/decoder.def"
#undef VTA_DECODER
};

enum { DECODERS = sizeof rows / sizeof *rows, CLASSES_OF_COCO = 80 };

/* ---- Outputs ---- */

static vta_status take_shape(const vta_detect_tensor *t, size_t index, vt_output *out, vta_diag *diag) {
    /* The axis of the batch goes, but for tables and lists that have none. */
    int32_t skip = t->ndim > 1 && t->shape[0] == 1 ? 1 : 0;
    out->ndim = t->ndim - skip;
    if (out->ndim > VT_DETECT_RANK)
        return vt_fail(diag, VTA_UNSUPPORTED, "output %zu has %d axes; at most %d are expected", index, (int)t->ndim,
                       VT_DETECT_RANK + 1);
    for (int32_t i = 0; i < out->ndim; i++) {
        int64_t n = t->shape[i + skip];
        if (n < 1 || n > INT32_MAX)
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "output %zu: axis %d has the extent %lld", index,
                           (int)(i + skip), (long long)n);
        out->shape[i] = (uint32_t)n;
    }
    return VTA_OK;
}

static bool is_known(DLDataType type) {
    bool is_integer = type.code == kDLInt && (type.bits == 32 || type.bits == 64);
    return type.lanes == 1 && (is_integer || (type.code == kDLFloat && type.bits == 32));
}

/* Without the last ones that say how many rows others have (NAME:extents): rows that were not found are 0. */
static size_t without_extents(const vta_detect_tensor *outputs, size_t count) {
    static const char suffix[] = ":extents";
    for (; outputs && count > 1 && outputs[count - 1].name; count--) {
        size_t size = strlen(outputs[count - 1].name), end = sizeof suffix - 1;
        if (size < end || strcmp(outputs[count - 1].name + size - end, suffix) != 0) break;
    }
    return count;
}

static vta_status take_outputs(const vta_detect_tensor *outputs, size_t count, vt_outputs *out, vta_diag *diag) {
    count = without_extents(outputs, count);
    if (!outputs || !count || count > VT_DETECT_OUTPUTS)
        return vt_fail(diag, VTA_UNSUPPORTED, "a detector has 1 to %d outputs, this network %zu", VT_DETECT_OUTPUTS,
                       count);
    for (size_t i = 0; i < count; i++) {
        const vta_detect_tensor *t = &outputs[i];
        vt_output *o = &out->item[i];
        if (t->ndim < 0 || (t->ndim && !t->shape))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "output %zu has no shape", i);
        if (!is_known(t->type))
            return vt_fail(diag, VTA_UNSUPPORTED, "output %zu is neither float32 nor an integer of 32 or 64 bits", i);
        o->type = t->type;
        o->is_float = t->type.code == kDLFloat;
        for (size_t k = 0; t->name && t->name[k] && k + 1 < sizeof o->name; k++)
            o->name[k] = (char)tolower((unsigned char)t->name[k]);
        VT_TRY(take_shape(t, i, o, diag));
    }
    out->count = count;
    return VTA_OK;
}

/* ---- Which decoder ---- */

static void add_shapes(vt_strbuf *text, const vta_detect_tensor *outputs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        vt_strbuf_addf(text, "%s%s [", i ? ", " : "", outputs[i].name ? outputs[i].name : "output");
        for (int32_t k = 0; k < outputs[i].ndim; k++)
            vt_strbuf_addf(text, "%s%lld", k ? ", " : "", (long long)outputs[i].shape[k]);
        vt_strbuf_addc(text, ']');
    }
}

/* Says what there is, and what one decoder, or each, takes. */
static vta_status refuse(const vta_detector *d, const vta_detect_tensor *outputs, size_t count, vta_diag *diag) {
    vt_strbuf text;
    vt_strbuf_init(&text, d->allocator);
    vt_strbuf_addf(&text, "an input of %u x %u and the outputs ", (unsigned)d->outputs.height,
                   (unsigned)d->outputs.width);
    add_shapes(&text, outputs, count);
    if (d->decoder == VTA_DECODER_GUESS)
        vt_strbuf_add(&text, " are not those of a detector that is known: choose a decoder (");
    else
        vt_strbuf_addf(&text, " are not what the decoder %s takes (", rows[d->decoder].name);
    for (size_t i = 1; i < DECODERS; i++)
        if (d->decoder == VTA_DECODER_GUESS || d->decoder == (vta_decoder)i)
            vt_strbuf_addf(&text, "%s%s: %s", d->decoder == VTA_DECODER_GUESS && i > 1 ? "; " : "", rows[i].name,
                           rows[i].text);
    vt_strbuf_addc(&text, ')');
    vta_status status = text.failed ? vt_no_memory(diag) : vt_fail(diag, VTA_UNSUPPORTED, "%s", vt_strbuf_text(&text));
    vt_strbuf_free(&text);
    return status;
}

/* How well a form goes with what is known: as many classes as names, COCO's 80, anything. */
static int rank(const vt_outputs *o, const vt_form *form) {
    if (o->class_count && form->classes == o->class_count) return 3;
    return form->classes == CLASSES_OF_COCO ? 2 : 1;
}

static bool guess(vta_detector *d) {
    int best = 0;
    d->outputs.guess = true;
    for (size_t i = 1; i < DECODERS; i++) {
        vt_form form = {0};
        if (!rows[i].decoder.fits(&d->outputs, &form) || rank(&d->outputs, &form) <= best) continue;
        best = rank(&d->outputs, &form);
        d->decoder = (vta_decoder)i;
        d->form = form;
    }
    return best > 0;
}

static vta_status check(const vta_detector_options *o, uint32_t height, uint32_t width, vta_diag *diag) {
    if ((size_t)o->decoder >= DECODERS)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no decoder %d", o->decoder);
    if (!(o->score >= 0 && o->score <= 1) || !(o->iou >= 0 && o->iou <= 1))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "score is %g and iou %g: expected 0 to 1", o->score, o->iou);
    if (!height || !width || height > MAX_SIDE || width > MAX_SIDE)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "an input of %u x %u: expected 1 to %d pixels each",
                       (unsigned)height, (unsigned)width, MAX_SIDE);
    return VTA_OK;
}

vta_status vta_detector_create(const vta_detector_options *options, uint32_t height, uint32_t width,
                               const vta_detect_tensor *outputs, size_t count, const vta_allocator *allocator,
                               vta_diag *diag, vta_detector **out_detector) {
    vta_detector_options o;
    if (!out_detector) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_detector is NULL");
    *out_detector = NULL;
    VT_TRY(vt_options_read(&o, sizeof o, options, "vta_detector_options", diag));
    VT_TRY(check(&o, height, width, diag));
    vta_detector *d = vt_alloc_zero(allocator, sizeof *d);
    if (!d) return vt_no_memory(diag);
    d->allocator = allocator;
    d->decoder = o.decoder;
    d->outputs.height = height;
    d->outputs.width = width;
    d->outputs.class_count = o.class_count;
    vta_status status = take_outputs(outputs, count, &d->outputs, diag);
    bool fits = status == VTA_OK &&
                (d->decoder == VTA_DECODER_GUESS ? guess(d) : rows[d->decoder].decoder.fits(&d->outputs, &d->form));
    if (status == VTA_OK && !fits) status = refuse(d, outputs, count, diag);
    if (status != VTA_OK) {
        vta_detector_destroy(d);
        return status;
    }
    d->score = o.score > 0 ? o.score : rows[d->decoder].score;
    d->iou = o.iou > 0 ? o.iou : rows[d->decoder].iou;
    d->max_boxes = o.max_boxes ? o.max_boxes : MAX_BOXES;
    *out_detector = d;
    return VTA_OK;
}

void vta_detector_destroy(vta_detector *detector) {
    if (detector) vt_free(detector->allocator, detector, sizeof *detector);
}

vta_decoder vta_detector_decoder(const vta_detector *detector) {
    return detector ? detector->decoder : VTA_DECODER_GUESS;
}

size_t vta_detector_class_count(const vta_detector *detector) { return detector ? detector->form.classes : 0; }

/* ---- Boxes ---- */

/* Within what a float holds with room for areas. */
static float pixel(double x) { return (float)fmax(-1e9, fmin(1e9, x)); }

void vt__add_corners(vt_candidates *to, double x0, double y0, double x1, double y1, double score, size_t class_id) {
    if (!(score >= to->score) || !isfinite(score) || to->failed) return;
    if (!isfinite(x0) || !isfinite(y0) || !isfinite(x1) || !isfinite(y1) || x1 <= x0 || y1 <= y0) return;
    if (!vt_reserve(to->allocator, &to->item, &to->cap, to->count + 1, sizeof *to->item)) {
        to->failed = true;
        return;
    }
    to->item[to->count++] =
        (vta_box){pixel(x0), pixel(y0), pixel(x1), pixel(y1), (float)(score > 1 ? 1 : score), (int32_t)class_id};
}

void vt__add_centre(vt_candidates *to, double x, double y, double w, double h, double score, size_t class_id) {
    vt__add_corners(to, x - w / 2, y - h / 2, x + w / 2, y + h / 2, score, class_id);
}

static float within(double x, double most) { return (float)(x < 0 ? 0 : x > most ? most : x); }

/* To pixels of the picture, and no further than that. False: nothing of it is in the picture. */
static bool to_picture(const vta_placement *p, vta_box *b) {
    b->x0 = within((b->x0 - p->left) / p->scale_x, p->width);
    b->x1 = within((b->x1 - p->left) / p->scale_x, p->width);
    b->y0 = within((b->y0 - p->top) / p->scale_y, p->height);
    b->y1 = within((b->y1 - p->top) / p->scale_y, p->height);
    return b->x1 > b->x0 && b->y1 > b->y0;
}

static vta_status take_boxes(const vta_detector *d, vt_candidates *found, const vta_placement *p, vta_diag *diag,
                             vta_boxes **out_boxes) {
    size_t count;
    if (found->failed) return vt_no_memory(diag);
    VT_TRY(vta_boxes_suppress(found->item, found->count, d->iou, d->max_boxes, d->allocator, diag, &count));
    vta_boxes *boxes = vt_alloc(d->allocator, sizeof *boxes + count * sizeof *boxes->item);
    if (!boxes) return vt_no_memory(diag);
    *boxes = (vta_boxes){.allocator = d->allocator, .cap = count};
    for (size_t i = 0; i < count; i++) {
        boxes->item[boxes->count] = found->item[i];
        boxes->count += to_picture(p, &boxes->item[boxes->count]);
    }
    *out_boxes = boxes;
    return VTA_OK;
}

vta_status vta_detector_run(const vta_detector *detector, const void *const *outputs, const vta_placement *placed,
                            vta_diag *diag, vta_boxes **out_boxes) {
    vta_placement p;
    if (!detector || !outputs || !placed || !out_boxes)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "detector, outputs, placed or out_boxes is NULL");
    *out_boxes = NULL;
    VT_TRY(vt_options_read(&p, sizeof p, placed, "vta_placement", diag));
    if (!(p.scale_x > 0 && p.scale_y > 0 && isfinite(p.left) && isfinite(p.top)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "placed: factors of %g and %g; they must be more than 0", p.scale_x,
                       p.scale_y);
    vt_candidates found = {.allocator = detector->allocator, .score = detector->score};
    rows[detector->decoder].decoder.decode(detector, outputs, &found);
    vta_status status = take_boxes(detector, &found, &p, diag, out_boxes);
    vt_free(detector->allocator, found.item, found.cap * sizeof *found.item);
    return status;
}

size_t vta_boxes_count(const vta_boxes *boxes) { return boxes ? boxes->count : 0; }
const vta_box *vta_boxes_get(const vta_boxes *boxes, size_t index) {
    return boxes && index < boxes->count ? &boxes->item[index] : NULL;
}
void vta_boxes_destroy(vta_boxes *boxes) {
    if (boxes) vt_free(boxes->allocator, boxes, sizeof *boxes + boxes->cap * sizeof *boxes->item);
}
