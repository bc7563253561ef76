/* Nodes on floats that no code is generated for: each is refused by name, with what is missing; its neighbour, which is
 * just inside, is compiled. And a compile that whoever looks on ends. */
#include "graph/build.h"

#include <stdio.h>

#include "network/network.h"
#include "support/diag.h"

static const vt_quant_options usual = {
    .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = -1};

enum { OPERANDS = 65 };
#define SIXTEEN "iiiiiiiiiiiiiiii"

typedef struct row {
    vt_gop op;
    const char *inputs; /* a letter each: see operand() */
    uint32_t attribute_count;
    const vt_gattr *attributes;
    const char *refusal; /* NULL: it is compiled */
} row;
static const row *now;
static const vt_network_options *options;

static vt_gvalue *index_of(world *w, int64_t at) {
    int64_t *data = VT_NEW(&w->ctx, int64_t);
    *data = at;
    return vt_graph_constant(w->g, "at", TYPE(I64, 1), data);
}

static vt_gvalue *operand(world *w, char letter) {
    switch (letter) {
    case 'm': return vt_graph_input(w->g, "m", TYPE(F32, 2, 3));
    case 'k': return vt_graph_input(w->g, "k", TYPE(F32, 3, 4));
    case 't': return vt_graph_input(w->g, "t", TYPE(F32, 3, 2));
    case 'w': return zeros(w, "w", TYPE(F32, 3, 4));
    case 'b': return zeros(w, "b", TYPE(F32, 4));
    case 'f': return zeros(w, "f", TYPE(F32, 2, 4));
    case 'r': return zeros(w, "r", TYPE(F32, 1, 3));
    case 'o': return zeros(w, "o", TYPE(F32, 1));
    case 'i': return vt_graph_input(w->g, "i", TYPE(I32, 2, 3));
    case 'p': return vt_graph_input(w->g, "p", TYPE(F32, 2, 2, 3, 3));
    case 's': return vt_graph_input(w->g, "s", TYPE(F32, 1, 3, 1));
    case 'x': return vt_graph_input(w->g, "x", TYPE(I64, 1));
    default: return index_of(w, letter - '4'); /* "0": -4, "1": -3, ... */
    }
}

static vta_status compile(vt_ctx *ctx, void *arg) {
    world *w = arg;
    vt_gvalue *inputs[OPERANDS];
    uint32_t count = (uint32_t)strlen(now->inputs);
    for (uint32_t i = 0; i < count; i++) inputs[i] = operand(w, now->inputs[i]);
    vt_gnode_spec spec = {now->op, "y", NULL, count, now->attribute_count, inputs, now->attributes};
    vt_graph_output(w->g, vt_graph_add(w->g, &spec)->outputs[0], NULL);
    vt_ranges *ranges = vt_ranges_new(ctx, w->g);
    for (uint32_t i = 0; i < w->g->values.count; i++) vt_ranges_set(ranges, w->g->values.item[i], 127);
    const vt_qnet *net = vt_quantize(w->g, ranges, &usual);
    vta_config *config = vta_config_default();
    uint8_t *bytes = NULL;
    size_t size;
    vta_status status = vt_network_compile(net, config, options, NULL, w->diag, &bytes, &size, NULL);
    vta_string_free(bytes);
    vta_config_release(config);
    return status;
}

static void one(world *w) {
    vta_status status = vt_protect(&w->ctx, compile, w);
    char want[160];
    snprintf(want, sizeof want, "error: node y (%s): %s", vt_gop_text(now->op), now->refusal ? now->refusal : "");
    if (status != (now->refusal ? VTA_UNSUPPORTED : VTA_OK))
        fail_msg("%s of %s: %s: %s", vt_gop_text(now->op), now->inputs, vta_status_text(status),
                 vta_diag_text(w->diag));
    assert_string_equal(vta_diag_text(w->diag), now->refusal ? want : "");
}

