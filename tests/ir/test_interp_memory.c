/* The interpreter's elements of every type, its functions of single values, and what it says to a program that is
 * wrong: a failed assertion, memory that nobody gives, types that it has not. */
#include <math.h>
#include <string.h>

#include "ir/interp.h"
#include "ir/support.h"

/* B[i] = A[i] of another type, for both elements. */
static vta_status convert(vt_ctx *ctx, vt_dtype from, const void *in, vt_dtype to, void *out) {
    const vt_expr *two = vt_i32(ctx, 2);
    const vt_var *params[] = {vt_var_new(ctx, "A", VT_HANDLE_T), vt_var_new(ctx, "B", VT_HANDLE_T)};
    const vt_buffer *a = vt_buffer_new(ctx, "A", NULL, from, 1, &two), *b = vt_buffer_new(ctx, "B", NULL, to, 1, &two);
    vt_binding bindings[] = {{.param = params[0], .buffer = a}, {.param = params[1], .buffer = b}};
    const vt_var *i = vt_var_new(ctx, "i", VT_I32);
    vt_func f = {.name = "main", .n_params = 2, .params = params, .n_bindings = 2, .bindings = bindings};
    f.body = loop(ctx, i, 2, store1(ctx, b, vt_cast(ctx, to, load1(ctx, a, i)), i));
    char copy[32];
    memcpy(copy, in, 2 * vt_dtype_bytes(from));
    vt_interp_arg args[] = {{.data = copy, .elements = 2}, {.data = out, .elements = 2}};
    return vt_interp_run(ctx, &f, 2, args, NULL);
}

/* -3 and 100 as memory of each type has them: to and from int64 and float64, beside which nothing is written. */
static vta_status elements(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const struct {
        vt_dtype t;
        union {
            int8_t i8[2];
            int16_t i16[2];
            int32_t i32[2];
            int64_t i64[2];
            float f32[2];
            double f64[2];
        } in;
        int64_t first; /* what it is as an int64 */
    } rows[] = {{{VT_INT, 8, 1}, {.i8 = {-3, 100}}, -3},
                {{VT_INT, 16, 1}, {.i16 = {-3, 100}}, -3},
                {{VT_INT, 32, 1}, {.i32 = {-3, 100}}, -3},
                {{VT_INT, 64, 1}, {.i64 = {-3, 100}}, -3},
                {{VT_UINT, 8, 1}, {.i8 = {-3, 100}}, 253},
                {{VT_UINT, 16, 1}, {.i16 = {-3, 100}}, 65533},
                {{VT_UINT, 32, 1}, {.i32 = {-3, 100}}, 4294967293},
                {{VT_FLOAT, 32, 1}, {.f32 = {-3, 100}}, -3},
                {{VT_FLOAT, 64, 1}, {.f64 = {-3, 100}}, -3}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        int64_t whole[2] = {0};
        double real[2] = {0};
        char back[17], again[17];
        size_t bytes = 2 * vt_dtype_bytes(rows[n].t);
        assert_int_equal(convert(ctx, rows[n].t, &rows[n].in, VT_I64, whole), VTA_OK);
        assert_int_equal(convert(ctx, rows[n].t, &rows[n].in, VT_F64, real), VTA_OK);
        if (whole[0] != rows[n].first || whole[1] != 100) fail_msg("row %zu: %lld", n, (long long)whole[0]);
        if (real[0] != (double)rows[n].first || real[1] != 100) fail_msg("row %zu: %g", n, real[0]);
        memset(back, 0x55, sizeof back);
        memset(again, 0x55, sizeof again);
        assert_int_equal(convert(ctx, VT_I64, whole, rows[n].t, back), VTA_OK);
        assert_int_equal(convert(ctx, VT_F64, real, rows[n].t, again), VTA_OK);
        assert_memory_equal(back, &rows[n].in, bytes);
        assert_memory_equal(again, &rows[n].in, bytes);
        for (size_t k = bytes; k < sizeof back; k++) assert_true(back[k] == 0x55 && again[k] == 0x55);
    }
    return VTA_OK;
}

enum { FROM_HALF, TO_HALF, FROM_WIDE, TO_WIDE };

