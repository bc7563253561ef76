/* What one lane of the ALU computes. */
#ifndef VT_DEVICE_CORE_ALU_H
#define VT_DEVICE_CORE_ALU_H

#include "vta/isa.h"

/* The opcode must exist: exec.c refuses others. `table`: that which TABLE looks up; others need none. */
static inline int32_t vt_alu_lane(vta_alu_opcode opcode, int32_t x, int32_t y, const int8_t *table) {
    switch (opcode) {
#define VTA_OPCODE(name, number, format, meaning)
#define VTA_ALU_OPCODE(name, number, formula, field, lane)                                                             \
    case VTA_ALU_##name: return lane;
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    case VTA_ALU_COUNT: break;
    }
    return x;
}

#endif
