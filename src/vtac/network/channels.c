/* Layer by layer: what reads channels by their lanes does so, and what cannot is given them in order. */
#include "network/channels.h"

#include <string.h>

int64_t vt__blocks_of(const vt__moving *c, int64_t channels) { return (channels + c->n->block - 1) / c->n->block; }

/* Rows of tiles: images that share a tile count once. */
int64_t vt__pixels_of(const vt__moving *c, const vt_qtensor *t) {
    int64_t d[4];
    vt_qtensor_image(&t->type, d);
    return (d[0] + c->n->batch - 1) / c->n->batch * d[2] * d[3];
}

static int64_t channels_of(const vt_qtensor *t) {
    int64_t d[4];
    vt_qtensor_image(&t->type, d);
    return d[1];
}

static bool is_bytes(const vt_qtensor *t) {
    return t->scale > 0 && t->type.element == VT_ELEMENT_I8 && t->type.rank >= 3 && !t->parts && !t->form;
}

/* ---- What is on the accelerator ---------------------------------------------------------------------------------- */

static bool is_accelerated(const vt__moving *c, const vt_qlayer *l) {
    switch ((int)l->kind) {
    case VT_Q_CONV:
    case VT_Q_CONV_TRANSPOSE:
    case VT_Q_DENSE:
    case VT_Q_MATMUL:
    case VT_Q_MAX_POOL:
    case VT_Q_SUM_POOL:
    case VT_Q_MAP:
    case VT_Q_MUL:
    case VT_Q_UPSAMPLE: return true;
    case VT_Q_TABLE: return vt__is_device_table(c->n, l);
    default: return false;
    }
}

/* It is on either side, as what is around it. */
static bool is_between(const vt_qlayer *l) {
    return l->kind == VT_Q_MOVE || l->kind == VT_Q_CONCAT || l->kind == VT_Q_RESHAPE;
}

static void find_sides(vt__moving *c) {
    const vt_qnet *net = c->from;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        bool comes = is_accelerated(c, l);
        for (uint32_t k = 0; k < l->input_count && is_between(l); k++) comes |= c->comes[l->inputs[k]->index];
        c->comes[l->output->index] = comes;
    }
    for (uint32_t i = net->layer_count; i-- > 0;) {
        const vt_qlayer *l = net->layers[i];
        bool leads = is_accelerated(c, l) || (is_between(l) && c->leads[l->output->index]);
        for (uint32_t k = 0; k < l->input_count; k++) c->leads[l->inputs[k]->index] |= leads;
        for (uint32_t k = 0; k < l->step_count; k++)
            if (l->steps[k].tensor) c->leads[l->steps[k].tensor->index] |= leads;
    }
}

static bool is_inside(const vt__moving *c, const vt_qlayer *l) {
    return c->comes[l->inputs[0]->index] && c->leads[l->output->index] && is_bytes(l->inputs[0]) && is_bytes(l->output);
}

/* A concatenation whose inputs are to begin with a block each. Of whole blocks they do so anyway. */
static bool has_gaps(const vt__moving *c, const vt_qlayer *l) {
    bool whole = true;
    if (l->kind != VT_Q_CONCAT || l->axis != 1 || !is_inside(c, l) || l->output->type.dim[0] > c->n->batch)
        return false;
    for (uint32_t i = 0; i < l->input_count; i++) {
        if (!is_bytes(l->inputs[i])) return false;
        if (i + 1 < l->input_count && channels_of(l->inputs[i]) % c->n->block) whole = false;
    }
    return !whole;
}

/* ---- Who reads lanes --------------------------------------------------------------------------------------------- */

static bool reads_tensors(const vt_qlayer *l) {
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].tensor) return true;
    return false;
}

/* Every channel of its result is made of the same one of its input. */
static bool is_of_channels(const vt__moving *c, const vt_qlayer *l) {
    if (reads_tensors(l) || !is_bytes(l->output) || !c->leads[l->output->index]) return false;
    switch ((int)l->kind) {
    case VT_Q_CONV: return l->group > 1 && l->group == channels_of(l->inputs[0]) && l->group == channels_of(l->output);
    case VT_Q_TABLE: return l->table_rows == 1;
    case VT_Q_MAP:
    case VT_Q_MAX_POOL:
    case VT_Q_SUM_POOL:
    case VT_Q_UPSAMPLE: return true;
    default: return false;
    }
}

