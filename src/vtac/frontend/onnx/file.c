/* A model's file without the data of its large weights, which are read to where they stay: a message with them in it
 * would have them twice while it is read. Only the tensors of the graph itself are taken out (ModelProto.graph.
 * initializer.raw_data); everything else is copied, and judged when the message is read. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spill.h"
#include "frontend/onnx/priv.h"

enum { LEAST = 1 << 16, BUFFER = 1 << 14, GRAPH = 7, INITIALIZER = 5, RAW_DATA = 9 };

typedef enum level { MODEL, GRAPH_LEVEL, TENSOR } level;

typedef struct reader {
    vt_ctx *ctx;
    int fd;
    uint64_t at; /* in the file */
    uint8_t buffer[BUFFER];
    size_t next, end; /* of what the buffer holds and was not taken */
    vt_onnx_file *out;
    size_t spill; /* data of at least so many bytes are put into a temporary file */
    uint32_t cap, graphs, tensors;
    bool taken; /* the tensor that is being read has given its data */
    bool failed;
} reader;

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

static size_t read_some(reader *r, void *to, size_t size) {
    for (;;) {
        ssize_t n = read(r->fd, to, size);
        if (n > 0) return (size_t)n;
        if (n < 0 && errno == EINTR) continue;
        r->failed = true;
        return 0;
    }
}

static void take(reader *r, uint8_t *to, uint64_t size) {
    while (size && !r->failed) {
        if (r->next == r->end && size < BUFFER) r->next = 0, r->end = read_some(r, r->buffer, BUFFER);
        size_t n = r->end - r->next;
        if (n > size) n = (size_t)size;
        if (n)
            memcpy(to, r->buffer + r->next, n), r->next += n;
        else if (!r->failed)
            n = read_some(r, to, (size_t)size);
        to += n, size -= n, r->at += n;
    }
}

static void copy(reader *r, vt_strbuf *to, uint64_t size) {
    uint8_t some[1024];
    while (size && !r->failed) {
        size_t n = size < sizeof some ? (size_t)size : sizeof some;
        take(r, some, n);
        vt_strbuf_addn(to, (const char *)some, n);
        size -= n;
        r->failed |= to->failed;
    }
}

/* A number of protobuf. */
static uint64_t number(reader *r) {
    uint64_t x = 0;
    uint8_t byte = 0x80;
    for (int shift = 0; byte & 0x80 && !r->failed; shift += 7) {
        if (shift > 63) r->failed = true;
        if (!r->failed) take(r, &byte, 1);
        if (!r->failed) x |= (uint64_t)(byte & 0x7f) << shift;
    }
    return x;
}

