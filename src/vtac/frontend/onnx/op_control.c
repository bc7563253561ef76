/* Control flow that is known when the model is read: If takes one branch, Loop and Scan are unrolled. */
#include <string.h>

#include "frontend/onnx/make.h"

/* At most this many nodes are read in bodies, so that nested loops end. */
enum { BODY_NODES_MAX = 1 << 18 };

static const Onnx__GraphProto *body_of(const vt_onnx_node *n, const char *name) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, name);
    if (!a || !a->g) vt__onnx_wrong(n, "attribute %s, a graph, is missing", name);
    return a->g;
}

void vt__onnx_count_unrolled(const vt_onnx_node *n, size_t nodes) {
    n->r->body_nodes += (uint32_t)(nodes < BODY_NODES_MAX ? nodes : BODY_NODES_MAX);
    if (n->r->body_nodes > BODY_NODES_MAX)
        vt__onnx_unsupported(n, "its bodies are more than %d nodes when they are unrolled", BODY_NODES_MAX);
}

/* Reads the body once. out: as many values as the body has outputs. */
static void read_body(const vt_onnx_node *n, const Onnx__GraphProto *body, size_t inputs, vt_gvalue *const *in,
                      vt_gvalue **out) {
    if (body->n_input != inputs) vt__onnx_wrong(n, "its body has %zu inputs, expected %zu", body->n_input, inputs);
    vt__onnx_count_unrolled(n, body->n_node + body->n_initializer + 1);
    vt__onnx_read_body(n->r, body, in, out);
}

/* ---- If ---- */

static bool same_types(vt_gvalue *const *a, vt_gvalue *const *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!vt_gtype_equal(&a[i]->type, &b[i]->type)) return false;
    return true;
}

/* Where the condition is computed, both branches are, and the outputs of one of them chosen. */
void vt__onnx_if(const vt_onnx_node *n) {
    const Onnx__GraphProto *branch[] = {body_of(n, "else_branch"), body_of(n, "then_branch")};
    vt_gvalue *condition = vt__onnx_need(n, 0), *is = vt__onnx_known(n, condition);
    size_t count = n->p->n_output;
    vt_gvalue **out[2];
    if (condition->type.element != VT_ELEMENT_BOOL || vt_gtype_count(&condition->type) != 1)
        vt__onnx_wrong(n, "its condition (%s) is not one bool", condition->name);
    for (size_t i = 0; i < 2; i++) {
        bool taken = !is || vt_gelement_at(is, 0) == (double)i;
        if (branch[i]->n_output < count) vt__onnx_wrong(n, "a branch has %zu outputs", branch[i]->n_output);
        out[i] = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, branch[i]->n_output + 1);
        if (taken) read_body(n, branch[i], 0, NULL, out[i]);
        for (size_t k = 0; is && taken && k < count; k++) vt__onnx_out(n, k, out[i][k]);
    }
    if (is) return;
    if (!same_types(out[0], out[1], count))
        vt__onnx_unsupported(n,
                             "its condition (%s) is computed when the model runs, and its branches give tensors of "
                             "different shapes",
                             condition->name);
    condition = vt__onnx_reshape_to(n, condition, 0, NULL);
    for (size_t k = 0; k < count; k++) vt__onnx_out(n, k, vt__mk_where(n, condition, out[1][k], out[0][k]));
}

/* ---- Loop and Scan ---- */

/* The values of one output of all turns, one after the other. */
typedef struct turns {
    vt_gvalue **item;
    uint32_t count, cap;
} turns;

static void keep(const vt_onnx_node *n, turns *t, vt_gvalue *v, uint32_t axis) {
    if (axis > v->type.rank || v->type.rank >= VT_MAX_RANK) vt__onnx_wrong(n, "an output has %u axes", v->type.rank);
    vt_grow(n->r->ctx, &t->item, &t->cap, t->count + 1, sizeof *t->item);
    t->item[t->count++] = vt__mk_unsqueeze(n, v, axis);
}

static void give_turns(const vt_onnx_node *n, size_t output, const turns *t, uint32_t axis) {
    if (!vt__onnx_wants(n, output)) return;
    if (!t->count) vt__onnx_unsupported(n, "its body is never run, so that output %zu has no shape", output);
    vt__onnx_out(n, output, vt__mk_concat(n, t->count, t->item, axis));
}

static vt_gvalue *number(const vt_onnx_node *n, int64_t x) {
    int64_t *data;
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_I64, 0, NULL, &data);
    *data = x;
    return v;
}

static bool holds(const vt_onnx_node *n, vt_gvalue *condition) {
    vt_gvalue *is = vt__onnx_known(n, condition);
    if (!is || vt_gtype_count(&is->type) != 1)
        vt__onnx_unsupported(n,
                             "whether it goes on (%s) is computed when the model runs; it must follow from constants "
                             "and shapes",
                             condition->name);
    return vt_gelement_at(is, 0) != 0;
}

/* The number of turns that input 0 gives; without it there is no end but that of the condition. */
static double turns_of(const vt_onnx_node *n) {
    if (!vt__onnx_in(n, 0)) return 1e18;
    const vt_gvalue *v = vt__onnx_need_known(n, 0, "the number of turns");
    if (vt_gtype_count(&v->type) != 1) vt__onnx_wrong(n, "the number of turns (%s) is not one number", v->name);
    return vt_gelement_at(v, 0);
}

