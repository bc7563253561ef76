/* vta compile --search: the best network of integers for the samples. */
#ifndef CLI_SEARCH_H
#define CLI_SEARCH_H

#include "c_truth.h"

typedef struct cli_search {
    const char *seconds; /* --search[=SECONDS]; NULL: none is asked for */
    const char *cycles;  /* --cycles +5% */
    cli_truth truth;     /* pictures of which each network that is tried classifies some right; cli_truth_free */
    json_t *tried;       /* what was tried, for --json; json_decref */
} cli_search;

#define CLI_SEARCH_OPTIONS(s)                                                                                          \
    {"search",     0, CLI_OPTIONAL, "SECONDS", "try ways to quantize, keep the best (60 s); Ctrl-C ends it early",     \
     &(s)->seconds},                                                                                                   \
        {"images",                                                                                                     \
         'i',                                                                                                          \
         CLI_TEXT,                                                                                                     \
         "DIR",                                                                                                        \
         "of --search: pictures of known classes, in a folder for each class; counts "                                 \
         "how many each network that is tried gets right",                                                             \
         &(s)->truth.images},                                                                                          \
        {"truth",                                                                                                      \
         0,                                                                                                            \
         CLI_TEXT,                                                                                                     \
         "FILE",                                                                                                       \
         "of --images: their classes, as a table of lines file,class",                                                 \
         &(s)->truth.labels_path},                                                                                     \
    {                                                                                                                  \
        "cycles", 0, CLI_TEXT, "+P%", "of --search: how many more cycles are allowed", &(s)->cycles                    \
    }

/* Refuses numbers that are none. */
vta_status cli_search_check(const cli_search *s);
/* Searches, from `options` on, and prints each try to standard error. Networks run as `n` says. */
vta_status cli_search_run(cli_search *s, const cli_network *n, const vtac_calibration *calibration,
                          const vtac_quantize_options *options, const vta_config *config, vtac_quantized **out);

#endif
