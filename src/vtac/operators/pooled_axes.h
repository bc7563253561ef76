/* Which rows and columns of sums the windows of a pooled convolution read, sorted by their remainder under the stride.
 */
#ifndef VT_OPS_POOLED_AXES_H
#define VT_OPS_POOLED_AXES_H

#include "operators/windows.h"

enum { VT_POOL_MAX_STRIDE = 4 };

vt_window_axis vt__pool_rows(const vt_op_shape *s);
vt_window_axis vt__pool_columns(const vt_op_shape *s);

/* The tap in whose place maxima are taken: of all outputs, and alone in its remainder; -1: none. */
int64_t vt__pool_first(const vt_window_axis *a);
int64_t vt__pool_first_row(const vt_op_shape *s);

/* high < low: there is none. */
typedef struct vt_pool_span {
    int64_t low, high;
} vt_pool_span;

/* Offsets of the taps of a remainder that are inside for some output: a tile reads these rows of it beyond its own. */
vt_pool_span vt__pool_reach(const vt_op_shape *s, int64_t p);
static inline bool vt__pool_is_read(const vt_op_shape *s, int64_t p) {
    vt_pool_span r = vt__pool_reach(s, p);
    return r.high >= r.low;
}
static inline bool vt__pool_slides(const vt_op_shape *s, int64_t p) {
    vt_pool_span r = vt__pool_reach(s, p);
    return r.high > r.low;
}

/* The remainder of a tap's columns, and how far a tap's column number is from the output's, both in steps of the
 * stride: output j's is (j + shift) * stride + remainder. */
int64_t vt__pool_remainder(const vt_op_shape *s, int64_t tap);
int64_t vt__pool_shift(const vt_op_shape *s, int64_t tap);
/* The columns of a remainder that are read, and how many: x of x * stride + q. */
vt_pool_span vt__pool_span(const vt_op_shape *s, int64_t q);
static inline int64_t vt__pool_width(const vt_op_shape *s, int64_t q) {
    vt_pool_span r = vt__pool_span(s, q);
    return r.high - r.low + 1;
}

/* Of the data, so that rows of sums outside of the image may be computed, if not used. */
typedef struct vt_pool_padding {
    int64_t top, bottom, left, right;
} vt_pool_padding;
vt_pool_padding vt__pool_padding(const vt_op_shape *s);

#endif
