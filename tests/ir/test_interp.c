/* The interpreter: what it computes, and what it refuses, with the message. */
#include <stdio.h>
#include <string.h>

#include "ir/interp.h"
#include "ir/support.h"

typedef struct call_log {
    char text[256];
} call_log;

static bool log_call(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    call_log *log = user;
    size_t at = strlen(log->text);
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += args[i].u.i;
    snprintf(log->text + at, sizeof log->text - at, "%s(%lld) ", name, (long long)sum);
    out->u.i = sum;
    return strcmp(name, "unknown") != 0;
}

/* B[i] = A[i] * 2 + i where i is even, else the larger of A[i] and 0. */
static vta_status computes(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){4, 4});
    const vt_var *i = vt_var_new(ctx, "i", VT_I32);
    const vt_expr *a = load1(ctx, f.buffers[0], i), *two = vt_i32(ctx, 2);
    const vt_expr *even = vt_eq(ctx, vt_floormod(ctx, i, two), vt_i32(ctx, 0));
    const vt_expr *value =
        vt_if_then_else(ctx, even, vt_add(ctx, vt_mul(ctx, a, two), i), vt_max(ctx, a, vt_i32(ctx, 0)));
    f.func.body = loop(ctx, i, 4, store1(ctx, f.buffers[1], value, i));
    int32_t in[] = {5, -7, 1 << 30, 9}, out[4] = {0};
    vt_interp_arg args[] = {{.data = in, .elements = 4}, {.data = out, .elements = 4}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 2, args, NULL), VTA_OK);
    const int32_t want[] = {10, 0, INT32_MIN + 2, 9}; /* wraps */
    assert_memory_equal(out, want, sizeof want);
    return VTA_OK;
}

/* A block with memory of its own, 3 x 4, and one that begins at the first step of a sum: B[i] = i + 1, S = 100 + 3. */
static vta_status blocks(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"B", "S"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){12, 1});
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1), *four = vt_i32(ctx, 4);
    const vt_expr *shape[] = {vt_i32(ctx, 3), four};
    const vt_buffer *t = vt_buffer_new(ctx, "T", NULL, VT_I32, 2, shape);
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *v = vt_var_new(ctx, "v", VT_I32);
    const vt_expr *at[] = {vt_floordiv(ctx, v, four), vt_floormod(ctx, v, four)};
    const vt_stmt *copies[] = {vt_s_store(ctx, t, vt_add(ctx, v, one), 2, at),
                               store1(ctx, f.buffers[0], vt_e_load(ctx, t, 2, at), v)};
    const vt_iter *data[] = {vt_iter_new(ctx, v, zero, vt_i32(ctx, 12), VT_ITER_DATA_PAR, "")};
    const vt_iter *sum[] = {vt_iter_new(ctx, v, zero, vt_i32(ctx, 3), VT_ITER_COMM_REDUCE, "")};
    vt_stmt s = {.kind = VT_S_BLOCK,
                 .u.block = {.name = "copy",
                             .n_iters = 1,
                             .iters = data,
                             .n_bindings = 1,
                             .bindings = &i,
                             .n_allocs = 1,
                             .allocs = &t,
                             .body = vt_s_seq(ctx, 2, copies)}};
    const vt_stmt *copy = loop(ctx, i, 12, vt_s_new(ctx, &s));
    s.u.block.iters = sum;
    s.u.block.n_allocs = 0;
    s.u.block.init = store1(ctx, f.buffers[1], vt_i32(ctx, 100), zero);
    s.u.block.body = store1(ctx, f.buffers[1], vt_add(ctx, load1(ctx, f.buffers[1], zero), one), zero);
    f.func.body = vt_s_seq(ctx, 2, (const vt_stmt *[]){copy, loop(ctx, i, 3, vt_s_new(ctx, &s))});
    int32_t out[12] = {0}, added = 0;
    vt_interp_arg args[] = {{.data = out, .elements = 12}, {.data = &added, .elements = 1}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 2, args, NULL), VTA_OK);
    for (int k = 0; k < 12; k++) assert_int_equal(out[k], k + 1);
    assert_int_equal(added, 103);
    return VTA_OK;
}

