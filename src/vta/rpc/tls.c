#include "rpc/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <string.h>

#include "rpc/sigpipe.h"
#include "rpc/stream.h"

#define IDENTITY "vta-rpc"
enum { READ_BYTES = 1 << 18 };

/* TLS_AES_128_GCM_SHA256, whose hash a key from outside goes with. */
static const unsigned char cipher_id[] = {0x13, 0x01};

/* Why a handshake failed, in words that say what to do about it. */
static const struct {
    bool server; /* who sees it */
    int reason;  /* OpenSSL's */
    const char *words;
} reasons[] = {
#define VT_TLS_REASON(side, name, text) {side, SSL_R_##name, text},
#include "rpc/tls_reasons.def"
#undef VT_TLS_REASON
};

static const char *words_for(bool server, int reason) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].server == server && reasons[i].reason == reason) return reasons[i].words;
    return NULL;
}

/* `peer`: put before the message, unless it is NULL. */
static vta_status refused(vta_diag *diag, bool server, const char *peer) {
    unsigned long code = ERR_get_error();
    int reason = code ? ERR_GET_REASON(code) : SSL_R_UNEXPECTED_EOF_WHILE_READING;
    const char *words = words_for(server, reason), *theirs = ERR_reason_error_string(code);
    const char *begin = peer ? peer : "", *colon = peer ? ": " : "";
    ERR_clear_error();
    if (words) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s%s%s", begin, colon, words);
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s%sthe TLS handshake failed (%s)", begin, colon,
                   theirs ? theirs : "no reason given");
}

/* ---- The key ----------------------------------------------------------------------------------------------------- */

static SSL_SESSION *key_session(SSL *tls) {
    const vt_rpc_key *key = SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls));
    const SSL_CIPHER *cipher = SSL_CIPHER_find(tls, cipher_id);
    SSL_SESSION *session = key && cipher ? SSL_SESSION_new() : NULL;
    if (session && SSL_SESSION_set1_master_key(session, key->bytes, key->size) &&
        SSL_SESSION_set_cipher(session, cipher) && SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

static int client_key(SSL *tls, const EVP_MD *md, const unsigned char **id, size_t *id_size, SSL_SESSION **session) {
    (void)md;
    *session = key_session(tls);
    *id = (const unsigned char *)IDENTITY;
    *id_size = strlen(IDENTITY);
    return *session != NULL;
}

static int server_key(SSL *tls, const unsigned char *id, size_t id_size, SSL_SESSION **session) {
    bool ours = id_size == strlen(IDENTITY) && memcmp(id, IDENTITY, id_size) == 0;
    *session = ours ? key_session(tls) : NULL;
    return 1; /* without a session the handshake fails: there is no certificate to go on with */
}

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

/* TLS 1.3 alone, with ephemeral keys (what was recorded stays secret when the key leaks later), nothing resumed, no
 * early data: nothing can be replayed. */
static bool set_up(SSL_CTX *context, bool server) {
    if (!SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) ||
        !SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256"))
        return false;
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(context, 1); /* many records with one call of the system */
    SSL_CTX_set_default_read_buffer_len(context, READ_BYTES);
    SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
    if (server) {
        SSL_CTX_set_psk_find_session_callback(context, server_key);
        return SSL_CTX_set_num_tickets(context, 0);
    }
    SSL_CTX_set_psk_use_session_callback(context, client_key);
    /* Not to go on with a server that shows a certificate instead of the key. */
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return true;
}

vta_status vt__tls_context(const vt_rpc_key *key, bool server, vta_diag *diag, SSL_CTX **out_context) {
    SSL_CTX *context = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
    vt_rpc_key *own = OPENSSL_memdup(key, sizeof *key);
    *out_context = context;
    if (context && own && SSL_CTX_set_app_data(context, own) && set_up(context, server)) return VTA_OK;
    if (!context || SSL_CTX_get_app_data(context) != own) OPENSSL_clear_free(own, sizeof *own);
    vt__tls_context_free(context);
    *out_context = NULL;
    ERR_clear_error();
    return vt_fail(diag, VTA_NO_MEMORY,
                   "OpenSSL cannot make a TLS context: out of memory, or its settings forbid TLS 1.3");
}

void vt__tls_context_free(SSL_CTX *context) {
    if (!context) return;
    OPENSSL_clear_free(SSL_CTX_get_app_data(context), sizeof(vt_rpc_key));
    SSL_CTX_free(context);
}

/* ---- On a socket ------------------------------------------------------------------------------------------------- */

static vta_status wait_until(int fd, short what, uint64_t deadline, const char *peer, vta_diag *diag) {
    uint64_t now = vt__rpc_now();
    if (deadline && now >= deadline)
        return vt_fail(diag, VTA_TIMEOUT, "%s: no TLS handshake in time", peer ? peer : "the client");
    struct pollfd p = {.fd = fd, .events = what};
    poll(&p, 1, deadline && deadline - now < 1000 ? (int)(deadline - now) : 1000);
    return VTA_OK;
}

static vta_status shake_hands(SSL *tls, int fd, uint64_t deadline, const char *peer, vta_diag *diag) {
    for (;;) {
        vt_sigpipe held = vt__sigpipe_hold();
        int n = SSL_do_handshake(tls);
        vt__sigpipe_release(&held);
        if (n == 1 && SSL_session_reused(tls)) return VTA_OK;
        if (n == 1)
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s did not prove that it has the key",
                           peer ? peer : "the client");
        int error = SSL_get_error(tls, n);
        if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
            return refused(diag, SSL_is_server(tls), peer);
        VT_TRY(wait_until(fd, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline, peer, diag));
    }
}

