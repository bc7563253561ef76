/* Random configurations and random programs on them, from a seed. A careful program fills its buffers first, has a
 * token wherever two stages touch the same elements or the same DRAM, and few others; a careless one has tokens
 * anywhere, reads what nobody wrote, and stores over its own instructions. Half of both load what they stored. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdio.h>

#include "ref/naive_machine.h"

/* The program's memory: instructions, micro-op images, data, outputs. */
enum {
    RP_BASE = 0x10000,
    RP_UOPS = 0x20000,
    RP_DATA = 0x30000,
    RP_OUT = 0x70000,
    RP_END = 0xb0000,
    RP_BYTES = RP_END - RP_BASE,
    RP_SHARED = 0x1000, /* of the outputs: where stores and loads meet */
    RP_INSN_BYTES = NAIVE_INSNS * VTA_INSN_BYTES,
};

typedef struct random_program {
    uint64_t random;
    const vta_config *config;
    vta_insn insns[NAIVE_INSNS];
    int count;
    /* Elements, a bit each; see naive_machine. */
    uint64_t wrote[NAIVE_INSNS][VTA_MEM_COUNT], read[NAIVE_INSNS][VTA_MEM_COUNT], needed[NAIVE_INSNS][VTA_MEM_COUNT];
    naive_rows dram[NAIVE_INSNS];
    int same_acc, forwards, other_source; /* instructions; see naive_machine */
    bool loads_stored;                    /* loads read, now and then, where stores write */
    uint8_t before[RP_BYTES];             /* DRAM as the program finds it */
    uint8_t after[RP_BYTES];              /* and as the naive machine leaves it, in program order */
    naive_machine naive;
    int last[3];       /* last instruction of each stage, -1: none */
    int synced[3][3];  /* [from][to]: `to` has waited for the instructions of `from` up to this one */
    uint32_t uop_next; /* free words of the uop images */
    bool some_uops;    /* loads of micro-ops fill a part of the buffer, too */
    bool small;        /* without what a small design leaves out: MUL, ACC_8BIT, padding but of inp */
} random_program;

static inline uint32_t rp_random(random_program *p) {
    p->random += 0x9e3779b97f4a7c15u;
    uint64_t z = p->random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

/* A number in [least, most]. */
static inline uint32_t rp_pick(random_program *p, uint32_t least, uint32_t most) {
    return least + rp_random(p) % (most - least + 1);
}

/* Buffers of 16 to 64 elements, all widths and shapes, half of them with 1 to 4 tables; NULL for a combination that the
 * rules refuse. */
static inline vta_config *rp_config(random_program *p) {
    static const int log_bits[] = {2, 3, 3, 4, 5};
    int batch = (int)rp_pick(p, 0, 2), in = (int)rp_pick(p, 2, 6), out = (int)rp_pick(p, 2, 6);
    int inp = log_bits[rp_random(p) % 5], wgt = log_bits[rp_random(p) % 5];
    char text[256];
    snprintf(text, sizeof text,
             "LOG_BATCH=%d LOG_BLOCK_IN=%d LOG_BLOCK_OUT=%d LOG_INP_WIDTH=%d LOG_WGT_WIDTH=%d LOG_UOP_BUFF_SIZE=8 "
             "LOG_INP_BUFF_SIZE=%d LOG_WGT_BUFF_SIZE=%d LOG_ACC_BUFF_SIZE=%d",
             batch, in, out, inp, wgt, batch + in + inp - 3 + (int)rp_pick(p, 4, 6),
             in + out + wgt - 3 + (int)rp_pick(p, 3, 5), batch + out + 2 + (int)rp_pick(p, 4, 6));
    if (rp_random(p) % 2) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " LOG_TABLE_BUFF_SIZE=%u", rp_pick(p, 8, 10));
    }
    vta_config *base = vta_config_default(), *config = NULL;
    (void)vta_config_with(base, text, NULL, &config);
    vta_config_release(base);
    return config;
}

static inline bool rp_meet_on_chip(const random_program *p, int i, int j) {
    for (int m = 0; m < VTA_MEM_COUNT; m++)
        if ((p->wrote[i][m] & (p->wrote[j][m] | p->read[j][m])) | (p->read[i][m] & p->wrote[j][m])) return true;
    return false;
}

/* A store and a load: the rows of other instructions are empty. */
static inline bool rp_meet_in_dram(const random_program *p, int i, int j) {
    return p->insns[i].opcode != p->insns[j].opcode && naive_rows_meet(&p->dram[i], &p->dram[j]);
}

