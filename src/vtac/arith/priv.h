/* What the parts of the analyzer share. */
#ifndef VT_ARITH_PRIV_H
#define VT_ARITH_PRIV_H

#include "arith/analyzer.h"
#include "arith/rules.h"
#include "ir/visit.h"

typedef struct vt__rule_choice vt__rule_choice;

/* One result of rewriting. */
typedef struct vt__memo {
    const vt_expr *e, *result;
    uint32_t epoch;
    int depth;
} vt__memo;

/* The walk over an expression that simplifies; the canonical simplifier is one of these with another visit. */
struct vt__rewriter {
    vt_analyzer *an;
    vt_ctx *ctx;
    const vt_expr *(*visit)(vt__rewriter *rw, const vt_expr *e);
    vt_varmap *vars; /* variables that are bound to values */
    int depth;       /* of rules that simplify their result again */
    vt__memo *memo;  /* VT__MEMO results, made at the first use */
};

/* A bound that a constraint gives an expression. */
typedef struct vt__fact {
    const vt_expr *e;
    vt_bound bound;
} vt__fact;

/* A modular set as it was before a constraint. */
typedef struct vt__saved {
    const vt_var *v;
    vt_modular was;
} vt__saved;

enum { VT__MEMO = 256 };

struct vt_analyzer {
    vt_ctx *ctx;
    vt__rewriter rewriter;
    vt__rewriter canonical;
    vt_ptrmap *bounds;   /* variable -> vt_bound */
    vt_ptrmap *modulars; /* variable -> vt_modular */
    vt__fact *facts;
    uint32_t n_facts, cap_facts;
    vt__saved *saved;
    uint32_t n_saved, cap_saved;
    const vt_expr **literals; /* conditions known to hold, simplified */
    uint32_t n_literals, cap_literals;
    /* Each state of knowledge has a number; what rewriting gave in it is remembered. */
    uint32_t epoch, last_epoch;
    struct vt__canon_memo *canons; /* of the canonical simplifier */
    vt__rule_choice *choices;      /* made at the first use */
};

/* Rewrites with the rules of e's kind; visits children through rw->visit. Remembers. */
const vt_expr *vt__rewrite_node(vt__rewriter *rw, const vt_expr *e);
/* Simplifies a rule's result again, up to a depth. */
const vt_expr *vt__rewrite_again(vt__rewriter *rw, const vt_expr *e);
void vt__rewriter_init(vt_analyzer *an);
void vt__canonical_init(vt_analyzer *an);
/* Remembers a condition as a literal. */
void vt__literals_enter(vt_analyzer *an, const vt_expr *condition);

void vt__bound_enter(vt_analyzer *an, const vt_expr *condition);
void vt__modular_enter(vt_analyzer *an, const vt_expr *condition);
void vt__modular_leave(vt_analyzer *an, uint32_t n_saved);
void vt__bound_set(vt_analyzer *an, const vt_var *v, vt_bound b);
void vt__modular_put(vt_analyzer *an, const vt_var *v, vt_modular m);

/* Something new is known. */
static inline void vt__learned(vt_analyzer *an) { an->epoch = ++an->last_epoch; }

/* How x compares with a number, as far as can be told. */
typedef enum vt__order { VT__UNKNOWN, VT__EQ, VT__GT, VT__GE, VT__LT, VT__LE, VT__NE } vt__order;
vt__order vt__try_compare(vt__rewriter *rw, const vt_expr *x, int64_t number);

extern const vt__rules vt__rules_add, vt__rules_sub, vt__rules_mul, vt__rules_div, vt__rules_mod, vt__rules_floordiv,
    vt__rules_floormod, vt__rules_min, vt__rules_max, vt__rules_eq, vt__rules_lt, vt__rules_not, vt__rules_and,
    vt__rules_or, vt__rules_select;

/* Floor division and modulo of plain numbers; y != 0. */
static inline int64_t vt__floordiv(int64_t x, int64_t y) {
    if (y == -1) return x == INT64_MIN ? x : -x;
    int64_t q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}
static inline int64_t vt__floormod(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x - (uint64_t)vt__floordiv(x, y) * (uint64_t)y);
}

#endif
