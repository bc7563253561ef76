/* Boxes that no better one of their class overlaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/eval/priv.h"

typedef struct candidate {
    float score;
    int64_t box;
    float low[2], high[2]; /* corners */
} candidate;

/* The best one first, of equal ones the first. */
static int in_order(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

static void give_corners(candidate *c, const float *box, bool centered) {
    for (int i = 0; i < 2; i++) {
        float a = centered ? box[i] - box[2 + i] / 2 : box[i], b = centered ? box[i] + box[2 + i] / 2 : box[2 + i];
        c->low[i] = a < b ? a : b;
        c->high[i] = a < b ? b : a;
    }
}

/* Intersection over union; 0 for boxes without an area. */
static float overlap(const candidate *a, const candidate *b) {
    float common = 1, first = 1, second = 1;
    for (int i = 0; i < 2; i++) {
        float low = a->low[i] > b->low[i] ? a->low[i] : b->low[i];
        float high = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
        if (!(high > low)) return 0;
        common *= high - low;
        first *= a->high[i] - a->low[i];
        second *= b->high[i] - b->low[i];
    }
    float all = first + second - common;
    return first > 0 && second > 0 && all > 0 ? common / all : 0;
}

/* Those of a class whose score is large enough, in order. */
static int64_t candidates_of(const vt_eval_call *c, const float *boxes, const float *scores, int64_t count,
                             candidate *to) {
    double least = vt_gattr_float(c->n, VT_A_SCORE);
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        if (isnan(scores[i]) || (least != (double)-INFINITY && !(scores[i] > (float)least))) continue;
        to[found] = (candidate){.score = scores[i], .box = i};
        give_corners(&to[found++], boxes + 4 * i, vt_gattr_int(c->n, VT_A_CENTERED) != 0);
    }
    qsort(to, (size_t)found, sizeof *to, in_order);
    return found;
}

/* Keeps at most k of them, in their order, and says how many. */
static int64_t keep(candidate *list, int64_t count, int64_t k, float iou) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count && kept < k; i++) {
        bool hidden = false;
        for (int64_t j = 0; j < kept && !hidden; j++) hidden = overlap(&list[i], &list[j]) > iou;
        if (!hidden) list[kept++] = list[i];
    }
    return kept;
}

vta_status vt__eval_non_max_suppression(const vt_eval_call *c) {
    const int64_t images = vt__in_type(c, 1)->dim[0], classes = vt__in_type(c, 1)->dim[1];
    const int64_t count = vt__in_type(c, 1)->dim[2];
    int64_t *rows = c->out[0], *row = rows + 3;
    candidate *list = vt_alloc_array(c->allocator, (size_t)count + 1, sizeof *list);
    if (!list) return vt_no_memory(c->diag);
    memset(rows, 0xff, vt_gtype_bytes(vt__out_type(c))); /* -1 */
    memset(rows, 0, 3 * sizeof *rows);
    for (int64_t of = 0; of < images * classes; of++) {
        const float *boxes = (const float *)c->in[0] + of / classes * count * 4;
        const float *scores = (const float *)c->in[1] + of * count;
        int64_t kept = keep(list, candidates_of(c, boxes, scores, count, list), vt_gattr_int(c->n, VT_A_K),
                            (float)vt_gattr_float(c->n, VT_A_IOU));
        for (int64_t i = 0; i < kept; i++, row += 3) row[0] = of / classes, row[1] = of % classes, row[2] = list[i].box;
        *rows += kept;
    }
    vt_free(c->allocator, list, ((size_t)count + 1) * sizeof *list);
    return VTA_OK;
}
