/* vta hw synth with a Yosys of the test's, whose answers are known: sums, shares, what fits, and the search for what
 * does. What the real one says of the design is tests/rtl's. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/tool.h"

static char folder[] = "/tmp/vta_hw_XXXXXX";

/* Answers the Nth call with the file stat.N, keeps its script as script.N. */
static const char yosys[] = "#!/bin/sh\n"
                            "echo >> %s/calls\n"
                            "n=$(wc -l < %s/calls)\n"
                            "while [ $# -gt 0 ]; do [ \"$1\" = -p ] && script=$2; shift; done\n"
                            "echo \"$script\" > %s/script.$n\n"
                            "to=$(echo \"$script\" | sed 's/.*tee -q -o \\([^ ]*\\) stat.*/\\1/')\n"
                            "cp %s/stat.$n \"$to\"\n";

static void put(const char *name, const char *text, mode_t mode) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

/* A top of one instance, with `queues` queues of lookup tables, flip-flops, multipliers and memories each. */
static void answer(int call, const char *lut, int luts, const char *dff, int dffs, const char *mul, int muls,
                   const char *ram, int rams, int queues) {
    char name[32], text[2048];
    snprintf(name, sizeof name, "stat.%d", call);
    snprintf(text, sizeof text,
             "=== $paramod\\vta_queue\\W=8 ===\n\n   Number of cells:  9\n     %s   %d\n     %s   %d\n     %s   %d\n"
             "     %s   %d\n\n=== vta_quiet ===\n\n     ODD_CELL   3\n\n=== vta_top ===\n\n     %s   10\n\n"
             "=== design hierarchy ===\n\n   vta_top   1\n     $paramod\\vta_queue\\W=8   %d\n     vta_quiet   2\n",
             lut, luts, dff, dffs, mul, muls, ram, rams, lut, queues);
    put(name, text, 0644);
}

static void ice40(int call, int luts, int dffs, int rams, int queues) {
    answer(call, "SB_LUT4", luts, "SB_DFFE", dffs, "SB_MAC16", 0, "SB_RAM40_4K", rams, queues);
}

static int begin(void **state) {
    (void)state;
    char text[1024], path[4096];
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(text, sizeof text, yosys, folder, folder, folder, folder);
    put("yosys", text, 0755);
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    snprintf(path, sizeof path, "%s/cache", folder);
    setenv("VTA_HARDWARE_CACHE", path, 1);
    unsetenv("VTA_CONFIG");
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void runs(const char *args, int code) {
    int got = vta_in(folder, args);
    if (got != code) fail_msg("vta %s: exit code %d\n%s", args, got, output);
}

static void modules_and_parts_are_printed(void **state) {
    (void)state;
    ice40(1, 100, 40, 2, 3);
    runs("hw synth --for ice40", 0);
    assert_contains(output, "ice40 (");
    assert_contains(output, "\nmodule             instances       LUTs  flip-flops");
    assert_contains(output, "SB_RAM40\n");
    assert_contains(output, "\nvta_queue                  3        300         120           0        6.0\n");
    assert_contains(output, "\nvta_top                    1         10           0           0        0.0\n");
    assert_contains(output, "\nall                        1        310         120           0        6.0\n\n");
    assert_contains(output,
                    "iCE40-HX8K    LUTs 310 of 7680 (4 %)  flip-flops 120 of 7680 (2 %)  SB_RAM40 6 of 32 (19 %)"
                    "  fits\n");
    assert_null(strstr(output, "vta_quiet")); /* takes nothing */
    assert_null(strstr(output, "multipliers 0"));
    assert_null(strstr(output, "--part NAME")); /* all of the family fit */
}

static void what_does_not_fit_is_said(void **state) {
    (void)state;
    ice40(1, 100, 4000, 11, 3); /* 12,000 of 7680 flip-flops, 33 of 32 memories: the worse of both is named */
    runs("hw synth --for ice40", 0);
    assert_contains(output, "iCE40-HX8K    LUTs 310 of 7680 (4 %)  flip-flops 12000 of 7680 (!) (156 %)"
                            "  SB_RAM40 33 of 32 (!) (103 %)  does not fit: 4320 flip-flops too many\n"
                            "--part NAME looks for the nearest configuration that fits.\n");
}

/* What is exactly as much as there is fits. */
static void all_of_a_part_fits(void **state) {
    (void)state;
    ice40(1, 7670, 7680, 32, 1);
    runs("hw synth --for ice40", 0);
    assert_contains(output,
                    "LUTs 7680 of 7680 (100 %)  flip-flops 7680 of 7680 (100 %)  SB_RAM40 32 of 32 (100 %)  fits");
}

static double number(const json_t *o, const char *key) {
    const json_t *value = json_object_get(o, key);
    if (!json_is_number(value)) fail_msg("no number \"%s\" in %.2000s", key, output);
    return json_number_value(value);
}

static void as_json(void **state) {
    (void)state;
    ice40(1, 100, 40, 2, 3);
    runs("hw synth --for ice40 --json", 0);
    json_t *j = output_json();
    const json_t *parts = json_object_get(j, "parts"), *modules = json_object_get(j, "modules");
    assert_string_equal(json_string_value(json_object_get(j, "family")), "ice40");
    assert_string_equal(json_string_value(json_object_get(j, "config")), "1x16_i8w8a32_15_15_18_17");
    assert_true(number(json_object_get(j, "total"), "luts") == 310);
    assert_true(number(json_object_get(j, "total"), "flip_flops") == 120);
    assert_true(number(json_object_get(j, "total"), "multipliers") == 0);
    assert_true(number(json_object_get(j, "total"), "block_rams") == 6);
    assert_int_equal(json_array_size(modules), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(modules, 0), "module")), "vta_queue");
    assert_true(number(json_array_get(modules, 0), "instances") == 3);
    assert_true(number(json_array_get(modules, 0), "luts") == 300);
    assert_int_equal(json_array_size(parts), 1);
    const json_t *part = json_array_get(parts, 0), *share = json_object_get(part, "share");
    assert_string_equal(json_string_value(json_object_get(part, "part")), "iCE40-HX8K");
    assert_true(json_is_true(json_object_get(part, "fits")));
    assert_true(number(json_object_get(part, "has"), "block_rams") == 32);
    assert_true(number(share, "block_rams") == 6.0 / 32);
    assert_true(fabs(number(share, "luts") - 310.0 / 7680) < 1e-6); /* six digits are printed */
    assert_null(json_object_get(share, "multipliers"));             /* the part has none */
    assert_null(json_object_get(j, "nearest"));
    json_decref(j);
}

