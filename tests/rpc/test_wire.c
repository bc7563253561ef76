/* Bytes on a connection: the fields of frames, frames on a socket, and what is said of those that do not come. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/stream.h"
#include "rpc/told.h"
#include "rpc/wire.h"
#include "support/diag.h"

#include "../../src/vta/rpc/server.h" /* tests/rpc has a server.h of its own */

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

TEST_CASE(headers) {
    uint8_t bytes[VT_RPC_HEADER_BYTES];
    const vt_rpc_header sent = {.size = 0x030201, .message = VT_RPC_LOAD_MODEL, .status = 0x0807, .number = 0x0c0b0a09};
    vt_rpc_header got;
    vt__rpc_put_header(bytes, &sent);
    assert_memory_equal(bytes, "\x01\x02\x03\x00\x17\x00\x07\x08\x09\x0a\x0b\x0c", sizeof bytes);
    assert_int_equal(vt__rpc_get_header(bytes, diag, &got), VTA_OK);
    assert_memory_equal(&got, &sent, sizeof sent);
    vt__rpc_put_header(bytes, &(vt_rpc_header){.size = VT_RPC_FRAME_BYTES, .message = VT_RPC_PING});
    assert_int_equal(vt__rpc_get_header(bytes, diag, &got), VTA_OK);
    vt__rpc_put_header(bytes, &(vt_rpc_header){.size = VT_RPC_FRAME_BYTES + 1, .message = VT_RPC_PING});
    told(diag, vt__rpc_get_header(bytes, diag, &got), VTA_PARSE,
         "a frame of 4198401 bytes (PING); the longest has 4198400"); /* 4 MiB of contents, and 4096 beside */
    vt__rpc_put_header(bytes, &(vt_rpc_header){.message = 99});
    told(diag, vt__rpc_get_header(bytes, diag, &got), VTA_PARSE,
         "message 99 does not exist in version 1 of the protocol");
}

TEST_CASE(message_names) {
    int count = 0, unknown = 0;
#define VTA_RPC_MESSAGE(name, number, request, answer, meaning)                                                        \
    assert_string_equal(vt__rpc_message_name(number), #name);                                                          \
    count++;
#include "vta/rpc.def"
#undef VTA_RPC_MESSAGE
    for (int i = 0; i <= UINT16_MAX; i++) unknown += !strcmp(vt__rpc_message_name((uint16_t)i), "?");
    assert_int_equal(unknown, UINT16_MAX + 1 - count);
}

enum { FIELD_BYTES = 1 + 2 + 4 + 8 + 8 + 4 + 3 };

static bool read_fields(const char *bytes, size_t size) {
    char text[4] = "old";
    vt_rpc_reader r = {(const uint8_t *)bytes, size, false};
    bool right = vt__rpc_u8(&r) == 0xfe;
    right &= vt__rpc_u16(&r) == 0xfedc;
    right &= vt__rpc_u32(&r) == 0xfedcba98;
    right &= vt__rpc_u64(&r) == 0xfedcba9876543210;
    right &= vt__rpc_f64(&r) == -1.5;
    vt__rpc_text(&r, text, sizeof text);
    right &= !strcmp(text, "abc");
    if (size == FIELD_BYTES) assert_int_equal(vt__rpc_end(&r, "TEST", diag), VTA_OK);
    if (size == FIELD_BYTES + 1)
        told(diag, vt__rpc_end(&r, "TEST", diag), VTA_PARSE, "TEST: 1 bytes after the last field");
    if (size >= FIELD_BYTES) return right;
    assert_string_equal(text, ""); /* what is not there is 0 */
    assert_int_equal(vt__rpc_u64(&r), 0);
    told(diag, vt__rpc_end(&r, "TEST", diag), VTA_PARSE,
         "TEST: the message is cut short, or a field is too long or not UTF-8");
    return right;
}

TEST_CASE(fields) {
    static const uint8_t expected[] = "\xfe\xdc\xfe\x98\xba\xdc\xfe\x10\x32\x54\x76\x98\xba\xdc\xfe"
                                      "\0\0\0\0\0\0\xf8\xbf\x03\0\0\0abc";
    vt_strbuf b;
    vt_strbuf_init(&b, NULL);
    vt__rpc_put_u8(&b, 0xfe);
    vt__rpc_put_u16(&b, 0xfedc);
    vt__rpc_put_u32(&b, 0xfedcba98);
    vt__rpc_put_u64(&b, 0xfedcba9876543210);
    vt__rpc_put_f64(&b, -1.5);
    vt__rpc_put_text(&b, "abc");
    assert_int_equal(b.size, FIELD_BYTES);
    assert_memory_equal(b.text, expected, FIELD_BYTES);
    vt_strbuf_addc(&b, 'x');
    for (size_t size = 0; size <= b.size; size++) assert_int_equal(read_fields(b.text, size), size >= FIELD_BYTES);
    vt_strbuf_free(&b);
}

/* A text of so many characters, read into a buffer of `room`; whether that works. */
static bool read_text(vt_strbuf *b, size_t size, size_t room) {
    static char to[VT_RPC_TEXT_BYTES + 2];
    memcpy(b->text, (uint8_t[]){(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), 0}, 4);
    vt_rpc_reader r = {(const uint8_t *)b->text, b->size, false};
    vt__rpc_text(&r, to, room);
    assert_int_equal(strlen(to), r.failed ? 0 : size);
    return !r.failed;
}

TEST_CASE(texts) {
    size_t size;
    vt_strbuf b;
    vt_strbuf_init(&b, NULL);
    vt__rpc_put_u32(&b, 0);
    for (int i = 0; i <= VT_RPC_TEXT_BYTES; i++) vt_strbuf_addc(&b, 'x');
    assert_true(read_text(&b, VT_RPC_TEXT_BYTES, VT_RPC_TEXT_BYTES + 1));
    assert_false(read_text(&b, VT_RPC_TEXT_BYTES, VT_RPC_TEXT_BYTES));
    assert_false(read_text(&b, VT_RPC_TEXT_BYTES + 1, VT_RPC_TEXT_BYTES + 2));
    assert_true(read_text(&b, 0, 1));
    assert_true(read_text(&b, 9, 10));
    assert_false(read_text(&b, 10, 10));
    for (size_t at = 4; at < 14; at++) { /* a zero anywhere, also as the last character */
        b.text[at] = '\0';
        assert_false(read_text(&b, 10, 100));
        vt_rpc_reader r = {(const uint8_t *)b.text, b.size, false};
        size = 77;
        assert_null(vt__rpc_textn(&r, &size));
        assert_int_equal(size, 0);
        b.text[at] = 'x';
    }
    vt_rpc_reader r = {(const uint8_t *)b.text, 14, false};
    assert_ptr_equal(vt__rpc_textn(&r, &size), b.text + 4);
    assert_int_equal(size, 10);
    assert_int_equal(r.left, 0);
    vt_strbuf_free(&b);
}

/* ---- Sockets ----------------------------------------------------------------------------------------------------- */

typedef struct pair {
    vt_rpc_stream a;
    int b;
} pair;

static pair make_pair(int type) {
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, ends), 0);
    return (pair){{.fd = ends[0]}, ends[1]};
}