static inline void rp_wait(random_program *p, int from, int index, int to) {
    vta_insn *giver = &p->insns[p->last[from]], *taker = &p->insns[index];
    if (from < to)
        giver->push_next_dep = taker->pop_prev_dep = 1;
    else
        giver->push_prev_dep = taker->pop_next_dep = 1;
    p->synced[from][to] = p->last[from];
}

/* Runs the instruction on the naive machine, to learn what it touches, and appends it. */
static inline int rp_append(random_program *p, const vta_insn *insn) {
    int j = p->count++;
    p->insns[j] = *insn;
    p->dram[j] = naive_dram(p->config, insn);
    naive_run(&p->naive, insn);
    p->same_acc += p->naive.same_acc;
    p->forwards += p->naive.forwards;
    p->other_source += p->naive.other_source;
    for (int m = 0; m < VTA_MEM_COUNT; m++) {
        p->wrote[j][m] = p->read[j][m] = p->needed[j][m] = 0;
        for (int e = 0; e < 64; e++) {
            p->wrote[j][m] |= (uint64_t)p->naive.wrote[m][e] << e;
            p->read[j][m] |= (uint64_t)p->naive.read[m][e] << e;
            p->needed[j][m] |= (uint64_t)p->naive.needed[m][e] << e;
        }
    }
    return j;
}

/* Load and store share no token queue: where the instruction meets the other's DRAM, compute waits for that one first,
 * with an instruction that does nothing else. */
static inline bool rp_relay(random_program *p, const vta_insn *insn) {
    int to = naive_stage(insn), far = 2 - to;
    bool needed = false;
    naive_rows rows = naive_dram(p->config, insn);
    if (to == 1 || p->last[far] < 0) return false;
    for (int i = p->synced[far][to] + 1; i < p->count; i++)
        needed |= naive_stage(&p->insns[i]) == far && naive_rows_meet(&p->dram[i], &rows);
    if (!needed) return false;
    int relay = rp_append(p, &(vta_insn){.opcode = VTA_OP_LOAD, .u.mem.memory_type = VTA_MEM_UOP});
    if (p->synced[far][1] != p->last[far]) rp_wait(p, far, relay, 1);
    p->last[1] = relay;
    p->synced[far][to] = p->last[far];
    return true;
}

/* Does the program end before a store of it is over? */
static inline bool rp_ends_early(const random_program *p, int from, int j) {
    return from == 2 && p->insns[j].opcode == VTA_OP_FINISH && p->synced[2][1] != p->last[2];
}

static inline void rp_emit(random_program *p, vta_insn insn, bool careful) {
    bool relayed = careful && rp_relay(p, &insn);
    int j = rp_append(p, &insn), to = naive_stage(&insn);
    for (int from = 0; from < 3; from++) {
        if ((from - to) * (from - to) != 1 || p->last[from] < 0) continue;
        bool needed = relayed || rp_ends_early(p, from, j);
        for (int i = p->synced[from][to] + 1; i < j; i++)
            needed |= naive_stage(&p->insns[i]) == from && (rp_meet_on_chip(p, i, j) || rp_meet_in_dram(p, i, j));
        bool already = p->synced[from][to] == p->last[from];
        if (careful ? needed : !already && rp_random(p) % 3 == 0) rp_wait(p, from, j, to);
    }
    p->last[to] = j;
}

static inline void rp_load(random_program *p, int memory, bool careful) {
    vta_insn insn = {.opcode = VTA_OP_LOAD};
    uint32_t element = vta_config_elem_bytes(p->config, (vta_memory)memory);
    uint32_t depth = vta_config_depth(p->config, (vta_memory)memory);
    insn.u.mem.memory_type = (uint8_t)memory;
    uint32_t y = rp_pick(p, 0, 3), x = rp_pick(p, 1, 4), stride = rp_pick(p, 0, 5);
    uint32_t *pads[] = {&(uint32_t){rp_random(p) % 6 ? 0 : 1}, &(uint32_t){rp_random(p) % 6 ? 0 : 1},
                        &(uint32_t){rp_random(p) % 4 ? 0 : 1}, &(uint32_t){rp_random(p) % 4 ? 0 : 2}};
    while ((*pads[0] + y + *pads[1]) * (*pads[2] + x + *pads[3]) > depth) y = 0, *pads[0] = *pads[1] = 0;
    if ((p->small && memory != VTA_MEM_INP) || memory == VTA_MEM_TABLE)
        for (int i = 0; i < 4; i++) *pads[i] = 0;
    uint32_t size = (*pads[0] + y + *pads[1]) * (*pads[2] + x + *pads[3]);
    insn.u.mem.y_size = (uint16_t)y;
    insn.u.mem.x_size = (uint16_t)x;
    insn.u.mem.x_stride = (uint16_t)stride;
    insn.u.mem.y_pad_0 = (uint8_t)*pads[0];
    insn.u.mem.y_pad_1 = (uint8_t)*pads[1];
    insn.u.mem.x_pad_0 = (uint8_t)*pads[2];
    insn.u.mem.x_pad_1 = (uint8_t)*pads[3];
    insn.u.mem.sram_base = rp_pick(p, 0, depth - size);
    bool fits = RP_SHARED + 20 * element <= RP_END - RP_OUT;
    if (p->loads_stored && fits && rp_random(p) % 3 == 0)
        insn.u.mem.dram_base = RP_OUT / element + rp_pick(p, 0, RP_SHARED / element);
    else
        insn.u.mem.dram_base = RP_DATA / element + rp_pick(p, 0, (RP_OUT - RP_DATA) / element - 20);
    rp_emit(p, insn, careful);
}

