/* Operators that the host computes, one or two a model, in random shapes and with random attributes: what the
 * compiled model gives is what the evaluator of floats gives, which shares no code with it. */
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

enum {
    FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT,
    INT64 = ONNX__TENSOR_PROTO__DATA_TYPE__INT64,
    INT32 = ONNX__TENSOR_PROTO__DATA_TYPE__INT32,
    INT8 = ONNX__TENSOR_PROTO__DATA_TYPE__INT8,
    UINT8 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8,
    OPSET = 16,
    ROUNDS = 10
};

static vta_diag *diag;
static making m;
static uint64_t state_of_random;
static const char *now;
static double step; /* those of the integers that a model says, together; 0: it says none */
static const double TOLERANCE = 0.08;

static int64_t pick(int64_t least, int64_t most) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((state_of_random >> 33) % (uint64_t)(most - least + 1));
}
static bool one_in(int n) { return pick(1, n) == 1; }
static const char *one_of(const char *const *words, size_t count) { return words[pick(0, (int64_t)count - 1)]; }
#define ONE_OF(...) one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

/* ---- Shapes and tensors ---------------------------------------------------------------------------------------- */

typedef struct shape {
    size_t rank;
    int64_t dim[8];
} shape;

static shape random_shape(size_t rank, int64_t most) {
    shape s = {.rank = rank};
    for (size_t i = 0; i < rank; i++) s.dim[i] = pick(1, most);
    return s;
}

static size_t count_of(shape s) {
    size_t n = 1;
    for (size_t i = 0; i < s.rank; i++) n *= (size_t)s.dim[i];
    return n;
}

static const char *text_of(const int64_t *dim, size_t count) {
    char *text = make_room(count + 1, 24), *at = text;
    for (size_t i = 0; i < count; i++) at += sprintf(at, i ? ",%lld" : "%lld", (long long)dim[i]);
    return text;
}

