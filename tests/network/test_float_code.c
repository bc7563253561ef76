/* Every operator on floats that is compiled for the host, on random shapes and attributes and on numbers of all kinds
 * (not a number, infinities, zeros of both signs, denormals, the largest): compiled code gives the bits of the
 * evaluator, and both give what ONNX says, written here as plain loops. */
#include "graph/build.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "frontend/eval/eval.h"
#include "frontend/quant/eval.h"
#include "network/network.h"
#include "vta/exec.h"

enum { ROUNDS = 2 };

static uint64_t state;
static uint32_t below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* Now and then an odd one; `odd` of 0: never. */
static float number(uint32_t odd) {
    static const float all[] = {NAN,     INFINITY, -INFINITY, 0,    -0.0f, 1e-42f, -1e-42f,
                                FLT_MAX, -FLT_MAX, FLT_MIN,   0.5f, -2.5f, 88.8f,  -104};
    if (odd && below(odd) == 0) return all[below(sizeof all / sizeof *all)];
    return (float)((double)below(80001) / 10000 - 4);
}

/* ---- What ONNX says, element by element ------------------------------------------------------------------------ */

static double unit_part(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double least_of(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }
static double most_of(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b ? a : b; }
static double rounded(double x) { return x - floor(x) == 0.5 ? 2 * floor((x + 0.5) / 2) : floor(x + 0.5); }
static double within(double x, double low, double high) { return isnan(x) ? x : fmin(fmax(x, low), high); }

typedef struct attributes {
    double alpha, beta, low, high;
} attributes;

static double said(vt_gop op, const attributes *at, double a, double b) {
    switch ((int)op) {
    case VT_G_RELU: return most_of(a, 0);
    case VT_G_LEAKY_RELU: return a < 0 ? at->alpha * a : a;
    case VT_G_CLIP: return within(a, at->low, at->high);
    case VT_G_SIGMOID: return 1 / (1 + exp(-a));
    case VT_G_HARD_SIGMOID: return unit_part(at->alpha * a + at->beta);
    case VT_G_HARD_SWISH: return a * unit_part(a / 6 + 0.5);
    case VT_G_ELU: return a < 0 ? at->alpha * (exp(a) - 1) : a;
    case VT_G_SOFTPLUS: return a > 0 ? a + log1p(exp(-a)) : log1p(exp(a));
    case VT_G_TANH: return tanh(a);
    case VT_G_ERF: return erf(a);
    case VT_G_EXP: return exp(a);
    case VT_G_LOG: return log(a);
    case VT_G_SQRT: return sqrt(a);
    case VT_G_RECIPROCAL: return 1 / a;
    case VT_G_FLOOR: return floor(a);
    case VT_G_CEIL: return ceil(a);
    case VT_G_ROUND: return isfinite(a) && fabs(a) < 0x1p40 ? rounded(a) : a;
    case VT_G_ABS: return fabs(a);
    case VT_G_NEG: return -a;
    case VT_G_IDENTITY: return a;
    case VT_G_ADD: return a + b;
    case VT_G_SUB: return a - b;
    case VT_G_MUL: return a * b;
    case VT_G_DIV: return a / b;
    case VT_G_MIN: return least_of(a, b);
    case VT_G_MAX: return most_of(a, b);
    case VT_G_POW: return pow(a, b);
    case VT_G_P_RELU: return a < 0 ? a * b : a;
    case VT_G_EQUAL: return a == b;
    case VT_G_LESS: return a < b;
    case VT_G_LESS_OR_EQUAL: return a <= b;
    case VT_G_GREATER: return a > b;
    case VT_G_GREATER_OR_EQUAL: return a >= b;
    default: return 0;
    }
}

/* ---- One node, evaluated and compiled -------------------------------------------------------------------------- */

static const char *text; /* of the graph: for messages */
static uint32_t compiled;

static size_t elements(const vt_gvalue *v) { return (size_t)vt_gtype_count(&v->type); }

typedef struct run {
    vt_gvalue *y;
    void *data[4]; /* of the graph's inputs */
    void *want, *got;
} run;

static void evaluate(world *w, run *r) {
    vt_eval *e;
    assert_int_equal(vt_eval_open(w->g, NULL, NULL, w->diag, &e), VTA_OK);
    for (uint32_t i = 0; i < w->g->inputs.count; i++) vt_eval_input(e, i, r->data[i]);
    if (vt_eval_run(e, w->diag) != VTA_OK) fail_msg("%s%s", text, vta_diag_text(w->diag));
    memcpy(r->want, vt_eval_value(e, r->y), vt_gtype_bytes(&r->y->type));
    vt_eval_close(e);
}

static void execute(world *w, run *r) {
    static const vt_quant_options usual = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = -1};
    static const vt_network_options on_host = {.processor_only = true};
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    for (uint32_t i = 0; i < w->g->values.count; i++) vt_ranges_set(ranges, w->g->values.item[i], 127);
    const vt_qnet *net = vt_quantize(w->g, ranges, &usual);
    if (net->layer_count > 1) { /* integers are between: what is evaluated is they */
        assert_int_equal(vt_qeval_run(net, (const void *const *)r->data, &r->want, NULL, NULL, w->diag), VTA_OK);
    }
    vta_config *config = vta_config_default();
    uint8_t *bytes = NULL;
    size_t size;
    vta_model *model;
    vta_instance *instance;
    if (vt_network_compile(net, config, &on_host, NULL, w->diag, &bytes, &size, NULL) != VTA_OK)
        fail_msg("%s%s", text, vta_diag_text(w->diag));
    assert_int_equal(vta_model_parse(bytes, size, "m", NULL, w->diag, &model), VTA_OK);
    assert_int_equal(vta_instance_create(model, NULL, w->diag, &instance), VTA_OK);
    for (uint32_t i = 0; i < w->g->inputs.count; i++)
        assert_int_equal(
            vta_instance_set_input(instance, i, r->data[i], vt_gtype_bytes(&w->g->inputs.item[i]->type), w->diag),
            VTA_OK);
    if (vta_instance_run(instance, w->diag) != VTA_OK) fail_msg("%s%s", text, vta_diag_text(w->diag));
    assert_int_equal(vta_instance_get_output(instance, 0, r->got, vt_gtype_bytes(&r->y->type), w->diag), VTA_OK);
    vta_instance_destroy(instance);
    vta_model_release(model);
    vta_string_free((char *)bytes);
    vta_config_release(config);
    compiled++;
}

