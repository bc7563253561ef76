/* Quantized networks: random graphs whose layers are computed once more by a reading of frontend/quant/quant.h that
 * shares nothing with src/vtac/frontend/quant/eval*.c, and which must stay close to the floats that they stand for. */
#include "quant/random_graph.h"

#include <math.h>
#include <stdlib.h>

#include "frontend/eval/eval.h"
#include "frontend/pass/pass.h"
#include "frontend/quant/eval.h"

/* ---- The same once more ---------------------------------------------------------------------------------------- */

/* Copies of all tensors, as doubles. */
typedef struct watch {
    world *w;
    const vt_qnet *net;
    double **seen;
    uint32_t wrong, layers[VT_QKIND_COUNT];
} watch;

static double *numbers(world *w, const vt_qtensor *t, const void *data) {
    size_t count = (size_t)vt_gtype_count(&t->type);
    vt_gvalue v = {.type = t->type, .data = data};
    double *out = VT_NEW_ARRAY(&w->ctx, double, count + 1);
    for (size_t i = 0; i < count; i++) out[i] = vt_gelement_at(&v, i);
    return out;
}

static double floor_shift(double x, int32_t n) { return floor(x / ldexp(1, n)); }

/* One output element of a layer: `sum` is what the layer itself computes. */
static double finish(const watch *s, const vt_qlayer *l, double sum, int64_t channel, int64_t at) {
    for (uint32_t k = 0; k < l->step_count; k++) {
        const vt_qstep *p = &l->steps[k];
        switch (p->kind) {
        case VT_QSTEP_BIAS: sum += p->channel[channel]; break;
        case VT_QSTEP_SHIFT: sum = floor_shift(sum, p->number); break;
        case VT_QSTEP_SHIFT_CHANNEL: sum = floor_shift(sum, p->channel[channel]); break;
        case VT_QSTEP_MULTIPLY: sum *= p->number; break;
        case VT_QSTEP_MULTIPLY_CHANNEL: sum *= p->channel[channel]; break;
        case VT_QSTEP_RESIDUAL: sum += p->number * s->seen[p->tensor->index][at]; break;
        case VT_QSTEP_ADD: sum += p->number; break;
        case VT_QSTEP_MAX: sum = fmax(sum, p->number); break;
        case VT_QSTEP_MIN: sum = fmin(sum, p->number); break;
        case VT_QSTEP_LEAKY: sum = sum < 0 ? floor_shift(sum, p->number) : sum; break;
        case VT_QSTEP_COUNT: break;
        }
        assert_true(fabs(sum) < 0x1p31); /* nothing wraps */
    }
    return sum;
}

/* Input (n, c, y, x) of an image; NAN outside. */
static double pixel(const watch *s, const vt_qtensor *t, int64_t n, int64_t c, int64_t y, int64_t x) {
    int64_t d[4];
    vt_qtensor_image(&t->type, d);
    if (y < 0 || y >= d[2] || x < 0 || x >= d[3]) return NAN;
    return s->seen[t->index][((n * d[1] + c) * d[2] + y) * d[3] + x];
}

static double windowed(const watch *s, const vt_qlayer *l, const int64_t at[4], int64_t in_channels,
                       int64_t out_channels) {
    const vt_qwindow *v = &l->window;
    bool product = l->kind == VT_Q_CONV;
    int64_t ins = product ? in_channels / l->group : 1,
            base = product ? at[1] / (out_channels / l->group) * ins : at[1];
    double sum = 0, most = -INFINITY;
    for (int64_t i = 0; i < ins; i++)
        for (int64_t ky = 0; ky < v->kernel[0]; ky++)
            for (int64_t kx = 0; kx < v->kernel[1]; kx++) {
                double x =
                    pixel(s, l->inputs[0], at[0], base + i, at[2] * v->strides[0] + ky * v->dilations[0] - v->pads[0],
                          at[3] * v->strides[1] + kx * v->dilations[1] - v->pads[1]);
                int64_t tap = ((at[1] * ins + i) * v->kernel[0] + ky) * v->kernel[1] + kx;
                if (isnan(x)) continue;
                sum += x * (product ? l->weight[tap] : 1);
                most = fmax(most, x);
            }
    return l->kind == VT_Q_MAX_POOL ? most : sum;
}

/* Of a transposed convolution: the inputs whose taps reach the output. */
static double gathered(const watch *s, const vt_qlayer *l, const int64_t at[4], int64_t in_channels) {
    const vt_qwindow *v = &l->window;
    double sum = 0;
    for (int64_t c = 0; c < in_channels; c++)
        for (int64_t ky = 0; ky < v->kernel[0]; ky++)
            for (int64_t kx = 0; kx < v->kernel[1]; kx++) {
                int64_t y = at[2] + v->pads[0] - ky, x = at[3] + v->pads[1] - kx;
                if (y % v->strides[0] || x % v->strides[1]) continue;
                double value = pixel(s, l->inputs[0], at[0], c, y / v->strides[0], x / v->strides[1]);
                int64_t tap = ((at[1] * in_channels + c) * v->kernel[0] + ky) * v->kernel[1] + kx;
                if (!isnan(value)) sum += value * l->weight[tap];
            }
    return sum;
}

static double scale_of(const vt_qtensor *t, int64_t channel) {
    return t->channel ? t->scale * t->channel[channel] : t->scale;
}

/* A channel of an operand: of a float in steps (eighths of a step where there is a part for them), halves to even, what
 * the channel's part holds of it. Halves of parts go up. */
