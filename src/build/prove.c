/* Proving a kernel: what it runs on the accelerator, and what its expressions mean, on the same random values. */
#include "build/prove.h"
#include "base/versioned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "te/te.h"

enum { DRAWS = 2, TRIES = 12 };
static const uint64_t MOST_WORK = UINT64_C(1) << 30;

/* The orders that are tried: the first with values in every draw, the others by signatures, and with values where their
 * signatures differ. */
static const struct {
    vta_order order;
    uint64_t seed;
} orders[] = {
    {VTA_ORDER_PROGRAM, 0}, {VTA_ORDER_STORE_LATE, 0}, {VTA_ORDER_RANDOM, 1},
    {VTA_ORDER_RANDOM, 2},  {VTA_ORDER_RANDOM, 3},     {VTA_ORDER_RANDOM, 4},
};
enum { ORDERS = sizeof orders / sizeof *orders };

const char *vtac_verdict_name(vtac_verdict verdict) {
    static const char *const names[] = {"proven", "wrong", "unproven"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "?";
}

/* One argument in the field. */
typedef struct operand {
    const te_tensor *tensor;
    vt_dtype dtype;
    uint64_t count;
    bool is_output;
    vta_value *values, *got; /* got: outputs only */
} operand;

/* One draw: a field, and all arguments in it. */
typedef struct draw {
    const vt_proof *proof;
    vta_field *field;
    operand *operands;
    vta_field_array *arrays;
    te_tensor **inputs; /* of the evaluation */
    const vta_value **input_values;
    vta_diag *said; /* by the program's run and the evaluation: a verdict's reason, not an error of the call */
    uint32_t index;
} draw;

/* ---- Verdicts ------------------------------------------------------------------------------------------------------
 */

static vta_status decide(const vt_proof *p, vtac_verdict verdict, const char *reason) {
    p->result->verdict = verdict;
    snprintf(p->result->reason, sizeof p->result->reason, "%s", reason);
    return VTA_OK;
}

/* What the first error of a list says. */
static const char *first_error(const vta_diag *diag) {
    vta_diag_entry e;
    for (size_t i = 0; i < vta_diag_count(diag); i++)
        if (vta_diag_get(diag, i, &e) == VTA_OK && e.severity == VTA_ERROR) return e.message;
    return "";
}

static vta_status pass_on(const vt_proof *p, vta_status status, const vta_diag *from) {
    return vt_fail(p->diag, status, "%s", first_error(from));
}

/* A program that cannot run is wrong, one whose work is too much is not proven; the rest are errors of the call. */
static vta_status run_failed(const draw *d, vta_status status) {
    const vt_proof *p = d->proof;
    switch (status) {
    case VTA_DEADLOCK:
    case VTA_OUT_OF_RANGE:
    case VTA_ILLEGAL:
    case VTA_PARSE: return decide(p, VTAC_WRONG, first_error(d->said));
    case VTA_TIMEOUT:
    case VTA_UNSUPPORTED: return decide(p, VTAC_UNPROVEN, first_error(d->said));
    default: return pass_on(p, status, d->said);
    }
}

/* ---- Arguments ------------------------------------------------------------------------------------------------------
 */

static vta_status make_operand(draw *d, size_t i) {
    const vt_proof *p = d->proof;
    operand *o = &d->operands[i];
    size_t bytes;
    *o = (operand){.tensor = p->args[i], .count = 1, .is_output = !te_tensor_is_placeholder(p->args[i])};
    if (!vt_dtype_parse(te_tensor_dtype(p->c, o->tensor), &o->dtype)) return VTA_INTERNAL;
    for (size_t k = 0; k < te_tensor_ndim(o->tensor); k++) {
        int64_t extent = te_tensor_dim(o->tensor, k);
        if (extent < 0 || __builtin_mul_overflow(o->count, (uint64_t)extent, &o->count))
            return vt_fail(p->diag, VTA_UNSUPPORTED, "%s: dimension %zu is not a constant", te_tensor_name(o->tensor),
                           k);
    }
    if (!vt_mul_size(o->count, sizeof *o->values, &bytes)) return vt_no_memory(p->diag);
    o->values = vt_alloc(p->allocator, bytes);
    o->got = o->is_output ? vt_alloc(p->allocator, bytes) : NULL;
    if (!o->values || (o->is_output && !o->got)) return vt_no_memory(p->diag);
    for (uint64_t k = 0; k < o->count && !o->is_output; k++)
        o->values[k] = vta_field_variable(d->field, UINT64_C(1) << 32 | i, k);
    d->arrays[i] = (vta_field_array){.addr = p->addrs[i],
                                     .bits = o->dtype.bits,
                                     .count = o->count,
                                     .values = o->is_output ? o->got : o->values,
                                     .is_output = o->is_output};
    return VTA_OK;
}

/* What the expressions mean. */
static vta_status evaluate(draw *d) {
    const vt_proof *p = d->proof;
    size_t n_inputs = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (d->operands[i].is_output) continue;
        d->inputs[n_inputs] = (te_tensor *)d->operands[i].tensor;
        d->input_values[n_inputs++] = d->operands[i].values;
    }
    for (size_t i = 0; i < p->n; i++) {
        operand *o = &d->operands[i];
        if (!o->is_output) continue;
        vta_diag *diag = te_context_diag(p->c);
        size_t before = vta_diag_count(diag);
        vta_status status =
            te_evaluate_field(p->c, d->field, (te_tensor *)o->tensor, n_inputs, d->inputs, d->input_values, o->values);
        vta_diag_entry e = {.message = ""};
        if (status != VTA_OK && vta_diag_get(diag, before, &e) != VTA_OK) e.message = "the expressions";
        if (status == VTA_UNSUPPORTED) {
            decide(p, VTAC_UNPROVEN, e.message);
            vta_diag_clear(diag);
        } else if (status != VTA_OK) {
            return vt_fail(p->diag, status, "%s", e.message);
        }
    }
    return VTA_OK;
}