/* The same bits; of what is not a number none. */
static void compare(const run *r) {
    size_t bytes = vt_element_bytes(r->y->type.element);
    bool is_float = r->y->type.element == VT_ELEMENT_F32;
    for (size_t i = 0; i < elements(r->y); i++) {
        const char *a = (const char *)r->got + i * bytes, *b = (const char *)r->want + i * bytes;
        float x = 0, y = 0;
        if (is_float) memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y);
        if (!memcmp(a, b, bytes) || (isnan(x) && isnan(y))) continue;
        vt_gvalue got = {.type = r->y->type, .data = r->got}, want = {.type = r->y->type, .data = r->want};
        fail_msg("%selement %zu: %.9g compiled, %.9g evaluated", text, i, vt_gelement_at(&got, i),
                 vt_gelement_at(&want, i));
    }
}

static void finish(world *w, run *r, vt_gvalue *y) {
    r->y = y;
    vt_graph_output(w->g, y, "y");
    text = vt_graph_text(w->g);
    r->want = vt_new_bytes(&w->ctx, vt_gtype_bytes(&y->type) + 1);
    r->got = vt_new_bytes(&w->ctx, vt_gtype_bytes(&y->type) + 1);
    evaluate(w, r);
    execute(w, r);
    compare(r);
}

static vt_gvalue *input(world *w, run *r, vt_gtype t, uint32_t odd) {
    uint32_t index = w->g->inputs.count;
    vt_gvalue *v = vt_graph_input(w->g, (const char *[]){"a", "b", "c", "d"}[index], t);
    r->data[index] = vt_new_bytes(&w->ctx, vt_gtype_bytes(&t) + 1);
    for (size_t i = 0; i < elements(v); i++) {
        char *at = (char *)r->data[index] + i * vt_element_bytes(t.element);
        if (t.element == VT_ELEMENT_F32)
            *(float *)(void *)at = number(odd);
        else
            memset(at, t.element == VT_ELEMENT_BOOL ? (int)below(2) : (int)below(256), vt_element_bytes(t.element));
    }
    return v;
}

