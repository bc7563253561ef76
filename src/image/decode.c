/* Pictures from files. */
#include "image/decode.h"

#include "base/file.h"

vta_status vta_image_decode(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                            vta_diag *diag, vta_image **out_image) {
    vt_picture p = {bytes, size, name, allocator, diag};
    if (!bytes || !name || !out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "bytes, name or out_image is NULL");
    *out_image = NULL;
    if (vt__is_jpeg(&p)) return vt__read_jpeg(&p, out_image);
    if (vt__is_png(&p)) return vt__read_png(&p, out_image);
    return vt_fail(diag, VTA_PARSE, "%s: neither a JPEG nor a PNG picture", name);
}

enum { MOST_BYTES = 1 << 28 };

vta_status vta_image_load(const char *path, const vta_allocator *allocator, vta_diag *diag, vta_image **out_image) {
    char *bytes;
    size_t size;
    if (!path || !out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "path or out_image is NULL");
    *out_image = NULL;
    VT_TRY(vt_file_read(allocator, path, MOST_BYTES, diag, &bytes, &size));
    vta_status status = vta_image_decode(bytes, size, path, allocator, diag, out_image);
    vt_free(allocator, bytes, size + 1);
    return status;
}
