/* Registers of the hardware, and what a run does with them (docs/spec.md, section 9). Nothing here knows where the
 * registers are: in the memory of a board, in a model, in a design that is simulated. */
#ifndef VT_DEVICE_BOARD_REGISTERS_H
#define VT_DEVICE_BOARD_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { VT_BLOCK_BYTES = 0x1000, VT_MOST_BLOCKS = 4 };

/* Access to 32-bit registers. The second block's begin at VT_BLOCK_BYTES. */
typedef struct vt_registers {
    uint32_t (*get)(void *user, uint32_t offset);
    void (*set)(void *user, uint32_t offset, uint32_t value);
    void *user;
} vt_registers;

/* A design's way to run a stream: `count` instructions at `insn_addr`. */
typedef struct vt_register_map {
    uint32_t block_count;
    void (*start)(const vt_registers *r, uint32_t insn_addr, uint32_t count);
    /* Is the run that was started over? */
    bool (*finished)(const vt_registers *r);
    /* Says so in the registers, for whoever takes the accelerator next. */
    void (*done)(const vt_registers *r);
    /* Does a stream run, whoever started it? For whoever takes the accelerator over: a process may have died at any
     * moment. True in doubt. */
    bool (*running)(const vt_registers *r);
    /* Cycles of the last run; 0 where they are not counted. */
    uint32_t (*cycles)(const vt_registers *r);
} vt_register_map;

extern const vt_register_map vt_one_block, vt_four_blocks;

/* One block. */
enum { VT_CONTROL = 0x00, VT_CYCLES = 0x04, VT_COUNT = 0x08, VT_ADDRESS = 0x0c, VT_BASES = 0x10, VT_BASE_COUNT = 6 };
enum { VT_CONTROL_LAUNCH = 1, VT_CONTROL_FINISHED = 2 };
/* Four blocks: where each begins, its control register at offset 0, and its other ones. */
enum { VT_FETCH = 0x0000, VT_LOAD = 0x1000, VT_COMPUTE = 0x2000, VT_STORE = 0x3000 };
enum { VT_START = 0x01, VT_AUTO_RESTART = 0x81 };
enum {
    VT_FETCH_COUNT = 0x10,
    VT_FETCH_ADDRESS = 0x18,
    VT_LOAD_INP = 0x10,
    VT_LOAD_WGT = 0x18,
    VT_COMPUTE_SET_DONE = 0x10,
    VT_COMPUTE_DONE = 0x18,
    VT_COMPUTE_UOP = 0x20,
    VT_COMPUTE_ACC = 0x28,
    VT_STORE_OUT = 0x10
};

#endif
