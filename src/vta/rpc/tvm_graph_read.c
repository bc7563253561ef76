/* The JSON of TVM's graphs. Every number is checked here: what is read can be run. */
#include <stdlib.h>
#include <string.h>

#include "base/element_type.h"
#include "base/json.h"
#include "rpc/tvm_graph.h"

typedef struct reading {
    vt_tvm_graph *g;
    const json_t *row_ptr; /* the first entry of each node, and the number of all */
    const int32_t *devices;
    int device_count;
    vta_diag *diag;
} reading;

#define FAIL(r, ...) vt_fail((r)->diag, VTA_PARSE, "the graph: " __VA_ARGS__)

static vta_status array_of(reading *r, const json_t *in, const char *key, const json_t **out) {
    *out = json_object_get(in, key);
    if (json_is_array(*out)) return VTA_OK;
    return FAIL(r, "expected an array \"%s\"", key);
}

/* attrs.KEY is ["TYPE", [one for each entry]]. */
static vta_status attribute(reading *r, const json_t *root, const char *key, const json_t **out) {
    const json_t *pair = json_object_get(json_object_get(root, "attrs"), key);
    *out = json_array_get(pair, 1);
    if (json_is_array(*out) && json_array_size(*out) == r->g->entry_count) return VTA_OK;
    return FAIL(r, "expected attrs.%s to have a value for each of %u tensors", key, r->g->entry_count);
}

/* A whole number from 0 to limit - 1. */
static vta_status number(reading *r, const json_t *value, const char *what, uint32_t limit, uint32_t *out) {
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    if (n < 0 || n >= limit) return FAIL(r, "%s is %lld, expected 0 to %lld", what, (long long)n, (long long)limit - 1);
    *out = (uint32_t)n;
    return VTA_OK;
}

static void *list(reading *r, size_t count, size_t item) {
    return count <= VT_TVM_MAX_NODES * 8 ? vt_arena_alloc_zero(&r->g->arena, count * item + 1) : NULL;
}

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

static vta_status read_entry(reading *r, const json_t *shape, const json_t *type, vt_tvm_entry *e) {
    const char *word = json_string_value(type);
    if (!word || !vt_element_type_parse(word, &e->type))
        return FAIL(r, "\"%s\" is no type of tensors", word ? word : "");
    if (!json_is_array(shape) || json_array_size(shape) > VTA_ARRAY_MAX_DIMS)
        return FAIL(r, "a shape has %zu dimensions, expected at most %d", json_array_size(shape), VTA_ARRAY_MAX_DIMS);
    e->ndim = (int32_t)json_array_size(shape);
    for (int32_t i = 0; i < e->ndim; i++) {
        uint32_t extent = 0;
        VT_TRY(number(r, json_array_get(shape, (size_t)i), "an extent", INT32_MAX, &extent));
        e->shape[i] = extent;
    }
    const DLTensor t = {.ndim = e->ndim, .dtype = e->type, .shape = e->shape};
    if (vta_tensor_bytes(&t, &e->bytes) == VTA_OK) return VTA_OK;
    return FAIL(r, "a tensor of %s is too large", word);
}

/* One device: all are on it. Several: device_index has the type of each. */
static vta_status read_device(reading *r, const json_t *index, size_t at, vt_tvm_entry *e) {
    e->device = r->devices[0];
    if (r->device_count == 1 || !index) return VTA_OK;
    json_int_t type = json_integer_value(json_array_get(index, at));
    for (int i = 0; i < r->device_count; i++)
        if (r->devices[i] == type) return e->device = r->devices[i], VTA_OK;
    return FAIL(r, "a tensor is on a device of type %lld, which was not given", (long long)type);
}

