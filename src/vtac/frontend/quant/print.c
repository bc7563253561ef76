/* A quantized network as text: one line a layer. */
#include <inttypes.h>

#include "base/arena_text.h"
#include "frontend/quant/quant.h"

const char *vt_qkind_text(vt_qkind kind) {
    static const char *const texts[] = {
#define VT_QLAYER(name, text, meaning) text,
#include "frontend/quant/layers.def"
    };
    return texts[kind];
}

const char *vt_qstep_text(vt_qstep_kind kind) {
    static const char *const texts[] = {
#define VT_QSTEP(name, text, number, channels, tensor, meaning) text,
#include "frontend/quant/steps.def"
    };
    return texts[kind];
}

static void print_window(const vt_qlayer *l, vt_strbuf *sb) {
    const vt_qwindow *w = &l->window;
    if (l->kind != VT_Q_CONV && l->kind != VT_Q_CONV_TRANSPOSE && l->kind != VT_Q_MAX_POOL && l->kind != VT_Q_SUM_POOL)
        return;
    vt_strbuf_addf(sb, " kernel=%" PRId64 ",%" PRId64 " strides=%" PRId64 ",%" PRId64, w->kernel[0], w->kernel[1],
                   w->strides[0], w->strides[1]);
    if (w->dilations[0] != 1 || w->dilations[1] != 1)
        vt_strbuf_addf(sb, " dilations=%" PRId64 ",%" PRId64, w->dilations[0], w->dilations[1]);
    if (w->pads[0] || w->pads[1] || w->pads[2] || w->pads[3])
        vt_strbuf_addf(sb, " pads=%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, w->pads[0], w->pads[1], w->pads[2],
                       w->pads[3]);
    if (l->group != 1) vt_strbuf_addf(sb, " group=%" PRId64, l->group);
}

static void print_step(const vt_qstep *s, vt_strbuf *sb) {
    vt_strbuf_addf(sb, "; %s", vt_qstep_text(s->kind));
    if (s->tensor) vt_strbuf_addf(sb, " %s", s->tensor->name);
    if (!s->channel) vt_strbuf_addf(sb, " %" PRId32, s->number);
}

static void print_layer(const vt_qlayer *l, vt_strbuf *sb) {
    char type[VT_GTYPE_TEXT];
    vt_strbuf_addf(sb, "%s: %s", l->output->name, vt_gtype_text(&l->output->type, type));
    if (l->output->scale > 0) vt_strbuf_addf(sb, " * %.6g", l->output->scale);
    if (l->output->channel) vt_strbuf_add(sb, " * a factor of each channel");
    if (l->output->form) vt_strbuf_add(sb, l->output->form == VT_QFORM_ROWS ? " in rows" : " as weights");
    if (l->output->parts & VT_QPART_FINE) vt_strbuf_add(sb, " with fine parts");
    if (l->output->parts & VT_QPART_COARSE) vt_strbuf_add(sb, " with coarse parts");
    vt_strbuf_addf(sb, " = %s", l->kind == VT_Q_FLOAT ? vt_gop_text(l->node->op) : vt_qkind_text(l->kind));
    for (uint32_t i = 0; i < l->input_count; i++) vt_strbuf_addf(sb, "%s%s", i ? ", " : "(", l->inputs[i]->name);
    vt_strbuf_add(sb, l->input_count ? ")" : "()");
    if (l->shares) vt_strbuf_add(sb, " shares");
    if (l->repeated) vt_strbuf_add(sb, " for each row");
    if (l->transposed) vt_strbuf_add(sb, " transposed");
    print_window(l, sb);
    if (l->weight) vt_strbuf_addf(sb, " weight=%s", vt_gtype_text(&l->weight_type, type));
    for (uint32_t i = 0; i < l->step_count; i++) print_step(&l->steps[i], sb);
    vt_strbuf_addc(sb, '\n');
}

const char *vt_qnet_text(const vt_qnet *net) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(net->ctx, &room);
    for (uint32_t i = 0; i < net->layer_count; i++) print_layer(net->layers[i], &sb);
    return vt_arena_text_take(net->ctx, &sb);
}
