/* Functions of one integer on hardware with tables: random networks whose functions stand behind convolutions,
 * poolings, sums, products of two tensors and values that others read too, on several configurations and both
 * simulators, give to the bit what the evaluator of integers gives; without tables the host computes them. */
#include "network/compiled.h"

enum { CASES = 48, VALUES = 9 };

static const char *const configs[] = {
    "LOG_TABLE_BUFF_SIZE=8", "LOG_TABLE_BUFF_SIZE=10 LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15",
    "LOG_TABLE_BUFF_SIZE=12 LOG_BLOCK=3 LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=13",
    "LOG_TABLE_BUFF_SIZE=8 LOG_BLOCK=5"};
enum { CONFIGS = sizeof configs / sizeof *configs };

static const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};
static check_random random_numbers;
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static uint64_t seed;
static uint32_t along, alone, on_host;

/* ---- Networks -------------------------------------------------------------------------------------------------- */

static vt_gvalue *add(world *w, vt_gop op, uint32_t inputs, vt_gvalue **in, uint32_t attributes, vt_gattr *a) {
    const char *name = vt_new_format(&w->ctx, "n%u", w->g->values.count);
    vt_gnode_spec spec = {op, name, &name, inputs, attributes, in, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *randoms(world *w, vt_gtype t, double size) {
    float *numbers = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) numbers[i] = (float)((double)pick(-1000, 1000) / 1000 * size);
    return vt_graph_constant(w->g, vt_new_format(&w->ctx, "w%u", w->g->values.count), t, numbers);
}

/* Kernels of 1 x 1 and 3 x 3; each channel by itself where there are as many as before. */
static vt_gvalue *conv(world *w, vt_gvalue *x, int64_t channels, int64_t kernel, bool apart) {
    int64_t in = x->type.dim[1], group = apart ? in : 1, outs = apart ? in : channels, pad = kernel / 2;
    vt_gvalue *args[] = {x, randoms(w, TYPE(F32, outs, in / group, kernel, kernel), 1.5 / (double)(kernel * kernel)),
                         randoms(w, TYPE(F32, outs), 0.5)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, pad, pad, pad, pad), INTS(DILATIONS, 1, 1),
                    VT_GSET_INT(GROUP, group)};
    return add(w, VT_G_CONV, 3, args, 4, a);
}

/* With a number for each channel it has a table for each, which is left to the host. */
static vt_gvalue *by_channel(world *w, vt_gvalue *x) {
    vt_gvalue *args[] = {x, randoms(w, TYPE(F32, x->type.dim[1], 1, 1), 1)};
    return add(w, VT_G_MUL, 2, args, 0, NULL);
}

/* Some are not 0 for 0, so that lanes past the last channel are none. */
static vt_gvalue *function(world *w, vt_gvalue *x) {
    static const vt_gop ops[] = {VT_G_SIGMOID, VT_G_HARD_SWISH, VT_G_TANH, VT_G_COS, VT_G_SOFTPLUS};
    int64_t at = pick(0, 6);
    if (pick(0, 19) == 0) return by_channel(w, add(w, VT_G_TANH, 1, &x, 0, NULL));
    if (at < 5) return add(w, ops[at], 1, &x, 0, NULL);
    vt_gattr slope[] = {VT_GSET_FLOAT(ALPHA, 0.3)};
    if (at == 5) return add(w, VT_G_LEAKY_RELU, 1, &x, 1, slope);
    vt_gvalue *gated[] = {x, add(w, VT_G_SIGMOID, 1, &x, 0, NULL)};
    return add(w, VT_G_MUL, 2, gated, 0, NULL);
}

static vt_gvalue *pool(world *w, vt_gvalue *x) {
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1), INTS(KERNEL, 3, 3)};
    return add(w, VT_G_MAX_POOL, 1, &x, 4, a);
}

/* Squeeze and excite. */
static vt_gvalue *excited(world *w, vt_gvalue *x) {
    vt_gattr a[] = {INTS(AXES, 2, 3), VT_GSET_INT(KEEPDIMS, 1)};
    vt_gvalue *few = function(w, conv(w, add(w, VT_G_REDUCE_MEAN, 1, &x, 2, a), 4, 1, false));
    vt_gvalue *gate = conv(w, few, x->type.dim[1], 1, false), *args[] = {x, add(w, VT_G_SIGMOID, 1, &gate, 0, NULL)};
    return conv(w, add(w, VT_G_MUL, 2, args, 0, NULL), pick(1, 40), 1, false);
}

static vt_gvalue *sum(world *w, vt_gvalue *x) {
    vt_gvalue *args[] = {function(w, conv(w, x, x->type.dim[1], 1, false)), x};
    return add(w, VT_G_ADD, 2, args, 0, NULL);
}

static vt_gvalue *both(world *w, vt_gvalue *x) {
    vt_gvalue *args[] = {function(w, conv(w, x, 32, 1, false)), function(w, conv(w, x, pick(1, 20), 3, false))};
    vt_gattr a[] = {VT_GSET_INT(AXIS, 1)};
    return add(w, VT_G_CONCAT, 2, args, 1, a);
}

static vt_gvalue *grow(world *w, vt_gvalue *x) {
    switch (pick(0, 9)) {
    case 0:
    case 1: return function(w, conv(w, x, pick(1, 40), 1, false));
    case 2: return function(w, conv(w, x, pick(1, 40), 3, false));
    case 3: return function(w, conv(w, x, 0, 3, true));
    case 4: return function(w, pool(w, conv(w, x, pick(1, 40), 1, false)));
    case 5: return function(w, sum(w, x));
    case 6: return excited(w, function(w, conv(w, x, pick(1, 40), 1, false)));
    case 7: return both(w, x);
    case 8: return pool(w, x);
    default: return conv(w, sum(w, function(w, conv(w, x, pick(1, 40), 1, false))), pick(1, 40), 1, false);
    }
}

