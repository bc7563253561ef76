/* The interpreter on forms that few programs have: vectors, memory that hooks give, boxes that do not begin at 0,
 * strides, threads, pointers, casts, functions of integers. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "ir/attr.h"
#include "ir/interp.h"
#include "ir/support.h"

/* ---- Vectors: each lane is the scalar form at that lane ------------------------------------------------------ */

enum { LANES = 4, FORMS = 26 };

/* The n-th form of x and y, int32 of any number of lanes. */
static const vt_expr *form(vt_ctx *ctx, int n, const vt_expr *x, const vt_expr *y) {
    static const vt_expr_kind arith[] = {VT_E_ADD,      VT_E_SUB,      VT_E_MUL, VT_E_DIV, VT_E_MOD,
                                         VT_E_FLOORDIV, VT_E_FLOORMOD, VT_E_MIN, VT_E_MAX};
    static const vt_expr_kind compare[] = {VT_E_EQ, VT_E_NE, VT_E_LT, VT_E_LE, VT_E_GT, VT_E_GE};
    static const vt_op bits[] = {VT_OP_SHIFT_LEFT, VT_OP_SHIFT_RIGHT, VT_OP_BITWISE_AND, VT_OP_BITWISE_OR,
                                 VT_OP_BITWISE_XOR};
    vt_dtype narrow = VT_I8;
    narrow.lanes = x->dtype.lanes;
    if (n < 9) return vt_e_bin(ctx, arith[n], x, y);
    if (n < 15) return vt_e_select(ctx, vt_e_bin(ctx, compare[n - 9], x, y), x, y);
    if (n < 20) return vt_e_call(ctx, x->dtype, bits[n - 15], 2, (const vt_expr *[]){x, y});
    const vt_expr *less = vt_e_bin(ctx, VT_E_LT, x, y), *equal = vt_e_bin(ctx, VT_E_EQ, x, y);
    switch (n) {
    case 20: return vt_e_cast(ctx, x->dtype, vt_e_cast(ctx, narrow, x));
    case 21: return vt_e_select(ctx, vt_e_not(ctx, less), x, y);
    case 22: return vt_e_select(ctx, vt_e_bin(ctx, VT_E_AND, less, vt_e_not(ctx, equal)), x, y);
    case 23: return vt_e_select(ctx, vt_e_bin(ctx, VT_E_OR, less, equal), x, y);
    case 24: return vt_e_call(ctx, x->dtype, VT_OP_BITWISE_NOT, 1, &x);
    default: return vt_e_call(ctx, x->dtype, VT_OP_LIKELY, 1, &y);
    }
}

/* What form says, of C's numbers. */
static int32_t value(int n, int32_t x, int32_t y) {
    int32_t q = x / y, r = x % y, down = r && (r < 0) != (y < 0);
    const int32_t is[FORMS] = {x + y,
                               x - y,
                               x * y,
                               q,
                               r,
                               q - down,
                               down ? r + y : r,
                               x < y ? x : y,
                               x < y ? y : x,
                               x == y ? x : y,
                               x != y ? x : y,
                               x < y ? x : y,
                               x <= y ? x : y,
                               x > y ? x : y,
                               x >= y ? x : y,
                               (int32_t)((uint32_t)x << y),
                               x >> y,
                               x & y,
                               x | y,
                               x ^ y,
                               (int8_t)x,
                               x < y ? y : x,
                               x < y ? x : y,
                               x <= y ? x : y,
                               ~x,
                               y};
    return is[n];
}

