/* How the libraries append to a vta_diag. */
#ifndef VT_BASE_DIAG_H
#define VT_BASE_DIAG_H

#include "base/alloc.h"

/* A position in an input text; file may be NULL, line and column count from 1, 0 means none. */
typedef struct vt_pos {
    const char *file;
    uint32_t line;
    uint32_t column;
} vt_pos;

#define VT_NO_POS ((vt_pos){0})

/* Appends an error and returns its code, so that a caller writes `return vt_fail(diag, VTA_…, "…", …)`. A NULL
 * list only returns the code. A message that cannot be stored is replaced by "out of memory". */
vta_status vt_fail(vta_diag *diag, vta_status status, const char *fmt, ...) VTA_PRINTF(3, 4);
vta_status vt_fail_at(vta_diag *diag, vta_status status, vt_pos pos, const char *fmt, ...) VTA_PRINTF(4, 5);
void vt_warn_at(vta_diag *diag, vta_status status, vt_pos pos, const char *fmt, ...) VTA_PRINTF(4, 5);
/* A note says more about the entry before it: what to do, where the other half of a conflict is. */
void vt_note_at(vta_diag *diag, vt_pos pos, const char *fmt, ...) VTA_PRINTF(3, 4);
/* The long text that belongs to the entry before it. */
void vt_detail(vta_diag *diag, const char *fmt, ...) VTA_PRINTF(2, 3);
/* The one message that needs no memory. */
vta_status vt_no_memory(vta_diag *diag);
/* What went wrong as part of another message: the errors' texts with "; " between them, without severities and
 * positions; "out of memory" where there are none. Belongs to the diag, until it is changed or asked again. */
const char *vt_diag_reason(vta_diag *diag);

/* Returns from the calling function when `expr` is not VTA_OK: the only control flow hidden in a macro. */
#define VT_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        vta_status vt_try_status = (expr);                                                                             \
        if (vt_try_status != VTA_OK) return vt_try_status;                                                             \
    } while (0)

#endif
