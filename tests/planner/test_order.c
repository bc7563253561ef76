/* The order of steps has the fewest runs of the device that there are: held against all orders, by a search over sets
 * of steps that are done. What the steps give is the same as ever. */
#include "random_network.h"

enum { ORDERS = 16, STEPS = NODES + 3 };

/* What the search knows: of a set of steps, the fewest runs to compute it, the last step being the host's [0] or the
 * accelerator's [1]. */
static uint8_t fewest[1 << STEPS][2];

static bool is_ready(const network *net, int step, uint32_t done) {
    for (int k = 0; k < 2; k++)
        if (net->from[step][k] >= 0 && !(done >> net->from[step][k] & 1)) return false;
    return !(done >> step & 1);
}

static int least_runs(const network *net) {
    uint32_t all = (1u << net->step_count) - 1;
    memset(fewest, 0xff, sizeof fewest);
    fewest[0][0] = 0;
    for (uint32_t done = 0; done < all; done++)
        for (int last = 0; last < 2; last++)
            for (int step = 0; step < net->step_count && fewest[done][last] != 0xff; step++) {
                if (!is_ready(net, step, done)) continue;
                bool run = net->is_run[step];
                uint8_t runs = (uint8_t)(fewest[done][last] + (run && !last)), *to = &fewest[done | 1u << step][run];
                if (runs < *to) *to = runs;
            }
    return fewest[all][0] < fewest[all][1] ? fewest[all][0] : fewest[all][1];
}

static int runs_of(const vta_model *model) {
    vta_model_step s = {0};
    int runs = 0;
    for (size_t i = 0; vta_model_get_step(model, i, &s) == VTA_OK; i++) runs += !strcmp(s.kind, "run");
    return runs;
}

/* The runs of a network as it was added, or in the best order, whose results are checked. */
static int runs_with(uint64_t seed, bool as_added, int *out_least) {
    const vt_planner_options options = {.as_added = as_added};
    network net;
    vta_instance *in;
    make(&net, seed, &options);
    assert_true(net.step_count <= STEPS);
    vta_model *model = network_model(&net);
    int runs = runs_of(model);
    *out_least = least_runs(&net);
    MUST(&net, vta_instance_create(model, NULL, net.diag, &in));
    set_inputs(&net, in);
    MUST(&net, vta_instance_run(in, net.diag));
    check_outputs(&net, in, "sim");
    vta_instance_destroy(in);
    vta_model_release(model);
    network_end(&net);
    return runs;
}

TEST_CASE(fewest_runs) {
    int fewer = 0, several = 0, least;
    for (uint64_t seed = 100; seed < 100 + ORDERS; seed++) {
        int before = runs_with(seed, true, &least), after = runs_with(seed, false, &least);
        if (after != least) fail_msg("network %d: %d runs, where %d are enough", (int)seed, after, least);
        fewer += after < before;
        several += least > 1;
    }
    assert_in_range(fewer, 2, ORDERS); /* there was something to find, and something that no order avoids */
    assert_in_range(several, 2, ORDERS);
}

/* A buffer that is written anew once the accelerator has read it: the second copy has to wait for that. */
TEST_CASE(written_twice) {
    network net;
    vta_instance *in;
    network_begin(&net, 7, "", NULL);
    add_input(&net, 1, 16, 4, 4);
    add_input(&net, 1, 16, 4, 4);
    node *a = add_copy(&net, 0);
    uint32_t twice = a->buffer;
    add_output(&net, (int)(add_conv(&net, 2, (geometry){16, 1, 1, 0, 7}) - net.nodes));
    MUST(&net, vt_planner_copy(net.planner, "again", (vt_planner_arg){net.nodes[1].buffer}, (vt_planner_arg){twice},
                               (uint64_t)tile_bytes(&net, &net.nodes[1]), net.diag));
    memcpy(net.nodes[2].values, net.nodes[1].values, (size_t)elements(&net.nodes[1]));
    add_output(&net, 2);
    vta_model *model = network_model(&net);
    MUST(&net, vta_instance_create(model, NULL, net.diag, &in));
    set_inputs(&net, in);
    MUST(&net, vta_instance_run(in, net.diag));
    check_outputs(&net, in, "sim");
    vta_instance_destroy(in);
    vta_model_release(model);
    network_end(&net);
}

int main(void) { return run_cases(); }