/* ---- Comparing ------------------------------------------------------------------------------------------------------
 */

/* Counts the elements that differ; the first goes to the result. */
static uint64_t compare(const draw *d) {
    vtac_prove_result *r = d->proof->result;
    uint64_t different = 0;
    for (size_t i = 0; i < d->proof->n; i++) {
        const operand *o = &d->operands[i];
        for (uint64_t k = 0; k < o->count && o->is_output; k++) {
            if (o->values[k] == o->got[k] || different++) continue;
            r->arg = i;
            r->index = k;
        }
    }
    return different;
}

static bool stop(void *ctx) {
    const vt_ctx *c = ctx;
    return c->interrupt && atomic_load_explicit(c->interrupt, memory_order_relaxed);
}

static vta_status run(const draw *d, vta_field_options *options) {
    options->most_work = d->proof->options.most_work;
    options->stop = stop;
    options->ctx = vt_te_ctx(d->proof->c);
    options->constant_count = d->proof->constant_count;
    options->constants = d->proof->constants;
    vta_diag_clear(d->said);
    return vta_field_run(d->proof->program, d->field, options, d->proof->n, d->arrays, d->said);
}

/* ---- Explaining a difference ------------------------------------------------------------------------------------- */

/* "instruction 12 (STORE): STORE ...", and what it comes from where that was recorded. */
static void describe(const vt_proof *p, uint32_t run_index, uint32_t index, char *to, size_t room) {
    vta_program_run_info info;
    vta_insn insn;
    if (vta_program_get_run(p->program, run_index, &info) != VTA_OK || index >= info.insn_count) return;
    if (vta_insn_decode(vta_program_config(p->program), info.insns + (size_t)index * VTA_INSN_BYTES, NULL, &insn) !=
        VTA_OK)
        return;
    const char *note = vta_program_note(p->program, run_index, index);
    const char *what = insn.opcode == VTA_OP_ALU    ? vta_alu_opcode_name((vta_alu_opcode)insn.u.exec.alu_opcode)
                       : insn.opcode == VTA_OP_LOAD ? vta_memory_name((vta_memory)insn.u.mem.memory_type)
                                                    : NULL;
    snprintf(to, room, "%s%s%s%s%s%s", vta_opcode_name((vta_opcode)insn.opcode), what ? " " : "", what ? what : "",
             note && *note ? " of " : "", note && *note ? note : "", "");
}

