/* An order of execution that the tokens allow. Each stage takes its instructions in order and a token queue has one
 * giver and one taker, so whether everything can run, and which push a pop takes, is the same in every order. */
#include "base/strbuf.h"
#include "device/core/stream.h"

/* Where the three stages and the four token queues are. */
typedef struct state {
    vt_stream *stream;
    uint32_t next[VT_STAGES]; /* position in each stage's queue */
    uint32_t earliest;        /* instruction that has not run */
    uint32_t pushed[VTA_TOKEN_QUEUES], popped[VTA_TOKEN_QUEUES];
    uint8_t takes[VT_STAGES][2], gives[VT_STAGES][2]; /* the token queues of a stage's flags, prev and next */
    uint32_t *pusher[VTA_TOKEN_QUEUES];               /* which instruction pushed each token */
    vt_clock now[VT_STAGES];
    uint64_t random;
} state;

/* The instruction that `stage` waits to run. */
static const vta_insn *head(const state *st, uint32_t stage) {
    return &st->stream->insns[st->stream->queue[stage][st->next[stage]]];
}

/* The token queue that keeps the stage's next instruction waiting; VTA_TOKEN_QUEUES: it can run. */
static vta_token_queue missing(const state *st, uint32_t stage) {
    const vta_insn *insn = head(st, stage);
    for (int next = 0; next < 2; next++) {
        if (!(next ? insn->pop_next_dep : insn->pop_prev_dep)) continue;
        uint8_t t = st->takes[stage][next];
        if (st->pushed[t] == st->popped[t]) return (vta_token_queue)t;
    }
    return VTA_TOKEN_QUEUES;
}

static uint32_t random_below(state *st, uint32_t n) { /* xorshift64*, from a seed that splitmix made nonzero */
    st->random ^= st->random >> 12;
    st->random ^= st->random << 25;
    st->random ^= st->random >> 27;
    return (uint32_t)(((st->random * 0x2545f4914f6cdd1du) >> 32) * n >> 32);
}

/* Whether the earliest instruction that has not run is the next of its stage and can run: usually it is. */
static bool in_program_order(state *st) {
    const vt_stream *s = st->stream;
    while (s->position[st->earliest] < st->next[s->stage[st->earliest]]) st->earliest++;
    return missing(st, s->stage[st->earliest]) == VTA_TOKEN_QUEUES;
}

/* One of the stages that can run; VT_STAGES when none can. */
static uint32_t choose(state *st, vta_order order) {
    uint32_t ready[VT_STAGES], count = 0, best = 0;
    if (order == VTA_ORDER_PROGRAM && in_program_order(st)) return st->stream->stage[st->earliest];
    for (uint32_t stage = 0; stage < VT_STAGES; stage++)
        if (st->next[stage] < st->stream->length[stage] && missing(st, stage) == VTA_TOKEN_QUEUES)
            ready[count++] = stage;
    if (!count) return VT_STAGES;
    if (order == VTA_ORDER_STORE_LATE) return ready[0];
    if (order == VTA_ORDER_RANDOM) return ready[random_below(st, count)];
    for (uint32_t i = 1; i < count; i++) /* head() points into one array: the earlier instruction is the lower one */
        if (head(st, ready[i]) < head(st, ready[best])) best = i;
    return ready[best];
}

static void join(vt_clock *into, const vt_clock *from) {
    for (int s = 0; s < VT_STAGES; s++)
        if (from->before[s] > into->before[s]) into->before[s] = from->before[s];
}

/* The clock of an instruction, once it is over. */
static vt_clock after(const vt_stream *s, uint32_t index) {
    vt_clock c = s->clocks[index];
    c.before[s->stage[index]] = s->position[index] + 1;
    return c;
}

static void step(state *st, uint32_t stage) {
    vt_stream *s = st->stream;
    uint32_t index = s->queue[stage][st->next[stage]++];
    const vta_insn *insn = &s->insns[index];
    for (int next = 0; next < 2; next++) {
        if (!(next ? insn->pop_next_dep : insn->pop_prev_dep)) continue;
        uint8_t t = st->takes[stage][next];
        uint32_t giver = st->pusher[t][st->popped[t]++];
        if (s->clocks) {
            vt_clock c = after(s, giver);
            join(&st->now[stage], &c);
        }
    }
    if (s->clocks) {
        st->now[stage].before[stage] = s->position[index];
        s->clocks[index] = st->now[stage];
    }
    for (int next = 0; next < 2; next++) {
        if (!(next ? insn->push_next_dep : insn->push_prev_dep)) continue;
        uint8_t t = st->gives[stage][next];
        st->pusher[t][st->pushed[t]++] = index;
    }
}

