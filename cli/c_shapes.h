/* Several shapes in one artifact: --shape given more than once for an input. */
#ifndef CLI_C_SHAPES_H
#define CLI_C_SHAPES_H

#include "c_float.h"

/* How many shapes the options ask for: as many as one input is given; 1 where none is. */
size_t cli_shapes_count(const cli_graph *g);
/* The options for shape `index`: of each input the --shape of that number, or its last. */
void cli_shapes_at(const cli_graph *g, size_t index, cli_graph *out);

#endif
