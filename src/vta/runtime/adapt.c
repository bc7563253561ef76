#include "runtime/adapt.h"

#include <string.h>

#include "config/config_priv.h"
#include "device/portability.h"

/* What an instruction becomes: one of several is a part of its loops, whose micro-ops hold where it is. */
typedef struct adapter {
    vt_uop_kernel *kernel;
    const vta_config *config;
    unsigned design;
    vta_uop *uops; /* of the kernel */
    vta_diag *diag;
} adapter;

static vta_status refuse(vt_portability kind, const vta_config *config, vta_diag *diag) {
    static const char *const texts[] = {
#define VT_PORTABILITY(NAME, name, designs, where, avoided, text) text,
#include "device/portability.def"
    };
    return vt_fail(diag, VTA_UNSUPPORTED, "TARGET %s: %s", vta_config_target(config), texts[kind]);
}

/* ---- What is wrong with it --------------------------------------------------------------------------------- */

static bool is_wrong(const adapter *a, const vta_insn *insn, const vta_uop *uops) {
    if (vt_differs_on(a->design, VT_WARN_SAME_ACC) && vt_loses_writes(insn, uops)) return true;
    return vt_differs_on(a->design, VT_WARN_ALU_FORWARD) && vt_reads_just_written(insn, uops);
}

static vta_status check_operation(const adapter *a, const vta_insn *insn) {
    if (insn->opcode != VTA_OP_ALU) return VTA_OK;
    if (insn->u.exec.alu_opcode == VTA_ALU_MUL && vt_differs_on(a->design, VT_WARN_MUL))
        return refuse(VT_WARN_MUL, a->config, a->diag);
    if (insn->u.exec.alu_opcode == VTA_ALU_TABLE && vt_differs_on(a->design, VT_WARN_TABLE))
        return refuse(VT_WARN_TABLE, a->config, a->diag);
    if (a->config->batch > 1 && vt_differs_on(a->design, VT_WARN_ALU_BATCH))
        return refuse(VT_WARN_ALU_BATCH, a->config, a->diag);
    return VTA_OK;
}

/* ---- Exchanged loops --------------------------------------------------------------------------------------- */

static vta_insn exchanged(const vta_insn *insn) {
    vta_insn x = *insn;
    x.u.exec.iter_out = insn->u.exec.iter_in, x.u.exec.iter_in = insn->u.exec.iter_out;
    x.u.exec.dst_factor_out = insn->u.exec.dst_factor_in, x.u.exec.dst_factor_in = insn->u.exec.dst_factor_out;
    x.u.exec.src_factor_out = insn->u.exec.src_factor_in, x.u.exec.src_factor_in = insn->u.exec.src_factor_out;
    x.u.exec.wgt_factor_out = insn->u.exec.wgt_factor_in, x.u.exec.wgt_factor_in = insn->u.exec.wgt_factor_out;
    return x;
}

/* The elements from the first to the last that an operand reaches. */
typedef struct reach {
    uint32_t first, last;
} reach;

static reach reach_of(const adapter *a, const vta_insn *insn, bool source) {
    uint32_t out = source ? insn->u.exec.src_factor_out : insn->u.exec.dst_factor_out;
    uint32_t in = source ? insn->u.exec.src_factor_in : insn->u.exec.dst_factor_in;
    uint32_t span = (insn->u.exec.iter_out - 1u) * out + (insn->u.exec.iter_in - 1u) * in;
    reach r = {UINT32_MAX, 0};
    for (size_t u = 0; u < a->kernel->count; u++) {
        uint32_t at = source ? a->uops[u].src : a->uops[u].dst;
        if (at < r.first) r.first = at;
        if (at + span > r.last) r.last = at + span;
    }
    return r;
}

/* May the passes of the loops be in any order? Products are added up. Operations of one kind on the same element are,
 * too, in any order, but for shifts by a tensor; as long as none reads what another one writes. */
static bool may_exchange(const adapter *a, const vta_insn *insn) {
    if (insn->opcode == VTA_OP_GEMM || insn->u.exec.use_imm) return true;
    if (insn->u.exec.alu_opcode == VTA_ALU_SHR) return false;
    reach dst = reach_of(a, insn, false), src = reach_of(a, insn, true);
    return src.last < dst.first || dst.last < src.first;
}

/* ---- Several instructions ---------------------------------------------------------------------------------- */

/* Which loops become instructions, from the outer one on, and the micro-ops at last. */
typedef struct cut {
    vta_insn insn; /* whose loops are cut */
    bool out, in, uops;
} cut;

static size_t parts_of(const cut *c, size_t uops) {
    return (size_t)(c->out ? c->insn.u.exec.iter_out : 1) * (c->in ? c->insn.u.exec.iter_in : 1) * (c->uops ? uops : 1);
}