TEST_CASE(deadlines) {
    uint64_t before = vt__rpc_now(), until = vt__rpc_deadline(700, 6400), after = vt__rpc_now();
    assert_in_range(until, before + 800, after + 800); /* a millisecond for every 64 bytes */
    assert_int_equal(vt__rpc_deadline(0, 6400), 0);    /* never */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    assert_in_range(ms, after, vt__rpc_now());
}

TEST_CASE(slow_and_closed) {
    char bytes[5];
    static char many[1 << 20];
    pair p = make_pair(SOCK_STREAM);
    told(diag, vt__rpc_read(&p.a, bytes, 5, 1, diag), VTA_TIMEOUT,
         "the other side of the connection is too slow: nothing came in time");
    told(diag, vt__rpc_wait(&p.a, 1, diag), VTA_TIMEOUT,
         "the other side of the connection is too slow: nothing came in time");
    told(diag, vt__rpc_write(&p.a, many, sizeof many, 1, diag), VTA_TIMEOUT,
         "the other side of the connection is too slow: nothing was taken in time");
    assert_int_equal(write(p.b, "abc", 3), 3);
    assert_int_equal(vt__rpc_wait(&p.a, 0, diag), VTA_OK);
    shutdown(p.b, SHUT_WR);
    told(diag, vt__rpc_read(&p.a, bytes, 5, 0, diag), VTA_IO, "the connection was closed after 3 of 5 bytes");
    told(diag, vt__rpc_read(&p.a, bytes, 5, 0, diag), VTA_NOT_FOUND, "the other side closed the connection");
    assert_int_equal(vt__rpc_read(&p.a, bytes, 0, 0, diag), VTA_OK);
    close(p.b); /* with bytes of ours unread */
    told(diag, vt__rpc_read(&p.a, bytes, 5, 0, diag), VTA_IO, "the connection broke: Connection reset by peer");
    told(diag, vt__rpc_write(&p.a, bytes, 5, 0, diag), VTA_IO, "the connection broke: Broken pipe");
    vt__rpc_close(&p.a);
}

