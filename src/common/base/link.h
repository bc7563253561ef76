/* Shared objects from objects, by the system's linkers. */
#ifndef VT_BASE_LINK_H
#define VT_BASE_LINK_H

#include "base/diag.h"

/* Links the object file `object` into the shared object `output`. `triple`: the machine that it is for, NULL for this
 * one. `first` (NULL: none) is tried before the linkers of base/linkers.def; its words are separated by blanks, so that
 * it may have options. VTA_UNSUPPORTED, naming all that were tried, when this machine has none; VTA_PARSE, with what
 * the linker said, when it refuses. `name` stands for the object in messages. */
vta_status vt_link_shared(const vta_allocator *a, const char *name, const char *object, const char *triple,
                          const char *first, const char *output, vta_diag *diag);

#endif