TEST_CASE(on_floats) {
    static const char factor[] = "a factor and a transposed first matrix are not compiled on floats",
                      third[] = "a third matrix that is not one number a column is not compiled on floats",
                      resized[] = "only rows and columns are resized, or the last of three axes",
                      alone[] = "it is compiled for float32 alone", index[] = "an index is outside of the axis";
#define AXIS(n) ATTRIBUTES(VT_GSET_INT(AXIS, n))
#define SCALED(n, c, ...)                                                                                              \
    ATTRIBUTES(VT_GSET_INT(SAMPLING, VT_SAMPLING_LINEAR), FLOATS(SCALES, n, c, 2, 2), INTS(SHAPE, __VA_ARGS__))
    const row rows[] = {
        {VT_G_GEMM, "mkb", 0, NULL, NULL},
        {VT_G_GEMM, "tk", ATTRIBUTES(VT_GSET_INT(TRANS_A, 1)), factor},
        {VT_G_GEMM, "mk", ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 2)), factor},
        {VT_G_GEMM, "mk", ATTRIBUTES(VT_GSET_FLOAT(BETA, 2)), NULL}, /* of nothing */
        {VT_G_GEMM, "mkb", ATTRIBUTES(VT_GSET_FLOAT(BETA, 2)), third},
        {VT_G_GEMM, "mkf", 0, NULL, third},
        {VT_G_GEMM, "mko", 0, NULL, third},
        {VT_G_RESIZE, "p", SCALED(1, 1, 2, 2, 6, 6), NULL},
        {VT_G_RESIZE, "p", SCALED(2, 1, 4, 2, 6, 6), resized},
        {VT_G_RESIZE, "p", SCALED(1, 2, 2, 4, 6, 6), resized},
        {VT_G_RESIZE, "m",
         ATTRIBUTES(VT_GSET_INT(SAMPLING, VT_SAMPLING_LINEAR), FLOATS(SCALES, 1, 2), INTS(SHAPE, 2, 6)), resized},
        {VT_G_SOFTMAX, "m", AXIS(1), NULL},
        {VT_G_SOFTMAX, "s", AXIS(1), NULL}, /* what follows is one element */
        {VT_G_SOFTMAX, "m", AXIS(0), "only along the last axis it is compiled"},
        {VT_G_REDUCE_SUM, "m", ATTRIBUTES(INTS(AXES, 1)), NULL},
        {VT_G_REDUCE_SUM, "i", ATTRIBUTES(INTS(AXES, 1)), NULL},
        {VT_G_REDUCE_PROD, "i", ATTRIBUTES(INTS(AXES, 1)), alone},
        {VT_G_CLIP, "i", ATTRIBUTES(VT_GSET_FLOAT(MIN, 1)), NULL},
        {VT_G_CLIP, "x", ATTRIBUTES(VT_GSET_FLOAT(MIN, 1)), alone},
        {VT_G_TRANSPOSE, "i", ATTRIBUTES(INTS(PERM, 1, 0)), NULL},
        {VT_G_REDUCE_PROD, "m", ATTRIBUTES(INTS(AXES, 1)), "no code is generated for it yet"},
        {VT_G_GATHER, "mx", AXIS(1), NULL},
        {VT_G_CUM_SUM, "m", AXIS(1), NULL},
        {VT_G_TOP_K, "i", AXIS(1), NULL},
        {VT_G_SCATTER, "mxr", 0, NULL, NULL},
        {VT_G_GATHER, "m1", AXIS(1), NULL}, /* -3 to 2 of three */
        {VT_G_GATHER, "m0", AXIS(1), index},
        {VT_G_GATHER, "m6", AXIS(1), NULL},
        {VT_G_GATHER, "m7", AXIS(1), index},
        {VT_G_GATHER, "m6", AXIS(0), index}, /* the first has two */
        {VT_G_CONCAT, "iiiiiiii", AXIS(1), NULL},
        {VT_G_CONCAT, "iiiiiiiii", AXIS(1), NULL},
        {VT_G_CONCAT, SIXTEEN SIXTEEN SIXTEEN SIXTEEN, AXIS(1), NULL},
        {VT_G_CONCAT, SIXTEEN SIXTEEN SIXTEEN SIXTEEN "i", AXIS(1),
         "only operators with at most 8 operands are compiled, and Concat with at most 64"},
        {VT_G_DYNAMIC_QUANTIZE_LINEAR, "m", 0, NULL, "an operator of several results can not be compiled"},
    };
    static const vt_network_options on_processor = {.processor_only = true};
    options = &on_processor;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        now = &rows[i];
        in_a_world(one);
    }
}

/* ---- Who looks on ends it ---- */

static uint32_t calls;

static bool at_operator(void *ctx, const char *layer, const vtac_op *op) {
    assert_ptr_equal(ctx, &calls);
    assert_string_equal(layer, "y");
    assert_non_null(op);
    calls++;
    return true;
}

static void interrupted(world *w) {
    assert_int_equal(vt_protect(&w->ctx, compile, w), VTA_INTERRUPTED);
    assert_string_equal(vta_diag_text(w->diag), "error: interrupted");
    assert_int_equal(calls, 1);
}

TEST_CASE(at_the_first_operator) {
    static const row dense = {.op = VT_G_MAT_MUL, .inputs = "mw"};
    static const vtac_op_options quick = {.tries = 1};
    static const vt_network_options looks_on = {.schedule = &quick, .scheduled = at_operator, .scheduled_ctx = &calls};
    options = &looks_on;
    now = &dense;
    in_a_world(interrupted);
}

int main(void) { return run_cases(); }
