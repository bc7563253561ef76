/* The driver intelfocl: instruction streams run in an OpenCL kernel of ours (kernel.cl), on whichever device OpenCL
 * has. Device memory is one OpenCL buffer; the host's view of it is a copy, which flush and invalidate bring up to
 * date, as on a board whose cache is not coherent.
 *
 * Before the kernel runs an instruction the host checks it, with the messages of the simulators, on a machine that
 * computes nothing. Long runs are several launches, between which an interrupt is looked for. */
#ifdef VT_OPENCL
#include "device/opencl/choice.h"
#endif

#include <stdio.h>
#include <string.h>

#include "config/config_priv.h"
#include "device/board/memory.h"
#include "device/core/stream.h"
#include "device/dram/dram.h"
#include "device/opencl/source.h"
#include "isa/label.h"

#ifdef VT_OPENCL
enum { BUFFERS = 6, FAULT_WORDS = 2, BASE = VTA_PAGE_BYTES, LAUNCH_WORK = 1 << 20, ORDER_MOST = 4096 };
/* The kernel's first arguments. */
enum { DRAM, UOPS, INP, WGT, ACC, FAULT };

typedef struct opencl {
    vt_contiguous memory; /* first: VT_CONTIGUOUS_MEMORY (device/board/memory.h) finds it there */
    vt_cl cl;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer[BUFFERS], order;
    size_t work_items;
    vt_dram dram;      /* the host's view, as checks see it */
    vt_machine shadow; /* knows which micro-ops are on chip */
    vta_counters counters;
    vta_order order_kind;
    uint64_t seed;
    atomic_bool interrupt;
} opencl;

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static vta_status sync_buffer(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    opencl *o = (opencl *)c;
    cl_mem dram = o->buffer[DRAM];
    if (for_device)
        return vt__cl_check(
            o->cl.clEnqueueWriteBuffer(o->queue, dram, CL_TRUE, offset, bytes, c->host + offset, 0, NULL, NULL),
            "writing device memory", diag);
    return vt__cl_check(
        o->cl.clEnqueueReadBuffer(o->queue, dram, CL_TRUE, offset, bytes, c->host + offset, 0, NULL, NULL),
        "reading device memory", diag);
}

/* What was given out is seen by checks, too. */
static vta_status lend(opencl *o, uint32_t addr, size_t bytes, vta_diag *diag) {
    uint64_t pages = ((uint64_t)bytes + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES;
    vta_status status = vt_dram_lend(&o->dram, addr, o->memory.host + (addr - o->memory.base),
                                     (size_t)(pages ? pages : 1) * VTA_PAGE_BYTES, diag);
    if (status != VTA_OK) vt_contiguous_free(&o->memory, addr, NULL);
    return status;
}

static vta_status alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    opencl *o = device->state;
    VT_TRY(vt_contiguous_alloc(&o->memory, bytes, diag, out_addr));
    vta_status status = lend(o, *out_addr, bytes, diag);
    if (status != VTA_OK) *out_addr = 0;
    return status;
}

static vta_status alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    opencl *o = device->state;
    VT_TRY(vt_contiguous_alloc_at(&o->memory, addr, bytes, diag));
    return lend(o, addr, bytes, diag);
}

static vta_status free_memory(vta_device *device, uint32_t addr, vta_diag *diag) {
    opencl *o = device->state;
    VT_TRY(vt_contiguous_free(&o->memory, addr, diag));
    return vt_dram_free(&o->dram, addr, diag);
}

static vta_status open_memory(opencl *o, const vt_cl_settings *s, vta_diag *diag) {
    vt_contiguous *c = &o->memory;
    c->base = BASE;
    c->size = s->memory_bytes;
    c->sync = sync_buffer;
    snprintf(c->hint, sizeof c->hint, "memory=MIB in $VTA_BOARD, or the option board, makes it larger");
    c->host = vt_alloc(c->allocator, (size_t)c->size);
    return c->host ? VTA_OK : vt_no_memory(diag);
}

/* ---- Life -------------------------------------------------------------------------------------------------------- */

static vta_status configure(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    opencl *o = device->state;
    const char *what = options->skip_execution ? "skip_execution" : options->check ? "check" : NULL;
    if (what)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is an option of simulators; %s executes what it is given", what,
                       device->driver->name);
    o->order_kind = (vta_order)options->order;
    o->seed = options->seed;
    return VTA_OK;
}