static void near(const run *r, size_t i, double want, double bound) {
    double got = vt_gelement_at(&(vt_gvalue){.type = r->y->type, .data = r->want}, i);
    float single = (float)want; /* may become infinite */
    if (isnan(want) ? isnan(got) : got == (double)single || fabs(got - want) <= bound) return;
    fail_msg("%selement %zu: %.9g, and ONNX says %.9g", text, i, got, want);
}

/* ---- Elements -------------------------------------------------------------------------------------------------- */

static vt_gop op;

static vt_gtype shape(void) { return TYPE(F32, 1 + below(3), 1 + below(5), 1 + below(20)); }

/* The shape of an operand that broadcasts. */
static vt_gtype part_of(vt_gtype t) {
    for (uint32_t i = 0; i < t.rank; i++)
        if (below(3) == 0) t.dim[i] = 1;
    return t;
}

static bool has(vt_gop of, vt_gattr_name name) {
    vt_gattr all[VT_MAX_ATTRIBUTES];
    for (uint32_t i = 0, n = vt_gop_attributes(of, all); i < n; i++)
        if (all[i].name == name) return true;
    return false;
}

static void by_element(world *w) {
    run r = {NULL};
    const vt_gop_info *info = vt_gop_get(op);
    vt_gtype t = shape();
    attributes at = {number(0), number(0), number(9), number(9)};
    vt_gattr list[2];
    uint32_t count = 0;
    if (isnan(at.low)) at.low = -INFINITY;
    if (isnan(at.high)) at.high = INFINITY;
    if (has(op, VT_A_ALPHA)) list[count++] = (vt_gattr)VT_GSET_FLOAT(ALPHA, at.alpha);
    if (has(op, VT_A_BETA)) list[count++] = (vt_gattr)VT_GSET_FLOAT(BETA, at.beta);
    if (has(op, VT_A_MIN)) list[count++] = (vt_gattr)VT_GSET_FLOAT(MIN, at.low);
    if (has(op, VT_A_MAX)) list[count++] = (vt_gattr)VT_GSET_FLOAT(MAX, at.high);
    vt_gvalue *a = input(w, &r, t, 3), *b = info->most > 1 ? input(w, &r, part_of(t), 3) : NULL;
    finish(w, &r, vt_graph_apply(w->g, op, "y", a, b, count, list));
    for (size_t i = 0; i < elements(r.y); i++) {
        size_t k = i % (size_t)t.dim[2], j = i / (size_t)t.dim[2] % (size_t)t.dim[1],
               n = i / (size_t)(t.dim[1] * t.dim[2]);
        float x = ((const float *)r.data[0])[i], z = 0;
        if (b) {
            const int64_t *d = b->type.dim;
            z = ((const float *)r.data[1])[((d[0] > 1 ? n : 0) * (size_t)d[1] + (d[1] > 1 ? j : 0)) * (size_t)d[2] +
                                           (d[2] > 1 ? k : 0)];
        }
        double want = said(op, &at, (double)x, (double)z);
        /* a few units in the last place of the result, or of what is subtracted on the way */
        double size = op == VT_G_ELU || op == VT_G_HARD_SIGMOID ? fabs(at.alpha)
                      : op == VT_G_HARD_SWISH                   ? fabs((double)x)
                                                                : 0;
        if (op == VT_G_HARD_SIGMOID) size = size * fabs((double)x) + 1;
        near(&r, i, want, 4e-7 * fmax(fabs(want), isfinite(size) ? size : 0) + 1e-44);
    }
}

