/* Loading a tokenizer, and what all formats have in common. */
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "text/text.h"

#define MAX_BYTES ((size_t)1 << 28)
enum { MAX_PIECES = 1 << 24 };

/* ---- Pieces ---- */

void *vt__text_new(vta_tokenizer *t, size_t count, size_t item) {
    size_t bytes;
    return vt_mul_size(count ? count : 1, item, &bytes) ? vt_arena_alloc_zero(&t->arena, bytes) : NULL;
}

vta_status vt__text_room(vta_tokenizer *t, size_t count, vta_diag *diag) {
    if (!count || count > MAX_PIECES)
        return vt_fail(diag, VTA_PARSE, "%s: a vocabulary of %zu tokens; expected 1 to %d", t->name, count, MAX_PIECES);
    t->place_cap = 16;
    while (t->place_cap < 2 * count) t->place_cap *= 2;
    t->pieces = vt__text_new(t, count, sizeof *t->pieces);
    t->places = vt__text_new(t, t->place_cap, sizeof *t->places);
    if (!t->pieces || !t->places) return vt_no_memory(diag);
    t->count = (uint32_t)count;
    return VTA_OK;
}

/* FNV-1a. */
static uint32_t hash_of(const char *bytes, size_t size) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++) h = (h ^ (uint8_t)bytes[i]) * 16777619u;
    return h;
}

static uint32_t *place_of(const vta_tokenizer *t, const char *bytes, size_t size) {
    uint32_t mask = t->place_cap - 1, at = hash_of(bytes, size) & mask;
    while (t->places[at]) {
        const vt_piece *p = &t->pieces[t->places[at] - 1];
        if (p->size == size && !memcmp(p->bytes, bytes, size)) break;
        at = (at + 1) & mask;
    }
    return &t->places[at];
}

void vt__text_list(vta_tokenizer *t, uint32_t index) {
    const vt_piece *p = &t->pieces[index];
    uint32_t *place = place_of(t, p->bytes, p->size);
    if (!*place) *place = index + 1;
    if (p->size > t->longest) t->longest = p->size;
}

int32_t vt__text_find(const vta_tokenizer *t, const char *bytes, size_t size) {
    return size > t->longest ? -1 : (int32_t)*place_of(t, bytes, size) - 1;
}

static int digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

