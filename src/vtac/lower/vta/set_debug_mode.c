/* Sets the runtime's debug mode first thing in the function. */
#include "lower/vta/vta.h"

const vt_func *vt_pass_set_debug_mode(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    if (!vt__vta(l)->debug_flag) return f;
    const vt_expr *args[] = {vt__command_handle(ctx), vt_i32(ctx, vt__vta(l)->debug_flag)};
    const vt_stmt *items[] = {vt__extern(ctx, "VTASetDebugMode", 2, args), f->body};
    return vt_func_with_body(ctx, f, vt_s_seq(ctx, 2, items));
}
