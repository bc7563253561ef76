#include "device/core/race.h"

#include "base/diag.h"
#include "config/config_priv.h"

/* Who writes and who reads a memory, as far as two stages are concerned. */
static const struct {
    vta_memory memory;
    uint8_t writer, reader;
} shared[] = {{VTA_MEM_INP, 0, 1}, {VTA_MEM_WGT, 0, 1}, {VTA_MEM_ACC, 1, 2}};
enum { SHARED = sizeof shared / sizeof shared[0] };

void vt_checker_clear(vt_checker *checker) {
    for (int i = 0; i < SHARED; i++) {
        vta_memory m = shared[i].memory;
        size_t bytes = (size_t)checker->config->depth[m] * sizeof(uint32_t);
        vt_free(checker->allocator, checker->written[m], bytes);
        vt_free(checker->allocator, checker->read[m], bytes);
    }
    *checker = (vt_checker){.config = checker->config, .allocator = checker->allocator};
}

vta_status vt_checker_init(vt_checker *checker, const vt_machine *machine, const vt_stream *stream, vta_diag *diag) {
    *checker = (vt_checker){.config = machine->config, .allocator = machine->allocator, .stream = stream};
    bool ok = true;
    for (int i = 0; i < SHARED; i++) {
        vta_memory m = shared[i].memory;
        size_t bytes = (size_t)checker->config->depth[m] * sizeof(uint32_t);
        checker->written[m] = vt_alloc_zero(checker->allocator, bytes);
        checker->read[m] = vt_alloc_zero(checker->allocator, bytes);
        ok = ok && checker->written[m] && checker->read[m];
    }
    if (ok) return VTA_OK;
    vt_checker_clear(checker);
    return vt_no_memory(diag);
}

/* Adds an element to a race of the same two instructions, or begins a new one. */
static void add_race(vt_checker *c, uint32_t earlier, uint32_t later, vta_memory memory, uint32_t element,
                     bool writes) {
    uint32_t kept = c->race_count < VT_RACES_SHOWN ? c->race_count : VT_RACES_SHOWN;
    for (uint32_t i = kept; i-- > 0;) {
        vt_race *r = &c->races[i];
        if (r->later != later) break;
        if (r->earlier != earlier || r->memory != memory) continue;
        if (element < r->first) r->first = element;
        if (element > r->last) r->last = element;
        return;
    }
    if (c->race_count < VT_RACES_SHOWN)
        c->races[c->race_count] = (vt_race){earlier, later, memory, element, element, writes};
    c->race_count++;
}

/* One kind of access of one instruction. */
typedef struct access {
    vt_checker *checker;
    uint32_t index;
    vta_memory memory;
    bool writes;
    uint32_t mine;         /* what the element remembers of this access */
    uint32_t *own, *other; /* the arrays of this kind of access and of the conflicting one */
    uint32_t other_stage;
    uint32_t ordered; /* positions of the other stage up to this one come before */
} access;

static access make_access(vt_checker *c, uint32_t index, int share, bool writes) {
    vta_memory m = shared[share].memory;
    uint32_t other = writes ? shared[share].reader : shared[share].writer;
    return (access){.checker = c,
                    .index = index,
                    .memory = m,
                    .writes = writes,
                    .mine = c->stream->position[index] + 1,
                    .own = writes ? c->written[m] : c->read[m],
                    .other = writes ? c->read[m] : c->written[m],
                    .other_stage = other,
                    .ordered = c->stream->clocks[index].before[other]};
}

