/* What an attribute is that a node leaves out: the same as with the default that ONNX's specification gives it. */
#include "onnx_read.h"

typedef struct omitted {
    int64_t opset;
    const char *x; /* shape of x, float32; that of q, uint8, is 1,2,5,6 */
    const char *op, *inputs, *attributes;
    const char *defaults; /* of the specification: attributes that may be added and change nothing */
    const char *words;    /* of the graph in both cases */
} omitted;

#define WINDOW_DEFAULTS "auto_pad:NOTSET dilations=[1,1] pads=[0,0,0,0] strides=[1,1]"
#define WINDOW_TEXT "strides=1,1 pads=0,0,0,0 dilations=1,1"
#define REDUCTION(op)                                                                                                  \
    {13, "2,3", op, "x", "", "keepdims=1 axes=[0,1]", "[1,1] ="},                                                      \
        {13, "2,3", op, "x", "axes=[1]", "keepdims=1", "[2,1] ="}

/* Numbers that float32 does not have exactly are written with 9 digits, as the graph has them. */
static const omitted nodes[] = {
    {13, "1,2,5,6", "Conv", "x w", "", WINDOW_DEFAULTS " kernel_shape=[3,3] group=1", WINDOW_TEXT " group=1\n"},
    {13, "1,2,5,6", "ConvTranspose", "x wt", "",
     WINDOW_DEFAULTS " kernel_shape=[3,3] group=1 output_padding=[0,0] output_shape=[7,8]",
     WINDOW_TEXT " output_pads=0,0 group=1\n"},
    {13, "1", "ConvInteger", "q k", "", WINDOW_DEFAULTS " kernel_shape=[3,3] group=1", WINDOW_TEXT " group=1\n"},
    {13, "1", "QLinearConv", "q f_6 u k f_6 i f_6 u", "", WINDOW_DEFAULTS " kernel_shape=[3,3] group=1",
     WINDOW_TEXT " group=1\n"},
    {13, "1,2,6,6", "MaxPool", "x", "kernel_shape=[3,3] strides=[2,2]",
     "auto_pad:NOTSET ceil_mode=0 dilations=[1,1] pads=[0,0,0,0] storage_order=0",
     "[1,2,2,2] = MaxPool(x) kernel=3,3 strides=2,2 pads=0,0,0,0 dilations=1,1\n"},
    {13, "1,2,5,6", "MaxPool", "x", "kernel_shape=[3,3]", WINDOW_DEFAULTS, WINDOW_TEXT "\n"},
    {13, "1,2,6,6", "AveragePool", "x", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,0,0]",
     "auto_pad:NOTSET ceil_mode=0 count_include_pad=0", "pads=1,1,0,0 dilations=1,1 count_pads=0\n"},
    {13, "1", "com.microsoft.QLinearAveragePool", "q f_6 u f_6 u", "kernel_shape=[3,3]",
     "auto_pad:NOTSET ceil_mode=0 count_include_pad=0 pads=[0,0,0,0] strides=[1,1] channels_last=0", "count_pads=0\n"},
    {13, "1", "com.microsoft.QLinearLeakyRelu", "q f_6 u f_6 u", "", NULL, "= LeakyRelu(y) alpha=0.01\n"},
    {13, "3,3", "Gemm", "x x", "", "alpha=1.0 beta=1.0 transA=0 transB=0", "alpha=1 beta=1 trans_a=0 trans_b=0\n"},
    {13, "1,2,5,6", "BatchNormalization", "x f_2 f_2 f_2 f_2", "", "epsilon=0.00001 momentum=0.9 training_mode=0",
     "epsilon=9.99999975e-06\n"},
    {13, "1,2,5,6", "InstanceNormalization", "x f_2 f_2", "", "epsilon=0.00001", "float32{9.99999975e-06})\n"},
    {17, "5,2", "LayerNormalization", "x f_2", "", "axis=-1 epsilon=0.00001 stash_type=1",
     "float32{9.99999975e-06})\n"},
    {17, "5,2", "LayerNormalization", "x f_2", "", "axis=1", "= ReduceSum(x) axes=1 keepdims=1\n"},
    {13, "1,2,5,6", "LRN", "x", "size=1", "alpha=0.0001 beta=0.75 bias=1.0", "float32{9.99999975e-05})\n"},
    {13, "1,2,5,6", "LRN", "x", "size=1", NULL, "float32{1})\n"},
    {13, "1,2,5,6", "LRN", "x", "size=1", NULL, "float32{0.75})\n"},
    REDUCTION("ReduceMean"),
    REDUCTION("ReduceL1"),
    REDUCTION("ReduceL2"),
    REDUCTION("ReduceSumSquare"),
    REDUCTION("ReduceProd"),
    REDUCTION("ReduceMax"),
    REDUCTION("ReduceMin"),
    {12, "2,3", "ReduceSum", "x", "", "keepdims=1 axes=[0,1]", "[1,1] = ReduceSum(x) axes=0,1 keepdims=1\n"},
    {13, "2,3", "ReduceSum", "x", "", "keepdims=1 noop_with_empty_axes=0",
     "[1,1] = ReduceSum(x) axes=0,1 keepdims=1\n"},
    {13, "2,3", "ReduceSum", "x i_1", "", "keepdims=1", "[2,1] = ReduceSum(x) axes=1 keepdims=1\n"},
    {12, "2,3,1", "Softmax", "x", "", "axis=1", "[2,3] = Softmax(y"},
    {12, "2,3,1", "LogSoftmax", "x", "", "axis=1", "[2,3] = LogSoftmax(y"},
    {13, "2,3,4", "Softmax", "x", "", "axis=-1", "Softmax(x) axis=2\n"},
    {13, "2,3,4", "LogSoftmax", "x", "", "axis=-1", "LogSoftmax(x) axis=2\n"},
    {13, "2", "LeakyRelu", "x", "", NULL, "LeakyRelu(x) alpha=0.01\n"},
    {13, "2", "HardSigmoid", "x", "", "alpha=0.2 beta=0.5", "HardSigmoid(x) alpha=0.200000003 beta=0.5\n"},
    {13, "2", "HardSigmoid", "x", "alpha=0.25", "beta=0.5", "HardSigmoid(x) alpha=0.25 beta=0.5\n"},
    {13, "2", "Elu", "x", "", "alpha=1.0", "Elu(x) alpha=1\n"},
    {9, "2", "Clip", "x", "", NULL, "Clip(x) min=-inf max=inf\n"},
    {12, "2", "Dropout", "x", "", "seed=1", "Identity(x)\n"},
    {14, "2,3,4", "Reshape", "x i_shape", "", "allowzero=0", "Reshape(x) shape=2,6,2\n"},
    {13, "2,3,4", "Flatten", "x", "", "axis=1", "Reshape(x) shape=2,12\n"},
    {11, "1,3,1", "Squeeze", "x", "", "axes=[0,2]", "Reshape(x) shape=3\n"},
    {13, "2,3,4", "Transpose", "x", "", "perm=[2,1,0]", "Transpose(x) perm=2,1,0\n"},
    {13, "2,4", "Split", "x", "", "axis=0", "[2,4] = Slice(x) starts=0,0 steps=1,1 shape=2,4\n"},
    {9, "3,4", "Slice", "x", "starts=[1,1] ends=[2,3]", "axes=[0,1]", "Slice(x) starts=1,1 steps=1,1 shape=1,2\n"},
    {13, "2,4", "Gather", "x i_m1", "", "axis=0", "{-1}) axis=0\n"},
    {7, "2", "Pad", "x", "pads=[1,1]", "mode:constant value=0.0", "Pad(x) padding=constant pads=1,1 value=0\n"},
    {13, "1,2,5,6", "Pad", "x i_pads", "", "mode:constant", "padding=constant pads=0,0,1,2,0,0,3,4 value=0\n"},
    {13, "1,2,3,4", "Resize", "x - f_scales", "",
     "mode:nearest coordinate_transformation_mode:half_pixel nearest_mode:round_prefer_floor cubic_coeff_a=-0.75 "
     "exclude_outside=0 extrapolation_value=0.0",
     "sampling=nearest coordinates=half_pixel rounding=round_prefer_floor scales=1,1,2,1.5"},
    {9, "1,2,3,4", "Upsample", "x f_scales", "", "mode:nearest",
     "sampling=nearest coordinates=asymmetric rounding=floor"},
    {13, "1,8,2,3", "DepthToSpace", "x", "blocksize=2", "mode:DCR", "blocksize=2 order=DCR\n"},
    {13, "1", "ConstantOfShape", "i_23", "", NULL, "float32[2,3]{0,0,0,0,0,0}\n"},
    {15, "1,2,5", "Shape", "x", "", "start=0", "output y: int64[3] = const y int64[3]{1,2,5}\n"},
    {15, "1,2,5", "Shape", "x", "start=1", "end=3", "output y: int64[2] = const y int64[2]{2,5}\n"},
    {13, "1,2,5,6", "QuantizeLinear", "x f_2 u2", "", "axis=1", "axis=1\n"},
    {13, "1", "DequantizeLinear", "q f_2 u2", "", "axis=1", "axis=1\n"},
};

