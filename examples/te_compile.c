/* The whole way in C: a kernel file is lowered, compiled, run on the simulator, compared with its meaning, and saved.
 * Usage: te_compile [FILE.te [FILE.o]] */
#include <stdio.h>

#include "vta/build.h"

static vta_status compile_and_run(vtac_kernel *kernel, const char *output, vta_diag *diag) {
    te_context *c = vtac_kernel_context(kernel);
    const te_tensor *args[16];
    size_t n = vtac_kernel_arg_count(kernel);
    vtac_build_func f = {0};
    vtac_module *module = NULL;
    vta_packed_function call;
    vtac_check_result result = {.size = sizeof result};
    for (size_t i = 0; i < n && i < 16; i++) args[i] = vtac_kernel_arg(kernel, i);

    vta_status status = vtac_kernel_lower(kernel, NULL, &f.func);
    if (status != VTA_OK) fprintf(stderr, "%s\n", vta_diag_text(te_context_diag(c)));
    if (status == VTA_OK) status = vtac_build(1, &f, NULL, diag, &module);
    if (status == VTA_OK) status = vtac_module_function(module, vtac_func_name(f.func), diag, &call);
    if (status == VTA_OK) status = vta_runtime_reconfigure(te_context_config(c), "sim", NULL, diag);
    if (status == VTA_OK) status = vtac_check(c, n, args, call, kDLExtDev, NULL, diag, &result);
    if (status == VTA_OK && output) status = vtac_module_save(module, output, diag);
    if (status == VTA_OK)
        printf("%s: %llu elements, %llu different, %.3f ms\n", vtac_func_name(f.func),
               (unsigned long long)result.elements, (unsigned long long)result.different, result.run_seconds * 1e3);
    vtac_module_destroy(module);
    return status == VTA_OK && result.different ? VTA_MISMATCH : status;
}

int main(int argc, char **argv) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *kernel;
    const char *file = argc > 1 ? argv[1] : "examples/conv2d.te";
    vta_status status = vtac_kernel_load(file, NULL, NULL, NULL, diag, &kernel);
    if (status == VTA_OK) status = compile_and_run(kernel, argc > 2 ? argv[2] : NULL, diag);
    if (status != VTA_OK) fprintf(stderr, "%s\n", vta_diag_text(diag));
    vtac_kernel_destroy(kernel);
    vta_diag_destroy(diag);
    return status == VTA_OK ? 0 : 1;
}
