/* What a configuration says of keys, changes and settings of time that it does not take: every word of it, at the first
 * value that is wrong beside the last that is right. */
#include "config/config_priv.h"
#include "support/diag.h"
#include "vta/config.h"

/* `words`: after "t.json: error: "; NULL: it is right. */
static vta_config *parsed(const char *json, const char *words) {
    vta_config *c = (vta_config *)1;
    char expected[1024];
    vta_diag_clear(diag);
    vta_status status = vta_config_parse(json, strlen(json), "t.json", diag, &c);
    if (!words && status != VTA_OK) fail_msg("%s: %s", json, vta_diag_text(diag));
    if (!words) return c;
    snprintf(expected, sizeof expected, "t.json: error: %s", words);
    assert_string_equal(vta_diag_text(diag), expected);
    assert_int_equal(status, VTA_CONFIG);
    assert_null(c);
    return NULL;
}

TEST_CASE(ranges) {
    static const struct {
        const char *key, *meaning;
        int least, most;
    } keys[] = {
#define VTA_CONFIG_FIELD(key, value, least, most, meaning) {#key, meaning, least, most},
#include "vta/config.def"
#undef VTA_CONFIG_FIELD
        {"LOG_BLOCK", "log2 channels of a tile, in and out", 2, 6}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (int side = 0; side < 2; side++) {
            char json[64], words[160];
            int value = side ? keys[i].most + 1 : keys[i].least - 1;
            snprintf(json, sizeof json, "{\"%s\": %d}", keys[i].key, value);
            snprintf(words, sizeof words, "%s = %d: must be from %d to %d (%s)", keys[i].key, value, keys[i].least,
                     keys[i].most, keys[i].meaning);
            parsed(json, words);
        }
    /* The extra keys must agree with what they follow from; nothing beyond 64 is a logarithm at all. */
    parsed("{\"LOG_OUT_WIDTH\": 65}", "LOG_OUT_WIDTH = 65: is a log2 value");
    parsed("{\"LOG_OUT_WIDTH\": -65}", "LOG_OUT_WIDTH = -65: is a log2 value");
    parsed("{\"LOG_OUT_BUFF_SIZE\": 65}", "LOG_OUT_BUFF_SIZE = 65: is a log2 value");
    for (int value = -64; value <= 64; value += 128) {
        char json[64], words[160];
        snprintf(json, sizeof json, "{\"LOG_OUT_WIDTH\": %d}", value);
        snprintf(words, sizeof words,
                 "LOG_OUT_WIDTH = %d: outputs have the width of inputs, LOG_INP_WIDTH = 3; leave the key out", value);
        parsed(json, words);
    }
    parsed("{\"LOG_OUT_BUFF_SIZE\": 14}", "LOG_OUT_BUFF_SIZE = 14: follows from LOG_ACC_BUFF_SIZE + LOG_INP_WIDTH - "
                                          "LOG_ACC_WIDTH, which is 15; leave the key out");
    vta_config_release(parsed("{\"LOG_INP_WIDTH\": 2, \"LOG_ACC_WIDTH\": 4, \"LOG_ACC_BUFF_SIZE\": 15, "
                              "\"LOG_OUT_BUFF_SIZE\": 13, \"LOG_OUT_WIDTH\": 2}",
                              NULL));
    /* The version of the instruction set follows from its extensions. */
    parsed("{\"ISA_VERSION\": 0}", "ISA_VERSION = 0: this build knows versions 1 to 2 of the instruction set");
    parsed("{\"ISA_VERSION\": 3}", "ISA_VERSION = 3: this build knows versions 1 to 2 of the instruction set");
    parsed("{\"ISA_VERSION\": 2}", "ISA_VERSION = 2: with LOG_TABLE_BUFF_SIZE = 0 it is 1; leave the key out");
    parsed("{\"ISA_VERSION\": 1, \"LOG_TABLE_BUFF_SIZE\": 8}",
           "ISA_VERSION = 1: with LOG_TABLE_BUFF_SIZE = 8 it is 2; leave the key out");
    parsed("{\"LOG_TABLE_BUFF_SIZE\": 7}",
           "LOG_TABLE_BUFF_SIZE = 7: a table takes 256 bytes, so the memory has at least 8; or 0: no tables");
    vta_config_release(parsed("{\"ISA_VERSION\": 1, \"LOG_TABLE_BUFF_SIZE\": 0}", NULL));
    vta_config_release(parsed("{\"ISA_VERSION\": 2, \"LOG_TABLE_BUFF_SIZE\": 12}", NULL));
    parsed("{\"LOG_BLOCK\": 5, \"LOG_BLOCK_OUT\": 4}",
           "LOG_BLOCK_OUT = 4: LOG_BLOCK = 5 sets both blocks and says otherwise; leave one of them out");
    parsed("{\"LOG_BLOCK\": 5, \"LOG_BLOCK_IN\": 6}",
           "LOG_BLOCK_IN = 6: LOG_BLOCK = 5 sets both blocks and says otherwise; leave one of them out");
}

TEST_CASE(types) {
    parsed("{\"LOG_BATCH\": [1, {\"a\": null}]}", "LOG_BATCH = [1,{\"a\":null}]: must be a whole number");
    parsed("{\"LOG_BLOCK\": true}", "LOG_BLOCK = true: must be a whole number");
    parsed("{\"HW_VER\": 1.5}", "HW_VER = 1.5: must be a string");
    /* 39 characters of a value are shown, with its quotes. */
    parsed("{\"LOG_BATCH\": \"0123456789012345678901234567890123456\"}",
           "LOG_BATCH = \"0123456789012345678901234567890123456\": must be a whole number");
    parsed("{\"LOG_BATCH\": \"0123456789012345678901234567890123456789\"}",
           "LOG_BATCH = (a long value): must be a whole number");
    parsed("{\"LOG_ACC_BUF_SIZE\": \"17\"}",
           "LOG_ACC_BUF_SIZE: no such key; a misspelt key would silently leave a default\n"
           "t.json: note: did you mean LOG_ACC_BUFF_SIZE?");
    parsed("{\"LOG_OUT_WIDT\": 3}", "LOG_OUT_WIDT: no such key; a misspelt key would silently leave a default\n"
                                    "t.json: note: did you mean LOG_OUT_WIDTH?");
    parsed("{\"colour\": 1}", "colour: no such key; a misspelt key would silently leave a default");
    parsed("{\"TARGET\": \"moon\"}",
           "TARGET = \"moon\": no such target; one of sim, tsim, rtl, null, pynq, ultra96, zcu104, "
           "de10nano, intelfocl");
    assert_int_equal(vta_config_parse("[]", 2, "t.json", diag, &(vta_config *){NULL}), VTA_PARSE);
    assert_contains(vta_diag_text(diag), "t.json:1:1: error: a configuration is one JSON object, {...}");
}

TEST_CASE(versions) {
    enum { MAX = 31 };
    static const char value[] = "aZ09.-_+012345678901234567890123";
    char text[64], words[160];
    for (size_t n = MAX; n <= MAX + 1; n++) {
        snprintf(text, sizeof text, "{\"HW_VER\": \"%.*s\"}", (int)n, value);
        snprintf(words, sizeof words, "HW_VER = \"%s\": must be 1 to 31 letters, digits and . - _ +, like \"0.0.2\"",
                 value);
        vta_config *c = parsed(text, n > MAX ? words : NULL);
        if (!c) continue;
        assert_int_equal(strlen(vta_config_hw_version(c)), MAX);
        assert_memory_equal(vta_config_hw_version(c), value, MAX);
        vta_config_release(c);
    }
    parsed("{\"HW_VER\": \"1 2\"}", "HW_VER = \"1 2\": must be 1 to 31 letters, digits and . - _ +, like \"0.0.2\"");
}

/* Settings of time are kept as they came, the profile first. */
TEST_CASE(times) {
    static const struct {
        const char *json, *words;
    } bad[] = {
        {"3", "TIMING: must be an object, like {\"profile\": \"hls\", \"bus_bits\": 128}"},
        {"{\"a b\": 1}", "TIMING: a b: is not the name of a setting"},
        {"{\"\": 1}", "TIMING: : is not the name of a setting"},
        {"{\"a\": \"1\"}", "TIMING: a: must be a whole number"},
        {"{\"a\": 1, \"profile\": 1}", "TIMING: profile: must be the name of a profile, like \"hls\""},
        {"{\"profile\": \"a b\"}", "TIMING: profile: must be the name of a profile, like \"hls\""},
        {"{\"profile\": \"\"}", "TIMING: profile: must be the name of a profile, like \"hls\""},
    };
    char json[2 * VT_CONFIG_TIMING_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(json, sizeof json, "{\"TIMING\": %s}", bad[i].json);
        parsed(json, bad[i].words);
    }
    vta_config *c = parsed("{\"TIMING\": {\"Bus_bits-0\": 128, \"profile\": \"h-L_5\", \"z\": -3}}", NULL);
    assert_string_equal(vta_config_timing(c), "{\"profile\": \"h-L_5\", \"Bus_bits-0\": 128, \"z\": -3}");
    char *text = vta_config_to_json(c);
    assert_string_equal(strstr(text, "\"LOG_ACC"), "\"LOG_ACC_WIDTH\": 5,\n  \"LOG_BATCH\": 0,\n  \"LOG_BLOCK\": 4,\n  "
                                                   "\"LOG_UOP_BUFF_SIZE\": 15,\n  \"LOG_INP_BUFF_SIZE\": 15,\n  "
                                                   "\"LOG_WGT_BUFF_SIZE\": 18,\n  \"LOG_ACC_BUFF_SIZE\": 17,\n  "
                                                   "\"TIMING\": {\"profile\": \"h-L_5\", \"Bus_bits-0\": 128, \"z\": "
                                                   "-3}\n}\n");
    vta_config *again = parsed(text, NULL), *changed;
    assert_string_equal(vta_config_timing(again), vta_config_timing(c));
    assert_int_equal(vta_config_with(c, "LOG_BATCH=1", diag, &changed), VTA_OK);
    assert_string_equal(vta_config_timing(changed), vta_config_timing(c));
    vta_config_release(changed);
    assert_int_equal(vta_config_with_timing(c, "{\"delay\": 3}", diag, &changed), VTA_OK);
    assert_string_equal(vta_config_timing(changed), "{\"delay\": 3}");
    assert_string_equal(vta_config_source(changed), vta_config_source(c));
    assert_string_equal(vta_config_bitstream(changed), vta_config_bitstream(c));
    vta_string_free(text);
    vta_config_release(again);
    vta_config_release(changed);
    for (size_t i = 1; i < sizeof bad / sizeof *bad; i++) { /* a number alone is no JSON text */
        vta_diag_clear(diag);
        assert_int_equal(vta_config_with_timing(c, bad[i].json, diag, &changed), VTA_CONFIG);
        assert_non_null(strstr(vta_diag_text(diag), bad[i].words));
        assert_null(changed);
    }
    assert_int_equal(vta_config_with_timing(c, "{", diag, &changed), VTA_PARSE);
    assert_int_equal(vta_config_with_timing(c, NULL, diag, &changed), VTA_INVALID_ARGUMENT);
    vta_config_release(c);
    for (int more = 0; more < 2; more++) { /* {"a": 1, "kkk...": 1} of 1023 characters, and of 1024 */
        char key[VT_CONFIG_TIMING_BYTES] = "";
        memset(key, 'k', VT_CONFIG_TIMING_BYTES - 1 - strlen("{\"a\": 1, \"\": 1}") + (size_t)more);
        snprintf(json, sizeof json, "{\"TIMING\": {\"a\": 1, \"%s\": 1}}", key);
        c = parsed(json, more ? "TIMING: too many settings: there is no room for them" : NULL);
        if (!more) assert_int_equal(strlen(vta_config_timing(c)), VT_CONFIG_TIMING_BYTES - 1);
        if (!more) vta_config_release(c);
    }
}

static void refuses(const vta_config *base, const char *change, const char *words) {
    vta_config *c = (vta_config *)1;
    char expected[400];
    vta_diag_clear(diag);
    snprintf(expected, sizeof expected, "changed configuration: error: %s", words);
    assert_int_equal(vta_config_with(base, change, diag, &c), VTA_CONFIG);
    assert_string_equal(vta_diag_text(diag), expected);
    assert_null(c);
}

/* Keys and values have at most 63 characters, and 60 of a wrong change are shown, 40 of a value. */
TEST_CASE(changes) {
#define N40 "0123456789012345678901234567890123456789"
#define N60 N40 "01234567890123456789"
    vta_config *base = parsed("{\"TARGET\": \"tsim\", \"HW_VER\": \"9\"}", NULL), *c;
    refuses(base, N60 "abc=1", N60 ": no such key; a misspelt key would silently leave a default");
    refuses(base, N60 "abcd=1", N60 ": longer than any change");
    refuses(base, "L=" N60 "abc", "L = " N40 ": must be a whole number");
    refuses(base, "L=" N60 "abcd",
            "L=0123456789012345678901234567890123456789012345678901234567: longer than any change");
    refuses(base, N60 "abc", N60 ": a change is written KEY=VALUE, like LOG_BATCH=1");
    refuses(base, "=1", "=1: a change is written KEY=VALUE, like LOG_BATCH=1");
    refuses(base, "LOG_BATCH", "LOG_BATCH: a change is written KEY=VALUE, like LOG_BATCH=1");
    refuses(base, "LOG_BATCH=1 LOG_BATCH=2z", "LOG_BATCH = 2z: must be a whole number");
    vta_diag_clear(diag);
    assert_int_equal(vta_config_with(base, "LOG_BATCH=0x1,HW_VER=8.-_+a\tLOG_ACC_BUFF_SIZE=+18", diag, &c), VTA_OK);
    assert_string_equal(vta_config_model(c), "tsim_2x16_i8w8a32_15_15_18_18");
    assert_string_equal(vta_config_hw_version(c), "8.-_+a");
    assert_string_equal(vta_config_source(c), "t.json");
    vta_config_release(c);
    vta_config_release(base);
}

TEST_CASE(pointers) {
    vta_config *base = vta_config_default(), *c = base;
    const char *source = "x";
    static const char path[] = "/nonexistent/a.json";
    assert_int_equal(vta_config_with(base, NULL, diag, &c), VTA_INVALID_ARGUMENT);
    assert_null(c);
    assert_int_equal(vta_config_with(base, "", diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_config_load("x", diag, NULL), VTA_INVALID_ARGUMENT);
    c = base;
    assert_int_equal(vta_config_load(NULL, diag, &c), VTA_INVALID_ARGUMENT);
    assert_null(c);
    c = base;
    assert_int_equal(vta_config_load(path, diag, &c), VTA_NOT_FOUND);
    assert_null(c);
    assert_int_equal(vta_config_find(path, diag, NULL, &source), VTA_INVALID_ARGUMENT);
    assert_null(source);
    c = base, source = "x";
    assert_int_equal(vta_config_find(path, diag, &c, &source), VTA_NOT_FOUND);
    assert_true(!c && !source);
    c = base;
    assert_int_equal(vta_config_parse(NULL, 1, NULL, diag, &c), VTA_INVALID_ARGUMENT);
    assert_null(c);
    assert_int_equal(vta_config_parse(NULL, 0, NULL, diag, &c), VTA_PARSE); /* an empty text is none */
    vta_diag_clear(diag);
    assert_int_equal(vta_config_parse("{\"a\": 1}", 8, NULL, diag, &c), VTA_CONFIG);
    assert_string_equal(vta_diag_text(diag),
                        "configuration: error: a: no such key; a misspelt key would silently leave a default");
    assert_string_equal(vta_config_source(base), "built-in default");
    assert_int_equal(vta_config_get(base, (vta_config_field)-1), -1);
    assert_null(vta_config_field_name((vta_config_field)-1));
    assert_null(vta_config_field_meaning(VTA_CONFIG_FIELD_COUNT));
    assert_ptr_equal(vta_config_retain(base), base);
    vta_config_release(base);
    assert_int_equal(vta_config_batch(base), 1); /* there still */
    vta_config_release(base);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
