/* What the evaluators share. */
#ifndef VT_GRAPH_EVAL_PRIV_H
#define VT_GRAPH_EVAL_PRIV_H

#include "frontend/eval/eval.h"

/* One node to compute. */
typedef struct vt_eval_call {
    const vt_gnode *n;
    const void *const *in;
    void *const *out;
    const vta_allocator *allocator;
    vta_diag *diag;
    const vt_ctx *read_in; /* the owner of constants, whose pages may be given back; NULL: not known */
} vt_eval_call;

typedef vta_status vt_evaluator(const vt_eval_call *c);
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning) vt_evaluator vt__eval_##eval;
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"

static inline const vt_gtype *vt__in_type(const vt_eval_call *c, uint32_t i) { return &c->n->inputs[i]->type; }
static inline const vt_gtype *vt__out_type(const vt_eval_call *c) { return &c->n->outputs[0]->type; }
/* NULL where input i is left out. */
static inline const void *vt__in(const vt_eval_call *c, uint32_t i) { return i < c->n->input_count ? c->in[i] : NULL; }

/* unary_double.c: vt__eval_unary of float64. */
vta_status vt__eval_unary_f64(const vt_eval_call *c);

/* ---- Elements in other places (move.c) ---- */

/* A walk over all elements of a shape, through any number of arrays of it: strides are in elements. */
typedef struct vt_strides {
    int64_t by[VT_MAX_RANK];
} vt_strides;
/* Of a tensor as it lies in memory. */
vt_strides vt__strides_of(const vt_gtype *t);
/* Of a tensor that is broadcast to `to`: 0 along axes of one element. */
vt_strides vt__strides_to(const vt_gtype *t, const vt_gtype *to);
/* Copies elements of `bytes` each: to[sum of i * to_by] = from[sum of i * from_by] for all i of the shape. */
void vt__move(const vt_gtype *shape, size_t bytes, const void *from, const vt_strides *from_by, void *to,
              const vt_strides *to_by);
/* The next index of a shape, its last `without` axes left alone; false after the last one. Start with zeros. */
bool vt__next_index(const vt_gtype *shape, uint32_t without, int64_t index[VT_MAX_RANK]);
/* out[i, j, ...] = in[at[0][i], at[1][j], ...], the tables one after the other. */
void vt__move_by_tables(const vt_gtype *in_type, const void *in, const vt_gtype *out_type, void *out,
                        const int64_t *tables);

/* ---- Matrix products (gemm.c) ---- */

/* c += a * b. Rows of a lie `lda` apart, of c `ldc`; b is given by packs of its columns: pack writes b[k0 .. k0 + k)
 * [n0 .. n0 + n) in rows of `width`, zeros after column n. */
typedef struct vt_gemm_f32 {
    int64_t m, n, k;
    const float *a;
    int64_t lda;
    void (*pack)(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, float *to);
    const void *b;
    float *c;
    int64_t ldc;
} vt_gemm_f32;
vta_status vt__gemm_f32(const vt_gemm_f32 *g, const vta_allocator *allocator, vta_diag *diag);

/* The same of 32-bit integers, modulo 2^32. */
typedef struct vt_gemm_i32 {
    int64_t m, n, k;
    const int32_t *a;
    int64_t lda;
    void (*pack)(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, int32_t *to);
    const void *b;
    int32_t *c;
    int64_t ldc;
} vt_gemm_i32;
vta_status vt__gemm_i32(const vt_gemm_i32 *g, const vta_allocator *allocator, vta_diag *diag);

/* ---- Windows (window.c) ---- */

/* A convolution or pool over two axes; one axis alone is the second of two. */
typedef struct vt_windows {
    int64_t images, channels, in_h, in_w, out_h, out_w;
    int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, top, left;
} vt_windows;
/* Of a node with strides, pads and dilations; kernel: its extents, as many as there are spatial axes. */
vt_windows vt__windows_of(const vt_gnode *n, const vt_gtype *in, const vt_gtype *out, const int64_t *kernel);
/* The outputs for which element `at` of the kernel, along an axis, lies inside of the input: from *begin to *end. */
void vt__inside(int64_t at, int64_t stride, int64_t dilation, int64_t before, int64_t in, int64_t out, int64_t *begin,
                int64_t *end);

/* x / scale rounded to the nearest integer, the even one of two, + zero, saturated. Not a number gives zero. */
int32_t vt__quantize(float x, float scale, int32_t zero, vt_element to);
int32_t vt__byte_at(const void *data, vt_element element, int64_t i);
void vt__byte_set(void *data, vt_element element, int64_t i, int32_t value);

#endif
