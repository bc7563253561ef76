/* What is known about variables, and what follows for expressions.
 *
 * One analyzer holds bindings of variables to ranges or values and a stack of constraints; its parts (constant bounds,
 * modular sets, rewriting, canonical forms) ask each other through it. Not thread-safe; lives in its context's arena.
 * The forms it produces (order of terms, which of two equal forms) are those of TVM, since printed text and
 * call arguments depend on them. */
#ifndef VT_ARITH_ANALYZER_H
#define VT_ARITH_ANALYZER_H

#include "ir/node.h"

typedef struct vt_analyzer vt_analyzer;

vt_analyzer *vt_analyzer_new(vt_ctx *ctx);
vt_ctx *vt_analyzer_ctx(vt_analyzer *a);
/* Says that min <= v < min + extent. Binding again to something else is a mistake, unless `override`. An extent of one
 * binds to the value. */
void vt_analyzer_bind_range(vt_analyzer *a, const vt_var *v, const vt_expr *min, const vt_expr *extent, bool override);
/* Says that v is this value. */
void vt_analyzer_bind(vt_analyzer *a, const vt_var *v, const vt_expr *value, bool override);
/* A condition that holds from here to the matching leave (a stack: leave in reverse order). */
typedef struct vt_scope {
    uint32_t rewrite, bound, modular; /* the lengths of the lists before */
    uint32_t epoch, inside;           /* which state of knowledge it was, and is */
} vt_scope;
vt_scope vt_analyzer_enter(vt_analyzer *a, const vt_expr *condition);
void vt_analyzer_leave(vt_analyzer *a, vt_scope scope);

/* Constant bounds, inclusive. The infinities are INT64_MAX and INT64_MIN + 1 (= -INT64_MAX). */
#define VT_POS_INF INT64_MAX
#define VT_NEG_INF (-INT64_MAX)
typedef struct vt_bound {
    int64_t min, max;
} vt_bound;
vt_bound vt_const_bound(vt_analyzer *a, const vt_expr *e);

/* e = coeff * x + base for some integer x; coeff 0: the constant base. 0 <= base < coeff otherwise. */
typedef struct vt_modular {
    int64_t coeff, base;
} vt_modular;
vt_modular vt_modular_set(vt_analyzer *a, const vt_expr *e);

/* One pass of the rewrite rules; one of the canonical form; what TVM's Analyzer.simplify does: rewrite, then
 * canonical (steps counts them: 2 for both). */
const vt_expr *vt_rewrite_simplify(vt_analyzer *a, const vt_expr *e);
const vt_expr *vt_canonical_simplify(vt_analyzer *a, const vt_expr *e);
const vt_expr *vt_simplify_steps(vt_analyzer *a, const vt_expr *e, int steps);
const vt_expr *vt_simplify(vt_analyzer *a, const vt_expr *e);
/* With a fresh analyzer. */
const vt_expr *vt_simplify_free(vt_ctx *ctx, const vt_expr *e);

bool vt_prove(vt_analyzer *a, const vt_expr *condition);
bool vt_prove_ge(vt_analyzer *a, const vt_expr *e, int64_t lower);
bool vt_prove_lt(vt_analyzer *a, const vt_expr *e, int64_t upper);
bool vt_prove_equal(vt_analyzer *a, const vt_expr *x, const vt_expr *y);

#endif