static bool takes_into_weights(const vt_qlayer *l) { return l->kind == VT_Q_CONV && l->group == 1; }

static int64_t taps_of(const vt_qlayer *l) {
    bool window = l->kind == VT_Q_CONV || l->kind == VT_Q_MAX_POOL || l->kind == VT_Q_SUM_POOL;
    return window ? l->window.kernel[0] * l->window.kernel[1] : 1;
}

/* Do convolutions and sums alone read it, which add zeros themselves? */
static bool is_for_windows(const vt__moving *c, const vt_qtensor *t) {
    for (uint32_t i = 0; i < c->from->layer_count; i++) {
        const vt_qlayer *r = c->from->layers[i];
        for (uint32_t k = 0; k < r->step_count; k++)
            if (r->steps[k].tensor == t) return false;
        for (uint32_t k = 0; k < r->input_count; k++)
            if (r->inputs[k] == t && r->kind != VT_Q_CONV && r->kind != VT_Q_SUM_POOL) return false;
    }
    return true;
}

/* What the readers of a move make of it. */
typedef struct moved {
    const int32_t *channels; /* NULL: nothing, it stays a layer */
    int64_t pads[4];
    bool pads_only;
} moved;

static moved moved_of(const vt__moving *c, const vt_qlayer *l) {
    moved m = {NULL, {0}, false}, none = m;
    if (l->kind != VT_Q_MOVE || !is_inside(c, l)) return none;
    m.channels = vt__moved_channels(c->ctx, l, m.pads);
    if (!m.channels) return none;
    bool pads = m.pads[0] || m.pads[1] || m.pads[2] || m.pads[3];
    if (pads && !is_for_windows(c, l->output)) return none;
    m.pads_only = pads && channels_of(l->output) == channels_of(l->inputs[0]);
    for (int64_t i = 0; i < channels_of(l->output); i++) m.pads_only &= m.channels[i] == i;
    return m;
}

/* What is read of a tensor, and what it costs to read it by its lanes. */
typedef struct reading {
    bool in_order; /* by something that knows no lanes */
    bool in_lanes; /* by a concatenation, which takes any order, but no more than the tensor */
    int64_t more;  /* cycles */
} reading;

static void read_by_all(const vt__moving *c, const vt_qtensor *t, int64_t blocks, bool is_move, reading *r);

static void read_by(const vt__moving *c, const vt_qlayer *l, const vt_qtensor *t, int64_t blocks, bool is_move,
                    reading *r) {
    int64_t more = (blocks - vt__blocks_of(c, channels_of(t))) * taps_of(l) * vt__pixels_of(c, l->output);
    for (uint32_t k = 0; k < l->step_count; k++) r->in_order |= l->steps[k].tensor == t;
    for (uint32_t k = 0; k < l->input_count; k++) {
        if (l->inputs[k] != t) continue;
        moved m = moved_of(c, l);
        if (takes_into_weights(l))
            r->more += more * vt__blocks_of(c, channels_of(l->output));
        else if (is_of_channels(c, l))
            r->more += more;
        else if (has_gaps(c, l))
            r->in_lanes |= is_move;
        else if (m.pads_only)
            read_by_all(c, l->output, blocks, is_move, r);
        else if (!m.channels)
            r->in_order = true;
    }
}

static void read_by_all(const vt__moving *c, const vt_qtensor *t, int64_t blocks, bool is_move, reading *r) {
    for (uint32_t i = 0; i < c->from->layer_count; i++) read_by(c, c->from->layers[i], t, blocks, is_move, r);
    for (uint32_t i = 0; i < c->from->graph->outputs.count; i++) r->in_order |= c->from->outputs[i] == t;
}

/* ---- Layers of the new network ----------------------------------------------------------------------------------- */