/* Memories are the worst: the weights' buffer, the biggest, is halved; then flip-flops: the array. */
static void search(const char *more, bool fits) {
    char args[128];
    ice40(1, 100, 40, 11, 3);
    ice40(2, 100, 4000, 2, 3);
    ice40(3, 100, 2000, 2, fits ? 3 : 4);
    for (int i = 4; i < 12; i++) ice40(i, 100, 2000, 2, 4);
    snprintf(args, sizeof args, "hw synth --for ice40 --part iCE40-HX8K%s", more);
    runs(args, 0);
}

static void the_nearest_that_fits(void **state) {
    (void)state;
    search("", true);
    assert_contains(output, "SB_RAM40 33 of 32 (!) (103 %)  does not fit: 1 SB_RAM40 too many\n");
    assert_contains(output,
                    "\nfits with: LOG_WGT_BUFF_SIZE=17 LOG_BLOCK_OUT=3 LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=16\n"
                    "  iCE40-HX8K    LUTs 310 of 7680 (4 %)  flip-flops 6000 of 7680 (78 %)  SB_RAM40 6 of 32 "
                    "(19 %)  fits\n");
    assert_null(strstr(output, "--part NAME"));
}

static void the_nearest_as_json(void **state) {
    (void)state;
    search(" --json", true);
    json_t *j = output_json(), *nearest = json_object_get(j, "nearest");
    assert_string_equal(json_string_value(json_object_get(nearest, "changes")),
                        "LOG_WGT_BUFF_SIZE=17 LOG_BLOCK_OUT=3 LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=16");
    assert_true(json_is_true(json_object_get(nearest, "fits")));
    assert_true(number(json_object_get(nearest, "total"), "flip_flops") == 6000);
    assert_true(number(json_object_get(j, "total"), "block_rams") == 33);
    json_decref(j);
}

/* The array is halved until it may not be: then the configuration is refused, by the rule that it breaks. */
static void the_search_ends(void **state) {
    (void)state;
    char args[128];
    for (int i = 1; i < 12; i++) ice40(i, 100, 4000, 2, 4);
    snprintf(args, sizeof args, "hw synth --for ice40 --part iCE40-HX8K");
    int code = vta_in(folder, args);
    assert_int_equal(code, 1);
    assert_contains(output, "LOG_BLOCK_OUT = 1: must be from 2 to 6");
}

