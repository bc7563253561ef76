#include "timing.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "object.h"

static vta_status fail(vta_diag *diag, vta_status status, const char *fmt, const char *what) {
    char message[512];
    snprintf(message, sizeof message, fmt, what);
    vta_diag_add(diag, VTA_ERROR, status, message);
    return status;
}

static vta_status profile_file(const char *path, vta_diag *diag, vta_timing_profile *out_profile) {
    FILE *from = fopen(path, "rb");
    if (from == NULL) return fail(diag, VTA_NOT_FOUND, "%s: no such timing profile file", path);
    char text[16384];
    size_t size = fread(text, 1, sizeof text, from);
    fclose(from);
    if (size == sizeof text) return fail(diag, VTA_PARSE, "%s: too long for a timing profile", path);
    return vta_timing_profile_parse(text, size, path, diag, out_profile);
}

vta_status cli_find_timing(const cli_timing *timing, const vta_config *config, vta_diag *diag,
                           vta_timing_profile *out_profile) {
    const char *name = timing->profile;
    vta_status status;
    if (name == NULL)
        status = vta_timing_profile_for(config, diag, out_profile);
    else if (strchr(name, '/') || strstr(name, ".json"))
        status = profile_file(name, diag, out_profile);
    else
        status = vta_timing_profile_get(name, diag, out_profile);
    if (status == VTA_OK && timing->bus) {
        char change[64];
        snprintf(change, sizeof change, "bus_bits=%s", timing->bus);
        status = vta_timing_profile_set(out_profile, change, NULL);
        if (status != VTA_OK)
            return fail(diag, status, "--bus %.40s: expected bits, a power of two from 32 to 2048", timing->bus);
    }
    for (int i = 0; status == VTA_OK && i < timing->settings.count; i++)
        status = vta_timing_profile_set(out_profile, timing->settings.item[i], diag);
    return status;
}

/* ---- As a configuration and a device take it --------------------------------------------------------------------- */

const char *cli_timing_option(const cli_timing *timing) {
    return timing->profile ? "--profile" : timing->bus ? "--bus" : timing->settings.count ? "--timing" : NULL;
}

bool cli_timing_is_given(const cli_timing *timing) { return timing && cli_timing_option(timing); }

/* A profile as JSON: its name, and the settings in which it is not the one of that name. */
static json_t *settings_of(const vta_timing_profile *profile) {
    vta_timing_profile named;
    const char *key;
    json_t *value, *all = cli_json_of(vta_timing_profile_to_json(profile));
    if (vta_timing_profile_get(profile->name, NULL, &named) != VTA_OK) return all;
    json_t *known = cli_json_of(vta_timing_profile_to_json(&named));
    json_object_foreach(known, key, value) {
        bool same = strcmp(key, "profile") && json_equal(value, json_object_get(all, key));
        if (same) json_object_del(all, key);
    }
    json_decref(known);
    return all;
}

vta_status cli_change_timing(const cli_timing *timing, vta_config **config) {
    vta_timing_profile profile;
    vta_config *changed;
    if (!cli_timing_is_given(timing)) return VTA_OK;
    vta_status status = cli_find_timing(timing, *config, cli_diag(), &profile);
    if (status != VTA_OK) return status;
    json_t *settings = settings_of(&profile);
    char *text = json_dumps(settings, JSON_COMPACT);
    status = text ? vta_config_with_timing(*config, text, cli_diag(), &changed) : VTA_NO_MEMORY;
    free(text);
    json_decref(settings);
    if (status != VTA_OK) return status;
    vta_config_release(*config);
    *config = changed;
    return VTA_OK;
}

