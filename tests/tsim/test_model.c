/* Properties of the timing model on random programs, and its equality with the naive cycle-by-cycle model. */
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "ref/naive_timing.h"
#include "tsim/programs.h"

static uint64_t rng_state;
static uint32_t rnd(uint32_t below) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(rng_state >> 33) % below;
}

static void random_load(program *p, vta_memory memory) {
    /* Now and then many rows of a tile: bursts of few beats, whose last ones follow each other. */
    uint32_t rows = 1 + rnd(rnd(8) ? 4 : 40), tiles = rows > 4 ? 1 + rnd(2) : 1 + rnd(rnd(4) ? 8 : 60);
    vta_insn *insn = add_load(p, memory, 0x1000 + rnd(5000), rows, tiles, rnd(70));
    if (memory == VTA_MEM_UOP || memory == VTA_MEM_WGT || rnd(2)) return;
    insn->u.mem.y_pad_0 = (uint8_t)rnd(4);
    insn->u.mem.y_pad_1 = (uint8_t)rnd(4);
    if (rnd(3) == 0) return; /* no sides: the engine passes the rows of data */
    insn->u.mem.x_pad_0 = (uint8_t)rnd(3);
    insn->u.mem.x_pad_1 = (uint8_t)rnd(3);
}

/* One random instruction of a stage. */
static void random_insn(program *p, int stage) {
    static const vta_memory loads[] = {VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_UOP, VTA_MEM_ACC, VTA_MEM_ACC_8BIT};
    if (rnd(12) == 0) {
        add_load(p, stage == 0 ? VTA_MEM_INP : stage == 1 ? VTA_MEM_UOP : VTA_MEM_OUT, 0, 0, 0, 0);
    } else if (stage == 0) {
        random_load(p, loads[rnd(2)]);
    } else if (stage == 2) {
        add_load(p, VTA_MEM_OUT, 0x1000 + rnd(5000), 1 + rnd(3), 1 + rnd(30), rnd(40));
    } else if (rnd(3) == 0) {
        random_load(p, loads[2 + rnd(3)]);
    } else {
        vta_insn *insn = add_exec(p, rnd(2) ? VTA_OP_GEMM : VTA_OP_ALU, rnd(4), 1 + rnd(4), 1 + rnd(6));
        insn->u.exec.use_imm = insn->opcode == VTA_OP_ALU && rnd(2);
        insn->u.exec.reset_reg = insn->opcode == VTA_OP_GEMM && rnd(4) == 0;
    }
}

/* Tokens that can be satisfied: an instruction pops only what an earlier one pushed. */
static program random_program(uint32_t size) {
    program p = {0};
    uint32_t depth[4] = {0};
    for (uint32_t n = 0; n < size; n++) {
        int stage = (int)rnd(3);
        random_insn(&p, stage);
        vta_insn *insn = &p.insns[p.count - 1];
        uint8_t *pop[2] = {&insn->pop_prev_dep, &insn->pop_next_dep};
        uint8_t *push[2] = {&insn->push_prev_dep, &insn->push_next_dep};
        for (int side = 0; side < 2; side++) {
            int q = nv_pop_token(stage, side);
            if (q >= 0 && depth[q] && rnd(2)) {
                *pop[side] = 1;
                depth[q]--;
            }
            q = nv_push_token(stage, side);
            if (q >= 0 && depth[q] < 3 && rnd(3) == 0) {
                *push[side] = 1;
                depth[q]++;
            }
        }
    }
    add(&p, VTA_OP_FINISH);
    return p;
}

static vta_timing_profile random_profile(void) {
    static const char *const names[] = {"chisel", "chisel-2019", "hls", "ultra96"};
    vta_timing_profile profile;
    assert_int_equal(vta_timing_profile_get(names[rnd(4)], NULL, &profile), VTA_OK);
    if (profile.serial_reads) return profile;
    profile.bus_bits = 64u << rnd(4);
    profile.len_bits = rnd(2) ? 4 : rnd(9);
    if (rnd(2)) profile.delay = rnd(2) ? rnd(80) : 0;
    if (rnd(6) == 0) profile.port_overhead = 4 + rnd(8);
    if (rnd(3) == 0) profile.queue_depth = 1 + rnd(6);
    if (rnd(3) == 0) profile.outstanding = 1 + rnd(16);
    return profile;
}

static void no_padding(program *p) {
    for (size_t i = 0; i < p->count; i++)
        if (p->insns[i].opcode == VTA_OP_LOAD)
            p->insns[i].u.mem.x_pad_0 = p->insns[i].u.mem.x_pad_1 = p->insns[i].u.mem.y_pad_0 =
                p->insns[i].u.mem.y_pad_1 = 0;
}

