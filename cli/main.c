/* vta: finds the command and hands over. */
#include <signal.h>
#include <string.h>

#include "cli.h"
#include "vta/support.h"

const cli_command cli_commands[] = {
#define CLI_COMMAND(name, summary, arguments, examples) {#name, summary, arguments, examples, cmd_##name},
#define CLI_COMMAND_AS(name, word, summary, arguments, examples) {word, summary, arguments, examples, cmd_##name},
#include "commands.def"
#undef CLI_COMMAND
};

enum { COMMAND_COUNT = sizeof cli_commands / sizeof *cli_commands };

const int cli_command_count = COMMAND_COUNT;

static const cli_command *find(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(cli_commands[i].name, name)) return &cli_commands[i];
    return NULL;
}

/* A typo needs the word that was meant, not a page that scrolls it away. */
static int unknown(const char *name) {
    const char *names[COMMAND_COUNT + 2] = {"--help", "--version"};
    for (int i = 0; i < COMMAND_COUNT; i++) names[i + 2] = cli_commands[i].name;
    const char *near = vta_nearest_name(name, names, COMMAND_COUNT + 2);
    cli_say(VTA_ERROR, "vta %s: no such %s%s%s%s", name, *name == '-' ? "option" : "command",
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    fprintf(stderr, "vta --help lists the commands\n");
    return CLI_USAGE;
}

/* What a command printed has to arrive: a help page on a full disk is none. */
static int complete(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (code == CLI_OK) cli_say(VTA_ERROR, "cannot write to standard output");
    return code == CLI_OK ? CLI_FAILED : code;
}

static int run(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        cli_print_help(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("vta %s\n", vta_version());
        return CLI_OK;
    }
    bool help = !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
    if (help && argc < 3) {
        cli_print_help(stdout);
        return CLI_OK;
    }
    const cli_command *command = find(help ? argv[2] : name);
    if (!command) return unknown(help ? argv[2] : name);
    if (help) {
        char *as_option[] = {argv[2], "--help", NULL};
        return command->run(command, 2, as_option);
    }
    return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too long is an error like a full disk, not the end */
    return complete(run(argc, argv));
}
