/* What a profile says, against devices that run the same instructions and against sums made here. The stream has every
 * kind of transfer and of work, in three layers. Its results mean nothing. */
#include <jansson.h>
#include <time.h>

#include "small.h"

static vta_diag *diag;
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != VTA_OK) fail_msg("%s: %s", #call, vta_diag_text(diag));                                          \
    } while (0)

enum { LAYERS = 3, RUN = 1 }; /* the run is step 1, its layers are entries 2, 3 and 4 */

static void work(small *s, const vta_config *config, vta_opcode opcode, uint16_t iter_out, uint16_t iter_in,
                 bool reset) {
    vta_insn insn;
    small_insn(&insn, opcode);
    insn.u.exec.uop_end = 1;
    insn.u.exec.iter_out = iter_out;
    insn.u.exec.iter_in = iter_in;
    insn.u.exec.reset_reg = reset;
    small_push(s, config, &insn);
}

/* The instructions of one layer, without FINISH. */
static void layer(small *s, const vta_config *config, int k) {
    switch (k) {
    case 0:
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_UOP, UOPS_AT, 1, "");
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_INP, X_AT, 3, "");
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_WGT, X_AT, 2, "");
        work(s, config, VTA_OP_GEMM, 7, 5, true);
        break;
    case 1:
        work(s, config, VTA_OP_GEMM, 30, 20, false);
        work(s, config, VTA_OP_ALU, 4, 3, false);
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_INP, X_AT, 0, "");
        small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, Y_AT, 6, "");
        break;
    default:
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_ACC, X_AT, 5, "");
        small_transfer(s, config, VTA_OP_LOAD, VTA_MEM_ACC_8BIT, X_AT, 3, "");
        small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, Y_AT, 0, "");
        small_transfer(s, config, VTA_OP_STORE, VTA_MEM_OUT, Z_AT, 1, "");
    }
}

