/* Non-maximum suppression, and which boxes of two lists are the same. */
#include <math.h>
#include <string.h>

#include "detect/detect.h"

static double area(const vta_box *b) {
    double w = (double)b->x1 - b->x0, h = (double)b->y1 - b->y0;
    return w > 0 && h > 0 ? w * h : 0;
}

double vta_box_iou(const vta_box *a, const vta_box *b) {
    if (!a || !b) return 0;
    double w = fmin(a->x1, b->x1) - fmax(a->x0, b->x0), h = fmin(a->y1, b->y1) - fmax(a->y0, b->y0);
    double both = w > 0 && h > 0 ? w * h : 0, all = area(a) + area(b) - both;
    return all > 0 ? both / all : 0;
}

/* Merges two ordered parts; of equal scores the first part's box comes first. */
static void merge(const vta_box *from, size_t begin, size_t middle, size_t end, vta_box *to) {
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; i++)
        to[i] = b >= end || (a < middle && from[a].score >= from[b].score) ? from[a++] : from[b++];
}

static void sort(vta_box *boxes, size_t count, vta_box *other) {
    vta_box *from = boxes, *to = other;
    for (size_t n = 1; n < count; n *= 2) {
        for (size_t i = 0; i < count; i += 2 * n) {
            size_t middle = i + n < count ? i + n : count, end = i + 2 * n < count ? i + 2 * n : count;
            merge(from, i, middle, end, to);
        }
        vta_box *t = from;
        from = to;
        to = t;
    }
    if (from != boxes && count) memcpy(boxes, from, count * sizeof *boxes);
}

static bool is_free(const vta_box *kept, size_t count, const vta_box *box, double iou) {
    for (size_t i = 0; i < count; i++)
        if (kept[i].class_id == box->class_id && vta_box_iou(&kept[i], box) > iou) return false;
    return true;
}

vta_status vta_boxes_suppress(vta_box *boxes, size_t count, double iou, size_t max_boxes,
                              const vta_allocator *allocator, vta_diag *diag, size_t *out_count) {
    if (!out_count || (count && !boxes)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "boxes or out_count is NULL");
    *out_count = 0;
    if (!(iou >= 0 && iou <= 1)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "iou is %g: expected 0 to 1", iou);
    for (size_t i = 0; i < count; i++)
        if (isnan(boxes[i].score)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the score of box %zu is no number", i);
    vta_box *other = vt_alloc_array(allocator, count, sizeof *other);
    if (!other) return vt_no_memory(diag);
    sort(boxes, count, other);
    vt_free(allocator, other, count * sizeof *other);
    for (size_t i = 0; i < count && (!max_boxes || *out_count < max_boxes); i++)
        if (iou == 1 || is_free(boxes, *out_count, &boxes[i], iou)) boxes[(*out_count)++] = boxes[i];
    return VTA_OK;
}

vta_status vta_boxes_match(const vta_boxes *wanted, const vta_boxes *found, double iou, vta_diag *diag,
                           int64_t *taken) {
    if (!wanted || !found || (wanted->count && !taken))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "wanted, found or taken is NULL");
    if (!(iou >= 0 && iou <= 1)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "iou is %g: expected 0 to 1", iou);
    for (size_t i = 0; i < wanted->count; i++) taken[i] = -1;
    for (size_t f = 0; f < found->count; f++) {
        double best = iou;
        size_t at = wanted->count;
        for (size_t i = 0; i < wanted->count; i++) {
            if (taken[i] >= 0 || wanted->item[i].class_id != found->item[f].class_id) continue;
            double now = vta_box_iou(&wanted->item[i], &found->item[f]);
            if (now < best || (now == best && at < wanted->count)) continue;
            best = now;
            at = i;
        }
        if (at < wanted->count) taken[at] = (int64_t)f;
    }
    return VTA_OK;
}
