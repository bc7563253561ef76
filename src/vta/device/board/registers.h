/* Registers of the hardware, and what a run does with them (docs/spec.md, section 9). Nothing here knows where the
 * registers are: in the memory of a board, in a model, in a design that is simulated. */
#ifndef VT_DEVICE_BOARD_REGISTERS_H
#define VT_DEVICE_BOARD_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { VT_BLOCK_BYTES = 0x1000, VT_MAX_BLOCKS = 4 };

/* Access to 32-bit registers. The second block's begin at VT_BLOCK_BYTES. */
typedef struct vt_registers {
    uint32_t (*get)(void *user, uint32_t offset);
    void (*set)(void *user, uint32_t offset, uint32_t value);
    void *user;
} vt_registers;

/* What was seen in the registers of one run, by one process. All zeros: nothing yet. */
typedef struct vt_run_seen {
    bool done_is_new; /* the done register is this run's, no longer the last one's */
} vt_run_seen;

/* A design's way to run a stream: `count` instructions at `insn_addr`. */
typedef struct vt_register_map {
    uint32_t block_count;
    /* Why no stream may run as the registers are; NULL: one may. Changes nothing. */
    const char *(*refuses)(const vt_registers *r);
    /* Clears what somebody left in the registers and the next run need not have. For whoever has claimed them. */
    void (*settle)(const vt_registers *r);
    void (*start)(const vt_registers *r, uint32_t insn_addr, uint32_t count, vt_run_seen *out_seen);
    /* Is the run that was started over? */
    bool (*finished)(const vt_registers *r, vt_run_seen *seen);
    /* Says so in the registers, for whoever takes the accelerator next. */
    void (*done)(const vt_registers *r);
    /* Was a run begun whose end nobody has noted (`done`)? Changes nothing. */
    bool (*started)(const vt_registers *r);
    /* Does the stream that was started still run, whoever started it? For whoever takes the accelerator over: a process
     * may have died at any moment. True in doubt. Who has begun to ask keeps `seen`: some registers are cleared when
     * they are read. */
    bool (*running)(const vt_registers *r, vt_run_seen *seen);
    /* Cycles of the last run; 0 where they are not counted. */
    uint32_t (*cycles)(const vt_registers *r);
} vt_register_map;

extern const vt_register_map vt_one_block, vt_four_blocks;

/* One block. */
enum { VT_CONTROL = 0x00, VT_CYCLES = 0x04, VT_COUNT = 0x08, VT_ADDRESS = 0x0c, VT_BASES = 0x10, VT_BASE_COUNT = 6 };
enum { VT_CONTROL_LAUNCH = 1, VT_CONTROL_FINISHED = 2 };
/* Four blocks: where each begins, its control register at offset 0, and its other ones. */
enum { VT_FETCH = 0x0000, VT_LOAD = 0x1000, VT_COMPUTE = 0x2000, VT_STORE = 0x3000 };
enum { VT_START = 0x01, VT_RESTARTS = 0x80, VT_AUTO_RESTART = 0x81 };
enum {
    VT_FETCH_COUNT = 0x10,
    VT_FETCH_ADDRESS = 0x18,
    VT_LOAD_INP = 0x10,
    VT_LOAD_WGT = 0x18,
    VT_COMPUTE_SET_DONE = 0x10,
    VT_COMPUTE_DONE = 0x18,
    VT_COMPUTE_DONE_VALID = 0x1c, /* 1: done was written since this was read the last time; reading clears it */
    VT_COMPUTE_UOP = 0x20,
    VT_COMPUTE_ACC = 0x28,
    VT_STORE_OUT = 0x10
};

#endif
