/* The machine of the spec, once more and as plainly as possible: every scalar is an int64_t, every bit is fetched by
 * its number, every loop is written out. Shares nothing with the simulators; needs only decoded instructions. Also an
 * independent word on tokens: which instruction comes before which, by transitive closure, and which pairs race. */
#ifndef NAIVE_MACHINE_H
#define NAIVE_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vta/device.h"
#include "vta/isa.h"

enum { NAIVE_INSNS = 160, NAIVE_DEPTH = 256, NAIVE_ROWS = 8 };

/* Bytes of DRAM that an instruction reads (LOAD) or writes (STORE), row by row. */
typedef struct naive_rows {
    int count;
    uint64_t from[NAIVE_ROWS], to[NAIVE_ROWS];
} naive_rows;

typedef struct naive_machine {
    const vta_config *config;
    uint8_t *dram; /* the byte at physical address a is dram[a - base] */
    uint64_t base;
    uint32_t uop[NAIVE_DEPTH];
    int64_t *scalars[VTA_MEM_COUNT]; /* inp, wgt, acc, tables: [element][scalar] */
    /* Elements that the last instruction touched, by memory: read as another stage than the writer; needed: read, by
     * any stage, before it wrote them itself. */
    uint8_t wrote[VTA_MEM_COUNT][NAIVE_DEPTH], read[VTA_MEM_COUNT][NAIVE_DEPTH], needed[VTA_MEM_COUNT][NAIVE_DEPTH];
    /* Of the last instruction: the destinations of the two micro-ops before, -1: none; and whether one met them. */
    int64_t dst_before[2];
    bool same_acc, forwards, other_source;
} naive_machine;

static inline uint32_t naive_scalars(const vta_config *c, int memory) {
    switch (memory) {
    case VTA_MEM_INP: return vta_config_batch(c) * vta_config_block_in(c);
    case VTA_MEM_WGT: return vta_config_block_out(c) * vta_config_block_in(c);
    case VTA_MEM_TABLE: return 256;
    default: return vta_config_batch(c) * vta_config_block_out(c);
    }
}

static inline void naive_init(naive_machine *m, const vta_config *config, uint8_t *dram, uint64_t base) {
    memset(m, 0, sizeof *m);
    m->config = config;
    m->dram = dram;
    m->base = base;
    for (int memory = VTA_MEM_WGT; memory <= VTA_MEM_ACC; memory++)
        m->scalars[memory] = calloc((size_t)NAIVE_DEPTH * naive_scalars(config, memory), sizeof(int64_t));
    m->scalars[VTA_MEM_TABLE] = calloc((size_t)NAIVE_DEPTH * 256, sizeof(int64_t));
}

static inline void naive_clear(naive_machine *m) {
    for (int memory = 0; memory < VTA_MEM_COUNT; memory++) free(m->scalars[memory]);
}

/* The two's complement number of `width` bits that begins at bit `bit` of DRAM. */
static inline int64_t naive_get(const naive_machine *m, uint64_t bit, uint32_t width) {
    int64_t value = 0;
    for (uint32_t i = 0; i < width; i++, bit++)
        if (m->dram[bit / 8 - m->base] >> (bit % 8) & 1) value += (int64_t)1 << i;
    return value >= (int64_t)1 << (width - 1) ? value - ((int64_t)1 << width) : value;
}

static inline void naive_put(naive_machine *m, uint64_t bit, uint32_t width, int64_t value) {
    for (uint32_t i = 0; i < width; i++, bit++) {
        uint8_t mask = (uint8_t)(1 << bit % 8);
        m->dram[bit / 8 - m->base] &= (uint8_t)~mask;
        if (value >> i & 1) m->dram[bit / 8 - m->base] |= mask;
    }
}

static inline void naive_need(naive_machine *m, int memory, uint32_t element) {
    if (!m->wrote[memory][element]) m->needed[memory][element] = 1;
}

static inline int64_t naive_wrap(int64_t v) { return (int32_t)(uint32_t)(uint64_t)v; }

static inline void naive_load_element(naive_machine *m, int memory, uint32_t to, int64_t from) {
    const vta_config *c = m->config;
    if (memory == VTA_MEM_UOP) {
        m->wrote[VTA_MEM_UOP][to] = 1;
        m->uop[to] = from < 0 ? 0 : (uint32_t)naive_get(m, (uint64_t)from * 32, 32);
        return;
    }
    int buffer = memory == VTA_MEM_ACC_8BIT ? VTA_MEM_ACC : memory;
    uint32_t width = memory == VTA_MEM_ACC_8BIT ? 8 : vta_config_width(c, (vta_memory)memory);
    uint32_t n = naive_scalars(c, memory);
    m->wrote[buffer][to] = 1;
    for (uint32_t i = 0; i < n; i++)
        m->scalars[buffer][(size_t)to * n + i] = from < 0 ? 0 : naive_get(m, ((uint64_t)from * n + i) * width, width);
}

