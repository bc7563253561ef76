/* Computing what the nodes of a graph say: plain C, the reference for all that is compiled of it.
 *
 * A graph may be evaluated by any number of threads at once, each with a vt_eval of its own. The same inputs give the
 * same bits on every processor: sums are added up in one order, and a product and a sum are rounded one by one. */
#ifndef VT_GRAPH_EVAL_EVAL_H
#define VT_GRAPH_EVAL_EVAL_H

#include "frontend/graph/graph.h"

/* Computes one node: in[i] is the data of input i (NULL where it is left out), out[i] room for output i.
 * VTA_NO_MEMORY; VTA_OUT_OF_RANGE for what no value can be given to: an index outside of its axis, x / 0 of integers.
 */
vta_status vt_eval_node(const vt_gnode *n, const void *const *in, void *const *out, const vta_allocator *allocator,
                        vta_diag *diag);

typedef struct vt_eval vt_eval;

typedef struct vt_eval_options {
    /* Without `keep` and `after`, what only one side of a Where of a single condition reads, as the branches of an If
     * become, is computed where the condition takes that side. */
    bool keep; /* all values stay until the next run; else each is dropped after its last use */
    /* Called when a node was computed; out[i] lives until the callback returns. May be NULL. */
    void (*after)(void *user, const vt_gnode *n, const void *const *out);
    void *user;
    const atomic_bool *interrupt; /* raised to stop a run (VTA_INTERRUPTED); may be NULL */
} vt_eval_options;

/* The graph must live longer. Options NULL: none. Free with vt_eval_close. */
vta_status vt_eval_open(const vt_graph *g, const vt_eval_options *options, const vta_allocator *allocator,
                        vta_diag *diag, vt_eval **out_eval);
void vt_eval_close(vt_eval *e);
/* The data of input `index`, of its type's size; borrowed until the next run is over. */
void vt_eval_input(vt_eval *e, uint32_t index, const void *data);
/* Every input must have been given. */
vta_status vt_eval_run(vt_eval *e, vta_diag *diag);
/* The data of a value after a run: of outputs, inputs and constants always; of others where all are kept, else NULL. */
const void *vt_eval_value(const vt_eval *e, const vt_gvalue *v);
/* Bytes that values took at one time at most, in the last run; constants not counted. */
size_t vt_eval_peak(const vt_eval *e);

#endif
