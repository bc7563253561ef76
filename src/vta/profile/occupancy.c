/* Buffer occupancy: how many elements of each on-chip buffer hold a value that will still be used.
 *
 * Goes through all accesses in the order of time and keeps, for each element, when its value was written and last used;
 * an overwritten value was alive in between. Micro-ops tell which elements a GEMM or ALU instruction touches. */
#include <string.h>

#include "profile/profile_priv.h"

const vta_memory vt_occupancy_memory[VT_OCC_COUNT] = {VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_UOP};

typedef struct life {
    uint64_t born, used; /* born UINT64_MAX: holds nothing */
} life;

typedef struct lives {
    const vta_profile *profile;
    vt_occupancy *out;
    life *of[VT_OCC_COUNT];
    int32_t *change[VT_OCC_COUNT]; /* of the live count, by sample */
    vta_uop *uops;
    uint64_t *row_seen; /* by element: the value of `rows` when a row began there */
    uint64_t rows;
    uint32_t most; /* elements of the deepest buffer */
    uint64_t cycles, now, end;
    size_t run;
} lives;

/* The first sample at or after a time. Sample k stands at (k + 1/2) * cycles / SAMPLES. */
static uint32_t sample(const lives *l, uint64_t time) {
    double at = (double)time * VT_OCCUPANCY_SAMPLES / (double)l->cycles - 0.5;
    if (at <= 0) return 0;
    uint32_t k = (uint32_t)at;
    if ((double)k < at) k++;
    return k < VT_OCCUPANCY_SAMPLES ? k : VT_OCCUPANCY_SAMPLES;
}

static void bury(lives *l, int buffer, uint32_t index) {
    life *e = &l->of[buffer][index];
    if (e->born != UINT64_MAX && e->used > e->born) {
        l->change[buffer][sample(l, e->born)]++;
        l->change[buffer][sample(l, e->used)]--;
    }
    e->born = UINT64_MAX;
}

static void write_element(lives *l, int buffer, uint32_t index) {
    if (index >= l->out->depth[buffer]) return;
    life *e = &l->of[buffer][index];
    if (e->born != UINT64_MAX && !l->out->exact) e->used = l->now;
    bury(l, buffer, index);
    e->born = e->used = l->now;
}

static void use_element(lives *l, int buffer, uint32_t index) {
    if (index >= l->out->depth[buffer]) return;
    life *e = &l->of[buffer][index];
    if (e->born == UINT64_MAX) e->born = l->now;
    e->used = l->end;
}

static void fill_uops(lives *l, const vta_insn *insn) {
    const vta_profile *p = l->profile;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++)
        for (uint32_t x = 0; x < insn->u.mem.x_size; x++) {
            uint32_t index = insn->u.mem.sram_base + y * insn->u.mem.x_size + x, word = 0;
            uint32_t addr = (insn->u.mem.dram_base + y * insn->u.mem.x_stride + x) * VTA_UOP_BYTES;
            if (index >= l->out->depth[VT_OCC_UOP]) return;
            if (p->read(p->read_user, l->run, addr, &word, sizeof word) != VTA_OK) l->out->exact = false;
            l->uops[index] = vta_uop_decode(p->config, word);
        }
}

static void move(lives *l, const vta_insn *insn, int buffer) {
    uint64_t pads = insn->u.mem.x_pad_0 + insn->u.mem.x_pad_1;
    uint64_t rows = (uint64_t)insn->u.mem.y_pad_0 + insn->u.mem.y_size + insn->u.mem.y_pad_1;
    uint64_t elements = insn->opcode == VTA_OP_STORE ? (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size
                                                     : rows * (pads + insn->u.mem.x_size);
    for (uint64_t i = 0; i < elements && insn->u.mem.sram_base + i < l->out->depth[buffer]; i++) {
        if (insn->opcode == VTA_OP_STORE)
            use_element(l, buffer, insn->u.mem.sram_base + (uint32_t)i);
        else
            write_element(l, buffer, insn->u.mem.sram_base + (uint32_t)i);
    }
    if (buffer == VT_OCC_UOP && l->uops && l->out->exact) fill_uops(l, insn);
}

/* What one operand of a micro-op touches through both loops. An element of the buffer is a row's start once in an
 * instruction: more often would touch the same, and loop counts may be anything. */
static void touch_rows(lives *l, const vta_insn *insn, int buffer, uint32_t first, uint32_t outer, uint32_t inner) {
    uint32_t depth = l->out->depth[buffer];
    bool reset = insn->opcode == VTA_OP_GEMM && insn->u.exec.reset_reg;
    uint64_t start = first;
    for (uint32_t y = 0; y < insn->u.exec.iter_out && start < depth; y++, start += outer) {
        if (l->row_seen[start] == l->rows) {
            if (outer == 0) return;
            continue;
        }
        l->row_seen[start] = l->rows;
        uint64_t index = start;
        for (uint32_t x = 0; x < insn->u.exec.iter_in && index < depth && (x == 0 || inner); x++, index += inner) {
            if (reset)
                write_element(l, buffer, (uint32_t)index);
            else
                use_element(l, buffer, (uint32_t)index);
        }
    }
}

typedef enum operand { DST, SRC, WGT } operand;

/* The same for all micro-ops; their order does not matter, since the instruction takes effect at one time. */
static void touch_operand(lives *l, const vta_insn *insn, int buffer, operand which) {
    const uint32_t outer[] = {insn->u.exec.dst_factor_out, insn->u.exec.src_factor_out, insn->u.exec.wgt_factor_out};
    const uint32_t inner[] = {insn->u.exec.dst_factor_in, insn->u.exec.src_factor_in, insn->u.exec.wgt_factor_in};
    l->rows++;
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end && u < l->out->depth[VT_OCC_UOP]; u++) {
        const uint32_t first[] = {l->uops[u].dst, l->uops[u].src, l->uops[u].wgt};
        touch_rows(l, insn, buffer, first[which], outer[which], inner[which]);
    }
}

