/* ONNX Runtime's operators of attention: how each of them gives queries, keys, values, masks and caches. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/heads.h"

/* Keys or values that came before, with the new ones behind them; what is kept for the next run. */
static vt_gvalue *with_past(const vt_onnx_node *n, vt_gvalue *past, vt_gvalue *x) {
    vt_gvalue *both[] = {past, x};
    if (!past) return x;
    vt__want_axes(n, past, 4);
    return past->type.dim[2] ? vt__mk_joined(n, 2, 2, both) : x;
}

/* Entry i of the first axis of [2, batch, heads, length, elements]. */
static vt_gvalue *half_of(const vt_onnx_node *n, vt_gvalue *past, int64_t i) {
    vt__want_axes(n, past, 5);
    return vt__onnx_reshape_to(n, vt__mk_part(n, past, 0, i, 1), 4, past->type.dim + 1);
}

static vt_gvalue *both_halves(const vt_onnx_node *n, vt_gvalue *k, vt_gvalue *v) {
    vt_gvalue *both[] = {k, v};
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t *d = both[i]->type.dim;
        both[i] = vt__onnx_reshape_to(n, both[i], 5, (const int64_t[]){1, d[0], d[1], d[2], d[3]});
    }
    return vt__mk_joined(n, 0, 2, both);
}

static void refuse_attribute(const vt_onnx_node *n, const char *name) {
    if (vt__onnx_int(n, name, 0)) vt__onnx_unsupported(n, "attribute %s is not supported", name);
}

static double filter_of(const vt_onnx_node *n) { return vt__onnx_float(n, "mask_filter_value", -10000); }

/* ---- Attention and QAttention: one product gives queries, keys and values ---- */

typedef struct packed {
    vt_gvalue *projected, *mask, *past, *bias; /* bias: of the scores */
} packed;

static void packed_attention(const vt_onnx_node *n, const packed *p) {
    vt_onnx_ints sizes = vt__onnx_ints_of(n, "qkv_hidden_sizes");
    int64_t heads = vt__want_positive(n, "num_heads", 0), third = p->projected->type.dim[2] / 3, at = 0;
    int64_t width[] = {third, third, third};
    vt_gvalue *part[3];
    refuse_attribute(n, "do_rotary"), refuse_attribute(n, "past_present_share_buffer");
    if (sizes.given && sizes.count != 3) vt__onnx_wrong(n, "qkv_hidden_sizes has %u entries", (unsigned)sizes.count);
    for (uint32_t i = 0; i < 3; at += width[i++]) {
        if (sizes.given) width[i] = sizes.item[i];
        part[i] = vt__attention_heads(n, vt__mk_part(n, p->projected, 2, at, width[i]), heads);
    }
    if (at != p->projected->type.dim[2])
        vt__onnx_wrong(n, "the weights have %lld columns, not %lld", (long long)p->projected->type.dim[2],
                       (long long)at);
    vt_attention a = {.q = part[0], .scale = vt__onnx_float(n, "scale", 0)};
    a.k = with_past(n, p->past ? half_of(n, p->past, 0) : NULL, part[1]);
    a.v = with_past(n, p->past ? half_of(n, p->past, 1) : NULL, part[2]);
    int64_t queries = a.q->type.dim[2], keys = a.k->type.dim[2];
    if (p->mask) a.masks[0] = vt__attention_mask(n, p->mask, a.q->type.dim[0], keys, filter_of(n));
    if (vt__onnx_int(n, "unidirectional", 0)) a.masks[1] = vt__attention_causal(n, queries, keys, 0);
    a.masks[2] = p->bias;
    vt__onnx_out(n, 0, vt__attention_without_heads(n, vt__attention(n, &a)));
    if (vt__onnx_wants(n, 1)) vt__onnx_out(n, 1, both_halves(n, a.k, a.v));
}

void vt__onnx_microsoft_attention(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *w = vt__onnx_need(n, 1);
    vt__want_axes(n, x, 3), vt__want_axes(n, w, 2), vt__onnx_want_floats(n, x);
    if (vt__onnx_in(n, 6)) vt__onnx_unsupported(n, "past_sequence_length, for a shared buffer, is not supported");
    packed p = {.mask = vt__onnx_in(n, 3), .past = vt__onnx_in(n, 4), .bias = vt__onnx_in(n, 5)};
    p.projected = vt__mk_sum(n, vt__mk_two(n, VT_G_MAT_MUL, x, w), vt__onnx_in(n, 2));
    packed_attention(n, &p);
}

