/* Passes change what is computed by rounding only: random graphs evaluated as they are built and after the passes. */
#include "sample.h"

#include "frontend/pass/pass.h"

/* Outputs of a graph for one input. */
static const float *run(world *w, const vt_graph *g, const float *x, vt_eval **out_eval) {
    assert_int_equal(vt_eval_open(g, NULL, NULL, w->diag, out_eval), VTA_OK);
    vt_eval_input(*out_eval, 0, x);
    if (vt_eval_run(*out_eval, w->diag) != VTA_OK) fail_msg("%s", vta_diag_text(w->diag));
    return vt_eval_value(*out_eval, g->outputs.item[0]);
}

static void compare(world *w, const vt_graph *now, const float *x) {
    vt_eval *before, *after;
    const float *want = run(w, w->g, x, &before), *got = run(w, now, x, &after);
    int64_t count = vt_gtype_count(&w->g->outputs.item[0]->type);
    double most = 1;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs((double)want[i]));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)(want[i] - got[i])) <= 1e-5 * most))
            fail_msg("element %lld is %g, was %g\n%s%s", (long long)i, (double)got[i], (double)want[i],
                     vt_graph_text(w->g), vt_graph_text(now));
    vt_eval_close(before);
    vt_eval_close(after);
}

static uint32_t nodes_of(const vt_graph *g, vt_gop op) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->node_count; i++) n += g->nodes[i]->op == op;
    return n;
}

/* Parameters of a batch normalization; computed by a node now and then, which must be folded first. */
static vt_gvalue *normalized(world *w, vt_gvalue *x) {
    vt_gtype t = {VT_ELEMENT_F32, 1, {x->type.dim[1]}};
    vt_gvalue *in[5] = {x};
    for (int i = 1; i < 5; i++) in[i] = random_value(w, t);
    for (int64_t i = 0; i < t.dim[0]; i++) ((float *)in[4]->data)[i] = (float)pick_real(0.5, 2);
    if (pick(0, 1)) in[1] = vt_graph_apply(w->g, VT_G_ADD, "scale", in[1], in[2], 0, NULL);
    vt_gnode_spec spec = {VT_G_BATCH_NORMALIZATION, "bn", NULL, 5, 0, in, NULL};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

/* Conv, ConvTranspose or Gemm, with a bias or without. */
static vt_gvalue *layer(world *w, vt_gvalue *x, vt_gop op) {
    static const int64_t ones[] = {1, 1, 1, 1}, zeros_of[] = {0, 0};
    int64_t group = pick(1, 2), in = x->type.dim[1], out = pick(1, 3) * group, trans = pick(0, 1);
    bool gemm = op == VT_G_GEMM, transposed = op == VT_G_CONV_TRANSPOSE;
    vt_gtype t = {VT_ELEMENT_F32, 4, {transposed ? in : out, (transposed ? out : in) / group, 3, 3}};
    if (gemm) t = (vt_gtype){VT_ELEMENT_F32, 2, {trans ? out : in, trans ? in : out}};
    const vt_gattr of_gemm[] = {VT_GSET_INT(TRANS_B, trans), VT_GSET_FLOAT(ALPHA, 0.5), VT_GSET_FLOAT(BETA, 2)};
    const vt_gattr of_conv[] = {VT_GSET_INTS(STRIDES, 2, ones), VT_GSET_INTS(PADS, 4, ones),
                                VT_GSET_INTS(DILATIONS, 2, ones), VT_GSET_INT(GROUP, group),
                                VT_GSET_INTS(OUTPUT_PADS, 2, zeros_of)};
    vt_gvalue *inputs[] = {x, random_value(w, t), NULL};
    if (pick(0, 1)) inputs[2] = random_value(w, (vt_gtype){VT_ELEMENT_F32, 1, {out}});
    const vt_gtype others[] = {TYPE(F32, 1), SCALAR(F32), TYPE(F32, x->type.dim[0], out)};
    if (gemm && inputs[2] && pick(0, 1)) inputs[2] = random_value(w, others[pick(0, 2)]);
    vt_gnode_spec spec = {op, "layer", NULL, 3, gemm ? 3 : transposed ? 5 : 4, inputs, gemm ? of_gemm : of_conv};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static void random_net(world *w) {
    static const vt_gop ops[] = {VT_G_CONV, VT_G_CONV_TRANSPOSE, VT_G_GEMM};
    vt_gop op = ops[pick(0, 2)];
    vt_gtype t = op == VT_G_GEMM ? TYPE(F32, 2, 4) : TYPE(F32, 1, 4, 5, 5);
    vt_gvalue *x = vt_graph_input(w->g, "x", t), *sample_x = random_value(w, t), *y = layer(w, x, op);
    bool shared = pick(0, 3) == 0; /* then the normalization stays, or is a convolution itself */
    bool is_row =
        !vt_ginput_given(y->by, 2) || y->by->inputs[2]->type.rank < 2; /* else it is added behind the product */
    vt_gvalue *other = shared ? vt_graph_apply(w->g, VT_G_RELU, "other", y, NULL, 0, NULL) : NULL;
    y = normalized(w, y);
    if (pick(0, 1)) y = vt_graph_apply(w->g, VT_G_IDENTITY, "id", y, NULL, 0, NULL);
    if (shared) y = vt_graph_apply(w->g, VT_G_ADD, "sum", y, other, 0, NULL);
    vt_graph_apply(w->g, VT_G_EXP, "unused", y, NULL, 0, NULL);
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_RELU, "relu", y, NULL, 0, NULL), "result");
    const vt_graph *now = vt_graph_run_passes(w->g, NULL, NULL);
    assert_int_equal(nodes_of(now, VT_G_BATCH_NORMALIZATION), 0);
    assert_int_equal(nodes_of(now, VT_G_CONV), (op == VT_G_CONV) + (shared && op != VT_G_GEMM));
    assert_int_equal(nodes_of(now, VT_G_IDENTITY) + nodes_of(now, VT_G_EXP), 0);
    if (!shared && is_row) assert_int_equal(now->node_count, 2); /* one layer with other weights, and Relu */
    assert_string_equal(now->output_names[0], "result");
    compare(w, now, sample_x->data);
}

