/* The report's text, its JSON and the trace agree: every number of one can be had from another. And the sentences at
 * the head of the report, for programs that are bound by each unit. */
#include <jansson.h>

#include "support/check.h"
#include "tsim/programs.h"
#include "vta/profile.h"

typedef struct report {
    vta_config *config;
    vta_diag *diag;
    vta_profile *profile;
    char *text;
    json_t *json, *trace;
} report;

static json_t *json_of(char *text) {
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    vta_string_free(text);
    return j;
}

static const char *source_of(void *user, size_t run, size_t insn) {
    (void)user, (void)run;
    return insn % 3 == 0 ? "first" : insn % 3 == 1 ? "second stage=2" : NULL;
}

static void make(report *r, program p) {
    vta_timing_profile timing;
    char *text;
    r->config = vta_config_default();
    r->diag = vta_diag_create(NULL);
    assert_int_equal(vta_timing_profile_get(NULL, NULL, &timing), VTA_OK);
    assert_int_equal(vta_profile_create(r->config, &timing, NULL, r->diag, &r->profile), VTA_OK);
    vta_profile_set_source(r->profile, source_of, NULL);
    assert_int_equal(vta_profile_add_segment(r->profile, 64 * 256, 64 * 256, "w", r->diag), VTA_OK);
    if (vta_profile_add_run(r->profile, p.insns, p.count, 0x40000, r->diag)) fail_msg("%s", vta_diag_text(r->diag));
    assert_int_equal(vta_profile_text(r->profile, r->diag, &r->text), VTA_OK);
    assert_int_equal(vta_profile_json(r->profile, r->diag, &text), VTA_OK);
    r->json = json_of(text);
    assert_int_equal(vta_profile_trace(r->profile, r->diag, &text), VTA_OK);
    r->trace = json_of(text);
    free(p.insns);
}

static void clear(report *r) {
    vta_string_free(r->text);
    json_decref(r->json);
    json_decref(r->trace);
    vta_profile_destroy(r->profile);
    vta_diag_destroy(r->diag);
    vta_config_release(r->config);
}

static json_t *part(const report *r, const char *key) { return json_object_get(r->json, key); }
static json_t *timing(const report *r, const char *key) { return json_object_get(part(r, "timing"), key); }
static long long whole(const json_t *row, const char *key) { return json_integer_value(json_object_get(row, key)); }
static const char *word(const json_t *row, const char *key) { return json_string_value(json_object_get(row, key)); }

/* Whether a line below the heading has just these words and numbers, at any distance. */
static bool has_row(const char *text, const char *heading, const char *row) {
    const char *at = strstr(text, heading);
    if (!at) return false;
    for (at = strchr(at, '\n'); at && at[1] && at[1] != '\n'; at = strchr(at + 1, '\n')) {
        const char *x = at + 1, *y = row;
        for (;;) {
            x += strspn(x, " ");
            y += strspn(y, " ");
            size_t n = strcspn(x, " \n"), m = strcspn(y, " ");
            if (n == 0 && m == 0) return true;
            if (n != m || memcmp(x, y, n) != 0) break;
            x += n;
            y += m;
        }
    }
    return false;
}

#define ROW(heading, ...)                                                                                              \
    do {                                                                                                               \
        char check_row[256];                                                                                           \
        snprintf(check_row, sizeof check_row, __VA_ARGS__);                                                            \
        if (!has_row(r->text, heading, check_row)) fail_msg("no row \"%s\" in\n%s", check_row, r->text);               \
    } while (0)

/* Lines behind a heading's, up to an empty one. */
static size_t rows_of(const char *text, const char *heading) {
    const char *at = strstr(text, heading);
    size_t rows = 0;
    for (at = at ? strchr(at + 1, '\n') : NULL; at && at[1] && at[1] != '\n'; at = strchr(at + 1, '\n')) rows++;
    return rows;
}

