/* ONNX Runtime's attention: products of queries and keys, their softmax, products with values, and what is around them
 * - packed projections, heads, masks, caches of keys and values, rotary positions. All of it in nodes of the graph. */
#include "frontend/onnx/heads.h"

#include <math.h>
#include <string.h>

/* ---- Heads ---- */

vt_gvalue *vt__attention_heads(const vt_onnx_node *n, vt_gvalue *x, int64_t heads) {
    vt__want_axes(n, x, 3);
    int64_t width = x->type.dim[2];
    if (heads < 1 || width % heads)
        vt__onnx_wrong(n, "%lld elements in %lld heads", (long long)width, (long long)heads);
    const int64_t dims[] = {x->type.dim[0], x->type.dim[1], heads, width / heads};
    return vt__mk_transpose(n, vt__onnx_reshape_to(n, x, 4, dims), (const int64_t[]){0, 2, 1, 3});
}

vt_gvalue *vt__attention_without_heads(const vt_onnx_node *n, vt_gvalue *x) {
    const int64_t *d = x->type.dim, dims[] = {d[0], d[2], d[1] * d[3]};
    return vt__onnx_reshape_to(n, vt__mk_transpose(n, x, (const int64_t[]){0, 2, 1, 3}), 3, dims);
}

/* Every head as often as there are query heads for it. */
static vt_gvalue *repeated(const vt_onnx_node *n, vt_gvalue *x, int64_t times) {
    const int64_t *d = x->type.dim;
    if (times == 1) return x;
    const int64_t apart[] = {d[0], d[1], 1, d[2], d[3]}, more[] = {d[0], d[1], times, d[2], d[3]};
    const int64_t all[] = {d[0], d[1] * times, d[2], d[3]};
    return vt__onnx_reshape_to(n, vt__mk_expand(n, vt__onnx_reshape_to(n, x, 5, apart), 5, more), 4, all);
}

/* ---- Masks: numbers that are added to the scores ---- */

enum { LARGEST_MASK = 1 << 26 };

vt_gvalue *vt__attention_causal(const vt_onnx_node *n, int64_t rows, int64_t columns, int64_t window) {
    const int64_t dims[] = {1, 1, rows, columns};
    if (rows < 1 || columns < 1) vt__onnx_wrong(n, "%lld queries and %lld keys", (long long)rows, (long long)columns);
    if (rows > LARGEST_MASK / columns)
        vt__onnx_unsupported(n, "a mask of %lld rows and %lld columns is too large", (long long)rows,
                             (long long)columns);
    float *data;
    vt_gvalue *mask = vt__mk_room(n, VT_ELEMENT_F32, 4, dims, &data);
    for (int64_t i = 0; i < rows; i++) {
        int64_t last = columns - rows + i;
        for (int64_t j = 0; j < columns; j++)
            data[i * columns + j] = j > last || (window > 0 && j <= last - window) ? -INFINITY : 0;
    }
    return mask;
}

/* `filter` where v is 0 or below, else 0. */
static vt_gvalue *from_marks(const vt_onnx_node *n, vt_gvalue *v, double filter) {
    vt_gvalue *kept = v->type.element == VT_ELEMENT_BOOL ? v : vt__mk_with(n, VT_G_GREATER, v, 0);
    return vt__mk_where(n, kept, vt__mk_number(n, VT_ELEMENT_F32, 0), vt__mk_number(n, VT_ELEMENT_F32, filter));
}

/* Of one length for each sequence: keys from there on are left out. */
static vt_gvalue *from_lengths(const vt_onnx_node *n, vt_gvalue *lengths, int64_t columns, double filter) {
    vt_gvalue *places = vt__mk_iota(n, VT_ELEMENT_I32, 2, 1, columns, 0, 1);
    lengths =
        vt__onnx_reshape_to(n, vt__mk_cast(n, lengths, VT_ELEMENT_I32), 2, (const int64_t[]){lengths->type.dim[0], 1});
    return from_marks(n, vt__mk_two(n, VT_G_LESS, places, lengths), filter);
}

