/* Does what is put into a special memory fit there? The error says what to change. */
#ifndef VT_PASS_FIT_H
#define VT_PASS_FIT_H

#include "lower/generic/pass.h"

/* Raises VTA_ILLEGAL when a tensor's realized region is larger than the memory of its scope. */
void vt_check_fit_tensor(vt_lowering *l, const vt_tensor *t, const char *scope, uint32_t n,
                         const vt_expr *const *shape);

/* A buffer in a memory, for the message when several do not fit together. */
typedef struct vt_fit_part {
    const char *name;
    uint64_t bits;
} vt_fit_part;
/* Raises VTA_ILLEGAL when together they need more than the memory of the scope holds. */
void vt_check_fit_parts(vt_lowering *l, const char *scope, uint64_t total_bits, uint32_t n, const vt_fit_part *parts);

#endif
