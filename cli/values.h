/* The values that options and arguments may have, for completion. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "cli.h"

/* Words with blanks between them, of malloc; NULL: none are known. *files: names of files are values as well. */
char *cli_option_values(const cli_command *command, const cli_option *option, bool *files);
/* The same of a command's first argument. */
char *cli_argument_values(const cli_command *command, bool *files);

#endif
