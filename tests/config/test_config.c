/* The configuration: every key, every rule, every refusal with its message. */
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "vta/config.h"

static vta_config *parse(const char *json) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *c;
    if (vta_config_parse(json, strlen(json), "test.json", diag, &c) != VTA_OK)
        fail_msg("refused: %s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return c;
}

static void refuse(const char *json, vta_status status, const char *message) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *c = (vta_config *)1;
    assert_int_equal(vta_config_parse(json, strlen(json), "test.json", diag, &c), status);
    assert_null(c);
    assert_contains(vta_diag_text(diag), "test.json:");
    assert_contains(vta_diag_text(diag), message);
    vta_diag_destroy(diag);
    assert_int_equal(vta_config_parse(json, strlen(json), NULL, NULL, &c), status);
}

TEST_CASE(defaults) {
    vta_config *c = parse("{}"), *d = vta_config_default();
    assert_string_equal(vta_config_bitstream(c), "1x16_i8w8a32_15_15_18_17");
    assert_string_equal(vta_config_model(d), "sim_1x16_i8w8a32_15_15_18_17");
    assert_string_equal(vta_config_hw_version(d), "0.0.2");
    assert_int_equal(vta_config_depth(c, VTA_MEM_UOP), 8192);
    assert_int_equal(vta_config_depth(c, VTA_MEM_INP), 2048);
    assert_int_equal(vta_config_depth(c, VTA_MEM_WGT), 1024);
    assert_int_equal(vta_config_depth(c, VTA_MEM_ACC), 2048);
    assert_int_equal(vta_config_depth(c, VTA_MEM_OUT), 2048);
    assert_int_equal(vta_config_depth(c, VTA_MEM_ACC_8BIT), 2048);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_UOP), 4);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_INP), 16);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_WGT), 256);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_ACC), 64);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_OUT), 16);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_ACC_8BIT), 16);
    assert_int_equal(vta_config_buffer_bytes(c, VTA_MEM_OUT), 1 << 15);
    assert_int_equal(vta_config_width(c, VTA_MEM_ACC), 32);
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_COUNT), 0);
    assert_null(vta_memory_name(VTA_MEM_COUNT));
    assert_int_equal(vta_config_get(c, VTA_CONFIG_FIELD_COUNT), -1);
    vta_config_release(c);
    vta_config_release(d);
}

/* Every key of the table, set alone to a value that is valid with the defaults. */
TEST_CASE(every_key) {
    static const struct {
        const char *key;
        int value;
    } rows[] = {
        {"LOG_INP_WIDTH", 4},      {"LOG_WGT_WIDTH", 4},      {"LOG_ACC_WIDTH", 4},        {"LOG_BATCH", 1},
        {"LOG_BLOCK_IN", 5},       {"LOG_BLOCK_OUT", 5},      {"LOG_UOP_BUFF_SIZE", 14},   {"LOG_INP_BUFF_SIZE", 14},
        {"LOG_WGT_BUFF_SIZE", 17}, {"LOG_ACC_BUFF_SIZE", 16}, {"LOG_TABLE_BUFF_SIZE", 12},
    };
    assert_int_equal(sizeof rows / sizeof *rows, VTA_CONFIG_FIELD_COUNT);
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) {
        char json[80];
        assert_string_equal(rows[i].key, vta_config_field_name((vta_config_field)i));
        assert_non_null(vta_config_field_meaning((vta_config_field)i));
        /* A narrower acc makes its elements smaller and would need more index bits. */
        const char *more = i == VTA_CONFIG_LOG_ACC_WIDTH ? ", \"LOG_ACC_BUFF_SIZE\": 16" : "";
        snprintf(json, sizeof json, "{\"%s\": %d%s}", rows[i].key, rows[i].value, more);
        vta_config *c = parse(json);
        assert_int_equal(vta_config_get(c, (vta_config_field)i), rows[i].value);
        vta_config_release(c);
    }
    assert_null(vta_config_field_name(VTA_CONFIG_FIELD_COUNT));
}

