/* Concatenations of channels: random networks of convolutions, pools and concatenations, of values that several of them
 * take, some twice, some nested; channels of whole blocks of the accelerator and others. All give what the evaluator of
 * integers gives, in any order that the tokens allow; and of whole blocks none is left to the host. */
#include "network/compiled.h"

enum { CASES = 32, VALUES = 12, INPUTS = 4 };

static const char *const configs[] = {"", "LOG_BLOCK=3 LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=13",
                                      "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BLOCK=5"};
static const int64_t blocks[] = {16, 8, 8, 32};

static check_random random_numbers;
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static uint64_t seed;
static int64_t images;
static uint32_t host_concats, concats, runs;

static vt_gvalue *add(world *w, vt_gop op, uint32_t inputs, vt_gvalue **in, uint32_t attributes, vt_gattr *a) {
    const char *name = vt_new_format(&w->ctx, "n%u", w->g->values.count);
    vt_gnode_spec spec = {op, name, &name, inputs, attributes, in, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *conv(world *w, vt_gvalue *x, int64_t channels) {
    vt_gtype t = TYPE(F32, channels, x->type.dim[1], 1, 1);
    float *numbers = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) numbers[i] = (float)pick(-1000, 1000) / 2000;
    vt_gvalue *in[] = {x, vt_graph_constant(w->g, vt_new_format(&w->ctx, "w%u", w->g->values.count), t, numbers)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    return add(w, VT_G_CONV, 2, in, 4, a);
}

static vt_gvalue *pool(world *w, vt_gvalue *x) {
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1), INTS(KERNEL, 3, 3)};
    return add(w, VT_G_MAX_POOL, 1, &x, 4, a);
}

/* To the shape that it has: where it is, no step makes it. */
static vt_gvalue *same(world *w, vt_gvalue *x) {
    vt_gattr a[] = {VT_GSET_INTS(SHAPE, 4, x->type.dim)};
    return add(w, VT_G_RESHAPE, 1, &x, 1, a);
}

static vt_gvalue *concat(world *w, vt_gvalue **from, uint32_t count) {
    vt_gvalue *in[INPUTS];
    uint32_t inputs = (uint32_t)pick(2, INPUTS);
    int64_t channels = 0;
    for (uint32_t i = 0; i < inputs; i++) {
        in[i] = from[pick(count > 4 ? count - 4 : 0, count - 1)]; /* late ones, so that values are taken twice */
        channels += in[i]->type.dim[1];
    }
    vt_gattr a[] = {VT_GSET_INT(AXIS, 1)};
    return channels > 300 ? in[0] : add(w, VT_G_CONCAT, inputs, in, 1, a);
}

/* A value of whole blocks, or of some channels. */
static int64_t some_channels(void) { return pick(0, 3) || seed % 2 ? blocks[seed / 2 % 4] * pick(1, 2) : pick(1, 40); }

static vt_gvalue *grow(world *w, vt_gvalue **have, uint32_t count) {
    vt_gvalue *x = have[pick(0, count - 1)];
    switch (pick(0, 5)) {
    case 0:
    case 1: return concat(w, have, count);
    case 2: return pool(w, x);
    case 3: return same(w, x);
    default: return conv(w, x, some_channels());
    }
}

static vt_gvalue *build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, images, 5, pick(2, 5), pick(2, 5))), *have[VALUES];
    uint32_t count = 0;
    have[count++] = conv(w, x, some_channels());
    have[count++] = conv(w, x, some_channels());
    while (count < VALUES - 1) {
        have[count] = grow(w, have, count);
        count++;
    }
    have[count] = concat(w, have, count);
    vt_graph_output(w->g, conv(w, have[count], 7), "y");
    return x;
}

static void count_layers(const vtac_compile_report *report) {
    const vtac_compiled_layer *l;
    vtac_compile_summary sum = {.size = sizeof sum};
    for (size_t i = 0; (l = vtac_compile_report_layer(report, i)); i++)
        host_concats += !strcmp(l->kind, "concat") && l->place == VTAC_ON_HOST;
    vtac_compile_report_sum(report, &sum);
    runs = sum.runs;
}

static void check(world *w) {
    const vt_gtype *t = &build(w)->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(t));
    for (int64_t i = 0; i < vt_gtype_count(t); i++) x[i] = (float)pick(-1000, 1000) / 1000;
    calibrate(w, x);
    const vt_quant_options options = {.method = VT_RANGE_MAX, .most = INT8_MAX, .weight_max = INT8_MAX};
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    for (uint32_t i = 0; i < net->layer_count; i++) concats += net->layers[i]->kind == VT_Q_CONCAT;
    float *want = vt_new_bytes(&w->ctx, vt_gtype_bytes(&w->g->outputs.item[0]->type));
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *[]){want}, NULL, NULL, w->diag), VTA_OK);
    vta_config *base = vta_config_default(), *config;
    vtac_compile_report *report;
    vta_model *model = NULL;
    uint8_t *bytes;
    size_t size;
    if (vta_config_with(base, configs[seed / 2 % 4], w->diag, &config) != VTA_OK)
        fail_msg("%s", vta_diag_text(w->diag));
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    if (vt_network_compile(net, config, &(vt_network_options){.schedule = &quick}, NULL, w->diag, &bytes, &size,
                           &report) != VTA_OK ||
        vta_model_parse(bytes, size, "network", NULL, w->diag, &model) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(w->diag), vt_qnet_text(net));
    count_layers(report);
    run_in_order(w, model, VTA_ORDER_PROGRAM, seed, x, want);
    run_in_order(w, model, VTA_ORDER_RANDOM, seed, x, want);
    vta_model_release(model);
    vtac_compile_report_destroy(report);
    vta_string_free((char *)bytes);
    vta_config_release(config);
    vta_config_release(base);
}

TEST_CASE(random_concatenations) {
    uint32_t on_the_host = 0, all = 0;
    for (seed = 1; seed <= CASES; seed++) {
        random_numbers.state = seed * 7919u + 1;
        images = seed % 8 == 5 ? 2 : seed % 8 == 4 ? 3 : 1; /* of the third configuration: a tile holds two */
        host_concats = concats = 0;
        in_a_world(check);
        all += concats;
        on_the_host += host_concats;
        if (seed % 2 && host_concats) fail_msg("seed %d: %u concatenations on the host", (int)seed, host_concats);
        if (seed % 2 && runs != 1) fail_msg("seed %d: %u runs of the device", (int)seed, runs);
    }
    assert_in_range(all, 3 * CASES, 10 * CASES);
    assert_in_range(on_the_host, 5, all / 2); /* blocks that are not whole */
}

int main(void) { return run_cases(); }