static void elements_of_floats(void **unused) {
    static const vt_gop all[] = {VT_G_RELU,          VT_G_LEAKY_RELU,   VT_G_CLIP,
                                 VT_G_SIGMOID,       VT_G_HARD_SIGMOID, VT_G_HARD_SWISH,
                                 VT_G_ELU,           VT_G_SOFTPLUS,     VT_G_TANH,
                                 VT_G_ERF,           VT_G_EXP,          VT_G_LOG,
                                 VT_G_SQRT,          VT_G_RECIPROCAL,   VT_G_FLOOR,
                                 VT_G_CEIL,          VT_G_ROUND,        VT_G_ABS,
                                 VT_G_NEG,           VT_G_IDENTITY,     VT_G_ADD,
                                 VT_G_SUB,           VT_G_MUL,          VT_G_DIV,
                                 VT_G_MIN,           VT_G_MAX,          VT_G_POW,
                                 VT_G_P_RELU,        VT_G_EQUAL,        VT_G_LESS,
                                 VT_G_LESS_OR_EQUAL, VT_G_GREATER,      VT_G_GREATER_OR_EQUAL};
    (void)unused;
    for (uint32_t i = 0; i < sizeof all / sizeof *all * ROUNDS; i++) {
        state = i + 1;
        op = all[i / ROUNDS];
        in_a_world(by_element);
    }
}

/* ---- Casts, choices -------------------------------------------------------------------------------------------- */

static vt_element element;

static void to_type(world *w) {
    run r = {NULL};
    vt_gvalue *a = input(w, &r, shape(), 2);
    for (size_t i = 0; i < elements(a); i++)
        if (below(2)) ((float *)r.data[0])[i] *= (float)ldexp(1, (int)below(36));
    finish(w, &r, vt_graph_apply(w->g, VT_G_CAST, "y", a, NULL, ATTRIBUTES(VT_GSET_INT(TO, element))));
    for (size_t i = 0; i < elements(r.y); i++) {
        double x = (double)((const float *)r.data[0])[i], low = vt_element_least(element);
        if (element == VT_ELEMENT_BOOL)
            near(&r, i, x != 0, 0);
        else if (element != VT_ELEMENT_F32)
            near(&r, i, isnan(x) ? 0 : fmin(fmax(trunc(x), low), vt_element_max(element)), 0.5);
    }
}

static void choice(world *w) {
    run r = {NULL};
    vt_gtype t = shape(), c = part_of(t);
    c.element = VT_ELEMENT_BOOL;
    vt_gvalue *in[] = {input(w, &r, c, 0), input(w, &r, t, 3), input(w, &r, part_of(t), 3)};
    vt_gnode_spec spec = {VT_G_WHERE, "y", NULL, 3, 0, in, NULL};
    finish(w, &r, vt_graph_add(w->g, &spec)->outputs[0]);
}

static void casts_and_choices(void **unused) {
    static const vt_element to[] = {VT_ELEMENT_I8, VT_ELEMENT_U8, VT_ELEMENT_I16, VT_ELEMENT_I32, VT_ELEMENT_BOOL};
    (void)unused;
    for (uint32_t i = 0; i < sizeof to / sizeof *to * ROUNDS; i++) {
        state = i + 1;
        element = to[i / ROUNDS];
        in_a_world(to_type);
        in_a_world(choice);
    }
}

/* ---- Reductions, Softmax --------------------------------------------------------------------------------------- */

static void reduction(world *w) {
    run r = {NULL};
    vt_gtype t = shape();
    bool over[3] = {below(2), below(2), below(2)};
    int64_t axes[3];
    uint32_t count = 0;
    if (!over[0] && !over[1]) over[2] = true;
    for (int i = 0; i < 3; i++)
        if (over[i]) axes[count++] = i;
    vt_gvalue *a = input(w, &r, t, 1 + below(12));
    const vt_gattr list[] = {VT_GSET_INTS(AXES, count, axes), VT_GSET_INT(KEEPDIMS, 1)};
    finish(w, &r, vt_graph_apply(w->g, op, "y", a, NULL, 2, list));
    const int64_t *d = r.y->type.dim;
    for (size_t o = 0; o < elements(r.y); o++) {
        double sum = 0, least = INFINITY, most = -INFINITY, size = 0, n = 0;
        for (size_t i = 0; i < elements(a); i++) {
            int64_t at[3] = {(int64_t)i / (t.dim[1] * t.dim[2]), (int64_t)i / t.dim[2] % t.dim[1],
                             (int64_t)i % t.dim[2]};
            for (int k = 0; k < 3; k++) at[k] = over[k] ? 0 : at[k];
            if ((size_t)((at[0] * d[1] + at[1]) * d[2] + at[2]) != o) continue;
            double x = (double)((const float *)r.data[0])[i];
            sum += x, least = least_of(least, x), most = most_of(most, x), size += fabs(x), n++;
        }
        near(&r, o,
             op == VT_G_REDUCE_SUM    ? sum
             : op == VT_G_REDUCE_MEAN ? sum / n
             : op == VT_G_REDUCE_MAX  ? most
                                      : least,
             isfinite(size) ? 1e-7 * size : 0);
    }
}