/* A whole buffer, from one element on. */
static inline void rp_fill(random_program *p, int memory, bool careful) {
    uint32_t element = vta_config_elem_bytes(p->config, (vta_memory)memory);
    vta_insn insn = {.opcode = VTA_OP_LOAD};
    insn.u.mem.memory_type = (uint8_t)memory;
    insn.u.mem.y_size = 1;
    insn.u.mem.x_size = (uint16_t)vta_config_depth(p->config, (vta_memory)memory);
    insn.u.mem.dram_base = RP_DATA / element;
    while (insn.u.mem.x_size * element > RP_OUT - RP_DATA) insn.u.mem.x_size /= 2, insn.u.mem.y_size *= 2;
    rp_emit(p, insn, careful);
}

static inline void rp_store(random_program *p, bool careful) {
    vta_insn insn = {.opcode = VTA_OP_STORE};
    uint32_t element = vta_config_elem_bytes(p->config, VTA_MEM_OUT), y = rp_pick(p, 1, 3), x = rp_pick(p, 1, 4);
    insn.u.mem.memory_type = VTA_MEM_OUT;
    insn.u.mem.y_size = (uint16_t)y;
    insn.u.mem.x_size = (uint16_t)x;
    insn.u.mem.x_stride = (uint16_t)rp_pick(p, 0, 5);
    insn.u.mem.sram_base = rp_pick(p, 0, vta_config_depth(p->config, VTA_MEM_ACC) - x * y);
    if (!careful && rp_random(p) % 24 == 0)
        insn.u.mem.dram_base = RP_BASE / element + rp_pick(p, 0, RP_INSN_BYTES / element);
    else if (p->loads_stored)
        insn.u.mem.dram_base = RP_OUT / element + rp_pick(p, 0, RP_SHARED / element);
    else
        insn.u.mem.dram_base = RP_OUT / element + rp_pick(p, 0, (RP_END - RP_OUT) / element - 20);
    rp_emit(p, insn, careful);
}

/* New micro-ops for the whole buffer (or a part of it): nested patterns as kernels have them, and noise, in the lower
 * half of each index space. */
static inline void rp_load_uops(random_program *p, bool careful) {
    uint32_t half[3] = {vta_config_depth(p->config, VTA_MEM_ACC) / 2, vta_config_depth(p->config, VTA_MEM_INP) / 2,
                        vta_config_depth(p->config, VTA_MEM_WGT) / 2};
    if (half[0] < half[1]) half[1] = half[0]; /* an ALU's source is an acc index */
    uint32_t count = vta_config_depth(p->config, VTA_MEM_UOP), inner = rp_pick(p, 1, 6), outer = rp_pick(p, 1, 4);
    uint32_t step[3][2];
    for (int f = 0; f < 3; f++) step[f][0] = rp_random(p) % 3, step[f][1] = rp_random(p) % 4;
    for (uint32_t u = 0; u < count; u++) {
        uint32_t value[3], i = u % inner, j = u / inner % outer;
        for (int f = 0; f < 3; f++)
            value[f] = (u < count * 3 / 4 ? i * step[f][0] + j * step[f][1] : rp_random(p)) % half[f];
        uint32_t word = 0;
        (void)vta_uop_encode(p->config, (vta_uop){value[0], value[1], value[2]}, NULL, &word);
        memcpy(p->before + RP_UOPS - RP_BASE + (p->uop_next + u) * 4, &word, 4);
        memcpy(p->after + RP_UOPS - RP_BASE + (p->uop_next + u) * 4, &word, 4);
    }
    uint32_t first = 0, loaded = count;
    if (p->some_uops && p->uop_next && rp_random(p) % 4) {
        first = rp_pick(p, 0, count - 1);
        loaded = rp_pick(p, 1, count - first);
    }
    vta_insn insn = {.opcode = VTA_OP_LOAD};
    insn.u.mem.memory_type = VTA_MEM_UOP;
    insn.u.mem.y_size = 1;
    insn.u.mem.x_size = insn.u.mem.x_stride = (uint16_t)loaded;
    insn.u.mem.sram_base = first;
    insn.u.mem.dram_base = RP_UOPS / 4 + p->uop_next + first;
    p->uop_next += count;
    rp_emit(p, insn, careful);
}

