/* Compiled kernels as input of a command: FILE.o and FILE.so, called as their signatures say. */
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "cli.h"
#include "kernel_program.h"

typedef struct cli_object {
    const char *path;
    vta_module *module;
    vta_signature *signature;
    vta_packed_function function;
} cli_object;

/* True for a path that ends in .o or .so. */
bool cli_is_object(const char *path);
/* Loads it and finds the function: `function`, or with NULL the only one that has a signature. Close it in any case. */
vta_status cli_object_open(const char *path, const char *function, vta_diag *diag, cli_object *out_object);
void cli_object_close(cli_object *object);
/* All arguments as a list, for one call of a function all of whose arguments are tensors of fixed shapes. */
vta_status cli_object_args(const cli_object *object, vta_diag *diag, size_t most, vta_signature_arg *out_args);
/* The configuration to time or run it on: `base` (NULL: the object's own) with changes, if sizes stay what they were
 * when it was compiled; else VTA_UNSUPPORTED. Release it. */
vta_status cli_object_config(const cli_object *object, const vta_config *base, const cli_list *changes,
                             vta_config **out_config);
/* Records one call on the machine of `config`. */
vta_status cli_object_record(const cli_object *object, const vta_config *config, vta_diag *diag,
                             cli_kernel_program *out_kernel);

#endif
