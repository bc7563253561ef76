/* vta lower: a kernel file as IR, after the last pass or any other. */
#include <string.h>

#include "c_kernel.h"

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

/* What to show of each pass. */
typedef struct watch {
    const char *after; /* a pass's name, "all", or NULL: none */
    bool times;
    bool found;
} watch;

static bool is_wanted(const watch *w, const char *name) {
    return w->after && (!strcmp(w->after, "all") || !strcmp(w->after, name));
}

static void show_pass(void *user, const vtac_pass_event *e) {
    watch *w = user;
    if (w->times && !e->skipped)
        fprintf(stderr, "%9.3f ms  %s%s\n", (double)e->nanoseconds * 1e-6, e->name, e->changed ? "" : " (unchanged)");
    if (!is_wanted(w, e->name)) return;
    w->found = true;
    const char *what = e->skipped ? " (did not run)" : e->changed ? "" : " (unchanged)";
    printf("// after pass %zu, %s%s\n", e->index, e->name, what);
    if (e->text) printf("%s", e->text);
}

static vta_status print_function(const vtac_func *f, vtac_style style, const char *output) {
    char *text;
    vta_status status = vtac_func_print(f, style, NULL, cli_diag(), &text);
    if (status != VTA_OK) return status;
    FILE *to = output ? fopen(output, "w") : stdout;
    bool ok = to && fputs(text, to) >= 0;
    if (output && to && fclose(to) != 0) ok = false;
    vtac_text_free(NULL, text);
    if (ok) return VTA_OK;
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_IO, output ? "cannot write the output file" : "cannot write");
    return VTA_IO;
}

static vta_status lower(const cli_kernel *k, const char *path, watch *w, vtac_style style, const char *output) {
    vta_config *config;
    vtac_kernel *kernel;
    const char *target;
    const vtac_func *f;
    vta_status status = cli_kernel_load(k, path, &config, &kernel);
    if (status != VTA_OK) return status;
    status = cli_kernel_target(k, kernel, &target);
    if (status == VTA_OK) {
        vtac_lower_options options = cli_kernel_options(k, config, target);
        options.style = style;
        options.print = w->after != NULL;
        options.after = show_pass;
        options.user = w;
        status = cli_kernel_lower(kernel, &options, &f);
    }
    if (status == VTA_OK && !w->after) status = print_function(f, style, output);
    if (status == VTA_OK && w->after && !w->found) {
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_NOT_FOUND, "--after: no such pass; vta lower --list-passes shows them");
        status = VTA_NOT_FOUND;
    }
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
        {"list-passes", 'l', CLI_FLAG, NULL, "print the passes in their order, with what each does and why there",
         &list},
        {"style", 'S', CLI_CHOICE, "primfn|tvmscript", "how the IR is written", &style},
        {"times", 0, CLI_FLAG, NULL, "print the time of each pass on standard error", &w.times},
        {"simple", 0, CLI_FLAG, NULL, "for reading: no loop partition", &k.simple},
        CLI_KERNEL_OPTIONS(&k),
        CLI_CONFIG_OPTIONS(&k.common),
        {"output", 'o', CLI_TEXT, "FILE", "write the IR there", &output},
        CLI_JSON_OPTION(&k.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (list) return list_passes(k.common.json);
    if (argc != 1)
        return cli_usage(self, argc ? "%s: one kernel file at a time" : "which kernel file?%s", argc ? argv[1] : "");
    return cli_finish(lower(&k, argv[0], &w, style ? VTAC_STYLE_TVMSCRIPT : VTAC_STYLE_PRIMFN, output));
}
