/* Sums of products on the processor: what the accelerator does not take. */
#include <string.h>

#include "ops/host/host_priv.h"

/* Where a tap reads: "y * 2 + dy * 1 - 1"; of a transposed convolution the place before it is divided by the stride. */
static void place(char *to, size_t size, const vt_host_conv *o, bool row) {
    const vt_host_window *w = &o->window;
    int64_t stride = row ? w->stride_h : w->stride_w, dilation = row ? w->dilation_h : w->dilation_w;
    int64_t pad = row ? w->pad_top : w->pad_left;
    const char *out = row ? "y" : "z", *tap = row ? "dy" : "dx";
    if (o->transposed)
        snprintf(to, size, "(%s + %" PRId64 " - %s * %" PRId64 ")", out, pad, tap, dilation);
    else
        snprintf(to, size, "(%s * %" PRId64 " + %s * %" PRId64 " - %" PRId64 ")", out, stride, tap, dilation, pad);
}

static void add_condition(vt_strbuf *out, const char *at, int64_t size, int64_t stride, bool transposed) {
    vt_strbuf_addf(out, "%s >= 0 && %s < %" PRId64, at, at, transposed ? size * stride : size);
    if (transposed && stride > 1) vt_strbuf_addf(out, " && %s %% %" PRId64 " == 0", at, stride);
}

static void add_product(vt_strbuf *out, const vt_host_conv *o, const char *wide) {
    const vt_host_window *w = &o->window;
    int64_t in = w->c / o->groups, per = o->out_c / o->groups;
    char row[96], column[96];
    place(row, sizeof row, o, true);
    place(column, sizeof column, o, false);
    vt_strbuf_add(out, "if_then_else(");
    add_condition(out, row, w->h, w->stride_h, o->transposed);
    vt_strbuf_add(out, " && ");
    add_condition(out, column, w->w, w->stride_w, o->transposed);
    vt_strbuf_addf(out, ", %s(x[n, o // %" PRId64 " * %" PRId64 " + c, %s", wide, per, in, row);
    if (o->transposed) vt_strbuf_addf(out, " // %" PRId64, w->stride_h);
    vt_strbuf_addf(out, ", %s", column);
    if (o->transposed) vt_strbuf_addf(out, " // %" PRId64, w->stride_w);
    if (o->transposed)
        vt_strbuf_addf(out, "]) * %s(k[o // %" PRId64 " * %" PRId64 " + c, o %% %" PRId64 ", dy, dx]), %s(0))", wide,
                       per, in, per, wide);
    else
        vt_strbuf_addf(out, "]) * %s(k[o, c, dy, dx]), %s(0))", wide, wide);
}

vta_status vt_host_conv_kernel(const vt_host *host, const vt_host_conv *o, vtac_kernel **out_kernel) {
    const vt_host_window *w = &o->window;
    const char *wide = strcmp(o->type, "int8") ? o->type : "int32";
    vt_strbuf text;
    *out_kernel = NULL;
    if (o->groups < 1 || w->c % o->groups || o->out_c % o->groups)
        return vt_fail(host->diag, VTA_INVALID_ARGUMENT,
                       "conv: %" PRId64 " groups do not divide %" PRId64 " and %" PRId64 " channels", o->groups, w->c,
                       o->out_c);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text,
                   "kernel conv\ntarget llvm\ninput x: %s[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                   "]\ninput k: %s[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   o->type, w->n, w->c, w->h, w->w, o->type, o->transposed ? w->c : o->out_c,
                   (o->transposed ? o->out_c : w->c) / o->groups, w->kernel_h, w->kernel_w);
    if (o->bias) vt_strbuf_addf(&text, "input bias: %s[%" PRId64 "]\n", wide, o->out_c);
    vt_strbuf_addf(&text, "reduce c = %" PRId64 ", dy = %" PRId64 ", dx = %" PRId64 "\n", w->c / o->groups, w->kernel_h,
                   w->kernel_w);
    vt_strbuf_addf(&text, "%s r[n: %" PRId64 ", o: %" PRId64 ", y: %" PRId64 ", z: %" PRId64 "] = sum[c, dy, dx](",
                   o->bias ? "tensor" : "output", w->n, o->out_c, w->out_h, w->out_w);
    add_product(&text, o, wide);
    vt_strbuf_add(&text, ")\n");
    if (o->bias)
        vt_strbuf_addf(&text,
                       "output s[n: %" PRId64 ", o: %" PRId64 ", y: %" PRId64 ", z: %" PRId64 "] = r[...] + bias[o]\n",
                       w->n, o->out_c, w->out_h, w->out_w);
    vt_strbuf_add(&text, "stage r\n  reorder n, o, y, c, dy, dx, z\n");
    if (w->n * o->out_c * w->out_h * w->out_w * (w->c / o->groups) * w->kernel_h * w->kernel_w >= VT__HOST_PARALLEL)
        vt_strbuf_add(&text, "  fuse n, o -> f\n  parallel f\n");
    return vt__host_parse(host, "conv", &text, out_kernel);
}

vta_status vt_host_matmul_kernel(const vt_host *host, const vt_host_matmul *o, vtac_kernel **out_kernel) {
    vt_strbuf text;
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_addf(&text,
                   "kernel matmul\ntarget llvm\ninput x: float32[%" PRId64 ", %" PRId64 ", %" PRId64
                   "]\ninput w: float32[%" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   o->batches, o->m, o->k, o->w_batches, o->transposed ? o->n : o->k, o->transposed ? o->k : o->n);
    if (o->bias) vt_strbuf_addf(&text, "input bias: float32[%" PRId64 "]\n", o->n);
    vt_strbuf_addf(&text,
                   "reduce k = %" PRId64 "\n%s r[b: %" PRId64 ", i: %" PRId64 ", j: %" PRId64
                   "] = sum[k](x[b, i, k] * w[%s, %s])\n",
                   o->k, o->bias ? "tensor" : "output", o->batches, o->m, o->n, o->w_batches == 1 ? "0" : "b",
                   o->transposed ? "j, k" : "k, j");
    if (o->bias)
        vt_strbuf_addf(&text, "output s[b: %" PRId64 ", i: %" PRId64 ", j: %" PRId64 "] = r[...] + bias[j]\n",
                       o->batches, o->m, o->n);
    if (!o->transposed) vt_strbuf_add(&text, "stage r\n  reorder b, i, k, j\n");
    return vt__host_parse(host, "matmul", &text, out_kernel);
}
