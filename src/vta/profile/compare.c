/* Two profiles side by side, as text: what the second changed. */
#include <stdio.h>
#include <string.h>

#include "profile/profile_priv.h"
#include "vta/support.h"

/* A row: a figure of both, and how many times the first the second is. */
static void row(vt_strbuf *sb, const char *name, double a, double b, const char *format) {
    char left[32], right[32], ratio[32] = "";
    snprintf(left, sizeof left, format, a);
    snprintf(right, sizeof right, format, b);
    if (a > 0) snprintf(ratio, sizeof ratio, "%.3f", b / a);
    vt_strbuf_addf(sb, "%-34s %14s %14s %8s\n", name, left, right, ratio);
}

static void head_rows(vt_strbuf *sb, const vta_profile *p, const vta_profile *q) {
    vta_timing_summary a = vta_timing_summarize(p->config, &p->timing, &p->sum);
    vta_timing_summary b = vta_timing_summarize(q->config, &q->timing, &q->sum);
    row(sb, "cycles", (double)p->sum.cycles, (double)q->sum.cycles, "%.0f");
    row(sb, "milliseconds", a.seconds * 1e3, b.seconds * 1e3, "%.4f");
    row(sb, "GEMM utilization, %", 100 * a.gemm_utilization, 100 * b.gemm_utilization, "%.1f");
    row(sb, "read bus busy, %", 100 * a.bus_utilization, 100 * b.bus_utilization, "%.1f");
    row(sb, "bytes moved", (double)a.bytes, (double)b.bytes, "%.0f");
}

static void kind_rows(vt_strbuf *sb, const vta_profile *p, const vta_profile *q) {
    vt_strbuf_add(sb, "\ncycles by kind of instruction\n");
    for (int k = 0; k < VTA_KIND_COUNT; k++)
        if (p->sum.kind_count[k] || q->sum.kind_count[k])
            row(sb, vta_insn_kind_name((vta_insn_kind)k), (double)p->sum.kind_cycles[k], (double)q->sum.kind_cycles[k],
                "%.0f");
}

static void state_rows(vt_strbuf *sb, const vta_profile *p, const vta_profile *q) {
    for (int u = VTA_UNIT_LOAD; u < VTA_UNIT_COUNT; u++) {
        vt_strbuf_addf(sb, "\n%s, cycles\n", vta_unit_name((vta_unit)u));
        for (int s = 0; s < VTA_STATE_COUNT; s++)
            if (p->sum.state[u][s] || q->sum.state[u][s])
                row(sb, vta_unit_state_text((vta_unit_state)s), (double)p->sum.state[u][s], (double)q->sum.state[u][s],
                    "%.0f");
    }
}

/* ---- Layers of networks ----------------------------------------------------------------------------------------- */

static bool is_on_device(const vta_profile_layer *l) { return l->end > l->begin; }

static bool are_alike(const vta_profile_layer *a, const vta_profile_layer *b) {
    return is_on_device(a) == is_on_device(b) && !strcmp(a->name, b->name);
}

/* The layer of `p` that is as layer `index` of `q` is, counted among those of that name. NULL: there is none. */
static const vta_profile_layer *same_layer(const vta_profile *p, const vta_profile *q, size_t index) {
    size_t before = 0;
    for (size_t i = 0; i < index; i++) before += are_alike(&q->layers[i], &q->layers[index]);
    for (size_t i = 0; i < p->layer_count; i++)
        if (are_alike(&p->layers[i], &q->layers[index]) && before-- == 0) return &p->layers[i];
    return NULL;
}

static void add_figure(vt_strbuf *sb, const vta_profile_layer *l) {
    char text[32] = "";
    if (l && is_on_device(l)) snprintf(text, sizeof text, "%llu", (unsigned long long)(l->end - l->begin));
    if (l && !is_on_device(l)) snprintf(text, sizeof text, "host %.3f ms", l->seconds * 1e3);
    vt_strbuf_addf(sb, " %14s", text);
}

static void layer_row(vt_strbuf *sb, const char *name, const vta_profile_layer *a, const vta_profile_layer *b) {
    enum { WIDTH = 34 };
    char text[512];
    const bool comparable = a && b && is_on_device(a);
    vt_strbuf_addf(sb, "%-*s", WIDTH, vta_short_name(name, WIDTH, text, sizeof text));
    add_figure(sb, a);
    add_figure(sb, b);
    if (comparable) vt_strbuf_addf(sb, " %8.3f", (double)(b->end - b->begin) / (double)(a->end - a->begin));
    vt_strbuf_add(sb, "\n");
}

static double host_seconds(const vta_profile *p) {
    double sum = 0;
    for (size_t i = 0; i < p->layer_count; i++) sum += p->layers[i].seconds;
    return sum;
}

static void layer_rows(vt_strbuf *sb, const vta_profile *p, const vta_profile *q) {
    if (!p->layer_count && !q->layer_count) return;
    vt_strbuf_add(sb, "\ncycles by layer\n");
    for (size_t i = 0; i < p->layer_count; i++) layer_row(sb, p->layers[i].name, &p->layers[i], same_layer(q, p, i));
    for (size_t i = 0; i < q->layer_count; i++)
        if (!same_layer(p, q, i)) layer_row(sb, q->layers[i].name, NULL, &q->layers[i]);
    row(sb, "host, milliseconds", host_seconds(p) * 1e3, host_seconds(q) * 1e3, "%.3f");
}

vta_status vta_profile_compare(const vta_profile *profile, const char *title, const vta_profile *other,
                               const char *other_title, vta_diag *diag, char **out_text) {
    if (out_text) *out_text = NULL;
    if (!profile || !other || !out_text)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_compare: a profile or out_text is NULL");
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_strbuf_addf(&sb, "A: %s\nB: %s\n\n%-34s %14s %14s %8s\n", title ? title : "the first program",
                   other_title ? other_title : "the second program", "", "A", "B", "B/A");
    head_rows(&sb, profile, other);
    layer_rows(&sb, profile, other);
    kind_rows(&sb, profile, other);
    state_rows(&sb, profile, other);
    return vt_profile_hand_out(&sb, VTA_OK, diag, out_text);
}
