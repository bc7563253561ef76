/* A line of a log, member by member: what is read from it, what is refused, and what is written. */
#include <jansson.h>
#include <math.h>

#include "operators/tune/tune.h"
#include "support/check.h"
#include "support/diag.h"

#define INPUT "[\"here\", \"add\", [], {}]"
#define CONFIG "{\"index\": 7, \"entity\": []}"
#define RESULT "[[2, 4], 0, 1.5, 9.25]"
#define LINE(input, config, result, more) "{\"input\": " input ", \"config\": " config ", \"result\": " result more "}"
#define OWN(own) LINE(INPUT, CONFIG, RESULT, ", \"vta\": " own)
#define FAILED(own) LINE(INPUT, CONFIG, "[[1e9], 8, 1, 1]", ", \"vta\": " own)

#define OLD "a record of AutoTVM's version 0.1, which names its members i, r and v; 0.2 is understood"
#define NO_INPUT "member input: must be [target, task, args, kwargs]"
#define BAD_INPUT "member input: target and task must be texts, args a list"
#define NO_ENTITY "member config: must have entity, a list of knobs"
#define BAD_INDEX "member config: index must be an integer, from 0"
#define NO_RESULT "member result: must be [costs, errno, all_cost, timestamp]"
#define BAD_ERROR "member result: errno must be an integer, from 0"
#define BAD_TIMES "member result: all_cost and timestamp must be numbers"
#define NO_COSTS "member result: costs must be a list with at least one"
#define BAD_COST "member result: a cost must be a number of seconds, from 0"
#define BAD_OWN "member vta: must have workload and machine, texts, and cycles, from 0"

static const struct {
    const char *line, *says;
} wrong[] = {
    {"[]", "a record must be an object of JSON"},
    {LINE(INPUT, CONFIG, RESULT, ", \"v\": 0.1"), OLD},
    {"{\"i\": []}", OLD},
    {"{\"i\": [], \"input\": 3}", NO_INPUT},
    {LINE("{}", CONFIG, RESULT, ""), NO_INPUT},
    {LINE("[\"here\", \"add\"]", CONFIG, RESULT, ""), NO_INPUT},
    {LINE("[1, \"add\", []]", CONFIG, RESULT, ""), BAD_INPUT},
    {LINE("[\"here\", 1, []]", CONFIG, RESULT, ""), BAD_INPUT},
    {LINE("[\"here\", \"add\", {}]", CONFIG, RESULT, ""), BAD_INPUT},
    {LINE(INPUT, "{\"index\": 7}", RESULT, ""), NO_ENTITY},
    {LINE(INPUT, "{\"entity\": {}}", RESULT, ""), NO_ENTITY},
    {LINE(INPUT, "{\"index\": 1.5, \"entity\": []}", RESULT, ""), BAD_INDEX},
    {LINE(INPUT, "{\"index\": -1, \"entity\": []}", RESULT, ""), BAD_INDEX},
    {LINE(INPUT, CONFIG, "{}", ""), NO_RESULT},
    {LINE(INPUT, CONFIG, "[[1], 0, 1]", ""), NO_RESULT},
    {LINE(INPUT, CONFIG, "[[1], 0, 1, 1, 1]", ""), NO_RESULT},
    {LINE(INPUT, CONFIG, "[[1], 0.5, 1, 1]", ""), BAD_ERROR},
    {LINE(INPUT, CONFIG, "[[1], -1, 1, 1]", ""), BAD_ERROR},
    {LINE(INPUT, CONFIG, "[[1], 1001, 1, 1]", ""), BAD_ERROR},
    {LINE(INPUT, CONFIG, "[[1], 0, \"x\", 1]", ""), BAD_TIMES},
    {LINE(INPUT, CONFIG, "[[1], 0, 1, \"x\"]", ""), BAD_TIMES},
    {LINE(INPUT, CONFIG, "[{}, 0, 1, 1]", ""), NO_COSTS},
    {LINE(INPUT, CONFIG, "[[], 0, 1, 1]", ""), NO_COSTS},
    {LINE(INPUT, CONFIG, "[[], 4, 1, 1]", ""), NO_COSTS},
    {LINE(INPUT, CONFIG, "[[1, -1], 0, 1, 1]", ""), BAD_COST},
    {LINE(INPUT, CONFIG, "[[1, \"x\"], 0, 1, 1]", ""), BAD_COST},
    {OWN("{\"machine\": \"m\", \"cycles\": 5}"), BAD_OWN},
    {OWN("{\"workload\": \"w\", \"cycles\": 5}"), BAD_OWN},
    {OWN("{\"workload\": \"w\", \"machine\": \"m\"}"), BAD_OWN},
    {OWN("{\"workload\": \"w\", \"machine\": \"m\", \"cycles\": -1}"), BAD_OWN},
    {OWN("{\"workload\": \"w\", \"machine\": \"m\", \"cycles\": 0}"), "member vta: cycles of 0 without an error"},
};

/* What can be read is not left. */
static void wrong_lines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vt_tune_line line;
        vta_diag_entry said;
        vta_diag_clear(diag);
        assert_int_equal(
            vt__tune_record_read(wrong[i].line, strlen(wrong[i].line), (vt_pos){"x.log", 9, 0}, diag, &line),
            VTA_PARSE);
        assert_null(line.root);
        assert_int_equal(vta_diag_get(diag, 0, &said), VTA_OK);
        if (strcmp(said.message, wrong[i].says) != 0) fail_msg("%s: %s", wrong[i].line, said.message);
        assert_string_equal(said.file, "x.log");
        assert_int_equal(said.line, 9);
    }
}

