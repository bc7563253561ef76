/* One machine of `vta sweep`: a subject timed on it, and its area. */
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "vta/hardware.h"

/* ---- The machine ------------------------------------------------------------------------------------------------ */

static vta_status change_config(vta_config **config, const char *change, vta_diag *diag) {
    vta_config *changed = NULL;
    vta_status status = vta_config_with(*config, change, diag, &changed);
    if (status != VTA_OK) return status;
    vta_config_release(*config);
    *config = changed;
    return VTA_OK;
}

/* Words of a label go to the configuration when they are its keys (upper case), else to the timing profile. All keys
 * are one change: two that need each other may come in any order. */
static vta_status apply(const char *label, vta_config **config, vta_timing_profile *timing, vta_diag *diag) {
    char *words = strdup(label), *keys = calloc(strlen(label) + 2, 1), *save = NULL;
    vta_status status = words && keys ? VTA_OK : VTA_NO_MEMORY;
    char *word = status == VTA_OK ? strtok_r(words, " ", &save) : NULL;
    for (; word && status == VTA_OK; word = strtok_r(NULL, " ", &save)) {
        if (sweep_is_key(word))
            strcat(strcat(keys, *keys ? " " : ""), word);
        else if (strncmp(word, "profile=", 8) == 0)
            status = vta_timing_profile_get(word + 8, diag, timing);
        else
            status = vta_timing_profile_set(timing, word, diag);
    }
    if (status == VTA_OK && *keys) status = change_config(config, keys, diag);
    free(words);
    free(keys);
    return status;
}

vta_status sweep_machine_find(const sweep_setup *s, const char *label, vta_diag *diag, sweep_machine *out) {
    *out = (sweep_machine){.config = vta_config_retain(s->config)};
    vta_status status = cli_find_timing(s->timing, out->config, diag, &out->timing);
    return status == VTA_OK ? apply(label, &out->config, &out->timing, diag) : status;
}

void sweep_machine_free(sweep_machine *m) {
    vta_config_release(m->config);
    *m = (sweep_machine){0};
}

/* ---- Its key ---------------------------------------------------------------------------------------------------- */

static vta_status add_json(sweep_hash *h, char *text) {
    sweep_hash_text(h, text);
    vta_status status = text ? VTA_OK : VTA_NO_MEMORY;
    vta_string_free(text);
    return status;
}

vta_status sweep_point_key(const sweep_setup *s, const sweep_subject *subject, const sweep_machine *m,
                           const char *label, char out_key[SWEEP_KEY]) {
    sweep_hash h;
    sweep_hash_begin(&h);
    sweep_hash_text(&h, vta_version());
    sweep_hash_text(&h, subject->key);
    sweep_hash_add(&h, &s->energy, sizeof s->energy);
    if (s->servers) { /* whichever server of a kind measures */
        const char *tracker = s->servers->place.tracker;
        sweep_hash_text(&h, "measured");
        sweep_hash_text(&h, tracker ? s->servers->place.key : s->servers->at);
    }
    sweep_hash_text(&h, s->synthesize ? "synth" : "estimate");
    sweep_hash_text(&h, m ? NULL : label);
    vta_status status = add_json(&h, vta_config_to_json(m ? m->config : s->config));
    if (status == VTA_OK && m) status = add_json(&h, vta_timing_profile_to_json(&m->timing));
    sweep_hash_end(&h, out_key);
    return status;
}

/* ---- Its time --------------------------------------------------------------------------------------------------- */

void sweep_fill_machine(const sweep_machine *m, result *out) {
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_OUT};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        out->buffer_bytes += vta_config_buffer_bytes(m->config, memories[i]);
    out->area = sweep_area(m->config, &m->timing);
}

static void fill(const sweep_setup *s, const sweep_machine *m, const vta_timing *sum, result *out) {
    vta_timing_summary figures = vta_timing_summarize(m->config, &m->timing, sum);
    sweep_fill_machine(m, out);
    out->cycles = sum->cycles;
    out->seconds = figures.seconds;
    out->utilization = figures.gemm_utilization;
    out->bus = figures.bus_utilization;
    out->roofline = figures.roofline_fraction;
    out->energy = sweep_energy_of(&s->energy, m->config, &m->timing, sum);
}

static vta_status begin_layer(result *out, const char *name, size_t *capacity) {
    if (out->layer_count == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 32;
        result_layer *layers = realloc(out->layers, more * sizeof *layers);
        if (!layers) return VTA_NO_MEMORY;
        out->layers = layers;
        *capacity = more;
    }
    char *text = strdup(name);
    if (!text) return VTA_NO_MEMORY;
    out->layers[out->layer_count++] = (result_layer){.name = text};
    return VTA_OK;
}

