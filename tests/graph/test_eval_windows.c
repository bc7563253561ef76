/* Convolutions, pools and matrix products on random shapes, against their definitions. */
#include "sample.h"

/* Input element, or `outside` where the index leaves the image. `at` has the channel; y and x are added. */
static double pixel(const sample *s, int64_t image, int64_t channel, int64_t y, int64_t x, double outside) {
    const vt_gtype *t = in_type(s, 0);
    bool flat_image = t->rank == 3;
    int64_t h = flat_image ? 1 : t->dim[2], w = t->dim[t->rank - 1];
    if (y < 0 || y >= h || x < 0 || x >= w) return outside;
    return flat(s, 0, ((image * t->dim[1] + channel) * h + y) * w + x);
}

/* A window: entry 0 of lists is of rows where there are two axes. */
typedef struct geometry {
    bool two;
    int64_t kh, kw, sh, sw, dh, dw, top, left;
} geometry;

static geometry geometry_of(const sample *s, const int64_t *kernel) {
    bool two = in_type(s, 0)->rank == 4;
    uint32_t w = two;
    geometry g = {
        two, 1, kernel[w], 1, ints(s, VT_A_STRIDES, w), 1, ints(s, VT_A_DILATIONS, w), 0, ints(s, VT_A_PADS, w)};
    if (two)
        g.kh = kernel[0], g.sh = ints(s, VT_A_STRIDES, 0), g.dh = ints(s, VT_A_DILATIONS, 0),
        g.top = ints(s, VT_A_PADS, 0);
    return g;
}

static int64_t row_at(const geometry *g, const int64_t *at) { return g->two ? at[2] : 0; }
static int64_t column_at(const geometry *g, const int64_t *at) { return g->two ? at[3] : at[2]; }

/* The sum over a window of (x - zx) * (w - zw); weights are that input. */
static double window_sum(const sample *s, const int64_t *at, uint32_t weights, double zx, double zw) {
    const vt_gtype *t = in_type(s, weights);
    geometry g = geometry_of(s, &t->dim[2]);
    int64_t groups = vt_gattr_int(s->n, VT_A_GROUP), in = t->dim[1], group = at[1] / (t->dim[0] / groups);
    double sum = 0;
    for (int64_t c = 0; c < in; c++)
        for (int64_t ky = 0; ky < g.kh; ky++)
            for (int64_t kx = 0; kx < g.kw; kx++) {
                double x = pixel(s, at[0], group * in + c, row_at(&g, at) * g.sh - g.top + ky * g.dh,
                                 column_at(&g, at) * g.sw - g.left + kx * g.dw, zx);
                sum += (x - zx) * (flat(s, weights, ((at[1] * in + c) * g.kh + ky) * g.kw + kx) - zw);
            }
    return sum;
}

static double conv(const sample *s, const int64_t *at) {
    return window_sum(s, at, 1, 0, 0) + (s->inputs > 2 ? flat(s, 2, at[1]) : 0);
}

static double parameter(const sample *s, uint32_t i, int64_t channel) {
    if (i >= s->n->input_count || !s->n->inputs[i]) return 0;
    return flat(s, i, vt_gtype_count(in_type(s, i)) > 1 ? channel : 0);
}

static double conv_integer(const sample *s, const int64_t *at) {
    return window_sum(s, at, 1, parameter(s, 2, 0), parameter(s, 3, at[1]));
}

/* To the nearest, even of two. */
static double saturate(double x, double zero, vt_element e) {
    x = nearbyint(x) + zero;
    return fmin(fmax(x, vt_element_least(e)), vt_element_max(e));
}

static double qlinear_conv(const sample *s, const int64_t *at) {
    double sum = window_sum(s, at, 3, parameter(s, 2, 0), parameter(s, 5, at[1])) + parameter(s, 8, at[1]);
    float scale = (float)parameter(s, 1, 0) * (float)parameter(s, 4, at[1]) / (float)parameter(s, 6, 0);
    return saturate((double)((float)sum * scale), parameter(s, 7, 0), out_type(s)->element);
}

