/* How well a language model foresees lines of tokens. */
#ifndef CLI_C_EVAL_TOKENS_H
#define CLI_C_EVAL_TOKENS_H

#include "c_network.h"
#include "device.h"

/* Tells the mean loss of a model on the lines of a file, in integers and in floats, and how often both find the same
 * token likeliest; `only_floats`: of floats alone. An artifact has no floats. */
vta_status cli_eval_tokens(const cli_network *n, const cli_device *device, const char *model, const char *path,
                           bool only_floats, bool json);

#endif
