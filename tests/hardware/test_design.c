/* The folder with a design: the package of parameters, derived by hand from the configuration; what is refused, and
 * why. */
#include <sys/stat.h>
#include <unistd.h>

#include "hardware/hardware.h"
#include "hardware/place.h"
#include "support/check.h"
#include "vta/hardware.h"

static vta_config *config;
static vta_diag *diag;

static int begin(void **state) {
    (void)state;
    unsetenv("VTA_HARDWARE_COVERAGE");
    config = vta_config_default();
    diag = vta_diag_create(NULL);
    return !config || !diag;
}

static int end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    vta_config_release(config);
    return 0;
}

static vta_config *with(const char *changes) {
    vta_config *c;
    if (vta_config_with(config, changes, diag, &c) != VTA_OK) fail_msg("%s: %s", changes, vta_diag_text(diag));
    return c;
}

/* ---- The package ---- */

static char *package(const char *changes, vta_hardware_options given) {
    vta_hardware_options o;
    vta_config *c = with(changes);
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    assert_int_equal(vt_hardware_settle(c, &given, diag, &o), VTA_OK);
    vt_hardware_package(&text, c, &o);
    vta_config_release(c);
    return vt_strbuf_take(&text);
}

/* Parameters as they stand in the text, one after the other: "NAME value NAME value". */
static void has(const char *text, const char *parameters) {
    char line[96], name[48];
    int value, used;
    for (const char *at = parameters; sscanf(at, "%47s %d%n", name, &value, &used) == 2; at += used) {
        snprintf(line, sizeof line, "  parameter int %s = %d;\n", name, value);
        text = strstr(text, line);
        if (!text) fail_msg("%s", line);
    }
}

/* One image of 16 in and out: elements of inp 16 bytes, of wgt 16 * 16, of acc 16 * 4; depths: 2^15 / 4, 2^15 / 16,
 * 2^18 / 256, 2^17 / 64. A micro-op has 11 bits of dst and src and 10 of wgt. */
TEST_CASE(test_package) {
    char *text = package("", (vta_hardware_options){0});
    has(text, "BATCH 1 BLOCK_IN 16 BLOCK_OUT 16 "
              "UOP_W 32 UOP_BITS 32 LOG_UOP_BYTES 2 UOP_LANES 2 UOP_INDEX_W 13 "
              "INP_W 8 INP_BITS 128 LOG_INP_BYTES 4 INP_LANES 1 INP_INDEX_W 11 "
              "WGT_W 8 WGT_BITS 2048 LOG_WGT_BYTES 8 WGT_LANES 1 WGT_INDEX_W 10 "
              "ACC_W 32 ACC_BITS 512 LOG_ACC_BYTES 6 ACC_LANES 1 ACC_INDEX_W 11 "
              "OUT_W 8 OUT_BITS 128 LOG_OUT_BYTES 4 OUT_LANES 1 OUT_INDEX_W 11 "
              "SRC_INDEX_W 11 UOP_DST_AT 0 UOP_SRC_AT 11 UOP_WGT_AT 22 "
              "BUS_BITS 64 LOG_BUS_BYTES 3 LEN_BITS 4 LOG_QUEUE 9 READS_MAX 16 INSN_BITS 128 ADDR_W 32 PAGE_W 20 "
              "INSN_COUNT_W 22 TOKEN_W 22 CLIENTS 5 ");
    assert_contains(text, "  parameter bit MUL_PACK = 1'b0;\n  parameter bit SMALL = 1'b0;\n"
                          "  parameter bit ALU_HAS_MUL = 1'b1;\n");
    /* instructions: 3 bits of opcode and 4 of dependences; the second words begin at bit 64 */
    has(text, "OPCODE_AT 0 OPCODE_W 3 POP_PREV_DEP_AT 3 POP_PREV_DEP_W 1 POP_NEXT_DEP_AT 4 POP_NEXT_DEP_W 1 "
              "PUSH_PREV_DEP_AT 5 PUSH_PREV_DEP_W 1 PUSH_NEXT_DEP_AT 6 PUSH_NEXT_DEP_W 1");
    assert_contains(text, "  parameter int MEM_Y_SIZE_AT = 64;\n");
    assert_contains(text, "  parameter logic [2:0] OP_LOAD = 3'd0;\n  parameter logic [2:0] OP_STORE = 3'd1;\n");
    assert_contains(text, "  parameter logic [2:0] ALU_MIN = 3'd0;\n  parameter logic [2:0] ALU_MAX = 3'd1;\n");
    assert_contains(text, "  parameter logic [2:0] MEM_UOP = 3'd0;\n  parameter logic [2:0] MEM_WGT = 3'd1;\n");
    vta_string_free(text);
    text = package(
        "",
        (vta_hardware_options){
            .bus_bits = 256, .burst_beats = 32, .queue_depth = 64, .reads_most = 4, .address_bits = 24, .small = true});
    has(text, "UOP_LANES 8 INP_LANES 2 WGT_LANES 1 ACC_LANES 1 OUT_LANES 2 BUS_BITS 256 LOG_BUS_BYTES 5 LEN_BITS 5 "
              "LOG_QUEUE 6 READS_MAX 4 ADDR_W 24 PAGE_W 12 INSN_COUNT_W 21 TOKEN_W 21");
    assert_contains(text, "  parameter bit MUL_PACK = 1'b0;\n  parameter bit SMALL = 1'b1;\n"
                          "  parameter bit ALU_HAS_MUL = 1'b0;\n");
    vta_string_free(text);
    text = package("LOG_BATCH=1 LOG_BLOCK_IN=3 LOG_BLOCK_OUT=2 LOG_WGT_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=16",
                   (vta_hardware_options){.bus_bits = 128, .pack = true, .address_bits = 25});
    has(text, "BATCH 2 BLOCK_IN 8 BLOCK_OUT 4 INP_BITS 128 INP_LANES 1 WGT_BITS 256 ACC_BITS 256 OUT_BITS 64 OUT_LANES "
              "2 UOP_SRC_AT 11 UOP_WGT_AT 22 "
              "INSN_COUNT_W 22");
    assert_contains(text, "  parameter bit MUL_PACK = 1'b1;\n");
    vta_string_free(text);
}

