/* Fields: their life, variables, and random functions. */
#include "prove/field.h"

#include <math.h>

vta_status vta_field_create(uint64_t seed, const vta_allocator *allocator, vta_diag *diag, vta_field **out_field) {
    if (!out_field) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_field_create: out_field is NULL");
    *out_field = NULL;
    vta_field *f = vt_alloc_zero(allocator, sizeof *f);
    if (!f) return vt_no_memory(diag);
    f->allocator = allocator ? *allocator : vt_allocator_libc;
    f->key = vt_mix(vt_mix(0x2545F4914F6CDD1Dull, seed), seed >> 32);
    f->primes = vt_primes_draw(vt_mix(f->key, 0x6472617773ull));
    *out_field = f;
    return VTA_OK;
}

void vta_field_destroy(vta_field *f) {
    if (!f) return;
    vta_allocator a = f->allocator;
    vt_free(&a, f->terms, f->cap * sizeof *f->terms);
    vt_free(&a, f->slots, f->n_slots * sizeof *f->slots);
    vt_free(&a, f->members, f->members_cap * sizeof *f->members);
    vt_free(&a, f->memos, VT_MEMOS * sizeof *f->memos);
    vt_free(&a, f, sizeof *f);
}

vta_status vta_field_status(const vta_field *f) { return f ? f->status : VTA_INVALID_ARGUMENT; }
uint64_t vta_field_terms(const vta_field *f) { return f ? f->applied : 0; }

void vta_field_seen(vta_field *f, double degree, double magnitude) {
    if (degree > f->degree) f->degree = degree;
    if (magnitude > f->magnitude) f->magnitude = magnitude;
}

double vta_field_degree(const vta_field *f) { return f->degree > 1 ? f->degree : 1; }
double vta_field_magnitude(const vta_field *f) { return f->magnitude > 1 ? f->magnitude : 1; }

/* Modulo one prime, two different polynomials are equal at a random point with chance degree / p, unless all of their
 * coefficients are: then the prime is one of the few that divide a difference of at most twice the magnitude. */
double vta_field_log2_chance(uint64_t terms, double degree, double magnitude) {
    double smallest = log2(VT_PRIME_MIN), n = (double)terms + 2;
    double one = degree / VT_PRIME_MIN + floor((log2(magnitude) + 1) / smallest) / VT_PRIME_COUNT;
    double both = one < 1 ? 2 * log2(one) : 0;
    double chance = log2(n * (n - 1) / 2 + n * 131072) + both;
    return chance < 0 ? chance : 0;
}

vta_value vta_field_variable(const vta_field *f, uint64_t space, uint64_t index) {
    return vt_hash_value(&f->primes, vt_mix(vt_mix(f->key, space + 1), index));
}

vta_value vta_field_opaque(const vta_field *f, uint64_t id, size_t n, const vta_value values[]) {
    uint64_t h = vt_mix(vt_mix(f->key, 0x6F7061717565ull), vt_mix(id, n));
    for (size_t i = 0; i < n; i++) h = vt_mix(h, values[i]);
    return vt_hash_value(&f->primes, h);
}

vta_value vt_value_int(const vt_primes *m, int64_t number) {
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    vta_value v = vt_pair(vt_reduced(m, 0, size), vt_reduced(m, 1, size));
    return number < 0 ? vt_value_negate(m, v) : v;
}
