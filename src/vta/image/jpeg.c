/* JPEG, by libjpeg: the pictures that PIL gives, to the bit, turned as the camera was held. */
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
    uint8_t *inks; /* a row of cyan, magenta, yellow and black */
    uint32_t orientation;
    vta_status status;
} reader;

enum { INKS = 4, MAX_MARKER = 0xffff };

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

/* Allocates what is read into. */
static void check_header(reader *r) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    for (jpeg_saved_marker_ptr m = j->marker_list; m && r->orientation == 1; m = m->next)
        r->orientation = vt__exif_orientation(m->data, m->data_length);
    bool printed = j->jpeg_color_space == JCS_CMYK || j->jpeg_color_space == JCS_YCCK;
    vta_status status = vta_image_create(j->image_width, j->image_height, NULL, r->p->allocator, r->p->diag, &r->image);
    if (status != VTA_OK) refuse(r, status);
    j->out_color_space = printed ? JCS_CMYK : JCS_RGB;
    if (printed) r->inks = vt_alloc(r->p->allocator, (size_t)j->image_width * INKS);
    if (printed && !r->inks) refuse(r, vt_no_memory(r->p->diag));
}

/* What is left of the light after ink and black; Adobe's programs store what is left, others how much ink there is. */
static void print_row(const reader *r, uint8_t *row) {
    const uint8_t *ink = r->inks, flip = r->jpeg.saw_Adobe_marker ? 0 : 0xff;
    for (uint32_t x = 0; x < r->image->width; x++, ink += INKS)
        for (int c = 0; c < VT_IMAGE_CHANNELS; c++) *row++ = (uint8_t)(((ink[c] ^ flip) * (ink[3] ^ flip) + 127) / 255);
}

static void read(reader *r) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    jpeg_mem_src(j, r->p->bytes, (unsigned long)r->p->size);
    jpeg_save_markers(j, JPEG_APP0 + 1, MAX_MARKER);
    jpeg_read_header(j, TRUE);
    check_header(r);
    jpeg_start_decompress(j);
    while (j->output_scanline < j->output_height) {
        uint8_t *row = r->image->pixels + (size_t)j->output_scanline * j->output_width * VT_IMAGE_CHANNELS;
        jpeg_read_scanlines(j, r->inks ? &r->inks : &row, 1);
        if (r->inks) print_row(r, row);
    }
    jpeg_finish_decompress(j);
}

static void turn(reader *r) {
    vta_image *turned;
    if (r->orientation == 1) return;
    vta_status status = vt__image_turn(r->image, r->orientation, r->p->diag, &turned);
    if (status != VTA_OK) refuse(r, status);
    vta_image_destroy(r->image);
    r->image = turned;
}

vta_status vt__read_jpeg(const vt_picture *p, vta_image **out_image) {
    reader r = {.p = p, .status = VTA_OK, .orientation = 1};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.errors.error_exit = on_error;
    r.errors.emit_message = on_message;
    r.jpeg.client_data = &r;
    if (setjmp(r.where) == 0) {
        jpeg_create_decompress(&r.jpeg);
        read(&r);
        turn(&r);
    }
    vt_free(p->allocator, r.inks, (size_t)r.jpeg.image_width * INKS);
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
