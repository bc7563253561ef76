/* The critical path: the chain of instructions, from the launch to FINISH, each of which began when the one before let
 * it. Making any other instruction faster does not make the program faster.
 *
 * It is walked backwards. What an instruction waited for last is what let it begin: the token of the stage after, the
 * token of the stage before, its own arrival from fetch, or the end of its predecessor in the unit, in this order
 * (vta_insn_time names the waits in the order in which they came). The time in which a unit waited for an instruction
 * to arrive belongs to fetch, and the path goes on with the unit. */
#include "profile/profile_priv.h"

static const uint32_t NONE = UINT32_MAX;

/* One instruction of the walk back. */
typedef struct walk {
    const vt_profile_run *run;
    const uint32_t *before; /* per instruction: its predecessor in the unit, or NONE */
    uint8_t *on_path;
    vt_critical *out;
} walk;

/* In a unit that runs several at once, an instruction may end before one that came earlier: the order is that of ends.
 */
static void find_predecessors(const vt_profile_run *run, uint32_t *before) {
    uint32_t last[VTA_UNIT_COUNT];
    for (int u = 0; u < VTA_UNIT_COUNT; u++) last[u] = NONE;
    for (uint32_t i = 0; i < run->count; i++) {
        const vta_insn_time *t = &run->times[i];
        uint32_t *after = &last[t->unit];
        before[i] = NONE;
        if (t->start == UINT64_MAX) continue;
        while (*after != NONE && run->times[*after].end > t->end) after = &before[*after];
        before[i] = *after;
        *after = i;
    }
}

/* The instruction whose token was waited for; NONE when none was. */
static uint32_t token_giver(const vta_insn_time *t) {
    if (t->wait_next && t->token_next != NONE) return t->token_next;
    return t->wait_prev ? t->token_prev : NONE;
}

/* Marks an instruction that lets the next one begin at `until`; gives the one before it on the path, and when this one
 * could begin. */
static uint32_t step(walk *w, uint32_t at, uint64_t until, uint64_t *out_begin) {
    const vta_insn_time *t = &w->run->times[at];
    w->on_path[at] = 1;
    w->out->cycles[t->kind] += until - t->start;
    w->out->instructions[t->kind]++;
    *out_begin = t->start;
    uint32_t giver = token_giver(t);
    if (giver != NONE) return giver;
    uint32_t before = w->before[at];
    uint64_t ready = before == NONE ? 0 : t->ready;
    if (before == NONE || t->arrived > ready) {
        w->out->fetch += t->start - ready;
        *out_begin = ready;
    }
    return before;
}

static void walk_run(walk *w) {
    uint32_t at = w->run->count;
    while (at > 0 && w->run->times[at - 1].start == UINT64_MAX) at--;
    uint64_t until = w->run->timing.cycles;
    for (at = at ? at - 1 : NONE; at != NONE;) {
        uint64_t begin;
        uint32_t next = step(w, at, until, &begin);
        if (next != NONE && w->run->times[next].start > begin) next = NONE; /* never: time runs one way */
        until = begin;
        at = next;
    }
}

vta_status vt_profile_critical(const vta_profile *profile, vta_diag *diag, vt_critical *out) {
    *out = (vt_critical){0};
    uint32_t most = 0;
    for (size_t r = 0; r < profile->run_count; r++) {
        out->size += profile->runs[r].count;
        if (profile->runs[r].count > most) most = profile->runs[r].count;
    }
    uint32_t *before = vt_alloc_array(&profile->allocator, most, sizeof *before);
    out->on_path = vt_alloc_zero(&profile->allocator, out->size);
    if (!before || !out->on_path) {
        vt_free(&profile->allocator, before, most * sizeof *before);
        vt_profile_critical_free(profile, out);
        return vt_no_memory(diag);
    }
    uint8_t *on_path = out->on_path;
    for (size_t r = 0; r < profile->run_count; on_path += profile->runs[r++].count) {
        find_predecessors(&profile->runs[r], before);
        walk_run(&(walk){&profile->runs[r], before, on_path, out});
    }
    vt_free(&profile->allocator, before, most * sizeof *before);
    return VTA_OK;
}

void vt_profile_critical_free(const vta_profile *profile, vt_critical *critical) {
    vt_free(&profile->allocator, critical->on_path, critical->size);
    *critical = (vt_critical){0};
}
