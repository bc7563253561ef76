#include "base/context.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/spill.h"
#include "base/strbuf.h"

void vt_ctx_init(vt_ctx *ctx, const vta_allocator *allocator, vta_diag *diag) {
    *ctx = (vt_ctx){.diag = diag};
    vt_arena_init(&ctx->arena, allocator);
}

void vt_ctx_clear(vt_ctx *ctx) {
    while (ctx->sides) vt_aside_free(ctx, ctx->sides);
    vt_arena_clear(&ctx->arena);
    vt_spill_clear(ctx);
}

/* ---- Memory beside the arena ---- */

/* Held for a few instructions. */
static void lock_sides(vt_ctx *ctx) {
    while (atomic_flag_test_and_set_explicit(&ctx->sides_locked, memory_order_acquire)) sched_yield();
}

static void unlock_sides(vt_ctx *ctx) { atomic_flag_clear_explicit(&ctx->sides_locked, memory_order_release); }

vt_aside *vt_aside_open(vt_ctx *ctx) {
    vt_aside *side = vt_alloc_zero(ctx->arena.allocator, sizeof *side);
    if (!side) return NULL;
    side->arena = ctx->arena;
    vt_arena_init(&ctx->arena, side->arena.allocator);
    lock_sides(ctx);
    side->next = ctx->sides;
    if (side->next) side->next->before = side;
    ctx->sides = side;
    unlock_sides(ctx);
    return side;
}

void vt_aside_close(vt_ctx *ctx, vt_aside *side) {
    vt_arena own = side->arena;
    side->arena = ctx->arena;
    ctx->arena = own;
}

void vt_aside_free(vt_ctx *ctx, vt_aside *side) {
    if (!side) return;
    lock_sides(ctx);
    if (side->next) side->next->before = side->before;
    if (side->before)
        side->before->next = side->next;
    else
        ctx->sides = side->next;
    unlock_sides(ctx);
    const vta_allocator *allocator = side->arena.allocator;
    vt_arena_clear(&side->arena);
    vt_free(allocator, side, sizeof *side);
}

size_t vt_ctx_bytes(vt_ctx *ctx) {
    size_t bytes = ctx->arena.bytes;
    lock_sides(ctx);
    for (const vt_aside *side = ctx->sides; side; side = side->next) bytes += side->arena.bytes;
    unlock_sides(ctx);
    return bytes;
}

jmp_buf *vt_exit_open(vt_ctx *ctx, vt_exit *here) {
    here->outer = ctx->exit;
    ctx->exit = here;
    return &here->where;
}

vta_status vt_exit_close(vt_ctx *ctx, const vt_exit *here) {
    ctx->exit = here->outer;
    return ctx->left_with;
}

vta_status vt_protect(vt_ctx *ctx, vta_status (*body)(vt_ctx *ctx, void *arg), void *arg) {
    vt_exit here;
    if (setjmp(*vt_exit_open(ctx, &here)) != 0) return vt_exit_close(ctx, &here);
    vta_status status = body(ctx, arg);
    vt_exit_close(ctx, &here);
    return status;
}

vta_status vt_protect_to(vt_ctx *ctx, vta_diag *diag, vta_status (*body)(vt_ctx *ctx, void *arg), void *arg) {
    vta_diag *own = ctx->diag;
    if (diag) ctx->diag = diag;
    vta_status status = vt_protect(ctx, body, arg);
    ctx->diag = own;
    return status;
}

void vt_leave(vt_ctx *ctx, vta_status status) {
    ctx->left_with = status;
    longjmp(ctx->exit->where, 1);
}

static void record(vt_ctx *ctx, vta_status status, vt_pos pos, const char *detail, const char *fmt, va_list args) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, ctx->arena.allocator);
    vt_strbuf_vaddf(&sb, fmt, args);
    if (sb.failed)
        vt_no_memory(ctx->diag);
    else
        vt_fail_at(ctx->diag, status, pos, "%s", vt_strbuf_text(&sb));
    vt_strbuf_free(&sb);
    if (detail) vt_detail(ctx->diag, "%s", detail);
}

void vt_raise(vt_ctx *ctx, vta_status status, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    record(ctx, status, VT_NO_POS, NULL, fmt, args);
    va_end(args);
    vt_leave(ctx, status);
}

void vt_raise_at(vt_ctx *ctx, vta_status status, vt_pos pos, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    record(ctx, status, pos, NULL, fmt, args);
    va_end(args);
    vt_leave(ctx, status);
}

void vt_raise_detailed(vt_ctx *ctx, vta_status status, const char *detail, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    record(ctx, status, VT_NO_POS, detail, fmt, args);
    va_end(args);
    vt_leave(ctx, status);
}

void vt_poll(vt_ctx *ctx) {
    if (ctx->interrupt && atomic_load_explicit(ctx->interrupt, memory_order_relaxed))
        vt_raise(ctx, VTA_INTERRUPTED, "interrupted");
}

static _Noreturn void raise_no_memory(vt_ctx *ctx) {
    vt_no_memory(ctx->diag);
    vt_leave(ctx, VTA_NO_MEMORY);
}

void *vt_new_bytes(vt_ctx *ctx, size_t size) {
    void *p = vt_arena_alloc_zero(&ctx->arena, size);
    if (!p) raise_no_memory(ctx);
    return p;
}

void *vt_new_unset(vt_ctx *ctx, size_t size) {
    void *p = vt_arena_alloc(&ctx->arena, size);
    if (!p) raise_no_memory(ctx);
    return p;
}

void *vt_new_array_bytes(vt_ctx *ctx, size_t count, size_t item) {
    size_t size;
    if (!vt_mul_size(count, item, &size)) raise_no_memory(ctx);
    return vt_new_bytes(ctx, size);
}

char *vt_new_stringn(vt_ctx *ctx, const char *s, size_t n) {
    char *copy = vt_arena_strndup(&ctx->arena, s, n);
    if (!copy) raise_no_memory(ctx);
    return copy;
}

char *vt_new_string(vt_ctx *ctx, const char *s) { return vt_new_stringn(ctx, s, strlen(s)); }

char *vt_new_format(vt_ctx *ctx, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = vt_arena_alloc(&ctx->arena, (size_t)(n > 0 ? n : 0) + 1);
    if (text) vsnprintf(text, (size_t)(n > 0 ? n : 0) + 1, fmt, args);
    va_end(args);
    if (!text) raise_no_memory(ctx);
    return text;
}

void vt_grow(vt_ctx *ctx, void *items_ptr, uint32_t *cap, uint32_t want, size_t item) {
    if (want <= *cap) return;
    uint32_t grown = *cap ? *cap : 8;
    while (grown < want) grown = grown > UINT32_MAX / 2 ? UINT32_MAX : grown * 2;
    void *old, *items = vt_new_array_bytes(ctx, grown, item);
    memcpy(&old, items_ptr, sizeof old);
    if (old) memcpy(items, old, (size_t)*cap * item);
    memcpy(items_ptr, &items, sizeof items);
    *cap = grown;
}
