/* How a memory instruction turns into bursts on the bus (docs/timing.md, sections 3 and 4). */
#ifndef VT_DEVICE_TSIM_BURSTS_H
#define VT_DEVICE_TSIM_BURSTS_H

#include <stdbool.h>

#include "vta/timing.h"

/* The read commands of one load, in order. A row starts a new burst, and none crosses a multiple of the longest
 * burst. A tile narrower than the bus shares its beat with its neighbours, a wider one takes several: both are
 * counted by the lines of the bus that a row touches. */
typedef struct vt_bursts {
    uint64_t row_byte;   /* first byte of the row that comes next */
    uint64_t row_stride; /* bytes */
    uint64_t row_bytes;
    uint32_t rows;           /* still to begin */
    uint64_t line, line_end; /* what is left of the row begun */
    uint32_t line_bits;      /* log2 of the bus's bytes */
    uint32_t longest;        /* beats, a power of two */
} vt_bursts;

/* For a LOAD with x_size > 0, or for instructions: `bytes` in one row at `addr`. */
void vt_bursts_of_load(vt_bursts *bursts, const vta_config *config, const vta_timing_profile *profile,
                       const vta_insn *insn);
void vt_bursts_of_row(vt_bursts *bursts, const vta_timing_profile *profile, uint64_t addr, uint64_t bytes);
/* Beats of the next burst; 0 when there is none. */
uint32_t vt_bursts_next(vt_bursts *bursts);
/* True while vt_bursts_next has more to give. */
static inline int vt_bursts_left(const vt_bursts *bursts) { return bursts->line < bursts->line_end || bursts->rows; }

/* Tiles that a load writes as padding. */
uint64_t vt_load_padding(const vta_insn *insn);

/* The padding of one load: a tile a cycle in cycles without data. Rows above, sides row by row, rows below; without
 * sides there is nothing to write between above and below, and the engine passes a cycle for each row of data. Cycles
 * are those in which data reach the client. */
typedef struct vt_padding {
    uint64_t at;       /* the next cycle that can be used */
    uint64_t tiles[2]; /* still to be written: before that pause, and after it */
    uint32_t pause;
} vt_padding;
/* Of a load that may pad from cycle `at` on. */
void vt_padding_begin(vt_padding *padding, const vta_insn *insn, uint64_t at);
static inline bool vt_padding_left(const vt_padding *padding) { return (padding->tiles[0] | padding->tiles[1]) != 0; }
/* Data reach the load in [first, last], after all data before. */
void vt_padding_data(vt_padding *padding, uint64_t first, uint64_t last);
/* There are no more data: the cycle of the last tile of padding that is still to be written, 0 without one. */
uint64_t vt_padding_end(vt_padding *padding);
/* True when a tile of the load's memory is wider than the bus. */
int vt_load_narrow(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn);
/* Cycles that a STORE with x_size > 0 takes. */
uint64_t vt_store_cost(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn);
/* DRAM bytes of a memory instruction, padding not counted. */
uint64_t vt_memory_bytes(const vta_config *config, const vta_insn *insn);

#endif
