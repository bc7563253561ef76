/* One meaning in the many ways that exporters write it: models of operator sets 7 to 17 are read, quantized and
 * compiled; floats and integers agree, and the compiled network gives what the evaluator of integers says, to the bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/onnx_make.h"
#include "vta/compile.h"
#include "vta/exec.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, INT8 = ONNX__TENSOR_PROTO__DATA_TYPE__INT8, SAMPLES = 4 };

static uint64_t state_of_random;
static float uniform(void) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (float)((double)(state_of_random >> 40) / (1 << 23)) - 1;
}

/* A constant of random floats, `scale` at most. */
static void weights(making *m, const char *name, const char *shape, float scale, float shift) {
    size_t count = 1;
    for (const char *at = shape; *at; at += strcspn(at, ","), at += *at == ',') count *= strtoul(at, NULL, 10);
    float *data = make_room(count, sizeof *data);
    for (size_t i = 0; i < count; i++) data[i] = uniform() * scale + shift;
    make_constant(m, name, FLOAT, shape, data, count * sizeof *data);
}

static void conv(making *m, const char *from, const char *to, const char *shape, const char *attributes) {
    const char *names = make_text(to);
    char *w = make_room(strlen(names) + 3, 1), *inputs = make_room(strlen(from) + strlen(names) + 8, 1);
    sprintf(w, "w%s", names);
    sprintf(inputs, "%s %s", from, w);
    weights(m, w, shape, 0.3f, 0);
    make_node(m, "Conv", inputs, to, attributes);
}

/* ---- The ways -------------------------------------------------------------------------------------------------- */

static void batch_norm(making *m, int64_t opset) {
    conv(m, "x", "c", "16,8,3,3", "pads=[1,1,1,1]");
    weights(m, "scale", "16", 0.5f, 1), weights(m, "shift", "16", 0.5f, 0), weights(m, "mean", "16", 0.2f, 0);
    weights(m, "var", "16", 0.4f, 1);
    make_node(m, "BatchNormalization", "c scale shift mean var", "b", opset < 9 ? "spatial=1" : "");
    make_node(m, "Relu", "b", "y", "");
}

/* The same as a product and a sum with one number a channel. */
static void scale_and_shift(making *m, int64_t opset) {
    (void)opset;
    conv(m, "x", "c", "16,8,3,3", "pads=[1,1,1,1]");
    weights(m, "scale", "16,1,1", 0.5f, 1), weights(m, "shift", "1,16,1,1", 0.5f, 0);
    make_node(m, "Mul", "c scale", "s", "");
    make_node(m, "Add", "shift s", "b", "");
    make_node(m, "Relu", "b", "y", "");
}

/* Channels last, as TensorFlow has them, and padding by name. */
static void channels_last(making *m, int64_t opset) {
    (void)opset;
    MAKE_INTS(m, "last", "4", 1, 10, 10, 8);
    make_node(m, "Reshape", "x last", "r", "");
    make_node(m, "Transpose", "r", "t", "perm=[0,3,1,2]");
    conv(m, "t", "c", "16,8,3,3", "strides=[2,2] auto_pad:SAME_UPPER");
    make_node(m, "Relu", "c", "a", "");
    conv(m, "a", "d", "12,16,1,1", "auto_pad:VALID");
    make_node(m, "Transpose", "d", "y", "perm=[0,2,3,1]");
}

/* x.view(x.size(0), -1), as PyTorch writes it. */
static void view(making *m, int64_t opset) {
    conv(m, "x", "c", "16,8,3,3", "strides=[2,2]");
    make_node(m, "Relu", "c", "a", "");
    make_node(m, "Shape", "a", "shape", "");
    make_constant(m, "zero", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, "", (int64_t[]){0}, sizeof(int64_t));
    make_node(m, "Gather", "shape zero", "n", "axis=0");
    MAKE_INTS(m, "axis", "1", 0);
    make_node(m, "Unsqueeze", opset < 13 ? "n" : "n axis", "n1", opset < 13 ? "axes=[0]" : "");
    MAKE_INTS(m, "rest", "1", -1);
    make_node(m, "Concat", "n1 rest", "wanted", "axis=0");
    make_node(m, "Reshape", "a wanted", "f", "");
    weights(m, "wg", "10,256", 0.2f, 0);
    weights(m, "bg", "10", 0.5f, 0);
    make_node(m, "Gemm", opset < 11 ? "f wg bg" : "f wg", "y", "transB=1");
}

