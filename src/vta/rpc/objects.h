/* What a session holds for its client, by numbers: modules, functions, arrays. A number that was freed, or never given,
 * is noticed. */
#ifndef VT_RPC_OBJECTS_H
#define VT_RPC_OBJECTS_H

#include "base/diag.h"
#include "vta/exec.h"
#include "vta/module.h"

typedef enum vt_rpc_kind {
    VT_RPC_NOTHING,
    VT_RPC_MODULE,
    VT_RPC_CODE, /* a module's function */
    VT_RPC_ARRAY_OF_BYTES,
    VT_RPC_BUILTIN, /* one of the functions that clients of TVM ask for by name */
    VT_RPC_TIMER,   /* a time evaluator of TVM */
    VT_RPC_MODEL,   /* a compiled network on its device */
    VT_RPC_GRAPH,   /* a network that TVM compiled: a graph whose nodes call functions of a module */
    VT_RPC_METHOD,  /* a graph's function */
    VT_RPC_VIEW,    /* a tensor of a graph, which a client holds */
} vt_rpc_kind;

typedef struct vt_tvm_graph vt_tvm_graph; /* rpc/tvm_graph.h */

typedef struct vt_rpc_timer {
    vta_packed_function function;
    vt_tvm_graph *graph; /* its only argument; NULL: those of the call */
    uint32_t number, repeat, min_repeat_ms;
} vt_rpc_timer;

typedef struct vt_rpc_object {
    vt_rpc_kind kind;
    uint32_t generation;
    uint64_t owner; /* what it needs: a module, of code, timers and graphs; a graph, of methods and views; 0: nothing */
    bool dropped;   /* an owner that goes with the last of them */
    union {
        vta_module *module;
        vta_packed_function code;
        vta_array *array;
        int builtin; /* a method, too */
        vt_tvm_graph *graph;
        vt_rpc_timer timer;
        vta_instance *instance;
    } u;
} vt_rpc_object;

typedef struct vt_rpc_objects {
    const vta_allocator *allocator;
    vt_rpc_object *at;
    size_t count, cap;
    size_t first_free; /* none below is free */
    uint64_t array_bytes;
} vt_rpc_objects;

void vt__objects_init(vt_rpc_objects *o, const vta_allocator *allocator);
/* Frees all: functions, arrays, then modules. */
void vt__objects_clear(vt_rpc_objects *o);
/* Takes an object over; on failure it is the caller's still. */
vta_status vt__objects_add(vt_rpc_objects *o, vt_rpc_object object, vta_diag *diag, uint64_t *out_number);
/* VTA_NOT_FOUND for a number that stands for nothing, or for something of another kind. */
vta_status vt__objects_get(const vt_rpc_objects *o, uint64_t number, vt_rpc_kind kind, vta_diag *diag,
                           vt_rpc_object **out_object);
/* NULL when it stands for nothing. */
vt_rpc_object *vt__objects_find(const vt_rpc_objects *o, uint64_t number);
/* Frees what it stands for, with all that it owns. */
vta_status vt__objects_free(vt_rpc_objects *o, uint64_t number, vta_diag *diag);
/* The same, but an owner stays as long as what it owns. */
vta_status vt__objects_drop(vt_rpc_objects *o, uint64_t number, vta_diag *diag);

#endif
