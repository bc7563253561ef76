/* One machine of `vta sweep`: the program timed on it, and its area. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "vta/hardware.h"

/* Words of a label go to the configuration when they are its keys (upper case), to the timing profile when not. */
static vta_status apply(const char *label, vta_config **config, vta_timing_profile *timing, vta_diag *diag) {
    char words[256], *save = NULL;
    snprintf(words, sizeof words, "%s", label);
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        vta_status status;
        if (strncmp(w, "profile=", 8) == 0) {
            status = vta_timing_profile_get(w + 8, diag, timing);
        } else if (*w >= 'A' && *w <= 'Z') {
            vta_config *changed = NULL;
            status = vta_config_with(*config, w, diag, &changed);
            if (status == VTA_OK) {
                vta_config_release(*config);
                *config = changed;
            }
        } else {
            status = vta_timing_profile_set(timing, w, diag);
        }
        if (status != VTA_OK) return status;
    }
    return VTA_OK;
}

static void fill_point(sweep_point *point, const vta_config *config, const vta_timing_profile *timing,
                       const vta_timing *sum) {
    vta_timing_summary figures = vta_timing_summarize(config, timing, sum);
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_OUT};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        point->buffer_bytes += vta_config_buffer_bytes(config, memories[i]);
    point->cycles = sum->cycles;
    point->seconds = figures.seconds;
    point->utilization = figures.gemm_utilization;
    point->bus = figures.bus_utilization;
    point->roofline = figures.roofline_fraction;
    point->area = sweep_area(config, timing);
    point->done = true;
}

static vta_status time_program(const vta_program *program, const vta_config *config, const vta_timing_profile *timing,
                               vta_diag *diag, vta_timing *out_sum) {
    vta_timing one;
    vta_status status = VTA_OK;
    *out_sum = (vta_timing){0};
    for (uint32_t run = 0; status == VTA_OK && run < vta_program_run_count(program); run++) {
        vta_program_run_info info;
        vta_insn *insns = NULL;
        status = vta_program_get_run(program, run, &info);
        if (status == VTA_OK) status = cli_decode_run(program, config, run, diag, &insns);
        if (status == VTA_OK)
            status = vta_timing_run(config, timing, insns, info.insn_count, info.insn_addr, 0, NULL, diag, &one, NULL);
        if (status == VTA_OK) vta_timing_add(out_sum, &one);
        free(insns);
    }
    return status;
}

vta_status sweep_time(const sweep_machines *s, sweep_point *point, vta_diag *diag) {
    vta_config *config = vta_config_retain(s->config);
    cli_kernel_program built = {0};
    vta_timing_profile timing;
    vta_timing sum;
    vta_status status = cli_find_timing(s->timing, config, diag, &timing);
    if (status == VTA_OK) status = apply(point->label, &config, &timing, diag);
    if (status == VTA_OK && s->program) status = cli_same_sizes(s->program, config, diag);
    if (status == VTA_OK && !s->program) status = cli_build_kernel(s->path, s->params, config, diag, &built);
    if (status == VTA_OK) status = time_program(s->program ? s->program : built.program, config, &timing, diag, &sum);
    if (status == VTA_OK) fill_point(point, config, &timing, &sum);
    vta_program_destroy(built.program);
    vta_config_release(config);
    return status;
}

vta_status sweep_synthesize(const sweep_machines *s, sweep_point *point, vta_diag *diag) {
    vta_config *config = vta_config_retain(s->config);
    vta_timing_profile timing = {0};
    vta_synthesis *synthesis = NULL;
    vta_status status = cli_find_timing(s->timing, config, diag, &timing);
    if (status == VTA_OK) status = apply(point->label, &config, &timing, diag);
    const vta_hardware_options options = {.size = sizeof options,
                                          .bus_bits = timing.bus_bits,
                                          .burst_beats = 1u << timing.len_bits,
                                          .queue_depth = timing.queue_depth};
    if (status == VTA_OK) status = vta_hardware_synthesize(config, &options, "generic", false, 0, diag, &synthesis);
    if (status == VTA_OK) {
        vta_hardware_area area = vta_synthesis_area(synthesis);
        point->area = area.luts + area.flip_flops + area.block_rams * 1024 / 10;
    }
    vta_synthesis_destroy(synthesis);
    vta_config_release(config);
    return status;
}
