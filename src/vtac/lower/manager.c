/* Runs the pipeline: which passes run, what is printed after each. */
#include <string.h>

#include "base/clock.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "lower/own_buffers.h"
#include "lower/vta/vta.h"

typedef enum pass_sort { GENERIC, VTA } pass_sort;

static const struct {
    pass_sort sort;
    vt_pass *run;
    vtac_pass_info info;
} passes[] = {
#define VT_PASS(sort, function, name, does, reason) {sort, vt_pass_##function, {name, does, reason, sort == VTA}},
#include "lower/pipeline.def"
#undef VT_PASS
};

enum { PASS_COUNT = sizeof passes / sizeof *passes };

size_t vtac_pass_count(void) { return PASS_COUNT; }

vta_status vtac_pass_get(size_t index, vtac_pass_info *out_info) {
    if (!out_info) return VTA_INVALID_ARGUMENT;
    *out_info = (vtac_pass_info){0};
    if (index >= PASS_COUNT) return VTA_OUT_OF_RANGE;
    *out_info = passes[index].info;
    return VTA_OK;
}

static bool is_disabled(const vtac_lower_options *o, vt_pass *pass, const char *name) {
    if (o->simple && pass == vt_pass_loop_partition) return true;
    for (size_t i = 0; i < o->disabled_count; i++)
        if (strcmp(o->disabled[i], name) == 0) return true;
    return false;
}

/* A misspelt name would silently disable nothing. */
static void check_disabled(vt_ctx *ctx, const vtac_lower_options *o) {
    for (size_t i = 0; i < o->disabled_count; i++) {
        bool known = false;
        for (size_t k = 0; k < PASS_COUNT; k++) known |= strcmp(passes[k].info.name, o->disabled[i]) == 0;
        if (!known) vt_raise(ctx, VTA_NOT_FOUND, "there is no pass \"%s\"; see the list of passes", o->disabled[i]);
    }
}

static void verify(vt_ctx *ctx, const vt_func *f, const char *pass) {
    vta_status status = vt_verify(ctx, f, ctx->diag);
    if (status == VTA_NO_MEMORY) vt_leave(ctx, status);
    if (status != VTA_OK) vt_raise(ctx, VTA_INTERNAL, "the function is not well formed after pass %s", pass);
}

/* The event's text, in the arena: the callback may not return, and nothing is left to free. */
static const char *text_of(vt_ctx *ctx, const vt_func *f, vtac_style style) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, ctx->arena.allocator);
    if (style == VTAC_STYLE_TVMSCRIPT)
        vt_print_tvmscript(ctx, f, &sb);
    else
        vt_print_primfn(ctx, f, &sb);
    const char *text = sb.failed ? NULL : vt_arena_strndup(&ctx->arena, vt_strbuf_text(&sb), sb.size);
    vt_strbuf_free(&sb);
    if (!text) vt_raise(ctx, VTA_NO_MEMORY, "out of memory");
    return text;
}

vt_lowering *vt_lowering_new(vt_ctx *ctx, const vtac_lower_options *options) {
    vt_lowering *l = VT_NEW(ctx, vt_lowering);
    *l = (vt_lowering){
        .ctx = ctx, .unroll_max_step = options->unroll_max_step, .partition_const = options->partition_const_loops};
    if (!options->config) return l;
    vt_vta *vta = vt_vta_new(ctx, options->config);
    vta->debug_flag = options->debug_flag;
    vta->mock = options->mock;
    vta->annotate = options->annotate;
    l->target = &vta->target;
    return l;
}

/* The one thing in the arena that a pass may leave behind beside the function. */
static const vt_iter *thread_axis(const vt_lowering *l) { return l->target ? ((const vt_vta *)l->target)->axis : NULL; }

/* What a pass that changes nothing took for itself is used again. */
static const vt_func *run(size_t pass, vt_lowering *l, const vt_func *f) {
    const vt_iter *axis = thread_axis(l);
    vt_arena_mark mark = vt_arena_here(&l->ctx->arena);
    const vt_func *made = passes[pass].run(l, f);
    if (made == f && thread_axis(l) == axis) vt_arena_reuse(&l->ctx->arena, mark);
    return made;
}

const vt_func *vt_lower(vt_ctx *ctx, const vt_func *f, const vtac_lower_options *options, vt_tile_axis *tile_axis,
                        const void *schedule) {
    static const vtac_lower_options defaults;
    const vtac_lower_options *o = options ? options : &defaults;
    vt_lowering *l = vt_lowering_new(ctx, o);
    l->tile_axis = tile_axis;
    l->schedule = schedule;
    check_disabled(ctx, o);
    vt_own_buffers *own = vt_own_buffers_new(ctx, f);
    for (size_t i = 0; i < PASS_COUNT; i++) {
        vtac_pass_event event = {.size = sizeof event, .index = i, .name = passes[i].info.name};
        const vt_func *before = f;
        event.skipped = (passes[i].sort == VTA && !l->target) || is_disabled(o, passes[i].run, event.name);
        vt_poll(ctx);
        if (!event.skipped) {
            uint64_t start = vt_now_ns();
            f = run(i, l, f);
            event.nanoseconds = vt_now_ns() - start;
            if (o->verify) verify(ctx, f, event.name);
            if (f != before) {
                l->last = passes[i].run;
                l->given = before;
                vt_own_buffers_check(own, f, event.name);
            }
        }
        event.changed = f != before && (f->body != before->body || f->bindings != before->bindings);
        if (!o->after) continue;
        if (o->print && event.changed) event.text = text_of(ctx, f, o->style);
        o->after(o->user, &event);
    }
    vt_arena_trim(&ctx->arena);
    return f;
}
