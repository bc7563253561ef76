/* Rows of 16 bits in kernel files, and their means. */
#include "operators/norm.h"

#include <math.h>
#include <stdio.h>

#include "base/log2.h"

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

vt_norm_mean vt__norm_mean_of(int64_t features) {
    int32_t up = vt_ceil_log2(features), down = vt_floor_log2(features);
    return (vt_norm_mean){up, (int32_t)lround(ldexp(1, VT_NORM_BITS + down) / (double)features),
                          VT_NORM_BITS + down - up};
}

int32_t vt__norm_square_shift(int64_t features) { return vt_ceil_log2(features); }

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static bool has_mean(const vtac_op *op) {
    return op->is->write == vt__write_layer_norm ? op->values[VT_ATTRIBUTE_layer_norm_mean]
                                                 : op->values[VT_ATTRIBUTE_row_moments_mean];
}

vta_status vt__norm_describe(vtac_op *op, int64_t rows, int64_t features, int64_t blocks, vta_diag *diag) {
    const vta_config *c = op->config;
    if (vta_config_width(c, VTA_MEM_INP) != 8 || vta_config_width(c, VTA_MEM_WGT) != 8 ||
        vta_config_width(c, VTA_MEM_OUT) != 8)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s: bytes only: inputs and weights of 8 bits", op->is->name);
    if (vta_config_block_in(c) != vta_config_block_out(c))
        return vt_fail(diag, VTA_UNSUPPORTED, "%s: BLOCK_IN is %u, BLOCK_OUT %u: blocks of one size only", op->is->name,
                       vta_config_block_in(c), vta_config_block_out(c));
    if (has_mean(op) && features % vta_config_block_in(c))
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "%s: %lld features do not fill blocks of %u, and lanes that stand for none would have a mean",
                       op->is->name, (long long)features, vta_config_block_in(c));
    int64_t tiles = vt__ceil_div(rows, vta_config_batch(c));
    op->terms = features;
    op->shape = (vt_op_shape){.n = 1,
                              .ic = 1,
                              .oc = blocks,
                              .in_total = 1,
                              .group_out = blocks,
                              .h = tiles,
                              .w = 1,
                              .out_h = tiles,
                              .out_w = 1,
                              .kernel_h = 1,
                              .kernel_w = 1,
                              .stride_h = 1,
                              .stride_w = 1,
                              .dilation_h = 1,
                              .dilation_w = 1,
                              .macs = (uint64_t)(rows * features)};
    return VTA_OK;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void stage(const vt_norm_writing *w, const char *name) {
    vt_strbuf_addf(w->out, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", name, w->at);
}

static void add(const vt_norm_writing *w, const char *name, const char *axes, const char *form, const char *left,
                const char *right) {
    vt_strbuf_addf(w->out, "tensor %s[%s] = ", name, axes);
    vt_strbuf_addf(w->out, form, left, right);
    vt_strbuf_addc(w->out, '\n');
}

void vt__norm_write_row(const vt_norm_writing *w, const char *name, const char *form, const char *a, const char *b) {
    char axes[64], left[64], right[64];
    if (w->stages) {
        stage(w, name);
        return;
    }
    snprintf(axes, sizeof axes, "bo: %lld, bi: BATCH, ci: BLOCK_OUT", (long long)w->op->shape.out_h);
    snprintf(left, sizeof left, "%s[bo, bi, ci]", a);
    snprintf(right, sizeof right, "%s[bo, bi, ci]", b ? b : "");
    add(w, name, axes, form, left, right);
}

void vt__norm_write_tile(const vt_norm_writing *w, const char *name, const char *form, const char *a, const char *b) {
    char axes[96], left[64], right[64];
    if (w->stages) {
        stage(w, name);
        return;
    }
    snprintf(axes, sizeof axes, "bo: %lld, co: %lld, bi: BATCH, ci: BLOCK_OUT", (long long)w->op->shape.out_h,
             (long long)w->blocks);
    snprintf(left, sizeof left, "%s[bo, co, bi, ci]", a);
    snprintf(right, sizeof right, "%s[bo, bi, ci]", b ? b : "");
    add(w, name, axes, form, left, right);
}

void vt__norm_write_inputs(const vt_norm_writing *w) {
    vt_strbuf_addf(w->out, "kernel %s\n\ninput data: inp_t[2, %lld, %lld, BATCH, BLOCK_IN]\n", w->op->is->name,
                   (long long)w->op->shape.h, (long long)w->blocks);
    vt_strbuf_add(w->out,
                  "tensor unit[part: 3, twice: 2, ci: BLOCK_OUT, ri: BLOCK_IN] = select(part == 2, wgt_t(1),\n"
                  "    select(ci == ri, select(part == 1, wgt_t(-128), select(twice == 0, wgt_t(1), wgt_t(0))), "
                  "wgt_t(0)))\ntensor unit_buf like unit = unit[...]\ntensor data_buf like data = data[...]\n");
}

/* The sum of rows of one half, from all blocks. */
static void write_total(const vt_norm_writing *w, const char *name, int half) {
    if (w->stages)
        vt_strbuf_addf(w->out,
                       "stage %s\n  scope acc\n  compute_at res, %s\n  reorder k%d, bo, bi, ci, r%d\n  tensorize bi "
                       "gemm\n",
                       name, w->at, half, half);
    else
        vt_strbuf_addf(w->out,
                       "tensor %s[bo: %lld, bi: BATCH, ci: BLOCK_OUT] =\n    sum[k%d: %lld, r%d: BLOCK_IN](acc_t("
                       "data_buf[%d, bo, k%d, bi, r%d]) * acc_t(unit_buf[2, 0, ci, r%d]))\n",
                       name, (long long)w->op->shape.out_h, half, (long long)w->blocks, half, half, half, half, half);
}

/* Minus the mean of rows: "minus". */
static void write_mean(const vt_norm_writing *w) {
    vt_norm_mean m = vt__norm_mean_of(w->op->terms);
    char form[32];
    write_total(w, "low_sum", 0);
    write_total(w, "high_sum", 1);
    vt__norm_write_row(w, "high_total", "%s * -256", "high_sum", NULL);
    vt__norm_write_row(w, "total", "%s + %s", "high_total", "low_sum");
    snprintf(form, sizeof form, "%%s >> %d", m.before);
    vt__norm_write_row(w, "part", form, "total", NULL);
    snprintf(form, sizeof form, "%%s * %d", -m.factor);
    vt__norm_write_row(w, "large", form, m.before ? "part" : "total", NULL);
    snprintf(form, sizeof form, "%%s + %d", (1 << (m.behind - 1)) - 1); /* halves up of what it is minus */
    vt__norm_write_row(w, "larger", form, "large", NULL);
    snprintf(form, sizeof form, "%%s >> %d", m.behind);
    vt__norm_write_row(w, "minus", form, "larger", NULL);
}

void vt__norm_write_apart(const vt_norm_writing *w) {
    const char *name = has_mean(w->op) ? "values" : "apart";
    if (w->stages)
        vt_strbuf_addf(w->out,
                       "stage %s\n  scope acc\n  compute_at res, %s\n  reorder half, twice, bo, co, bi, ci, ri\n  "
                       "tensorize bi gemm\n",
                       name, w->at);
    else
        vt_strbuf_addf(w->out,
                       "tensor %s[bo: %lld, co: %lld, bi: BATCH, ci: BLOCK_OUT] =\n    sum[half: 2, twice: 2, ri: "
                       "BLOCK_IN](acc_t(data_buf[half, bo, co, bi, ri]) * acc_t(unit_buf[half, twice, ci, ri]))\n",
                       name, (long long)w->op->shape.out_h, (long long)w->blocks);
    if (!has_mean(w->op)) return;
    write_mean(w);
    vt__norm_write_tile(w, "apart", "%s + %s", "values", "minus");
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

const char *vt__norm_write_tiles(const vt_op_blocks *b, bool columns, vt_strbuf *out) {
    bool shares_rows = b->threads > 1 && (b->share_rows || !columns), shares = b->threads > 1;
    const char *round = shares_rows ? "row_round" : "row_out", *oc = shares && !shares_rows ? "oc_round" : "oc_out";
    vt_strbuf_addf(out, "\nstage res\n  split bo by %lld -> row_out, row_in\n", (long long)b->y);
    if (columns) vt_strbuf_addf(out, "  split co by %lld -> oc_out, oc_in\n", (long long)b->oc);
    vt_strbuf_addf(out, "  reorder %srow_out, row_in, %s, bi, ci\n", columns ? "oc_out, " : "",
                   columns ? "oc_in" : "pa");
    if (shares) {
        vt_strbuf_addf(out, "  split %s by %lld -> %s, thread\n", shares_rows ? "row_out" : "oc_out",
                       (long long)b->threads, shares_rows ? round : oc);
        vt_strbuf_addf(out, "  reorder thread, %s%s%s\n  bind thread cthread\n", columns ? oc : "", columns ? ", " : "",
                       round);
    }
    vt_strbuf_add(out, "  pragma row_in dma_copy\n");
    return round;
}

void vt__norm_write_loads(const vt_norm_writing *w, const vt_op_blocks *b) {
    vt_strbuf_addf(w->out, "stage data_buf\n  scope inp\n  compute_at res, %s\n  pragma 0 dma_copy\n", w->at);
    const char *at = b->threads > 1 ? "thread" : "oc_out"; /* within the axes of res: behind the host's constants */
    vt_strbuf_addf(w->out, "stage unit_buf\n  scope wgt\n  compute_at res, %s\n  pragma 0 dma_copy\n",
                   w->op->is->write == vt__write_row_moments ? w->at : at);
}

/* ---- What they take ---------------------------------------------------------------------------------------------- */

enum {
    MEAN_STEPS = 6, /* of rows */
    ROOT_STEPS = 43,
    ROW_TENSORS = 8, /* of them at a time */
};

vt_epilogue_use vt__norm_use(const vtac_op *op, int64_t oc, int64_t tile) {
    int64_t rows = oc ? tile / oc : 0, blocks = vt__ceil_div(op->terms, vta_config_block_in(op->config));
    bool moments = op->is->write == vt__write_row_moments;
    int64_t steps = (has_mean(op) ? MEAN_STEPS + blocks : 0) + (moments ? 2 : ROOT_STEPS);
    int64_t each = 3 + 2 * has_mean(op) + 2 + (moments ? 1 + 2 : 2);
    vt_epilogue_use use = {.acc = ROW_TENSORS * rows + (moments ? 2 * blocks * rows : tile),
                           .inp = 2 * blocks * rows + (moments ? 0 : VT_NORM_PARTS * rows),
                           .wgt = VT_NORM_UNITS,
                           .instructions = 8 + steps};
    use.micro_ops = moments ? each * blocks + 2 * steps : each + 2 * steps / op->shape.oc;
    return use;
}
