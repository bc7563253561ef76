/* What operators make of the least and the largest numbers of their types, of what is not a number, of nothing at all,
 * and what they refuse. Inputs and results as text: a type, then its elements. */
#include "sample.h"

#include <stdatomic.h>

#include "base/arena_text.h"

typedef struct row {
    vt_gop op;
    const char *inputs; /* with ; between them */
    uint32_t attribute_count;
    const vt_gattr *attributes;
    const char *result; /* of all outputs, with ; between them; or the message of a refusal */
} row;

#define NONE 0, NULL
#define LINE(kernel, stride, before, after, dilation)                                                                  \
    INTS(KERNEL, kernel), INTS(STRIDES, stride), INTS(PADS, before, after), INTS(DILATIONS, dilation)

static const row rows[] = {
    /* nothing */
    {VT_G_MAT_MUL, "float32[0,2,3]; float32[0,3,4]", NONE, "float32[0,2,4]"},
    {VT_G_MAT_MUL, "float32[2,0]; float32[0,2]", NONE, "float32[2,2] 0 0 0 0"},
    {VT_G_MAT_MUL_INTEGER, "uint8[0,2,3]; int8[0,3,4]", NONE, "int32[0,2,4]"},
    {VT_G_MAT_MUL_INTEGER, "uint8[2,0]; int8[0,2]", NONE, "int32[2,2] 0 0 0 0"},
    {VT_G_GEMM, "float32[2,0]; float32[0,2]; float32[2] 3 4", NONE, "float32[2,2] 3 4 3 4"},
    {VT_G_CONV, "float32[0,1,2]; float32[1,1,1] 1", ATTRIBUTES(INTS(STRIDES, 1), INTS(PADS, 0, 0), INTS(DILATIONS, 1)),
     "float32[0,1,2]"},
    {VT_G_REDUCE_SUM, "float32[0,2]", ATTRIBUTES(INTS(AXES, 1)), "float32[0,1]"},
    {VT_G_REDUCE_SUM, "int8[0,2]", ATTRIBUTES(INTS(AXES, 1)), "int8[0,1]"},
    {VT_G_REDUCE_SUM, "int8[2] 3 4", ATTRIBUTES(VT_GSET_INT(KEEPDIMS, 0)), "int8[2] 3 4"},
    {VT_G_SOFTMAX, "float32[2,0]", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), "float32[2,0]"},
    {VT_G_TRANSPOSE, "int8[2,0]", ATTRIBUTES(INTS(PERM, 1, 0)), "int8[0,2]"},
    {VT_G_CONCAT, "int8[0]; int8[2] 1 2; int8[0]", NONE, "int8[2] 1 2"},
    {VT_G_SLICE, "int8[3] 1 2 3", ATTRIBUTES(INTS(STARTS, 0), INTS(STEPS, 1), INTS(SHAPE, 0)), "int8[0]"},
    {VT_G_EXPAND, "int8[1] 1", ATTRIBUTES(INTS(SHAPE, 0)), "int8[0]"},
    {VT_G_GATHER, "int8[3] 1 2 3; int64[0]", NONE, "int8[0]"},
    {VT_G_ADD, "float32[0]; float32[1] 1", NONE, "float32[0]"},
    {VT_G_WHERE, "bool[0]; int8[1] 1; int8 2", NONE, "int8[0]"},
    {VT_G_QUANTIZE_LINEAR, "float32[0]; float32 1", NONE, "uint8[0]"},
    {VT_G_DEQUANTIZE_LINEAR, "int8[0,2]; float32[2] 1 2", ATTRIBUTES(VT_GSET_INT(AXIS, 1)), "float32[0,2]"},
    {VT_G_RESIZE, "float32[0]", ATTRIBUTES(FLOATS(SCALES, 1), INTS(SHAPE, 0)), "float32[0]"},
    /* reductions */
    {VT_G_REDUCE_MAX, "float32[3] 1 nan 2", ATTRIBUTES(INTS(AXES, 0)), "float32[1] nan"},
    {VT_G_REDUCE_MIN, "float32[3] nan 1 2", ATTRIBUTES(INTS(AXES, 0)), "float32[1] nan"},
    {VT_G_REDUCE_MAX, "float32[2] -inf -inf", ATTRIBUTES(INTS(AXES, 0)), "float32[1] -inf"},
    {VT_G_REDUCE_MIN, "float32[2] inf inf", ATTRIBUTES(INTS(AXES, 0)), "float32[1] inf"},
    {VT_G_REDUCE_MAX, "int8[2] -128 -128", ATTRIBUTES(INTS(AXES, 0)), "int8[1] -128"},
    {VT_G_REDUCE_MIN, "int8[2] 127 127", ATTRIBUTES(INTS(AXES, 0)), "int8[1] 127"},
    {VT_G_REDUCE_MAX, "uint8[2] 0 0", ATTRIBUTES(INTS(AXES, 0)), "uint8[1] 0"},
    {VT_G_REDUCE_MIN, "uint8[2] 255 255", ATTRIBUTES(INTS(AXES, 0)), "uint8[1] 255"},
    {VT_G_REDUCE_MAX, "int16[2] -32768 -32768", ATTRIBUTES(INTS(AXES, 0)), "int16[1] -32768"},
    {VT_G_REDUCE_MIN, "uint16[2] 65535 65535", ATTRIBUTES(INTS(AXES, 0)), "uint16[1] 65535"},
    {VT_G_REDUCE_MAX, "int32[1] -2147483648", ATTRIBUTES(INTS(AXES, 0)), "int32[1] -2147483648"},
    {VT_G_REDUCE_MIN, "uint32[1] 4294967295", ATTRIBUTES(INTS(AXES, 0)), "uint32[1] 4294967295"},
    {VT_G_REDUCE_MAX, "int64[2] -9223372036854775808 -9223372036854775808", ATTRIBUTES(INTS(AXES, 0)),
     "int64[1] -9.2233720368547758e+18"},
    {VT_G_REDUCE_MAX, "int64[3] 5 7 6", ATTRIBUTES(INTS(AXES, 0)), "int64[1] 7"},
    {VT_G_REDUCE_MIN, "uint64[3] 5 4 6", ATTRIBUTES(INTS(AXES, 0)), "uint64[1] 4"},
    {VT_G_REDUCE_SUM, "uint64[3] 5 4 6", ATTRIBUTES(INTS(AXES, 0)), "uint64[1] 15"},
    {VT_G_REDUCE_PROD, "int64[3] 5 4 -6", ATTRIBUTES(INTS(AXES, 0)), "int64[1] -120"},
    {VT_G_REDUCE_SUM, "int8[2] 100 100", ATTRIBUTES(INTS(AXES, 0)), "int8[1] -56"},
    {VT_G_REDUCE_PROD, "uint16[2] 300 300", ATTRIBUTES(INTS(AXES, 0)), "uint16[1] 24464"},
    /* float64: what float32 has no digits for */
    {VT_G_REDUCE_SUM, "float64[2] 16777216 1", ATTRIBUTES(INTS(AXES, 0)), "float64[1] 16777217"},
    {VT_G_REDUCE_MEAN, "float64[2] 16777217 16777219", ATTRIBUTES(INTS(AXES, 0)), "float64[1] 16777218"},
    {VT_G_REDUCE_MAX, "float64[2] 16777217 16777216", ATTRIBUTES(INTS(AXES, 0)), "float64[1] 16777217"},
    {VT_G_MAT_MUL, "float64[1,2] 16777217 1; float64[2,1] 1 2", NONE, "float64[1,1] 16777219"},
    {VT_G_RELU, "float64[2] -1 16777217", NONE, "float64[2] 0 16777217"},
    {VT_G_SQRT, "float64[1] 281474976710656", NONE, "float64[1] 16777216"},
    {VT_G_POW, "float64[1] 16777217; float64[1] 1", NONE, "float64[1] 16777217"},
    {VT_G_P_RELU, "float64[1] -16777217; float64[1] 1", NONE, "float64[1] -16777217"},
    /* where exponentials are too large or too small for floats */
    {VT_G_SOFTMAX, "float32[3] 1000 0 1000", NONE, "float32[3] 0.5 0 0.5"},
    {VT_G_SOFTMAX, "float32[3] -1000 0 -1000", NONE, "float32[3] 0 1 0"},
    {VT_G_SOFTMAX, "float32[2,3] 1000 1000 0 0 1000 1000", ATTRIBUTES(VT_GSET_INT(AXIS, 0)),
     "float32[2,3] 1 0.5 0 0 0.5 1"},
    {VT_G_LOG_SOFTMAX, "float32[3] 1000 0 -1000", NONE, "float32[3] 0 -1000 -2000"},
    {VT_G_LOG_SOFTMAX, "float32[3,2] 0 1000 -1000 0 7 1007", ATTRIBUTES(VT_GSET_INT(AXIS, 1)),
     "float32[3,2] -1000 0 -1000 0 -1000 0"},
    /* indices */
    {VT_G_GATHER, "int8[3] 1 2 3; int64[2] -3 2", NONE, "int8[2] 1 3"},
    {VT_G_GATHER, "int8[3] 1 2 3; int64[1] -4", NONE, "node n (Gather): entry -4 of an axis of 3"},
    {VT_G_GATHER, "int8[2,3] 1 2 3 4 5 6; int32[2] 0 3", ATTRIBUTES(VT_GSET_INT(AXIS, 1)),
     "node n (Gather): entry 3 of an axis of 3"},
    /* padding */
    {VT_G_PAD, "int8[3] 1 2 3", ATTRIBUTES(INTS(PADS, -3, 2), VT_GSET_FLOAT(VALUE, 1000)), "int8[2] 127 127"},
    {VT_G_PAD, "int8[3] 1 2 3", ATTRIBUTES(INTS(PADS, 1, -3), VT_GSET_FLOAT(VALUE, -1000)), "int8[1] -128"},
    {VT_G_PAD, "int8[3] 1 2 3", ATTRIBUTES(INTS(PADS, 1, -1), VT_GSET_FLOAT(VALUE, NAN)), "int8[3] 0 1 2"},
    {VT_G_PAD, "float32[1] 1", ATTRIBUTES(INTS(PADS, 1, 1), VT_GSET_FLOAT(VALUE, NAN)), "float32[3] nan 1 nan"},
    {VT_G_PAD, "float64[1] 1", ATTRIBUTES(INTS(PADS, 0, 1), VT_GSET_FLOAT(VALUE, INFINITY)), "float64[2] 1 inf"},
    {VT_G_PAD, "uint8[0]", ATTRIBUTES(INTS(PADS, 1, 1), VT_GSET_FLOAT(VALUE, 7)), "uint8[2] 7 7"},
    {VT_G_PAD, "int8[3] 1 2 3", ATTRIBUTES(INTS(PADS, 2, 2), VT_GSET_INT(PADDING, VT_PADDING_REFLECT)),
     "int8[7] 3 2 1 2 3 2 1"},
    {VT_G_PAD, "int8[3] 1 2 3", ATTRIBUTES(INTS(PADS, 1, 2), VT_GSET_INT(PADDING, VT_PADDING_EDGE)),
     "int8[6] 1 1 2 3 3 3"},
    /* casts */
    {VT_G_CAST, "float32[5] 300 -300 nan 1.9 -1.9", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_I8)),
     "int8[5] 127 -128 0 1 -1"},
    {VT_G_CAST, "float32[3] 300 -300 255.5", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_U8)), "uint8[3] 255 0 255"},
    {VT_G_CAST, "float64[3] 40000 -40000 -32768", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_I16)),
     "int16[3] 32767 -32768 -32768"},
    {VT_G_CAST, "float64[2] 70000 -1", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_U16)), "uint16[2] 65535 0"},
    {VT_G_CAST, "float64[3] 1e10 -1e10 2147483646", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_I32)),
     "int32[3] 2147483647 -2147483648 2147483646"},
    {VT_G_CAST, "float64[2] 1e10 -1", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_U32)), "uint32[2] 4294967295 0"},
    {VT_G_CAST, "float64[4] 1e30 -1e30 nan 123456789012", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_I64)),
     "int64[4] 9.2233720368547758e+18 -9.2233720368547758e+18 0 123456789012"},
    {VT_G_CAST, "float64[3] 1e30 -1 5", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_U64)),
     "uint64[3] 1.8446744073709552e+19 0 5"},
    {VT_G_CAST, "float64[4] 0 0.5 nan -0", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_BOOL)), "bool[4] 0 1 1 0"},
    {VT_G_CAST, "int32[3] 300 -1 -200", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_I8)), "int8[3] 44 -1 56"},
    {VT_G_CAST, "int8[2] -1 5", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_U64)), "uint64[2] 1.8446744073709552e+19 5"},
    {VT_G_CAST, "int16[2] -1 5", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F32)), "float32[2] -1 5"},
    {VT_G_CAST, "int64[2] -1 5", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F64)), "float64[2] -1 5"},
    {VT_G_CAST, "uint64[1] 18446744073709551615", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F32)),
     "float32[1] 1.8446744073709552e+19"},
    {VT_G_CAST, "uint32[1] 4294967295", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F64)), "float64[1] 4294967295"},
    {VT_G_CAST, "int32[3] 0 256 -1", ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_BOOL)), "bool[3] 0 1 1"},
    /* signs and limits */
    {VT_G_NEG, "int8[3] -128 127 0", NONE, "int8[3] -128 -127 0"},
    {VT_G_ABS, "int8[2] -128 -127", NONE, "int8[2] -128 127"},
    {VT_G_NEG, "int16[1] -32768", NONE, "int16[1] -32768"},
    {VT_G_ABS, "int32[2] -2147483648 -5", NONE, "int32[2] -2147483648 5"},
    {VT_G_ABS, "int64[2] -9223372036854775808 -5", NONE, "int64[2] -9.2233720368547758e+18 5"},
    {VT_G_ABS, "uint8[2] 255 3", NONE, "uint8[2] 255 3"},
    {VT_G_NEG, "uint8[1] 3", NONE, "node n (Neg): of an unsigned type"},
    {VT_G_ROUND, "float32[5] 0.5 1.5 2.5 -1.5 -2.5", NONE, "float32[5] 0 2 2 -2 -2"},
    {VT_G_CLIP, "int8[3] -128 0 127", ATTRIBUTES(VT_GSET_FLOAT(MIN, -1000), VT_GSET_FLOAT(MAX, 1000)),
     "int8[3] -128 0 127"},
    {VT_G_CLIP, "float32[3] nan 5 -5", ATTRIBUTES(VT_GSET_FLOAT(MIN, 0), VT_GSET_FLOAT(MAX, 3)), "float32[3] nan 3 0"},
    {VT_G_CLIP, "uint8[3] 0 4 9", ATTRIBUTES(VT_GSET_FLOAT(MIN, 5), VT_GSET_FLOAT(MAX, 3)), "uint8[3] 3 3 3"},
    {VT_G_CLIP, "int64[1] 0", NONE, "node n (Clip): of int64"},
    /* two operands */
    {VT_G_DIV, "int8[2] -128 7; int8[1] -1", NONE, "int8[2] -128 -7"},
    {VT_G_DIV, "int32[2] -2147483648 7; int32[2] -1 2", NONE, "int32[2] -2147483648 3"},
    {VT_G_DIV, "uint8[2] 200 7; uint8[2] 255 2", NONE, "uint8[2] 0 3"},
    {VT_G_DIV, "int16[2,2] 1 2 3 4; int16[2,1] 256 0", NONE, "node n (Div): division by zero"},
    {VT_G_DIV, "float32[3] 1 -1 0; float32[1] 0", NONE, "float32[3] inf -inf nan"},
    {VT_G_MIN, "float32[3] nan 1 2; float32[3] 1 nan 3", NONE, "float32[3] nan nan 2"},
    {VT_G_MAX, "float32[3] nan 1 2; float32[3] 1 nan 3", NONE, "float32[3] nan nan 3"},
    {VT_G_EQUAL, "float32[2] nan 1; float32[2] nan 1", NONE, "bool[2] 0 1"},
    /* quantization */
    {VT_G_QUANTIZE_LINEAR, "float32[8] 0.5 1.5 2.5 -0.5 -1.5 1000 -1000 nan; float32 1; int8 3", NONE,
     "int8[8] 3 5 5 3 1 127 -128 3"},
    {VT_G_QUANTIZE_LINEAR, "float32[4] -5 300 2.5 inf; float32 1", NONE, "uint8[4] 0 255 2 255"},
    {VT_G_QUANTIZE_LINEAR, "int32[3] -2147483648 7 2147483647; float32 2; uint8 10", NONE, "uint8[3] 0 14 255"},
    {VT_G_QUANTIZE_LINEAR, "float32[2,2] 1 1 1 1; float32[2] 1 0.25; uint8[2] 0 7", ATTRIBUTES(VT_GSET_INT(AXIS, 1)),
     "uint8[2,2] 1 11 1 11"},
    {VT_G_DEQUANTIZE_LINEAR, "int8[2] -128 127; float32 0.5; int8 -1", NONE, "float32[2] -63.5 64"},
    {VT_G_DEQUANTIZE_LINEAR, "int32[2] -5 7; float32 0.5; int32 1", NONE, "float32[2] -3 3"},
    {VT_G_DYNAMIC_QUANTIZE_LINEAR, "float32[2] 0 0", NONE, "uint8[2] 0 0; float32 0; uint8 0"},
    {VT_G_DYNAMIC_QUANTIZE_LINEAR, "float32[3] -1 0 254", NONE, "uint8[3] 0 1 255; float32 1; uint8 1"},
    {VT_G_DYNAMIC_QUANTIZE_LINEAR, "float32[2] -255 -1", NONE, "uint8[2] 0 254; float32 1; uint8 255"},
    {VT_G_DYNAMIC_QUANTIZE_LINEAR, "float32[2] 510 2", NONE, "uint8[2] 255 1; float32 2; uint8 0"},
    /* windows that are in the padding alone */
    {VT_G_MAX_POOL, "float32[1,1,1] 5", ATTRIBUTES(LINE(2, 1, 2, 2, 3)), "float32[1,1,2] -inf -inf"},
    {VT_G_MAX_POOL, "int8[1,1,1] 5", ATTRIBUTES(LINE(2, 1, 2, 2, 3)), "int8[1,1,2] -128 -128"},
    {VT_G_AVERAGE_POOL, "float32[1,1,1] 5", ATTRIBUTES(LINE(2, 1, 2, 2, 3)), "float32[1,1,2] 0 0"},
    {VT_G_AVERAGE_POOL, "float32[1,1,2] 5 3", ATTRIBUTES(LINE(2, 1, 1, 1, 1), VT_GSET_INT(COUNT_PADS, 1)),
     "float32[1,1,3] 2.5 4 1.5"},
    {VT_G_AVERAGE_POOL, "float32[1,1,2] 5 3", ATTRIBUTES(LINE(2, 1, 1, 1, 1)), "float32[1,1,3] 5 4 3"},
};

