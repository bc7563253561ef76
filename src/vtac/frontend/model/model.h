/* The graph behind the public handle, for the folders above. */
#ifndef VT_GRAPH_MODEL_MODEL_H
#define VT_GRAPH_MODEL_MODEL_H

#include "frontend/graph/graph.h"
#include "vta/graph.h"

struct vtac_graph {
    const vta_allocator *allocator;
    vt_ctx ctx; /* no diagnostics but while it is loaded */
    const vt_graph *graph;
    uint64_t parameters;
    const vt_gproperty *properties;
    uint32_t property_count;
};

#endif