static void rows(world *w) {
    run r = {NULL};
    vt_gtype t = shape();
    vt_gvalue *a = input(w, &r, t, 1 + below(30));
    finish(w, &r, vt_graph_apply(w->g, op, "y", a, NULL, ATTRIBUTES(VT_GSET_INT(AXIS, 2))));
    for (size_t o = 0; o < elements(a); o += (size_t)t.dim[2]) {
        const float *x = (const float *)r.data[0] + o;
        double sum = 0, most = -INFINITY;
        for (int64_t i = 0; i < t.dim[2]; i++) most = most_of(most, (double)x[i]);
        for (int64_t i = 0; i < t.dim[2]; i++) sum += exp((double)x[i] - most);
        for (int64_t i = 0; i < t.dim[2]; i++) {
            double off = (double)x[i] - most;
            near(&r, o + (size_t)i, op == VT_G_SOFTMAX ? exp(off) / sum : off - log(sum), 1e-6 * fmax(1, fabs(off)));
        }
    }
}

static void reductions(void **unused) {
    static const vt_gop all[] = {VT_G_REDUCE_SUM, VT_G_REDUCE_MEAN, VT_G_REDUCE_MAX, VT_G_REDUCE_MIN};
    (void)unused;
    for (uint32_t i = 0; i < 4 * 2 * ROUNDS; i++) {
        state = i + 1;
        op = all[i % 4];
        in_a_world(reduction);
        op = i % 2 ? VT_G_SOFTMAX : VT_G_LOG_SOFTMAX;
        in_a_world(rows);
    }
}

/* ---- Sums of products ------------------------------------------------------------------------------------------ */

static void convolution(world *w) {
    run r = {NULL};
    bool transposed = op == VT_G_CONV_TRANSPOSE, bias = below(2);
    int64_t group = 1 + below(3), in = group * (1 + below(3)), out = group * (1 + below(6)),
            k[2] = {1 + below(3), 1 + below(3)};
    int64_t s[2] = {1 + below(2), 1 + below(3)}, d[2] = {1 + below(2), 1}, pads[4];
    for (int i = 0; i < 4; i++) pads[i] = below(2) && k[i % 2] > 1;
    vt_gtype t = TYPE(F32, 1 + below(2), in, 5 + below(4), 4 + below(4));
    vt_gtype v = transposed ? TYPE(F32, in, out / group, k[0], k[1]) : TYPE(F32, out, in / group, k[0], k[1]);
    uint32_t odd = below(2) ? 0 : 40;
    vt_gvalue *list[] = {input(w, &r, t, odd), input(w, &r, v, odd), bias ? input(w, &r, TYPE(F32, out), odd) : NULL};
    vt_gattr attributes_[5] = {VT_GSET_INTS(STRIDES, 2, s), VT_GSET_INTS(PADS, 4, pads), VT_GSET_INTS(DILATIONS, 2, d),
                               VT_GSET_INT(GROUP, group), INTS(OUTPUT_PADS, 0, 0)};
    vt_gnode_spec spec = {op, "y", NULL, bias ? 3 : 2, transposed ? 5 : 4, list, attributes_};
    finish(w, &r, vt_graph_add(w->g, &spec)->outputs[0]);
    const float *x = r.data[0], *f = r.data[1];
    const int64_t *y = r.y->type.dim;
    for (size_t i = 0; i < elements(r.y); i++) {
        int64_t p = (int64_t)i % y[3], q = (int64_t)i / y[3] % y[2], o = (int64_t)i / y[3] / y[2] % y[1],
                n = (int64_t)i / y[3] / y[2] / y[1];
        double sum = 0, size = 0;
        for (int64_t c = 0; c < in / group; c++)
            for (int64_t tap = 0; tap < k[0] * k[1]; tap++) {
                int64_t dy = tap / k[1] * d[0], dx = tap % k[1] * d[1], from = o / (out / group) * (in / group) + c;
                int64_t row = transposed ? q + pads[0] - dy : q * s[0] + dy - pads[0];
                int64_t column = transposed ? p + pads[1] - dx : p * s[1] + dx - pads[1];
                if (transposed && (row % s[0] || column % s[1])) continue;
                if (transposed) row /= s[0], column /= s[1];
                bool inside = row >= 0 && row < t.dim[2] && column >= 0 && column < t.dim[3];
                if (transposed && !inside) continue;
                double a = inside ? (double)x[((n * in + from) * t.dim[2] + row) * t.dim[3] + column] : 0;
                double b = (double)(transposed ? f[(from * (out / group) + o % (out / group)) * k[0] * k[1] + tap]
                                               : f[(o * (in / group) + c) * k[0] * k[1] + tap]);
                /* sums of float32 may overflow on the way, and sums of float64 not */
                sum = fabs(a * b) > FLT_MAX || fabs(sum + a * b) > FLT_MAX ? (double)((float)sum + (float)(a * b))
                                                                           : sum + a * b;
                size += fabs(a * b);
            }
        if (bias) sum += (double)((const float *)r.data[2])[o];
        near(&r, i, sum, isfinite(size) ? 1e-5 * (1 + size) : 0);
    }
}

