/* What a profile says, against devices that run the same instructions and against sums made here. */
#include <time.h>

#include "profiled.h"

/* The run counts what the device counts, and so does each layer: the device then runs nothing else. */
static void counters(void **state) {
    (void)state;
    vta_instance *in = all_layers("tsim");
    vta_counters device = vta_device_counters(vta_instance_device(in)), sum = {0};
    vta_step_profile run = profile_of(in, RUN);
    assert_memory_equal(&run.counters, &device, sizeof device);
    for (int k = 0; k < LAYERS; k++) {
        vta_counters got = profile_of(in, RUN + 1 + (size_t)k).counters;
        assert_int_equal(got.cycles, profile_of(in, RUN + 1 + (size_t)k).cycles);
#define VTA_COUNTER(name, meaning) sum.name += got.name;
#include "vta/counters.def"
#undef VTA_COUNTER
        vta_instance *alone = instance_of(model_of(k, k + 1, false), &(vta_instance_options){.driver = "tsim"});
        device = vta_device_counters(vta_instance_device(alone));
        device.insn_finish = k == LAYERS - 1;
        device.runs = 0; /* a layer is none */
        device.cycles = got.cycles;
        assert_memory_equal(&got, &device, sizeof device);
        vta_instance_destroy(alone);
    }
    sum.runs = 1;
    assert_memory_equal(&run.counters, &sum, sizeof sum);
    vta_instance_destroy(in);
}

/* The cycles of a run by the timing model, and each of its instructions' times unless NULL. */
static uint64_t timed(const vta_model *model, uint32_t first, uint32_t count, vta_insn_time *times) {
    const vta_config *config = vta_model_config(model);
    vta_timing_profile profile;
    vta_timing timing;
    vta_insn insns[16];
    size_t size;
    const uint8_t *bytes = vta_model_section(model, VT_SECTION_INSNS, &size);
    assert_true(count <= 16 && (first + count) * VTA_INSN_BYTES <= size);
    for (uint32_t i = 0; i < count; i++)
        MUST(vta_insn_decode(config, bytes + (first + i) * VTA_INSN_BYTES, diag, &insns[i]));
    MUST(vta_timing_profile_for(config, diag, &profile));
    uint32_t addr = INSNS_AT + first * VTA_INSN_BYTES;
    MUST(vta_timing_run(config, &profile, insns, count, addr, 0, NULL, diag, &timing, times));
    return timing.cycles;
}

/* A layer lasts until the last of its instructions has ended, the last one until the run has. */
static void cycles_of_layers(void **state) {
    (void)state;
    vta_instance *in = all_layers("tsim");
    vta_insn_time times[16];
    uint32_t at = 0;
    uint64_t cycles = timed(vta_instance_model(in), 0, 4 * LAYERS + 1, times);
    assert_int_equal(profile_of(in, RUN).cycles, cycles);
    uint64_t done = 0;
    for (size_t k = 0; k < LAYERS; k++) {
        uint64_t end = done;
        for (uint32_t last = at + 4; at < last; at++) /* each has four instructions */
            if (times[at].end > end) end = times[at].end;
        if (k == LAYERS - 1) end = cycles;
        assert_int_equal(profile_of(in, RUN + 1 + k).cycles, end - done);
        done = end;
    }
    assert_int_equal(profile_of(in, 0).cycles, 0);
    vta_instance_destroy(in);
}