static void mat_mul(making *m, int64_t opset) {
    (void)opset;
    make_node(m, "GlobalAveragePool", "x", "p", "");
    make_node(m, "Flatten", "p", "f", "axis=1");
    weights(m, "w1", "8,32", 0.5f, 0), weights(m, "b1", "32", 0.5f, 0), weights(m, "w2", "32,5", 0.5f, 0);
    make_node(m, "MatMul", "f w1", "h", "");
    make_node(m, "Add", "h b1", "h1", "");
    make_node(m, "Relu", "h1", "h2", "");
    make_node(m, "MatMul", "h2 w2", "y", "");
}

/* Bounds as attributes, and as inputs. */
static void clip(making *m, int64_t opset) {
    conv(m, "x", "c", "16,8,3,3", "pads=[1,1,0,0]");
    make_constant(m, "low", FLOAT, "", (float[]){0}, sizeof(float));
    make_constant(m, "high", FLOAT, "", (float[]){1.5f}, sizeof(float));
    make_node(m, "Clip", opset < 11 ? "c" : "c low high", "a", opset < 11 ? "min=0.0 max=1.5" : "");
    conv(m, "a", "d", "16,1,3,3", "group=16 pads=[1,1,1,1]");
    make_node(m, "Clip", opset < 11 ? "d" : "d - high", "y", opset < 11 ? "max=1.5" : "");
}

/* Groups, and channels between them exchanged. */
static void shuffle(making *m, int64_t opset) {
    (void)opset;
    conv(m, "x", "c", "16,2,3,3", "group=4 pads=[1,1,1,1]");
    make_node(m, "Relu", "c", "a", "");
    MAKE_INTS(m, "five", "5", 0, 4, 4, 10, 10);
    MAKE_INTS(m, "four", "4", 0, 16, 10, 10);
    make_node(m, "Reshape", "a five", "r", "");
    make_node(m, "Transpose", "r", "t", "perm=[0,2,1,3,4]");
    make_node(m, "Reshape", "t four", "s", "");
    conv(m, "s", "y", "8,16,1,1", "");
}

/* Branches, cut with Slice or Split and joined again. */
static void branches(making *m, int64_t opset) {
    conv(m, "x", "c", "32,8,1,1", "");
    MAKE_INTS(m, "halves", "2", 16, 16);
    make_node(m, "Split", opset < 13 ? "c" : "c halves", "p q", opset < 13 ? "axis=1 split=[16,16]" : "axis=1");
    conv(m, "p", "d", "16,16,1,3", "pads=[0,1,0,1]");
    make_node(m, "Relu", "d", "e", "");
    make_node(m, "MaxPool", "q", "g", "kernel_shape=[3,3] strides=[1,1] pads=[1,1,1,1]");
    make_node(m, "Concat", "e g", "j", "axis=1");
    conv(m, "j", "y", "6,32,3,1", "dilations=[2,1] pads=[2,0,2,0]");
}

static void residual(making *m, int64_t opset) {
    conv(m, "x", "c", "8,8,3,3", "pads=[1,1,1,1]");
    make_node(m, opset < 8 ? "Add" : "Sum", "c x", "s", "");
    make_node(m, "Dropout", "s", "d", opset < 12 ? "ratio=0.5" : "");
    make_node(m, "Identity", "d", "i", "");
    make_node(m, "LeakyRelu", "i", "y", "alpha=0.125");
}

/* Twice the size, by whichever operator there is. */
static void twice(making *m, int64_t opset) {
    conv(m, "x", "c", "16,8,1,1", "");
    MAKE_FLOATS(m, "scales", "4", 1, 1, 2, 2);
    MAKE_FLOATS(m, "none", "0", 0);
    MAKE_INTS(m, "sizes", "4", 1, 16, 20, 20);
    m->tensors[m->graph.n_initializer - 2]->raw_data.len = 0;
    if (opset < 9)
        make_node(m, "Upsample", "c", "u", "mode:nearest scales=[1.,1.,2.,2.]");
    else if (opset < 10)
        make_node(m, "Upsample", "c scales", "u", "mode:nearest");
    else if (opset < 11)
        make_node(m, "Resize", "c scales", "u", "mode:nearest");
    else
        make_node(m, "Resize", opset < 13 ? "c none scales" : "c none none sizes", "u",
                  "mode:nearest coordinate_transformation_mode:asymmetric nearest_mode:floor");
    conv(m, "u", "y", "4,16,3,3", "pads=[1,1,1,1]");
}