static vta_status read_entries(reading *r, const json_t *root) {
    vt_tvm_graph *g = r->g;
    const json_t *shapes, *types, *storages, *index = NULL;
    VT_TRY(attribute(r, root, "shape", &shapes));
    VT_TRY(attribute(r, root, "dltype", &types));
    VT_TRY(attribute(r, root, "storage_id", &storages));
    if (json_object_get(json_object_get(root, "attrs"), "device_index"))
        VT_TRY(attribute(r, root, "device_index", &index));
    g->entries = list(r, g->entry_count, sizeof *g->entries);
    if (!g->entries) return vt_no_memory(r->diag);
    for (uint32_t i = 0; i < g->entry_count; i++) {
        vt_tvm_entry *e = &g->entries[i];
        VT_TRY(read_entry(r, json_array_get(shapes, i), json_array_get(types, i), e));
        VT_TRY(read_device(r, index, i, e));
        VT_TRY(number(r, json_array_get(storages, i), "a storage_id", g->entry_count, &e->storage));
        if (e->storage >= g->storage_count) g->storage_count = e->storage + 1;
    }
    g->storages = list(r, g->storage_count, sizeof *g->storages);
    if (!g->storages) return vt_no_memory(r->diag);
    for (uint32_t i = 0; i < g->entry_count; i++) {
        vt_tvm_storage *to = &g->storages[g->entries[i].storage];
        if (to->device && to->device != g->entries[i].device)
            return FAIL(r, "storage %u is on two devices", g->entries[i].storage);
        to->device = g->entries[i].device;
        if (to->bytes < g->entries[i].bytes) to->bytes = g->entries[i].bytes;
    }
    return VTA_OK;
}

