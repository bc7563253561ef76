/* The figures of a timing as JSON and as text: every key, with the number worked out here from a timing of round
 * counts. */
#include <jansson.h>
#include <math.h>

#include "support/check.h"
#include "vta/timing.h"

/* 2 x 8 x 16, so that no two sizes are the same: 256 multiplications a GEMM micro-op, 32 scalars an ALU one. */
#define MACHINE "{\"LOG_BATCH\": 1, \"LOG_BLOCK_IN\": 3, \"LOG_BLOCK_OUT\": 4}"

/* 1000 cycles, and counts that differ in everything. */
static vta_timing timing_of(uint64_t gemm_uops) {
    vta_timing t = {.cycles = 1000,
                    .runs = 3,
                    .read_beats = 250,
                    .read_bursts = 17,
                    .write_bytes = 96,
                    .fetch_bytes = 160,
                    .gemm_uops = gemm_uops,
                    .alu_uops = 125,
                    .lost_tokens = 5};
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

typedef char *form(const vta_config *config, const vta_timing_profile *profile, const vta_timing *timing);

static char *written(form *as, const vta_timing *timing) {
    vta_config *config;
    vta_timing_profile profile;
    assert_int_equal(vta_config_parse(MACHINE, strlen(MACHINE), "test", NULL, &config), VTA_OK);
    assert_int_equal(vta_timing_profile_get("chisel", NULL, &profile), VTA_OK);
    assert_int_equal(
        vta_timing_profile_set(&profile, "bus_bits=128 frequency_khz=100000 gemm_step=1 alu_imm_step=2", NULL), VTA_OK);
    assert_null(as(NULL, &profile, timing));
    assert_null(as(config, NULL, timing));
    assert_null(as(config, &profile, NULL));
    char *text = as(config, &profile, timing);
    vta_config_release(config);
    return text;
}

static json_t *json_of(const vta_timing *timing) {
    json_error_t error;
    char *text = written(vta_timing_to_json, timing);
    json_t *j = json_loads(text, JSON_DECODE_ANY, &error);
    if (!j) fail_msg("line %d: %s in %s", error.line, error.text, text);
    vta_string_free(text);
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

TEST_CASE(every_key) {
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

/* ---- Text ------------------------------------------------------------------------------------------------------- */

static const char of_gemm[] =
    "cycles            1000 (chisel, 128-bit bus)\n"
    "time              0.010 ms at 100 MHz\n"
    "GEMM utilization  20.0 % (51.2 of 256 MAC a cycle)\n"
    "read bus          25.0 % busy, 4.00 bytes a cycle moved in all, 16 the peak of reads\n"
    "intensity         12.8 MAC a byte; the roofline allows 204.8 MAC a cycle, 25 % reached\n\n";
static const char of_alu[] =
    "cycles            1000 (chisel, 128-bit bus)\n"
    "time              0.010 ms at 100 MHz\n"
    "GEMM utilization  0.0 % (0.0 of 256 MAC a cycle)\n"
    "read bus          25.0 % busy, 4.00 bytes a cycle moved in all, 16 the peak of reads\n"
    "ALU utilization   25.0 % (4.0 of 16 operations a cycle)\n"
    "intensity         1.0 ALU operations a byte; the roofline allows 16.0 ALU operations a cycle, 25 % reached\n\n";

/* States are told in tenths of a percent of 1000 cycles; kinds that there were none of are left out. */
static void tables(const vta_timing *t, char *to) {
    to += sprintf(to, "%-8s", "unit");
    for (int s = 0; s < VTA_STATE_COUNT; s++) to += sprintf(to, "%13s", vta_unit_state_name((vta_unit_state)s));
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        to += sprintf(to, "\n%-8s", vta_unit_name((vta_unit)u));
        for (int s = 0; s < VTA_STATE_COUNT; s++)
            to += sprintf(to, "%10d.%d%%", (int)t->state[u][s] / 10, (int)t->state[u][s] % 10);
    }
    to += sprintf(to, "\n\n%-14s%13s%15s%15s\n", "instructions", "count", "cycles", "bytes");
    for (int k = 0; k < VTA_KIND_COUNT; k++)
        if (k != 1)
            to += sprintf(to, "%-14s%13d%15d%15d\n", vta_insn_kind_name((vta_insn_kind)k), 2 + k, 40 + k,
                          k == 0 ? 4000 : 0);
}

TEST_CASE(as_text) {
    for (int alu = 0; alu < 2; alu++) {
        vta_timing timing = timing_of(alu ? 0 : 200);
        char want[8192];
        timing.kind_count[1] = 0;
        strcpy(want, alu ? of_alu : of_gemm);
        tables(&timing, want + strlen(want));
        char *got = written(vta_timing_to_text, &timing);
        assert_same_text("text", got, want);
        vta_string_free(got);
    }
}

/* Names past the last are none. */
TEST_CASE(names) {
    assert_null(vta_unit_name((vta_unit)VTA_UNIT_COUNT));
    assert_null(vta_unit_state_name((vta_unit_state)VTA_STATE_COUNT));
    assert_null(vta_unit_state_text((vta_unit_state)VTA_STATE_COUNT));
    assert_null(vta_insn_kind_name((vta_insn_kind)VTA_KIND_COUNT));
    assert_non_null(vta_unit_name((vta_unit)(VTA_UNIT_COUNT - 1)));
    assert_non_null(vta_unit_state_text((vta_unit_state)(VTA_STATE_COUNT - 1)));
}

TEST_CASE(sums) {
    vta_timing a = timing_of(200), b = timing_of(7);
    const uint64_t *x = (const uint64_t *)&a, *y = (const uint64_t *)&b;
    vta_timing sum = a;
    vta_timing_add(&sum, &b);
    for (size_t i = 0; i < sizeof sum / sizeof *x; i++) assert_int_equal(((const uint64_t *)&sum)[i], x[i] + y[i]);
}

int main(void) { return run_cases(); }
