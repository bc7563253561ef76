/* vta build: kernel files to an object, a shared object, assembly, LLVM IR or C. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "c_kernel.h"
#include "c_machine.h"
#include "file.h"

enum { KERNELS_MAX = 64 };

/* What --emit names, in the order of its words; the first takes the ending of the output file, and is what is left
 * where that says nothing. */
typedef enum out_form { FORM_AUTO, FORM_IR, FORM_LLVM, FORM_ASM, FORM_C, FORM_OBJ, FORM_SO, FORM_TE } out_form;
#define FORM_WORDS "auto|ir|llvm|asm|c|obj|so|te"

static out_form form_of(const char *output) {
    static const struct {
        const char *ending;
        out_form form;
    } endings[] = {{".o", FORM_OBJ}, {".so", FORM_SO},  {".s", FORM_ASM}, {".ll", FORM_LLVM},
                   {".c", FORM_C},   {".tir", FORM_IR}, {".te", FORM_TE}};
    if (!output) return FORM_OBJ;
    const char *dot = strrchr(output, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i].ending)) return endings[i].form;
    return FORM_AUTO;
}

/* Everything that is open while kernels are compiled together. */
typedef struct work {
    cli_kernel k;
    vtac_build_options build;
    out_form form;
    const char *output;
    bool annotate;
    int count;
    vta_config *configs[KERNELS_MAX];
    vtac_kernel *kernels[KERNELS_MAX];
    cli_schedule scheduled[KERNELS_MAX];
    vtac_build_func funcs[KERNELS_MAX];
} work;

static vta_status error(vta_status status, const char *fmt, const char *what) {
    char message[512];
    snprintf(message, sizeof message, fmt, what);
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

static vta_status take(work *w, const char *path) {
    int i = w->count;
    if (i == KERNELS_MAX) return error(VTA_OUT_OF_RANGE, "%s: too many kernels for one module", path);
    vta_status status = cli_kernel_load(&w->k, path, &w->configs[i], &w->kernels[i]);
    if (status != VTA_OK) return status;
    w->count++;
    const char *target;
    status = cli_kernel_target(&w->k, w->kernels[i], &target);
    if (status != VTA_OK) return status;
    vtac_lower_options options = cli_kernel_options(&w->k, w->configs[i], target);
    options.annotate = w->annotate;
    w->funcs[i].device_type = strcmp(target, "vta") == 0 ? kDLExtDev : kDLCPU;
    status = cli_kernel_schedule(&w->k, w->kernels[i], &w->scheduled[i]);
    if (status != VTA_OK) return status;
    return cli_kernel_lower(w->scheduled[i].kernel, &options, &w->funcs[i].func);
}

/* All functions, one after another. */
static vta_status emit_ir(work *w) {
    char *all = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&all, &size);
    if (!to) return error(VTA_NO_MEMORY, "%s", "out of memory");
    vta_status status = VTA_OK;
    for (int i = 0; i < w->count && status == VTA_OK; i++) {
        char *text;
        status = vtac_func_print(w->funcs[i].func, VTAC_STYLE_PRIMFN, cli_diag(), &text);
        if (status != VTA_OK) break;
        fputs(text, to);
        vta_string_free(text);
    }
    if (fclose(to) != 0 && status == VTA_OK) status = error(VTA_NO_MEMORY, "%s", "out of memory");
    if (status == VTA_OK) status = cli_write_file(w->output, all, size);
    free(all);
    return status;
}

/* The kernel file with the schedule that was chosen, and what there is to say about it. */
static vta_status emit_te(const work *w) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return error(VTA_NO_MEMORY, "%s", "out of memory");
    const cli_schedule *s = &w->scheduled[0];
    fprintf(to, "# %llu cycles; none takes less than %llu.\n# %s\n%s", (unsigned long long)s->result.cycles,
            (unsigned long long)s->result.bound, vtac_op_report(s->op), vtac_op_text(s->op));
    vta_status status =
        fclose(to) == 0 ? cli_write_file(w->output, text, size) : error(VTA_NO_MEMORY, "%s", "out of memory");
    free(text);
    return status;
}

