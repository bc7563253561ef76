/* What a file says beside its tensors: names, the order of nodes, attributes, inputs, versions, nested messages. */
#include "onnx_read.h"

enum { DEEPEST = 64 };

static void starts(making *m) { make_model(m, 13), make_output(m, "t"); }

/* ---- Names and order ---- */

/* A chain of as many nodes as there is room for, the last one first: all names are found again. */
static void test_many(void **state) {
    making m;
    char in[16], out[16], text[128];
    (void)state;
    make_model(&m, 13);
    make_input(&m, "v0", F32, "2");
    for (int i = MAKE_MAX; i-- > 0;) {
        snprintf(in, sizeof in, "v%d", i), snprintf(out, sizeof out, i + 1 < MAKE_MAX ? "v%d" : "t", i + 1);
        make_node(&m, "Neg", in, out, "");
    }
    make_output(&m, "t");
    snprintf(text, sizeof text, "\nv%d: float32[2] = Neg(v%d)\nt: float32[2] = Neg(v%d)\noutput t", MAKE_MAX - 1,
             MAKE_MAX - 2, MAKE_MAX - 1);
    becomes(&m, false, text);
    becomes(&m, false, "input v0: float32[2]\nv1: float32[2] = Neg(v0)\nv2: float32[2] = Neg(v1)\n");
}

static void test_order(void **state) {
    making m;
    (void)state;
    starts(&m);
    make_input(&m, "x", F32, "2");
    make_node(&m, "Dropout", "x", "a -", ""); /* outputs without a name are no one's, and may be many */
    make_node(&m, "Dropout", "x", "b -", "");
    make_node(&m, "Add", "a b", "t", "");
    becomes(&m, false, "t: float32[2] = Add(a, b)\n");
    make_node(&m, "Neg", "x", "b", "");
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: node b computes b, which there is already");
    m.nodes[3]->output[0] = (char *)"x";
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: node x computes x, which there is already");
    m.nodes[3]->output[0] = (char *)"c", m.nodes[3]->input[0] = (char *)"gone", m.nodes[3]->name = (char *)"negate";
    refuses(&m, NULL, VTA_MISMATCH,
            "error: made.onnx: node negate (Neg): nothing computes its input gone, and it is no constant");
    m.nodes[3]->input[0] = (char *)"c";
    refuses(&m, NULL, VTA_MISMATCH,
            "error: made.onnx: node negate needs its own result: the graph has a cycle through c");
    m.nodes[3]->n_output = 0, m.nodes[3]->name = NULL, m.nodes[3]->op_type = (char *)"Foo";
    m.nodes[3]->input[0] = (char *)"x";
    refuses(&m, NULL, VTA_UNSUPPORTED, "error: made.onnx: node without a name (Foo): this operator is not supported");
}

/* What is needed by several is read once, and before all of them. */
static void test_diamond(void **state) {
    making m;
    (void)state;
    starts(&m);
    make_input(&m, "x", F32, "2");
    make_node(&m, "Add", "b c", "t", "");
    make_node(&m, "Neg", "a", "b", "");
    make_node(&m, "Abs", "a", "c", "");
    make_node(&m, "Relu", "x", "a", "");
    becomes(&m, false,
            "input x: float32[2]\na: float32[2] = Relu(x)\nb: float32[2] = Neg(a)\nc: float32[2] = Abs(a)\n"
            "t: float32[2] = Add(b, c)\noutput t");
}

/* ---- Operators and attributes ---- */

