/* Both sides of a TLS connection on sockets, in one process: how a handshake ends, what reading and writing tell, and
 * that the trouble of one connection is not another's. */
#include <errno.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/stream.h"
#include "rpc/tls.h"
#include "support/diag.h"

typedef struct side {
    struct ssl_ctx_st *context;
    struct ssl_st *tls;
    int fd;
    uint64_t deadline;
    vta_diag *diag;
    vta_status status;
} side;

static side client, server;

static void open_side(side *s, bool serves, uint8_t key, int fd) {
    vt_rpc_key k = {.size = 32};
    memset(k.bytes, key, k.size);
    *s = (side){.fd = fd, .deadline = vt__rpc_deadline(10000, 0), .diag = vta_diag_create(NULL)};
    must(vt__tls_context(&k, serves, diag, &s->context));
}

static void open_sides(uint8_t key_of_client, uint8_t key_of_server) {
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    open_side(&client, false, key_of_client, ends[0]);
    open_side(&server, true, key_of_server, ends[1]);
}

static void close_side(side *s) {
    vt_rpc_stream stream = {.fd = s->fd, .tls = s->tls};
    vt__rpc_close(&stream);
    assert_true(stream.fd == -1 && !stream.tls);
    vt__tls_context_free(s->context);
    vta_diag_destroy(s->diag);
}

static void close_sides(void) { close_side(&client), close_side(&server); }

static void *connect_client(void *arg) {
    side *s = arg;
    s->status = vt__tls_connect(s->context, s->fd, s->deadline, "board:9091", s->diag, &s->tls);
    return NULL;
}

static void serve(void) {
    server.status = vt__tls_serve(server.context, server.fd, server.deadline, server.diag, &server.tls);
}

static void shake_hands(void) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, connect_client, &client), 0);
    serve();
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* This side has no connection, and says just this. */
static void has_failed(const side *s, vta_status status, const char *words) {
    assert_string_equal(vta_diag_text(s->diag), words);
    assert_int_equal(s->status, status);
    assert_null(s->tls);
}

static void connected(void) {
    open_sides(1, 1);
    shake_hands();
    if (client.status != VTA_OK || server.status != VTA_OK)
        fail_msg("%s; %s", vta_diag_text(client.diag), vta_diag_text(server.diag));
}

/* ---- Handshakes -------------------------------------------------------------------------------------------------- */

static void other_keys(void **state) {
    (void)state;
    open_sides(1, 2);
    shake_hands();
    has_failed(&client, VTA_INVALID_ARGUMENT,
               "error: board:9091: the server has another key: both sides need the same key file");
    has_failed(&server, VTA_INVALID_ARGUMENT, "error: the client has another key");
    close_sides();
}

/* A side whose deadline has passed, with nobody who answers. */
static void silence(void **state) {
    (void)state;
    open_sides(1, 1);
    client.deadline = server.deadline = vt__rpc_deadline(30, 0);
    connect_client(&client);
    has_failed(&client, VTA_TIMEOUT, "error: board:9091: no TLS handshake in time");
    close_sides();
    open_sides(1, 1);
    server.deadline = vt__rpc_deadline(30, 0);
    serve();
    has_failed(&server, VTA_TIMEOUT, "error: the client: no TLS handshake in time");
    close_sides();
}

static void reads(side *s, ssize_t expected) {
    char bytes[256];
    short wait = 0;
    ssize_t n = vt__tls_read(s->tls, bytes, sizeof bytes, &wait);
    if (n != expected) fail_msg("%zd, not %zd: %s", n, expected, strerror(errno));
    assert_int_equal(wait, n == -1 ? POLLIN : 0);
}

/* What else comes instead of a handshake; NULL: the other side leaves. */
static void strangers(void **state) {
    (void)state;
    static const struct {
        const char *sent, *to_client, *to_server;
    } cases[] = {
        {NULL,
         "error: board:9091: the server closed the connection at our TLS handshake: it is busy (try again), or it was "
         "started without a key file",
         "error: the client left during the TLS handshake"},
        {"hello, who is there?", "error: board:9091: the server does not speak TLS: was it started without a key file?",
         "error: the client does not speak TLS: was it started without the key file?"},
    };
    connected();
    side kept[] = {client, server};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int serves = 0; serves < 2; serves++) {
            open_sides(1, 1);
            side *here = serves ? &server : &client, *there = serves ? &client : &server;
            if (cases[i].sent) assert_true(write(there->fd, cases[i].sent, strlen(cases[i].sent)) > 0);
            shutdown(there->fd, SHUT_WR);
            if (serves)
                serve();
            else
                connect_client(&client);
            has_failed(here, VTA_INVALID_ARGUMENT, serves ? cases[i].to_server : cases[i].to_client);
            reads(&kept[1], -1); /* another connection goes on */
            close_sides();
        }
    client = kept[0], server = kept[1];
    close_sides();
}

