/* The tool as a user runs it, and what it printed. */
#ifndef TESTS_SUPPORT_TOOL_H
#define TESTS_SUPPORT_TOOL_H

#include <jansson.h>
#include <sys/wait.h>

#include "support/check.h"

static char output[1 << 22]; /* of the last command */

/* Keeps the standard output of a shell command; its exit code, -1 when it did not exit. */
static inline int shell(const char *command) {
    FILE *f = popen(command, "r");
    assert_non_null(f);
    output[fread(output, 1, sizeof output - 1, f)] = '\0';
    int state = pclose(f);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/* `vta ARGS` in a folder: its standard output, then its standard error. */
static inline int vta_in(const char *folder, const char *args) {
    char command[4096];
    snprintf(command, sizeof command, "cd %s && %s/vta %s > out 2> err; code=$?; cat out err; exit $code", folder,
             VT_BINARY_DIR, args);
    return shell(command);
}

/* The output as JSON; json_decref frees it. */
static inline json_t *output_json(void) {
    json_error_t error;
    json_t *j = json_loads(output, 0, &error);
    if (!j) fail_msg("line %d: %s in %.300s", error.line, error.text, output);
    return j;
}

#endif
