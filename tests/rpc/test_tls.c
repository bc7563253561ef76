/* Keys: who has one gets in, everybody else is refused and logged. */
#include <poll.h>

#include "rpc/raw.h"
#include "support/diag.h"

static server here;
static char key[96], other[96];

static vta_status connect_with(const char *key_file, uint32_t port, vta_rpc **rpc) {
    const vta_rpc_options options = {.key_file = key_file, .timeout_ms = 60000};
    return vta_rpc_connect("127.0.0.1", port, &options, NULL, diag, rpc);
}

TEST_CASE(with_the_key) {
    enum { BYTES = 10 << 20 };
    vta_rpc *rpc;
    uint64_t array;
    int64_t shape = BYTES;
    char *x = malloc(BYTES), *y = malloc(BYTES);
    for (int i = 0; i < BYTES; i++) x[i] = (char)(i * 31 + i / 7000);
    must(connect_with(key, here.port, &rpc));
    must(vta_rpc_array(rpc, kDLCPU, 1, &shape, (DLDataType){kDLInt, 8, 1}, diag, &array));
    must(vta_rpc_write(rpc, array, 0, x, BYTES, diag));
    must(vta_rpc_read(rpc, array, 0, y, BYTES, diag));
    assert_memory_equal(x, y, BYTES);
    free(x);
    free(y);
    vta_rpc_close(rpc);
}

