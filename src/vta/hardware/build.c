/* Models: how one is made, and where it is found. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/spawn.h"
#include "hardware/place.h"

static const char plain_name[] = "model.so", wide_name[] = "model_x86-64-v3.so";

/* With AVX2 and BMI2 a model takes two thirds of the time. Its name says so, as machines may share the folder. Whatever
 * has these four has all of x86-64-v3. */
static const char *model_name(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return wide_name;
#endif
    return plain_name;
}

static vta_status run_make(const char *const argv[], const char *folder, vta_diag *diag) {
    vt_strbuf said;
    int code;
    vt_strbuf_init(&said, NULL);
    int error = vt_spawn(argv, &said, &code);
    vta_status status = VTA_OK;
    if (error || code == 127)
        status = vt_fail(diag, VTA_UNSUPPORTED, "cannot run make: %s", strerror(error ? error : ENOENT));
    else if (code)
        status = vt_fail(
            diag, VTA_UNSUPPORTED,
            "the model of %s could not be built (it needs verilator, g++ and make, of a netlist yosys too: apt install "
            "verilator g++ make zlib1g-dev yosys): %s",
            folder, vt_strbuf_text(&said));
    vt_strbuf_free(&said);
    return status;
}

static vta_status run_verilator(const char *folder, const char *name, const vta_hardware_options *o, const void *arg,
                                vta_diag *diag) {
    (void)arg;
    char directory[1100], output[40], options[300], flags[100];
    snprintf(directory, sizeof directory, "%s/sources", folder);
    snprintf(output, sizeof output, "OUTPUT=../%s", name);
    snprintf(options, sizeof options, "OPTIONS=%s%s%s", o->wave ? " --trace-fst --trace-max-width 4096" : "",
             o->coverage ? " --coverage-line --coverage-toggle" : "",
             o->assertions ? " --assert -x-assign unique --x-initial unique"
                           : " --noassert -x-assign fast --x-initial fast");
    snprintf(flags, sizeof flags, "FLAGS=-fPIC%s -DVTA_BUS_BITS=%u",
             !strcmp(name, wide_name) ? " -march=x86-64-v3" : "", o->bus_bits);
    const char *const argv[] = {
        "make", "-s", "-C", directory, "-f", "vta_model.mk", output, options, flags, o->netlist ? "NETLIST=yes" : NULL,
        NULL};
    return run_make(argv, folder, diag);
}

vta_status vta_hardware_build(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                              char **out_path) {
    if (out_path) *out_path = NULL;
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_hardware_build: needs a configuration");
    vta_hardware_options o;
    char *path;
    VT_TRY(vt_hardware_settle(config, options, diag, &o));
    VT_TRY(vt_hardware_made(config, &o, model_name(), run_verilator, NULL, diag, &path));
    if (out_path)
        *out_path = path;
    else
        vta_string_free(path);
    return VTA_OK;
}

/* The options of vta hw build that give this design; `usual` is the one without any. */
static void write_options(const vta_hardware_options *o, const vta_hardware_options *usual, vt_strbuf *out) {
    const struct {
        const char *name;
        uint32_t value, usual;
    } numbers[] = {{"bus", o->bus_bits, usual->bus_bits},
                   {"burst", o->burst_beats, usual->burst_beats},
                   {"queue", o->queue_depth, usual->queue_depth},
                   {"address", o->address_bits, usual->address_bits}};
    const struct {
        const char *name;
        bool given;
    } words[] = {{"pack", o->pack},      {"small", o->small},       {"no-mul", o->no_mul && !o->small},
                 {"wave", o->wave},      {"coverage", o->coverage}, {"assertions", o->assertions},
                 {"netlist", o->netlist}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value != numbers[i].usual) vt_strbuf_addf(out, " --%s %u", numbers[i].name, numbers[i].value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].given) vt_strbuf_addf(out, " --%s", words[i].name);
}

vta_status vta_hardware_find(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                             char **out_path) {
    *out_path = NULL;
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_hardware_find: needs a configuration");
    vta_hardware_options o, usual;
    char *path;
    VT_TRY(vt_hardware_settle(config, options, diag, &o));
    VT_TRY(vt_hardware_settle(config, NULL, diag, &usual));
    VT_TRY(vt_hardware_path(config, &o, model_name(), diag, &path));
    if (vt_hardware_there_is(path)) {
        *out_path = path;
        return VTA_OK;
    }
    vt_strbuf how;
    vt_strbuf_init(&how, NULL);
    write_options(&o, &usual, &how);
    vta_status status =
        vt_fail(diag, VTA_NOT_FOUND, "there is no model of %s with a bus of %u bits (%s); make it with vta hw build%s",
                vta_config_bitstream(config), o.bus_bits, path, how.failed ? "" : vt_strbuf_text(&how));
    vt_strbuf_free(&how);
    vta_string_free(path);
    return status;
}
