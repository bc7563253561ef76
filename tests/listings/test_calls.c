/* The runtime calls of the recorded programs, read off the lowered functions. */
#include "listings/lower.h"
#include "support/golden.h"

static void check_calls(void **state) {
    const char *name = *state;
    char file[64];
    snprintf(file, sizeof file, "calls/%s.calls", name);
    program p;
    assert_true(program_create(&p, name));
    static const char *const off[] = {"tir.CommonSubexprElimTIR"};
    vtac_lower_options options = {.config = te_context_config(p.c), .disabled = off, .disabled_count = 1, .verify = 1};
    vt_strbuf got;
    vt_strbuf_init(&got, NULL);
    vta_status status = lower_program(&p, &options, "main", WANT_CALLS, &got);
    if (status != VTA_OK) fail_msg("%s: %s", name, vta_diag_text(te_context_diag(p.c)));
    golden_check(file, vt_strbuf_text(&got));
    vt_strbuf_free(&got);
    program_destroy(&p);
}

int main(void) {
    enum { N = sizeof program_names / sizeof *program_names };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){
            .name = program_names[i], .test_func = check_calls, .initial_state = (void *)(uintptr_t)program_names[i]};
    return golden_result(_cmocka_run_group_tests("calls", tests, N, NULL, NULL));
}