static float *random_floats(size_t count) {
    float *x = make_room(count + 1, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = (float)pick(-1000, 1000) / 500;
    return x;
}

static shape input_shape[4];
static size_t inputs;

static void input(const char *name, shape s) {
    make_input(&m, name, FLOAT, text_of(s.dim, s.rank));
    input_shape[inputs++] = s;
}
static void constant(const char *name, shape s) {
    make_constant(&m, name, FLOAT, text_of(s.dim, s.rank), random_floats(count_of(s)), count_of(s) * sizeof(float));
}
/* An operand that is one or the other. */
static void operand(const char *name, shape s) {
    if (one_in(2))
        input(name, s);
    else
        constant(name, s);
}
static void node(const char *op, const char *from, const char *attributes) { make_node(&m, op, from, "y", attributes); }

static const char *format(const char *f, ...) {
    char *text = make_room(400, 1);
    va_list args;
    va_start(args, f);
    vsnprintf(text, 400, f, args);
    va_end(args);
    return text;
}

/* ---- Operators ------------------------------------------------------------------------------------------------- */

/* Batch axes that broadcast: any of an operand's may be 1, and the first ones missing. */
static shape part_of(shape whole, int64_t rows, int64_t columns) {
    shape s = {0};
    size_t skip = (size_t)pick(0, (int64_t)whole.rank);
    for (size_t i = skip; i < whole.rank; i++) s.dim[s.rank++] = one_in(3) ? 1 : whole.dim[i];
    s.dim[s.rank++] = rows;
    s.dim[s.rank++] = columns;
    return s;
}

static void mat_mul(void) {
    shape batch = random_shape((size_t)pick(0, 3), 3);
    int64_t rows = pick(1, 7), depth = pick(1, 20), columns = pick(1, 18);
    shape a = part_of(batch, rows, depth), b = part_of(batch, depth, columns);
    if (one_in(8))
        a = (shape){1, {depth}};
    else if (one_in(8))
        b = (shape){1, {depth}};
    input("a", a);
    operand("b", b);
    if (a.rank > 1 && b.rank > 1 && one_in(2)) { /* a row, as linear layers add it */
        constant("c", (shape){1, {columns}});
        make_node(&m, "MatMul", "a b", "p", "");
        node("Add", one_in(2) ? "p c" : "c p", "");
    } else {
        node("MatMul", "a b", "");
    }
}

static void gemm(void) {
    int64_t rows = pick(1, 6), depth = pick(1, 20), columns = pick(2, 18);
    bool ta = one_in(2), tb = one_in(2);
    input("a", ta ? (shape){2, {depth, rows}} : (shape){2, {rows, depth}});
    operand("b", tb ? (shape){2, {columns, depth}} : (shape){2, {depth, columns}});
    const shape third[] = {{1, {columns}}, {2, {rows, columns}}, {2, {rows, 1}}, {1, {1}}, {2, {1, columns}}, {0, {0}}};
    bool has = !one_in(4);
    if (has) operand("c", third[pick(0, 5)]);
    node("Gemm", has ? "a b c" : "a b",
         format("transA=%d transB=%d alpha=%s beta=%s", ta, tb, ONE_OF("1.0", "0.5", "-2.0"),
                ONE_OF("1.0", "1.5", "-1.0")));
}

static void softmax(void) {
    shape s = random_shape((size_t)pick(1, 4), 9);
    input("x", s);
    node(ONE_OF("Softmax", "LogSoftmax"), "x", format("axis=%d", (int)pick(-(int64_t)s.rank, (int64_t)s.rank - 1)));
}

static void batch_norm(void) {
    shape s = random_shape((size_t)pick(2, 5), 5), c = {1, {s.dim[1]}};
    float *var = random_floats((size_t)s.dim[1]);
    for (int64_t i = 0; i < s.dim[1]; i++) var[i] = fabsf(var[i]) + 0.5f;
    input("x", s);
    constant("scale", c), constant("shift", c), constant("mean", c);
    make_constant(&m, "var", FLOAT, text_of(c.dim, 1), var, (size_t)s.dim[1] * sizeof *var);
    make_node(&m, "Tanh", "x", "t", "");
    node("BatchNormalization", "t scale shift mean var", "");
}

static void resize(void) {
    bool image = one_in(2);
    shape s = {image ? 4 : 3, {pick(1, 2), pick(1, 3), pick(1, 9), pick(1, 9)}};
    const char *how = ONE_OF("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric");
    const char *mode = ONE_OF("linear", "nearest"),
               *round = ONE_OF("round_prefer_floor", "round_prefer_ceil", "floor", "ceil");
    float scales[4] = {1, 1};
    int64_t sizes[4] = {s.dim[0], s.dim[1], pick(1, 20), pick(1, 20)};
    for (size_t i = 2; i < s.rank; i++)
        scales[i] = one_in(2) ? (float)pick(1, 3) : (float)pick(20, 120) / 40 + (s.dim[i] == 1);
    input("x", s);
    make_constant(&m, "none", FLOAT, "0", NULL, 0);
    make_constant(&m, "scales", FLOAT, image ? "4" : "3", scales, s.rank * sizeof *scales);
    make_constant(&m, "sizes", INT64, image ? "4" : "3", sizes, s.rank * sizeof *sizes);
    node("Resize", one_in(2) ? "x none scales" : "x none none sizes",
         format("mode:%s coordinate_transformation_mode:%s nearest_mode:%s", mode, how, round));
}

static void gather(void) {
    shape s = random_shape((size_t)pick(1, 4), 6), table = random_shape((size_t)pick(0, 2), 4);
    int64_t axis = pick(0, (int64_t)s.rank - 1), *indices = make_room(count_of(table), sizeof *indices);
    for (size_t i = 0; i < count_of(table); i++) indices[i] = pick(-s.dim[axis], s.dim[axis] - 1);
    input("x", s);
    make_constant(&m, "table", INT64, text_of(table.dim, table.rank), indices, count_of(table) * sizeof *indices);
    node("Gather", "x table", format("axis=%d", (int)axis));
}

/* Two comparisons, joined, say which of two operands is taken. */
static void where(void) {
    shape s = random_shape((size_t)pick(1, 4), 7), part = s;
    for (size_t i = 0; i < s.rank; i++)
        if (one_in(3)) part.dim[i] = 1;
    input("x", s);
    operand("z", part);
    make_node(&m, ONE_OF("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"), "x z", "p", "");
    constant("half", (shape){0, {0}});
    make_node(&m, ONE_OF("Less", "Greater"), "half x", "q", "");
    make_node(&m, ONE_OF("And", "Or", "Xor"), "p q", "r", "");
    make_node(&m, "Not", "r", "n", "");
    if (one_in(3)) { /* truth values moved, too */
        make_node(&m, "Concat", "n r n", "j", "axis=-1");
        node("Cast", "j", "to=1");
    } else
        node("Where", ONE_OF("n x z", "n z half"), "");
}

/* Weights that are inputs; kernels, steps, groups and borders of all kinds. */
static void conv(void) {
    bool transposed = one_in(2), image = one_in(2);
    int64_t groups = pick(1, 3), in = pick(1, 3) * groups, out = pick(1, 3), taps[2], strides[2], pads[4], dilations[2];
    shape x = {image ? 4 : 3, {pick(1, 2), in, pick(7, 10), pick(7, 10)}};
    shape w = {x.rank, {transposed ? in : out * groups, transposed ? out : in / groups}};
    for (size_t i = 0; i < 2; i++) {
        w.dim[2 + i] = taps[i] = pick(1, 3);
        strides[i] = pick(1, 3), dilations[i] = pick(1, 2);
    }
    for (size_t i = 0; i < 4; i++) pads[i] = transposed ? 0 : pick(0, 2);
    input("x", x);
    operand("w", w);
    bool bias = one_in(2);
    if (bias) operand("b", (shape){1, {out * groups}});
    size_t axes = x.rank - 2;
    node(transposed ? "ConvTranspose" : "Conv", bias ? "x w b" : "x w",
         format("group=%d strides=[%s] pads=[%s] dilations=[%s] kernel_shape=[%s]", (int)groups, text_of(strides, axes),
                text_of(pads, 2 * axes), text_of(dilations, axes), text_of(taps, axes)));
}

static void average(void) {
    bool image = one_in(2);
    shape x = {image ? 4 : 3, {pick(1, 2), pick(1, 3), pick(5, 9), pick(5, 9)}};
    size_t axes = x.rank - 2;
    int64_t taps[2] = {pick(2, 3), pick(2, 3)}, strides[2] = {pick(1, 3), pick(1, 3)};
    int64_t pads[4] = {pick(0, 1), pick(0, 1), pick(0, 1), pick(0, 1)};
    input("x", x);
    make_node(&m, "Tanh", "x", "t", "");
    node("AveragePool", "t",
         format("kernel_shape=[%s] strides=[%s] pads=[%s] count_include_pad=%d", text_of(taps, axes),
                text_of(strides, axes), text_of(pads, 2 * axes), (int)pick(0, 1)));
}

/* Parts on the host between two convolutions on the accelerator. */
static void between(void) {
    shape x = {4, {1, pick(1, 3), pick(4, 8), pick(4, 8)}};
    int64_t channels = pick(1, 20);
    input("x", x);
    constant("w", (shape){4, {channels, x.dim[1], 3, 3}}), constant("v", (shape){4, {5, channels, 1, 1}});
    make_node(&m, "Conv", "x w", "c", "pads=[1,1,1,1]");
    make_node(&m, "Relu", "c", "r", "");
    if (one_in(2))
        make_node(&m, "LRN", "r", "p", format("size=%d alpha=0.01", (int)pick(1, 7)));
    else
        make_node(&m, ONE_OF("ReduceL1", "ReduceL2"), "r", "p", "axes=[1] keepdims=1");
    if (one_in(2))
        node("Add", "r p", "");
    else
        node("Conv", m.nodes[2]->op_type[0] == 'L' ? "p v" : "r v", "");
}

/* One function of an element, where it is defined. All of them take turns. */
static const char *function(const char *from, const char *to) {
    static const char *const all[] = {"HardSwish", "Elu",  "Softplus",    "Erf",       "Log",    "Reciprocal",
                                      "Floor",     "Ceil", "Round",       "Abs",       "Neg",    "Exp",
                                      "Sqrt",      "Tanh", "HardSigmoid", "LeakyRelu", "Sigmoid"};
    static size_t turn;
    const char *op = all[turn++ % (sizeof all / sizeof *all)], *attributes = "";
    bool positive = !strcmp(op, "Log") || !strcmp(op, "Sqrt") || !strcmp(op, "Reciprocal");
    if (!strcmp(op, "Elu") || !strcmp(op, "LeakyRelu")) attributes = ONE_OF("alpha=0.75", "alpha=0.1");
    if (!strcmp(op, "HardSigmoid")) attributes = ONE_OF("alpha=0.3 beta=0.4", "");
    make_node(&m, positive ? "Exp" : "Tanh", from, format("%s_in", to), "");
    make_node(&m, op, format("%s_in", to), to, attributes);
    return to;
}

static void functions(void) {
    input("x", random_shape((size_t)pick(1, 4), 6));
    function(function("x", "p"), "y");
}

/* Over some of the axes, which stay as 1 or go. */
static void reduction(void) {
    shape s = random_shape((size_t)pick(1, 4), 5);
    const char *op = ONE_OF("ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare");
    int64_t axes[4];
    size_t count = 0;
    for (int64_t i = 0; i < (int64_t)s.rank; i++)
        if (one_in(2)) axes[count++] = one_in(2) ? i : i - (int64_t)s.rank;
    input("x", s);
    make_node(&m, "Tanh", "x", "t", "");
    node(op, "t", count ? format("axes=[%s] keepdims=%d", text_of(axes, count), (int)pick(0, 1)) : "keepdims=1");
}

/* ---- Integers that the model brings along ---- */

/* The step of integers from -127 to 127 for what the model has 256 of, the zero where it likes. */
static void set_step(double scale_of_model) { step += 2 * scale_of_model; }

static void scale(const char *name, float x) {
    float *kept = make_room(1, sizeof *kept);
    *kept = x;
    make_constant(&m, name, FLOAT, "", kept, sizeof *kept);
}

/* NAME, with NAME_s and NAME_z, one number or `channels` of them: integers of 8 bits, with or without a sign, whose
 * zero is where it is for most, or not far from there. */
static void weights(const char *name, shape s, int64_t channels) {
    bool bytes = one_in(2), aside = one_in(2);
    size_t count = count_of(s);
    int8_t *of = make_room(count, 1), *zeros = make_room((size_t)channels, 1);
    float *scales = make_room((size_t)channels, sizeof *scales);
    for (size_t i = 0; i < count; i++) of[i] = (int8_t)(pick(-127, 127) + (bytes ? 128 : 0));
    for (int64_t i = 0; i < channels; i++) scales[i] = (float)pick(20, 100) / 10000;
    for (int64_t i = 0; i < channels; i++) zeros[i] = (int8_t)((aside ? pick(-40, 40) : 0) + (bytes ? 128 : 0));
    const char *each = channels == 1 ? "" : format("%d", (int)channels);
    make_constant(&m, name, bytes ? UINT8 : INT8, text_of(s.dim, s.rank), of, count);
    make_constant(&m, format("%s_s", name), FLOAT, each, scales, (size_t)channels * sizeof *scales);
    make_constant(&m, format("%s_z", name), bytes ? UINT8 : INT8, each, zeros, (size_t)channels);
}

/* The zero point `name`: in the middle, or such that integers stand for no number below zero, or for few above it. */
static bool zero_point(const char *name) {
    bool bytes = one_in(2);
    int z = one_in(2) ? 128 : one_in(2) ? 0 : (int)pick(0, 255);
    int8_t *of = make_room(1, 1);
    *of = (int8_t)(bytes ? z : z - 128);
    make_constant(&m, name, bytes ? UINT8 : INT8, "", of, 1);
    return z == 128;
}

/* What may follow an image of integers without leaving them. */
static const char *moved_integers(const char *from, int64_t channels) {
    const char *op = ONE_OF("", "MaxPool", "Concat", "QLinearConv");
    if (!*op) return from;
    if (!strcmp(op, "Concat"))
        make_node(&m, op, format("%s %s", from, from), "mq", "axis=3");
    else if (!strcmp(op, "QLinearConv"))
        weights("v", (shape){4, {channels, channels, 1, 1}}, 1),
            make_node(&m, op, format("%s y_s z v v_s v_z y_s z", from), "mq", "");
    else
        make_node(&m, op, from, "mq", !strcmp(op, "MaxPool") ? "kernel_shape=[2,2]" : "");
    return "mq";
}

static void of_integers(void) {
    bool conv = one_in(2), each = one_in(2);
    int64_t in = pick(1, 20), out = pick(2, 20), taps = conv ? pick(1, 3) : 1;
    shape x = conv ? (shape){4, {1, in, pick(4, 8), pick(4, 8)}} : (shape){2, {pick(1, 6), in}};
    shape w = conv ? (shape){4, {out, in, taps, taps}} : (shape){2, {in, out}};
    float x_scale = 2.0f / 127, y_scale = (float)pick(2, 10) / 10 * sqrtf((float)(in * taps * taps)) / 127;
    bool middle = zero_point("z");
    set_step(y_scale);
    scale("x_s", x_scale), scale("y_s", y_scale), scale("mean_s", middle ? y_scale / 8 : y_scale);
    weights("w", w, each ? out : 1);
    int32_t *bias = make_room((size_t)out, sizeof *bias);
    for (int64_t i = 0; i < out; i++) bias[i] = (int32_t)pick(-5000, 5000);
    make_constant(&m, "b", INT32, format("%d", (int)out), bias, (size_t)out * sizeof *bias);
    input("x", x);
    make_node(&m, "QuantizeLinear", "x x_s z", "xq", "");
    if (conv)
        make_node(&m, "QLinearConv", one_in(2) ? "xq x_s z w w_s w_z y_s z b" : "xq x_s z w w_s w_z y_s z", "yq",
                  one_in(2) ? "pads=[1,1,1,1]" : "");
    else
        make_node(&m, "QLinearMatMul", "xq x_s z w w_s w_z y_s z", "yq", "");
    const char *q = conv ? moved_integers("yq", out) : "yq";
    const char *more = conv ? ONE_OF("", "QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearAveragePool")
                            : ONE_OF("", "QLinearLeakyRelu", "QLinearSigmoid");
    bool mean = !strcmp(more, "QLinearGlobalAveragePool");
    if (*more)
        make_node(&m, format("com.microsoft.%s", more), format("%s y_s z %s z", q, mean ? "mean_s" : "y_s"), "aq",
                  !strcmp(more, "QLinearAveragePool") ? "kernel_shape=[2,2]"
                  : !strcmp(more, "QLinearLeakyRelu") ? "alpha=0.25"
                                                      : "");
    node("DequantizeLinear", mean ? "aq mean_s z" : format("%s y_s z", *more ? "aq" : q), "");
}

/* `from` quantized and dequantized, for numbers up to about `most`. */
static const char *pair(const char *from, float most) {
    static int pairs;
    const char *name = format("p%d", pairs++), *s = format("%s_s", name), *z = format("%s_z", name);
    zero_point(z);
    scale(s, most / 127);
    set_step(most / 127);
    make_node(&m, "QuantizeLinear", format("%s %s %s", from, s, z), format("%s_q", name), "");
    make_node(&m, "DequantizeLinear", format("%s_q %s %s", name, s, z), name, "");
    if (one_in(3)) { /* exporters write one for each reader */
        make_node(&m, "DequantizeLinear", format("%s_q %s %s", name, s, z), format("%s_too", name), "");
        make_node(&m, "Add", format("%s %s_too", name, name), format("%s_sum", name), "");
        return format("%s_sum", name);
    }
    return name;
}

/* What may follow a pair before the next product. */
static const char *moved(const char *y) {
    const char *op = ONE_OF("", "MaxPool", "AveragePool", "Concat", "Add");
    if (!*op) return y;
    if (!strcmp(op, "Concat") || !strcmp(op, "Add")) {
        make_node(&m, "Conv", "x u", "e", "");
        make_node(&m, op, format("%s %s", y, pair("e", 3)), "moved", *op == 'C' ? "axis=2" : "");
    } else {
        make_node(&m, op, y, "moved", "kernel_shape=[2,2]");
    }
    return one_in(2) ? pair("moved", 2) : "moved";
}

/* A product between pairs, behind an activation or without one: the pair may stand for it. */
static void pairs(void) {
    int64_t in = pick(1, 20), out = pick(2, 20), more = pick(2, 9);
    input("x", (shape){4, {1, in, pick(4, 9), pick(4, 9)}});
    constant("w", (shape){4, {out, in, 3, 3}}), constant("u", (shape){4, {out, in, 1, 1}});
    constant("v", (shape){4, {more, out, 1, 1}});
    scale("low", -0.5f), scale("high", 1.5f);
    make_node(&m, "Conv", format("%s w", pair("x", 1)), "c", "pads=[1,1,1,1]");
    const char *f = ONE_OF("", "Relu", "LeakyRelu", "Clip", "Sigmoid");
    if (*f) make_node(&m, f, !strcmp(f, "Clip") ? "c low high" : "c", "a", !strcmp(f, "LeakyRelu") ? "alpha=0.25" : "");
    const char *y = moved(pair(*f ? "a" : "c", (float)pick(1, 4)));
    if (one_in(2))
        make_node(&m, "Conv", format("%s v", y), "d", "");
    else
        make_node(&m, "Relu", y, "d", "");
    make_node(&m, "Identity", pair("d", (float)pick(1, 4)), "y", "");
}

/* A constant as large as what it is added to, behind a product and behind nothing. */
static void large_constant(void) {
    int64_t rows = pick(2, 5), columns = pick(2, 17), depth = pick(2, 17);
    bool product = one_in(2);
    input("x", (shape){2, {rows, product ? depth : columns}});
    constant("w", (shape){2, {depth, columns}});
    constant("c", (shape){2, {rows, columns}});
    make_node(&m, product ? "MatMul" : "Relu", product ? "x w" : "x", "p", "");
    node("Add", one_in(2) ? "p c" : "c p", "");
}

static const struct way {
    const char *name;
    void (*make)(void);
} ways[] = {
    {"MatMul", mat_mul},      {"Gemm", gemm},
    {"Softmax", softmax},     {"BatchNormalization", batch_norm},
    {"Resize", resize},       {"Gather", gather},
    {"Where", where},         {"Conv", conv},
    {"AveragePool", average}, {"constant", large_constant},
    {"LRN", between},         {"functions", functions},
    {"reduction", reduction}, {"of integers", of_integers},
    {"pairs", pairs},
};

/* ---- What is done with them ------------------------------------------------------------------------------------ */

static void done(vta_status status) {
    if (status != VTA_OK) fail_msg("%s: %s", now, vta_diag_text(diag));
}

static const void **random_inputs(void) {
    const void **x = make_room(inputs, sizeof *x);
    for (size_t i = 0; i < inputs; i++) x[i] = random_floats(count_of(input_shape[i]));
    return x;
}

static void run_compiled(const vtac_quantized *quantized, const void *const *x, void *out, size_t bytes) {
    uint8_t *file;
    size_t size;
    vta_model *model;
    vta_instance *instance;
    const vta_instance_options options = {.driver = "sim"};
    done(vtac_quantized_compile(quantized, NULL, NULL, diag, &file, &size, NULL));
    done(vta_model_parse(file, size, "m", NULL, diag, &model));
    done(vta_instance_create(model, &options, diag, &instance));
    for (size_t i = 0; i < inputs; i++)
        done(vta_instance_set_input(instance, (uint32_t)i, x[i], count_of(input_shape[i]) * sizeof(float), diag));
    done(vta_instance_run(instance, diag));
    done(vta_instance_get_output(instance, 0, out, bytes, diag));
    vta_instance_destroy(instance);
    vta_model_release(model);
    vta_string_free((char *)file);
}

/* How far two vectors are apart, as a share of the length of the second one, whose elements have the steps more. */
static double apart(const float *x, const float *y, size_t count) {
    double off = 0, all = 1e-6 + (double)count * step * step / TOLERANCE / TOLERANCE;
    for (size_t i = 0; i < count; i++) {
        double d = (double)x[i] - (double)y[i];
        off += d * d, all += (double)y[i] * (double)y[i];
    }
    return sqrt(off / all);
}

/* Does the accelerator compute a part of it, with integers of 8 bits? */
static bool is_rounded(const vtac_quantized *q) { return strstr(vtac_quantized_text(q), "int8"); }

static void whole_way(const struct way *way) {
    size_t size;
    vtac_graph *graph;
    vtac_evaluator *floats;
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    vtac_graph_tensor out = {0};
    now = way->name, inputs = 0, step = 0;
    make_model(&m, OPSET);
    way->make();
    make_output(&m, "y");
    const void **x = random_inputs();
    uint8_t *bytes = make_bytes(&m, &size);
    done(vtac_graph_parse(bytes, size, "m", NULL, NULL, NULL, diag, &graph));
    free(bytes);
    done(vtac_evaluator_create(graph, NULL, NULL, diag, &floats));
    done(vtac_evaluator_run(floats, x, diag));
    done(vtac_graph_output(graph, 0, &out));
    done(vtac_calibration_create(graph, NULL, diag, &calibration));
    done(vtac_calibration_observe(calibration, x, diag));
    done(vtac_quantized_create(calibration, &(vtac_quantize_options){.method = VTAC_RANGE_MAX}, diag, &quantized));
    float *got = make_room(1, out.bytes + 4);
    run_compiled(quantized, x, got, out.bytes);
    double most = is_rounded(quantized) ? TOLERANCE : 1e-5;
    double off = apart(got, vtac_evaluator_output(floats, 0), out.bytes / sizeof *got);
    if (!(off <= most)) fail_msg("off by %g in\n%s", off, vtac_graph_print(graph));
    vtac_quantized_destroy(quantized);
    vtac_calibration_destroy(calibration);
    vtac_evaluator_destroy(floats);
    vtac_graph_destroy(graph);
}

static void test_ways(void **state) {
    (void)state;
    const char *count = getenv("VTA_TEST_CASES");
    int rounds = count ? atoi(count) : ROUNDS;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int k = 0; k < rounds; k++) {
            state_of_random = i * 1000 + (uint64_t)k;
            whole_way(&ways[i]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways)};
    diag = vta_diag_create(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return failed;
}