/* A loop step that keeps the operand inside its buffer: micro-ops use the lower half of it. */
static inline uint32_t rp_factor(random_program *p, uint32_t iterations, uint32_t depth) {
    uint32_t factor = rp_random(p) % 5;
    return factor * iterations <= depth / 4 ? factor : 0;
}

static inline void rp_compute(random_program *p, bool careful) {
    vta_insn insn = {.opcode = rp_random(p) % 3 ? VTA_OP_GEMM : VTA_OP_ALU};
    bool gemm = insn.opcode == VTA_OP_GEMM;
    uint32_t acc = vta_config_depth(p->config, VTA_MEM_ACC), wgt = vta_config_depth(p->config, VTA_MEM_WGT);
    uint32_t src = gemm ? vta_config_depth(p->config, VTA_MEM_INP) : acc;
    uint32_t uops = vta_config_depth(p->config, VTA_MEM_UOP);
    insn.u.exec.reset_reg = gemm && rp_random(p) % 6 == 0;
    insn.u.exec.uop_bgn = rp_random(p) % 4 ? 0 : rp_pick(p, 0, uops - 1);
    insn.u.exec.uop_end =
        insn.u.exec.uop_bgn + rp_pick(p, 0, uops - insn.u.exec.uop_bgn < 24 ? uops - insn.u.exec.uop_bgn : 24);
    uint32_t y = rp_pick(p, rp_random(p) % 8 ? 1 : 0, 3), x = rp_pick(p, 1, 5);
    insn.u.exec.iter_out = (uint16_t)y;
    insn.u.exec.iter_in = (uint16_t)x;
    insn.u.exec.dst_factor_out = rp_factor(p, y, acc);
    insn.u.exec.dst_factor_in = rp_factor(p, x, acc);
    insn.u.exec.src_factor_out = rp_factor(p, y, src);
    insn.u.exec.src_factor_in = rp_factor(p, x, src);
    if (gemm) {
        insn.u.exec.wgt_factor_out = rp_factor(p, y, wgt);
        insn.u.exec.wgt_factor_in = rp_factor(p, x, wgt);
    } else {
        static const int16_t imms[] = {0, 1, -1, 5, -7, 31, 32, -31, -32, 40, 32767, -32768, 255};
        insn.u.exec.alu_opcode = (uint8_t)(rp_random(p) % VTA_ALU_COUNT);
        if (p->small && insn.u.exec.alu_opcode == VTA_ALU_MUL) insn.u.exec.alu_opcode = VTA_ALU_ADD;
        insn.u.exec.use_imm = rp_random(p) & 1;
        insn.u.exec.imm = imms[rp_random(p) % 13];
        uint32_t tables = vta_config_depth(p->config, VTA_MEM_TABLE);
        if (insn.u.exec.alu_opcode == VTA_ALU_TABLE && tables) {
            insn.u.exec.use_imm = 1;
            insn.u.exec.imm = (int16_t)rp_pick(p, 0, tables - 1);
        } else if (insn.u.exec.alu_opcode == VTA_ALU_TABLE) {
            insn.u.exec.alu_opcode = VTA_ALU_ADD;
        }
    }
    rp_emit(p, insn, careful);
}