vta_status cli_device_timing(const cli_timing *timing, const vta_config *config, const char *driver,
                             char out[CLI_DEVICE_TIMING]) {
    bool is_rtl = !strcmp(driver, "rtl");
    vta_timing_profile profile;
    const char *key;
    json_t *value;
    *out = '\0';
    if (!cli_timing_is_given(timing)) return VTA_OK;
    if (!is_rtl && strcmp(driver, "tsim"))
        return cli_fail(VTA_INVALID_ARGUMENT, "%s: the driver %s counts no cycles; --driver tsim does",
                        cli_timing_option(timing), driver);
    cli_timing of_driver = *timing;
    if (is_rtl && !timing->profile && !*vta_config_timing(config)) of_driver.profile = "rtl";
    vta_status status = cli_find_timing(&of_driver, config, cli_diag(), &profile);
    if (status != VTA_OK) return status;
    json_t *settings = settings_of(&profile);
    size_t n = (size_t)snprintf(out, CLI_DEVICE_TIMING, "%s", profile.name);
    json_object_foreach(settings, key, value) {
        if (json_is_integer(value) && n < CLI_DEVICE_TIMING)
            n += (size_t)snprintf(out + n, CLI_DEVICE_TIMING - n, " %s=%lld", key, json_integer_value(value));
    }
    json_decref(settings);
    return VTA_OK;
}

/* ---- Inputs ------------------------------------------------------------------------------------------------------ */

vta_status cli_same_sizes(const vta_program *program, const vta_config *config, vta_diag *diag) {
    const char *own = vta_config_bitstream(vta_program_config(program));
    if (strcmp(own, vta_config_bitstream(config)) == 0) return VTA_OK;
    char message[400];
    snprintf(message, sizeof message,
             "a compiled program is tied to its sizes (%s): for others (%s) its instructions mean something else. Give "
             "the kernel's source (FILE.te), which is built anew",
             own, vta_config_bitstream(config));
    vta_diag_add(diag, VTA_ERROR, VTA_UNSUPPORTED, message);
    return VTA_UNSUPPORTED;
}

/* A copy of a configuration with changes, each "KEY=VALUE". */
static vta_status changed(const vta_config *base, const cli_list *changes, vta_config **out_config) {
    *out_config = vta_config_retain(base);
    vta_status status = changes ? cli_change_config(&(cli_common){.set = *changes}, out_config) : VTA_OK;
    if (status == VTA_OK) return status;
    vta_config_release(*out_config);
    *out_config = NULL;
    return status;
}

static vta_status open_kernel(const cli_input *input, vta_diag *diag, vta_config **out_config,
                              cli_kernel_program *out_kernel) {
    vta_config *found = NULL;
    vta_status status = VTA_OK;
    if (input->base == NULL) status = vta_config_find(NULL, diag, &found, NULL);
    if (status == VTA_OK) status = changed(input->base ? input->base : found, input->changes, out_config);
    vta_config_release(found);
    char *params = cli_join(&input->params);
    if (!params) status = VTA_NO_MEMORY;
    if (status == VTA_OK) status = cli_build_kernel(input->path, params, *out_config, true, diag, out_kernel);
    free(params);
    return status;
}

static vta_status open_object(const cli_input *input, vta_diag *diag, vta_config **out_config,
                              cli_kernel_program *out_kernel) {
    if (input->params.count)
        return fail(diag, VTA_INVALID_ARGUMENT, "%s: compiled already: parameters are for its source (FILE.te)",
                    input->path);
    cli_object object;
    vta_status status = cli_object_open(input->path, input->function, diag, &object);
    if (status == VTA_OK) status = cli_object_config(&object, input->base, input->changes, out_config);
    if (status == VTA_OK) status = cli_object_record(&object, *out_config, diag, out_kernel);
    cli_object_close(&object);
    return status;
}

vta_status cli_open_input(const cli_input *input, vta_diag *diag, vta_config **out_config,
                          cli_kernel_program *out_kernel) {
    *out_config = NULL;
    *out_kernel = (cli_kernel_program){0};
    if (cli_is_object(input->path)) return open_object(input, diag, out_config, out_kernel);
    if (input->function) return fail(diag, VTA_INVALID_ARGUMENT, "%s: --function is for objects", input->path);
    if (cli_is_kernel(input->path)) return open_kernel(input, diag, out_config, out_kernel);
    vta_status status = cli_is_model(input->path) ? cli_model_program(input->path, diag, &out_kernel->program)
                                                  : vta_program_load(input->path, NULL, diag, &out_kernel->program);
    if (status == VTA_OK) status = changed(vta_program_config(out_kernel->program), input->changes, out_config);
    if (status == VTA_OK) status = cli_same_sizes(out_kernel->program, *out_config, diag);
    return status;
}

