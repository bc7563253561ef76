/* Detectors in C: what is refused, memory that is missing at any allocation, boxes that are drawn, names, annotations.
 * The decoders' arithmetic is held by tests/python/test_detect.py. */
#include <math.h>

#include "support/check.h"
#include "vta/detect.h"

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
    if (got != status) fail_msg("status %d, not %d: %s", (int)got, (int)status, vta_diag_text(diag));
    assert_string_equal(vta_diag_text(diag), message);
    vta_diag_clear(diag);
}

/* ---- Names ---- */

TEST_CASE(names) {
    static const char *const all[] = {"yolox", "yolov5", "yolov8", "nanodet", "fastestdet", "ssd", "boxes"};
    vta_decoder d;
    vta_preprocess how = {.size = sizeof how};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(vta_decoder_find(all[i], diag, &d), VTA_OK);
        assert_string_equal(vta_decoder_name(d), all[i]);
        assert_true(*vta_decoder_text(d));
        assert_int_equal(vta_preprocess_preset(vta_decoder_preset(d), diag, &how), VTA_OK);
    }
    assert_null(vta_decoder_name(VTA_DECODER_GUESS));
    assert_null(vta_decoder_name((vta_decoder)8));
    assert_null(vta_decoder_preset((vta_decoder)-1));
    assert_int_equal(vta_decoder_find("sdd", diag, &d), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "did you mean ssd?");
    assert_int_equal(d, VTA_DECODER_GUESS);
    vta_diag_clear(diag);
    said(vta_decoder_find(NULL, diag, &d), VTA_INVALID_ARGUMENT, "error: name or out_decoder is NULL");
}

/* The numbers of the categories that anyone knows, and that each is larger than the one before. */
TEST_CASE(classes_of_coco) {
    static const struct {
        size_t index;
        const char *name;
        int64_t category;
    } some[] = {{0, "person", 1}, {2, "car", 3}, {11, "stop sign", 13}, {16, "dog", 18}, {79, "toothbrush", 90}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_string_equal(vta_coco_name(some[i].index), some[i].name);
        assert_int_equal(vta_coco_category(some[i].index), some[i].category);
    }
    for (size_t i = 1; i < 80; i++) assert_true(vta_coco_category(i) > vta_coco_category(i - 1));
    assert_null(vta_coco_name(80));
    assert_int_equal(vta_coco_category(80), 0);
}

/* ---- Refusals ---- */

static vta_status create(const vta_detector_options *o, uint32_t height, uint32_t width, int32_t ndim,
                         const int64_t *shape, vta_detector **out) {
    vta_detect_tensor t = {"found", {kDLFloat, 32, 1}, ndim, shape};
    return vta_detector_create(o, height, width, &t, 1, NULL, diag, out);
}

