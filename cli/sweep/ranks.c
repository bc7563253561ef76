/* A sweep of several processes under MPI: rank 0 hands out the points, the others ask for them. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static vta_status tell(const sweep_run *s, int rank, const char *text) {
    if (s->transport->send(rank, text, strlen(text)) == 0) return VTA_OK;
    return cli_fail(VTA_IO, "MPI: no message can be sent to rank %d", rank);
}

vta_status sweep_run_send(const sweep_run *s, const result *r) {
    json_t *o = result_json(r, !s->no_times);
    char *text = json_dumps(o, RESULT_JSON);
    json_decref(o);
    vta_status status = text ? tell(s, 0, text) : VTA_NO_MEMORY;
    free(text);
    return status;
}

/* ---- Rank 0 -------------------------------------------------------------------------------------------------------
 */

/* Waits for a message: without taking the core that a point is computed on. */
static vta_status wait_for_message(const sweep_run *s, int *out_from, char **out_text) {
    size_t size;
    int got;
    while ((got = s->transport->poll(out_from, out_text, &size)) == 0) usleep(500);
    return got > 0 ? VTA_OK : cli_fail(VTA_IO, "MPI: no message can be received");
}

/* The next point that is to be computed; its key is claimed. */
static vta_status next_for(sweep_run *s, vta_diag *diag, bool *out_found, uint64_t *out_point, char key[SWEEP_KEY]) {
    vta_status status = VTA_OK;
    *out_found = false;
    while (status == VTA_OK && !*out_found && sweep_run_take(s, out_point)) {
        sweep_machine m = {0};
        char *label = sweep_space_label(&s->space, *out_point / s->subject_count);
        vta_diag_clear(diag);
        vta_status found = label ? sweep_machine_find(&s->setup, label, diag, &m) : VTA_NO_MEMORY;
        status = label ? sweep_point_key(&s->setup, &s->subjects[*out_point % s->subject_count],
                                         found == VTA_OK ? &m : NULL, label, key)
                       : VTA_NO_MEMORY;
        if (status == VTA_OK) status = sweep_run_claim(s, *out_point, key, false, out_found);
        sweep_machine_free(&m);
        free(label);
    }
    return status;
}

static vta_status take_result(sweep_run *s, const char *text) {
    result r = {0};
    json_t *o = json_loads(text, 0, NULL);
    bool good = result_parse(o, &r);
    json_decref(o);
    char key[SWEEP_KEY];
    memcpy(key, r.key, sizeof key);
    vta_status status = good ? sweep_run_keep(s, &r) : cli_fail(VTA_PARSE, "MPI: expected a result, got %.200s", text);
    if (good && s->is_kept) sweep_file_release(&s->file, key);
    result_free(&r);
    return status;
}

/* The ranks that wait for a point, and how many compute one. */
typedef struct ranks {
    int *idle, idle_count, busy;
    bool is_empty; /* nothing is left of this generation */
} ranks;

/* Takes what a rank says. */
static vta_status take(sweep_run *s, ranks *r, int from, const char *text) {
    r->busy--;
    if (*text == '!') return cli_fail(VTA_IO, "rank %d: %s", from, text + 1);
    r->idle[r->idle_count++] = from;
    return *text == '{' ? take_result(s, text) : VTA_OK;
}

/* Gives points to those that wait. */
static vta_status give(sweep_run *s, ranks *r, vta_diag *diag) {
    vta_status status = VTA_OK;
    while (status == VTA_OK && s->status == VTA_OK && r->idle_count && !r->is_empty) {
        char key[SWEEP_KEY], text[32];
        bool found = false;
        uint64_t point = 0;
        status = next_for(s, diag, &found, &point, key);
        r->is_empty = !found;
        if (status != VTA_OK || !found) break;
        snprintf(text, sizeof text, "%llu", (unsigned long long)point);
        status = tell(s, r->idle[--r->idle_count], text);
        r->busy++;
    }
    return status;
}

/* Hands out points until all are computed. A thread computes here meanwhile. */
static void run_ranks(sweep_run *s, ranks *r, vta_diag *diag) {
    pthread_t own;
    bool computes = s->status == VTA_OK && pthread_create(&own, NULL, sweep_run_work, s) == 0;
    r->is_empty = false;
    vta_status status = give(s, r, diag);
    while (status == VTA_OK && r->busy) {
        int from;
        char *text;
        status = wait_for_message(s, &from, &text);
        if (status != VTA_OK) break;
        vta_status taken = take(s, r, from, text);
        free(text);
        if (taken != VTA_OK) sweep_run_stop(s, taken, NULL); /* the other ranks end what they are at */
        status = give(s, r, diag);
    }
    if (status != VTA_OK) sweep_run_stop(s, status, NULL);
    if (computes) pthread_join(own, NULL);
}

vta_status sweep_run_coordinate(sweep_run *s) {
    vta_diag *diag = vta_diag_create(NULL);
    ranks r = {.idle = malloc((size_t)s->transport->size * sizeof(int)), .busy = s->transport->size - 1};
    if (!diag || !r.idle) sweep_run_stop(s, VTA_NO_MEMORY, NULL);
    while (r.idle && sweep_run_more(s)) {
        run_ranks(s, &r, diag);
        sweep_run_others(s);
    }
    if (r.idle && r.busy) run_ranks(s, &r, diag); /* after an error: those that have not asked yet */
    while (r.idle && r.idle_count) tell(s, r.idle[--r.idle_count], "end");
    free(r.idle);
    vta_diag_destroy(diag);
    cli_progress_end();
    return s->status;
}

/* ---- The other ranks --------------------------------------------------------------------------------------------- */

vta_status sweep_run_help(sweep_run *s, vta_status status) {
    vta_diag *diag = vta_diag_create(NULL);
    if (status == VTA_OK && !diag) status = VTA_NO_MEMORY;
    if (status == VTA_OK) status = tell(s, 0, "?");
    while (status == VTA_OK) {
        int from;
        char *text, *end;
        status = wait_for_message(s, &from, &text);
        if (status != VTA_OK) break;
        unsigned long long point = strtoull(text, &end, 10);
        bool is_last = end == text;
        free(text);
        if (is_last) break;
        status = sweep_run_point(s, point, false, diag);
    }
    if (status != VTA_OK) {
        char message[512];
        snprintf(message, sizeof message, "!%.500s", vta_diag_text(cli_diag()));
        tell(s, 0, message);
    }
    vta_diag_destroy(diag);
    return status;
}
