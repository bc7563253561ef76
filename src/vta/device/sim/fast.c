#include "device/sim/fast.h"

#include <string.h>

#include "config/config_priv.h"

/* Best first. */
static const vt_fast_cpu *const cpus[] = {
#if defined(__x86_64__)
    &vt__cpu_avx512,
    &vt__cpu_avx2,
#endif
    &vt__cpu_portable,
};
enum { CPUS = sizeof cpus / sizeof cpus[0] };

static vta_status find_cpu(const char *name, vta_diag *diag, const vt_fast_cpu **out_cpu) {
    bool any = !name || !*name || !strcmp(name, "auto");
    for (int i = 0; i < CPUS; i++) {
        if (!any && strcmp(cpus[i]->name, name)) continue;
        if (cpus[i]->available()) {
            *out_cpu = cpus[i];
            return VTA_OK;
        }
        if (!any) return vt_fail(diag, VTA_UNSUPPORTED, "options.cpu '%s': this processor does not have it", name);
    }
    return vt_fail(diag, VTA_NOT_FOUND, "options.cpu '%s' does not exist here; there are auto, portable%s", name,
                   CPUS > 1 ? ", avx2, avx512" : "");
}

/* Offsets into inputs and weights are 32-bit words, counted in int32_t (vt_step). */
static const size_t LARGEST = SIZE_MAX / 4 < INT32_MAX ? SIZE_MAX / 2 : (size_t)INT32_MAX * sizeof(int32_t);

static uint32_t log2_of(uint32_t n) { return (uint32_t)__builtin_ctz(n); }

/* One block: two numbers for each accumulator and two for each micro-op. */
static size_t grouping_bytes(const vta_config *c) {
    return 2 * ((size_t)c->depth[VTA_MEM_ACC] + c->depth[VTA_MEM_UOP]) * sizeof(int32_t);
}

static bool alloc_grouping(const vt_machine *m, vt_fast *f) {
    const vta_config *c = m->config;
    int32_t *block = vt_alloc(m->allocator, grouping_bytes(c));
    if (!block) return false;
    f->grouping.first = block;
    f->grouping.last = block + c->depth[VTA_MEM_ACC];
    f->grouping.next = f->grouping.last + c->depth[VTA_MEM_ACC];
    f->grouping.next_row = f->grouping.next + c->depth[VTA_MEM_UOP];
    return true;
}

static vta_status set_up(vt_machine *m, vt_fast *f, vta_diag *diag) {
    const vta_config *c = m->config;
    uint32_t widest = c->width[VTA_MEM_INP] > c->width[VTA_MEM_WGT] ? c->width[VTA_MEM_INP] : c->width[VTA_MEM_WGT];
    uint32_t log_group = widest <= 8 ? 2 : widest <= 16 ? 1 : 0;
    f->channels = c->block_out < VT_TILE_CHANNELS ? c->block_out : VT_TILE_CHANNELS;
    f->wgt_loads = 1;
    while (!(f->kernels = f->cpu->kernels(log2_of(f->channels), log_group, c->block_in >> log_group))) {
        if (log_group == 2)
            log_group = 1; /* no kernel for bytes: words of two hold them as well */
        else
            f->cpu = &vt__cpu_portable;
    }
    f->group = 1u << log_group;
    f->bytes = widest <= 8;
    f->tiles = c->block_out / f->channels;
    f->words = c->block_in / f->group;
    f->inp_words = c->batch * f->words;
    f->tile_words = f->channels * (f->words + (f->kernels->sum_corrections ? 1 : 0));
    f->wgt_words = f->tiles * f->tile_words;
    f->inp_bytes = (size_t)c->depth[VTA_MEM_INP] * f->inp_words * sizeof *f->inp;
    f->wgt_bytes = (size_t)c->depth[VTA_MEM_WGT] * f->wgt_words * sizeof *f->wgt;
    if (f->inp_bytes > LARGEST || f->wgt_bytes > LARGEST)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "the fast engine would need %zu bytes for inputs and %zu for weights, and counts them in 32 bits; "
            "use the reference engine or smaller buffers",
            f->inp_bytes, f->wgt_bytes);
    if (!alloc_grouping(m, f)) return vt_no_memory(diag);
    f->inp = vt_alloc_lines(m->allocator, f->inp_bytes);
    f->wgt = vt_alloc_lines(m->allocator, f->wgt_bytes);
    if (!f->inp || !f->wgt) return vt_no_memory(diag);
    if (f->kernels->sum_corrections) memset(f->inp, 0x80, f->inp_bytes); /* zeros, in this layout */
    return VTA_OK;
}

static void destroy(vt_machine *machine) {
    vt_fast *f = machine->engine_state;
    vt_free_lines(machine->allocator, f->inp, f->inp_bytes);
    vt_free_lines(machine->allocator, f->wgt, f->wgt_bytes);
    vt_free(machine->allocator, f->grouping.first, grouping_bytes(machine->config));
    vt_free(machine->allocator, f, sizeof *f);
    machine->engine_state = NULL;
}

static vta_status create(vt_machine *machine, const char *cpu, vta_diag *diag) {
    const vt_fast_cpu *found = NULL;
    VT_TRY(find_cpu(cpu, diag, &found));
    vt_fast *f = vt_alloc_zero(machine->allocator, sizeof *f);
    if (!f) return vt_no_memory(diag);
    f->cpu = found;
    machine->engine_state = f;
    vta_status status = set_up(machine, f, diag);
    if (status != VTA_OK) destroy(machine);
    return status;
}

static void loaded(vt_machine *machine, vta_memory memory, uint32_t first, uint32_t count) {
    if (memory == VTA_MEM_INP) vt__fast_pack_inp(machine, first, count);
    if (memory == VTA_MEM_WGT) vt__fast_pack_wgt(machine, first, count);
    if (memory == VTA_MEM_UOP) vt__fast_forget_plans(machine);
}

const vt_engine vt_engine_fast = {
    .name = "fast",
    .create = create,
    .destroy = destroy,
    .loaded = loaded,
    .gemm = vt__fast_gemm,
    .reset = vt__fast_reset,
    .alu = vt__fast_alu,
    .alu_chain = vt__fast_alu_chain,
    .narrow = vt__fast_narrow,
};
