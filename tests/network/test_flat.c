/* Products of images that were made flat: they read the image's tiles, and no step makes it flat. Of random channels,
 * rows and columns, on several configurations, one or two products of an image, to the bit. */
#include "network/compiled.h"

enum { CASES = 40 };

static const char *const configs[] = {"", "LOG_BLOCK=3 LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=13",
                                      "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BLOCK=5"};
static const int64_t blocks[] = {16, 8, 8, 32};

static check_random random_numbers;
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static uint32_t seed, made_flat, read_as_it_is;

static vt_gvalue *constant(world *w, vt_gtype t) {
    float *numbers = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) numbers[i] = (float)pick(-1000, 1000) / 2000;
    return vt_graph_constant(w->g, vt_new_format(&w->ctx, "c%u", w->g->values.count), t, numbers);
}

static vt_gvalue *add(world *w, vt_gop op, uint32_t inputs, vt_gvalue **in, uint32_t attributes, vt_gattr *a) {
    const char *name = vt_new_format(&w->ctx, "n%u", w->g->values.count);
    vt_gnode_spec spec = {op, name, &name, inputs, attributes, in, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *conv(world *w, vt_gvalue *x, int64_t channels) {
    vt_gvalue *in[] = {x, constant(w, TYPE(F32, channels, x->type.dim[1], 1, 1))};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    return add(w, VT_G_CONV, 2, in, 4, a);
}

static vt_gvalue *product(world *w, vt_gvalue *x, int64_t outs) {
    vt_gvalue *in[] = {x, constant(w, TYPE(F32, outs, x->type.dim[1])), constant(w, TYPE(F32, outs))};
    vt_gattr a[] = {VT_GSET_INT(TRANS_B, 1)};
    return add(w, VT_G_GEMM, 3, in, 1, a);
}

static vt_gvalue *relu(world *w, vt_gvalue *x) { return add(w, VT_G_RELU, 1, &x, 0, NULL); }

static void check(world *w) {
    int64_t block = blocks[seed % 4], images = pick(1, 3), rows = pick(1, 5), columns = pick(2, 5);
    int64_t channels = seed % 3 ? block * pick(1, 3) : pick(2, 70), lanes = (channels + block - 1) / block * block;
    vt_gtype t = TYPE(F32, images, 5, rows, columns);
    vt_gvalue *image = conv(w, vt_graph_input(w->g, "x", t), channels);
    vt_gattr shape[] = {INTS(SHAPE, images, channels * rows * columns)};
    vt_gvalue *flat = add(w, VT_G_RESHAPE, 1, &image, 1, shape);
    vt_graph_output(w->g, product(w, pick(0, 1) ? relu(w, product(w, flat, pick(1, 40))) : flat, pick(1, 40)), "y");
    bool moved = pick(0, 3) == 0; /* something else reads it too, which has to have it flat */
    if (moved)
        vt_graph_output(w->g, relu(w, flat), "other");
    else if (pick(0, 1))
        vt_graph_output(w->g, product(w, flat, pick(1, 40)), "other");
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) x[i] = (float)pick(-1000, 1000) / 1000;
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    const vt_network_options how = {.schedule = &quick};
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .most = INT8_MAX, .weight_max = INT8_MAX, .wide_max = seed % 2 ? -1 : 1 << 20};
    const char *said = compare(w, x, configs[seed % 4], &how, options);
    bool is_made = strstr(said, "(reshape)") != NULL;
    if (!moved && lanes == channels && is_made) fail_msg("seed %u: it is made flat\n%s", seed, said);
    *(is_made ? &made_flat : &read_as_it_is) += 1;
}

TEST_CASE(products_of_images) {
    for (seed = 1; seed <= CASES; seed++) {
        random_numbers.state = seed * 7919u + 1;
        in_a_world(check);
    }
    assert_in_range(made_flat, 3, CASES / 2);
    assert_in_range(read_as_it_is, CASES / 2, CASES);
}

int main(void) { return run_cases(); }