static void touch(const access *a, uint32_t first, uint32_t count) {
    for (uint32_t e = first; e < first + count; e++) {
        if (a->other[e] > a->ordered)
            add_race(a->checker, a->checker->stream->queue[a->other_stage][a->other[e] - 1], a->index, a->memory, e,
                     a->writes);
        a->own[e] = a->mine;
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

static void compute(vt_checker *c, const vt_machine *m, uint32_t index, const vta_insn *insn) {
    enum { INP, WGT, ACC };
    access inp = make_access(c, index, INP, false), wgt = make_access(c, index, WGT, false);
    access acc = make_access(c, index, ACC, true);
    bool multiplies = insn->opcode == VTA_OP_GEMM && !insn->u.exec.reset_reg;
    uint32_t out = insn->u.exec.iter_out, in = insn->u.exec.iter_in;
    if (!vt_exec_work(insn)) return;
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++) {
        const vta_uop *uop = &m->uops[u];
        touch_loops(&acc, uop->dst, out, insn->u.exec.dst_factor_out, in, insn->u.exec.dst_factor_in);
        if (!multiplies) continue;
        touch_loops(&inp, uop->src, out, insn->u.exec.src_factor_out, in, insn->u.exec.src_factor_in);
        touch_loops(&wgt, uop->wgt, out, insn->u.exec.wgt_factor_out, in, insn->u.exec.wgt_factor_in);
    }
    vt__check_portability(c, m, index);
}

void vt_checker_insn(vt_checker *c, const vt_machine *machine, uint32_t index) {
    const vta_insn *insn = &c->stream->insns[index];
    if (insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU) {
        compute(c, machine, index, insn);
        return;
    }
    if (insn->opcode == VTA_OP_FINISH || !insn->u.mem.x_size) return;
    vta_memory memory = (vta_memory)insn->u.mem.memory_type;
    if (memory == VTA_MEM_OUT || memory == VTA_MEM_ACC_8BIT) memory = VTA_MEM_ACC;
    for (int i = 0; i < SHARED; i++) {
        if (shared[i].memory != memory) continue;
        access a = make_access(c, index, i, insn->opcode == VTA_OP_LOAD);
        touch(&a, insn->u.mem.sram_base, (uint32_t)vt_exec_work(insn));
    }
}

static void report_race(const vt_checker *c, const vt_race *r, vta_diag *diag) {
    char earlier[24], later[24];
    const char *memory = vta_memory_name(r->memory);
    uint32_t first = r->earlier < r->later ? r->earlier : r->later,
             second = first == r->earlier ? r->later : r->earlier;
    bool second_writes = r->later_writes == (second == r->later);
    vt_insn_label(&c->stream->insns[first], earlier);
    vt_insn_label(&c->stream->insns[second], later);
    (void)vt_fail(diag, VTA_RACE,
                  "instruction %u (%s) %s %s[%u..%u], which instruction %u (%s) %s, and no token path orders the two",
                  second, later, second_writes ? "writes" : "reads", memory, r->first, r->last, first, earlier,
                  second_writes ? "reads" : "writes");
}

/* Stores that the device may still be at when it reports done. */
static void report_unfinished(const vt_checker *c, vta_diag *diag) {
    const vt_stream *s = c->stream;
    uint32_t finish = s->count - 1, done = s->clocks[finish].before[2];
    while (done < s->length[2] && !s->insns[s->queue[2][done]].u.mem.x_size) done++; /* carries tokens only */
    if (done < s->length[2])
        vt_warn_at(
            diag, VTA_RACE, VT_NO_POS,
            "no token path leads from instruction %u (STORE) to FINISH: the device may report done before it ran",
            s->queue[2][done]);
    for (int t = 0; t < VT_TOKEN_COUNT; t++)
        if (s->left[t])
            vt_warn_at(diag, VTA_ILLEGAL, VT_NO_POS,
                       "%u %s tokens are left at the end: the next run would start with them", s->left[t],
                       vt_token_name((vt_token)t));
}

vta_status vt_checker_report(const vt_checker *c, vta_diag *diag) {
    for (uint32_t i = 0; i < c->race_count && i < VT_RACES_SHOWN; i++) report_race(c, &c->races[i], diag);
    if (c->race_count > VT_RACES_SHOWN)
        vt_note_at(diag, VT_NO_POS,
                   "these are the first %d races; %u more conflicting accesses to an element were seen", VT_RACES_SHOWN,
                   c->race_count - VT_RACES_SHOWN);
    report_unfinished(c, diag);
    vt__report_portability(c, diag);
    return c->race_count ? VTA_RACE : VTA_OK;
}