vt_qtensor *vt__channels_tensor(vt__moving *c, const vt_qtensor *like, int64_t channels) {
    vt_qnet *net = c->to;
    vt_qtensor *t = VT_NEW(c->ctx, vt_qtensor);
    *t = *like;
    t->type.dim[1] = channels;
    t->channel = NULL;
    t->by = NULL;
    t->index = net->tensor_count;
    vt_grow(c->ctx, &net->tensors, &net->tensor_cap, net->tensor_count + 1, sizeof *net->tensors);
    net->tensors[net->tensor_count++] = t;
    return t;
}

vt_qlayer *vt__channels_layer(vt__moving *c, const vt_qlayer *like, vt_qtensor *output) {
    vt_qnet *net = c->to;
    vt_qlayer *l = VT_NEW(c->ctx, vt_qlayer);
    *l = *like;
    l->index = net->layer_count;
    l->output = output;
    output->by = l;
    vt_grow(c->ctx, &net->layers, &net->layer_cap, net->layer_count + 1, sizeof *net->layers);
    vt_grow(c->ctx, &c->said, &c->said_cap, net->layer_count + 1, sizeof *c->said);
    c->said[net->layer_count] = (vt__said){NULL, NULL, like->output ? vt__products_of(like) : 0};
    net->layers[net->layer_count++] = l;
    return l;
}

/* The tensor itself, for what knows no lanes. */
static const vt_qtensor *whole(const vt__moving *c, const vt_qtensor *t) { return t ? c->to->tensors[t->index] : t; }

static bool is_clean(const vt__moving *c, vt__view v, int64_t count) {
    bool *seen = VT_NEW_ARRAY(c->ctx, bool, (size_t)channels_of(v.of));
    for (int64_t i = 0; i < count; i++) {
        if (v.lane[i] < 0 || seen[v.lane[i]]) return false;
        seen[v.lane[i]] = true;
    }
    return true;
}

/* Channels in the order of their lanes are the cheapest to bring together. */
static vt__view packed(vt__moving *c, const vt_qlayer *l, vt__view v, int64_t count) {
    int32_t *lane = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)count), *at = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < count; k++) at[i] += v.lane[k] < v.lane[i];
    for (int64_t i = 0; i < count; i++) lane[at[i]] = v.lane[i];
    vt_qtensor *t = vt__channels_tensor(c, c->to->tensors[l->output->index], count);
    vt__select(c, l, (vt__view){v.of, lane}, count, t);
    return (vt__view){t, at};
}

/* The lanes of a layer's result are known: are they read as they are, or is the result put together first? */
static void settle(vt__moving *c, const vt_qlayer *l, vt__view v) {
    const vt_qtensor *t = l->output;
    int64_t count = channels_of(t), first, end;
    bool is_move = l->kind == VT_Q_MOVE, clean = is_clean(c, v, count);
    reading r = {!clean, false, 0};
    vt__blocks_read(c, v.lane, count, &first, &end);
    read_by_all(c, t, end - first, is_move, &r);
    c->views[t->index] = v;
    c->ordered[t->index] = r.in_order;
    if (r.in_order)
        vt__select(c, l, v, count, c->to->tensors[t->index]);
    else if (r.in_lanes || r.more > vt__select_cost(c, v.of, v.lane, count))
        c->views[t->index] = packed(c, l, v, count);
}

/* ---- Moves and concatenations ------------------------------------------------------------------------------------ */

/* The lanes of a tensor: its own, if there are no others. */
static vt__view lanes_of(vt__moving *c, const vt_qtensor *t) {
    if (c->views[t->index].of) return c->views[t->index];
    int32_t *lane = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)channels_of(t));
    for (int64_t i = 0; i < channels_of(t); i++) lane[i] = (int32_t)i;
    return (vt__view){whole(c, t), lane};
}

static bool move(vt__moving *c, const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0], *y = l->output;
    const moved m = moved_of(c, l);
    if (!m.channels || (!c->views[x->index].of && vt__slice_offset(c->n, l) >= 0)) return false;
    c->pads[y->index].of = m.pads_only ? x : NULL;
    memcpy(c->pads[y->index].pads, m.pads, sizeof m.pads);
    if (m.pads_only) return true;
    vt_gtype *t = &c->to->tensors[y->index]->type; /* without the zeros that its readers add */
    *t = x->type;
    t->dim[1] = channels_of(y);
    vt__view v = lanes_of(c, x);
    int32_t *lane = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)channels_of(y));
    for (int64_t i = 0; i < channels_of(y); i++) lane[i] = m.channels[i] < 0 ? -1 : v.lane[m.channels[i]];
    settle(c, l, (vt__view){v.of, lane});
    return true;
}

