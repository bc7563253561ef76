/* Attention over heads, and the rotation of positions that comes before it. */
#include <math.h>

#include "frontend/onnx/make.h"

/* ---- Heads: [images, heads, steps, size] ---- */

/* An input of three axes has its heads in the last one. */
static vt_gvalue *heads_of(const vt_onnx_node *n, size_t input, const char *attribute) {
    vt_gvalue *x = vt__onnx_need(n, input);
    const vt_gtype t = x->type;
    vt__onnx_want_floats(n, x);
    if (t.rank == 4) return x;
    int64_t heads = vt__onnx_int(n, attribute, 0);
    if (t.rank != 3) vt__onnx_wrong(n, "input %zu has %u axes, expected 3 or 4", input, (unsigned)t.rank);
    if (heads < 1 || t.dim[2] % heads)
        vt__onnx_wrong(n, "%lld numbers are not a multiple of %lld heads (%s)", (long long)t.dim[2], (long long)heads,
                       attribute);
    x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){t.dim[0], t.dim[1], heads, t.dim[2] / heads});
    return vt__mk_transpose(n, x, (int64_t[]){0, 2, 1, 3});
}

/* Steps that were there before come first; the result is an output too. */
static vt_gvalue *with_past(const vt_onnx_node *n, vt_gvalue *x, size_t past, size_t present) {
    vt_gvalue *before = vt__onnx_in(n, past);
    if (before) x = vt__mk_concat(n, 2, (vt_gvalue *[]){before, x}, 2);
    vt__onnx_out(n, present, x);
    return x;
}

/* Each head as often as queries share it. */
static vt_gvalue *shared(const vt_onnx_node *n, vt_gvalue *x, int64_t heads) {
    const int64_t *d = x->type.dim, own = d[1], times = own ? heads / own : 0;
    if (own == heads) return x;
    if (times < 1 || heads % own)
        vt__onnx_wrong(n, "%lld heads of queries for %lld of keys", (long long)heads, (long long)own);
    int64_t apart[] = {d[0], own, 1, d[2], d[3]}, more[] = {d[0], own, times, d[2], d[3]};
    int64_t all[] = {d[0], heads, d[2], d[3]};
    return vt__onnx_reshape_to(n, vt__mk_expand(n, vt__onnx_reshape_to(n, x, 5, apart), 5, more), 4, all);
}

/* ---- Masks: 0 where a key counts, -infinity where it does not ---- */

static vt_gvalue *hide(const vt_onnx_node *n, vt_gvalue *counts) {
    return vt__mk_where(n, counts, vt__mk_number(n, VT_ELEMENT_F32, 0), vt__mk_number(n, VT_ELEMENT_F32, -INFINITY));
}

static vt_gvalue *given_mask(const vt_onnx_node *n, int64_t keys) {
    vt_gvalue *m = vt__onnx_in(n, 3);
    if (!m) return NULL;
    if (m->type.element == VT_ELEMENT_BOOL) m = hide(n, m);
    vt__onnx_want_floats(n, m);
    uint32_t last = m->type.rank ? m->type.rank - 1 : 0;
    int64_t missing = m->type.rank ? keys - m->type.dim[last] : 0, pads[2 * VT_MAX_RANK] = {0};
    if (n->r->opset < 24 || missing <= 0 || m->type.dim[last] == 1) return m;
    pads[2 * last + 1] = missing; /* keys that the mask does not reach do not count */
    return vt__onnx_make(
        n, VT_G_PAD, 1, &m,
        VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PADS, 2 * m->type.rank, pads), VT_GSET_FLOAT(VALUE, -INFINITY)));
}

/* A query sees keys up to its own place, which comes after those of the past. */
static vt_gvalue *causal_mask(const vt_onnx_node *n, int64_t queries, int64_t keys, int64_t past) {
    bool *to;
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_BOOL, 2, (int64_t[]){queries, keys}, &to);
    for (int64_t i = 0; i < queries; i++)
        for (int64_t k = 0; k < keys; k++) *to++ = k <= i + past;
    return hide(n, v);
}

