/* Which way up a camera was held: the orientation in a JPEG's Exif data, and pictures turned by it. */
#include "image/decode.h"

#include <string.h>

enum { EXIF_HEADER = 6, TIFF_HEADER = 8, ENTRY_BYTES = 12, TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3 };

/* TIFF's numbers, in the order of bytes that it says. */
typedef struct tiff {
    const uint8_t *bytes;
    size_t size;
    bool is_big;
} tiff;

static uint32_t number(const tiff *t, size_t at, size_t bytes) {
    uint32_t n = 0;
    for (size_t i = 0; i < bytes; i++) n |= (uint32_t)t->bytes[at + i] << 8 * (t->is_big ? bytes - 1 - i : i);
    return n;
}

static bool open_tiff(const uint8_t *exif, size_t size, tiff *out) {
    if (size < EXIF_HEADER + TIFF_HEADER || memcmp(exif, "Exif\0", EXIF_HEADER) != 0) return false;
    *out = (tiff){exif + EXIF_HEADER, size - EXIF_HEADER, exif[EXIF_HEADER] == 'M'};
    return memcmp(out->bytes, out->is_big ? "MM\0*" : "II*\0", 4) == 0;
}

uint32_t vt__exif_orientation(const uint8_t *exif, size_t size) {
    tiff t;
    if (!open_tiff(exif, size, &t)) return 1;
    size_t at = number(&t, 4, 4);
    if (at > t.size - 2) return 1;
    size_t count = number(&t, at, 2);
    for (at += 2; count > 0 && t.size - at >= ENTRY_BYTES; at += ENTRY_BYTES, count--) {
        if (number(&t, at, 2) != TAG_ORIENTATION || number(&t, at + 2, 2) != TYPE_SHORT) continue;
        uint32_t orientation = number(&t, at + 8, 2);
        return orientation >= 1 && orientation <= 8 ? orientation : 1;
    }
    return 1;
}

/* By orientation: columns are counted from the right, rows from the bottom, both are exchanged. */
static const struct {
    bool right, bottom, exchange;
} ways[9] = {
    [2] = {true, false, false}, [3] = {true, true, false}, [4] = {false, true, false}, [5] = {false, false, true},
    [6] = {false, true, true},  [7] = {true, true, true},  [8] = {true, false, true}};

vta_status vt__image_turn(const vta_image *image, uint32_t orientation, vta_diag *diag, vta_image **out_image) {
    uint32_t w = image->width, h = image->height;
    bool exchange = ways[orientation].exchange;
    VT_TRY(vta_image_create(exchange ? h : w, exchange ? w : h, NULL, image->allocator, diag, out_image));
    uint8_t *to = (*out_image)->pixels;
    for (uint32_t y = 0; y < (*out_image)->height; y++)
        for (uint32_t x = 0; x < (*out_image)->width; x++, to += VT_IMAGE_CHANNELS) {
            uint32_t column = exchange ? y : x, row = exchange ? x : y;
            if (ways[orientation].right) column = w - 1 - column;
            if (ways[orientation].bottom) row = h - 1 - row;
            memcpy(to, image->pixels + ((size_t)row * w + column) * VT_IMAGE_CHANNELS, VT_IMAGE_CHANNELS);
        }
    return VTA_OK;
}
