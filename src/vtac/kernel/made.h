/* Kernels without a file: their tensors are made by a function. */
#ifndef VT_KERNEL_MADE_H
#define VT_KERNEL_MADE_H

#include "vta/kernel.h"

enum { VT_KERNEL_TENSORS = 8 };

/* What a kernel consists of, all made in the context. */
typedef struct vt_kernel_parts {
    te_tensor *inputs[VT_KERNEL_TENSORS], *outputs[VT_KERNEL_TENSORS];
    uint32_t input_count, output_count;
} vt_kernel_parts;

/* Fills `parts`, which are zeros; what cannot be made stays in the context's list of messages. */
typedef void vt_kernel_make(te_context *c, const void *user, vt_kernel_parts *parts);

/* A kernel for the host of what `make` made. Free with vtac_kernel_destroy. */
vta_status vt_kernel_of(const char *name, vt_kernel_make *make, const void *user, const vta_config *config,
                        const vta_allocator *allocator, vta_diag *diag, vtac_kernel **out_kernel);

#endif
