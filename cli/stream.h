/* A network that runs over one chunk after the other, with outputs of a run as inputs of the next (--carry). */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "tensors.h"

#define CLI_CARRY_OPTION(list)                                                                                         \
    {                                                                                                                  \
        "carry",                                                                                                       \
        0,                                                                                                             \
        CLI_LIST,                                                                                                      \
        "INPUT=OUTPUT",                                                                                                \
        "run over all chunks of the inputs; this output is an input of the next run",                                  \
        (list)}

/* One run: from the data of all inputs to those of all outputs. */
typedef vta_status cli_stream_step(void *user, void *const *inputs, void *const *outputs);

typedef struct cli_stream {
    const cli_tensors *inputs, *outputs; /* of one run */
    size_t steps;
    cli_tensors results; /* as outputs, those of all runs one behind the other along the first axis */
    void **data;         /* of results */
    void *own;           /* the rest of the memory */
} cli_stream;

/* Runs it over all that `given` (--input) holds: each file one chunk, or as many as the other files have, one behind
 * the other along the first axis or along one more axis in front (cli_tensors_times). An input that `carry` names
 * begins with its file, else with zeros. To be freed also after an error. */
vta_status cli_stream_run(const cli_tensors *inputs, const cli_tensors *outputs, const cli_list *given,
                          const cli_list *carry, cli_stream_step *step, void *user, cli_stream *out);
void cli_stream_free(cli_stream *s);

#endif
