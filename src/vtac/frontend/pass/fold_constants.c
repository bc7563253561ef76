/* Nodes of constants alone are computed now. */
#include "frontend/eval/eval.h"
#include "frontend/pass/pass.h"

/* DequantizeLinear stays: it says how its constant is quantized. So does what would make large constants of small ones.
 */
static bool is_foldable(const vt_gnode *n, vt_gvalue *const *inputs) {
    size_t in = 0, out = 0;
    if (n->op == VT_G_DEQUANTIZE_LINEAR) return false;
    for (uint32_t i = 0; i < n->input_count; i++) {
        if (!inputs[i]) continue;
        if (!inputs[i]->data) return false;
        in += vt_gtype_bytes(&inputs[i]->type);
    }
    for (uint32_t i = 0; i < n->output_count; i++) out += vt_gtype_bytes(&n->outputs[i]->type);
    return out <= 4 * in + 4096;
}

static void fold(vt_rewrite *r, const vt_gnode *n, vt_gvalue *const *inputs) {
    vt_ctx *ctx = r->to->ctx;
    const void **in = VT_NEW_ARRAY(ctx, const void *, n->input_count);
    void **out = VT_NEW_ARRAY(ctx, void *, n->output_count);
    for (uint32_t i = 0; i < n->input_count; i++) in[i] = inputs[i] ? inputs[i]->data : NULL;
    for (uint32_t i = 0; i < n->output_count; i++) out[i] = vt_new_bytes(ctx, vt_gtype_bytes(&n->outputs[i]->type));
    vta_status status = vt_eval_node(n, in, out, ctx->arena.allocator, ctx->diag);
    if (status != VTA_OK) vt_leave(ctx, status);
    for (uint32_t i = 0; i < n->output_count; i++) {
        const vt_gvalue *v = n->outputs[i];
        vt_rewrite_replace(r, v, vt_graph_constant(r->to, v->name, v->type, out[i]));
    }
}

const vt_graph *vt_graph_pass_fold_constants(const vt_graph *g) {
    vt_rewrite r = vt_rewrite_begin(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *n = g->nodes[i];
        vt_gvalue **inputs = VT_NEW_ARRAY(g->ctx, vt_gvalue *, n->input_count);
        for (uint32_t k = 0; k < n->input_count; k++) inputs[k] = vt_rewrite_of(&r, n->inputs[k]);
        if (is_foldable(n, inputs))
            fold(&r, n, inputs);
        else
            vt_rewrite_keep(&r, n);
    }
    return vt_rewrite_end(&r);
}
