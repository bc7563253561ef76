/* Networks that clients of TVM have compiled, as their session runs them: inputs, parameters, runs, outputs. */
#include "rpc/tvm_graph.h"

#include <stdio.h>
#include <string.h>

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

static vta_status tensor_of(const vt_tvm_graph *g, uint32_t entry, DLTensor *out) {
    const vt_tvm_entry *e = &g->entries[entry];
    vt_rpc_object *array;
    VT_TRY(vt__objects_get(&g->session->objects, g->storages[e->storage].array, VT_RPC_ARRAY_OF_BYTES, g->session->diag,
                           &array));
    *out = *vta_array_tensor(array->u.array);
    out->ndim = e->ndim;
    out->dtype = e->type;
    out->shape = (int64_t *)e->shape;
    return VTA_OK;
}

static vta_status make_storages(vt_tvm_graph *g) {
    for (uint32_t i = 0; i < g->storage_count; i++) {
        vt_tvm_storage *storage = &g->storages[i];
        int64_t bytes = storage->bytes ? (int64_t)storage->bytes : 1;
        if (!storage->device) continue; /* a number that the graph leaves out */
        VT_TRY(vt__session_array(g->session, storage->device, 1, &bytes, (DLDataType){kDLUInt, 8, 1}, &storage->array));
    }
    return VTA_OK;
}

/* ---- Making and ending ------------------------------------------------------------------------------------------- */

void vt__tvm_graph_destroy(vt_rpc_objects *objects, vt_tvm_graph *g) {
    if (!g) return;
    const vta_allocator *allocator = g->arena.allocator;
    for (uint32_t i = 0; g->storages && i < g->storage_count; i++)
        if (vt__objects_find(objects, g->storages[i].array)) vt__objects_free(objects, g->storages[i].array, NULL);
    vt_arena_clear(&g->arena);
    vt_free(allocator, g, sizeof *g);
}

static vta_status find_functions(vt_tvm_graph *g, vta_module *module) {
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].kind == VT_TVM_CALLS)
            VT_TRY(vta_module_function(module, g->nodes[i].function, g->session->diag, &g->nodes[i].code));
    return VTA_OK;
}

/* Behind graph and module: pairs of a device's type and number. */
static vta_status devices_of(vt_rpc_session *s, const vt_tvm_args *args, int32_t *out_types, int *out_count) {
    *out_count = (args->count - 2) / 2;
    if (args->count < 4 || args->count % 2)
        return vt_fail(s->diag, VTA_INVALID_ARGUMENT,
                       "tvm.graph_executor.create: %d arguments, expected the graph, a module "
                       "and pairs of a device's type and number",
                       args->count);
    for (int i = 0; i < *out_count; i++) {
        const vt_tvm_value *type = &args->at[2 + 2 * i], *number = type + 1;
        out_types[i] = (int32_t)type->bits;
        if (type->code == VTA_ARG_INT && number->code == VTA_ARG_INT && !number->bits &&
            (type->bits == kDLCPU || type->bits == kDLExtDev))
            continue;
        return vt_fail(s->diag, VTA_UNSUPPORTED,
                       "tvm.graph_executor.create: device %lld(%lld); this server has cpu(0), type %d, "
                       "and ext_dev(0), type %d",
                       (long long)type->bits, (long long)number->bits, kDLCPU, kDLExtDev);
    }
    return VTA_OK;
}

static vta_status fill(vt_rpc_session *s, const vt_tvm_args *args, vta_module *module, vt_tvm_graph *g) {
    int32_t devices[VT_TVM_MAX_ARGS];
    int count;
    VT_TRY(devices_of(s, args, devices, &count));
    VT_TRY(vt__tvm_graph_read(args->at[0].text, args->at[0].size, devices, count, s->diag, g));
    VT_TRY(find_functions(g, module));
    return make_storages(g);
}