/* A model whose run has the layers from `first` to `end`; with their names, or as one. */
static vta_model *model_of(int first, int end, bool named) {
    static vt_plan_layer layers[LAYERS] = {{"first", 0}, {"second", 0}, {"third", 0}};
    small s;
    vta_insn finish;
    vta_model *model;
    size_t size;
    vta_config *config = vta_config_default();
    small_make(&s);
    s.insn_count = 0;
    for (int k = first; k < end; k++) {
        layers[k].first = s.insn_count;
        layer(&s, config, k);
    }
    small_push(&s, config, small_insn(&finish, VTA_OP_FINISH));
    s.steps[RUN].count = s.insn_count;
    s.steps[RUN].layers = layers;
    s.steps[RUN].layer_count = named ? LAYERS : 0;
    uint8_t *bytes = small_write(&s, NULL, &size);
    MUST(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    small_free(&s);
    vta_config_release(config);
    return model;
}

static vta_instance *instance_of(vta_model *model, const vta_instance_options *options) {
    vta_instance *in;
    MUST(vta_instance_create(model, options, diag, &in));
    vta_model_release(model);
    MUST(vta_instance_run(in, diag));
    return in;
}

static vta_instance *all_layers(const char *driver) {
    return instance_of(model_of(0, LAYERS, true), &(vta_instance_options){.driver = driver});
}

static vta_step_profile profile_of(vta_instance *in, size_t index) {
    vta_step_profile p = {0};
    MUST(vta_instance_profile(in, index, diag, &p));
    return p;
}

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

/* A layer lasts until the last of its instructions has ended, the last one until the run has. */
static void cycles_of_layers(void **state) {
    (void)state;
    vta_instance *in = all_layers("tsim");
    const vta_model *model = vta_instance_model(in);
    const vta_config *config = vta_model_config(model);
    vta_timing_profile profile;
    vta_timing timing;
    vta_insn insns[16];
    vta_insn_time times[16];
    size_t size;
    const uint8_t *bytes = vta_model_section(model, VT_SECTION_INSNS, &size);
    uint32_t count = (uint32_t)(size / VTA_INSN_BYTES), at = 0;
    for (uint32_t i = 0; i < count; i++) MUST(vta_insn_decode(config, bytes + i * VTA_INSN_BYTES, diag, &insns[i]));
    MUST(vta_timing_profile_for(config, diag, &profile));
    MUST(vta_timing_run(config, &profile, insns, count, INSNS_AT, 0, NULL, diag, &timing, times));
    assert_int_equal(profile_of(in, RUN).cycles, timing.cycles);
    uint64_t done = 0;
    for (size_t k = 0; k < LAYERS; k++) {
        uint64_t end = done;
        for (uint32_t last = at + 4; at < last; at++) /* each has four instructions */
            if (times[at].end > end) end = times[at].end;
        if (k == LAYERS - 1) end = timing.cycles;
        assert_int_equal(profile_of(in, RUN + 1 + k).cycles, end - done);
        done = end;
    }
    assert_int_equal(profile_of(in, 0).cycles, 0);
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

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void check_uint(const json_t *object, const char *key, uint64_t want) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("%s is missing", key);
    if ((uint64_t)json_integer_value(value) != want)
        fail_msg("%s is %lld, not %llu", key, (long long)json_integer_value(value), (unsigned long long)want);
}

static void check_real(const json_t *object, const char *key, double want) {
    double got = json_number_value(json_object_get(object, key));
    if (got < want * (1 - 1e-8) || got > want * (1 + 1e-8)) fail_msg("%s is %.12g, not %.12g", key, got, want);
}

static void check_text(const json_t *object, const char *key, const char *want) {
    const char *got = json_string_value(json_object_get(object, key));
    if (!got || strcmp(got, want) != 0) fail_msg("%s is %s, not %s", key, got ? got : "missing", want);
}

/* Counters that are 0 are left out. */
static void check_counters(const json_t *got, const vta_counters *want) {
    size_t count = 0;
#define VTA_COUNTER(name, meaning)                                                                                     \
    if (want->name) check_uint(got, #name, want->name);                                                                \
    count += want->name != 0;
#include "vta/counters.def"
#undef VTA_COUNTER
    assert_int_equal(json_object_size(got), count);
}

static void check_step(const json_t *got, const vta_model_step *step, const vta_step_profile *p) {
    const vta_counters *c = &p->counters;
    bool is_layer = step->layer != UINT32_MAX;
    check_text(got, "name", step->name);
    check_text(got, "kind", step->kind);
    check_uint(got, "step", step->step);
    if (!is_layer) check_real(got, "seconds", p->seconds);
    if (step->insn_count) {
        check_uint(got, "cycles", p->cycles);
        check_uint(got, "bound", p->bound_cycles);
        check_text(got, "limit", p->compute_cycles >= p->memory_cycles ? "compute" : "memory");
        check_uint(got, "instructions", step->insn_count);
        check_uint(got, "macs", c->macs);
        check_uint(got, "bytes",
                   c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes +
                       c->out_store_nbytes);
        check_counters(json_object_get(got, "counters"), c);
    }
    assert_int_equal(json_object_size(got), 3 + !is_layer + (step->insn_count ? 7 : 0));
}

static void check_memory(const json_t *got, const vta_model *model) {
    vta_model_memory m = {0};
    MUST(vta_model_get_memory(model, &m));
    check_uint(got, "device_bytes", m.device_bytes);
    check_uint(got, "params_bytes", m.params_bytes);
    check_uint(got, "stream_bytes", m.stream_bytes);
    check_uint(got, "work_bytes", m.work_bytes);
    check_uint(got, "host_bytes", m.host_bytes);
    check_uint(got, "file_bytes", m.file_bytes);
    assert_int_equal(json_object_size(got), 6);
}

/* All that the functions say, and nothing else. */
static void as_json(void **state) {
    (void)state;
    vta_instance *in = all_layers("tsim");
    const vta_model *model = vta_instance_model(in);
    char *text;
    MUST(vta_instance_profile_json(in, diag, &text));
    assert_int_equal(text[strlen(text) - 1], '}');
    json_t *all = json_loads(text, 0, NULL), *steps = json_object_get(all, "steps");
    assert_non_null(all);
    check_text(all, "model", "small");
    check_text(all, "driver", "tsim");
    check_text(all, "config", vta_config_bitstream(vta_model_config(model)));
    check_memory(json_object_get(all, "memory"), model);
    assert_int_equal(json_array_size(steps), RUN + 1 + LAYERS + 2);
    double seconds = 0;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        vta_model_step step = {0};
        vta_step_profile p = profile_of(in, i);
        MUST(vta_model_get_step(model, i, &step));
        check_step(json_array_get(steps, i), &step, &p);
        if (step.layer == UINT32_MAX) seconds += p.seconds;
    }
    check_uint(all, "cycles", profile_of(in, RUN).cycles);
    check_real(all, "seconds", seconds);
    check_real(all, "device_seconds", profile_of(in, RUN).seconds);
    assert_int_equal(json_object_size(all), 8);
    json_decref(all);
    vta_string_free(text);
    vta_instance_destroy(in);
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
        cmocka_unit_test(counters), cmocka_unit_test(cycles_of_layers), cmocka_unit_test(profiles),
        cmocka_unit_test(bounds),   cmocka_unit_test(as_json),          cmocka_unit_test(seconds),
        cmocka_unit_test(misuse),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}
