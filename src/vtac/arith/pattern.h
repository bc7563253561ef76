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
/* Do the kinds of e and of its operands leave that open? */
bool vt__pat_possible(const vt__pat *pat, const vt_expr *e);
/* The rules that may apply to e, of which the first that does counts; ended by NULL. (rule_choice.c) */
const vt__rule *const *vt__rules_choose(vt_analyzer *an, const vt__rules *rules, const vt_expr *e);
/* What the rule makes of e; NULL: it does not apply. */
const vt_expr *vt__rule_apply(vt__rewriter *rw, const vt__rule *rule, const vt_expr *e);

#endif