static void same_text(const report *r) {
    double cycles = (double)vta_profile_timing(r->profile).cycles;
    size_t i;
    json_t *row;
    const char *name;
    json_array_foreach(part(r, "verdict"), i, row) assert_contains(r->text, json_string_value(row));
    json_array_foreach(part(r, "traffic"), i, row)
        ROW("\ntraffic  ", "%s %lld %lld %.2f", word(row, "name"), whole(row, "bytes"), whole(row, "distinct"),
            (double)whole(row, "bytes") / (double)whole(row, "distinct"));
    json_array_foreach(part(r, "stages"), i, row)
        ROW("\nstages  ", "%s %s %lld %lld %.1f%%", word(row, "name"), word(row, "unit"), whole(row, "instructions"),
            whole(row, "cycles"), 100 * (double)whole(row, "cycles") / cycles);
    json_array_foreach(part(r, "critical_path"), i, row) {
        char count[24];
        snprintf(count, sizeof count, "%lld", whole(row, "instructions"));
        ROW("\ncritical path  ", "%s %s %lld %.1f%%", word(row, "kind"),
            strcmp(word(row, "kind"), "fetch") ? count : "", whole(row, "cycles"),
            100 * (double)whole(row, "cycles") / cycles);
    }
    assert_int_equal(rows_of(r->text, "\ntraffic  "), json_array_size(part(r, "traffic")));
    assert_int_equal(rows_of(r->text, "\nstages  "), json_array_size(part(r, "stages")));
    assert_int_equal(rows_of(r->text, "\ncritical path  "), json_array_size(part(r, "critical_path")));
    json_object_foreach(part(r, "occupancy"), name, row) if (json_is_object(row))
        ROW("\nbuffers, values loaded  ", "%s %lld %lld %.1f%%", name, whole(row, "peak"), whole(row, "depth"),
            100 * (double)whole(row, "peak") / (double)whole(row, "depth"));
    json_object_foreach(timing(r, "instructions"), name, row) if (whole(row, "count")) ROW(
        "\ninstructions  ", "%s %lld %lld %lld", name, whole(row, "count"), whole(row, "cycles"), whole(row, "bytes"));
}

static bool first_word_is(const char *text, const char *word) {
    size_t n = strcspn(text, " ");
    return n == strlen(word) && memcmp(text, word, n) == 0;
}

/* The slices of a kind of instruction (unit NULL), or of a stage in a unit's row: no-ops are of no stage. */
static size_t slices_of(const report *r, const char *name, const char *unit, long long *out_cycles) {
    static const char *const units[] = {"fetch", "load", "compute", "store"};
    size_t i, count = 0;
    json_t *e;
    *out_cycles = 0;
    json_array_foreach(json_object_get(r->trace, "traceEvents"), i, e) {
        if (*word(e, "ph") != 'X') continue;
        const char *kind = word(e, "name"), *source = word(json_object_get(e, "args"), "source");
        if (unit && (!source || !first_word_is(source, name) || strcmp(units[whole(e, "tid") - 1], unit))) continue;
        if (unit ? strcmp(kind, "no-op") == 0 : strcmp(kind, name) != 0) continue;
        count++;
        *out_cycles += whole(e, "dur");
    }
    return count;
}

static void same_trace(const report *r) {
    long long cycles, on_path = 0;
    size_t i;
    json_t *row;
    const char *name;
    json_object_foreach(timing(r, "instructions"), name, row) {
        assert_int_equal(slices_of(r, name, NULL, &cycles), whole(row, "count"));
        assert_int_equal(cycles, whole(row, "cycles"));
    }
    json_array_foreach(part(r, "stages"), i, row) {
        assert_int_equal(slices_of(r, word(row, "name"), word(row, "unit"), &cycles), whole(row, "instructions"));
        assert_int_equal(cycles, whole(row, "cycles"));
    }
    json_array_foreach(part(r, "critical_path"), i, row) on_path += whole(row, "cycles");
    assert_true(on_path <= (long long)vta_profile_timing(r->profile).cycles);
}

/* ---- Programs bound by each unit --------------------------------------------------------------------------------- */

