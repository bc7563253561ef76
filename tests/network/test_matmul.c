/* Products of two computed matrices: shapes as attention has them, on several configurations, against plain loops over
 * their definition and, to the bit, the evaluator of integers; and which of them stay on the host. */
#include <math.h>

#include "network/compiled.h"

static const char *const configs[] = {"", "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BATCH=2 LOG_BLOCK=3",
                                      "LOG_BLOCK=5",
                                      "LOG_BLOCK=3 LOG_INP_BUFF_SIZE=14 LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=16"};
enum { CONFIGS = sizeof configs / sizeof *configs };

typedef struct shape_case {
    uint32_t a_rank, b_rank;
    int64_t a[4], b[4];
    bool gemm;       /* the second is transposed */
    float factor;    /* 0: none */
    bool limited;    /* and then Relu */
    bool by_product; /* the result is read by a product with constants: 8 bits */
    const char *why; /* it is on the host; NULL: on the accelerator */
} shape_case;

static const char few[] = "it has few products for each element";
static const char form[] = "a product of two computed matrices of this form is on floats";

static const shape_case cases[] = {
    {.a_rank = 2, .b_rank = 2, .a = {40, 33}, .b = {33, 47}},
    {.a_rank = 2, .b_rank = 2, .a = {31, 40}, .b = {45, 40}, .gemm = true, .factor = 0.125f},
    {.a_rank = 3, .b_rank = 3, .a = {3, 37, 30}, .b = {3, 30, 50}, .factor = 0.125f},
    {.a_rank = 4, .b_rank = 4, .a = {1, 2, 33, 32}, .b = {1, 2, 32, 49}, .limited = true},
    {.a_rank = 4, .b_rank = 4, .a = {2, 2, 26, 29}, .b = {2, 2, 29, 31}, .by_product = true},
    {.a_rank = 4, .b_rank = 4, .a = {1, 2, 3, 640}, .b = {1, 2, 640, 7}, .why = few},
    {.a_rank = 4, .b_rank = 4, .a = {2, 3, 15, 32}, .b = {2, 1, 32, 40}, .factor = 3},           /* grouped queries */
    {.a_rank = 3, .b_rank = 2, .a = {4, 9, 40}, .b = {40, 30}, .by_product = true, .factor = 2}, /* one for all */
    {.a_rank = 3, .b_rank = 3, .a = {1, 36, 40}, .b = {2, 40, 40}, .why = form},                 /* of the first */
    {.a_rank = 4, .b_rank = 4, .a = {2, 3, 40, 32}, .b = {1, 3, 32, 40}, .why = form},
    {.a_rank = 2, .b_rank = 2, .a = {1, 512}, .b = {512, 64}, .why = few},
};

static const shape_case *now;
static uint32_t turn;

static int64_t count_of(uint32_t rank, const int64_t *d) {
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++) n *= d[i];
    return n;
}

/* Elements of the input, from one on. */
static vt_gvalue *part(world *w, const char *name, vt_gvalue *x, int64_t from, uint32_t rank, const int64_t *d) {
    vt_gvalue *y =
        vt_graph_apply(w->g, VT_G_SLICE, name, x, NULL,
                       ATTRIBUTES(INTS(STARTS, 0, from), INTS(STEPS, 1, 1), INTS(SHAPE, 1, count_of(rank, d))));
    return vt_graph_apply(w->g, VT_G_RESHAPE, name, y, NULL, ATTRIBUTES(VT_GSET_INTS(SHAPE, rank, d)));
}

static float numbers[1 << 16];

/* Element `i` of the product: its matrices, row and column, by the rules of broadcasting. */
static double element(const shape_case *c, const vt_gtype *y, int64_t i) {
    const float *a = numbers, *b = numbers + count_of(c->a_rank, c->a);
    int64_t outs = y->dim[y->rank - 1], rows = y->dim[y->rank - 2], ins = c->a[c->a_rank - 1];
    int64_t column = i % outs, row = i / outs % rows, rest = i / (outs * rows), of[2] = {0, 0}, by[2] = {1, 1};
    for (uint32_t k = 3; k <= y->rank; k++) {
        int64_t extent = y->dim[y->rank - k], at = rest % extent;
        int64_t x[2] = {k <= c->a_rank ? c->a[c->a_rank - k] : 1, k <= c->b_rank ? c->b[c->b_rank - k] : 1};
        for (int s = 0; s < 2; s++) of[s] += (x[s] > 1 ? at : 0) * by[s], by[s] *= x[s];
        rest /= extent;
    }
    double sum = 0;
    for (int64_t k = 0; k < ins; k++)
        sum += (double)a[(of[0] * rows + row) * ins + k] *
               (double)b[c->gemm ? column * ins + k : (of[1] * ins + k) * outs + column];
    sum *= c->factor > 0 ? (double)c->factor : 1;
    return c->limited ? fmax(sum, 0) : sum;
}

