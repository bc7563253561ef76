/* Exact values of index expressions: tried for all values of the loops around. */
#ifndef VT_TARGET_VTA_EXACT_H
#define VT_TARGET_VTA_EXACT_H

#include "ir/visit.h"

/* The loops and threads around a statement, outermost first; extents are constants. */
typedef struct vt_around {
    uint32_t n, cap;
    struct vt_around_loop {
        const vt_var *var;
        int64_t min, extent;
    } *loops;
} vt_around;

/* Adds a loop; one whose range is not constant is left out, so that its variable counts as unknown. To leave it, set n
 * back. */
void vt__around_enter(vt_ctx *ctx, vt_around *around, const vt_var *v, const vt_expr *min, const vt_expr *extent);

/* The loop of a variable; NULL when it is not the variable of one of these loops. */
const struct vt_around_loop *vt__around_find(const vt_around *around, const vt_var *v);

/* Values of variables. */
enum { VT_KNOWN = 32 };
typedef struct vt_known {
    uint32_t n;
    const vt_var *vars[VT_KNOWN];
    int64_t values[VT_KNOWN];
} vt_known;

/* The value of an expression of integers; false when it uses another variable or operation. */
bool vt__exact_value(const vt_known *known, const vt_expr *e, int64_t *out);

/* Whether a visit goes on; values[i] is that of the expression i. */
typedef bool (*vt_exact_visit)(void *user, const int64_t *values);

/* Calls visit for every combination of values that the loops give the n expressions. False, maybe after some calls,
 * when it cannot: a variable of no loop, an operation that is not integer arithmetic, or too many combinations. */
bool vt__exact_values(vt_ctx *ctx, const vt_around *around, uint32_t n, const vt_expr *const *exprs,
                      vt_exact_visit visit, void *user);

#endif
