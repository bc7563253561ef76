/* The reader on models made here: every variant that it makes one form of, and every way to be wrong. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx_read.h"
#include "support/disk.h"

typedef struct some_bytes {
    const uint8_t *bytes;
    size_t size;
} some_bytes;

static vta_status read_bytes(vt_ctx *ctx, void *arg) {
    const some_bytes *b = arg;
    vt_onnx_options options = {.name = "made.onnx"};
    vt_onnx_read(ctx, b->bytes, b->size, &options);
    return VTA_OK;
}

/* ---- One operator on x, in several versions ---- */

typedef struct variant {
    int64_t opset;
    const char *x; /* shape of x, float32 */
    const char *op, *inputs, *attributes;
    const char *words;
} variant;

static const variant variants[] = {
    {7, "1,2,5,6", "Clip", "x", "min=0.0 max=6.0", "Clip(x) min=0 max=6"},
    {11, "1,2,5,6", "Clip", "x f_0 f_6", "", "Clip(x) min=0 max=6"},
    {13, "1,2,5,6", "Clip", "x - f_6", "", "Clip(x) min=-inf max=6"},
    {13, "1,2,5,6", "Clip", "x x", "", "= Max(x, x)"},
    {7, "1,2,5,6", "Pad", "x", "pads=[0,0,1,2,0,0,3,4] value=1.5",
     "float32[1,2,9,12] = Pad(x) padding=constant pads=0,0,1,2,0,0,3,4 value=1.5"},
    {13, "1,2,5,6", "Pad", "x i_pads f_6", "mode:constant", "padding=constant pads=0,0,1,2,0,0,3,4 value=6"},
    {13, "1,2,5,6", "Pad", "x i_pads", "mode:edge", "padding=edge pads=0,0,1,2,0,0,3,4"},
    {7, "4,5,6", "Slice", "x", "axes=[1,2] starts=[1,-3] ends=[99,-1]",
     "float32[4,4,2] = Slice(x) starts=0,1,3 steps=1,1,1 shape=4,4,2"},
    {10, "4,5,6", "Slice", "x i_12 i_23 i_01", "", "float32[1,1,6] = Slice(x) starts=1,2,0"},
    {13, "4,5,6", "Slice", "x i_m1 i_0 i_1 i_m1", "", "float32[4,4,6] = Slice(x) starts=0,4,0 steps=1,-1,1"},
    {13, "4,5,6", "Slice", "x i_2 i_big i_1 i_2", "", "float32[4,2,6] = Slice(x) starts=0,2,0 steps=1,2,1"},
    {7, "1,5,1", "Squeeze", "x", "axes=[0]", "float32[5,1] = Reshape(x) shape=5,1"},
    {13, "1,5,1", "Squeeze", "x i_m1", "", "Reshape(x) shape=1,5"},
    {13, "1,5,1", "Squeeze", "x", "", "Reshape(x) shape=5"},
    {7, "5", "Unsqueeze", "x", "axes=[0,2]", "Reshape(x) shape=1,5,1"},
    {13, "5", "Unsqueeze", "x i_m1", "", "Reshape(x) shape=5,1"},
    {13, "5", "Unsqueeze", "x i_01", "", "Reshape(x) shape=1,1,5"},
    {9, "2,3,4", "Flatten", "x", "", "Reshape(x) shape=2,12"},
    {13, "2,3,4", "Flatten", "x", "axis=-1", "Reshape(x) shape=6,4"},
    {9, "2,3,4", "Flatten", "x", "axis=3", "Reshape(x) shape=24,1"},
    {9, "2,3,4", "Reshape", "x i_shape", "", "Reshape(x) shape=2,6,2"},
    {9, "2,3,4", "Softmax", "x", "", "Softmax(y) axis=1"},
    {9, "2,3,4", "Softmax", "x", "axis=2", "Softmax(x) axis=2"},
    {13, "2,3,4", "Softmax", "x", "", "Softmax(x) axis=2"},
    {13, "2,3,4", "LogSoftmax", "x", "axis=-2", "LogSoftmax(x) axis=1"},
    {7, "1,2,3,4", "Upsample", "x", "mode:nearest scales=[1.0,1.0,2.0,3.0]",
     "float32[1,2,6,12] = Resize(x) sampling=nearest coordinates=asymmetric rounding=floor"},
    {9, "1,2,3,4", "Upsample", "x f_scales", "mode:linear",
     "float32[1,2,6,6] = Resize(x) sampling=linear coordinates=asymmetric"},
    {10, "1,2,3,4", "Resize", "x f_scales", "",
     "float32[1,2,6,6] = Resize(x) sampling=nearest coordinates=asymmetric rounding=floor scales=1,1,2,1.5"},
    {13, "1,2,3,4", "Resize", "x - f_scales", "",
     "coordinates=half_pixel rounding=round_prefer_floor scales=1,1,2,1.5 shape=1,2,6,6"},
    {13, "1,2,3,4", "Resize", "x - - i_sizes", "mode:linear coordinate_transformation_mode:align_corners",
     "float32[1,2,6,8] = Resize(x) sampling=linear coordinates=align_corners"},
    {11, "1,2,3,4", "Resize", "x - f_none i_sizes", "nearest_mode:ceil", "rounding=ceil scales=1,1,2,2 shape=1,2,6,8"},
    {13, "2,3,4", "ReduceSum", "x i_12", "keepdims=0", "float32[2] = ReduceSum(x) axes=1,2 keepdims=0"},
    {13, "2,3,4", "ReduceSum", "x", "", "float32[1,1,1] = ReduceSum(x) axes=0,1,2"},
    {13, "2,3,4", "ReduceSum", "x", "noop_with_empty_axes=1", "float32[2,3,4] = ReduceSum(x) axes= "},
    {11, "2,3,4", "ReduceMean", "x", "axes=[-1]", "float32[2,3,1] = ReduceMean(x) axes=2"},
    {7, "1,2,3,4", "Dropout", "x", "ratio=0.5", "Identity(x)"},
    {13, "1,2,3,4", "Dropout", "x f_0", "", "Identity(x)"},
    {9, "2,3,4", "Transpose", "x", "", "float32[4,3,2] = Transpose(x) perm=2,1,0"},
    {13, "2,3", "Tile", "x i_23", "", "float32[4,9] = Reshape("},
    {13, "3,1", "Expand", "x i_12", "", "float32[3,2] = Expand(x) shape=3,2"},
    {13, "1,8,2,3", "DepthToSpace", "x", "blocksize=2 mode:CRD",
     "float32[1,2,4,6] = DepthToSpace(x) blocksize=2 order=CRD"},
    {13, "1,2,4,6", "SpaceToDepth", "x", "blocksize=2", "float32[1,8,2,3] = SpaceToDepth(x)"},
    {13, "2,3", "Sum", "x x x", "", "= Add(y, x)"},
    {13, "2,3", "Min", "x", "", "output y: float32[2,3] = x"},
    {13, "2,3", "Pow", "x i_2", "", "Cast(const i_2 int64[1]{2}) to=float32"},
    {9, "1,2,5,6", "Conv", "x w", "auto_pad:SAME_UPPER strides=[2,2]",
     "float32[1,4,3,3] = Conv(x, const w float32[4,2,3,3]) strides=2,2 pads=1,0,1,1"},
    {9, "1,2,5,6", "Conv", "x w", "auto_pad:SAME_LOWER strides=[2,2]", "strides=2,2 pads=1,1,1,0"},
    {9, "1,2,5,6", "Conv", "x w", "strides=[1,16777216]",
     "float32[1,4,3,1] = Conv(x, const w float32[4,2,3,3]) strides=1,16777216"},
    {9, "1,2,5,6", "Conv", "x w", "auto_pad:VALID kernel_shape=[3,3]",
     "float32[1,4,3,4] = Conv(x, const w float32[4,2,3,3]) strides=1,1 pads=0,0,0,0 dilations=1,1 group=1"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "strides=[2,2] output_shape=[10,12]",
     "float32[1,4,10,12] = ConvTranspose(x, const wt float32[2,4,3,3]) strides=2,2 pads=1,1,0,0"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "strides=[2,2] output_padding=[1,1] pads=[1,1,1,1]",
     "float32[1,4,10,12] = ConvTranspose(x, const wt float32[2,4,3,3]) strides=2,2 pads=1,1,1,1 dilations=1,1 "
     "output_pads=1,1"},
    {10, "1,2,6,6", "MaxPool", "x", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1",
     "float32[1,2,3,3] = MaxPool(x) kernel=3,3 strides=2,2 pads=0,0,1,1"},
    {10, "1,2,6,6", "MaxPool", "x", "kernel_shape=[3,3] strides=[2,2]",
     "float32[1,2,2,2] = MaxPool(x) kernel=3,3 strides=2,2 pads=0,0,0,0"},
    {10, "1,2,6,6", "AveragePool", "x", "kernel_shape=[2,2] count_include_pad=1 pads=[1,1,1,1]", "count_pads=1"},
    {10, "1,2,5,6", "GlobalAveragePool", "x", "", "float32[1,2,1,1] = AveragePool(x) kernel=5,6"},
    {10, "1,2,5", "GlobalMaxPool", "x", "", "float32[1,2,1] = MaxPool(x) kernel=5 "},
    {10, "1,2,5", "Shape", "x", "", "output y: int64[3] = const y int64[3]{1,2,5}"},
    {15, "1,2,5", "Shape", "x", "start=-2 end=2", "const y int64[1]{2}"},
    {10, "1,2,5", "Size", "x", "", "int64{10}"},
    {10, "1", "ConstantOfShape", "i_23", "", "float32[2,3]{0,0,0,0,0,0}"},
    {10, "2,4", "Gather", "x i_m1", "axis=-1", "float32[2,1] = Gather(x, const i_m1 int64[1]{-1}) axis=1"},
    {13, "2,4", "Cast", "x", "to=7", "int64[2,4] = Cast(x) to=int64"},
    {13, "2,4", "LeakyRelu", "x", "alpha=0.25", "LeakyRelu(x) alpha=0.25"},
    {13, "2,4", "Concat", "x x", "axis=-1", "float32[2,8] = Concat(x, x) axis=1"},
    {13, "2,4", "Constant", "", "value_ints=[1,2]", "int64[2]{1,2}"},
    {13, "2,4", "Constant", "", "value_float=0.5", "float32{0.5}"},
};

