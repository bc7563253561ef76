/* The random inputs of checks: of each type, over its whole range or up to a magnitude, the same for one seed. */
#include <math.h>

#include "build/check.h"
#include "support/check.h"

enum { ELEMENTS = 2048 };

static uint8_t given[ELEMENTS * 8];

typedef struct row {
    vt_dtype dtype;
    int32_t magnitude;
    double least, most; /* all that may come; nearly that comes */
} row;

#define INT(bits) VT_DTYPE(VT_INT, bits, 1)
#define UINT(bits) VT_DTYPE(VT_UINT, bits, 1)
static const row rows[] = {
    {VT_BOOL, 0, 0, 1},        {VT_BOOL, 100, 0, 1}, {INT(2), 0, -2, 1},     {INT(4), 0, -8, 7},
    {UINT(4), 0, 0, 15},       {INT(4), 3, -3, 3},   {INT(4), 100, -7, 7},   {INT(2), 1, -1, 1},
    {UINT(4), 3, 0, 3},        {UINT(2), 100, 0, 1}, {INT(8), 0, -128, 127}, {INT(8), 5, -5, 5},
    {INT(8), 1000, -127, 127}, {UINT(8), 0, 0, 255}, {UINT(8), 9, 0, 9},     {INT(32), 0, INT32_MIN, INT32_MAX},
    {INT(32), 20, -20, 20},    {VT_F32, 0, -1, 1},   {VT_F64, 3, -1, 1}, /* integers alone have a magnitude */
};

/* Element i of what was given: a byte at least each. */
static double value_of(const row *r, int i) {
    size_t unit = r->dtype.bits < 8 ? 1 : r->dtype.bits / 8;
    const uint8_t *at = given + (size_t)i * unit;
    if (r->dtype.code == VT_FLOAT) {
        float single;
        double wide;
        memcpy(&single, at, sizeof single);
        memcpy(&wide, at, sizeof wide);
        return r->dtype.bits == 64 ? wide : (double)single;
    }
    uint64_t v = 0;
    memcpy(&v, at, unit);
    v <<= 64 - 8 * unit;
    return r->dtype.code == VT_INT ? (double)((int64_t)v >> (64 - 8 * unit)) : (double)(v >> (64 - 8 * unit));
}

static void check_with(const row *r, uint64_t seed) {
    vt_checking k = {.magnitude = r->magnitude};
    vt_operand o = {.dtype = r->dtype, .count = ELEMENTS, .values = given};
    o.unit = r->dtype.bits < 8 ? 1 : r->dtype.bits / 8;
    memset(given, 0x55, sizeof given);
    vt_checking_seed(&k, seed);
    vt_checking_fill(&k, &o);
}

TEST_CASE(ranges) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *r = &rows[k];
        check_with(r, 3);
        double least = INFINITY, most = -INFINITY, range = r->most - r->least, room = range / 100;
        if (r->dtype.bits <= 8 || r->magnitude) room = 0; /* each value comes */
        if (r->dtype.code == VT_FLOAT) room = range / 100;
        for (int i = 0; i < ELEMENTS; i++) {
            double v = value_of(r, i);
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
        if (least < r->least || most > r->most || least > r->least + room || most < r->most - room)
            fail_msg("row %zu: %g to %g, not %g to %g", k, least, most, r->least, r->most);
    }
}

TEST_CASE(seeds) {
    static uint8_t first[sizeof given];
    for (uint64_t seed = 3; seed <= 4; seed++) {
        check_with(&rows[10], 3);
        memcpy(first, given, sizeof given);
        check_with(&rows[10], seed);
        assert_int_equal(memcmp(first, given, sizeof given) == 0, seed == 3);
    }
}

int main(void) { return run_cases(); }
