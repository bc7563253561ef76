/* Statements made by hand: a te_extern between computations, and a whole function with a call by name, compiled and
 * compared with plain C; and what is refused. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "support/check.h"
#include "vta/build.h"

enum { MAX = 12 };

static te_context *new_context(void) {
    vta_config *config = vta_config_default();
    te_context *c = te_context_create(config, NULL);
    vta_config_release(config);
    assert_non_null(c);
    return c;
}

static void need(te_context *c, vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(te_context_diag(c)));
}

static void refused(te_context *c, bool failed, const char *words) {
    assert_true(failed);
    if (!strstr(vta_diag_text(te_context_diag(c)), words))
        fail_msg("expected \"%s\" in \"%s\"", words, vta_diag_text(te_context_diag(c)));
    vta_diag_clear(te_context_diag(c));
}

static te_expr *number(te_context *c, int64_t value) { return te_int(c, "int32", value); }

static te_buffer *row_of(te_context *c, const char *name, int64_t n) {
    return te_buffer_create(c, name, "int32", 1, (te_expr *[]){number(c, n)}, NULL);
}

/* y[i] = i < cut ? x[i] * 2 : scratch[i], where scratch[i] = x[i] - i */
static const vtac_stmt *body_of(te_context *c, te_buffer *x, te_buffer *y, int64_t n, int64_t cut) {
    te_expr *i = te_variable(c, "i", "int32"), *v = te_variable(c, "v", "int32");
    te_buffer *scratch = row_of(c, "scratch", n);
    const vtac_stmt *keep = te_stmt_store(c, scratch, te_sub(c, v, i), 1, &i);
    const vtac_stmt *twice = te_stmt_store(c, y, te_mul(c, v, number(c, 2)), 1, &i);
    const vtac_stmt *other = te_stmt_store(c, y, te_buffer_load(c, scratch, 1, &i), 1, &i);
    te_expr *small = te_apply(c, TE_LT, 2, (te_expr *[]){i, number(c, cut)});
    const vtac_stmt *both = te_stmt_seq(c, 2, (const vtac_stmt *[]){keep, te_stmt_if(c, small, twice, other)});
    const vtac_stmt *step = te_stmt_let(c, v, te_buffer_load(c, x, 1, &i), both);
    return te_stmt_allocate(c, scratch, te_stmt_for(c, i, number(c, 0), number(c, n), TE_LOOP_SERIAL, step));
}

static int32_t wanted(const int32_t *x, int64_t i, int64_t cut) { return i < cut ? x[i] * 2 : x[i] - (int32_t)i; }

static void call(te_context *c, const vtac_func *f, int64_t n, int32_t *x, int32_t *y) {
    vtac_module *m;
    vta_packed_function function;
    const vtac_build_func one = {.func = f};
    need(c, vtac_build(1, &one, &(vtac_build_options){.target = "llvm"}, te_context_diag(c), &m));
    need(c, vtac_module_function(m, "main", te_context_diag(c), &function));
    DLTensor in = {.data = x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLInt, 32, 1}, .shape = &n}, out = in;
    out.data = y;
    need(c, vta_function_call_tensors(function, (DLTensor *[]){&in, &out}, 2, te_context_diag(c)));
    vtac_module_destroy(m);
    vtac_func_release(f);
}

TEST_CASE(between_computations) {
    check_random r = {.state = 20261122};
    for (int round = 0; round < 20; round++) {
        int64_t n = check_between(&r, 1, MAX), cut = check_between(&r, 0, MAX);
        te_context *c = new_context();
        te_tensor *a = te_placeholder(c, "a", "int32", 1, &n), *e;
        te_tensor *before = te_compute(c, "before", 1, &n, "i", "a[i] + 3");
        te_buffer *x = row_of(c, "x", n), *y = row_of(c, "y", n);
        need(c, te_extern(c, "e", NULL, 1, &before, &x, 1, &y, body_of(c, x, y, n, cut), &e));
        te_tensor *after = te_compute(c, "after", 1, &n, "i", "e[i] * 5");
        assert_true(te_tensor_is_extern(e) && te_tensor_stmt(e) && !te_tensor_is_extern(after));
        te_schedule *s = te_schedule_create(c, 1, &after);
        if (round & 1)
            need(c, te_compute_at(te_schedule_stage(s, e), te_schedule_stage(s, after),
                                  te_stage_leaf(te_schedule_stage(s, after), 0)));
        const vtac_func *f;
        need(c, vtac_lower(s, 2, (vtac_arg[]){{.tensor = a}, {.tensor = after}}, NULL,
                           &(vtac_lower_options){.verify = 1}, &f));
        int32_t values[MAX], raised[MAX], got[MAX];
        for (int64_t i = 0; i < n; i++) values[i] = (int32_t)check_between(&r, -99, 99), raised[i] = values[i] + 3;
        call(c, f, n, values, got);
        for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], wanted(raised, i, cut) * 5);
        te_context_destroy(c);
    }
}

