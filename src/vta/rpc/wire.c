#include "rpc/wire.h"

#include <endian.h>
#include <string.h>

#include "base/utf8.h"

void vt__rpc_put_header(uint8_t to[VT_RPC_HEADER_BYTES], const vt_rpc_header *header) {
    uint32_t size = htole32(header->size), number = htole32(header->number);
    uint16_t message = htole16(header->message), status = htole16(header->status);
    memcpy(to, &size, 4);
    memcpy(to + 4, &message, 2);
    memcpy(to + 6, &status, 2);
    memcpy(to + 8, &number, 4);
}

const char *vt__rpc_message_name(uint16_t message) {
    switch (message) {
#define VTA_RPC_MESSAGE(name, number, request, answer, meaning)                                                        \
    case number: return #name;
#include "vta/rpc.def"
#undef VTA_RPC_MESSAGE
    default: return "?";
    }
}

vta_status vt__rpc_get_header(const uint8_t from[VT_RPC_HEADER_BYTES], vta_diag *diag, vt_rpc_header *out_header) {
    vt_rpc_reader r = {from, VT_RPC_HEADER_BYTES, false};
    out_header->size = vt__rpc_u32(&r);
    out_header->message = vt__rpc_u16(&r);
    out_header->status = vt__rpc_u16(&r);
    out_header->number = vt__rpc_u32(&r);
    if (*vt__rpc_message_name(out_header->message) == '?')
        return vt_fail(diag, VTA_PARSE, "message %u does not exist in version %d of the protocol", out_header->message,
                       VT_RPC_WIRE_VERSION);
    if (out_header->size > VT_RPC_FRAME_BYTES)
        return vt_fail(diag, VTA_PARSE, "a frame of %u bytes (%s); the longest has %d", out_header->size,
                       vt__rpc_message_name(out_header->message), VT_RPC_FRAME_BYTES);
    return VTA_OK;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

const uint8_t *vt__rpc_bytes(vt_rpc_reader *r, size_t size) {
    if (r->failed || size > r->left) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *at = r->at;
    r->at += size;
    r->left -= size;
    return at;
}

static uint64_t integer(vt_rpc_reader *r, size_t size) {
    uint64_t value = 0;
    const uint8_t *at = vt__rpc_bytes(r, size);
    for (size_t i = size; at && i-- > 0;) value = value << 8 | at[i];
    return value;
}

uint8_t vt__rpc_u8(vt_rpc_reader *r) { return (uint8_t)integer(r, 1); }
uint16_t vt__rpc_u16(vt_rpc_reader *r) { return (uint16_t)integer(r, 2); }
uint32_t vt__rpc_u32(vt_rpc_reader *r) { return (uint32_t)integer(r, 4); }
uint64_t vt__rpc_u64(vt_rpc_reader *r) { return integer(r, 8); }

double vt__rpc_f64(vt_rpc_reader *r) {
    uint64_t bits = integer(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A text has no end of its own, and its last character may be cut off. */
static bool is_utf8(const char *text, size_t size) {
    char last[5];
    for (size_t i = 0; i < size;) {
        size_t left = size - i;
        if (left < 4) memcpy(last, text + i, left), last[left] = '\0';
        size_t n = vt_utf8_size(left < 4 ? last : text + i);
        if (!n) return false;
        i += n;
    }
    return true;
}

const char *vt__rpc_textn(vt_rpc_reader *r, size_t *out_size) {
    uint32_t size = vt__rpc_u32(r);
    if (size > VT_RPC_TEXT_BYTES) r->failed = true;
    const char *text = (const char *)vt__rpc_bytes(r, size);
    if (text && (memchr(text, '\0', size) || !is_utf8(text, size))) r->failed = true;
    *out_size = r->failed ? 0 : size;
    return r->failed ? NULL : text;
}

void vt__rpc_text(vt_rpc_reader *r, char *to, size_t room) {
    size_t size;
    const char *text = vt__rpc_textn(r, &size);
    if (size >= room) r->failed = true;
    if (r->failed) size = 0;
    if (size) memcpy(to, text, size);
    to[size] = '\0';
}

vta_status vt__rpc_end(const vt_rpc_reader *r, const char *message, vta_diag *diag) {
    if (r->failed)
        return vt_fail(diag, VTA_PARSE, "%s: the message is cut short, or a field is too long or not UTF-8", message);
    if (r->left) return vt_fail(diag, VTA_PARSE, "%s: %zu bytes after the last field", message, r->left);
    return VTA_OK;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void put(vt_strbuf *to, uint64_t value, size_t size) {
    char bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(value >> (8 * i));
    vt_strbuf_addn(to, bytes, size);
}

void vt__rpc_put_u8(vt_strbuf *to, uint8_t value) { put(to, value, 1); }
void vt__rpc_put_u16(vt_strbuf *to, uint16_t value) { put(to, value, 2); }
void vt__rpc_put_u32(vt_strbuf *to, uint32_t value) { put(to, value, 4); }
void vt__rpc_put_u64(vt_strbuf *to, uint64_t value) { put(to, value, 8); }

void vt__rpc_put_f64(vt_strbuf *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(to, bits, 8);
}

void vt__rpc_put_text(vt_strbuf *to, const char *text) {
    size_t size = strlen(text);
    put(to, size, 4);
    vt_strbuf_addn(to, text, size);
}
