/* Running a graph. */
#include "frontend/eval/eval.h"

#include <string.h>

#include "base/spill.h"
#include "frontend/eval/guards.h"
#include "frontend/eval/lives.h"
#include "frontend/eval/priv.h"

static vt_evaluator *const evaluators[] = {
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning) vt__eval_##eval,
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"
};

vta_status vt_eval_node(const vt_gnode *n, const void *const *in, void *const *out, const vta_allocator *allocator,
                        vta_diag *diag) {
    vt_eval_call call = {n, in, out, allocator, diag, NULL};
    return evaluators[n->op](&call);
}

struct vt_eval {
    const vt_graph *g;
    vt_eval_options options;
    const vta_allocator *allocator;
    vt_lives lives;   /* by value index */
    vt_guards guards; /* none where all values are to be seen */
    uint32_t max_inputs;
    const void **in;
};

static void count_readers(vt_eval *e) {
    const vt_graph *g = e->g;
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; k < g->nodes[i]->input_count; k++)
            if (g->nodes[i]->inputs[k]) e->lives.of[g->nodes[i]->inputs[k]->index].readers++;
    for (uint32_t i = 0; i < g->outputs.count; i++) e->lives.of[g->outputs.item[i]->index].readers++;
    for (uint32_t i = 0; i < g->values.count; i++) e->lives.of[i].data = g->values.item[i]->data;
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
        if (g->nodes[i]->input_count > e->max_inputs) e->max_inputs = g->nodes[i]->input_count;
    e->in = vt_alloc_zero(allocator, (e->max_inputs + 1) * sizeof *e->in);
    bool all = e->options.keep || e->options.after;
    if (!vt_lives_make(&e->lives, g->values.count, allocator) || !e->in ||
        (!all && !vt_guards_make(&e->guards, g, allocator))) {
        vt_eval_close(e);
        return vt_no_memory(diag);
    }
    count_readers(e);
    *out_eval = e;
    return VTA_OK;
}

void vt_eval_close(vt_eval *e) {
    if (!e) return;
    vt_lives_free(&e->lives);
    vt_guards_free(&e->guards);
    vt_free(e->allocator, e->in, (e->max_inputs + 1) * sizeof *e->in);
    vt_free(e->allocator, e, sizeof *e);
}

void vt_eval_input(vt_eval *e, uint32_t index, const void *data) {
    e->lives.of[e->g->inputs.item[index]->index].data = data;
}

const void *vt_eval_value(const vt_eval *e, const vt_gvalue *v) { return e->lives.of[v->index].data; }
size_t vt_eval_peak(const vt_eval *e) { return e->lives.peak; }

enum { MAX_OUTPUTS = 3 };

/* Is the node wanted: do the conditions take the side on which it stands? */
static bool holds(const vt_eval *e, const vt_guard *g) {
    if (!g) return true;
    return holds(e, g->around) && (*(const uint8_t *)vt_eval_value(e, g->condition) != 0) == g->taken;
}

static void leave_inputs(vt_eval *e, const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i]) vt_lives_read(&e->lives, n->inputs[i]->index);
}

/* A choice between two values, of which one may not have been computed. */
static vta_status choose(const vt_eval *e, const vt_gnode *n, void *out) {
    bool first = *(const uint8_t *)vt_eval_value(e, n->inputs[0]) != 0;
    memcpy(out, vt_eval_value(e, n->inputs[first ? 1 : 2]), vt_gtype_bytes(&n->outputs[0]->type));
    return VTA_OK;
}

static vta_status compute(vt_eval *e, const vt_gnode *n, void *const *out, vta_diag *diag) {
    if (e->guards.of && vt_guards_choice(n)) return choose(e, n, out[0]);
    for (uint32_t i = 0; i < n->input_count; i++) e->in[i] = n->inputs[i] ? vt_eval_value(e, n->inputs[i]) : NULL;
    vt_eval_call call = {n, e->in, out, e->allocator, diag, e->g->read_in};
    return evaluators[n->op](&call);
}

static vta_status run_node(vt_eval *e, const vt_gnode *n, vta_diag *diag) {
    void *out[MAX_OUTPUTS];
    const void *done[MAX_OUTPUTS];
    if (e->guards.of && !holds(e, e->guards.of[n->index])) {
        leave_inputs(e, n);
        return VTA_OK;
    }
    for (uint32_t i = 0; i < n->output_count; i++) {
        out[i] = vt_lives_new(&e->lives, n->outputs[i]->index, vt_gtype_bytes(&n->outputs[i]->type));
        if (!out[i]) return vt_no_memory(diag);
    }
    VT_TRY(compute(e, n, out, diag));
    for (uint32_t i = 0; i < n->output_count; i++) done[i] = out[i];
    if (e->options.after) e->options.after(e->options.user, n, done);
    if (e->options.keep) return VTA_OK;
    leave_inputs(e, n);
    for (uint32_t i = 0; i < n->output_count; i++) vt_lives_computed(&e->lives, n->outputs[i]->index);
    return VTA_OK;
}

vta_status vt_eval_run(vt_eval *e, vta_diag *diag) {
    const vt_graph *g = e->g;
    vt_lives_begin(&e->lives);
    for (uint32_t i = 0; i < g->inputs.count; i++)
        if (!vt_eval_value(e, g->inputs.item[i]))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "input %s is not given", g->inputs.item[i]->name);
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (e->options.interrupt && atomic_load_explicit(e->options.interrupt, memory_order_relaxed))
            return vt_fail(diag, VTA_INTERRUPTED, "interrupted");
        VT_TRY(run_node(e, g->nodes[i], diag));
        vt_spill_release(g->read_in);
    }
    return VTA_OK;
}
