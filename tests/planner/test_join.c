/* Two layers as one run: what load may fetch before the first one has stored its results, and that nothing else moves.
 */
#include "exec/exec_priv.h"
#include "isa/codec.h"
#include "network.h"

enum { MAX = 4096 };

/* The second layer's instructions, and the whole run's cycles. */
typedef struct layer {
    vta_insn insns[MAX];
    uint32_t count;
    uint64_t cycles;
} layer;

typedef enum weights { CONSTANT, COMPUTED } weights;

/* A convolution whose weights are a constant, or a copy that another step makes of one. */
static void add_layer(network *net, uint32_t from, uint32_t to, uint32_t weight, vtac_op *op) {
    const vt_planner_arg args[] = {{from}, {weight}, {to}};
    MUST(net, vt_planner_operator(net->planner, "conv", op, args, 3, net->diag));
}

static vtac_op *make_op(network *net, const char *text) {
    vtac_op *op;
    MUST(net, vtac_op_create("conv2d", text, net->config, NULL, net->diag, &op));
    MUST(net, vtac_op_schedule(op, &(vtac_op_options){.tries = 1, .without_code = true}, net->diag, NULL));
    return net->ops[net->op_count++] = op;
}

static uint64_t cycles_of(network *net, const vta_insn *insns, uint32_t count) {
    vta_timing_profile profile;
    vta_timing timing;
    MUST(net, vta_timing_profile_for(net->config, net->diag, &profile));
    MUST(net, vta_timing_run(net->config, &profile, insns, count, 0, 0, NULL, net->diag, &timing, NULL));
    return timing.cycles;
}

static void read_layer(network *net, layer *out) {
    static vta_insn all[2 * MAX];
    vta_model *model = network_model(net);
    const vt_plan *plan = &model->plan;
    const vt_plan_step *run = NULL;
    for (uint32_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kind == VT_STEP_RUN) run = &plan->steps[i];
    assert_non_null(run);
    assert_int_equal(run->layer_count, 2);
    assert_string_equal(plan->triple, ""); /* no step is the host's own code */
    assert_int_equal(run->layers[0].first, 0);
    const uint8_t *bytes = vt_container_find(&model->container, VT_SECTION_INSNS)->bytes;
    for (uint32_t i = 0; i < run->count && i < 2 * MAX; i++)
        MUST(net, vta_insn_decode(net->config, bytes + ((size_t)run->first + i) * VTA_INSN_BYTES, net->diag, &all[i]));
    out->count = run->count - run->layers[1].first;
    assert_true(out->count <= MAX && run->count <= 2 * MAX);
    memcpy(out->insns, &all[run->layers[1].first], out->count * sizeof *all);
    out->cycles = cycles_of(net, all, run->count);
    vta_model_release(model);
}

/* 1 x 1: a tile of the second layer takes few inputs and many weights. */
static void join(bool in_order, weights w, layer *out) {
    static network net;
    static int8_t values[2 * 64 * 64];
    uint32_t buffer[3], weight[2];
    const vt_planner_options options = {.in_order = in_order};
    network_begin(&net, 1, "", &options);
    for (int i = 0; i < 3; i++)
        MUST(&net, vt_planner_buffer(net.planner, VT_PLACE_DEVICE, "x", 64 * 6 * 6, net.diag, &buffer[i]));
    for (int i = 0; i < 2; i++) {
        uint32_t constant, *to = w == COMPUTED ? &constant : &weight[i];
        memset(values, i + 1, sizeof values);
        MUST(&net, vt_planner_constant(net.planner, VT_PLACE_DEVICE, "w", values, 64 * 64, net.diag, to));
        if (w == CONSTANT) continue;
        MUST(&net, vt_planner_buffer(net.planner, VT_PLACE_DEVICE, "copy", 64 * 64, net.diag, &weight[i]));
        MUST(&net, vt_planner_copy(net.planner, "copy", (vt_planner_arg){constant}, (vt_planner_arg){weight[i]},
                                   64 * 64, net.diag));
    }
    vtac_op *op = make_op(&net, "height=6 width=6 in_channels=64 out_channels=64 epilogue=shift,clip");
    for (uint32_t i = 0; i < 2; i++) add_layer(&net, buffer[i], buffer[i + 1], weight[i], op);
    read_layer(&net, out);
    network_end(&net);
}

