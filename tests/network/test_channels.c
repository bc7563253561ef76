/* Moves of channels: random networks of shuffles, splits, takings of any channels, concatenations of odd counts, nested
 * ones, zero padding, and of what reads them: convolutions of both kinds, pools, sums, functions, limits. All give what
 * the evaluator of integers gives, in any order that the tokens allow, and none leaves the accelerator: not for a move,
 * and on hardware with tables not for a function. */
#include "frontend/pass/pass.h"
#include "network/compiled.h"

enum { CASES = 72, VALUES = 14, INPUTS = 3 };

static const char *const configs[] = {
    "", "LOG_BLOCK=3 LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=13 LOG_TABLE_BUFF_SIZE=12",
    "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BLOCK=5", "LOG_TABLE_BUFF_SIZE=12"};
enum { CONFIGS = 5 };

static check_random random_numbers;
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static uint64_t seed;
static int64_t images;
static char said[10000];
static uint32_t moves, in_products, on_the_host;

/* ---- Nodes ------------------------------------------------------------------------------------------------------ */

static vt_gvalue *add(world *w, vt_gop op, uint32_t inputs, vt_gvalue *const *in, uint32_t attributes,
                      const vt_gattr *a) {
    const char *name = vt_new_format(&w->ctx, "n%u", w->g->values.count);
    vt_gnode_spec spec = {op, name, &name, inputs, attributes, (vt_gvalue **)in, (vt_gattr *)a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *conv(world *w, vt_gvalue *x, int64_t channels, int64_t group, int64_t kernel, int64_t pad) {
    vt_gtype t = TYPE(F32, channels, x->type.dim[1] / group, kernel, kernel);
    float *numbers = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    float *biases = VT_NEW_ARRAY(&w->ctx, float, (size_t)channels);
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) numbers[i] = (float)pick(-1000, 1000) / 2000;
    for (int64_t i = 0; i < channels; i++) biases[i] = (float)pick(-1000, 1000) / 1000;
    uint32_t at = w->g->values.count;
    vt_gvalue *in[] = {x, vt_graph_constant(w->g, vt_new_format(&w->ctx, "w%u", at), t, numbers),
                       vt_graph_constant(w->g, vt_new_format(&w->ctx, "b%u", at), TYPE(F32, channels), biases)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, pad, pad, pad, pad), INTS(DILATIONS, 1, 1),
                    VT_GSET_INT(GROUP, group)};
    return add(w, VT_G_CONV, 3, in, 4, a);
}

static vt_gvalue *pool(world *w, vt_gop op, vt_gvalue *x, int64_t pad) {
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, pad, pad, pad, pad), INTS(DILATIONS, 1, 1), INTS(KERNEL, 3, 3),
                    VT_GSET_INT(COUNT_PADS, 1)};
    return add(w, op, 1, &x, op == VT_G_MAX_POOL ? 4 : 5, a);
}

static vt_gvalue *reshape(world *w, vt_gvalue *x, uint32_t rank, const int64_t *shape) {
    vt_gattr a[] = {VT_GSET_INTS(SHAPE, rank, shape)};
    return add(w, VT_G_RESHAPE, 1, &x, 1, a);
}

/* As ShuffleNet's: channels of the groups by turns. */
static vt_gvalue *shuffle(world *w, vt_gvalue *x) {
    const int64_t *d = x->type.dim;
    int64_t groups = d[1] % 3 ? d[1] % 2 ? 1 : 2 : 3;
    const int64_t apart[] = {d[0], groups, d[1] / groups, d[2], d[3]}, whole[] = {d[0], d[1], d[2], d[3]};
    vt_gattr turned[] = {INTS(PERM, 0, 2, 1, 3, 4)};
    vt_gvalue *parts = reshape(w, x, 5, apart);
    return reshape(w, add(w, VT_G_TRANSPOSE, 1, &parts, 1, turned), 4, whole);
}

