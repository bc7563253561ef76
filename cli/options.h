/* Options from a table: one row an option, from which parsing and the help page are made. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct cli_command;

enum { CLI_LIST_MAX = 64 };

typedef struct cli_list {
    const char *item[CLI_LIST_MAX];
    int count;
} cli_list;

typedef enum cli_kind {
    CLI_FLAG,     /* --json: bool */
    CLI_TEXT,     /* --output FILE: const char *; this and the next two at most once */
    CLI_OPTIONAL, /* --search or --search=SECONDS: const char *, "" without a value */
    CLI_NUMBER,   /* --seed N: uint64_t, decimal or 0x hexadecimal */
    CLI_CHOICE,   /* --engine fast|reference: uint32_t, the number of the word in `value` */
    CLI_LIST,     /* --set KEY=VALUE, repeated: cli_list */
} cli_kind;

typedef struct cli_option {
    const char *name; /* long name; NULL ends the table */
    char letter;      /* short name; 0: none */
    cli_kind kind;
    const char *value; /* what stands for the value in the help; the words of a choice with | between them */
    const char *help;
    void *to; /* where the value goes; left alone when the option is not given */
} cli_option;

/* Prints a command and its options: the page of --help, its part of the manual or of a completion script. */
typedef void cli_describe(const struct cli_command *command, const cli_option *options);

/* Parses argv[1...]. Returns -1 to go on, with *out_argc arguments that are not options at *out_argv; otherwise the
 * exit code: --help was printed, or the usage was wrong and was explained. Every command has --help and -h. */
int cli_parse(const struct cli_command *command, const cli_option *options, int argc, char **argv, int *out_argc,
              char ***out_argv);
/* The same, but everything from the first argument on that is not an option is left alone (the command of `vta
 * capture`).
 */
int cli_parse_until_argument(const struct cli_command *command, const cli_option *options, int argc, char **argv,
                             int *out_argc, char ***out_argv);

#endif