static vta_status make_buffers(opencl *o, const vta_config *c, vta_diag *diag) {
    const size_t bytes[BUFFERS] = {[DRAM] = (size_t)o->memory.size,      [UOPS] = c->buffer_bytes[VTA_MEM_UOP],
                                   [INP] = c->buffer_bytes[VTA_MEM_INP], [WGT] = c->buffer_bytes[VTA_MEM_WGT],
                                   [ACC] = c->buffer_bytes[VTA_MEM_ACC], [FAULT] = FAULT_WORDS * sizeof(cl_uint)};
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < BUFFERS && code == CL_SUCCESS; i++) {
        o->buffer[i] = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes[i], NULL, &code);
        if (code != CL_SUCCESS)
            return vt_fail(diag, VTA_NO_MEMORY,
                           "OpenCL: no buffer of %zu bytes on %s (error %d); memory=MIB in "
                           "$VTA_BOARD, or the option board, says how much",
                           bytes[i], o->memory.name, (int)code);
        code = o->cl.clSetKernelArg(o->kernel, (cl_uint)i, sizeof(cl_mem), &o->buffer[i]);
    }
    if (code == CL_SUCCESS)
        o->order = o->cl.clCreateBuffer(o->context, CL_MEM_READ_ONLY, ORDER_MOST * sizeof(cl_uint), NULL, &code);
    if (code == CL_SUCCESS) code = o->cl.clSetKernelArg(o->kernel, BUFFERS, sizeof(cl_mem), &o->order);
    return vt__cl_check(code, "making buffers", diag);
}

/* On-chip memory begins with zeros, as the simulators' does, and without a fault. */
static vta_status clear_buffers(opencl *o, const vta_config *c, vta_diag *diag) {
    static const vta_memory memories[] = {
        [UOPS] = VTA_MEM_UOP, [INP] = VTA_MEM_INP, [WGT] = VTA_MEM_WGT, [ACC] = VTA_MEM_ACC};
    vta_status status = VTA_OK;
    for (int i = UOPS; i <= ACC && status == VTA_OK; i++) {
        size_t bytes = c->buffer_bytes[memories[i]];
        void *zeros = vt_alloc_zero(o->memory.allocator, bytes);
        if (!zeros) return vt_no_memory(diag);
        status =
            vt__cl_check(o->cl.clEnqueueWriteBuffer(o->queue, o->buffer[i], CL_TRUE, 0, bytes, zeros, 0, NULL, NULL),
                         "clearing", diag);
        vt_free(o->memory.allocator, zeros, bytes);
    }
    const cl_uint none[FAULT_WORDS] = {0};
    cl_int code = CL_SUCCESS;
    if (status == VTA_OK)
        code = o->cl.clEnqueueWriteBuffer(o->queue, o->buffer[FAULT], CL_TRUE, 0, sizeof none, none, 0, NULL, NULL);
    return status == VTA_OK ? vt__cl_check(code, "clearing", diag) : status;
}

