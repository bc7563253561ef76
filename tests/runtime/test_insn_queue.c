/* Streams while they are recorded: whatever instructions carry the tokens, each stage does what the calls said, in
 * their order; a serial stream runs in one order only. */
#include "runtime/insn_queue.h"
#include "support/check.h"

enum { MAX = 400, CALLS = 60, STAGES = VTA_STAGE_STORE + 1 };

/* What a stage does: 'P' and 'N' take a token of the stage before and after it, 'p' and 'n' give one, others stand for
 * instructions. */
typedef struct deeds {
    char text[STAGES][2 * MAX];
    size_t size[STAGES];
} deeds;

static void deed(deeds *d, int stage, char what) {
    assert_true(d->size[stage] + 1 < 2 * MAX);
    d->text[stage][d->size[stage]++] = what;
    d->text[stage][d->size[stage]] = 0;
}

/* Of tokens taken at once the order does not matter: the one of the stage before first. */
static void sort_pops(char *text) {
    for (bool again = true; again;) {
        again = false;
        for (char *at = text; *at; at++)
            if (at[0] == 'N' && at[1] == 'P') {
                at[0] = 'P';
                at[1] = 'N';
                again = true;
            }
    }
}

/* What a stream does. Instructions are known by their place on chip; no-ops have none. */
static void read_stream(const vt_insn_queue *q, size_t first, deeds *d) {
    for (size_t i = first; i < q->count; i++) {
        const vta_insn *insn = &q->insns[i];
        int stage = (int)vt_insn_stage(insn);
        if (insn->pop_prev_dep) deed(d, stage, 'P');
        if (insn->pop_next_dep) deed(d, stage, 'N');
        if (insn->opcode == VTA_OP_FINISH)
            deed(d, stage, '.');
        else if (insn->u.mem.sram_base)
            deed(d, stage, (char)insn->u.mem.sram_base);
        else
            assert_int_equal(insn->u.mem.x_size, 0);
        if (insn->push_prev_dep) deed(d, stage, 'p');
        if (insn->push_next_dep) deed(d, stage, 'n');
    }
}

/* Pushes at once, too. */
static void sort_pushes(char *text) {
    for (bool again = true; again;) {
        again = false;
        for (char *at = text; *at; at++)
            if (at[0] == 'n' && at[1] == 'p') {
                at[0] = 'p';
                at[1] = 'n';
                again = true;
            }
    }
}

static void compare(deeds *got, deeds *want, uint64_t seed) {
    for (int s = VTA_STAGE_LOAD; s < STAGES; s++) {
        sort_pops(got->text[s]);
        sort_pops(want->text[s]);
        sort_pushes(got->text[s]);
        sort_pushes(want->text[s]);
        if (strcmp(got->text[s], want->text[s]) != 0)
            fail_msg("seed %d: stage %d does %s, not %s", (int)seed, s, got->text[s], want->text[s]);
    }
}

/* ---- Random calls ----------------------------------------------------------------------------------------------- */

static const struct {
    vta_stage from, to;
} ways[] = {{VTA_STAGE_LOAD, VTA_STAGE_COMPUTE},
            {VTA_STAGE_COMPUTE, VTA_STAGE_LOAD},
            {VTA_STAGE_COMPUTE, VTA_STAGE_STORE},
            {VTA_STAGE_STORE, VTA_STAGE_COMPUTE}};

static void call_insn(vt_insn_queue *q, check_random *r, deeds *d) {
    vta_stage stage = (vta_stage)check_between(r, VTA_STAGE_LOAD, VTA_STAGE_STORE);
    vta_insn *insn = vt_queue_next(q, stage);
    char name = (char)('0' + check_between(r, 0, 9));
    insn->opcode = stage == VTA_STAGE_STORE ? VTA_OP_STORE : VTA_OP_LOAD;
    insn->u.mem.memory_type = stage == VTA_STAGE_LOAD      ? VTA_MEM_WGT
                              : stage == VTA_STAGE_COMPUTE ? VTA_MEM_ACC
                                                           : VTA_MEM_OUT;
    insn->u.mem.sram_base = (uint32_t)name;
    insn->u.mem.x_size = 1;
    deed(d, (int)stage, name);
}