/* One input of the row's text; gives what follows it. */
static const char *input_of(world *w, const char *text, vt_gvalue **out) {
    char word[64];
    int64_t dims[VT_MAX_RANK], integer;
    size_t rank = 0, head = strcspn(text, "[ ;");
    vt_element e;
    vt_gtype t;
    snprintf(word, sizeof word, "%.*s", (int)head, text);
    assert_true(vt_element_parse(word, &e));
    char *at = (char *)text + head;
    if (*at == '[')
        for (; *at != ']'; rank++) dims[rank] = strtoll(at + 1, &at, 10);
    at += *at == ']';
    assert_true(vt_gtype_make(e, rank, dims, &t));
    char *data = vt_new_bytes(&w->ctx, vt_gtype_bytes(&t) + 1);
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) {
        char *end;
        integer = e == VT_ELEMENT_U64 ? (int64_t)strtoull(at, NULL, 10) : strtoll(at, NULL, 10);
        double x = strtod(at, &end);
        assert_true(end != at);
        at = end;
        switch (e) {
#define VT_ELEMENT(name, text_, ctype)                                                                                 \
    case VT_ELEMENT_##name: ((ctype *)data)[i] = vt_element_least(e) == -INFINITY ? (ctype)x : (ctype)integer; break;
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
        case VT_ELEMENT_COUNT: break;
        }
    }
    *out = vt_graph_constant(w->g, "in", t, data);
    return *at ? at + 2 : at;
}