static void test_variants(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const variant *v = &variants[i];
        making m;
        make_model(&m, v->opset);
        make_input(&m, "x", F32, v->x);
        add_constants(&m);
        make_node(&m, v->op, v->inputs, "y", v->attributes);
        make_output(&m, "y");
        becomes(&m, false, v->words);
    }
}

/* ---- What one operator is refused for ---- */

static const variant wrong[] = {
    {13, "1,2,5,6", "Pad", "x i_01", "", "2 pads for 4 axes"},
    {13, "1,2,5,6", "Pad", "x i_pads", "mode:wraps",
     "attribute mode: its value is not supported (constant|reflect|edge|wrap are)"},
    {13, "1,2,5,6", "Pad", "x i_pads", "mode:", "attribute mode: its value is not supported"},
    {13, "1,2,5,6", "Resize", "x - f_scales", "mode:cubical", "attribute mode: its value is not supported"},
    {13, "1,2,5,6", "Resize", "x - f_2", "", "2 scales for 4 axes"},
    {13, "1,2,5,6", "Foo", "x", "", "node y (Foo): this operator is not supported"},
    {13, "1,2,5,6", "org.Conv", "x w", "", "node y (org.Conv): this operator is not supported"},
    {13, "1,2,5,6", "Relu", "x", "slope=1.0", "attribute slope is not supported"},
    {13, "1,2,5,6", "Concat", "x x", "axis=1.0", "attribute axis has another type than ONNX gives it"},
    {13, "1,2,5,6", "Concat", "x x", "", "axis is missing"},
    {13, "1,2,5,6", "Concat", "x x", "axis=4", "axis 4 of a tensor of 4 axes"},
    {13, "1,3,5,1", "Reshape", "x i_shape", "", "not a multiple of"},
    {13, "1,2,5,6", "Reshape", "x x", "", "shape (x) is computed when the model runs"},
    {13, "1,2,5,6", "Conv", "x", "", "input 1 is missing"},
    {13, "1,2,5,6", "Conv", "x w", "kernel_shape=[5,5]", "kernel_shape has 5, the weights 3"},
    {13, "1,2,5,6", "Conv", "x w", "strides=[1]", "strides has 1 entries, expected 2"},
    {13, "1,2,5,6", "Conv", "x w", "pads=[-1,0,0,0]", "pads has -1"},
    {13, "1,2,5,6,7,8", "MaxPool", "x", "kernel_shape=[1,1,1,1]", "windows over 4 axes"},
    {13, "1,2,5,6", "MaxPool", "x", "", "kernel_shape is missing"},
    {13, "2,3", "Slice", "x i_0 i_1 i_0 i_0", "", "a step of 0"},
    {13, "2,3", "Slice", "x i_01 i_1", "", "are not as many"},
    {13, "2,3", "Squeeze", "x i_0", "", "axis 0 has 2 elements"},
    {13, "2,3", "Unsqueeze", "x", "", "0 axes more"},
    {13, "2,3", "Dropout", "x - b1", "", "training_mode is on"},
    {13, "2,3", "Transpose", "x", "perm=[0,0]", "perm has axis 0 twice"},
    {13, "2,3", "Cast", "x", "to=17", "to element type 17 of ONNX"},
    {13, "2,3", "Gather", "i_01 i_2", "", "entry 2 of an axis of 2"},
    {13, "2,3", "Range", "i_0 i_big i_1", "", "from 0 to"},
    {13, "2,3", "Expand", "x i_pads", "", "do not broadcast"},
    {13, "2,3", "Add", "x i_0", "", "is int64, expected float32"},
    {13, "1,2,5,6", "InstanceNormalization", "x f_scales f_2", "", "input 1 is not one number for each of 2 channels"},
    {13, "2,3", "InstanceNormalization", "x f_2 f_2", "", "the input has 2 axes, expected at least 3"},
    {13, "5", "LRN", "x", "size=3", "the input has 1 axes, expected at least 2"},
    {13, "2,3", "LRN", "x", "", "attribute size: 0 channels"},
    {13, "2,3", "LRN", "x", "size=65537", "attribute size: 65537 channels"},
    {13, "2,3", "Split", "x", "axis=1", "3 elements in 2 equal parts"},
    {13, "2,3", "Tile", "x i_m1", "", "1 repeats for 2 axes"},
};