static vta_status emit(work *w) {
    if (w->form == FORM_IR) return emit_ir(w);
    if (w->form == FORM_TE) return emit_te(w);
    if (w->form == FORM_OBJ || w->form == FORM_SO) {
        vtac_module *module;
        vta_status status = vtac_build((size_t)w->count, w->funcs, &w->build, cli_diag(), &module);
        if (status == VTA_OK) status = vtac_module_save(module, w->output, cli_diag());
        vtac_module_destroy(module);
        return status;
    }
    static const vtac_emit_kind kinds[] = {
        [FORM_LLVM] = VTAC_EMIT_LLVM, [FORM_ASM] = VTAC_EMIT_ASM, [FORM_C] = VTAC_EMIT_C};
    char *text;
    size_t size;
    vta_status status = vtac_emit((size_t)w->count, w->funcs, &w->build, kinds[w->form], cli_diag(), &text, &size);
    if (status == VTA_OK) status = cli_write_file(w->output, text, size);
    vta_string_free(text);
    return status;
}

/* What was written, for programs that call this one. */
static void report(const work *w, char **paths) {
    struct stat st;
    json_t *functions = json_array();
    for (int i = 0; i < w->count; i++) {
        json_t *f = json_pack("{s:s, s:s, s:s, s:s}", "name", vtac_func_name(w->funcs[i].func), "kernel_file", paths[i],
                              "target", w->funcs[i].device_type == kDLExtDev ? "vta" : "llvm", "configuration",
                              vta_config_bitstream(w->configs[i]));
        if (w->k.automatic) json_object_set_new(f, "auto", cli_kernel_schedule_json(&w->scheduled[i]));
        json_array_append_new(functions, f);
    }
    json_t *out = json_pack("{s:s, s:s?, s:o}", "file", w->output, "triple", w->build.triple, "functions", functions);
    if (stat(w->output, &st) == 0) json_object_set_new(out, "bytes", json_integer(st.st_size));
    cli_print_json(out);
}

static vta_status build(work *w, const cli_list *machine, int n, char **paths) {
    vta_status status = cli_machine(machine, &w->build.triple, &w->build.cpu, &w->build.features);
    for (int i = 0; i < n && status == VTA_OK; i++) status = take(w, paths[i]);
    if (status == VTA_OK) status = emit(w);
    if (status == VTA_OK && w->k.common.json) report(w, paths);
    for (int i = 0; i < w->count; i++) {
        cli_kernel_release(&w->scheduled[i]);
        vtac_kernel_destroy(w->kernels[i]);
        vta_config_release(w->configs[i]);
    }
    return status;
}

int cmd_build(const cli_command *self, int argc, char **argv) {
    static work w;
    cli_list machine = {0};
    uint32_t form = FORM_AUTO;
    uint64_t level = 2;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "FILE.o, FILE.so, FILE.s, FILE.ll, FILE.c, FILE.tir or FILE.te", &w.output},
        {"emit", 'e', CLI_CHOICE, FORM_WORDS, "what to write, where the ending does not say it", &form},
        CLI_MACHINE_OPTION(&machine),
        {"annotate", 0, CLI_FLAG, NULL, "the code says which stage each instruction is from; vta profile shows it",
         &w.annotate},
        {"linker", 0, CLI_TEXT, "PROGRAM", "tried first for FILE.so, with its options (else $CC)", &w.build.linker},
        {"opt", 'O', CLI_NUMBER, "LEVEL", "0 to 3: effort for what computes on the host (2)", &level},
        CLI_KERNEL_OPTIONS(&w.k),
        CLI_CONFIG_OPTIONS(&w.k.common),
        CLI_TIMING_OPTIONS(&w.k.common.timing),
        CLI_JSON_OPTION(&w.k.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 1) return cli_usage(self, "which kernel file?");
    w.form = form == FORM_AUTO ? form_of(w.output) : (out_form)form;
    if (w.form == FORM_AUTO)
        return cli_usage(
            self, "%s: an output file ends in .o, .so, .s, .ll, .c, .tir or .te, or --emit says what it is", w.output);
    if (!w.build.linker && !w.build.triple) w.build.linker = cli_environment("CC");
    if (w.form == FORM_TE && (!w.k.automatic || argc > 1))
        return cli_usage(self, "a kernel file is written of one kernel, with --auto, which makes its schedule");
    bool binary = w.form == FORM_OBJ || w.form == FORM_SO;
    if (binary && !w.output) return cli_usage(self, "-o FILE.o or -o FILE.so: where to?");
    if (w.k.common.json && !w.output) return cli_usage(self, "--json says what was written: -o FILE");
    if (level > 3) return cli_usage(self, "-O%llu: levels are 0 to 3", (unsigned long long)level);
    w.build.opt_level = level ? (int32_t)level : -1;
    return cli_finish(build(&w, &machine, argc, argv));
}
