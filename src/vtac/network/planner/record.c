/* The instruction stream of a kernel: its function is run on a device that does nothing, in a thread of its own, since
 * the runtime that a thread has chosen is its caller's business. */
#include <pthread.h>
#include <string.h>

#include "base/element_type.h"
#include "isa/codec.h"
#include "operators/recording.h"
#include "network/planner/planner_priv.h"
#include "vta/program.h"
#include "vta/runtime.h"

enum { ARGUMENTS = 64, TOUCHED = 16 };

typedef struct recording {
    vt_planner *planner;
    const char *name;
    vtac_kernel *kernel;
    vta_packed_function function;
    size_t count;
    vta_array *arrays[ARGUMENTS];
    DLTensor *tensors[ARGUMENTS];
    uint32_t addr[ARGUMENTS];
    size_t bytes[ARGUMENTS];
    vta_program *program;
    vta_diag *diag;
    vta_status status;
} recording;

/* ---- Running the kernel ---------------------------------------------------------------------------------------- */

static vta_status make_array(recording *r, size_t i) {
    const te_tensor *t = vtac_kernel_arg(r->kernel, i);
    int64_t dims[VTA_ARRAY_MAX_DIMS];
    size_t n = te_tensor_ndim(t);
    DLDataType type;
    if (n > VTA_ARRAY_MAX_DIMS || !vt_element_type_parse(te_tensor_dtype(vtac_kernel_context(r->kernel), t), &type))
        return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: argument %zu has no type or shape of an array", r->name, i);
    for (size_t d = 0; d < n; d++) dims[d] = te_tensor_dim(t, d);
    VT_TRY(vta_array_create(kDLExtDev, (int32_t)n, dims, type, NULL, r->diag, &r->arrays[i]));
    r->tensors[i] = vta_array_tensor(r->arrays[i]);
    return vta_buffer_info(r->tensors[i]->data, &r->bytes[i], &r->addr[i]);
}

static bool touches_arguments(const recording *r, const uint32_t touched[], size_t count) {
    bool argument = count >= TOUCHED; /* it may be one of those that are not told */
    for (size_t i = 0; i < count && i < TOUCHED; i++)
        for (size_t k = 0; k < r->count; k++) argument |= touched[i] == r->addr[k];
    return argument;
}

/* A kernel may fill memory of its own (rows of zeros), but not compute on its arguments: their contents are not known
 * here. */
static vta_status check_recorded(const recording *r, bool touches) {
    if (touches)
        return vt_fail(r->diag, VTA_UNSUPPORTED,
                       "%s: the kernel computes on the processor too, which a recorded run cannot: give that part a "
                       "step of its own",
                       r->name);
    if (r->program) return VTA_OK;
    return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: the kernel runs nothing on the accelerator", r->name);
}

static vta_status call(recording *r, vta_runtime *runtime) {
    uint32_t touched[TOUCHED];
    size_t touched_count = 0;
    for (size_t i = 0; i < r->count; i++) VT_TRY(make_array(r, i));
    VT_TRY(vta_runtime_record(runtime, r->diag));
    VT_TRY(vta_function_call_tensors(r->function, r->tensors, (int)r->count, r->diag));
    VT_TRY(vta_runtime_recorded(runtime, TOUCHED, r->diag, &r->program, touched, &touched_count));
    return check_recorded(r, touches_arguments(r, touched, touched_count));
}

