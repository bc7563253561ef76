/* The half of `vta run` that is given an object in place of a kernel file. */
#ifndef CLI_C_RUN_OBJECT_H
#define CLI_C_RUN_OBJECT_H

#include "cli.h"
#include "device.h"

typedef struct cli_object_run {
    const char *path;
    const char *function; /* NULL: the only one */
    const cli_device *device;
    const cli_common *common; /* json, config and set */
} cli_object_run;

/* Calls it on random inputs and reports; nothing to compare with, so a checksum says what came out. */
vta_status cli_run_object(const cli_object_run *run);

#endif
