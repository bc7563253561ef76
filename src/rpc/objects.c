#include "rpc/objects.h"

#include <string.h>

void vt__objects_init(vt_rpc_objects *o, const vta_allocator *allocator) {
    *o = (vt_rpc_objects){.allocator = allocator};
}

static void destroy(vt_rpc_objects *o, vt_rpc_object *object) {
    if (object->kind == VT_RPC_MODULE) vta_module_destroy(object->u.module);
    if (object->kind == VT_RPC_MODEL) vta_instance_destroy(object->u.instance);
    if (object->kind == VT_RPC_ARRAY_OF_BYTES) {
        o->array_bytes -= vta_array_bytes(object->u.array);
        vta_array_free(object->u.array);
    }
    *object = (vt_rpc_object){.generation = object->generation + 1};
    size_t index = (size_t)(object - o->at);
    if (index < o->first_free) o->first_free = index;
}

void vt__objects_clear(vt_rpc_objects *o) {
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

static const char *const names[] = {"nothing",    "a module",         "a function", "an array",
                                    "a function", "a time evaluator", "a network"};

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

/* A function or timer of a module; NULL: none is left. */
static vt_rpc_object *one_of(const vt_rpc_objects *o, uint64_t module) {
    for (size_t i = 0; i < o->count; i++)
        if ((o->at[i].kind == VT_RPC_CODE || o->at[i].kind == VT_RPC_TIMER) && o->at[i].module == module)
            return &o->at[i];
    return NULL;
}

vta_status vt__objects_free(vt_rpc_objects *o, uint64_t number, vta_diag *diag) {
    vt_rpc_object *object, *inside;
    VT_TRY(find(o, number, diag, &object));
    while (object->kind == VT_RPC_MODULE && (inside = one_of(o, number))) destroy(o, inside);
    destroy(o, object);
    return VTA_OK;
}

vta_status vt__objects_drop(vt_rpc_objects *o, uint64_t number, vta_diag *diag) {
    vt_rpc_object *object;
    VT_TRY(find(o, number, diag, &object));
    if (object->kind == VT_RPC_MODULE && one_of(o, number)) {
        object->dropped = true;
        return VTA_OK;
    }
    uint64_t of = object->kind == VT_RPC_CODE || object->kind == VT_RPC_TIMER ? object->module : 0;
    destroy(o, object);
    vt_rpc_object *module = of ? vt__objects_find(o, of) : NULL;
    if (module && module->dropped && !one_of(o, of)) destroy(o, module);
    return VTA_OK;
}
