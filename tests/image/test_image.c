/* Pictures: reading, resizing against sums over every pixel, preprocessing by hand. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include <jpeglib.h>

#include "image/decode.h"
#include "support/check.h"
#include "vta/image.h"

static check_allocator memory;

static uint32_t state_of_random = 7;
static uint32_t pick(uint32_t n) {
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % n;
}

static vta_image *random_image(uint32_t width, uint32_t height) {
    uint8_t *pixels = malloc((size_t)width * height * 3);
    vta_image *image;
    for (size_t i = 0; i < (size_t)width * height * 3; i++) pixels[i] = (uint8_t)pick(256);
    assert_int_equal(vta_image_create(width, height, pixels, &memory.allocator, NULL, &image), VTA_OK);
    free(pixels);
    return image;
}

/* ---- Resizing: the mean of all pixels of a line, weighted with a triangle, in double; rounded between the axes --- */

static double weight(uint32_t out, uint32_t in_size, uint32_t out_size, uint32_t in) {
    double scale = (double)in_size / out_size, wide = scale < 1 ? 1 : scale;
    double distance = fabs((in + 0.5) - (out + 0.5) * scale) / wide;
    return distance < 1 ? 1 - distance : 0;
}

static double mean(const double *line, uint32_t in_size, uint32_t out, uint32_t out_size) {
    double sum = 0, all = 0;
    for (uint32_t i = 0; i < in_size; i++) {
        sum += weight(out, in_size, out_size, i) * line[i];
        all += weight(out, in_size, out_size, i);
    }
    return sum / all;
}

static bool is_half(double x) { return fabs(x - floor(x) - 0.5) < 1e-3; }

/* Equal; but where a mean is a half it may be off by one, and by one more where a mean that goes into it is. */
static void compare_resized(uint32_t w, uint32_t h, uint32_t to_w, uint32_t to_h) {
    vta_image *image = random_image(w, h), *small;
    double line[64], columns[64][64];
    bool half[64][64];
    assert_int_equal(vta_image_resize(image, to_w, to_h, NULL, &small), VTA_OK);
    assert_int_equal(vta_image_width(small), to_w);
    assert_int_equal(vta_image_height(small), to_h);
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++) line[x] = vta_image_pixels(image)[(y * w + x) * 3 + c];
            for (uint32_t x = 0; x < to_w; x++) {
                double m = mean(line, w, x, to_w);
                columns[x][y] = floor(m + 0.5);
                half[x][y] = is_half(m);
            }
        }
        for (uint32_t x = 0; x < to_w; x++)
            for (uint32_t y = 0; y < to_h; y++) {
                double m = mean(columns[x], h, y, to_h);
                bool between = false;
                for (uint32_t k = 0; k < h; k++) between |= half[x][k] && weight(y, h, to_h, k) > 0;
                int want = (int)floor(m + 0.5), got = vta_image_pixels(small)[(y * to_w + x) * 3 + c];
                if (abs(want - got) > is_half(m) + between)
                    fail_msg("%ux%u to %ux%u: %d, should be %d", w, h, to_w, to_h, got, want);
            }
    }
    vta_image_destroy(image);
    vta_image_destroy(small);
}

TEST_CASE(test_resize) {
    for (int i = 0; i < 40; i++) compare_resized(2 + pick(62), 2 + pick(62), 1 + pick(63), 1 + pick(63));
    vta_image *image = random_image(31, 17), *same;
    assert_int_equal(vta_image_resize(image, 31, 17, NULL, &same), VTA_OK);
    assert_memory_equal(vta_image_pixels(image), vta_image_pixels(same), 31 * 17 * 3);
    vta_image_destroy(image);
    vta_image_destroy(same);
}

/* ---- Preprocessing ---- */

