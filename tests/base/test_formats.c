/* The writers and readers of formats: JSON and XML out, "KEY=VALUE" in. jansson, which reads what is written, is the
 * oracle of JSON. */
#include <jansson.h>
#include <locale.h>
#include <math.h>

#include "base/json_write.h"
#include "base/pair.h"
#include "base/utf8.h"
#include "base/xml.h"
#include "support/check.h"
#include "vta/config.h"
#include "vta/support.h"

static uint64_t state_of_random = 1;

static uint32_t dice(uint32_t n) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % n;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* Characters of one to four bytes, and all that JSON escapes. */
static void random_text(char text[64]) {
    static const char *const pieces[] = {"a",
                                         "Z9",
                                         " ",
                                         "\"",
                                         "\\",
                                         "<",
                                         "/",
                                         "\n",
                                         "\x01",
                                         "\x1f",
                                         "\x7f",
                                         "\xc3\xa9",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "\xef\xbf\xbf"};
    text[0] = '\0';
    for (uint32_t i = dice(8); i; i--) strcat(text, pieces[dice(sizeof pieces / sizeof *pieces)]);
}

/* Writes a random value with both; gives jansson's. */
static json_t *random_value(vt_json *w, const char *key, int depth) {
    char text[64], name[80];
    int64_t number = (int64_t)((uint64_t)dice(1u << 31) << 33 | dice(1u << 31)) >> dice(64);
    if (dice(4) == 0) vt_json_line(w);
    switch (dice(depth > 5 ? 5 : 8)) {
    case 0:
        random_text(text);
        vt_json_text(w, key, text);
        return json_string(text);
    case 1: vt_json_int(w, key, number); return json_integer(number);
    case 2: vt_json_uint(w, key, (uint64_t)number >> 1); return json_integer((json_int_t)((uint64_t)number >> 1));
    case 3: vt_json_bool(w, key, number & 1); return json_boolean(number & 1);
    case 4: vt_json_text(w, key, NULL); return json_null();
    default: break;
    }
    bool object = dice(2);
    json_t *whole = object ? json_object() : json_array();
    (object ? vt_json_object : vt_json_array)(w, key);
    for (uint32_t i = 0, n = dice(5); i < n; i++) {
        random_text(text);
        snprintf(name, sizeof name, "%u%s", i, text);
        json_t *member = random_value(w, object ? name : NULL, depth + 1);
        if (object)
            json_object_set_new(whole, name, member);
        else
            json_array_append_new(whole, member);
    }
    if (dice(4) == 0) vt_json_line(w);
    vt_json_end(w);
    return whole;
}