/* Small frames leave as one packet, large ones as two, and arrive as one. */
TEST_CASE(frames) {
    enum { JOINED = 4096 };
    static const uint32_t sizes[] = {0, 1, JOINED - 1, JOINED, JOINED + 1, 3 * JOINED};
    uint8_t content[3 * JOINED], packet[4 * JOINED];
    for (size_t i = 0; i < sizeof content; i++) content[i] = (uint8_t)(i * 31 + i / 256);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t size = sizes[i], first = size < JOINED ? size : JOINED;
        pair p = make_pair(SOCK_SEQPACKET), q = make_pair(SOCK_STREAM);
        const vt_rpc_header header = {.size = size, .message = VT_RPC_PING, .status = 5, .number = 7};
        assert_int_equal(vt__rpc_send(&p.a, header, size ? content : NULL, 0, diag), VTA_OK);
        assert_int_equal(recv(p.b, packet, sizeof packet, 0), VT_RPC_HEADER_BYTES + first);
        assert_memory_equal(packet + VT_RPC_HEADER_BYTES, content, first);
        assert_int_equal(recv(p.b, packet, sizeof packet, 0), size > first ? (ssize_t)(size - first) : -1);
        vt_rpc_header got = {0};
        vt_strbuf in;
        vt_strbuf_init(&in, NULL);
        vt_strbuf_add(&in, "what the last one had");
        vt_rpc_stream back = {.fd = q.b};
        assert_int_equal(vt__rpc_send(&back, header, size ? content : NULL, 0, diag), VTA_OK);
        assert_int_equal(vt__rpc_receive(&q.a, 0, 0, diag, &got, &in), VTA_OK);
        assert_memory_equal(&got, &header, sizeof header);
        assert_int_equal(in.size, size);
        assert_memory_equal(in.text, content, size);
        assert_int_equal(in.text[size], '\0');
        vt__rpc_put_header(packet, &header); /* once more, without what follows */
        assert_int_equal(write(q.b, packet, VT_RPC_HEADER_BYTES), VT_RPC_HEADER_BYTES);
        close(q.b);
        assert_int_equal(vt__rpc_receive(&q.a, 0, 0, diag, &got, &in), size ? VTA_IO : VTA_OK);
        vta_diag_clear(diag);
        told(diag, vt__rpc_receive(&q.a, 0, 0, diag, &got, &in), VTA_NOT_FOUND, "the other side closed the connection");
        vt_strbuf_free(&in);
        int fd = p.a.fd;
        vt__rpc_close(&p.a);
        vt__rpc_close(&q.a);
        close(p.b);
        assert_int_equal(p.a.fd, -1);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
    }
}

/* Why a session is over, in both protocols. */
TEST_CASE(farewells) {
    vt_strbuf b;
    vt_strbuf_init(&b, NULL);
    vt__farewell(&b, VT_RPC_UNKNOWN, 9, VTA_TIMEOUT, "why");
    assert_int_equal(b.size, 0);
    vt__farewell(&b, VT_RPC_OWN, 0x01020304, (vta_status)9, "why");
    assert_int_equal(b.size, 15);
    assert_memory_equal(b.text, "\x03\0\0\0\x16\0\x09\0\x04\x03\x02\x01why", 15);
    vt_strbuf_clear(&b);
    vt__farewell(&b, VT_RPC_TVM, 9, VTA_TIMEOUT, "why"); /* 5: an exception, of one value, a string (11) */
    assert_int_equal(b.size, 31);
    assert_memory_equal(b.text, "\x17\0\0\0\0\0\0\0\x05\0\0\0\x01\0\0\0\x0b\0\0\0\x03\0\0\0\0\0\0\0why", 31);
    vt_strbuf_free(&b);
}

/* Texts are UTF-8, to their last byte and not beyond it. */
TEST_CASE(characters) {
    static const struct {
        const char *text;
        bool good;
    } cases[] = {{"caf\xc3\xa9", true},      {"\xe2\x82\xac", true},  {"\xf0\x9f\x98\x80", true},
                 {"a\033[31mb", true},       {"\xff", false},         {"caf\xc3", false},
                 {"a\xe2\x82", false},       {"\xf0\x9f\x98", false}, {"\xed\xa0\x80", false},
                 {"\xc0\x80", false},        {"\x80", false},         {"\xc3\xa9\xc3", false},
                 {"\xf5\x80\x80\x80", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[16];
        vt_strbuf b;
        vt_strbuf_init(&b, NULL);
        vt__rpc_put_text(&b, cases[i].text);
        vt_strbuf_add(&b, "\xa9\x80\x80"); /* would complete what is cut off */
        vt_rpc_reader r = {(const uint8_t *)b.text, b.size, false};
        vt__rpc_text(&r, copy, sizeof copy);
        if (r.failed == cases[i].good) fail_msg("case %zu", i);
        assert_string_equal(copy, cases[i].good ? cases[i].text : "");
        vt_strbuf_free(&b);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
