/* The points of a sweep: claimed, computed, kept, by one thread or several. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_JOBS = 256 };

bool sweep_run_is_helper(const sweep_run *s) { return s->transport && s->transport->rank > 0; }

/* ---- One point -------------------------------------------------------------------------------------------------- */

/* The sweep itself cannot go on: not a property of the machine. */
static bool ends_sweep(vta_status status) { return status == VTA_NO_MEMORY || status == VTA_IO; }

void sweep_run_stop(sweep_run *s, vta_status status, vta_diag *diag) {
    pthread_mutex_lock(&s->lock);
    if (s->status == VTA_OK) {
        s->status = status;
        for (size_t i = 0; diag && i < vta_diag_count(diag); i++) {
            vta_diag_entry e;
            if (vta_diag_get(diag, i, &e) == VTA_OK) vta_diag_add(cli_diag(), e.severity, e.status, e.message);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static char *first_line(const char *text) { return strndup(text, strcspn(text, "\n")); }

/* Computes a point; what a machine is refused for is its result. */
static vta_status compute(sweep_run *s, const sweep_subject *subject, const sweep_machine *m, vta_status found,
                          vta_diag *diag, result *out) {
    vta_status status = found;
    if (status == VTA_OK) status = sweep_point_time(&s->setup, subject, m, diag, out);
    if (status == VTA_OK && s->setup.synthesize) status = sweep_point_synthesize(m, diag, out);
    if (status == VTA_OK || ends_sweep(status)) return status;
    out->error = first_line(vta_diag_text(diag));
    return out->error ? VTA_OK : VTA_NO_MEMORY;
}

static void count(sweep_run *s, const result *r, bool was_there) {
    s->finished++;
    s->found += was_there;
    s->refused += r && r->error;
    cli_progress("sweep", s->finished, s->total);
}

vta_status sweep_run_keep(sweep_run *s, result *r) {
    if (sweep_run_is_helper(s)) return sweep_run_send(s, r);
    for (size_t i = 0; i < s->subject_count && !r->error; i++) /* rank 0 knows it, whoever timed the network */
        if (!strcmp(s->subjects[i].name, r->subject)) r->accuracy = s->subjects[i].accuracy;
    pthread_mutex_lock(&s->lock);
    count(s, r, false);
    vta_status status = s->is_kept ? sweep_file_append(&s->file, r, !s->no_times) : result_list_add(&s->results, r);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static vta_status note_other(sweep_run *s, uint64_t point) {
    if (s->other_count == s->other_capacity) {
        size_t capacity = s->other_capacity ? 2 * s->other_capacity : 64;
        uint64_t *more = realloc(s->others, capacity * sizeof *more);
        if (!more) return VTA_NO_MEMORY;
        s->others = more;
        s->other_capacity = capacity;
    }
    s->others[s->other_count++] = point;
    return VTA_OK;
}

vta_status sweep_run_claim(sweep_run *s, uint64_t point, const char *key, bool wait, bool *out_mine) {
    *out_mine = true;
    if (!s->is_kept || sweep_run_is_helper(s)) return VTA_OK;
    pthread_mutex_lock(&s->lock);
    vta_status status = VTA_OK;
    bool taken = true;
    if (!sweep_file_has(&s->file, key)) status = sweep_file_claim(&s->file, key, wait, &taken);
    if (status == VTA_OK && taken) status = sweep_file_refresh(&s->file);
    bool there = sweep_file_has(&s->file, key);
    *out_mine = status == VTA_OK && taken && !there;
    if (status == VTA_OK && !taken && !there) status = note_other(s, point);
    if (there) count(s, NULL, true);
    if (there && taken) sweep_file_release(&s->file, key);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Points of one machine stand together: its subjects, one after the other. */
vta_status sweep_run_point(sweep_run *s, uint64_t point, bool wait, vta_diag *diag) {
    const sweep_subject *subject = &s->subjects[point % s->subject_count];
    result r = {.machine = sweep_space_label(&s->space, point / s->subject_count), .subject = strdup(subject->name)};
    sweep_machine m = {0};
    vta_diag_clear(diag);
    vta_status status = VTA_NO_MEMORY, found = VTA_OK;
    if (r.machine && r.subject) {
        found = sweep_machine_find(&s->setup, r.machine, diag, &m);
        status = sweep_point_key(&s->setup, subject, found == VTA_OK ? &m : NULL, r.machine, r.key);
    }
    bool mine = false;
    if (status == VTA_OK) status = sweep_run_claim(s, point, r.key, wait, &mine);
    if (mine) {
        char key[SWEEP_KEY];
        memcpy(key, r.key, sizeof key);
        status = compute(s, subject, &m, found, diag, &r);
        if (status == VTA_OK) status = sweep_run_keep(s, &r);
        if (s->is_kept && !sweep_run_is_helper(s)) sweep_file_release(&s->file, key);
    }
    if (status != VTA_OK) sweep_run_stop(s, status, diag);
    sweep_machine_free(&m);
    result_free(&r);
    return status;
}

/* ---- Points of a generation, or all of them --------------------------------------------------------------------- */

bool sweep_run_take(sweep_run *s, uint64_t *out_point) {
    pthread_mutex_lock(&s->lock);
    bool is_there = s->status == VTA_OK && s->next < s->end;
    if (is_there) {
        *out_point = s->next++ * s->shard.of + s->shard.part;
        if (s->search)
            *out_point =
                s->search->machines[*out_point / s->subject_count] * s->subject_count + *out_point % s->subject_count;
    }
    pthread_mutex_unlock(&s->lock);
    return is_there;
}

void *sweep_run_work(void *run) {
    sweep_run *s = run;
    vta_diag *diag = vta_diag_create(NULL);
    if (!diag) sweep_run_stop(s, VTA_NO_MEMORY, NULL);
    for (uint64_t point; diag && sweep_run_take(s, &point);)
        if (sweep_run_point(s, point, false, diag) != VTA_OK) break;
    vta_diag_destroy(diag);
    return NULL;
}

/* Each is there when its process is done with it, or else computed here. */
void sweep_run_others(sweep_run *s) {
    vta_diag *diag = vta_diag_create(NULL);
    if (!diag) sweep_run_stop(s, VTA_NO_MEMORY, NULL);
    for (size_t i = 0; diag && i < s->other_count && s->status == VTA_OK; i++)
        sweep_run_point(s, s->others[i], true, diag);
    s->other_count = 0;
    vta_diag_destroy(diag);
}

/* ---- Generations of a search ------------------------------------------------------------------------------------ */

/* Adds a result to the sums of its machine; false: it was refused. */
static bool add_values(const result *r, double values[OBJECTIVE_COUNT]) {
    for (int o = 0; o < OBJECTIVE_COUNT; o++) {
        double v = objective_of(r, (objective)o);
        values[o] = o == BY_AREA ? v : values[o] + v;
    }
    return !r->error;
}

static const result *find_kept(const sweep_run *s, const char *key) {
    for (size_t i = s->results.count; i-- > 0;)
        if (!strcmp(s->results.item[i].key, key)) return &s->results.item[i];
    return NULL;
}

/* sweep_search_values; `run`: a sweep_run. What cannot be read ends the sweep. */
static bool find_values(void *run, uint64_t machine, double out_values[OBJECTIVE_COUNT]) {
    sweep_run *s = run;
    vta_diag *diag = vta_diag_create(NULL);
    char *label = sweep_space_label(&s->space, machine);
    vta_status status = diag && label ? VTA_OK : VTA_NO_MEMORY;
    sweep_machine m = {0};
    bool good = status == VTA_OK && sweep_machine_find(&s->setup, label, diag, &m) == VTA_OK;
    memset(out_values, 0, OBJECTIVE_COUNT * sizeof *out_values);
    for (size_t i = 0; i < s->subject_count && good; i++) {
        char key[SWEEP_KEY];
        result r = {0};
        const result *kept = NULL;
        status = sweep_point_key(&s->setup, &s->subjects[i], &m, label, key);
        if (status == VTA_OK && !s->is_kept) kept = find_kept(s, key);
        if (status == VTA_OK && s->is_kept) status = sweep_file_get(&s->file, key, &r);
        good = status == VTA_OK && (kept || s->is_kept) && add_values(kept ? kept : &r, out_values);
        result_free(&r);
    }
    if (status != VTA_OK) sweep_run_stop(s, status, NULL);
    sweep_machine_free(&m);
    free(label);
    vta_diag_destroy(diag);
    return good;
}

bool sweep_run_more(sweep_run *s) {
    bool more = s->status == VTA_OK && (s->search || (!s->end && s->total));
    if (more && s->search) {
        vta_status status = sweep_search_next(s->search, find_values, s, &more);
        if (status != VTA_OK) sweep_run_stop(s, status, NULL);
    }
    more &= s->status == VTA_OK;
    if (more) s->end = s->search ? s->search->count * s->subject_count : s->total;
    return more;
}

/* ---- All points ------------------------------------------------------------------------------------------------- */

static void run_threads(sweep_run *s) {
    pthread_t threads[MAX_JOBS];
    uint64_t started = 0, jobs = s->jobs ? s->jobs : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (s->setup.synthesize) jobs = 1; /* Yosys takes a core and much memory for each */
    if (jobs > MAX_JOBS) jobs = MAX_JOBS;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, sweep_run_work, s) == 0) started++;
    sweep_run_work(s);
    while (started) pthread_join(threads[--started], NULL);
}

vta_status sweep_run_all(sweep_run *s) {
    while (sweep_run_more(s)) {
        run_threads(s);
        sweep_run_others(s);
    }
    cli_progress_end();
    return s->status;
}
