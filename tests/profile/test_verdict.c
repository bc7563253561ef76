/* What limits a program, in words: each sentence at its limit and just below. */
#include "profile/profile_priv.h"
#include "support/diag.h"
#include "tsim/programs.h"

enum { CYCLES = 1000 }; /* a thousandth is one cycle */

/* Cycles of the units, the rest of which they are idle. */
typedef struct row {
    struct {
        uint64_t busy, memory, prev, next, fetch; /* at work, and waiting for these */
    } load, compute, store;
    uint64_t acc, uop, gemm, alu; /* of the compute unit */
    uint64_t beats;
    const char *says[5]; /* line by line */
} row;

static const row rows[] = {
    /* which unit is busiest: from 80 % on, compute before load before store */
    {.says = {"No unit is busy all the time (compute 0 %, load 0 %, store 0 %): units wait for each other."}},
    {.compute.busy = 800,
     .load.busy = 800,
     .acc = 301,
     .uop = 100,
     .gemm = 399,
     .beats = 500,
     .says = {"Memory bound in the compute unit: loads of acc and micro-ops take 40 % of the time, in which GEMM and "
              "ALU stand still (GEMM 40 %, acc loads 30 %, micro-op loads 10 %); the read bus carries data in 50 % of "
              "the cycles."}},
    {.compute.busy = 800,
     .load.busy = 800,
     .acc = 300,
     .uop = 100,
     .gemm = 396,
     .alu = 4,
     .says = {"Compute bound: the compute unit is at work 80 % of the time (GEMM 40 %, acc loads 30 %, micro-op loads "
              "10 %)."}},
    {.compute.busy = 700,
     .compute.memory = 100,
     .gemm = 795,
     .alu = 5,
     .says = {"Compute bound: the compute unit is at work 80 % of the time (GEMM 80 %, tensor ALU 0 %)."}},
    {.compute.busy = 800,
     .load.busy = 801,
     .store.busy = 900,
     .acc = 800,
     .beats = 250,
     .says = {"Memory bound: the load unit is at work 80 % of the time; the read bus carries data in 25 % of the "
              "cycles."}},
    {.load.busy = 700,
     .load.memory = 100,
     .says = {"Memory bound: the load unit is at work 80 % of the time; the read bus carries data in 0 % of the "
              "cycles.",
              "The load unit spends 10 % of the time on memory latency: 4 loads of 48 bytes on average are short."}},
    {.compute.busy = 799,
     .load.busy = 700,
     .load.memory = 99,
     .store.busy = 800,
     .says = {"Store bound: the store unit is at work 80 % of the time."}},
    {.compute.busy = 799,
     .load.busy = 799,
     .store.busy = 799,
     .says = {"No unit is busy all the time (compute 80 %, load 80 %, store 80 %): units wait for each other."}},
    /* who waits for whom, from 10 % on */
    {.compute.busy = 850,
     .gemm = 850,
     .compute.prev = 100,
     .load.next = 100,
     .says = {"Compute bound: the compute unit is at work 85 % of the time (GEMM 85 %).",
              "Load and compute take turns: compute waits 10 % for load (load->compute tokens), load waits 10 % for "
              "compute (compute->load tokens). Virtual threads give each its own half of the buffers, so that they "
              "overlap."}},
    {.compute.busy = 850,
     .gemm = 850,
     .compute.prev = 100,
     .load.next = 99,
     .says = {"Compute bound: the compute unit is at work 85 % of the time (GEMM 85 %).",
              "Compute waits 10 % of the time for load (load->compute tokens)."}},
    {.compute.busy = 850,
     .gemm = 850,
     .compute.prev = 99,
     .load.next = 100,
     .says = {"Compute bound: the compute unit is at work 85 % of the time (GEMM 85 %)."}},
    {.compute.next = 100,
     .compute.fetch = 100,
     .load.memory = 100,
     .says = {"No unit is busy all the time (compute 0 %, load 10 %, store 0 %): units wait for each other.",
              "Compute waits 10 % of the time for store (store->compute tokens).",
              "Compute waits 10 % of the time for instructions to arrive: they are too short for the fetch unit.",
              "The load unit spends 10 % of the time on memory latency: 4 loads of 48 bytes on average are short."}},
    {.compute.next = 99,
     .compute.fetch = 99,
     .load.memory = 99,
     .says = {"No unit is busy all the time (compute 0 %, load 10 %, store 0 %): units wait for each other."}},
};

