/* concat: the channels of one tensor behind those of another. Nothing is computed, and lanes may move from block to
 * block, so the host copies: the accelerator would take every element through its accumulators. */
#include <string.h>

#include "operators/ops.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_concat_##name])

enum { INPUTS = 8 };

static const int64_t *channels_of(const vtac_op *op) { return &op->values[VT_ATTRIBUTE_concat_channels0]; }

vta_status vt__describe_concat(vtac_op *op, vta_diag *diag) {
    const int64_t *channels = channels_of(op);
    vt_op_shape *s = &op->shape;
    int64_t all = 0;
    *s = (vt_op_shape){
        .n = vt__ceil_div(VALUE(batch), vta_config_batch(op->config)), .out_h = VALUE(height), .out_w = VALUE(width)};
    for (; s->inputs < INPUTS && channels[s->inputs]; s->inputs++) all += channels[s->inputs];
    for (int64_t i = s->inputs; i < INPUTS; i++)
        if (channels[i])
            return vt_fail(diag, VTA_INVALID_ARGUMENT,
                           "concat: channels%lld is given, but not channels%lld: inputs "
                           "have numbers without a gap",
                           (long long)i, (long long)s->inputs);
    s->oc = vt__ceil_div(all, vta_config_block_out(op->config));
    if (op->n_epilogue)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "concat: the host copies, and an epilogue runs on the accelerator: "
                       "put its steps behind the operators that make the inputs");
    if (vta_config_width(op->config, VTA_MEM_OUT) >= 8) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "concat: the host cannot move results of %u bits, which share bytes; "
                   "results of 8 bits it can",
                   (unsigned)vta_config_width(op->config, VTA_MEM_OUT));
}

/* ---- The only schedule ----------------------------------------------------------------------------------------- */

static uint32_t candidates(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                           uint64_t *out_considered) {
    (void)op, (void)profile, (void)most;
    out[0] = (vt_op_blocks){.threads = 1};
    *out_considered = 1;
    return 1;
}

static vta_status nothing_fits(const vtac_op *op, vta_diag *diag) {
    return vt_fail(diag, VTA_INTERNAL, "%s: the host's schedule was refused", op->is->name);
}

static uint64_t bound(const vtac_op *op, const vta_timing_profile *profile) {
    (void)op, (void)profile;
    return 0;
}

static char *report(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b,
                    const vtac_op_result *result) {
    vt_strbuf out;
    (void)profile, (void)b, (void)result;
    vt_strbuf_init(&out, op->allocator);
    vt_strbuf_addf(&out,
                   "On the host, in the accelerator's memory: %lld inputs are copied, nothing is computed. The "
                   "accelerator takes no cycle; it would take every element through its accumulators.",
                   (long long)op->shape.inputs);
    return vt_strbuf_take(&out);
}

static const char *admit(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b) {
    (void)op, (void)profile, (void)b;
    return "there is nothing to choose";
}

const vt_op_space vt__space_copies = {candidates, nothing_fits, admit, bound, report, .on_processor = true};

/* ---- The kernel file ------------------------------------------------------------------------------------------- */

static bool is_aligned(const vtac_op *op) {
    for (int64_t i = 0; i + 1 < op->shape.inputs; i++)
        if (channels_of(op)[i] % vta_config_block_out(op->config)) return false;
    return true;
}

/* Of whole blocks the block is looked up, else each lane. */
static void write_input(const vtac_op *op, int64_t input, int64_t begin, int64_t end, vt_strbuf *out) {
    int64_t block = vta_config_block_out(op->config);
    if (is_aligned(op))
        vt_strbuf_addf(out, "if_then_else(co < %lld, x%lld[bo, co - %lld, i, j, bi, ci],\n        ",
                       (long long)vt__ceil_div(end, block), (long long)input, (long long)(begin / block));
    else
        vt_strbuf_addf(out,
                       "if_then_else(co * BLOCK_OUT + ci < %lld, x%lld[bo, (co * BLOCK_OUT + ci - %lld) // BLOCK_OUT, "
                       "i, j, bi, (co * BLOCK_OUT + ci - %lld) %% BLOCK_OUT],\n        ",
                       (long long)end, (long long)input, (long long)begin, (long long)begin);
}

void vt__write_concat(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    const int64_t *channels = channels_of(op);
    int64_t end = 0, block = vta_config_block_out(op->config);
    (void)b;
    vt_strbuf_add(out, "kernel concat\n\n");
    for (int64_t i = 0; i < s->inputs; i++)
        vt_strbuf_addf(out, "input x%lld: out_t[%lld, %lld, %lld, %lld, BATCH, BLOCK_OUT]\n", (long long)i,
                       (long long)s->n, (long long)vt__ceil_div(channels[i], block), (long long)s->out_h,
                       (long long)s->out_w);
    vt_strbuf_addf(out, "output res[bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT] =\n    ",
                   (long long)s->n, (long long)s->oc, (long long)s->out_h, (long long)s->out_w);
    for (int64_t i = 0; i < s->inputs; i++) {
        write_input(op, i, end, end + channels[i], out);
        end += channels[i];
    }
    vt_strbuf_add(out, "out_t(0)");
    for (int64_t i = 0; i < s->inputs; i++) vt_strbuf_addc(out, ')');
    vt_strbuf_add(out, "\n\nstage res\n");
    if (is_aligned(op)) vt_strbuf_add(out, "  vectorize ci\n");
}
