/* Building, printing, rewriting and verifying graphs. */
#include "build.h"

#include "frontend/pass/pass.h"

#define CONV ATTRIBUTES(INTS(STRIDES, 2, 2), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1))

/* x -> conv -> identity -> relu -> y, and a second relu that nothing needs. */
static vt_gvalue *small_net(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 3, 8, 8));
    vt_gvalue *c = vt_graph_apply(w->g, VT_G_CONV, "conv", x, zeros(w, "w", TYPE(F32, 4, 3, 3, 3)), CONV);
    vt_gvalue *i = vt_graph_apply(w->g, VT_G_IDENTITY, "same", c, NULL, 0, NULL);
    vt_graph_apply(w->g, VT_G_RELU, "unused", i, NULL, 0, NULL);
    return vt_graph_apply(w->g, VT_G_RELU, "relu", i, NULL, 0, NULL);
}

static void prints(world *w) {
    vt_gvalue *y = small_net(w);
    vt_graph_output(w->g, y, "y");
    vt_gvalue *s = vt_graph_apply(w->g, VT_G_MUL, "relu", y, vt_graph_scalar(w->g, "half", 0.5f), 0, NULL);
    vt_graph_output(w->g, s, NULL);
    assert_string_equal(vt_graph_text(w->g),
                        "graph test\n"
                        "input x: float32[1,3,8,8]\n"
                        "conv: float32[1,4,4,4] = Conv(x, const w float32[4,3,3,3]) strides=2,2 pads=1,1,1,1 "
                        "dilations=1,1 group=1\n"
                        "same: float32[1,4,4,4] = Identity(conv)\n"
                        "unused: float32[1,4,4,4] = Relu(same)\n"
                        "relu: float32[1,4,4,4] = Relu(same)\n"
                        "relu.7: float32[1,4,4,4] = Mul(relu, const half float32{0.5})\n"
                        "output y: float32[1,4,4,4] = relu\n"
                        "output relu.7: float32[1,4,4,4]\n");
    assert_int_equal(vt_graph_macs(w->g), 4 * 4 * 4 * 27);
    assert_int_equal(vt_graph_parameters(w->g), 4 * 27 + 1);
    assert_ptr_equal(vt_graph_find(w->g, "relu"), y);
    assert_null(vt_graph_find(w->g, "y"));
}

/* The two passes leave Conv and Relu; a second run changes nothing. */
static void passes(world *w) {
    vt_graph_output(w->g, small_net(w), "y");
    const vt_graph *g = vt_graph_run_passes(w->g, NULL, NULL);
    assert_ptr_not_equal(g, w->g);
    assert_string_equal(vt_graph_text(g),
                        "graph test\n"
                        "input x: float32[1,3,8,8]\n"
                        "conv: float32[1,4,4,4] = Conv(x, const w float32[4,3,3,3]) strides=2,2 pads=1,1,1,1 "
                        "dilations=1,1 group=1\n"
                        "relu: float32[1,4,4,4] = Relu(conv)\n"
                        "output y: float32[1,4,4,4] = relu\n");
    assert_ptr_equal(vt_graph_run_passes(g, NULL, NULL), g);
}

/* ---- What is counted ---- */

