/* Pictures in memory and on their way to a network: every refusal, presets, rounding of margins, memory that is missing
 * at any allocation. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <jpeglib.h>

#include "image/decode.h"
#include "image/image.h"
#include "support/check.h"

#include "image/files.h"

static vta_diag *diag;
static vta_image *image; /* 5 x 4 pixels, byte i is i */

static int begin(void **state) {
    uint8_t pixels[60];
    (void)state;
    for (int i = 0; i < 60; i++) pixels[i] = (uint8_t)i;
    diag = vta_diag_create(NULL);
    return vta_image_create(5, 4, pixels, NULL, diag, &image) != VTA_OK;
}

static int end(void **state) {
    (void)state;
    vta_image_destroy(image);
    vta_diag_destroy(diag);
    return 0;
}

static void said(vta_status got, vta_status status, const char *message) {
    assert_int_equal(got, status);
    assert_string_equal(vta_diag_text(diag), message);
    vta_diag_clear(diag);
}

/* ---- Pictures ---- */

TEST_CASE(test_create) {
    vta_image *i = image;
    said(vta_image_create(0, 3, NULL, NULL, diag, &i), VTA_INVALID_ARGUMENT, "error: an image of 0 x 3");
    assert_null(i);
    said(vta_image_create(3, 0, NULL, NULL, diag, &i), VTA_INVALID_ARGUMENT, "error: an image of 3 x 0");
    said(vta_image_create(8193, 8192, NULL, NULL, diag, &i), VTA_UNSUPPORTED,
         "error: an image of 8193 x 8192; at most 67108864 pixels are supported");
    assert_null(i);
    assert_int_equal(vta_image_create(8192, 8192, NULL, NULL, diag, &i), VTA_OK);
    vta_image_destroy(i);
    said(vta_image_create(1, 1, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT, "error: out_image is NULL");
    assert_int_equal(vta_image_create(2, 1, NULL, NULL, diag, &i), VTA_OK);
    assert_memory_equal(vta_image_pixels(i), "\0\0\0\0\0\0", 6);
    vta_image_destroy(i);
    vta_image_destroy(NULL);
    assert_int_equal(vta_image_width(NULL), 0);
    assert_int_equal(vta_image_height(NULL), 0);
    assert_null(vta_image_pixels(NULL));
    i = image;
    said(vta_image_resize(image, 0, 1, diag, &i), VTA_INVALID_ARGUMENT, "error: an image of 0 x 1");
    assert_null(i);
    said(vta_image_resize(image, 1, 1 << 27, diag, &i), VTA_UNSUPPORTED,
         "error: an image of 1 x 134217728; at most 67108864 pixels are supported");
    said(vta_image_resize(NULL, 1, 1, diag, &i), VTA_INVALID_ARGUMENT, "error: image or out_image is NULL");
    said(vta_image_resize(image, 1, 1, diag, NULL), VTA_INVALID_ARGUMENT, "error: image or out_image is NULL");
}

/* A line of one colour is one after resizing too, from and to any length. */
TEST_CASE(test_constant) {
    for (uint32_t from = 1; from < 20; from++)
        for (uint32_t to = 1; to < 20; to++) {
            uint8_t pixels[60];
            vta_image *line, *out;
            memset(pixels, 255, sizeof pixels);
            assert_int_equal(vta_image_create(from, 1, pixels, NULL, diag, &line), VTA_OK);
            assert_int_equal(vta_image_resize(line, to, 2, diag, &out), VTA_OK);
            for (uint32_t i = 0; i < to * 6; i++) assert_int_equal(vta_image_pixels(out)[i], 255);
            vta_image_destroy(line), vta_image_destroy(out);
        }
}

/* ---- Files ---- */

/* What files of other formats begin with, and the shortest that is still known for one. */
TEST_CASE(test_formats) {
    static const struct {
        const char *bytes, *name;
        size_t size;
    } files[] = {{"GIF8", "GIF", 4},
                 {"BM", "BMP", 2},
                 {"RIFF\1\2\3\4WEBP", "WebP", 12},
                 {"II*", "TIFF", 3},
                 {"MM", "TIFF", 2},
                 {"\0\0\0\x18"
                  "ftyphe",
                  "HEIC", 10},
                 {"\0\0\0\x18"
                  "ftypavif",
                  "AVIF", 12},
                 {"P6", "PPM", 2},
                 {"P5", "PGM", 2}};
    vta_image *i = image;
    char text[128];
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(text, sizeof text, "error: a.x: a %s picture; JPEG and PNG are read: convert it", files[k].name);
        said(vta_image_decode(files[k].bytes, files[k].size, "a.x", NULL, diag, &i), VTA_UNSUPPORTED, text);
        assert_null(i);
        uint8_t *less = malloc(files[k].size);
        memcpy(less, files[k].bytes, files[k].size - 1);
        said(vta_image_decode(less, files[k].size - 1, "a.x", NULL, diag, &i), VTA_PARSE,
             "error: a.x: neither a JPEG nor a PNG picture");
        free(less);
    }
    said(vta_image_decode("", 0, "a.x", NULL, diag, &i), VTA_PARSE, "error: a.x: the file is empty");
    said(vta_image_decode("\x89PNG\r\n\x1a\n", 8, "a.x", NULL, diag, &i), VTA_PARSE,
         "error: a.x: neither a JPEG nor a PNG picture");
    said(vta_image_decode("\xff\xd8", 2, "a.x", NULL, diag, &i), VTA_PARSE,
         "error: a.x: neither a JPEG nor a PNG picture");
    said(vta_image_decode(png_0, 30, "a.png", NULL, diag, &i), VTA_PARSE,
         "error: a.png: the picture is damaged: it ends early");
    assert_null(i);
    for (int k = 0; k < 3; k++)
        said(vta_image_decode(k == 0 ? NULL : "P5", 2, k == 1 ? NULL : "a", NULL, diag, k == 2 ? NULL : &i),
             VTA_INVALID_ARGUMENT, "error: bytes, name or out_image is NULL");
}

