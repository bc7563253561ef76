/* The database of tuned schedules: what it is good for, that it is up to date, and what comes of records that are not.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "operators/database.h"
#include "operators/tune/tune.h"

static const struct {
    int size, in, out, kernel, stride, pad, weight;
} layers[] = {
    {56, 64, 64, 3, 1, 1, 4},   {56, 64, 128, 3, 2, 1, 1},  {56, 64, 128, 1, 2, 0, 1},  {28, 128, 128, 3, 1, 1, 3},
    {28, 128, 256, 3, 2, 1, 1}, {28, 128, 256, 1, 2, 0, 1}, {14, 256, 256, 3, 1, 1, 3}, {14, 256, 512, 3, 2, 1, 1},
    {14, 256, 512, 1, 2, 0, 1}, {7, 512, 512, 3, 1, 1, 3},
};

static vtac_op *make(const char *name, const char *text) {
    vtac_op *op;
    vta_diag *diag = vta_diag_create(NULL);
    if (vtac_op_create(name, text, NULL, NULL, diag, &op) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return op;
}

static vtac_op_result schedule_for(const char *name, vtac_op *op, const char *database, bool without, vta_diag *diag) {
    vta_timing_profile profile;
    vtac_op_result r = {0};
    assert_int_equal(vta_timing_profile_get(name, NULL, &profile), VTA_OK);
    vtac_op_options options = {.profile = &profile, .database = database, .without_database = without};
    if (vtac_op_schedule(op, &options, diag, &r) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    return r;
}

static vtac_op_result schedule(vtac_op *op, const char *database, bool without, vta_diag *diag) {
    return schedule_for("chisel", op, database, without, diag);
}

/* ResNet-18's convolutions but the first, weighted as the network runs them: each 3 x 3 within 2 % of its bound and
 * each 1 x 1 within 4 %. */
static void check_resnet18(const char *profile, uint64_t most) {
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "height=%d width=%d in_channels=%d out_channels=%d kernel=%d stride=%d pad=%d "
                 "epilogue=shift,relu,clip",
                 layers[i].size, layers[i].size, layers[i].in, layers[i].out, layers[i].kernel, layers[i].stride,
                 layers[i].pad);
        vtac_op *op = make("conv2d", text);
        vtac_op_result r = schedule_for(profile, op, NULL, false, NULL);
        double above = (double)r.cycles / (double)r.bound - 1;
        if (r.origin != VTAC_OP_FROM_DATABASE || r.timed != 1 || r.refused ||
            above > (layers[i].kernel > 1 ? 0.02 : 0.04))
            fail_msg("%s: %d cycles, bound %d, %s", text, (int)r.cycles, (int)r.bound, vtac_op_report(op));
        assert_non_null(strstr(vtac_op_report(op), "The schedule is from the database of tuned ones."));
        sum += r.cycles * (uint64_t)layers[i].weight;
        vtac_op_destroy(op);
    }
    if (sum > most) fail_msg("%s: %llu cycles", profile, (unsigned long long)sum);
}

TEST_CASE(test_resnet18) {
    check_resnet18("chisel", 6600000);
    check_resnet18("rtl", 6550000); /* tests/rtl/layers.py runs them on the hardware */
}

/* Every record is of one operator that there is, and its schedule is one that may be tried. */
TEST_CASE(test_records) {
    vtac_tune_log *log;
    char *best;
    vta_config *config = vta_config_default();
    assert_int_equal(
        vtac_tune_log_parse(vt_schedules_jsonl, strlen(vt_schedules_jsonl), "schedules.jsonl", NULL, NULL, &log),
        VTA_OK);
    assert_int_equal(vtac_tune_log_refused(log), 0);
    assert_true(vtac_tune_log_count(log) >= 10);
    for (size_t i = 0; i < vtac_tune_log_count(log); i++) {
        vt_tune_line *line = &log->lines[i];
        vtac_op *op;
        char why[256];
        vta_diag *diag = vta_diag_create(NULL);
        if (strstr(line->record.task, ".vta") &&
            !strncmp(line->record.machine, "1x16_", 5)) { /* else a task of ours alone */
            if (vt__tune_task_read(line, (vt_pos){"schedules.jsonl", line->record.line, 0}, config, NULL, diag, &op) !=
                VTA_OK)
                fail_msg("%s", vta_diag_text(diag));
            const char *not = vtac_tune_log_why_not(log, i, op, why, sizeof why);
            if (not) fail_msg("line %u: %s", (unsigned)line->record.line, not);
            vtac_op_destroy(op);
        }
        vta_diag_destroy(diag);
    }
    /* One for each workload and machine, in their order. */
    assert_int_equal(vtac_tune_log_best(log, NULL, &best), VTA_OK);
    assert_string_equal(best, vt_schedules_jsonl);
    vta_string_free(best);
    vtac_tune_log_destroy(log);
    vta_config_release(config);
}

/* ---- Databases that are not right -------------------------------------------------------------------------------- */

