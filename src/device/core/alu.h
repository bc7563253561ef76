/* What one lane of the ALU computes. */
#ifndef VT_DEVICE_CORE_ALU_H
#define VT_DEVICE_CORE_ALU_H

#include "vta/isa.h"

/* Arithmetic shift right; a negative amount shifts left. An amount of 32 and more leaves only sign bits, or zeros. */
static inline int32_t vt_alu_shr(int32_t a, int32_t b) {
    if (b >= 0) return a >> (b > 31 ? 31 : b);
    return b < -31 ? 0 : (int32_t)((uint32_t)a << -b);
}

static inline int32_t vt_alu_lane(vta_alu_opcode opcode, int32_t a, int32_t b) {
    switch (opcode) {
    case VTA_ALU_MIN: return a < b ? a : b;
    case VTA_ALU_MAX: return a > b ? a : b;
    case VTA_ALU_ADD: return (int32_t)((uint32_t)a + (uint32_t)b);
    case VTA_ALU_SHR: return vt_alu_shr(a, b);
    default: return (int32_t)((uint32_t)a * (uint32_t)b);
    }
}

#endif
