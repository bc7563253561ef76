/* Arithmetic on pairs of residues, and what the files of this folder share of a field. */
#ifndef VT_PROVE_FIELD_H
#define VT_PROVE_FIELD_H

#include "base/alloc.h"
#include "base/diag.h"
#include "vta/field.h"

/* Products of residues have 58 bits: 16 of them fit a word with room for what is left of earlier sums. */
enum { VT_P1 = (1 << 29) - 3, VT_P2 = (1 << 29) - 33, VT_SUMMANDS = 16 };

static inline vta_value vt_pair(uint64_t r1, uint64_t r2) { return r1 | r2 << 32; }
static inline uint32_t vt_first(vta_value v) { return (uint32_t)v; }
static inline uint32_t vt_second(vta_value v) { return (uint32_t)(v >> 32); }

static inline vta_value vt_value_add(vta_value a, vta_value b) {
    uint32_t r1 = vt_first(a) + vt_first(b), r2 = vt_second(a) + vt_second(b);
    return vt_pair(r1 < VT_P1 ? r1 : r1 - VT_P1, r2 < VT_P2 ? r2 : r2 - VT_P2);
}

static inline vta_value vt_value_negate(vta_value a) {
    return vt_pair(vt_first(a) ? VT_P1 - vt_first(a) : 0, vt_second(a) ? VT_P2 - vt_second(a) : 0);
}

static inline vta_value vt_value_mul(vta_value a, vta_value b) {
    return vt_pair((uint64_t)vt_first(a) * vt_first(b) % VT_P1, (uint64_t)vt_second(a) * vt_second(b) % VT_P2);
}

vta_value vt_value_int(int64_t number);
/* to[r] += the sum of a[k] * b[r][k] over k < n. */
void vt_value_multiply_add(vta_value *to, const vta_value *a, const vta_value *b, size_t rows, size_t n);

/* ---- Hashing -------------------------------------------------------------------------------------------------- */

/* The upper half of a product of 128 bits. */
static inline uint64_t vt_upper_half(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

static inline uint64_t vt_mix(uint64_t h, uint64_t x) {
    uint64_t a = h ^ 0x9E3779B97F4A7C15ull, b = (x ^ h >> 29) + 0xD6E8FEB86659FD93ull;
    return a * b ^ vt_upper_half(a, b) ^ h << 17 ^ x;
}

/* A hash as a value: each half of it chooses a residue. */
static inline vta_value vt_hash_value(uint64_t h) {
    h = vt_mix(vt_mix(h, 0xA0761D6478BD642Full), h >> 32);
    return vt_pair((h & UINT32_MAX) * VT_P1 >> 32, (h >> 32) * VT_P2 >> 32);
}

/* ---- What is known of values ---------------------------------------------------------------------------------- */

/* What a value is: the result of a random function, or a sum whose range is known. */
typedef struct vt_term {
    vta_value value;
    int64_t low, high; /* it is this integer, not only congruent to one of this range */
    uint8_t op;        /* vt_term_op */
    uint8_t bits;      /* of the operation; 0 where the operands' ranges make it the same for all widths */
    bool has_constant;
    bool is_signed;    /* NARROW */
    uint32_t n;        /* MIN, MAX: members */
    size_t members;    /* where they begin in the field's list */
    vta_value operand; /* SHR, NARROW */
    int64_t constant;  /* MIN, MAX: one of the members; SHR: the amount */
} vt_term;

typedef enum vt_term_op { VT_TERM_RANGE, VT_TERM_MIN, VT_TERM_MAX, VT_TERM_SHR, VT_TERM_NARROW } vt_term_op;

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
    vta_status status;
    uint64_t applied; /* random functions */
    vt_term *terms;
    size_t count, cap;
    vt_term_slot *slots; /* by hash of the value; a power of two of them */
    size_t n_slots;
    vta_value *members;
    size_t n_members, members_cap;
    vt_memo *memos; /* VT_MEMOS; NULL: not yet, or no memory */
};

/* NULL: nothing is known. Valid until the next term is put. */
const vt_term *vt_term_find(const vta_field *f, vta_value value);
/* Keeps a term unless one of its value is there. */
void vt_term_put(vta_field *f, const vt_term *term);

#endif
