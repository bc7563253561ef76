/* A plan's steps tied to the memory of one instance. */
#include "exec/exec_priv.h"

typedef struct binder {
    vta_instance *instance;
    vta_diag *diag;
} binder;

static uint32_t device_address(const vta_instance *in, const vt_plan_view *v) {
    return in->base + (uint32_t)(in->model->plan.buffers[v->buffer].offset + v->offset);
}

uint8_t *vt__host_address(const vta_instance *in, const vt_plan_view *v) {
    const vt_plan_buffer *b = &in->model->plan.buffers[v->buffer];
    vt_section data = vt__model_section(in->model, VT_SECTION_DATA);
    if (b->place == VT_PLACE_HOST) return in->host + b->offset + v->offset;
    if (b->place == VT_PLACE_DATA) return (uint8_t *)data.bytes + b->offset + v->offset; /* nobody writes it */
    if (in->no_host_view) return NULL;
    return vta_device_host_ptr(in->device, device_address(in, v), (size_t)v->bytes);
}

static vta_status bind_view(const binder *b, const vt_plan_view *v, vt__argument *a) {
    vta_instance *in = b->instance;
    a->view = v;
    if (in->model->plan.buffers[v->buffer].place == VT_PLACE_DEVICE) a->addr = device_address(in, v);
    uint8_t *data = vt__host_address(in, v);
    if (!data) data = a->staging = vt_arena_alloc_zero(&in->arena, (size_t)v->bytes);
    if (!data) return vt_no_memory(b->diag);
    a->tensor = (DLTensor){
        .data = data, .device = {kDLCPU, 0}, .ndim = v->ndim, .dtype = v->type, .shape = (int64_t *)v->shape};
    return VTA_OK;
}

static vta_status bind_views(const binder *b, vt__bound_step *s) {
    vt_arena *arena = &b->instance->arena;
    uint32_t n = s->is->view_count;
    s->arguments = vt_arena_alloc_zero(arena, (n + 1) * sizeof *s->arguments);
    s->tensors = vt_arena_alloc_zero(arena, (n + 1) * sizeof *s->tensors);
    if (!s->arguments || !s->tensors) return vt_no_memory(b->diag);
    for (uint32_t i = 0; i < n; i++) {
        VT_TRY(bind_view(b, &s->is->views[i], &s->arguments[i]));
        s->tensors[i] = &s->arguments[i].tensor;
    }
    if (s->is->kind != VT_STEP_CALL) return VTA_OK;
    return vt__model_function(b->instance->model, s->is->function, b->diag, &s->function);
}

vta_status vt__bind_steps(vta_instance *in, vta_diag *diag) {
    const vt_plan *p = &in->model->plan;
    const binder b = {in, diag};
    in->steps = vt_arena_alloc_zero(&in->arena, (p->step_count + (size_t)1) * sizeof *in->steps);
    if (!in->steps) return vt_no_memory(diag);
    for (uint32_t i = 0; i < p->step_count; i++) {
        in->steps[i].is = &p->steps[i];
        VT_TRY(bind_views(&b, &in->steps[i]));
    }
    return VTA_OK;
}
