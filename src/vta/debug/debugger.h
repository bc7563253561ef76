/* The debugger's state, shared by the files of this folder. */
#ifndef VT_DEBUG_DEBUGGER_H
#define VT_DEBUG_DEBUGGER_H

#include <stdatomic.h>

#include "device/core/stream.h"
#include "device/device.h"
#include "device/dram/dram.h"
#include "vta/debug.h"

/* The accelerator's buffers at a position. */
typedef struct vt_checkpoint {
    uint32_t position;
    size_t log_size; /* of the log of overwritten DRAM */
    uint8_t *bytes;  /* uop, inp, wgt, acc, one after another */
} vt_checkpoint;

struct vta_debugger {
    vta_allocator allocator;
    vt_dram *dram; /* the device's */
    vta_counters counters;
    vt_machine machine;
    vt_stream stream;
    atomic_bool interrupt; /* raised to end a seek */
    vta_insn_time *times;
    uint32_t *order; /* instructions by the time of their end */
    uint32_t length, position;
    uint64_t cycle, cycles;
    vt_checkpoint *checkpoints; /* by position, the first at 0 */
    size_t checkpoint_count, checkpoint_cap;
    uint32_t spacing; /* instructions between checkpoints */
    uint8_t *log;     /* what stores overwrote: the old bytes, then vt_log_entry, again and again */
    size_t log_size, log_cap;
};

typedef struct vt_log_entry {
    uint64_t addr, bytes;
} vt_log_entry;

/* Between the files of this folder: checkpoint.c. */
vta_status vt__checkpoint_add(vta_debugger *d, vta_diag *diag);
/* Restores the last checkpoint at or before `position`, when that is before where the debugger stands. */
void vt__checkpoint_back(vta_debugger *d, uint32_t position);
/* Restores the last checkpoint: an instruction was left in the middle. */
void vt__checkpoint_last(vta_debugger *d);
/* Keeps what a STORE is about to overwrite. */
vta_status vt__log_store(vta_debugger *d, const vta_insn *insn, vta_diag *diag);
void vt__checkpoint_clear(vta_debugger *d);

#endif
