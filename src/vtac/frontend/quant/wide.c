/* Results of 16 bits. Two scores that the same integer of 8 bits stands for are equal, though they are not; so the last
 * integers before the floats have 16, where a layer of the accelerator computes them from sums: a product, the mean of
 * a window. Of a matrix product before many functions of one element (GELU) they have 8, so that these are tables.
 * Convolutions whose results come back as operands of others have 8, unless more was asked for: 16 take twice as long.
 */
#include <math.h>

#include "frontend/quant/function.h"

/* Values that a layer of integers reads, as an operand or a residual. */
static void mark_read(const vt_quantizer *q, const vt_chain *c, bool *read) {
    if (c->from) {
        read[c->from->index] = true;
        return;
    }
    for (uint32_t i = 0; i < c->head->input_count; i++)
        if (c->head->inputs[i] && c->kind == VT_Q_MATMUL)
            read[vt__operand_root(q, c->head->inputs[i])->index] = true;
        else if (c->head->inputs[i])
            read[c->head->inputs[i]->index] = true;
    if (c->mask) read[c->mask->index] = true;
    if (c->other) read[c->other->index] = true;
}

/* Values that a layer of integers comes to know, also through nodes on floats. */
static void mark_used(const vt_quantizer *q, const vt_chain *c, bool *used) {
    if (c->kind != VT_Q_FLOAT) {
        mark_read(q, c, used);
        return;
    }
    for (uint32_t i = 0; i < c->head->output_count; i++)
        if (used[c->head->outputs[i]->index]) mark_read(q, c, used);
}

/* A reshape that moves nothing. */
static bool is_alias(const vt_chain *c) {
    return c->kind == VT_Q_RESHAPE && vt_qtensor_same_image(&c->head->inputs[0]->type, &c->end->type);
}

static bool has_wide_sum(const vt_quantizer *q, const vt_chain *c, const bool *used) {
    const vt_quant_options *o = &q->options;
    bool chosen = o->choices && o->choices[c->end->index].wide;
    bool small = c->head->input_count > 1 && vt_gtype_count(&c->head->inputs[1]->type) <= o->wide_max;
    if (c->kind == VT_Q_MATMUL) return chosen || o->wide_max >= 0;
    if (c->kind == VT_Q_RESHAPE) return q->wide[c->head->inputs[0]->index];
    if (c->kind == VT_Q_DENSE) return !c->other && (chosen || (small && !vt__is_for_tables(q, c->end)));
    if (c->kind == VT_Q_CONV)
        return !c->other && (chosen || (small && (o->wide_all || (!o->multiply && !used[c->end->index]))));
    return c->kind == VT_Q_SUM_POOL;
}

/* Channels of a product may have scales that are as fine as their weights, where nothing but the conversion to
 * floats knows them: then limits are those of no channel in particular. */
static bool may_differ(const vt_chain *c) {
    bool floor = c->least == 0 || isinf(c->least), ceiling = c->most == 0 || isinf(c->most);
    return (c->kind == VT_Q_CONV || c->kind == VT_Q_DENSE) && floor && ceiling;
}

void vt__find_wide(vt_quantizer *q) {
    bool *read = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1);
    bool *used = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1);
    bool *moved = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1);
    for (uint32_t i = 0; i < q->g->values.count; i++) q->wide[i] = q->stream[i].is;
    if (q->options.most > INT8_MAX || (q->options.wide_max < 0 && !q->options.choices)) return;
    for (uint32_t i = q->g->node_count; i-- > 0;) { /* a reshape may be wide: then it does not count as a reader */
        const vt_chain *c = q->chains[i];
        if (!c) continue;
        bool alias = c->kind != VT_Q_FLOAT && is_alias(c) && !read[c->end->index];
        if (alias) moved[c->head->inputs[0]->index] = true;
        if (c->kind != VT_Q_FLOAT && !alias) mark_read(q, c, read);
        mark_used(q, c, used);
    }
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_chain *c = q->chains[i];
        if (!c || c->kind == VT_Q_FLOAT || read[c->end->index] || !has_wide_sum(q, c, used)) continue;
        q->wide[c->end->index] = true;
        q->by_channel[c->end->index] = may_differ(c) && !moved[c->end->index];
    }
}
