/* vta profile and vta sweep as commands. */
#include <unistd.h>

#include "support/golden.h"
#include "support/tool.h"
#include "vta/timing.h"

/* Runs "vta ARGUMENTS" on a recorded program; its exit code. */
static int run(const char *program, const char *format) {
    char arguments[1600], command[2400], name[100], path[GOLDEN_PATH];
    snprintf(name, sizeof name, "runs/%.80s", program);
    golden_path(name, path);
    snprintf(arguments, sizeof arguments, format, path);
    snprintf(command, sizeof command, "%s/vta %s 2>&1", VT_BINARY_DIR, arguments);
    return shell(command);
}

TEST_CASE(profile_in_words) {
    assert_int_equal(run("conv2d", "profile %s"), 0);
    assert_contains(output, "Compute bound: the compute unit is at work 96 %");
    assert_contains(output, "weights at 0x0000e000 are loaded 2.0 times (1.18 MB moved, 589.8 kB different)");
    assert_int_equal(run("4x8_matmul", "profile %s"), 0);
    assert_contains(output, "Load and compute take turns");
    assert_int_equal(run("vadd", "profile %s --profile chisel-2019"), 0);
    assert_contains(output, "cycles            1654 (chisel-2019, 64-bit bus)");
}

TEST_CASE(profile_what_if) {
    assert_int_equal(run("matmul", "profile %s --bus 256 --json"), 0);
    json_t *wide = output_json();
    assert_int_equal(run("matmul", "profile %s --json"), 0);
    json_t *usual = output_json();
    int64_t fast = json_integer_value(json_object_get(json_object_get(wide, "timing"), "cycle_count"));
    int64_t slow = json_integer_value(json_object_get(json_object_get(usual, "timing"), "cycle_count"));
    assert_true(fast > 1000 && fast < slow);
    json_decref(wide);
    json_decref(usual);
    assert_int_equal(run("vadd", "profile %s --set LOG_BLOCK=5"), 1);
    assert_contains(output, "a compiled program is tied to its sizes (1x16_i8w8a32_15_15_18_17)");
    assert_int_equal(run("vadd", "profile %s --bus 100"), 1);
    assert_contains(output, "--bus 100: expected bits, a power of two from 32 to 2048");
    assert_int_equal(run("vadd", "profile %s.gone"), 1);
    assert_int_equal(run("vadd", "profile"), 2);
}

TEST_CASE(help_has_every_profile) {
    assert_int_equal(run("vadd", "profile --help"), 0);
    for (size_t i = 0; vta_timing_profile_name(i); i++) {
        char word[64];
        snprintf(word, sizeof word, " %s,", vta_timing_profile_name(i));
        assert_contains(output, word);
    }
}

TEST_CASE(profile_against) {
    char format[900];
    snprintf(format, sizeof format, "profile %%s --against-timing bus_bits=128 --against %s/examples/vector_add.te",
             VT_SOURCE_DIR);
    if (run("vadd", format) == 0) { /* a tool with the compiler */
        assert_contains(output, "vector_add.te bus_bits=128");
        assert_contains(output, "cycles                                       1486 ");
    }
    assert_int_equal(run("vadd", "profile %s --against-timing delay=3"), 2);
    assert_int_equal(run("vadd", "profile %s --against no-such.vta"), 1);
}

TEST_CASE(profile_files) {
    char format[900], path[300];
    static const char *const kinds[][2] = {{"trace", "\"traceEvents\":["},
                                           {"html", "<title>two &lt; three</title>"},
                                           {"svg", "two &lt; three: 1486 cycles"}};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/profile-%d.%s", VT_BINARY_DIR, (int)getpid(), kinds[i][0]);
        snprintf(format, sizeof format, "profile %%s --title 'two < three' --%s %s", kinds[i][0], path);
        assert_int_equal(run("vadd", format), 0);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        output[fread(output, 1, sizeof output - 1, f)] = '\0';
        fclose(f);
        unlink(path);
        assert_contains(output, kinds[i][1]);
    }
    assert_int_equal(run("vadd", "profile %s --trace -"), 0);
    json_decref(output_json());
    assert_int_equal(run("vadd", "profile %s --svg /no/such/folder/x.svg"), 1);
}

TEST_CASE(sweep) {
    assert_int_equal(run("matmul", "sweep %s -v bus_bits=64,128,256 -v delay=16,60 --json"), 0);
    json_t *rows = output_json(), *row;
    assert_int_equal(json_array_size(rows), 6);
    size_t i;
    double last = 0;
    int pareto = 0;
    json_array_foreach(rows, i, row) {
        double seconds = json_real_value(json_object_get(row, "seconds"));
        assert_true(seconds >= last); /* fastest first */
        last = seconds;
        pareto += json_is_true(json_object_get(row, "pareto"));
    }
    assert_int_equal(pareto, 3); /* a longer delay costs time and saves no area */
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "machine")),
                        "bus_bits=256 delay=16");
    json_decref(rows);
    /* The same table whatever the number of threads. */
    static char first[1 << 16];
    assert_int_equal(run("matmul", "sweep %s -v bus_bits=64,128 -v outstanding=1,4,16 --jobs 1"), 0);
    memcpy(first, output, sizeof first);
    assert_int_equal(run("matmul", "sweep %s -v bus_bits=64,128 -v outstanding=1,4,16 --jobs 8"), 0);
    assert_string_equal(first, output);
    assert_int_equal(run("vadd", "sweep %s -v LOG_BLOCK=4,5"), 0);
    assert_contains(output, "a compiled program is tied to its sizes");
    assert_int_equal(run("vadd", "sweep %s -v speed=1"), 1);
    assert_contains(output, "has no setting \"speed\"");
    assert_int_equal(run("vadd", "sweep %s -v bus_bits"), 2);
    assert_int_equal(run("vadd", "sweep %s -v bus_bits=64,128 --svg -"), 0);
    assert_contains(output, "</svg>");
}

int main(void) { return golden_result(run_cases()); }