TEST_CASE(test_values) {
    const uint8_t pixels[] = {10, 20, 30, 40, 50, 60};
    float out[6];
    vta_image *image;
    vta_preprocess p = {.scale = 0.5, .mean = {1, 2, 3}, .std = {2, 4, 8}};
    assert_int_equal(vta_image_create(2, 1, pixels, &memory.allocator, NULL, &image), VTA_OK);
    assert_int_equal(vta_preprocess_run(&p, image, 3, 1, 2, VTA_NCHW, NULL, out), VTA_OK);
    assert_memory_equal(out, ((float[]){2, 9.5f, 2, 5.75f, 1.5f, 3.375f}), sizeof out);
    assert_int_equal(vta_preprocess_run(&p, image, 3, 1, 2, VTA_NHWC, NULL, out), VTA_OK);
    assert_memory_equal(out, ((float[]){2, 2, 1.5f, 9.5f, 5.75f, 3.375f}), sizeof out);
    p.bgr = true;
    assert_int_equal(vta_preprocess_run(&p, image, 3, 1, 2, VTA_NHWC, NULL, out), VTA_OK);
    assert_memory_equal(out, ((float[]){7, 2, 0.25f, 14.5f, 5.75f, 2.125f}), sizeof out);
    p = (vta_preprocess){0};
    assert_int_equal(vta_preprocess_run(&p, image, 1, 1, 2, VTA_NCHW, NULL, out), VTA_OK);
    assert_true(out[0] == 18 && out[1] == 48); /* 0.299 * 10 + 0.587 * 20 + 0.114 * 30 = 18.15 */
    vta_image_destroy(image);
}

/* The shorter side to 6, then the middle 4 x 4: of a picture of 12 x 6 it is columns 4 to 7 and rows 1 to 4. */
TEST_CASE(test_crop) {
    float out[3 * 4 * 4];
    vta_image *image = random_image(12, 6);
    vta_preprocess p = {.resize = 6, .crop = 4};
    assert_int_equal(vta_preprocess_run(&p, image, 3, 4, 4, VTA_NCHW, NULL, out), VTA_OK);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 4; x++)
                assert_true(out[(c * 4 + y) * 4 + x] == vta_image_pixels(image)[((y + 1) * 12 + x + 4) * 3 + c]);
    vta_image_destroy(image);
}

TEST_CASE(test_refusals) {
    float out[12];
    vta_diag *diag = vta_diag_create(NULL);
    vta_image *image = random_image(2, 2), *none;
    vta_preprocess p = {.crop = 3};
    assert_int_equal(vta_preprocess_run(&p, image, 3, 2, 2, VTA_NCHW, diag, out), VTA_OUT_OF_RANGE);
    assert_non_null(strstr(vta_diag_text(diag), "has no square of 3"));
    p = (vta_preprocess){.scale = NAN};
    assert_int_equal(vta_preprocess_run(&p, image, 3, 2, 2, VTA_NCHW, diag, out), VTA_INVALID_ARGUMENT);
    p = (vta_preprocess){0};
    assert_int_equal(vta_preprocess_run(&p, image, 2, 2, 2, VTA_NCHW, diag, out), VTA_UNSUPPORTED);
    assert_int_equal(vta_preprocess_preset("imagnet", diag, &p), VTA_NOT_FOUND);
    assert_non_null(strstr(vta_diag_text(diag), "did you mean imagenet?"));
    assert_int_equal(vta_image_decode("GIF89a", 6, "x.gif", &memory.allocator, diag, &none), VTA_UNSUPPORTED);
    assert_int_equal(vta_image_create(0, 3, NULL, NULL, diag, &none), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_image_create(1u << 20, 1u << 20, NULL, NULL, diag, &none), VTA_UNSUPPORTED);
    vta_image_destroy(image);
    vta_diag_destroy(diag);
}

/* ---- Files: pictures of 3 x 2 pixels, made with libpng and libjpeg ---- */

#include "files.h"

TEST_CASE(test_png) {
    vta_image *image;
    for (size_t i = 0; i < sizeof pngs / sizeof *pngs; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        if (vta_image_decode(pngs[i].bytes, pngs[i].size, pngs[i].name, &memory.allocator, diag, &image) != VTA_OK)
            fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(vta_image_width(image), 3);
        assert_int_equal(vta_image_height(image), 2);
        if (memcmp(vta_image_pixels(image), pngs[i].pixels, 18) != 0) fail_msg("%s: other pixels", pngs[i].name);
        vta_image_destroy(image);
        vta_diag_destroy(diag);
    }
}

