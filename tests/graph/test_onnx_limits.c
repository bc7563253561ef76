/* Where the reader draws its lines: what is just read, and the complete message of what is just not. */
#include <math.h>

#include "onnx_read.h"

typedef struct limit {
    int64_t opset;
    const char *x; /* shape of x, float32 */
    const char *op, *inputs, *outputs, *attributes;
    const char *text; /* the end of the message that refuses it; else words of the graph */
} limit;

#define BIG "16777216" /* the largest stride, pad and dilation */
#define MORE "16777217"

static const limit limits[] = {
    /* windows */
    {13, "1,2,5,6", "Conv", "x wt", "y", "",
     "Conv): weights float32[2,4,3,3] do not fit an input float32[1,2,5,6] in 1 groups"},
    {13, "1,2,5", "Conv", "x w", "y", "", "Conv): input and weights have not as many axes"},
    {13, "1,2,5", "ConvTranspose", "x wt", "y", "", "ConvTranspose): input and weights have not as many axes"},
    {13, "1,2,5,6", "Conv", "x - - x", "y", "", "Conv): input 1 is missing"},
    {13, "1,2,5,6", "Conv", "x w - - - - - - - x", "y", "", "Conv): 10 inputs"},
    {13, "1,2,5,6", "Conv", "x w", "y", "kernel_shape=[3,4]", "Conv): kernel_shape has 4, the weights 3"},
    {13, "1,2,5,6", "Conv", "x w", "y", "kernel_shape=[0,3]", "Conv): kernel_shape has 0"},
    {13, "1,2,5,6", "Conv", "x w", "y", "kernel_shape=[3]", "Conv): kernel_shape has 1 entries, expected 2"},
    {13, "1,2,5,6", "Conv", "x w", "y", "strides=[1,0]", "Conv): strides has 0"},
    {13, "1,2,5,6", "Conv", "x w", "y", "strides=[1," MORE "]", "Conv): strides has " MORE},
    {13, "1,2,5,6", "Conv", "x w", "y", "dilations=[1,0]", "Conv): dilations has 0"},
    {13, "1,2,5,6", "Conv", "x w", "y", "dilations=[1]", "Conv): dilations has 1 entries, expected 2"},
    {13, "1,2,5,6", "Conv", "x w", "y", "pads=[0,0,0]", "Conv): pads has 3 entries, expected 4"},
    {13, "1,2,5,6", "Conv", "x w", "y", "pads=[0,0,0,-1]", "Conv): pads has -1"},
    {13, "1,2,5,6", "Conv", "x w", "y", "pads=[0,0,0," MORE "]", "Conv): pads has " MORE},
    {13, "1,2,5,6", "Conv", "x w", "y", "auto_pad:VALID pads=[0,0,0," MORE "]", "output y: float32[1,4,3,4]"},
    {13, "1,2", "MaxPool", "x", "y", "kernel_shape=[1]",
     "MaxPool): windows over 0 axes; over one to three they are supported"},
    {13, "1,2,3,4,5,6", "MaxPool", "x", "y", "kernel_shape=[1,1,1,1]",
     "MaxPool): windows over 4 axes; over one to three they are supported"},
    {13, "1,2", "GlobalMaxPool", "x", "y", "", "GlobalMaxPool): the input has 2 axes; at least 3 are expected"},
    {13, "1,2,3,4,5", "GlobalAveragePool", "x", "y", "", "output y: float32[1,2,1,1,1]"},
    {13, "1,2,5", "MaxPool", "x", "y z", "kernel_shape=[1]", "output y: float32[1,2,5]"},
    {13, "1,2,5", "MaxPool", "x", "y -", "kernel_shape=[1]", "output y: float32[1,2,5]"},
    {13, "1,2,5", "GlobalMaxPool", "x", "y", "", "output y: float32[1,2,1]"},
    /* 5 + 0 outputs of a stride of 2: 4 elements of padding, the odd one at the end or at the begin */
    {13, "1,2,5,6", "Conv", "x w", "y", "auto_pad:SAME_UPPER dilations=[2,1]", "pads=2,1,2,1 dilations=2,1"},
    {13, "1,2,5,6", "Conv", "x w", "y", "auto_pad:SAME_LOWER strides=[4,5]", "strides=4,5 pads=1,1,1,1"},
    {13, "1,2,8,6", "Conv", "x w", "y", "auto_pad:SAME_UPPER strides=[4,4]", "strides=4,4 pads=0,0,0,1"},
    {13, "1,2,8,6", "Conv", "x w", "y", "auto_pad:SAME_LOWER strides=[4,4]", "strides=4,4 pads=0,1,0,0"},
    {13, "1,2,6,6", "MaxPool", "x", "y", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1 auto_pad:VALID", "pads=0,0,1,1"},
    {13, "1,2,6,6", "MaxPool", "x", "y", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1 auto_pad:SAME_UPPER",
     "output y: float32[1,2,3,3]"},
    /* the third window would begin in the padding after the input */
    {13, "1,2,4", "MaxPool", "x", "y", "kernel_shape=[1] strides=[3] pads=[0,1] ceil_mode=1",
     "output y: float32[1,2,2]"},
    {13, "1,2,4", "MaxPool", "x", "y", "kernel_shape=[2] strides=[3] pads=[1,1] ceil_mode=1",
     "output y: float32[1,2,2]"},
    {13, "1,2,4", "MaxPool", "x", "y", "kernel_shape=[2] strides=[4] pads=[0,1] ceil_mode=1",
     "output y: float32[1,2,1]"},
    {13, "1,2,5", "MaxPool", "x", "y", "kernel_shape=[2] strides=[4] ceil_mode=1", "output y: float32[1,2,2]"},
    {13, "1,2,6", "AveragePool", "x", "y", "kernel_shape=[3] strides=[2] ceil_mode=1 count_include_pad=1",
     "output y: float32[1,2,3]"},
    {13, "1,2,5", "AveragePool", "x", "y", "kernel_shape=[3] strides=[2] ceil_mode=1 count_include_pad=1",
     "pads=0,0 dilations=1 count_pads=1"},
    {13, "1,2,2", "MaxPool", "x", "y", "kernel_shape=[3] strides=[2] ceil_mode=1",
     "MaxPool): the kernel takes 3 elements of axis 2, which has 2 with its padding"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_shape=[7]", "ConvTranspose): output_shape has 1 entries"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_shape=[8,8]",
     "ConvTranspose): an output of 8 needs negative padding"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_shape=[7,0]",
     "ConvTranspose): an output of 0 needs negative padding"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_shape=[7,1]", "pads=0,4,0,3 dilations=1,1 output_pads=0,0"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_shape=[4,5] auto_pad:SAME_UPPER", "pads=1,1,2,2"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_shape=[4,5] auto_pad:SAME_LOWER", "pads=2,2,1,1"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "auto_pad:SAME_UPPER strides=[2,2]", "output y: float32[1,4,10,12]"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "auto_pad:SAME_LOWER strides=[2,2]", "pads=1,1,0,0"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "auto_pad:SAME_UPPER strides=[2,2] dilations=[2,2]", "pads=1,1,2,2"},
    {11, "1,2,5,6", "ConvTranspose", "x wt", "y", "output_padding=[0,-1]", "ConvTranspose): output_padding has -1"},
    /* shapes */
    {13, "2,3,4", "Reshape", "x", "y", "", "Reshape): a shape of 0 axes"},
    {13, "2,3,4", "Reshape", "x i_9", "y", "", "Reshape): a shape of 9 axes"},
    {13, "1", "Reshape", "x i_8", "y", "", "output y: float32[1,1,1,1,1,1,1,1]"},
    {13, "2,3,4", "Reshape", "x i_m1m1", "y", "", "Reshape): a shape with -1"},
    {13, "2,3,4", "Reshape", "x i_m2", "y", "", "Reshape): a shape with -2"},
    {13, "2,3,4", "Reshape", "x i_bigs", "y", "", "Reshape): a shape with 9223372036854775807"},
    {13, "2,3,4", "Reshape", "x i_0m1", "y", "", "output y: float32[2,12]"},
    {14, "2,3,4", "Reshape", "x i_0m1", "y", "allowzero=1", "Reshape): 24 elements are not a multiple of 0"},
    {14, "0,3", "Reshape", "x i_0", "y", "allowzero=1", "output y: float32[0]"},
    {13, "2,3,5", "Reshape", "x i_4m1", "y", "", "Reshape): 30 elements are not a multiple of 4"},
    {13, "24", "Reshape", "x i_20", "y", "", "Reshape): float32[24] has not as many elements as float32[2,0]"},
    {13, "2,3,4", "Flatten", "x", "y", "axis=4", "Flatten): axis 4 of a tensor of 3 axes"},
    {13, "2,3,4", "Flatten", "x", "y", "axis=3", "output y: float32[24,1]"},
    {13, "2,3,4", "Flatten", "x", "y", "axis=-3", "output y: float32[1,24]"},
    {13, "2,3,4", "Flatten", "x", "y", "axis=-4", "Flatten): axis -4 of a tensor of 3 axes"},
    {13, "2,3,4", "Flatten", "x", "y", "axis=0", "output y: float32[1,24]"},
    {11, "1,1,3", "Squeeze", "x", "y", "axes=[0,-3]", "Squeeze): axis -3 is there twice"},
    {11, "1,1,3", "Squeeze", "x", "y", "axes=[0,2]", "Squeeze): axis 2 has 3 elements"},
    {11, "1,1,3", "Squeeze", "x", "y", "axes=[1]", "output y: float32[1,3]"},
    {11, "1,1", "Unsqueeze", "x", "y", "axes=[0,1,2,3,4,5]", "output y: float32[1,1,1,1,1,1,1,1]"},
    {11, "1,1", "Unsqueeze", "x", "y", "axes=[0,1,2,3,4,5,6]", "Unsqueeze): 7 axes more"},
    {11, "1,1", "Unsqueeze", "x", "y", "axes=[0,0]", "Unsqueeze): axis 0 is there twice"},
    {11, "2,3", "Unsqueeze", "x", "y", "axes=[0,4]", "Unsqueeze): axis 4 of a tensor of 4 axes"},
    {11, "2,3", "Unsqueeze", "x", "y", "axes=[-1,-3]", "output y: float32[2,1,3,1]"},
    {13, "2,3", "Transpose", "x", "y", "perm=[1]", "Transpose): perm has 1 entries, expected 2"},
    {13, "2,3", "Concat", "x -", "y", "axis=0", "Concat): input 1 is missing"},
    {13, "2,3", "Concat", "x x x", "y", "axis=-2", "output y: float32[6,3]"},
    {13, "2,3", "Gather", "x i_01", "y", "axis=2", "Gather): axis 2 of a tensor of 2 axes"},
    {13, "2,3", "Gather", "x i_01", "y", "axis=-2", "Gather(x, const i_01 int64[2]{0,1}) axis=0\n"},
    /* parts */
    {13, "2,5", "Split", "x", "y z", "axis=1", "Split): 5 elements in 2 equal parts"},
    {13, "2,5", "Split", "x i_23", "y z", "axis=1", "starts=0,2 steps=1,1 shape=2,3\n"},
    {13, "2,5", "Split", "x i_12", "y z", "axis=1", "Split): its parts are smaller than the whole"},
    {13, "2,4", "Split", "x i_23", "y z", "axis=1", "Split): its parts are larger than the whole"},
    {13, "2,5", "Split", "x i_m16", "y z", "axis=1", "Split): its parts are larger than the whole"},
    {13, "2,5", "Split", "x i_23", "y", "axis=1", "Split): 2 sizes for 1 outputs"},
    {13, "2,6", "Split", "x", "y z v", "axis=1", "starts=0,4 steps=1,1 shape=2,2\n"},
    {13, "2,6", "Split", "x", "y z", "", "starts=1,0 steps=1,1 shape=1,6\n"},
    {12, "2,5", "Split", "x", "y z", "axis=1 split=[2,3]", "starts=0,2 steps=1,1 shape=2,3\n"},
    {13, "5,4", "Slice", "x i_0 i_1 i_0 i_0", "y", "", "Slice): a step of 0"},
    {13, "5,4", "Slice", "x i_m1 i_0 i_0 i_least", "y", "", "output y: float32[1,4]"},
    {13, "5,4", "Slice", "x i_0 i_big i_0 i_big", "y", "", "output y: float32[1,4]"},
    {13, "5,4", "Slice", "x i_01 i_23 i_01 i_1", "y", "", "Slice): starts, ends, axes and steps are not as many"},
    {13, "5,4", "Slice", "x i_01 i_23 i_1", "y", "", "Slice): starts, ends, axes and steps are not as many"},
    {13, "5,4", "Slice", "x i_01 i_1", "y", "", "Slice): starts, ends, axes and steps are not as many"},
    {13, "5", "Slice", "x i_01 i_23", "y", "", "Slice): starts, ends, axes and steps are not as many"},
    {13, "5,4", "Slice", "x - i_1", "y", "", "Slice): starts, ends, axes and steps are not as many"},
    {13, "5,4", "Slice", "x i_01 i_23 i_m2m2", "y", "", "Slice): axis -2 is there twice"},
    {13, "5,4", "Slice", "x i_2 i_1 i_0", "y", "", "starts=0,0 steps=1,1 shape=0,4\n"},
    {13, "5,4", "Slice", "x i_2 i_m2 i_0", "y", "", "starts=2,0 steps=1,1 shape=1,4\n"},
    {13, "5,4", "Slice", "x i_big i_0 i_0 i_m2", "y", "", "starts=4,0 steps=-2,1 shape=2,4\n"},
    {13, "5,4", "Slice", "x i_big i_least i_0 i_m2", "y", "", "starts=4,0 steps=-2,1 shape=3,4\n"},
    {13, "5,4", "Slice", "x i_least i_big i_0 i_2", "y", "", "starts=0,0 steps=2,1 shape=3,4\n"},
    {13, "5,4", "Slice", "x i_1 i_big i_0 i_2", "y", "", "starts=1,0 steps=2,1 shape=2,4\n"},
    {13, "5,4", "Slice", "x i_1 i_big i_0 i_big", "y", "", "starts=1,0 steps=6,1 shape=1,4\n"},
    {13, "5,4", "Slice", "x i_m2 i_0 i_0 i_least", "y", "", "starts=3,0 steps=-6,1 shape=1,4\n"},
    /* more of the same */
    {13, "2,3", "Expand", "x", "y", "", "Expand): a shape of 2 axes"},
    {13, "2,3", "Expand", "x i_9", "y", "", "Expand): a shape of 9 axes"},
    {13, "2", "Expand", "x i_8", "y", "", "output y: float32[1,1,1,1,1,1,1,2]"},
    {13, "3,1", "Expand", "x i_1", "y", "", "output y: float32[3,1]"},
    {13, "3,1,1", "Expand", "x i_12", "y", "", "output y: float32[3,1,2]"},
    {13, "2,3", "Tile", "x", "y", "", "Tile): 0 repeats for 2 axes"},
    {13, "2,3", "Tile", "x i_m1m1", "y", "", "Tile): -1 repeats"},
    {13, "2,3", "Tile", "x i_01", "y", "", "output y: float32[0,3]"},
    {13, "0", "Tile", "x i_31", "y", "", "output y: float32[0]"},
    {13, "0", "Tile", "x i_31m", "y", "", "Tile): 2147483649 repeats"},
    {13, "1,1,1,1", "Tile", "x i_4", "y", "", "output y: float32[1,1,1,1]"},
    {13, "1,1,1,1,1", "Tile", "x i_5", "y", "", "output y: float32[1,1,1,1,1]"},
    {13, "2,3", "Tile", "x i_23", "y", "", "output y: float32[4,9]"},
    {13, "2", "DepthToSpace", "x", "y", "", "DepthToSpace): input 0 (x) is float32[2], expected 4 axes"},
    {13, "1,4,2,2", "DepthToSpace", "x", "y", "", "DepthToSpace): blocksize has 0, where 1 to 32768 is possible"},
    /* Resize */
    {13, "1,2,3,4", "Resize", "x", "y", "", "Resize): 0 sizes for 4 axes"},
    {13, "1,2,3,4", "Resize", "x - - i_23", "y", "", "Resize): 2 sizes for 4 axes"},
    {13, "1,2,3,4", "Resize", "x - - i_zero", "y", "", "Resize): axis 2 from 3 to 0"},
    {13, "1,2,0,4", "Resize", "x - - i_sizes", "y", "", "Resize): axis 2 from 0 to 6"},
    {13, "1,2,1,4", "Resize", "x - - i_sizes", "y", "", "scales=1,1,6,2 shape=1,2,6,8\n"},
    {13, "1,2,3,4", "Resize", "x - x", "y", "",
     "Resize): scales (x) is computed when the model runs; it must follow from constants and shapes"},
    {13, "1,2,3,4", "Resize", "x - i_sizes", "y", "", "Resize): 4 scales for 4 axes"},
    {13, "1,2,3,4", "Resize", "x - f_minus", "y", "", "Resize): a scale of -1"},
    {13, "1,2,3,4", "Resize", "x - f_large", "y", "", "Resize): a scale of 1e+20"},
    {13, "1,2,3,4", "Resize", "x - f_31", "y", "", "Resize): the result has more than 2147483648 elements"},
    {10, "1,2,3,4", "Resize", "x", "y", "", "Resize): input 1 is missing"},
    {10, "1,2,3,4", "Resize", "x f_scales", "y", "mode:linear",
     "sampling=linear coordinates=asymmetric rounding=floor"},
    {7, "1,2,3,4", "Upsample", "x", "y", "scales=[1.0,2.0]", "Upsample): 2 scales for 4 axes"},
    /* what is known when the model is read */
    {13, "2", "Constant", "", "y", "", "Constant): 0 attributes, expected one"},
    {13, "2", "Constant", "", "y", "value_int=1 value_float=1.0", "Constant): 2 attributes, expected one"},
    {13, "2", "Constant", "", "y", "value_int=7", "output y: int64 = const y int64{7}"},
    {13, "2", "Constant", "", "y", "value_float=1.5", "output y: float32 = const y float32{1.5}"},
    {13, "2", "Constant", "", "y", "value_floats=[1.5,2.0]", "output y: float32[2] = const y float32[2]{1.5,2}"},
    {13, "2", "ConstantOfShape", "x", "y", "",
     "ConstantOfShape): shape (x) is computed when the model runs; it must follow from constants and shapes"},
    {13, "2", "ConstantOfShape", "i_9", "y", "", "ConstantOfShape): a shape of 9 axes"},
    {13, "2", "ConstantOfShape", "", "y", "", "ConstantOfShape): a shape of 0 axes"},
    {13, "2", "ConstantOfShape", "i_8", "y", "", "output y: float32[1,1,1,1,1,1,1,1]"},
    {13, "2", "ConstantOfShape", "i_pads", "y", "", "output y: float32[0,0,1,2,0,0,3,4]"},
    {13, "2", "Shape", "", "y", "", "Shape): input 0 is missing"},
    {15, "2,3,4", "Shape", "x", "y", "start=-9 end=-1", "int64[2]{2,3}"},
    {15, "2,3,4", "Shape", "x", "y", "start=-1 end=9", "int64[1]{4}"},
    {15, "2,3,4", "Shape", "x", "y", "start=2 end=1", "int64[0]{}"},
    {15, "2,3,4", "Shape", "x", "y", "start=0 end=-3", "int64[0]{}"},
    {15, "2,3,4", "Shape", "x", "y", "start=3", "int64[0]{}"},
    {13, "2,3", "Size", "x", "y", "", "int64{6}"},
    {13, "2", "Range", "i_1 i_8s i_2", "y", "", "int64[4]{1,3,5,7}"},
    {13, "2", "Range", "i_2 i_m2 i_m1", "y", "", "int64[4]{2,1,0,-1}"},
    {13, "2", "Range", "i_2 i_1 i_1", "y", "", "int64[0]{}"},
    {13, "2", "Range", "i_2 i_1 i_0", "y", "", "int64[0]{}"},
    {13, "2", "Range", "i_1 i_2 i_0", "y", "", "Range): from 1 to 2 by 0"},
    {13, "2", "Range", "i_0 i_million i_1", "y", "", "Range): from 0 to 1e+06 by 1"},
    {13, "2", "Range", "i_1 i_million i_1", "y", "", "output y: int64[999999]"},
    {13, "2", "Range", "i_least i_0 i_big", "y", "", "Range): from -9.22337e+18 to 0 by 9.22337e+18"},
    {13, "2", "Range", "i_0 i_big i_big", "y", "", "Range): from 0 to 9.22337e+18 by 9.22337e+18"},
    {13, "2", "Range", "f_0 f_6 f_6", "y", "", "output y: float32[1]"},
    {13, "2", "Range", "f_0 f_nan f_6", "y", "", "Range): limit is not a number"},
    {13, "2", "Range", "i_01 i_1 i_1", "y", "", "Range): start is not one number"},
    {13, "2", "Range", "i_0 i_1", "y", "", "Range): delta is not one number"},
    {13, "2", "Range", "i_0 x i_1", "y", "",
     "Range): limit (x) is computed when the model runs; it must follow from constants and shapes"},
    {13, "2,3", "Reshape", "x f_2", "y", "", "Reshape): shape are not integers"},
    {13, "2,3", "Reshape", "x i_2d", "y", "", "Reshape): shape is not a list of numbers"},
    {13, "2,3", "Reshape", "x i_1025", "y", "", "Reshape): shape is not a list of numbers"},
    {13, "2,3", "Reshape", "x i_1024", "y", "", "Reshape): a shape of 1024 axes"},
    {13, "2,3", "Reshape", "x j_32", "y", "", "output y: float32[3,2]"},
    {13, "2,3", "Neg", "f_1024", "y", "", "output y: float32[1024] = const"},
    {13, "2,3", "Neg", "f_1025", "y", "", "output y: float32[1025]"},
    {13, "2,3", "Concat", "f_1024 f_2", "y", "axis=0", "output y: float32[1026]"},
    /* numbers */
    {13, "2", "LeakyRelu", "x", "y", "alpha=nan.", "LeakyRelu): attribute alpha is not a number"},
    {13, "2", "Clip", "x f_nan", "y", "", "Clip): min is not a number"},
    {13, "2", "Clip", "x - f_2", "y", "", "Clip): max is not one number"},
    {13, "2", "Clip", "x", "y", "", "min=-inf max=inf"},
    {10, "2", "Clip", "x", "y", "min=1.0", "min=1 max=inf"},
    {13, "2", "Clip", "x f_0 x", "y", "", "= Min("},
    {13, "2", "Clip", "x - x", "y", "", "= Min(x, x)"},
    {13, "2", "Dropout", "x", "y z", "", "output y: float32[2]"},
    {13, "2", "Dropout", "x", "y -", "", "output y: float32[2]"},
    {13, "2", "Dropout", "x - b0", "y", "", "output y: float32[2]"},
    {13, "2", "Cast", "x", "y", "", "Cast): to element type 0 of ONNX"},
    {13, "2", "Cast", "x", "y", "to=14", "Cast): to element type 14 of ONNX"},
    {13, "1,2", "BatchNormalization", "x f_2 f_2 f_2 f_2", "y z", "",
     "BatchNormalization): output 1, which is for training, is used"},
    {13, "1,2", "BatchNormalization", "x f_2 f_2 f_2 f_2", "y - z", "",
     "BatchNormalization): output 2, which is for training, is used"},
    {13, "1,2", "BatchNormalization", "x f_2 f_2 f_2 f_2", "y - -", "", "output y: float32[1,2]"},
    {17, "2,2", "LayerNormalization", "x f_2", "y - z", "", ": float32[2,1] = Sqrt("},
    {17, "2,2", "LayerNormalization", "x f_2 f_2", "y", "", "Add(y."},
    {17, "2,0", "LayerNormalization", "x f_none", "y", "", "LayerNormalization): the input has no elements"},
    {17, "2,2", "LayerNormalization", "i_01 i_01", "y", "",
     "LayerNormalization): of int64 (i_01); of float32 it is supported"},
    {13, "1,2,3", "InstanceNormalization", "x f_2 f_2", "y", "", "output y: float32[1,2,3]"},
    {13, "1,2", "InstanceNormalization", "x f_2 f_2", "y", "",
     "InstanceNormalization): the input has 2 axes, expected at least 3"},
    {13, "1,2,3", "InstanceNormalization", "x f_2 f_scales", "y", "",
     "InstanceNormalization): input 2 is not one number for each of 2 channels"},
    {13, "1,2,3", "InstanceNormalization", "x f_1x2 f_2", "y", "",
     "InstanceNormalization): input 1 is not one number for each of 2 channels"},
    {13, "1,2", "LRN", "x", "y", "size=3", "output y: float32[1,2]"},
    {13, "1,2", "LRN", "x", "y", "size=65536", "output y: float32[1,2]"},
    {13, "1,2", "LRN", "x", "y", "size=65537", "LRN): attribute size: 65537 channels"},
    {13, "1,2", "LRN", "x", "y", "size=1", "output y: float32[1,2]"},
    {13, "1,2", "LRN", "x", "y", "", "LRN): attribute size: 0 channels"},
    {13, "2", "LRN", "x", "y", "size=1", "LRN): the input has 1 axes, expected at least 2"},
    {13, "2,3", "Softmax", "x", "y", "axis=2", "Softmax): axis 2 of a tensor of 2 axes"},
    {13, "2,3", "Softmax", "x", "y", "axis=-3", "Softmax): axis -3 of a tensor of 2 axes"},
    {12, "2,3,4", "Softmax", "x", "y", "axis=0", "[1,24] = Softmax("},
    {13, "2,3", "ReduceMax", "x", "y", "axes=[0,1,0,1,0,1,0,1,0]", "ReduceMax): 9 axes"},
    {13, "2,3", "ReduceMax", "x", "y", "axes=[0,1,0,1,0,1,0,1]", "ReduceMax): axes has 0, once too often for 2 axes"},
    {13, "2", "ReduceL1", "i_01", "y", "", "ReduceL1): of int64 (i_01); of float32 it is supported"},
    {13, "2,3", "ReduceSum", "x i_none", "y", "noop_with_empty_axes=1", "ReduceSum(x) axes= keepdims=1"},
    {12, "2,3", "Pad", "x i_4pads f_nan", "y", "", "Pad): the value is not a number"},
    {10, "2,3", "Pad", "x - f_6", "y", "pads=[1,1,1,1]", "value=0\n"},
    {13, "2,3", "Pad", "x", "y", "", "Pad): 0 pads for 2 axes"},
    {13, "2,3", "Sum", "x - x", "y", "", "Sum): input 1 is missing"},
    /* quantized */
    {13, "2,3", "QuantizeLinear", "x f_6", "y", "axis=9", "QuantizeLinear(x, const f_6 float32{6}) axis=0\n"},
    {13, "2,3", "QuantizeLinear", "x f_2", "y", "axis=-2", "axis=0\n"},
    {13, "2,3", "QuantizeLinear", "x f_2", "y", "axis=2", "QuantizeLinear): axis 2 of a tensor of 2 axes"},
    {13, "2,3", "QuantizeLinear", "x f_none", "y", "axis=2", "QuantizeLinear): axis 2 of a tensor of 2 axes"},
    {13, "2,3", "com.microsoft.QLinearConcat", "f_6 u", "y", "axis=0", "QLinearConcat): 2 inputs"},
    {13, "2,3", "com.microsoft.QLinearConcat", "f_6 u u f_6", "y", "axis=0", "QLinearConcat): 4 inputs"},
    {13, "2,3", "com.microsoft.QLinearConcat", "f_6 u u2 f_6 u", "y", "axis=0", "output y: uint8[2]"},
    {13, "2,3", "com.microsoft.QLinearConcat", "f_6 u u2 f_6 u", "y", "axis=1",
     "QLinearConcat): axis 1 of a tensor of 1 axes"},
    {13, "2,3", "com.microsoft.QLinearMul", "u2 f_6 u u2 f_6 u f_6 u", "y", "", " = Mul("},
    {13, "2,3", "com.microsoft.QLinearAdd", "u2 f_6 u u2 f_6 u f_6 u", "y", "", " = Add("},
    {13, "2,3", "com.microsoft.QLinearAdd", "u2 f_6 u u2 f_6 u", "y", "", "QLinearAdd): input 6 is missing"},
    {13, "2,3", "com.microsoft.QLinearAdd", "u2 f_6 u u2 - u f_6 u", "y", "", "QLinearAdd): input 4 is missing"},
    {13, "2,3", "com.microsoft.QLinearSigmoid", "u2 f_6 u f_6 u", "y", "", " = Sigmoid("},
};

static void add_more_constants(making *m) {
    static const float many[1025] = {0};
    static const int64_t ones[1025] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int32_t three_two[] = {3, 2};
    const int64_t size = sizeof *ones;
    MAKE_INTS(m, "i_m2", "1", -2);
    MAKE_INTS(m, "i_m1m1", "2", -1, -1);
    MAKE_INTS(m, "i_m2m2", "2", -2, -2);
    MAKE_INTS(m, "i_0m1", "2", 0, -1);
    MAKE_INTS(m, "i_4m1", "2", 4, -1);
    MAKE_INTS(m, "i_m16", "2", -1, 6);
    MAKE_INTS(m, "i_20", "2", 2, 0);
    MAKE_INTS(m, "i_bigs", "2", INT64_MAX, INT64_MAX);
    MAKE_INTS(m, "i_8s", "", 8);
    MAKE_INTS(m, "i_31", "1", (int64_t)1 << 31);
    MAKE_INTS(m, "i_31m", "1", ((int64_t)1 << 31) + 1);
    MAKE_INTS(m, "i_million", "", 1000000);
    MAKE_INTS(m, "i_least", "1", INT64_MIN);
    MAKE_INTS(m, "i_2d", "1,2", 2, 3);
    MAKE_INTS(m, "i_zero", "4", 1, 2, 0, 8);
    MAKE_INTS(m, "i_4pads", "4", 1, 1, 1, 1);
    MAKE_INTS(m, "i_none", "0", 0)->raw_data.len = 0;
    const struct {
        const char *name, *shape;
        int64_t count;
    } lists[] = {{"i_4", "4", 4}, {"i_5", "5", 5},          {"i_8", "8", 8},
                 {"i_9", "9", 9}, {"i_1024", "1024", 1024}, {"i_1025", "1025", 1025}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        make_constant(m, lists[i].name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, lists[i].shape, ones,
                      (size_t)(lists[i].count * size));
    make_constant(m, "j_32", ONNX__TENSOR_PROTO__DATA_TYPE__INT32, "2", three_two, sizeof three_two);
    make_constant(m, "f_1024", F32, "1024", many, 1024 * sizeof *many);
    make_constant(m, "f_1025", F32, "1025", many, 1025 * sizeof *many);
    MAKE_FLOATS(m, "f_nan", "", NAN);
    MAKE_FLOATS(m, "f_minus", "4", 1, 1, 1, -1);
    MAKE_FLOATS(m, "f_large", "4", 1, 1, 1, 1e20f);
    MAKE_FLOATS(m, "f_31", "4", 1, 1, 1, (float)(1 << 29));
    MAKE_FLOATS(m, "f_1x2", "1,2", 1, 2);
    make_constant(m, "b0", ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, "", "\0", 1);
    make_constant(m, "u", U8, "", "\1", 1);
    make_constant(m, "u2", U8, "2", "\1\2", 2);
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* A refusal's text begins with the operator as messages have it. */
static bool is_refusal(const limit *l) {
    const char *dot = strrchr(l->op, '.'), *name = dot ? dot + 1 : l->op;
    return !strncmp(l->text, name, strlen(name)) && l->text[strlen(name)] == ')';
}

static void check(const limit *l) {
    making m;
    world w;
    reading r = {.m = &m, .options = {.name = "made.onnx"}};
    make_model(&m, l->opset);
    make_input(&m, "x", F32, l->x);
    add_constants(&m);
    add_more_constants(&m);
    make_node(&m, l->op, l->inputs, l->outputs, l->attributes);
    make_output(&m, "y");
    world_open(&w);
    bool refused = vt_protect(&w.ctx, read_model, &r) != VTA_OK;
    const char *got = refused ? vta_diag_text(w.diag) : r.text;
    if (refused != is_refusal(l) || !(refused ? ends_with(got, l->text) : strstr(got, l->text) != NULL))
        fail_msg("%s of %s %s, wanted: %s\n%s", l->op, l->inputs, l->attributes, l->text, got);
    world_close(&w);
}

TEST_CASE(test_limits) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) check(&limits[i]);
}

int main(void) { return run_cases(); }
