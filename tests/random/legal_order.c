#include "random/legal_order.h"

enum { LOAD, COMPUTE, STORE, STAGES };

typedef struct state {
    const vta_insn *insns;
    uint32_t n, next[STAGES];      /* instruction at which a stage stands; n: it is through */
    int64_t from_prev[STAGES + 1]; /* tokens that wait for a stage */
    int64_t from_next[STAGES + 1];
    uint64_t random;
    int going_on;
} state;

static uint32_t below(state *s, uint32_t n) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((s->random >> 33) % n);
}

static int stage_of(const vta_insn *i) {
    if (i->opcode == VTA_OP_STORE) return STORE;
    bool loads = i->opcode == VTA_OP_LOAD;
    return loads && (i->u.mem.memory_type == VTA_MEM_INP || i->u.mem.memory_type == VTA_MEM_WGT) ? LOAD : COMPUTE;
}

static void find_next(state *s, int stage, uint32_t from) {
    while (from < s->n && stage_of(&s->insns[from]) != stage) from++;
    s->next[stage] = from;
}

static bool is_ready(const state *s, int stage) {
    if (s->next[stage] == s->n) return false;
    const vta_insn *i = &s->insns[s->next[stage]];
    return !(i->pop_prev_dep && !s->from_prev[stage]) && !(i->pop_next_dep && !s->from_next[stage]);
}

static void run(state *s, int stage) {
    const vta_insn *i = &s->insns[s->next[stage]];
    s->from_prev[stage] -= i->pop_prev_dep;
    s->from_next[stage] -= i->pop_next_dep;
    if (i->push_prev_dep) s->from_next[stage - 1]++;
    if (i->push_next_dep) s->from_prev[stage + 1]++;
    find_next(s, stage, s->next[stage] + 1);
}

/* The first that is ready. */
static int first_of(const state *s, const int stages[STAGES]) {
    for (int i = 0; i < STAGES; i++)
        if (is_ready(s, stages[i])) return stages[i];
    return STAGES;
}

static int any_of(state *s, int but) {
    int ready[STAGES], n = 0;
    for (int i = 0; i < STAGES; i++)
        if (i != but && is_ready(s, i)) ready[n++] = i;
    if (!n) return but < STAGES && is_ready(s, but) ? but : STAGES;
    return ready[below(s, (uint32_t)n)];
}

static int choose(state *s, int how, uint32_t target) {
    static const int preferences[6][STAGES] = {{LOAD, COMPUTE, STORE}, {LOAD, STORE, COMPUTE}, {COMPUTE, LOAD, STORE},
                                               {COMPUTE, STORE, LOAD}, {STORE, LOAD, COMPUTE}, {STORE, COMPUTE, LOAD}};
    int own = stage_of(&s->insns[target]);
    if (how < ORDER_HURRY) return first_of(s, preferences[how]);
    if (how == ORDER_HURRY && s->next[own] <= target && is_ready(s, own)) return own;
    if (how == ORDER_DELAY && s->next[own] == target) return any_of(s, own);
    if (how < ORDER_RANDOM) return any_of(s, STAGES);
    if (s->going_on < STAGES && is_ready(s, s->going_on) && below(s, 4)) return s->going_on;
    return s->going_on = any_of(s, STAGES);
}

static bool flags_exist(const vta_insn *i) {
    int stage = stage_of(i);
    return !(stage == LOAD && (i->pop_prev_dep || i->push_prev_dep)) &&
           !(stage == STORE && (i->pop_next_dep || i->push_next_dep));
}

bool legal_order(const vta_insn *insns, uint32_t n, int how, uint32_t target, uint64_t seed, uint32_t *out) {
    state s = {.insns = insns, .n = n, .random = seed * 0x9E3779B97F4A7C15u + 1, .going_on = STAGES};
    for (uint32_t i = 0; i < n; i++)
        if (!flags_exist(&insns[i])) return false;
    for (int stage = 0; stage < STAGES; stage++) find_next(&s, stage, 0);
    for (uint32_t done = 0; done < n; done++) {
        int stage = choose(&s, how, target);
        if (stage == STAGES) return false;
        out[done] = s.next[stage];
        run(&s, stage);
    }
    return true;
}
