/* Symbolic integer intervals, and the values an expression takes while some variables run over theirs. */
#ifndef VT_ARITH_INTSET_H
#define VT_ARITH_INTSET_H

#include "arith/analyzer.h"

/* min and max inclusive; NULL: unbounded on that side. `empty`: no value at all. */
typedef struct vt_intset {
    const vt_expr *min;
    const vt_expr *max;
    bool empty;
} vt_intset;

static inline vt_intset vt_intset_everything(void) { return (vt_intset){0}; }
static inline vt_intset vt_intset_nothing(void) { return (vt_intset){.empty = true}; }
static inline vt_intset vt_intset_point(const vt_expr *e) { return (vt_intset){e, e, false}; }
static inline vt_intset vt_intset_interval(const vt_expr *min, const vt_expr *max) {
    return (vt_intset){min, max, false};
}
/* [min, min + extent - 1], folded as TVM folds it; extent 1 gives the point. */
vt_intset vt_intset_range(vt_ctx *ctx, const vt_expr *min, const vt_expr *extent);

static inline bool vt_intset_is_everything(vt_intset s) { return !s.empty && !s.min && !s.max; }
bool vt_intset_is_point(vt_intset s); /* min and max are equal expressions */
/* Covers the set by a range: simplified min and extent; gives *fallback where the set is unbounded. */
vt_range vt_intset_cover(vt_analyzer *a, vt_intset s, vt_range fallback);
vt_intset vt_intset_union(vt_analyzer *a, uint32_t n, const vt_intset *sets);
vt_intset vt_intset_intersect(vt_analyzer *a, uint32_t n, const vt_intset *sets);
bool vt_intset_prove_positive(vt_analyzer *a, vt_intset s);
bool vt_intset_prove_negative(vt_analyzer *a, vt_intset s);
bool vt_intset_prove_nonpositive(vt_analyzer *a, vt_intset s);
bool vt_intset_prove_nonnegative(vt_analyzer *a, vt_intset s);
bool vt_intset_match_range(vt_analyzer *a, vt_intset s, vt_range range); /* provably the same */

/* Variables and the sets they run over. */
typedef struct vt_dommap vt_dommap;
vt_dommap *vt_dommap_new(vt_ctx *ctx);
void vt_dommap_set(vt_dommap *map, const vt_var *v, vt_intset set);
void vt_dommap_set_range(vt_dommap *map, const vt_var *v, vt_range r);
bool vt_dommap_get(const vt_dommap *map, const vt_var *v, vt_intset *out_set);
uint32_t vt_dommap_size(const vt_dommap *map);

/* The set of an expression's values. Variables that are not in the map are themselves. */
vt_intset vt_eval_set(vt_analyzer *a, const vt_expr *e, const vt_dommap *dom);

#endif
