/* What the commands of `vta` share: the command table, options, output, exit codes. Commands use public headers only.
 */
#ifndef CLI_H
#define CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"
#include "vta/config.h"

/* Exit codes. A crash is always a bug. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *arguments;
    const char *examples;
    int (*run)(const struct cli_command *self, int argc, char **argv);
} cli_command;

/* All commands, in the order of commands.def. */
extern const cli_command cli_commands[];
extern const int cli_command_count;

/* Describes every command with `how`, in their order. */
void cli_describe_all(cli_describe *how);

#define CLI_COMMAND(name, summary, arguments, examples) int cmd_##name(const cli_command *self, int argc, char **argv);
#include "commands.def"
#undef CLI_COMMAND

/* The diagnostics of the command, one list a process; errors are printed by cli_finish. */
vta_diag *cli_diag(void);
/* Adds an error to the diagnostics; gives `status`. */
vta_status cli_fail(vta_status status, const char *fmt, ...) VTA_PRINTF(2, 3);
/* Prints what the diagnostics hold to stderr, flushes stdout and gives the exit code for `status`: use as
 * `return cli_finish(status)`. */
int cli_finish(vta_status status);
/* messages.c: prints a list of messages to stderr, each with the line that it is about, in colour on a terminal without
 * NO_COLOR; one message without a list. */
void cli_print_messages(const vta_diag *diag);
void cli_say(vta_severity severity, const char *fmt, ...) VTA_PRINTF(2, 3);
/* help.c: text from column `at` on, with later lines indented; a command's page; the list of commands. */
void cli_wrap(FILE *to, size_t at, size_t indent, const char *text);
void cli_print_option(const cli_option *option);
void cli_print_page(const cli_command *command, const cli_option *options);
void cli_print_help(FILE *to);
/* kinds.c: refuses files of a kind that the command does not take, and says which command does. -1: there is none. */
int cli_check_kinds(const cli_command *command, int argc, char **argv);
/* Is --verbose given: then cli_finish prints the details of errors too. */
bool *cli_verbose(void);
/* Seconds of the monotonic clock. */
double cli_now(void);
/* Prints "vta COMMAND: message" and a hint at --help; gives CLI_USAGE. */
int cli_usage(const cli_command *command, const char *fmt, ...) VTA_PRINTF(2, 3);

/* Reports that nothing is called `name` and what it may have been meant to be: "OPTION NAME: no such WHAT; did you mean
 * OTHER? HINT". Gives VTA_NOT_FOUND. */
vta_status cli_unknown(const char *option, const char *name, const char *what, const char *const *names, size_t count,
                       const char *hint);

/* What is said of the machine's time: its memory bus, and what instructions take (timing.h). */
typedef struct cli_timing {
    const char *profile; /* --profile NAME or FILE.json */
    const char *bus;     /* --bus BITS */
    cli_list settings;   /* --timing NAME=NUMBER */
} cli_timing;

#define CLI_TIMING_OPTIONS(timing)                                                                                     \
    {"profile",                                                                                                        \
     'P',                                                                                                              \
     CLI_TEXT,                                                                                                         \
     "NAME|FILE",                                                                                                      \
     "timing profile: chisel, rtl, chisel-2019, hls, ultra96, zcu104, or a JSON file (else by the target)",            \
     &(timing)->profile},                                                                                              \
        {"bus", 'b', CLI_TEXT, "BITS", "width of the memory bus", &(timing)->bus}, {                                   \
        "timing", 'T', CLI_LIST, "NAME=NUMBER", "change one setting of the timing profile; may be repeated",           \
            &(timing)->settings                                                                                        \
    }

/* Options that most commands have: put CLI_CONFIG_OPTIONS(&common) and CLI_JSON_OPTION(&common) into the table, and
 * where schedules are chosen or programs timed CLI_TIMING_OPTIONS(&common.timing). */
typedef struct cli_common {
    const char *config; /* --config FILE */
    cli_list set;       /* --set KEY=VALUE, any number of times */
    cli_timing timing;  /* becomes the configuration's own TIMING */
    bool json;          /* --json */
} cli_common;

#define CLI_CONFIG_OPTIONS(common)                                                                                     \
    {"config",                                                                                                         \
     'c',                                                                                                              \
     CLI_TEXT,                                                                                                         \
     "FILE|NAME",                                                                                                      \
     "hardware configuration, or a board's name (else $VTA_CONFIG, ./vta_config.json, built-in)",                      \
     &(common)->config},                                                                                               \
    {                                                                                                                  \
        "set", 's', CLI_LIST, "KEY=VALUE", "change one key of the configuration; may be repeated", &(common)->set      \
    }
#define CLI_PARAM_OPTION(list)                                                                                         \
    {"param", 'p', CLI_LIST, "NAME=VALUE", "value of a parameter of a kernel file; may be repeated", list}
#define CLI_JSON_OPTION(common) {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &(common)->json}

/* The items of a list with blanks between them; free() it. NULL when out of memory. */
char *cli_join(const cli_list *list);
/* The configuration that --config, --set and the options of the timing profile ask for. */
vta_status cli_find_config(const cli_common *common, vta_config **out_config);
/* Applies the --set options to a configuration that came from elsewhere; the old one is released. */
vta_status cli_change_config(const cli_common *common, vta_config **config);

/* An environment variable of vta/environment.def; NULL when it is not set, or empty. The tool reads none elsewhere. */
const char *cli_environment(const char *name);

/* Prints a JSON value, indented, with a newline, and frees it. */
void cli_print_json(json_t *value);
/* JSON text of the library ("...", freed) as a value. */
json_t *cli_json_of(char *text);

/* Where stderr is a terminal: a line like "run 3 of 17, 12 s", from half a second after the first call on, redrawn as
 * time goes by, also while one step takes long. Every call moves it on; cli_progress_end wipes it. `what` is a literal.
 */
void cli_progress(const char *what, uint64_t done, uint64_t total);
void cli_progress_end(void);

#endif
