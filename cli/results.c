/* vta results: what sweeps have found, from one file or many, also while they grow. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "sweep/report.h"
#include "sweep/results_file.h"

typedef struct state {
    cli_common common;
    const char *output, *objective, *title, *subject, *every;
    uint64_t top, points;
    objectives by;
    char **files;
    int file_count;
} state;

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
    const result *x = a, *y = b;
    return strcmp(x->key, y->key);
}

/* The first of those with one key stays; with --subject those of others go. */
static void drop(const state *s, result_list *list) {
    size_t kept = 0;
    if (list->count) qsort(list->item, list->count, sizeof *list->item, by_key);
    for (size_t i = 0; i < list->count; i++) {
        result *r = &list->item[i];
        bool twice = kept && !strcmp(list->item[kept - 1].key, r->key);
        if (twice || (s->subject && strcmp(s->subject, r->subject)))
            result_free(r);
        else
            list->item[kept++] = *r;
    }
    list->count = kept;
}

static vta_status read_all(const state *s, bool quiet, result_list *list) {
    uint64_t damaged = 0;
    vta_status status = VTA_OK;
    for (int i = 0; i < s->file_count && status == VTA_OK; i++) status = results_read(s->files[i], list, &damaged);
    if (status == VTA_OK && damaged && !quiet)
        fprintf(stderr,
                "%llu lines are no results, or were cut by a crash: passed over; vta sweep computes them again\n",
                (unsigned long long)damaged);
    if (status == VTA_OK) drop(s, list);
    if (status == VTA_OK && !list->count && !quiet)
        status = cli_fail(VTA_NOT_FOUND, "%s: no results%s%s", s->files[0], s->subject ? " of " : "",
                          s->subject ? s->subject : "");
    return status;
}

/* ---- What is made of them ---------------------------------------------------------------------------------------- */

static vta_status write_text(const state *s, char *text) {
    vta_status status = text ? cli_write_file(s->output, text, strlen(text)) : VTA_NO_MEMORY;
    free(text);
    return status;
}

/* Lines in the order of their keys: the same for the same results, in whatever order they came. */
static vta_status merge(const state *s, result_list *list) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return VTA_NO_MEMORY;
    for (size_t i = 0; i < list->count; i++) {
        json_t *o = result_json(&list->item[i], list->item[i].has_times);
        char *line = json_dumps(o, RESULT_JSON);
        json_decref(o);
        fprintf(to, "%s\n", line ? line : "");
        if (!line) size = 0;
        free(line);
    }
    bool complete = !ferror(to);
    if (fclose(to) != 0 || !complete) {
        free(text);
        return VTA_NO_MEMORY;
    }
    vta_status status = write_text(s, text);
    if (status == VTA_OK && s->output && strcmp(s->output, "-"))
        fprintf(stderr, "%s: %zu results\n", s->output, list->count);
    return status;
}

static vta_status groups(const state *s, result_list *list, bool front, size_t limit) {
    result_groups g;
    vta_status status = results_group(list, &s->by, &g);
    if (status == VTA_OK) results_print_groups(&g, &s->by, front, limit, s->common.json);
    free(g.item);
    return status;
}

static vta_status best(const state *s, result_list *list) { return groups(s, list, false, s->top ? s->top : 1); }

static vta_status pareto(const state *s, result_list *list) {
    return groups(s, list, true, s->top ? s->top : SIZE_MAX);
}

static vta_status table(const state *s, result_list *list) { return results_report(list, s->common.json, NULL, ""); }

static vta_status csv(const state *s, result_list *list) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return VTA_NO_MEMORY;
    results_mark_pareto(list); /* by subject, the fastest first */
    results_print_csv(list, to);
    if (fclose(to) == 0) return write_text(s, text);
    free(text);
    return VTA_NO_MEMORY;
}

static const char *title_of(const state *s) { return s->title ? s->title : s->files[0]; }

static vta_status svg(const state *s, result_list *list) {
    results_mark_pareto(list);
    for (size_t i = 1; i < list->count; i++)
        if (strcmp(list->item[i - 1].subject, list->item[i].subject))
            return cli_fail(VTA_INVALID_ARGUMENT,
                            "results of %s and %s: a picture is of one subject; name it with "
                            "--subject",
                            list->item[i - 1].subject, list->item[i].subject);
    return write_text(s, results_svg(list, title_of(s)));
}

