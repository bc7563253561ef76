#include "hardware/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/spawn.h"

enum { PATH_BYTES = 1024 };

uint64_t vt_hash_text(uint64_t h, const char *text) {
    for (; *text; text++) h = (h ^ (uint8_t)*text) * 0x100000001b3u;
    return h;
}

static uint64_t design_hash(const char *package, const vta_hardware_options *o) {
    uint64_t h = vt_hash_text(VT_HASH_BEGIN, package);
    for (size_t i = 0; i < vt_hardware_file_count; i++) h = vt_hash_text(h, vt_hardware_files[i].text);
    return (h ^ (uint64_t)(o->wave | o->coverage << 1 | o->assertions << 2 | o->netlist << 3)) * 0x100000001b3u;
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

/* Where what is made of a design is kept: a folder whose name tells the design and all that it is made from. */
static void add_place(const vta_config *config, const vta_hardware_options *o, vt_strbuf *out) {
    vt_strbuf package;
    vt_strbuf_init(&package, out->allocator);
    vt_hardware_package(&package, config, o);
    cache(out);
    vt_strbuf_addf(out, "/%s_%u_%016llx", vta_config_bitstream(config), o->bus_bits,
                   (unsigned long long)design_hash(vt_strbuf_text(&package), o));
    if (package.failed) out->failed = true;
    vt_strbuf_free(&package);
}

vta_status vt_hardware_path(const vta_config *config, const vta_hardware_options *o, const char *name, vta_diag *diag,
                            char **out_path) {
    vt_strbuf path;
    vt_strbuf_init(&path, NULL);
    add_place(config, o, &path);
    vt_strbuf_addf(&path, "/%s", name);
    *out_path = vt_strbuf_take(&path);
    return *out_path ? VTA_OK : vt_no_memory(diag);
}

bool vt_hardware_there_is(const char *path) { return access(path, R_OK) == 0; }

/* Makes a folder and those above it. */
static vta_status make_folders(const char *path, vta_diag *diag) {
    char part[PATH_BYTES];
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

static void remove_folder(const char *folder) {
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    vt_strbuf said;
    int code;
    vt_strbuf_init(&said, NULL);
    (void)vt_spawn(argv, &said, &code);
    vt_strbuf_free(&said);
}

/* The file is made in a folder of this process's own beside its place and moved there: whoever finds one finds it
 * whole, and two who make the same do not meet. */
static vta_status make_there(const vta_config *config, const vta_hardware_options *o, const char *target,
                             const char *name, vt_hardware_maker make, const void *arg, vta_diag *diag) {
    char place[PATH_BYTES], making[PATH_BYTES + 40], sources[PATH_BYTES + 60], made[PATH_BYTES + 120];
    size_t size = strlen(target) - strlen(name) - 1;
    if (size >= sizeof place) return vt_fail(diag, VTA_IO, "%s: the path is too long", target);
    memcpy(place, target, size);
    place[size] = 0;
    snprintf(making, sizeof making, "%s.%ld", place, (long)getpid());
    snprintf(sources, sizeof sources, "%s/sources", making);
    snprintf(made, sizeof made, "%s/%s", making, name);
    VT_TRY(make_folders(making, diag));
    vta_status status = make_folders(place, diag);
    if (status == VTA_OK) status = vta_hardware_generate(config, o, sources, diag);
    if (status == VTA_OK) status = make(making, name, o, arg, diag);
    if (status == VTA_OK && rename(made, target) != 0)
        status = vt_fail(diag, VTA_IO, "%s: %s", target, strerror(errno));
    if (status == VTA_OK || status == VTA_TIMEOUT) remove_folder(making); /* else: what the tools left, to look at */
    return status;
}

vta_status vt_hardware_made(const vta_config *config, const vta_hardware_options *o, const char *name,
                            vt_hardware_maker make, const void *arg, vta_diag *diag, char **out_path) {
    *out_path = NULL;
    char *path;
    VT_TRY(vt_hardware_path(config, o, name, diag, &path));
    vta_status status = vt_hardware_there_is(path) ? VTA_OK : make_there(config, o, path, name, make, arg, diag);
    if (status == VTA_OK)
        *out_path = path;
    else
        vta_string_free(path);
    return status;
}
