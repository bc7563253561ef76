/* The programs that make models and gates, and what is made of what they say: shell scripts stand for make and Yosys.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

#include "hardware/place.h"
#include "hardware/synthesis.h"

static vta_config *config;
static vta_diag *diag;
static char root[64], folder[80], *old_path;

static void put(const char *name, const char *text) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    chmod(path, 0755);
}

static void get(const char *name, char *out, size_t size) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(out, 1, size - 1, f) : 0;
    out[n] = 0;
    if (f) fclose(f);
}

/* Both write down what they are asked for; they make the file, or say something and fail with $CODE. */
static int begin(void **state) {
    char command[256];
    (void)state;
    unsetenv("VTA_HARDWARE_COVERAGE");
    config = vta_config_default();
    diag = vta_diag_create(NULL);
    snprintf(root, sizeof root, "/tmp/vta-tools-XXXXXX");
    if (!config || !diag || !mkdtemp(root)) return -1;
    snprintf(folder, sizeof folder, "%s/cache", root);
    setenv("VTA_HARDWARE_CACHE", folder, 1);
    setenv("ROOT", root, 1);
    snprintf(command, sizeof command,
             "cd %s; mkdir bin less none; for i in timeout env; do ln -s $(command -v $i) bin; ln -s $(command -v $i) "
             "less; done",
             root);
    if (system(command) != 0) return -1;
    put("bin/make", "#!/bin/sh\nprintf '%s\\n' \"$@\" > $ROOT/log\n"
                    "if [ $CODE ]; then echo it went wrong; exit $CODE; fi\n: > $3/${6#OUTPUT=}\n");
    put("bin/yosys", "#!/bin/sh\nprintf '%s\\n' \"$@\" > $ROOT/log\n"
                     "if [ $CODE ]; then echo it went wrong; exit $CODE; fi\n"
                     "for last; do :; done\nname=${last##*-o }\nwhile IFS= read -r line; do printf '%s\\n' \"$line\"; "
                     "done < $ROOT/stat "
                     "> ${name% stat}\n");
    old_path = strdup(getenv("PATH"));
    snprintf(command, sizeof command, "%s/bin", root);
    setenv("PATH", command, 1);
    return 0;
}

static int end(void **state) {
    char command[128];
    (void)state;
    setenv("PATH", old_path, 1);
    free(old_path);
    snprintf(command, sizeof command, "rm -rf %s", root);
    vta_diag_destroy(diag);
    vta_config_release(config);
    return system(command);
}

static void use_tools(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    setenv("PATH", path, 1);
}

static void assert_said(const char *text) {
    assert_string_equal(vta_diag_text(diag), text);
    vta_diag_clear(diag);
}

/* ---- Models ---- */

static void check_build(vta_hardware_options o, const char *options, uint32_t bus_bits, const char *last) {
    char log[4096], want[4096], *path, *again;
    assert_int_equal(vta_hardware_build(config, &o, diag, &path), VTA_OK);
    const char *name = strrchr(path, '/') + 1;
    char place[1024];
    snprintf(place, sizeof place, "%.*s.%ld", (int)(name - path - 1), path, (long)getpid());
    snprintf(want, sizeof want,
             "-s\n-C\n%s/sources\n-f\nvta_model.mk\nOUTPUT=../%s\nOPTIONS=%s\nFLAGS=-fPIC%s -DVTA_BUS_BITS=%u\n%s",
             place, name, options, strcmp(name, "model.so") ? " -march=x86-64-v3" : "", (unsigned)bus_bits, last);
    get("log", log, sizeof log);
    assert_string_equal(log, want);
    assert_true(!strcmp(name, "model.so") || !strcmp(name, "model_x86-64-v3.so"));
    put("log", "");
    assert_int_equal(vta_hardware_find(config, &o, diag, &again), VTA_OK);
    assert_string_equal(path, again);
    vta_string_free(again);
    assert_int_equal(vta_hardware_build(config, &o, diag, NULL), VTA_OK); /* not made again */
    get("log", log, sizeof log);
    assert_string_equal(log, "");
    vta_string_free(path);
}

TEST_CASE(test_models) {
    static const char fast[] = " --noassert -x-assign fast --x-initial fast";
    check_build((vta_hardware_options){.bus_bits = 64}, fast, 64, "");
    check_build((vta_hardware_options){.bus_bits = 128, .netlist = true}, fast, 128, "NETLIST=yes\n");
    check_build((vta_hardware_options){.wave = true},
                " --trace-fst --trace-max-width 4096 --noassert -x-assign fast --x-initial fast", 64, "");
    check_build((vta_hardware_options){.coverage = true, .assertions = true},
                " --coverage-line --coverage-toggle --assert -x-assign unique --x-initial unique", 64, "");
}

