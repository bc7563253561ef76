#include "runtime/uop_kernel.h"

#include <stddef.h>

#include "config/field_bits.h"

static const char *const mode_names[] = {"GEMM", "ALU"};

void vt_kernel_init(vt_uop_kernel *kernel, const vta_allocator *allocator) {
    *kernel = (vt_uop_kernel){.allocator = allocator};
}

void vt_kernel_clear(vt_uop_kernel *kernel) {
    vt_free(kernel->allocator, kernel->words, kernel->cap * sizeof *kernel->words);
    vt_kernel_init(kernel, kernel->allocator);
}

/* ---- Loops ------------------------------------------------------------------------------------------------- */

/* The loops of both operations, outer and inner. */
enum { EXTENT_MAX = VT_FIELD_MAX(GEMM_iter_out) };
_Static_assert(VT_BITS_GEMM_iter_in == VT_BITS_GEMM_iter_out && VT_BITS_ALU_iter_out == VT_BITS_GEMM_iter_out &&
                   VT_BITS_ALU_iter_in == VT_BITS_GEMM_iter_out,
               "a loop is checked before it is known whose it is");

static vta_status check_factor(const char *name, uint32_t value, unsigned bits, vta_diag *diag) {
    if (value <= vt_low_bits(bits)) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "%s %u does not fit the instruction's field, which holds 0 to %llu; choose a smaller step or unroll "
                   "this loop",
                   name, value, (unsigned long long)vt_low_bits(bits));
}

vta_status vt_kernel_loop_begin(vt_uop_kernel *kernel, const vta_config *config, const vt_uop_loop *loop,
                                vta_diag *diag) {
    if (kernel->count)
        return vt_fail(diag, VTA_ILLEGAL, "a loop begins after %zu micro-ops; loops surround all micro-ops of a kernel",
                       kernel->count);
    if (kernel->open_loops < kernel->loop_count)
        return vt_fail(diag, VTA_ILLEGAL, "a loop begins after another one ended; the loops of a kernel are nested");
    if (kernel->loop_count == VT_KERNEL_LOOPS)
        return vt_fail(diag, VTA_ILLEGAL,
                       "a third nested loop; the hardware has two, so unroll one of them into micro-ops");
    if (loop->extent > EXTENT_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "extent %u does not fit the instruction's field, which holds 0 to %d",
                       loop->extent, EXTENT_MAX);
    VT_TRY(check_factor("dst_factor", loop->dst_factor, vt_uop_dst_bits(config), diag));
    VT_TRY(check_factor("src_factor", loop->src_factor, vt_uop_src_bits(config), diag));
    VT_TRY(check_factor("wgt_factor", loop->wgt_factor, vt_uop_wgt_bits(config), diag));
    kernel->loops[kernel->loop_count++] = *loop;
    kernel->open_loops++;
    return VTA_OK;
}

vta_status vt_kernel_loop_end(vt_uop_kernel *kernel, vta_diag *diag) {
    if (!kernel->open_loops) return vt_fail(diag, VTA_ILLEGAL, "no loop is open: VTAUopLoopBegin begins one");
    kernel->open_loops--;
    return VTA_OK;
}

/* ---- Micro-ops --------------------------------------------------------------------------------------------- */

static vta_status check_table(const vta_config *config, const vt_uop_args *uop, vta_diag *diag) {
    uint32_t tables = config->depth[VTA_MEM_TABLE];
    if (!tables)
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "opcode %u is not an ALU operation of hardware without tables (LOG_TABLE_BUFF_SIZE is 0)",
                       uop->opcode);
    if (!uop->use_imm || uop->imm < 0 || (uint32_t)uop->imm >= tables)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "TABLE takes the number of a table as its immediate, 0 to %u, not %s%d",
                       tables - 1, uop->use_imm ? "" : "use_imm 0, imm ", uop->imm);
    return VTA_OK;
}

static vta_status check_ranges(const vta_config *config, const vt_uop_args *uop, vta_diag *diag) {
    if (uop->mode > VT_KERNEL_ALU)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "mode %u is neither 0 (GEMM) nor 1 (ALU)", uop->mode);
    if (uop->reset_out > 1) return vt_fail(diag, VTA_OUT_OF_RANGE, "reset_out %u is neither 0 nor 1", uop->reset_out);
    if (uop->mode == VT_KERNEL_GEMM) return VTA_OK;
    if (uop->opcode >= VTA_ALU_COUNT)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "opcode %u is not an ALU operation; there are 0 to %d", uop->opcode,
                       VTA_ALU_COUNT - 1);
    if (uop->use_imm > 1) return vt_fail(diag, VTA_OUT_OF_RANGE, "use_imm %u is neither 0 nor 1", uop->use_imm);
    if (uop->imm < VT_SIGNED_FIELD_LEAST(ALU_imm) || uop->imm > VT_SIGNED_FIELD_MAX(ALU_imm))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "imm_val %d does not fit the %d-bit immediate (%d to %d)", uop->imm,
                       VT_BITS_ALU_imm, VT_SIGNED_FIELD_LEAST(ALU_imm), VT_SIGNED_FIELD_MAX(ALU_imm));
    return uop->opcode == VTA_ALU_TABLE ? check_table(config, uop, diag) : VTA_OK;
}