static vta_status vectors(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B", "C"};
    int32_t a[LANES] = {-300, 7, 9, 200}, b[LANES] = {3, 7, 2, 11}, c[LANES];
    for (int n = 0; n < FORMS; n++) {
        flat f;
        flat_begin(ctx, &f, 3, names, (const int64_t[]){LANES, LANES, LANES});
        const vt_expr *ramp = vt_e_ramp(ctx, vt_i32(ctx, 0), vt_i32(ctx, 1), LANES);
        const vt_expr *x = load1(ctx, f.buffers[0], ramp), *y = load1(ctx, f.buffers[1], ramp);
        f.func.body = store1(ctx, f.buffers[2], form(ctx, n, x, y), ramp);
        vt_interp_arg args[] = {{.data = a, .elements = 4}, {.data = b, .elements = 4}, {.data = c, .elements = 4}};
        memset(c, 0x77, sizeof c);
        assert_int_equal(vt_interp_run(ctx, &f.func, 3, args, NULL), VTA_OK);
        for (int k = 0; k < LANES; k++)
            if (c[k] != value(n, a[k], b[k])) fail_msg("form %d of %d and %d: %d", n, a[k], b[k], c[k]);
    }
    return VTA_OK;
}

/* B[0, 2, 4, 6] = let v = A[ramp] + broadcast(i) in v * v, for i = 5, stored backwards. */
static vta_status vector_lets(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){4, 8});
    vt_dtype wide = VT_I32;
    wide.lanes = LANES;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *v = vt_var_new(ctx, "v", wide);
    const vt_expr *up = vt_e_ramp(ctx, vt_i32(ctx, 0), vt_i32(ctx, 1), LANES);
    const vt_expr *down = vt_e_ramp(ctx, vt_i32(ctx, 6), vt_i32(ctx, -2), LANES);
    const vt_expr *sum = vt_e_bin(ctx, VT_E_ADD, load1(ctx, f.buffers[0], up), vt_e_broadcast(ctx, i, LANES));
    const vt_expr *square = vt_e_let(ctx, v, sum, vt_e_bin(ctx, VT_E_MUL, v, v));
    f.func.body =
        vt_s_for(ctx, i, vt_i32(ctx, 5), vt_i32(ctx, 1), VT_FOR_SERIAL, store1(ctx, f.buffers[1], square, down));
    int32_t a[] = {1, 2, 3, 4}, b[8] = {0};
    vt_interp_arg args[] = {{.data = a, .elements = 4}, {.data = b, .elements = 8}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 2, args, NULL), VTA_OK);
    const int32_t want[] = {81, 0, 64, 0, 49, 0, 36, 0};
    assert_memory_equal(b, want, sizeof want);
    return VTA_OK;
}

/* ---- Memory that hooks give ---------------------------------------------------------------------------------- */

typedef struct given {
    int32_t memory[8];
    size_t bytes;
    int allocs, frees;
    bool empty;
} given;

static void *give(void *user, const vt_stmt *alloc, size_t bytes) {
    given *g = user;
    assert_int_equal(alloc->kind, VT_S_ALLOC);
    g->allocs++;
    g->bytes = bytes;
    return g->empty ? NULL : g->memory;
}

static void take_back(void *user, const vt_stmt *alloc, void *memory) {
    given *g = user;
    assert_int_equal(alloc->kind, VT_S_ALLOC);
    assert_ptr_equal(memory, g->memory);
    g->frees++;
}

/* An ALLOC of 2 x 4, in which element `at` is written. */
static vta_status in_given_memory(vt_ctx *ctx, given *g, int64_t at) {
    const vt_expr *extents[] = {vt_i32(ctx, 2), vt_i32(ctx, 4)}, *eight = vt_i32(ctx, 8);
    const vt_var *data = vt_var_new_pointer(ctx, "T", VT_I32, "local");
    const vt_buffer *t = vt_buffer_new(ctx, "T", data, VT_I32, 1, &eight);
    const vt_stmt *store = store1(ctx, t, vt_i32(ctx, 77), vt_i32(ctx, at));
    vt_func f = {.name = "main", .body = vt_s_alloc(ctx, data, VT_I32, 2, extents, NULL, store)};
    return vt_interp_run(ctx, &f, 0, NULL, &(vt_interp_hooks){.user = g, .alloc = give, .free = take_back});
}

