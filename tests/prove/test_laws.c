/* Values against numbers. Soundness: whenever two random expressions have one value, they must agree on every concrete
 * input tried, extremes and wrap-around included. Completeness: the laws that are promised give one value. */
#include <math.h>

#include "prove/field.h"
#include "support/check.h"

enum { NODES_MAX = 24, VARIABLES = 3, POINTS = 160 };

typedef enum kind { VAR, NUMBER, ADD, SUB, MUL, MIN, MAX, SHL, SHR, NARROW, UNARROW, KINDS } kind;

/* Nodes refer to earlier ones; the last is the result. */
typedef struct node {
    kind kind;
    int a, b;
    int64_t number; /* of NUMBER; bits of NARROW and UNARROW; which VAR */
} node;

typedef struct tree {
    int n;
    node nodes[NODES_MAX];
} tree;

/* ---- Two meanings ---------------------------------------------------------------------------------------------- */

static int32_t shifted(int32_t x, int64_t by) {
    if (by >= 0) return by > 31 ? (x < 0 ? -1 : 0) : (int32_t)(((int64_t)x) >> by);
    return by < -31 ? 0 : (int32_t)(uint32_t)((uint64_t)(uint32_t)x << -by);
}

static int32_t narrowed(int32_t x, int64_t bits, bool is_signed) {
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1), low = (uint32_t)x & mask;
    bool negative = is_signed && low >> (bits - 1);
    return (int32_t)(negative ? low | ~mask : low);
}

static int32_t number_of(const tree *t, const int32_t vars[VARIABLES]) {
    int32_t v[NODES_MAX] = {0};
    for (int i = 0; i < t->n; i++) {
        const node *e = &t->nodes[i];
        int32_t a = v[e->a], b = v[e->b];
        switch (e->kind) {
        case VAR: v[i] = vars[e->number]; break;
        case NUMBER: v[i] = (int32_t)e->number; break;
        case ADD: v[i] = (int32_t)((uint32_t)a + (uint32_t)b); break;
        case SUB: v[i] = (int32_t)((uint32_t)a - (uint32_t)b); break;
        case MUL: v[i] = (int32_t)((uint32_t)a * (uint32_t)b); break;
        case MIN: v[i] = a < b ? a : b; break;
        case MAX: v[i] = a > b ? a : b; break;
        case SHL: v[i] = shifted(a, -(int64_t)b); break;
        case SHR: v[i] = shifted(a, b); break;
        case NARROW:
        case UNARROW:
        case KINDS: v[i] = narrowed(a, e->number, e->kind == NARROW);
        }
    }
    return v[t->n - 1];
}

/* Variable 2 is an 8-bit integer that was widened. */
static vta_value value_of(vta_field *f, const tree *t) {
    static const vta_field_op ops[KINDS] = {
        [ADD] = VTA_FIELD_ADD, [SUB] = VTA_FIELD_SUB, [MUL] = VTA_FIELD_MUL, [MIN] = VTA_FIELD_MIN,
        [MAX] = VTA_FIELD_MAX, [SHL] = VTA_FIELD_SHL, [SHR] = VTA_FIELD_SHR};
    vta_value v[NODES_MAX];
    for (int i = 0; i < t->n; i++) {
        const node *e = &t->nodes[i];
        switch (e->kind) {
        case VAR:
            v[i] = vta_field_variable(f, 0, (uint64_t)e->number);
            if (e->number == 2) vta_field_known(f, v[i], INT8_MIN, INT8_MAX);
            break;
        case NUMBER: v[i] = vta_field_int(f, e->number); break;
        case NARROW:
        case UNARROW: v[i] = vta_field_narrow(f, v[e->a], (uint32_t)e->number, e->kind == NARROW); break;
        case ADD:
        case SUB:
        case MUL:
        case MIN:
        case MAX:
        case SHL:
        case SHR:
        case KINDS: v[i] = vta_field_apply(f, ops[e->kind], v[e->a], v[e->b], 32);
        }
    }
    return v[t->n - 1];
}

/* ---- Random trees ------------------------------------------------------------------------------------------------ */

