/* The instruction stream of an operator, from what was recorded when its schedule was chosen. */
#include <string.h>

#include "isa/codec.h"
#include "network/planner/planner_priv.h"
#include "operators/recording.h"
#include "vta/program.h"

/* What a stream is made of. */
typedef struct reader {
    vt_planner *planner;
    const char *name;
    const vt_op_recording *from;
    vt__stream *s;
    vta_diag *diag;
} reader;

/* A kernel may fill memory of its own (rows of zeros), but not compute on its arguments: their contents are not known
 * here. */
static vta_status check_recorded(const vt_op_recording *from, const char *name, vta_diag *diag) {
    if (from->touches)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "%s: the kernel computes on the host too, which a recorded run cannot: give that part a step of "
                       "its own",
                       name);
    if (from->program) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: the kernel runs nothing on the accelerator", name);
}

/* Copies `count` micro-ops from `at` of a recorded image to the same place of the stream's. */
static vta_status take_uops(const reader *read, const vta_program_segment *image, uint32_t at, uint32_t count) {
    vt__stream *s = read->s;
    size_t end = (size_t)at + count, from = (size_t)at * VTA_UOP_BYTES, most = (size_t)count * VTA_UOP_BYTES;
    if (!vt_reserve(read->planner->allocator, &s->uops, &s->uop_cap, end, sizeof *s->uops))
        return vt_no_memory(read->diag);
    for (; s->uop_count < end; s->uop_count++) s->uops[s->uop_count] = 0;
    size_t known = image->before_size > from ? image->before_size - from : 0;
    if (known) memcpy(s->uops + at, image->before + from, known < most ? known : most);
    return VTA_OK;
}

/* A LOAD of micro-ops becomes relative to the stream's. A stream has one image of them. */
static vta_status read_uops(const reader *read, vta_insn *insn) {
    uint64_t addr = (uint64_t)insn->u.mem.dram_base * VTA_UOP_BYTES;
    uint32_t count = insn->u.mem.x_size;
    vta_program_segment seg;
    for (uint32_t i = 0; vta_program_get_segment(read->from->program, 0, i, &seg) == VTA_OK; i++) {
        if (addr < seg.addr || addr + count * VTA_UOP_BYTES > (uint64_t)seg.addr + seg.size) continue;
        insn->u.mem.dram_base = (uint32_t)(addr - seg.addr) / VTA_UOP_BYTES;
        return take_uops(read, &seg, insn->u.mem.dram_base, count);
    }
    return vt_fail(read->diag, VTA_INTERNAL, "%s: micro-ops at %llu were not recorded", read->name,
                   (unsigned long long)addr);
}

/* Memory that the kernel has filled itself becomes a constant: what stood there when the run began. */
static vta_status take_memory(const reader *read, uint64_t addr, uint32_t element, vt__recorded *out) {
    vta_program_segment seg;
    for (uint32_t i = 0; vta_program_get_segment(read->from->program, 0, i, &seg) == VTA_OK; i++) {
        if (addr < seg.addr || addr - seg.addr >= seg.size || out->insn.opcode == VTA_OP_STORE) continue;
        uint8_t *contents = vt_alloc_zero(read->planner->allocator, seg.size);
        if (!contents) return vt_no_memory(read->diag);
        if (seg.before_size) memcpy(contents, seg.before, seg.before_size);
        vta_status status = vt_planner_constant(read->planner, VT_PLACE_DEVICE, read->name, contents, seg.size,
                                                read->diag, &out->index);
        vt_free(read->planner->allocator, contents, seg.size);
        out->owner = VT__CONSTANT;
        out->insn.u.mem.dram_base = (uint32_t)((addr - seg.addr) / element);
        return status;
    }
    return vt_fail(read->diag, VTA_UNSUPPORTED,
                   "%s: the kernel stores to device memory of its own; make that an argument (a tensor of the kernel)",
                   read->name);
}

