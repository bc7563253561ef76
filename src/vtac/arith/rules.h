/* Rewrite rules as data: a rule is a pattern, what replaces it, and when.
 *
 * A rules file is tables of lines such as
 *     {ADD(SUB(X, Y), Y), X},
 *     {MUL(MUL(X, C1), C2), MUL(X, MUL(C1, C2))},
 *     {FLOORDIV(FLOORDIV(X, C1), C2), FLOORDIV(X, MUL(C1, C2)), AND(GT(C1, N(0)), GT(C2, N(0)))},
 * X Y Z U V match any expression (the same one where a letter is repeated), C1 C2 C3 integer constants, N(k) the
 * constant k. Conditions compute with the constants' values; NONNEG, PROVES_* ask the analyzer. AGAIN as fourth field:
 * the result is simplified once more. A fifth field is a function for what is not algebra.
 *
 * The first line that applies wins: the order of lines is part of the canonical form. */
#ifndef VT_ARITH_RULES_H
#define VT_ARITH_RULES_H

#include "ir/node.h"

typedef struct vt__pat vt__pat;
typedef struct vt__rule vt__rule;
typedef struct vt__rewriter vt__rewriter;

/* Kinds of pattern nodes beside those of expr.def. */
enum {
    VT__PAT_ANY = VT_E_COUNT, /* slot */
    VT__PAT_CONST,            /* slot; an integer constant */
    VT__PAT_FLOAT_ZERO,       /* the float constant 0 */
    VT__PAT_NUMBER,           /* number */
    VT__PAT_NONNEG,           /* condition: a[0] >= 0 is proved */
    VT__PAT_PROVES_GE,        /* condition: a[0] >= the constant a[1] is proved */
    VT__PAT_PROVES_LT,        /* condition: a[0] < the constant a[1] is proved */
    VT__PAT_NONZERO,          /* condition: a[0] != 0 is proved */
    VT__PAT_PROVES_ZERO       /* condition: a[0] == 0 is proved */
};

enum { VT__SLOT_X, VT__SLOT_Y, VT__SLOT_Z, VT__SLOT_U, VT__SLOT_V, VT__SLOT_C1, VT__SLOT_C2, VT__SLOT_C3, VT__SLOTS };

struct vt__pat {
    uint8_t kind;
    uint8_t slot;
    int64_t number;
    const vt__pat *a[3];
};

typedef const vt_expr *(*vt__rule_fn)(vt__rewriter *rw, const vt_expr *e);

struct vt__rule {
    const vt__pat *from;
    const vt__pat *to;
    const vt__pat *when; /* NULL: always */
    bool again;
    vt__rule_fn fn; /* instead of from and to; NULL result: does not apply */
};

/* The rules of one expression kind: for vectors, for index arithmetic, for any type, each ended by an empty rule. */
typedef struct vt__rules {
    const vt__rule *vector;
    const vt__rule *index;
    const vt__rule *any;
} vt__rules;

#define VT__SLOT(kind_, slot_) (&(const vt__pat){.kind = (kind_), .slot = (slot_)})
#define VT__NODE(kind_, ...) (&(const vt__pat){.kind = (kind_), .a = {__VA_ARGS__}})

#endif
