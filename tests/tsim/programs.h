/* Instruction streams made by hand for the tests of the timing model. */
#ifndef TESTS_TSIM_PROGRAMS_H
#define TESTS_TSIM_PROGRAMS_H

#include <stdbool.h>
#include <stdlib.h>

#include "vta/timing.h"

typedef struct program {
    vta_insn *insns;
    size_t count, cap;
} program;

static inline vta_insn *add(program *p, vta_opcode opcode) {
    if (p->count == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->insns = realloc(p->insns, p->cap * sizeof *p->insns);
    }
    vta_insn *insn = &p->insns[p->count++];
    *insn = (vta_insn){.opcode = (uint8_t)opcode};
    return insn;
}

static inline vta_insn *add_load(program *p, vta_memory memory, uint32_t dram, uint32_t y, uint32_t x,
                                 uint32_t stride) {
    vta_insn *insn = add(p, memory == VTA_MEM_OUT ? VTA_OP_STORE : VTA_OP_LOAD);
    insn->u.mem.memory_type = (uint8_t)memory;
    insn->u.mem.dram_base = dram;
    insn->u.mem.y_size = (uint16_t)y;
    insn->u.mem.x_size = (uint16_t)x;
    insn->u.mem.x_stride = (uint16_t)stride;
    return insn;
}

static inline vta_insn *add_exec(program *p, vta_opcode opcode, uint32_t uops, uint32_t out, uint32_t in) {
    vta_insn *insn = add(p, opcode);
    insn->u.exec.uop_end = uops;
    insn->u.exec.iter_out = (uint16_t)out;
    insn->u.exec.iter_in = (uint16_t)in;
    return insn;
}

static inline vta_insn *add_alu(program *p, uint32_t tiles, int imm) {
    vta_insn *insn = add_exec(p, VTA_OP_ALU, 1, 1, tiles);
    insn->u.exec.use_imm = (uint8_t)imm;
    insn->u.exec.alu_opcode = VTA_ALU_ADD;
    return insn;
}

/* The end of every stream that the runtime makes: load pushes to compute, compute pops both, FINISH. */
static inline void add_end(program *p) {
    add_load(p, VTA_MEM_INP, 0, 0, 0, 0)->push_next_dep = 1;
    vta_insn *wait = add_load(p, VTA_MEM_UOP, 0, 0, 0, 0);
    wait->pop_prev_dep = wait->pop_next_dep = 1;
    add(p, VTA_OP_FINISH);
}

/* acc loads, ALU instructions each with its micro-op load, one store: the shape of the published small programs. */
static inline program alu_program(uint32_t tiles, int operands, int alus, int imm) {
    program p = {0};
    for (int i = 0; i < operands; i++) add_load(&p, VTA_MEM_ACC, 64 * (1 + (uint32_t)i), 1, tiles, tiles);
    for (int i = 0; i < alus; i++) {
        add_load(&p, VTA_MEM_UOP, 3072 + (uint32_t)i, 1, 1, 1);
        add_alu(&p, tiles, imm);
    }
    p.insns[p.count - 1].push_next_dep = 1;
    vta_insn *store = add_load(&p, VTA_MEM_OUT, 512, 1, tiles, tiles);
    store->pop_prev_dep = store->push_prev_dep = 1;
    add_end(&p);
    return p;
}

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* One input patch of the C2 fallback schedule: 3x3 around (oh, ow), cut at the image's border and padded there. */
static inline void add_patch(program *p, uint32_t ic, uint32_t oh, uint32_t ow) {
    uint32_t y0 = oh ? oh - 1 : 0, x0 = ow ? ow - 1 : 0;
    uint32_t y1 = least(oh + 2, 56), x1 = least(ow + 2, 56);
    vta_insn *insn = add_load(p, VTA_MEM_INP, (ic * 56 + y0) * 56 + x0, y1 - y0, x1 - x0, 56);
    insn->u.mem.y_pad_0 = oh == 0;
    insn->u.mem.y_pad_1 = oh == 55;
    insn->u.mem.x_pad_0 = ow == 0;
    insn->u.mem.x_pad_1 = ow == 55;
    insn->pop_next_dep = 1;
}

/* A micro-op is loaded where the first tile needs it. */
static inline vta_insn *add_uop_load(program *p, bool needed, uint32_t index) {
    if (!needed) return NULL;
    return add_load(p, VTA_MEM_UOP, (446464 >> 2) + index, 1, 1, 1);
}

/* One output tile: four steps over the input channels, then the ALU. */
static inline void add_fallback_tile(program *p, uint32_t oc, uint32_t oh, uint32_t ow) {
    const uint32_t inp = 4096 / 16, wgt = 204800 / 256, bias = 241664 / 64, out = 245760 / 16;
    bool first = oc + oh + ow == 0;
    vta_insn *uop = add_uop_load(p, first, 0), *reset = add_exec(p, VTA_OP_GEMM, 1, 1, 1);
    reset->u.exec.reset_reg = reset->push_prev_dep = 1;
    if (first)
        p->insns[p->count - 2].pop_next_dep = 1;
    else
        reset->pop_next_dep = 1; /* the store before has read acc */
    if (!first) add_load(p, VTA_MEM_INP, 0, 0, 0, 0)->pop_next_dep = 1;
    for (uint32_t ic = 0; ic < 4; ic++) {
        add_patch(p, ic, oh, ow);
        p->insns[p->count - 1].u.mem.dram_base += inp;
        add_load(p, VTA_MEM_WGT, wgt + (oc * 4 + ic) * 9, 1, 9, 9)->push_next_dep = 1;
        uop = add_uop_load(p, first && ic == 0, 1);
        if (uop) uop->pop_prev_dep = 1;
        vta_insn *gemm = add_exec(p, VTA_OP_GEMM, 1, 3, 3);
        gemm->pop_prev_dep = !(first && ic == 0);
        gemm->push_prev_dep = 1;
    }
    add_uop_load(p, first, 2);
    add_alu(p, 1, 1);
    add_load(p, VTA_MEM_ACC, bias + oc, 1, 1, 1);
    add_uop_load(p, first, 3);
    add_alu(p, 1, 0);
    add_uop_load(p, first, 4);
    add_alu(p, 1, 1);
    add_uop_load(p, first, 5);
    add_alu(p, 1, 1)->push_next_dep = 1;
    vta_insn *store = add_load(p, VTA_MEM_OUT, out + (oc * 56 + oh) * 56 + ow, 1, 1, 1);
    store->pop_prev_dep = store->push_prev_dep = 1;
}

/* ResNet-18's C2 with the fallback schedule, fully serial: the 250,891 instructions that the compiler makes of
 * tests/build/conv2d_fallback.te, in the order and at the addresses in which they were run on the hardware. */
static inline program fallback_c2(void) {
    program p = {0};
    add_load(&p, VTA_MEM_OUT, 0, 0, 0, 0)->push_prev_dep = 1;
    for (uint32_t oc = 0; oc < 4; oc++)
        for (uint32_t oh = 0; oh < 56; oh++)
            for (uint32_t ow = 0; ow < 56; ow++) add_fallback_tile(&p, oc, oh, ow);
    add_load(&p, VTA_MEM_OUT, 0, 0, 0, 0)->push_prev_dep = 1;
    add_load(&p, VTA_MEM_INP, 0, 0, 0, 0)->pop_next_dep = 1;
    add_end(&p);
    return p;
}

#endif
