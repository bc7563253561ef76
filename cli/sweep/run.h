/* The points of a sweep being computed: by threads of this process, and by other processes that take part. */
#ifndef CLI_SWEEP_RUN_H
#define CLI_SWEEP_RUN_H

#include <pthread.h>

#include "search.h"
#include "sweep.h"
#include "transport.h"

enum { MAX_SUBJECTS = 64 };

/* A point is a machine and a subject: machine * subject_count + subject. Functions return the status of the sweep, not
 * of a machine that cannot be: why it cannot is its result. */
typedef struct sweep_run {
    sweep_setup setup;
    sweep_space space;
    sweep_shard shard;
    sweep_subject subjects[MAX_SUBJECTS];
    size_t subject_count;
    uint64_t jobs; /* threads; 0: as many as cores */
    bool no_times;
    sweep_file file;
    bool is_kept; /* results go to the file; else to the list */
    result_list results;
    sweep_search *search;              /* chooses the machines; NULL: all of the space */
    uint64_t total, end, next;         /* points in all; those up to `end` are handed out now, from `next` on */
    uint64_t finished, found, refused; /* found: were in the file */
    uint64_t *others;                  /* points that another process was at */
    size_t other_count, other_capacity;
    vta_status status;
    pthread_mutex_t lock; /* of what changes while points are computed */
    /* Of several processes, rank 0 hands out the points and keeps the results; NULL: this is the only one. */
    const sweep_transport *transport;
} sweep_run;

/* A rank other than 0. */
bool sweep_run_is_helper(const sweep_run *s);
/* Computes all points of this process's share that are not in the file. */
vta_status sweep_run_all(sweep_run *s);
/* With a transport. Rank 0: hands out the points, and computes some. */
vta_status sweep_run_coordinate(sweep_run *s);
/* The other ranks: computes what rank 0 says. `status`: of what was opened here; rank 0 is told. */
vta_status sweep_run_help(sweep_run *s, vta_status status);

/* Whether there are points to hand out: of the next generation of a search, or all, once. No thread computes. */
bool sweep_run_more(sweep_run *s);
/* For these. Ends the sweep with what `diag` (unless it is NULL) says; the first one to do so counts. */
void sweep_run_stop(sweep_run *s, vta_status status, vta_diag *diag);
/* The next point that nobody has taken yet. */
bool sweep_run_take(sweep_run *s, uint64_t *out_point);
/* Claims a point's key; *out_mine: this process is to compute it. Another process's point is noted: it is waited for,
 * or computed here after all, at the end. */
vta_status sweep_run_claim(sweep_run *s, uint64_t point, const char *key, bool wait, bool *out_mine);
/* Computes a point, unless it is there or another process is at it (`wait`: until that one has ended). */
vta_status sweep_run_point(sweep_run *s, uint64_t point, bool wait, vta_diag *diag);
/* Computes points until there are no more: a thread's function. `run`: a sweep_run. */
void *sweep_run_work(void *run);
/* Those that other processes were at. */
void sweep_run_others(sweep_run *s);
/* What came of a point: to the file, or to the list, or to rank 0. */
vta_status sweep_run_keep(sweep_run *s, result *r);
/* To rank 0: a result, which asks for the next point as well. */
vta_status sweep_run_send(const sweep_run *s, const result *r);

#endif
