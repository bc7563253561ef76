/* What is printed of results: tables, JSON, CSV. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

/* ---- Objectives ------------------------------------------------------------------------------------------------- */

static const char *const names[OBJECTIVE_COUNT] = {"seconds", "cycles", "area", "energy"};

const char *objective_name(objective o) { return names[o]; }

double objective_of(const result *r, objective o) {
    switch (o) {
    case BY_SECONDS: return r->seconds;
    case BY_CYCLES: return r->server && !r->cycles ? INFINITY : (double)r->cycles; /* a board that counts none */
    case BY_AREA: return r->area;
    case BY_ENERGY: return r->server ? INFINITY : r->energy;
    case OBJECTIVE_COUNT: break;
    }
    return NAN;
}

vta_status objectives_read(const char *text, objectives *out) {
    *out = (objectives){{BY_SECONDS, BY_AREA}, 2};
    if (!text) return VTA_OK;
    out->count = 0;
    for (const char *word = text;; word += strcspn(word, ",") + 1) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ","), word);
        size_t o = 0;
        while (o < OBJECTIVE_COUNT && strcmp(name, names[o])) o++;
        if (o == OBJECTIVE_COUNT)
            return cli_unknown("--objective", name, "objective", names, OBJECTIVE_COUNT,
                               "Several are written with commas");
        for (size_t i = 0; i < out->count; i++)
            if (out->item[i] == (objective)o)
                return cli_fail(VTA_INVALID_ARGUMENT, "--objective %s: %s is there twice", text, name);
        out->item[out->count++] = (objective)o;
        if (!word[strcspn(word, ",")]) return VTA_OK;
    }
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */

static int by_machine(const void *a, const void *b) {
    const result *x = a, *y = b;
    int order = strcmp(x->machine, y->machine);
    if (!order) order = (x->server != NULL) - (y->server != NULL);
    if (!order && x->server) order = strcmp(x->device ? x->device : "", y->device ? y->device : "");
    return order ? order : strcmp(x->subject, y->subject);
}

/* How many subjects there are in all. */
static size_t count_subjects(const result_list *list) {
    const char *seen[256];
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t k = 0;
        while (k < count && strcmp(seen[k], list->item[i].subject)) k++;
        if (k == count && count < sizeof seen / sizeof *seen) seen[count++] = list->item[i].subject;
    }
    return count;
}

static bool is_of_group(const result_group *g, const result *r) {
    if (strcmp(g->machine, r->machine) || g->is_measured != (r->server != NULL)) return false;
    return !r->server || !strcmp(g->device, r->device);
}

static void add_to_group(result_group *g, const result *r) {
    g->count++;
    g->complete &= !r->error;
    for (int o = 0; o < OBJECTIVE_COUNT; o++) {
        double v = objective_of(r, (objective)o);
        g->value[o] = o == BY_AREA ? fmax(g->value[o], v) : g->value[o] + v;
    }
}

/* Whether `a` makes `b` needless. Of equal ones the first stays. */
static bool beats(const result_group *a, const result_group *b, const objectives *by) {
    bool better = false;
    for (size_t i = 0; i < by->count; i++) {
        if (a->value[by->item[i]] > b->value[by->item[i]]) return false;
        better |= a->value[by->item[i]] < b->value[by->item[i]];
    }
    return better || a < b;
}

static const objectives *sorting;

static int by_objectives(const void *a, const void *b) {
    const result_group *x = a, *y = b;
    if (x->complete != y->complete) return x->complete ? -1 : 1;
    for (size_t i = 0; i < sorting->count; i++) {
        double v = x->value[sorting->item[i]], w = y->value[sorting->item[i]];
        if (v != w) return v < w ? -1 : 1;
    }
    return strcmp(x->machine, y->machine);
}

/* In the order of the first objective what beats a group stands before it; only the front has to be looked at. */
static vta_status mark_front(result_groups *groups, const objectives *by) {
    size_t *front = malloc((groups->count + 1) * sizeof *front), count = 0;
    if (!front) return VTA_NO_MEMORY;
    for (size_t i = 0; i < groups->count && groups->item[i].complete; i++) {
        bool beaten = false;
        for (size_t k = count; k-- > 0 && !beaten;) beaten = beats(&groups->item[front[k]], &groups->item[i], by);
        groups->item[i].pareto = !beaten;
        if (!beaten) front[count++] = i;
    }
    free(front);
    return VTA_OK;
}

