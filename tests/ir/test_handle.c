/* The public view of functions: what it refuses, in which words, and what stands in its outputs then. */
#include "ir/handle.h"
#include "ir/support.h"
#include "support/diag.h"

static vta_status calls(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B"};
    flat f, g;
    flat_begin(ctx, &f, 2, names, (const int64_t[]){4, 4});
    flat_begin(ctx, &g, 2, names, (const int64_t[]){4, 4});
    const vt_expr *zero = vt_i32(ctx, 0);
    f.func.body = store1(ctx, f.buffers[1], load1(ctx, f.buffers[0], zero), zero);
    g.func.body = store1(ctx, g.buffers[1], load1(ctx, g.buffers[0], zero), zero);
    vtac_func *x = vt_func_handle(ctx, &f.func, NULL, NULL), *y = vt_func_handle(ctx, &g.func, NULL, NULL);
    const vtac_func *axis =
        (const void *)vt_iter_new(ctx, vt_var_new(ctx, "i", VT_I32), zero, zero, VT_ITER_DATA_PAR, "");
    char *text = (char *)"before";
    bool equal = false;

    must(vtac_func_equal(x, y, diag, &equal));
    assert_true(equal);
    says_error(vtac_func_equal(x, y, diag, NULL), VTA_INVALID_ARGUMENT, "vtac_func_equal: no place for the result");
    says_error(vtac_func_equal(x, NULL, diag, &equal), VTA_INVALID_ARGUMENT, "vtac_func_equal: no function");
    assert_false(equal);
    equal = true;
    says_error(vtac_func_equal(axis, y, diag, &equal), VTA_INVALID_ARGUMENT,
               "vtac_func_equal: an axis is given where a lowered function is expected");
    assert_false(equal);

    says_error(vtac_func_print(x, VTAC_STYLE_PRIMFN, diag, NULL), VTA_INVALID_ARGUMENT,
               "vtac_func_print: no place for the text");
    says_error(vtac_func_print(x, (vtac_style)7, diag, &text), VTA_INVALID_ARGUMENT,
               "vtac_func_print: unknown style 7");
    assert_null(text);
    text = (char *)"before";
    says_error(vtac_func_print(axis, VTAC_STYLE_PRIMFN, diag, &text), VTA_INVALID_ARGUMENT,
               "vtac_func_print: an axis is given where a lowered function is expected");
    assert_null(text);
    says_error(vtac_func_verify(NULL, diag), VTA_INVALID_ARGUMENT, "vtac_func_verify: no function");
    must(vtac_func_verify(x, diag));

    assert_string_equal(vtac_func_name(axis), "");
    assert_int_equal(vtac_func_param_count(axis), 0);
    assert_string_equal(vtac_func_name(NULL), "");
    assert_int_equal(vtac_func_param_count(NULL), 0);
    assert_string_equal(vtac_func_name(x), "main");
    assert_int_equal(vtac_func_param_count(x), 2);
    return VTA_OK;
}

/* Other numbers of parameters, or a body that does something else. */
static vta_status different(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const char *const names[] = {"A", "B", "C"};
    flat f[4];
    vtac_func *handles[4];
    for (int i = 0; i < 4; i++) {
        flat_begin(ctx, &f[i], i == 3 ? 3 : 2, names, (const int64_t[]){4, i == 1 ? 5 : 4, 4});
        const vt_expr *at = vt_i32(ctx, i == 2);
        f[i].func.body = store1(ctx, f[i].buffers[1], load1(ctx, f[i].buffers[0], at), at);
        handles[i] = vt_func_handle(ctx, &f[i].func, NULL, NULL);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            bool equal = i != j;
            must(vtac_func_equal(handles[i], handles[j], diag, &equal));
            if (equal != (i == j)) fail_msg("functions %d and %d", i, j);
        }
    return VTA_OK;
}

/* C = A - B, then D that nothing uses: what the parameters are counts, and in which order they are. */
enum { AGAIN, SWAPPED, SHAPE, DTYPE, SHAPED, ONE_SHAPED, SCALAR, WIDE_SCALAR, POINTER, RESULT, CHANGES };

static const vt_func *difference(vt_ctx *ctx, int change) {
    static const char *const names[] = {"A", "B", "C", "D"};
    flat *f = VT_NEW(ctx, flat);
    flat_begin(ctx, f, 4, names, (const int64_t[]){4, 4, 4, change == SHAPE ? 9 : 8});
    int a = change == SWAPPED;
    const vt_expr *zero = vt_i32(ctx, 0), *eight = vt_i32(ctx, 8);
    const vt_expr *lhs = load1(ctx, f->buffers[a], zero), *rhs = load1(ctx, f->buffers[!a], zero);
    const vt_expr *shape[] = {vt_i32(ctx, change == SHAPED ? 2 : 4), vt_i32(ctx, change == SHAPED ? 4 : 2)};
    const vt_buffer *d = f->buffers[3];
    f->bindings[3].unflattened = change == ONE_SHAPED ? NULL : vt_buffer_new(ctx, "D", d->data, d->dtype, 2, shape);
    if (change == DTYPE) f->bindings[3].buffer = vt_buffer_new(ctx, "D", NULL, VT_I8, 1, &eight);
    if (change == POINTER) f->params[3] = f->bindings[3].param = vt_var_new_pointer(ctx, "D", VT_I32, "");
    if (change == SCALAR || change == WIDE_SCALAR) {
        f->params[3] = vt_var_new(ctx, "D", change == SCALAR ? VT_I32 : VT_I64);
        f->func.n_bindings = 3;
    }
    f->func.body = store1(ctx, f->buffers[2], vt_sub(ctx, lhs, rhs), zero);
    if (change == RESULT) f->func.result = VT_I32;
    return &f->func;
}

