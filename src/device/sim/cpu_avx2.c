/* AVX2: two 16-bit products a word. Bytes are widened when they are loaded: the byte instruction would saturate. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "device/sim/fast.h"

#define TILE_TARGET __attribute__((target("avx2")))

/* 16 channels */
#define TILE(name) halves16_##name
#define TILE_V __m256i
#define TILE_VECTORS 2
#define TILE_LANES 8
#define TILE_WORDS 8
#define TILE_ROWS_AT_ONCE 4
#define TILE_ZERO _mm256_setzero_si256()
#define TILE_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define TILE_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define TILE_ADD(a, b) _mm256_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm256_add_epi32(acc, _mm256_madd_epi16(w, _mm256_set1_epi32(*(p))))
#define TILE_CORRECT(acc, p) acc
#include "device/sim/tile.inc"

/* 8 channels */
#define TILE(name) halves8_##name
#define TILE_V __m256i
#define TILE_VECTORS 1
#define TILE_LANES 8
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 8
#define TILE_ZERO _mm256_setzero_si256()
#define TILE_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define TILE_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define TILE_ADD(a, b) _mm256_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm256_add_epi32(acc, _mm256_madd_epi16(w, _mm256_set1_epi32(*(p))))
#define TILE_CORRECT(acc, p) acc
#include "device/sim/tile.inc"

/* 4 channels */
#define TILE(name) halves4_##name
#define TILE_V __m128i
#define TILE_VECTORS 1
#define TILE_LANES 4
#define TILE_WORDS 2
#define TILE_ROWS_AT_ONCE 8
#define TILE_ZERO _mm_setzero_si128()
#define TILE_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define TILE_STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define TILE_ADD(a, b) _mm_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm_add_epi32(acc, _mm_madd_epi16(w, _mm_set1_epi32(*(p))))
#define TILE_CORRECT(acc, p) acc
#include "device/sim/tile.inc"

static bool available(void) { return __builtin_cpu_supports("avx2"); }

static const vt_tile_kernels *kernels(uint32_t log_channels, uint32_t log_group, uint32_t words) {
    if (log_group != 1) return NULL;
    if (log_channels == 4) return halves16_kernels(words);
    return log_channels == 3 ? halves8_kernels(words) : halves4_kernels(words);
}

#define ALU_TARGET TILE_TARGET
#include "device/sim/lanes.inc"

const vt_fast_cpu vt__cpu_avx2 = {
    .name = "avx2",
    .available = available,
    .kernels = kernels,
    .alu_imm = alu_imm,
    .alu = alu,
    .narrow8 = narrow8,
};
#else
typedef int vt__no_avx2; /* a file must not be empty */
#endif
