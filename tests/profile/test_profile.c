/* What a profile says about a program: traffic, occupancy, words, trace, picture. */
#include <jansson.h>

#include "support/check.h"
#include "tsim/programs.h"
#include "vta/profile.h"

typedef struct fixture {
    vta_config *config;
    vta_diag *diag;
    vta_profile *profile;
    const vta_allocator *allocator;
    const char *timing; /* a profile; NULL: the default one */
} fixture;

static const char *source_of(void *user, size_t run, size_t insn) {
    (void)user;
    static char text[40];
    if (insn > 2) return NULL;
    snprintf(text, sizeof text, "stage_%zu run=%zu", insn, run);
    return text;
}

/* Micro-op i of every address reads inp i, wgt i and writes acc i. */
static vta_status read_uops(void *user, size_t run, uint32_t addr, void *to, size_t bytes) {
    (void)run;
    uint32_t i = addr / 4 % 16, word = 0;
    vta_status status = vta_uop_encode(user, (vta_uop){i, i, i}, NULL, &word);
    memcpy(to, &word, bytes);
    return status;
}

static vta_status start(fixture *f) {
    vta_timing_profile timing;
    f->config = vta_config_default();
    f->diag = vta_diag_create(NULL);
    vta_timing_profile_get(f->timing, NULL, &timing);
    vta_status status = vta_profile_create(f->config, &timing, f->allocator, f->diag, &f->profile);
    vta_profile_set_reader(f->profile, read_uops, f->config);
    return status;
}

static void stop(fixture *f) {
    vta_profile_destroy(f->profile);
    vta_diag_destroy(f->diag);
    vta_config_release(f->config);
}

/* Two blocks one after another; both load the same 64 weights. */
static program twice(void) {
    program p = {0};
    add_load(&p, VTA_MEM_UOP, 1024, 1, 16, 16);
    for (int block = 0; block < 2; block++) {
        vta_insn *inp = add_load(&p, VTA_MEM_INP, 256 + 16 * (uint32_t)block, 1, 16, 16);
        inp->pop_next_dep = block > 0;
        add_load(&p, VTA_MEM_WGT, 64, 4, 16, 16)->push_next_dep = 1;
        vta_insn *gemm = add_exec(&p, VTA_OP_GEMM, 16, 1, 1);
        gemm->pop_prev_dep = 1;
        gemm->push_prev_dep = block == 0;
    }
    p.insns[p.count - 1].push_next_dep = 1;
    vta_insn *store = add_load(&p, VTA_MEM_OUT, 4096, 1, 16, 16);
    store->pop_prev_dep = store->push_prev_dep = 1;
    add_end(&p);
    return p;
}

static json_t *json_of(char *text) {
    json_error_t error;
    json_t *j = json_loads(text, 0, &error);
    if (!j) fail_msg("line %d: %s", error.line, error.text);
    vta_string_free(text);
    return j;
}

TEST_CASE(words_and_numbers) {
    fixture f = {0};
    program p = twice();
    char *text;
    assert_int_equal(start(&f), VTA_OK);
    assert_int_equal(vta_profile_add_segment(f.profile, 64 * 256, 64 * 256, "w", f.diag), VTA_OK);
    assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    assert_int_equal(vta_profile_text(f.profile, f.diag, &text), VTA_OK);
    assert_contains(text, "Memory bound: the load unit is at work");
    assert_contains(text, "Fetched again: weights (w) are loaded 2.0 times (32.8 kB moved, 16.4 kB different).");
    assert_contains(text, "buffers, values in use");
    vta_string_free(text);

    assert_int_equal(vta_profile_json(f.profile, f.diag, &text), VTA_OK);
    json_t *j = json_of(text), *timing = json_object_get(j, "timing");
    assert_int_equal(json_integer_value(json_object_get(timing, "cycle_count")), vta_profile_timing(f.profile).cycles);
    json_t *row = json_array_get(json_object_get(j, "traffic"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "memory")), "wgt");
    assert_int_equal(json_integer_value(json_object_get(row, "bytes")), 2 * 64 * 256);
    assert_int_equal(json_integer_value(json_object_get(row, "distinct")), 64 * 256);
    json_t *occupancy = json_object_get(j, "occupancy");
    /* 64 weights are loaded, and 16 of them are used. */
    assert_int_equal(json_integer_value(json_object_get(json_object_get(occupancy, "wgt"), "peak")), 16);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(occupancy, "uop"), "peak")), 16);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(occupancy, "acc"), "peak")), 16);
    assert_true(json_is_true(json_object_get(occupancy, "exact")));
    json_decref(j);
    stop(&f);
    free(p.insns);
}