int vt__text_byte_of(const char *bytes, size_t size) {
    if (size != 6 || memcmp(bytes, "<0x", 3) != 0 || bytes[5] != '>') return -1;
    int high = digit(bytes[3]), low = digit(bytes[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* ---- Tokens ---- */

vta_status vt__text_add(vt_tokens *out, int32_t token, vta_diag *diag) {
    if (!vt_reserve(out->allocator, &out->item, &out->cap, out->count + 1, sizeof *out->item))
        return vt_no_memory(diag);
    out->item[out->count++] = token;
    return VTA_OK;
}

vta_status vt__text_add_bytes(const vta_tokenizer *t, const char *bytes, size_t size, vta_diag *diag, vt_tokens *out) {
    for (size_t i = 0; i < size; i++) {
        int32_t token = t->byte[(uint8_t)bytes[i]];
        if (token < 0)
            return vt_fail(diag, VTA_MISMATCH, "%s: the vocabulary has no token for the byte 0x%02x", t->name,
                           (unsigned)(uint8_t)bytes[i]);
        VT_TRY(vt__text_add(out, token, diag));
    }
    return VTA_OK;
}

size_t vt__text_character(const char *at, size_t room) {
    char own[5] = {0};
    memcpy(own, at, room < 4 ? room : 4);
    size_t n = *own ? vt_utf8_size(own) : 1;
    return n ? n : 1;
}

/* ---- Life ---- */

/* SentencePiece models are a protobuf message that begins with a piece, or with settings. */
static vta_status read_any(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag) {
    size_t at = 0;
    while (at < size && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t')) at++;
    if (at < size && bytes[at] == '{') return vt__huggingface(t, bytes, size, diag);
    bool piece = size > 2 && bytes[0] == 0x0a && bytes[1] && (bytes[2] == 0x0a || bytes[1] >= 0x80);
    return piece ? vt__sentencepiece(t, bytes, size, diag) : vt__llama2c_tokenizer(t, bytes, size, diag);
}

vta_status vta_tokenizer_parse(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                               vta_diag *diag, vta_tokenizer **out_tokenizer) {
    if (!bytes || !name || !out_tokenizer)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "bytes, name or out_tokenizer is NULL");
    *out_tokenizer = NULL;
    const vta_allocator *a = allocator ? allocator : &vt_allocator_libc;
    vta_tokenizer *t = vt_alloc_zero(a, sizeof *t);
    if (!t) return vt_no_memory(diag);
    t->allocator = *a;
    vt_arena_init(&t->arena, &t->allocator);
    t->begin = t->end = t->unknown = -1;
    for (int i = 0; i < 256; i++) t->byte[i] = -1;
    size_t length = strlen(name);
    char *own = vt__text_new(t, length + 1, 1);
    vta_status status = own ? VTA_OK : vt_no_memory(diag);
    if (own) t->name = memcpy(own, name, length);
    if (status == VTA_OK) status = read_any(t, bytes, size, diag);
    if (status == VTA_OK)
        *out_tokenizer = t;
    else
        vta_tokenizer_destroy(t);
    return status;
}

vta_status vta_tokenizer_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                              vta_tokenizer **out_tokenizer) {
    char *bytes;
    size_t size;
    if (!path || !out_tokenizer) return vt_fail(diag, VTA_INVALID_ARGUMENT, "path or out_tokenizer is NULL");
    *out_tokenizer = NULL;
    VT_TRY(vt_file_read(allocator, path, MAX_BYTES, diag, &bytes, &size));
    vta_status status = vta_tokenizer_parse(bytes, size, path, allocator, diag, out_tokenizer);
    vt_free(allocator, bytes, size + 1);
    return status;
}

void vta_tokenizer_destroy(vta_tokenizer *t) {
    if (!t) return;
    vta_allocator allocator = t->allocator;
    vt_arena_clear(&t->arena);
    vt_free(&allocator, t, sizeof *t);
}

/* ---- Queries ---- */

const char *vta_tokenizer_format(const vta_tokenizer *t) { return t->format->name; }
size_t vta_tokenizer_count(const vta_tokenizer *t) { return t->count; }
int32_t vta_tokenizer_begin(const vta_tokenizer *t) { return t->begin; }
int32_t vta_tokenizer_end(const vta_tokenizer *t) { return t->end; }

static bool is_token(const vta_tokenizer *t, int32_t token) { return token >= 0 && (uint32_t)token < t->count; }

const char *vta_tokenizer_piece(const vta_tokenizer *t, int32_t token, bool first, size_t *out_size) {
    static const vt_piece none = {.text = ""};
    const vt_piece *p = is_token(t, token) && t->pieces[token].text ? &t->pieces[token] : &none;
    bool blank = first && t->drops_first_blank && p->text_size && p->text[0] == ' ';
    if (out_size) *out_size = p->text_size - blank;
    return p->text + blank;
}

vta_status vta_tokenizer_encode(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag,
                                int32_t **out_tokens, size_t *out_count) {
    vt_tokens out = {.allocator = &vt_allocator_libc};
    if (!t || (!text && size) || !out_tokens || !out_count)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_tokenizer_encode: an argument is NULL");
    *out_tokens = NULL;
    *out_count = 0;
    if (size > MAX_BYTES) return vt_fail(diag, VTA_OUT_OF_RANGE, "a text of %zu bytes is too long", size);
    if (!vt_reserve(out.allocator, &out.item, &out.cap, size + 2, sizeof *out.item)) return vt_no_memory(diag);
    vta_status status = size ? t->format->encode(t, text, size, diag, &out) : VTA_OK;
    if (status != VTA_OK) {
        vt_free(out.allocator, out.item, out.cap * sizeof *out.item);
        return status;
    }
    *out_tokens = out.item;
    *out_count = out.count;
    return VTA_OK;
}

/* Appends text whose bytes may be anything. */
static void add_characters(vt_strbuf *sb, const char *bytes, size_t size) {
    for (size_t i = 0; i < size;) {
        size_t n = vt__text_character(bytes + i, size - i);
        bool alone = n == 1 && (uint8_t)bytes[i] >= 0x80;
        if (alone)
            vt_strbuf_add(sb, VT_UTF8_REPLACEMENT);
        else
            vt_strbuf_addn(sb, bytes + i, n);
        i += n;
    }
}

vta_status vta_tokenizer_decode(const vta_tokenizer *t, const int32_t *tokens, size_t count, vta_diag *diag,
                                char **out_text, size_t *out_size) {
    vt_strbuf raw, text;
    if (!t || (!tokens && count) || !out_text || !out_size)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_tokenizer_decode: an argument is NULL");
    *out_text = NULL;
    *out_size = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_token(t, tokens[i]))
            return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %d is no token; tokens are 0 to %u", t->name, (int)tokens[i],
                           (unsigned)t->count - 1);
    vt_strbuf_init(&raw, &vt_allocator_libc);
    vt_strbuf_init(&text, &vt_allocator_libc);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const char *piece = vta_tokenizer_piece(t, tokens[i], first, &size);
        first = first && t->pieces[tokens[i]].text_size == 0;
        vt_strbuf_addn(&raw, piece, size);
    }
    add_characters(&text, vt_strbuf_text(&raw), raw.size);
    vt_strbuf_addn(&text, "", 0);
    bool failed = raw.failed || text.failed;
    vt_strbuf_free(&raw);
    *out_size = text.size;
    *out_text = failed ? NULL : vt_strbuf_take(&text);
    return *out_text ? VTA_OK : vt_no_memory(diag);
}
