/* Linear forms and bounds read off conditions. */
#ifndef VT_ARITH_LINEAR_H
#define VT_ARITH_LINEAR_H

#include "arith/intset.h"

/* e = coeffs[0]*vars[0] + ... + coeffs[n-1]*vars[n-1] + coeffs[n], the coefficients free of vars, simplified. False
 * when it is not linear. */
bool vt_detect_linear(vt_ctx *ctx, const vt_expr *e, uint32_t n, const vt_var *const *vars, const vt_expr **out_coeffs);
/* A conjunction of linear conditions as bounds, inclusive: out_bounds[2*i] <= vars[i] <= out_bounds[2*i+1], NULL where
 * there is none. False when the condition has another form. */
bool vt_detect_clip_bound(vt_analyzer *an, const vt_expr *e, uint32_t n, const vt_var *const *vars,
                          const vt_expr **out_bounds);
/* The values of v for which `condition` certainly holds, while the variables of `relax` run over their sets (hint: of
 * the others, to find signs). Nothing when it cannot be told. */
vt_intset vt_deduce_bound(vt_ctx *ctx, const vt_var *v, const vt_expr *condition, const vt_dommap *hint,
                          const vt_dommap *relax);

#endif
