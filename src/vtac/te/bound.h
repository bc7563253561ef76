/* Ranges, values and conditions of axes, and what operations read. */
#ifndef VT_TE_BOUND_H
#define VT_TE_BOUND_H

#include "arith/intset.h"
#include "te/schedule.h"

/* Ranges by axis: values are vt_range in the arena. */
static inline const vt_range *te__range(const vt_ptrmap *ranges, const vt_iter *axis) {
    return vt_ptrmap_get(ranges, axis);
}
void te__range_set(vt_ctx *ctx, vt_ptrmap *ranges, const vt_iter *axis, const vt_expr *min, const vt_expr *extent);
/* Inferred range of every axis of every stage of a normalized schedule. */
vt_ptrmap *te__infer_bounds(te_schedule *s);
void te__pass_down_domain(vt_ctx *ctx, const te_stage *st, vt_ptrmap *ranges, vt_analyzer *a, bool allow_missing);
/* Where part `outer` of a list of sizes begins, or how large it is: one value for each part, chosen by its number. A
 * constant where the number is one. */
const vt_expr *te__list_part(vt_ctx *ctx, const te__relation *r, const vt_expr *outer, bool begin);
/* Sets by axis: values are vt_intset in the arena. */
void te__set_put(vt_ctx *ctx, vt_ptrmap *sets, const vt_iter *axis, vt_intset set);
void te__pass_up_domain(vt_analyzer *a, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *sets);
/* Values by axis: vt_expr. */
void te__pass_up_index(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *values);
void te__pass_down_index(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *values);
/* Flags by axis, as pointers' integers. */
void te__pass_down_mask(const te_stage *st, vt_ptrmap *masks);
/* Is a loop made of data axes and reduce axes? */
bool te__has_mixed_loops(vt_ctx *ctx, const te_stage *st);
/* The conditions under which a point of the loop nest lies in the domain; *out_n of them. */
const vt_expr **te__bound_checks(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_ptrmap *values,
                                 bool skip_domain, const vt_ptrmap *skip, uint32_t *out_n);

/* What is read of one tensor: for every read ndim sets. */
typedef struct te__demand {
    const vt_tensor *tensor;
    uint32_t n, cap; /* sets */
    vt_intset *sets;
} te__demand;
/* Adds what `op` reads of the given tensors while its variables run over `domain`. */
void te__demand_of(vt_analyzer *a, const vt_operation *op, const vt_dommap *domain, uint32_t n, te__demand *demands);
/* The same of an operation that consists of statements. */
void te__extern_demand(vt_analyzer *a, const vt_operation *op, const vt_dommap *domain, uint32_t n,
                       te__demand *demands);
/* The union of the sets of one dimension. */
vt_intset te__demand_union(vt_ctx *ctx, const te__demand *demand, uint32_t dim);

#endif
