/* Object files become shared objects, in a temporary folder, to be loaded. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/link.h"
#include "base/spawn.h"
#include "base/strbuf.h"
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

/* A linker script that names the objects is one input, to every linker. */
static vta_status write_script(const vta_allocator *a, const char *folder, unsigned count, const char *script,
                               vta_diag *diag) {
    vt_strbuf text;
    vt_strbuf_init(&text, a);
    vt_strbuf_add(&text, "INPUT(");
    for (unsigned i = 0; i < count; i++) vt_strbuf_addf(&text, " \"%s/%u.o\"", folder, i);
    vt_strbuf_add(&text, " )\n");
    vta_status status =
        text.failed ? vt_no_memory(diag) : vt_file_write_temporary(a, script, text.text, text.size, diag);
    vt_strbuf_free(&text);
    return status;
}

static vta_status link_tar(const vta_allocator *a, const char *path, const char *folder, const char *output,
                           vta_diag *diag) {
    char script[VT_FOLDER_BYTES + 16];
    unsigned count;
    VT_TRY(vt__tar_unpack(a, path, folder, diag, &count));
    snprintf(script, sizeof script, "%s/objects.ld", folder);
    vta_status status = write_script(a, folder, count, script, diag);
    if (status == VTA_OK) status = vt_link_shared(a, path, script, NULL, "ld", output, diag);
    unlink(script);
    vt__tar_remove(folder, count);
    return status;
}

vta_status vt__link_object(const vta_allocator *a, const char *path, bool is_tar, vta_diag *diag, char **out_path) {
    char folder[VT_FOLDER_BYTES], output[VT_FOLDER_BYTES + 16];
    *out_path = NULL;
    VT_TRY(vt_temporary_folder(folder, diag));
    snprintf(output, sizeof output, "%s/module.so", folder);
    /* The linker itself is quickest and all that is needed. */
    vta_status status =
        is_tar ? link_tar(a, path, folder, output, diag) : vt_link_shared(a, path, path, NULL, "ld", output, diag);
    if (status == VTA_OK && !(*out_path = vt_strdup(a, output))) status = vt_no_memory(diag);
    if (status != VTA_OK) vt__remove_linked(output);
    return status;
}