/* ---- Operators of many forms ----------------------------------------------------------------------------------- */

/* A constant, or what nodes compute from the input: none of them can be folded. */
static vt_gvalue *any_value(world *w, vt_gtype t) {
    static const int64_t axes[] = {0, 1, 2, 3, 4};
    vt_gvalue *v = random_value(w, t), *x = vt_graph_find(w->g, "x");
    if (pick(0, 1)) return v;
    vt_gvalue *sum = vt_graph_apply(w->g, VT_G_REDUCE_SUM, "all", x, NULL,
                                    ATTRIBUTES(VT_GSET_INTS(AXES, x->type.rank, axes), VT_GSET_INT(KEEPDIMS, 0)));
    vt_gvalue *zero = vt_graph_apply(w->g, VT_G_MUL, "zero", sum, vt_graph_scalar(w->g, "none", 0), 0, NULL);
    return vt_graph_apply(w->g, VT_G_ADD, "v", v, zero, 0, NULL);
}

static vt_gvalue *any_gemm(world *w, vt_gvalue *x) {
    int64_t ta = pick(0, 1), tb = pick(0, 1), rows = x->type.dim[ta], depth = x->type.dim[!ta], columns = pick(2, 5);
    const vt_gtype third[] = {TYPE(F32, columns), TYPE(F32, rows, columns), TYPE(F32, rows, 1), TYPE(F32, 1),
                              TYPE(F32, 1, columns)};
    const vt_gattr attributes[] = {VT_GSET_INT(TRANS_A, ta), VT_GSET_INT(TRANS_B, tb),
                                   VT_GSET_FLOAT(ALPHA, (double)pick(1, 2)),
                                   VT_GSET_FLOAT(BETA, (double)pick(1, 2) / 2)};
    vt_gvalue *b = any_value(w, tb ? TYPE(F32, columns, depth) : TYPE(F32, depth, columns));
    vt_gvalue *inputs[] = {x, b, any_value(w, third[pick(0, 4)])};
    vt_gnode_spec spec = {VT_G_GEMM, "gemm", NULL, pick(0, 3) ? 3 : 2, 4, inputs, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *product_of_rows(world *w, vt_gvalue *x) {
    int64_t depth = x->type.dim[x->type.rank - 1], columns = pick(2, 5);
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_MAT_MUL, "rows", x, random_value(w, TYPE(F32, depth, columns)), 0, NULL);
    if (pick(0, 2) == 0) return y;
    vt_gvalue *row =
        random_value(w, pick(0, 2) ? TYPE(F32, columns) : TYPE(F32, x->type.dim[x->type.rank - 2], columns));
    if (pick(0, 3) == 0) row = vt_graph_apply(w->g, VT_G_RELU, "r", y, NULL, 0, NULL); /* read twice */
    return pick(0, 1) ? vt_graph_apply(w->g, VT_G_ADD, "add", row, y, 0, NULL)
                      : vt_graph_apply(w->g, VT_G_ADD, "add", y, row, 0, NULL);
}

/* Nothing is left that layers do not have. */
static void check_simple(const vt_graph *g) {
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *n = g->nodes[i];
        if (n->op == VT_G_SOFTMAX || n->op == VT_G_LOG_SOFTMAX)
            assert_int_equal(
                vt_gtype_span(&n->inputs[0]->type, (uint32_t)vt_gattr_int(n, VT_A_AXIS) + 1, n->inputs[0]->type.rank),
                1);
        if (n->op == VT_G_MAT_MUL && n->inputs[0]->type.rank > 2) assert_null(n->inputs[1]->data);
        if (n->op != VT_G_GEMM) continue;
        assert_int_equal(vt_gattr_int(n, VT_A_TRANS_A), 0);
        if (vt_ginput_given(n, 2))
            assert_true(vt_gtype_count(&n->inputs[2]->type) == 1 ||
                        vt_gtype_count(&n->inputs[2]->type) == n->outputs[0]->type.dim[1]);
        if (!n->inputs[1]->data) assert_true(vt_gattr_float(n, VT_A_ALPHA) == 1);
        if (!n->inputs[1]->data && vt_ginput_given(n, 2))
            assert_true(vt_gattr_float(n, VT_A_BETA) == 1 &&
                        vt_gtype_count(&n->inputs[2]->type) == n->outputs[0]->type.dim[1]);
    }
}

