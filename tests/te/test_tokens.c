/* Tokens of expressions and definitions, and how much one may hold: each limit is reached, and passed by one. */
#include <math.h>

#include "te_test.h"

/* `before`, then `item` n times with `between`, then `after`; free it. */
static char *repeated(const char *before, const char *item, const char *between, int n, const char *after) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    vt_strbuf_add(&sb, before);
    for (int i = 0; i < n; i++) vt_strbuf_addf(&sb, "%s%s", i ? between : "", item);
    vt_strbuf_add(&sb, after);
    return vt_strbuf_take(&sb);
}

/* The text up to `most` items is read, or refused for another reason than that there are too many of them. */
static void check_limit(const char *before, const char *item, const char *between, const char *after, int most,
                        const char *message) {
    for (int more = 0; more < 2; more++) {
        te_context *c = context_with(NULL);
        te_placeholder(c, "a", "int32", 1, (int64_t[]){4});
        char *text = repeated(before, item, between, most + more, after);
        bool definition = *text == 'y';
        bool read = definition ? te_define(c, text) != NULL : te_parse(c, text) != NULL;
        if (more) {
            assert_false(read);
            assert_refused(c, VTA_PARSE, message);
        } else if (!read && strstr(vta_diag_text(te_context_diag(c)), message)) {
            fail_msg("%d of \"%s\": %s", most, item, vta_diag_text(te_context_diag(c)));
        }
        free(text);
        te_context_destroy(c);
    }
}

TEST_CASE(limits) {
    static const char deep[] = "the expression is nested more than 200 deep";
    check_limit("", "(", "", "1", 199, deep);
    check_limit("", "-", "", "1", 199, deep);
    check_limit("", "not ", "", "1 < 2", 199, deep);
    check_limit("1", "+1", "", "", 2000, "the expression has more than 2000 operators");
    check_limit("", "-1+", "", "1", 1000, "the expression has more than 2000 operators");
    check_limit("a[", "0", ", ", "]", 256, "expected fewer items in the list, found \"0\"");
    check_limit("y[i: 4] = sum[", "k: 2", ", ", "](1)", 256, "expected fewer reduce axes, found \":\"");
    check_limit("y[", "2", ", ", "] = 1", 256, "expected fewer dimensions, found \"2\"");
    check_limit("y = pad(a, [", "0", ", ", "])", 256, "expected fewer items in the list, found \"0\"");
    te_context *c = context_with(NULL); /* what is closed is not counted */
    char *text = repeated("", "-(1)", " + ", 300, " < 5 && not (1 < 2)");
    assert_non_null(te_parse(c, text));
    assert_fine(c);
    free(text);
    te_context_destroy(c);
}

TEST_CASE(numbers) {
    static const struct {
        const char *text;
        double is;
    } rows[] = {{"17", 17},
                {"0x1F", 31},
                {"1e3", 1000},
                {"1E+2", 100},
                {"25e-2", 0.25},
                {".5", 0.5},
                {"2.", 2},
                {"0x1e", 30},
                {"0x1e+1", 31},
                {"1.5e1+1", 16},
                {"2147483648", 2147483648.0},
                {"1-1", 0}};
    static const struct {
        const char *text, *message;
    } wrong[] = {{"12ab", "\"12ab\" is not a number that 64 bits can hold"},
                 {"1.2.3", "\"1.2.3\" is not a number that 64 bits can hold"},
                 {"9223372036854775808", "\"9223372036854775808\" is not a number that 64 bits can hold"},
                 {"1e999", "\"1e999\" is not a number that 64 bits can hold"},
                 {"123456789012345678901234", "\"123456789012345678901234\" is not a number"},
                 {"1234567890123456789012345", "\"123456789012345678901234...\" is not a number"},
                 {"\x01", "found byte 0x01"},
                 {"\xc3\xa9", "found byte 0xc3"},
                 {"$", "found \"$\""},
                 {"", "found the end of the text"},
                 {".", "found \".\""},
                 {"1 +", "found the end of the text"}};
    te_context *c = context_with(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        te_expr *e = te_simplify(c, te_parse(c, rows[i].text));
        assert_fine(c);
        int64_t whole = 0;
        bool real = strncmp(te_expr_dtype(c, e), "float", 5) == 0;
        if (!real) assert_int_equal(te_expr_int(c, e, &whole), VTA_OK);
        if ((real ? te_expr_float(e) : (double)whole) != rows[i].is) fail_msg("%s", rows[i].text);
        assert_int_equal(real, strpbrk(rows[i].text, ".") || (strpbrk(rows[i].text, "eE") && rows[i].text[1] != 'x'));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(te_parse(c, wrong[i].text));
        assert_refused(c, VTA_PARSE, wrong[i].message);
    }
    char digits[65] = "0.";
    for (int i = 2; i < 64; i++) digits[i] = '5'; /* 63 characters are a number, 64 are too many */
    assert_null(te_parse(c, digits));
    assert_refused(c, VTA_PARSE, "\"0.5555555555555555555555...\" is not a number");
    digits[63] = 0;
    assert_true(fabs(te_expr_float(te_parse(c, digits)) - 5.0 / 9) < 1e-7);
    te_context_destroy(c);
}

/* A line and a column of the text, which is told where it begins. */
TEST_CASE(positions) {
    te_context *c = context_with(NULL);
    te_context_at(c, "here.te", 7, 3);
    assert_null(te_parse(c, "1 + nothing"));
    assert_refused(c, VTA_NOT_FOUND, "here.te:7:7: error: there is no axis, scalar or constant \"nothing\"");
    assert_null(te_parse(c, "1 + # a comment, nothing\n  nothing"));
    assert_refused(c, VTA_NOT_FOUND, "here.te:8:3: error: there is no axis, scalar or constant \"nothing\"");
    te_context_at(c, NULL, 0, 0);
    assert_null(te_parse(c, "nothing"));
    assert_refused(c, VTA_NOT_FOUND, "there is no axis, scalar or constant \"nothing\"");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
