/* String buffers whose text is in the arena: nothing to free, also where printing raises. */
#ifndef VT_BASE_ARENA_TEXT_H
#define VT_BASE_ARENA_TEXT_H

#include "base/context.h"
#include "base/strbuf.h"

/* `room` holds the allocator for as long as text is appended. */
vt_strbuf vt_arena_text(vt_ctx *ctx, vta_allocator *room);
/* The finished text; raises VTA_NO_MEMORY where an append ran out of memory. */
const char *vt_arena_text_take(vt_ctx *ctx, const vt_strbuf *sb);

#endif
