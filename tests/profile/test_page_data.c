/* The numbers that the profile page is drawn from, against the times of the profile's instructions: each slice of each
 * unit, the groups that long programs are drawn in, fetch, the names of stages, kinds and states. */
#include <jansson.h>

#include "support/diag.h"
#include "tsim/programs.h"
#include "vta/profile.h"

enum { RUNS = 2, MAX_SLICES = 30000 };

typedef struct fixture {
    vta_config *config;
    vta_profile *profile;
    json_t *data, *side, *trace;
} fixture;

static const char *source_of(void *user, size_t run, size_t insn) {
    static char text[40];
    (void)user;
    if (insn % 3 == 2) return NULL;
    snprintf(text, sizeof text, "stage%zu run=%zu", insn % 3, run);
    return text;
}

/* Load and compute take turns, ALU and stores follow; the last load waits for a token that nobody pushes. */
static program mixed(void) {
    program p = {0};
    add_load(&p, VTA_MEM_UOP, 1024, 1, 16, 16);
    for (int i = 0; i < 5; i++) {
        add_load(&p, VTA_MEM_INP, 256, 1 + (uint32_t)i, 16, 16)->pop_next_dep = i > 0;
        add_load(&p, VTA_MEM_WGT, 64, 4, 16, 16)->push_next_dep = 1;
        vta_insn *gemm = add_exec(&p, VTA_OP_GEMM, 16, 1, 1 + 9 * (uint32_t)i);
        gemm->pop_prev_dep = 1;
        gemm->push_prev_dep = i < 4;
    }
    add_exec(&p, VTA_OP_GEMM, 4, 1, 1)->u.exec.reset_reg = 1;
    add_load(&p, VTA_MEM_ACC, 512, 2, 8, 8);
    add_alu(&p, 40, 1);
    add_alu(&p, 40, 0)->push_next_dep = 1;
    vta_insn *store = add_load(&p, VTA_MEM_OUT, 512, 1, 16, 16);
    store->pop_prev_dep = store->push_prev_dep = 1;
    add_load(&p, VTA_MEM_INP, 256, 1, 16, 16)->pop_next_dep = 1;
    add(&p, VTA_OP_FINISH)->pop_next_dep = 1;
    return p;
}

/* More loads than are drawn one by one, in blocks of one memory; compute has little to do. */
static program long_one(uint32_t loads) {
    program p = {0};
    check_random r = {7};
    for (uint32_t n = 0, left = 0, memory = 0; n < loads; n++, left--) {
        if (left == 0) {
            left = (uint32_t)check_between(&r, 1, 9);
            memory = check_between(&r, 0, 1) ? VTA_MEM_WGT : VTA_MEM_INP;
        }
        add_load(&p, (vta_memory)memory, 64, 1, (uint32_t)check_between(&r, 0, 3), 1);
    }
    p.insns[p.count - 1].push_next_dep = 1;
    add_load(&p, VTA_MEM_UOP, 1024, 1, 1, 1)->pop_prev_dep = 1;
    add(&p, VTA_OP_FINISH);
    return p;
}

static void make(fixture *f, program p) {
    vta_timing_profile timing;
    *f = (fixture){.config = vta_config_default()};
    must(vta_timing_profile_get(NULL, diag, &timing));
    must(vta_profile_create(f->config, &timing, NULL, diag, &f->profile));
    vta_profile_set_source(f->profile, source_of, NULL);
    for (int run = 0; run < RUNS; run++) must(vta_profile_add_run(f->profile, p.insns, p.count, 0x40000, diag));
    free(p.insns);
}

static json_t *json_of(const char *text, size_t size) {
    json_error_t error;
    json_t *j = json_loadb(text, size, 0, &error);
    if (!j) fail_msg("line %d: %s", error.line, error.text);
    return j;
}

/* Takes the data out of the page. */
static void draw(fixture *f, const char *title) {
    static const char open[] = "<script type=\"application/json\" id=\"data\">";
    char *text;
    must(vta_profile_html(f->profile, title, diag, &text));
    const char *begin = strstr(text, open);
    assert_non_null(begin);
    begin += strlen(open);
    f->data = json_of(begin, (size_t)(strstr(begin, "</script>") - begin));
    assert_int_equal(json_array_size(json_object_get(f->data, "sides")), 1);
    f->side = json_array_get(json_object_get(f->data, "sides"), 0);
    vta_string_free(text);
}

