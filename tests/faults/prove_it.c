/* prove_it KERNEL.te [CONFIG_CHANGES]: what becomes of a kernel, in one line: with the compiler's checks of its result,
 * then without them. put_back.py links it with a compiler that has a fault. */
#include <stdio.h>
#include <string.h>

#include "vta/build.h"

static const char *const checks[] = {"vta.VerifyShared", "vta.VerifyPlaces", "vta.VerifyMachine"};

typedef struct program {
    vta_diag *diag;
    vtac_kernel *kernel;
    const vtac_func *func;
    vtac_module *module;
    vta_packed_function call;
} program;

static const char *first_line(program *p) {
    const char *text = p->kernel ? vta_diag_text(te_context_diag(vtac_kernel_context(p->kernel))) : "";
    static char line[400];
    snprintf(line, sizeof line, "%s", *text ? text : vta_diag_text(p->diag));
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static vta_status prove(program *p, vtac_prove_result *out_result) {
    const te_tensor *args[8];
    size_t n = vtac_kernel_arg_count(p->kernel);
    if (n > 8) return VTA_UNSUPPORTED;
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(p->kernel, i);
    return vtac_prove(vtac_kernel_context(p->kernel), n, args, p->call, NULL, p->diag, out_result);
}

static void say(const char *path, const vta_config *config, bool checked) {
    program p = {.diag = vta_diag_create(NULL)};
    const vtac_lower_options lower = {.config = config, .disabled = checks, .disabled_count = checked ? 0 : 3};
    vtac_prove_result result = {.size = sizeof result};
    const char *step = "parsed";
    vta_status status = vtac_kernel_load(path, NULL, config, NULL, p.diag, &p.kernel);
    if (status == VTA_OK) step = "lowered", status = vtac_kernel_lower(p.kernel, &lower, &p.func);
    const vtac_build_func f = {.func = p.func};
    if (status == VTA_OK) step = "built", status = vtac_build(1, &f, NULL, p.diag, &p.module);
    if (status == VTA_OK) status = vtac_module_function(p.module, vtac_func_name(p.func), p.diag, &p.call);
    if (status == VTA_OK) step = "run", status = prove(&p, &result);
    if (status == VTA_OK)
        printf("%s: %.*s\n", vtac_verdict_name(result.verdict), (int)strcspn(result.reason, "\n"), result.reason);
    else
        printf("not %s, %s: %s\n", step, vta_status_name(status), first_line(&p));
    vtac_module_destroy(p.module);
    vtac_kernel_destroy(p.kernel);
    vta_diag_destroy(p.diag);
}

int main(int argc, char **argv) {
    vta_config *base = vta_config_default(), *config;
    if (argc < 2 || vta_config_with(base, argc > 2 ? argv[2] : "", NULL, &config) != VTA_OK) return 2;
    if (vta_runtime_reconfigure(config, "sim", NULL, NULL) != VTA_OK) return 2;
    say(argv[1], config, true);
    say(argv[1], config, false);
    vta_config_release(config);
    vta_config_release(base);
    return 0;
}