static void test_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const variant *v = &wrong[i];
        making m;
        world w;
        reading r = {.m = &m, .options = {.name = "made.onnx"}};
        make_model(&m, v->opset);
        make_input(&m, "x", F32, v->x);
        add_constants(&m);
        bool two = !strcmp(v->op, "Split");
        make_node(&m, v->op, v->inputs, two ? "y z" : "y", v->attributes);
        make_output(&m, "y");
        world_open(&w);
        vta_status status = vt_protect(&w.ctx, read_model, &r);
        if (status == VTA_OK || status == VTA_INTERNAL || !strstr(vta_diag_text(w.diag), v->words))
            fail_msg("%s: wanted: %s\n%d, %s", v->op, v->words, (int)status, vta_diag_text(w.diag));
        world_close(&w);
    }
}

/* ---- Whole models ---- */

/* A shape computed with operators becomes a constant: x[1,2,3,4] as [1, 24]. */
static void test_shape_arithmetic(void **state) {
    making m;
    (void)state;
    make_model(&m, 13);
    make_input(&m, "x", F32, "n,2,3,4");
    MAKE_INTS(&m, "zero", "", 0);
    MAKE_INTS(&m, "axis", "1", 0);
    MAKE_INTS(&m, "rest", "1", -1);
    make_node(&m, "Shape", "x", "s", "");
    make_node(&m, "Gather", "s zero", "n", "axis=0");
    make_node(&m, "Unsqueeze", "n axis", "n1", "");
    make_node(&m, "Concat", "n1 rest", "to", "axis=0");
    make_node(&m, "Reshape", "x to", "y", "");
    make_output(&m, "y");
    becomes(&m, true, "input x: float32[1,2,3,4]\ny: float32[1,24] = Reshape(x) shape=1,24\noutput");
}