static bool concat(vt__moving *c, const vt_qlayer *l) {
    int64_t lanes = 0, at = 0;
    if (!has_gaps(c, l)) return false;
    int32_t *lane = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)channels_of(l->output));
    const vt_qtensor **in = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, l->input_count);
    for (uint32_t k = 0; k < l->input_count; k++) {
        vt__view v = lanes_of(c, l->inputs[k]);
        if (c->ordered[l->inputs[k]->index]) v.of = NULL;
        for (int64_t i = 0; i < channels_of(l->inputs[k]); i++) lane[at++] = (int32_t)(lanes + (v.of ? v.lane[i] : i));
        in[k] = v.of ? v.of : whole(c, l->inputs[k]);
        lanes += vt__blocks_of(c, channels_of(in[k])) * c->n->block;
    }
    vt_qtensor *t = vt__channels_tensor(c, l->output, lanes);
    vt_qlayer *copy = vt__channels_layer(c, l, t);
    copy->inputs = in;
    settle(c, l, (vt__view){t, lane});
    return true;
}

/* ---- Other layers ------------------------------------------------------------------------------------------------ */

/* Weights whose inputs are lanes, those from `first` on. */
static void spread_inputs(vt__moving *c, vt_qlayer *l, vt__view v, int64_t first) {
    const vt_gtype *t = &l->weight_type;
    int64_t outs = t->dim[0], ins = t->dim[1], taps = vt_gtype_span(t, 2, t->rank), lanes = channels_of(l->inputs[0]);
    int8_t *weight = vt_new_bytes(c->ctx, (size_t)(outs * lanes * taps));
    for (int64_t o = 0; o < outs; o++)
        for (int64_t i = 0; i < ins; i++)
            memcpy(weight + (o * lanes + v.lane[i] - first) * taps, l->weight + (o * ins + i) * taps, (size_t)taps);
    l->weight = weight;
    l->weight_type.dim[1] = lanes;
}

/* The numbers of each channel are those of its lane. */
static void spread_steps(vt__moving *c, vt_qlayer *l, vt__view v, int64_t count, int64_t lanes) {
    for (uint32_t s = 0; s < l->step_count; s++) {
        if (!l->steps[s].channel) continue;
        int32_t *numbers = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)lanes);
        for (int64_t i = 0; i < count; i++) numbers[v.lane[i]] = l->steps[s].channel[i];
        l->steps[s].channel = numbers;
    }
}

static void spread_channels(vt__moving *c, vt_qlayer *l, vt__view v, int64_t count) {
    int64_t lanes = channels_of(v.of);
    spread_steps(c, l, v, count, lanes);
    if (l->kind != VT_Q_CONV) return;
    int64_t taps = vt_gtype_span(&l->weight_type, 2, l->weight_type.rank);
    int8_t *weight = vt_new_bytes(c->ctx, (size_t)(lanes * taps));
    for (int64_t i = 0; i < count; i++) memcpy(weight + v.lane[i] * taps, l->weight + i * taps, (size_t)taps);
    l->weight = weight;
    l->weight_type.dim[0] = l->group = lanes;
}

/* What the layer adds zeros to itself. */
static const vt_qtensor *padded_by(const vt__moving *c, const vt_qtensor *t) {
    return c->pads[t->index].of ? c->pads[t->index].of : t;
}

static void set_inputs(vt__moving *c, vt_qlayer *l) {
    const vt_qtensor **in = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, l->input_count + 1);
    for (uint32_t k = 0; k < l->input_count; k++) {
        const vt__pads *p = &c->pads[l->inputs[k]->index];
        in[k] = whole(c, padded_by(c, l->inputs[k]));
        for (int i = 0; i < 4; i++) l->window.pads[i] += p->pads[i];
    }
    for (uint32_t k = 0; k < l->step_count; k++) l->steps[k].tensor = whole(c, l->steps[k].tensor);
    l->inputs = in;
}

