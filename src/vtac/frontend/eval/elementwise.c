/* What is computed element by element, from one input. */
#include <math.h>

#include "frontend/eval/priv.h"

static inline float between_0_and_1(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

#define VT_FN(name) name##f
#define VT_NUMBER(x) x##f
typedef void unary(int64_t n, const float *from, float *to, float alpha, float beta);
#define VT_UNARY(name, formula)                                                                                        \
    static void unary_##name(int64_t n, const float *from, float *to, float alpha, float beta) {                       \
        (void)alpha, (void)beta;                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            float x = from[i];                                                                                         \
            to[i] = formula;                                                                                           \
        }                                                                                                              \
    }
#include "frontend/eval/unary.def"
#undef VT_UNARY

static float attribute(const vt_gnode *n, vt_gattr_name name) {
    for (uint32_t i = 0; i < n->attribute_count; i++)
        if (n->attributes[i].name == name) return (float)n->attributes[i].f;
    return 0;
}

vta_status vt__eval_unary(const vt_eval_call *c) {
    unary *f = NULL;
    switch ((int)c->n->op) {
#define VT_UNARY(name, formula)                                                                                        \
    case VT_G_##name: f = unary_##name; break;
#include "frontend/eval/unary.def"
#undef VT_UNARY
    default: return vt_fail(c->diag, VTA_INTERNAL, "%s is not a row of unary.def", vt_gop_text(c->n->op));
    }
    if (vt__in_type(c, 0)->element == VT_ELEMENT_F64) return vt__eval_unary_f64(c);
    f(vt_gtype_count(vt__out_type(c)), c->in[0], c->out[0], attribute(c->n, VT_A_ALPHA), attribute(c->n, VT_A_BETA));
    return VTA_OK;
}

/* The bounds as numbers of the type; not a number stays one. */
#define CLIP(ctype)                                                                                                    \
    do {                                                                                                               \
        const ctype *from = c->in[0], lower = (ctype)low, upper = (ctype)high;                                         \
        ctype *to = c->out[0];                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            ctype x = from[i] < lower ? lower : from[i];                                                               \
            to[i] = x > upper ? upper : x;                                                                             \
        }                                                                                                              \
    } while (0)

