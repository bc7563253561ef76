/* vta completion: what a shell needs to complete the commands and options of vta, from the same tables as --help. */
#include <string.h>

#include "cli.h"

/* ---- bash -------------------------------------------------------------------------------------------------- */

static void bash_words(const char *choices) {
    for (const char *c = choices; *c; c++) putchar(*c == '|' ? ' ' : *c);
}

/* One branch of `case $command`: the options, and what follows those that take a word of a list. */
static void bash_command(const cli_command *command, const cli_option *options) {
    printf("    %s)\n        options='--help", command->name);
    for (const cli_option *o = options; o->name; o++) printf(" --%s", o->name);
    printf("'\n        case $before in\n");
    for (const cli_option *o = options; o->name; o++) {
        if (o->kind != CLI_CHOICE) continue;
        printf("        --%s", o->name);
        if (o->letter) printf("|-%c", o->letter);
        printf(") words='");
        bash_words(o->value);
        printf("' ;;\n");
    }
    printf("        esac ;;\n");
}

static void bash_begin(void) {
    printf("# bash completion for vta, made by `vta completion bash`.\n"
           "_vta() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
           "    local options= words=\n"
           "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"$command\" = help ]; }; then\n"
           "        COMPREPLY=($(compgen -W '--help --version help");
    for (int i = 0; i < cli_command_count; i++) printf(" %s", cli_commands[i].name);
    printf("' -- \"$word\"))\n        return\n    fi\n    case $command in\n");
}

static void bash_end(void) {
    printf("    esac\n"
           "    if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "    elif [ \"${word#-}\" != \"$word\" ]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "    else compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))\n"
           "    fi\n"
           "}\n"
           "complete -F _vta vta\n");
}

/* ---- zsh --------------------------------------------------------------------------------------------------- */

/* Text inside single quotes, in a place where [ ] : \ mean something. */
static void zsh_text(const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            printf(strchr("[]:\\", *c) ? "\\%c" : "%c", *c);
    }
}

static void zsh_option(const cli_option *o) {
    printf("            '%s--%s[", o->kind == CLI_LIST ? "*" : "", o->name);
    zsh_text(o->help);
    putchar(']');
    if (o->kind == CLI_CHOICE) {
        printf(":%s:(", o->name);
        bash_words(o->value);
        putchar(')');
    } else if (o->kind != CLI_FLAG) {
        printf(":%s:%s", o->name, strstr(o->value, "FILE") || strstr(o->value, "PROGRAM") ? "_files" : " ");
    }
    printf("' \\\n");
}

static void zsh_command(const cli_command *command, const cli_option *options) {
    printf("        %s) _arguments \\\n", command->name);
    for (const cli_option *o = options; o->name; o++) zsh_option(o);
    printf("            '--help[print the help page]' '*:argument:_files' ;;\n");
}

static void zsh_begin(void) {
    printf("#compdef vta\n# zsh completion for vta, made by `vta completion zsh`.\n_vta() {\n    local -a commands\n"
           "    commands=(\n");
    for (int i = 0; i < cli_command_count; i++) {
        printf("        '%s:", cli_commands[i].name);
        zsh_text(cli_commands[i].summary);
        printf("'\n");
    }
    printf(
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    local command=$words[2]\n    words=(\"${(@)words[2,-1]}\")\n    (( CURRENT-- ))\n    case $command in\n");
}

static void zsh_end(void) { printf("    esac\n}\n_vta \"$@\"\n"); }

/* ------------------------------------------------------------------------------------------------------------ */

int cmd_completion(const cli_command *self, int argc, char **argv) {
    static const struct {
        const char *name;
        void (*begin)(void);
        cli_describe *command;
        void (*end)(void);
    } shells[] = {{"bash", bash_begin, bash_command, bash_end}, {"zsh", zsh_begin, zsh_command, zsh_end}};
    const cli_option options[] = {{0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "for which shell? bash or zsh");
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(argv[0], shells[i].name)) continue;
        shells[i].begin();
        cli_describe_all(shells[i].command);
        shells[i].end();
        return cli_finish(VTA_OK);
    }
    return cli_usage(self, "%s: there are completions for bash and zsh", argv[0]);
}