static int negate(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource) {
    (void)resource;
    const DLTensor *t = args[0].v_handle;
    if (count != 3 || codes[0] != VTA_ARG_TENSOR || codes[1] != VTA_ARG_FLOAT || codes[2] != VTA_ARG_STRING) return -1;
    if (strcmp(args[2].v_str, "all") != 0 || t->ndim != 1 || t->strides) return -1;
    int32_t *x = (int32_t *)(void *)((char *)t->data + t->byte_offset);
    for (int64_t i = 0; i < t->shape[0]; i++) x[i] = -x[i];
    ret->v_int64 = (int64_t)args[1].v_float64;
    *ret_code = VTA_ARG_INT;
    return 0;
}

/* A function that is no computation: the statement, then a call that changes the result in place and tells its first.
 */
TEST_CASE(whole_function) {
    check_random r = {.state = 7};
    assert_int_equal(vta_function_register("test.negate", negate, NULL), VTA_OK);
    for (int round = 0; round < 10; round++) {
        int64_t n = check_between(&r, 1, MAX), cut = check_between(&r, 0, MAX);
        te_context *c = new_context();
        te_buffer *x = row_of(c, "x", n), *y = row_of(c, "y", n);
        te_expr *args[] = {te_buffer_tensor(c, y), te_float(c, "float32", 42), te_string(c, "all")},
                *zero = number(c, 0);
        te_expr *answer = te_call_packed(c, "int32", "test.negate", 3, args);
        const vtac_stmt *parts[] = {body_of(c, x, y, n, cut), te_stmt_store(c, y, answer, 1, &zero)};
        const vtac_func *f;
        need(c, vtac_func_create(c, 2, (vtac_param[]){{.buffer = x}, {.buffer = y}}, te_stmt_seq(c, 2, parts), NULL,
                                 &(vtac_lower_options){.verify = 1}, &f));
        int32_t values[MAX], got[MAX];
        for (int64_t i = 0; i < n; i++) values[i] = (int32_t)check_between(&r, -99, 99);
        call(c, f, n, values, got);
        assert_int_equal(got[0], 42);
        for (int64_t i = 1; i < n; i++) assert_int_equal(got[i], -wanted(values, i, cut));
        te_context_destroy(c);
    }
}

TEST_CASE(refusals) {
    te_context *c = new_context();
    int64_t n = 4;
    te_buffer *x = row_of(c, "x", n), *y = row_of(c, "y", n), *five = row_of(c, "five", 5);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, &n), *e;
    te_expr *i = te_variable(c, "i", "int32"), *half = te_float(c, "float32", 0.5);
    const vtac_stmt *store = te_stmt_store(c, y, te_buffer_load(c, x, 1, &i), 1, &i);
    const vtac_func *f;
    refused(c, te_extern(c, "e", NULL, 1, &a, &x, 1, &y, store, &e) != VTA_OK, "uses i, which no loop");
    refused(c, te_extern(c, "e", NULL, 1, &a, &five, 1, &y, store, &e) != VTA_OK, "buffer five has not the shape");
    refused(c, te_extern(c, "e", NULL, 0, NULL, NULL, 0, NULL, store, &e) != VTA_OK, "0 inputs and 0 results");
    refused(c, !te_buffer_load(c, x, 1, &half), "index 0 of x is not an integer");
    refused(c, !te_stmt_for(c, half, i, i, TE_LOOP_SERIAL, store), "is made by te_variable");
    refused(c, !te_stmt_if(c, i, store, NULL), "is no condition");
    refused(c, !te_stmt_store(c, y, te_string(c, "a"), 1, &i), "is not a number");
    refused(c, !te_call_packed(c, "int32", "", 0, NULL), "the name of a function");
    refused(c, vtac_func_create(c, 1, (vtac_param[]){{.buffer = x}}, store, NULL, NULL, &f) != VTA_OK, "uses y");
    refused(c, vtac_func_create(c, 1, (vtac_param[]){{NULL, NULL}}, store, NULL, NULL, &f) != VTA_OK, "parameter 0");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
