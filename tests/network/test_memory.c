/* The most memory that a network takes on its way to an artifact, in units of its weights as floats. */
#include <unistd.h>

#include "graph/onnx_make.h"
#include "support/check.h"
#include "vta/compile.h"

enum { CHANNELS = 768, LAYERS = 4 };
static const size_t weights = (size_t)LAYERS * CHANNELS * CHANNELS * sizeof(float);

static void add_layer(making *m, const char *input, int i) {
    static float numbers[CHANNELS * CHANNELS], ones[CHANNELS];
    char name[7][24], inputs[128];
    static const char *const parts[] = {"w%d", "scale%d", "shift%d", "mean%d", "var%d", "conv%d", "out%d"};
    for (int k = 0; k < 7; k++) snprintf(name[k], sizeof name[k], parts[k], i);
    for (int k = 0; k < CHANNELS * CHANNELS; k++) numbers[k] = (float)((k % 1021 * 7919 + i) % 255 - 127) / 2048;
    for (int k = 0; k < CHANNELS; k++) ones[k] = 1 + (float)k / CHANNELS;
    make_constant(m, name[0], ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "768,768,1,1", numbers, sizeof numbers);
    for (int k = 1; k < 5; k++)
        make_constant(m, name[k], ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "768", ones, sizeof ones);
    snprintf(inputs, sizeof inputs, "%s %s", input, name[0]);
    make_node(m, "Conv", inputs, name[5], "");
    snprintf(inputs, sizeof inputs, "%s %s %s %s %s", name[5], name[1], name[2], name[3], name[4]);
    make_node(m, "BatchNormalization", inputs, name[6], "");
}

/* A file with layers of 1 x 1, each with a batch normalization that is folded into its weights. */
static void write_model(const char *path) {
    making m;
    char input[24] = "x";
    size_t size;
    make_model(&m, 13);
    make_input(&m, "x", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "1,768,1,1");
    for (int i = 0; i < LAYERS; i++) {
        add_layer(&m, input, i);
        snprintf(input, sizeof input, "out%d", i);
    }
    make_output(&m, input);
    uint8_t *bytes = make_bytes(&m, &size);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    free(bytes);
}

/* At most `percent` of the weights were held at once since the last look. */
static void held(check_allocator *a, const char *when, size_t percent) {
    if (a->most > weights / 100 * percent)
        fail_msg("%s: %zu bytes, %zu %% of the weights", when, a->most, a->most / (weights / 100));
    a->most = a->live;
}

TEST_CASE(memory_of_a_network) {
    static float x[CHANNELS];
    char path[] = "/tmp/vta-memory-XXXXXX";
    check_allocator a;
    vtac_graph *graph;
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    uint8_t *bytes;
    size_t size;
    vta_diag *diag = vta_diag_create(NULL);
    close(mkstemp(path));
    write_model(path);
    for (int i = 0; i < CHANNELS; i++) x[i] = (float)(i % 17) / 17;
    check_allocator_init(&a, SIZE_MAX);
    assert_int_equal(vtac_graph_load(path, NULL, &a.allocator, diag, &graph), VTA_OK);
    held(&a, "reading", 210); /* the file or its weights, and weights with the normalization in them */
    assert_true(a.live < weights / 100 * 105);
    assert_int_equal(vtac_calibration_create(graph, &a.allocator, diag, &calibration), VTA_OK);
    assert_int_equal(vtac_calibration_observe(calibration, (const void *[]){x}, diag), VTA_OK);
    assert_int_equal(vtac_quantized_create(calibration, NULL, diag, &quantized), VTA_OK);
    vtac_calibration_destroy(calibration);
    held(&a, "quantizing", 140); /* with the integers */
    vtac_quantized_drop_floats(quantized, graph);
    assert_true(a.live < weights / 100 * 35);
    a.most = a.live;
    assert_int_equal(vtac_quantized_compile(quantized, NULL, NULL, diag, &bytes, &size, NULL), VTA_OK);
    held(&a, "compiling", 150); /* the integers, their tiles in a section of the file, and one schedule */
    vta_string_free((char *)bytes);
    vtac_quantized_destroy(quantized);
    vtac_graph_destroy(graph);
    assert_int_equal(a.live, 0);
    vta_diag_destroy(diag);
    unlink(path);
}

/* Without an allocator of the caller's operators are scheduled by several threads. */
static uint8_t *compile_with(const char *path, const vta_allocator *allocator, size_t *out_size) {
    static float x[CHANNELS];
    vtac_graph *graph;
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    uint8_t *bytes;
    for (int i = 0; i < CHANNELS; i++) x[i] = (float)(i % 23) / 23;
    assert_int_equal(vtac_graph_load(path, NULL, allocator, NULL, &graph), VTA_OK);
    assert_int_equal(vtac_calibration_create(graph, allocator, NULL, &calibration), VTA_OK);
    assert_int_equal(vtac_calibration_observe(calibration, (const void *[]){x}, NULL), VTA_OK);
    assert_int_equal(vtac_quantized_create(calibration, NULL, NULL, &quantized), VTA_OK);
    assert_int_equal(vtac_quantized_compile(quantized, NULL, NULL, NULL, &bytes, out_size, NULL), VTA_OK);
    vtac_calibration_destroy(calibration);
    vtac_quantized_destroy(quantized);
    vtac_graph_destroy(graph);
    return bytes;
}

TEST_CASE(the_same_from_threads) {
    char path[] = "/tmp/vta-memory-XXXXXX";
    check_allocator a;
    size_t size, alone_size;
    close(mkstemp(path));
    write_model(path);
    check_allocator_init(&a, SIZE_MAX);
    uint8_t *alone = compile_with(path, &a.allocator, &alone_size);
    for (int i = 0; i < 3; i++) {
        uint8_t *bytes = compile_with(path, NULL, &size);
        assert_int_equal(size, alone_size);
        assert_memory_equal(bytes, alone, size);
        vta_string_free((char *)bytes);
    }
    vta_string_free((char *)alone);
    assert_int_equal(a.live, 0);
    unlink(path);
}

int main(void) { return run_cases(); }
