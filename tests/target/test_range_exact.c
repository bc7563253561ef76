/* What the last check knows of one operation on two loops: its least and its most are reached, wherever the loops lie.
 * Bounds that are wider than the values would refuse kernels that are right. */
#include "ir/build.h"
#include "lower/vta/verify_range.h"
#include "support/diag.h"

enum { ROUNDS = 3000, FAR = 9, LONGEST = 7 };

typedef struct operation {
    const char *name;
    const vt_expr *(*build)(vt_ctx *ctx, const vt_expr *x, const vt_expr *y, int64_t c);
    int64_t (*value)(int64_t x, int64_t y, int64_t c); /* c: 1 to FAR */
} operation;

static int64_t floor_of(int64_t x, int64_t by) { return x / by - (x % by < 0); }

static const vt_expr *call(vt_ctx *ctx, vt_op op, const vt_expr *x, int64_t c) {
    return vt_e_call(ctx, VT_I32, op, 2, (const vt_expr *const[]){x, vt_i32(ctx, c)});
}

/* An expression in its words for the compiler and in C's. */
#define OPERATION(name, expression, number)                                                                            \
    static const vt_expr *build_##name(vt_ctx *ctx, const vt_expr *x, const vt_expr *y, int64_t c) {                   \
        (void)y, (void)c;                                                                                              \
        return expression;                                                                                             \
    }                                                                                                                  \
    static int64_t value_##name(int64_t x, int64_t y, int64_t c) {                                                     \
        (void)y, (void)c;                                                                                              \
        return number;                                                                                                 \
    }
#define BINARY(kind, x, y) vt_e_bin(ctx, VT_E_##kind, x, y)
#define NUMBER(n) vt_i32(ctx, n)
OPERATION(add, BINARY(ADD, x, y), x + y)
OPERATION(sub, BINARY(SUB, x, y), x - y)
OPERATION(mul, BINARY(MUL, x, y), (x * y))
OPERATION(mul_plus, BINARY(MUL, BINARY(SUB, x, NUMBER(c)), BINARY(ADD, y, NUMBER(c))), (x - c) * (y + c))
OPERATION(times, BINARY(MUL, NUMBER(-c), x), (-c * x))
OPERATION(sum, BINARY(ADD, BINARY(MUL, x, NUMBER(c)), BINARY(MUL, y, NUMBER(-3))), (c * x - 3 * y))
OPERATION(min, BINARY(MIN, x, y), x < y ? x : y)
OPERATION(max, BINARY(MAX, x, y), x > y ? x : y)
OPERATION(clamp, BINARY(MIN, BINARY(MAX, x, NUMBER(-c)), NUMBER(c)), x<-c ? -c : x> c ? c : x)
OPERATION(floordiv, BINARY(FLOORDIV, x, NUMBER(c)), floor_of(x, c))
OPERATION(floormod, BINARY(FLOORMOD, x, NUMBER(c)), x - c * floor_of(x, c))
OPERATION(rows, BINARY(FLOORDIV, BINARY(ADD, BINARY(MUL, y, NUMBER(c)), x), NUMBER(c)), y + floor_of(x, c))
OPERATION(shift_right, call(ctx, VT_OP_SHIFT_RIGHT, x, c % 4), floor_of(x, 1 << c % 4))
OPERATION(shift_left, call(ctx, VT_OP_SHIFT_LEFT, x, c % 4), (x * (1 << c % 4)))
OPERATION(low_bits, call(ctx, VT_OP_BITWISE_AND, x, (1 << c % 4) - 1), x - floor_of(x, 1 << c % 4) * (1 << c % 4))
OPERATION(select, vt_e_select(ctx, BINARY(LT, NUMBER(c), NUMBER(5)), x, y), c < 5 ? x : y)

static const operation operations[] = {
#define ROW(name) {#name, build_##name, value_##name}
    ROW(add),         ROW(sub),        ROW(mul),      ROW(mul_plus), ROW(times),    ROW(sum),
    ROW(min),         ROW(max),        ROW(clamp),    ROW(floordiv), ROW(floormod), ROW(rows),
    ROW(shift_right), ROW(shift_left), ROW(low_bits), ROW(select),
#undef ROW
};

static void check_one(vt_ctx *ctx, const operation *op, check_random *r) {
    static vt_path path; /* large */
    int64_t first[2], count[2], c = check_between(r, 1, FAR), least = INT64_MAX, most = INT64_MIN, value;
    const vt_var *var[2];
    vt__path_begin(&path);
    for (int k = 0; k < 2; k++) {
        first[k] = check_between(r, -FAR, FAR);
        count[k] = check_between(r, 1, LONGEST);
        var[k] = vt_var_new(ctx, k ? "y" : "x", VT_I32);
        vt__path_loop(&path, var[k], vt_i32(ctx, first[k]), vt_i32(ctx, count[k]));
    }
    for (int64_t x = first[0]; x < first[0] + count[0]; x++)
        for (int64_t y = first[1]; y < first[1] + count[1]; y++) {
            value = op->value(x, y, c);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    vt_form f = vt__form_of(&path, op->build(ctx, var[0], var[1], c));
    if (vt__form_least(&path, &f) != least || vt__form_max(&path, &f) != most)
        fail_msg("%s: %lld to %lld, not %lld to %lld", op->name, (long long)vt__form_least(&path, &f),
                 (long long)vt__form_max(&path, &f), (long long)least, (long long)most);
    assert_int_equal(vt__form_is_const(&path, &f, &value), least == most);
}

static vta_status rounds(vt_ctx *ctx, void *arg) {
    check_random r = {20261125};
    (void)arg;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        for (int i = 0; i < ROUNDS; i++) check_one(ctx, &operations[k], &r);
    return VTA_OK;
}

TEST_CASE(bounds_are_reached) {
    vt_ctx ctx;
    vt_ctx_init(&ctx, NULL, diag);
    must(vt_protect(&ctx, rounds, NULL));
    vt_ctx_clear(&ctx);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
