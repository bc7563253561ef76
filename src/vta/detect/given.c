/* Boxes that the network has suppressed itself: rows of corners, score and class; or a tensor each, known by its name.
 */
#include <math.h>
#include <string.h>

#include "detect/detect.h"

enum { BOXES, SCORES, CLASSES, COUNT, ROLES };
#define NONE UINT32_MAX
enum { ROW = 6, ROW_WITH_PICTURE = 7, BOX = 4 };

static const char *const words[ROLES][3] = {[BOXES] = {"box", "loc", "rect"},
                                            [SCORES] = {"score", "conf", "prob"},
                                            [CLASSES] = {"class", "label", "cls"},
                                            [COUNT] = {"num", "count", "valid"}};

static bool has_word(const vt_output *t, int role) {
    for (size_t i = 0; i < 3; i++)
        if (strstr(t->name, words[role][i])) return true;
    return false;
}

/* How many numbers an output has, when at most one of its axes is longer than 1. */
static uint32_t length(const vt_output *t) {
    uint64_t n = 1;
    uint32_t longest = 1;
    for (int32_t i = 0; i < t->ndim; i++) {
        n *= t->shape[i];
        if (t->shape[i] > longest) longest = t->shape[i];
    }
    return n == longest ? longest : 0;
}

/* Which role an output may have by its shape. */
static bool may_be(const vt_output *t, int role, uint32_t rows) {
    bool is_box = vt__is_table(t) && t->shape[1] == BOX;
    if (role == BOXES) return is_box;
    if (is_box && rows != 1) return false;
    if (role == COUNT) return length(t) == 1;
    return length(t) == rows && (role == CLASSES || t->is_float);
}

/* Does its name say that it is something else? */
static bool is_other(const vt_output *t, int role) {
    bool other = false;
    for (int r = 0; r < ROLES; r++) other |= r != role && has_word(t, r);
    return other && !has_word(t, role);
}

/* An output for a role that no other one has: by its name; else an integer for classes; else the first that may be. */
static uint32_t find(const vt_outputs *o, const vt_form *f, int role, uint32_t rows) {
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < o->count; i++) {
            bool is_taken = false;
            for (int r = 0; r < role; r++) is_taken |= f->role[r] == i;
            if (is_taken || !may_be(&o->item[i], role, rows)) continue;
            bool by_type = !o->item[i].is_float && role != SCORES,
                 by_place = role != COUNT && !is_other(&o->item[i], role);
            if (pass == 0 ? has_word(&o->item[i], role) : pass == 1 ? by_type : by_place) return i;
        }
    return NONE;
}

/* Boxes (y before x), classes, scores, count: in this order, and all with the name of the operator. */
static bool fits_tflite(const vt_outputs *o, vt_form *form) {
    static const uint32_t order[ROLES] = {[BOXES] = 0, [SCORES] = 2, [CLASSES] = 1, [COUNT] = 3};
    if (o->count != ROLES || !may_be(&o->item[0], BOXES, 0)) return false;
    form->rows = o->item[0].shape[0];
    memcpy(form->role, order, sizeof order);
    for (int r = SCORES; r < ROLES; r++)
        if (!may_be(&o->item[order[r]], r, form->rows)) return false;
    return true;
}

bool vt__fits_BOXES(const vt_outputs *o, vt_form *form) {
    const vt_output *t = &o->item[0];
    if (o->count == 1) {
        form->is_end_to_end = true;
        form->rows = t->shape[0];
        form->columns = t->shape[1];
        return vt__is_table(t) && (t->shape[1] == ROW || (t->shape[1] == ROW_WITH_PICTURE && !o->guess));
    }
    form->is_yx = strstr(t->name, "tflite_detection_postprocess") != NULL;
    if (form->is_yx) return fits_tflite(o, form);
    for (int r = 0; r < ROLES; r++) form->role[r] = NONE;
    form->role[BOXES] = find(o, form, BOXES, 0);
    if (form->role[BOXES] == NONE) return false;
    form->rows = o->item[form->role[BOXES]].shape[0];
    for (int r = SCORES; r < ROLES; r++) form->role[r] = find(o, form, r, form->rows);
    return form->role[SCORES] != NONE && (form->role[CLASSES] != NONE || o->count == 2);
}

static double number(const vta_detector *d, const void *const *data, uint32_t role, size_t index) {
    uint32_t i = d->form.role[role];
    if (i == NONE) return 0;
    if (d->outputs.item[i].is_float) return ((const float *)data[i])[index];
    return d->outputs.item[i].type.bits == 64 ? (double)((const int64_t *)data[i])[index]
                                              : (double)((const int32_t *)data[i])[index];
}

/* Rows of one form: corners, score, class. */
static void read_row(const vta_detector *d, const void *const *data, size_t i, double out[ROW]) {
    const float *row = (const float *)data[0] + i * d->form.columns;
    if (d->form.is_end_to_end && d->form.columns == ROW) {
        for (size_t k = 0; k < ROW; k++) out[k] = row[k];
    } else if (d->form.is_end_to_end) { /* picture, corners, class, score */
        for (size_t k = 0; k < BOX; k++) out[k] = row[1 + k];
        out[BOX] = row[ROW];
        out[BOX + 1] = row[ROW - 1];
    } else {
        for (size_t k = 0; k < BOX; k++) out[k] = number(d, data, BOXES, i * BOX + (d->form.is_yx ? k ^ 1 : k));
        out[BOX] = number(d, data, SCORES, i);
        out[BOX + 1] = number(d, data, CLASSES, i);
    }
}

static size_t row_count(const vta_detector *d, const void *const *data) {
    if (d->form.is_end_to_end || d->form.role[COUNT] == NONE) return d->form.rows;
    double n = number(d, data, COUNT, 0);
    return n >= 0 && n < d->form.rows ? (size_t)n : d->form.rows;
}

/* Corners may be shares of the input: none of those that count is beyond 2 then. */
static bool is_share(const vta_detector *d, const void *const *data, size_t count, double least) {
    double row[ROW], most = 0;
    for (size_t i = 0; i < count; i++) {
        read_row(d, data, i, row);
        for (size_t k = 0; k < BOX && row[BOX] >= least; k++) most = fmax(most, fabs(row[k]));
    }
    return most <= 2;
}

void vt__decode_BOXES(const vta_detector *d, const void *const *data, vt_candidates *to) {
    size_t count = row_count(d, data);
    bool share = is_share(d, data, count, to->score);
    double x = share ? d->outputs.width : 1, y = share ? d->outputs.height : 1, row[ROW];
    for (size_t i = 0; i < count; i++) {
        read_row(d, data, i, row);
        if (!(row[BOX + 1] >= 0 && row[BOX + 1] <= INT32_MAX)) continue;
        vt__add_corners(to, row[0] * x, row[1] * y, row[2] * x, row[3] * y, row[BOX], (size_t)row[BOX + 1]);
    }
}
