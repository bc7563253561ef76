#include "frontend/eval/guards.h"

/* What is known of the readers of a value, from the last node to the first. */
typedef struct need {
    bool read;
    const vt_guard *under; /* all readers are; NULL with `read`: it is always needed */
} need;

static bool same_type(const vt_gvalue *a, const vt_gvalue *b) { return vt_gtype_equal(&a->type, &b->type); }

bool vt_guards_choice(const vt_gnode *n) {
    return n->op == VT_G_WHERE && vt_gtype_count(&n->inputs[0]->type) == 1 && same_type(n->inputs[1], n->outputs[0]) &&
           same_type(n->inputs[2], n->outputs[0]);
}

/* The innermost guard that both are under. */
static const vt_guard *common(const vt_guard *a, const vt_guard *b) {
    while (a != b) {
        if (!a || !b) return NULL;
        if (a->depth >= b->depth)
            a = a->around;
        else
            b = b->around;
    }
    return a;
}

static void note(need *n, const vt_guard *under) {
    n->under = n->read ? common(n->under, under) : under;
    n->read = true;
}

/* The node's own guard, as far as the conditions are known before it is computed. */
static const vt_guard *guard_of(const vt_gnode *n, const need *needs) {
    const vt_guard *g = NULL;
    bool read = false;
    for (uint32_t i = 0; i < n->output_count; i++) {
        const need *of = &needs[n->outputs[i]->index];
        if (!of->read) continue;
        g = read ? common(g, of->under) : of->under;
        read = true;
    }
    for (const vt_guard *at = g; at; at = at->around)
        if (at->condition->by && at->condition->by->index >= n->index) g = at->around;
    return g;
}

/* What is needed on the way through a graph. */
typedef struct walk {
    vt_guards *guards;
    uint32_t count; /* of guards */
    need *needs;    /* by value, as the guards of that condition are */
    const vt_guard **conditions;
} walk;

enum { DEPTH_MAX = 64 }; /* of choices within choices: further in, both sides are computed */

/* One side of a choice; those of several outputs of one If are the same. */
static const vt_guard *side_of(walk *w, const vt_guard *around, const vt_gvalue *condition, bool taken) {
    if (around && around->depth == DEPTH_MAX) return around;
    const vt_guard **first = &w->conditions[condition->index];
    for (const vt_guard *g = *first; g; g = g->next)
        if (g->around == around && g->taken == taken) return g;
    vt_guard *g = &w->guards->all[w->count++];
    *g = (vt_guard){around, condition, *first, taken, around ? around->depth + 1 : 1};
    return *first = g;
}

static void note_inputs(walk *w, const vt_gnode *n, const vt_guard *own) {
    bool choice = vt_guards_choice(n);
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_guard *under = choice && i > 0 ? side_of(w, own, n->inputs[0], i == 1) : own;
        if (n->inputs[i]) note(&w->needs[n->inputs[i]->index], under);
    }
}

static void find(walk *w, const vt_graph *g) {
    for (uint32_t i = 0; i < g->outputs.count; i++) note(&w->needs[g->outputs.item[i]->index], NULL);
    for (uint32_t i = g->node_count; i-- > 0;) {
        w->guards->of[i] = guard_of(g->nodes[i], w->needs);
        note_inputs(w, g->nodes[i], w->guards->of[i]);
    }
}

bool vt_guards_make(vt_guards *guards, const vt_graph *g, const vta_allocator *allocator) {
    uint32_t choices = 0;
    size_t values = g->values.count + (size_t)1;
    walk w = {.guards = guards};
    for (uint32_t i = 0; i < g->node_count; i++) choices += vt_guards_choice(g->nodes[i]);
    *guards = (vt_guards){.allocator = allocator, .all_cap = 2 * choices, .node_count = choices ? g->node_count : 0};
    if (!choices) return true;
    w.needs = vt_alloc_zero(allocator, values * sizeof *w.needs);
    w.conditions = vt_alloc_zero(allocator, values * sizeof *w.conditions);
    guards->all = vt_alloc_zero(allocator, guards->all_cap * sizeof *guards->all);
    guards->of = vt_alloc_zero(allocator, guards->node_count * sizeof *guards->of);
    bool ok = w.needs && w.conditions && guards->all && guards->of;
    if (ok) find(&w, g);
    vt_free(allocator, w.needs, values * sizeof *w.needs);
    vt_free(allocator, w.conditions, values * sizeof *w.conditions);
    if (!ok) vt_guards_free(guards);
    return ok;
}

void vt_guards_free(vt_guards *guards) {
    vt_free(guards->allocator, guards->all, guards->all_cap * sizeof *guards->all);
    vt_free(guards->allocator, guards->of, guards->node_count * sizeof *guards->of);
    *guards = (vt_guards){0};
}
