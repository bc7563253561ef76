/* Networks that clients of TVM have compiled: the JSON graph that relay.build gives, whose nodes call functions of a
 * module (TVM, src/vta/runtime/graph_executor). */
#ifndef VT_RPC_TVM_GRAPH_H
#define VT_RPC_TVM_GRAPH_H

#include "base/arena.h"
#include "rpc/tvm.h"

typedef enum vt_tvm_node_kind {
    VT_TVM_INPUT,  /* "null" */
    VT_TVM_CALLS,  /* a function of the module */
    VT_TVM_COPIES, /* "__copy": from one device to the other */
    VT_TVM_PASSES, /* "__nop": its output is its input */
} vt_tvm_node_kind;

/* Memory of tensors that do not live at the same time: an array of the session. */
typedef struct vt_tvm_storage {
    int32_t device; /* DLDeviceType */
    size_t bytes;
    uint64_t array; /* its number; 0: not made yet */
} vt_tvm_storage;

/* A tensor between nodes: a view of a storage. */
typedef struct vt_tvm_entry {
    uint32_t storage;
    int32_t device; /* DLDeviceType */
    int32_t ndim;
    DLDataType type;
    int64_t shape[VTA_ARRAY_MAX_DIMS];
    size_t bytes;
} vt_tvm_entry;

typedef struct vt_tvm_node {
    vt_tvm_node_kind kind;
    const char *name, *function;
    bool flat; /* the function takes its tensors with one dimension */
    uint32_t first_entry, outputs;
    uint32_t *inputs; /* entries */
    uint32_t input_count;
    vta_packed_function code;
} vt_tvm_node;

struct vt_tvm_graph {
    vt_arena arena; /* of all lists below */
    vt_rpc_session *session;
    vt_tvm_node *nodes;
    vt_tvm_entry *entries;
    uint32_t *inputs;  /* nodes */
    uint32_t *outputs; /* entries */
    vt_tvm_storage *storages;
    uint32_t node_count, entry_count, input_count, output_count, storage_count;
};

/* ---- Reading (tvm_graph_read.c) ---- */

enum { VT_TVM_MAX_NODES = 1 << 16 };

/* `devices`: the types of the devices that the client names, the first for all that the graph gives no device.
 * VTA_PARSE with the node's name: not a graph, or one that refers to what it does not have. Destroy the graph also on
 * failure. */
vta_status vt__tvm_graph_read(const char *json, size_t size, const int32_t *devices, int device_count, vta_diag *diag,
                              vt_tvm_graph *graph);

/* ---- Running (tvm_graph.c) ---- */

/* Reads a graph, finds its functions in `module` and makes its arrays; they count to the session's memory. The number
 * of an object that clients use as a module. */
vta_status vt__tvm_graph_create(vt_rpc_session *s, const vt_tvm_args *args, uint64_t *out_graph);
/* NULL is allowed. */
void vt__tvm_graph_destroy(vt_rpc_objects *objects, vt_tvm_graph *graph);
/* The number of the method; VTA_NOT_FOUND, without a message: there is none of this name. */
vta_status vt__tvm_graph_method(vt_rpc_session *s, uint64_t graph, const char *name, uint64_t *out_method);
/* Calls a method, and appends the packet that returns its result. */
vta_status vt__tvm_graph_call(vt_rpc_session *s, const vt_rpc_object *method, const vt_tvm_args *args, vt_strbuf *out);
/* `run` as a function of one argument, the graph: for timers. */
int vt__tvm_graph_run(TVMValue *args, int *codes, int count, TVMValue *result, int *result_code, void *unused);

#endif
