/* The rules of single passes on small graphs: what is a copy, what is folded, what is dead, what memory is given back.
 */
#include "build.h"

#include <math.h>

#include "frontend/graph/rewrite.h"
#include "frontend/pass/pass.h"

#define NONE 0, NULL

static uint32_t nodes_of(const vt_graph *g, vt_gop op) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->node_count; i++) n += g->nodes[i]->op == op;
    return n;
}

/* ---- Copies ---- */

typedef struct copy {
    vt_gop op;
    vt_gtype x;
    uint32_t attribute_count;
    const vt_gattr *attributes;
    bool goes;
} copy;

static const copy *now;

static void one_copy(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", now->x);
    vt_gvalue *y = vt_graph_apply(w->g, now->op, "y", x, NULL, now->attribute_count, now->attributes);
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_ABS, "z", y, NULL, NONE), NULL);
    const vt_graph *g = vt_graph_pass_remove_identity(w->g);
    assert_true(vt_gtype_equal(&y->type, &x->type) || !now->goes);
    if (nodes_of(g, now->op) != !now->goes) fail_msg("%s", vt_graph_text(w->g));
    assert_int_equal(g == w->g, !now->goes);
}

TEST_CASE(test_copies) {
    const vt_gtype t = TYPE(F32, 2, 2);
    const copy copies[] = {
        {VT_G_IDENTITY, t, NONE, true},
        {VT_G_RESHAPE, t, ATTRIBUTES(INTS(SHAPE, 2, 2)), true},
        {VT_G_RESHAPE, t, ATTRIBUTES(INTS(SHAPE, 4)), false},
        {VT_G_EXPAND, t, ATTRIBUTES(INTS(SHAPE, 2, 2)), true},
        {VT_G_CAST, t, ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F32)), true},
        {VT_G_CAST, t, ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F64)), false},
        {VT_G_TRANSPOSE, t, ATTRIBUTES(INTS(PERM, 0, 1)), true},
        {VT_G_TRANSPOSE, t, ATTRIBUTES(INTS(PERM, 1, 0)), false},
        {VT_G_TRANSPOSE, TYPE(F32, 2, 3, 3), ATTRIBUTES(INTS(PERM, 0, 2, 1)), false},
        {VT_G_PAD, t, ATTRIBUTES(INTS(PADS, 0, 0, 0, 0)), true},
        {VT_G_PAD, t, ATTRIBUTES(INTS(PADS, 1, 0, -1, 0)), false},
        {VT_G_PAD, t, ATTRIBUTES(INTS(PADS, 0, -1, 0, 1)), false},
        {VT_G_SLICE, t, ATTRIBUTES(INTS(STARTS, 0, 0), INTS(STEPS, 1, 1), INTS(SHAPE, 2, 2)), true},
        {VT_G_SLICE, t, ATTRIBUTES(INTS(STARTS, 1, 0), INTS(STEPS, -1, 1), INTS(SHAPE, 2, 2)), false},
        {VT_G_SLICE, t, ATTRIBUTES(INTS(STARTS, 0, 1), INTS(STEPS, 1, -1), INTS(SHAPE, 2, 2)), false},
        {VT_G_SLICE, t, ATTRIBUTES(INTS(STARTS, 0, 0), INTS(STEPS, 1, 1), INTS(SHAPE, 2, 1)), false},
        {VT_G_CONCAT, t, NONE, true},
        {VT_G_CLIP, t, ATTRIBUTES(VT_GSET_FLOAT(MIN, -INFINITY), VT_GSET_FLOAT(MAX, INFINITY)), true},
        {VT_G_CLIP, t, ATTRIBUTES(VT_GSET_FLOAT(MIN, 0), VT_GSET_FLOAT(MAX, INFINITY)), false},
        {VT_G_CLIP, t, ATTRIBUTES(VT_GSET_FLOAT(MIN, -INFINITY), VT_GSET_FLOAT(MAX, 0)), false},
        {VT_G_RELU, t, NONE, false},
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) now = &copies[i], in_a_world(one_copy);
}

/* Of two inputs, one of which has no elements: it is not looked at. */
static void empty_part(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 2)), *none = vt_graph_input(w->g, "none", TYPE(F32, 0));
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_CONCAT, "y", x, none, NONE), NULL);
    assert_ptr_equal(vt_graph_pass_remove_identity(w->g), w->g);
}