static inline void naive_load(naive_machine *m, const vta_insn *insn) {
    uint32_t rows = insn->u.mem.y_pad_0 + insn->u.mem.y_size + insn->u.mem.y_pad_1;
    uint32_t columns = insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1;
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++) {
            bool inside = y >= insn->u.mem.y_pad_0 && y < insn->u.mem.y_pad_0 + insn->u.mem.y_size &&
                          x >= insn->u.mem.x_pad_0 && x < insn->u.mem.x_pad_0 + insn->u.mem.x_size;
            int64_t from = (int64_t)insn->u.mem.dram_base + ((int64_t)y - insn->u.mem.y_pad_0) * insn->u.mem.x_stride +
                           x - insn->u.mem.x_pad_0;
            naive_load_element(m, insn->u.mem.memory_type, insn->u.mem.sram_base + y * columns + x, inside ? from : -1);
        }
}

static inline void naive_store(naive_machine *m, const vta_insn *insn) {
    uint32_t n = naive_scalars(m->config, VTA_MEM_ACC), width = vta_config_width(m->config, VTA_MEM_OUT);
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++)
        for (uint32_t x = 0; x < insn->u.mem.x_size; x++) {
            uint32_t from = insn->u.mem.sram_base + y * insn->u.mem.x_size + x;
            uint64_t to = (uint64_t)insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride + x;
            m->read[VTA_MEM_ACC][from] = 1;
            naive_need(m, VTA_MEM_ACC, from);
            for (uint32_t i = 0; i < n; i++)
                naive_put(m, (to * n + i) * width, width, m->scalars[VTA_MEM_ACC][(size_t)from * n + i]);
        }
}

static inline int64_t naive_op(int opcode, int64_t a, int64_t b) {
    switch (opcode) {
    case VTA_ALU_MIN: return a < b ? a : b;
    case VTA_ALU_MAX: return a > b ? a : b;
    case VTA_ALU_ADD: return naive_wrap(a + b);
    case VTA_ALU_MUL: return naive_wrap(a * b);
    case VTA_ALU_SHR:
        for (; b > 0 && a != 0 && a != -1; b--) a = (a - (a & 1)) / 2;
        for (; b < 0 && a != 0; b++) a = naive_wrap(a * 2);
        return a;
    default: fprintf(stderr, "naive_op: write down what ALU operation %d does\n", opcode); abort();
    }
}

/* What table `number` has for x: the first of its numbers is that of -128, the last that of 127. */
static inline int64_t naive_look_up(naive_machine *m, int number, int64_t x) {
    int64_t place = 0;
    while (place < 255 && place - 128 < x) place++;
    naive_need(m, VTA_MEM_TABLE, (uint32_t)number);
    return m->scalars[VTA_MEM_TABLE][number * 256 + place];
}

static inline void naive_tile(naive_machine *m, uint32_t dst, uint32_t src, uint32_t wgt) {
    uint32_t batch = vta_config_batch(m->config), in = vta_config_block_in(m->config);
    uint32_t out = vta_config_block_out(m->config);
    m->read[VTA_MEM_INP][src] = m->read[VTA_MEM_WGT][wgt] = 1;
    naive_need(m, VTA_MEM_INP, src);
    naive_need(m, VTA_MEM_WGT, wgt);
    for (uint32_t b = 0; b < batch; b++)
        for (uint32_t o = 0; o < out; o++)
            for (uint32_t i = 0; i < in; i++) {
                int64_t *acc = &m->scalars[VTA_MEM_ACC][((size_t)dst * batch + b) * out + o];
                *acc = naive_wrap(*acc + m->scalars[VTA_MEM_INP][((size_t)src * batch + b) * in + i] *
                                             m->scalars[VTA_MEM_WGT][((size_t)wgt * out + o) * in + i]);
            }
}

/* Neighbours of micro-ops, as they come. */
static inline void naive_neighbours(naive_machine *m, const vta_insn *insn, int64_t dst, int64_t src) {
    bool alu = insn->opcode == VTA_OP_ALU;
    bool near = dst == m->dst_before[0] || (!alu && dst == m->dst_before[1]);
    m->same_acc |= near && (alu || !insn->u.exec.reset_reg);
    m->forwards |= alu && src == m->dst_before[0];
    m->other_source |= alu && insn->u.exec.use_imm && src != dst;
    m->dst_before[1] = m->dst_before[0];
    m->dst_before[0] = dst;
}

