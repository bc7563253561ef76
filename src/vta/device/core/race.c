#include "device/core/race.h"

#include <string.h>

#include "config/config_priv.h"

enum { LOAD_STAGE, COMPUTE_STAGE, STORE_STAGE, NO_STAGE };

/* Who writes and who reads a memory, as far as two stages are concerned. */
static const struct {
    vta_memory memory;
    uint8_t writer, reader;
} shared[] = {
    {VTA_MEM_UOP, COMPUTE_STAGE, NO_STAGE},   {VTA_MEM_INP, LOAD_STAGE, COMPUTE_STAGE},
    {VTA_MEM_WGT, LOAD_STAGE, COMPUTE_STAGE}, {VTA_MEM_ACC, COMPUTE_STAGE, STORE_STAGE},
    {VTA_MEM_TABLE, COMPUTE_STAGE, NO_STAGE},
};
enum { SHARED = sizeof shared / sizeof shared[0] };

/* ---- Life -------------------------------------------------------------------------------------------------- */

void vt_checker_clear(vt_checker *checker) {
    for (int i = 0; i < SHARED; i++) {
        vta_memory m = shared[i].memory;
        size_t bytes = (size_t)checker->config->depth[m] * sizeof(uint32_t);
        vt_free(checker->allocator, checker->written[m], bytes);
        vt_free(checker->allocator, checker->read[m], bytes);
        checker->written[m] = checker->read[m] = NULL;
    }
    vt__dram_shadow_clear(checker);
}

/* What a run leaves on chip is remembered in the machine, from its first checked run on. */
static bool remember(vt_machine *machine, vta_memory m, bool continues) {
    if (!machine->left[m]) machine->left[m] = vt_alloc_zero(machine->allocator, machine->config->depth[m]);
    if (machine->left[m] && !continues) memset(machine->left[m], 0, machine->config->depth[m]);
    return machine->left[m];
}

vta_status vt_checker_init(vt_checker *checker, vt_machine *machine, const vt_stream *stream, uint32_t insn_addr,
                           bool continues, vta_diag *diag) {
    *checker =
        (vt_checker){.config = machine->config, .allocator = machine->allocator, .stream = stream, .machine = machine};
    bool ok = true;
    for (int i = 0; i < SHARED; i++) {
        vta_memory m = shared[i].memory;
        size_t bytes = (size_t)checker->config->depth[m] * sizeof(uint32_t);
        checker->written[m] = vt_alloc_zero(checker->allocator, bytes);
        checker->read[m] = vt_alloc_zero(checker->allocator, bytes);
        ok = ok && checker->written[m] && checker->read[m] && remember(machine, m, continues);
    }
    vta_status status = ok ? vt__dram_shadow_init(checker, insn_addr, diag) : vt_no_memory(diag);
    if (status != VTA_OK) vt_checker_clear(checker);
    return status;
}

/* ---- Findings ---------------------------------------------------------------------------------------------- */

static vt_finding_insn name(const vt_checker *c, uint32_t index) {
    vt_finding_insn insn = {.index = index};
    vt_insn_label(&c->stream->insns[index], insn.label);
    return insn;
}

void vt__add_race(vt_checker *c, vt_finding_kind kind, uint32_t earlier, uint32_t later, bool later_writes,
                  vta_memory memory, uint64_t from, uint64_t to) {
    bool in_order = earlier < later;
    vt_finding f = {.kind = kind, .memory = memory, .from = from, .to = to};
    f.first = name(c, in_order ? earlier : later);
    f.second = name(c, in_order ? later : earlier);
    f.second_writes = later_writes == in_order;
    vt_findings_add(&c->found, &f);
}

static void add_unwritten(vt_checker *c, uint32_t index, vta_memory memory, uint32_t element) {
    if (c->machine->left[memory][element]) {
        vt_findings_warn(&c->found, VT_WARN_EARLIER_RUN, index, &c->stream->insns[index]);
        return;
    }
    vt_finding f = {.kind = VT_FINDING_UNWRITTEN, .memory = memory, .from = element, .to = element};
    f.first = name(c, index);
    vt_findings_add(&c->found, &f);
}

/* ---- Accesses on chip -------------------------------------------------------------------------------------- */

/* One kind of access of one instruction. */
typedef struct access {
    vt_checker *checker;
    uint32_t index;
    vta_memory memory;
    bool writes;
    uint32_t mine;   /* what the element remembers of this access */
    uint32_t *own;   /* the array of this kind of access; NULL: nothing to remember */
    uint32_t *other; /* of the conflicting kind in another stage; NULL: there is none */
    uint32_t other_stage;
    uint32_t ordered;       /* positions of the other stage up to this one come before */
    const uint32_t *filled; /* elements must have been written: where that stands; NULL: they need not */
} access;

/* The access to a memory by the stage that writes it (also where that only reads) or by the one that reads it. */
static access make_access(vt_checker *c, uint32_t index, vta_memory m, bool writes, bool needs_contents) {
    access a = {.checker = c, .index = index, .memory = m, .writes = writes, .mine = c->stream->position[index] + 1};
    uint32_t stage = c->stream->stage[index];
    int share = 0;
    while (shared[share].memory != m) share++;
    if (needs_contents) a.filled = c->written[m];
    bool local = stage == shared[share].writer;
    if (local && !writes) return a; /* within one stage everything is in order */
    a.own = writes ? c->written[m] : c->read[m];
    a.other_stage = writes ? shared[share].reader : shared[share].writer;
    if (a.other_stage == NO_STAGE) return a;
    a.other = writes ? c->read[m] : c->written[m];
    a.ordered = c->stream->clocks[index].before[a.other_stage];
    return a;
}

