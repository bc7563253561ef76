/* The trace, event by event: the rows, what fetch reads, every instruction with what it waited for, and an arrow for
 * each token that it took. */
#include <jansson.h>

#include "support/diag.h"
#include "tsim/programs.h"
#include "vta/profile.h"

enum { RUNS = 2 };

typedef struct fixture {
    vta_config *config;
    vta_timing_profile timing;
    vta_profile *profile;
    json_t *trace;
    size_t events; /* that were looked at */
} fixture;

static const char *source_of(void *user, size_t run, size_t insn) {
    (void)user, (void)run;
    return insn % 3 == 0 ? "first i=1" : insn % 3 == 1 ? "second \"2\"" : NULL;
}

/* Load and compute take turns, the store follows; the last load waits for a token that nobody pushes. */
static program turns(void) {
    program p = {0};
    add_load(&p, VTA_MEM_UOP, 1024, 1, 1, 1);
    for (int i = 0; i < 4; i++) {
        add_load(&p, VTA_MEM_INP, 256, 1, 16, 16)->pop_next_dep = i > 0;
        add_load(&p, VTA_MEM_WGT, 64, 4, 16, 16)->push_next_dep = 1;
        vta_insn *gemm = add_exec(&p, VTA_OP_GEMM, 16, 1, 1);
        gemm->pop_prev_dep = 1;
        gemm->push_prev_dep = i < 3;
        gemm->push_next_dep = i == 3;
    }
    vta_insn *store = add_load(&p, VTA_MEM_OUT, 512, 1, 16, 16);
    store->pop_prev_dep = store->push_prev_dep = 1;
    add_load(&p, VTA_MEM_INP, 256, 1, 16, 16)->pop_next_dep = 1;
    add(&p, VTA_OP_FINISH)->pop_next_dep = 1;
    return p;
}

static void start(fixture *f) {
    program p = turns();
    char *text;
    *f = (fixture){.config = vta_config_default()};
    must(vta_timing_profile_get(NULL, diag, &f->timing));
    must(vta_profile_create(f->config, &f->timing, NULL, diag, &f->profile));
    vta_profile_set_source(f->profile, source_of, NULL);
    for (int run = 0; run < RUNS; run++) must(vta_profile_add_run(f->profile, p.insns, p.count, 0x40000, diag));
    must(vta_profile_trace(f->profile, diag, &text));
    f->trace = json_loads(text, 0, NULL);
    assert_non_null(f->trace);
    vta_string_free(text);
    free(p.insns);
}

static void stop(fixture *f) {
    json_decref(f->trace);
    vta_profile_destroy(f->profile);
    vta_config_release(f->config);
}

/* The next event is this one; takes it. */
static void expect(fixture *f, json_t *wanted) {
    assert_non_null(wanted);
    json_t *got = json_array_get(json_object_get(f->trace, "traceEvents"), f->events);
    if (!json_equal(got, wanted)) {
        char *is = json_dumps(got, JSON_SORT_KEYS | JSON_ENCODE_ANY), *not = json_dumps(wanted, JSON_SORT_KEYS);
        print_error("event %zu:\n%s, not\n%s\n", f->events, is, not);
        fail();
    }
    f->events++;
    json_decref(wanted);
}

static void expect_row(fixture *f, int unit) {
    expect(f, json_pack("{sssisiss s{ss}}", "ph", "M", "pid", 1, "tid", unit + 1, "name", "thread_name", "args", "name",
                        vta_unit_name((vta_unit)unit)));
    expect(f, json_pack("{sssisiss s{si}}", "ph", "M", "pid", 1, "tid", unit + 1, "name", "thread_sort_index", "args",
                        "sort_index", unit));
}

static void expect_batch(fixture *f, const vta_insn_time *times, uint64_t begin, size_t first, size_t end) {
    char name[32];
    size_t last = end; /* that was handed over */
    while (times[last - 1].start == UINT64_MAX) last--;
    uint64_t from = first ? times[first - 1].arrived - 1 + f->timing.fetch_after : 1, to = times[last - 1].arrived;
    snprintf(name, sizeof name, "fetch %zu", end - first);
    expect(f, json_pack("{sssisisIsIss s{sIsI}}", "ph", "X", "pid", 1, "tid", 1, "ts", (json_int_t)(begin + from),
                        "dur", (json_int_t)(to - from), "name", name, "args", "first", (json_int_t)first, "last",
                        (json_int_t)(end - 1)));
}

