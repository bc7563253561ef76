/* Transposing 16 rows of up to 64 bytes at once, where the host has AVX-512 with permutations of bytes: the same
 * shuffles as in transpose.c, in four blocks side by side, and a permutation that brings the blocks' columns together.
 */
#include "module/transpose.h"

#if defined __x86_64__

#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))

enum { ROWS = 16, TILE = VT_BLOCK_BYTES, TILES = 64 / TILE };

bool vt__transpose_is_wide(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi");
}

/* The low `n` bits. */
static inline uint64_t mask_of(size_t n) { return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }

WIDE static inline __attribute__((always_inline)) void zip(const __m512i *from, __m512i *to) {
    _Pragma("GCC unroll 8") for (int i = 0; i < ROWS / 2; i++) {
        to[2 * i] = _mm512_unpacklo_epi8(from[i], from[i + ROWS / 2]);
        to[2 * i + 1] = _mm512_unpackhi_epi8(from[i], from[i + ROWS / 2]);
    }
}

WIDE static inline __attribute__((always_inline)) void transpose_blocks(__m512i *rows) {
    __m512i other[ROWS];
    zip(rows, other);
    zip(other, rows);
    zip(rows, other);
    zip(other, rows);
}

/* Byte 4 * i + block to place i of its block, and back. */
WIDE static inline __attribute__((always_inline)) __m512i order_of(bool back) {
    uint8_t order[64];
    for (int i = 0; i < 64; i++)
        order[i] = (uint8_t)(back ? i % TILES * TILE + i / TILES : i % TILE * TILES + i / TILE);
    return _mm512_loadu_si512(order);
}

/* Four tiles that are apart, from number `first` of `count`. */
WIDE static inline __attribute__((always_inline)) void put_tiles(uint8_t *tiles, size_t step, __m512i four, int first,
                                                                 int count) {
    uint8_t *to = tiles + (size_t)first * step;
    if (first < count) _mm_storeu_si128((__m128i *)to, _mm512_extracti32x4_epi32(four, 0));
    if (first + 1 < count) _mm_storeu_si128((__m128i *)(to + step), _mm512_extracti32x4_epi32(four, 1));
    if (first + 2 < count) _mm_storeu_si128((__m128i *)(to + 2 * step), _mm512_extracti32x4_epi32(four, 2));
    if (first + 3 < count) _mm_storeu_si128((__m128i *)(to + 3 * step), _mm512_extracti32x4_epi32(four, 3));
}

WIDE static inline __attribute__((always_inline)) __m128i get_tile(const uint8_t *tiles, size_t step, int at,
                                                                   int count) {
    return at < count ? _mm_loadu_si128((const __m128i *)(tiles + (size_t)at * step)) : _mm_setzero_si128();
}

WIDE static inline __attribute__((always_inline)) __m512i get_tiles(const uint8_t *tiles, size_t step, int first,
                                                                    int count) {
    __m512i four = _mm512_castsi128_si512(get_tile(tiles, step, first, count));
    four = _mm512_inserti32x4(four, get_tile(tiles, step, first + 1, count), 1);
    four = _mm512_inserti32x4(four, get_tile(tiles, step, first + 2, count), 2);
    return _mm512_inserti32x4(four, get_tile(tiles, step, first + 3, count), 3);
}

WIDE void vt__rows_to_tiles(uint8_t *tiles, size_t tile_step, const uint8_t *rows, size_t row_step, int lanes,
                            int pixels) {
    __m512i r[ROWS], order = order_of(false);
    __mmask64 wanted = mask_of((size_t)pixels);
    _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; i++) {
        __m512i row = i < lanes ? _mm512_maskz_loadu_epi8(wanted, rows + (size_t)i * row_step) : _mm512_setzero_si512();
        r[i] = _mm512_permutexvar_epi8(order, row);
    }
    transpose_blocks(r);
    if (tile_step == TILE) {
        _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; i++) {
            int left = pixels - TILES * i;
            if (left > 0) _mm512_mask_storeu_epi8(tiles + 64 * i, mask_of((size_t)left * TILE), r[i]);
        }
        return;
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; i++) put_tiles(tiles, tile_step, r[i], TILES * i, pixels);
}

WIDE void vt__tiles_to_rows(uint8_t *rows, size_t row_step, const uint8_t *tiles, size_t tile_step, int lanes,
                            int pixels) {
    __m512i r[ROWS], order = order_of(true);
    __mmask64 wanted = mask_of((size_t)pixels);
    _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; i++) {
        int left = pixels - TILES * i;
        if (tile_step == TILE)
            r[i] = _mm512_maskz_loadu_epi8(mask_of(left > 0 ? (size_t)left * TILE : 0), tiles + 64 * i);
        else
            r[i] = get_tiles(tiles, tile_step, TILES * i, pixels);
    }
    transpose_blocks(r);
    _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; i++) if (i < lanes)
        _mm512_mask_storeu_epi8(rows + (size_t)i * row_step, wanted, _mm512_permutexvar_epi8(order, r[i]));
}

#else

bool vt__transpose_is_wide(void) { return false; }

void vt__rows_to_tiles(uint8_t *tiles, size_t tile_step, const uint8_t *rows, size_t row_step, int lanes, int pixels) {
    (void)tiles, (void)tile_step, (void)rows, (void)row_step, (void)lanes, (void)pixels;
}

void vt__tiles_to_rows(uint8_t *rows, size_t row_step, const uint8_t *tiles, size_t tile_step, int lanes, int pixels) {
    (void)tiles, (void)tile_step, (void)rows, (void)row_step, (void)lanes, (void)pixels;
}

#endif
