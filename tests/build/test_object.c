/* Compiled kernels as input of the tool: what `vta build` makes is profiled, swept, run by its signature. */
#include <unistd.h>

#include "build/build_test.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_object_XXXXXX";

/* %s of `arguments` is the folder. */
static int run(const char *arguments) {
    char text[900], command[1200];
    char *to = text;
    for (const char *p = arguments; *p && to + sizeof folder < text + sizeof text; p++) {
        if (p[0] == '%' && p[1] == 's') {
            to += snprintf(to, sizeof folder, "%s", folder);
            p++;
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
    snprintf(command, sizeof command, "%s/vta %s 2>&1", VT_BINARY_DIR, text);
    return shell(command);
}

static void runs(const char *arguments, int code, const char *says) {
    int got = run(arguments);
    if (got != code || !strstr(output, says))
        fail_msg("vta %s: exit code %d, not %d with \"%s\"\n%s", arguments, got, code, says, output);
}

static void quietly(const char *command) {
    char line[512];
    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    assert_int_equal(system(line), 0);
}

static int64_t cycles_of(const char *arguments) {
    runs(arguments, 0, "{");
    json_t *j = json_loads(output, 0, NULL);
    if (!j) fail_msg("vta %s: no JSON: %.300s", arguments, output);
    int64_t cycles = json_integer_value(json_object_get(json_object_get(j, "timing"), "cycle_count"));
    json_decref(j);
    assert_true(cycles > 0);
    return cycles;
}

/* The checksum of an output. */
static void checksum_of(const char *arguments, const char *name, char sum[32]) {
    runs(arguments, 0, "\"compared\": false");
    json_t *j = json_loads(output, 0, NULL);
    assert_non_null(j);
    snprintf(sum, 32, "%s", json_string_value(json_object_get(json_object_get(j, "checksums"), name)));
    json_decref(j);
}

/* Objects, shared objects and C give the cycles of their source, on a machine of another shape too. */
TEST_CASE(same_cycles) {
    int64_t source = cycles_of("profile examples/conv2d.te --json");
    runs("build examples/conv2d.te -o %s/conv.o", 0, "");
    runs("build examples/conv2d.te -o %s/conv.so", 0, "");
    runs("build examples/conv2d.te -o %s/conv.c", 0, "");
    quietly("cc -Wall -Wextra -Werror -std=gnu11 -fwrapv -O1 -fPIC -shared -o c.so conv.c");
    assert_int_equal(cycles_of("profile %s/conv.o --json"), source);
    assert_int_equal(cycles_of("profile %s/conv.so --json"), source);
    assert_int_equal(cycles_of("profile %s/c.so --json"), source);
    source = cycles_of("profile examples/conv2d.te --set LOG_BLOCK=5 --json");
    runs("build examples/conv2d.te --set LOG_BLOCK=5 -o %s/wide.o", 0, "");
    assert_int_equal(cycles_of("profile %s/wide.o --json"), source);
}

/* The object's own names reach the reports. */
TEST_CASE(names) {
    runs("profile %s/conv.o", 0, "weights (kernel) are loaded 2.0 times");
    runs("profile %s/conv.o --trace -", 0, "\"traceEvents\"");
    assert_null(strstr(output, "\"source\""));
    runs("build examples/conv2d.te --annotate -o %s/annotated.o", 0, "");
    runs("profile %s/annotated.o --trace -", 0, "\"source\":\"res_conv i2.outer=1 ic.outer=3 cthread.s=1\"");
}

TEST_CASE(what_if) {
    runs("profile %s/conv.o --set LOG_BLOCK=5", 1, "Give the kernel's source (FILE.te), which is built anew");
    runs("profile %s/conv.o --set TARGET=tsim --bus 128", 0, "128-bit bus");
    runs("profile %s/conv.o --config configs/pynq.json", 0, "cycles"); /* the same sizes */
    runs("sweep %s/conv.o -v bus_bits=64,128 -v LOG_BLOCK=4,5", 0, "a compiled program is tied to its sizes");
    assert_non_null(strstr(output, "bus_bits=128 LOG_BLOCK=4"));
    runs("sweep %s/conv.o -v LOG_BLOCK=5", 1, "no machine of the sweep could be timed");
    runs("profile %s/conv.o --param threads=1", 1, "parameters are for its source");
    runs("profile examples/conv2d.te --function conv2d", 1, "--function is for objects");
}

TEST_CASE(several) {
    runs("build examples/vector_add.te examples/matmul.te -o %s/two.so", 0, "");
    runs("profile %s/two.so", 1, "has several kernels, say which with --function: matmul, vector_add");
    runs("profile %s/two.so --function none", 1, "it has: matmul, vector_add");
    int64_t source = cycles_of("profile examples/matmul.te --json");
    assert_int_equal(cycles_of("profile %s/two.so --function matmul --json"), source);
    runs("run %s/two.so --function vector_add", 0, "vector_add ran");
}

/* The same inputs for the same seed, whatever the form of the code and the order of the machine. */
TEST_CASE(run_objects) {
    char first[32], again[32];
    runs("run %s/conv.o --check", 0, "No races.");
    assert_non_null(strstr(output, "gemm_counter    :           451584"));
    assert_non_null(strstr(output, "were not compared; vta prove "));
    checksum_of("run %s/conv.o --json", "res", first);
    checksum_of("run %s/c.so --json --driver tsim", "res", again);
    assert_string_equal(first, again);
    checksum_of("run %s/conv.so --json --seed 5", "res", again);
    assert_string_not_equal(first, again);
    runs("run %s/wide.o", 0, "conv2d ran");
    runs("run %s/conv.o --set LOG_BATCH=1", 1, "Give the kernel's source (FILE.te)");
    runs("run %s/conv.o --interpret", 2, "--interpret is for kernel files");
    runs("run examples/conv2d.te --function x", 2, "--function is for objects");
}

TEST_CASE(for_the_processor) {
    runs("build tests/build/cpu/softmax.te -o %s/cpu.o", 0, "");
    runs("run %s/cpu.o", 0, "softmax ran");
    runs("profile %s/cpu.o", 1, "softmax is for the host: it runs nothing on the accelerator");
}

/* Objects of other compilers. */
TEST_CASE(without) {
    quietly("echo 'int plain(void) { return 0; }' > plain.c && cc -shared -fPIC -o plain.so plain.c && cc -fPIC -c "
            "plain.c");
    static const char *const commands[] = {"profile %s/plain.so", "run %s/plain.o", "sweep %s/plain.so -v bus_bits=64"};
    for (int i = 0; i < 3; i++)
        runs(commands[i], 1,
             "plain: the object does not say which tensors the function takes (no symbol __vta_signature_plain)");
    runs("profile %s/nothing.o", 1, "nothing.o");
    quietly("echo 'int data;' > empty.c && cc -shared -fPIC -o empty.so empty.c");
    runs("profile %s/empty.so", 1, "has no function");
}

/* A symbol of every target. */
TEST_CASE(every_target) {
    static const char *const triples[] = {"aarch64-linux-gnu", "armv7-none-linux-gnueabihf", "x86_64-linux-gnu"};
    for (int i = 0; i < 3; i++) {
        char command[256];
        snprintf(command, sizeof command, "build examples/vector_add.te --emit asm -mtriple=%s", triples[i]);
        runs(command, 0, "__vta_signature_vector_add:");
        assert_non_null(strstr(output, "\\\"version\\\": 1, \\\"name\\\": \\\"vector_add\\\""));
    }
    runs("build examples/vector_add.te --emit c", 0, "const char __vta_signature_vector_add[] = ");
}

static int setup(void **state) {
    (void)state;
    unsetenv("VTA_CONFIG");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) { return run_cases_between(setup, teardown); }
