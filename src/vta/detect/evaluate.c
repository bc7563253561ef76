/* Mean average precision, as COCO's evaluation defines it (boxes of all areas, at most 100 a class and picture). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/versioned.h"
#include "detect/detect.h"

enum { THRESHOLDS = 10, POINTS = 101, MAX_FOUND = 100 };

/* A box of the class in question, and what became of it at each threshold. */
typedef struct entry {
    const vta_marked_box *b;
    size_t place; /* in the list that was given */
    bool taken[THRESHOLDS], ignored[THRESHOLDS];
} entry;

typedef struct evaluation {
    const vta_allocator *allocator;
    entry *truth, *found;
    size_t truths, founds; /* of the class */
} evaluation;

/* ---- Orders ---- */

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* By picture; things before crowds; as they were given. */
static int by_picture(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int c = compare(x->b->picture, y->b->picture);
    if (!c) c = x->b->crowd - y->b->crowd;
    return c ? c : compare(x->place, y->place);
}

static int by_score_in_picture(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int c = compare(x->b->picture, y->b->picture);
    if (!c) c = (x->b->box.score < y->b->box.score) - (x->b->box.score > y->b->box.score);
    return c ? c : compare(x->place, y->place);
}

static int by_score(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int c = (x->b->box.score < y->b->box.score) - (x->b->box.score > y->b->box.score);
    if (!c) c = compare(x->b->picture, y->b->picture);
    return c ? c : compare(x->place, y->place);
}

/* ---- Which found box is which true one ---- */

static double threshold(size_t t) { return 0.5 + 0.05 * (double)t; }

/* A crowd is shared with what is in it: over the area of the found box. */
static double overlap(const vta_box *found, const vta_marked_box *truth) {
    if (!truth->crowd) return vta_box_iou(found, &truth->box);
    const vta_box *c = &truth->box;
    double w = fmin(found->x1, c->x1) - fmax(found->x0, c->x0), h = fmin(found->y1, c->y1) - fmax(found->y0, c->y0);
    double area = ((double)found->x1 - found->x0) * ((double)found->y1 - found->y0);
    return w > 0 && h > 0 && area > 0 ? w * h / area : 0;
}

/* The true box with the largest overlap that is not taken; of equal ones the last. Crowds come last, are looked at only
 * where no thing fits, and are never taken up. */
static void match(entry *found, entry *truth, size_t count, size_t t) {
    double best = fmin(threshold(t), 1 - 1e-10);
    entry *at = NULL;
    for (size_t i = 0; i < count; i++) {
        if (truth[i].taken[t] && !truth[i].b->crowd) continue;
        if (at && !at->b->crowd && truth[i].b->crowd) break;
        double now = overlap(&found->b->box, truth[i].b);
        if (now < best) continue;
        best = now;
        at = &truth[i];
    }
    if (!at) return;
    at->taken[t] = found->taken[t] = true;
    found->ignored[t] = at->b->crowd;
}

/* Pictures in turn. What is found beyond the limit is dropped. */
static void match_all(evaluation *e) {
    size_t truth = 0, kept = 0;
    for (size_t i = 0, n; i < e->founds; i += n) {
        uint64_t picture = e->found[i].b->picture;
        size_t first, count = 0;
        for (n = 0; i + n < e->founds && e->found[i + n].b->picture == picture; n++) continue;
        while (truth < e->truths && e->truth[truth].b->picture < picture) truth++;
        for (first = truth; first + count < e->truths && e->truth[first + count].b->picture == picture;) count++;
        for (size_t k = 0; k < n && k < MAX_FOUND; k++) {
            for (size_t t = 0; t < THRESHOLDS; t++) match(&e->found[i + k], e->truth + first, count, t);
            e->found[kept++] = e->found[i + k];
        }
    }
    e->founds = kept;
}

/* ---- Precision ---- */

/* The mean, over 101 points of recall, of the best precision at that recall or more. `precision` has room for all. */
static double average(const evaluation *e, size_t things, size_t t, double *precision, double *recall) {
    size_t right = 0, wrong = 0, n = 0;
    for (size_t i = 0; i < e->founds; i++) {
        if (e->found[i].ignored[t]) continue;
        right += e->found[i].taken[t];
        wrong += !e->found[i].taken[t];
        recall[n] = (double)right / (double)things;
        precision[n++] = (double)right / (double)(right + wrong);
    }
    for (size_t i = n; i > 1; i--) precision[i - 2] = fmax(precision[i - 2], precision[i - 1]);
    double sum = 0;
    for (size_t p = 0, i = 0; p < POINTS; p++) {
        while (i < n && recall[i] < (double)p / (POINTS - 1)) i++;
        if (i < n) sum += precision[i];
    }
    return sum / POINTS;
}

