/* Matching rules against expressions. */
#ifndef VT_ARITH_PATTERN_H
#define VT_ARITH_PATTERN_H

#include "arith/priv.h"
#include "arith/rules.h"

typedef struct vt__match {
    const vt_expr *slot[VT__SLOTS];
} vt__match;

/* Does e have the pattern's form? Fills *m (which the caller need not clear). */
bool vt__pat_match(const vt__pat *pat, const vt_expr *e, vt__match *m);
/* The first rule of the list that applies to e: its result, else NULL. */
const vt_expr *vt__rules_apply(vt__rewriter *rw, const vt__rule *rules, const vt_expr *e);

#endif
