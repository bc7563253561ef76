/* Counters as every command prints them. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include <jansson.h>

#include "vta/device.h"

/* "Execution statistics:", the seven counters of TVM's VTA in its format, then those of the others that are not 0.
 */
void cli_print_stats(const vta_counters *counters);
json_t *cli_stats_json(const vta_counters *counters);

#endif
