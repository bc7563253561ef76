/* The fast engine: GEMM through vector kernels over inputs and weights that are laid out anew when they are loaded.
 *
 * One micro-op is a tile product: acc[dst] += inp[src] x wgt. A GEMM instruction is many of them, and integer sums
 * commute, so their order is free: plan.c finds, in the micro-ops and the two loops, positions (accumulators that share
 * a weight tile) and steps (tile products that add to the same accumulator). A kernel keeps the accumulators of a few
 * positions in registers over all steps.
 *
 * Layout: G scalars that are multiplied together fill a 32-bit word: 4 of at most 8 bits, 2 of at most 16, else 1.
 *  - inp, a record for each row of an element: BLOCK_IN / G words; for G = 4 one more, the correction.
 *  - wgt, for each 16 (or BLOCK_OUT, if less) output channels: [BLOCK_IN / G][channels] words.
 * For G = 4 the weights are stored plus 128, as the unsigned operand that the instruction wants; the correction, -128 x
 * the sum of the row's inputs, takes that back. */
#ifndef VT_DEVICE_SIM_FAST_H
#define VT_DEVICE_SIM_FAST_H

#include "device/core/machine.h"

extern const vt_engine vt_engine_fast;

enum { VT_TILE_POSITIONS = 8, VT_MAX_POSITIONS = 2048, VT_MAX_STEPS = 1024 };

/* One tile product of every position of a call: offsets in words from inp and wgt. */
typedef struct vt_step {
    int32_t inp, wgt;
} vt_step;

/* What a kernel works on: R accumulator rows, each over all steps. Offsets count 32-bit words. */
typedef struct vt_tile_call {
    int32_t *acc;
    const int32_t *inp, *wgt;
    const int32_t *acc_offset, *inp_offset; /* R of each */
    const vt_step *steps;
    uint32_t step_count;
    uint32_t words; /* BLOCK_IN / G */
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

/* Kernels for 1..most rows at once, for one G and one number of channels. */
typedef struct vt_tile_kernels {
    uint32_t most; /* what the registers hold; at most VT_TILE_POSITIONS */
    vt_tile_kernel rows[VT_TILE_POSITIONS];
} vt_tile_kernels;

/* What an instruction set offers. A table that does not exist falls to the portable one. */
typedef struct vt_fast_cpu {
    const char *name;
    bool (*available)(void);
    /* For log2 of the channels (2, 3, 4), log2 of G (0, 1, 2) and BLOCK_IN / G words; NULL: has none. */
    const vt_tile_kernels *(*kernels)(uint32_t log_channels, uint32_t log_group, uint32_t words);
    /* From bytes to the layout for which kernels() has the largest G; NULL: pack.c's way, scalar by scalar. `rows`
     * counts rows of BLOCK_IN; pack_wgt8 takes one element, and returns false for a shape that it does not know. */
    void (*pack_inp8)(const uint8_t *from, uint32_t block_in, uint32_t rows, int32_t *to);
    bool (*pack_wgt8)(const uint8_t *from, uint32_t block_in, uint32_t block_out, int32_t *to);
    /* `count` scalars, from the first to the last: op with an immediate, op with a source, which may overlap. */
    void (*alu_imm)(vta_alu_opcode opcode, int32_t *dst, int32_t imm, size_t count);
    void (*alu)(vta_alu_opcode opcode, int32_t *dst, const int32_t *src, size_t count);
    void (*narrow8)(const int32_t *from, size_t count, uint8_t *to);
} vt_fast_cpu;

extern const vt_fast_cpu vt__cpu_portable;
#if defined(__x86_64__)
extern const vt_fast_cpu vt__cpu_avx2;
extern const vt_fast_cpu vt__cpu_avx512;
#endif

/* The engine's state. */
typedef struct vt_fast {
    const vt_fast_cpu *cpu;
    const vt_tile_kernels *kernels;
    uint32_t group;                /* G */
    bool bytes;                    /* neither inp nor wgt is wider than 8 bits */
    uint32_t channels;             /* output channels of a tile */
    uint32_t tiles;                /* BLOCK_OUT / channels */
    uint32_t words;                /* BLOCK_IN / G */
    uint32_t row_words;            /* of an inp record */
    uint32_t inp_words, wgt_words; /* of an element */
    int32_t *inp, *wgt;
    size_t inp_bytes, wgt_bytes;
    vt_step steps[VT_MAX_STEPS]; /* room for a plan */
    int32_t acc_offset[VT_MAX_POSITIONS], inp_offset[VT_MAX_POSITIONS];
} vt_fast;

void vt__fast_pack_inp(vt_machine *machine, uint32_t first, uint32_t count);
void vt__fast_pack_wgt(vt_machine *machine, uint32_t first, uint32_t count);
void vt__fast_gemm(vt_machine *machine, const vt_loops *loops);
void vt__fast_reset(vt_machine *machine, const vt_loops *loops);
void vt__fast_alu(vt_machine *machine, const vt_loops *loops, vta_alu_opcode opcode, bool use_imm, int32_t imm);
void vt__fast_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to);

#endif
