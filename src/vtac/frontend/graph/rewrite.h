/* Making a graph from another one: what a pass does.
 *
 *     vt_rewrite r = vt_rewrite_begin(g);
 *     for (uint32_t i = 0; i < g->node_count; i++) {
 *         if (is_to_go(g->nodes[i])) vt_rewrite_replace(&r, g->nodes[i]->outputs[0], vt_rewrite_of(&r, …));
 *         else vt_rewrite_keep(&r, g->nodes[i]);
 *     }
 *     return vt_rewrite_end(&r);             g itself when every node was kept
 */
#ifndef VT_GRAPH_REWRITE_H
#define VT_GRAPH_REWRITE_H

#include "frontend/graph/graph.h"

typedef struct vt_rewrite {
    const vt_graph *from;
    vt_graph *to;    /* nodes may be added to it */
    vt_gvalue **map; /* by index of `from`: the value of `to`; NULL: none yet */
    bool changed;
} vt_rewrite;

/* Inputs are there already. */
vt_rewrite vt_rewrite_begin(const vt_graph *g);
/* The same graph in another context; constant data stays where it is, and must live as long as the copy. */
const vt_graph *vt_graph_copy(vt_ctx *ctx, const vt_graph *g);
/* What a value of the old graph is in the new one: a constant is copied when it is first asked for. */
vt_gvalue *vt_rewrite_of(vt_rewrite *r, const vt_gvalue *old);
/* The same node, of the new values. Gives the new one. */
const vt_gnode *vt_rewrite_keep(vt_rewrite *r, const vt_gnode *n);
/* From here on `now`, a value of the new graph, stands for `old`. */
void vt_rewrite_replace(vt_rewrite *r, const vt_gvalue *old, vt_gvalue *now);
/* A node of the old graph has no part in the new one. */
void vt_rewrite_drop(vt_rewrite *r);
/* The new graph with the outputs of the old one; the old one when nothing but vt_rewrite_keep was done. */
const vt_graph *vt_rewrite_end(vt_rewrite *r);

#endif