/* x and weights are integers: input, weight, bias, their scales, mask, their zero points, past. */
void vt__onnx_quantized_attention(const vt_onnx_node *n) {
    vt_gvalue *x = vt__mk_dequantized(n, vt__onnx_need(n, 0), vt__onnx_need(n, 3), vt__onnx_in(n, 6), 0);
    vt_gvalue *w = vt__mk_dequantized(n, vt__onnx_need(n, 1), vt__onnx_need(n, 4), vt__onnx_in(n, 7), 1);
    vt__want_axes(n, x, 3), vt__want_axes(n, w, 2);
    packed p = {.mask = vt__onnx_in(n, 5), .past = vt__onnx_in(n, 8)};
    p.projected = vt__mk_two(n, VT_G_ADD, vt__mk_two(n, VT_G_MAT_MUL, x, w), vt__onnx_need(n, 2));
    packed_attention(n, &p);
}

/* ---- MultiHeadAttention ---- */

/* Entry i of the axis before the last of [batch, length, heads, entries, elements], as [batch, heads, length, ...]. */
static vt_gvalue *entry(const vt_onnx_node *n, vt_gvalue *x, int64_t i) {
    const int64_t *d = x->type.dim, dims[] = {d[0], d[1], d[2], d[4]};
    return vt__mk_transpose(n, vt__onnx_reshape_to(n, vt__mk_part(n, x, 3, i, 1), 4, dims),
                            (const int64_t[]){0, 2, 1, 3});
}

/* Part of the bias of queries, keys and values, [heads, 1, elements]. */
static vt_gvalue *head_bias(const vt_onnx_node *n, vt_gvalue *bias, int64_t at, const vt_gvalue *x) {
    const int64_t *d = x->type.dim;
    vt_gvalue *part = vt__mk_part(n, bias, 0, at, d[1] * d[3]);
    return vt__onnx_reshape_to(n, part, 3, (const int64_t[]){d[1], 1, d[3]});
}

static void add_biases(const vt_onnx_node *n, vt_attention *a) {
    vt_gvalue *bias = vt__onnx_in(n, 3), **to[] = {&a->q, &a->k, &a->v};
    int64_t at = 0;
    if (!bias) return;
    vt__want_axes(n, bias, 1);
    for (uint32_t i = 0; i < 3; i++) {
        vt_gvalue *x = *to[i];
        *to[i] = vt__mk_two(n, VT_G_ADD, x, head_bias(n, bias, at, x));
        at += x->type.dim[1] * x->type.dim[3];
    }
}

/* Packed with the queries, packed with each other, with heads already, or three tensors. */
static vt_attention operands(const vt_onnx_node *n, int64_t heads) {
    vt_gvalue *q = vt__onnx_need(n, 0), *k = vt__onnx_in(n, 1), *v = vt__onnx_in(n, 2);
    if (q->type.rank == 5) return (vt_attention){.q = entry(n, q, 0), .k = entry(n, q, 1), .v = entry(n, q, 2)};
    vt_attention a = {.q = vt__attention_heads(n, q, heads)};
    if (!k) vt__onnx_unsupported(n, "no keys are given");
    if (k->type.rank == 5) {
        a.k = entry(n, k, 0), a.v = entry(n, k, 1);
        return a;
    }
    if (!v) vt__onnx_wrong(n, "input 2, the values, is missing");
    a.k = k->type.rank == 4 ? k : vt__attention_heads(n, k, heads);
    a.v = v->type.rank == 4 ? v : vt__attention_heads(n, v, heads);
    return a;
}