static vta_status build_failed(const opencl *o, cl_device_id device, vta_diag *diag) {
    char log[2048] = "";
    o->cl.clGetProgramBuildInfo(o->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    return vt_fail(diag, VTA_IO, "OpenCL: %s does not compile the accelerator's kernel: %.1500s", o->memory.name, log);
}

static vta_status build_kernel(opencl *o, const vta_config *config, cl_device_id device, vta_diag *diag) {
    vt_strbuf source;
    cl_int code = CL_SUCCESS;
    vt_strbuf_init(&source, NULL);
    vta_status status = vt__cl_source(config, BASE, o->memory.size, diag, &source);
    const char *text = vt_strbuf_text(&source);
    if (status == VTA_OK) {
        o->program = o->cl.clCreateProgramWithSource(o->context, 1, &text, &source.size, &code);
        status = vt__cl_check(code, "making the program", diag);
    }
    vt_strbuf_free(&source);
    if (status != VTA_OK) return status;
    if (o->cl.clBuildProgram(o->program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS)
        return build_failed(o, device, diag);
    o->kernel = o->cl.clCreateKernel(o->program, "vta_run", &code);
    return vt__cl_check(code, "making the kernel", diag);
}

static vta_status open_device(opencl *o, const vta_config *config, const vta_device_options *options, vta_diag *diag) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    size_t most = 1;
    vt_cl_settings settings;
    VT_TRY(vt__cl_settings(options->board, diag, &settings));
    VT_TRY(vt__cl_open(diag, &o->cl));
    VT_TRY(vt__cl_choose(&o->cl, &settings, diag, &platform, &device, o->memory.name));
    VT_TRY(open_memory(o, &settings, diag));
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    o->context = o->cl.clCreateContext(properties, 1, &device, NULL, NULL, &code);
    VT_TRY(vt__cl_check(code, "making a context", diag));
    o->queue = o->cl.clCreateCommandQueue(o->context, device, 0, &code);
    VT_TRY(vt__cl_check(code, "making a queue", diag));
    VT_TRY(build_kernel(o, config, device, diag));
    o->cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    size_t lanes = (size_t)config->batch * config->block_out;
    o->work_items = lanes < most ? lanes : most;
    VT_TRY(make_buffers(o, config, diag));
    return clear_buffers(o, config, diag);
}

static void close_device(opencl *o) {
    for (int i = 0; i < BUFFERS; i++)
        if (o->buffer[i]) o->cl.clReleaseMemObject(o->buffer[i]);
    if (o->order) o->cl.clReleaseMemObject(o->order);
    if (o->kernel) o->cl.clReleaseKernel(o->kernel);
    if (o->program) o->cl.clReleaseProgram(o->program);
    if (o->queue) o->cl.clReleaseCommandQueue(o->queue);
    if (o->context) o->cl.clReleaseContext(o->context);
    vt_dram_clear(&o->dram);
    vt_machine_clear(&o->shadow);
    if (o->memory.host) vt_free(o->memory.allocator, o->memory.host, (size_t)o->memory.size);
    vt_contiguous_close(&o->memory);
    vt__cl_close(&o->cl);
}

static vta_status create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    opencl *o = vt_alloc_zero(&device->allocator, sizeof *o);
    if (!o) return vt_no_memory(diag);
    device->state = o;
    o->memory = (vt_contiguous){.allocator = &device->allocator, .fd = -1};
    atomic_init(&o->interrupt, false);
    vt_dram_init(&o->dram, &device->allocator);
    vta_status status = configure(device, options, diag);
    if (status == VTA_OK)
        status = vt_machine_init(&o->shadow, device->config, &device->allocator, &o->dram, &o->counters,
                                 &vt_engine_reference, NULL, diag);
    o->shadow.skip_execution = true; /* but for loads of micro-ops */
    if (status == VTA_OK) status = open_device(o, device->config, options, diag);
    if (status == VTA_OK) return VTA_OK;
    close_device(o);
    vt_free(&device->allocator, o, sizeof *o);
    device->state = NULL;
    return status;
}