vta_status vt__tvm_graph_create(vt_rpc_session *s, const vt_tvm_args *args, uint64_t *out_graph) {
    vt_rpc_object *module, object = {.kind = VT_RPC_GRAPH, .owner = args->at[1].bits};
    VT_TRY(vt__objects_get(&s->objects, args->at[1].bits, VT_RPC_MODULE, s->diag, &module));
    vta_module *code = module->u.module; /* objects move when arrays are added */
    vt_tvm_graph *g = vt_alloc_zero(s->objects.allocator, sizeof *g);
    if (!g) return vt_no_memory(s->diag);
    vt_arena_init(&g->arena, s->objects.allocator);
    g->session = s;
    object.u.graph = g;
    vta_status status = fill(s, args, code, g);
    if (status == VTA_OK) status = vt__objects_add(&s->objects, object, s->diag, out_graph);
    if (status != VTA_OK) vt__tvm_graph_destroy(&s->objects, g);
    return status;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static vta_status call_node(const vt_tvm_graph *g, const vt_tvm_node *n) {
    DLTensor tensors[VT_TVM_MAX_ARGS];
    int64_t extents[VT_TVM_MAX_ARGS];
    TVMValue values[VT_TVM_MAX_ARGS], result;
    int codes[VT_TVM_MAX_ARGS], result_code;
    uint32_t count = n->input_count + n->outputs;
    for (uint32_t i = 0; i < count; i++) {
        DLTensor *t = &tensors[i];
        VT_TRY(tensor_of(g, i < n->input_count ? n->inputs[i] : n->first_entry + i - n->input_count, t));
        if (n->flat) {
            extents[i] = 1;
            for (int32_t d = 0; d < t->ndim; d++) extents[i] *= t->shape[d];
            t->ndim = 1;
            t->shape = &extents[i];
        }
        values[i].v_handle = t;
        codes[i] = VTA_ARG_TENSOR;
    }
    if (n->kind != VT_TVM_CALLS) return vta_tensor_copy(&tensors[0], &tensors[1], g->session->diag);
    return vta_function_call(n->code, values, codes, (int)count, g->session->diag, &result, &result_code);
}

/* What passes its input on and shares its storage has nothing to do. */
static bool idle(const vt_tvm_graph *g, const vt_tvm_node *n) {
    return n->kind == VT_TVM_INPUT ||
           (n->kind == VT_TVM_PASSES && g->entries[n->inputs[0]].storage == g->entries[n->first_entry].storage);
}

int vt__tvm_graph_run(TVMValue *args, int *codes, int count, TVMValue *result, int *result_code, void *unused) {
    const vt_tvm_graph *g = args[0].v_handle;
    char words[512];
    (void)codes, (void)count, (void)unused;
    result->v_int64 = 0;
    *result_code = VTA_ARG_NULL;
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (idle(g, &g->nodes[i]) || call_node(g, &g->nodes[i]) == VTA_OK) continue;
        snprintf(words, sizeof words, "node %.200s", g->nodes[i].name);
        TVMAPISetLastError(words); /* the reason is in the session's messages */
        return -1;
    }
    return 0;
}

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

typedef struct method_call {
    vt_rpc_session *s;
    vt_tvm_graph *g;
    uint64_t graph; /* its number */
    const char *method;
    const vt_tvm_args *args;
    vt_strbuf *out;
} method_call;

#define FAIL(c, ...) vt_fail((c)->s->diag, VTA_INVALID_ARGUMENT, __VA_ARGS__)

static vta_status give(const method_call *c, int code, uint64_t bits) {
    vt__tvm_return(c->out, true, code, bits, NULL, 0);
    return VTA_OK;
}

static int64_t input_named(const vt_tvm_graph *g, const char *name, size_t size) {
    for (uint32_t i = 0; i < g->input_count; i++) {
        const char *its = g->nodes[g->inputs[i]].name;
        if (strlen(its) == size && !memcmp(its, name, size)) return i;
    }
    return -1;
}

/* The input that the first argument means, by number or name; -1: there is none. */
static vta_status which_input(const method_call *c, int64_t *out_input) {
    const vt_tvm_value *key = c->args->count ? &c->args->at[0] : NULL;
    if (key && key->code == VTA_ARG_STRING) {
        *out_input = input_named(c->g, key->text, key->size);
        return VTA_OK;
    }
    if (!key || key->code != VTA_ARG_INT) return FAIL(c, "%s: expected an input's name or number", c->method);
    *out_input = key->bits < c->g->input_count ? (int64_t)key->bits : -1;
    return VTA_OK;
}

static uint32_t entry_of_input(const vt_tvm_graph *g, int64_t input) { return g->nodes[g->inputs[input]].first_entry; }

