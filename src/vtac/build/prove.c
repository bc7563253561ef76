/* Proving a kernel: what it runs on the accelerator, and what its expressions mean, on the same random values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/versioned.h"
#include "build/prove_draw.h"
#include "te/te.h"

enum { DRAWS = 2, TRIES = 12 }; /* two draws make the chance small enough nearly always */
static const uint64_t MAX_WORK = UINT64_C(1) << 30;

const char *vtac_verdict_name(vtac_verdict verdict) {
    static const char *const names[] = {"proven", "wrong", "unproven"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "?";
}

/* ---- Verdicts ---------------------------------------------------------------------------------------------------- */

vta_status vt__prove_decide(const vt_proof *p, vtac_verdict verdict, const char *reason) {
    p->result->verdict = verdict;
    snprintf(p->result->reason, sizeof p->result->reason, "%s", reason);
    return VTA_OK;
}

const char *vt__prove_first_error(const vta_diag *diag) {
    vta_diag_entry e;
    for (size_t i = 0; i < vta_diag_count(diag); i++)
        if (vta_diag_get(diag, i, &e) == VTA_OK && e.severity == VTA_ERROR) return e.message;
    return "";
}

vta_status vt__prove_pass_on(const vt_proof *p, vta_status status, const vta_diag *from) {
    return vt_fail(p->diag, status, "%s", vt__prove_first_error(from));
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

/* Each draw must fail. */
static double log2_error(const vtac_prove_result *r, uint32_t draws) {
    return draws * vta_field_log2_chance(r->terms, r->degree, r->magnitude_bound);
}

/* As many draws as are asked for; else as many as make the chance small. */
static uint32_t draws_of(const vt_proof *p) {
    const vtac_prove_result *r = p->result;
    uint32_t draws = p->options.draws ? p->options.draws : DRAWS;
    while (!p->options.draws && draws < VT_PROVE_DRAWS_MAX && log2_error(r, draws) > VT_PROVE_SMALL_LOG2) draws++;
    return draws;
}

static uint64_t hash_program(const vta_program *program) {
    vta_program_run_info run;
    vta_program_segment s;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < vta_program_run_count(program); i++) {
        if (vta_program_get_run(program, i, &run) != VTA_OK) return hash;
        hash = vt_hash(hash, run.insns, (size_t)run.insn_count * VTA_INSN_BYTES);
        for (uint32_t k = 0; k < run.segment_count; k++)
            if (vta_program_get_segment(program, i, k, &s) == VTA_OK) hash = vt_hash(hash, s.before, s.before_size);
    }
    return hash;
}

/* Expressions that text cannot say are left out. */
static vta_status hash_expressions(vt_ctx *ctx, void *user) {
    vt_proof *p = user;
    const vt_tensor **tensors = VT_NEW_ARRAY(ctx, const vt_tensor *, p->n);
    for (size_t i = 0; i < p->n; i++) tensors[i] = vt_te_tensor(p->args[i]);
    const char *text = vt_te_kernel_text(p->c, (uint32_t)p->n, tensors);
    if (text) p->subject = vt_hash(p->subject, text, strlen(text));
    return VTA_OK;
}

static vta_status hash_subject(vt_proof *p) {
    vt_ctx *ctx = vt_te_ctx(p->c);
    vt_arena_mark mark = vt_arena_here(&ctx->arena);
    p->subject = hash_program(p->program);
    vta_status status = vt_protect(ctx, hash_expressions, p);
    vt_arena_rewind(&ctx->arena, mark);
    return status == VTA_OK ? VTA_OK : vt_fail(p->diag, status, "reading the expressions");
}

/* ---- What is covered --------------------------------------------------------------------------------------------- */

static void list_outputs(const vt_proof *p, bool covered, char *to, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < p->n && used < room; i++)
        if (p->coverage->count[i] && (p->coverage->right[i] == p->coverage->count[i]) == covered)
            used += (size_t)snprintf(to + used, room - used, "%s%.40s", used ? ", " : "", te_tensor_name(p->args[i]));
    if (!used) snprintf(to, room, "none");
}