/* The graph as text, in a world of its own. */
static const char *read_node(world *w, const omitted *n, const char *more) {
    making m;
    char attributes[512];
    reading r = {.m = &m, .options = {.name = "made.onnx"}};
    snprintf(attributes, sizeof attributes, "%s %s", n->attributes, more);
    make_model(&m, n->opset);
    make_input(&m, "x", F32, n->x);
    make_input(&m, "q", U8, "1,2,5,6");
    add_constants(&m);
    make_constant(&m, "k", I8, "4,2,3,3", NULL, 4 * 2 * 9);
    make_constant(&m, "u", U8, "", "\1", 1);
    make_constant(&m, "i", I8, "", "\1", 1);
    make_constant(&m, "u2", U8, "2", "\1\2", 2);
    make_node(&m, n->op, n->inputs, "y", attributes);
    make_output(&m, "y");
    world_open(w);
    if (vt_protect(&w->ctx, read_model, &r) != VTA_OK) fail_msg("%s %s: %s", n->op, attributes, vta_diag_text(w->diag));
    return r.text;
}

TEST_CASE(test_omitted) {
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        const omitted *n = &nodes[i];
        world a, b;
        const char *without = read_node(&a, n, ""), *with = read_node(&b, n, n->defaults ? n->defaults : "");
        if (!strstr(without, n->words)) fail_msg("%s, wanted: %s\n%s", n->op, n->words, without);
        if (strcmp(without, with) != 0) fail_msg("%s\n%swith %s:\n%s", n->op, without, n->defaults, with);
        world_close(&a), world_close(&b);
    }
}

int main(void) { return run_cases(); }
