/* Micro-op scopes that a pass has seen, with what it made of them. Steps that are written out have the same few kernels
 * over and over; an equal one need not be worked on again. */
#ifndef VT_TARGET_VTA_SAME_SCOPES_H
#define VT_TARGET_VTA_SAME_SCOPES_H

#include "ir/visit.h"

typedef struct vt_scopes vt_scopes;
vt_scopes *vt__scopes_new(vt_ctx *ctx);

/* What was made of an equal scope; NULL: none has been seen. Scopes that use variables from outside are never equal:
 * what becomes of them depends on what is around. */
const vt_stmt *vt__scopes_find(vt_scopes *scopes, const vt_stmt *scope);
/* To be called with the scope that was looked for last. */
void vt__scopes_add(vt_scopes *scopes, const vt_stmt *scope, const vt_stmt *made);

#endif
