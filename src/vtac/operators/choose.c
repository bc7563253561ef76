/* Choosing the schedule of an operator: from the database, and among the best candidates by estimate. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/versioned.h"
#include "operators/database.h"
#include "operators/knobs.h"

void vt__op_forget(vtac_op *op) {
    vtac_module_destroy(op->module);
    vta_program_destroy(op->recording.program);
    vtac_kernel_destroy(op->kernel);
    vt_strfree(op->allocator, op->text);
    vt_strfree(op->allocator, op->report);
    op->module = NULL;
    op->recording = (vt_op_recording){.program = NULL};
    op->kernel = NULL;
    op->text = op->report = NULL;
}

/* The best by estimate that are timed, and as many in reserve should the compiler refuse all of them. */
enum { TRIES = 3, MAX_TRIES = 32, RESERVE = 8 };

static double now_ms(void) { return 1e3 * vt_now(); }

typedef struct choice {
    vtac_op *op;
    const vta_timing_profile *profile;
    uint32_t tries, n;
    bool given_tries, without_database, without_code;
    const char *database;
    uint64_t recorded; /* cycles of the database's schedule */
    vt_op_blocks candidates[MAX_TRIES + RESERVE], best;
    vt_op_trial trial; /* of the best so far */
    vtac_op_result result;
    char why[256]; /* the TARGET has not what a schedule takes; "": none was refused for that */
} choice;

/* From where the message names the target. */
static void keep_reason(choice *c, const char *text) {
    const char *at = strstr(text, "TARGET ");
    snprintf(c->why, sizeof c->why, "%.*s", (int)strcspn(at ? at : text, "\n"), at ? at : text);
}

/* What the compiler refuses is counted, and reported when nothing is left. */
static vta_status try_one(choice *c, const vt_op_blocks *b, vta_diag *diag) {
    vt_op_trial t;
    vta_diag *said = vta_diag_create(c->op->allocator);
    if (!said) return vt_no_memory(diag);
    vta_status status = vt__trial_make(c->op, b, c->profile, said, &t);
    if (status == VTA_OK && (!c->result.timed || t.cycles < c->trial.cycles)) {
        vt__trial_free(c->op, &c->trial);
        c->trial = t;
        c->best = *b;
    } else {
        vt__trial_free(c->op, &t);
    }
    c->result.timed += status == VTA_OK;
    c->result.refused += status != VTA_OK;
    if (status == VTA_UNSUPPORTED)
        keep_reason(c, vt_diag_reason(said));
    else if (status != VTA_OK && status != VTA_NO_MEMORY)
        vta_diag_add(diag, VTA_WARNING, status, vt_diag_reason(said));
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? vt_no_memory(diag) : VTA_OK;
}

/* Within 1.25 % of the bound: no others are tried unless a number of tries is asked for. */
static bool is_near(const choice *c) {
    uint64_t bound = vt_op_bound(c->op, c->profile);
    return !c->given_tries && c->result.timed && c->trial.cycles <= bound + bound / 80;
}

/* Estimates of tiles that take turns are within a percent: what should take longer than the best so far is not tried
 * unless a number of tries is asked for. */
static bool is_hopeless(const choice *c, const vt_op_blocks *b) {
    return !c->given_tries && b->turns && c->result.timed && b->estimate >= (double)c->trial.cycles;
}

static vta_status try_candidates(choice *c, vta_diag *diag) {
    const vt_op_space *space = c->op->is->space;
    uint32_t timed = c->result.timed, passed = 0;
    c->n = space->candidates(c->op, c->profile, c->tries + RESERVE, c->candidates, &c->result.considered);
    if (!c->n && !timed) return space->nothing_fits(c->op, diag);
    for (uint32_t i = 0; i < c->n && c->result.timed + passed < timed + c->tries && !is_near(c); i++)
        if (is_hopeless(c, &c->candidates[i]))
            passed++;
        else
            VT_TRY(try_one(c, &c->candidates[i], diag));
    if (!c->result.timed && *c->why) return vt_fail(diag, VTA_UNSUPPORTED, "%s: %s", c->op->is->name, c->why);
    if (!c->result.timed)
        return vt_fail(diag, VTA_INTERNAL, "%s: the compiler refused all %u schedules that were tried", c->op->is->name,
                       (unsigned)c->n);
    return VTA_OK;
}

