/* Any bytes as annotations, and as shapes and data of a detector's outputs. What is taken is consistent: boxes belong
 * to pictures and categories that are there, boxes that are found are finite, in order, and in the picture. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/detect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUTPUTS = 4, AXES = 5, SIDE = 64, MAX_ELEMENTS = 1 << 16 };

static void check(int ok) {
    if (!ok) abort();
}

static void annotations(const uint8_t *data, size_t size) {
    vta_annotations *a;
    vta_average_precision sum = {.size = sizeof sum};
    size_t count;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_annotations_parse(data, size, "fuzz", NULL, diag, &a);
    check(status == VTA_OK ? a != NULL : a == NULL && vta_diag_count(diag) > 0);
    vta_diag_destroy(diag);
    if (status != VTA_OK) return;
    const vta_marked_box *boxes = vta_annotations_boxes(a, &count);
    size_t categories = vta_annotations_category_count(a);
    for (size_t i = 0; i < vta_annotations_picture_count(a); i++) check(vta_annotations_picture(a, i) != NULL);
    for (size_t i = 1; i < categories; i++)
        check(vta_annotations_category_id(a, i - 1) < vta_annotations_category_id(a, i));
    for (size_t i = 0; i < count; i++) {
        check(boxes[i].picture < vta_annotations_picture_count(a));
        check(boxes[i].box.class_id >= 0 && (size_t)boxes[i].box.class_id < categories);
        check(boxes[i].box.x1 >= boxes[i].box.x0 && boxes[i].box.y1 >= boxes[i].box.y0);
    }
    /* Found where they are: nothing is missing but boxes without area, or of pictures with more than 100 of a class. */
    check(vta_boxes_evaluate(boxes, count, boxes, count, categories, NULL, NULL, NULL, &sum) == VTA_OK);
    check(sum.at_50 <= 1 + 1e-9 && sum.classes <= categories && sum.true_boxes <= count);
    vta_annotations_destroy(a);
}

/* Extents that decoders look for, and others. */
static int64_t extent(uint8_t byte) {
    static const int64_t usual[] = {1, 1, 2, 3, 4, 5, 6, 7, 84, 252, 85, 88, 69, 8, 16, 24, 32, 40, 255, 235};
    return byte < 200 ? usual[byte % (sizeof usual / sizeof *usual)] : byte - 200;
}

static void look_at(const vta_boxes *boxes, const vta_placement *p) {
    float last = 1;
    for (size_t i = 0; i < vta_boxes_count(boxes); i++) {
        const vta_box *b = vta_boxes_get(boxes, i);
        check(b->x0 >= 0 && b->y0 >= 0 && b->x1 <= (float)p->width && b->y1 <= (float)p->height);
        check(b->x0 < b->x1 && b->y0 < b->y1 && b->score > 0 && b->score <= last && b->class_id >= 0);
        last = b->score;
    }
}

static void outputs(const uint8_t *data, size_t size) {
    int64_t shapes[OUTPUTS][AXES];
    vta_detect_tensor tensors[OUTPUTS];
    void *bytes[OUTPUTS];
    static const char *const names[] = {"boxes", "scores", "classes", "num", "TFLite_Detection_PostProcess", "x"};
    size_t count = size > 2 ? 1 + data[0] % OUTPUTS : 0, at = 2, elements = 0;
    vta_detector_options options = {.size = sizeof options, .score = 0.01, .iou = 0.5};
    options.decoder = (vta_decoder)(size > 2 ? data[1] % 8 : 0);
    for (size_t i = 0; i < count; i++) {
        vta_detect_tensor *t = &tensors[i];
        *t = (vta_detect_tensor){.type = {kDLFloat, 32, 1}, .shape = shapes[i]};
        if (at < size && data[at] >= 192) t->type = (DLDataType){kDLInt, data[at] & 1 ? 64 : 32, 1};
        t->ndim = at < size ? data[at] % (AXES + 1) : 0;
        t->name = at < size ? names[data[at] / 8 % 6] : NULL;
        at++;
        size_t n = 1;
        for (int32_t k = 0; k < t->ndim; k++, at++) n *= (size_t)(shapes[i][k] = extent(at < size ? data[at] : 0));
        elements += n;
        if (elements > MAX_ELEMENTS) return;
    }
    vta_detector *d;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_detector_create(&options, SIDE, SIDE, tensors, count, NULL, diag, &d);
    check(status == VTA_OK || (d == NULL && vta_diag_count(diag) > 0));
    vta_diag_destroy(diag);
    if (status != VTA_OK) return;
    for (size_t i = 0; i < count; i++) { /* as much as the shape says, so that a sanitizer sees what reads further */
        size_t n = tensors[i].type.bits / 8;
        for (int32_t k = 0; k < tensors[i].ndim; k++) n *= (size_t)shapes[i][k];
        uint8_t *to = bytes[i] = malloc(n ? n : 1);
        check(to != NULL);
        for (size_t k = 0; k < n; k++) to[k] = at < size ? data[at + k % (size - at)] : 0x3f;
    }
    const vta_placement p = {.size = sizeof p, .width = 100, .height = 50, .scale_x = 0.64, .scale_y = 1.28};
    vta_boxes *boxes;
    check(vta_detector_run(d, (const void *const *)bytes, &p, NULL, &boxes) == VTA_OK);
    look_at(boxes, &p);
    for (int32_t c = -1; c < 100; c += 50) vta_detector_class_name(d, c);
    vta_boxes_destroy(boxes);
    vta_detector_destroy(d);
    for (size_t i = 0; i < count; i++) free(bytes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!data) return 0;
    annotations(data, size);
    outputs(data, size);
    return 0;
}