/* ---- Refusals ---- */

static void refuses(const char *changes, vta_hardware_options o, vta_status status, const char *message) {
    vta_config *c = with(changes);
    vta_diag_clear(diag);
    assert_int_equal(vta_hardware_check(c, &o, diag), status);
    assert_string_equal(vta_diag_text(diag), message);
    vta_diag_clear(diag);
    vta_config_release(c);
}

TEST_CASE(test_refusals) {
    refuses("", (vta_hardware_options){.bus_bits = 1024}, VTA_OUT_OF_RANGE,
            "error: bus_bits 1024: the design takes a power of two from 32 to 512");
    refuses("", (vta_hardware_options){.burst_beats = 3}, VTA_OUT_OF_RANGE,
            "error: burst_beats 3: the design takes a power of two from 1 to 256");
    refuses("", (vta_hardware_options){.queue_depth = 8192}, VTA_OUT_OF_RANGE,
            "error: queue_depth 8192: the design takes a power of two from 1 to 4096");
    refuses("", (vta_hardware_options){.reads_most = 1}, VTA_OUT_OF_RANGE,
            "error: reads_most 1: the design takes a power of two from 2 to 64");
    refuses("", (vta_hardware_options){.address_bits = 15}, VTA_OUT_OF_RANGE,
            "error: address_bits 15: the design takes 16 to 32");
    refuses("", (vta_hardware_options){.pack = true, .small = true}, VTA_INVALID_ARGUMENT,
            "error: pack and small: products are made of multipliers or of LUTs");
    refuses("", (vta_hardware_options){.queue_depth = 1}, VTA_OUT_OF_RANGE,
            "error: queue_depth 1: only a small design has queues of one entry");
    refuses("", (vta_hardware_options){.bus_bits = 256, .burst_beats = 256}, VTA_OUT_OF_RANGE,
            "error: burst_beats 256 on a bus of 256 bits: a burst of AXI has 4096 bytes at most");
    /* elements of inp have 16 bytes, four of which pass a bus of 512 bits at once: 4 of them are too few, 8 are enough
     */
    refuses(
        "LOG_INP_BUFF_SIZE=6", (vta_hardware_options){.bus_bits = 512}, VTA_UNSUPPORTED,
        "error: the inp buffer has 4 elements, and the design needs 8 with a bus of 512 bits; make the buffer bigger "
        "or the bus narrower");
    refuses("LOG_INP_BUFF_SIZE=7", (vta_hardware_options){.bus_bits = 512}, VTA_OK, "");
    refuses("LOG_INP_BUFF_SIZE=5", (vta_hardware_options){.bus_bits = 64}, VTA_OK, "");
    assert_int_equal(vta_hardware_check(NULL, NULL, diag), VTA_INVALID_ARGUMENT);
    assert_string_equal(vta_diag_text(diag), "error: vta_hardware_check: needs a configuration");
    vta_diag_clear(diag);
}

