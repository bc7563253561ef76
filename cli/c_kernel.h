/* What the commands on kernel files share: reading, lowering, naming a target. */
#ifndef CLI_C_KERNEL_H
#define CLI_C_KERNEL_H

#include "cli.h"
#include "vta/build.h"
#include "vta/ops.h"

typedef struct cli_kernel {
    cli_common common;
    cli_list params;   /* --param NAME=VALUE */
    cli_list disabled; /* --disable-pass NAME */
    const char *target;
    bool simple, verify;
    uint64_t unroll, debug;
    bool automatic; /* --auto */
} cli_kernel;

/* What --auto made of a kernel. */
typedef struct cli_schedule {
    vtac_kernel *kernel; /* with its schedule; the kernel as it was says what it computes */
    vtac_op *op;         /* owns it */
    vtac_op_result result;
} cli_schedule;

#define CLI_KERNEL_OPTIONS(k)                                                                                            \
    CLI_PARAM_OPTION(&(k)->params),                                                                                      \
        {"target",    't', CLI_TEXT, "NAME", "vta (the accelerator) or llvm (the host); else what the file says",        \
         &(k)->target},                                                                                                  \
        {"auto",         0, CLI_FLAG, NULL, "choose the schedule, whatever the file says of it (docs/operators.md)",     \
         &(k)->automatic},                                                                                               \
        {"disable-pass", 0, CLI_LIST, "PASS", "leave a pass out; may be repeated (vta lower --list-passes)",             \
         &(k)->disabled},                                                                                                \
        {"verbose", 0, CLI_FLAG, NULL, "an error shows the loops that it is about", cli_verbose()},                      \
        {"unroll", 0, CLI_NUMBER, "N", "unroll loops of at most N steps (0: only those that ask for it)", &(k)->unroll}, \
        {"debug", 0, CLI_NUMBER, "BITS", "the kernel first sets the runtime's debug mode", &(k)->debug}, {               \
        "verify", 0, CLI_FLAG, NULL, "check the IR's form after every pass", &(k)->verify                                \
    }

/* Reads a kernel file for the configuration asked for. Free both results. */
vta_status cli_kernel_load(const cli_kernel *k, const char *path, vta_config **out_config, vtac_kernel **out_kernel);
/* The kernel to compile: with --auto one with a schedule that is chosen now, else the kernel itself. Release. */
vta_status cli_kernel_schedule(const cli_kernel *k, vtac_kernel *kernel, cli_schedule *out_schedule);
/* What was chosen, for programs that call this one. */
json_t *cli_kernel_schedule_json(const cli_schedule *schedule);
void cli_kernel_release(cli_schedule *schedule);
/* The target: "vta" or "llvm"; VTA_INVALID_ARGUMENT, with a message, for another word. */
vta_status cli_kernel_target(const cli_kernel *k, const vtac_kernel *kernel, const char **out_target);
/* The options of its lowering; what they point to belongs to `k` and `config`. */
vtac_lower_options cli_kernel_options(const cli_kernel *k, const vta_config *config, const char *target);
/* Lowers, and moves the messages of the kernel's context to the command's. */
vta_status cli_kernel_lower(vtac_kernel *kernel, const vtac_lower_options *options, const vtac_func **out_func);

#endif
