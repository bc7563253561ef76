/* PNG, by libpng. */
#include "image/save.h"

#ifdef VT_PNG
#include <png.h>

/* Why libpng gave up. */
typedef struct writer {
    const char *path;
    vta_diag *diag;
    vta_status status;
} writer;

static void on_error(png_structp png, png_const_charp text) {
    writer *w = png_get_error_ptr(png);
    w->status = vt_fail(w->diag, VTA_IO, "%s: cannot write: %s", w->path, text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void write(const vta_image *image, png_structp png, png_infop info) {
    png_set_IHDR(png, info, image->width, image->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + (size_t)y * image->width * VT_IMAGE_CHANNELS);
    png_write_end(png, NULL);
}

vta_status vt__write_png(const vta_image *image, FILE *file, const char *path, vta_diag *diag) {
    writer w = {path, diag, VTA_OK};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return vt_no_memory(diag);
    }
    png_init_io(png, file);
    png_set_user_limits(png, UINT32_MAX / 2, UINT32_MAX / 2);
    if (setjmp(png_jmpbuf(png)) == 0) write(image, png, info);
    png_destroy_write_struct(&png, &info);
    return w.status;
}
#else
vta_status vt__write_png(const vta_image *image, FILE *file, const char *path, vta_diag *diag) {
    (void)image;
    (void)file;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: a PNG picture; this library was built without libpng", path);
}
#endif
