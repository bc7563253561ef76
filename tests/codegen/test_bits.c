/* Operations on the bits of integers, at the corners of every type; numbers whose bits mean something else. */
#include "codegen/corners.h"
#include "codegen/stubs.h"
#include "support/check.h"

/* ---- Integers ---------------------------------------------------------------------------------------------------- */

static int64_t bits_and(vt_dtype t, int64_t x, int64_t y) { return (void)t, x & y; }
static int64_t bits_or(vt_dtype t, int64_t x, int64_t y) { return (void)t, x | y; }
static int64_t bits_xor(vt_dtype t, int64_t x, int64_t y) { return (void)t, x ^ y; }
static int64_t bits_not(vt_dtype t, int64_t x, int64_t y) { return (void)y, in_type(t, ~x); }

/* Step by step: a negative amount shifts the other way, to the right signs come in. */
static int64_t shifted(vt_dtype t, int64_t x, int64_t by, bool left) {
    if (by < 0) left = !left;
    for (int64_t step = 0; step != by && step < t.bits && -step != by; step++)
        x = left ? in_type(t, (int64_t)((uint64_t)x * 2)) : x / 2 - (x % 2 < 0);
    return x;
}

static int64_t shift_left(vt_dtype t, int64_t x, int64_t y) { return shifted(t, x, y, true); }
static int64_t shift_right(vt_dtype t, int64_t x, int64_t y) { return shifted(t, x, y, false); }

static int64_t ones(vt_dtype t, int64_t x, int64_t y) {
    (void)y;
    int64_t n = 0;
    for (int bit = 0; bit < t.bits; bit++) n += (uint64_t)x >> bit & 1;
    return n;
}

static int64_t leading_zeros(vt_dtype t, int64_t x, int64_t y) {
    (void)y;
    int bit = t.bits;
    while (bit > 0 && !((uint64_t)x >> (bit - 1) & 1)) bit--;
    return t.bits - bit;
}

static const struct operation {
    vt_op op;
    uint32_t operands;
    int64_t (*value)(vt_dtype t, int64_t x, int64_t y);
} operations[] = {
    {VT_OP_SHIFT_LEFT, 2, shift_left}, {VT_OP_SHIFT_RIGHT, 2, shift_right}, {VT_OP_BITWISE_AND, 2, bits_and},
    {VT_OP_BITWISE_OR, 2, bits_or},    {VT_OP_BITWISE_XOR, 2, bits_xor},    {VT_OP_BITWISE_NOT, 1, bits_not},
    {VT_OP_POPCOUNT, 1, ones},         {VT_OP_CLZ, 1, leading_zeros},
};
enum { OPERATIONS = sizeof operations / sizeof *operations, SHIFTS = 2 };

/* Each operation on two tensors, and the shifts by constants, too. */
static const int64_t amounts[] = {0, 7, 8, 31, 64, -1, -8, -100};
enum { AMOUNTS = sizeof amounts / sizeof *amounts, CASES = OPERATIONS + SHIFTS * AMOUNTS };

static const struct operation *operation_of(int which) {
    return &operations[which < OPERATIONS ? which : (which - OPERATIONS) % SHIFTS];
}

static bool constant_of(vt_dtype t, int which, int64_t *out_amount) {
    if (which < OPERATIONS) return false;
    *out_amount = in_type(t, amounts[(which - OPERATIONS) / SHIFTS]);
    return true;
}

/* R[which, i] = operation(X[i], Y[i]), or with a constant in place of Y[i]. */
static const vt_func *make_all(vt_ctx *c, vt_dtype t, uint16_t lanes) {
    const vt_buffer *b[] = {flat(c, "X", t, PAIRS), flat(c, "Y", t, PAIRS), flat(c, "R", t, CASES * PAIRS)};
    const vt_stmt *items[CASES];
    for (int which = 0; which < CASES; which++) {
        int64_t amount;
        const vt_var *i = vt_var_new(c, "i", VT_I32);
        const vt_expr *index = i;
        if (lanes > 1) index = vt_e_ramp(c, vt_mul(c, i, vt_i32(c, lanes)), vt_i32(c, 1), lanes);
        const vt_expr *args[] = {at(c, b[0], index), at(c, b[1], index)};
        if (constant_of(t, which, &amount)) args[1] = vt_int(c, args[0]->dtype, amount);
        const struct operation *o = operation_of(which);
        const vt_stmt *s = set(c, b[2], vt_add(c, index, vt_i32(c, which * PAIRS)),
                               vt_e_call(c, args[0]->dtype, o->op, o->operands, args));
        items[which] = loop(c, i, PAIRS / lanes, s);
    }
    return function(c, "bits", 3, b, vt_s_seq(c, CASES, items));
}

