/* Products of two matrices that layers compute, and what stands between two of them: matmul.c, softmax.c. */
#ifndef VT_QUANT_MATMUL_H
#define VT_QUANT_MATMUL_H

#include "frontend/quant/priv.h"

/* `count` products of rows x inner by inner x columns. */
typedef struct vt__matmul {
    int64_t count, rows, inner, columns;
    bool transposed; /* the second operand is columns x inner */
} vt__matmul;

/* False: the node is none. */
bool vt__matmul_of(const vt_gnode *n, vt__matmul *s);
vt_qtensor *vt__matrices_of(vt_quantizer *q, const vt_gvalue *v, vt_qform form, vt_qmatrices m, vt_element element,
                            double scale);
/* sum * factor, rounded to the nearest, or up, for a sum of at most `most`. */
void vt__matmul_steps(vt_qlayer *l, double factor, double most, bool up);

/* Is the node a softmax of the chain's rows, for another such product to read, or a mask in front of one? Then it is
 * the chain's. */
bool vt__take_softmax(const vt_quantizer *q, vt_chain *c, const vt_gnode *n);
/* The layers of such a chain, from the operands of the product; one of its sums is `scale`. */
void vt__add_softmax(vt_quantizer *q, const vt_chain *c, const vt__matmul *s, const vt_qtensor *const x[2],
                     double scale);

#endif
