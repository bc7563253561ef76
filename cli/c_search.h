/* vta compile --search: the best network of integers for the samples. */
#ifndef CLI_SEARCH_H
#define CLI_SEARCH_H

#include "cli.h"
#include "vta/compile.h"

typedef struct cli_search {
    const char *seconds; /* --search[=SECONDS]; NULL: none is asked for */
    const char *cycles;  /* --cycles +5% */
    json_t *tried;       /* what was tried, for --json; json_decref */
} cli_search;

#define CLI_SEARCH_OPTIONS(s)                                                                                          \
    {"search",     0, CLI_OPTIONAL, "SECONDS", "try ways to quantize, keep the best (60 s); Ctrl-C ends it early",     \
     &(s)->seconds},                                                                                                   \
    {                                                                                                                  \
        "cycles", 0, CLI_TEXT, "+P%", "of --search: how many more cycles are allowed", &(s)->cycles                    \
    }

/* Refuses numbers that are none. */
vta_status cli_search_check(const cli_search *s);
/* Searches, from `options` on, and prints each try to standard error. */
vta_status cli_search_run(cli_search *s, const vtac_calibration *calibration, const vtac_quantize_options *options,
                          const vta_config *config, vtac_quantized **out);

#endif
