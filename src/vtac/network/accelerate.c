/* Layers as operators of the accelerator. */
#include <string.h>

#include "base/versioned.h"
#include "network/priv.h"

enum { VT__STREAM_STEPS = 3 };

/* ---- The epilogue ---------------------------------------------------------------------------------------------- */

/* A bias by GEMM takes one cycle an output where the ALU takes two, and weights for each block of channels: for images.
 */
static bool is_by_gemm(const vt__net *n, const vt_qlayer *l, const vt_qstep *s) {
    enum { OUTPUTS = 32 };
    int64_t to[4], most = vta_conv_bias_max(n->config, 1);
    if (s != l->steps || s->kind != VT_QSTEP_BIAS || l->kind != VT_Q_CONV) return false;
    vt_qtensor_image(&l->output->type, to);
    for (int64_t i = 0; i < to[1]; i++)
        if (s->channel[i] > most || s->channel[i] < -most) return false;
    return to[2] * to[3] >= OUTPUTS;
}

vt_op_step vt__step_of(const vt__net *n, const vt_qlayer *l, const vt_qstep *s) {
    static const vt_epilogue_kind kinds[VT_QSTEP_COUNT] = {
        [VT_QSTEP_BIAS] = VT_EPILOGUE_bias,
        [VT_QSTEP_SHIFT] = VT_EPILOGUE_shift,
        [VT_QSTEP_SHIFT_CHANNEL] = VT_EPILOGUE_shift_channel,
        [VT_QSTEP_MULTIPLY] = VT_EPILOGUE_multiply,
        [VT_QSTEP_MULTIPLY_CHANNEL] = VT_EPILOGUE_multiply_channel,
        [VT_QSTEP_RESIDUAL] = VT_EPILOGUE_residual_int8,
        [VT_QSTEP_ADD] = VT_EPILOGUE_add,
        [VT_QSTEP_MAX] = VT_EPILOGUE_max,
        [VT_QSTEP_MIN] = VT_EPILOGUE_min,
        [VT_QSTEP_LEAKY] = VT_EPILOGUE_leaky,
    };
    vt_epilogue_kind kind = is_by_gemm(n, l, s) ? VT_EPILOGUE_bias_int8 : kinds[s->kind];
    return (vt_op_step){kind, !s->channel, {s->channel ? 0 : s->number}};
}

/* Immediates of the ALU have 16 bits. */
static bool fits(const vt_qstep *s) {
    bool immediate = !s->channel && s->kind != VT_QSTEP_RESIDUAL;
    return !immediate || (s->number >= INT16_MIN && s->number <= INT16_MAX);
}

/* x = low - 256 * other, and weights have 8 bits. */
static void add_stream(vt_op_request *r) {
    static const int64_t scales[VT__STREAM_STEPS] = {1, -128, -128};
    for (int i = 0; i < VT__STREAM_STEPS; i++)
        r->steps[r->step_count++] = (vt_op_step){VT_EPILOGUE_residual_int8, 1, {scales[i]}};
}

static bool set_epilogue(const vt__net *n, const vt_qlayer *l, uint32_t first, vt_op_request *r) {
    _Static_assert((int)VT_QSTEPS_MAX < (int)VT_EPILOGUE_MAX, "and the shift to the high bytes");
    for (uint32_t i = first; i < l->step_count; i++) {
        if (!fits(&l->steps[i])) return false;
        if (l->steps[i].tensor && l->steps[i].tensor->split)
            add_stream(r);
        else
            r->steps[r->step_count++] = vt__step_of(n, l, &l->steps[i]);
    }
    return true;
}

/* Have the scores lanes that a maximum of rows must not see? */
static bool sends_lanes_away(const vt__net *n, const vt_qlayer *l) {
    return l->rough && l->output->matrices.columns % n->block != 0;
}

/* In front of the limits. */
static void send_lanes_away(vt_op_request *r) {
    memmove(&r->steps[r->step_count - 1], &r->steps[r->step_count - 2], 2 * sizeof *r->steps);
    r->steps[r->step_count++ - 2] = (vt_op_step){VT_EPILOGUE_bias, 1, {VT__LANES_AWAY}};
}

