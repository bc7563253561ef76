/* The meaning of the arithmetic operators on plain numbers: for constant folding and for the interpreter. */
#ifndef VT_IR_FOLD_H
#define VT_IR_FOLD_H

#include <math.h>

#include "base/wrap.h"
#include "ir/node.h"

/* The value as a type holds it: wrapped in two's complement. */
static inline int64_t vt_wrap_int(vt_dtype t, int64_t value) { return vt_wrap(value, t.bits, t.code == VT_INT); }

/* What divisions give: x by 0 is 0 and the remainder x, so that x is quotient times divisor plus remainder as always;
 * the least integer by -1 wraps to itself. The evaluator of te, the generated code and the simplifier do the same. */
static inline int64_t vt_trunc_div(bool wide, int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (wide) return (int64_t)((uint64_t)x / (uint64_t)y);
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static inline int64_t vt_floor_div(bool wide, int64_t x, int64_t y) {
    int64_t q = vt_trunc_div(wide, x, y);
    bool down = !wide && y != 0 && y != -1 && x % y != 0 && (x < 0) != (y < 0);
    return down ? q - 1 : q;
}

static inline int64_t vt_rest_of(int64_t x, int64_t y, int64_t quotient) {
    return (int64_t)((uint64_t)x - (uint64_t)quotient * (uint64_t)y);
}

/* x op y for kinds ARITH and COMPARE, operands of type t, not wrapped yet; false for other kinds. Here, since the
 * evaluator of te calls it for every element. */
static inline bool vt_fold_int(vt_expr_kind kind, vt_dtype t, int64_t x, int64_t y, int64_t *out) {
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    bool wide = t.code == VT_UINT && t.bits == 64;
    switch (kind) {
    case VT_E_ADD: *out = (int64_t)(ux + uy); return true;
    case VT_E_SUB: *out = (int64_t)(ux - uy); return true;
    case VT_E_MUL: *out = (int64_t)(ux * uy); return true;
    case VT_E_DIV: *out = vt_trunc_div(wide, x, y); return true;
    case VT_E_MOD: *out = vt_rest_of(x, y, vt_trunc_div(wide, x, y)); return true;
    case VT_E_FLOORDIV: *out = vt_floor_div(wide, x, y); return true;
    case VT_E_FLOORMOD: *out = vt_rest_of(x, y, vt_floor_div(wide, x, y)); return true;
    case VT_E_MIN: *out = (wide ? ux < uy : x < y) ? x : y; return true;
    case VT_E_MAX: *out = (wide ? ux > uy : x > y) ? x : y; return true;
    case VT_E_EQ: *out = x == y; return true;
    case VT_E_NE: *out = x != y; return true;
    case VT_E_LT: *out = wide ? ux < uy : x < y; return true;
    case VT_E_LE: *out = wide ? ux <= uy : x <= y; return true;
    case VT_E_GT: *out = wide ? ux > uy : x > y; return true;
    case VT_E_GE: *out = wide ? ux >= uy : x >= y; return true;
    case VT_EACH_LEAF:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    return false;
}

/* The same in double precision, not rounded to a type yet. */
static inline bool vt_fold_float(vt_expr_kind kind, double x, double y, double *out) {
    switch (kind) {
    case VT_E_ADD: *out = x + y; return true;
    case VT_E_SUB: *out = x - y; return true;
    case VT_E_MUL: *out = x * y; return true;
    case VT_E_DIV: *out = x / y; return true;
    case VT_E_MOD: *out = fmod(x, y); return true;
    case VT_E_FLOORDIV: *out = floor(x / y); return true;
    case VT_E_FLOORMOD: *out = x - floor(x / y) * y; return true;
    case VT_E_MIN: *out = x < y ? x : y; return true;
    case VT_E_MAX: *out = x > y ? x : y; return true;
    case VT_E_EQ: *out = x == y; return true;
    case VT_E_NE: *out = x != y; return true;
    case VT_E_LT: *out = x < y; return true;
    case VT_E_LE: *out = x <= y; return true;
    case VT_E_GT: *out = x > y; return true;
    case VT_E_GE: *out = x >= y; return true;
    case VT_EACH_LEAF:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    return false;
}

/* A function of vta/math.def on x (and y), in double precision. False: `op` is not one of them. */
bool vt_math_value(vt_op op, double x, double y, double *out);
bool vt_op_is_math(vt_op op);
/* Shifts and bit operations; false for a shift out of range. */
bool vt__fold_bits(vt_op op, int64_t x, int64_t y, int64_t *out);

/* x shifted by y, both of type t: a negative amount shifts the other way, and one of t.bits or more leaves sign bits or
 * zeros only. Not yet wrapped to t. */
int64_t vt_shift_value(vt_op op, vt_dtype t, int64_t x, int64_t y);

#endif
