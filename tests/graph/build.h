/* Graphs for tests, in one context a test. */
#ifndef TESTS_GRAPH_BUILD_H
#define TESTS_GRAPH_BUILD_H

#include <stdint.h>
#include <string.h>

#include "support/check.h"

#include "frontend/graph/graph.h"

typedef struct world {
    vta_diag *diag;
    vt_ctx ctx;
    vt_graph *g;
} world;

static inline void world_open(world *w) {
    w->diag = vta_diag_create(NULL);
    vt_ctx_init(&w->ctx, NULL, w->diag);
    w->g = vt_graph_new(&w->ctx, "test");
}

static inline void world_close(world *w) {
    vt_ctx_clear(&w->ctx);
    vta_diag_destroy(w->diag);
}

/* Runs body; what it raises fails the test. */
static inline void in_world(void (*body)(world *w), world *w) {
    vt_exit here;
    if (setjmp(*vt_exit_open(&w->ctx, &here)) != 0) {
        vt_exit_close(&w->ctx, &here);
        fail_msg("%s", vta_diag_text(w->diag));
    }
    body(w);
    vt_exit_close(&w->ctx, &here);
}

static inline void in_a_world(void (*body)(world *w)) {
    static world w;
    world_open(&w);
    in_world(body, &w);
    world_close(&w);
}

/* A type from extents; a negative one ends the list. */
static inline vt_gtype type_of(vt_element e, const int64_t *dims) {
    vt_gtype t;
    size_t rank = 0;
    while (rank < VT_MAX_RANK && dims[rank] >= 0) rank++;
    assert_true(vt_gtype_make(e, rank, dims, &t));
    return t;
}
#define TYPE(e, ...) type_of(VT_ELEMENT_##e, (int64_t[VT_MAX_RANK + 1]){__VA_ARGS__, -1})
#define SCALAR(e) ((vt_gtype){.element = VT_ELEMENT_##e})

#define INTS(name, ...)                                                                                                \
    VT_GSET_INTS(name, (sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), ((const int64_t[]){__VA_ARGS__}))
#define FLOATS(name, ...)                                                                                              \
    VT_GSET_FLOATS(name, (sizeof((double[]){__VA_ARGS__}) / sizeof(double)), ((const double[]){__VA_ARGS__}))
#define ATTRIBUTES(...)                                                                                                \
    sizeof((vt_gattr[]){__VA_ARGS__}) / sizeof(vt_gattr), (vt_gattr[]) { __VA_ARGS__ }

/* Zeros, as a constant. */
static inline vt_gvalue *zeros(world *w, const char *name, vt_gtype t) {
    return vt_graph_constant(w->g, name, t, vt_new_bytes(&w->ctx, vt_gtype_bytes(&t)));
}

#endif