static void test_qlinear(void **state) {
    making m;
    (void)state;
    make_model(&m, 11);
    make_input(&m, "x", U8, "1,4");
    MAKE_FLOATS(&m, "s", "", 0.5f);
    make_constant(&m, "z", U8, "", "\5", 1);
    make_node(&m, "com.microsoft.QLinearAdd", "x s z x s z s z", "y", "");
    make_node(&m, "com.microsoft.QLinearConcat", "s z x s z y s z", "c", "axis=1");
    make_output(&m, "c");
    becomes(&m, true, "= Add(y, y.4)\n");
    becomes(&m, true, "uint8[1,8] = QuantizeLinear(");
}

/* Batch normalization goes into the convolution, once its parameters are folded. */
static void test_batch_norm(void **state) {
    making m;
    (void)state;
    make_model(&m, 9);
    make_input(&m, "x", F32, "1,1,2,2");
    MAKE_FLOATS(&m, "w", "2,1,1,1", 1, 2);
    MAKE_FLOATS(&m, "scale", "2", 2, 4);
    MAKE_FLOATS(&m, "bias", "2", 1, 1);
    MAKE_FLOATS(&m, "mean", "2", 3, 5);
    MAKE_FLOATS(&m, "var", "2", 3, 15);
    make_node(&m, "Conv", "x w", "c", "");
    make_node(&m, "BatchNormalization", "c scale bias mean var", "y", "epsilon=1.0");
    make_output(&m, "y");
    becomes(&m, true, "y: float32[1,2,2,2] = Conv(x, const w float32[2,1,1,1]{1,2}, const y.bias float32[2]{-2,-4})");
}