static void matrices(world *w) {
    run r = {NULL};
    int64_t m = 1 + below(5), k = 1 + below(20), n = 1 + below(20);
    bool turned = op == VT_G_GEMM && below(2), bias = op == VT_G_GEMM && below(2);
    vt_gtype b = turned ? TYPE(F32, n, k) : TYPE(F32, k, n);
    vt_gvalue *in[] = {input(w, &r, TYPE(F32, m, k), 60), input(w, &r, b, 60),
                       bias ? input(w, &r, TYPE(F32, n), 9) : NULL};
    const vt_gattr list[] = {VT_GSET_INT(TRANS_B, turned)};
    vt_gnode_spec spec = {op, "y", NULL, bias ? 3 : 2, op == VT_G_GEMM, in, list};
    finish(w, &r, vt_graph_add(w->g, &spec)->outputs[0]);
    for (size_t i = 0; i < elements(r.y); i++) {
        size_t row = i / (size_t)n, column = i % (size_t)n;
        float sum = 0, size = 0;
        for (size_t j = 0; j < (size_t)k; j++) {
            float by = ((const float *)r.data[1])[turned ? column * (size_t)k + j : j * (size_t)n + column];
            float x = ((const float *)r.data[0])[row * (size_t)k + j];
            sum += x * by, size += fabsf(x * by);
        }
        if (bias) sum += ((const float *)r.data[2])[column];
        near(&r, i, (double)sum, isfinite(size) ? 1e-5 * (double)(1 + size) : 0);
    }
}

static void products(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < 8 * ROUNDS; i++) {
        state = i + 1;
        op = i % 2 ? VT_G_CONV : VT_G_CONV_TRANSPOSE;
        in_a_world(convolution);
        op = i % 2 ? VT_G_GEMM : VT_G_MAT_MUL;
        in_a_world(matrices);
    }
}

/* ---- Windows, moves: compiled as evaluated --------------------------------------------------------------------- */

static void average(world *w) {
    run r = {NULL};
    int64_t k[2] = {1 + below(3), 1 + below(3)}, pads[4];
    for (int i = 0; i < 4; i++) pads[i] = below(2) && k[i % 2] > 1;
    vt_gvalue *a = input(w, &r, TYPE(F32, 1, 2, 6, 7), 9);
    const vt_gattr list[] = {VT_GSET_INTS(KERNEL, 2, k), INTS(STRIDES, 1 + below(2), 1 + below(2)),
                             VT_GSET_INTS(PADS, 4, pads), INTS(DILATIONS, 1, 1), VT_GSET_INT(COUNT_PADS, below(2))};
    finish(w, &r, vt_graph_apply(w->g, VT_G_AVERAGE_POOL, "y", a, NULL, 5, list));
}

