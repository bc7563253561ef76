/* Where designs of the machine differ (portability.def): which design a TARGET is, and what instructions of a stream
 * show by themselves. `uops`: the micro-ops of the instruction, from uop_bgn on. */
#ifndef VT_DEVICE_PORTABILITY_H
#define VT_DEVICE_PORTABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "vta/config.h"
#include "vta/isa.h"

enum { VT_HLS = 1, VT_CHISEL = 2 };

typedef enum vt_portability {
#define VT_PORTABILITY(NAME, name, designs, where, avoided, text) VT_WARN_##NAME,
#include "device/portability.def"
    VT_WARN_COUNT
} vt_portability;

/* VT_HLS, VT_CHISEL; 0: as docs/spec.md has it. Of a TARGET, which is also the name of a board's driver. */
unsigned vt_design_named(const char *target);
unsigned vt_design_of(const vta_config *config);
bool vt_differs_on(unsigned design, vt_portability kind);

/* Does a GEMM (not a reset) write an element that one of the two micro-ops before wrote, an ALU operation one that the
 * micro-op before wrote? */
bool vt_loses_writes(const vta_insn *insn, const vta_uop *uops);
/* Does a micro-op of an ALU operation read what the one before it wrote? */
bool vt_reads_just_written(const vta_insn *insn, const vta_uop *uops);
/* Does a micro-op have a source that is not its destination? */
bool vt_has_other_source(const vta_insn *insn, const vta_uop *uops);

#endif
