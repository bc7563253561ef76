/* What the layers of a run take, by the timing model and by what their instructions ask for. */
#include "exec/exec_priv.h"
#include "isa/codec.h"
#include "vta/timing.h"

static void count_transfer(const vta_config *config, const vta_insn *insn, vta_counters *c) {
    uint64_t bytes = (uint64_t)insn->u.mem.x_size * insn->u.mem.y_size;
    if (!insn->u.mem.x_size) {
        c->insn_nop++;
        return;
    }
    bytes *= vt_insn_elem_bytes(config, insn);
    if (insn->opcode == VTA_OP_STORE) {
        c->insn_store++;
        c->out_store_nbytes += bytes;
        return;
    }
    c->insn_load++;
    switch (insn->u.mem.memory_type) {
    case VTA_MEM_INP: c->inp_load_nbytes += bytes; break;
    case VTA_MEM_WGT: c->wgt_load_nbytes += bytes; break;
    case VTA_MEM_UOP: c->uop_load_nbytes += bytes; break;
    default: c->acc_load_nbytes += bytes;
    }
}

static void count_insn(const vta_config *config, const vta_insn *insn, vta_counters *c) {
    uint64_t uops = insn->u.exec.uop_end > insn->u.exec.uop_bgn ? insn->u.exec.uop_end - insn->u.exec.uop_bgn : 0;
    uint64_t passes = uops * insn->u.exec.iter_out * insn->u.exec.iter_in;
    switch (insn->opcode) {
    case VTA_OP_GEMM:
        c->insn_gemm++;
        *(insn->u.exec.reset_reg ? &c->gemm_reset_counter : &c->gemm_counter) += passes;
        c->macs =
            c->gemm_counter * vta_config_batch(config) * vta_config_block_in(config) * vta_config_block_out(config);
        break;
    case VTA_OP_ALU:
        c->insn_alu++;
        c->alu_counter += passes;
        break;
    case VTA_OP_FINISH: c->insn_finish++; break;
    default: count_transfer(config, insn, c);
    }
}

static void add(vta_counters *sum, const vta_counters *more) {
#define VTA_COUNTER(name, meaning) sum->name += more->name;
#include "vta/counters.def"
#undef VTA_COUNTER
}

/* A layer's cycles are those from the end of the one before to its own end: what they overlap belongs to the first. */
static void share(const vt_plan_step *s, const vta_insn_time *times, uint64_t cycles, vta_step_profile *layers) {
    uint64_t done = 0;
    for (uint32_t k = 0; k < s->layer_count; k++) {
        bool last = k + 1 == s->layer_count;
        uint64_t end = done;
        for (uint32_t i = s->layers[k].first; !last && i < s->layers[k + 1].first; i++)
            if (times[i].end > end) end = times[i].end;
        if (last) end = cycles;
        layers[k].cycles = end > done ? end - done : 0;
        done = end;
    }
}

static void count(const vta_config *config, const vt_plan_step *s, const vta_insn *insns, vta_step_profile *run,
                  vta_step_profile *layers) {
    uint32_t layer = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        vta_counters one = {0};
        while (layer + 1 < s->layer_count && s->layers[layer + 1].first <= i) layer++;
        count_insn(config, &insns[i], &one);
        add(&run->counters, &one);
        if (s->layer_count) add(&layers[layer].counters, &one);
    }
    run->counters.runs = 1;
}

/* What a machine that never waits would take: its compute unit and its bus have that much to do. */
static void find_bound(const vta_timing_profile *profile, vta_step_profile *p) {
    const vta_counters *c = &p->counters;
    uint64_t bus = profile->bus_bits / 8u;
    uint64_t bytes = c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes;
    p->compute_cycles = c->gemm_counter + c->gemm_reset_counter + c->alu_counter;
    p->memory_cycles = bus ? (bytes + bus - 1) / bus : 0;
    p->bound_cycles = p->compute_cycles > p->memory_cycles ? p->compute_cycles : p->memory_cycles;
}

static vta_status time_insns(const vta_instance *in, const vt_plan_step *s, vta_insn *insns, vta_insn_time *times,
                             vta_diag *diag, vta_step_profile *run, vta_step_profile *layers) {
    const vta_model *m = in->model;
    const uint8_t *bytes = vt__model_section(m, VT_SECTION_INSNS).bytes + (size_t)s->first * VTA_INSN_BYTES;
    uint32_t addr = (uint32_t)m->plan.insns_at + s->first * VTA_INSN_BYTES;
    vta_timing_profile profile = in->timing;
    vta_timing timing;
    for (uint32_t i = 0; i < s->count; i++)
        VT_TRY(vta_insn_decode(m->config, bytes + (size_t)i * VTA_INSN_BYTES, diag, &insns[i]));
    if (!in->has_timing && vta_device_timing(in->device, NULL, &timing, &profile) != VTA_OK)
        VT_TRY(vta_timing_profile_for(m->config, diag, &profile));
    VT_TRY(vta_timing_run(m->config, &profile, insns, s->count, addr, 0, &m->allocator, diag, &timing, times));
    run->cycles = run->counters.cycles = timing.cycles;
    count(m->config, s, insns, run, layers);
    share(s, times, timing.cycles, layers);
    find_bound(&profile, run);
    for (uint32_t k = 0; k < s->layer_count; k++) {
        layers[k].counters.cycles = layers[k].cycles;
        find_bound(&profile, &layers[k]);
    }
    return VTA_OK;
}

vta_status vt__time_run(const vta_instance *in, const vt_plan_step *s, vta_diag *diag, vta_step_profile *out_run,
                        vta_step_profile *out_layers) {
    const vta_allocator *a = &in->model->allocator;
    size_t insn_bytes = s->count * sizeof(vta_insn), time_bytes = s->count * sizeof(vta_insn_time);
    vta_insn *insns = vt_alloc(a, insn_bytes);
    vta_insn_time *times = vt_alloc(a, time_bytes);
    vta_status status =
        insns && times ? time_insns(in, s, insns, times, diag, out_run, out_layers) : vt_no_memory(diag);
    vt_free(a, insns, insn_bytes);
    vt_free(a, times, time_bytes);
    return status;
}
