/* The examples run, and print a lowered function. */
#include "te_test.h"

static void example(void **state) {
    char command[512];
    snprintf(command, sizeof command, VT_BINARY_DIR "/examples/te_%s", (const char *)*state);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    char *text = calloc(1, 1 << 16);
    size_t size = fread(text, 1, (1 << 16) - 1, out);
    assert_int_equal(pclose(out), 0);
    assert_true(size > 0);
    if (!strstr(text, " = primfn(") || !strstr(text, "VTAStoreBuffer2D")) fail_msg("%s", text);
    free(text);
}

int main(void) {
    static const char *const names[] = {"vector_add", "matmul", "blocked_matmul", "conv2d"};
    struct CMUnitTest tests[4];
    for (int i = 0; i < 4; i++)
        tests[i] =
            (struct CMUnitTest){.name = names[i], .test_func = example, .initial_state = (void *)(uintptr_t)names[i]};
    return _cmocka_run_group_tests("examples", tests, 4, NULL, NULL);
}