static void check_definition(world *w, const vt_gtype *y, vt_quant_options options) {
    float *got = vt_new_bytes(&w->ctx, vt_gtype_bytes(y)), *more = vt_new_bytes(&w->ctx, 1 << 20);
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    double signal = 0, noise = 0;
    void *const out[2] = {got, more};
    assert_int_equal(vt_qeval_run(net, (const void *[]){numbers}, out, NULL, NULL, w->diag), VTA_OK);
    for (int64_t i = 0; i < vt_gtype_count(y); i++) {
        double want = element(now, y, i);
        signal += want * want;
        noise += ((double)got[i] - want) * ((double)got[i] - want);
    }
    if (noise * 1000 > signal) fail_msg("case %d: %g of %g\n%s", (int)(now - cases), noise, signal, vt_qnet_text(net));
}

static void one_case(world *w) {
    const shape_case *c = now;
    int64_t from = count_of(c->a_rank, c->a), all = from + count_of(c->b_rank, c->b);
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, all));
    vt_gvalue *a = part(w, "a", x, 0, c->a_rank, c->a), *b = part(w, "b", x, from, c->b_rank, c->b), *y;
    for (int64_t i = 0; i < all; i++) numbers[i] = (float)((i * 7919 + i * i * 31) % 2003) / 1000 - 1;
    y = vt_graph_apply(w->g, c->gemm ? VT_G_GEMM : VT_G_MAT_MUL, "y", a, b, c->gemm,
                       (vt_gattr[]){VT_GSET_INT(TRANS_B, 1)});
    if (c->factor > 0) y = vt_graph_apply(w->g, VT_G_MUL, "y", vt_graph_scalar(w->g, "f", c->factor), y, 0, NULL);
    if (c->limited) y = vt_graph_apply(w->g, VT_G_RELU, "y", y, NULL, 0, NULL);
    vt_graph_output(w->g, y, "y");
    if (c->by_product) {
        int64_t d[] = {vt_gtype_span(&y->type, 0, y->type.rank - 1), y->type.dim[y->type.rank - 1]};
        float *weights = VT_NEW_ARRAY(&w->ctx, float, (size_t)(d[1] * 5));
        for (int64_t i = 0; i < d[1] * 5; i++) weights[i] = (float)(i % 9) - 4;
        vt_gvalue *rows = vt_graph_apply(w->g, VT_G_RESHAPE, "rows", y, NULL, ATTRIBUTES(VT_GSET_INTS(SHAPE, 2, d)));
        vt_gvalue *by = vt_graph_constant(w->g, "w", TYPE(F32, d[1], 5), weights);
        vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "z", rows, by, 0, NULL), "z");
    }
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    const vt_network_options how = {.schedule = &quick, .processor_only = turn == CONFIGS};
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = 1 << 16};
    const char *said = compare(w, numbers, turn < CONFIGS ? configs[turn] : "", &how, options);
    const char *line = c->why ? "y (MatMul): host, " : turn < CONFIGS ? "y (matmul): accelerator" : "y (matmul): host";
    const char *at = strstr(said, line);
    if (!at || (c->why && turn < CONFIGS && strncmp(at + strlen(line), c->why, strlen(c->why)) != 0))
        fail_msg("case %d on %u:\n%s", (int)(c - cases), turn, said);
    if (!turn) check_definition(w, &y->type, options);
}

TEST_CASE(products_of_two) {
    for (turn = 0; turn <= CONFIGS; turn++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) now = &cases[i], in_a_world(one_case);
}

/* ---- Attention --------------------------------------------------------------------------------------------------- */

enum { ROWS = 47, HEADS = 3, SIZE = 24, WIDTH = HEADS * SIZE };

