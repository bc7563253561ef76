/* AVX-512 with VNNI: a word's products are summed by one instruction. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "device/sim/fast.h"

#define TILE_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

/* 16 channels */
#define TILE(name) bytes16_##name
#define TILE_V __m512i
#define TILE_VECTORS 1
#define TILE_LANES 16
#define TILE_WORDS 4
#define TILE_ROWS_AT_ONCE 8
#define TILE_ZERO _mm512_setzero_si512()
#define TILE_LOAD(p) _mm512_loadu_si512(p)
#define TILE_STORE(p, v) _mm512_storeu_si512(p, v)
#define TILE_ADD(a, b) _mm512_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm512_dpbusd_epi32(acc, w, _mm512_set1_epi32(*(p)))
#define TILE_CORRECT(acc, p) _mm512_add_epi32(acc, _mm512_set1_epi32(*(p)))
#include "device/sim/tile.inc"

#define TILE(name) halves16_##name
#define TILE_V __m512i
#define TILE_VECTORS 1
#define TILE_LANES 16
#define TILE_WORDS 8
#define TILE_ROWS_AT_ONCE 8
#define TILE_ZERO _mm512_setzero_si512()
#define TILE_LOAD(p) _mm512_loadu_si512(p)
#define TILE_STORE(p, v) _mm512_storeu_si512(p, v)
#define TILE_ADD(a, b) _mm512_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm512_dpwssd_epi32(acc, w, _mm512_set1_epi32(*(p)))
#define TILE_CORRECT(acc, p) acc
#include "device/sim/tile.inc"

/* 8 channels */
#define TILE(name) bytes8_##name
#define TILE_V __m256i
#define TILE_VECTORS 1
#define TILE_LANES 8
#define TILE_WORDS 2
#define TILE_ROWS_AT_ONCE 8
#define TILE_ZERO _mm256_setzero_si256()
#define TILE_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define TILE_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define TILE_ADD(a, b) _mm256_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm256_dpbusd_epi32(acc, w, _mm256_set1_epi32(*(p)))
#define TILE_CORRECT(acc, p) _mm256_add_epi32(acc, _mm256_set1_epi32(*(p)))
#include "device/sim/tile.inc"

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
#define TILE_DOT(acc, w, p) _mm256_dpwssd_epi32(acc, w, _mm256_set1_epi32(*(p)))
#define TILE_CORRECT(acc, p) acc
#include "device/sim/tile.inc"

/* 4 channels */
#define TILE(name) bytes4_##name
#define TILE_V __m128i
#define TILE_VECTORS 1
#define TILE_LANES 4
#define TILE_WORDS 1
#define TILE_ROWS_AT_ONCE 8
#define TILE_ZERO _mm_setzero_si128()
#define TILE_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define TILE_STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define TILE_ADD(a, b) _mm_add_epi32(a, b)
#define TILE_DOT(acc, w, p) _mm_dpbusd_epi32(acc, w, _mm_set1_epi32(*(p)))
#define TILE_CORRECT(acc, p) _mm_add_epi32(acc, _mm_set1_epi32(*(p)))
#include "device/sim/tile.inc"

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

/* The four words of a row's 16 bytes, and -128 times their sum. */
static TILE_TARGET void pack_inp8(const uint8_t *from, uint32_t block_in, uint32_t rows, int32_t *to) {
    if (block_in != 16) {
        for (uint32_t row = 0; row < rows; row++, from += block_in) {
            int32_t sum = 0;
            for (uint32_t i = 0; i < block_in; i++) sum += (int8_t)from[i];
            __builtin_memcpy(to, from, block_in);
            to += block_in / 4;
            *to++ = -128 * sum;
        }
        return;
    }
    const __m128i ones = _mm_set1_epi8(1);
    for (uint32_t row = 0; row < rows; row++, from += 16, to += 5) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)from);
        __m128i sums = _mm_dpbusd_epi32(_mm_setzero_si128(), ones, bytes);
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1));
        _mm_storeu_si128((__m128i *)to, bytes);
        to[4] = -128 * _mm_cvtsi128_si32(sums);
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

/* A transposition: the w-th words of 16 rows become 16 lanes. Also biased. */
static inline TILE_TARGET void transpose(const uint8_t *from, size_t stride, int32_t *to) {
    const __m512i bias = _mm512_set1_epi32((int32_t)0x80808080);
    const __m512i words01 = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i words23 = _mm512_add_epi32(words01, _mm512_set1_epi32(2));
    __m512i rows[4];
    for (int i = 0; i < 4; i++) rows[i] = _mm512_xor_si512(load_rows(from + (size_t)i * 4 * stride, stride), bias);
    __m512i low01 = _mm512_permutex2var_epi32(rows[0], words01, rows[1]);
    __m512i low23 = _mm512_permutex2var_epi32(rows[0], words23, rows[1]);
    __m512i high01 = _mm512_permutex2var_epi32(rows[2], words01, rows[3]);
    __m512i high23 = _mm512_permutex2var_epi32(rows[2], words23, rows[3]);
    _mm512_storeu_si512(to, _mm512_shuffle_i64x2(low01, high01, 0x44));
    _mm512_storeu_si512(to + 16, _mm512_shuffle_i64x2(low01, high01, 0xee));
    _mm512_storeu_si512(to + 32, _mm512_shuffle_i64x2(low23, high23, 0x44));
    _mm512_storeu_si512(to + 48, _mm512_shuffle_i64x2(low23, high23, 0xee));
}

static TILE_TARGET bool pack_wgt8(const uint8_t *from, uint32_t block_in, uint32_t block_out, int32_t *to) {
    if (block_in % 16 || block_out % 16) return false;
    for (uint32_t o = 0; o < block_out; o += 16)
        for (uint32_t i = 0; i < block_in; i += 16, to += 64) transpose(from + (size_t)o * block_in + i, block_in, to);
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
    .alu = alu,
    .narrow8 = narrow8,
};
#else
typedef int vt__no_avx512; /* a file must not be empty */
#endif
