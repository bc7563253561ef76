/* Many inputs: an instance for each thread of the pool. */
#include "base/versioned.h"
#include "exec/exec_priv.h"

typedef struct batch {
    vta_model *model;
    vta_batch_function feed, take;
    void *ctx;
    const vta_batch_options *options;
    size_t count;
    atomic_size_t next;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards what follows, and calls of progress */
    size_t done;
    vta_status status; /* the first error */
    vta_diag *diag;
} batch;

/* Of several errors the first is reported. */
static void fail(batch *b, vta_status status, vta_diag *said) {
    pthread_mutex_lock(&b->lock);
    if (b->status == VTA_OK) {
        vta_diag_entry e;
        b->status = status;
        for (size_t i = 0; vta_diag_get(said, i, &e) == VTA_OK; i++)
            vta_diag_add(b->diag, e.severity, e.status, e.message);
    }
    atomic_store(&b->stop, true);
    pthread_mutex_unlock(&b->lock);
}

static vta_status report(batch *b, vta_diag *diag) {
    pthread_mutex_lock(&b->lock);
    b->done++;
    bool stop = b->options->progress && b->options->progress(b->options->ctx, b->done, b->count);
    pthread_mutex_unlock(&b->lock);
    return stop ? vt_fail(diag, VTA_INTERRUPTED, "interrupted") : VTA_OK;
}

static vta_status run_item(batch *b, size_t item, vta_instance *in, vta_diag *diag) {
    VT_TRY(b->feed(b->ctx, item, in, diag));
    VT_TRY(vta_instance_run(in, diag));
    VT_TRY(b->take(b->ctx, item, in, diag));
    return report(b, diag);
}

static vta_status run_items(batch *b, vta_diag *diag) {
    vta_instance *in;
    if (atomic_load(&b->next) >= b->count) return VTA_OK;
    VT_TRY(vta_instance_create(b->model, &b->options->instance, diag, &in));
    vta_status status = VTA_OK;
    while (status == VTA_OK && !atomic_load(&b->stop)) {
        size_t item = atomic_fetch_add(&b->next, 1);
        if (item >= b->count) break;
        status = run_item(b, item, in, diag);
    }
    vta_instance_destroy(in);
    return status;
}

/* Functions that a step calls find themselves inside a task, and use no further threads. */
static int task(int id, TVMParallelGroupEnv *env, void *data) {
    batch *b = data;
    (void)id;
    (void)env;
    vta_diag *diag = vta_diag_create(&b->model->allocator);
    vta_status status = diag ? run_items(b, diag) : VTA_NO_MEMORY;
    if (status != VTA_OK) fail(b, status, diag);
    vta_diag_destroy(diag);
    return 0;
}

vta_status vta_model_run_batch(vta_model *model, size_t count, vta_batch_function feed, vta_batch_function take,
                               void *ctx, const vta_batch_options *options, vta_diag *diag) {
    vta_batch_options own;
    if (!model || !feed || !take)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_run_batch: model, feed or take is NULL");
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_batch_options", diag));
    if (own.threads > INT32_MAX || (!own.threads && count == 1)) own.threads = 1;
    if (own.threads > count) own.threads = (uint32_t)count;
    if (!count) return VTA_OK;
    batch b = {.model = model, .feed = feed, .take = take, .ctx = ctx, .options = &own, .count = count, .diag = diag};
    pthread_mutex_init(&b.lock, NULL);
    int launched = TVMBackendParallelLaunch(task, &b, (int)own.threads);
    pthread_mutex_destroy(&b.lock);
    if (launched) return vt_fail(diag, VTA_INTERNAL, "%s", TVMGetLastError());
    return b.status;
}
