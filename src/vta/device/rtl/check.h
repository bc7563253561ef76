/* What the driver knows of a run beside the hardware: the decoded stream, to refuse what the hardware would carry out
 * without a word (indices that wrap), to count, and to name instructions in errors. */
#ifndef VT_DEVICE_RTL_CHECK_H
#define VT_DEVICE_RTL_CHECK_H

#include "device/core/stream.h"
#include "vta/hardware.h"

/* Checks the on-chip indices of every instruction up to FINISH; addresses in DRAM are the bus's to refuse. Micro-ops
 * that the run itself may have stored are not known yet: GEMM and ALU are not checked from there on. */
vta_status vt_rtl_check(vt_machine *machine, const vt_stream *stream, vta_diag *diag);
/* Refuses what a design leaves out: MUL, ACC_8BIT and padding but of inp in a small one, DRAM beyond its addresses. */
vta_status vt_rtl_check_design(const vta_hardware_options *design, const vta_config *config, const vt_stream *stream,
                               vta_diag *diag);
/* The instruction of `stage` that comes after `done` ones; UINT32_MAX: none. */
uint32_t vt_rtl_next(const vt_stream *stream, uint32_t stage, uint32_t done);
/* The first instruction at or after that one which moves data of `memory` at `addr`; UINT32_MAX: none. */
uint32_t vt_rtl_accessing(const vt_stream *stream, const vta_config *config, uint32_t stage, uint32_t done,
                          vta_memory memory, uint32_t addr, uint32_t bytes);
/* The first instruction at or after that one which reaches beyond 32 bits of address; UINT32_MAX: none. */
uint32_t vt_rtl_beyond(const vt_stream *stream, const vta_config *config, uint32_t stage, uint32_t done);

#endif
