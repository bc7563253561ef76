/* Scales: values that are moved or compared, not computed, share one. */
#include "frontend/quant/norm.h"

static uint32_t root_of(const vt_quantizer *q, uint32_t v) {
    while (q->same[v] != v) v = q->same[v];
    return v;
}

static void tie(vt_quantizer *q, const vt_gvalue *a, const vt_gvalue *b) {
    q->same[root_of(q, a->index)] = root_of(q, b->index);
}

void vt__tie_scales(vt_quantizer *q) {
    for (uint32_t i = 0; i < q->g->values.count; i++) q->same[i] = i;
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_chain *c = q->chains[i];
        if (c && c->kind == VT_Q_MOVE) tie(q, c->from, c->end);
        if (c && c->stream) tie(q, c->other, c->end);
        bool alone = c && c->kind == VT_Q_MAP && !c->other; /* an activation of its own */
        if (!c || (c->kind != VT_Q_MAX_POOL && c->kind != VT_Q_CONCAT && c->kind != VT_Q_UPSAMPLE &&
                   c->kind != VT_Q_RESHAPE && !alone))
            continue;
        for (uint32_t k = 0; k < c->head->input_count; k++) tie(q, c->head->inputs[k], c->end);
    }
}

bool vt__is_tied(const vt_quantizer *q, const vt_gvalue *v) {
    uint32_t members = 0, root = root_of(q, v->index);
    for (uint32_t i = 0; i < q->g->values.count; i++) members += root_of(q, i) == root;
    return members > 1;
}

/* The largest range among those that share it; values that were not observed (constants) have none. */
double vt__scale_of(const vt_quantizer *q, const vt_gvalue *v) {
    vt__check_samples(q, v);
    const vt_quant_options *o = &q->options;
    uint32_t root = root_of(q, v->index);
    double most = 0;
    for (uint32_t i = 0; i < q->g->values.count; i++) {
        if (root_of(q, i) != root) continue;
        bool fine = o->choices && (o->choices[i].parts & VT_QPART_FINE) &&
                    vt__is_operand(q, q->g->values.item[i]); /* steps enough for all that was seen */
        vt_range_method method = fine || q->stream[v->index].is ? VT_RANGE_MAX : o->method;
        double range = vt_ranges_of(q->ranges, q->g->values.item[i], method, o->percentile, o->most);
        if (range > most) most = range;
    }
    vt__check_range(q->ctx, v->name, most);
    if (most == 0) most = 1;
    return q->stream[v->index].is ? vt__stream_scale(most) : most / vt__most_of(q, v);
}
