/* Packing against plain loops over images, channels, rows and columns: odd sizes, both layouts, all widths of elements;
 * there and back, nothing touched behind either tensor; what is refused. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "support/check.h"
#include "support/guarded.h"
#include "vta/pack.h"

enum { CASES = 300 };

static int64_t ceil_of(int64_t x, int64_t y) { return (x + y - 1) / y; }

/* Byte `b` of element (n, c, y, x) of the image. */
static uint8_t value(int64_t n, int64_t c, int64_t y, int64_t x, uint32_t b) {
    return (uint8_t)(1 + (n * 131 + c * 31 + y * 17 + x * 7 + b * 3) % 255);
}

static void fill(const vta_pack_shape *s, uint8_t *image) {
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t y = 0; y < s->h; y++)
                for (int64_t x = 0; x < s->w; x++)
                    for (uint32_t b = 0; b < s->element_bytes; b++) {
                        int64_t at = s->layout == VTA_NCHW ? ((n * s->c + c) * s->h + y) * s->w + x
                                                           : ((n * s->h + y) * s->w + x) * s->c + c;
                        image[at * s->element_bytes + b] = value(n, c, y, x, b);
                    }
}

static void check_tiles(const vta_pack_shape *s, const uint8_t *tiles) {
    for (int64_t n = 0; n < ceil_of(s->n, s->rows) * s->rows; n++)
        for (int64_t c = 0; c < ceil_of(s->c, s->lanes) * s->lanes; c++)
            for (int64_t y = 0; y < s->h; y++)
                for (int64_t x = 0; x < s->w; x++)
                    for (uint32_t b = 0; b < s->element_bytes; b++) {
                        int64_t tile = ((n / s->rows * ceil_of(s->c, s->lanes) + c / s->lanes) * s->h + y) * s->w + x;
                        int64_t at = (tile * s->rows + n % s->rows) * s->lanes + c % s->lanes;
                        uint8_t is = tiles[at * s->element_bytes + b];
                        uint8_t should = n < s->n && c < s->c ? value(n, c, y, x, b) : 0;
                        if (is != should)
                            fail_msg("%dx%dx%dx%d in %dx%d, layout %d: (%d, %d, %d, %d) is %d, not %d", (int)s->n,
                                     (int)s->c, (int)s->h, (int)s->w, (int)s->rows, (int)s->lanes, (int)s->layout,
                                     (int)n, (int)c, (int)y, (int)x, is, should);
                    }
}

static void there_and_back(const vta_pack_shape *s) {
    size_t size = (size_t)(s->n * s->c * s->h * s->w) * s->element_bytes, bytes;
    guarded of_image = guarded_new(size, false), of_back = guarded_new(size, false);
    uint8_t *image = of_image.at, *back = of_back.at;
    fill(s, image);
    assert_int_equal(vta_pack_bytes(s, NULL, &bytes), VTA_OK);
    assert_int_equal(bytes,
                     (size_t)(ceil_of(s->n, s->rows) * s->rows * ceil_of(s->c, s->lanes) * s->lanes * s->h * s->w) *
                         s->element_bytes);
    guarded of_tiles = guarded_new(bytes, false);
    uint8_t *tiles = of_tiles.at;
    memset(tiles, 0xee, bytes);
    memset(back, 0xee, size);
    assert_int_equal(vta_pack(s, image, NULL, tiles), VTA_OK);
    check_tiles(s, tiles);
    assert_int_equal(vta_unpack(s, tiles, NULL, back), VTA_OK);
    assert_memory_equal(image, back, size);
    guarded_free(&of_image);
    guarded_free(&of_back);
    guarded_free(&of_tiles);
}

TEST_CASE(random_shapes) {
    check_random r = {.state = 77};
    for (int i = 0; i < CASES; i++) {
        vta_pack_shape s = {.size = sizeof s,
                            .n = check_between(&r, 1, 9),
                            .c = check_between(&r, 1, 50),
                            .h = check_between(&r, 1, 13),
                            .w = check_between(&r, 1, 13),
                            .rows = INT64_C(1) << check_between(&r, 0, 4),
                            .lanes = INT64_C(1) << check_between(&r, 0, 5),
                            .element_bytes = 1u << check_between(&r, 0, 2),
                            .layout = (vta_layout)check_between(&r, 0, 1)};
        if (i % 4 == 0) s.h = s.w = 1;
        if (i % 5 == 0) s.lanes = check_between(&r, 1, 40);
        there_and_back(&s);
    }
    there_and_back(&(vta_pack_shape){.n = 2, .c = 70, .h = 56, .w = 57, .rows = 1, .lanes = 16, .element_bytes = 1});
}

TEST_CASE(refusals) {
    const vta_pack_shape good = {.n = 1, .c = 1, .h = 1, .w = 1, .rows = 1, .lanes = 16, .element_bytes = 1};
    struct {
        vta_pack_shape s;
        vta_status status;
        const char *words;
    } cases[] = {{good, VTA_INVALID_ARGUMENT, "every extent must be at least 1"},
                 {good, VTA_INVALID_ARGUMENT, "elements of 3 bytes"},
                 {good, VTA_INVALID_ARGUMENT, "layout 2"},
                 {good, VTA_OUT_OF_RANGE, "more than memory can hold"}};
    uint8_t byte[16] = {0};
    size_t bytes;
    cases[0].s.w = 0;
    cases[1].s.element_bytes = 3;
    cases[2].s.layout = (vta_layout)2;
    cases[3].s.h = cases[3].s.w = INT64_MAX / 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_equal(vta_pack_bytes(&cases[i].s, diag, &bytes), cases[i].status);
        assert_non_null(strstr(vta_diag_text(diag), cases[i].words));
        assert_int_equal(vta_pack(&cases[i].s, byte, NULL, byte), cases[i].status);
        assert_int_equal(vta_unpack(&cases[i].s, byte, NULL, byte), cases[i].status);
        vta_diag_destroy(diag);
    }
    assert_int_equal(vta_pack(NULL, byte, NULL, byte), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_pack(&good, NULL, NULL, byte), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_unpack(&good, byte, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_pack_bytes(&good, NULL, NULL), VTA_INVALID_ARGUMENT);
}

int main(void) { return run_cases(); }