/* Who has a certificate, and not the key: the client does not go on, whatever the certificate says. */
static void a_certificate(void **state) {
    (void)state;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *paper = X509_new();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    X509_gmtime_adj(X509_getm_notBefore(paper), 0);
    X509_gmtime_adj(X509_getm_notAfter(paper), 3600);
    X509_set_pubkey(paper, key);
    assert_true(X509_sign(paper, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(context, paper), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(context, key), 1);
    open_sides(1, 1);
    vt__tls_context_free(server.context);
    server.context = context;
    shake_hands();
    has_failed(&client, VTA_INVALID_ARGUMENT,
               "error: board:9091: what answers shows a certificate and not the key: is it a vta rpc-server?");
    assert_int_equal(server.status, VTA_INVALID_ARGUMENT);
    close_sides();
    X509_free(paper);
    EVP_PKEY_free(key);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static bool sigpipe_is_held(void) {
    sigset_t held;
    return pthread_sigmask(SIG_BLOCK, NULL, &held) == 0 && sigismember(&held, SIGPIPE);
}

/* Both ways, in parts; what was read from the socket and not asked for is known. */
static void bytes(void **state) {
    (void)state;
    char got[64];
    short wait = 0;
    connected();
    for (int way = 0; way < 2; way++) {
        side *from = way ? &server : &client, *to = way ? &client : &server;
        reads(to, -1);
        assert_false(vt__tls_pending(to->tls));
        assert_int_equal(vt__tls_write(from->tls, "0123456789", 10, &wait), 10);
        assert_int_equal(vt__tls_read(to->tls, got, 4, &wait), 4);
        assert_true(vt__tls_pending(to->tls));
        assert_int_equal(vt__tls_read(to->tls, got + 4, 60, &wait), 6);
        assert_memory_equal(got, "0123456789", 10);
        assert_false(vt__tls_pending(to->tls));
        reads(to, -1);
        assert_int_equal(vt__tls_write(from->tls, "!", 1, &wait), 1);
        reads(to, 1);
        assert_false(sigpipe_is_held());
    }
    vt__tls_bye(client.tls);
    assert_false(sigpipe_is_held());
    close_sides();
}

/* Nobody reads: it says when to try again, and every byte arrives once. */
static void full(void **state) {
    (void)state;
    static uint8_t block[10000], got[10000];
    size_t sent = 0, come = 0;
    short wait = 0;
    ssize_t n;
    connected();
    for (size_t i = 0; i < sizeof block; i++) block[i] = (uint8_t)(i * 7 + i / 256);
    while ((n = vt__tls_write(client.tls, block + sent % sizeof block, sizeof block - sent % sizeof block, &wait)) > 0)
        sent += (size_t)n;
    assert_int_equal(n, -1);
    assert_int_equal(wait, POLLOUT);
    while ((n = vt__tls_read(server.tls, got, sizeof got, &wait)) > 0)
        for (ssize_t i = 0; i < n; i++, come++) assert_int_equal(got[i], block[come % sizeof block]);
    assert_int_equal(n, -1);
    assert_true(sent > sizeof block && come >= sent);
    close_sides();
}

/* ---- Ends -------------------------------------------------------------------------------------------------------- */

/* A good bye is the end of what comes, in its order. */
static void good_bye(void **state) {
    (void)state;
    short wait;
    connected();
    assert_int_equal(vt__tls_write(client.tls, "last", 4, &wait), 4);
    vt__tls_bye(client.tls);
    reads(&server, 4);
    reads(&server, 0);
    reads(&server, 0);
    close_sides();
}

/* Without one: whoever cuts the line could do that. A write to nobody is an error, and no signal. */
static void cut_off(void **state) {
    (void)state;
    short wait;
    connected();
    shutdown(client.fd, SHUT_WR);
    reads(&server, -2);
    assert_int_equal(errno, EPROTO);
    close_sides();
    connected();
    close(client.fd);
    client.fd = -1;
    errno = 0;
    assert_int_equal(vt__tls_write(server.tls, "anybody?", 8, &wait), -2);
    assert_int_equal(errno, EPIPE);
    close_sides();
    connected();
    assert_int_equal(vt__tls_write(server.tls, "unread", 6, &wait), 6);
    close(client.fd);
    client.fd = -1;
    reads(&server, -2);
    assert_int_equal(errno, ECONNRESET);
    close_sides();
}

/* A record that nobody with the key has made; the connection beside it goes on. */
static void tampering(void **state) {
    (void)state;
    static const char record[] = "\x17\x03\x03\0\x20"
                                 "0123456789abcdef0123456789abcdef";
    short wait;
    connected();
    side kept[] = {client, server};
    connected();
    assert_int_equal(write(client.fd, record, sizeof record - 1), sizeof record - 1);
    reads(&server, -2);
    assert_int_equal(errno, EPROTO);
    reads(&kept[1], -1);
    vt__tls_bye(server.tls);
    reads(&kept[1], -1);
    assert_int_equal(vt__tls_write(kept[0].tls, "on", 2, &wait), 2);
    reads(&kept[1], 2);
    close_sides();
    client = kept[0], server = kept[1];
    close_sides();
}

#define TEST(name) cmocka_unit_test(name)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(other_keys),    TEST(silence), TEST(strangers),
                                       TEST(a_certificate), TEST(bytes),   TEST(full),
                                       TEST(good_bye),      TEST(cut_off), TEST(tampering)};
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
