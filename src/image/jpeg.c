/* JPEG, by libjpeg: the pictures that PIL gives, to the bit. */
#include "image/decode.h"

bool vt__is_jpeg(const vt_picture *p) { return p->size > 2 && p->bytes[0] == 0xff && p->bytes[1] == 0xd8; }

#ifdef VT_JPEG
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* One reading; errors of libjpeg come back to `where`. */
typedef struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf where;
    const vt_picture *p;
    vta_image *image;
    vta_status status;
} reader;

static void on_error(j_common_ptr jpeg) {
    reader *r = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    r->status = vt_fail(r->p->diag, VTA_PARSE, "%s: the picture is damaged: %s", r->p->name, text);
    longjmp(r->where, 1);
}

/* Data that ends early is an error, not a grey rest. */
static void on_message(j_common_ptr jpeg, int level) {
    if (level < 0) on_error(jpeg);
}

static void refuse(reader *r, vta_status status) {
    r->status = status;
    longjmp(r->where, 1);
}

static void check_header(reader *r) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    if (j->jpeg_color_space == JCS_CMYK || j->jpeg_color_space == JCS_YCCK)
        refuse(r, vt_fail(r->p->diag, VTA_UNSUPPORTED, "%s: a CMYK picture", r->p->name));
    vta_status status = vta_image_create(j->image_width, j->image_height, NULL, r->p->allocator, r->p->diag, &r->image);
    if (status != VTA_OK) refuse(r, status);
}

static void read(reader *r) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    jpeg_mem_src(j, r->p->bytes, (unsigned long)r->p->size);
    jpeg_read_header(j, TRUE);
    check_header(r);
    j->out_color_space = JCS_RGB;
    jpeg_start_decompress(j);
    while (j->output_scanline < j->output_height) {
        uint8_t *row = r->image->pixels + (size_t)j->output_scanline * j->output_width * VT_IMAGE_CHANNELS;
        jpeg_read_scanlines(j, &row, 1);
    }
    jpeg_finish_decompress(j);
}

vta_status vt__read_jpeg(const vt_picture *p, vta_image **out_image) {
    reader r = {.p = p, .status = VTA_OK};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.errors.error_exit = on_error;
    r.errors.emit_message = on_message;
    r.jpeg.client_data = &r;
    if (setjmp(r.where) == 0) {
        jpeg_create_decompress(&r.jpeg);
        read(&r);
    }
    jpeg_destroy_decompress(&r.jpeg);
    if (r.status != VTA_OK) {
        vta_image_destroy(r.image);
        return r.status;
    }
    *out_image = r.image;
    return VTA_OK;
}
#else
vta_status vt__read_jpeg(const vt_picture *p, vta_image **out_image) {
    (void)out_image;
    return vt_fail(p->diag, VTA_UNSUPPORTED, "%s: a JPEG picture; this library was built without libjpeg", p->name);
}
#endif