static void test_order(void **state) {
    making m;
    (void)state;
    make_model(&m, 13);
    make_input(&m, "x", F32, "2");
    make_node(&m, "Relu", "b", "c", "");
    make_node(&m, "Neg", "a", "b", "");
    make_node(&m, "Abs", "x", "a", "");
    make_output(&m, "c");
    becomes(&m, false, "a: float32[2] = Abs(x)\nb: float32[2] = Neg(a)\nc: float32[2] = Relu(b)\n");
}

/* Everything at once: two operators, an attribute, a value that only shows when shapes are known. */
static void test_all_at_once(void **state) {
    making m;
    const char *const words[] = {"node a (Foo): this operator is not supported", "node b (Bar): this operator",
                                 "node c (MaxPool): attribute storage_order: its value is not supported (0 are)",
                                 "node d (MaxPool): its second output", "node e (Cast): to element type 17"};
    (void)state;
    make_model(&m, 13);
    make_input(&m, "x", F32, "1,2,3,4,5");
    make_node(&m, "Foo", "x", "a", "");
    make_node(&m, "Bar", "a", "b", "");
    make_node(&m, "MaxPool", "b", "c", "kernel_shape=[1,1] storage_order=1");
    make_node(&m, "MaxPool", "x", "d d2", "kernel_shape=[1,1,1]");
    make_node(&m, "Cast", "x", "e", "to=17");
    make_output(&m, "c");
    make_output(&m, "d2");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) is_refused(&m, NULL, VTA_UNSUPPORTED, words[i]);
}