static vta_status without_meaning(vt_ctx *ctx, void *arg) {
    static const vt_dtype half = {VT_FLOAT, 16, 1}, wide = {VT_INT, 128, 1};
    char in[32] = {0}, out[32];
    switch (*(int *)arg) {
    case FROM_HALF: return convert(ctx, half, in, VT_F32, out);
    case TO_HALF: return convert(ctx, VT_F32, in, half, out);
    case FROM_WIDE: return convert(ctx, wide, in, VT_I64, out);
    default: return convert(ctx, VT_I64, in, wide, out);
    }
}

TEST_CASE(test_unsupported) {
    for (int n = FROM_HALF; n <= TO_WIDE; n++)
        run_in_context(without_meaning, &n, VTA_UNSUPPORTED,
                       n <= TO_HALF ? "error: the interpreter has no float16"
                                    : "error: the interpreter has no 128-bit integers");
}

/* ---- Functions of single values ------------------------------------------------------------------------------ */

static vt_value call1(vt_ctx *ctx, vt_dtype t, vt_op op, const vt_expr *x) {
    vt_value out;
    assert_int_equal(vt_interp_expr(ctx, vt_e_call(ctx, t, op, 1, &x), 0, NULL, NULL, &out), VTA_OK);
    assert_true(vt_dtype_eq(out.dtype, t));
    return out;
}

static vta_status functions(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const double isnan_rows[] = {0, -1, INFINITY, NAN};
    for (int n = 0; n < 4; n++)
        assert_int_equal(call1(ctx, VT_BOOL, VT_OP_ISNAN, vt_float(ctx, VT_F64, isnan_rows[n])).u.i, n == 3);
    static const int64_t bits[][2] = {{0, 0}, {1, 1}, {0x70f1, 8}, {INT32_MAX, 31}, {-1, 32}, {INT32_MIN, 1}};
    for (size_t n = 0; n < sizeof bits / sizeof *bits; n++)
        assert_int_equal(call1(ctx, VT_I32, VT_OP_POPCOUNT, vt_i32(ctx, bits[n][0])).u.i, bits[n][1]);
    assert_int_equal(call1(ctx, VT_I64, VT_OP_POPCOUNT, vt_i64(ctx, -1)).u.i, 64);
    assert_true(call1(ctx, VT_F64, VT_OP_RSQRT, vt_float(ctx, VT_F64, 16)).u.f == 0.25);
    assert_true(call1(ctx, VT_F64, VT_OP_SIGMOID, vt_float(ctx, VT_F64, 0)).u.f == 0.5);
    return VTA_OK;
}

/* The same bits as another type: IEEE 754 says which. */
static vta_status reinterpreted(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *one = vt_float(ctx, VT_F32, 1), *real = vt_float(ctx, VT_F64, -2);
    assert_int_equal(call1(ctx, VT_I32, VT_OP_REINTERPRET, one).u.i, 0x3f800000);
    assert_int_equal(call1(ctx, VT_I32, VT_OP_REINTERPRET, vt_float(ctx, VT_F32, -1)).u.i, (int32_t)0xbf800000);
    assert_int_equal(call1(ctx, VT_U32, VT_OP_REINTERPRET, vt_float(ctx, VT_F32, -1)).u.i, 0xbf800000);
    assert_true(call1(ctx, VT_F32, VT_OP_REINTERPRET, vt_i32(ctx, 0x40490000)).u.f == 3.140625);
    assert_true(call1(ctx, VT_F32, VT_OP_REINTERPRET, one).u.f == 1);
    assert_int_equal(call1(ctx, VT_I64, VT_OP_REINTERPRET, real).u.i, INT64_MIN + 0x4000000000000000);
    assert_true(call1(ctx, VT_F64, VT_OP_REINTERPRET, vt_i64(ctx, 0x4008000000000000)).u.f == 3);
    assert_int_equal(call1(ctx, VT_U32, VT_OP_REINTERPRET, vt_i32(ctx, -1)).u.i, UINT32_MAX);
    assert_int_equal(call1(ctx, VT_I32, VT_OP_REINTERPRET, vt_int(ctx, VT_U32, UINT32_MAX)).u.i, -1);
    return VTA_OK;
}

/* The quotient of floats by zero is what IEEE 754 says; there is no remainder. */
static vta_status float_by_zero(vt_ctx *ctx, void *arg) {
    vt_value out;
    const vt_expr *e = vt_e_bin(ctx, *(vt_expr_kind *)arg, vt_float(ctx, VT_F64, -2), vt_float(ctx, VT_F64, 0));
    vta_status status = vt_interp_expr(ctx, e, 0, NULL, NULL, &out);
    assert_true(status != VTA_OK || (isinf(out.u.f) && out.u.f < 0));
    return status;
}

