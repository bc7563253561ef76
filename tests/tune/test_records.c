/* Records as AutoTVM writes them: onto which operators their tasks fit, which of their schedules are usable here, and
 * what is said of the others; lines that are not records. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "vta/tune.h"

#define TARGET "\"ext_dev -keys=vta,cpu -device=vta -model=zcu104_1x16_i8w8a32_15_15_18_17\""
#define RECORD(task, args, entity, result)                                                                             \
    "{\"input\": [" TARGET ", \"" task "\", " args ", {}], \"config\": {\"index\": 241, \"code_hash\": null, "         \
    "\"entity\": " entity "}, \"result\": " result ", \"version\": 0.2, \"tvm_version\": \"0.8.dev0\"}\n"
#define CONV_ARGS                                                                                                      \
    "[[\"TENSOR\", [1, 4, 14, 14, 1, 16], \"int8\"], [\"TENSOR\", [4, 4, 3, 3, 16, 16], \"int8\"], [1, 1], "           \
    "[1, 1, 1, 1], [1, 1], \"NCHW1n16c\", \"int32\"]"
#define ENTITY(h, w, ci, co, oc, ht)                                                                                   \
    "[[\"tile_b\", \"sp\", [-1, 1]], [\"tile_h\", \"sp\", [-1, " #h "]], [\"tile_w\", \"sp\", [-1, " #w "]], "         \
    "[\"tile_ci\", \"sp\", [-1, " #ci "]], [\"tile_co\", \"sp\", [-1, " #co "]], [\"oc_nthread\", \"ot\", " #oc        \
    "], [\"h_nthread\", \"ot\", " #ht "]]"
#define DONE(seconds) "[[" #seconds "], 0, 1.57, 1740456275.5]"

static const char conv[] = "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=shift,relu";

static vtac_op *make(const char *name, const char *text) {
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_op_create(name, text, NULL, NULL, diag, &op) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return op;
}

static vtac_tune_log *parse(const char *text, vta_diag *diag) {
    vtac_tune_log *log;
    assert_int_equal(vtac_tune_log_parse(text, strlen(text), "old.log", NULL, diag, &log), VTA_OK);
    return log;
}

/* ---- Schedules that fit -------------------------------------------------------------------------------------------
 */

static const struct {
    const char *name, *text, *record, *says[3];
} fits[] = {
    {"conv2d",
     conv,
     RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 14, 1, 2, 2, 1), DONE(0.0096)),
     {"split 1 by 2 -> oc_out, oc_in", "split 2 by 7 -> y_out, y_in", "bind thread cthread"}},
    {"conv2d",
     conv,
     RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 7, 2, 4, 1, 2), DONE(0.0096)),
     {"split 1 by 4 -> oc_out, oc_in", "split 3 by 7 -> x_out, x_in", "split y_out by 2"}},
    {"conv2d",
     "height=14 width=14 in_channels=64 out_channels=64 groups=4 kernel=3 stride=2 pad=1",
     RECORD("group_conv2d_packed.vta",
            "[[\"TENSOR\", [1, 4, 14, 14, 1, 16], \"int8\"], [\"TENSOR\", [4, 1, 3, 3, 16, 16], \"int8\"], [2, 2], "
            "[1, 1], [1, 1], 4, \"int32\"]",
            ENTITY(7, 7, 1, 1, 2, 1), DONE(0.001)),
     {"split 1 by 1 -> oc_out, oc_in", "split 2 by 7 -> y_out, y_in", "split oc_out by 2"}},
    {"conv2d_transpose",
     "height=4 width=4 in_channels=64 out_channels=32 kernel=4 stride=2 pad=1",
     RECORD("conv2d_transpose_packed.vta",
            "[[\"TENSOR\", [1, 4, 4, 4, 1, 16], \"int8\"], [\"TENSOR\", [2, 4, 4, 4, 16, 16], \"int8\"], [2, 2], "
            "[1, 1, 1, 1], \"int32\", [0, 0]]",
            ENTITY(4, 8, 2, 1, 2, 1), DONE(0.001)),
     {"split 1 by 1 -> oc_out, oc_in", "split 2 by 4 -> y_out, y_in", "split rc by 2"}},
    {"dense",
     "batch=2 in_features=64 out_features=128",
     RECORD("dense_packed.vta",
            "[[\"TENSOR\", [2, 4, 1, 16], \"int8\"], [\"TENSOR\", [8, 4, 16, 16], \"int8\"], null, \"int32\"]",
            "[[\"tile_b\", \"sp\", [-1, 2]], [\"tile_ci\", \"sp\", [-1, 2]], [\"tile_co\", \"sp\", [-1, 4]], "
            "[\"oc_nthread\", \"ot\", 2]]",
            DONE(0.001)),
     {"by 4", "by 2", "cthread"}},
};

