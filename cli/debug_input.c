#include "debug_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PROMPT[] = "vta> ";
static bool terminal;

static bool read_plain(char *to, size_t room) {
    if (terminal) fputs(PROMPT, stdout);
    fflush(stdout);
    if (!fgets(to, (int)room, stdin)) return false;
    to[strcspn(to, "\n")] = '\0';
    return true;
}

#ifdef VT_LIBEDIT
#include <editline/readline.h>

static const char *const *completions;

static char *complete(const char *begin, int state) {
    static size_t next;
    if (!state) next = 0;
    while (completions[next]) {
        const char *name = completions[next++];
        if (!strncmp(name, begin, strlen(begin))) return strdup(name);
    }
    return NULL;
}

/* A Ctrl-D typed before the editor has the terminal arrives as a NUL. libedit takes NUL, the value of keys that the
 * terminal does not have, for the key that quotes the next one, with every line anew: the Ctrl-D typed again became a
 * character of the line. */
static int free_nul(void) { return rl_parse_and_bind("bind ^@ em-set-mark"); }

void cli_lines_begin(const char *const *names) {
    terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    completions = names;
    if (!terminal) return;
    rl_readline_name = "vta";
    rl_completion_entry_function = complete;
    using_history();
    rl_pre_input_hook = free_nul;
}

bool cli_lines_next(char *to, size_t room) {
    if (!terminal) return read_plain(to, room);
    char *line = readline(PROMPT);
    if (!line) return false;
    if (*line) add_history(line);
    snprintf(to, room, "%s", line);
    free(line);
    return true;
}
#else
void cli_lines_begin(const char *const *names) {
    (void)names;
    terminal = isatty(STDIN_FILENO);
}

bool cli_lines_next(char *to, size_t room) { return read_plain(to, room); }
#endif
