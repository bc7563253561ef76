/* What composite operators are made of: functions over simpler operators, as ONNX defines them. */
#ifndef VT_GRAPH_ONNX_MAKE_H
#define VT_GRAPH_ONNX_MAKE_H

#include "frontend/onnx/priv.h"

/* A node of one input, or of two, without attributes. */
vt_gvalue *vt__mk_one(const vt_onnx_node *n, vt_gop op, vt_gvalue *x);
vt_gvalue *vt__mk_two(const vt_onnx_node *n, vt_gop op, vt_gvalue *a, vt_gvalue *b);
/* op(x, number), the number being one of x's element type. */
vt_gvalue *vt__mk_with(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, double number);
vt_gvalue *vt__mk_where(const vt_onnx_node *n, vt_gvalue *condition, vt_gvalue *a, vt_gvalue *b);
/* x itself where it has that type already. */
vt_gvalue *vt__mk_cast(const vt_onnx_node *n, vt_gvalue *x, vt_element to);
vt_gvalue *vt__mk_transpose(const vt_onnx_node *n, vt_gvalue *x, const int64_t *perm);
/* The axis of x becomes the one at that place; the others keep their order. */
vt_gvalue *vt__mk_move_axis(const vt_onnx_node *n, vt_gvalue *x, uint32_t from, uint32_t to);
/* `op` is a reduction. */
vt_gvalue *vt__mk_reduce(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, uint32_t count, const int64_t *axes,
                         bool keep);
/* Gather: entries along an axis. */
vt_gvalue *vt__mk_take(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, vt_gvalue *table);
/* Entries start to start + count along one axis. */
vt_gvalue *vt__mk_slice(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, int64_t start, int64_t count);
vt_gvalue *vt__mk_concat(const vt_onnx_node *n, uint32_t count, vt_gvalue *const *values, uint32_t axis);
vt_gvalue *vt__mk_expand(const vt_onnx_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims);
/* An axis of one element more, before axis `at`. */
vt_gvalue *vt__mk_unsqueeze(const vt_onnx_node *n, vt_gvalue *x, uint32_t at);

/* GatherElements: x[i, .., indices[i, j, ..], ..] along an axis. */
vt_gvalue *vt__mk_take_along(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *indices, uint32_t axis);
/* op_rows.c: NonZero, and Compress along an axis, of values that are computed when the model runs. */
vt_gvalue *vt__mk_non_zero(const vt_onnx_node *n, vt_gvalue *x);
vt_gvalue *vt__mk_compress(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, vt_gvalue *truths);
/* x * its share of a normal distribution below it, or the form with tanh. */
vt_gvalue *vt__mk_gelu(const vt_onnx_node *n, vt_gvalue *x, bool tanh_form);

/* ---- Constants ---- */

vt_gvalue *vt__mk_number(const vt_onnx_node *n, vt_element element, double number);
/* Room for a constant of that shape, to be filled by the caller: the value's data is `*out_data`. */
vt_gvalue *vt__mk_room(const vt_onnx_node *n, vt_element element, uint32_t rank, const int64_t *dims, void *out_data);
/* The numbers start, start + step, ... along axis `axis` of `rank` axes, of which all others are 1. */
vt_gvalue *vt__mk_iota(const vt_onnx_node *n, vt_element element, uint32_t rank, uint32_t axis, int64_t count,
                       double start, double step);
/* The value of a constant, or of what follows from constants alone; NULL: it is computed when the model runs. */
vt_gvalue *vt__onnx_known(const vt_onnx_node *n, vt_gvalue *v);
/* Input i, which must be known; refuses others with `what` in the message. */
vt_gvalue *vt__onnx_need_known(const vt_onnx_node *n, size_t i, const char *what);
/* Refuses an input that is not made of float32. */
void vt__onnx_want_floats(const vt_onnx_node *n, const vt_gvalue *x);

#endif