static double operand(const watch *s, const vt_qlayer *l, const int64_t at[4]) {
    const vt_qtensor *t = l->output;
    bool fine = t->parts & VT_QPART_FINE, coarse = t->parts & VT_QPART_COARSE;
    int64_t parts = 1 + fine + coarse, part = at[1] % parts;
    float by = (float)((fine ? 8 : 1) / scale_of(t, at[1] / parts));
    double x = nearbyint((double)((float)pixel(s, l->inputs[0], at[0], at[1] / parts, at[2], at[3]) * by));
    x = fmin(fmax(x, fine ? -1024 : -128), fine ? 127 * 8 + 3 : 127);
    double high = fine ? floor((x + 4) / 8) : x;
    if (t->split)
        return fmin(fmax(nearbyint((double)((float)pixel(s, l->inputs[0], at[0], at[1], at[2], at[3]) * by)), -16256),
                    16256);
    if (part == 0) return high;
    return fine && part == 1 ? x - 8 * high : floor((high + 4) / 8);
}

/* Element `i` of matrices, each in rows: of the tensor itself, or of its transposes. */
static int64_t place(vt_qmatrices m, bool transposed, int64_t i) {
    int64_t size = m.rows * m.columns, row = i % size / m.columns, column = i % m.columns;
    return transposed ? i / size * size + column * m.rows + row : i;
}

/* Of a float in steps, halves to even. */
static double rounded(const watch *s, const vt_qlayer *l, int64_t i) {
    float x = (float)s->seen[l->inputs[0]->index][l->repeated ? i % l->output->matrices.columns
                                                              : place(l->output->matrices, l->transposed, i)];
    return fmin(fmax(nearbyint((double)(x * (float)(1 / l->output->scale))), -128), 127);
}

/* Row by row of the second, which has the columns of the product. */
static double matrix_product(const watch *s, const vt_qlayer *l, int64_t i) {
    const vt_qtensor *a = l->inputs[0], *b = l->inputs[1];
    int64_t outs = b->matrices.rows, ins = a->matrices.columns, row = i / outs, matrix = row / a->matrices.rows;
    double sum = 0;
    for (int64_t k = 0; k < ins; k++)
        sum += s->seen[a->index][row * ins + k] * s->seen[b->index][(matrix * outs + i % outs) * ins + k];
    return sum;
}

static double largest_of_row(const watch *s, const vt_qlayer *l, int64_t i) {
    int64_t columns = l->inputs[0]->matrices.columns;
    const double *row = s->seen[l->inputs[0]->index] + i / columns * columns;
    double most = -INFINITY;
    for (int64_t k = 0; k < columns; k++) most = fmax(most, row[k]);
    return most;
}

/* 2^22 times the sum over that of the first operand's row: what docs/operators.md says of batch_matmul's shares. */
static double share_of(const watch *s, const vt_qlayer *l, double sum, int64_t i) {
    int64_t ins = l->inputs[0]->matrices.columns, row = i / l->inputs[1]->matrices.rows;
    double total = 0;
    for (int64_t k = 0; k < ins; k++) total += s->seen[l->inputs[0]->index][row * ins + k];
    double bits = total >= 32 ? floor(log2(total)) - 4 : 0; /* to the right, until there are 15 */
    double t = floor(ldexp(total, 10 - (int)bits)), r = 23130 - ceil(7710 * t / 16384);
    for (int k = 0; k < 2; k++) r = floor(r * (32767 - floor(t * r / 16384)) / 16384);
    return floor(ldexp(sum, 4 - (int)bits)) * r;
}

/* What docs/operators.md says of row_moments and layer_norm, of one element. */
static double normal_of(const watch *s, const vt_qlayer *l, int64_t i) {
    int64_t n = l->inputs[0]->type.dim[1];
    const double *x = s->seen[l->inputs[0]->index], *row = x + i / n * n;
    double up = ceil(log2((double)n)), down = floor(log2((double)n)), sum = 0, power = l->epsilon;
    for (int64_t k = 0; k < n; k++) sum += row[k];
    double behind = 14 + down - up, factor = round(ldexp(1, 14 + (int)down) / (double)n);
    double mean = floor(floor(sum / exp2(up)) * factor / exp2(behind) + 0.5);
    if (l->no_mean) mean = 0;
    for (int64_t k = 0; k < n; k++) power += floor((row[k] - mean) * (row[k] - mean) / exp2(up));
    double v = power >= 16384 ? power : fmax(256 * power, 16384), amount = power >= 16384 ? 9 : 5;
    if (v >= 0x1p22) v = floor(v / 256), amount += 4;
    if (v >= 0x1p18) v = floor(v / 16), amount += 2;
    if (v >= 0x1p16) v = floor(v / 4), amount += 1;
    double r = 17448 - ceil(9953 * v / 65536);
    for (int k = 0; k < 2; k++) r = floor(r * (24576 - floor(v * floor(r * r / 16384) / 32768)) / 16384);
    return floor((x[i] - mean) * r / exp2(amount));
}

