/* Normalization of rows in integers, and the stream of 15 bits that it reads: against the evaluator in floats and, to
 * the bit, the evaluator of integers, on several configurations and the host; and where both stay on floats. */
#include <math.h>
#include <string.h>

#include "network/compiled.h"

static const char *const configs[] = {"", "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BLOCK=5"};
enum { CONFIGS = sizeof configs / sizeof *configs, FEATURES = 64, HIDDEN = 48 };

/* x + x W, normalized, times W, added, normalized, and a last product. */
typedef struct stream {
    int64_t rows, features;
    bool three_axes; /* [1, rows, features], with reshapes before and behind products */
    bool no_mean;    /* RMSNorm */
    bool constants;  /* gamma and beta; else gamma of 1 alone */
    float size;      /* of every third row, beside 1 of others */
    float epsilon;
    int seen;    /* the first normalization is an output, too: 1; floats of the first sum are: 2 */
    bool floats; /* it is expected to stay on floats */
    double decibels;
} stream;

static const stream cases[] = {
    {.rows = 70, .features = 64, .constants = true, .size = 1, .epsilon = 1e-5f, .decibels = 36},
    {.rows = 131,
     .features = 32,
     .three_axes = true,
     .constants = true,
     .size = 0.02f,
     .epsilon = 1e-5f,
     .decibels = 23},
    {.rows = 67, .features = 64, .no_mean = true, .size = 0.3f, .epsilon = 1e-6f, .decibels = 36},
    {.rows = 70, .features = 64, .three_axes = true, .size = 1, .epsilon = 0.5f, .floats = true},
    {.rows = 120, .features = 40, .no_mean = true, .constants = true, .size = 1, .epsilon = 1e-5f, .decibels = 36},
    {.rows = 70, .features = 64, .three_axes = true, .constants = true, .size = 1, .epsilon = 1e-5f, .seen = 1},
    {.rows = 67, .features = 64, .three_axes = true, .size = 1, .epsilon = 1e-5f, .seen = 2},
    {.rows = 60, .features = 64, .constants = true, .size = 1, .epsilon = 1e-5f, .floats = true}, /* few elements */
};

static const stream *now;
static uint32_t turn;
static float numbers[1 << 14];

static float draw(int64_t i) { return (float)((i * 7919 + i * i * 31) % 255 - 127) / 127; }

static void fill(void) {
    for (int64_t i = 0; i < now->rows * now->features; i++)
        numbers[i] = (draw(i) + 0.1f) * (i / now->features % 3 ? 1 : now->size);
}

static vt_gvalue *constant(world *w, const char *name, int64_t rows, int64_t columns, float size, float more) {
    float *data = VT_NEW_ARRAY(&w->ctx, float, (size_t)(rows * columns));
    for (int64_t i = 0; i < rows * columns; i++) data[i] = draw(i + (int64_t)strlen(name) * 1001) * size + more;
    vt_gtype of_rows = TYPE(F32, columns), matrix = TYPE(F32, rows, columns);
    return vt_graph_constant(w->g, name, rows == 1 ? of_rows : matrix, data);
}

static vt_gvalue *two(world *w, vt_gop op, const char *name, vt_gvalue *a, vt_gvalue *b) {
    return vt_graph_apply(w->g, op, name, a, b, 0, NULL);
}

static vt_gvalue *shaped(world *w, const char *name, vt_gvalue *x, bool three) {
    int64_t columns = x->type.dim[x->type.rank - 1];
    if (!now->three_axes) return x;
    return three ? vt_graph_apply(w->g, VT_G_RESHAPE, name, x, NULL, ATTRIBUTES(INTS(SHAPE, 1, now->rows, columns)))
                 : vt_graph_apply(w->g, VT_G_RESHAPE, name, x, NULL, ATTRIBUTES(INTS(SHAPE, now->rows, columns)));
}

static vt_gvalue *product(world *w, const char *name, vt_gvalue *x, int64_t outs, bool back) {
    int64_t ins = x->type.dim[x->type.rank - 1];
    x = two(w, VT_G_MAT_MUL, name, shaped(w, "flat", x, false), constant(w, name, ins, outs, 0.3f, 0));
    return back ? shaped(w, "back", x, true) : x;
}

static vt_gvalue *mean(world *w, vt_gvalue *x) {
    int64_t last = x->type.rank - 1;
    vt_gvalue *sum =
        vt_graph_apply(w->g, VT_G_REDUCE_SUM, "sum", x, NULL, ATTRIBUTES(INTS(AXES, last), VT_GSET_INT(KEEPDIMS, 1)));
    return two(w, VT_G_MUL, "mean", sum, vt_graph_scalar(w->g, "share", 1 / (float)now->features));
}

