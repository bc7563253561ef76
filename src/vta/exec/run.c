/* One inference: the steps of the plan, in their order. */
#include <string.h>

#include "base/clock.h"
#include "exec/exec_priv.h"

/* ---- Arguments in device memory -------------------------------------------------------------------------------- */

static vta_status fetch(vta_instance *in, const vt__argument *a, vta_diag *diag) {
    size_t bytes = (size_t)a->view->bytes;
    if (!a->addr || a->view->output) return VTA_OK;
    if (a->staging) return vta_device_read(in->device, a->addr, a->staging, bytes, diag);
    return vta_device_invalidate(in->device, a->addr, bytes, diag);
}

static vta_status deliver(vta_instance *in, const vt__argument *a, vta_diag *diag) {
    size_t bytes = (size_t)a->view->bytes;
    if (!a->addr || !a->view->output) return VTA_OK;
    if (a->staging) return vta_device_write(in->device, a->addr, a->staging, bytes, diag);
    return vta_device_flush(in->device, a->addr, bytes, diag);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static vta_status run_device(vta_instance *in, const vt_plan_step *s, vta_diag *diag) {
    uint32_t addr = in->base + (uint32_t)in->model->plan.insns_at + s->first * VTA_INSN_BYTES;
    return vta_device_run(in->device, addr, s->count, in->wait_cycles, diag);
}

static vta_status compute(const vt__bound_step *s, vta_diag *diag) {
    const vt_plan_view *views = s->is->views;
    uint8_t *from = s->arguments[0].tensor.data, *to = s->is->view_count > 1 ? s->arguments[1].tensor.data : NULL;
    switch (s->is->kind) {
    case VT_STEP_CALL: return vta_function_call_tensors(s->function, s->tensors, (int)s->is->view_count, diag);
    case VT_STEP_COPY: memmove(to, from, (size_t)views[0].bytes); break;
    case VT_STEP_PACK: vt__pack(&views[0], from, &views[1], to); break;
    case VT_STEP_UNPACK: vt__unpack(&views[0], from, &views[1], to); break;
    case VT_STEP_TABLE:
        vt__table(from, s->arguments[1].tensor.data, s->arguments[2].tensor.data, (size_t)views[0].bytes,
                  vt__table_best());
        break;
    case VT_STEP_RUN:
    case VT_STEP_KINDS: break;
    }
    return VTA_OK;
}

static vta_status run_step(vta_instance *in, const vt__bound_step *s, vta_diag *diag) {
    if (s->is->kind == VT_STEP_RUN) return run_device(in, s->is, diag);
    for (uint32_t i = 0; i < s->is->view_count; i++) VT_TRY(fetch(in, &s->arguments[i], diag));
    VT_TRY(compute(s, diag));
    for (uint32_t i = 0; i < s->is->view_count; i++) VT_TRY(deliver(in, &s->arguments[i], diag));
    return VTA_OK;
}

/* An entry that says where it happened; the entries before say what. */
static vta_status failed(const vta_instance *in, uint32_t index, vta_status status, vta_diag *diag) {
    const vt_plan_step *s = &in->model->plan.steps[index];
    return vt_fail(diag, status, "%s: step %u of %u (%s %s) failed", in->model->plan.name, index,
                   in->model->plan.step_count, vt_step_rows[s->kind].name, s->name);
}

vta_status vta_instance_run(vta_instance *in, vta_diag *diag) {
    if (!in) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_run: instance is NULL");
    atomic_store(&in->interrupted, false);
    double before = vt_now();
    for (uint32_t i = 0; i < in->model->plan.step_count; i++) {
        if (atomic_load(&in->interrupted)) return vt_fail(diag, VTA_INTERRUPTED, "interrupted");
        vta_status status = run_step(in, &in->steps[i], diag);
        if (status != VTA_OK) return failed(in, i, status, diag);
        double after = vt_now();
        in->steps[i].seconds = after - before;
        before = after;
    }
    vt__carry(in);
    return VTA_OK;
}
