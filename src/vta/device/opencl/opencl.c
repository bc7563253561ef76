/* The driver intelfocl: instruction streams run in an OpenCL kernel of ours (kernel.cl), on whichever device OpenCL
 * has. Device memory is one OpenCL buffer; the host's view of it is a copy, which flush and invalidate bring up to
 * date, as on a board whose cache is not coherent.
 *
 * Before the kernel runs an instruction the host checks it, with the messages of the simulators, on a machine that
 * computes nothing. Long runs are several launches, between which an interrupt is looked for. */
#ifdef VT_OPENCL
#include "device/opencl/opencl.h"
#endif

#include <stdio.h>

#include "config/config_priv.h"
#include "device/board/memory.h"
#include "device/opencl/source.h"

#ifdef VT_OPENCL
enum { BASE = VTA_PAGE_BYTES };

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static vta_status sync_buffer(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    vt_opencl *o = (vt_opencl *)c;
    cl_mem dram = o->buffer[VT_CL_DRAM];
    if (for_device)
        return vt__cl_check(
            o->cl.clEnqueueWriteBuffer(o->queue, dram, CL_TRUE, offset, bytes, c->host + offset, 0, NULL, NULL),
            "writing device memory", diag);
    return vt__cl_check(
        o->cl.clEnqueueReadBuffer(o->queue, dram, CL_TRUE, offset, bytes, c->host + offset, 0, NULL, NULL),
        "reading device memory", diag);
}

/* What was given out is seen by checks, too. */
static vta_status lend(vt_opencl *o, uint32_t addr, size_t bytes, vta_diag *diag) {
    uint64_t pages = ((uint64_t)bytes + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES;
    vta_status status = vt_dram_lend(&o->dram, addr, o->memory.host + (addr - o->memory.base),
                                     (size_t)(pages ? pages : 1) * VTA_PAGE_BYTES, diag);
    if (status != VTA_OK) vt_contiguous_free(&o->memory, addr, NULL);
    return status;
}

static vta_status alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    vt_opencl *o = device->state;
    VT_TRY(vt_contiguous_alloc(&o->memory, bytes, diag, out_addr));
    vta_status status = lend(o, *out_addr, bytes, diag);
    if (status != VTA_OK) *out_addr = 0;
    return status;
}

static vta_status alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    vt_opencl *o = device->state;
    VT_TRY(vt_contiguous_alloc_at(&o->memory, addr, bytes, diag));
    return lend(o, addr, bytes, diag);
}

static vta_status free_memory(vta_device *device, uint32_t addr, vta_diag *diag) {
    vt_opencl *o = device->state;
    VT_TRY(vt_contiguous_free(&o->memory, addr, diag));
    return vt_dram_free(&o->dram, addr, diag);
}

static vta_status open_memory(vt_opencl *o, const vt_cl_settings *s, vta_diag *diag) {
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
    vt_opencl *o = device->state;
    const char *what = options->skip_execution ? "skip_execution" : options->check ? "check" : NULL;
    if (what)
        return vt_fail(diag, VTA_UNSUPPORTED, "%s is an option of simulators; %s executes what it is given", what,
                       device->driver->name);
    o->order_kind = (vta_order)options->order;
    o->seed = options->seed;
    return VTA_OK;
}

/* A buffer has a byte at least, also where there are no tables. */
static size_t table_bytes(const vta_config *c) {
    return c->buffer_bytes[VTA_MEM_TABLE] ? c->buffer_bytes[VTA_MEM_TABLE] : 1;
}

static vta_status make_buffers(vt_opencl *o, const vta_config *c, vta_diag *diag) {
    const size_t bytes[VT_CL_BUFFERS] = {[VT_CL_DRAM] = (size_t)o->memory.size,
                                         [VT_CL_UOPS] = c->buffer_bytes[VTA_MEM_UOP],
                                         [VT_CL_INP] = c->buffer_bytes[VTA_MEM_INP],
                                         [VT_CL_WGT] = c->buffer_bytes[VTA_MEM_WGT],
                                         [VT_CL_ACC] = c->buffer_bytes[VTA_MEM_ACC],
                                         [VT_CL_TABLE] = table_bytes(c),
                                         [VT_CL_FAULT] = VT_CL_FAULT_WORDS * sizeof(cl_uint)};
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < VT_CL_BUFFERS && code == CL_SUCCESS; i++) {
        o->buffer[i] = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes[i], NULL, &code);
        if (code != CL_SUCCESS)
            return vt_fail(diag, VTA_NO_MEMORY,
                           "OpenCL: no buffer of %zu bytes on %s (error %d); memory=MIB in "
                           "$VTA_BOARD, or the option board, says how much",
                           bytes[i], o->memory.name, (int)code);
        code = o->cl.clSetKernelArg(o->kernel, (cl_uint)i, sizeof(cl_mem), &o->buffer[i]);
    }
    if (code == CL_SUCCESS)
        o->order = o->cl.clCreateBuffer(o->context, CL_MEM_READ_ONLY, VT_CL_ORDER_MAX * sizeof(cl_uint), NULL, &code);
    if (code == CL_SUCCESS) code = o->cl.clSetKernelArg(o->kernel, VT_CL_BUFFERS, sizeof(cl_mem), &o->order);
    return vt__cl_check(code, "making buffers", diag);
}

