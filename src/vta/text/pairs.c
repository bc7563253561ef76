/* Text to tokens as a tokenizer.json of byte pairs says: added tokens are found, what is between is changed, split, and
 * the characters of each part are joined, the pair of the lowest rank first. */
#include <string.h>

#include "base/strbuf.h"
#include "text/huggingface.h"
#include "text/split.h"

#define BLOCK "\xe2\x96\x81" /* U+2581, which stands for a blank */

uint32_t vt__text_byte_character(uint8_t byte) {
    uint32_t others = 0;
    for (uint32_t b = 0; b <= byte; b++) {
        bool shown = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
        if (shown && b == byte) return b;
        others += !shown;
    }
    return 0xff + others;
}

vt_merge *vt__text_merge(const vt_huggingface *h, int32_t left, int32_t right) {
    uint32_t mask = h->merge_cap - 1, at = ((uint32_t)left * 2654435761u ^ (uint32_t)right * 2246822519u) & mask;
    while (h->merges[at].result >= 0 && (h->merges[at].left != left || h->merges[at].right != right))
        at = (at + 1) & mask;
    return &h->merges[at];
}

static int32_t join(const vta_tokenizer *t, const vt_symbol *left, const vt_symbol *right, double *out_urge) {
    const vt_merge *m = vt__text_merge(t->huggingface, left->token, right->token);
    *out_urge = -(double)m->rank;
    return m->result;
}

/* ---- A part ---- */

static vta_status add_unknown(const vta_tokenizer *t, const vt_symbol *s, bool behind_unknown, vta_diag *diag,
                              vt_tokens *out) {
    const vt_huggingface *h = t->huggingface;
    bool has_bytes = h->byte_fallback;
    for (uint32_t i = 0; i < s->size; i++) has_bytes = has_bytes && t->byte[(uint8_t)s->bytes[i]] >= 0;
    if (has_bytes) return vt__text_add_bytes(t, s->bytes, s->size, diag, out);
    if (t->unknown < 0)
        return vt_fail(diag, VTA_MISMATCH, "%s: the vocabulary has no token for '%.*s'", t->name, (int)s->size,
                       s->bytes);
    return behind_unknown && h->fuse_unknown ? VTA_OK : vt__text_add(out, t->unknown, diag);
}

static vta_status add_symbols(const vta_tokenizer *t, const vt_symbol *symbols, uint32_t count, vta_diag *diag,
                              vt_tokens *out) {
    bool unknown = false;
    for (uint32_t i = 0; i < count; i++) {
        const vt_symbol *s = &symbols[i];
        size_t before = out->count;
        if (!s->size) continue;
        VT_TRY(s->token >= 0 ? vt__text_add(out, s->token, diag) : add_unknown(t, s, unknown, diag, out));
        unknown = s->token < 0 && (out->count == before || out->item[out->count - 1] == t->unknown);
    }
    return VTA_OK;
}

static vta_status add_part(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out) {
    int32_t whole = t->huggingface->ignore_merges ? vt__text_find(t, text, size) : -1;
    uint32_t count = 0;
    if (whole >= 0) return vt__text_add(out, whole, diag);
    vt_symbol *symbols = vt_alloc_array(&t->allocator, size, sizeof *symbols);
    if (!symbols) return vt_no_memory(diag);
    for (size_t at = 0; at < size; at += symbols[count++].size) {
        vt_symbol *s = &symbols[count];
        *s = (vt_symbol){.bytes = text + at, .size = (uint32_t)vt__text_character(text + at, size - at)};
        s->token = vt__text_find(t, s->bytes, s->size);
        s->fixed = s->token < 0;
    }
    vta_status status = vt__text_join(t, symbols, count, join, diag);
    if (status == VTA_OK) status = add_symbols(t, symbols, count, diag, out);
    vt_free(&t->allocator, symbols, size * sizeof *symbols);
    return status;
}

/* ---- What is between added tokens ---- */

static void add_character(vt_strbuf *sb, uint32_t c) {
    if (c >= 0x80) vt_strbuf_addc(sb, (char)(0xc0 | c >> 6));
    vt_strbuf_addc(sb, (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c));
}

