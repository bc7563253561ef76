/* The rounds of a search. The first have the schedules that are known to be good: those that the caller gives, the
 * database's, the best by estimate. Every other round comes of the best so far. */
#include "operators/tune/search.h"
#include "base/clock.h"

#include <string.h>

#include "operators/database.h"

enum { ROUND = 16 };

static uint64_t best_of(const vt_tune_search *s) { return s->n_parents ? s->all[s->parents[0]].cycles : 0; }

/* ---- Trials ------------------------------------------------------------------------------------------------------ */

bool vt__search_is_new(const vt_tune_search *s, uint64_t hash) {
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i].hash == hash) return false;
    return true;
}

static const vt_tune_trial *find_known(const vt_tune_search *s, uint64_t hash) {
    for (size_t i = 0; i < s->n_known; i++)
        if (s->known[i].hash == hash) return &s->known[i];
    return NULL;
}

vta_status vt__search_add(vt_tune_search *s, const vt_op_blocks *b, uint64_t hash) {
    if (s->count >= s->trials) return VTA_OK;
    if (!vt_reserve(s->op->allocator, &s->all, &s->cap, s->count + 1, sizeof *s->all)) return vt_no_memory(s->diag);
    vt_tune_trial *t = &s->all[s->count++];
    const vt_tune_trial *known = find_known(s, hash);
    memset(t, 0, sizeof *t);
    if (known) *t = *known;
    t->blocks = *b;
    t->hash = hash;
    t->reused = known != NULL;
    return VTA_OK;
}

static void insert_parent(vt_tune_search *s, uint32_t index) {
    uint64_t cycles = s->all[index].cycles;
    uint32_t at = s->n_parents;
    if (at == VT_TUNE_PARENTS && s->all[s->parents[at - 1]].cycles <= cycles) return;
    if (at < VT_TUNE_PARENTS)
        s->n_parents++;
    else
        at--;
    for (; at > 0 && s->all[s->parents[at - 1]].cycles > cycles; at--) s->parents[at] = s->parents[at - 1];
    s->parents[at] = index;
}

