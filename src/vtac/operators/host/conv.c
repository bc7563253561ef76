/* Sums of products on the host: what the accelerator does not take. */
#include <string.h>

#include "operators/host/host_priv.h"

static const char *first_type(const vt_host_factors *f) { return f->first ? f->first : "float32"; }
static const char *second_type(const vt_host_factors *f) { return f->second ? f->second : first_type(f); }

/* Of the products and their sums. */
static const char *sum_type(const vt_host_factors *f) {
    bool narrow = strstr(first_type(f), "int8") || strstr(first_type(f), "int16");
    return narrow ? "int32" : first_type(f);
}

static void add_zeros(vt_strbuf *out, const vt_host_factors *f) {
    if (f->first_zeros) vt_strbuf_addf(out, "input zx: %s[%" PRId64 "]\n", first_type(f), f->first_zeros);
    if (f->second_zeros) vt_strbuf_addf(out, "input zw: %s[%" PRId64 "]\n", second_type(f), f->second_zeros);
}

/* "(int32(x[i, k]) - int32(zx[i]))" */
static void add_factor(vt_strbuf *out, const char *wide, const char *element, const char *zeros, int64_t zero_count,
                       const char *at) {
    if (zero_count)
        vt_strbuf_addf(out, "(%s(%s) - %s(%s[%s]))", wide, element, wide, zeros, zero_count > 1 ? at : "0");
    else
        vt_strbuf_addf(out, "%s(%s)", wide, element);
}

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
    char row[96], column[96], element[384], *end;
    size_t size;
    place(row, sizeof row, o, true);
    place(column, sizeof column, o, false);
    vt_strbuf_add(out, "if_then_else(");
    add_condition(out, row, w->h, w->stride_h, o->transposed);
    vt_strbuf_add(out, " && ");
    add_condition(out, column, w->w, w->stride_w, o->transposed);
    vt_strbuf_add(out, ", ");
    snprintf(element, sizeof element, "x[n, o // %" PRId64 " * %" PRId64 " + c, %s", per, in, row);
    end = element + strlen(element);
    size = sizeof element - (size_t)(end - element);
    if (o->transposed)
        snprintf(end, size, " // %" PRId64 ", %s // %" PRId64 "]", w->stride_h, column, w->stride_w);
    else
        snprintf(end, size, ", %s]", column);
    add_factor(out, wide, element, "zx", o->of.first_zeros, "0");
    snprintf(element, sizeof element, "k[o // %" PRId64 " * %" PRId64 " + c, o %% %" PRId64 ", dy, dx]", per, in, per);
    /* of a transposed one nothing is where no input reaches; else there are zeros, which are multiplied */
    if (!o->transposed) vt_strbuf_addf(out, ", %s(0))", wide);
    vt_strbuf_add(out, " * ");
    add_factor(out, wide, o->transposed ? element : "k[o, c, dy, dx]", "zw", o->of.second_zeros, "o");
    if (o->transposed) vt_strbuf_addf(out, ", %s(0))", wide);
}

vta_status vt_host_conv_kernel(const vt_host *host, const vt_host_conv *o, vtac_kernel **out_kernel) {
    const vt_host_window *w = &o->window;
    const char *wide = sum_type(&o->of);
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
                   first_type(&o->of), w->n, w->c, w->h, w->w, second_type(&o->of), o->transposed ? w->c : o->out_c,
                   (o->transposed ? o->out_c : w->c) / o->groups, w->kernel_h, w->kernel_w);
    add_zeros(&text, &o->of);
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

/* ---- Matrices -------------------------------------------------------------------------------------------------- */

/* "[2, 1, 3, 4]" */
static void add_matrices(vt_strbuf *out, const char *name, const char *type, const int64_t *batch, int32_t axes,
                         int64_t rows, int64_t columns) {
    vt_strbuf_addf(out, "input %s: %s[", name, type);
    for (int32_t i = 0; i < axes; i++) vt_strbuf_addf(out, "%" PRId64 ", ", batch[i]);
    vt_strbuf_addf(out, "%" PRId64 ", %" PRId64 "]\n", rows, columns);
}

/* "b0, 0, ": the matrix of an operand that the result's matrix b0, b1 is made of. */
static void add_batch_index(char *to, const int64_t *batch, int32_t axes) {
    for (int32_t i = 0; i < axes; i++) to += sprintf(to, batch[i] == 1 ? "0, " : "b%d, ", (int)i);
}

/* "output r[b0: 2, b1: 3, i: 4, j: 5] = " */
static void add_matrices_result(vt_strbuf *out, const vt_host_matmul *o, const char *kind, const char *name) {
    vt_strbuf_addf(out, "%s %s[", kind, name);
    for (int32_t i = 0; i < o->batch_axes; i++)
        vt_strbuf_addf(out, "b%d: %" PRId64 ", ", (int)i, o->x_batch[i] == 1 ? o->w_batch[i] : o->x_batch[i]);
    vt_strbuf_addf(out, "i: %" PRId64 ", j: %" PRId64 "] = ", o->m, o->n);
}

static void add_matmul_schedule(vt_strbuf *out, const vt_host_matmul *o) {
    if (o->transposed) return;
    vt_strbuf_add(out, "stage r\n  reorder ");
    for (int32_t i = 0; i < o->batch_axes; i++) vt_strbuf_addf(out, "b%d, ", (int)i);
    vt_strbuf_add(out, "i, k, j\n");
}

vta_status vt_host_matmul_kernel(const vt_host *host, const vt_host_matmul *o, vtac_kernel **out_kernel) {
    char batch[8 * VT_HOST_BATCH + 1] = "", element[sizeof batch + 16];
    const char *wide = sum_type(&o->of);
    vt_strbuf text;
    *out_kernel = NULL;
    if (o->batch_axes < 0 || o->batch_axes > VT_HOST_BATCH)
        return vt_fail(host->diag, VTA_UNSUPPORTED, "matmul: %d axes of matrices; at most %d", (int)o->batch_axes,
                       VT_HOST_BATCH);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_add(&text, "kernel matmul\ntarget llvm\n");
    add_matrices(&text, "x", first_type(&o->of), o->x_batch, o->batch_axes, o->m, o->k);
    add_matrices(&text, "w", second_type(&o->of), o->w_batch, o->batch_axes, o->transposed ? o->n : o->k,
                 o->transposed ? o->k : o->n);
    add_zeros(&text, &o->of);
    if (o->bias) vt_strbuf_addf(&text, "input bias: %s[%" PRId64 "]\n", wide, o->n);
    vt_strbuf_addf(&text, "reduce k = %" PRId64 "\n", o->k);
    add_matrices_result(&text, o, o->bias ? "tensor" : "output", "r");
    vt_strbuf_add(&text, "sum[k](");
    add_batch_index(batch, o->x_batch, o->batch_axes);
    snprintf(element, sizeof element, "x[%si, k]", batch);
    add_factor(&text, wide, element, "zx", o->of.first_zeros, "i");
    vt_strbuf_add(&text, " * ");
    add_batch_index(batch, o->w_batch, o->batch_axes);
    snprintf(element, sizeof element, o->transposed ? "w[%sj, k]" : "w[%sk, j]", batch);
    add_factor(&text, wide, element, "zw", o->of.second_zeros, "j");
    vt_strbuf_add(&text, ")\n");
    if (o->bias) {
        add_matrices_result(&text, o, "output", "s");
        vt_strbuf_add(&text, "r[...] + bias[j]\n");
    }
    add_matmul_schedule(&text, o);
    return vt__host_parse(host, "matmul", &text, out_kernel);
}
