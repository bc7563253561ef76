/* Tests against one server, which runs as long as they do: begin and end are the group's set-up and tear-down. */
#ifndef TESTS_RPC_ONE_SERVER_H
#define TESTS_RPC_ONE_SERVER_H

#include "rpc/server.h"

static server here;
static vta_diag *diag;

static inline void must(vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
}

static inline void refused(vta_status status, vta_status expected, const char *words) {
    if (status != expected) fail_msg("%d, not %d: %s", status, expected, vta_diag_text(diag));
    if (!strstr(vta_diag_text(diag), words)) fail_msg("'%s' is not in: %s", words, vta_diag_text(diag));
    vta_diag_clear(diag);
}

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    server_start(&here, NULL);
    return 0;
}

/* No session is left. */
static int end(void **state) {
    (void)state;
    server_settles(&here);
    server_stop(&here);
    vta_diag_destroy(diag);
    return 0;
}

#endif