TEST_CASE(test_fits) {
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        vtac_op *op = make(fits[i].name, fits[i].text);
        vtac_tune_log *log = parse(fits[i].record, diag);
        vtac_op_result r = {0};
        vtac_tune_record record = {0};
        char why[200];
        if (vtac_tune_log_count(log) != 1) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(vtac_tune_log_get(log, 0, &record), VTA_OK);
        assert_true(record.line == 1 && record.index == 241 && !record.workload && !record.cycles && !record.error);
        const char *not = vtac_tune_log_why_not(log, 0, op, why, sizeof why);
        if (not) fail_msg("%s: %s", fits[i].name, not);
        if (vtac_tune_log_apply(log, op, NULL, diag, &r) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        assert_true(r.cycles >= r.bound && r.origin == VTAC_OP_TUNED);
        for (int k = 0; k < 3; k++)
            if (!strstr(vtac_op_text(op), fits[i].says[k])) fail_msg("%s: %s", fits[i].says[k], vtac_op_text(op));
        vtac_tune_log_destroy(log);
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
    }
}

/* The one that took least of those that fit. */
TEST_CASE(test_best) {
    static const char text[] = RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 14, 4, 4, 1, 1), DONE(0.003))
        RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 14, 2, 2, 2, 1), DONE(0.002))
            RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(1, 14, 2, 2, 2, 1), "[[1000000000.0], 4, 1.0, 1740456275.5]")
                RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 14, 2, 2, 2, 2), DONE(0.001));
    vta_diag *diag = vta_diag_create(NULL);
    vtac_op *op = make("conv2d", conv);
    vtac_tune_log *log = parse(text, diag);
    vtac_tune_record failed = {0};
    assert_int_equal(vtac_tune_log_count(log), 4);
    assert_int_equal(vtac_tune_log_get(log, 2, &failed), VTA_OK);
    assert_int_equal(failed.error, 4);
    assert_string_equal(failed.message, "the trial failed");
    assert_int_equal(vtac_tune_log_apply(log, op, NULL, diag, NULL), VTA_OK);
    assert_non_null(strstr(vtac_op_text(op), "split 1 by 2 -> oc_out, oc_in"));
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
}

/* ---- Schedules that do not fit -------------------------------------------------------------------------------------
 */

static const struct {
    const char *record, *says;
} others[] = {
    {RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 14, 1, 2, 2, 2), DONE(1)),
     "knob h_nthread: virtual threads share rows or output channels here, not both"},
    {RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(14, 14, 4, 4, 2, 1), DONE(1)), "its tiles do not divide evenly"},
    {RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(28, 14, 1, 2, 2, 1), DONE(1)),
     "a tile is larger than the result, or empty"},
    {RECORD("conv2d_packed.vta", CONV_ARGS, "[[\"tile_b\", \"sp\", [-1, 1]], [\"tile_oh\", \"sp\", [-1, 1]]]", DONE(1)),
     "knob tile_oh: schedules of this operator have none"},
    {RECORD("conv2d_packed.vta",
            "[[\"TENSOR\", [1, 4, 14, 14, 1, 16], \"int8\"], [\"TENSOR\", [4, 4, 3, 3, 16, 16], \"int8\"], [2, 2], "
            "[1, 1, 1, 1], [1, 1], \"NCHW1n16c\", \"int32\"]",
            ENTITY(7, 7, 1, 2, 2, 1), DONE(1)),
     "it is of another operator: conv2d 1x4x14x14 to 4x7x7 kernel 3x3 stride 2x2"},
    {RECORD("conv2d_packed.vta",
            "[[\"TENSOR\", [1, 2, 14, 14, 1, 32], \"int8\"], [\"TENSOR\", [2, 2, 3, 3, 32, 32], \"int8\"], [1, 1], "
            "[1, 1, 1, 1], [1, 1], \"NCHW1n32c\", \"int32\"]",
            ENTITY(7, 7, 1, 2, 2, 1), DONE(1)),
     "its tiles are 1 x 32 x 32, those of this configuration 1 x 16 x 16"},
    {RECORD("conv2d_packed.vta",
            "[[\"TENSOR\", [1, 4, 14, 14, 1, 16], \"int8\"], [\"TENSOR\", [4, 2, 3, 3, 16, 16], \"int8\"], [1, 1], "
            "[1, 1, 1, 1], [1, 1], \"NCHW1n16c\", \"int32\"]",
            ENTITY(7, 7, 1, 2, 2, 1), DONE(1)),
     "data and weights have different input channels"},
    {RECORD("conv2d_packed.vta", "[3, 4]", ENTITY(7, 7, 1, 2, 2, 1), DONE(1)), "args must begin with data and weights"},
    {RECORD("conv2d_packed.vta",
            "[[\"TENSOR\", [1, 4, 14, 14, 1, 16], \"int8\"], [\"TENSOR\", [4, 4, 3, 3, 16, 16], \"int8\"], \"1\", "
            "[1, 1, 1, 1], [1, 1], \"NCHW1n16c\", \"int32\"]",
            ENTITY(7, 7, 1, 2, 2, 1), DONE(1)),
     "args 2 and 3 must be strides and padding"},
    {RECORD("add.vta", CONV_ARGS, ENTITY(7, 7, 1, 2, 2, 1), DONE(1)), "task add.vta: schedules of conv2d_packed.vta"},
    {RECORD("dense_packed.vta", "[]", ENTITY(7, 7, 1, 2, 2, 1), DONE(1)), "args must begin with data and weights"},
};