static const char *print_outputs(world *w, const vt_gnode *n, void *const *out) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(&w->ctx, &room);
    char text[VT_GTYPE_TEXT];
    for (uint32_t i = 0; i < n->output_count; i++) {
        vt_gvalue v = {.type = n->outputs[i]->type, .data = out[i]};
        vt_strbuf_addf(&sb, "%s%s", i ? "; " : "", vt_gtype_text(&v.type, text));
        for (int64_t k = 0; k < vt_gtype_count(&v.type); k++) {
            double x = vt_gelement_at(&v, (size_t)k);
            if (isnan(x))
                vt_strbuf_add(&sb, " nan"); /* of either sign */
            else
                vt_strbuf_addf(&sb, " %.17g", x + 0.0);
        }
    }
    return vt_arena_text_take(&w->ctx, &sb);
}

static const row *now;

/* Outputs lie in memory that nothing may be written behind. */
static void one(world *w) {
    vt_gvalue *inputs[4];
    const void *in[4];
    void *out[3];
    uint32_t count = 0;
    for (const char *at = now->inputs; *at; count++) {
        at = input_of(w, at, &inputs[count]);
        in[count] = inputs[count]->data;
    }
    vt_gnode_spec spec = {now->op, "n", NULL, count, now->attribute_count, inputs, now->attributes};
    const vt_gnode *n = vt_graph_add(w->g, &spec);
    for (uint32_t i = 0; i < n->output_count; i++)
        out[i] = sized_resize(NULL, 0, vt_gtype_bytes(&n->outputs[i]->type) + 1);
    vta_status status = vt_eval_node(n, in, out, NULL, w->diag);
    const char *got = status == VTA_OK ? print_outputs(w, n, out) : vta_diag_text(w->diag) + strlen("error: ");
    if (strcmp(got, now->result) != 0)
        fail_msg("%s of %s, wanted: %s\n%s", vt_gop_text(now->op), now->inputs, now->result, got);
    for (uint32_t i = 0; i < n->output_count; i++) sized_resize(out[i], vt_gtype_bytes(&n->outputs[i]->type) + 1, 0);
    vta_diag_clear(w->diag);
}