/* The same as another report has it. */
static void trace(fixture *f) {
    char *text;
    must(vta_profile_trace(f->profile, diag, &text));
    f->trace = json_of(text, strlen(text));
    vta_string_free(text);
}

static void clear(fixture *f) {
    json_decref(f->data);
    json_decref(f->trace);
    vta_profile_destroy(f->profile);
    vta_config_release(f->config);
}

static int64_t whole(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("%s is no whole number", key);
    return json_integer_value(value);
}

/* ---- Columns ------------------------------------------------------------------------------------------------- */

static const json_t *row_of(const fixture *f, int unit) {
    const json_t *rows = json_object_get(f->side, "rows");
    assert_int_equal(json_array_size(rows), VTA_UNIT_COUNT);
    const json_t *row = json_array_get(rows, (size_t)unit);
    assert_string_equal(json_string_value(json_object_get(row, "unit")), vta_unit_name((vta_unit)unit));
    return row;
}

static const json_t *cell(const json_t *row, const char *column, size_t i) {
    const json_t *value = json_array_get(json_object_get(row, column), i);
    if (!value) fail_msg("column %s has no row %zu", column, i);
    return value;
}

static void expect(const json_t *row, const char *column, size_t i, int64_t value) {
    int64_t got = json_integer_value(cell(row, column, i));
    if (got != value) fail_msg("column %s, row %zu: %lld, not %lld", column, i, (long long)got, (long long)value);
}

static void expect_rows(const json_t *row, const char *const columns[], size_t rows) {
    for (size_t c = 0; columns[c]; c++)
        if (json_array_size(json_object_get(row, columns[c])) != rows)
            fail_msg("column %s has %zu rows, not %zu", columns[c], json_array_size(json_object_get(row, columns[c])),
                     rows);
}

/* An instruction that ran, and where it stands in the program: the runs follow each other. */
typedef struct place {
    const vta_insn *insn;
    const vta_insn_time *time;
    uint64_t begin; /* of its run */
    size_t run, at, first;
} place;

/* The next instruction of a unit after `p`, whose `insn` is NULL at first. */
static bool next(const fixture *f, int unit, place *p) {
    const vta_insn *insns;
    const vta_insn_time *times;
    size_t count;
    bool started = p->insn != NULL;
    while (vta_profile_run(f->profile, p->run, &insns, &times, &count) == VTA_OK) {
        for (size_t i = started ? p->at + 1 : 0; i < count; i++) {
            if (times[i].unit != unit || times[i].start == UINT64_MAX) continue;
            p->insn = &insns[i];
            p->time = &times[i];
            p->at = i;
            return true;
        }
        p->begin += times[count - 1].end; /* FINISH */
        p->first += count;
        p->run++;
        started = false;
    }
    return false;
}

static int64_t pusher(const place *p, uint32_t token) { return token == UINT32_MAX ? -1 : (int64_t)(p->first + token); }

/* What the trace says of the slice. */
static const json_t *in_trace(const fixture *f, const place *p) {
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(f->trace, "traceEvents"), i, e) {
        if (strcmp(json_string_value(json_object_get(e, "ph")), "X") != 0) continue;
        if (whole(e, "tid") == p->time->unit + 1 && (uint64_t)whole(e, "ts") == p->begin + p->time->start &&
            whole(json_object_get(e, "args"), "insn") == (int64_t)p->at)
            return json_object_get(e, "args");
    }
    fail_msg("instruction %zu of run %zu is not in the trace", p->at, p->run);
    return NULL;
}