static vt_gvalue *node(world *w, vt_gop op, vt_gvalue *const *inputs, uint32_t count, uint32_t attribute_count,
                       const vt_gattr *attributes) {
    vt_gnode_spec spec = {op, NULL, NULL, count, attribute_count, inputs, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

/* Products of two numbers, counted by hand: one for each output element and what it is made of. */
static void macs(world *w) {
#define WINDOW INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)
    const vt_gattr conv[] = {WINDOW, VT_GSET_INT(GROUP, 2)}, spread[] = {WINDOW, INTS(OUTPUT_PADS, 0, 0)},
                   turned[] = {VT_GSET_INT(TRANS_A, 1)};
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4, 7, 7)),
              *q = vt_graph_input(w->g, "q", TYPE(U8, 1, 4, 7, 7));
    vt_gvalue *f = zeros(w, "f", TYPE(F32, 6, 2, 3, 3)), *k = zeros(w, "k", TYPE(U8, 6, 2, 3, 3));
    vt_gvalue *up = zeros(w, "up", TYPE(F32, 4, 5, 2, 2));
    vt_gvalue *s = vt_graph_scalar(w->g, "s", 1), *z = zeros(w, "z", SCALAR(U8));
    vt_gvalue *a = vt_graph_input(w->g, "a", TYPE(F32, 5, 3)), *b = zeros(w, "b", TYPE(F32, 5, 4));
    vt_gvalue *rows = vt_graph_input(w->g, "rows", TYPE(F32, 2, 3, 5));
    vt_gvalue *qa = vt_graph_input(w->g, "qa", TYPE(U8, 2, 3, 5)), *qb = zeros(w, "qb", TYPE(U8, 5, 4));
    const struct counted {
        vt_gvalue *y;
        uint64_t macs;
    } nodes[] = {{node(w, VT_G_CONV, (vt_gvalue *[]){x, f}, 2, 4, conv), 6 * 5 * 5 * 2 * 9},
                 {node(w, VT_G_CONV_INTEGER, (vt_gvalue *[]){q, k}, 2, 4, conv), 6 * 5 * 5 * 2 * 9},
                 {node(w, VT_G_QLINEAR_CONV, (vt_gvalue *[]){q, s, z, k, s, z, s, z}, 8, 4, conv), 6 * 5 * 5 * 2 * 9},
                 {node(w, VT_G_CONV_TRANSPOSE, (vt_gvalue *[]){x, up}, 2, 4, spread), 4 * 7 * 7 * 5 * 4},
                 {node(w, VT_G_GEMM, (vt_gvalue *[]){a, b}, 2, 1, turned), 3 * 4 * 5},
                 {node(w, VT_G_MAT_MUL, (vt_gvalue *[]){rows, b}, 2, 0, NULL), 2 * 3 * 4 * 5},
                 {node(w, VT_G_MAT_MUL_INTEGER, (vt_gvalue *[]){qa, qb}, 2, 0, NULL), 2 * 3 * 4 * 5},
                 {node(w, VT_G_QLINEAR_MAT_MUL, (vt_gvalue *[]){qa, s, z, qb, s, z, s, z}, 8, 0, NULL), 2 * 3 * 4 * 5},
                 {node(w, VT_G_RELU, &x, 1, 0, NULL), 0}};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++, all += nodes[i - 1].macs)
        if (vt_gnode_macs(nodes[i].y->by) != nodes[i].macs)
            fail_msg("%s: %d, not %d", vt_gop_text(nodes[i].y->by->op), (int)vt_gnode_macs(nodes[i].y->by),
                     (int)nodes[i].macs);
    assert_int_equal(vt_graph_macs(w->g), all);
}

/* Many names: all are found, none twice. */
static void names(world *w) {
    for (int i = 0; i < 1000; i++) vt_graph_input(w->g, i % 2 ? "a" : "b", SCALAR(F32));
    for (uint32_t i = 0; i < 1000; i++)
        assert_ptr_equal(vt_graph_find(w->g, w->g->values.item[i]->name), w->g->values.item[i]);
}

/* ---- What verify finds ---- */

static vta_status verify(vt_ctx *ctx, void *g) {
    (void)ctx;
    vt_graph_verify(g, "a fault");
    return VTA_OK;
}

static void is_found(world *w, const char *words) {
    assert_int_equal(vt_protect(&w->ctx, verify, w->g), VTA_INTERNAL);
    if (!strstr(vta_diag_text(w->diag), words)) fail_msg("%s: %s", words, vta_diag_text(w->diag));
    vta_diag_clear(w->diag);
}

static void faults(world *w) {
    vt_gvalue *y = small_net(w);
    vt_graph_output(w->g, y, NULL);
    assert_int_equal(vt_protect(&w->ctx, verify, w->g), VTA_OK);
    vt_gnode *relu = w->g->nodes[3], *conv = w->g->nodes[0];
    y->type.dim[1] = 5;
    is_found(w, "relu: not the type that its operator gives");
    y->type.dim[1] = 4;
    w->g->nodes[0] = relu, w->g->nodes[3] = conv;
    is_found(w, "a node does not know its place");
    relu->index = 0, conv->index = 3;
    is_found(w, "relu: an input is used before it is computed");
    relu->index = 3, conv->index = 0;
    w->g->nodes[0] = conv, w->g->nodes[3] = relu;
    w->g->node_count = 3;
    is_found(w, "relu: an output that nothing computes");
    w->g->node_count = 4;
    y->name = "conv";
    is_found(w, "conv: two values of that name");
    y->name = "relu";
    y->output = 1;
    is_found(w, "an output does not know its node");
    y->output = 0;
    w->g->inputs.item[0]->data = "";
    is_found(w, "x: an input that is computed");
}

#define IN_A_WORLD(name)                                                                                               \
    static void test_##name(void **state) { (void)state, in_a_world(name); }
IN_A_WORLD(prints)
IN_A_WORLD(passes)
IN_A_WORLD(macs)
IN_A_WORLD(names)
IN_A_WORLD(faults)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prints), cmocka_unit_test(test_passes), cmocka_unit_test(test_macs),
        cmocka_unit_test(test_names),  cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
