/* Figures made from a timing, as numbers, text and JSON. */
#include "base/json_write.h"
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
#define VTA_TIMING_STATE(name, id, text) id,
#include "vta/timing.def"
    };
    return (unsigned)state < VTA_STATE_COUNT ? names[state] : NULL;
}

const char *vta_unit_state_text(vta_unit_state state) {
    static const char *const texts[] = {
#define VTA_TIMING_STATE(name, id, text) text,
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

static void add_states_json(vt_json *w, const vta_timing *t) {
    vt_json_object(w, "units");
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        vt_json_object(w, vta_unit_name((vta_unit)u));
        for (int s = 0; s < VTA_STATE_COUNT; s++)
            vt_json_uint(w, vta_unit_state_name((vta_unit_state)s), t->state[u][s]);
        vt_json_end(w);
    }
    vt_json_end(w);
}

static void add_kinds_json(vt_json *w, const vta_timing *t) {
    vt_json_object(w, "instructions");
    for (int k = 0; k < VTA_KIND_COUNT; k++) {
        vt_json_object(w, vta_insn_kind_name((vta_insn_kind)k));
        vt_json_uint(w, "count", t->kind_count[k]);
        vt_json_uint(w, "cycles", t->kind_cycles[k]);
        vt_json_uint(w, "bytes", t->kind_bytes[k]);
        vt_json_end(w);
    }
    vt_json_end(w);
}

static void add_rates_json(vt_json *w, const vta_timing_summary *s) {
    vt_json_real(w, "seconds", s->seconds);
    vt_json_uint(w, "macs", s->macs);
    vt_json_uint(w, "bytes", s->bytes);
    vt_json_fixed(w, "gemm_utilization", s->gemm_utilization, 6);
    vt_json_fixed(w, "bus_utilization", s->bus_utilization, 6);
    vt_json_fixed(w, "bytes_per_cycle", s->bytes_per_cycle, 6);
    vt_json_fixed(w, "macs_per_byte", s->macs_per_byte, 6);
    vt_json_fixed(w, "macs_per_cycle", s->macs_per_cycle, 6);
    vt_json_fixed(w, "peak_macs_per_cycle", s->peak_macs_per_cycle, 6);
    vt_json_fixed(w, "roof_macs_per_cycle", s->roof_macs_per_cycle, 6);
    vt_json_fixed(w, "roofline_fraction", s->roofline_fraction, 6);
    vt_json_uint(w, "alu_ops", s->alu_ops);
    vt_json_fixed(w, "alu_utilization", s->alu_utilization, 6);
    vt_json_text(w, "operation", operation(s));
    vt_json_fixed(w, "operations_per_byte", s->operations_per_byte, 6);
    vt_json_fixed(w, "operations_per_cycle", s->operations_per_cycle, 6);
    vt_json_fixed(w, "peak_operations_per_cycle", s->peak_operations_per_cycle, 6);
    vt_json_fixed(w, "roof_operations_per_cycle", s->roof_operations_per_cycle, 6);
}

static void write_timing(vt_json *w, const vta_config *config, const vta_timing_profile *profile,
                         const vta_timing *timing) {
    vta_timing_summary s = vta_timing_summarize(config, profile, timing);
    vt_json_object(w, NULL);
    vt_json_uint(w, "cycle_count", timing->cycles);
    vt_json_uint(w, "cycles", timing->cycles);
    vt_json_uint(w, "runs", timing->runs);
    vt_json_text(w, "profile", profile->name);
    vt_json_uint(w, "bus_bits", profile->bus_bits);
    vt_json_uint(w, "frequency_khz", profile->frequency_khz);
    add_rates_json(w, &s);
    vt_json_uint(w, "read_beats", timing->read_beats);
    vt_json_uint(w, "read_bursts", timing->read_bursts);
    vt_json_uint(w, "write_bytes", timing->write_bytes);
    vt_json_uint(w, "fetch_bytes", timing->fetch_bytes);
    vt_json_uint(w, "gemm_uops", timing->gemm_uops);
    vt_json_uint(w, "alu_uops", timing->alu_uops);
    vt_json_uint(w, "lost_tokens", timing->lost_tokens);
    add_states_json(w, timing);
    add_kinds_json(w, timing);
    vt_json_end(w);
}

char *vta_timing_to_json(const vta_config *config, const vta_timing_profile *profile, const vta_timing *timing) {
    if (config == NULL || profile == NULL || timing == NULL) return NULL;
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    write_timing(&w, config, profile, timing);
    return vt_strbuf_take(&sb);
}
