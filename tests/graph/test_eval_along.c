/* Operators on bits, along an axis, and on rows by their numbers, on random shapes, against their definitions. */
#include "sample.h"

static uint32_t some_rank(void) { return (uint32_t)pick(1, 4); }

/* ---- Angles ---- */

static double angle(const sample *s, const int64_t *at) {
    double x = element(s, 0, at);
    switch ((int)s->n->op) {
    case VT_G_SIN: return sin(x);
    case VT_G_COS: return cos(x);
    case VT_G_TAN: return tan(x);
    case VT_G_ASIN: return asin(x);
    case VT_G_ACOS: return acos(x);
    case VT_G_ATAN: return atan(x);
    case VT_G_SINH: return sinh(x);
    case VT_G_COSH: return cosh(x);
    case VT_G_ASINH: return asinh(x);
    case VT_G_ACOSH: return acosh(x);
    default: return atanh(x);
    }
}

static void random_angles(world *w) {
    for (int op = VT_G_SIN; op <= VT_G_ATANH; op++) {
        sample s = {w};
        add_input(&s, random_type(VT_ELEMENT_F32, some_rank(), 4));
        check_sample(&s, (vt_gop)op, 0, NULL, angle);
    }
}

/* ---- Remainders and bits: values are small enough for int64 ---- */

static double bits(const sample *s, const int64_t *at) {
    int64_t a = (int64_t)broadcast_element(s, 0, at), all = INT64_MAX;
    vt_element e = in_type(s, 0)->element;
    if (vt_element_bytes(e) < 8) all = ((int64_t)1 << (8 * vt_element_bytes(e))) - 1;
    if (s->n->op == VT_G_BITWISE_NOT) return vt_element_least(e) < 0 ? (double)-a - 1 : (double)(all - a);
    int64_t b = (int64_t)broadcast_element(s, 1, at), bit = 8 * (int64_t)vt_element_bytes(e);
    switch ((int)s->n->op) {
    case VT_G_BITWISE_AND: return (double)(a & b);
    case VT_G_BITWISE_OR: return (double)(a | b);
    case VT_G_BITWISE_XOR: return (double)(a ^ b);
    case VT_G_SHIFT_LEFT: return b >= bit ? 0 : (double)((a << b) & all);
    default: return b >= bit ? 0 : (double)(a >> b);
    }
}

static void random_bits(world *w) {
    static const vt_element integers[] = {VT_ELEMENT_U8,  VT_ELEMENT_U16, VT_ELEMENT_U32, VT_ELEMENT_I8,
                                          VT_ELEMENT_I16, VT_ELEMENT_I32, VT_ELEMENT_I64};
    for (int op = VT_G_BITWISE_AND; op <= VT_G_SHIFT_RIGHT; op++) {
        sample s = {w};
        vt_gtype t = random_type(integers[pick(0, op >= VT_G_SHIFT_LEFT ? 2 : 6)], some_rank(), 4);
        add_input(&s, t);
        if (pick(0, 1)) t.dim[0] = 1;
        add_input(&s, t);
        check_sample(&s, (vt_gop)op, 0, NULL, bits);
    }
    sample s = {w};
    add_input(&s, random_type(integers[pick(0, 6)], some_rank(), 4));
    check_sample(&s, VT_G_BITWISE_NOT, 0, NULL, bits);
}

static double remainder_of(const sample *s, const int64_t *at) {
    double a = broadcast_element(s, 0, at), b = broadcast_element(s, 1, at);
    bool real = in_type(s, 0)->element == VT_ELEMENT_F32 || in_type(s, 0)->element == VT_ELEMENT_F64;
    return real || vt_gattr_int(s->n, VT_A_TRUNCATED) ? fmod(a, b) : a - b * floor(a / b);
}

