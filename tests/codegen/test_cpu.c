/* Code from functions made by hand, run in this process: loops, threads, allocations, vectors, arithmetic. */
#include <math.h>

#include "codegen/corners.h"
#include "codegen/stubs.h"

EXPORTED int32_t outside_sum(int8_t a, uint8_t b, float c, int64_t d);
int32_t outside_sum(int8_t a, uint8_t b, float c, int64_t d) { return (int32_t)(a + b + c + (float)d); }

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

static void run_add(vt_for_kind kind, int level) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *b[] = {flat(c, "A", VT_I32, 100), flat(c, "B", VT_I32, 100), flat(c, "C", VT_I32, 100)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_stmt *body = set(c, b[2], i, vt_e_bin(c, VT_E_ADD, at(c, b[0], i), at(c, b[1], i)));
    body = vt_s_for(c, i, vt_i32(c, 0), vt_i32(c, 100), kind, body);
    code compiled = compile(&k, function(c, "add", 3, b, body), VT_DEVICE_CPU, level);
    int32_t x[100], y[100], r[100] = {0};
    for (int n = 0; n < 100; n++) x[n] = n * 1000003, y[n] = INT32_MAX - n;
    flat_tensor t[3];
    tensor_init(&t[0], x, 1, 0, 32, 100);
    tensor_init(&t[1], y, 1, 0, 32, 100);
    tensor_init(&t[2], r, 1, 0, 32, 100);
    assert_int_equal(call(compiled.call, 3, t), 0);
    for (int n = 0; n < 100; n++) assert_int_equal(r[n], (int32_t)((uint32_t)x[n] + (uint32_t)y[n]));
    code_free(&compiled);
    kit_close(&k);
}

TEST_CASE(test_add) {
    for (int level = 0; level <= 3; level++) run_add(VT_FOR_SERIAL, level);
}

TEST_CASE(test_parallel) {
    launches = 0;
    run_add(VT_FOR_PARALLEL, 0);
    run_add(VT_FOR_PARALLEL, 2);
    assert_int_equal(launches, 2);
}

static void run_matmul(int64_t scratch, int level, int expected) {
    kit k;
    kit_open(&k);
    code c = compile(&k, make_matmul(&k.ctx, scratch), VT_DEVICE_CPU, level);
    int8_t a[128], b[128];
    int32_t r[64];
    for (int i = 0; i < 128; i++) a[i] = (int8_t)(i * 7), b[i] = (int8_t)(i * 13 - 5);
    flat_tensor x[3];
    tensor_init(&x[0], a, 1, 0, 8, 128);
    tensor_init(&x[1], b, 1, 0, 8, 128);
    tensor_init(&x[2], r, 1, 0, 32, 64);
    assert_int_equal(call(c.call, 3, x), expected);
    for (int i = 0; i < 64 && !expected; i++) {
        int32_t sum = 0;
        for (int n = 0; n < 16; n++) sum += a[i / 8 * 16 + n] * b[n * 8 + i % 8];
        assert_int_equal(r[i], sum);
    }
    code_free(&c);
    kit_close(&k);
}

TEST_CASE(test_matmul) {
    run_matmul(1, 0, 0);
    run_matmul(1, 2, 0);
    run_matmul(1000, 2, 0);
    assert_int_equal(workspaces, 0);
    run_matmul(1 << 20, 0, -1); /* the workspace is refused: the kernel says so */
}

