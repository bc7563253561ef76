/* What must not be computed where the condition around it does not hold. */
#ifndef VT_PASS_UNSAFE_H
#define VT_PASS_UNSAFE_H

#include "arith/analyzer.h"

/* Has e an effect, or a read that could leave its buffer? A condition within e makes no read safe: the simplifier took
 * the one around e for granted there, so that both sides of the inner one may read outside when the outer one does not
 * hold. Where `ranges` (NULL: nothing is known) knows the loop variables, reads that surely stay inside are safe. So is
 * what `condition` (may be NULL), the one around e, reads itself whatever it gives. */
bool vt_is_unsafe(vt_analyzer *ranges, const vt_expr *condition, const vt_expr *e);

#endif