/* Each beginning of a file but the whole is refused, and nothing is read beyond its end. */
static void check_cuts(const uint8_t *bytes, size_t size) {
    vta_image *image;
    for (size_t n = 0; n < size; n++) {
        uint8_t *exact = malloc(n ? n : 1);
        memcpy(exact, bytes, n);
        assert_int_equal(vta_image_decode(exact, n, "cut", &memory.allocator, NULL, &image), VTA_PARSE);
        free(exact);
    }
    assert_int_equal(vta_image_decode(bytes, size, "whole", &memory.allocator, NULL, &image), VTA_OK);
    vta_image_destroy(image);
}

TEST_CASE(test_cut) {
    static const uint8_t comment[] = {0xff, 0xfe, 0, 5, 'a', 'b', 'c', 0xff, 0xd9};
    uint8_t commented[sizeof jpeg - 2 + sizeof comment];
    for (size_t i = 0; i < sizeof pngs / sizeof *pngs; i++) check_cuts(pngs[i].bytes, pngs[i].size);
    check_cuts(jpeg, sizeof jpeg);
    memcpy(commented, jpeg, sizeof jpeg - 2); /* without its end */
    memcpy(commented + sizeof jpeg - 2, comment, sizeof comment);
    check_cuts(commented, sizeof commented); /* also behind the last pixel */
}

/* Of one grey: exact, as far as JPEG is. */
TEST_CASE(test_jpeg) {
    vta_image *image;
    assert_int_equal(vta_image_decode(jpeg, sizeof jpeg, "x.jpg", &memory.allocator, NULL, &image), VTA_OK);
    assert_int_equal(vta_image_width(image), 3);
    assert_int_equal(vta_image_height(image), 2);
    for (size_t i = 0; i < 18; i++) assert_int_equal(vta_image_pixels(image)[i], 100);
    vta_image_destroy(image);
}

static void put16(uint8_t *to, uint32_t n, bool is_big) {
    to[is_big ? 0 : 1] = (uint8_t)(n >> 8);
    to[is_big ? 1 : 0] = (uint8_t)n;
}

/* Exif data with two entries, the second of which is the orientation; 44 bytes. */
static void make_exif(uint8_t out[44], uint32_t orientation, bool is_big) {
    const size_t entry = 14 + 2 + 12;
    memset(out, 0, 44);
    memcpy(out, "Exif\0\0", 6);
    memcpy(out + 6, is_big ? "MM\0*\0\0\0\x08" : "II*\0\x08\0\0\0", 8);
    put16(out + 14, 2, is_big);
    put16(out + 14 + 2, 0x0100, is_big);
    put16(out + entry, 0x0112, is_big);
    put16(out + entry + 2, 3, is_big);
    put16(out + entry + 8, orientation, is_big);
}

/* Orientations from both orders of bytes; what is cut or says anything else is as usual. */
TEST_CASE(test_exif) {
    uint8_t exif[44];
    for (uint32_t o = 1; o <= 8; o++)
        for (int is_big = 0; is_big < 2; is_big++) {
            make_exif(exif, o, is_big);
            assert_int_equal(vt__exif_orientation(exif, sizeof exif), o);
            for (size_t n = 0; n < 40; n++) {
                uint8_t *exact = malloc(n ? n : 1);
                memcpy(exact, exif, n);
                assert_int_equal(vt__exif_orientation(exact, n), 1);
                free(exact);
            }
        }
    for (uint32_t o = 0; o < 65536; o += o == 0 ? 9 : 321) {
        make_exif(exif, o, true);
        assert_int_equal(vt__exif_orientation(exif, sizeof exif), 1);
    }
    make_exif(exif, 6, false);
    memset(exif + 10, 0xff, 4); /* a folder far outside */
    assert_int_equal(vt__exif_orientation(exif, sizeof exif), 1);
}

/* Where the corner of the stored picture, and the pixel right of it, are seen. */
TEST_CASE(test_turn) {
    static const struct {
        uint32_t x, y, x1, y1;
    } seen[] = {{0, 0, 1, 0}, {2, 0, 1, 0}, {2, 1, 1, 1}, {0, 1, 1, 1},
                {0, 0, 0, 1}, {1, 0, 1, 1}, {1, 2, 1, 1}, {0, 2, 0, 1}};
    uint8_t pixels[18];
    vta_image *image, *turned;
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)i;
    assert_int_equal(vta_image_create(3, 2, pixels, &memory.allocator, NULL, &image), VTA_OK);
    for (uint32_t o = 1; o <= 8; o++) {
        assert_int_equal(vt__image_turn(image, o, NULL, &turned), VTA_OK);
        assert_int_equal(vta_image_width(turned), o < 5 ? 3 : 2);
        assert_int_equal(vta_image_height(turned), o < 5 ? 2 : 3);
        const uint8_t *p = vta_image_pixels(turned);
        size_t width = vta_image_width(turned);
        assert_memory_equal(p + (seen[o - 1].y * width + seen[o - 1].x) * 3, pixels, 3);
        assert_memory_equal(p + (seen[o - 1].y1 * width + seen[o - 1].x1) * 3, pixels + 3, 3);
        vta_image_destroy(turned);
    }
    vta_image_destroy(image);
}