/* The first keys of each image alone. */
static vt_gvalue *length_mask(const vt_onnx_node *n, int64_t keys) {
    vt_gvalue *lengths = vt__onnx_in(n, 6);
    if (!lengths) return NULL;
    if (lengths->type.rank != 1) vt__onnx_wrong(n, "nonpad_kv_seqlen is not one number for each image");
    lengths = vt__onnx_reshape_to(n, lengths, 4, (int64_t[]){lengths->type.dim[0], 1, 1, 1});
    vt_gvalue *places = vt__mk_iota(n, lengths->type.element, 4, 3, keys, 0, 1);
    return hide(n, vt__mk_two(n, VT_G_LESS, places, lengths));
}

static vt_gvalue *plus(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *mask) {
    return mask ? vt__mk_two(n, VT_G_ADD, x, mask) : x;
}

/* ---- Attention ---- */

/* The scores as they are after one of the steps are an output. */
static void give_scores(const vt_onnx_node *n, int64_t step, vt_gvalue *scores) {
    if (vt__onnx_int(n, "qk_matmul_output_mode", 0) == step) vt__onnx_out(n, 3, scores);
}

void vt__onnx_attention(const vt_onnx_node *n) {
    bool flat = vt__onnx_need(n, 0)->type.rank == 3, causal = vt__onnx_int(n, "is_causal", 0) != 0;
    vt_gvalue *q = heads_of(n, 0, "q_num_heads"), *k = heads_of(n, 1, "kv_num_heads");
    vt_gvalue *v = heads_of(n, 2, "kv_num_heads");
    int64_t heads = q->type.dim[1], queries = q->type.dim[2], fresh = k->type.dim[2];
    double scale = vt__onnx_float(n, "scale", 1 / sqrt((double)q->type.dim[3])), cap = vt__onnx_float(n, "softcap", 0);
    k = with_past(n, k, 4, 1), v = with_past(n, v, 5, 2);
    int64_t keys = k->type.dim[2];
    if (causal && vt__onnx_in(n, 6)) vt__onnx_unsupported(n, "is_causal together with nonpad_kv_seqlen");
    k = vt__mk_transpose(n, shared(n, k, heads), (int64_t[]){0, 1, 3, 2});
    vt_gvalue *scores = vt__mk_two(n, VT_G_MAT_MUL, vt__mk_with(n, VT_G_MUL, q, scale), k);
    give_scores(n, 0, scores);
    scores = plus(n, scores, given_mask(n, keys));
    scores = plus(n, scores, causal ? causal_mask(n, queries, keys, keys - fresh) : NULL);
    scores = plus(n, scores, length_mask(n, keys));
    give_scores(n, 1, scores);
    if (cap != 0) {
        scores = vt__mk_one(n, VT_G_TANH, vt__mk_with(n, VT_G_DIV, scores, cap));
        scores = vt__mk_with(n, VT_G_MUL, scores, cap);
    }
    give_scores(n, 2, scores);
    scores = vt__onnx_make(n, VT_G_SOFTMAX, 1, &scores, VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, 3)));
    give_scores(n, 3, scores);
    vt_gvalue *y = vt__mk_two(n, VT_G_MAT_MUL, scores, shared(n, v, heads));
    if (flat) {
        int64_t rows[] = {y->type.dim[0], queries, heads * y->type.dim[3]};
        y = vt__onnx_reshape_to(n, vt__mk_transpose(n, y, (int64_t[]){0, 2, 1, 3}), 3, rows);
    }
    vt__onnx_out(n, 0, y);
}

/* ---- Rotation ---- */

