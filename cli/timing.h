/* What the commands that time programs share: the timing profile that is asked for, and timing a captured program. */
#ifndef CLI_TIMING_H
#define CLI_TIMING_H

#include "cli.h"
#include "kernel_program.h"
#include "vta/profile.h"
#include "vta/program.h"

enum { CLI_DEVICE_TIMING = 1024 };

/* The profile that the options ask for, on top of the configuration's own. */
vta_status cli_find_timing(const cli_timing *timing, const vta_config *config, vta_diag *diag,
                           vta_timing_profile *out_profile);
bool cli_timing_is_given(const cli_timing *timing);
/* The first option that is given: "--profile", "--bus", "--timing"; NULL: none. */
const char *cli_timing_option(const cli_timing *timing);
/* Makes it the configuration's own, under TIMING; without options nothing changes. The old one is released. */
vta_status cli_change_timing(const cli_timing *timing, vta_config **config);
/* What vta_device_options.profile says for it, for what brings its own configuration: "" where nothing is asked for.
 * VTA_INVALID_ARGUMENT for a driver that counts no cycles. */
vta_status cli_device_timing(const cli_timing *timing, const vta_config *config, const char *driver,
                             char out[CLI_DEVICE_TIMING]);
/* What a command is given to time. */
typedef struct cli_input {
    const char *path;       /* a captured program, a kernel file, or an object of one */
    cli_list params;        /* --param NAME=VALUE, of a kernel file */
    const char *function;   /* of an object with several */
    const vta_config *base; /* NULL: for a kernel file the one in use, for what is compiled its own */
    const cli_list *changes;
} cli_input;

#define CLI_INPUT_OPTIONS(input)                                                                                       \
    CLI_PARAM_OPTION(&(input)->params), {                                                                              \
        "function", 0, CLI_TEXT, "NAME", "which kernel of an object that has several", &(input)->function              \
    }

/* Opens it: a kernel file is built for the configuration, an object called once. VTA_UNSUPPORTED when a configuration
 * gives the instructions of what is compiled another meaning. *out_config is released by the caller, *out_kernel's
 * program destroyed. */
vta_status cli_open_input(const cli_input *input, vta_diag *diag, vta_config **out_config,
                          cli_kernel_program *out_kernel);
/* VTA_UNSUPPORTED when a configuration gives the program's instructions another meaning. */
vta_status cli_same_sizes(const vta_program *program, const vta_config *config, vta_diag *diag);
/* Decodes and times all runs of a captured program. Reports read micro-ops from the program: keep it. */
vta_status cli_profile_program(const cli_kernel_program *kernel, const vta_config *config,
                               const vta_timing_profile *timing, vta_profile **out_profile);
/* A run's instructions, decoded; free(). */
vta_status cli_decode_run(const vta_program *program, const vta_config *config, uint32_t run, vta_diag *diag,
                          vta_insn **out_insns);

#endif
