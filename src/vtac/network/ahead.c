/* Operators that layers to come ask for, scheduled by other threads. Choosing schedules is most of a network's compile,
 * and no operator's choice depends on another's: the artifact is the same, whichever thread was first. */
#include <pthread.h>
#include <sched.h>

#include "base/versioned.h"
#include "network/priv.h"

enum { MAX_THREADS = 2, /* each takes the memory of one operator's lowering */ FEWEST_JOBS = 2 };

typedef enum state { WAITS, RUNS, DONE, TAKEN } state;

typedef struct job {
    const vt_op_request *request;
    state state;
    vt__scheduled result;
} job;

struct vt__ahead {
    const vt__net *net;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
    uint32_t count, cap, thread_count;
    job *jobs;
    pthread_t threads[MAX_THREADS];
};

vt__scheduled vt__schedule_operator(const vt__net *n, const vt_op_request *r) {
    vt__scheduled made = {.diag = vta_diag_create(n->allocator)};
    vtac_op_options options = {.size = 0};
    made.status = vt_op_create(r, n->config, n->allocator, made.diag, &made.op);
    if (made.status == VTA_OK)
        made.status = vt_options_read(&options, sizeof options, n->options->schedule, "schedule", made.diag);
    options.without_code = !n->options->scheduled; /* instructions are recorded; who looks on may want to run it */
    if (made.status == VTA_OK) made.status = vtac_op_schedule(made.op, &options, made.diag, NULL);
    return made;
}

static job *next_job(vt__ahead *a) {
    for (uint32_t i = 0; i < a->count && !a->stop; i++)
        if (a->jobs[i].state == WAITS) return &a->jobs[i];
    return NULL;
}

static void *work(void *user) {
    vt__ahead *a = user;
    pthread_mutex_lock(&a->lock);
    for (job *j; (j = next_job(a)) != NULL;) {
        j->state = RUNS;
        pthread_mutex_unlock(&a->lock);
        vt__scheduled result = vt__schedule_operator(a->net, j->request);
        pthread_mutex_lock(&a->lock);
        j->result = result;
        j->state = DONE;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void add_job(void *user, const vt_op_request *r) {
    vt__ahead *a = user;
    for (uint32_t i = 0; i < a->count; i++)
        if (vt_op_request_equal(a->jobs[i].request, r)) return;
    vt_grow(a->net->ctx, &a->jobs, &a->cap, a->count + 1, sizeof *a->jobs);
    a->jobs[a->count++] = (job){.request = r};
}

/* An allocator of the caller's is called by the caller's thread alone. */
void vt__ahead_start(vt__net *n) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2) return;
    if (n->allocator || n->options->processor_only) return;
    vt__ahead *a = VT_NEW(n->ctx, vt__ahead);
    a->net = n;
    vt__accelerate_requests(n, add_job, a);
    if (a->count < FEWEST_JOBS) return;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    n->ahead = a;
    while (a->thread_count < MAX_THREADS && !pthread_create(&a->threads[a->thread_count], NULL, work, a))
        a->thread_count++;
}

/* Nobody has begun with it: the caller does it itself. */
bool vt__ahead_take(vt__net *n, const vt_op_request *r, vt__scheduled *out) {
    vt__ahead *a = n->ahead;
    job *j = NULL;
    for (uint32_t i = 0; a && i < a->count && !j; i++)
        if (vt_op_request_equal(a->jobs[i].request, r)) j = &a->jobs[i];
    if (!j) return false;
    pthread_mutex_lock(&a->lock);
    bool begun = j->state != WAITS;
    while (j->state == RUNS) pthread_cond_wait(&a->changed, &a->lock);
    j->state = TAKEN;
    *out = j->result;
    j->result = (vt__scheduled){.op = NULL};
    pthread_mutex_unlock(&a->lock);
    return begun;
}

void vt__ahead_stop(vt__net *n) {
    vt__ahead *a = n->ahead;
    if (!a) return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_mutex_unlock(&a->lock);
    for (uint32_t i = 0; i < a->thread_count; i++) pthread_join(a->threads[i], NULL);
    for (uint32_t i = 0; i < a->count; i++) {
        vtac_op_destroy(a->jobs[i].result.op);
        vta_diag_destroy(a->jobs[i].result.diag);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    n->ahead = NULL;
}