static double expected(const watch *s, const vt_qlayer *l, const int64_t at[4], int64_t i) {
    int64_t in[4], out[4];
    double sum = 0;
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, out);
    switch (l->kind) {
    case VT_Q_QUANTIZE: return l->output->form ? rounded(s, l, i) : operand(s, l, at);
    case VT_Q_DEQUANTIZE:
        return (double)((float)s->seen[l->inputs[0]->index][i] * (float)scale_of(l->inputs[0], at[1]));
    case VT_Q_CONV:
    case VT_Q_MAX_POOL:
    case VT_Q_SUM_POOL: return finish(s, l, windowed(s, l, at, in[1], out[1]), at[1], i);
    case VT_Q_MATMUL:
        sum = matrix_product(s, l, i);
        return finish(s, l, l->shares ? share_of(s, l, sum, i) : sum, 0, i);
    case VT_Q_ROW_MAX: return largest_of_row(s, l, i);
    case VT_Q_NORM: return finish(s, l, normal_of(s, l, i), at[1], i);
    case VT_Q_CONV_TRANSPOSE: return finish(s, l, gathered(s, l, at, in[1]), at[1], i);
    case VT_Q_DENSE:
        for (int64_t k = 0; k < in[1]; k++)
            sum += l->weight[at[1] * in[1] + k] * s->seen[l->inputs[0]->index][at[0] * in[1] + k];
        return finish(s, l, sum, at[1], i);
    case VT_Q_MAP: return finish(s, l, s->seen[l->inputs[0]->index][i], at[1], i);
    case VT_Q_MUL: {
        const double *a = s->seen[l->inputs[0]->index];
        bool whole = vt_gtype_count(&l->inputs[1]->type) == vt_gtype_count(&l->inputs[0]->type);
        double by = whole ? s->seen[l->inputs[1]->index][i] : s->seen[l->inputs[1]->index][at[0] * out[1] + at[1]];
        return finish(s, l, a[i] * by, at[1], i);
    }
    case VT_Q_MOVE: return l->places[i] < 0 ? 0 : s->seen[l->inputs[0]->index][l->places[i]];
    case VT_Q_TABLE: {
        int64_t entry = (int64_t)s->seen[l->inputs[0]->index][i] + 128 + (l->table_rows > 1 ? at[1] * 256 : 0);
        return l->output->scale > 0 ? ((const int8_t *)l->table)[entry] : (double)((const float *)l->table)[entry];
    }
    case VT_Q_CONCAT:
        return pixel(s, l->inputs[at[1] / in[1]], at[0], at[1] % in[1], at[2], at[3]); /* of equal parts */
    case VT_Q_UPSAMPLE: return pixel(s, l->inputs[0], at[0], at[1], at[2] / l->scale[0], at[3] / l->scale[1]);
    case VT_Q_RESHAPE: return s->seen[l->inputs[0]->index][i];
    case VT_Q_FLOAT:
    case VT_QKIND_COUNT: break;
    }
    return NAN;
}

static void check_layer(void *user, const vt_qlayer *l, const void *out) {
    watch *s = user;
    int64_t d[4], i = 0;
    double *got = s->seen[l->output->index] = numbers(s->w, l->output, out);
    s->layers[l->kind]++;
    if (l->kind == VT_Q_FLOAT) return;
    vt_qtensor_image(&l->output->type, d);
    for (int64_t n = 0; n < d[0]; n++)
        for (int64_t c = 0; c < d[1]; c++)
            for (int64_t y = 0; y < d[2]; y++)
                for (int64_t x = 0; x < d[3]; x++, i++) {
                    double want = expected(s, l, (int64_t[]){n, c, y, x}, i);
                    if (want != got[i] && s->wrong++ < 3)
                        print_error("%s (%s) element %lld: %g, not %g\n", l->name, vt_qkind_text(l->kind), (long long)i,
                                    got[i], want);
                }
}

/* ---- The tests ------------------------------------------------------------------------------------------------- */

static vt_ranges *ranges;

static void observe(void *user, const vt_gnode *n, const void *const *out) {
    (void)user;
    vt_ranges_observe(ranges, n->outputs[0], out[0], (size_t)vt_gtype_count(&n->outputs[0]->type));
}

/* Gives the float results, in the order of the outputs, and observes all values. */
static float *run_floats(world *w, const float *x, size_t *out_count) {
    vt_eval *e;
    vt_eval_options options = {.after = observe};
    size_t count = 0;
    ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_observe(ranges, w->g->inputs.item[0], x, (size_t)vt_gtype_count(&w->g->inputs.item[0]->type));
    assert_int_equal(vt_eval_open(w->g, &options, NULL, w->diag, &e), VTA_OK);
    vt_eval_input(e, 0, x);
    assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
    for (uint32_t i = 0; i < w->g->outputs.count; i++) count += (size_t)vt_gtype_count(&w->g->outputs.item[i]->type);
    float *all = VT_NEW_ARRAY(&w->ctx, float, count + 1);
    count = 0;
    for (uint32_t i = 0; i < w->g->outputs.count; i++) {
        const vt_gvalue *v = w->g->outputs.item[i];
        memcpy(all + count, vt_eval_value(e, v), vt_gtype_bytes(&v->type));
        count += (size_t)vt_gtype_count(&v->type);
    }
    vt_eval_close(e);
    *out_count = count;
    return all;
}

/* Some values get more bits, where they can have them. */
static const vt_quant_choice *random_choices(world *w) {
    vt_quant_choice *choices = VT_NEW_ARRAY(&w->ctx, vt_quant_choice, w->g->values.count + 1);
    for (uint32_t i = 0; i < w->g->values.count; i++) choices[i] = (vt_quant_choice){.wide = next(2), .parts = next(4)};
    return choices;
}

static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};
static uint32_t layers[VT_QKIND_COUNT], steps[VT_QSTEP_COUNT], wide, parted[4], scaled[2];
static double decibels, worst = INFINITY;
static uint32_t measured;

/* Of a product of matrices nothing is limited: the largest sum has 16 bits, and no more bits are dropped than that. */
static void check_wide_sums(const vt_qnet *net) {
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        if (l->kind != VT_Q_MATMUL || l->output->type.element != VT_ELEMENT_I16) continue;
        bool shifts = l->step_count && l->steps[0].kind == VT_QSTEP_SHIFT;
        double sum = l->shares ? ldexp(128, 22) : (double)l->inputs[0]->matrices.columns * 128 * 128;
        double most = sum / ldexp(1, shifts ? l->steps[0].number : 0);
        if (most > INT16_MAX || most < INT16_MAX / 2 - 1) fail_msg("%s reaches %g", l->name, most);
    }
}

