/* Operators that are read as several of the graph: what they give against their definitions, in plain loops. */
#include <math.h>

#include "support/check.h"

#include "onnx_make.h"
#include "vta/graph.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, ROUNDS = 60 };

static check_random random_numbers = {88172645463325252u};
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static vta_diag *diag;
static int64_t dim[4]; /* of the input: N C H W */
static float x[6 * 9 * 5 * 5];

static size_t at(int64_t n, int64_t c, int64_t h, int64_t w) {
    return (size_t)(((n * dim[1] + c) * dim[2] + h) * dim[3] + w);
}

static void pick_input(void) {
    for (int i = 0; i < 4; i++) dim[i] = pick(1, i == 1 ? 9 : i ? 5 : 3);
    for (size_t i = 0; i < (size_t)(dim[0] * dim[1] * dim[2] * dim[3]); i++) x[i] = (float)pick(-1000, 1000) / 300;
}

typedef struct model {
    vtac_graph *graph;
    vtac_evaluator *evaluator;
    const float *y;
    size_t count;
} model;

/* One node on the input. */
static void run(model *out, const char *op, const char *attributes) {
    making m;
    char shape[64];
    size_t size;
    vtac_graph_tensor t = {0};
    snprintf(shape, sizeof shape, "%d,%d,%d,%d", (int)dim[0], (int)dim[1], (int)dim[2], (int)dim[3]);
    make_model(&m, 13);
    make_input(&m, "x", FLOAT, shape);
    make_node(&m, op, "x", "y", attributes);
    make_output(&m, "y");
    uint8_t *bytes = make_bytes(&m, &size);
    if (vtac_graph_parse(bytes, size, "m", NULL, NULL, NULL, diag, &out->graph) != VTA_OK)
        fail_msg("%s %s of %s: %s", op, attributes, shape, vta_diag_text(diag));
    free(bytes);
    assert_int_equal(vtac_evaluator_create(out->graph, NULL, NULL, diag, &out->evaluator), VTA_OK);
    assert_int_equal(vtac_evaluator_run(out->evaluator, (const void *[]){x}, diag), VTA_OK);
    assert_int_equal(vtac_graph_output(out->graph, 0, &t), VTA_OK);
    out->y = vtac_evaluator_output(out->evaluator, 0);
    out->count = t.bytes / sizeof *out->y;
}

static void forget(model *m) {
    vtac_evaluator_destroy(m->evaluator);
    vtac_graph_destroy(m->graph);
}

static void same(const char *what, float got, double want) {
    if (!(fabs((double)got - want) <= 1e-4 * (1 + fabs(want)))) fail_msg("%s: %g, wanted %g", what, (double)got, want);
}

/* x / (bias + alpha / size * sum of squares of the channels around)^beta */
static void test_lrn(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        model m;
        char text[100];
        int64_t size = pick(1, 11), i = 0;
        double alpha = (double)pick(1, 8) / 4, bias = (double)pick(1, 4), beta = (double)pick(2, 4) / 4;
        pick_input();
        snprintf(text, sizeof text, "size=%d alpha=%.3f bias=%.3f beta=%.3f", (int)size, alpha, bias, beta);
        run(&m, "LRN", text);
        for (int64_t n = 0; n < dim[0]; n++)
            for (int64_t c = 0; c < dim[1]; c++)
                for (int64_t h = 0; h < dim[2]; h++)
                    for (int64_t w = 0; w < dim[3]; w++) {
                        double sum = 0;
                        for (int64_t k = c - (size - 1) / 2; k <= c + size / 2; k++)
                            if (k >= 0 && k < dim[1]) sum += (double)x[at(n, k, h, w)] * (double)x[at(n, k, h, w)];
                        double by = pow(bias + alpha / (double)size * sum, beta);
                        same(text, m.y[i++], (double)x[at(n, c, h, w)] / by);
                    }
        assert_int_equal(i, m.count);
        forget(&m);
    }
}

/* Over one axis: sums of absolute values, of squares, and roots. */
static void test_reductions(void **state) {
    static const char *const ops[] = {"ReduceL1", "ReduceSumSquare", "ReduceL2"};
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        model m;
        char text[64];
        int kind = round % 3, axis = (int)pick(0, 3);
        int64_t inner = 1, outer = 1;
        pick_input();
        for (int i = 0; i < axis; i++) outer *= dim[i];
        for (int i = axis + 1; i < 4; i++) inner *= dim[i];
        snprintf(text, sizeof text, "axes=[%d] keepdims=%d", round % 2 ? axis : axis - 4, (int)pick(0, 1));
        run(&m, ops[kind], text);
        assert_int_equal(m.count, outer * inner);
        for (int64_t i = 0; i < outer * inner; i++) {
            double sum = 0;
            for (int64_t k = 0; k < dim[axis]; k++) {
                double v = (double)x[(i / inner * dim[axis] + k) * inner + i % inner];
                sum += kind ? v * v : fabs(v);
            }
            same(ops[kind], m.y[i], kind == 2 ? sqrt(sum) : sum);
        }
        forget(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lrn), cmocka_unit_test(test_reductions)};
    diag = vta_diag_create(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return failed;
}