static vta_status disagree(const vt_uop_kernel *kernel, const char *what, int64_t now, int64_t before, vta_diag *diag) {
    return vt_fail(diag, VTA_MISMATCH,
                   "micro-op %zu has %s %lld, those before it %lld; one instruction runs the whole kernel, so all "
                   "micro-ops must agree",
                   kernel->count, what, (long long)now, (long long)before);
}

static vta_status check_agreement(const vt_uop_kernel *kernel, const vt_uop_args *uop, vta_diag *diag) {
    const vt_uop_args *first = &kernel->first;
    if (!kernel->count) return VTA_OK;
    if (uop->mode != first->mode) return disagree(kernel, "mode", uop->mode, first->mode, diag);
    if (uop->reset_out != first->reset_out)
        return disagree(kernel, "reset_out", uop->reset_out, first->reset_out, diag);
    if (uop->mode == VT_KERNEL_GEMM) return VTA_OK;
    if (uop->opcode != first->opcode) return disagree(kernel, "opcode", uop->opcode, first->opcode, diag);
    if (uop->use_imm != first->use_imm) return disagree(kernel, "use_imm", uop->use_imm, first->use_imm, diag);
    if (uop->imm != first->imm) return disagree(kernel, "imm_val", uop->imm, first->imm, diag);
    return VTA_OK;
}

/* How far an index moves over all iterations; loops that run at all. */
static uint64_t span(const vt_uop_kernel *kernel, size_t factor_offset) {
    uint64_t total = 0;
    for (unsigned i = 0; i < kernel->loop_count; i++) {
        const vt_uop_loop *loop = &kernel->loops[i];
        if (!loop->extent) return 0;
        total += (uint64_t)(loop->extent - 1) * *(const uint32_t *)((const char *)loop + factor_offset);
    }
    return total;
}

static vta_status check_index(const vta_config *config, const char *name, vta_memory memory, uint32_t index,
                              uint64_t moved, vta_diag *diag) {
    uint32_t depth = config->depth[memory];
    if (index + moved < depth) return VTA_OK;
    if (index >= depth)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s %u is outside the %s buffer, which holds %u elements", name, index,
                       vta_memory_name(memory), depth);
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "%s %u becomes %llu in the loops' last iteration, outside the %s buffer, which holds %u elements",
                   name, index, (unsigned long long)(index + moved), vta_memory_name(memory), depth);
}

#define SPAN(kernel, factor) span((kernel), offsetof(vt_uop_loop, factor))

/* What the ALU does not read need only fit its field. */
static vta_status check_field(const char *name, uint32_t value, unsigned bits, vta_diag *diag) {
    if (value <= vt_low_bits(bits)) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%s %u does not fit its field of %u bits", name, value, bits);
}

static vta_status check_indices(const vt_uop_kernel *kernel, const vta_config *config, const vt_uop_args *uop,
                                vta_diag *diag) {
    VT_TRY(check_index(config, "dst_index", VTA_MEM_ACC, uop->dst, SPAN(kernel, dst_factor), diag));
    bool gemm = uop->mode == VT_KERNEL_GEMM;
    VT_TRY(
        check_index(config, "src_index", gemm ? VTA_MEM_INP : VTA_MEM_ACC, uop->src, SPAN(kernel, src_factor), diag));
    if (gemm) return check_index(config, "wgt_index", VTA_MEM_WGT, uop->wgt, SPAN(kernel, wgt_factor), diag);
    return check_field("wgt_index", uop->wgt, vt_uop_wgt_bits(config), diag);
}

/* The instruction's source factors are as wide as an index of the memory they step through, a loop's are checked
 * before the mode is known. */
static vta_status check_source_factors(const vt_uop_kernel *kernel, const vta_config *config, const vt_uop_args *uop,
                                       vta_diag *diag) {
    unsigned bits = config->log_depth[uop->mode == VT_KERNEL_GEMM ? VTA_MEM_INP : VTA_MEM_ACC];
    for (unsigned i = 0; i < kernel->loop_count; i++)
        VT_TRY(check_factor("VTAUopLoopBegin's src_factor", kernel->loops[i].src_factor, bits, diag));
    return VTA_OK;
}

