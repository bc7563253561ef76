/* SSD: a score for each class of each prior, and a box, as offsets from the prior or as corners. */
#include <math.h>

#include "detect/detect.h"
#include "detect/priors.h"

enum { SCORES = 0, BOXES = 1, BOX = 4 };

/* Two tables of as many rows: boxes have four columns, and where both have, the name says which they are. */
bool vt__fits_SSD(const vt_outputs *o, vt_form *form) {
    const vt_output *t = o->item;
    if (o->count != 2 || !vt__is_table(&t[0]) || !vt__is_table(&t[1]) || t[0].shape[0] != t[1].shape[0]) return false;
    bool second = t[1].shape[1] == BOX, first = t[0].shape[1] == BOX;
    if (first && second) second = t[1].name[0] == 'b' || t[1].name[0] == 'l'; /* boxes, locations */
    if (!first && !second) return false;
    form->role[BOXES] = second ? 1 : 0;
    form->role[SCORES] = second ? 0 : 1;
    form->rows = t[0].shape[0];
    form->columns = t[form->role[SCORES]].shape[1];
    if (form->columns < 2) return false;
    form->classes = form->columns - 1;
    form->priors = vt__find_priors(o->height, o->width, form->rows);
    return true;
}

/* What all rows say: whether scores are probabilities, boxes corners, and these shares of the input. */
typedef struct nature {
    bool is_probability, is_corner, is_share;
} nature;

/* Offsets are no corners: of many rows about a quarter would have the second corner right of and below the first. */
static nature look(const vt_form *f, const float *scores, const float *boxes) {
    nature n = {true, false, true};
    size_t corners = 0;
    for (size_t i = 0; i < (size_t)f->rows * f->columns; i++)
        if (!(scores[i] >= -0.05F && scores[i] <= 1.05F)) n.is_probability = false;
    for (size_t i = 0; i < f->rows; i++) {
        const float *b = boxes + i * BOX;
        corners += b[0] < b[2] && b[1] < b[3];
        for (size_t k = 0; k < BOX; k++)
            if (fabsf(b[k]) > 4) n.is_share = false;
    }
    n.is_corner = !f->priors || corners * 5 > (size_t)f->rows * 3;
    return n;
}

typedef struct walk {
    const vta_detector *d;
    const float *scores, *boxes;
    nature n;
    vt_candidates *to;
} walk;

/* The score of the best class, but for the background, which is the first. */
static double best_score(const walk *w, uint32_t row, size_t *out_class) {
    const float *s = w->scores + (size_t)row * w->d->form.columns;
    *out_class = vt__largest(s + 1, w->d->form.classes, 1);
    if (w->n.is_probability) return s[1 + *out_class];
    double most = s[vt__largest(s, w->d->form.columns, 1)], sum = 0;
    for (size_t i = 0; i < w->d->form.columns; i++) sum += exp(s[i] - most);
    return exp(s[1 + *out_class] - most) / sum;
}

static void take_corners(const walk *w, uint32_t row) {
    const float *b = w->boxes + (size_t)row * BOX;
    double x = w->n.is_share ? w->d->outputs.width : 1, y = w->n.is_share ? w->d->outputs.height : 1;
    size_t class_id;
    double score = best_score(w, row, &class_id);
    vt__add_corners(w->to, b[0] * x, b[1] * y, b[2] * x, b[3] * y, score, class_id);
}

/* With the usual variances, 0.1 of centres and 0.2 of sizes. */
static void take_offsets(void *user, uint32_t row, double x, double y, double width, double height) {
    const walk *w = user;
    const float *b = w->boxes + (size_t)row * BOX;
    double across = w->d->outputs.width, down = w->d->outputs.height;
    size_t class_id;
    double score = best_score(w, row, &class_id);
    if (!(score >= w->to->score)) return;
    vt__add_centre(w->to, (x + 0.1 * b[0] * width) * across, (y + 0.1 * b[1] * height) * down,
                   exp(0.2 * b[2]) * width * across, exp(0.2 * b[3]) * height * down, score, class_id);
}

void vt__decode_SSD(const vta_detector *d, const void *const *data, vt_candidates *to) {
    walk w = {.d = d, .scores = data[d->form.role[SCORES]], .boxes = data[d->form.role[BOXES]], .to = to};
    w.n = look(&d->form, w.scores, w.boxes);
    if (!w.n.is_corner) {
        vt__each_prior(d->form.priors, d->outputs.height, d->outputs.width, take_offsets, &w);
        return;
    }
    for (uint32_t i = 0; i < d->form.rows; i++) take_corners(&w, i);
}
