/* The values that options and arguments may have, from the tables that the commands themselves use. */
#include "values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vta/device.h"
#include "vta/image.h"
#include "vta/timing.h"
#ifdef VT_COMPILER
#include "vta/graph.h"
#include "vta/ops.h"
#include "vta/pass.h"
#endif

typedef struct words {
    char *text;
    size_t size;
} words;

static void add(words *w, const char *word, const char *end) {
    size_t n = strlen(word) + strlen(end) + 2;
    char *text = realloc(w->text, w->size + n);
    if (!text) return;
    w->text = text;
    w->size += (size_t)snprintf(text + w->size, n, "%s%s%s", w->size ? " " : "", word, end);
}

static void add_each(words *w, const char *(*name)(size_t)) {
    for (size_t i = 0; name(i); i++) add(w, name(i), "");
}

static void add_drivers(words *w) {
    static const char *const drivers[] = {"sim",     "tsim",   "rtl",      "null",     "pynq",
                                          "ultra96", "zcu104", "de10nano", "intelfocl"};
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) add(w, drivers[i], "");
}

static void add_configs(words *w) {
    static const char *const boards[] = {"pynq", "ultra96", "zcu104", "de10nano", "intelfocl", "sim", "tsim"};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) add(w, boards[i], "");
}

static void add_keys(words *w) {
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) add(w, vta_config_field_name((vta_config_field)i), "=");
    add(w, "TARGET", "=");
}

#ifdef VT_COMPILER
static void add_passes(const cli_command *command, words *w) {
    vtac_pass_info info;
    vtac_graph_pass pass = {0};
    if (!strcmp(command->name, "lower"))
        for (size_t i = 0; i < vtac_pass_count() && vtac_pass_get(i, &info) == VTA_OK; i++) add(w, info.name, "");
    if (!strcmp(command->name, "graph"))
        for (size_t i = 0; vtac_graph_pass_get(i, &pass) == VTA_OK; i++) add(w, pass.name, "");
}
#endif

/* "generate|build|synth", "run HOST FILE | ps HOST": the first word of each, where it is one to be typed as it is. */
static bool add_alternatives(words *w, const char *text) {
    bool all = true;
    for (const char *at = text; *at; at += *at == '|') {
        char word[40];
        at += strspn(at, " ");
        size_t n = strcspn(at, " |"), i = 0;
        while (i < n && (islower((unsigned char)at[i]) || isdigit((unsigned char)at[i]) || at[i] == '-')) i++;
        bool is_word = n && i == n && *at != '-' && n < sizeof word;
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (is_word) add(w, word, "");
        all = all && is_word;
        at += strcspn(at, "|");
    }
    return all;
}

char *cli_option_values(const cli_command *command, const cli_option *o, bool *files) {
    words w = {0};
    *files = false;
    if (o->kind == CLI_FLAG || !o->value) return NULL;
    bool name = strstr(o->value, "NAME") != NULL;
    if (!strcmp(o->name, "preset")) {
        add_each(&w, vta_preprocess_preset_name);
    } else if (!strcmp(o->name, "driver")) {
        add_drivers(&w);
    } else if (!strcmp(o->name, "config") && name) {
        add_configs(&w);
        *files = true;
    } else if (!strcmp(o->name, "set")) {
        add_keys(&w);
    } else if (!strcmp(o->name, "profile") && name) {
        add_each(&w, vta_timing_profile_name);
        *files = true;
    } else if (!strcmp(o->name, "layout")) {
        add(&w, "NCHW", "");
        add(&w, "NHWC", "");
#ifdef VT_COMPILER
    } else if (!strcmp(o->name, "after")) {
        add_passes(command, &w);
#endif
    } else if (strchr(o->value, '|')) {
        *files = !add_alternatives(&w, o->value);
    } else {
        *files = strstr(o->value, "FILE") || strstr(o->value, "DIR") || strstr(o->value, "PROGRAM");
    }
    (void)command;
    return w.text;
}

char *cli_argument_values(const cli_command *command, bool *files) {
    words w = {0};
    *files = !add_alternatives(&w, command->arguments);
#ifdef VT_COMPILER
    if (!strncmp(command->arguments, "NAME KEY=VALUE", 14) || !strcmp(command->arguments, "[NAME...]")) {
        add_each(&w, vtac_operator_name);
        *files = strchr(command->arguments, '|') != NULL;
    }
#endif
    return w.text;
}
