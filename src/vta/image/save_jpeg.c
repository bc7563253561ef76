/* JPEG, by libjpeg. */
#include "image/save.h"

#ifdef VT_JPEG
#include <setjmp.h>

#include <jpeglib.h>

enum { QUALITY = 95 };

/* One writing; errors of libjpeg come back to `where`. */
typedef struct writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf where;
    const char *path;
    vta_diag *diag;
    vta_status status;
} writer;

static void on_error(j_common_ptr jpeg) {
    writer *w = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    w->status = vt_fail(w->diag, VTA_IO, "%s: cannot write: %s", w->path, text);
    longjmp(w->where, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    (void)jpeg;
    (void)level;
}

static void write(writer *w, const vta_image *image, FILE *file) {
    struct jpeg_compress_struct *j = &w->jpeg;
    jpeg_stdio_dest(j, file);
    j->image_width = image->width;
    j->image_height = image->height;
    j->input_components = VT_IMAGE_CHANNELS;
    j->in_color_space = JCS_RGB;
    jpeg_set_defaults(j);
    jpeg_set_quality(j, QUALITY, TRUE);
    jpeg_start_compress(j, TRUE);
    while (j->next_scanline < j->image_height) {
        const uint8_t *row = image->pixels + (size_t)j->next_scanline * image->width * VT_IMAGE_CHANNELS;
        jpeg_write_scanlines(j, &(JSAMPROW){(JSAMPROW)row}, 1);
    }
    jpeg_finish_compress(j);
}

vta_status vt__write_jpeg(const vta_image *image, FILE *file, const char *path, vta_diag *diag) {
    writer w = {.path = path, .diag = diag, .status = VTA_OK};
    w.jpeg.err = jpeg_std_error(&w.errors);
    w.errors.error_exit = on_error;
    w.errors.emit_message = on_message;
    w.jpeg.client_data = &w;
    if (setjmp(w.where) == 0) {
        jpeg_create_compress(&w.jpeg);
        write(&w, image, file);
    }
    jpeg_destroy_compress(&w.jpeg);
    return w.status;
}
#else
vta_status vt__write_jpeg(const vta_image *image, FILE *file, const char *path, vta_diag *diag) {
    (void)image;
    (void)file;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: a JPEG picture; this library was built without libjpeg", path);
}
#endif