/* Load pushes the last token, compute takes it. */
static program ended(program p) {
    add_load(&p, VTA_MEM_INP, 0, 0, 0, 0)->push_next_dep = 1;
    add_load(&p, VTA_MEM_UOP, 0, 0, 0, 0)->pop_prev_dep = 1;
    add(&p, VTA_OP_FINISH);
    return p;
}

static program loads(void) {
    program p = {0};
    for (uint32_t i = 0; i < 6; i++) add_load(&p, VTA_MEM_WGT, 64, 4, 16, 16);
    add_load(&p, VTA_MEM_INP, 4096, 1, 64, 64);
    return ended(p);
}

static program computes(void) {
    program p = {0};
    add_load(&p, VTA_MEM_UOP, 1024, 1, 16, 16);
    add_exec(&p, VTA_OP_GEMM, 16, 30, 10);
    add_exec(&p, VTA_OP_GEMM, 16, 1, 10)->u.exec.reset_reg = 1;
    add_alu(&p, 100, 0);
    add_alu(&p, 100, 1);
    return ended(p);
}

static program loads_of_compute(void) {
    program p = {0};
    for (uint32_t i = 0; i < 8; i++) add_load(&p, VTA_MEM_ACC, 64, 4, 16, 16);
    add_load(&p, VTA_MEM_UOP, 1024, 1, 16, 16);
    add_alu(&p, 10, 1);
    return ended(p);
}

static program stores(void) {
    program p = {0};
    for (uint32_t i = 0; i < 8; i++) add_load(&p, VTA_MEM_OUT, 4096 + 256 * i, 16, 16, 16);
    add_load(&p, VTA_MEM_OUT, 8192, 1, 1, 1)->push_prev_dep = 1;
    add_load(&p, VTA_MEM_INP, 0, 0, 0, 0)->push_next_dep = 1;
    vta_insn *wait = add_load(&p, VTA_MEM_UOP, 0, 0, 0, 0);
    wait->pop_prev_dep = wait->pop_next_dep = 1;
    add(&p, VTA_OP_FINISH);
    return p;
}

static program turns(void) {
    program p = {0};
    add_load(&p, VTA_MEM_UOP, 1024, 1, 1, 1);
    for (int i = 0; i < 4; i++) {
        add_load(&p, VTA_MEM_WGT, 64, 4, 16, 16)->pop_next_dep = i > 0;
        p.insns[p.count - 1].push_next_dep = 1;
        vta_insn *gemm = add_exec(&p, VTA_OP_GEMM, 1, 50, 10);
        gemm->pop_prev_dep = 1;
        gemm->push_prev_dep = i < 3;
    }
    return ended(p);
}

/* The share of all cycles that a unit is in some states, as the sentences round it. */
static int share(const report *r, const char *unit, const char *state, const char *other) {
    json_t *row = json_object_get(timing(r, "units"), unit);
    long long cycles = whole(row, state) + (other ? whole(row, other) : 0);
    char text[16];
    snprintf(text, sizeof text, "%.0f", 100.0 * (double)cycles / (double)vta_profile_timing(r->profile).cycles);
    return atoi(text);
}

static int kinds(const report *r, const char *a, const char *b) {
    json_t *rows = timing(r, "instructions");
    long long cycles = whole(json_object_get(rows, a), "cycles") + (b ? whole(json_object_get(rows, b), "cycles") : 0);
    char text[16];
    snprintf(text, sizeof text, "%.0f", 100.0 * (double)cycles / (double)vta_profile_timing(r->profile).cycles);
    return atoi(text);
}

#define SAYS(...)                                                                                                      \
    do {                                                                                                               \
        char check_says[300];                                                                                          \
        snprintf(check_says, sizeof check_says, __VA_ARGS__);                                                          \
        assert_contains(r.text, check_says);                                                                           \
    } while (0)