/* Functions of one class are equal, others are not. */
static void classes(vt_ctx *ctx, int n, const vt_func *const *f, const int *class) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            vtac_func *x = vt_func_handle(ctx, f[i], NULL, NULL), *y = vt_func_handle(ctx, f[j], NULL, NULL);
            bool equal = class[i] != class[j];
            must(vtac_func_equal(x, y, diag, &equal));
            if (equal != (class[i] == class[j])) fail_msg("functions %d and %d", i, j);
        }
}

static vta_status parameters(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_func *f[2 * CHANGES];
    int class[2 * CHANGES];
    for (int i = 0; i < 2 * CHANGES; i++) f[i] = difference(ctx, i % CHANGES), class[i] = i % CHANGES;
    classes(ctx, 2 * CHANGES, f, class);
    return VTA_OK;
}

/* Numbers as parameters, the same variable again among them. */
static vta_status numbers(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *n = vt_var_new(ctx, "n", VT_I32), *m = vt_var_new(ctx, "m", VT_I32);
    const vt_var *const nm[] = {n, m}, *const mn[] = {m, n}, *const nn[] = {n, n};
    const vt_stmt *of_n = vt_s_eval(ctx, vt_sub(ctx, n, m)), *of_m = vt_s_eval(ctx, vt_sub(ctx, m, n));
    const vt_func nm_n = {.name = "f", .n_params = 2, .params = nm, .body = of_n, .result = VT_VOID_T},
                  mn_n = {.name = "f", .n_params = 2, .params = mn, .body = of_n, .result = VT_VOID_T},
                  mn_m = {.name = "g", .n_params = 2, .params = mn, .body = of_m, .result = VT_VOID_T},
                  nn_n = {.name = "f", .n_params = 2, .params = nn, .body = of_n, .result = VT_VOID_T};
    classes(ctx, 4, (const vt_func *[]){&nm_n, &mn_n, &mn_m, &nn_n}, (int[]){0, 1, 0, 2});
    return VTA_OK;
}

/* Before storage flattening tensors stand for parameters: to[0] = from[0]. */
static const vt_func *copying(vt_ctx *ctx, const vt_tensor *first, const vt_tensor *second, const vt_tensor *to,
                              const vt_tensor *from) {
    static const char *const names[] = {"A", "B"};
    const vt_expr *zero = vt_i32(ctx, 0);
    flat *f = VT_NEW(ctx, flat);
    flat_begin(ctx, f, 2, names, (const int64_t[]){4, 4});
    f->bindings[0].tensor = first, f->bindings[1].tensor = second;
    const vt_stmt *done = vt_s_pstore(ctx, to, vt_e_pload(ctx, from, 1, &zero), 1, &zero);
    f->func.body = vt_s_attr(ctx, vt_ref_tensor(to), "key", zero,
                             vt_s_attr(ctx, vt_ref_pair(f->buffers[0], from), "key", zero, done));
    return &f->func;
}

static vta_status tensors(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *shape[] = {vt_i32(ctx, 4)};
    const vt_tensor t[4] = {{VT_TAG_TENSOR, "A", VT_I32, 1, shape, NULL, 0},
                            {VT_TAG_TENSOR, "B", VT_I32, 1, shape, NULL, 0},
                            {VT_TAG_TENSOR, "C", VT_I32, 1, shape, NULL, 0},
                            {VT_TAG_TENSOR, "D", VT_I32, 1, shape, NULL, 0}};
    const vt_func *f[] = {
        copying(ctx, &t[0], &t[1], &t[1], &t[0]), copying(ctx, &t[1], &t[0], &t[0], &t[1]),
        copying(ctx, &t[2], &t[3], &t[3], &t[2]), copying(ctx, &t[1], &t[0], &t[1], &t[0]),
        copying(ctx, &t[0], &t[1], &t[0], &t[1]), copying(ctx, &t[0], NULL, &t[1], &t[0]),
        copying(ctx, &t[0], &t[1], &t[2], &t[0]), copying(ctx, &t[0], &t[1], &t[3], &t[0]),
    };
    classes(ctx, 8, f, (int[]){0, 0, 0, 1, 1, 2, 3, 4});
    return VTA_OK;
}

TEST_CASE(test_calls) { run_in_context(calls, NULL, VTA_OK, NULL); }
TEST_CASE(test_different) { run_in_context(different, NULL, VTA_OK, NULL); }
TEST_CASE(test_parameters) { run_in_context(parameters, NULL, VTA_OK, NULL); }
TEST_CASE(test_numbers) { run_in_context(numbers, NULL, VTA_OK, NULL); }
TEST_CASE(test_tensors) { run_in_context(tensors, NULL, VTA_OK, NULL); }

int main(void) { return run_cases_between(diag_begin, diag_end); }