/* Every input element that reaches this output. */
static double conv_transpose(const sample *s, const int64_t *at) {
    const vt_gtype *x = in_type(s, 0), *w = in_type(s, 1);
    geometry g = geometry_of(s, &w->dim[2]);
    int64_t groups = vt_gattr_int(s->n, VT_A_GROUP), outs = w->dim[1], ins = x->dim[1] / groups, group = at[1] / outs;
    double sum = s->inputs > 2 ? flat(s, 2, at[1]) : 0;
    for (int64_t c = 0; c < ins; c++)
        for (int64_t ky = 0; ky < g.kh; ky++)
            for (int64_t kx = 0; kx < g.kw; kx++) {
                int64_t y = row_at(&g, at) + g.top - ky * g.dh, i = column_at(&g, at) + g.left - kx * g.dw;
                if (y % g.sh || i % g.sw) continue;
                sum += pixel(s, at[0], group * ins + c, y / g.sh, i / g.sw, 0) *
                       flat(s, 1, (((group * ins + c) * outs + at[1] % outs) * g.kh + ky) * g.kw + kx);
            }
    return sum;
}

static double pool(const sample *s, const int64_t *at) {
    geometry g = geometry_of(s, vt_gattr_ints(s->n, VT_A_KERNEL));
    bool is_max = s->n->op == VT_G_MAX_POOL;
    double most = vt_element_least(in_type(s, 0)->element), sum = 0, count = 0;
    for (int64_t ky = 0; ky < g.kh; ky++)
        for (int64_t kx = 0; kx < g.kw; kx++) {
            double x = pixel(s, at[0], at[1], row_at(&g, at) * g.sh - g.top + ky * g.dh,
                             column_at(&g, at) * g.sw - g.left + kx * g.dw, NAN);
            if (isnan(x)) continue;
            most = fmax(most, x);
            sum += x;
            count++;
        }
    if (!is_max && vt_gattr_int(s->n, VT_A_COUNT_PADS)) count = (double)(g.kh * g.kw);
    return is_max ? most : count ? sum / count : 0;
}

/* ---- Random windows ---- */

typedef struct lists {
    uint32_t spatial;
    int64_t kernel[2], strides[2], dilations[2], pads[4];
} lists;

/* A kernel that fits into images of these extents with its padding. */
static lists random_lists(uint32_t spatial, const int64_t *image) {
    lists l = {.spatial = spatial};
    for (uint32_t i = 0; i < spatial; i++) {
        do {
            l.kernel[i] = pick(1, 4), l.strides[i] = pick(1, 3), l.dilations[i] = pick(1, 2);
            l.pads[i] = pick(0, l.kernel[i] - 1), l.pads[spatial + i] = pick(0, l.kernel[i] - 1);
        } while (image[i] + l.pads[i] + l.pads[spatial + i] < (l.kernel[i] - 1) * l.dilations[i] + 1);
    }
    return l;
}
#define LISTS(l)                                                                                                       \
    VT_GSET_INTS(STRIDES, (l).spatial, (l).strides), VT_GSET_INTS(DILATIONS, (l).spatial, (l).dilations),              \
        VT_GSET_INTS(PADS, 2 * (l).spatial, (l).pads)

static vt_gtype random_image(vt_element e, int64_t channels) {
    vt_gtype t = {e, (uint32_t)pick(3, 4), {pick(1, 2), channels, pick(1, 9), pick(1, 9)}};
    if (t.rank == 3) t.dim[3] = 0;
    return t;
}

static vt_gtype weights_type(vt_element e, int64_t a, int64_t b, const lists *l) {
    vt_gtype t = {e, 2 + l->spatial, {a, b, l->kernel[0], l->spatial > 1 ? l->kernel[1] : 0}};
    return t;
}
#define VECTOR(e, n) ((vt_gtype){VT_ELEMENT_##e, 1, {n}})

static void random_conv(world *w) {
    sample s = {w};
    int64_t group = pick(1, 3), in = pick(1, 3), out = pick(1, 9);
    vt_gtype x = random_image(VT_ELEMENT_F32, group * in);
    lists l = random_lists(x.rank - 2, &x.dim[2]);
    add_input(&s, x);
    add_input(&s, weights_type(VT_ELEMENT_F32, group * out, in, &l));
    if (pick(0, 1)) add_input(&s, VECTOR(F32, group * out));
    check_sample(&s, VT_G_CONV, ATTRIBUTES(LISTS(l), VT_GSET_INT(GROUP, group)), conv);
}

