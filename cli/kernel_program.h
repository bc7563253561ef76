/* The program that a kernel makes, from its source or compiled: one call recorded, not computed. */
#ifndef CLI_KERNEL_PROGRAM_H
#define CLI_KERNEL_PROGRAM_H

#include "vta/module.h"
#include "vta/program.h"

enum { CLI_KERNEL_ARGS = 32 };

/* A recorded kernel, with the names of its tensors by their addresses. */
typedef struct cli_kernel_program {
    vta_program *program;
    int arg_count;
    struct {
        uint32_t addr;
        char name[64];
    } args[CLI_KERNEL_ARGS];
} cli_kernel_program;

/* A call to record: a function for the accelerator of `config`, with arrays as `args` say. */
typedef struct cli_call {
    vta_packed_function function;
    const vta_config *config;
    size_t count;                  /* at most CLI_KERNEL_ARGS */
    const vta_signature_arg *args; /* tensors of fixed shapes */
    bool numbers;                  /* inputs are given some; else they are zero, which takes no time to fill in */
} cli_call;

/* Calls it in a runtime of its own and records what it runs. Free the program with vta_program_destroy. */
vta_status cli_record(const cli_call *call, vta_diag *diag, cli_kernel_program *out_kernel);

/* True for a path that ends in .te. */
bool cli_is_kernel(const char *path);
/* Builds the kernel for the accelerator of `config`, with annotations, and records what one call runs, on inputs as
 * `numbers` of cli_call says. `params` as in vtac_kernel_load; `diag` may be another thread's own. VTA_UNSUPPORTED in a
 * tool without the compiler. Free the program with vta_program_destroy. */
vta_status cli_build_kernel(const char *path, const char *params, const vta_config *config, bool numbers,
                            vta_diag *diag, cli_kernel_program *out_kernel);
/* The name of the tensor at an address; NULL for none. */
const char *cli_kernel_tensor(const cli_kernel_program *kernel, uint32_t addr);

#endif
