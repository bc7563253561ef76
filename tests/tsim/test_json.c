/* The figures of a timing as JSON: every key, with the number worked out here from a timing of round counts. */
#include <jansson.h>
#include <math.h>

#include "support/check.h"
#include "vta/timing.h"

/* 2 x 8 x 16, so that no two sizes are the same: 256 multiplications a GEMM micro-op, 32 scalars an ALU one. */
#define MACHINE "{\"LOG_BATCH\": 1, \"LOG_BLOCK_IN\": 3, \"LOG_BLOCK_OUT\": 4}"

/* 1000 cycles, and counts that differ in everything. */
static vta_timing timing_of(uint64_t gemm_uops) {
    vta_timing t = {.cycles = 1000, .runs = 3, .read_beats = 250, .read_bursts = 17, .write_bytes = 96,
                    .fetch_bytes = 160, .gemm_uops = gemm_uops, .alu_uops = 125, .lost_tokens = 5};
    for (int u = 0; u < VTA_UNIT_COUNT; u++)
        for (int s = 0; s < VTA_STATE_COUNT; s++) t.state[u][s] = 100 * (uint64_t)u + 10 * (uint64_t)s + 1;
    for (int k = 0; k < VTA_KIND_COUNT; k++) {
        t.kind_count[k] = 2 + (uint64_t)k;
        t.kind_cycles[k] = 40 + (uint64_t)k;
        t.kind_bytes[k] = k == 0 ? 4000 : 0;
    }
    return t;
}

typedef struct figure {
    const char *key;
    double of_gemm, of_alu; /* with 200 GEMM micro-ops, and with none */
} figure;

/* A bus of 128 bits at 100 MHz, a GEMM micro-op a cycle, an ALU one every two with an immediate. */
static const figure figures[] = {
    {"cycle_count", 1000, 1000},
    {"cycles", 1000, 1000},
    {"runs", 3, 3},
    {"bus_bits", 128, 128},
    {"frequency_khz", 100000, 100000},
    {"seconds", 1e-5, 1e-5},
    {"macs", 51200, 0},
    {"bytes", 4000, 4000},
    {"gemm_utilization", 0.2, 0},
    {"bus_utilization", 0.25, 0.25},
    {"bytes_per_cycle", 4, 4},
    {"macs_per_byte", 12.8, 0},
    {"macs_per_cycle", 51.2, 0},
    {"peak_macs_per_cycle", 256, 256},
    {"roof_macs_per_cycle", 204.8, 0},
    {"roofline_fraction", 0.25, 0.25},
    {"alu_ops", 4000, 4000},
    {"alu_utilization", 0.25, 0.25},
    {"operations_per_byte", 12.8, 1},
    {"operations_per_cycle", 51.2, 4},
    {"peak_operations_per_cycle", 256, 16},
    {"roof_operations_per_cycle", 204.8, 16},
    {"read_beats", 250, 250},
    {"read_bursts", 17, 17},
    {"write_bytes", 96, 96},
    {"fetch_bytes", 160, 160},
    {"gemm_uops", 200, 0},
    {"alu_uops", 125, 125},
    {"lost_tokens", 5, 5},
};
#define FIGURE_COUNT (sizeof figures / sizeof figures[0])

static json_t *json_of(const vta_timing *timing) {
    vta_config *config;
    vta_timing_profile profile;
    json_error_t error;
    assert_int_equal(vta_config_parse(MACHINE, strlen(MACHINE), "test", NULL, &config), VTA_OK);
    assert_int_equal(vta_timing_profile_get("chisel", NULL, &profile), VTA_OK);
    assert_int_equal(vta_timing_profile_set(&profile, "bus_bits=128 frequency_khz=100000 gemm_step=1 alu_imm_step=2",
                                            NULL),
                     VTA_OK);
    char *text = vta_timing_to_json(config, &profile, timing);
    json_t *j = json_loads(text, JSON_DECODE_ANY, &error);
    if (!j) fail_msg("line %d: %s in %s", error.line, error.text, text);
    vta_string_free(text);
    vta_config_release(config);
    return j;
}

static void same(const json_t *object, const char *key, double expected) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) fail_msg("%s is missing", key);
    if (fabs(json_number_value(value) - expected) > 1e-9 + 1e-6 * fabs(expected))
        fail_msg("%s is %.9g, not %.9g", key, json_number_value(value), expected);
}

static void units_and_kinds(const json_t *j, const vta_timing *t) {
    const json_t *units = json_object_get(j, "units"), *kinds = json_object_get(j, "instructions");
    assert_int_equal(json_object_size(units), VTA_UNIT_COUNT);
    assert_int_equal(json_object_size(kinds), VTA_KIND_COUNT);
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        const json_t *unit = json_object_get(units, vta_unit_name((vta_unit)u));
        assert_int_equal(json_object_size(unit), VTA_STATE_COUNT);
        for (int s = 0; s < VTA_STATE_COUNT; s++)
            same(unit, vta_unit_state_name((vta_unit_state)s), (double)t->state[u][s]);
    }
    for (int k = 0; k < VTA_KIND_COUNT; k++) {
        const json_t *kind = json_object_get(kinds, vta_insn_kind_name((vta_insn_kind)k));
        assert_int_equal(json_object_size(kind), 3);
        same(kind, "count", (double)t->kind_count[k]);
        same(kind, "cycles", (double)t->kind_cycles[k]);
        same(kind, "bytes", (double)t->kind_bytes[k]);
    }
}

static void every_key(void **state) {
    (void)state;
    for (int alu = 0; alu < 2; alu++) {
        vta_timing timing = timing_of(alu ? 0 : 200);
        json_t *j = json_of(&timing);
        for (size_t i = 0; i < FIGURE_COUNT; i++) same(j, figures[i].key, alu ? figures[i].of_alu : figures[i].of_gemm);
        assert_string_equal(json_string_value(json_object_get(j, "operation")), alu ? "ALU operations" : "MAC");
        assert_string_equal(json_string_value(json_object_get(j, "profile")), "chisel");
        units_and_kinds(j, &timing);
        assert_int_equal(json_object_size(j), FIGURE_COUNT + 4); /* and nothing else */
        json_decref(j);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
