/* Streams: outputs that are inputs of the next run, as the state of a recurrent network. */
#include <string.h>

#include "exec/exec_priv.h"

enum { SET_ANEW = UINT32_MAX }; /* an input that no output is carried to */

/* An output that is an input as it is shares its memory: it would have the next run's value where it is read. */
static vta_status check_apart(const vta_instance *in, size_t output, size_t input, vta_diag *diag) {
    const vt_plan *p = &in->model->plan;
    const uint8_t *to = vt__host_address(in, &p->inputs[input].view), *end = to + p->inputs[input].view.bytes;
    for (uint32_t i = 0; i < p->output_count; i++) {
        const uint8_t *from = vt__host_address(in, &p->outputs[i].view);
        if (i != output && from < end && to < from + p->outputs[i].view.bytes)
            return vt_fail(diag, VTA_UNSUPPORTED,
                           "input %s cannot be the state of a stream: output %s is the input itself",
                           p->inputs[input].name, p->outputs[i].name);
    }
    return VTA_OK;
}

static vta_status check(const vta_instance *in, size_t output, size_t input, vta_diag *diag) {
    vta_model_tensor from = {0}, to = {0};
    const vt_plan *p = &in->model->plan;
    if (output >= p->output_count)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "output %zu: %s has %u", output, p->name, p->output_count);
    if (input >= p->input_count)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "input %zu: %s has %u", input, p->name, p->input_count);
    VT_TRY(vta_model_output(in->model, output, &from));
    VT_TRY(vta_model_input(in->model, input, &to));
    bool same_type = from.type.code == to.type.code && from.type.bits == to.type.bits;
    if (same_type && from.bytes == to.bytes) return check_apart(in, output, input, diag);
    return vt_fail(
        diag, VTA_MISMATCH,
        "output %s cannot be input %s of the next run: it has %zu bytes of %u bits each, the input %zu of %u%s",
        from.name, to.name, from.bytes, from.type.bits, to.bytes, to.type.bits,
        from.type.code == to.type.code ? "" : ", of another kind");
}

vta_status vta_instance_carry(vta_instance *in, size_t output, size_t input, vta_diag *diag) {
    if (!in) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_carry: instance is NULL");
    VT_TRY(check(in, output, input, diag));
    if (!in->carried) {
        uint32_t count = in->model->plan.input_count;
        in->carried = vt_arena_alloc(&in->arena, count * sizeof *in->carried);
        if (!in->carried) return vt_no_memory(diag);
        for (uint32_t i = 0; i < count; i++) in->carried[i] = SET_ANEW;
    }
    in->carried[input] = (uint32_t)output;
    const vt_plan_view *view = &in->model->plan.inputs[input].view;
    memset(vt__host_address(in, view), 0, (size_t)view->bytes);
    return VTA_OK;
}

void vta_instance_restart(vta_instance *in) {
    if (!in || !in->carried) return;
    const vt_plan *p = &in->model->plan;
    for (uint32_t i = 0; i < p->input_count; i++)
        if (in->carried[i] != SET_ANEW)
            memset(vt__host_address(in, &p->inputs[i].view), 0, (size_t)p->inputs[i].view.bytes);
}

void vt__carry(vta_instance *in) {
    const vt_plan *p = &in->model->plan;
    for (uint32_t i = 0; in->carried && i < p->input_count; i++) {
        if (in->carried[i] == SET_ANEW) continue;
        const vt_plan_view *from = &p->outputs[in->carried[i]].view;
        memmove(vt__host_address(in, &p->inputs[i].view), vt__host_address(in, from), (size_t)from->bytes);
    }
}
