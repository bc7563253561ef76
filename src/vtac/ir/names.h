/* Unique names for printers: "x", then "x_1", "x_2", ... in the two ways in which TVM counts. */
#ifndef VT_IR_NAMES_H
#define VT_IR_NAMES_H

#include "ir/node.h"

typedef struct vt__names vt__names;
vt__names *vt__names_new(vt_ctx *ctx);
/* Takes `wanted` or, where it was taken before, the next wanted_N after the last one given. In the arena. */
const char *vt__names_take(vt__names *names, const char *wanted);
/* Steps the count of `wanted` back, if `name` is the last that was given for it: the next one may be given again. */
void vt__names_step_back(vt__names *names, const char *wanted, const char *name);
/* Takes the lowest free one of wanted, wanted_1, ...; vt__names_free gives it back. */
const char *vt__names_take_lowest(vt__names *names, const char *wanted);
void vt__names_free(vt__names *names, const char *name);

#endif
