/* Programs of a few instructions, written out, and a device to run them on. */
#ifndef SMALL_PROGRAM_H
#define SMALL_PROGRAM_H

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "vta/device.h"
#include "vta/isa.h"

/* Where things lie: pages of instructions, micro-ops, and data of any memory. */
enum { SP_INSNS = 0x10000, SP_UOPS = 0x20000, SP_DATA = 0x40000, SP_OUT = 0x60000, SP_BYTES = 0x20000 };

static inline vta_insn sp_load(vta_memory memory, uint32_t sram, uint32_t dram, uint16_t y, uint16_t x) {
    vta_insn insn = {.opcode = VTA_OP_LOAD};
    insn.u.mem.memory_type = (uint8_t)memory;
    insn.u.mem.sram_base = sram;
    insn.u.mem.dram_base = dram;
    insn.u.mem.y_size = y;
    insn.u.mem.x_size = insn.u.mem.x_stride = x;
    return insn;
}

static inline vta_insn sp_store(uint32_t sram, uint32_t dram, uint16_t y, uint16_t x) {
    vta_insn insn = sp_load(VTA_MEM_OUT, sram, dram, y, x);
    insn.opcode = VTA_OP_STORE;
    return insn;
}

static inline vta_insn sp_gemm(uint32_t bgn, uint32_t end, uint16_t out, uint16_t in) {
    vta_insn insn = {.opcode = VTA_OP_GEMM};
    insn.u.exec.uop_bgn = bgn;
    insn.u.exec.uop_end = end;
    insn.u.exec.iter_out = out;
    insn.u.exec.iter_in = in;
    return insn;
}

static inline vta_insn sp_alu(vta_alu_opcode opcode, int16_t imm, uint16_t in) {
    vta_insn insn = sp_gemm(0, 1, 1, in);
    insn.opcode = VTA_OP_ALU;
    insn.u.exec.alu_opcode = (uint8_t)opcode;
    insn.u.exec.use_imm = 1;
    insn.u.exec.imm = imm;
    insn.u.exec.dst_factor_in = insn.u.exec.src_factor_in = 1;
    return insn;
}

static inline vta_insn sp_finish(void) { return (vta_insn){.opcode = VTA_OP_FINISH}; }

/* Maps the four places. */
static inline void sp_map(vta_device *device) {
    const uint32_t places[] = {SP_INSNS, SP_UOPS, SP_DATA, SP_OUT};
    for (int i = 0; i < 4; i++)
        if (vta_device_alloc_at(device, places[i], i < 2 ? 0x10000 : SP_BYTES, NULL) != VTA_OK) fail();
}

static inline void sp_write(vta_device *device, const vta_insn *insns, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_encode(vta_device_config(device), &insns[i], NULL, bytes), VTA_OK);
        assert_int_equal(vta_device_write(device, SP_INSNS + i * VTA_INSN_BYTES, bytes, sizeof bytes, NULL), VTA_OK);
    }
}

static inline vta_status sp_run(vta_device *device, const vta_insn *insns, uint32_t count, vta_diag *diag) {
    sp_write(device, insns, count);
    return vta_device_run(device, SP_INSNS, count, 0, diag);
}

/* out[i] = low byte of (acc[i] + 7), for 64 elements: LOAD UOP, LOAD ACC, ALU, STORE, in default shape. */
static inline uint32_t sp_add7(vta_insn insns[8]) {
    uint32_t n = 0;
    insns[n++] = sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 1);
    insns[n++] = sp_load(VTA_MEM_ACC, 0, SP_DATA / 64, 1, 64);
    insns[n] = sp_alu(VTA_ALU_ADD, 7, 64);
    insns[n++].push_next_dep = 1;
    insns[n] = sp_store(0, SP_OUT / 16, 1, 64);
    insns[n].pop_prev_dep = 1;
    insns[n++].push_prev_dep = 1;
    insns[n] = sp_finish();
    insns[n++].pop_next_dep = 1;
    return n;
}

#endif
