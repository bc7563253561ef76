/* The short names in which rules are written; included by rules files only, after everything else. */
#ifndef VT_ARITH_RULES_SHORT_H
#define VT_ARITH_RULES_SHORT_H

#include "arith/rules.h"

#define X VT__SLOT(VT__PAT_ANY, VT__SLOT_X)
#define Y VT__SLOT(VT__PAT_ANY, VT__SLOT_Y)
#define Z VT__SLOT(VT__PAT_ANY, VT__SLOT_Z)
#define U VT__SLOT(VT__PAT_ANY, VT__SLOT_U)
#define V VT__SLOT(VT__PAT_ANY, VT__SLOT_V)
#define C1 VT__SLOT(VT__PAT_CONST, VT__SLOT_C1)
#define C2 VT__SLOT(VT__PAT_CONST, VT__SLOT_C2)
#define C3 VT__SLOT(VT__PAT_CONST, VT__SLOT_C3)
#define N(k) (&(const vt__pat){.kind = VT__PAT_NUMBER, .number = (k)})
#define FLOAT_ZERO VT__SLOT(VT__PAT_FLOAT_ZERO, 0)

#define ADD(p, q) VT__NODE(VT_E_ADD, p, q)
#define SUB(p, q) VT__NODE(VT_E_SUB, p, q)
#define MUL(p, q) VT__NODE(VT_E_MUL, p, q)
#define DIV(p, q) VT__NODE(VT_E_DIV, p, q)
#define MOD(p, q) VT__NODE(VT_E_MOD, p, q)
#define FLOORDIV(p, q) VT__NODE(VT_E_FLOORDIV, p, q)
#define FLOORMOD(p, q) VT__NODE(VT_E_FLOORMOD, p, q)
#define MIN(p, q) VT__NODE(VT_E_MIN, p, q)
#define MAX(p, q) VT__NODE(VT_E_MAX, p, q)
#define EQ(p, q) VT__NODE(VT_E_EQ, p, q)
#define NE(p, q) VT__NODE(VT_E_NE, p, q)
#define LT(p, q) VT__NODE(VT_E_LT, p, q)
#define LE(p, q) VT__NODE(VT_E_LE, p, q)
#define GT(p, q) VT__NODE(VT_E_GT, p, q)
#define GE(p, q) VT__NODE(VT_E_GE, p, q)
#define AND(p, q) VT__NODE(VT_E_AND, p, q)
#define OR(p, q) VT__NODE(VT_E_OR, p, q)
#define NOT(p) VT__NODE(VT_E_NOT, p)
#define SELECT(c, p, q) VT__NODE(VT_E_SELECT, c, p, q)
#define RAMP(p, q) VT__NODE(VT_E_RAMP, p, q)
#define SPREAD(p) VT__NODE(VT_E_BROADCAST, p)

#define NONNEG(p) VT__NODE(VT__PAT_NONNEG, p)
#define PROVES_GE(p, c) VT__NODE(VT__PAT_PROVES_GE, p, c)
#define PROVES_LT(p, c) VT__NODE(VT__PAT_PROVES_LT, p, c)
#define NONZERO(p) VT__NODE(VT__PAT_NONZERO, p)
#define PROVES_ZERO(p) VT__NODE(VT__PAT_PROVES_ZERO, p)
#define POSITIVE(c) GT(c, N(0))
#define DIVIDES(c, d) EQ(MOD(c, d), N(0)) /* d divides c */
#define OPPOSITE(c, d) EQ(ADD(c, d), N(0))
#define AGAIN true

#endif
