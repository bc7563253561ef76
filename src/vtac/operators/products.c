/* The space of sums of products: blockings ranked by the cost of a run of the three units. */
#include <string.h>

#include "operators/pooled.h"
#include "operators/turns.h"

enum { TURNS = 8 };

/* Convolutions have two sorts of schedules, which two estimates rank: the best of both take turns in the list. */
static uint32_t candidates(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                           uint64_t *out_considered) {
    vt_op_blocks turns[TURNS];
    uint64_t considered = 0;
    vt_op_cost cost = vt__cost_of(op, profile);
    if (op->shape.pool) return vt__pooled_choose(&cost, most, out, out_considered);
    uint32_t n = vt__blocks_choose(&cost, most, out, out_considered), m = 0;
    for (uint32_t i = 0; i < n; i++) out[i].skip = vt__may_skip(op, &out[i]);
    if (!strcmp(op->is->name, "conv2d")) m = vt__turns_choose(&cost, TURNS, turns, &considered);
    *out_considered += considered;
    for (uint32_t i = 0; i < m && 2 * i <= n && 2 * i < most; i++) {
        if (n == most) n--;
        memmove(&out[2 * i + 1], &out[2 * i], (n++ - 2 * i) * sizeof *out);
        out[2 * i] = turns[i];
    }
    return n;
}

static const char *admit(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b) {
    vt_op_cost cost = vt__cost_of(op, profile);
    if (op->shape.pool) return "a convolution with pool has none but its own";
    if (b->turns && strcmp(op->is->name, "conv2d") != 0) return "only tiles of conv2d take turns";
    const char *why = b->turns ? vt__turns_admit(&cost, b) : vt__blocks_admit(&cost, b);
    if (!why && !b->turns) b->skip = vt__may_skip(op, b);
    return why;
}

static vta_status nothing_fits(const vtac_op *op, vta_diag *diag) {
    const vt_op_shape *s = &op->shape;
    if (s->pool) return vt__pooled_nothing_fits(op, diag);
    return vt_fail(
        diag, VTA_UNSUPPORTED,
        "%s: not even one output fits the chip: its kernel takes %lld inp and %lld wgt elements of %u and %u, "
        "and its accumulators %u of %u; compute this layer on the host, or configure larger buffers",
        op->is->name, (long long)(((s->kernel_h - 1) * s->dilation_h + 1) * ((s->kernel_w - 1) * s->dilation_w + 1)),
        (long long)(s->kernel_h * s->kernel_w), (unsigned)vta_config_depth(op->config, VTA_MEM_INP),
        (unsigned)vta_config_depth(op->config, VTA_MEM_WGT), 1 + (unsigned)op->residuals + (unsigned)op->biases,
        (unsigned)vta_config_depth(op->config, VTA_MEM_ACC));
}

static uint64_t bound(const vtac_op *op, const vta_timing_profile *profile) {
    vt_op_cost cost = vt__cost_of(op, profile);
    return op->shape.pool ? vt__pooled_bound(&cost) : vt__cost_bound(&cost);
}

static char *report(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b,
                    const vtac_op_result *result) {
    vt_op_cost cost = vt__cost_of(op, profile);
    return vt__report(&cost, b, result);
}

const vt_op_space vt__space_products = {candidates, nothing_fits, admit, bound, report, .use = NULL};
