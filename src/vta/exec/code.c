/* The native code of a model. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spawn.h"
#include "exec/exec_priv.h"

enum { PATH_BYTES = VT_FOLDER_BYTES + 16, ELF_TYPE_AT = 16, ELF_RELOCATABLE = 1 };

/* The loader takes files only. */
static vta_status load_from(vta_model *model, const vt_section *code, const char *folder, vta_diag *diag) {
    char path[PATH_BYTES];
    bool object = code->size > ELF_TYPE_AT && code->bytes[ELF_TYPE_AT] == ELF_RELOCATABLE;
    snprintf(path, sizeof path, "%s/code.%s", folder, object ? "o" : "so");
    VT_TRY(vt_file_write_temporary(&model->allocator, path, code->bytes, code->size, diag));
    vta_status status = vta_module_load(path, &model->allocator, diag, &model->module);
    unlink(path);
    if (status == VTA_OK) {
        status = vt__check_signatures(model, diag);
        if (status == VTA_OK) return VTA_OK;
        vta_module_destroy(model->module);
        model->module = NULL;
        return status;
    }
    return vt_fail(diag, status == VTA_PARSE ? VTA_UNSUPPORTED : status,
                   "%s: its native code, for %s, cannot be loaded here", model->name, model->plan.triple);
}

static vta_status load(vta_model *model, vta_diag *diag) {
    char folder[VT_FOLDER_BYTES];
    vt_section code = vt__model_section(model, VT_SECTION_CODE);
    VT_TRY(vt_temporary_folder(folder, diag));
    vta_status status = load_from(model, &code, folder, diag);
    rmdir(folder);
    return status;
}

vta_status vt__model_function(vta_model *model, const char *name, vta_diag *diag, vta_packed_function *out_function) {
    pthread_mutex_lock(&model->lock);
    vta_status status = model->module ? VTA_OK : load(model, diag);
    if (status == VTA_OK) status = vta_module_function(model->module, name, diag, out_function);
    pthread_mutex_unlock(&model->lock);
    return status;
}
