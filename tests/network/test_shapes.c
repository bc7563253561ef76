/* The network that the project ships (examples/shapes), from its file to answers: each picture gets the name of its
 * shape, floats and integers agree, and simulators give what the evaluator of integers says, to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "vta/compile.h"
#include "vta/exec.h"
#include "vta/image.h"

#define FOLDER VT_SOURCE_DIR "/examples/shapes/"
enum {
    SIDE = 64,
    CLASSES = 10,
    PICTURES = 20,
    SAMPLES = 8,
    INPUT_BYTES = 3 * SIDE * SIDE * sizeof(float),
    CHECKSUM_AT = 24
};

static const char *const names[CLASSES] = {"ball",    "cube",    "cylinder", "cone",     "ring",
                                           "pyramid", "capsule", "cross",    "dumbbell", "plate"};

static vta_diag *diag;
static float *pictures[PICTURES];

static void done(vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
}

static float *read_picture(const char *name, int number) {
    static const vta_preprocess how = {
        .resize = SIDE, .crop = SIDE, .scale = 1.0 / 255, .mean = {0.5, 0.5, 0.5}, .std = {0.25, 0.25, 0.25}};
    char path[512];
    vta_image *image;
    float *input = malloc(INPUT_BYTES);
    snprintf(path, sizeof path, FOLDER "pictures/%s%d.png", name, number);
    done(vta_image_load(path, NULL, diag, &image));
    done(vta_preprocess_run(&how, image, 3, SIDE, SIDE, VTA_NCHW, diag, input));
    vta_image_destroy(image);
    return input;
}

static size_t best(const float *shares) {
    size_t at = 0;
    for (size_t i = 1; i < CLASSES; i++)
        if (shares[i] > shares[at]) at = i;
    return at;
}

static vtac_quantized *quantize(const vtac_graph *graph) {
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    done(vtac_calibration_create(graph, NULL, diag, &calibration));
    for (size_t i = 0; i < SAMPLES; i++)
        done(vtac_calibration_observe(calibration, (const void *[]){pictures[i]}, diag));
    done(vtac_quantized_create(calibration, NULL, diag, &quantized));
    vtac_calibration_destroy(calibration);
    return quantized;
}

/* Writes `with` over the text `what` of the plan, of the same length, and puts the checksum right. */
static void change(uint8_t *bytes, size_t size, const char *what, const char *with) {
    uint8_t *at = memmem(bytes, size, what, strlen(what));
    assert_non_null(at);
    assert_int_equal(strlen(what), strlen(with));
    memcpy(at, with, strlen(with));
    uint64_t h = vt_hash(vt_hash(size, bytes, CHECKSUM_AT), bytes + CHECKSUM_AT + 8, size - CHECKSUM_AT - 8);
    memcpy(bytes + CHECKSUM_AT, &h, sizeof h);
}

/* A plan that is whole, but whose steps call functions that were made for other arguments: no instance of it is made.
 */
static void test_foreign_code(void **state) {
    static const char *const changes[][3] = {
        {"[1, 10], \"output\"", "[10, 1], \"output\"", "the shape of its argument 2"},
        {"\"function\": \"f0_im2row\"", "\"function\":\"f2_softmax\"", "the number of axes of its argument 0"},
        {"\"function\": \"f0_im2row\"", "\"function\": \"f0_im3row\"", "f0_im3row"},
        {"1, 16], \"output\": true", "1, 16]                ", "the direction of its argument 1"},
    };
    vtac_graph *graph;
    uint8_t *bytes;
    size_t size;
    vta_model *model;
    vta_instance *instance;
    (void)state;
    done(vtac_graph_load(FOLDER "shapes.onnx", NULL, NULL, diag, &graph));
    vtac_quantized *quantized = quantize(graph);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        done(vtac_quantized_compile(quantized, NULL, NULL, diag, &bytes, &size, NULL));
        change(bytes, size, changes[i][0], changes[i][1]);
        done(vta_model_parse(bytes, size, "foreign", NULL, diag, &model));
        assert_int_not_equal(vta_instance_create(model, NULL, diag, &instance), VTA_OK);
        if (!strstr(vta_diag_text(diag), changes[i][2])) fail_msg("%s", vta_diag_text(diag));
        vta_diag_clear(diag);
        vta_model_release(model);
        vta_string_free((char *)bytes);
    }
    vtac_quantized_destroy(quantized);
    vtac_graph_destroy(graph);
}

static vta_instance *start(const vtac_quantized *quantized, const char *driver, bool processor_only) {
    const vtac_compile_options compile = {.processor_only = processor_only};
    const vta_device_options device = {.check = true};
    const vta_instance_options options = {.driver = driver, .device = &device};
    uint8_t *bytes;
    size_t size;
    vta_model *model;
    vta_instance *instance;
    done(vtac_quantized_compile(quantized, NULL, &compile, diag, &bytes, &size, NULL));
    done(vta_model_parse(bytes, size, "shapes", NULL, diag, &model));
    done(vta_instance_create(model, &options, diag, &instance));
    vta_string_free((char *)bytes);
    vta_model_release(model);
    return instance;
}