static void test_check(void **state) {
    making m;
    (void)state;
    starts(&m);
    make_input(&m, "x", F32, "1,4");
    make_node(&m, "ai.onnx.LeakyRelu", "x", "t", "alpha=0.5");
    becomes(&m, false, "LeakyRelu(x) alpha=0.5\n");
    m.nodes[0]->attribute[0]->has_type = 0; /* the first files did not have it */
    becomes(&m, false, "LeakyRelu(x) alpha=0.5\n");
    m.nodes[0]->attribute[0]->has_type = 1;
    m.nodes[0]->attribute[0]->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
    becomes(&m, false, "LeakyRelu(x) alpha=0.5\n");
    m.nodes[0]->attribute[0]->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    refuses(&m, NULL, VTA_UNSUPPORTED,
            "error: made.onnx: node t (ai.onnx.LeakyRelu): attribute alpha has another type than ONNX gives it");
    static const struct {
        const char *op, *inputs, *attribute, *words;
    } untyped[] = {
        {"Softmax", "x", "axis=0", "axis=0\n"},
        {"Pad", "x pads", "mode:edge", "padding=edge"},
        {"ReduceMax", "x", "axes=[1]", "axes=1 "},
        {"Constant", "", "value_floats=[1.5,2.5]", "{1.5,2.5}"},
    };
    for (size_t i = 0; i < sizeof untyped / sizeof *untyped; i++) {
        starts(&m);
        make_input(&m, "x", F32, "1,4");
        MAKE_INTS(&m, "pads", "4", 0, 1, 0, 1);
        make_node(&m, untyped[i].op, untyped[i].inputs, "t", untyped[i].attribute)->attribute[0]->has_type = 0;
        becomes(&m, false, untyped[i].words);
    }
    starts(&m);
    Onnx__TensorProto *seven = MAKE_INTS(&m, "seven", "1", 7);
    Onnx__AttributeProto *a = make_node(&m, "Constant", "", "t", "value=1")->attribute[0];
    a->has_type = a->has_i = 0, a->t = seven;
    becomes(&m, false, "int64[1]{7}");
    a->t = NULL, a->has_type = 1, a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: node t (Constant): there is no tensor in it");
}

/* Words of a list are whole words of it. */
static void test_values(void **state) {
    static const char *const modes[] = {"constan", "constant|", "reflec", "edgee", "e", "|", "constant|reflect"};
    making m;
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char text[64];
        starts(&m);
        make_input(&m, "x", F32, "1,4");
        MAKE_INTS(&m, "pads", "4", 0, 1, 0, 1);
        snprintf(text, sizeof text, "mode:%s", modes[i]);
        make_node(&m, "Pad", "x pads", "t", text);
        refuses(&m, NULL, VTA_UNSUPPORTED,
                "error: made.onnx: node t (Pad): attribute mode: its value is not supported "
                "(constant|reflect|edge|wrap are)");
    }
    starts(&m);
    make_input(&m, "x", F32, "4,4");
    make_node(&m, "Gemm", "x x", "t", "transA=2 slope=1.0");
    make_node(&m, "org.Neg", "x", "u", "");
    refuses(&m, NULL, VTA_UNSUPPORTED,
            "error: made.onnx: node t (Gemm): attribute transA: its value is not supported (0|1 are)\n"
            "error: made.onnx: node t (Gemm): attribute slope is not supported\n"
            "error: made.onnx: node u (org.Neg): this operator is not supported");
}

/* ---- Inputs ---- */

static void test_inputs(void **state) {
    making m;
    const char *const first[] = {"7,5"}, *const two[] = {"y=5", "x=2,3"};
    const char *const wrong[][1] = {{"x=4,"}, {"x=4,5"}, {"x=-4,5"}, {"x=4;5"}, {"x=1,1,1,1,1,1,1,1,1"},
                                    {"5"},    {"w=1"}};
    static const char *const messages[] = {
        "error: made.onnx: input x has 2 axes, the shape given for it 1",
        "error: made.onnx: axis 1 of input x has 3 elements, not 5",
        "error: shape -4,5: expected extents with commas between them",
        "error: shape 4;5: expected extents with commas between them",
        "error: shape 1,1,1,1,1,1,1,1,1: expected extents with commas between them",
        "error: made.onnx: shape 5: the model has several inputs: expected NAME=1,2,3",
        "error: made.onnx: shape w=1: the model has no such input",
    };
    static const vta_status statuses[] = {VTA_MISMATCH,         VTA_MISMATCH,         VTA_INVALID_ARGUMENT,
                                          VTA_INVALID_ARGUMENT, VTA_INVALID_ARGUMENT, VTA_NOT_FOUND,
                                          VTA_NOT_FOUND};
    vt_onnx_options o = {.name = "made.onnx", .shape_count = 1};
    (void)state;
    make_model(&m, 13);
    make_input(&m, "x", F32, "n,3");
    make_input(&m, "y", F32, "n");
    MAKE_FLOATS(&m, "w", "1", 1);
    make_input(&m, "w", F32, "1"); /* as older files have it */
    make_node(&m, "Neg", "x", "t", "");
    make_output(&m, "t");
    becomes(&m, false, "input x: float32[1,3]\ninput y: float32[1]\nt: float32[1,3] = Neg(x)\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.shapes = wrong[i];
        refuses(&m, &o, statuses[i], messages[i]);
    }
    o.shapes = two, o.shape_count = 2;
    world w;
    reading r = {.m = &m, .options = o};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_model, &r), VTA_OK);
    assert_non_null(strstr(r.text, "input x: float32[2,3]\ninput y: float32[5]\n"));
    world_close(&w);
    /* one input without a shape, beside a constant */
    m.inputs[0] = m.inputs[2], m.inputs[1] = make_value("x", F32, ""), m.graph.n_input = 2;
    m.inputs[1]->type->tensor_type->shape = NULL;
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: input x has no shape: give it, as x=1,3,224,224");
    o.shapes = first, o.shape_count = 1;
    r = (reading){.m = &m, .options = o};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_model, &r), VTA_OK);
    assert_non_null(strstr(r.text, "graph made\ninput x: float32[7,5]\n"));
    world_close(&w);
}