/* Other transfers become relative to an argument. */
static vta_status find_owner(const reader *read, vt__recorded *out) {
    const vt_op_recording *from = read->from;
    uint32_t element = vt_insn_elem_bytes(read->planner->config, &out->insn);
    uint64_t addr = (uint64_t)out->insn.u.mem.dram_base * element;
    for (uint32_t i = 0; i < from->count; i++) {
        if (addr < from->addr[i] || addr - from->addr[i] >= from->bytes[i]) continue;
        out->insn.u.mem.dram_base = (uint32_t)((addr - from->addr[i]) / element);
        out->owner = VT__ARGUMENT;
        out->index = i;
        return VTA_OK;
    }
    return take_memory(read, addr, element, out);
}

static vta_status add_insn(const reader *read, const uint8_t *bytes) {
    vt__stream *s = read->s;
    vt__recorded one = {.owner = VT__NO_OWNER};
    VT_TRY(vta_insn_decode(read->planner->config, bytes, read->diag, &one.insn));
    if (!vt_reserve(read->planner->allocator, &s->items, &s->cap, s->count + 1, sizeof *s->items))
        return vt_no_memory(read->diag);
    bool is_transfer = one.insn.opcode == VTA_OP_LOAD || one.insn.opcode == VTA_OP_STORE;
    bool moves = is_transfer && one.insn.u.mem.x_size && one.insn.u.mem.y_size;
    if (moves && one.insn.opcode == VTA_OP_LOAD && one.insn.u.mem.memory_type == VTA_MEM_UOP) {
        one.owner = VT__UOPS;
        VT_TRY(read_uops(read, &one.insn));
    } else if (moves) {
        VT_TRY(find_owner(read, &one));
    }
    s->items[s->count++] = one;
    return VTA_OK;
}

/* The runtime lets compute wait for the other stages before FINISH; layers are joined behind that. */
static vta_status check_end(const reader *read) {
    const vt__stream *s = read->s;
    const vta_insn *last = s->count ? &s->items[s->count - 1].insn : NULL;
    if (last && vt_insn_stage(last) == VTA_STAGE_COMPUTE && last->pop_prev_dep && last->pop_next_dep) return VTA_OK;
    return vt_fail(read->diag, VTA_INTERNAL, "%s: the recorded stream does not end by waiting for all stages",
                   read->name);
}

static vta_status read_program(const reader *read) {
    const vta_program *program = read->from->program;
    vta_program_run_info info;
    if (vta_program_run_count(program) > 1)
        return vt_fail(read->diag, VTA_UNSUPPORTED, "%s: the kernel makes %u runs of the accelerator; one is supported",
                       read->name, vta_program_run_count(program));
    VT_TRY(vta_program_get_run(program, 0, &info));
    for (uint32_t i = 0; i + 1 < info.insn_count; i++) VT_TRY(add_insn(read, info.insns + (size_t)i * VTA_INSN_BYTES));
    return check_end(read);
}

void vt__stream_free(const vta_allocator *a, vt__stream *s) {
    if (!s) return;
    vt_free(a, s->items, s->cap * sizeof *s->items);
    vt_free(a, s->uops, s->uop_cap * sizeof *s->uops);
    vt_free(a, s, sizeof *s);
}

static bool find_stream(const vt_planner *p, const vtac_kernel *kernel, vt__stream **out_stream) {
    for (size_t i = 0; i < p->stream_count; i++) {
        *out_stream = p->streams[i];
        if ((*out_stream)->kernel == kernel) return true;
    }
    return false;
}

vta_status vt__record_operator(vt_planner *p, const char *name, const vtac_op *op, vta_diag *diag,
                               vt__stream **out_stream) {
    reader read = {.planner = p, .name = name, .from = vt_op_recorded(op), .diag = diag};
    if (find_stream(p, vtac_op_kernel(op), out_stream)) return VTA_OK;
    VT_TRY(check_recorded(read.from, name, diag));
    if (!vt_reserve(p->allocator, &p->streams, &p->stream_cap, p->stream_count + 1, sizeof *p->streams))
        return vt_no_memory(diag);
    read.s = vt_alloc_zero(p->allocator, sizeof *read.s);
    if (!read.s) return vt_no_memory(diag);
    vta_status status = read_program(&read);
    if (status != VTA_OK) {
        vt__stream_free(p->allocator, read.s);
        return status;
    }
    read.s->kernel = vtac_op_kernel(op);
    p->streams[p->stream_count++] = read.s;
    *out_stream = read.s;
    return VTA_OK;
}
