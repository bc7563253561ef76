/* The JSON files of recordings. */
#ifndef TESTS_GOLDEN_JSON_H
#define TESTS_GOLDEN_JSON_H

#include <jansson.h>

#include "support/golden.h"

static inline json_t *read_json(const char *path) {
    json_error_t error;
    json_t *j = json_load_file(path, 0, &error);
    if (!j) fail_msg("%s: %s", path, error.text);
    return j;
}

#endif