TEST_CASE(test_empty_part) { in_a_world(empty_part); }

/* ---- Constants ---- */

/* 4 bytes may become 4 * 4 + 4096: 1028 elements. */
static void folded_size(world *w) {
    for (int64_t n = 1027; n < 1031; n++) {
        vt_gvalue *k = zeros(w, "k", TYPE(F32, 1));
        vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_EXPAND, "y", k, NULL, ATTRIBUTES(INTS(SHAPE, n))), NULL);
    }
    const vt_graph *g = vt_graph_pass_fold_constants(w->g);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(g->outputs.item[i]->data != NULL, i < 2);
}

/* Several outputs, an input that is left out: 5 and 1 times 3 - 1. */
static void folded_parts(world *w) {
    static const float x[] = {-1, 0, 254};
    static const uint8_t q[] = {5, 1}, k[] = {3}, one[] = {1};
    vt_gvalue *numbers = vt_graph_constant(w->g, "x", TYPE(F32, 3), x);
    vt_gnode_spec spec = {VT_G_DYNAMIC_QUANTIZE_LINEAR, "d", NULL, 1, 0, &numbers, NULL};
    const vt_gnode *d = vt_graph_add(w->g, &spec);
    for (uint32_t i = 0; i < 3; i++) vt_graph_output(w->g, d->outputs[i], NULL);
    vt_gvalue *in[] = {vt_graph_constant(w->g, "q", TYPE(U8, 1, 1, 2), q),
                       vt_graph_constant(w->g, "k", TYPE(U8, 1, 1, 1), k), NULL,
                       vt_graph_constant(w->g, "one", SCALAR(U8), one)};
    const vt_gattr line[] = {INTS(STRIDES, 1), INTS(PADS, 0, 0), INTS(DILATIONS, 1)};
    vt_gnode_spec conv = {VT_G_CONV_INTEGER, "c", NULL, 4, 3, in, line};
    vt_graph_output(w->g, vt_graph_add(w->g, &conv)->outputs[0], NULL);
    vt_gvalue *scaled =
        vt_graph_apply(w->g, VT_G_DEQUANTIZE_LINEAR, "s", in[0], vt_graph_scalar(w->g, "half", 0.5f), NONE);
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_NEG, "n", scaled, NULL, NONE), NULL);
    const char *text = strstr(vt_graph_text(vt_graph_pass_fold_constants(w->g)), "\n");
    assert_string_equal(text,
                        "\ns: float32[1,1,2] = DequantizeLinear(const q uint8[1,1,2]{5,1}, const half float32{0.5}) "
                        "axis=1\n"
                        "n: float32[1,1,2] = Neg(s)\n"
                        "output d: uint8[3] = const d uint8[3]{0,1,255}\n"
                        "output d.2: float32 = const d.2 float32{1}\n"
                        "output d.3: uint8 = const d.3 uint8{1}\n"
                        "output c: int32[1,1,2] = const c int32[1,1,2]{10,2}\n"
                        "output n: float32[1,1,2]\n");
}

TEST_CASE(test_folded) { in_a_world(folded_size), in_a_world(folded_parts); }

/* ---- What is needed ---- */

/* Of three outputs the last alone is read; a node that computes for a dead one is dead too. */
static void last_output(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 3));
    vt_gnode_spec spec = {VT_G_DYNAMIC_QUANTIZE_LINEAR, "d", NULL, 1, 0, &x, NULL};
    const vt_gnode *d = vt_graph_add(w->g, &spec);
    vt_gvalue *dead = vt_graph_apply(w->g, VT_G_EXP, "dead", x, NULL, NONE);
    vt_graph_apply(w->g, VT_G_NEG, "deader", dead, NULL, NONE);
    vt_gvalue *y =
        vt_graph_apply(w->g, VT_G_CAST, "y", d->outputs[2], NULL, ATTRIBUTES(VT_GSET_INT(TO, VT_ELEMENT_F32)));
    vt_graph_output(w->g, y, NULL);
    const vt_graph *g = vt_graph_pass_remove_dead(w->g);
    assert_string_equal(vt_graph_text(g), "graph test\ninput x: float32[3]\n"
                                          "d: uint8[3], d.2: float32, d.3: uint8 = DynamicQuantizeLinear(x)\n"
                                          "y: float32 = Cast(d.3) to=float32\noutput y: float32\n");
    assert_ptr_equal(vt_graph_pass_remove_dead(g), g);
    vt_graph_verify(g, "the pass");
}