TEST_CASE(load_bound) {
    report r;
    make(&r, loads());
    int busy = share(&r, "load", "busy", "wait_memory");
    double beats = 100 * (double)json_integer_value(timing(&r, "read_beats"));
    assert_true(busy >= 80);
    SAYS("Memory bound: the load unit is at work %d %% of the time; the read bus carries data in %.0f %% of the "
         "cycles.\n",
         busy, beats / (double)vta_profile_timing(r.profile).cycles);
    same_text(&r);
    same_trace(&r);
    clear(&r);
}

TEST_CASE(compute_bound) {
    report r;
    make(&r, computes());
    int busy = share(&r, "compute", "busy", "wait_memory");
    assert_true(busy >= 80);
    SAYS("Compute bound: the compute unit is at work %d %% of the time (GEMM %d %%, resets %d %%, tensor ALU %d %%, "
         "immediate ALU %d %%, micro-op loads %d %%).\n",
         busy, kinds(&r, "gemm", NULL), kinds(&r, "reset", NULL), kinds(&r, "alu tensor", NULL),
         kinds(&r, "alu immediate", NULL), kinds(&r, "load uop", NULL));
    same_text(&r);
    same_trace(&r);
    clear(&r);
}

TEST_CASE(compute_loads) {
    report r;
    make(&r, loads_of_compute());
    double beats = 100 * (double)json_integer_value(timing(&r, "read_beats"));
    SAYS("Memory bound in the compute unit: loads of acc and micro-ops take %d %% of the time, in which GEMM and ALU "
         "stand still (",
         kinds(&r, "load acc", "load uop"));
    SAYS("acc loads %d %%", kinds(&r, "load acc", NULL));
    SAYS("); the read bus carries data in %.0f %% of the cycles.\n",
         beats / (double)vta_profile_timing(r.profile).cycles);
    same_text(&r);
    same_trace(&r);
    clear(&r);
}

TEST_CASE(store_bound) {
    report r;
    make(&r, stores());
    int busy = share(&r, "store", "busy", "wait_memory");
    assert_true(busy >= 80);
    SAYS("Store bound: the store unit is at work %d %% of the time.\n", busy);
    SAYS("Compute waits %d %% of the time for store (store->compute tokens).\n",
         share(&r, "compute", "wait_next", NULL));
    same_text(&r);
    same_trace(&r);
    clear(&r);
}

TEST_CASE(taking_turns) {
    report r;
    make(&r, turns());
    SAYS("Load and compute take turns: compute waits %d %% for load (load->compute tokens), load waits %d %% for "
         "compute (compute->load tokens).",
         share(&r, "compute", "wait_prev", NULL), share(&r, "load", "wait_next", NULL));
    same_text(&r);
    same_trace(&r);
    clear(&r);
}

/* ---- Refused ----------------------------------------------------------------------------------------------------- */

static vta_status html_of(const vta_profile *p, vta_diag *diag, char **out) {
    return vta_profile_html(p, "title", diag, out);
}
static vta_status svg_of(const vta_profile *p, vta_diag *diag, char **out) {
    return vta_profile_svg(p, "title", 900, 0, 0, diag, out);
}
static vta_status comparison_of(const vta_profile *p, vta_diag *diag, char **out) {
    return vta_profile_compare(p, "title", p, NULL, diag, out);
}

/* Without a profile there is no report, whatever stood there before; and without a place for it there is no call. */
TEST_CASE(without_a_profile) {
    static vta_status (*const reports[])(const vta_profile *, vta_diag *, char **) = {
        vta_profile_text, vta_profile_json, vta_profile_trace, html_of, svg_of, comparison_of};
    report r;
    make(&r, computes());
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        char before, *text = &before;
        vta_diag_clear(r.diag);
        assert_int_equal(reports[i](NULL, r.diag, &text), VTA_INVALID_ARGUMENT);
        assert_null(text);
        assert_contains(vta_diag_text(r.diag), "profile");
        assert_int_equal(reports[i](r.profile, r.diag, NULL), VTA_INVALID_ARGUMENT);
    }
    clear(&r);
}

int main(void) { return run_cases(); }
