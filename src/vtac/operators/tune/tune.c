/* The tuner as its callers see it, and the log of a search. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/versioned.h"
#include "operators/tune/search.h"

enum { TRIALS = 256, MAX_TRIALS = 1 << 20, TRIAL_SECONDS = 60 };

/* ---- The log ----------------------------------------------------------------------------------------------------- */

/* A schedule that was tried on this machine. Trials that were lost with their process are tried again. */
static vta_status know_line(vt_tune_search *s, const vtac_tune_log *log, const vt_tune_line *line, vta_diag *said) {
    vt_tune_trial t = {.done = true, .cycles = line->record.cycles, .error = (vt_tune_error)line->record.error};
    vt_tune_fit fit;
    if (t.error == VT_TUNE_TIMEOUT || t.error == VT_TUNE_DIED) return VTA_OK;
    vta_diag_clear(said);
    if (vt__tune_line_use(log, line, s->op, s->profile, said, &t.blocks, &fit) == VTA_NO_MEMORY)
        return vt_no_memory(s->diag);
    if (fit != VT_TUNE_SAME) return VTA_OK;
    VT_TRY(vt__tune_hash(s->op, &t.blocks, s->diag, &t.hash));
    if (!vt_reserve(s->op->allocator, &s->known, &s->known_cap, s->n_known + 1, sizeof *s->known))
        return vt_no_memory(s->diag);
    s->known[s->n_known++] = t;
    return VTA_OK;
}

static vta_status know_log(vt_tune_search *s) {
    vtac_tune_log *log = NULL;
    vta_diag *said = vta_diag_create(s->op->allocator);
    vta_status status = said ? vtac_tune_log_load(s->options->log, s->op->allocator, s->diag, &log) : VTA_NO_MEMORY;
    for (size_t i = 0; status == VTA_OK && i < log->count; i++) status = know_line(s, log, &log->lines[i], said);
    vtac_tune_log_destroy(log);
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? vt_no_memory(s->diag) : status;
}

/* A line that a kill cut short must not be continued by the next one. */
static void end_last_line(FILE *log) {
    if (fseek(log, -1, SEEK_END) != 0) return; /* empty */
    int last = fgetc(log);
    fseek(log, 0, SEEK_END);
    if (last != '\n' && last != EOF) fputc('\n', log);
}

vta_status vt__search_open_log(vt_tune_search *s) {
    const char *path = s->options->log;
    if (!path) return s->options->resume ? vt_fail(s->diag, VTA_INVALID_ARGUMENT, "resume: there is no log") : VTA_OK;
    s->log = fopen(path, "a+");
    if (!s->log) return vt_fail(s->diag, VTA_IO, "%s: cannot be written: %s", path, strerror(errno));
    end_last_line(s->log);
    return s->options->resume ? know_log(s) : VTA_OK;
}

vta_status vt__search_log_round(vt_tune_search *s) {
    vt_strbuf lines;
    if (!s->log) return VTA_OK;
    vt_strbuf_init(&lines, s->op->allocator);
    for (size_t i = s->done; i < s->count; i++)
        if (s->all[i].done && !s->all[i].reused) vt__tune_record_write(s->op, s->profile, &s->all[i], i, &lines);
    bool written = fwrite(vt_strbuf_text(&lines), 1, lines.size, s->log) == lines.size && fflush(s->log) == 0;
    bool failed = lines.failed;
    vt_strbuf_free(&lines);
    if (failed) return vt_no_memory(s->diag);
    if (written) return VTA_OK;
    return vt_fail(s->diag, VTA_IO, "%s: cannot be written: %s", s->options->log, strerror(errno));
}

/* ---- A search ---------------------------------------------------------------------------------------------------- */

static vta_status check_options(const vtac_tune_options *o, vta_diag *diag) {
    if (o->trials > MAX_TRIALS)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "trials is %u: at most %d", (unsigned)o->trials, MAX_TRIALS);
    if (o->jobs > VT_TUNE_MAX_JOBS)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "jobs is %u: at most %d", (unsigned)o->jobs, VT_TUNE_MAX_JOBS);
    if (!(o->seconds >= 0) || !(o->trial_seconds >= 0))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s must not be negative",
                       o->seconds >= 0 ? "trial_seconds" : "seconds");
    return VTA_OK;
}

static vta_status take_best(vt_tune_search *s) {
    if (!s->n_parents && s->result.interrupted)
        return vt_fail(s->diag, VTA_INTERRUPTED, "%s: interrupted before the first trial was done", s->op->is->name);
    if (!s->n_parents)
        return vt_fail(s->diag, VTA_NOT_FOUND, "%s: none of %u schedules that were tried could be timed; the last: %s",
                       s->op->is->name, (unsigned)s->result.trials, s->count ? s->all[s->count - 1].message : "none");
    s->result.op.considered = s->considered;
    s->result.op.timed = s->result.trials - s->result.failed;
    return vt_op_take(s->op, &s->all[s->parents[0]].blocks, s->profile, s->diag, &s->result.op);
}

static vta_status search(vt_tune_search *s) {
    VT_TRY(vt__search_begin(s));
    VT_TRY(vt__search_open_log(s));
    VT_TRY(vt__search_run(s));
    return take_best(s);
}

static void end(vt_tune_search *s) {
    vt__tune_pool_end(&s->pool);
    if (s->log) fclose(s->log);
    vt_free(s->op->allocator, s->all, s->cap * sizeof *s->all);
    vt_free(s->op->allocator, s->known, s->known_cap * sizeof *s->known);
}

static vta_status tune(vtac_op *op, const vtac_tune_options *options, const vta_timing_profile *profile, vta_diag *diag,
                       vtac_tune_result *out_result) {
    vt_tune_search *s = vt_alloc_zero(op->allocator, sizeof *s);
    if (!s) return vt_no_memory(diag);
    s->op = op;
    s->profile = profile;
    s->options = options;
    s->diag = diag;
    s->random.state = options->seed;
    s->trials = options->trials ? options->trials : TRIALS;
    s->pool = (vt_tune_pool){.op = op, .profile = profile, .jobs = options->jobs};
    s->pool.trial_seconds = options->trial_seconds > 0 ? options->trial_seconds : TRIAL_SECONDS;
    s->begin = vt_now();
    vta_status status = search(s);
    s->result.seconds = vt_now() - s->begin;
    end(s);
    if (status == VTA_OK && out_result) vt_result_write(out_result, &s->result, sizeof s->result);
    vt_free(op->allocator, s, sizeof *s);
    return status;
}

vta_status vtac_tune(vtac_op *op, const vtac_tune_options *given, vta_diag *diag, vtac_tune_result *out_result) {
    vtac_tune_options options;
    vta_timing_profile profile;
    if (!op) return vt_fail(diag, VTA_INVALID_ARGUMENT, "op is NULL");
    VT_TRY(vt_options_read(&options, sizeof options, given, "vtac_tune_options", diag));
    VT_TRY(check_options(&options, diag));
    if (options.profile)
        profile = *options.profile;
    else
        VT_TRY(vta_timing_profile_for(op->config, diag, &profile));
    return tune(op, &options, &profile, diag, out_result);
}
