/* Running a program on values. */
#include "base/versioned.h"
#include "prove/prover.h"

enum { PAGE = VTA_PAGE_BYTES };

static uint64_t whole_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static uint32_t narrowest(const vta_config *c) {
    uint32_t bits = 8; /* of ACC_8BIT */
    for (int m = 0; m < VTA_MEM_COUNT; m++)
        if (c->width[m] && c->width[m] < bits) bits = c->width[m];
    return bits;
}

static vta_status make_buffers(vt_prover *p, vta_diag *diag) {
    const vta_config *c = p->config;
    p->lanes = (size_t)c->batch * c->block_out;
    p->inp_scalars = (size_t)c->batch * c->block_in;
    p->wgt_scalars = (size_t)c->block_out * c->block_in;
    p->acc_scalars = p->lanes;
    p->inp = vt_alloc_array(p->allocator, c->depth[VTA_MEM_INP], p->inp_scalars * sizeof *p->inp);
    p->wgt = vt_alloc_array(p->allocator, c->depth[VTA_MEM_WGT], p->wgt_scalars * sizeof *p->wgt);
    p->acc = vt_alloc_array(p->allocator, c->depth[VTA_MEM_ACC], p->acc_scalars * sizeof *p->acc);
    p->writer = vt_alloc_array(p->allocator, c->depth[VTA_MEM_ACC], sizeof *p->writer);
    p->size = vt_alloc_array(p->allocator, c->depth[VTA_MEM_ACC], sizeof *p->size);
    size_t entries = (size_t)c->depth[VTA_MEM_TABLE] * VTA_TABLE_ENTRIES;
    p->tables = entries ? vt_alloc_array(p->allocator, entries, sizeof *p->tables) : NULL;
    bool ok = p->inp && p->wgt && p->acc && p->writer && p->size && (p->tables || !entries);
    return ok ? VTA_OK : vt_no_memory(diag);
}

static void free_buffers(vt_prover *p) {
    const vta_config *c = p->config;
    vt_free(p->allocator, p->inp, c->depth[VTA_MEM_INP] * p->inp_scalars * sizeof *p->inp);
    vt_free(p->allocator, p->wgt, c->depth[VTA_MEM_WGT] * p->wgt_scalars * sizeof *p->wgt);
    vt_free(p->allocator, p->acc, c->depth[VTA_MEM_ACC] * p->acc_scalars * sizeof *p->acc);
    vt_free(p->allocator, p->tables, (size_t)c->depth[VTA_MEM_TABLE] * VTA_TABLE_ENTRIES * sizeof *p->tables);
    vt_free(p->allocator, p->writer, c->depth[VTA_MEM_ACC] * sizeof *p->writer);
    vt_free(p->allocator, p->size, c->depth[VTA_MEM_ACC] * sizeof *p->size);
}

/* What an on-chip buffer holds before anything is written there: a variable for each scalar. */
static void make_stale(vt_prover *p, vta_value *values, size_t count, uint32_t memory) {
    for (size_t i = 0; i < count; i++) values[i] = vta_field_variable(p->field, p->options->stale << 8 | memory, i);
}

static void power_on(vt_prover *p) {
    const vta_config *c = p->config;
    make_stale(p, p->inp, c->depth[VTA_MEM_INP] * p->inp_scalars, VTA_MEM_INP);
    make_stale(p, p->wgt, c->depth[VTA_MEM_WGT] * p->wgt_scalars, VTA_MEM_WGT);
    make_stale(p, p->acc, c->depth[VTA_MEM_ACC] * p->acc_scalars, VTA_MEM_ACC);
    make_stale(p, p->tables, (size_t)c->depth[VTA_MEM_TABLE] * VTA_TABLE_ENTRIES, VTA_MEM_TABLE);
    p->memory_size = (vt_size){1, 1};
    for (uint32_t i = 0; i < c->depth[VTA_MEM_ACC]; i++) p->size[i] = p->memory_size;
}

/* All memory of all runs. */
static vta_status make_shadow(vt_prover *p, vta_diag *diag) {
    vt_shadow_init(&p->shadow, p->allocator, p->field, narrowest(p->config), p->options->stale);
    vta_program_run_info run;
    vta_program_segment s;
    for (uint32_t i = 0; i < vta_program_run_count(p->program); i++) {
        VT_TRY(vta_program_get_run(p->program, i, &run));
        for (uint32_t k = 0; k < run.segment_count; k++) {
            VT_TRY(vta_program_get_segment(p->program, i, k, &s));
            VT_TRY(vt_shadow_add(&p->shadow, s.addr, whole_pages(s.size), diag));
        }
    }
    return vt_shadow_ready(&p->shadow, diag);
}

