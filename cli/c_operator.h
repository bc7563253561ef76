/* An operator by name and attributes, as vta op and vta tune take it, and the comparison of its kernel with what it
 * means. */
#ifndef CLI_C_OPERATOR_H
#define CLI_C_OPERATOR_H

#include "cli.h"
#include "device.h"
#include "vta/ops.h"

typedef struct cli_operator {
    vta_config *config;
    vta_timing_profile profile;
    vtac_op *op;
} cli_operator;

/* The operator of "NAME KEY=VALUE...", timed with the configuration's profile. */
vta_status cli_operator_make(const cli_common *common, int argc, char **argv, cli_operator *out);
void cli_operator_release(cli_operator *o);
/* Runs the operator's kernel on random and extreme inputs on the device, and its definition; *out_ran: there are
 * findings of --check to print. */
vta_status cli_operator_run(const cli_operator *o, const cli_device *device, bool *out_ran, vtac_check_result *out);
/* VTA_MISMATCH, with the first value that differs. */
vta_status cli_operator_compare(const cli_operator *o, const vtac_check_result *check);

#endif
