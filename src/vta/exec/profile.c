/* What each step took. */
#include <string.h>

#include "base/json_write.h"
#include "base/versioned.h"
#include "exec/exec_priv.h"

/* Cycles and counters do not change from run to run: they are found once. */
static vta_status find_times(vta_instance *in, vta_diag *diag) {
    const vt_plan *p = &in->model->plan;
    size_t count = vta_model_step_count(in->model), at = 0;
    if (in->times) return VTA_OK;
    vta_step_profile *times = vt_alloc_zero(&in->model->allocator, count * sizeof *times);
    if (!times) return vt_no_memory(diag);
    vta_status status = VTA_OK;
    for (uint32_t i = 0; i < p->step_count && status == VTA_OK; i++) {
        if (p->steps[i].kind == VT_STEP_RUN) status = vt__time_run(in, &p->steps[i], diag, &times[at], &times[at + 1]);
        at += (size_t)p->steps[i].layer_count + 1;
    }
    if (status == VTA_OK)
        in->times = times;
    else
        vt_free(&in->model->allocator, times, count * sizeof *times);
    return status;
}

vta_status vta_instance_profile(vta_instance *in, size_t index, vta_diag *diag, vta_step_profile *out_profile) {
    vta_model_step step = {0};
    if (!in || !out_profile) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_profile: an argument is NULL");
    if (vta_model_get_step(in->model, index, &step) != VTA_OK)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "step %zu: %s has %zu", index, in->model->plan.name,
                       vta_model_step_count(in->model));
    VT_TRY(find_times(in, diag));
    vta_step_profile p = in->times[index];
    if (step.layer == UINT32_MAX) p.seconds = in->steps[step.step].seconds;
    vt_result_write(out_profile, &p, sizeof p);
    return VTA_OK;
}

/* ---- As JSON --------------------------------------------------------------------------------------------------- */

static void write_counters(vt_json *w, const vta_counters *c) {
    vt_json_object(w, "counters");
#define VTA_COUNTER(name, meaning)                                                                                     \
    if (c->name) vt_json_uint(w, #name, c->name);
#include "vta/counters.def"
#undef VTA_COUNTER
    vt_json_end(w);
}

static uint64_t bytes_of(const vta_counters *c) {
    return c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes + c->out_store_nbytes;
}

static void write_step(vt_json *w, const vta_model_step *s, const vta_step_profile *p) {
    vt_json_line(w);
    vt_json_object(w, NULL);
    vt_json_text(w, "name", s->name);
    vt_json_text(w, "kind", s->kind);
    vt_json_uint(w, "step", s->step);
    if (s->layer == UINT32_MAX) vt_json_real(w, "seconds", p->seconds);
    if (s->insn_count) {
        vt_json_uint(w, "cycles", p->cycles);
        vt_json_uint(w, "bound", p->bound_cycles);
        vt_json_text(w, "limit", p->compute_cycles >= p->memory_cycles ? "compute" : "memory");
        vt_json_uint(w, "instructions", s->insn_count);
        vt_json_uint(w, "macs", p->counters.macs);
        vt_json_uint(w, "bytes", bytes_of(&p->counters));
        write_counters(w, &p->counters);
    }
    vt_json_end(w);
}

static void write_memory(vt_json *w, const vta_model *model) {
    vta_model_memory m = {0};
    vta_model_get_memory(model, &m);
    vt_json_line(w);
    vt_json_object(w, "memory");
    vt_json_uint(w, "device_bytes", m.device_bytes);
    vt_json_uint(w, "params_bytes", m.params_bytes);
    vt_json_uint(w, "stream_bytes", m.stream_bytes);
    vt_json_uint(w, "work_bytes", m.work_bytes);
    vt_json_uint(w, "host_bytes", m.host_bytes);
    vt_json_uint(w, "file_bytes", m.file_bytes);
    vt_json_end(w);
}

static void write_all(vt_json *w, const vta_instance *in) {
    vta_model_step step = {0};
    uint64_t cycles = 0;
    double seconds = 0, device_seconds = 0;
    vt_json_object(w, NULL);
    vt_json_text(w, "model", in->model->plan.name);
    vt_json_text(w, "driver", vta_device_driver(in->device));
    vt_json_text(w, "config", vta_config_bitstream(in->model->config));
    write_memory(w, in->model);
    vt_json_line(w);
    vt_json_array(w, "steps");
    for (size_t i = 0; vta_model_get_step(in->model, i, &step) == VTA_OK; i++) {
        vta_step_profile p = in->times[i];
        bool whole = step.layer == UINT32_MAX;
        if (whole) p.seconds = in->steps[step.step].seconds;
        write_step(w, &step, &p);
        if (!whole) continue;
        cycles += p.cycles;
        seconds += p.seconds;
        if (in->model->plan.steps[step.step].kind == VT_STEP_RUN) device_seconds += p.seconds;
    }
    vt_json_line(w);
    vt_json_end(w);
    vt_json_uint(w, "cycles", cycles);
    vt_json_real(w, "seconds", seconds);
    vt_json_real(w, "device_seconds", device_seconds);
    vt_json_end(w);
}

vta_status vta_instance_profile_json(vta_instance *in, vta_diag *diag, char **out_json) {
    if (!in || !out_json) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_instance_profile_json: an argument is NULL");
    *out_json = NULL;
    VT_TRY(find_times(in, diag));
    vt_strbuf text;
    vt_json w;
    vt_strbuf_init(&text, NULL); /* the caller frees it as the C library's */
    vt_json_init(&w, &text, VT_JSON_SPACED);
    write_all(&w, in);
    *out_json = vt_strbuf_take(&text);
    return *out_json ? VTA_OK : vt_no_memory(diag);
}
