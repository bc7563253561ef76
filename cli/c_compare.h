/* A layer in floats and in integers, measured; and the page of all layers. */
#ifndef CLI_C_COMPARE_H
#define CLI_C_COMPARE_H

#include "c_network.h"
#include "cli.h"
#include "vta/compile.h"

enum { CLI_COMPARE_CELLS = 32, CLI_COMPARE_BINS = 41, CLI_COMPARE_NAME = 128 };
/* dB of signal over error below which a layer is worth a look. */
#define CLI_COMPARE_PART 10.0

typedef struct cli_layer {
    const char *kind;
    char value[CLI_COMPARE_NAME], shape[CLI_COMPARE_NAME];
    size_t count; /* values */
    double scale; /* of the integers; 0: floats */
    /* Places where one of the two is infinite or not a number and the other is not the same; all other such places are
     * equal, and left out of the numbers below. */
    size_t odd;
    bool exact;       /* the same everywhere */
    double most;      /* largest error */
    double cosine;    /* of both as vectors; of two that are zero 1, of one that is 0, with odd places 0 */
    double decibels;  /* signal over error; exact: infinite; no signal, or odd places: infinite, below zero */
    double low, high; /* of all values, floats and integers */
    /* How many values are where: floats across, integers up, from low to high; errors from -most to most. */
    uint32_t cells[CLI_COMPARE_CELLS][CLI_COMPARE_CELLS], errors[CLI_COMPARE_BINS];
} cli_layer;

/* The number of decibels as text has it: "exact", "-inf", "41.5". */
const char *cli_layer_decibels(const cli_layer *layer, char out[32]);

/* Measures what a layer computed against the floats. */
void cli_layer_measure(const vtac_quantized_layer *computed, const float *want, cli_layer *out_layer);

typedef struct cli_layers {
    const cli_layer *item;
    size_t count, first; /* first: where they part; SIZE_MAX: nowhere */
    bool equal;          /* the accelerator gives what the integers say */
} cli_layers;

/* ---- --causes: which layers lose, by what, and which options help ---- */

enum { CLI_CAUSES_HELP = 8 };

typedef struct cli_help {
    double decibels;  /* that it gains at most */
    char option[256]; /* to add to the command */
} cli_help;

/* Shares are powers of errors over those of signals, each layer's as if it were the only one (vtac_quantized_losses).
 */
typedef struct cli_causes {
    vtac_loss *item; /* the largest first */
    size_t count, help_count;
    double rounding, range, weights; /* of all */
    bool failed;                     /* no memory for one of them */
    cli_help help[CLI_CAUSES_HELP];
} cli_causes;

/* Free it, also after an error. `inputs`: the data of all inputs. */
vta_status cli_causes_find(const vtac_quantized *q, const void *const *inputs, cli_causes *out);
void cli_causes_free(cli_causes *causes);
/* The options that the network does not have yet. */
void cli_causes_help(cli_causes *causes, const cli_network *network);
/* The table, and the command with each option; `argv`: its words behind the command's name. */
void cli_causes_print(const cli_causes *causes, int argc, char *const *argv);
json_t *cli_causes_json(const cli_causes *causes);

/* ---- --against-model: where the integers are not the model's own ---- */

typedef struct cli_differences {
    vtac_difference *item;
    size_t count, other_steps, shifted; /* layers; with other steps; with a zero point in the model */
    uint64_t elements, differ;          /* of all layers */
    bool failed;                        /* no memory for one of them */
} cli_differences;

/* Free it, also after an error. */
vta_status cli_differences_find(const vtac_quantized *q, const void *const *inputs, cli_differences *out);
void cli_differences_free(cli_differences *differences);
void cli_differences_print(const cli_differences *differences);
json_t *cli_differences_json(const cli_differences *differences);

/* Writes the page, which needs nothing but itself. */
vta_status cli_compare_page(const cli_layers *layers, const char *title, const char *path);

#endif
