/* Bytes by a table of 256: with permutations of bytes where the host has them (AVX-512 VBMI: two tables of 128 entries
 * a time; AVX2: sixteen of 16), else one load each. */
#include "exec/exec_priv.h"

#if defined __x86_64__
#include <immintrin.h>
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define MIDDLE __attribute__((target("avx2")))

enum { WIDE_BYTES = 64, MIDDLE_BYTES = 32, ROWS = 16 };

/* Bit 7 of an index chooses the table, the others the entry. */
WIDE static size_t look_up_wide(const uint8_t *from, const uint8_t table[256], uint8_t *to, size_t count) {
    __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 64);
    __m512i t2 = _mm512_loadu_si512(table + 128), t3 = _mm512_loadu_si512(table + 192);
    size_t i = 0;
    for (; i + WIDE_BYTES <= count; i += WIDE_BYTES) {
        __m512i x = _mm512_loadu_si512(from + i), low = _mm512_permutex2var_epi8(t0, x, t1);
        __m512i high = _mm512_permutex2var_epi8(t2, x, t3);
        _mm512_storeu_si512(to + i, _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high));
    }
    return i;
}

/* An index whose high half is that of the row keeps its low half below 128; all others get bit 7, which gives 0. */
MIDDLE static size_t look_up_middle(const uint8_t *from, const uint8_t table[256], uint8_t *to, size_t count) {
    const __m256i high = _mm256_set1_epi8(0x70);
    __m256i rows[ROWS];
    size_t i = 0;
    for (int k = 0; k < ROWS; k++)
        rows[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + 16 * k)));
    for (; i + MIDDLE_BYTES <= count; i += MIDDLE_BYTES) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(from + i)), y = _mm256_setzero_si256();
        _Pragma("GCC unroll 16") for (int k = 0; k < ROWS; k++) {
            __m256i at = _mm256_adds_epu8(_mm256_xor_si256(x, _mm256_set1_epi8((char)(k << 4))), high);
            y = _mm256_or_si256(y, _mm256_shuffle_epi8(rows[k], at));
        }
        _mm256_storeu_si256((__m256i *)(to + i), y);
    }
    return i;
}

static size_t look_up(const uint8_t *from, const uint8_t table[256], uint8_t *to, size_t count, vt__table_way way) {
    if (way == VT__TABLE_WIDE) return look_up_wide(from, table, to, count);
    return way == VT__TABLE_MIDDLE ? look_up_middle(from, table, to, count) : 0;
}

vt__table_way vt__table_best(void) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        return VT__TABLE_WIDE;
    return __builtin_cpu_supports("avx2") ? VT__TABLE_MIDDLE : VT__TABLE_LOADS;
}

#else

static size_t look_up(const uint8_t *from, const uint8_t table[256], uint8_t *to, size_t count, vt__table_way way) {
    (void)from, (void)table, (void)to, (void)count, (void)way;
    return 0;
}

vt__table_way vt__table_best(void) { return VT__TABLE_LOADS; }

#endif

void vt__table(const uint8_t *from, const uint8_t table[256], uint8_t *to, size_t count, vt__table_way way) {
    for (size_t i = look_up(from, table, to, count, way); i < count; i++) to[i] = table[from[i]];
}
