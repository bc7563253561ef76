/* Yosys, run on a design for a family of parts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/spawn.h"
#include "hardware/place.h"
#include "hardware/synthesis.h"

enum { SECONDS = 1200, STAT_MAX = 16 << 20, TIMED_OUT = 124, KILLED = 128 + 9 };

typedef struct task {
    const char *command;
    uint32_t seconds;
} task;

/* Yosys runs in the folder: names with blanks would not do for it. */
static void add_script(vt_strbuf *script, const char *name, const char *command) {
    vt_strbuf_add(script, "read_verilog -sv sources/vta_pkg.sv");
    for (size_t i = 0; i < vt_hardware_file_count; i++)
        if (vt_hardware_is_module(vt_hardware_files[i].name))
            vt_strbuf_addf(script, " sources/%s", vt_hardware_files[i].name);
    vt_strbuf_addf(script, "; chformal -remove; %s; tee -q -o %s stat", command, name);
}

static vta_status judge(int error, int code, uint32_t seconds, const char *said, vta_diag *diag) {
    if (error || code == 127)
        return vt_fail(diag, VTA_UNSUPPORTED, "cannot run yosys (apt install yosys): %s",
                       error ? strerror(error) : "there is no such program");
    if (code == TIMED_OUT || code == KILLED)
        return vt_fail(diag, VTA_TIMEOUT, "Yosys did not end within %u s", seconds);
    if (code) return vt_fail(diag, VTA_UNSUPPORTED, "Yosys failed: %s", said);
    return VTA_OK;
}

static vta_status run_yosys(const char *folder, const char *name, const vta_hardware_options *o, const void *arg,
                            vta_diag *diag) {
    (void)o;
    const task *t = arg;
    char limit[20];
    int code = 0;
    vt_strbuf script, said;
    vt_strbuf_init(&script, NULL);
    vt_strbuf_init(&said, NULL);
    add_script(&script, name, t->command);
    snprintf(limit, sizeof limit, "%u", t->seconds);
    const char *const argv[] = {
        "timeout", "-k", "5",  limit,       "env", "-C", folder, "yosys", "-q", "-e", "implicitly declared",
        "-w",      ".*", "-p", script.text, NULL};
    vta_status status = VTA_OK;
    if (script.failed) {
        status = vt_no_memory(diag);
    } else {
        int error = vt_spawn(argv, &said, &code);
        status = judge(error, code, t->seconds, vt_strbuf_text(&said), diag);
    }
    vt_strbuf_free(&script);
    vt_strbuf_free(&said);
    return status;
}

/* The result is kept under a name that tells how it was made. */
static vta_status stat_of(const vta_config *config, const vta_hardware_options *o, const vt_part_family *family,
                          const task *t, vta_diag *diag, char **out_path) {
    char name[60];
    snprintf(name, sizeof name, "%s_%08x.stat", family->name, (uint32_t)vt_hash_text(VT_HASH_BEGIN, t->command));
    return vt_hardware_made(config, o, name, run_yosys, t, diag, out_path);
}

static vta_status read_stat(const char *path, const vt_part_family *family, vta_diag *diag, vta_synthesis **out) {
    char *text;
    size_t size;
    VT_TRY(vt_file_read(NULL, path, STAT_MAX, diag, &text, &size));
    vta_status status = vt_synthesis_read(text, family, diag, out);
    vt_free(NULL, text, size + 1);
    return status;
}

static vta_status no_family(const char *name, vta_diag *diag) {
    vt_strbuf known;
    vt_strbuf_init(&known, NULL);
    for (size_t i = 0; vta_part_family_name(i); i++)
        vt_strbuf_addf(&known, "%s%s", i ? ", " : "", vta_part_family_name(i));
    vta_status status =
        vt_fail(diag, VTA_NOT_FOUND, "there is no family of parts \"%s\"; there are: %s", name, vt_strbuf_text(&known));
    vt_strbuf_free(&known);
    return status;
}

vta_status vta_hardware_synthesize(const vta_config *config, const vta_hardware_options *options, const char *family,
                                   bool flatten, uint32_t seconds, vta_diag *diag, vta_synthesis **out) {
    if (out) *out = NULL;
    if (!config || !family || !out)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "vta_hardware_synthesize: needs a configuration, a family of parts and out_synthesis");
    const vt_part_family *f = vt_part_family_find(family);
    if (!f) return no_family(family, diag);
    vta_hardware_options o;
    VT_TRY(vt_hardware_settle(config, options, diag, &o));
    const task t = {flatten ? f->flat : f->command, seconds ? seconds : SECONDS};
    char *path;
    VT_TRY(stat_of(config, &o, f, &t, diag, &path));
    vta_status status = read_stat(path, f, diag, out);
    vta_string_free(path);
    return status;
}