static void give_tensor(vt__net *n, const vt_qtensor *t, vt__args *a) {
    vt_planner_arg place = vt__place_of(n, t);
    vt__give_place(a, place);
    place.offset += vt__tile_bytes(n, t);
    for (int i = 1; t->split && i < VT__STREAM_STEPS; i++) vt__give_place(a, place);
}

/* In the order of an operator's arguments: vectors, digits, tensors. */
static void give_steps(vt__net *n, const vt_qlayer *l, vt__args *a) {
    if (sends_lanes_away(n, l)) vt__give(a, vt__lanes_away(n, l));
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].channel && !is_by_gemm(n, l, &l->steps[i]))
            vt__give(a, vt__channels(n, l, l->steps[i].channel));
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].channel && is_by_gemm(n, l, &l->steps[i])) vt__give(a, vt__digits(n, l, l->steps[i].channel));
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].tensor) give_tensor(n, l->steps[i].tensor, a);
}

/* ---- The operator ---------------------------------------------------------------------------------------------- */

#define SET(op, name, number) (r->values[VT_ATTRIBUTE_##op##_##name] = (number))

/* Padding of 0 is the default. */
#define SET_PAD(op, name, number)                                                                                      \
    do {                                                                                                               \
        if (number) SET(op, name, number);                                                                             \
    } while (0)

#define SET_WINDOW(op, w)                                                                                              \
    do {                                                                                                               \
        SET(op, kernel_h, (w)->kernel[0]), SET(op, kernel_w, (w)->kernel[1]);                                          \
        SET(op, stride_h, (w)->strides[0]), SET(op, stride_w, (w)->strides[1]);                                        \
        SET_PAD(op, pad_top, (w)->pads[0]);                                                                            \
        SET_PAD(op, pad_left, (w)->pads[1]);                                                                           \
        SET_PAD(op, pad_bottom, (w)->pads[2]);                                                                         \
        SET_PAD(op, pad_right, (w)->pads[3]);                                                                          \
    } while (0)

#define SET_IMAGES(op, in)                                                                                             \
    (SET(op, batch, (in)[0]), SET(op, channels, (in)[1]), SET(op, height, (in)[2]), SET(op, width, (in)[3]))

static bool is_apart(const vt_qwindow *w) { return w->dilations[0] != 1 || w->dilations[1] != 1; }

/* A layer as a convolution: what it is, or a map as one of single channels. */
typedef struct as_conv {
    int64_t channels, height, width; /* of the input */
    vt_qwindow window;
    int64_t group;
    const int8_t *weight; /* O, I / group, H, W */
    uint32_t first;       /* step of the epilogue */
    bool gathered;        /* the host gathers the taps; also of a layer that is none */
    bool one;             /* image; else as many as the input has */
    bool looks_up;        /* its limits are a table; also of a layer that is none */
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
    const vt_qtensor *keys = vt__keys_of(n, l);
    if (keys) {
        int64_t rows = l->output->type.dim[0], more = (n->block - rows % n->block) % n->block;
        out->window = (vt_qwindow){{1, 1}, {1, 1}, {1, 1}, {0, 0, more, 0}};
        out->height = rows, out->width = 1, out->group = 1, out->one = true;
        return true;
    }
    if (l->kind == VT_Q_CONV) see_window(l, gather, &out->window, &out->height, &out->width);
    if (l->kind == VT_Q_CONV) return true;
    if (!is_weighted(l) || l->kind != VT_Q_MAP || !has_tensor(l)) return false;
    out->window = (vt_qwindow){{1, 1}, {1, 1}, {1, 1}, {0}};
    out->group = in[1];
    out->weight = repeated(n, in[1], l->steps[0].number);
    out->first = 1;
    return true;
}

static void set_conv(const as_conv *c, const vt_qlayer *l, int64_t batch, vt_op_request *r) {
    const vt_qwindow *w = &c->window;
    vt_op_request_init(r, VT_OPERATOR_conv2d);
    SET(conv2d, batch, batch), SET(conv2d, height, c->height), SET(conv2d, width, c->width);
    SET(conv2d, in_channels, c->channels), SET(conv2d, out_channels, l->output->type.dim[1]);
    SET(conv2d, groups, c->group);
    SET_WINDOW(conv2d, w);
    if (w->dilations[0] != 1) SET(conv2d, dilation_h, w->dilations[0]);
    if (w->dilations[1] != 1) SET(conv2d, dilation_w, w->dilations[1]);
}