static void *record(void *user) {
    recording *r = user;
    vta_runtime *runtime;
    /* In the C library's memory: kernels cannot tell the lack of it from their own mistakes. */
    r->status = vta_runtime_create(r->planner->config, "null", NULL, NULL, r->diag, &runtime);
    if (r->status != VTA_OK) return NULL;
    vta_runtime_use(runtime);
    r->status = call(r, runtime);
    for (size_t i = 0; i < r->count; i++) vta_array_free(r->arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    return NULL;
}

/* ---- From a program to a stream -------------------------------------------------------------------------------- */

typedef struct reader {
    const recording *r;
    vt__stream *s;
} reader;

/* Copies `count` micro-ops from `at` of a recorded image to the same place of the stream's. */
static vta_status take_uops(const reader *read, const vta_program_segment *image, uint32_t at, uint32_t count) {
    vt__stream *s = read->s;
    size_t end = (size_t)at + count, from = (size_t)at * VTA_UOP_BYTES, most = (size_t)count * VTA_UOP_BYTES;
    if (!vt_reserve(read->r->planner->allocator, &s->uops, &s->uop_cap, end, sizeof *s->uops))
        return vt_no_memory(read->r->diag);
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
    for (uint32_t i = 0; vta_program_get_segment(read->r->program, 0, i, &seg) == VTA_OK; i++) {
        if (addr < seg.addr || addr + count * VTA_UOP_BYTES > (uint64_t)seg.addr + seg.size) continue;
        insn->u.mem.dram_base = (uint32_t)(addr - seg.addr) / VTA_UOP_BYTES;
        return take_uops(read, &seg, insn->u.mem.dram_base, count);
    }
    return vt_fail(read->r->diag, VTA_INTERNAL, "%s: micro-ops at %llu were not recorded", read->r->name,
                   (unsigned long long)addr);
}

/* Memory that the kernel has filled itself becomes a constant: what stood there when the run began. */
static vta_status take_memory(const reader *read, uint64_t addr, uint32_t element, vt__recorded *out) {
    const recording *r = read->r;
    vta_program_segment seg;
    for (uint32_t i = 0; vta_program_get_segment(r->program, 0, i, &seg) == VTA_OK; i++) {
        if (addr < seg.addr || addr - seg.addr >= seg.size || out->insn.opcode == VTA_OP_STORE) continue;
        uint8_t *contents = vt_alloc_zero(r->planner->allocator, seg.size);
        if (!contents) return vt_no_memory(r->diag);
        if (seg.before_size) memcpy(contents, seg.before, seg.before_size);
        vta_status status =
            vt_planner_constant(r->planner, VT_PLACE_DEVICE, r->name, contents, seg.size, r->diag, &out->index);
        vt_free(r->planner->allocator, contents, seg.size);
        out->owner = VT__CONSTANT;
        out->insn.u.mem.dram_base = (uint32_t)((addr - seg.addr) / element);
        return status;
    }
    return vt_fail(r->diag, VTA_UNSUPPORTED,
                   "%s: the kernel stores to device memory of its own; make that an argument (a tensor of the kernel)",
                   r->name);
}

/* Other transfers become relative to an argument. */
static vta_status find_owner(const reader *read, vt__recorded *out) {
    const recording *r = read->r;
    uint32_t element = vt_insn_elem_bytes(r->planner->config, &out->insn);
    uint64_t addr = (uint64_t)out->insn.u.mem.dram_base * element;
    for (uint32_t i = 0; i < r->count; i++) {
        if (addr < r->addr[i] || addr - r->addr[i] >= r->bytes[i]) continue;
        out->insn.u.mem.dram_base = (uint32_t)((addr - r->addr[i]) / element);
        out->owner = VT__ARGUMENT;
        out->index = i;
        return VTA_OK;
    }
    return take_memory(read, addr, element, out);
}

static vta_status add_insn(const reader *read, const uint8_t *bytes) {
    vt__stream *s = read->s;
    vt__recorded one = {.owner = VT__NO_OWNER};
    VT_TRY(vta_insn_decode(read->r->planner->config, bytes, read->r->diag, &one.insn));
    if (!vt_reserve(read->r->planner->allocator, &s->items, &s->cap, s->count + 1, sizeof *s->items))
        return vt_no_memory(read->r->diag);
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
static vta_status check_end(const recording *r, const vt__stream *s) {
    const vta_insn *last = s->count ? &s->items[s->count - 1].insn : NULL;
    if (last && vt_insn_stage(last) == VTA_STAGE_COMPUTE && last->pop_prev_dep && last->pop_next_dep) return VTA_OK;
    return vt_fail(r->diag, VTA_INTERNAL, "%s: the recorded stream does not end by waiting for all stages", r->name);
}

static vta_status read_program(const recording *r, vt__stream *s) {
    const reader read = {r, s};
    vta_program_run_info info;
    if (vta_program_run_count(r->program) > 1)
        return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: the kernel makes %u runs of the accelerator; one is supported",
                       r->name, vta_program_run_count(r->program));
    VT_TRY(vta_program_get_run(r->program, 0, &info));
    for (uint32_t i = 0; i + 1 < info.insn_count; i++) VT_TRY(add_insn(&read, info.insns + (size_t)i * VTA_INSN_BYTES));
    return check_end(r, s);
}

void vt__stream_free(const vta_allocator *a, vt__stream *s) {
    if (!s) return;
    vt_free(a, s->items, s->cap * sizeof *s->items);
    vt_free(a, s->uops, s->uop_cap * sizeof *s->uops);
    vt_free(a, s, sizeof *s);
}

static vta_status make_stream(vt_planner *p, const recording *r, vt__stream **out_stream) {
    vt__stream *s = vt_alloc_zero(p->allocator, sizeof *s);
    if (!s) return vt_no_memory(r->diag);
    vta_status status = read_program(r, s);
    if (status == VTA_OK &&
        !vt_reserve(p->allocator, &p->streams, &p->stream_cap, p->stream_count + 1, sizeof *p->streams))
        status = vt_no_memory(r->diag);
    if (status != VTA_OK) {
        vt__stream_free(p->allocator, s);
        return status;
    }
    s->kernel = r->kernel;
    p->streams[p->stream_count++] = s;
    *out_stream = s;
    return VTA_OK;
}

static bool find_stream(const vt_planner *p, const vtac_kernel *kernel, vt__stream **out_stream) {
    for (size_t i = 0; i < p->stream_count; i++) {
        *out_stream = p->streams[i];
        if ((*out_stream)->kernel == kernel) return true;
    }
    return false;
}

vta_status vt__record(vt_planner *p, const char *name, vtac_kernel *kernel, vtac_module *module, vta_diag *diag,
                      vt__stream **out_stream) {
    recording r = {.planner = p, .name = name, .kernel = kernel, .diag = diag, .count = vtac_kernel_arg_count(kernel)};
    pthread_t id;
    if (find_stream(p, kernel, out_stream)) return VTA_OK;
    if (r.count > ARGUMENTS) return vt_fail(diag, VTA_UNSUPPORTED, "%s: more than %d arguments", name, ARGUMENTS);
    VT_TRY(vtac_module_function(module, vtac_kernel_name(kernel), diag, &r.function));
    if (pthread_create(&id, NULL, record, &r) != 0)
        return vt_fail(diag, VTA_NO_MEMORY, "%s: no thread can be made for the recording", name);
    pthread_join(id, NULL);
    if (r.status == VTA_OK) r.status = make_stream(p, &r, out_stream);
    vta_program_destroy(r.program);
    return r.status;
}

vta_status vt__record_operator(vt_planner *p, const char *name, const vtac_op *op, vta_diag *diag,
                               vt__stream **out_stream) {
    const vt_op_recording *of = vt_op_recorded(op);
    recording r = {.planner = p, .name = name, .kernel = vtac_op_kernel(op), .program = of->program, .diag = diag};
    if (find_stream(p, r.kernel, out_stream)) return VTA_OK;
    if (of->count > ARGUMENTS) return vt_fail(diag, VTA_UNSUPPORTED, "%s: more than %d arguments", name, ARGUMENTS);
    r.count = of->count;
    memcpy(r.addr, of->addr, r.count * sizeof *r.addr);
    memcpy(r.bytes, of->bytes, r.count * sizeof *r.bytes);
    VT_TRY(check_recorded(&r, of->touches));
    return make_stream(p, &r, out_stream);
}
