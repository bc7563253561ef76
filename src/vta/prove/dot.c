/* Sums of products of values: where the time goes. */
#include "prove/field.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Two sums of products, each below 2^30 between folds. */
typedef struct sums {
    uint64_t first, second;
} sums;

static inline sums fold(const vt_primes *m, sums s) {
    return (sums){vt_nearly_reduced(m, 0, s.first), vt_nearly_reduced(m, 1, s.second)};
}

/* At most VT_SUMMANDS products, `a_step` and `b_step` values apart. */
static inline sums sum(const vt_primes *m, sums s, const vta_value *a, const vta_value *b, size_t n, int64_t a_step,
                       int64_t b_step) {
    for (size_t k = 0; k < n; k++, a += a_step, b += b_step) {
        s.first += (uint64_t)vt_first(*a) * vt_first(*b);
        s.second += (uint64_t)vt_second(*a) * vt_second(*b);
    }
    return fold(m, s);
}

/* Of sums that were folded. */
static inline vta_value value_of(const vt_primes *m, sums s) {
    return vt_pair(s.first < m->p[0] ? s.first : s.first - m->p[0], s.second < m->p[1] ? s.second : s.second - m->p[1]);
}

static sums strided(const vt_primes *m, sums s, const vta_value *a, const vta_value *b, size_t n, int64_t a_step,
                    int64_t b_step) {
    for (; n > VT_SUMMANDS; n -= VT_SUMMANDS, a += VT_SUMMANDS * a_step, b += VT_SUMMANDS * b_step)
        s = sum(m, s, a, b, VT_SUMMANDS, a_step, b_step);
    return sum(m, s, a, b, n, a_step, b_step);
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

__attribute__((target("avx2"))) static inline sums sixteen(const vt_primes *m, sums s, const vta_value *a,
                                                           const vta_value *b) {
    __m256i first = _mm256_setzero_si256(), second = first, residues = _mm256_set1_epi64x((int64_t)VT_RESIDUES);
    for (size_t i = 0; i < VT_SUMMANDS; i += 4) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(a + i));
        __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(b + i));
        x = _mm256_and_si256(x, residues), y = _mm256_and_si256(y, residues);
        first = _mm256_add_epi64(first, _mm256_mul_epu32(x, y));
        second = _mm256_add_epi64(second, _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32)));
    }
    return fold(m, (sums){s.first + across(first), s.second + across(second)});
}

/* Rows of a multiple of 4 products: each lane takes every fourth. 60 products of all lanes, and what was left of
 * earlier ones, fit a word. */
__attribute__((target("avx2"))) static sums rows_of_fours(const vt_primes *m, sums s, size_t rows, const int64_t ai[],
                                                          const int64_t bi[], const vta_value *a, const vta_value *b,
                                                          size_t n) {
    __m256i first = _mm256_setzero_si256(), second = first, residues = _mm256_set1_epi64x((int64_t)VT_RESIDUES);
    int room = 15;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < n; i += 4) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(a + ai[r] + i));
            __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(b + bi[r] + i));
            x = _mm256_and_si256(x, residues), y = _mm256_and_si256(y, residues);
            first = _mm256_add_epi64(first, _mm256_mul_epu32(x, y));
            second = _mm256_add_epi64(second, _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32)));
            if (--room) continue;
            room = 15;
            s = fold(m, (sums){s.first + across(first), s.second + across(second)});
            first = second = _mm256_setzero_si256();
        }
    return fold(m, (sums){s.first + across(first), s.second + across(second)});
}

__attribute__((target("avx2"))) static void rows_of_sixteens(const vt_primes *m, vta_value *to, const vta_value *a,
                                                             const vta_value *b, size_t rows, size_t n) {
    for (size_t r = 0; r < rows; r++, b += n) {
        sums s = {0};
        for (size_t k = 0; k < n; k += VT_SUMMANDS) s = sixteen(m, s, a + k, b + k);
        to[r] = vt_value_add(m, to[r], value_of(m, s));
    }
}

static bool quick(size_t n) { return n % 4 == 0 && has_avx2(); }
#else
static bool quick(size_t n) {
    (void)n;
    return false;
}
static sums rows_of_fours(const vt_primes *m, sums s, size_t rows, const int64_t ai[], const int64_t bi[],
                          const vta_value *a, const vta_value *b, size_t n) {
    for (size_t r = 0; r < rows; r++) s = strided(m, s, a + ai[r], b + bi[r], n, 1, 1);
    return s;
}
#endif

void vt_value_multiply_add(const vt_primes *m, vta_value *to, const vta_value *a, const vta_value *b, size_t rows,
                           size_t n) {
#if defined(__x86_64__)
    if (n % VT_SUMMANDS == 0 && has_avx2()) {
        rows_of_sixteens(m, to, a, b, rows, n);
        return;
    }
#endif
    for (size_t r = 0; r < rows; r++)
        to[r] = vt_value_add(m, to[r], value_of(m, strided(m, (sums){0}, a, b + r * n, n, 1, 1)));
}

vta_value vta_field_products(const vta_field *field, size_t rows, const int64_t ai[], const int64_t bi[],
                             const vta_value a[], const vta_value b[], int64_t n, int64_t a_step, int64_t b_step) {
    const vt_primes *m = &field->primes;
    sums s = {0};
    if (a_step == 1 && b_step == 1 && quick((size_t)n))
        return value_of(m, rows_of_fours(m, s, rows, ai, bi, a, b, (size_t)n));
    for (size_t r = 0; r < rows; r++) s = strided(m, s, a + ai[r], b + bi[r], (size_t)n, a_step, b_step);
    return value_of(m, s);
}
