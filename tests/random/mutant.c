#include "random/mutant.h"

#include <stdlib.h>
#include <string.h>

const char *const mutation_names[MUTATION_COUNT] = {"exchange", "move", "drop", "flag", "pass", "bit", "uop"};

enum { FIRST_FLAG = 3, FLAGS = 4, DISTANCE = 6 };

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t below(dice *d, uint32_t n) {
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)((d->state >> 33) % n) : 0;
}

static uint8_t *at(const mutant *m, uint32_t index) { return m->insns + (size_t)index * VTA_INSN_BYTES; }
static void flip(uint8_t *bytes, uint32_t bit) { bytes[bit / 8] ^= (uint8_t)(1u << bit % 8); }
static bool flag(const uint8_t *insn, uint32_t k) { return insn[0] >> (FIRST_FLAG + k) & 1; }

static void move(mutant *m, uint32_t by) {
    uint8_t held[VTA_INSN_BYTES];
    memcpy(held, at(m, m->at), sizeof held);
    memmove(at(m, m->at), at(m, m->at + 1), (size_t)by * VTA_INSN_BYTES);
    memcpy(at(m, m->at + by), held, sizeof held);
}

static void drop(mutant *m) {
    memmove(at(m, m->at), at(m, m->at + 1), (size_t)(m->n - 1 - m->at) * VTA_INSN_BYTES);
    m->n--;
}

/* Of a flag that is set somewhere near: it goes one or two instructions further. */
static void pass_flag(mutant *m, dice *d) {
    for (int tries = 0; tries < 100; tries++) {
        uint32_t i = below(d, m->n), k = below(d, FLAGS), by = 1 + below(d, 2);
        if (i + by >= m->n || !flag(at(m, i), k) || flag(at(m, i + by), k)) continue;
        m->at = i;
        flip(at(m, i), FIRST_FLAG + k);
        flip(at(m, i + by), FIRST_FLAG + k);
        return;
    }
    flip(at(m, m->at), FIRST_FLAG + below(d, FLAGS));
}

/* A bit of a micro-op that is loaded; of an instruction where none is. */
static void flip_uop(mutant *m, const vta_program *of, dice *d) {
    vta_program_run_info run;
    vta_program_segment s;
    vta_insn insn;
    vta_program_get_run(of, 0, &run);
    for (int tries = 0; tries < 100; tries++) {
        m->at = below(d, m->n);
        if (vta_insn_decode(vta_program_config(of), at(m, m->at), NULL, &insn) != VTA_OK ||
            insn.opcode != VTA_OP_LOAD || insn.u.mem.memory_type != VTA_MEM_UOP || !insn.u.mem.x_size)
            continue;
        uint64_t addr = (uint64_t)insn.u.mem.dram_base * VTA_UOP_BYTES;
        for (uint32_t k = 0; k < run.segment_count; k++) {
            vta_program_get_segment(of, 0, k, &s);
            if (addr < s.addr || addr >= s.addr + s.size) continue;
            m->uop_addr = s.addr;
            m->uop_byte = (size_t)(addr - s.addr) + below(d, (uint32_t)insn.u.mem.x_size * VTA_UOP_BYTES);
            m->uop_mask = (uint8_t)(1u << below(d, 8));
            return;
        }
    }
    flip(at(m, m->at), below(d, 8 * VTA_INSN_BYTES));
}

mutant mutant_make(const vta_program *of, mutation kind, uint64_t seed) {
    vta_program_run_info run;
    dice d = {seed * 0x9E3779B97F4A7C15u + kind};
    vta_program_get_run(of, 0, &run);
    mutant m = {.kind = kind, .n = run.insn_count, .insns = malloc((size_t)run.insn_count * VTA_INSN_BYTES)};
    if (!m.insns) abort();
    memcpy(m.insns, run.insns, (size_t)m.n * VTA_INSN_BYTES);
    m.at = below(&d, m.n > 2 ? m.n - 2 : 1); /* FINISH stays the last */
    uint32_t room = m.n > 2 + m.at ? m.n - 2 - m.at : 0;
    switch (kind) {
    case MUTATION_EXCHANGE: move(&m, room ? 1 : 0); break;
    case MUTATION_MOVE: move(&m, room ? 1 + below(&d, room < DISTANCE ? room : DISTANCE) : 0); break;
    case MUTATION_DROP: drop(&m); break;
    case MUTATION_FLAG: flip(at(&m, m.at), FIRST_FLAG + below(&d, FLAGS)); break;
    case MUTATION_PASS: pass_flag(&m, &d); break;
    case MUTATION_UOP: flip_uop(&m, of, &d); break;
    case MUTATION_BIT:
    case MUTATION_COUNT: flip(at(&m, m.at), below(&d, 8 * VTA_INSN_BYTES)); break;
    }
    return m;
}

static bool add_segment(vta_program *to, const vta_program_segment *s, const mutant *m) {
    uint8_t *bytes = calloc(1, s->size);
    if (!bytes) abort();
    if (s->before_size) memcpy(bytes, s->before, s->before_size);
    if (s->addr == m->uop_addr) bytes[m->uop_byte] ^= m->uop_mask;
    vta_status status = vta_program_add_segment(to, s->addr, bytes, s->size, NULL);
    free(bytes);
    return status == VTA_OK;
}

vta_program *mutant_program(const vta_program *of, const mutant *m, const uint32_t *order, uint32_t n) {
    vta_program_run_info run;
    vta_program_segment s;
    vta_program *to;
    uint8_t *insns = malloc((size_t)m->n * VTA_INSN_BYTES);
    if (!insns || vta_program_get_run(of, 0, &run) != VTA_OK ||
        vta_program_create(vta_program_config(of), NULL, NULL, &to) != VTA_OK)
        abort();
    for (uint32_t i = 0; i < n; i++)
        memcpy(insns + (size_t)i * VTA_INSN_BYTES, at(m, order ? order[i] : i), VTA_INSN_BYTES);
    bool ok = vta_program_begin_run(to, run.insn_addr, insns, n, NULL) == VTA_OK;
    for (uint32_t i = 0; ok && i < run.segment_count; i++)
        ok = vta_program_get_segment(of, 0, i, &s) == VTA_OK && add_segment(to, &s, m);
    if (!ok || vta_program_end_run(to, NULL) != VTA_OK) abort();
    free(insns);
    return to;
}
