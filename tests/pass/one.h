/* One pass over a small function built by hand, and its text. */
#ifndef TESTS_PASS_ONE_H
#define TESTS_PASS_ONE_H

#include "ir/print.h"
#include "lower/generic/util.h"
#include "lower/lower.h"
#include "support/check.h"

typedef vt_pass *one_pass;

typedef struct one {
    vt_ctx ctx;
    vta_diag *diag;
    vtac_lower_options options;
    vt_target *target;      /* not NULL: in place of the one that the options ask for */
    const vt_buffer *x, *y; /* int32[64] parameters */
    /* What runs inside of the protected call. */
    const vt_stmt *(*build)(struct one *o);
    one_pass pass;
    const vt_func *before, *after;
    char text[8192];
} one;

static inline const vt_expr *one_i(one *o, int64_t value) { return vt_i32(&o->ctx, value); }
static inline const vt_var *one_var(one *o, const char *name) { return vt_var_new(&o->ctx, name, VT_I32); }
static inline const vt_expr *one_load(one *o, const vt_buffer *b, const vt_expr *index) {
    return vt_e_load(&o->ctx, b, 1, &index);
}
static inline const vt_stmt *one_store(one *o, const vt_buffer *b, const vt_expr *index, const vt_expr *value) {
    return vt_s_store(&o->ctx, b, value, 1, &index);
}
static inline const vt_stmt *one_for(one *o, const vt_var *v, int64_t extent, vt_for_kind kind, const vt_stmt *body) {
    return vt_s_for(&o->ctx, v, one_i(o, 0), one_i(o, extent), kind, body);
}
static inline const vt_stmt *one_alloc(one *o, const vt_buffer *b, const vt_stmt *body) {
    return vt_s_alloc(&o->ctx, b->data, b->dtype, 1, b->shape, vt_bool(&o->ctx, true), body);
}
static inline const vt_stmt *one_seq(one *o, const vt_stmt *a, const vt_stmt *b) {
    const vt_stmt *items[] = {a, b};
    return vt_s_seq(&o->ctx, 2, items);
}
static inline const vt_buffer *one_buffer(one *o, const char *name, int64_t size, const char *scope) {
    const vt_expr *shape = one_i(o, size);
    return vt_buffer_new(&o->ctx, name, vt_var_new_pointer(&o->ctx, name, VT_I32, scope), VT_I32, 1, &shape);
}

static inline vta_status one_body(vt_ctx *ctx, void *arg) {
    one *o = arg;
    o->x = one_buffer(o, "x", 64, "global");
    o->y = one_buffer(o, "y", 64, "global");
    const vt_var **params = VT_NEW_ARRAY(ctx, const vt_var *, 2);
    vt_binding *bindings = VT_NEW_ARRAY(ctx, vt_binding, 2);
    for (int i = 0; i < 2; i++) {
        params[i] = vt_var_new(ctx, i ? "py" : "px", VT_HANDLE_T);
        bindings[i] = (vt_binding){.param = params[i], .buffer = i ? o->y : o->x};
    }
    vt_func *f = VT_NEW(ctx, vt_func);
    *f = (vt_func){
        .name = "f", .n_params = 2, .params = params, .n_bindings = 2, .bindings = bindings, .result = VT_VOID_T};
    f->body = o->build(o);
    o->before = f;
    vt_lowering *l = vt_lowering_new(ctx, &o->options);
    if (o->target) l->target = o->target;
    o->after = o->pass(l, f);
    snprintf(o->text, sizeof o->text, "%s", vt_stmt_text(ctx, o->after->body));
    return VTA_OK;
}

/* Runs it; free with one_end. */
static inline vta_status one_run(one *o, one_pass pass, const vt_stmt *(*build)(one *o)) {
    o->diag = vta_diag_create(NULL);
    o->build = build;
    o->pass = pass;
    o->text[0] = '\0';
    vt_ctx_init(&o->ctx, NULL, o->diag);
    return vt_protect(&o->ctx, one_body, o);
}

static inline void one_end(one *o) {
    vt_ctx_clear(&o->ctx);
    vta_diag_destroy(o->diag);
}

/* The text has all of these, and none of what follows a "!". */
static inline void one_expect(one *o, const char *const texts[]) {
    for (size_t i = 0; texts[i]; i++) {
        bool no = texts[i][0] == '!';
        if ((strstr(o->text, texts[i] + no) != NULL) == no)
            fail_msg("%s \"%s\" in:\n%s", no ? "unexpected" : "no", texts[i] + no, o->text);
    }
    one_end(o);
}
#define GIVES(pass, build, ...)                                                                                        \
    do {                                                                                                               \
        one gives_one = {.options = {0}};                                                                              \
        if (one_run(&gives_one, vt_pass_##pass, build) != VTA_OK) fail_msg("%s", vta_diag_text(gives_one.diag));       \
        one_expect(&gives_one, (const char *const[]){__VA_ARGS__, NULL});                                              \
    } while (0)
#define REFUSES(pass, build, part)                                                                                     \
    do {                                                                                                               \
        one refuses_one = {.options = {0}};                                                                            \
        assert_int_equal(one_run(&refuses_one, vt_pass_##pass, build), VTA_ILLEGAL);                                   \
        assert_contains(vta_diag_text(refuses_one.diag), part);                                                        \
        one_end(&refuses_one);                                                                                         \
    } while (0)

#endif
