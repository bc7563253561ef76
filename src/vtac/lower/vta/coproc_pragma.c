/* The pragmas coproc_sync (wait for the accelerator after the marked loop) and trim_loop (run two steps of it only, for
 * looking at a short stream). */
#include "lower/vta/vta.h"

static const vt_stmt *apply(vt_mutator *m, const vt_stmt *s) {
    vt_ctx *ctx = m->ctx;
    s = vt_mutate_stmt_children(m, s);
    if (vt_pragma_is(s, "coproc_sync")) {
        const vt_stmt *items[] = {s->u.attr.body, vt__call(ctx, VT_OP_VTA_COPROC_SYNC, 0, NULL)};
        return vt_s_seq(ctx, 2, items);
    }
    if (!vt_pragma_is(s, "trim_loop")) return s;
    const vt_stmt *loop = s->u.attr.body;
    if (loop->kind != VT_S_FOR)
        vt_raise(ctx, VTA_ILLEGAL, "trim_loop marks something that is not a loop of several steps");
    return vt_loop_with(ctx, loop, loop->u.loop.var, loop->u.loop.min, vt_int(ctx, loop->u.loop.extent->dtype, 2),
                        loop->u.loop.body);
}

const vt_func *vt_pass_coproc_pragma(vt_lowering *l, const vt_func *f) {
    vt_mutator m = {.ctx = l->ctx, .statements_only = true, .stmt = apply};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&m, f->body));
}