/* From the last cycle of what pushed the token to the first of what took it; `id` is the same at both ends. */
static void expect_arrow(fixture *f, const vta_insn_time *from, const vta_insn_time *to, uint64_t begin) {
    const json_t *got = json_array_get(json_object_get(f->trace, "traceEvents"), f->events);
    json_int_t id = json_integer_value(json_object_get(got, "id"));
    expect(f, json_pack("{sssisisIsIssss}", "ph", "s", "pid", 1, "tid", from->unit + 1, "ts",
                        (json_int_t)(begin + from->end - 1), "id", id, "name", "token", "cat", "token"));
    expect(f, json_pack("{sssisisIsIssssss}", "ph", "f", "pid", 1, "tid", to->unit + 1, "ts",
                        (json_int_t)(begin + to->start), "id", id, "name", "token", "cat", "token", "bp", "e"));
}

static void expect_slice(fixture *f, const vta_insn_time *times, uint64_t begin, size_t run, size_t i) {
    const vta_insn_time *t = &times[i];
    const json_t *got = json_array_get(json_object_get(f->trace, "traceEvents"), f->events);
    const char *fields = json_string_value(json_object_get(json_object_get(got, "args"), "fields"));
    if (!fields) fail_msg("event %zu has no fields", f->events); /* what they say: test_page_data.c, test_profile.c */
    json_t *args = json_pack("{sIsssIsIsI}", "insn", (json_int_t)i, "fields", fields, "waited for memory",
                             (json_int_t)t->wait_memory, "waited for prev token", (json_int_t)t->wait_prev,
                             "waited for next token", (json_int_t)t->wait_next);
    if (t->beats) json_object_set_new(args, "beats", json_integer(t->beats));
    if (source_of(NULL, run, i)) json_object_set_new(args, "source", json_string(source_of(NULL, run, i)));
    expect(f, json_pack("{sssisisIsIssso}", "ph", "X", "pid", 1, "tid", t->unit + 1, "ts",
                        (json_int_t)(begin + t->start), "dur", (json_int_t)(t->end - t->start), "name",
                        vta_insn_kind_name((vta_insn_kind)t->kind), "args", args));
    if (t->token_prev != UINT32_MAX) expect_arrow(f, &times[t->token_prev], t, begin);
    if (t->token_next != UINT32_MAX) expect_arrow(f, &times[t->token_next], t, begin);
}

TEST_CASE(all_events) {
    fixture f;
    char title[128];
    size_t count, size;
    uint64_t begin = 0;
    start(&f);
    snprintf(title, sizeof title, "VTA %s, %s", vta_config_bitstream(f.config), f.timing.name);
    expect(&f, json_pack("{sssiss s{ss}}", "ph", "M", "pid", 1, "name", "process_name", "args", "name", title));
    for (int unit = 0; unit < VTA_UNIT_COUNT; unit++) expect_row(&f, unit);
    size = vta_timing_fetch_batch(&f.timing);
    for (size_t run = 0; run < RUNS; run++) {
        const vta_insn_time *times;
        must(vta_profile_run(f.profile, run, NULL, &times, &count));
        for (size_t i = 0; i < count; i += size) expect_batch(&f, times, begin, i, i + size < count ? i + size : count);
        for (size_t i = 0; i < count; i++)
            if (times[i].start != UINT64_MAX) expect_slice(&f, times, begin, run, i);
        begin += times[count - 1].end;
    }
    assert_int_equal(json_array_size(json_object_get(f.trace, "traceEvents")), f.events);
    stop(&f);
}

/* An arrow's number is its own. */
TEST_CASE(arrows_are_told_apart) {
    fixture f;
    json_t *e, *ids = json_object();
    size_t i, arrows = 0;
    start(&f);
    json_array_foreach(json_object_get(f.trace, "traceEvents"), i, e) {
        char id[24];
        if (strcmp(json_string_value(json_object_get(e, "ph")), "s") != 0) continue;
        snprintf(id, sizeof id, "%lld", (long long)json_integer_value(json_object_get(e, "id")));
        assert_null(json_object_get(ids, id));
        json_object_set_new(ids, id, json_true());
        arrows++;
    }
    assert_int_equal(arrows, RUNS * 9); /* 4 to compute, 3 back, to the store, to the end */
    assert_string_equal(json_string_value(json_object_get(f.trace, "displayTimeUnit")), "ms");
    json_decref(ids);
    stop(&f);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
