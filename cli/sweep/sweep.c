/* vta sweep: times programs, kernels and networks on every combination of the varied settings. */
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "model.h"
#include "report.h"
#include "slurm.h"
#include "transport.h"

/* More points than that are only taken where their results go to a file. */
enum { MAX_SHOWN = 4096, MAX_SUBJECTS = 64, MAX_JOBS = 256 };

typedef struct sweep {
    cli_common common;
    cli_timing timing;
    cli_input input;
    cli_list vary, energy;
    const char *svg, *area, *out, *shard_text, *limit, *objective;
    uint64_t jobs;
    bool no_times, no_cache;
#ifdef VT_COMPILER
    cli_network network;
    cli_pictures pictures;
#endif
    sweep_slurm slurm;
    char *params;
    sweep_setup setup;
    sweep_space space;
    sweep_shard shard;
    sweep_subject subjects[MAX_SUBJECTS];
    size_t subject_count;
    sweep_file file;
    bool is_kept; /* results go to the file */
    result_list results;
    uint64_t total, next, finished, found, refused; /* found: were in the file */
    uint64_t *others;                               /* points that another process was at */
    size_t other_count, other_capacity;
    vta_status status; /* of the sweep: not of a machine that cannot be */
    pthread_mutex_t lock;
    /* Of several processes, rank 0 hands out the points and keeps the results; NULL: this is the only one. */
    const sweep_transport *transport;
} sweep;

static bool is_helper(const sweep *s) { return s->transport && s->transport->rank > 0; }

/* ---- One point -------------------------------------------------------------------------------------------------- */

/* The sweep itself cannot go on: not a property of the machine. */
static bool ends_sweep(vta_status status) { return status == VTA_NO_MEMORY || status == VTA_IO; }