/* Body: number of the turn, condition, state -> condition, state, what is collected. */
void vt__onnx_loop(const vt_onnx_node *n) {
    const Onnx__GraphProto *body = body_of(n, "body");
    size_t states = n->p->n_input > 2 ? n->p->n_input - 2 : 0, outputs = body->n_output;
    double most = turns_of(n);
    vt_gvalue *goes_on = vt__onnx_in(n, 1), **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, states + 2);
    vt_gvalue **out = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, outputs + 1);
    if (outputs < states + 1) vt__onnx_wrong(n, "its body has %zu outputs", outputs);
    turns *collected = VT_NEW_ARRAY(n->r->ctx, turns, outputs - states);
    bool *truth = VT_NEW(n->r->ctx, bool);
    *truth = true;
    for (size_t i = 0; i < states; i++) in[2 + i] = vt__onnx_need(n, 2 + i);
    if (!goes_on) goes_on = vt_graph_constant(n->r->g, n->name, (vt_gtype){.element = VT_ELEMENT_BOOL}, truth);
    for (int64_t turn = 0; (double)turn < most && holds(n, goes_on); turn++) {
        in[0] = number(n, turn), in[1] = goes_on;
        read_body(n, body, states + 2, in, out);
        goes_on = out[0];
        for (size_t i = 0; i < states; i++) in[2 + i] = out[1 + i];
        for (size_t i = states + 1; i < outputs; i++) keep(n, &collected[i - states - 1], out[i], 0);
        vt_poll(n->r->ctx);
    }
    for (size_t i = 0; i < states; i++) vt__onnx_out(n, i, in[2 + i]);
    for (size_t i = states + 1; i < outputs; i++) give_turns(n, i - 1, &collected[i - states - 1], 0);
}

static int64_t listed(const vt_onnx_node *n, const char *name, size_t i) {
    vt_onnx_ints list = vt__onnx_ints_of(n, name);
    if (list.given && i >= list.count) vt__onnx_wrong(n, "%s has %u entries", name, (unsigned)list.count);
    return list.given ? list.item[i] : 0;
}

/* Entry `turn` of a scanned input, without its axis. */
static vt_gvalue *scanned(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, int64_t turn, bool backwards) {
    int64_t dims[VT_MAX_RANK], extent = x->type.dim[axis];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->type.rank; i++)
        if (i != axis) dims[rank++] = x->type.dim[i];
    return vt__onnx_reshape_to(n, vt__mk_slice(n, x, axis, backwards ? extent - 1 - turn : turn, 1), rank, dims);
}

/* Body: state, an entry of each scanned input -> state, what is collected. */
void vt__onnx_scan(const vt_onnx_node *n) {
    const Onnx__GraphProto *body = body_of(n, "body");
    int64_t scans = vt__onnx_int(n, "num_scan_inputs", 0), turns_all = -1;
    size_t inputs = n->p->n_input, outputs = body->n_output;
    if (n->r->opset < 9) vt__onnx_unsupported(n, "of operator set 8, with a batch, is not supported");
    if (scans < 1 || (uint64_t)scans > inputs) vt__onnx_wrong(n, "num_scan_inputs is %lld", (long long)scans);
    size_t states = inputs - (size_t)scans;
    if (outputs < states) vt__onnx_wrong(n, "its body has %zu outputs", outputs);
    vt_gvalue **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, inputs),
              **out = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, outputs + 1);
    turns *collected = VT_NEW_ARRAY(n->r->ctx, turns, outputs - states + 1);
    for (size_t i = 0; i < states; i++) in[i] = vt__onnx_need(n, i);
    for (size_t i = states; i < inputs; i++) {
        const vt_gvalue *x = vt__onnx_need(n, i);
        int64_t extent = x->type.dim[vt__onnx_axis(n, listed(n, "scan_input_axes", i - states), x->type.rank)];
        if (turns_all >= 0 && extent != turns_all) vt__onnx_wrong(n, "its inputs are not equally long");
        turns_all = extent;
    }
    for (int64_t turn = 0; turn < turns_all; turn++) {
        for (size_t i = states; i < inputs; i++) {
            vt_gvalue *x = vt__onnx_need(n, i);
            uint32_t axis = vt__onnx_axis(n, listed(n, "scan_input_axes", i - states), x->type.rank);
            in[i] = scanned(n, x, axis, turn, listed(n, "scan_input_directions", i - states) != 0);
        }
        read_body(n, body, inputs, in, out);
        for (size_t i = 0; i < states; i++) in[i] = out[i];
        for (size_t i = states; i < outputs; i++) {
            int64_t axis = listed(n, "scan_output_axes", i - states);
            keep(n, &collected[i - states], out[i], vt__onnx_axis(n, axis, out[i]->type.rank + 1));
        }
        vt_poll(n->r->ctx);
    }
    for (size_t i = 0; i < states; i++) vt__onnx_out(n, i, in[i]);
    for (size_t i = states; i < outputs; i++) {
        turns *t = &collected[i - states];
        int64_t axis = listed(n, "scan_output_axes", i - states);
        for (uint32_t k = 0; listed(n, "scan_output_directions", i - states) && k < t->count / 2; k++) {
            vt_gvalue *other = t->item[t->count - 1 - k];
            t->item[t->count - 1 - k] = t->item[k], t->item[k] = other;
        }
        give_turns(n, i, t, t->count ? vt__onnx_axis(n, axis, t->item[0]->type.rank) : 0);
    }
}