static int64_t some_number(check_random *r) {
    static const int64_t numbers[] = {0,  1,   -1,  2,    3,   5,     -7,    31,        32,       40,
                                      -3, 100, 127, -128, 255, 65535, 70000, INT32_MAX, INT32_MIN};
    return numbers[check_between(r, 0, sizeof numbers / sizeof *numbers - 1)];
}

static tree some_tree(check_random *r) {
    tree t = {.n = (int)check_between(r, 2, 9)};
    for (int i = 0; i < t.n; i++) {
        node *e = &t.nodes[i];
        *e = (node){.kind = i < 2 ? VAR : (kind)check_between(r, 0, KINDS - 1)};
        if (i) e->a = (int)check_between(r, 0, i - 1), e->b = (int)check_between(r, 0, i - 1);
        if (e->kind == VAR) e->number = check_between(r, 0, VARIABLES - 1);
        if (e->kind == NUMBER) e->number = some_number(r);
        if (e->kind == NARROW || e->kind == UNARROW) e->number = check_between(r, 0, 1) ? 8 : check_between(r, 2, 24);
    }
    if (t.n > 2) t.nodes[t.n - 1].a = t.n - 2; /* the result uses the rest */
    return t;
}

/* The tree with one node changed: a little different, or the same in another way. */
static tree changed(const tree *from, check_random *r) {
    tree t = *from;
    node *e = &t.nodes[check_between(r, 0, t.n - 1)];
    switch (check_between(r, 0, 3)) {
    case 0:
        if (e->kind != VAR && e->kind != NUMBER) {
            int a = e->a;
            e->a = e->b;
            e->b = a;
        }
        break;
    case 1:
        if (e->kind == NUMBER) e->number = some_number(r);
        if (e->kind == NARROW || e->kind == UNARROW) e->number = check_between(r, 1, 31);
        break;
    case 2:
        if (e->kind > NUMBER) e->kind = (kind)check_between(r, ADD, SHR);
        break;
    default:
        if (e->kind > NUMBER && e != t.nodes) e->b = (int)check_between(r, 0, (int)(e - t.nodes) - 1);
    }
    return t;
}

static int32_t some_input(check_random *r, int point) {
    static const int32_t corners[] = {0, 1, -1, 127, -128, 128, INT32_MAX, INT32_MIN, 255, 65536};
    if (point % 3 == 0) return corners[check_between(r, 0, sizeof corners / sizeof *corners - 1)];
    return point % 3 == 1 ? (int32_t)check_between(r, -9, 9) : (int32_t)check_next(r);
}

static bool agree(const tree *x, const tree *y, check_random *r) {
    for (int p = 0; p < POINTS; p++) {
        int32_t vars[VARIABLES];
        for (int i = 0; i < VARIABLES; i++) vars[i] = some_input(r, p);
        vars[2] = (int8_t)vars[2];
        if (number_of(x, vars) != number_of(y, vars)) return false;
    }
    return true;
}

static void print_tree(const tree *t) {
    static const char *const names[KINDS] = {"var", "number", "+",  "-",      "*",      "min",
                                             "max", "<<",     ">>", "narrow", "unarrow"};
    for (int i = 0; i < t->n; i++)
        print_message("  %d: %s %d %d %lld\n", i, names[t->nodes[i].kind], t->nodes[i].a, t->nodes[i].b,
                      (long long)t->nodes[i].number);
}

static void equal_values_mean_equal_numbers(void **state) {
    (void)state;
    check_random r = {20240711};
    vta_field *f;
    int equal = 0, missed = 0, pairs = 60000;
    assert_int_equal(vta_field_create(1, NULL, NULL, &f), VTA_OK);
    for (int i = 0; i < pairs; i++) {
        tree x = some_tree(&r), y = changed(&x, &r);
        for (int64_t more = check_between(&r, 0, 2); more > 0; more--) y = changed(&y, &r);
        bool same = value_of(f, &x) == value_of(f, &y), same_numbers = agree(&x, &y, &r);
        if (same && !same_numbers) {
            print_tree(&x);
            print_tree(&y);
            fail_msg("pair %d: one value, but different numbers", i);
        }
        equal += same;
        missed += same_numbers && !same;
    }
    assert_int_equal(vta_field_status(f), VTA_OK);
    vta_field_destroy(f);
    print_message("%d of %d pairs have one value; %d others agree on all points tried\n", equal, pairs, missed);
    assert_true(equal > pairs / 4 && equal < pairs * 9 / 10);
}

