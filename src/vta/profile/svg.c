/* The timeline as a picture: a row a unit, a box an instruction, what a unit waits for in grey. */
#include <math.h>

#include "base/xml.h"
#include "profile/profile_priv.h"

enum { LEFT = 84, TOP = 44, ROW = 46, BOX = 28, BOTTOM = 62 };

typedef struct picture {
    const vta_profile *p;
    vt_strbuf *sb;
    double scale; /* pixels a cycle */
    uint64_t from, to;
    uint32_t width;
    struct pending {     /* a box that may still grow: neighbours of one color and less than a pixel are one box */
        double a, b;     /* pixels */
        double from, to; /* cycles */
        const char *color, *label;
    } pending[VTA_UNIT_COUNT];
} picture;

static const char *const colors[VTA_KIND_COUNT] = {
    [VTA_KIND_LOAD_INP] = "#3b82f6", [VTA_KIND_LOAD_WGT] = "#8b5cf6", [VTA_KIND_LOAD_ACC] = "#06b6d4",
    [VTA_KIND_LOAD_UOP] = "#64748b", [VTA_KIND_GEMM] = "#10b981",     [VTA_KIND_RESET] = "#84cc16",
    [VTA_KIND_ALU_IMM] = "#f59e0b",  [VTA_KIND_ALU] = "#f97316",      [VTA_KIND_STORE] = "#ec4899",
    [VTA_KIND_NOP] = "#94a3b8",      [VTA_KIND_FINISH] = "#ef4444"};

static double x_of(const picture *d, double cycle) {
    double x = LEFT + (cycle - (double)d->from) * d->scale;
    return x < LEFT ? LEFT : x > d->width - 12.0 ? d->width - 12.0 : x;
}

static void flush(picture *d, int unit) {
    struct pending *p = &d->pending[unit];
    if (p->color == NULL) return;
    double width = p->b - p->a, gap = width > 3 ? 0.6 : 0;
    if (width < 0.4) width = 0.4;
    vt_strbuf_addf(d->sb, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"%s\" fill=\"%s\">", p->a,
                   TOP + unit * ROW, width - gap, BOX, gap > 0 ? "2" : "0", p->color);
    vt_strbuf_addf(d->sb, "<title>%s, cycles %.0f to %.0f</title></rect>\n", p->label, p->from, p->to);
}

static void box(picture *d, int unit, double from, double to, const char *color, const char *label) {
    struct pending *p = &d->pending[unit];
    double a = x_of(d, from), b = x_of(d, to);
    if (b <= a) return;
    if (p->color == color && a - p->b < 0.4 && b - a < 1) {
        p->b = b;
        p->to = to;
        return;
    }
    if (p->color && b - a < 0.05 && a - p->b < 0.4) return; /* lost between others */
    flush(d, unit);
    *p = (struct pending){a, b, from, to, color, label};
}

/* What a unit waited for tokens, as a line under its row. */
static void wait_line(picture *d, int unit, double from, double to) {
    double a = x_of(d, from), b = x_of(d, to);
    if (b - a < 0.3) return;
    vt_strbuf_addf(d->sb, "<rect class=\"wait\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"3\"/>\n", a,
                   TOP + unit * ROW + BOX + 3, b - a);
}

static void unit_row(picture *d, int unit) {
    vt_strbuf_addf(d->sb, "<text x=\"%d\" y=\"%d\" class=\"unit\">%s</text>\n", LEFT - 10, TOP + unit * ROW + 19,
                   vta_unit_name((vta_unit)unit));
    vt_strbuf_addf(d->sb, "<rect class=\"track\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", LEFT,
                   TOP + unit * ROW, (int)d->width - LEFT - 12, BOX);
}

static void run_boxes(picture *d, const vt_profile_run *run) {
    vt_fetch_batch batch;
    for (uint32_t i = 0; vt_profile_fetch_batch(d->p, run, i, &batch); i++)
        box(d, VTA_UNIT_FETCH, (double)(run->begin + batch.start), (double)(run->begin + batch.finish), "#94a3b8",
            "fetch");
    for (uint32_t i = 0; i < run->count; i++) {
        const vta_insn_time *t = &run->times[i];
        if (t->start == UINT64_MAX) continue; /* never ran */
        box(d, t->unit, (double)(run->begin + t->start), (double)(run->begin + t->end), colors[t->kind],
            vta_insn_kind_name((vta_insn_kind)t->kind));
        if (t->wait_prev + t->wait_next)
            wait_line(d, t->unit, (double)(run->begin + t->start - t->wait_prev - t->wait_next),
                      (double)(run->begin + t->start));
    }
}

