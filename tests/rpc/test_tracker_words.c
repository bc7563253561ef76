/* A tracker spoken to by hand: what it answers to each message, right and wrong, and what it writes to its log. */
#include "rpc/raw.h"
#include "rpc/wire.h"
#include "support/check.h"

static server track;

static int begin(void **state) {
    (void)state;
    server_start_on(&track, "rpc-tracker", "0", "--lease-seconds", "77", NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    server_stop(&track);
    return 0;
}

static uint32_t number;

/* Sends a message with these fields. */
static void ask(int fd, vt_rpc_message message, vt_strbuf *fields) {
    uint8_t head[VT_RPC_HEADER_BYTES];
    vt__rpc_put_header(head, &(vt_rpc_header){(uint32_t)fields->size, (uint16_t)message, 0, ++number});
    assert_true(raw_send(fd, head, sizeof head) && raw_send(fd, vt_strbuf_text(fields), fields->size));
    vt_strbuf_clear(fields);
}

/* The answer: its status, and its fields into `fields`. */
static void answered(int fd, vt_rpc_message message, vta_status status, vt_strbuf *fields) {
    uint8_t head[VT_RPC_HEADER_BYTES];
    char bytes[4096];
    vt_rpc_header h;
    assert_int_equal(raw_receive(fd, head, sizeof head), sizeof head);
    assert_int_equal(vt__rpc_get_header(head, NULL, &h), VTA_OK);
    assert_true(h.message == message && h.number == number && h.size < sizeof bytes);
    assert_int_equal(raw_receive(fd, bytes, h.size), h.size);
    vt_strbuf_clear(fields);
    vt_strbuf_addn(fields, bytes, h.size);
    if (h.status != status) fail_msg("%d, not %d: %s", h.status, (int)status, vt_strbuf_text(fields));
}

/* Refused in these words, after which the tracker closes. */
static void refused(int fd, vt_rpc_message message, vta_status status, const char *words) {
    char byte;
    vt_strbuf fields;
    vt_strbuf_init(&fields, NULL);
    answered(fd, message, status, &fields);
    assert_string_equal(vt_strbuf_text(&fields), words);
    assert_int_equal(raw_receive(fd, &byte, 1), 0);
    vt_strbuf_free(&fields);
    close(fd);
}

static int begin_with(vt_rpc_message message, vt_strbuf *fields) {
    int fd = raw_connect(track.port);
    assert_true(raw_send(fd, VT_RPC_PREFACE, VT_RPC_PREFACE_BYTES));
    number = 40;
    ask(fd, message, fields);
    return fd;
}

static int greet(vt_strbuf *fields) {
    vt__rpc_put_u32(fields, 1);
    vt__rpc_put_text(fields, "test");
    int fd = begin_with(VT_RPC_HELLO, fields);
    answered(fd, VT_RPC_HELLO, VTA_OK, fields);
    vt_strbuf expected;
    vt_strbuf_init(&expected, NULL);
    vt__rpc_put_u32(&expected, 1);
    vt__rpc_put_text(&expected, vta_version());
    vt__rpc_put_text(&expected, "tracker");
    vt__rpc_put_text(&expected, "");
    assert_int_equal(fields->size, expected.size);
    assert_memory_equal(fields->text, expected.text, expected.size);
    vt_strbuf_free(&expected);
    vt_strbuf_clear(fields);
    return fd;
}

static void put_server(vt_strbuf *fields, const char *key, const char *host, uint32_t port) {
    vt__rpc_put_text(fields, key);
    vt__rpc_put_text(fields, host);
    vt__rpc_put_u32(fields, port);
}

TEST_CASE(refusals) {
    vt_strbuf f;
    vt_strbuf_init(&f, NULL);
    refused(begin_with(VT_RPC_SUMMARY, &f), VT_RPC_SUMMARY, VTA_PARSE,
            "HELLO is the first message, and no other one is");
    vt__rpc_put_u32(&f, 2);
    vt__rpc_put_text(&f, "test");
    refused(begin_with(VT_RPC_HELLO, &f), VT_RPC_HELLO, VTA_UNSUPPORTED,
            "version 2 of the protocol; this tracker speaks version 1");
    vt__rpc_put_u32(&f, 1);
    vt__rpc_put_text(&f, "test");
    vt_strbuf_addc(&f, 'x');
    refused(begin_with(VT_RPC_HELLO, &f), VT_RPC_HELLO, VTA_PARSE, "HELLO: 1 bytes after the last field");
    static const struct {
        const char *host;
        uint32_t port;
        const char *words;
    } servers[] = {{"", 1, "REGISTER: '' port 1 is not a host and a port"},
                   {"h", 0, "REGISTER: 'h' port 0 is not a host and a port"},
                   {"h", 65536, "REGISTER: 'h' port 65536 is not a host and a port"}};
    for (int i = 0; i < 3; i++) {
        int fd = greet(&f);
        put_server(&f, "k", servers[i].host, servers[i].port);
        ask(fd, VT_RPC_REGISTER, &f);
        refused(fd, VT_RPC_REGISTER, VTA_INVALID_ARGUMENT, servers[i].words);
    }
    static const struct {
        vt_rpc_message message;
        vta_status status;
        const char *words;
    } others[] = {
        {VT_RPC_HELLO, VTA_PARSE, "HELLO is the first message, and no other one is"},
        {VT_RPC_PING, VTA_UNSUPPORTED, "a tracker does not answer PING; is it a server that you meant?"},
        {VT_RPC_REGISTER, VTA_PARSE, "REGISTER: the message is cut short, or a field is too long or not UTF-8"},
        {VT_RPC_REQUEST, VTA_PARSE, "REQUEST: the message is cut short, or a field is too long or not UTF-8"},
    };
    for (int i = 0; i < 4; i++) {
        int fd = greet(&f);
        ask(fd, others[i].message, &f);
        refused(fd, others[i].message, others[i].status, others[i].words);
    }
    int fd = greet(&f);
    vt_strbuf_addc(&f, 'x');
    ask(fd, VT_RPC_SUMMARY, &f);
    refused(fd, VT_RPC_SUMMARY, VTA_PARSE, "SUMMARY: 1 bytes after the last field");
    vt_strbuf_free(&f);
}

/* How often these words stand in the log; waits until they do so often. */
static void logged(const char *words, int times) {
    int n = 0;
    for (int i = 0; i < 6000 && n < times; i++, usleep(10000)) {
        n = 0;
        for (const char *at = server_log(&track); (at = strstr(at, words)); at++) n++;
    }
    if (n != times) fail_msg("'%s' stands %d times in %s", words, n, server_log(&track));
}

/* A server at the last port, and clients that want it for longer than is allowed, as long as is allowed, or shorter. */
TEST_CASE(leases) {
    static const struct {
        uint32_t seconds;
        const char *words;
    } cases[] = {{0, "has far:65535 for 77 seconds\n"},
                 {78, "has far:65535 for 77 seconds\n"},
                 {77, "has far:65535 for 77 seconds\n"},
                 {76, "has far:65535 for 76 seconds\n"}};
    vt_strbuf f;
    vt_strbuf_init(&f, NULL);
    int there = greet(&f);
    put_server(&f, "k", "far", 65535);
    ask(there, VT_RPC_REGISTER, &f);
    answered(there, VT_RPC_REGISTER, VTA_OK, &f);
    assert_int_equal(f.size, 0);
    logged(": server far:65535 of key 'k' registers\n", 1);
    for (int i = 0; i < 4; i++) {
        int fd = greet(&f);
        vt__rpc_put_text(&f, "k");
        vt__rpc_put_u32(&f, 0);
        vt__rpc_put_u32(&f, cases[i].seconds);
        vt__rpc_put_u32(&f, 10000);
        ask(fd, VT_RPC_REQUEST, &f);
        answered(fd, VT_RPC_REQUEST, VTA_OK, &f);
        assert_int_equal(f.size, 4 + 3 + 4);
        assert_memory_equal(f.text, "\3\0\0\0far\xff\xff\0\0", 11);
        vt_strbuf_clear(&f);
        logged(cases[i].words, i < 3 ? i + 1 : 1);
        number = 0; /* the server is told for how long it is leased */
        answered(there, VT_RPC_LEASED, VTA_OK, &f);
        assert_int_equal(f.size, 4 + 1 + 4 + 3 + 4 + 8);
        assert_memory_equal(f.text, "\1\0\0\0k\3\0\0\0far\xff\xff\0\0", 16);
        uint64_t ms = raw_u64((const uint8_t *)f.text + 16), most = cases[i].seconds == 76 ? 76000 : 77000;
        assert_in_range(ms, most - 60000, most);
        vt_strbuf_clear(&f);
        close(fd);
        logged(": the lease is given back\n", i + 1);
        number = 0; /* the server is told, and says when it is idle */
        answered(there, VT_RPC_ENDED, VTA_OK, &f);
        assert_int_equal(f.size, 0);
        ask(there, VT_RPC_ENDED, &f);
    }
    close(there);
    logged(": the server is gone\n", 1);
    vt_strbuf_free(&f);
}

static int registered(const char *key, vt_strbuf *f) {
    vt_strbuf_clear(f);
    int fd = greet(f);
    put_server(f, key, "far", *key == 'g' ? 1234 : 1235);
    ask(fd, VT_RPC_REGISTER, f);
    answered(fd, VT_RPC_REGISTER, VTA_OK, f);
    return fd;
}

/* A client that asks for a server of this key, for a second. */
static int wishing(const char *key, uint32_t wait_ms, vt_strbuf *f) {
    vt_strbuf_clear(f);
    int fd = greet(f);
    vt__rpc_put_text(f, key);
    vt__rpc_put_u32(f, 0);
    vt__rpc_put_u32(f, 1);
    vt__rpc_put_u32(f, wait_ms);
    ask(fd, VT_RPC_REQUEST, f);
    return fd;
}

/* Servers are told when a lease is over by its time. One that says that its sessions have ended is free for the next;
 * one that says anything else is no server any more. */
TEST_CASE(leases_that_are_over) {
    static const char why[] = "the lease is over (its time, or the tracker's --lease-seconds)";
    static const char *const keys[] = {"good", "bad"};
    int servers[2], clients[2], next;
    vt_strbuf f;
    vt_strbuf_init(&f, NULL);
    for (int i = 0; i < 2; i++) servers[i] = registered(keys[i], &f);
    for (int i = 0; i < 2; i++) {
        clients[i] = wishing(keys[i], 0, &f);
        answered(clients[i], VT_RPC_REQUEST, VTA_OK, &f);
    }
    for (int i = 0; i < 2; i++) {
        number = 0;
        answered(servers[i], VT_RPC_LEASED, VTA_OK, &f);
        answered(servers[i], VT_RPC_ENDED, VTA_TIMEOUT, &f);
        assert_string_equal(vt_strbuf_text(&f), why);
        vt_strbuf_clear(&f);
        ask(servers[i], i ? VT_RPC_PING : VT_RPC_ENDED, &f);
    }
    char byte;
    assert_int_equal(raw_receive(servers[1], &byte, 1), 0); /* its connection is closed */
    for (int i = 0; i < 2; i++) {
        next = wishing(keys[i], i ? 0 : 10000, &f);
        if (i)
            refused(next, VT_RPC_REQUEST, VTA_NOT_FOUND, "no server of key 'bad' is registered");
        else
            answered(next, VT_RPC_REQUEST, VTA_OK, &f), close(next);
        close(servers[i]), close(clients[i]);
    }
    vt_strbuf_free(&f);
}

/* One place, one registration; a server that comes with a lease is nobody else's until it says so, or the time is up.
 */
TEST_CASE(servers_with_leases) {
    static const char *const keys[] = {"old", "timed"};
    char words[256];
    vt_strbuf f;
    vt_strbuf_init(&f, NULL);
    for (int by_time = 0; by_time < 2; by_time++) {
        int fd = greet(&f), again, next;
        put_server(&f, keys[by_time], "far", 4321 + (uint32_t)by_time);
        vt__rpc_put_u64(&f, by_time ? 100 : UINT64_MAX);
        ask(fd, VT_RPC_LEASED, &f);
        answered(fd, VT_RPC_LEASED, VTA_OK, &f);
        vt_strbuf_clear(&f);
        snprintf(words, sizeof words,
                 "far:%d is registered already, by another connection (two servers need different ports, or a "
                 "--public-host each)",
                 4321 + by_time);
        again = greet(&f);
        put_server(&f, "new", "far", 4321 + (uint32_t)by_time);
        ask(again, VT_RPC_REGISTER, &f);
        refused(again, VT_RPC_REGISTER, VTA_INVALID_ARGUMENT, words);
        if (!by_time) {
            next = wishing(keys[by_time], 0, &f);
            refused(next, VT_RPC_REQUEST, VTA_TIMEOUT,
                    "all servers of key 'old' are taken (`--wait SECONDS` waits for one)");
        } else {
            number = 0;
            answered(fd, VT_RPC_ENDED, VTA_TIMEOUT, &f);
        }
        vt_strbuf_clear(&f);
        ask(fd, VT_RPC_ENDED, &f);
        next = wishing(keys[by_time], 10000, &f);
        answered(next, VT_RPC_REQUEST, VTA_OK, &f);
        close(next);
        close(fd);
        vt_strbuf_clear(&f);
    }
    vt_strbuf_free(&f);
}

static long resident_bytes(pid_t pid) {
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* The longest of frames, again and again: what is kept of them is less than half. */
TEST_CASE(large_frames) {
    enum { FRAMES = 32 };
    vt_strbuf f;
    if (SERVER_SANITIZED) skip(); /* sanitizers keep what was freed */
    long before = resident_bytes(track.pid);
    assert_true(before > 0);
    vt_strbuf_init(&f, NULL);
    for (int i = 0; i < FRAMES; i++) {
        assert_true(vt_reserve(NULL, &f.text, &f.cap, VT_RPC_FRAME_BYTES + 1, 1));
        memset(f.text, 0, VT_RPC_FRAME_BYTES + 1);
        f.size = VT_RPC_FRAME_BYTES;
        refused(begin_with(VT_RPC_HELLO, &f), VT_RPC_HELLO, VTA_UNSUPPORTED,
                "version 0 of the protocol; this tracker speaks version 1");
    }
    vt_strbuf_free(&f);
    assert_true(resident_bytes(track.pid) - before < (long)FRAMES * VT_RPC_FRAME_BYTES / 2);
}

int main(void) { return run_cases_between(begin, end); }