static void run_all(vt_dtype t, uint16_t lanes) {
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_all(&k.ctx, t, lanes), VT_DEVICE_CPU, 1);
    static uint8_t x[PAIRS * 8], y[PAIRS * 8], r[CASES * PAIRS * 8];
    size_t size = t.bits / 8;
    for (int i = 0; i < PAIRS; i++) {
        memcpy(x + (size_t)i * size, &corners[i / VALUES], size);
        memcpy(y + (size_t)i * size, &corners[i % VALUES], size);
    }
    flat_tensor tensors[3];
    tensor_init(&tensors[0], x, 1, t.code, t.bits, PAIRS);
    tensor_init(&tensors[1], y, 1, t.code, t.bits, PAIRS);
    tensor_init(&tensors[2], r, 1, t.code, t.bits, CASES * PAIRS);
    assert_int_equal(call(compiled.call, 3, tensors), 0);
    for (int n = 0; n < CASES * PAIRS; n++) {
        const struct operation *o = operation_of(n / PAIRS);
        int64_t a = in_type(t, corners[n % PAIRS / VALUES]), b = in_type(t, corners[n % VALUES]), got = 0;
        constant_of(t, n / PAIRS, &b);
        memcpy(&got, r + (size_t)n * size, size);
        if (in_type(t, got) != o->value(t, a, b))
            fail_msg("%s(%lld, %lld) of %u bits, code %u: %lld, not %lld", vt_op_infos[o->op].name, (long long)a,
                     (long long)b, t.bits, t.code, (long long)in_type(t, got), (long long)o->value(t, a, b));
    }
    code_free(&compiled);
    kit_close(&k);
}

static void integers(void **state) {
    static const vt_dtype types[] = {VT_I8, VT_U32, VT_I64, VT_U8, VT_I16, VT_I32};
    through_c = *state != NULL;
    for (size_t t = 0; t < (through_c ? 3 : sizeof types / sizeof *types); t++) run_all(types[t], t % 2 ? 4 : 1);
}

/* ---- Products of fixed point ------------------------------------------------------------------------------------- */

