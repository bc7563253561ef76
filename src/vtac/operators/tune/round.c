/* A round of proposals: each is one of the best schedules so far with a few knobs turned, and is expected to take what
 * that one takes and the difference of their estimates. Those expected to be best are tried, and a few others, so that
 * the search does not stay where the estimate is wrong. */
#include "operators/tune/search.h"

enum {
    ROUND = 16,
    PROPOSALS = 128,
    OTHERS = 4,      /* of a round: taken from the proposals whatever is expected of them */
    ATTEMPTS = 4000, /* to find proposals */
    CROSSED = 4      /* one in so many takes knobs of another */
};

typedef struct proposal {
    vt_op_blocks blocks;
    uint64_t hash;
    double expected;
} proposal;

typedef struct proposals {
    proposal *of;
    uint32_t n;
} proposals;

/* The better ones more often. */
static const vt_tune_trial *pick_parent(vt_tune_search *s) {
    uint64_t x = vt__tune_random(&s->random, s->n_parents), y = vt__tune_random(&s->random, s->n_parents);
    return &s->all[s->parents[x < y ? x : y]];
}

static bool is_there(const proposals *p, uint64_t hash) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->of[i].hash == hash) return true;
    return false;
}

static vta_status propose_one(vt_tune_search *s, proposals *p) {
    const vt_tune_trial *parent = pick_parent(s);
    proposal *to = &p->of[p->n];
    to->blocks = parent->blocks;
    if (!vt__tune_random(&s->random, CROSSED)) vt__tune_cross(s->op, &s->random, &pick_parent(s)->blocks, &to->blocks);
    vt__tune_change(s->op, &s->random, &to->blocks);
    if (vt_op_admit(s->op, s->profile, &to->blocks)) return VTA_OK;
    VT_TRY(vt__tune_hash(s->op, &to->blocks, s->diag, &to->hash));
    if (is_there(p, to->hash) || !vt__search_is_new(s, to->hash)) return VTA_OK;
    to->expected = (double)parent->cycles + to->blocks.estimate - parent->blocks.estimate;
    p->n++;
    return VTA_OK;
}

static uint32_t best_of(const proposals *p) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->n; i++)
        if (p->of[i].expected < p->of[best].expected) best = i;
    return best;
}

static vta_status choose(vt_tune_search *s, proposals *p) {
    for (uint32_t i = 0; i < ROUND && p->n > 0; i++) {
        bool other = i >= ROUND - OTHERS;
        uint32_t at = other ? (uint32_t)vt__tune_random(&s->random, p->n) : best_of(p);
        VT_TRY(vt__search_add(s, &p->of[at].blocks, p->of[at].hash));
        p->of[at] = p->of[--p->n];
    }
    return VTA_OK;
}

vta_status vt__search_propose(vt_tune_search *s) {
    proposals p = {.n = 0};
    vta_status status = VTA_OK;
    if (!s->n_parents) return VTA_OK;
    p.of = vt_alloc_array(s->op->allocator, PROPOSALS, sizeof *p.of);
    if (!p.of) return vt_no_memory(s->diag);
    for (uint32_t i = 0; i < ATTEMPTS && p.n < PROPOSALS && status == VTA_OK; i++) status = propose_one(s, &p);
    if (status == VTA_OK) status = choose(s, &p);
    vt_free(s->op->allocator, p.of, PROPOSALS * sizeof *p.of);
    return status;
}
