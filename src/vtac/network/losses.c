/* What integers lose, layer by layer: the public side of frontend/quant/blame.h. */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "network/handles.h"
#include "network/precise.h"

typedef struct telling {
    const vtac_quantized *quantized;
    const void *const *const *samples;
    size_t count;
    uint32_t depth;
    bool (*tell)(void *user, const vtac_loss *loss);
    void *user;
    bool *wide, *parts; /* by the tensor's index: what it may have */
} telling;

static const char *text_of(vt_ctx *ctx, const char *value, const char *bits) {
    size_t size = strlen(value) + strlen(bits) + 2;
    char *text = vt_new_bytes(ctx, size);
    snprintf(text, size, "%s:%s", value, bits);
    return text;
}

/* Of the cause that is the largest. */
static const char *precise_of(const telling *t, vt_ctx *ctx, const vt_qlayer *l, const vt_qblame *b) {
    const vt_qtensor *x = l->input_count ? l->inputs[0] : NULL, *y = l->output;
    double own = b->noise[VT_QCAUSE_ROUNDING] + b->noise[VT_QCAUSE_RANGE];
    if (b->noise[VT_QCAUSE_WEIGHTS] > own) return x && t->parts[x->index] ? text_of(ctx, x->name, "coarse") : NULL;
    if (t->wide[y->index]) return text_of(ctx, y->name, "wide");
    return t->parts[y->index] ? text_of(ctx, y->name, "fine") : NULL;
}

static vta_status tell_all(const telling *t, vt_ctx *ctx, const vt_qblame *blames) {
    const vt_qnet *net = t->quantized->net;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        const vt_qblame *b = &blames[l->output->index];
        if (!b->count) continue; /* it rounds nothing */
        vtac_loss loss = {.size = sizeof loss,
                          .value = l->output->name,
                          .kind = vt_qkind_text(l->kind),
                          .precise = precise_of(t, ctx, l, b),
                          .rounding = b->noise[VT_QCAUSE_ROUNDING],
                          .range = b->noise[VT_QCAUSE_RANGE],
                          .weights = b->noise[VT_QCAUSE_WEIGHTS],
                          .cut = b->cut,
                          .count = b->count};
        if (t->tell(t->user, &loss)) return vt_fail(ctx->diag, VTA_INTERRUPTED, "interrupted");
    }
    return VTA_OK;
}

/* Within vt_protect. */
static vta_status measure_and_tell(vt_ctx *ctx, void *arg) {
    telling *t = arg;
    const vt_qnet *net = t->quantized->net;
    vt_qblame *blames = VT_NEW_ARRAY(ctx, vt_qblame, net->tensor_count + 1);
    t->wide = VT_NEW_ARRAY(ctx, bool, net->tensor_count + 1);
    t->parts = VT_NEW_ARRAY(ctx, bool, net->tensor_count + 1);
    VT_TRY(vt_qblame_measure(net, t->samples, t->count, t->depth, NULL, t->quantized->shared->allocator, ctx->diag,
                             blames));
    vt__precise_may(net, blames, t->wide, t->parts);
    return tell_all(t, ctx, blames);
}

vta_status vtac_quantized_losses(const vtac_quantized *quantized, const void *const *const *samples, size_t count,
                                 uint32_t depth, bool (*tell)(void *user, const vtac_loss *loss), void *user,
                                 vta_diag *diag) {
    if (!quantized || !samples || !tell || !count)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "losses: %s",
                       !quantized ? "quantized is NULL"
                       : !samples ? "samples is NULL"
                       : !tell    ? "tell is NULL"
                                  : "no samples are given");
    vt_ctx *ctx = &quantized->shared->ctx;
    telling t = {quantized, samples, count, depth, tell, user, NULL, NULL};
    ctx->diag = diag;
    vta_status status = vt_protect(ctx, measure_and_tell, &t);
    ctx->diag = NULL;
    return status;
}