void vt__onnx_multi_head_attention(const vt_onnx_node *n) {
    vt_attention a = operands(n, vt__want_positive(n, "num_heads", 0));
    for (size_t i = 3; i < 6; i++)
        if (vt__onnx_wants(n, i)) vt__onnx_unsupported(n, "output %zu is used", i);
    if (vt__onnx_in(n, 8) || vt__onnx_in(n, 9)) vt__onnx_unsupported(n, "a shared buffer of keys is not supported");
    add_biases(n, &a);
    a.scale = vt__onnx_float(n, "scale", 0);
    a.k = with_past(n, vt__onnx_in(n, 6), a.k);
    a.v = with_past(n, vt__onnx_in(n, 7), a.v);
    int64_t queries = a.q->type.dim[2], keys = a.k->type.dim[2];
    if (vt__onnx_in(n, 4)) a.masks[0] = vt__attention_mask(n, vt__onnx_in(n, 4), a.q->type.dim[0], keys, filter_of(n));
    if (vt__onnx_int(n, "unidirectional", 0)) a.masks[1] = vt__attention_causal(n, queries, keys, 0);
    a.masks[2] = vt__onnx_in(n, 5);
    vt__onnx_out(n, 0, vt__attention_without_heads(n, vt__attention(n, &a)));
    vt__onnx_out(n, 1, a.k), vt__onnx_out(n, 2, a.v);
}

/* ---- GroupQueryAttention ---- */

/* Every sequence is as long as its cache and the new queries say; others would need another shape for each. */
static void check_lengths(const vt_onnx_node *n, int64_t keys) {
    const vt_gvalue *lengths = vt__onnx_need_known(n, 5, "seqlens_k");
    for (int64_t i = 0; i < vt_gtype_count(&lengths->type); i++)
        if (vt_gelement_at(lengths, (size_t)i) != (double)(keys - 1))
            vt__onnx_unsupported(n, "a sequence of %g keys, where cache and queries have %lld",
                                 vt_gelement_at(lengths, (size_t)i) + 1, (long long)keys);
}

/* Queries, keys and values in one tensor, or three. */
static void split_groups(const vt_onnx_node *n, vt_attention *a, int64_t heads, int64_t groups) {
    vt_gvalue *q = vt__onnx_need(n, 0), *k = vt__onnx_in(n, 1), *v = vt__onnx_in(n, 2);
    vt__want_axes(n, q, 3);
    if (!k != !v) vt__onnx_wrong(n, "keys without values, or values without keys");
    if (!k) {
        int64_t each = q->type.dim[2] / (heads + 2 * groups);
        k = vt__mk_part(n, q, 2, heads * each, groups * each);
        v = vt__mk_part(n, q, 2, (heads + groups) * each, groups * each);
        q = vt__mk_part(n, q, 2, 0, heads * each);
    }
    a->q = vt__attention_heads(n, q, heads);
    a->k = vt__attention_heads(n, k, groups);
    a->v = vt__attention_heads(n, v, groups);
}

void vt__onnx_group_query_attention(const vt_onnx_node *n) {
    int64_t heads = vt__want_positive(n, "num_heads", 0), groups = vt__want_positive(n, "kv_num_heads", 0);
    vt_gvalue *past = vt__onnx_in(n, 3), *sink = vt__onnx_in(n, 11);
    int64_t before = past && past->type.rank == 4 ? past->type.dim[2] : 0;
    vt_attention a = {.scale = vt__onnx_float(n, "scale", 0), .softcap = vt__onnx_float(n, "softcap", 0)};
    split_groups(n, &a, heads, groups);
    if (vt__onnx_int(n, "do_rotary", 0)) {
        vt_rotation r = {.cosines = vt__onnx_need(n, 7),
                         .sines = vt__onnx_need(n, 8),
                         .places = vt__onnx_in(n, 9),
                         .first = before,
                         .interleaved = vt__onnx_int(n, "rotary_interleaved", 0) != 0};
        a.q = vt__attention_rotate(n, a.q, &r);
        a.k = vt__attention_rotate(n, a.k, &r);
    }
    a.k = with_past(n, past, a.k);
    a.v = with_past(n, vt__onnx_in(n, 4), a.v);
    int64_t queries = a.q->type.dim[2], keys = a.k->type.dim[2], window = vt__onnx_int(n, "local_window_size", -1);
    check_lengths(n, keys);
    a.masks[0] = vt__attention_causal(n, queries, keys, window > 0 ? window : 0);
    a.masks[1] = vt__onnx_in(n, 10);
    if (sink) a.sink = vt__onnx_reshape_to(n, sink, 4, (const int64_t[]){1, heads, 1, 1});
    if (!sink && vt__onnx_int(n, "smooth_softmax", 0) > 0) a.sink = vt__mk_number(n, VT_ELEMENT_F32, 0);
    vt__onnx_out(n, 0, vt__attention_without_heads(n, vt__attention(n, &a)));
    vt__onnx_out(n, 1, a.k), vt__onnx_out(n, 2, a.v);
}
