/* vta completion: what a shell needs to complete the commands and options of vta, from the same tables as --help. */
#include <stdlib.h>
#include <string.h>

#include "values.h"

/* ---- bash -------------------------------------------------------------------------------------------------- */

static void bash_words(const char *words, bool files) {
    printf("words='%s'%s ;;\n", words ? words : "", files ? " files=1" : "");
}

/* One branch of `case $command`: the options, what follows those whose values are known, and the first argument. */
static void bash_command(const cli_command *command, const cli_option *options) {
    bool files;
    printf("    %s)\n        options='--help", command->name);
    for (const cli_option *o = options; o->name; o++) printf(" --%s", o->name);
    char *words = cli_argument_values(command, &files);
    printf("'\n");
    if (words) printf("        [ \"$COMP_CWORD\" = 2 ] && { words='%s'%s; }\n", words, files ? " files=1" : "");
    free(words);
    printf("        case $before in\n");
    for (const cli_option *o = options; o->name; o++) {
        if (o->kind == CLI_FLAG || o->kind == CLI_OPTIONAL) continue;
        words = cli_option_values(command, o, &files);
        printf("        --%s", o->name);
        if (o->letter) printf("|-%c", o->letter);
        printf(") ");
        if (words)
            bash_words(words, files);
        else
            printf("words=; files=1 ;;\n");
        free(words);
    }
    printf("        esac ;;\n");
}

static void bash_begin(void) {
    printf("# bash completion for vta, made by `vta completion bash`.\n"
           "_vta() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
           "    local options= words= files=\n"
           "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"$command\" = help ]; }; then\n"
           "        COMPREPLY=($(compgen -W '--help --version help");
    for (int i = 0; i < cli_command_count; i++) printf(" %s", cli_commands[i].name);
    printf("' -- \"$word\"))\n        return\n    fi\n    case $command in\n");
}

static void bash_end(void) {
    printf("    esac\n"
           "    if [ \"${word#-}\" != \"$word\" ]; then COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "    elif [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "        if [ \"${COMPREPLY[0]: -1}\" = = ]; then compopt -o nospace 2>/dev/null; fi\n"
           "        if [ -n \"$files\" ]; then COMPREPLY+=($(compgen -f -- \"$word\")); fi\n"
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

/* What stands behind an option or an argument: its values, files, or both. */
static void zsh_values(const char *what, const char *words, bool files) {
    if (words && files)
        printf(":%s:{ _alternative \"words:%s:(%s)\" \"files:file:_files\" }", what, what, words);
    else if (words)
        printf(":%s:(%s)", what, words);
    else
        printf(":%s:%s", what, files ? "_files" : " ");
}

static void zsh_option(const cli_command *command, const cli_option *o) {
    printf("            '%s--%s[", o->kind == CLI_LIST ? "*" : "", o->name);
    zsh_text(o->help);
    putchar(']');
    bool files;
    char *words = cli_option_values(command, o, &files);
    if (o->kind != CLI_FLAG && o->kind != CLI_OPTIONAL) zsh_values(o->name, words, files);
    free(words);
    printf("' \\\n");
}

static void zsh_command(const cli_command *command, const cli_option *options) {
    bool files;
    char *words = cli_argument_values(command, &files);
    printf("        %s) _arguments \\\n", command->name);
    for (const cli_option *o = options; o->name; o++) zsh_option(command, o);
    printf("            '--help[print the help page]'");
    if (words) printf(" '1");
    if (words) zsh_values("argument", words, files);
    printf("%s '*:argument:_files' ;;\n", words ? "'" : "");
    free(words);
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

/* ---- fish -------------------------------------------------------------------------------------------------- */

static void fish_text(const char *text) {
    putchar('\'');
    for (const char *c = text; *c; c++) printf(*c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
    putchar('\'');
}

static void fish_begin(void) {
    printf("# fish completion for vta, made by `vta completion fish`.\n"
           "complete -c vta -n __fish_use_subcommand -f -l help -d 'print the help page'\n"
           "complete -c vta -n __fish_use_subcommand -f -l version -d 'print the version'\n");
    for (int i = 0; i < cli_command_count; i++) {
        printf("complete -c vta -n __fish_use_subcommand -f -a %s -d ", cli_commands[i].name);
        fish_text(cli_commands[i].summary);
        putchar('\n');
    }
}

static void fish_option(const cli_command *command, const cli_option *o) {
    bool files;
    char *words = cli_option_values(command, o, &files);
    printf("complete -c vta -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter) printf(" -s %c", o->letter);
    if (o->kind != CLI_FLAG && o->kind != CLI_OPTIONAL) printf(files ? " -r" : " -x");
    if (words) printf(" -a '%s'", words);
    printf(" -d ");
    fish_text(o->help);
    putchar('\n');
    free(words);
}

static void fish_command(const cli_command *command, const cli_option *options) {
    bool files;
    char *words = cli_argument_values(command, &files);
    if (words)
        printf("complete -c vta -n '__fish_seen_subcommand_from %s'%s -a '%s'\n", command->name, files ? "" : " -f",
               words);
    for (const cli_option *o = options; o->name; o++) fish_option(command, o);
    free(words);
}

static void fish_end(void) {}

/* ------------------------------------------------------------------------------------------------------------ */

int cmd_completion(const cli_command *self, int argc, char **argv) {
    static const struct {
        const char *name;
        void (*begin)(void);
        cli_describe *command;
        void (*end)(void);
    } shells[] = {{"bash", bash_begin, bash_command, bash_end},
                  {"zsh", zsh_begin, zsh_command, zsh_end},
                  {"fish", fish_begin, fish_command, fish_end}};
    const cli_option options[] = {{0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "for which shell? bash, zsh or fish");
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(argv[0], shells[i].name)) continue;
        shells[i].begin();
        cli_describe_all(shells[i].command);
        shells[i].end();
        return cli_finish(VTA_OK);
    }
    return cli_usage(self, "%s: there are completions for bash, zsh and fish", argv[0]);
}
