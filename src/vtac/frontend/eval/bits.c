/* Remainders and bits. */
#include <math.h>

#include "frontend/eval/row.h"

/* Of floats as fmod of C. Of integers: of the divisor's sign, or of the dividend's. */
static vta_status remainder_F32(const vt_row *r) { EACH(float, float, fmodf(a, b)); }
static vta_status remainder_F64(const vt_row *r) { EACH(double, double, fmod(a, b)); }
static vta_status remainder_BOOL(const vt_row *r) {
    (void)r;
    return VTA_INTERNAL; /* type inference lets no bool through */
}

#define SIGNED(name, ctype)                                                                                            \
    static ctype remainder_of_##name(ctype a, ctype b, bool truncated) {                                               \
        ctype rest = b == -1 ? 0 : (ctype)(a % b);                                                                     \
        return !truncated && rest != 0 && (rest < 0) != (b < 0) ? (ctype)(rest + b) : rest;                            \
    }
SIGNED(I8, int8_t)
SIGNED(I16, int16_t)
SIGNED(I32, int32_t)
SIGNED(I64, int64_t)
#define UNSIGNED(name, ctype)                                                                                          \
    static ctype remainder_of_##name(ctype a, ctype b, bool truncated) {                                               \
        (void)truncated;                                                                                               \
        return (ctype)(a % b);                                                                                         \
    }
UNSIGNED(U8, uint8_t)
UNSIGNED(U16, uint16_t)
UNSIGNED(U32, uint32_t)
UNSIGNED(U64, uint64_t)

#define REMAINDER(name, ctype)                                                                                         \
    static vta_status remainder_##name(const vt_row *r) {                                                              \
        if (vt__row_has_zero(r, sizeof(ctype))) return VTA_OUT_OF_RANGE;                                               \
        EACH(ctype, ctype, remainder_of_##name(a, b, r->truncated));                                                   \
    }
REMAINDER(I8, int8_t)
REMAINDER(U8, uint8_t)
REMAINDER(I16, int16_t)
REMAINDER(U16, uint16_t)
REMAINDER(I32, int32_t)
REMAINDER(U32, uint32_t)
REMAINDER(I64, int64_t)
REMAINDER(U64, uint64_t)

vta_status vt__eval_remainder(const vt_eval_call *c) {
    static vt_row_function *const functions[] = {
#define VT_ELEMENT(name, text, ctype) remainder_##name,
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    };
    return vt__each_row(c, 2, functions[vt__in_type(c, 0)->element]);
}

/* ---- Bits ---- */

/* A shift by all bits or more leaves none. */
#define BITS(bytes, word)                                                                                              \
    static vta_status bits_##bytes(const vt_row *r) {                                                                  \
        switch ((int)r->op) {                                                                                          \
        case VT_G_BITWISE_AND: EACH(word, word, a &b);                                                                 \
        case VT_G_BITWISE_OR: EACH(word, word, a | b);                                                                 \
        case VT_G_BITWISE_XOR: EACH(word, word, a ^ b);                                                                \
        case VT_G_SHIFT_LEFT: EACH(word, word, b < 8 * sizeof(word) ? (uint64_t)a << b : 0);                           \
        case VT_G_SHIFT_RIGHT: EACH(word, word, b < 8 * sizeof(word) ? a >> b : 0);                                    \
        }                                                                                                              \
        return VTA_INTERNAL;                                                                                           \
    }
BITS(1, uint8_t)
BITS(2, uint16_t)
BITS(4, uint32_t)
BITS(8, uint64_t)

vta_status vt__eval_bits(const vt_eval_call *c) {
    size_t bytes = vt_element_bytes(vt__out_type(c)->element);
    size_t all = vt_gtype_bytes(vt__out_type(c));
    if (c->n->op != VT_G_BITWISE_NOT)
        return vt__each_row(c, 2, bytes == 1 ? bits_1 : bytes == 2 ? bits_2 : bytes == 4 ? bits_4 : bits_8);
    for (size_t i = 0; i < all; i++) ((uint8_t *)c->out[0])[i] = (uint8_t)~((const uint8_t *)c->in[0])[i];
    return VTA_OK;
}
