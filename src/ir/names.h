/* Unique names for printers: "x", then "x_1", "x_2", ... */
#ifndef VT_IR_NAMES_H
#define VT_IR_NAMES_H

#include "ir/node.h"

typedef struct vt__names vt__names;
vt__names *vt__names_new(vt_ctx *ctx);
/* Takes `wanted` or, where it is taken, the next free wanted_N. The text is in the arena. */
const char *vt__names_take(vt__names *names, const char *wanted);
/* Gives a name back, for scopes that end. */
void vt__names_free(vt__names *names, const char *name);

#endif
