/* What is computed from two elements or three, broadcast to one shape. */
#include <math.h>
#include <string.h>

#include "frontend/eval/row.h"

static const void *at(const void *data, vt_element e, const vt_strides *s, const int64_t *index, uint32_t rank) {
    int64_t o = 0;
    for (uint32_t i = 0; i + 1 < rank; i++) o += index[i] * s->by[i];
    return (const char *)data + o * (int64_t)vt_element_bytes(e);
}

vta_status vt__each_row(const vt_eval_call *c, uint32_t inputs, vt_row_function *f) {
    const vt_gtype *y = vt__out_type(c);
    vt_strides s[3] = {{{0}}};
    int64_t index[VT_MAX_RANK] = {0};
    size_t bytes = vt_element_bytes(y->element);
    char *to = c->out[0];
    if (!vt_gtype_count(y)) return VTA_OK;
    for (uint32_t i = 0; i < inputs; i++) s[i] = vt__strides_to(vt__in_type(c, i), y);
    uint32_t last = y->rank ? y->rank - 1 : 0;
    vt_row r = {.n = y->rank ? y->dim[last] : 1, .op = c->n->op};
    if (c->n->op == VT_G_MOD) r.truncated = vt_gattr_int(c->n, VT_A_TRUNCATED) != 0;
    r.a_by = s[0].by[last], r.b_by = s[1].by[last], r.c_by = s[2].by[last];
    do {
        r.a = at(c->in[0], vt__in_type(c, 0)->element, &s[0], index, y->rank);
        r.b = at(c->in[1], vt__in_type(c, 1)->element, &s[1], index, y->rank);
        if (inputs == 3) r.c = at(c->in[2], vt__in_type(c, 2)->element, &s[2], index, y->rank);
        r.to = to;
        vta_status status = f(&r);
        if (status != VTA_OK)
            return vt_fail(c->diag, status, "node %s (%s): division by zero", c->n->name, vt_gop_text(c->n->op));
        to += r.n * (int64_t)bytes;
    } while (vt__next_index(y, 1, index));
    return VTA_OK;
}

/* ---- Arithmetic: of floats, and of integers modulo their size ---- */

/* With a plain loop for two whole rows, which the compiler makes vectors of. */
#define EACH_FLOAT(ctype, formula)                                                                                     \
    if (r->a_by == 1 && r->b_by == 1) {                                                                                \
        for (int64_t i = 0; i < r->n; i++) {                                                                           \
            ctype a = ((const ctype *)r->a)[i], b = ((const ctype *)r->b)[i];                                          \
            ((ctype *)r->to)[i] = formula;                                                                             \
        }                                                                                                              \
        return VTA_OK;                                                                                                 \
    }                                                                                                                  \
    EACH(ctype, ctype, formula)

#define FLOATS(name, ctype)                                                                                            \
    static vta_status arithmetic_##name(const vt_row *r) {                                                             \
        switch ((int)r->op) {                                                                                          \
        case VT_G_ADD: EACH_FLOAT(ctype, a + b);                                                                       \
        case VT_G_SUB: EACH_FLOAT(ctype, a - b);                                                                       \
        case VT_G_MUL: EACH_FLOAT(ctype, a *b);                                                                        \
        case VT_G_DIV: EACH_FLOAT(ctype, a / b);                                                                       \
        case VT_G_MIN: EACH_FLOAT(ctype, b < a || b != b ? b : a);                                                     \
        case VT_G_MAX: EACH_FLOAT(ctype, b > a || b != b ? b : a);                                                     \
        }                                                                                                              \
        return VTA_INTERNAL;                                                                                           \
    }
FLOATS(F32, float)
FLOATS(F64, double)

bool vt__row_has_zero(const vt_row *r, size_t bytes) {
    static const char zero[8];
    for (int64_t i = 0; i < r->n; i++)
        if (!memcmp((const char *)r->b + i * r->b_by * (int64_t)bytes, zero, bytes)) return true;
    return false;
}

/* The least number divided by -1 is itself, modulo the size. */
#define INTEGERS(name, ctype)                                                                                          \
    static vta_status arithmetic_##name(const vt_row *r) {                                                             \
        switch ((int)r->op) {                                                                                          \
        case VT_G_ADD: EACH(ctype, ctype, (uint64_t)a + (uint64_t)b);                                                  \
        case VT_G_SUB: EACH(ctype, ctype, (uint64_t)a - (uint64_t)b);                                                  \
        case VT_G_MUL: EACH(ctype, ctype, (uint64_t)a *(uint64_t)b);                                                   \
        case VT_G_DIV:                                                                                                 \
            if (vt__row_has_zero(r, sizeof(ctype))) return VTA_OUT_OF_RANGE;                                           \
            EACH(ctype, ctype, b == (ctype) - 1 && (ctype) - 1 < 1 ? (ctype)(0 - (uint64_t)a) : a / b);                \
        case VT_G_MIN: EACH(ctype, ctype, b < a ? b : a);                                                              \
        case VT_G_MAX: EACH(ctype, ctype, b > a ? b : a);                                                              \
        }                                                                                                              \
        return VTA_INTERNAL;                                                                                           \
    }
