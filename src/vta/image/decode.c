/* Pictures from files. */
#include "image/decode.h"

#include <string.h>

#include "base/file.h"

/* Other formats, by how their files begin: named in the error. */
static const struct {
    const char *name, *begin;
    size_t at;
} others[] = {{"GIF", "GIF8", 0},      {"BMP", "BM", 0},  {"WebP", "WEBP", 8},
              {"TIFF", "II*", 0},      {"TIFF", "MM", 0}, {"HEIC", "ftyphe", 4},
              {"AVIF", "ftypavif", 4}, {"PPM", "P6", 0},  {"PGM", "P5", 0}};

static vta_status refuse(const vt_picture *p) {
    if (p->size == 0) return vt_fail(p->diag, VTA_PARSE, "%s: the file is empty", p->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t n = strlen(others[i].begin);
        if (p->size >= others[i].at + n && !memcmp(p->bytes + others[i].at, others[i].begin, n))
            return vt_fail(p->diag, VTA_UNSUPPORTED, "%s: a %s picture; JPEG and PNG are read: convert it", p->name,
                           others[i].name);
    }
    return vt_fail(p->diag, VTA_PARSE, "%s: neither a JPEG nor a PNG picture", p->name);
}

vta_status vta_image_decode(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                            vta_diag *diag, vta_image **out_image) {
    vt_picture p = {bytes, size, name, allocator, diag};
    if (!bytes || !name || !out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "bytes, name or out_image is NULL");
    *out_image = NULL;
    if (vt__is_jpeg(&p)) return vt__read_jpeg(&p, out_image);
    if (vt__is_png(&p)) return vt__read_png(&p, out_image);
    return refuse(&p);
}

enum { MAX_BYTES = 1 << 28 };

vta_status vta_image_load(const char *path, const vta_allocator *allocator, vta_diag *diag, vta_image **out_image) {
    char *bytes;
    size_t size;
    if (!path || !out_image) return vt_fail(diag, VTA_INVALID_ARGUMENT, "path or out_image is NULL");
    *out_image = NULL;
    VT_TRY(vt_file_read(allocator, path, MAX_BYTES, diag, &bytes, &size));
    vta_status status = vta_image_decode(bytes, size, path, allocator, diag, out_image);
    vt_free(allocator, bytes, size + 1);
    return status;
}