/* Extents of one name are one extent: that of a shape that is given, or of a first axis. What is open is asked for at
 * once. */
static void test_names_of_extents(void **state) {
    const char *const shape[] = {"x=2,7,5"};
    vt_onnx_options o = {.shapes = shape, .shape_count = 1};
    reading r;
    making m;
    world w;
    (void)state;
    starts(&m);
    make_node(&m, "Neg", "x", "t", "");
    make_output(&m, "t");
    make_input(&m, "x", F32, "batch,steps,5");
    make_input(&m, "y", F32, "4,batch,steps");
    make_input(&m, "z", F32, "1,3,rows,columns");
    refuses(&m, NULL, VTA_MISMATCH,
            "error: made.onnx: the model leaves extents of its inputs open: give them, likely --shape x=1,128,5 "
            "--shape y=4,1,128 --shape z=1,3,224,224");
    m.graph.n_input = 2;
    r = (reading){.m = &m, .options = o};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_model, &r), VTA_OK);
    assert_non_null(strstr(r.text, "input x: float32[2,7,5]\ninput y: float32[4,2,7]\n"));
    world_close(&w);
}

static void test_bad_inputs(void **state) {
    making m;
    (void)state;
    starts(&m);
    make_node(&m, "Neg", "x", "t", "");
    make_input(&m, "x", F32, "1,n,3");
    refuses(&m, NULL, VTA_MISMATCH,
            "error: made.onnx: the model leaves extents of its inputs open: give them, likely --shape x=1,128,3");
    m.inputs[0] = make_value("x", F32, "1,1,1,1,1,1,1,1,1");
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: input x has 9 axes; at most 8 are supported");
    m.inputs[0] = make_value("x", F32, "1,1,1,1,1,1,1,1");
    becomes(&m, false, "input x: float32[1,1,1,1,1,1,1,1]\n");
    m.inputs[0] = make_value("x", F32, "65536,65536");
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: input x is too large");
    m.inputs[0] = make_value("x", F32, "-5,0");
    becomes(&m, false, "input x: float32[1,0]\n");
    m.inputs[0] = make_value("x", 17, "1");
    refuses(&m, NULL, VTA_UNSUPPORTED, "error: made.onnx: input x: element type 17 of ONNX is not supported");
    m.inputs[0]->type->value_case = ONNX__TYPE_PROTO__VALUE__NOT_SET;
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: input x is not a tensor");
    m.inputs[0]->type = NULL;
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: input x is not a tensor");
    make_model(&m, 13);
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: the graph has no outputs");
    make_output(&m, "y");
    refuses(&m, NULL, VTA_MISMATCH, "error: made.onnx: nothing computes output y");
}

static void test_versions(void **state) {
    making m;
    char text[128];
    (void)state;
    for (int64_t version = 5; version < 28; version++) {
        make_model(&m, version);
        make_input(&m, "t", F32, "2");
        make_output(&m, "t");
        if (version % 2) m.opsets[0].domain = (char *)"ai.onnx";
        snprintf(text, sizeof text, "error: made.onnx: operator set %d; versions 7 to 24 are supported", (int)version);
        if (version < 7 || version > 24)
            refuses(&m, NULL, VTA_UNSUPPORTED, text);
        else
            becomes(&m, false, "graph made\ninput t: float32[2]\noutput t: float32[2]\n");
    }
    m.opsets[0].version = 7, m.graph.name = (char *)"";
    becomes(&m, false, "graph main\n");
    m.graph.name = NULL;
    becomes(&m, false, "graph main\n");
    m.model.graph = NULL;
    refuses(&m, NULL, VTA_PARSE, "error: made.onnx: no ONNX model: there is no graph in it");
}