static void check_slice(const fixture *f, const json_t *row, size_t i, const place *p, uint64_t last) {
    const vta_insn *insn = p->insn;
    const vta_insn_time *t = p->time;
    bool transfer = (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) && insn->u.mem.x_size;
    uint32_t bytes = transfer ? vta_config_elem_bytes(f->config, (vta_memory)insn->u.mem.memory_type) : 0;
    expect(row, "s", i, (int64_t)(p->begin + t->start - last));
    expect(row, "d", i, (int64_t)(t->end - t->start));
    expect(row, "k", i, t->kind);
    expect(row, "n", i, (int64_t)(p->first + p->at));
    expect(row, "wp", i, (int64_t)t->wait_prev);
    expect(row, "wn", i, (int64_t)t->wait_next);
    expect(row, "m", i, (int64_t)t->wait_memory);
    expect(row, "tp", i, pusher(p, t->token_prev));
    expect(row, "tn", i, pusher(p, t->token_next));
    expect(row, "a", i, transfer ? (int64_t)insn->u.mem.dram_base * bytes : 0);
    const json_t *fields = json_object_get(in_trace(f, p), "fields");
    assert_string_equal(json_string_value(cell(row, "f", i)), json_string_value(fields));
    const char *source = source_of(NULL, p->run, p->at);
    int64_t name = json_integer_value(cell(row, "src", i));
    assert_int_equal(name != 0, source != NULL);
    if (source)
        assert_string_equal(json_string_value(json_array_get(json_object_get(f->side, "names"), (size_t)(name - 1))),
                            source);
}

/* Instructions on the critical path, by kind: as many as the report counts. */
static void check_path(const fixture *f) {
    int64_t seen[VTA_KIND_COUNT] = {0};
    size_t i;
    json_t *part;
    for (int unit = VTA_UNIT_LOAD; unit < VTA_UNIT_COUNT; unit++) {
        const json_t *row = row_of(f, unit), *on_path;
        json_array_foreach(json_object_get(row, "cp"), i, part) {
            on_path = part;
            seen[json_integer_value(cell(row, "k", i))] += json_integer_value(on_path);
        }
    }
    json_array_foreach(json_object_get(json_object_get(f->side, "report"), "critical_path"), i,
                       part) for (int k = 0; k < VTA_KIND_COUNT;
                                  k++) if (!strcmp(json_string_value(json_object_get(part, "kind")),
                                                   vta_insn_kind_name((vta_insn_kind)k))) seen[k] -=
        whole(part, "instructions");
    for (int k = 0; k < VTA_KIND_COUNT; k++) assert_int_equal(seen[k], 0);
}

TEST_CASE(every_instruction_is_a_slice) {
    static const char *const columns[] = {"s", "d", "k", "n", "wp", "wn", "m", "tp", "tn", "f", "a", "cp", "src", NULL};
    fixture f;
    make(&f, mixed());
    draw(&f, "slices");
    trace(&f);
    assert_string_equal(json_string_value(json_object_get(f.side, "title")), "slices");
    for (int unit = VTA_UNIT_LOAD; unit < VTA_UNIT_COUNT; unit++) {
        const json_t *row = row_of(&f, unit);
        uint64_t last = 0;
        size_t n = 0;
        for (place p = {0}; next(&f, unit, &p); last = p.begin + p.time->start) check_slice(&f, row, n++, &p, last);
        assert_true(n >= RUNS);
        expect_rows(row, columns, n);
    }
    check_path(&f);
    clear(&f);
}

/* Fetch asks for a batch when it has handed over the one before, and has done so with the last of its own. */
TEST_CASE(fetch_is_drawn_by_batches) {
    static const char *const columns[] = {"s", "d", "k", "n", "m", NULL};
    fixture f;
    vta_timing_profile timing;
    make(&f, mixed());
    draw(&f, NULL);
    must(vta_timing_profile_get(NULL, diag, &timing));
    assert_string_equal(json_string_value(json_object_get(f.side, "title")), "VTA program");
    const json_t *row = row_of(&f, VTA_UNIT_FETCH);
    size_t n = 0, before = 0, count, size = vta_timing_fetch_batch(&timing);
    uint64_t begin = 0, last = 0;
    for (size_t run = 0; run < RUNS; run++) {
        const vta_insn_time *times;
        must(vta_profile_run(f.profile, run, NULL, &times, &count));
        assert_true(count > size);
        for (size_t first = 0; first < count; first += size, n++) {
            size_t end = first + size < count ? first + size : count, left = end;
            while (times[left - 1].start == UINT64_MAX) left--; /* what never ran has not arrived */
            uint64_t start = first ? times[first - 1].arrived - 1 + timing.fetch_after : 1;
            expect(row, "s", n, (int64_t)(begin + start - last));
            expect(row, "d", n, (int64_t)(times[left - 1].arrived - start));
            expect(row, "k", n, 0);
            expect(row, "n", n, (int64_t)(before + first));
            expect(row, "m", n, (int64_t)(end - first));
            last = begin + start;
        }
        begin += times[count - 1].end;
        before += count;
    }
    expect_rows(row, columns, n);
    clear(&f);
}