TEST_CASE(detectors_refused) {
    static const int64_t yolox[] = {1, 84, 9}, empty[] = {1, 0, 9}, many[] = {1, 2, 3, 4, 5, 6, 7};
    vta_detector *d;
    said(create(NULL, 64, 64, 3, yolox, NULL), VTA_INVALID_ARGUMENT, "error: out_detector is NULL");
    said(create(NULL, 0, 64, 3, yolox, &d), VTA_INVALID_ARGUMENT,
         "error: an input of 0 x 64: expected 1 to 65536 pixels each");
    assert_null(d);
    said(create(&(vta_detector_options){.score = 1.5}, 64, 64, 3, yolox, &d), VTA_INVALID_ARGUMENT,
         "error: score is 1.5 and iou 0: expected 0 to 1");
    assert_int_equal(create(&(vta_detector_options){.iou = NAN}, 64, 64, 3, yolox, &d), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    said(create(&(vta_detector_options){.decoder = (vta_decoder)8}, 64, 64, 3, yolox, &d), VTA_INVALID_ARGUMENT,
         "error: there is no decoder 8");
    said(create(NULL, 64, 64, 3, empty, &d), VTA_INVALID_ARGUMENT, "error: output 0: axis 1 has the extent 0");
    said(create(NULL, 64, 64, 7, many, &d), VTA_UNSUPPORTED, "error: output 0 has 7 axes; at most 6 are expected");
    said(create(NULL, 64, 64, -1, yolox, &d), VTA_INVALID_ARGUMENT, "error: output 0 has no shape");
    said(vta_detector_create(NULL, 64, 64, NULL, 0, NULL, diag, &d), VTA_UNSUPPORTED,
         "error: a detector has 1 to 8 outputs, this network 0");
    vta_detect_tensor bytes = {"found", {kDLUInt, 8, 1}, 3, yolox};
    said(vta_detector_create(NULL, 64, 64, &bytes, 1, NULL, diag, &d), VTA_UNSUPPORTED,
         "error: output 0 is neither float32 nor an integer of 32 or 64 bits");
    vta_detector_destroy(NULL);
    assert_int_equal(vta_detector_decoder(NULL), VTA_DECODER_GUESS);
    assert_int_equal(vta_detector_class_count(NULL), 0);
    assert_null(vta_detector_class_name(NULL, 0));
}

TEST_CASE(runs_refused) {
    static const int64_t shape[] = {1, 84, 9};
    static const float data[84 * 9];
    vta_detector *d;
    vta_boxes *boxes;
    vta_placement p = {.size = sizeof p, .width = 10, .height = 10, .scale_x = 1, .scale_y = 0};
    assert_int_equal(create(NULL, 64, 64, 3, shape, &d), VTA_OK);
    said(vta_detector_run(d, (const void *[]){data}, &p, diag, &boxes), VTA_INVALID_ARGUMENT,
         "error: placed: factors of 1 and 0; they must be more than 0");
    assert_null(boxes);
    said(vta_detector_run(d, NULL, &p, diag, &boxes), VTA_INVALID_ARGUMENT,
         "error: detector, outputs, placed or out_boxes is NULL");
    vta_detector_destroy(d);
    assert_int_equal(vta_boxes_count(NULL), 0);
    assert_null(vta_boxes_get(NULL, 0));
    vta_boxes_destroy(NULL);
}

TEST_CASE(suppression_refused) {
    vta_box b = {0, 0, 1, 1, NAN, 0};
    size_t n;
    said(vta_boxes_suppress(&b, 1, 0.5, 0, NULL, diag, &n), VTA_INVALID_ARGUMENT,
         "error: the score of box 0 is no number");
    said(vta_boxes_suppress(&b, 1, 2, 0, NULL, diag, &n), VTA_INVALID_ARGUMENT, "error: iou is 2: expected 0 to 1");
    said(vta_boxes_suppress(NULL, 1, 0.5, 0, NULL, diag, &n), VTA_INVALID_ARGUMENT,
         "error: boxes or out_count is NULL");
    assert_int_equal(vta_boxes_suppress(NULL, 0, 0.5, 0, NULL, diag, &n), VTA_OK);
    assert_int_equal(n, 0);
}

/* ---- Memory ---- */

/* Outputs with two boxes; each allocation fails once, and nothing is lost. */
TEST_CASE(without_memory) {
    static const int64_t shape[] = {1, 50, 6};
    static float rows[50 * 6] = {1, 2, 3, 4, 0.9F, 1, 5, 6, 7, 8, 0.8F, 2};
    const vta_detect_tensor t = {"found", {kDLFloat, 32, 1}, 3, shape};
    const vta_placement p = {.size = sizeof p, .width = 64, .height = 64, .scale_x = 1, .scale_y = 1};
    vta_status status = VTA_NO_MEMORY;
    size_t failures = 0;
    for (; status != VTA_OK; failures++) {
        check_allocator a;
        vta_detector *d = NULL;
        vta_boxes *boxes = NULL;
        check_allocator_init(&a, failures);
        status = vta_detector_create(NULL, 64, 64, &t, 1, &a.allocator, diag, &d);
        if (status == VTA_OK) status = vta_detector_run(d, (const void *[]){rows}, &p, diag, &boxes);
        if (status != VTA_OK) said(status, VTA_NO_MEMORY, "error: out of memory");
        if (status == VTA_OK) assert_int_equal(vta_boxes_count(boxes), 2);
        vta_boxes_destroy(boxes);
        vta_detector_destroy(d);
        assert_int_equal(a.live, 0);
    }
    assert_true(failures > 3);
}

/* The refusal of shapes is a long text. */
TEST_CASE(refusal_without_memory) {
    static const int64_t shape[] = {1, 21, 64, 64};
    const vta_detect_tensor t = {"a map", {kDLFloat, 32, 1}, 4, shape};
    for (size_t n = 0;; n++) {
        check_allocator a;
        vta_detector *d;
        check_allocator_init(&a, n);
        vta_status status = vta_detector_create(NULL, 64, 64, &t, 1, &a.allocator, diag, &d);
        assert_null(d);
        assert_int_equal(a.live, 0);
        if (status == VTA_UNSUPPORTED) break;
        said(status, VTA_NO_MEMORY, "error: out of memory");
    }
    assert_contains(vta_diag_text(diag),
                    "an input of 64 x 64 and the outputs a map [1, 21, 64, 64] are not those of a");
    assert_contains(vta_diag_text(diag), "fastestdet: 1 x (1 + 4 + classes)");
    vta_diag_clear(diag);
}

static const char annotations[] =
    "{\"images\": [{\"id\": 9, \"file_name\": \"b.jpg\"}, {\"id\": 4, \"file_name\": \"a.jpg\"}],"
    " \"categories\": [{\"id\": 7, \"name\": \"dog\"}, {\"id\": 2, \"name\": \"cat\"}],"
    " \"annotations\": [{\"image_id\": 9, \"category_id\": 7, \"bbox\": [1, 2, 30, 40.5]},"
    "                   {\"image_id\": 4, \"category_id\": 2, \"bbox\": [0, 0, 5, 5], \"iscrowd\": 1}]}";

TEST_CASE(annotations_are_read) {
    vta_status status = VTA_NO_MEMORY;
    for (size_t n = 0; status != VTA_OK; n++) {
        check_allocator a;
        vta_annotations *all;
        size_t count;
        check_allocator_init(&a, n);
        status = vta_annotations_parse(annotations, strlen(annotations), "x.json", &a.allocator, diag, &all);
        if (status == VTA_OK) {
            const vta_marked_box *b = vta_annotations_boxes(all, &count);
            assert_int_equal(vta_annotations_picture_count(all), 2);
            assert_string_equal(vta_annotations_picture(all, 0), "a.jpg");
            assert_string_equal(vta_annotations_picture(all, 1), "b.jpg");
            assert_null(vta_annotations_picture(all, 2));
            assert_string_equal(vta_annotations_category(all, 0), "cat");
            assert_int_equal(vta_annotations_category_id(all, 1), 7);
            assert_null(vta_annotations_category(all, 2));
            assert_true(count == 2 && b[0].picture == 1 && b[0].box.class_id == 1 && !b[0].crowd);
            assert_true(b[0].box.x0 == 1 && b[0].box.y0 == 2 && b[0].box.x1 == 31 && b[0].box.y1 == 42.5F);
            assert_true(b[1].picture == 0 && b[1].box.class_id == 0 && b[1].crowd);
        } else {
            said(status, VTA_NO_MEMORY, "error: out of memory");
            assert_null(all);
        }
        vta_annotations_destroy(all);
        assert_int_equal(a.live, 0);
    }
    vta_annotations *none;
    assert_int_equal(vta_annotations_load("/nonexistent.json", NULL, diag, &none), VTA_NOT_FOUND);
    assert_null(none);
    vta_diag_clear(diag);
}

TEST_CASE(evaluation_without_memory) {
    static const vta_marked_box b[2] = {{0, {0, 0, 5, 5, 1, 0}, false}, {1, {1, 1, 4, 4, 1, 0}, false}};
    vta_status status = VTA_NO_MEMORY;
    for (size_t n = 0; status != VTA_OK; n++) {
        check_allocator a;
        vta_average_precision sum = {.size = sizeof sum};
        check_allocator_init(&a, n);
        status = vta_boxes_evaluate(b, 2, b, 2, 1, &a.allocator, diag, NULL, &sum);
        if (status != VTA_OK) said(status, VTA_NO_MEMORY, "error: out of memory");
        if (status == VTA_OK) assert_true(sum.at_50 == 1 && sum.at_50_95 == 1 && sum.classes == 1);
        assert_int_equal(a.live, 0);
    }
}

/* ---- Which boxes are the same ---- */

static vta_boxes *boxes_of(size_t count, const float rows[][6]) {
    static const int64_t shapes[5][3] = {{1, 1, 6}, {1, 1, 6}, {1, 2, 6}, {1, 3, 6}, {1, 4, 6}};
    const vta_placement p = {.size = sizeof p, .width = 100, .height = 100, .scale_x = 1, .scale_y = 1};
    const vta_detector_options o = {.decoder = VTA_DECODER_BOXES};
    vta_detector *d;
    vta_boxes *boxes;
    assert_int_equal(create(&o, 100, 100, 3, shapes[count], &d), VTA_OK);
    assert_int_equal(vta_detector_run(d, (const void *[]){rows}, &p, diag, &boxes), VTA_OK);
    vta_detector_destroy(d);
    assert_int_equal(vta_boxes_count(boxes), count);
    return boxes;
}

/* The surer box takes its best one; of what is left the next one takes its best; other classes do not count. */
TEST_CASE(matching) {
    static const float a[3][6] = {{0, 0, 10, 10, 0.9F, 1}, {0, 0, 10, 8, 0.8F, 1}, {50, 50, 60, 60, 0.7F, 2}};
    static const float b[3][6] = {{0, 0, 10, 9, 0.9F, 1}, {0, 0, 10, 9, 0.8F, 1}, {50, 50, 60, 60, 0.7F, 3}};
    vta_boxes *wanted = boxes_of(3, a), *found = boxes_of(3, b);
    int64_t taken[3];
    assert_int_equal(vta_boxes_match(wanted, found, 0.5, diag, taken), VTA_OK);
    assert_true(taken[0] == 0 && taken[1] == 1 && taken[2] == -1);
    assert_int_equal(vta_boxes_match(wanted, found, 0.89, diag, taken), VTA_OK);
    assert_true(taken[0] == 0 && taken[1] == -1 && taken[2] == -1);
    said(vta_boxes_match(wanted, NULL, 0.5, diag, taken), VTA_INVALID_ARGUMENT,
         "error: wanted, found or taken is NULL");
    said(vta_boxes_match(wanted, found, -1, diag, taken), VTA_INVALID_ARGUMENT, "error: iou is -1: expected 0 to 1");
    vta_boxes_destroy(wanted);
    vta_boxes_destroy(found);
}

/* ---- Drawing ---- */

/* Where pixels of a grey picture changed, as text: '#' the frame's colour, '.' nothing, '+' another colour. */
static void drawn(uint32_t width, uint32_t height, vta_box box, const char *text, char *out) {
    uint8_t *pixels = malloc((size_t)width * height * 3);
    vta_image *image;
    assert_non_null(pixels);
    memset(pixels, 7, (size_t)width * height * 3);
    assert_int_equal(vta_image_create(width, height, pixels, NULL, diag, &image), VTA_OK);
    free(pixels);
    assert_int_equal(vta_box_draw(image, &box, text, diag), VTA_OK);
    for (uint32_t y = 0; y < height; y++, *out++ = '\n')
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *p = vta_image_pixels(image) + ((size_t)y * width + x) * 3;
            *out++ = p[0] == 7 && p[1] == 7 && p[2] == 7 ? '.' : p[0] + p[1] + p[2] == 255 * 3 ? '+' : '#';
        }
    *out = '\0';
    vta_image_destroy(image);
}

