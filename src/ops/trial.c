/* A schedule tried: written, compiled, its stream recorded and timed. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "ops/ops.h"
#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"

enum { ARGUMENTS = 2 * VT_EPILOGUE_MOST + 3 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static vta_status compile(const vtac_op *op, vt_op_trial *t, vta_diag *diag) {
    vtac_lower_options options = {.config = op->config};
    vtac_build_func f = {0};
    size_t size = 0;
    while (t->text[size]) size++;
    VT_TRY(vtac_kernel_parse(t->text, size, op->is->name, NULL, op->config, op->allocator, diag, &t->kernel));
    vta_status status = vtac_kernel_lower(t->kernel, &options, &f.func);
    if (status != VTA_OK)
        return vt_fail(diag, status, "%s", vta_diag_text(te_context_diag(vtac_kernel_context(t->kernel))));
    vtac_build_options build = {.allocator = op->allocator, .opt_level = op->is->space->on_processor ? 1 : -1};
    status = vtac_build(1, &f, &build, diag, &t->module);
    vtac_func_release(f.func);
    return status;
}

/* ---- Recording, in a thread of its own: the runtime that a thread has chosen is its caller's business ---------------
 */

typedef struct recording {
    const vtac_op *op;
    const vt_op_trial *trial;
    vta_packed_function function;
    vta_array *arrays[ARGUMENTS];
    DLTensor *tensors[ARGUMENTS];
    vta_program *program;
    vta_diag *diag;
    vta_status status;
} recording;

static vta_status make_array(recording *r, size_t i) {
    const vtac_op *op = r->op;
    const te_tensor *t = vtac_kernel_arg(r->trial->kernel, i);
    int64_t dims[VTA_ARRAY_MAX_DIMS];
    size_t n = te_tensor_ndim(t);
    const char *type = te_tensor_dtype(vtac_kernel_context(r->trial->kernel), t);
    uint8_t bits = 0;
    for (const char *at = type; *at; at++)
        if (*at >= '0' && *at <= '9') bits = (uint8_t)(bits * 10 + (*at - '0'));
    for (size_t d = 0; d < n; d++) dims[d] = te_tensor_dim(t, d);
    VT_TRY(vta_array_create(kDLExtDev, (int32_t)n, dims, (DLDataType){kDLInt, bits, 1}, op->allocator, r->diag,
                            &r->arrays[i]));
    r->tensors[i] = vta_array_tensor(r->arrays[i]);
    return VTA_OK;
}

/* A kernel hands on the runtime's words, not its status. */
static bool is_no_memory(const char *text) {
    return strstr(text, vta_status_text(VTA_NO_MEMORY)) || strstr(text, "no host memory");
}

static vta_status call(recording *r, vta_runtime *runtime) {
    size_t n = vtac_kernel_arg_count(r->trial->kernel);
    for (size_t i = 0; i < n; i++) VT_TRY(make_array(r, i));
    VT_TRY(vta_runtime_record(runtime, r->diag));
    if (!VTATLSCommandHandle()) return vt_no_memory(r->diag); /* the kernel could not tell */
    vta_status status = vta_function_call_tensors(r->function, r->tensors, (int)n, r->diag);
    if (status != VTA_OK) return is_no_memory(vta_diag_text(r->diag)) ? VTA_NO_MEMORY : status;
    return vta_runtime_recorded(runtime, r->diag, &r->program, 0, NULL, NULL);
}

static void *record(void *user) {
    recording *r = user;
    vta_runtime *runtime;
    r->status = vta_runtime_create(r->op->config, "null", NULL, r->op->allocator, r->diag, &runtime);
    if (r->status != VTA_OK) return NULL;
    vta_runtime_use(runtime);
    r->status = call(r, runtime);
    for (size_t i = 0; i < ARGUMENTS; i++) vta_array_free(r->arrays[i]);
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

static vta_status measure(const vtac_op *op, const vta_timing_profile *profile, vta_diag *diag, vt_op_trial *t) {
    recording r = {.op = op, .trial = t, .diag = diag};
    pthread_t id;
    VT_TRY(vtac_module_function(t->module, vtac_kernel_name(t->kernel), diag, &r.function));
    if (pthread_create(&id, NULL, record, &r) != 0)
        return vt_fail(diag, VTA_NO_MEMORY, "no thread can be made for the recording");
    pthread_join(id, NULL);
    if (r.status == VTA_OK && r.program) r.status = time_program(op, r.program, profile, diag, &t->cycles);
    vta_program_destroy(r.program);
    return r.status;
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
    VT_TRY(compile(op, out, diag));
    out->ms = now_ms() - start;
    return measure(op, profile, diag, out);
}

void vt__trial_free(const vtac_op *op, vt_op_trial *t) {
    vtac_module_destroy(t->module);
    vtac_kernel_destroy(t->kernel);
    vt_strfree(op->allocator, t->text);
    *t = (vt_op_trial){0};
}