/* A copy in another context is the same text, and another graph. */
static void copied(world *w) {
    vt_ctx other;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 3));
    vt_gnode_spec spec = {VT_G_DYNAMIC_QUANTIZE_LINEAR, "d", NULL, 1, 0, &x, NULL};
    const vt_gnode *d = vt_graph_add(w->g, &spec);
    vt_graph_output(w->g, d->outputs[1], "scale"), vt_graph_output(w->g, d->outputs[1], "again");
    vt_ctx_init(&other, NULL, w->diag);
    const vt_graph *g = vt_graph_copy(&other, w->g);
    assert_ptr_not_equal(g, w->g);
    assert_ptr_equal(g->ctx, &other);
    assert_string_equal(vt_graph_text(g), vt_graph_text(w->g));
    vt_graph_verify(g, "copying");
    vt_ctx_clear(&other);
}

static vta_status use_dropped(vt_ctx *ctx, void *arg) {
    const vt_graph *g = arg;
    vt_rewrite r = vt_rewrite_begin(g);
    (void)ctx;
    vt_rewrite_drop(&r);
    vt_rewrite_keep(&r, g->nodes[1]);
    return VTA_OK;
}

static void dropped(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 3)), *y = vt_graph_apply(w->g, VT_G_ABS, "y", x, NULL, NONE);
    vt_graph_apply(w->g, VT_G_NEG, "z", y, NULL, NONE);
    assert_int_equal(vt_protect(&w->ctx, use_dropped, w->g), VTA_INTERNAL);
    assert_string_equal(vta_diag_text(w->diag), "error: y is used after the node that computes it was dropped");
    vta_diag_clear(w->diag);
}

TEST_CASE(test_needed) { in_a_world(last_output), in_a_world(copied), in_a_world(dropped); }

/* ---- Memory ---- */

/* Weights of 1 MB that a batch normalization is folded into are there once after the passes; those that another node
 * still reads stay. */
static void given_back(world *w) {
    enum { CHANNELS = 512, BYTES = CHANNELS * CHANNELS * 4 };
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, CHANNELS, 1));
    vt_gvalue *k = zeros(w, "w", TYPE(F32, CHANNELS, CHANNELS, 1)),
              *kept = zeros(w, "kept", TYPE(F32, CHANNELS, CHANNELS, 1));
    ((float *)kept->data)[BYTES / 4 - 1] = 7;
    const vt_gattr line[] = {INTS(STRIDES, 1), INTS(PADS, 0, 0), INTS(DILATIONS, 1)};
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_CONV, "c", x, k, 3, line);
    vt_gvalue *z = vt_graph_apply(w->g, VT_G_CONV, "d", x, kept, 3, line);
    vt_gvalue *in[] = {y, zeros(w, "1", TYPE(F32, CHANNELS)), zeros(w, "2", TYPE(F32, CHANNELS)),
                       zeros(w, "3", TYPE(F32, CHANNELS)), zeros(w, "4", TYPE(F32, CHANNELS))};
    vt_gnode_spec norm = {VT_G_BATCH_NORMALIZATION, "n", NULL, 5, 0, in, NULL};
    vt_graph_output(w->g, vt_graph_add(w->g, &norm)->outputs[0], NULL);
    vt_graph_output(w->g, z, NULL);
    size_t before = w->ctx.arena.bytes;
    const vt_graph *g = vt_graph_run_passes(w->g, NULL, NULL);
    assert_int_equal(nodes_of(g, VT_G_CONV), 2);
    assert_true(w->ctx.arena.bytes < before + BYTES / 2);
    assert_true(vt_gelement_at(vt_graph_find(g, "kept"), BYTES / 4 - 1) == 7);
}

TEST_CASE(test_given_back) { in_a_world(given_back); }

int main(void) { return run_cases(); }
