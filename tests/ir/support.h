/* A context for tests of the IR, and running a body that may raise in it. */
#ifndef TESTS_IR_SUPPORT_H
#define TESTS_IR_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "support/check.h"

#include "ir/build.h"
#include "ir/print.h"

/* Runs body in a fresh context and expects `want`. The diagnostics' text is compared when `message` is not NULL. */
static inline void run_in_context(vta_status (*body)(vt_ctx *ctx, void *arg), void *arg, vta_status want,
                                  const char *message) {
    vt_ctx ctx;
    vta_diag *diag = vta_diag_create(NULL);
    vt_ctx_init(&ctx, NULL, diag);
    vta_status status = vt_protect(&ctx, body, arg);
    if (status != want) fail_msg("%s, not %s: %s", vta_status_name(status), vta_status_name(want), vta_diag_text(diag));
    if (message) assert_string_equal(vta_diag_text(diag), message);
    vt_ctx_clear(&ctx);
    vta_diag_destroy(diag);
}

/* A function over flat buffers: names[i] has elements[i] int32 elements. */
typedef struct flat {
    const vt_var *params[4];
    const vt_buffer *buffers[4];
    vt_binding bindings[4];
    vt_func func;
} flat;

static inline void flat_begin(vt_ctx *ctx, flat *f, uint32_t n, const char *const *names, const int64_t *elements) {
    for (uint32_t i = 0; i < n; i++) {
        const vt_expr *shape = vt_i32(ctx, elements[i]);
        f->params[i] = vt_var_new(ctx, names[i], VT_HANDLE_T);
        f->buffers[i] = vt_buffer_new(ctx, names[i], NULL, VT_I32, 1, &shape);
        f->bindings[i] = (vt_binding){.param = f->params[i], .buffer = f->buffers[i]};
    }
    f->func = (vt_func){.name = "main",
                        .n_params = n,
                        .params = f->params,
                        .n_bindings = n,
                        .bindings = f->bindings,
                        .result = VT_VOID_T};
}

static inline const vt_expr *load1(vt_ctx *ctx, const vt_buffer *b, const vt_expr *i) {
    return vt_e_load(ctx, b, 1, &i);
}
static inline const vt_stmt *store1(vt_ctx *ctx, const vt_buffer *b, const vt_expr *value, const vt_expr *i) {
    return vt_s_store(ctx, b, value, 1, &i);
}
static inline const vt_stmt *loop(vt_ctx *ctx, const vt_var *v, int64_t n, const vt_stmt *body) {
    return vt_s_for(ctx, v, vt_i32(ctx, 0), vt_i32(ctx, n), VT_FOR_SERIAL, body);
}

#endif