/* ---- The laws ---------------------------------------------------------------------------------------------------- */

static vta_field *F;
static vta_value op(vta_field_op o, vta_value a, vta_value b) { return vta_field_apply(F, o, a, b, 32); }
static vta_value min(vta_value a, vta_value b) { return op(VTA_FIELD_MIN, a, b); }
static vta_value max(vta_value a, vta_value b) { return op(VTA_FIELD_MAX, a, b); }
static vta_value add(vta_value a, vta_value b) { return op(VTA_FIELD_ADD, a, b); }
static vta_value mul(vta_value a, vta_value b) { return op(VTA_FIELD_MUL, a, b); }
static vta_value shr(vta_value a, int64_t by) { return op(VTA_FIELD_SHR, a, vta_field_int(F, by)); }
static vta_value shl(vta_value a, int64_t by) { return op(VTA_FIELD_SHL, a, vta_field_int(F, by)); }
static vta_value n(int64_t number) { return vta_field_int(F, number); }
static vta_value narrow(vta_value a, uint32_t bits) { return vta_field_narrow(F, a, bits, true); }

/* With n random functions of other operands in the field before. */
static void check_laws(int64_t n_before) {
    assert_int_equal(vta_field_create(7, NULL, NULL, &F), VTA_OK);
    for (int64_t i = 0; i < n_before; i++) max(vta_field_variable(F, 1, 0), n(1000 + i));
    vta_value x = vta_field_variable(F, 0, 0), y = vta_field_variable(F, 0, 1), z = vta_field_variable(F, 0, 2);
    vta_value byte = vta_field_variable(F, 0, 3);
    vta_field_known(F, byte, -128, 127);
    const struct {
        const char *law;
        vta_value left, right;
    } laws[] = {
        {"x + y = y + x", add(x, y), add(y, x)},
        {"(x + y) z = x z + y z", mul(add(x, y), z), add(mul(x, z), mul(y, z))},
        {"x - y = x + -1 y", op(VTA_FIELD_SUB, x, y), add(x, mul(n(-1), y))},
        {"x << 3 = 8 x", shl(x, 3), mul(x, n(8))},
        {"x >> -3 = x << 3", shr(x, -3), shl(x, 3)},
        {"x >> 0 = x", shr(x, 0), x},
        {"x >> 3 >> 5 = x >> 8", shr(shr(x, 3), 5), shr(x, 8)},
        {"x >> 40 = x >> 31", shr(x, 40), shr(x, 31)},
        {"x >> 32 = x >> 31", shr(x, 32), shr(x, 31)},
        {"x << 32 = 0", shl(x, 32), 0},
        {"max(x, x) = x", max(x, x), x},
        {"max(x, y) = max(y, x)", max(x, y), max(y, x)},
        {"max(x, max(y, z)) = max(max(z, x), y)", max(x, max(y, z)), max(max(z, x), y)},
        {"min(min(x, 9), 5) = min(x, 5)", min(min(x, n(9)), n(5)), min(x, n(5))},
        {"min(x, 2^31 - 1) = x", min(x, n(INT32_MAX)), x},
        {"max(x, -2^31) = x", max(x, n(INT32_MIN)), x},
        {"max(min(x, 9), 5) = min(max(x, 5), 9)", max(min(x, n(9)), n(5)), min(max(x, n(5)), n(9))},
        {"max(min(x, 5), 9) = 9", max(min(x, n(5)), n(9)), n(9)},
        {"max(min(x, 5), 6) = 6", max(min(x, n(5)), n(6)), n(6)},
        {"max(min(x, 5), 5) = 5", max(min(x, n(5)), n(5)), n(5)},
        {"a clip twice", max(min(max(min(x, n(9)), n(5)), n(20)), n(-4)), max(min(x, n(9)), n(5))},
        {"narrow(narrow(x, 16), 8) = narrow(x, 8)", narrow(narrow(x, 16), 8), narrow(x, 8)},
        {"narrow(narrow(x, 8), 16) = narrow(x, 8)", narrow(narrow(x, 8), 16), narrow(x, 8)},
        {"narrow(byte, 8) = byte", narrow(byte, 8), byte},
        {"narrow(min(max(x, -5), 5), 8) is in range", narrow(min(max(x, n(-5)), n(5)), 8), min(max(x, n(-5)), n(5))},
        {"narrow(byte + byte, 16) = byte + byte", narrow(add(byte, byte), 16), add(byte, byte)},
        {"max(byte, -200) = byte", max(byte, n(-200)), byte},
        {"byte >> 7 >> 7 = byte >> 14", shr(shr(byte, 7), 7), shr(byte, 14)},
        {"narrow(300) = 44", narrow(n(300), 8), n(44)},
        {"min(3, -70000) = -70000", min(n(3), n(-70000)), n(-70000)},
        {"7 >> 1 = 3", shr(n(7), 1), n(3)},
        {"-70001 >> 1 = -35001", shr(n(-70001), 1), n(-35001)},
        {"byte << 3 >> 3 = byte", shr(shl(byte, 3), 3), byte},
        {"narrow(x, 8) << 24 >> 24 = narrow(x, 8)", shr(shl(narrow(x, 8), 24), 24), narrow(x, 8)},
        {"byte << 3 >> 5 = byte >> 2", shr(shl(byte, 3), 5), shr(byte, 2)},
        {"byte << 5 >> 3 = byte << 2", shr(shl(byte, 5), 3), shl(byte, 2)},
        {"12 byte >> 2 = 3 byte", shr(mul(byte, n(12)), 2), mul(byte, n(3))},
        {"(byte >> 2) << 4 >> 4", shr(shl(shr(byte, 2), 4), 4), shr(byte, 2)},
        {"min(max(x, -128), byte) = max(min(x, byte), -128)", min(max(x, n(-128)), byte), max(min(x, byte), n(-128))},
        {"max(min(x, 127), byte) = min(max(x, byte), 127)", max(min(x, n(127)), byte), min(max(x, byte), n(127))},
        {"max(min(x, y), 5) = min(max(x, 5), max(y, 5))", max(min(x, y), n(5)), min(max(x, n(5)), max(y, n(5)))},
        {"a window of clips is a clip", max(min(max(x, n(-4)), n(9)), min(max(y, n(-4)), n(9))),
         min(max(max(x, y), n(-4)), n(9))},
        {"a window of three bounds", max(max(min(x, n(9)), min(y, n(9))), min(z, n(9))), min(max(max(x, y), z), n(9))},
        {"min(max(byte, 200), x) = min(200, x)", min(max(byte, n(200)), x), min(n(200), x)},
    };
    const struct {
        const char *what;
        vta_value left, right;
    } different[] = {
        {"x, y", x, y},
        {"max(x, y), min(x, y)", max(x, y), min(x, y)},
        {"narrow(x, 8), x", narrow(x, 8), x},
        {"narrow(byte + byte, 8), byte + byte", narrow(add(byte, byte), 8), add(byte, byte)},
        {"a bound that just does not fit", narrow(min(max(x, n(-5)), n(128)), 8), min(max(x, n(-5)), n(128))},
        {"the other bound", narrow(min(max(x, n(-129)), n(5)), 8), min(max(x, n(-129)), n(5))},
        {"x >> 1 << 1, x", shl(shr(x, 1), 1), x},
        {"max(x + y, z), max(x, z) + y", max(add(x, y), z), add(max(x, z), y)},
        {"x >> y, x >> z", op(VTA_FIELD_SHR, x, y), op(VTA_FIELD_SHR, x, z)},
        {"max(x, 0), x", max(x, n(0)), x},
        {"x << 3 >> 3, x", shr(shl(x, 3), 3), x},
        {"byte << 25 >> 25, byte", shr(shl(byte, 25), 25), byte},
        {"12 byte >> 3, byte", shr(mul(byte, n(12)), 3), byte},
        {"max(min(x, 126), byte), min(max(x, byte), 126)", max(min(x, n(126)), byte), min(max(x, byte), n(126))},
        {"min(max(x, -127), byte), max(min(x, byte), -126)", min(max(x, n(-127)), byte), max(min(x, byte), n(-126))},
        {"signed, unsigned", narrow(x, 8), vta_field_narrow(F, x, 8, false)},
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (laws[i].left != laws[i].right) fail_msg("%s", laws[i].law);
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        if (vta_field_same(different[i].left, different[i].right)) fail_msg("one value: %s", different[i].what);
    assert_int_equal(vta_field_status(F), VTA_OK);
    vta_field_destroy(F);
}

/* Also where the forms are taken: terms are kept then. */
static void laws_hold(void **state) {
    (void)state;
    for (int64_t n_before = 0; n_before < 80; n_before++) check_laws(n_before);
}

/* What goes out of a sum again leaves the same residues. */
static void sums_have_no_mark(void **state) {
    (void)state;
    assert_int_equal(vta_field_create(7, NULL, NULL, &F), VTA_OK);
    vta_value y = vta_field_variable(F, 0, 1), marked = shr(vta_field_variable(F, 0, 0), 3);
    vta_value again = add(add(marked, y), op(VTA_FIELD_SUB, 0, y));
    assert_true(vta_field_same(again, marked));
    assert_false(vta_field_same(again, y));
    for (int bit = 0; bit < 29; bit++) {
        assert_false(vta_field_same(marked, marked ^ UINT64_C(1) << bit));
        assert_false(vta_field_same(marked, marked ^ UINT64_C(1) << (32 + bit)));
    }
    assert_int_equal(add(marked, 0), marked);
    assert_int_equal(add(0, marked), marked);
    assert_int_equal(op(VTA_FIELD_SUB, marked, 0), marked);
    assert_int_equal(mul(marked, n(1)), marked);
    assert_int_equal(mul(n(1), marked), marked);
    assert_true(vta_field_same(mul(marked, n(2)), add(again, again)));
    assert_true(vta_field_same(op(VTA_FIELD_SUB, marked, again), 0));
    vta_field_destroy(F);
}

/* ---- Arithmetic -------------------------------------------------------------------------------------------------- */

static vta_value product_by_hand(const vta_field *f, const vta_value *a, const vta_value *b, size_t count) {
    const uint64_t primes[2] = {f->primes.p[0], f->primes.p[1]}, residue = (1 << 29) - 1;
    uint64_t sum[2] = {0};
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < 2; i++)
            sum[i] = (sum[i] + (a[k] >> 32 * i & residue) * (b[k] >> 32 * i & residue)) % primes[i];
    return sum[0] | sum[1] << 32;
}