static void run(vta_instance *instance, const float *picture, float *out) {
    done(vta_instance_set_input(instance, 0, picture, INPUT_BYTES, diag));
    done(vta_instance_run(instance, diag));
    done(vta_instance_get_output(instance, 0, out, CLASSES * sizeof *out, diag));
}

static void test_shapes(void **state) {
    vtac_graph *graph;
    vtac_evaluator *floats;
    float want[CLASSES], got[CLASSES];
    (void)state;
    done(vtac_graph_load(FOLDER "shapes.onnx", NULL, NULL, diag, &graph));
    done(vtac_evaluator_create(graph, NULL, NULL, diag, &floats));
    vtac_quantized *quantized = quantize(graph);
    vta_instance *on[] = {start(quantized, "sim", false), start(quantized, "tsim", false),
                          start(quantized, "sim", true)};
    for (size_t i = 0; i < PICTURES; i++) {
        done(vtac_evaluator_run(floats, (const void *[]){pictures[i]}, diag));
        assert_int_equal(best(vtac_evaluator_output(floats, 0)), i % CLASSES);
        done(vtac_quantized_run(quantized, (const void *[]){pictures[i]}, (void *[]){want}, NULL, diag));
        assert_int_equal(best(want), i % CLASSES);
        for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
            run(on[k], pictures[i], got);
            assert_memory_equal(got, want, sizeof got);
        }
    }
    assert_true(vta_device_counters(vta_instance_device(on[0])).macs > 0);
    assert_int_equal(vta_device_counters(vta_instance_device(on[2])).macs, 0);
    for (size_t k = 0; k < sizeof on / sizeof *on; k++) vta_instance_destroy(on[k]);
    vtac_quantized_destroy(quantized);
    vtac_evaluator_destroy(floats);
    vtac_graph_destroy(graph);
}

/* What a command prints, cut where the buffer is full; its exit code is 0. */
static void says(const char *command, char *text, size_t size) {
    FILE *f = popen(command, "r");
    text[fread(text, 1, size - 1, f)] = '\0';
    while (fgetc(f) != EOF) {
    }
    assert_int_equal(pclose(f), 0);
}

/* The words of the tool, as `make run` shows them: the class first, then what it took. */
static void test_tool(void **state) {
    char text[4096];
    (void)state;
    says(VT_BINARY_DIR "/vta classify " FOLDER "shapes.onnx " FOLDER "pictures/ring1.png --calibrate " FOLDER
                       "pictures --stats 2>&1",
         text, sizeof text);
    const char *first = strchr(text, '\n'); /* of the headings */
    assert_non_null(first);
    first = strchr(first + 1, '\n');
    assert_non_null(first);
    assert_int_equal(strncmp(first + 1 + strspn(first + 1, " 0123456789."), "ring\n", 5), 0);
    assert_non_null(strstr(first, "Execution statistics:\n\tinp_load_nbytes : "));
    assert_non_null(strstr(first, " cycles of the accelerator, "));
}

/* vta compare's page, after its script ran: a bar for each layer, and the worst one chosen. */
static void test_page(void **state) {
    static char dom[1 << 20];
    const char *page = VT_BINARY_DIR "/compare.html";
    char command[2048];
    (void)state;
    snprintf(command, sizeof command,
             VT_BINARY_DIR "/vta compare " FOLDER "shapes.onnx " FOLDER "pictures/ring1.png --calibrate " FOLDER
                           "pictures --html %s 2>&1",
             page);
    says(command, dom, sizeof dom);
    assert_non_null(strstr(dom, "The accelerator gives what the integers say, to the bit."));
    if (system("command -v chromium >/dev/null 2>&1") != 0) {
        print_message("skipped: chromium is not installed (Debian package chromium)\n");
        skip();
    }
    snprintf(command, sizeof command,
             "timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-background-networking "
             "--user-data-dir=" VT_BINARY_DIR "/compare-user --virtual-time-budget=20000 --dump-dom file://%s "
             "2>/dev/null; rm -rf " VT_BINARY_DIR "/compare-user",
             page);
    says(command, dom, sizeof dom);
    unsigned layers = 0;
    char chosen[64] = "", heading[128];
    const char *body = strstr(dom, "<body data-layers=");
    assert_non_null(body);
    assert_int_equal(sscanf(body, "<body data-layers=\"%u\" data-chosen=\"%63[^\"]", &layers, chosen), 2);
    assert_in_range(layers, 10, 20);
    snprintf(heading, sizeof heading, "<h2 id=\"name\">%s</h2>", chosen);
    assert_non_null(strstr(dom, heading));
    remove(page);
}

static int setup(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    for (size_t i = 0; i < PICTURES; i++) pictures[i] = read_picture(names[i % CLASSES], (int)(i / CLASSES) + 1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (size_t i = 0; i < PICTURES; i++) free(pictures[i]);
    vta_diag_destroy(diag);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_foreign_code),
                                       cmocka_unit_test(test_tool), cmocka_unit_test(test_page)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
