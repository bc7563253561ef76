/* Any bytes as what clients say, in both protocols: answered or refused, and never more. The first byte chooses: the
 * project's protocol, a stream of frames; TVM's, a stream of packets after the greeting; or a header alone. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/tvm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

/* No files: nothing can be uploaded, so that nothing is loaded. */
static vt_rpc_page page = {.memory_bytes = 1 << 20, .file_bytes = 0, .patience_ms = 1000, .folder = "/nonexistent"};

/* Frames as they come from the network, without the network. */
static void own(vt_rpc_session *s, const uint8_t *data, size_t size, vt_strbuf *out) {
    bool over = false;
    while (size >= VT_RPC_HEADER_BYTES && !over) {
        vt_rpc_header header;
        vta_diag_clear(s->diag);
        vt_strbuf_clear(out);
        if (vt__rpc_get_header(data, s->diag, &header) != VTA_OK) {
            check(vta_diag_count(s->diag) > 0);
            return;
        }
        data += VT_RPC_HEADER_BYTES, size -= VT_RPC_HEADER_BYTES;
        size_t fields = header.size < size ? header.size : size;
        uint8_t *exact = malloc(fields ? fields : 1);
        if (fields) memcpy(exact, data, fields);
        vta_status status = vt__own_answer(s, header.message, exact, fields, out, &over);
        free(exact);
        if (status != VTA_OK) check(vta_diag_count(s->diag) > 0);
        data += fields, size -= fields;
    }
}

static void tvm(vt_rpc_session *s, const uint8_t *data, size_t size, vt_strbuf *out) {
    bool over = false;
    while (size >= 2 && !over) { /* two bytes of length are enough here */
        size_t length = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2, size -= 2;
        if (length > size) length = size;
        uint8_t *exact = malloc(length ? length : 1);
        if (length) memcpy(exact, data, length);
        vta_diag_clear(s->diag);
        vt_strbuf_clear(out);
        vta_status status = vt__tvm_answer(s, exact, length, out, &over);
        free(exact);
        check(over || out->size >= 12); /* every packet is answered, but the last */
        if (status == VTA_PARSE) return;
        data += length, size -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vt_rpc_session s;
    vt_strbuf out;
    if (!size) return 0;
    vta_diag *diag = vta_diag_create(NULL);
    vt_strbuf_init(&out, NULL);
    check(diag && vt__session_init(&s, &page, NULL, diag) == VTA_OK);
    if (data[0] % 2)
        tvm(&s, data + 1, size - 1, &out);
    else
        own(&s, data + 1, size - 1, &out);
    vt__session_clear(&s);
    vt_strbuf_free(&out);
    vta_diag_destroy(diag);
    return 0;
}