/* Padding by itself, and a pool that rounds up. */
static void pad(making *m, int64_t opset) {
    MAKE_INTS(m, "pads", "8", 0, 0, 1, 2, 0, 0, 2, 1);
    make_node(m, "Pad", opset < 11 ? "x" : "x pads", "p", opset < 11 ? "mode:constant pads=[0,0,1,2,0,0,2,1]" : "");
    conv(m, "p", "c", "16,8,3,3", "");
    make_node(m, "MaxPool", "c", "y",
              opset < 10 ? "kernel_shape=[2,2] strides=[2,2]" : "kernel_shape=[2,2] strides=[2,2] ceil_mode=1");
}

/* Poolings that run with the convolution before them, and two that do not: not of one row, not the only reader. */
static void pooled(making *m, int64_t opset) {
    (void)opset;
    conv(m, "x", "c", "20,8,1,1", "");
    make_node(m, "Relu", "c", "a", "");
    make_node(m, "MaxPool", "a", "p", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]");
    conv(m, "p", "d", "17,20,1,1", "");
    make_node(m, "MaxPool", "d", "q", "kernel_shape=[2,2] strides=[2,2]");
    conv(m, "q", "e", "16,17,3,3", "pads=[1,1,1,1]");
    make_node(m, "MaxPool", "e", "y", "kernel_shape=[2,2] strides=[1,1]");
}

static void pooled_twice(making *m, int64_t opset) {
    (void)opset;
    conv(m, "x", "c", "16,8,1,1", "");
    make_node(m, "MaxPool", "c", "p", "kernel_shape=[2,2] strides=[2,2]");
    make_node(m, "MaxPool", "c", "q", "kernel_shape=[4,4] strides=[2,2] pads=[1,1,1,1]");
    make_node(m, "Add", "p q", "y", "");
}

/* The mean, with and without the axes it was taken over, and a softmax. */
static void mean(making *m, int64_t opset) {
    conv(m, "x", "c", "16,8,3,3", "");
    make_node(m, "Relu", "c", "a", "");
    make_node(m, "ReduceMean", "a", "r", "axes=[2,3] keepdims=1");
    MAKE_INTS(m, "axes", "2", 2, 3);
    make_node(m, "Squeeze", opset < 13 ? "r" : "r axes", "s", opset < 13 ? "axes=[2,3]" : "");
    weights(m, "wg", "16,7", 0.5f, 0), weights(m, "bg", "7", 0.5f, 0);
    make_node(m, "Gemm", "s wg bg", "g", "alpha=0.5 beta=2.0");
    make_node(m, "Softmax", "g", "y", "axis=1");
}

/* Quantized already, by pairs of QuantizeLinear and DequantizeLinear; weights by channel from operator set 13 on. */
static void pairs(making *m, int64_t opset) {
    int8_t *w = make_room(16 * 8 * 9, 1);
    for (int i = 0; i < 16 * 8 * 9; i++) w[i] = (int8_t)(uniform() * 127);
    make_constant(m, "wq", INT8, "16,8,3,3", w, 16 * 8 * 9);
    bool channels = opset >= 13;
    weights(m, "ws", channels ? "16" : "", 0.001f, 0.003f);
    make_constant(m, "wz", INT8, channels ? "16" : "", NULL, channels ? 16 : 1);
    make_constant(m, "z", INT8, "", (int8_t[]){0}, 1);
    make_constant(m, "xs", FLOAT, "", (float[]){1.0f / 127}, sizeof(float));
    make_constant(m, "ys", FLOAT, "", (float[]){3.0f / 127}, sizeof(float));
    make_node(m, "QuantizeLinear", "x xs z", "xq", "");
    make_node(m, "DequantizeLinear", "xq xs z", "xd", "");
    make_node(m, "DequantizeLinear", "wq ws wz", "wd", channels ? "axis=0" : "");
    make_node(m, "Conv", "xd wd", "c", "pads=[1,1,1,1]");
    make_node(m, "Relu", "c", "a", "");
    make_node(m, "QuantizeLinear", "a ys z", "aq", "");
    make_node(m, "DequantizeLinear", "aq ys z", "y", "");
}