TEST_CASE(test_load) {
    char folder[] = "/tmp/test_steps_XXXXXX", path[64], text[128];
    vta_image *i = image;
    check_allocator a;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.png", folder);
    snprintf(text, sizeof text, "error: %s: cannot open: No such file or directory", path);
    said(vta_image_load(path, NULL, diag, &i), VTA_NOT_FOUND, text);
    assert_null(i);
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(pngs[0].bytes, 1, pngs[0].size, f), pngs[0].size);
    fclose(f);
    vta_status status = VTA_NO_MEMORY;
    for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
        check_allocator_init(&a, room);
        i = image;
        status = vta_image_load(path, &a.allocator, NULL, &i);
        assert_int_equal(i == NULL, status != VTA_OK);
        if (i) assert_memory_equal(vta_image_pixels(i), pngs[0].pixels, 18);
        vta_image_destroy(i);
        assert_int_equal(a.live, 0);
    }
    assert_int_equal(status, VTA_OK);
    said(vta_image_load(NULL, NULL, diag, &i), VTA_INVALID_ARGUMENT, "error: path or out_image is NULL");
    said(vta_image_load(path, NULL, diag, NULL), VTA_INVALID_ARGUMENT, "error: path or out_image is NULL");
    unlink(path), rmdir(folder);
}

/* ---- Preprocessing ---- */

TEST_CASE(test_presets) {
    static const struct {
        const char *name;
        vta_preprocess how;
    } presets[] = {
        {"imagenet", {0, 256, 224, 1.0 / 255, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, false}},
        {"cifar10", {0, 0, 0, 1.0 / 255, {0.4914, 0.4822, 0.4465}, {0.2023, 0.1994, 0.2010}, false}},
        {"signed", {0, 0, 0, 1.0 / 127.5, {1, 1, 1}, {1, 1, 1}, false}},
        {"unit", {0, 0, 0, 1.0 / 255, {0, 0, 0}, {1, 1, 1}, false}},
        {"raw", {0, 0, 0, 1, {0, 0, 0}, {1, 1, 1}, false}},
        {"yolox", {0, 0, 0, 1, {0}, {1, 1, 1}, true, 114, VTA_FIT_CORNER, VTA_SAMPLING_LINEAR}},
        {"yolo", {0, 0, 0, 1.0 / 255, {0}, {1, 1, 1}, false, 114, VTA_FIT_CENTER, VTA_SAMPLING_LINEAR}},
        {"nanodet", {0, 0, 0, 1, {103.53, 116.28, 123.675}, {57.375, 57.12, 58.395}, true, 0, 0, VTA_SAMPLING_LINEAR}},
        {"fastestdet", {0, 0, 0, 1.0 / 255, {0}, {1, 1, 1}, true, 0, 0, VTA_SAMPLING_LINEAR}},
        {"ssd", {0, 0, 0, 1, {127, 127, 127}, {128, 128, 128}, false, 0, 0, VTA_SAMPLING_LINEAR}},
    };
    enum { PRESETS = sizeof presets / sizeof *presets };
    vta_preprocess p;
    for (size_t i = 0; i < PRESETS; i++) {
        memset(&p, 0xff, sizeof p);
        p.size = sizeof p;
        assert_string_equal(vta_preprocess_preset_name(i), presets[i].name);
        assert_true(*vta_preprocess_preset_text(i));
        assert_int_equal(vta_preprocess_preset(presets[i].name, diag, &p), VTA_OK);
        assert_true(p.size == sizeof p && p.resize == presets[i].how.resize && p.crop == presets[i].how.crop);
        assert_true(p.scale == presets[i].how.scale && p.bgr == presets[i].how.bgr);
        assert_true(p.fill == presets[i].how.fill && p.fit == presets[i].how.fit);
        assert_true(p.sampling == presets[i].how.sampling);
        assert_memory_equal(p.mean, presets[i].how.mean, sizeof p.mean);
        assert_memory_equal(p.std, presets[i].how.std, sizeof p.std);
    }
    assert_null(vta_preprocess_preset_name(PRESETS));
    assert_null(vta_preprocess_preset_text(PRESETS));
    p.size = 0; /* a caller of version 1.0, whose struct ends before `fill` */
    assert_int_equal(vta_preprocess_preset("unit", diag, &p), VTA_OK);
    assert_true(p.scale == 1.0 / 255 && p.sampling == VTA_SAMPLING_LINEAR);
    said(vta_preprocess_preset("yolox", diag, &p), VTA_UNSUPPORTED,
         "error: the preset yolox: set vta_preprocess.size to sizeof(vta_preprocess)");
    p.size = sizeof p;
    said(vta_preprocess_preset("sined", diag, &p), VTA_NOT_FOUND,
         "error: there is no preset sined; did you mean signed?");
    said(vta_preprocess_preset(NULL, diag, &p), VTA_INVALID_ARGUMENT, "error: name or out_preprocess is NULL");
    said(vta_preprocess_preset("raw", diag, NULL), VTA_INVALID_ARGUMENT, "error: name or out_preprocess is NULL");
}

