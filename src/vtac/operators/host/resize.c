/* Images made larger or smaller. */
#include <math.h>

#include "operators/host/host_priv.h"

/* One axis: the variable of the result, extents, and how much larger the result is. */
typedef struct axis {
    const char *name;
    int64_t in, out;
    double scale;
} axis;

static void add_double(vt_strbuf *out, double value) {
    vt_strbuf_addf(out, "float64(%.17g%s)", value, value == floor(value) && fabs(value) < 1e15 ? ".0" : "");
}

/* "(float64(y) + 0.5) / 2.0 - 0.5": where a row or column of the result lies in the input. */
static void add_place(vt_strbuf *out, vt_host_coordinates how, const axis *a) {
    bool half = how == VT_HOST_HALF_PIXEL || how == VT_HOST_PYTORCH_HALF_PIXEL;
    if (a->out == 1 && (how == VT_HOST_ALIGN_CORNERS || how == VT_HOST_PYTORCH_HALF_PIXEL)) {
        vt_strbuf_addf(out, "float64(0 * %s)", a->name);
        return;
    }
    vt_strbuf_addf(out, half ? "((float64(%s) + float64(0.5)) " : "(float64(%s) ", a->name);
    if (how == VT_HOST_ALIGN_CORNERS) {
        vt_strbuf_add(out, "* ");
        add_double(out, (double)(a->in - 1));
    }
    vt_strbuf_add(out, "/ ");
    add_double(out, how == VT_HOST_ALIGN_CORNERS ? (double)(a->out - 1) : a->scale);
    vt_strbuf_add(out, half ? " - float64(0.5))" : ")");
}

static const char *const before_place[] = {"", "ceil(", "floor(", "floor(", "ceil("};
static const char *const after_place[] = {"", " - float64(0.5))", " + float64(0.5))", ")", ")"};

/* Rows and columns of the input from those of the result, as tensors of their own: the first of two, and the share of
 * the second. */
static void add_axis(vt_strbuf *out, const vt_host_resize *o, const axis *a) {
    vt_strbuf_addf(out, "tensor p%s[%s: %" PRId64 "] = min(max(%s", a->name, a->name, a->out,
                   before_place[o->rounding]);
    add_place(out, o->coordinates, a);
    vt_strbuf_addf(out, "%s, float64(0.0)), ", after_place[o->rounding]);
    add_double(out, (double)(a->in - 1));
    vt_strbuf_addf(out, ")\ntensor f%s[%s: %" PRId64 "] = int32(floor(p%s[%s]))\n", a->name, a->name, a->out, a->name,
                   a->name);
    if (o->rounding == VT_HOST_LINEAR)
        vt_strbuf_addf(out, "tensor s%s[%s: %" PRId64 "] = float32(p%s[%s] - float64(f%s[%s]))\n", a->name, a->name,
                       a->out, a->name, a->name, a->name, a->name);
}

static double scale_of(double given, int64_t in, int64_t out) { return given > 0 ? given : (double)out / (double)in; }

static const char *const linear_value =
    "(x[n, c, fy[y], fz[z]] * (1.0 - sy[y]) + x[n, c, min(fy[y] + 1, %d), fz[z]] * sy[y]) * (1.0 - sz[z]) +\n"
    "    (x[n, c, fy[y], min(fz[z] + 1, %d)] * (1.0 - sy[y]) +\n"
    "    x[n, c, min(fy[y] + 1, %d), min(fz[z] + 1, %d)] * sy[y]) * sz[z]\n";

vta_status vt_host_resize_kernel(const vt_host *host, const vt_host_resize *o, vtac_kernel **out_kernel) {
    vt_strbuf text;
    int bottom = (int)(o->h - 1), right = (int)(o->w - 1);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text,
                   "kernel resize\ntarget llvm\ninput x: float32[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   o->n, o->c, o->h, o->w);
    add_axis(&text, o, &(axis){"y", o->h, o->out_h, scale_of(o->scale_h, o->h, o->out_h)});
    add_axis(&text, o, &(axis){"z", o->w, o->out_w, scale_of(o->scale_w, o->w, o->out_w)});
    vt_strbuf_addf(&text, "output r[n: %" PRId64 ", c: %" PRId64 ", y: %" PRId64 ", z: %" PRId64 "] = ", o->n, o->c,
                   o->out_h, o->out_w);
    if (o->rounding == VT_HOST_LINEAR)
        vt_strbuf_addf(&text, linear_value, bottom, right, bottom, right);
    else
        vt_strbuf_add(&text, "x[n, c, fy[y], fz[z]]\n");
    return vt__host_parse(host, "resize", &text, out_kernel);
}
