/* The device runs of a model as a program, for the tools that take one: simulator, profile, debugger. */
#include <string.h>

#include "exec/exec_priv.h"
#include "isa/codec.h"
#include "vta/program.h"

/* Where the arena would be: the first page. */
enum { BASE = VTA_PAGE_BYTES };

static vta_status add_memory(const vta_model *m, vta_program *program, vta_diag *diag) {
    const vt_plan *p = &m->plan;
    vt_section params = vt__model_section(m, VT_SECTION_PARAMS), uops = vt__model_section(m, VT_SECTION_UOPS);
    size_t bytes = (size_t)p->device_bytes;
    uint8_t *memory = vt_alloc_zero(&m->allocator, bytes);
    if (!memory) return vt_no_memory(diag);
    if (params.size) memcpy(memory, params.bytes, params.size);
    if (uops.size) memcpy(memory + p->uops_at, uops.bytes, uops.size);
    vt_section insns = vt__model_section(m, VT_SECTION_INSNS);
    if (insns.size) {
        memcpy(memory + p->insns_at, insns.bytes, insns.size);
        vt__relocate(m->config, memory + p->insns_at, insns.size / VTA_INSN_BYTES, BASE);
    }
    vta_status status = vta_program_add_segment(program, BASE, memory, bytes, diag);
    vt_free(&m->allocator, memory, bytes);
    return status;
}

static vta_status add_run(const vta_model *m, const vt_plan_step *s, uint8_t *insns, vta_program *program,
                          vta_diag *diag) {
    uint32_t addr = BASE + (uint32_t)m->plan.insns_at + s->first * VTA_INSN_BYTES;
    VT_TRY(vta_program_begin_run(program, addr, insns, s->count, diag));
    vta_status status = add_memory(m, program, diag);
    for (uint32_t i = 0; i < s->layer_count && status == VTA_OK; i++)
        status = vta_program_add_note(program, s->layers[i].first, s->layers[i].name, diag);
    if (status == VTA_OK) return vta_program_end_run(program, diag);
    vta_program_drop_run(program);
    return status;
}

static vta_status add_step(const vta_model *m, const vt_plan_step *s, vta_program *program, vta_diag *diag) {
    size_t bytes = (size_t)s->count * VTA_INSN_BYTES;
    uint8_t *insns = vt_alloc(&m->allocator, bytes);
    if (!insns) return vt_no_memory(diag);
    memcpy(insns, vt__model_section(m, VT_SECTION_INSNS).bytes + (size_t)s->first * VTA_INSN_BYTES, bytes);
    vt__relocate(m->config, insns, s->count, BASE);
    vta_status status = add_run(m, s, insns, program, diag);
    vt_free(&m->allocator, insns, bytes);
    return status;
}

vta_status vta_model_program(const vta_model *model, vta_diag *diag, vta_program **out_program) {
    if (!model || !out_program) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_model_program: an argument is NULL");
    *out_program = NULL;
    vta_program *program;
    VT_TRY(vta_program_create(model->config, NULL, diag, &program)); /* it outlives the model */
    vta_status status = VTA_OK;
    for (uint32_t i = 0; i < model->plan.step_count && status == VTA_OK; i++)
        if (model->plan.steps[i].kind == VT_STEP_RUN) status = add_step(model, &model->plan.steps[i], program, diag);
    if (status == VTA_OK)
        *out_program = program;
    else
        vta_program_destroy(program);
    return status;
}