/* Both sides of the range of every key. */
TEST_CASE(every_range) {
#define VTA_CONFIG_FIELD(key, value, least, most, meaning)                                                             \
    refuse("{\"" #key "\": 99}", VTA_CONFIG, #key " = 99: must be from " #least " to " #most);                         \
    refuse("{\"" #key "\": -1}", VTA_CONFIG, #key " = -1: must be from");                                              \
    refuse("{\"" #key "\": 3.5}", VTA_CONFIG, #key " = 3.5: must be a whole number");                                  \
    refuse("{\"" #key "\": \"3\"}", VTA_CONFIG, #key " = \"3\": must be a whole number");                              \
    refuse("{\"" #key "\": 9223372036854775807}", VTA_CONFIG, #key " = 9223372036854775807");
#include "vta/config.def"
#undef VTA_CONFIG_FIELD
}

TEST_CASE(targets) {
#define VTA_TARGET(name, meaning)                                                                                      \
    {                                                                                                                  \
        vta_config *c = parse("{\"TARGET\": \"" #name "\"}");                                                          \
        assert_string_equal(vta_config_target(c), #name);                                                              \
        vta_config_release(c);                                                                                         \
    }
#include "vta/target.def"
#undef VTA_TARGET
    refuse("{\"TARGET\": \"zynq\"}", VTA_CONFIG, "TARGET = \"zynq\": no such target; one of sim, tsim");
    refuse("{\"TARGET\": 1}", VTA_CONFIG, "TARGET = 1: must be a string");
    refuse("{\"HW_VER\": \"\"}", VTA_CONFIG, "HW_VER = \"\"");
    refuse("{\"HW_VER\": \"a\\\"b\"}", VTA_CONFIG, "letters, digits");
    refuse("{\"HW_VER\": \"0123456789012345678901234567890123456789\"}", VTA_CONFIG, "HW_VER");
}

TEST_CASE(blocks) {
    vta_config *c = parse("{\"LOG_BLOCK\": 5}");
    assert_int_equal(vta_config_block_in(c), 32);
    assert_int_equal(vta_config_block_out(c), 32);
    assert_string_equal(vta_config_bitstream(c), "1x32_i8w8a32_15_15_18_17");
    vta_config_release(c);
    c = parse("{\"LOG_BLOCK_IN\": 4, \"LOG_BLOCK_OUT\": 5}");
    assert_string_equal(vta_config_bitstream(c), "1x16x32_i8w8a32_15_15_18_17");
    assert_int_equal(vta_config_elem_bytes(c, VTA_MEM_WGT), 512);
    vta_config_release(c);
    c = parse("{\"LOG_BLOCK\": 5, \"LOG_BLOCK_OUT\": 5}");
    vta_config_release(c);
    refuse("{\"LOG_BLOCK\": 5, \"LOG_BLOCK_IN\": 4}", VTA_CONFIG, "LOG_BLOCK_IN = 4: LOG_BLOCK = 5 sets both");
    refuse("{\"LOG_BLOCK\": 7}", VTA_CONFIG, "LOG_BLOCK = 7: must be from 2 to 6");
    refuse("{\"LOG_BLOCK\": null}", VTA_CONFIG, "LOG_BLOCK = null: must be a whole number");
}

TEST_CASE(derived_keys_of_the_original) {
    vta_config_release(parse("{\"LOG_OUT_WIDTH\": 3, \"LOG_OUT_BUFF_SIZE\": 15}"));
    refuse("{\"LOG_OUT_WIDTH\": 4}", VTA_CONFIG, "LOG_OUT_WIDTH = 4: outputs have the width of inputs");
    refuse("{\"LOG_OUT_BUFF_SIZE\": 16}", VTA_CONFIG, "LOG_OUT_BUFF_SIZE = 16: follows from");
}

TEST_CASE(rules_between_keys) {
    refuse("{\"LOG_INP_WIDTH\": 4, \"LOG_ACC_WIDTH\": 3}", VTA_CONFIG, "LOG_ACC_WIDTH = 3: accumulators of 8 bits are");
    refuse("{\"LOG_BLOCK\": 6, \"LOG_WGT_WIDTH\": 4}", VTA_CONFIG, "wgt element of 8192 bytes");
    refuse("{\"LOG_BATCH\": 7}", VTA_CONFIG, "acc element of 8192 bytes");
    refuse("{\"LOG_INP_WIDTH\": 0, \"LOG_BLOCK\": 2}", VTA_CONFIG, "inp element of 4 bits is smaller than a byte");
    refuse("{\"LOG_INP_BUFF_SIZE\": 3}", VTA_CONFIG,
           "LOG_INP_BUFF_SIZE = 3: a buffer of 8 bytes holds no element of 16 bytes; at least 4");
    refuse("{\"LOG_ACC_BUFF_SIZE\": 18}", VTA_CONFIG, "a micro-op needs 34 bits");
    refuse("{\"LOG_UOP_BUFF_SIZE\": 16}", VTA_CONFIG, "GEMM needs 65 bits in half 0");
}

/* The exact border of the ALU's second half: 4 A + 20 = 64 at A = 11. */
TEST_CASE(alu_border) {
    vta_config_release(parse("{\"LOG_ACC_BUFF_SIZE\": 17, \"LOG_INP_BUFF_SIZE\": 10, \"LOG_WGT_BUFF_SIZE\": 10}"));
    refuse("{\"LOG_ACC_BUFF_SIZE\": 18, \"LOG_INP_BUFF_SIZE\": 10, \"LOG_WGT_BUFF_SIZE\": 10}", VTA_CONFIG,
           "ALU needs 68 bits in half 1 of an instruction and has 64");
}

TEST_CASE(one_element_buffers) {
    vta_config *c = parse("{\"LOG_UOP_BUFF_SIZE\": 2, \"LOG_INP_BUFF_SIZE\": 4, \"LOG_WGT_BUFF_SIZE\": 8, "
                          "\"LOG_ACC_BUFF_SIZE\": 6}");
    assert_int_equal(vta_config_depth(c, VTA_MEM_UOP), 1);
    assert_int_equal(vta_config_depth(c, VTA_MEM_ACC), 1);
    vta_config_release(c);
}

TEST_CASE(unknown_keys) {
    refuse("{\"LOG_ACC_BUF_SIZE\": 17}", VTA_CONFIG, "did you mean LOG_ACC_BUFF_SIZE?");
    refuse("{\"colour\": 17}", VTA_CONFIG, "colour: no such key");
    refuse("{\"colour\": \"red\"}", VTA_CONFIG, "colour: no such key");
}

TEST_CASE(all_wrong_keys_are_reported) {
    refuse("{\"LOG_BATCH\": 99, \"LOG_BLOCK\": 99}", VTA_CONFIG, "LOG_BATCH = 99");
    refuse("{\"LOG_BATCH\": 99, \"LOG_BLOCK\": 99}", VTA_CONFIG, "LOG_BLOCK = 99");
}

TEST_CASE(bad_json) {
    refuse("", VTA_PARSE, "");
    refuse("[]", VTA_PARSE, "one JSON object");
    refuse("{\n\"LOG_BATCH\": }", VTA_PARSE, "test.json:2:");
    refuse("{\"LOG_BATCH\": 1, \"LOG_BATCH\": 2}", VTA_PARSE, "duplicate");
    refuse("{} x", VTA_PARSE, "test.json:1:");
}

TEST_CASE(changes) {
    vta_config *base = vta_config_default(), *c;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_config_with(base, " LOG_BATCH=1,LOG_ACC_BUFF_SIZE=18  TARGET=tsim ", diag, &c), VTA_OK);
    assert_string_equal(vta_config_model(c), "tsim_2x16_i8w8a32_15_15_18_18");
    vta_config *same;
    assert_int_equal(vta_config_with(c, "", diag, &same), VTA_OK);
    assert_string_equal(vta_config_model(same), vta_config_model(c));
    vta_config_release(same);
    vta_config_release(c);
    static const struct {
        const char *changes, *message;
    } bad[] = {{"LOG_BATCH", "KEY=VALUE"},
               {"=3", "KEY=VALUE"},
               {"LOG_BATCH=", "whole number"},
               {"LOG_BATCH=1x", "whole number"},
               {"NOPE=1", "no such key"},
               {"LOG_BATCH=77", "must be from"},
               {"LOG_UOP_BUFF_SIZE=16", "GEMM needs"},
               {"TARGET=moon", "no such target"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vta_diag_clear(diag);
        assert_int_equal(vta_config_with(base, bad[i].changes, diag, &c), VTA_CONFIG);
        assert_null(c);
        assert_contains(vta_diag_text(diag), bad[i].message);
    }
    vta_diag_destroy(diag);
    vta_config_release(base);
}

TEST_CASE(json_round_trip) {
    vta_config *c = parse("{\"LOG_BLOCK_OUT\": 5, \"HW_VER\": \"1.2-x\", \"TARGET\": \"tsim\", \"LOG_BATCH\": 1, "
                          "\"LOG_WGT_WIDTH\": 2}");
    char *json = vta_config_to_json(c);
    vta_config *again = parse(json);
    assert_string_equal(vta_config_model(c), vta_config_model(again));
    assert_string_equal(vta_config_hw_version(c), vta_config_hw_version(again));
    vta_string_free(json);
    vta_config_release(again);
    vta_config_release(c);
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* explicit path, $VTA_CONFIG, ./vta_config.json, built-in default */
TEST_CASE(lookup_order) {
    char folder[] = "/tmp/vta_config_XXXXXX", home[1024];
    assert_non_null(getcwd(home, sizeof home));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    vta_config *c;
    const char *source;
    unsetenv("VTA_CONFIG");
    assert_int_equal(vta_config_find(NULL, NULL, &c, &source), VTA_OK);
    assert_string_equal(source, "built-in default");
    vta_config_release(c);
    write_text("vta_config.json", "{\"LOG_BLOCK\": 5}");
    assert_int_equal(vta_config_find(NULL, NULL, &c, &source), VTA_OK);
    assert_string_equal(source, "vta_config.json");
    assert_int_equal(vta_config_block_in(c), 32);
    vta_config_release(c);
    write_text("env.json", "{\"LOG_BLOCK_IN\": 5}");
    setenv("VTA_CONFIG", "env.json", 1);
    assert_int_equal(vta_config_find(NULL, NULL, &c, &source), VTA_OK);
    assert_string_equal(source, "env.json");
    assert_string_equal(vta_config_source(c), "env.json");
    vta_config_release(c);
    write_text("given.json", "{}");
    assert_int_equal(vta_config_find("given.json", NULL, &c, NULL), VTA_OK);
    assert_string_equal(vta_config_source(c), "given.json");
    vta_config_release(c);
    vta_diag *diag = vta_diag_create(NULL);
    setenv("VTA_CONFIG", "missing.json", 1);
    assert_int_equal(vta_config_find(NULL, diag, &c, &source), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "missing.json");
    assert_null(source);
    vta_diag_destroy(diag);
    unsetenv("VTA_CONFIG");
    unlink("vta_config.json");
    unlink("env.json");
    unlink("given.json");
    assert_int_equal(chdir(home), 0);
    rmdir(folder);
}

TEST_CASE(samples) {
    static const char *const names[] = {"pynq", "ultra96", "zcu104", "de10nano", "intelfocl", "sim", "tsim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/configs/%s.json", VT_SOURCE_DIR, names[i]);
        vta_config *c;
        assert_int_equal(vta_config_load(path, NULL, &c), VTA_OK);
        assert_string_equal(vta_config_target(c), names[i]);
        assert_string_equal(vta_config_bitstream(c), "1x16_i8w8a32_15_15_18_17");
        vta_config *named; /* the same by its name, wherever the process is */
        assert_int_equal(vta_config_load(names[i], NULL, &named), VTA_OK);
        char *of_file = vta_config_to_json(c), *of_name = vta_config_to_json(named);
        assert_string_equal(of_name, of_file);
        assert_string_equal(vta_config_source(named), names[i]);
        vta_string_free(of_file);
        vta_string_free(of_name);
        vta_config_release(named);
        vta_config_release(c);
    }
}

/* A name is none where a file has it, and what is neither is refused with the names. */
TEST_CASE(names) {
    char folder[] = "/tmp/vta_config_XXXXXX", home[1024];
    vta_config *c;
    assert_non_null(getcwd(home, sizeof home));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_text("pynq", "{\"LOG_BLOCK\": 5}");
    assert_int_equal(vta_config_load("pynq", NULL, &c), VTA_OK);
    assert_int_equal(vta_config_block_in(c), 32);
    vta_config_release(c);
    unlink("pynq");
    assert_int_equal(chdir(home), 0);
    rmdir(folder);
    static const char *const wrong[] = {"", "p", "pyn", "pynqq", "PYNQ", "pynq "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_equal(vta_config_load(wrong[i], diag, &c), VTA_NOT_FOUND);
        assert_contains(vta_diag_text(diag), "there are de10nano, intelfocl, pynq, sim, tsim, ultra96, zcu104");
        vta_diag_destroy(diag);
    }
}

TEST_CASE(null_arguments) {
    vta_config *c;
    assert_int_equal(vta_config_parse("{}", 2, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_config_parse(NULL, 2, NULL, NULL, &c), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_config_load(NULL, NULL, &c), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_config_with(NULL, "", NULL, &c), VTA_INVALID_ARGUMENT);
    assert_null(vta_config_retain(NULL));
    vta_config_release(NULL);
}

int main(void) { return run_cases(); }
