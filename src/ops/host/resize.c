/* Images made larger or smaller. */
#include "ops/host/host_priv.h"

/* "(float32(y) + 0.5) * 0.5 - 0.5": where a row or column of the result lies in the input. */
static void add_place(vt_strbuf *out, const vt_host_resize *o, const char *axis, int64_t in, int64_t result) {
    bool corners = o->coordinates == VT_HOST_ALIGN_CORNERS, half = o->coordinates == VT_HOST_HALF_PIXEL;
    double step = corners ? (result > 1 ? (double)(in - 1) / (double)(result - 1) : 0) : (double)in / (double)result;
    vt_strbuf_addf(out, half ? "((float32(%s) + 0.5) * " : "(float32(%s) * ", axis);
    vt__host_float(out, step);
    vt_strbuf_add(out, half ? " - 0.5)" : ")");
}

/* Rows and columns of the input from those of the result, as tensors of their own: the first of two, and the share of
 * the second. */
static void add_axis(vt_strbuf *out, const vt_host_resize *o, const char *axis, int64_t in, int64_t result) {
    bool nearest = !o->linear;
    vt_strbuf_addf(out, "tensor p%s[%s: %" PRId64 "] = min(max(", axis, axis, result);
    if (nearest && o->coordinates != VT_HOST_ASYMMETRIC) {
        vt_strbuf_add(out, "ceil(");
        add_place(out, o, axis, in, result);
        vt_strbuf_add(out, " - 0.5)");
    } else if (nearest) {
        vt_strbuf_add(out, "floor(");
        add_place(out, o, axis, in, result);
        vt_strbuf_add(out, ")");
    } else {
        add_place(out, o, axis, in, result);
    }
    vt_strbuf_addf(out, ", 0.0), ");
    vt__host_float(out, (double)(in - 1));
    vt_strbuf_addf(out, ")\ntensor f%s[%s: %" PRId64 "] = int32(floor(p%s[%s]))\n", axis, axis, result, axis, axis);
}

static const char *const linear_value =
    "(x[n, c, fy[y], fz[z]] * (1.0 - (py[y] - float32(fy[y]))) +\n"
    "    x[n, c, min(fy[y] + 1, %d), fz[z]] * (py[y] - float32(fy[y]))) * (1.0 - (pz[z] - float32(fz[z]))) +\n"
    "    (x[n, c, fy[y], min(fz[z] + 1, %d)] * (1.0 - (py[y] - float32(fy[y]))) +\n"
    "    x[n, c, min(fy[y] + 1, %d), min(fz[z] + 1, %d)] * (py[y] - float32(fy[y]))) * (pz[z] - float32(fz[z]))\n";

vta_status vt_host_resize_kernel(const vt_host *host, const vt_host_resize *o, vtac_kernel **out_kernel) {
    vt_strbuf text;
    int bottom = (int)(o->h - 1), right = (int)(o->w - 1);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text,
                   "kernel resize\ntarget llvm\ninput x: float32[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   o->n, o->c, o->h, o->w);
    add_axis(&text, o, "y", o->h, o->out_h);
    add_axis(&text, o, "z", o->w, o->out_w);
    vt_strbuf_addf(&text, "output r[n: %" PRId64 ", c: %" PRId64 ", y: %" PRId64 ", z: %" PRId64 "] = ", o->n, o->c,
                   o->out_h, o->out_w);
    if (o->linear)
        vt_strbuf_addf(&text, linear_value, bottom, right, bottom, right);
    else
        vt_strbuf_add(&text, "x[n, c, fy[y], fz[z]]\n");
    return vt__host_parse(host, "resize", &text, out_kernel);
}
