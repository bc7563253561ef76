/* Drops copies marked skip_dma_copy: for measuring what is left without them. */
#include "lower/vta/vta.h"

static const vt_stmt *skip(vt_mutator *m, const vt_stmt *s) {
    return vt_pragma_is(s, "skip_dma_copy") ? vt_s_nop(m->ctx) : vt_mutate_stmt_children(m, s);
}

const vt_func *vt_pass_inject_skip_copy(vt_lowering *l, const vt_func *f) {
    vt_mutator m = {.ctx = l->ctx, .statements_only = true, .stmt = skip};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&m, f->body));
}