TEST_CASE(test_no_models) {
    vta_hardware_options o = {.bus_bits = 256};
    char *path = root, place[1024], text[2048], start[256];
    snprintf(start, sizeof start, "error: there is no model of %s with a bus of 256 bits (",
             vta_config_bitstream(config));
    assert_int_equal(vta_hardware_find(config, &o, diag, &path), VTA_NOT_FOUND);
    assert_null(path);
    assert_memory_equal(vta_diag_text(diag), start, strlen(start));
    snprintf(text, sizeof text, "%s", vta_diag_text(diag) + strlen(start));
    assert_string_equal(strchr(text, ')'), "); make it with vta hw build --bus 256");
    const vta_hardware_options many = {
        .small = true, .queue_depth = 4, .burst_beats = 8, .wave = true, .netlist = true};
    vta_diag_clear(diag);
    char *none;
    assert_int_equal(vta_hardware_find(config, &many, diag, &none), VTA_NOT_FOUND);
    assert_non_null(
        strstr(vta_diag_text(diag), "; make it with vta hw build --burst 8 --queue 4 --small --wave --netlist"));
    snprintf(place, sizeof place, "%.*s", (int)(strrchr(text, '/') - text), text);
    vta_diag_clear(diag);
    setenv("CODE", "3", 1);
    path = root;
    assert_int_equal(vta_hardware_build(config, &o, diag, &path), VTA_UNSUPPORTED);
    assert_null(path);
    snprintf(text, sizeof text,
             "error: the model of %s.%ld could not be built (it needs verilator, g++ and make, of a netlist yosys too: "
             "apt install verilator g++ make zlib1g-dev yosys): it went wrong\n",
             place, (long)getpid());
    assert_said(text);
    setenv("CODE", "127", 1);
    assert_int_equal(vta_hardware_build(config, &o, diag, NULL), VTA_UNSUPPORTED);
    assert_said("error: cannot run make: No such file or directory");
    unsetenv("CODE");
    use_tools("none");
    assert_int_equal(vta_hardware_build(config, &o, diag, NULL), VTA_UNSUPPORTED);
    assert_said("error: cannot run make: No such file or directory");
    use_tools("bin");
    assert_int_equal(vta_hardware_build(config, &o, diag, &path), VTA_OK);
    assert_memory_equal(path, place, strlen(place));
    vta_string_free(path);
    o.bus_bits = 33;
    path = root;
    assert_int_equal(vta_hardware_find(config, &o, diag, &path), VTA_OUT_OF_RANGE);
    assert_null(path);
    vta_diag_clear(diag);
    path = root;
    assert_int_equal(vta_hardware_find(NULL, NULL, diag, &path), VTA_INVALID_ARGUMENT);
    assert_null(path);
    assert_said("error: vta_hardware_find: needs a configuration");
    path = root;
    assert_int_equal(vta_hardware_build(NULL, NULL, diag, &path), VTA_INVALID_ARGUMENT);
    assert_null(path);
    assert_said("error: vta_hardware_build: needs a configuration");
}

/* ---- Gates ---- */

static const char stat_text[] = "\n=== $paramod\\vta_fifo\\WIDTH=8 ===\n\n"
                                "   Number of wires:                 10\n"
                                "   Number of memory bits:         2048\n"
                                "   Number of cells:                  5\n"
                                "     $lut                            3\n"
                                "     $_DFF_P_                        2\n"
                                "     LUT6                            4\n"
                                "     RAMB18E1                        1\n"
                                "     $lut                            x\n"
                                "     $lut                           1x\n"
                                "\n=== $paramod$0123\\vta_fifo ===\n\n"
                                "     $lut                          100\n"
                                "=== vta_top ===\n"
                                "     $lut                            1\n"
                                "     vta_leaf                        1\n"
                                "=== vta_leaf ===\n"
                                "     $lut                            7\n"
                                "     $_SDFFE_PP0P_                   2\n"
                                "=== design hierarchy ===\n\n"
                                "   vta_top                           1\n"
                                "     $paramod\\vta_fifo\\WIDTH=8       2\n"
                                "     vta_leaf                        2\n"
                                "       $paramod\\vta_fifo\\WIDTH=8     3\n"
                                "     $paramod$0123\\vta_fifo          1\n\n"
                                "   Number of memory bits:       999999\n"
                                "   Number of cells:                 99\n"
                                "     $lut                           99\n";

