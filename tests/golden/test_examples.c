/* The examples on the runtime: each checks its own result; here also the statistics that the tutorials print, and, with
 * the recorder preloaded, every call against the recorded ones. */
#include <unistd.h>

#include "support/golden.h"

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

TEST_CASE(test_statistics) {
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

/* The convolution's output as its tutorial shows it, where a tab is eight blanks. */
TEST_CASE(test_shown_statistics) {
    char shown[8192], *to = shown;
    for (const char *text = output_of(VT_BINARY_DIR "/examples/conv2d 2>&1"); *text; text++)
        to += sprintf(to, "%s", *text == '\t' ? "        " : (char[]){*text, '\0'});
    golden_check("listings/conv2d.stats.txt", shown);
}

TEST_CASE(test_calls) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("a recorder cannot be preloaded below a sanitizer\n");
    skip();
#else
    char source[GOLDEN_PATH], folder[] = "/tmp/vta_examples_XXXXXX", command[3 * GOLDEN_PATH];
    golden_path("trace_shim.c", source);
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "cc -w -shared -fPIC -O1 -o %s/shim.so %s -ldl", folder, source);
    output_of(command);
    for (int i = 0; i < COUNT; i++) {
        char name[80], path[GOLDEN_PATH];
        size_t size;
        snprintf(name, sizeof name, "calls/%s.calls", examples[i].calls);
        snprintf(path, sizeof path, "%s/calls", folder);
        snprintf(command, sizeof command, "VTA_TRACE=%s LD_PRELOAD=%s/shim.so %s/examples/%s >/dev/null", path, folder,
                 VT_BINARY_DIR, examples[i].program);
        output_of(command);
        char *text = check_read_file(path, &size);
        golden_check(name, text);
        free(text);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    output_of(command);
#endif
}

int main(void) { return golden_result(run_cases()); }
