/* The beats that the timing model counts for each instruction: of the rows that it reads, and nothing for what is
 * padded, written or computed; by both models, where loads run one after another and where they overlap. */
#include "support/diag.h"
#include "vta/isa.h"
#include "vta/timing.h"

enum { STREAMS = 60, INSNS = 24 };

static check_random numbers = {3};

static uint32_t pick(uint32_t least, uint32_t most) { return (uint32_t)check_between(&numbers, least, most); }

static vta_insn load(vta_memory memory, uint32_t y, uint32_t x) {
    vta_insn insn = {.opcode = VTA_OP_LOAD};
    insn.u.mem.memory_type = (uint8_t)memory;
    insn.u.mem.dram_base = 0x10000 + 64 * pick(0, 100);
    insn.u.mem.y_size = (uint16_t)y;
    insn.u.mem.x_size = (uint16_t)x;
    insn.u.mem.x_stride = (uint16_t)(x + 4 * pick(0, 3));
    return insn;
}

/* Rows of whole beats. */
static vta_insn random_load(void) {
    static const vta_memory memories[] = {VTA_MEM_WGT, VTA_MEM_INP, VTA_MEM_ACC, VTA_MEM_ACC_8BIT};
    uint32_t which = pick(0, 5);
    if (which > 4) return load(VTA_MEM_UOP, 1, 4 * pick(0, 20));
    vta_insn insn = load(memories[which % 4], pick(1, 4), pick(0, 20));
    if (which == 1) insn.u.mem.y_pad_0 = insn.u.mem.x_pad_1 = (uint8_t)pick(0, 3);
    return insn;
}

static vta_insn random_insn(void) {
    vta_insn insn = random_load();
    uint32_t kind = pick(0, 7);
    if (kind == 0) {
        insn = (vta_insn){.opcode = VTA_OP_STORE};
        insn.u.mem.memory_type = VTA_MEM_OUT;
        insn.u.mem.dram_base = 0x80000;
        insn.u.mem.y_size = 2, insn.u.mem.x_size = insn.u.mem.x_stride = (uint16_t)pick(1, 9);
    } else if (kind == 1) {
        insn = (vta_insn){.opcode = pick(0, 1) ? VTA_OP_GEMM : VTA_OP_ALU};
        insn.u.exec.uop_end = 1, insn.u.exec.iter_out = 1, insn.u.exec.iter_in = (uint16_t)pick(1, 30);
    }
    return insn;
}

static uint64_t beats_of(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn) {
    if (insn->opcode != VTA_OP_LOAD) return 0;
    uint64_t row = (uint64_t)insn->u.mem.x_size * vta_config_elem_bytes(config, insn->u.mem.memory_type);
    return row / (profile->bus_bits / 8) * insn->u.mem.y_size;
}

TEST_CASE(random_streams) {
    static const char *const names[] = {"chisel", "rtl"}, *const changes[] = {"bus_bits=64", "bus_bits=128"};
    vta_config *config = vta_config_default();
    for (uint32_t n = 0; n < STREAMS; n++) {
        vta_timing_profile profile;
        vta_timing timing;
        vta_insn insns[INSNS];
        vta_insn_time times[INSNS];
        must(vta_timing_profile_get(names[n % 2], diag, &profile));
        must(vta_timing_profile_set(&profile, changes[n / 2 % 2], diag));
        for (int i = 0; i < INSNS; i++) insns[i] = random_insn();
        insns[INSNS - 2] = load(VTA_MEM_INP, 1, 1); /* which FINISH waits for, and so for all loads */
        insns[INSNS - 2].push_next_dep = 1;
        insns[INSNS - 1] = (vta_insn){.opcode = VTA_OP_FINISH, .pop_prev_dep = 1};
        must(vta_timing_run(config, &profile, insns, INSNS, 0x1000, 0, NULL, diag, &timing, times));
        uint64_t fetched = INSNS * VTA_INSN_BYTES / (profile.bus_bits / 8), sum = fetched;
        for (int i = 0; i < INSNS; i++) {
            uint64_t want = beats_of(config, &profile, &insns[i]);
            if (times[i].beats != want)
                fail_msg("stream %u, %s: instruction %d has %u beats, not %u", n, names[n % 2], i, times[i].beats,
                         (unsigned)want);
            sum += want;
        }
        assert_int_equal(timing.read_beats, sum);
    }
    vta_config_release(config);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