static void add_conflict(const access *a, uint32_t element) {
    const vt_stream *s = a->checker->stream;
    vt__add_race(a->checker, VT_FINDING_RACE, s->queue[a->other_stage][a->other[element] - 1], a->index, a->writes,
                 a->memory, element, element);
}

static void touch(const access *a, uint32_t first, uint32_t count) {
    for (uint32_t e = first; e < first + count; e++) {
        if (a->filled && !a->filled[e]) add_unwritten(a->checker, a->index, a->memory, e);
        if (a->other && a->other[e] > a->ordered) add_conflict(a, e);
        if (a->own) a->own[e] = a->mine;
    }
}

/* The elements that one operand of a micro-op reaches; a loop that does not move it is left out. */
static void touch_loops(const access *a, uint32_t index, uint32_t iter_out, uint32_t factor_out, uint32_t iter_in,
                        uint32_t factor_in) {
    if (!factor_out) iter_out = 1;
    uint32_t run = 1;
    if (!factor_in) iter_in = 1;
    if (factor_in == 1) {
        run = iter_in;
        iter_in = 1;
    }
    for (uint32_t y = 0; y < iter_out; y++)
        for (uint32_t x = 0; x < iter_in; x++) touch(a, index + y * factor_out + x * factor_in, run);
}

/* ---- Instructions ------------------------------------------------------------------------------------------ */

/* All elements that the instruction reads must have been written before it, its own destinations too: what a micro-op
 * reads and one before it wrote, that one has read itself. */
static void compute(vt_checker *c, uint32_t index, const vta_insn *insn) {
    bool gemm = insn->opcode == VTA_OP_GEMM, resets = gemm && insn->u.exec.reset_reg;
    bool reads_acc = !gemm && !insn->u.exec.use_imm;
    access uops = make_access(c, index, VTA_MEM_UOP, false, true);
    access acc = make_access(c, index, VTA_MEM_ACC, true, !resets);
    access src = make_access(c, index, gemm ? VTA_MEM_INP : VTA_MEM_ACC, false, true);
    access wgt = make_access(c, index, VTA_MEM_WGT, false, true);
    uint32_t out = insn->u.exec.iter_out, in = insn->u.exec.iter_in;
    touch(&uops, insn->u.exec.uop_bgn, insn->u.exec.uop_end - insn->u.exec.uop_bgn);
    if (!gemm && insn->u.exec.alu_opcode == VTA_ALU_TABLE) {
        access table = make_access(c, index, VTA_MEM_TABLE, false, true);
        touch(&table, (uint32_t)insn->u.exec.imm, 1);
    }
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++) {
        const vta_uop *uop = &c->machine->uops[u];
        if ((gemm && !resets) || reads_acc)
            touch_loops(&src, uop->src, out, insn->u.exec.src_factor_out, in, insn->u.exec.src_factor_in);
        if (gemm && !resets)
            touch_loops(&wgt, uop->wgt, out, insn->u.exec.wgt_factor_out, in, insn->u.exec.wgt_factor_in);
    }
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++)
        touch_loops(&acc, c->machine->uops[u].dst, out, insn->u.exec.dst_factor_out, in, insn->u.exec.dst_factor_in);
}

static void transfer(vt_checker *c, uint32_t index, const vta_insn *insn) {
    bool loads = insn->opcode == VTA_OP_LOAD;
    vta_memory memory = (vta_memory)insn->u.mem.memory_type;
    if (memory == VTA_MEM_OUT || memory == VTA_MEM_ACC_8BIT) memory = VTA_MEM_ACC;
    access a = make_access(c, index, memory, loads, !loads);
    touch(&a, insn->u.mem.sram_base, (uint32_t)vt_exec_work(insn));
    vt__check_dram_race(c, index);
}

void vt_checker_insn(vt_checker *c, uint32_t index) {
    const vta_insn *insn = &c->stream->insns[index];
    if (insn->opcode == VTA_OP_FINISH) return;
    vt__check_portability(c, index);
    bool executes = insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU;
    if (executes && vt_exec_work(insn))
        compute(c, index, insn);
    else if (!executes && insn->u.mem.x_size)
        transfer(c, index, insn);
}

/* ---- The stream as a whole --------------------------------------------------------------------------------- */

/* The first store that the device may still be at when it reports done; later ones too. */
static void find_unfinished(vt_checker *c) {
    const vt_stream *s = c->stream;
    uint32_t finish = s->count - 1, done = s->clocks[finish].before[STORE_STAGE];
    for (; done < s->length[STORE_STAGE]; done++) {
        const vta_insn *store = &s->insns[s->queue[STORE_STAGE][done]];
        if (store->u.mem.x_size && store->u.mem.y_size) break; /* the others carry tokens only */
    }
    if (done < s->length[STORE_STAGE])
        vt__add_race(c, VT_FINDING_UNFINISHED, s->queue[STORE_STAGE][done], finish, false, VTA_MEM_OUT, 0, 0);
}

void vt_checker_end(vt_checker *c) {
    find_unfinished(c);
    vt__check_tokens(c);
    for (int i = 0; i < SHARED; i++) {
        vta_memory m = shared[i].memory;
        for (uint32_t e = 0; e < c->config->depth[m]; e++) c->machine->left[m][e] |= c->written[m][e] != 0;
    }
}