static bool tick(void *user, const vt_tune_trial *done) {
    vt_tune_search *s = user;
    vtac_tune_progress p = {.size = sizeof p, .trials = s->trials, .bound = s->result.op.bound};
    if (s->options->seconds > 0 && vt_now() - s->begin >= s->options->seconds) s->stopped = true;
    if (!s->options->progress) return s->stopped;
    p.best = best_of(s);
    p.seconds = vt_now() - s->begin;
    for (size_t i = 0; i < s->count; i++) {
        const vt_tune_trial *t = &s->all[i];
        p.trial += t->done;
        p.failed += t->done && t->error;
        if (t->done && t->cycles && (!p.best || t->cycles < p.best)) p.best = t->cycles;
    }
    if (done) p.cycles = done->cycles;
    s->result.interrupted |= s->options->progress(s->options->user, &p);
    return s->stopped |= s->result.interrupted;
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* In the order of the trials, whichever ended first. */
static void take_round(vt_tune_search *s) {
    for (size_t i = s->done; i < s->count; i++) {
        const vt_tune_trial *t = &s->all[i];
        if (!t->done) continue;
        s->result.trials++;
        s->result.failed += t->error != VT_TUNE_FINE;
        s->result.reused += t->reused;
        s->result.op.refused += t->error == VT_TUNE_REFUSED;
        if (!t->cycles) continue;
        if (!best_of(s) || t->cycles < best_of(s)) s->last_better = i + 1;
        insert_parent(s, (uint32_t)i);
    }
    s->done = s->count;
}

/* The cycles of what vtac_op_schedule would have chosen, once these are done. */
static vta_status note_untuned(vt_tune_search *s) {
    uint64_t *least = &s->result.untuned;
    uint32_t fine = 0;
    for (uint32_t k = s->n_given; k < s->n_first && fine < VT_TUNE_UNTUNED; k++) {
        uint64_t hash;
        VT_TRY(vt__tune_hash(s->op, &s->first[k], s->diag, &hash));
        for (size_t i = 0; i < s->count; i++) {
            const vt_tune_trial *t = &s->all[i];
            if (t->hash != hash || !t->cycles) continue;
            if (!*least || t->cycles < *least) *least = t->cycles;
            fine++;
        }
    }
    return VTA_OK;
}

static vta_status add_first(vt_tune_search *s) {
    for (uint32_t n = 0; n < ROUND && s->next_first < s->n_first; s->next_first++) {
        uint64_t hash;
        const vt_op_blocks *b = &s->first[s->next_first];
        VT_TRY(vt__tune_hash(s->op, b, s->diag, &hash));
        if (!vt__search_is_new(s, hash)) continue;
        VT_TRY(vt__search_add(s, b, hash));
        n++;
    }
    return VTA_OK;
}

static bool fruitless(const vt_tune_search *s) {
    return s->options->early_stop && s->done >= s->last_better + s->options->early_stop;
}

static vta_status run_round(vt_tune_search *s) {
    bool stopped;
    VT_TRY(vt__tune_run(&s->pool, s->all + s->done, (uint32_t)(s->count - s->done), s->diag, &stopped));
    s->stopped |= stopped;
    vta_status status = vt__search_log_round(s);
    take_round(s);
    return status;
}

vta_status vt__search_run(vt_tune_search *s) {
    s->pool.tick = tick;
    s->pool.user = s;
    while (!s->stopped && s->done < s->trials && !fruitless(s)) {
        if (s->next_first < s->n_first)
            VT_TRY(add_first(s));
        else
            VT_TRY(vt__search_propose(s));
        if (s->count == s->done) {
            if (s->next_first < s->n_first) continue;
            break;
        }
        VT_TRY(run_round(s));
    }
    return note_untuned(s);
}

/* ---- The beginning ----------------------------------------------------------------------------------------------- */

static void add_start(vt_tune_search *s, const vt_op_blocks *b) { s->first[s->n_first++] = *b; }

static vta_status add_given(vt_tune_search *s) {
    const vtac_tune_log *log = s->options->start;
    vta_diag *said = log ? vta_diag_create(s->op->allocator) : NULL;
    vta_status status = !log || said ? VTA_OK : vt_no_memory(s->diag);
    for (size_t i = 0; said && i < log->count && s->n_first < VT_TUNE_GIVEN && status == VTA_OK; i++) {
        vt_op_blocks b;
        vt_tune_fit fit;
        vta_diag_clear(said);
        if (vt__tune_line_use(log, &log->lines[i], s->op, s->profile, said, &b, &fit) == VTA_NO_MEMORY)
            status = vt_no_memory(s->diag);
        else if (fit != VT_TUNE_NO_FIT)
            add_start(s, &b);
    }
    vta_diag_destroy(said);
    return status;
}

static vta_status add_database(vt_tune_search *s) {
    vt_op_blocks b;
    uint64_t cycles;
    bool found = false;
    if (!s->options->without_database)
        VT_TRY(vt_op_database_find(NULL, s->op, s->profile, s->diag, &b, &cycles, &found));
    if (found) add_start(s, &b);
    return VTA_OK;
}

vta_status vt__search_begin(vt_tune_search *s) {
    VT_TRY(add_given(s));
    VT_TRY(add_database(s));
    s->n_given = s->n_first;
    uint32_t n = vt_op_candidates(s->op, s->profile, VT_TUNE_BEGIN, s->first + s->n_first, &s->considered);
    if (!n) return s->op->is->space->nothing_fits(s->op, s->diag);
    if (vt_op_admit(s->op, s->profile, &s->first[s->n_first]))
        return vt_fail(s->diag, VTA_UNSUPPORTED, "%s: has only one schedule, so there is nothing to tune",
                       s->op->is->name);
    s->n_first += n;
    s->result.op.bound = vt_op_bound(s->op, s->profile);
    return VTA_OK;
}