static const char conv[] = "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=shift,relu";

/* A database of one record, the operator's own, with `from` replaced by `to`. */
static char *database_with(const char *from, const char *to) {
    char path[] = "/tmp/vta_database_XXXXXX", *text, *out = calloc(1, 8192);
    vtac_tune_log *log;
    vtac_op *op = make("conv2d", conv);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(vtac_tune(op, &(vtac_tune_options){.trials = 12, .log = path}, NULL, NULL), VTA_OK);
    assert_int_equal(vtac_tune_log_load(path, NULL, NULL, &log), VTA_OK);
    assert_int_equal(vtac_tune_log_best(log, NULL, &text), VTA_OK);
    remove(path);
    const char *at = from ? strstr(text, from) : text;
    if (!at) fail_msg("no %s in %s", from, text);
    snprintf(out, 8192, "%.*s%s%s", (int)(at - text), text, from ? to : "", from ? at + strlen(from) : text);
    vta_string_free(text);
    vtac_tune_log_destroy(log);
    vtac_op_destroy(op);
    return out;
}

TEST_CASE(test_own) {
    char *database = database_with(NULL, NULL);
    vtac_op *op = make("conv2d", conv), *plain = make("conv2d", conv);
    vtac_op_result r = schedule(op, database, false, NULL), p = schedule(plain, database, true, NULL);
    assert_int_equal(r.origin, VTAC_OP_FROM_DATABASE);
    assert_int_equal(p.origin, VTAC_OP_ESTIMATED);
    assert_true(r.timed == 1 && r.cycles <= p.cycles);
    /* Another epilogue, another shape, another machine: it is not for them. */
    static const char *const others[] = {
        "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=bias,shift,relu",
        "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1 stride=2 epilogue=shift,relu",
        "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=shift,relu narrow=wrap",
        "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1 epilogue=shift,relu,clip",
    };
    for (size_t i = 0; i < 4; i++) {
        vtac_op *other = make("conv2d", others[i]);
        r = schedule(other, database, false, NULL);
        /* A relu that saturates is a relu and a clip: two passes. One that wraps is one. */
        assert_int_equal(r.origin, i == 3 ? VTAC_OP_FROM_DATABASE : VTAC_OP_ESTIMATED);
        vtac_op_destroy(other);
    }
    vta_timing_profile wide;
    assert_int_equal(vta_timing_profile_get("chisel", NULL, &wide), VTA_OK);
    wide.bus_bits = 128;
    assert_int_equal(vtac_op_schedule(op, &(vtac_op_options){.profile = &wide, .database = database}, NULL, &r),
                     VTA_OK);
    assert_int_equal(r.origin, VTAC_OP_ESTIMATED);
    vtac_op_destroy(op);
    vtac_op_destroy(plain);
    free(database);
}

static const struct {
    const char *from, *to, *says;
} faults[] = {
    {"\"entity\": [[\"parts_co\", \"ot\", [", "\"entity\": [[\"parts_co\", \"ot\", [90, ",
     "its parts are not those of the operator's axes"},
    {"\"entity\": [[\"parts_co\"", "\"entity\": [[\"parts_xx\"", "knob parts_xx: schedules of this operator have none"},
    {"\"cycles\": ", "\"cycle\": ", "no cycles"},
    {"{\"input\"", "{\"input", "ignored"},
};

/* Ignored with a word; the kernel is the one without a database. */
TEST_CASE(test_faults) {
    vtac_op *plain = make("conv2d", conv);
    vtac_op_result p = schedule(plain, NULL, true, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char *database = database_with(faults[i].from, faults[i].to);
        vta_diag *diag = vta_diag_create(NULL);
        vtac_op *op = make("conv2d", conv);
        vtac_op_result r = schedule(op, database, false, diag);
        if (!strstr(vta_diag_text(diag), faults[i].says) || !strstr(vta_diag_text(diag), "is ignored"))
            fail_msg("%s: %s", faults[i].to, vta_diag_text(diag));
        assert_int_equal(r.cycles, p.cycles);
        assert_int_equal(r.origin, VTAC_OP_ESTIMATED);
        assert_string_equal(vtac_op_text(op), vtac_op_text(plain));
        vtac_op_destroy(op);
        vta_diag_destroy(diag);
        free(database);
    }
    vtac_op_destroy(plain);
}

/* A record that promises more than its schedule holds: the candidates are tried beside it. */
TEST_CASE(test_slower) {
    char *database = database_with("\"cycles\": ", "\"cycles\": 1, \"were\": ");
    vtac_op *op = make("conv2d", conv), *plain = make("conv2d", conv);
    vtac_op_result r = schedule(op, database, false, NULL), p = schedule(plain, database, true, NULL);
    assert_true(r.timed > 1 && r.cycles <= p.cycles && r.considered > 0);
    vtac_op_destroy(op);
    vtac_op_destroy(plain);
    free(database);
}

int main(void) { return run_cases(); }
