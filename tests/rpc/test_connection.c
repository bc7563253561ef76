/* The end of a connection, on a loop of the test's own: what closes it may come twice in one turn of the loop (the
 * client leaves, and the server is ended), and only the first counts. */
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/check.h"

#include "../../src/vta/rpc/server.h" /* tests/rpc has a server.h of its own */

typedef struct fixture {
    vt_server server;
    vt_rpc_table table;
    int client, refused;
} fixture;

static void count_refused(void *ctx, const char *text, size_t size) {
    fixture *f = ctx;
    f->refused += memmem(text, size, "refused", 7) != NULL;
}

static void on_connection(uv_stream_t *listener, int status) {
    assert_int_equal(status, 0);
    vt__connection_accept(listener->data);
}

/* A server without place for a session: it refuses the client that came, and waits until that leaves. */
static vt_connection *refuse_one(fixture *f) {
    vt_server *s = &f->server;
    struct sockaddr_storage at;
    int size = sizeof at;
    memset(f, 0, sizeof *f);
    s->table = &f->table;
    s->diag = vta_diag_create(NULL);
    s->options.log = (vta_sink){.write = count_refused, .ctx = f};
    s->options.patience_ms = 1000;
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(uv_tcp_init(&s->loop, &s->listener), 0);
    s->listener.data = s;
    assert_int_equal(uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in *)&at), 0);
    assert_int_equal(uv_tcp_bind(&s->listener, (struct sockaddr *)&at, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&s->listener, 1, on_connection), 0);
    assert_int_equal(uv_tcp_getsockname(&s->listener, (struct sockaddr *)&at, &size), 0);
    f->client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(f->client, (struct sockaddr *)&at, sizeof(struct sockaddr_in)), 0);
    while (!s->first) uv_run(&s->loop, UV_RUN_ONCE);
    assert_int_equal(f->refused, 1);
    assert_int_equal(s->first->state, VT_PARTING);
    return s->first;
}

static void end(fixture *f) {
    vt_server *s = &f->server;
    uv_close((uv_handle_t *)&s->listener, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_null(s->first);
    assert_int_equal(uv_loop_close(&s->loop), 0); /* nothing is left in it */
    vta_diag_destroy(s->diag);
    close(f->client);
}

TEST_CASE(closed_twice) {
    fixture f;
    vt_connection *c = refuse_one(&f);
    for (int i = 0; i < 2; i++) {
        vt__connection_close(c);
        assert_int_equal(c->state, VT_CLOSED);
        assert_int_equal(c->handles, 1); /* freed when the loop has closed its socket */
    }
    end(&f);
}

/* Time runs out in the turn in which it was closed. */
TEST_CASE(closed_and_late) {
    fixture f;
    vt_connection *c = refuse_one(&f);
    c->state = VT_SHAKING; /* as if it was to show the key */
    vt__connection_close(c);
    vt__connection_watch(c, c->since + 3600 * 1000);
    vt__connection_part(c);
    assert_int_equal(c->state, VT_CLOSED);
    assert_int_equal(f.refused, 1); /* nothing more is said about it */
    end(&f);
}

int main(void) { return run_cases(); }
