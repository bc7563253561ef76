/* Logarithms of whole numbers, to the base 2. */
#ifndef VT_BASE_LOG2_H
#define VT_BASE_LOG2_H

#include <stdint.h>

/* The least n with x <= 2^n, for x from 1 to 2^62. */
static inline int32_t vt_ceil_log2(int64_t x) {
    int32_t n = 0;
    while (INT64_C(1) << n < x) n++;
    return n;
}

/* The largest n with 2^n <= x, for x from 1 to 2^62 - 1. */
static inline int32_t vt_floor_log2(int64_t x) { return vt_ceil_log2(x + 1) - 1; }

#endif
