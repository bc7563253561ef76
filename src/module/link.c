/* Object files become shared objects, in a temporary folder, to be loaded. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/link.h"
#include "base/spawn.h"
#include "module/module_priv.h"

void vt__remove_linked(const char *path) {
    char folder[VT_FOLDER_BYTES + 16];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    unlink(path);
    if (!slash) return;
    *slash = '\0';
    rmdir(folder);
}

vta_status vt__link_object(const vta_allocator *a, const char *path, vta_diag *diag, char **out_path) {
    char folder[VT_FOLDER_BYTES], output[VT_FOLDER_BYTES + 16];
    *out_path = NULL;
    VT_TRY(vt_temporary_folder(folder, diag));
    snprintf(output, sizeof output, "%s/module.so", folder);
    /* The linker itself is quickest and all that is needed. */
    vta_status status = vt_link_shared(a, path, path, NULL, "ld", output, diag);
    if (status == VTA_OK && !(*out_path = vt_strdup(a, output))) status = vt_no_memory(diag);
    if (status != VTA_OK) vt__remove_linked(output);
    return status;
}