/* Each arrow has two ends, begins where its producer ends and ends where its consumer begins. */
TEST_CASE(trace) {
    fixture f = {0};
    program p = twice();
    char *text;
    assert_int_equal(start(&f), VTA_OK);
    vta_profile_set_source(f.profile, source_of, NULL);
    for (int run = 0; run < 2; run++)
        assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    assert_int_equal(vta_profile_trace(f.profile, f.diag, &text), VTA_OK);
    json_t *j = json_of(text), *events = json_object_get(j, "traceEvents"), *e;
    size_t i, slices = 0, starts = 0, ends = 0, named = 0;
    int64_t last = 0;
    json_array_foreach(events, i, e) {
        const char *phase = json_string_value(json_object_get(e, "ph"));
        if (*phase == 'X') {
            slices++;
            int64_t end = json_integer_value(json_object_get(e, "ts")) + json_integer_value(json_object_get(e, "dur"));
            if (end > last) last = end;
            named += json_object_get(json_object_get(e, "args"), "source") != NULL;
        }
        starts += *phase == 's';
        ends += *phase == 'f';
    }
    size_t pops = 0;
    for (i = 0; i < p.count; i++) pops += p.insns[i].pop_prev_dep + p.insns[i].pop_next_dep;
    assert_int_equal(starts, 2 * pops);
    assert_int_equal(ends, 2 * pops);
    assert_int_equal(slices, 2 * (p.count + (p.count + 7) / 8));
    assert_int_equal(named, 6);
    assert_int_equal(vta_profile_json(f.profile, f.diag, &text), VTA_OK);
    json_t *report = json_of(text), *stages = json_object_get(report, "stages");
    assert_int_equal(json_array_size(stages), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(stages, 0), "name")), "stage_2");
    assert_string_equal(json_string_value(json_object_get(json_array_get(stages, 0), "unit")), "load");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(stages, 0), "instructions")), 2);
    json_decref(report);
    assert_int_equal(last, vta_profile_timing(f.profile).cycles);
    json_decref(j);
    stop(&f);
    free(p.insns);
}

TEST_CASE(picture) {
    fixture f = {0};
    program p = twice();
    char *svg;
    assert_int_equal(start(&f), VTA_OK);
    assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    assert_int_equal(vta_profile_svg(f.profile, "a < b & c", 900, 0, 0, f.diag, &svg), VTA_OK);
    assert_contains(svg, "a &lt; b &amp; c: ");
    assert_contains(svg, "<title>load wgt, cycles ");
    assert_contains(svg, "</svg>");
    vta_string_free(svg);
    assert_int_equal(vta_profile_svg(f.profile, "", 900, 100, 50, f.diag, &svg), VTA_OUT_OF_RANGE);
    assert_null(svg);
    assert_int_equal(vta_profile_svg(f.profile, "", 10, 0, 0, f.diag, &svg), VTA_INVALID_ARGUMENT);
    stop(&f);
    free(p.insns);
}

/* A stream that cannot finish is refused, and the profile stays as it was. */
TEST_CASE(refused) {
    fixture f = {0};
    program p = twice(), q = {0};
    add_load(&q, VTA_MEM_INP, 16, 1, 1, 1)->pop_next_dep = 1;
    add_load(&q, VTA_MEM_UOP, 0, 0, 0, 0)->pop_prev_dep = 1;
    add(&q, VTA_OP_FINISH);
    assert_int_equal(start(&f), VTA_OK);
    assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    vta_timing before = vta_profile_timing(f.profile);
    assert_int_equal(vta_profile_add_run(f.profile, q.insns, q.count, 0x40000, f.diag), VTA_DEADLOCK);
    vta_timing after = vta_profile_timing(f.profile);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(vta_profile_run_count(f.profile), 1);
    stop(&f);
    free(p.insns);
    free(q.insns);
}