static void run_quantized(world *w, const vt_qnet *net, const float *x, const float *floats, size_t count) {
    float *got = VT_NEW_ARRAY(&w->ctx, float, count + 1);
    void *out[2] = {got, got + vt_gtype_count(&w->g->outputs.item[0]->type)};
    watch s = {.w = w, .net = net, .seen = VT_NEW_ARRAY(&w->ctx, double *, net->tensor_count + 1)};
    vt_qeval_options options = {.after = check_layer, .user = &s};
    s.seen[net->inputs[0]->index] = numbers(w, net->inputs[0], x);
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, out, &options, NULL, w->diag), VTA_OK);
    if (s.wrong) fail_msg("%s%s", vt_graph_text(w->g), vt_qnet_text(net));
    double power = 0, noise = 0;
    for (size_t i = 0; i < count; i++) {
        power += (double)floats[i] * floats[i];
        noise += ((double)floats[i] - got[i]) * ((double)floats[i] - got[i]);
    }
    if (power > 0) {
        double db = -10 * log10(fmax(noise / power, 1e-9));
        decibels += db;
        measured++;
        worst = fmin(worst, db);
    }
    for (int i = 0; i < VT_QKIND_COUNT; i++) layers[i] += s.layers[i];
    for (uint32_t i = 0; i < net->layer_count; i++)
        for (uint32_t k = 0; k < net->layers[i]->step_count; k++) steps[net->layers[i]->steps[k].kind]++;
    check_wide_sums(net);
    for (uint32_t i = 0; i < net->tensor_count; i++) {
        const vt_qtensor *t = net->tensors[i];
        wide += t->type.element == VT_ELEMENT_I16;
        parted[t->parts]++;
        if (t->channel) scaled[t->type.element == VT_ELEMENT_I16]++;
    }
}

/* Integers are summed where a layer computes them: floats are not rounded for their mean's sake. */
static void check_means(const vt_qnet *net) {
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        if (l->kind == VT_Q_SUM_POOL && l->inputs[0]->by->kind == VT_Q_QUANTIZE)
            fail_msg("%s is a mean of floats:\n%s", l->name, vt_qnet_text(net));
    }
}

static uint32_t seed;

static void one_random(world *w) {
    size_t count;
    random_graph(w);
    float *x = random_input(w), *floats = run_floats(w, x, &count);
    vt_quant_options options = usual;
    options.multiply = seed & 1;
    options.wide_max = seed & 2 ? -1 : INT64_MAX;
    options.keep_bias = seed & 4;
    options.equalize = seed & 8;
    options.wide_all = seed & 32;
    if (seed & 16) options.choices = random_choices(w);
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    check_means(net);
    run_quantized(w, net, x, floats, count);
}

static void random_networks(void **unused) {
    (void)unused;
    for (seed = 1; seed <= 400; seed++) {
        state = seed * 977u;
        in_a_world(one_random);
    }
    assert_true(wide > 100);
    assert_true(parted[1] > 10 && parted[2] > 10 && parted[3] > 10);
    if (scaled[0] < 5 || scaled[1] < 20) fail_msg("scales of channels: %u of 8 bits, %u of 16", scaled[0], scaled[1]);
    for (int i = 0; i < VT_QKIND_COUNT; i++)
        if (!layers[i] && i != VT_Q_MUL && i != VT_Q_MOVE && i != VT_Q_MATMUL && i != VT_Q_ROW_MAX && i != VT_Q_NORM)
            fail_msg("no %s among them", vt_qkind_text((vt_qkind)i));
    for (int i = 0; i < VT_QSTEP_COUNT; i++)
        if (!steps[i]) fail_msg("no step %s among them", vt_qstep_text((vt_qstep_kind)i));
    print_message("signal to noise of %u networks: %.1f dB in the mean, %.1f at least\n", measured, decibels / measured,
                  worst);
    assert_true(decibels / measured > 47.5);
    assert_true(worst > 30);
}

static void products_and_moves(void **unused) {
    (void)unused;
    with_more = true;
    decibels = measured = 0;
    for (seed = 1001; seed <= 1300; seed++) {
        state = seed * 977u;
        in_a_world(one_random);
    }
    with_more = false;
    print_message("%u products of two, %u layers that move\n", layers[VT_Q_MUL], layers[VT_Q_MOVE]);
    assert_true(layers[VT_Q_MUL] > 50 && layers[VT_Q_MOVE] > 50);
    assert_true(decibels / measured > 47.5);
    worst = INFINITY;
}

static void products_of_matrices(void **unused) {
    (void)unused;
    with_matrices = true;
    decibels = measured = 0;
    for (seed = 2001; seed <= 2080; seed++) {
        state = seed * 977u;
        in_a_world(one_random);
    }
    with_matrices = false;
    print_message("%u products of matrices, %.1f dB in the mean, %.1f at least\n", layers[VT_Q_MATMUL],
                  decibels / measured, worst);
    assert_true(layers[VT_Q_MATMUL] > 60 && layers[VT_Q_ROW_MAX] > 10);
    assert_true(decibels / measured > 35);
    worst = INFINITY;
}

/* A normalization of rows as it is exported for want of an operator, before a product: rows of small numbers come out
 * as good as those of large ones. */
static void normalized_rows(world *w) {
    enum { ROWS = 16, WIDTH = 24 };
    const vt_gattr rows[] = {INTS(AXES, 2), VT_GSET_INT(KEEPDIMS, 1)};
    size_t count;
    float *x = VT_NEW_ARRAY(&w->ctx, float, ROWS *WIDTH);
    for (int i = 0; i < ROWS * WIDTH; i++) x[i] = unit() * (float)ldexp(1, -(i / WIDTH));
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, 1, ROWS, WIDTH));
    vt_gvalue *mean = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "mean", in, NULL, 2, rows);
    vt_gvalue *apart = vt_graph_apply(w->g, VT_G_SUB, "apart", in, mean, 0, NULL);
    vt_gvalue *square = vt_graph_apply(w->g, VT_G_MUL, "square", apart, apart, 0, NULL);
    vt_gvalue *power = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "power", square, NULL, 2, rows);
    vt_gvalue *by = vt_graph_apply(w->g, VT_G_SQRT, "by", power, NULL, 0, NULL);
    vt_gvalue *even = vt_graph_apply(w->g, VT_G_DIV, "even", apart, by, 0, NULL);
    vt_gvalue *flat = vt_graph_apply(w->g, VT_G_RESHAPE, "flat", even, NULL, ATTRIBUTES(INTS(SHAPE, ROWS, WIDTH)));
    vt_graph_output(
        w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "y", flat, randoms(w, "w", TYPE(F32, WIDTH, 12), 1), 0, NULL), "y");
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_IDENTITY, "same", even, NULL, 0, NULL), "z");
    float *floats = run_floats(w, x, &count);
    decibels = worst = INFINITY;
    run_quantized(w, vt_quantize(w->g, ranges, &usual), x, floats, ROWS * 12);
    if (!(worst > 36)) fail_msg("%.1f dB only", worst);
}

