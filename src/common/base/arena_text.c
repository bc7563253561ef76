#include "base/arena_text.h"

#include <string.h>

static void *arena_resize(void *arena, void *old, size_t old_size, size_t new_size) {
    void *fresh = new_size ? vt_arena_alloc(arena, new_size) : NULL;
    if (fresh && old) memcpy(fresh, old, old_size < new_size ? old_size : new_size);
    return fresh;
}

vt_strbuf vt_arena_text(vt_ctx *ctx, vta_allocator *room) {
    *room = (vta_allocator){arena_resize, &ctx->arena};
    vt_strbuf sb;
    vt_strbuf_init(&sb, room);
    return sb;
}

const char *vt_arena_text_take(vt_ctx *ctx, const vt_strbuf *sb) {
    if (sb->failed) vt_raise(ctx, VTA_NO_MEMORY, "out of memory");
    return vt_strbuf_text(sb);
}