/* A vector store: B[0..3] = A[0..3] + broadcast(10), in a loop over memory that an allocate gives. */
static vta_status vectors(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B"};
    flat f;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){4, 4});
    const vt_expr *zero = vt_i32(ctx, 0), *four = vt_i32(ctx, 4), *ramp = vt_e_ramp(ctx, zero, vt_i32(ctx, 1), 4);
    const vt_var *data = vt_var_new_pointer(ctx, "T", VT_I32, "local");
    const vt_buffer *t = vt_buffer_new(ctx, "T", data, VT_I32, 1, &four);
    const vt_stmt *first = store1(ctx, t, vt_add(ctx, load1(ctx, f.buffers[0], ramp), vt_i32(ctx, 10)), ramp);
    const vt_stmt *second = store1(ctx, f.buffers[1], load1(ctx, t, ramp), ramp);
    f.func.body = vt_s_alloc(ctx, data, VT_I32, 1, &four, NULL, vt_s_seq(ctx, 2, (const vt_stmt *[]){first, second}));
    int32_t in[] = {1, 2, 3, 4}, out[4] = {0};
    vt_interp_arg args[] = {{.data = in, .elements = 4}, {.data = out, .elements = 4}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 2, args, NULL), VTA_OK);
    const int32_t want[] = {11, 12, 13, 14};
    assert_memory_equal(out, want, sizeof want);
    return VTA_OK;
}

/* sum over k of A[k] * A[k] as a reduction, at the level of tensors. */
static vta_status reductions(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *four = vt_i32(ctx, 4), *one = vt_i32(ctx, 1), *zero = vt_i32(ctx, 0);
    vt_tensor a = {.name = "A", .dtype = VT_I32, .ndim = 1, .shape = &four};
    vt_tensor b = {.name = "B", .dtype = VT_I32, .ndim = 1, .shape = &one};
    const vt_var *pa = vt_var_new(ctx, "A", VT_HANDLE_T), *pb = vt_var_new(ctx, "B", VT_HANDLE_T);
    const vt_var *params[] = {pa, pb}, *l = vt_var_new(ctx, "l", VT_I32), *r = vt_var_new(ctx, "r", VT_I32);
    const vt_expr *result = vt_add(ctx, l, r);
    vt_combiner sum = {1, &l, &r, &result, &zero};
    const vt_iter *k = vt_iter_new(ctx, vt_var_new(ctx, "k", VT_I32), zero, four, VT_ITER_COMM_REDUCE, NULL);
    const vt_expr *ak = vt_e_pload(ctx, &a, 1, &k->var), *source = vt_mul(ctx, ak, ak);
    const vt_expr *total = vt_e_reduce(ctx, &sum, 1, &source, 1, &k, NULL, NULL, 0);
    vt_binding bindings[] = {{.param = pa, .tensor = &a}, {.param = pb, .tensor = &b}};
    const vt_range whole = {zero, one};
    const vt_stmt *store = vt_s_pstore(ctx, &b, total, 1, &zero);
    vt_func f = {.name = "main",
                 .n_params = 2,
                 .params = params,
                 .n_bindings = 2,
                 .bindings = bindings,
                 .body = vt_s_realize(ctx, &b, 1, &whole, NULL, "", store)}; /* the output's realize is the argument */
    int32_t in[] = {1, 2, 3, 4}, out = 0;
    vt_interp_arg args[] = {{.data = in, .elements = 4}, {.data = &out, .elements = 1}};
    assert_int_equal(vt_interp_run(ctx, &f, 2, args, NULL), VTA_OK);
    assert_int_equal(out, 30);
    return VTA_OK;
}

static vta_status calls(vt_ctx *ctx, void *arg) {
    (void)arg;
    call_log log = {""};
    vt_interp_hooks hooks = {.user = &log, .call = log_call};
    const vt_expr *args[] = {vt_i32(ctx, 3), vt_i32(ctx, 2)};
    const vt_stmt *items[] = {vt_s_eval(ctx, vt_e_call_extern(ctx, VT_I32, "f", 2, args)),
                              vt_s_eval(ctx, vt_e_call(ctx, VT_I32, VT_OP_VTA_COPROC_DEP_PUSH, 2, args))};
    vt_func f = {.name = "main", .body = vt_s_seq(ctx, 2, items)};
    assert_int_equal(vt_interp_run(ctx, &f, 0, NULL, &hooks), VTA_OK);
    assert_string_equal(log.text, "f(5) tir.vta.coproc_dep_push(5) ");
    return VTA_OK;
}

static vta_status store_at(vt_ctx *ctx, void *arg) {
    static const char *const names[] = {"A"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){4});
    int32_t data[4];
    vt_interp_arg args[] = {{.data = data, .elements = 4}};
    f.func.body = store1(ctx, f.buffers[0], vt_i32(ctx, 1), vt_i32(ctx, *(int64_t *)arg));
    return vt_interp_run(ctx, &f.func, 1, args, NULL);
}