/* ---- Groups -------------------------------------------------------------------------------------------------- */

/* Neighbours that are drawn as one: from the start of the first to the end of the last, in the colour of the kind that
 * takes most of it, and how much of it is work. */
static void check_groups(const fixture *f, int unit, uint64_t size) {
    static const char *const columns[] = {"s", "d", "k", "n", "c", NULL};
    const json_t *row = row_of(f, unit);
    uint64_t last = 0;
    size_t n = 0;
    bool more;
    place p = {0};
    assert_int_equal(whole(row, "g"), size);
    for (more = next(f, unit, &p); more; n++) {
        uint64_t kinds[VTA_KIND_COUNT] = {0}, busy = 0, start = p.begin + p.time->start, end = start;
        size_t first = p.first + p.at, run = p.run, best = 0;
        for (uint64_t members = 0; more && members < size && p.run == run; members++) {
            end = p.begin + p.time->end;
            busy += p.time->end - p.time->start;
            kinds[p.time->kind] += p.time->end - p.time->start;
            more = next(f, unit, &p);
        }
        for (size_t k = 0; k < VTA_KIND_COUNT; k++) best = kinds[k] > kinds[best] ? k : best;
        expect(row, "s", n, (int64_t)(start - last));
        expect(row, "d", n, (int64_t)(end - start));
        expect(row, "k", n, (int64_t)best);
        expect(row, "n", n, (int64_t)first);
        expect(row, "c", n, (int64_t)(end > start ? 100 * busy / (end - start) : 100));
        last = start;
    }
    expect_rows(row, columns, n);
}

TEST_CASE(long_rows_are_drawn_in_groups) {
    static const struct {
        uint32_t loads; /* of each run */
        uint64_t size;
    } rows[] = {{MAX_SLICES / RUNS, 1}, {MAX_SLICES / RUNS + 1, 2}, {MAX_SLICES + 1, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        make(&f, long_one(rows[i].loads));
        draw(&f, NULL);
        if (rows[i].size > 1)
            check_groups(&f, VTA_UNIT_LOAD, rows[i].size);
        else
            assert_int_equal(json_array_size(json_object_get(row_of(&f, VTA_UNIT_LOAD), "f")), MAX_SLICES);
        /* compute is drawn one by one all the same, and only what it shows has its name in the page */
        assert_int_equal(json_array_size(json_object_get(row_of(&f, VTA_UNIT_COMPUTE), "f")), 2 * RUNS);
        const json_t *names = json_object_get(f.side, "names");
        size_t named = 0;
        for (size_t n = 0; n < json_array_size(names); n++) named += json_is_string(json_array_get(names, n));
        assert_int_equal(named < json_array_size(names), rows[i].size > 1);
        clear(&f);
    }
}

/* ---- The rest ------------------------------------------------------------------------------------------------ */

TEST_CASE(kinds_and_states_have_their_names) {
    fixture f;
    make(&f, mixed());
    draw(&f, NULL);
    const json_t *kinds = json_object_get(f.data, "kinds"), *states = json_object_get(f.data, "states");
    assert_int_equal(json_array_size(kinds), VTA_KIND_COUNT);
    for (size_t k = 0; k < VTA_KIND_COUNT; k++)
        assert_string_equal(json_string_value(json_array_get(kinds, k)), vta_insn_kind_name((vta_insn_kind)k));
    assert_int_equal(json_object_size(states), VTA_STATE_COUNT);
    for (int s = 0; s < VTA_STATE_COUNT; s++)
        assert_string_equal(json_string_value(json_object_get(states, vta_unit_state_name((vta_unit_state)s))),
                            vta_unit_state_text((vta_unit_state)s));
    assert_null(json_object_get(f.side, "network")); /* no layers were added */
    clear(&f);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
