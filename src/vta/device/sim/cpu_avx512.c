/* AVX-512 with VNNI: a word's products are summed by one instruction. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "device/sim/fast.h"

#define TILE_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

/* 16 channels */
#define TILE(name) bytes16_##name
#define TILE_BITS 512
#define TILE_VECTORS 1
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 2
#define TILE_DOT(acc, w, x) _mm512_dpbusd_epi32(acc, x, w)
#define TILE_BIASED 1
#include "device/sim/tile_x86.inc"

#define TILE(name) halves16_##name
#define TILE_BITS 512
#define TILE_VECTORS 1
#define TILE_WORDS 8
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm512_dpwssd_epi32(acc, w, x)
#define TILE_BIASED 0
#include "device/sim/tile_x86.inc"

/* 8 channels */
#define TILE(name) bytes8_##name
#define TILE_BITS 256
#define TILE_VECTORS 1
#define TILE_WORDS 2
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm256_dpbusd_epi32(acc, x, w)
#define TILE_BIASED 1
#include "device/sim/tile_x86.inc"

#define TILE(name) halves8_##name
#define TILE_BITS 256
#define TILE_VECTORS 1
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm256_dpwssd_epi32(acc, w, x)
#define TILE_BIASED 0
#include "device/sim/tile_x86.inc"

/* 4 channels */
#define TILE(name) bytes4_##name
#define TILE_BITS 128
#define TILE_VECTORS 1
#define TILE_WORDS 1
#define TILE_ROWS_AT_ONCE 8
#define TILE_COLUMNS_AT_ONCE 1
#define TILE_DOT(acc, w, x) _mm_dpbusd_epi32(acc, x, w)
#define TILE_BIASED 1
#include "device/sim/tile_x86.inc"

static bool available(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

static const vt_tile_kernels *kernels(uint32_t log_channels, uint32_t log_group, uint32_t words) {
    if (log_group == 2) {
        if (log_channels == 4) return bytes16_kernels(words);
        return log_channels == 3 ? bytes8_kernels(words) : bytes4_kernels(words);
    }
    if (log_group == 1 && log_channels == 4) return halves16_kernels(words);
    if (log_group == 1 && log_channels == 3) return halves8_kernels(words);
    return NULL;
}

/* Plus 128. */
static TILE_TARGET void pack_inp8(const uint8_t *from, size_t count, int32_t *to) {
    const __m512i bias = _mm512_set1_epi8((char)0x80);
    uint8_t *bytes = (uint8_t *)to;
    for (size_t i = 0; i < count; i += 64) {
        __mmask64 these = count - i < 64 ? (1ull << (count - i)) - 1 : ~0ull;
        _mm512_mask_storeu_epi8(bytes + i, these, _mm512_xor_si512(_mm512_maskz_loadu_epi8(these, from + i), bias));
    }
}

/* Four words of each of four rows, `stride` bytes apart. */
static inline TILE_TARGET __m512i load_rows(const uint8_t *from, size_t stride) {
    if (stride == 16) return _mm512_loadu_si512(from);
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)from));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from + stride)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from + 2 * stride)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from + 3 * stride)), 3);
}

/* A transposition: the w-th words of 16 rows become 16 lanes. Adds their bytes up in `sums`. */
static inline __attribute__((always_inline)) TILE_TARGET __m512i transpose(const uint8_t *from, size_t stride,
                                                                           __m512i sums, int32_t *to) {
    const __m512i ones = _mm512_set1_epi8(1);
    const __m512i words01 = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i words23 = _mm512_add_epi32(words01, _mm512_set1_epi32(2));
    __m512i rows[4], words[4];
    VT_UNROLL
    for (int i = 0; i < 4; i++) rows[i] = load_rows(from + (size_t)i * 4 * stride, stride);
    __m512i low01 = _mm512_permutex2var_epi32(rows[0], words01, rows[1]);
    __m512i low23 = _mm512_permutex2var_epi32(rows[0], words23, rows[1]);
    __m512i high01 = _mm512_permutex2var_epi32(rows[2], words01, rows[3]);
    __m512i high23 = _mm512_permutex2var_epi32(rows[2], words23, rows[3]);
    words[0] = _mm512_shuffle_i64x2(low01, high01, 0x44);
    words[1] = _mm512_shuffle_i64x2(low01, high01, 0xee);
    words[2] = _mm512_shuffle_i64x2(low23, high23, 0x44);
    words[3] = _mm512_shuffle_i64x2(low23, high23, 0xee);
    VT_UNROLL
    for (int w = 0; w < 4; w++) {
        _mm512_storeu_si512(to + 16 * w, words[w]);
        sums = _mm512_dpbusd_epi32(sums, ones, words[w]);
    }
    return sums;
}

static TILE_TARGET bool pack_wgt8(const uint8_t *from, uint32_t count, uint32_t block_in, uint32_t block_out,
                                  int32_t *to) {
    if (block_in % 16 || block_out % 16) return false;
    for (uint32_t o = 0; o < count * block_out; o += 16, to += 16) {
        __m512i sums = _mm512_setzero_si512();
        for (uint32_t i = 0; i < block_in; i += 16, to += 64)
            sums = transpose(from + (size_t)o * block_in + i, block_in, sums, to);
        _mm512_storeu_si512(to, _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(sums, 7)));
    }
    return true;
}

#define ALU_TARGET TILE_TARGET
#include "device/sim/lanes.inc"

const vt_fast_cpu vt__cpu_avx512 = {
    .name = "avx512",
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
typedef int vt__no_avx512; /* a file must not be empty */
#endif
