/* Operands of operations on integers: the corners of every type. */
#ifndef TESTS_CODEGEN_CORNERS_H
#define TESTS_CODEGEN_CORNERS_H

#include "codegen/kernels.h"

enum { VALUES = 16, PAIRS = VALUES * VALUES };
static const int64_t corners[VALUES] = {0,    1,    -1,        2,         3,         -3,        7, 100,
                                        -100, -128, INT64_MIN, INT32_MIN, INT16_MIN, INT32_MAX, 5, -7};

/* As a value of the type, in 64 bits. */
static inline int64_t in_type(vt_dtype t, int64_t v) {
    if (t.bits == 64) return v;
    uint64_t mask = ((uint64_t)1 << t.bits) - 1, low = (uint64_t)v & mask;
    return t.code == VT_INT && (low >> (t.bits - 1)) ? (int64_t)(low | ~mask) : (int64_t)low;
}

#endif