/* The same of sums with a product's results, which are integers: rows of a hundredth of the largest. */
static void normalized_sums(world *w) {
    enum { ROWS = 128, WIDTH = 40 };
    const vt_gattr rows[] = {INTS(AXES, 1), VT_GSET_INT(KEEPDIMS, 1)};
    size_t count;
    float *x = VT_NEW_ARRAY(&w->ctx, float, ROWS *WIDTH);
    for (int i = 0; i < ROWS * WIDTH; i++) x[i] = (unit() + 0.2f) * (float)ldexp(1, -(i / WIDTH % 8));
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, ROWS, WIDTH));
    vt_gvalue *begin = vt_graph_apply(w->g, VT_G_MUL, "begin", in, vt_graph_scalar(w->g, "three", 3), 0, NULL);
    vt_gvalue *more =
        vt_graph_apply(w->g, VT_G_MAT_MUL, "more", in, randoms(w, "w", TYPE(F32, WIDTH, WIDTH), 0.001f), 0, NULL);
    vt_gvalue *sum = vt_graph_apply(w->g, VT_G_ADD, "sum", begin, more, 0, NULL);
    vt_gvalue *mean = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "mean", sum, NULL, 2, rows);
    vt_gvalue *apart = vt_graph_apply(w->g, VT_G_SUB, "apart", sum, mean, 0, NULL);
    vt_gvalue *square = vt_graph_apply(w->g, VT_G_POW, "square", apart, vt_graph_scalar(w->g, "two", 2), 0, NULL);
    vt_gvalue *power = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "power", square, NULL, 2, rows);
    power = vt_graph_apply(w->g, VT_G_ADD, "positive", power, vt_graph_scalar(w->g, "epsilon", 1e-9f), 0, NULL);
    vt_gvalue *by = vt_graph_apply(w->g, VT_G_SQRT, "by", power, NULL, 0, NULL);
    vt_gvalue *even = vt_graph_apply(w->g, VT_G_DIV, "even", apart, by, 0, NULL);
    vt_graph_output(
        w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "y", even, randoms(w, "w", TYPE(F32, WIDTH, 12), 1), 0, NULL), "y");
    float *floats = run_floats(w, x, &count);
    decibels = worst = INFINITY;
    layers[VT_Q_NORM] = 0;
    run_quantized(w, vt_quantize(w->g, ranges, &usual), x, floats, ROWS * 12);
    assert_int_equal(layers[VT_Q_NORM], 1);
    if (!(worst > 34)) fail_msg("%.1f dB only", worst);
}

static void norms_of_sums(void **unused) {
    (void)unused;
    state = 3;
    in_a_world(normalized_sums);
}

static void means_of_floats(void **unused) {
    (void)unused;
    state = 3;
    in_a_world(normalized_rows);
}

/* Two products, what moves their elements, and a limit that leaves an eighth of them: it stands in front, the floats
 * are the same, and the integers cover what it leaves. */
static const vt_gop moves[] = {VT_G_CONCAT, VT_G_RESHAPE,        VT_G_TRANSPOSE,
                               VT_G_SLICE,  VT_G_DEPTH_TO_SPACE, VT_G_SPACE_TO_DEPTH};

static vt_gvalue *move_of(world *w, vt_gop op, vt_gvalue *a, vt_gvalue *b) {
    switch ((int)op) {
    case VT_G_CONCAT: return vt_graph_apply(w->g, op, "move", a, b, ATTRIBUTES(VT_GSET_INT(AXIS, 1)));
    case VT_G_RESHAPE: return vt_graph_apply(w->g, op, "move", a, NULL, ATTRIBUTES(INTS(SHAPE, 1, 8, 4, 9)));
    case VT_G_TRANSPOSE: return vt_graph_apply(w->g, op, "move", a, NULL, ATTRIBUTES(INTS(PERM, 0, 1, 3, 2)));
    case VT_G_SLICE:
        return vt_graph_apply(w->g, op, "move", a, NULL,
                              ATTRIBUTES(INTS(STARTS, 0, 1, 0, 5), INTS(STEPS, 1, 2, 1, -1), INTS(SHAPE, 1, 3, 6, 4)));
    default: return vt_graph_apply(w->g, op, "move", a, NULL, ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, 2)));
    }
}