static void stop(sweep *s, vta_status status, vta_diag *diag) {
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
static vta_status compute(sweep *s, const sweep_subject *subject, const sweep_machine *m, vta_status found,
                          vta_diag *diag, result *out) {
    vta_status status = found;
    if (status == VTA_OK) status = sweep_point_time(&s->setup, subject, m, diag, out);
    if (status == VTA_OK && s->setup.synthesize) status = sweep_point_synthesize(m, diag, out);
    if (status == VTA_OK || ends_sweep(status)) return status;
    out->error = first_line(vta_diag_text(diag));
    return out->error ? VTA_OK : VTA_NO_MEMORY;
}

static void count(sweep *s, const result *r, bool was_there) {
    s->finished++;
    s->found += was_there;
    s->refused += r && r->error;
    cli_progress("sweep", s->finished, s->total);
}

static vta_status tell(const sweep *s, int rank, const char *text) {
    if (s->transport->send(rank, text, strlen(text)) == 0) return VTA_OK;
    return cli_fail(VTA_IO, "MPI: no message can be sent to rank %d", rank);
}

/* To rank 0: a result, which asks for the next point as well. */
static vta_status send_result(const sweep *s, const result *r) {
    json_t *o = result_json(r, !s->no_times);
    char *text = json_dumps(o, RESULT_JSON);
    json_decref(o);
    vta_status status = text ? tell(s, 0, text) : VTA_NO_MEMORY;
    free(text);
    return status;
}

/* What came of a point: to the file, or to the list, or to rank 0. */
static vta_status keep(sweep *s, result *r) {
    if (is_helper(s)) return send_result(s, r);
    pthread_mutex_lock(&s->lock);
    count(s, r, false);
    vta_status status = s->is_kept ? sweep_file_append(&s->file, r, !s->no_times) : result_list_add(&s->results, r);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Whether this process is to compute a point; *out_other: another one is at it. */
static vta_status claim(sweep *s, const char *key, bool wait, bool *out_mine, bool *out_other) {
    *out_mine = true;
    *out_other = false;
    if (!s->is_kept || is_helper(s)) return VTA_OK;
    pthread_mutex_lock(&s->lock);
    vta_status status = VTA_OK;
    bool taken = true;
    if (!sweep_file_has(&s->file, key)) status = sweep_file_claim(&s->file, key, wait, &taken);
    if (status == VTA_OK && taken) status = sweep_file_refresh(&s->file);
    bool there = sweep_file_has(&s->file, key);
    *out_other = !taken && !there;
    *out_mine = status == VTA_OK && taken && !there;
    if (there) count(s, NULL, true);
    if (there && taken) sweep_file_release(&s->file, key);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static vta_status note_other(sweep *s, uint64_t point) {
    pthread_mutex_lock(&s->lock);
    vta_status status = VTA_OK;
    if (s->other_count == s->other_capacity) {
        size_t capacity = s->other_capacity ? 2 * s->other_capacity : 64;
        uint64_t *more = realloc(s->others, capacity * sizeof *more);
        if (more) {
            s->others = more;
            s->other_capacity = capacity;
        } else {
            status = VTA_NO_MEMORY;
        }
    }
    if (status == VTA_OK) s->others[s->other_count++] = point;
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Points of one machine stand together: its subjects, one after the other. */
static vta_status run_point(sweep *s, uint64_t point, bool wait, vta_diag *diag) {
    const sweep_subject *subject = &s->subjects[point % s->subject_count];
    result r = {.machine = sweep_space_label(&s->space, point / s->subject_count), .subject = strdup(subject->name)};
    sweep_machine m = {0};
    vta_diag_clear(diag);
    vta_status status = VTA_NO_MEMORY, found = VTA_OK;
    if (r.machine && r.subject) {
        found = sweep_machine_find(&s->setup, r.machine, diag, &m);
        status = sweep_point_key(&s->setup, subject, found == VTA_OK ? &m : NULL, r.machine, r.key);
    }
    bool mine = false, other = false;
    if (status == VTA_OK) status = claim(s, r.key, wait, &mine, &other);
    if (other) status = note_other(s, point);
    if (mine) {
        char key[SWEEP_KEY];
        memcpy(key, r.key, sizeof key);
        status = compute(s, subject, &m, found, diag, &r);
        if (status == VTA_OK) status = keep(s, &r);
        if (s->is_kept && !is_helper(s)) sweep_file_release(&s->file, key);
    }
    if (status != VTA_OK) stop(s, status, diag);
    sweep_machine_free(&m);
    result_free(&r);
    return status;
}

/* ---- All points ------------------------------------------------------------------------------------------------- */

static bool take_next(sweep *s, uint64_t *out_point) {
    pthread_mutex_lock(&s->lock);
    bool is_there = s->status == VTA_OK && s->next < s->total;
    if (is_there) *out_point = s->next++ * s->shard.of + s->shard.part;
    pthread_mutex_unlock(&s->lock);
    return is_there;
}

static void *work(void *arg) {
    sweep *s = arg;
    vta_diag *diag = vta_diag_create(NULL);
    if (!diag) stop(s, VTA_NO_MEMORY, NULL);
    for (uint64_t point; diag && take_next(s, &point);)
        if (run_point(s, point, false, diag) != VTA_OK) break;
    vta_diag_destroy(diag);
    return NULL;
}

/* Those that other processes were at: each is there when its process is done with it, or else computed here. */
static void run_others(sweep *s) {
    vta_diag *diag = vta_diag_create(NULL);
    if (!diag) stop(s, VTA_NO_MEMORY, NULL);
    for (size_t i = 0; diag && i < s->other_count && s->status == VTA_OK; i++) run_point(s, s->others[i], true, diag);
    vta_diag_destroy(diag);
}

static vta_status run_all(sweep *s) {
    pthread_t threads[MAX_JOBS];
    uint64_t started = 0, jobs = s->jobs ? s->jobs : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (s->setup.synthesize) jobs = 1; /* Yosys takes a core and much memory for each */
    if (jobs > MAX_JOBS) jobs = MAX_JOBS;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, s) == 0) started++;
    work(s);
    while (started) pthread_join(threads[--started], NULL);
    run_others(s);
    cli_progress_end();
    return s->status;
}

/* ---- Of several processes: rank 0 ------------------------------------------------------------------------------- */

/* Waits for a message: without taking the core that a point is computed on. */
static vta_status wait_for_message(const sweep *s, int *out_from, char **out_text) {
    size_t size;
    int got;
    while ((got = s->transport->poll(out_from, out_text, &size)) == 0) usleep(500);
    return got > 0 ? VTA_OK : cli_fail(VTA_IO, "MPI: no message can be received");
}

/* The next point that is to be computed; its key is claimed. */
static vta_status next_for(sweep *s, vta_diag *diag, bool *out_found, uint64_t *out_point, char key[SWEEP_KEY]) {
    vta_status status = VTA_OK;
    *out_found = false;
    while (status == VTA_OK && !*out_found && take_next(s, out_point)) {
        sweep_machine m = {0};
        bool other = false;
        char *label = sweep_space_label(&s->space, *out_point / s->subject_count);
        vta_diag_clear(diag);
        vta_status found = label ? sweep_machine_find(&s->setup, label, diag, &m) : VTA_NO_MEMORY;
        status = label ? sweep_point_key(&s->setup, &s->subjects[*out_point % s->subject_count],
                                         found == VTA_OK ? &m : NULL, label, key)
                       : VTA_NO_MEMORY;
        if (status == VTA_OK) status = claim(s, key, false, out_found, &other);
        if (other) status = note_other(s, *out_point);
        sweep_machine_free(&m);
        free(label);
    }
    return status;
}

static vta_status take_result(sweep *s, const char *text) {
    result r;
    json_t *o = json_loads(text, 0, NULL);
    bool good = result_parse(o, &r);
    json_decref(o);
    char key[SWEEP_KEY];
    memcpy(key, r.key, sizeof key);
    vta_status status = good ? keep(s, &r) : cli_fail(VTA_PARSE, "MPI: expected a result, got %.200s", text);
    if (good && s->is_kept) sweep_file_release(&s->file, key);
    result_free(&r);
    return status;
}

/* Answers one rank; *running is one less when there is nothing left for it. */
static vta_status answer(sweep *s, int from, const char *text, vta_diag *diag, int *running) {
    vta_status status = VTA_OK;
    if (*text == '{') status = take_result(s, text);
    if (*text == '!') {
        --*running;
        return cli_fail(VTA_IO, "rank %d: %s", from, text + 1);
    }
    char key[SWEEP_KEY], point_text[32] = "end";
    bool found = false;
    uint64_t point;
    if (status == VTA_OK && s->status == VTA_OK) status = next_for(s, diag, &found, &point, key);
    if (found) snprintf(point_text, sizeof point_text, "%llu", (unsigned long long)point);
    *running -= !found;
    vta_status sent = tell(s, from, point_text);
    return status == VTA_OK ? sent : status;
}

/* Hands out points until each rank has been told that there are no more. A thread computes here meanwhile. */
static vta_status coordinate(sweep *s) {
    pthread_t own;
    vta_diag *diag = vta_diag_create(NULL);
    if (!diag) stop(s, VTA_NO_MEMORY, NULL);
    bool computes = s->status == VTA_OK && pthread_create(&own, NULL, work, s) == 0;
    for (int running = s->transport->size - 1; running > 0;) {
        int from;
        char *text;
        vta_status status = wait_for_message(s, &from, &text);
        if (status != VTA_OK) running = 0;
        if (status == VTA_OK) {
            status = answer(s, from, text, diag, &running);
            free(text);
        }
        if (status != VTA_OK) stop(s, status, NULL);
    }
    if (computes) pthread_join(own, NULL);
    run_others(s);
    vta_diag_destroy(diag);
    cli_progress_end();
    return s->status;
}

/* ---- The other ranks --------------------------------------------------------------------------------------------- */

/* Computes what rank 0 says. `status`: of what was opened here. */
static vta_status help(sweep *s, vta_status status) {
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
        status = run_point(s, point, false, diag);
    }
    if (status != VTA_OK) {
        char message[512];
        snprintf(message, sizeof message, "!%.500s", vta_diag_text(cli_diag()));
        tell(s, 0, message);
    }
    vta_diag_destroy(diag);
    return status;
}

/* ---- What is timed ---------------------------------------------------------------------------------------------- */

static vta_status hash_file(const char *path, sweep_hash *h) {
    char *bytes = NULL;
    size_t size;
    vta_status status = cli_read_file(path, &bytes, &size);
    if (status == VTA_OK) sweep_hash_add(h, bytes, size);
    free(bytes);
    return status;
}

static vta_status hash_program(const vta_program *program, sweep_hash *h) {
    for (uint32_t run = 0; run < vta_program_run_count(program); run++) {
        vta_program_run_info info;
        vta_status status = vta_program_get_run(program, run, &info);
        if (status != VTA_OK) return status;
        sweep_hash_add(h, &info.insn_addr, sizeof info.insn_addr);
        sweep_hash_add(h, info.insns, (size_t)info.insn_count * VTA_INSN_BYTES);
    }
    return VTA_OK;
}

/* What is compiled is the same for all machines, on its own configuration. */
static vta_status open_program(sweep *s, sweep_subject *subject) {
    cli_input own = s->input;
    vta_config *base = NULL, *config = NULL;
    cli_kernel_program compiled = {0};
    vta_status status = VTA_OK;
    if (s->common.config) status = vta_config_find(s->common.config, cli_diag(), &base, NULL);
    own.path = subject->path;
    own.base = base;
    own.changes = &s->common.set;
    if (status == VTA_OK) status = cli_open_input(&own, cli_diag(), &config, &compiled);
    subject->program = compiled.program;
    vta_config_release(base);
    if (status == VTA_OK && s->setup.config) status = cli_same_sizes(subject->program, s->setup.config, cli_diag());
    if (status == VTA_OK && !s->setup.config) s->setup.config = vta_config_retain(config);
    vta_config_release(config);
    return status;
}

static vta_status open_network(sweep *s, sweep_subject *subject) {
#ifdef VT_COMPILER
    s->network.common = &s->common;
    s->network.any_samples = true;
    vta_status status = cli_pictures_settle(&s->pictures, subject->path);
    return status == VTA_OK ? sweep_network_open(&s->network, &s->pictures, subject->path, &subject->network) : status;
#else
    (void)s;
    return cli_fail(VTA_UNSUPPORTED, "%s: this tool was built without the compiler", subject->path);
#endif
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file's name; with its folder where several have that name. */
static const char *name_of(int argc, char **argv, int i) {
    const char *base = base_of(argv[i]), *name = base;
    for (int k = 0; k < argc; k++) {
        if (k == i || strcmp(base_of(argv[k]), base)) continue;
        if (name > argv[i]) name--;
        while (name > argv[i] && name[-1] != '/') name--;
        break;
    }
    return name;
}

static vta_status open_subject(sweep *s, const char *path, const char *name) {
    sweep_subject *subject = &s->subjects[s->subject_count++];
    *subject = (sweep_subject){.path = path, .name = name, .params = s->params};
    bool is_network = cli_is_network(path), is_source = cli_is_kernel(path) && !s->input.function;
    vta_status status = VTA_OK;
    if ((is_network || is_source) && !s->setup.config) {
        vta_config *config = NULL;
        status = cli_find_config(&s->common, &config);
        s->setup.config = config;
    }
    if (status == VTA_OK && is_network) status = open_network(s, subject);
    if (status == VTA_OK && !is_network && !is_source) status = open_program(s, subject);
    sweep_hash h;
    sweep_hash_begin(&h);
    if (status == VTA_OK && is_source) status = hash_file(path, &h);
    if (status == VTA_OK && subject->program) status = hash_program(subject->program, &h);
    sweep_hash_text(&h, is_source ? s->params : NULL);
    if (status == VTA_OK && subject->network) sweep_network_hash(subject->network, &h);
    sweep_hash_end(&h, subject->key);
    return status;
}

static void close_all(sweep *s) {
    for (size_t i = 0; i < s->subject_count; i++) {
        vta_program_destroy(s->subjects[i].program);
        sweep_network_destroy(s->subjects[i].network);
    }
#ifdef VT_COMPILER
    free(s->pictures.labels);
#endif
    if (s->is_kept) sweep_file_close(&s->file);
    result_list_free(&s->results);
    sweep_space_free(&s->space);
    vta_config_release((vta_config *)s->setup.config);
    free(s->others);
    free(s->params);
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

/* What the options say, before anything is read. */
static vta_status settle(sweep *s, int argc) {
    char *end = "";
    uint64_t points;
    s->setup.timing = &s->timing;
    s->setup.cached = !s->no_cache;
    s->setup.synthesize = s->area && !strcmp(s->area, "synth");
    if (s->limit) s->setup.limit = strtod(s->limit, &end);
    if (*end || !(s->setup.limit >= 0 && s->setup.limit < 1e9))
        return cli_fail(VTA_INVALID_ARGUMENT, "--limit %s: expected seconds", s->limit);
    vta_status status = sweep_space_read(&s->vary, &s->space);
    if (status == VTA_OK) status = sweep_shard_read(s->shard_text, &s->shard);
    if (status == VTA_OK) status = sweep_energy_read(&s->energy, &s->setup.energy);
    if (status == VTA_OK && !(s->params = cli_join(&s->input.params))) status = VTA_NO_MEMORY;
    if (status == VTA_OK && __builtin_mul_overflow(s->space.count, (uint64_t)argc, &points))
        status = cli_fail(VTA_OUT_OF_RANGE, "--vary: more than 2^64 points");
    if (status != VTA_OK) return status;
    s->total = points / s->shard.of + (points % s->shard.of > s->shard.part);
    if (s->out || s->total <= MAX_SHOWN) return VTA_OK;
    return cli_fail(VTA_INVALID_ARGUMENT,
                    "--vary: %llu points; more than %d go to a file: give --out FILE.jsonl, and then vta results",
                    (unsigned long long)s->total, MAX_SHOWN);
}

static vta_status open_all(sweep *s, int argc, char **argv) {
    vta_status status = VTA_OK;
    for (int i = 0; i < argc && status == VTA_OK; i++) status = open_subject(s, argv[i], name_of(argc, argv, i));
    s->is_kept = status == VTA_OK && s->out && !is_helper(s);
    return s->is_kept ? sweep_file_open(s->out, &s->file) : status;
}

static vta_status report(sweep *s, const char *title) {
    if (!s->is_kept) return results_report(&s->results, s->common.json, s->svg, title);
    if (s->common.json)
        cli_print_json(json_pack("{s:s, s:I, s:I, s:I, s:I}", "file", s->out, "points", (json_int_t)s->total, "found",
                                 (json_int_t)s->found, "computed", (json_int_t)(s->finished - s->found), "refused",
                                 (json_int_t)s->refused));
    else
        printf("%s: %llu points; %llu were there, %llu computed, %llu of them refused. vta results pareto %s shows "
               "the best\n",
               s->out, (unsigned long long)s->total, (unsigned long long)s->found,
               (unsigned long long)(s->finished - s->found), (unsigned long long)s->refused, s->out);
    return VTA_OK;
}

int cmd_sweep(const cli_command *self, int argc, char **argv) {
    static sweep s;
    const cli_option options[] = {
        {"vary", 'v', CLI_LIST, "NAME=A,B,...|A:B",
         "values of a timing setting, of profile, or of a key; may be repeated", &s.vary},
        {"out", 'o', CLI_TEXT, "FILE.jsonl", "append a line a point, those that are there are not computed again",
         &s.out},
        {"no-times", 0, CLI_FLAG, NULL, "without times of this machine: equal work gives equal lines", &s.no_times},
        {"shard", 0, CLI_TEXT, "I/N", "one part of N of the points, for as many workers", &s.shard_text},
        {"slurm", 0, CLI_TEXT, "OPTIONS", "submit it as a job array; options of sbatch, or \"\"", &s.slurm.options},
        {"tasks", 0, CLI_NUMBER, "N", "of the job array (8)", &s.slurm.tasks},
        {"dry-run", 0, CLI_FLAG, NULL, "of --slurm: print what would be submitted", &s.slurm.dry_run},
        {"limit", 0, CLI_TEXT, "SECONDS", "leave a point that is not compiled by then", &s.limit},
        {"energy", 0, CLI_LIST, "NAME=PICOJOULES", "costs: multiply, add, chip_byte, dram_byte; may be repeated",
         &s.energy},
        {"no-cache", 0, CLI_FLAG, NULL, "neither read nor keep compiled streams (else in ~/.cache/vta/sweep)",
         &s.no_cache},
        {"svg", 0, CLI_TEXT, "FILE", "draw time over area, with the machines that none beats in both", &s.svg},
        {"area", 0, CLI_TEXT, "estimate|synth", "area by a formula, or by Yosys: minutes for each machine", &s.area},
        {"jobs", 0, CLI_NUMBER, "N", "machines timed at once (as many as cores)", &s.jobs},
        CLI_INPUT_OPTIONS(&s.input),
#ifdef VT_COMPILER
        CLI_NETWORK_OPTIONS(&s.network),
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_GRAPH_OPTIONS(&s.network.of_graph),
#endif
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.timing),
        CLI_JSON_OPTION(&s.common),
        {0}};
    char **words = calloc((size_t)argc + 1, sizeof *words); /* parsing changes their order */
    const int word_count = argc;
    if (words) memcpy(words, argv, (size_t)argc * sizeof *words);
    int code = words ? cli_parse(self, options, argc, argv, &argc, &argv) : cli_finish(VTA_NO_MEMORY);
    if (code < 0 && s.slurm.options) code = cli_finish(sweep_slurm_submit(&s.slurm, s.out, word_count, words));
    free(words);
    if (code >= 0) return code;
    if (argc < 1 || argc > MAX_SUBJECTS)
        return cli_usage(self, "expected 1 to %d programs, kernel files, objects or models, got %d", MAX_SUBJECTS,
                         argc);
    if (s.area && strcmp(s.area, "estimate") && strcmp(s.area, "synth"))
        return cli_usage(self, "--area %s: expected estimate or synth", s.area);
    if (s.out && s.svg) return cli_usage(self, "--svg: of a file of results, vta results svg draws it");
    vta_status status = settle(&s, argc);
    if (status != VTA_OK && status != VTA_NO_MEMORY) {
        close_all(&s);
        cli_finish(status);
        return CLI_USAGE;
    }
    pthread_mutex_init(&s.lock, NULL);
    s.transport = sweep_transport_find();
    if (status == VTA_OK) status = open_all(&s, argc, argv);
    if (s.transport) {
        s.status = status;
        status = is_helper(&s) ? help(&s, status) : coordinate(&s);
        s.transport->close();
    } else if (status == VTA_OK) {
        status = run_all(&s);
    }
    if (!is_helper(&s) && (status == VTA_OK || s.results.count)) {
        vta_status shown = report(&s, argv[0]);
        if (status == VTA_OK) status = shown;
    }
    close_all(&s);
    return cli_finish(status);
}