TEST_CASE(out_of_memory) {
    program p = twice();
    for (size_t n = 0;; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        fixture f = {.allocator = &a.allocator};
        char *text = NULL;
        vta_status status = start(&f);
        if (status == VTA_OK) vta_profile_set_source(f.profile, source_of, NULL);
        if (status == VTA_OK) status = vta_profile_add_segment(f.profile, 64 * 256, 64 * 256, "w", f.diag);
        if (status == VTA_OK) status = vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag);
        if (status == VTA_OK) status = vta_profile_html(f.profile, "page", f.diag, &text);
        assert_int_equal(status == VTA_OK, text != NULL);
        vta_string_free(text);
        stop(&f);
        assert_int_equal(a.live, 0);
        if (!a.failed) {
            assert_int_equal(status, VTA_OK);
            assert_true(n > 30);
            break;
        }
        assert_int_equal(status, VTA_NO_MEMORY);
    }
    free(p.insns);
}

/* The parts of the critical path; their cycles are the program's. */
static json_t *path_of(fixture *f) {
    char *text;
    assert_int_equal(vta_profile_json(f->profile, f->diag, &text), VTA_OK);
    json_t *j = json_of(text), *path = json_incref(json_object_get(j, "critical_path"));
    int64_t sum = 0;
    for (size_t i = 0; i < json_array_size(path); i++)
        sum += json_integer_value(json_object_get(json_array_get(path, i), "cycles"));
    assert_int_equal(sum, vta_profile_timing(f->profile).cycles);
    json_decref(j);
    return path;
}

static int64_t part_of(const json_t *path, const char *kind, const char *what) {
    for (size_t i = 0; i < json_array_size(path); i++) {
        const json_t *row = json_array_get(path, i);
        if (!strcmp(json_string_value(json_object_get(row, "kind")), kind))
            return json_integer_value(json_object_get(row, what));
    }
    return 0;
}

/* A load of 2 weights and a long GEMM, or a long load and a GEMM of one micro-op: the long one is on the path. */
TEST_CASE(critical_path) {
    for (int compute = 0; compute < 2; compute++) {
        fixture f = {0};
        program p = {0};
        add_load(&p, VTA_MEM_UOP, 1024, 1, 1, 1);
        add_load(&p, VTA_MEM_WGT, 64, 1, compute ? 2 : 200, 200)->push_next_dep = 1;
        add_exec(&p, VTA_OP_GEMM, 1, 1, compute ? 5000 : 1)->pop_prev_dep = 1;
        add(&p, VTA_OP_FINISH);
        assert_int_equal(start(&f), VTA_OK);
        assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
        json_t *path = path_of(&f);
        assert_int_equal(part_of(path, "load wgt", "instructions"), 1);
        assert_int_equal(part_of(path, "gemm", "instructions"), 1);
        assert_int_equal(part_of(path, "load uop", "instructions"), 0); /* the load took longer, every time */
        assert_int_equal(part_of(path, "finish", "instructions"), 1);
        assert_true(compute == (part_of(path, "gemm", "cycles") > part_of(path, "load wgt", "cycles")));
        assert_true(part_of(path, "gemm", "cycles") == (compute ? 5007 : 8));
        json_decref(path);
        stop(&f);
        free(p.insns);
    }
    for (uint32_t tiles = 1; tiles < 200; tiles += 13) {
        fixture f = {0};
        program p = alu_program(tiles, 2, 3, tiles % 2), q = twice();
        assert_int_equal(start(&f), VTA_OK);
        assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
        assert_int_equal(vta_profile_add_run(f.profile, q.insns, q.count, 0x40000, f.diag), VTA_OK);
        json_decref(path_of(&f));
        stop(&f);
        free(p.insns);
        free(q.insns);
    }
}

