#include "device/portability.h"

#include <string.h>

#include "vta/device.h"

static const struct {
    const char *target;
    unsigned design;
} designs[] = {
#define VT_DESIGN_OF(target, design) {#target, design},
#include "device/portability.def"
};

unsigned vt_design_named(const char *target) {
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++)
        if (!strcmp(designs[i].target, target)) return designs[i].design;
    return 0;
}

unsigned vt_design_of(const vta_config *config) { return vt_design_named(vta_config_target(config)); }

bool vta_target_fits(const vta_config *config, const char *driver) {
    unsigned design = driver ? vt_design_named(driver) : 0;
    return config && (!design || design == vt_design_of(config));
}

bool vt_differs_on(unsigned design, vt_portability kind) {
    static const unsigned differ[] = {
#define VT_PORTABILITY(NAME, name, designs, where, avoided, text) designs,
#include "device/portability.def"
    };
    return differ[kind] & design;
}

bool vta_target_has_alu(const vta_config *config, uint32_t alu_opcode) {
    if (!config || alu_opcode >= VTA_ALU_COUNT) return false;
    unsigned design = vt_design_of(config);
    if (vta_config_batch(config) > 1 && vt_differs_on(design, VT_WARN_ALU_BATCH)) return false;
    if (alu_opcode == VTA_ALU_TABLE)
        return vta_config_depth(config, VTA_MEM_TABLE) && !vt_differs_on(design, VT_WARN_TABLE);
    return alu_opcode != VTA_ALU_MUL || !vt_differs_on(design, VT_WARN_MUL);
}

/* ---- Neighbouring micro-ops -------------------------------------------------------------------------------- */

/* Iterations [first, end) of one of the two loops. */
typedef struct range {
    int64_t first, end;
} range;

/* Has distance + y * out + x * in == 0 a solution? */
static bool vanishes(int64_t distance, int64_t out, range y, int64_t in, range x) {
    if (y.first >= y.end || x.first >= x.end) return false;
    if (!out) y.end = y.first + 1; /* every y is alike */
    for (int64_t i = y.first; i < y.end; i++) {
        int64_t rest = -(distance + i * out);
        if (!in && !rest) return true;
        if (in && rest % in == 0 && rest / in >= x.first && rest / in < x.end) return true;
    }
    return false;
}

/* The destination (or source) of a micro-op against the destination of the one that runs `back` places before it. */
typedef struct neighbours {
    const vta_uop *uops;
    int64_t count, ys, xs; /* micro-ops, iterations of the outer and the inner loop */
    int64_t own_out, own_in, dst_out, dst_in;
    bool source;
    int64_t back;
} neighbours;

/* Micro-op u in the inner iterations of `x`, which all have their neighbour `dx` inner iterations before, or, when that
 * is before the outer iteration begins, in an earlier one. */
static bool meets_in(const neighbours *n, int64_t u, range x) {
    int64_t per_outer = n->xs * n->count, place = x.first * n->count + u - n->back, dy = 0;
    if (x.first >= x.end) return false;
    for (; place < 0; place += per_outer) dy++;
    int64_t before_x = place / n->count;
    const vta_uop *own = &n->uops[u], *before = &n->uops[place % n->count];
    int64_t distance =
        (int64_t)(n->source ? own->src : own->dst) - before->dst + dy * n->dst_out - (before_x - x.first) * n->dst_in;
    return vanishes(distance, n->own_out - n->dst_out, (range){dy, n->ys}, n->own_in - n->dst_in, x);
}

static bool meets(const vta_insn *insn, const vta_uop *uops, int64_t back, bool source) {
    neighbours n = {
        .uops = uops,
        .count = insn->u.exec.uop_end - insn->u.exec.uop_bgn,
        .ys = insn->u.exec.iter_out,
        .xs = insn->u.exec.iter_in,
        .own_out = source ? insn->u.exec.src_factor_out : insn->u.exec.dst_factor_out,
        .own_in = source ? insn->u.exec.src_factor_in : insn->u.exec.dst_factor_in,
        .dst_out = insn->u.exec.dst_factor_out,
        .dst_in = insn->u.exec.dst_factor_in,
        .source = source,
        .back = back,
    };
    for (int64_t u = 0; u < n.count; u++) {
        for (int64_t x = 0; x < back && x < n.xs; x++) /* whose neighbour may be in an earlier outer iteration */
            if (meets_in(&n, u, (range){x, x + 1})) return true;
        if (meets_in(&n, u, (range){back, n.xs})) return true;
    }
    return false;
}

/* ---- Instructions ------------------------------------------------------------------------------------------ */

bool vt_has_other_source(const vta_insn *insn, const vta_uop *uops) {
    if (insn->u.exec.iter_out > 1 && insn->u.exec.dst_factor_out != insn->u.exec.src_factor_out) return true;
    if (insn->u.exec.iter_in > 1 && insn->u.exec.dst_factor_in != insn->u.exec.src_factor_in) return true;
    for (uint32_t u = 0; u < insn->u.exec.uop_end - insn->u.exec.uop_bgn; u++)
        if (uops[u].dst != uops[u].src) return true;
    return false;
}

/* A reset only writes. The ALU of HLS boards takes two cycles a micro-op, GEMM one. */
bool vt_loses_writes(const vta_insn *insn, const vta_uop *uops) {
    bool alu = insn->opcode == VTA_OP_ALU;
    if (!alu && insn->u.exec.reset_reg) return false;
    return meets(insn, uops, 1, false) || (!alu && meets(insn, uops, 2, false));
}

bool vt_reads_just_written(const vta_insn *insn, const vta_uop *uops) {
    return insn->opcode == VTA_OP_ALU && meets(insn, uops, 1, true);
}
