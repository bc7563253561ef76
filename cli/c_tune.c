/* vta tune: searches the schedules of an operator further, and merges the logs of searches. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "c_tune.h"
#include "file.h"
#include "model.h"

/* ---- Progress and Ctrl-C ----------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

static void draw(const vtac_tune_progress *p) {
    char bar[21];
    unsigned full = p->trials ? (unsigned)(20.0 * p->trial / p->trials) : 0;
    for (unsigned i = 0; i < 20; i++) bar[i] = i < full ? '#' : '.';
    bar[20] = 0;
    fprintf(stderr, "\r[%s] %u of %u trials, %.0f s", bar, (unsigned)p->trial, (unsigned)p->trials, p->seconds);
    if (p->best)
        fprintf(stderr, ", best %" PRIu64 " cycles, %.2f %% above the bound", p->best,
                100.0 * ((double)p->best / (double)p->bound - 1));
    if (p->failed) fprintf(stderr, ", %u failed", (unsigned)p->failed);
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

static bool progress(void *user, const vtac_tune_progress *p) {
    cli_tune *s = user;
    if (isatty(STDERR_FILENO) && p->seconds - s->drawn >= 0.2) {
        s->drawn = p->seconds;
        draw(p);
    }
    return interrupted;
}

/* ---- Searching --------------------------------------------------------------------------------------------------- */

static void pass_on(const vta_diag *from) {
    vta_diag_entry e;
    for (size_t i = 0; vta_diag_get(from, i, &e) == VTA_OK; i++) {
        char message[1024];
        snprintf(message, sizeof message, "%s:%u:%u: %s", e.file ? e.file : "", e.line, e.column, e.message);
        vta_diag_add(cli_diag(), e.severity, e.status, e.file ? message : e.message);
    }
}

static vta_status search(cli_tune *s) {
    vtac_tune_options options = {
        .profile = &s->o.profile,
        .trials = (uint32_t)s->trials,
        .jobs = (uint32_t)s->jobs,
        .early_stop = (uint32_t)s->early_stop,
        .seconds = (double)s->seconds,
        .seed = s->seed,
        .log = s->log,
        .resume = s->resume,
        .start = s->start,
        .without_database = s->no_database,
        .progress = progress,
        .user = s,
    };
    struct sigaction mine = {.sa_handler = on_signal}, before;
    vta_diag *said = s->of_network ? vta_diag_create(NULL) : cli_diag();
    if (!said) return VTA_NO_MEMORY;
    sigaction(SIGINT, &mine, &before);
    vta_status status = vtac_tune(s->o.op, &options, said, &s->result);
    sigaction(SIGINT, &before, NULL);
    if (s->drawn > 0) fprintf(stderr, "\r\033[K");
    if (!s->of_network) return status;
    if (status != VTA_UNSUPPORTED) pass_on(said); /* else its row says it */
    vta_diag_destroy(said);
    return status;
}

/* What cannot be used of the schedules that it shall begin with. */
static void tell_unused(const cli_tune *s) {
    char why[256], message[512];
    vtac_tune_record r = {.size = sizeof r};
    for (size_t i = 0; i < vtac_tune_log_count(s->start); i++) {
        const char *not = vtac_tune_log_why_not(s->start, i, s->o.op, why, sizeof why);
        if (!not|| vtac_tune_log_get(s->start, i, &r) != VTA_OK) continue;
        snprintf(message, sizeof message, "%.200s:%u: not used: %s", s->from, (unsigned)r.line, not);
        vta_diag_add(cli_diag(), VTA_NOTE, VTA_OK, message);
    }
}

static vta_status load_start(cli_tune *s) {
    if (!s->from) return VTA_OK;
    if (s->start) vtac_tune_log_destroy(s->start);
    s->start = NULL;
    vta_status status = vtac_tune_log_load(s->from, NULL, cli_diag(), &s->start);
    if (status == VTA_OK) tell_unused(s);
    return status;
}

static void report_text(const cli_tune *s) {
    const vtac_tune_result *r = &s->result;
    printf("%s\n\n", vtac_op_report(s->o.op));
    printf("cycles       %" PRIu64 " (%s, %u-bit bus)\n", r->op.cycles, s->o.profile.name,
           (unsigned)s->o.profile.bus_bits);
    if (r->untuned)
        printf("without      %" PRIu64 " cycles: tuning takes %.2f %% off\n", r->untuned,
               100.0 * (1 - (double)r->op.cycles / (double)r->untuned));
    printf("bound        %" PRIu64 " (%.2f %% above it)\n", r->op.bound,
           100.0 * ((double)r->op.cycles / (double)r->op.bound - 1));
    printf("trials       %u in %.1f s, %u failed, %u known from the log%s\n", (unsigned)r->trials, r->seconds,
           (unsigned)r->failed, (unsigned)r->reused, r->interrupted ? "; interrupted" : "");
    printf("%s: %" PRIu64 " elements equal the definition, bit for bit.\n", vtac_op_name(s->o.op), s->check.elements);
}

