/* Random networks: convolutions on the accelerator, sums and tables on the host, copies; on several machines, both
 * simulators, in every order that the tokens allow. Nothing may differ from plain loops, and no race be found. */
#include "exec/exec_priv.h"
#include "isa/codec.h"
#include "random_network.h"

enum { NETWORKS = 60 };

static void run(network *net, vta_model *model, const char *driver, const vta_device_options *device, bool copies) {
    const vta_instance_options options = {.driver = driver, .device = device, .no_host_view = copies};
    vta_instance *in;
    MUST(net, vta_instance_create(model, &options, net->diag, &in));
    set_inputs(net, in);
    for (int i = 0; i < 2; i++) { /* what the first run leaves must not matter */
        MUST(net, vta_instance_run(in, net->diag));
        check_outputs(net, in, driver);
    }
    vta_instance_destroy(in);
}

/* vta_model_step_inputs against what the network was made of. Runs stand for nothing themselves. */
static void check_inputs(network *net, vta_model *model) {
    uint32_t row_of[2 * NODES];
    vta_model_step s = {0}, next = {0};
    const uint32_t *from;
    size_t count;
    int step = 0;
    for (size_t i = 0; vta_model_get_step(model, i, &s) == VTA_OK; i++) {
        MUST(net, vta_model_step_inputs(model, i, net->diag, &from, &count));
        if (!strcmp(s.kind, "run") && vta_model_get_step(model, i + 1, &next) == VTA_OK && next.step == s.step) {
            assert_int_equal(count, 0);
            continue;
        }
        const int *want = net->from[step];
        size_t wanted = (want[0] >= 0) + (want[1] >= 0 && want[1] != want[0]);
        row_of[step++] = (uint32_t)i;
        if (count != wanted) fail_msg("step %zu (%s) reads %zu steps, not %zu", i, s.name, count, wanted);
        for (size_t k = 0; k < count; k++)
            if (from[k] != row_of[want[0]] && from[k] != row_of[want[1] < 0 ? want[0] : want[1]])
                fail_msg("step %zu (%s) does not read step %u", i, s.name, from[k]);
    }
    assert_int_equal(step, net->step_count);
    assert_int_equal(vta_model_step_inputs(model, vta_model_step_count(model), NULL, &from, &count), VTA_OUT_OF_RANGE);
}

/* Where layers meet, a token goes with an instruction that is there anyway, unless that has one already. */
static void check_insns(network *net, const vta_model *model) {
    for (uint32_t i = 0; i < model->plan.step_count; i++) {
        const vt_plan_step *s = &model->plan.steps[i];
        const uint8_t *bytes = vt_container_find(&model->container, VT_SECTION_INSNS)->bytes;
        vta_insn last[VTA_STAGE_STORE + 1] = {{0}}, insn;
        for (uint32_t k = 0; s->kind == VT_STEP_RUN && k < s->count; k++) {
            MUST(net, vta_insn_decode(model->config, bytes + ((size_t)s->first + k) * VTA_INSN_BYTES, NULL, &insn));
            vta_stage stage = vt_insn_stage(&insn);
            bool empty = (insn.opcode == VTA_OP_LOAD || insn.opcode == VTA_OP_STORE) && !insn.u.mem.x_size;
            bool pushes = insn.push_prev_dep && !insn.push_next_dep && !insn.pop_prev_dep && !insn.pop_next_dep;
            if (empty && pushes && k && stage == VTA_STAGE_COMPUTE && !last[stage].push_prev_dep)
                fail_msg("instruction %u of step %u only pushes what the one before could", k, i);
            last[stage] = insn;
        }
    }
}

static void check(uint64_t seed, const vt_planner_options *options) {
    network net;
    make(&net, seed, options);
    vta_model *model = network_model(&net);
    if (options->as_added) check_inputs(&net, model);
    check_insns(&net, model);
    run(&net, model, "sim", &(vta_device_options){.check = true}, false);
    run(&net, model, "sim", &(vta_device_options){.order = VTA_ORDER_STORE_LATE}, true);
    run(&net, model, "sim", &(vta_device_options){.order = VTA_ORDER_RANDOM, .seed = seed}, false);
    run(&net, model, "tsim", NULL, seed % 2);
    vta_model_release(model);
    network_end(&net);
}

TEST_CASE(networks) {
    for (uint64_t seed = 0; seed < NETWORKS; seed++) {
        const vt_planner_options options = {.as_added = seed % 2, .in_order = seed % 7 == 3, .separate = seed % 7 == 5};
        check(seed, &options);
    }
}

int main(void) { return run_cases(); }
