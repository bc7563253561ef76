/* A client against answers that the test has written: what it sends byte by byte, what it makes of each answer, and
 * what is in the results of a call that fails. */
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/client_session.h"
#include "rpc/told.h"
#include "support/diag.h"

enum { HERE_MOST = 1 << 16 };

static vta_rpc rpc;
static int there; /* the server's end */

static int begin(void **state) {
    (void)state;
    int ends[2];
    diag = vta_diag_create(NULL);
    if (!diag || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    rpc = (vta_rpc){.allocator = vt_allocator_libc};
    rpc.link = (vt_rpc_link){.stream = {.fd = ends[0]}, .owner = getpid(), .patience_ms = 1000, .answer_ms = 1000};
    strcpy(rpc.link.place, "board:9091");
    vt_strbuf_init(&rpc.link.out, NULL);
    vt_strbuf_init(&rpc.link.in, NULL);
    there = ends[1];
    return 0;
}

static int end(void **state) {
    (void)state;
    vt__link_close(&rpc.link);
    assert_true(rpc.link.over);
    assert_int_equal(rpc.link.stream.fd, -1);
    close(there);
    vta_diag_destroy(diag);
    return 0;
}

/* An answer to the next request; `more` is added to its number. */
static void answer_as(vt_rpc_message message, uint32_t status, uint32_t more, const void *fields, size_t size) {
    uint8_t bytes[256];
    const vt_rpc_header h = {(uint32_t)size, (uint16_t)message, (uint16_t)status, rpc.link.number + 1 + more};
    vt__rpc_put_header(bytes, &h);
    memcpy(bytes + VT_RPC_HEADER_BYTES, fields, size);
    assert_int_equal(write(there, bytes, VT_RPC_HEADER_BYTES + size), VT_RPC_HEADER_BYTES + size);
}

static void answer(vt_rpc_message message, const void *fields, size_t size) {
    answer_as(message, VTA_OK, 0, fields, size);
}

/* The request that was sent: its fields. */
static void asked(vt_rpc_message message, const void *fields, size_t size) {
    static uint8_t bytes[HERE_MOST], expected[VT_RPC_HEADER_BYTES];
    const vt_rpc_header h = {(uint32_t)size, (uint16_t)message, 0, rpc.link.number};
    size_t got = 0;
    for (ssize_t n; (n = read(there, bytes + got, sizeof bytes - got)) > 0;) got += (size_t)n;
    assert_int_equal(got, VT_RPC_HEADER_BYTES + size);
    vt__rpc_put_header(expected, &h);
    assert_memory_equal(bytes, expected, VT_RPC_HEADER_BYTES);
    assert_memory_equal(bytes + VT_RPC_HEADER_BYTES, fields, size);
}

static void asked_nothing(void) {
    char byte;
    assert_int_equal(read(there, &byte, 1), -1);
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

#define N "\x15\xcd\x5b\x07\0\0\0\0" /* 123456789 */

static void requests(void **state) {
    (void)state;
    uint64_t number = 7;
    char *text, *bytes;
    size_t size;
    must((answer(VT_RPC_PING, "", 0), vta_rpc_ping(&rpc, diag)));
    asked(VT_RPC_PING, "", 0);
    must((answer(VT_RPC_CLEAR, "", 0), vta_rpc_clear_statistics(&rpc, diag)));
    asked(VT_RPC_CLEAR, "", 0);
    must((answer(VT_RPC_STATISTICS, "\2\0\0\0{}", 6), vta_rpc_statistics(&rpc, diag, &text)));
    asked(VT_RPC_STATISTICS, "", 0);
    assert_string_equal(text, "{}");
    vta_string_free(text);
    must((answer(VT_RPC_SESSIONS, "\2\0\0\0[]", 6), vta_rpc_sessions(&rpc, diag, &text)));
    asked(VT_RPC_SESSIONS, "", 0);
    assert_string_equal(text, "[]");
    vta_string_free(text);
    must((answer(VT_RPC_CONFIGURE, "\3\0\0\0sim", 7), vta_rpc_configure(&rpc, "{}", diag)));
    asked(VT_RPC_CONFIGURE, "\2\0\0\0{}", 6);
    must((answer(VT_RPC_PROGRAM, "\0\0\0\0", 4), vta_rpc_program(&rpc, NULL, diag)));
    asked(VT_RPC_PROGRAM, "\0\0\0\0", 4);
    must((answer(VT_RPC_PROGRAM, "\1\0\0\0f", 5), vta_rpc_program(&rpc, "b", diag)));
    asked(VT_RPC_PROGRAM, "\1\0\0\0b", 5);
    must((answer(VT_RPC_LOAD_MODULE, N "\3\0\0\0f\ng", 15), vta_rpc_load_module(&rpc, "m", diag, &number, &text)));
    asked(VT_RPC_LOAD_MODULE, "\1\0\0\0m", 5);
    assert_int_equal(number, 123456789);
    assert_string_equal(text, "f\ng");
    vta_string_free(text);
    must((answer(VT_RPC_FUNCTION, N "\0\0\0\0", 12), vta_rpc_function(&rpc, 5, "f", diag, &number, NULL)));
    asked(VT_RPC_FUNCTION, "\5\0\0\0\0\0\0\0\1\0\0\0f", 13);
    must((answer(VT_RPC_UPLOAD, "", 0), vta_rpc_upload(&rpc, "f", "abc", 3, diag)));
    asked(VT_RPC_UPLOAD, "\1\0\0\0f\0\0\0\0\0\0\0\0abc", 16);
    must((answer(VT_RPC_DOWNLOAD, "\2\0\0\0\0\0\0\0xy", 10), vta_rpc_download(&rpc, "f", diag, &bytes, &size)));
    asked(VT_RPC_DOWNLOAD, "\1\0\0\0f\0\0\0\0\0\0\0\0\0\0\x40\0", 17);
    assert_int_equal(size, 2);
    assert_string_equal(bytes, "xy");
    vta_string_free(bytes);
    must((answer(VT_RPC_REMOVE, "", 0), vta_rpc_remove(&rpc, "f", diag)));
    asked(VT_RPC_REMOVE, "\1\0\0\0f", 5);
    must((answer(VT_RPC_ARRAY, N, 8),
          vta_rpc_array(&rpc, 12, 2, (int64_t[]){3, -4}, (DLDataType){2, 32, 5}, diag, &number)));
    asked(VT_RPC_ARRAY, "\x0c\0\0\0\0\0\0\0\2\x20\5\0\2\0\0\0\3\0\0\0\0\0\0\0\xfc\xff\xff\xff\xff\xff\xff\xff", 32);
    must((answer(VT_RPC_WRITE, "", 0), vta_rpc_write(&rpc, 3, 9, "abc", 3, diag)));
    asked(VT_RPC_WRITE, "\3\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0abc", 19);
    char back[4] = "????";
    must((answer(VT_RPC_READ, "abc", 3), vta_rpc_read(&rpc, 3, 9, back, 3, diag)));
    asked(VT_RPC_READ, "\3\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0\3\0\0\0", 20);
    assert_memory_equal(back, "abc?", 4);
    must((answer(VT_RPC_COPY, "", 0), vta_rpc_copy(&rpc, 3, 4, diag)));
    asked(VT_RPC_COPY, "\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 16);
    must((answer(VT_RPC_FREE, "", 0), vta_rpc_free(&rpc, 6, diag)));
    asked(VT_RPC_FREE, "\6\0\0\0\0\0\0\0", 8);
    must((answer(VT_RPC_LOAD_MODEL, N "\2\0\0\0{}", 14), vta_rpc_load_model(&rpc, "m", diag, &number, &text)));
    asked(VT_RPC_LOAD_MODEL, "\1\0\0\0m", 5);
    vta_string_free(text);
    double seconds = 0;
    must((answer(VT_RPC_RUN_MODEL, "\0\0\0\0\0\0\xf8\x3f\2\0\0\0{}", 14),
          vta_rpc_run_model(&rpc, 2, (uint64_t[]){8, 9}, 2, diag, &seconds, &text)));
    asked(VT_RPC_RUN_MODEL, "\2\0\0\0\0\0\0\0\2\0\0\0\x08\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0", 28);
    assert_true(seconds == 1.5);
    vta_string_free(text);
    must((answer(VT_RPC_PROFILE_MODEL, "\2\0\0\0{}", 6), vta_rpc_profile_model(&rpc, 2, diag, &text)));
    asked(VT_RPC_PROFILE_MODEL, "\2\0\0\0\0\0\0\0", 8);
    vta_string_free(text);
    must((answer(VT_RPC_SHUTDOWN, "", 0), vta_rpc_shutdown(&rpc, diag)));
    asked(VT_RPC_SHUTDOWN, "", 0);
    told(diag, vta_rpc_ping(&rpc, diag), VTA_IO,
         "board:9091: the session is over since an earlier call failed: connect again");
    asked_nothing();
}

static void calls(void **state) {
    (void)state;
    const TVMValue args[] = {{.v_int64 = -1},    {.v_float64 = 1.5}, {.v_int64 = 6},
                             {.v_handle = NULL}, {.v_str = "s"},     {.v_str = NULL}};
    static const int codes[] = {VTA_ARG_INT,  VTA_ARG_FLOAT,  VTA_ARG_TENSOR,
                                VTA_ARG_NULL, VTA_ARG_STRING, VTA_ARG_STRING};
    TVMValue value;
    int code;
    must(
        (answer(VT_RPC_CALL, "\2\0\0\0\0\0\0\xf8\x3f", 9), vta_rpc_call(&rpc, 4, args, codes, 6, diag, &value, &code)));
    asked(VT_RPC_CALL,
          "\4\0\0\0\0\0\0\0\6\0\0\0"
          "\0\xff\xff\xff\xff\xff\xff\xff\xff\2\0\0\0\0\0\0\xf8\x3f\7\6\0\0\0\0\0\0\0\4\x0b\1\0\0\0s\x0b\0\0\0\0",
          12 + 9 + 9 + 9 + 1 + 6 + 5);
    assert_true(code == VTA_ARG_FLOAT && value.v_float64 == 1.5);
    must((answer(VT_RPC_CALL, "\4", 1), vta_rpc_call(&rpc, 4, NULL, NULL, 0, diag, &value, &code)));
    asked(VT_RPC_CALL, "\4\0\0\0\0\0\0\0\0\0\0\0", 12);
    assert_true(code == VTA_ARG_NULL && value.v_int64 == 0);
    must((answer(VT_RPC_CALL, "\0\1\0\0\0\0\0\0\0", 9), vta_rpc_call(&rpc, 4, NULL, NULL, 0, diag, NULL, NULL)));
    asked(VT_RPC_CALL, "\4\0\0\0\0\0\0\0\0\0\0\0", 12);
    double seconds[3] = {0, 0, 9};
    must((answer(VT_RPC_TIME, "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\x40", 16),
          vta_rpc_time(&rpc, 4, args, codes, 1, 10, 2, 30, diag, seconds)));
    asked(VT_RPC_TIME, "\4\0\0\0\0\0\0\0\x0a\0\0\0\2\0\0\0\x1e\0\0\0\1\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 33);
    assert_true(seconds[0] == 1.5 && seconds[1] == 2 && seconds[2] == 9);
    static TVMValue many[257];
    static int ints[257];
    static uint8_t fields[12 + 256 * 9] = "\4\0\0\0\0\0\0\0\0\1";
    must((answer(VT_RPC_CALL, "\4", 1), vta_rpc_call(&rpc, 4, many, ints, 256, diag, NULL, NULL)));
    asked(VT_RPC_CALL, fields, sizeof fields);
    told(diag, vta_rpc_call(&rpc, 4, many, ints, 257, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
         "257 arguments; 0 to 256 can be sent");
    told(diag, vta_rpc_call(&rpc, 4, many, ints, -1, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
         "-1 arguments; 0 to 256 can be sent");
    told(diag, vta_rpc_call(&rpc, 4, NULL, ints, 1, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
         "1 arguments; 0 to 256 can be sent");
    told(diag, vta_rpc_call(&rpc, 4, many, NULL, 1, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
         "1 arguments; 0 to 256 can be sent");
    ints[1] = VTA_ARG_MODULE;
    told(diag, vta_rpc_call(&rpc, 4, many, ints, 2, diag, NULL, NULL), VTA_UNSUPPORTED,
         "argument 1 has type code 9; integers (0), floats (2), null (4), tensors (7) and strings (11) can be sent");
    told(diag, vta_rpc_array(&rpc, 1, 17, (int64_t[17]){0}, (DLDataType){0, 8, 1}, diag, &(uint64_t){0}),
         VTA_OUT_OF_RANGE, "an array of 17 dimensions; 0 to 16");
    told(diag, vta_rpc_array(&rpc, 1, -1, (int64_t[1]){0}, (DLDataType){0, 8, 1}, diag, &(uint64_t){0}),
         VTA_OUT_OF_RANGE, "an array of -1 dimensions; 0 to 16");
    told(diag, vta_rpc_run_model(&rpc, 1, (uint64_t[257]){0}, 257, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
         "257 arrays; 0 to 256 can be sent");
    static char name[VT_RPC_FRAME_BYTES];
    memset(name, 'n', VT_RPC_FRAME_BYTES - 4 + 1);
    told(diag, vta_rpc_remove(&rpc, name, diag), VTA_OUT_OF_RANGE,
         "board:9091: a request of 4198401 bytes; at most 4198400");
    asked_nothing(); /* of none of these; and the session goes on */
    must((answer(VT_RPC_PING, "", 0), vta_rpc_ping(&rpc, diag)));
    asked(VT_RPC_PING, "", 0);
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

static const char over[] = "board:9091: the session is over since an earlier call failed: connect again";

/* The server refuses: its status and words, and the session goes on. */
static void refusals(void **state) {
    (void)state;
    uint64_t number = 7;
    char *text = rpc.library, *bytes = text;
    size_t size = 7;
    answer_as(VT_RPC_LOAD_MODULE, VTA_NOT_FOUND, 0, "m: none", 7);
    told(diag, vta_rpc_load_module(&rpc, "m", diag, &number, &text), VTA_NOT_FOUND, "board:9091: m: none");
    assert_true(number == 0 && !text);
    answer_as(VT_RPC_LOAD_MODULE, 9999, 0, "what is that?", 13);
    number = 7;
    told(diag, vta_rpc_load_module(&rpc, "m", diag, &number, NULL), VTA_INTERNAL, "board:9091: what is that?");
    assert_int_equal(number, 0);
    text = rpc.library;
    answer_as(VT_RPC_STATISTICS, VTA_IO, 0, "no", 2);
    told(diag, vta_rpc_statistics(&rpc, diag, &text), VTA_IO, "board:9091: no");
    assert_null(text);
    text = rpc.library;
    answer_as(VT_RPC_SESSIONS, VTA_IO, 0, "no", 2);
    told(diag, vta_rpc_sessions(&rpc, diag, &text), VTA_IO, "board:9091: no");
    assert_null(text);
    answer_as(VT_RPC_DOWNLOAD, VTA_IO, 0, "no", 2);
    told(diag, vta_rpc_download(&rpc, "f", diag, &bytes, &size), VTA_IO, "board:9091: no");
    assert_true(!bytes && !size);
    number = 7;
    answer_as(VT_RPC_ARRAY, VTA_NO_MEMORY, 0, "no", 2);
    told(diag, vta_rpc_array(&rpc, 1, 0, NULL, (DLDataType){0, 8, 1}, diag, &number), VTA_NO_MEMORY, "board:9091: no");
    assert_int_equal(number, 0);
    text = rpc.library;
    answer_as(VT_RPC_RUN_MODEL, VTA_IO, 0, "no", 2);
    told(diag, vta_rpc_run_model(&rpc, 1, NULL, 0, diag, NULL, &text), VTA_IO, "board:9091: no");
    assert_null(text);
    text = rpc.library;
    answer_as(VT_RPC_PROFILE_MODEL, VTA_IO, 0, "no", 2);
    told(diag, vta_rpc_profile_model(&rpc, 1, diag, &text), VTA_IO, "board:9091: no");
    assert_null(text);
    answer_as(VT_RPC_SHUTDOWN, VTA_UNSUPPORTED, 0, "no", 2);
    told(diag, vta_rpc_shutdown(&rpc, diag), VTA_UNSUPPORTED, "board:9091: no");
    must((answer(VT_RPC_PING, "", 0), vta_rpc_ping(&rpc, diag)));
}

/* An answer that has a byte more or less than its fields, which is noticed with the next one still good. */
static void damaged_answers(void **state) {
    (void)state;
    static const char shorter[] = "the server's answer: the message is cut short, or a field is too long or not UTF-8";
    uint64_t number = 7;
    char *text = rpc.library, byte[2] = "?";
    size_t size = 7;
    answer(VT_RPC_PING, "x", 1);
    told(diag, vta_rpc_ping(&rpc, diag), VTA_PARSE, "the server's answer: 1 bytes after the last field");
    answer(VT_RPC_LOAD_MODULE, N "\1\0\0\0", 12);
    told(diag, vta_rpc_load_module(&rpc, "m", diag, &number, &text), VTA_PARSE, shorter);
    assert_true(number == 0 && !text);
    answer(VT_RPC_LOAD_MODULE, N "\1\0\0\0ab", 14);
    number = 7, text = rpc.library;
    told(diag, vta_rpc_load_module(&rpc, "m", diag, &number, &text), VTA_PARSE,
         "the server's answer: 1 bytes after the last field");
    assert_true(number == 0 && !text);
    answer(VT_RPC_DOWNLOAD, "\1\0\0", 3);
    told(diag, vta_rpc_download(&rpc, "f", diag, &text, &size), VTA_PARSE, shorter);
    assert_true(!text && !size);
    answer(VT_RPC_DOWNLOAD, "\1\0\0\0\0\0\0\0", 8);
    told(diag, vta_rpc_download(&rpc, "f", diag, &text, &size), VTA_IO, "board:9091: f became shorter meanwhile");
    assert_true(!text && !size);
    answer(VT_RPC_READ, "", 0);
    told(diag, vta_rpc_read(&rpc, 1, 0, byte, 1, diag), VTA_PARSE, shorter);
    answer(VT_RPC_READ, "xy", 2);
    told(diag, vta_rpc_read(&rpc, 1, 0, byte, 1, diag), VTA_PARSE, "the server's answer: 1 bytes after the last field");
    assert_string_equal(byte, "x");
    answer(VT_RPC_WRITE, "x", 1);
    told(diag, vta_rpc_write(&rpc, 1, 0, "a", 1, diag), VTA_PARSE, "the server's answer: 1 bytes after the last field");
    answer(VT_RPC_UPLOAD, "x", 1);
    told(diag, vta_rpc_upload(&rpc, "f", "a", 1, diag), VTA_PARSE, "the server's answer: 1 bytes after the last field");
    answer(VT_RPC_ARRAY, "x", 1);
    assert_int_equal(vta_rpc_array(&rpc, 1, 0, NULL, (DLDataType){0, 8, 1}, diag, &number), VTA_PARSE);
    answer(VT_RPC_CALL, "\0x", 2);
    assert_int_equal(vta_rpc_call(&rpc, 1, NULL, NULL, 0, diag, NULL, NULL), VTA_PARSE);
    double seconds;
    answer(VT_RPC_TIME, "x", 1);
    assert_int_equal(vta_rpc_time(&rpc, 1, NULL, NULL, 0, 1, 1, 0, diag, &seconds), VTA_PARSE);
    vta_diag_clear(diag);
    must((answer(VT_RPC_PING, "", 0), vta_rpc_ping(&rpc, diag)));
}

/* Large files come in parts; the answers wait in the socket. */
static void parts(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    answer(VT_RPC_DOWNLOAD, "\5\0\0\0\0\0\0\0abc", 11);
    rpc.link.number++; /* the second answer's */
    answer(VT_RPC_DOWNLOAD, "\5\0\0\0\0\0\0\0de", 10);
    rpc.link.number--;
    must(vta_rpc_download(&rpc, "f", diag, &bytes, &size));
    assert_int_equal(size, 5);
    assert_string_equal(bytes, "abcde");
    vta_string_free(bytes);
    uint8_t sent[64];
    assert_int_equal(read(there, sent, sizeof sent), 2 * 29);
    assert_memory_equal(sent + 29 + 12, "\1\0\0\0f\3\0\0\0\0\0\0\0\0\0\x40\0", 17); /* from 3 on */
}

/* What ends a session: each for itself, and no request is sent after. */
static void ends(void **state) {
    (void)state;
    for (int how = 0; how < 6; how++) {
        vta_diag_entry e;
        if (how) begin(state);
        rpc.link.number = how == 0 ? 0 : 5; /* the first request says nothing of connecting again */
        if (how == 0) answer_as(VT_RPC_PING, VTA_OK, 1, "", 0);
        if (how == 1) answer(VT_RPC_CLEAR, "", 0);
        if (how == 2) answer_as(VT_RPC_ENDED, VTA_TIMEOUT, 0, "too long", 8);
        if (how == 3) answer_as(VT_RPC_ENDED, VTA_OK, 0, "", 0);
        if (how == 4) shutdown(there, SHUT_WR);
        if (how == 5) rpc.link.answer_ms = 1; /* and no answer */
        static const struct {
            vta_status status;
            const char *words;
        } expected[] = {
            {VTA_PARSE, "board:9091: answer 2 (PING) to request 1 (PING)"},
            {VTA_PARSE, "board:9091: answer 6 (CLEAR) to request 6 (PING)"},
            {VTA_TIMEOUT, "board:9091: too long"},
            {VTA_INTERNAL, "board:9091: "},
            {VTA_IO, "the other side closed the connection"},
            {VTA_TIMEOUT, "the other side of the connection is too slow: nothing came in time"},
        };
        assert_int_equal(vta_rpc_ping(&rpc, diag), expected[how].status);
        assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
        assert_string_equal(e.message, expected[how].words);
        assert_int_equal(vta_diag_count(diag), how ? 2 : 1);
        if (how) {
            assert_int_equal(vta_diag_get(diag, 1, &e), VTA_OK);
            assert_string_equal(e.message, "the session with board:9091 is over: connect again");
        }
        vta_diag_clear(diag);
        asked(VT_RPC_PING, "", 0);
        told(diag, vta_rpc_ping(&rpc, diag), VTA_IO, over);
        asked_nothing();
        if (how < 5) end(state);
    }
}

/* Every function without what it must have. */
static void pointers(void **state) {
    (void)state;
    uint64_t number;
    char *text;
    size_t size;
    double seconds;
    const DLDataType type = {0, 8, 1};
#define NEEDS(function, ...) told(diag, function(__VA_ARGS__), VTA_INVALID_ARGUMENT, #function ": a pointer is NULL")
    NEEDS(vta_rpc_connect, NULL, 1, NULL, NULL, diag, NULL);
    NEEDS(vta_rpc_ping, NULL, diag);
    NEEDS(vta_rpc_statistics, NULL, diag, &text);
    NEEDS(vta_rpc_statistics, &rpc, diag, NULL);
    NEEDS(vta_rpc_clear_statistics, NULL, diag);
    NEEDS(vta_rpc_configure, NULL, "", diag);
    NEEDS(vta_rpc_configure, &rpc, NULL, diag);
    NEEDS(vta_rpc_program, NULL, "", diag);
    NEEDS(vta_rpc_sessions, NULL, diag, &text);
    NEEDS(vta_rpc_sessions, &rpc, diag, NULL);
    NEEDS(vta_rpc_shutdown, NULL, diag);
    NEEDS(vta_rpc_load_module, NULL, "", diag, &number, NULL);
    NEEDS(vta_rpc_load_module, &rpc, NULL, diag, &number, NULL);
    NEEDS(vta_rpc_load_module, &rpc, "", diag, NULL, NULL);
    NEEDS(vta_rpc_function, NULL, 1, "", diag, &number, NULL);
    NEEDS(vta_rpc_function, &rpc, 1, NULL, diag, &number, NULL);
    NEEDS(vta_rpc_function, &rpc, 1, "", diag, NULL, NULL);
    NEEDS(vta_rpc_call, NULL, 1, NULL, NULL, 0, diag, NULL, NULL);
    NEEDS(vta_rpc_time, NULL, 1, NULL, NULL, 0, 1, 1, 0, diag, &seconds);
    NEEDS(vta_rpc_time, &rpc, 1, NULL, NULL, 0, 1, 1, 0, diag, NULL);
    NEEDS(vta_rpc_upload, NULL, "", "", 1, diag);
    NEEDS(vta_rpc_upload, &rpc, NULL, "", 1, diag);
    NEEDS(vta_rpc_upload, &rpc, "", NULL, 1, diag);
    NEEDS(vta_rpc_download, NULL, "", diag, &text, &size);
    NEEDS(vta_rpc_download, &rpc, NULL, diag, &text, &size);
    NEEDS(vta_rpc_download, &rpc, "", diag, NULL, &size);
    NEEDS(vta_rpc_download, &rpc, "", diag, &text, NULL);
    NEEDS(vta_rpc_remove, NULL, "", diag);
    NEEDS(vta_rpc_remove, &rpc, NULL, diag);
    NEEDS(vta_rpc_array, NULL, 1, 0, NULL, type, diag, &number);
    NEEDS(vta_rpc_array, &rpc, 1, 0, NULL, type, diag, NULL);
    NEEDS(vta_rpc_array, &rpc, 1, 1, NULL, type, diag, &number);
    NEEDS(vta_rpc_write, NULL, 1, 0, "", 1, diag);
    NEEDS(vta_rpc_write, &rpc, 1, 0, NULL, 1, diag);
    NEEDS(vta_rpc_read, NULL, 1, 0, &number, 1, diag);
    NEEDS(vta_rpc_read, &rpc, 1, 0, NULL, 1, diag);
    NEEDS(vta_rpc_copy, NULL, 1, 1, diag);
    NEEDS(vta_rpc_free, NULL, 1, diag);
    NEEDS(vta_rpc_load_model, NULL, "", diag, &number, NULL);
    NEEDS(vta_rpc_load_model, &rpc, NULL, diag, &number, NULL);
    NEEDS(vta_rpc_load_model, &rpc, "", diag, NULL, NULL);
    NEEDS(vta_rpc_run_model, NULL, 1, NULL, 0, diag, NULL, NULL);
    NEEDS(vta_rpc_run_model, &rpc, 1, NULL, 1, diag, NULL, NULL);
    NEEDS(vta_rpc_profile_model, NULL, 1, diag, &text);
    NEEDS(vta_rpc_profile_model, &rpc, 1, diag, NULL);
    asked_nothing();
    assert_string_equal(vta_rpc_machine(NULL), "");
    assert_string_equal(vta_rpc_library(NULL), "");
    assert_string_equal(vta_rpc_driver(NULL), "");
    told(diag, vta_rpc_tracker_summary(NULL, 0, NULL, diag, NULL), VTA_INVALID_ARGUMENT,
         "vta_rpc_tracker_summary: out_json is NULL");
}

/* A good bye is said by the process that connected, once, and not when the session is over. */
static void good_byes(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        if (how) begin(state);
        vta_rpc *session = vt_alloc_zero(NULL, sizeof *session);
        *session = rpc;
        rpc.link = (vt_rpc_link){.stream = {.fd = -1}};
        if (how == 1) session->link.over = true;
        if (how == 2) session->link.owner++;
        shutdown(there, SHUT_WR); /* no answer comes */
        vta_rpc_close(session);
        uint8_t bytes[32];
        ssize_t n = read(there, bytes, sizeof bytes);
        assert_int_equal(n, how == 0 ? VT_RPC_HEADER_BYTES : 0);
        if (how == 0) assert_memory_equal(bytes, "\0\0\0\0\x15\0\0\0\1\0\0\0", VT_RPC_HEADER_BYTES);
        if (how < 2) end(state);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(requests), TEST(calls), TEST(refusals), TEST(damaged_answers),
        TEST(parts),    TEST(ends),  TEST(pointers), TEST(good_byes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