/* One buffer after the other, the biggest first: eight steps are the most. */
static void eight_steps_at_most(void **state) {
    (void)state;
    for (int i = 1; i < 14; i++) ice40(i, 100, 40, 50, 3);
    runs("hw synth --for ice40 --part iCE40-HX8K", 0);
    assert_contains(output, "does not fit, even with: LOG_WGT_BUFF_SIZE=17 LOG_ACC_BUFF_SIZE=16 LOG_WGT_BUFF_SIZE=16 ");
    assert_contains(output, "  iCE40-HX8K    LUTs 310");
    char path[64];
    snprintf(path, sizeof path, "%s/script.9", folder);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/script.10", folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void what_fits_is_not_searched(void **state) {
    (void)state;
    ice40(1, 100, 40, 2, 3);
    runs("hw synth --for ice40 --part iCE40-HX8K", 0);
    assert_contains(output, "  fits\n");
    assert_null(strstr(output, "fits with"));
}

/* Packing is for Xilinx' multipliers and 8-bit elements; --flatten runs other commands. */
static void what_yosys_is_told(void **state) {
    (void)state;
    answer(1, "LUT6", 100, "FDRE", 40, "DSP48E1", 2, "RAMB36E1", 2, 3);
    answer(2, "LUT6", 100, "FDRE", 40, "DSP48E1", 2, "RAMB36E1", 2, 3);
    runs("hw synth --for xilinx", 0);
    assert_contains(output, "\nvta_queue                  3        300         120           6        6.0\n");
    assert_contains(output, "\nall                        1        310         120           6        6.0\n");
    runs("hw synth --for xilinx --flatten --json", 0);
    char command[256];
    snprintf(command, sizeof command, "cd %s; cat script.1; diff script.1 script.2", folder);
    assert_int_equal(shell(command), 1); /* they differ */
    assert_contains(output, "synth_xilinx");
    assert_contains(output, "flatten");
}

static void what_is_refused(void **state) {
    (void)state;
    ice40(1, 100, 40, 2, 3);
    runs("hw", 2);
    assert_contains(output, "one of generate, build and synth is needed");
    runs("hw sing", 2);
    assert_contains(output, "sing: not one of generate, build and synth");
    runs("hw generate", 2);
    assert_contains(output, "generate needs --output FOLDER");
    runs("hw synth", 2);
    assert_contains(output, "synth needs --for FAMILY");
    static const char *const large[] = {"bus", "burst", "queue", "address", "time-limit"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char args[128];
        snprintf(args, sizeof args, "hw synth --for ice40 --%s 4294967296", large[i]);
        runs(args, 2);
        assert_contains(output, "a number is too large");
    }
    runs("hw synth --for stratix", 1);
    assert_contains(output, "there is no family of parts \"stratix\"");
    runs("hw synth --for ice40 --part iCE40-HX8", 1);
    assert_contains(output, "iCE40-HX8K");
    put("stat.2", "nothing", 0644);
    put("calls", "\n", 0644);
    runs("hw synth --for ice40 --flatten", 1);
    assert_contains(output, "Yosys's stat says nothing of vta_top");
}

/* Every option of the design reaches the design: each gives other sources. */
static void options_of_the_design(void **state) {
    (void)state;
    static const char *const options[] = {"",         "--bus 128", "--burst 8",    "--queue 64",       "--small",
                                          "--no-mul", "--pack",    "--address 20", "--set LOG_BATCH=1"};
    enum { COUNT = sizeof options / sizeof *options };
    char sums[COUNT][80];
    for (size_t i = 0; i < COUNT; i++) {
        char args[256], command[512];
        snprintf(args, sizeof args, "hw generate -o design%zu %s", i, options[i]);
        runs(args, 0);
        snprintf(command, sizeof command, "cd %s/design%zu && find . -type f | sort | xargs cat | sha256sum", folder,
                 i);
        assert_int_equal(shell(command), 0);
        snprintf(sums[i], sizeof sums[i], "%.64s", output);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(sums[i], sums[k])) fail_msg("\"%s\" gives the design of \"%s\"", options[i], options[k]);
    }
}

int main(void) {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(modules_and_parts_are_printed),
        WITH_FOLDER(what_does_not_fit_is_said),
        WITH_FOLDER(all_of_a_part_fits),
        WITH_FOLDER(as_json),
        WITH_FOLDER(the_nearest_that_fits),
        WITH_FOLDER(the_nearest_as_json),
        WITH_FOLDER(the_search_ends),
        WITH_FOLDER(eight_steps_at_most),
        WITH_FOLDER(what_fits_is_not_searched),
        WITH_FOLDER(what_yosys_is_told),
        WITH_FOLDER(what_is_refused),
        WITH_FOLDER(options_of_the_design),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
