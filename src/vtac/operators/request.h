/* An operator as it is asked for: what "conv2d height=56 ... epilogue=shift:8,relu" says, as data. */
#ifndef VT_OPS_REQUEST_H
#define VT_OPS_REQUEST_H

#include "operators/ops.h"

typedef enum vt_operator_kind {
#define VT_OPERATOR(name, space, text) VT_OPERATOR_##name,
#define VT_ATTRIBUTE(op, name, value, least, most, help)
#include "operators/operators.def"
    VT_OPERATORS
} vt_operator_kind;

typedef struct vt_op_request {
    vt_operator_kind kind;
    int64_t values[VT_ATTRIBUTES]; /* of the operator's own attributes */
    uint32_t step_count;
    vt_op_step steps[VT_EPILOGUE_MAX];
    vt_narrow narrow;
} vt_op_request;

/* With the defaults of all attributes, and without an epilogue. */
void vt_op_request_init(vt_op_request *r, vt_operator_kind kind);
bool vt_op_request_equal(const vt_op_request *a, const vt_op_request *b);
/* What vtac_op_create reads: attributes that are not defaults, the epilogue, and how the result is narrowed. */
void vt_op_request_write(const vt_op_request *r, vt_strbuf *out);
/* The other way; the errors of vtac_op_create for a text that is not of its form. */
vta_status vt_op_request_read(const char *name, const char *attributes, vta_diag *diag, vt_op_request *out);

/* As vtac_op_create. */
vta_status vt_op_create(const vt_op_request *r, const vta_config *config, const vta_allocator *allocator,
                        vta_diag *diag, vtac_op **out_op);

/* For vt_op_create: are all attributes that the operator needs given, and within their ranges? */
vta_status vt__op_request_check(const vt_op_request *r, vta_diag *diag);

#endif
