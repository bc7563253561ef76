/* A tracker and a server in the test's own process, where memory that they lose is found (CMakeLists.txt). */
#include <pthread.h>

#include "rpc/raw.h"
#include "support/diag.h"

typedef struct life {
    pthread_t thread;
    vta_rpc_tracker_options tracker;
    vta_rpc_server_options server;
    int ready[2]; /* gets the port */
    char *said;   /* what it logged */
    size_t size;
    vta_status status;
} life;

static char key[64], other[64];

static void on_ready(void *ctx, uint32_t port) {
    const life *l = ctx;
    if (write(l->ready[1], &port, sizeof port) != sizeof port) abort();
}

static void on_line(void *ctx, const char *text, size_t size) {
    life *l = ctx;
    l->said = realloc(l->said, l->size + size + 1);
    memcpy(l->said + l->size, text, size);
    l->said[l->size += size] = '\0';
}

static void *track(void *arg) {
    life *l = arg;
    l->status = vta_rpc_track(&l->tracker, NULL);
    return NULL;
}

static void *serve(void *arg) {
    life *l = arg;
    l->status = vta_rpc_serve(&l->server, NULL);
    return NULL;
}

static uint32_t begin(life *l, void *(*run)(void *)) {
    uint32_t port = 0;
    assert_int_equal(pipe(l->ready), 0);
    l->tracker.log = l->server.log = (vta_sink){on_line, l};
    l->tracker.ready = l->server.ready = on_ready;
    l->tracker.ready_ctx = l->server.ready_ctx = l;
    assert_int_equal(pthread_create(&l->thread, NULL, run, l), 0);
    assert_int_equal(read(l->ready[0], &port, sizeof port), sizeof port);
    return port;
}

/* Waits for its end and looks for what it has said. */
static void end(life *l, size_t count, const char *const *words) {
    pthread_join(l->thread, NULL);
    assert_int_equal(l->status, VTA_OK);
    for (size_t i = 0; i < count; i++) assert_contains(l->said, words[i]);
    free(l->said);
    close(l->ready[0]);
    close(l->ready[1]);
}

/* Sends bytes and nothing more, and waits until the other side has closed. */
static void send_raw(uint32_t port, const char *bytes, size_t size) {
    char sink[256];
    int fd = raw_connect(port);
    raw_send(fd, bytes, size);
    shutdown(fd, SHUT_WR);
    while (raw_receive(fd, sink, sizeof sink) == sizeof sink) continue;
    close(fd);
}

/* Clients that do not know the protocol, go away in the middle of it, or begin with another message than HELLO. */
static void strangers(uint32_t port) {
    static const char early[8 + 16] = "VTA-RPC\n";
    send_raw(port, "", 0);
    send_raw(port, "GET / HTTP/1.1\r\n\r\n", 18);
    send_raw(port, early, 8);
    send_raw(port, early, 12);
    send_raw(port, early, sizeof early);
    send_raw(port, "\x16\x03\x01\0\x04\xff\0\0\0", 9); /* TLS, of a kind */
}

static vta_status take(const char *place, const char *key_file, const char *name, vta_rpc **rpc) {
    const vta_rpc_options o = {.tracker = place, .key_file = key_file, .key = name, .timeout_ms = 10000};
    return vta_rpc_connect(NULL, 0, &o, NULL, diag, rpc);
}

static vta_status summarize(uint32_t port, const char *key_file, const char *words) {
    char *text;
    const vta_rpc_options o = {.key_file = key_file, .timeout_ms = 10000};
    vta_status status = vta_rpc_tracker_summary("127.0.0.1", port, &o, diag, &text);
    if (status != VTA_OK) return status;
    bool has = strstr(text, words);
    vta_string_free(text);
    return has ? VTA_OK : VTA_NOT_FOUND;
}

