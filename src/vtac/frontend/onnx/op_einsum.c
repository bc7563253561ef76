/* Einsum as matrix products and transpositions: operands are joined one after the other. Of two, labels are those of a
 * batch (in both, and needed after it), of rows (in the first), of columns (in the second), or summed (in both, and not
 * needed after it); what is in one operand alone and not needed is summed first. */
#include <string.h>

#include "frontend/onnx/make.h"

/* Labels: letters, and the axes of an ellipsis, counted from its last one. */
enum { ELLIPSIS = 128, LABELS = ELLIPSIS + VT_MAX_RANK, OPERANDS_MAX = 32 };

typedef struct term {
    vt_gvalue *x;
    uint32_t rank;
    uint8_t label[VT_MAX_RANK];
} term;

typedef struct equation {
    const vt_onnx_node *n;
    term operand[OPERANDS_MAX], result;
    uint32_t count;
    int64_t extent[LABELS]; /* 0: there is no such label */
} equation;

static bool has(const term *t, uint8_t label) { return memchr(t->label, label, t->rank) != NULL; }

static void add_label(const equation *e, term *t, uint32_t label) {
    if (t->rank == VT_MAX_RANK) vt__onnx_wrong(e->n, "a term of more than %d axes", VT_MAX_RANK);
    t->label[t->rank++] = (uint8_t)label;
}

/* One term, up to a comma, an arrow or the end. `dots`: the axes of its ellipsis. */
static const char *parse_term(const equation *e, const char *at, term *t, uint32_t dots) {
    for (; *at && *at != ',' && strncmp(at, "->", 2) != 0; at++) {
        if (*at == ' ') continue;
        if (!strncmp(at, "...", 3)) {
            for (uint32_t i = dots; i-- > 0;) add_label(e, t, ELLIPSIS + i);
            at += 2;
        } else if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')) {
            add_label(e, t, (uint8_t)*at);
        } else {
            vt__onnx_wrong(e->n, "its equation has \"%c\"", *at);
        }
    }
    return at;
}

static uint32_t letters_in(const char *at) {
    uint32_t count = 0;
    for (; *at && *at != ',' && strncmp(at, "->", 2) != 0; at++) count += *at != ' ' && *at != '.';
    return count;
}

/* Without an arrow the result has the ellipsis, then every label that is there once, in the order of the alphabet. */
static void usual_result(equation *e) {
    uint32_t uses[LABELS] = {0};
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t k = 0; k < e->operand[i].rank; k++) uses[e->operand[i].label[k]]++;
    for (uint32_t i = LABELS; i-- > ELLIPSIS;)
        if (uses[i]) add_label(e, &e->result, i);
    for (uint32_t i = 0; i < ELLIPSIS; i++)
        if (uses[i] == 1) add_label(e, &e->result, i);
}

static void parse(equation *e, const char *at) {
    uint32_t dots = 0;
    for (size_t i = 0;; i++) {
        if (i >= e->n->p->n_input || i >= OPERANDS_MAX)
            vt__onnx_wrong(e->n, "its equation has another number of terms");
        term *t = &e->operand[e->count++];
        t->x = vt__onnx_need(e->n, i);
        uint32_t rank = t->x->type.rank, letters = letters_in(at);
        uint32_t own = rank > letters ? rank - letters : 0;
        dots = own > dots ? own : dots;
        at = parse_term(e, at, t, own);
        if (t->rank != rank)
            vt__onnx_wrong(e->n, "term %zu has %u axes, its input %u", i, (unsigned)t->rank, (unsigned)rank);
        if (*at != ',') break;
        at++;
    }
    if (e->count != e->n->p->n_input) vt__onnx_wrong(e->n, "its equation has another number of terms");
    if (!*at)
        usual_result(e);
    else if (*parse_term(e, at + 2, &e->result, dots))
        vt__onnx_wrong(e->n, "its equation has more than one result");
}

