/* A search on its way. */
#ifndef VT_TUNE_SEARCH_H
#define VT_TUNE_SEARCH_H

#include <stdio.h>

#include "operators/tune/tune.h"

enum {
    VT_TUNE_GIVEN = 16,   /* schedules of the caller that are tried first */
    VT_TUNE_BEGIN = 32,   /* and of the best by estimate */
    VT_TUNE_PARENTS = 12, /* the best that proposals are made from */
    VT_TUNE_UNTUNED = 3,  /* what vtac_op_schedule tries */
};

typedef struct vt_tune_search {
    vtac_op *op;
    const vta_timing_profile *profile;
    const vtac_tune_options *options;
    vta_diag *diag;
    vt_tune_pool pool;
    vt_tune_random random;
    uint32_t trials; /* at most */
    /* All trials in their order; those from `done` on are the round that runs. */
    vt_tune_trial *all;
    size_t cap, count, done;
    uint32_t parents[VT_TUNE_PARENTS], n_parents; /* places in `all`, best first */
    size_t last_better;
    /* What is tried first: the caller's, the database's, the best by estimate. */
    vt_op_blocks first[VT_TUNE_GIVEN + 1 + VT_TUNE_BEGIN];
    uint32_t n_first, n_given, next_first;
    uint64_t considered;
    vt_tune_trial *known; /* of the log that is resumed */
    size_t known_cap, n_known;
    FILE *log;
    double begin;
    bool stopped;
    vtac_tune_result result;
} vt_tune_search;

/* Schedules to begin with. VTA_UNSUPPORTED: there are none. */
vta_status vt__search_begin(vt_tune_search *s);
/* Rounds until the end, whichever comes first. */
vta_status vt__search_run(vt_tune_search *s);
/* Fills the next round: s->all from s->done on. None: there is nothing new. */
vta_status vt__search_propose(vt_tune_search *s);
vta_status vt__search_add(vt_tune_search *s, const vt_op_blocks *b, uint64_t hash);
bool vt__search_is_new(const vt_tune_search *s, uint64_t hash);

/* The log: opened, what is in it known; a round appended. */
vta_status vt__search_open_log(vt_tune_search *s);
vta_status vt__search_log_round(vt_tune_search *s);

#endif