/* R[n] = X[n] * Y[n] * 2^(S[n] - q), which is rounded half up, and wraps as 64 bits and as 32 bits do. */
static const vt_func *make_products(vt_ctx *c, int64_t q) {
    const vt_buffer *b[] = {flat(c, "X", VT_I32, PAIRS), flat(c, "Y", VT_I32, PAIRS), flat(c, "S", VT_I32, PAIRS),
                            flat(c, "R", VT_I32, PAIRS)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *args[] = {at(c, b[0], i), at(c, b[1], i), vt_i32(c, q), at(c, b[2], i)};
    return function(c, "f", 4, b,
                    loop(c, i, PAIRS, set(c, b[3], i, vt_e_call(c, VT_I32, VT_OP_Q_MULTIPLY_SHIFT, 4, args))));
}

static int32_t product(int64_t x, int64_t y, int q, int s) {
    uint64_t wide = (uint64_t)x * (uint64_t)y;
    for (int n = 0; n < s; n++) wide *= 2;
    int right = q + (s < 0 ? -s : 0);
    wide += (uint64_t)1 << (right - 1);
    return (int32_t)((int64_t)wide >> right);
}

static void products(void **state) {
    through_c = *state != NULL;
    check_random random = {.state = 7};
    for (int q = 15; q <= 31; q += 16) {
        kit k;
        kit_open(&k);
        code compiled = compile(&k, make_products(&k.ctx, q), VT_DEVICE_CPU, 1);
        static int32_t x[PAIRS], y[PAIRS], s[PAIRS], r[PAIRS];
        for (int n = 0; n < PAIRS; n++) {
            x[n] = (int32_t)in_type(VT_I32, corners[n / VALUES]);
            y[n] = n % 3 ? (int32_t)check_next(&random) : (int32_t)in_type(VT_I32, corners[n % VALUES]);
            s[n] = (int32_t)check_between(&random, -20, 20);
        }
        flat_tensor t[4];
        int32_t *const data[] = {x, y, s, r};
        for (int n = 0; n < 4; n++) tensor_init(&t[n], data[n], 1, VT_INT, 32, PAIRS);
        assert_int_equal(call(compiled.call, 4, t), 0);
        for (int n = 0; n < PAIRS; n++)
            if (r[n] != product(x[n], y[n], q, s[n]))
                fail_msg("%d * %d * 2^(%d - %d): %d, not %d", x[n], y[n], s[n], q, r[n], product(x[n], y[n], q, s[n]));
        code_free(&compiled);
        kit_close(&k);
    }
}

/* ---- The same bits as another type ------------------------------------------------------------------------------- */

static const vt_expr *as(vt_ctx *c, vt_dtype t, const vt_expr *e) {
    return vt_e_call(c, vt_dtype_lanes(t, e->dtype.lanes), VT_OP_REINTERPRET, 1, &e);
}

enum { NUMBERS = 8 };

/* The bits of floats, of vectors of them, and what comes back; numbers that were pointers in between. */
static const vt_func *make_reinterpreted(vt_ctx *c) {
    const vt_buffer *f32 = flat(c, "f32", VT_F32, NUMBERS), *f64 = flat(c, "f64", VT_F64, NUMBERS);
    const vt_buffer *i32 = flat(c, "i32", VT_I32, NUMBERS), *u32 = flat(c, "u32", VT_U32, NUMBERS);
    const vt_buffer *i64 = flat(c, "i64", VT_I64, NUMBERS), *handles = flat(c, "handles", VT_I64, NUMBERS);
    const vt_buffer *back = flat(c, "back", VT_F64, NUMBERS);
    const vt_buffer *b[] = {f32, f64, i32, u32, i64, handles, back};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *four = vt_e_ramp(c, vt_mul(c, i, vt_i32(c, 4)), vt_i32(c, 1), 4);
    const vt_stmt *each[] = {
        set(c, i32, i, as(c, VT_I32, at(c, f32, i))),
        set(c, i64, i, as(c, VT_I64, at(c, f64, i))),
        set(c, handles, i, as(c, VT_I64, as(c, VT_HANDLE_T, at(c, i64, i)))),
        set(c, back, i, as(c, VT_F64, at(c, handles, i))),
    };
    const vt_stmt *fours = set(c, u32, four, as(c, VT_U32, at(c, f32, four)));
    const vt_stmt *both[] = {loop(c, i, NUMBERS, vt_s_seq(c, 4, each)), loop(c, i, NUMBERS / 4, fours)};
    return function(c, "f", 7, b, vt_s_seq(c, 2, both));
}

static void reinterpreted(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_reinterpreted(&k.ctx), VT_DEVICE_CPU, 1);
    float f32[NUMBERS] = {0, -0.0f, 1, -2.5f, 3.4e38f, 1e-40f};
    double f64[NUMBERS] = {0, -0.0, 1, -2.5, 1.7e308, 1e-310}, back[NUMBERS];
    int32_t i32[NUMBERS], u32[NUMBERS];
    int64_t i64[NUMBERS], handles[NUMBERS];
    flat_tensor t[7];
    tensor_init(&t[0], f32, 1, VT_FLOAT, 32, NUMBERS);
    tensor_init(&t[1], f64, 1, VT_FLOAT, 64, NUMBERS);
    tensor_init(&t[2], i32, 1, VT_INT, 32, NUMBERS);
    tensor_init(&t[3], u32, 1, VT_UINT, 32, NUMBERS);
    tensor_init(&t[4], i64, 1, VT_INT, 64, NUMBERS);
    tensor_init(&t[5], handles, 1, VT_INT, 64, NUMBERS);
    tensor_init(&t[6], back, 1, VT_FLOAT, 64, NUMBERS);
    assert_int_equal(call(compiled.call, 7, t), 0);
    assert_memory_equal(i32, f32, sizeof i32);
    assert_memory_equal(u32, f32, sizeof u32);
    assert_memory_equal(i64, f64, sizeof i64);
    assert_memory_equal(handles, f64, sizeof handles);
    assert_memory_equal(back, f64, sizeof back);
    code_free(&compiled);
    kit_close(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(reinterpreted),
        cmocka_unit_test(products),
        {"integers_as_c", integers, NULL, NULL, (void *)"C"},
        {"products_as_c", products, NULL, NULL, (void *)"C"},
        {"reinterpreted_as_c", reinterpreted, NULL, NULL, (void *)"C"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