/* A tuned schedule that takes no longer than its record says needs no others beside it. */
static vta_status try_database(choice *c, vta_diag *diag, bool *out_done) {
    vt_op_blocks b;
    uint64_t recorded;
    bool found = false;
    *out_done = false;
    if (!c->without_database) VT_TRY(vt_op_database_find(c->database, c->op, c->profile, diag, &b, &recorded, &found));
    if (!found) return VTA_OK;
    VT_TRY(try_one(c, &b, diag));
    c->recorded = c->trial.cycles;
    *out_done = c->result.timed && c->trial.cycles <= recorded;
    return VTA_OK;
}

static void summarize(choice *c, double start) {
    c->result.macs = c->op->shape.macs;
    c->result.bound = vt_op_bound(c->op, c->profile);
    c->result.cycles = c->trial.cycles;
    c->result.compile_ms = c->trial.ms;
    c->result.schedule_ms = now_ms() - start - c->trial.ms;
}

static vta_status choose(choice *c, vta_diag *diag) {
    double start = now_ms();
    bool done;
    VT_TRY(try_database(c, diag, &done));
    uint32_t known = c->result.timed;
    if (!done) VT_TRY(try_candidates(c, diag));
    VT_TRY(vt__trial_compile(c->op, &c->trial, c->without_code, diag));
    if (known && c->trial.cycles == c->recorded) c->result.origin = VTAC_OP_FROM_DATABASE;
    summarize(c, start);
    return VTA_OK;
}

static vta_status keep(choice *c, vta_diag *diag) {
    vtac_op *op = c->op;
    vt__op_forget(op);
    op->text = c->trial.text;
    op->kernel = c->trial.kernel;
    op->module = c->trial.module;
    op->recording = c->trial.recording;
    op->report = op->is->space->report(op, c->profile, &c->best, &c->result);
    vta_status status = op->report ? VTA_OK : vt_no_memory(diag);
    if (status == VTA_OK && op->names) status = vt__op_names_check(op->names, op->is->name, op->kernel, diag);
    if (status != VTA_OK) vt__op_forget(op);
    return status;
}

vta_status vtac_op_schedule(vtac_op *op, const vtac_op_options *given_options, vta_diag *diag,
                            vtac_op_result *out_result) {
    vtac_op_options options;
    vta_timing_profile profile;
    if (!op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "op is NULL");
    VT_TRY(vt_options_read(&options, sizeof options, given_options, "vtac_op_options", diag));
    if (options.tries > MAX_TRIES)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "tries is %u: at most %d", (unsigned)options.tries, MAX_TRIES);
    if (options.profile)
        profile = *options.profile;
    else
        VT_TRY(vta_timing_profile_for(op->config, diag, &profile));
    choice c = {.op = op,
                .profile = &profile,
                .tries = options.tries ? options.tries : TRIES,
                .given_tries = options.tries > 0,
                .without_database = options.without_database,
                .without_code = options.without_code,
                .database = options.database};
    vta_status status = choose(&c, diag);
    if (status != VTA_OK) {
        vt__trial_free(op, &c.trial);
        return status;
    }
    VT_TRY(keep(&c, diag));
    if (out_result) vt_result_write(out_result, &c.result, sizeof c.result);
    return VTA_OK;
}

vta_status vt_op_take(vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                      vtac_op_result *result) {
    double start = now_ms();
    choice c = {.op = op, .profile = profile, .best = *b, .result = *result};
    vta_status status = vt__trial_make(op, b, profile, diag, &c.trial);
    if (status == VTA_OK) status = vt__trial_compile(op, &c.trial, false, diag);
    if (status != VTA_OK) {
        vt__trial_free(op, &c.trial);
        return status;
    }
    c.result.origin = VTAC_OP_TUNED;
    summarize(&c, start);
    *result = c.result;
    return keep(&c, diag);
}