static vt_gvalue *linear(world *w, const char *name, vt_gvalue *x) {
    int64_t ins = x->type.dim[1];
    float *data = VT_NEW_ARRAY(&w->ctx, float, (size_t)(ins * WIDTH));
    for (int64_t i = 0; i < ins * WIDTH; i++)
        data[i] = (float)((i * 7919 + i * i * 13 + name[0] * 17) % 2003) / 1000 - 1;
    vt_gvalue *weights = vt_graph_constant(w->g, "w", TYPE(F32, ins, WIDTH), data);
    float *more = VT_NEW_ARRAY(&w->ctx, float, WIDTH); /* so that rows of no token are not zeros */
    for (int64_t i = 0; i < WIDTH; i++) more[i] = (float)(i % 7) + 2;
    vt_gvalue *bias = vt_graph_constant(w->g, "b", TYPE(F32, WIDTH), more);
    x = vt_graph_apply(w->g, VT_G_MAT_MUL, name, x, weights, 0, NULL);
    return vt_graph_apply(w->g, VT_G_ADD, name, x, bias, 0, NULL);
}

static vt_gvalue *heads(world *w, const char *name, vt_gvalue *x, bool columns) {
    x = vt_graph_apply(w->g, VT_G_RESHAPE, name, linear(w, name, x), NULL, ATTRIBUTES(INTS(SHAPE, ROWS, HEADS, SIZE)));
    if (columns) return vt_graph_apply(w->g, VT_G_TRANSPOSE, name, x, NULL, ATTRIBUTES(INTS(PERM, 1, 2, 0)));
    return vt_graph_apply(w->g, VT_G_TRANSPOSE, name, x, NULL, ATTRIBUTES(INTS(PERM, 1, 0, 2)));
}

static uint32_t moves_in(const char *report) {
    uint32_t n = 0;
    for (const char *p = report; (p = strstr(p, " (move): host")); p++) n++;
    return n;
}

static bool behind; /* a layer of integers, not of floats */

/* Queries and what is behind attention are moved only where heads are no blocks, keys and values also where tiles have
 * several rows. */
static void one_attention(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, ROWS, 40)), *y;
    if (behind) x = vt_graph_apply(w->g, VT_G_RELU, "relu", linear(w, "first", x), NULL, 0, NULL);
    vt_gvalue *q = heads(w, "q", x, false), *k = heads(w, "k", x, true), *v = heads(w, "v", x, false);
    for (int i = 0; i < ROWS * 40; i++) numbers[i] = (float)((i * 31) % 2003) / 1000 - 1;
    y = vt_graph_apply(w->g, VT_G_MAT_MUL, "scores", q, k, 0, NULL);
    y = vt_graph_apply(w->g, VT_G_DIV, "scaled", y, vt_graph_scalar(w->g, "d", 64), 0, NULL);
    y = vt_graph_apply(w->g, VT_G_SOFTMAX, "shares", y, NULL, ATTRIBUTES(VT_GSET_INT(AXIS, 2)));
    y = vt_graph_apply(w->g, VT_G_MAT_MUL, "mixed", y, v, 0, NULL);
    y = vt_graph_apply(w->g, VT_G_TRANSPOSE, "tokens", y, NULL, ATTRIBUTES(INTS(PERM, 1, 0, 2)));
    y = vt_graph_apply(w->g, VT_G_RESHAPE, "rows", y, NULL, ATTRIBUTES(INTS(SHAPE, ROWS, WIDTH)));
    vt_graph_output(w->g, linear(w, "out", y), "y");
    const vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    const vt_network_options how = {.schedule = &quick, .processor_only = turn == CONFIGS};
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = 1 << 16};
    const char *said = compare(w, numbers, turn < CONFIGS ? configs[turn] : "", &how, options);
    bool blocks = turn < CONFIGS && strstr(configs[turn], "LOG_BLOCK=3");
    bool rows = blocks && !strstr(configs[turn], "LOG_BATCH");
    if (moves_in(said) != (rows ? 0 : blocks ? 2 : 4)) fail_msg("%u moves on %u:\n%s", moves_in(said), turn, said);
}

TEST_CASE(attention) {
    for (turn = 0; turn <= CONFIGS; turn++)
        for (int i = 0; i < 2; i++) behind = i, in_a_world(one_attention);
}

int main(void) { return run_cases(); }