vta_status results_group(result_list *list, const objectives *by, result_groups *out) {
    *out = (result_groups){.item = calloc(list->count + 1, sizeof *out->item), .subjects = count_subjects(list)};
    if (!out->item) return VTA_NO_MEMORY;
    if (list->count) qsort(list->item, list->count, sizeof *list->item, by_machine);
    for (size_t i = 0; i < list->count; i++) {
        const result *r = &list->item[i];
        bool same = out->count && is_of_group(&out->item[out->count - 1], r);
        if (same && i && !strcmp(list->item[i - 1].subject, r->subject)) continue; /* of another version, say */
        if (!same)
            out->item[out->count++] = (result_group){.machine = r->machine,
                                                     .device = r->device ? r->device : "tsim",
                                                     .is_measured = r->server,
                                                     .complete = true};
        add_to_group(&out->item[out->count - 1], r);
    }
    for (size_t i = 0; i < out->count; i++) {
        out->item[i].complete &= out->item[i].count == out->subjects;
        for (size_t k = 0; k < by->count; k++) out->item[i].complete &= isfinite(out->item[i].value[by->item[k]]);
    }
    sorting = by;
    if (out->count) qsort(out->item, out->count, sizeof *out->item, by_objectives);
    return mark_front(out, by);
}

static result_label label_of(const result *r) { return result_label_of(r->machine, r->device, r->server); }
static result_label label_of_group(const result_group *g) {
    return result_label_of(g->machine, g->device, g->is_measured);
}

static json_t *group_json(const result_group *g) {
    json_t *o = json_pack("{s:s, s:s, s:b, s:I, s:b}", "machine", g->machine, "device", g->device, "measured",
                          g->is_measured, "subjects", (json_int_t)g->count, "complete", g->complete);
    for (int i = 0; i < OBJECTIVE_COUNT && g->complete; i++)
        json_object_set_new(o, names[i], isfinite(g->value[i]) ? json_real(g->value[i]) : json_null());
    json_object_set_new(o, "pareto", json_boolean(g->pareto));
    return o;
}

static int width_of(const result_groups *groups, bool front) {
    size_t width = 12;
    for (size_t i = 0; i < groups->count; i++) {
        size_t n = strlen(label_of_group(&groups->item[i]).text);
        if ((!front || groups->item[i].pareto) && n > width) width = n;
    }
    return (int)width;
}

/* Nothing where it is not known. */
static void print_value(int width, int places, double value) {
    if (isfinite(value))
        printf(" %*.*f", width, places, value);
    else
        printf(" %*s", width, "-");
}

void results_print_groups(const result_groups *groups, const objectives *by, bool front, size_t limit, bool json) {
    json_t *list = json ? json_array() : NULL;
    int width = width_of(groups, front);
    if (!json) printf("%-*s %14s %12s %12s %12s\n", width, "machine", "cycles", "ms", "area", "energy mJ");
    for (size_t i = 0, shown = 0; i < groups->count && shown < limit; i++) {
        const result_group *g = &groups->item[i];
        if (front && !g->pareto) continue;
        shown++;
        if (json)
            json_array_append_new(list, group_json(g));
        else if (g->complete) {
            printf("%-*s", width, label_of_group(g).text);
            print_value(14, 0, g->value[BY_CYCLES]);
            print_value(12, 3, g->value[BY_SECONDS] * 1e3);
            printf(" %11.3fM", g->value[BY_AREA] / 1e6);
            print_value(12, 3, g->value[BY_ENERGY] * 1e3);
            printf("%s\n", g->pareto ? " *" : "");
        } else
            printf("%-*s %zu of %zu subjects\n", width, label_of_group(g).text, g->count, groups->subjects);
    }
    if (json) {
        cli_print_json(list);
        return;
    }
    printf("sums over %zu subject%s; * no other machine is as good in", groups->subjects,
           groups->subjects == 1 ? "" : "s");
    for (size_t i = 0; i < by->count; i++) printf("%s %s", i ? "," : "", names[by->item[i]]);
    printf("\n");
}

/* ---- Results one by one ----------------------------------------------------------------------------------------- */

static int by_subject(const void *a, const void *b) {
    const result *x = a, *y = b;
    int order = strcmp(x->subject, y->subject);
    if (order) return order;
    if (!x->error != !y->error) return x->error ? 1 : -1;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return strcmp(x->machine, y->machine);
}

void results_mark_pareto(result_list *list) {
    if (list->count) qsort(list->item, list->count, sizeof *list->item, by_subject);
    double least = INFINITY;
    for (size_t i = 0; i < list->count; i++) { /* the fastest first: on the front is what is smaller than all before */
        result *r = &list->item[i];
        if (i && strcmp(list->item[i - 1].subject, r->subject)) least = INFINITY;
        r->pareto = false;
        if (r->error) continue;
        /* of equally fast ones only the smallest */
        double smallest = r->area;
        for (size_t k = i + 1; k < list->count && !list->item[k].error && list->item[k].seconds == r->seconds &&
                               !strcmp(list->item[k].subject, r->subject);
             k++)
            smallest = fmin(smallest, list->item[k].area);
        r->pareto = r->area < least && r->area <= smallest;
        if (r->pareto) least = r->area;
    }
}

