/* Micro-ops that follow no pattern. A convolution that leaves out what lies in the padding has them: an accumulator at
 * a border adds up fewer products than one inside. But there are few kinds of accumulators: those that add up the same
 * weights, from inputs that lie in the same way to each other. Each kind is a part of the plan, and its accumulators
 * are the rows, wherever they lie. */
#include <string.h>

#include "config/config_priv.h"
#include "device/sim/fast.h"

typedef struct grouping {
    vt_plan *plan;
    const vt_fast *fast;
    const vta_uop *uops;
    int32_t acc_words;
    int32_t row_end[VT_PLAN_PARTS], row_begin[VT_PLAN_PARTS]; /* first micro-ops of a part's accumulators */
} grouping;

/* Chains the micro-ops of each accumulator. */
static void chain(const vt_fast *f, const vta_config *c, const vt_loops *l) {
    const struct vt_grouping *g = &f->grouping;
    memset(g->first, -1, c->depth[VTA_MEM_ACC] * sizeof *g->first);
    for (uint32_t i = 0; i < l->uop_count; i++) {
        uint32_t dst = l->uops[i].dst;
        if (g->first[dst] < 0)
            g->first[dst] = (int32_t)i;
        else
            g->next[g->last[dst]] = (int32_t)i;
        g->last[dst] = (int32_t)i;
        g->next[i] = -1;
    }
}

/* The steps of an accumulator behind those of all parts; how many, or 0 where they do not fit. */
static uint32_t write_steps(const grouping *g, int32_t first) {
    const vt_fast *f = g->fast;
    uint32_t n = g->plan->step_count;
    for (int32_t i = first; i >= 0; i = f->grouping.next[i]) {
        if (n == VT_PLAN_STEPS) return 0;
        g->plan->steps[n++] = (vt_step){(int32_t)(g->uops[i].src - g->uops[first].src) * (int32_t)f->inp_words,
                                        (int32_t)g->uops[i].wgt * (int32_t)f->wgt_words};
    }
    return n - g->plan->step_count;
}

/* The part with the `count` steps that were just written; the number of parts where there is none. */
static uint32_t find_part(const vt_plan *p, uint32_t count) {
    const vt_step *steps = p->steps + p->step_count;
    uint32_t i = 0;
    for (; i < p->part_count; i++)
        if (p->parts[i].step_count == count && !memcmp(p->steps + p->parts[i].first_step, steps, count * sizeof *steps))
            break;
    return i;
}

static bool add_accumulator(grouping *g, int32_t first) {
    vt_plan *p = g->plan;
    uint32_t count = write_steps(g, first), part = find_part(p, count);
    if (!count || part == VT_PLAN_PARTS) return false;
    if (part == p->part_count) {
        p->parts[p->part_count++] = (vt_part){p->step_count, count, 0, 0};
        p->step_count += count;
        g->row_begin[part] = first;
    } else {
        g->fast->grouping.next_row[g->row_end[part]] = first;
    }
    g->row_end[part] = first;
    g->fast->grouping.next_row[first] = -1;
    p->parts[part].row_count++;
    return true;
}

static void write_rows(grouping *g, vt_part *part, int32_t first) {
    vt_plan *p = g->plan;
    part->first_row = p->row_count;
    for (int32_t i = first; i >= 0; i = g->fast->grouping.next_row[i])
        p->rows[p->row_count++] =
            (vt_row){(int32_t)g->uops[i].src * (int32_t)g->fast->inp_words, (int32_t)g->uops[i].dst * g->acc_words};
}

bool vt__plan_group(vt_plan *p, vt_fast *f, const vta_config *c, const vt_loops *l) {
    static const vta_uop zero;
    grouping g = {.plan = p, .fast = f, .uops = l->uops, .acc_words = (int32_t)(c->batch * c->block_out)};
    uint32_t low = UINT32_MAX, high = 0, rows = 0;
    p->step_count = p->row_count = p->part_count = 0;
    chain(f, c, l);
    for (uint32_t i = 0; i < l->uop_count; i++) {
        uint32_t dst = l->uops[i].dst;
        if (f->grouping.first[dst] != (int32_t)i) continue;
        if (!add_accumulator(&g, (int32_t)i)) return false;
        low = dst < low ? dst : low;
        high = dst > high ? dst : high;
        rows++;
    }
    if (rows * c->batch > VT_PLAN_ROWS || p->part_count * f->tiles > VT_PLAN_CORRECTED) return false;
    for (uint32_t i = 0; i < p->part_count; i++) write_rows(&g, &p->parts[i], g.row_begin[i]);
    p->reach = high - low;
    p->bases = &zero;
    p->base_count = p->stride = 1;
    p->dim_count = 0;
    return true;
}
