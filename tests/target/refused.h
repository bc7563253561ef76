/* Programs that lowering must refuse, each with its code and what the message must say. */
#ifndef TESTS_TARGET_REFUSED_H
#define TESTS_TARGET_REFUSED_H

#include "listings/lower.h"
#include "support/check.h"

/* Lowers what was built and expects a refusal that says all of the texts (up to NULL). */
static inline void expect_refused(program *p, vta_status code, const char *const texts[]) {
    vtac_lower_options options = {.config = te_context_config(p->c), .verify = 1};
    if (te_context_status(p->c) != VTA_OK) fail_msg("not built: %s", vta_diag_text(te_context_diag(p->c)));
    vta_status status = lower_program(p, &options, "main", WANT_CALLS, NULL);
    const char *got = vta_diag_text(te_context_diag(p->c));
    if (status != code) fail_msg("expected %s, got %s: %s", vta_status_name(code), vta_status_name(status), got);
    for (size_t i = 0; texts[i]; i++)
        if (!strstr(got, texts[i])) fail_msg("the message does not say \"%s\":\n%s", texts[i], got);
    program_destroy(p);
}
#define REFUSED(p, ...) expect_refused((p), VTA_ILLEGAL, (const char *const[]){__VA_ARGS__, NULL})

static inline program start(void) {
    program p = {.c = te_context_create(NULL, NULL)};
    assert_non_null(p.c);
    return p;
}

/* y: x_buf, which is put into the accumulators; the program of both arguments, x and y, and its schedule. */
static inline te_tensor *result_of(program *p, te_tensor *x, te_tensor *x_buf) {
    int64_t shape[4];
    assert_int_equal(te_tensor_ndim(x_buf), 4);
    for (int i = 0; i < 4; i++) shape[i] = te_tensor_dim(x_buf, i);
    te_tensor *y = te_compute(p->c, "y", 4, shape, NULL, "int8(x_buf[...])");
    p->s = te_schedule_create(p->c, 1, &y);
    in_scope(p, x_buf, "acc");
    p->args[p->n_args++] = x;
    p->args[p->n_args++] = y;
    return y;
}

/* The same, all of it marked as copies. */
static inline void copied(program *p, te_tensor *x, te_tensor *x_buf) {
    te_tensor *y = result_of(p, x, x_buf);
    mark(p, x_buf, 0, "dma_copy");
    mark(p, y, 0, "dma_copy");
}

#endif