TEST_CASE(test_others) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        vtac_op *op = make("conv2d", conv);
        vtac_tune_log *log = parse(others[i].record, diag);
        char why[300];
        if (vtac_tune_log_count(log) != 1) fail_msg("%s", vta_diag_text(diag));
        const char *not = vtac_tune_log_why_not(log, 0, op, why, sizeof why);
        if (!not|| !strstr(not, others[i].says)) fail_msg("%s: %s", others[i].says, not? not : "fits");
        assert_int_equal(vtac_tune_log_apply(log, op, NULL, diag, NULL), VTA_NOT_FOUND);
        assert_non_null(strstr(vta_diag_text(diag), "old.log: none of its 1 records is a schedule for this conv2d"));
        assert_null(vtac_op_text(op));
        vtac_tune_log_destroy(log);
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
    }
}

/* ---- Records of our own -------------------------------------------------------------------------------------------
 */

#define SHAPE "conv2d 1x4x14x14 to 4x14x14 kernel 3x3 stride 1x1 dilation 1x1 pad 1,1,1,1"
#define HERE "1x16_i8w8a32_15_15_18_17 chisel 64"

/* Of any machine and whatever follows the sum, as long as the whole shape is the same. */
static const struct {
    const char *workload, *machine;
    bool fits;
} own[] = {
    {SHAPE " shift,max of 2+0", HERE, true},
    {SHAPE " shift,max of 2+0", "2x16_i8w8a32_15_15_18_17 rtl 128", true},
    {SHAPE " bias of 1+0", HERE, true},
    {SHAPE, HERE, true},
    {SHAPE "2", HERE, false},
    {SHAPE "2 bias of 1+0", HERE, false},
    {"conv2d 1x4x14x14 to 4x14x14 kernel 3x3 stride 1x1", HERE, false},
    {"dense 1x4x14x14 to 4x14x14 kernel 3x3 stride 1x1 dilation 1x1 pad 1,1,1,1", HERE, false},
    {"", HERE, false},
};

TEST_CASE(test_own) {
    static const char record[] =
        "{\"input\": [" TARGET ", \"conv2d_packed.vta\", [], {}], \"config\": {\"index\": 0, \"entity\": " ENTITY(
            7, 14, 1, 2, 2, 1) "}, \"result\": " DONE(0.5) ", \"vta\": ";
    vtac_op *op = make("conv2d", conv);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char text[1024], why[300], says[200];
        vta_diag *diag = vta_diag_create(NULL);
        snprintf(text, sizeof text, "%s{\"workload\": \"%s\", \"machine\": \"%s\", \"cycles\": 9}}\n", record,
                 own[i].workload, own[i].machine);
        vtac_tune_log *log = parse(text, diag);
        if (vtac_tune_log_count(log) != 1) fail_msg("%s", vta_diag_text(diag));
        const char *not = vtac_tune_log_why_not(log, 0, op, why, sizeof why);
        snprintf(says, sizeof says, "it is of another operator: %s", own[i].workload);
        if (own[i].fits ? not!= NULL : !not|| strcmp(not, says) != 0)
            fail_msg("%s: %s", own[i].workload, not? not : "fits");
        vtac_tune_log_destroy(log);
        vta_diag_destroy(diag);
    }
    vtac_op_destroy(op);
}