static const struct {
    const char *line;
    vtac_tune_record is;
} fine[] = {
    {LINE(INPUT, CONFIG, RESULT, ""), {.index = 7, .seconds = 3, .all_seconds = 1.5, .timestamp = 9.25}},
    {LINE(INPUT, CONFIG, RESULT, ", \"i\": 1"), {.index = 7, .seconds = 3, .all_seconds = 1.5, .timestamp = 9.25}},
    {LINE("[\"here\", \"add\", []]", "{\"index\": 0, \"entity\": []}", "[[0], 0, 1, 2]", ""),
     {.seconds = 0, .all_seconds = 1, .timestamp = 2}},
    {LINE(INPUT, "{\"entity\": []}", "[[1], 0, 1, 2]", ""), {.seconds = 1, .all_seconds = 1, .timestamp = 2}},
    /* a trial that failed has words, of which the first count, or no time that means anything */
    {LINE(INPUT, CONFIG, "[[1e9], 1000, 1, 2]", ""),
     {.index = 7, .error = 1000, .message = "the trial failed", .seconds = INFINITY, .all_seconds = 1, .timestamp = 2}},
    {LINE(INPUT, CONFIG, "[[-1, \"late\", \"lost\"], 1, 1, 2]", ""),
     {.index = 7, .error = 1, .message = "late", .seconds = INFINITY, .all_seconds = 1, .timestamp = 2}},
    {OWN("{\"workload\": \"w\", \"machine\": \"m\", \"cycles\": 1}"),
     {.index = 7, .workload = "w", .machine = "m", .cycles = 1, .seconds = 3, .all_seconds = 1.5, .timestamp = 9.25}},
    {FAILED("{\"workload\": \"w\", \"machine\": \"m\", \"cycles\": 5}"),
     {.index = 7,
      .error = 8,
      .message = "the trial failed",
      .workload = "w",
      .machine = "m",
      .seconds = INFINITY,
      .all_seconds = 1,
      .timestamp = 1}},
};

static bool same_words(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }
static bool same_number(double a, double b) { return !(a < b) && !(a > b); }

static void fine_lines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        vt_tune_line line;
        const vtac_tune_record *is = &fine[i].is, *r = &line.record;
        must(vt__tune_record_read(fine[i].line, strlen(fine[i].line), (vt_pos){"x.log", 9, 0}, diag, &line));
        assert_int_equal(r->line, 9);
        assert_string_equal(r->target, "here");
        assert_string_equal(r->task, "add");
        if (r->index != is->index || r->error != is->error || r->cycles != is->cycles ||
            !same_words(r->message, is->message) || !same_words(r->workload, is->workload) ||
            !same_words(r->machine, is->machine) || !same_number(r->seconds, is->seconds) ||
            !same_number(r->all_seconds, is->all_seconds) || !same_number(r->timestamp, is->timestamp))
            fail_msg("%s", fine[i].line);
        vt__tune_record_free(&line);
        assert_null(line.root);
    }
}

/* ---- Written ----------------------------------------------------------------------------------------------------- */

/* The line of a trial; its text up to the time at which it is written. */
static void expect_line(const vtac_op *op, const vt_tune_trial *t, const char *result, const char *cycles) {
    vta_timing_profile profile;
    vt_strbuf out, workload;
    char begin[600], end[300];
    must(vta_timing_profile_for(op->config, diag, &profile));
    profile.frequency_khz = 200000;
    vt_strbuf_init(&out, NULL);
    vt__tune_record_write(op, &profile, t, 41, &out);
    snprintf(begin, sizeof begin,
             "{\"input\": [\"ext_dev -keys=vta,cpu -device=vta -model=%s\", \"dense_packed.vta\", "
             "[[\"TENSOR\", [2, 2, 1, 16], \"int8\"], [\"TENSOR\", [3, 2, 16, 16], \"int8\"], null, \"int32\"], {}], "
             "\"config\": {\"index\": 41, \"code_hash\": null, \"entity\": [[",
             vta_config_model(op->config));
    assert_memory_equal(vt_strbuf_text(&out), begin, strlen(begin));
    assert_contains(vt_strbuf_text(&out), result);
    vt_strbuf_init(&workload, NULL);
    vt_op_workload_write(op, true, &workload);
    snprintf(end, sizeof end,
             "], \"version\": 0.2, \"tvm_version\": \"vta-%s\", \"vta\": {\"workload\": \"%s\", "
             "\"machine\": \"1x16_i8w8a32_15_15_18_17 chisel 64\", \"cycles\": %s}}\n",
             VT_VERSION, vt_strbuf_text(&workload), cycles);
    vt_strbuf_free(&workload);
    assert_string_equal(strstr(vt_strbuf_text(&out), "], \"version\""), end);
    vt_strbuf_free(&out);
}

static void written(void **state) {
    (void)state;
    vtac_op *op;
    vta_timing_profile profile;
    vt_tune_trial t = {.cycles = 5000, .seconds = 0.0626};
    uint64_t considered;
    must(vtac_op_create("dense", "batch=2 in_features=32 out_features=48", NULL, NULL, diag, &op));
    must(vta_timing_profile_for(op->config, diag, &profile));
    assert_int_equal(vt_op_candidates(op, &profile, 1, &t.blocks, &considered), 1);
    expect_line(op, &t, "\"result\": [[2.5e-05], 0, 0.063, ", "5000");
    t = (vt_tune_trial){.blocks = t.blocks, .error = VT_TUNE_DIED, .message = "lost \"it\"", .seconds = 1};
    expect_line(op, &t, "\"result\": [[\"lost \\\"it\\\"\"], 8, 1.000, ", "0");
    vtac_op_destroy(op);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrong_lines, diag_begin, diag_end),
        cmocka_unit_test_setup_teardown(fine_lines, diag_begin, diag_end),
        cmocka_unit_test_setup_teardown(written, diag_begin, diag_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
