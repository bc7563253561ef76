/* Pooling, in any form. */
#include <string.h>

#include "operators/host/host_priv.h"

/* "min(y * 2 + 3 - 1, 56) - max(y * 2 - 1, 0)": how many of the kernel's rows, or columns, are inside. */
static void add_count(vt_strbuf *out, const char *axis, int64_t stride, int64_t extent, int64_t pad, int64_t size) {
    vt_strbuf_addf(out, "(min(%s * %" PRId64 " + %" PRId64 ", %" PRId64 ") - max(%s * %" PRId64 " - %" PRId64 ", 0))",
                   axis, stride, extent - pad, size, axis, stride, pad);
}

/* The same of taps that are apart. */
static void add_count_apart(vt_strbuf *out, const char *axis, int64_t stride, int64_t taps, int64_t dilation,
                            int64_t pad, int64_t size) {
    vt_strbuf_addf(out,
                   "(min((%" PRId64 " - %s * %" PRId64 ") // %" PRId64 " + 1, %" PRId64 ") - max((%" PRId64
                   " - %s * %" PRId64 ") // %" PRId64 ", 0))",
                   size - 1 + pad, axis, stride, dilation, taps, pad + dilation - 1, axis, stride, dilation);
}

static void add_inside(vt_strbuf *out, const char *axis, int64_t stride, int64_t taps, int64_t dilation, int64_t pad,
                       int64_t size) {
    if (dilation > 1)
        add_count_apart(out, axis, stride, taps, dilation, pad, size);
    else
        add_count(out, axis, stride, taps, pad, size);
}

