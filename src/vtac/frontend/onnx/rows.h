/* Values of which only the first entries along an axis count. How many boxes NonMaxSuppression finds depends on their
 * values: here its result has as many rows as there can be, of which `count` come first, and the rest means nothing.
 * Operators that work row by row pass this on; others are refused. An output of the graph of that kind is 0 behind the
 * last row, and has another output beside it, NAME:extents, with the extents that count. */
#ifndef VT_GRAPH_ONNX_ROWS_H
#define VT_GRAPH_ONNX_ROWS_H

#include "frontend/onnx/priv.h"

void vt__onnx_rows_begin(vt_onnx_reader *r);
/* `count` (int64, one element) of the entries along `axis` count, or all where there are fewer. */
void vt__onnx_rows_set(vt_onnx_reader *r, const vt_gvalue *v, vt_gvalue *count, uint32_t axis);
/* Along which axis not all entries count; false: all do. */
bool vt__onnx_rows_are_open(const vt_onnx_reader *r, const vt_gvalue *v, uint32_t *out_axis);
/* Truths along that axis: which entries count; NULL: all do. */
vt_gvalue *vt__onnx_rows_counted(const vt_onnx_node *n, const vt_gvalue *v);
/* The same value with all of its entries. */
vt_gvalue *vt__onnx_rows_whole(const vt_onnx_node *n, vt_gvalue *v);
/* `shape` is a constant that has the largest extents of x in place of those that count: of use for shapes alone. */
void vt__onnx_rows_measured(vt_onnx_reader *r, const vt_gvalue *x, const vt_gvalue *shape);
/* The same for a constant that was computed of another one. */
void vt__onnx_rows_copy(vt_onnx_reader *r, const vt_gvalue *from, const vt_gvalue *to);
/* v was made of the shape: the axis of that extent is the one with rows. Refuses where it is not one axis. */
void vt__onnx_rows_shaped(const vt_onnx_node *n, const vt_gvalue *shape, const vt_gvalue *v);
/* Refuses a constant that is such a shape; `what` it is used as. */
void vt__onnx_rows_want_known(const vt_onnx_node *n, const vt_gvalue *v, const char *what);
/* For the outputs of a node that was made; refuses one that mixes rows. */
void vt__onnx_rows_pass(const vt_onnx_node *n, const vt_gnode *node);
/* Adds the outputs NAME:extents to the graph. */
void vt__onnx_rows_end(vt_onnx_reader *r);

#endif