static vt_gvalue *normalized(world *w, const char *name, vt_gvalue *x) {
    if (!now->no_mean) x = two(w, VT_G_SUB, "less", x, mean(w, x));
    vt_gvalue *power = mean(w, two(w, VT_G_MUL, "squares", x, x));
    power = two(w, VT_G_ADD, "more", power, vt_graph_scalar(w->g, "epsilon", now->epsilon));
    power = vt_graph_apply(w->g, VT_G_SQRT, "root", power, NULL, 0, NULL);
    vt_gvalue *y = two(w, VT_G_DIV, now->constants ? "ratio" : name, x, power);
    if (!now->constants) return y;
    y = two(w, VT_G_MUL, "scaled", y, constant(w, "gamma", 1, now->features, 0.5f, 1));
    return two(w, VT_G_ADD, name, y, constant(w, "beta", 1, now->features, 0.3f, 0));
}

static vt_gvalue *build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, now->rows, now->features));
    vt_gvalue *s = two(w, VT_G_MUL, "start", shaped(w, "in", x, true), vt_graph_scalar(w->g, "two", 2));
    vt_gvalue *y = product(w, "first", x, now->features, true);
    s = two(w, VT_G_ADD, "s1", s, y);
    vt_gvalue *n1 = normalized(w, "n1", s);
    if (now->seen == 1) vt_graph_output(w->g, n1, "z");
    if (now->seen == 2) vt_graph_output(w->g, two(w, VT_G_MUL, "twice", s, vt_graph_scalar(w->g, "two", 2)), "z");
    y = product(w, "up", n1, HIDDEN, false);
    y = vt_graph_apply(w->g, VT_G_RELU, "relu", y, NULL, 0, NULL);
    y = two(w, VT_G_MAT_MUL, "down", y, constant(w, "down", HIDDEN, now->features, 0.2f, 0));
    s = two(w, VT_G_ADD, "s2", shaped(w, "back", y, true), s);
    return product(w, "y", normalized(w, "n2", s), 24, false);
}

/* What floats and integers differ by. */
static void check_floats(world *w, vt_quant_options options) {
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    const vt_gtype *type = &w->g->outputs.item[0]->type;
    size_t count = (size_t)vt_gtype_count(type);
    float *got_ = VT_NEW_ARRAY(&w->ctx, float, count), *want = VT_NEW_ARRAY(&w->ctx, float, count);
    double signal = 0, noise = 0;
    vt_eval *e;
    assert_int_equal(vt_eval_open(w->g, NULL, NULL, w->diag, &e), VTA_OK);
    vt_eval_input(e, 0, numbers);
    assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
    memcpy(want, vt_eval_value(e, w->g->outputs.item[0]), count * sizeof *want);
    vt_eval_close(e);
    assert_int_equal(vt_qeval_run(net, (const void *[]){numbers}, (void *[]){got_}, NULL, NULL, w->diag), VTA_OK);
    for (size_t i = 0; i < count; i++) {
        signal += (double)want[i] * (double)want[i];
        noise += ((double)got_[i] - (double)want[i]) * ((double)got_[i] - (double)want[i]);
    }
    double decibels = 10 * log10(signal / noise);
    if (!(decibels > now->decibels)) fail_msg("case %d: %g dB\n%s", (int)(now - cases), decibels, vt_qnet_text(net));
}

static bool has(const char *report, const char *line) { return strstr(report, line) != NULL; }

/* Lanes that stand for no feature would have a mean. */
static void check_report(const char *said) {
    bool host = turn == CONFIGS || (!now->no_mean && now->features % (turn == 2 ? 32 : turn == 1 ? 8 : 16));
    bool right = has(said, host ? "(norm): host" : "(norm): accelerator") && !has(said, "(Div)") &&
                 has(said, turn == CONFIGS ? "first (dense): host" : "first (dense): accelerator");
    if (now->floats) right = !has(said, "(norm)") && has(said, "(Div): host");
    if (!right) fail_msg("case %d on %u:\n%s", (int)(now - cases), turn, said);
}

static void one_case(world *w) {
    fill();
    vt_graph_output(w->g, build(w), "y");
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    const vt_network_options how = {.schedule = &quick, .processor_only = turn == CONFIGS};
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = 1 << 16};
    check_report(compare(w, numbers, turn < CONFIGS ? configs[turn] : "", &how, options));
    if (!turn && now->decibels > 0) check_floats(w, options);
}

TEST_CASE(norms_of_streams) {
    for (turn = 0; turn <= CONFIGS; turn++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) now = &cases[i], in_a_world(one_case);
}

int main(void) { return run_cases(); }