static vta_timing sums_of(const row *r) {
    vta_timing t = {.cycles = CYCLES, .runs = 1, .read_beats = r->beats};
    uint64_t *load = t.state[VTA_UNIT_LOAD], *compute = t.state[VTA_UNIT_COMPUTE], *store = t.state[VTA_UNIT_STORE];
    load[VTA_STATE_BUSY] = r->load.busy;
    load[VTA_STATE_WAIT_MEMORY] = r->load.memory;
    load[VTA_STATE_WAIT_NEXT] = r->load.next;
    compute[VTA_STATE_BUSY] = r->compute.busy;
    compute[VTA_STATE_WAIT_MEMORY] = r->compute.memory;
    compute[VTA_STATE_WAIT_PREV] = r->compute.prev;
    compute[VTA_STATE_WAIT_NEXT] = r->compute.next;
    compute[VTA_STATE_WAIT_FETCH] = r->compute.fetch;
    store[VTA_STATE_BUSY] = r->store.busy;
    t.kind_cycles[VTA_KIND_LOAD_ACC] = r->acc;
    t.kind_cycles[VTA_KIND_LOAD_UOP] = r->uop;
    t.kind_cycles[VTA_KIND_GEMM] = r->gemm;
    t.kind_cycles[VTA_KIND_ALU] = r->alu;
    t.kind_count[VTA_KIND_LOAD_INP] = 3;
    t.kind_bytes[VTA_KIND_LOAD_INP] = 92;
    t.kind_count[VTA_KIND_LOAD_WGT] = 1;
    t.kind_bytes[VTA_KIND_LOAD_WGT] = 100;
    return t;
}

/* A profile without runs whose sums are these. The line of the critical path, which is that of runs, is left out. */
static void expect_says(const vta_timing *sums, const char *const says[], size_t most, size_t i) {
    vta_config *config = vta_config_default();
    vta_timing_profile timing;
    vta_profile *p;
    vt_strbuf sb;
    must(vta_timing_profile_get(NULL, diag, &timing));
    must(vta_profile_create(config, &timing, NULL, diag, &p));
    p->sum = *sums;
    vt_strbuf_init(&sb, NULL);
    must(vt_profile_verdict(p, diag, &sb));
    size_t n = 0;
    for (const char *line = vt_strbuf_text(&sb); *line; line += strcspn(line, "\n") + 1) {
        int length = (int)strcspn(line, "\n");
        if (*line == '.') continue;
        if (n == most || !says[n] || strlen(says[n]) != (size_t)length || strncmp(line, says[n], (size_t)length))
            fail_msg("row %zu: \"%.*s\", not \"%s\"", i, length, line, n < most && says[n] ? says[n] : "");
        n++;
    }
    if (n < most && says[n]) fail_msg("row %zu: no \"%s\"", i, says[n]);
    vt_strbuf_free(&sb);
    vta_profile_destroy(p);
    vta_config_release(config);
}

TEST_CASE(units_and_waits) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_timing sums = sums_of(&rows[i]);
        expect_says(&sums, rows[i].says, sizeof rows[i].says / sizeof rows[i].says[0], i);
    }
}

/* A pipeline of 7 stages, filled again by each GEMM: worth a word from 5 % of the time on. */
TEST_CASE(short_gemms) {
    static const char idle[] =
        "No unit is busy all the time (compute 0 %, load 0 %, store 0 %): units wait for each other.";
    static const char *const few[] = {idle}, *const many[] = {idle,
                                                              "GEMM instructions are short: 3 micro-ops on average, "
                                                              "and filling the pipeline takes 6 % of the time."};
    static const row nothing = {.beats = 0};
    vta_timing sums = sums_of(&nothing);
    sums.kind_count[VTA_KIND_GEMM] = 7;
    sums.gemm_uops = 16;
    expect_says(&sums, few, 1, 0);
    sums.kind_count[VTA_KIND_GEMM] = 8;
    sums.gemm_uops = 24;
    expect_says(&sums, many, 2, 1);
}

TEST_CASE(the_rest) {
    static const char *const none[] = {"Nothing ran."},
                             *const lost[] = {"No unit is busy all the time (compute 0 %, load 0 %, store 0 %): units "
                                              "wait for each other.",
                                              "3 tokens were lost in full token counters."};
    static const row nothing = {.beats = 0};
    vta_timing sums = {.cycles = 0};
    expect_says(&sums, none, 1, 0);
    sums = sums_of(&nothing);
    sums.lost_tokens = 3;
    expect_says(&sums, lost, 2, 1);
}

/* ---- What runs say ---------------------------------------------------------------------------------------------- */

