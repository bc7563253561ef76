/* Compiled networks as input of a command (vta/exec.h). */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "cli.h"
#include "device.h"
#include "vta/exec.h"

/* True for a file that begins as an artifact does. */
bool cli_is_model(const char *path);

/* The runs of its accelerator (vta_model_program). */
vta_status cli_model_program(const char *path, vta_diag *diag, vta_program **out_program);

typedef struct cli_model {
    const char *path;
    cli_list inputs, outputs; /* --input and --output: [NAME=]FILE.npy */
    uint64_t repeat;          /* --repeat N: runs, the quickest of which is told */
    const cli_device *device;
    const vta_timing_profile *timing; /* of a profile; NULL: the configuration's */
    bool json;
} cli_model;

#define CLI_MODEL_OPTIONS(m)                                                                                           \
    {"input", 'i', CLI_LIST, "[NAME=]FILE.npy", "an input of a compiled network", &(m)->inputs},                       \
        {"output", 'o', CLI_LIST, "[NAME=]FILE.npy", "where an output of a compiled network goes", &(m)->outputs}, {   \
        "repeat", 0, CLI_NUMBER, "N", "run a compiled network N times, tell the quickest", &(m)->repeat                \
    }

/* Runs it once, or as often as asked, and tells what came out. */
vta_status cli_run_model(const cli_model *m);
/* Runs it, with zeros for inputs that are not given, and tells what each step and layer took. */
vta_status cli_profile_model(const cli_model *m);

#endif
