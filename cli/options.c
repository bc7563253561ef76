#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAX_OPTIONS = 48, FIRST_ID = 256 };

static void print_option(const cli_option *o) {
    char left[96];
    int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->value) snprintf(left + n, sizeof left - (size_t)n, " %s", o->value);
    if (strlen(left) < 30)
        printf("%-30s %s\n", left, o->help);
    else
        printf("%s\n%-30s %s\n", left, "", o->help);
}

static void print_help(const cli_command *command, const cli_option *options) {
    printf("usage: vta %s [OPTIONS] %s\n\n%s\n\noptions:\n", command->name, command->arguments, command->summary);
    for (const cli_option *o = options; o->name; o++) print_option(o);
    print_option(&(cli_option){"help", 'h', CLI_FLAG, NULL, "print this page", NULL});
    printf("\nexamples:\n%s", command->examples);
}

static int choose(const cli_command *command, const cli_option *o, const char *value) {
    uint32_t number = 0;
    size_t length = strlen(value);
    for (const char *word = o->value; *word; number++) {
        size_t n = strcspn(word, "|");
        if (n == length && !memcmp(word, value, n)) {
            *(uint32_t *)o->to = number;
            return -1;
        }
        word += n + (word[n] == '|');
    }
    return cli_usage(command, "--%s %s: must be one of %s", o->name, value, o->value);
}

static int store(const cli_command *command, const cli_option *o, char *value) {
    switch (o->kind) {
    case CLI_FLAG: *(bool *)o->to = true; return -1;
    case CLI_TEXT: *(const char **)o->to = value; return -1;
    case CLI_CHOICE: return choose(command, o, value);
    case CLI_LIST: {
        cli_list *list = o->to;
        if (list->count == (int)(sizeof list->item / sizeof *list->item))
            return cli_usage(command, "--%s: given more than %d times", o->name, list->count);
        list->item[list->count++] = value;
        return -1;
    }
    case CLI_NUMBER: break;
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 0);
    if (end == value || *end || errno || strchr(value, '-'))
        return cli_usage(command, "--%s %s: must be a whole number, 0 or more", o->name, value);
    *(uint64_t *)o->to = number;
    return -1;
}

static int parse(const cli_command *command, const cli_option *options, int argc, char **argv, const char *prefix,
                 int *out_argc, char ***out_argv) {
    struct option longs[MAX_OPTIONS + 2] = {{0}};
    char shorts[2 * MAX_OPTIONS + 4];
    int n = 0;
    char *s = shorts;
    while (*prefix) *s++ = *prefix++;
    for (; options[n].name && n < MAX_OPTIONS; n++) {
        bool has_value = options[n].kind != CLI_FLAG;
        longs[n] = (struct option){options[n].name, has_value, NULL, FIRST_ID + n};
        if (!options[n].letter) continue;
        *s++ = options[n].letter;
        if (has_value) *s++ = ':';
    }
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    *s++ = 'h';
    *s = 0;
    opterr = 0;
    optind = 1;
    for (int id; (id = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (id == 'h') {
            print_help(command, options);
            return CLI_OK;
        }
        if (id == ':') return cli_usage(command, "%s needs a value", argv[optind - 1]);
        if (id == '?' && optopt > 0 && optopt < FIRST_ID) return cli_usage(command, "-%c: no such option", optopt);
        if (id == '?' && optopt) return cli_usage(command, "%s: takes no value", argv[optind - 1]);
        if (id == '?') return cli_usage(command, "%s: no such option", argv[optind - 1]);
        int i = id - FIRST_ID;
        for (int k = 0; id < FIRST_ID && k < n; k++)
            if (options[k].letter == id) i = k;
        int code = store(command, &options[i], optarg);
        if (code >= 0) return code;
    }
    *out_argc = argc - optind;
    *out_argv = argv + optind;
    return -1;
}

int cli_parse(const cli_command *command, const cli_option *options, int argc, char **argv, int *out_argc,
              char ***out_argv) {
    return parse(command, options, argc, argv, ":", out_argc, out_argv);
}

int cli_parse_until_argument(const cli_command *command, const cli_option *options, int argc, char **argv,
                             int *out_argc, char ***out_argv) {
    return parse(command, options, argc, argv, "+:", out_argc, out_argv);
}
