/* Stepping through one device run in the order of time, forwards and backwards.
 *
 * A debugger executes a stream on its own accelerator, against a device's DRAM. An instruction takes effect at its end
 * (vta/timing.h); the position is the number of instructions that took effect. Going back restores a checkpoint, takes
 * back what stores wrote, and executes again up to the place. One thread at a time, but for vta_debugger_interrupt. */
#ifndef VTA_DEBUG_H
#define VTA_DEBUG_H

#include "vta/timing.h"

VTA_BEGIN

typedef struct vta_debugger vta_debugger;

/* Decodes and times the stream at `insn_addr`; nothing has run yet. The device must outlive the debugger, and its
 * driver is not used. Fails as vta_device_run and vta_timing_run do, and with VTA_INTERRUPTED after
 * vta_device_interrupt, from any thread. Free with vta_debugger_destroy, which leaves DRAM
 * as it stands at the position. */
VTA_API vta_status vta_debugger_create(vta_device *device, uint32_t insn_addr, uint32_t count,
                                       const vta_timing_profile *timing, vta_diag *diag, vta_debugger **out_debugger);
VTA_API void vta_debugger_destroy(vta_debugger *debugger);

/* Instructions up to FINISH; instructions that take effect before it (others are still under way then); cycles. */
VTA_API uint32_t vta_debugger_count(const vta_debugger *debugger);
VTA_API uint32_t vta_debugger_length(const vta_debugger *debugger);
VTA_API uint64_t vta_debugger_cycles(const vta_debugger *debugger);
/* Where the debugger stands. */
VTA_API uint32_t vta_debugger_position(const vta_debugger *debugger);
VTA_API uint64_t vta_debugger_cycle(const vta_debugger *debugger);

/* Goes to a position, 0 to length; the cycle becomes the end of the last instruction that took effect. On an error of
 * an instruction the debugger stands before it. */
VTA_API vta_status vta_debugger_seek(vta_debugger *debugger, uint32_t position, vta_diag *diag);
/* Stops the seek that is going on, soon: it returns VTA_INTERRUPTED and leaves the debugger at a position that it went
 * through, with nothing half done. Without a seek it does nothing. From any thread, and from a signal handler. */
VTA_API void vta_debugger_interrupt(vta_debugger *debugger);
/* Goes to a cycle, 0 to cycles: what ended until then took effect. */
VTA_API vta_status vta_debugger_seek_cycle(vta_debugger *debugger, uint64_t cycle, vta_diag *diag);

/* The instruction that takes effect as number `position`, 0 to length - 1; UINT32_MAX beyond. */
VTA_API uint32_t vta_debugger_at(const vta_debugger *debugger, uint32_t position);
/* An instruction by its place in the stream, and its times. VTA_OUT_OF_RANGE beyond the last. */
VTA_API vta_status vta_debugger_insn(const vta_debugger *debugger, uint32_t index, vta_insn *out_insn,
                                     vta_insn_time *out_time);

/* What a unit (not fetch) does at the current cycle. `insn` is the one that runs, or the next one; UINT32_MAX: none. */
typedef struct vta_unit_view {
    uint32_t state; /* vta_unit_state: busy while an instruction runs, else what it waits for, or idle */
    uint32_t insn;
    uint64_t since;  /* cycle of its start, or of the end of the one before */
    uint64_t until;  /* cycle of its end, or of its start */
    uint32_t queued; /* instructions in the unit's queue */
} vta_unit_view;
VTA_API vta_unit_view vta_debugger_unit(const vta_debugger *debugger, vta_unit unit);

/* Tokens in each queue at the current cycle. */
VTA_API void vta_debugger_tokens(const vta_debugger *debugger, uint32_t out_tokens[VTA_TOKEN_QUEUES]);
/* True when the instruction pushes or pops a token of the queue. */
VTA_API bool vta_debugger_uses_token(const vta_debugger *debugger, uint32_t index, vta_token_queue queue);
/* True when the instruction, if it ran now, read or wrote the element of an on-chip memory (micro-ops are looked up in
 * the buffer as it is), or the byte of DRAM. */
VTA_API bool vta_debugger_touches(const vta_debugger *debugger, uint32_t index, vta_memory memory, uint32_t element);
VTA_API bool vta_debugger_touches_dram(const vta_debugger *debugger, uint32_t index, uint32_t addr);

/* On-chip contents, as vta_device_peek. */
VTA_API vta_status vta_debugger_peek(const vta_debugger *debugger, vta_memory memory, uint32_t first, uint32_t elements,
                                     void *to, size_t bytes, vta_diag *diag);

VTA_END

#endif