static vta_status run(vta_preprocess p, uint32_t channels, uint32_t height, uint32_t width) {
    static float out[3 * 64 * 64];
    return vta_preprocess_run(&p, image, channels, height, width, VTA_NCHW, diag, out);
}

TEST_CASE(test_refusals) {
    float out[60];
    said(run((vta_preprocess){0}, 2, 4, 5), VTA_UNSUPPORTED,
         "error: a picture has 1 or 3 channels, the network's input 2");
    said(run((vta_preprocess){0}, 3, 0, 5), VTA_INVALID_ARGUMENT, "error: an input of 0 x 5");
    said(run((vta_preprocess){0}, 3, 4, 0), VTA_INVALID_ARGUMENT, "error: an input of 4 x 0");
    for (int c = 0; c < 3; c++) {
        vta_preprocess mean = {0}, std = {0};
        mean.mean[c] = NAN, std.std[c] = INFINITY;
        said(run(mean, 3, 4, 5), VTA_INVALID_ARGUMENT, "error: mean, std and scale must be finite numbers");
        said(run(std, 3, 4, 5), VTA_INVALID_ARGUMENT, "error: mean, std and scale must be finite numbers");
    }
    said(run((vta_preprocess){.crop = 5}, 3, 4, 5), VTA_OUT_OF_RANGE,
         "error: a picture of 5 x 4 has no square of 5: resize it first");
    said(run((vta_preprocess){.crop = 6}, 3, 4, 5), VTA_OUT_OF_RANGE,
         "error: a picture of 5 x 4 has no square of 6: resize it first");
    assert_int_equal(run((vta_preprocess){.crop = 4}, 3, 4, 5), VTA_OK);
    said(run((vta_preprocess){.resize = 1 << 26}, 3, 4, 5), VTA_UNSUPPORTED,
         "error: a picture of 5 x 4 resized to 67108864");
    assert_int_equal(run((vta_preprocess){.size = 3}, 3, 4, 5), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    said(vta_preprocess_run(NULL, NULL, 3, 4, 5, VTA_NCHW, diag, out), VTA_INVALID_ARGUMENT,
         "error: image or out is NULL");
    said(vta_preprocess_run(NULL, image, 3, 4, 5, VTA_NCHW, diag, NULL), VTA_INVALID_ARGUMENT,
         "error: image or out is NULL");
    assert_int_equal(vta_preprocess_run(NULL, image, 3, 4, 5, VTA_NHWC, diag, out), VTA_OK);
    for (int i = 0; i < 60; i++) assert_true(out[i] == (float)i);
}

/* A square of the middle: halves of a pixel go to the even margin. Of 5 x 4, a square of 4 begins at column 0 (half of
 * 1 is a half), one of 2 at column 2 (one and a half) and row 1, one of 3 at column 1 and row 0. */
TEST_CASE(test_margins) {
    static const struct {
        uint32_t side, left, top;
    } crops[] = {{4, 0, 0}, {3, 1, 0}, {2, 2, 1}, {1, 2, 2}};
    for (size_t k = 0; k < sizeof crops / sizeof *crops; k++) {
        uint32_t n = crops[k].side;
        float out[48];
        vta_preprocess p = {.crop = n};
        assert_int_equal(vta_preprocess_run(&p, image, 3, n, n, VTA_NHWC, diag, out), VTA_OK);
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++)
                assert_true(out[(y * n + x) * 3] == (float)(((crops[k].top + y) * 5 + crops[k].left + x) * 3));
    }
}

