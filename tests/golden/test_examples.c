/* The examples on the runtime: each checks its own result; here also the statistics that the seeds print, and, with
 * the recorder of ../shared/golden preloaded, every call against the original's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct {
    const char *program, *calls;
    unsigned long counters[7]; /* in the order in which they are printed */
} examples[] = {
    {"vector_add", "vadd", {0, 0, 8192, 4, 1024, 0, 64}},
    {"matmul", "matmul", {256, 65536, 0, 8, 256, 256, 0}},
    {"conv2d", "conv2d", {114688, 1179648, 0, 1144, 50176, 451584, 9408}},
};
enum { COUNT = sizeof examples / sizeof *examples };

static char *output_of(const char *command) {
    static char text[8192];
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t n = fread(text, 1, sizeof text - 1, pipe);
    text[n] = '\0';
    if (pclose(pipe)) fail_msg("%s failed:\n%s", command, text);
    return text;
}

static void test_statistics(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        char command[512];
        snprintf(command, sizeof command, "%s/examples/%s 2>&1", VT_BINARY_DIR, examples[i].program);
        char *text = output_of(command);
        assert_int_equal(strncmp(text, "Execution statistics:\n", 22), 0);
        char *line = strchr(text, '\n');
        for (int c = 0; c < 7; c++) {
            char *value = strchr(line, ':');
            assert_non_null(value);
            assert_int_equal(strtoul(value + 1, &line, 10), examples[i].counters[c]);
        }
        assert_non_null(strstr(text, "\nSuccessful "));
    }
}

static void test_calls(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("a recorder cannot be preloaded below a sanitizer\n");
    skip();
#else
    const char *given = getenv("VTA_SHARED"), *shared = given ? given : VT_SOURCE_DIR "/../shared";
    char source[512], folder[] = "/tmp/vta_examples_XXXXXX", command[2048];
    snprintf(source, sizeof source, "%s/golden/trace_shim.c", shared);
    if (access(source, R_OK)) {
        print_message("%s is not there: nothing to compare with\n", source);
        skip();
    }
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "cc -w -shared -fPIC -O1 -o %s/shim.so %s -ldl", folder, source);
    output_of(command);
    for (int i = 0; i < COUNT; i++) {
        snprintf(
            command, sizeof command,
            "VTA_TRACE=%s/%s LD_PRELOAD=%s/shim.so %s/examples/%s >/dev/null && cmp %s/%s %s/golden/calls/%s.calls",
            folder, examples[i].calls, folder, VT_BINARY_DIR, examples[i].program, folder, examples[i].calls, shared,
            examples[i].calls);
        output_of(command);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    output_of(command);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_statistics), cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
