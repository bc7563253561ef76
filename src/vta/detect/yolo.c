/* YOLOX, YOLOv5 and YOLOv8, as their repositories export them. */
#include <math.h>

#include "detect/detect.h"

/* ---- YOLOX: one row for each cell of all strides ---- */

enum { BOX = 4, OBJECT = 5, CLASSES_OF_COCO = 80 };

bool vt__fits_YOLOX(const vt_outputs *o, vt_form *form) {
    const vt_output *t = &o->item[0];
    if (o->count != 1 || !vt__is_table(t) || t->shape[1] <= OBJECT) return false;
    form->classes = t->shape[1] - OBJECT;
    return vt__find_grid(o, t->shape[0], 1, &form->grid);
}

void vt__decode_YOLOX(const vta_detector *d, const void *const *data, vt_candidates *to) {
    const float *row = data[0];
    size_t classes = d->form.classes;
    for (uint32_t k = 0; k < d->form.grid.count; k++) {
        uint32_t stride = d->form.grid.stride[k];
        uint32_t across = vt__cells(d->outputs.width, stride), down = vt__cells(d->outputs.height, stride);
        for (uint32_t y = 0; y < down; y++)
            for (uint32_t x = 0; x < across; x++, row += OBJECT + classes) {
                size_t best = vt__largest(row + OBJECT, classes, 1);
                double score = (double)row[BOX] * row[OBJECT + best];
                if (!(score >= to->score)) continue;
                vt__add_centre(to, (row[0] + x) * stride, (row[1] + y) * stride, exp(row[2]) * stride,
                               exp(row[3]) * stride, score, best);
            }
    }
}

/* ---- YOLOv5: rows in pixels, or a map for each stride ---- */

enum { ANCHORS = 3, MAPS = 3 };
static const uint32_t strides[MAPS] = {8, 16, 32};

/* Widths and heights in pixels of the input, by stride. */
static const double anchors[MAPS][ANCHORS][2] = {
    {{10, 13}, {16, 30}, {33, 23}}, {{30, 61}, {62, 45}, {59, 119}}, {{116, 90}, {156, 198}, {373, 326}}};

/* Which output is the map of that stride: anchors x height x width x values, or anchors * values x height x width. */
static bool find_map(const vt_outputs *o, uint32_t stride, uint32_t *out_index, uint32_t *out_values, bool *out_last) {
    uint32_t h = vt__cells(o->height, stride), w = vt__cells(o->width, stride);
    for (uint32_t i = 0; i < o->count; i++) {
        const vt_output *t = &o->item[i];
        bool last = t->ndim == 4 && t->shape[0] == ANCHORS && t->shape[1] == h && t->shape[2] == w;
        bool first = t->ndim == 3 && t->shape[0] % ANCHORS == 0 && t->shape[1] == h && t->shape[2] == w;
        if (!t->is_float || (!last && !first)) continue;
        *out_index = i;
        *out_values = last ? t->shape[3] : t->shape[0] / ANCHORS;
        *out_last = last;
        return *out_values > OBJECT;
    }
    return false;
}

static bool fits_maps(const vt_outputs *o, vt_form *form) {
    if (o->count != MAPS) return false;
    for (uint32_t k = 0; k < MAPS; k++) {
        uint32_t values;
        bool last;
        if (!find_map(o, strides[k], &form->role[k], &values, &last)) return false;
        if (k && (values != form->columns || last == form->is_column_major)) return false;
        form->columns = values;
        form->is_column_major = !last;
    }
    form->is_map = true;
    form->classes = form->columns - OBJECT;
    return !o->guess || !form->is_column_major || form->classes == CLASSES_OF_COCO || form->classes == o->class_count;
}

bool vt__fits_YOLOV5(const vt_outputs *o, vt_form *form) {
    const vt_output *t = &o->item[0];
    if (fits_maps(o, form)) return true;
    *form = (vt_form){0};
    if (o->count != 1 || !vt__is_table(t) || t->shape[1] <= OBJECT) return false;
    form->rows = t->shape[0];
    form->classes = t->shape[1] - OBJECT;
    return vt__find_grid(o, t->shape[0], ANCHORS, &form->grid) || !o->guess;
}

