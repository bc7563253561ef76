/* Attention in nodes of the graph: what the operators of that kind share. Queries, keys and values have heads:
 * [batch, heads, length, elements]. */
#ifndef VT_GRAPH_ONNX_HEADS_H
#define VT_GRAPH_ONNX_HEADS_H

#include "frontend/onnx/runtime.h"

typedef struct vt_attention {
    vt_gvalue *q, *k, *v;
    double scale, softcap; /* 0: 1 / sqrt(elements of a head); none */
    vt_gvalue *masks[3];   /* added to the scores; NULL: none */
    vt_gvalue *sink;       /* a score of each head, [1, heads, 1, 1], that takes a share; NULL: none */
} vt_attention;
/* softmax(scale * q * k' + masks) * v. Heads of k and v are repeated where q has more. */
vt_gvalue *vt__attention(const vt_onnx_node *n, const vt_attention *a);

/* [batch, length, heads * elements] with heads, and back. */
vt_gvalue *vt__attention_heads(const vt_onnx_node *n, vt_gvalue *x, int64_t heads);
vt_gvalue *vt__attention_without_heads(const vt_onnx_node *n, vt_gvalue *x);
/* -infinity where a key comes after the query: the last query sees the last key; of a window of that many keys (0:
 * all), also where it comes too long before. */
vt_gvalue *vt__attention_causal(const vt_onnx_node *n, int64_t rows, int64_t columns, int64_t window);
/* ONNX Runtime's masks: lengths [batch], or marks [batch, keys] or [batch, queries, keys], `filter` where they are 0.
 */
vt_gvalue *vt__attention_mask(const vt_onnx_node *n, vt_gvalue *mask, int64_t batch, int64_t columns, double filter);

typedef struct vt_rotation {
    vt_gvalue *cosines, *sines; /* [places, half of the elements that are turned] */
    vt_gvalue *places;          /* [1 or batch, length]; NULL: from `first` on */
    int64_t first;
    bool interleaved; /* pairs are neighbours, not halves */
} vt_rotation;
vt_gvalue *vt__attention_rotate(const vt_onnx_node *n, vt_gvalue *x, const vt_rotation *r);

#endif
