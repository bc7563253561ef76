/* Pictures to files. */
#include "image/save.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *ending;
    vta_status (*write)(const vta_image *image, FILE *file, const char *path, vta_diag *diag);
} formats[] = {{".png", vt__write_png}, {".jpg", vt__write_jpeg}, {".jpeg", vt__write_jpeg}};

vta_status vta_image_save(const vta_image *image, const char *path, vta_diag *diag) {
    if (!image || !path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "image or path is NULL");
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t m = strlen(formats[i].ending);
        if (n <= m || strcasecmp(path + n - m, formats[i].ending) != 0) continue;
        FILE *file = fopen(path, "wb");
        if (!file) return vt_fail(diag, VTA_IO, "%s: cannot write: %s", path, strerror(errno));
        vta_status status = formats[i].write(image, file, path, diag);
        bool complete = !ferror(file);
        if ((fclose(file) != 0 || !complete) && status == VTA_OK)
            status = vt_fail(diag, VTA_IO, "%s: cannot write: %s", path, strerror(errno));
        if (status != VTA_OK) remove(path);
        return status;
    }
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: pictures are written as .png, .jpg or .jpeg", path);
}