vta_status cli_decode_run(const vta_program *program, const vta_config *config, uint32_t run, vta_diag *diag,
                          vta_insn **out_insns) {
    *out_insns = NULL;
    vta_program_run_info info;
    vta_status status = vta_program_get_run(program, run, &info);
    if (status != VTA_OK) return status;
    vta_insn *insns = malloc((info.insn_count ? info.insn_count : 1) * sizeof *insns);
    if (insns == NULL) return VTA_NO_MEMORY;
    for (uint32_t i = 0; i < info.insn_count && status == VTA_OK; i++)
        status = vta_insn_decode(config, info.insns + (size_t)i * VTA_INSN_BYTES, diag, &insns[i]);
    if (status != VTA_OK) {
        free(insns);
        return status;
    }
    *out_insns = insns;
    return VTA_OK;
}

/* Micro-ops as they stood in DRAM before the run; what a segment does not hold is zero. */
static vta_status read_dram(void *user, size_t run, uint32_t addr, void *to, size_t bytes) {
    const vta_program *program = user;
    vta_program_run_info info;
    vta_status status = vta_program_get_run(program, (uint32_t)run, &info);
    if (status != VTA_OK) return status;
    for (uint32_t i = 0; i < info.segment_count; i++) {
        vta_program_segment s;
        status = vta_program_get_segment(program, (uint32_t)run, i, &s);
        if (status != VTA_OK) return status;
        if (addr < s.addr || addr - s.addr + bytes > s.size) continue;
        size_t at = addr - s.addr, have = at < s.before_size ? s.before_size - at : 0;
        if (have > bytes) have = bytes;
        if (have) memcpy(to, s.before + at, have);
        memset((char *)to + have, 0, bytes - have);
        return VTA_OK;
    }
    return VTA_OUT_OF_RANGE;
}

static const char *source_of(void *user, size_t run, size_t insn) {
    return vta_program_note(user, (uint32_t)run, (uint32_t)insn);
}

static vta_status add_run(const cli_kernel_program *kernel, const vta_config *config, uint32_t run,
                          vta_profile *profile) {
    const vta_program *program = kernel->program;
    vta_program_run_info info;
    vta_status status = vta_program_get_run(program, run, &info);
    for (uint32_t i = 0; status == VTA_OK && i < info.segment_count; i++) {
        vta_program_segment s;
        status = vta_program_get_segment(program, run, i, &s);
        if (status == VTA_OK)
            status = vta_profile_add_segment(profile, s.addr, s.size, cli_kernel_tensor(kernel, s.addr), cli_diag());
    }
    vta_insn *insns = NULL;
    if (status == VTA_OK) status = cli_decode_run(program, config, run, cli_diag(), &insns);
    if (status == VTA_OK) status = vta_profile_add_run(profile, insns, info.insn_count, info.insn_addr, cli_diag());
    free(insns);
    return status;
}

vta_status cli_profile_program(const cli_kernel_program *kernel, const vta_config *config,
                               const vta_timing_profile *timing, vta_profile **out_profile) {
    vta_program *program = kernel->program;
    vta_status status = vta_profile_create(config, timing, NULL, cli_diag(), out_profile);
    if (status != VTA_OK) return status;
    vta_profile_set_reader(*out_profile, read_dram, program);
    vta_profile_set_source(*out_profile, source_of, program);
    uint32_t runs = vta_program_run_count(program);
    for (uint32_t run = 0; run < runs && status == VTA_OK; run++) {
        cli_progress("timing", run, runs);
        status = add_run(kernel, config, run, *out_profile);
    }
    cli_progress_end();
    return status;
}