static void check_module(const vta_synthesis *s, size_t index, const char *name, uint32_t count,
                         vta_hardware_area want) {
    vta_synthesis_module m;
    assert_true(vta_synthesis_module_get(s, index, &m));
    assert_string_equal(m.name, name);
    assert_int_equal(m.count, count);
    assert_memory_equal(&m.area, &want, sizeof want);
}

/* FIFOs: 2 and 2 * 3 of the first sort, 1 of the second. */
TEST_CASE(test_gates) {
    vta_synthesis *s;
    vta_synthesis_module m;
    char log[8192];
    put("stat", stat_text);
    assert_int_equal(vta_hardware_synthesize(config, NULL, "generic", false, 0, diag, &s), VTA_OK);
    check_module(s, 0, "vta_fifo", 9, (vta_hardware_area){8 * 3 + 100, 8 * 2, 0, 8 * 2});
    check_module(s, 1, "vta_leaf", 2, (vta_hardware_area){2 * 7, 2 * 2, 0, 0});
    check_module(s, 2, "vta_top", 1, (vta_hardware_area){1, 0, 0, 0});
    assert_false(vta_synthesis_module_get(s, 3, &m));
    vta_hardware_area all = vta_synthesis_area(s);
    assert_true(all.luts == 139 && all.flip_flops == 20 && all.multipliers == 0 && all.block_rams == 16);
    vta_synthesis_destroy(s);
    get("log", log, sizeof log);
    static const char begin_of[] =
        "-q\n-e\nimplicitly declared\n-w\n.*\n-p\nread_verilog -sv sources/vta_pkg.sv sources/";
    assert_memory_equal(log, begin_of, sizeof begin_of - 1);
    assert_non_null(strstr(log, " sources/vta_top.sv"));
    assert_null(strstr(log, ".mk"));
    const char *tail =
        strstr(log, "; chformal -remove; hierarchy -check -top vta_top; proc; opt; wreduce; peepopt; "
                    "opt_clean; alumacc; opt; techmap; opt -fast; abc -lut 4; opt_clean; tee -q -o generic_");
    assert_non_null(tail);
    assert_string_equal(strrchr(tail, '.'), ".stat stat\n");
    put("log", "");
    assert_int_equal(vta_hardware_synthesize(config, NULL, "xilinx", true, 0, diag, &s), VTA_OK);
    check_module(s, 0, "vta_fifo", 9, (vta_hardware_area){8 * 4, 0, 0, 8 * 0.5});
    vta_synthesis_destroy(s);
    get("log", log, sizeof log);
    assert_non_null(strstr(log, "; synth_xilinx -family xc7 -noiopad -noclkbuf -flatten -top vta_top; tee "));
    put("log", "");
    assert_int_equal(vta_hardware_synthesize(config, NULL, "xilinx", true, 0, diag, &s), VTA_OK); /* kept */
    vta_synthesis_destroy(s);
    get("log", log, sizeof log);
    assert_string_equal(log, "");
    assert_int_equal(vta_hardware_synthesize(config, NULL, "xilinx", false, 0, diag, &s), VTA_OK); /* another */
    vta_synthesis_destroy(s);
    get("log", log, sizeof log);
    assert_non_null(strstr(log, " -noclkbuf -top vta_top; tee "));
    vta_synthesis_destroy(NULL);
}

static vta_status synthesize(vta_synthesis **out) {
    *out = (vta_synthesis *)root;
    vta_status status = vta_hardware_synthesize(config, NULL, "ecp5", false, 7, diag, out);
    assert_null(*out);
    return status;
}

TEST_CASE(test_no_gates) {
    vta_synthesis *s;
    setenv("CODE", "3", 1);
    assert_int_equal(synthesize(&s), VTA_UNSUPPORTED);
    assert_said("error: Yosys failed: it went wrong\n");
    setenv("CODE", "127", 1);
    assert_int_equal(synthesize(&s), VTA_UNSUPPORTED);
    assert_said("error: cannot run yosys (apt install yosys): there is no such program");
    for (int i = 0; i < 2; i++) {
        setenv("CODE", i ? "137" : "124", 1);
        assert_int_equal(synthesize(&s), VTA_TIMEOUT);
        assert_said("error: Yosys did not end within 7 s");
    }
    unsetenv("CODE");
    use_tools("less");
    assert_int_equal(synthesize(&s), VTA_UNSUPPORTED);
    assert_said("error: cannot run yosys (apt install yosys): there is no such program");
    use_tools("none");
    assert_int_equal(synthesize(&s), VTA_UNSUPPORTED);
    assert_said("error: cannot run yosys (apt install yosys): No such file or directory");
    use_tools("bin");
    put("stat", "=== vta_core ===\n   $lut 3\n");
    assert_int_equal(synthesize(&s), VTA_PARSE);
    assert_said("error: Yosys's stat says nothing of vta_top");
    s = (vta_synthesis *)root;
    assert_int_equal(vta_hardware_synthesize(config, NULL, "stratix", false, 0, diag, &s), VTA_NOT_FOUND);
    assert_null(s);
    assert_said("error: there is no family of parts \"stratix\"; there are: xilinx, ecp5, ice40, generic");
    assert_int_equal(
        vta_hardware_synthesize(config, &(vta_hardware_options){.bus_bits = 3}, "ecp5", false, 0, diag, &s),
        VTA_OUT_OF_RANGE);
    vta_diag_clear(diag);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(vta_hardware_synthesize(i == 0 ? NULL : config, NULL, i == 1 ? NULL : "ecp5", false, 0, diag,
                                                 i == 2 ? NULL : &s),
                         VTA_INVALID_ARGUMENT);
        assert_said("error: vta_hardware_synthesize: needs a configuration, a family of parts and out_synthesis");
    }
}