static vta_insn part_of(const cut *c) {
    vta_insn part = c->insn;
    if (c->out) {
        part.u.exec.iter_out = 1;
        part.u.exec.dst_factor_out = part.u.exec.src_factor_out = part.u.exec.wgt_factor_out = 0;
    }
    if (c->in) {
        part.u.exec.iter_in = 1;
        part.u.exec.dst_factor_in = part.u.exec.src_factor_in = part.u.exec.wgt_factor_in = 0;
    }
    return part;
}

static vta_uop moved(vta_uop uop, const vta_insn *insn, uint32_t y, uint32_t x) {
    uop.dst += y * insn->u.exec.dst_factor_out + x * insn->u.exec.dst_factor_in;
    uop.src += y * insn->u.exec.src_factor_out + x * insn->u.exec.src_factor_in;
    uop.wgt += y * insn->u.exec.wgt_factor_out + x * insn->u.exec.wgt_factor_in;
    return uop;
}

/* Is the part of these passes as it must be? `room` is for its micro-ops. */
static bool part_helps(const adapter *a, const cut *c, uint32_t y, uint32_t x, vta_uop *room) {
    vta_insn part = part_of(c);
    size_t n = c->uops ? 1 : a->kernel->count;
    part.u.exec.uop_bgn = 0;
    part.u.exec.uop_end = (uint32_t)n;
    for (size_t first = 0; first < a->kernel->count; first += n) {
        for (size_t u = 0; u < n; u++) room[u] = moved(a->uops[first + u], &c->insn, y, x);
        if (is_wrong(a, &part, room)) return false;
    }
    return true;
}

static bool cut_helps(const adapter *a, const cut *c, vta_uop *room) {
    for (uint32_t y = 0; y < (c->out ? c->insn.u.exec.iter_out : 1u); y++)
        for (uint32_t x = 0; x < (c->in ? c->insn.u.exec.iter_in : 1u); x++)
            if (!part_helps(a, c, y, x, room)) return false;
    return true;
}

static vta_status apply(const adapter *a, const cut *c) {
    vt_uop_kernel *k = a->kernel;
    size_t parts = parts_of(c, k->count), count = k->count * (parts / (c->uops ? k->count : 1)), n = 0;
    uint32_t *words = vt_alloc(k->allocator, count * sizeof *words);
    if (!words) return vt_no_memory(a->diag);
    for (uint32_t y = 0; y < (c->out ? c->insn.u.exec.iter_out : 1u); y++)
        for (uint32_t x = 0; x < (c->in ? c->insn.u.exec.iter_in : 1u); x++)
            for (size_t u = 0; u < k->count; u++)
                words[n++] = vt_uop_pack(a->config, moved(a->uops[u], &c->insn, y, x));
    vt_free(k->allocator, k->words, k->cap * sizeof *k->words);
    k->words = words;
    k->count = k->cap = count;
    k->insn = part_of(c);
    k->parts = (uint32_t)parts;
    return VTA_OK;
}

/* The way with the fewest instructions whose micro-ops fit the buffer; false: there is none. */
static bool find_cut(const adapter *a, vta_uop *room, cut *out) {
    size_t best = SIZE_MAX;
    for (int how = 0; how < 8; how++) {
        cut c = {.insn = how & 1 ? exchanged(&a->kernel->insn) : a->kernel->insn,
                 .out = how / 2 > 0,
                 .in = how / 2 > 1,
                 .uops = how / 2 > 2};
        size_t parts = parts_of(&c, a->kernel->count);
        size_t words = c.uops ? parts : parts * a->kernel->count;
        if (parts >= best || words > a->config->depth[VTA_MEM_UOP] || parts > VT_KERNEL_MAX_PARTS) continue;
        if ((how & 1 && !may_exchange(a, &a->kernel->insn)) || !cut_helps(a, &c, room)) continue;
        best = parts;
        *out = c;
    }
    return best < SIZE_MAX;
}

static vta_status reorder(const adapter *a) {
    cut c;
    size_t bytes = a->kernel->count * sizeof(vta_uop);
    vta_uop *room = vt_alloc(a->kernel->allocator, bytes);
    if (!room) return vt_no_memory(a->diag);
    bool found = find_cut(a, room, &c);
    vt_free(a->kernel->allocator, room, bytes);
    if (found) return apply(a, &c);
    vt_portability kind = a->design == VT_HLS ? VT_WARN_SAME_ACC : VT_WARN_ALU_FORWARD;
    (void)refuse(kind, a->config, a->diag);
    return vt_fail(a->diag, VTA_UNSUPPORTED,
                   "and as instructions without that it would be more than %d, or more micro-ops than the buffer has: "
                   "a tile of more outputs helps",
                   VT_KERNEL_MAX_PARTS);
}

/* ---- A kernel ---------------------------------------------------------------------------------------------- */