/* Divisors are not 0, and one in four is -1. */
static void random_remainders(world *w) {
    sample s = {w};
    vt_element e = (vt_element)pick(VT_ELEMENT_F32, VT_ELEMENT_U64);
    vt_gvalue *a = add_input(&s, random_type(e, some_rank(), 4)), *b = add_input(&s, a->type);
    char *data = (char *)b->data;
    size_t bytes = vt_element_bytes(e);
    for (int64_t i = 0; i < vt_gtype_count(&b->type); i++) {
        if (vt_gelement_at(b, (size_t)i) != 0 && pick(0, 3)) continue;
        if (e == VT_ELEMENT_F32)
            *(float *)(data + i * 4) = 3;
        else if (e == VT_ELEMENT_F64)
            *(double *)(data + i * 8) = 3;
        else
            memset(data + i * (int64_t)bytes, vt_element_least(e) < 0 ? 255 : 1, bytes);
    }
    if (vt_element_bytes(e) == 8 && vt_element_least(e) == 0) return; /* 257 to the 7th is no small number */
    check_sample(&s, VT_G_MOD, ATTRIBUTES(VT_GSET_INT(TRUNCATED, pick(0, 1))), remainder_of);
}

/* ---- Along an axis ---- */

static double cum_sum(const sample *s, const int64_t *at) {
    int64_t axis = vt_gattr_int(s->n, VT_A_AXIS), own[VT_MAX_RANK];
    bool back = vt_gattr_int(s->n, VT_A_REVERSE) != 0, before = vt_gattr_int(s->n, VT_A_EXCLUSIVE) != 0;
    double sum = 0;
    memcpy(own, at, sizeof own);
    for (own[axis] = 0; own[axis] < in_type(s, 0)->dim[axis]; own[axis]++) {
        bool counts = back ? own[axis] > at[axis] : own[axis] < at[axis];
        if (counts || (!before && own[axis] == at[axis])) sum += element(s, 0, own);
    }
    return sum;
}

static void random_cum_sums(world *w) {
    static const vt_element elements[] = {VT_ELEMENT_F32, VT_ELEMENT_F64, VT_ELEMENT_I32,
                                          VT_ELEMENT_U32, VT_ELEMENT_I64, VT_ELEMENT_U64};
    sample s = {w};
    vt_gtype t = random_type(elements[pick(0, 5)], some_rank(), 6);
    add_input(&s, t);
    check_sample(&s, VT_G_CUM_SUM,
                 ATTRIBUTES(VT_GSET_INT(AXIS, pick(0, t.rank - 1)), VT_GSET_INT(EXCLUSIVE, pick(0, 1)),
                            VT_GSET_INT(REVERSE, pick(0, 1))),
                 cum_sum);
}

/* The element with as many before it as its place says. */
static double top_k(const sample *s, const int64_t *at) {
    int64_t axis = vt_gattr_int(s->n, VT_A_AXIS), own[VT_MAX_RANK], other[VT_MAX_RANK];
    double sign = vt_gattr_int(s->n, VT_A_LARGEST) ? 1 : -1;
    memcpy(own, at, sizeof own), memcpy(other, at, sizeof other);
    for (own[axis] = 0; own[axis] < in_type(s, 0)->dim[axis]; own[axis]++) {
        int64_t first = 0;
        double x = sign * element(s, 0, own);
        for (other[axis] = 0; other[axis] < in_type(s, 0)->dim[axis]; other[axis]++) {
            double y = sign * element(s, 0, other);
            first += y > x || (y == x && other[axis] < own[axis]);
        }
        if (first == at[axis]) return (double)own[axis];
    }
    return -1;
}

static void random_top_k(world *w) {
    sample s = {w};
    vt_gtype t = random_type((vt_element)pick(VT_ELEMENT_F32, VT_ELEMENT_U64), some_rank(), 7);
    int64_t axis = pick(0, t.rank - 1);
    const vt_gvalue *x = add_input(&s, t);
    if (t.element == VT_ELEMENT_F32 && pick(0, 1)) ((float *)x->data)[0] = -0.0f;
    check_sample(
        &s, VT_G_TOP_K,
        ATTRIBUTES(VT_GSET_INT(AXIS, axis), VT_GSET_INT(K, pick(1, t.dim[axis])), VT_GSET_INT(LARGEST, pick(0, 1))),
        top_k);
}

/* ---- Rows ---- */

static double scatter(const sample *s, const int64_t *at) {
    double y = element(s, 0, at);
    vt_gword how = (vt_gword)vt_gattr_int(s->n, VT_A_REDUCTION);
    for (int64_t i = 0; i < in_type(s, 1)->dim[0]; i++) {
        if (flat(s, 1, i) != (double)at[0]) continue;
        double x = element(s, 2, (int64_t[]){i, at[1]});
        y = how == VT_REDUCTION_ADD   ? y + x
            : how == VT_REDUCTION_MUL ? y * x
            : how == VT_REDUCTION_MAX ? fmax(x, y)
            : how == VT_REDUCTION_MIN ? fmin(x, y)
                                      : x;
    }
    return y;
}

