/* Passes over a graph: functions from graph to graph, which keep nothing between calls and give back the graph that
 * they got when there is nothing to do. frontend/pass/passes.def has their order. */
#ifndef VT_GRAPH_PASS_PASS_H
#define VT_GRAPH_PASS_PASS_H

#include "frontend/graph/rewrite.h"

typedef const vt_graph *vt_graph_pass(const vt_graph *g);

#define VT_GRAPH_PASS(function, name, does, reason) vt_graph_pass vt_graph_pass_##function;
#include "frontend/pass/passes.def"
#undef VT_GRAPH_PASS

typedef struct vt_graph_pass_info {
    const char *name, *does, *reason;
    vt_graph_pass *run;
} vt_graph_pass_info;

extern const vt_graph_pass_info vt_graph_passes[];
extern const uint32_t vt_graph_pass_count;

/* Called after each pass: `g` is what there is after it. */
typedef void vt_graph_after(void *user, const vt_graph_pass_info *pass, const vt_graph *g, bool changed);

/* Runs all passes, and verifies the graph after each that changed it. `after` may be NULL. Large constants that are not
 * in the graph any more are freed, so `g` itself is of no use afterwards. */
const vt_graph *vt_graph_run_passes(const vt_graph *g, vt_graph_after *after, void *user);

#endif
