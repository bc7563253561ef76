/* Help pages, at most 100 columns wide. */
#include <string.h>

#include "cli.h"

enum { WIDTH = 100 };

void cli_wrap(FILE *to, size_t at, size_t indent, const char *text) {
    while (*text) {
        size_t n = strlen(text), room = WIDTH - at;
        if (n > room) {
            n = room;
            while (n > 0 && text[n] != ' ' && text[n - 1] != '|') n--;
            if (n == 0) n = strcspn(text, " "); /* a word that is longer than the page is wide */
        }
        fprintf(to, "%.*s", (int)n, text);
        text += n;
        text += strspn(text, " ");
        if (*text) fprintf(to, "\n%*s", (int)indent, "");
        at = indent;
    }
    fputc('\n', to);
}

void cli_print_option(const cli_option *o) {
    enum { LEFT = 30 };
    char left[160];
    int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->value) snprintf(left + n, sizeof left - (size_t)n, o->kind == CLI_OPTIONAL ? "[=%s]" : " %s", o->value);
    printf(strlen(left) < LEFT ? "%-30s " : "%s\n%31s", left, "");
    cli_wrap(stdout, LEFT + 1, LEFT + 1, o->help);
}

/* An example: its comment behind three blanks or more goes to a line of its own where both are too long. */
static void print_example(const char *line, size_t size) {
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)size, line);
    if (size <= WIDTH) {
        printf("%s\n", text);
        return;
    }
    char *gap = strstr(text + strspn(text, " "), "   ");
    if (gap) *gap = '\0';
    char *from = text;
    while (strlen(from) > WIDTH) {
        char *cut = from + WIDTH - 2;
        while (cut > from + 6 && *cut != ' ') cut--;
        if (cut <= from + 6) break;
        *cut = '\0';
        printf("%s \\\n", from);
        from = cut - 5; /* what goes on is indented by six */
        memset(from, ' ', 6);
    }
    printf("%s\n", from);
    if (gap) {
        printf("      ");
        cli_wrap(stdout, 6, 6, gap + 1 + strspn(gap + 1, " "));
    }
}

void cli_print_page(const cli_command *command, const cli_option *options) {
    printf("usage: vta %s [OPTIONS] ", command->name);
    cli_wrap(stdout, 21 + strlen(command->name), 11, command->arguments);
    printf("\n");
    cli_wrap(stdout, 0, 0, command->summary);
    printf("\noptions:\n");
    for (const cli_option *o = options; o->name; o++) cli_print_option(o);
    cli_print_option(&(cli_option){"help", 'h', CLI_FLAG, NULL, "print this page", NULL});
    printf("\nexamples:\n");
    for (const char *line = command->examples; *line;) {
        size_t n = strcspn(line, "\n");
        print_example(line, n);
        line += n + (line[n] == '\n');
    }
}

/* ---- All commands ---- */

static const struct group {
    const char *title, *names;
} groups[] = {
#define CLI_GROUP(title, names) {title, names},
#include "groups.def"
};

static bool is_in(const char *names, const char *name) {
    size_t n = strlen(name);
    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name))
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static bool is_grouped(const char *name) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (is_in(groups[i].names, name)) return true;
    return false;
}

static void print_command(FILE *to, const cli_command *c) {
    fprintf(to, "  %-11s ", c->name);
    cli_wrap(to, 14, 14, c->summary);
}

static const cli_command *named(const char *name, size_t size) {
    for (int i = 0; i < cli_command_count; i++)
        if (strlen(cli_commands[i].name) == size && !strncmp(cli_commands[i].name, name, size)) return &cli_commands[i];
    return NULL;
}

static void print_group(FILE *to, const struct group *g) {
    bool begun = false;
    for (const char *at = g->names; *at;) {
        size_t n = strcspn(at, " ");
        const cli_command *c = named(at, n);
        if (c && !begun) fprintf(to, "\n%s\n", g->title);
        if (c) print_command(to, c);
        begun = begun || c;
        at += n + (at[n] == ' ');
    }
}

void cli_print_help(FILE *to) {
    bool others = false;
    fprintf(to, "usage: vta COMMAND [OPTIONS] [ARGUMENTS]\n");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) print_group(to, &groups[i]);
    for (int i = 0; i < cli_command_count; i++) {
        if (is_grouped(cli_commands[i].name)) continue;
        if (!others) fprintf(to, "\nothers\n");
        others = true;
        print_command(to, &cli_commands[i]);
    }
    fprintf(to, "\n  vta COMMAND --help   options and examples of a command\n"
                "  vta --version        the version\n\n"
                "exit codes: 0 done, 1 an error in the input or a failed check, 2 wrong usage\n");
}
