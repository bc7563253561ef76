/* The tuner (docs/tuning.md): searches the schedules of an operator further than vtac_op_schedule does, each trial
 * compiled and timed by the timing model; and its logs, JSON lines with the fields of AutoTVM's records.
 *
 *     vtac_tune_options options = {.trials = 400, .jobs = 2, .log = "conv.log", .resume = true};
 *     vtac_tune(op, &options, diag, &result);             // the operator has the best schedule now
 *
 *     vtac_tune_log_load("conv.log", NULL, diag, &log);   // later
 *     vtac_tune_log_apply(log, op, NULL, diag, NULL);     // the best schedule of that log
 *
 * One thread at a time may use an operator or a log; different ones are independent. */
#ifndef VTA_TUNE_H
#define VTA_TUNE_H

#include "vta/ops.h"

VTA_BEGIN

/* ---- Logs ------------------------------------------------------------------------------------------------------- */

typedef struct vtac_tune_log vtac_tune_log;

/* Reads records, a line each: those of vtac_tune, and of AutoTVM for VTA. A line that is not one is left out, with a
 * warning that names file, line and what is wrong with it. VTA_NOT_FOUND, VTA_IO: the file cannot be read. Free with
 * vtac_tune_log_destroy. */
VTA_API vta_status vtac_tune_log_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                      vtac_tune_log **out_log);
/* The same from memory; `name` is what messages call it. */
VTA_API vta_status vtac_tune_log_parse(const char *text, size_t size, const char *name, const vta_allocator *allocator,
                                       vta_diag *diag, vtac_tune_log **out_log);
VTA_API void vtac_tune_log_destroy(vtac_tune_log *log);
VTA_API size_t vtac_tune_log_count(const vtac_tune_log *log);
/* Lines that were left out. */
VTA_API size_t vtac_tune_log_refused(const vtac_tune_log *log);

/* One record. Texts belong to the log. */
typedef struct vtac_tune_record {
    size_t size;          /* of this struct, or 0 */
    uint32_t line;        /* in its file, from 1 */
    const char *target;   /* "ext_dev -keys=vta,cpu -device=vta -model=sim_1x16_i8w8a32_15_15_18_17" */
    const char *task;     /* "conv2d_packed.vta" */
    const char *workload; /* the operator, as vtac_tune wrote it; NULL in records of AutoTVM */
    const char *machine;  /* the same of configuration and timing profile */
    const char *message;  /* of a trial that failed; else NULL */
    uint64_t cycles;      /* as vtac_tune wrote them; 0: failed, or AutoTVM's */
    double seconds;       /* the mean of the costs; infinite where the trial failed */
    double all_seconds;   /* of compiling and measuring */
    double timestamp;     /* seconds since 1970 */
    uint32_t error;       /* 0: none; else AutoTVM's number */
    uint64_t index;
} vtac_tune_record;

/* VTA_OUT_OF_RANGE past the last. */
VTA_API vta_status vtac_tune_log_get(const vtac_tune_log *log, size_t index, vtac_tune_record *out_record);

/* What of record `index` cannot be used for the operator, in words, or NULL when it can: another operator, another
 * shape or another tile; knobs that its schedules do not have; a schedule that does not fit. `buffer` is for the words.
 */
VTA_API const char *vtac_tune_log_why_not(const vtac_tune_log *log, size_t index, const vtac_op *op, char *buffer,
                                          size_t buffer_size);

/* Gives the operator the best schedule that the log has for it: of records of this very workload and machine the one
 * with the fewest cycles; else the best one of AutoTVM's for this shape, or of another epilogue, that fits.
 * VTA_NOT_FOUND: there is none. `profile` NULL: the configuration's. */
VTA_API vta_status vtac_tune_log_apply(const vtac_tune_log *log, vtac_op *op, const vta_timing_profile *profile,
                                       vta_diag *diag, vtac_op_result *out_result);

/* The best record of each workload on each machine, a line each, sorted: a database as data/schedules.jsonl is. Free
 * with vta_string_free. */
VTA_API vta_status vtac_tune_log_best(const vtac_tune_log *log, vta_diag *diag, char **out_text);

/* ---- Searching -------------------------------------------------------------------------------------------------- */

typedef struct vtac_tune_progress {
    size_t size;            /* of this struct, as the library has it */
    uint32_t trial, trials; /* done, and how many there will be at most */
    uint32_t failed;        /* of those done */
    uint64_t cycles, best;  /* of the last trial, of the best so far; 0: none yet */
    uint64_t bound;         /* that no schedule can beat */
    double seconds;         /* since the beginning */
} vtac_tune_progress;

typedef struct vtac_tune_options {
    size_t size;                       /* of this struct, or 0 */
    const vta_timing_profile *profile; /* NULL: the configuration's own */
    uint32_t trials;                   /* at most; 0: 256 */
    uint32_t jobs;                     /* processes that try schedules, up to 16; 0: none but the caller's */
    uint32_t early_stop;               /* ends after so many trials without a better one; 0: never */
    double seconds;                    /* ends after that time; 0: never */
    double trial_seconds;              /* a process that takes longer for a trial is ended; 0: 60 */
    uint64_t seed;
    const char *log;            /* a file that each trial is appended to; NULL: none */
    bool resume;                /* what is in that file already is not tried again but counts as tried */
    const vtac_tune_log *start; /* schedules that are tried first; NULL: none */
    bool without_database;      /* do not begin with what the library's database has */
    /* Called now and then, at least after each trial, when not NULL; true ends the search. */
    bool (*progress)(void *user, const vtac_tune_progress *progress);
    void *user;
} vtac_tune_options;

typedef struct vtac_tune_result {
    size_t size;       /* of this struct, or 0 */
    vtac_op_result op; /* of the best schedule; its own size is not looked at */
    uint64_t untuned;  /* cycles of what vtac_op_schedule chooses without a database */
    uint32_t trials, failed;
    uint32_t reused;  /* of the trials: known from the log */
    bool interrupted; /* progress ended it */
    double seconds;
} vtac_tune_result;

/* Searches. Trials, and so the result, are the same for the same operator, configuration, profile, seed and number of
 * trials, whatever `jobs` is, also when a log is resumed; a limit of time, and processes that die, are the exception.
 * Where the search is ended early, the best so far is taken. Workers are forked from the caller's process and run in it
 * nothing but compiler and timing model; one that dies loses its trial. VTA_UNSUPPORTED: no schedule fits, or there is
 * nothing to choose; VTA_IO: the log cannot be written. `options` may be NULL. */
VTA_API vta_status vtac_tune(vtac_op *op, const vtac_tune_options *options, vta_diag *diag,
                             vtac_tune_result *out_result);

VTA_END

#endif
