/* Windows that a load of the accelerator cannot pad, or whose taps are too far apart for its buffers: random
 * convolutions and pools with taps up to 40 apart, on images of 5 to 70 rows and columns. All of them run on the
 * accelerator, and give what the evaluator of integers gives, to the bit. */
#include "network/compiled.h"

enum { CASES = 64, FAR = 40, LEAST = 5, MAX = 70 };

static const char *const configs[] = {
    "",
    "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15",
    "",
    "LOG_BLOCK=5",
};

static uint64_t state;

static int64_t next(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((uint32_t)(state >> 33) % below);
}

static float *numbers(world *w, const vt_gtype *t) {
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(t));
    for (int64_t i = 0; i < vt_gtype_count(t); i++) x[i] = (float)next(20001) / 10000 - 1;
    return x;
}

static vt_gvalue *constant(world *w, const char *name, vt_gtype t) {
    return vt_graph_constant(w->g, name, t, numbers(w, &t));
}

/* Rows, or columns, of a window on an image of `size`. */
typedef struct side {
    int64_t size, kernel, apart, stride, before, after;
} side;

static side random_side(void) {
    side s = {.size = LEAST + next(MAX - LEAST + 1), .kernel = next(5) ? 3 : 1 + next(4), .stride = 1 + (next(3) == 0)};
    s.apart = 1 + next(FAR);
    int64_t span = (s.kernel - 1) * s.apart;
    s.before = s.after = span / 2;
    if (next(3) == 0) s.before = next((uint32_t)span + 1), s.after = next((uint32_t)span + 1);
    while (s.size + s.before + s.after <= span) *(s.before < span ? &s.before : &s.after) += 1;
    return s;
}

static int64_t outs(const side *s) {
    return (s->size + s->before + s->after - (s->kernel - 1) * s->apart - 1) / s->stride + 1;
}

/* Does a window see padding only? The largest of nothing is infinite in floats, which has no integer. */
static bool is_blind(const side *s) {
    for (int64_t i = 0; i < outs(s); i++) {
        bool seen = false;
        for (int64_t t = 0; t < s->kernel; t++) {
            int64_t at = i * s->stride + t * s->apart - s->before;
            seen |= at >= 0 && at < s->size;
        }
        if (!seen) return true;
    }
    return false;
}

static const side *rows, *columns;
static int64_t channels, results, groups;
static vt_gop kind;

/* The least network of a window: a convolution behind a Relu, or a pool. */
static void build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, channels, rows->size, columns->size));
    vt_gvalue *weight = constant(w, "weight", TYPE(F32, results, channels / groups, rows->kernel, columns->kernel));
    vt_gvalue *in[] = {x, weight, constant(w, "bias", TYPE(F32, results))};
    bool conv = kind == VT_G_CONV;
    vt_gattr a[] = {INTS(STRIDES, rows->stride, columns->stride),
                    INTS(PADS, rows->before, columns->before, rows->after, columns->after),
                    INTS(DILATIONS, rows->apart, columns->apart), INTS(KERNEL, rows->kernel, columns->kernel)};
    if (conv) a[3] = (vt_gattr)VT_GSET_INT(GROUP, groups);
    vt_gnode_spec spec = {kind, "window", NULL, conv ? 3 : 1, 4, in, a};
    vt_gvalue *y = vt_graph_add(w->g, &spec)->outputs[0];
    assert_int_equal(y->type.dim[2], outs(rows));
    assert_int_equal(y->type.dim[3], outs(columns));
    vt_graph_output(w->g, next(2) ? vt_graph_apply(w->g, VT_G_RELU, "r", y, NULL, 0, NULL) : y, "y");
}

static const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};

/* Of the operator that the window became. */
static char operator_text[512];

static bool note(void *user, const char *layer, const vtac_op *op) {
    (void)user, (void)layer;
    snprintf(operator_text, sizeof operator_text, "%s", vtac_op_attributes(op));
    return false;
}

