/* The order of steps. Every change between the accelerator and the host ends a run of the device, so that steps of one
 * kind stand together: all of the accelerator's that can be computed, then all of the host's, and so on. No order has
 * fewer runs: whatever is computed in the n-th turn of any order can be computed in the n-th turn of this one, or
 * before. Among steps of one turn the first added is the first. */
#include <stdlib.h>
#include <string.h>

#include "network/planner/planner_priv.h"

/* One step's use of a buffer. */
typedef struct usage {
    uint32_t step, next; /* the use before it of the same buffer; UINT32_MAX: none */
    const vt_plan_view *view;
} usage;

typedef struct order {
    vt_planner *p;
    uint32_t *uses; /* by buffer: the last use; UINT32_MAX: none */
    usage *usages;
    uint32_t usage_count;
    uint32_t (*edges)[2]; /* from a step to one that has to come after it */
    size_t edge_count, edge_cap;
    uint32_t *waits; /* by step: how many others it still has to come after */
    uint32_t *found; /* the steps in their order */
    bool *done;
    bool failed; /* out of memory */
} order;

/* ---- What has to come after what ------------------------------------------------------------------------------- */

bool vt__views_meet(const vt_plan_view *a, const vt_plan_view *b) {
    return a->buffer == b->buffer && (a->output || b->output) && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static void add_edge(order *o, uint32_t from, uint32_t to) {
    if (from == to) return;
    if (!vt_reserve(o->p->allocator, &o->edges, &o->edge_cap, o->edge_count + 1, sizeof *o->edges)) {
        o->failed = true;
        return;
    }
    o->edges[o->edge_count][0] = from;
    o->edges[o->edge_count++][1] = to;
}

static void use_view(order *o, uint32_t step, const vt_plan_view *v) {
    if (o->p->buffers[v->buffer].constant) return;
    for (uint32_t at = o->uses[v->buffer]; at != UINT32_MAX; at = o->usages[at].next)
        if (vt__views_meet(o->usages[at].view, v)) add_edge(o, o->usages[at].step, step);
    o->usages[o->usage_count] = (usage){step, o->uses[v->buffer], v};
    o->uses[v->buffer] = o->usage_count++;
}

static void find_edges(order *o) {
    memset(o->uses, 0xff, o->p->buffer_count * sizeof *o->uses);
    for (uint32_t i = 0; i < o->p->step_count && !o->failed; i++)
        for (uint32_t k = 0; k < o->p->steps[i].plan.view_count; k++) use_view(o, i, &o->p->steps[i].plan.views[k]);
}

static int by_from(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* ---- Turns ----------------------------------------------------------------------------------------------------- */

static bool is_device(const vt_planner *p, uint32_t step) { return p->steps[step].stream != NULL; }

static void begin(order *o) {
    memset(o->waits, 0, o->p->step_count * sizeof *o->waits);
    memset(o->done, 0, o->p->step_count * sizeof *o->done);
    for (size_t i = 0; i < o->edge_count; i++) o->waits[o->edges[i][1]]++;
}

static void release(order *o, uint32_t step, const size_t *edges_at) {
    for (size_t i = edges_at[step]; i < edges_at[step + 1]; i++) o->waits[o->edges[i][1]]--;
}

/* Edges lead to steps that were added later, so that one pass finds all that a turn makes possible. */
static uint32_t take_turn(order *o, bool device, uint32_t count, const size_t *edges_at) {
    for (uint32_t i = 0; i < o->p->step_count; i++) {
        if (o->done[i] || o->waits[i] || is_device(o->p, i) != device) continue;
        o->done[i] = true;
        o->found[count++] = i;
        release(o, i, edges_at);
    }
    return count;
}

/* The host's turn is first: one without steps costs nothing. */
static void find_order(order *o, const size_t *edges_at) {
    bool device = false;
    begin(o);
    for (uint32_t count = 0; count < o->p->step_count; device = !device) count = take_turn(o, device, count, edges_at);
}

/* Where the edges of each step begin among all of them, which are sorted. */
static void find_places(const order *o, size_t *edges_at) {
    size_t at = 0;
    for (uint32_t i = 0; i <= o->p->step_count; i++) {
        while (at < o->edge_count && o->edges[at][0] < i) at++;
        edges_at[i] = at;
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static void set_lives(vt_planner *p) {
    for (uint32_t i = 0; i < p->buffer_count; i++) p->buffers[i].first = UINT32_MAX, p->buffers[i].last = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        for (uint32_t k = 0; k < p->steps[i].plan.view_count; k++) {
            vt__buffer *b = &p->buffers[p->steps[i].plan.views[k].buffer];
            if (b->first == UINT32_MAX) b->first = i;
            b->last = i;
        }
}

static void apply(const order *o, vt__step *room) {
    for (uint32_t i = 0; i < o->p->step_count; i++) room[i] = o->p->steps[o->found[i]];
    memcpy(o->p->steps, room, o->p->step_count * sizeof *room);
    set_lives(o->p);
}

static void settle(order *o, size_t *edges_at, vt__step *room) {
    find_edges(o);
    if (o->failed) return;
    if (o->edge_count) qsort(o->edges, o->edge_count, sizeof *o->edges, by_from);
    find_places(o, edges_at);
    find_order(o, edges_at);
    apply(o, room);
}

vta_status vt__order_steps(vt_planner *p, vta_diag *diag) {
    order o = {.p = p};
    size_t views = 0, n = p->step_count;
    for (uint32_t i = 0; i < n; i++) views += p->steps[i].plan.view_count;
    if (!n) return VTA_OK;
    const vta_allocator *a = p->allocator;
    size_t *edges_at = vt_alloc_array(a, n + 1, sizeof *edges_at);
    vt__step *room = vt_alloc_array(a, n, sizeof *room);
    o.uses = vt_alloc_array(a, p->buffer_count + (size_t)1, sizeof *o.uses);
    o.usages = vt_alloc_array(a, views + 1, sizeof *o.usages);
    o.waits = vt_alloc_array(a, n, sizeof *o.waits);
    o.found = vt_alloc_array(a, n, sizeof *o.found);
    o.done = vt_alloc_array(a, n, sizeof *o.done);
    o.failed = !edges_at || !room || !o.uses || !o.usages || !o.waits || !o.found || !o.done;
    if (!o.failed) settle(&o, edges_at, room);
    vt_free(a, edges_at, (n + 1) * sizeof *edges_at);
    vt_free(a, room, n * sizeof *room);
    vt_free(a, o.uses, (p->buffer_count + (size_t)1) * sizeof *o.uses);
    vt_free(a, o.usages, (views + 1) * sizeof *o.usages);
    vt_free(a, o.waits, n * sizeof *o.waits);
    vt_free(a, o.found, n * sizeof *o.found);
    vt_free(a, o.done, n * sizeof *o.done);
    vt_free(a, o.edges, o.edge_cap * sizeof *o.edges);
    return o.failed ? vt_no_memory(diag) : VTA_OK;
}
