/* Which expressions statements compute, for introducing the common ones. */
#ifndef VT_PASS_COMPUTED_H
#define VT_PASS_COMPUTED_H

#include "ir/visit.h"
#include "lower/generic/expr_table.h"

typedef struct vt_computed {
    vt_ctx *ctx;
    vt_ptrmap *stmt_tables; /* statement -> what it computes */
    vt_ptrmap *memory;      /* expression -> whether it contains a load or a call: &YES or &NO */
} vt_computed;

/* May a variable stand for the expression? Not for one that contains a load or a call. */
bool vt_may_introduce(vt_computed *st, const vt_expr *e);
vt_expr_table *vt_computed_by_expr(vt_computed *st, const vt_expr *e);
/* Of a loop or a branch: what at least two of its parts compute. */
const vt_expr_table *vt_computed_by_stmt(vt_computed *st, const vt_stmt *s);

#endif