static void set_constants(vt_prover *p, const vta_program_segment *s) {
    vt_shadow_set_constants(&p->shadow, s->addr, s->size, s->before, s->before_size);
    for (size_t i = 0; i < s->before_size;
         i++) /* a word of zeros is none, others may be as wide as the widest scalar */
        if (s->before[i])
            p->memory_size.magnitude = vt_larger(p->memory_size.magnitude, i % 4 < 2 ? 32768 : 2147483648.);
}

/* The recorded bytes of a run: its instructions and micro-ops are among them. */
static vta_status fill_dram(vt_prover *p, const vta_program_run_info *run, vta_diag *diag) {
    uint64_t insn_bytes = (uint64_t)run->insn_count * VTA_INSN_BYTES, run_bytes;
    vta_program_segment s;
    vt_dram_clear(&p->dram);
    vt_dram_init(&p->dram, p->allocator);
    for (uint32_t k = 0; k < run->segment_count; k++) {
        VT_TRY(vta_program_get_segment(p->program, p->run, k, &s));
        VT_TRY(vt_dram_alloc_at(&p->dram, s.addr, s.size, diag));
        vt_dram_write(&p->dram, s.addr, s.before, s.before_size);
        for (size_t i = 0; i < p->options->constant_count; i++)
            if (p->options->constants[i] == s.addr) set_constants(p, &s);
        for (size_t i = 0; i < p->options->unknown_count; i++)
            if (p->options->unknown[i] == s.addr) vt_shadow_forget(&p->shadow, s.addr, s.size, p->run);
    }
    if (!vt_dram_at(&p->dram, run->insn_addr, &run_bytes))
        VT_TRY(vt_dram_alloc_at(&p->dram, run->insn_addr, (size_t)insn_bytes, diag));
    vt_dram_write(&p->dram, run->insn_addr, run->insns, insn_bytes);
    return VTA_OK;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* Every index was checked. */
static void compute(vt_prover *p, uint32_t index, const vta_insn *insn) {
    vt_loops loops = vt_loops_of(insn, p->core.uops);
    if (insn->opcode == VTA_OP_ALU)
        vt_prover_alu(p, index, insn, &loops);
    else
        vt_prover_gemm(p, index, &loops, insn->u.exec.reset_reg);
}

static vta_status execute(vt_prover *p, uint32_t index, const vta_insn *insn, vt_checker *checker, vta_diag *diag) {
    VT_TRY(vt_exec_check(&p->core, index, insn, diag));
    if (checker) VT_TRY(vt_prover_order_insn(checker, index, diag));
    switch (insn->opcode) {
    case VTA_OP_LOAD: return vt_prover_load(p, index, insn, diag);
    case VTA_OP_STORE: return insn->u.mem.x_size ? vt_prover_store(p, index, insn, diag) : VTA_OK;
    case VTA_OP_GEMM:
    case VTA_OP_ALU: compute(p, index, insn); return VTA_OK;
    default: return VTA_OK;
    }
}

static vta_status spend(vt_prover *p, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    const vta_field_options *o = p->options;
    if (o->stop && o->stop(o->ctx)) return vt_fail(diag, VTA_INTERRUPTED, "stopped before instruction %u", index);
    uint64_t work = vt_exec_work(insn);
    if (o->most_work && work > p->left)
        return vt_fail(diag, VTA_TIMEOUT, "instruction %u does more work (%llu) than is left to do (%llu)", index,
                       (unsigned long long)work, (unsigned long long)p->left);
    p->left -= o->most_work ? work : 0;
    return VTA_OK;
}

/* `checker` may be NULL. */
static vta_status run_stream(vt_prover *p, const vt_stream *s, vt_checker *checker, vta_diag *diag) {
    for (uint32_t i = 0; i < p->config->depth[VTA_MEM_ACC]; i++) p->writer[i] = VT_NOBODY;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t index = s->order[i];
        VT_TRY(spend(p, index, &s->insns[index], diag));
        VT_TRY(execute(p, index, &s->insns[index], checker, diag));
    }
    return vta_field_status(p->field) == VTA_OK ? VTA_OK : vt_no_memory(diag);
}

static vta_status run_checked(vt_prover *p, const vt_stream *s, uint32_t insn_addr, vta_diag *diag) {
    vt_checker checker;
    VT_TRY(vt_checker_init(&checker, &p->core, s, insn_addr, p->run > 0, diag));
    vta_status status = run_stream(p, s, &checker, diag);
    if (status == VTA_OK) status = vt_prover_order_end(p, &checker, diag);
    vt_checker_clear(&checker);
    return status;
}