/* Deep and wide: more than one block of every loop of the matrix product. */
static void large_conv(world *w) {
    sample s = {w};
    vt_gtype x = {VT_ELEMENT_F32, 4, {1, 40, 7, 9}};
    lists l = {2, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
    add_input(&s, x);
    add_input(&s, weights_type(VT_ELEMENT_F32, 21, 40, &l));
    check_sample(&s, VT_G_CONV, ATTRIBUTES(LISTS(l)), conv);
}

static void random_conv_transpose(world *w) {
    sample s = {w};
    int64_t group = pick(1, 2), in = pick(1, 3), out = pick(1, 3), more[2];
    vt_gtype x = random_image(VT_ELEMENT_F32, group * in);
    lists l = random_lists(x.rank - 2, &x.dim[2]);
    for (uint32_t i = 0; i < l.spatial; i++) {
        more[i] = pick(0, (l.strides[i] > l.dilations[i] ? l.strides[i] : l.dilations[i]) - 1);
        int64_t full = l.strides[i] * (x.dim[2 + i] - 1) + more[i] + (l.kernel[i] - 1) * l.dilations[i] + 1;
        while (l.pads[i] + l.pads[l.spatial + i] >= full) l.pads[i] /= 2, l.pads[l.spatial + i] /= 2;
    }
    add_input(&s, x);
    add_input(&s, weights_type(VT_ELEMENT_F32, group * in, out, &l));
    if (pick(0, 1)) add_input(&s, VECTOR(F32, group * out));
    check_sample(&s, VT_G_CONV_TRANSPOSE,
                 ATTRIBUTES(LISTS(l), VT_GSET_INT(GROUP, group), VT_GSET_INTS(OUTPUT_PADS, l.spatial, more)),
                 conv_transpose);
}

static vt_element byte(void) { return pick(0, 1) ? VT_ELEMENT_I8 : VT_ELEMENT_U8; }

static vt_gvalue *scale(sample *s, int64_t count) {
    vt_gvalue *v = add_input(s, count ? VECTOR(F32, count) : SCALAR(F32));
    for (int64_t i = 0; i < (count ? count : 1); i++) ((float *)v->data)[i] = (float)pick_real(0.01, 0.2);
    return v;
}

static void random_conv_integer(world *w) {
    sample s = {w};
    int64_t group = pick(1, 2), in = pick(1, 3), out = pick(1, 5);
    vt_gtype x = random_image(byte(), group * in);
    lists l = random_lists(x.rank - 2, &x.dim[2]);
    vt_element e = byte();
    add_input(&s, x);
    add_input(&s, weights_type(e, group * out, in, &l));
    if (pick(0, 1)) add_input(&s, (vt_gtype){.element = x.element});
    if (s.inputs == 3 && pick(0, 1))
        add_input(&s, pick(0, 1) ? (vt_gtype){e, 1, {group * out}} : (vt_gtype){.element = e});
    check_sample(&s, VT_G_CONV_INTEGER, ATTRIBUTES(LISTS(l), VT_GSET_INT(GROUP, group)), conv_integer);
}

static void random_qlinear_conv(world *w) {
    sample s = {w};
    int64_t group = pick(1, 2), in = pick(1, 3), out = pick(1, 5), many_scales = pick(0, 1) ? group * out : 0;
    vt_gtype x = random_image(byte(), group * in);
    lists l = random_lists(x.rank - 2, &x.dim[2]);
    vt_element e = byte();
    add_input(&s, x);
    scale(&s, 0);
    add_input(&s, (vt_gtype){.element = x.element});
    add_input(&s, weights_type(e, group * out, in, &l));
    scale(&s, many_scales);
    add_input(&s, many_scales ? (vt_gtype){e, 1, {many_scales}} : (vt_gtype){.element = e});
    scale(&s, 0);
    add_input(&s, (vt_gtype){.element = byte()});
    if (pick(0, 1)) add_input(&s, VECTOR(I32, group * out));
    check_sample(&s, VT_G_QLINEAR_CONV, ATTRIBUTES(LISTS(l), VT_GSET_INT(GROUP, group)), qlinear_conv);
}

static void random_pool(world *w) {
    sample s = {w};
    bool is_max = pick(0, 1);
    vt_element elements[] = {VT_ELEMENT_F32, VT_ELEMENT_I8, VT_ELEMENT_U8, VT_ELEMENT_I32};
    vt_gtype x = random_image(is_max ? elements[pick(0, 3)] : VT_ELEMENT_F32, pick(1, 3));
    lists l = random_lists(x.rank - 2, &x.dim[2]);
    vt_gattr set[] = {LISTS(l), VT_GSET_INTS(KERNEL, l.spatial, l.kernel), VT_GSET_INT(COUNT_PADS, pick(0, 1))};
    add_input(&s, x);
    check_sample(&s, is_max ? VT_G_MAX_POOL : VT_G_AVERAGE_POOL, is_max ? 4 : 5, set, pool);
}

/* ---- Matrix products ---- */

static double mat_mul(const sample *s, const int64_t *at) {
    bool of_bytes = s->n->op != VT_G_MAT_MUL, is_quantized = s->n->op == VT_G_QLINEAR_MAT_MUL;
    uint32_t second = is_quantized ? 3 : 1, rank = out_type(s)->rank;
    const vt_gtype *a = in_type(s, 0), *b = in_type(s, second);
    bool row = a->rank == 1, column = b->rank == 1;
    int64_t left[VT_MAX_RANK], right[VT_MAX_RANK], i = row ? 0 : at[rank - 1 - !column], j = column ? 0 : at[rank - 1];
    uint32_t batch = rank - !row - !column;
    for (uint32_t k = 0; k + 2 < a->rank; k++) left[k] = a->dim[k] == 1 ? 0 : at[k + batch - (a->rank - 2)];
    for (uint32_t k = 0; k + 2 < b->rank; k++) right[k] = b->dim[k] == 1 ? 0 : at[k + batch - (b->rank - 2)];
    double sum = 0, za = of_bytes ? parameter(s, 2, i) : 0, zb = of_bytes ? parameter(s, is_quantized ? 5 : 3, j) : 0;
    for (int64_t k = 0; k < a->dim[a->rank - 1]; k++) {
        if (!row) left[a->rank - 2] = i;
        left[a->rank - 1] = k;
        if (!column) right[b->rank - 1] = j;
        right[column ? 0 : b->rank - 2] = k;
        sum += (element(s, 0, left) - za) * (element(s, second, right) - zb);
    }
    if (!is_quantized) return sum;
    float by = (float)parameter(s, 1, i) * (float)parameter(s, 4, j) / (float)parameter(s, 6, 0);
    return saturate((double)((float)sum * by), parameter(s, 7, 0), out_type(s)->element);
}

/* Types of two factors: vectors, matrices, and batches of them that broadcast. */
static void factors(vt_element ea, vt_element eb, vt_gtype *a, vt_gtype *b) {
    int64_t batch[] = {pick(1, 3), pick(1, 3)}, m = pick(1, 12), k = pick(1, 9), n = pick(1, 40);
    uint32_t ra = (uint32_t)pick(1, 4), rb = (uint32_t)pick(1, 4);
    *a = (vt_gtype){ea, ra, {0}}, *b = (vt_gtype){eb, rb, {0}};
    for (uint32_t i = 0; i + 2 < ra; i++) a->dim[i] = pick(0, 1) ? 1 : batch[i + 4 - ra];
    for (uint32_t i = 0; i + 2 < rb; i++) b->dim[i] = pick(0, 1) ? 1 : batch[i + 4 - rb];
    if (ra > 1) a->dim[ra - 2] = m;
    a->dim[ra - 1] = k;
    if (rb > 1) b->dim[rb - 1] = n;
    b->dim[rb > 1 ? rb - 2 : 0] = k;
}

static void random_mat_mul(world *w) {
    sample s = {w};
    vt_gtype a, b;
    factors(VT_ELEMENT_F32, VT_ELEMENT_F32, &a, &b);
    add_input(&s, a);
    add_input(&s, b);
    check_sample(&s, VT_G_MAT_MUL, 0, NULL, mat_mul);
}

static int64_t rows(const vt_gtype *a) { return a->rank > 1 ? a->dim[a->rank - 2] : 1; }
static int64_t columns(const vt_gtype *b) { return b->rank > 1 ? b->dim[b->rank - 1] : 1; }
static vt_gtype one_or(vt_element e, int64_t many_of) {
    return pick(0, 1) ? (vt_gtype){.element = e} : (vt_gtype){e, 1, {many_of}};
}

static void random_mat_mul_integer(world *w) {
    sample s = {w};
    vt_gtype a, b;
    factors(byte(), byte(), &a, &b);
    add_input(&s, a);
    add_input(&s, b);
    if (pick(0, 2)) add_input(&s, one_or(a.element, rows(&a)));
    if (s.inputs == 3 && pick(0, 2)) add_input(&s, one_or(b.element, columns(&b)));
    check_sample(&s, VT_G_MAT_MUL_INTEGER, 0, NULL, mat_mul);
}

static void random_qlinear_mat_mul(world *w) {
    sample s = {w};
    vt_gtype a, b;
    factors(byte(), byte(), &a, &b);
    add_input(&s, a);
    scale(&s, pick(0, 1) ? rows(&a) : 0);
    add_input(&s, one_or(a.element, rows(&a)));
    add_input(&s, b);
    scale(&s, pick(0, 1) ? columns(&b) : 0);
    add_input(&s, one_or(b.element, columns(&b)));
    scale(&s, 0);
    add_input(&s, (vt_gtype){.element = byte()});
    check_sample(&s, VT_G_QLINEAR_MAT_MUL, 0, NULL, mat_mul);
}

static double gemm(const sample *s, const int64_t *at) {
    bool ta = vt_gattr_int(s->n, VT_A_TRANS_A), tb = vt_gattr_int(s->n, VT_A_TRANS_B);
    int64_t depth = in_type(s, 0)->dim[!ta];
    double sum = 0;
    for (int64_t k = 0; k < depth; k++)
        sum += element(s, 0, ta ? (int64_t[]){k, at[0]} : (int64_t[]){at[0], k}) *
               element(s, 1, tb ? (int64_t[]){at[1], k} : (int64_t[]){k, at[1]});
    double c = s->inputs > 2 ? broadcast_element(s, 2, at) : 0;
    return vt_gattr_float(s->n, VT_A_ALPHA) * sum + vt_gattr_float(s->n, VT_A_BETA) * c;
}

static void random_gemm(world *w) {
    sample s = {w};
    int64_t m = pick(1, 12), k = pick(1, 300), n = pick(1, 70), ta = pick(0, 1), tb = pick(0, 1);
    const vt_gtype cs[] = {
        SCALAR(F32), VECTOR(F32, n), VECTOR(F32, 1), {VT_ELEMENT_F32, 2, {m, 1}}, {VT_ELEMENT_F32, 2, {m, n}}};
    add_input(&s, (vt_gtype){VT_ELEMENT_F32, 2, {ta ? k : m, ta ? m : k}});
    add_input(&s, (vt_gtype){VT_ELEMENT_F32, 2, {tb ? n : k, tb ? k : n}});
    if (pick(0, 3)) add_input(&s, cs[pick(0, 4)]);
    double alpha = pick(0, 1) ? 1 : 0.5, beta = pick(0, 1) ? 1 : pick(0, 2);
    check_sample(&s, VT_G_GEMM,
                 ATTRIBUTES(VT_GSET_FLOAT(ALPHA, alpha), VT_GSET_FLOAT(BETA, beta), VT_GSET_INT(TRANS_A, ta),
                            VT_GSET_INT(TRANS_B, tb)),
                 gemm);
}

static double batch_normalization(const sample *s, const int64_t *at) {
    int64_t c = at[1];
    return (element(s, 0, at) - flat(s, 3, c)) / sqrt(flat(s, 4, c) + vt_gattr_float(s->n, VT_A_EPSILON)) *
               flat(s, 1, c) +
           flat(s, 2, c);
}

static void random_batch_normalization(world *w) {
    sample s = {w};
    vt_gtype x = random_type(VT_ELEMENT_F32, (uint32_t)pick(2, 5), 4);
    add_input(&s, x);
    for (int i = 0; i < 4; i++) add_input(&s, VECTOR(F32, x.dim[1]));
    for (int64_t i = 0; i < x.dim[1]; i++) ((float *)s.in[4]->data)[i] = (float)pick_real(0.5, 2);
    check_sample(&s, VT_G_BATCH_NORMALIZATION, ATTRIBUTES(VT_GSET_FLOAT(EPSILON, 0.01)), batch_normalization);
}

#define MANY(name, times)                                                                                              \
    static void test_##name(void **state) { (void)state, many(times, name); }
MANY(random_conv, 300)
MANY(large_conv, 1)
MANY(random_conv_transpose, 200)
MANY(random_conv_integer, 200)
MANY(random_qlinear_conv, 200)
MANY(random_pool, 300)
MANY(random_mat_mul, 200)
MANY(random_mat_mul_integer, 200)
MANY(random_qlinear_mat_mul, 200)
MANY(random_gemm, 100)
MANY(random_batch_normalization, 50)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_conv),
        cmocka_unit_test(test_large_conv),
        cmocka_unit_test(test_random_conv_transpose),
        cmocka_unit_test(test_random_conv_integer),
        cmocka_unit_test(test_random_qlinear_conv),
        cmocka_unit_test(test_random_pool),
        cmocka_unit_test(test_random_mat_mul),
        cmocka_unit_test(test_random_mat_mul_integer),
        cmocka_unit_test(test_random_qlinear_mat_mul),
        cmocka_unit_test(test_random_gemm),
        cmocka_unit_test(test_random_batch_normalization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