/* Memory holds zeros whenever its statement begins, also after a round that wrote to it: B[i] = t[0] + t[1]. */
static vta_status cleared(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"B"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){3});
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1), *two = vt_i32(ctx, 2);
    const vt_buffer *t = vt_buffer_new(ctx, "t", NULL, VT_I32, 1, &two);
    const vt_var *i = vt_var_new(ctx, "i", VT_I32);
    const vt_stmt *items[] = {
        store1(ctx, f.buffers[0], vt_add(ctx, load1(ctx, t, zero), load1(ctx, t, one)), i),
        store1(ctx, t, one, zero),
        store1(ctx, t, two, one),
    };
    f.func.body = loop(ctx, i, 3, vt_s_alloc(ctx, t->data, VT_I32, 1, &two, NULL, vt_s_seq(ctx, 3, items)));
    int32_t out[3] = {-1, -1, -1};
    static const int32_t none[3];
    vt_interp_arg args[] = {{.data = out, .elements = 3}};
    assert_int_equal(vt_interp_run(ctx, &f.func, 1, args, NULL), VTA_OK);
    assert_memory_equal(out, none, sizeof none);
    return VTA_OK;
}

/* One element of a tensor or of a buffer of 2 by 3: an index beyond its axis is refused, even where the memory has such
 * an element. */
typedef struct element {
    int64_t row, column;
    bool buffer;
} element;

static vta_status load_at(vt_ctx *ctx, void *arg) {
    const element *at = arg;
    const vt_expr *shape[] = {vt_i32(ctx, 2), vt_i32(ctx, 3)};
    const vt_expr *indices[] = {vt_i32(ctx, at->row), vt_i32(ctx, at->column)};
    vt_tensor tensor = {.name = "A", .dtype = VT_I32, .ndim = 2, .shape = shape};
    const vt_buffer *buffer = vt_buffer_new(ctx, "A", NULL, VT_I32, 2, shape);
    const vt_var *pa = vt_var_new(ctx, "A", VT_HANDLE_T), *params[] = {pa};
    vt_binding bindings[] = {{.param = pa}};
    vt_func f = {.name = "main", .n_params = 1, .params = params, .n_bindings = 1, .bindings = bindings};
    if (at->buffer)
        bindings[0].buffer = buffer;
    else
        bindings[0].tensor = &tensor;
    f.body = vt_s_eval(ctx, at->buffer ? vt_e_load(ctx, buffer, 2, indices) : vt_e_pload(ctx, &tensor, 2, indices));
    int32_t data[6] = {0};
    vt_interp_arg args[] = {{.data = data, .elements = 6}};
    return vt_interp_run(ctx, &f, 1, args, NULL);
}

TEST_CASE(test_elements) {
    for (int n = 0; n < 2 * 4 * 5; n++) { /* rows -1 to 2, columns -1 to 3 */
        element one = {n / 5 % 4 - 1, n % 5 - 1, n >= 4 * 5};
        bool row = one.row < 0 || one.row > 1, column = one.column < 0 || one.column > 2;
        char words[80];
        snprintf(words, sizeof words, "error: index %lld of A, dimension %d, is outside 0..%d",
                 (long long)(row ? one.row : one.column), !row, row ? 1 : 2);
        run_in_context(load_at, &one, row || column ? VTA_OUT_OF_RANGE : VTA_OK, row || column ? words : NULL);
    }
}

static vta_status run_expr(vt_ctx *ctx, const vt_expr *e) {
    vt_func f = {.name = "main", .body = vt_s_eval(ctx, e)};
    return vt_interp_run(ctx, &f, 0, NULL, NULL);
}

/* By zero the quotient is 0 and the remainder x; the least integer by -1 wraps. */
static vta_status divides(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const struct {
        vt_expr_kind kind;
        int64_t x, y, is;
    } rows[] = {
        {VT_E_FLOORDIV, 7, 0, 0},
        {VT_E_FLOORMOD, -7, 0, -7},
        {VT_E_DIV, -7, 0, 0},
        {VT_E_MOD, 7, 0, 7},
        {VT_E_FLOORDIV, 0, 0, 0},
        {VT_E_FLOORMOD, 0, 0, 0},
        {VT_E_DIV, INT32_MIN, -1, INT32_MIN},
        {VT_E_MOD, INT32_MIN, -1, 0},
        {VT_E_FLOORDIV, INT32_MIN, -1, INT32_MIN},
        {VT_E_FLOORMOD, INT32_MIN, -1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vt_value out;
        const vt_expr *e = vt_e_bin(ctx, rows[i].kind, vt_i32(ctx, rows[i].x), vt_i32(ctx, rows[i].y));
        assert_int_equal(vt_interp_expr(ctx, e, 0, NULL, NULL, &out), VTA_OK);
        assert_int_equal(out.u.i, rows[i].is);
    }
    return VTA_OK;
}

static vta_status undefined(vt_ctx *ctx, void *arg) {
    (void)arg;
    return run_expr(ctx, vt_var_new(ctx, "ghost", VT_I32));
}

static vta_status no_hook(vt_ctx *ctx, void *arg) {
    (void)arg;
    return run_expr(ctx, vt_e_call_extern(ctx, VT_I32, "VTASynchronize", 0, NULL));
}

static vta_status too_short(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){4});
    f.func.body = vt_s_nop(ctx);
    int32_t data[3];
    vt_interp_arg args[] = {{.data = data, .elements = 3}};
    return vt_interp_run(ctx, &f.func, 1, args, NULL);
}

