/* What the files of verify_range.h share: sums with a rest, and what is said about conditions. */
#ifndef VT_TARGET_VTA_VERIFY_FORM_H
#define VT_TARGET_VTA_VERIFY_FORM_H

#include "lower/vta/verify_range.h"

/* Numbers beyond this are taken for unknown: sums of them cannot overflow. */
#define VT_FORM_MAX ((int64_t)1 << 48)

vt_form vt__form_unknown(void);
vt_form vt__form_var(uint32_t index);
vt_form vt__form_scaled(const vt_form *x, int64_t factor);
vt_form vt__form_floor_div(const vt_path *p, const vt_form *x, int64_t d);
vt_form vt__form_floor_mod(const vt_path *p, const vt_form *x, int64_t d);
/* One of both, the smaller, the larger. */
vt_form vt__form_either(const vt_path *p, const vt_form *x, const vt_form *y);
vt_form vt__form_smaller(const vt_path *p, const vt_form *x, const vt_form *y);
vt_form vt__form_larger(const vt_path *p, const vt_form *x, const vt_form *y);
/* All that is known when the form of a value is given up; y may be NULL. */
vt_form vt__form_flattened(const vt_path *p, const vt_form *x, const vt_form *y, int64_t lo, int64_t hi);
/* The loops on which the form's value depends. */
uint64_t vt__form_loops(const vt_path *p, const vt_form *f);
static inline uint64_t vt__bit_of(uint32_t binder) { return (uint64_t)1 << binder; }

/* d >= 0? *loops: those that decide it, when it is open. */
vt_truth vt__form_at_least_zero(const vt_path *p, const vt_form *d, uint64_t *loops);
vt_truth vt__truth_of(vt_path *p, const vt_expr *e, uint64_t *loops);

#endif