/* Fields that a caller's older struct does not have are defaults; a small design has no MUL. */
TEST_CASE(test_settle) {
    vta_hardware_options o = {.size = offsetof(vta_hardware_options, burst_beats), .bus_bits = 128, .burst_beats = 3},
                         out;
    assert_int_equal(vt_hardware_settle(config, &o, diag, &out), VTA_OK);
    assert_true(out.bus_bits == 128 && out.burst_beats == 16 && out.queue_depth == 512 && out.reads_most == 16 &&
                out.address_bits == 32 && !out.no_mul && !out.coverage && out.size == sizeof out);
    o = (vta_hardware_options){.small = true};
    assert_int_equal(vt_hardware_settle(config, &o, diag, &out), VTA_OK);
    assert_true(out.no_mul && out.bus_bits == 64);
    assert_int_equal(vt_hardware_settle(config, NULL, diag, &out), VTA_OK);
    assert_false(out.no_mul);
    setenv("VTA_HARDWARE_COVERAGE", "1", 1);
    assert_int_equal(vt_hardware_settle(config, NULL, diag, &out), VTA_OK);
    assert_true(out.coverage);
    unsetenv("VTA_HARDWARE_COVERAGE");
}

/* ---- The folder ---- */

TEST_CASE(test_generate) {
    char root[] = "/tmp/vta-design-XXXXXX", path[256], want[4096] = "vta_pkg.sv\n", command[64];
    size_t size;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/design", root);
    for (int i = 0; i < 2; i++) /* it may be there */
        assert_int_equal(vta_hardware_generate(config, NULL, path, diag), VTA_OK);
    for (size_t i = 0; i < vt_hardware_file_count; i++) {
        const vt_hardware_file *f = &vt_hardware_files[i];
        size_t n = strlen(f->name);
        snprintf(path, sizeof path, "%s/design/%s", root, f->name);
        char *text = check_read_file(path, &size);
        assert_string_equal(text, f->text);
        free(text);
        if (n > 3 && !strcmp(f->name + n - 3, ".sv")) strcat(strcat(want, f->name), "\n");
    }
    snprintf(path, sizeof path, "%s/design/vta.f", root);
    char *list = check_read_file(path, &size);
    assert_string_equal(list, want);
    free(list);
    snprintf(path, sizeof path, "%s/design/vta_pkg.sv", root);
    char *written = check_read_file(path, &size), *text = package("", (vta_hardware_options){0});
    assert_string_equal(written, text);
    free(written), vta_string_free(text);
    snprintf(path, sizeof path, "%s/none/design", root);
    assert_int_equal(vta_hardware_generate(config, NULL, path, diag), VTA_IO);
    snprintf(want, sizeof want, "error: %s: No such file or directory", path);
    assert_string_equal(vta_diag_text(diag), want);
    vta_diag_clear(diag);
    assert_int_equal(vta_hardware_generate(config, &(vta_hardware_options){.bus_bits = 5}, root, diag),
                     VTA_OUT_OF_RANGE);
    assert_int_equal(vta_hardware_generate(NULL, NULL, root, diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_hardware_generate(config, NULL, NULL, diag), VTA_INVALID_ARGUMENT);
    assert_false(vt_hardware_is_module(".sv"));
    assert_true(vt_hardware_is_module("a.sv"));
    assert_false(vt_hardware_is_module("a.svh"));
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void) { return run_cases_between(begin, end); }