/* An immediate operation is its destination's here, and the source's there. */
static void set_sources(adapter *a) {
    vta_insn *insn = &a->kernel->insn;
    insn->u.exec.src_factor_out = insn->u.exec.dst_factor_out;
    insn->u.exec.src_factor_in = insn->u.exec.dst_factor_in;
    for (size_t u = 0; u < a->kernel->count; u++) {
        a->uops[u].src = a->uops[u].dst;
        a->kernel->words[u] = vt_uop_pack(a->config, a->uops[u]);
    }
}

static vta_status adapt(adapter *a) {
    vta_insn *insn = &a->kernel->insn;
    insn->u.exec.uop_bgn = 0;
    insn->u.exec.uop_end = (uint32_t)a->kernel->count;
    VT_TRY(check_operation(a, insn));
    if (!insn->u.exec.iter_out || !insn->u.exec.iter_in) {
        if (vt_differs_on(a->design, VT_WARN_EMPTY_LOOP)) a->kernel->parts = 0;
        return VTA_OK;
    }
    bool imm = insn->opcode == VTA_OP_ALU && insn->u.exec.use_imm;
    if (imm && vt_differs_on(a->design, VT_WARN_IMM_SOURCE) && vt_has_other_source(insn, a->uops)) set_sources(a);
    return is_wrong(a, insn, a->uops) ? reorder(a) : VTA_OK;
}

vta_status vt_kernel_adapt(vt_uop_kernel *kernel, const vta_config *config, vta_diag *diag) {
    adapter a = {.kernel = kernel, .config = config, .design = vt_design_of(config), .diag = diag};
    size_t count = kernel->count;
    if (!a.design) return VTA_OK;
    a.uops = vt_alloc(kernel->allocator, count * sizeof *a.uops);
    if (!a.uops) return vt_no_memory(diag);
    for (size_t u = 0; u < count; u++) a.uops[u] = vt_uop_unpack(config, kernel->words[u]);
    vta_status status = adapt(&a);
    vt_free(kernel->allocator, a.uops, count * sizeof *a.uops);
    return status;
}

/* ---- Transfers --------------------------------------------------------------------------------------------- */

bool vt_loaded_init(vt_loaded *l, const vta_config *config, const vta_allocator *allocator) {
    *l = (vt_loaded){.allocator = allocator};
    if (!vt_differs_on(vt_design_of(config), VT_WARN_LOADED_STORE)) return true;
    l->count = config->depth[VTA_MEM_ACC];
    l->elements = vt_alloc_zero(allocator, l->count);
    return l->elements != NULL;
}

void vt_loaded_clear(vt_loaded *l) {
    if (l->elements) vt_free(l->allocator, l->elements, l->count);
    l->elements = NULL;
}

void vt_loaded_compute(vt_loaded *l, const vta_config *config, const vt_uop_kernel *kernel) {
    const vta_insn *insn = &kernel->insn;
    if (!l->elements) return;
    for (size_t u = 0; u < kernel->count; u++) {
        uint32_t first = vt_uop_unpack(config, kernel->words[u]).dst;
        for (uint32_t y = 0; y < insn->u.exec.iter_out; y++)
            for (uint32_t x = 0; x < insn->u.exec.iter_in; x++)
                l->elements[first + y * insn->u.exec.dst_factor_out + x * insn->u.exec.dst_factor_in] = 0;
    }
}

static bool any_loaded(const vt_loaded *l, const vta_insn *insn) {
    uint32_t count = (uint32_t)insn->u.mem.y_size * insn->u.mem.x_size;
    return l->elements && count && memchr(l->elements + insn->u.mem.sram_base, 1, count);
}

static void note_load(const vt_loaded *l, const vta_insn *insn) {
    uint32_t rows = (uint32_t)insn->u.mem.y_pad_0 + insn->u.mem.y_size + insn->u.mem.y_pad_1;
    uint32_t columns = (uint32_t)insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1;
    if (l->elements && insn->u.mem.x_size) memset(l->elements + insn->u.mem.sram_base, 1, (size_t)rows * columns);
}

vta_status vt_loaded_transfer(vt_loaded *l, const vta_config *config, const vta_insn *insn, vta_diag *diag) {
    unsigned design = vt_design_of(config);
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_ACC_8BIT &&
        vt_differs_on(design, VT_WARN_ACC_8BIT))
        return refuse(VT_WARN_ACC_8BIT, config, diag);
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_TABLE && vt_differs_on(design, VT_WARN_TABLE))
        return refuse(VT_WARN_TABLE, config, diag);
    if (insn->u.mem.x_size && !insn->u.mem.y_size && vt_differs_on(design, VT_WARN_NO_ROWS))
        return refuse(VT_WARN_NO_ROWS, config, diag);
    if (insn->opcode == VTA_OP_STORE && any_loaded(l, insn)) return refuse(VT_WARN_LOADED_STORE, config, diag);
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_ACC) note_load(l, insn);
    return VTA_OK;
}
