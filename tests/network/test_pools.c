/* Max poolings of one tensor by windows of several sizes: the larger ones begin with the results of smaller ones, and
 * give to the bit what the evaluator of integers gives, also where windows, paddings and borders differ. */
#include "network/compiled.h"

enum { CASES = 32 };

static const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};
static check_random random_numbers;
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static uint32_t pools, taps; /* operators, of which equal ones are one, and taps of their windows */

static bool count_taps(void *ctx, const char *layer, const vtac_op *op) {
    const char *text = vtac_op_attributes(op), *h = strstr(text, "kernel_h="), *w = strstr(text, "kernel_w=");
    (void)ctx, (void)layer;
    if (strcmp(vtac_op_name(op), "max_pool2d") != 0) return false;
    pools++;
    if (h && w) taps += (uint32_t)(strtol(h + 9, NULL, 10) * strtol(w + 9, NULL, 10));
    return false;
}

static const vt_network_options how = {.schedule = &quick, .scheduled = count_taps};

static vt_gvalue *add(world *w, vt_gop op, uint32_t inputs, vt_gvalue **in, uint32_t attributes, vt_gattr *a) {
    const char *name = vt_new_format(&w->ctx, "n%u", w->g->values.count);
    vt_gnode_spec spec = {op, name, &name, inputs, attributes, in, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *conv(world *w, vt_gvalue *x, int64_t channels) {
    vt_gtype t = TYPE(F32, channels, x->type.dim[1], 1, 1);
    float *numbers = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) numbers[i] = (float)pick(-1000, 1000) / 1000;
    vt_gvalue *args[] = {x, vt_graph_constant(w->g, vt_new_format(&w->ctx, "w%u", w->g->values.count), t, numbers)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    return add(w, VT_G_CONV, 2, args, 4, a);
}

static vt_gvalue *padded(world *w, vt_gvalue *x, int64_t rows, int64_t columns, const int64_t pads[4]) {
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, pads[0], pads[1], pads[2], pads[3]), INTS(DILATIONS, 1, 1),
                    INTS(KERNEL, rows, columns)};
    return add(w, VT_G_MAX_POOL, 1, &x, 4, a);
}

/* The result has the size of the input; `before`: rows and columns of padding above and on the left. */
static vt_gvalue *pool(world *w, vt_gvalue *x, int64_t rows, int64_t columns, int64_t before) {
    int64_t top = before < rows ? before : rows - 1, left = before < columns ? before : columns - 1;
    return padded(w, x, rows, columns, (int64_t[]){top, left, rows - 1 - top, columns - 1 - left});
}

/* With any padding. */
static vt_gvalue *sized(world *w, vt_gvalue *x) {
    int64_t rows = pick(1, 4), columns = pick(1, 4);
    int64_t pads[] = {pick(0, rows - 1), pick(0, columns - 1), pick(0, rows - 1), pick(0, columns - 1)};
    return padded(w, x, rows, columns, pads);
}

static void finish(world *w, uint32_t count, vt_gvalue **parts) {
    vt_gattr a[] = {VT_GSET_INT(AXIS, 1)};
    vt_graph_output(w->g, conv(w, add(w, VT_G_CONCAT, count, parts, 1, a), 5), "y");
    vt_gtype t = w->g->inputs.item[0]->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) x[i] = (float)pick(-1000, 1000) / 1000;
    pools = taps = 0;
    compare(w, x, pick(0, 1) ? "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15" : "", &how, usual);
}

/* As in YOLOX and YOLOv4: three windows of 5 x 5 in turn, which are one operator, and not 25 + 81 + 169 taps. */
static void pyramid(world *w) {
    vt_gvalue *x = conv(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 4, 9, 8)), 20);
    vt_gvalue *parts[] = {x, pool(w, x, 5, 5, 2), pool(w, x, 9, 9, 4), pool(w, x, 13, 13, 6)};
    finish(w, 4, parts);
    assert_int_equal(pools, 1);
    assert_int_equal(taps, 25);
}

/* The first has none before it; the last begins with the first. */
static void unordered(world *w) {
    vt_gvalue *x = conv(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 4, 9, 8)), 20);
    vt_gvalue *parts[] = {x, pool(w, x, 9, 9, 4), pool(w, x, 5, 5, 2), pool(w, x, 15, 15, 7)};
    finish(w, 4, parts);
    assert_int_equal(pools, 3);
    assert_int_equal(taps, 81 + 25 + 49);
}

TEST_CASE(larger_windows_begin_with_smaller_ones) {
    random_numbers.state = 3;
    in_a_world(pyramid);
    in_a_world(unordered);
}

static void one(world *w) {
    vt_gvalue *x = conv(w, vt_graph_input(w->g, "x", TYPE(F32, pick(1, 2), 4, pick(4, 9), pick(4, 9))), pick(1, 20));
    vt_gvalue *parts[4] = {x};
    for (int at = (int)pick(1, 3), i = 1; i < 4; i++) {
        if (i == at) vt_graph_output(w->g, conv(w, sized(w, x), 3), "z");
        parts[i] = pool(w, x, pick(1, 4), pick(1, 4), pick(0, 3));
    }
    finish(w, 4, parts);
}

TEST_CASE(random_windows) {
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        random_numbers.state = seed * 7919u + 5;
        in_a_world(one);
    }
}

int main(void) { return run_cases(); }