static void random_forms(world *w) {
    int kind = (int)pick(0, 3);
    uint32_t rank = kind == 0 ? 2 : (uint32_t)pick(kind == 1 ? 3 : 2, 5);
    vt_gtype t = {VT_ELEMENT_F32, rank, {0}};
    for (uint32_t i = 0; i < rank; i++) t.dim[i] = pick(2, 4);
    vt_gvalue *x = vt_graph_input(w->g, "x", t), *sample_x = random_value(w, t), *y;
    const vt_gattr along[] = {VT_GSET_INT(AXIS, pick(0, rank - 1))};
    switch (kind) {
    case 0: y = any_gemm(w, x); break;
    case 1: y = product_of_rows(w, x); break;
    case 2: y = vt_graph_apply(w->g, pick(0, 1) ? VT_G_SOFTMAX : VT_G_LOG_SOFTMAX, "softmax", x, NULL, 1, along); break;
    default: y = normalized(w, vt_graph_apply(w->g, VT_G_TANH, "t", x, NULL, 0, NULL));
    }
    const char *name = y->name;
    vt_graph_output(w->g, y, "result");
    const vt_graph *now = vt_graph_run_passes(w->g, NULL, NULL);
    check_simple(now);
    assert_int_equal(nodes_of(now, VT_G_BATCH_NORMALIZATION), 0);
    assert_string_equal(now->outputs.item[0]->name, name);
    compare(w, now, sample_x->data);
}

/* ---- Reshapes ---- */

static vt_gvalue *shaped(world *w, vt_gvalue *x, int shape) {
    static const int64_t shapes[3][3] = {{4, 6}, {2, 2, 6}, {24}};
    static const uint32_t ranks[] = {2, 3, 1};
    return vt_graph_apply(w->g, VT_G_RESHAPE, "shaped", x, NULL,
                          ATTRIBUTES(VT_GSET_INTS(SHAPE, ranks[shape], shapes[shape])));
}

/* Of values of one shape; some of numbers, some that must stay where they are. */
static vt_gvalue *elementwise(world *w, vt_gvalue *x, vt_gvalue *y) {
    vt_gtype row = {VT_ELEMENT_F32, 1, {x->type.dim[x->type.rank - 1]}};
    switch (pick(0, 6)) {
    case 0: return vt_graph_apply(w->g, VT_G_TANH, "f", x, NULL, 0, NULL);
    case 1: return vt_graph_apply(w->g, VT_G_ADD, "f", x, y, 0, NULL);
    case 2: return vt_graph_apply(w->g, VT_G_MUL, "f", vt_graph_scalar(w->g, "n", 0.5f), x, 0, NULL);
    case 3: return vt_graph_apply(w->g, VT_G_MUL, "f", x, y, 0, NULL);
    case 4: return vt_graph_apply(w->g, VT_G_ADD, "f", x, random_value(w, row), 0, NULL);
    case 5: return vt_graph_apply(w->g, VT_G_SUB, "f", x, random_value(w, TYPE(F32, 1, 1, 1)), 0, NULL);
    default: return vt_graph_apply(w->g, VT_G_SOFTMAX, "s", x, NULL, ATTRIBUTES(VT_GSET_INT(AXIS, x->type.rank - 1)));
    }
}

