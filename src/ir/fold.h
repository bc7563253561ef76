/* The meaning of the arithmetic operators on plain numbers: for constant folding and for the interpreter. */
#ifndef VT_IR_FOLD_H
#define VT_IR_FOLD_H

#include "ir/node.h"

/* The value as a type holds it: wrapped in two's complement. */
int64_t vt__wrap_int(vt_dtype t, int64_t value);
/* x op y for kinds ARITH and COMPARE, operands of type t, not wrapped yet. False: division by zero. */
bool vt__fold_int(vt_expr_kind kind, vt_dtype t, int64_t x, int64_t y, int64_t *out);
/* In double precision. False where there is no such operation. */
bool vt__fold_float(vt_expr_kind kind, double x, double y, double *out);
/* A function of vta/math.def on x (and y), in double precision. False: `op` is not one of them. */
bool vt_math_value(vt_op op, double x, double y, double *out);
bool vt_op_is_math(vt_op op);
/* Shifts and bit operations; false for a shift out of range. */
bool vt__fold_bits(vt_op op, int64_t x, int64_t y, int64_t *out);

/* x shifted by y, both of type t: a negative amount shifts the other way, and one of t.bits or more leaves sign bits or
 * zeros only. Not yet wrapped to t. */
int64_t vt_shift_value(vt_op op, vt_dtype t, int64_t x, int64_t y);

#endif
