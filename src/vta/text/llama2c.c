/* llama2.c's tokenizer.bin: the longest piece (int32), then of each piece its score (float32), its length (int32) and
 * its bytes. The first are unknown, begin, end, and 256 bytes "<0x00>"; no count says how many there are. */
#include <math.h>
#include <string.h>

#include "base/little_endian.h"
#include "text/text.h"

enum { BEGIN = 1, END = 2, FIRST_BYTE = 3, HEADER = 4, PIECE_HEADER = 8 };

static vta_status damaged(const vta_tokenizer *t, const char *what, size_t at, vta_diag *diag) {
    return vt_fail(diag, VTA_PARSE,
                   "%s: no tokenizer (llama2.c's tokenizer.bin, a model of SentencePiece, or tokenizer.json): as the "
                   "first, %s at byte %zu",
                   t->name, what, at);
}

/* How many pieces there are; refuses what is none. */
static vta_status count_pieces(const vta_tokenizer *t, const uint8_t *bytes, size_t size, size_t *out_count,
                               vta_diag *diag) {
    *out_count = 0;
    if (size < HEADER) return damaged(t, "it ends", size, diag);
    for (size_t at = HEADER; at < size; (*out_count)++) {
        if (size - at < PIECE_HEADER) return damaged(t, "it ends within a piece", at, diag);
        uint32_t length = vt_get32(bytes + at + 4);
        if (length > size - at - PIECE_HEADER) return damaged(t, "a piece is longer than the file", at, diag);
        at += PIECE_HEADER + length;
    }
    return VTA_OK;
}

static float float_at(const uint8_t *p) {
    uint32_t bits = vt_get32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Token 3 + b is the byte b, whatever its name. */
static void settle_kind(vta_tokenizer *t, uint32_t i, char *own_byte) {
    vt_piece *p = &t->pieces[i];
    int byte = vt__text_byte_of(p->bytes, p->size);
    p->text = p->bytes, p->text_size = p->size;
    if (i < FIRST_BYTE) {
        p->kind = i ? VT_PIECE_CONTROL : VT_PIECE_UNKNOWN;
        p->text = "", p->text_size = 0;
    } else if (byte >= 0 && i == FIRST_BYTE + (uint32_t)byte) {
        *own_byte = (char)byte;
        *p = (vt_piece){p->bytes, own_byte, p->size, 1, p->score, VT_PIECE_BYTE};
        t->byte[byte] = (int32_t)i;
    }
}

static vta_status encode(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out);

vta_status vt__llama2c_tokenizer(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag) {
    static const vt_text_format format = {"llama2c", encode};
    size_t count, at = HEADER;
    VT_TRY(count_pieces(t, bytes, size, &count, diag));
    if (count <= FIRST_BYTE) return damaged(t, "it ends: there are no pieces", size, diag);
    VT_TRY(vt__text_room(t, count, diag));
    char *own = vt__text_new(t, size, 1), *own_bytes = vt__text_new(t, 256, 1);
    if (!own || !own_bytes) return vt_no_memory(diag);
    memcpy(own, bytes, size);
    for (uint32_t i = 0; i < count; i++) {
        vt_piece *p = &t->pieces[i];
        p->score = float_at(bytes + at);
        if (!isfinite(p->score)) return damaged(t, "a score is no number", at, diag);
        p->size = vt_get32(bytes + at + 4);
        p->bytes = own + at + PIECE_HEADER;
        at += PIECE_HEADER + p->size;
        settle_kind(t, i, &own_bytes[i >= FIRST_BYTE && i < FIRST_BYTE + 256 ? i - FIRST_BYTE : 0]);
        if (p->kind == VT_PIECE_NORMAL) vt__text_list(t, i);
    }
    t->format = &format;
    t->begin = BEGIN, t->end = END, t->unknown = 0;
    return VTA_OK;
}

/* ---- Text to tokens: a blank, then each character, then joined by score ---- */

/* A byte and those behind it that continue a character, at most 4. */
static uint32_t character(const char *at, size_t room) {
    uint32_t n = 1;
    while (n < room && n < 4 && ((uint8_t)at[n] & 0xc0) == 0x80) n++;
    return n;
}

static void find_symbols(const vta_tokenizer *t, const char *text, size_t size, vt_symbol *symbols, uint32_t *count) {
    for (size_t at = 0; at < size;) {
        vt_symbol *s = &symbols[(*count)++];
        *s = (vt_symbol){.bytes = text + at, .size = character(text + at, size - at)};
        s->token = vt__text_find(t, s->bytes, s->size);
        s->fixed = s->token < 0;
        at += s->size;
    }
}

static vta_status encode(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out) {
    bool blank = vt__text_find(t, " ", 1) >= 0; /* before every text, where there is such a piece */
    size_t bytes = size + 1;
    char *own = vt_alloc(&t->allocator, bytes);
    vt_symbol *symbols = vt_alloc_array(&t->allocator, bytes, sizeof *symbols);
    uint32_t count = 0;
    vta_status status = own && symbols ? VTA_OK : vt_no_memory(diag);
    if (status == VTA_OK) {
        own[0] = ' ';
        memcpy(own + 1, text, size);
        find_symbols(t, own + !blank, size + blank, symbols, &count);
        status = vt__text_join(t, symbols, count, vt__text_join_scored, diag);
    }
    for (uint32_t i = 0; i < count && status == VTA_OK; i++)
        if (symbols[i].size)
            status = symbols[i].token >= 0 ? vt__text_add(out, symbols[i].token, diag)
                                           : vt__text_add_bytes(t, symbols[i].bytes, symbols[i].size, diag, out);
    vt_free(&t->allocator, own, bytes);
    vt_free(&t->allocator, symbols, bytes * sizeof *symbols);
    return status;
}
