/* layer_norm: rows of 16 bits less their mean, divided by the root of the mean of their squares (of RMSNorm: without a
 * mean), from what row_moments has of them.
 *
 * The machine divides nothing, and has no roots. The sum of squares, whose bytes a product with ones puts into all
 * lanes, is shifted to the right by an even amount, where it has 8, 4 or 2 bits more than 16 (small ones are first
 * times 256: never to the left, which not all hardware does by an operand). Of the 15 or 16 bits that are left, v, 1 /
 * sqrt(v) comes from a line, within 9 %, and two steps of Newton's, r * (3 - v * r * r) / 2, which leave it some 12
 * bits. No tables, and no instruction that the original set has not. */
#include "operators/norm.h"

#include <stdio.h>

#define VALUE(name) (op->values[VT_ATTRIBUTE_layer_norm_##name])

vta_status vt__describe_layer_norm(vtac_op *op, vta_diag *diag) {
    return vt__norm_describe(op, VALUE(batch), VALUE(features),
                             vt__ceil_div(VALUE(features), vta_config_block_in(op->config)), diag);
}

/* The bytes' sums, and of them the sum. */
static void write_power(const vt_norm_writing *w) {
    char name[24], last[24], form[32];
    for (int k = VT_NORM_PARTS - 1; k >= 0; k--) {
        snprintf(name, sizeof name, "sum%d", k);
        if (w->stages)
            vt_strbuf_addf(w->out,
                           "stage %s\n  scope acc\n  compute_at res, %s\n  reorder bo, bi, ci, q%d\n  tensorize bi "
                           "gemm\n",
                           name, w->at, k);
        else
            vt_strbuf_addf(w->out,
                           "tensor %s[bo: %lld, bi: BATCH, ci: BLOCK_OUT] = sum[q%d: BLOCK_IN](acc_t(moments_buf[bo, "
                           "%d, bi, q%d]) * acc_t(unit_buf[2, 0, ci, q%d]))\n",
                           name, (long long)w->op->shape.out_h, k, k, k, k);
        if (k < VT_NORM_PARTS - 1) {
            char times[24], power[24];
            snprintf(times, sizeof times, "times%d", k);
            snprintf(power, sizeof power, "power%d", k);
            vt__norm_write_row(w, times, "%s * 256", last, NULL);
            vt__norm_write_row(w, power, "%s + %s", times, name);
            snprintf(last, sizeof last, "%s", power);
        } else {
            snprintf(last, sizeof last, "%s", name);
        }
    }
    const vtac_op *op = w->op;
    snprintf(form, sizeof form, "%%s + %d", (int)VALUE(epsilon));
    vt__norm_write_row(w, "squares", form, "power0", NULL);
    vt__norm_write_row(w, "power", "max(%s, 0)", "squares", NULL); /* of bytes that are none of sums */
}

/* v, and by how much less the result is shifted: "amount". */
static void write_bits(const vt_norm_writing *w) {
    static const struct {
        int by, from;
    } steps[] = {{8, 22}, {4, 18}, {2, 16}};
    char form[32], last[24] = "v16", amount[24] = "amount16";
    vt__norm_write_row(w, "enough", "%s >> 14", "power", NULL);
    vt__norm_write_row(w, "is_enough", "min(%s, 1)", "enough", NULL);
    vt__norm_write_row(w, "less", "%s * -255", "is_enough", NULL);
    vt__norm_write_row(w, "more", "%s + 256", "less", NULL);
    vt__norm_write_row(w, "larger_power", "%s * %s", "power", "more");
    vt__norm_write_row(w, "v16", "max(%s, 16384)", "larger_power", NULL);
    vt__norm_write_row(w, "four", "%s * 4", "is_enough", NULL);
    snprintf(form, sizeof form, "%%s + %d", VT_NORM_AMOUNT - 4);
    vt__norm_write_row(w, "amount16", form, "four", NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char high[24], some[24], by[24], half[24], v[24], next[24];
        int k = steps[i].by;
        snprintf(high, sizeof high, "high%d", k), snprintf(some, sizeof some, "some%d", k);
        snprintf(by, sizeof by, "by%d", k), snprintf(half, sizeof half, "half%d", k);
        snprintf(v, sizeof v, "v%d", k), snprintf(next, sizeof next, "amount%d", k);
        snprintf(form, sizeof form, "%%s >> %d", steps[i].from);
        vt__norm_write_row(w, high, form, last, NULL);
        vt__norm_write_row(w, some, "min(%s, 1)", high, NULL);
        snprintf(form, sizeof form, "%%s * %d", k);
        vt__norm_write_row(w, by, form, some, NULL);
        vt__norm_write_row(w, v, "%s >> %s", last, by);
        snprintf(form, sizeof form, "%%s * %d", k / 2);
        if (k > 2) vt__norm_write_row(w, half, form, some, NULL);
        vt__norm_write_row(w, next, "%s + %s", amount, k > 2 ? half : some);
        snprintf(last, sizeof last, "%s", v);
        snprintf(amount, sizeof amount, "%s", next);
    }
}

