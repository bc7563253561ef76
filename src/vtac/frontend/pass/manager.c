/* Runs the passes in their order. */
#include "base/spill.h"
#include "frontend/pass/pass.h"

const vt_graph_pass_info vt_graph_passes[] = {
#define VT_GRAPH_PASS(function, name, does, reason) {name, does, reason, vt_graph_pass_##function},
#include "frontend/pass/passes.def"
#undef VT_GRAPH_PASS
};
const uint32_t vt_graph_pass_count = sizeof vt_graph_passes / sizeof *vt_graph_passes;

static const char *end_of(const vt_gvalue *v) { return (const char *)v->data + vt_gtype_bytes(&v->type); }

static bool has_data(const vt_graph *g, const vt_gvalue *constant) {
    for (uint32_t i = 0; i < g->values.count; i++) {
        const vt_gvalue *v = g->values.item[i];
        if (v->data && (const char *)v->data < end_of(constant) && (const char *)constant->data < end_of(v))
            return true;
    }
    return false;
}

enum { LEAST_DROPPED = 1 << 16 };

/* Weights that a pass has replaced would double the memory of a network. */
static void drop_data(const vt_graph *old, const vt_graph *now) {
    for (uint32_t i = 0; i < old->values.count; i++) {
        const vt_gvalue *v = old->values.item[i];
        if (!v->data || vt_gtype_bytes(&v->type) <= LEAST_DROPPED || has_data(now, v)) continue;
        vt_arena_drop(&old->ctx->arena, v->data);
        vt_spill_drop(old->ctx, v->data);
    }
}

const vt_graph *vt_graph_run_passes(const vt_graph *g, vt_graph_after *after, void *user) {
    for (uint32_t i = 0; i < vt_graph_pass_count; i++) {
        const vt_graph *given = g;
        vt_poll(g->ctx);
        g = vt_graph_passes[i].run(given);
        vt_spill_release(given->ctx);
        if (g != given) {
            vt_graph_verify(g, vt_graph_passes[i].name);
            drop_data(given, g);
        }
        if (after) after(user, &vt_graph_passes[i], g, g != given);
    }
    return g;
}
