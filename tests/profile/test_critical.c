/* The critical path of runs that are written down by hand: which instructions are on it, and what its time goes to. */
#include "profile/profile_priv.h"
#include "support/check.h"
#include "support/diag.h"

enum { MAX = 4, NOBODY = -1, NEVER = -1 };

/* An instruction's time; each row's have kinds of their own, so that cycles can be told apart. */
typedef struct time {
    vta_unit unit;
    int ready, arrived, start, end;
    int wait_prev, from_prev, wait_next, from_next;
} time;

#define NO_TOKENS 0, NOBODY, 0, NOBODY
#define LATE {VTA_UNIT_LOAD, 0, 0, NEVER, 0, NO_TOKENS}

static const struct {
    int cycles;
    int count;
    time times[MAX];
    const char *path; /* 1: on it */
    int spent[MAX], fetch;
} runs[] = {
    /* One after another in a unit, from the launch to the end. */
    {32, 2, {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS}, {VTA_UNIT_LOAD, 20, 10, 20, 30, NO_TOKENS}}, "11", {15, 12}, 5},
    /* The unit waits for fetch as well. */
    {32, 2, {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS}, {VTA_UNIT_LOAD, 20, 24, 24, 30, NO_TOKENS}}, "11", {15, 8}, 9},
    /* It had arrived in time, and waited for something else: that is no time of fetch. */
    {32,
     2,
     {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS}, {VTA_UNIT_LOAD, 20, 20, 26, 30, 6, NOBODY, 0, NOBODY}},
     "11",
     {21, 6},
     5},
    /* Of two tokens that were waited for, that of the stage behind came last. */
    {41,
     3,
     {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS},
      {VTA_UNIT_STORE, 0, 6, 6, 25, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 0, 7, 25, 40, 13, 0, 5, 1}},
     "011",
     {0, 19, 16},
     6},
    /* It was there already. */
    {41,
     3,
     {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS},
      {VTA_UNIT_STORE, 0, 6, 6, 18, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 0, 7, 20, 40, 13, 0, 0, 1}},
     "101",
     {15, 0, 21},
     5},
    /* Nobody knows who gave it. */
    {41,
     3,
     {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS},
      {VTA_UNIT_STORE, 0, 6, 6, 18, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 0, 7, 23, 40, 13, 0, 3, NOBODY}},
     "101",
     {18, 0, 18},
     5},
    /* Neither was waited for. */
    {41,
     3,
     {{VTA_UNIT_LOAD, 0, 5, 5, 20, NO_TOKENS},
      {VTA_UNIT_STORE, 0, 6, 6, 18, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 0, 22, 22, 40, 0, 0, 0, 1}},
     "001",
     {0, 0, 19},
     22},
    /* The second ends before the first, so the first comes behind it; but the first had begun earlier. */
    {60,
     3,
     {{VTA_UNIT_COMPUTE, 0, 10, 10, 50, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 10, 12, 12, 20, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 50, 15, 50, 60, NO_TOKENS}},
     "101",
     {40, 0, 10},
     10},
    /* Both end at once: in the order of the stream. */
    {30,
     3,
     {{VTA_UNIT_COMPUTE, 0, 5, 5, 20, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 8, 6, 8, 20, NO_TOKENS},
      {VTA_UNIT_COMPUTE, 20, 7, 20, 30, NO_TOKENS}},
     "111",
     {3, 12, 10},
     5},
    /* One that takes no time. */
    {30, 2, {{VTA_UNIT_LOAD, 0, 5, 5, 5, NO_TOKENS}, {VTA_UNIT_LOAD, 5, 5, 5, 20, NO_TOKENS}}, "11", {0, 25}, 5},
    /* The last that began, when some never did, in its unit and in others. */
    {20,
     4,
     {{VTA_UNIT_LOAD, 0, 5, 5, 12, NO_TOKENS}, LATE, {VTA_UNIT_STORE, 0, 6, 6, 15, NO_TOKENS}, LATE},
     "0010",
     {0, 0, 14},
     6},
    {20, 3, {LATE, {VTA_UNIT_LOAD, 9, 6, 9, 15, NO_TOKENS}, LATE}, "010", {0, 11}, 9},
    {20, 2, {LATE, LATE}, "00", {0}, 0},
};
enum { RUNS = sizeof runs / sizeof runs[0] };

