/* How messages look: one prefix, the line of the source that they are about, colour on terminals. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static bool is_coloured(void) {
    const char *term = cli_environment("TERM");
    return isatty(STDERR_FILENO) && !cli_environment("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

/* "error: " and its like, in bold red, magenta or cyan. */
static void prefix(vta_severity severity) {
    static const char *const words[] = {"error", "warning", "note"};
    static const char *const colours[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    bool coloured = is_coloured();
    fprintf(stderr, "%s%s:%s ", coloured ? colours[severity] : "", words[severity], coloured ? "\033[0m" : "");
}

/* Line `number` of a file, without its end; false when it has none, or one that is no text. */
static bool line_of(const char *path, uint32_t number, char *line, size_t size) {
    FILE *f = fopen(path, "r");
    bool there = f != NULL;
    for (uint32_t i = 0; there && i < number; i++) {
        there = fgets(line, (int)size, f) != NULL;
        if (there && !strchr(line, '\n') && !feof(f)) there = false; /* longer than is shown */
    }
    if (f) fclose(f);
    if (!there) return false;
    line[strcspn(line, "\r\n")] = '\0';
    for (const char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\t') return false;
    return true;
}

/* The line, and below it a caret; tabs stay tabs, so that the caret is where it belongs. */
static void quote(const vta_diag_entry *e) {
    char line[400];
    if (!e->file || !e->line || !e->column || !line_of(e->file, e->line, line, sizeof line)) return;
    size_t n = strlen(line), column = e->column - 1;
    if (column > n) return;
    for (size_t i = 0; i < column; i++)
        if ((unsigned char)line[i] >= 0x80) return; /* columns are bytes */
    fprintf(stderr, "%5u | %s\n      | ", e->line, line);
    for (size_t i = 0; i < column; i++) fputc(line[i] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "%s^%s\n", is_coloured() ? "\033[1;32m" : "", is_coloured() ? "\033[0m" : "");
}

void cli_print_messages(const vta_diag *diag) {
    vta_diag_entry e;
    for (size_t i = 0; vta_diag_get(diag, i, &e) == VTA_OK; i++) {
        if (e.severity == VTA_DETAIL) continue;
        if (e.file) fprintf(stderr, "%s:", e.file);
        if (e.line) fprintf(stderr, "%u:%u:", e.line, e.column);
        if (e.file || e.line) fputc(' ', stderr);
        prefix(e.severity);
        fprintf(stderr, "%s\n", e.message);
        quote(&e);
    }
}

void cli_say(vta_severity severity, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    prefix(severity);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}
