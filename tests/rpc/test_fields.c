/* Every request of the project's protocol with one byte too many and one too few: both are refused in words, whatever
 * the fields before are. */
#include "rpc/asked.h"
#include "support/diag.h"

#define TEXT "\1\0\0\0t"
#define NUMBER "\x77\0\0\0\0\0\0\0"
#define WORD "\2\0\0\0"

static const struct {
    vt_rpc_message message;
    const char *name, *fields;
    size_t size;
} requests[] = {
#define REQUEST(name, fields) {VT_RPC_##name, #name, fields, sizeof(fields) - 1}
    REQUEST(HELLO, "\1\0\0\0" TEXT),
    REQUEST(PING, ""),
    REQUEST(LOAD_MODULE, TEXT),
    REQUEST(FUNCTION, NUMBER TEXT),
    REQUEST(FREE, NUMBER),
    REQUEST(DOWNLOAD, TEXT NUMBER WORD),
    REQUEST(REMOVE, TEXT),
    REQUEST(ARRAY, NUMBER "\0\x20\1\0" WORD NUMBER NUMBER),
    REQUEST(READ, NUMBER NUMBER WORD),
    REQUEST(COPY, NUMBER NUMBER),
    REQUEST(STATISTICS, ""),
    REQUEST(CLEAR, ""),
    REQUEST(CONFIGURE, TEXT),
    REQUEST(PROGRAM, TEXT),
    REQUEST(SESSIONS, ""),
    REQUEST(SHUTDOWN, ""),
    REQUEST(BYE, ""),
    REQUEST(LOAD_MODEL, TEXT),
    REQUEST(RUN_MODEL, NUMBER WORD NUMBER NUMBER),
    REQUEST(PROFILE_MODEL, NUMBER),
};

static void is_refused(vt_rpc_message message, const char *name, const char *fields, size_t size, bool more) {
    bool over;
    char words[128];
    vt_strbuf_clear(&out);
    vta_status status = vt__own_answer(&session, (uint16_t)message, fields, size, &out, &over);
    snprintf(words, sizeof words,
             more ? "%s: 1 bytes after the last field"
                  : "%s: the message is cut short, or a field is too long or not UTF-8",
             name);
    told(diag, status, VTA_PARSE, words);
    assert_int_equal(out.size, 0);
}

static void one_more_or_less(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        char fields[64] = "";
        memcpy(fields, requests[i].fields, requests[i].size);
        is_refused(requests[i].message, requests[i].name, fields, requests[i].size + 1, true);
        if (requests[i].size)
            is_refused(requests[i].message, requests[i].name, requests[i].fields, requests[i].size - 1, false);
    }
    assert_int_equal(session.uploaded, 0);
    assert_int_equal(session.objects.count, 0);
    assert_false(session.running); /* no machine was made */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(one_more_or_less)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