static size_t select_class(const vta_marked_box *boxes, size_t count, int32_t class_id, entry *to) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (boxes[i].box.class_id == class_id) to[n++] = (entry){.b = &boxes[i], .place = i};
    return n;
}

typedef struct room {
    evaluation e;
    double *precision, *recall;
    size_t truths, founds;
} room;

static vta_status make_room(room *r, const vta_allocator *a, size_t truths, size_t founds, vta_diag *diag) {
    *r = (room){.e.allocator = a, .truths = truths, .founds = founds};
    r->e.truth = vt_alloc_array(a, truths, sizeof *r->e.truth);
    r->e.found = vt_alloc_array(a, founds, sizeof *r->e.found);
    r->precision = vt_alloc_array(a, founds, sizeof *r->precision);
    r->recall = vt_alloc_array(a, founds, sizeof *r->recall);
    return r->e.truth && r->e.found && r->precision && r->recall ? VTA_OK : vt_no_memory(diag);
}

static void free_room(room *r) {
    vt_free(r->e.allocator, r->e.truth, r->truths * sizeof *r->e.truth);
    vt_free(r->e.allocator, r->e.found, r->founds * sizeof *r->e.found);
    vt_free(r->e.allocator, r->precision, r->founds * sizeof *r->precision);
    vt_free(r->e.allocator, r->recall, r->founds * sizeof *r->recall);
}

/* Of one class: at 0.5, and the mean of all thresholds; gives how many things are there in truth. */
static size_t evaluate_class(room *r, double out[2]) {
    evaluation *e = &r->e;
    size_t things = 0;
    double sum = 0;
    for (size_t i = 0; i < e->truths; i++) things += !e->truth[i].b->crowd;
    out[0] = out[1] = -1;
    if (!things) return 0;
    if (e->truths) qsort(e->truth, e->truths, sizeof *e->truth, by_picture);
    if (e->founds) qsort(e->found, e->founds, sizeof *e->found, by_score_in_picture);
    match_all(e);
    if (e->founds) qsort(e->found, e->founds, sizeof *e->found, by_score);
    for (size_t t = 0; t < THRESHOLDS; t++) {
        double now = average(e, things, t, r->precision, r->recall);
        if (t == 0) out[0] = now;
        sum += now;
    }
    out[1] = sum / THRESHOLDS;
    return things;
}

static vta_status check(const char *which, const vta_marked_box *boxes, size_t count, size_t classes, vta_diag *diag) {
    if (count && !boxes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", which);
    for (size_t i = 0; i < count; i++) {
        const vta_box *b = &boxes[i].box;
        if (b->class_id < 0 || (size_t)b->class_id >= classes)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: box %zu is of class %d, of %zu classes", which, i,
                           (int)b->class_id, classes);
        if (!isfinite(b->x0) || !isfinite(b->y0) || !isfinite(b->x1) || !isfinite(b->y1) || !isfinite(b->score))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: box %zu has a number that is not finite", which, i);
    }
    return VTA_OK;
}

static void evaluate(room *r, const vta_marked_box *truth, const vta_marked_box *found, size_t class_count,
                     double *by_class, vta_average_precision *sum) {
    double of_class[2];
    *sum = (vta_average_precision){.size = sizeof *sum};
    for (size_t c = 0; c < class_count; c++) {
        r->e.truths = select_class(truth, r->truths, (int32_t)c, r->e.truth);
        r->e.founds = select_class(found, r->founds, (int32_t)c, r->e.found);
        size_t things = evaluate_class(r, of_class);
        if (by_class) memcpy(by_class + 2 * c, of_class, sizeof of_class);
        if (!things) continue;
        sum->true_boxes += things;
        sum->classes++;
        sum->at_50 += of_class[0];
        sum->at_50_95 += of_class[1];
    }
    sum->at_50 = sum->classes ? sum->at_50 / (double)sum->classes : -1;
    sum->at_50_95 = sum->classes ? sum->at_50_95 / (double)sum->classes : -1;
}

vta_status vta_boxes_evaluate(const vta_marked_box *truth, size_t truth_count, const vta_marked_box *found,
                              size_t found_count, size_t class_count, const vta_allocator *allocator, vta_diag *diag,
                              double *by_class, vta_average_precision *out_precision) {
    vta_average_precision sum;
    room r;
    if (!out_precision) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_precision is NULL");
    VT_TRY(check("truth", truth, truth_count, class_count, diag));
    VT_TRY(check("found", found, found_count, class_count, diag));
    vta_status status = make_room(&r, allocator, truth_count, found_count, diag);
    if (status == VTA_OK) {
        evaluate(&r, truth, found, class_count, by_class, &sum);
        vt_result_write(out_precision, &sum, sizeof sum);
    }
    free_room(&r);
    return status;
}
