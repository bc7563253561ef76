/* Language models that are compiled on the way, or evaluated in floats; lines of tokens. */
#ifndef CLI_C_LANGUAGE_H
#define CLI_C_LANGUAGE_H

#include "c_network.h"
#include "language.h"

/* Is it a language model with caches? */
bool cli_graph_is_language(const vtac_graph *graph);

/* Opens a model in floats. To be closed also after an error. */
vta_status cli_language_floats(const cli_graph *how, const char *path, cli_language *out);
/* Opens a model on a device: an artifact, or what n->calibrate, or else the model's own text, calibrates. */
vta_status cli_language_compiled(const cli_network *n, const char *path, const cli_device *device, cli_language *out);

/* Observes what the model computes for lines of tokens: of the file, or (NULL) those that it writes itself. */
vta_status cli_calibrate_tokens(const cli_network *n, const char *path, const vtac_graph *graph,
                                vtac_calibration *calibration, const char *file);

/* ---- Lines of tokens: {"tokens": [1, 403, ...]}, one JSON value a line ---- */

typedef struct cli_line {
    int32_t *tokens;
    size_t count;
} cli_line;

typedef struct cli_lines {
    cli_line *item;
    size_t count;
} cli_lines;

bool cli_is_lines(const char *path);
/* Free with cli_lines_free, also after an error. */
vta_status cli_lines_read(const char *path, cli_lines *out);
void cli_lines_free(cli_lines *lines);

#endif