static void execute(lives *l, const vta_insn *insn) {
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++) use_element(l, VT_OCC_UOP, u);
    if (!l->out->exact) return;
    bool gemm = insn->opcode == VTA_OP_GEMM, reset = gemm && insn->u.exec.reset_reg;
    touch_operand(l, insn, VT_OCC_ACC, DST);
    if (reset || (!gemm && insn->u.exec.use_imm)) return;
    touch_operand(l, insn, gemm ? VT_OCC_INP : VT_OCC_ACC, SRC);
    if (gemm) touch_operand(l, insn, VT_OCC_WGT, WGT);
}

static void touch(lives *l, const vta_insn *insn) {
    switch ((vta_opcode)insn->opcode) {
    case VTA_OP_GEMM:
    case VTA_OP_ALU: execute(l, insn); return;
    case VTA_OP_STORE: move(l, insn, VT_OCC_ACC); return;
    case VTA_OP_LOAD: break;
    case VTA_OP_FINISH:
    case VTA_OP_COUNT: return;
    }
    if (insn->u.mem.x_size == 0) return;
    for (int b = 0; b < VT_OCC_COUNT; b++)
        if (vt_occupancy_memory[b] == (vta_memory)insn->u.mem.memory_type) move(l, insn, b);
    if (insn->u.mem.memory_type == VTA_MEM_ACC_8BIT) move(l, insn, VT_OCC_ACC);
}

/* Three in-order units: always the one whose next instruction starts first. */
static void walk(lives *l, const vt_profile_run *run) {
    uint32_t next[VTA_UNIT_COUNT] = {0};
    for (;;) {
        int best = -1;
        for (int u = VTA_UNIT_LOAD; u < VTA_UNIT_COUNT; u++) {
            while (next[u] < run->count && (run->times[next[u]].unit != u || run->times[next[u]].start == UINT64_MAX))
                next[u]++;
            if (next[u] == run->count) continue;
            if (best < 0 || run->times[next[u]].start < run->times[next[best]].start) best = u;
        }
        if (best < 0) return;
        const vta_insn_time *t = &run->times[next[best]];
        l->now = run->begin + t->start;
        l->end = run->begin + t->end;
        touch(l, &run->insns[next[best]++]);
    }
}

static void count_live(lives *l) {
    for (int b = 0; b < VT_OCC_COUNT; b++) {
        for (uint32_t i = 0; i < l->out->depth[b]; i++) {
            if (!l->out->exact && l->of[b][i].born != UINT64_MAX) l->of[b][i].used = l->cycles;
            bury(l, b, i);
        }
        int32_t live = 0;
        for (int k = 0; k < VT_OCCUPANCY_SAMPLES; k++) {
            live += l->change[b][k];
            l->out->live[b][k] = (uint32_t)live;
            if (l->out->live[b][k] > l->out->peak[b]) l->out->peak[b] = l->out->live[b][k];
        }
    }
}

static vta_status start(lives *l, vta_diag *diag) {
    const vta_allocator *a = &l->profile->allocator;
    for (int b = 0; b < VT_OCC_COUNT; b++) {
        uint32_t depth = vta_config_depth(l->profile->config, vt_occupancy_memory[b]);
        l->out->depth[b] = depth;
        if (depth > l->most) l->most = depth;
        l->of[b] = vt_alloc_array(a, depth, sizeof(life));
        l->change[b] = vt_alloc_zero(a, (VT_OCCUPANCY_SAMPLES + 1) * sizeof(int32_t));
        if (!l->of[b] || !l->change[b]) return vt_no_memory(diag);
        for (uint32_t i = 0; i < depth; i++) l->of[b][i] = (life){UINT64_MAX, 0};
    }
    l->uops = vt_alloc_zero(a, l->out->depth[VT_OCC_UOP] * sizeof(vta_uop));
    l->row_seen = vt_alloc_zero(a, l->most * sizeof *l->row_seen);
    return l->uops && l->row_seen ? VTA_OK : vt_no_memory(diag);
}

static void stop(lives *l) {
    const vta_allocator *a = &l->profile->allocator;
    for (int b = 0; b < VT_OCC_COUNT; b++) {
        vt_free(a, l->of[b], l->out->depth[b] * sizeof(life));
        vt_free(a, l->change[b], (VT_OCCUPANCY_SAMPLES + 1) * sizeof(int32_t));
    }
    vt_free(a, l->uops, l->out->depth[VT_OCC_UOP] * sizeof(vta_uop));
    vt_free(a, l->row_seen, l->most * sizeof *l->row_seen);
}

vta_status vt_profile_occupancy(const vta_profile *profile, vta_diag *diag, vt_occupancy *out_occupancy) {
    memset(out_occupancy, 0, sizeof *out_occupancy);
    out_occupancy->exact = profile->read != NULL;
    lives l = {.profile = profile, .out = out_occupancy, .cycles = profile->sum.cycles ? profile->sum.cycles : 1};
    vta_status status = start(&l, diag);
    for (size_t r = 0; status == VTA_OK && r < profile->run_count; r++) {
        l.run = r;
        walk(&l, &profile->runs[r]);
    }
    if (status == VTA_OK) count_live(&l);
    stop(&l);
    return status;
}
