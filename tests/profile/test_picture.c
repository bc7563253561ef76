/* The timeline's picture and the trace show the same: each box of the SVG is a slice of the trace, cut to the cycles
 * that are drawn, each line below a row what the slice waited for tokens, each arrow a token between two slices. */
#include <jansson.h>
#include <math.h>

#include "support/check.h"
#include "tsim/programs.h"
#include "vta/profile.h"

enum { LEFT = 84, RIGHT = 12, TOP = 44, ROW = 46, BOX = 28, WIDTH = 20000 }; /* pixels; wide: no boxes are merged */

typedef struct fixture {
    vta_config *config;
    vta_diag *diag;
    vta_profile *profile;
    json_t *trace;
    json_t *events; /* of the trace */
} fixture;

/* Load and compute take turns, then the store; the second run begins where the first ended. */
static program turns(void) {
    program p = {0};
    add_load(&p, VTA_MEM_UOP, 1024, 1, 1, 1);
    for (int i = 0; i < 3; i++) {
        add_load(&p, VTA_MEM_INP, 256, 1, 16, 16)->pop_next_dep = i > 0;
        add_load(&p, VTA_MEM_WGT, 64, 4, 16, 16)->push_next_dep = 1;
        vta_insn *gemm = add_exec(&p, VTA_OP_GEMM, 16, 1, 1);
        gemm->pop_prev_dep = 1;
        gemm->push_prev_dep = i < 2;
        gemm->push_next_dep = i == 2;
    }
    vta_insn *store = add_load(&p, VTA_MEM_OUT, 512, 1, 16, 16);
    store->pop_prev_dep = store->push_prev_dep = 1;
    add(&p, VTA_OP_FINISH)->pop_next_dep = 1;
    return p;
}

static void start(fixture *f) {
    vta_timing_profile timing;
    program p = turns();
    char *text;
    f->config = vta_config_default();
    f->diag = vta_diag_create(NULL);
    assert_int_equal(vta_timing_profile_get(NULL, NULL, &timing), VTA_OK);
    assert_int_equal(vta_profile_create(f->config, &timing, NULL, f->diag, &f->profile), VTA_OK);
    for (int run = 0; run < 2; run++)
        if (vta_profile_add_run(f->profile, p.insns, p.count, 0x40000, f->diag) != VTA_OK)
            fail_msg("%s", vta_diag_text(f->diag));
    assert_int_equal(vta_profile_trace(f->profile, f->diag, &text), VTA_OK);
    f->trace = json_loads(text, 0, NULL);
    assert_non_null(f->trace);
    f->events = json_object_get(f->trace, "traceEvents");
    vta_string_free(text);
    free(p.insns);
}

static void stop(fixture *f) {
    json_decref(f->trace);
    vta_profile_destroy(f->profile);
    vta_diag_destroy(f->diag);
    vta_config_release(f->config);
}

static double number(const json_t *event, const char *key) { return json_number_value(json_object_get(event, key)); }
static bool is(const json_t *event, const char *phase) {
    return strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0;
}

static double clipped(double cycle, double from, double to) {
    return LEFT + (fmin(fmax(cycle, from), to) - from) * (WIDTH - LEFT - RIGHT) / (to - from);
}

/* The rectangle that a picture must have, with what follows its size. */
static bool has(const char *svg, double a, int y, double width, int height, const char *end) {
    char text[160];
    snprintf(text, sizeof text, "x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"", a, y, width, height);
    for (const char *at = svg; (at = strstr(at, text)); at++) {
        const char *line = strchr(at, '\n');
        const char *found = strstr(at, end);
        if (found && found < line) return true;
    }
    return false;
}

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) n++;
    return n;
}