/* ---- Lines that are not records -------------------------------------------------------------------------------------
 */

#define GOOD RECORD("conv2d_packed.vta", CONV_ARGS, ENTITY(7, 14, 1, 2, 2, 1), DONE(0.5))

static const struct {
    const char *line, *says;
} wrong[] = {
    {"hello", "old.log:3:"},
    {"{\"input\": 3", "old.log:3:"},
    {"[1]", "a record must be an object of JSON"},
    {"{}", "member input: must be [target, task, args, kwargs]"},
    {"{\"i\": [1], \"r\": [1], \"v\": 0.1}", "a record of AutoTVM's version 0.1"},
    {"{\"input\": [1, 2, 3]}", "member input: target and task must be texts"},
    {"{\"input\": [\"a\", \"b\", []]}", "member config: must have entity"},
    {"{\"input\": [\"a\", \"b\", []], \"config\": {\"index\": -1, \"entity\": []}}", "index must be an integer"},
    {"{\"input\": [\"a\", \"b\", []], \"config\": {\"entity\": []}}", "member result: must be [costs, errno"},
    {RECORD("a", "[]", "[]", "[[1], -1, 1, 1]"), "member result: errno must be an integer"},
    {RECORD("a", "[]", "[]", "[[1], 0, \"x\", 1]"), "member result: all_cost and timestamp must be numbers"},
    {RECORD("a", "[]", "[]", "[[], 0, 1, 1]"), "member result: costs must be a list"},
    {RECORD("a", "[]", "[]", "[[\"x\"], 0, 1, 1]"), "member result: a cost must be a number"},
    {RECORD("a", "[]", "[]", "[[-1], 0, 1, 1]"), "member result: a cost must be a number"},
    {"{\"input\": [\"a\", \"b\", []], \"config\": {\"entity\": []}, \"result\": [[1], 0, 1, 1], \"vta\": {}}",
     "member vta: must have workload and machine"},
    {"{\"input\": [\"a\", \"b\", []], \"config\": {\"entity\": []}, \"result\": [[1], 0, 1, 1], \"vta\": "
     "{\"workload\": \"x\", \"machine\": \"y\", \"cycles\": 0}}",
     "member vta: cycles of 0 without an error"},
};

/* The good lines around a bad one stay. */
TEST_CASE(test_wrong) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[4096];
        vta_diag *diag = vta_diag_create(NULL);
        snprintf(text, sizeof text, "%s\n%s\n%s", GOOD, wrong[i].line, GOOD);
        vtac_tune_log *log = parse(text, diag);
        const char *said = vta_diag_text(diag);
        if (vtac_tune_log_count(log) != 2 || vtac_tune_log_refused(log) != 1 || !strstr(said, wrong[i].says) ||
            !strstr(said, "old.log:3:") || !strstr(said, "the line is left out"))
            fail_msg("%s: %s", wrong[i].line, said);
        vtac_tune_log_destroy(log);
        vta_diag_destroy(diag);
    }
}

TEST_CASE(test_many_wrong) {
    char text[400];
    vta_diag *diag = vta_diag_create(NULL);
    for (int i = 0; i < 100; i++) memcpy(text + 4 * i, "no\r\n", 4);
    vtac_tune_log *log;
    assert_int_equal(vtac_tune_log_parse(text, sizeof text, NULL, NULL, diag, &log), VTA_OK);
    assert_int_equal(vtac_tune_log_refused(log), 100);
    assert_int_equal(vta_diag_count(diag), 21);
    assert_non_null(strstr(vta_diag_text(diag), "80 more lines are not records"));
    vtac_tune_log_destroy(log);
    vta_diag_destroy(diag);
}

TEST_CASE(test_files) {
    vtac_tune_log *log;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vtac_tune_log_load("/no/such.log", NULL, diag, &log), VTA_NOT_FOUND);
    assert_null(log);
    assert_non_null(strstr(vta_diag_text(diag), "/no/such.log"));
    assert_int_equal(vtac_tune_log_load(NULL, NULL, diag, &log), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_tune_log_parse(NULL, 3, NULL, NULL, diag, &log), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_tune_log_parse("", 0, NULL, NULL, diag, &log), VTA_OK);
    char *best;
    assert_int_equal(vtac_tune_log_best(log, diag, &best), VTA_OK);
    assert_string_equal(best, "");
    vta_string_free(best);
    vtac_tune_log_destroy(log);
    vtac_tune_log_destroy(NULL);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