/* Rows and columns of the result beyond those that the last input reaches. */
static int64_t open_end(const vt_qlayer *l, int axis, int64_t in, int64_t out) {
    const vt_qwindow *w = &l->window;
    return out - ((in - 1) * w->strides[axis] + w->kernel[axis] - w->pads[axis] - w->pads[2 + axis]);
}

static void set_conv_transpose(const vt_qlayer *l, const int64_t in[4], vt_op_request *r) {
    int64_t to[4];
    vt_qtensor_image(&l->output->type, to);
    vt_op_request_init(r, VT_OPERATOR_conv2d_transpose);
    SET(conv2d_transpose, batch, in[0]), SET(conv2d_transpose, height, in[2]), SET(conv2d_transpose, width, in[3]);
    SET(conv2d_transpose, in_channels, in[1]), SET(conv2d_transpose, out_channels, to[1]);
    SET_WINDOW(conv2d_transpose, &l->window);
    SET(conv2d_transpose, output_pad_h, open_end(l, 0, in[2], to[2]));
    SET(conv2d_transpose, output_pad_w, open_end(l, 1, in[3], to[3]));
}

/* Matrices are an image of one block, a row each for those of tiles. */
static void image_of(const vt__net *n, const vt_qtensor *t, int64_t out[4]) {
    int64_t d[3];
    vt_qtensor_image(&t->type, out);
    if (!t->form) return;
    vt__matrix_tiles(n, t, d);
    out[0] = n->batch, out[1] = n->block, out[2] = d[0] * d[1], out[3] = d[2];
}

static bool set_product(const vt_qlayer *l, const int64_t in[4], vt_op_request *r) {
    vt_op_request_init(r, VT_OPERATOR_multiply);
    SET_IMAGES(multiply, in);
    if (!vt_qtensor_same_image(&l->inputs[0]->type, &l->inputs[1]->type)) SET(multiply, of_channels, 1);
    return true;
}

/* The operator and its attributes; false where there is none. `conv` without weights: it is none. */
static bool set_operator(const vt__net *n, const vt_qlayer *l, bool gather, as_conv *conv, vt_op_request *r) {
    int64_t in[4];
    vt_qwindow window = l->window;
    const vt_qlayer *flattening = vt__flattening_of(n, l);
    image_of(n, l->inputs[0], in);
    if (conv_of(n, l, gather, conv)) {
        set_conv(conv, l, conv->one ? 1 : in[0], r);
        return true;
    }
    *conv = (as_conv){.weight = NULL, .gathered = gather};
    switch (l->kind) {
    case VT_Q_CONV_TRANSPOSE: set_conv_transpose(l, in, r); return !is_apart(&window);
    case VT_Q_DENSE:
        vt_op_request_init(r, VT_OPERATOR_dense);
        SET(dense, batch, in[0]), SET(dense, out_features, l->output->type.dim[1]);
        SET(dense, in_features, flattening ? vt__flat_features(n, flattening) : in[1]);
        return true;
    case VT_Q_MATMUL:
        vt_op_request_init(r, VT_OPERATOR_batch_matmul);
        SET(batch_matmul, batch, l->inputs[0]->matrices.count), SET(batch_matmul, rows, l->inputs[0]->matrices.rows);
        SET(batch_matmul, in_features, l->inputs[0]->matrices.columns);
        SET(batch_matmul, out_features, l->inputs[1]->matrices.rows);
        if (vt__lies_beside(n, l->inputs[0])) SET(batch_matmul, in_beside, 1);
        if (vt__lies_beside(n, l->output)) SET(batch_matmul, out_beside, 1);
        if (vt__lies_by_columns(n, l->inputs[1])) SET(batch_matmul, weight_columns, 1);
        if (l->shares) SET(batch_matmul, shares, 1);
        return true;
    case VT_Q_MAX_POOL:
        see_window(l, gather, &window, &in[2], &in[3]);
        vt_op_request_init(r, VT_OPERATOR_max_pool2d);
        SET_IMAGES(max_pool2d, in);
        SET_WINDOW(max_pool2d, &window);
        return !is_apart(&window);
    case VT_Q_SUM_POOL:
        see_window(l, gather, &window, &in[2], &in[3]);
        vt_op_request_init(r, VT_OPERATOR_sum_pool2d);
        SET_IMAGES(sum_pool2d, in);
        SET_WINDOW(sum_pool2d, &window);
        return !is_apart(&window);
    case VT_Q_UPSAMPLE:
        vt_op_request_init(r, VT_OPERATOR_upsample2d);
        SET_IMAGES(upsample2d, in);
        SET(upsample2d, scale_h, l->scale[0]), SET(upsample2d, scale_w, l->scale[1]);
        return true;
    case VT_Q_TABLE:
    case VT_Q_MAP:
        vt_op_request_init(r, VT_OPERATOR_identity);
        SET_IMAGES(identity, in);
        return l->kind == VT_Q_MAP ? !has_tensor(l) : vt__is_device_table(n, l);
    case VT_Q_QUANTIZE:
    case VT_Q_DEQUANTIZE:
    case VT_Q_CONV:
    case VT_Q_MUL: return set_product(l, in, r);
    case VT_Q_ROW_MAX: /* several: softmax.c */
    case VT_Q_NORM:    /* norm.c */
    case VT_Q_MOVE:
    case VT_Q_CONCAT:
    case VT_Q_RESHAPE:
    case VT_Q_FLOAT:
    case VT_QKIND_COUNT: break;
    }
    return false;
}

