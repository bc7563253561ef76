/* What storage_flatten's files share: tensors in scope, and buffers that stand for parts of them. */
#ifndef VT_PASS_FLATTEN_H
#define VT_PASS_FLATTEN_H

#include "ir/attr.h"
#include "lower/generic/pass.h"

/* A tensor in scope. */
typedef struct vt_flat_tensor {
    const vt_tensor *tensor;
    uint32_t ndim;
    const vt_expr *const *mins;  /* NULL: zeros */
    const vt_expr *const *shape; /* realized */
    const vt_expr **strides;     /* NULL: compact */
    const vt_buffer *flat;
    vt_dtype dtype; /* as the program sees it; bool is kept in bytes */
} vt_flat_tensor;

/* A buffer that stands for a region of a tensor. */
typedef struct vt_flat_view {
    const vt_flat_tensor *target;
    const vt_expr **begins; /* one for each dimension of the target */
    uint32_t ndim;          /* of the buffer: its last dimensions are the target's last */
} vt_flat_view;

/* Alignment asked for a dimension before its tensor is realized. */
typedef struct vt_dim_align {
    const vt_tensor *tensor;
    int64_t dim, factor, offset;
    struct vt_dim_align *next;
} vt_dim_align;

typedef struct vt_flatten {
    vt_mutator m;
    vt_lowering *l;
    vt_analyzer *free;  /* knows nothing of loops: flat indices get their canonical form later */
    vt_analyzer *bound; /* knows all loops */
    vt_ptrmap *entries; /* operation (or the tensor itself) -> vt_flat_tensor */
    vt_ptrmap *views;   /* buffer -> view */
    vt_ptrmap *others;  /* buffer made by hand -> the one-dimensional one that it becomes */
    vt_varmap *vars;    /* variables of bound buffers -> what they are */
    vt_dim_align *aligns;
} vt_flatten;

/* The tensor in scope; raises when there is none. */
vt_flat_tensor *vt__flat_find(vt_flatten *st, const vt_tensor *t);
vt_dtype vt__stored_type(vt_dtype t);
/* The one-dimensional buffer over the same data. */
const vt_buffer *vt__flat_buffer(vt_ctx *ctx, const vt_buffer *shaped, uint32_t ndim, const vt_expr *const *shape,
                                 const vt_expr *const *strides);
/* The flat index of a point of the realized region (mins already taken off), and simplified. */
const vt_expr *vt__flat_index(vt_flatten *st, const vt_flat_tensor *e, const vt_expr *const *at);
/* The same of an access as it stands in the program. */
const vt_expr *vt__flat_access(vt_flatten *st, const vt_flat_tensor *e, uint32_t n, const vt_expr *const *indices);
const vt_expr *vt__flat_load(vt_flatten *st, const vt_flat_tensor *e, const vt_expr *index, vt_dtype dtype);
const vt_stmt *vt__flat_store(vt_flatten *st, const vt_flat_tensor *e, const vt_expr *index, const vt_expr *value);

/* A region of a tensor that a buffer stands for in the attribute's body. */
const vt_stmt *vt__bind_buffer(vt_flatten *st, const vt_stmt *s);
const vt_expr *vt__view_index(vt_flatten *st, const vt_flat_view *w, uint32_t n, const vt_expr *const *indices);
/* Loads and stores of other buffers. */
const vt_expr *vt__other_load(vt_flatten *st, const vt_expr *e);
const vt_stmt *vt__other_store(vt_flatten *st, const vt_stmt *s);

#endif
