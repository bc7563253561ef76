/* Diagnostics, configuration, JSON and progress: what every command does the same way. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "timing.h"
#include "vta/support.h"

vta_diag *cli_diag(void) {
    static vta_diag *diag;
    if (!diag) diag = vta_diag_create(NULL);
    return diag;
}

double cli_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool *cli_verbose(void) {
    static bool verbose;
    return &verbose;
}

static void print_details(void) {
    const char *details = vta_diag_details(cli_diag());
    if (!*details) return;
    if (*cli_verbose())
        fprintf(stderr, "%s\n", details);
    else
        cli_say(VTA_NOTE, "--verbose shows the loops");
}

vta_status cli_fail(vta_status status, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

int cli_finish(vta_status status) {
    cli_progress_end();
    bool flushed = fflush(stdout) == 0 && !ferror(stdout);
    cli_print_messages(cli_diag());
    print_details();
    if (status != VTA_OK && vta_diag_status(cli_diag()) == VTA_OK) cli_say(VTA_ERROR, "%s", vta_status_text(status));
    if (!flushed) cli_say(VTA_ERROR, "cannot write to standard output");
    vta_diag_destroy(cli_diag());
    return status == VTA_OK && flushed ? CLI_OK : CLI_FAILED;
}

int cli_usage(const cli_command *command, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    cli_say(VTA_ERROR, "vta %s: %s", command->name, message);
    fprintf(stderr, "usage: vta %s [OPTIONS]%s", command->name, *command->arguments ? " " : "");
    cli_wrap(stderr, 21 + strlen(command->name), 11, command->arguments);
    fprintf(stderr, "vta %s --help says more\n", command->name);
    return CLI_USAGE;
}

vta_status cli_unknown(const char *option, const char *name, const char *what, const char *const *names, size_t count,
                       const char *hint) {
    char message[512];
    const char *near = vta_nearest_name(name, names, count);
    snprintf(message, sizeof message, "%s %.200s: no such %s%s%s%s%s%s", option, name, what,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "", near || !hint ? "" : "; ",
             near || !hint ? "" : hint);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_NOT_FOUND, message);
    return VTA_NOT_FOUND;
}

char *cli_join(const cli_list *list) {
    size_t size = 1;
    for (int i = 0; i < list->count; i++) size += strlen(list->item[i]) + 1;
    char *all = calloc(1, size), *to = all;
    for (int i = 0; all && i < list->count; i++) to = stpcpy(i ? stpcpy(to, " ") : to, list->item[i]);
    return all;
}

/* All changes at once: one by one they might go through a configuration that breaks a rule. */
vta_status cli_change_config(const cli_common *common, vta_config **config) {
    if (!common->set.count) return VTA_OK;
    char *all = cli_join(&common->set);
    if (!all) return VTA_NO_MEMORY;
    vta_config *changed;
    vta_status status = vta_config_with(*config, all, cli_diag(), &changed);
    free(all);
    if (status != VTA_OK) return status;
    vta_config_release(*config);
    *config = changed;
    return VTA_OK;
}

vta_status cli_find_config(const cli_common *common, vta_config **out_config) {
    vta_status status = vta_config_find(common->config, cli_diag(), out_config, NULL);
    if (status != VTA_OK) return status;
    status = cli_change_config(common, out_config);
    if (status == VTA_OK) status = cli_change_timing(&common->timing, out_config);
    if (status != VTA_OK) {
        vta_config_release(*out_config);
        *out_config = NULL;
    }
    return status;
}

const char *cli_environment(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

void cli_print_json(json_t *value) {
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(value);
}

json_t *cli_json_of(char *text) {
    json_t *value = text ? json_loads(text, 0, NULL) : NULL;
    vta_string_free(text);
    return value ? value : json_null();
}
