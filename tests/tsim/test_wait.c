/* wait_cycles bounds the whole run: what did not end within it is not executed, and values, counters and cycles agree.
 * An interrupt ends the timing, too. */
#include "device/small_program.h"
#include "device/tsim/model.h"
#include "tsim/on_device.h"

static random_program p;

static vta_device *device_with(const char *driver, const vta_device_options *options) {
    vta_device *device;
    must(vta_device_create(driver, p.config, options, NULL, NULL, &device), NULL, "create");
    write_program(device, &p);
    return device;
}

/* What ended within `limit`, executed on "sim" in program order without tokens; then FINISH. */
static vta_counters run_what_ended(uint64_t limit, const vta_insn_time *times, uint8_t *to) {
    vta_insn insns[NAIVE_INSNS];
    int count = 0;
    for (int i = 0; i < p.count; i++) {
        if (times[i].start == UINT64_MAX || times[i].end > limit || p.insns[i].opcode == VTA_OP_FINISH) continue;
        insns[count] = p.insns[i];
        insns[count].pop_prev_dep = insns[count].pop_next_dep = 0;
        insns[count].push_prev_dep = insns[count].push_next_dep = 0;
        count++;
    }
    insns[count++] = (vta_insn){.opcode = VTA_OP_FINISH};
    vta_device *device = device_with("sim", NULL);
    write_insns(device, p.config, insns, count);
    must(vta_device_run(device, RP_BASE, (uint32_t)count, 0, NULL), NULL, "run");
    write_insns(device, p.config, p.insns, p.count);
    must(vta_device_read(device, RP_BASE, to, RP_BYTES, NULL), NULL, "read");
    vta_counters counters = vta_device_counters(device);
    vta_device_destroy(device);
    counters.insn_finish--;
    counters.cycles = limit;
    return counters;
}

static vta_timing time_of(vta_insn_time *times) {
    vta_timing_profile profile;
    vta_timing timing;
    must(vta_timing_profile_for(p.config, NULL, &profile), NULL, "profile");
    must(vta_timing_run(p.config, &profile, p.insns, (size_t)p.count, RP_BASE, 0, NULL, NULL, &timing, times), NULL,
         "time");
    return timing;
}

static void cut_off_at(uint64_t limit, const vta_insn_time *times, const vta_device_options *options) {
    static uint8_t got[RP_BYTES], want[RP_BYTES];
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device = device_with("tsim", options);
    assert_int_equal(vta_device_run(device, RP_BASE, (uint32_t)p.count, (uint32_t)limit, diag), VTA_TIMEOUT);
    char says[80];
    snprintf(says, sizeof says, "FINISH was not reached within %llu cycles", (unsigned long long)limit);
    assert_contains(vta_diag_text(diag), says);
    must(vta_device_read(device, RP_BASE, got, RP_BYTES, diag), diag, "read");
    vta_counters counters = vta_device_counters(device), expected = run_what_ended(limit, times, want);
    assert_memory_equal(got, want, RP_BYTES);
    assert_memory_equal(&counters, &expected, sizeof counters);
    vta_timing timing;
    must(vta_device_timing(device, diag, &timing, NULL), diag, "timing");
    assert_int_equal(timing.cycles, limit);
    check_states(&timing);
    vta_device_destroy(device);
    vta_diag_destroy(diag);
}

TEST_CASE(cut_off_anywhere) {
    static const vta_device_options ways[] = {
        {.check = false}, {.check = true}, {.order = VTA_ORDER_RANDOM, .seed = 3}};
    vta_insn_time times[NAIVE_INSNS];
    int cuts = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        if (!rp_make(&p, seed, 40, true)) continue;
        vta_timing timing = time_of(times);
        for (uint64_t limit = 1; limit < timing.cycles; limit += 1 + timing.cycles / 9, cuts++)
            cut_off_at(limit, times, &ways[cuts % 3]);
        cut_off_at(timing.cycles - 1, times, NULL);
        vta_device *device = device_with("tsim", NULL);
        must(vta_device_run(device, RP_BASE, (uint32_t)p.count, (uint32_t)timing.cycles, NULL), NULL, "just in time");
        assert_int_equal(vta_device_counters(device).cycles, timing.cycles);
        vta_device_destroy(device);
        rp_clear(&p);
    }
    assert_true(cuts > 100);
}

