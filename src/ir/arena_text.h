/* String buffers whose text is in the arena: nothing to free, also where printing raises. */
#ifndef VT_IR_ARENA_TEXT_H
#define VT_IR_ARENA_TEXT_H

#include "base/context.h"
#include "base/strbuf.h"

/* `room` holds the allocator for as long as text is appended. */
vt_strbuf vt__arena_text(vt_ctx *ctx, vta_allocator *room);

#endif
