/* A schedule tried: written, compiled, its stream recorded and timed. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/element_type.h"
#include "build/replay.h"
#include "operators/ops.h"
#include "vta/isa.h"
#include "vta/runtime.h"

enum { TOUCHED = 16 };
_Static_assert(VT_OP_ARGUMENTS == 2 * VT_EPILOGUE_MAX + 3, "two inputs a step, and three");

static double now_ms(void) { return 1e3 * vt_now(); }

static vta_status lower(const vtac_op *op, vt_op_trial *t, vta_diag *diag) {
    vtac_lower_options options = {.config = op->config};
    size_t size = strlen(t->text);
    VT_TRY(vtac_kernel_parse(t->text, size, op->is->name, NULL, op->config, op->allocator, diag, &t->kernel));
    vta_status status = vtac_kernel_lower(t->kernel, &options, &t->func);
    if (status == VTA_OK) return VTA_OK;
    return vt_fail(diag, status, "%s", vt_diag_reason(te_context_diag(vtac_kernel_context(t->kernel))));
}

static vta_status make_code(const vtac_op *op, vt_op_trial *t, vta_diag *diag) {
    if (t->module) return VTA_OK;
    vtac_build_func f = {.func = t->func};
    vtac_build_options build = {.allocator = op->allocator, .opt_level = op->is->space->on_processor ? 1 : -1};
    return vtac_build(1, &f, &build, diag, &t->module);
}

/* ---- Recording, in a thread of its own: the runtime that a thread has chosen is its caller's business ------------ */

typedef struct recording {
    const vtac_op *op;
    const vt_op_trial *trial;
    vta_packed_function function; /* NULL: the function is run without code */
    vta_array *arrays[VT_OP_ARGUMENTS];
    DLTensor *tensors[VT_OP_ARGUMENTS];
    vt_op_recording out;
    vta_diag *diag;
    vta_status status;
} recording;

static vta_status make_array(recording *r, size_t i) {
    const vtac_op *op = r->op;
    const te_tensor *t = vtac_kernel_arg(r->trial->kernel, i);
    int64_t dims[VTA_ARRAY_MAX_DIMS];
    size_t n = te_tensor_ndim(t);
    const char *type = te_tensor_dtype(vtac_kernel_context(r->trial->kernel), t);
    DLDataType element;
    if (!vt_element_type_parse(type, &element))
        return vt_fail(r->diag, VTA_INTERNAL, "%s: arrays have no elements of type %s", op->is->name, type);
    for (size_t d = 0; d < n; d++) dims[d] = te_tensor_dim(t, d);
    VT_TRY(vta_array_create(kDLExtDev, (int32_t)n, dims, element, op->allocator, r->diag, &r->arrays[i]));
    r->tensors[i] = vta_array_tensor(r->arrays[i]);
    return vta_buffer_info(r->tensors[i]->data, &r->out.bytes[i], &r->out.addr[i]);
}

/* What failed in the runtime has a status of its own: no memory, or a TARGET whose design lacks what it takes. */
static vta_status run(const recording *r) {
    vta_status status = r->function
                            ? vta_function_call_tensors(r->function, r->tensors, (int)r->out.count, r->diag)
                            : vt_func_replay(r->trial->func, r->tensors, r->out.count, r->op->allocator, r->diag);
    return status == VTA_ILLEGAL && vta_last_status(NULL) != VTA_OK ? vta_last_status(NULL) : status;
}

static vta_status call(recording *r, vta_runtime *runtime) {
    uint32_t touched[TOUCHED];
    size_t n = 0;
    r->out.count = (uint32_t)vtac_kernel_arg_count(r->trial->kernel);
    for (size_t i = 0; i < r->out.count; i++) VT_TRY(make_array(r, i));
    VT_TRY(vta_runtime_record(runtime, r->diag));
    if (!VTATLSCommandHandle()) return vt_no_memory(r->diag); /* the kernel could not tell */
    VT_TRY(run(r));
    VT_TRY(vta_runtime_recorded(runtime, TOUCHED, r->diag, &r->out.program, touched, &n));
    r->out.touches = n >= TOUCHED; /* it may be one of those that are not told */
    for (size_t i = 0; i < n && i < TOUCHED; i++)
        for (size_t k = 0; k < r->out.count; k++) r->out.touches |= touched[i] == r->out.addr[k];
    return VTA_OK;
}