/* Two workspaces, and an error where both are allocated, or where the inner one is refused. */
static void run_early_error(int64_t inner, int level) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *a = flat(c, "A", VT_I32, 8), *x = flat(c, "x", VT_I32, 1000), *y = flat(c, "y", VT_I32, inner);
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *outer_extent = vt_i32(c, 1000), *inner_extent = vt_i32(c, inner);
    const vt_stmt *both[] = {set(c, x, i, at(c, a, i)), set(c, y, i, at(c, x, i)), set(c, a, i, at(c, y, i))};
    const vt_stmt *s = vt_s_assert(c, vt_e_bin(c, VT_E_GT, at(c, a, i), vt_i32(c, 0)), vt_string(c, "not positive"),
                                   vt_s_seq(c, 3, both));
    s = vt_s_alloc(c, y->data, VT_I32, 1, &inner_extent, vt_bool(c, true), loop(c, i, 8, s));
    s = vt_s_alloc(c, x->data, VT_I32, 1, &outer_extent, vt_bool(c, true), s);
    code compiled = compile(&k, function(c, "early", 1, &a, s), VT_DEVICE_CPU, level);
    int32_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    flat_tensor t;
    tensor_init(&t, values, 1, 0, 32, 8);
    workspaces = 0;
    assert_int_equal(call(compiled.call, 1, &t), inner > 1000 ? -1 : 0);
    assert_int_equal(workspaces, 0);
    values[3] = 0;
    assert_int_equal(call(compiled.call, 1, &t), -1);
    assert_int_equal(workspaces, 0);
    code_free(&compiled);
    kit_close(&k);
}

TEST_CASE(test_early_errors) {
    run_early_error(1000, 0);
    run_early_error(1 << 20, 0);
}

/* ---- Integer arithmetic against C, at the corners of every type -------------------------------------------------- */

static int64_t f_add(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }
static int64_t f_sub(int64_t x, int64_t y) { return (int64_t)((uint64_t)x - (uint64_t)y); }
static int64_t f_mul(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }
/* By zero: 0, and the remainder x. Operands are of a type, so only the widest one's least value by -1 needs care. */
static int64_t f_div(int64_t x, int64_t y) { return y == 0 ? 0 : y == -1 ? f_sub(0, x) : x / y; }
static int64_t f_mod(int64_t x, int64_t y) { return f_sub(x, f_mul(y, f_div(x, y))); }
static int64_t f_fdiv(int64_t x, int64_t y) { return f_div(x, y) - (y && f_mod(x, y) != 0 && (x < 0) != (y < 0)); }
static int64_t f_fmod(int64_t x, int64_t y) { return f_sub(x, f_mul(y, f_fdiv(x, y))); }
static int64_t f_min(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t f_max(int64_t x, int64_t y) { return x > y ? x : y; }

static const struct op_case {
    vt_expr_kind kind;
    int64_t (*value)(int64_t x, int64_t y);
    bool divides;
} op_cases[] = {
    {VT_E_ADD, f_add, 0},       {VT_E_SUB, f_sub, 0}, {VT_E_MUL, f_mul, 0},
    {VT_E_DIV, f_div, 1},       {VT_E_MOD, f_mod, 1}, {VT_E_FLOORDIV, f_fdiv, 1},
    {VT_E_FLOORMOD, f_fmod, 1}, {VT_E_MIN, f_min, 0}, {VT_E_MAX, f_max, 0},
};

/* R[i] = op(X[i], Y[i]), or op(X[i], y) for a constant. */
static void run_op(vt_dtype t, const struct op_case *op, uint16_t lanes, const int64_t *constant) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *b[] = {flat(c, "X", t, PAIRS), flat(c, "Y", t, PAIRS), flat(c, "R", t, PAIRS)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *index = i;
    if (lanes > 1) index = vt_e_ramp(c, vt_mul(c, i, vt_i32(c, lanes)), vt_i32(c, 1), lanes);
    const vt_expr *y = constant ? vt_int(c, vt_dtype_lanes(t, lanes), *constant) : at(c, b[1], index);
    const vt_stmt *s = set(c, b[2], index, vt_e_bin(c, op->kind, at(c, b[0], index), y));
    code compiled = compile(&k, function(c, "op", 3, b, loop(c, i, PAIRS / lanes, s)), VT_DEVICE_CPU, 1);
    uint8_t data[3][PAIRS * 8];
    int64_t xs[PAIRS], ys[PAIRS];
    size_t size = t.bits / 8;
    for (int n = 0; n < PAIRS; n++) {
        xs[n] = in_type(t, corners[n / VALUES]);
        ys[n] = constant ? *constant : in_type(t, corners[n % VALUES]);
        memcpy(data[0] + (size_t)n * size, &xs[n], size);
        memcpy(data[1] + (size_t)n * size, &ys[n], size);
    }
    flat_tensor x[3];
    for (int n = 0; n < 3; n++) tensor_init(&x[n], data[n], 1, t.code, t.bits, PAIRS);
    assert_int_equal(call(compiled.call, 3, x), 0);
    for (int n = 0; n < PAIRS; n++) {
        int64_t r = 0;
        memcpy(&r, data[2] + (size_t)n * size, size);
        if (in_type(t, r) != in_type(t, op->value(xs[n], ys[n])))
            fail_msg("%s(%lld, %lld) in %u bits: %lld", vt_expr_infos[op->kind].text, (long long)xs[n],
                     (long long)ys[n], t.bits, (long long)in_type(t, r));
    }
    code_free(&compiled);
    kit_close(&k);
}

TEST_CASE(test_integer_ops) {
    static const vt_dtype types[] = {VT_I8, VT_I16, VT_I32, VT_I64, VT_U8, VT_U32};
    static const int64_t divisors[] = {1, 3, 8, 0, -3, -1, -8};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof op_cases / sizeof *op_cases; o++) {
            run_op(types[t], &op_cases[o], t % 2 ? 1 : 4, NULL);
            for (size_t d = 0; op_cases[o].divides && d < 7; d++)
                if (divisors[d] >= 0 || types[t].code == VT_INT)
                    run_op(types[t], &op_cases[o], t % 2 ? 4 : 1, &divisors[d]);
        }
}