/* The shorter side gets the length: 5 x 4 to 10 x 8, and 4 x 5 to 8 x 10; what is left over is cut off. */
TEST_CASE(test_shorter_side) {
    vta_image *tall, *want;
    float out[3 * 80];
    assert_int_equal(vt__image_turn(image, 6, diag, &tall), VTA_OK);
    for (int turned = 0; turned < 2; turned++) {
        uint32_t width = turned ? 8 : 10, height = turned ? 10 : 8;
        vta_preprocess p = {.resize = 8};
        assert_int_equal(vta_image_resize(turned ? tall : image, width, height, diag, &want), VTA_OK);
        assert_int_equal(vta_preprocess_run(&p, turned ? tall : image, 3, height, width, VTA_NHWC, diag, out), VTA_OK);
        for (int i = 0; i < 240; i++) assert_true(out[i] == vta_image_pixels(want)[i]);
        vta_image_destroy(want);
        p.resize = 5; /* 6.25 */
        assert_int_equal(vta_image_resize(turned ? tall : image, turned ? 5 : 6, turned ? 6 : 5, diag, &want), VTA_OK);
        assert_int_equal(
            vta_preprocess_run(&p, turned ? tall : image, 3, turned ? 6 : 5, turned ? 5 : 6, VTA_NHWC, diag, out),
            VTA_OK);
        for (int i = 0; i < 90; i++) assert_true(out[i] == vta_image_pixels(want)[i]);
        vta_image_destroy(want);
    }
    vta_image_destroy(tall);
}

/* (299 r + 587 g + 114 b) / 1000, as good as 16 bits have it. */
TEST_CASE(test_grey) {
    for (uint32_t i = 0; i < 4096; i++) {
        uint8_t pixel[] = {(uint8_t)((i & 15) * 17), (uint8_t)((i >> 4 & 15) * 17), (uint8_t)((i >> 8) * 17)};
        double want = (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2]) / 1000.0;
        vta_image *one;
        float out;
        assert_int_equal(vta_image_create(1, 1, pixel, NULL, diag, &one), VTA_OK);
        assert_int_equal(vta_preprocess_run(NULL, one, 1, 1, 1, VTA_NCHW, diag, &out), VTA_OK);
        if (fabs((double)out - want) > 0.505) fail_msg("%u %u %u: %g", pixel[0], pixel[1], pixel[2], (double)out);
        vta_image_destroy(one);
    }
}

/* ---- Memory ---- */

/* A photo as printers have it: cyan, magenta, yellow and black. */
static uint8_t *inks(size_t *out_size) {
    struct jpeg_compress_struct j = {0};
    struct jpeg_error_mgr errors;
    unsigned char *file = NULL;
    unsigned long count = 0;
    uint8_t line[400] = {0};
    JSAMPROW row = line;
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_mem_dest(&j, &file, &count);
    j.image_width = 100, j.image_height = 1, j.input_components = 4, j.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&j);
    jpeg_start_compress(&j, TRUE);
    jpeg_write_scanlines(&j, &row, 1);
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    *out_size = count;
    return file;
}

/* Decodes it, makes it an input of 3 x 3. */
static vta_status whole(const void *file, size_t size, const vta_allocator *a) {
    vta_image *made = image, *turned = NULL;
    float out[27];
    vta_preprocess p = {.resize = 7, .crop = 5};
    vta_status status = vta_image_decode(file, size, "a", a, NULL, &made);
    assert_int_equal(made == NULL, status != VTA_OK);
    if (status == VTA_OK) status = vt__image_turn(made, 5, NULL, &turned);
    if (status == VTA_OK && vta_image_width(made) < 100)
        status = vta_preprocess_run(&p, turned, 3, 3, 3, VTA_NCHW, NULL, out);
    vta_image_destroy(made), vta_image_destroy(turned);
    return status;
}

TEST_CASE(test_no_memory) {
    size_t size;
    uint8_t *printed = inks(&size);
    const struct {
        const void *bytes;
        size_t size;
    } files[] = {{png_0, sizeof png_0}, {jpeg, sizeof jpeg}, {printed, size}};
    for (int i = 0; i < 3; i++) {
        vta_status status = VTA_NO_MEMORY;
        for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
            check_allocator a;
            check_allocator_init(&a, room);
            status = whole(files[i].bytes, files[i].size, &a.allocator);
            assert_int_equal(a.failed, status != VTA_OK);
            assert_int_equal(a.live, 0);
        }
        assert_int_equal(status, VTA_OK);
    }
    free(printed);
}

int main(void) { return run_cases_between(begin, end); }
