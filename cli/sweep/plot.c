#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"
#include "sweep.h"
#include "vta/support.h"

enum { WIDTH = 1000, HEIGHT = 480, LEFT = 76, RIGHT = 330, TOP = 46, BOTTOM = 56 };

double sweep_area(const vta_config *config, const vta_timing_profile *timing) {
    double batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    double inp = vta_config_width(config, VTA_MEM_INP), wgt = vta_config_width(config, VTA_MEM_WGT);
    double acc = vta_config_width(config, VTA_MEM_ACC), bits = 0;
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_OUT};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        bits += 8.0 * vta_config_buffer_bytes(config, memories[i]);
    double gemm = batch * in * out * (inp * wgt + acc), alu = batch * out * acc * acc;
    return gemm / timing->gemm_step + alu + bits / 10 + 30.0 * timing->bus_bits;
}

typedef struct plot {
    FILE *out;
    double x0, x1, y0, y1; /* least and greatest, with a margin */
} plot;

static void VTA_PRINTF(2, 3) add(plot *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vfprintf(p->out, fmt, args);
    va_end(args);
}

static void add_text(plot *p, const char *text) {
    char *escaped = vta_xml_escape(text);
    add(p, "%s", escaped ? escaped : "");
    vta_string_free(escaped);
}

static double X(const plot *p, double v) { return LEFT + (WIDTH - LEFT - RIGHT) * log(v / p->x0) / log(p->x1 / p->x0); }
static double Y(const plot *p, double v) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * log(v / p->y0) / log(p->y1 / p->y0);
}

static void bounds(plot *p, const result *points, size_t count) {
    p->x0 = p->y0 = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (points[i].error) continue;
        p->x0 = fmin(p->x0, points[i].area);
        p->x1 = fmax(p->x1, points[i].area);
        p->y0 = fmin(p->y0, points[i].seconds);
        p->y1 = fmax(p->y1, points[i].seconds);
    }
    double mx = fmax(pow(p->x1 / p->x0, 0.1), 1.03), my = fmax(pow(p->y1 / p->y0, 0.1), 1.03);
    p->x0 /= mx;
    p->x1 *= mx;
    p->y0 /= my;
    p->y1 *= my;
}

static void tick(plot *p, double v, bool horizontal, double unit) {
    if (horizontal)
        add(p, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
            X(p, v), TOP, HEIGHT - BOTTOM, X(p, v), HEIGHT - BOTTOM + 18, v / unit);
    else
        add(p, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
            LEFT, Y(p, v), WIDTH - RIGHT, LEFT - 8, Y(p, v) + 4, v / unit);
}

/* 1, 2, 5, 10, ... between the bounds; even steps where the span is less than a factor of five. */
static void axis(plot *p, double least, double most, bool horizontal, double unit) {
    if (most / least < 5) {
        double step = pow(10, floor(log10((most - least) / 4)));
        while ((most - least) / step > 8) step *= 2;
        for (double v = ceil(least / step) * step; v <= most; v += step) tick(p, v, horizontal, unit);
        return;
    }
    for (double power = pow(10, floor(log10(least))); power <= most; power *= 10)
        for (int i = 1; i <= 5; i += i == 1 ? 1 : 3)
            if (power * i >= least && power * i <= most) tick(p, power * i, horizontal, unit);
}

static int by_area(const void *a, const void *b) {
    const result *x = *(const result *const *)a, *y = *(const result *const *)b;
    return x->area < y->area ? -1 : x->area > y->area;
}

/* The front as stairs, and its points with their names. */
static void front(plot *p, const result *points, size_t count) {
    const result **order = calloc(count + 1, sizeof *order);
    int n = 0;
    for (size_t i = 0; order && i < count; i++)
        if (points[i].pareto) order[n++] = &points[i];
    if (n) qsort(order, (size_t)n, sizeof *order, by_area);
    if (n) add(p, "<path class=\"front\" d=\"");
    for (int i = 0; i < n; i++) add(p, i ? "H%.1fV%.1f" : "M%.1f %.1f", X(p, order[i]->area), Y(p, order[i]->seconds));
    if (n) add(p, "H%d\"/>\n", WIDTH - RIGHT);
    double last = -100;
    for (int i = n - 1; i >= 0; i--) { /* from the bottom up, no closer than a line */
        double y = Y(p, order[i]->seconds) + 4;
        if (last > 0 && y > last - 15) y = last - 15;
        last = y;
        add(p, "<text class=\"name\" x=\"%d\" y=\"%.1f\">", WIDTH - RIGHT + 26, y);
        add_text(p, order[i]->machine);
        add(p, "</text><path class=\"lead\" d=\"M%.1f %.1fL%d %.1f\"/>\n", X(p, order[i]->area) + 6,
            Y(p, order[i]->seconds), WIDTH - RIGHT + 22, y - 4);
    }
    free(order);
}

static void dots(plot *p, const result *points, size_t count, bool best) {
    for (size_t i = 0; i < count; i++) {
        if (points[i].error || points[i].pareto != best) continue;
        add(p, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\"><title>", best ? "best" : "point",
            X(p, points[i].area), Y(p, points[i].seconds));
        add_text(p, points[i].machine);
        add(p, ": %.3f ms, area %.3f million</title></circle>\n", points[i].seconds * 1e3, points[i].area / 1e6);
    }
}

static void begin(plot *p, const char *title) {
    add(p,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
        "aria-label=\"time over area of the machines of a sweep\" font-family=\"system-ui, sans-serif\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    add(p,
        "<style>.back{fill:#fff}text{fill:#5b6779;font-size:12px}.grid{stroke:#e3e7ed;fill:none}.head{font-size:15px;"
        "font-weight:600}.head,.name{fill:#182233}.point{fill:#a8b3c4}.best{fill:#2563eb}.front{stroke:#2563eb;"
        "stroke-width:1.8;fill:none}.lead{stroke:#a8b3c4;stroke-width:.8}");
    add(p, "@media(prefers-color-scheme:dark){.back{fill:#0d131f}text{fill:#93a1b8}.grid{stroke:#2a374d}"
           ".head,.name{fill:#e5eaf2}.point{fill:#5f7191}.best{fill:#7aa5ff}.front{stroke:#7aa5ff}}</style>\n");
    add(p, "<rect class=\"back\" width=\"%d\" height=\"%d\"/><text class=\"head\" x=\"%d\" y=\"26\">", WIDTH, HEIGHT,
        LEFT);
    add_text(p, title);
    add(p, "</text>\n");
}

char *results_svg(const result_list *list, const char *title) {
    const result *points = list->item;
    size_t count = list->count;
    char *text = NULL;
    size_t size;
    plot p = {.out = open_memstream(&text, &size)};
    if (p.out == NULL) return NULL;
    bounds(&p, points, count);
    begin(&p, title);
    axis(&p, p.x0, p.x1, true, 1e6);
    axis(&p, p.y0, p.y1, false, 1e-3);
    add(&p, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">area, million units</text>", WIDTH - RIGHT,
        HEIGHT - BOTTOM + 38);
    add(&p, "<text x=\"%d\" y=\"%d\">time, ms</text>\n", 12, TOP - 6);
    front(&p, points, count);
    dots(&p, points, count, false);
    dots(&p, points, count, true);
    add(&p, "</svg>\n");
    bool complete = !ferror(p.out);
    if (fclose(p.out) == 0 && complete) return text;
    free(text);
    return NULL;
}
