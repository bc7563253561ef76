/* The kernel files of tests/kernel/cases and examples are the programs whose runtime calls are recorded: each lowers to
 * the same text as the program written with the C interface (tests/listings compares that with the recorded calls). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "listings/lower.h"
#include "vta/kernel.h"

/* Where the kernel of a recorded program stands: its name without the configuration's prefix. */
static void kernel_path(const char *name, char path[512]) {
    static const char *const examples[][2] = {
        {"vadd", "vector_add"}, {"matmul", "matmul"}, {"blocked", "blocked_matmul"}, {"conv2d", "conv2d"}};
    if (name[0] >= '0' && name[0] <= '9') name = strchr(name, '_') + 1;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(name, examples[i][0]) == 0) {
            snprintf(path, 512, VT_SOURCE_DIR "/examples/%s.te", examples[i][1]);
            return;
        }
    snprintf(path, 512, VT_SOURCE_DIR "/tests/kernel/cases/%s.te", name);
}

static char *lowered(const program *p) {
    vtac_lower_options options = {.config = te_context_config(p->c)};
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    if (lower_program(p, &options, "main", WANT_PRIMFN, &text) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(p->c)));
    return vt_strbuf_take(&text);
}

static void same_as_program(void **state) {
    const char *name = *state;
    char path[512];
    program p, from_file = {0};
    assert_true(program_create(&p, name));
    kernel_path(name, path);
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    if (vtac_kernel_load(path, NULL, te_context_config(p.c), NULL, diag, &k) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    from_file.c = vtac_kernel_context(k);
    from_file.s = vtac_kernel_schedule(k);
    for (size_t i = 0; i < vtac_kernel_arg_count(k); i++) from_file.args[from_file.n_args++] = vtac_kernel_arg(k, i);
    char *expected = lowered(&p), *got = lowered(&from_file);
    assert_string_equal(got, expected);
    free(expected);
    free(got);
    vtac_kernel_destroy(k);
    vta_diag_destroy(diag);
    program_destroy(&p);
}

int main(void) {
    enum { N = sizeof program_names / sizeof *program_names };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){.name = program_names[i],
                                       .test_func = same_as_program,
                                       .initial_state = (void *)(uintptr_t)program_names[i]};
    return _cmocka_run_group_tests("cases", tests, N, NULL, NULL);
}
