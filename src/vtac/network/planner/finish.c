/* From steps to an artifact: runs of the accelerator, places, code. */
#include <stdlib.h>
#include <string.h>

#include "isa/codec.h"
#include "network/planner/planner_priv.h"

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

/* One past the last step of the run that begins with step `first`. */
static uint32_t end_of_run(const vt__maker *m, uint32_t first) {
    size_t insns = 0;
    uint32_t end = first;
    while (end < m->p->step_count && m->p->steps[end].stream) {
        insns += m->p->steps[end].stream->count + 16;
        if (end > first && (insns > VT_PLAN_MAX_INSNS || m->p->options.separate)) break;
        end++;
    }
    return end;
}

static vta_status make_run(vt__maker *m, uint32_t first, uint32_t end) {
    size_t begin = m->insns.count, count = end - first;
    vt_plan_layer *layers = vt_arena_alloc_zero(&m->p->arena, count * sizeof *layers);
    if (!layers) return vt_no_memory(m->diag);
    VT_TRY(vt__join(m->p, &m->plan, first, end, &m->insns, m->diag, layers));
    for (uint32_t i = first; i < end; i++) m->p->steps[i].row.run = m->runs;
    m->runs++;
    if (m->insns.count - begin > VT_PLAN_MAX_INSNS)
        return vt_fail(m->diag, VTA_UNSUPPORTED, "step %s: %zu instructions, a run has at most %d",
                       m->p->steps[first].plan.name, m->insns.count - begin, VT_PLAN_MAX_INSNS);
    m->steps[m->plan.step_count++] = (vt_plan_step){.kind = VT_STEP_RUN,
                                                    .name = layers[0].name,
                                                    .first = (uint32_t)begin,
                                                    .count = (uint32_t)(m->insns.count - begin),
                                                    .layers = layers,
                                                    .layer_count = (uint32_t)count};
    return VTA_OK;
}

static vta_status make_steps(vt__maker *m) {
    m->insns.count = 0;
    m->plan.step_count = 0;
    m->runs = 0;
    for (uint32_t i = 0; i < m->p->step_count;) {
        uint32_t end = end_of_run(m, i);
        if (end > i) {
            VT_TRY(make_run(m, i, end));
            i = end;
        } else {
            m->steps[m->plan.step_count++] = m->p->steps[i++].plan;
        }
    }
    return VTA_OK;
}

static vta_status encode(vt__maker *m) {
    m->insns_size = m->insns.count * VTA_INSN_BYTES;
    m->insn_bytes = vt_alloc(m->p->allocator, m->insns_size);
    if (!m->insn_bytes) return vt_no_memory(m->diag);
    for (size_t i = 0; i < m->insns.count; i++)
        VT_TRY(vta_insn_encode(m->p->config, &m->insns.items[i], m->diag, m->insn_bytes + i * VTA_INSN_BYTES));
    return VTA_OK;
}

/* Results stay until the end. */
static void keep_outputs(vt_planner *p) {
    for (uint32_t i = 0; i < p->output_count; i++) p->buffers[p->outputs[i].view.buffer].last = UINT32_MAX - 1;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static vta_status make(vt__maker *m, uint8_t **out_bytes, size_t *out_size) {
    vt_planner *p = m->p;
    char *triple;
    m->buffers = vt_arena_alloc_zero(&p->arena, (p->buffer_count + (size_t)1) * sizeof *m->buffers);
    m->steps = vt_arena_alloc_zero(&p->arena, (p->step_count + (size_t)1) * sizeof *m->steps);
    if (!m->buffers || !m->steps) return vt_no_memory(m->diag);
    if (!p->options.as_added) VT_TRY(vt__order_steps(p, m->diag));
    VT_TRY(vt__compile_calls(p, m->diag, &m->code, &m->code_size, &triple));
    m->plan = (vt_plan){.name = p->name,
                        .triple = triple ? triple : "",
                        .buffers = m->buffers,
                        .inputs = p->inputs,
                        .outputs = p->outputs,
                        .steps = m->steps,
                        .buffer_count = p->buffer_count,
                        .input_count = p->input_count,
                        .output_count = p->output_count};
    keep_outputs(p);
    for (uint32_t i = 0; i < p->buffer_count; i++) m->buffers[i] = p->buffers[i].plan;
    VT_TRY(vt__fill_constants(m));
    VT_TRY(make_steps(m)); /* to count: instructions lie in front of what they address */
    VT_TRY(vt__settle(m, m->insns.count));
    VT_TRY(make_steps(m));
    vt__find_cuts(p);
    VT_TRY(encode(m));
    VT_TRY(vt__write_file(m, out_bytes, out_size));
    return vt__write_report(m);
}

vta_status vt_planner_finish(vt_planner *p, vta_diag *diag, uint8_t **out_bytes, size_t *out_size) {
    vt__maker m = {.p = p, .diag = diag, .insns = {.allocator = p->allocator}};
    *out_bytes = NULL;
    *out_size = 0;
    p->finished = true;
    vta_status status = make(&m, out_bytes, out_size);
    if (status != VTA_OK) {
        vta_string_free(*out_bytes);
        *out_bytes = NULL;
        *out_size = 0;
    }
    vt_free(p->allocator, m.params, m.params_size);
    vt_free(p->allocator, m.data, m.data_size);
    vt_free(p->allocator, m.uops, m.uops_size);
    vt_free(p->allocator, m.insn_bytes, m.insns_size);
    vta_string_free(m.code);
    vt_free(p->allocator, m.insns.items, m.insns.cap * sizeof *m.insns.items);
    return status;
}
