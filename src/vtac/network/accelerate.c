/* Layers as operators of the accelerator. */
#include <inttypes.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/versioned.h"
#include "network/priv.h"

/* ---- The epilogue ---------------------------------------------------------------------------------------------- */

/* A bias by GEMM takes one cycle an output where the ALU takes two, and weights for each block of channels: for images.
 */
static bool is_by_gemm(const vt__net *n, const vt_qlayer *l, const vt_qstep *s) {
    enum { OUTPUTS = 32 };
    int64_t to[4], most = vta_conv_bias_most(n->config, 1);
    if (s != l->steps || s->kind != VT_QSTEP_BIAS || l->kind != VT_Q_CONV) return false;
    vt_qtensor_image(&l->output->type, to);
    for (int64_t i = 0; i < to[1]; i++)
        if (s->channel[i] > most || s->channel[i] < -most) return false;
    return to[2] * to[3] >= OUTPUTS;
}

static void write_step(const vt__net *n, const vt_qlayer *l, const vt_qstep *s, vt_strbuf *out) {
    const char *text = is_by_gemm(n, l, s) ? "bias_int8" : vt_qstep_text(s->kind);
    vt_strbuf_addf(out, "%s%s", out->size && out->text[out->size - 1] != '=' ? "," : "", text);
    if (!s->channel) vt_strbuf_addf(out, ":%" PRId32, s->number);
}

/* Immediates of the ALU have 16 bits. */
static bool fits(const vt_qstep *s) {
    bool immediate = !s->channel && s->kind != VT_QSTEP_RESIDUAL;
    return !immediate || (s->number >= INT16_MIN && s->number <= INT16_MAX);
}

static bool write_epilogue(const vt__net *n, const vt_qlayer *l, uint32_t first, vt_strbuf *out) {
    if (l->step_count == first) return true;
    vt_strbuf_add(out, " epilogue=");
    for (uint32_t i = first; i < l->step_count; i++) {
        if (!fits(&l->steps[i])) return false;
        write_step(n, l, &l->steps[i], out);
    }
    return true;
}

/* In the order of an operator's arguments: vectors, digits, tensors. */
static void give_steps(vt__net *n, const vt_qlayer *l, vt__args *a) {
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].channel && !is_by_gemm(n, l, &l->steps[i]))
            vt__give(a, vt__channels(n, l, l->steps[i].channel));
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].channel && is_by_gemm(n, l, &l->steps[i])) vt__give(a, vt__digits(n, l, l->steps[i].channel));
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].tensor) vt__give(a, vt__buffer_of(n, l->steps[i].tensor));
}

/* ---- The operator ---------------------------------------------------------------------------------------------- */

static void write_window(const vt_qwindow *w, vt_strbuf *out) {
    static const char *const pads[] = {"top", "left", "bottom", "right"};
    for (int i = 0; i < 2; i++) {
        char axis = i ? 'w' : 'h';
        vt_strbuf_addf(out, " kernel_%c=%" PRId64 " stride_%c=%" PRId64, axis, w->kernel[i], axis, w->strides[i]);
        if (w->dilations[i] != 1) vt_strbuf_addf(out, " dilation_%c=%" PRId64, axis, w->dilations[i]);
    }
    for (int i = 0; i < 4; i++)
        if (w->pads[i]) vt_strbuf_addf(out, " pad_%s=%" PRId64, pads[i], w->pads[i]);
}

/* A layer as a convolution: what it is, or a sum or a map as one of single channels. */
typedef struct as_conv {
    int64_t channels, height, width; /* of the input */
    vt_qwindow window;
    int64_t group;
    const int8_t *weight; /* O, I / group, H, W */
    uint32_t first;       /* step of the epilogue */
    bool gathered;        /* the processor gathers the taps; also of a layer that is none */
} as_conv;

/* The same number for every channel and tap. */
static const int8_t *repeated(const vt__net *n, int64_t count, int32_t number) {
    int8_t *w = vt_new_bytes(n->ctx, (size_t)count);
    memset(w, number, (size_t)count);
    return w;
}

static bool has_tensor(const vt_qlayer *l) {
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].tensor) return true;
    return false;
}

/* A product with one number comes first: it becomes the weights. */
static bool is_weighted(const vt_qlayer *l) {
    const vt_qstep *s = &l->steps[0];
    return l->step_count > 0 && s->kind == VT_QSTEP_MULTIPLY && s->number >= INT8_MIN && s->number <= INT8_MAX;
}

