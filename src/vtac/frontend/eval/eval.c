/* Running a graph. */
#include "frontend/eval/eval.h"

#include "frontend/eval/priv.h"

static vt_evaluator *const evaluators[] = {
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning) vt__eval_##eval,
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"
};

vta_status vt_eval_node(const vt_gnode *n, const void *const *in, void *const *out, const vta_allocator *allocator,
                        vta_diag *diag) {
    vt_eval_call call = {n, in, out, allocator, diag};
    return evaluators[n->op](&call);
}

struct vt_eval {
    const vt_graph *g;
    vt_eval_options options;
    const vta_allocator *allocator;
    const void **data; /* by value index; what was made here is freed */
    bool *mine;
    uint32_t *uses, *left; /* of each value: in all, and still to come in this run */
    uint32_t most_inputs;
    const void **in;
    size_t bytes, peak;
};

static bool make_lists(vt_eval *e) {
    size_t n = e->g->values.count;
    e->data = vt_alloc_zero(e->allocator, (n + 1) * sizeof *e->data);
    e->mine = vt_alloc_zero(e->allocator, (n + 1) * sizeof *e->mine);
    e->uses = vt_alloc_zero(e->allocator, (n + 1) * sizeof *e->uses);
    e->left = vt_alloc_zero(e->allocator, (n + 1) * sizeof *e->left);
    e->in = vt_alloc_zero(e->allocator, (e->most_inputs + 1) * sizeof *e->in);
    return e->data && e->mine && e->uses && e->left && e->in;
}

static void count_uses(vt_eval *e) {
    const vt_graph *g = e->g;
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; k < g->nodes[i]->input_count; k++)
            if (g->nodes[i]->inputs[k]) e->uses[g->nodes[i]->inputs[k]->index]++;
    for (uint32_t i = 0; i < g->outputs.count; i++) e->uses[g->outputs.item[i]->index]++;
    for (uint32_t i = 0; i < g->values.count; i++) e->data[i] = g->values.item[i]->data;
}

vta_status vt_eval_open(const vt_graph *g, const vt_eval_options *options, const vta_allocator *allocator,
                        vta_diag *diag, vt_eval **out_eval) {
    vt_eval *e = vt_alloc_zero(allocator, sizeof *e);
    *out_eval = NULL;
    if (!e) return vt_no_memory(diag);
    e->g = g;
    e->allocator = allocator;
    if (options) e->options = *options;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i]->input_count > e->most_inputs) e->most_inputs = g->nodes[i]->input_count;
    if (!make_lists(e)) {
        vt_eval_close(e);
        return vt_no_memory(diag);
    }
    count_uses(e);
    *out_eval = e;
    return VTA_OK;
}

static void drop(vt_eval *e, const vt_gvalue *v) {
    if (!e->mine[v->index]) return;
    size_t bytes = vt_gtype_bytes(&v->type);
    vt_free_lines(e->allocator, (void *)e->data[v->index], bytes);
    e->bytes -= bytes;
    e->data[v->index] = NULL;
    e->mine[v->index] = false;
}

static void drop_all(vt_eval *e) {
    for (uint32_t i = 0; e->mine && i < e->g->values.count; i++) drop(e, e->g->values.item[i]);
}

void vt_eval_close(vt_eval *e) {
    if (!e) return;
    size_t n = e->g->values.count + 1;
    drop_all(e);
    vt_free(e->allocator, e->data, n * sizeof *e->data);
    vt_free(e->allocator, e->mine, n * sizeof *e->mine);
    vt_free(e->allocator, e->uses, n * sizeof *e->uses);
    vt_free(e->allocator, e->left, n * sizeof *e->left);
    vt_free(e->allocator, e->in, (e->most_inputs + 1) * sizeof *e->in);
    vt_free(e->allocator, e, sizeof *e);
}

void vt_eval_input(vt_eval *e, uint32_t index, const void *data) { e->data[e->g->inputs.item[index]->index] = data; }
const void *vt_eval_value(const vt_eval *e, const vt_gvalue *v) { return e->data[v->index]; }
size_t vt_eval_peak(const vt_eval *e) { return e->peak; }

static bool make_outputs(vt_eval *e, const vt_gnode *n, void **out) {
    for (uint32_t i = 0; i < n->output_count; i++) {
        size_t bytes = vt_gtype_bytes(&n->outputs[i]->type);
        out[i] = vt_alloc_lines(e->allocator, bytes);
        if (!out[i]) return false;
        e->data[n->outputs[i]->index] = out[i];
        e->mine[n->outputs[i]->index] = true;
        e->bytes += bytes;
    }
    if (e->bytes > e->peak) e->peak = e->bytes;
    return true;
}

static void drop_used(vt_eval *e, const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] && --e->left[n->inputs[i]->index] == 0) drop(e, n->inputs[i]);
    for (uint32_t i = 0; i < n->output_count; i++)
        if (!e->left[n->outputs[i]->index]) drop(e, n->outputs[i]);
}

enum { MOST_OUTPUTS = 3 };

static vta_status run_node(vt_eval *e, const vt_gnode *n, vta_diag *diag) {
    void *out[MOST_OUTPUTS];
    const void *done[MOST_OUTPUTS];
    if (!make_outputs(e, n, out)) return vt_no_memory(diag);
    for (uint32_t i = 0; i < n->input_count; i++) e->in[i] = n->inputs[i] ? e->data[n->inputs[i]->index] : NULL;
    VT_TRY(vt_eval_node(n, e->in, out, e->allocator, diag));
    for (uint32_t i = 0; i < n->output_count; i++) done[i] = out[i];
    if (e->options.after) e->options.after(e->options.user, n, done);
    if (!e->options.keep) drop_used(e, n);
    return VTA_OK;
}

vta_status vt_eval_run(vt_eval *e, vta_diag *diag) {
    const vt_graph *g = e->g;
    drop_all(e);
    e->peak = e->bytes = 0;
    for (uint32_t i = 0; i < g->values.count; i++) e->left[i] = e->uses[i];
    for (uint32_t i = 0; i < g->inputs.count; i++)
        if (!e->data[g->inputs.item[i]->index])
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "input %s is not given", g->inputs.item[i]->name);
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (e->options.interrupt && atomic_load_explicit(e->options.interrupt, memory_order_relaxed))
            return vt_fail(diag, VTA_INTERRUPTED, "interrupted");
        VT_TRY(run_node(e, g->nodes[i], diag));
    }
    return VTA_OK;
}
