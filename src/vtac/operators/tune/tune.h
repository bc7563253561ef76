/* The tuner's parts. */
#ifndef VT_TUNE_TUNE_H
#define VT_TUNE_TUNE_H

#include "operators/knobs.h"
#include "vta/tune.h"

/* ---- Trials (trial.c) -------------------------------------------------------------------------------------------- */

/* The numbers of AutoTVM's MeasureErrorNo. */
typedef enum vt_tune_error {
    VT_TUNE_FINE = 0,
    VT_TUNE_REFUSED = 2, /* by the compiler */
    VT_TUNE_TIMEOUT = 7,
    VT_TUNE_DIED = 8
} vt_tune_error;

typedef struct vt_tune_trial {
    vt_op_blocks blocks;
    uint64_t hash;   /* of its knobs */
    uint64_t cycles; /* 0: failed, or not done */
    vt_tune_error error;
    bool done, reused;
    double seconds;
    char message[240];
} vt_tune_trial;

/* Compiles and times one here. VTA_NO_MEMORY is the only failure. */
vta_status vt__tune_try(const vtac_op *op, const vta_timing_profile *profile, const vta_allocator *allocator,
                        vt_tune_trial *t);
/* The knobs as text: free with vt_strfree; NULL when out of memory. And its hash. */
char *vt__tune_knobs(const vtac_op *op, const vt_op_blocks *b);
vta_status vt__tune_hash(const vtac_op *op, const vt_op_blocks *b, vta_diag *diag, uint64_t *out_hash);

/* ---- Processes (workers.c) --------------------------------------------------------------------------------------- */

enum { VT_TUNE_MAX_JOBS = 16 };

typedef struct vt_tune_worker {
    int pid, to; /* a socket; below 0: there is no process */
    vt_tune_trial *trial;
    double began;
} vt_tune_worker;

typedef struct vt_tune_pool {
    const vtac_op *op;
    const vta_timing_profile *profile;
    uint32_t jobs;
    double trial_seconds;
    vt_tune_worker workers[VT_TUNE_MAX_JOBS];
    /* Asked between trials and several times a second; true: stop. */
    bool (*tick)(void *user, const vt_tune_trial *done);
    void *user;
} vt_tune_pool;

/* Does the trials that are not done. Stopped, some are left. */
vta_status vt__tune_run(vt_tune_pool *pool, vt_tune_trial *trials, uint32_t count, vta_diag *diag, bool *out_stopped);
void vt__tune_pool_end(vt_tune_pool *pool);

/* ---- Proposals (propose.c) --------------------------------------------------------------------------------------- */

typedef struct vt_tune_random {
    uint64_t state;
} vt_tune_random;

uint64_t vt__tune_random(vt_tune_random *r, uint64_t below);
/* Turns one knob, or a few. */
void vt__tune_change(const vtac_op *op, vt_tune_random *r, vt_op_blocks *b);
/* Takes some knobs from another schedule of the same sort. */
void vt__tune_cross(const vtac_op *op, vt_tune_random *r, const vt_op_blocks *other, vt_op_blocks *b);

/* ---- Records (record.c, workload.c, log.c) ----------------------------------------------------------------------- */

typedef struct vt_tune_line {
    json_t *root;
    vtac_tune_record record;
    const json_t *args, *entity;
} vt_tune_line;

struct vtac_tune_log {
    const vta_allocator *allocator;
    char *name;
    vt_tune_line *lines;
    size_t count, cap, refused;
};

vta_status vt__tune_record_read(const char *text, size_t size, vt_pos pos, vta_diag *diag, vt_tune_line *out);
void vt__tune_record_free(vt_tune_line *line);
/* A line with its end. */
void vt__tune_record_write(const vtac_op *op, const vta_timing_profile *profile, const vt_tune_trial *t, uint64_t index,
                           vt_strbuf *out);

/* Name and arguments of AutoTVM's task for an operator. */
void vt__tune_task_write(const vtac_op *op, vt_json *w);
/* The operator, without an epilogue, that a record of AutoTVM's is about. */
vta_status vt__tune_task_read(const vt_tune_line *line, vt_pos pos, const vta_config *config,
                              const vta_allocator *allocator, vta_diag *diag, vtac_op **out_op);

/* How near a record is to an operator: the same workload and machine, the same shape, or of no use. */
typedef enum vt_tune_fit { VT_TUNE_NO_FIT, VT_TUNE_SAME_SHAPE, VT_TUNE_SAME } vt_tune_fit;

/* The schedule of a record for an operator, admitted; VT_TUNE_NO_FIT: `diag` has why. */
vta_status vt__tune_line_use(const vtac_tune_log *log, const vt_tune_line *line, const vtac_op *op,
                             const vta_timing_profile *profile, vta_diag *diag, vt_op_blocks *out,
                             vt_tune_fit *out_fit);

#endif
