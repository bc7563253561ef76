/* Sums of products of residues against products one at a time, modulo both primes: every length and number of rows,
 * steps, largest residues, values that are marked with a form. */
#include "prove/field.h"
#include "support/check.h"

enum { MAX = 400 };

static vta_field *field;
static uint64_t primes[2];

/* Primes as they are drawn, or the largest and the least. */
static void choose_primes(uint64_t seed) {
    static const uint32_t extremes[2] = {536870909, 469762049};
    vta_field_destroy(field);
    assert_int_equal(vta_field_create(seed, NULL, NULL, &field), VTA_OK);
    for (int i = 0; i < 2; i++) {
        if (seed % 4 == 0) field->primes.p[i] = extremes[(seed / 4 + (uint64_t)i) % 2];
        if (seed % 4 == 0) field->primes.inverse[i] = UINT64_MAX / field->primes.p[i];
        primes[i] = field->primes.p[i];
    }
}

static uint64_t residue(vta_value v, int which) { return (which ? v >> 32 : v) & ((1u << 29) - 1); }

/* One of three: any residues, the largest, the least. Some are marked. */
static vta_value random_value(check_random *r, int64_t kind) {
    uint64_t a = (uint64_t)check_next(r) % primes[0], b = (uint64_t)check_next(r) % primes[1];
    if (kind == 1) a = primes[0] - 1, b = primes[1] - 1;
    if (kind == 2) a = check_next(r) % 2, b = check_next(r) % 2;
    uint64_t mark = check_next(r) % 4 ? 0 : 1 + check_next(r) % 63;
    return a | b << 32 | (mark & 7) << 29 | mark >> 3 << 61;
}

static void fill(check_random *r, vta_value *values) {
    int64_t kind = check_between(r, 0, 2);
    for (int i = 0; i < MAX; i++) values[i] = random_value(r, kind);
}

static void check_value(vta_value got, const uint64_t want[2], const char *what) {
    if (residue(got, 0) != want[0] || residue(got, 1) != want[1]) fail_msg("%s", what);
    if (got >> 61 || (got >> 29 & 7)) fail_msg("%s: a sum of no form is marked", what);
}

static void products(void **state) {
    (void)state;
    check_random r = {77};
    vta_value a[MAX], b[MAX];
    for (int round = 0; round < 4000; round++) {
        if (round % 8 == 0) choose_primes((uint64_t)round / 8);
        int64_t ai[4], bi[4], rows = check_between(&r, 0, 4), n = check_between(&r, 0, 70);
        int64_t a_step = check_between(&r, 0, 2), b_step = check_between(&r, 0, 2);
        if (round % 2) a_step = b_step = 1;
        if (round % 4 == 3) n -= n % 4;
        fill(&r, a);
        fill(&r, b);
        uint64_t want[2] = {0, 0};
        for (int64_t k = 0; k < rows; k++) {
            ai[k] = check_between(&r, 0, MAX - 2 * 70 - 1);
            bi[k] = check_between(&r, 0, MAX - 2 * 70 - 1);
            for (int64_t i = 0; i < n; i++)
                for (int p = 0; p < 2; p++) {
                    uint64_t x = residue(a[ai[k] + i * a_step], p), y = residue(b[bi[k] + i * b_step], p);
                    want[p] = (want[p] + x * y) % primes[p];
                }
        }
        check_value(vta_field_products(field, (size_t)rows, ai, bi, a, b, n, a_step, b_step), want, "products");
    }
}

static void multiply_add(void **state) {
    (void)state;
    check_random r = {78};
    vta_value a[MAX], b[MAX], to[5];
    for (int round = 0; round < 2000; round++) {
        if (round % 8 == 0) choose_primes((uint64_t)round / 8);
        size_t rows = (size_t)check_between(&r, 1, 5), n = (size_t)check_between(&r, 1, MAX / 5);
        if (round % 2) n -= n > 16 ? n % 16 : 0;
        fill(&r, a);
        fill(&r, b);
        uint64_t want[5][2];
        for (size_t k = 0; k < rows; k++) {
            to[k] = random_value(&r, round % 3);
            for (int p = 0; p < 2; p++) {
                want[k][p] = residue(to[k], p);
                for (size_t i = 0; i < n; i++)
                    want[k][p] = (want[k][p] + residue(a[i], p) * residue(b[k * n + i], p)) % primes[p];
            }
        }
        vt_value_multiply_add(&field->primes, to, a, b, rows, n);
        for (size_t k = 0; k < rows; k++) check_value(to[k], want[k], "multiply_add");
    }
}

static void single(void **state) {
    (void)state;
    check_random r = {79};
    for (int round = 0; round < 3000; round++) {
        if (round % 8 == 0) choose_primes((uint64_t)round / 8);
        vta_value a = random_value(&r, round % 3), b = random_value(&r, round / 3 % 3);
        uint64_t sum[2], product[2], negative[2], number[2];
        int64_t any = (int64_t)((uint64_t)check_next(&r) << 32 | check_next(&r));
        any >>= check_between(&r, 0, 63);
        for (int p = 0; p < 2; p++) {
            sum[p] = (residue(a, p) + residue(b, p)) % primes[p];
            product[p] = residue(a, p) * residue(b, p) % primes[p];
            negative[p] = (primes[p] - residue(a, p)) % primes[p];
            int64_t rest = any % (int64_t)primes[p];
            number[p] = (uint64_t)(rest < 0 ? rest + (int64_t)primes[p] : rest);
        }
        check_value(vt_value_add(&field->primes, a, b), sum, "add");
        check_value(vt_value_mul(&field->primes, a, b), product, "mul");
        check_value(vt_value_negate(&field->primes, a), negative, "negate");
        check_value(vt_value_int(&field->primes, any), number, "int");
    }
}

/* Prime or not, by division, for all numbers from 0 on and for stretches of those that are drawn from; what is drawn is
 * prime, in range and spread over it, and two fields do not have the same. */
static bool divides_none(uint32_t n) {
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

static void primes_are_prime_and_drawn(void **state) {
    (void)state;
    enum { FIELDS = 4000, PARTS = 16 };
    for (uint32_t n = 0; n < 100000; n++) assert_int_equal(vt_is_prime(n), divides_none(n));
    for (uint32_t from = VT_PRIME_MIN - 500; from < (1u << 29); from += 6700417)
        for (uint32_t n = from; n < from + 1000; n++)
            if (vt_is_prime(n) != divides_none(n)) fail_msg("%u", n);
    for (uint32_t i = 0; i < 4; i++) /* they pass for base 2 */
        assert_false(vt_is_prime((const uint32_t[]){2047, 1373653, 25326001, 3215031751}[i]));
    uint32_t counts[PARTS] = {0}, equal = 0, before = 0;
    for (uint64_t seed = 0; seed < FIELDS; seed++) {
        vt_primes m = vt_primes_draw(seed);
        for (int i = 0; i < 2; i++) {
            assert_in_range(m.p[i], VT_PRIME_MIN, (1u << 29) - 1);
            if (seed < 200) assert_true(divides_none(m.p[i]));
            counts[(m.p[i] - VT_PRIME_MIN) / ((1u << 26) / PARTS)]++;
        }
        assert_true(m.p[0] != m.p[1]);
        equal += m.p[0] == before;
        before = m.p[0];
    }
    assert_true(equal <= 1);
    for (int i = 0; i < PARTS; i++) assert_in_range(counts[i], 400, 600);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(primes_are_prime_and_drawn), cmocka_unit_test(products),
                                       cmocka_unit_test(multiply_add), cmocka_unit_test(single)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_field_destroy(field);
    return failed;
}
