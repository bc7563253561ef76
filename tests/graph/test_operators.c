/* Every row of the table of operators: how many inputs and outputs, of what elements, and what an attribute is that
 * nobody gives. What ONNX says of the operator is the measure; lists are empty, since a node says them completely. */
#include "build.h"

#include "frontend/graph/type.h"

/* "name, least inputs-most, outputs, elements of the first input, attributes" */
static const char *const rows[] = {
    "Conv 2-3 1 floats strides= pads= dilations= group=1",
    "ConvTranspose 2-3 1 floats strides= pads= dilations= output_pads= group=1",
    "ConvInteger 2-4 1 bytes strides= pads= dilations= group=1",
    "QLinearConv 8-9 1 bytes strides= pads= dilations= group=1",
    "MatMul 2-2 1 reals",
    "Gemm 2-3 1 floats alpha=1 beta=1 trans_a=0 trans_b=0",
    "MatMulInteger 2-4 1 bytes",
    "QLinearMatMul 8-8 1 bytes",
    "BatchNormalization 5-5 1 floats epsilon=1e-05",
    "MaxPool 1-1 1 numbers kernel= strides= pads= dilations=",
    "AveragePool 1-1 1 floats kernel= strides= pads= dilations= count_pads=0",
    "ReduceMean 1-1 1 reals axes= keepdims=1",
    "ReduceSum 1-1 1 numbers axes= keepdims=1",
    "ReduceProd 1-1 1 numbers axes= keepdims=1",
    "ReduceMax 1-1 1 numbers axes= keepdims=1",
    "ReduceMin 1-1 1 numbers axes= keepdims=1",
    "Softmax 1-1 1 floats axis=0",
    "LogSoftmax 1-1 1 floats axis=0",
    "Relu 1-1 1 reals",
    "LeakyRelu 1-1 1 reals alpha=0.01",
    "Clip 1-1 1 numbers min=-inf max=inf",
    "Sigmoid 1-1 1 reals",
    "HardSigmoid 1-1 1 reals alpha=0.200000003 beta=0.5",
    "HardSwish 1-1 1 reals",
    "Elu 1-1 1 reals alpha=1",
    "Softplus 1-1 1 reals",
    "Tanh 1-1 1 reals",
    "Erf 1-1 1 reals",
    "Exp 1-1 1 reals",
    "Sin 1-1 1 reals",
    "Cos 1-1 1 reals",
    "Tan 1-1 1 reals",
    "Asin 1-1 1 reals",
    "Acos 1-1 1 reals",
    "Atan 1-1 1 reals",
    "Sinh 1-1 1 reals",
    "Cosh 1-1 1 reals",
    "Asinh 1-1 1 reals",
    "Acosh 1-1 1 reals",
    "Atanh 1-1 1 reals",
    "Log 1-1 1 reals",
    "Sqrt 1-1 1 reals",
    "Reciprocal 1-1 1 reals",
    "Floor 1-1 1 reals",
    "Ceil 1-1 1 reals",
    "Round 1-1 1 reals",
    "Abs 1-1 1 numbers",
    "Neg 1-1 1 numbers",
    "Not 1-1 1 bools",
    "BitwiseNot 1-1 1 numbers",
    "Cast 1-1 1 any to=float32",
    "Identity 1-1 1 any",
    "Add 2-2 1 numbers",
    "Sub 2-2 1 numbers",
    "Mul 2-2 1 numbers",
    "Div 2-2 1 numbers",
    "Min 2-2 1 numbers",
    "Max 2-2 1 numbers",
    "Pow 2-2 1 reals",
    "PRelu 2-2 1 reals",
    "Mod 2-2 1 numbers truncated=0",
    "BitwiseAnd 2-2 1 numbers",
    "BitwiseOr 2-2 1 numbers",
    "BitwiseXor 2-2 1 numbers",
    "ShiftLeft 2-2 1 numbers",
    "ShiftRight 2-2 1 numbers",
    "Equal 2-2 1 any",
    "Less 2-2 1 numbers",
    "LessOrEqual 2-2 1 numbers",
    "Greater 2-2 1 numbers",
    "GreaterOrEqual 2-2 1 numbers",
    "And 2-2 1 bools",
    "Or 2-2 1 bools",
    "Xor 2-2 1 bools",
    "Where 3-3 1 bools",
    "Reshape 1-1 1 any shape=",
    "Transpose 1-1 1 any perm=",
    "Concat 1-1048576 1 any axis=0",
    "Pad 1-1 1 any padding=constant pads= value=0",
    "Slice 1-1 1 any starts= steps= shape=",
    "Gather 2-2 1 any axis=0",
    "Scatter 3-3 1 numbers reduction=none",
    "TopK 1-1 1 numbers axis=0 k=1 largest=1",
    "NonMaxSuppression 2-2 1 floats k=0 iou=0 score=-inf centered=0",
    "CumSum 1-1 1 numbers axis=0 exclusive=0 reverse=0",
    "Expand 1-1 1 any shape=",
    "Resize 1-1 1 numbers sampling=nearest coordinates=half_pixel rounding=round_prefer_floor scales= shape=",
    "DepthToSpace 1-1 1 any blocksize=0 order=DCR",
    "SpaceToDepth 1-1 1 any blocksize=0",
    "QuantizeLinear 2-3 1 numbers axis=1",
    "DequantizeLinear 2-3 1 numbers axis=1",
    "DynamicQuantizeLinear 1-1 3 floats",
};
enum { ROWS = sizeof rows / sizeof *rows };

static void print_row(vt_gop op, vt_strbuf *sb) {
    static const char *const elements[] = {"floats", "numbers", "bytes", "bools", "any", "reals"};
    const vt_gop_info *info = vt_gop_get(op);
    vt_gattr attributes[VT_MAX_ATTRIBUTES];
    vt_gnode n = {.op = op, .attributes = attributes, .attribute_count = vt_gop_attributes(op, attributes)};
    vt_strbuf_addf(sb, "%s %u-%u %u %s", info->text, info->least, info->most, info->outputs, elements[info->elements]);
    vt_strbuf line;
    vt_strbuf_init(&line, NULL);
    vt_gnode_print(&n, &line); /* " = Conv() strides=": what stands behind the inputs */
    vt_strbuf_add(sb, strchr(vt_strbuf_text(&line), ')') + 1);
    vt_strbuf_free(&line);
}

TEST_CASE(every_row) {
    assert_int_equal(ROWS, VT_GOP_COUNT);
    for (uint32_t op = 0; op < VT_GOP_COUNT; op++) {
        vt_strbuf sb;
        vt_strbuf_init(&sb, NULL);
        print_row((vt_gop)op, &sb);
        assert_string_equal(vt_strbuf_text(&sb), rows[op]);
        vt_strbuf_free(&sb);
    }
}

/* Each operator is found by its name; an unknown name finds none. */
TEST_CASE(names) {
    for (uint32_t op = 0; op < VT_GOP_COUNT; op++) assert_int_equal(vt_gop_find(vt_gop_text((vt_gop)op)), op);
    assert_int_equal(vt_gop_find("Flatten"), VT_GOP_COUNT);
    assert_int_equal(vt_gop_find(""), VT_GOP_COUNT);
}

int main(void) { return run_cases(); }