/* The window of the operator, and rows and columns of the image that it is given. */
static void see_window(const vt_qlayer *l, bool gather, vt_qwindow *out, int64_t *out_height, int64_t *out_width) {
    int64_t first[2], in[4], to[4];
    *out = vt__seen_window(l, first);
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    *out_height = gather ? to[2] * out->kernel[0] : in[2];
    *out_width = gather ? to[3] * out->kernel[1] : in[3];
    if (gather) *out = vt__gathered_window(out);
}

static bool conv_of(const vt__net *n, const vt_qlayer *l, bool gather, as_conv *out) {
    int64_t in[4], to[4];
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    *out = (as_conv){in[1], in[2], in[3], l->window, l->group, l->weight, 0, gather};
    if (l->kind == VT_Q_CONV && vt__is_folded(n, l)) {
        *out = (as_conv){in[1] * l->window.kernel[0] * l->window.kernel[1],
                         to[2],
                         to[3],
                         {{1, 1}, {1, 1}, {1, 1}, {0}},
                         1,
                         vt__folded_weights(n, l),
                         0,
                         false};
        return true;
    }
    if (l->kind == VT_Q_CONV || l->kind == VT_Q_SUM_POOL)
        see_window(l, gather, &out->window, &out->height, &out->width);
    if (l->kind == VT_Q_CONV) return true;
    if (!is_weighted(l) || (l->kind != VT_Q_SUM_POOL && (l->kind != VT_Q_MAP || !has_tensor(l)))) return false;
    if (l->kind == VT_Q_MAP) out->window = (vt_qwindow){{1, 1}, {1, 1}, {1, 1}, {0}};
    out->group = in[1];
    out->weight = repeated(n, in[1] * out->window.kernel[0] * out->window.kernel[1], l->steps[0].number);
    out->first = 1;
    return true;
}

static const char *write_conv(const as_conv *c, const vt_qlayer *l, vt_strbuf *out) {
    vt_strbuf_addf(out, " height=%" PRId64 " width=%" PRId64 " in_channels=%" PRId64 " out_channels=%" PRId64,
                   c->height, c->width, c->channels, l->output->type.dim[1]);
    if (c->group != 1) vt_strbuf_addf(out, " groups=%" PRId64, c->group);
    write_window(&c->window, out);
    return "conv2d";
}

/* Rows and columns of the result beyond those that the last input reaches. */
static int64_t open_end(const vt_qlayer *l, int axis, int64_t in, int64_t out) {
    const vt_qwindow *w = &l->window;
    return out - ((in - 1) * w->strides[axis] + w->kernel[axis] - w->pads[axis] - w->pads[2 + axis]);
}

static const char *write_conv_transpose(const vt_qlayer *l, vt_strbuf *out) {
    int64_t in[4], to[4];
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    vt_strbuf_addf(out, " height=%" PRId64 " width=%" PRId64 " in_channels=%" PRId64 " out_channels=%" PRId64, in[2],
                   in[3], in[1], to[1]);
    write_window(&l->window, out);
    vt_strbuf_addf(out, " output_pad_h=%" PRId64 " output_pad_w=%" PRId64, open_end(l, 0, in[2], to[2]),
                   open_end(l, 1, in[3], to[3]));
    return "conv2d_transpose";
}

/* The name of the operator, and its attributes; NULL where there is none. `conv` without weights: it is none. */
static const char *write_operator(const vt__net *n, const vt_qlayer *l, bool gather, as_conv *conv, vt_strbuf *out) {
    int64_t in[4], outs = l->output->type.dim[1];
    vt_qwindow window = l->window;
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_strbuf_addf(out, "batch=%" PRId64, in[0]);
    if (conv_of(n, l, gather, conv)) return write_conv(conv, l, out);
    *conv = (as_conv){.weight = NULL, .gathered = gather};
    if (l->kind == VT_Q_MAX_POOL) see_window(l, gather, &window, &in[2], &in[3]);
    if (l->kind == VT_Q_CONV_TRANSPOSE) return write_conv_transpose(l, out);
    if (l->kind == VT_Q_DENSE) {
        vt_strbuf_addf(out, " in_features=%" PRId64 " out_features=%" PRId64, in[1], outs);
        return "dense";
    }
    vt_strbuf_addf(out, " height=%" PRId64 " width=%" PRId64 " channels=%" PRId64, in[2], in[3], in[1]);
    switch (l->kind) {
    case VT_Q_MAX_POOL:
        write_window(&window, out);
        return window.dilations[0] == 1 && window.dilations[1] == 1 ? "max_pool2d" : NULL;
    case VT_Q_UPSAMPLE:
        vt_strbuf_addf(out, " scale_h=%" PRId64 " scale_w=%" PRId64, l->scale[0], l->scale[1]);
        return "upsample2d";
    case VT_Q_MAP: return has_tensor(l) ? NULL : "identity";
    case VT_Q_QUANTIZE:
    case VT_Q_DEQUANTIZE:
    case VT_Q_CONV:
    case VT_Q_CONV_TRANSPOSE:
    case VT_Q_DENSE:
    case VT_Q_SUM_POOL:
    case VT_Q_CONCAT:
    case VT_Q_RESHAPE:
    case VT_Q_FLOAT:
    case VT_QKIND_COUNT: break;
    }
    return NULL;
}