/* Random calls, and what they say. Tokens on the way are counted by queue. */
static void record(vt_insn_queue *q, check_random *r, int calls, deeds *d, int64_t on_the_way[4]) {
    assert_true(vt_queue_reserve(q, MAX));
    for (int n = 0; n < calls; n++) {
        int64_t what = check_between(r, 0, 2), way = check_between(r, 0, 3);
        vta_stage from = ways[way].from, to = ways[way].to;
        if (what == 0) {
            call_insn(q, r, d);
        } else if (what == 1) {
            vt_queue_dep_push(q, from, to);
            deed(d, (int)from, from < to ? 'n' : 'p');
            on_the_way[way]++;
        } else {
            vt_queue_dep_pop(q, from, to);
            deed(d, (int)to, from < to ? 'P' : 'N');
            on_the_way[way]--;
        }
        for (int w = 0; w < 4; w++)
            assert_int_equal(vt_queue_balance(q, vt_token_between(ways[w].from, ways[w].to)), on_the_way[w]);
    }
}

static bool waits(const vt_insn_queue *q) {
    for (int s = VTA_STAGE_LOAD; s < STAGES; s++)
        if (q->pop_prev[s] || q->pop_next[s]) return true;
    return false;
}

TEST_CASE(tokens) {
    for (uint64_t seed = 1; seed < 400; seed++) {
        static deeds want, got;
        check_random r = {.state = seed};
        vt_insn_queue q;
        int64_t on_the_way[4] = {0};
        memset(&want, 0, sizeof want);
        memset(&got, 0, sizeof got);
        vt_queue_init(&q, NULL);
        record(&q, &r, (int)check_between(&r, 0, CALLS), &want, on_the_way);
        assert_int_equal(vt_queue_has_pops(&q), waits(&q));
        for (int s = VTA_STAGE_LOAD; s < STAGES; s++) vt_queue_flush_pops(&q, (vta_stage)s);
        assert_false(vt_queue_has_pops(&q));
        size_t before = q.count, most = vt_queue_finish_insns(&q), left = 0;
        for (int w = 0; w < 4; w++) left += on_the_way[w] > 0 ? (size_t)on_the_way[w] : 0;
        assert_int_equal(most, VT_FINISH_INSNS + left);
        if (seed % 2) { /* what nobody took is taken, and found carried */
            vt_queue_take_left(&q);
            assert_int_equal(q.count, before + left);
            for (int w = 0; w < 4; w++)
                for (; on_the_way[w] > 0; on_the_way[w]--)
                    deed(&want, (int)ways[w].to, ways[w].from < ways[w].to ? 'P' : 'N');
        }
        vt_queue_finish(&q);
        assert_true(q.count - before <= most);
        static const char at_the_end[] = "PN.";
        deed(&want, VTA_STAGE_STORE, 'p');
        deed(&want, VTA_STAGE_LOAD, 'n');
        for (const char *c = at_the_end; *c; c++) deed(&want, VTA_STAGE_COMPUTE, *c);
        assert_int_equal(q.insns[q.count - 1].opcode, VTA_OP_FINISH);
        read_stream(&q, 0, &got);
        compare(&got, &want, seed);
        vt_queue_clear(&q);
    }
}