/* 2^13 / sqrt(v / 2^16): "root2". */
static void write_root(const vt_norm_writing *w) {
    char form[32], root[24] = "root0";
    snprintf(form, sizeof form, "%%s * %d", -VT_NORM_SLOPE);
    vt__norm_write_row(w, "line", form, "v2", NULL);
    vt__norm_write_row(w, "slope", "%s >> 16", "line", NULL);
    snprintf(form, sizeof form, "%%s + %d", VT_NORM_LINE);
    vt__norm_write_row(w, "root0", form, "slope", NULL);
    for (int k = 1; k <= VT_NORM_STEPS; k++) {
        static const char *const names[] = {"square", "ratio", "product", "part_of", "rest", "factor_of", "next"};
        char n[7][24];
        for (int i = 0; i < 7; i++) snprintf(n[i], sizeof n[i], "%s_%d", names[i], k);
        vt__norm_write_row(w, n[0], "%s * %s", root, root);
        vt__norm_write_row(w, n[1], "%s >> 14", n[0], NULL);
        vt__norm_write_row(w, n[2], "%s * %s", "v2", n[1]);
        vt__norm_write_row(w, n[3], "%s >> 15", n[2], NULL);
        vt__norm_write_row(w, n[4], "%s * -1", n[3], NULL);
        snprintf(form, sizeof form, "%%s + %d", VT_NORM_ONE_AND_A_HALF);
        vt__norm_write_row(w, n[5], form, n[4], NULL);
        vt__norm_write_row(w, n[6], "%s * %s", root, n[5]);
        snprintf(root, sizeof root, "root%d", k);
        vt__norm_write_row(w, root, "%s >> 14", n[6], NULL);
    }
}

static void write_sums(const vt_norm_writing *w) {
    write_power(w);
    write_bits(w);
    write_root(w);
    vt__norm_write_apart(w);
    vt__norm_write_tile(w, "longer", "%s * %s", "apart", "root2");
    vt__norm_write_tile(w, "sums", "%s >> %s", "longer", "amount2");
}

void vt__write_layer_norm(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    char axes[96], shape[96], bias[64];
    vt_norm_writing w = {.op = op, .blocks = op->shape.oc, .out = out};
    long long rows = op->shape.out_h, outs = op->shape.oc;
    snprintf(axes, sizeof axes, "bo: %lld, co: %lld, bi: BATCH, ci: BLOCK_OUT", rows, outs);
    snprintf(shape, sizeof shape, "%lld, %lld, BATCH, BLOCK_OUT", rows, outs);
    snprintf(bias, sizeof bias, "%lld, BATCH, BLOCK_OUT", outs);
    vt__norm_write_inputs(&w);
    vt_strbuf_addf(out,
                   "input moments: inp_t[%lld, %d, BATCH, BLOCK_IN]\ntensor moments_buf like moments = moments[...]\n",
                   rows, VT_NORM_PARTS);
    vt__epilogue_inputs(op, bias, shape, out);
    write_sums(&w);
    vt__epilogue_write_rest(op, b, axes, "bo, co, bi, ci", "co, bi, ci", axes, out);
    w.at = vt__norm_write_tiles(b, true, out);
    w.stages = true;
    write_sums(&w);
    vt_strbuf_addf(out, "stage moments_buf\n  scope inp\n  compute_at res, %s\n  pragma 0 dma_copy\n", w.at);
    vt__norm_write_loads(&w, b);
    vt__epilogue_stages(op, w.at, w.at, out);
    vt__epilogue_gemm_stages(op, b, "bo, co, bi, ci", w.at, out);
}
