/* Figures made from a timing, as numbers, text and JSON. */
#include "base/strbuf.h"
#include "config/config_priv.h"
#include "vta/timing.h"

const char *vta_unit_name(vta_unit unit) {
    static const char *const names[] = {
#define VTA_TIMING_UNIT(name, text, meaning) text,
#include "vta/timing.def"
    };
    return (unsigned)unit < VTA_UNIT_COUNT ? names[unit] : NULL;
}

const char *vta_unit_state_name(vta_unit_state state) {
    static const char *const names[] = {
#define VTA_TIMING_STATE(name, text) #name,
#include "vta/timing.def"
    };
    return (unsigned)state < VTA_STATE_COUNT ? names[state] : NULL;
}

const char *vta_unit_state_text(vta_unit_state state) {
    static const char *const texts[] = {
#define VTA_TIMING_STATE(name, text) text,
#include "vta/timing.def"
    };
    return (unsigned)state < VTA_STATE_COUNT ? texts[state] : NULL;
}

const char *vta_insn_kind_name(vta_insn_kind kind) {
    static const char *const names[] = {
#define VTA_TIMING_KIND(name, text, unit) text,
#include "vta/timing.def"
    };
    return (unsigned)kind < VTA_KIND_COUNT ? names[kind] : NULL;
}

void vta_timing_add(vta_timing *sum, const vta_timing *more) {
    /* Every field is a uint64_t count, and all of them add up. */
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/* Operations a cycle that the memory bus and the unit's peak allow. */
static double roof(double per_byte, double peak, const vta_timing_profile *profile) {
    double slope = per_byte * profile->bus_bits / 8;
    return slope < peak ? slope : peak;
}

vta_timing_summary vta_timing_summarize(const vta_config *config, const vta_timing_profile *profile,
                                        const vta_timing *timing) {
    vta_timing_summary s = {0};
    double cycles = (double)timing->cycles;
    uint64_t tile = (uint64_t)config->batch * config->block_in * config->block_out;
    s.macs = timing->gemm_uops * tile;
    for (int k = 0; k < VTA_KIND_COUNT; k++) s.bytes += timing->kind_bytes[k];
    s.seconds = cycles / (profile->frequency_khz * 1e3);
    s.gemm_utilization = ratio((double)timing->gemm_uops * profile->gemm_step, cycles);
    s.bus_utilization = ratio((double)timing->read_beats, cycles);
    s.bytes_per_cycle = ratio((double)s.bytes, cycles);
    s.macs_per_byte = ratio((double)s.macs, (double)s.bytes);
    s.macs_per_cycle = ratio((double)s.macs, cycles);
    s.peak_macs_per_cycle = (double)tile / profile->gemm_step;
    s.roof_macs_per_cycle = roof(s.macs_per_byte, s.peak_macs_per_cycle, profile);
    s.alu_ops = timing->alu_uops * config->batch * config->block_out;
    s.alu_utilization = ratio((double)timing->alu_uops * profile->alu_imm_step, cycles);
    s.of_alu = s.macs == 0 && s.alu_ops > 0;
    double operations = (double)(s.of_alu ? s.alu_ops : s.macs);
    s.operations_per_byte = ratio(operations, (double)s.bytes);
    s.operations_per_cycle = ratio(operations, cycles);
    s.peak_operations_per_cycle =
        s.of_alu ? (double)config->batch * config->block_out / profile->alu_imm_step : s.peak_macs_per_cycle;
    s.roof_operations_per_cycle = roof(s.operations_per_byte, s.peak_operations_per_cycle, profile);
    s.roofline_fraction = ratio(s.operations_per_cycle, s.roof_operations_per_cycle);
    return s;
}

static const char *operation(const vta_timing_summary *s) { return s->of_alu ? "ALU operations" : "MAC"; }

static void add_states_text(vt_strbuf *sb, const vta_timing *t) {
    vt_strbuf_addf(sb, "%-8s", "unit");
    for (int s = 0; s < VTA_STATE_COUNT; s++) vt_strbuf_addf(sb, " %12s", vta_unit_state_name((vta_unit_state)s));
    vt_strbuf_addc(sb, '\n');
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        vt_strbuf_addf(sb, "%-8s", vta_unit_name((vta_unit)u));
        for (int s = 0; s < VTA_STATE_COUNT; s++)
            vt_strbuf_addf(sb, " %11.1f%%", 100 * ratio((double)t->state[u][s], (double)t->cycles));
        vt_strbuf_addc(sb, '\n');
    }
}

