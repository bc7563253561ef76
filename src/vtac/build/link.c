#include "build/link.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/link.h"
#include "base/spawn.h"

/* The files of one link, in a folder of their own. */
typedef struct workplace {
    char folder[VT_FOLDER_BYTES], object[VT_FOLDER_BYTES + 16], shared[VT_FOLDER_BYTES + 16];
} workplace;

static vta_status make_workplace(workplace *w, vta_diag *diag) {
    VT_TRY(vt_temporary_folder(w->folder, diag));
    snprintf(w->object, sizeof w->object, "%s/kernel.o", w->folder);
    snprintf(w->shared, sizeof w->shared, "%s/kernel.so", w->folder);
    return VTA_OK;
}

static void clear_workplace(const workplace *w) {
    unlink(w->object);
    unlink(w->shared);
    rmdir(w->folder);
}

/* Through memory, so that the result is written completely or not at all. */
static vta_status copy(const vta_allocator *a, const char *from, const char *to, vta_diag *diag) {
    char *bytes;
    size_t size;
    VT_TRY(vt_file_read(a, from, SIZE_MAX / 2, diag, &bytes, &size));
    vta_status status = vt_file_write(a, to, bytes, size, diag);
    vt_free(a, bytes, size + 1);
    return status;
}

vta_status vt__link_shared(const vta_allocator *a, const void *object, size_t size, const char *triple,
                           const char *linker, const char *path, vta_diag *diag) {
    workplace w;
    VT_TRY(make_workplace(&w, diag));
    vta_status status = vt_file_write_temporary(a, w.object, object, size, diag);
    if (status == VTA_OK) status = vt_link_shared(a, path, w.object, triple, linker, w.shared, diag);
    if (status == VTA_OK) status = copy(a, w.shared, path, diag);
    clear_workplace(&w);
    return status;
}