/* The words for one run, to be freed, and the sums of its critical path. */
static char *words_of(program p, vt_critical *out_critical) {
    vta_config *config = vta_config_default();
    vta_timing_profile timing;
    vta_profile *profile;
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    must(vta_timing_profile_get(NULL, diag, &timing));
    must(vta_profile_create(config, &timing, NULL, diag, &profile));
    must(vta_profile_add_segment(profile, 0, 1 << 20, "u", diag));
    must(vta_profile_add_run(profile, p.insns, p.count, 0x400000, diag));
    must(vt_profile_verdict(profile, diag, &sb));
    char *words = strdup(vt_strbuf_text(&sb));
    must(vt_profile_critical(profile, diag, out_critical));
    vt_profile_critical_free(profile, &(vt_critical){.on_path = out_critical->on_path, .size = out_critical->size});
    vt_strbuf_free(&sb);
    vta_profile_destroy(profile);
    vta_config_release(config);
    free(p.insns);
    return words;
}

/* Micro-ops and inputs that are loaded, all and then some again. */
typedef struct traffic {
    uint32_t loads, uops, again, inputs;
    const char *says; /* NULL: nothing of loads that come again */
} traffic;

static program loads_of(const traffic *t) {
    program p = {0};
    for (uint32_t i = 0; i < t->loads; i++) add_load(&p, VTA_MEM_UOP, i * t->uops, 1, t->uops, t->uops);
    for (uint32_t i = 0; i < t->loads && t->again; i++) add_load(&p, VTA_MEM_UOP, i * t->uops, 1, t->again, t->again);
    add_load(&p, VTA_MEM_INP, 1 << 20, 1, t->inputs, t->inputs)->push_next_dep = 1;
    add_load(&p, VTA_MEM_UOP, 0, 0, 0, 0)->pop_prev_dep = 1;
    add(&p, VTA_OP_FINISH);
    return p;
}

/* From 1.3 times on, where they are a twentieth of all that is moved. */
TEST_CASE(fetched_again) {
    static const traffic all[] = {
        {1, 10, 0, 0, NULL},
        {1, 10, 2, 0, NULL},
        {1, 10, 3, 0, "micro-ops (u) are loaded 1.3 times (52 bytes moved, 40 bytes different)."},
        {1, 10, 10, 95, "micro-ops (u) are loaded 2.0 times (80 bytes moved, 40 bytes different)."},
        {1, 10, 10, 96, NULL},
        {1, 125, 124, 0, "micro-ops (u) are loaded 2.0 times (996 bytes moved, 500 bytes different)."},
        {1, 125, 125, 0, "micro-ops (u) are loaded 2.0 times (1.0 kB moved, 500 bytes different)."},
        {25, 5000, 4999, 0, "micro-ops (u) are loaded 2.0 times (999.9 kB moved, 500.0 kB different)."},
        {25, 5000, 5000, 0, "micro-ops (u) are loaded 2.0 times (1.00 MB moved, 500.0 kB different)."},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        vt_critical c;
        char *words = words_of(loads_of(&all[i]), &c), *again = strstr(words, "Fetched again: ");
        if (!again != !all[i].says) fail_msg("case %zu: %s", i, words);
        if (again) {
            again[strcspn(again, "\n")] = '\0';
            assert_string_equal(again + strlen("Fetched again: "), all[i].says);
        }
        free(words);
    }
}

/* The parts of the critical path from a twentieth of it on, the largest first, and fetch at its end. */
TEST_CASE(parts_of_the_path) {
    for (uint32_t gemms = 1; gemms < 12; gemms++) {
        program p = {0};
        vt_critical c;
        char want[512] = "On the critical path: ";
        uint64_t cycles = 0, least = UINT64_MAX;
        int parts = 0;
        add_load(&p, VTA_MEM_UOP, 1024, 1, 8 * gemms, 8 * gemms);
        add_exec(&p, VTA_OP_GEMM, 8, gemms, gemms);
        for (uint32_t i = 0; i < 12 - gemms; i++) add_alu(&p, 20 * gemms, i % 2);
        add(&p, VTA_OP_FINISH);
        char *words = words_of(p, &c), *line = strstr(words, "On the critical path: ");
        assert_non_null(line);
        for (int k = 0; k < VTA_KIND_COUNT; k++) cycles += c.cycles[k];
        cycles += c.fetch;
        for (;;) { /* the largest of those below the one before */
            int most = -1;
            for (int k = 0; k < VTA_KIND_COUNT; k++)
                if (c.cycles[k] < least && (most < 0 || c.cycles[k] > c.cycles[most])) most = k;
            if (most < 0 || 20 * c.cycles[most] < cycles) break;
            least = c.cycles[most];
            snprintf(want + strlen(want), 64, "%s%s %.0f %%", parts++ ? ", " : "",
                     vta_insn_kind_name((vta_insn_kind)most), 100 * (double)least / (double)cycles);
        }
        if (20 * c.fetch >= cycles)
            snprintf(want + strlen(want), 64, ", fetch %.0f %%", 100 * (double)c.fetch / (double)cycles);
        strcat(want, ".");
        line[strcspn(line, "\n")] = '\0';
        assert_string_equal(line, want);
        assert_true(parts > 1);
        free(words);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
