/* Sums of products of values: where the time goes. */
#include "prove/field.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Two sums of products, each below 2^40 between calls of `sum`. */
typedef struct sums {
    uint64_t first, second;
} sums;

/* 2^29 is 3 modulo the first prime and 33 modulo the second. A sum below 2^63 becomes one below 2^40, that one below
 * 2^29 + 2^16. */
static inline sums fold(sums s) {
    const uint64_t low = (1u << 29) - 1;
    return (sums){(s.first & low) + 3 * (s.first >> 29), (s.second & low) + 33 * (s.second >> 29)};
}

/* At most VT_SUMMANDS products, `a_step` and `b_step` values apart. */
static inline sums sum(sums s, const vta_value *a, const vta_value *b, size_t n, int64_t a_step, int64_t b_step) {
    for (size_t k = 0; k < n; k++, a += a_step, b += b_step) {
        s.first += (uint64_t)vt_first(*a) * vt_first(*b);
        s.second += (uint64_t)vt_second(*a) * vt_second(*b);
    }
    return fold(s);
}

/* Two folds leave less than twice a prime. */
static inline vta_value value_of(sums s) {
    s = fold(s);
    if (s.first >> 30 || s.second >> 30) s = fold(s); /* only of a sum that was never folded */
    return vt_pair(s.first < VT_P1 ? s.first : s.first - VT_P1, s.second < VT_P2 ? s.second : s.second - VT_P2);
}

static sums strided(sums s, const vta_value *a, const vta_value *b, size_t n, int64_t a_step, int64_t b_step) {
    for (; n > VT_SUMMANDS; n -= VT_SUMMANDS, a += VT_SUMMANDS * a_step, b += VT_SUMMANDS * b_step)
        s = sum(s, a, b, VT_SUMMANDS, a_step, b_step);
    return sum(s, a, b, n, a_step, b_step);
}

#if defined(__x86_64__)
static bool has_avx2(void) {
    static int known; /* 0: not asked yet; all threads would write the same */
    if (!__atomic_load_n(&known, __ATOMIC_RELAXED))
        __atomic_store_n(&known, __builtin_cpu_supports("avx2") ? 1 : 2, __ATOMIC_RELAXED);
    return __atomic_load_n(&known, __ATOMIC_RELAXED) == 1;
}

__attribute__((target("avx2"))) static inline uint64_t across(__m256i v) {
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return (uint64_t)_mm_extract_epi64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)), 0);
}

__attribute__((target("avx2"))) static inline sums sixteen(sums s, const vta_value *a, const vta_value *b) {
    __m256i first = _mm256_setzero_si256(), second = first;
    for (size_t i = 0; i < VT_SUMMANDS; i += 4) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(a + i));
        __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(b + i));
        first = _mm256_add_epi64(first, _mm256_mul_epu32(x, y));
        second = _mm256_add_epi64(second, _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32)));
    }
    return fold((sums){s.first + across(first), s.second + across(second)});
}

/* A multiple of VT_SUMMANDS products. */
__attribute__((target("avx2"))) static sums sixteens(sums s, const vta_value *a, const vta_value *b, size_t n) {
    for (size_t k = 0; k < n; k += VT_SUMMANDS) s = sixteen(s, a + k, b + k);
    return s;
}

__attribute__((target("avx2"))) static void rows_of_sixteens(vta_value *to, const vta_value *a, const vta_value *b,
                                                             size_t rows, size_t n) {
    for (size_t r = 0; r < rows; r++, b += n) {
        sums s = {0};
        for (size_t k = 0; k < n; k += VT_SUMMANDS) s = sixteen(s, a + k, b + k);
        to[r] = vt_value_add(to[r], value_of(s));
    }
}

static sums contiguous(sums s, const vta_value *a, const vta_value *b, size_t n) {
    size_t whole = has_avx2() ? n / VT_SUMMANDS * VT_SUMMANDS : 0;
    if (whole) s = sixteens(s, a, b, whole);
    return whole == n ? s : strided(s, a + whole, b + whole, n - whole, 1, 1);
}
#else
static sums contiguous(sums s, const vta_value *a, const vta_value *b, size_t n) { return strided(s, a, b, n, 1, 1); }
#endif

void vt_value_multiply_add(vta_value *to, const vta_value *a, const vta_value *b, size_t rows, size_t n) {
#if defined(__x86_64__)
    if (n % VT_SUMMANDS == 0 && has_avx2()) {
        rows_of_sixteens(to, a, b, rows, n);
        return;
    }
#endif
    for (size_t r = 0; r < rows; r++) to[r] = vt_value_add(to[r], value_of(contiguous((sums){0}, a, b + r * n, n)));
}

vta_value vta_field_products(size_t rows, const int64_t ai[], const int64_t bi[], const vta_value a[],
                             const vta_value b[], int64_t n, int64_t a_step, int64_t b_step) {
    sums s = {0};
    for (size_t r = 0; r < rows; r++)
        s = a_step == 1 && b_step == 1 ? contiguous(s, a + ai[r], b + bi[r], (size_t)n)
                                       : strided(s, a + ai[r], b + bi[r], (size_t)n, a_step, b_step);
    return value_of(s);
}
