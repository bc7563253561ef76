/* Running a stream: its instructions are checked on the host, gathered into launches of the kernel, and launched. */
#ifdef VT_OPENCL
#include "device/core/stream.h"
#include "device/opencl/opencl.h"
#include "isa/label.h"

enum { LAUNCH_WORK = 1 << 20 };

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* What a launch runs: instructions by number, or of one a part of its loops (y1 not 0). */
typedef struct launch {
    const vt_stream *stream;
    uint32_t insn_addr, first, count; /* of stream->order */
    uint32_t y0, y1, x0, x1;
} launch;

static vta_status report_fault(vt_opencl *o, const launch *l, vta_diag *diag) {
    static const char *const whats[] = {"", "an address outside of the device's memory", "micro-ops that do not exist",
                                        "an index outside of its buffer"};
    cl_uint fault[VT_CL_FAULT_WORDS], none[VT_CL_FAULT_WORDS] = {0};
    char label[24];
    VT_TRY(vt__cl_check(
        o->cl.clEnqueueReadBuffer(o->queue, o->buffer[VT_CL_FAULT], CL_TRUE, 0, sizeof fault, fault, 0, NULL, NULL),
        "running the kernel", diag));
    if (!fault[0] || fault[0] > 3) return VTA_OK;
    o->cl.clEnqueueWriteBuffer(o->queue, o->buffer[VT_CL_FAULT], CL_TRUE, 0, sizeof none, none, 0, NULL, NULL);
    uint32_t index = fault[1] < l->stream->count ? fault[1] : 0;
    return vt_fail(
        diag, VTA_OUT_OF_RANGE,
        "instruction %u (%s): %s on the device, not in the host's view of its memory: was something not flushed?",
        index, vt_insn_label(&l->stream->insns[index], label), whats[fault[0]]);
}

static vta_status start(vt_opencl *o, const launch *l, vta_diag *diag) {
    const cl_ulong insns = l->insn_addr - o->memory.base;
    const cl_uint numbers[] = {0, l->count, l->y0, l->y1, l->x0, l->x1};
    cl_int code = o->cl.clEnqueueWriteBuffer(o->queue, o->order, CL_TRUE, 0, l->count * sizeof(cl_uint),
                                             l->stream->order + l->first, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = o->cl.clSetKernelArg(o->kernel, VT_CL_BUFFERS + 1, sizeof insns, &insns);
    for (cl_uint i = 0; i < 6 && code == CL_SUCCESS; i++)
        code = o->cl.clSetKernelArg(o->kernel, VT_CL_BUFFERS + 2 + i, sizeof(cl_uint), &numbers[i]);
    if (code == CL_SUCCESS)
        code =
            o->cl.clEnqueueNDRangeKernel(o->queue, o->kernel, 1, NULL, &o->work_items, &o->work_items, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = o->cl.clFinish(o->queue);
    VT_TRY(vt__cl_check(code, "running the kernel", diag));
    VT_TRY(report_fault(o, l, diag));
    if (!atomic_load_explicit(&o->interrupt, memory_order_relaxed)) return VTA_OK;
    return vt_fail(diag, VTA_INTERRUPTED, "interrupted after instruction %u",
                   l->stream->order[l->first + l->count - 1]);
}

/* An instruction of much work, in parts of its two loops. */
static vta_status start_parts(vt_opencl *o, launch l, vta_diag *diag) {
    const vta_insn *insn = &l.stream->insns[l.stream->order[l.first]];
    const vt_loops loops = vt_loops_of(insn, o->shadow.uops);
    uint32_t inner = LAUNCH_WORK / loops.uop_count, outer;
    inner = !inner ? 1 : inner < loops.iter_in ? inner : loops.iter_in;
    outer = inner < loops.iter_in ? 1 : LAUNCH_WORK / loops.uop_count / inner;
    for (uint32_t y = 0; y < loops.iter_out; y += outer)
        for (uint32_t x = 0; x < loops.iter_in; x += inner) {
            l.y0 = y, l.y1 = loops.iter_out - y < outer ? loops.iter_out : y + outer;
            l.x0 = x, l.x1 = loops.iter_in - x < inner ? loops.iter_in : x + inner;
            VT_TRY(start(o, &l, diag));
        }
    return VTA_OK;
}

/* ---- A run ------------------------------------------------------------------------------------------------------- */

/* The instructions from `first` on that one launch takes; a heavy one is alone. */
typedef struct batch {
    uint32_t count;
    uint64_t work;
    bool heavy;
} batch;

static bool is_heavy(const vta_insn *insn) {
    return (insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU) && vt_exec_work(insn) > LAUNCH_WORK;
}

static vta_status spend(uint64_t *left, uint32_t most, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    uint64_t work = vt_exec_work(insn);
    if (most && work > *left)
        return vt_fail(diag, VTA_TIMEOUT,
                       "instruction %u (%s) needs %llu cycles at least, and of the %u to wait %llu are left", index,
                       vt_insn_label(insn, label), (unsigned long long)work, most, (unsigned long long)*left);
    if (most) *left -= work;
    return VTA_OK;
}

/* Checks and counts as many as fit; those before one that is wrong run all the same. */
static vta_status gather(vt_opencl *o, const vt_stream *s, uint32_t first, uint32_t most, uint64_t *left,
                         vta_diag *diag, batch *out) {
    *out = (batch){0};
    while (first + out->count < s->to_run && out->count < VT_CL_ORDER_MAX) {
        uint32_t index = s->order[first + out->count];
        const vta_insn *insn = &s->insns[index];
        bool heavy = is_heavy(insn);
        if (out->count && (heavy || out->work + vt_exec_work(insn) > LAUNCH_WORK)) break;
        VT_TRY(spend(left, most, index, insn, diag));
        VT_TRY(vt_exec_insn(&o->shadow, index, insn, diag));
        out->count++;
        out->work += vt_exec_work(insn);
        out->heavy = heavy;
        if (heavy) break;
    }
    return VTA_OK;
}

static vta_status execute(vt_opencl *o, const vt_stream *s, const vt_run *run, vta_diag *diag) {
    uint64_t left = run->max_work;
    for (uint32_t first = 0; first < s->to_run;) {
        batch b;
        vta_status checked = gather(o, s, first, run->max_work, &left, diag, &b), ran = VTA_OK;
        const launch l = {.stream = s, .insn_addr = run->insn_addr, .first = first, .count = b.count};
        if (b.count) ran = b.heavy ? start_parts(o, l, diag) : start(o, &l, diag);
        if (checked != VTA_OK || ran != VTA_OK) return checked != VTA_OK ? checked : ran;
        first += b.count;
    }
    return VTA_OK;
}

/* The stream as the device has it, not as the host sees it. */
static vta_status decode(vt_opencl *o, const vt_run *run, vta_diag *diag, vt_stream *out) {
    size_t bytes = (size_t)run->count * VTA_INSN_BYTES;
    VT_TRY(vt_contiguous_sync(&o->memory, false, run->insn_addr, bytes, diag));
    return vt_stream_decode(out, &o->shadow, run->insn_addr, run->count, diag);
}

vta_status vt__cl_run(vta_device *device, const vt_run *run, vta_diag *diag) {
    vt_opencl *o = device->state;
    vt_stream s;
    atomic_store_explicit(&o->interrupt, false, memory_order_relaxed);
    VT_TRY(decode(o, run, diag, &s));
    vta_status status = vt_stream_schedule(&s, o->order_kind, o->seed, false, diag);
    if (status == VTA_OK) {
        o->counters.runs++;
        status = execute(o, &s, run, diag);
    }
    vt_stream_clear(&s);
    return status;
}
#endif