/* On-chip memory begins with zeros, as the simulators' does, and without a fault. */
static vta_status clear_buffers(vt_opencl *o, const vta_config *c, vta_diag *diag) {
    static const vta_memory memories[] = {[VT_CL_UOPS] = VTA_MEM_UOP,
                                          [VT_CL_INP] = VTA_MEM_INP,
                                          [VT_CL_WGT] = VTA_MEM_WGT,
                                          [VT_CL_ACC] = VTA_MEM_ACC,
                                          [VT_CL_TABLE] = VTA_MEM_TABLE};
    vta_status status = VTA_OK;
    for (int i = VT_CL_UOPS; i <= VT_CL_TABLE && status == VTA_OK; i++) {
        size_t bytes = c->buffer_bytes[memories[i]];
        if (!bytes) continue;
        void *zeros = vt_alloc_zero(o->memory.allocator, bytes);
        if (!zeros) return vt_no_memory(diag);
        status =
            vt__cl_check(o->cl.clEnqueueWriteBuffer(o->queue, o->buffer[i], CL_TRUE, 0, bytes, zeros, 0, NULL, NULL),
                         "clearing", diag);
        vt_free(o->memory.allocator, zeros, bytes);
    }
    const cl_uint none[VT_CL_FAULT_WORDS] = {0};
    cl_int code = CL_SUCCESS;
    if (status == VTA_OK)
        code =
            o->cl.clEnqueueWriteBuffer(o->queue, o->buffer[VT_CL_FAULT], CL_TRUE, 0, sizeof none, none, 0, NULL, NULL);
    return status == VTA_OK ? vt__cl_check(code, "clearing", diag) : status;
}

static vta_status build_failed(const vt_opencl *o, cl_device_id device, vta_diag *diag) {
    char log[2048] = "";
    o->cl.clGetProgramBuildInfo(o->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    return vt_fail(diag, VTA_IO, "OpenCL: %s does not compile the accelerator's kernel: %.1500s", o->memory.name, log);
}

static vta_status build_kernel(vt_opencl *o, const vta_config *config, cl_device_id device, vta_diag *diag) {
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

static vta_status open_device(vt_opencl *o, const vta_config *config, const vta_device_options *options,
                              vta_diag *diag) {
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

static void close_device(vt_opencl *o) {
    for (int i = 0; i < VT_CL_BUFFERS; i++)
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
    vt_opencl *o = vt_alloc_zero(&device->allocator, sizeof *o);
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
    vt_free(&device->allocator, device->state, sizeof(vt_opencl));
}

static void interrupt(vta_device *device) {
    atomic_store_explicit(&((vt_opencl *)device->state)->interrupt, true, memory_order_relaxed);
}

/* ---- What it shows ----------------------------------------------------------------------------------------------- */

static vta_counters counters(const vta_device *device) { return ((const vt_opencl *)device->state)->counters; }
static void clear(vta_device *device) { ((vt_opencl *)device->state)->counters = (vta_counters){0}; }

static vta_status peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag) {
    static const int buffers[VTA_MEM_COUNT] = {[VTA_MEM_UOP] = VT_CL_UOPS,
                                               [VTA_MEM_INP] = VT_CL_INP,
                                               [VTA_MEM_WGT] = VT_CL_WGT,
                                               [VTA_MEM_ACC] = VT_CL_ACC,
                                               [VTA_MEM_TABLE] = VT_CL_TABLE};
    vt_opencl *o = device->state;
    size_t element = device->config->elem_bytes[memory];
    if (!buffers[memory] || !device->config->depth[memory])
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
    .run = vt__cl_run,
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