/* The GEMM and ALU pipelines of some boards read acc two cycles before they write it. */
static vta_status check_hazard(const vt_uop_kernel *kernel, const vt_uop_args *uop, vta_diag *diag) {
    for (size_t back = 1; back <= 2 && back <= kernel->count; back++)
        if (kernel->recent_dst[back - 1] == uop->dst)
            return vt_fail(diag, VTA_ILLEGAL,
                           "dst_index %u was written by micro-op %zu, %zu before this one; the pipeline needs at least "
                           "3 between two writes of one accumulator: reorder the loops",
                           uop->dst, kernel->count - back, back);
    return VTA_OK;
}

vta_status vt_kernel_push(vt_uop_kernel *kernel, const vta_config *config, const vt_uop_args *uop, vta_diag *diag) {
    VT_TRY(check_ranges(config, uop, diag));
    if (kernel->open_loops < kernel->loop_count)
        return vt_fail(diag, VTA_ILLEGAL, "a micro-op after VTAUopLoopEnd; loops surround all micro-ops of a kernel");
    VT_TRY(check_agreement(kernel, uop, diag));
    if (!kernel->count) VT_TRY(check_source_factors(kernel, config, uop, diag));
    VT_TRY(check_indices(kernel, config, uop, diag));
    VT_TRY(check_hazard(kernel, uop, diag));
    if (kernel->count == config->depth[VTA_MEM_UOP])
        return vt_fail(
            diag, VTA_OUT_OF_RANGE,
            "the kernel has %zu micro-ops already, all that the uop buffer holds; use the two hardware loops "
            "or split it",
            kernel->count);
    if (!vt_reserve(kernel->allocator, &kernel->words, &kernel->cap, kernel->count + 1, sizeof *kernel->words))
        return vt_no_memory(diag);
    if (!kernel->count) kernel->first = *uop;
    kernel->words[kernel->count++] = vt_uop_pack(config, (vta_uop){uop->dst, uop->src, uop->wgt});
    kernel->recent_dst[1] = kernel->recent_dst[0];
    kernel->recent_dst[0] = uop->dst;
    return VTA_OK;
}

/* ---- The instruction --------------------------------------------------------------------------------------- */

static void set_loops(vta_insn *insn, const vt_uop_loop *out, const vt_uop_loop *in) {
    insn->u.exec.iter_out = (uint16_t)out->extent;
    insn->u.exec.dst_factor_out = out->dst_factor;
    insn->u.exec.src_factor_out = out->src_factor;
    insn->u.exec.wgt_factor_out = out->wgt_factor;
    insn->u.exec.iter_in = (uint16_t)in->extent;
    insn->u.exec.dst_factor_in = in->dst_factor;
    insn->u.exec.src_factor_in = in->src_factor;
    insn->u.exec.wgt_factor_in = in->wgt_factor;
}

/* A single loop is the outer one of a GEMM and the inner one of an ALU instruction (docs/spec.md, section 6). */
static void make_insn(vt_uop_kernel *kernel) {
    static const vt_uop_loop once = {.extent = 1};
    const vt_uop_args *first = &kernel->first;
    bool alu = first->mode == VT_KERNEL_ALU;
    const vt_uop_loop *out = kernel->loop_count > 0 ? &kernel->loops[0] : &once;
    const vt_uop_loop *in = kernel->loop_count > 1 ? &kernel->loops[1] : &once;
    kernel->insn = (vta_insn){.opcode = alu ? VTA_OP_ALU : VTA_OP_GEMM};
    if (alu && kernel->loop_count == 1)
        set_loops(&kernel->insn, &once, out);
    else
        set_loops(&kernel->insn, out, in);
    kernel->insn.u.exec.reset_reg = (uint8_t)first->reset_out;
    if (!alu) return;
    kernel->insn.u.exec.alu_opcode = (uint8_t)first->opcode;
    kernel->insn.u.exec.use_imm = (uint8_t)first->use_imm;
    kernel->insn.u.exec.imm = (int16_t)first->imm;
    kernel->insn.u.exec.wgt_factor_out = kernel->insn.u.exec.wgt_factor_in = 0;
}

vta_status vt_kernel_finish(vt_uop_kernel *kernel, uint32_t mode, vta_diag *diag) {
    if (kernel->open_loops)
        return vt_fail(diag, VTA_ILLEGAL, "finit returned with %u open loops: a VTAUopLoopEnd is missing",
                       kernel->open_loops);
    if (!kernel->count) return vt_fail(diag, VTA_ILLEGAL, "finit recorded no micro-op");
    if (kernel->first.mode != mode)
        return vt_fail(diag, VTA_MISMATCH,
                       "finit recorded %s micro-ops (mode %u); this call runs %s micro-ops (mode %u)",
                       mode_names[kernel->first.mode], kernel->first.mode, mode_names[mode], mode);
    make_insn(kernel);
    kernel->parts = 1;
    return VTA_OK;
}
