#include "model.h"

#include <string.h>

bool cli_is_artifact(const char *path) {
    static const unsigned char magic[4] = {0x8d, 'V', 'T', 'M'};
    unsigned char begin[sizeof magic];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(begin, 1, sizeof begin, f);
    fclose(f);
    return n == sizeof magic && !memcmp(begin, magic, sizeof magic);
}

static bool ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), e = strlen(ending);
    return n > e && !strcmp(path + n - e, ending);
}

bool cli_is_network(const char *path) { return ends_in(path, ".onnx") || ends_in(path, ".tflite"); }

bool cli_is_model(const char *path) { return cli_is_network(path) || cli_is_artifact(path); }

#ifndef VT_COMPILER
vta_status cli_onnx_compile(const char *path, vta_diag *diag, vta_model **out_model) {
    char message[512];
    *out_model = NULL;
    snprintf(message, sizeof message, "%.400s: this tool was built without the compiler; give it a compiled network",
             path);
    vta_diag_add(diag, VTA_ERROR, VTA_UNSUPPORTED, message);
    return VTA_UNSUPPORTED;
}

void cli_onnx_use(const cli_common *common, const cli_list *inputs) {
    (void)common;
    (void)inputs;
}
#endif

static struct {
    vta_model *model;
    char path[4096];
} last;

void cli_model_forget(void) {
    vta_model_release(last.model);
    last.model = NULL;
}

vta_status cli_model_load(const char *path, vta_diag *diag, vta_model **out_model) {
    if (!last.model || strcmp(path, last.path)) {
        cli_model_forget();
        vta_status status = cli_is_network(path) ? cli_onnx_compile(path, diag, &last.model)
                                                 : vta_model_load(path, NULL, diag, &last.model);
        if (status != VTA_OK) return status;
        snprintf(last.path, sizeof last.path, "%s", path);
    }
    *out_model = last.model;
    return VTA_OK;
}

vta_status cli_model_program(const char *path, vta_diag *diag, vta_program **out_program) {
    vta_model *model;
    vta_status status = cli_model_load(path, diag, &model);
    return status == VTA_OK ? vta_model_program(model, diag, out_program) : status;
}