static void find_extents(equation *e) {
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t k = 0; k < e->operand[i].rank; k++) {
            int64_t d = e->operand[i].x->type.dim[k], *at = &e->extent[e->operand[i].label[k]];
            if (d == 0) vt__onnx_unsupported(e->n, "an operand without elements");
            if (*at > 1 && d > 1 && *at != d)
                vt__onnx_wrong(e->n, "one label is of %lld and of %lld elements", (long long)*at, (long long)d);
            if (d > *at) *at = d;
        }
    for (uint32_t k = 0; k < e->result.rank; k++)
        if (!e->extent[e->result.label[k]]) vt__onnx_wrong(e->n, "the result has a label that no term has");
}

/* A label that is in a term twice is its diagonal. */
static void take_diagonals(const equation *e, term *t) {
    for (uint32_t i = 0; i < t->rank; i++)
        for (uint32_t k = t->rank; k-- > i + 1;) {
            if (t->label[k] != t->label[i]) continue;
            const vt_gtype x = t->x->type;
            int64_t size = x.dim[i], dims[VT_MAX_RANK], axis = (int64_t)k;
            if (size != x.dim[k])
                vt__onnx_wrong(e->n, "a diagonal of %lld and %lld", (long long)size, (long long)x.dim[k]);
            for (uint32_t a = 0; a < x.rank; a++) dims[a] = a == i || a == k ? size : 1;
            bool *to;
            vt_gvalue *mask = vt__mk_room(e->n, VT_ELEMENT_BOOL, x.rank, dims, &to);
            for (int64_t a = 0; a < size; a++) to[a * size + a] = true;
            vt_gvalue *rest = vt__mk_where(e->n, mask, t->x, vt__mk_number(e->n, VT_ELEMENT_F32, 0));
            t->x = vt__mk_reduce(e->n, VT_G_REDUCE_SUM, rest, 1, &axis, false);
            memmove(&t->label[k], &t->label[k + 1], t->rank - k - 1);
            t->rank--;
        }
}

/* Is the label in the result, or in an operand from `next` on? */
static bool is_needed(const equation *e, uint8_t label, uint32_t next) {
    for (uint32_t i = next; i < e->count; i++)
        if (has(&e->operand[i], label)) return true;
    return has(&e->result, label);
}

static void sum_unneeded(const equation *e, term *t, const term *other, uint32_t next) {
    int64_t axes[VT_MAX_RANK];
    uint32_t gone = 0, kept = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        if ((other && has(other, t->label[i])) || is_needed(e, t->label[i], next))
            t->label[kept++] = t->label[i];
        else
            axes[gone++] = i;
    }
    if (gone) t->x = vt__mk_reduce(e->n, VT_G_REDUCE_SUM, t->x, gone, axes, false);
    t->rank = kept;
}

/* x with its axes in the order of the labels; those that it has not are of one element. */
static vt_gvalue *ordered(const equation *e, const term *t, const uint8_t *labels, uint32_t count) {
    int64_t perm[VT_MAX_RANK], dims[VT_MAX_RANK];
    uint32_t own = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = memchr(t->label, labels[i], t->rank);
        dims[i] = at ? t->x->type.dim[at - t->label] : 1;
        if (at) perm[own++] = at - t->label;
    }
    return vt__onnx_reshape_to(e->n, vt__mk_transpose(e->n, t->x, perm), count, dims);
}

static int64_t span(const int64_t *dims, uint32_t count) {
    int64_t all = 1;
    for (uint32_t i = 0; i < count; i++) all *= dims[i];
    return all;
}

typedef struct kinds {
    uint8_t batch[VT_MAX_RANK], rows[VT_MAX_RANK], columns[VT_MAX_RANK], sums[VT_MAX_RANK];
    uint32_t batches, row_count, column_count, sum_count;
} kinds;

static kinds kinds_of(const equation *e, const term *a, const term *b, uint32_t next) {
    kinds k = {.batches = 0};
    for (uint32_t i = 0; i < a->rank; i++) {
        uint8_t label = a->label[i];
        if (!has(b, label))
            k.rows[k.row_count++] = label;
        else if (is_needed(e, label, next))
            k.batch[k.batches++] = label;
        else
            k.sums[k.sum_count++] = label;
    }
    for (uint32_t i = 0; i < b->rank; i++)
        if (!has(a, b->label[i])) k.columns[k.column_count++] = b->label[i];
    return k;
}