static const vt__made *find(const vt__net *n, const char *text) {
    for (uint32_t i = 0; i < n->made_count; i++)
        if (n->made[i].op && !strcmp(n->made[i].text, text)) return &n->made[i];
    return NULL;
}

/* It belongs to the network from its first moment. NULL: the accelerator refuses it. */
static const vtac_op *make(vt__net *n, const char *name, const char *text, const char *attributes) {
    vt__scheduled s;
    vt_grow(n->ctx, &n->made, &n->made_cap, n->made_count + 1, sizeof *n->made);
    if (!vt__ahead_take(n, text, &s)) s = vt__schedule_operator(n, name, attributes);
    n->made[n->made_count] = (vt__made){.text = text, .op = s.op};
    n->made_count += s.op != NULL;
    bool refused = s.status == VTA_UNSUPPORTED || s.status == VTA_OUT_OF_RANGE || s.status == VTA_NOT_FOUND;
    if (s.status != VTA_OK && !refused)
        vt_fail(n->ctx->diag, s.status, "%s %s: %s", name, attributes, vta_diag_text(s.diag));
    vta_diag_destroy(s.diag);
    if (s.status != VTA_OK && !refused) vt_leave(n->ctx, s.status);
    return s.status == VTA_OK ? s.op : NULL;
}

static void write_pooling(const vt_qlayer *pooling, vt_strbuf *out) {
    const vt_qwindow *w = &pooling->window;
    vt_strbuf_addf(out, " pool=%" PRId64 " pool_stride=%" PRId64 " pool_pad=%" PRId64, w->kernel[0], w->strides[0],
                   w->pads[0]);
}

/* What a layer asks for. */
typedef struct wish {
    const char *name, *attributes, *text;
    const char *why; /* it is none: name is NULL */
    as_conv conv;
} wish;

/* `high`: of integers of 16 bits, the high bytes. */
static wish wish_of(const vt__net *n, const vt_qlayer *l, const vt_qlayer *pooling, bool high, bool gather) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(n->ctx, &room);
    wish w = {.why = "no operator of the accelerator computes it"};
    const char *name = write_operator(n, l, gather, &w.conv, &sb);
    if (!name) return w;
    if (pooling) write_pooling(pooling, &sb);
    w.why = "a number of its epilogue does not fit an immediate";
    if (!write_epilogue(n, l, w.conv.first, &sb)) return w;
    if (high) vt_strbuf_add(&sb, ",shift:8");
    if (vt__is_wide(l->output)) vt_strbuf_add(&sb, " narrow=wrap"); /* bytes of a number, and not numbers */
    w.name = name;
    w.attributes = vt_arena_text_take(n->ctx, &sb);
    w.text = vt_new_format(n->ctx, "%s %s", name, w.attributes);
    w.why = "no schedule of it fits the accelerator";
    return w;
}

static const vtac_op *operator_for(vt__net *n, const vt_qlayer *l, const wish *w) {
    const vt__made *have = find(n, w->text);
    if (have) return have->op;
    const vtac_op *op = make(n, w->name, w->text, w->attributes);
    const vt_network_options *o = n->options;
    if (op && o->scheduled && o->scheduled(o->scheduled_ctx, l->name, op))
        vt_raise(n->ctx, VTA_INTERRUPTED, "interrupted");
    return op;
}