/* All lengths, steps of one and more, the largest residues too. */
static void sums_of_products(void **state) {
    (void)state;
    vta_field *f;
    enum { COUNT = 400 };
    vta_value a[COUNT], b[COUNT], x[COUNT], y[COUNT];
    assert_int_equal(vta_field_create(3, NULL, NULL, &f), VTA_OK);
    for (int i = 0; i < COUNT; i++) {
        a[i] = i % 5 ? vta_field_variable(f, 1, (uint64_t)i) : vta_field_int(f, -1);
        b[i] = i % 3 ? vta_field_int(f, -1) : vta_field_variable(f, 2, (uint64_t)i);
        if (i % 7 == 0) a[i] = vta_field_apply(f, VTA_FIELD_SHR, a[i], vta_field_int(f, i / 7), 32); /* marked */
        if (i % 11 == 0) b[i] = vta_field_apply(f, VTA_FIELD_MAX, b[i], vta_field_int(f, i), 32);
    }
    for (int64_t n_products = 0; n_products <= 130; n_products++)
        for (int64_t step = 1; step <= 3; step++) {
            const int64_t zero[2] = {0, 1};
            for (int64_t k = 0; k < n_products; k++) x[k] = a[k], y[k] = b[k * step];
            assert_int_equal(vta_field_products(f, 1, zero, zero, a, b, n_products, 1, step),
                             product_by_hand(f, x, y, (size_t)n_products));
            vta_value second = product_by_hand(f, a + 1, b + 1, (size_t)n_products);
            if (step == 1)
                assert_int_equal(
                    vta_field_products(f, 2, zero, zero, a, b, n_products, 1, 1),
                    vta_field_apply(f, VTA_FIELD_ADD, product_by_hand(f, x, y, (size_t)n_products), second, 32));
        }
    vta_field_destroy(f);
}

