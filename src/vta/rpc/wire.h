/* The project's own wire protocol: frames and their fields (docs/rpc.md; vta/rpc.def lists the messages).
 *
 * A connection begins with the eight bytes of VT_RPC_PREFACE from the client. Then both sides send frames: a header of
 * 12 bytes (u32 size of what follows it, u16 message, u16 status, u32 number) and the fields. All is little-endian. */
#ifndef VT_RPC_WIRE_H
#define VT_RPC_WIRE_H

#include "base/diag.h"
#include "base/strbuf.h"

#define VT_RPC_PREFACE "VTA-RPC\n"
enum {
    VT_RPC_PREFACE_BYTES = 8,
    VT_RPC_WIRE_VERSION = 1,
    VT_RPC_HEADER_BYTES = 12,
    VT_RPC_CHUNK_BYTES = 4 << 20,          /* of contents in one frame */
    VT_RPC_FRAME_BYTES = (4 << 20) + 4096, /* after the header, at most */
    VT_RPC_TEXT_BYTES = 1 << 20,
    VT_RPC_MAX_ARGS = 256,
};

typedef enum vt_rpc_message {
    VT_RPC_NONE = 0,
#define VTA_RPC_MESSAGE(name, number, request, answer, meaning) VT_RPC_##name = number,
#include "vta/rpc.def"
#undef VTA_RPC_MESSAGE
} vt_rpc_message;

typedef struct vt_rpc_header {
    uint32_t size;
    uint16_t message, status;
    uint32_t number;
} vt_rpc_header;

void vt__rpc_put_header(uint8_t to[VT_RPC_HEADER_BYTES], const vt_rpc_header *header);
/* VTA_PARSE: a message that does not exist, or one that is too long. */
vta_status vt__rpc_get_header(const uint8_t from[VT_RPC_HEADER_BYTES], vta_diag *diag, vt_rpc_header *out_header);
/* "HELLO"; "?" for none. */
const char *vt__rpc_message_name(uint16_t message);

/* Reads fields from the front; the first that is not there sets `failed`, and all after it are 0. */
typedef struct vt_rpc_reader {
    const uint8_t *at;
    size_t left;
    bool failed;
} vt_rpc_reader;

uint8_t vt__rpc_u8(vt_rpc_reader *r);
uint16_t vt__rpc_u16(vt_rpc_reader *r);
uint32_t vt__rpc_u32(vt_rpc_reader *r);
uint64_t vt__rpc_u64(vt_rpc_reader *r);
double vt__rpc_f64(vt_rpc_reader *r);
/* So many bytes, borrowed; NULL when there are fewer. */
const uint8_t *vt__rpc_bytes(vt_rpc_reader *r, size_t size);
/* A text of UTF-8 without zeros, copied into `to` (room bytes, with its end); one that does not fit fails. */
void vt__rpc_text(vt_rpc_reader *r, char *to, size_t room);
/* The same, borrowed and not terminated. */
const char *vt__rpc_textn(vt_rpc_reader *r, size_t *out_size);
/* VTA_PARSE unless all fields were there and nothing is left. */
vta_status vt__rpc_end(const vt_rpc_reader *r, const char *message, vta_diag *diag);

void vt__rpc_put_u8(vt_strbuf *to, uint8_t value);
void vt__rpc_put_u16(vt_strbuf *to, uint16_t value);
void vt__rpc_put_u32(vt_strbuf *to, uint32_t value);
void vt__rpc_put_u64(vt_strbuf *to, uint64_t value);
void vt__rpc_put_f64(vt_strbuf *to, double value);
void vt__rpc_put_text(vt_strbuf *to, const char *text);

#endif
