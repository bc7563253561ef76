#include "c_operator.h"

#include <stdlib.h>
#include <string.h>

#include "vta/runtime.h"

/* How operands lie is nothing to this tool, so it takes the cheapest where programs ask for plain tiles. */
static void choose_fold(const char *name, cli_list *pairs) {
    for (int i = 0; i < pairs->count; i++)
        if (!strncmp(pairs->item[i], "fold=", 5)) return;
    if (!strcmp(name, "conv2d") && pairs->count < CLI_LIST_MAX) pairs->item[pairs->count++] = "fold=-1";
}

vta_status cli_operator_make(const cli_common *common, int argc, char **argv, cli_operator *out) {
    cli_list pairs = {.count = 0};
    *out = (cli_operator){.op = NULL};
    for (int i = 1; i < argc && i <= CLI_LIST_MAX; i++) pairs.item[pairs.count++] = argv[i];
    choose_fold(argv[0], &pairs);
    char *text = cli_join(&pairs);
    if (!text) return VTA_NO_MEMORY;
    vta_status status = cli_find_config(common, &out->config);
    if (status == VTA_OK) status = vta_timing_profile_for(out->config, cli_diag(), &out->profile);
    if (status == VTA_OK) status = vtac_op_create(argv[0], text, out->config, NULL, cli_diag(), &out->op);
    free(text);
    return status;
}

void cli_operator_release(cli_operator *o) {
    vtac_op_destroy(o->op);
    if (o->config) vta_config_release(o->config);
    *o = (cli_operator){.op = NULL};
}

vta_status cli_operator_run(const cli_operator *o, const cli_device *device, bool *out_ran, vtac_check_result *out) {
    cli_asked_device asked;
    const vta_runtime_options runtime = {.device = &asked.options};
    vta_status status = cli_device_asked(device, &asked);
    if (status == VTA_OK) status = vta_runtime_reconfigure(o->config, device->driver, &runtime, cli_diag());
    *out_ran = status == VTA_OK;
    vtac_check_options check = {.seed = device->options.seed};
    return status == VTA_OK ? vtac_op_check(o->op, kDLExtDev, &check, cli_diag(), out) : status;
}

vta_status cli_operator_compare(const cli_operator *o, const vtac_check_result *check) {
    char message[256];
    if (!check->different) return VTA_OK;
    snprintf(message, sizeof message, "%s: %llu of %llu elements differ; the first at %llu is %s and should be %s",
             vtac_op_name(o->op), (unsigned long long)check->different, (unsigned long long)check->elements,
             (unsigned long long)check->index, check->got, check->expected);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_MISMATCH, message);
    return VTA_MISMATCH;
}