static const vt__made *find(const vt__net *n, const vt_op_request *r) {
    for (uint32_t i = 0; i < n->made_count; i++)
        if (vt_op_request_equal(n->made[i].request, r)) return &n->made[i];
    return NULL;
}

/* It belongs to the network from its first moment. NULL: the accelerator refuses it. */
static const vtac_op *make(vt__net *n, const vt_op_request *r) {
    vt__scheduled s;
    vt_grow(n->ctx, &n->made, &n->made_cap, n->made_count + 1, sizeof *n->made);
    if (!vt__ahead_take(n, r, &s)) s = vt__schedule_operator(n, r);
    n->made[n->made_count] = (vt__made){r, s.op, s.status == VTA_OK};
    n->made_count += s.op != NULL;
    bool refused = s.status == VTA_UNSUPPORTED || s.status == VTA_OUT_OF_RANGE;
    if (s.status != VTA_OK && !refused)
        vt_fail(n->ctx->diag, s.status, "%s %s: %s", vtac_operator_name(r->kind), s.op ? vtac_op_attributes(s.op) : "",
                vt_diag_reason(s.diag));
    vta_diag_destroy(s.diag);
    if (s.status != VTA_OK && !refused) vt_leave(n->ctx, s.status);
    return s.status == VTA_OK ? s.op : NULL;
}

static void set_pooling(const vt_qlayer *pooling, vt_op_request *r) {
    const vt_qwindow *w = &pooling->window;
    SET(conv2d, pool, w->kernel[0]), SET(conv2d, pool_stride, w->strides[0]), SET(conv2d, pool_pad, w->pads[0]);
}

/* What a layer asks for. */
typedef struct wish {
    vt_op_request *request; /* NULL: nothing */
    const char *why;        /* nothing, or the accelerator refuses it */
    as_conv conv;
} wish;

/* The table that is the last step of the layer's epilogue; NULL: none. */
static const vt_qlayer *table_of(const vt_qlayer *l, vt__along along) {
    return l->kind == VT_Q_TABLE ? l : along.table;
}