static void test_bad_graphs(void **state) {
    making m;
    (void)state;
    make_model(&m, 13);
    make_output(&m, "y");
    is_refused(&m, NULL, VTA_MISMATCH, "nothing computes output y");
    make_node(&m, "Relu", "z", "y", "");
    is_refused(&m, NULL, VTA_MISMATCH, "nothing computes its input z, and it is no constant");
    make_node(&m, "Relu", "y", "z", "");
    is_refused(&m, NULL, VTA_MISMATCH, "the graph has a cycle");
    make_model(&m, 13);
    make_input(&m, "x", F32, "2");
    is_refused(&m, NULL, VTA_MISMATCH, "the graph has no outputs");
    make_output(&m, "x");
    make_node(&m, "Relu", "x", "x", "");
    is_refused(&m, NULL, VTA_MISMATCH, "computes x, which there is already");
    make_model(&m, 13);
    make_input(&m, "x", F32, "1,2,5");
    make_node(&m, "MaxPool", "x", "y", "kernel_shape=[1] strides=[16777217]");
    make_output(&m, "y");
    is_refused(&m, NULL, VTA_MISMATCH, "strides has 16777217");
    make_model(&m, 6);
    is_refused(&m, NULL, VTA_UNSUPPORTED, "operator set 6; versions 7 to 24");
    make_model(&m, 25);
    is_refused(&m, NULL, VTA_UNSUPPORTED, "operator set 25");
    m.model.graph = NULL;
    m.opsets[0].version = 13;
    is_refused(&m, NULL, VTA_PARSE, "there is no graph in it");
}

static void test_bad_tensors(void **state) {
    making m;
    (void)state;
    make_model(&m, 13);
    Onnx__TensorProto *t = MAKE_FLOATS(&m, "t", "2", 1, 2);
    make_output(&m, "t");
    becomes(&m, false, "output t: float32[2] = const t float32[2]{1,2}");
    t->raw_data.len = 7;
    is_refused(&m, NULL, VTA_MISMATCH, "tensor t has data of 7, where its shape asks for 8");
    t->raw_data.len = 8, t->dims[0] = -2;
    is_refused(&m, NULL, VTA_MISMATCH, "a negative extent");
    t->dims[0] = INT64_MAX;
    is_refused(&m, NULL, VTA_MISMATCH, "tensor t: a shape with");
    t->dims[0] = 2, t->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX64;
    is_refused(&m, NULL, VTA_UNSUPPORTED, "element type 14 of ONNX");
    int32_t numbers[] = {-128, 200};
    t->data_type = I8, t->has_raw_data = 0, t->n_int32_data = 2, t->int32_data = numbers;
    is_refused(&m, NULL, VTA_MISMATCH, "tensor t: 200 is not a value of int8");
    numbers[1] = 127;
    becomes(&m, false, "int8[2]{-128,127}");
    t->n_int32_data = 1;
    is_refused(&m, NULL, VTA_MISMATCH, "tensor t has data of 1");
}