vt_gvalue *vt__attention_mask(const vt_onnx_node *n, vt_gvalue *mask, int64_t batch, int64_t columns, double filter) {
    char text[VT_GTYPE_TEXT];
    const vt_gtype *t = &mask->type;
    bool lengths = t->rank == 1 && t->dim[0] == batch, marks = t->rank == 2 && t->dim[1] == columns;
    vt_gvalue *v = lengths ? from_lengths(n, mask, columns, filter) : from_marks(n, mask, filter);
    if (lengths || marks)
        return vt__onnx_reshape_to(n, v, 4, (const int64_t[]){t->rank == 2 ? t->dim[0] : batch, 1, 1, columns});
    if (t->rank == 3) return vt__onnx_reshape_to(n, v, 4, (const int64_t[]){t->dim[0], 1, t->dim[1], t->dim[2]});
    vt__onnx_unsupported(n, "a mask of %s for %lld sequences of %lld keys", vt_gtype_text(t, text), (long long)batch,
                         (long long)columns);
}

/* ---- Attention itself ---- */

/* The softmax along the keys; with a sink in each head, which takes a share and gives nothing. */
static vt_gvalue *shares_of(const vt_onnx_node *n, vt_gvalue *scores, vt_gvalue *sink) {
    const int64_t *d = scores->type.dim, column[] = {d[0], d[1], d[2], 1};
    if (!sink) return vt__mk_softmax(n, scores, 3);
    vt_gvalue *all[] = {scores, vt__mk_expand(n, sink, 4, column)};
    return vt__mk_part(n, vt__mk_softmax(n, vt__mk_joined(n, 3, 2, all), 3), 3, 0, d[3]);
}

vt_gvalue *vt__attention(const vt_onnx_node *n, const vt_attention *a) {
    const int64_t *q = a->q->type.dim, *k = a->k->type.dim;
    vt__want_axes(n, a->q, 4), vt__want_axes(n, a->k, 4), vt__want_axes(n, a->v, 4);
    vt__onnx_want_floats(n, a->q), vt__onnx_want_floats(n, a->k), vt__onnx_want_floats(n, a->v);
    if (k[1] < 1 || q[1] % k[1])
        vt__onnx_wrong(n, "%lld heads of queries, %lld of keys", (long long)q[1], (long long)k[1]);
    if (q[3] < 1 || k[2] < 1) vt__onnx_wrong(n, "there are no keys, or they have no elements");
    double scale = a->scale != 0 ? a->scale : 1 / sqrt((double)q[3]);
    vt_gvalue *keys = vt__mk_exchanged(n, repeated(n, a->k, q[1] / k[1]));
    vt_gvalue *scores = vt__mk_two(n, VT_G_MAT_MUL, vt__mk_times(n, a->q, scale), keys);
    if (a->softcap > 0)
        scores = vt__mk_times(n, vt__mk_one(n, VT_G_TANH, vt__mk_times(n, scores, 1 / a->softcap)), a->softcap);
    for (uint32_t i = 0; i < sizeof a->masks / sizeof *a->masks; i++) scores = vt__mk_sum(n, scores, a->masks[i]);
    vt_gvalue *shares = shares_of(n, scores, a->sink);
    return vt__mk_two(n, VT_G_MAT_MUL, shares, repeated(n, a->v, q[1] / k[1]));
}

/* ---- Rotary positions ---- */

/* Rows of a table of cosines or sines, for the queries: [1 or batch, 1, length, half]. */
static vt_gvalue *table_rows(const vt_onnx_node *n, vt_gvalue *table, vt_gvalue *places, int64_t first,
                             int64_t length) {
    vt__want_axes(n, table, 2);
    int64_t half = table->type.dim[1];
    if (!places)
        return vt__onnx_reshape_to(n, vt__mk_part(n, table, 0, first, length), 4,
                                   (const int64_t[]){1, 1, length, half});
    vt__want_axes(n, places, 2);
    vt_gvalue *rows = vt__mk_take(n, table, 0, places);
    return vt__onnx_reshape_to(n, rows, 4, (const int64_t[]){places->type.dim[0], 1, places->type.dim[1], half});
}