static void limited(world *w) {
    vt_gop op = moves[seed % 6];
    bool relu = seed / 6 % 3 == 0, twice = seed / 6 % 3 == 1;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4, 6, 6)), *parts[2];
    size_t count, again;
    for (int i = 0; i < 2; i++) {
        vt_gvalue *in[] = {x, randoms(w, "weight", TYPE(F32, 8, 4, 1, 1), 4)};
        vt_gnode_spec spec = {VT_G_CONV,
                              "conv",
                              NULL,
                              2,
                              3,
                              in,
                              (vt_gattr[]){INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)}};
        parts[i] = op == VT_G_CONCAT || !i ? vt_graph_add(w->g, &spec)->outputs[0] : NULL;
    }
    vt_gvalue *moved = move_of(w, op, parts[0], parts[1]);
    if (twice) moved = vt_graph_apply(w->g, VT_G_TRANSPOSE, "more", moved, NULL, ATTRIBUTES(INTS(PERM, 0, 1, 3, 2)));
    vt_gvalue *y = vt_graph_apply(w->g, relu ? VT_G_RELU : VT_G_CLIP, "y", moved, NULL, relu ? 0 : 2,
                                  (vt_gattr[]){VT_GSET_FLOAT(MIN, 0), VT_GSET_FLOAT(MAX, 1)});
    vt_graph_output(w->g, y, "y");
    float *in = random_input(w), *before = run_floats(w, in, &count);
    const vt_graph *now = vt_graph_pass_hoist_limits(w->g);
    vt_graph_verify(now, "HoistLimits");
    for (uint32_t i = 0; i < now->node_count; i++)
        if (now->nodes[i]->op == y->by->op && now->nodes[i]->inputs[0]->by->op != VT_G_CONV)
            fail_msg("%s", vt_graph_text(now));
    w->g = (vt_graph *)now;
    float *after = run_floats(w, in, &again);
    assert_int_equal(count, again);
    assert_memory_equal(before, after, count * sizeof *before);
    worst = INFINITY;
    vt_quant_options options = usual;
    options.wide_max = -1;
    run_quantized(w, vt_quantize(w->g, ranges, &options), in, after, count);
    if (!(worst > (relu ? 36 : 30))) fail_msg("%s: %.1f dB\n%s", vt_gop_text(op), worst, vt_graph_text(now));
}

static void limits_behind_moves(void **unused) {
    (void)unused;
    for (seed = 0; seed < 36; seed++) {
        state = seed + 1;
        in_a_world(limited);
    }
}

/* A residual network as people write it: what becomes one layer. */
static void fuses(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 2, 4, 4));
    vt_gvalue *a = vt_graph_apply(w->g, VT_G_CONV, "a", x, zeros(w, "wa", TYPE(F32, 2, 2, 1, 1)),
                                  ATTRIBUTES(INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    vt_gvalue *b = vt_graph_apply(w->g, VT_G_ADD, "b", a, zeros(w, "bias", TYPE(F32, 2, 1, 1)), 0, NULL);
    vt_gvalue *c = vt_graph_apply(w->g, VT_G_ADD, "c", b, x, 0, NULL);
    vt_gvalue *d = vt_graph_apply(w->g, VT_G_RELU, "d", c, NULL, 0, NULL);
    vt_graph_output(w->g, d, "y");
    ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_set(ranges, x, 127);
    vt_ranges_set(ranges, d, 127);
    assert_string_equal(vt_qnet_text(vt_quantize(w->g, ranges, &usual)),
                        "x: int8[1,2,4,4] * 1 = quantize(x)\n"
                        "d: int8[1,2,4,4] * 1 = conv(x) kernel=1,1 strides=1,1 weight=int8[2,2,1,1]; bias; shift 2; "
                        "residual_int8 x 64; shift 6; max 0; min 127\n"
                        "d: float32[1,2,4,4] = dequantize(d)\n");
}

/* Any number of limits in one layer, one behind the other: the last of them may leave nothing of those before. */
static void fuses_limits(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 2, 4, 4));
    vt_gvalue *a = vt_graph_apply(w->g, VT_G_CONV, "a", x, zeros(w, "wa", TYPE(F32, 2, 2, 1, 1)),
                                  ATTRIBUTES(INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    vt_gvalue *b = vt_graph_apply(w->g, VT_G_LEAKY_RELU, "b", a, NULL, 1, (vt_gattr[]){VT_GSET_FLOAT(ALPHA, 0.25)});
    vt_gvalue *c =
        vt_graph_apply(w->g, VT_G_CLIP, "c", b, NULL, 2, (vt_gattr[]){VT_GSET_FLOAT(MIN, -30), VT_GSET_FLOAT(MAX, 90)});
    vt_gvalue *d =
        vt_graph_apply(w->g, VT_G_CLIP, "d", c, NULL, 2, (vt_gattr[]){VT_GSET_FLOAT(MIN, -50), VT_GSET_FLOAT(MAX, 70)});
    vt_gvalue *e = vt_graph_apply(w->g, VT_G_LEAKY_RELU, "e", d, NULL, 1, (vt_gattr[]){VT_GSET_FLOAT(ALPHA, 0.5)});
    vt_gvalue *f = vt_graph_apply(w->g, VT_G_RELU, "f", e, NULL, 0, NULL);
    vt_gvalue *g = vt_graph_apply(w->g, VT_G_CLIP, "g", f, NULL, 2,
                                  (vt_gattr[]){VT_GSET_FLOAT(MIN, -20), VT_GSET_FLOAT(MAX, -10)});
    vt_graph_output(w->g, g, "y");
    ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_set(ranges, x, 127), vt_ranges_set(ranges, d, 127), vt_ranges_set(ranges, g, 127);
    assert_string_equal(vt_qnet_text(vt_quantize(w->g, ranges, &usual)),
                        "x: int8[1,2,4,4] * 1 = quantize(x)\n"
                        "d: int8[1,2,4,4] * 1 = conv(x) kernel=1,1 strides=1,1 weight=int8[2,2,1,1]; bias; shift 8; "
                        "leaky 2; max -30; min 70\n"
                        "g: int8[1,2,4,4] * 1 = map(d); leaky 1; max -10; min -10\n"
                        "g: float32[1,2,4,4] = dequantize(g)\n");
}

/* Limits in front of a residual, in the units of the sum before its last bits are shifted away, half of those with it;
 * as many of the bits as leave the limits numbers of 16 bits. */
static void limits_before_residual(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 2, 4, 4)),
              *far = vt_graph_input(w->g, "far", TYPE(F32, 1, 2, 4, 4));
    vt_gvalue *a = vt_graph_apply(w->g, VT_G_CONV, "a", x, zeros(w, "wa", TYPE(F32, 2, 2, 1, 1)),
                                  ATTRIBUTES(INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    vt_gvalue *b =
        vt_graph_apply(w->g, VT_G_CLIP, "b", a, NULL, 2, (vt_gattr[]){VT_GSET_FLOAT(MIN, 0), VT_GSET_FLOAT(MAX, 100)});
    vt_gvalue *c = vt_graph_apply(w->g, VT_G_ADD, "c", b, x, 0, NULL);
    vt_gvalue *d = vt_graph_apply(w->g, VT_G_CONV, "d", c, zeros(w, "wd", TYPE(F32, 2, 2, 1, 1)),
                                  ATTRIBUTES(INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    vt_gvalue *e = vt_graph_apply(w->g, VT_G_CLIP, "e", d, NULL, 2,
                                  (vt_gattr[]){VT_GSET_FLOAT(MIN, -INFINITY), VT_GSET_FLOAT(MAX, 254)});
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_ADD, "f", far, e, 0, NULL), "y");
    ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_set(ranges, x, 127), vt_ranges_set(ranges, c, 127), vt_ranges_set(ranges, far, 0.5);
    vt_ranges_set(ranges, vt_graph_find(w->g, "f"), 127);
    const char *text = vt_qnet_text(vt_quantize(w->g, ranges, &usual));
    if (!strstr(text, "bias; shift 2; max 32; min 6432; residual_int8 x 64; shift 6; max -128; min 127\n") ||
        !strstr(text, "bias; shift 1; min 32576; residual_int8 far 1; shift 7; max -128; min 127\n"))
        fail_msg("%s", text);
}

/* ---- Biases ---- */

enum { CHANNELS = 64, PIXELS = 36 };

/* A convolution over inputs that are far from 0 in the mean; `out_error` is the largest mean error of a channel. */
static double mean_error(world *w, bool keep_bias, bool multiply) {
    const vt_gvalue *out = w->g->outputs.item[0];
    size_t count;
    float *x = VT_NEW_ARRAY(&w->ctx, float, CHANNELS *PIXELS), *y = VT_NEW_ARRAY(&w->ctx, float, 8 * PIXELS);
    state = 41;
    for (int i = 0; i < CHANNELS * PIXELS; i++) x[i] = 0.75f + unit() / 4;
    float *want = run_floats(w, x, &count);
    vt_quant_options options = usual;
    options.keep_bias = keep_bias;
    options.multiply = multiply;
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *[]){y}, NULL, NULL, w->diag), VTA_OK);
    double most = 0;
    for (int64_t c = 0; c < out->type.dim[1]; c++) {
        double sum = 0;
        for (int i = 0; i < PIXELS; i++) sum += (double)y[c * PIXELS + i] - want[c * PIXELS + i];
        most = fmax(most, fabs(sum / PIXELS));
    }
    return most;
}

