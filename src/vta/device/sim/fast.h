/* The fast engine: GEMM through vector kernels over inputs and weights that are laid out anew when they are loaded.
 *
 * One micro-op is a tile product: acc[dst] += inp[src] x wgt. A GEMM instruction is many of them, and integer sums
 * commute, so their order is free: plan.c finds, in the micro-ops and the two loops, rows (accumulators that share a
 * weight tile), columns (accumulators that share an input) and steps (tile products that add to the same accumulator).
 * Where micro-ops are left out at the borders of an image, group.c finds the accumulators that have the same steps.
 * A kernel keeps the accumulators of a few rows and columns in registers over all steps. A plan is kept until the
 * micro-ops change: a program runs few kinds of GEMM instructions, each many times.
 *
 * Layout: G scalars that are multiplied together fill a 32-bit word: 4 of at most 8 bits, 2 of at most 16, else 1.
 *  - inp, a record for each row of an element: BLOCK_IN / G words.
 *  - wgt, for each 16 (or BLOCK_OUT, if less) output channels: [BLOCK_IN / G][channels] words; where the kernels are
 *    biased, [channels] words more, the corrections.
 * Biased kernels multiply unsigned inputs by signed weights, as the byte instruction needs: the inputs are stored plus
 * 128, and a channel's correction, -128 x the sum of its weights, takes that back once for all rows. */
#ifndef VT_DEVICE_SIM_FAST_H
#define VT_DEVICE_SIM_FAST_H

#include "device/core/machine.h"

extern const vt_engine vt_engine_fast;

enum {
    VT_TILE_ROWS = 8, /* the most that any kernel takes */
    VT_TILE_COLUMNS = 2,
    VT_TILE_CHANNELS = 16,
    VT_PLAN_DIMS = 8,
    VT_PLAN_STEPS = 512,
    VT_PLAN_ROWS = 2048, /* at least the largest BATCH */
    VT_PLAN_COLUMNS = 64,
    VT_PLAN_PARTS = 64,
    VT_PLAN_CORRECTED = 256, /* columns of all parts */
    VT_PLANS = 16,
};

/* Offsets of one tile product of every accumulator of a call, in words. */
typedef struct vt_step {
    int32_t inp, wgt;
} vt_step;

/* Offsets of a row's inputs and accumulators, and of a column's weights and accumulators, in words. */
typedef struct vt_row {
    int32_t inp, acc;
} vt_row;
typedef struct vt_column {
    int32_t wgt, acc;
} vt_column;

/* Rows that add up the same steps: those of their plan from the first on. */
typedef struct vt_part {
    uint32_t first_step, step_count, first_row, row_count;
} vt_part;

/* What a kernel works on: R x C accumulators, each over all steps. */
typedef struct vt_tile_call {
    int32_t *acc;
    const int32_t *inp, *wgt;
    const vt_row *rows;       /* R */
    const vt_column *columns; /* C */
    const vt_step *steps;
    uint32_t step_count;
    uint32_t words;            /* BLOCK_IN / G */
    const int32_t *correction; /* biased kernels: for each channel of each column */
} vt_tile_call;

/* All loops of a kernel unroll: their bounds are constants. Clang does so by itself; under a sanitizer, or where there
 * are no vector registers to fill, it would only cost minutes of compiling. */
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                             \
    !(defined(__SSE2__) || defined(__ARM_NEON))
#define VT_UNROLL
#else
#define VT_UNROLL _Pragma("GCC unroll 16")
#endif

typedef void (*vt_tile_kernel)(const vt_tile_call *call);

/* Kernels for 1..rows rows and 1..columns columns at once, for one G and one number of channels. */
typedef struct vt_tile_kernels {
    uint32_t rows, columns; /* what the registers hold */
    /* NULL, or the inputs are stored plus 128, and this adds up what to take back. */
    void (*sum_corrections)(const vt_tile_call *call, uint32_t columns, int32_t *to);
    vt_tile_kernel kernel[VT_TILE_COLUMNS][VT_TILE_ROWS];
} vt_tile_kernels;

