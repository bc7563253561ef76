/* The layers of small graphs as text, derived by hand; which nodes stay on floats; memory that is missing. */
#include "graph/build.h"

#include <math.h>

#include "frontend/quant/eval.h"
#include "frontend/quant/priv.h"
#include "frontend/quant/quant.h"
#include "support/check.h"

static const vt_quant_options usual = {
    .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = -1};

/* Constants of ones. */
static vt_gvalue *ones(world *w, const char *name, vt_gtype t) {
    size_t count = (size_t)vt_gtype_count(&t);
    float *data = VT_NEW_ARRAY(&w->ctx, float, count + 1);
    for (size_t i = 0; i < count; i++) data[i] = 1;
    return vt_graph_constant(w->g, name, t, data);
}

static vt_gvalue *input(world *w, vt_gtype t) { return vt_graph_input(w->g, "x", t); }

/* The input behind a pool of single pixels: integers, as layers compute them. */
static vt_gvalue *pixels(world *w, vt_gtype t) {
    return vt_graph_apply(
        w->g, VT_G_MAX_POOL, "p", input(w, t), NULL,
        ATTRIBUTES(INTS(KERNEL, 1, 1), INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
}

static vt_gvalue *add(world *w, vt_gop op, uint32_t input_count, vt_gvalue *const *inputs, uint32_t attribute_count,
                      const vt_gattr *attributes) {
    vt_gnode_spec spec = {op, "y", NULL, input_count, attribute_count, inputs, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}
/* The layers of the graph whose only output is y; every value ranges to 127: an integer stands for itself. */
static const vt_qnet *quantized(world *w, vt_gvalue *y, const vt_quant_options *options) {
    vt_graph_output(w->g, y, "y");
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    for (uint32_t i = 0; i < w->g->values.count; i++) vt_ranges_set(ranges, w->g->values.item[i], 127);
    return vt_quantize(w->g, ranges, options);
}

static void becomes(world *w, vt_gvalue *y, const char *text) {
    assert_same_text("layers", vt_qnet_text(quantized(w, y, &usual)), text);
}

/* ---- Texts ---- */

#define LISTS(s0, s1, t, l, b, r, d0, d1) INTS(STRIDES, s0, s1), INTS(PADS, t, l, b, r), INTS(DILATIONS, d0, d1)

/* Weights of 1 are 64 with a shift of 6; with one of 7 they would be 128, which is too large. */
static void conv(world *w) {
    vt_gvalue *in[] = {input(w, TYPE(F32, 1, 4, 7, 9)), ones(w, "w", TYPE(F32, 6, 2, 2, 3))};
    becomes(w, add(w, VT_G_CONV, 2, in, ATTRIBUTES(LISTS(1, 2, 1, 0, 3, 2, 4, 3), VT_GSET_INT(GROUP, 2))),
            "x: int8[1,4,7,9] * 1 = quantize(x)\n"
            "y: int8[1,6,7,3] * 1 = conv(x) kernel=2,3 strides=1,2 dilations=4,3 pads=1,0,3,2 group=2 "
            "weight=int8[6,2,2,3]; bias; shift 6; max -128; min 127\n"
            "y: float32[1,6,7,3] = dequantize(y)\n");
}

/* Of one row: the axis of images of one row is the second of a window. */
static void row(world *w) {
    vt_gvalue *in[] = {input(w, TYPE(F32, 1, 1, 9)), ones(w, "w", TYPE(F32, 1, 1, 3))};
    becomes(
        w, add(w, VT_G_CONV, 2, in, ATTRIBUTES(INTS(STRIDES, 2), INTS(PADS, 1, 2), INTS(DILATIONS, 3))),
        "x: int8[1,1,9] * 1 = quantize(x)\n"
        "y: int8[1,1,3] * 1 = conv(x) kernel=1,3 strides=1,2 dilations=1,3 pads=0,1,0,2 weight=int8[1,1,1,3]; bias; "
        "shift 6; max -128; min 127\n"
        "y: float32[1,1,3] = dequantize(y)\n");
}

static void conv_transpose(world *w) {
    vt_gvalue *in[] = {input(w, TYPE(F32, 1, 2, 3, 4)), ones(w, "w", TYPE(F32, 2, 5, 2, 3)),
                       ones(w, "b", TYPE(F32, 5))};
    becomes(w, add(w, VT_G_CONV_TRANSPOSE, 3, in, ATTRIBUTES(LISTS(2, 1, 0, 1, 0, 0, 1, 1), INTS(OUTPUT_PADS, 1, 0))),
            "x: int8[1,2,3,4] * 1 = quantize(x)\n"
            "y: int8[1,5,7,5] * 1 = conv_transpose(x) kernel=2,3 strides=2,1 pads=0,1,0,0 weight=int8[5,2,2,3]; bias; "
            "shift 6; max -128; min 127\n"
            "y: float32[1,5,7,5] = dequantize(y)\n");
}

static void dense(world *w) {
    vt_gvalue *in[] = {input(w, TYPE(F32, 1, 3)), ones(w, "w", TYPE(F32, 3, 2))};
    becomes(w, vt_graph_apply(w->g, VT_G_RELU, "r", add(w, VT_G_MAT_MUL, 2, in, 0, NULL), NULL, 0, NULL),
            "x: int8[1,3] * 1 = quantize(x)\n"
            "r: int8[1,2] * 1 = dense(x) weight=int8[2,3]; bias; shift 6; max 0; min 127\n"
            "r: float32[1,2] = dequantize(r)\n");
}

static void max_pool(world *w) {
    vt_gvalue *x = input(w, TYPE(F32, 1, 2, 7, 9));
    becomes(w, add(w, VT_G_MAX_POOL, 1, &x, ATTRIBUTES(INTS(KERNEL, 2, 3), LISTS(1, 2, 1, 0, 2, 3, 3, 2))),
            "x: int8[1,2,7,9] * 1 = quantize(x)\n"
            "y: int8[1,2,7,4] * 1 = max_pool(x) kernel=2,3 strides=1,2 dilations=3,2 pads=1,0,2,3\n"
            "y: float32[1,2,7,4] = dequantize(y)\n");
}

/* A mean of 6: m / 2^n that is not more than a sixth: 85 / 512, and the scale that makes it exact: 512 / (85 * 6). */
static void average_pool(world *w) {
    vt_gvalue *x = pixels(w, TYPE(F32, 1, 2, 4, 6));
    becomes(w, add(w, VT_G_AVERAGE_POOL, 1, &x, ATTRIBUTES(INTS(KERNEL, 2, 3), LISTS(2, 3, 0, 0, 0, 0, 1, 1))),
            "x: int8[1,2,4,6] * 1 = quantize(x)\n"
            "p: int8[1,2,4,6] * 1 = max_pool(x) kernel=1,1 strides=1,1\n"
            "y: int8[1,2,2,2] * 1.00392 = sum_pool(p) kernel=2,3 strides=2,3; multiply 85; add 256; shift 9; max -128; "
            "min 127\n"
            "y: float32[1,2,2,2] = dequantize(y)\n");
}

/* Of 4 x 8 pixels, 1 / 32 exactly; 16 bits hold sums of 32 * 127 whole. */
static void mean(world *w) {
    vt_gvalue *x = pixels(w, TYPE(F32, 1, 2, 4, 8));
    becomes(w, add(w, VT_G_REDUCE_MEAN, 1, &x, ATTRIBUTES(INTS(AXES, 3, 2))),
            "x: int8[1,2,4,8] * 1 = quantize(x)\n"
            "p: int8[1,2,4,8] * 1 = max_pool(x) kernel=1,1 strides=1,1\n"
            "y: int8[1,2,1,1] * 1 = sum_pool(p) kernel=4,8 strides=1,1; multiply 64; add 1024; shift 11; max -128; min "
            "127\n"
            "y: float32[1,2,1,1] = dequantize(y)\n");
}

static void wide_mean(world *w, int64_t rows, const char *text) {
    vt_gvalue *x = pixels(w, TYPE(F32, 1, 2, rows, 8));
    vt_quant_options options = usual;
    options.wide_max = 0;
    assert_same_text(
        "layers", vt_qnet_text(quantized(w, add(w, VT_G_REDUCE_MEAN, 1, &x, ATTRIBUTES(INTS(AXES, 2, 3))), &options)),
        text);
}

/* 256 * 127 is 32512: it fits as it is. */
static void wide_mean_of_256(world *w) {
    wide_mean(
        w, 32,
        "x: int8[1,2,32,8] * 1 = quantize(x)\n"
        "p: int8[1,2,32,8] * 1 = max_pool(x) kernel=1,1 strides=1,1\n"
        "y: int16[1,2,1,1] * 0.00390625 = sum_pool(p) kernel=32,8 strides=1,1; multiply 1; max -32768; min 32767\n"
        "y: float32[1,2,1,1] = dequantize(y)\n");
}

/* 264 * 127 is 33528: one bit goes. */
static void wide_mean_of_264(world *w) {
    wide_mean(w, 33,
              "x: int8[1,2,33,8] * 1 = quantize(x)\n"
              "p: int8[1,2,33,8] * 1 = max_pool(x) kernel=1,1 strides=1,1\n"
              "y: int16[1,2,1,1] * 0.00757576 = sum_pool(p) kernel=33,8 strides=1,1; multiply 1; add 1; shift 1; max "
              "-32768; min 32767\n"
              "y: float32[1,2,1,1] = dequantize(y)\n");
}

/* A sum of two that are quantized alike: 64 of each are halved six times, half of 2^6 goes up. */
static void sum(world *w) {
    vt_gvalue *a = input(w, TYPE(F32, 1, 2));
    vt_gvalue *r = vt_graph_apply(w->g, VT_G_MAX_POOL, "p", vt_graph_input(w->g, "i", TYPE(F32, 1, 2, 3)), NULL,
                                  ATTRIBUTES(INTS(KERNEL, 3), INTS(STRIDES, 1), INTS(PADS, 0, 0), INTS(DILATIONS, 1)));
    vt_gvalue *flat = vt_graph_apply(w->g, VT_G_RESHAPE, "f", r, NULL, ATTRIBUTES(INTS(SHAPE, 1, 2)));
    becomes(w, vt_graph_apply(w->g, VT_G_ADD, "s", flat, a, 0, NULL),
            "i: int8[1,2,3] * 1 = quantize(i)\n"
            "p: int8[1,2,1] * 1 = max_pool(i) kernel=1,3 strides=1,1\n"
            "f: int8[1,2] * 1 = reshape(p)\n"
            "x: int8[1,2] * 1 = quantize(x)\n"
            "s: int8[1,2] * 1 = map(f); multiply 64; residual_int8 x 64; add 32; shift 6; max -128; min 127\n"
            "s: float32[1,2] = dequantize(s)\n");
}

/* What moves: upsampling by 2 and 3, one after the other along axis 1. */
static void moved(world *w) {
    vt_gvalue *x = input(w, TYPE(F32, 1, 1, 2, 2));
    vt_gvalue *p = vt_graph_apply(w->g, VT_G_MAX_POOL, "p", x, NULL,
                                  ATTRIBUTES(INTS(KERNEL, 1, 1), LISTS(1, 1, 0, 0, 0, 0, 1, 1)));
    vt_gvalue *u = vt_graph_apply(w->g, VT_G_RESIZE, "u", p, NULL,
                                  ATTRIBUTES(VT_GSET_INT(COORDINATES, VT_COORDINATES_ASYMMETRIC),
                                             VT_GSET_INT(ROUNDING, VT_ROUNDING_FLOOR), FLOATS(SCALES, 1, 1, 2, 3),
                                             INTS(SHAPE, 1, 1, 4, 6)));
    becomes(w, vt_graph_apply(w->g, VT_G_CONCAT, "y", u, u, ATTRIBUTES(VT_GSET_INT(AXIS, 1))),
            "x: int8[1,1,2,2] * 1 = quantize(x)\n"
            "p: int8[1,1,2,2] * 1 = max_pool(x) kernel=1,1 strides=1,1\n"
            "u: int8[1,1,4,6] * 1 = upsample(p)\n"
            "y: int8[1,2,4,6] * 1 = concat(u, u)\n"
            "y: float32[1,2,4,6] = dequantize(y)\n");
}

/* An integer of the weights stands for itself times its channel's scale: 64 for 1. */
static void scales(world *w) {
    vt_gvalue *in[] = {input(w, TYPE(F32, 1, 3)), ones(w, "w", TYPE(F32, 3, 2))};
    const vt_qlayer *l = quantized(w, add(w, VT_G_MAT_MUL, 2, in, 0, NULL), &usual)->layers[1];
    for (int o = 0; o < 2; o++) assert_true(l->weight_scales[o] == 1.0 / 64);
    for (int i = 0; i < 6; i++) assert_int_equal(l->weight[i], 64);
    for (int o = 0; o < 2; o++) assert_int_equal(l->steps[0].channel[o], 32); /* half of 2^6 */
}

TEST_CASE(test_texts) {
    in_a_world(conv), in_a_world(row), in_a_world(conv_transpose), in_a_world(dense), in_a_world(max_pool);
    in_a_world(average_pool), in_a_world(mean), in_a_world(wide_mean_of_256), in_a_world(wide_mean_of_264);
    in_a_world(sum), in_a_world(moved), in_a_world(scales);
}

/* ---- What stays on floats ---- */

/* A node behind a pool, whose result has integers, becomes a layer of that sort. */
typedef struct sort {
    vt_gop op;
    const char *other; /* a second input, "w" a constant, "x" the input of the graph, "" none */
    vt_gtype second;
    uint32_t attribute_count;
    const vt_gattr *attributes;
    const char *text;
    bool plain; /* not behind a pool: of the floats of the input */
} sort;

static const sort *now;

static void one(world *w) {
    vt_gvalue *x = input(w, TYPE(F32, 1, 2, 4, 4));
    vt_gvalue *p = now->plain ? x
                              : vt_graph_apply(w->g, VT_G_MAX_POOL, "p", x, NULL,
                                               ATTRIBUTES(INTS(KERNEL, 1, 1), LISTS(1, 1, 0, 0, 0, 0, 1, 1)));
    vt_gvalue *second = *now->other == 'w'   ? ones(w, "w", now->second)
                        : *now->other == 'x' ? vt_graph_input(w->g, "other", now->second)
                                             : NULL;
    vt_gvalue *y = vt_graph_apply(w->g, now->op, "y", p, second, now->attribute_count, now->attributes);
    const char *text = vt_qnet_text(quantized(w, y, &usual)), *at = strstr(text, "\ny: ");
    size_t n = strlen(now->text);
    if (!strncmp(text, "y: ", 3)) at = text;
    at = at ? strstr(at, " = ") : NULL;
    if (!at || strncmp(at + 3, now->text, n) != 0 || at[3 + n] != '(')
        fail_msg("%s, wanted %s\n%s", vt_gop_text(now->op), now->text, text);
}

TEST_CASE(test_sorts) {
    const vt_gtype kernel = TYPE(F32, 2, 2, 2, 2), same = TYPE(F32, 1, 2, 4, 4), none = {0};
#define CONV LISTS(1, 1, 0, 0, 0, 0, 1, 1)
    const sort sorts[] = {
        {VT_G_CONV, "w", kernel, ATTRIBUTES(CONV), "conv"},
        {VT_G_CONV, "x", kernel, ATTRIBUTES(CONV), "Conv"},
        {VT_G_CONV_TRANSPOSE, "w", kernel, ATTRIBUTES(CONV, INTS(OUTPUT_PADS, 0, 0)), "conv_transpose"},
        {VT_G_CONV_TRANSPOSE, "x", kernel, ATTRIBUTES(CONV, INTS(OUTPUT_PADS, 0, 0)), "ConvTranspose"},
        {VT_G_CONV_TRANSPOSE, "w", kernel, ATTRIBUTES(LISTS(2, 2, 0, 0, 0, 0, 1, 1), INTS(OUTPUT_PADS, 1, 1)),
         "conv_transpose"},
        {VT_G_CONV_TRANSPOSE, "w", kernel, ATTRIBUTES(LISTS(1, 2, 0, 0, 0, 0, 2, 1), INTS(OUTPUT_PADS, 1, 1)),
         "ConvTranspose"},
        {VT_G_CONV_TRANSPOSE, "w", kernel, ATTRIBUTES(LISTS(2, 2, 0, 0, 0, 0, 1, 2), INTS(OUTPUT_PADS, 0, 0)),
         "ConvTranspose"},
        {VT_G_CONV_TRANSPOSE, "w", kernel, ATTRIBUTES(CONV, INTS(OUTPUT_PADS, 0, 0), VT_GSET_INT(GROUP, 2)),
         "ConvTranspose"},
        {VT_G_AVERAGE_POOL, "", none, ATTRIBUTES(INTS(KERNEL, 2, 2), CONV), "sum_pool"},
        {VT_G_AVERAGE_POOL, "", none, ATTRIBUTES(INTS(KERNEL, 2, 2), LISTS(1, 1, 0, 0, 0, 1, 1, 1)), "AveragePool"},
        {VT_G_AVERAGE_POOL, "", none,
         ATTRIBUTES(INTS(KERNEL, 2, 2), LISTS(1, 1, 1, 0, 0, 0, 1, 1), VT_GSET_INT(COUNT_PADS, 1)), "sum_pool"},
        {VT_G_REDUCE_MEAN, "", none, ATTRIBUTES(INTS(AXES, 2, 3)), "sum_pool"},
        {VT_G_REDUCE_MEAN, "", none, ATTRIBUTES(INTS(AXES, 2, 3)), "ReduceMean", true},
        {VT_G_AVERAGE_POOL, "", none, ATTRIBUTES(INTS(KERNEL, 2, 2), CONV), "AveragePool", true},
        {VT_G_RELU, "", none, 0, NULL, "Relu", true},
        {VT_G_REDUCE_MEAN, "", none, ATTRIBUTES(INTS(AXES, 3)), "ReduceMean"},
        {VT_G_REDUCE_MEAN, "", none, ATTRIBUTES(INTS(AXES, 1, 2)), "ReduceMean"},
        {VT_G_REDUCE_MEAN, "", none, ATTRIBUTES(INTS(AXES, 3, 1)), "ReduceMean"},
        {VT_G_REDUCE_MEAN, "", none, ATTRIBUTES(INTS(AXES, 1, 2, 3)), "ReduceMean"},
        {VT_G_REDUCE_MAX, "", none, ATTRIBUTES(INTS(AXES, 2, 3)), "ReduceMax"},
        {VT_G_RELU, "", none, 0, NULL, "map"},
        {VT_G_CLIP, "", none, 0, NULL, "map"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 0.5)), "map"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 0x1p-31)), "map"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 0x1p-32)), "table"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 0.375)), "table"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 1)), "table"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 0)), "table"},
        {VT_G_LEAKY_RELU, "", none, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, -0.5)), "table"},
        {VT_G_ADD, "x", same, 0, NULL, "map"},
        {VT_G_ADD, "w", same, 0, NULL, "Add"},
        {VT_G_ADD, "x", TYPE(F32, 1, 2, 1, 1), 0, NULL, "Add"},
        {VT_G_SUB, "x", same, 0, NULL, "Sub"},
        {VT_G_CONCAT, "x", same, ATTRIBUTES(VT_GSET_INT(AXIS, 1)), "Concat"},
        {VT_G_RESHAPE, "", none, ATTRIBUTES(INTS(SHAPE, 2, 16)), "reshape"},
        {VT_G_RESHAPE, "", none, ATTRIBUTES(INTS(SHAPE, 1, 2, 2, 2, 4)), "Reshape"},
        {VT_G_RESIZE, "", none, ATTRIBUTES(FLOATS(SCALES, 1, 1, 2, 2), INTS(SHAPE, 1, 2, 8, 8)), "upsample"},
        {VT_G_RESIZE, "", none, ATTRIBUTES(FLOATS(SCALES, 1, 2, 2, 2), INTS(SHAPE, 1, 4, 8, 8)), "Resize"},
        {VT_G_RESIZE, "", none, ATTRIBUTES(FLOATS(SCALES, 2, 1, 2, 2), INTS(SHAPE, 2, 2, 8, 8)), "Resize"},
        {VT_G_RESIZE, "", none, ATTRIBUTES(FLOATS(SCALES, 1, 1, 2, 1.5), INTS(SHAPE, 1, 2, 8, 6)), "Resize"},
        {VT_G_RESIZE, "", none, ATTRIBUTES(FLOATS(SCALES, 1, 1, 2.2, 2), INTS(SHAPE, 1, 2, 8, 8)), "Resize"},
        {VT_G_RESIZE, "", none,
         ATTRIBUTES(FLOATS(SCALES, 1, 1, 2, 2), INTS(SHAPE, 1, 2, 8, 8), VT_GSET_INT(SAMPLING, VT_SAMPLING_LINEAR)),
         "Resize"},
    };
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) now = &sorts[i], in_a_world(one);
}

