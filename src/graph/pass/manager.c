/* Runs the passes in their order. */
#include "graph/pass/pass.h"

const vt_graph_pass_info vt_graph_passes[] = {
#define VT_GRAPH_PASS(function, name, does, reason) {name, does, reason, vt_graph_pass_##function},
#include "graph/pass/passes.def"
#undef VT_GRAPH_PASS
};
const uint32_t vt_graph_pass_count = sizeof vt_graph_passes / sizeof *vt_graph_passes;

const vt_graph *vt_graph_run_passes(const vt_graph *g, vt_graph_after *after, void *user) {
    for (uint32_t i = 0; i < vt_graph_pass_count; i++) {
        const vt_graph *given = g;
        vt_poll(g->ctx);
        g = vt_graph_passes[i].run(given);
        if (g != given) vt_graph_verify(g, vt_graph_passes[i].name);
        if (after) after(user, &vt_graph_passes[i], g, g != given);
    }
    return g;
}