static bool is_reshape(const vt_gvalue *v) { return v->by && v->by->op == VT_G_RESHAPE; }

static void check_sunk(const vt_graph *now) {
    for (uint32_t i = 0; i < now->node_count; i++) {
        const vt_gnode *n = now->nodes[i];
        bool first = is_reshape(n->inputs[0]),
             same = n->op == VT_G_RESHAPE && vt_gtype_same_shape(&n->inputs[0]->type, &n->outputs[0]->type);
        bool bad = same || (first && (n->op == VT_G_TANH || n->op == VT_G_RESHAPE));
        if (bad && n->outputs[0] != now->outputs.item[0]) fail_msg("%s", vt_graph_text(now));
    }
}

static void random_reshapes(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 4, 6)), *input = random_value(w, TYPE(F32, 4, 6)), *y = x;
    for (int64_t i = pick(1, 4); i > 0; i--) {
        vt_gvalue *of[5] = {y = shaped(w, y, (int)pick(0, 2))};
        for (int k = 1; k < 5; k++) of[k] = y = elementwise(w, of[pick(0, k - 1)], of[pick(0, k - 1)]);
        if (vt_gtype_count(&y->type) != 24) return; /* a row was spread over it */
    }
    const char *name = y->name;
    vt_graph_output(w->g, y, "result");
    const vt_graph *now = vt_graph_run_passes(w->g, NULL, NULL);
    check_sunk(now);
    assert_string_equal(now->outputs.item[0]->name, name);
    compare(w, now, input->data);
}

/* Between two products of rows nothing is left but the function. */
static void between_products(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 2, 3, 5)), *input = random_value(w, TYPE(F32, 2, 3, 5));
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_MAT_MUL, "a", x, random_value(w, TYPE(F32, 5, 7)), 0, NULL);
    y = vt_graph_apply(w->g, VT_G_MUL, "m", y, vt_graph_apply(w->g, VT_G_ERF, "e", y, NULL, 0, NULL), 0, NULL);
    y = vt_graph_apply(w->g, VT_G_MAT_MUL, "b", y, random_value(w, TYPE(F32, 7, 4)), 0, NULL);
    vt_graph_output(w->g, y, NULL);
    const vt_graph *now = vt_graph_run_passes(w->g, NULL, NULL);
    if (nodes_of(now, VT_G_RESHAPE) != 2) fail_msg("%s", vt_graph_text(now));
    compare(w, now, input->data);
}

/* Two reshapes of one shape, each of which is spread over the result. */
static void spread(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 2, 3)), *input = random_value(w, TYPE(F32, 2, 3));
    vt_gvalue *a = vt_graph_apply(w->g, VT_G_RESHAPE, "a", x, NULL, ATTRIBUTES(INTS(SHAPE, 6, 1)));
    vt_gvalue *b = vt_graph_apply(w->g, VT_G_RESHAPE, "b", x, NULL, ATTRIBUTES(INTS(SHAPE, 1, 6)));
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_MUL, "outer", a, b, 0, NULL), NULL);
    const vt_graph *now = vt_graph_run_passes(w->g, NULL, NULL);
    assert_int_equal(vt_gtype_count(&now->outputs.item[0]->type), 36);
    compare(w, now, input->data);
}

TEST_CASE(test_reshapes) { many(400, random_reshapes), in_a_world(between_products), in_a_world(spread); }

/* Quantized constants keep saying how they are quantized. */
static void keeps_quantization(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 2, 3, 3)), *q = random_value(w, TYPE(I8, 2, 2, 1, 1));
    vt_gvalue *k = vt_graph_apply(w->g, VT_G_DEQUANTIZE_LINEAR, "dq", q, vt_graph_scalar(w->g, "s", 0.5f), 0, NULL);
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_CONV, "conv", x, k,
                                  ATTRIBUTES(INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    vt_graph_output(w->g, y, NULL);
    assert_ptr_equal(vt_graph_run_passes(w->g, NULL, NULL), w->g);
}

TEST_CASE(test_random_nets) { many(300, random_net); }
TEST_CASE(test_random_forms) { many(400, random_forms); }
TEST_CASE(test_keeps_quantization) { in_a_world(keeps_quantization); }

int main(void) { return run_cases(); }