/* Products of matrices: of rows as they are with constants alone. */
static const struct product {
    vt_gop op;
    bool turned, weights, third, constant_third;
    const char *becomes;
} products[] = {
    {VT_G_MAT_MUL, false, true, false, false, "= dense("}, {VT_G_MAT_MUL, false, false, false, false, "= MatMul("},
    {VT_G_GEMM, false, true, false, false, "= dense("},    {VT_G_GEMM, false, false, false, false, "= Gemm("},
    {VT_G_GEMM, true, true, false, false, "= Gemm("},      {VT_G_GEMM, false, true, true, true, "= dense("},
    {VT_G_GEMM, false, true, true, false, "= Gemm("},      {VT_G_GEMM, true, true, true, true, "= Gemm("},
};

static const struct product *tried;

static void one_product(world *w) {
    vt_gtype square = TYPE(F32, 3, 3);
    vt_gvalue *in[] = {input(w, square), tried->weights ? ones(w, "w", square) : vt_graph_input(w->g, "w", square),
                       tried->constant_third ? ones(w, "c", TYPE(F32, 3)) : vt_graph_input(w->g, "c", TYPE(F32, 3))};
    const vt_gattr turn[] = {VT_GSET_INT(TRANS_A, tried->turned)};
    bool gemm = tried->op == VT_G_GEMM;
    const char *text = vt_qnet_text(quantized(w, add(w, tried->op, tried->third ? 3 : 2, in, gemm, turn), &usual));
    if (!strstr(text, tried->becomes))
        fail_msg("case %d is no '%s':\n%s", (int)(tried - products), tried->becomes, text);
}