INTEGERS(I8, int8_t)
INTEGERS(U8, uint8_t)
INTEGERS(I16, int16_t)
INTEGERS(U16, uint16_t)
INTEGERS(I32, int32_t)
INTEGERS(U32, uint32_t)
INTEGERS(I64, int64_t)
INTEGERS(U64, uint64_t)
static vta_status arithmetic_BOOL(const vt_row *r) {
    (void)r;
    return VTA_INTERNAL; /* type inference lets no bool through */
}

vta_status vt__eval_arithmetic(const vt_eval_call *c) {
    static vt_row_function *const functions[] = {
#define VT_ELEMENT(name, text, ctype) arithmetic_##name,
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    };
    return vt__each_row(c, 2, functions[vt__in_type(c, 0)->element]);
}

static vta_status pow_row(const vt_row *r) {
    if (r->op == VT_G_POW) {
        EACH(float, float, powf(a, b));
    }
    EACH(float, float, a < 0 ? a * b : a);
}

static vta_status pow_row_f64(const vt_row *r) {
    if (r->op == VT_G_POW) {
        EACH(double, double, pow(a, b));
    }
    EACH(double, double, a < 0 ? a * b : a);
}

vta_status vt__eval_pow(const vt_eval_call *c) {
    return vt__each_row(c, 2, vt__in_type(c, 0)->element == VT_ELEMENT_F64 ? pow_row_f64 : pow_row);
}

/* ---- Truth ---- */

#define VT_ELEMENT(name, text, ctype)                                                                                  \
    static vta_status compare_##name(const vt_row *r) {                                                                \
        switch ((int)r->op) {                                                                                          \
        case VT_G_EQUAL: EACH(ctype, bool, a == b);                                                                    \
        case VT_G_LESS: EACH(ctype, bool, a < b);                                                                      \
        case VT_G_LESS_OR_EQUAL: EACH(ctype, bool, a <= b);                                                            \
        case VT_G_GREATER: EACH(ctype, bool, a > b);                                                                   \
        case VT_G_GREATER_OR_EQUAL: EACH(ctype, bool, a >= b);                                                         \
        }                                                                                                              \
        return VTA_INTERNAL;                                                                                           \
    }
#include "frontend/graph/elements.def"
#undef VT_ELEMENT

vta_status vt__eval_compare(const vt_eval_call *c) {
    static vt_row_function *const functions[] = {
#define VT_ELEMENT(name, text, ctype) compare_##name,
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    };
    return vt__each_row(c, 2, functions[vt__in_type(c, 0)->element]);
}

static vta_status logic_row(const vt_row *r) {
    switch ((int)r->op) {
    case VT_G_AND: EACH(bool, bool, a &&b);
    case VT_G_OR: EACH(bool, bool, a || b);
    case VT_G_XOR: EACH(bool, bool, a != b);
    default: return VTA_INTERNAL;
    }
}

vta_status vt__eval_logic(const vt_eval_call *c) {
    if (c->n->op != VT_G_NOT) return vt__each_row(c, 2, logic_row);
    for (int64_t i = 0; i < vt_gtype_count(vt__out_type(c)); i++) ((bool *)c->out[0])[i] = !((const bool *)c->in[0])[i];
    return VTA_OK;
}

#define WHERE(bytes, word)                                                                                             \
    static vta_status where_##bytes(const vt_row *r) {                                                                 \
        for (int64_t i = 0; i < r->n; i++)                                                                             \
            ((word *)r->to)[i] = ((const bool *)r->a)[i * r->a_by] ? ((const word *)r->b)[i * r->b_by]                 \
                                                                   : ((const word *)r->c)[i * r->c_by];                \
        return VTA_OK;                                                                                                 \
    }
WHERE(1, uint8_t)
WHERE(2, uint16_t)
WHERE(4, uint32_t)
WHERE(8, uint64_t)

vta_status vt__eval_where(const vt_eval_call *c) {
    size_t bytes = vt_element_bytes(vt__out_type(c)->element);
    return vt__each_row(c, 3, bytes == 1 ? where_1 : bytes == 2 ? where_2 : bytes == 4 ? where_4 : where_8);
}