/* With a space in front; nothing where no pictures were given. */
static void print_accuracy(const result *r) {
    if (r->accuracy.pictures) printf(" %6.1f%%", 100 * (double)r->accuracy.top1 / (double)r->accuracy.pictures);
}

static void print_table(const result_list *list) {
    int width = 12, subjects = 0;
    for (size_t i = 0; i < list->count; i++) {
        int n = (int)strlen(label_of(&list->item[i]).text);
        if (n > width) width = n;
        subjects += !i || strcmp(list->item[i - 1].subject, list->item[i].subject);
    }
    for (size_t i = 0; i < list->count; i++) {
        const result *r = &list->item[i];
        bool first = !i || strcmp(list->item[i - 1].subject, r->subject);
        if (first && subjects > 1) printf("%s%s\n", i ? "\n" : "", r->subject);
        if (first)
            printf("%-*s %12s %10s %7s %7s %9s %13s %10s %12s%s\n", width, "machine", "cycles", "ms", "GEMM", "bus",
                   "roofline", "buffer bytes", "energy mJ", "area", r->accuracy.pictures ? "   top-1" : "");
        if (r->error)
            printf("%-*s %s\n", width, label_of(r).text, r->error);
        else if (r->server)
            printf("%-*s %12llu %10.3f measured at %s, %u runs %s\n", width, label_of(r).text,
                   (unsigned long long)r->cycles, r->seconds * 1e3, r->server, (unsigned)r->runs, r->pareto ? "*" : "");
        else {
            printf("%-*s %12llu %10.3f %6.1f%% %6.1f%% %8.1f%% %13llu %10.3f %11.3fM", width, label_of(r).text,
                   (unsigned long long)r->cycles, r->seconds * 1e3, 100 * r->utilization, 100 * r->bus,
                   100 * r->roofline, (unsigned long long)r->buffer_bytes, r->energy * 1e3, r->area / 1e6);
            print_accuracy(r);
            printf(" %s\n", r->pareto ? "*" : "");
        }
    }
    printf("* no other machine is both faster and smaller\n");
}

static void print_json(const result_list *list) {
    json_t *rows = json_array();
    for (size_t i = 0; i < list->count; i++) {
        json_t *row = result_json(&list->item[i], true);
        if (!list->item[i].error) json_object_set_new(row, "pareto", json_boolean(list->item[i].pareto));
        json_array_append_new(rows, row);
    }
    cli_print_json(rows);
}

static vta_status write_plot(const result_list *list, const char *path, const char *title) {
    char *svg = results_svg(list, title);
    if (svg == NULL) return VTA_NO_MEMORY;
    vta_status status = cli_write_file(path, svg, strlen(svg));
    if (status == VTA_OK && strcmp(path, "-")) fprintf(stderr, "plot: %s\n", path);
    free(svg);
    return status;
}

vta_status results_report(result_list *list, bool json, const char *svg, const char *title) {
    size_t done = 0;
    for (size_t i = 0; i < list->count; i++) done += !list->item[i].error;
    results_mark_pareto(list);
    if (json)
        print_json(list);
    else
        print_table(list);
    if (done == 0) return cli_fail(VTA_UNSUPPORTED, "no machine of the sweep could be timed");
    return svg ? write_plot(list, svg, title) : VTA_OK;
}

static void print_quoted(FILE *out, const char *text) {
    putc('"', out);
    for (; text && *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void results_print_csv(const result_list *list, FILE *out) {
    fprintf(out, "machine,subject,cycles,seconds,gemm_utilization,bus_utilization,roofline_fraction,buffer_bytes,area,"
                 "energy,runs,accelerator_layers,host_layers,pictures,top1,top5,device,server,error\n");
    for (size_t i = 0; i < list->count; i++) {
        const result *r = &list->item[i];
        print_quoted(out, r->machine);
        putc(',', out);
        print_quoted(out, r->subject);
        if (r->error)
            fprintf(out, ",,,,,,,,,,,,,,,,,");
        else
            fprintf(out, ",%llu,%.9g,%.9g,%.9g,%.9g,%llu,%.9g,%.9g,%llu,%llu,%llu", (unsigned long long)r->cycles,
                    r->seconds, r->utilization, r->bus, r->roofline, (unsigned long long)r->buffer_bytes, r->area,
                    r->energy, (unsigned long long)r->runs, (unsigned long long)r->accelerator_layers,
                    (unsigned long long)r->host_layers);
        if (r->accuracy.pictures)
            fprintf(out, ",%llu,%llu,%llu", (unsigned long long)r->accuracy.pictures,
                    (unsigned long long)r->accuracy.top1, (unsigned long long)r->accuracy.top5);
        else if (!r->error)
            fprintf(out, ",,,");
        if (!r->error) fprintf(out, ",%s,%s,", r->device ? r->device : "tsim", r->server ? r->server : "");
        if (r->error) print_quoted(out, r->error);
        putc('\n', out);
    }
}