/* The next instruction of the stage that gives tokens of `t` which would give one; UINT32_MAX when none is left. */
static uint32_t giver_left(const state *st, vta_token_queue t) {
    const vt_stream *s = st->stream;
    uint32_t stage = (uint32_t)vt_token_from(t) - 1;
    for (uint32_t p = st->next[stage]; p < s->length[stage]; p++)
        if (vt_stream_pushes(s, s->queue[stage][p], t)) return s->queue[stage][p];
    return UINT32_MAX;
}

static void explain(const state *st, uint32_t stage, bool first, vta_diag *diag) {
    char label[24], other[24];
    uint32_t index = st->stream->queue[stage][st->next[stage]];
    vta_token_queue t = missing(st, stage);
    uint32_t giver = giver_left(st, t);
    vt_strbuf why;
    vt_strbuf_init(&why, st->stream->allocator);
    if (giver == UINT32_MAX)
        vt_strbuf_addf(&why, "no instruction that is left pushes one");
    else
        vt_strbuf_addf(&why, "the next one would come from instruction %u (%s), which cannot run either", giver,
                       vt_insn_label(&st->stream->insns[giver], other));
    const char *fmt = "instruction %u (%s) waits for a %s token that never comes: %u were pushed, %u are taken; %s";
    vt_insn_label(&st->stream->insns[index], label);
    if (first)
        (void)vt_fail(diag, VTA_DEADLOCK, fmt, index, label, vta_token_queue_name(t), st->pushed[t], st->popped[t],
                      vt_strbuf_text(&why));
    else
        vt_note_at(diag, VT_NO_POS, fmt, index, label, vta_token_queue_name(t), st->pushed[t], st->popped[t],
                   vt_strbuf_text(&why));
    vt_strbuf_free(&why);
}

static vta_status deadlock(const state *st, vta_diag *diag) {
    bool first = true;
    for (uint32_t stage = 0; stage < VT_STAGES; stage++) {
        if (st->next[stage] == st->stream->length[stage]) continue;
        explain(st, stage, first, diag);
        first = false;
    }
    return VTA_DEADLOCK;
}

static vta_status schedule(state *st, vta_order order, vta_diag *diag) {
    for (uint32_t done = 0; done < st->stream->count; done++) {
        uint32_t stage = choose(st, order);
        if (stage == VT_STAGES) return deadlock(st, diag);
        st->stream->order[done] = st->stream->queue[stage][st->next[stage]];
        step(st, stage);
    }
    for (int t = 0; t < VTA_TOKEN_QUEUES; t++) st->stream->left[t] = st->pushed[t] - st->popped[t];
    st->stream->to_run = st->stream->count;
    return VTA_OK;
}

void vt_stream_keep(vt_stream *stream, const uint32_t done[VT_STAGES]) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stream->to_run; i++) {
        uint32_t index = stream->order[i];
        if (stream->position[index] < done[stream->stage[index]]) stream->order[kept++] = index;
    }
    stream->to_run = kept;
}

vta_status vt_stream_schedule(vt_stream *stream, vta_order order, uint64_t seed, bool clocks, vta_diag *diag) {
    state st = {.stream = stream, .random = (seed + 0x9e3779b97f4a7c15u) | 1};
    size_t bytes = (size_t)stream->count * VTA_TOKEN_QUEUES * sizeof *st.pusher[0];
    uint32_t *pushers = vt_alloc(stream->allocator, bytes);
    if (clocks && !stream->clocks)
        stream->clocks = vt_alloc_array(stream->allocator, stream->cap, sizeof *stream->clocks);
    if (!pushers || (clocks && !stream->clocks)) {
        vt_free(stream->allocator, pushers, bytes);
        return vt_no_memory(diag);
    }
    for (int t = 0; t < VTA_TOKEN_QUEUES; t++) st.pusher[t] = pushers + (size_t)t * stream->count;
    for (uint32_t stage = 0; stage < VT_STAGES; stage++)
        for (int next = 0; next < 2; next++) {
            st.takes[stage][next] = (uint8_t)vt_token_popped(stage, next);
            st.gives[stage][next] = (uint8_t)vt_token_pushed(stage, next);
        }
    vta_status status = schedule(&st, order, diag);
    vt_free(stream->allocator, pushers, bytes);
    return status;
}
