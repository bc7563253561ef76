/* The type that every operator gives, and what each refuses. A row: operator, types of the inputs, attributes, and the
 * text of the outputs' types or words of the refusal. */
#include "build.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena_text.h"

enum { INPUTS = 9 };

typedef struct row {
    vt_gop op;
    const char *inputs; /* "float32[1,3,8,8] float32[4,3,3,3]"; "-": left out */
    uint32_t attribute_count;
    const vt_gattr *attributes;
    const char *result; /* types of the outputs */
    const char *refusal;
} row;

#define NONE 0, NULL
#define WINDOW(sh, sw, t, l, b, r, dh, dw) INTS(STRIDES, sh, sw), INTS(PADS, t, l, b, r), INTS(DILATIONS, dh, dw)
#define PLAIN WINDOW(1, 1, 0, 0, 0, 0, 1, 1)

static const row rows[] = {
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3,3]", ATTRIBUTES(PLAIN), "float32[1,4,6,6]"},
    {VT_G_CONV, "float32[2,3,8,9] float32[4,3,3,2] float32[4]", ATTRIBUTES(WINDOW(2, 3, 1, 0, 1, 1, 2, 1)),
     "float32[2,4,3,3]"},
    {VT_G_CONV, "float32[1,6,8] float32[4,3,3]",
     ATTRIBUTES(INTS(STRIDES, 1), INTS(PADS, 1, 1), INTS(DILATIONS, 1), VT_GSET_INT(GROUP, 2)), "float32[1,4,8]"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,2,3,3]", ATTRIBUTES(PLAIN), NULL, "do not fit an input"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,9,3]", ATTRIBUTES(PLAIN), NULL,
     "the kernel takes 9 elements of axis 2, which has 8"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3,3]", ATTRIBUTES(WINDOW(0, 1, 0, 0, 0, 0, 1, 1)), NULL, "strides has 0"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3,3]", ATTRIBUTES(WINDOW(1, 1, -1, 0, 0, 0, 1, 1)), NULL, "pads has -1"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3,3]", ATTRIBUTES(WINDOW(1, 1, 0, 0, 0, 0, 0, 1)), NULL,
     "dilations has 0"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3,3]", ATTRIBUTES(INTS(STRIDES, 1)), NULL,
     "strides has 1 entries, where 2"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3,3] float32[3]", ATTRIBUTES(PLAIN), NULL,
     "one number for each of 4 channels"},
    {VT_G_CONV, "float32[1,3,8,8] float32[4,3,3]", ATTRIBUTES(PLAIN), NULL, "where 4 axes are wanted"},
    {VT_G_CONV, "float32[1,3,8,8,8] float32[4,3,3,3,3]", ATTRIBUTES(PLAIN), NULL, "windows over one or two axes"},
    {VT_G_CONV, "float32[1,3,8,8]", ATTRIBUTES(PLAIN), NULL, "1 inputs, where 2 to 3 are wanted"},
    {VT_G_CONV, "int8[1,3,8,8] float32[4,3,3,3]", ATTRIBUTES(PLAIN), NULL, "is int8, where float32 is wanted"},
    {VT_G_CONV, "float32[1,3,8,8] int8[4,3,3,3]", ATTRIBUTES(PLAIN), NULL, "input 1 (i1) is int8"},
    {VT_G_CONV, "float32[1,4,8,8] float32[4,2,3,3]", ATTRIBUTES(PLAIN, VT_GSET_INT(GROUP, 3)), NULL, "do not fit"},
    {VT_G_CONV, "float32[1,4,8,8] float32[4,2,3,3]", ATTRIBUTES(PLAIN, VT_GSET_INT(GROUP, 0)), NULL, "group has 0"},
    {VT_G_CONV, "float32[1,3,0,8] float32[4,3,1,1]", ATTRIBUTES(PLAIN), NULL, "the kernel takes 1"},
    {VT_G_CONV_TRANSPOSE, "float32[1,4,5,5] float32[4,2,3,3] float32[4]",
     ATTRIBUTES(WINDOW(2, 2, 1, 1, 1, 1, 1, 1), INTS(OUTPUT_PADS, 1, 0), VT_GSET_INT(GROUP, 2)), "float32[1,4,10,9]"},
    {VT_G_CONV_TRANSPOSE, "float32[1,4,5,5] float32[4,2,3,3]",
     ATTRIBUTES(WINDOW(2, 2, 1, 1, 1, 1, 1, 1), INTS(OUTPUT_PADS, 2, 0)), NULL, "output_pads has 2"},
    {VT_G_CONV_TRANSPOSE, "float32[1,4,1,5] float32[4,2,3,3]",
     ATTRIBUTES(WINDOW(2, 2, 2, 1, 1, 1, 1, 1), INTS(OUTPUT_PADS, 0, 0)), NULL, "axis 2 of the result would have 0"},
    {VT_G_CONV_INTEGER, "uint8[1,1,3,3] int8[2,1,2,2] uint8 int8[2]", ATTRIBUTES(PLAIN), "int32[1,2,2,2]"},
    {VT_G_CONV_INTEGER, "uint8[1,1,3,3] int8[2,1,2,2] int8", ATTRIBUTES(PLAIN), NULL,
     "input 2 (i2) is int8, where uint8"},
    {VT_G_CONV_INTEGER, "uint8[1,1,3,3] int8[2,1,2,2] - int8[3]", ATTRIBUTES(PLAIN), NULL, "one for each of 2"},
    {VT_G_QLINEAR_CONV, "uint8[1,1,3,3] float32 uint8 int8[2,1,2,2] float32[2] int8[2] float32 int8 int32[2]",
     ATTRIBUTES(PLAIN), "int8[1,2,2,2]"},
    {VT_G_QLINEAR_CONV, "uint8[1,1,3,3] float32 uint8 int8[2,1,2,2] float32[2] int8[2] float32 int8 float32[2]",
     ATTRIBUTES(PLAIN), NULL, "input 8 (i8) is float32, where int32"},
    {VT_G_MAT_MUL, "float32[2,3] float32[3,4]", NONE, "float32[2,4]"},
    {VT_G_MAT_MUL, "float32[5,1,2,3] float32[7,3,4]", NONE, "float32[5,7,2,4]"},
    {VT_G_MAT_MUL, "float32[3] float32[3,4]", NONE, "float32[4]"},
    {VT_G_MAT_MUL, "float32[2,3] float32[3]", NONE, "float32[2]"},
    {VT_G_MAT_MUL, "float32[3] float32[3]", NONE, "float32"},
    {VT_G_MAT_MUL, "float32[2,3] float32[4,3]", NONE, NULL, "have no matrix product"},
    {VT_G_MAT_MUL, "float32 float32[4,3]", NONE, NULL, "a scalar has no matrix product"},
    {VT_G_MAT_MUL, "float32[2,2,3] float32[3,3,4]", NONE, NULL, "do not broadcast"},
    {VT_G_GEMM, "float32[3,2] float32[4,3] float32[4]", ATTRIBUTES(VT_GSET_INT(TRANS_A, 1), VT_GSET_INT(TRANS_B, 1)),
     "float32[2,4]"},
    {VT_G_GEMM, "float32[2,3] float32[3,4] float32[2,1]", NONE, "float32[2,4]"},
    {VT_G_GEMM, "float32[2,3] float32[4,3]", NONE, NULL, "the rows of a have 3"},
    {VT_G_GEMM, "float32[2,3] float32[3,4] float32[5,2,4]", NONE, NULL, "more than the product"},
    {VT_G_MAT_MUL_INTEGER, "uint8[2,3] int8[3,4] uint8[2] int8", NONE, "int32[2,4]"},
    {VT_G_MAT_MUL_INTEGER, "uint8[2,3] int8[3,4] uint8[3] int8", NONE, NULL, "one for each of 2"},
    {VT_G_QLINEAR_MAT_MUL, "uint8[2,3] float32 uint8 int8[3,4] float32[4] int8[4] float32 uint8", NONE, "uint8[2,4]"},
    {VT_G_BATCH_NORMALIZATION, "float32[1,3,2] float32[3] float32[3] float32[3] float32[3]", NONE, "float32[1,3,2]"},
    {VT_G_BATCH_NORMALIZATION, "float32[1,3,2] float32[3] float32[2] float32[3] float32[3]", NONE, NULL,
     "2 numbers for 3"},
    {VT_G_BATCH_NORMALIZATION, "float32[3] float32[3] float32[2] float32[3] float32[3]", NONE, NULL,
     "no axis of channels"},
    {VT_G_MAX_POOL, "uint8[1,2,7,7]", ATTRIBUTES(INTS(KERNEL, 3, 2), WINDOW(2, 2, 1, 0, 1, 1, 1, 1)), "uint8[1,2,4,4]"},
    {VT_G_MAX_POOL, "float32[1,2,7,7]", ATTRIBUTES(INTS(KERNEL, 3, 2), WINDOW(2, 2, 3, 0, 1, 1, 1, 1)), NULL,
     "the padding of axis 2 holds a whole window"},
    {VT_G_AVERAGE_POOL, "float32[1,2,7]",
     ATTRIBUTES(INTS(KERNEL, 7), INTS(STRIDES, 1), INTS(PADS, 0, 0), INTS(DILATIONS, 1)), "float32[1,2,1]"},
    {VT_G_AVERAGE_POOL, "int8[1,2,7]", NONE, NULL, "is int8, where float32"},
    {VT_G_AVERAGE_POOL, "float32[2,7]", NONE, NULL, "windows over one or two axes"},
    {VT_G_REDUCE_MEAN, "float32[2,3,4]", ATTRIBUTES(INTS(AXES, 0, 2)), "float32[1,3,1]"},
    {VT_G_REDUCE_SUM, "int32[2,3,4]", ATTRIBUTES(INTS(AXES, 1), VT_GSET_INT(KEEPDIMS, 0)), "int32[2,4]"},
    {VT_G_REDUCE_PROD, "int64[2]", ATTRIBUTES(INTS(AXES, 0), VT_GSET_INT(KEEPDIMS, 0)), "int64"},
    {VT_G_REDUCE_MAX, "float32[2,3,4]", ATTRIBUTES(INTS(AXES, 1, 1)), NULL, "axes has 1, once too often"},
    {VT_G_REDUCE_MIN, "float32[2,3,4]", ATTRIBUTES(INTS(AXES, 3)), NULL, "axes has 3"},
    {VT_G_REDUCE_MIN, "float32[2,0,4]", ATTRIBUTES(INTS(AXES, 1)), NULL, "axis 1, which is reduced, is empty"},
    {VT_G_SOFTMAX, "float32[2,3]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), "float32[2,3]"},
    {VT_G_LOG_SOFTMAX, "float32[2,3]", ATTRIBUTES(VT_GSET_INT(AXIS, 2)), NULL, "axis 2 of a tensor of 2 axes"},
    {VT_G_RELU, "float32[2]", NONE, "float32[2]"},
    {VT_G_RELU, "int32[2]", NONE, NULL, "is int32, where float32"},
    {VT_G_CLIP, "int8[2]", NONE, "int8[2]"},
    {VT_G_ABS, "int64[2]", NONE, "int64[2]"},
    {VT_G_NOT, "bool", NONE, "bool"},
    {VT_G_NOT, "uint8", NONE, NULL, "is uint8, where bool"},
    {VT_G_CAST, "float32[2]", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_I64)), "int64[2]"},
    {VT_G_CAST, "float32[2]", ATTRIBUTES(VT_GSET_INT(TO, 99)), NULL, "to has 99"},
    {VT_G_ADD, "float32[2,1,4] float32[3,1]", NONE, "float32[2,3,4]"},
    {VT_G_ADD, "float32[2,3] float32[2]", NONE, NULL, "do not broadcast"},
    {VT_G_MUL, "float32[2,3] int8[3]", NONE, NULL, "input 1 (i1) is int8, where float32"},
    {VT_G_ADD, "float32[65536,1] float32[1,65536]", NONE, NULL, "more than 2147483648 elements"},
    {VT_G_LESS, "int8[2,3] int8", NONE, "bool[2,3]"},
    {VT_G_XOR, "bool[2] bool[2]", NONE, "bool[2]"},
    {VT_G_WHERE, "bool[2,1] float32[3] float32", NONE, "float32[2,3]"},
    {VT_G_WHERE, "bool[2,1] float32[3] int8", NONE, NULL, "input 2 (i2) is int8"},
    {VT_G_RESHAPE, "int8[2,6]", ATTRIBUTES(INTS(SHAPE, 3, 4, 1)), "int8[3,4,1]"},
    {VT_G_RESHAPE, "int8[2,6]", ATTRIBUTES(INTS(SHAPE, 3, 5)), NULL, "has not as many elements"},
    {VT_G_RESHAPE, "int8[2,6]", ATTRIBUTES(INTS(SHAPE, -3, -4)), NULL, "axis 0 of the result would have -3"},
    {VT_G_RESHAPE, "int8", ATTRIBUTES(INTS(SHAPE, 1, 1, 1, 1, 1, 1, 1, 1, 1)), NULL, "has 9 axes"},
    {VT_G_TRANSPOSE, "int8[2,3,4]", ATTRIBUTES(INTS(PERM, 2, 0, 1)), "int8[4,2,3]"},
    {VT_G_TRANSPOSE, "int8[2,3,4]", ATTRIBUTES(INTS(PERM, 2, 0, 2)), NULL, "perm has axis 2 twice"},
    {VT_G_TRANSPOSE, "int8[2,3,4]", ATTRIBUTES(INTS(PERM, 2, 0, 3)), NULL, "perm has 3"},
    {VT_G_CONCAT, "bool[2,3] bool[2,5] bool[2,0]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), "bool[2,8]"},
    {VT_G_CONCAT, "bool[2,3] bool[3,3]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), NULL, "does not fit"},
    {VT_G_CONCAT, "bool[2,3] bool[3]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), NULL, "does not fit"},
    {VT_G_CONCAT, "bool[2,3] - bool[2,3]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), NULL, "input 1 is missing"},
    {VT_G_PAD, "int8[2,3]", ATTRIBUTES(INTS(PADS, 1, -1, 0, 4)), "int8[3,6]"},
    {VT_G_PAD, "int8[2,3]", ATTRIBUTES(INTS(PADS, 0, -4, 0, 4)), NULL, "pads has -4"},
    {VT_G_PAD, "int8[2,3]", ATTRIBUTES(INTS(PADS, 0, -2, 0, -2)), NULL, "would have -1"},
    {VT_G_PAD, "int8[2,3]", ATTRIBUTES(INTS(PADS, 2, 0, 0, 0), VT_GSET_INT(PADDING, VT_PADDING_REFLECT)), NULL,
     "pads has 2"},
    {VT_G_SLICE, "int8[5,4]", ATTRIBUTES(INTS(STARTS, 4, 1), INTS(STEPS, -2, 1), INTS(SHAPE, 3, 2)), "int8[3,2]"},
    {VT_G_SLICE, "int8[5,4]", ATTRIBUTES(INTS(STARTS, 4, 1), INTS(STEPS, -2, 2), INTS(SHAPE, 3, 3)), NULL,
     "leaves the input"},
    {VT_G_SLICE, "int8[5,4]", ATTRIBUTES(INTS(STARTS, 5, 1), INTS(STEPS, 1, 1), INTS(SHAPE, 1, 1)), NULL,
     "starts has 5"},
    {VT_G_SLICE, "int8[5,4]", ATTRIBUTES(INTS(STARTS, 0, 0), INTS(STEPS, 0, 1), INTS(SHAPE, 1, 1)), NULL,
     "leaves the input"},
    {VT_G_GATHER, "int8[5,4] int64[2,3]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), "int8[5,2,3]"},
    {VT_G_GATHER, "int8[5,4] float32[2]", NONE, NULL, "input 1 (i1) is float32, where int64"},
    {VT_G_GATHER, "int8 int64", NONE, NULL, "axis 0 of a tensor of 0"},
    {VT_G_EXPAND, "int8[3,1]", ATTRIBUTES(INTS(SHAPE, 2, 3, 4)), "int8[2,3,4]"},
    {VT_G_EXPAND, "int8[3,2]", ATTRIBUTES(INTS(SHAPE, 2, 3, 1)), NULL, "does not broadcast to"},
    {VT_G_RESIZE, "float32[1,1,2,2]", ATTRIBUTES(FLOATS(SCALES, 1, 1, 2, 1.5), INTS(SHAPE, 1, 1, 4, 3)),
     "float32[1,1,4,3]"},
    {VT_G_RESIZE, "float32[1,1,2,2]", ATTRIBUTES(FLOATS(SCALES, 1, 1, 0, 1), INTS(SHAPE, 1, 1, 4, 3)), NULL,
     "cannot be scaled by 0"},
    {VT_G_RESIZE, "float32[1,1,2,2]", ATTRIBUTES(FLOATS(SCALES, 1, 1), INTS(SHAPE, 1, 1, 4, 3)), NULL,
     "2 scales for 4 axes"},
    {VT_G_RESIZE, "int8[1,1,2,2]",
     ATTRIBUTES(FLOATS(SCALES, 1, 1, 2, 2), INTS(SHAPE, 1, 1, 4, 4), VT_GSET_INT(SAMPLING, VT_SAMPLING_LINEAR)), NULL,
     "is int8, where float32"},
    {VT_G_DEPTH_TO_SPACE, "float32[1,8,2,3]", ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, 2)), "float32[1,2,4,6]"},
    {VT_G_DEPTH_TO_SPACE, "float32[1,6,2,3]", ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, 2)), NULL,
     "6 channels are not a multiple"},
    {VT_G_SPACE_TO_DEPTH, "float32[1,2,4,6]", ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, 2)), "float32[1,8,2,3]"},
    {VT_G_SPACE_TO_DEPTH, "float32[1,2,4,6]", NONE, NULL, "blocksize has 0"},
    {VT_G_QUANTIZE_LINEAR, "float32[2,3] float32", NONE, "uint8[2,3]"},
    {VT_G_QUANTIZE_LINEAR, "float32[2,3] float32[3] int8[3]", NONE, "int8[2,3]"},
    {VT_G_QUANTIZE_LINEAR, "float32[2,3] float32[2] int8[2]", NONE, NULL, "one for each of 3"},
    {VT_G_QUANTIZE_LINEAR, "float32[2,3] float32[3] int8", NONE, NULL, "3 scales and 1 zero points"},
    {VT_G_QUANTIZE_LINEAR, "float32[2,3] float32 int32", NONE, NULL, "where int8 or uint8"},
    {VT_G_DEQUANTIZE_LINEAR, "int32[2] float32", NONE, "float32[2]"},
    {VT_G_DEQUANTIZE_LINEAR, "int8[2] float32 uint8", NONE, NULL, "input 2 (i2) is uint8, where int8"},
    {VT_G_DEQUANTIZE_LINEAR, "int16[2] float32", NONE, NULL, "where int8 or uint8"},
    {VT_G_DYNAMIC_QUANTIZE_LINEAR, "float32[2]", NONE, "uint8[2] float32 uint8"},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* One input of the row's text; gives what follows it. */