/* Some channels from one on, perhaps every second. */
static vt_gvalue *slice(world *w, vt_gvalue *x) {
    const int64_t *d = x->type.dim;
    int64_t step = d[1] > 1 ? pick(1, 2) : 1, first = pick(0, d[1] / 3), most = (d[1] - first + step - 1) / step;
    vt_gattr a[] = {INTS(STARTS, 0, first, 0, 0), INTS(STEPS, 1, step, 1, 1),
                    INTS(SHAPE, d[0], pick((most + 1) / 2, most), d[2], d[3])};
    return add(w, VT_G_SLICE, 1, &x, 3, a);
}

/* Any channels in any order, some perhaps twice. */
static vt_gvalue *gather(world *w, vt_gvalue *x) {
    int64_t count = pick(1, x->type.dim[1] + 2), *at = VT_NEW_ARRAY(&w->ctx, int64_t, (size_t)count);
    for (int64_t i = 0; i < count; i++) at[i] = pick(0, x->type.dim[1] - 1);
    const char *name = vt_new_format(&w->ctx, "at%u", w->g->values.count);
    vt_gvalue *in[] = {x, vt_graph_constant(w->g, name, TYPE(I64, count), at)};
    vt_gattr a[] = {VT_GSET_INT(AXIS, 1)};
    return add(w, VT_G_GATHER, 2, in, 1, a);
}

/* Zeros around the image, which a window takes away again. */
static vt_gvalue *padded(world *w, vt_gvalue *x) {
    vt_gattr a[] = {VT_GSET_INT(PADDING, VT_PADDING_CONSTANT), INTS(PADS, 0, 0, 1, 1, 0, 0, 1, 1),
                    VT_GSET_FLOAT(VALUE, 0)};
    vt_gvalue *y = add(w, VT_G_PAD, 1, &x, 3, a);
    int64_t channels = x->type.dim[1];
    return pick(0, 1) ? pool(w, VT_G_AVERAGE_POOL, y, 0) : conv(w, y, channels, pick(0, 1) ? channels : 1, 3, 0);
}

static vt_gvalue *concat(world *w, vt_gvalue **from, uint32_t count) {
    vt_gvalue *in[INPUTS];
    uint32_t inputs = (uint32_t)pick(2, INPUTS);
    int64_t channels = 0;
    for (uint32_t i = 0; i < inputs; i++) {
        in[i] = from[pick(count > 4 ? count - 4 : 0, count - 1)];
        channels += in[i]->type.dim[1];
    }
    vt_gattr a[] = {VT_GSET_INT(AXIS, 1)};
    return channels > 150 ? in[0] : add(w, VT_G_CONCAT, inputs, in, 1, a);
}

static vt_gvalue *unary(world *w, vt_gvalue *x) {
    bool tables = strstr(configs[seed % CONFIGS], "TABLE");
    return add(w, tables && pick(0, 1) ? VT_G_SIGMOID : VT_G_RELU, 1, &x, 0, NULL);
}

/* Of a value and a convolution of it. */
static vt_gvalue *residual(world *w, vt_gvalue *x) {
    vt_gvalue *in[] = {conv(w, x, x->type.dim[1], 1, 1, 0), x};
    return add(w, VT_G_ADD, 2, in, 0, NULL);
}

static vt_gvalue *grow(world *w, vt_gvalue **have, uint32_t count) {
    vt_gvalue *x = have[pick(count > 5 ? count - 5 : 0, count - 1)];
    switch (pick(0, 14)) {
    case 0:
    case 1: return concat(w, have, count);
    case 2:
    case 3: return shuffle(w, x);
    case 4:
    case 5: return slice(w, x);
    case 6: return gather(w, x);
    case 7: return padded(w, x);
    case 8: return conv(w, x, x->type.dim[1], x->type.dim[1], 3, 1);
    case 9: return pool(w, pick(0, 1) ? VT_G_MAX_POOL : VT_G_AVERAGE_POOL, x, 1);
    case 10: return unary(w, x);
    case 11: return residual(w, x);
    case 12: return conv(w, x, pick(1, 45), 1, 3, 1);
    default: return conv(w, x, pick(1, 45), 1, 1, 0);
    }
}

