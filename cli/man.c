/* vta man: the manual page, from the tables that --help is made from. */
#include <string.h>

#include "cli.h"

/* Text of roff: a leading dot or quote would be a request, a backslash an escape, a hyphen must stay one. */
static void roff(const char *text) {
    bool line_start = true;
    for (const char *c = text; *c; c++) {
        if (line_start && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (*c == '-')
            fputs("\\-", stdout);
        else
            putchar(*c);
        line_start = *c == '\n';
    }
}

static void roff_option(const cli_option *o) {
    printf(".TP\n");
    if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-");
    roff(o->name);
    printf("\\fR");
    if (o->value) {
        printf(o->kind == CLI_OPTIONAL ? "[=\\fI" : " \\fI");
        roff(o->value);
        printf(o->kind == CLI_OPTIONAL ? "\\fR]" : "\\fR");
    }
    printf("\n");
    roff(o->help);
    printf("\n");
}

static void roff_command(const cli_command *command, const cli_option *options) {
    printf(".SS vta %s\n.B vta %s\n[OPTIONS] ", command->name, command->name);
    roff(command->arguments);
    printf("\n.PP\n");
    roff(command->summary);
    printf(".\n");
    for (const cli_option *o = options; o->name; o++) roff_option(o);
    printf(".PP\n.nf\n");
    roff(command->examples);
    printf(".fi\n");
}

static void page(void) {
    printf(".TH VTA 1 \"\" \"vta %s\" \"User Commands\"\n"
           ".SH NAME\nvta \\- compile, run, time and inspect programs of the Versatile Tensor Accelerator\n"
           ".SH SYNOPSIS\n.B vta\nCOMMAND [OPTIONS] [ARGUMENTS]\n"
           ".SH DESCRIPTION\nOne tool for the whole stack: hardware configurations, kernel files, captured programs,\n"
           "simulators, profiles. Every command prints this text's part about it with \\fB\\-\\-help\\fR.\n"
           ".SH COMMANDS\n",
           vta_version());
    cli_describe_all(roff_command);
    printf(".SH EXIT STATUS\n0: done. 1: an error in the input or a failed check. 2: wrong usage.\n"
           ".SH ENVIRONMENT\n"
#define VTA_ENVIRONMENT(name, meaning) ".TP\n.B " #name "\n" meaning "\n"
#include "vta/environment.def"
#undef VTA_ENVIRONMENT
    );
}

int cmd_man(const cli_command *self, int argc, char **argv) {
    const cli_option options[] = {{0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc) return cli_usage(self, "%s: takes no argument", argv[0]);
    page();
    return cli_finish(VTA_OK);
}