/* The table's rows of each step, [images, steps, 1, pairs]. */
static vt_gvalue *angles(const vt_onnx_node *n, size_t input, int64_t pairs) {
    vt_gvalue *table = vt__onnx_need(n, input), *places = vt__onnx_in(n, 3);
    if (places) table = vt__mk_take(n, table, 0, places);
    if (table->type.rank != 3 || table->type.dim[2] < pairs)
        vt__onnx_wrong(n, "input %zu has no %lld angles for each step", input, (long long)pairs);
    return vt__mk_unsqueeze(n, vt__mk_slice(n, table, 2, 0, pairs), 2);
}

/* One of each pair of numbers of x, [.., 2 * pairs]: neighbours, or one from each half. */
static vt_gvalue *half(const vt_onnx_node *n, vt_gvalue *x, int64_t pairs, int64_t which, bool neighbours) {
    const int64_t *d = x->type.dim;
    if (!neighbours) return vt__mk_slice(n, x, 3, which * pairs, pairs);
    x = vt__onnx_reshape_to(n, x, 5, (int64_t[]){d[0], d[1], d[2], pairs, 2});
    return vt__onnx_reshape_to(n, vt__mk_slice(n, x, 4, which, 1), 4, (int64_t[]){d[0], d[1], d[2], pairs});
}

static vt_gvalue *rotated(const vt_onnx_node *n, vt_gvalue *x, int64_t pairs, bool neighbours) {
    vt_gvalue *cosine = angles(n, 1, pairs), *sine = angles(n, 2, pairs);
    vt_gvalue *a = half(n, x, pairs, 0, neighbours), *b = half(n, x, pairs, 1, neighbours), *part[2];
    part[0] = vt__mk_two(n, VT_G_SUB, vt__mk_two(n, VT_G_MUL, a, cosine), vt__mk_two(n, VT_G_MUL, b, sine));
    part[1] = vt__mk_two(n, VT_G_ADD, vt__mk_two(n, VT_G_MUL, a, sine), vt__mk_two(n, VT_G_MUL, b, cosine));
    if (!neighbours) return vt__mk_concat(n, 2, part, 3);
    const vt_gtype t = part[0]->type;
    for (int i = 0; i < 2; i++) part[i] = vt__mk_unsqueeze(n, part[i], 4);
    return vt__onnx_reshape_to(n, vt__mk_concat(n, 2, part, 4), 4,
                               (int64_t[]){t.dim[0], t.dim[1], t.dim[2], 2 * pairs});
}

void vt__onnx_rotary_embedding(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gtype t = x->type;
    vt__onnx_want_floats(n, x);
    if (t.rank == 4) {
        x = vt__mk_transpose(n, x, (int64_t[]){0, 2, 1, 3});
    } else {
        int64_t heads = vt__onnx_int(n, "num_heads", 0);
        if (t.rank != 3 || heads < 1 || t.dim[2] % heads)
            vt__onnx_wrong(n, "an input of 3 axes has a multiple of num_heads numbers in the last");
        x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){t.dim[0], t.dim[1], heads, t.dim[2] / heads});
    }
    int64_t size = x->type.dim[3], some = vt__onnx_int(n, "rotary_embedding_dim", 0), turned = some ? some : size;
    if (turned < 2 || turned > size || turned % 2)
        vt__onnx_wrong(n, "%lld of %lld numbers are turned", (long long)turned, (long long)size);
    vt_gvalue *parts[] = {
        rotated(n, vt__mk_slice(n, x, 3, 0, turned), turned / 2, vt__onnx_int(n, "interleaved", 0) != 0),
        turned < size ? vt__mk_slice(n, x, 3, turned, size - turned) : NULL};
    x = parts[1] ? vt__mk_concat(n, 2, parts, 3) : parts[0];
    x = t.rank == 4 ? vt__mk_transpose(n, x, (int64_t[]){0, 2, 1, 3}) : vt__onnx_reshape_to(n, x, 3, t.dim);
    vt__onnx_out(n, 0, x);
}
