/* Expressions and statements that the passes seldom leave behind: run by LLVM and as C, and what neither compiles. */
#include "codegen/stubs.h"
#include "ir/attr.h"
#include "support/check.h"

enum { N = 8, LANES = 4 };

/* What an address leads to, for tests of addresses. */
EXPORTED int32_t peek(void *p);
int32_t peek(void *p) { return *(int32_t *)p; }

static const vt_expr *ramp(vt_ctx *c, int64_t from, int64_t stride) {
    return vt_e_ramp(c, vt_i32(c, from), vt_i32(c, stride), LANES);
}

static const vt_expr *peeked(vt_ctx *c, const vt_expr *address) {
    return vt_e_call_extern(c, VT_I32, "peek", 1, &address);
}

static const vt_expr *address_of(vt_ctx *c, const vt_expr *load) {
    return vt_e_call(c, VT_HANDLE_T, VT_OP_ADDRESS_OF, 1, &load);
}

static const vt_expr *access_ptr(vt_ctx *c, const vt_buffer *b, int64_t offset) {
    const vt_expr *args[] = {vt_i32(c, 0), b->data, vt_i32(c, offset), vt_i32(c, 1), vt_i32(c, 1)};
    return vt_e_call(c, VT_HANDLE_T, VT_OP_ACCESS_PTR, 5, args);
}

static const vt_expr *is_null(vt_ctx *c, const vt_expr *pointer) {
    return vt_cast(c, VT_I32, vt_e_call(c, VT_BOOL, VT_OP_ISNULLPTR, 1, &pointer));
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* X[i] is 10 * i + 1. */
typedef struct row {
    const vt_expr *(*value)(vt_ctx *c, const vt_buffer *x);
    int32_t want[LANES]; /* of a number: the first alone */
} row;

static const vt_expr *likely(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *e = vt_e_bin(c, VT_E_GT, at(c, x, vt_i32(c, 1)), vt_i32(c, 10));
    return vt_e_cast(c, VT_I32, vt_e_call(c, VT_BOOL, VT_OP_LIKELY, 1, &e));
}
static const vt_expr *unlikely(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *e = vt_e_bin(c, VT_E_GT, at(c, x, vt_i32(c, 1)), vt_i32(c, 11));
    return vt_e_cast(c, VT_I32, vt_e_call(c, VT_BOOL, VT_OP_LIKELY, 1, &e));
}
static const vt_expr *negated(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *more = vt_e_bin(c, VT_E_GT, at(c, x, ramp(c, 0, 1)), vt_e_broadcast(c, vt_i32(c, 11), LANES));
    return vt_e_cast(c, vt_dtype_lanes(VT_I32, LANES), vt_e_not(c, more));
}
static const vt_expr *address(vt_ctx *c, const vt_buffer *x) {
    return peeked(c, address_of(c, at(c, x, vt_i32(c, 6))));
}
/* That of a vector is its first element's. */
static const vt_expr *address_of_vector(vt_ctx *c, const vt_buffer *x) {
    return peeked(c, address_of(c, at(c, x, ramp(c, 3, 1))));
}
static const vt_expr *accessed(vt_ctx *c, const vt_buffer *x) { return peeked(c, access_ptr(c, x, 5)); }
static const vt_expr *null(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *zero = vt_i64(c, 0);
    (void)x;
    return is_null(c, vt_e_call(c, VT_HANDLE_T, VT_OP_REINTERPRET, 1, &zero));
}
static const vt_expr *not_null(vt_ctx *c, const vt_buffer *x) { return is_null(c, x->data); }
/* An integer is a number. */
static const vt_expr *not_nan(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *e = at(c, x, vt_i32(c, 1));
    return vt_cast(c, VT_I32, vt_e_call(c, VT_BOOL, VT_OP_ISNAN, 1, &e));
}
static const vt_expr *same_for_all(vt_ctx *c, const vt_buffer *x) {
    return at(c, x, vt_e_broadcast(c, vt_i32(c, 7), LANES));
}
static const vt_expr *lane_by_lane(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *low = at(c, x, ramp(c, 0, 1)), *high = at(c, x, ramp(c, 4, 1));
    const vt_expr *args[] = {vt_e_bin(c, VT_E_LT, low, vt_e_broadcast(c, vt_i32(c, 21), LANES)), low, high};
    return vt_e_call(c, low->dtype, VT_OP_IF_THEN_ELSE, 3, args);
}
static const vt_expr *vector_condition(vt_ctx *c, const vt_buffer *x) {
    const vt_expr *low = at(c, x, ramp(c, 0, 1)), *high = at(c, x, ramp(c, 4, 1));
    return vt_e_select(c, vt_e_bin(c, VT_E_GE, low, vt_e_broadcast(c, vt_i32(c, 21), LANES)), low, high);
}

static const row rows[] = {
    {likely, {1}},
    {unlikely, {0}},
    {negated, {1, 1, 0, 0}},
    {address, {61}},
    {address_of_vector, {31}},
    {accessed, {51}},
    {null, {1}},
    {not_null, {0}},
    {not_nan, {0}},
    {same_for_all, {71, 71, 71, 71}},
    {lane_by_lane, {1, 11, 61, 71}},
    {vector_condition, {41, 51, 21, 31}},
};
enum { ROWS = sizeof rows / sizeof *rows, RESULTS = (ROWS + 1) * LANES };

/* let v = X[0:4] in R[from:from + 4] = v * v + v */
static const vt_stmt *vector_let(vt_ctx *c, const vt_buffer *x, const vt_buffer *r, int64_t from) {
    const vt_var *v = vt_var_new(c, "v", vt_dtype_lanes(VT_I32, LANES));
    const vt_expr *value = vt_e_bin(c, VT_E_ADD, vt_e_bin(c, VT_E_MUL, v, v), v);
    return vt_s_let(c, v, at(c, x, ramp(c, 0, 1)), set(c, r, ramp(c, from, 1), value));
}

static const vt_func *make_values(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "X", VT_I32, N), flat(c, "R", VT_I32, RESULTS)};
    const vt_stmt *items[ROWS + 1];
    for (int i = 0; i < ROWS; i++) {
        const vt_expr *value = rows[i].value(c, b[0]);
        items[i] = set(c, b[1], value->dtype.lanes > 1 ? ramp(c, i * LANES, 1) : vt_i32(c, i * LANES), value);
    }
    items[ROWS] = vector_let(c, b[0], b[1], ROWS * LANES);
    return function(c, "values", 2, b, vt_s_seq(c, ROWS + 1, items));
}