/* What an instruction set offers. A table that does not exist falls to the portable one. */
typedef struct vt_fast_cpu {
    const char *name;
    bool (*available)(void);
    /* For log2 of the channels (2, 3, 4), log2 of G (0, 1, 2) and BLOCK_IN / G words; NULL: has none. */
    const vt_tile_kernels *(*kernels)(uint32_t log_channels, uint32_t log_group, uint32_t words);
    /* From bytes to the layout for which kernels() has the largest G; NULL: pack.c's way, scalar by scalar. `count`
     * scalars, an even number; pack_wgt8 takes `count` elements, and returns false for a shape that it does not know.
     */
    void (*pack_inp8)(const uint8_t *from, size_t count, int32_t *to);
    bool (*pack_wgt8)(const uint8_t *from, uint32_t count, uint32_t block_in, uint32_t block_out, int32_t *to);
    /* `count` scalars, from the first to the last: op with an immediate (`table` as in vt_table_of), op with a source,
     * which may overlap. */
    void (*alu_imm)(vta_alu_opcode opcode, int32_t *dst, int32_t imm, const int8_t *table, size_t count);
    void (*shift_and_clip)(int32_t *dst, int32_t shift, int32_t low, int32_t high, size_t count);
    void (*alu)(vta_alu_opcode opcode, int32_t *dst, const int32_t *src, size_t count);
    void (*narrow8)(const int32_t *from, size_t count, uint8_t *to);
} vt_fast_cpu;

extern const vt_fast_cpu vt__cpu_portable;
#if defined(__x86_64__)
extern const vt_fast_cpu vt__cpu_avx2;
extern const vt_fast_cpu vt__cpu_avx512;
#endif

/* So many repetitions with a fixed step of dst, src and wgt, in elements. */
typedef struct vt_dim {
    uint32_t count;
    int32_t dst, src, wgt;
} vt_dim;

/* How one kind of GEMM instruction becomes kernel calls (plan.c). */
typedef struct vt_plan {
    bool made;
    vt_loops of;          /* the instruction, from accumulator, input and weight 0 on */
    const vta_uop *bases; /* micro-ops that no dimension could describe: every `stride`-th, `base_count` of them */
    uint32_t base_count, stride;
    uint32_t dim_count, loop_count, step_count, row_count, column_count, part_count;
    uint32_t reach; /* of the parts' rows, in acc elements */
    vt_part parts[VT_PLAN_PARTS];
    vt_dim dims[VT_PLAN_DIMS];
    vt_dim loops[VT_PLAN_DIMS]; /* dims that became loops around the kernels */
    vt_step steps[VT_PLAN_STEPS];
    vt_row rows[VT_PLAN_ROWS];
    vt_column columns[VT_PLAN_COLUMNS];
    /* Biased kernels: what to take back of each column of each part, for the weights from `corrected_wgt` on, as they
     * were loaded up to `corrected_at`. */
    int32_t corrections[VT_PLAN_CORRECTED * VT_TILE_CHANNELS];
    int64_t corrected_wgt;
    uint64_t corrected_at; /* 0: never */
} vt_plan;

/* The engine's state. */
typedef struct vt_fast {
    const vt_fast_cpu *cpu;
    const vt_tile_kernels *kernels;
    uint32_t group;                /* G */
    bool bytes;                    /* neither inp nor wgt is wider than 8 bits */
    uint32_t channels;             /* output channels of a tile */
    uint32_t tiles;                /* BLOCK_OUT / channels */
    uint32_t words;                /* BLOCK_IN / G: an inp record */
    uint32_t tile_words;           /* of a tile's weights, corrections included */
    uint32_t inp_words, wgt_words; /* of an element */
    int32_t *inp, *wgt;
    size_t inp_bytes, wgt_bytes;
    vt_plan plans[VT_PLANS];
    struct vt_grouping {
        int32_t *first, *last; /* micro-op of an accumulator; -1: none */
        int32_t *next;         /* after a micro-op, of the same accumulator */
        int32_t *next_row;     /* after the first of an accumulator, that of the part's next accumulator */
    } grouping;
    uint32_t oldest_plan; /* modulo VT_PLANS */
    uint64_t wgt_loads;   /* how often weights changed, and once at the start */
} vt_fast;

/* group.c: makes the parts of a plan from micro-ops that follow no pattern, and takes them out of its bases. False,
 * with nothing changed: they have too little in common. */
bool vt__plan_group(vt_plan *plan, vt_fast *fast, const vta_config *config, const vt_loops *loops);

void vt__fast_pack_inp(vt_machine *machine, uint32_t first, uint32_t count);
void vt__fast_pack_wgt(vt_machine *machine, uint32_t first, uint32_t count);
void vt__fast_forget_plans(vt_machine *machine);
void vt__fast_gemm(vt_machine *machine, const vt_loops *loops);
void vt__fast_reset(vt_machine *machine, const vt_loops *loops);
void vt__fast_alu(vt_machine *machine, const vt_loops *loops, vta_alu_opcode opcode, bool use_imm, int32_t imm);
void vt__fast_alu_chain(vt_machine *machine, const vt_loops *loops, const vt_alu_imm *ops, uint32_t count);
void vt__fast_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to);

#endif