static vta_status html(const state *s, result_list *list) {
    results_mark_pareto(list);
    vta_status status = write_text(s, results_html(list, title_of(s)));
    if (status == VTA_OK && s->output && strcmp(s->output, "-")) fprintf(stderr, "page: %s\n", s->output);
    return status;
}

/* ---- While they grow -------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
    (void)number;
    is_interrupted = 1;
}

/* Prints the front whenever there are more results, until there are --points of them, or Ctrl-C. */
static vta_status watch(const state *s) {
    char *end = "";
    double seconds = s->every ? strtod(s->every, &end) : 2;
    if (*end || !(seconds > 0 && seconds < 1e6))
        return cli_fail(VTA_INVALID_ARGUMENT, "--every %s: expected seconds", s->every);
    signal(SIGINT, interrupt);
    vta_status status = VTA_OK;
    for (size_t before = SIZE_MAX; status == VTA_OK && !is_interrupted;) {
        result_list list = {0};
        status = read_all(s, true, &list);
        if (status == VTA_OK && list.count != before) {
            if (isatty(STDOUT_FILENO)) printf("\033[H\033[J");
            printf("%zu results\n", list.count);
            if (list.count) status = groups(s, &list, true, s->top ? s->top : 20);
            fflush(stdout);
        }
        before = list.count;
        result_list_free(&list);
        if (s->points && before >= s->points) break;
        if (status == VTA_OK && !is_interrupted) usleep((useconds_t)(seconds * 1e6));
    }
    return status;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

static const struct action {
    const char *name;
    vta_status (*run)(const state *s, result_list *list);
    bool writes; /* takes --output */
} actions[] = {{"merge", merge, true}, {"best", best, false}, {"pareto", pareto, false}, {"table", table, false},
               {"csv", csv, true},     {"svg", svg, true},    {"html", html, true},      {"watch", NULL, false}};
enum { ACTIONS = sizeof actions / sizeof *actions };

static vta_status run(state *s, const struct action *a) {
    vta_status status = objectives_read(s->objective, &s->by);
    if (status == VTA_OK && s->output && !a->writes)
        status = cli_fail(VTA_INVALID_ARGUMENT, "--output: vta results %s prints to standard output", a->name);
    if (status != VTA_OK) return status;
    if (!a->run) return watch(s);
    result_list list = {0};
    status = read_all(s, false, &list);
    if (status == VTA_OK) status = a->run(s, &list);
    result_list_free(&list);
    return status;
}

int cmd_results(const cli_command *self, int argc, char **argv) {
    static state s;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "of merge, csv, svg and html (else standard output)", &s.output},
        {"objective", 0, CLI_TEXT, "A,B,...", "of seconds, cycles, area, energy: what is best (seconds,area)",
         &s.objective},
        {"subject", 0, CLI_TEXT, "NAME", "only results of that network, program or kernel", &s.subject},
        {"top", 'n', CLI_NUMBER, "N", "how many machines best, pareto and watch print", &s.top},
        {"title", 0, CLI_TEXT, "TEXT", "heading of picture and page (else the file)", &s.title},
        {"every", 0, CLI_TEXT, "SECONDS", "of watch: how often the files are read (2)", &s.every},
        {"points", 0, CLI_NUMBER, "N", "of watch: end when there are so many results", &s.points},
        CLI_JSON_OPTION(&s.common),
        {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 2) return cli_usage(self, "expected what to make and at least one FILE.jsonl");
    const char *names[ACTIONS];
    for (size_t i = 0; i < ACTIONS; i++) names[i] = actions[i].name;
    s.files = argv + 1;
    s.file_count = argc - 1;
    for (size_t i = 0; i < ACTIONS; i++)
        if (!strcmp(argv[0], names[i])) return cli_finish(run(&s, &actions[i]));
    return cli_finish(cli_unknown("results", argv[0], "way to show results", names, ACTIONS, "See vta results --help"));
}
