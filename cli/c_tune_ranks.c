/* A network's operators tuned by several processes under MPI. A rank asks for an operator ("?"), is told its number,
 * and answers with what came of it and the records of its trials, or with "!" and what went wrong. Each has a log of
 * its own meanwhile: rank 0 appends what they send to the one that was asked for, an operator at a time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "c_tune_network.h"
#include "file.h"

static vta_status tell(const sweep_transport *mpi, int rank, const char *text) {
    if (mpi->send(rank, text, strlen(text)) == 0) return VTA_OK;
    return cli_fail(VTA_IO, "MPI: no message can be sent to rank %d", rank);
}

static vta_status wait_for_message(const sweep_transport *mpi, int *out_from, char **out_text) {
    size_t size;
    int got;
    while ((got = mpi->poll(out_from, out_text, &size)) == 0) usleep(500);
    return got > 0 ? VTA_OK : cli_fail(VTA_IO, "MPI: no message can be received");
}

/* ---- A rank ------------------------------------------------------------------------------------------------------ */

/* Its own log: what is in the asked one already, where that is to go on. */
static vta_status begin_log(const char *asked, bool resume, const char *own, size_t *out_size) {
    char *bytes = NULL;
    *out_size = 0;
    unlink(own);
    if (!resume || access(asked, R_OK) != 0) return VTA_OK;
    vta_status status = cli_read_file(asked, &bytes, out_size);
    if (status == VTA_OK) status = cli_write_file(own, bytes, *out_size);
    free(bytes);
    return status;
}

static vta_status send_result(const sweep_transport *mpi, size_t index, const struct cli_tune_operator *o,
                              const char *log, size_t begin) {
    char *bytes = NULL;
    size_t size = 0;
    vta_status status = VTA_OK;
    if (log && access(log, R_OK) == 0) status = cli_read_file(log, &bytes, &size);
    if (status != VTA_OK) return status;
    json_t *message = json_pack("{s:I, s:O?, s:s%}", "index", (json_int_t)index, "result", o->result, "log",
                                size > begin ? bytes + begin : "", size > begin ? size - begin : (size_t)0);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    status = text ? tell(mpi, 0, text) : VTA_NO_MEMORY;
    free(text);
    json_decref(message);
    free(bytes);
    return status;
}

static vta_status tune_one(cli_tune_work *w, const sweep_transport *mpi, size_t index) {
    const char *asked = w->t->log;
    char own[4096];
    size_t begin = 0;
    vta_status status = VTA_OK;
    if (asked) {
        snprintf(own, sizeof own, "%s.%zu", asked, index);
        status = begin_log(asked, w->t->resume, own, &begin);
        w->t->log = own;
    }
    if (status == VTA_OK) status = cli_tune_one(w->t, &w->operators[index]);
    if (status == VTA_OK) status = send_result(mpi, index, &w->operators[index], w->t->log, begin);
    if (asked) unlink(own);
    w->t->log = asked;
    return status;
}

static vta_status help(cli_tune_work *w, const sweep_transport *mpi, vta_status status) {
    w->t->jobs = 0; /* a process of MPI does not fork */
    if (status == VTA_OK) status = tell(mpi, 0, "?");
    while (status == VTA_OK) {
        int from;
        char *text, *end;
        status = wait_for_message(mpi, &from, &text);
        if (status != VTA_OK) break;
        unsigned long long index = strtoull(text, &end, 10);
        bool is_last = end == text || index >= w->count;
        free(text);
        if (is_last) return VTA_OK;
        status = tune_one(w, mpi, (size_t)index);
    }
    char message[512];
    snprintf(message, sizeof message, "!%.500s", vta_diag_text(cli_diag()));
    tell(mpi, 0, message);
    return status;
}

/* ---- Rank 0 ------------------------------------------------------------------------------------------------------ */

static vta_status append(const char *path, const char *text) {
    if (!path || !*text) return VTA_OK;
    FILE *f = fopen(path, "a");
    bool good = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0) good = false;
    return good ? VTA_OK : cli_fail(VTA_IO, "%s: cannot be written", path);
}

static vta_status take_result(cli_tune_work *w, const char *text) {
    json_t *o = json_loads(text, JSON_ALLOW_NUL, NULL);
    json_int_t index = json_integer_value(json_object_get(o, "index"));
    const char *log = json_string_value(json_object_get(o, "log"));
    vta_status status = VTA_OK;
    if (!log || index < 0 || (size_t)index >= w->count)
        status = cli_fail(VTA_PARSE, "MPI: expected what came of an operator, got %.200s", text);
    else
        status = append(w->t->log, log);
    if (status == VTA_OK) {
        json_t *result = json_object_get(o, "result");
        if (json_is_object(result)) w->operators[index].result = json_incref(result); /* else nothing to choose */
        cli_tune_tell(w->t, &w->operators[index]);
    }
    json_decref(o);
    return status;
}

/* Each rank asks, or answers, before it is told anything: those that are `busy` will. */
static vta_status coordinate(cli_tune_work *w, const sweep_transport *mpi, vta_status status) {
    size_t next = 0;
    for (int busy = mpi->size - 1; busy > 0;) {
        int from;
        char *text, order[32] = "end";
        vta_status got = wait_for_message(mpi, &from, &text);
        if (got != VTA_OK) return got;
        bool failed = *text == '!';
        if (failed) got = cli_fail(VTA_IO, "rank %d: %s", from, text + 1);
        if (*text == '{') got = take_result(w, text);
        free(text);
        if (status == VTA_OK) status = got;
        bool more = status == VTA_OK && next < w->count;
        if (more) snprintf(order, sizeof order, "%zu", next++);
        busy -= !more;
        if (!failed && (got = tell(mpi, from, order)) != VTA_OK) return got;
    }
    return status;
}

vta_status cli_tune_ranks(cli_tune_work *w, const sweep_transport *mpi, vta_status status) {
    status = mpi->rank ? help(w, mpi, status) : coordinate(w, mpi, status);
    mpi->close();
    return status;
}