static void destroy(vta_device *device) {
    close_device(device->state);
    vt_free(&device->allocator, device->state, sizeof(opencl));
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* What a launch runs: instructions by number, or of one a part of its loops (y1 not 0). */
typedef struct launch {
    const vt_stream *stream;
    uint32_t insn_addr, first, count; /* of stream->order */
    uint32_t y0, y1, x0, x1;
} launch;

static vta_status report_fault(opencl *o, const launch *l, vta_diag *diag) {
    static const char *const whats[] = {"", "an address outside of the device's memory", "micro-ops that do not exist",
                                        "an index outside of its buffer"};
    cl_uint fault[FAULT_WORDS], none[FAULT_WORDS] = {0};
    char label[24];
    VT_TRY(vt__cl_check(
        o->cl.clEnqueueReadBuffer(o->queue, o->buffer[FAULT], CL_TRUE, 0, sizeof fault, fault, 0, NULL, NULL),
        "running the kernel", diag));
    if (!fault[0] || fault[0] > 3) return VTA_OK;
    o->cl.clEnqueueWriteBuffer(o->queue, o->buffer[FAULT], CL_TRUE, 0, sizeof none, none, 0, NULL, NULL);
    uint32_t index = fault[1] < l->stream->count ? fault[1] : 0;
    return vt_fail(
        diag, VTA_OUT_OF_RANGE,
        "instruction %u (%s): %s on the device, not in the host's view of its memory: was something not flushed?",
        index, vt_insn_label(&l->stream->insns[index], label), whats[fault[0]]);
}

static vta_status start(opencl *o, const launch *l, vta_diag *diag) {
    const cl_ulong insns = l->insn_addr - o->memory.base;
    const cl_uint numbers[] = {0, l->count, l->y0, l->y1, l->x0, l->x1};
    cl_int code = o->cl.clEnqueueWriteBuffer(o->queue, o->order, CL_TRUE, 0, l->count * sizeof(cl_uint),
                                             l->stream->order + l->first, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = o->cl.clSetKernelArg(o->kernel, BUFFERS + 1, sizeof insns, &insns);
    for (cl_uint i = 0; i < 6 && code == CL_SUCCESS; i++)
        code = o->cl.clSetKernelArg(o->kernel, BUFFERS + 2 + i, sizeof(cl_uint), &numbers[i]);
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
static vta_status start_parts(opencl *o, launch l, vta_diag *diag) {
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
static vta_status gather(opencl *o, const vt_stream *s, uint32_t first, uint32_t most, uint64_t *left, vta_diag *diag,
                         batch *out) {
    *out = (batch){0};
    while (first + out->count < s->to_run && out->count < ORDER_MOST) {
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

static vta_status execute(opencl *o, const vt_stream *s, const vt_run *run, vta_diag *diag) {
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
static vta_status decode(opencl *o, const vt_run *run, vta_diag *diag, vt_stream *out) {
    size_t bytes = (size_t)run->count * VTA_INSN_BYTES;
    VT_TRY(vt_contiguous_sync(&o->memory, false, run->insn_addr, bytes, diag));
    return vt_stream_decode(out, &o->shadow, run->insn_addr, run->count, diag);
}

static vta_status run_stream(vta_device *device, const vt_run *run, vta_diag *diag) {
    opencl *o = device->state;
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

static void interrupt(vta_device *device) {
    atomic_store_explicit(&((opencl *)device->state)->interrupt, true, memory_order_relaxed);
}

/* ---- What it shows ----------------------------------------------------------------------------------------------- */

static vta_counters counters(const vta_device *device) { return ((const opencl *)device->state)->counters; }
static void clear(vta_device *device) { ((opencl *)device->state)->counters = (vta_counters){0}; }

static vta_status peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag) {
    static const int buffers[VTA_MEM_COUNT] = {
        [VTA_MEM_UOP] = UOPS, [VTA_MEM_INP] = INP, [VTA_MEM_WGT] = WGT, [VTA_MEM_ACC] = ACC};
    opencl *o = device->state;
    size_t element = device->config->elem_bytes[memory];
    if (!buffers[memory])
        return vt_fail(diag, VTA_UNSUPPORTED, "memory %d has no buffer of its own; look into acc", (int)memory);
    if (bytes != elements * element)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%u elements of %s are %zu bytes, not %zu", elements,
                       vta_memory_name(memory), elements * element, bytes);
    if (!bytes) return VTA_OK;
    return vt__cl_check(o->cl.clEnqueueReadBuffer(o->queue, o->buffer[buffers[memory]], CL_TRUE, first * element, bytes,
                                                  to, 0, NULL, NULL),
                        "reading on-chip memory", diag);
}

const vt_driver vt_driver_intelfocl = {
    .name = "intelfocl",
    .text = "an OpenCL device: the stream runs in an OpenCL kernel",
    VT_CONTIGUOUS_MEMORY,
    .free = free_memory,
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .alloc = alloc,
    .alloc_at = alloc_at,
    .run = run_stream,
    .interrupt = interrupt,
    .counters = counters,
    .clear = clear,
    .peek = peek,
};
#else
static vta_status create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    (void)device, (void)options;
    return vt_fail(diag, VTA_UNSUPPORTED, "this libvta was built without OpenCL (its headers are in opencl-c-headers)");
}
static void destroy(vta_device *device) { (void)device; }
const vt_driver vt_driver_intelfocl = {
    .name = "intelfocl", .text = "built without OpenCL", .create = create, .destroy = destroy};
#endif
