#include "stats.h"

#include <stdio.h>

#include "cli.h"

enum { ORIGINAL_COUNTERS = 7 };

void cli_print_stats(const vta_counters *c) {
    int row = 0;
    printf("Execution statistics:\n");
#define VTA_COUNTER(name, meaning)                                                                                     \
    if (row++ < ORIGINAL_COUNTERS || c->name) printf("\t%-16s: %16llu\n", #name, (unsigned long long)c->name);
#include "vta/counters.def"
#undef VTA_COUNTER
}

json_t *cli_stats_json(const vta_counters *c) { return cli_json_of(vta_counters_to_json(c)); }