/* The sum of the timing is that of the runs since the counters were cleared, also where a run was cut off between. */
TEST_CASE(counters_are_cleared) {
    uint64_t seed = 3;
    while (!rp_make(&p, seed, 40, true)) seed++;
    vta_insn_time times[NAIVE_INSNS];
    vta_timing alone = time_of(times), timing;
    vta_device *device = device_with("tsim", NULL);
    assert_int_equal(vta_device_run(device, RP_BASE, (uint32_t)p.count, 60, NULL), VTA_TIMEOUT);
    must(vta_device_run(device, RP_BASE, (uint32_t)p.count, 0, NULL), NULL, "run");
    must(vta_device_timing(device, NULL, &timing, NULL), NULL, "timing");
    assert_int_equal(timing.cycles, 60 + alone.cycles);
    assert_int_equal(timing.runs, 2);
    vta_device_clear_counters(device);
    must(vta_device_timing(device, NULL, &timing, NULL), NULL, "timing");
    assert_memory_equal(&timing, &(vta_timing){0}, sizeof timing);
    must(vta_device_run(device, RP_BASE, (uint32_t)p.count, 0, NULL), NULL, "run");
    must(vta_device_timing(device, NULL, &timing, NULL), NULL, "timing");
    assert_memory_equal(&timing, &alone, sizeof timing);
    assert_int_equal(vta_device_counters(device).cycles, alone.cycles);
    vta_device_destroy(device);
    rp_clear(&p);
}

/* The largest loops that the fields can say would run for hours. */
TEST_CASE(a_damaged_loop_ends) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    must(vta_device_create("tsim", config, NULL, NULL, diag, &device), diag, "create");
    sp_map(device);
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    insns[2] = sp_gemm(0, 8191, 16383, 16383);
    insns[2].push_next_dep = 1;
    sp_write(device, insns, n);
    assert_int_equal(vta_device_run(device, SP_INSNS, n, 1000000, diag), VTA_TIMEOUT);
    assert_contains(vta_diag_text(diag), "FINISH was not reached within 1000000 cycles");
    vta_counters counters = vta_device_counters(device);
    assert_int_equal(counters.cycles, 1000000);
    assert_int_equal(counters.gemm_counter, 0);
    vta_diag_clear(diag);
    insns[1].u.mem.x_size = UINT16_MAX; /* what the model cannot time sim refuses, in the words of sim */
    insns[1].u.mem.y_size = UINT16_MAX;
    sp_write(device, insns, n);
    assert_int_equal(vta_device_run(device, SP_INSNS, n, 0, diag), VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag), "instruction 1 (LOAD ");
    vta_diag_clear(diag);
    assert_int_equal(vta_device_run(device, SP_INSNS, n, 1000000, diag), VTA_TIMEOUT);
    assert_contains(vta_diag_text(diag), "needs 4294836225 cycles at least");
    vta_device_destroy(device);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

TEST_CASE(an_interrupt_ends_the_timing) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_timing_profile profile;
    vta_timing timing;
    vta_insn insns[] = {{.opcode = VTA_OP_GEMM, .u.exec = {.uop_end = 1, .iter_out = 100, .iter_in = 100}},
                        {.opcode = VTA_OP_FINISH}};
    uint8_t stages[] = {1, 1};
    atomic_bool interrupt;
    atomic_init(&interrupt, true);
    vta_timing_profile_get(NULL, NULL, &profile);
    vt_timing_job job = {.config = config,
                         .profile = &profile,
                         .insns = insns,
                         .stages = stages,
                         .count = 2,
                         .interrupt = &interrupt,
                         .allocator = &vt_allocator_libc};
    assert_int_equal(vt_timing_run(&job, diag, &timing, NULL, NULL), VTA_INTERRUPTED);
    assert_contains(vta_diag_text(diag), "interrupted in cycle 2");
    assert_int_equal(timing.cycles, 0);
    atomic_store(&interrupt, false);
    assert_int_equal(vt_timing_run(&job, diag, &timing, NULL, NULL), VTA_OK);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
