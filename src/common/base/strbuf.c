#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

void vt_strbuf_init(vt_strbuf *sb, const vta_allocator *allocator) { *sb = (vt_strbuf){.allocator = allocator}; }

void vt_strbuf_free(vt_strbuf *sb) {
    vt_free(sb->allocator, sb->text, sb->cap);
    *sb = (vt_strbuf){.allocator = sb->allocator};
}

void vt_strbuf_clear(vt_strbuf *sb) {
    sb->size = 0;
    sb->failed = false;
    if (sb->text) sb->text[0] = 0;
}

/* Room for n more characters and the terminator. */
static bool room(vt_strbuf *sb, size_t n) {
    size_t want;
    if (sb->failed || !vt_add_size(sb->size, n, &want) || !vt_add_size(want, 1, &want) ||
        !vt_reserve(sb->allocator, &sb->text, &sb->cap, want, 1)) {
        sb->failed = true;
        return false;
    }
    return true;
}

void vt_strbuf_addn(vt_strbuf *sb, const char *s, size_t n) {
    if (!room(sb, n)) return;
    memcpy(sb->text + sb->size, s, n);
    sb->size += n;
    sb->text[sb->size] = 0;
}

void vt_strbuf_add(vt_strbuf *sb, const char *s) { vt_strbuf_addn(sb, s, strlen(s)); }

void vt_strbuf_addc(vt_strbuf *sb, char c) { vt_strbuf_addn(sb, &c, 1); }

void vt_strbuf_addf(vt_strbuf *sb, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vt_strbuf_vaddf(sb, fmt, args);
    va_end(args);
}

void vt_strbuf_vaddf(vt_strbuf *sb, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0) {
        sb->failed = true;
        return;
    }
    if (!room(sb, (size_t)n)) return;
    vsnprintf(sb->text + sb->size, (size_t)n + 1, fmt, args);
    sb->size += (size_t)n;
}

const char *vt_strbuf_text(const vt_strbuf *sb) { return sb->text ? sb->text : ""; }

char *vt_strbuf_take(vt_strbuf *sb) {
    char *text = NULL;
    if (!sb->failed && sb->text)
        text = vt_resize(sb->allocator, sb->text, sb->cap, sb->size + 1);
    else if (!sb->failed)
        text = vt_strdup(sb->allocator, "");
    if (text) *sb = (vt_strbuf){.allocator = sb->allocator}; /* its memory was given away */
    vt_strbuf_free(sb);
    return text;
}
