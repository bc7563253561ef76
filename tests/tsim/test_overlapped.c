/* The timing of this project's own hardware, by itself (tests/rtl holds it against the hardware): every cycle of a unit
 * is in one state, instructions of a unit end one after the other, a limit cuts a run off without changing it, a token
 * that never comes is told. */
#include <string.h>

#include "support/check.h"

#include "device/random_program.h"
#include "device/small_program.h"
#include "vta/timing.h"

static random_program program;
static vta_timing timing;
static vta_insn_time times[NAIVE_INSNS];

static vta_status run(const char *changes, uint64_t limit, vta_diag *diag) {
    vta_timing_profile profile;
    assert_int_equal(vta_timing_profile_get("rtl", NULL, &profile), VTA_OK);
    assert_int_equal(vta_timing_profile_set(&profile, changes, NULL), VTA_OK);
    return vta_timing_run(program.config, &profile, program.insns, (size_t)program.count, RP_BASE, limit, NULL, diag,
                          &timing, times);
}

static void check_sums(uint64_t seed) {
    uint64_t instructions = 0;
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        uint64_t sum = 0;
        for (int s = 0; s < VTA_STATE_COUNT; s++) sum += timing.state[u][s];
        if (sum != timing.cycles) fail_msg("seed %d: unit %d: %d of %d", (int)seed, u, (int)sum, (int)timing.cycles);
    }
    for (int k = 0; k < VTA_KIND_COUNT; k++) instructions += timing.kind_count[k];
    assert_true(instructions <= (uint64_t)program.count);
}

static void check_times(void) {
    uint64_t last[VTA_UNIT_COUNT] = {0};
    for (int i = 0; i < program.count; i++) {
        const vta_insn_time *t = &times[i];
        if (t->start == UINT64_MAX) continue; /* did not end, or ended before an older one of its unit */
        assert_in_range(t->unit, VTA_UNIT_LOAD, VTA_UNIT_STORE);
        assert_true(t->ready <= t->start && t->start <= t->end && t->arrived <= t->end);
        assert_true(t->wait_prev + t->wait_next <= t->start - t->ready);
        if (t->end > last[t->unit]) last[t->unit] = t->end;
    }
    assert_int_equal(last[VTA_UNIT_COMPUTE], timing.cycles + 1); /* FINISH */
}

TEST_CASE(every_cycle_is_in_one_state) {
    static const char *const settings[] = {"", "bus_bits=256", "bus_bits=32 len_bits=0", "delay=90 outstanding=3",
                                           "queue_depth=2 bus_bits=512"};
    int programs = 0;
    uint64_t waited[2] = {0}; /* of fetch, for a place in a queue of 512 and of 2 instructions */
    for (uint64_t seed = 1; seed <= 150; seed++) {
        if (!rp_make(&program, seed, 70, true)) continue;
        vta_diag *diag = vta_diag_create(NULL);
        if (run(settings[seed % 5], 0, diag) != VTA_OK) fail_msg("seed %d: %s", (int)seed, vta_diag_text(diag));
        check_sums(seed);
        check_times();
        waited[strstr(settings[seed % 5], "queue_depth") != NULL] += timing.state[VTA_UNIT_FETCH][VTA_STATE_WAIT_FULL];
        programs++;
        vta_diag_destroy(diag);
        rp_clear(&program);
    }
    assert_true(programs > 60);
    assert_true(waited[0] == 0 && waited[1] > 0);
}

/* Cut off at some cycle, a run is the beginning of the whole one. */
TEST_CASE(cut_off) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        if (!rp_make(&program, seed, 60, true)) continue;
        static vta_insn_time whole[NAIVE_INSNS];
        assert_int_equal(run("", 0, NULL), VTA_OK);
        memcpy(whole, times, sizeof whole);
        uint64_t cycles = timing.cycles;
        assert_int_equal(run("", cycles + 1, NULL), VTA_OK);
        for (uint64_t limit = 1; limit < cycles; limit += 1 + cycles / 37) {
            assert_int_equal(run("", limit, NULL), VTA_TIMEOUT);
            for (int i = 0; i < program.count; i++) {
                bool ended = whole[i].start != UINT64_MAX && whole[i].end <= limit;
                assert_int_equal(times[i].start != UINT64_MAX && times[i].end, ended);
                if (ended) assert_memory_equal(&times[i], &whole[i], sizeof times[i]);
            }
        }
        rp_clear(&program);
    }
}

