/* Softmax between products of two matrices, in integers: against plain loops over its definition and, to the bit, the
 * evaluator of integers, on hardware with tables and without; what of it the accelerator does; and where it stays on
 * floats. */
#include <math.h>
#include <string.h>

#include "network/compiled.h"

static const char *const configs[] = {"LOG_TABLE_BUFF_SIZE=8", "",
                                      "LOG_TABLE_BUFF_SIZE=9 LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15",
                                      "LOG_BLOCK=5 LOG_TABLE_BUFF_SIZE=8"};
enum { CONFIGS = sizeof configs / sizeof *configs };

/* `heads` products of rows x size by size x columns, softmax, and by columns x outs. */
typedef struct attention {
    int64_t heads, rows, size, columns, outs;
    float factor;    /* of the scores */
    int64_t drop;    /* from each of them, times the factor: all of a row alike */
    float mask;      /* added to the scores of every third column, by a value of the graph */
    bool two;        /* something else reads the shares: floats */
    bool by_product; /* the result is read by a product with constants: 8 bits */
    double decibels;
} attention;

static const attention cases[] = {
    {.heads = 2, .rows = 33, .size = 32, .columns = 48, .outs = 40, .factor = 0.4f, .decibels = 41},
    {.heads = 3, .rows = 30, .size = 20, .columns = 37, .outs = 33, .factor = 2, .decibels = 35},
    {.heads = 1, .rows = 40, .size = 30, .columns = 16, .outs = 48, .factor = 0.02f, .decibels = 43},
    {.heads = 1, .rows = 17, .size = 33, .columns = 200, .outs = 17, .factor = 8, .by_product = true, .decibels = 39},
    {.heads = 2, .rows = 20, .size = 40, .columns = 41, .outs = 20, .factor = 0.5f, .drop = 20, .decibels = 38},
    {.heads = 2, .rows = 30, .size = 32, .columns = 43, .outs = 33, .factor = 0.5f, .mask = -10000, .decibels = 38},
    {.heads = 1, .rows = 32, .size = 32, .columns = 40, .outs = 32, .factor = 3, .mask = -1e30f, .decibels = 36},
    {.heads = 1, .rows = 32, .size = 32, .columns = 40, .outs = 32, .factor = 1, .mask = -3}, /* floats */
    {.heads = 1, .rows = 32, .size = 32, .columns = 40, .outs = 32, .factor = 1, .two = true},
};

static const attention *now;
static uint32_t turn;
static float numbers[1 << 14];

/* Integers of 8 bits, all of a scale, so that what is compared is softmax alone. */
static float draw(int64_t i) { return (float)((i * 7919 + i * i * 31) % 255 - 127) / 127; }

static float mask_of(int64_t column) { return column % 3 == 0 ? now->mask : 0; }

/* Queries, keys (transposed), values and a mask, one behind the other. */
static int64_t sizes(int64_t out[3]) {
    const attention *c = now;
    out[0] = c->heads * c->rows * c->size;
    out[1] = c->heads * c->size * c->columns;
    out[2] = c->heads * c->columns * c->outs;
    return out[0] + out[1] + out[2] + c->columns;
}

static void fill(void) {
    int64_t size[3], all = sizes(size);
    for (int64_t i = 0; i < all; i++) numbers[i] = draw(i);
    for (int64_t i = 0; i < now->columns; i++) numbers[all - now->columns + i] = mask_of(i);
    numbers[0] = numbers[size[0]] = numbers[size[0] + size[1]] = 1;
    for (int64_t i = 0; i < size[0]; i++)
        if (i % now->size < now->drop) numbers[i] = 1;
    for (int64_t i = 0; i < size[1]; i++)
        if (i / now->columns % now->size < now->drop) numbers[size[0] + i] = -1;
}

static void define(double *y) {
    const attention *c = now;
    int64_t size[3];
    double share[256];
    sizes(size);
    const float *q = numbers, *k = q + size[0], *v = k + size[1];
    for (int64_t r = 0; r < c->heads * c->rows; r++) {
        int64_t head = r / c->rows;
        double most = -INFINITY, total = 0;
        for (int64_t j = 0; j < c->columns; j++) {
            share[j] = 0;
            for (int64_t i = 0; i < c->size; i++)
                share[j] += (double)q[r * c->size + i] * (double)k[(head * c->size + i) * c->columns + j];
            share[j] = share[j] * (double)c->factor + (double)mask_of(j);
            most = fmax(most, share[j]);
        }
        for (int64_t j = 0; j < c->columns; j++) total += share[j] = exp(share[j] - most);
        for (int64_t o = 0; o < c->outs; o++) {
            double sum = 0;
            for (int64_t j = 0; j < c->columns; j++) sum += share[j] * (double)v[(head * c->columns + j) * c->outs + o];
            y[r * c->outs + o] = sum / total;
        }
    }
}

