/* Compiled networks of a session (vta/exec.h). Each has a device of its own, beside the session's runtime. */
#include "base/clock.h"
#include "base/element_type.h"
#include "base/json_write.h"
#include "rpc/session.h"

static vta_status make_instance(vt_rpc_session *s, const char *path, vta_instance **out_instance) {
    vta_model *model;
    const vta_instance_options options = {.driver = *s->page->driver ? s->page->driver : NULL};
    VT_TRY(vta_model_load(path, s->objects.allocator, s->diag, &model));
    vta_status status = vta_instance_create(model, &options, s->diag, out_instance);
    vta_model_release(model); /* the instance keeps it */
    return status;
}

vta_status vt__session_load_model(vt_rpc_session *s, const char *name, uint64_t *out_model) {
    char path[VT_RPC_PATH_BYTES];
    vt_rpc_object object = {.kind = VT_RPC_MODEL};
    VT_TRY(vt__session_path(s, name, sizeof path, path));
    vt__session_call_begins(s); /* native code may run when it is loaded */
    vta_status status = make_instance(s, path, &object.u.instance);
    vt__session_call_ends(s, 0);
    if (status != VTA_OK) return status;
    status = vt__objects_add(&s->objects, object, s->diag, out_model);
    if (status != VTA_OK) vta_instance_destroy(object.u.instance);
    return status;
}

static vta_status find(const vt_rpc_session *s, uint64_t model, vta_instance **out_instance) {
    vt_rpc_object *object;
    VT_TRY(vt__objects_get(&s->objects, model, VT_RPC_MODEL, s->diag, &object));
    *out_instance = object->u.instance;
    return VTA_OK;
}

/* ---- What it takes and gives ------------------------------------------------------------------------------------- */

typedef vta_status get_tensor(const vta_model *model, size_t index, vta_model_tensor *out_tensor);

static void list_tensors(vt_json *w, const char *key, const vta_model *model, get_tensor *get) {
    vta_model_tensor t = {0};
    char type[VT_ELEMENT_TYPE_BYTES];
    vt_json_array(w, key);
    for (size_t i = 0; get(model, i, &t) == VTA_OK; i++) {
        vt_json_object(w, NULL);
        vt_json_text(w, "name", t.name);
        vt_json_text(w, "type", vt_element_type_text(t.type, type));
        vt_json_array(w, "shape");
        for (int32_t d = 0; d < t.ndim; d++) vt_json_uint(w, NULL, (uint64_t)t.shape[d]);
        vt_json_end(w);
        vt_json_uint(w, "bytes", t.bytes);
        vt_json_end(w);
    }
    vt_json_end(w);
}

vta_status vt__session_describe_model(vt_rpc_session *s, uint64_t model, vt_strbuf *to) {
    vta_instance *instance;
    vt_json w;
    VT_TRY(find(s, model, &instance));
    const vta_model *m = vta_instance_model(instance);
    vt_json_init(&w, to, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_text(&w, "name", vta_model_name(m));
    vt_json_text(&w, "driver", vta_device_driver(vta_instance_device(instance)));
    list_tensors(&w, "inputs", m, vta_model_input);
    list_tensors(&w, "outputs", m, vta_model_output);
    vt_json_end(&w);
    return VTA_OK;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* An array that stands for an input or an output. */
static vta_status tensor_of(const vt_rpc_session *s, uint64_t array, const char *role, size_t index,
                            const DLTensor **out_tensor, size_t *out_bytes) {
    vt_rpc_object *object;
    VT_TRY(vt__objects_get(&s->objects, array, VT_RPC_ARRAY_OF_BYTES, s->diag, &object));
    *out_tensor = vta_array_tensor(object->u.array);
    *out_bytes = vta_array_bytes(object->u.array);
    if ((*out_tensor)->device.device_type == kDLCPU) return VTA_OK;
    return vt_fail(s->diag, VTA_UNSUPPORTED, "%s %zu of a network is an array on the cpu, and this one is on ext_dev",
                   role, index);
}

static vta_status set_inputs(const vt_rpc_session *s, vta_instance *instance, const uint64_t arrays[], size_t count) {
    const DLTensor *t;
    size_t bytes;
    for (size_t i = 0; i < count; i++) {
        VT_TRY(tensor_of(s, arrays[i], "input", i, &t, &bytes));
        VT_TRY(vta_instance_set_input(instance, i, t->data, bytes, s->diag));
    }
    return VTA_OK;
}

static vta_status get_outputs(const vt_rpc_session *s, const vta_instance *instance, const uint64_t arrays[],
                              size_t count) {
    const DLTensor *t;
    size_t bytes;
    for (size_t i = 0; i < count; i++) {
        VT_TRY(tensor_of(s, arrays[i], "output", i, &t, &bytes));
        VT_TRY(vta_instance_get_output(instance, i, t->data, bytes, s->diag));
    }
    return VTA_OK;
}

static vta_status run(vt_rpc_session *s, vta_instance *instance, double *out_seconds) {
    vta_device_clear_counters(vta_instance_device(instance));
    vt__session_call_begins(s);
    double begin = vt_now();
    vta_status status = vta_instance_run(instance, s->diag);
    *out_seconds = vt_now() - begin;
    vt__session_call_ends(s, 1);
    return status;
}

vta_status vt__session_run_model(vt_rpc_session *s, uint64_t model, const uint64_t arrays[], size_t count,
                                 double *out_seconds, vta_counters *out_counters) {
    vta_instance *instance;
    VT_TRY(find(s, model, &instance));
    const vta_model *m = vta_instance_model(instance);
    size_t inputs = vta_model_input_count(m), outputs = vta_model_output_count(m);
    if (count != inputs + outputs)
        return vt_fail(s->diag, VTA_MISMATCH, "%s has %zu inputs and %zu outputs: an array for each, not %zu",
                       vta_model_name(m), inputs, outputs, count);
    VT_TRY(set_inputs(s, instance, arrays, inputs));
    VT_TRY(run(s, instance, out_seconds));
    *out_counters = vta_device_counters(vta_instance_device(instance));
    return get_outputs(s, instance, arrays + inputs, outputs);
}

vta_status vt__session_profile_model(vt_rpc_session *s, uint64_t model, char **out_json) {
    vta_instance *instance;
    VT_TRY(find(s, model, &instance));
    return vta_instance_profile_json(instance, s->diag, out_json);
}