TEST_CASE(a_token_that_never_comes) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        if (!rp_make(&program, seed, 60, true)) continue;
        vta_diag *diag = vta_diag_create(NULL);
        int pushers = 0;
        for (int i = 0; i < program.count; i++) {
            pushers += program.insns[i].push_next_dep || program.insns[i].push_prev_dep;
            program.insns[i].push_next_dep = program.insns[i].push_prev_dep = 0;
        }
        if (pushers) {
            assert_int_equal(run("", 0, diag), VTA_DEADLOCK);
            assert_non_null(strstr(vta_diag_text(diag), "waits forever for a "));
        }
        vta_diag_destroy(diag);
        rp_clear(&program);
    }
}

/* Nothing overlaps here: the states of the units follow from the times of the instructions, which count from 1. A token
 * that is waited for is seen a cycle after it came. */
TEST_CASE(states_of_a_plain_program) {
    vta_insn insns[] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 1),
                        sp_load(VTA_MEM_INP, 0, SP_DATA / 16, 1, 64),
                        sp_gemm(0, 1, 1, 64),
                        sp_load(VTA_MEM_INP, 64, SP_DATA / 16, 1, 4),
                        sp_store(0, SP_OUT / 16, 1, 64),
                        sp_finish()};
    enum { COUNT = sizeof insns / sizeof *insns };
    insns[1].push_next_dep = insns[2].pop_prev_dep = 1;
    insns[2].push_prev_dep = insns[3].pop_next_dep = 1;
    insns[2].push_next_dep = insns[4].pop_prev_dep = 1;
    insns[4].push_prev_dep = insns[5].pop_next_dep = 1;
    vta_config *config = vta_config_default();
    vta_timing_profile profile;
    uint64_t first[VTA_UNIT_COUNT] = {0}, last[VTA_UNIT_COUNT] = {0}, prev[VTA_UNIT_COUNT] = {0},
             next[VTA_UNIT_COUNT] = {0};
    assert_int_equal(vta_timing_profile_get("rtl", NULL, &profile), VTA_OK);
    assert_int_equal(vta_timing_run(config, &profile, insns, COUNT, SP_INSNS, 0, NULL, NULL, &timing, times), VTA_OK);
    for (int i = 0; i < COUNT; i++) {
        const vta_insn_time *t = &times[i];
        if (!first[t->unit]) first[t->unit] = t->arrived;
        last[t->unit] = t->end;
        prev[t->unit] += t->wait_prev + (t->wait_prev != 0);
        next[t->unit] += t->wait_next + (t->wait_next != 0);
    }
    for (int u = VTA_UNIT_LOAD; u <= VTA_UNIT_STORE; u++) {
        assert_int_equal(timing.state[u][VTA_STATE_WAIT_FETCH], first[u] - 1);
        assert_int_equal(timing.state[u][VTA_STATE_IDLE], timing.cycles + 1 - last[u]);
        assert_int_equal(timing.state[u][VTA_STATE_WAIT_PREV], prev[u]);
        assert_int_equal(timing.state[u][VTA_STATE_WAIT_NEXT], next[u]);
        assert_int_equal(timing.state[u][VTA_STATE_WAIT_FULL], 0);
    }
    assert_true(next[VTA_UNIT_LOAD] && prev[VTA_UNIT_COMPUTE] && next[VTA_UNIT_COMPUTE] && prev[VTA_UNIT_STORE]);
    assert_in_range(timing.state[VTA_UNIT_LOAD][VTA_STATE_WAIT_MEMORY], 2 * profile.delay, timing.cycles / 4);
    assert_int_equal(timing.state[VTA_UNIT_STORE][VTA_STATE_WAIT_MEMORY], 0);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