static vta_status hooks_give_memory(vt_ctx *ctx, void *arg) {
    given g = *(given *)arg;
    assert_int_equal(in_given_memory(ctx, &g, 5), VTA_OK);
    assert_int_equal(g.memory[5], 77);
    assert_int_equal(g.bytes, 32);
    assert_true(g.allocs == 1 && g.frees == 1);
    return VTA_OK;
}

static vta_status hooks_take_it_back(vt_ctx *ctx, void *arg) {
    given *g = arg;
    return in_given_memory(ctx, g, 8);
}

TEST_CASE(test_hooks) {
    given g = {.empty = false}, failed = g, empty = {.empty = true};
    run_in_context(hooks_give_memory, &g, VTA_OK, NULL);
    run_in_context(hooks_take_it_back, &failed, VTA_OUT_OF_RANGE, "error: element 8 of T, which has 8");
    assert_true(failed.allocs == 1 && failed.frees == 1);
    run_in_context(hooks_take_it_back, &empty, VTA_NO_MEMORY, "error: there is no memory for T");
    assert_true(empty.allocs == 1 && empty.frees == 0);
}

/* ---- Boxes, strides, threads, pointers ----------------------------------------------------------------------- */

/* T has rows 2 and 3 and columns 5 to 7; T[at] = 9 is read again. */
static vta_status in_a_box(vt_ctx *ctx, void *arg) {
    const int64_t *at = arg;
    const vt_expr *shape[] = {vt_i32(ctx, 2), vt_i32(ctx, 3)};
    vt_tensor *t = VT_NEW(ctx, vt_tensor);
    *t = (vt_tensor){.name = "T", .dtype = VT_I32, .ndim = 2, .shape = vt_exprs_copy(ctx, 2, shape)};
    const vt_range box[] = {{vt_i32(ctx, 2), vt_i32(ctx, 2)}, {vt_i32(ctx, 5), vt_i32(ctx, 3)}};
    const vt_expr *index[] = {vt_i32(ctx, at[0]), vt_i32(ctx, at[1])};
    static const char *const names[] = {"B"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){1});
    const vt_stmt *items[] = {vt_s_pstore(ctx, t, vt_i32(ctx, 9), 2, index),
                              store1(ctx, f.buffers[0], vt_e_pload(ctx, t, 2, index), vt_i32(ctx, 0))};
    f.func.body = vt_s_realize(ctx, t, 2, box, NULL, "", vt_s_seq(ctx, 2, items));
    int32_t out = 0;
    vt_interp_arg args[] = {{.data = &out, .elements = 1}};
    vta_status status = vt_interp_run(ctx, &f.func, 1, args, NULL);
    assert_true(status != VTA_OK || out == 9);
    return status;
}

TEST_CASE(test_boxes) {
    for (int64_t i = 1; i <= 4; i++)
        for (int64_t j = 4; j <= 8; j++) {
            bool row = i < 2 || i > 3, column = j < 5 || j > 7;
            char words[80];
            snprintf(words, sizeof words, "error: index %d of T, dimension %d, is outside %s", (int)(row ? i : j), !row,
                     row ? "2..3" : "5..7");
            run_in_context(in_a_box, (int64_t[]){i, j}, row || column ? VTA_OUT_OF_RANGE : VTA_OK,
                           row || column ? words : NULL);
        }
}

