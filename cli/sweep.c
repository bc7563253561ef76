/* vta sweep: times one program on every combination of the varied settings, as many at once as there are cores. */
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "vta/hardware.h"

enum { MOST_POINTS = 4096 };

typedef struct sweep {
    const char *path;           /* a kernel file is built anew for each point */
    char *params;               /* its parameters */
    const vta_program *program; /* what is compiled is the same for all; NULL: a kernel file */
    const cli_timing *timing;   /* what all points share */
    const vta_config *config;   /* before a point's changes */
    sweep_point *points;
    int count, next, finished;
    pthread_mutex_t lock;
} sweep;

/* Words of a label go to the configuration when they are its keys (upper case), to the timing profile when not. */
static vta_status apply(const char *label, vta_config **config, vta_timing_profile *timing, vta_diag *diag) {
    char words[256], *save = NULL;
    snprintf(words, sizeof words, "%s", label);
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        vta_status status;
        if (strncmp(w, "profile=", 8) == 0) {
            status = vta_timing_profile_get(w + 8, diag, timing);
        } else if (*w >= 'A' && *w <= 'Z') {
            vta_config *changed = NULL;
            status = vta_config_with(*config, w, diag, &changed);
            if (status == VTA_OK) {
                vta_config_release(*config);
                *config = changed;
            }
        } else {
            status = vta_timing_profile_set(timing, w, diag);
        }
        if (status != VTA_OK) return status;
    }
    return VTA_OK;
}

static void fill_point(sweep_point *point, const vta_config *config, const vta_timing_profile *timing,
                       const vta_timing *sum) {
    vta_timing_summary figures = vta_timing_summarize(config, timing, sum);
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_OUT};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        point->buffer_bytes += vta_config_buffer_bytes(config, memories[i]);
    point->cycles = sum->cycles;
    point->seconds = figures.seconds;
    point->utilization = figures.gemm_utilization;
    point->bus = figures.bus_utilization;
    point->roofline = figures.roofline_fraction;
    point->area = sweep_area(config, timing);
    point->done = true;
}

static vta_status time_program(const vta_program *program, const vta_config *config, const vta_timing_profile *timing,
                               vta_diag *diag, vta_timing *out_sum) {
    vta_timing one;
    vta_status status = VTA_OK;
    *out_sum = (vta_timing){0};
    for (uint32_t run = 0; status == VTA_OK && run < vta_program_run_count(program); run++) {
        vta_program_run_info info;
        vta_insn *insns = NULL;
        status = vta_program_get_run(program, run, &info);
        if (status == VTA_OK) status = cli_decode_run(program, config, run, diag, &insns);
        if (status == VTA_OK)
            status = vta_timing_run(config, timing, insns, info.insn_count, info.insn_addr, 0, NULL, diag, &one, NULL);
        if (status == VTA_OK) vta_timing_add(out_sum, &one);
        free(insns);
    }
    return status;
}

static vta_status time_point(const sweep *s, sweep_point *point, vta_diag *diag) {
    vta_config *config = vta_config_retain(s->config);
    cli_kernel_program built = {0};
    vta_timing_profile timing;
    vta_timing sum;
    vta_status status = cli_find_timing(s->timing, config, diag, &timing);
    if (status == VTA_OK) status = apply(point->label, &config, &timing, diag);
    if (status == VTA_OK && s->program) status = cli_same_sizes(s->program, config, diag);
    if (status == VTA_OK && !s->program) status = cli_build_kernel(s->path, s->params, config, diag, &built);
    if (status == VTA_OK) status = time_program(s->program ? s->program : built.program, config, &timing, diag, &sum);
    if (status == VTA_OK) fill_point(point, config, &timing, &sum);
    vta_program_destroy(built.program);
    vta_config_release(config);
    return status;
}