static bool is_empty(const vta_insn *i) {
    return (i->opcode == VTA_OP_LOAD || i->opcode == VTA_OP_STORE) && !i->u.mem.x_size && !i->u.mem.y_pad_0 &&
           !i->u.mem.y_pad_1;
}

/* Load waits for compute, and does nothing else. */
static bool waits(const vta_insn *i) {
    return is_empty(i) && vt_insn_stage(i) == VTA_STAGE_LOAD && i->pop_next_dep && !i->push_next_dep;
}

static bool is_weights(const vta_insn *i) { return i->opcode == VTA_OP_LOAD && i->u.mem.memory_type == VTA_MEM_WGT; }

/* What is done: without tokens, and without what only carries them. */
static uint32_t work_of(const layer *l, vta_insn out[MAX]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (is_empty(&l->insns[i])) continue;
        out[n] = l->insns[i];
        out[n].pop_prev_dep = out[n].pop_next_dep = out[n].push_prev_dep = out[n].push_next_dep = 0;
        n++;
    }
    return n;
}

static bool same(const vta_insn *a, const vta_insn *b) {
    uint8_t x[VTA_INSN_BYTES], y[VTA_INSN_BYTES];
    vta_config *config = vta_config_default();
    assert_int_equal(vta_insn_encode(config, a, NULL, x), VTA_OK);
    assert_int_equal(vta_insn_encode(config, b, NULL, y), VTA_OK);
    vta_config_release(config);
    return !memcmp(x, y, sizeof x);
}

/* Loads of weights before compute gets its first work. */
static uint32_t first_weights(const layer *l) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        n += is_weights(&l->insns[i]);
        if (vt_insn_stage(&l->insns[i]) == VTA_STAGE_LOAD && l->insns[i].push_next_dep) break;
    }
    return n;
}

/* Constant weights of the first tile are fetched after the last product of the layer before, all else after its last
 * store; it is the same work in the same order besides, and takes fewer cycles. */
TEST_CASE(weights_come_first) {
    static layer early, late;
    static vta_insn x[MAX], y[MAX];
    join(false, CONSTANT, &early);
    join(true, CONSTANT, &late);
    uint32_t first = first_weights(&late), n = work_of(&early, x), k = 0;
    assert_true(first > 0 && waits(&early.insns[0]) && waits(&late.insns[0]) && !waits(&late.insns[1]));
    for (uint32_t i = 0; i < first; i++) assert_true(is_weights(&early.insns[1 + i]));
    assert_true(waits(&early.insns[1 + first]));
    assert_int_equal(work_of(&late, y), n);
    for (uint32_t i = 0, moved = 0; i < n; i++) {
        bool moves = moved < first && is_weights(&y[i]);
        if (!same(&y[i], &x[moves ? moved : first + k])) fail_msg("instruction %d of the layer is another", (int)i);
        moves ? moved++ : k++;
    }
    assert_true(early.cycles < late.cycles);
}

/* Weights that a step makes are fetched in their turn, whatever the options say. */
TEST_CASE(computed_weights_wait) {
    static layer early, late;
    static vta_insn x[MAX], y[MAX];
    join(false, COMPUTED, &early);
    join(true, COMPUTED, &late);
    assert_true(waits(&early.insns[0]) && waits(&early.insns[1]));
    uint32_t n = work_of(&early, x);
    assert_int_equal(work_of(&late, y), n);
    for (uint32_t i = 0; i < n; i++) assert_true(same(&x[i], &y[i]));
}

int main(void) { return run_cases(); }