static void build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, pick(1, 3), pick(1, 20), pick(3, 7), pick(3, 7)));
    x = conv(w, x, pick(1, 40), 1, false);
    for (int64_t i = 0, count = pick(1, 4); i < count; i++) x = grow(w, x);
    vt_graph_output(w->g, conv(w, x, 5, 1, false), "y");
    if (pick(0, 3) == 0) vt_graph_output(w->g, x, "z");
}

/* ---- What became of them --------------------------------------------------------------------------------------- */

static uint32_t occurrences(const char *text, const char *of) {
    uint32_t count = 0;
    while ((text = strstr(text, of))) count++, text++;
    return count;
}

static void one(world *w) {
    build(w);
    vt_gtype t = w->g->inputs.item[0]->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) x[i] = (float)pick(-1000, 1000) / 1000;
    const char *config = vt_new_format(&w->ctx, "%s TARGET=%s", configs[seed % CONFIGS], seed % 2 ? "sim" : "tsim");
    const char *said = compare(w, x, config, &(vt_network_options){.schedule = &quick}, usual);
    uint32_t tables = occurrences(said, "(table): accelerator");
    along += occurrences(said, "(table): accelerator, with the layer before it");
    alone += tables - occurrences(said, "(table): accelerator, with the layer before it");
    on_host += occurrences(said, "(table): host");
}

TEST_CASE(random_networks) {
    for (seed = 1; seed <= CASES; seed++) {
        random_numbers.state = seed * 7919u + 5;
        in_a_world(one);
    }
    print_message("%u along, %u alone, %u on the host\n", along, alone, on_host);
    assert_true(along > 2 * CASES);
    assert_in_range(alone, 5, along);
    assert_in_range(on_host, 5, along / 5); /* a table for each channel, or one of floats */
}

/* SiLU behind a convolution, with another convolution behind it. */
static void silu(world *w) {
    vt_gvalue *x = conv(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 8, 6, 6)), 24, 1, false);
    vt_gvalue *gated[] = {x, add(w, VT_G_SIGMOID, 1, &x, 0, NULL)};
    vt_graph_output(w->g, conv(w, add(w, VT_G_MUL, 2, gated, 0, NULL), 16, 3, false), "y");
    float *sample = VT_NEW_ARRAY(&w->ctx, float, 8 * 6 * 6);
    for (int64_t i = 0; i < 8 * 6 * 6; i++) sample[i] = (float)pick(-1000, 1000) / 1000;
    const vt_network_options how = {.schedule = &quick};
    assert_int_equal(occurrences(compare(w, sample, "", &how, usual), "(table): host"), 1);
    const char *with = compare(w, sample, configs[0], &how, usual);
    assert_int_equal(occurrences(with, "(table): accelerator, with the layer before it"), 1);
}

TEST_CASE(tables_are_of_hardware_that_has_them) {
    random_numbers.state = 7;
    in_a_world(silu);
}

/* Operators that look up, and such that limit by a maximum. */
static uint32_t looks, maxima;

static bool count_limits(void *ctx, const char *layer, const vtac_op *op) {
    (void)ctx, (void)layer;
    const char *text = vtac_op_attributes(op);
    looks += occurrences(text, "table");
    maxima += occurrences(text, "max:");
    return false;
}

/* Convolutions with limits: the first of 108 tiles, the second of 36, fewer than a table's load takes cycles. */
static void limited(world *w) {
    static const vt_network_options how = {.schedule = &quick, .scheduled = count_limits};
    vt_gvalue *x = conv(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 8, 6, 6)), 40, 1, false);
    x = conv(w, add(w, VT_G_RELU, 1, &x, 0, NULL), 16, 3, false);
    vt_graph_output(w->g, x, "y");
    float *sample = VT_NEW_ARRAY(&w->ctx, float, 8 * 6 * 6);
    for (int64_t i = 0; i < 8 * 6 * 6; i++) sample[i] = (float)pick(-1000, 1000) / 1000;
    looks = maxima = 0;
    compare(w, sample, "", &how, usual);
    assert_int_equal(looks, 0);
    assert_int_equal(maxima, 2);
    looks = maxima = 0;
    compare(w, sample, configs[0], &how, usual);
    assert_int_equal(looks, 1);
    assert_int_equal(maxima, 1);
}

TEST_CASE(limits_are_looked_up_where_that_is_shorter) {
    random_numbers.state = 7;
    in_a_world(limited);
}

/* The mean of 96 x 96 numbers is of a sum that is shifted by more than an immediate rounds. */
static void excite_large(world *w) {
    enum { SIDE = 96, NUMBERS = 4 * SIDE * SIDE };
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4, SIDE, SIDE));
    vt_graph_output(w->g, excited(w, conv(w, x, 16, 1, false)), "y");
    float *sample = VT_NEW_ARRAY(&w->ctx, float, NUMBERS);
    for (int64_t i = 0; i < NUMBERS; i++) sample[i] = (float)pick(-1000, 1000) / 1000;
    const char *said = compare(w, sample, configs[0], &(vt_network_options){.schedule = &quick}, usual);
    assert_int_equal(occurrences(said, "(sum_pool): accelerator"), 1);
    assert_int_equal(occurrences(said, "(table): host"), 0);
}

TEST_CASE(means_of_large_images_end_no_run) {
    random_numbers.state = 9;
    in_a_world(excite_large);
}

int main(void) { return run_cases(); }
