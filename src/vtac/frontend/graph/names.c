/* Values by name. */
#include <string.h>

#include "frontend/graph/graph.h"
#include "frontend/graph/priv.h"

static uint64_t hash(const char *s) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 0x100000001b3u;
    return h;
}

/* The place of the name, or the free one where it belongs. */
static vt_gvalue **place(vt_gvalue **names, uint32_t cap, const char *name) {
    uint32_t i = (uint32_t)hash(name) & (cap - 1);
    while (names[i] && strcmp(names[i]->name, name) != 0) i = (i + 1) & (cap - 1);
    return &names[i];
}

vt_gvalue *vt_graph_find(const vt_graph *g, const char *name) {
    return g->name_cap ? *place(g->names, g->name_cap, name) : NULL;
}

static void grow(vt_graph *g) {
    uint32_t cap = g->name_cap ? g->name_cap * 2 : 64;
    vt_gvalue **names = VT_NEW_ARRAY(g->ctx, vt_gvalue *, cap);
    for (uint32_t i = 0; i < g->name_cap; i++)
        if (g->names[i]) *place(names, cap, g->names[i]->name) = g->names[i];
    g->names = names;
    g->name_cap = cap;
}

void vt__graph_name(vt_graph *g, vt_gvalue *v) {
    if (g->values.count >= g->name_cap / 2) grow(g);
    *place(g->names, g->name_cap, v->name) = v;
}

const char *vt__graph_new_name(vt_graph *g, const char *base) {
    if (!vt_graph_find(g, base)) return vt_new_string(g->ctx, base);
    for (uint32_t i = g->values.count;; i++) {
        const char *name = vt_new_format(g->ctx, "%s.%u", base, (unsigned)i);
        if (!vt_graph_find(g, name)) return name;
    }
}