/* A tensor of the graph, which the client holds by a handle: its description, then the handle. */
static vta_status give_tensor(const method_call *c, uint32_t entry) {
    const vt_tvm_entry *e = &c->g->entries[entry];
    const vt_rpc_object view = {.kind = VT_RPC_VIEW, .owner = c->graph};
    uint64_t handle;
    VT_TRY(vt__objects_add(&c->s->objects, view, c->s->diag, &handle));
    size_t begin = vt__tvm_begin(c->out, VT_TVM_RETURN);
    vt__rpc_put_u32(c->out, 3);
    vt__rpc_put_u32(c->out, VTA_ARG_INT);
    vt__rpc_put_u32(c->out, VTA_ARG_TENSOR);
    vt__rpc_put_u32(c->out, VTA_ARG_HANDLE);
    vt__rpc_put_u64(c->out, VTA_ARG_NDARRAY);
    vt__rpc_put_u64(c->out, c->g->storages[e->storage].array);
    vt__rpc_put_u32(c->out, (uint32_t)e->device);
    vt__rpc_put_u32(c->out, 0);
    vt__rpc_put_u32(c->out, (uint32_t)e->ndim);
    vt__rpc_put_u8(c->out, e->type.code);
    vt__rpc_put_u8(c->out, e->type.bits);
    vt__rpc_put_u16(c->out, e->type.lanes);
    for (int32_t i = 0; i < e->ndim; i++) vt__rpc_put_u64(c->out, (uint64_t)e->shape[i]);
    vt__rpc_put_u64(c->out, 0);
    vt__rpc_put_u64(c->out, handle);
    vt__tvm_end(c->out, begin);
    return VTA_OK;
}

static vta_status call_get_input(const method_call *c) {
    int64_t input = -1;
    VT_TRY(which_input(c, &input));
    return input < 0 ? give(c, VTA_ARG_NULL, 0) : give_tensor(c, entry_of_input(c->g, input));
}

/* Copies between a tensor of the call and one of the graph. */
static vta_status copy_argument(const method_call *c, int at, uint32_t entry, bool into_graph) {
    DLTensor given, own;
    if (at >= c->args->count || (c->args->at[at].code != VTA_ARG_TENSOR && c->args->at[at].code != VTA_ARG_NDARRAY))
        return FAIL(c, "%s: expected a tensor as argument %d", c->method, at);
    VT_TRY(vt__tvm_tensor(c->s, &c->args->at[at], &given));
    VT_TRY(tensor_of(c->g, entry, &own));
    VT_TRY(into_graph ? vta_tensor_copy(&given, &own, c->s->diag) : vta_tensor_copy(&own, &given, c->s->diag));
    return give(c, VTA_ARG_NULL, 0);
}

static vta_status call_set_input(const method_call *c) {
    int64_t input = -1;
    VT_TRY(which_input(c, &input));
    if (input < 0) return FAIL(c, "set_input: the graph has no such input; it has %u", c->g->input_count);
    return copy_argument(c, 1, entry_of_input(c->g, input), true);
}

static vta_status call_get_output(const method_call *c) {
    const vt_tvm_value *index = &c->args->at[0];
    if (!c->args->count || index->code != VTA_ARG_INT || index->bits >= c->g->output_count)
        return FAIL(c, "get_output: expected a number below %u, the graph's outputs", c->g->output_count);
    uint32_t entry = c->g->outputs[index->bits];
    return c->args->count > 1 ? copy_argument(c, 1, entry, false) : give_tensor(c, entry);
}

static vta_status call_run(const method_call *c) {
    TVMValue graph = {.v_handle = c->g}, result;
    int code = VTA_ARG_HANDLE, result_code;
    VT_TRY(vt__session_call(c->s, vt__tvm_graph_run, &graph, &code, 1, &result, &result_code));
    return give(c, VTA_ARG_NULL, 0);
}

static vta_status call_get_num_outputs(const method_call *c) { return give(c, VTA_ARG_INT, c->g->output_count); }
static vta_status call_get_num_inputs(const method_call *c) { return give(c, VTA_ARG_INT, c->g->input_count); }

static vta_status call_get_input_index(const method_call *c) {
    int64_t input = -1;
    VT_TRY(which_input(c, &input));
    return give(c, VTA_ARG_INT, (uint64_t)input);
}

/* TVM's Python takes these by name when it makes its object, and seldom calls them. */
static vta_status unsupported(const method_call *c, const char *instead) {
    return vt_fail(c->s->diag, VTA_UNSUPPORTED, "%s is not served; %s", c->method, instead);
}
static vta_status call_get_input_info(const method_call *c) { return unsupported(c, "get_input has shape and type"); }
static vta_status call_share_params(const method_call *c) {
    return unsupported(c, "give each graph its own load_params");
}

/* ---- Parameters, as relay.save_param_dict writes them ------------------------------------------------------------ */

static const uint64_t PARAMS_MAGIC = 0xF7E58D4F05049CB7, TENSOR_MAGIC = 0xDD5E40F096B4A13F;