static void report(const cli_tune *s, vta_status status) {
    const vtac_tune_result *r = &s->result;
    if (!s->common.json) {
        if (status == VTA_OK) report_text(s);
        return;
    }
    cli_print_json(json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:f, s:s, s:s, s:I}", "operator",
                             vtac_op_name(s->o.op), "correct", status == VTA_OK, "cycles", (json_int_t)r->op.cycles,
                             "untuned", (json_int_t)r->untuned, "bound", (json_int_t)r->op.bound, "trials",
                             (json_int_t)r->trials, "failed", (json_int_t)r->failed, "reused", (json_int_t)r->reused,
                             "interrupted", r->interrupted, "seconds", r->seconds, "schedule", vtac_op_report(s->o.op),
                             "profile", s->o.profile.name, "bus_bits", (json_int_t)s->o.profile.bus_bits));
}

vta_status cli_tune_search(cli_tune *s, bool *out_ran) {
    *out_ran = false;
    vta_status status = load_start(s);
    if (status == VTA_OK) status = search(s);
    if (status == VTA_OK) status = cli_operator_run(&s->o, &s->device, out_ran, &s->check);
    return status == VTA_OK ? cli_operator_compare(&s->o, &s->check) : status;
}

static vta_status tune(cli_tune *s, int argc, char **argv) {
    bool ran = false;
    if (cli_is_network(argv[0])) return cli_tune_network(s, argv[0]);
    vta_status status = cli_operator_make(&s->common, argc, argv, &s->o);
    if (status == VTA_OK) status = cli_tune_search(s, &ran);
    if (ran) report(s, status);
    return status;
}

/* ---- Merging ----------------------------------------------------------------------------------------------------- */

static vta_status read_files(int argc, char **argv, char **out_text, size_t *out_size) {
    *out_text = NULL;
    *out_size = 0;
    for (int i = 0; i < argc; i++) {
        char *bytes, *text;
        size_t size;
        vta_status status = cli_read_file(argv[i], &bytes, &size);
        if (status != VTA_OK) return status;
        text = realloc(*out_text, *out_size + size + 1);
        if (text) {
            memcpy(text + *out_size, bytes, size);
            *out_text = text;
            *out_size += size;
            if (size && text[*out_size - 1] != '\n') text[(*out_size)++] = '\n';
        }
        free(bytes);
        if (!text) return VTA_NO_MEMORY;
    }
    return VTA_OK;
}

/* The best record of each workload on each machine. */
static vta_status merge(const cli_tune *s, int argc, char **argv) {
    char *text, *best = NULL;
    size_t size;
    vtac_tune_log *log = NULL;
    vta_status status = read_files(argc, argv, &text, &size);
    if (status == VTA_OK) status = vtac_tune_log_parse(text, size, argv[0], NULL, cli_diag(), &log);
    if (status == VTA_OK) status = vtac_tune_log_best(log, cli_diag(), &best);
    if (status == VTA_OK) status = cli_write_file(s->output, best, strlen(best));
    vta_string_free(best);
    vtac_tune_log_destroy(log);
    free(text);
    return status;
}

static int check_usage(const cli_command *self, const cli_tune *s, int argc, char **argv) {
    if (s->merge && argc < 1) return cli_usage(self, "--merge: which logs?");
    if (!s->merge && argc < 1) return cli_usage(self, "which operator? vta ops lists them");
    if (!s->merge && argc - 1 > CLI_LIST_MAX) return cli_usage(self, "more than %d attributes", CLI_LIST_MAX);
    if (!s->merge && cli_is_network(argv[0]) && argc > 1) return cli_usage(self, "expected one MODEL");
    if (s->output && !s->merge) return cli_usage(self, "--output is for --merge");
    if (s->resume && !s->log) return cli_usage(self, "--resume continues a log: which? (--log FILE)");
    return -1;
}

int cmd_tune(const cli_command *self, int argc, char **argv) {
    static cli_tune s = {.jobs = 1};
    const cli_option options[] = {
        {"trials", 'n', CLI_NUMBER, "N", "try at most N schedules (256)", &s.trials},
        {"seconds", 0, CLI_NUMBER, "N", "end after N seconds", &s.seconds},
        {"early-stop", 0, CLI_NUMBER, "N", "end after N trials without a better one", &s.early_stop},
        {"jobs", 'J', CLI_NUMBER, "N", "processes that try schedules (1); 0: only this one", &s.jobs},
        {"seed", 0, CLI_NUMBER, "N", "seed of the random choices; the same seed gives the same trials", &s.seed},
        {"log", 'l', CLI_TEXT, "FILE", "append a record of each trial, a line of JSON in AutoTVM's form", &s.log},
        {"resume", 0, CLI_FLAG, NULL, "continue the search that wrote the log", &s.resume},
        {"from", 0, CLI_TEXT, "FILE", "begin with the schedules of this log (of vta tune, or of AutoTVM for VTA)",
         &s.from},
        {"no-database", 0, CLI_FLAG, NULL, "do not begin with the database of tuned schedules", &s.no_database},
        {"merge", 0, CLI_FLAG, NULL, "tune nothing: write the best record of each workload of these logs", &s.merge},
        {"output", 'o', CLI_TEXT, "FILE", "write it there (else to standard output)", &s.output},
        CLI_NETWORK_OPTIONS(&s.network),
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_GRAPH_OPTIONS(&s.network.of_graph),
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.common.timing),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    code = check_usage(self, &s, argc, argv);
    if (code >= 0) return code;
    vta_status status = s.merge ? merge(&s, argc, argv) : tune(&s, argc, argv);
    vtac_tune_log_destroy(s.start);
    cli_operator_release(&s.o);
    return cli_finish(status);
}