static double bounded(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

vta_status vt__eval_clip(const vt_eval_call *c) {
    vt_element e = vt__in_type(c, 0)->element;
    double least = vt_element_least(e), most = vt_element_max(e);
    double low = bounded(vt_gattr_float(c->n, VT_A_MIN), least, most);
    double high = bounded(vt_gattr_float(c->n, VT_A_MAX), least, most);
    int64_t n = vt_gtype_count(vt__out_type(c));
    switch (e) {
    case VT_ELEMENT_F32: CLIP(float); break;
    case VT_ELEMENT_F64: CLIP(double); break;
    case VT_ELEMENT_I8: CLIP(int8_t); break;
    case VT_ELEMENT_U8: CLIP(uint8_t); break;
    case VT_ELEMENT_I16: CLIP(int16_t); break;
    case VT_ELEMENT_U16: CLIP(uint16_t); break;
    case VT_ELEMENT_I32: CLIP(int32_t); break;
    case VT_ELEMENT_U32: CLIP(uint32_t); break;
    case VT_ELEMENT_I64:
    case VT_ELEMENT_U64:
    case VT_ELEMENT_BOOL:
    case VT_ELEMENT_COUNT:
        return vt_fail(c->diag, VTA_UNSUPPORTED, "node %s (Clip): of %s", c->n->name, vt_element_text(e));
    }
    return VTA_OK;
}

/* Of integers: modulo their size. */
#define SIGNS(ctype, zero_minus)                                                                                       \
    do {                                                                                                               \
        const ctype *from = c->in[0];                                                                                  \
        ctype *to = c->out[0];                                                                                         \
        for (int64_t i = 0; i < n; i++) to[i] = negative || from[i] < 0 ? (ctype)(zero_minus from[i]) : from[i];       \
    } while (0)

vta_status vt__eval_signs(const vt_eval_call *c) {
    int64_t n = vt_gtype_count(vt__out_type(c));
    bool negative = c->n->op == VT_G_NEG;
    switch (vt__in_type(c, 0)->element) {
    case VT_ELEMENT_F32:
        for (int64_t i = 0; i < n; i++) {
            float x = ((const float *)c->in[0])[i];
            ((float *)c->out[0])[i] = negative ? -x : fabsf(x);
        }
        break;
    case VT_ELEMENT_F64:
        for (int64_t i = 0; i < n; i++) {
            double x = ((const double *)c->in[0])[i];
            ((double *)c->out[0])[i] = negative ? -x : fabs(x);
        }
        break;
    case VT_ELEMENT_I8: SIGNS(int8_t, 0 -); break;
    case VT_ELEMENT_I16: SIGNS(int16_t, 0 -); break;
    case VT_ELEMENT_I32: SIGNS(int32_t, 0u - (uint32_t)); break;
    case VT_ELEMENT_I64: SIGNS(int64_t, 0u - (uint64_t)); break;
    case VT_ELEMENT_U8:
    case VT_ELEMENT_U16:
    case VT_ELEMENT_U32:
    case VT_ELEMENT_U64:
    case VT_ELEMENT_BOOL:
    case VT_ELEMENT_COUNT: /* unsigned */
        if (!negative) return vt__eval_copy(c);
        return vt_fail(c->diag, VTA_UNSUPPORTED, "node %s (Neg): of an unsigned type", c->n->name);
    }
    return VTA_OK;
}

/* ---- Cast ---- */

/* Float to integer: towards zero, saturated; not a number gives 0. */
static double for_type(double x, vt_element to) {
    if (to == VT_ELEMENT_F32 || to == VT_ELEMENT_F64) return x;
    if (to == VT_ELEMENT_BOOL) return x != 0;
    return isnan(x) ? 0 : x;
}

#define STORE(ctype, x) (((ctype *)c->out[0])[i] = (ctype)(x))

static void store_float(const vt_eval_call *c, int64_t i, double x) {
    vt_element to = vt__out_type(c)->element;
    x = for_type(x, to);
    bool top = x >= vt_element_max(to), bottom = x <= vt_element_least(to);
    switch (to) {
    case VT_ELEMENT_F32: STORE(float, x); break;
    case VT_ELEMENT_F64: STORE(double, x); break;
    case VT_ELEMENT_I64: STORE(int64_t, top ? INT64_MAX : bottom ? INT64_MIN : (int64_t)x); break;
    case VT_ELEMENT_U64: STORE(uint64_t, top ? UINT64_MAX : bottom ? 0 : (uint64_t)x); break;
    case VT_ELEMENT_I8: STORE(int8_t, bounded(x, INT8_MIN, INT8_MAX)); break;
    case VT_ELEMENT_U8: STORE(uint8_t, bounded(x, 0, UINT8_MAX)); break;
    case VT_ELEMENT_I16: STORE(int16_t, bounded(x, INT16_MIN, INT16_MAX)); break;
    case VT_ELEMENT_U16: STORE(uint16_t, bounded(x, 0, UINT16_MAX)); break;
    case VT_ELEMENT_I32: STORE(int32_t, bounded(x, INT32_MIN, INT32_MAX)); break;
    case VT_ELEMENT_U32: STORE(uint32_t, bounded(x, 0, UINT32_MAX)); break;
    case VT_ELEMENT_BOOL: STORE(bool, x); break;
    case VT_ELEMENT_COUNT: break;
    }
}

/* Integer to integer: modulo the size. */
static void store_integer(const vt_eval_call *c, int64_t i, uint64_t x, bool is_signed) {
    switch (vt__out_type(c)->element) {
    case VT_ELEMENT_F32: STORE(float, is_signed ? (float)(int64_t)x : (float)x); break;
    case VT_ELEMENT_F64: STORE(double, is_signed ? (double)(int64_t)x : (double)x); break;
    case VT_ELEMENT_I8: STORE(int8_t, x); break;
    case VT_ELEMENT_U8: STORE(uint8_t, x); break;
    case VT_ELEMENT_I16: STORE(int16_t, x); break;
    case VT_ELEMENT_U16: STORE(uint16_t, x); break;
    case VT_ELEMENT_I32: STORE(int32_t, x); break;
    case VT_ELEMENT_U32: STORE(uint32_t, x); break;
    case VT_ELEMENT_I64: STORE(int64_t, x); break;
    case VT_ELEMENT_U64: STORE(uint64_t, x); break;
    case VT_ELEMENT_BOOL: STORE(bool, x != 0); break;
    case VT_ELEMENT_COUNT: break;
    }
}

vta_status vt__eval_cast(const vt_eval_call *c) {
    vt_element from = vt__in_type(c, 0)->element;
    for (int64_t i = 0; i < vt_gtype_count(vt__out_type(c)); i++) {
        switch (from) {
        case VT_ELEMENT_F32: store_float(c, i, (double)((const float *)c->in[0])[i]); break;
        case VT_ELEMENT_F64: store_float(c, i, ((const double *)c->in[0])[i]); break;
        case VT_ELEMENT_I8: store_integer(c, i, (uint64_t)((const int8_t *)c->in[0])[i], true); break;
        case VT_ELEMENT_U8: store_integer(c, i, ((const uint8_t *)c->in[0])[i], false); break;
        case VT_ELEMENT_I16: store_integer(c, i, (uint64_t)((const int16_t *)c->in[0])[i], true); break;
        case VT_ELEMENT_U16: store_integer(c, i, ((const uint16_t *)c->in[0])[i], false); break;
        case VT_ELEMENT_I32: store_integer(c, i, (uint64_t)((const int32_t *)c->in[0])[i], true); break;
        case VT_ELEMENT_U32: store_integer(c, i, ((const uint32_t *)c->in[0])[i], false); break;
        case VT_ELEMENT_I64: store_integer(c, i, (uint64_t)((const int64_t *)c->in[0])[i], true); break;
        case VT_ELEMENT_U64: store_integer(c, i, ((const uint64_t *)c->in[0])[i], false); break;
        case VT_ELEMENT_BOOL: store_integer(c, i, ((const bool *)c->in[0])[i], false); break;
        case VT_ELEMENT_COUNT: break;
        }
    }
    return VTA_OK;
}