TEST_CASE(json_is_what_was_written) {
    for (int round = 0; round < 4000; round++) {
        vt_strbuf sb;
        vt_json w;
        json_error_t error;
        vt_strbuf_init(&sb, NULL);
        vt_json_init(&w, &sb, round & 1 ? VT_JSON_TIGHT : VT_JSON_SPACED);
        json_t *want = random_value(&w, NULL, 0);
        json_t *got = json_loads(vt_strbuf_text(&sb), JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
        if (!json_equal(want, got)) fail_msg("round %d: %s\n%s", round, vt_strbuf_text(&sb), error.text);
        json_decref(want);
        json_decref(got);
        vt_strbuf_free(&sb);
    }
}

/* A size in the middle of a character leaves that out. */
TEST_CASE(json_of_a_part) {
    for (size_t size = 0; size <= 3; size++) {
        static const char *const want[] = {"\"\"", "\"a\"", "\"a" VT_UTF8_REPLACEMENT "\"", "\"a\xc3\xa9\""};
        vt_strbuf sb;
        vt_json w;
        vt_strbuf_init(&sb, NULL);
        vt_json_init(&w, &sb, VT_JSON_TIGHT);
        vt_json_textn(&w, NULL, "a\xc3\xa9z", size);
        assert_string_equal(vt_strbuf_text(&sb), want[size]);
        vt_strbuf_free(&sb);
    }
}

static void write_sample(vt_json *w) {
    vt_json_object(w, NULL);
    vt_json_uint(w, "a", UINT64_MAX);
    vt_json_line(w);
    vt_json_array(w, "b");
    vt_json_int(w, NULL, INT64_MIN);
    vt_json_line(w);
    vt_json_textn(w, NULL, "<x>tail", 3);
    vt_json_line(w);
    vt_json_end(w);
    vt_json_object(w, "c");
    vt_json_end(w);
    vt_json_fixed(w, "d", 2.0 / 3, 3);
    vt_json_real(w, "e", 1e-7);
    vt_json_real(w, "f", INFINITY);
    vt_json_raw(w, "g", "[1]");
    vt_json_end(w);
}

TEST_CASE(json_styles) {
    static const char *const want[] = {
        [VT_JSON_SPACED] =
            "{\"a\": 18446744073709551615,\n  \"b\": [-9223372036854775808,\n    \"\\u003cx>\"\n  ], \"c\": {}, \"d\": "
            "0.667, \"e\": 1e-07, \"f\": null, \"g\": [1]}",
        [VT_JSON_TIGHT] =
            "{\"a\":18446744073709551615,\n\"b\":[-9223372036854775808,\n\"\\u003cx>\"\n],\"c\":{},\"d\":0.667,\"e\":"
            "1e-07,\"f\":null,\"g\":[1]}"};
    for (int style = 0; style < 2; style++) {
        vt_strbuf sb;
        vt_json w;
        vt_strbuf_init(&sb, NULL);
        vt_json_init(&w, &sb, (vt_json_style)style);
        write_sample(&w);
        assert_string_equal(vt_strbuf_text(&sb), want[style]);
        vt_strbuf_free(&sb);
    }
}

/* Bytes that are not characters do not spoil the whole text, and those around them stay. */
TEST_CASE(json_of_any_bytes) {
    for (int round = 0; round < 4000; round++) {
        char bytes[12];
        size_t size = dice(sizeof bytes);
        for (size_t i = 0; i < size; i++) bytes[i] = (char)(dice(3) ? 0x80 + dice(128) : 1 + dice(127));
        bytes[size] = '\0';
        vt_strbuf sb;
        vt_json w;
        vt_strbuf_init(&sb, NULL);
        vt_json_init(&w, &sb, VT_JSON_TIGHT);
        vt_json_textn(&w, NULL, bytes, size);
        json_t *got = json_loads(vt_strbuf_text(&sb), JSON_DECODE_ANY, NULL), *same = json_string(bytes);
        assert_non_null(got);
        if (same) assert_true(json_equal(same, got)); /* jansson takes well-formed text only */
        if (!same) assert_non_null(strstr(json_string_value(got), VT_UTF8_REPLACEMENT));
        json_decref(got);
        json_decref(same);
        vt_strbuf_free(&sb);
    }
}

/* All numbers have a point in every locale. */
TEST_CASE(json_in_a_locale) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!setlocale(LC_NUMERIC, names[i])) continue;
        vt_strbuf sb;
        vt_json w;
        vt_strbuf_init(&sb, NULL);
        vt_json_init(&w, &sb, VT_JSON_TIGHT);
        vt_json_array(&w, NULL);
        vt_json_fixed(&w, NULL, -1.5, 2);
        vt_json_real(&w, NULL, 2.5e300);
        vt_json_fixed(&w, NULL, 7, 0);
        vt_json_end(&w);
        setlocale(LC_NUMERIC, "C");
        assert_string_equal(vt_strbuf_text(&sb), "[-1.50,2.5e+300,7]");
        vt_strbuf_free(&sb);
    }
}

TEST_CASE(json_without_memory) {
    for (size_t i = 0;; i++) {
        check_allocator a;
        check_allocator_init(&a, i);
        vt_strbuf sb;
        vt_json w;
        vt_strbuf_init(&sb, &a.allocator);
        vt_json_init(&w, &sb, VT_JSON_SPACED);
        write_sample(&w);
        bool failed = sb.failed;
        vt_strbuf_free(&sb);
        assert_int_equal(a.live, 0);
        if (!failed) break;
        assert_true(i < 100);
    }
}

/* ---- UTF-8, XML -------------------------------------------------------------------------------------------------- */

/* `code` in `size` bytes, as UTF-8 would write it if that were its size. */
static void put_character(uint32_t code, size_t size, char text[5]) {
    for (size_t i = size; i-- > 0; code >>= 6) text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)((text[0] & (0x7f >> size)) | (0xf0 << (4 - size)));
    text[size] = '\0';
}

