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
double vta_field_log2_size(void) { return log2(VT_P1) + log2(VT_P2); }

vta_value vta_field_variable(const vta_field *f, uint64_t space, uint64_t index) {
    return vt_hash_value(vt_mix(vt_mix(f->key, space + 1), index));
}

vta_value vta_field_opaque(const vta_field *f, uint64_t id, size_t n, const vta_value values[]) {
    uint64_t h = vt_mix(vt_mix(f->key, 0x6F7061717565ull), vt_mix(id, n));
    for (size_t i = 0; i < n; i++) h = vt_mix(h, values[i]);
    return vt_hash_value(h);
}

vta_value vt_value_int(int64_t number) {
    int64_t r1 = number % VT_P1, r2 = number % VT_P2;
    return vt_pair((uint64_t)(r1 < 0 ? r1 + VT_P1 : r1), (uint64_t)(r2 < 0 ? r2 + VT_P2 : r2));
}