static void values(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_values(&k.ctx), VT_DEVICE_CPU, 1);
    int32_t x[N], r[RESULTS] = {0};
    flat_tensor t[2];
    for (int i = 0; i < N; i++) x[i] = 10 * i + 1;
    tensor_init(&t[0], x, 1, VT_INT, 32, N);
    tensor_init(&t[1], r, 1, VT_INT, 32, RESULTS);
    assert_int_equal(call(compiled.call, 2, t), 0);
    for (int i = 0; i < RESULTS; i++) {
        int32_t v = x[i % LANES], want = i / LANES < ROWS ? rows[i / LANES].want[i % LANES] : v * v + v;
        if (r[i] != want) fail_msg("row %d, %d: %d, not %d", i / LANES, i % LANES, r[i], want);
    }
    code_free(&compiled);
    kit_close(&k);
}

/* ---- Returning early --------------------------------------------------------------------------------------------- */

/* R[0] = 1; in memory of the workspace: return if X[0] is 1; R[1] = 2 */
static const vt_func *make_return(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "X", VT_I32, 1), flat(c, "R", VT_I32, 2)}, *own = flat(c, "own", VT_I32, 1000);
    const vt_expr *zero = vt_i32(c, 0), *one = vt_i32(c, 1);
    const vt_stmt *leave = vt_s_eval(c, vt_e_call(c, VT_I32, VT_OP_RET, 1, &zero));
    const vt_stmt *items[] = {set(c, own, zero, at(c, b[0], zero)),
                              vt_s_if(c, vt_e_bin(c, VT_E_EQ, at(c, own, zero), one), leave, NULL),
                              set(c, b[1], one, vt_i32(c, 2))};
    const vt_stmt *both[] = {set(c, b[1], zero, one),
                             vt_s_alloc(c, own->data, VT_I32, 1, own->shape, vt_bool(c, true), vt_s_seq(c, 3, items))};
    return function(c, "early", 2, b, vt_s_seq(c, 2, both));
}