static void add_number(vt_strbuf *to, uint64_t x) {
    for (; x > 0x7f; x >>= 7) vt_strbuf_addc(to, (char)(x | 0x80));
    vt_strbuf_addc(to, (char)x);
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

/* Nothing is raised here: the file is open. */
static bool make_room(reader *r) {
    if (r->out->count < r->cap) return true;
    uint32_t cap = r->cap ? 2 * r->cap : 64;
    vt_onnx_data *data = vt_arena_alloc(&r->ctx->arena, cap * sizeof *data);
    if (data && r->cap) memcpy(data, r->out->data, r->cap * sizeof *data);
    if (data) r->out->data = data, r->cap = cap;
    return data;
}

static bool take_for(void *user, void *to, size_t size) {
    reader *r = user;
    take(r, to, size);
    return !r->failed;
}

/* In the arena, which gives it back when it is not needed any more, or in a file. */
static const void *data_of(reader *r, size_t size) {
    uint64_t before = r->at;
    const void *spilled = size >= r->spill ? vt_spill(r->ctx, size, take_for, r) : NULL;
    if (spilled || r->at != before)
        return spilled; /* no disk is the reason to have them in memory; a failure is none */
    void *data = vt_arena_alloc(&r->ctx->arena, size);
    if (data) take(r, data, size);
    return data;
}

static void take_data(reader *r, uint64_t size) {
    const void *data = !r->taken && make_room(r) ? data_of(r, (size_t)size) : NULL;
    if (!data) {
        r->failed = true;
        return;
    }
    r->taken = true;
    r->out->data[r->out->count++] = (vt_onnx_data){r->tensors - 1, data, (size_t)size};
}

static void message(reader *r, level l, uint64_t end, vt_strbuf *to);

/* A message within one: its length is known when it is written. */
static void nested(reader *r, level l, uint64_t tag, uint64_t size, vt_strbuf *to) {
    vt_strbuf inside;
    vt_strbuf_init(&inside, to->allocator);
    message(r, l, r->at + size, &inside);
    add_number(to, tag);
    add_number(to, inside.size);
    if (inside.size) vt_strbuf_addn(to, vt_strbuf_text(&inside), inside.size);
    r->failed |= inside.failed;
    vt_strbuf_free(&inside);
}

static void bytes(reader *r, level l, uint64_t tag, uint64_t end, vt_strbuf *to) {
    uint64_t size = number(r), field = tag >> 3;
    if (r->failed || size > end - r->at) {
        r->failed = true;
    } else if (l == MODEL && field == GRAPH) {
        r->failed |= r->graphs++ > 0; /* several are one, and their tensors are counted otherwise */
        if (!r->failed) nested(r, GRAPH_LEVEL, tag, size, to);
    } else if (l == GRAPH_LEVEL && field == INITIALIZER) {
        r->tensors++;
        r->taken = false;
        nested(r, TENSOR, tag, size, to);
    } else if (l == TENSOR && field == RAW_DATA && (size >= LEAST || r->taken)) {
        take_data(r, size);
    } else {
        add_number(to, tag);
        add_number(to, size);
        copy(r, to, size);
    }
}

static void message(reader *r, level l, uint64_t end, vt_strbuf *to) {
    while (r->at < end && !r->failed) {
        uint64_t tag = number(r), x;
        if (r->failed || r->at > end) break;
        switch (tag & 7) {
        case 0:
            x = number(r);
            add_number(to, tag);
            add_number(to, x);
            break;
        case 1: add_number(to, tag), copy(r, to, 8); break;
        case 2: bytes(r, l, tag, end, to); break;
        case 5: add_number(to, tag), copy(r, to, 4); break;
        default: r->failed = true;
        }
    }
    r->failed |= r->at != end || to->failed;
}

static void drop_spilled(vt_ctx *ctx, const vt_onnx_file *file) {
    for (uint32_t i = 0; i < file->count; i++) vt_spill_drop(ctx, file->data[i].bytes);
}

/* Data of models of a quarter of a gigabyte would be most of what a compilation takes. */
size_t vt__onnx_spill(uint64_t file_bytes, size_t from) {
    enum { USUAL = 1 << 28, LARGE = 1 << 20 };
    return file_bytes < (from ? from : USUAL) ? SIZE_MAX : from && from < LARGE ? from : LARGE;
}

bool vt_onnx_open(vt_ctx *ctx, const char *path, size_t spill, const vta_allocator *allocator, vt_onnx_file *out) {
    struct stat st;
    *out = (vt_onnx_file){.count = 0};
    reader r = {.ctx = ctx, .out = out, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    vt_strbuf_init(&out->message, allocator);
    if (r.fd < 0) return false;
    vt_arena_mark mark = vt_arena_here(&ctx->arena);
    r.failed = fstat(r.fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < LEAST || st.st_size > INT32_MAX;
    if (!r.failed) r.spill = vt__onnx_spill((uint64_t)st.st_size, spill);
    if (!r.failed) message(&r, MODEL, (uint64_t)st.st_size, &out->message);
    close(r.fd);
    if (!r.failed && out->count) return true;
    vt_onnx_close(out);
    drop_spilled(ctx, out);
    vt_arena_rewind(&ctx->arena, mark);
    return false;
}

void vt_onnx_close(vt_onnx_file *file) { vt_strbuf_free(&file->message); }
