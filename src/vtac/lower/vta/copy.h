/* A loop nest that copies, and the two-dimensional transfers that do the same. */
#ifndef VT_TARGET_VTA_COPY_H
#define VT_TARGET_VTA_COPY_H

#include "lower/vta/vta.h"

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
    const vt_expr *guard; /* free of the axes; where it does not hold all is padding. NULL: there is none */
    bool zeros;           /* nothing but padding: src is dst */
} vt_copy;

/* The copy that a marked loop nest is: loops from 0 around one store of a load, a cast load, or a load under a
 * condition that bounds the axes. Raises VTA_ILLEGAL, saying why not, otherwise. The analyzer, here and below, knows
 * nothing. */
vt_copy vt__match_copy(vt_analyzer *a, const vt_stmt *nest);

/* Adjacent axes whose elements lie at one distance. */
typedef struct vt_dim {
    uint32_t axis;                         /* the innermost of them */
    const vt_expr *size, *stride;          /* in DRAM: elements of the memory; the size without padding */
    const vt_expr *pad_before, *pad_after; /* elements on the chip that are zero */
    const vt_expr *chip_size;              /* with the padding */
    const vt_expr *chip_stride;            /* scalars */
} vt_dim;

/* A transfer in elements of the memory. */
typedef struct vt_pattern {
    const vt_expr *offset; /* of the first element that is not padding, in DRAM */
    uint32_t n;
    vt_dim *dims; /* innermost first; of [0] the stride is 1 */
} vt_pattern;

/* The pattern of a copy whose side in DRAM is `dram`, where an element has `block` scalars. Dimensions are merged where
 * they can. Raises VTA_ILLEGAL with the axis that breaks the pattern. */
vt_pattern vt__pattern_of(vt_analyzer *a, const vt_copy *c, const vt_side *dram, const vt_side *chip,
                          const char *memory, int64_t block);

/* Orders and turns the axes as the side on the chip has them: each element is copied by itself, so any order of the
 * loops is the same copy. */
void vt__order_axes(vt_lowering *l, vt_copy *c, const vt_side *side);

/* A buffer on the chip must have elements of its memory's type. */
void vt__check_chip_type(vt_lowering *l, const vt_buffer *b, vta_memory memory);

#endif
