/* TLS as the server's loop has it: bytes from a socket are fed, answers are drained in pieces of any size. */
#include <unistd.h>

#include "rpc/tls.h"
#include "support/diag.h"
#include "vta/rpc.h"

/* What a server answers to a first record that is no client's, drained `room` bytes at a time. */
static size_t answer(const vt_rpc_key *key, size_t room, uint8_t *to) {
    struct ssl_ctx_st *context;
    struct ssl_st *tls;
    size_t size = 0, n;
    must(vt__tls_context(key, true, diag, &context));
    must(vt__tls_accept(context, diag, &tls));
    assert_int_equal(vt__tls_handshake(tls, diag), 0); /* it waits for more */
    assert_int_equal(vt__tls_drain(tls, to, room), 0);
    assert_true(vt__tls_feed(tls, "\x16\x03\x01\0\x04\xff\0\0", 9));
    assert_int_equal(vt__tls_handshake(tls, diag), -1);
    assert_true(vta_diag_count(diag) > 0);
    vta_diag_clear(diag);
    assert_false(vt__tls_is_open(tls));
    while ((n = vt__tls_drain(tls, to + size, room)) > 0) {
        assert_true(n <= room);
        size += n;
    }
    vt__tls_free(tls);
    vt__tls_context_free(context);
    return size;
}

TEST_CASE(drained_in_pieces) {
    char path[64];
    vt_rpc_key key;
    uint8_t whole[256], pieces[256];
    snprintf(path, sizeof path, "/tmp/vta-rpc-memory-key-%d", (int)getpid());
    must(vta_rpc_new_key(path, diag));
    must(vt__key_read(path, diag, &key));
    unlink(path);
    size_t size = answer(&key, 128, whole);
    assert_in_range(size, 7, 127);        /* a record of 5 bytes with an alert of 2 */
    assert_int_equal(whole[0], 21);       /* alert */
    assert_int_equal(whole[size - 2], 2); /* fatal */
    for (size_t room = 1; room <= size; room++) {
        assert_int_equal(answer(&key, room, pieces), size);
        assert_memory_equal(pieces, whole, size);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
