/* Models: where they are kept, and how one is made. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/spawn.h"
#include "hardware/hardware.h"

static const char model_name[] = "model.so";

/* FNV-1a of 64 bits: a name for contents, not a protection. */
static uint64_t hash(uint64_t h, const char *text) {
    for (; *text; text++) h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return h;
}

static uint64_t design_hash(const char *package, const vta_hardware_options *o) {
    uint64_t h = hash(0xcbf29ce484222325u, package);
    for (size_t i = 0; i < vt_hardware_file_count; i++) h = hash(h, vt_hardware_files[i].text);
    return (h ^ (uint64_t)(o->wave | o->coverage << 1 | o->assertions << 2)) * 0x100000001b3u;
}

static void cache(vt_strbuf *path) {
    const char *own = vt_environment(VT_ENV_VTA_HARDWARE_CACHE), *shared = vt_environment(VT_ENV_XDG_CACHE_HOME),
               *home = vt_environment(VT_ENV_HOME);
    if (own)
        vt_strbuf_add(path, own);
    else if (shared)
        vt_strbuf_addf(path, "%s/vta/hardware", shared);
    else if (home)
        vt_strbuf_addf(path, "%s/.cache/vta/hardware", home);
    else
        vt_strbuf_addf(path, "%s/vta-hardware", vt_temporary_place());
}

vta_status vt_hardware_place(const vta_config *config, const vta_hardware_options *o, vta_diag *diag, vt_strbuf *out) {
    vt_strbuf package;
    vt_strbuf_init(&package, out->allocator);
    vt_hardware_package(&package, config, o);
    cache(out);
    vt_strbuf_addf(out, "/%s_%u_%016llx", vta_config_bitstream(config), o->bus_bits,
                   (unsigned long long)design_hash(vt_strbuf_text(&package), o));
    bool failed = package.failed || out->failed;
    vt_strbuf_free(&package);
    return failed ? vt_no_memory(diag) : VTA_OK;
}

/* Makes a folder and those above it. */
static vta_status make_folders(const char *path, vta_diag *diag) {
    char part[1024];
    size_t size = strlen(path);
    if (size >= sizeof part)
        return vt_fail(diag, VTA_IO, "%s: the path is longer than %zu characters", path, sizeof part);
    for (size_t i = 1; i <= size; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return vt_fail(diag, VTA_IO, "%s: %s", part, strerror(errno));
    }
    return VTA_OK;
}

static vta_status run_verilator(const char *folder, const vta_hardware_options *o, vta_diag *diag) {
    char directory[1100], defines[80];
    const char *argv[48];
    int n = 0, code;
    snprintf(directory, sizeof directory, "%s/sources", folder);
    snprintf(defines, sizeof defines, "-fPIC -O2 -DVTA_BUS_BITS=%u", o->bus_bits);
    const char *const fixed[] = {"make", "-s", "-C", directory, "-f", "vta_model.mk", "OUTPUT=../model.so"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[n++] = fixed[i];
    char flags[200], options[300];
    snprintf(options, sizeof options, "OPTIONS=%s%s%s", o->wave ? " --trace-fst --trace-max-width 4096" : "",
             o->coverage ? " --coverage-line --coverage-toggle" : "",
             o->assertions ? " --assert -x-assign unique --x-initial unique"
                           : " --noassert -x-assign fast --x-initial fast");
    snprintf(flags, sizeof flags, "FLAGS=%s", defines);
    argv[n++] = options;
    argv[n++] = flags;
    argv[n] = NULL;
    vt_strbuf said;
    vt_strbuf_init(&said, NULL);
    int error = vt_spawn(argv, &said, &code);
    vta_status status = VTA_OK;
    if (error || code == 127)
        status = vt_fail(diag, VTA_UNSUPPORTED, "cannot run make: %s", strerror(error ? error : ENOENT));
    else if (code)
        status =
            vt_fail(diag, VTA_UNSUPPORTED,
                    "the model of %s could not be built (it needs verilator, g++ and make: apt install verilator g++ "
                    "make zlib1g-dev): %s",
                    folder, vt_strbuf_text(&said));
    vt_strbuf_free(&said);
    return status;
}

static vta_status path_of(const char *folder, const char *name, vta_diag *diag, char **out_path) {
    vt_strbuf path;
    vt_strbuf_init(&path, NULL);
    vt_strbuf_addf(&path, "%s/%s", folder, name);
    *out_path = vt_strbuf_take(&path);
    return *out_path ? VTA_OK : vt_no_memory(diag);
}

/* The model is made in a folder of this process's own beside its place and moved there: whoever finds one finds it
 * whole, and two who make the same do not meet. */
static vta_status build_into(const vta_config *config, const vta_hardware_options *o, const char *place,
                             vta_diag *diag) {
    char making[1024], sources[1100], made[1100], target[1100];
    if ((size_t)snprintf(making, sizeof making, "%s.%ld", place, (long)getpid()) >= sizeof making)
        return vt_fail(diag, VTA_IO, "%s: the path is too long", place);
    snprintf(sources, sizeof sources, "%s/sources", making);
    snprintf(made, sizeof made, "%s/%s", making, model_name);
    snprintf(target, sizeof target, "%s/%s", place, model_name);
    VT_TRY(make_folders(making, diag));
    VT_TRY(make_folders(place, diag));
    VT_TRY(vta_hardware_generate(config, o, sources, diag));
    VT_TRY(run_verilator(making, o, diag));
    if (rename(made, target) != 0) return vt_fail(diag, VTA_IO, "%s: %s", target, strerror(errno));
    const char *const argv[] = {"rm", "-rf", making, NULL};
    vt_strbuf said;
    int code;
    vt_strbuf_init(&said, NULL);
    (void)vt_spawn(argv, &said, &code);
    vt_strbuf_free(&said);
    return VTA_OK;
}

static vta_status place_of(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                           vta_hardware_options *out_options, vt_strbuf *out_place) {
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_hardware_build: needs a configuration");
    VT_TRY(vt_hardware_settle(config, options, diag, out_options));
    return vt_hardware_place(config, out_options, diag, out_place);
}

static bool there_is(const char *path) { return path && access(path, R_OK) == 0; }

vta_status vta_hardware_build(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                              char **out_path) {
    if (out_path) *out_path = NULL;
    vta_hardware_options o;
    vt_strbuf place;
    char *path = NULL;
    vt_strbuf_init(&place, NULL);
    vta_status status = place_of(config, options, diag, &o, &place);
    if (status == VTA_OK) status = path_of(place.text, model_name, diag, &path);
    if (status == VTA_OK && !there_is(path)) status = build_into(config, &o, place.text, diag);
    vt_strbuf_free(&place);
    if (status == VTA_OK && out_path)
        *out_path = path;
    else
        vta_string_free(path);
    return status;
}

vta_status vta_hardware_find(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                             char **out_path) {
    *out_path = NULL;
    vta_hardware_options o;
    vt_strbuf place;
    vt_strbuf_init(&place, NULL);
    vta_status status = place_of(config, options, diag, &o, &place);
    if (status == VTA_OK) status = path_of(place.text, model_name, diag, out_path);
    if (status == VTA_OK && !there_is(*out_path)) {
        status = vt_fail(diag, VTA_NOT_FOUND,
                         "there is no model of %s with a bus of %u bits (%s); make it with vta hw build",
                         vta_config_bitstream(config), o.bus_bits, *out_path);
        vta_string_free(*out_path);
        *out_path = NULL;
    }
    vt_strbuf_free(&place);
    return status;
}