TEST_CASE(test_rows) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) now = &rows[i], in_a_world(one);
}

/* ---- Runs ---- */

static uint32_t seen;

static void count_nodes(void *user, const vt_gnode *n, const void *const *out) {
    assert_ptr_equal(user, &seen);
    assert_true(n->index == seen++ && out[0]);
}

/* A value that two nodes read, the second one twice, lives until then; what nothing reads does not live on. */
static void lives(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 4)),
              *k = vt_graph_constant(w->g, "k", TYPE(F32, 1), (float[]){2});
    vt_gvalue *a = vt_graph_apply(w->g, VT_G_MUL, "a", x, k, 0, NULL);
    vt_graph_apply(w->g, VT_G_NEG, "unused", a, NULL, 0, NULL);
    vt_gvalue *b = vt_graph_apply(w->g, VT_G_ADD, "b", a, a, 0, NULL);
    vt_gvalue *c = vt_graph_apply(w->g, VT_G_ADD, "c", b, x, 0, NULL);
    vt_graph_output(w->g, c, NULL), vt_graph_output(w->g, k, "constant");
    const float in[] = {1, 2, 3, 4};
    atomic_bool stop = false;
    vt_eval_options options = {.after = count_nodes, .user = &seen, .interrupt = &stop};
    vt_eval *e;
    check_allocator memory;
    check_allocator_init(&memory, SIZE_MAX);
    assert_int_equal(vt_eval_open(w->g, &options, &memory.allocator, w->diag, &e), VTA_OK);
    for (int time = 0; time < 2; time++) {
        seen = 0;
        vt_eval_input(e, 0, in);
        assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
        assert_int_equal(seen, 4);
        assert_memory_equal(vt_eval_value(e, c), ((const float[]){5, 10, 15, 20}), sizeof in);
        assert_ptr_equal(vt_eval_value(e, k), k->data);
        assert_null(vt_eval_value(e, a));
        assert_null(vt_eval_value(e, b));
        assert_int_equal(vt_eval_peak(e), 2 * sizeof in); /* of two values at a time */
    }
    stop = true;
    seen = 0;
    assert_int_equal(vt_eval_run(e, w->diag), VTA_INTERRUPTED);
    assert_string_equal(vta_diag_text(w->diag), "error: interrupted");
    assert_int_equal(seen, 0);
    vt_eval_close(e);
    assert_int_equal(memory.live, 0);
    vt_eval_close(NULL);
    vta_diag_clear(w->diag);
}

TEST_CASE(test_lives) { in_a_world(lives); }

/* An element's name is read as that element, nothing like it. */
TEST_CASE(test_names) {
    static const char *const none[] = {"", "float", "float3", "float322", "Float32", "int128", "bool "};
    vt_element e;
    for (int i = 0; i < VT_ELEMENT_COUNT; i++) {
        e = (vt_element)(VT_ELEMENT_COUNT - 1 - i);
        assert_true(vt_element_parse(vt_element_text((vt_element)i), &e));
        assert_int_equal(e, i);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_false(vt_element_parse(none[i], &e));
}

int main(void) { return run_cases(); }
