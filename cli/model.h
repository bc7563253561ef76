/* Networks as input of a command: compiled (vta/exec.h), or ONNX models, which are compiled on the way. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "device.h"
#include "pictures.h"
#include "stream.h"
#include "timing.h"
#include "vta/exec.h"
#include "vta/profile.h"

/* A file that begins as an artifact does; a name that ends in .onnx or .tflite; either. */
bool cli_is_artifact(const char *path);
bool cli_is_network(const char *path);
bool cli_is_model(const char *path);

/* The compiled network of a path; belongs to the tool, until another one is loaded, or it is forgotten. */
vta_status cli_model_load(const char *path, vta_diag *diag, vta_model **out_model);
void cli_model_forget(void);
/* Compiles an ONNX model as cli_network_use (c_network.h) has settled. Free with vta_model_release. */
vta_status cli_onnx_compile(const char *path, vta_diag *diag, vta_model **out_model);
/* What an ONNX model is compiled for and calibrated with, where a command has no options for more. */
void cli_onnx_use(const cli_common *common, const cli_list *inputs);
/* The runs of its accelerator (vta_model_program). */
vta_status cli_model_program(const char *path, vta_diag *diag, vta_program **out_program);

/* What an instance is timed by, for as long as it is made. */
typedef struct cli_instance_timing {
    vta_timing_profile profile;
    vta_device_options device;
    char words[CLI_DEVICE_TIMING];
} cli_instance_timing;

/* Times instances as the options ask for: their profiles, and the cycles of a driver that counts them. Without options
 * nothing changes. */
vta_status cli_time_instance(const cli_timing *asked, const vta_model *model, cli_instance_timing *timing,
                             vta_instance_options *options);

typedef struct cli_model {
    const char *path;
    cli_list inputs, outputs; /* --input and --output: [NAME=]FILE */
    cli_list carry;           /* --carry: a stream (stream.h) */
    cli_pictures *pictures;   /* how pictures become inputs; NULL: there are none */
    const cli_list *shapes;   /* --shape: which of several shapes, where inputs do not say it; NULL: none */
    uint64_t repeat;          /* --repeat N: runs, of which the fastest is reported */
    const cli_device *device;
    const vta_timing_profile *timing; /* of a profile; NULL: the configuration's */
    bool json;
} cli_model;

#define CLI_MODEL_OPTIONS(m)                                                                                           \
    {"input", 'i', CLI_LIST, "[NAME=]FILE", "an input of a network: a .npy file, or a picture", &(m)->inputs},         \
        {"output", 'o', CLI_LIST, "[NAME=]FILE.npy", "where an output of a network goes", &(m)->outputs},              \
        CLI_CARRY_OPTION(&(m)->carry), {                                                                               \
        "repeat", 0, CLI_NUMBER, "N", "run a network N times, report the fastest", &(m)->repeat                        \
    }

/* Runs it once, or as often as asked, and tells what came out. */
vta_status cli_run_model(const cli_model *m);
/* Runs it, with zeros for inputs that are not given, and tells what each step and layer took. */
vta_status cli_profile_model(const cli_model *m);
/* Runs it so, and adds its layers to a profile of its runs. *out_json, unless it is NULL: what cli_profile_model prints
 * as JSON. */
vta_status cli_model_layers(const cli_model *m, vta_profile *profile, json_t **out_json);

#endif