static void check_picture(fixture *f, uint64_t from, uint64_t to) {
    size_t i, boxes = 0, lines = 0;
    json_t *e;
    char *svg;
    assert_int_equal(vta_profile_svg(f->profile, "t", WIDTH, from, to, f->diag, &svg), VTA_OK);
    double least = (double)from, most = to ? (double)to : (double)vta_profile_timing(f->profile).cycles;
    json_array_foreach(f->events, i, e) {
        if (!is(e, "X")) continue;
        double ts = number(e, "ts"), end = ts + number(e, "dur"), wait = 0;
        json_t *args = json_object_get(e, "args");
        int row = TOP + ROW * ((int)number(e, "tid") - 1);
        wait += number(args, "waited for prev token") + number(args, "waited for next token");
        double a = clipped(ts, least, most), b = clipped(end, least, most), w = clipped(ts - wait, least, most);
        char title[96];
        const char *name = json_string_value(json_object_get(e, "name"));
        snprintf(title, sizeof title, "<title>%.*s, cycles %.0f to %.0f</title>", strncmp(name, "fetch", 5) ? 99 : 5,
                 name, ts, end);
        if (b > a) {
            boxes++;
            if (!has(svg, a, row, b - a > 3 ? b - a - 0.6 : b - a, BOX, title))
                fail_msg("cycles %.0f to %.0f: no box of %s", least, most, title);
        }
        if (a - w < 0.3) continue;
        lines++;
        if (!has(svg, w, row + BOX + 3, a - w, 3, "/>")) fail_msg("no line before cycle %.0f", ts);
    }
    assert_int_equal(count(svg, "<title>"), boxes);
    assert_int_equal(count(svg, "class=\"wait\" "), lines + 1); /* the legend has one */
    assert_true(boxes > 0);
    vta_string_free(svg);
}

TEST_CASE(boxes_and_lines) {
    fixture f;
    start(&f);
    uint64_t cycles = vta_profile_timing(f.profile).cycles;
    check_picture(&f, 0, 0);
    check_picture(&f, 0, cycles);
    check_picture(&f, cycles / 2, 0);
    for (uint64_t from = 0; from + 50 < cycles; from += 97) check_picture(&f, from, from + 50);
    stop(&f);
}

/* The one slice of a row that has this cycle as its first (or, `last`, as its last). */
static bool slice_at(const fixture *f, double tid, double cycle, bool last) {
    size_t i;
    json_t *e;
    json_array_foreach(f->events, i, e) {
        double ts = number(e, "ts");
        if (is(e, "X") && number(e, "tid") == tid && (last ? ts + number(e, "dur") - 1 : ts) == cycle) return true;
    }
    return false;
}

TEST_CASE(arrows) {
    fixture f;
    size_t i, k, ends = 0, starts = 0;
    json_t *e, *other;
    start(&f);
    json_array_foreach(f.events, i, e) {
        starts += is(e, "s");
        if (is(e, "s") && !slice_at(&f, number(e, "tid"), number(e, "ts"), true)) fail_msg("no slice pushes");
        if (!is(e, "f")) continue;
        ends++;
        if (!slice_at(&f, number(e, "tid"), number(e, "ts"), false)) fail_msg("no slice takes");
        int same = 0;
        json_array_foreach(f.events, k, other) {
            if (!is(other, "s") || number(other, "id") != number(e, "id")) continue;
            same++;
            assert_true(number(other, "ts") < number(e, "ts"));
            assert_true(fabs(number(other, "tid") - number(e, "tid")) == 1); /* units that are neighbours */
        }
        assert_int_equal(same, 1);
    }
    assert_int_equal(ends, 2 * 7); /* a run: 3 to compute, 2 back, to store and back */
    assert_int_equal(starts, ends);
    stop(&f);
}

/* A number every 1, 2 or 5 times a power of ten, at its place, six to thirteen of them. */
TEST_CASE(ruler) {
    fixture f;
    start(&f);
    for (uint64_t span = 11; span < vta_profile_timing(f.profile).cycles; span += 31) {
        char *svg, text[160];
        assert_int_equal(vta_profile_svg(f.profile, "t", WIDTH, 7, 7 + span, f.diag, &svg), VTA_OK);
        size_t ticks = count(svg, "class=\"tick\" "), found = 0;
        if (ticks < 4 || ticks > 13) fail_msg("%zu numbers for %d cycles", ticks, (int)span);
        double step = 0, last = -1;
        for (uint64_t at = 7; at <= 7 + span; at++) {
            double x = clipped((double)at, 7, 7 + (double)span);
            snprintf(text, sizeof text, "x=\"%.2f\" y=\"%d\">%d</text>", x, TOP + 4 * ROW - (ROW - BOX) + 8 + 14,
                     (int)at);
            if (!strstr(svg, text)) continue;
            found++;
            if (last >= 0 && step == 0) step = (double)at - last;
            assert_true(last < 0 || (double)at - last == step);
            last = (double)at;
        }
        assert_int_equal(found, ticks);
        while (step >= 10 && fmod(step, 10) == 0) step /= 10;
        if (step != 1 && step != 2 && step != 5) fail_msg("a step of %g for %d cycles", step, (int)span);
        assert_true(fmod(last, step) == 0);
        vta_string_free(svg);
    }
    stop(&f);
}

int main(void) { return run_cases(); }
