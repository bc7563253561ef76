/* A network opened for a command, with its inputs and outputs. */
#ifndef CLI_MODEL_OPEN_H
#define CLI_MODEL_OPEN_H

#include "model.h"
#include "tensors.h"

typedef struct cli_opened_model {
    const cli_model *m;
    vta_model *model; /* cli_model_load's */
    vta_instance *instance;
    cli_tensors inputs, outputs;
    void **input_data, **output_data;
    double seconds; /* of the quickest run */
} cli_opened_model;

/* To be closed also where it fails. */
vta_status cli_model_open(const cli_model *m, cli_opened_model *o);
void cli_model_close(cli_opened_model *o);
/* `all`: each input must be given; otherwise zeros stand for the others. */
vta_status cli_model_set_inputs(cli_opened_model *o, bool all);
/* Runs it once, or as often as asked, and notes the time of the quickest. */
vta_status cli_model_measure(cli_opened_model *o);
/* The same twice: the first run meets the host's memory for the first time, and says little of the steps there. What
 * takes seconds is run once. */
vta_status cli_model_measure_warm(cli_opened_model *o);

#endif
