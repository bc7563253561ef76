/* Arithmetic on pairs of residues, and what the files of this folder share of a field. */
#ifndef VT_PROVE_FIELD_H
#define VT_PROVE_FIELD_H

#include "base/alloc.h"
#include "base/diag.h"
#include "prove/permutation.h"
#include "vta/field.h"

/* The residues are the low 29 bits of the halves of a word. The 6 bits above them say which form made the value, or 0.
 */
static const uint64_t VT_RESIDUES = UINT64_C(0x1FFFFFFF1FFFFFFF);

static inline vta_value vt_pair(uint64_t r1, uint64_t r2) { return r1 | r2 << 32; }
static inline uint32_t vt_first(vta_value v) { return (uint32_t)(v & VT_RESIDUES); }
static inline uint32_t vt_second(vta_value v) { return (uint32_t)((v & VT_RESIDUES) >> 32); }
static inline uint32_t vt_form_of(vta_value v) { return (uint32_t)(v >> 29 & 7) | (uint32_t)(v >> 61) << 3; }
static inline vta_value vt_with_form(vta_value residues, uint32_t form) {
    return residues | (uint64_t)(form & 7) << 29 | (uint64_t)(form >> 3) << 61;
}

static inline vta_value vt_value_add(const vt_primes *m, vta_value a, vta_value b) {
    uint32_t r1 = vt_first(a) + vt_first(b), r2 = vt_second(a) + vt_second(b);
    return vt_pair(r1 < m->p[0] ? r1 : r1 - m->p[0], r2 < m->p[1] ? r2 : r2 - m->p[1]);
}

static inline vta_value vt_value_negate(const vt_primes *m, vta_value a) {
    return vt_pair(vt_first(a) ? m->p[0] - vt_first(a) : 0, vt_second(a) ? m->p[1] - vt_second(a) : 0);
}

static inline vta_value vt_value_mul(const vt_primes *m, vta_value a, vta_value b) {
    return vt_pair(vt_reduced(m, 0, (uint64_t)vt_first(a) * vt_first(b)),
                   vt_reduced(m, 1, (uint64_t)vt_second(a) * vt_second(b)));
}

vta_value vt_value_int(const vt_primes *m, int64_t number);
/* to[r] += the sum of a[k] * b[r][k] over k < n. */
void vt_value_multiply_add(const vt_primes *m, vta_value *to, const vta_value *a, const vta_value *b, size_t rows,
                           size_t n);

/* ---- Hashing -------------------------------------------------------------------------------------------------- */

static inline uint64_t vt_mix(uint64_t h, uint64_t x) {
    uint64_t a = h ^ 0x9E3779B97F4A7C15ull, b = (x ^ h >> 29) + 0xD6E8FEB86659FD93ull;
    return a * b ^ vt_upper_half(a, b) ^ h << 17 ^ x;
}

/* A hash as a value: each half of it chooses a residue. */
static inline vta_value vt_hash_value(const vt_primes *m, uint64_t h) {
    h = vt_mix(vt_mix(h, 0xA0761D6478BD642Full), h >> 32);
    return vt_pair((h & UINT32_MAX) * m->p[0] >> 32, (h >> 32) * m->p[1] >> 32);
}

/* ---- What is known of values ---------------------------------------------------------------------------------- */

typedef enum vt_term_op { VT_TERM_RANGE, VT_TERM_MIN, VT_TERM_MAX, VT_TERM_SHR, VT_TERM_NARROW } vt_term_op;

/* What a value is: the result of a random function, or a sum whose range is known. */
typedef struct vt_term {
    int64_t low, high; /* it is this integer, not only congruent to one of this range */
    uint8_t op;        /* vt_term_op */
    uint8_t bits;      /* of the operation; 0 where the operands' ranges make it the same for all widths */
    bool has_constant;
    bool is_signed;    /* NARROW */
    uint32_t n;        /* operands: MIN, MAX: any number; SHR, NARROW: 1; RANGE: 1, times the constant, or 0 */
    int64_t constant;  /* MIN, MAX: one more operand; SHR: the amount; RANGE: the factor */
    vta_value operand; /* where n is 1 */
    size_t members;    /* where n is more, they begin here in the field's list */
} vt_term;

/* A form is all of a term of one operand but that operand's residues. Its terms are not kept: the value is a
 * permutation of the operand's residues, which is undone to know the operand. */
enum { VT_FORMS = 63 };
typedef struct vt_form {
    vt_term term; /* operand: without residues */
    vt_permutation permutation;
} vt_form;

/* Terms of several operands, those of ranges, and all beyond the first VT_FORMS forms. */
typedef struct vt_term_slot {
    vta_value value;
    uint32_t term; /* 1 + where it stands; 0: none */
} vt_term_slot;

/* Results that were computed lately: most operations are asked for once by the expressions and once in every order. */
enum { VT_MEMOS = 1 << 19 };
typedef struct vt_memo {
    vta_value a, b, result;
    uint64_t what; /* 0: empty */
} vt_memo;

struct vta_field {
    vta_allocator allocator;
    uint64_t key;
    vt_primes primes;
    vta_status status;
    uint64_t applied;         /* random functions */
    double degree, magnitude; /* vta_field_seen */
    vt_term *terms;
    size_t count, cap;
    vt_form forms[VT_FORMS]; /* form i is vt_form_of i + 1 */
    uint32_t n_forms;
    vt_term_slot *slots; /* by hash of the value; a power of two of them */
    size_t n_slots;
    vta_value *members;
    size_t n_members, members_cap;
    vt_memo *memos; /* VT_MEMOS; NULL: not yet, or no memory */
};

/* False: nothing is known. */
bool vt_term_find(const vta_field *f, vta_value value, vt_term *out_term);
/* The same for the range alone, which is quicker. */
bool vt_term_range(const vta_field *f, vta_value value, int64_t *out_low, int64_t *out_high);
/* Keeps a term under a value unless one is there. */
void vt_term_put(vta_field *f, vta_value value, const vt_term *term);
/* The value of a random function, with the members of a term of several operands; it is kept. */
vta_value vt_term_value(vta_field *f, vt_term *term, const vta_value *members);
/* The operands of a term; valid until the next one is made. */
const vta_value *vt_term_members(const vta_field *f, const vt_term *term);

#endif
