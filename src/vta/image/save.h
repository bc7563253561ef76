/* The formats that pictures are written in; what is not built in is refused with what would be needed. */
#ifndef VT_IMAGE_SAVE_H
#define VT_IMAGE_SAVE_H

#include <stdio.h>

#include "image/image.h"

/* `path` is for messages. Errors of the file are left to ferror. */
vta_status vt__write_png(const vta_image *image, FILE *file, const char *path, vta_diag *diag);
vta_status vt__write_jpeg(const vta_image *image, FILE *file, const char *path, vta_diag *diag);

#endif
