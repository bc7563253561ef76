/* A growing string. A failed allocation is remembered: later appends do nothing, and vt_strbuf_take gives NULL,
 * so that a printer checks once, at its end. */
#ifndef VT_BASE_STRBUF_H
#define VT_BASE_STRBUF_H

#include <stdarg.h>

#include "base/alloc.h"

typedef struct vt_strbuf {
    const vta_allocator *allocator;
    char *text; /* zero terminated once anything was appended */
    size_t size;
    size_t cap;
    bool failed;
} vt_strbuf;

void vt_strbuf_init(vt_strbuf *sb, const vta_allocator *allocator);
void vt_strbuf_free(vt_strbuf *sb);
void vt_strbuf_clear(vt_strbuf *sb);
void vt_strbuf_add(vt_strbuf *sb, const char *s);
void vt_strbuf_addn(vt_strbuf *sb, const char *s, size_t n);
void vt_strbuf_addc(vt_strbuf *sb, char c);
void vt_strbuf_addf(vt_strbuf *sb, const char *fmt, ...) VTA_PRINTF(2, 3);
void vt_strbuf_vaddf(vt_strbuf *sb, const char *fmt, va_list args) VTA_PRINTF(2, 0);
/* The text so far ("" when empty). */
const char *vt_strbuf_text(const vt_strbuf *sb);
/* Hands the text over without a copy, to be freed with vt_strfree (so it must hold no zero); NULL when any append ran
 * out of memory. The buffer is empty afterwards, and need not be freed. */
char *vt_strbuf_take(vt_strbuf *sb);

#endif