static vta_status add_word(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out) {
    vt_strbuf sb;
    if (!t->huggingface->bytes) return add_part(t, text, size, diag, out);
    vt_strbuf_init(&sb, &t->allocator);
    for (size_t i = 0; i < size; i++) add_character(&sb, vt__text_byte_character((uint8_t)text[i]));
    vta_status status = sb.failed ? vt_no_memory(diag) : add_part(t, vt_strbuf_text(&sb), sb.size, diag, out);
    vt_strbuf_free(&sb);
    return status;
}

static size_t block(const char *text, size_t size) {
    size_t at = 1, n = strlen(BLOCK);
    while (at < size && (size - at < n || memcmp(text + at, BLOCK, n) != 0)) at++;
    return at;
}

static vta_status add_words(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out) {
    const vt_huggingface *h = t->huggingface;
    for (size_t at = 0, n; at < size; at += n) {
        n = size - at;
        if (h->words) n = vt__text_word(text + at, n);
        if (h->blocks) n = block(text + at, n);
        VT_TRY(add_word(t, text + at, n, diag, out));
    }
    return VTA_OK;
}

static vta_status add_changed(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out) {
    for (size_t at = 0, n; at < size; at += n) {
        n = t->huggingface->digits ? vt__text_digit(text + at, size - at) : size - at;
        VT_TRY(add_words(t, text + at, n, diag, out));
    }
    return VTA_OK;
}

static void replace(vt_strbuf *to, const char *text, size_t size, const vt_text_change *c) {
    size_t n = strlen(c->from);
    for (size_t at = 0; at < size;) {
        bool found = size - at >= n && !memcmp(text + at, c->from, n);
        vt_strbuf_addn(to, found ? c->to : text + at, found ? strlen(c->to) : 1);
        at += found ? n : 1;
    }
}

static void change(vt_strbuf *to, const vt_strbuf *from, const vt_text_change *c, bool first) {
    const char *text = vt_strbuf_text(from);
    size_t n = strlen(c->to);
    bool there = from->size >= n && !memcmp(text, c->to, n);
    if (c->from) {
        replace(to, text, from->size, c);
        return;
    }
    if (!(c->unless_there && there) && (first || !c->first_only)) vt_strbuf_add(to, c->to);
    vt_strbuf_addn(to, text, from->size);
}

static vta_status add_between(const vta_tokenizer *t, const char *text, size_t size, bool first, vta_diag *diag,
                              vt_tokens *out) {
    const vt_huggingface *h = t->huggingface;
    vt_strbuf now, next;
    if (!size) return VTA_OK;
    vt_strbuf_init(&now, &t->allocator);
    vt_strbuf_addn(&now, text, size);
    for (uint32_t i = 0; i < h->change_count; i++) {
        vt_strbuf_init(&next, &t->allocator);
        change(&next, &now, &h->changes[i], first);
        next.failed = next.failed || now.failed;
        vt_strbuf_free(&now);
        now = next;
    }
    vta_status status = now.failed ? vt_no_memory(diag) : add_changed(t, vt_strbuf_text(&now), now.size, diag, out);
    vt_strbuf_free(&now);
    return status;
}

/* The longest added token that the text begins with; -1: none. */
static int32_t given_at(const vta_tokenizer *t, const char *text, size_t size) {
    size_t n = size < t->huggingface->longest_given ? size : t->huggingface->longest_given;
    for (; n; n--) {
        int32_t token = vt__text_find(t, text, n);
        if (token >= 0 && (t->pieces[token].kind == VT_PIECE_GIVEN || t->pieces[token].kind == VT_PIECE_CONTROL))
            return token;
    }
    return -1;
}

vta_status vt__text_pairs(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out) {
    size_t from = 0, at = 0;
    while (at < size) {
        int32_t token = given_at(t, text + at, size - at);
        if (token < 0) {
            at++;
            continue;
        }
        VT_TRY(add_between(t, text + from, at - from, from == 0, diag, out));
        VT_TRY(vt__text_add(out, token, diag));
        at = from = at + t->pieces[token].size;
    }
    return add_between(t, text + from, at - from, from == 0, diag, out);
}