static void sequences(making *m, int64_t opset) {
    (void)opset;
    MAKE_INTS(m, "flat", "3", 1, 8, 100);
    make_node(m, "Reshape", "x flat", "r", "");
    conv(m, "r", "c", "16,8,5", "pads=[2,2]");
    make_node(m, "Relu", "c", "a", "");
    make_node(m, "MaxPool", "a", "y", "kernel_shape=[2] strides=[2]");
}

/* Borders that repeat what is inside, and averages of what is inside. */
static void borders(making *m, int64_t opset) {
    MAKE_INTS(m, "pads", "8", 0, 0, 1, 2, 0, 0, 2, 1);
    const char *inputs = opset < 11 ? "x" : "x pads";
    make_node(m, "Pad", inputs, "p", opset < 11 ? "mode:reflect pads=[0,0,1,2,0,0,2,1]" : "mode:reflect");
    conv(m, "p", "c", "16,8,3,3", "");
    make_node(m, "Pad", opset < 11 ? "c" : "c pads", "e",
              opset < 11 ? "mode:edge pads=[0,0,1,2,0,0,2,1]" : "mode:edge");
    make_node(m, "AveragePool", "e", "a", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]");
    conv(m, "a", "y", "4,16,1,1", "");
}

/* Pixels to channels and back, in both orders. */
static void blocks(making *m, int64_t opset) {
    make_node(m, "SpaceToDepth", "x", "s", "blocksize=2");
    conv(m, "s", "c", "24,32,3,3", "pads=[1,1,1,1]");
    make_node(m, "DepthToSpace", "c", "d", "blocksize=2");
    conv(m, "d", "e", "8,6,1,1", "");
    make_node(m, "DepthToSpace", "e", "y", opset < 11 ? "blocksize=2" : "blocksize=2 mode:CRD");
}

/* Matrices of three axes, which stay floats: what attention is made of. */
static void attention(making *m, int64_t opset) {
    (void)opset;
    conv(m, "x", "c", "16,8,1,1", "");
    MAKE_INTS(m, "rows", "3", 1, 16, 100);
    make_node(m, "Reshape", "c rows", "r", "");
    make_node(m, "Transpose", "r", "t", "perm=[0,2,1]");
    weights(m, "wq", "16,16", 0.3f, 0), weights(m, "bq", "16", 0.3f, 0);
    make_node(m, "MatMul", "t wq", "q0", "");
    make_node(m, "Add", "q0 bq", "q", "");
    make_node(m, "MatMul", "q r", "s", "");
    make_node(m, "Softmax", "s", "a", "axis=2");
    make_node(m, "MatMul", "a t", "y", "");
}

static const struct way {
    const char *name;
    void (*make)(making *m, int64_t opset);
    int64_t first, last; /* operator sets */
} ways[] = {
    {"batch norm", batch_norm, 7, 17},
    {"scale and shift", scale_and_shift, 7, 17},
    {"channels last", channels_last, 7, 17},
    {"view", view, 7, 17},
    {"products", mat_mul, 7, 17},
    {"clip", clip, 7, 17},
    {"shuffle", shuffle, 7, 17},
    {"branches", branches, 7, 17},
    {"residual", residual, 7, 17},
    {"twice", twice, 7, 17},
    {"pad", pad, 7, 17},
    {"mean", mean, 7, 17},
    {"pairs", pairs, 10, 17},
    {"sequences", sequences, 7, 17},
    {"borders", borders, 7, 17},
    {"blocks", blocks, 7, 17},
    {"attention", attention, 7, 17},
    {"pooled", pooled, 12, 13},
    {"pooled twice", pooled_twice, 12, 13},
};

/* ---- What is done with them ------------------------------------------------------------------------------------ */

static vta_diag *diag;
static const struct way *now;
static int64_t now_opset;

static void done(vta_status status) {
    if (status != VTA_OK) fail_msg("%s, operator set %d: %s", now->name, (int)now_opset, vta_diag_text(diag));
}

