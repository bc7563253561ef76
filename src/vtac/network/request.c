#include "network/request.h"

#include <string.h>

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

void vt__give_steps(vt__net *n, const vt_qlayer *l, vt__args *a) {
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

static bool conv_of(const vt__net *n, const vt_qlayer *l, bool gather, vt__as_conv *out) {
    int64_t in[4], to[4];
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    *out = (vt__as_conv){in[1], in[2], in[3], l->window, l->group, l->weight, 0, gather};
    if (l->kind == VT_Q_CONV && vt__is_folded(n, l)) {
        *out = (vt__as_conv){in[1] * l->window.kernel[0] * l->window.kernel[1],
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

static void set_conv(const vt__as_conv *c, const vt_qlayer *l, int64_t batch, vt_op_request *r) {
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
static bool set_operator(const vt__net *n, const vt_qlayer *l, bool gather, vt__as_conv *conv, vt_op_request *r) {
    int64_t in[4];
    vt_qwindow window = l->window;
    const vt_qlayer *flattening = vt__flattening_of(n, l);
    image_of(n, l->inputs[0], in);
    if (conv_of(n, l, gather, conv)) {
        set_conv(conv, l, conv->one ? 1 : in[0], r);
        return true;
    }
    *conv = (vt__as_conv){.weight = NULL, .gathered = gather};
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

/* ---- The request ---------------------------------------------------------------------------------------------- */

static void set_pooling(const vt_qlayer *pooling, vt_op_request *r) {
    const vt_qwindow *w = &pooling->window;
    SET(conv2d, pool, w->kernel[0]), SET(conv2d, pool_stride, w->strides[0]), SET(conv2d, pool_pad, w->pads[0]);
}

const vt_qlayer *vt__last_table(const vt_qlayer *l, vt__along along) { return l->kind == VT_Q_TABLE ? l : along.table; }

vt__asked vt__request_of(const vt__net *n, const vt_qlayer *l, vt__along along, bool high, bool gather, bool look_up) {
    vt__asked w = {.why = "no operator of the accelerator computes it"};
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    if (!set_operator(n, l, gather, &w.conv, r)) return w;
    if (along.pooling) set_pooling(along.pooling, r);
    w.why = "a number of its epilogue does not fit an immediate";
    if (!set_epilogue(n, l, w.conv.first, r)) return w;
    if (sends_lanes_away(n, l)) send_lanes_away(r);
    if (vt__last_table(l, along))
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

vt_op_request *vt__copy_request(const vt__net *n, const vt_qtensor *t) {
    int64_t in[4];
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    vt_qtensor_image(&t->type, in);
    vt_op_request_init(r, VT_OPERATOR_identity);
    SET_IMAGES(identity, in);
    return r;
}
