#include "rpc/session.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rpc/keeper.h"
#include "rpc/limits.h"
#include "vta/rpc.h"

vta_status vt__session_init(vt_rpc_session *s, vt_rpc_page *page, const vt_rpc_table *table, vta_diag *diag) {
    *s = (vt_rpc_session){.stream = {.fd = -1}, .page = page, .table = table, .diag = diag};
    vt__objects_init(&s->objects, NULL);
    return VTA_OK;
}

void vt__session_clear(vt_rpc_session *s) {
    vt__objects_clear(&s->objects);
    vt__rpc_close(&s->stream);
}

void vt__session_words(const vt_rpc_session *s, vta_status status, vt_strbuf *to) {
    vta_diag_entry e;
    size_t begin = to->size;
    for (size_t i = 0; vta_diag_get(s->diag, i, &e) == VTA_OK; i++) {
        if (e.severity == VTA_DETAIL) continue;
        if (to->size > begin) vt_strbuf_add(to, "; ");
        if (e.file) vt_strbuf_addf(to, "%s:%u:%u: ", e.file, e.line, e.column);
        vt_strbuf_add(to, e.message);
    }
    if (to->size == begin) vt_strbuf_add(to, vta_status_text(status));
}

/* The first four bytes say which protocol it is. */
static vta_status serve(vt_rpc_session *s) {
    uint8_t begin[4];
    uint32_t word;
    VT_TRY(vt__rpc_read(&s->stream, begin, sizeof begin, vt__rpc_deadline(s->page->patience_ms, 0), s->diag));
    memcpy(&word, begin, sizeof word);
    bool tvm = le32toh(word) == VT_TVM_MAGIC;
    atomic_store(&s->page->protocol, tvm ? VT_RPC_TVM : VT_RPC_OWN);
    return tvm ? vt__serve_tvm(s) : vt__serve_own(s, begin);
}

/* A line for the server's log, which reads this process's standard error. */
static void say(const vt_rpc_session *s, vta_status status) {
    vt_strbuf line;
    vt_strbuf_init(&line, NULL);
    vt__session_words(s, status, &line);
    vt_strbuf_addc(&line, '\n');
    if (line.size && write(STDERR_FILENO, line.text, line.size) < 0) vt_strbuf_clear(&line); /* nobody reads the log */
    vt_strbuf_free(&line);
}

static int serve_page(vt_rpc_page *page, vt_rpc_verdict *verdict, const vt_rpc_table *table) {
    vt_rpc_session s;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = diag ? vt__session_init(&s, page, table, diag) : VTA_NO_MEMORY;
    if (status != VTA_OK) return 1;
    s.stream.fd = VT_RPC_FD_SOCKET;
    if (page->jail != VT_JAIL_DIRECT) status = vt__keeper_begin(page, verdict, diag);
    vt__share_close(verdict, sizeof *verdict); /* before anything of the client runs */
    if (status == VTA_OK) status = vt__limits_apply(page, diag);
    if (status == VTA_OK) {
        atomic_store(&page->stage, VT_STAGE_SERVES);
        status = serve(&s);
        if (status != VTA_IO)
            atomic_store(&page->stage, VT_STAGE_DONE); /* else the client may have been told nothing */
    }
    if (status != VTA_OK && status != VTA_NOT_FOUND) say(&s, status);
    vt__session_clear(&s);
    vta_diag_destroy(diag);
    return 0;
}

int vta_rpc_session_main(void) {
    vt_rpc_page *page = vt__share_open(VT_RPC_FD_PAGE, sizeof *page, true);
    const vt_rpc_table *table = vt__share_open(VT_RPC_FD_TABLE, sizeof *table, false);
    vt_rpc_verdict *verdict = vt__share_open(VT_RPC_FD_VERDICT, sizeof *verdict, true);
    if (!page || !table || page->mark != VT_RPC_PAGE_MARK || page->size != sizeof *page) return 2;
    if (page->jail != VT_JAIL_DIRECT && !verdict) return 2;
    close(VT_RPC_FD_PAGE);
    close(VT_RPC_FD_TABLE);
    if (verdict) close(VT_RPC_FD_VERDICT);
    /* Programs that are started (the linker) get none of it. */
    fcntl(VT_RPC_FD_SOCKET, F_SETFD, FD_CLOEXEC);
    return serve_page(page, verdict, table);
}
