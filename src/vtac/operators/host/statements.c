#include "operators/host/statements.h"

static void numbers(te_context *c, uint32_t ndim, const int64_t *dims, te_expr *out[VT_HOST_DIMS]) {
    for (uint32_t i = 0; i < ndim; i++) out[i] = vt__int(c, dims[i]);
}

te_buffer *vt__buffer(te_context *c, const char *name, const char *type, uint32_t ndim, const int64_t *dims) {
    te_expr *shape[VT_HOST_DIMS];
    numbers(c, ndim, dims, shape);
    return te_buffer_create(c, name, type, ndim, shape, NULL);
}

te_tensor *vt__input(te_context *c, const char *name, const char *type, uint32_t ndim, const int64_t *dims) {
    te_expr *shape[VT_HOST_DIMS];
    numbers(c, ndim, dims, shape);
    return te_placeholder_expr(c, name, type, ndim, shape);
}