static void *record(void *user) {
    recording *r = user;
    vta_runtime *runtime;
    r->status = vta_runtime_create(r->op->config, "null", NULL, r->op->allocator, r->diag, &runtime);
    if (r->status != VTA_OK) return NULL;
    vta_runtime_use(runtime);
    r->status = call(r, runtime);
    for (size_t i = 0; i < VT_OP_ARGUMENTS; i++) vta_array_free(r->arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    return NULL;
}

/* ---- Timing ---------------------------------------------------------------------------------------------------- */

static vta_status time_insns(const vtac_op *op, const vta_program_run_info *run, const vta_timing_profile *profile,
                             vta_insn *insns, vta_diag *diag, uint64_t *cycles) {
    vta_timing timing;
    for (uint32_t i = 0; i < run->insn_count; i++)
        VT_TRY(vta_insn_decode(op->config, run->insns + (size_t)i * VTA_INSN_BYTES, diag, &insns[i]));
    VT_TRY(vta_timing_run(op->config, profile, insns, run->insn_count, run->insn_addr, 0, op->allocator, diag, &timing,
                          NULL));
    *cycles += timing.cycles;
    return VTA_OK;
}

static vta_status time_program(const vtac_op *op, const vta_program *program, const vta_timing_profile *profile,
                               vta_diag *diag, uint64_t *out_cycles) {
    vta_status status = VTA_OK;
    *out_cycles = 0;
    for (uint32_t run = 0; status == VTA_OK && run < vta_program_run_count(program); run++) {
        vta_program_run_info info;
        VT_TRY(vta_program_get_run(program, run, &info));
        size_t size = ((size_t)info.insn_count + 1) * sizeof(vta_insn);
        vta_insn *insns = vt_alloc(op->allocator, size);
        if (!insns) return vt_no_memory(diag);
        status = time_insns(op, &info, profile, insns, diag, out_cycles);
        vt_free(op->allocator, insns, size);
    }
    return status;
}

/* What the host computes much of is not interpreted. */
static vta_status measure(const vtac_op *op, const vta_timing_profile *profile, vta_diag *diag, vt_op_trial *t) {
    recording r = {.op = op, .trial = t, .diag = diag};
    pthread_t id;
    if (op->is->space->on_processor) {
        VT_TRY(make_code(op, t, diag));
        VT_TRY(vtac_module_function(t->module, vtac_kernel_name(t->kernel), diag, &r.function));
    }
    if (pthread_create(&id, NULL, record, &r) != 0)
        return vt_fail(diag, VTA_NO_MEMORY, "no thread can be made for the recording");
    pthread_join(id, NULL);
    t->recording = r.out;
    if (r.status != VTA_OK || !r.out.program) return r.status;
    return time_program(op, r.out.program, profile, diag, &t->cycles);
}

/* The kernel file, under the caller's names where the operator was matched. NULL when out of memory. */
static char *write(const vtac_op *op, const vt_op_blocks *b) {
    vt_strbuf own, text;
    vt_strbuf_init(&own, op->allocator);
    op->is->write(op, b, &own);
    if (!op->names) return vt_strbuf_take(&own);
    vt_strbuf_init(&text, op->allocator);
    text.failed = own.failed;
    vt__op_names_apply(op->names, vt_strbuf_text(&own), &text);
    vt_strbuf_free(&own);
    return vt_strbuf_take(&text);
}

vta_status vt__trial_make(const vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                          vt_op_trial *out) {
    double start = now_ms();
    *out = (vt_op_trial){.text = write(op, b)};
    if (!out->text) return vt_no_memory(diag);
    VT_TRY(lower(op, out, diag));
    out->ms = now_ms() - start;
    return measure(op, profile, diag, out);
}

vta_status vt__trial_compile(const vtac_op *op, vt_op_trial *t, bool without_code, vta_diag *diag) {
    double start = now_ms();
    if (!without_code) VT_TRY(make_code(op, t, diag));
    vtac_func_release(t->func);
    t->func = NULL;
    t->ms += now_ms() - start;
    return VTA_OK;
}

void vt__trial_free(const vtac_op *op, vt_op_trial *t) {
    vtac_module_destroy(t->module);
    vta_program_destroy(t->recording.program);
    vtac_func_release(t->func);
    vtac_kernel_destroy(t->kernel);
    vt_strfree(op->allocator, t->text);
    *t = (vt_op_trial){0};
}
