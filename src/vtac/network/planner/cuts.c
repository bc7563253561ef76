/* Why a run of the device ends: the host's steps between it and the next one that need the first, and that the next one
 * needs, by way of others between them too. */
#include "network/planner/planner_priv.h"

void vt_planner_owner(vt_planner *p, uint32_t owner) { p->owner = owner; }

uint32_t vt_planner_row_count(const vt_planner *p) { return p->step_count; }

vt_planner_row vt_planner_row_at(const vt_planner *p, uint32_t index) { return p->steps[index].row; }

static bool needs(const vt_planner *p, uint32_t later, uint32_t earlier) {
    const vt_plan_step *a = &p->steps[later].plan, *b = &p->steps[earlier].plan;
    for (uint32_t i = 0; i < a->view_count; i++)
        for (uint32_t k = 0; k < b->view_count; k++)
            if (!p->buffers[a->views[i].buffer].constant && vt__views_meet(&b->views[k], &a->views[i])) return true;
    return false;
}

/* Steps [begin, end) of the host stand behind run `run`, whose first step is `first`; the next run ends at `last`.
 * First those that need the run are found, then those of them that the next one needs. */
static void find_between(vt_planner *p, uint32_t first, uint32_t begin, uint32_t end, uint32_t last) {
    uint32_t run = p->steps[first].row.run;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t k = first; k < i && p->steps[i].row.cut != run; k++)
            if ((k < begin || p->steps[k].row.cut == run) && needs(p, i, k)) p->steps[i].row.cut = run;
    for (uint32_t i = end; i-- > begin;) {
        bool needed = false;
        for (uint32_t k = i + 1; k < last && !needed; k++)
            needed = (k >= end || p->steps[k].row.cut == run) && needs(p, k, i);
        if (!needed) p->steps[i].row.cut = UINT32_MAX;
    }
}

/* One past the last step of the run, or of the host's steps, that begin at `at`. */
static uint32_t end_of(const vt_planner *p, uint32_t at) {
    uint32_t end = at;
    while (end < p->step_count && p->steps[end].row.run == p->steps[at].row.run) end++;
    return end;
}

void vt__find_cuts(vt_planner *p) {
    uint32_t first = 0;
    while (first < p->step_count && p->steps[first].row.run == UINT32_MAX) first++;
    while (first < p->step_count) {
        uint32_t begin = end_of(p, first), end = begin;
        if (begin < p->step_count && p->steps[begin].row.run == UINT32_MAX) end = end_of(p, begin);
        if (end == p->step_count) break;
        find_between(p, first, begin, end, end_of(p, end));
        first = end;
    }
}