/* What bounds the chance of an error: functions are counted where they are random, not where a law tells the result. */
static void counts(void **state) {
    (void)state;
    assert_int_equal(vta_field_create(7, NULL, NULL, &F), VTA_OK);
    assert_int_equal(vta_field_terms(F), 0);
    vta_value x = vta_field_variable(F, 0, 0), y = vta_field_variable(F, 0, 1);
    const vta_value known[] = {add(x, y), mul(x, y),       shl(x, 3),        shr(x, 0),
                               max(x, x), min(n(3), n(4)), narrow(n(300), 8)};
    (void)known;
    assert_int_equal(vta_field_terms(F), 0);
    const vta_value random[] = {max(x, y), min(x, n(5)), shr(x, 3), narrow(x, 8)};
    (void)random;
    assert_int_equal(vta_field_terms(F), 4);
    max(y, x);
    assert_int_equal(vta_field_terms(F), 5);
    assert_int_equal(vta_field_terms(NULL), 0);
    assert_int_equal(vta_field_status(NULL), VTA_INVALID_ARGUMENT);
    /* Pairs of residues of 29 bits; differences of 29 bits may be multiples of one prime, of 87 bits of three. */
    assert_true(fabs(vta_field_log2_chance(0, 1, 1) - (log2(1 + 2 * 131072.) - 57.6147)) < 1e-3);
    double first = vta_field_log2_chance(1000, 1, 1);
    assert_true(fabs(vta_field_log2_chance(1000, 4, 1) - first - 4) < 1e-6);
    assert_true(vta_field_log2_chance(1000, 1, exp2(27.7)) == first);
    assert_true(fabs(vta_field_log2_chance(1000, 1, exp2(28)) - first - 2 * log2(1 + 469762048. / 3348939)) < 1e-6);
    assert_true(fabs(vta_field_log2_chance(1000, 1, exp2(85.5)) - first - 2 * log2(1 + 3 * 469762048. / 3348939)) <
                1e-6);
    assert_true(vta_field_log2_chance(1000, 1, INFINITY) == 0);
    assert_true(vta_field_degree(F) == 1 && vta_field_magnitude(F) == 1);
    vta_field_seen(F, 3, 7);
    vta_field_seen(F, 2, 9);
    assert_true(vta_field_degree(F) == 3 && vta_field_magnitude(F) == 9);
    vta_field_destroy(F);
    vta_field_destroy(NULL);
}

