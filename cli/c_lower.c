/* vta lower: a kernel file as IR, after the last pass or any other. */
#include <stdlib.h>
#include <string.h>

#include "c_kernel.h"
#include "file.h"

static int list_passes(bool json) {
    json_t *list = json_array();
    for (size_t i = 0; i < vtac_pass_count(); i++) {
        vtac_pass_info p;
        if (vtac_pass_get(i, &p) != VTA_OK) continue;
        if (json)
            json_array_append_new(list, json_pack("{s:s, s:b, s:s, s:s}", "name", p.name, "vta", p.vta != 0, "does",
                                                  p.does, "reason", p.reason));
        else
            printf("%-3zu%-4s %-36s %s\n%-44s %s\n", i, p.vta ? "vta" : "", p.name, p.does, "", p.reason);
    }
    if (json)
        cli_print_json(list);
    else
        json_decref(list);
    return cli_finish(VTA_OK);
}

/* What to show of each pass, and what was shown so far. */
typedef struct watch {
    const char *after; /* a pass's name, "all", or NULL: none */
    bool times;
    bool found;
    FILE *text;   /* the IR after the passes asked for */
    json_t *json; /* the same as a list; NULL: as text */
} watch;

static bool is_wanted(const watch *w, const char *name) {
    return w->after && (!strcmp(w->after, "all") || !strcmp(w->after, name));
}

static json_t *pass_json(const vtac_pass_event *e) {
    json_t *o = json_pack("{s:I, s:s, s:b, s:b}", "index", (json_int_t)e->index, "name", e->name, "ran", !e->skipped,
                          "changed", e->changed != 0);
    json_object_set_new(o, "milliseconds", json_real((double)e->nanoseconds * 1e-6));
    if (e->text) json_object_set_new(o, "ir", json_string(e->text));
    return o;
}

static void show_pass(void *user, const vtac_pass_event *e) {
    watch *w = user;
    if (w->times && !e->skipped)
        fprintf(stderr, "%9.3f ms  %s%s\n", (double)e->nanoseconds * 1e-6, e->name, e->changed ? "" : " (unchanged)");
    if (w->json && (w->times || is_wanted(w, e->name))) json_array_append_new(w->json, pass_json(e));
    if (!is_wanted(w, e->name)) return;
    w->found = true;
    const char *what = e->skipped ? " (did not run)" : e->changed ? "" : " (unchanged)";
    fprintf(w->text, "// after pass %zu, %s%s\n", e->index, e->name, what);
    if (e->text) fprintf(w->text, "%s", e->text);
}

static vta_status no_such_pass(const char *name) {
    const char *names[128] = {"all"};
    size_t count = 1;
    vtac_pass_info p;
    while (count < 128 && vtac_pass_get(count - 1, &p) == VTA_OK) names[count++] = p.name;
    return cli_unknown("--after", name, "pass", names, count, "vta lower --list-passes shows them");
}

/* Lowers; the text, and the parts of the JSON answer, come in *w and *out_ir (freed with vta_string_free). */
static vta_status lower(const cli_kernel *k, vtac_kernel *kernel, const vta_config *config, watch *w, vtac_style style,
                        char **out_ir) {
    const char *target;
    const vtac_func *f;
    cli_schedule scheduled = {.op = NULL};
    vta_status status = cli_kernel_target(k, kernel, &target);
    if (status == VTA_OK) status = cli_kernel_schedule(k, kernel, &scheduled);
    if (status != VTA_OK) return status;
    vtac_lower_options options = cli_kernel_options(k, config, target);
    options.style = style;
    options.print = w->after != NULL;
    options.after = show_pass;
    options.user = w;
    status = cli_kernel_lower(scheduled.kernel, &options, &f);
    if (status == VTA_OK && w->after && !w->found)
        status = no_such_pass(w->after);
    else if (status == VTA_OK)
        status = vtac_func_print(f, style, cli_diag(), out_ir);
    cli_kernel_release(&scheduled);
    return status;
}

static vta_status write_answer(const watch *w, const vtac_kernel *kernel, const char *text, const char *ir,
                               const char *output) {
    if (!w->json) {
        const char *what = w->after ? text : ir;
        return cli_write_file(output, what, strlen(what));
    }
    json_t *answer = json_pack("{s:s, s:O, s:s}", "kernel", vtac_kernel_name(kernel), "passes", w->json, "ir", ir);
    return cli_write_json(output, answer);
}

static vta_status show(const cli_kernel *k, const char *path, watch *w, vtac_style style, const char *output) {
    vta_config *config;
    vtac_kernel *kernel;
    char *text = NULL, *ir = NULL;
    size_t size = 0;
    vta_status status = cli_kernel_load(k, path, &config, &kernel);
    if (status != VTA_OK) return status;
    w->text = open_memstream(&text, &size);
    w->json = k->common.json ? json_array() : NULL;
    status = w->text ? lower(k, kernel, config, w, style, &ir) : VTA_NO_MEMORY;
    if (w->text && fclose(w->text) != 0 && status == VTA_OK) status = VTA_NO_MEMORY;
    if (status == VTA_OK) status = write_answer(w, kernel, text, ir, output);
    json_decref(w->json);
    vta_string_free(ir);
    free(text);
    vtac_kernel_destroy(kernel);
    vta_config_release(config);
    return status;
}

int cmd_lower(const cli_command *self, int argc, char **argv) {
    cli_kernel k = {0};
    watch w = {0};
    bool list = false;
    uint32_t style = VTAC_STYLE_PRIMFN;
    const char *output = NULL;
    const cli_option options[] = {
        {"after", 'a', CLI_TEXT, "PASS", "print the IR after this pass, wherever it runs; all: after every pass",
         &w.after},
        {"list-passes", 'l', CLI_FLAG, NULL, "print the passes in order, what each does and why it is there", &list},
        {"style", 'S', CLI_CHOICE, "primfn|tvmscript", "how the IR is written", &style},
        {"times", 0, CLI_FLAG, NULL, "print the time of each pass on standard error", &w.times},
        {"simple", 0, CLI_FLAG, NULL, "for reading: no loop partition", &k.simple},
        CLI_KERNEL_OPTIONS(&k),
        CLI_CONFIG_OPTIONS(&k.common),
        CLI_TIMING_OPTIONS(&k.common.timing),
        {"output", 'o', CLI_TEXT, "FILE", "write the IR there", &output},
        CLI_JSON_OPTION(&k.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (list) return list_passes(k.common.json);
    if (argc != 1)
        return cli_usage(self, argc ? "%s: one kernel file at a time" : "which kernel file?%s", argc ? argv[1] : "");
    return cli_finish(show(&k, argv[0], &w, style ? VTAC_STYLE_TVMSCRIPT : VTAC_STYLE_PRIMFN, output));
}
