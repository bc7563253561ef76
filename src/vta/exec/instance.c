/* Instances: a device and memory for one inference at a time. */
#include <string.h>

#include "base/versioned.h"
#include "exec/exec_priv.h"
#include "isa/codec.h"

/* ---- Device memory --------------------------------------------------------------------------------------------- */

void vt__relocate(const vta_config *config, uint8_t *bytes, size_t count, uint32_t base) {
    vta_insn insn;
    for (size_t i = 0; i < count; i++, bytes += VTA_INSN_BYTES) {
        bool known = vt_insn_unpack(config, bytes, &insn);
        if (!known || (insn.opcode != VTA_OP_LOAD && insn.opcode != VTA_OP_STORE)) continue;
        uint32_t element = vt_insn_elem_bytes(config, &insn);
        if (!insn.u.mem.x_size || !insn.u.mem.y_size || !element)
            continue; /* of no run: vt_plan_check has seen those */
        insn.u.mem.dram_base += base / element;
        vt_insn_pack(config, &insn, bytes);
    }
}

static vta_status write_insns(vta_instance *in, vta_diag *diag) {
    vt_section insns = vt__model_section(in->model, VT_SECTION_INSNS);
    if (!insns.size) return VTA_OK;
    uint8_t *bytes = vt_alloc(&in->model->allocator, insns.size);
    if (!bytes) return vt_no_memory(diag);
    memcpy(bytes, insns.bytes, insns.size);
    vt__relocate(in->model->config, bytes, insns.size / VTA_INSN_BYTES, in->base);
    vta_status status =
        vta_device_write(in->device, in->base + (uint32_t)in->model->plan.insns_at, bytes, insns.size, diag);
    vt_free(&in->model->allocator, bytes, insns.size);
    return status;
}

static vta_status fill_device(vta_instance *in, vta_diag *diag) {
    const vt_plan *p = &in->model->plan;
    vt_section params = vt__model_section(in->model, VT_SECTION_PARAMS);
    vt_section uops = vt__model_section(in->model, VT_SECTION_UOPS);
    if (!p->device_bytes) return VTA_OK;
    VT_TRY(vta_device_alloc(in->device, (size_t)p->device_bytes, diag, &in->base));
    if (params.size) VT_TRY(vta_device_write(in->device, in->base, params.bytes, params.size, diag));
    if (uops.size) VT_TRY(vta_device_write(in->device, in->base + (uint32_t)p->uops_at, uops.bytes, uops.size, diag));
    return write_insns(in, diag);
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

void vta_instance_destroy(vta_instance *in) {
    if (!in) return;
    vta_model *model = in->model;
    vta_allocator allocator = model->allocator;
    vta_device_destroy(in->device);
    vt_free(&allocator, in->times, vta_model_step_count(model) * sizeof *in->times);
    vt_free_lines(&allocator, in->host, (size_t)model->plan.host_bytes);
    vt_arena_clear(&in->arena);
    vt_free(&allocator, in, sizeof *in);
    vta_model_release(model);
}

static vta_status set_up(vta_instance *in, const vta_instance_options *o, vta_diag *diag) {
    const vt_plan *p = &in->model->plan;
    if (!vta_target_fits(in->model->config, o->driver))
        return vt_fail(diag, VTA_MISMATCH,
                       "%s: it was compiled for TARGET %s, and %s computes otherwise (docs/boards.md): compile it with "
                       "TARGET=%s",
                       vta_model_name(in->model), vta_config_target(in->model->config), o->driver, o->driver);
    VT_TRY(vta_device_create(o->driver, in->model->config, o->device, &in->model->allocator, diag, &in->device));
    VT_TRY(fill_device(in, diag));
    in->host = vt_alloc_lines(&in->model->allocator, (size_t)p->host_bytes);
    if (!in->host) return vt_no_memory(diag);
    return vt__bind_steps(in, diag);
}

vta_status vta_instance_create(vta_model *model, const vta_instance_options *options, vta_diag *diag,
                               vta_instance **out_instance) {
    vta_instance_options own;
    if (!out_instance) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_create: out_instance is NULL");
    *out_instance = NULL;
    if (!model) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_create: model is NULL");
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_instance_options", diag));
    vta_instance *in = vt_alloc_zero(&model->allocator, sizeof *in);
    if (!in) return vt_no_memory(diag);
    in->model = vt__model_retain(model);
    in->wait_cycles = own.wait_cycles;
    in->no_host_view = own.no_host_view;
    in->has_timing = own.timing != NULL;
    if (own.timing) in->timing = *own.timing;
    vt_arena_init(&in->arena, &model->allocator);
    vta_status status = set_up(in, &own, diag);
    if (status == VTA_OK)
        *out_instance = in;
    else
        vta_instance_destroy(in);
    return status;
}

vta_model *vta_instance_model(const vta_instance *in) { return in ? in->model : NULL; }
vta_device *vta_instance_device(const vta_instance *in) { return in ? in->device : NULL; }

void vta_instance_interrupt(vta_instance *in) {
    if (!in) return;
    atomic_store(&in->interrupted, true);
    vta_device_interrupt(in->device);
}

/* ---- Inputs and outputs ---------------------------------------------------------------------------------------- */

static vta_status find_port(const vta_instance *in, const char *what, const vt_plan_port *ports, uint32_t count,
                            size_t index, const void *data, size_t bytes, vta_diag *diag) {
    if (index >= count)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s %zu: %s has %u", what, index, in->model->plan.name, count);
    if (!data && bytes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s %s: data is NULL", what, ports[index].name);
    if (bytes == ports[index].view.bytes) return VTA_OK;
    return vt_fail(diag, VTA_MISMATCH, "%s %s: %zu bytes were given, it has %llu", what, ports[index].name, bytes,
                   (unsigned long long)ports[index].view.bytes);
}

vta_status vta_instance_set_input(vta_instance *in, size_t index, const void *data, size_t bytes, vta_diag *diag) {
    if (!in) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_set_input: instance is NULL");
    const vt_plan *p = &in->model->plan;
    VT_TRY(find_port(in, "input", p->inputs, p->input_count, index, data, bytes, diag));
    memcpy(vt__host_address(in, &p->inputs[index].view), data, bytes);
    return VTA_OK;
}

void *vta_instance_input_data(vta_instance *in, size_t index) {
    if (!in || index >= in->model->plan.input_count) return NULL;
    return vt__host_address(in, &in->model->plan.inputs[index].view);
}

const void *vta_instance_output_data(const vta_instance *in, size_t index) {
    if (!in || index >= in->model->plan.output_count) return NULL;
    return vt__host_address(in, &in->model->plan.outputs[index].view);
}

vta_status vta_instance_get_output(const vta_instance *in, size_t index, void *data, size_t bytes, vta_diag *diag) {
    if (!in) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_get_output: instance is NULL");
    const vt_plan *p = &in->model->plan;
    VT_TRY(find_port(in, "output", p->outputs, p->output_count, index, data, bytes, diag));
    memcpy(data, vt__host_address(in, &p->outputs[index].view), bytes);
    return VTA_OK;
}