static void check_against_naive(const vta_config *config, const vta_timing_profile *profile, program *p, uint32_t addr,
                                const vta_timing *timing, const vta_insn_time *times, unsigned seed) {
    nv *v = calloc(1, sizeof *v);
    uint64_t *starts = calloc(2 * p->count, sizeof *starts);
    v->config = config;
    v->p = profile;
    v->insns = p->insns;
    v->count = (uint32_t)p->count;
    v->addr = addr;
    v->starts = starts;
    v->ends = starts + p->count;
    uint64_t cycles = nv_run(v, 2000000);
    for (size_t i = 0; i < p->count; i++)
        if (times[i].start == UINT64_MAX ? v->ends[i] != 0
                                         : times[i].start != v->starts[i] || times[i].end != v->ends[i]) {
            print_error("seed %u, %s bus %u lenBits %u delay %u overhead %u queue %u outstanding %u: instruction %zu "
                        "(%s) [%llu, %llu), naive [%llu, %llu)\n",
                        seed, profile->name, profile->bus_bits, profile->len_bits, profile->delay,
                        profile->port_overhead, profile->queue_depth, profile->outstanding, i,
                        vta_insn_kind_name((vta_insn_kind)times[i].kind), (unsigned long long)times[i].start,
                        (unsigned long long)times[i].end, (unsigned long long)v->starts[i],
                        (unsigned long long)v->ends[i]);
            fail();
        }
    assert_int_equal(cycles, timing->cycles);
    free(starts);
    free(v);
}

/* Every unit is in one state each cycle; nothing starts before its tokens; a unit runs one instruction at a time. */
static void check_properties(const program *p, const vta_timing *timing, const vta_insn_time *times) {
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        uint64_t sum = 0;
        for (int s = 0; s < VTA_STATE_COUNT; s++) sum += timing->state[u][s];
        assert_int_equal(sum, timing->cycles);
    }
    uint64_t end[VTA_UNIT_COUNT] = {0};
    for (size_t i = 0; i < p->count; i++) {
        const vta_insn_time *t = &times[i];
        if (t->start == UINT64_MAX) continue;
        assert_true(t->start >= end[t->unit]);
        assert_int_equal(t->ready, end[t->unit]);
        assert_true(t->start >= t->arrived);
        assert_true(t->end > t->start);
        end[t->unit] = t->end;
        uint32_t tokens[2] = {t->token_prev, t->token_next};
        assert_int_equal(tokens[0] != UINT32_MAX, p->insns[i].pop_prev_dep);
        assert_int_equal(tokens[1] != UINT32_MAX, p->insns[i].pop_next_dep);
        for (int n = 0; n < 2; n++)
            if (tokens[n] != UINT32_MAX) assert_true(times[tokens[n]].end <= t->start);
    }
}

static void one_random_program(vta_config *base, vta_diag *diag, unsigned seed) {
    static const char *const configs[] = {"", "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=5",
                                          "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=3 LOG_BATCH=2"};
    rng_state = seed;
    vta_config *config;
    assert_int_equal(vta_config_with(base, configs[rnd(4)], diag, &config), VTA_OK);
    vta_timing_profile profile = random_profile();
    program p = random_program(5 + rnd(60));
    if (profile.serial_reads) no_padding(&p);
    uint32_t addr = 0x10000 + (rnd(2) ? 16 * rnd(32) : 0);
    vta_timing timing;
    vta_insn_time *times = calloc(p.count, sizeof *times);
    vta_status status = vta_timing_run(config, &profile, p.insns, p.count, addr, 0, NULL, diag, &timing, times);
    if (status != VTA_OK) print_error("seed %u: %s\n", seed, vta_diag_text(diag));
    assert_int_equal(status, VTA_OK);
    check_properties(&p, &timing, times);
    check_against_naive(config, &profile, &p, addr, &timing, times, seed);
    free(times);
    free(p.insns);
    vta_config_release(config);
}

/* VTA_SEEDS=FIRST:LAST chooses others: the long run. */
TEST_CASE(random_programs) {
    unsigned first = 1, last = 2000;
    const char *seeds = getenv("VTA_SEEDS");
    if (seeds) assert_int_equal(sscanf(seeds, "%u:%u", &first, &last), 2);
    vta_config *base = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    for (unsigned seed = first; seed <= last; seed++) one_random_program(base, diag, seed);
    vta_diag_destroy(diag);
    vta_config_release(base);
}

int main(void) { return run_cases(); }