/* Loads of micro-ops that run beside a long GEMM, and end before it: the path is whole all the same. */
TEST_CASE(critical_path_where_ends_overtake) {
    for (int beside = 0; beside < 3; beside++) {
        fixture f = {.timing = "rtl"};
        program p = {0};
        add_load(&p, VTA_MEM_UOP, 1024, 1, 16, 16);
        add_exec(&p, VTA_OP_GEMM, 16, 10, 20);
        for (int i = 0; i < beside; i++)
            add_load(&p, VTA_MEM_UOP, 1024, 1, 16, 16)->u.mem.sram_base = 32 + 16 * (uint32_t)i;
        add_exec(&p, VTA_OP_ALU, 16, 1, 1);
        add(&p, VTA_OP_FINISH);
        assert_int_equal(start(&f), VTA_OK);
        assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
        json_t *path = path_of(&f);
        assert_int_equal(part_of(path, "gemm", "instructions"), 1);
        assert_true(part_of(path, "gemm", "cycles") + part_of(path, "load uop", "cycles") >= 16 * 10 * 20);
        assert_true(part_of(path, "gemm", "cycles") > part_of(path, "load uop", "cycles"));
        json_decref(path);
        stop(&f);
        free(p.insns);
    }
}

/* Fetch hands over in the order of the stream, whichever unit is behind: the times that its slices are drawn from. */
TEST_CASE(arrivals_ascend) {
    static const char *const timings[] = {"chisel", "rtl"};
    for (int i = 0; i < 2; i++) {
        fixture f = {.timing = timings[i]};
        program p = {0};
        const vta_insn_time *times;
        add_load(&p, VTA_MEM_UOP, 1024, 1, 1, 1);
        add_exec(&p, VTA_OP_GEMM, 1, 1, 500)->push_prev_dep = 1;
        add_load(&p, VTA_MEM_WGT, 64, 1, 2, 2)->pop_next_dep = 1; /* and the next one behind it */
        for (int loads = 0; loads < 4; loads++) add_load(&p, VTA_MEM_WGT, 64, 1, 2, 2)->push_next_dep = loads == 3;
        add_exec(&p, VTA_OP_ALU, 1, 1, 1);
        add_exec(&p, VTA_OP_ALU, 1, 1, 1)->pop_prev_dep = 1;
        add(&p, VTA_OP_FINISH);
        assert_int_equal(start(&f), VTA_OK);
        assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
        assert_int_equal(vta_profile_run(f.profile, 0, NULL, &times, NULL), VTA_OK);
        for (uint32_t n = 1; n < p.count; n++) assert_true(times[n].arrived >= times[n - 1].arrived);
        stop(&f);
        free(p.insns);
    }
}

/* Loads of acc hold up the compute unit; without a GEMM the roofline is of ALU operations. */
TEST_CASE(alu_only) {
    fixture f = {0};
    program p = alu_program(64, 2, 1, 0);
    char *text;
    assert_int_equal(start(&f), VTA_OK);
    assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    assert_int_equal(vta_profile_text(f.profile, f.diag, &text), VTA_OK);
    assert_contains(text, "Memory bound in the compute unit: loads of acc and micro-ops take");
    assert_contains(text, "ALU operations a byte");
    vta_string_free(text);
    vta_timing timing = vta_profile_timing(f.profile);
    vta_timing_profile profile;
    vta_timing_profile_get(NULL, NULL, &profile);
    vta_timing_summary s = vta_timing_summarize(f.config, &profile, &timing);
    assert_true(s.of_alu && s.alu_ops == 64 * 16 && s.roofline_fraction > 0.3 && s.roofline_fraction <= 1);
    stop(&f);
    free(p.insns);
}

TEST_CASE(compared) {
    fixture f = {0}, g = {0};
    program p = twice(), q = alu_program(64, 2, 1, 0);
    char *text;
    assert_int_equal(start(&f), VTA_OK);
    assert_int_equal(start(&g), VTA_OK);
    assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    assert_int_equal(vta_profile_add_run(g.profile, q.insns, q.count, 0x40000, g.diag), VTA_OK);
    assert_int_equal(vta_profile_compare(f.profile, "two blocks", g.profile, NULL, f.diag, &text), VTA_OK);
    assert_contains(text, "A: two blocks\nB: the second program\n");
    char row[80];
    snprintf(row, sizeof row, "cycles %42llu %14llu", (unsigned long long)vta_profile_timing(f.profile).cycles,
             (unsigned long long)vta_profile_timing(g.profile).cycles);
    assert_contains(text, row);
    vta_string_free(text);
    assert_int_equal(vta_profile_compare(f.profile, NULL, NULL, NULL, f.diag, &text), VTA_INVALID_ARGUMENT);
    assert_null(text);
    stop(&f);
    stop(&g);
    free(p.insns);
    free(q.insns);
}

