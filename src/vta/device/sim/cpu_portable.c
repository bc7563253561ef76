/* Any processor: vectors of four lanes as the compiler knows them. */
#include <string.h>

#include "device/sim/fast.h"

typedef int32_t lanes4 __attribute__((vector_size(16)));
typedef uint32_t ulanes4 __attribute__((vector_size(16)));

static inline lanes4 load4(const int32_t *p) {
    lanes4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store4(int32_t *p, lanes4 v) { memcpy(p, &v, sizeof v); }

static inline lanes4 add4(lanes4 a, lanes4 b) { return (lanes4)((ulanes4)a + (ulanes4)b); }

/* A word is one scalar. */
static inline lanes4 dot1(lanes4 acc, lanes4 w, int32_t x) { return (lanes4)((ulanes4)acc + (ulanes4)w * (uint32_t)x); }

/* A word is two scalars of 16 bits. */
static inline lanes4 dot2(lanes4 acc, lanes4 w, int32_t x) {
    lanes4 low = (lanes4)((ulanes4)w << 16) >> 16, high = w >> 16;
    return dot1(dot1(acc, low, (int16_t)x), high, x >> 16);
}

#define TILE_TARGET

/* 16, 8 and 4 channels, two scalars a word */
#define TILE(name) halves16_##name
#define TILE_VECTORS 4
#define TILE_WORDS 8
#define TILE_ROWS_AT_ONCE 2
#define TILE_DOT(acc, w, x) dot2(acc, w, x)
#include "device/sim/tile_portable.inc"

#define TILE(name) halves8_##name
#define TILE_VECTORS 2
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 4
#define TILE_DOT(acc, w, x) dot2(acc, w, x)
#include "device/sim/tile_portable.inc"

#define TILE(name) halves4_##name
#define TILE_VECTORS 1
#define TILE_WORDS 2
#define TILE_ROWS_AT_ONCE 4
#define TILE_DOT(acc, w, x) dot2(acc, w, x)
#include "device/sim/tile_portable.inc"

/* 16, 8 and 4 channels, one scalar a word */
#define TILE(name) words16_##name
#define TILE_VECTORS 4
#define TILE_WORDS 16
#define TILE_ROWS_AT_ONCE 2
#define TILE_DOT(acc, w, x) dot1(acc, w, x)
#include "device/sim/tile_portable.inc"

#define TILE(name) words8_##name
#define TILE_VECTORS 2
#define TILE_WORDS 8
#define TILE_ROWS_AT_ONCE 4
#define TILE_DOT(acc, w, x) dot1(acc, w, x)
#include "device/sim/tile_portable.inc"

#define TILE(name) words4_##name
#define TILE_VECTORS 1
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 4
#define TILE_DOT(acc, w, x) dot1(acc, w, x)
#include "device/sim/tile_portable.inc"

static bool available(void) { return true; }

static const vt_tile_kernels *kernels(uint32_t log_channels, uint32_t log_group, uint32_t words) {
    if (log_group == 2) return NULL;
    if (log_channels == 4) return log_group ? halves16_kernels(words) : words16_kernels(words);
    if (log_channels == 3) return log_group ? halves8_kernels(words) : words8_kernels(words);
    return log_group ? halves4_kernels(words) : words4_kernels(words);
}

#define ALU_TARGET
#include "device/sim/lanes.inc"

const vt_fast_cpu vt__cpu_portable = {
    .name = "portable",
    .available = available,
    .kernels = kernels,
    .alu_imm = alu_imm,
    .shift_and_clip = shift_and_clip,
    .alu = alu,
    .narrow8 = narrow8,
};