char *vta_timing_to_text(const vta_config *config, const vta_timing_profile *profile, const vta_timing *timing) {
    if (config == NULL || profile == NULL || timing == NULL) return NULL;
    vta_timing_summary s = vta_timing_summarize(config, profile, timing);
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_strbuf_addf(&sb, "cycles            %llu (%s, %u-bit bus)\n", (unsigned long long)timing->cycles, profile->name,
                   profile->bus_bits);
    vt_strbuf_addf(&sb, "time              %.3f ms at %g MHz\n", s.seconds * 1e3, profile->frequency_khz / 1e3);
    vt_strbuf_addf(&sb, "GEMM utilization  %.1f %% (%.1f of %.0f MAC a cycle)\n", 100 * s.gemm_utilization,
                   s.macs_per_cycle, s.peak_macs_per_cycle);
    vt_strbuf_addf(&sb, "read bus          %.1f %% busy, %.2f bytes a cycle moved in all, %u the peak of reads\n",
                   100 * s.bus_utilization, s.bytes_per_cycle, profile->bus_bits / 8);
    if (s.of_alu)
        vt_strbuf_addf(&sb, "ALU utilization   %.1f %% (%.1f of %.0f operations a cycle)\n", 100 * s.alu_utilization,
                       s.operations_per_cycle, s.peak_operations_per_cycle);
    vt_strbuf_addf(&sb, "intensity         %.1f %s a byte; the roofline allows %.1f %s a cycle, %.0f %% reached\n\n",
                   s.operations_per_byte, operation(&s), s.roof_operations_per_cycle, operation(&s),
                   100 * s.roofline_fraction);
    add_states_text(&sb, timing);
    vt_strbuf_addf(&sb, "\n%-14s %12s %14s %14s\n", "instructions", "count", "cycles", "bytes");
    for (int k = 0; k < VTA_KIND_COUNT; k++)
        if (timing->kind_count[k])
            vt_strbuf_addf(&sb, "%-14s %12llu %14llu %14llu\n", vta_insn_kind_name((vta_insn_kind)k),
                           (unsigned long long)timing->kind_count[k], (unsigned long long)timing->kind_cycles[k],
                           (unsigned long long)timing->kind_bytes[k]);
    return vt_strbuf_take(&sb);
}

static void add_states_json(vt_strbuf *sb, const vta_timing *t) {
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        vt_strbuf_addf(sb, "%s\"%s\": {", u ? ", " : "", vta_unit_name((vta_unit)u));
        for (int s = 0; s < VTA_STATE_COUNT; s++)
            vt_strbuf_addf(sb, "%s\"%s\": %llu", s ? ", " : "", vta_unit_state_name((vta_unit_state)s),
                           (unsigned long long)t->state[u][s]);
        vt_strbuf_addc(sb, '}');
    }
}

static void add_kinds_json(vt_strbuf *sb, const vta_timing *t) {
    for (int k = 0; k < VTA_KIND_COUNT; k++)
        vt_strbuf_addf(sb, "%s\"%s\": {\"count\": %llu, \"cycles\": %llu, \"bytes\": %llu}", k ? ", " : "",
                       vta_insn_kind_name((vta_insn_kind)k), (unsigned long long)t->kind_count[k],
                       (unsigned long long)t->kind_cycles[k], (unsigned long long)t->kind_bytes[k]);
}

char *vta_timing_to_json(const vta_config *config, const vta_timing_profile *profile, const vta_timing *timing) {
    if (config == NULL || profile == NULL || timing == NULL) return NULL;
    vta_timing_summary s = vta_timing_summarize(config, profile, timing);
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    unsigned long long cycles = timing->cycles;
    vt_strbuf_addf(&sb,
                   "{\"cycle_count\": %llu, \"cycles\": %llu, \"runs\": %llu, \"profile\": \"%s\", "
                   "\"bus_bits\": %u, \"frequency_khz\": %u, ",
                   cycles, cycles, (unsigned long long)timing->runs, profile->name, profile->bus_bits,
                   profile->frequency_khz);
    vt_strbuf_addf(&sb,
                   "\"seconds\": %.9g, \"macs\": %llu, \"bytes\": %llu, \"gemm_utilization\": %.6f, "
                   "\"bus_utilization\": %.6f, \"bytes_per_cycle\": %.6f, ",
                   s.seconds, (unsigned long long)s.macs, (unsigned long long)s.bytes, s.gemm_utilization,
                   s.bus_utilization, s.bytes_per_cycle);
    vt_strbuf_addf(&sb,
                   "\"macs_per_byte\": %.6f, \"macs_per_cycle\": %.6f, \"peak_macs_per_cycle\": %.6f, "
                   "\"roof_macs_per_cycle\": %.6f, \"roofline_fraction\": %.6f, ",
                   s.macs_per_byte, s.macs_per_cycle, s.peak_macs_per_cycle, s.roof_macs_per_cycle,
                   s.roofline_fraction);
    vt_strbuf_addf(
        &sb,
        "\"alu_ops\": %llu, \"alu_utilization\": %.6f, \"operation\": \"%s\", \"operations_per_byte\": %.6f, "
        "\"operations_per_cycle\": %.6f, \"peak_operations_per_cycle\": %.6f, "
        "\"roof_operations_per_cycle\": %.6f, ",
        (unsigned long long)s.alu_ops, s.alu_utilization, operation(&s), s.operations_per_byte, s.operations_per_cycle,
        s.peak_operations_per_cycle, s.roof_operations_per_cycle);
    vt_strbuf_addf(&sb,
                   "\"read_beats\": %llu, \"read_bursts\": %llu, \"write_bytes\": %llu, \"fetch_bytes\": %llu, "
                   "\"gemm_uops\": %llu, \"alu_uops\": %llu, \"lost_tokens\": %llu, \"units\": {",
                   (unsigned long long)timing->read_beats, (unsigned long long)timing->read_bursts,
                   (unsigned long long)timing->write_bytes, (unsigned long long)timing->fetch_bytes,
                   (unsigned long long)timing->gemm_uops, (unsigned long long)timing->alu_uops,
                   (unsigned long long)timing->lost_tokens);
    add_states_json(&sb, timing);
    vt_strbuf_add(&sb, "}, \"instructions\": {");
    add_kinds_json(&sb, timing);
    vt_strbuf_add(&sb, "}}");
    return vt_strbuf_take(&sb);
}