static inline void naive_exec(naive_machine *m, const vta_insn *insn) {
    uint32_t n = naive_scalars(m->config, VTA_MEM_ACC);
    for (uint32_t y = 0; y < insn->u.exec.iter_out; y++)
        for (uint32_t x = 0; x < insn->u.exec.iter_in; x++)
            for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++) {
                vta_uop uop = vta_uop_decode(m->config, m->uop[u]);
                uint32_t dst = uop.dst + y * insn->u.exec.dst_factor_out + x * insn->u.exec.dst_factor_in;
                uint32_t src = uop.src + y * insn->u.exec.src_factor_out + x * insn->u.exec.src_factor_in;
                uint32_t wgt = uop.wgt + y * insn->u.exec.wgt_factor_out + x * insn->u.exec.wgt_factor_in;
                bool alu = insn->opcode == VTA_OP_ALU;
                naive_need(m, VTA_MEM_UOP, u);
                if (alu && !insn->u.exec.use_imm) naive_need(m, VTA_MEM_ACC, src);
                if (alu || !insn->u.exec.reset_reg) naive_need(m, VTA_MEM_ACC, dst);
                naive_neighbours(m, insn, dst, src);
                m->wrote[VTA_MEM_ACC][dst] = 1;
                for (uint32_t i = 0; i < n && insn->opcode == VTA_OP_ALU; i++) {
                    int64_t *acc = &m->scalars[VTA_MEM_ACC][(size_t)dst * n + i];
                    int64_t other =
                        insn->u.exec.use_imm ? insn->u.exec.imm : m->scalars[VTA_MEM_ACC][(size_t)src * n + i];
                    if (insn->u.exec.alu_opcode == VTA_ALU_TABLE)
                        *acc = naive_look_up(m, insn->u.exec.imm, *acc);
                    else
                        *acc = naive_op(insn->u.exec.alu_opcode, *acc, other);
                }
                if (insn->opcode != VTA_OP_GEMM) continue;
                if (insn->u.exec.reset_reg)
                    memset(&m->scalars[VTA_MEM_ACC][(size_t)dst * n], 0, n * sizeof(int64_t));
                else
                    naive_tile(m, dst, src, wgt);
            }
}

static inline void naive_run(naive_machine *m, const vta_insn *insn) {
    memset(m->wrote, 0, sizeof m->wrote);
    memset(m->read, 0, sizeof m->read);
    memset(m->needed, 0, sizeof m->needed);
    m->dst_before[0] = m->dst_before[1] = -1;
    m->same_acc = m->forwards = m->other_source = false;
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.x_size) naive_load(m, insn);
    if (insn->opcode == VTA_OP_STORE && insn->u.mem.x_size) naive_store(m, insn);
    if (insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU) naive_exec(m, insn);
}

static inline naive_rows naive_dram(const vta_config *config, const vta_insn *insn) {
    naive_rows rows = {0};
    if (insn->opcode != VTA_OP_LOAD && insn->opcode != VTA_OP_STORE) return rows;
    uint64_t bytes = vta_config_elem_bytes(config, (vta_memory)insn->u.mem.memory_type);
    for (uint32_t y = 0; y < insn->u.mem.y_size && insn->u.mem.x_size; y++) {
        rows.from[rows.count] = ((uint64_t)insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride) * bytes;
        rows.to[rows.count] = rows.from[rows.count] + insn->u.mem.x_size * bytes;
        rows.count++;
    }
    return rows;
}

static inline bool naive_rows_meet(const naive_rows *a, const naive_rows *b) {
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->from[i] < b->to[j] && b->from[j] < a->to[i]) return true;
    return false;
}

/* ---- Tokens ---------------------------------------------------------------------------------------------- */

/* 0 load, 1 compute, 2 store. */
static inline int naive_stage(const vta_insn *insn) {
    if (insn->opcode == VTA_OP_STORE) return 2;
    if (insn->opcode != VTA_OP_LOAD) return 1;
    return insn->u.mem.memory_type == VTA_MEM_INP || insn->u.mem.memory_type == VTA_MEM_WGT ? 0 : 1;
}

/* before[i][j]: instruction i is over when j begins, in every order. Returns false when some instruction can never
 * run: then it has no pusher, or it is part of a cycle. */
static inline bool naive_before(const vta_insn *insns, int n, uint8_t before[NAIVE_INSNS][NAIVE_INSNS]) {
    memset(before, 0, NAIVE_INSNS * NAIVE_INSNS);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            if (naive_stage(&insns[i]) == naive_stage(&insns[j])) before[i][j] = 1;
    for (int from = 0; from < 3; from++)
        for (int to = from ? from - 1 : 1; to < 3; to += 2) {
            int i = 0; /* the k-th push towards `to` goes to the k-th pop */
            for (int j = 0; j < n; j++) {
                bool pops = to < from ? insns[j].pop_next_dep : insns[j].pop_prev_dep;
                if (naive_stage(&insns[j]) != to || !pops) continue;
                while (i < n && !(naive_stage(&insns[i]) == from &&
                                  (to < from ? insns[i].push_prev_dep : insns[i].push_next_dep)))
                    i++;
                if (i == n) return false;
                before[i++][j] = 1;
            }
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && before[i][k]; j++) before[i][j] |= before[k][j];
    for (int i = 0; i < n; i++)
        if (before[i][i]) return false;
    return true;
}

#endif