/* One large weight a channel; all others are rounded to 0 beside it. */
static void corrects(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, CHANNELS, 6, 6));
    float *weights = VT_NEW_ARRAY(&w->ctx, float, 8 * CHANNELS * 9);
    for (int i = 0; i < 8 * CHANNELS * 9; i++) weights[i] = i % (CHANNELS * 9) == 40 ? 1 : 0.003f;
    vt_gvalue *weight = vt_graph_constant(w->g, "w", TYPE(F32, 8, CHANNELS, 3, 3), weights);
    vt_graph_output(w->g,
                    vt_graph_apply(w->g, VT_G_CONV, "conv", x, weight,
                                   ATTRIBUTES(INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1))),
                    "y");
    for (int multiply = 0; multiply < 2; multiply++) {
        double kept = mean_error(w, true, multiply), corrected = mean_error(w, false, multiply);
        print_message("mean error of a channel: %.4f, corrected %.4f\n", kept, corrected);
        assert_true(corrected < kept / 20);
    }
}

/* Over sums of all sizes, a channel's result is as often above what is exact as below: halves are rounded up, also
 * where bits go before the product. Limits are left out. */
static void check_rounding(const vt_qlayer *l, int64_t channel) {
    enum { SUMS = 400000 };
    double mean = 0, factor = 1;
    state = 5;
    for (int i = 0; i < SUMS; i++) {
        double sum = (double)next(1 << 15) * (1 << 15) + next(1 << 15) - 0x1p29, result = sum;
        factor = 1;
        for (uint32_t k = 0; k < l->step_count; k++) {
            const vt_qstep *p = &l->steps[k];
            double number = p->channel ? p->channel[channel] : p->number;
            bool multiplies = p->kind == VT_QSTEP_MULTIPLY || p->kind == VT_QSTEP_MULTIPLY_CHANNEL;
            bool shifts = p->kind == VT_QSTEP_SHIFT || p->kind == VT_QSTEP_SHIFT_CHANNEL;
            if (p->kind == VT_QSTEP_BIAS) result += number;
            if (multiplies) result *= number, factor *= number;
            if (shifts) result = floor_shift(result, (int32_t)number), factor /= ldexp(1, (int)number);
        }
        mean += (result - sum * factor) / SUMS;
    }
    if (fabs(mean) > 0.003) fail_msg("channel %d: results are %.4f too large on the average", (int)channel, mean);
}

