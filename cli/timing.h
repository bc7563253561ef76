/* What the commands that time programs share: options of the timing profile, and timing a captured program. */
#ifndef CLI_TIMING_H
#define CLI_TIMING_H

#include "cli.h"
#include "kernel_program.h"
#include "vta/profile.h"
#include "vta/program.h"

typedef struct cli_timing {
    const char *profile; /* --profile NAME or FILE.json */
    const char *bus;     /* --bus BITS */
    cli_list settings;   /* --timing NAME=NUMBER */
} cli_timing;

#define CLI_TIMING_OPTIONS(timing)                                                                                     \
    {"profile",                                                                                                        \
     'P',                                                                                                              \
     CLI_TEXT,                                                                                                         \
     "NAME|FILE",                                                                                                      \
     "timing profile: chisel, rtl, chisel-2019, hls, ultra96, zcu104, or a JSON file (else by the target)",            \
     &(timing)->profile},                                                                                              \
        {"bus", 'b', CLI_TEXT, "BITS", "width of the memory bus", &(timing)->bus}, {                                   \
        "timing", 'T', CLI_LIST, "NAME=NUMBER", "change one setting of the timing profile; may be repeated",           \
            &(timing)->settings                                                                                        \
    }

/* The profile that the options ask for, on top of the configuration's own. */
vta_status cli_find_timing(const cli_timing *timing, const vta_config *config, vta_diag *diag,
                           vta_timing_profile *out_profile);
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
