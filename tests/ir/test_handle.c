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

static void test_calls(void **state) { (void)state, run_in_context(calls, NULL, VTA_OK, NULL); }
static void test_different(void **state) { (void)state, run_in_context(different, NULL, VTA_OK, NULL); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_different)};
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