TEST_CASE(frames_and_names) {
    char text[64 * 64];
    drawn(8, 5, (vta_box){1, 1, 6.4F, 4, 1, 0}, NULL, text);
    assert_string_equal(text, "........\n.#####..\n.#...#..\n.#####..\n........\n");
    drawn(8, 5, (vta_box){-3, 1, 20, 90, 1, 0}, NULL, text); /* the part that is there */
    assert_string_equal(text, "........\n########\n........\n........\n........\n");
    /* The name on the box, in white on its colour. */
    drawn(16, 14, (vta_box){1, 10, 15, 13, 1, 0}, "Ai", text);
    assert_string_equal(text, "................\n"
                              ".#############..\n"
                              ".##+++####+###..\n"
                              ".#+###+#######..\n"
                              ".#+###+##++###..\n"
                              ".#+###+###+###..\n"
                              ".#+++++###+###..\n"
                              ".#+###+###+###..\n"
                              ".#+###+##+++##..\n"
                              ".#############..\n"
                              ".##############.\n"
                              ".#............#.\n"
                              ".##############.\n"
                              "................\n");
}

TEST_CASE(drawing_refused) {
    vta_image *image;
    vta_box b = {0, 0, NAN, 1, 1, 0};
    assert_int_equal(vta_image_create(2, 2, NULL, NULL, diag, &image), VTA_OK);
    said(vta_box_draw(image, &b, NULL, diag), VTA_INVALID_ARGUMENT, "error: the box has a number that is not finite");
    said(vta_box_draw(NULL, &b, NULL, diag), VTA_INVALID_ARGUMENT, "error: image or box is NULL");
    b = (vta_box){-3e38F, -3e38F, 3e38F, 3e38F, 1, -5};
    assert_int_equal(vta_box_draw(image, &b, "\xc3\xa4 far out of the picture", diag), VTA_OK);
    vta_image_destroy(image);
}

int main(void) { return run_cases_between(begin, end); }