static void *work(void *arg) {
    sweep *s = arg;
    vta_diag *diag = vta_diag_create(NULL);
    for (;;) {
        pthread_mutex_lock(&s->lock);
        int mine = s->next < s->count ? s->next++ : -1;
        pthread_mutex_unlock(&s->lock);
        if (mine < 0) break;
        vta_diag_clear(diag);
        if (time_point(s, &s->points[mine], diag) != VTA_OK) {
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

/* The same units as sweep_area's: a LUT of 4 inputs or a flip-flop is one, a bit of memory a tenth. */
static vta_status gates(const sweep *s, sweep_point *point, vta_diag *diag) {
    vta_config *config = vta_config_retain(s->config);
    vta_timing_profile timing = {0};
    vta_synthesis *synthesis = NULL;
    vta_status status = cli_find_timing(s->timing, config, diag, &timing);
    if (status == VTA_OK) status = apply(point->label, &config, &timing, diag);
    const vta_hardware_options options = {.size = sizeof options,
                                          .bus_bits = timing.bus_bits,
                                          .burst_beats = 1u << timing.len_bits,
                                          .queue_depth = timing.queue_depth};
    if (status == VTA_OK) status = vta_hardware_synthesize(config, &options, "generic", false, 0, diag, &synthesis);
    if (status == VTA_OK) {
        vta_hardware_area area = vta_synthesis_area(synthesis);
        point->area = area.luts + area.flip_flops + area.block_rams * 1024 / 10;
    }
    vta_synthesis_destroy(synthesis);
    vta_config_release(config);
    return status;
}

/* One after the other: Yosys takes a core and much memory for each. */
static void synthesize_all(sweep *s) {
    for (int i = 0; i < s->count; i++) {
        if (!s->points[i].done) continue;
        vta_diag *diag = vta_diag_create(NULL);
        cli_progress("synthesis", (uint64_t)i, (uint64_t)s->count);
        s->points[i].done = gates(s, &s->points[i], diag) == VTA_OK;
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
        if (count > MOST_POINTS) return -1;
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

static int by_seconds(const void *a, const void *b) {
    const sweep_point *x = a, *y = b;
    if (x->done != y->done) return x->done ? -1 : 1;
    return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

static void print_table(const sweep_point *points, int count) {
    int width = 8;
    for (int i = 0; i < count; i++)
        if ((int)strlen(points[i].label) > width) width = (int)strlen(points[i].label);
    printf("%-*s %12s %10s %7s %7s %9s %13s %12s\n", width, "machine", "cycles", "ms", "GEMM", "bus", "roofline",
           "buffer bytes", "area");
    for (int i = 0; i < count; i++) {
        const sweep_point *p = &points[i];
        if (p->done)
            printf("%-*s %12llu %10.3f %6.1f%% %6.1f%% %8.1f%% %13llu %11.3fM %s\n", width, p->label,
                   (unsigned long long)p->cycles, p->seconds * 1e3, 100 * p->utilization, 100 * p->bus,
                   100 * p->roofline, (unsigned long long)p->buffer_bytes, p->area / 1e6, p->pareto ? "*" : "");
        else
            printf("%-*s %s\n", width, p->label, p->error);
    }
    printf("* no other machine is both faster and smaller\n");
}

static void print_json(const sweep_point *points, int count) {
    json_t *rows = json_array();
    for (int i = 0; i < count; i++) {
        const sweep_point *p = &points[i];
        if (!p->done) {
            json_array_append_new(rows, json_pack("{s:s, s:s}", "machine", p->label, "error", p->error));
            continue;
        }
        json_t *row = json_pack("{s:s, s:I, s:f, s:f, s:f}", "machine", p->label, "cycle_count", (json_int_t)p->cycles,
                                "seconds", p->seconds, "gemm_utilization", p->utilization, "bus_utilization", p->bus);
        json_object_set_new(row, "roofline_fraction", json_real(p->roofline));
        json_object_set_new(row, "buffer_bytes", json_integer((json_int_t)p->buffer_bytes));
        json_object_set_new(row, "area", json_real(p->area));
        json_object_set_new(row, "pareto", json_boolean(p->pareto));
        json_array_append_new(rows, row);
    }
    cli_print_json(rows);
}

static vta_status write_plot(const sweep_point *points, int count, const char *path, const char *title) {
    char *svg = sweep_svg(points, count, title);
    if (svg == NULL) return VTA_NO_MEMORY;
    vta_status status = cli_write_file(path, svg, strlen(svg));
    if (status == VTA_OK && strcmp(path, "-")) fprintf(stderr, "plot: %s\n", path);
    free(svg);
    return status;
}

static vta_status report(sweep_point *points, int count, bool json, const char *svg, const char *title) {
    int done = 0;
    for (int i = 0; i < count; i++) done += points[i].done;
    sweep_mark_pareto(points, count);
    qsort(points, (size_t)count, sizeof *points, by_seconds);
    if (json)
        print_json(points, count);
    else
        print_table(points, count);
    if (done == 0) {
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_UNSUPPORTED, "no machine of the sweep could be timed");
        return VTA_UNSUPPORTED;
    }
    return svg ? write_plot(points, count, svg, title) : VTA_OK;
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
    sweep s = {.timing = &timing, .path = argv[0]};
    s.count = combine(&vary, &s.points);
    if (s.count < 0) return cli_usage(self, "--vary is NAME=A,B,... and at most %d machines in all", MOST_POINTS);
    input.path = argv[0];
    vta_config *config = NULL;
    cli_kernel_program compiled = {0};
    vta_status status = open_sweep(&common, &input, &config, &compiled);
    if (status == VTA_OK && !(s.params = cli_join(&input.params))) status = VTA_NO_MEMORY;
    if (status == VTA_OK) {
        s.program = compiled.program;
        s.config = config;
        run_all(&s, jobs);
        if (area && !strcmp(area, "synth")) synthesize_all(&s);
        status = report(s.points, s.count, common.json, svg, argv[0]);
    }
    free(s.points);
    free(s.params);
    vta_config_release(config);
    vta_program_destroy(compiled.program);
    return cli_finish(status);
}
