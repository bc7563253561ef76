/* The verifier: functions that are well formed, and one for each thing that is not. */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
