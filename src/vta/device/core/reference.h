/* The reference engine's functions, one file each. */
#ifndef VT_DEVICE_CORE_REFERENCE_H
#define VT_DEVICE_CORE_REFERENCE_H

#include "device/core/machine.h"

void vt__reference_gemm(vt_machine *machine, const vt_loops *loops);
void vt__reference_reset(vt_machine *machine, const vt_loops *loops);
void vt__reference_alu(vt_machine *machine, const vt_loops *loops, vta_alu_opcode opcode, bool use_imm, int32_t imm);
void vt_reference_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to);

#endif