/* Runs once more and asks who wrote the element; with other stale memory, and sees whether it changes. */
static vta_status explain(const draw *d, const vta_field_options *options, bool *out_stale) {
    const vt_proof *p = d->proof;
    vtac_prove_result *r = p->result;
    vta_value first = d->operands[r->arg].got[r->index];
    vta_field_options again = *options;
    again.stale = options->stale + 1;
    again.watch = r->arg;
    again.watch_index = r->index;
    again.out_writer = &r->writer;
    VT_TRY(run(d, &again));
    *out_stale = d->operands[r->arg].got[r->index] != first;
    if (r->writer.known) describe(p, r->writer.run, r->writer.store, r->store_text, sizeof r->store_text);
    if (r->writer.has_alu) describe(p, r->writer.run, r->writer.insn, r->insn_text, sizeof r->insn_text);
    return VTA_OK;
}

static vta_status differs(const draw *d, const vta_field_options *options, uint64_t different) {
    const vt_proof *p = d->proof;
    vtac_prove_result *r = p->result;
    bool stale;
    r->different = different;
    r->order = options->order;
    r->order_seed = options->seed;
    VT_TRY(explain(d, options, &stale));
    vta_diag *diag = vta_diag_create(p->allocator);
    vt_proof quiet = *p;
    quiet.diag = diag; /* inputs that cannot be tried are not an error of the proof */
    vta_status status = vt_prove_example(&quiet);
    vta_diag_destroy(diag);
    if (status == VTA_NO_MEMORY || status == VTA_INTERRUPTED)
        return vt_fail(p->diag, status, "while looking for inputs");
    if (r->has_example) return decide(p, VTAC_WRONG, "an input shows it");
    if (stale && !r->writer.known) return decide(p, VTAC_WRONG, "nothing writes the element");
    if (stale) return decide(p, VTAC_WRONG, "the element depends on memory that nothing has written");
    return decide(p, VTAC_UNPROVEN,
                  "the values differ, but no input was found that shows it: perhaps the kernel uses a law of min, max, "
                  "shifts or narrowing that the proof does not know");
}

/* ---- A draw ------------------------------------------------------------------------------------------------------ */

static bool decided(const vt_proof *p) { return p->result->reason[0] != '\0'; }

static vta_field_options order_options(const vt_proof *p, int order) {
    return (vta_field_options){.order = orders[order].order,
                               .seed = orders[order].seed ? orders[order].seed + p->options.seed : 0};
}

/* Two runs whose outputs have the same signatures have computed the same. */
static vta_status sign(const draw *d, int order, uint64_t *out_signature) {
    vta_field_options options = order_options(d->proof, order);
    options.signatures = 1;
    VT_TRY(run(d, &options));
    *out_signature = 0;
    for (size_t i = 0; i < d->proof->n; i++)
        if (d->operands[i].is_output)
            *out_signature = vta_field_signature(*out_signature, d->operands[i].count, d->operands[i].got);
    return VTA_OK;
}

static vta_status try_order(const draw *d, int order) {
    uint64_t degree = 0;
    vta_field_options options = order_options(d->proof, order);
    options.out_degree = &degree;
    vta_status status = run(d, &options);
    if (status != VTA_OK) return run_failed(d, status);
    if (degree > d->proof->result->degree) d->proof->result->degree = degree;
    uint64_t different = compare(d);
    return different ? differs(d, &options, different) : VTA_OK;
}

/* Whether orders compute the same does not depend on the draw. */
static vta_status try_other_orders(const draw *d) {
    uint64_t first, other;
    vta_status status = sign(d, 0, &first);
    for (int i = 1; i < ORDERS && status == VTA_OK && !decided(d->proof); i++) {
        status = sign(d, i, &other);
        if (status == VTA_OK && other != first) return try_order(d, i);
    }
    return status == VTA_OK ? VTA_OK : run_failed(d, status);
}

