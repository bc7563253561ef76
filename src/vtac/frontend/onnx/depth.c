/* How deep messages are nested: protobuf-c reads them by recursion, and a file may ask for any depth. */
#include "frontend/onnx/priv.h"

enum { DEEPEST = 64 };

typedef struct scan {
    vt_ctx *ctx;
    const char *name;
} scan;

_Noreturn static void malformed(const scan *s) {
    vt_raise(s->ctx, VTA_PARSE, "%s: no ONNX model: the bytes are not a protobuf message, or end early", s->name);
}

static uint64_t varint(const scan *s, const uint8_t **at, const uint8_t *end) {
    uint64_t v = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        if (*at == end) malformed(s);
        uint8_t byte = *(*at)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return v;
    }
    malformed(s);
}

static void skip(const scan *s, const uint8_t **at, const uint8_t *end, uint64_t bytes) {
    if (bytes > (uint64_t)(end - *at)) malformed(s);
    *at += bytes;
}

static void message(const scan *s, const ProtobufCMessageDescriptor *type, const uint8_t *at, const uint8_t *end,
                    uint32_t depth) {
    if (depth > DEEPEST) vt_raise(s->ctx, VTA_PARSE, "%s: messages are nested more than %d deep", s->name, DEEPEST);
    while (at < end) {
        uint64_t key = varint(s, &at, end), bytes;
        const ProtobufCFieldDescriptor *field;
        switch (key & 7) {
        case 0: varint(s, &at, end); break;
        case 1: skip(s, &at, end, 8); break;
        case 5: skip(s, &at, end, 4); break;
        case 2:
            bytes = varint(s, &at, end);
            field = key >> 3 <= INT32_MAX ? protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3)) : NULL;
            skip(s, &at, end, bytes);
            if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
                message(s, field->descriptor, at - bytes, at, depth + 1);
            break;
        default: malformed(s);
        }
    }
}

void vt__onnx_check_depth(vt_ctx *ctx, const char *name, const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
                          size_t size) {
    message(&(scan){ctx, name}, type, bytes, bytes + size, 0);
}