static vta_status run_one(vt_prover *p, vta_diag *diag) {
    vta_program_run_info run;
    vt_stream s;
    VT_TRY(vta_program_get_run(p->program, p->run, &run));
    VT_TRY(fill_dram(p, &run, diag));
    VT_TRY(vt_stream_decode(&s, &p->core, run.insn_addr, run.insn_count, diag));
    vta_status status = vt_stream_schedule(&s, (vta_order)p->options->order, p->options->seed, true, diag);
    if (status == VTA_OK)
        status = p->options->every_order ? run_checked(p, &s, run.insn_addr, diag) : run_stream(p, &s, NULL, diag);
    if (status == VTA_OK) vt_prover_forget_unfinished(p, &s);
    vt_stream_clear(&s);
    return status;
}

static vta_status forget_after_runs(vt_prover *p) {
    vta_program_run_info run;
    vta_program_segment s;
    if (!p->run) return VTA_OK;
    VT_TRY(vta_program_get_run(p->program, p->run - 1, &run));
    for (uint32_t k = 0; k < run.segment_count; k++) {
        VT_TRY(vta_program_get_segment(p->program, p->run - 1, k, &s));
        for (size_t i = 0; i < p->options->unknown_count; i++)
            if (p->options->unknown[i] == s.addr) vt_shadow_forget(&p->shadow, s.addr, s.size, p->run);
    }
    return VTA_OK;
}

static vta_status no_such_memory(size_t index, vta_diag *diag) {
    return vt_fail(diag, VTA_OUT_OF_RANGE, "array %zu is not all in the recorded memory", index);
}

static vta_status run_all(vt_prover *p, size_t n, const vta_field_array arrays[], vta_diag *diag) {
    power_on(p);
    for (size_t i = 0; i < n; i++) {
        const vta_field_array *a = &arrays[i];
        if (a->bits < p->shadow.cell_bits || a->bits > 32 || (a->bits & (a->bits - 1)))
            return vt_fail(diag, VTA_UNSUPPORTED, "array %zu has scalars of %u bits", i, a->bits);
        if (!vt_shadow_set_data(&p->shadow, a->addr, (a->bits * a->count + 7) / 8) ||
            (!a->is_output && !vt_shadow_write(&p->shadow, a->addr, a->bits, a->count, a->values)))
            return no_such_memory(i, diag);
    }
    for (p->run = 0; p->run < vta_program_run_count(p->program); p->run++) VT_TRY(run_one(p, diag));
    VT_TRY(forget_after_runs(p));
    for (size_t i = 0; i < n; i++)
        if (arrays[i].is_output &&
            !vt_shadow_read(&p->shadow, arrays[i].addr, arrays[i].bits, arrays[i].count, arrays[i].values))
            return no_such_memory(i, diag);
    return VTA_OK;
}

vta_status vta_field_run(const vta_program *program, vta_field *field, const vta_field_options *options, size_t n,
                         const vta_field_array arrays[], vta_diag *diag) {
    vta_field_options own;
    if (!program || !field || (n && !arrays))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_field_run: an argument is NULL");
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_field_options", diag));
    vt_prover p = {.program = program,
                   .config = vta_program_config(program),
                   .allocator = &field->allocator,
                   .options = &own,
                   .field = field};
    p.left = p.options->most_work;
    if (p.options->out_writer) {
        *p.options->out_writer = (vta_field_writer){0};
        if (p.options->watch >= n) return vt_fail(diag, VTA_OUT_OF_RANGE, "watch: there is no such array");
        p.watched = &arrays[p.options->watch];
    }
    vt_dram_init(&p.dram, p.allocator);
    VT_TRY(vt_machine_init(&p.core, p.config, p.allocator, &p.dram, &p.counters, &vt_engine_reference, NULL, diag));
    vta_status status = make_buffers(&p, diag);
    if (status == VTA_OK) status = make_shadow(&p, diag);
    if (status == VTA_OK) status = run_all(&p, n, arrays, diag);
    vta_field_seen(field, vt_larger(p.largest.degree, p.memory_size.degree),
                   vt_larger(p.largest.magnitude, p.memory_size.magnitude));
    vt_shadow_clear(&p.shadow);
    free_buffers(&p);
    vt_machine_clear(&p.core);
    vt_dram_clear(&p.dram);
    return status;
}
