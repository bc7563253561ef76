/* Cycle counts of instruction streams that this project's compiler makes, and profiles of kernel files. */
#include <unistd.h>

#include "support/tool.h"

static int run(const char *arguments) {
    char command[1200];
    snprintf(command, sizeof command, "%s/vta %s 2>&1", VT_BINARY_DIR, arguments);
    return shell(command);
}

/* ResNet-18's C2 with the fallback schedule on buses of 64 to 512 bits: five runs as published, in whole millions, and
 * on 64 bits the cycles that the hardware takes for this stream (tests/tsim/test_figures.c). */
TEST_CASE(fallback_schedule) {
    static const struct {
        const char *machine;
        int64_t cycles, millions;
    } rows[] = {{"bus_bits=64", 19558608, 97},
                {"bus_bits=128", 11789114, 58},
                {"bus_bits=256", 7903092, 39},
                {"bus_bits=512", 5947829, 29}};
    assert_int_equal(run("sweep tests/build/conv2d_fallback.te -v bus_bits=64,128,256,512 --json"), 0);
    json_t *all = output_json(), *row;
    size_t i;
    int found = 0;
    json_array_foreach(all, i, row) {
        int64_t cycles = json_integer_value(json_object_get(row, "cycle_count"));
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if (strcmp(rows[k].machine, json_string_value(json_object_get(row, "machine")))) continue;
            assert_int_equal(cycles, rows[k].cycles);
            assert_int_equal(5 * cycles / 1000000, rows[k].millions);
            found++;
        }
    }
    assert_int_equal(found, 4);
    json_decref(all);
}

static int64_t cycles_of(const char *arguments) {
    if (run(arguments) != 0) fail_msg("%s: %s", arguments, output);
    json_t *j = output_json();
    int64_t cycles = json_integer_value(json_object_get(json_object_get(j, "timing"), "cycle_count"));
    json_decref(j);
    return cycles;
}

TEST_CASE(virtual_threads) {
    int64_t one = cycles_of("profile examples/conv2d.te -p threads=1 --json");
    int64_t two = cycles_of("profile examples/conv2d.te --json");
    print_message("%lld cycles with one thread, %lld with two\n", (long long)one, (long long)two);
    assert_true(two * 5 < one * 4);
}

TEST_CASE(for_another_machine) {
    int64_t usual = cycles_of("profile examples/conv2d.te --json");
    int64_t wide = cycles_of("profile examples/conv2d.te --set LOG_BLOCK=5 --bus 128 --json");
    assert_true(wide * 3 < usual);
    assert_int_equal(run("profile examples/conv2d.te --set LOG_WGT_BUFF_SIZE=12"), 1);
    assert_contains(output, "kernel_buf needs 72 elements of the wgt buffer, which holds 16");
    assert_int_equal(run("sweep examples/conv2d.te -v LOG_BLOCK=4,5 -v LOG_WGT_BUFF_SIZE=12,18"), 0);
    assert_contains(output, "LOG_BLOCK=5 LOG_WGT_BUFF_SIZE=18");
    assert_contains(output, "error: kernel_buf needs");
}

/* Points are built in threads of their own; the table is the same for any number of them. */
TEST_CASE(in_parallel) {
    static const char *const jobs[] = {"1", "8"};
    static char first[1 << 14];
    for (int i = 0; i < 2; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments,
                 "sweep examples/conv2d.te -v LOG_BLOCK=4,5 -v bus_bits=64,128 -v gemm_step=1,2,3 --jobs %s", jobs[i]);
        assert_int_equal(run(arguments), 0);
        if (i == 0) memcpy(first, output, sizeof first);
    }
    assert_string_equal(first, output);
}

/* Instructions are called by what they were in the kernel file. */
TEST_CASE(source_names) {
    assert_int_equal(run("profile examples/conv2d.te --trace -"), 0);
    assert_contains(output, "\"source\":\"data_buf i2.outer=0 ic.outer=0\"");
    assert_contains(output, "\"source\":\"kernel_buf i2.outer=1 ic.outer=15\"");
    assert_contains(output, "\"source\":\"res_conv i2.outer=1 ic.outer=3 cthread.s=1\"");
    json_decref(output_json());
    assert_int_equal(run("profile examples/conv2d.te"), 0);
    assert_contains(output, "weights (kernel) are loaded 2.0 times");
    assert_int_equal(run("profile examples/conv2d.te --html -"), 0);
    assert_contains(output, "res_conv i2.outer=0 ic.outer=1 cthread.s=0");
}

TEST_CASE(refused) {
    assert_int_equal(run("profile examples/none.te"), 1);
    assert_contains(output, "none.te");
    assert_int_equal(run("profile kernel.o"), 1);
    assert_contains(output, "kernel.o: cannot open");
}

int main(void) { return run_cases(); }