/* Value v of an anchor's cell is at cell * step + v * by. */
static void decode_map(const vta_detector *d, const float *map, uint32_t level, vt_candidates *to) {
    uint32_t stride = strides[level], h = vt__cells(d->outputs.height, stride), w = vt__cells(d->outputs.width, stride);
    size_t cells = (size_t)h * w, values = d->form.columns, by = d->form.is_column_major ? cells : 1;
    for (size_t a = 0; a < ANCHORS; a++)
        for (size_t i = 0; i < cells; i++) {
            const float *v = map + a * cells * values + i * (d->form.is_column_major ? 1 : values);
            size_t best = vt__largest(v + OBJECT * by, d->form.classes, by);
            double score = vt__sigmoid(v[BOX * by]) * vt__sigmoid(v[(OBJECT + best) * by]);
            if (!(score >= to->score)) continue;
            double width = 2 * vt__sigmoid(v[2 * by]), height = 2 * vt__sigmoid(v[3 * by]);
            vt__add_centre(to, (2 * vt__sigmoid(v[0]) - 0.5 + (double)(i % w)) * stride,
                           (2 * vt__sigmoid(v[by]) - 0.5 + (double)(i / w)) * stride,
                           width * width * anchors[level][a][0], height * height * anchors[level][a][1], score, best);
        }
}

void vt__decode_YOLOV5(const vta_detector *d, const void *const *data, vt_candidates *to) {
    const float *row = data[0];
    size_t classes = d->form.classes;
    for (uint32_t k = 0; d->form.is_map && k < MAPS; k++) decode_map(d, data[d->form.role[k]], k, to);
    for (uint32_t i = 0; i < d->form.rows; i++, row += OBJECT + classes) {
        size_t best = vt__largest(row + OBJECT, classes, 1);
        vt__add_centre(to, row[0], row[1], row[2], row[3], (double)row[BOX] * row[OBJECT + best], best);
    }
}

/* ---- YOLOv8: columns in pixels, or a map of distributions for each stride ---- */

enum { BINS = 16 };

static bool fits_distributions(const vt_outputs *o, vt_form *form) {
    if (o->count != MAPS) return false;
    for (uint32_t k = 0; k < MAPS; k++) {
        uint32_t h = vt__cells(o->height, strides[k]), w = vt__cells(o->width, strides[k]), i = 0;
        for (; i < o->count; i++) {
            const vt_output *t = &o->item[i];
            if (t->is_float && t->ndim == 3 && t->shape[0] > BOX * BINS && t->shape[1] == h && t->shape[2] == w) break;
        }
        if (i == o->count || (k && o->item[i].shape[0] != form->columns)) return false;
        form->role[k] = i;
        form->columns = o->item[i].shape[0];
    }
    form->is_map = true;
    form->classes = form->columns - BOX * BINS;
    return true;
}

bool vt__fits_YOLOV8(const vt_outputs *o, vt_form *form) {
    const vt_output *t = &o->item[0];
    if (fits_distributions(o, form)) return true;
    *form = (vt_form){0};
    if (o->count != 1 || !vt__is_table(t)) return false;
    if (t->shape[0] > BOX && vt__find_grid(o, t->shape[1], 1, &form->grid)) {
        form->is_column_major = true;
        form->rows = t->shape[1];
        form->classes = t->shape[0] - BOX;
        return true;
    }
    if (t->shape[1] <= BOX || !vt__find_grid(o, t->shape[0], 1, &form->grid)) return false;
    form->rows = t->shape[0];
    form->classes = t->shape[1] - BOX;
    return !o->guess || form->classes == CLASSES_OF_COCO || form->classes == o->class_count;
}

static void decode_distributions(const vta_detector *d, const float *map, uint32_t stride, vt_candidates *to) {
    uint32_t w = vt__cells(d->outputs.width, stride);
    size_t cells = (size_t)vt__cells(d->outputs.height, stride) * w;
    for (size_t i = 0; i < cells; i++) {
        const float *v = map + i, *classes = v + (size_t)BOX * BINS * cells;
        size_t best = vt__largest(classes, d->form.classes, cells);
        double score = vt__sigmoid(classes[best * cells]), x = (double)(i % w) + 0.5, y = (double)(i / w) + 0.5;
        double side[BOX];
        if (!(score >= to->score)) continue;
        for (size_t k = 0; k < BOX; k++) side[k] = vt__distribution_mean(v + k * BINS * cells, BINS, cells);
        vt__add_corners(to, (x - side[0]) * stride, (y - side[1]) * stride, (x + side[2]) * stride,
                        (y + side[3]) * stride, score, best);
    }
}

void vt__decode_YOLOV8(const vta_detector *d, const void *const *data, vt_candidates *to) {
    size_t rows = d->form.rows, values = BOX + (size_t)d->form.classes, by = d->form.is_column_major ? rows : 1;
    for (uint32_t k = 0; d->form.is_map && k < MAPS; k++)
        decode_distributions(d, data[d->form.role[k]], strides[k], to);
    for (size_t i = 0; i < rows; i++) {
        const float *v = (const float *)data[0] + (d->form.is_column_major ? i : i * values);
        size_t best = vt__largest(v + BOX * by, d->form.classes, by);
        vt__add_centre(to, v[0], v[by], v[2 * by], v[3 * by], v[(BOX + best) * by], best);
    }
}