/* The tree is followed 32 modules deep. */
TEST_CASE(test_deep) {
    for (int levels = 31; levels < 34; levels++) {
        char text[4096], *at = text;
        vta_synthesis *s;
        vta_synthesis_module m;
        at += sprintf(at, "=== vta_top ===\n=== leaf ===\n$lut 1\n=== design hierarchy ===\nvta_top 1\n");
        for (int i = 1; i + 1 < levels; i++) at += sprintf(at, "%*sbetween 1\n", i, "");
        at += sprintf(at, "%*sleaf 5\n%*sleaf 2\n", levels - 1, "", 1, "");
        assert_int_equal(vt_synthesis_read(text, vt_part_family_find("generic"), diag, &s), VTA_OK);
        assert_true(vta_synthesis_module_get(s, 0, &m));
        assert_int_equal(m.count, levels <= 32 ? 7 : 2);
        vta_synthesis_destroy(s);
    }
}

/* ---- Parts ---- */

TEST_CASE(test_parts) {
    static const struct {
        const char *family, *cell;
        vta_hardware_area area;
    } cells[] = {
        {"xilinx", "LUT6", {1, 0, 0, 0}},         {"xilinx", "FDRE", {0, 1, 0, 0}},
        {"xilinx", "DSP48E1", {0, 0, 1, 0}},      {"xilinx", "RAMB18E1", {0, 0, 0, 0.5}},
        {"xilinx", "RAMB36E1", {0, 0, 0, 1}},     {"xilinx", "SRL16E", {1, 0, 0, 0}},
        {"xilinx", "SRL16", {0, 0, 0, 0}},        {"xilinx", "RAM64M", {4, 0, 0, 0}},
        {"xilinx", "RAM64MX", {0, 0, 0, 0}},      {"ecp5", "CCU2C", {2, 0, 0, 0}},
        {"ecp5", "DP16KD", {0, 0, 0, 1}},         {"ecp5", "LUT6", {0, 0, 0, 0}},
        {"ice40", "SB_DFFE", {0, 1, 0, 0}},       {"ice40", "SB_MAC16", {0, 0, 1, 0}},
        {"generic", "$_ALDFF_PP_", {0, 1, 0, 0}},
    };
    vta_part part;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        vta_hardware_area a = vt_part_cell(vt_part_family_find(cells[i].family), cells[i].cell);
        if (memcmp(&a, &cells[i].area, sizeof a) != 0) fail_msg("%s %s", cells[i].family, cells[i].cell);
    }
    assert_true(vta_part_get(0, &part));
    assert_true(!strcmp(part.name, "xc7z020") && !strcmp(part.family, "xilinx") && !strcmp(part.board, "Pynq-Z1"));
    assert_true(part.has.luts == 53200 && part.has.flip_flops == 106400 && part.has.multipliers == 220 &&
                part.has.block_rams == 140);
    assert_true(vta_part_get(4, &part));
    assert_string_equal(part.name, "iCE40-HX8K");
    assert_false(vta_part_get(5, &part));
    assert_string_equal(vta_part_family_name(3), "generic");
    assert_null(vta_part_family_name(4));
    assert_string_equal(vta_part_family_text("ecp5"), "Lattice ECP5: LUTs of 4 inputs");
    assert_string_equal(vta_part_multiplier_name("ecp5"), "MULT18X18D");
    assert_string_equal(vta_part_block_ram_name("ecp5"), "DP16KD");
    assert_null(vta_part_family_text("stratix"));
    assert_null(vta_part_multiplier_name(NULL));
    assert_null(vta_part_block_ram_name("stratix"));
}

int main(void) { return run_cases_between(begin, end); }
