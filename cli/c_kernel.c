#include "c_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

vta_status cli_kernel_load(const cli_kernel *k, const char *path, vta_config **out_config, vtac_kernel **out_kernel) {
    *out_config = NULL;
    *out_kernel = NULL;
    char *params = cli_join(&k->params);
    if (!params) return VTA_NO_MEMORY;
    vta_status status = cli_find_config(&k->common, out_config);
    if (status == VTA_OK) status = vtac_kernel_load(path, params, *out_config, NULL, cli_diag(), out_kernel);
    free(params);
    if (status == VTA_OK) return VTA_OK;
    vta_config_release(*out_config);
    *out_config = NULL;
    return status;
}

void cli_kernel_release(cli_schedule *schedule) {
    vtac_op_destroy(schedule->op);
    *schedule = (cli_schedule){.op = NULL};
}

vta_status cli_kernel_schedule(const cli_kernel *k, vtac_kernel *kernel, cli_schedule *out) {
    char message[256];
    *out = (cli_schedule){.kernel = kernel};
    if (!k->automatic) return VTA_OK;
    vta_status status = vtac_op_match_kernel(kernel, NULL, cli_diag(), &out->op);
    if (status == VTA_OK) status = vtac_op_schedule(out->op, NULL, cli_diag(), &out->result);
    if (status != VTA_OK) {
        cli_kernel_release(out);
        return status;
    }
    out->kernel = vtac_op_kernel(out->op);
    if (!vtac_kernel_is_scheduled(kernel)) return VTA_OK;
    snprintf(message, sizeof message, "%.80s: the file's own schedule is not used: --auto chooses one",
             vtac_kernel_name(kernel));
    vta_diag_add(cli_diag(), VTA_NOTE, VTA_OK, message);
    return VTA_OK;
}

json_t *cli_kernel_schedule_json(const cli_schedule *s) {
    return json_pack("{s:s, s:I, s:I, s:s, s:f}", "operator", vtac_op_name(s->op), "cycles",
                     (json_int_t)s->result.cycles, "bound", (json_int_t)s->result.bound, "schedule",
                     vtac_op_report(s->op), "schedule_ms", s->result.schedule_ms);
}

vta_status cli_kernel_target(const cli_kernel *k, const vtac_kernel *kernel, const char **out_target) {
    const char *target = k->target ? k->target : vtac_kernel_target(kernel);
    bool vta = !strcmp(target, "vta") || !strcmp(target, "ext_dev"),
         llvm = !strcmp(target, "llvm") || !strcmp(target, "cpu");
    *out_target = vta ? "vta" : "llvm";
    if (vta || llvm) return VTA_OK;
    char message[128];
    snprintf(message, sizeof message, "no target '%.60s': there are vta and llvm", target);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_INVALID_ARGUMENT, message);
    return VTA_INVALID_ARGUMENT;
}

vtac_lower_options cli_kernel_options(const cli_kernel *k, const vta_config *config, const char *target) {
    return (vtac_lower_options){
        .config = strcmp(target, "vta") == 0 ? config : NULL,
        .disabled = k->disabled.item,
        .disabled_count = (size_t)k->disabled.count,
        .simple = k->simple,
        .debug_flag = (int32_t)k->debug,
        .verify = k->verify,
        .unroll_max_step = (int32_t)k->unroll,
    };
}

vta_status cli_kernel_lower(vtac_kernel *kernel, const vtac_lower_options *options, const vtac_func **out_func) {
    vta_status status = vtac_kernel_lower(kernel, options, out_func);
    vta_diag *from = te_context_diag(vtac_kernel_context(kernel));
    for (size_t i = 0; i < vta_diag_count(from); i++) {
        vta_diag_entry e;
        char message[2048];
        if (vta_diag_get(from, i, &e) != VTA_OK) continue;
        if (e.file) snprintf(message, sizeof message, "%s:%u:%u: %s", e.file, e.line, e.column, e.message);
        vta_diag_add(cli_diag(), e.severity, e.status, e.file ? message : e.message);
    }
    return status;
}
