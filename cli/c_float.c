/* A network of pictures in floats. */
#include "c_float.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

vta_status cli_graph_load(const cli_graph *g, const char *path, vtac_graph_options *more, vtac_graph **out_graph) {
    more->batch = (int64_t)g->batch;
    more->shapes = g->shapes.item;
    more->shape_count = (size_t)g->shapes.count;
    return vtac_graph_load(path, more, NULL, cli_diag(), out_graph);
}

vta_status cli_graph_tensors(const vtac_graph *graph, const char *path, bool outputs, cli_tensors *out) {
    size_t count = outputs ? vtac_graph_output_count(graph) : vtac_graph_input_count(graph);
    cli_tensor *items = calloc(count + 1, sizeof *items);
    *out = (cli_tensors){path, outputs, count, items, NULL};
    if (!items) return VTA_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        vtac_graph_tensor t = {0};
        outputs ? vtac_graph_output(graph, i, &t) : vtac_graph_input(graph, i, &t);
        items[i] = (cli_tensor){t.name, t.type, t.ndim, t.shape, t.bytes};
    }
    return VTA_OK;
}

static vta_status wrong(const char *message) {
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_UNSUPPORTED, message);
    return VTA_UNSUPPORTED;
}

const float *cli_scores(const cli_answer *answer, size_t *out_count) {
    const cli_tensor *t = &answer->output[0];
    *out_count = t->bytes / sizeof(float);
    if (t->type.code == kDLFloat && t->type.bits == 32) return answer->data[0];
    wrong("its first output is not of float32");
    return NULL;
}

static vta_status check(const vtac_graph *graph, vtac_graph_tensor *in) {
    if (vtac_graph_input_count(graph) != 1)
        return wrong("a network of pictures has one input, this one has another number");
    vtac_graph_input(graph, 0, in);
    if (in->ndim != 4 || in->shape[0] != 1 || in->type.code != kDLFloat || in->type.bits != 32)
        return wrong("its input is not a float32 tensor of one picture");
    return VTA_OK;
}

/* What the threads share. */
typedef struct work {
    const vtac_graph *graph;
    const cli_pictures *how;
    size_t count, next, done;
    const char *const *paths;
    cli_answered *answered;
    void *user;
    vtac_graph_tensor in;
    cli_tensors out;
    pthread_mutex_t lock;
    vta_status status; /* of the first that failed, whose words are in the command's list */
} work;

/* The next picture; false when there is none, or one failed. */
static bool take(work *w, size_t *index) {
    pthread_mutex_lock(&w->lock);
    bool there = w->status == VTA_OK && w->next < w->count;
    *index = w->next;
    w->next += there;
    pthread_mutex_unlock(&w->lock);
    return there;
}

static void fail(work *w, vta_status status, vta_diag *diag) {
    pthread_mutex_lock(&w->lock);
    if (w->status == VTA_OK) {
        vta_diag_entry e;
        for (size_t i = 0; vta_diag_get(diag, i, &e) == VTA_OK; i++)
            vta_diag_add(cli_diag(), e.severity, e.status, e.message);
        w->status = status;
    }
    pthread_mutex_unlock(&w->lock);
}

static vta_status give(work *w, size_t index, const vtac_evaluator *e, const void **data) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < w->out.count; i++) data[i] = vtac_evaluator_output(e, i);
    pthread_mutex_lock(&w->lock);
    if (!cli_picture_is_broken(w->how, index))
        status = w->answered(w->user, index, &(cli_answer){w->out.count, w->out.item, data});
    cli_progress("picture", ++w->done, w->count);
    pthread_mutex_unlock(&w->lock);
    return status;
}

static void *run(void *arg) {
    work *w = arg;
    vta_diag *diag = vta_diag_create(NULL);
    vtac_evaluator *e = NULL;
    float *input = malloc(w->in.bytes);
    const void **data = calloc(w->out.count + 1, sizeof *data);
    vta_status status = input && data ? vtac_evaluator_create(w->graph, NULL, NULL, diag, &e) : VTA_NO_MEMORY;
    for (size_t i; status == VTA_OK && take(w, &i);) {
        status = cli_picture_read_one(w->how, i, w->paths[i], w->in.shape, diag, input);
        if (status == VTA_OK) status = vtac_evaluator_run(e, (const void *[]){input}, diag);
        if (status == VTA_OK) status = give(w, i, e, data);
    }
    if (status != VTA_OK) fail(w, status, diag);
    vtac_evaluator_destroy(e);
    free(input);
    free(data);
    vta_diag_destroy(diag);
    return NULL;
}

enum { THREADS = 256 };

vta_status cli_float_each(const vtac_graph *graph, const cli_pictures *how, size_t count, const char *const *paths,
                          uint64_t threads, cli_answered *answered, void *user) {
    work w = {.graph = graph, .how = how, .count = count, .paths = paths, .answered = answered, .user = user};
    pthread_t started[THREADS];
    size_t n = 0;
    vta_status status = check(graph, &w.in);
    if (status == VTA_OK) status = cli_pictures_need_graph(how, graph);
    if (status == VTA_OK) status = cli_graph_tensors(graph, "", true, &w.out);
    if (status != VTA_OK) return status;
    if (!threads) threads = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > THREADS) threads = THREADS;
    if (threads > count) threads = count;
    pthread_mutex_init(&w.lock, NULL);
    while (n + 1 < threads && pthread_create(&started[n], NULL, run, &w) == 0) n++;
    run(&w);
    while (n > 0) pthread_join(started[--n], NULL);
    pthread_mutex_destroy(&w.lock);
    cli_progress_end();
    free((void *)w.out.item);
    return w.status;
}