static const char *said_of(world *w, const char *config, vt_quant_options options) {
    vt_network_options how = {.schedule = &quick, .scheduled = note};
    operator_text[0] = 0;
    return compare(w, numbers(w, &w->g->inputs.item[0]->type), config, &how, options);
}

/* ---- Random windows ---------------------------------------------------------------------------------------------- */

static uint32_t seed, windows, accelerated, gathered, pools, in_groups;

static void one(world *w) {
    state = seed * 7919u;
    side y = random_side(), x = random_side();
    rows = &y, columns = &x;
    channels = 1 + next(24);
    kind = next(4) || is_blind(&y) || is_blind(&x) ? VT_G_CONV : VT_G_MAX_POOL;
    groups = kind == VT_G_CONV && next(3) == 0 ? channels : 1;
    results = groups > 1 ? channels : 1 + next(24);
    if (groups > 1 && next(2)) channels = 16, results = 32, groups = 2;
    vt_quant_options options = usual;
    options.multiply = next(2);
    build(w);
    const char *said = said_of(w, configs[seed % 4], options);
    const char *line = strstr(said, "window (");
    assert_non_null(line);
    windows++;
    bool on = !strncmp(strchr(line, ')'), "): accelerator", 14);
    accelerated += on;
    gathered += on && strstr(said, "accelerator, the host gathers its taps") != NULL;
    pools += kind == VT_G_MAX_POOL;
    in_groups += groups > 1;
    if (!on) print_message("case %u is not on the accelerator:\n%s", seed, said);
}

static void random_windows(void **unused) {
    (void)unused;
    for (seed = 1; seed <= CASES; seed++) in_a_world(one);
    print_message("%u of %u windows on the accelerator, %u with gathered taps; %u pools, %u in groups\n", accelerated,
                  windows, gathered, pools, in_groups);
    assert_int_equal(accelerated, windows);
    assert_true(gathered > CASES / 4 && gathered < CASES && pools > 5 && in_groups > 10);
}

/* ---- What becomes of a window ------------------------------------------------------------------------------------ */

/* DeepLab's first; then, with a stride, taps that reach past the last row; taps in the image's corner, whose padding is
 * one row short of a tap. */
static const struct known {
    int64_t size, rate, stride, before, after, kernel; /* kernel: of the operator, taps that see the image */
    bool gathered;
} known[] = {{33, 6, 1, 6, 6, 3, false},    {33, 12, 1, 12, 12, 3, false}, {33, 15, 1, 15, 15, 3, false},
             {33, 18, 1, 18, 18, 3, true},  {33, 24, 1, 24, 24, 3, true},  {33, 32, 1, 32, 32, 3, true},
             {33, 33, 1, 33, 33, 1, false}, {33, 36, 1, 36, 36, 1, false}, {65, 36, 1, 36, 36, 3, true},
             {33, 33, 2, 33, 33, 1, false}, {10, 8, 1, 7, 0, 3, false},    {10, 8, 1, 0, 7, 3, false}};

static const struct known *now;

static void one_known(world *w) {
    side s = {now->size, 3, now->rate, now->stride, now->before, now->after};
    state = 5;
    rows = columns = &s;
    channels = results = 16;
    groups = 1;
    kind = VT_G_CONV;
    build(w);
    const char *said = said_of(w, "", usual);
    char kernel[32];
    snprintf(kernel, sizeof kernel, " kernel_h=%d ", (int)now->kernel);
    bool right = strstr(said, now->gathered ? "window (conv): accelerator, the host gathers its taps\n"
                                            : "window (conv): accelerator\n") &&
                 strstr(operator_text, kernel);
    if (!right) fail_msg("%d apart on %d rows: %s\n%s", (int)now->rate, (int)now->size, operator_text, said);
}

static void known_windows(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) now = &known[i], in_a_world(one_known);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_windows), cmocka_unit_test(known_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
