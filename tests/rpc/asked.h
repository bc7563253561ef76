/* A session without a connection, in the test's own process: what it is asked is answered at once. */
#ifndef TESTS_RPC_ASKED_H
#define TESTS_RPC_ASKED_H

#include <unistd.h>

#include "rpc/session.h"
#include "rpc/told.h"

static vt_rpc_page page;
static vt_rpc_session session;
static vta_diag *diag;
static vt_strbuf in, out;

static int begin_session(void **state) {
    (void)state;
    page = (vt_rpc_page){.memory_bytes = 10000, .file_bytes = 20000, .patience_ms = 1000};
    strcpy(page.folder, "/tmp/vta-rpc-asked-XXXXXX");
    diag = vta_diag_create(NULL);
    vt_strbuf_init(&in, NULL);
    vt_strbuf_init(&out, NULL);
    return !diag || !mkdtemp(page.folder) || vt__session_init(&session, &page, NULL, diag) != VTA_OK;
}

static int end_session(void **state) {
    (void)state;
    vt__session_clear(&session);
    vt__folder_remove(page.folder);
    assert_int_equal(access(page.folder, F_OK), -1);
    vta_diag_destroy(diag);
    vt_strbuf_free(&in);
    vt_strbuf_free(&out);
    return 0;
}

#endif
