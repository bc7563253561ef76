#include "rpc/objects.h"

#include <string.h>

#include "rpc/tvm_graph.h"

void vt__objects_init(vt_rpc_objects *o, const vta_allocator *allocator) {
    *o = (vt_rpc_objects){.allocator = allocator};
}

static void destroy(vt_rpc_objects *o, vt_rpc_object *object) {
    if (object->kind == VT_RPC_MODULE) vta_module_destroy(object->u.module);
    if (object->kind == VT_RPC_MODEL) vta_instance_destroy(object->u.instance);
    if (object->kind == VT_RPC_GRAPH) vt__tvm_graph_destroy(o, object->u.graph);
    if (object->kind == VT_RPC_ARRAY_OF_BYTES) {
        o->array_bytes -= vta_array_bytes(object->u.array);
        vta_array_free(object->u.array);
    }
    *object = (vt_rpc_object){.generation = object->generation + 1};
    size_t index = (size_t)(object - o->at);
    if (index < o->first_free) o->first_free = index;
}

void vt__objects_clear(vt_rpc_objects *o) {
    for (size_t i = 0; i < o->count; i++) /* first, as they free their arrays */
        if (o->at[i].kind == VT_RPC_GRAPH) destroy(o, &o->at[i]);
    for (size_t i = 0; i < o->count; i++)
        if (o->at[i].kind != VT_RPC_MODULE && o->at[i].kind != VT_RPC_NOTHING) destroy(o, &o->at[i]);
    for (size_t i = 0; i < o->count; i++)
        if (o->at[i].kind == VT_RPC_MODULE) destroy(o, &o->at[i]);
    vt_free(o->allocator, o->at, o->cap * sizeof *o->at);
    vt__objects_init(o, o->allocator);
}

/* The place in the lower half counts from 1: 0 is never handed out. */
static uint64_t number_of(const vt_rpc_objects *o, size_t index) {
    return (uint64_t)o->at[index].generation << 32 | (index + 1);
}

vta_status vt__objects_add(vt_rpc_objects *o, vt_rpc_object object, vta_diag *diag, uint64_t *out_number) {
    size_t i = o->first_free;
    while (i < o->count && o->at[i].kind != VT_RPC_NOTHING) i++;
    if (i >= UINT32_MAX - 1 || !vt_reserve(o->allocator, &o->at, &o->cap, i + 1, sizeof *o->at))
        return vt_no_memory(diag);
    if (i == o->count) o->at[o->count++].generation = 0;
    object.generation = o->at[i].generation;
    o->at[i] = object;
    o->first_free = i + 1;
    if (object.kind == VT_RPC_ARRAY_OF_BYTES) o->array_bytes += vta_array_bytes(object.u.array);
    *out_number = number_of(o, i);
    return VTA_OK;
}

vt_rpc_object *vt__objects_find(const vt_rpc_objects *o, uint64_t number) {
    size_t index = (size_t)(number & UINT32_MAX);
    if (!index || index > o->count) return NULL;
    vt_rpc_object *object = &o->at[index - 1];
    return object->kind != VT_RPC_NOTHING && number_of(o, index - 1) == number ? object : NULL;
}

static const char *const names[] = {"nothing",
                                    "a module",
                                    "a function",
                                    "an array",
                                    "a function",
                                    "a time evaluator",
                                    "a network",
                                    "a graph",
                                    "a function of a graph",
                                    "a tensor of a graph"};

vta_status vt__objects_get(const vt_rpc_objects *o, uint64_t number, vt_rpc_kind kind, vta_diag *diag,
                           vt_rpc_object **out_object) {
    *out_object = vt__objects_find(o, number);
    if (*out_object && (*out_object)->kind == kind) return VTA_OK;
    const char *is = *out_object ? names[(*out_object)->kind] : "nothing that this session has, or has still";
    *out_object = NULL;
    return vt_fail(diag, VTA_NOT_FOUND, "0x%llx should be %s, and is %s", (unsigned long long)number, names[kind], is);
}

static vta_status find(const vt_rpc_objects *o, uint64_t number, vta_diag *diag, vt_rpc_object **out) {
    *out = vt__objects_find(o, number);
    if (*out) return VTA_OK;
    return vt_fail(diag, VTA_NOT_FOUND, "0x%llx is nothing that this session has, or has still",
                   (unsigned long long)number);
}

/* Something that this one owns; NULL: nothing is left. */
static vt_rpc_object *one_of(const vt_rpc_objects *o, uint64_t owner) {
    for (size_t i = 0; i < o->count; i++)
        if (o->at[i].kind != VT_RPC_NOTHING && o->at[i].owner == owner) return &o->at[i];
    return NULL;
}

static bool owns(vt_rpc_kind kind) { return kind == VT_RPC_MODULE || kind == VT_RPC_GRAPH; }

/* At most two deep: a module owns graphs, which own methods and views. */
static void destroy_all(vt_rpc_objects *o, uint64_t number) {
    vt_rpc_object *inside, *object = vt__objects_find(o, number);
    while (owns(object->kind) && (inside = one_of(o, number))) {
        uint64_t inner = number_of(o, (size_t)(inside - o->at));
        if (owns(inside->kind))
            destroy_all(o, inner);
        else
            destroy(o, inside);
    }
    destroy(o, object);
}

vta_status vt__objects_free(vt_rpc_objects *o, uint64_t number, vta_diag *diag) {
    vt_rpc_object *object;
    VT_TRY(find(o, number, diag, &object));
    destroy_all(o, number);
    return VTA_OK;
}

vta_status vt__objects_drop(vt_rpc_objects *o, uint64_t number, vta_diag *diag) {
    vt_rpc_object *object;
    VT_TRY(find(o, number, diag, &object));
    if (owns(object->kind) && one_of(o, number)) {
        object->dropped = true;
        return VTA_OK;
    }
    /* With the last that it owned goes an owner that was dropped, and so on. */
    for (bool dropped = true; object && dropped && !(owns(object->kind) && one_of(o, number));) {
        uint64_t owner = object->owner;
        destroy(o, object);
        number = owner;
        object = owner ? vt__objects_find(o, owner) : NULL;
        dropped = object && object->dropped;
    }
    return VTA_OK;
}
