/* What the designs that boards are programmed with do otherwise than docs/spec.md has it (device/portability.def), for
 * the model of a board: results that are wrong there are wrong here, and runs that hang there hang. */
#ifndef VT_DEVICE_MODEL_DESIGNS_H
#define VT_DEVICE_MODEL_DESIGNS_H

#include "device/core/stream.h"

typedef struct vt_design_state {
    unsigned design;
    const vta_allocator *allocator;
    const vt_engine *base; /* of the machine, for all that is the same */
    void *base_state;
    size_t lanes, pending_bytes, out_bytes;
    int32_t *pending; /* results on their way to the accumulators, oldest first, and one more */
    uint32_t pending_dst[2], pending_count;
    int32_t *out; /* the Chisel design's output buffer, which GEMM and ALU write beside the accumulators */
    bool hangs;
} vt_design_state;

/* Makes the machine one of this design (VT_HLS, VT_CHISEL; 0: as it is). */
vta_status vt_design_begin(vt_design_state *state, unsigned design, vt_machine *machine, vta_diag *diag);
/* Gives the machine its engine back. */
void vt_design_end(vt_design_state *state, vt_machine *machine);
/* Would the design come to the end of this stream? To be asked before it runs, and after it (state->hangs). */
bool vt_design_hangs(const vt_design_state *state, const vt_stream *stream);

#endif
