/* What the files of the pass Decompose share. */
#ifndef VT_GRAPH_PASS_DECOMPOSE_H
#define VT_GRAPH_PASS_DECOMPOSE_H

#include "frontend/pass/pass.h"

/* A node in the place of `n`. `last`: its value is what n computes, and keeps that name. */
vt_gvalue *vt__decompose_make(vt_rewrite *r, const vt_gnode *n, bool last, vt_gop op, uint32_t input_count,
                              vt_gvalue *const *inputs, uint32_t attribute_count, const vt_gattr *attributes);
/* decompose_product.c: the product of all entries along an axis, which goes; `last` as above. */
vt_gvalue *vt__decompose_product(vt_rewrite *r, const vt_gnode *n, bool last, vt_gvalue *x, uint32_t axis);
/* What stands for a ReduceProd; NULL: the node is another one. */
vt_gvalue *vt__decompose_reduce_prod(vt_rewrite *r, const vt_gnode *n);
/* decompose_quantize.c: a DynamicQuantizeLinear, all its results; false: the node is another one. */
bool vt__decompose_dynamic(vt_rewrite *r, const vt_gnode *n);

#endif