/* ---- Float functions against the C library ----------------------------------------------------------------------- */

static void run_math(vt_op op, float (*value)(float), uint16_t lanes) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *b[] = {flat(c, "X", VT_F32, 16), flat(c, "R", VT_F32, 16)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *index = i;
    if (lanes > 1) index = vt_e_ramp(c, vt_mul(c, i, vt_i32(c, lanes)), vt_i32(c, 1), lanes);
    const vt_expr *x = at(c, b[0], index);
    const vt_stmt *s = loop(c, i, 16 / lanes, set(c, b[1], index, vt_e_call(c, x->dtype, op, 1, &x)));
    code compiled = compile(&k, function(c, "f", 2, b, s), VT_DEVICE_CPU, 2);
    float in[16], out[16];
    for (int n = 0; n < 16; n++) in[n] = 0.25f * (float)(n + 1);
    flat_tensor t[2];
    tensor_init(&t[0], in, 1, 2, 32, 16);
    tensor_init(&t[1], out, 1, 2, 32, 16);
    assert_int_equal(call(compiled.call, 2, t), 0);
    for (int n = 0; n < 16; n++)
        if (fabsf(out[n] - value(in[n])) > 1e-5f * fabsf(value(in[n])) + 1e-6f)
            fail_msg("%s(%g) = %g, not %g", vt_op_infos[op].name, (double)in[n], (double)out[n], (double)value(in[n]));
    code_free(&compiled);
    kit_close(&k);
}

static float f_rsqrt(float x) { return 1 / sqrtf(x); }
static float f_sigmoid(float x) { return 1 / (1 + expf(-x)); }

TEST_CASE(test_math) {
    static const struct {
        vt_op op;
        float (*value)(float);
    } table[] = {
        {VT_OP_EXP, expf},     {VT_OP_LOG, logf},     {VT_OP_SQRT, sqrtf},    {VT_OP_TANH, tanhf},
        {VT_OP_ERF, erff},     {VT_OP_FLOOR, floorf}, {VT_OP_CEIL, ceilf},    {VT_OP_TRUNC, truncf},
        {VT_OP_ROUND, roundf}, {VT_OP_FABS, fabsf},   {VT_OP_RSQRT, f_rsqrt}, {VT_OP_SIGMOID, f_sigmoid},
    };
    for (size_t n = 0; n < sizeof table / sizeof *table; n++) {
        run_math(table[n].op, table[n].value, 1);
        run_math(table[n].op, table[n].value, 4);
    }
}

/* ---- Numbers that are none, remainders of floats ----------------------------------------------------------------- */

