/* What the actions of `vta hw` share. */
#ifndef CLI_HW_H
#define CLI_HW_H

#include "cli.h"
#include "vta/hardware.h"

typedef struct hw_job {
    cli_common common;
    const char *output;                        /* --output FOLDER */
    const char *family;                        /* --for FAMILY */
    const char *part;                          /* --part NAME */
    bool flatten;                              /* --flatten */
    uint64_t bus, burst, queue, address, time; /* time: of a synthesis, seconds */
    vta_hardware_options options;
} hw_job;

/* vta hw synth. */
vta_status hw_synth(const hw_job *j, const vta_config *config);

#endif