static vt_gvalue *part(world *w, const char *name, vt_gvalue *x, int64_t from, int64_t heads, int64_t rows,
                       int64_t columns) {
    vt_gvalue *y =
        vt_graph_apply(w->g, VT_G_SLICE, name, x, NULL,
                       ATTRIBUTES(INTS(STARTS, 0, from), INTS(STEPS, 1, 1), INTS(SHAPE, 1, heads * rows * columns)));
    return vt_graph_apply(w->g, VT_G_RESHAPE, name, y, NULL, ATTRIBUTES(INTS(SHAPE, heads, rows, columns)));
}

/* The values of `y` as the evaluator of integers has them. */
static void check_definition(world *w, const vt_gtype *type, vt_quant_options options) {
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    size_t count = (size_t)vt_gtype_count(type);
    double *want = VT_NEW_ARRAY(&w->ctx, double, count), signal = 0, noise = 0;
    float *got = VT_NEW_ARRAY(&w->ctx, float, count), *more = VT_NEW_ARRAY(&w->ctx, float, 1 << 14);
    void *const out[2] = {got, more};
    assert_int_equal(vt_qeval_run(net, (const void *[]){numbers}, out, NULL, NULL, w->diag), VTA_OK);
    define(want);
    for (size_t i = 0; i < count; i++) {
        signal += want[i] * want[i];
        noise += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
    }
    double decibels = 10 * log10(signal / noise);
    if (!(decibels > now->decibels)) fail_msg("case %d: %g dB\n%s", (int)(now - cases), decibels, vt_qnet_text(net));
}

static bool has(const char *report, const char *line) { return strstr(report, line) != NULL; }

static void check_report(const char *said) {
    bool tables = turn < CONFIGS && strstr(configs[turn], "TABLE"), host = turn == CONFIGS;
    bool right = has(said, host ? "soft (row_max): host" : "soft (row_max): accelerator") &&
                 has(said, tables ? "soft (table): accelerator, with the layer before it" : "soft (table): host") &&
                 has(said, host ? "y (matmul): host" : "y (matmul): accelerator");
    if (now->two || now->mask == -3) right = has(said, "soft (Softmax): host") && !has(said, "row_max");
    if (!right) fail_msg("case %d on %u:\n%s", (int)(now - cases), turn, said);
}

static void one_case(world *w) {
    const attention *c = now;
    int64_t size[3], all = sizes(size);
    fill();
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, all));
    vt_gvalue *q = part(w, "q", x, 0, c->heads, c->rows, c->size),
              *k = part(w, "k", x, size[0], c->heads, c->size, c->columns);
    vt_gvalue *v = part(w, "v", x, size[0] + size[1], c->heads, c->columns, c->outs);
    vt_gvalue *m = c->mask != 0 ? part(w, "m", x, all - c->columns, 1, 1, c->columns) : NULL;
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_MAT_MUL, "scores", q, k, 0, NULL);
    y = vt_graph_apply(w->g, VT_G_MUL, "scaled", y, vt_graph_scalar(w->g, "f", c->factor), 0, NULL);
    if (m) y = vt_graph_apply(w->g, VT_G_ADD, "masked", y, m, 0, NULL);
    y = vt_graph_apply(w->g, VT_G_SOFTMAX, "soft", y, NULL, ATTRIBUTES(VT_GSET_INT(AXIS, 2)));
    vt_gvalue *shares = y;
    y = vt_graph_apply(w->g, VT_G_MAT_MUL, "y", y, v, 0, NULL);
    vt_graph_output(w->g, y, "y");
    if (c->two) vt_graph_output(w->g, shares, "z");
    if (c->by_product) {
        float *weights = VT_NEW_ARRAY(&w->ctx, float, (size_t)(c->outs * 5));
        for (int64_t i = 0; i < c->outs * 5; i++) weights[i] = (float)(i % 9) - 4;
        vt_gvalue *rows =
            vt_graph_apply(w->g, VT_G_RESHAPE, "rows", y, NULL, ATTRIBUTES(INTS(SHAPE, c->heads * c->rows, c->outs)));
        vt_gvalue *by = vt_graph_constant(w->g, "w", TYPE(F32, c->outs, 5), weights);
        vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "z", rows, by, 0, NULL), "z");
    }
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    const vt_network_options how = {.schedule = &quick, .processor_only = turn == CONFIGS};
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = 1 << 16};
    check_report(compare(w, numbers, turn < CONFIGS ? configs[turn] : "", &how, options));
    if (!turn && c->decibels > 0) check_definition(w, &y->type, options);
}

TEST_CASE(softmax_of_products) {
    for (turn = 0; turn <= CONFIGS; turn++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) now = &cases[i], in_a_world(one_case);
}

int main(void) { return run_cases(); }