/* The grey JPEG with Exif data put behind its first marker: it is turned when it is read. */
TEST_CASE(test_turned_jpeg) {
    uint8_t file[sizeof jpeg + 48], *to = file + 2;
    vta_image *image;
    memcpy(file, jpeg, 2);
    memcpy(to, "\xff\xe1\0\x2e", 4);
    make_exif(to + 4, 6, true);
    memcpy(to + 48, jpeg + 2, sizeof jpeg - 2);
    assert_int_equal(vta_image_decode(file, sizeof file, "x.jpg", &memory.allocator, NULL, &image), VTA_OK);
    assert_int_equal(vta_image_width(image), 2);
    assert_int_equal(vta_image_height(image), 3);
    for (size_t i = 0; i < 18; i++) assert_int_equal(vta_image_pixels(image)[i], 100);
    vta_image_destroy(image);
}

/* One row of CMYK pixels; free() it. */
static uint8_t *make_cmyk(const uint8_t *inks, uint32_t width, bool adobe, size_t *out_size) {
    struct jpeg_compress_struct j = {0};
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    JSAMPROW row = (JSAMPROW)(uintptr_t)inks;
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_mem_dest(&j, &bytes, &size);
    j.image_width = width, j.image_height = 1, j.input_components = 4, j.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&j);
    jpeg_set_quality(&j, 100, TRUE);
    j.write_Adobe_marker = adobe;
    jpeg_start_compress(&j, TRUE);
    jpeg_write_scanlines(&j, &row, 1);
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    *out_size = size;
    return bytes;
}

/* Inks to light: what libjpeg compresses of four channels, as Adobe's programs and others store them. */
TEST_CASE(test_cmyk) {
    static const uint8_t inks[2][4] = {{255, 0, 0, 255}, {51, 102, 204, 128}};
    for (int adobe = 0; adobe < 2; adobe++) {
        vta_image *image;
        size_t size;
        uint8_t *file = make_cmyk(inks[0], 2, adobe, &size);
        assert_int_equal(vta_image_decode(file, size, "x.jpg", &memory.allocator, NULL, &image), VTA_OK);
        for (int i = 0; i < 6; i++) {
            int ink = inks[i / 3][i % 3], black = inks[i / 3][3];
            int want = adobe ? ink * black / 255 : (255 - ink) * (255 - black) / 255;
            assert_true(abs(vta_image_pixels(image)[i] - want) <= 4);
        }
        vta_image_destroy(image);
        free(file);
    }
}

/* Files of other formats are named. */
TEST_CASE(test_other_formats) {
    static const struct {
        const char *bytes, *words;
        size_t size;
    } files[] = {{"GIF89a", "a GIF picture", 6},
                 {"BM\0\0", "a BMP picture", 4},
                 {"RIFF....WEBPVP8 ", "a WebP picture", 16},
                 {"II*\0", "a TIFF picture", 4},
                 {"", "the file is empty", 0},
                 {"P6 1 1 255\n", "a PPM picture", 11},
                 {"plain text", "neither a JPEG nor a PNG", 10}};
    vta_image *image;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_not_equal(vta_image_decode(files[i].bytes, files[i].size, "f", &memory.allocator, diag, &image),
                             VTA_OK);
        if (!strstr(vta_diag_text(diag), files[i].words)) fail_msg("%s", vta_diag_text(diag));
        vta_diag_destroy(diag);
    }
}

static int begin(void **state) {
    (void)state;
    check_allocator_init(&memory, SIZE_MAX);
    return 0;
}

static int end(void **state) {
    (void)state;
    return memory.live != 0;
}

int main(void) { return run_cases_between(begin, end); }
