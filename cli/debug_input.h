/* Lines of a conversation: edited and remembered on a terminal, as they come from a pipe or a file. */
#ifndef CLI_DEBUG_INPUT_H
#define CLI_DEBUG_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Begins; `names` (NULL at its end) are completed at the beginning of a line. */
void cli_lines_begin(const char *const *names);
/* The next line without its end, "" for an empty one; false at the end of the input. */
bool cli_lines_next(char *to, size_t room);

#endif
