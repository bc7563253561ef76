/* What the files of this folder share. */
#ifndef VT_GRAPH_PRIV_H
#define VT_GRAPH_PRIV_H

#include "frontend/graph/graph.h"

/* Enters a value, which is not in the list of values yet, under its name. */
void vt__graph_name(vt_graph *g, vt_gvalue *v);
/* The name, or one made of it that no value has. */
const char *vt__graph_new_name(vt_graph *g, const char *base);

/* Gives the outputs of a node their types, or refuses it: the column `infer` of operators.def. */
typedef void vt_infer(vt_ctx *ctx, const vt_gnode *n);
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning) vt_infer vt__infer_##infer;
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"
/* Checks the number of inputs and what the first one is made of, then infers. */
void vt__infer(vt_ctx *ctx, const vt_gnode *n);

/* For the infer functions. */
static inline void vt__gives(const vt_gnode *n, uint32_t output, vt_gtype type) { n->outputs[output]->type = type; }
/* A type from parts; refuses what vt_gtype_make does. */
vt_gtype vt__infer_type(vt_ctx *ctx, const vt_gnode *n, vt_element element, size_t rank, const int64_t *dims);
/* Refuse an input that is not of that element type, or rank; a list that has not `count` entries; an axis that the
 * first input has not. */
void vt__want_element(vt_ctx *ctx, const vt_gnode *n, uint32_t input, vt_element element);
void vt__want_rank(vt_ctx *ctx, const vt_gnode *n, uint32_t input, uint32_t rank);
const int64_t *vt__want_ints(vt_ctx *ctx, const vt_gnode *n, vt_gattr_name name, uint32_t count);
uint32_t vt__want_axis(vt_ctx *ctx, const vt_gnode *n);
void vt__want_bytes(vt_ctx *ctx, const vt_gnode *n, uint32_t input);
/* Refuses a scale or zero point that is neither one number nor a list of `most`; does nothing where it is left out. */
void vt__want_parameter(vt_ctx *ctx, const vt_gnode *n, uint32_t input, vt_element element, int64_t most);
/* Refuses a constant scale that is negative, infinite or not a number; and, where the node divides by it, zero. */
void vt__want_scales(vt_ctx *ctx, const vt_gnode *n, uint32_t input, bool divides);
/* Refuses a list entry outside of least to most. */
void vt__want_range(vt_ctx *ctx, const vt_gnode *n, vt_gattr_name name, int64_t value, int64_t least, int64_t most);
/* The shape that two broadcast to; refuses those that do not. */
vt_gtype vt__infer_broadcast_of(vt_ctx *ctx, const vt_gnode *n, vt_element element, vt_gtype a, vt_gtype b);

#endif