/* A layer takes from the end of all before it to its own: so layers add up to the run, though they overlap. */
static vta_status add_layers(const vta_program *program, uint32_t run, const vta_insn_time *times, uint32_t count,
                             uint64_t cycles, result *out) {
    size_t capacity = out->layer_count;
    const char *now = NULL;
    uint64_t end = 0;
    vta_status status = VTA_OK;
    for (uint32_t i = 0; i < count && status == VTA_OK && times[i].start != UINT64_MAX; i++) {
        const char *note = vta_program_note(program, run, i);
        if (note && *note && (!now || strcmp(note, now))) {
            status = begin_layer(out, note, &capacity);
            now = note;
        }
        uint64_t done = times[i].end < cycles ? times[i].end : cycles; /* FINISH's is a cycle after the run's */
        if (!now || status != VTA_OK || done <= end) continue;
        out->layers[out->layer_count - 1].cycles += done - end;
        end = done;
    }
    if (status == VTA_OK && now && cycles > end) out->layers[out->layer_count - 1].cycles += cycles - end;
    return status;
}

static vta_status time_run(const vta_program *program, uint32_t run, const sweep_machine *m, bool layers,
                           vta_diag *diag, vta_timing *sum, result *out) {
    vta_program_run_info info;
    vta_insn *insns = NULL;
    vta_insn_time *times = NULL;
    vta_timing one;
    vta_status status = vta_program_get_run(program, run, &info);
    if (status == VTA_OK) status = cli_decode_run(program, m->config, run, diag, &insns);
    if (status == VTA_OK && layers && !(times = calloc((size_t)info.insn_count + 1, sizeof *times)))
        status = VTA_NO_MEMORY;
    if (status == VTA_OK)
        status =
            vta_timing_run(m->config, &m->timing, insns, info.insn_count, info.insn_addr, 0, NULL, diag, &one, times);
    if (status == VTA_OK) vta_timing_add(sum, &one);
    if (status == VTA_OK && layers) status = add_layers(program, run, times, info.insn_count, one.cycles, out);
    free(times);
    free(insns);
    return status;
}

static vta_status time_program(const sweep_setup *s, const vta_program *program, const sweep_machine *m, bool layers,
                               vta_diag *diag, result *out) {
    vta_timing sum = {0};
    vta_status status = VTA_OK;
    double begin = cli_now();
    out->runs = vta_program_run_count(program);
    for (uint32_t run = 0; status == VTA_OK && run < out->runs; run++)
        status = time_run(program, run, m, layers, diag, &sum, out);
    out->timing_seconds = cli_now() - begin;
    if (status == VTA_OK) fill(s, m, &sum, out);
    if (status == VTA_OK && !(out->device = strdup("tsim"))) status = VTA_NO_MEMORY;
    return status;
}

vta_status sweep_point_time(const sweep_setup *s, const sweep_subject *subject, const sweep_machine *m, vta_diag *diag,
                            result *out) {
    cli_kernel_program built = {0};
    vta_status status;
#ifdef VT_RPC
    if (s->servers) return sweep_point_measure(s, subject, m, diag, out);
#endif
    double begin = cli_now();
    if (subject->network)
        status = sweep_network_program(subject->network, m->config, &m->timing, s->limit, s->cached, diag,
                                       &built.program, out);
    else if (subject->program)
        status = cli_same_sizes(subject->program, m->config, diag);
    else
        status = cli_build_kernel(subject->path, subject->params, m->config, false, diag, &built);
    out->compile_seconds = cli_now() - begin;
    if (status == VTA_OK)
        status = time_program(s, subject->program ? subject->program : built.program, m, subject->network, diag, out);
    vta_program_destroy(built.program);
    return status;
}

vta_status sweep_point_synthesize(const sweep_machine *m, vta_diag *diag, result *out) {
    vta_synthesis *synthesis = NULL;
    const vta_hardware_options options = {.size = sizeof options,
                                          .bus_bits = m->timing.bus_bits,
                                          .burst_beats = 1u << m->timing.len_bits,
                                          .queue_depth = m->timing.queue_depth};
    vta_status status = vta_hardware_synthesize(m->config, &options, "generic", false, 0, diag, &synthesis);
    if (status == VTA_OK) {
        vta_hardware_area area = vta_synthesis_area(synthesis);
        out->area = area.luts + area.flip_flops + area.block_rams * 1024 / 10;
    }
    vta_synthesis_destroy(synthesis);
    return status;
}