/* Sums so large that bits have to go before they are multiplied; results of 8 bits and of 16. */
static void long_sum(world *w) {
    enum { TERMS = 4096, RESULTS = 8 };
    size_t count;
    float *x = VT_NEW_ARRAY(&w->ctx, float, TERMS);
    state = 11;
    for (int i = 0; i < TERMS; i++) x[i] = 0.9f + unit() / 10;
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, 1, TERMS)), *k = randoms(w, "k", TYPE(F32, TERMS, RESULTS), 1);
    for (int i = 0; i < TERMS * RESULTS; i++) ((float *)k->data)[i] = 0.5f + ((const float *)k->data)[i] / 2;
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "y", in, k, 0, NULL), "y");
    float *floats = run_floats(w, x, &count);
    for (int wide_results = 0; wide_results < 2; wide_results++) {
        vt_quant_options options = usual;
        options.multiply = true;
        options.wide_max = wide_results ? INT64_MAX : -1;
        const vt_qnet *net = vt_quantize(w->g, ranges, &options);
        const vt_qlayer *product = net->layers[1];
        assert_true(product->kind == VT_Q_DENSE && product->steps[1].kind == VT_QSTEP_SHIFT);
        worst = INFINITY;
        run_quantized(w, net, x, floats, count);
        print_message("a sum of 4096 products: %.1f dB\n", worst);
        assert_true(worst > (wide_results ? 60 : 45));
        options.keep_bias = true;
        const vt_qlayer *rounded = vt_quantize(w->g, ranges, &options)->layers[1];
        for (int64_t o = 0; o < RESULTS; o++) check_rounding(rounded, o);
    }
}

static void large_sums(void **unused) {
    (void)unused;
    in_a_world(long_sum);
}

static void bias_correction(void **unused) {
    (void)unused;
    in_a_world(corrects);
}

/* Results have 16 bits where nothing but floats reads them: not what another product adds, nor what it reads. */
static void widens(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 2)), *k = zeros(w, "k", TYPE(F32, 2, 2));
    vt_gvalue *a = vt_graph_apply(w->g, VT_G_MAT_MUL, "a", x, k, 0, NULL);
    vt_gvalue *b = vt_graph_apply(w->g, VT_G_MAT_MUL, "b", x, k, 0, NULL);
    vt_gvalue *sum = vt_graph_apply(w->g, VT_G_ADD, "sum", b, a, 0, NULL);
    vt_gvalue *last = vt_graph_apply(w->g, VT_G_MAT_MUL, "last", sum, k, 0, NULL);
    vt_graph_output(w->g, a, "first");
    vt_graph_output(w->g, last, "second");
    ranges = vt_ranges_new(&w->ctx, w->g);
    for (uint32_t i = 0; i < w->g->values.count; i++) vt_ranges_set(ranges, w->g->values.item[i], 1);
    vt_quant_options options = usual;
    options.wide_max = 4;
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    for (uint32_t i = 0; i < net->tensor_count; i++) {
        const vt_qtensor *t = net->tensors[i];
        if (t->scale > 0) assert_int_equal(t->type.element == VT_ELEMENT_I16, !strcmp(t->name, "last"));
    }
    options.wide_max = 3; /* it has more weights */
    assert_null(strstr(vt_qnet_text(vt_quantize(w->g, ranges, &options)), "int16"));
}

/* A value that nothing observed is refused by name. */
static vta_status quantize_unseen(vt_ctx *ctx, void *g) {
    vt_quantize(g, vt_ranges_new(ctx, g), &usual);
    return VTA_OK;
}

static void refuses(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "photo", TYPE(F32, 1, 2));
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "m", x, zeros(w, "w", TYPE(F32, 2, 2)), 0, NULL), NULL);
    assert_int_equal(vt_protect(&w->ctx, quantize_unseen, w->g), VTA_INVALID_ARGUMENT);
    assert_non_null(strstr(vta_diag_text(w->diag), "photo has no range"));
    vta_diag_clear(w->diag);
}

static void fusion(void **unused) {
    (void)unused;
    in_a_world(fuses);
    in_a_world(fuses_limits);
    in_a_world(limits_before_residual);
    in_a_world(widens);
    in_a_world(refuses);
}

/* ---- Ranges ---- */

/* 10,000 numbers from 0 to 1, most of them small, and one of 64, in two parts, the large one last: bins double their
 * width six times. */
static void ranges_of(world *w) {
    static float data[10001];
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1));
    vt_ranges *r = vt_ranges_new(&w->ctx, w->g);
    for (int i = 0; i < 10000; i++) data[i] = powf((float)(i + 1) / 10000, 3) * (i % 2 ? 1 : -1);
    data[10000] = 64;
    assert_false(vt_ranges_seen(r, x));
    vt_ranges_observe(r, x, data, 5000);
    vt_ranges_observe(r, x, data + 5000, 5001);
    vt_ranges_observe(r, x, (float[]){INFINITY, NAN, -INFINITY}, 3);
    assert_true(vt_ranges_of(r, x, VT_RANGE_MAX, 0, 127) == 64);
    double most = vt_ranges_of(r, x, VT_RANGE_PERCENTILE, 99.9, 127),
           half = vt_ranges_of(r, x, VT_RANGE_PERCENTILE, 50, 127);
    assert_true(most >= 0.99 && most < 1.07 && half >= 0.125 && half < 0.19);
    assert_true(vt_ranges_of(r, x, VT_RANGE_PERCENTILE, 100, 127) == 64);
    double kl = vt_ranges_of(r, x, VT_RANGE_KL, 0, 127), squares = vt_ranges_of(r, x, VT_RANGE_SQUARES, 0, 127);
    assert_true(kl < 16);                      /* one in ten thousand is cut off */
    assert_true(squares > 16 && squares < 64); /* but its square weighs as much as the rounding of the others */
}

static void ranges_are_found(void **unused) {
    (void)unused;
    in_a_world(ranges_of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks), cmocka_unit_test(products_and_moves), cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(means_of_floats), cmocka_unit_test(norms_of_sums),      cmocka_unit_test(limits_behind_moves),
        cmocka_unit_test(fusion),          cmocka_unit_test(bias_correction),    cmocka_unit_test(large_sums),
        cmocka_unit_test(ranges_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
