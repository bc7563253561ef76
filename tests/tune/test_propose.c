/* A round of proposals: those are tried that are expected to be best, which is what the schedule they come from takes
 * and the difference of the two estimates. And when a search without better ones ends, to the trial. */
#include <stdint.h>
#include <string.h>

#include "support/check.h"

#include "operators/knobs.h"
#include "operators/tune/search.h"
#include "vta/tune.h"

enum { ROUND = 16, OTHERS = 4, CANDIDATES = 64 };

static vtac_op *make(const char *text) {
    vtac_op *op;
    assert_int_equal(vtac_op_create("conv2d", text, NULL, NULL, NULL, &op), VTA_OK);
    return op;
}

/* The best candidate whose tiles take turns, or have threads. */
static vt_op_blocks candidate(const vtac_op *op, const vta_timing_profile *profile, bool turns) {
    vt_op_blocks all[CANDIDATES];
    uint64_t considered;
    uint32_t n = vt_op_candidates(op, profile, CANDIDATES, all, &considered);
    for (uint32_t i = 0; i < n; i++)
        if (all[i].turns == turns) return all[i];
    fail_msg("no candidate %s turns", turns ? "takes" : "is without");
    return all[0];
}

static void add_parent(vt_tune_search *s, vt_op_blocks b, double error) {
    uint64_t hash;
    assert_int_equal(vt__tune_hash(s->op, &b, s->diag, &hash), VTA_OK);
    b.estimate += error;
    assert_int_equal(vt__search_add(s, &b, hash), VTA_OK);
    s->all[s->count - 1].cycles = 100000;
    s->parents[s->n_parents++] = (uint32_t)(s->count - 1);
}

/* How many of a round's best come from the parent that takes turns, when its estimate is so much too high. */
static uint32_t from_turns(double error) {
    vta_timing_profile profile;
    vtac_op *op = make("height=28 width=28 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=shift");
    vta_diag *diag = vta_diag_create(NULL);
    static const vtac_tune_options options;
    vt_tune_search s = {.op = op, .profile = &profile, .diag = diag, .trials = 1000, .options = &options};
    uint32_t n = 0;
    assert_int_equal(vta_timing_profile_for(op->config, diag, &profile), VTA_OK);
    vt_op_blocks turns = candidate(op, &profile, true), threads = turns;
    threads.turns = false; /* the same tiles, one after the other */
    threads.threads = 1;
    threads.oc = threads.ic = 1;
    if (vt_op_admit(op, &profile, &threads)) threads = candidate(op, &profile, false);
    add_parent(&s, turns, error);
    add_parent(&s, threads, 0);
    s.done = s.count;
    assert_int_equal(vt__search_propose(&s), VTA_OK);
    assert_int_equal(s.count - s.done, ROUND);
    for (size_t i = s.done; i < s.done + ROUND - OTHERS; i++) n += s.all[i].blocks.turns;
    vt_free(op->allocator, s.all, s.cap * sizeof *s.all);
    vta_diag_destroy(diag);
    vtac_op_destroy(op);
    return n;
}

/* What an estimate is wrong by cancels: children of a parent whose estimate is too high take less than theirs. */
TEST_CASE(test_expected) {
    assert_int_equal(from_turns(1e9), ROUND - OTHERS);
    assert_int_equal(from_turns(-1e9), 0);
}

/* The database's schedule is the first trial, and nothing is better. */
TEST_CASE(test_end) {
    vtac_op *op =
        make("height=14 width=14 in_channels=256 out_channels=512 kernel=1 stride=2 epilogue=shift,relu,clip");
    vtac_tune_result r = {.size = sizeof r};
    assert_int_equal(vtac_tune(op, &(vtac_tune_options){.trials = 64, .early_stop = ROUND - 1}, NULL, &r), VTA_OK);
    assert_int_equal(r.trials, ROUND);
    vtac_op_destroy(op);
}

int main(void) { return run_cases(); }
