/* The page of vta compare: page/compare.html, which is embedded when the tool is built (cmake/embed.cmake), with the
 * layers written into it as data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_compare.h"
#include "compare_page.h"
#include "file.h"

static json_t *real(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *cells_of(const cli_layer *l) {
    json_t *cells = json_array();
    for (int x = 0; x < CLI_COMPARE_CELLS; x++)
        for (int y = 0; y < CLI_COMPARE_CELLS; y++)
            if (l->cells[x][y]) json_array_append_new(cells, json_pack("[i, i, I]", x, y, (json_int_t)l->cells[x][y]));
    return cells;
}

static json_t *errors_of(const cli_layer *l) {
    json_t *errors = json_array();
    for (int i = 0; i < CLI_COMPARE_BINS; i++) json_array_append_new(errors, json_integer((json_int_t)l->errors[i]));
    return errors;
}

static json_t *layer_json(const cli_layer *l) {
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:b, s:I, s:o, s:o, s:o, s:o}", "value", l->value,
                     "kind", l->kind, "shape", l->shape, "count", (json_int_t)l->count, "scale", real(l->scale), "max",
                     real(l->most), "cosine", real(l->cosine), "sqnr", real(l->decibels), "exact", l->exact, "odd",
                     (json_int_t)l->odd, "low", real(l->low), "high", real(l->high), "cells", cells_of(l), "errors",
                     errors_of(l));
}

/* As text in which no "<" ends the page's script; free() it. */
static char *data_of(const cli_layers *layers, const char *title) {
    json_t *list = json_array();
    for (size_t i = 0; i < layers->count; i++) json_array_append_new(list, layer_json(&layers->item[i]));
    const char *first = layers->first == SIZE_MAX ? NULL : layers->item[layers->first].value;
    json_t *root = json_pack("{s:s, s:f, s:i, s:s?, s:b, s:o}", "title", title, "part", CLI_COMPARE_PART, "cells",
                             CLI_COMPARE_CELLS, "first", first, "equal", layers->equal, "layers", list);
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;
    json_decref(root);
    for (char *at = text; at && (at = strchr(at, '<'));) *at = ' '; /* a name of a layer at most */
    return text;
}

/* Writes the page's source with what stands between {{ and }}: the title, which is plain text, and the data. */
static char *fill(const char *title, const char *data, size_t *out_size) {
    char *page = NULL;
    FILE *to = open_memstream(&page, out_size);
    const char *at = vt_compare_html, *open;
    for (; to && (open = strstr(at, "{{")) != NULL; at = strstr(open, "}}") + 2) {
        fwrite(at, 1, (size_t)(open - at), to);
        if (strncmp(open, "{{data", 6) == 0)
            fputs(data, to);
        else
            for (const char *c = title; *c; c++) fputc(*c == '<' || *c == '&' ? ' ' : *c, to);
    }
    if (!to) return NULL;
    fputs(at, to);
    if (fclose(to) == 0) return page;
    free(page);
    return NULL;
}

vta_status cli_compare_page(const cli_layers *layers, const char *title, const char *path) {
    size_t size = 0;
    char *data = data_of(layers, title), *page = data ? fill(title, data, &size) : NULL;
    vta_status status = page ? cli_write_file(path, page, size) : VTA_NO_MEMORY;
    if (status == VTA_OK && strcmp(path, "-")) fprintf(stderr, "page: %s\n", path);
    free(data);
    free(page);
    return status;
}
