/* What is known of values. */
#include <string.h>

#include "prove/field.h"

/* ---- Forms: terms of one operand ------------------------------------------------------------------------------- */

static vta_value without_residues(vta_value v) { return v & ~VT_RESIDUES; }

static bool is_same_form(const vt_term *a, const vt_term *b) {
    return a->op == b->op && a->bits == b->bits && a->has_constant == b->has_constant && a->is_signed == b->is_signed &&
           a->constant == b->constant && a->low == b->low && a->high == b->high &&
           a->operand == without_residues(b->operand);
}

static uint64_t hash_form(const vta_field *f, const vt_term *t) {
    uint64_t h = vt_mix(vt_mix(f->key, (uint64_t)t->op << 16 | (uint64_t)t->bits << 8 | t->is_signed), t->operand);
    h = vt_mix(vt_mix(h, (uint64_t)t->constant), (uint64_t)t->has_constant << 32 | t->n);
    return vt_mix(vt_mix(h, (uint64_t)t->low), (uint64_t)t->high);
}

/* The form of a term of one operand, a new one where it must be; 0: there are too many. */
static uint32_t form_of(vta_field *f, const vt_term *t) {
    for (uint32_t i = 0; i < f->n_forms; i++)
        if (is_same_form(&f->forms[i].term, t)) return i + 1;
    if (f->n_forms == VT_FORMS) return 0;
    vt_form *form = &f->forms[f->n_forms];
    form->term = *t;
    form->term.operand = without_residues(t->operand);
    form->permutation = vt_permutation_of(hash_form(f, &form->term), &f->primes);
    return ++f->n_forms;
}

/* NULL: the value is of no form. */
static const vt_form *find_form(const vta_field *f, vta_value value) {
    uint32_t form = vt_form_of(value);
    return form && form <= f->n_forms ? &f->forms[form - 1] : NULL;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static size_t home(const vta_field *f, vta_value value) {
    return (size_t)(value * 0x9E3779B97F4A7C15ull >> 32) & (f->n_slots - 1);
}

static const vt_term *find_kept(const vta_field *f, vta_value value) {
    if (!f->n_slots) return NULL;
    for (size_t i = home(f, value); f->slots[i].term; i = (i + 1) & (f->n_slots - 1))
        if (f->slots[i].value == value) return &f->terms[f->slots[i].term - 1];
    return NULL;
}

static void link_term(const vta_field *f, vta_value value, uint32_t term) {
    size_t i = home(f, value);
    while (f->slots[i].term) i = (i + 1) & (f->n_slots - 1);
    f->slots[i] = (vt_term_slot){value, term};
}

/* At most half of the slots are taken. */
static bool make_room(vta_field *f) {
    if (f->count >= UINT32_MAX / 2 || !vt_reserve(&f->allocator, &f->terms, &f->cap, f->count + 1, sizeof *f->terms))
        return false;
    if (2 * (f->count + 1) <= f->n_slots) return true;
    vta_field old = *f;
    size_t bytes;
    f->n_slots = old.n_slots ? 4 * old.n_slots : 1024;
    f->slots = vt_mul_size(f->n_slots, sizeof *f->slots, &bytes) ? vt_alloc_zero(&f->allocator, bytes) : NULL;
    if (!f->slots) {
        f->slots = old.slots;
        f->n_slots = old.n_slots;
        return false;
    }
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].term) link_term(f, old.slots[i].value, old.slots[i].term);
    vt_free(&f->allocator, old.slots, old.n_slots * sizeof *old.slots);
    return true;
}

void vt_term_put(vta_field *f, vta_value value, const vt_term *term) {
    if (find_form(f, value) || find_kept(f, value)) return;
    if (!make_room(f)) {
        f->status = VTA_NO_MEMORY;
        return;
    }
    f->terms[f->count++] = *term;
    link_term(f, value, (uint32_t)f->count);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

bool vt_term_find(const vta_field *f, vta_value value, vt_term *out_term) {
    const vt_form *form = find_form(f, value);
    const vt_term *term = form ? &form->term : find_kept(f, value);
    if (!term) return false;
    *out_term = *term;
    if (form) out_term->operand |= vt_permute_back(&form->permutation, value);
    return true;
}

bool vt_term_range(const vta_field *f, vta_value value, int64_t *out_low, int64_t *out_high) {
    const vt_form *form = find_form(f, value);
    const vt_term *term = form ? &form->term : find_kept(f, value);
    if (!term) return false;
    *out_low = term->low;
    *out_high = term->high;
    return true;
}

const vta_value *vt_term_members(const vta_field *f, const vt_term *term) {
    return term->n == 1 ? &term->operand : f->members + term->members;
}

static bool keep_members(vta_field *f, vt_term *term, const vta_value *members) {
    term->members = f->n_members;
    if (!vt_reserve(&f->allocator, &f->members, &f->members_cap, f->n_members + term->n, sizeof *f->members))
        return false;
    memcpy(f->members + f->n_members, members, term->n * sizeof *members);
    f->n_members += term->n;
    return true;
}

vta_value vt_term_value(vta_field *f, vt_term *term, const vta_value *members) {
    f->applied++;
    term->operand = term->n == 1 ? members[0] : 0;
    uint32_t form = term->n == 1 ? form_of(f, term) : 0;
    if (form) return vt_with_form(vt_permute(&f->forms[form - 1].permutation, term->operand), form);
    uint64_t h = hash_form(f, term);
    for (uint32_t i = 0; i < term->n; i++) h = vt_mix(h, members[i]);
    vta_value value = vt_hash_value(&f->primes, h);
    if (find_kept(f, value)) return value;
    if (term->n == 1 || keep_members(f, term, members))
        vt_term_put(f, value, term);
    else
        f->status = VTA_NO_MEMORY;
    return value;
}