/* R[i] = value(X[i], Y[i]), X and Y of a type, R of another; inputs and outputs are `n` elements each. */
static void run_pair(const vt_expr *(*value)(vt_ctx *c, const vt_expr *x, const vt_expr *y), vt_dtype t,
                     vt_dtype result, uint16_t lanes, void *x, void *y, void *r, int64_t n) {
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *b[] = {flat(c, "X", t, n), flat(c, "Y", t, n), flat(c, "R", result, n)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *index = i;
    if (lanes > 1) index = vt_e_ramp(c, vt_mul(c, i, vt_i32(c, lanes)), vt_i32(c, 1), lanes);
    const vt_stmt *s = set(c, b[2], index, value(c, at(c, b[0], index), at(c, b[1], index)));
    code compiled = compile(&k, function(c, "f", 3, b, loop(c, i, n / lanes, s)), VT_DEVICE_CPU, 1);
    flat_tensor of[3];
    tensor_init(&of[0], x, 1, t.code, t.bits, n);
    tensor_init(&of[1], y, 1, t.code, t.bits, n);
    tensor_init(&of[2], r, 1, result.code, result.bits, n);
    assert_int_equal(call(compiled.call, 3, of), 0);
    code_free(&compiled);
    kit_close(&k);
}

static const vt_expr *to_i32(vt_ctx *c, const vt_expr *e) {
    return vt_e_cast(c, vt_dtype_lanes(VT_I32, e->dtype.lanes), e);
}
static const vt_expr *is_nan(vt_ctx *c, const vt_expr *x, const vt_expr *y) {
    (void)y;
    return to_i32(c, vt_e_call(c, vt_dtype_lanes(VT_BOOL, x->dtype.lanes), VT_OP_ISNAN, 1, &x));
}
static const vt_expr *remainder_of(vt_ctx *c, const vt_expr *x, const vt_expr *y) {
    return vt_e_bin(c, VT_E_MOD, x, y);
}

TEST_CASE(test_float_remainders) {
    float x[] = {5.5f, -5.5f, 0, NAN, INFINITY, 1e10f, -0.75f, 3}, y[] = {2, 2, 3, 1, 2, 3, -0.5f, NAN}, r[8];
    int32_t none[8];
    for (uint16_t lanes = 1; lanes <= 4; lanes += 3) {
        run_pair(is_nan, VT_F32, VT_I32, lanes, x, y, none, 8);
        run_pair(remainder_of, VT_F32, VT_F32, lanes, x, y, r, 8);
        for (int n = 0; n < 8; n++) {
            float want = fmodf(x[n], y[n]);
            assert_int_equal(none[n], isnan(x[n]) != 0);
            if (isnan(want) ? !isnan(r[n]) : r[n] != want)
                fail_msg("fmod(%g, %g) = %g", (double)x[n], (double)y[n], (double)r[n]);
        }
    }
}

/* ---- Strided and reversed vectors, bool memory, guarded loads, calls outside ------------------------------------- */

static const vt_func *make_mixed(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "X", VT_I32, 16), flat(c, "M", VT_BOOL, 8), flat(c, "R", VT_I32, 16)};
    const vt_expr *even = vt_e_ramp(c, vt_i32(c, 0), vt_i32(c, 2), 8),
                  *back = vt_e_ramp(c, vt_i32(c, 7), vt_i32(c, -1), 8);
    const vt_expr *ramp = vt_e_ramp(c, vt_i32(c, 0), vt_i32(c, 1), 8), *three = vt_e_broadcast(c, vt_i32(c, 3), 8);
    const vt_var *i = vt_var_new(c, "i", VT_I32), *v = vt_var_new(c, "v", VT_I32);
    /* X[i << 24] is far outside unless i is 0. */
    const vt_expr *first = vt_e_bin(c, VT_E_EQ, i, vt_i32(c, 0)), *far = at(c, b[0], vt_mul(c, i, vt_i32(c, 1 << 24)));
    const vt_expr *guard[] = {first, far, vt_i32(c, -5)};
    const vt_expr *inside = vt_e_bin(c, VT_E_AND, first, vt_e_bin(c, VT_E_EQ, far, vt_i32(c, 0)));
    const vt_expr *args[] = {vt_int(c, VT_I8, -3), vt_int(c, VT_U8, 200), vt_float(c, VT_F32, 0.5), vt_i64(c, 1000)};
    const vt_expr *square = vt_e_let(c, v, vt_add(c, i, vt_i32(c, 1)), vt_e_bin(c, VT_E_MUL, v, v));
    const vt_stmt *body[] = {
        set(c, b[2], vt_add(c, i, vt_i32(c, 8)), vt_e_call(c, VT_I32, VT_OP_IF_THEN_ELSE, 3, guard)),
        vt_s_if(c, inside, set(c, b[2], vt_i32(c, 14), vt_i32(c, 77)), NULL),
        vt_s_if(c, vt_e_bin(c, VT_E_EQ, i, vt_i32(c, 3)), set(c, b[2], vt_i32(c, 15), square),
                set(c, b[2], vt_i32(c, 13), vt_e_call_extern(c, VT_I32, "outside_sum", 4, args))),
    };
    const vt_stmt *items[] = {
        set(c, b[1], ramp, vt_e_bin(c, VT_E_GT, at(c, b[0], even), three)),
        set(c, b[2], back, vt_e_select(c, at(c, b[1], ramp), at(c, b[0], even), three)),
        loop(c, i, 4, vt_s_seq(c, 3, body)),
    };
    return function(c, "mixed", 3, b, vt_s_seq(c, 3, items));
}