/* One tensor: what it is, then its bytes. An input that the graph does not have is passed over, as TVM does. */
static vta_status load_param(const method_call *c, vt_rpc_reader *r, const char *name, size_t size) {
    vt_tvm_value v = {0};
    if (vt__rpc_u64(r) != TENSOR_MAGIC) return FAIL(c, "load_params: %.*s does not begin as a tensor", (int)size, name);
    vt__rpc_u64(r); /* reserved */
    vt__rpc_u64(r); /* the device that it came from */
    v.ndim = (int32_t)vt__rpc_u32(r);
    v.type = (DLDataType){vt__rpc_u8(r), 0, 0};
    v.type.bits = vt__rpc_u8(r);
    v.type.lanes = vt__rpc_u16(r);
    if (v.ndim < 0 || v.ndim > VTA_ARRAY_MAX_DIMS)
        return FAIL(c, "load_params: %.*s has %d dimensions, expected at most %d", (int)size, name, v.ndim,
                    VTA_ARRAY_MAX_DIMS);
    for (int32_t i = 0; i < v.ndim; i++) v.shape[i] = (int64_t)vt__rpc_u64(r);
    uint64_t bytes = vt__rpc_u64(r);
    DLTensor own, given = {.device = {kDLCPU, 0}, .ndim = v.ndim, .dtype = v.type, .shape = v.shape};
    size_t expected;
    if (r->failed || bytes > r->left || vta_tensor_bytes(&given, &expected) != VTA_OK || expected != bytes)
        return FAIL(c, "load_params: %.*s is cut short, or not of its shape's size", (int)size, name);
    given.data = (void *)vt__rpc_bytes(r, (size_t)bytes);
    int64_t input = input_named(c->g, name, size);
    if (input < 0) return VTA_OK;
    VT_TRY(tensor_of(c->g, entry_of_input(c->g, input), &own));
    return vta_tensor_copy(&given, &own, c->s->diag);
}

static vta_status call_load_params(const method_call *c) {
    const vt_tvm_value *bytes = &c->args->at[0];
    if (!c->args->count || (bytes->code != VTA_ARG_BYTES && bytes->code != VTA_ARG_STRING))
        return FAIL(c, "load_params: expected the bytes of relay.save_param_dict");
    vt_rpc_reader names = {(const uint8_t *)bytes->text, bytes->size, false};
    uint64_t magic = vt__rpc_u64(&names);
    vt__rpc_u64(&names); /* reserved */
    uint64_t count = vt__rpc_u64(&names);
    if (names.failed || magic != PARAMS_MAGIC || count > names.left / 8)
        return FAIL(c, "load_params: these are not the bytes of relay.save_param_dict");
    vt_rpc_reader tensors = names;
    for (uint64_t i = 0; i < count && !tensors.failed; i++) {
        uint64_t size = vt__rpc_u64(&tensors);
        if (size > tensors.left)
            tensors.failed = true;
        else
            vt__rpc_bytes(&tensors, (size_t)size);
    }
    if (vt__rpc_u64(&tensors) != count || tensors.failed)
        return FAIL(c, "load_params: the names are cut short, or are not as many as the tensors");
    for (uint64_t i = 0; i < count; i++) {
        size_t size = (size_t)vt__rpc_u64(&names);
        const char *name = (const char *)vt__rpc_bytes(&names, size);
        VT_TRY(load_param(c, &tensors, name, size));
    }
    return tensors.left ? FAIL(c, "load_params: %zu bytes behind the last tensor", tensors.left)
                        : give(c, VTA_ARG_NULL, 0);
}

/* ---- By name ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    vta_status (*call)(const method_call *c);
} methods[] = {
#define VT_TVM_METHOD(name) {#name, call_##name},
#include "rpc/tvm.def"
#undef VT_TVM_METHOD
};
enum { METHODS = sizeof methods / sizeof *methods };

vta_status vt__tvm_graph_method(vt_rpc_session *s, uint64_t graph, const char *name, uint64_t *out_method) {
    vt_rpc_object *of, object = {.kind = VT_RPC_METHOD, .owner = graph};
    VT_TRY(vt__objects_get(&s->objects, graph, VT_RPC_GRAPH, s->diag, &of));
    for (object.u.builtin = 0; object.u.builtin < METHODS; object.u.builtin++)
        if (!strcmp(methods[object.u.builtin].name, name))
            return vt__objects_add(&s->objects, object, s->diag, out_method);
    return VTA_NOT_FOUND;
}

vta_status vt__tvm_graph_call(vt_rpc_session *s, const vt_rpc_object *method, const vt_tvm_args *args, vt_strbuf *out) {
    vt_rpc_object *graph;
    VT_TRY(vt__objects_get(&s->objects, method->owner, VT_RPC_GRAPH, s->diag, &graph));
    const method_call c = {s, graph->u.graph, method->owner, methods[method->u.builtin].name, args, out};
    return methods[method->u.builtin].call(&c);
}