/* `peer`: the server's name, on the client's side; NULL on the server's. */
static vta_status on_socket(SSL_CTX *context, int fd, uint64_t deadline, const char *peer, vta_diag *diag,
                            SSL **out_tls) {
    SSL *tls = SSL_new(context);
    *out_tls = NULL;
    if (!tls || !SSL_set_fd(tls, fd)) {
        SSL_free(tls);
        return vt_no_memory(diag);
    }
    if (peer)
        SSL_set_connect_state(tls);
    else
        SSL_set_accept_state(tls);
    vta_status status = shake_hands(tls, fd, deadline, peer, diag);
    if (status == VTA_OK)
        *out_tls = tls;
    else
        SSL_free(tls);
    return status;
}

vta_status vt__tls_connect(SSL_CTX *context, int fd, uint64_t deadline, const char *server, vta_diag *diag,
                           SSL **out_tls) {
    return on_socket(context, fd, deadline, server, diag, out_tls);
}

vta_status vt__tls_serve(SSL_CTX *context, int fd, uint64_t deadline, vta_diag *diag, SSL **out_tls) {
    return on_socket(context, fd, deadline, NULL, diag, out_tls);
}

static ssize_t outcome(SSL *tls, int n, short *out_wait) {
    switch (SSL_get_error(tls, n)) {
    case SSL_ERROR_WANT_READ: *out_wait = POLLIN; return -1;
    case SSL_ERROR_WANT_WRITE: *out_wait = POLLOUT; return -1;
    case SSL_ERROR_ZERO_RETURN: return 0;
    case SSL_ERROR_SYSCALL:
        if (errno && errno != EAGAIN) break;
        return 0;
    default: errno = EPROTO; break;
    }
    ERR_clear_error();
    return -2;
}

static int most(size_t size) { return size > 1 << 24 ? 1 << 24 : (int)size; }

ssize_t vt__tls_read(SSL *tls, void *to, size_t size, short *out_wait) {
    errno = 0;
    vt_sigpipe held = vt__sigpipe_hold();
    int n = SSL_read(tls, to, most(size));
    vt__sigpipe_release(&held);
    return n > 0 ? n : outcome(tls, n, out_wait);
}

ssize_t vt__tls_write(SSL *tls, const void *from, size_t size, short *out_wait) {
    errno = 0;
    vt_sigpipe held = vt__sigpipe_hold();
    int n = SSL_write(tls, from, most(size));
    vt__sigpipe_release(&held);
    return n > 0 ? n : outcome(tls, n, out_wait);
}

bool vt__tls_pending(SSL *tls) { return SSL_has_pending(tls); }

void vt__tls_bye(SSL *tls) {
    vt_sigpipe held = vt__sigpipe_hold();
    if (SSL_is_init_finished(tls)) SSL_shutdown(tls);
    vt__sigpipe_release(&held);
    ERR_clear_error();
}

void vt__tls_free(SSL *tls) {
    SSL_free(tls);
    ERR_clear_error();
}

/* ---- In memory --------------------------------------------------------------------------------------------------- */

vta_status vt__tls_accept(SSL_CTX *context, vta_diag *diag, SSL **out_tls) {
    SSL *tls = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    *out_tls = tls;
    if (tls && in && out) {
        SSL_set_bio(tls, in, out);
        SSL_set_accept_state(tls);
        return VTA_OK;
    }
    BIO_free(in);
    BIO_free(out);
    SSL_free(tls);
    *out_tls = NULL;
    return vt_no_memory(diag);
}

bool vt__tls_feed(SSL *tls, const void *from, size_t size) {
    return BIO_write(SSL_get_rbio(tls), from, (int)size) == (int)size;
}

size_t vt__tls_drain(SSL *tls, void *to, size_t room) {
    int n = BIO_read(SSL_get_wbio(tls), to, most(room));
    return n > 0 ? (size_t)n : 0;
}

bool vt__tls_is_open(const SSL *tls) { return SSL_is_init_finished(tls); }

int vt__tls_handshake(SSL *tls, vta_diag *diag) {
    int n = SSL_do_handshake(tls);
    if (n == 1 && SSL_session_reused(tls)) return 1;
    if (n != 1 && SSL_get_error(tls, n) == SSL_ERROR_WANT_READ) return 0;
    refused(diag, true, NULL);
    return -1;
}