/* A buffer of 2 x 3 in memory of 16: rows 8 apart, columns 2 apart, from the third element on. */
static vta_status strides(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *data = vt_var_new_pointer(ctx, "S", VT_I32, "global"), *param = vt_var_new(ctx, "S", VT_HANDLE_T);
    const vt_expr *shape[] = {vt_i32(ctx, 2), vt_i32(ctx, 3)}, *apart[] = {vt_i32(ctx, 8), vt_i32(ctx, 2)};
    vt_buffer fields = *vt_buffer_new(ctx, "S", data, VT_I32, 2, shape);
    fields.n_strides = 2;
    fields.strides = vt_exprs_copy(ctx, 2, apart);
    fields.elem_offset = vt_i32(ctx, 2);
    const vt_buffer *s = vt_buffer_with(ctx, &fields);
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *j = vt_var_new(ctx, "j", VT_I32);
    const vt_iter *thread = vt_iter_new(ctx, j, vt_i32(ctx, 0), vt_i32(ctx, 3), VT_ITER_THREAD_INDEX, "vthread");
    const vt_expr *at[] = {i, j};
    const vt_stmt *store = vt_s_store(ctx, s, vt_add(ctx, vt_mul(ctx, i, vt_i32(ctx, 10)), j), 2, at);
    const vt_stmt *threads = vt_s_attr(ctx, vt_ref_iter(thread), VT_ATTR_VIRTUAL_THREAD, vt_i32(ctx, 3), store);
    vt_binding binding = {.param = param, .buffer = s};
    vt_func f = {.name = "main", .n_params = 1, .params = &param, .n_bindings = 1, .bindings = &binding};
    f.body = loop(ctx, i, 2, threads);
    int32_t memory[16] = {0};
    vt_interp_arg args[] = {{.data = memory, .elements = 16}};
    assert_int_equal(vt_interp_run(ctx, &f, 1, args, NULL), VTA_OK);
    for (int k = 0; k < 16; k++) {
        int row = (k - 2) / 8, column = (k - 2) % 8 / 2;
        bool element = k >= 2 && k % 2 == 0 && column < 3;
        assert_int_equal(memory[k], element ? row * 10 + column : 0);
    }
    return VTA_OK;
}

static bool look(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    (void)name;
    assert_int_equal(n, 1);
    *(const void **)user = args[0].u.p;
    return out->u.i == 0;
}

/* A pointer to element `at` of memory of 4. */
static vta_status pointer_to(vt_ctx *ctx, void *arg) {
    int64_t at = *(int64_t *)arg;
    static const char *const names[] = {"A"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){4});
    const vt_expr *type = vt_e_call(ctx, VT_I32, VT_OP_TYPE_ANNOTATION, 0, NULL), *one = vt_i32(ctx, 1);
    const vt_expr *parts[] = {type, f.buffers[0]->data, vt_i32(ctx, at), one, one};
    const vt_expr *pointer = vt_e_call(ctx, VT_HANDLE_T, VT_OP_ACCESS_PTR, 5, parts);
    f.func.body = vt_s_eval(ctx, vt_e_call_extern(ctx, VT_I32, "look", 1, &pointer));
    int32_t memory[4];
    const void *seen = NULL;
    vt_interp_arg args[] = {{.data = memory, .elements = 4}};
    vta_status status = vt_interp_run(ctx, &f.func, 1, args, &(vt_interp_hooks){.user = &seen, .call = look});
    assert_ptr_equal(seen, status == VTA_OK ? memory + at : NULL);
    return status;
}

TEST_CASE(test_pointers) {
    for (int64_t at = -1; at <= 5; at++) /* one behind the last is a pointer, too */
        run_in_context(pointer_to, &at, at < 0 || at > 4 ? VTA_OUT_OF_RANGE : VTA_OK,
                       at < 0 || at > 4 ? "error: access beyond A" : NULL);
}

/* ---- Single values ------------------------------------------------------------------------------------------- */

static int64_t whole(vt_ctx *ctx, const vt_expr *e) {
    vt_value out;
    assert_int_equal(vt_interp_expr(ctx, e, 0, NULL, NULL, &out), VTA_OK);
    return out.u.i;
}

static double real(vt_ctx *ctx, const vt_expr *e) {
    vt_value out;
    assert_int_equal(vt_interp_expr(ctx, e, 0, NULL, NULL, &out), VTA_OK);
    return out.u.f;
}

