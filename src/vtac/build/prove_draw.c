/* One draw of a proof: what the program computes, and what the expressions mean, on the same values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "build/prove_draw.h"
#include "te/te.h"

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

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
            o->no_values = true;
            snprintf(p->coverage->why, sizeof p->coverage->why, "%s", e.message);
            vta_diag_clear(diag);
        } else if (status != VTA_OK) {
            return vt_fail(p->diag, status, "%s", e.message);
        }
    }
    return VTA_OK;
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

/* A program that cannot run is wrong, one whose work is too much is not proven; the rest are errors of the call. */
static vta_status run_failed(const draw *d, vta_status status) {
    const vt_proof *p = d->proof;
    switch ((int)status) {
    case VTA_DEADLOCK:
    case VTA_OUT_OF_RANGE:
    case VTA_ILLEGAL:
    case VTA_PARSE: return vt__prove_decide(p, VTAC_WRONG, vt__prove_first_error(d->said));
    case VTA_TIMEOUT:
    case VTA_UNSUPPORTED: return vt__prove_decide(p, VTAC_UNPROVEN, vt__prove_first_error(d->said));
    default: return vt__prove_pass_on(p, status, d->said);
    }
}

/* Counts the elements that differ; the first goes to the result. */
static uint64_t compare(const draw *d) {
    vtac_prove_result *r = d->proof->result;
    uint64_t different = 0;
    for (size_t i = 0; i < d->proof->n; i++) {
        const operand *o = &d->operands[i];
        for (uint64_t k = 0; k < o->count && o->is_output; k++) {
            if (vta_field_same(o->values[k], o->got[k]) || different++) continue;
            r->arg = i;
            r->index = k;
        }
    }
    return different;
}

/* Where part of it is not followed: which elements are right whatever that part does. */
static void cover(const draw *d) {
    vt_coverage *c = d->proof->coverage;
    for (size_t i = 0; i < d->proof->n; i++) {
        const operand *o = &d->operands[i];
        uint64_t right = 0;
        for (uint64_t k = 0; k < o->count && o->is_output && !o->no_values; k++)
            right += vta_field_same(o->values[k], o->got[k]);
        if (!d->index || right < c->right[i]) c->right[i] = right;
        c->count[i] = o->is_output ? o->count : 0;
    }
}

static bool stop(void *ctx) {
    const vt_ctx *c = ctx;
    return c->interrupt && atomic_load_explicit(c->interrupt, memory_order_relaxed);
}

vta_status vt__prove_run(const draw *d, vta_field_options *options) {
    options->most_work = d->proof->options.most_work;
    options->stop = stop;
    options->ctx = vt_te_ctx(d->proof->c);
    options->constant_count = d->proof->constant_count;
    options->constants = d->proof->constants;
    options->unknown_count = d->proof->unknown_count;
    options->unknown = d->proof->unknown;
    vta_diag_clear(d->said);
    return vta_field_run(d->proof->program, d->field, options, d->proof->n, d->arrays, d->said);
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

/* Whether all orders are one does not depend on the draw. */
static vta_status try_program(const draw *d) {
    vta_field_options options = {.every_order = !d->index};
    vta_status status = vt__prove_run(d, &options);
    if (status == VTA_RACE) return vt__prove_races(d->proof, vt__prove_first_error(d->said));
    if (status != VTA_OK) return run_failed(d, status);
    if (d->proof->unknown_count || d->proof->coverage->why[0]) {
        cover(d);
        return VTA_OK;
    }
    uint64_t different = compare(d);
    return different ? vt__prove_differs(d, &options, different) : VTA_OK;
}

static vta_status fill_and_try(draw *d) {
    for (size_t i = 0; i < d->proof->n; i++) VT_TRY(make_operand(d, i));
    VT_TRY(evaluate(d));
    return vt__prove_decided(d->proof) ? VTA_OK : try_program(d);
}

static void note_bounds(const draw *d) {
    vtac_prove_result *r = d->proof->result;
    uint64_t terms = vta_field_terms(d->field);
    r->terms = terms > r->terms ? terms : r->terms;
    r->degree = fmax(r->degree, vta_field_degree(d->field));
    r->magnitude_bound = fmax(r->magnitude_bound, vta_field_magnitude(d->field));
}

/* What is computed and what it should be choose the field too: nothing can be made to fit it. */
static uint64_t seed_of(const vt_proof *p, uint32_t index) {
    uint64_t seed = (p->options.seed ^ p->subject) * 0x9E3779B97F4A7C15ull + index;
    return vt_hash(seed, &seed, sizeof seed);
}

vta_status vt__prove_draw(const vt_proof *p, uint32_t index) {
    draw d = {.proof = p, .index = index, .said = vta_diag_create(p->allocator)};
    d.operands = vt_alloc_zero(p->allocator, p->n * sizeof *d.operands);
    d.arrays = vt_alloc_zero(p->allocator, p->n * sizeof *d.arrays);
    d.inputs = vt_alloc_zero(p->allocator, p->n * sizeof *d.inputs);
    d.input_values = vt_alloc_zero(p->allocator, p->n * sizeof *d.input_values);
    bool ok = d.said && d.operands && d.arrays && d.inputs && d.input_values;
    vta_status status =
        ok ? vta_field_create(seed_of(p, index), p->allocator, p->diag, &d.field) : vt_no_memory(p->diag);
    if (status == VTA_OK) status = fill_and_try(&d);
    if (d.field) note_bounds(&d);
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
