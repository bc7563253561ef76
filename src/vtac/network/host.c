/* Layers of integers as functions for the host, on the same tiles: the text of a kernel file each. */
#include <inttypes.h>
#include <string.h>

#include "base/arena_text.h"
#include "network/integer.h"

static void write_layer(vt__integer *w) {
    bool tiles = w->l->kind != VT_Q_QUANTIZE && w->l->kind != VT_Q_DEQUANTIZE && w->l->kind != VT_Q_CONCAT &&
                 w->l->kind != VT_Q_MOVE && w->l->kind != VT_Q_MATMUL && w->l->kind != VT_Q_ROW_MAX;
    if (tiles) vt__integer_tiles(w, "x", w->l->inputs[0]);
    switch (w->l->kind) {
    case VT_Q_QUANTIZE: vt__integer_quantize(w); break;
    case VT_Q_DEQUANTIZE: vt__integer_dequantize(w); break;
    case VT_Q_CONV: vt__integer_conv(w); break;
    case VT_Q_CONV_TRANSPOSE: vt__integer_conv_transpose(w); break;
    case VT_Q_DENSE: vt__integer_dense(w); break;
    case VT_Q_MATMUL: vt__integer_matmul(w); break;
    case VT_Q_ROW_MAX: vt__integer_row_max(w); break;
    case VT_Q_NORM: vt__integer_norm(w); break;
    case VT_Q_MAX_POOL:
    case VT_Q_SUM_POOL: vt__integer_pool(w); break;
    case VT_Q_MAP: vt__integer_map(w); break;
    case VT_Q_MUL: vt__integer_mul(w); break;
    case VT_Q_MOVE: vt__integer_move(w); break;
    case VT_Q_TABLE: vt__integer_table(w); break;
    case VT_Q_CONCAT: vt__integer_concat(w); break;
    case VT_Q_UPSAMPLE: vt__integer_upsample(w); break;
    case VT_Q_RESHAPE: vt__integer_reshape(w); break;
    case VT_Q_FLOAT:
    case VT_QKIND_COUNT: break;
    }
}

vt_host vt__host_of(const vt__net *n) { return (vt_host){n->config, n->allocator, n->ctx->diag, n->kernels}; }

vtac_kernel *vt__kernel_of(vt__net *n, const vt_qlayer *l, const char *text) {
    const vt_host host = vt__host_of(n);
    vtac_kernel *kernel;
    vt__must(n, vt_host_kernel(&host, l->name, text, &kernel));
    return kernel;
}

void vt__call_kernel(vt__net *n, const vt_qlayer *l, vtac_kernel *kernel, const vt__args *args) {
    vt__must(n, vt_planner_call(n->planner, l->name, kernel, args->item, args->count, n->ctx->diag));
}

static void call_text(vt__integer *w) {
    vta_allocator room;
    vt_ctx *ctx = w->n->ctx;
    vt_strbuf all = vt_arena_text(ctx, &room);
    vt_strbuf_addf(&all, "kernel %s\ntarget llvm\n%s", vt_qkind_text(w->l->kind), vt_strbuf_text(w->out));
    vt__call_kernel(w->n, w->l, vt__kernel_of(w->n, w->l, vt_arena_text_take(ctx, &all)), w->args);
}

void vt__on_processor(vt__net *n, const vt_qlayer *l) {
    vta_allocator room;
    vt_strbuf text = vt_arena_text(n->ctx, &room);
    vt__args args = {.count = 0};
    vt__integer w = {.n = n, .l = l, .out = &text, .args = &args};
    if (l->kind == VT_Q_FLOAT) {
        vt__float_on_processor(n, l);
        return;
    }
    if (vt__table_step(n, l)) return;
    vt_qtensor_image(&l->inputs[0]->type, w.in);
    vt_qtensor_image(&l->output->type, w.to);
    w.channel = vt_new_format(
        n->ctx, w.to[1] % n->block ? "min(co * %" PRId64 " + ci, %" PRId64 ")" : "(co * %" PRId64 " + ci)", n->block,
        w.to[1] - 1);
    write_layer(&w);
    call_text(&w);
}
