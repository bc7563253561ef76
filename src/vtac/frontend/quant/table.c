/* The layer of a function of one integer: its result for each integer, computed in doubles and rounded once. */
#include <math.h>

#include "frontend/quant/function.h"

enum { INTEGERS = VT_QTABLE_INTEGERS };

typedef struct table {
    vt_quantizer *q;
    const vt_gvalue *from, *to;
    const vt_gnode **nodes;
    uint32_t node_count;
    double *results;              /* one a node */
    const double *(*operands)[2]; /* of each node's constant operands: one number a channel; NULL: computed, or */
    double (*number)[2];          /* one for all channels */
} table;

/* ---- Constants ------------------------------------------------------------------------------------------------- */

static bool read_operand(table *t, uint32_t node, uint32_t at) {
    const vt_gvalue *v = t->nodes[node]->inputs[at];
    if (!v->data) return false;
    t->number[node][at] = vt_gelement_at(v, 0);
    if (vt_gtype_count(&v->type) == 1) return false;
    t->operands[node][at] = vt__channel_numbers(t->q->ctx, v, &t->from->type);
    return true;
}

/* Is there a constant of several numbers, so that each channel has results of its own? */
static bool read_operands(table *t) {
    bool several = false;
    t->operands = vt_new_bytes(t->q->ctx, t->node_count * sizeof *t->operands);
    t->number = vt_new_bytes(t->q->ctx, t->node_count * sizeof *t->number);
    for (uint32_t i = 0; i < t->node_count; i++)
        for (uint32_t k = 0; k < 2; k++) {
            t->operands[i][k] = NULL;
            if (k < t->nodes[i]->input_count && read_operand(t, i, k)) several = true;
        }
    return several;
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

static double operand_of(const table *t, uint32_t node, uint32_t at, double x, int64_t channel) {
    const vt_gvalue *v = t->nodes[node]->inputs[at];
    if (v->data) return t->operands[node][at] ? t->operands[node][at][channel] : t->number[node][at];
    if (v == t->from) return x;
    uint32_t i = 0;
    while (t->nodes[i] != v->by) i++;
    return t->results[i];
}

static double result_of(const table *t, double x, int64_t channel) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        double a = operand_of(t, i, 0, x, channel);
        double b = t->nodes[i]->input_count > 1 ? operand_of(t, i, 1, x, channel) : 0;
        t->results[i] = vt__function_of(t->nodes[i], a, b);
    }
    return t->results[t->node_count - 1];
}

/* What is not a number for an integer that no sample came to is 0. */
static int8_t rounded(double y, double scale, int32_t most) {
    y = nearbyint(y / scale);
    return (int8_t)(isnan(y) ? 0 : fmin(fmax(y, -most - 1), most));
}

static void fill(const table *t, vt_qlayer *l, const vt_qtensor *x) {
    size_t count = (size_t)l->table_rows * INTEGERS;
    bool plain = l->output->scale == 0;
    int32_t most = plain ? 0 : vt__most_of(t->q, t->to);
    int8_t *integers = plain ? NULL : VT_NEW_ARRAY(t->q->ctx, int8_t, count);
    float *floats = plain ? VT_NEW_ARRAY(t->q->ctx, float, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        int64_t channel = (int64_t)(i / INTEGERS);
        double of = (double)((int32_t)(i % INTEGERS) + INT8_MIN) * vt_qtensor_scale(x, channel);
        double y = result_of(t, of, channel);
        if (plain)
            floats[i] = (float)y;
        else
            integers[i] = rounded(y, vt_qtensor_scale(l->output, channel), most);
    }
    l->table = plain ? (const void *)floats : integers;
}

/* ---- The layer ------------------------------------------------------------------------------------------------- */

static void add(vt_quantizer *q, const vt_gvalue *from, const vt_qtensor *x, vt_qtensor *y) {
    table t = {.q = q, .from = from, .to = y->value};
    t.nodes = VT_NEW_ARRAY(q->ctx, const vt_gnode *, y->value->by->index + 1);
    t.node_count = vt__function_nodes(q, from, y->value, t.nodes);
    t.results = VT_NEW_ARRAY(q->ctx, double, t.node_count);
    vt_qlayer *l = vt__layer_new(q, VT_Q_TABLE, t.nodes[0]->name, 1, &x, y);
    l->node = y->value->by;
    bool several = read_operands(&t) || x->channel || y->channel;
    l->table_rows = several ? from->type.dim[1] : 1;
    fill(&t, l, x);
}

vt_qtensor *vt__function_as_plain(vt_quantizer *q, const vt_gvalue *v) {
    const vt_gvalue *from = q->root[v->index];
    const vt_qtensor *x = vt__as_whole(q, from);
    q->plain[v->index] = vt__tensor_new(q, v, v->type, 0);
    add(q, from, x, q->plain[v->index]);
    return q->plain[v->index];
}

void vt__add_table(vt_quantizer *q, const vt_chain *c) {
    const vt_qtensor *x = vt__as_whole(q, c->from);
    if (c->plain)
        vt__function_as_plain(q, c->end);
    else
        add(q, c->from, x, vt__result(q, c->end));
}