/* The element under tap dy, dx at the axes of the result, where it is inside; else `outside`. */
static void add_tap(vt_strbuf *out, const vt_host_pool *o, const char *cast, const char *outside) {
    const vt_host_window *w = &o->window;
    char row[96], column[96];
    snprintf(row, sizeof row, "y * %" PRId64 " + dy * %" PRId64 " - %" PRId64, w->stride_h, w->dilation_h, w->pad_top);
    snprintf(column, sizeof column, "z * %" PRId64 " + dx * %" PRId64 " - %" PRId64, w->stride_w, w->dilation_w,
             w->pad_left);
    bool inside = !w->pad_top && !w->pad_left &&
                  (w->out_h - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h < w->h &&
                  (w->out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w < w->w;
    if (!inside)
        vt_strbuf_addf(out, "if_then_else(%s >= 0 && %s < %" PRId64 " && %s >= 0 && %s < %" PRId64 ", ", row, row, w->h,
                       column, column, w->w);
    vt_strbuf_addf(out, "%s(x[i0, i1, %s, %s%s])", cast, row, column, o->form.lanes ? ", i4, i5" : "");
    if (!inside) vt_strbuf_addf(out, ", %s)", outside);
}

static void add_extents(vt_strbuf *out, const vt_host_pool *o, int64_t h, int64_t w, bool named) {
    const vt_host_form *f = &o->form;
    int64_t n = f->lanes ? vt__host_blocks(o->window.n, f->rows) : o->window.n;
    int64_t c = f->lanes ? vt__host_blocks(o->window.c, f->lanes) : o->window.c;
    vt_strbuf_addf(out,
                   named ? "[i0: %" PRId64 ", i1: %" PRId64 ", y: %" PRId64 ", z: %" PRId64
                         : "[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64,
                   n, c, h, w);
    if (f->lanes) vt_strbuf_addf(out, named ? ", i4: %u, i5: %u" : ", %u, %u", f->rows, f->lanes);
    vt_strbuf_addc(out, ']');
}

static bool is_float(const vt_host_pool *o) { return !strncmp(o->form.type, "float", 5); }

/* What padding is where the largest is taken. */
static const char *least_of(const vt_host_pool *o, char *to, size_t size) {
    int bits = 0;
    if (is_float(o)) return strcmp(o->form.type, "float64") ? "(-3.4028234e38)" : "(float64(0.0) - float64(1.7e308))";
    bool negative = sscanf(o->form.type, "int%d", &bits) == 1 && bits > 0 && bits <= 64;
    /* the least number has no positive one, of which it would be written */
    snprintf(to, size, "(%s(%" PRId64 ") - %s(%d))", o->form.type,
             negative ? -(int64_t)(((uint64_t)1 << (bits - 1)) - 1) : 0, o->form.type, negative);
    return to;
}

/* Floats are added up in 64 bits, as the evaluator in C does. */
static void add_sum(vt_strbuf *out, const vt_host_pool *o) {
    char least[64];
    vt_strbuf_add(out, o->average ? "sum[dy, dx](" : "max[dy, dx](");
    if (o->average)
        add_tap(out, o, is_float(o) ? "float64" : "int32", is_float(o) ? "float64(0.0)" : "0");
    else
        add_tap(out, o, o->form.type, least_of(o, least, sizeof least));
    vt_strbuf_add(out, ")");
}

static void add_average(vt_strbuf *out, const vt_host_pool *o) {
    const vt_host_window *w = &o->window;
    bool whole = is_float(o);
    const char *wide = whole ? "float64" : "float32";
    vt_strbuf_addf(out, whole ? "%s(%s(t[...]) " : "%s(min(max(nearbyint(%s(t[...]) ", o->form.type, wide);
    if (o->scale != 0) {
        vt_strbuf_addf(out, "* %s(", wide);
        vt__host_float(out, o->scale);
        vt_strbuf_add(out, ") ");
    }
    vt_strbuf_addf(out, "/ %s(", wide);
    if (o->count_padding) {
        vt__host_float(out, (double)(w->kernel_h * w->kernel_w));
    } else {
        add_inside(out, "y", w->stride_h, w->kernel_h, w->dilation_h, w->pad_top, w->h);
        vt_strbuf_add(out, " * ");
        add_inside(out, "z", w->stride_w, w->kernel_w, w->dilation_w, w->pad_left, w->w);
    }
    vt_strbuf_add(out, ")");
    vt_strbuf_add(out, whole ? ")" : "), -128.0), 127.0))");
}

vta_status vt_host_pool_kernel(const vt_host *host, const vt_host_pool *o, vtac_kernel **out_kernel) {
    const vt_host_window *w = &o->window;
    vt_strbuf text;
    *out_kernel = NULL;
    bool known = is_float(o) || !strcmp(o->form.type, "int8");
    if (o->average && !known)
        return vt_fail(host->diag, VTA_UNSUPPORTED, "averages of %s: those of floats and of int8 are compiled",
                       o->form.type);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text, "kernel pool\ntarget llvm\ninput x: %s", o->form.type);
    add_extents(&text, o, w->h, w->w, false);
    vt_strbuf_addf(&text, "\nreduce dy = %" PRId64 ", dx = %" PRId64 "\n%s", w->kernel_h, w->kernel_w,
                   o->average ? "tensor t" : "output r");
    add_extents(&text, o, w->out_h, w->out_w, true);
    vt_strbuf_add(&text, " = ");
    add_sum(&text, o);
    if (o->average) {
        vt_strbuf_add(&text, "\noutput r");
        add_extents(&text, o, w->out_h, w->out_w, true);
        vt_strbuf_add(&text, " = ");
        add_average(&text, o);
    }
    vt_strbuf_addf(&text, "\nstage %s\n", o->average ? "t" : "r");
    if (o->form.lanes) vt_strbuf_add(&text, "  reorder i0, i1, y, z, i4, dy, dx, i5\n  vectorize i5\n");
    if (w->n * w->c * w->h * w->w >= VT__HOST_PARALLEL) vt_strbuf_add(&text, "  fuse i0, i1 -> f\n  parallel f\n");
    return vt__host_parse(host, "pool", &text, out_kernel);
}
