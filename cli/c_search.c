#include "c_search.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/* "60"; "" is the default. */
static bool read_seconds(const char *text, double *out) {
    char *end = "";
    *out = *text ? strtod(text, &end) : 60;
    return !*end && *out > 0 && *out < 1e9;
}

/* "+5%" or "5%" as 0.05. */
static bool read_share(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end) / 100;
    return end != text && !strcmp(end, "%") && *out >= 0 && *out < 1e6;
}

vta_status cli_search_check(const cli_search *s) {
    double number;
    if (s->cycles && !s->seconds) return cli_fail(VTA_INVALID_ARGUMENT, "--cycles: a limit of --search");
    if (s->truth.images && !s->seconds)
        return cli_fail(VTA_INVALID_ARGUMENT, "--images are for --search; samples are given by --calibrate");
    if (s->truth.labels_path && !s->truth.images)
        return cli_fail(VTA_INVALID_ARGUMENT, "--truth %s: expected --images DIR, too", s->truth.labels_path);
    if (s->seconds && !read_seconds(s->seconds, &number))
        return cli_fail(VTA_INVALID_ARGUMENT, "--search=%s: expected seconds, more than 0", s->seconds);
    if (s->cycles && !read_share(s->cycles, &number))
        return cli_fail(VTA_INVALID_ARGUMENT, "--cycles %s: expected a share, as +5%%", s->cycles);
    return VTA_OK;
}

typedef struct table {
    cli_search *search;
    const cli_network *network;
    vta_status status; /* of counting right answers */
    cli_score score;   /* of the last try */
    double first_cycles;
    int rows;
    char *last; /* options that were taken, where the table does not show all of them; else NULL */
} table;

static const char precise[] = "--precise ";

/* Options but for single values, of which there may be hundreds. */
static void print_options(const char *options) {
    int values = 0;
    for (const char *at = options; (at = strstr(at, precise)); at++) values++;
    const char *first = values > 1 ? strstr(options, precise) : NULL;
    if (!first) {
        fputs(*options ? options : "as it is", stderr);
        return;
    }
    const char *last = first;
    for (const char *at = first; (at = strstr(at, precise)); at++) last = at + strlen(precise);
    last += strcspn(last, " ");
    fprintf(stderr, "%.*s--precise (%d values)%s", (int)(first - options), options, values, last);
}

static bool is_shortened(const char *options) {
    const char *first = strstr(options, precise);
    return first && strstr(first + 1, precise);
}

/* Right answers, where they are counted. */
static void print_score(const table *t, bool known) {
    if (!t->search->truth.images) return;
    char text[32] = "";
    if (known) snprintf(text, sizeof text, "%zu/%zu", t->score.top1, t->search->truth.labels.count);
    fprintf(stderr, "%10s  ", text);
}

static void print_step(table *t, const vtac_search_step *step) {
    if (!t->rows++)
        fprintf(stderr, "%9s %9s %13s %8s  %s%s\n", "seconds", "dB", "cycles", "",
                t->search->truth.images ? "     top-1  " : "", "tried");
    if (step->error) {
        fprintf(stderr, "%9.1f %9s %13s %8s  ", step->seconds, "", "", "");
        print_score(t, false);
        print_options(step->options);
        fprintf(stderr, ": %.*s\n", (int)strcspn(step->error, "\n"), step->error);
        return;
    }
    fprintf(stderr, "%9.1f %9.1f %13llu %+7.1f%%  ", step->seconds, step->decibels, (unsigned long long)step->cycles,
            t->first_cycles > 0 ? 100 * ((double)step->cycles / t->first_cycles - 1) : 0);
    print_score(t, true);
    print_options(step->options);
    fputs(step->is_taken ? " *\n" : "\n", stderr);
    if (!step->is_taken) return;
    free(t->last);
    t->last = is_shortened(step->options) ? strdup(step->options) : NULL;
}

static vta_status answered(void *user, size_t index, const cli_answer *answer) {
    table *t = user;
    return cli_truth_count(&t->search->truth, t->network->pictures, index, answer, &t->score);
}

/* How many pictures the network of a try gets right. */
static vta_status count_right(table *t, vta_model *model) {
    const cli_truth *truth = &t->search->truth;
    t->score = (cli_score){0};
    vta_status status = cli_truth_check(truth, t->network->pictures, model);
    if (status != VTA_OK) return status;
    return cli_network_each(t->network, model, t->network->pictures, truth->labels.count,
                            (const char *const *)truth->paths, 0, answered, t);
}

static bool tried(void *user, const vtac_search_step *step) {
    table *t = user;
    if (!t->rows) t->first_cycles = (double)step->cycles;
    if (step->model && t->search->truth.images && (t->status = count_right(t, step->model)) != VTA_OK) return true;
    cli_progress_end();
    print_step(t, step);
    json_t *row =
        json_pack("{s:s, s:f, s:b}", "options", step->options, "seconds", step->seconds, "taken", step->is_taken);
    if (step->error)
        json_object_set_new(row, "error", json_string(step->error));
    else
        json_object_set_new(row, "decibels", json_real(step->decibels));
    if (!step->error) json_object_set_new(row, "cycles", json_integer((json_int_t)step->cycles));
    if (!step->error && t->search->truth.images)
        json_object_set_new(row, "top1", json_integer((json_int_t)t->score.top1));
    json_array_append_new(t->search->tried, row);
    return interrupted;
}

vta_status cli_search_run(cli_search *s, const cli_network *n, const vtac_calibration *calibration,
                          const vtac_quantize_options *options, const vta_config *config, vtac_quantized **out) {
    struct sigaction mine = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND}, before;
    table t = {.search = s, .network = n};
    vtac_search_options search = {
        .size = sizeof search, .options = options, .config = config, .tried = tried, .user = &t};
    read_seconds(s->seconds, &search.seconds);
    if (s->cycles && read_share(s->cycles, &search.cycles) && search.cycles == 0) search.cycles = 1e-9;
    if (!(s->tried = json_array())) return VTA_NO_MEMORY;
    interrupted = 0;
    sigaction(SIGINT, &mine, &before);
    vta_status status = vtac_quantized_search(calibration, &search, cli_diag(), out);
    sigaction(SIGINT, &before, NULL);
    if (t.status != VTA_OK) {
        if (status == VTA_OK) vtac_quantized_destroy(*out);
        *out = NULL;
        status = t.status;
    }
    if (status == VTA_OK) fprintf(stderr, "* better than all before, and taken\n");
    if (status == VTA_OK && t.last) fprintf(stderr, "the same without a search: %s\n", t.last);
    free(t.last);
    return status;
}