TEST_CASE(test_mixed) {
    kit k;
    kit_open(&k);
    for (int level = 0; level < 3; level++) {
        code compiled = compile(&k, make_mixed(&k.ctx), VT_DEVICE_CPU, level);
        int32_t x[16], r[16] = {0};
        bool m[8];
        for (int n = 0; n < 16; n++) x[n] = n;
        flat_tensor t[3];
        tensor_init(&t[0], x, 1, 0, 32, 16);
        tensor_init(&t[1], m, 1, 1, 1, 8);
        tensor_init(&t[2], r, 1, 0, 32, 16);
        assert_int_equal(call(compiled.call, 3, t), 0);
        for (int n = 0; n < 8; n++) {
            assert_int_equal(m[n], 2 * n > 3);
            assert_int_equal(r[7 - n], 2 * n > 3 ? 2 * n : 3);
        }
        static const int32_t expected[] = {0, -5, -5, -5, -1, 1197, 77, 16};
        for (int n = 8; n < 16; n++)
            if (n != 12) assert_int_equal(r[n], expected[n - 8]);
        code_free(&compiled);
    }
    kit_close(&k);
}

/* The same through the C text and the system's compiler, which takes its time: a choice. */
TEST_CASE(test_as_c) {
    through_c = true;
    launches = 0;
    run_add(VT_FOR_SERIAL, 0);
    run_add(VT_FOR_PARALLEL, 0);
    assert_int_equal(launches, 1);
    run_matmul(1, 0, 0);
    run_matmul(1000, 0, 0);
    assert_int_equal(workspaces, 0);
    static const vt_dtype types[] = {VT_I8, VT_I32, VT_U8, VT_I64};
    for (size_t t = 0; t < 4; t++)
        for (size_t o = 0; o < sizeof op_cases / sizeof *op_cases; o++)
            run_op(types[t], &op_cases[o], t % 2 ? 1 : 4, NULL);
    static const int64_t divisors[] = {8, 3, 0, -1};
    for (size_t d = 0; d < 4; d++)
        run_op(VT_I16, &op_cases[5], 4, &divisors[d]), run_op(VT_I64, &op_cases[6], 1, &divisors[d]);
    run_math(VT_OP_EXP, expf, 4);
    test_float_remainders(state);
    run_math(VT_OP_SIGMOID, f_sigmoid, 1);
    test_mixed(state);
    test_early_errors(state);
    through_c = false;
}

int main(void) { return run_cases(); }