/* Tokens of a stream that nobody took: the pops that come for them in the next one wait for nothing. */
TEST_CASE(carried) {
    vt_insn_queue q;
    vt_queue_init(&q, NULL);
    assert_true(vt_queue_reserve(&q, MAX));
    for (int dropped = 0; dropped < 2; dropped++) {
        for (int w = 0; w < 4; w++)
            for (int n = 0; n <= w; n++) vt_queue_dep_push(&q, ways[w].from, ways[w].to);
        vt_queue_dep_pop(&q, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
        vt_queue_reset(&q, dropped);
        assert_int_equal(q.count, 0);
        assert_false(vt_queue_has_pops(&q));
        for (int w = 1; w < 4; w++) {
            for (int n = 0; n <= w; n++) vt_queue_dep_pop(&q, ways[w].from, ways[w].to);
            assert_false(vt_queue_has_pops(&q)); /* all were carried */
        }
        assert_int_equal(q.count, 0);
        vt_queue_dep_pop(&q, VTA_STAGE_STORE, VTA_STAGE_COMPUTE);
        assert_true(q.pop_next[VTA_STAGE_COMPUTE]); /* no more */
        vt_queue_reset(&q, false);
        assert_int_equal(q.carried_from_dropped, dropped);
        vt_queue_dep_push(&q, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
        vt_queue_reset(&q, false);
        vt_queue_forget_dropped(&q); /* those of a stream that ran are kept */
        assert_int_equal(q.carried[vt_token_between(VTA_STAGE_LOAD, VTA_STAGE_COMPUTE)], !dropped);
        memset(q.carried, 0, sizeof q.carried);
    }
    vt_queue_clear(&q);
}

/* ---- One after another ------------------------------------------------------------------------------------------ */

/* Runs what can run, until nothing can: the order, and how often two stages could have gone on. */
static int run_all(const vt_insn_queue *q, char *order) {
    size_t next[STAGES] = {0};
    int tokens_of[VTA_TOKEN_QUEUES] = {0}, choices = 0;
    for (;;) {
        int ready = 0;
        const vta_insn *chosen = NULL;
        size_t at = 0;
        for (int s = VTA_STAGE_LOAD; s < STAGES; s++) {
            size_t i = next[s];
            while (i < q->count && (int)vt_insn_stage(&q->insns[i]) != s) i++;
            if (i == q->count) continue;
            const vta_insn *insn = &q->insns[i];
            if (insn->pop_prev_dep && !tokens_of[vt_token_between((vta_stage)(s - 1), (vta_stage)s)]) continue;
            if (insn->pop_next_dep && !tokens_of[vt_token_between((vta_stage)(s + 1), (vta_stage)s)]) continue;
            ready++;
            chosen = insn;
            at = i;
        }
        if (!chosen) return choices;
        choices += ready > 1;
        vta_stage s = (vta_stage)vt_insn_stage(chosen);
        assert_true((chosen->pop_prev_dep | chosen->pop_next_dep | chosen->push_prev_dep | chosen->push_next_dep) < 2);
        if (chosen->pop_prev_dep) tokens_of[vt_token_between((vta_stage)(s - 1), s)]--;
        if (chosen->pop_next_dep) tokens_of[vt_token_between((vta_stage)(s + 1), s)]--;
        if (chosen->push_prev_dep) tokens_of[vt_token_between(s, (vta_stage)(s - 1))]++;
        if (chosen->push_next_dep) tokens_of[vt_token_between(s, (vta_stage)(s + 1))]++;
        next[s] = at + 1;
        if (chosen->opcode == VTA_OP_FINISH)
            *order++ = '.';
        else if (chosen->u.mem.sram_base)
            *order++ = (char)chosen->u.mem.sram_base;
        *order = 0;
    }
}

TEST_CASE(serial) {
    for (uint64_t seed = 1; seed < 200; seed++) {
        static deeds ignored;
        char want[MAX] = "", got[MAX] = "", *to = want;
        check_random r = {.state = seed};
        vt_insn_queue q;
        int64_t on_the_way[4] = {0};
        memset(&ignored, 0, sizeof ignored);
        vt_queue_init(&q, NULL);
        record(&q, &r, (int)check_between(&r, 0, CALLS), &ignored, on_the_way);
        for (size_t i = 0; i < q.count; i++)
            if (q.insns[i].u.mem.sram_base) *to++ = (char)q.insns[i].u.mem.sram_base;
        strcpy(to, ".");
        assert_true(vt_queue_finish_serial(&q));
        assert_int_equal(run_all(&q, got), 0);
        assert_string_equal(got, want);
        assert_false(vt_queue_has_pops(&q));
        for (int w = 0; w < 4; w++) /* of the calls, for the next stream */
            assert_int_equal(vt_queue_balance(&q, vt_token_between(ways[w].from, ways[w].to)), on_the_way[w]);
        vt_queue_clear(&q);
    }
}

/* ---- Notes ------------------------------------------------------------------------------------------------------ */

TEST_CASE(notes) {
    vt_insn_queue q;
    deeds d = {0};
    check_random r = {.state = 1};
    vt_queue_init(&q, NULL);
    assert_true(vt_queue_reserve(&q, MAX));
    vt_queue_note(&q, "first");
    call_insn(&q, &r, &d);
    call_insn(&q, &r, &d);
    vt_queue_note(&q, "second");
    call_insn(&q, &r, &d);
    size_t count = q.count;
    vt_queue_finish(&q);
    assert_int_equal(q.note_count, 3);
    assert_string_equal(q.notes[0].text, "first");
    assert_int_equal(q.notes[0].insn, 0);
    assert_string_equal(q.notes[1].text, "second");
    assert_int_equal(q.notes[1].insn, 2);
    assert_string_equal(q.notes[2].text, ""); /* what ends the stream is of none */
    assert_int_equal(q.notes[2].insn, count);
    vt_queue_reset(&q, false);
    assert_int_equal(q.note_count, 0);
    vt_queue_finish(&q);
    assert_int_equal(q.note_count, 0);
    vt_queue_clear(&q);
    assert_int_equal(q.cap, 0);
}

int main(void) { return run_cases(); }