/* Returning is no error, and gives back what was allocated. */
static void early_return(void **state) {
    through_c = *state != NULL;
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_return(&k.ctx), VT_DEVICE_CPU, 1);
    for (int32_t x = 0; x < 2; x++) {
        int32_t r[2] = {0};
        flat_tensor t[2];
        tensor_init(&t[0], &x, 1, VT_INT, 32, 1);
        tensor_init(&t[1], r, 1, VT_INT, 32, 2);
        assert_int_equal(call(compiled.call, 2, t), 0);
        assert_int_equal(r[0], 1);
        assert_int_equal(r[1], x ? 0 : 2);
        assert_int_equal(workspaces, 0);
    }
    code_free(&compiled);
    kit_close(&k);
}

/* ---- By LLVM alone ----------------------------------------------------------------------------------------------- */

/* Memory whose elements are vectors; a hint that C has no name for. */
static const vt_func *make_llvm_only(vt_ctx *c) {
    static const vt_dtype four = VT_DTYPE(VT_INT, 32, LANES);
    const vt_buffer *b[] = {flat(c, "V", four, 3), flat(c, "W", four, 3)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *three = vt_i32(c, 3), *hint = b[1]->data;
    const vt_expr *value = at(c, b[0], vt_e_bin(c, VT_E_SUB, vt_i32(c, 2), i));
    value = vt_e_bin(c, VT_E_MUL, value, vt_e_broadcast(c, three, LANES));
    const vt_stmt *items[] = {vt_s_eval(c, vt_e_call(c, VT_I32, VT_OP_PREFETCH, 1, &hint)), set(c, b[1], i, value)};
    return function(c, "wide", 2, b, loop(c, i, 3, vt_s_seq(c, 2, items)));
}

static void llvm_only(void **state) {
    (void)state;
    through_c = false;
    kit k;
    kit_open(&k);
    code compiled = compile(&k, make_llvm_only(&k.ctx), VT_DEVICE_CPU, 1);
    int32_t v[3 * LANES], w[3 * LANES];
    for (int i = 0; i < 3 * LANES; i++) v[i] = i + 1;
    flat_tensor t[2];
    tensor_init(&t[0], v, 1, VT_INT, 32, 3);
    tensor_init(&t[1], w, 1, VT_INT, 32, 3);
    t[0].t.dtype.lanes = t[1].t.dtype.lanes = LANES;
    assert_int_equal(call(compiled.call, 2, t), 0);
    for (int i = 0; i < 3 * LANES; i++) assert_int_equal(w[i], 3 * v[(2 - i / LANES) * LANES + i % LANES]);
    code_free(&compiled);
    kit_close(&k);
}

/* Floats of 16 bits: as text, for processors without them need functions that this process may not have. */
static void halves(void **state) {
    (void)state;
    static const vt_dtype half = VT_DTYPE(VT_FLOAT, 16, 1);
    static const char *const parts[] = {"= load half, ptr %", "= fpext half %", ", 0xH4000\n", "= fmul half %",
                                        "store half %"};
    kit k;
    vt_strbuf text;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *b[] = {flat(c, "H", half, N), flat(c, "F", VT_F32, N), flat(c, "G", half, N)};
    const vt_expr *zero = vt_i32(c, 0), *h = at(c, b[0], zero);
    const vt_stmt *items[] = {set(c, b[1], zero, vt_e_cast(c, VT_F32, h)),
                              set(c, b[2], zero, vt_e_bin(c, VT_E_MUL, h, vt_float(c, half, 2)))};
    if (emit(&k, function(c, "f", 3, b, vt_s_seq(c, 2, items)), VT_DEVICE_CPU, NULL, VT_EMIT_LLVM, 0, &text))
        fail_msg("%s", vta_diag_text(k.diag));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_contains(vt_strbuf_text(&text), parts[i]);
    vt_strbuf_free(&text);
    kit_close(&k);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static const vt_stmt *floored(vt_ctx *c, const vt_buffer *r) {
    const vt_buffer *f = flat(c, "f", VT_F32, 1);
    const vt_expr *zero = vt_i32(c, 0), *x = vt_e_cast(c, VT_F32, at(c, r, zero));
    const vt_stmt *s = set(c, f, zero, vt_e_bin(c, VT_E_FLOORDIV, x, vt_float(c, VT_F32, 3)));
    return vt_s_alloc(c, f->data, VT_F32, 1, f->shape, vt_bool(c, true), s);
}
static const vt_stmt *tiny_floats(vt_ctx *c, const vt_buffer *r) {
    const vt_expr *e = vt_e_cast(c, VT_DTYPE(VT_FLOAT, 8, 1), at(c, r, vt_i32(c, 0)));
    return set(c, r, vt_i32(c, 0), vt_e_cast(c, VT_I32, e));
}
static const vt_stmt *vector_elements(vt_ctx *c, const vt_buffer *r) {
    const vt_buffer *v = flat(c, "v", VT_DTYPE(VT_INT, 32, LANES), 2);
    const vt_stmt *s = set(c, r, ramp(c, 0, 1), at(c, v, vt_i32(c, 1)));
    return vt_s_alloc(c, v->data, v->dtype, 1, v->shape, vt_bool(c, true), s);
}
static const vt_stmt *vector_elements_stored(vt_ctx *c, const vt_buffer *r) {
    const vt_buffer *v = flat(c, "v", VT_DTYPE(VT_INT, 32, LANES), 2);
    const vt_stmt *s = set(c, v, vt_i32(c, 1), at(c, r, ramp(c, 0, 1)));
    return vt_s_alloc(c, v->data, v->dtype, 1, v->shape, vt_bool(c, true), s);
}
static const vt_stmt *negative_size(vt_ctx *c, const vt_buffer *r) {
    const vt_expr *extents[] = {vt_i32(c, -4)};
    return vt_s_alloc(c, vt_var_new_pointer(c, "own", VT_I32, "global"), VT_I32, 1, extents, vt_bool(c, true),
                      set(c, r, vt_i32(c, 0), vt_i32(c, 0)));
}
static const vt_stmt *great_size(vt_ctx *c, const vt_buffer *r) {
    const vt_expr *extents[] = {vt_i64(c, INT64_C(1) << 32), vt_i64(c, INT64_C(1) << 32)};
    return vt_s_alloc(c, vt_var_new_pointer(c, "own", VT_I32, "global"), VT_I32, 2, extents, vt_bool(c, true),
                      set(c, r, vt_i32(c, 0), vt_i32(c, 0)));
}

static const struct {
    const vt_stmt *(*body)(vt_ctx *c, const vt_buffer *r);
    vt_emit what;
    vta_status status;
    const char *says;
} refusals[] = {
    {floored, VT_EMIT_C, VTA_UNSUPPORTED, "error: bad: floordiv of floats"},
    {floored, VT_EMIT_OBJECT, VTA_UNSUPPORTED, "error: bad: floordiv of floats"},
    {tiny_floats, VT_EMIT_C, VTA_UNSUPPORTED, "error: bad: C has no type for float8"},
    {tiny_floats, VT_EMIT_OBJECT, VTA_UNSUPPORTED, "error: bad: there is no code for 8-bit floats"},
    {vector_elements, VT_EMIT_C, VTA_UNSUPPORTED, "error: bad: v has vector elements"},
    {vector_elements_stored, VT_EMIT_C, VTA_UNSUPPORTED, "error: bad: v has vector elements"},
    {negative_size, VT_EMIT_C, VTA_OUT_OF_RANGE, "error: bad: the allocation of own has no valid size"},
    {great_size, VT_EMIT_C, VTA_OUT_OF_RANGE, "error: bad: the allocation of own has no valid size"},
    {negative_size, VT_EMIT_OBJECT, VTA_OUT_OF_RANGE, "error: bad: the allocation of own has no valid size"},
    {great_size, VT_EMIT_OBJECT, VTA_OUT_OF_RANGE, "error: bad: the allocation of own has no valid size"},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        kit k;
        vt_strbuf out;
        kit_open(&k);
        const vt_buffer *r = flat(&k.ctx, "R", VT_I32, N);
        const vt_func *f = function(&k.ctx, "bad", 1, &r, refusals[i].body(&k.ctx, r));
        vta_status status = emit(&k, f, VT_DEVICE_CPU, NULL, refusals[i].what, 0, &out);
        if (status != refusals[i].status) fail_msg("refusal %zu: status %d", i, (int)status);
        assert_contains(vta_diag_text(k.diag), refusals[i].says);
        vt_strbuf_free(&out);
        kit_close(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(early_return),
        cmocka_unit_test(llvm_only),
        cmocka_unit_test(halves),
        cmocka_unit_test(refused),
        {"values_as_c", values, NULL, NULL, (void *)"C"},
        {"early_return_as_c", early_return, NULL, NULL, (void *)"C"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