/* Fields of other seeds have other values; allocations that fail are reported. */
static void seeds_and_memory(void **state) {
    (void)state;
    vta_field *f, *g;
    assert_int_equal(vta_field_create(1, NULL, NULL, &f), VTA_OK);
    assert_int_equal(vta_field_create(2, NULL, NULL, &g), VTA_OK);
    assert_true(vta_field_variable(f, 0, 0) != vta_field_variable(g, 0, 0));
    assert_true(vta_field_narrow(f, vta_field_variable(f, 0, 0), 8, true) !=
                vta_field_narrow(g, vta_field_variable(f, 0, 0), 8, true));
    vta_field_destroy(f);
    vta_field_destroy(g);
    for (size_t fails = 0;; fails++) {
        check_allocator a;
        check_allocator_init(&a, fails);
        vta_status status = vta_field_create(1, &a.allocator, NULL, &f);
        if (status == VTA_OK) {
            for (int i = 0; i < 3000; i++)
                vta_field_apply(f, VTA_FIELD_MAX, vta_field_variable(f, 0, (uint64_t)i), vta_field_variable(f, 1, 0),
                                32);
            status = vta_field_status(f);
            vta_field_destroy(f);
        }
        assert_int_equal(a.live, 0);
        if (status == VTA_OK) break;
        assert_int_equal(status, VTA_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_mean_equal_numbers),
        cmocka_unit_test(laws_hold),
        cmocka_unit_test(sums_have_no_mark),
        cmocka_unit_test(sums_of_products),
        cmocka_unit_test(counts),
        cmocka_unit_test(seeds_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