/* In a call that never ends. */
static void vanish_in_a_call(void) {
    size_t size;
    const char *object = kernels_object(&size);
    pid_t pid = fork();
    if (pid == 0) {
        vta_rpc *rpc;
        uint64_t module, f;
        if (connect_with(key, here.port, &rpc) != VTA_OK || vta_rpc_upload(rpc, "k.o", object, size, diag) != VTA_OK ||
            vta_rpc_load_module(rpc, "k.o", diag, &module, NULL) != VTA_OK ||
            vta_rpc_function(rpc, module, "hang", diag, &f, NULL) != VTA_OK)
            _exit(1);
        vta_rpc_call(rpc, f, NULL, NULL, 0, diag, NULL, NULL);
        _exit(1);
    }
    usleep(200000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Killed in a call, and while the server has more for them than the system takes: their sessions are ended soon. */
TEST_CASE(clients_that_vanish) {
    enum { BYTES = 10 << 20, CLIENTS = 8 };
    vanish_in_a_call();
    for (int i = 0; i < CLIENTS; i++) {
        int ready[2];
        char byte = 0;
        assert_int_equal(pipe(ready), 0);
        pid_t pid = fork();
        if (pid == 0) {
            vta_rpc *rpc;
            uint64_t array;
            int64_t shape = BYTES;
            char *to = malloc(BYTES);
            if (connect_with(key, here.port, &rpc) != VTA_OK ||
                vta_rpc_array(rpc, kDLCPU, 1, &shape, (DLDataType){kDLInt, 8, 1}, diag, &array) != VTA_OK ||
                write(ready[1], &byte, 1) != 1)
                _exit(1);
            while (vta_rpc_read(rpc, array, 0, to, BYTES, diag) == VTA_OK) continue;
            _exit(1);
        }
        close(ready[1]);
        assert_int_equal(read(ready[0], &byte, 1), 1);
        usleep(3000 * (unsigned)i);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        close(ready[0]);
    }
    server_settles(&here);
    assert_non_null(strstr(server_log(&here), ": the client is gone\n"));
}

/* The reason of an end comes encrypted, too. */
TEST_CASE(a_session_that_crashes) {
    vta_rpc *rpc;
    uint64_t module, f;
    size_t size;
    const char *object = kernels_object(&size);
    if (SERVER_SANITIZED) skip();
    must(connect_with(key, here.port, &rpc));
    must(vta_rpc_upload(rpc, "k.o", object, size, diag));
    must(vta_rpc_load_module(rpc, "k.o", diag, &module, NULL));
    must(vta_rpc_function(rpc, module, "crash", diag, &f, NULL));
    refused(vta_rpc_call(rpc, f, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL, "ended by signal 11");
    vta_rpc_close(rpc);
}

TEST_CASE(without_the_key) {
    vta_rpc *rpc;
    refused(connect_with(other, here.port, &rpc), VTA_INVALID_ARGUMENT, "the server has another key");
    assert_null(rpc);
    refused(connect_with(NULL, here.port, &rpc), VTA_INVALID_ARGUMENT, "this server was started with a key file");
    int fd = raw_connect(here.port);
    uint8_t answer[64];
    raw_send(fd, "\x71\xf2\x0f\0\x07\0\0\0client:", 15); /* TVM's */
    size_t n = raw_receive(fd, answer, sizeof answer);
    assert_true(n < 4 || memcmp(answer, "\x71\xf2\x0f\0", 4)); /* an alert of TLS at most */
    close(fd);
    server_settles(&here);
    assert_non_null(strstr(server_log(&here), "refused: the client has another key"));
    assert_non_null(strstr(server_log(&here), "refused: this server was started with a key file"));
    assert_non_null(strstr(server_log(&here), "refused: the client does not speak TLS"));
}

/* A tracker says the same as a server. */
TEST_CASE(trackers) {
    server track;
    char *text;
    vta_rpc_options o = {.timeout_ms = 60000};
    server_start_on(&track, "rpc-tracker", "0", "--key-file", key, NULL);
    refused(vta_rpc_tracker_summary("127.0.0.1", track.port, &o, diag, &text), VTA_INVALID_ARGUMENT,
            "this server was started with a key file");
    o.key_file = other;
    refused(vta_rpc_tracker_summary("127.0.0.1", track.port, &o, diag, &text), VTA_INVALID_ARGUMENT,
            "the server has another key");
    int fd = raw_connect(track.port);
    raw_send(fd, "\x16\x03\x01\x02", 4); /* the beginning of a handshake */
    shutdown(fd, SHUT_WR);
    char rest[64];
    raw_receive(fd, rest, sizeof rest);
    close(fd);
    o.key_file = key;
    must(vta_rpc_tracker_summary("127.0.0.1", track.port, &o, diag, &text));
    assert_non_null(strstr(text, "\"servers\": []"));
    vta_string_free(text);
    const char *log = server_log(&track);
    assert_non_null(strstr(log, ": the client has another key"));
    assert_non_null(strstr(log, ": this server was started with a key file"));
    assert_non_null(strstr(log, ": the client left during the TLS handshake"));
    server_stop(&track);
}

/* Who has not shown the key takes no session from those who have it. */
TEST_CASE(full) {
    enum { SILENT = 20 };
    int fds[SILENT];
    server small, open;
    vta_rpc *a, *b;
    server_start(&small, "--key-file", key, "--sessions", "1", NULL);
    for (int i = 0; i < SILENT; i++) fds[i] = raw_connect(small.port);
    must(connect_with(key, small.port, &a));
    refused(connect_with(key, small.port, &b), VTA_NO_MEMORY, "all 1 sessions of this server are taken");
    must(vta_rpc_ping(a, diag));
    vta_rpc_close(a);
    for (int i = 0; i < SILENT; i++) close(fds[i]);
    server_settles(&small);
    must(connect_with(key, small.port, &a));
    vta_rpc_close(a);
    server_settles(&small);
    server_stop(&small);
    server_start(&open, NULL);
    refused(connect_with(key, open.port, &a), VTA_INVALID_ARGUMENT, "or it was started without a key file");
    server_settles(&open);
    server_stop(&open);
}

/* More than so many handshakes at once are refused; those that go on do. */
TEST_CASE(many_handshakes) {
    enum { MAX = 32, MORE = 8 };
    int fds[MAX + MORE];
    char byte;
    server busy;
    vta_rpc *rpc;
    server_start(&busy, "--key-file", key, NULL);
    for (int i = 0; i < MAX; i++) fds[i] = raw_connect(busy.port);
    must(connect_with(key, busy.port, &rpc)); /* who has the key is served all the same, again and again */
    for (int i = MAX; i < MAX + MORE; i++) {
        vta_rpc *one;
        fds[i] = raw_connect(busy.port);
        must(connect_with(key, busy.port, &one));
        vta_rpc_close(one);
    }
    for (int i = 0; i < MORE; i++) assert_int_equal(raw_receive(fds[i], &byte, 1), 0); /* the oldest had to go */
    assert_non_null(strstr(server_log(&busy), "refused: 32 younger ones of its address are in the TLS handshake"));
    must(vta_rpc_ping(rpc, diag));
    vta_rpc_close(rpc);
    for (int i = 0; i < MAX + MORE; i++) close(fds[i]);
    server_settles(&busy);
    server_stop(&busy);
}

/* Everything that a client with the key has sent, once more: the server's part of the keys is another one. */
TEST_CASE(replay) {
    static uint8_t said[1 << 16], back[1 << 16];
    size_t size = 0;
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t length = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    getsockname(listener, (struct sockaddr *)&at, &length);
    pid_t client = fork();
    if (client == 0) {
        vta_rpc *rpc;
        _exit(connect_with(key, ntohs(at.sin_port), &rpc) != VTA_OK || vta_rpc_ping(rpc, diag) != VTA_OK);
    }
    int a = accept(listener, NULL, NULL), b = raw_connect(here.port), state_of_client;
    for (bool open = true; open;) {
        struct pollfd p[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
        assert_true(poll(p, 2, 60000) > 0);
        ssize_t n = p[0].revents ? recv(a, said + size, sizeof said - size, 0) : 0;
        if (n > 0) raw_send(b, said + size, (size_t)n), size += (size_t)n;
        ssize_t m = p[1].revents ? recv(b, back, sizeof back, 0) : 0;
        if (m > 0) raw_send(a, back, (size_t)m);
        open = !(p[0].revents && n <= 0) && !(p[1].revents && m <= 0);
    }
    waitpid(client, &state_of_client, 0);
    assert_int_equal(state_of_client, 0);
    close(a);
    close(b);
    close(listener);
    server_settles(&here);
    const char *before = server_log(&here);
    int sessions = 0, again = 0;
    for (const char *s = before; (s = strstr(s, "begins")); s++) sessions++;
    int fd = raw_connect(here.port);
    raw_send(fd, said, size);
    shutdown(fd, SHUT_WR);
    raw_receive(fd, back, sizeof back);
    close(fd);
    server_settles(&here);
    for (const char *s = server_log(&here); (s = strstr(s, "begins")); s++) again++;
    assert_int_equal(again, sessions); /* nothing of it reached a session */
}

static uint32_t number_at(const uint8_t *p) { return (uint32_t)p[0] << 8 | p[1]; }

/* The first record of a client, whose listener says nothing. */
static size_t first_record(uint8_t *to, size_t room) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t length = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    getsockname(listener, (struct sockaddr *)&at, &length);
    pid_t client = fork();
    if (client == 0) {
        vta_rpc *rpc;
        _exit(connect_with(key, ntohs(at.sin_port), &rpc));
    }
    int fd = accept(listener, NULL, NULL);
    assert_int_equal(raw_receive(fd, to, 5), 5);
    size_t size = number_at(to + 3);
    assert_true(size + 5 <= room);
    assert_int_equal(raw_receive(fd, to + 5, size), size);
    kill(client, SIGKILL);
    waitpid(client, NULL, 0);
    close(fd);
    close(listener);
    return size + 5;
}

/* What a client offers is TLS 1.3 with this cipher, and the key with a Diffie-Hellman exchange; no early data. */
TEST_CASE(handshake) {
    enum { EARLY_DATA = 42, VERSIONS = 43, KEY_MODES = 45, KEY_SHARE = 51, PRE_SHARED_KEY = 41 };
    uint8_t hello[4096];
    const uint8_t *end = hello + first_record(hello, sizeof hello), *p = hello + 5 + 4 + 2 + 32;
    uint64_t has = 0;
    assert_int_equal(hello[0], 22); /* of the handshake */
    assert_int_equal(hello[5], 1);  /* ClientHello */
    p += 1 + p[0];
    uint32_t suites = number_at(p); /* TLS_AES_128_GCM_SHA256, and 00ff, which is none but a signal */
    for (p += 2; suites > 0; p += 2, suites -= 2) assert_true(number_at(p) == 0x1301 || number_at(p) == 0xff);
    p += 1 + p[0];
    assert_ptr_equal(p + 2 + number_at(p), end);
    for (p += 2; p < end; p += 4 + number_at(p + 2)) {
        if (number_at(p) < 64) has |= (uint64_t)1 << number_at(p);
        if (number_at(p) == VERSIONS) assert_memory_equal(p + 2, "\0\3\2\3\4", 5);
        if (number_at(p) == KEY_MODES) assert_memory_equal(p + 2, "\0\2\1\1", 4); /* psk_dhe_ke */
    }
    const uint64_t needs = 1ull << VERSIONS | 1ull << KEY_MODES | 1ull << KEY_SHARE | 1ull << PRE_SHARED_KEY;
    assert_int_equal(has & needs, needs);
    assert_false(has >> EARLY_DATA & 1);
}

/* A bit that was turned on the way. */
TEST_CASE(tampering) {
    uint8_t bytes[600] = {0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3};
    uint8_t answer[256];
    int fd = raw_connect(here.port);
    raw_send(fd, bytes, sizeof bytes);
    shutdown(fd, SHUT_WR);
    raw_receive(fd, answer, sizeof answer);
    close(fd);
    fd = raw_connect(here.port); /* says nothing: ended after --patience-ms */
    assert_int_equal(raw_receive(fd, answer, sizeof answer), 0);
    close(fd);
    server_settles(&here);
    assert_non_null(strstr(server_log(&here), "no TLS handshake in time"));
}

TEST_CASE(key_files) {
    vta_rpc *rpc;
    char bad[128], command[512];
    refused(vta_rpc_new_key(key, diag), VTA_IO, "cannot be made"); /* never over one that exists */
    refused(connect_with("/no/such/key", here.port, &rpc), VTA_NOT_FOUND, "vta rpc new-key");
    snprintf(bad, sizeof bad, "%s.bad", key);
    snprintf(command, sizeof command, "cp %s %s && chmod 644 %s", key, bad, bad);
    assert_int_equal(system(command), 0);
    refused(connect_with(bad, here.port, &rpc), VTA_INVALID_ARGUMENT, "chmod 600");
    static const char *const wrong[] = {"", "12", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeg",
                                        "0123456789abcdef 0123456789abcdef"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FILE *f = fopen(bad, "w");
        fputs(wrong[i], f);
        fclose(f);
        chmod(bad, 0600);
        refused(connect_with(bad, here.port, &rpc), VTA_PARSE, "hexadecimal");
    }
    /* Every digit counts, the last one too. */
    char digits[66] = "";
    FILE *f = fopen(key, "r");
    assert_non_null(fgets(digits, sizeof digits, f));
    fclose(f);
    digits[63] = digits[63] == '0' ? '1' : '0';
    f = fopen(bad, "w");
    fputs(digits, f);
    fclose(f);
    refused(connect_with(bad, here.port, &rpc), VTA_INVALID_ARGUMENT, "the server has another key");
    unlink(bad);
}

/* Others than this machine need a key. */
TEST_CASE(addresses) {
    vta_rpc_server_options o = {.host = "0.0.0.0", .session_program = VT_BINARY_DIR "/vta-session"};
    refused(vta_rpc_serve(&o, diag), VTA_INVALID_ARGUMENT, "it needs --key-file");
    int files = server_count("/proc/self/fd"); /* libuv keeps two */
    o.host = "::";
    refused(vta_rpc_serve(&o, diag), VTA_INVALID_ARGUMENT, "it needs --key-file");
    o.host = "example.org";
    refused(vta_rpc_serve(&o, diag), VTA_INVALID_ARGUMENT, "must be an address");
    o.host = NULL;
    o.session_program = "/no/such/program";
    refused(vta_rpc_serve(&o, diag), VTA_NOT_FOUND, "no program that can be run");
    assert_int_equal(server_count("/proc/self/fd"), files);
    server all;
    vta_rpc *rpc;
    server_start(&all, "--host", "0.0.0.0", "--key-file", key, NULL);
    must(connect_with(key, all.port, &rpc));
    vta_rpc_close(rpc);
    server_settles(&all);
    server_stop(&all);
}

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    snprintf(key, sizeof key, "/tmp/vta-rpc-key-%d", (int)getpid());
    snprintf(other, sizeof other, "/tmp/vta-rpc-key-%d.other", (int)getpid());
    if (vta_rpc_new_key(key, diag) != VTA_OK || vta_rpc_new_key(other, diag) != VTA_OK) return -1;
    server_start(&here, "--key-file", key, "--patience-ms", "3000", NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    server_settles(&here);
    server_stop(&here);
    unlink(key);
    unlink(other);
    vta_diag_destroy(diag);
    return 0;
}

int main(void) { return run_cases_between(begin, end); }
