/* Kernel files: a computation and its schedule as text (docs/kernel-files.md has the grammar). */
#ifndef VTA_KERNEL_H
#define VTA_KERNEL_H

#include "vta/te.h"

VTA_BEGIN

typedef struct vtac_kernel vtac_kernel;

/* Reads a kernel. `name` stands for the text in messages; `params` overrides parameters' defaults, as
 * "height=28 width=28" (NULL: none). VTA_PARSE for bad syntax, else what the te call behind a statement returns; all
 * errors that can be found in one reading are in `diag`, with line and column. */
VTA_API vta_status vtac_kernel_parse(const char *text, size_t size, const char *name, const char *params,
                                     const vta_config *config, const vta_allocator *allocator, vta_diag *diag,
                                     vtac_kernel **out_kernel);
/* The same from a file. */
VTA_API vta_status vtac_kernel_load(const char *path, const char *params, const vta_config *config,
                                    const vta_allocator *allocator, vta_diag *diag, vtac_kernel **out_kernel);
VTA_API void vtac_kernel_destroy(vtac_kernel *kernel);

/* What the kernel is made of; all owned by the kernel. */
VTA_API const char *vtac_kernel_name(const vtac_kernel *kernel);
VTA_API te_context *vtac_kernel_context(const vtac_kernel *kernel);
VTA_API te_schedule *vtac_kernel_schedule(const vtac_kernel *kernel);
/* The arguments of the function: inputs in their order, then outputs. */
VTA_API size_t vtac_kernel_arg_count(const vtac_kernel *kernel);
VTA_API te_tensor *vtac_kernel_arg(const vtac_kernel *kernel, size_t index);
VTA_API bool vtac_kernel_arg_is_output(const vtac_kernel *kernel, size_t index);
/* Does the file say how it is computed, with a "stage" of its own? */
VTA_API bool vtac_kernel_is_scheduled(const vtac_kernel *kernel);
/* "vta" (default) or "llvm": what the file asks to be compiled for. */
VTA_API const char *vtac_kernel_target(const vtac_kernel *kernel);
/* Passes that the file asks to leave out, as "a,b"; "" when none. */
VTA_API const char *vtac_kernel_disabled_passes(const vtac_kernel *kernel);

VTA_END

#endif