static void set_first(vt__moving *c, vt_qlayer *l, const vt_qtensor *t) {
    const vt_qtensor **in = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, 1);
    *in = t;
    l->inputs = in;
}

/* A layer that reads one tensor by its lanes; the others read tensors that are in order. */
static void add_layer(vt__moving *c, const vt_qlayer *l) {
    const vt_qtensor *x = l->input_count ? padded_by(c, l->inputs[0]) : NULL;
    bool lanes = x && c->views[x->index].of && !c->ordered[x->index];
    vt__view v = lanes ? c->views[x->index] : (vt__view){NULL, NULL};
    if (lanes && takes_into_weights(l)) {
        int64_t first, end;
        vt__blocks_read(c, v.lane, channels_of(x), &first, &end);
        const vt_qtensor *of = vt__slice(c, l, v.of, first, end);
        vt_qlayer *copy = vt__channels_layer(c, l, c->to->tensors[l->output->index]);
        set_inputs(c, copy);
        set_first(c, copy, of);
        spread_inputs(c, copy, v, of == v.of ? 0 : first * c->n->block);
    } else if (lanes && is_of_channels(c, l)) {
        vt_qtensor *t = vt__channels_tensor(c, l->output, channels_of(v.of));
        vt_qlayer *copy = vt__channels_layer(c, l, t);
        set_inputs(c, copy);
        set_first(c, copy, v.of);
        spread_channels(c, copy, v, channels_of(x));
        settle(c, l, (vt__view){t, v.lane});
    } else {
        set_inputs(c, vt__channels_layer(c, l, c->to->tensors[l->output->index]));
    }
}

/* ---- The network ------------------------------------------------------------------------------------------------- */

static bool has_moves(const vt__moving *c) {
    for (uint32_t i = 0; i < c->from->layer_count; i++) {
        const vt_qlayer *l = c->from->layers[i];
        bool moves = l->kind == VT_Q_MOVE && vt__slice_offset(c->n, l) < 0 && moved_of(c, l).channels;
        if (moves || has_gaps(c, l)) return true;
    }
    return false;
}

static void copy_tensors(vt__moving *c) {
    const vt_qnet *from = c->from;
    for (uint32_t i = 0; i < from->tensor_count; i++) {
        const vt_qtensor *t = from->tensors[i];
        vt_qtensor *copy = vt__channels_tensor(c, t, t->type.rank > 1 ? t->type.dim[1] : 1);
        copy->type = t->type;
        copy->channel = t->channel;
    }
    const vt_qtensor **inputs = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, from->graph->inputs.count + 1);
    const vt_qtensor **outputs = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, from->graph->outputs.count + 1);
    for (uint32_t i = 0; i < from->graph->inputs.count; i++) inputs[i] = whole(c, from->inputs[i]);
    for (uint32_t i = 0; i < from->graph->outputs.count; i++) outputs[i] = whole(c, from->outputs[i]);
    c->to->inputs = inputs;
    c->to->outputs = outputs;
}

void vt__channels_in_lanes(vt__net *n) {
    size_t count = n->net->tensor_count + (size_t)1;
    vt__moving c = {.n = n, .ctx = n->ctx, .from = n->net};
    c.leads = VT_NEW_ARRAY(n->ctx, bool, count);
    c.comes = VT_NEW_ARRAY(n->ctx, bool, count);
    find_sides(&c);
    if (n->options->processor_only || !has_moves(&c)) return;
    c.to = VT_NEW(n->ctx, vt_qnet);
    *c.to = (vt_qnet){.ctx = n->ctx, .graph = n->net->graph};
    c.views = VT_NEW_ARRAY(n->ctx, vt__view, count);
    c.ordered = VT_NEW_ARRAY(n->ctx, bool, count);
    c.pads = VT_NEW_ARRAY(n->ctx, vt__pads, count);
    copy_tensors(&c);
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        if (!move(&c, l) && !concat(&c, l)) add_layer(&c, l);
    }
    n->net = c.to;
    n->said = c.said;
}