static void random_scatter(world *w) {
    static const vt_element wide[] = {VT_ELEMENT_F32, VT_ELEMENT_F64, VT_ELEMENT_I32, VT_ELEMENT_I64};
    vt_gword how = (vt_gword)pick(VT_REDUCTION_NONE, VT_REDUCTION_MIN);
    bool small = how != VT_REDUCTION_ADD && how != VT_REDUCTION_MUL;
    sample s = {w};
    vt_gtype t = random_type(small ? (vt_element)pick(VT_ELEMENT_F32, VT_ELEMENT_U64) : wide[pick(0, 3)], 2, 5);
    add_input(&s, t);
    vt_gvalue *at = add_input(&s, (vt_gtype){VT_ELEMENT_I64, 1, {pick(1, 4)}});
    for (int64_t i = 0; i < at->type.dim[0]; i++) ((int64_t *)at->data)[i] = pick(0, t.dim[0] - 1);
    t.dim[0] = at->type.dim[0];
    add_input(&s, t);
    check_sample(&s, VT_G_SCATTER, ATTRIBUTES(VT_GSET_INT(REDUCTION, how)), scatter);
}

/* ---- Boxes ---- */

/* Intersection over union of boxes i and k of an image. */
static double overlap(const sample *s, int64_t image, int64_t i, int64_t k) {
    double both = 1, area[2] = {1, 1};
    for (int64_t axis = 0; axis < 2; axis++) {
        double low[2], high[2];
        for (int b = 0; b < 2; b++) {
            int64_t box = b ? k : i;
            double p = element(s, 0, (int64_t[]){image, box, axis}),
                   q = element(s, 0, (int64_t[]){image, box, axis + 2});
            bool centered = vt_gattr_int(s->n, VT_A_CENTERED) != 0;
            low[b] = centered ? fmin(p - q / 2, p + q / 2) : fmin(p, q);
            high[b] = centered ? fmax(p - q / 2, p + q / 2) : fmax(p, q);
            area[b] *= high[b] - low[b];
        }
        both *= fmax(0, fmin(high[0], high[1]) - fmax(low[0], low[1]));
    }
    return both > 0 ? both / (area[0] + area[1] - both) : 0;
}

/* Is the box one of the first k of its class? It is where no better one that is kept overlaps it. */
static bool is_kept(const sample *s, const int64_t of[2], int64_t box) {
    double score = element(s, 1, (int64_t[]){of[0], of[1], box});
    int64_t before = 0;
    if (!(score > vt_gattr_float(s->n, VT_A_SCORE))) return false;
    for (int64_t i = 0; i < in_type(s, 1)->dim[2]; i++) {
        double other = element(s, 1, (int64_t[]){of[0], of[1], i});
        if (i == box || other < score || (other == score && i > box) || !is_kept(s, of, i)) continue;
        if (overlap(s, of[0], box, i) > vt_gattr_float(s->n, VT_A_IOU)) return false;
        before++;
    }
    return before < vt_gattr_int(s->n, VT_A_K);
}

/* How many of a class that are kept are better. */
static int64_t place_of(const sample *s, const int64_t of[2], int64_t box) {
    double score = element(s, 1, (int64_t[]){of[0], of[1], box});
    int64_t place = 0;
    for (int64_t i = 0; i < in_type(s, 1)->dim[2]; i++) {
        double other = element(s, 1, (int64_t[]){of[0], of[1], i});
        place += (other > score || (other == score && i < box)) && is_kept(s, of, i);
    }
    return place;
}

static double suppressed(const sample *s, const int64_t *at) {
    const int64_t *scores = in_type(s, 1)->dim;
    int64_t rows = 0;
    for (int64_t image = 0; image < scores[0]; image++)
        for (int64_t class = 0; class < scores[1]; class ++) {
            const int64_t of[] = {image, class};
            int64_t kept = 0;
            for (int64_t box = 0; box < scores[2]; box++) {
                if (!is_kept(s, of, box)) continue;
                if (rows + place_of(s, of, box) == at[0] - 1) return (double)(int64_t[]){image, class, box}[at[1]];
                kept++;
            }
            rows += kept;
        }
    return at[0] ? -1 : at[1] ? 0 : (double)rows;
}

