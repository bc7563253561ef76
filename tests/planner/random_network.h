/* Random networks of convolutions on the accelerator, sums and tables on the host, copies; on several machines. */
#ifndef TESTS_PLANNER_RANDOM_NETWORK_H
#define TESTS_PLANNER_RANDOM_NETWORK_H

#include "network.h"

static const char *const configs[] = {
    "",
    "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15",
    "LOG_BLOCK=3 LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=13",
    "LOG_BLOCK=5",
    "LOG_UOP_BUFF_SIZE=10 LOG_ACC_BUFF_SIZE=14",
};
enum { CONFIGS = sizeof configs / sizeof *configs };

static inline void add_random(network *net) {
    int from = (int)check_between(&net->random, 0, net->count - 1);
    const node *x = &net->nodes[from];
    int64_t what = check_between(&net->random, 0, 9);
    if (what == 0) {
        (check_between(&net->random, 0, 1) ? add_copy : add_table)(net, from);
        return;
    }
    for (int other = 0; what <= 3 && other < net->count; other++) {
        const node *z = &net->nodes[other];
        if (other == from || z->c != x->c || z->h != x->h || z->w != x->w) continue;
        add_sum(net, from, other);
        return;
    }
    geometry g = {.oc = check_between(&net->random, 1, 40), .k = check_between(&net->random, 0, 1) ? 3 : 1};
    if (check_between(&net->random, 0, 1)) g.oc = x->c;
    g.stride = check_between(&net->random, 0, 3) ? 1 : 2;
    g.pad = g.k == 3 || x->h < 3 || x->w < 3 ? 1 : check_between(&net->random, 0, 1);
    g.shift = (int)check_between(&net->random, 5, 11);
    if (x->h + 2 * g.pad < g.k || x->w + 2 * g.pad < g.k) g.k = 1;
    add_conv(net, from, g);
}

static inline void make(network *net, uint64_t seed, const vt_planner_options *options) {
    network_begin(net, seed, configs[seed % CONFIGS], options);
    check_random *r = &net->random;
    add_input(net, check_between(r, 1, 2), check_between(r, 1, 40), check_between(r, 1, 12), check_between(r, 1, 12));
    for (int64_t n = check_between(r, 2, NODES - 3); n > 0; n--) add_random(net);
    add_output(net, net->count - 1);
    for (int64_t n = check_between(r, 0, 2); n > 0; n--) add_output(net, (int)check_between(r, 0, net->count - 1));
}

#endif
