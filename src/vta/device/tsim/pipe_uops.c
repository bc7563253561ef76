/* The micro-op buffer, for what an ALU micro-op waits: the elements that the three before it write. */
#include "config/config_priv.h"
#include "device/dram/dram.h"
#include "device/tsim/pipe.h"
#include "isa/codec.h"

enum { UNKNOWN_SHIFT = 40 }; /* above all offsets that loops add */
static const uint64_t nowhere = UINT64_MAX >> 1;

static vt_pipe_uop decoded(const vt_pipe *p, uint32_t word) {
    vta_uop uop = vt_uop_unpack(p->m->config, word);
    return (vt_pipe_uop){uop.dst, uop.src};
}

vta_status vt__pipe_begin_uops(vt_pipe *p) {
    uint32_t depth = p->m->config->depth[VTA_MEM_UOP];
    p->uops = vt_alloc_array(p->m->allocator, depth, sizeof *p->uops);
    if (!p->uops) return vt_no_memory(p->m->diag);
    p->elements = p->m->uop_words ? p->m->config->depth[VTA_MEM_ACC] : 0;
    for (uint32_t u = 0; u < depth; u++)
        p->uops[u] = p->m->uop_words ? decoded(p, p->m->uop_words[u])
                                     : (vt_pipe_uop){(uint64_t)(u + 1) << UNKNOWN_SHIFT, nowhere};
    return VTA_OK;
}

void vt__pipe_end_uops(vt_pipe *p) {
    vt_free(p->m->allocator, p->uops, p->m->config->depth[VTA_MEM_UOP] * sizeof *p->uops);
}

/* Instructions that reach past the end of the buffer are refused when they are executed, after they are timed. */
static uint64_t depth(const vt_pipe *p) { return p->m->config->depth[VTA_MEM_UOP]; }

/* The words are those of before the run: no program is known that makes micro-ops on the accelerator. */
static void load_row(vt_pipe *p, uint64_t at, uint64_t addr, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, addr += sizeof(uint32_t)) {
        uint32_t word = 0;
        uint64_t hole;
        if (vt_dram_mapped(p->m->dram, addr, sizeof word, &hole)) vt_dram_read(p->m->dram, addr, &word, sizeof word);
        p->uops[at + i] = decoded(p, word);
    }
}

void vt__pipe_load_uops(vt_pipe *p, const vta_insn *load) {
    if (!p->elements) return;
    uint64_t width = load->u.mem.x_pad_0 + load->u.mem.x_size + load->u.mem.x_pad_1;
    uint64_t at = load->u.mem.sram_base, addr = (uint64_t)load->u.mem.dram_base * sizeof(uint32_t);
    uint64_t end = at + (load->u.mem.y_pad_0 + load->u.mem.y_size + load->u.mem.y_pad_1) * width;
    if (end > depth(p)) return;
    for (uint64_t u = at; u < end; u++) p->uops[u] = decoded(p, 0);
    at += load->u.mem.y_pad_0 * width + load->u.mem.x_pad_0;
    for (uint32_t y = 0; y < load->u.mem.y_size; y++, at += width, addr += load->u.mem.x_stride * sizeof(uint32_t))
        load_row(p, at, addr, load->u.mem.x_size);
}

static uint64_t wrapped(const vt_pipe *p, uint64_t element) {
    return p->elements ? element & (p->elements - 1) : element;
}

vt_pipe_uop vt__pipe_uop(const vt_pipe *p, const vta_insn *insn, uint64_t step) {
    uint64_t count = insn->u.exec.uop_end - insn->u.exec.uop_bgn, at = step / count;
    uint64_t x = at % insn->u.exec.iter_in, y = at / insn->u.exec.iter_in;
    vt_pipe_uop uop = p->uops[(insn->u.exec.uop_bgn + step % count) % depth(p)];
    uop.dst = wrapped(p, uop.dst + x * insn->u.exec.dst_factor_in + y * insn->u.exec.dst_factor_out);
    if (uop.src != nowhere)
        uop.src = wrapped(p, uop.src + x * insn->u.exec.src_factor_in + y * insn->u.exec.src_factor_out);
    return uop;
}

static bool waits_for(const vt_pipe *p, const vta_insn *insn, uint64_t step, uint64_t before) {
    vt_pipe_uop uop = vt__pipe_uop(p, insn, step), other = vt__pipe_uop(p, insn, before);
    return uop.dst == other.dst || (!insn->u.exec.use_imm && uop.src == other.dst);
}

/* What is written and what is read move alike from row to row. */
static bool moves_alike(const vta_insn *insn) {
    return insn->u.exec.use_imm || (insn->u.exec.src_factor_in == insn->u.exec.dst_factor_in &&
                                    insn->u.exec.src_factor_out == insn->u.exec.dst_factor_out);
}

/* Where they do, the steps of a row of micro-ops, of the next one and the first ones of each y stand for all. */
bool vt__pipe_steady(const vt_pipe *p, const vta_insn *insn) {
    uint64_t count = insn->u.exec.uop_end - insn->u.exec.uop_bgn, row = count * insn->u.exec.iter_in;
    uint64_t all = row * insn->u.exec.iter_out;
    bool alike = moves_alike(insn);
    if (count <= VT_PIPE_BACK) return false;
    for (uint64_t step = 1; step < all; step++) {
        if (alike && step > count + VT_PIPE_BACK && step % row > VT_PIPE_BACK) { /* seen: go to the next row */
            step += row - step % row - 1;
            continue;
        }
        for (uint64_t back = 1; back <= VT_PIPE_BACK && back <= step; back++)
            if (waits_for(p, insn, step, step - back)) return false;
    }
    return true;
}
