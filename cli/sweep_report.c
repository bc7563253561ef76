/* What `vta sweep` prints: a table, JSON, a picture. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"

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

vta_status sweep_report(sweep_point *points, int count, bool json, const char *svg, const char *title) {
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