TEST_CASE(test_products) {
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) tried = &products[i], in_a_world(one_product);
}

/* A constant is one number a channel of an image where it is broadcast along every other axis. */
static void channels(world *w) {
    const vt_gtype image = TYPE(F32, 2, 3, 4, 3);
    const struct {
        vt_gtype t;
        bool is;
    } cases[] = {{TYPE(F32, 3, 1, 1), true},  {TYPE(F32, 1, 3, 1, 1), true},  {TYPE(F32, 1), true},
                 {SCALAR(F32), true},         {TYPE(F32, 1, 1, 1), true},     {TYPE(F32, 3), false},
                 {TYPE(F32, 3, 1), false},    {TYPE(F32, 2, 1, 1, 1), false}, {TYPE(F32, 2, 3, 1, 1), false},
                 {TYPE(F32, 3, 4, 1), false}, {TYPE(F32, 3, 1, 3), false},    {TYPE(F32, 1, 1, 3, 1, 1), false},
                 {TYPE(F32, 4, 1, 1), false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vt_gvalue *c = ones(w, "c", cases[i].t);
        int64_t count = vt_gtype_count(&cases[i].t);
        for (int64_t k = 0; k < count; k++) ((float *)c->data)[k] = (float)(k + 5);
        const double *numbers = vt__channel_numbers(&w->ctx, c, &image);
        if ((numbers != NULL) != cases[i].is) fail_msg("case %zu", i);
        for (int64_t k = 0; numbers && k < 3; k++) assert_true(numbers[k] == (double)(count == 1 ? 5 : k + 5));
    }
    assert_null(vt__channel_numbers(&w->ctx, ones(w, "c", TYPE(F32, 3)), &(vt_gtype){VT_ELEMENT_F32, 1, {3}}));
    assert_null(vt__channel_numbers(&w->ctx, vt_graph_input(w->g, "x", TYPE(F32, 3, 1, 1)), &image));
}

TEST_CASE(test_channels) { in_a_world(channels); }

/* Nearest pixels are repeated where coordinates and rounding go together. */
static void repeats(world *w) {
    static const vt_gword coordinates[] = {VT_COORDINATES_HALF_PIXEL, VT_COORDINATES_PYTORCH_HALF_PIXEL,
                                           VT_COORDINATES_ALIGN_CORNERS, VT_COORDINATES_ASYMMETRIC},
                          roundings[] = {VT_ROUNDING_ROUND_PREFER_FLOOR, VT_ROUNDING_ROUND_PREFER_CEIL,
                                         VT_ROUNDING_FLOOR, VT_ROUNDING_CEIL};
    static const bool wanted[4][4] = {{true, true, false, false},
                                      {true, true, false, false},
                                      {false, false, false, false},
                                      {false, false, true, false}};
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            vt_gvalue *y =
                vt_graph_apply(w->g, VT_G_RESIZE, "r", vt_graph_input(w->g, "x", TYPE(F32, 1, 1, 2, 2)), NULL,
                               ATTRIBUTES(VT_GSET_INT(COORDINATES, coordinates[c]), VT_GSET_INT(ROUNDING, roundings[r]),
                                          FLOATS(SCALES, 1, 1, 2, 2), INTS(SHAPE, 1, 1, 4, 4)));
            assert_int_equal(vt_gresize_repeats(y->by), wanted[c][r]);
        }
}