/* `high`: of integers of 16 bits, the high bytes. `look_up`: limits are a table where that takes fewer cycles. */
static wish wish_of(const vt__net *n, const vt_qlayer *l, vt__along along, bool high, bool gather, bool look_up) {
    wish w = {.why = "no operator of the accelerator computes it"};
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    if (!set_operator(n, l, gather, &w.conv, r)) return w;
    if (along.pooling) set_pooling(along.pooling, r);
    w.why = "a number of its epilogue does not fit an immediate";
    if (!set_epilogue(n, l, w.conv.first, r)) return w;
    if (sends_lanes_away(n, l)) send_lanes_away(r);
    if (table_of(l, along))
        r->steps[r->step_count++] = (vt_op_step){VT_EPILOGUE_table, 0, {0}};
    else if (look_up)
        w.conv.looks_up = vt__look_up_limits(n, l, r);
    if (high && l->output->split) { /* minus the high byte, rounded */
        r->steps[r->step_count++] = (vt_op_step){VT_EPILOGUE_multiply, 1, {-1}};
        r->steps[r->step_count++] = (vt_op_step){VT_EPILOGUE_add, 1, {127}};
    }
    if (high) r->steps[r->step_count++] = (vt_op_step){VT_EPILOGUE_shift, 1, {8}};
    if (vt__is_wide(l->output)) r->narrow = VT_NARROW_wrap; /* bytes of a number, and not numbers */
    w.request = r;
    w.why = "no schedule of it fits the accelerator";
    return w;
}

const vtac_op *vt__operator_for(vt__net *n, const vt_qlayer *l, const vt_op_request *r) {
    const vt__made *have = find(n, r);
    if (have) return have->is_scheduled ? have->op : NULL;
    const vtac_op *op = make(n, r);
    const vt_network_options *o = n->options;
    if (op && o->scheduled && o->scheduled(o->scheduled_ctx, l->name, op))
        vt_raise(n->ctx, VTA_INTERRUPTED, "interrupted");
    return op;
}

const vtac_op *vt__copy_operator(vt__net *n, const vt_qtensor *t) {
    int64_t in[4];
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    vt_qtensor_image(&t->type, in);
    vt_op_request_init(r, VT_OPERATOR_identity);
    SET_IMAGES(identity, in);
    const vt__made *have = find(n, r);
    if (have) return have->is_scheduled ? have->op : NULL;
    return make(n, r);
}

/* With limits looked up, or without where only that fits. */
static wish wish_that_fits(vt__net *n, const vt_qlayer *l, vt__along along, bool high, bool gather,
                           const vtac_op **out_op) {
    wish w = wish_of(n, l, along, high, gather, true);
    *out_op = w.request ? vt__operator_for(n, l, w.request) : NULL;
    if (*out_op || !w.conv.looks_up) return w;
    w = wish_of(n, l, along, high, gather, false);
    *out_op = vt__operator_for(n, l, w.request);
    return w;
}

static bool must_gather(const vt__net *n, const vt_qlayer *l) { return vt__is_far(l) && vt__may_gather(n, l); }

/* As it is, or with gathered taps where nothing else fits the accelerator. */
static const vtac_op *operator_of(vt__net *n, const vt_qlayer *l, vt__along along, bool high, as_conv *conv,
                                  const char **out_why) {
    bool may = vt__may_gather(n, l);
    for (int gather = must_gather(n, l); gather <= may; gather++) {
        const vtac_op *op;
        wish w = wish_that_fits(n, l, along, high, gather, &op);
        *conv = w.conv;
        *out_why = op ? gather ? "the host gathers its taps" : NULL : w.why;
        if (op || !w.request) return op;
    }
    return NULL;
}

/* With as many of the layers behind it as fit the accelerator. */
static const vtac_op *operator_along(vt__net *n, const vt_qlayer *l, vt__along *along, as_conv *conv,
                                     const char **out_why) {
    const vtac_op *op;
    *along = vt__along_of(n, l);
    do op = operator_of(n, l, *along, false, conv, out_why);
    while (!op && vt__along_less(along));
    return op;
}

bool vt__has_operator(vt__net *n, const vt_qlayer *l) {
    as_conv conv;
    const char *why;
    vt__along along;
    return operator_along(n, l, &along, &conv, &why) &&
           (!vt__is_wide(l->output) || operator_of(n, l, along, true, &conv, &why));
}

