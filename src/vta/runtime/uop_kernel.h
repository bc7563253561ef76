/* A micro-kernel: the micro-ops and loops that one finit recorded, and the GEMM or ALU instruction they make. */
#ifndef VT_RUNTIME_UOP_KERNEL_H
#define VT_RUNTIME_UOP_KERNEL_H

#include "base/diag.h"
#include "isa/codec.h"

enum { VT_KERNEL_GEMM = 0, VT_KERNEL_ALU = 1, VT_KERNEL_LOOPS = 2, VT_KERNEL_MAX_PARTS = 4096 };

typedef struct vt_uop_loop {
    uint32_t extent, dst_factor, src_factor, wgt_factor;
} vt_uop_loop;

/* The arguments of VTAUopPush. */
typedef struct vt_uop_args {
    uint32_t mode, reset_out, dst, src, wgt, opcode, use_imm;
    int32_t imm;
} vt_uop_args;

typedef struct vt_uop_kernel vt_uop_kernel;
struct vt_uop_kernel {
    const vta_allocator *allocator;
    uint32_t *words; /* encoded micro-ops */
    size_t count, cap;
    vt_uop_loop loops[VT_KERNEL_LOOPS];
    uint8_t loop_count, open_loops;
    vt_uop_args first;      /* what all micro-ops agree on, besides indices */
    uint32_t recent_dst[2]; /* of the last micro-op and the one before it */
    vta_insn insn;          /* complete but for the micro-ops' place; filled by vt_kernel_finish */
    uint32_t parts;         /* how many such instructions it is, each of as many micro-ops (adapt.h) */

    /* Where the uop buffer and the micro-op image of the current device run hold it (uop_cache.h). */
    uint64_t image_run;  /* the run whose image has it, 0: none */
    uint32_t image_at;   /* in micro-ops */
    uint32_t sram_begin; /* valid while resident */
    bool resident;
    vt_uop_kernel *before, *after; /* resident kernels in the order of their places */
};

void vt_kernel_init(vt_uop_kernel *kernel, const vta_allocator *allocator);
void vt_kernel_clear(vt_uop_kernel *kernel);

vta_status vt_kernel_loop_begin(vt_uop_kernel *kernel, const vta_config *config, const vt_uop_loop *loop,
                                vta_diag *diag);
vta_status vt_kernel_loop_end(vt_uop_kernel *kernel, vta_diag *diag);
vta_status vt_kernel_push(vt_uop_kernel *kernel, const vta_config *config, const vt_uop_args *uop, vta_diag *diag);
/* Ends the recording; `mode` is what the push function stands for. */
vta_status vt_kernel_finish(vt_uop_kernel *kernel, uint32_t mode, vta_diag *diag);

#endif