/* x as [batch.., first, second] of the labels in two lists; axes of one element are broadcast where they are summed. */
static vt_gvalue *matrix(const equation *e, const term *t, const kinds *k, const uint8_t *first, uint32_t first_count,
                         const uint8_t *second, uint32_t second_count, bool sums_first) {
    uint8_t labels[3 * VT_MAX_RANK];
    int64_t dims[VT_MAX_RANK];
    uint32_t count = k->batches + first_count + second_count;
    memcpy(labels, k->batch, k->batches);
    memcpy(labels + k->batches, first, first_count);
    memcpy(labels + k->batches + first_count, second, second_count);
    vt_gvalue *x = ordered(e, t, labels, count);
    bool spread = false;
    for (uint32_t i = 0; i < count; i++) {
        bool summed = i >= k->batches && (i < k->batches + first_count) == sums_first;
        dims[i] = summed ? e->extent[labels[i]] : x->type.dim[i];
        spread = spread || dims[i] != x->type.dim[i];
    }
    if (spread) x = vt__mk_expand(e->n, x, count, dims);
    int64_t rows = span(dims + k->batches, first_count), columns = span(dims + k->batches + first_count, second_count);
    dims[k->batches] = rows, dims[k->batches + 1] = columns;
    return vt__onnx_reshape_to(e->n, x, k->batches + 2, dims);
}

static term product(const equation *e, const term *a, const term *b, uint32_t next) {
    kinds k = kinds_of(e, a, b, next);
    term y = {.rank = 0};
    if (k.batches + k.row_count + k.column_count > VT_MAX_RANK || k.batches + 2 > VT_MAX_RANK)
        vt__onnx_unsupported(e->n, "a product of more than %d axes", VT_MAX_RANK);
    vt_gvalue *left = matrix(e, a, &k, k.rows, k.row_count, k.sums, k.sum_count, false);
    vt_gvalue *right = matrix(e, b, &k, k.sums, k.sum_count, k.columns, k.column_count, true);
    vt_gvalue *sums = vt__mk_two(e->n, VT_G_MAT_MUL, left, right);
    int64_t dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < k.batches; i++) dims[y.rank] = sums->type.dim[i], y.label[y.rank++] = k.batch[i];
    for (uint32_t i = 0; i < k.row_count; i++) y.label[y.rank++] = k.rows[i];
    for (uint32_t i = 0; i < k.column_count; i++) y.label[y.rank++] = k.columns[i];
    for (uint32_t i = k.batches; i < y.rank; i++) { /* as the operand that has it */
        const term *from = i < k.batches + k.row_count ? a : b;
        dims[i] = from->x->type.dim[(const uint8_t *)memchr(from->label, y.label[i], from->rank) - from->label];
    }
    y.x = vt__onnx_reshape_to(e->n, sums, y.rank, dims);
    return y;
}

void vt__onnx_einsum(const vt_onnx_node *n) {
    equation *e = VT_NEW(n->r->ctx, equation);
    const char *text = vt__onnx_string(n, "equation", NULL);
    e->n = n;
    if (!text) vt__onnx_wrong(n, "attribute equation is missing");
    parse(e, text);
    find_extents(e);
    for (uint32_t i = 0; i < e->count; i++) vt__onnx_want_floats(n, e->operand[i].x), take_diagonals(e, &e->operand[i]);
    term now = e->operand[0];
    for (uint32_t i = 1; i < e->count; i++) {
        term b = e->operand[i];
        sum_unneeded(e, &now, &b, i + 1);
        sum_unneeded(e, &b, &now, i + 1);
        now = product(e, &now, &b, i + 1);
    }
    sum_unneeded(e, &now, NULL, e->count);
    int64_t dims[VT_MAX_RANK];
    vt_gvalue *y = ordered(e, &now, e->result.label, e->result.rank);
    for (uint32_t i = 0; i < e->result.rank; i++) dims[i] = e->extent[e->result.label[i]];
    vt__onnx_out(n, 0, vt__mk_expand(n, y, e->result.rank, dims));
}