/* The program of p->random and p->config. */
static inline void rp_write(random_program *p, int length, bool careful) {
    for (size_t i = RP_DATA - RP_BASE; i < RP_OUT - RP_BASE; i++) p->before[i] = (uint8_t)rp_random(p);
    memcpy(p->after, p->before, sizeof p->after);
    naive_init(&p->naive, p->config, p->after, RP_BASE);
    for (int s = 0; s < 3; s++) {
        p->last[s] = -1;
        for (int t = 0; t < 3; t++) p->synced[s][t] = -1;
    }
    rp_load_uops(p, careful);
    p->loads_stored = rp_random(p) % 2;
    if (careful || rp_random(p) % 2)
        for (int memory = VTA_MEM_WGT; memory <= VTA_MEM_ACC; memory++) rp_fill(p, memory, careful);
    bool tables = vta_config_depth(p->config, VTA_MEM_TABLE);
    if (tables && (careful || rp_random(p) % 2)) rp_fill(p, VTA_MEM_TABLE, careful);
    while (p->count < length - 1) {
        uint32_t what = rp_random(p) % 12;
        if (what < 2)
            rp_load(p, VTA_MEM_INP, careful);
        else if (what < 4)
            rp_load(p, VTA_MEM_WGT, careful);
        else if (what == 4)
            rp_load(p, VTA_MEM_ACC, careful);
        else if (what == 5 && tables && rp_random(p) % 2)
            rp_load(p, VTA_MEM_TABLE, careful);
        else if (what == 5)
            rp_load(p, p->small ? VTA_MEM_ACC : VTA_MEM_ACC_8BIT, careful);
        else if (what == 6 && rp_random(p) % 2)
            rp_load_uops(p, careful);
        else if (what < 8)
            rp_store(p, careful);
        else
            rp_compute(p, careful);
    }
    rp_emit(p, (vta_insn){.opcode = VTA_OP_FINISH}, careful);
}

/* Fills `p` with a program for a configuration, which it keeps; buffers of 64 elements at most. Free with rp_clear. */
static inline void rp_make_design(random_program *p, vta_config *config, uint64_t seed, int length, bool careful,
                                  bool small) {
    memset(p, 0, sizeof *p);
    p->random = seed;
    p->config = config;
    p->some_uops = true;
    p->small = small;
    rp_write(p, length, careful);
}

static inline void rp_make_for(random_program *p, vta_config *config, uint64_t seed, int length, bool careful) {
    rp_make_design(p, config, seed, length, careful, false);
}

/* The same on a random configuration; false when the seed gives one that the rules refuse. */
static inline bool rp_make(random_program *p, uint64_t seed, int length, bool careful) {
    memset(p, 0, sizeof *p);
    p->random = seed;
    vta_config *config = rp_config(p);
    if (!config) return false;
    p->config = config;
    rp_write(p, length, careful);
    return true;
}

static inline void rp_clear(random_program *p) {
    naive_clear(&p->naive);
    vta_config_release((vta_config *)p->config);
}

/* What is wrong with the program, by the closure of naive_machine.h: a number for each kind of error. */
typedef struct rp_errors {
    bool deadlock;
    int race, dram, fetch, unfinished, unwritten;
} rp_errors;

typedef uint8_t rp_closure[NAIVE_INSNS][NAIVE_INSNS];

/* Store i over instruction j, unless fetch has read j by then: it has read all up to the last one before i. */
static inline bool rp_overwrites(const random_program *p, rp_closure before, int i, int j) {
    naive_rows insn = {1, {RP_BASE + (uint64_t)j * 16}, {RP_BASE + (uint64_t)j * 16 + 16}};
    if (p->insns[i].opcode != VTA_OP_STORE || !naive_rows_meet(&p->dram[i], &insn)) return false;
    for (int k = j; k < p->count; k++)
        if (k == i || before[k][i]) return false;
    return true;
}

static inline bool rp_is_unwritten(const random_program *p, rp_closure before, int j) {
    for (int m = 0; m < VTA_MEM_COUNT; m++) {
        uint64_t written = 0;
        for (int i = 0; i < p->count; i++)
            if (before[i][j]) written |= p->wrote[i][m];
        if (p->needed[j][m] & ~written) return true;
    }
    return false;
}

static inline rp_errors rp_find_errors(const random_program *p) {
    static rp_closure before;
    rp_errors e = {.deadlock = !naive_before(p->insns, p->count, before)};
    for (int i = 0; i < p->count && !e.deadlock; i++) {
        e.unwritten += rp_is_unwritten(p, before, i);
        e.unfinished += p->insns[i].opcode == VTA_OP_STORE && p->dram[i].count && !before[i][p->count - 1];
        for (int j = 0; j < p->count; j++) {
            e.fetch += rp_overwrites(p, before, i, j);
            if (j <= i || before[i][j] || before[j][i]) continue;
            e.dram += rp_meet_in_dram(p, i, j);
            e.race += rp_meet_on_chip(p, i, j);
        }
    }
    return e;
}

/* The status of a checked run. */
static inline vta_status rp_expected(const random_program *p) {
    rp_errors e = rp_find_errors(p);
    if (e.deadlock) return VTA_DEADLOCK;
    if (e.race + e.dram + e.fetch + e.unfinished) return VTA_RACE;
    return e.unwritten ? VTA_ILLEGAL : VTA_OK;
}

#endif
