/* LOAD and STORE on values. */
#include "prove/prover.h"

/* A buffer as LOAD sees it. */
typedef struct target {
    vta_value *values;
    size_t scalars;
} target;

static target target_of(const vt_prover *p, vta_memory memory) {
    switch (memory) {
    case VTA_MEM_WGT: return (target){p->wgt, p->wgt_scalars};
    case VTA_MEM_INP: return (target){p->inp, p->inp_scalars};
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT: return (target){p->acc, p->acc_scalars};
    case VTA_MEM_TABLE: return (target){p->tables, VTA_TABLE_ENTRIES};
    case VTA_MEM_UOP: /* real: load_uops */
    case VTA_MEM_OUT:
    case VTA_MEM_COUNT: break; /* the core refuses them */
    }
    return (target){NULL, 0};
}

static vta_status not_there(uint32_t index, vta_diag *diag) {
    return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u: its DRAM is not part of the recorded program", index);
}

static vta_value *zeros(vta_value *to, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = 0;
    return to + count;
}

/* Micro-ops are real: the core loads them. */
static vta_status load_uops(vt_prover *p, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++) {
        uint64_t addr = (insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride) * VTA_UOP_BYTES;
        if (vt_shadow_is_data(&p->shadow, addr, (uint64_t)insn->u.mem.x_size * VTA_UOP_BYTES))
            return vt_fail(
                diag, VTA_ILLEGAL,
                "instruction %u (LOAD uop): the micro-ops at 0x%08llx are data: an argument, or what a STORE "
                "has written",
                index, (unsigned long long)addr);
    }
    return vt_exec_insn(&p->core, index, insn, diag);
}

/* ACC_8BIT widens, and so do tables: their scalars are known to be 8 bits wide. */
static void widened(vt_prover *p, const vta_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) vta_field_known(p->field, values[i], INT8_MIN, INT8_MAX);
}

static void wrote_acc(vt_prover *p, uint32_t index, uint32_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        p->writer[first + i] = index;
        p->size[first + i] = p->memory_size;
    }
}

vta_status vt_prover_load(vt_prover *p, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    uint32_t memory = insn->u.mem.memory_type;
    if (!insn->u.mem.x_size) return VTA_OK;
    if (memory == VTA_MEM_UOP) return load_uops(p, index, insn, diag);
    target t = target_of(p, memory);
    size_t row = t.scalars * (insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1);
    size_t scalars = t.scalars * insn->u.mem.x_size;
    vta_value *to = zeros(t.values + insn->u.mem.sram_base * t.scalars, insn->u.mem.y_pad_0 * row);
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++) {
        uint64_t element = insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride;
        to = zeros(to, insn->u.mem.x_pad_0 * t.scalars);
        if (!vt_shadow_read(&p->shadow, element * p->config->elem_bytes[memory], p->config->width[memory], scalars, to))
            return not_there(index, diag);
        if (memory == VTA_MEM_ACC_8BIT || memory == VTA_MEM_TABLE) widened(p, to, scalars);
        to = zeros(to + scalars, insn->u.mem.x_pad_1 * t.scalars);
    }
    zeros(to, insn->u.mem.y_pad_1 * row);
    if (t.values == p->acc) wrote_acc(p, index, insn->u.mem.sram_base, vt_exec_work(insn));
    return VTA_OK;
}

/* ---- STORE ------------------------------------------------------------------------------------------------------ */

/* Is the scalar that the caller watches among `count` at `addr`? Then this is, so far, who wrote it. */
static void watch(vt_prover *p, uint32_t index, uint64_t addr, size_t count, uint32_t acc_first) {
    const vta_field_array *watched = p->watched;
    uint32_t bits = p->config->width[VTA_MEM_OUT];
    uint64_t bit = (uint64_t)watched->addr * 8 + p->options->watch_index * watched->bits;
    if (bit < addr * 8 || bit >= addr * 8 + (uint64_t)count * bits) return;
    uint32_t element = acc_first + (uint32_t)((bit - addr * 8) / bits / p->lanes);
    uint32_t writer = p->writer[element];
    *p->options->out_writer =
        (vta_field_writer){.known = 1, .run = p->run, .store = index, .has_alu = writer != VT_NOBODY, .insn = writer};
}

/* Acc elements on their way to DRAM. */
static void narrow_row(vt_prover *p, const vta_value *from, size_t elements, vta_value *to) {
    uint32_t bits = p->config->width[VTA_MEM_OUT];
    for (size_t i = 0; i < elements * p->lanes; i++)
        to[i] = bits < 32 ? vta_field_narrow(p->field, from[i], bits, true) : from[i];
}

/* Behind it no run begins with what was recorded, so constants may make room: a temporary in the place of zeros. */
static bool is_last_run(const vt_prover *p) { return p->run + 1 == vta_program_run_count(p->program); }

vta_status vt_prover_store(vt_prover *p, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    uint32_t bits = p->config->width[VTA_MEM_OUT];
    size_t scalars = insn->u.mem.x_size * p->lanes;
    vta_value *row = vt_alloc_array(p->allocator, scalars, sizeof *row);
    if (!row) return vt_no_memory(diag);
    vta_status status = VTA_OK;
    uint32_t first = insn->u.mem.sram_base;
    for (uint32_t y = 0; y < insn->u.mem.y_size && status == VTA_OK; y++, first += insn->u.mem.x_size) {
        uint64_t element = insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride;
        uint64_t addr = element * p->config->elem_bytes[VTA_MEM_OUT];
        if (!is_last_run(p) && vt_shadow_is_constant(&p->shadow, addr, scalars * bits / 8)) {
            status = vt_fail(diag, VTA_UNSUPPORTED,
                             "instruction %u (STORE): it writes to memory at 0x%08llx that the host fills or reads",
                             index, (unsigned long long)addr);
            break;
        }
        narrow_row(p, p->acc + first * p->acc_scalars, insn->u.mem.x_size, row);
        if (!vt_shadow_write(&p->shadow, addr, bits, scalars, row)) status = not_there(index, diag);
        if (p->watched) watch(p, index, addr, scalars, first);
        for (uint32_t x = 0; x < insn->u.mem.x_size && bits == 32; x++)
            p->memory_size = vt_size_either(p->memory_size, p->size[first + x]);
    }
    vt_free(p->allocator, row, scalars * sizeof *row);
    return status;
}