static void moved(world *w) {
    run r = {NULL};
    vt_gvalue *a = input(w, &r, TYPE(F32, 1, 4, 4, 6), 3), *b;
    switch (below(8)) {
    case 0:
        finish(w, &r, vt_graph_apply(w->g, VT_G_TRANSPOSE, "y", a, NULL, ATTRIBUTES(INTS(PERM, 0, 2, 3, 1))));
        break;
    case 1:
        finish(w, &r,
               vt_graph_apply(w->g, VT_G_PAD, "y", a, NULL,
                              ATTRIBUTES(INTS(PADS, 0, 1, 1, 2, 0, 1, 2, 0),
                                         VT_GSET_INT(PADDING, VT_PADDING_CONSTANT + below(3)),
                                         VT_GSET_FLOAT(VALUE, below(2) ? -INFINITY : 1.5))));
        break;
    case 2:
        finish(w, &r,
               vt_graph_apply(w->g, VT_G_SLICE, "y", a, NULL,
                              ATTRIBUTES(INTS(STARTS, 0, 3, 1, 0), INTS(STEPS, 1, -2, 1, 2), INTS(SHAPE, 1, 2, 3, 3))));
        break;
    case 3:
        b = input(w, &r, TYPE(F32, 1, 2, 4, 6), 3);
        finish(w, &r, vt_graph_apply(w->g, VT_G_CONCAT, "y", a, b, ATTRIBUTES(VT_GSET_INT(AXIS, 1))));
        break;
    case 4:
        finish(w, &r, vt_graph_apply(w->g, VT_G_DEPTH_TO_SPACE, "y", a, NULL, ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, 2))));
        break;
    case 5:
        finish(w, &r, vt_graph_apply(w->g, VT_G_SPACE_TO_DEPTH, "y", a, NULL, ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, 2))));
        break;
    default:
        finish(w, &r,
               vt_graph_apply(w->g, VT_G_RESIZE, "y", a, NULL,
                              ATTRIBUTES(VT_GSET_INT(SAMPLING, below(2) ? VT_SAMPLING_LINEAR : VT_SAMPLING_NEAREST),
                                         VT_GSET_INT(COORDINATES, VT_COORDINATES_HALF_PIXEL),
                                         FLOATS(SCALES, 1, 1, 1.5, 2), INTS(SHAPE, 1, 4, 6, 12))));
    }
}

/* One to forty operands along any axis. */
static void joined(world *w) {
    run r = {NULL};
    vt_gvalue *in[40];
    uint32_t count = 1 + below(40);
    int64_t axis = below(3);
    in[0] = input(w, &r, TYPE(F32, 2, 3, 4), 3), in[1] = input(w, &r, TYPE(F32, 2, 3, 4), 3);
    for (uint32_t i = 2; i < count; i++) in[i] = in[below(2)];
    vt_gnode_spec spec = {VT_G_CONCAT, "y", NULL, count, 1, in, (vt_gattr[]){VT_GSET_INT(AXIS, axis)}};
    finish(w, &r, vt_graph_add(w->g, &spec)->outputs[0]);
}

static void expanded(world *w) {
    run r = {NULL};
    vt_gtype t = shape();
    vt_gvalue *a = input(w, &r, part_of(t), 3);
    finish(w, &r,
           vt_graph_apply(w->g, VT_G_EXPAND, "y", a, NULL, ATTRIBUTES(INTS(SHAPE, 2, t.dim[0], t.dim[1], t.dim[2]))));
}

/* To integers and back. */
static void through_integers(world *w) {
    run r = {NULL};
    vt_gvalue *a = input(w, &r, TYPE(F32, 1, 3, 4, 6), 3);
    finish(w, &r,
           vt_graph_apply(
               w->g, VT_G_MAX_POOL, "y", a, NULL,
               ATTRIBUTES(INTS(KERNEL, 1, 1), INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1))));
}

static void windows_and_moves(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < 6 * ROUNDS; i++) {
        state = i + 1;
        in_a_world(average), in_a_world(moved), in_a_world(through_integers), in_a_world(joined);
        in_a_world(expanded);
    }
    print_message("%u nodes compiled\n", compiled);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_of_floats), cmocka_unit_test(casts_and_choices),
                                       cmocka_unit_test(reductions), cmocka_unit_test(products),
                                       cmocka_unit_test(windows_and_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