/* Nothing is proven as a whole. */
static vta_status tell_coverage(const vt_proof *p) {
    char reason[sizeof p->result->reason], covered[120], others[120];
    vtac_prove_result *r = p->result;
    for (size_t i = 0; i < p->n; i++) r->covered += p->coverage->right[i];
    list_outputs(p, true, covered, sizeof covered);
    list_outputs(p, false, others, sizeof others);
    double share = r->elements ? floor(1000 * (double)r->covered / (double)r->elements) / 10 : 0;
    snprintf(reason, sizeof reason, "covers %.4g %% of the outputs (%s); not covered: %s, because %.200s", share,
             covered, others, p->coverage->why);
    return vt__prove_decide(p, VTAC_UNPROVEN, reason);
}

static vta_status prove_all(vt_proof *p) {
    VT_TRY(hash_subject(p));
    vtac_prove_result *r = p->result;
    for (size_t i = 0; i < p->n; i++)
        if (!te_tensor_is_placeholder(p->args[i])) {
            uint64_t elements = 1;
            for (size_t k = 0; k < te_tensor_ndim(p->args[i]); k++) elements *= (uint64_t)te_tensor_dim(p->args[i], k);
            r->elements += elements;
        }
    for (uint32_t i = 0; i < draws_of(p) && !vt__prove_decided(p); i++) {
        VT_TRY(vt__prove_draw(p, i));
        r->draws = i + 1;
    }
    r->log2_error = log2_error(r, r->draws);
    if (vt__prove_decided(p)) return VTA_OK;
    if (p->coverage->why[0]) return tell_coverage(p);
    if (r->log2_error >= 0) return vt__prove_decide(p, VTAC_UNPROVEN, VT_PROVE_BY_CHANCE);
    r->verdict = VTAC_PROVEN;
    r->covered = r->elements;
    return VTA_OK;
}

static vta_status prove(vt_proof *p, const char *why) {
    vt_coverage c = {.right = vt_alloc_array(p->allocator, p->n, 2 * sizeof *c.right)};
    if (!c.right) return vt_no_memory(p->diag);
    c.count = c.right + p->n;
    snprintf(c.why, sizeof c.why, "%s", why);
    p->coverage = &c;
    vta_status status = prove_all(p);
    vt_free(p->allocator, c.right, p->n * 2 * sizeof *c.right);
    return status;
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static vta_status begin(vt_proof *p, const vtac_prove_options *options) {
    VT_TRY(vt_options_read(&p->options, sizeof p->options, options, "vtac_prove_options", p->diag));
    if (!p->options.tries) p->options.tries = TRIES;
    if (!p->options.most_work) p->options.most_work = MAX_WORK;
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
    if (status == VTA_OK) status = prove(&p, "");
    result.seconds = vt_now() - start;
    vt_result_write(out_result, &result, sizeof result);
    return status;
}

/* Memory that only the host writes holds constants, if it accesses no argument. */
static bool touches_data(const vt_proof *p, const vt_recording *r) {
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < r->touched_count && k < VT_TOUCHED; k++)
            if (r->touched[k] == p->addrs[i]) return true;
    return r->touched_count > VT_TOUCHED;
}

static const char host_accesses[] =
    "the host reads or writes the kernel's data itself (VTABufferCPUPtr, VTABufferCopy), "
    "and only what runs on the accelerator is followed";

/* What the host accesses holds unknown values: elements that are right nevertheless are right. */
static vta_status prove_beside_host(vt_proof *p, const vt_recording *r) {
    p->constant_count = 0;
    p->unknown_count = r->touched_count;
    p->unknown = r->touched;
    return prove(p, host_accesses);
}

static vta_status prove_recorded(vt_proof *p, const vt_recording *r) {
    if (!r->program) return vt__prove_decide(p, VTAC_UNPROVEN, "the kernel runs nothing on the accelerator");
    if (r->touched_count > VT_TOUCHED) return vt__prove_decide(p, VTAC_UNPROVEN, host_accesses);
    p->program = r->program;
    if (touches_data(p, r)) return prove_beside_host(p, r);
    p->constant_count = r->touched_count;
    p->constants = r->touched;
    return prove(p, "");
}

static vta_status prove_function(vt_proof *p, vta_packed_function function, uint32_t *addrs) {
    vt_recording r;
    vta_diag *said = vta_diag_create(p->allocator);
    vta_status status = vt_prove_record(p, function, addrs, said, &r);
    p->addrs = addrs;
    if (status == VTA_OK)
        status = prove_recorded(p, &r);
    else if (r.failed && status != VTA_NO_MEMORY && status != VTA_INTERRUPTED)
        status = vt__prove_decide(p, VTAC_WRONG, vt__prove_first_error(said));
    else
        status = vt__prove_pass_on(p, status, said);
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