/* [node, output, version]: which entry it is. `before`: nodes from this one on may not be meant. */
static vta_status entry_of(reading *r, const json_t *triple, uint32_t before, uint32_t *out) {
    uint32_t node = 0, output = 0;
    VT_TRY(number(r, json_array_get(triple, 0), "the node of a tensor", before, &node));
    const vt_tvm_node *n = &r->g->nodes[node];
    VT_TRY(number(r, json_array_get(triple, 1), "the output of a node", n->outputs, &output));
    *out = n->first_entry + output;
    return VTA_OK;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static const char *copy_text(reading *r, const json_t *value) {
    const char *text = json_string_value(value);
    return text ? vt_arena_strndup(&r->g->arena, text, strlen(text)) : NULL;
}

/* The numbers of a node's attributes are texts. */
static vta_status counted(reading *r, const vt_tvm_node *n, const json_t *attrs, const char *key, uint32_t expected) {
    const char *text = json_string_value(json_object_get(attrs, key));
    if (text && strtoul(text, NULL, 10) == expected) return VTA_OK;
    return FAIL(r, "node %s: %s is %s, and it has %u", n->name, key, text ? text : "missing", expected);
}

static vta_status read_call(reading *r, const json_t *node, uint32_t at, vt_tvm_node *n) {
    const json_t *attrs = json_object_get(node, "attrs"), *inputs;
    const char *flat = json_string_value(json_object_get(attrs, "flatten_data"));
    n->function = copy_text(r, json_object_get(attrs, "func_name"));
    if (!n->function) return FAIL(r, "node %s has no attrs.func_name", n->name);
    n->kind = !strcmp(n->function, "__nop")    ? VT_TVM_PASSES
              : !strcmp(n->function, "__copy") ? VT_TVM_COPIES
                                               : VT_TVM_CALLS;
    n->flat = flat && !strcmp(flat, "1");
    VT_TRY(array_of(r, node, "inputs", &inputs));
    n->input_count = (uint32_t)json_array_size(inputs);
    if (n->input_count + n->outputs > VT_TVM_MAX_ARGS)
        return FAIL(r, "node %s has %u tensors, expected at most %d", n->name, n->input_count + n->outputs,
                    VT_TVM_MAX_ARGS);
    VT_TRY(counted(r, n, attrs, "num_inputs", n->input_count));
    VT_TRY(counted(r, n, attrs, "num_outputs", n->outputs));
    n->inputs = list(r, n->input_count, sizeof *n->inputs);
    if (!n->inputs) return vt_no_memory(r->diag);
    for (uint32_t i = 0; i < n->input_count; i++) VT_TRY(entry_of(r, json_array_get(inputs, i), at, &n->inputs[i]));
    if (n->kind == VT_TVM_CALLS || (n->input_count == 1 && n->outputs == 1)) return VTA_OK;
    return FAIL(r, "node %s: %s has one input and one output", n->name, n->function);
}

static vta_status read_node(reading *r, const json_t *node, uint32_t at) {
    vt_tvm_node *n = &r->g->nodes[at];
    const char *op = json_string_value(json_object_get(node, "op"));
    uint32_t end = 0;
    VT_TRY(number(r, json_array_get(r->row_ptr, at), "node_row_ptr", r->g->entry_count + 1, &n->first_entry));
    VT_TRY(number(r, json_array_get(r->row_ptr, at + 1), "node_row_ptr", r->g->entry_count + 1, &end));
    if (end <= n->first_entry) return FAIL(r, "node %u has no outputs", at);
    n->outputs = end - n->first_entry;
    n->name = copy_text(r, json_object_get(node, "name"));
    if (!op || !n->name) return FAIL(r, "node %u has no op or no name", at);
    if (!strcmp(op, "null")) return VTA_OK;
    if (!strcmp(op, "tvm_op")) return read_call(r, node, at, n);
    return FAIL(r, "node %s: \"%s\" is no operator; \"null\" and \"tvm_op\" are", n->name, op);
}

static vta_status read_nodes(reading *r, const json_t *nodes) {
    vt_tvm_graph *g = r->g;
    g->nodes = list(r, g->node_count, sizeof *g->nodes);
    if (!g->nodes) return vt_no_memory(r->diag);
    for (uint32_t i = 0; i < g->node_count; i++) VT_TRY(read_node(r, json_array_get(nodes, i), i));
    return VTA_OK;
}

/* ---- The graph --------------------------------------------------------------------------------------------------- */

static vta_status read_ends(reading *r, const json_t *inputs, const json_t *heads) {
    vt_tvm_graph *g = r->g;
    g->input_count = (uint32_t)json_array_size(inputs);
    g->output_count = (uint32_t)json_array_size(heads);
    g->inputs = list(r, g->input_count, sizeof *g->inputs);
    g->outputs = list(r, g->output_count, sizeof *g->outputs);
    if (!g->inputs || !g->outputs) return vt_no_memory(r->diag);
    for (uint32_t i = 0; i < g->input_count; i++) {
        VT_TRY(number(r, json_array_get(inputs, i), "one of arg_nodes", g->node_count, &g->inputs[i]));
        if (g->nodes[g->inputs[i]].kind != VT_TVM_INPUT)
            return FAIL(r, "one of arg_nodes is node %s, which is no input", g->nodes[g->inputs[i]].name);
    }
    for (uint32_t i = 0; i < g->output_count; i++)
        VT_TRY(entry_of(r, json_array_get(heads, i), g->node_count, &g->outputs[i]));
    return VTA_OK;
}

static vta_status read_root(reading *r, const json_t *root) {
    const json_t *nodes, *inputs, *heads;
    VT_TRY(array_of(r, root, "nodes", &nodes));
    VT_TRY(array_of(r, root, "arg_nodes", &inputs));
    VT_TRY(array_of(r, root, "heads", &heads));
    VT_TRY(array_of(r, root, "node_row_ptr", &r->row_ptr));
    size_t count = json_array_size(nodes);
    if (count > VT_TVM_MAX_NODES || json_array_size(inputs) > count || json_array_size(heads) > VT_TVM_MAX_NODES)
        return FAIL(r, "%zu nodes, %zu inputs and %zu outputs, expected at most %d", count, json_array_size(inputs),
                    json_array_size(heads), VT_TVM_MAX_NODES);
    if (json_array_size(r->row_ptr) != count + 1) return FAIL(r, "expected %zu numbers in node_row_ptr", count + 1);
    r->g->node_count = (uint32_t)count;
    VT_TRY(number(r, json_array_get(r->row_ptr, count), "the number of tensors", VT_TVM_MAX_NODES * 8,
                  &r->g->entry_count));
    VT_TRY(read_nodes(r, nodes));
    VT_TRY(read_entries(r, root));
    return read_ends(r, inputs, heads);
}

vta_status vt__tvm_graph_read(const char *json, size_t size, const int32_t *devices, int device_count, vta_diag *diag,
                              vt_tvm_graph *graph) {
    json_t *root;
    reading r = {.g = graph, .devices = devices, .device_count = device_count, .diag = diag};
    VT_TRY(vt_json_parse(json, size, "the graph", diag, &root));
    vta_status status = read_root(&r, root);
    json_decref(root);
    return status;
}
