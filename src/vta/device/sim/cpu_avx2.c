/* AVX2: two 16-bit products a word. Bytes are widened when they are loaded: the byte instruction would saturate. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "device/sim/fast.h"

#define TILE_TARGET __attribute__((target("avx2")))

/* 16 channels */
#define TILE(name) halves16_##name
#define TILE_BITS 256
#define TILE_VECTORS 2
#define TILE_WORDS 8
#define TILE_ROWS_AT_ONCE 4
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm256_add_epi32(acc, _mm256_madd_epi16(w, x))
#define TILE_BIASED 0
#include "device/sim/tile_x86.inc"

/* 8 channels */
#define TILE(name) halves8_##name
#define TILE_BITS 256
#define TILE_VECTORS 1
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm256_add_epi32(acc, _mm256_madd_epi16(w, x))
#define TILE_BIASED 0
#include "device/sim/tile_x86.inc"

/* 4 channels */
#define TILE(name) halves4_##name
#define TILE_BITS 128
#define TILE_VECTORS 1
#define TILE_WORDS 2
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm_add_epi32(acc, _mm_madd_epi16(w, x))
#define TILE_BIASED 0
#include "device/sim/tile_x86.inc"

static bool available(void) { return __builtin_cpu_supports("avx2"); }

static const vt_tile_kernels *kernels(uint32_t log_channels, uint32_t log_group, uint32_t words) {
    if (log_group != 1) return NULL;
    if (log_channels == 4) return halves16_kernels(words);
    return log_channels == 3 ? halves8_kernels(words) : halves4_kernels(words);
}

/* Bytes become 16-bit halves, in the same order. */
static TILE_TARGET void pack_inp8(const uint8_t *from, size_t count, int32_t *to) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        _mm256_storeu_si256((__m256i *)(to + i / 2),
                            _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(from + i))));
    for (; i < count; i += 2)
        to[i / 2] = (int32_t)((uint32_t)(uint16_t)(int8_t)from[i] | (uint32_t)(uint16_t)(int8_t)from[i + 1] << 16);
}

/* 16 bytes of each of 8 rows: the w-th words of the rows become 8 lanes, `step` words further for each w. */
static inline TILE_TARGET void transpose(const uint8_t *from, size_t stride, int32_t *to, size_t step) {
    __m256i r[8], a[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(from + (size_t)i * stride)));
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            r[i + 2 * k] = _mm256_unpacklo_epi64(a[i + k], a[i + k + 2]);
            r[i + 2 * k + 1] = _mm256_unpackhi_epi64(a[i + k], a[i + k + 2]);
        }
    for (int w = 0; w < 4; w++) {
        _mm256_storeu_si256((__m256i *)(to + (size_t)w * step), _mm256_permute2x128_si256(r[w], r[w + 4], 0x20));
        _mm256_storeu_si256((__m256i *)(to + (size_t)(w + 4) * step), _mm256_permute2x128_si256(r[w], r[w + 4], 0x31));
    }
}

static TILE_TARGET bool pack_wgt8(const uint8_t *from, uint32_t count, uint32_t block_in, uint32_t block_out,
                                  int32_t *to) {
    if (block_in % 16 || block_out % 8) return false;
    uint32_t channels = block_out < 16 ? 8 : 16;
    for (uint32_t o = 0; o < count * block_out; o += 8) {
        int32_t *tile = to + (size_t)(o / channels) * channels * (block_in / 2) + o % channels;
        for (uint32_t i = 0; i < block_in; i += 16)
            transpose(from + (size_t)o * block_in + i, block_in, tile + (size_t)(i / 2) * channels, channels);
    }
    return true;
}

#define ALU_TARGET TILE_TARGET
#include "device/sim/lanes.inc"

const vt_fast_cpu vt__cpu_avx2 = {
    .name = "avx2",
    .available = available,
    .kernels = kernels,
    .pack_wgt8 = pack_wgt8,
    .pack_inp8 = pack_inp8,
    .alu_imm = alu_imm,
    .shift_and_clip = shift_and_clip,
    .alu = alu,
    .narrow8 = narrow8,
};
#else
typedef int vt__no_avx2; /* a file must not be empty */
#endif
