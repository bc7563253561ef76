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

#endif
