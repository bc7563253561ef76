/* Layers as operators of the accelerator: made once for those that ask for the same, and called. */
#include "base/versioned.h"
#include "network/request.h"

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
    const vt_op_request *r = vt__copy_request(n, t);
    const vt__made *have = find(n, r);
    if (have) return have->is_scheduled ? have->op : NULL;
    return make(n, r);
}

/* With limits looked up, or without where only that fits. */
static vt__asked wish_that_fits(vt__net *n, const vt_qlayer *l, vt__along along, bool high, bool gather,
                                const vtac_op **out_op) {
    vt__asked w = vt__request_of(n, l, along, high, gather, true);
    *out_op = w.request ? vt__operator_for(n, l, w.request) : NULL;
    if (*out_op || !w.conv.looks_up) return w;
    w = vt__request_of(n, l, along, high, gather, false);
    *out_op = vt__operator_for(n, l, w.request);
    return w;
}

static bool must_gather(const vt__net *n, const vt_qlayer *l) { return vt__is_far(l) && vt__may_gather(n, l); }

/* As it is, or with gathered taps where nothing else fits the accelerator. */
static const vtac_op *operator_of(vt__net *n, const vt_qlayer *l, vt__along along, bool high, vt__as_conv *conv,
                                  const char **out_why) {
    bool may = vt__may_gather(n, l);
    for (int gather = must_gather(n, l); gather <= may; gather++) {
        const vtac_op *op;
        vt__asked w = wish_that_fits(n, l, along, high, gather, &op);
        *conv = w.conv;
        *out_why = op ? gather ? "the host gathers its taps" : NULL : w.why;
        if (op || !w.request) return op;
    }
    return NULL;
}

/* With as many of the layers behind it as fit the accelerator. */
static const vtac_op *operator_along(vt__net *n, const vt_qlayer *l, vt__along *along, vt__as_conv *conv,
                                     const char **out_why) {
    const vtac_op *op;
    *along = vt__along_of(n, l);
    do op = operator_of(n, l, *along, false, conv, out_why);
    while (!op && vt__along_less(along));
    return op;
}

bool vt__has_operator(vt__net *n, const vt_qlayer *l) {
    vt__as_conv conv;
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
            vt__asked w = vt__request_of(n, l, along, high, must_gather(n, l), true);
            if (w.request) fn(user, w.request);
        }
    }
}

static void give_weights(vt__net *n, const vt_qlayer *l, const vtac_op *op, const vt__as_conv *c, vt__args *args) {
    vta_conv conv = {.size = sizeof conv};
    if (c->weight) {
        vt__must(n, vtac_op_conv(op, n->ctx->diag, &conv));
        vt__give(args, vt__conv_weights(n, l, &conv, c->weight == l->weight ? vt__seen_weights(n, l) : c->weight));
    } else if (l->weight) {
        vt__give(args, vt__weights(n, l));
    }
}

static vt_planner_arg input_of(vt__net *n, const vt_qlayer *l, const vt__as_conv *conv) {
    if (conv->gathered) return (vt_planner_arg){.buffer = vt__gathered_input(n, l)};
    if (l->kind == VT_Q_CONV && vt__is_folded(n, l)) return (vt_planner_arg){.buffer = vt__folded_input(n, l)};
    if (conv->one) return (vt_planner_arg){.buffer = vt__keys_input(n, l)};
    const vt_qlayer *flattening = vt__flattening_of(n, l);
    return vt__place_of(n, flattening ? flattening->inputs[0] : l->inputs[0]);
}

static void add_operator(vt__net *n, const vt_qlayer *l, const vtac_op *op, const vt__as_conv *conv,
                         const vt_qlayer *table, vt_planner_arg input, vt_planner_arg to) {
    vt__args args = {.count = 0};
    vt__give_place(&args, input);
    if (l->kind == VT_Q_MUL || l->kind == VT_Q_MATMUL) vt__give_place(&args, vt__place_of(n, l->inputs[1]));
    give_weights(n, l, op, conv, &args);
    vt__give_steps(n, l, &args);
    if (table) vt__give(&args, vt__device_table(n, table));
    if (conv->looks_up) vt__give(&args, vt__limits_table(n, l));
    vt__give_place(&args, to);
    vt__must(n, vt_planner_operator(n->planner, l->name, op, args.item, args.count, n->ctx->diag));
}

/* The accelerator stores the low bytes of accumulators. Of a result of 16 bits an operator computes these, and another
 * one the high bytes. */
static bool accelerate_wide(vt__net *n, const vt_qlayer *l, const char **out_why) {
    vt__as_conv conv;
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
    vt__as_conv conv;
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
    add_operator(n, l, op, &conv, vt__last_table(l, along), input_of(n, l, &conv), place);
    if (turns) vt__turn_values(n, l, to, place.buffer);
    return true;
}
