/* Pooling as it is usually written, for blocks of inputs and outputs that are alike: the maximum over the window of an
 * image padded with its type's least value, or (2 * sum + count) // (2 * count) of one padded with zeros. */
#include "operators/match_guess.h"

static void write_reduction(const vtac_op *op, const char *how, long long fill, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    long long n = s->n, co = s->oc;
    bool padded = s->top || s->bottom || s->left || s->right;
    vt_strbuf_addf(out, "kernel own\ninput data: inp_t[%lld, %lld, %lld, %lld, BATCH, BLOCK_IN]\n", n, co,
                   (long long)s->h, (long long)s->w);
    if (padded)
        vt_strbuf_addf(out, "tensor p = pad(data, [0, 0, %lld, %lld, 0, 0], [0, 0, %lld, %lld, 0, 0], %lld)\n",
                       (long long)s->top, (long long)s->left, (long long)s->bottom, (long long)s->right, fill);
    vt_strbuf_addf(
        out,
        "tensor sums[bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT] =\n    %s[dy: %lld, dx: "
        "%lld](acc_t(%s[bo, co, i * %lld + dy, j * %lld + dx, bi, ci]))\n",
        n, co, (long long)s->out_h, (long long)s->out_w, how, (long long)s->kernel_h, (long long)s->kernel_w,
        padded ? "p" : "data", (long long)s->stride_h, (long long)s->stride_w);
}

static void write_maximum(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    (void)b;
    write_reduction(op, "max", -(1LL << (vta_config_width(op->config, VTA_MEM_INP) - 1)), out);
    vt_strbuf_add(out, "output res like sums = out_t(sums[...])\n");
}

static void write_average(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    (void)b;
    long long count = op->shape.kernel_h * op->shape.kernel_w;
    write_reduction(op, "sum", 0, out);
    vt_strbuf_addf(out, "output res like sums = out_t((sums[...] * 2 + %lld) // %lld)\n", count, 2 * count);
}

vta_status vt__match_reduced_window(vt_match_clues *c, const vt_match_direction *y, const vt_match_direction *x) {
    bool padded = y->before || y->after || x->before || x->after;
    c->write = write_maximum;
    VT_TRY(vt__match_try_window(c, "max_pool2d", y, x, ""));
    c->write = write_average;
    VT_TRY(vt__match_try_window(c, "avg_pool2d", y, x, padded ? " count_include_pad=1" : ""));
    c->write = NULL;
    return VTA_OK;
}
