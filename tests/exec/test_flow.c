/* Whose results a step or a layer reads, on random plans: copies between places that share memory, and runs with layers
 * and without, against an owner of each byte. */
#include "small.h"
#include "support/diag.h"

enum { PLANS = 300, STEPS = 9, NODES = 64, NOBODY = NODES, SPACE = 512, INSNS = 16, LAYERS = 3 };

/* The steps, and what they should be said to read. */
typedef struct flow {
    small s;
    vt_plan_buffer buffers[3];
    vt_plan_view views[2 * STEPS];
    vt_plan_step steps[STEPS];
    vt_plan_layer layers[LAYERS * STEPS];
    int64_t shape[2 * STEPS];
    uint32_t layer_count, node_count;
    uint8_t owner[VT_PLACES][SPACE];
    bool reads[NODES][NODES + 1]; /* [node][owner] */
} flow;

static check_random numbers = {11};

static uint32_t pick(uint32_t least, uint32_t most) { return (uint32_t)check_between(&numbers, least, most); }

static void note_read(flow *f, uint32_t node, vt_place place, uint32_t from, uint32_t bytes) {
    for (uint32_t i = from; i < from + bytes; i++) f->reads[node][f->owner[place][i]] = true;
}

static void note_write(flow *f, uint32_t node, vt_place place, uint32_t from, uint32_t bytes) {
    memset(f->owner[place] + from, (int)node, bytes);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

static void add_copy(flow *f, uint32_t step) {
    uint32_t node = f->node_count++, bytes = pick(1, 200);
    uint32_t from = pick(0, SPACE - bytes), to = pick(0, SPACE - bytes);
    vt_place places[2] = {pick(0, 1) ? VT_PLACE_HOST : VT_PLACE_DEVICE, pick(0, 1) ? VT_PLACE_HOST : VT_PLACE_DEVICE};
    vt_plan_view *views = &f->views[2 * step];
    for (uint32_t k = 0; k < 2; k++) {
        f->shape[2 * step + k] = bytes;
        views[k] = (vt_plan_view){.buffer = places[k] == VT_PLACE_HOST ? 0 : 1,
                                  .offset = k ? to : from,
                                  .bytes = bytes,
                                  .type = small_uint8,
                                  .ndim = 1,
                                  .output = k == 1,
                                  .shape = &f->shape[2 * step + k]};
    }
    f->steps[step] = (vt_plan_step){.kind = VT_STEP_COPY, .name = "copy", .views = views, .view_count = 2};
    note_read(f, node, places[0], from, bytes);
    note_write(f, node, places[1], to, bytes);
}

/* Loads and stores of one layer, rows with gaps. All is read before anything is written. */
static void add_transfers(flow *f, const vta_config *config, uint32_t node, uint32_t count) {
    uint32_t from[INSNS], bytes[INSNS], written = 0;
    for (uint32_t i = 0; i < count; i++) {
        vta_insn insn;
        bool stores = pick(0, 1);
        small_insn(&insn, stores ? VTA_OP_STORE : VTA_OP_LOAD);
        insn.u.mem.memory_type = stores ? VTA_MEM_OUT : VTA_MEM_INP;
        insn.u.mem.x_size = (uint16_t)pick(0, 4);
        insn.u.mem.y_size = (uint16_t)pick(0, 3);
        insn.u.mem.x_stride = (uint16_t)pick(0, 6);
        uint32_t elements = insn.u.mem.x_size && insn.u.mem.y_size
                                ? (insn.u.mem.y_size - 1u) * insn.u.mem.x_stride + insn.u.mem.x_size
                                : 0;
        uint32_t at = LANES * pick(0, SPACE / LANES - elements);
        insn.u.mem.dram_base = (X_AT + at) / LANES;
        small_push(&f->s, config, &insn);
        if (!stores) note_read(f, node, VT_PLACE_DEVICE, at, LANES * elements);
        if (stores) from[written] = at, bytes[written++] = LANES * elements;
    }
    for (uint32_t i = 0; i < written; i++) note_write(f, node, VT_PLACE_DEVICE, from[i], bytes[i]);
}

static void add_run(flow *f, const vta_config *config, uint32_t step) {
    vta_insn finish;
    uint32_t layers = pick(0, LAYERS), first = f->s.insn_count;
    vt_plan_step *run = &f->steps[step];
    *run = (vt_plan_step){.kind = VT_STEP_RUN,
                          .name = "run",
                          .first = first,
                          .layers = &f->layers[f->layer_count],
                          .layer_count = layers};
    f->layer_count += layers;
    if (!layers) add_transfers(f, config, f->node_count, 4);
    f->node_count++;
    for (uint32_t k = 0; k < layers; k++) {
        run->layers[k] = (vt_plan_layer){"layer", f->s.insn_count - first};
        add_transfers(f, config, f->node_count++, pick(1, 2));
    }
    small_push(&f->s, config, small_insn(&finish, VTA_OP_FINISH));
    run->count = f->s.insn_count - first;
}

static vta_model *make_model(flow *f) {
    vta_config *config = vta_config_default();
    vta_model *model;
    size_t size;
    *f = (flow){.buffers = {{"host", VT_PLACE_HOST, 0, SPACE},
                            {"device", VT_PLACE_DEVICE, X_AT, SPACE},
                            {"y", VT_PLACE_HOST, SPACE, ELEMENTS}}};
    small_make(&f->s);
    f->s.insn_count = 0;
    memset(f->owner, NOBODY, sizeof f->owner);
    for (uint32_t step = 0; step < STEPS; step++) {
        bool room = f->s.insn_count + 2 * LAYERS + 1 <= INSNS;
        if (room && pick(0, 2) == 0)
            add_run(f, config, step);
        else
            add_copy(f, step);
    }
    f->s.plan.buffers = f->buffers;
    f->s.plan.buffer_count = 3;
    f->s.output.view.buffer = 2;
    f->s.plan.host_bytes = SPACE + ELEMENTS;
    f->s.plan.steps = f->steps;
    f->s.plan.step_count = STEPS;
    uint8_t *bytes = small_write(&f->s, NULL, &size);
    must(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    small_free(&f->s);
    vta_config_release(config);
    return model;
}

/* ---- What is said ------------------------------------------------------------------------------------------------ */

/* Each of them once, and no other. */
static void check_node(vta_model *model, const flow *f, uint32_t node, int plan) {
    const uint32_t *steps;
    size_t count;
    bool said[NODES] = {0};
    must(vta_model_step_inputs(model, node, diag, &steps, &count));
    for (size_t i = 0; i < count; i++) {
        assert_in_range(steps[i], 0, NODES - 1);
        if (said[steps[i]] || !f->reads[node][steps[i]])
            fail_msg("plan %d: step %u: %u stands %s", plan, node, steps[i],
                     said[steps[i]] ? "twice" : "there, and is not read");
        said[steps[i]] = true;
    }
    for (uint32_t k = 0; k < NODES; k++)
        if (f->reads[node][k] && !said[k]) fail_msg("plan %d: step %u: reads %u, which is missing", plan, node, k);
}

TEST_CASE(random_plans) {
    static flow f;
    for (int plan = 0; plan < PLANS; plan++) {
        vta_model *model = make_model(&f);
        assert_int_equal(vta_model_step_count(model), f.node_count);
        for (uint32_t node = f.node_count; node-- > 0;) check_node(model, &f, node, plan);
        vta_model_release(model);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
