/* How pictures are fitted to an input, against plain formulas: where they are, what is around them, and how the pixels
 * are made; and pictures that are written and read again. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "support/check.h"
#include "vta/image.h"

static vta_diag *diag;

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    return !diag;
}

static int end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

static void said(vta_status got, vta_status status, const char *message) {
    assert_int_equal(got, status);
    assert_string_equal(vta_diag_text(diag), message);
    vta_diag_clear(diag);
}

static vta_image *random_image(check_random *r, uint32_t width, uint32_t height) {
    uint8_t *pixels = malloc((size_t)width * height * 3);
    vta_image *image;
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)width * height * 3; i++) pixels[i] = (uint8_t)check_next(r);
    assert_int_equal(vta_image_create(width, height, pixels, NULL, diag, &image), VTA_OK);
    free(pixels);
    return image;
}

static uint8_t pixel(const vta_image *image, uint32_t x, uint32_t y, uint32_t c) {
    return vta_image_pixels(image)[((size_t)y * vta_image_width(image) + x) * 3 + c];
}

/* A share of one pixel and of its neighbour in a row or a column, as real numbers. */
static double between(const vta_image *image, double x, double y, uint32_t c) {
    double left = floor(x), top = floor(y), sum = 0;
    for (int i = 0; i < 4; i++) {
        double px = left + i % 2, py = top + i / 2, share = (1 - fabs(x - px)) * (1 - fabs(y - py));
        double w = vta_image_width(image) - 1, h = vta_image_height(image) - 1;
        sum += share * pixel(image, (uint32_t)fmax(0, fmin(w, px)), (uint32_t)fmax(0, fmin(h, py)), c);
    }
    return sum;
}

/* ---- The four pixels around a point ---- */

/* Weights of 11 bits and products that are cut make at most 1 of difference to real numbers. */
TEST_CASE(linear_is_bilinear) {
    check_random r = {7};
    for (int round = 0; round < 60; round++) {
        uint32_t w = (uint32_t)check_between(&r, 1, 40), h = (uint32_t)check_between(&r, 1, 40);
        uint32_t to_w = (uint32_t)check_between(&r, 1, 40), to_h = (uint32_t)check_between(&r, 1, 40);
        vta_image *image = random_image(&r, w, h), *got;
        assert_int_equal(vta_image_resize_linear(image, to_w, to_h, diag, &got), VTA_OK);
        for (uint32_t y = 0; y < to_h; y++)
            for (uint32_t x = 0; x < to_w; x++)
                for (uint32_t c = 0; c < 3; c++) {
                    double at_x = (x + 0.5) * w / to_w - 0.5, at_y = (y + 0.5) * h / to_h - 0.5;
                    double want = between(image, at_x, at_y, c);
                    if (fabs(pixel(got, x, y, c) - want) > 1)
                        fail_msg("%u x %u to %u x %u at %u, %u: %u, not %f", w, h, to_w, to_h, x, y,
                                 pixel(got, x, y, c), want);
                }
        vta_image_destroy(got);
        vta_image_destroy(image);
    }
}