static bool must_gather(const vt__net *n, const vt_qlayer *l) { return vt__is_far(l) && vt__may_gather(n, l); }

/* As it is, or with gathered taps where nothing else fits the accelerator. */
static const vtac_op *operator_of(vt__net *n, const vt_qlayer *l, const vt_qlayer *pooling, bool high, as_conv *conv,
                                  const char **out_why) {
    bool may = vt__may_gather(n, l);
    for (int gather = must_gather(n, l); gather <= may; gather++) {
        wish w = wish_of(n, l, pooling, high, gather);
        const vtac_op *op = w.name ? operator_for(n, l, &w) : NULL;
        *conv = w.conv;
        *out_why = op ? gather ? "the processor gathers its taps" : NULL : w.why;
        if (op || !w.name) return op;
    }
    return NULL;
}

void vt__accelerate_names(vt__net *n,
                          void (*fn)(void *user, const char *name, const char *attributes, const char *text),
                          void *user) {
    bool *pooled = VT_NEW_ARRAY(n->ctx, bool, n->net->tensor_count + 1);
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        if (!vt__may_accelerate(n, l) || pooled[l->output->index]) continue;
        bool wide = vt__is_wide(l->output);
        const vt_qlayer *pooling = wide ? NULL : vt__pooling_of(n, l);
        if (pooling) pooled[pooling->output->index] = true;
        for (int high = 0; high <= wide; high++) {
            wish w = wish_of(n, l, pooling, high, must_gather(n, l));
            if (w.name) fn(user, w.name, w.attributes, w.text);
        }
    }
}

static void give_weights(vt__net *n, const vt_qlayer *l, const vtac_op *op, const as_conv *c, vt__args *args) {
    vta_conv conv = {.size = sizeof conv};
    if (c->weight) {
        vt__must(n, vtac_op_conv(op, n->ctx->diag, &conv));
        vt__give(args, vt__conv_weights(n, l, &conv, c->weight == l->weight ? vt__seen_weights(n, l) : c->weight));
    } else if (l->weight) {
        vt__give(args, vt__weights(n, l));
    }
}

static uint32_t input_of(vt__net *n, const vt_qlayer *l, const as_conv *conv) {
    if (conv->gathered) return vt__gathered_input(n, l);
    return l->kind == VT_Q_CONV && vt__is_folded(n, l) ? vt__folded_input(n, l) : vt__buffer_of(n, l->inputs[0]);
}

static void add_operator(vt__net *n, const vt_qlayer *l, const vtac_op *op, const as_conv *conv, uint32_t input,
                         vt_planner_arg to) {
    vt__args args = {.count = 0};
    vt__give(&args, input);
    give_weights(n, l, op, conv, &args);
    give_steps(n, l, &args);
    args.item[args.count++] = to;
    vt__must(n, vt_planner_operator(n->planner, l->name, op, args.item, args.count, n->ctx->diag));
}

/* The accelerator stores the low bytes of accumulators. Of a result of 16 bits an operator computes these, and another
 * one the high bytes. */
static bool accelerate_wide(vt__net *n, const vt_qlayer *l, const char **out_why) {
    as_conv conv;
    const vtac_op *low = operator_of(n, l, NULL, false, &conv, out_why);
    const vtac_op *high = low ? operator_of(n, l, NULL, true, &conv, out_why) : NULL;
    if (!high) return false;
    vt_planner_arg to = {.buffer = vt__buffer_of(n, l->output)};
    uint32_t input = input_of(n, l, &conv);
    add_operator(n, l, low, &conv, input, to);
    to.offset = vt__tile_bytes(n, l->output);
    add_operator(n, l, high, &conv, input, to);
    return true;
}

bool vt__accelerate(vt__net *n, const vt_qlayer *l, const char **out_why) {
    as_conv conv;
    if (vt__is_wide(l->output)) return accelerate_wide(n, l, out_why);
    const vt_qlayer *pooling = vt__pooling_of(n, l);
    const vtac_op *op = pooling ? operator_of(n, l, pooling, false, &conv, out_why) : NULL;
    const vt_qtensor *to = op ? pooling->output : l->output;
    n->pooled[to->index] = to != l->output;
    if (!op) op = operator_of(n, l, NULL, false, &conv, out_why);
    if (!op) return false;
    add_operator(n, l, op, &conv, input_of(n, l, &conv), (vt_planner_arg){.buffer = vt__buffer_of(n, to)});
    return true;
}
