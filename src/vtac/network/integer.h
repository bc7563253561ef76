/* What host.c and the files of layers of integers share.
 *
 * A result is y[bo, co, i, j, bi, ci], whose element is image bo * BATCH + bi, channel co * BLOCK + ci. */
#ifndef VT_NETWORK_INTEGER_H
#define VT_NETWORK_INTEGER_H

#include "network/priv.h"

/* A layer on its way to the text of a kernel. */
typedef struct vt__integer {
    vt__net *n;
    const vt_qlayer *l;
    vt_strbuf *out;
    vt__args *args;
    int64_t in[4], to[4]; /* images: N, C, H, W */
    const char *channel;  /* of an element of the result; past the last one: the last */
} vt__integer;

/* integer_text.c: a line "input" each, and the argument that goes with it. */
void vt__integer_tiles(vt__integer *w, const char *name, const vt_qtensor *t);
void vt__integer_constant(vt__integer *w, const char *name, const char *type, const void *data, int64_t count,
                          size_t bytes);
/* What the steps add: rows of channels, tensors. */
void vt__integer_steps(vt__integer *w);

/* Element (n, c, y, x) of tiles, as an expression of 32 bits. */
const char *vt__integer_element(vt__integer *w, const char *name, const char *n, const char *c, const char *y,
                                const char *x);
/* The same of tiles of 16 bits, of which `half` is "0, " or "1, "; of 8 bits "". */
const char *vt__integer_half(vt__integer *w, const char *name, const char *half, const char *n, const char *c,
                             const char *y, const char *x);

/* The result from an expression of 32 bits, with all steps done; lanes past the last image or channel are zeros. */
void vt__integer_result(vt__integer *w, const char *value);
/* The same of a reduction: `how` is sum or max, `axes` its axes. */
void vt__integer_reduced(vt__integer *w, const char *how, const char *axes, const char *value);

/* x with all steps of the layer done. */
const char *vt__integer_finished(vt__integer *w, const char *x);

/* matrices.c: a line "input"; an element; the result, from the value at m, ro, co, ri, ci; row and column there. */
void vt__matrices_input(vt__integer *w, const char *name, const vt_qtensor *t);
const char *vt__matrices_element(vt__integer *w, const char *name, const vt_qtensor *t, const char *half,
                                 const char *row, const char *column);
void vt__matrices_result(vt__integer *w, const char *value);
const char *vt__matrices_row(vt__integer *w);
/* softmax.c: tensors of rows, from x; what becomes of a sum. */
void vt__integer_row_max(vt__integer *w);
void vt__shares_rows(vt__integer *w);
const char *vt__shares_divided(vt__integer *w, const char *sum);
void vt__integer_matmul(vt__integer *w);
void vt__matrices_quantize(vt__integer *w);
void vt__matrices_dequantize(vt__integer *w);

/* norm.c */
void vt__integer_norm(vt__integer *w);

/* integer_sum.c */
void vt__integer_conv(vt__integer *w);
void vt__integer_conv_transpose(vt__integer *w);
void vt__integer_dense(vt__integer *w);
void vt__integer_pool(vt__integer *w);

/* integer_move.c */
void vt__integer_map(vt__integer *w);
void vt__integer_mul(vt__integer *w);
void vt__integer_move(vt__integer *w);
void vt__integer_upsample(vt__integer *w);
void vt__integer_reshape(vt__integer *w);
void vt__integer_concat(vt__integer *w);

/* integer_convert.c */
/* The scale is an argument, so that layers of one shape share their code. */
void vt__integer_scale(vt__integer *w, double scale);
void vt__integer_quantize(vt__integer *w);
void vt__integer_dequantize(vt__integer *w);
void vt__integer_table(vt__integer *w);

#endif
