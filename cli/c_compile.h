/* The report of vta compile. */
#ifndef CLI_COMPILE_H
#define CLI_COMPILE_H

#include "cli.h"
#include "vta/compile.h"

/* Times the layers; where that cannot be done here, a word of it to standard error. */
void cli_compile_measure(vtac_compile_report *report, vta_model *model);
void cli_compile_print(const vtac_compile_report *report);
/* Adds its entries to the object. */
void cli_compile_json(const vtac_compile_report *report, json_t *object);

#endif
