/* vta sweep: times one program on every combination of the varied settings, as many at once as there are cores. */
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_POINTS = 4096 };

typedef struct sweep {
    sweep_machines of;
    sweep_point *points;
    int count, next, finished;
    pthread_mutex_t lock;
} sweep;

static void *work(void *arg) {
    sweep *s = arg;
    vta_diag *diag = vta_diag_create(NULL);
    for (;;) {
        pthread_mutex_lock(&s->lock);
        int mine = s->next < s->count ? s->next++ : -1;
        pthread_mutex_unlock(&s->lock);
        if (mine < 0) break;
        vta_diag_clear(diag);
        if (sweep_time(&s->of, &s->points[mine], diag) != VTA_OK) {
            const char *text = vta_diag_text(diag);
            snprintf(s->points[mine].error, sizeof s->points[mine].error, "%.*s", (int)strcspn(text, "\n"), text);
        }
        pthread_mutex_lock(&s->lock);
        s->finished++;
        cli_progress("sweep", (uint64_t)s->finished, (uint64_t)s->count);
        pthread_mutex_unlock(&s->lock);
    }
    vta_diag_destroy(diag);
    return NULL;
}

static void run_all(sweep *s, uint64_t jobs) {
    pthread_t threads[64];
    uint64_t started = 0;
    if (jobs == 0) jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs > 64) jobs = 64;
    pthread_mutex_init(&s->lock, NULL);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, s) == 0) started++;
    work(s);
    while (started) pthread_join(threads[--started], NULL);
    pthread_mutex_destroy(&s->lock);
    cli_progress_end();
}

/* One after the other: Yosys takes a core and much memory for each. */
static void synthesize_all(sweep *s) {
    for (int i = 0; i < s->count; i++) {
        if (!s->points[i].done) continue;
        vta_diag *diag = vta_diag_create(NULL);
        cli_progress("synthesis", (uint64_t)i, (uint64_t)s->count);
        s->points[i].done = sweep_synthesize(&s->of, &s->points[i], diag) == VTA_OK;
        if (!s->points[i].done)
            snprintf(s->points[i].error, sizeof s->points[i].error, "%s", diag ? vta_diag_text(diag) : "out of memory");
        vta_diag_destroy(diag);
    }
    cli_progress_end();
}

/* All combinations: point i takes value (i / stride) % n of each "name=a,b,c". */
static int combine(const cli_list *vary, sweep_point **out_points) {
    int count = 1, values[64];
    for (int v = 0; v < vary->count; v++) {
        const char *equals = strchr(vary->item[v], '=');
        if (equals == NULL || equals[1] == '\0') return -1;
        values[v] = 1;
        for (const char *c = equals; *c; c++) values[v] += *c == ',';
        count *= values[v];
        if (count > MAX_POINTS) return -1;
    }
    sweep_point *points = calloc((size_t)count, sizeof *points);
    for (int i = 0; points && i < count; i++)
        for (int v = 0, at = i; v < vary->count; at /= values[v++]) {
            const char *item = vary->item[v], *value = strchr(item, '=') + 1;
            for (int skip = at % values[v]; skip > 0; skip--) value = strchr(value, ',') + 1;
            size_t used = strlen(points[i].label);
            snprintf(points[i].label + used, sizeof points[i].label - used, "%s%.*s=%.*s", used ? " " : "",
                     (int)(strchr(item, '=') - item), item, (int)strcspn(value, ","), value);
        }
    *out_points = points;
    return points ? count : -1;
}

/* A kernel file is built for each point; what is compiled is the same for all, on its own configuration. */
static vta_status open_sweep(const cli_common *common, const cli_input *input, vta_config **out_config,
                             cli_kernel_program *out_compiled) {
    if (cli_is_kernel(input->path) && !input->function) return cli_find_config(common, out_config);
    cli_input own = *input;
    vta_config *base = NULL;
    vta_status status = VTA_OK;
    if (common->config) status = vta_config_find(common->config, cli_diag(), &base, NULL);
    own.base = base;
    own.changes = &common->set;
    if (status == VTA_OK) status = cli_open_input(&own, cli_diag(), out_config, out_compiled);
    vta_config_release(base);
    return status;
}

int cmd_sweep(const cli_command *self, int argc, char **argv) {
    cli_timing timing = {0};
    cli_list vary = {0};
    cli_common common = {0};
    const char *svg = NULL, *area = NULL;
    cli_input input = {0};
    uint64_t jobs = 0;
    const cli_option options[] = {
        {"vary", 'v', CLI_LIST, "NAME=A,B,...", "values of a timing setting, of profile, or of a key; may be repeated",
         &vary},
        {"svg", 0, CLI_TEXT, "FILE", "draw time over area, with the machines that none beats in both", &svg},
        {"area", 0, CLI_TEXT, "estimate|synth", "area by a formula, or by Yosys: minutes for each machine", &area},
        {"jobs", 0, CLI_NUMBER, "N", "machines timed at once (as many as cores)", &jobs},
        CLI_INPUT_OPTIONS(&input),
        CLI_CONFIG_OPTIONS(&common),
        CLI_TIMING_OPTIONS(&timing),
        CLI_JSON_OPTION(&common),
        {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one program, kernel file or object is needed, not %d", argc);
    if (area && strcmp(area, "estimate") && strcmp(area, "synth"))
        return cli_usage(self, "--area %s: not one of estimate and synth", area);
    sweep s = {.of = {.timing = &timing, .path = argv[0]}};
    s.count = combine(&vary, &s.points);
    if (s.count < 0) return cli_usage(self, "--vary is NAME=A,B,... and at most %d machines in all", MAX_POINTS);
    input.path = argv[0];
    vta_config *config = NULL;
    cli_kernel_program compiled = {0};
    vta_status status = open_sweep(&common, &input, &config, &compiled);
    if (status == VTA_OK && !(s.of.params = cli_join(&input.params))) status = VTA_NO_MEMORY;
    if (status == VTA_OK) {
        s.of.program = compiled.program;
        s.of.config = config;
        run_all(&s, jobs);
        if (area && !strcmp(area, "synth")) synthesize_all(&s);
        status = sweep_report(s.points, s.count, common.json, svg, argv[0]);
    }
    free(s.points);
    free(s.of.params);
    vta_config_release(config);
    vta_program_destroy(compiled.program);
    return cli_finish(status);
}