static void test_inputs(void **state) {
    making m;
    const char *const shapes[] = {"x=2,3,4"}, *const unnamed[] = {"5,3,6"}, *const other[] = {"z=1"},
                      *const bad[] = {"x=2,y"};
    const char *const fixed[] = {"x=2,9,4"}, *const few[] = {"2,3"};
    vt_onnx_options o = {.name = "made.onnx", .shapes = shapes, .shape_count = 1};
    (void)state;
    make_model(&m, 13);
    make_input(&m, "x", F32, "n,3,h");
    make_node(&m, "Relu", "x", "y", "");
    make_output(&m, "y");
    is_refused(&m, NULL, VTA_MISMATCH, "leaves extents of its inputs open: give them, likely --shape x=1,3,128");
    for (int i = 0; i < 2; i++) {
        world w;
        reading r = {.m = &m, .options = o};
        if (i) r.options.shapes = unnamed;
        world_open(&w);
        assert_int_equal(vt_protect(&w.ctx, read_model, &r), VTA_OK);
        assert_non_null(strstr(r.text, i ? "input x: float32[5,3,6]" : "input x: float32[2,3,4]"));
        world_close(&w);
    }
    o.shapes = other;
    m.inputs[0] = make_value("x", F32, "n,3,4");
    is_refused(&m, &o, VTA_NOT_FOUND, "the model has no such input");
    o.shapes = bad;
    is_refused(&m, &o, VTA_INVALID_ARGUMENT, "extents with commas");
    o.shapes = fixed;
    is_refused(&m, &o, VTA_MISMATCH, "axis 1 of input x has 3 elements, not 9");
    o.shapes = few;
    is_refused(&m, &o, VTA_MISMATCH, "has 3 axes, the shape given for it 2");
    o.shape_count = 0, o.batch = 7;
    world w;
    reading r = {.m = &m, .options = o};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_model, &r), VTA_OK);
    assert_non_null(strstr(r.text, "float32[7,3,4] = Relu"));
    world_close(&w);
}

/* ---- Data beside the model ---- */

static void set_external(Onnx__TensorProto *t, const char *location, const char *offset, const char *length) {
    const char *const pairs[][2] = {{"location", location}, {"offset", offset}, {"length", length}};
    t->has_raw_data = 0, t->has_data_location = 1, t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->external_data = make_room(3, sizeof *t->external_data);
    t->n_external_data = 0;
    for (int i = 0; i < 3; i++) {
        if (!pairs[i][1]) continue;
        Onnx__StringStringEntryProto *e = t->external_data[t->n_external_data++] = make_room(1, sizeof *e);
        onnx__string_string_entry_proto__init(e);
        e->key = make_text(pairs[i][0]), e->value = make_text(pairs[i][1]);
    }
}

static void put(const char *folder, const char *name, const void *data, size_t bytes) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static void test_external(void **state) {
    static char top[] = "/tmp/test_onnx_XXXXXX";
    char folder[64], path[128], outside[128];
    const float data[] = {0, 1, 2, 3};
    making m;
    (void)state;
    assert_non_null(mkdtemp(top));
    snprintf(folder, sizeof folder, "%s/model", top);
    assert_int_equal(mkdir(folder, 0700), 0);
    put(folder, "data.bin", data, sizeof data);
    put(top, "secret.bin", data, sizeof data);
    snprintf(path, sizeof path, "%s/link.bin", folder);
    snprintf(outside, sizeof outside, "%s/secret.bin", top);
    assert_int_equal(symlink(outside, path), 0);
    vt_onnx_options o = {.name = "made.onnx", .folder = folder};
    make_model(&m, 13);
    Onnx__TensorProto *t = MAKE_FLOATS(&m, "t", "2", 0, 0);
    make_output(&m, "t");
    set_external(t, "data.bin", "4", "8");
    for (o.spill_bytes = 0; o.spill_bytes < 2; o.spill_bytes++) { /* in memory, and in a file of its own */
        world w;
        reading r = {.m = &m, .options = o};
        world_open(&w);
        if (vt_protect(&w.ctx, read_model, &r) != VTA_OK) fail_msg("%s", vta_diag_text(w.diag));
        assert_non_null(strstr(r.text, "float32[2]{1,2}"));
        assert_true((w.ctx.spilled != NULL) == (o.spill_bytes && check_has_disk()));
        world_close(&w);
    }
    is_refused(&m, NULL, VTA_MISMATCH, "the model was not read from a folder");
    set_external(t, "../secret.bin", NULL, NULL);
    is_refused(&m, &o, VTA_MISMATCH, "is outside of the model's folder");
    set_external(t, outside, NULL, NULL);
    is_refused(&m, &o, VTA_NOT_FOUND, "tensor t"); /* below the folder there is no such path */
    set_external(t, "link.bin", NULL, NULL);
    is_refused(&m, &o, VTA_MISMATCH, "is outside of the model's folder");
    set_external(t, "missing.bin", NULL, NULL);
    is_refused(&m, &o, VTA_NOT_FOUND, "missing.bin");
    o.spill_bytes = 1;
    set_external(t, "data.bin", "12", NULL);
    is_refused(&m, &o, VTA_MISMATCH, "8 bytes from 12 on are not in");
    set_external(t, "data.bin", "0", "4");
    is_refused(&m, &o, VTA_MISMATCH, "has 4 bytes in");
    set_external(t, "data.bin", "-4", NULL);
    is_refused(&m, &o, VTA_MISMATCH, "offset of its data is");
    set_external(t, ".", NULL, NULL);
    is_refused(&m, &o, VTA_MISMATCH, "is outside of the model's folder");
    t->dims[0] = 1 << 30;
    set_external(t, "data.bin", NULL, NULL);
    is_refused(&m, &o, VTA_MISMATCH, "has 16 bytes, fewer than it says");
    unlink(path), unlink(outside);
    snprintf(path, sizeof path, "%s/data.bin", folder);
    unlink(path), rmdir(folder), rmdir(top);
}

