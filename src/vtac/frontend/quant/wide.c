/* Results of 16 bits. Two scores that the same integer of 8 bits stands for are equal, though they are not; so the last
 * integers before the floats have 16, where a layer of the accelerator computes them from sums: a matrix product, the
 * mean of a window. */
#include "frontend/quant/priv.h"

/* Values that a layer of integers reads, as an operand or a residual. */
static void mark_read(const vt_chain *c, bool *read) {
    if (c->from) {
        read[c->from->index] = true;
        return;
    }
    for (uint32_t i = 0; i < c->head->input_count; i++)
        if (c->head->inputs[i]) read[c->head->inputs[i]->index] = true;
    if (c->other) read[c->other->index] = true;
}

/* A reshape that moves nothing. */
static bool is_alias(const vt_chain *c) {
    return c->kind == VT_Q_RESHAPE && vt_qtensor_same_image(&c->head->inputs[0]->type, &c->end->type);
}

static bool has_wide_sum(const vt_quantizer *q, const vt_chain *c) {
    if (c->kind == VT_Q_RESHAPE) return q->wide[c->head->inputs[0]->index];
    if (c->kind == VT_Q_DENSE) return !c->other && vt_gtype_count(&c->head->inputs[1]->type) <= q->options.wide_max;
    return c->kind == VT_Q_SUM_POOL;
}

void vt__find_wide(vt_quantizer *q) {
    bool *read = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1);
    if (q->options.wide_max < 0 || q->options.most > INT8_MAX) return;
    for (uint32_t i = q->g->node_count; i-- > 0;) { /* a reshape may be wide: then it does not count as a reader */
        const vt_chain *c = q->chains[i];
        if (c && c->kind != VT_Q_FLOAT && !(is_alias(c) && !read[c->end->index])) mark_read(c, read);
    }
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_chain *c = q->chains[i];
        if (c && c->kind != VT_Q_FLOAT && !read[c->end->index] && has_wide_sum(q, c)) q->wide[c->end->index] = true;
    }
}
