/* Integers in two's complement of fewer bits than 64. */
#ifndef VT_BASE_WRAP_H
#define VT_BASE_WRAP_H

#include <stdbool.h>
#include <stdint.h>

/* The integer that the low `bits` bits of a value are; bits: 1 or more, the value itself from 64 on. */
static inline int64_t vt_wrap(int64_t value, uint32_t bits, bool is_signed) {
    if (bits >= 64) return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    if (is_signed && low >> (bits - 1)) low |= ~UINT64_C(0) << bits;
    return (int64_t)low;
}

#endif