static float *random_input(void) {
    float *x = make_room(8 * 10 * 10, sizeof *x);
    for (int i = 0; i < 8 * 10 * 10; i++) x[i] = uniform();
    return x;
}

/* Of two vectors: 1 where one is a multiple of the other. */
static double cosine(const float *x, const float *y, size_t count) {
    double dot = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < count; i++)
        dot += (double)(x[i] * y[i]), xx += (double)(x[i] * x[i]), yy += (double)(y[i] * y[i]);
    return dot / sqrt(xx * yy);
}

static vtac_quantized *quantize(const vtac_graph *graph) {
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    done(vtac_calibration_create(graph, NULL, diag, &calibration));
    for (int i = 0; i < SAMPLES; i++)
        done(vtac_calibration_observe(calibration, (const void *[]){random_input()}, diag));
    done(vtac_quantized_create(calibration, &(vtac_quantize_options){.method = VTAC_RANGE_MAX}, diag, &quantized));
    vtac_calibration_destroy(calibration);
    return quantized;
}

static void run_compiled(const vtac_quantized *quantized, bool processor_only, const float *x, void *out,
                         size_t bytes) {
    uint8_t *file;
    size_t size;
    vta_model *model;
    vta_instance *instance;
    const vta_device_options check = {.check = true};
    const vta_instance_options options = {.driver = "sim", .device = &check};
    const vtac_compile_options compile = {.processor_only = processor_only};
    done(vtac_quantized_compile(quantized, NULL, &compile, diag, &file, &size, NULL));
    done(vta_model_parse(file, size, "m", NULL, diag, &model));
    done(vta_instance_create(model, &options, diag, &instance));
    done(vta_instance_set_input(instance, 0, x, 8 * 10 * 10 * sizeof *x, diag));
    done(vta_instance_run(instance, diag));
    done(vta_instance_get_output(instance, 0, out, bytes, diag));
    vta_instance_destroy(instance);
    vta_model_release(model);
    vta_string_free((char *)file);
}

static void whole_way(bool on_processor_too) {
    making m;
    size_t size;
    vtac_graph *graph;
    vtac_evaluator *floats;
    vtac_graph_tensor out = {0};
    const float *x = random_input();
    make_model(&m, now_opset);
    make_input(&m, "x", FLOAT, now->make == view ? "n,8,10,10" : "1,8,10,10");
    now->make(&m, now_opset);
    make_output(&m, "y");
    uint8_t *bytes = make_bytes(&m, &size);
    done(vtac_graph_parse(bytes, size, "m", NULL, NULL, NULL, diag, &graph));
    free(bytes);
    done(vtac_evaluator_create(graph, NULL, NULL, diag, &floats));
    done(vtac_evaluator_run(floats, (const void *[]){x}, diag));
    done(vtac_graph_output(graph, 0, &out));
    vtac_quantized *quantized = quantize(graph);
    void *want = make_room(1, out.bytes), *got = make_room(1, out.bytes);
    done(vtac_quantized_run(quantized, (const void *[]){x}, (void *[]){want}, NULL, diag));
    double alike = cosine(want, vtac_evaluator_output(floats, 0), out.bytes / sizeof(float));
    if (!(alike > 0.99)) fail_msg("%s, operator set %d: cosine %g", now->name, (int)now_opset, alike);
    for (int processor = 0; processor <= on_processor_too; processor++) {
        memset(got, 0, out.bytes);
        run_compiled(quantized, processor, x, got, out.bytes);
        assert_memory_equal(got, want, out.bytes);
    }
    vtac_quantized_destroy(quantized);
    vtac_evaluator_destroy(floats);
    vtac_graph_destroy(graph);
}

static void test_ways(void **state) {
    static const int64_t opsets[] = {7, 9, 11, 13, 17}; /* where the meaning of an operator changed */
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int runs = 0;
        for (size_t k = 0; k < sizeof opsets / sizeof *opsets; k++) {
            now = &ways[i], now_opset = opsets[k];
            state_of_random = i + 1; /* the same weights for all operator sets */
            if (now_opset >= now->first && now_opset <= now->last) whole_way(runs++ == 0);
        }
        assert_true(runs > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways)};
    diag = vta_diag_create(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return failed;
}