/* Layer 0 as one run, layer 1 as a second one behind it in the stream, in the place of the copy. */
static vta_model *model_of_two_runs(uint32_t first[2], uint32_t count[2]) {
    small s;
    vta_insn finish;
    vta_model *model;
    size_t size;
    vta_config *config = vta_config_default();
    small_make(&s);
    s.insn_count = 0;
    for (int k = 0; k < 2; k++) {
        first[k] = s.insn_count;
        layer(&s, config, k);
        small_push(&s, config, small_insn(&finish, VTA_OP_FINISH));
        count[k] = s.insn_count - first[k];
        s.steps[RUN + k] = (vt_plan_step){.kind = VT_STEP_RUN, .name = "run", .first = first[k], .count = count[k]};
    }
    uint8_t *bytes = small_write(&s, NULL, &size);
    MUST(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    small_free(&s);
    vta_config_release(config);
    return model;
}

/* Each run has its own instructions and cycles. */
static void two_runs(void **state) {
    (void)state;
    uint32_t first[2], count[2];
    vta_instance *in = instance_of(model_of_two_runs(first, count), &(vta_instance_options){.driver = "tsim"});
    for (uint32_t k = 0; k < 2; k++) {
        vta_step_profile got = profile_of(in, RUN + k);
        vta_instance *alone =
            instance_of(model_of((int)k, (int)k + 1, false), &(vta_instance_options){.driver = "tsim"});
        vta_counters device = vta_device_counters(vta_instance_device(alone));
        assert_int_equal(got.counters.cycles, got.cycles);
        assert_int_equal(got.cycles, timed(vta_instance_model(in), first[k], count[k], NULL));
        device.cycles = got.cycles; /* its instructions stood elsewhere */
        assert_memory_equal(&got.counters, &device, sizeof device);
        vta_instance_destroy(alone);
    }
    assert_int_equal(vta_device_counters(vta_instance_device(in)).cycles,
                     profile_of(in, RUN).cycles + profile_of(in, RUN + 1).cycles);
    vta_instance_destroy(in);
}

/* Whose timing model is asked: the caller's, else the device's, else the configuration's. */
static void profiles(void **state) {
    (void)state;
    vta_timing_profile rtl;
    MUST(vta_timing_profile_get("rtl", diag, &rtl));
    const vta_device_options device = {.profile = "rtl"};
    const vta_instance_options options[] = {{.driver = "tsim"},
                                            {.driver = "sim"},
                                            {.driver = "tsim", .device = &device},
                                            {.driver = "sim", .timing = &rtl},
                                            {.driver = "tsim", .timing = &rtl}};
    uint64_t cycles[5];
    for (int i = 0; i < 5; i++) {
        vta_instance *in = instance_of(model_of(0, LAYERS, true), &options[i]);
        cycles[i] = profile_of(in, RUN).cycles;
        if (!options[i].timing && !strcmp(options[i].driver, "tsim"))
            assert_int_equal(cycles[i], vta_device_counters(vta_instance_device(in)).cycles);
        vta_instance_destroy(in);
    }
    assert_int_equal(cycles[1], cycles[0]);
    assert_int_not_equal(cycles[2], cycles[0]);
    assert_int_equal(cycles[3], cycles[2]);
    assert_int_equal(cycles[4], cycles[2]);
}

/* On two widths of the bus; the micro-op makes the bytes no multiple of either. */
static void bounds(void **state) {
    (void)state;
    for (uint32_t bits = 64; bits <= 128; bits *= 2) {
        bool by_memory = false, by_compute = false;
        vta_timing_profile timing;
        MUST(vta_timing_profile_get("chisel", diag, &timing));
        timing.bus_bits = bits;
        vta_instance *in = instance_of(model_of(0, LAYERS, true), &(vta_instance_options){.timing = &timing});
        for (size_t i = 0; i < RUN + 1 + LAYERS; i++) {
            vta_step_profile p = profile_of(in, i);
            const vta_counters *c = &p.counters;
            uint64_t bytes = c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes;
            uint64_t compute = c->gemm_counter + c->gemm_reset_counter + c->alu_counter;
            uint64_t memory = bytes / (bits / 8) + (bytes % (bits / 8) != 0);
            assert_int_equal(p.compute_cycles, compute);
            assert_int_equal(p.memory_cycles, memory);
            assert_int_equal(p.bound_cycles, compute > memory ? compute : memory);
            by_memory = by_memory || memory > compute;
            by_compute = by_compute || compute > memory;
        }
        assert_true(by_memory && by_compute);
        vta_instance_destroy(in);
    }
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The steps of a run share its time. */
static void seconds(void **state) {
    (void)state;
    vta_instance *in = all_layers("tsim");
    for (int n = 0; n < 20; n++) {
        double before = now(), sum = 0;
        MUST(vta_instance_run(in, diag));
        double whole = now() - before;
        for (size_t i = 0; i < RUN + 1 + LAYERS + 2; i++) {
            double step = profile_of(in, i).seconds;
            assert_true(step >= 0);
            sum += step;
        }
        if (sum <= 0 || sum > whole * (1 + 1e-6)) fail_msg("the steps took %g s of %g s", sum, whole);
    }
    assert_true(profile_of(in, RUN).seconds > 0);
    assert_true(profile_of(in, RUN + 1).seconds == 0);
    vta_instance_destroy(in);
}

static void misuse(void **state) {
    (void)state;
    vta_instance *in = all_layers("sim");
    vta_step_profile p;
    char *text = (char *)"";
    assert_int_equal(vta_instance_profile(in, RUN + 1 + LAYERS + 2, diag, &p), VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag), "step 7: small has 7");
    assert_int_equal(vta_instance_profile(NULL, 0, diag, &p), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_instance_profile(in, 0, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_instance_profile_json(in, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_instance_profile_json(NULL, diag, &text), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    vta_instance_destroy(in);
}

int main(void) {
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters), cmocka_unit_test(cycles_of_layers), cmocka_unit_test(two_runs),
        cmocka_unit_test(profiles), cmocka_unit_test(bounds),           cmocka_unit_test(seconds),
        cmocka_unit_test(misuse),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}
