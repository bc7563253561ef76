/* What the reference computes on integers of 16 bits, and what it makes of floats that no integer stands for. */
#include "graph/build.h"

#include <math.h>

#include "frontend/quant/eval.h"
#include "frontend/quant/quant.h"

enum { MAX = INT16_MAX, COLUMNS = 5 };

/* x and y in integers of `bits`, each of which stands for itself. */
static const vt_qnet *quantized(world *w, vt_gvalue *y, int32_t most) {
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = most, .weight_max = 127, .wide_max = -1};
    vt_graph_output(w->g, y, "y");
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    for (uint32_t i = 0; i < w->g->values.count; i++) vt_ranges_set(ranges, w->g->values.item[i], most);
    return vt_quantize(w->g, ranges, &options);
}

static void run(world *w, const vt_qnet *net, const float *x, float *y) {
    if (vt_qeval_run(net, (const void *[]){x}, (void *[]){y}, NULL, NULL, w->diag) != VTA_OK)
        fail_msg("%s", vta_diag_text(w->diag));
}

/* Rows of two channels; the kernel takes every second column of the first, and the last of the second. */
static void conv(world *w) {
    static const float x[2][COLUMNS] = {{1000, -2000, 3000, 30000, -7}, {1, -20000, 300, 5, 2500}};
    static const float taps[2][2] = {{1, 1}, {0, 1}};
    float y[3];
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, 1, 2, 1, COLUMNS));
    vt_gvalue *k = vt_graph_constant(w->g, "k", TYPE(F32, 1, 2, 1, 2), taps);
    const vt_qnet *net =
        quantized(w,
                  vt_graph_apply(w->g, VT_G_CONV, "y", in, k,
                                 ATTRIBUTES(INTS(STRIDES, 1, 2), INTS(PADS, 0, 1, 0, 1), INTS(DILATIONS, 1, 2))),
                  MAX);
    assert_non_null(strstr(vt_qnet_text(net), "int16[1,2,1,5]"));
    run(w, net, &x[0][0], y);
    /* columns -1 and 1, 1 and 3, 3 and 5: outside are zeros */
    static const float want[] = {-2000 - 20000, -2000 + 30000 + 5, 30000};
    assert_memory_equal(y, want, sizeof y);
}

/* Halves go to the even neighbour, what is beyond the limits is the limit, and what is not a number is the least. */
static void floats(world *w, int32_t most, vt_element element) {
    const float x[] = {0.5f, 1.5f, -2.5f, (float)most, (float)-most - 1, 1e9f, -1e9f, INFINITY, -INFINITY, NAN};
    enum { COUNT = sizeof x / sizeof *x };
    const float want[] = {0,
                          2,
                          -2,
                          (float)most,
                          (float)-most - 1,
                          (float)most,
                          (float)-most - 1,
                          (float)most,
                          (float)-most - 1,
                          (float)-most - 1};
    float y[COUNT];
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, 1, 1, 1, COUNT));
    vt_gvalue *pool = vt_graph_apply(
        w->g, VT_G_MAX_POOL, "y", in, NULL,
        ATTRIBUTES(INTS(KERNEL, 1, 1), INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    const vt_qnet *net = quantized(w, pool, most);
    assert_int_equal(net->layers[0]->kind, VT_Q_QUANTIZE);
    assert_int_equal(net->layers[0]->output->type.element, element);
    run(w, net, x, y);
    for (int i = 0; i < COUNT; i++)
        if (y[i] != want[i]) fail_msg("%g: %g, not %g", x[i], y[i], want[i]);
}
static void floats_of_8_bits(world *w) { floats(w, INT8_MAX, VT_ELEMENT_I8); }
static void floats_of_16_bits(world *w) { floats(w, INT16_MAX, VT_ELEMENT_I16); }

#define IN_A_WORLD(name)                                                                                               \
    static void test_##name(void **state) { (void)state, in_a_world(name); }
IN_A_WORLD(conv)
IN_A_WORLD(floats_of_8_bits)
IN_A_WORLD(floats_of_16_bits)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conv), cmocka_unit_test(test_floats_of_8_bits),
                                       cmocka_unit_test(test_floats_of_16_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
