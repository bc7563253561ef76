/* Operators of float64: most are the graph's own in that type. The others, windows and recurrent layers above all, are
 * computed in float32: their inputs are cast, and so is what they give. */
#include <string.h>

#include "frontend/onnx/make.h"

/* Those that are computed in float64, or only move elements. */
static const char own[] =
    " Abs Acos Acosh Add ArgMax ArgMin Asin Asinh Atan Atanh Cast CastLike Ceil Celu Clip Compress Concat"
    " ConcatFromSequence Constant ConstantOfShape Cos Cosh CumSum DepthToSpace Div Dropout Einsum Elu Equal Erf Exp "
    "Expand EyeLike"
    " Flatten Floor Gather GatherElements GatherND Gelu Gemm Greater GreaterOrEqual HardSigmoid HardSwish Hardmax"
    " Identity If IsInf IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax Loop LpNormalization"
    " MatMul Max Mean MeanVarianceNormalization Min Mish Mod Mul Neg NonZero OneHot PRelu Pad Pow"
    " RMSNormalization Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean"
    " ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape ReverseSequence Round Scan Scatter"
    " ScatterElements ScatterND Selu SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert"
    " SequenceLength Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign"
    " SpaceToDepth Split SplitToSequence Sqrt Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu "
    "Unsqueeze"
    " Where ";

static bool is_own(const Onnx__NodeProto *p) {
    const char *name = vt__onnx_name(p->op_type);
    size_t size = strlen(name);
    if (*vt__onnx_name(p->domain) && strcmp(p->domain, "ai.onnx") != 0) return false;
    for (const char *at = own; (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[size] == ' ') return true; /* the list begins with a blank */
    return false;
}

void vt__onnx_start_narrow(vt_onnx_node *n) {
    bool wide = false;
    for (size_t i = 0; i < n->p->n_input; i++) {
        const vt_gvalue *v = vt__onnx_in(n, i);
        wide |= v && v->type.element == VT_ELEMENT_F64;
    }
    if (wide && !is_own(n->p)) n->narrowed = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, n->p->n_input);
}

vt_gvalue *vt__onnx_narrow_in(const vt_onnx_node *n, size_t i, vt_gvalue *v) {
    if (!v || v->type.element != VT_ELEMENT_F64) return v;
    if (!n->narrowed[i]) n->narrowed[i] = vt__mk_cast(n, v, VT_ELEMENT_F32);
    return n->narrowed[i];
}

vt_gvalue *vt__onnx_wide_out(const vt_onnx_node *n, vt_gvalue *v) {
    return v->type.element == VT_ELEMENT_F32 ? vt__mk_cast(n, v, VT_ELEMENT_F64) : v;
}