TEST_CASE(test_repeats) { in_a_world(repeats); }

/* ---- Running ---- */

static void runs(world *w) {
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    float y[8], want[8];
    vt_gvalue *in[] = {input(w, TYPE(F32, 1, 1, 2, 4)), ones(w, "w", TYPE(F32, 2, 1, 1, 1))};
    vt_gvalue *c = add(w, VT_G_CONV, 2, in, ATTRIBUTES(CONV));
    vt_gvalue *t = vt_graph_apply(w->g, VT_G_CONV_TRANSPOSE, "t", c, ones(w, "u", TYPE(F32, 2, 1, 1, 1)),
                                  ATTRIBUTES(CONV, INTS(OUTPUT_PADS, 0, 0)));
    const vt_qnet *net = quantized(w, vt_graph_apply(w->g, VT_G_NEG, "n", t, NULL, 0, NULL), &usual);
    for (int i = 0; i < 8; i++) want[i] = -2 * x[i];
    vta_status status = VTA_NO_MEMORY;
    for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
        check_allocator a;
        check_allocator_init(&a, room);
        vta_diag_clear(w->diag);
        status = vt_qeval_run(net, (const void *[]){x}, (void *[]){y}, NULL, &a.allocator, w->diag);
        assert_int_equal(a.live, 0);
        assert_int_equal(a.failed, status != VTA_OK);
        assert_string_equal(vta_diag_text(w->diag), a.failed ? "error: out of memory" : "");
    }
    assert_int_equal(status, VTA_OK);
    assert_memory_equal(y, want, sizeof y);
    atomic_bool stop = true;
    vt_qeval_options options = {.interrupt = &stop};
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *[]){y}, &options, NULL, w->diag), VTA_INTERRUPTED);
    assert_string_equal(vta_diag_text(w->diag), "error: interrupted");
}

TEST_CASE(test_runs) { in_a_world(runs); }

int main(void) { return run_cases(); }
