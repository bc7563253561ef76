/* A loop nest that copies, and the two-dimensional transfer that does the same. */
#ifndef VT_TARGET_VTA_COPY_H
#define VT_TARGET_VTA_COPY_H

#include "target/vta/vta.h"

/* One side of a copy: element i, j, ... is at offset + i*strides[0] + j*strides[1] + ... */
typedef struct vt_side {
    const vt_buffer *buffer;
    vt_dtype dtype;
    const vt_expr **shape;
    const vt_expr **strides;
    const vt_expr *offset;
} vt_side;

typedef struct vt_copy {
    uint32_t ndim;
    const vt_var **axes; /* loop variables, outermost first; NULL where the copy has no loop */
    vt_side src, dst;
    const vt_expr **pad_before; /* NULL: no padding */
    const vt_expr **pad_after;
} vt_copy;

/* The copy that a marked loop nest is: loops from 0 around one store of a load, a cast load, or a load under a
 * condition that bounds the axes. Raises VTA_ILLEGAL, saying why not, otherwise. */
vt_copy vt__match_copy(vt_lowering *l, const vt_stmt *nest);

/* A transfer in elements of the memory: y_size rows of x_size, row y at offset + y*x_stride. */
typedef struct vt_pattern {
    const vt_expr *x_size, *y_size, *x_stride, *offset;
} vt_pattern;

/* The pattern of the side in DRAM, where an element has `block` scalars. Dimensions may be merged when `fold`. Raises
 * VTA_ILLEGAL with the axis that breaks the pattern. */
vt_pattern vt__pattern_2d(vt_lowering *l, const vt_copy *c, const vt_side *side, const char *memory, int64_t block,
                          bool fold);

/* The side on the chip must be compact. */
void vt__check_compact(vt_lowering *l, const vt_copy *c, const vt_side *side);

#endif