static uint32_t giver(int index) { return index == NOBODY ? UINT32_MAX : (uint32_t)index; }

static vta_insn_time time_of(const time *t, int kind) {
    return (vta_insn_time){.ready = (uint64_t)t->ready,
                           .arrived = (uint64_t)t->arrived,
                           .start = t->start == NEVER ? UINT64_MAX : (uint64_t)t->start,
                           .end = (uint64_t)t->end,
                           .wait_prev = (uint64_t)t->wait_prev,
                           .wait_next = (uint64_t)t->wait_next,
                           .token_prev = giver(t->from_prev),
                           .token_next = giver(t->from_next),
                           .kind = (uint8_t)kind,
                           .unit = (uint8_t)t->unit};
}

/* The first run, and all of them: each begins anew, and their sums are added. */
static void paths(void **state) {
    (void)state;
    vta_insn_time times[RUNS][MAX];
    vt_profile_run made[RUNS];
    for (int i = 0; i < RUNS; i++) {
        for (int k = 0; k < runs[i].count; k++) times[i][k] = time_of(&runs[i].times[k], k);
        made[i] = (vt_profile_run){.times = times[i], .count = (uint32_t)runs[i].count};
        made[i].timing.cycles = (uint64_t)runs[i].cycles;
    }
    for (int first = 0; first < RUNS; first++)
        for (int last = first; last < RUNS; last += RUNS - 1 - first ? RUNS - 1 - first : 1) {
            check_allocator a;
            check_allocator_init(&a, SIZE_MAX);
            vta_profile p = {.allocator = a.allocator, .runs = made + first, .run_count = (size_t)(last - first + 1)};
            vt_critical c = {.fetch = 99}; /* what stood there does not count */
            size_t at = 0;
            uint64_t spent[MAX] = {0}, instructions[MAX] = {0}, fetch = 0;
            must(vt_profile_critical(&p, diag, &c));
            for (int i = first; i <= last; i++) {
                fetch += (uint64_t)runs[i].fetch;
                for (int k = 0; k < runs[i].count; k++, at++) {
                    bool on = runs[i].path[k] == '1';
                    spent[k] += (uint64_t)runs[i].spent[k];
                    instructions[k] += on;
                    if (c.on_path[at] != on) fail_msg("runs %d to %d: instruction %d of run %d", first, last, k, i);
                }
            }
            assert_int_equal(c.size, at);
            if (c.fetch != fetch) fail_msg("runs %d to %d: fetch takes %d", first, last, (int)c.fetch);
            for (int k = 0; k < MAX; k++)
                if (c.cycles[k] != spent[k] || c.instructions[k] != instructions[k])
                    fail_msg("runs %d to %d: %d instructions %d take %d cycles, not %d", first, last,
                             (int)c.instructions[k], k, (int)c.cycles[k], (int)spent[k]);
            vt_profile_critical_free(&p, &c);
            assert_true(!c.on_path && !c.size);
            assert_int_equal(a.live, 0);
        }
}

/* The first allocation or the second fails. */
static void no_memory(void **state) {
    (void)state;
    vta_insn_time times[2] = {{.start = 0}};
    vt_profile_run run = {.times = times, .count = 2};
    for (size_t n = 0; n < 2; n++) {
        check_allocator a;
        vt_critical c;
        check_allocator_init(&a, n);
        vta_profile p = {.allocator = a.allocator, .runs = &run, .run_count = 1};
        assert_int_equal(vt_profile_critical(&p, diag, &c), VTA_NO_MEMORY);
        assert_int_equal(a.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(paths, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(no_memory, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