static vta_status casts(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const struct {
        double from;
        int64_t i8, i64;
        bool truth;
    } rows[] = {{2.75, 2, 2, true},           {-2.75, -2, -2, true},       {0, 0, 0, false},
                {300, 44, 300, true},         {1e30, -1, INT64_MAX, true}, {-1e30, 0, INT64_MIN, true},
                {9.2e18, -1, INT64_MAX, true}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const vt_expr *from = vt_float(ctx, VT_F64, rows[n].from);
        assert_int_equal(whole(ctx, vt_e_cast(ctx, VT_I8, from)), rows[n].i8);
        assert_int_equal(whole(ctx, vt_e_cast(ctx, VT_I64, from)), rows[n].i64);
        assert_int_equal(whole(ctx, vt_e_cast(ctx, VT_BOOL, from)), rows[n].truth);
    }
    assert_int_equal(whole(ctx, vt_e_cast(ctx, VT_BOOL, vt_i32(ctx, 256))), 1);
    assert_int_equal(whole(ctx, vt_e_cast(ctx, VT_U8, vt_i32(ctx, -1))), 255);
    const vt_dtype u64 = {.code = VT_UINT, .bits = 64, .lanes = 1};
    assert_true(real(ctx, vt_e_cast(ctx, VT_F64, vt_int(ctx, u64, -1))) == 0x1p64);
    assert_true(real(ctx, vt_e_cast(ctx, VT_F64, vt_int(ctx, VT_I64, -1))) == -1);
    assert_true(real(ctx, vt_e_cast(ctx, VT_F32, vt_float(ctx, VT_F64, 0.1))) == (double)0.1f);
    assert_true(real(ctx, vt_e_cast(ctx, VT_F64, vt_float(ctx, VT_F64, 0.1))) == 0.1);
    return VTA_OK;
}

/* x * y / 2^q * 2^s, halves up; the shift q - s is from 1 to 62. */
static vta_status multiply_shift(vt_ctx *ctx, void *arg) {
    const int64_t *p = arg; /* x, y, q, s */
    const vt_expr *parts[4];
    for (int i = 0; i < 4; i++) parts[i] = vt_i32(ctx, p[i]);
    vt_value out;
    const vt_expr *call = vt_e_call(ctx, VT_I32, VT_OP_Q_MULTIPLY_SHIFT, 4, parts);
    vta_status status = vt_interp_expr(ctx, call, 0, NULL, NULL, &out);
    if (status == VTA_OK) assert_int_equal(out.u.i, p[4]);
    return status;
}

TEST_CASE(test_multiply_shift) {
    static int64_t rows[][5] = {{7, 3, 1, 0, 11},
                                {-7, 3, 1, 0, -10},
                                {5, 5, 4, 2, 6},
                                {5, 6, 4, 2, 8},
                                {1, 1, 62, 0, 0},
                                {INT_MAX, INT_MAX, 32, 1, INT_MAX - 1},
                                {INT_MIN, 2, 2, 0, INT_MIN / 2}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) run_in_context(multiply_shift, rows[n], VTA_OK, NULL);
    int64_t none[] = {1, 1, 2, 2, 0}, far[] = {1, 1, 63, 0, 0};
    run_in_context(multiply_shift, none, VTA_ILLEGAL, "error: q_multiply_shift by 0");
    run_in_context(multiply_shift, far, VTA_ILLEGAL, "error: q_multiply_shift by 63");
}

TEST_CASE(test_vectors) { run_in_context(vectors, NULL, VTA_OK, NULL); }
TEST_CASE(test_vector_lets) { run_in_context(vector_lets, NULL, VTA_OK, NULL); }
TEST_CASE(test_strides) { run_in_context(strides, NULL, VTA_OK, NULL); }
TEST_CASE(test_casts) { run_in_context(casts, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