static void random_suppression(world *w) {
    int64_t images = pick(1, 2), boxes = pick(1, 6), classes = pick(1, 2);
    sample s = {w};
    vt_gvalue *b = add_input(&s, (vt_gtype){VT_ELEMENT_F32, 3, {images, boxes, 4}});
    vt_gvalue *of = add_input(&s, (vt_gtype){VT_ELEMENT_F32, 3, {images, classes, boxes}});
    for (int64_t i = 0; i < vt_gtype_count(&b->type); i++) ((float *)b->data)[i] = (float)pick(0, 6);
    for (int64_t i = 0; i < vt_gtype_count(&of->type); i++) ((float *)of->data)[i] = (float)pick(-4, 4);
    check_sample(&s, VT_G_NON_MAX_SUPPRESSION,
                 ATTRIBUTES(VT_GSET_INT(K, pick(0, 4)), VT_GSET_FLOAT(IOU, (double)pick(0, 4) / 4),
                            VT_GSET_FLOAT(SCORE, pick(0, 1) ? -INFINITY : (double)pick(-4, 4)),
                            VT_GSET_INT(CENTERED, pick(0, 1))),
                 suppressed);
}

/* ---- What is refused ---- */

static void outside(world *w) {
    sample s = {w};
    vt_gvalue *at;
    add_input(&s, random_type(VT_ELEMENT_F32, 2, 3));
    at = add_input(&s, (vt_gtype){VT_ELEMENT_I64, 1, {1}});
    add_input(&s, (vt_gtype){VT_ELEMENT_F32, 2, {1, s.in[0]->type.dim[1]}});
    vt_gnode_spec spec = {.op = VT_G_SCATTER, .input_count = 3, .inputs = s.in};
    const vt_gnode *n = vt_graph_add(w->g, &spec);
    float out[9];
    const void *in[] = {s.in[0]->data, at->data, s.in[2]->data};
    for (int k = 0; k < 2; k++) {
        *(int64_t *)at->data = k ? -1 : s.in[0]->type.dim[0];
        assert_int_equal(vt_eval_node(n, in, (void *[]){out}, NULL, w->diag), VTA_OUT_OF_RANGE);
    }
    sample m = {w};
    add_input(&m, (vt_gtype){VT_ELEMENT_I32, 1, {1}});
    memset((void *)add_input(&m, (vt_gtype){VT_ELEMENT_I32, 1, {1}})->data, 0, 4);
    spec = (vt_gnode_spec){.op = VT_G_MOD, .input_count = 2, .inputs = m.in};
    n = vt_graph_add(w->g, &spec);
    assert_int_equal(vt_eval_node(n, (const void *[]){m.in[0]->data, m.in[1]->data}, (void *[]){out}, NULL, w->diag),
                     VTA_OUT_OF_RANGE);
}

static void test_all_covered(void **state) {
    static const vt_gop here[] = {VT_G_MOD,   VT_G_BITWISE_NOT, VT_G_CUM_SUM,
                                  VT_G_TOP_K, VT_G_SCATTER,     VT_G_NON_MAX_SUPPRESSION};
    (void)state;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) assert_true(sample_covered[here[i]]);
    for (int op = VT_G_SIN; op <= VT_G_ATANH; op++) assert_true(sample_covered[op]);
    for (int op = VT_G_BITWISE_AND; op <= VT_G_SHIFT_RIGHT; op++) assert_true(sample_covered[op]);
}

#define MANY(name, times)                                                                                              \
    static void test_##name(void **state) { (void)state, many(times, name); }
MANY(random_angles, 30)
MANY(random_bits, 60)
MANY(random_remainders, 300)
MANY(random_cum_sums, 200)
MANY(random_top_k, 200)
MANY(random_scatter, 300)
MANY(random_suppression, 400)
MANY(outside, 1)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_angles),     cmocka_unit_test(test_random_bits),
        cmocka_unit_test(test_random_remainders), cmocka_unit_test(test_random_cum_sums),
        cmocka_unit_test(test_random_top_k),      cmocka_unit_test(test_random_scatter),
        cmocka_unit_test(test_outside),           cmocka_unit_test(test_random_suppression),
        cmocka_unit_test(test_all_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
