/* Lines of tokens. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "c_language.h"
#include "file.h"

bool cli_is_lines(const char *path) {
    size_t n = strlen(path);
    return n > 6 && !strcmp(path + n - 6, ".jsonl");
}

static vta_status read_tokens(const char *path, size_t number, const json_t *value, cli_line *out) {
    const json_t *list = json_object_get(value, "tokens");
    size_t count = json_array_size(list);
    if (!json_is_array(list) || !count)
        return cli_fail(VTA_PARSE, "%s:%zu: expected an object with \"tokens\", an array of at least one number", path,
                        number);
    out->tokens = calloc(count, sizeof *out->tokens);
    if (!out->tokens) return VTA_NO_MEMORY;
    for (; out->count < count; out->count++) {
        const json_t *token = json_array_get(list, out->count);
        json_int_t n = json_integer_value(token);
        if (!json_is_integer(token) || n < 0 || n > INT32_MAX)
            return cli_fail(VTA_PARSE, "%s:%zu: token %zu is no integer from 0 to %d", path, number, out->count,
                            INT32_MAX);
        out->tokens[out->count] = (int32_t)n;
    }
    return VTA_OK;
}

static vta_status read_line(const char *path, size_t number, const char *text, size_t size, cli_lines *out) {
    json_error_t error;
    size_t blank = 0;
    while (blank < size && strchr(" \t\r", text[blank])) blank++;
    if (blank == size) return VTA_OK;
    json_t *value = json_loadb(text, size, 0, &error);
    if (!value) return cli_fail(VTA_PARSE, "%s:%zu:%d: %s", path, number, error.column, error.text);
    vta_status status = read_tokens(path, number, value, &out->item[out->count++]);
    json_decref(value);
    return status;
}

vta_status cli_lines_read(const char *path, cli_lines *out) {
    char *text = NULL;
    size_t size, most = 1, number = 1;
    *out = (cli_lines){0};
    vta_status status = cli_read_file(path, &text, &size);
    if (status != VTA_OK) return status;
    for (size_t i = 0; i < size; i++) most += text[i] == '\n';
    out->item = calloc(most, sizeof *out->item);
    if (!out->item) status = VTA_NO_MEMORY;
    for (size_t at = 0; at < size && status == VTA_OK; number++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        status = read_line(path, number, text + at, length, out);
        at += length + 1;
    }
    free(text);
    if (status == VTA_OK && !out->count) status = cli_fail(VTA_PARSE, "%s: there are no lines with tokens", path);
    return status;
}

void cli_lines_free(cli_lines *lines) {
    for (size_t i = 0; lines->item && i < lines->count; i++) free(lines->item[i].tokens);
    free(lines->item);
    *lines = (cli_lines){0};
}
