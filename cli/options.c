#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "vta/support.h"

enum { MAX_OPTIONS = 96, FIRST_ID = 256 };

/* How --help describes a command; cli_describe_all exchanges it. */
static cli_describe *describe = cli_print_page;

void cli_describe_all(cli_describe *how) {
    describe = how;
    for (int i = 0; i < cli_command_count; i++) {
        char *argv[] = {(char *)cli_commands[i].name, "--help", NULL};
        cli_commands[i].run(&cli_commands[i], 2, argv);
    }
    describe = cli_print_page;
}

/* "; did you mean --NAME?" for an option that nothing has, or "". */
static const char *meant(char out[64], const cli_option *options, const char *typed) {
    const char *names[MAX_OPTIONS + 1] = {"help"};
    size_t count = 1;
    for (; options[count - 1].name && count <= MAX_OPTIONS; count++) names[count] = options[count - 1].name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(typed, "="), typed);
    const char *near = vta_nearest_name(word + strspn(word, "-"), names, count);
    out[0] = '\0';
    if (near) snprintf(out, 64, "; did you mean --%s?", near);
    return out;
}

enum { MAX_WORDS = 16 };

static int choose(const cli_command *command, const cli_option *o, const char *value) {
    char words[256];
    const char *names[MAX_WORDS];
    uint32_t count = 0;
    snprintf(words, sizeof words, "%s", o->value);
    for (char *save = NULL, *w = strtok_r(words, "|", &save); w && count < MAX_WORDS; w = strtok_r(NULL, "|", &save)) {
        if (!strcmp(w, value)) {
            *(uint32_t *)o->to = count;
            return -1;
        }
        names[count++] = w;
    }
    const char *near = vta_nearest_name(value, names, count);
    return cli_usage(command, "--%s %s: must be one of %s%s%s%s", o->name, value, o->value,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int add_to_list(const cli_command *command, const cli_option *o, char *value) {
    cli_list *list = o->to;
    if (list->count == CLI_LIST_MAX) return cli_usage(command, "--%s: given more than %d times", o->name, list->count);
    list->item[list->count++] = value;
    return -1;
}

static int store_number(const cli_command *command, const cli_option *o, const char *value) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 0);
    if (end == value || *end || strchr(value, '-'))
        return cli_usage(command, "--%s %s: must be a whole number, 0 or more", o->name, value);
    if (errno) return cli_usage(command, "--%s %s: larger than 64 bits hold", o->name, value);
    *(uint64_t *)o->to = number;
    return -1;
}

static int store(const cli_command *command, const cli_option *o, char *value) {
    switch (o->kind) {
    case CLI_FLAG: *(bool *)o->to = true; return -1;
    case CLI_TEXT: *(const char **)o->to = value; return -1;
    case CLI_OPTIONAL: *(const char **)o->to = value ? value : ""; return -1;
    case CLI_CHOICE: return choose(command, o, value);
    case CLI_LIST: return add_to_list(command, o, value);
    case CLI_NUMBER: return store_number(command, o, value);
    }
    return -1;
}

/* What getopt_long takes: long names numbered from FIRST_ID on, letters in one string after `prefix`. */
typedef struct tables {
    struct option longs[MAX_OPTIONS + 2];
    char shorts[2 * MAX_OPTIONS + 4];
    int count;
} tables;

static void make_tables(const cli_option *options, const char *prefix, tables *t) {
    char *s = t->shorts;
    while (*prefix) *s++ = *prefix++;
    for (t->count = 0; options[t->count].name && t->count < MAX_OPTIONS; t->count++) {
        const cli_option *o = &options[t->count];
        bool has_value = o->kind != CLI_FLAG;
        int takes = o->kind == CLI_OPTIONAL ? optional_argument : has_value ? required_argument : no_argument;
        t->longs[t->count] = (struct option){o->name, takes, NULL, FIRST_ID + t->count};
        if (!o->letter) continue;
        *s++ = o->letter;
        if (has_value) *s++ = ':';
    }
    t->longs[t->count] = (struct option){"help", no_argument, NULL, 'h'};
    t->longs[t->count + 1] = (struct option){0};
    *s++ = 'h';
    *s = 0;
}

static int misused(const cli_command *command, const cli_option *options, int id, const char *word) {
    char suggestion[64];
    if (id == ':') return cli_usage(command, "%s needs a value", word);
    if (optopt > 0 && optopt < FIRST_ID) return cli_usage(command, "-%c: no such option", optopt);
    if (optopt) return cli_usage(command, "%s: takes no value", word);
    return cli_usage(command, "%s: no such option%s", word, meant(suggestion, options, word));
}

static int parse(const cli_command *command, const cli_option *options, int argc, char **argv, const char *prefix,
                 int *out_argc, char ***out_argv) {
    tables t;
    bool seen[MAX_OPTIONS] = {false};
    make_tables(options, prefix, &t);
    opterr = 0;
    optind = 1;
    for (int id; (id = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1;) {
        if (id == 'h') {
            describe(command, options);
            return CLI_OK;
        }
        if (id == ':' || id == '?') return misused(command, options, id, argv[optind - 1]);
        int i = id - FIRST_ID;
        for (int k = 0; id < FIRST_ID && k < t.count; k++)
            if (options[k].letter == id) i = k;
        bool once = options[i].kind != CLI_LIST && options[i].kind != CLI_FLAG;
        if (once && seen[i]) return cli_usage(command, "--%s: given twice", options[i].name);
        seen[i] = true;
        int code = store(command, &options[i], optarg);
        if (code >= 0) return code;
    }
    *out_argc = argc - optind;
    *out_argv = argv + optind;
    return -1;
}

int cli_parse(const cli_command *command, const cli_option *options, int argc, char **argv, int *out_argc,
              char ***out_argv) {
    int code = parse(command, options, argc, argv, ":", out_argc, out_argv);
    return code >= 0 ? code : cli_check_kinds(command, *out_argc, *out_argv);
}

int cli_parse_until_argument(const cli_command *command, const cli_option *options, int argc, char **argv,
                             int *out_argc, char ***out_argv) {
    return parse(command, options, argc, argv, "+:", out_argc, out_argv);
}
