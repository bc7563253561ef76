/* Micro-kernels for designs that do otherwise than docs/spec.md has it (device/portability.def). */
#ifndef VT_RUNTIME_ADAPT_H
#define VT_RUNTIME_ADAPT_H

#include "runtime/uop_kernel.h"

/* Changes a kernel that was recorded (vt_kernel_finish) so that the configuration's TARGET computes what it says: loops
 * are exchanged, or the kernel becomes several instructions. Nothing changes for simulators. VTA_UNSUPPORTED: it cannot
 * be helped, and why. */
vta_status vt_kernel_adapt(vt_uop_kernel *kernel, const vta_config *config, vta_diag *diag);

/* The accumulators that a LOAD was the last to write, at the point that the recording has reached; not kept for targets
 * that store those as they are. */
typedef struct vt_loaded {
    const vta_allocator *allocator;
    uint8_t *elements; /* NULL: not kept */
    uint32_t count;
} vt_loaded;

/* False: out of memory. */
bool vt_loaded_init(vt_loaded *loaded, const vta_config *config, const vta_allocator *allocator);
void vt_loaded_clear(vt_loaded *loaded);
/* A kernel is run. */
void vt_loaded_compute(vt_loaded *loaded, const vta_config *config, const vt_uop_kernel *kernel);
/* A transfer is recorded. VTA_UNSUPPORTED: the TARGET cannot do it. */
vta_status vt_loaded_transfer(vt_loaded *loaded, const vta_config *config, const vta_insn *insn, vta_diag *diag);

#endif