static void same_as_jansson(const char *text, size_t size) {
    size_t ours = vt_utf8_size(text);
    json_t *theirs = json_stringn(text, size);
    if ((ours == size) != (theirs != NULL) || (ours && ours != size))
        fail_msg("%02x %02x %02x %02x: %zu", text[0] & 255, text[1] & 255, text[2] & 255, text[3] & 255, ours);
    json_decref(theirs);
}

/* jansson accepts what is well formed: every number that two to four bytes can hold, in each size, and what is cut off
 * or has another byte in it. */
TEST_CASE(characters) {
    static const uint32_t most[] = {0, 0, 1 << 11, 1 << 16, 1 << 21};
    char text[5] = "";
    for (size_t size = 2; size <= 4; size++)
        for (uint32_t code = 0; code < most[size]; code++) {
            put_character(code, size, text);
            same_as_jansson(text, size);
        }
    for (uint32_t i = 0; i < 200000; i++) {
        size_t size = 2 + dice(3), wrong = 1 + dice((uint32_t)size - 1);
        put_character(dice(most[size]), size, text);
        text[wrong] = (char)dice(256);
        same_as_jansson(text, strlen(text) < size ? strlen(text) : size);
    }
}

TEST_CASE(xml_text) {
    char *text = vta_xml_escape("a<b> & \"c\" 'd'\t\xc3\xa9\xff\x01.");
    assert_string_equal(
        text, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\t\xc3\xa9" VT_UTF8_REPLACEMENT VT_UTF8_REPLACEMENT ".");
    vta_string_free(text);
    text = vta_xml_escape(NULL);
    assert_string_equal(text, "");
    vta_string_free(text);
}

/* ---- KEY=VALUE --------------------------------------------------------------------------------------------------- */

TEST_CASE(pairs) {
    static const struct {
        const char *key, *value; /* value NULL: no '=' */
        vt_number number;
        int64_t is;
    } want[] = {
        {"a", "1", VT_NUMBER_READ, 1},
        {"b", "-0x10", VT_NUMBER_READ, -16},
        {"c", "010", VT_NUMBER_READ, 10},
        {"d", "+7", VT_NUMBER_READ, 7},
        {"e", "", VT_NUMBER_NONE, 0},
        {"f", NULL, VT_NUMBER_NONE, 0},
        {"", "3", VT_NUMBER_READ, 3},
        {"g", "4=5", VT_NUMBER_NONE, 0},
        {"h", "9223372036854775807", VT_NUMBER_READ, INT64_MAX},
        {"i", "9223372036854775808", VT_NUMBER_TOO_BIG, 0},
        {"j", "-", VT_NUMBER_NONE, 0},
        {"k", "0x", VT_NUMBER_NONE, 0},
        {"l", "1e3", VT_NUMBER_NONE, 0},
        {"m", "ff", VT_NUMBER_NONE, 0},
    };
    const char *at = " ,a=1,b=-0x10\tc=010\n d=+7 ,, e= f =3 g=4=5 h=9223372036854775807 i=9223372036854775808 j=- "
                     "k=0x l=1e3 m=ff, ";
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        vt_pair p;
        int64_t number;
        assert_true(vt_pair_next(&at, &p));
        assert_int_equal(p.key_size, strlen(want[i].key));
        assert_memory_equal(p.key, want[i].key, p.key_size);
        assert_int_equal(p.has_value, want[i].value != NULL);
        assert_int_equal(p.value_size, want[i].value ? strlen(want[i].value) : 0);
        if (want[i].value) assert_memory_equal(p.value, want[i].value, p.value_size);
        if (vt_pair_number(&p, &number) != want[i].number || number != want[i].is) fail_msg("%s", want[i].key);
    }
    vt_pair p;
    assert_false(vt_pair_next(&at, &p));
    assert_false(vt_pair_next(&at, &p));
    at = "x=1\0y=2"; /* the text ends before y */
    assert_true(vt_pair_next(&at, &p));
    assert_false(vt_pair_next(&at, &p));
}

int main(void) { return run_cases(); }