static const char *input_of(world *w, const char *text, uint32_t i, vt_gvalue **out) {
    char word[64], name[8];
    int64_t dims[VT_MOST_RANK];
    size_t rank = 0, n = strcspn(text, " "), head = strcspn(text, "[ ");
    vt_element e;
    vt_gtype t;
    assert_true(n < sizeof word);
    snprintf(word, sizeof word, "%.*s", (int)head, text);
    *out = NULL;
    if (strcmp(word, "-") != 0) {
        assert_true(vt_element_parse(word, &e));
        for (const char *p = text + head; p < text + n && *p != ']'; rank++)
            dims[rank] = strtoll(p + 1, (char **)&p, 10);
        assert_true(vt_gtype_make(e, rank, dims, &t));
        snprintf(name, sizeof name, "i%u", (unsigned)i);
        *out = vt_graph_input(w->g, name, t);
    }
    return text[n] ? text + n + 1 : text + n;
}

typedef struct question {
    world *w;
    const row *r;
    const char *answer;
} question;

static vta_status ask(vt_ctx *ctx, void *arg) {
    question *q = arg;
    vt_gvalue *inputs[INPUTS];
    uint32_t count = 0;
    for (const char *at = q->r->inputs; *at; count++) at = input_of(q->w, at, count, &inputs[count]);
    vt_gnode_spec spec = {q->r->op, "n", NULL, count, q->r->attribute_count, inputs, q->r->attributes};
    const vt_gnode *n = vt_graph_add(q->w->g, &spec);
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    char text[VT_GTYPE_TEXT];
    for (uint32_t i = 0; i < n->output_count; i++)
        vt_strbuf_addf(&sb, "%s%s", i ? " " : "", vt_gtype_text(&n->outputs[i]->type, text));
    q->answer = vt_arena_text_take(ctx, &sb);
    return VTA_OK;
}

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        world w;
        world_open(&w);
        question q = {&w, &rows[i], ""};
        vta_status status = vt_protect(&w.ctx, ask, &q);
        const char *said = vta_diag_text(w.diag);
        if (rows[i].result && (status != VTA_OK || strcmp(q.answer, rows[i].result) != 0))
            fail_msg("%s(%s) gives %s %s", vt_gop_text(rows[i].op), rows[i].inputs, q.answer, said);
        if (rows[i].refusal && (status != VTA_MISMATCH || !strstr(said, rows[i].refusal)))
            fail_msg("%s(%s): %d, %s%s", vt_gop_text(rows[i].op), rows[i].inputs, (int)status, q.answer, said);
        world_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
