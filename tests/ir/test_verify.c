/* The verifier: functions that are well formed, and one for each thing that is not. */
#include <stdio.h>

#include "ir/support.h"
#include "ir/verify.h"

typedef struct build {
    vt_ctx *ctx;
    flat f;
    const vt_var *i;
} build;

static void begin(build *b, vt_ctx *ctx) {
    static const char *const names[] = {"A"};
    b->ctx = ctx;
    flat_begin(ctx, &b->f, 1, names, (const int64_t[]){8});
    b->i = vt_var_new(ctx, "i", VT_I32);
}

static vta_status check(build *b, const vt_stmt *body) {
    b->f.func.body = body;
    return vt_verify(b->ctx, &b->f.func, b->ctx->diag);
}

static vta_status good(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    const vt_stmt *store = store1(ctx, b.f.buffers[0], vt_add(ctx, b.i, vt_i32(ctx, 1)), b.i);
    const vt_stmt *twice[] = {loop(ctx, b.i, 8, store), loop(ctx, b.i, 8, store)}; /* one after the other is fine */
    return check(&b, vt_s_seq(ctx, 2, twice));
}

static vta_status free_variable(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    return check(&b, vt_s_eval(ctx, b.i));
}

static vta_status out_of_scope(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    const vt_stmt *items[] = {loop(ctx, b.i, 8, vt_s_nop(ctx)), vt_s_eval(ctx, b.i)};
    return check(&b, vt_s_seq(ctx, 2, items));
}

static vta_status defined_twice(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    return check(&b, loop(ctx, b.i, 8, loop(ctx, b.i, 8, vt_s_nop(ctx))));
}

static vta_status no_memory_for_it(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    const vt_expr *four = vt_i32(ctx, 4), *zero = vt_i32(ctx, 0);
    const vt_buffer *loose = vt_buffer_new(ctx, "loose", NULL, VT_I32, 1, &four);
    return check(&b, store1(ctx, loose, zero, zero));
}

static vta_status wrong_type(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    return check(&b, store1(ctx, b.f.buffers[0], vt_int(ctx, VT_I8, 1), vt_i32(ctx, 0)));
}

static vta_status no_bool(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    return check(&b, vt_s_if(ctx, vt_i32(ctx, 1), vt_s_nop(ctx), NULL));
}

/* An expression with `more` operands than the row of its kind says. */
typedef struct wrong_count {
    vt_expr_kind kind;
    int more;
} wrong_count;

static vta_status wrong_operands(vt_ctx *ctx, void *arg) {
    const wrong_count *w = arg;
    build b;
    begin(&b, ctx);
    uint32_t n = (uint32_t)(vt_expr_infos[w->kind].operands + w->more);
    vt_expr *e = vt_new_bytes(ctx, sizeof *e + n * sizeof *e->a);
    *e = *vt_i32(ctx, 0);
    e->kind = (uint8_t)w->kind;
    e->n = n;
    for (uint32_t i = 0; i < n; i++) e->a[i] = vt_i32(ctx, 1);
    return check(&b, vt_s_eval(ctx, e));
}

/* One expression of each kind that has a fixed number of operands, as the builder makes it. */
static const vt_expr *sample(vt_ctx *ctx, vt_expr_kind kind, const vt_var *i) {
    const vt_expr *x = vt_i32(ctx, 1), *is = vt_bool(ctx, true);
    switch (vt_expr_infos[kind].cls) {
    case VT_CLASS_ARITH:
    case VT_CLASS_COMPARE: return vt_e_bin(ctx, kind, x, x);
    case VT_CLASS_LOGIC: return kind == VT_E_NOT ? vt_e_not(ctx, is) : vt_e_bin(ctx, kind, is, is);
    default: break;
    }
    switch (kind) {
    case VT_E_VAR: return i;
    case VT_E_INT: return x;
    case VT_E_FLOAT: return vt_float(ctx, VT_F32, 1);
    case VT_E_STRING: return vt_string(ctx, "");
    case VT_E_SELECT: return vt_e_select(ctx, is, x, x);
    case VT_E_CAST: return vt_e_cast(ctx, VT_I8, x);
    case VT_E_LET: return vt_e_let(ctx, vt_var_new(ctx, "v", VT_I32), x, x);
    case VT_E_RAMP: return vt_e_ramp(ctx, x, x, 4);
    case VT_E_BROADCAST: return vt_e_broadcast(ctx, x, 4);
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_E_LOAD:
    case VT_E_PLOAD:
    case VT_E_CALL:
    case VT_E_REDUCE:
    case VT_E_COUNT: break;
    }
    return NULL;
}

static vta_status all_kinds(vt_ctx *ctx, void *arg) {
    (void)arg;
    build b;
    begin(&b, ctx);
    const vt_stmt *body = vt_s_nop(ctx);
    for (int kind = 0; kind < VT_E_COUNT; kind++) {
        const vt_expr *e = sample(ctx, (vt_expr_kind)kind, b.i);
        assert_true(e ? e->kind == kind : vt_expr_infos[kind].operands < 0);
        if (e) body = vt_s_seq(ctx, 2, (const vt_stmt *[]){body, vt_s_eval(ctx, e)});
    }
    return check(&b, loop(ctx, b.i, 8, body));
}

static void test_operand_counts(void **state) {
    (void)state;
    run_in_context(all_kinds, NULL, VTA_OK, "");
    for (int kind = 0; kind < VT_E_COUNT; kind++) {
        int expected = vt_expr_infos[kind].operands;
        char message[128];
        snprintf(message, sizeof message, "error: main: an expression of kind %s has a wrong number of operands",
                 vt_expr_infos[kind].text);
        for (int more = expected > 0 ? -1 : 1; expected >= 0 && more <= 1; more += 2) {
            wrong_count w = {(vt_expr_kind)kind, more};
            run_in_context(wrong_operands, &w, VTA_ILLEGAL, message);
        }
    }
}

static void test_good(void **state) { (void)state, run_in_context(good, NULL, VTA_OK, ""); }

static void test_bad(void **state) {
    (void)state;
    run_in_context(free_variable, NULL, VTA_ILLEGAL, "error: main: variable i is used where it is not defined");
    run_in_context(out_of_scope, NULL, VTA_ILLEGAL, "error: main: variable i is used where it is not defined");
    run_in_context(defined_twice, NULL, VTA_ILLEGAL, "error: main: i is defined inside of its own scope");
    run_in_context(no_memory_for_it, NULL, VTA_ILLEGAL,
                   "error: main: buffer loose is reached where nothing allocates it");
    run_in_context(wrong_type, NULL, VTA_ILLEGAL, "error: main: the store to A has a value of another type");
    run_in_context(no_bool, NULL, VTA_ILLEGAL, "error: main: the condition of an if is not a bool");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_operand_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