/* Waits until the summary has it. */
static void expect(uint32_t port, const char *key_file, const char *words) {
    vta_status status = VTA_NOT_FOUND;
    for (int i = 0; i < 600 && status == VTA_NOT_FOUND; i++) {
        status = summarize(port, key_file, words);
        if (status == VTA_NOT_FOUND) usleep(100000);
    }
    must(status);
}

/* A session with what clients do in one, the tracker's refusals of a second one beside it. */
static void session(const char *place, const char *key_file) {
    vta_rpc *rpc, *none;
    uint64_t array;
    enum { BYTES = 8 << 20 }; /* more than a socket takes at once */
    const int64_t shape = BYTES;
    char *bytes = calloc(BYTES, 1);
    must(take(place, key_file, "board", &rpc));
    refused(take(place, key_file, "board", &none), VTA_TIMEOUT, "all servers of key 'board' are taken");
    refused(take(place, key_file, "chair", &none), VTA_NOT_FOUND, "no server of key 'chair'");
    must(vta_rpc_ping(rpc, diag));
    must(vta_rpc_array(rpc, kDLCPU, 1, &shape, (DLDataType){kDLInt, 8, 1}, diag, &array));
    must(vta_rpc_write(rpc, array, 0, bytes, BYTES, diag));
    must(vta_rpc_read(rpc, array, 0, bytes, BYTES, diag));
    refused(vta_rpc_write(rpc, array, 1, bytes, BYTES, diag), VTA_OUT_OF_RANGE, "");
    vta_rpc_close(rpc);
    free(bytes);
}

static void live(const char *key_file) {
    static const char *const tracked[] = {"of key 'board' registers", "has 127.0.0.1:", "is given back",
                                          "another protocol"};
    static const char *const served[] = {"listening on 127.0.0.1:", "session"};
    char place[64];
    vta_rpc *rpc;
    life tracking = {.tracker = {.key_file = key_file}};
    life serving = {.server = {.key_file = key_file,
                               .tracker = place,
                               .name = "board",
                               .config = VT_SOURCE_DIR "/configs/sim.json",
                               .session_program = VT_BINARY_DIR "/vta-session",
                               .memory_bytes = SERVER_SANITIZED ? UINT64_MAX : 0,
                               .allow_shutdown = true}};
    uint32_t at = begin(&tracking, track), port;
    snprintf(place, sizeof place, "127.0.0.1:%u", at);
    port = begin(&serving, serve);
    expect(at, key_file, "\"free\": true");
    session(place, key_file);
    expect(at, key_file, "\"free\": true");
    strangers(at);
    strangers(port);
    if (key_file) {
        refused(summarize(at, NULL, ""), VTA_INVALID_ARGUMENT, "key");
        refused(summarize(at, other, ""), VTA_INVALID_ARGUMENT, "key");
        refused(vta_rpc_connect("127.0.0.1", port, NULL, NULL, diag, &rpc), VTA_INVALID_ARGUMENT, "key");
    }
    const vta_rpc_options o = {.key_file = key_file};
    must(vta_rpc_connect("127.0.0.1", port, &o, NULL, diag, &rpc));
    must(vta_rpc_shutdown(rpc, diag));
    vta_rpc_close(rpc);
    end(&serving, sizeof served / sizeof *served, served);
    pthread_kill(tracking.thread, SIGTERM);
    end(&tracking, sizeof tracked / sizeof *tracked - (key_file != NULL), tracked);
}

static void in_the_clear(void **state) {
    (void)state;
    live(NULL);
}

static void with_a_key(void **state) {
    (void)state;
    snprintf(key, sizeof key, "/tmp/vta-rpc-inside-%d-a", (int)getpid());
    snprintf(other, sizeof other, "/tmp/vta-rpc-inside-%d-b", (int)getpid());
    must(vta_rpc_new_key(key, diag));
    must(vta_rpc_new_key(other, diag));
    live(key);
    unlink(key);
    unlink(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_the_clear, diag_begin, diag_end),
        cmocka_unit_test_setup_teardown(with_a_key, diag_begin, diag_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
