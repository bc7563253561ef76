/* Boxes drawn into pictures, with their names in letters of 5 x 7 points. */
#include <math.h>
#include <string.h>

#include "detect/detect.h"
#include "image/image.h"

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7, ADVANCE = 6, FIRST = ' ', LAST = '~' };

/* A byte for each column, the lowest bit at the top. */
static const uint8_t font[LAST - FIRST + 1][GLYPH_WIDTH] = {
#include "detect/font.def"
};

typedef struct colour {
    uint8_t rgb[VT_IMAGE_CHANNELS];
} colour;

static const colour black = {{0, 0, 0}}, white = {{255, 255, 255}};

static const colour colours[] = {{{230, 25, 75}},  {{60, 180, 75}},  {{255, 225, 25}}, {{0, 130, 200}},
                                 {{245, 130, 48}}, {{145, 30, 180}}, {{70, 240, 240}}, {{240, 50, 230}},
                                 {{210, 245, 60}}, {{0, 128, 128}},  {{170, 110, 40}}, {{128, 0, 0}}};

static int64_t between(int64_t x, int64_t most) { return x < 0 ? 0 : x > most ? most : x; }

/* The part of a rectangle that is in the picture; the ends are not in it. */
static void fill(vta_image *image, int64_t x0, int64_t y0, int64_t x1, int64_t y1, colour c) {
    x0 = between(x0, image->width), x1 = between(x1, image->width);
    y0 = between(y0, image->height), y1 = between(y1, image->height);
    for (int64_t y = y0; y < y1; y++)
        for (int64_t x = x0; x < x1; x++)
            memcpy(image->pixels + ((size_t)y * image->width + (size_t)x) * VT_IMAGE_CHANNELS, c.rgb, sizeof c.rgb);
}

static void frame(vta_image *image, int64_t x0, int64_t y0, int64_t x1, int64_t y1, int64_t thick, colour c) {
    fill(image, x0, y0, x1, y0 + thick, c);
    fill(image, x0, y1 - thick, x1, y1, c);
    fill(image, x0, y0, x0 + thick, y1, c);
    fill(image, x1 - thick, y0, x1, y1, c);
}

static void write(vta_image *image, int64_t x, int64_t y, int64_t scale, const char *text, colour c) {
    for (const char *at = text; *at; at++, x += ADVANCE * scale) {
        if ((*at & 0xc0) == 0x80) { /* UTF-8 goes on */
            x -= ADVANCE * scale;
            continue;
        }
        const uint8_t *glyph = font[(*at >= FIRST && *at <= LAST ? *at : '?') - FIRST];
        for (int64_t i = 0; i < GLYPH_WIDTH * GLYPH_HEIGHT; i++) {
            int64_t column = i % GLYPH_WIDTH, row = i / GLYPH_WIDTH;
            if (!(glyph[column] >> row & 1)) continue;
            fill(image, x + column * scale, y + row * scale, x + (column + 1) * scale, y + (row + 1) * scale, c);
        }
    }
}

/* How many letters a text has. */
static int64_t letters(const char *text) {
    int64_t n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

/* On the box, inside of it where there is no room above. */
static void label(vta_image *image, int64_t x, int64_t y, int64_t scale, const char *text, colour c) {
    int64_t wide = (letters(text) * ADVANCE + 1) * scale, high = (GLYPH_HEIGHT + 2) * scale;
    if (y >= high) y -= high;
    if (x + wide > image->width) x = image->width - wide;
    if (x < 0) x = 0;
    bool is_light = c.rgb[0] * 299 + c.rgb[1] * 587 + c.rgb[2] * 114 > 140 * 1000;
    fill(image, x, y, x + wide, y + high, c);
    write(image, x + scale, y + scale, scale, text, is_light ? black : white);
}

vta_status vta_box_draw(vta_image *image, const vta_box *box, const char *text, vta_diag *diag) {
    if (!image || !box) return vt_fail(diag, VTA_INVALID_ARGUMENT, "image or box is NULL");
    if (!isfinite(box->x0) || !isfinite(box->y0) || !isfinite(box->x1) || !isfinite(box->y1))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "the box has a number that is not finite");
    int64_t longer = image->width > image->height ? image->width : image->height;
    int64_t thick = 1 + longer / 400, scale = 1 + longer / 700;
    double most = VT_IMAGE_MAX;
    int64_t x0 = llrint(fmax(-most, fmin(most, box->x0))), y0 = llrint(fmax(-most, fmin(most, box->y0)));
    int64_t x1 = llrint(fmax(-most, fmin(most, box->x1))), y1 = llrint(fmax(-most, fmin(most, box->y1)));
    colour c = colours[(uint32_t)box->class_id % (sizeof colours / sizeof *colours)];
    frame(image, x0, y0, x1, y1, thick, c);
    if (text && *text) label(image, x0, y0, scale, text, c);
    return VTA_OK;
}