static vta_status endless(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_func f = {.name = "main", .body = loop(ctx, vt_var_new(ctx, "i", VT_I32), 1000000, vt_s_nop(ctx))};
    return vt_interp_run(ctx, &f, 0, NULL, &(vt_interp_hooks){.step_limit = 100});
}

/* A[0], or 7 where a condition that never holds asks for A[9]: by lanes or not. Only what compiled code does reads it.
 */
typedef struct vain {
    uint16_t lanes;
    bool logic, both_sides;
} vain;

static vta_status reads_in_vain(vt_ctx *ctx, void *arg) {
    const vain *v = arg;
    static const char *const names[] = {"A"};
    flat f;
    flat_begin(ctx, &f, 1, names, (const int64_t[]){4});
    const vt_expr *never = vt_bool(ctx, false), *at = vt_i32(ctx, 0), *far = vt_i32(ctx, 9), *seven = vt_i32(ctx, 7);
    if (v->lanes > 1) {
        never = vt_e_broadcast(ctx, never, v->lanes), far = vt_e_broadcast(ctx, far, v->lanes);
        at = vt_e_ramp(ctx, at, vt_i32(ctx, 1), v->lanes), seven = vt_e_broadcast(ctx, seven, v->lanes);
    }
    const vt_expr *read = load1(ctx, f.buffers[0], far);
    const vt_expr *value =
        v->logic ? vt_e_cast(ctx, read->dtype, vt_e_bin(ctx, VT_E_AND, never, vt_e_bin(ctx, VT_E_LT, read, seven)))
                 : vt_e_select(ctx, never, read, seven);
    f.func.body = store1(ctx, f.buffers[0], value, at);
    int32_t data[4] = {1, 1, 1, 1};
    vt_interp_arg args[] = {{.data = data, .elements = 4}};
    vta_status status = vt_interp_run(ctx, &f.func, 1, args, &(vt_interp_hooks){.both_sides = v->both_sides});
    if (status == VTA_OK)
        for (int i = 0; i < v->lanes; i++) assert_int_equal(data[i], v->logic ? 0 : 7);
    return status;
}

TEST_CASE(test_both_sides) {
    for (int k = 0; k < 8; k++) {
        vain v = {.lanes = k & 1 ? 4 : 1, .logic = k & 2, .both_sides = k & 4};
        bool read = v.both_sides && (!v.logic || v.lanes > 1);
        run_in_context(reads_in_vain, &v, read ? VTA_OUT_OF_RANGE : VTA_OK, NULL);
    }
}

TEST_CASE(test_cleared) { run_in_context(cleared, NULL, VTA_OK, NULL); }
TEST_CASE(test_computes) { run_in_context(computes, NULL, VTA_OK, NULL); }
TEST_CASE(test_vectors) { run_in_context(vectors, NULL, VTA_OK, NULL); }
TEST_CASE(test_blocks) { run_in_context(blocks, NULL, VTA_OK, NULL); }
TEST_CASE(test_reductions) { run_in_context(reductions, NULL, VTA_OK, NULL); }
TEST_CASE(test_divides) { run_in_context(divides, NULL, VTA_OK, NULL); }
TEST_CASE(test_calls) { run_in_context(calls, NULL, VTA_OK, NULL); }

TEST_CASE(test_refused) {
    int64_t beyond = 4, before = -1, last = 3;
    run_in_context(store_at, &last, VTA_OK, NULL);
    run_in_context(store_at, &beyond, VTA_OUT_OF_RANGE, "error: element 4 of A, which has 4");
    run_in_context(store_at, &before, VTA_OUT_OF_RANGE, "error: element -1 of A, which has 4");
    run_in_context(undefined, NULL, VTA_ILLEGAL, "error: variable ghost is used before it is defined");
    run_in_context(no_hook, NULL, VTA_UNSUPPORTED, "error: the interpreter cannot call VTASynchronize: give it a hook");
    run_in_context(too_short, NULL, VTA_MISMATCH, "error: argument A needs 4 elements, got 3");
    run_in_context(endless, NULL, VTA_TIMEOUT, "error: more than 100 statements");
}

int main(void) { return run_cases(); }
