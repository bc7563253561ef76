/* TVM's RPC protocol: the recorded conversation of one of its clients is said again, and the answers are those
 * recorded. Then what clients may do wrong. */
#include "rpc/conversation.h"

static server here;

/* An answer is what was recorded, but for numbers that the server chooses, and times. */
static void check_answer(const conversation *c, int i, const uint8_t *now) {
    const message *then = &c->at[i];
    size_t handle = handle_at(then->bytes, then->size);
    bool times = then->size > 32 && then->bytes[8] == 4 && then->bytes[20] == 12; /* bytes: seconds of two rounds */
    size_t compared = handle ? handle : times ? 40 : then->size;
    if (memcmp(now, then->bytes, compared)) fail_msg("answer %d differs from the recorded one", i);
    if (handle) assert_int_equal(raw_u64(now + handle) != 0, raw_u64(then->bytes + handle) != 0);
    for (size_t at = 40; times && at < then->size; at += 8) {
        double seconds;
        memcpy(&seconds, now + at, sizeof seconds);
        assert_true(seconds > 0 && seconds < 10);
    }
}

TEST_CASE(replay) {
    static uint8_t now[1 << 16];
    conversation c;
    conversation_read(&c);
    int fd = raw_connect(here.port), answers = 0;
    for (int i = 0; i < c.count; i++) {
        message *m = &c.at[i];
        if (!m->size) continue; /* both close */
        if (m->from_client) {
            translate(&c, m);
            assert_true(raw_send(fd, m->bytes, m->size));
            continue;
        }
        assert_true(m->size <= sizeof now);
        assert_int_equal(raw_receive(fd, now, m->size), m->size);
        check_answer(&c, i, now);
        learn(&c, m, now);
        answers++;
    }
    assert_int_equal(raw_receive(fd, now, 1), 0); /* after its shutdown the server closes */
    assert_true(answers > 35);
    close(fd);
    conversation_free(&c);
}

/* ---- By hand ---- */

static void greet(int fd) {
    static const uint8_t hello[] = "\x71\xf2\x0f\0\x07\0\0\0client:";
    uint8_t answer[15];
    assert_true(raw_send(fd, hello, 15));
    assert_int_equal(raw_receive(fd, answer, 15), 15);
    assert_memory_equal(answer, "\x71\xf2\x0f\0\x07\0\0\0server:", 15);
}

/* The packet that comes; its size after the length. */
static size_t receive_packet(int fd, uint8_t *to, size_t room) {
    uint8_t head[8];
    assert_int_equal(raw_receive(fd, head, 8), 8);
    size_t size = (size_t)raw_u64(head);
    assert_true(size <= room);
    assert_int_equal(raw_receive(fd, to, size), size);
    return size;
}

static void expect_exception(int fd, const char *words) {
    static uint8_t packet[1 << 16];
    size_t size = receive_packet(fd, packet, sizeof packet - 1);
    packet[size] = 0;
    assert_int_equal(packet[0], 5);
    if (!strstr((char *)packet + 20, words)) fail_msg("'%s' is not in '%s'", words, (char *)packet + 20);
}

static size_t packet(uint8_t *to, uint32_t code, const void *body, size_t size) {
    raw_put(to, size + 4, 8);
    raw_put(to + 8, code, 4);
    memcpy(to + 12, body, size);
    return 12 + size;
}

TEST_CASE(refusals) {
    uint8_t to[256], body[128] = {0};
    int fd = raw_connect(here.port);
    greet(fd);
    raw_send(fd, to, packet(to, 77, body, 8));
    expect_exception(fd, "packets of code 77");
    raw_put(body, 0x123456, 8); /* a call of nothing */
    raw_send(fd, to, packet(to, 3, body, 12));
    expect_exception(fd, "0x123456 is not a function");
    memcpy(body, "\x02\0\0\0\x06\0\0\0\x03\0\0\0\x0c\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0", 28); /* free data 9 */
    raw_send(fd, to, packet(to, 14, body, 28));
    expect_exception(fd, "nothing that this session has");
    static const char name[] = "runtime.RPCTimeEvaluator"; /* a module, a text, five numbers, more */
    memcpy(body, "\x01\0\0\0\x0b\0\0\0\x18\0\0\0\0\0\0\0", 16);
    memcpy(body + 16, name, 24);
    raw_send(fd, to, packet(to, 9, body, 40));
    size_t size = receive_packet(fd, to, sizeof to);
    assert_int_equal(to[0], 4);
    memcpy(body, to + size - 8, 8);
    for (uint32_t count = 0; count < 7; count++) { /* all but the last ones of what it takes */
        static const uint32_t codes[] = {9, 11, 0, 0, 0, 0};
        raw_put(body + 8, count, 4);
        for (uint32_t i = 0; i < count; i++) raw_put(body + 12 + 4 * i, codes[i], 4);
        memset(body + 12 + 4 * count, 0, 8 * count); /* an empty text */
        raw_send(fd, to, packet(to, 3, body, 12 + 12 * count));
        snprintf((char *)body + 12, sizeof body - 12, "%u arguments, which should be 'msiiiii...'", count);
        expect_exception(fd, (char *)body + 12);
    }
    memcpy(body, "\x01\0\0\0\x0b\0\0\0\xff\0\0\0\0\0\0\0", 16); /* a text that is longer than the packet */
    raw_send(fd, to, packet(to, 9, body, 16));
    expect_exception(fd, "cut short");
    assert_int_equal(raw_receive(fd, to, 1), 0); /* and the connection ends */
    close(fd);
    fd = raw_connect(here.port);
    greet(fd);
    raw_put(to, UINT64_MAX, 8); /* a packet of 2^64 bytes */
    raw_send(fd, to, 8);
    expect_exception(fd, "a packet of 18446744073709551615 bytes");
    close(fd);
}

TEST_CASE(keys) {
    server s;
    uint8_t answer[32];
    server_start(&s, "--key", "pynq", NULL);
    int fd = raw_connect(s.port);
    assert_true(raw_send(fd, "\x71\xf2\x0f\0\x07\0\0\0client:", 15));
    assert_int_equal(raw_receive(fd, answer, 5), 4); /* mismatch: magic + 2, and no more */
    assert_memory_equal(answer, "\x73\xf2\x0f\0", 4);
    close(fd);
    fd = raw_connect(s.port);
    assert_true(raw_send(fd, "\x71\xf2\x0f\0\x0b\0\0\0client:pynq", 19));
    assert_int_equal(raw_receive(fd, answer, 19), 19);
    assert_memory_equal(answer, "\x71\xf2\x0f\0\x0b\0\0\0server:pynq", 19);
    close(fd);
    server_settles(&s);
    server_stop(&s);
}

static int begin(void **state) {
    (void)state;
    server_start(&here, NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    server_settles(&here);
    server_stop(&here);
    return 0;
}

int main(void) { return golden_result(run_cases_between(begin, end)); }