static void ruler(picture *d) {
    double span = (double)(d->to - d->from), step = pow(10, floor(log10(span / 5)));
    if (span / step > 12) step *= 2;
    if (span / step > 12) step *= 2.5;
    int y = TOP + VTA_UNIT_COUNT * ROW - (ROW - BOX) + 8;
    for (double at = ceil((double)d->from / step) * step; at <= (double)d->to; at += step) {
        double x = x_of(d, at);
        vt_strbuf_addf(d->sb, "<path class=\"tick\" d=\"M%.2f %dV%d\"/>", x, TOP - 4, y);
        vt_strbuf_addf(d->sb, "<text class=\"number\" x=\"%.2f\" y=\"%d\">%.0f</text>\n", x, y + 14, at);
    }
}

static void legend(picture *d, int y) {
    double x = LEFT;
    for (int k = 0; k < VTA_KIND_COUNT; k++) {
        if (d->p->sum.kind_count[k] == 0 || k == VTA_KIND_FINISH) continue;
        const char *name = vta_insn_kind_name((vta_insn_kind)k);
        vt_strbuf_addf(d->sb, "<rect x=\"%.0f\" y=\"%d\" width=\"11\" height=\"11\" rx=\"2\" fill=\"%s\"/>", x, y,
                       colors[k]);
        vt_strbuf_addf(d->sb, "<text class=\"legend\" x=\"%.0f\" y=\"%d\">%s</text>\n", x + 16, y + 10, name);
        size_t size = 0;
        while (name[size]) size++;
        x += 34 + 6.4 * (double)size;
    }
    vt_strbuf_addf(d->sb, "<rect class=\"wait\" x=\"%.0f\" y=\"%d\" width=\"14\" height=\"3\"/>", x, y + 4);
    vt_strbuf_addf(d->sb, "<text class=\"legend\" x=\"%.0f\" y=\"%d\">waiting for a token</text>\n", x + 20, y + 10);
}

static void draw(picture *d, const char *title) {
    int height = TOP + VTA_UNIT_COUNT * ROW + BOTTOM;
    vt_strbuf_addf(d->sb,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %d\" width=\"%u\" height=\"%d\" "
                   "role=\"img\" aria-label=\"timeline of the units\" font-family=\"system-ui, sans-serif\">\n",
                   d->width, height, d->width, height);
    vt_strbuf_add(d->sb,
                  "<style>.back{fill:#fff}.track{fill:#f1f5f9}text{fill:#1e293b;font-size:12px}.unit{text-anchor:end;"
                  "font-weight:600}.number{text-anchor:middle;fill:#64748b;font-size:11px}.tick{stroke:#cbd5e1;"
                  "stroke-width:.7}.head{font-size:14px;font-weight:600}.wait{fill:#dc4c3f;fill-opacity:.8}"
                  "@media(prefers-color-scheme:dark){.back{fill:#0f172a}.track{fill:#1e293b}text{fill:#e2e8f0}"
                  ".number{fill:#94a3b8}.tick{stroke:#334155}}</style>\n");
    vt_strbuf_addf(d->sb, "<rect class=\"back\" width=\"%u\" height=\"%d\"/>\n<text class=\"head\" x=\"%d\" y=\"24\">",
                   d->width, height, LEFT);
    vt_xml_text(d->sb, title ? title : "VTA");
    vt_strbuf_addf(d->sb, ": %llu cycles</text>\n", (unsigned long long)d->p->sum.cycles);
    for (int u = 0; u < VTA_UNIT_COUNT; u++) unit_row(d, u);
    ruler(d);
    for (size_t r = 0; r < d->p->run_count; r++) run_boxes(d, &d->p->runs[r]);
    for (int u = 0; u < VTA_UNIT_COUNT; u++) flush(d, u);
    legend(d, height - 22);
    vt_strbuf_add(d->sb, "</svg>\n");
}

vta_status vta_profile_svg(const vta_profile *profile, const char *title, uint32_t width, uint64_t from, uint64_t to,
                           vta_diag *diag, char **out_svg) {
    if (out_svg) *out_svg = NULL;
    if (profile == NULL || out_svg == NULL || width < 200 || width > 20000)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "vta_profile_svg: needs a profile and a width of 200 to 20000 pixels");
    if (to == 0 || to > profile->sum.cycles) to = profile->sum.cycles ? profile->sum.cycles : 1;
    if (from >= to)
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "vta_profile_svg: cycles %llu to %llu are not part of the %llu of this profile",
                       (unsigned long long)from, (unsigned long long)to, (unsigned long long)profile->sum.cycles);
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    picture d = {.p = profile, .sb = &sb, .from = from, .to = to, .width = width};
    d.scale = (width - LEFT - 12.0) / (double)(to - from);
    draw(&d, title);
    return vt_profile_hand_out(&sb, VTA_OK, diag, out_svg);
}
