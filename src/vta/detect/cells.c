/* NanoDet and FastestDet: boxes of cells. */
#include <math.h>

#include "detect/detect.h"

/* ---- NanoDet: scores, and a distribution of the distance to each side ---- */

enum { SIDES = 4, USUAL_BINS = 8, CLASSES_OF_COCO = 80, PLUS_STRIDES = 4 };

bool vt__fits_NANODET(const vt_outputs *o, vt_form *form) {
    const vt_output *t = &o->item[0];
    if (o->count != 1 || !vt__is_table(t)) return false;
    uint32_t columns = t->shape[1], known = o->class_count;
    bool fits = known && columns > known && (columns - known) % SIDES == 0 && columns - known >= 2 * SIDES;
    form->bins = fits ? (columns - known) / SIDES : USUAL_BINS;
    if (columns <= SIDES * form->bins) return false;
    form->classes = columns - SIDES * form->bins;
    return vt__find_grid(o, t->shape[0], 1, &form->grid);
}

/* NanoDet-Plus, with a fourth stride, measures from the upper left corner of a cell, the first NanoDet from its middle.
 */
void vt__decode_NANODET(const vta_detector *d, const void *const *data, vt_candidates *to) {
    const float *row = data[0];
    const vt_form *f = &d->form;
    double middle = f->grid.count == PLUS_STRIDES ? 0 : 0.5;
    for (uint32_t k = 0; k < f->grid.count; k++) {
        uint32_t stride = f->grid.stride[k], across = vt__cells(d->outputs.width, stride);
        uint32_t cells = across * vt__cells(d->outputs.height, stride);
        for (uint32_t i = 0; i < cells; i++, row += f->classes + SIDES * f->bins) {
            size_t best = vt__largest(row, f->classes, 1);
            double x = i % across + middle, y = i / across + middle, side[SIDES];
            if (!(row[best] >= to->score)) continue;
            for (size_t s = 0; s < SIDES; s++)
                side[s] = vt__distribution_mean(row + f->classes + s * f->bins, f->bins, 1);
            vt__add_corners(to, (x - side[0]) * stride, (y - side[1]) * stride, (x + side[2]) * stride,
                            (y + side[3]) * stride, row[best], best);
        }
    }
}

/* ---- FastestDet: one stride; objectness, box, classes ---- */

enum { STRIDE = 16, OBJECT = 5 };

bool vt__fits_FASTESTDET(const vt_outputs *o, vt_form *form) {
    const vt_output *t = &o->item[0];
    if (o->count != 1 || !t->is_float || t->ndim != 3 || t->shape[0] <= OBJECT) return false;
    if (t->shape[1] != vt__cells(o->height, STRIDE) || t->shape[2] != vt__cells(o->width, STRIDE)) return false;
    form->classes = t->shape[0] - OBJECT;
    return true;
}

void vt__decode_FASTESTDET(const vta_detector *d, const void *const *data, vt_candidates *to) {
    uint32_t w = vt__cells(d->outputs.width, STRIDE), h = vt__cells(d->outputs.height, STRIDE);
    size_t cells = (size_t)w * h;
    double across = (double)d->outputs.width / w, down = (double)d->outputs.height / h;
    for (size_t i = 0; i < cells; i++) {
        const float *v = (const float *)data[0] + i;
        size_t best = vt__largest(v + OBJECT * cells, d->form.classes, cells);
        double score = pow(v[0], 0.6) * pow(v[(OBJECT + best) * cells], 0.4);
        if (!(score >= to->score)) continue;
        vt__add_centre(to, (tanh(v[cells]) + (double)(i % w)) * across, (tanh(v[2 * cells]) + (double)(i / w)) * down,
                       vt__sigmoid(v[3 * cells]) * d->outputs.width, vt__sigmoid(v[4 * cells]) * d->outputs.height,
                       score, best);
    }
}