vt_gvalue *vt__attention_rotate(const vt_onnx_node *n, vt_gvalue *x, const vt_rotation *r) {
    int64_t length = x->type.dim[2], width = x->type.dim[3];
    vt__want_axes(n, x, 4);
    vt_gvalue *cosines = table_rows(n, r->cosines, r->places, r->first, length), *parts[3] = {NULL};
    vt_gvalue *sines = table_rows(n, r->sines, r->places, r->first, length);
    int64_t half = cosines->type.dim[3], turned = 2 * half;
    if (half < 1 || turned > width || sines->type.dim[3] != half)
        vt__onnx_wrong(n, "%lld cosines and %lld sines for heads of %lld elements", (long long)half,
                       (long long)sines->type.dim[3], (long long)width);
    vt_gvalue *pairs = vt__mk_part(n, x, 3, 0, turned), *a, *b;
    const int64_t *d = pairs->type.dim, flat[] = {d[0], d[1], d[2], half}, apart[] = {d[0], d[1], d[2], half, 2};
    if (r->interleaved) {
        vt_gvalue *two = vt__onnx_reshape_to(n, pairs, 5, apart);
        a = vt__onnx_reshape_to(n, vt__mk_part(n, two, 4, 0, 1), 4, flat);
        b = vt__onnx_reshape_to(n, vt__mk_part(n, two, 4, 1, 1), 4, flat);
    } else {
        a = vt__mk_part(n, pairs, 3, 0, half);
        b = vt__mk_part(n, pairs, 3, half, half);
    }
    parts[0] = vt__mk_two(n, VT_G_SUB, vt__mk_two(n, VT_G_MUL, a, cosines), vt__mk_two(n, VT_G_MUL, b, sines));
    parts[1] = vt__mk_two(n, VT_G_ADD, vt__mk_two(n, VT_G_MUL, b, cosines), vt__mk_two(n, VT_G_MUL, a, sines));
    if (r->interleaved) {
        const int64_t *p = parts[0]->type.dim, one[] = {p[0], p[1], p[2], half, 1}, all[] = {p[0], p[1], p[2], turned};
        for (uint32_t i = 0; i < 2; i++) parts[i] = vt__onnx_reshape_to(n, parts[i], 5, one);
        parts[0] = vt__onnx_reshape_to(n, vt__mk_joined(n, 4, 2, parts), 4, all);
        parts[1] = NULL;
    }
    if (turned < width) parts[2] = vt__mk_part(n, x, 3, turned, width - turned);
    return vt__mk_joined(n, 3, 3, parts);
}

/* com.microsoft.RotaryEmbedding: x as [batch, length, width] or with heads; places: the first one, or one for each. */
void vt__onnx_microsoft_rotary(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *places = vt__onnx_need(n, 1);
    bool flat = x->type.rank == 3;
    int64_t turned = vt__onnx_int(n, "rotary_embedding_dim", 0), heads = vt__onnx_int(n, "num_heads", 0);
    vt_rotation r = {.cosines = vt__onnx_need(n, 2),
                     .sines = vt__onnx_need(n, 3),
                     .places = places,
                     .interleaved = vt__onnx_int(n, "interleaved", 0) != 0};
    vt__onnx_want_floats(n, x);
    if (turned && !heads && flat) vt__onnx_wrong(n, "rotary_embedding_dim without num_heads");
    if (flat && !heads && r.cosines->type.rank == 2 && r.cosines->type.dim[1])
        heads = x->type.dim[2] / (2 * r.cosines->type.dim[1]);
    if (flat) x = vt__attention_heads(n, x, heads);
    if (places->type.rank == 1 && places->type.dim[0] == 1) {
        vt_gvalue *from = vt__mk_iota(n, VT_ELEMENT_I64, 2, 1, x->type.dim[2], 0, 1);
        r.places = vt__mk_two(n, VT_G_ADD, from, vt__mk_cast(n, places, VT_ELEMENT_I64));
    }
    vt_gvalue *y = vt__mk_times(n, vt__attention_rotate(n, x, &r), vt__onnx_float(n, "scale", 1));
    vt__onnx_out(n, 0, flat ? vt__attention_without_heads(n, y) : y);
}