/* Values that OpenCV gives: a row of 0 and 255 at three times its width, and the mean of four pixels at half. */
TEST_CASE(linear_to_the_bit) {
    static const uint8_t row[] = {0, 0, 0, 255, 255, 255}, wide[] = {0, 0, 85, 170, 255, 255};
    static const uint8_t square[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
    vta_image *image, *got;
    assert_int_equal(vta_image_create(2, 1, row, NULL, diag, &image), VTA_OK);
    assert_int_equal(vta_image_resize_linear(image, 6, 1, diag, &got), VTA_OK);
    for (uint32_t x = 0; x < 6; x++) assert_int_equal(pixel(got, x, 0, 1), wide[x]);
    vta_image_destroy(got);
    vta_image_destroy(image);
    assert_int_equal(vta_image_create(2, 2, square, NULL, diag, &image), VTA_OK);
    assert_int_equal(vta_image_resize_linear(image, 1, 1, diag, &got), VTA_OK);
    assert_int_equal(pixel(got, 0, 0, 0), 3); /* 2.5, rounded up */
    vta_image_destroy(got);
    said(vta_image_resize_linear(image, 0, 1, diag, &got), VTA_INVALID_ARGUMENT, "error: an image of 0 x 1");
    said(vta_image_resize_linear(NULL, 1, 1, diag, &got), VTA_INVALID_ARGUMENT, "error: image or out_image is NULL");
    vta_image_destroy(image);
}

TEST_CASE(linear_without_memory) {
    check_allocator a;
    vta_status status = VTA_NO_MEMORY;
    for (size_t n = 0; status != VTA_OK; n++) {
        vta_image *image, *got = NULL;
        check_allocator_init(&a, SIZE_MAX);
        assert_int_equal(vta_image_create(5, 4, NULL, &a.allocator, diag, &image), VTA_OK);
        a.until_failure = n;
        status = vta_image_resize_linear(image, 7, 3, diag, &got);
        if (status != VTA_OK) said(status, VTA_NO_MEMORY, "error: out of memory");
        if (status != VTA_OK) assert_null(got);
        vta_image_destroy(got);
        vta_image_destroy(image);
        assert_int_equal(a.live, 0);
    }
}

/* ---- Where a picture is ---- */

/* The sizes as the repositories of YOLOX and YOLOv5 write them. */
static void expect_place(vta_fit fit, uint32_t w, uint32_t h, uint32_t to_w, uint32_t to_h, uint32_t out[4]) {
    double ratio = fmin((double)to_w / w, (double)to_h / h);
    double wide = fit == VTA_FIT_CORNER ? floor(w * ratio) : rint(w * ratio);
    double high = fit == VTA_FIT_CORNER ? floor(h * ratio) : rint(h * ratio);
    out[0] = fit == VTA_FIT_STRETCH ? to_w : (uint32_t)fmax(1, wide);
    out[1] = fit == VTA_FIT_STRETCH ? to_h : (uint32_t)fmax(1, high);
    out[2] = fit == VTA_FIT_CENTER ? (uint32_t)rint((to_w - out[0]) / 2.0 - 0.1) : 0;
    out[3] = fit == VTA_FIT_CENTER ? (uint32_t)rint((to_h - out[1]) / 2.0 - 0.1) : 0;
}

/* Every value of the input: the resized picture inside, the filling outside. */
static void check_input(const vta_preprocess *p, const vta_image *image, uint32_t to_w, uint32_t to_h) {
    uint32_t at[4];
    vta_image *resized;
    float *out = malloc((size_t)to_w * to_h * 3 * sizeof *out);
    expect_place(p->fit, vta_image_width(image), vta_image_height(image), to_w, to_h, at);
    assert_int_equal(vta_preprocess_run(p, image, 3, to_h, to_w, VTA_NHWC, diag, out), VTA_OK);
    assert_int_equal((p->sampling == VTA_SAMPLING_LINEAR ? vta_image_resize_linear
                                                         : vta_image_resize)(image, at[0], at[1], diag, &resized),
                     VTA_OK);
    for (uint32_t y = 0; y < to_h; y++)
        for (uint32_t x = 0; x < to_w; x++)
            for (uint32_t c = 0; c < 3; c++) {
                bool inside = x >= at[2] && x < at[2] + at[0] && y >= at[3] && y < at[3] + at[1];
                double value = inside ? pixel(resized, x - at[2], y - at[3], p->bgr ? 2 - c : c) : p->fill;
                float want = (float)((value * 0.5 - p->mean[c]) / p->std[c]);
                if (out[(y * to_w + x) * 3 + c] != want)
                    fail_msg("fit %d, %u x %u in %u x %u, at %u, %u: %f, not %f", (int)p->fit, vta_image_width(image),
                             vta_image_height(image), to_w, to_h, x, y, (double)out[(y * to_w + x) * 3 + c],
                             (double)want);
            }
    vta_image_destroy(resized);
    free(out);
}

TEST_CASE(pictures_are_fitted) {
    check_random r = {11};
    for (int round = 0; round < 120; round++) {
        uint32_t w = (uint32_t)check_between(&r, 1, 50), h = (uint32_t)check_between(&r, 1, 50);
        uint32_t to_w = (uint32_t)check_between(&r, 1, 50), to_h = (uint32_t)check_between(&r, 1, 50);
        vta_preprocess p = {.size = sizeof p, .scale = 0.5, .mean = {1, 2, 3}, .std = {4, 5, 6}};
        p.fit = (vta_fit)(round % 3);
        p.sampling = (vta_sampling)(round / 3 % 2);
        p.fill = (double)check_between(&r, 0, 255);
        p.bgr = round / 6 % 2;
        vta_image *image = random_image(&r, w, h);
        check_input(&p, image, to_w, to_h);
        vta_image_destroy(image);
    }
}

/* The corners of what is seen of the picture, resized and cropped or not, are where the placement says. */
TEST_CASE(placements) {
    check_random r = {13};
    for (int round = 0; round < 200; round++) {
        uint32_t w = (uint32_t)check_between(&r, 20, 90), h = (uint32_t)check_between(&r, 20, 90), at[4];
        vta_preprocess p = {.size = sizeof p, .fit = (vta_fit)(round % 3)};
        vta_placement got = {.size = sizeof got};
        assert_int_equal(vta_preprocess_place(&p, w, h, 33, 47, diag, &got), VTA_OK);
        expect_place(p.fit, w, h, 47, 33, at);
        assert_true(got.width == w && got.height == h);
        assert_true(fabs(got.left - at[2]) < 1e-9 && fabs(got.top - at[3]) < 1e-9);
        assert_true(fabs(w * got.scale_x - at[0]) < 1e-9 && fabs(h * got.scale_y - at[1]) < 1e-9);
    }
    /* 80 x 40 to 64 x 32, the middle 24 x 24 of that, to 48 x 48: twice 0.8, less twice the margins 20 and 4. */
    vta_preprocess p = {.resize = 32, .crop = 24};
    vta_placement got = {.size = sizeof got};
    assert_int_equal(vta_preprocess_place(&p, 80, 40, 48, 48, diag, &got), VTA_OK);
    assert_true(fabs(got.scale_x - 1.6) < 1e-12 && fabs(got.scale_y - 1.6) < 1e-12);
    assert_true(fabs(got.left + 40) < 1e-9 && fabs(got.top + 8) < 1e-9);
}

TEST_CASE(what_is_refused) {
    static const uint8_t pixels[12];
    float out[12];
    vta_image *image;
    vta_placement placed = {.size = sizeof placed};
    assert_int_equal(vta_image_create(2, 2, pixels, NULL, diag, &image), VTA_OK);
    vta_preprocess p = {.size = sizeof p, .fill = 256};
    said(vta_preprocess_run(&p, image, 3, 2, 2, VTA_NHWC, diag, out), VTA_INVALID_ARGUMENT,
         "error: fill is 256: expected 0 to 255");
    p.fill = NAN;
    assert_int_equal(vta_preprocess_place(&p, 2, 2, 2, 2, diag, &placed), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    p = (vta_preprocess){.size = sizeof p, .fit = (vta_fit)3};
    said(vta_preprocess_place(&p, 2, 2, 2, 2, diag, &placed), VTA_INVALID_ARGUMENT,
         "error: fit 3, sampling 0: expected values of vta_fit, vta_sampling");
    p = (vta_preprocess){.size = sizeof p, .sampling = (vta_sampling)2};
    said(vta_preprocess_place(&p, 2, 2, 2, 2, diag, &placed), VTA_INVALID_ARGUMENT,
         "error: fit 0, sampling 2: expected values of vta_fit, vta_sampling");
    said(vta_preprocess_place(NULL, 0, 2, 2, 2, diag, &placed), VTA_INVALID_ARGUMENT, "error: an image of 0 x 2");
    said(vta_preprocess_place(NULL, 2, 2, 0, 2, diag, &placed), VTA_INVALID_ARGUMENT, "error: an input of 0 x 2");
    said(vta_preprocess_place(NULL, 2, 2, 2, 2, diag, NULL), VTA_INVALID_ARGUMENT, "error: out_placement is NULL");
    vta_image_destroy(image);
}

/* ---- Files ---- */

TEST_CASE(pictures_are_saved) {
    char folder[] = "/tmp/vta_save_XXXXXX", path[64];
    check_random r = {17};
    assert_non_null(mkdtemp(folder));
    for (int round = 0; round < 8; round++) {
        uint32_t w = (uint32_t)check_between(&r, 1, 30), h = (uint32_t)check_between(&r, 1, 30);
        vta_image *image = random_image(&r, w, h), *got;
        snprintf(path, sizeof path, "%s/a.PNG", folder);
        assert_int_equal(vta_image_save(image, path, diag), VTA_OK);
        assert_int_equal(vta_image_load(path, NULL, diag, &got), VTA_OK);
        assert_true(vta_image_width(got) == w && vta_image_height(got) == h);
        assert_memory_equal(vta_image_pixels(got), vta_image_pixels(image), (size_t)w * h * 3);
        vta_image_destroy(got);
        vta_image_destroy(image);
        unlink(path);
    }
    uint8_t grey[16 * 16 * 3];
    vta_image *image, *got;
    for (int i = 0; i < 16 * 16 * 3; i++) grey[i] = (uint8_t)(i / 3);
    assert_int_equal(vta_image_create(16, 16, grey, NULL, diag, &image), VTA_OK);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/a.%s", folder, k ? "jpeg" : "jpg");
        assert_int_equal(vta_image_save(image, path, diag), VTA_OK);
        assert_int_equal(vta_image_load(path, NULL, diag, &got), VTA_OK);
        for (int i = 0; i < 16 * 16 * 3; i++) assert_true(abs(vta_image_pixels(got)[i] - grey[i]) <= 6);
        vta_image_destroy(got);
        unlink(path);
    }
    rmdir(folder);
    assert_int_equal(vta_image_save(image, "/nonexistent/a.png", diag), VTA_IO);
    vta_diag_clear(diag);
    assert_int_equal(vta_image_save(image, "/dev/full/a.png", diag), VTA_IO);
    vta_diag_clear(diag);
    said(vta_image_save(image, "a.gif", diag), VTA_UNSUPPORTED,
         "error: a.gif: pictures are written as .png, .jpg or .jpeg");
    said(vta_image_save(image, ".png", diag), VTA_UNSUPPORTED,
         "error: .png: pictures are written as .png, .jpg or .jpeg");
    said(vta_image_save(NULL, "a.png", diag), VTA_INVALID_ARGUMENT, "error: image or path is NULL");
    vta_image_destroy(image);
}

int main(void) { return run_cases_between(begin, end); }