void vt__accelerate_requests(vt__net *n, void (*fn)(void *user, const vt_op_request *r), void *user) {
    bool *done = VT_NEW_ARRAY(n->ctx, bool, n->net->tensor_count + 1);
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        if (!vt__may_accelerate(n, l) || done[l->output->index]) continue;
        vt__along along = vt__along_of(n, l);
        if (l->kind == VT_Q_ROW_MAX) vt__row_max_requests(n, l, fn, user);
        if (l->kind == VT_Q_NORM) vt__norm_requests(n, l, fn, user);
        if (along.pooling) done[along.pooling->output->index] = true;
        if (along.table) done[along.table->output->index] = true;
        for (int high = 0; high <= vt__is_wide(l->output); high++) {
            wish w = wish_of(n, l, along, high, must_gather(n, l), true);
            if (w.request) fn(user, w.request);
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

static vt_planner_arg input_of(vt__net *n, const vt_qlayer *l, const as_conv *conv) {
    if (conv->gathered) return (vt_planner_arg){.buffer = vt__gathered_input(n, l)};
    if (l->kind == VT_Q_CONV && vt__is_folded(n, l)) return (vt_planner_arg){.buffer = vt__folded_input(n, l)};
    if (conv->one) return (vt_planner_arg){.buffer = vt__keys_input(n, l)};
    const vt_qlayer *flattening = vt__flattening_of(n, l);
    return vt__place_of(n, flattening ? flattening->inputs[0] : l->inputs[0]);
}

static void add_operator(vt__net *n, const vt_qlayer *l, const vtac_op *op, const as_conv *conv, const vt_qlayer *table,
                         vt_planner_arg input, vt_planner_arg to) {
    vt__args args = {.count = 0};
    vt__give_place(&args, input);
    if (l->kind == VT_Q_MUL || l->kind == VT_Q_MATMUL) vt__give_place(&args, vt__place_of(n, l->inputs[1]));
    give_weights(n, l, op, conv, &args);
    give_steps(n, l, &args);
    if (table) vt__give(&args, vt__device_table(n, table));
    if (conv->looks_up) vt__give(&args, vt__limits_table(n, l));
    vt__give_place(&args, to);
    vt__must(n, vt_planner_operator(n->planner, l->name, op, args.item, args.count, n->ctx->diag));
}

/* The accelerator stores the low bytes of accumulators. Of a result of 16 bits an operator computes these, and another
 * one the high bytes. */
static bool accelerate_wide(vt__net *n, const vt_qlayer *l, const char **out_why) {
    as_conv conv;
    const vt__along none = {NULL, NULL};
    const vtac_op *low = operator_of(n, l, none, false, &conv, out_why);
    const vtac_op *high = low ? operator_of(n, l, none, true, &conv, out_why) : NULL;
    if (!high) return false;
    vt_planner_arg to = vt__place_of(n, l->output), input = input_of(n, l, &conv);
    add_operator(n, l, low, &conv, NULL, input, to);
    to.offset += vt__tile_bytes(n, l->output);
    add_operator(n, l, high, &conv, NULL, input, to);
    return true;
}

bool vt__accelerate(vt__net *n, const vt_qlayer *l, const char **out_why) {
    as_conv conv;
    vt__along along;
    if (l->kind == VT_Q_ROW_MAX) return vt__accelerate_row_max(n, l, out_why);
    if (l->kind == VT_Q_NORM) return vt__accelerate_norm(n, l, out_why);
    if (vt__is_wide(l->output)) return accelerate_wide(n, l, out_why);
    vt__settle_keys(n, l);
    const vtac_op *op = operator_along(n, l, &along, &conv, out_why);
    if (!op && l->kind == VT_Q_MATMUL) {
        n->kept[l->output->index] = true; /* a move follows */
        op = operator_along(n, l, &along, &conv, out_why);
    }
    if (!op) return false;
    if (along.pooling) n->along[along.pooling->output->index] = true;
    if (along.table) n->along[along.table->output->index] = true;
    const vt_qlayer *last = along.table ? along.table : along.pooling ? along.pooling : l;
    const vt_qtensor *to = conv.one ? vt__keys_of(n, l) : last->output;
    bool turns = conv.one && !vt__lies_by_columns(n, to);
    vt_planner_arg place = turns ? (vt_planner_arg){.buffer = vt__values_buffer(n, l, to)} : vt__place_of(n, to);
    add_operator(n, l, op, &conv, table_of(l, along), input_of(n, l, &conv), place);
    if (turns) vt__turn_values(n, l, to, place.buffer);
    return true;
}