/* ---- Loops ---- */

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

/* Different elements of a buffer of `depth` that micro-ops 0 .. uops of read_uops touch, counted one by one. */
static int64_t touched(const vta_insn *insn, uint32_t depth, uint32_t outer, uint32_t inner) {
    static bool seen[2048];
    int64_t count = 0;
    memset(seen, 0, sizeof seen);
    for (uint32_t y = 0; y < insn->u.exec.iter_out; y++)
        for (uint32_t x = 0; x < insn->u.exec.iter_in; x++)
            for (uint32_t u = 0; u < insn->u.exec.uop_end; u++) {
                uint32_t i = u % 16 + y * outer + x * inner;
                if (i >= depth || seen[i]) continue;
                seen[i] = true;
                count++;
            }
    return count;
}

/* All inputs and weights are loaded, one GEMM uses some. */
static json_t *occupancy_of_one_gemm(const vta_insn *gemm) {
    fixture f = {0};
    program p = {0};
    char *text;
    add_load(&p, VTA_MEM_UOP, 1024, 128, 64, 64);
    add_load(&p, VTA_MEM_INP, 256, 32, 64, 64);
    add_load(&p, VTA_MEM_WGT, 64, 16, 64, 64)->push_next_dep = 1;
    vta_insn *insn = add(&p, VTA_OP_GEMM);
    *insn = *gemm;
    insn->pop_prev_dep = 1;
    add(&p, VTA_OP_FINISH);
    assert_int_equal(start(&f), VTA_OK);
    assert_int_equal(vta_profile_add_run(f.profile, p.insns, p.count, 0x40000, f.diag), VTA_OK);
    assert_int_equal(vta_profile_json(f.profile, f.diag, &text), VTA_OK);
    json_t *j = json_of(text);
    stop(&f);
    free(p.insns);
    return j;
}

static int64_t peak(const json_t *j, const char *memory) {
    const json_t *buffer = json_object_get(json_object_get(j, "occupancy"), memory);
    return json_integer_value(json_object_get(buffer, "peak"));
}

static vta_insn random_gemm(uint32_t *r) {
    vta_insn insn = {.opcode = VTA_OP_GEMM};
    insn.u.exec.uop_end = 1 + next_random(r) % 20;
    insn.u.exec.iter_out = (uint16_t)(1 + next_random(r) % 40);
    insn.u.exec.iter_in = (uint16_t)(1 + next_random(r) % 40);
    insn.u.exec.src_factor_out = next_random(r) % 3 ? next_random(r) % 100 : 0;
    insn.u.exec.src_factor_in = next_random(r) % 3 ? next_random(r) % 9 : 0;
    insn.u.exec.wgt_factor_out = next_random(r) % 3 ? next_random(r) % 9 : 0;
    insn.u.exec.wgt_factor_in = next_random(r) % 3 ? next_random(r) % 100 : 0;
    return insn;
}

TEST_CASE(loops) {
    uint32_t r = 5;
    for (int round = 0; round < 100; round++) {
        vta_insn gemm = random_gemm(&r);
        json_t *j = occupancy_of_one_gemm(&gemm);
        assert_int_equal(peak(j, "inp"), touched(&gemm, 2048, gemm.u.exec.src_factor_out, gemm.u.exec.src_factor_in));
        assert_int_equal(peak(j, "wgt"), touched(&gemm, 1024, gemm.u.exec.wgt_factor_out, gemm.u.exec.wgt_factor_in));
        json_decref(j);
    }
}

/* The largest loops that the fields can say: 2 * 10^12 executions. */
TEST_CASE(loops_without_end) {
    vta_insn gemm = {.opcode = VTA_OP_GEMM};
    gemm.u.exec.uop_end = 8191;
    gemm.u.exec.iter_out = gemm.u.exec.iter_in = 16383;
    gemm.u.exec.src_factor_out = gemm.u.exec.src_factor_in = gemm.u.exec.wgt_factor_in = 1;
    json_t *j = occupancy_of_one_gemm(&gemm);
    assert_int_equal(peak(j, "inp"), 2048);
    assert_int_equal(peak(j, "wgt"), 1024);
    assert_int_equal(peak(j, "uop"), 8191);
    json_decref(j);
}

int main(void) { return run_cases(); }
