/* Which nodes a run may leave out: what only one side of a Where of a single condition reads, as the branches of an If
 * become, is computed where the condition takes that side. */
#ifndef VT_GRAPH_EVAL_GUARDS_H
#define VT_GRAPH_EVAL_GUARDS_H

#include "frontend/graph/graph.h"

/* A node is computed if the condition is `taken`, and all guards around hold. */
typedef struct vt_guard {
    const struct vt_guard *around; /* NULL: none */
    const vt_gvalue *condition;    /* one bool, computed before the nodes that it guards */
    const struct vt_guard *next;   /* another one of that condition */
    bool taken;
    uint32_t depth; /* guards around it, and itself */
} vt_guard;

typedef struct vt_guards {
    const vta_allocator *allocator;
    vt_guard *all; /* room for two of each choice of the graph */
    uint32_t all_cap;
    const vt_guard **of; /* by the node's index; NULL: always computed */
    uint32_t node_count;
} vt_guards;

/* False without memory: nothing is held then. */
bool vt_guards_make(vt_guards *guards, const vt_graph *g, const vta_allocator *allocator);
void vt_guards_free(vt_guards *guards);
/* Does the Where give one of its inputs as it is, by a single condition? */
bool vt_guards_choice(const vt_gnode *n);

#endif