TEST_CASE(test_float_by_zero) {
    vt_expr_kind quotient = VT_E_DIV, rest = VT_E_MOD, floor_rest = VT_E_FLOORMOD;
    run_in_context(float_by_zero, &quotient, VTA_OK, "");
    run_in_context(float_by_zero, &rest, VTA_ILLEGAL, "error: mod by zero");
    run_in_context(float_by_zero, &floor_rest, VTA_ILLEGAL, "error: floormod by zero");
}

/* ---- What is refused ----------------------------------------------------------------------------------------- */

enum { HOLDS, HOLDS_ALONE, FAILS, FAILS_WORDLESS, NO_MEMORY, TOO_FEW, TOO_MANY, NO_TENSOR, WRONG_TENSOR, WRONGS };

static vta_status wrong(vt_ctx *ctx, void *arg) {
    int what = *(int *)arg;
    static const char *const names[] = {"A"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){1});
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1), *shape[] = {one, one}, *at[] = {zero, zero};
    const vt_expr *words = vt_string(ctx, "too small"), *number = zero;
    const vt_buffer *ghost =
        vt_buffer_new(ctx, "G", vt_var_new_pointer(ctx, "pointer", VT_I32, "local"), VT_I32, 1, &one);
    vt_tensor tensor = {.name = "T", .dtype = VT_I32, .ndim = 2, .shape = shape};
    const vt_range box[] = {{zero, one}, {zero, one}};
    const vt_stmt *store = store1(ctx, f.buffers[0], one, zero);
    switch (what) {
    case HOLDS: f.func.body = vt_s_assert(ctx, one, words, store); break;
    case HOLDS_ALONE:
        f.func.body = vt_s_seq(ctx, 2, (const vt_stmt *[]){vt_s_assert(ctx, one, words, NULL), store});
        break;
    case FAILS: f.func.body = vt_s_assert(ctx, zero, words, store); break;
    case FAILS_WORDLESS: f.func.body = vt_s_assert(ctx, zero, number, store); break;
    case NO_MEMORY: f.func.body = vt_s_eval(ctx, load1(ctx, ghost, zero)); break;
    case NO_TENSOR: f.func.body = vt_s_eval(ctx, vt_e_pload(ctx, &tensor, 2, at)); break;
    case WRONG_TENSOR:
        f.func.body = vt_s_realize(ctx, &tensor, 2, box, NULL, "", vt_s_pstore(ctx, &tensor, one, 1, at));
        break;
    default: f.func.body = store; break;
    }
    int32_t a = 0;
    vt_interp_arg args[] = {{.data = &a, .elements = 1}, {.elements = 0}};
    uint32_t n_args = what == TOO_FEW ? 0 : what == TOO_MANY ? 2 : 1;
    vta_status status = vt_interp_run(ctx, &f.func, n_args, args, NULL);
    assert_int_equal(a, what <= HOLDS_ALONE); /* what follows a failed assertion does not run */
    return status;
}

TEST_CASE(test_wrong) {
    static const struct {
        vta_status status;
        const char *words;
    } rows[WRONGS] = {
        [HOLDS] = {VTA_OK, ""},
        [HOLDS_ALONE] = {VTA_OK, ""},
        [FAILS] = {VTA_ILLEGAL, "error: assert failed: too small"},
        [FAILS_WORDLESS] = {VTA_ILLEGAL, "error: assert failed: "},
        [NO_MEMORY] = {VTA_ILLEGAL, "error: buffer G has no memory: nothing allocates pointer"},
        [TOO_FEW] = {VTA_MISMATCH, "error: main takes 1 arguments, not 0"},
        [TOO_MANY] = {VTA_MISMATCH, "error: main takes 1 arguments, not 2"},
        [NO_TENSOR] = {VTA_ILLEGAL, "error: tensor T is neither realized nor bound to a parameter"},
        [WRONG_TENSOR] = {VTA_ILLEGAL, "error: 1 indices into T, which has 2 dimensions"},
    };
    for (int n = 0; n < WRONGS; n++) run_in_context(wrong, &n, rows[n].status, rows[n].words);
}

TEST_CASE(test_elements) { run_in_context(elements, NULL, VTA_OK, NULL); }
TEST_CASE(test_functions) { run_in_context(functions, NULL, VTA_OK, NULL); }
TEST_CASE(test_reinterpreted) { run_in_context(reinterpreted, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