static void build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, images, 5, pick(2, 6), pick(2, 6))), *have[VALUES];
    uint32_t count = 0;
    have[count++] = conv(w, x, pick(1, 45), 1, 1, 0);
    have[count++] = conv(w, x, pick(1, 45), 1, 1, 0);
    while (count < VALUES - 1) {
        have[count] = grow(w, have, count);
        count++;
    }
    have[count] = concat(w, have, count);
    vt_graph_output(w->g, conv(w, have[count], 7, 1, 1, 0), "y");
    w->g = (vt_graph *)vt_graph_pass_remove_dead(w->g);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static void count_layers(const vtac_compile_report *report) {
    const vtac_compiled_layer *l;
    for (size_t i = 0; (l = vtac_compile_report_layer(report, i)); i++) {
        bool moved = !strcmp(l->kind, "move") || !strcmp(l->kind, "concat");
        if (moved && l->place == VTAC_ON_ACCELERATOR) in_products += strstr(l->why, "zeros and ones") != NULL;
        if (moved && l->place == VTAC_ON_HOST) on_the_host++;
    }
}

static void check(world *w) {
    build(w);
    const vt_gtype *t = &w->g->inputs.item[0]->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(t));
    for (int64_t i = 0; i < vt_gtype_count(t); i++) x[i] = (float)pick(-1000, 1000) / 1000;
    calibrate(w, x);
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .most = INT8_MAX, .weight_max = INT8_MAX, .multiply = seed % 3 == 0};
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    for (uint32_t i = 0; i < net->layer_count; i++)
        moves += net->layers[i]->kind == VT_Q_CONCAT || net->layers[i]->kind == VT_Q_MOVE;
    float *want = vt_new_bytes(&w->ctx, vt_gtype_bytes(&w->g->outputs.item[0]->type));
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *[]){want}, NULL, NULL, w->diag), VTA_OK);
    vta_config *base = vta_config_default(), *config;
    vtac_compile_report *report;
    vta_model *model = NULL;
    uint8_t *bytes;
    size_t size;
    if (vta_config_with(base, configs[seed % CONFIGS], w->diag, &config) != VTA_OK)
        fail_msg("%s", vta_diag_text(w->diag));
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    if (vt_network_compile(net, config, &(vt_network_options){.schedule = &quick}, NULL, w->diag, &bytes, &size,
                           &report) != VTA_OK ||
        vta_model_parse(bytes, size, "network", NULL, w->diag, &model) != VTA_OK)
        fail_msg("seed %d: %s\n%s", (int)seed, vta_diag_text(w->diag), vt_qnet_text(net));
    count_layers(report);
    snprintf(said, sizeof said, "%s", vtac_compile_report_text(report));
    run_in_order(w, model, VTA_ORDER_PROGRAM, seed, x, want);
    run_in_order(w, model, VTA_ORDER_RANDOM, seed, x, want);
    vta_model_release(model);
    vtac_compile_report_destroy(report);
    vta_string_free((char *)bytes);
    vta_config_release(config);
    vta_config_release(base);
}

TEST_CASE(random_moves_of_channels) {
    uint32_t host = 0;
    for (seed = 1; seed <= CASES; seed++) {
        random_numbers.state = seed * 7919u + 5;
        images = seed % 7 == 3 ? 2 : seed % 7 == 5 ? 3 : 1; /* of the third configuration a tile holds two */
        on_the_host = 0;
        in_a_world(check);
        if (images == 1 && on_the_host) fail_msg("seed %d: %u moves on the host\n%s", (int)seed, on_the_host, said);
        host += on_the_host;
    }
    assert_in_range(moves, 3 * CASES, 10 * CASES);
    assert_in_range(in_products, CASES / 2, 10 * CASES);
    assert_in_range(host, 1, moves / 4); /* of several images */
}

int main(void) { return run_cases(); }