/* ---- Bytes ---- */

static void test_bytes(void **state) {
    enum { DEEP = 8 + 4 * 9999 }; /* levels of three sorts */
    making m;
    size_t size;
    (void)state;
    make_model(&m, 13);
    make_input(&m, "x", F32, "1,2,5,6");
    add_constants(&m);
    make_node(&m, "Conv", "x w", "y", "pads=[1,1,1,1]");
    make_output(&m, "y");
    uint8_t *bytes = make_bytes(&m, &size);
    for (size_t n = 0; n < size; n++) { /* cut anywhere: refused, or a shorter model that is one */
        world w;
        uint8_t *exact = malloc(n ? n : 1);
        some_bytes given = {exact, n};
        memcpy(exact, bytes, n);
        world_open(&w);
        vta_status status = vt_protect(&w.ctx, read_bytes, &given);
        assert_true(status != VTA_INTERNAL && (status == VTA_OK || vta_diag_count(w.diag) > 0));
        world_close(&w);
        free(exact);
    }
    free(bytes);
    /* graphs in attributes of nodes of graphs, until the stack would be used up: lengths are those of what follows */
    uint8_t *deep = malloc(DEEP);
    size_t at = DEEP;
    const uint8_t keys[] = {0x0a, 0x2a, 0x32}; /* node of a graph, attribute of a node, graph of an attribute */
    for (size_t level = 0; at > 8; level++) {
        size_t length = DEEP - at;
        deep[--at] = (uint8_t)(length >> 14), deep[--at] = (uint8_t)(length >> 7 | 0x80),
        deep[--at] = (uint8_t)(length | 0x80);
        deep[--at] = keys[level % 3 == 0 ? 2 : level % 3 == 1 ? 1 : 0];
    }
    size_t length = DEEP - at;
    deep[--at] = (uint8_t)(length >> 14), deep[--at] = (uint8_t)(length >> 7 | 0x80),
    deep[--at] = (uint8_t)(length | 0x80);
    deep[--at] = 0x3a; /* graph of a model */
    world w;
    some_bytes given = {deep + at, DEEP - at};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_bytes, &given), VTA_PARSE);
    world_close(&w);
    free(deep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),    cmocka_unit_test(test_wrong),      cmocka_unit_test(test_shape_arithmetic),
        cmocka_unit_test(test_qlinear),     cmocka_unit_test(test_batch_norm), cmocka_unit_test(test_order),
        cmocka_unit_test(test_all_at_once), cmocka_unit_test(test_bad_graphs), cmocka_unit_test(test_bad_tensors),
        cmocka_unit_test(test_inputs),      cmocka_unit_test(test_external),   cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
