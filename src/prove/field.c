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

uint64_t vta_field_signature(uint64_t before, uint64_t n, const vta_value signatures[]) {
    for (uint64_t i = 0; i < n; i++) before = vt_mix(before, signatures[i]);
    return before;
}

vta_value vt_value_int(int64_t number) {
    int64_t r1 = number % VT_P1, r2 = number % VT_P2;
    return vt_pair((uint64_t)(r1 < 0 ? r1 + VT_P1 : r1), (uint64_t)(r2 < 0 ? r2 + VT_P2 : r2));
}

/* ---- Terms ------------------------------------------------------------------------------------------------------ */

static size_t home(const vta_field *f, vta_value value) {
    return (size_t)(value * 0x9E3779B97F4A7C15ull >> 32) & (f->n_slots - 1);
}

const vt_term *vt_term_find(const vta_field *f, vta_value value) {
    if (!f->n_slots) return NULL;
    for (size_t i = home(f, value); f->slots[i].term; i = (i + 1) & (f->n_slots - 1))
        if (f->slots[i].value == value) return &f->terms[f->slots[i].term - 1];
    return NULL;
}

static void link_term(vta_field *f, size_t index) {
    size_t i = home(f, f->terms[index].value);
    while (f->slots[i].term) i = (i + 1) & (f->n_slots - 1);
    f->slots[i] = (vt_term_slot){f->terms[index].value, (uint32_t)index + 1};
}

/* At most half of the slots are taken. */
static bool make_room(vta_field *f) {
    if (f->count >= UINT32_MAX / 2 || !vt_reserve(&f->allocator, &f->terms, &f->cap, f->count + 1, sizeof *f->terms))
        return false;
    if (2 * (f->count + 1) <= f->n_slots) return true;
    size_t wanted = f->n_slots ? 4 * f->n_slots : 1024, bytes;
    vt_term_slot *slots = vt_mul_size(wanted, sizeof *slots, &bytes) ? vt_alloc_zero(&f->allocator, bytes) : NULL;
    if (!slots) return false;
    vt_free(&f->allocator, f->slots, f->n_slots * sizeof *f->slots);
    f->slots = slots;
    f->n_slots = wanted;
    for (size_t i = 0; i < f->count; i++) link_term(f, i);
    return true;
}

void vt_term_put(vta_field *f, const vt_term *term) {
    if (vt_term_find(f, term->value)) return;
    if (!make_room(f)) {
        f->status = VTA_NO_MEMORY;
        return;
    }
    f->terms[f->count++] = *term;
    link_term(f, f->count - 1);
}
