/* PNG, by libpng: 8 bits of red, green and blue, whatever the file has. */
#include "image/decode.h"

#include <string.h>

bool vt__is_png(const vt_picture *p) { return p->size > 8 && memcmp(p->bytes, "\x89PNG\r\n\x1a\n", 8) == 0; }

#ifdef VT_PNG
#include <png.h>

/* One reading; errors of libpng come back to its own jump buffer. */
typedef struct reader {
    const vt_picture *p;
    size_t at;
    vta_image *image;
    vta_status status;
} reader;

static void on_error(png_structp png, png_const_charp text) {
    reader *r = png_get_error_ptr(png);
    r->status = vt_fail(r->p->diag, VTA_PARSE, "%s: the picture is damaged: %s", r->p->name, text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void give_bytes(png_structp png, png_bytep to, size_t count) {
    reader *r = png_get_io_ptr(png);
    if (count > r->p->size - r->at) png_error(png, "it ends early");
    memcpy(to, r->p->bytes + r->at, count);
    r->at += count;
}

static void as_rgb(png_structp png) {
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    png_set_gray_to_rgb(png);
}

static void read(reader *r, png_structp png, png_infop info) {
    png_set_user_limits(png, 1u << 20, 1u << 20);
    png_read_info(png, info);
    as_rgb(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    r->status = vta_image_create(png_get_image_width(png, info), png_get_image_height(png, info), NULL, r->p->allocator,
                                 r->p->diag, &r->image);
    if (r->status != VTA_OK) png_longjmp(png, 1);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < r->image->height; y++)
            png_read_row(png, r->image->pixels + (size_t)y * r->image->width * VT_IMAGE_CHANNELS, NULL);
    png_read_end(png, NULL);
}

vta_status vt__read_png(const vt_picture *p, vta_image **out_image) {
    reader r = {.p = p, .status = VTA_OK};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        return vt_no_memory(p->diag);
    }
    png_set_read_fn(png, &r, give_bytes);
    if (setjmp(png_jmpbuf(png)) == 0) read(&r, png, info);
    png_destroy_read_struct(&png, &info, NULL);
    if (r.status != VTA_OK) {
        vta_image_destroy(r.image);
        return r.status;
    }
    *out_image = r.image;
    return VTA_OK;
}
#else
vta_status vt__read_png(const vt_picture *p, vta_image **out_image) {
    (void)out_image;
    return vt_fail(p->diag, VTA_UNSUPPORTED, "%s: a PNG picture; this library was built without libpng", p->name);
}
#endif