/* ---- Bytes ---- */

static vta_status read_these(vt_ctx *ctx, void *arg) {
    const ProtobufCBinaryData *b = arg;
    vt_onnx_options options = {.name = "made.onnx"};
    vt_onnx_read(ctx, b->data, b->len, &options);
    return VTA_OK;
}

/* Bytes that are a model, or not. */
static void reads(const uint8_t *bytes, size_t size, vta_status status, const char *message) {
    world w;
    uint8_t *exact = malloc(size ? size : 1); /* a memory checker sees what is read behind it */
    memcpy(exact, bytes, size);
    ProtobufCBinaryData b = {size, exact};
    world_open(&w);
    assert_int_equal(vt_protect(&w.ctx, read_these, &b), status);
    assert_string_equal(vta_diag_text(w.diag), message);
    world_close(&w);
    free(exact);
}

/* Fields that ONNX does not have, of every wire type, before a model that is right. */
static void test_unknown_fields(void **state) {
    static const struct {
        const char *bytes;
        size_t size;
        bool right;
    } fields[] = {
        {"\xf8\x07\x05", 3, true},                                           /* 127: a number */
        {"\xf8\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, true},      /* the largest */
        {"\xf8\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, false}, /* of more than 64 bits */
        {"\xf9\x07\x01\x02\x03\x04\x05\x06\x07\x08", 10, true},              /* 8 bytes */
        {"\xfd\x07\x01\x02\x03\x04", 6, true},                               /* 4 bytes */
        {"\xfa\x07\x02\x0a\xff", 5, true},                                   /* 2 bytes that look like a message */
        {"\xfb\x07", 2, false},                                              /* a group */
        {"\xfe\x07", 2, false},                                              /* no type of the wire */
    };
    static const char no_message[] =
        "error: made.onnx: no ONNX model: the bytes are not a protobuf message, or end early";
    making m;
    size_t size;
    (void)state;
    make_model(&m, 13);
    make_input(&m, "t", F32, "2");
    make_output(&m, "t");
    uint8_t *model = make_bytes(&m, &size), *all = malloc(size + 16);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        memcpy(all, fields[i].bytes, fields[i].size);
        memcpy(all + fields[i].size, model, size);
        reads(all, fields[i].size + size, fields[i].right ? VTA_OK : VTA_PARSE, fields[i].right ? "" : no_message);
        /* and behind it, ending early */
        memcpy(all, model, size), memcpy(all + size, fields[i].bytes, fields[i].size);
        for (size_t n = 1; n < fields[i].size; n++) reads(all, size + n, VTA_PARSE, no_message);
    }
    free(model), free(all);
}

/* Nodes in graphs in attributes of nodes: so many messages within each other. */
static void test_depth(void **state) {
    enum { MAX = 80 };
    static const uint8_t keys[] = {0x0a, 0x2a, 0x32}; /* node of a graph, attribute of a node, graph of an attribute */
    (void)state;
    for (size_t levels = DEEPEST - 3; levels < DEEPEST + 3; levels++) {
        uint8_t bytes[4 * MAX], *at = bytes + sizeof bytes;
        for (size_t level = levels; level-- > 0;) { /* the innermost first */
            size_t length = (size_t)(bytes + sizeof bytes - at);
            if (length >= 128) *--at = (uint8_t)(length >> 7);
            *--at = (uint8_t)(length | (length >= 128) << 7);
            *--at = level ? keys[(level - 1) % 3] : 0x3a; /* the graph of the model */
        }
        bool deep = levels > DEEPEST; /* else it is a model that does not say its version */
        reads(at, (size_t)(bytes + sizeof bytes - at), deep ? VTA_PARSE : VTA_UNSUPPORTED,
              deep ? "error: made.onnx: messages are nested more than 64 deep"
                   : "error: made.onnx: operator set 0; versions 7 to 24 are supported");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many),       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_diamond),    cmocka_unit_test(test_check),
                                       cmocka_unit_test(test_values),     cmocka_unit_test(test_inputs),
                                       cmocka_unit_test(test_bad_inputs), cmocka_unit_test(test_names_of_extents),
                                       cmocka_unit_test(test_versions),   cmocka_unit_test(test_unknown_fields),
                                       cmocka_unit_test(test_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