static vta_status try_orders(const draw *d) {
    VT_TRY(try_order(d, 0));
    return decided(d->proof) || d->index ? VTA_OK : try_other_orders(d);
}

static vta_status fill_and_try(draw *d) {
    for (size_t i = 0; i < d->proof->n; i++) VT_TRY(make_operand(d, i));
    VT_TRY(evaluate(d));
    return decided(d->proof) ? VTA_OK : try_orders(d);
}

static vta_status one_draw(const vt_proof *p, uint32_t index) {
    draw d = {.proof = p, .index = index, .said = vta_diag_create(p->allocator)};
    d.operands = vt_alloc_zero(p->allocator, p->n * sizeof *d.operands);
    d.arrays = vt_alloc_zero(p->allocator, p->n * sizeof *d.arrays);
    d.inputs = vt_alloc_zero(p->allocator, p->n * sizeof *d.inputs);
    d.input_values = vt_alloc_zero(p->allocator, p->n * sizeof *d.input_values);
    bool ok = d.said && d.operands && d.arrays && d.inputs && d.input_values;
    vta_status status =
        ok ? vta_field_create(p->options.seed * 0x9E3779B97F4A7C15ull + index, p->allocator, p->diag, &d.field)
           : vt_no_memory(p->diag);
    if (status == VTA_OK) status = fill_and_try(&d);
    if (vta_field_terms(d.field) > p->result->terms) p->result->terms = vta_field_terms(d.field);
    for (size_t i = 0; d.operands && i < p->n; i++) {
        vt_free(p->allocator, d.operands[i].values, d.operands[i].count * sizeof(vta_value));
        vt_free(p->allocator, d.operands[i].got, d.operands[i].count * sizeof(vta_value));
    }
    vt_free(p->allocator, d.operands, p->n * sizeof *d.operands);
    vt_free(p->allocator, d.arrays, p->n * sizeof *d.arrays);
    vt_free(p->allocator, d.inputs, p->n * sizeof *d.inputs);
    vt_free(p->allocator, d.input_values, p->n * sizeof *d.input_values);
    vta_field_destroy(d.field);
    vta_diag_destroy(d.said);
    return status;
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

/* log2 of the chance that a wrong kernel is called proven. In one draw, two different polynomials have the same value
 * with chance (d / p1) (d / p2), two different applications of a random function with less; and a value is taken for a
 * small constant that it is not with chance 2^17 / (p1 p2). Each pair of terms may meet, and each draw must fail. */
static double log2_error(const vtac_prove_result *r) {
    double terms = (double)r->terms + 2, degree = (double)(r->degree ? r->degree : 1);
    double pairs = log2(terms) + log2(terms - 1) - 1 + 2 * log2(degree), constants = log2(terms) + 17;
    double most = pairs > constants ? pairs : constants;
    double one = most + log2(1 + exp2((pairs > constants ? constants : pairs) - most)) - vta_field_log2_size();
    return one < 0 ? one * r->draws : 0;
}

static vta_status prove(const vt_proof *p) {
    vtac_prove_result *r = p->result;
    for (size_t i = 0; i < p->n; i++)
        if (!te_tensor_is_placeholder(p->args[i])) {
            uint64_t elements = 1;
            for (size_t k = 0; k < te_tensor_ndim(p->args[i]); k++) elements *= (uint64_t)te_tensor_dim(p->args[i], k);
            r->elements += elements;
        }
    for (uint32_t i = 0; i < p->options.draws && !decided(p); i++) {
        VT_TRY(one_draw(p, i));
        r->draws = i + 1;
    }
    r->orders = ORDERS;
    r->log2_error = log2_error(r);
    if (!decided(p)) r->verdict = VTAC_PROVEN;
    return VTA_OK;
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static vta_status begin(vt_proof *p, const vtac_prove_options *options) {
    VT_TRY(vt_options_read(&p->options, sizeof p->options, options, "vtac_prove_options", p->diag));
    if (!p->options.draws) p->options.draws = DRAWS;
    if (!p->options.tries) p->options.tries = TRIES;
    if (!p->options.most_work) p->options.most_work = MOST_WORK;
    p->allocator = p->options.allocator;
    return vt_checking_args(p->c, p->n, p->args, p->diag);
}

vta_status vtac_prove_program(te_context *c, size_t n, const te_tensor *const args[], const uint32_t addrs[],
                              const vta_program *program, const vtac_prove_options *options, vta_diag *diag,
                              vtac_prove_result *out_result) {
    if (!out_result) return VTA_INVALID_ARGUMENT;
    vtac_prove_result result = {.verdict = VTAC_UNPROVEN};
    vt_proof p = {.c = c, .diag = diag, .n = n, .args = args, .addrs = addrs, .program = program, .result = &result};
    double start = vt_now();
    vta_status status = addrs && program ? begin(&p, options) : VTA_INVALID_ARGUMENT;
    if (status == VTA_OK) status = prove(&p);
    result.seconds = vt_now() - start;
    vt_result_write(out_result, &result, sizeof result);
    return status;
}

/* Memory that only the processor writes holds constants, since it accesses no argument. */
static bool touches_data(const vt_proof *p, const vt_recording *r) {
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < r->touched_count && k < VT_TOUCHED; k++)
            if (r->touched[k] == p->addrs[i]) return true;
    return r->touched_count > VT_TOUCHED;
}

static vta_status prove_recorded(vt_proof *p, const vt_recording *r) {
    if (touches_data(p, r))
        return decide(p, VTAC_UNPROVEN,
                      "the processor reads or writes the kernel's data itself (VTABufferCPUPtr, VTABufferCopy), and "
                      "only what runs on the accelerator is followed");
    if (!r->program) return decide(p, VTAC_UNPROVEN, "the kernel runs nothing on the accelerator");
    p->program = r->program;
    p->constant_count = r->touched_count;
    p->constants = r->touched;
    return prove(p);
}

static vta_status prove_function(vt_proof *p, vta_packed_function function, uint32_t *addrs) {
    vt_recording r;
    vta_diag *said = vta_diag_create(p->allocator);
    vta_status status = vt_prove_record(p, function, addrs, said, &r);
    p->addrs = addrs;
    if (status == VTA_OK)
        status = prove_recorded(p, &r);
    else if (r.failed && status != VTA_NO_MEMORY && status != VTA_INTERRUPTED)
        status = decide(p, VTAC_WRONG, first_error(said));
    else
        status = pass_on(p, status, said);
    vta_program_destroy(r.program);
    vta_diag_destroy(said);
    return status;
}

static vta_status prove_with_addrs(vt_proof *p, vta_packed_function function) {
    size_t bytes;
    uint32_t *addrs = vt_mul_size(p->n, sizeof *addrs, &bytes) ? vt_alloc_zero(p->allocator, bytes) : NULL;
    vta_status status = addrs ? prove_function(p, function, addrs) : vt_no_memory(p->diag);
    if (addrs) vt_free(p->allocator, addrs, bytes);
    return status;
}

vta_status vtac_prove(te_context *c, size_t n, const te_tensor *const args[], vta_packed_function function,
                      const vtac_prove_options *options, vta_diag *diag, vtac_prove_result *out_result) {
    if (!out_result) return VTA_INVALID_ARGUMENT;
    vtac_prove_result result = {.verdict = VTAC_UNPROVEN};
    vt_proof p = {.c = c, .diag = diag, .n = n, .args = args, .result = &result};
    double start = vt_now();
    vta_status status = function ? begin(&p, options) : VTA_INVALID_ARGUMENT;
    if (status == VTA_OK) status = prove_with_addrs(&p, function);
    result.seconds = vt_now() - start;
    vt_result_write(out_result, &result, sizeof result);
    return status;
}
